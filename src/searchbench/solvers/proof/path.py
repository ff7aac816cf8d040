"""Keep the path from the root to the current state, and detect repetitions.

Play that never ends is a draw. A state that repeats one on the path, with the same player to move, therefore counts as a
draw: the player who wants to win gains nothing by it, since a win must be forced in a finite number of moves. A win found
in this way is a win on any path. That a state is *not* a win may be due to the path: such a result carries its *path
dependence*, the least depth of the path that it refers to. Once the search has left that depth the result holds on any
path, since a strategy that only returns to its own states is complete. (Compare the graph-history-interaction problem in
Allis 1994, section 2.3.4; it does not arise here, because path-dependent results are not stored.)
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.hashing import mix

NEVER: Final = 1 << 30
"""The path dependence of a result that does not depend on the path."""
_SLOTS: Final = 4
"""Hash slots per state of the path; both the slots and the states are powers of two."""


class Path(NamedTuple):
    """The keys of the states from the root on, and a hash table of the depths + 1 of those on the path (0: empty).

    States leave in the reverse order of their entry, so an emptied slot never lies between another state and the slot where
    its probe begins. `repetitions[0]` counts the repetitions found.
    """

    keys: Any
    slots: Any
    repetitions: Any


def new_path(depth: int) -> Path:
    """Allocate a path of up to `depth` states, a power of two."""
    return Path(np.zeros(depth, np.int64), np.zeros(_SLOTS * depth, np.int64), np.zeros(1, np.int64))


def longer(path: Path) -> Path:
    """Copy a full path to one with twice the room."""
    new = new_path(2 * len(path.keys))._replace(repetitions=path.repetitions)
    new.keys[: len(path.keys)] = path.keys
    for depth in range(len(path.keys)):
        enter(new, depth)
    return new


def enter(path: Path, depth: int) -> None:
    """Enter the state of this depth, whose key is already written, into the hash table."""
    path.slots[_slot(path, depth, 0)] = depth + 1


def leave(path: Path, depth: int) -> None:
    """Remove the state of this depth, the last one entered, from the hash table."""
    path.slots[_slot(path, depth, depth + 1)] = 0


def _slot(path: Path, depth: int, held: int) -> int:
    """Return the first slot that holds the number `held` in the probe sequence of the state of this depth."""
    mask: int = len(path.slots) - 1
    slot: int = mix(path.keys[depth]) & mask
    while path.slots[slot] != held:
        slot = (slot + 1) & mask
    return slot


def earlier(path: Path, depth: int) -> int:
    """Return the least depth at which this state occurred with the same player to move, or -1.

    The state of `depth` must not be in the hash table. Counts a repetition.
    """
    key = path.keys[depth]
    mask: int = len(path.slots) - 1
    slot: int = mix(key) & mask
    found = -1
    while path.slots[slot] != 0:
        before = path.slots[slot] - 1
        if path.keys[before] == key and (depth - before) & 1 == 0:
            found = before
        slot = (slot + 1) & mask
    if found >= 0:
        path.repetitions[0] += 1
    return found
