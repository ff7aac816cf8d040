"""Buckets that the ranks of a machine have in common: each fills its own, and reads those of the others where they lie.

Of each rank there are two sets, used in turn: while it fills one, the others may still read what it wrote into the other.
That all have read it is known as soon as all have filled the next, so a round needs one agreement of the ranks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.exchange.decisions import reduce_any
from searchbench.exchange.memory import BLOCK_BITS, PAGE, Buckets, Pages, pages_within
from searchbench.exchange.ranks import current
from searchbench.exchange.shared_memory import SharedMemory

SETS: Final = 2
_ALIGNED: Final = 512
"""The pages of each writer begin at a multiple of so many words."""

_Words = npt.NDArray[np.int64]


class Room:
    """Hold memory that the ranks of each machine have in common, from one use to the next."""

    def __init__(self, memory: SharedMemory) -> None:
        self.memory = memory
        self._words: _Words = np.empty(0, np.int64)

    def words(self, size: int) -> _Words:
        """Return so many words, with any contents; all ranks ask together, those of a machine for as many."""
        if reduce_any([size > len(self._words)]):
            self._words = self.memory.array(max(size, len(self._words)), np.int64)
        return self._words


class TeamBuckets(Buckets):
    """Keep the requests of one round of a rank where the others of its team can read them.

    All ranks make such buckets together, with as many blocks, and empty them (`clear`) equally often. `memory` is what the
    sets of this rank take together. A team agrees between filling and reading them.
    """

    def __init__(
        self,
        room: Room,
        size: int,
        writers: int,
        reserve: int,
        memory: int,
        block_bits: int = BLOCK_BITS,
        page: int = PAGE,
    ) -> None:
        self.block_bits = block_bits
        self.count = self.blocks(size, block_bits)
        self.team = room.memory.team
        told: list[tuple[int, int]] = current().gather((writers, pages_within(writers, reserve, memory // SETS, page)))
        needed = [(rank, *told[rank]) for rank in self.team]
        words = room.words(sum(SETS * threads * self._size(pages, page) for _, threads, pages in needed))
        done = 0
        self._sets: dict[int, list[list[Pages]]] = {}
        for rank, threads, pages in needed:
            step = self._size(pages, page)
            places = [done + step * place for place in range(SETS * threads)]
            found = [self._pages(words[place : place + step], pages, page) for place in places]
            self._sets[rank] = [found[:threads], found[threads:]]
            done += step * SETS * threads
        self._turn = 0
        self.writers = self._sets[current().rank][0]
        for some in self._sets[current().rank]:
            self.empty(some)

    def _size(self, pages: int, page: int) -> int:
        wanted = pages * (page + 2) + self.count + 1
        return -(-wanted // _ALIGNED) * _ALIGNED

    def _pages(self, words: _Words, pages: int, page: int) -> Pages:
        ends = np.cumsum([pages * page, pages, pages, self.count, 1]).tolist()
        requests, fill, before, last, used = (
            words[start:stop] for start, stop in zip([0, *ends[:-1]], ends, strict=True)
        )
        return Pages(requests.reshape(pages, page), fill, before, last, used)

    def of(self, rank: int) -> Buckets:
        """Return the buckets that a rank of the team has filled in this round."""
        found = Buckets.__new__(Buckets)
        found.block_bits, found.count, found.writers = self.block_bits, self.count, self._sets[rank][self._turn]
        return found

    @property
    def reach_all(self) -> bool:
        """Tell whether every rank can read those of every other."""
        return len(self.team) == current().count

    def clear(self) -> None:
        """Turn to the other set, and empty it."""
        self._turn = 1 - self._turn
        self.writers = self._sets[current().rank][self._turn]
        self.empty(self.writers)


def readable(buckets: Buckets) -> dict[int, Any]:
    """Return the ranks that can read some buckets where they lie, but for this one, each with the buckets it has filled."""
    if not isinstance(buckets, TeamBuckets):
        return {}
    me = current().rank
    return {rank: buckets.of(rank) for rank in buckets.team if rank != me}
