"""Run a search level by level until a level has no new state, for any layout of the bit vectors (Edelkamp 2017).

With a working folder a search can be killed at any time and resumes later: from the last copy of its vectors or, if they
are files, from the interrupted level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from searchbench.exchange.decisions import gathered, reduce_any
from searchbench.exchange.vectors import Deal
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints_of_vectors import cut
from searchbench.store.planes import AlternatingCodes, PlaneCodes
from searchbench.store.working import WorkingFolder
from searchbench.values import BFS

Array = npt.NDArray[Any]
MESSAGES: Final = 4
"""How many shares of a vector lie in messages at most: words sent, words that come, and what both are made of."""
FEW: Final = 100
"""Layers of up to this many states are listed state by state."""


class Layers(NamedTuple):
    """The result of a search: the number of states of each depth, the states of small layers, and all codes."""

    counts: list[int]
    few: dict[int, list[int]]
    codes: PlaneCodes | AlternatingCodes | Array

    def facts(self, form: str, run: Run, memory: int) -> dict[str, Any]:
        """Return the facts of a database that was found so in some form."""
        return {
            "solver": BFS,
            "form": form,
            "levels": len(self.counts),
            **run.times,
            "threads": run.threads,
            "memory": memory,
            "few": {str(depth): numbers for depth, numbers in self.few.items()},
        }


class LevelSearch(Protocol):
    """A search of one level at a time.

    `size` is the number of states in the index; `vectors` are the arrays needed to resume, of which a rank needs the blocks
    that `deal` gives it; `on_files` tells whether they are files.
    """

    size: int
    deal: Deal
    vectors: dict[str, Array]
    on_files: bool

    @property
    def ahead(self) -> int:
        """Return how many states of the next level an interrupted run has already found."""
        ...

    @property
    def layout(self) -> tuple[int, int]:
        """Return the number of states of a row of the vectors, and of its bits."""
        ...

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth; return how many are new, and their numbers if they are at most FEW."""
        ...

    def codes(self, counts: Sequence[int]) -> PlaneCodes | AlternatingCodes | Array:
        """Return the codes of all states."""
        ...

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors from a working folder, whose record counts `reached` states."""
        ...


def search_levels(search: LevelSearch, start: int, run: Run, work: WorkingFolder | None = None) -> Layers:
    """Search from the state with the number `start`, at depth 0, until a level has no new state."""
    counts, few = [1], {0: [start]}
    if work is not None and work.record:
        counts = list(work.record["counts"])
        few = {int(depth): numbers for depth, numbers in work.record["few"].items()}
        search.resume(work, sum(counts))
    while True:
        run.progress(f"depth {len(counts) - 1}", sum(counts), search.size)
        ahead = search.ahead
        count, numbers = search.level(len(counts))
        if ahead + count == 0:
            return Layers(counts, few, search.codes(counts))
        if len(numbers) == ahead + count:
            few[len(counts)] = sorted(numbers)
        counts.append(ahead + count)
        if work is not None:
            keep(work, search, counts, few, run)


def keep(work: WorkingFolder, search: LevelSearch, counts: list[int], few: dict[int, list[int]], run: Run) -> None:
    """Commit a finished level: at once if the vectors are files, else with copies of them when a copy is due."""
    record = {"counts": counts, "few": {str(depth): numbers for depth, numbers in few.items()}}
    if search.on_files:
        work.commit(record)
    elif reduce_any([work.due]):
        run.progress(f"depth {len(counts) - 1}, keeping a copy", sum(counts), search.size)
        work.commit(record, cut(search.deal, search.vectors), run)


def bits_in(words: Array, deal: Deal | None = None) -> list[int]:
    """Return the places of the bits of sparse words; those that all ranks find in their own blocks, if a deal is given."""
    if deal is not None:
        own = [place for first, stop in deal.words(len(words)) for place in _bits(words[first:stop], 64 * first)]
        return gathered(own)
    return _bits(words, 0)


def _bits(words: Array, first: int) -> list[int]:
    filled = np.flatnonzero(words)
    return [first + 64 * word + bit for word in filled.tolist() for bit in range(64) if int(words[word]) >> bit & 1]


def planes_of(search: LevelSearch) -> tuple[Array, Array]:
    """Return the two planes of the depths; of several ranks, the first one gets them whole. Other vectors are let go."""
    for name in set(search.vectors) - {"low", "high"}:
        del search.vectors[name]
    low, high = search.vectors["low"], search.vectors["high"]
    for plane in (low, high):
        search.deal.gather(plane)
    return low, high


class TeamSize(NamedTuple):
    """Say how many ranks search together, and how many of them, this one included, have memory in common with this one."""

    team: int
    ranks: int


def share_bytes(words: int, size: TeamSize, whole: int = 2, vectors: int = 4, kept: int = 2) -> int:
    """Return a rank's share of the bytes of the vectors of a search.

    A team of ranks with memory in common holds `whole` vectors whole, and its share of the others; in the end the first one
    has those that are `kept`, whole. Where there are other teams, each rank has messages, too.
    """
    team, ranks = size
    shares = max(
        kept * ranks, whole * ranks + (vectors - whole) * team
    )  # of the team, each one rank's part of a vector
    messages = MESSAGES if team < ranks else 0
    return 8 * words * (-(-shares // team) + messages) // ranks
