"""What goes wrong: one clear message on stderr, no traceback, the documented exit code, and nothing lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from front_program import EXAMPLES, Program
from searchbench.errors import UnknownGame
from searchbench.store.working import WorkingFolder


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "slidign:3x3"], ["slidign", "sliding"]),
        (["solve", "hanoi:3", "--to", ""], ["'.' names no folder for the database"]),
        (["predict", "gomoku"], ["numbers no states at this size", "`reached`"]),
        (["solve", "sliding:3xq"], ["3xq", "a whole number"]),
        (["solve", "hanoi:3,4,5"], ["too many"]),
        (["solve", "sliding:0x3"], ["0 x 3"]),
        (["solve", "nowhere.py:Game"], ["nowhere.py"]),
        (["solve", f"{EXAMPLES['token']}:Tokn"], ["Tokn", "Token"]),
        (["solve", "sliding:5x5"], ["no index"]),
        (["solve", "sliding:3x3", "--solver", "retro"], ["retro", "retrograde"]),
        (["solve", "sliding:3x3", "--rule", "distanz"], ["distanz", "distance"]),
        (["solve", "sliding:3x3", "--memory", "much"], ["much", "512MB"]),
        (["search", "sliding:3x3", "1 2 3"], ["1 2 3"]),
        (["search", "sliding:3x3", "0 1 2 3 4 5 6 7 7"], ["each of 0 .. 8 once"]),
        (["search", "sliding:3x3", "zero"], ["zero"]),
        (["search", "tic-tac-toe"], ["two players"]),
        (["search", "pancake:5", "--method", "dual"], ["pancake:5", "`reversal`"]),
        (["search", "hanoi:3", "1 1 1", "--method", "dual"], ["from the start"]),
        (["search", "hanoi:3", "--method", "dual", "--nodes", "9"], ["nodes", "no such option"]),
        (["prove", "sliding:3x3"], ["prove"]),
        (["prove", "tic-tac-toe", "XXXXXXXXX"], ["XXXXXXXXX"]),
        (["stats", "nowhere.db"], ["nowhere.db"]),
        (["verify", "nowhere.db"], ["nowhere.db"]),
        (["play", "nowhere"], ["nowhere"]),
        (["reproduce", "Z9"], ["Z9", "G1"]),
        (["games", "nothing"], ["nothing"]),
        (["games", "hanoi:discs=3,discs=4", "--matrix"], ["discs is given twice"]),
        (["solve", "sliding:2x2", "--threads", "100000"], ["at most 1,024", "cores"]),
        (["solve", "sliding:2x2", "--to", "x.db", "--codec", "none:3"], ["none has no levels"]),
        (["solve", "sliding:2x2", "--parts", "some"], ["no part 'some'; the parts are all\n"]),
        (
            ["search", "sliding:2x2", "--method", "idastar", "--step", f"{10**30}"],
            ["step", "at most 1,099,511,627,776"],
        ),
        (
            ["search", "sliding:2x2", "--method", "idastar", "--restarts", "9", "--seed", f"{10**30}"],
            ["seed", "at most"],
        ),
        (["search", "sliding:2x2", "--method", "astar", "--weight", "1e300"], ["weight", "0 to 1,000"]),
        (["prove", "tic-tac-toe", "--second", "--cached", f"{10**30}"], ["cached", "at most"]),
        (["prove", "tic-tac-toe", "--method", "graph", "--forced", f"{10**30}"], ["forced", "at most"]),
        (["prove", "tic-tac-toe", "--method", "dfpn", "--epsilon", "1e300"], ["epsilon", "0 to 1,000,000"]),
    ],
)
def test_wrong_input_exits_30_with_one_message(program: Program, arguments: list[str], words: list[str]) -> None:
    answer = program(*arguments)
    assert answer.code == 30
    assert answer.out == ""
    assert answer.err.startswith("searchbench: ")
    assert answer.err.count("\n") == 1
    for word in words:
        assert word in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["solf"],
        ["solve"],
        ["solve", "sliding:2x2", "--threads", "0"],
        ["stats", "--jsn"],
        ["export", "x.db", "--to", "x.parquet", "--sample", "2", "--seed", "-1"],
        ["check", "sliding:2x2", "--seed", "-1"],
    ],
)
def test_wrong_usage_exits_30(program: Program, arguments: list[str]) -> None:
    answer = program(*arguments)
    assert answer.code == 30
    assert "Usage:" in answer.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--value", "many"], ["many"]),
        (["--value", "1", "--hardest"], ["not both"]),
        (["--value", "win 5-3"], ["5-3", "such as 3-5"]),
        (["--numbers", "5-999999"], ["143"]),
        (["--numbers", "5-3"], ["5-3", "143"]),
        (["--numbers", "a-b"], ["a-b"]),
        (["--where", "state["], ["state["]),
        (["--where", "cells == 1"], ["cells"]),
        (["--predicate", "mine.py"], ["mine.py"]),
        (["--predicate", f"{EXAMPLES['token']}:nothing"], ["nothing"]),
    ],
)
def test_find_refuses_what_it_cannot_read(
    program: Program, databases: dict[str, Path], options: list[str], words: list[str]
) -> None:
    answer = program("find", databases["token"], *options)
    assert answer.code == 30
    assert all(word in answer.err for word in words)


def test_what_can_still_be_solved_is_not_counted_where_depths_do_not_tell(
    program: Program, databases: dict[str, Path]
) -> None:
    answer = program("stats", databases["eight"], "--solvable")
    assert (answer.code, answer.out) == (30, "")
    assert "supplies no `reversal`" in answer.err


def test_a_state_that_is_none_is_refused(program: Program, databases: dict[str, Path]) -> None:
    for state in ("a", "a z", "a b c", ""):
        answer = program("probe", databases["token"], state)
        assert answer.code == 30, state
        assert answer.err.startswith("searchbench: ")


def test_too_little_memory_is_refused_with_the_figure_before_anything_starts(program: Program, tmp_path: Path) -> None:
    answer = program("solve", "sliding:3x4", "--memory", "1MB", "--to", tmp_path / "big.db")
    assert answer.code == 20
    assert "479,001,600 states" in answer.err
    assert "1.0 MB" in answer.err
    assert not (tmp_path / "big.db").exists()


def test_a_limit_of_nodes_exits_20(program: Program) -> None:
    answer = program("search", "sliding:4x4", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "--nodes", "1000")
    assert answer.code == 20
    assert "1,0" in answer.err
    assert program("prove", "tic-tac-toe", "--nodes", "10").code == 20


def test_damaged_databases_exit_40_and_are_left_alone(
    program: Program, databases: dict[str, Path], tmp_path: Path
) -> None:
    largest = max(
        (path for path in databases["token"].rglob("c/*") if path.is_file()), key=lambda path: path.stat().st_size
    )
    place = largest.relative_to(databases["token"])

    def truncated(folder: Path) -> None:
        (folder / place).write_bytes((folder / place).read_bytes()[:-3])

    def flipped(folder: Path) -> None:
        content = bytearray((folder / place).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / place).write_bytes(content)

    def removed(folder: Path) -> None:
        (folder / place).unlink()

    def other_version(folder: Path) -> None:
        document = json.loads((folder / "zarr.json").read_text())
        document["attributes"]["searchbench"]["format"] = 99
        (folder / "zarr.json").write_text(json.dumps(document))

    def no_header(folder: Path) -> None:
        (folder / "zarr.json").write_text("{")

    for damage in (truncated, flipped, removed, other_version, no_header):
        folder = tmp_path / f"{damage.__name__}.db"
        shutil.copytree(databases["token"], folder)
        damage(folder)
        before = files_of(folder)
        for command in ("verify", "probe"):
            answer = program(command, folder)
            assert answer.code == 40, (damage.__name__, command, answer)
            assert str(folder) in answer.err
            assert answer.err.count("\n") == 1
        assert files_of(folder) == before


def test_a_folder_that_is_no_database_is_neither_read_nor_replaced(program: Program, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("dear")
    assert program("stats", tmp_path / "letters").code == 40
    for options in ([], ["--force"]):
        assert program("solve", "sliding:2x2", "--to", tmp_path / "letters", *options).code == 30
    assert files_of(tmp_path / "letters") == {"one.txt": b"dear"}


def test_a_database_of_rules_that_have_changed_is_refused(program: Program, tmp_path: Path) -> None:
    game = tmp_path / "coins.py"
    text = Path(EXAMPLES["coins"]).read_text()
    game.write_text(text)
    assert program("solve", game, "--to", tmp_path / "coins.db").code == 0
    game.write_text(text.replace("min(most, state[heap])", "min(most - 1, state[heap])"))
    answer = program("stats", tmp_path / "coins.db")
    assert answer.code == 30
    assert "which you have not run before as it is now" in " ".join(answer.err.split())
    answer = program("stats", tmp_path / "coins.db", "--trust")
    assert answer.code == 40
    assert "coins.db" in answer.err


def test_rules_that_cannot_be_run_are_reported(program: Program, tmp_path: Path) -> None:
    text = Path(EXAMPLES["coins"]).read_text()
    cases = {
        "syntax.py": text.replace("def rules", "deff rules"),
        "missing.py": text.replace('"play": play, ', "").replace('"play": play,\n', ""),
        "compile.py": text.replace(
            "state[move % 2] -= move // 2", "state[move % 2] -= __import__('builtins').int(move // 2)"
        ),
    }
    for name, changed in cases.items():
        assert changed != text, name
        (tmp_path / name).write_text(changed)
        # Few states would be solved interpreted, as Python runs what cannot be compiled.
        answer = program("solve", f"{tmp_path / name}:Coins:{'1' * 100},{'2' * 100}")
        assert answer.code == 30, (name, answer)
        assert answer.err.startswith("searchbench: "), name
        assert "Traceback" not in answer.err


def test_exit_codes_of_the_real_program(databases: dict[str, Path]) -> None:
    def code(*arguments: object) -> tuple[int, str]:
        ended = subprocess.run(
            [sys.executable, "-c", "from searchbench.cli import main; main()", *map(str, arguments)],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "Traceback" not in ended.stderr
        return ended.returncode, ended.stderr

    assert code("stats", databases["token"]) == (0, "")
    assert code("line", databases["patience"], "C1 C2 C3 D1 D2 D3 -- --")[0] == 10
    assert code("solve", "nothing")[0] == 30
    assert code("solve")[0] == 30
    assert code("stats", Path(__file__).parent)[0] == 40


def test_an_interrupt_exits_130_and_leaves_nothing_behind(program: Program, tmp_path: Path) -> None:
    text = Path(EXAMPLES["coins"]).read_text()
    (tmp_path / "coins.py").write_text(text.replace("        most = self.most\n", "        raise KeyboardInterrupt\n"))
    answer = program("solve", tmp_path / "coins.py", "--to", tmp_path / "coins.db")
    assert answer == (130, "", "searchbench: interrupted\n")
    assert not (tmp_path / "coins.db").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_an_interrupt_tells_what_is_kept(
    keep: bool, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, parts = WorkingFolder.commit, []
    monkeypatch.setattr(WorkingFolder, "due", True)

    def commit_and_stop(folder: WorkingFolder, *arguments: Any) -> None:
        commit(folder, *arguments)
        parts.append(folder.path.name)
        if len(set(parts)) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(WorkingFolder, "commit", commit_and_stop)
    database = tmp_path / "awari.db"
    to = ("--to", database) if keep else ()
    answer = program("solve", "awari:4,last", "--parts", "all", "--threads", "1", *to)
    kept = f"unfinished work is kept in {database}.work/3; 3 of 5 parts are kept in {database}"
    told = f"; {kept}; the same command goes on"
    assert answer == (130, "", f"searchbench: interrupted{told if keep else ''}\n")
    monkeypatch.setattr(WorkingFolder, "commit", commit)
    if keep:
        assert program("solve", "awari:4,last", "--parts", "all", "--threads", "1", *to).code == 0


def test_a_state_without_numbers_is_told_what_one_looks_like(program: Program, databases: dict[str, Path]) -> None:
    answer = program("probe", databases["eight"], "a b c")
    assert answer.code == 30
    assert "expected numbers with spaces between them, as in '0 1 2 3 4 5 6 7 8'" in answer.err


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("sokoban:#99", "sokoban: '#99': there are levels 1 to 10 in the file that comes with the game;"),
        ("sokoban:nowhere.xsb#1", "sokoban: nowhere.xsb: it cannot be read:"),
        ("sokoban:#####|#@$#|#####", "the level, line 1, row 2, column 3: the level has 1 stones and 0 goals"),
    ],
)
def test_what_a_game_refuses_itself_is_told_in_its_own_words(program: Program, game: str, message: str) -> None:
    """Where in the game's code that was is of no use to anybody."""
    answer = program("search", game)
    assert answer.code == 30
    assert answer.err.startswith(f"searchbench: {message}")


def test_a_file_that_ends_the_program_when_it_is_imported_is_named(program: Program, tmp_path: Path) -> None:
    (tmp_path / "leaves.py").write_text("import sys\n\nsys.exit(3)\n")
    answer = program("check", tmp_path / "leaves.py")
    assert answer.code == 30
    assert "leaves.py, line 3: the file cannot be imported: SystemExit: 3" in answer.err


@pytest.mark.parametrize("what", [5, None, 1.5])
def test_what_is_no_game_is_refused(what: Any) -> None:
    for verb in (sb.load, sb.solve, sb.check):
        with pytest.raises(UnknownGame, match="is no game: expected one, or a text such as 'sliding:3x3'"):
            verb(what)
