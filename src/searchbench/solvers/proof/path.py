"""The path from the root to the state at hand, and what a state is worth that comes back.

Play that never ends is a draw. A state that repeats one on the path, with the same player to move, therefore counts as
a draw: who wants to win gains nothing by it, for a win must be forced in a finite number of moves. A win found in this
way is a win however the state was reached. That it is *not* a win may be due to the path: such a result carries its
*reliance*, the least depth of the path that it refers to. Once the search has left that depth the result holds of the
state itself, since a strategy that only returns to its own states is a complete one. (Compare the graph-history problem
in Allis 1994, section 2.3.4; results that rely on a path are not kept, so nothing wrong can be.)
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

NEVER: Final = 1 << 30
"""The reliance of a result that does not depend on the path."""
_SMALLEST: Final = 1 << 12
_CLASSES: Final = 16
"""How many classes of states there are for each state of the longest path, so that few fall into the same."""


class Path(NamedTuple):
    """Hold the keys of the states from the root on, and how many of those in force fall into each of some classes.

    `repetitions` counts how often a state has come back, in its one cell.
    """

    keys: Any
    seen: Any
    repetitions: Any


def new_path(depth: int) -> Path:
    """Return room for a path of so many states."""
    return Path(np.zeros(depth, np.int64), np.zeros(_SMALLEST, np.int64), np.zeros(1, np.int64))


def longer(path: Path) -> Path:
    """Return a path that is full, all its states in force, with room for twice as many."""
    seen = np.zeros(max(_SMALLEST, 2 * _CLASSES * len(path.keys)), np.int64)
    np.add.at(seen, path.keys & (len(seen) - 1), 1)
    return path._replace(keys=np.concatenate([path.keys, np.zeros_like(path.keys)]), seen=seen)


def enter(path: Path, depth: int) -> None:
    """Put the state of this depth, whose key is written already, in force."""
    path.seen[path.keys[depth] & (len(path.seen) - 1)] += 1


def leave(path: Path, depth: int) -> None:
    """Take the state of this depth back."""
    path.seen[path.keys[depth] & (len(path.seen) - 1)] -= 1


def earlier(path: Path, depth: int) -> int:
    """Return the depth where the state of this depth, not in force itself, occurred with the same player to move, or -1."""
    key = path.keys[depth]
    if path.seen[key & (len(path.seen) - 1)] > 0:
        for before in range(depth - 2, -1, -2):
            if path.keys[before] == key:
                path.repetitions[0] += 1
                return before
    return -1
