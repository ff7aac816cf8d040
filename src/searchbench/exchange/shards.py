"""A table that ranks share: which numbers each of them holds, and the exchange of requests and of codes.

Each interval of the number line is divided into stripes of whole blocks, dealt out to the ranks in turn; so a bucket of
requests has one rank to go to. After each round every rank sends one message to every other, with all requests to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.memory import BLOCK_BITS, Buckets
from searchbench.exchange.messages import Received, Some, packed
from searchbench.exchange.ranks import Array, Numbers, current
from searchbench.exchange.shared_memory import SharedMemory, Team
from searchbench.exchange.team_buckets import readable

STRIPES: Final = 8
"""How many stripes a rank has of each interval, where it has enough blocks: states that take long may lie together."""
LEAST_BLOCKS: Final = 16
"""How many blocks a rank should have, if they are not to become too many."""
MOST_BLOCKS_BITS: Final = 16
"""A line that a few blocks would do for has at most 2 to this power of them."""
SMALL: Final = 1 << 16
"""A line of fewer numbers is held by one rank whole: rounds with few requests take longer to agree on than to do."""
_SLICES: Final = 8
"""In how many slices a rank applies its own requests, and looks for messages in between, if they take more than:"""
_FEW_PAGES: Final = 256
_REQUESTS: Final = (1, 2)
"""The tags of requests, in even and odd rounds: a quick rank may be a round ahead of a slow one."""
_CODES: Final = 3
_NOBODY: Final = -1


class Sharing(Protocol):
    """Say which numbers of a table are at work here, and let requests go to those who hold their numbers."""

    count: int
    """How many processes share the table."""
    memory: SharedMemory | None
    """The memory that those of a machine have in common; all who share the table make arrays there together."""

    def own(self, bounds: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return start, stop, start, stop, ... of the numbers in some intervals that are held here."""
        ...

    def deliver(self, buckets: Buckets, written: Callable[[], Any]) -> Iterator[Buckets]:
        """Yield the requests to numbers that are held here, from here and from elsewhere, and send away the others.

        `written` waits until all who share the table have written theirs.
        """
        ...


class Whole:
    """Hold all numbers."""

    count = 1
    memory: SharedMemory | None = None

    def own(self, bounds: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return all intervals."""
        return bounds

    def deliver(self, buckets: Buckets, written: Callable[[], Any]) -> Iterator[Buckets]:
        """Yield all requests."""
        yield buckets


WHOLE: Final = Whole()


class Shards:
    """Hold this rank's shard of some intervals: the blocks that are dealt out to it."""

    def __init__(
        self,
        bounds: npt.NDArray[Any],
        block_bits: int,
        target: jit.Target = "cpu",
        memory: SharedMemory | None = None,
    ) -> None:
        self._ranks = current()
        self._target: jit.Target = target
        self.count = self._ranks.count
        self.block_bits = block_bits
        self.whole = holders(_size(bounds), self.count) == 1
        """Whether the first rank holds all of it."""
        self.memory = None if self.whole else memory
        self._first, self._owner = owners(bounds, block_bits, 1 if self.whole else self.count)
        self._bounds = bounds
        self._asked, self._own = bounds, self.of(self._ranks.rank, bounds)
        self._round = 0

    def own(self, bounds: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return start, stop, start, stop, ... of the numbers in some intervals that this rank holds."""
        if bounds is not self._asked:  # one asks for the same many times
            self._asked, self._own = bounds, self.of(self._ranks.rank, bounds)
        return self._own

    def of(self, rank: int, bounds: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Return the numbers that a rank holds, by default of all intervals."""
        edges = np.diff(np.concatenate([[0], self._owner == rank, [0]]).astype(np.int8))
        firsts = (np.flatnonzero(edges == 1) + self._first) << self.block_bits
        stops = (np.flatnonzero(edges == -1) + self._first) << self.block_bits
        found = []
        for start, stop in (self._bounds if bounds is None else bounds).reshape(-1, 2).tolist():
            low, high = firsts.clip(start, stop), stops.clip(start, stop)
            found.append(np.stack([low, high], axis=1)[low < high])
        return np.concatenate(found).ravel() if found else np.empty(0, np.int64)

    def deliver(self, buckets: Buckets, written: Callable[[], Any]) -> Iterator[Buckets]:
        """Send the requests to others' numbers; yield those to this rank's own: from here, from its machine, and from elsewhere.

        The ranks of a machine read each other's buckets where they lie, once all are `written`. A rank gets one message from
        every other, perhaps an empty one; none where one rank holds all.
        """
        if self.whole:
            yield buckets
            return
        ranks, near = self._ranks, readable(buckets)
        far = [to for step in range(1, ranks.count) if (to := (ranks.rank + step) % ranks.count) not in near]
        tag = _REQUESTS[self._round % 2]
        self._round += 1
        sent = []  # kept until they have gone
        filled, owner = self._addressed(buckets)
        for to in far:
            sent.append(packed(buckets, filled[owner == to], self._target))
            ranks.send(sent[-1], to, tag)
        here = filled[owner == ranks.rank].tolist()
        arrived: list[Array] = []
        slices = _SLICES if far and sum(int(pages.used[0]) for pages in buckets.writers) > _FEW_PAGES else 1
        for place in range(slices):
            some = here[place::slices]
            if some:
                yield Some(buckets, some)
            while len(arrived) < len(far) and (found := ranks.receive(tag)) is not None:
                arrived.append(found[1])
        if near:
            written()
            for theirs in near.values():
                filled, owner = self._addressed(theirs)
                if (owner == ranks.rank).any():
                    yield Some(theirs, filled[owner == ranks.rank].tolist())
        yield from self._received(buckets, arrived, len(far), tag)

    def _addressed(self, buckets: Buckets) -> tuple[Numbers, Numbers]:
        """Return the filled buckets, and the ranks that hold their numbers."""
        filled = np.array(buckets.filled(), np.int64)
        return filled, self._owner[filled - self._first].astype(np.int64) if len(filled) else filled

    def _received(self, buckets: Buckets, arrived: list[Array], expected: int, tag: int) -> Iterator[Buckets]:
        """Yield the requests of messages that have arrived, and of those that still come."""
        done = 0
        while done < expected:
            if done == len(arrived):
                found = self._ranks.receive(tag)
                if found is None:
                    continue
                arrived.append(found[1])
            data, arrived[done] = arrived[done], np.empty(0, np.uint8)
            done += 1
            message = data.view(np.int64)
            if message[0]:
                yield Received(message, buckets.block_bits, buckets.count)
        if expected:
            self._ranks.settle()


def holders(numbers: int, count: int) -> int:
    """Return how many of `count` ranks hold some of so many numbers."""
    return count if numbers >= SMALL else 1


def _size(bounds: npt.NDArray[Any]) -> int:
    return int((bounds[1::2] - bounds[::2]).sum())


def block_bits(line: int, numbers: int, count: int) -> int:
    """Return the size of blocks, as a power of two: large enough for few buckets, small enough for each rank to have some."""
    wanted = max(1, numbers // (LEAST_BLOCKS * count)).bit_length() - 1
    least = max(0, line.bit_length() - MOST_BLOCKS_BITS)
    return min(BLOCK_BITS, max(wanted, least))


def owners(bounds: npt.NDArray[Any], bits: int, count: int) -> tuple[int, npt.NDArray[np.int32]]:
    """Return the first block that some intervals touch, and the rank that holds each block from there on (-1: none)."""
    pairs = [(start >> bits, -(-stop >> bits)) for start, stop in bounds.reshape(-1, 2).tolist() if start < stop]
    first = min((low for low, _ in pairs), default=0)
    owner = np.full(max((high for _, high in pairs), default=0) - first, _NOBODY, np.int32)
    for low, high in pairs:
        free = np.flatnonzero(owner[low - first : high - first] == _NOBODY) + low - first
        stripes = count * STRIPES if len(free) >= count * STRIPES else count
        owner[free] = np.arange(len(free)) * stripes // max(1, len(free)) % count
    return first, owner


def redistribute(codes: Array, held: Sequence[Numbers], wanted: Sequence[Numbers], near: Team = ()) -> None:
    """Have every rank get the codes that it wants from those who hold them; the table's codes may be of several types.

    `held` and `wanted` are the intervals of each rank, in order; what nobody holds stays as it is. All ranks have one type.
    Ranks `near` this one hold theirs in the same array, and send none.
    """
    ranks = current()
    mine = held[ranks.rank]
    sent = []
    far = [to for step in range(1, ranks.count) if (to := (ranks.rank + step) % ranks.count) not in near]
    for to in far:
        some = common(mine, wanted[to])
        sent.append(np.concatenate([codes[:0], *(codes[start:stop] for start, stop in some.reshape(-1, 2).tolist())]))
        ranks.send(sent[-1], to, _CODES)
    left = len(far)
    while left:
        message = ranks.receive(_CODES)
        if message is not None:
            _put(message[1].view(codes.dtype), codes, common(held[message[0]], wanted[ranks.rank]))
            left -= 1
    ranks.settle()
    ranks.gather(None)  # or a quick rank's next codes come among these


def _put(data: Array, codes: Array, bounds: Numbers) -> None:
    done = 0
    for start, stop in bounds.reshape(-1, 2).tolist():
        codes[start:stop] = data[done : done + stop - start]
        done += stop - start


def common(one: Numbers, other: Numbers) -> Numbers:
    """Return the numbers that two lists of intervals have in common, each in order and without overlaps."""
    found: list[tuple[int, int]] = []
    left, right = one.reshape(-1, 2).tolist(), other.reshape(-1, 2).tolist()
    at = 0
    for start, stop in left:
        while at < len(right) and right[at][1] <= start:
            at += 1
        place = at
        while place < len(right) and right[place][0] < stop:
            found.append((max(start, right[place][0]), min(stop, right[place][1])))
            place += 1
    return np.array([end for pair in found if pair[0] < pair[1] for end in pair], np.int64)
