"""Tables of one line: the class of a cell, by the stones on both sides of it.

A *key* describes a line around an empty cell as one player sees it. For each of the cells within `reach`, from the lowest
to the highest, it has a bit "own stone"; above those, for each a bit "blocked": the opponent's stone, or no cell at all.
Five in a row may be exactly five or more (`exact` tells which); where only exactly five win, `reach` must be 5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Rule = Literal["free", "standard", "renju"]

LENGTH: Final = 5
"""How many stones in a row win."""

NOTHING, THREE, FOUR, STRAIGHT, FIVE = range(5)
"""The classes of a cell: THREE makes a straight four possible, FOUR makes one five possible, STRAIGHT two or more."""
CLASSES: Final = 5
CLASS_BITS: Final = 3

WEIGHTS: Final = (1, 3, 8, 8, 16)
"""What a window of five cells free of the opponent's stones adds to the value of its cells, by its number of own stones."""


class LineTables(NamedTuple):
    """Hold for each key: the class, the completing cells (a bit for each cell within reach), strength, and value.

    The strength is the largest number of own stones in a window of five cells that has no blocked cell.
    """

    classes: npt.NDArray[np.int8]
    completions: npt.NDArray[np.int32]
    strengths: npt.NDArray[np.int8]
    values: npt.NDArray[np.int16]


class Patterns(NamedTuple):
    """Hold the tables of both players, one after the other; `details` packs completions, strengths and values."""

    reach: int
    classes: npt.NDArray[np.int8]
    details: npt.NDArray[np.int32]


STRENGTH_MASK: Final = 7
STRENGTH_SHIFT, VALUE_SHIFT = 10, 13
"""Where a detail has the strength (3 bits) and the value, above the completions."""


@lru_cache(maxsize=3)
def patterns(rule: Rule) -> Patterns:
    """Return the tables of a rule.

    Under the rules of renju only exactly five black stones win, and five or more white ones. Under the standard rule only
    exactly five win. White's six or more count as a win here all the same: that can only make black's proof harder.
    """
    reach = 4 if rule == "free" else 5
    second = line_tables(reach, False)
    first = second if rule == "free" else line_tables(reach, True)
    details = [
        tables.completions
        | tables.strengths.astype(np.int32) << STRENGTH_SHIFT
        | tables.values.astype(np.int32) << VALUE_SHIFT
        for tables in (first, second)
    ]
    return Patterns(reach, np.concatenate([first.classes, second.classes]), np.concatenate(details))


def line_tables(reach: int, exact: bool) -> LineTables:
    """Return the tables of one player."""
    width = 2 * reach
    keys = np.arange(1 << 2 * width, dtype=np.int64)
    others = [place for place in range(width + 1) if place != reach]
    own = [np.ones(len(keys), bool)] * (width + 1)
    free = [np.ones(len(keys), bool)] * (width + 1)
    for bit, place in enumerate(others):
        own[place] = (keys >> bit & 1) != 0
        free[place] = ~own[place] & ((keys >> (bit + width) & 1) == 0)
    starts = range(reach - LENGTH + 1, reach + 1)

    def five(stones: list[Any]) -> Any:
        """Tell whether the stones make a five through the cell."""
        made = np.zeros(len(keys), bool)
        for start in starts:
            row = np.logical_and.reduce(stones[start : start + LENGTH])
            if exact:
                row &= ~stones[start - 1] & ~stones[start + LENGTH]
            made |= row
        return made

    def completing(stones: list[Any], kept: list[int]) -> dict[int, Any]:
        """Return by place whether a further stone there makes a five."""
        return {place: free[place] & five(_with(stones, place)) for place in others if place in kept}

    near = [place for place in others if abs(place - reach) < LENGTH]
    now = five(own)
    complete = completing(own, near)
    ways = np.zeros(len(keys), np.int8) + sum(one.astype(np.int8) for one in complete.values())
    three = np.zeros(len(keys), bool)
    for place in near:
        after = _with(own, place)
        rest = [other for other in near if other != place]
        two = sum(one.astype(np.int8) for one in completing(after, rest).values()) >= 2
        three |= free[place] & two & ~five(after)
    classes = np.where(three, THREE, NOTHING)
    classes = np.where(ways == 1, FOUR, np.where(ways >= 2, STRAIGHT, classes))
    classes = np.where(now, FIVE, classes).astype(np.int8)
    mask = np.zeros(len(keys), np.int32)
    for bit, place in enumerate(others):
        if place in complete:
            mask |= complete[place].astype(np.int32) << bit
    strengths = np.zeros(len(keys), np.int8)
    values = np.zeros(len(keys), np.int16)
    for start in starts:
        cells = [place for place in range(start, start + LENGTH) if place != reach]
        window = np.logical_and.reduce([own[place] | free[place] for place in cells])
        count = sum(own[place].astype(np.int8) for place in cells)
        strengths = np.maximum(strengths, np.where(window, count, 0)).astype(np.int8)
        values += np.where(window, np.array(WEIGHTS, np.int16)[count], 0).astype(np.int16)
    return LineTables(classes, mask, strengths, values)


def _with(stones: list[Any], place: int) -> list[Any]:
    """Return the stones with one more."""
    return [np.ones_like(row) if at == place else row for at, row in enumerate(stones)]


@lru_cache(maxsize=1)
def combined_classes() -> npt.NDArray[np.int8]:
    """Return the class of a cell for every combination of the classes in four directions, CLASS_BITS each.

    Two fours in different directions are as good as a straight four.
    """
    numbers = np.arange(1 << 4 * CLASS_BITS)
    parts = np.stack([numbers >> CLASS_BITS * direction & ((1 << CLASS_BITS) - 1) for direction in range(4)])
    best = parts.max(axis=0)
    return np.where((best == FOUR) & ((parts == FOUR).sum(axis=0) >= 2), STRAIGHT, best).astype(np.int8)
