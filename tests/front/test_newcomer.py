"""What a new user does wrong with a game in a file of one's own: each mistake is told with its place, and what would be right."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import searchbench as sb
from front_program import Program
from searchbench.errors import (
    BadGame,
    BadRequest,
    BadState,
    BrokenRule,
    DamagedData,
    NoConsent,
    SearchBenchError,
    UnknownGame,
)
from searchbench.solvers.exhaustive import solve_states

WALK = '''\
from dataclasses import dataclass
from typing import ClassVar

from searchbench import UNDECIDED, Game, index


class Own:
    size = 6
    width = 1

    def functions(self, at=0):
        def rank(state):
            return state[at]

        def unrank(number, state):
            state[at] = number

        return rank, unrank


@dataclass(frozen=True)
class Walk(Game):
    """Walk along a line to its end."""

    name: ClassVar[str] = "walk"
    length: int = 6

    @property
    def width(self):
        return 1

    @property
    def max_moves(self):
        return 2

    def index(self):
        return index.Radix((self.length,))

    def rules(self):
        last = self.length - 1

        def start(state):
            state[0] = 0

        def terminal(state):
            return 0 if state[0] == last else UNDECIDED

        def moves(state, out):
            count = 0
            for step in range(2):
                to = state[0] + 2 * step - 1
                if 0 <= to <= last:
                    out[count] = step
                    count += 1
            return count

        def play(state, move):
            state[0] += 2 * move - 1

        def unplay(state, move):
            state[0] -= 2 * move - 1

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}

    def parse(self, text):
        return [int(text)]

    def format(self, state):
        return str(state[0])
'''
RADIX = "index.Radix((self.length,))"
RETURNED = 'return {"start": start,'
TERMINAL = "return 0 if state[0] == last else UNDECIDED"

COST = (RETURNED, f'def cost(state, move):\n            return 3\n\n        {RETURNED} "cost": cost,')

MISTAKES: dict[str, tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...]]] = {
    # name: what is replaced, the command after the file's name, and what the message says beside file, line and game
    "index without at": (((RADIX, "Own()"), ("(self, at=0)", "(self)")), ("check",), ("Own", "functions(self, at=0)")),
    "index without at, in a product": (
        ((RADIX, "index.Product(Own())"), ("(self, at=0)", "(self)")),
        ("solve",),
        ("Own", "functions(self, at=0)"),
    ),
    "functions that return one": (
        ((RADIX, "Own()"), ("return rank, unrank", "return rank")),
        ("check",),
        ("unrank(number, state)",),
    ),
    "no index at all": (((RADIX, "(6,)"),), ("check",), ("index()", "has no `size`", "Radix")),
    "a class for an index": (((RADIX, "index.Radix"),), ("solve",), ("class Radix", "not an instance")),
    "an error in index": (
        ((RADIX, "index.Radix((self.lenght,))"),),
        ("solve",),
        ("in index", "lenght", "expected an index"),
    ),
    "an index of nothing": (((RADIX, "index.Radix((0,))"),), ("solve",), ("in index", "at least 1")),
    "rules that return nothing": (
        ((RETURNED, '_ = {"start": start,'),),
        ("solve",),
        ("rules()", "nothing (None)", "mapping"),
    ),
    "rules that return a list": (
        (
            (RETURNED, "return [start] and {start,"),
            ('start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}', "start}"),
        ),
        ("check",),
        ("rules()", "mapping"),
    ),
    "an error in rules": (
        (("last = self.length - 1", "last = self.length - one"),),
        ("check",),
        ("in rules", "'one'", "mapping"),
    ),
    "a misspelt name": (
        (('"unplay": unplay}', '"unplay": unplay, "unmove": moves}'),),
        ("solve",),
        ("'unmove'", "did you mean 'unmoves'"),
    ),
    "a name from nowhere": (
        (('"unplay": unplay}', '"unplay": unplay, "xyzzy": moves}'),),
        ("solve",),
        ("'xyzzy'", "not in the contract", "moves"),
    ),
    "no function": ((('"unplay": unplay}', '"unplay": 3}'),), ("solve",), ("'unplay'", "unplay(state, move)")),
    "too few parameters": (
        (("def moves(state, out)", "def moves(state)"), ("out[count] = step", "pass")),
        ("solve",),
        ("moves(state)", "moves(state, out)"),
    ),
    "parts return nothing": (
        (("    def rules", "    def parts(self):\n        pass\n\n    def rules"),),
        ("check",),
        ("parts()", "Part("),
    ),
    "parts that are tuples": (
        (("    def rules", "    def parts(self):\n        return [('all', 0, 6)]\n\n    def rules"),),
        ("solve",),
        ("parts()", "('all', 0, 6)", "Part("),
    ),
    "an error in parse": (
        (("[int(text)]", "[number(text)]"),),
        ("search", "3"),
        ("in parse", "NameError", "list of 1 integers"),
    ),
    "parse returns nothing": (
        (("return [int(text)]", "[int(text)]"),),
        ("search", "3"),
        ("parse", "list of 1 integers"),
    ),
    "parse returns texts": ((("[int(text)]", "[text]"),), ("search", "3"), ("parse", "list of 1 integers")),
    "an error in format": (
        (("return str(state[0])", "return self.texts[state[0]]"),),
        ("search", "3"),
        ("in format", "texts"),
    ),
    "format returns nothing": (
        (("return str(state[0])", "str(state[0])"),),
        ("search", "3"),
        ("format()", "expected a text"),
    ),
    "name without ClassVar": (
        (("name: ClassVar[str] = ", "name: str = "),),
        ("check",),
        ("`name`", "ClassVar[str] = 'walk'"),
    ),
    "not frozen": ((("@dataclass(frozen=True)", "@dataclass"),), ("solve",), ("frozen=True",)),
    "no property": ((("    @property\n    def width", "    def width"),), ("solve",), ("`width`", "@property")),
    "no width": ((("def width(self)", "def wide(self)"),), ("solve",), ("supplies no `width`",)),
    "a bool where it is solved": (
        ((TERMINAL, "return state[0] == last"),),
        ("solve",),
        ("`terminal`", "False", "UNDECIDED"),
    ),
    "terminal returns nothing": (((TERMINAL, "_ = last"),), ("solve",), ("`terminal`", "None", "UNDECIDED")),
    "moves returns nothing": ((("            return count\n", ""),), ("solve",), ("`moves`", "None", "how many moves")),
    "an error in start": ((("state[0] = 0", "state[1] = 0"),), ("solve",), ("in start", "IndexError")),
    "a terminal that returns nothing later": (
        ((TERMINAL, "if state[0] < last:\n                return UNDECIDED"),),
        ("solve",),
        ("`terminal`", "without a return", "None"),
    ),
    "an index of more cells than a state": (
        ((RADIX, "index.Radix((self.length, 2))"),),
        ("solve",),
        ("index()", "numbers 2 cells", "a state has 1"),
    ),
    "an index without the start": (
        ((RADIX, "index.Radix((self.length,))"), ("state[0] = 0", "state[0] = 7")),
        ("solve",),
        ("starts with [7]", "does not number", "index()"),
    ),
    "an index with another start": (
        ((RADIX, "Own()"), ("return state[at]", "return state[at] + 1")),
        ("solve",),
        ("starts with [0]", "number 1 is that of [1]"),
    ),
    "a start of fractions": (
        (("state[0] = 0", "state[0] = 0 / 1"),),
        ("solve",),
        ("`start`", "0.0", "cell 0", "dtype"),
    ),
    "a start beyond the dtype": ((("state[0] = 0", "state[0] = 200"),), ("search",), ("`start`", "200", "-128 .. 127")),
    "a start of fractions, by what is reached": (
        (("state[0] = 0", "state[0] = 0 / 1"),),
        ("solve", "--index", "reached"),
        ("`start`", "0.0"),
    ),
    "a list of moves, by what is reached": (
        (("            return count\n", "            return out[:count]\n"),),
        ("solve", "--index", "reached"),
        ("`moves`", "how many moves"),
    ),
    "a cost of fractions": ((COST, ("return 3", "return 1.5")), ("solve",), ("`cost`", "1.5", "whole number")),
    "a negative cost": ((COST, ("return 3", "return -3")), ("solve",), ("`cost`", "-3", "positive")),
    "a state that terminal changes": (
        ((TERMINAL, f"state[0] += 1\n            {TERMINAL}"),),
        ("solve",),
        ("`terminal`", "changes the start [0] to [1]"),
    ),
    "an unplay that does not undo": (
        (("state[0] -= 2 * move - 1", "state[0] -= 1 + move"),),
        ("solve",),
        ("`unplay`", "expected the start again"),
    ),
    "data that is a list": (
        (("    def rules", "    def data(self):\n        return [1, 2]\n\n    def rules"),),
        ("check",),
        ("data()", "list", "named tuple"),
    ),
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that writes a file of one's own with some replacements, in the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(*replacements: tuple[str, str], name: str = "mine.py") -> Path:
        text = WALK
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        Path(name).write_text(text)
        return Path(name)

    return write


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_the_way_out(
    mistake: str, program: Program, written: Callable[..., Path]
) -> None:
    replacements, (command, *rest), words = MISTAKES[mistake]
    name = f"{re.sub(r'[^a-z]', '_', mistake)}.py"
    answer = program(command, written(*replacements, name=name), *rest)
    assert (answer.code, answer.out) == (30, ""), answer
    assert answer.err.count("\n") == 1
    assert re.search(rf"{name}, line \d+", answer.err), answer.err
    assert "walk" in answer.err.lower() or "class Own" in answer.err or "index Own" in answer.err
    for word in words:
        assert word in answer.err, answer.err


def test_a_negative_cost_beyond_the_start_is_refused(written: Callable[..., Path]) -> None:
    path = written(COST, ("return 3", "return 1 if state[0] == 0 else -1"))
    with pytest.raises(BrokenRule, match="negative cost"):
        solve_states(sb.load(str(path)), solver="fixpoint", target="interpreted")


def test_the_law_of_costs_finds_a_fraction(program: Program, written: Callable[..., Path]) -> None:
    path = written(COST, ("return 3", "return 1 if state[0] < 4 else 1.5"))
    answer = program("check", path)
    assert answer.code == 10
    assert "costs-positive: move" in answer.out
    assert "costs 1.5, expected a whole number, at least 1" in answer.out
    assert "state: 4" in answer.out


def test_the_line_is_the_user_s_own(program: Program, written: Callable[..., Path]) -> None:
    answer = program("solve", written((RADIX, "index.Radix((self.lenght,))")))
    line = WALK[: WALK.index(RADIX)].count("\n") + 1
    assert f"mine.py, line {line}, in index" in answer.err


def test_python_gets_the_same_errors(written: Callable[..., Path]) -> None:
    with pytest.raises(BadGame, match="nothing"):
        sb.solve(str(written((RETURNED, '_ = {"start": start,'))))
    with pytest.raises(BadGame, match="did you mean 'terminal'"):
        sb.check(str(written(('"terminal": terminal', '"terminl": terminal'))))


@pytest.mark.parametrize(("text", "words"), [
    ("20", ["'20' is a state which the index does not number", "does not number", "written '0'"]),
    ("x", ["'x'", "written '0'"]),
    ("200", ["[200]", "-128 .. 127"]),
])  # fmt: skip
def test_what_is_no_state_is_told_with_what_differs(
    text: str, words: list[str], program: Program, written: Callable[..., Path]
) -> None:
    answer = program("search", written(), text)
    assert answer.code == 30
    assert all(word in answer.err for word in words), answer.err


def test_a_state_of_another_number_is_told(written: Callable[..., Path]) -> None:
    game = sb.load(str(written((RADIX, "Own()"), ("return state[at]", "return state[at] // 2"))))
    with pytest.raises(BadState, match="'3' is a state whose number 1 is that of '1'"):
        game.read("3")


# --- laws ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("returned", ["state[0] == last", "1 if state[0] == last else UNDECIDED", "None", "0.0"])
def test_a_law_catches_what_terminal_must_not_return(
    returned: str, program: Program, written: Callable[..., Path]
) -> None:
    answer = program("check", written((TERMINAL, f"return {returned}")))
    assert answer.code == 10
    assert "  result: `terminal` returned" in answer.out
    assert "0 when it is" in answer.out
    assert ('a game of two players says values = "outcome"' in answer.out) == returned.startswith("1 if")


@pytest.mark.parametrize("seed", range(5))
def test_a_law_catches_a_terminal_state_without_a_number_where_the_game_is_closed(
    seed: int, written: Callable[..., Path]
) -> None:
    length = random.Random(seed).randrange(3, 2500)
    shorter = (RADIX, "index.Radix((self.length - 1,))")  # the last cell, which is terminal, has no number
    small = (
        ("state[0] = 0", "state[0] = last - 1"),
        ("name: ClassVar", 'dtype: ClassVar[type] = "int32"\n    name: ClassVar'),
    )
    game = sb.load(f"{written(shorter, *small)}:Walk:{length}")
    (broken, *_) = [one for one in sb.check(game, samples=40).broken if one.law == "closed"]
    assert "claims to be closed" in broken.message
    with pytest.raises(BadState, match="does not number"):
        game.read(str(length - 1))
    open_game = ("length: int", "closed: ClassVar[bool] = False\n    length: int")
    game = sb.load(f"{written(shorter, *small, open_game)}:Walk:{length}")
    assert not [one for one in sb.check(game, samples=40).broken if one.law == "closed"]
    assert game.read(str(length - 1)) == [length - 1]


def test_a_rare_move_is_seen(program: Program, written: Callable[..., Path]) -> None:
    """One of 20,000 states has a move that `unplay` does not undo: no sample of some hundred would meet it."""
    changes = (
        ("length: int = 6", "length: int = 20000"),
        ("name: ClassVar", 'dtype: ClassVar[type] = "int32"\n    name: ClassVar'),
        ("state[0] += 2 * move - 1", "state[0] += 2 * move - 1 if state[0] != 12345 else 0"),
    )
    path = written(*changes)
    assert program("check", path, "--samples", "100").code == 0
    answer = program("check", path)
    assert answer.code == 10
    assert "unplay-undoes-play" in answer.out
    assert "state: 12345" in answer.out
    assert "of 20,000" in answer.out or "all 20,000" in answer.out


def test_check_says_how_much_it_looked_at(program: Program, written: Callable[..., Path]) -> None:
    assert "6 states, all 6 numbers of the index; " in program("check", written()).out
    path = written(
        ("length: int = 6", "length: int = 9000"),
        ("name: ClassVar", 'dtype: ClassVar[type] = "int32"\n    name: ClassVar'),
    )
    answers = [program("check", path, "--samples", "300", "--seed", seed, "--json").json for seed in (1, 1, 2)]
    assert answers[0] == answers[1]
    assert all(answer["size"] == 9000 and 300 <= answer["states"] <= 600 for answer in answers)
    assert program("check", path, "--samples", "0").code == 30


@pytest.mark.parametrize("seed", range(6))
def test_the_sweep_finds_each_planted_fault_and_nothing_else(seed: int, written: Callable[..., Path]) -> None:
    from searchbench.testing.subject import Subject
    from searchbench.testing.sweep import sweep

    chance = random.Random(seed)
    odd = chance.randrange(1, 998)
    faults = [
        ("state[0] += 2 * move - 1", f"state[0] += (2 * move - 1) * (1 if state[0] != {odd} else 2)"),
        ("out[count] = step", f"out[count] = step if state[0] != {odd} else 1"),
        ("return state[at]", f"return state[at] + (state[at] == {odd})"),
        ("return count\n", f"if state[0] == {odd}:\n                state[0] += 1\n            return count\n"),
        ("return count\n", f"return count + (state[0] == {odd})\n"),
    ]
    base = [("length: int = 6", "length: int = 1000"), ("size = 6", "size = 1000"), (RADIX, "Own()"),
            ("name: ClassVar", 'dtype: ClassVar[type] = "int32"\n    name: ClassVar')]  # fmt: skip
    right = Subject(sb.load(str(written(*base))), 10, 0)
    assert sweep(right, 60, seed, "interpreted") == (1000, [])
    for fault in faults:
        subject = Subject(sb.load(str(written(*base, fault))), 10, 0)
        _, found = sweep(subject, 60, seed, "interpreted")
        assert found, fault
        assert set(found) <= {odd - 1, odd, odd + 1}, fault


# --- databases whose game lies in a file ----------------------------------------------------------------------------------


def solved(path: Path, to: Path) -> None:
    """Solve a game without a compiler, and keep it."""
    solve_states(sb.load(str(path)), target="interpreted").save(to)


def test_a_database_opens_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program, written: Callable[..., Path]
) -> None:
    (tmp_path / "made" / "deep").mkdir(parents=True)
    solved(written(name="made/mine.py"), tmp_path / "made" / "deep" / "x.db")
    (tmp_path / "elsewhere").mkdir()
    for folder in (tmp_path, tmp_path / "elsewhere", tmp_path / "made" / "deep"):
        monkeypatch.chdir(folder)
        assert program("stats", tmp_path / "made" / "deep" / "x.db").code == 0
        assert sb.open_database(tmp_path / "made" / "deep" / "x.db").probe("0") == 5
    shutil.move(tmp_path / "made", tmp_path / "moved")  # game and database together
    moved, file = tmp_path / "moved" / "deep" / "x.db", tmp_path / "moved" / "mine.py"
    answer = program("stats", moved)
    assert answer.code == 30
    assert f"{file}, and opening it runs that file, which you have not run before" in answer.err
    assert sb.open_database(moved, trust=True).probe("0") == 5
    assert program("stats", moved, "--game", file).code == 0


def test_a_database_whose_game_has_moved_opens_with_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program, written: Callable[..., Path]
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    path = written(("length: int = 6", "length: int = 4"), name="a/mine.py")
    solve_states(sb.load(f"{path}:Walk:7"), target="interpreted").save("a/x.db")
    shutil.move("a/mine.py", "b/other.py")
    answer = program("stats", "a/x.db")
    assert answer.code == 30
    for word in ("a/x.db", "'walk'", str(tmp_path / "a" / "mine.py"), str(tmp_path), "--game", "game="):
        assert word in answer.err
    with pytest.raises(UnknownGame, match="--game"):
        sb.open_database("a/x.db")
    for name in ("b/other.py", "b/other.py:Walk", "b/other.py:Walk:7"):
        assert sb.open_database("a/x.db", game=name).probe("0") == 6
        for command in ("stats", "probe", "line", "find"):
            assert program(command, "a/x.db", "--game", name).code == 0, command
    assert sb.open_database("a/x.db", sb.load("b/other.py:Walk:7")).probe("0") == 6
    assert sb.open_database("a/x.db", ["pancake:4", "b/other.py"]).probe("0") == 6
    with pytest.raises(BadRequest, match=r"is of .*Walk:7, not of .*Walk:5"):
        sb.open_database("a/x.db", "b/other.py:Walk:5")
    text = Path("b/other.py").read_text()
    Path("b/grown.py").write_text(text.replace("    length: int", "    step: int = 1\n    length: int", 1))
    with pytest.raises(DamagedData, match=r"is of walk\(length=7\), not of walk\(step=1, length=7\)"):
        sb.open_database("a/x.db", "b/grown.py:Walk:1,7")  # not another game, but rules that have changed
    shutil.copy("b/other.py", "mine.py")  # where the current folder has what the database names
    (tmp_path / "c").mkdir()
    shutil.move("mine.py", "c/mine.py")
    (tmp_path / "c" / "a").mkdir()
    shutil.move("c/mine.py", "c/a/mine.py")
    monkeypatch.chdir(tmp_path / "c")
    with pytest.raises(NoConsent, match="have not run before"):
        sb.open_database("../a/x.db")
    assert sb.open_database("../a/x.db", trust=True).probe("0") == 6


def test_every_command_that_opens_a_database_takes_game(program: Program) -> None:
    for command in ("verify", "repair", "stats", "find", "probe", "line", "convert", "play", "prove", "serve",
                    "search", "compare", "analyse tree", "analyse mistakes", "analyse completions"):  # fmt: skip
        assert "--game" in program(*command.split(), "--help").out, command


# --- messages -------------------------------------------------------------------------------------------------------------


def test_a_database_that_is_there_is_kept_and_the_way_out_is_named(
    tmp_path: Path, program: Program, written: Callable[..., Path]
) -> None:
    path = written()
    solved(path, tmp_path / "x.db")
    answer = program("solve", path, "--to", "x.db")
    assert answer.code == 30
    assert "--force" in answer.err
    assert "overwrite=True" in answer.err


def test_the_program_tells_its_versions(program: Program) -> None:
    answer = program("--version")
    assert answer.code == 0
    assert answer.out.startswith(f"searchbench {sb.__version__}, Python ")
    assert f"numpy {numpy.__version__}" in answer.out
    assert re.search(r"numba \d+\.\d+", answer.out)


def test_an_error_that_no_user_s_file_raised_is_not_hidden(monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    def broken(*_arguments: Any, **_options: Any) -> None:
        raise ZeroDivisionError("a defect of searchbench")

    monkeypatch.setattr(sb, "check", broken)
    with pytest.raises(ZeroDivisionError):
        program("check", "pancake:4")
    assert not issubclass(ZeroDivisionError, SearchBenchError)
