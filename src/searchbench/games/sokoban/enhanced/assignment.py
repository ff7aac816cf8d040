"""Goals for stones: whether each stone can have one of its own among those that it can come to, all of them bits of a word."""

from __future__ import annotations

from typing import Any, Final

from searchbench.jit import trailing_zeros

MOST_GOALS: Final = 62
WISHES, WAITING, PARTNER, CAME, GOAL_OF = range(5)
"""Rows of the scratch space, of 64 bits: the goals of each stone, a queue, the stone of a goal, the stone that asks
for a goal, and the goal of a stone."""
ROWS: Final = 5


def can_be_assigned(scratch: Any, stones: int) -> bool:
    """Tell whether the stones whose goals stand in WISHES can have different ones, by augmenting paths (Kuhn 1955)."""
    for goal in range(MOST_GOALS):
        scratch[PARTNER, goal] = -1
    for first in range(stones):
        scratch[GOAL_OF, first] = -1
        scratch[WAITING, 0] = first
        head, tail, met, free = 0, 1, 0, -1
        while head < tail and free < 0:
            stone = scratch[WAITING, head]
            head += 1
            left = scratch[WISHES, stone] & ~met
            met |= left
            while left != 0 and free < 0:
                goal = trailing_zeros(left)
                left &= left - 1
                scratch[CAME, goal] = stone
                if scratch[PARTNER, goal] < 0:
                    free = goal
                else:
                    scratch[WAITING, tail] = scratch[PARTNER, goal]
                    tail += 1
        if free < 0:
            return False
        while free >= 0:
            stone = scratch[CAME, free]
            before = scratch[GOAL_OF, stone]
            scratch[PARTNER, free], scratch[GOAL_OF, stone] = stone, free
            free = before
    return True
