"""Values taken from other games' databases: the same database as without them, and what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench import cli
from searchbench.errors import BadRequest, DamagedData
from searchbench.games.chess import Chess
from searchbench.rules import NOWHERE
from searchbench.solvers.exhaustive import solve_states

BOARD = ",3x4"


@pytest.fixture(scope="module")
def endings() -> dict[str, sb.Database]:
    return {men: sb.solve(f"chess:{men}{BOARD}") for men in ("KQK", "KRK", "KQKR")}


@pytest.mark.long
@pytest.mark.parametrize("parts", [None, "all"])
def test_the_database_is_the_same(endings: dict[str, sb.Database], parts: str | None, tmp_path: Path) -> None:
    to = tmp_path / "taken.db"
    taken = sb.solve(f"chess:KQKR{BOARD}", to=to, take=[endings["KQK"], endings["KRK"]], parts=parts)
    assert np.array_equal(taken.codes, endings["KQKR"].codes)
    told = taken.facts["taken"] if parts is None else taken.facts["groups"]
    assert {name: one if parts is None else one.get("from", "solved") for name, one in told.items()} == {
        "KK": "chess:KQK,3,4", "KQK": "chess:KQK,3,4", "KKR": "chess:KRK,3,4",
        **({} if parts is None else {"KQKR": "solved"}),
    }  # fmt: skip
    assert not taken.verify().count


@pytest.mark.parametrize("men", ["KRKQ", "KKQR"])
def test_colours_are_exchanged(men: str) -> None:
    """On a board so small that it is interpreted: the same lines as compiled."""
    plain = sb.solve(f"chess:{men},3x3")
    taken = sb.solve(f"chess:{men},3x3", take=[sb.solve(f"chess:{one},3x3") for one in ("KQK", "KRK")])
    assert np.array_equal(taken.codes, plain.codes)


def test_a_pawn_takes_what_it_becomes_and_the_other_colour_turns_the_board() -> None:
    plain = {men: sb.solve(f"chess:{men}{BOARD}") for men in ("KPK", "KKP")}
    pieces = [sb.solve(f"chess:{men}{BOARD}") for men in ("KQK", "KRK", "KBK", "KNK")]
    taken = sb.solve(f"chess:KPK{BOARD}", take=pieces)
    assert taken.facts["taken"].keys() == {"KK", "KQK", "KRK", "KBK", "KNK"}
    assert np.array_equal(taken.codes, plain["KPK"].codes)
    turned = sb.solve(f"chess:KKP{BOARD}", take=[plain["KPK"]])
    assert turned.facts["taken"].keys() == {"KK", "KKQ", "KKR", "KKB", "KKN", "KKP"}
    assert np.array_equal(turned.codes, plain["KKP"].codes)


@pytest.mark.long
def test_parts_that_lie_in_no_database_are_solved(endings: dict[str, sb.Database]) -> None:
    taken = sb.solve(f"chess:KQKR{BOARD}", take=[endings["KRK"]])
    assert taken.facts["taken"].keys() == {"KK", "KKR"}
    assert np.array_equal(taken.codes, endings["KQKR"].codes)


@pytest.mark.long
def test_verification_finds_a_wrong_value_that_was_taken(endings: dict[str, sb.Database]) -> None:
    queen = endings["KQK"]
    codes = queen.codes.copy()
    start = next(part.start for part in queen.parts if part.name == "KQK")
    number = start + int(np.flatnonzero((codes[start:] != queen.illegal) & (codes[start:] > 1))[0])
    codes[number] += 2
    wrong = sb.Database(queen.game, queen.rule, codes)
    assert sb.solve(f"chess:KQKR{BOARD}", take=[wrong, endings["KRK"]]).verify().count


class OneMore(Chess):
    """An ending that forgets to number the rook."""

    name = "one-more"

    def rank_in(self, other: Any) -> Callable[..., int] | None:
        """Return a rule that numbers nothing."""
        number = super().rank_in(other)

        def nothing(state: Any, scratch: Any) -> int:
            return NOWHERE

        return number and nothing


@pytest.mark.parametrize(
    ("game", "take", "right"),
    [
        ("chess:KQKR,3x5", "KQK", "does not turn into chess:KQK,3,4"),
        ("chess:KNK,3x4", "KQKR", "does not turn into"),
        ("tic-tac-toe", "KQK", "does not turn into"),
    ],
)
def test_what_does_not_fit_is_refused(endings: dict[str, sb.Database], game: str, take: str, right: str) -> None:
    with pytest.raises(BadRequest, match=right):
        sb.solve(game, solver="retrograde" if game.startswith("chess") else "fixpoint", take=[endings[take]])


def test_other_values_and_useless_databases_are_refused(endings: dict[str, sb.Database]) -> None:
    with pytest.raises(BadRequest, match="solved for whole values of ending"):
        sb.solve(f"chess:KQKR{BOARD}", "ending", take=[endings["KQK"]])
    with pytest.raises(BadRequest, match=r"no part of .* lies in it with all its positions; the parts are KK, "):
        solve_states(OneMore("KQKR", 3, 4), take=[endings["KRK"]])
    with pytest.raises(BadRequest, match="bfs takes none; retrograde and fixpoint do"):
        sb.solve("sliding:2x3", solver="bfs", take="kqk.db")


def test_from_the_command_line(
    endings: dict[str, sb.Database], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for men in ("KQK", "KRK"):
        endings[men].save(tmp_path / f"{men}.db")
    given = f"{tmp_path / 'KQK.db'},{tmp_path / 'KRK.db'}"
    assert cli.run(["solve", f"chess:KQKR{BOARD}", "--take", given, "--to", str(tmp_path / "both.db")]) == 0
    both = sb.open_database(tmp_path / "both.db")
    assert np.array_equal(both.codes, endings["KQKR"].codes)
    assert "--take" in both.command
    for chunk in (tmp_path / "KRK.db").glob("parts/*/c/*"):
        chunk.write_bytes(chunk.read_bytes()[:-3])
    with pytest.raises(DamagedData):
        sb.solve(f"chess:KQKR{BOARD}", take=given)
    assert cli.run(["solve", f"chess:KQKR{BOARD}", "--take", str(tmp_path / "no.db")]) == 30
    assert "there is no database" in capsys.readouterr().err
