"""Tables of a level, worked out from its walls and goals: where a lone stone can go, and what that costs.

A lone stone splits the floor, for the man, into at most four *sides*: the components of the floor without the stone's square. A
side is known by the lowest direction in which it touches the stone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.text import Level

NEVER: Final = 1 << 20
"""The distance where there is no way."""

_AROUND: Final = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))


@dataclass(frozen=True)
class LevelTables:
    """Hold a level and what follows from its walls and goals."""

    level: Level

    @cached_property
    def near(self) -> npt.NDArray[np.int32]:
        """Return the neighbours [squares, 4], -1 where there is a wall."""
        return np.array(self.level.near, np.int32)

    @cached_property
    def side(self) -> npt.NDArray[np.uint8]:
        """Return in which component of the floor without the square s the square m lies: [s, m], 0 .. 3; [s, s] is 0."""
        near = self.level.near
        count = len(near)
        found = np.zeros((count, count), np.uint8)
        for square, around in enumerate(near):
            first = next((direction for direction in range(4) if around[direction] >= 0), 0)
            found[square] = first
            if self._joins(square):
                continue
            known = [-1] * count
            known[square] = first
            for direction, begin in enumerate(around):
                if begin < 0 or known[begin] >= 0:
                    continue
                known[begin], waiting = direction, [begin]
                for one in waiting:  # which grows
                    for other in near[one]:
                        if other >= 0 and known[other] < 0:
                            known[other] = direction
                            waiting.append(other)
            found[square] = known
        return found

    def _joins(self, square: int) -> bool:
        """Tell whether the neighbours of a square are joined by the eight squares around it, so that it parts nothing."""
        row, column = self.level.cells[square]
        free = [(row + dr, column + dc) in self.level.numbers for dr, dc in _AROUND]
        arcs = 0
        for place in range(0, 8, 2):  # an arc of free squares ends where one of two adjacent ones is a wall
            if free[place] and not (free[(place + 1) % 8] and free[(place + 2) % 8]):
                arcs += 1
        return arcs <= 1

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Return the sides that there are of each square."""
        side = self.side
        return tuple(
            tuple(sorted({int(side[square, one]) for one in around if one >= 0})) or (0,)
            for square, around in enumerate(self.level.near)
        )

    @cached_property
    def pulls(self) -> list[list[tuple[int, int]]]:
        """Return for each place (four times the square, plus the side of the man) the places one pull away, and the push."""
        near, side = self.level.near, self.side.tolist()
        found: list[list[tuple[int, int]]] = [[] for _ in range(4 * len(near))]
        for square, around in enumerate(near):
            for direction in range(4):
                before = around[direction ^ 1]  # where the stone was, and where the man is now
                if before < 0:
                    continue
                man = near[before][direction ^ 1]
                if man >= 0:
                    here = 4 * square + side[square][before]
                    found[here].append((4 * before + side[before][man], direction))
        return found

    def distances_to(self, square: int) -> list[int]:
        """Return the pushes that bring a lone stone from each place (square and side of the man) to a square, or NEVER."""
        found = [NEVER] * (4 * len(self.level.near))
        waiting = [4 * square + side for side in self.sides[square]]
        for place in waiting:
            found[place] = 0
        for place in waiting:  # which grows
            for before, _ in self.pulls[place]:
                if found[before] == NEVER:
                    found[before] = found[place] + 1
                    waiting.append(before)
        return found

    @cached_property
    def distances(self) -> npt.NDArray[np.int32]:
        """Return the pushes of a lone stone to each goal, [4 squares + side of the man, goals]; NEVER if there is no way."""
        return np.array([self.distances_to(goal) for goal in self.level.goals], np.int32).T.copy()

    @cached_property
    def nearest(self) -> npt.NDArray[np.int32]:
        """Return the pushes from each square to the nearest goal, the man wherever he likes at first; NEVER if none."""
        return np.asarray(self.from_best_side.min(axis=1), np.int32)

    @cached_property
    def from_best_side(self) -> npt.NDArray[np.int32]:
        """Return the pushes from each square to each goal, the man at the best side at first: [squares, goals]."""
        count = len(self.level.near)
        return np.asarray(self.distances.reshape(count, 4, -1).min(axis=1))

    @cached_property
    def live(self) -> npt.NDArray[np.uint8]:
        """Return 1 for each square from which a lone stone can come to a goal; the others are dead squares."""
        return (self.nearest < NEVER).astype(np.uint8)
