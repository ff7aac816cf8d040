"""Mistakes in a game's file, one at a time: no command ends in a traceback, and each tells the place and what would be right."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from front_program import Program
from searchbench.errors import BadGame, BadState, UnknownGame
from searchbench.solvers.exhaustive import solve_states

COUNT = '''\
from dataclasses import dataclass
import numpy as np
import searchbench as sb
from searchbench import UNDECIDED


@dataclass(frozen=True)
class Count(sb.Game):
    """Count down by one or two."""

    name = "count"
    dtype = np.int8
    n: int = 9

    @property
    def width(self):
        return 1

    @property
    def max_moves(self):
        return 2

    def index(self):
        return sb.index.Radix((self.n + 1,))

    def parts(self):
        return [sb.Part("all", 0, self.n + 1, ("all",))]

    def board(self):
        return sb.Board(((0, 0),))

    def pieces(self, state):
        return [str(state[0])]

    def format(self, state):
        return str(state[0])

    def format_move(self, state, move):
        return str(move)

    def rules(self):
        n = self.n

        def start(state):
            state[0] = n

        def terminal(state):
            return 0 if state[0] == 0 else UNDECIDED

        def moves(state, out):
            count = 0
            for step in (1, 2):
                if state[0] >= step:
                    out[count] = step
                    count += 1
            return count

        def play(state, move):
            state[0] -= move

        def unplay(state, move):
            state[0] += move

        def canonical(state):
            pass

        def legal(state):
            return True

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
                "canonical": canonical, "legal": legal}
'''
PARTS = '[sb.Part("all", 0, self.n + 1, ("all",))]'
MISTAKES: list[tuple[str, str, str]] = [
    ("    def rules(self):", "    def rulez(self):", "supplies no rules()"),
    ("    @property\n    def width(self):\n        return 1\n", "", "supplies no `width`"),
    ("    @property\n    def width", "    def width", "is a method: write @property above it"),
    ("    def width(self):\n        return 1", "    def width(self):\n        return 1.0", "expected a whole number, 1 to"),
    ("        return 2\n", "        return 3_000_000_000\n", "expected a whole number, 0 to 16,777,216"),
    ("dtype = np.int8", "dtype = np.float64", "expected a type of whole numbers"),
    ("dtype = np.int8", "values = 'Distance'", "`values` of the class Count is 'Distance': expected distance (a puzzle)"),
    ("dtype = np.int8", "values = ['outcome']", "`values` of the class Count is ['outcome']: expected distance"),
    ("dtype = np.int8", "dtype = 'whole'", "expected a type of whole numbers"),
    ("self.n + 1", "1_000", "into cell 0: expected whole numbers of the game's dtype, -128 .. 127"),
    ("out[count] = step\n", "out.append(step)\n", "appends to `out`: write out[count] = move"),
    ("            return count\n", "            return -1\n", "returned -1 for the start"),
    ("state[0] = n\n", "return [n]\n", "`start` of the game 'count' returned [9]: expected that it writes into"),
    ("            state[0] -= move", "            return [state[0] - move]", "`play` of the game 'count' returned [8]: expected"),
    ("            pass", "            return state", "`canonical` of the game 'count' returned [9]: expected"),
    ("            return True", "            return state[0] < 9", "says that the start [9] cannot occur"),
    ("            pass", "            state[0] = n - state[0]", "a representative must stand for itself"),
    (PARTS, "[]", "expected a list of searchbench.Part"),
    (PARTS, '[("all", 0, self.n + 1, ("all",))]', "expected a list of searchbench.Part"),
    (PARTS, '[sb.Part("all", 0, self.n + 1, "all")]', "expected a list of searchbench.Part"),
    ("    def board(self):\n        return ", "    def board(self):\n        return 3, ", "expected a searchbench.Board"),
    ("return [str(state[0])]", "return []", "expected a text for each of the 1 cells of board()"),
    ("        return str(state[0])\n", "        pass\n", "expected a text"),
    ("return str(move)", "return move", "returned 1 for move 1 of the start: expected a text"),
    ("n: int = 9", "n: 'Whole' = 9", "name 'Whole' is not defined"),
    ("out[count] = step\n", "out[count] = (step, 0)\n", "`moves` of the game 'count' wrote (1, 0) as a move of the start"),
    ("out[count] = step\n", "out[count] = step / 1\n", "`moves` of the game 'count' wrote 1.0 as a move of the start"),
    ("            return True", "            state[0] > 0", "`legal` of the game 'count' returned None for the start"),
    ("if state[0] == 0 else UNDECIDED", "if state[0] == 0 else None", "`terminal` of the game 'count' returned None"),
    ("Radix((self.n + 1,))", "Radix((self.n + 1.0,))", "bases (10.0,): expected one cell or more"),
    ("n: int = 9", "n: int = 9\n    known = {'longest': 9}", "`known` of the class Count is {'longest': 9}: expected a method"),
    ("n: int = 9", "n: int = 9\n    known = [9]", "line 14: `known` of the class Count is [9]: expected"),
    ("n: int = 9", "n: int = 9\n    data: str = 'x'", "`data` of the class Count is a parameter: choose another name"),
    ("    def index", "    @property\n    def index", "is a property: expected a method, def index(self)"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "message"), MISTAKES, ids=lambda text: None)
def test_a_mistake_is_told_before_a_state_is_solved(
    right: str, wrong: str, message: str, program: Program, tmp_path: Path
) -> None:
    assert COUNT.count(right) >= 1
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace(right, wrong))
    for command in ("solve", "search", "predict", "play"):
        if "1_000" in wrong and command in ("search", "play"):
            continue  # they need no index
        code, _, err = program(command, file)
        assert (code, message in err, str(file) in err) == (30, True, True), (command, err)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("", "supplies no `width`"),
        (
            "    def width(self):\n        return 1\n",
            "`width` of the game 'count' is a method: write @property above it",
        ),
        ("    width = '1'\n", "`width` of the game 'count' is '1': expected a whole number"),
    ],
)
def test_a_wrong_width_is_told_before_the_index_that_is_compared_with_it(
    wrong: str, message: str, program: Program, tmp_path: Path
) -> None:
    """Most games supply no parts(): the default asks the index, which is compared with the width."""
    text = COUNT.replace(f"    def parts(self):\n        return {PARTS}\n", "")
    file = tmp_path / "count.py"
    file.write_text(text.replace("    @property\n    def width(self):\n        return 1\n", wrong))
    for command in ("check", "solve", "search", "play"):
        code, _, err = program(command, file)
        assert (code, message in err) == (30, True), (command, err)


def test_play_tells_of_a_result_that_is_no_number_where_it_comes_up(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("0 if state[0] == 0 else UNDECIDED", "'won' if state[0] == 0 else UNDECIDED"))
    code, _, err = program("play", file, "0")
    assert (code, "`terminal` of the game 'count' returned 'won' for the state [0]: expected" in err) == (30, True), err


def test_a_board_without_pieces_is_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    text = COUNT.replace("((0, 0),)", "((0, 0), (1, 0))")
    file.write_text(text.replace("    def pieces(self, state):\n        return [str(state[0])]\n", ""))
    code, _, err = program("solve", file)
    assert (code, str(file) in err, "a state has 1: supply pieces(state)" in err) == (30, True, True), err


def test_check_tells_where_the_rules_fail_and_which_drawing_is_wrong(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    for right, wrong, message in (
        ("state[0] -= move", "state[0] -= move // (state[0] - 4)", f"{file}, line 59, in play"),
        ("            return count\n", "            return out[:count]\n", "`moves` returned [1, 2]"),
        ("out[count] = step\n", "out.append(step)\n", "`moves` appends to `out`"),
        ("out[count] = step\n", "out[count] = step / 2\n", "`moves` wrote 0.5 as a move: expected a whole number"),
        (
            "state[0] -= move",
            "state[0] = (state[0] - move) / 1",
            "`play` wrote 8.0 into a cell: expected a whole number",
        ),
        (
            "state[0] -= move",
            "return state[0] - move",
            "`play` returned 8 and left the state as it was: expected that it",
        ),
        ("state[0] == 0 else", "[1, 2][state[0]] else", "`terminal` raised IndexError: list index out of range"),
        ("return [str(state[0])]", "return []", "expected a text for each"),
        ("        return str(state[0])\n", "        return list(state)\n", "returned [9]: expected a text of one line"),
        ("return str(move)", "pass", "format_move() of the game 'count' returned None: expected a text"),
        (
            "0 if state[0] == 0 else UNDECIDED",
            "'won' if state[0] == 0 else UNDECIDED",
            "`terminal` returned 'won': expected",
        ),
        (
            "    def format(self, state):",
            "    def parse(self, text):\n        pass\n\n    def format(self, state):",
            "parse() of the game 'count' returned None; ",
        ),
        ('"legal": legal}', '"legal": legal, "h": lambda state, tables: 0.5}', "h is 0.5, expected a whole number"),
        ("state[0] -= move", "state[0] += 200", "does not fit int8 (another one is chosen with dtype = np.int16, say)"),
        ("        return 1\n", "        return 2\n", "as they were: the index has 1 of the 2 cells that `width` says"),
    ):
        file.write_text(COUNT.replace(right, wrong))
        code, out, _ = program("check", file, "--samples", "20")
        assert (code, message in out) == (10, True), out


def test_check_tells_once_what_breaks_many_laws_in_many_states(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("            return count\n", "            return None\n"))
    code, out, _ = program("check", file)
    assert (code, out.count("`moves` returned None: expected")) == (10, 1), out
    assert "  cells-fit, rules-leave-state, max-moves, " in out
    assert out.count("    state: ") == 3


def test_check_tells_once_what_does_not_compile_and_where(program: Program, tmp_path: Path) -> None:
    """An array without elements is one of fractions, and has one dimension, whatever it is meant for."""
    file = tmp_path / "count.py"
    wrong = COUNT.replace("        n = self.n\n", "        n = self.n\n        none = np.array([])\n")
    file.write_text(
        wrong.replace("if state[0] == 0 else", "if state[0] == 0 or (state[0] > 9 and none[0, 0] > 0) else")
    )
    code, out, _ = program("check", file, "--samples", "20")
    assert code == 10
    assert out.count("the rules do not compile: No implementation of function") == 1
    assert '.py", line 49: def terminal(state): return 0 if' in out
    assert "candidate" not in out


def test_a_game_that_cannot_take_moves_back_is_told_what_a_move_must_hold(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace('"unplay": unplay,', ""))
    for command in ("solve", "search", "check"):
        code, out, err = program(command, file)
        assert (code, "the number of a move must hold all that taking it back needs" in out + err) == (
            10 if command == "check" else 30,
            True,
        )


HUGE = "10**21"
HUGES = [
    ({'"legal": legal}': f'"legal": legal, "cost": lambda state, move: {HUGE}}}'}, "costs-positive", "costs 1000"),
    (
        {
            "dtype = np.int8": "values = 'score'",
            '"legal": legal}': f'"legal": legal, "gain": lambda state, move: -{HUGE}}}',
        },
        "gains-whole",
        "gains -1000",
    ),
    ({"dtype = np.int8": "values = 'score'", "return 0 if": f"return {HUGE} if"}, "result", "`terminal` returned 1000"),
]


@pytest.mark.parametrize(("changes", "law", "told"), HUGES)
def test_numbers_that_solvers_cannot_add_up_are_told(
    changes: dict[str, str], law: str, told: str, program: Program, tmp_path: Path
) -> None:
    file, text = tmp_path / "count.py", COUNT
    for right, wrong in changes.items():
        text = text.replace(right, wrong)
    file.write_text(text)
    code, _, err = program("solve", file)
    assert code == 30
    assert f"breaks the law {law}" in err
    assert told in err
    assert "solvers count in 64 bits" in err


def test_check_names_a_list_that_a_rule_changes(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    text = COUNT.replace("        n = self.n\n", "        n = self.n\n        seen = [0]\n")
    file.write_text(
        text.replace("            state[0] -= move", "            seen.append(move)\n            state[0] -= move")
    )
    code, out, _ = program("check", file, "--samples", "20")
    assert code == 10
    assert out.count("the rules do not compile: `seen` is a list, which machine code cannot hold") == 1, out
    assert "count.py (" in out


def test_numbers_without_a_size_are_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    start = COUNT.index("    def index"), COUNT.index("    def board")
    rules = "lambda state: state[0]", "lambda number, state: state.__setitem__(0, number)"
    numbered = COUNT[: start[0]] + COUNT[start[1] :]
    file.write_text(numbered.replace('{"start": start', f'{{"rank": {rules[0]}, "unrank": {rules[1]}, "start": start'))
    for command in ("solve", "search", "check"):
        code, _, err = program(command, file)
        assert (code, "nothing says how many numbers there are: return an index" in err) == (30, True), err


def test_a_puzzle_that_nothing_solves_is_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("return 0 if", "return 1 if"))
    code, _, err = program("solve", file)
    assert (code, "`terminal` returned 1, expected UNDECIDED while" in err) == (30, True)
    file.write_text(COUNT.replace("return 0 if state[0] == 0", "return 0 if state[0] == 99"))
    code, out, _ = program("solve", file)
    assert code == 0
    assert "no state is solved: `terminal` returns 0 for a solved state" in out


def test_a_game_of_two_players_that_says_nothing_of_values_is_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("return 0 if state[0] == 0", "return -1 if state[0] == 0"))
    for command, ends in (("check", 0), ("solve", 0), ("prove", 30)):
        code, out, err = program(command, file)
        assert (code, 'values = "outcome"' in out + err) == (ends, True), (command, out, err)


PARAMETERS = [
    ("n: int = 9\n    more: tuple = (3, 4)", (5, (1, (2,)))), ("n: int = 9\n    more: int | None = None", (5, None)),
    ("n: int = 9\n    more: str = 'a,b'", (5, "x,y=3,z")), ("n: int = 9\n    more: float = 0.5", (5, 0.25)),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "given"), PARAMETERS)
def test_a_database_opens_whatever_the_parameters_are(
    fields: str, given: tuple[int, object], program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("n: int = 9", fields))
    usual = sb.load(f"{file}:Count")
    for name, game in (("usual", usual), ("other", dataclasses.replace(usual, n=given[0], more=given[1]))):  # type: ignore[type-var]
        sb.solve(game, to=tmp_path / name, threads=1)
        assert sb.open_database(tmp_path / name).game == game
        assert program("probe", tmp_path / name, "4").code == 0


def test_parameters_that_no_text_tells_are_refused_in_a_text(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT.replace("n: int = 9", PARAMETERS[0][0]))
    code, _, err = program("solve", f"{file}:Count:9,3")
    assert code == 30
    assert "parameter more is of the type tuple, which no text tells" in err
    file.write_text(COUNT)
    with pytest.raises(UnknownGame, match=f"expected {file}:Count:N"):
        sb.load(f"{file}:Count:1,2")


def test_a_line_through_values_that_contradict_each_other_names_the_checks(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    wrong = COUNT.replace("if state[0] >= step:", "if state[0] >= step and (step == 1 or state[0] < 8):").replace(
        "= 9", "= 8"
    )
    back = '"legal": legal, "unmoves": unmoves'
    wrong = wrong.replace('"legal": legal', back).replace(
        "        def play", "        def unmoves(state, out):\n            out[0], out[1] = 1, 2\n"
        "            return min(2, n - state[0])\n\n        def play"
    )  # fmt: skip
    file.write_text(wrong)
    game = sb.load(str(file))
    solve_states(game, target="interpreted").save(tmp_path / "wrong.db")
    with pytest.raises(BadGame, match="breaks the law unmoves-are-moves"):
        sb.solve(game)
    code, _, err = program("line", tmp_path / "wrong.db")
    assert code == 40
    assert "`searchbench verify` tells where" in err


def test_a_mistake_of_drawing_after_solving_is_told(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    file.write_text(COUNT)
    assert program("solve", file, "--to", tmp_path / "count.db").code == 0
    file.write_text(COUNT.replace("return [str(state[0])]", "return []"))
    for command in ("probe", "line"):
        code, _, err = program(command, tmp_path / "count.db", "--trust")
        assert code == 30
        assert "expected a text for each" in err
    with pytest.raises(BadGame, match="expected a text for each"):
        str(sb.open_database(tmp_path / "count.db", trust=True).game.position())


NO_STATES: list[Any] = [5, 3.5, object(), [1, 2], [], [200], [-1], ["nine"], [None], [10**30], "1 2", b"12"]


@pytest.mark.parametrize("what", NO_STATES, ids=lambda what: str(what).partition(" at ")[0])
def test_what_is_no_state_is_refused_from_python(what: Any, tmp_path: Path) -> None:
    file = tmp_path / "count.py"
    for values in ("distance", "outcome"):
        file.write_text(COUNT.replace("    n: int", f"    values = {values!r}\n    n: int"))
        game = sb.load(f"{file}:Count")
        one: Any = sb.prove if values == "outcome" else sb.search
        with pytest.raises(BadState):
            one(game, what)
        with pytest.raises(BadState):
            sb.solve(game, threads=1).probe(what)
