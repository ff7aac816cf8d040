"""The states that depth-first search has seen, in a table of a fixed size that forgets none (Berliner and Goetsch 1984).

A state is *expanded*, or it was *cut off* every time so far. When none is left that was only cut off, all states that can be
reached were seen, and an unsolvable one is known as such. Where the table is full, further states are not kept.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.hashing import mix
from searchbench.solvers.shared.transposition import LARGEST_WORTH, WORTH_SHIFT

USED, PENDING = range(2)
"""What is counted: the states that are kept, and those that were only cut off, with those that found no room."""
CUT: Final = (1 << WORTH_SHIFT) - 1
"""The word of a state that was only cut off. The word of another tells the number of the round that it was expanded in, and
above WORTH_SHIFT how much was left below the bound."""


class Kept(NamedTuple):
    """Hold the keys and the words (0: empty) of at most `room` states, by open addressing, and the counts."""

    keys: Any
    words: Any
    counts: Any
    room: int


def new_kept(room: int) -> Kept:
    """Return an empty table for so many states. Raises BadRequest."""
    if room < 1:
        raise BadRequest(f"a table of {room} states: expected at least 1")
    size = slots(room)
    return Kept(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(2, np.int64), room)


def slots(room: int) -> int:
    """Return a power of two that is at least 1.5 times as large."""
    return 1 << (room + room // 2).bit_length()


def slot_of(kept: Kept, key: int) -> int:
    """Return the slot where a key is, or where it belongs."""
    mask = len(kept.words) - 1
    slot = mix(key) & mask
    while kept.words[slot] != 0 and kept.keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


def keep(kept: Kept, slot: int, key: int, word: int) -> bool:
    """Enter a state in its empty slot, if there is room; tell whether there was."""
    if kept.counts[USED] >= kept.room:
        return False
    kept.counts[USED] += 1
    kept.keys[slot] = key
    kept.words[slot] = word
    return True


def note_cut(kept: Kept, key: int) -> None:
    """Note that a state was cut off."""
    slot = slot_of(kept, key)
    if kept.words[slot] == 0:
        kept.counts[PENDING] += 1
        keep(kept, slot, key, CUT)


def note_expanded(kept: Kept, key: int, left: int, now: int) -> bool:
    """Note that a state is expanded in the round `now`; tell whether it was not yet, in this round, with as much left."""
    slot = slot_of(kept, key)
    word = kept.words[slot]
    left = min(left, LARGEST_WORTH - 1)
    if word == 0:
        if not keep(kept, slot, key, left << WORTH_SHIFT | now):
            kept.counts[PENDING] += 1
        return True
    if word == CUT:
        kept.counts[PENDING] -= 1
    elif word & CUT == now and left < LARGEST_WORTH - 1 and word >> WORTH_SHIFT >= left:
        return False
    kept.words[slot] = left << WORTH_SHIFT | now
    return True
