"""Measure searches of one state per symmetry class, and searches from the start to the middle (Edelkamp 2017)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.families.pegs import images, symmetries
from searchbench.index.contract import unrank
from searchbench.jit import trailing_zeros
from searchbench.reproduce.row import Cost, Measured, forget_peak, peak_memory
from searchbench.rules import new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive import search_by_duality, solve_states
from searchbench.store import Database

PIECE: Final = 1 << 21
"""Numbers per piece of work."""


def symmetry_and_duality(run: Run) -> Measured:
    """Return the results of whole searches, of searches of classes and by duality, and whether the latter cost less."""
    costs: list[Cost] = []
    found: dict[str, Any] = {}
    for spec, form in (("peg-solitaire", "layers"), ("fore-and-aft", "two-bit")):
        found[f"{spec}, moves by duality"] = _by_duality(spec, run, costs)
        if form == "layers":
            classes = _layers(f"{spec}:english,4,symmetry=yes", form, run, costs)
            members = states_of_classes(classes, run)
            del classes
        whole = _layers(spec, form, run, costs)
        found[f"{spec}, moves"] = _moves_to_the_goal(whole)
        if form == "layers":
            layers = [count for depth, count in whole.histogram().items() if depth is not None]
            found[f"{spec}, states of the classes at each depth"] = "the same" if members == layers else members
    return Measured({**found, "less work and space": takes_less(costs)}, costs)


def _fresh(run: Run) -> Run:
    forget_peak()
    return Run(memory=run.memory, threads=run.threads, report=run.report)


def _by_duality(spec: str, run: Run, costs: list[Cost]) -> int:
    line = search_by_duality(load(spec), run=_fresh(run))
    peak = peak_memory()
    costs.append(Cost(f"{spec} by duality", line.nodes, round(line.seconds, 3), peak, peak))
    faults = line.verify()
    return 0 if faults else len(line)


def _layers(spec: str, form: str, run: Run, costs: list[Cost]) -> Database:
    found = solve_states(load(spec), solver="bfs", form=form, run=_fresh(run))
    peak = peak_memory()
    costs.append(Cost(spec, found.reachable, found.facts["seconds"], peak, peak))
    return found


def _moves_to_the_goal(database: Database) -> int:
    game = database.game
    goal = game.start()
    game.call("reversal", goal)
    return int(database.probe(goal))


def takes_less(costs: list[Cost]) -> bool:
    """Return whether whole searches have the most states, and the one of peg solitaire the highest memory peak."""
    wholes = [cost for cost in costs if cost.name in {"peg-solitaire", "fore-and-aft"}]
    return all(
        cost.states < whole.states and (cost.peak <= whole.peak or whole.name == "fore-and-aft")
        for whole in wholes
        for cost in costs
        if cost is not whole and cost.name.startswith(whole.name)
    )


def list_words(bits: Any, origin: int, powers: Any, words: Any) -> int:
    """Write the states, one word each, of the numbers whose bits are set, from `origin` on; return how many."""
    state = new_state()
    count = 0
    for place in range(len(bits)):
        left = bits[place]
        while left != 0:
            unrank(origin + 64 * place + trailing_zeros(left), state)
            left &= left - powers[0]
            words[count] = state[0]
            count += 1
    return count


def states_of_classes(database: Database, run: Run) -> list[int]:
    """Return the number of states in all classes of each depth, counting symmetric states one by one."""
    game: Any = database.game
    table = images(symmetries(game.cells, game.directions), len(game.cells.places))
    lister = jit.bind(list_words, game.names())
    powers = np.uint64(1) << np.arange(64, dtype=np.uint64)

    def states(job: tuple[Any, int]) -> int:
        part, first = job
        bits = database.bits(part, first, min(first + PIECE, part.stop))
        if not bits.any():
            return 0
        padded = np.zeros(-(-len(bits) // 8), np.uint64)
        padded.view(np.uint8)[: len(bits)] = bits
        words = np.zeros(int(np.bitwise_count(padded).sum()), np.int64)
        lister(padded, first, powers, words)
        fixed = np.zeros(len(words), np.int64)
        for symmetry in table:
            image = sum(symmetry[byte][words >> 8 * byte & 255] for byte in range(len(symmetry)))
            fixed += image == words
        return int((len(table) // fixed).sum())

    counts: dict[int, int] = {}
    for part in database.parts:
        jobs = [(part, first) for first in range(part.start, part.stop, PIECE)]
        depth = max(database.part_counts(part)) - 1
        counts[depth] = sum(run.map(states, jobs))
    return [counts[depth] for depth in sorted(counts) if depth >= 0]
