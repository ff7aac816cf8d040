"""Go level by level until nothing is new, whatever the vectors are that a search works on (Edelkamp 2017).

With a working folder a search can be killed at any time and goes on later: from the last copy of its vectors, or, where
they are files, from the level at which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from searchbench.run import Run
from searchbench.store.planes import AlternatingCodes, PlaneCodes
from searchbench.store.working import WorkingFolder

Array = npt.NDArray[Any]
FEW: Final = 100
"""Of a layer with no more states than this, the numbers are listed."""


class Layers(NamedTuple):
    """Hold what a search found: how many states each depth has, the numbers of small layers, and all codes."""

    counts: list[int]
    few: dict[int, list[int]]
    codes: PlaneCodes | AlternatingCodes


class LevelSearch(Protocol):
    """LevelSearch a level at a time.

    `size` is how many states there may be, `vectors` are all that has to be kept to go on, `on_files` says that they are
    files. `ahead` is how many states of the next level were there before it was begun: a level was cut short.
    """

    size: int
    vectors: dict[str, Array]
    on_files: bool
    ahead: int

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find what has this depth; return how much it is, and if that is little the numbers."""
        ...

    def codes(self, counts: Sequence[int]) -> PlaneCodes | AlternatingCodes:
        """Return the codes of all states."""
        ...

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Take the vectors from a working folder, by whose record so many states are reached."""
        ...


def search_levels(search: LevelSearch, start: int, run: Run, work: WorkingFolder | None = None) -> Layers:
    """LevelSearch on from the state with the number `start`, which is depth 0, until nothing is new."""
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
    """Commit a level that is done: at once where the vectors are files, else with copies of them when it is time."""
    record = {"counts": counts, "few": {str(depth): numbers for depth, numbers in few.items()}}
    if search.on_files:
        work.commit(record)
    elif work.due:
        run.progress(f"depth {len(counts) - 1}, keeping a copy", sum(counts), search.size)
        work.commit(record, search.vectors, run)


def load_copies(work: WorkingFolder, vectors: dict[str, Array], run: Run) -> None:
    """Read the copies of all vectors."""
    for name, vector in vectors.items():
        work.load(name, vector, run)


def bits_in(words: Array) -> list[int]:
    """Return where the bits of thinly set words are."""
    filled = np.flatnonzero(words)
    return [64 * word + bit for word in filled.tolist() for bit in range(64) if int(words[word]) >> bit & 1]
