"""A few fixed workloads: how fast this machine solves, searches, proves and ranks, and a signature of the results.

The signature holds the total of all nodes, and a digest of all databases and other answers. It changes only when the
behaviour of a solver does: one line tells two versions apart (the idea is that of chess programs' `bench`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.index import Index, LexicographicPermutation, Multiset, MyrvoldRuskeyPermutation
from searchbench.index.contract import rank, unrank
from searchbench.rules import new_state
from searchbench.run import Report, Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import IDAStar, search_state
from searchbench.solvers.proof import prove_state

MEMORY: Final = 1 << 30
"""The budget of each workload: transposition tables depend on it, and so do the nodes of a proof."""

DATABASES: Final = ("sliding:3x3", "pancake:9", "mnk:4,3,3", "awari:6")
INDEXES: Final[tuple[Index, ...]] = (LexicographicPermutation(12), MyrvoldRuskeyPermutation(12), Multiset((8, 8, 8)))
PROOFS: Final = (("connect4:5,4", "alphabeta"), ("connect4:4,4", "pns"))

# The 15-puzzle instances 79, 55 and 12 of R. Korf, Depth-First Iterative-Deepening, Artificial Intelligence 27 (1985).
FIFTEEN: Final = (
    "0 1 9 7 11 13 5 3 14 12 4 2 8 6 10 15",
    "13 8 14 3 9 1 0 7 15 5 4 10 12 2 6 11",
    "14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15",
)

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Measurement:
    """Hold the cost of a workload: an amount of states or nodes, seconds, and the bytes a state takes (0: none kept)."""

    name: str
    amount: int
    unit: str
    seconds: float
    bytes: float = 0.0

    @property
    def rate(self) -> float:
        """Return the amount per second."""
        return self.amount / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Bench:
    """Hold all measurements, the nodes of all searches and proofs, and a digest of all other answers."""

    measurements: tuple[Measurement, ...]
    nodes: int
    digest: str

    @property
    def signature(self) -> str:
        """Return the nodes and the digest in one word."""
        return f"{self.nodes}-{self.digest}"

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as numbers and text."""
        rows = [asdict(one) | {"rate": round(one.rate)} for one in self.measurements]
        return {"measurements": rows, "signature": self.signature}


def measure_all(threads: int | None = None, report: Report | None = None) -> Bench:
    """Measure every workload; each runs twice, and only the second time counts: then all is compiled."""
    digest = hashlib.sha256()
    nodes = 0
    found: list[Measurement] = []

    def run() -> Run:
        return Run(memory=MEMORY, threads=threads or 0)

    for name, work in _workloads(run):
        if report is not None:
            report(name, len(found), 0)
        measured, counted, answer = work()
        found.append(measured)
        nodes += counted
        digest.update(answer)
    return Bench(tuple(found), nodes, digest.hexdigest()[:12])


Work = Callable[[], tuple[Measurement, int, bytes]]
"""Return a measurement, the nodes of a search, and other results that must not change: codes, values, sums of ranks."""


def _workloads(run: Callable[[], Run]) -> Iterator[tuple[str, Work]]:
    for spec in DATABASES:
        yield spec, partial(_solve, spec, run)
    yield "15-puzzle", partial(_search, run)
    for spec, method in PROOFS:
        yield f"{spec} {method}", partial(_prove, spec, method, run)
    for index in INDEXES:
        yield str(index), partial(_rank, index)


def _timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    work()
    started = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - started


def _solve(spec: str, run: Callable[[], Run]) -> tuple[Measurement, int, bytes]:
    game = load(spec)
    database, seconds = _timed(lambda: solve_states(game, run=run()))
    codes = database.codes
    bytes_each = codes.nbytes / database.states
    measured = Measurement(f"solve {spec}", database.states, "states", seconds, round(bytes_each, 2))
    return measured, 0, codes.astype(codes.dtype.newbyteorder("<")).tobytes()


def _search(run: Callable[[], Run]) -> tuple[Measurement, int, bytes]:
    game = load("sliding:4x4")
    lines, seconds = _timed(lambda: [search_state(game, state, IDAStar(automaton=0), run()) for state in FIFTEEN])
    nodes = sum(line.nodes for line in lines)
    return Measurement("idastar, 15-puzzle", nodes, "nodes", seconds), nodes, b""


def _prove(spec: str, method: str, run: Callable[[], Run]) -> tuple[Measurement, int, bytes]:
    game = load(spec)
    proof, seconds = _timed(lambda: prove_state(game, None, method, run(), evidence=False))
    return Measurement(f"{method}, {spec}", proof.nodes, "nodes", seconds), proof.nodes, proof.value.encode()


def unrank_and_rank(first: int, stop: int, step: int) -> int:
    """Unrank and rank every `step`-th number; return the sum of the ranks."""
    state = new_state()
    total = 0
    for number in range(first, stop, step):
        unrank(number, state)
        total += rank(state)
    return total


def _rank(index: Index) -> tuple[Measurement, int, bytes]:
    ranks, unranks = index.functions()
    width, count = index.width, 1_000_000

    def room() -> Any:
        return np.zeros(width, np.int64)

    kernel = jit.bind(unrank_and_rank, jit.Names({"rank": ranks, "unrank": unranks, "new_state": room}))
    step = index.size // count
    total, seconds = _timed(lambda: kernel(0, step * count, step))
    return Measurement(f"unrank and rank, {index}", count, "states", seconds), 0, str(int(total)).encode()
