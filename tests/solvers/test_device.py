"""Devices solve to the same databases as the processor: on a real one where there is one, else in Numba's simulator."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
import searchbench as sb
from compile_for_device import NO_COMPILER, HostDevice
from searchbench import errors, jit
from searchbench.jit.backends.cuda import opening
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import BLOCK
from searchbench.solvers.exhaustive.bits.search import search_two_bit
from searchbench.solvers.exhaustive.device import sweep
from searchbench.solvers.exhaustive.device.blocks import search_in_blocks, sizes_within
from searchbench.solvers.exhaustive.device.solve import solve_on_device
from searchbench.solvers.exhaustive.device.streaming import RowSearch
from searchbench.solvers.exhaustive.permutations.levels import FEW
from searchbench.solvers.exhaustive.permutations.plan import Plan
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.solve import solve_choice
from searchbench.store import Keep
from searchbench.store.header import header_on_disk

pytestmark = pytest.mark.cuda
TESTS = Path(__file__).parents[1]

SEARCHES = [
    ("sliding:2,3", "two-bit"),
    ("sliding:2,3", "one-bit"),
    ("sliding:2,3,yes", "reachability"),
    ("pancake:5", "two-bit"),
    ("burnt-pancake:3", "two-bit"),
    ("top-spin:5", "two-bit"),
    ("hanoi:3", "two-bit"),
    ("frogs-and-toads:xx/o-/-o", "two-bit"),
    ("frogs-and-toads:2", "reachability"),
    ("mnk:2,2,2", "two-bit"),
    ("mnk:3,2,2,no,yes", "reachability"),
    ("graph:0>1;1>2;2>3;3>1;3=0", "reachability"),
    ("small-town", "reachability"),
    ("peg-solitaire:oo-o", "two-bit"),
    ("peg-solitaire:ooo/o-o,4,yes", "reachability"),
]


ANALYSES = [
    "sliding:2,3",
    "hanoi:3",
    "examples/tokens.py",
    "chess:KQK,3,3",
    "mnk:2,2,2",
    "mnk:3,2,2,no,yes",
    "connect4:3,2,3",
    "graph:0>1;1>2;2>3;3>1;3=0",
    "peg-solitaire:ooo/o-o,4,yes",
]
ALIKE = {"burnt-pancake:3", "top-spin:5", "hanoi:3", "frogs-and-toads:2", "mnk:2,2,2", "small-town", "mnk:3,2,2,no,yes"}
"""Games whose kernels are made as those of others here: a device runs them; to compile them tells little."""


class Compiled(HostDevice):
    """Stand for a device by the processor's memory, where its kernels are compiled."""

    target = "cpu"


def digests(folder: Path) -> dict[str, Any]:
    """Return the digest, the counts and the type of each part's codes."""
    header = header_on_disk(folder)
    return {record.name: (record.digest, record.counts, record.dtype or header.dtype) for record in header.parts}


def facts_of(database: sb.Database) -> dict[str, Any]:
    """Return what a database tells of its levels, where that does not depend on threads."""
    if database.facts.get("form") == "reachability":  # rounds, of which threads make more or fewer
        return {}
    return {name: database.facts.get(name) for name in ("levels", "layers", "few")}


@pytest.mark.parametrize(("spec", "form"), SEARCHES)
def test_breadth_first_search_is_that_of_the_processor(spec: str, form: str, tmp_path: Path, run: Run) -> None:
    game = sb.load(spec)
    request = requested(game, None, "bfs", None, {"form": form})
    mine = solve_choice(request, run, "interpreted")
    mine.save(Keep(tmp_path / "one"))
    theirs = sb.solve(game, None, "bfs", tmp_path / "two", device="cuda:0", form=form)
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    assert facts_of(mine) == facts_of(theirs)


@pytest.mark.parametrize(("spec", "memory"), [("pancake:7", 6_400), ("pancake:5", 6_400), ("hanoi:3", 6_400)])
def test_a_search_too_large_for_the_device_goes_block_by_block(spec: str, memory: int, run: Run) -> None:
    game = sb.load(spec)
    device = jit.open_device("cuda:0", memory)
    sizes = sizes_within(game, memory)
    assert sizes.window == sizes.block == BLOCK  # of 79 words for pancake:7
    layers = search_in_blocks(game, run, device)
    mine = search_two_bit(game, run, "interpreted")
    assert (layers.record, layers.low.tolist(), layers.high.tolist()) == (
        mine.record, mine.low.tolist(), mine.high.tolist()
    )  # fmt: skip


@pytest.mark.parametrize(("spec", "block"), [("sliding:2,4", 5), ("sliding:2,3", 5)])
def test_rows_are_moved_on_a_device(spec: str, block: int, run: Run) -> None:
    game = sb.load(spec)
    told = game.sequences()
    assert told is not None
    found = RowSearch(Plan(told, block), game.rank(game.start()), run, jit.open_device("cuda:0")).search()
    depths = naive.depths(game)
    layers = Counter(depths.values())
    assert found.counts == [layers[depth] for depth in range(len(layers))]
    assert found.few == {
        depth: sorted(game.rank(state) for state, found_at in depths.items() if found_at == depth)
        for depth in range(len(layers))
        if layers[depth] <= FEW
    }
    codes = dict.fromkeys(range(game.parts()[0].stop), 0) | {
        game.rank(state): 1 + depth % found.codes.modulus for state, depth in depths.items()
    }
    assert [found.codes.code(number) for number in codes] == list(codes.values())


@pytest.mark.parametrize("spec", ["top-spin:9", "top-spin:10"])
def test_rows_on_a_device_are_those_of_the_processor(spec: str, run: Run) -> None:
    """Let the processor run the compiled kernels of devices: the simulator takes too long for 40,320 rows and more."""
    game = sb.load(spec)
    request = requested(game, None, "bfs", None, {"form": "streaming"})
    mine, theirs = solve_choice(request, run), solve_on_device(request, run, Compiled())
    assert np.array_equal(mine.codes, theirs.codes)
    assert facts_of(mine) == facts_of(theirs)
    assert theirs.facts["form"] == "streaming"


@pytest.mark.parametrize("spec", ["mnk:2,2,2", "mnk:3,2,3", "connect4:3,2,3", "examples/snort.py:Snort:2,2"])
def test_the_sweep_is_that_of_the_processor(spec: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "LEAST", 4)  # so that pieces share words
    game = sb.load(spec.replace("examples", str(TESTS.parent / "examples")))
    mine = solve_choice(requested(game, None, "sweep", None, {}), run, "interpreted")
    theirs = sb.solve(game, solver="sweep", device="cuda:0")
    assert np.array_equal(mine.codes, theirs.codes)
    assert theirs.facts["device"] == "cuda:0"
    assert theirs.facts["memory"] > 1_000
    assert theirs.facts["undecided_by_layer"] == mine.facts["undecided_by_layer"]


@pytest.mark.long
def test_the_sweep_on_a_device_is_cut_into_many_pieces(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processor run the device's kernel, compiled."""
    monkeypatch.setattr(sweep, "LEAST", 16)
    request = requested(sb.load("connect4:5,3,3"), None, "sweep", None, {})
    assert np.array_equal(solve_choice(request, run).codes, solve_on_device(request, run, Compiled()).codes)


def test_blocks_are_chosen_by_the_memory(run: Run) -> None:
    game = sb.load("peg-solitaire:triangle,4")
    theirs = sb.solve(game, solver="bfs", device="cuda:0,10kB", form="two-bit")
    assert theirs.facts["in blocks"]
    mine = solve_choice(requested(game, None, "bfs", None, {"form": "two-bit"}), run, "interpreted")
    assert facts_of(mine) == facts_of(theirs)
    with pytest.raises(errors.OutOfMemory, match="6,"):
        sb.solve(game, solver="bfs", device="cuda:0,5kB", form="two-bit")


@pytest.mark.parametrize("asked", ANALYSES)
def test_retrograde_analysis_is_that_of_the_processor(asked: str, tmp_path: Path, run: Run) -> None:
    spec, _, rule = asked.partition(" ")
    game = sb.load(spec.replace("examples", str(TESTS.parent / "examples")))
    mine = solve_choice(requested(game, rule or None, "retrograde", None, {}), run, "interpreted")
    mine.save(Keep(tmp_path / "one"))
    theirs = sb.solve(game, rule or None, "retrograde", tmp_path / "two", device="cuda:0")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    if len(game.parts()) == 1:  # of parts without cycles the processor makes one sweep, which is a level
        assert mine.facts["levels"] == theirs.facts["levels"]


def test_without_a_form_the_best_that_serves_is_taken() -> None:
    assert sb.solve("pancake:4", solver="bfs", device="cuda:0").facts["form"] == "two-bit"
    told = sb.solve("hanoi:2", solver="bfs", device="cuda:0,1MB").facts
    assert (told["device"], told["form"]) == ("cuda:0", "two-bit")


@pytest.mark.parametrize(
    ("options", "kind", "code", "text"),
    [
        ({"device": "gpu"}, errors.BadRequest, 30, "expected cuda:0"),
        ({"device": "cuda:99"}, errors.NoDevice, 30, "there "),
        ({"device": "cuda:0,1kB"}, errors.OutOfMemory, 20, "which has 1,000 to give"),
        ({"device": "cuda:0", "form": "layers"}, errors.BadRequest, 30, "takes streaming, two-bit, one-bit"),
        ({"device": "cuda:0", "form": "one-bit"}, errors.BadRequest, 30, "alternates"),
        ({"device": "cuda:0", "solver": "fixpoint"}, errors.BadRequest, 30, "'fixpoint' runs on the processor"),
        ({"device": "cuda:0", "solver": "retrograde", "parts": "all"}, errors.BadRequest, 30, "leave out --device"),
    ],
)
def test_refusals_say_what_would_be_right(options: dict[str, Any], kind: Any, code: int, text: str) -> None:
    with pytest.raises(kind, match=text) as refused:
        sb.solve("pancake:5", **{"solver": "bfs", **options})
    assert refused.value.exit_code == code


@pytest.mark.parametrize(
    ("game", "solver", "form"), [("sliding:4x4", "bfs", "streaming"), ("connect4:3,2,3", "sweep", None)]
)
def test_too_little_memory_is_told_before_tables_are_made(game: str, solver: str, form: str | None) -> None:
    with pytest.raises(errors.OutOfMemory, match=r"which has 1,000 to give; leave out --device") as refused:
        sb.solve(game, solver=solver, form=form, device="cuda:0,1kB")
    assert refused.value.exit_code == 20


def test_a_machine_without_the_package_or_a_driver_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "0")
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    with pytest.raises(errors.MissingPackage, match=r"searchbench\[cuda\]"):
        opening.opened(0)


@dataclass(frozen=True)
class Listing(sb.Game):
    """A game whose `moves` does what no device can."""

    width = 1
    max_moves = 2

    def index(self) -> Any:
        """Give five places numbers."""
        return sb.index.Radix([5])

    def rules(self) -> dict[str, Any]:
        """Step to the next place."""

        def start(state: Any) -> None:
            state[0] = 0

        def terminal(state: Any) -> int:
            return 0 if state[0] == 0 else sb.UNDECIDED

        def moves(state: Any, out: Any) -> int:
            steps = [1, 2]
            out[0] = steps[0]
            return 1

        def play(state: Any, move: int) -> None:
            state[0] = (state[0] + move) % 5

        def unplay(state: Any, move: int) -> None:
            state[0] = (state[0] - move) % 5

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}


def test_a_rule_that_no_device_runs_is_named_with_its_line() -> None:
    line = 1 + Path(__file__).read_text().splitlines().index("            steps = [1, 2]")
    with pytest.raises(errors.NotForDevice, match=rf"`moves` makes a list.*test_device.py, line {line}"):
        sb.solve(Listing(), solver="bfs", form="reachability", device="cuda:0")


def test_kernels_of_a_device_go_over_ranges_of_numbers(run: Run) -> None:
    def double(place: int, numbers: Any) -> None:
        numbers[place] = 2 * place

    device = jit.open_device("cuda:0")
    kernel = jit.bind(double, jit.Names({}, "cuda"))
    numbers = device.room(100, np.int64)
    run.launch(kernel, range(100), jit.PIECE, numbers)
    assert device.read(numbers).tolist() == list(range(0, 200, 2))
    with pytest.raises(TypeError, match="a device runs"):
        run.launch(kernel, [(0, 100)], jit.FIRST, numbers)


def test_kernels_compile_to_the_device_s_assembly() -> None:
    searches = [(spec, form) for spec, form in SEARCHES if spec not in ALIKE]
    analyses = [one.replace("examples", str(TESTS.parent / "examples")) for one in ANALYSES if one not in ALIKE]
    asked = [*(f"{spec} bfs {form}" for spec, form in searches), *(f"{spec} retrograde" for spec in analyses)]
    asked += ["sliding:2,4 rows 5", "connect4:3,2,3 sweep"]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "0"}
    python = os.environ.get(
        "SEARCHBENCH_DEVICE_PYTHON"
    )  # of an environment of its own, as numba-cuda replaces the simulator
    if python is None:
        python, environment["PYTHONPATH"] = sys.executable, os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [python, str(TESTS / "compile_for_device.py"), *asked],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == NO_COMPILER:
        pytest.skip("needs numba-cuda and NVIDIA's compiler: pip install 'searchbench[cuda]'")
    assert done.returncode == 0, done.stderr
    compiled = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert list(compiled) == asked
    kernels = ("expand=", "expand_listed=", "back_up=", "advance=", "settle_piece=")
    assert all(any(kernel in told for kernel in kernels) for told in compiled.values()), compiled
