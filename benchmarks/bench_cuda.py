"""Time solvers on a device against the processor: seconds of whole runs, states a second, memory, and whether the codes agree.

    python benchmarks/bench_cuda.py [--device cuda:0] [--alone] ["GAME SOLVER [FORM]" ...]

The first run compiles; the second one is timed, from the rules to the codes in the processor's memory. `--alone` leaves out the
processor. The last column is the share of the device's bandwidth, measured by copies, of the vectors that a search has to
pass over in each level: frontier, successors and reached states, and both planes where two bits tell what is reached. Of
the sweep only the settling of layers is timed, which the processor has found. Sizes are for a real device: the simulator
(NUMBA_ENABLE_CUDASIM=1) takes games of a few hundred states, such as "pancake:5 bfs".
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import searchbench as sb
from searchbench import jit
from searchbench.run import Run
from searchbench.solvers.exhaustive.device.sweep import DeviceSweep
from searchbench.solvers.exhaustive.diagrams.dealt import empty_planes
from searchbench.solvers.exhaustive.diagrams.solve import found_layers
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep

PIECE = 1 << 26
"""Numbers compared at a time."""
GAMES = (
    "sliding:3x3 bfs two-bit",
    "pancake:11 bfs two-bit",
    "pancake:11 bfs streaming",
    "pancake:12 bfs two-bit",
    "pancake:12 bfs streaming",
    "sliding:3x4 bfs two-bit",
    "sliding:3x4 bfs streaming",
    "sliding:2x6 bfs streaming",
    "peg-solitaire bfs two-bit",
    "connect4:5x5 sweep",
    "connect4:6x5 sweep",
    "chess:KQKR retrograde",
)


def timed(asked: str, device: str | None) -> tuple[float, sb.Database]:
    """Return the seconds of the second run, and its database."""
    spec, solver, *form = asked.split()
    for _ in range(2):
        began = time.perf_counter()
        database = sb.solve(spec, solver=solver, form=form[0] if form else None, device=device)
        seconds = time.perf_counter() - began
    return seconds, database


def settled(spec: str, device: str | None) -> tuple[float, list[np.ndarray], int]:
    """Return the seconds of the second sweep over all layers of a game, their planes, and how many positions they have."""
    layers = found_layers(sb.load(spec), Run())
    diagram, told = layers.diagram, jit.open_device(device) if device is not None else None
    for _ in range(2):
        began = time.perf_counter()
        sweep = Sweep(diagram, Run()) if told is None else DeviceSweep(diagram, Run(), told)
        planes = [empty_planes(0)]
        for layer in range(diagram.layers - 1, -1, -1):
            planes.append(sweep.layer(layer, planes[-1]))
        seconds = time.perf_counter() - began
    return seconds, planes, diagram.size


def copied_a_second(device: str) -> float:
    """Return the bytes a second that copies on the device read and write."""
    from numba import cuda

    cuda.select_device(int(device.split(":")[1].split(",")[0]))
    one, other = (cuda.device_array(1 << 27, np.uint64) for _ in range(2))
    other.copy_to_device(one)
    cuda.synchronize()
    began = time.perf_counter()
    for _ in range(10):
        other.copy_to_device(one)
    cuda.synchronize()
    return 20 * one.nbytes / (time.perf_counter() - began)


def passed_over(database: sb.Database) -> float:
    """Return the bytes of the vectors that a breadth-first search has to pass over, in all levels; 0 for other solvers."""
    form = database.facts.get("form")
    if form not in ("two-bit", "streaming"):
        return 0.0
    told = database.game.sequences()
    place_bits = 1 << (told.places - 1).bit_length() if told is not None and form == "streaming" else 1
    numbers = told.rows * place_bits if told is not None and form == "streaming" else database.states
    vectors = 3 if form == "streaming" and told is not None and told.alternates else 4
    return database.facts["levels"] * vectors * numbers / 8


def same_codes(one: sb.Database, other: sb.Database) -> bool:
    """Tell whether two databases hold the same."""
    return all(
        np.array_equal(one.read(part, first, stop), other.read(part, first, stop))
        for part in one.parts
        for first in range(part.start, part.stop, PIECE)
        for stop in (min(first + PIECE, part.stop),)
    )


def main() -> None:
    """Solve each game on the device and by the processor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--alone", action="store_true", help="leave out the processor")
    asked = parser.parse_args()
    bandwidth = copied_a_second(asked.device)
    print(f"copies on the device move {bandwidth / 1e9:,.0f} GB a second")
    print(
        f"{'game':32} {'states':>15} {'device, s':>10} {'states/s':>14} {'share':>6} {'processor, s':>13} {'times':>6}  codes"
    )
    for spec in asked.games:
        if spec.split()[1] == "sweep":
            there, planes, positions = settled(spec.split()[0], asked.device)
            row = f"{spec:32} {positions:15,} {there:10.3f} {positions / there:14,.0f} {'':6}"
            here, others, _ = settled(spec.split()[0], None)
            told = "the same" if all(map(np.array_equal, planes, others)) else "NOT THE SAME"
            print(f"{row} {here:13.3f} {here / there:6.2f}  {told}", flush=True)
            continue
        there, theirs = timed(spec, asked.device)
        share = passed_over(theirs) / there / bandwidth
        row = f"{spec:32} {theirs.reachable:15,} {there:10.3f} {theirs.reachable / there:14,.0f} {share:6.1%}"
        if asked.alone:
            print(row, flush=True)
            continue
        here, mine = timed(spec, None)
        told = "the same" if same_codes(mine, theirs) else "NOT THE SAME"
        print(f"{row} {here:13.3f} {here / there:6.2f}  {told}", flush=True)


if __name__ == "__main__":
    main()
