"""An index for two players' stones in stacks: the heights of the stacks, then the owners of the stones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np

from searchbench.index import Part
from searchbench.rules import NOWHERE, State


@dataclass(frozen=True)
class Stacks:
    """Number the fillings of stacks of cells with the stones 1 and 2, placed alternately, 1 first.

    ``stacks`` lists the cells of each stack from the bottom up; every cell above an empty one is empty (0). A cell that
    can be filled at any time is a stack of its own. The numbers are ordered by the number of stones, then by the
    heights of the stacks, then by the set of 2's among the stones, counted stack by stack: the last stack and the last
    stone are most significant.
    """

    stacks: tuple[tuple[int, ...], ...]

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return sum(map(len, self.stacks))

    @property
    def size(self) -> int:
        """Return the number of fillings."""
        return self._starts[-1]

    def parts(self) -> list[Part]:
        """Return one part per number of stones: a move leads to the next part."""
        return [
            Part(
                str(stones), self._starts[stones], self._starts[stones + 1], (str(stones + 1),) * (stones < self.width)
            )
            for stones in range(self.width + 1)
        ]

    @cached_property
    def _ways(self) -> list[list[int]]:
        """Return ``ways[s][n]``: the number of heights of the first s stacks with n stones in all."""
        ways = [[1] + [0] * self.width]
        for stack in self.stacks:
            ways.append([sum(ways[-1][max(0, n - len(stack)) : n + 1]) for n in range(self.width + 1)])
        return ways

    @cached_property
    def _starts(self) -> list[int]:
        sizes = [ways * comb(stones, stones // 2) for stones, ways in enumerate(self._ways[-1])]
        return list(accumulate(sizes, initial=0))

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        cells, count = self.width, len(self.stacks)
        highest = max(map(len, self.stacks))
        starts = np.array(self._starts, np.int64)
        capacity = np.array([len(stack) for stack in self.stacks], np.int64)
        cell = np.array([[*stack, *[0] * (highest - len(stack))] for stack in self.stacks], np.int64) + at
        # lower[s, n, height]: the number of heights of the first s + 1 stacks, n stones in all, with a lower last
        # stack.
        lower = np.zeros((count, cells + 1, highest + 1), np.int64)
        for stack in range(count):
            for stones in range(cells + 1):
                for height in range(min(stones, highest)):
                    lower[stack, stones, height + 1] = lower[stack, stones, height] + self._ways[stack][stones - height]
        choose = np.array([[comb(n, k) for k in range(cells // 2 + 2)] for n in range(cells + 1)], np.int64)

        def rank(state: State) -> int:
            stones = 0
            twos = 0
            heights = 0
            colours = 0
            for stack in range(count):
                height = 0
                while height < capacity[stack] and state[cell[stack, height]] != 0:
                    if state[cell[stack, height]] == 2:
                        twos += 1
                        if 2 * twos > cells:
                            return NOWHERE
                        colours += choose[stones, twos]
                    stones += 1
                    height += 1
                for above in range(height, capacity[stack]):
                    if state[cell[stack, above]] != 0:
                        return NOWHERE
                heights += lower[stack, stones, height]
            if twos != stones >> 1:
                return NOWHERE
            number: int = starts[stones] + heights * choose[stones, twos] + colours
            return number

        def unrank(number: int, state: State) -> None:
            stones = 0
            while number >= starts[stones + 1]:
                stones += 1
            twos = stones >> 1
            number -= starts[stones]
            heights = number // choose[stones, twos]
            colours = number % choose[stones, twos]
            for stack in range(count - 1, -1, -1):
                height = min(stones, capacity[stack])
                while lower[stack, stones, height] > heights:
                    height -= 1
                heights -= lower[stack, stones, height]
                for above in range(height, capacity[stack]):
                    state[cell[stack, above]] = 0
                for place in range(height - 1, -1, -1):
                    stones -= 1
                    if twos > 0 and colours >= choose[stones, twos]:
                        colours -= choose[stones, twos]
                        twos -= 1
                        state[cell[stack, place]] = 2
                    else:
                        state[cell[stack, place]] = 1

        return rank, unrank
