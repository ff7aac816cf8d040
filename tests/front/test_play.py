"""Sessions at the terminal, with the input in a pipe."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES, Answer, Program


@pytest.fixture
def session(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return a function that plays with these lines as input."""

    def call(*arguments: object, lines: str) -> Answer:
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines.split("; ")) + "\n"))
        return program("play", *arguments)

    return call


def test_a_puzzle_is_played_to_its_end_with_best(session: Program, databases: dict[str, Path]) -> None:
    answer = session(databases["patience"], lines="; ".join(["best"] * 6))
    assert answer.code == 0
    assert "value: 6" in answer.out
    assert answer.out.endswith("solved in 6 moves\n")


def test_moves_by_text_by_number_and_undo(session: Program, databases: dict[str, Path]) -> None:
    answer = session(databases["eight"], "3 1 2 0 4 5 6 7 8", lines="4; undo; #1")
    boards = re.findall(r"^(?:> )?\n((?:[0-9.] [0-9.] [0-9.]\n){3})\n", answer.out, re.MULTILINE)
    first, by_text, by_number = "312/.45/678", "312/4.5/678", ".12/345/678"
    shown = ["/".join(board.replace(" ", "").split()) for board in boards]
    assert shown == [first, by_text, first, by_number]
    assert answer.out.endswith("solved in 1 move\n")


def test_a_dead_end_is_told_with_its_reason_until_it_is_undone(session: Program) -> None:
    answer = session("sokoban:#######|#     #|# $@  #|#  .  #|#     #|#######", lines="Cc-Cb; undo; quit")
    told = "it cannot be solved any more: a stone on Cb can reach no goal any more; undo takes a move back"
    assert answer.out.count(told) == 1
    assert answer.out.index(told) > answer.out.index("#1  Cc-Cb")
    assert answer.out.rstrip("> \n").endswith("#4  Cc-Dc")
    assert answer.code == 0


def test_where_no_move_is_left_the_last_one_is_taken_back(session: Program) -> None:
    level = "sokoban:#######|#     #|# $@  #|#  .  #|#     #|#######"
    lines = "Cc-Cb; Cb-Bb; best; hint; line; #1; undo; quit"
    answer = session(level, lines=lines)
    told = answer.out.split("> ")
    assert "no move is left" in told[2]
    assert all(one in answer.out for one in ("'#1' is neither a move nor a command", "#1  Cb-Bb"))
    assert told[-2].rstrip().endswith("#2  Cb-Db")
    assert answer.code == 0
    computed = session(level, "--computer", "first", lines="quit")
    assert computed.code == 0
    assert "the computer plays" in computed.out


def test_players_with_names_of_their_own_are_called_so(session: Program) -> None:
    answer = session("chess:KQK", "8/8/8/8/8/8/2k4Q/K7 b", lines="#1; quit")
    assert "Black is to move" in answer.out
    assert "the first player" not in answer.out


def test_two_players_against_the_computer_and_undo_takes_both_moves(
    session: Program, databases: dict[str, Path]
) -> None:
    answer = session(databases["token"], lines="b; undo; undo; quit")
    assert answer.out.count("the computer plays e") == 1
    assert "there is no move to take back" in answer.out
    assert answer.out.count("value: loss 14") == 3


def test_the_computer_wins_what_is_won(session: Program, databases: dict[str, Path]) -> None:
    answer = session(databases["token"], lines="; ".join(["#1"] * 20))
    assert answer.out.endswith("the second player wins\n")
    answer = session(databases["token"], "--computer", "none", lines="; ".join(["best"] * 14))
    assert answer.out.endswith("the second player wins\n")
    answer = session(databases["token"], "--computer", "first", lines="quit")
    assert answer.out.startswith("the computer plays ")


def test_points_are_added_up(session: Program, databases: dict[str, Path]) -> None:
    answer = session(databases["coins"], "--computer", "none", lines="; ".join(["best"] * 32))
    assert re.search(r"move +gain  value after it, for the other player\n#1  3 from the left +\d+ +-?\d+\n", answer.out)
    assert answer.out.endswith("the first player wins by 6 points\n")


def test_help_hints_lines_and_nonsense(session: Program, databases: dict[str, Path]) -> None:
    answer = session(databases["token"], lines="help; hint; line; zzz; ; quit")
    assert "take back the last move" in answer.out
    assert "hint: b" in answer.out
    assert "14. " in answer.out
    assert "'zzz' is neither a move nor a command" in answer.out


def test_without_a_database_a_search_or_a_proof_advises(session: Program) -> None:
    answer = session(EXAMPLES["patience"], lines="hint; " + "; ".join(["best"] * 6))
    assert answer.out.endswith("solved in 6 moves\n")
    answer = session("tic-tac-toe", "XX./OO./...", "--computer", "none", lines="line; best")
    assert "needs a database" in answer.out
    assert answer.out.endswith("the first player wins\n")


def test_the_end_of_the_input_ends_the_session(session: Program, databases: dict[str, Path]) -> None:
    assert session(databases["eight"], lines="hint").code == 0


def test_depths_from_the_start_are_not_played_by(session: Program, tmp_path: Path) -> None:
    sb.solve("mnk:2,2,2", "depth", to=tmp_path / "depths.db")
    answer = session(tmp_path / "depths.db", lines="hint; a1; quit")
    assert "values of 'depth' do not say which move is best" in answer.out + answer.err
    assert "the computer does not know better: values of 'depth' do not say which move is best" in answer.out
    assert answer.code == 0
