"""Kernels are compiled once, kept between processes, and never stale: tried in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import MissingRule
from searchbench.jit import binding
from searchbench.jit.backends.cpu.compiling import callers_first
from searchbench.rules import moves, unmoves
from searchbench.solvers.exhaustive.neighbours import degree, predecessors, successors
from searchbench.solvers.proof import facts

ROOT = Path(__file__).parents[1]

GAME = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import arithmetic
import left  # which imports right, which imports left
import right
from arithmetic import halve
from deep import inner
import deep.inner as alias
import deep.outer
from searchbench import UNDECIDED, Game, index
from numbers_of_mine import Kind

FACTOR = 10
TABLE = np.array([1, 2, 3])

@dataclass(frozen=True)
class Tower(Game):
    """One number that a move changes."""
    name: ClassVar[str] = "tower"
    dtype: ClassVar = np.int64
    height: int = 4
    width = 1
    max_moves = 1

    def index(self):
        return index.Radix((self.height + 1,))

    def rules(self):
        height = self.height

        def start(state):
            state[0] = height

        def terminal(state):
            return 0 if state[0] == 0 else UNDECIDED

        def moves(state, out):
            out[0] = 1
            return 1 if state[0] > 0 else 0

        def play(state, move):
            # one step down
            state[0] -= move

        def unplay(state, move):
            state[0] += move

        def key(state):
            own = left.even() + right.odd() + halve(FACTOR) + arithmetic.add(height, TABLE[1])
            return own + 1000 * inner.twice(1) + 10000 * deep.outer.thrice(1) + 100000 * alias.LIMIT + 1000000 * Kind.ONE

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "key": key}
'''
FILES = {
    "game.py": GAME,
    "arithmetic.py": "BONUS = 100\n\ndef add(a, b):\n    return a + b + BONUS\n\ndef halve(a):\n    return half_of(a)\n\n"
    "def half_of(a):\n    return a // 2\n",
    "left.py": "import right\n\ndef even():\n    return 0\n",
    "right.py": "import left\n\ndef odd():\n    return 0\n",
    "numbers_of_mine.py": "from enum import IntEnum\n\nclass Kind(IntEnum):\n    ONE = 1\n",
    "deep/__init__.py": "",
    "deep/inner.py": "LIMIT = 5\n\ndef twice(a):\n    return 2 * a\n",
    "deep/outer.py": "def thrice(a):\n    return 3 * a\n",
}
RIGHT = 1_532_000 + 5 + (4 + 2 + 100)

SCRIPT = """
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)
from searchbench import jit
from searchbench.catalogue import load
from searchbench.hashing import key
from searchbench.rules import new_state, start

def first_key():
    state = new_state()
    start(state)
    return key(state)

for spec in sys.argv[1:]:
    print("result", jit.bind(first_key, load(spec).names())())
"""

FORKED = """
import os, sys
from searchbench.jit.backends.cpu import compiling
for folder in sys.argv[2:]:
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0, folder
        continue
    try:
        os.chdir(folder)
        os.environ["SEARCHBENCH_CACHE"] = os.path.join(folder, "cache")
        script, sys.argv[1:] = sys.argv[1], ["game.py"]
        with open("told", "w") as sys.stdout:
            exec(script, {"__name__": "__main__"})
        os._exit(0)
    except BaseException:
        import traceback
        traceback.print_exc()
    os._exit(1)
"""

SOLVE = """
import logging, sys, time
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)
started = time.process_time()
from searchbench.catalogue import load
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
database = solve_states(load(sys.argv[1]), run=Run(memory=64 << 20, threads=1))
print("seconds", time.process_time() - started)
print("result", database.codes.tolist())
"""


@dataclass
class Folder:
    """Hold a folder with a user's files and a cache."""

    path: Path

    def __post_init__(self) -> None:
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Write one of the files."""
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file."""
        text = (self.path / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, *specs: str, script: str = SCRIPT, cache: str = "cache") -> tuple[list[str], list[str], str]:
        """Run a script in a new process; return the kernels it compiled, its results, and all that it wrote."""
        environment = {**os.environ, "SEARCHBENCH_CACHE": str(self.path / cache), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", script, *specs],
            cwd=self.path,
            env=environment,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return *told(done.stdout), done.stdout


def told(text: str) -> tuple[list[str], list[str]]:
    """Return the kernels that a script compiled and its results, from what it wrote."""
    lines = text.splitlines()
    compiled = [line.rpartition(" ")[2] for line in lines if line.startswith("INFO compiling")]
    return compiled, [line.partition(" ")[2] for line in lines if line.startswith("result")]


def run_forked(folders: list[Folder]) -> list[tuple[list[str], list[str]]]:
    """Run the script on each folder's game, and return the kernels it compiled and its results.

    Each folder has a process of its own, a fork of one that has imported the compiler and nothing else: that takes longer
    than all the rest.
    """
    words = [sys.executable, "-c", FORKED, SCRIPT, *(str(folder.path) for folder in folders)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(words, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return [told((folder.path / "told").read_text()) for folder in folders]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a folder with a game in which everything is found."""
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Return a folder whose game was compiled."""
    folder = Folder(tmp_path_factory.mktemp("compiled"))
    compiled, results, _ = folder.run("game.py")
    assert "first_key" in compiled
    assert results == [str(RIGHT)]
    return folder


def copy_of(folder: Folder, path: Path) -> Folder:
    """Return another folder with the same files and the same cache, which the copy may change."""
    twin = Folder(path)
    for file in (folder.path / "cache").rglob("*.kernel"):
        target = path / "cache" / file.relative_to(folder.path / "cache")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return twin


# --- between processes ------------------------------------------------------------------------------------------------


def test_second_process_compiles_nothing(compiled_once: Folder) -> None:
    compiled, results, _ = compiled_once.run("game.py")
    assert compiled == []
    assert results == [str(RIGHT)]


def test_second_process_starts_a_solve_without_compiling(folder: Folder, record_property: Callable[..., None]) -> None:
    compiled, first, _ = folder.run("game.py", script=SOLVE)
    assert compiled
    compiled, second, text = folder.run("game.py", script=SOLVE)
    assert compiled == []
    assert second == first == ["[1, 2, 3, 4, 5]"]
    record_property("seconds", float(text.partition("seconds ")[2].split()[0]))


def test_comment_is_not_recompiled(compiled_once: Folder, tmp_path: Path) -> None:
    twin = copy_of(compiled_once, tmp_path)
    twin.edit("game.py", "# one step down", "# a step\n            # down")
    twin.edit("arithmetic.py", "BONUS = 100", "# what is added\nBONUS = 100")
    assert twin.run("game.py")[:2] == ([], [str(RIGHT)])


EDITS = {
    "a rule": ("game.py", "own = left", "own = 1 + left", RIGHT + 1),
    "a global constant": ("game.py", "FACTOR = 10", "FACTOR = 20", RIGHT + 5),
    "a constant array": ("game.py", "np.array([1, 2, 3])", "np.array([1, 9, 3])", RIGHT + 7),
    "a default of a parameter": ("game.py", "height: int = 4", "height: int = 5", RIGHT + 1),
    "a constant of a module": ("arithmetic.py", "BONUS = 100", "BONUS = 200", RIGHT + 100),
    "a function behind module.name": ("arithmetic.py", "a + b + BONUS", "a - b + BONUS", RIGHT - 4),
    "a function that a function calls": ("arithmetic.py", "a // 2", "a // 5", RIGHT - 3),
    "a function of a module of a package": ("deep/inner.py", "2 * a", "7 * a", RIGHT + 5000),
    "a function behind package.module.name": ("deep/outer.py", "3 * a", "4 * a", RIGHT + 10000),
    "a function of one of two modules that import each other": ("right.py", "return 0", "return 8", RIGHT + 8),
    "a constant behind a module's other name": ("deep/inner.py", "LIMIT = 5", "LIMIT = 6", RIGHT + 100000),
    "a member of an enumeration": ("numbers_of_mine.py", "ONE = 1", "ONE = 2", RIGHT + 1000000),
}


def test_edit_is_never_stale(compiled_once: Folder, tmp_path: Path) -> None:
    twins = [copy_of(compiled_once, tmp_path / str(number)) for number in range(len(EDITS))]
    for twin, (name, old, new, _) in zip(twins, EDITS.values(), strict=True):
        twin.edit(name, old, new)
    for edit, (compiled, results) in zip(EDITS, run_forked(twins), strict=True):
        assert results == [str(EDITS[edit][-1])], edit
        assert "first_key" in compiled, edit


def test_other_parameter_is_other_code(compiled_once: Folder, tmp_path: Path) -> None:
    twin = copy_of(compiled_once, tmp_path)
    compiled, results, _ = twin.run("game.py::9", "game.py")
    assert compiled.count("first_key") == 1
    assert results == [str(RIGHT + 5), str(RIGHT)]


def test_truncated_cache_entry_costs_a_compilation(compiled_once: Folder, tmp_path: Path) -> None:
    twins = [copy_of(compiled_once, tmp_path / str(length)) for length in (0, 10, 200)]
    for twin, length in zip(twins, (0, 10, 200), strict=True):
        damaged = list((twin.path / "cache").rglob("*.kernel"))
        assert damaged
        for file in damaged:
            file.write_bytes(file.read_bytes()[:length])
    for compiled, results in run_forked(twins):
        assert "first_key" in compiled
        assert results == [str(RIGHT)]
    assert run_forked(twins) == [([], [str(RIGHT)])] * len(twins)  # mended


def test_cache_that_cannot_be_written_is_done_without(folder: Folder) -> None:
    folder.write("taken", "a file where the folder should be")
    _, results, text = folder.run("game.py", cache="taken/cache")
    assert results == [str(RIGHT)]
    assert "no cache folder" in text


def test_games_compiled_by_different_processes_do_not_mix(compiled_once: Folder, tmp_path: Path) -> None:
    """Both files name everything alike, so only the fingerprints tell their machine code apart."""
    twin = copy_of(compiled_once, tmp_path)
    twin.write("other.py", GAME.replace("FACTOR = 10", "FACTOR = 30"))
    assert twin.run("other.py")[1] == [str(RIGHT + 10)]
    compiled, results, _ = twin.run("game.py", "other.py", "game.py")
    assert compiled == []
    assert results == [str(RIGHT), str(RIGHT + 10), str(RIGHT)]


# --- in one process ---------------------------------------------------------------------------------------------------


def count_unmoves(state: Any, out: Any) -> int:
    """Count the moves backwards."""
    return unmoves(state, out) + moves(state, out)


@pytest.mark.parametrize("target", ["interpreted", "cpu"])
@pytest.mark.parametrize("left_out", ["unmoves", "moves", "unplay", "play"])
def test_what_a_missing_rule_cut_short_is_not_used_again(target: Any, left_out: str) -> None:
    names = load("pancake:4").names(target=target).without(left_out)
    for kernel in (predecessors, degree, successors, predecessors):
        if not jit.missing(kernel, names):
            jit.bind(kernel, names, target)
            continue
        for _ in range(2):
            with pytest.raises(MissingRule, match=left_out):
                jit.bind(kernel, names, target)


def test_missing_rule_names_the_kernel_and_the_rule() -> None:
    names = jit.Names({"moves": lambda state, out: 0}, "interpreted")
    with pytest.raises(MissingRule, match="count_unmoves needs `unmoves`") as caught:
        jit.bind(count_unmoves, names)
    assert (caught.value.kernel, caught.value.rule) == ("count_unmoves", "unmoves")
    assert jit.missing(count_unmoves, names) == {"unmoves"}
    with pytest.raises(MissingRule, match="the solver needs `unmoves`"):
        jit.bind(unmoves, names)


def test_what_a_kernel_needs_is_what_it_reaches() -> None:
    assert jit.reached(count_unmoves) == {"moves", "unmoves"}
    assert jit.reached(count_unmoves, load("pancake:4").names()) >= {"moves", "unmoves"}


def test_bound_kernels_of_two_games_are_their_own() -> None:
    small, large = (load(f"pancake:{n}").names(target="interpreted") for n in (4, 6))
    assert jit.bind(count_unmoves, small)([0] * 4, [0] * 10) == 6
    assert jit.bind(count_unmoves, large)([0] * 6, [0] * 10) == 10


def test_names_with_others_bind_anew() -> None:
    names = load("pancake:4").names(target="interpreted")
    other = names.with_(unmoves=lambda state, out: 100)
    assert jit.bind(count_unmoves, other)([0] * 4, [0] * 10) == 103
    assert jit.bind(count_unmoves, names)([0] * 4, [0] * 10) == 6
    assert other.target == "interpreted"


def test_names_with_the_same_constants_are_the_same() -> None:
    names = load("pancake:4").names(target="interpreted")
    assert names.with_() is names
    assert names.with_(TEST_ROWS=5) is names.with_(TEST_ROWS=5)
    assert names.with_(TEST_ROWS=1) is not names.with_(TEST_ROWS=True)
    assert names.with_(unmoves=unmoves) is names.with_(unmoves=unmoves)
    made = [lambda state, out, count=count: count for count in (1, 2)]  # a call's functions go with what they refer to
    assert names.with_(unmoves=made[0]) is not names.with_(unmoves=made[0])


def place_in(fact: int) -> int:
    """Return what a function of the package that reaches no slot makes of a fact."""
    return here(facts.place_of(fact))


def here(value: int) -> int:
    """Return a value."""
    return value


def test_functions_of_the_package_that_reach_no_slot_are_bound_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fact = 1 << 20

    def bound(function: Any) -> Any:
        names = jit.Names({}, "interpreted")
        assert jit.bind(place_in, names)(fact) == facts.place_of(fact)
        return names.bound[function, "interpreted inner"]

    before = bound(facts.place_of)
    assert bound(facts.place_of) is before
    simulated = jit.Names({}, "cuda")
    jit.bind(place_in, simulated)
    assert simulated.bound[facts.place_of, "cuda inner"] is not before  # other instructions stand in the place of ours
    assert bound(here) is not bound(here)  # a user's, who may change what it refers to
    monkeypatch.setattr(here, "__module__", None)  # written at a prompt
    assert bound(here) is not bound(here)
    monkeypatch.setattr(facts, "_PLACE_SHIFT", 3)
    assert bound(facts.place_of) is not before


def test_threads_that_bind_at_once_share_no_half_bound_function(monkeypatch: pytest.MonkeyPatch) -> None:
    names = load("pancake:4").names(target="interpreted").with_(unmoves=lambda state, out: moves(state, out))
    fill = binding._Binder._fill

    def slowly(self: Any, function: Any, bound: Any) -> None:
        time.sleep(0.01)
        fill(self, function, bound)

    def counted(delay: int) -> int:
        time.sleep(0.005 * delay)
        return int(jit.bind(count_unmoves, names)([0] * 4, [0] * 10))

    monkeypatch.setattr(binding._Binder, "_fill", slowly)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(counted, range(8))) == [6] * 8


def make_kernel(value: int) -> Callable[[], int]:
    """Return one of many functions with the same code."""

    def kernel() -> int:
        return value

    return kernel


def test_kernels_that_are_made_and_forgotten_are_told_apart() -> None:
    names = jit.Names({}, "interpreted")
    assert [jit.bind(make_kernel(value), names)() for value in range(50)] == list(range(50))


def test_fingerprint_sees_constants_arrays_and_closures() -> None:
    def prints(value: Any) -> str:
        return jit.fingerprint(make_kernel(value), {})

    values: list[Any] = [1, 1.0, True, "1", (1,), (1, 2), np.array([1]), np.array([2]), np.array([1], np.int8)]
    assert len({prints(value) for value in values}) == len(values)
    assert prints(np.array([1, 2])) == prints(np.array([1, 2]))


def recursive(n: int) -> int:
    """Call itself."""
    return 1 if n < 2 else n * recursive(n - 1)


def whole_tenth(number: int) -> int:
    """Call a function of Numba's own."""
    return int(number // 10)


def tenth(number: int) -> int:
    """Call a function that calls it."""
    return whole_tenth(number)


def never_called(number: int) -> int:
    """Call the same function of Numba's own."""
    return int(number + 1)


def kernel_with_a_dead_branch(number: int) -> int:
    """Call one function, and another in a branch that the compiler finds dead."""
    result = tenth(number)
    if number < number:
        result += never_called(number)
    return result


def test_a_function_that_a_dead_branch_needs_first_is_linked() -> None:
    """LLVM left it out, as nothing that was linked before had called it."""
    assert jit.bind(kernel_with_a_dead_branch, load("hanoi:3").names())(57) == 5


def test_callers_are_linked_before_what_they_call() -> None:
    class Library:
        def __init__(self, *needed: Library) -> None:
            self._linking_libraries = needed

    leaf = Library()
    middle, dead = Library(leaf), Library(leaf)
    live = Library(middle)
    order = callers_first([live, dead, live])
    assert len(order) == 4
    assert set(order) == {leaf, middle, live, dead}
    for library in order:
        assert all(order.index(library) < order.index(needed) for needed in library._linking_libraries)


def test_recursion_is_bound_to_itself() -> None:
    assert jit.bind(recursive, jit.Names({}, "interpreted"))(5) == 120


# --- slots ------------------------------------------------------------------------------------------------------------

WIDE = jit.constant("TEST_WIDE", False)
ROWS = jit.constant("TEST_ROWS", 2)


@jit.slot
def test_slot_of_this_module(number: int) -> int:
    """Return a number; the name keeps it apart from all slots of the package."""
    return number


test_slot_of_this_module.__test__ = False  # type: ignore[attr-defined]


def asks(number: int) -> Any:
    """Return what the constants and the slot say; without the constant the first branch has a type of its own."""
    if WIDE:
        return "wide".upper() + str(number)
    return test_slot_of_this_module(number) + ROWS


@pytest.mark.parametrize("target", ["interpreted", "cpu"])
def test_a_slot_of_any_module_and_constants_are_bound(target: jit.Target) -> None:
    assert jit.bind(asks, jit.Names({}, target))(1) == 3
    assert jit.bind(asks, jit.Names({"TEST_ROWS": 5}, target))(1) == 6
    assert jit.bind(asks, jit.Names({"test_slot_of_this_module": lambda number: 7 * number}, target))(1) == 9
    assert jit.bind(asks, jit.Names({"TEST_WIDE": True}, target))(1) == "WIDE1"
    assert jit.reached(asks) == {"TEST_WIDE", "TEST_ROWS", "test_slot_of_this_module"}


def test_constants_are_part_of_the_fingerprint() -> None:
    prints = [jit.fingerprint(asks, values) for values in ({}, {"TEST_ROWS": 2}, {"TEST_ROWS": 3}, {"TEST_WIDE": True})]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_a_constant_has_no_value_outside_a_binding() -> None:
    with pytest.raises(TypeError, match="TEST_WIDE"):
        bool(WIDE)


def test_the_name_of_a_slot_is_unique() -> None:
    def moves(state: Any, out: Any) -> int:
        return 0

    with pytest.raises(ValueError, match="'moves' is declared twice"):
        jit.slot(moves)


def test_the_name_of_a_constant_is_unique() -> None:
    name = "CONSTANT_OF_TWO_MODULES"
    code = f"declared = constant({name!r}, 0)"
    first, second = ({"__name__": f"module_{place}", "constant": jit.constant} for place in "ab")
    try:
        exec(code, first)
        exec(code, first)  # a module that is imported anew
        with pytest.raises(ValueError, match=f"{name!r} is declared twice: by module_a and by module_b"):
            exec(code, second)
        assert jit.is_slot(first["declared"])
        with pytest.raises(ValueError, match=r"'SYMMETRIC' is declared twice: by searchbench\.rules and by .*test_jit"):
            jit.constant("SYMMETRIC", False)
    finally:
        del jit.SLOTS[name]


# --- data of a game ----------------------------------------------------------------------------------------------------

LEVELS = '''
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
import numpy as np
from searchbench import UNDECIDED, Game, index

class Level(NamedTuple):
    walls: np.ndarray
    goal: int

@dataclass(frozen=True)
class Corridor(Game):
    """Walk along a corridor with walls to the goal."""
    name: ClassVar[str] = "corridor"
    level: str = "...#...g"

    @property
    def width(self): return 1
    @property
    def max_moves(self): return 4
    def index(self): return index.Radix((100,))
    def data(self):
        walls = np.ones(100, bool)
        walls[: len(self.level)] = [cell == "#" for cell in self.level]
        return Level(walls, self.level.index("g"))
    def rules(self):
        def start(state): state[0] = 0
        def terminal(state, data): return 0 if state[0] == data.goal else UNDECIDED
        def legal(state, data): return not data.walls[state[0]]
        def moves(state, out, data):
            count = 0
            for step in (-1, 1):
                for jump in (1, 2):
                    to = state[0] + step * jump
                    if 0 <= to < len(data.walls) and not data.walls[to]:
                        out[count] = step * jump
                        count += 1
            return count
        def play(state, move): state[0] += move
        def unplay(state, move): state[0] -= move
        def unmoves(state, out, data):
            count = moves(state, out, data)
            for place in range(count):
                out[place] = -out[place]
            return count
        return {"start": start, "terminal": terminal, "legal": legal, "moves": moves, "play": play, "unplay": unplay,
                "unmoves": unmoves}
'''

SOLVE_LEVELS = """
import logging, random, sys, time
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stdout)
from searchbench.catalogue import load
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
random.seed(1)
levels = ["." + "".join(random.choice("..#") for _ in range(random.randint(5, 60))) + "g" for _ in range(50)]
fingerprints = set()
for place, level in enumerate(levels):
    game = load("levels.py:Corridor:" + level)
    fingerprints.add(game.fingerprint())
    began = time.process_time()
    found = solve_states(game, run=Run(memory=64 << 20, threads=1))
    seconds = time.process_time() - began
    alike = solve_states(game, run=Run(memory=64 << 20, threads=1), target="interpreted")
    assert found.codes.tolist() == alike.codes.tolist(), level
    assert found.histogram()[0] == 1
    assert not found.verify().faults
    print("INFO level", place)
    print("result", seconds)
print("result", len(fingerprints))
"""


def test_fifty_levels_of_one_game_are_one_compilation(folder: Folder, record_property: Callable[..., None]) -> None:
    folder.write("levels.py", LEVELS)
    compiled, results, _ = folder.run(script=SOLVE_LEVELS)
    assert compiled
    assert len(compiled) == len(set(compiled)), "a kernel was compiled twice"
    assert int(results[-1]) == 50, "databases of other levels are told apart"
    record_property("seconds of the second level", float(results[1]))
    compiled, results, _ = folder.run(script=SOLVE_LEVELS)
    assert compiled == []


def test_symbols_of_machine_code_tell_functions_of_the_same_name_apart() -> None:
    """Numba makes symbols of qualified names, and processes share machine code: two games must not have one symbol."""
    names = jit.Names({"TEST_ROWS": 4})
    kernel = jit.bind(asks, names)
    inner = next(bound for (_, use), bound in names.bound.items() if use == "cpu inner")
    for compiled in (kernel, inner):
        function = compiled.py_func
        assert (
            function.__qualname__
            == function.__name__
            == f"{function.__name__.rpartition('_')[0]}_{function.__searchbench__}"
        )


# --- large tables -----------------------------------------------------------------------------------------------------


def large(folder: Folder, factor: int) -> None:
    """Let the game look up a table of 2.4 MB, which is too large to be frozen, and one of two dimensions."""
    folder.edit(
        "game.py",
        "TABLE = np.array([1, 2, 3])",
        f"TABLE = {factor} * np.arange(300_000)\nSQUARE = TABLE.reshape(2, -1)",
    )
    folder.edit("game.py", "TABLE[1])", "TABLE[-2] + SQUARE[1, 5] + len(TABLE) + SQUARE.shape[1])")


LARGE = RIGHT - 2 + 3 * 299_998 + 3 * 150_005 + 300_000 + 150_000


def test_large_tables_are_read_in_any_process_without_compiling(folder: Folder) -> None:
    large(folder, 3)
    compiled, results, _ = folder.run("game.py")
    assert "first_key" in compiled
    assert results == [str(LARGE)]
    code = sum(file.stat().st_size for file in (folder.path / "cache").rglob("*.kernel"))
    assert code < 1_000_000, "the table is not in the code"
    for _ in range(2):  # the table lies elsewhere in each process
        compiled, results, _ = folder.run("game.py")
        assert compiled == []
        assert results == [str(LARGE)]


def test_a_large_table_that_differs_in_one_number_is_noticed(folder: Folder) -> None:
    large(folder, 3)
    folder.run("game.py")
    folder.edit("game.py", "SQUARE = TABLE", "TABLE[-2] += 1; SQUARE = TABLE")
    compiled, results, _ = folder.run("game.py")
    assert "first_key" in compiled
    assert results == [str(LARGE + 1)]


def test_a_large_table_cannot_be_written_by_compiled_code() -> None:
    table = np.zeros(100_000, np.int64)

    def write(place: int) -> int:
        table[place] = 1
        return 0

    with pytest.raises(Exception, match="Cannot modify readonly array"):
        jit.bind(write, jit.Names({}))(5)
    assert not table.any()
