"""Searching many states from the command line: sources, formats, limits, heuristics, and comparing configurations."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import searchbench as sb
from front_program import Program
from searchbench import tried
from searchbench.analyse.compare import Result
from searchbench.drawing import effort_rows
from searchbench.errors import Exhausted, LimitReached, Unsolvable
from searchbench.run import Run
from searchbench.slots import contracts
from searchbench.solvers.guided import METHODS, Attempt, methods_for
from searchbench.solvers.guided.search import settled
from searchbench.testing import nearby
from searchbench.verify.lurd import replay

HARD, NEAR, LOST = "8 0 6 5 4 7 2 3 1", "1 5 0 4 2 8 3 6 7", "0 2 1 3 4 5 6 7 8"
LARGE = "#########|#       #|# $ $ $ #|#   @   #|# $ $ $ #|#       #|#...#...#|#########"
"""A level with too many states for A* to be the default."""


@pytest.fixture
def states(tmp_path: Path) -> Path:
    """Return a file of two 8-puzzles that can be solved in 31 and in 10 moves."""
    path = tmp_path / "states.txt"
    path.write_text(f"# two puzzles\n{HARD}  # the hardest\n\n{NEAR}\n")
    return path


def test_all_states_of_a_file_are_searched_in_order(program: Program, states: Path) -> None:
    found = program("search", "sliding:3x3", "--from", states, "--json").json
    assert [(one["state"], one["cost"], len(one["moves"]), one["error"]) for one in found] == [
        (HARD, 31, 31, None),
        (NEAR, 10, 10, None),
    ]
    text = program("search", "sliding:3x3", "--from", states, "--method", "idastar").out
    assert text.splitlines()[1].startswith(f"{NEAR}   cost 10, ")
    assert "2 of 2 solved, cost 41, " in text


def test_csv(program: Program, states: Path) -> None:
    answer = program("search", "sliding:3x3", "--from", states, "--format", "csv", "--threads", "2")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    assert [(row["state"], row["cost"], row["optimal"]) for row in rows] == [(HARD, "31", "True"), (NEAR, "10", "True")]
    assert len(rows[1]["moves"].split()) == 10


def test_a_solved_state_of_a_file_costs_nothing(program: Program, tmp_path: Path) -> None:
    """It was told without a cost, as if it were not solved, and ended the text with a traceback."""
    (tmp_path / "solved.txt").write_text("0 1 2 3 4 5 6 7 8\n")
    command = ("search", "sliding:3x3", "--from", tmp_path / "solved.txt")
    row = program(*command, "--json").json[0]
    assert (row["cost"], row["optimal"], row["moves"], row["error"]) == (0, True, [], None)
    assert next(csv.DictReader(io.StringIO(program(*command, "--format", "csv").out)))["cost"] == "0"
    first, last = program(*command).out.splitlines()
    assert re.fullmatch(r"0 1 2 3 4 5 6 7 8   cost 0, 1 nodes, \d\.\d{3} s", first)
    assert last.startswith("1 of 1 solved, cost 0, ")


def test_the_search_by_duality_is_of_one_state(program: Program, states: Path) -> None:
    answer = program("search", "hanoi:3", "--from", states, "--method", "dual")
    assert answer.code == 30
    assert "it searches from the start alone" in answer.err


def test_what_is_not_solved_does_not_end_the_others(program: Program, tmp_path: Path) -> None:
    (tmp_path / "mixed.txt").write_text(f"{LOST}\n{NEAR}\n")
    answer = program("search", "sliding:3x3", "--from", tmp_path / "mixed.txt", "--json")
    assert answer.code == 10
    assert [one["cost"] for one in answer.json] == [None, 10]
    assert "cannot be solved" in answer.json[0]["error"]
    (tmp_path / "mixed.txt").write_text(f"{HARD}\n{NEAR}\n")
    limited = ("--method", "idastar", "--nodes", "100", "--json")
    answer = program("search", "sliding:3x3", "--from", tmp_path / "mixed.txt", *limited)
    assert answer.code == 20
    assert [one["cost"] for one in answer.json] == [None, 10]
    assert 21 <= answer.json[0]["bound"] < 31
    assert answer.json[0]["nodes"] >= 100


WRONG = """\
from dataclasses import dataclass
from pathlib import Path

import searchbench as sb


@dataclass(frozen=True)
class Stairs(sb.Game):
    name = "stairs"
    wrong: str = "no"
    width = 1
    max_moves = 2

    def index(self):
        return sb.index.Radix((20,))

    def rules(self):
        def start(state):
            state[0] = 19

        def terminal(state):
            return 0 if state[0] == 0 else sb.UNDECIDED

        def moves(state, out):
            count = 0
            for step in (1, 5):
                if state[0] >= step:
                    out[count] = step
                    count += 1
            return count

        def play(state, move):
            state[0] -= move

        def unplay(state, move):
            state[0] += move

        def cost(state, move):
            return 0 if state[0] == 3 else 1

        def h(state, tables):
            return 3 * state[0]

        more = {"cost": {"cost": cost}, "h": {"h": h}}.get(self.wrong, {})
        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, **more}


class Flights(Stairs):
    @classmethod
    def levels(cls, source):
        return [cls(word) for word in Path(source).read_text().split()]
"""


MISTAKES = [
    ("cost", "breaks the law costs-positive"),
    ("h", "breaks the law admissible"),
    ("h", "`h` is 57 in the state '19'"),
]
"""What is wrong, and what is told of it; the last one is told by the line that is found."""


def only_by_the_line(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a bound that is too high pass before the search, where the line is to tell of it."""
    if told.startswith("`h`"):
        monkeypatch.setattr(nearby, "MOST", 0)
        monkeypatch.setattr(tried, "_mark", lambda *_: None)  # other tests are not to know that it has passed


@pytest.mark.parametrize(("wrong", "told"), MISTAKES)
def test_a_game_with_a_mistake_is_refused_where_many_states_are_searched(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, told: str
) -> None:
    only_by_the_line(told, monkeypatch)
    (tmp_path / "stairs.py").write_text(WRONG)
    (tmp_path / "states.txt").write_text("19\n7\n")
    for game, code in ((f"{tmp_path / 'stairs.py'}:Stairs:no", 0), (f"{tmp_path / 'stairs.py'}:Stairs:{wrong}", 30)):
        for words in (
            ("search", game, "19", "--method", "idastar"),
            ("search", game, "19", "--method", "idastar", "--format", "csv"),
            ("search", game, "--from", tmp_path / "states.txt", "--method", "idastar"),
            ("compare", game, "--from", tmp_path / "states.txt", "--with", "idastar"),
        ):
            answer = program(*words)
            assert answer.code == code, words
            assert (told in answer.err) == (code == 30)


@pytest.mark.parametrize(("wrong", "told"), MISTAKES)
def test_a_game_with_a_mistake_is_refused_where_its_levels_are_searched(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, told: str
) -> None:
    only_by_the_line(told, monkeypatch)
    (tmp_path / "stairs.py").write_text(WRONG)
    game, levels = f"{tmp_path / 'stairs.py'}:Flights:no", tmp_path / "levels.txt"
    for words in (("search", "--method", "idastar"), ("compare", "--with", "idastar")):
        for text, code in (("no no", 0), (f"{wrong} no", 30)):
            levels.write_text(text)
            answer = program(words[0], game, "--from", levels, *words[1:])
            assert answer.code == code, answer.err
            assert (told in answer.err) == (code == 30)


def test_a_bound_that_levels_do_not_have_is_refused_before_any_search(program: Program, tmp_path: Path) -> None:
    (tmp_path / "levels.xsb").write_text("#####\n#@$.#\n#####\n")
    for words in (("search", "--heuristic", "nearest"), ("compare", "--with", "astar h=nearest")):
        answer = program(words[0], "sokoban", "--from", tmp_path / "levels.xsb", *words[1:])
        assert (answer.code, answer.out) == (30, "")
        assert (
            "heuristic 'nearest': there is no database 'nearest', and sokoban:#1 has no bound with a name" in answer.err
        )


def test_bad_states_are_named_before_any_search(program: Program, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(f"{NEAR}\n1 1 2 3 4 5 6 7 8\n")
    answer = program("search", "sliding:3x3", "--from", tmp_path / "bad.txt")
    assert answer.code == 30
    assert "bad.txt, line 2" in answer.err
    assert answer.out == ""
    (tmp_path / "empty.txt").write_text("# nothing\n")
    assert program("search", "sliding:3x3", "--from", tmp_path / "empty.txt").code == 30
    assert program("search", "sliding:3x3", "--from", tmp_path / "none.txt").code == 30
    assert program("search", "sliding:3x3", "--format", "xml").code == 30


def test_pattern_databases_by_their_folders(program: Program, tmp_path: Path, states: Path) -> None:
    for name, tiles in (("a.db", "1-2-4-5"), ("b.db", "3-6-7-8")):
        made = program("solve", f"sliding-pattern:3,3,{tiles}", "--to", tmp_path / name, "--mapped")
        assert made.code == 0
    both = f"{tmp_path}/a.db+{tmp_path}/b.db"
    plain = program("search", "sliding:3x3", HARD, "--method", "idastar", "--json").json
    guided = program("search", "sliding:3x3", HARD, "--method", "idastar", "--heuristic", both, "--json").json
    assert guided["cost"] == plain["cost"] == 31
    assert guided["nodes"] < plain["nodes"]
    answer = program("search", "sliding:3x4", "--heuristic", both)
    assert answer.code == 30
    assert "not sliding:3x4" in answer.err
    assert program("verify", tmp_path / "a.db", "--json").json["faults"] == 0
    assert program("probe", tmp_path / "a.db", "0 1 2 x 4 5 x x x", "--json").json["value"] == 0


@pytest.mark.parametrize(
    ("game", "options", "method"),
    [
        ("sliding:3x3", {}, "astar"),
        ("sliding:3x3", {"step": 2}, "idastar"),
        ("sliding:4x4", {}, "idastar"),
        ("sliding:4x4", {"weight": 1.8}, "astar"),
        ("pancake:12", {}, "idastar"),
        ("rubik", {}, "idastar"),
        ("peg-solitaire", {}, "astar"),
        ("superpuzz", {}, "astar"),
        ("superpuzz", {"step": 2}, "idastar"),
        ("hanoi:12,4", {}, "astar"),
        ("sliding:4x4", {"by": "goodness"}, "bestfirst"),
        ("sokoban:#1", {}, "astar"),
        ("sokoban:#1", {"optimal": True}, "enhanced"),
        (f"sokoban:{LARGE}", {}, "featurespace"),
        (f"sokoban:{LARGE}", {"nodes": 1000, "seed": 3}, "featurespace"),
        (f"sokoban:{LARGE}", {"optimal": True}, "enhanced"),
        (f"sokoban:{LARGE}", {"step": 2}, "idastar"),
    ],
)
def test_without_a_method_the_first_one_that_suits_the_game_and_takes_the_options(
    game: str, options: dict[str, Any], method: str
) -> None:
    loaded = sb.load(game)
    chosen, limits = settled(loaded, None, None, options)
    assert chosen.method == method
    assert chosen == settled(loaded, method, None, options)[0]
    assert limits.nodes == options.get("nodes", 0)
    assert methods_for(loaded)[0] == settled(loaded, None, None, {})[0].method
    assert set(methods_for(loaded)) <= set(METHODS)


LIGHTS = """
from dataclasses import dataclass

import searchbench as sb
from searchbench import UNDECIDED


@dataclass(frozen=True)
class Lights(sb.Game):
    'Press a lamp of a square to switch it and its neighbours, until all are off.'

    name = "lights"
    width = max_moves = 16

    def rules(self):
        def start(state):
            for lamp, lit in enumerate((0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0)):
                state[lamp] = lit

        def terminal(state):
            for lamp in range(16):
                if state[lamp]:
                    return UNDECIDED
            return 0

        def moves(state, out):
            for lamp in range(16):
                out[lamp] = lamp
            return 16

        def play(state, move):
            for row, column in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)):
                if 0 <= move // 4 + row < 4 and 0 <= move % 4 + column < 4:
                    state[move + 4 * row + column] ^= 1

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play}
"""


def test_without_a_bound_states_are_remembered(program: Program, tmp_path: Path) -> None:
    """Of 4,096 states seven moves deep, IDA* would visit each once for each of 5,040 orders of the presses."""
    file = tmp_path / "lights.py"
    file.write_text(LIGHTS)
    found = program("search", file, "--json").json
    assert (found["cost"], found["optimal"]) == (7, True)
    assert found["nodes"] <= 16 * 4096
    game = sb.load(str(file))
    assert methods_for(game)[0] == "astar"
    for options in ({}, {"entries": 9}, {"weight": 2}, {"h": "bound"}):
        assert settled(game, None, None, options)[0].method == "astar"
    for options in ({"table": "1MB"}, {"step": 2}):
        assert settled(game, None, None, options)[0].method == "idastar"


@pytest.mark.parametrize(("game", "state"), [("sliding:3x3", HARD), (f"sokoban:{LARGE}", "start")])
def test_a_search_with_a_folder_for_its_work_is_one_that_can_go_on(
    game: str, state: str, program: Program, tmp_path: Path
) -> None:
    loaded, kept = sb.load(game), Run(work=tmp_path / "work")
    assert settled(loaded, None, None, {}, kept)[0].method == "idastar"
    stopped = program("search", game, state, "--nodes", 100, "--work", tmp_path / "work")
    assert (stopped.code, any((tmp_path / "work").iterdir())) == (20, True), stopped.err


def test_a_level_that_no_search_of_all_states_solves_is_solved_without_a_method(program: Program) -> None:
    found = program("search", f"sokoban:{LARGE}", "--seconds", 60, "--json").json
    told = replay(LARGE, found["solution"])
    assert (told.fault, told.pushes) == ("", found["cost"])
    assert found["optimal"] is False
    proved = program("search", f"sokoban:{LARGE}", "--optimal", "--json").json
    least = proved["cost"]
    assert proved["optimal"] is True
    assert least <= found["cost"]
    assert least == program("search", f"sokoban:{LARGE}", "--method", "astar", "--json").json["cost"]


def test_compare(program: Program, states: Path) -> None:
    configurations = ("idastar", "idastar h=linear-conflict order=bound table=1MB", "astar", "bestfirst weight=1.8")
    words = [word for text in configurations for word in ("--with", text)]
    found = program("compare", "sliding:3x3", "--from", states, *words, "--json").json
    assert [one["configuration"] for one in found] == list(configurations)
    assert [one["solved"] for one in found] == [2] * 4
    assert [one["cost"] for one in found[:3]] == [41] * 3
    assert found[3]["cost"] >= 41
    assert found[1]["nodes"] < found[0]["nodes"]
    assert [len(one["efforts"]) for one in found] == [2] * 4
    table = program("compare", "sliding:3x3", "--from", states, "--with", "idastar").out
    assert "2 of 2" in table
    assert "solved within" in table
    for wrong in (
        "astarr",
        "idastar h",
        "idastar speed=2",
        "bestfirst weight=much",
        "idastar step=two",
        "idastar h=none.db",
        "astar table=1MB",
        "idastar table=banana",
    ):
        answer = program("compare", "sliding:3x3", "--from", states, "--with", "astar", "--with", wrong)
        assert (answer.code, f"configuration '{wrong}': " in answer.err) == (30, True)


def test_configurations_are_compared_on_levels(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "levels.xsb"
    file.write_text(
        "#####\n#@$.#\n#####\n\n#####\n# $.#\n#####\n\n; third\n#######\n#@ $ .#\n#######\n\n#####\n#$@.#\n#####\n"
    )
    words = (
        "compare",
        "sokoban",
        "--from",
        file,
        "--with",
        "astar",
        "--with",
        "idastar",
        "--plot",
        tmp_path / "effort.svg",
    )
    answer = program(*words, "--json")
    found = answer.json
    figures = [[one[name] for name in ("configuration", "solved", "unsolvable", "tried", "cost")] for one in found]
    assert figures == [["astar", 2, 1, 4, 3], ["idastar", 2, 1, 4, 3]]
    assert answer.code == 30, "a level that cannot be read"
    assert all("line 5, column 1: the level has no man" in one["refused"][0] for one in found)
    assert "refused: " in program(*words).out
    assert (tmp_path / "effort.svg").exists()


def test_the_effort_graph_is_drawn(program: Program, states: Path, tmp_path: Path) -> None:
    words = ("compare", "sliding:3x3", "--from", states, "--with", "astar", "--with", "bestfirst weight=1.8")
    assert program(*words, "--plot", tmp_path / "effort.svg").code == 0
    picture = ElementTree.parse(tmp_path / "effort.svg").getroot()
    lines = [one.get("data-label") for one in picture.iter() if one.get("data-label")]
    assert lines == ["astar", "bestfirst weight=1.8"]
    for name, why in (
        ("none/effort.svg", "there is no folder"),
        ("effort.png", "the drawing is SVG: give a name such as"),
    ):
        answer = program(*words, "--plot", tmp_path / name)
        assert (answer.code, answer.out, why in answer.err) == (30, "", True)  # before anything is searched


def test_a_search_that_left_moves_out_finds_nothing_unsolvable() -> None:
    errors = Unsolvable("all was searched"), Exhausted("not all was"), LimitReached("too long")
    attempts = tuple(Attempt((), None, error, None, 1, 0.0) for error in errors)
    assert Result("any", attempts).unsolvable == 1


def test_effort_counts_what_is_solved_within_a_limit() -> None:
    heading, rows = effort_rows({"one": [5, 200, 90], "two": []})
    assert heading == ["solved within", "1", "10", "100", "1,000"]
    assert rows == [["one", "0", "1", "2", "3"], ["two", "0", "0", "0", "0"]]


def test_enhancements_are_options(program: Program) -> None:
    layout = "D2 C1 -- C3 / -- D3 D1 C2"
    least = program("search", "superpuzz:2x4", layout, "--json").json["cost"]
    for words in (
        ("--method", "idastar", "--step", "2", "--entries", "1000"),
        ("--method", "astar", "--without", "dead,cuts,relevance"),
        ("--method", "bestfirst", "--by", "goodness", "--weight", "3"),
        ("--method", "bestfirst", "--use", "figure-2,ace-pruning", "--weight", "1.8"),
    ):
        found = program("search", "superpuzz:2x4", layout, *words, "--json").json
        assert found["cost"] == least or "bestfirst" in words
    assert program("search", "superpuzz:2x4", layout, "--without", "luck").code == 30
    answer = program("search", "superpuzz:2x4", "D2 C1 -- C3 / -- D3 D1 C1")
    assert (answer.code, "C1 lies twice, at W1 and X3" in answer.err) == (30, True)


def test_a_search_is_kept_and_goes_on(program: Program, tmp_path: Path) -> None:
    words = ("search", "sliding:3x3", HARD, "--method", "idastar", "--work", tmp_path / "work", "--json")
    assert program(*words, "--nodes", "1000").code == 20
    assert (tmp_path / "work" / "record.json").exists()
    assert program(*words).json["cost"] == 31
    assert not (tmp_path / "work").exists()
    assert program("search", "sliding:3x3", "--from", tmp_path / "none", "--work", tmp_path / "work").code == 30


def test_steps_with_detours(program: Program, tmp_path: Path) -> None:
    """That no 8-puzzle takes more than 31 moves; and that this is more than the shortest ways through a first step show."""
    command = ("analyse", "subgoals", "sliding:3x3", "6-7-8", "1-2-3-4-5", "--to", tmp_path / "steps")
    found = program(*command, "--at-most", "31", "--work", tmp_path / "work", "--json").json
    assert found["longest"] == 43
    assert list(found) == ["steps", "average", "longest", "line", "proof"]
    assert [(one["step"], one["states"], one["longest"]) for one in found["steps"]] == [
        ("sliding-subgoal:3,3,6-7-8,", 3024, 22), ("sliding-subgoal:3,3,1-2-3-4-5,6-7-8", 360, 21)
    ]  # fmt: skip
    assert (found["proof"]["limit"], found["proof"]["proved"], found["proof"]["open"]) == (31, True, [])
    assert program(*command, "--json").json["proof"] is None
    short = program(*command, "--at-most", "31", "--detour", "0")
    assert short.code == 20
    assert "states may take more than 31 moves with detours" in short.out
    shown = short.out.splitlines()[-1]
    assert sorted(shown.split()) == sorted(["0", "1", "2", "3", "4", "5", "6", "7", "8"])
    for option in ("--detour", "3"), ("--work", tmp_path / "work"):
        alone = program(*command, *option)
        assert (alone.code, "say with --at-most" in alone.err) == (30, True)
    refused = program(*command, "--at-most", "20")
    assert refused.code == 30
    assert "takes up to 21 moves" in refused.err


def test_all_completions_of_a_pattern(program: Program, tmp_path: Path) -> None:
    assert program("solve", "sliding-groups:2x3,1.2-3.4.5", "--to", tmp_path / "like.db").code == 0
    command = ("analyse", "completions", "sliding:2x3", "3 0 5 1 4 2", "--like", tmp_path / "like.db", "--hardest", "1")
    found = program(*command, "--json").json
    distances = sb.solve("sliding:2x3").histogram()
    assert list(found) == ["costs", "open", "bound", "nodes", "seconds", "hardest"]
    assert sum(found["costs"].values()) == 6
    assert all(distances[int(cost)] >= count for cost, count in found["costs"].items())
    assert found["hardest"][0]["cost"] == max(map(int, found["costs"]))
    assert (found["open"], found["bound"]) == (0, None)
    limited = program(*command, "--limit", "0", "--json").json
    assert (limited["costs"], limited["open"]) == ({}, 6)
    assert limited["bound"] > 0


def test_what_is_shown_to_users_has_no_names_of_slots() -> None:
    """Names of slots in messages, options and keys are traces of a renaming that went too far."""
    names = {name for name in contracts() if "_" in name}
    assert "successor_ranks" in names
    folder = Path(sb.__file__).parent
    files = [*(folder / "cli").glob("*.py"), *(folder / "web").rglob("*.py"), *(folder / "web" / "assets").iterdir()]
    assert len(files) > 20
    for file in files:
        for text in re.findall(r'"[^"\n]*"', file.read_text()):
            assert not names & set(re.findall(r"\w+", text)), (file.name, text)


@pytest.mark.parametrize("folder", ["", "work"])
def test_an_interrupt_ends_a_search_on_several_threads(folder: str, tmp_path: Path) -> None:
    program = """
import os, signal, sys
import searchbench as sb
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
interrupted = []
def report(stage, done, total):
    if stage.startswith("bound 6") and not interrupted:
        interrupted.append(stage)
        os.kill(os.getpid(), signal.SIGINT)
hardest = "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"  # 80 moves: many minutes
try:
    sb.search("sliding:4x4", hardest, "idastar", threads=2, progress=report, work=sys.argv[1] or None)
except KeyboardInterrupt:
    print(*interrupted)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / folder) if folder else ""],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (ended.stdout[:7], ended.stderr) == ("bound 6", "")
