"""The path from the root to the state at hand, and what a state is worth that comes back.

Play that never ends is a draw. A state that repeats one on the path, with the same player to move, therefore counts as
a draw: who wants to win gains nothing by it, for a win must be forced in a finite number of moves. A win found in this
way is a win however the state was reached. That it is *not* a win may be due to the path: such a result carries its
*path dependence*, the least depth of the path that it refers to. Once the search has left that depth the result holds of the
state itself, since a strategy that only returns to its own states is a complete one. (Compare the graph-history problem
in Allis 1994, section 2.3.4; results that rely on a path are not kept, so nothing wrong can be.)
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.rules import mix

NEVER: Final = 1 << 30
"""The path dependence of a result that does not depend on the path."""
_SLOTS: Final = 4
"""How many slots there are for each state that the path has room for; both numbers are powers of two."""


class Path(NamedTuple):
    """Hold the keys of the states from the root on, and a hash table with the depths + 1 of those in force (0: empty).

    States leave in the reverse order in which they enter, so a slot that is emptied never stands between another state
    and the slot where its search begins. `repetitions` counts how often a state has come back, in its one cell.
    """

    keys: Any
    slots: Any
    repetitions: Any


def new_path(depth: int) -> Path:
    """Return room for a path of so many states, a power of two."""
    return Path(np.zeros(depth, np.int64), np.zeros(_SLOTS * depth, np.int64), np.zeros(1, np.int64))


def longer(path: Path) -> Path:
    """Return a path that is full, all its states in force, with room for twice as many."""
    new = new_path(2 * len(path.keys))._replace(repetitions=path.repetitions)
    new.keys[: len(path.keys)] = path.keys
    for depth in range(len(path.keys)):
        enter(new, depth)
    return new


def enter(path: Path, depth: int) -> None:
    """Put the state of this depth, whose key is written already, in force."""
    path.slots[_slot(path, depth, 0)] = depth + 1


def leave(path: Path, depth: int) -> None:
    """Take the state of this depth, the last one in force, back."""
    path.slots[_slot(path, depth, depth + 1)] = 0


def _slot(path: Path, depth: int, held: int) -> int:
    """Return the first slot for the state of this depth that holds this number."""
    mask: int = len(path.slots) - 1
    slot: int = mix(path.keys[depth]) & mask
    while path.slots[slot] != held:
        slot = (slot + 1) & mask
    return slot


def earlier(path: Path, depth: int) -> int:
    """Return the depth where the state of this depth, not in force itself, occurred with the same player to move, or -1."""
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
