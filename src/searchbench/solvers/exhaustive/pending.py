"""Which stretches of the table hold states of which level, so that a level need not look through all of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.exchange.decisions import reduce_min
from searchbench.exchange.space import untouched
from searchbench.values.contract import level

STRETCH_BITS: Final = 14
STRETCH: Final = 1 << STRETCH_BITS
SLOTS: Final = 512
"""Levels that differ by so many share a slot: a level may then look in vain, but none is passed over."""
BLOCK: Final = 64
"""How many codes are compared at a time."""

Flags = Any
"""A byte for each slot and stretch: whether the stretch may hold states of such a level that are not backed up yet."""


def set_pending(pending: Flags, number: int, now: int) -> None:
    """Note that a state has got a level."""
    pending[now & (SLOTS - 1), number >> STRETCH_BITS] = 1


def next_pending(codes: Any, illegal: int, first: int, stop: int, now: int, here: Any, pending: Flags) -> int:
    """Return the first state of level `now` among first .. stop - 1, or `stop`; only stretches marked in `here` are seen.

    States of a later level that shares the slot are marked again.
    """
    slot = now & (SLOTS - 1)
    while first < stop:
        if here[first >> STRETCH_BITS] == 0:
            first = (first | (STRETCH - 1)) + 1
            continue
        end = min(stop, (first | (BLOCK - 1)) + 1)
        if in_slot(codes[first:end], now) == 0:
            first = end
            continue
        while first < end:
            code = codes[first]
            if code != illegal:
                found = level(code)
                if found == now:
                    return first
                if found > now and found & (SLOTS - 1) == slot:
                    pending[slot, first >> STRETCH_BITS] = 1
            first += 1
    return stop


def in_slot(codes: Any, now: int) -> int:
    """Count the codes whose level shares the slot of a level (and perhaps some without a level)."""
    count = 0
    for index in range(len(codes)):
        if (level(codes[index]) - now) & (SLOTS - 1) == 0:
            count += 1
    return count


def new_flags(size: int) -> npt.NDArray[Any]:
    """Return marks for a number line, none of them set."""
    stretches = (size >> STRETCH_BITS) + 1
    return untouched(SLOTS * stretches, np.uint8, huge=False).reshape(SLOTS, stretches)


def next_level(pending: Flags, bounds: npt.NDArray[Any], now: int) -> int:
    """Return the first level from `now` on for which something is due, or -1."""
    due = np.zeros(SLOTS, np.bool_)
    for start, stop in bounds.reshape(-1, 2).tolist():
        due |= pending[:, _stretches(start, stop)].any(axis=1)
    return reduce_min(now + (np.flatnonzero(due) - now) % SLOTS, -1)


def pending_anywhere(pending: Flags, bounds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the marks of all levels together."""
    here: npt.NDArray[Any] = np.zeros_like(pending[0])
    for start, stop in bounds.reshape(-1, 2).tolist():
        span = _stretches(start, stop)
        here[span] = pending[:, span].any(axis=0)
    return here


def least_level(codes: Any, illegal: int, first: int, stop: int, now: int) -> int:
    """Return the least level from `now` on of the states first .. stop - 1, or -1."""
    least = -1
    for number in range(first, stop):
        if codes[number] != illegal:
            found = level(codes[number])
            if found >= now and (least < 0 or found < least):
                least = found
    return least


def take_pending(pending: Flags, now: int) -> npt.NDArray[Any]:
    """Return the marks of a level's slot, which are taken away."""
    row = pending[now & (SLOTS - 1)]
    here: npt.NDArray[Any] = row.copy()
    row[here != 0] = 0  # and only there: marks that nobody writes to take no memory
    return here


def pending_chunks(here: npt.NDArray[Any], bounds: npt.NDArray[Any], size: int) -> list[tuple[int, int]]:
    """Return the pieces of some intervals, each of at most `size` numbers, that have marked stretches."""
    firsts, stops = _pieces(bounds.tobytes(), size)
    before = np.zeros(len(here) + 1, np.int64)  # how many stretches before each are marked
    np.cumsum(here != 0, out=before[1:])
    there = (before[((stops - 1) >> STRETCH_BITS) + 1] > before[firsts >> STRETCH_BITS]).nonzero()[0]
    return list(zip(firsts[there].tolist(), stops[there].tolist(), strict=True))


@lru_cache(maxsize=4)
def _pieces(bounds: bytes, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the first numbers of all pieces of some intervals, and where each stops."""
    firsts, stops = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, stop in np.frombuffer(bounds, np.int64).reshape(-1, 2).tolist():
        firsts.append(np.arange(start, stop, size))
        stops.append(np.minimum(firsts[-1] + size, stop))
    return np.concatenate(firsts), np.concatenate(stops)


def _stretches(start: int, stop: int) -> slice:
    """Return the stretches that an interval touches: none where it is empty, as a part may be."""
    first = start >> STRETCH_BITS
    return slice(first, ((stop - 1) >> STRETCH_BITS) + 1 if start < stop else first)


def pack_flags(marks: npt.NDArray[Any], bounds: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the marks of some intervals, of one slot or of all, as bits."""
    spans = [_stretches(start, stop) for start, stop in bounds.reshape(-1, 2).tolist()]
    return np.packbits(np.concatenate([marks.ravel()[:0], *(marks[..., span].ravel() for span in spans)]))


def unpack_flags(packed: npt.NDArray[Any], marks: npt.NDArray[Any], bounds: npt.NDArray[Any]) -> None:
    """Add those marks of some intervals that `pack_flags` packed."""
    bits = np.unpackbits(packed)
    done = 0
    for start, stop in bounds.reshape(-1, 2).tolist():
        some = marks[..., _stretches(start, stop)]
        some |= bits[done : done + some.size].reshape(some.shape)
        done += some.size
