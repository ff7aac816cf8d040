"""Deadlock tables of an instance: placements of stones in windows of 4 x 5 squares, each searched when it is first met.

A window lies around the target of a push, five squares along the push and four across. Its walls, goals and dead
squares are those of the level. Outside everything is as good as it can be: the man can walk everywhere, and a stone
that leaves the window is gone. A stone on a goal need not leave. If no sequence of pushes then takes the stones away,
the placement is a deadlock of the level.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.games.sokoban.enhanced.board import AT
from searchbench.games.sokoban.enhanced.controls import WINDOW_EFFORT
from searchbench.games.sokoban.tables import LevelTables
from searchbench.games.sokoban.text import STEPS
from searchbench.hashing import mix
from searchbench.jit import trailing_zeros

LENGTH, BREADTH = 5, 4
CELLS: Final = LENGTH * BREADTH
OUTSIDE, DEAD_OUTSIDE = CELLS, CELLS + 1
"""Neighbours outside of the window: floor, and floor where a stone would be lost."""
CACHE_BITS: Final = 18
ROOM: Final = 1024
"""Room for the placements of a search."""
SEEN_KEYS, STACK, PLACES = range(3)
"""The rows of the scratch space: hashes of placements, those that wait, and how many hashes there are, and where they stand."""


class Windows(NamedTuple):
    """Hold two windows for each square and direction; `squares[w, k]` is the square of a cell, `near[w, k, d]` its neighbours.

    `steps[w, k]` is the set of the neighbours, where the bit OUTSIDE stands for all that lie outside. `sets[w]` are four sets
    of cells: those where a stone may stand, the goals, those next to the outside, and the man's cell behind the push.
    `cache` has the placements that are known, and `verdicts` what is known of them.
    """

    squares: Any
    near: Any
    steps: Any
    sets: Any
    cache: Any
    verdicts: Any
    scratch: Any


def windows_of(tables: LevelTables, used: bool) -> Windows:
    """Return the windows of a level; empty arrays where they are not `used`."""
    level = tables.level
    count = len(level.cells)
    size = 1 << CACHE_BITS if used else 4
    cache, verdicts = np.full(size, -1, np.int64), np.zeros(size, np.int8)
    scratch = np.zeros((PLACES + 1, 2 * ROOM), np.int64)
    scratch[SEEN_KEYS] = -1
    if not used:
        return Windows(np.zeros((1, CELLS), np.int16), np.zeros((1, CELLS, 4), np.int8), np.zeros((1, CELLS), np.int64),
                       np.zeros((1, 4), np.int64), cache, verdicts, scratch)  # fmt: skip
    margin = LENGTH
    grid = np.full((level.height + 2 * margin, level.width + 2 * margin), -1, np.int64)
    rows, columns = np.array(level.cells).T + margin
    grid[rows, columns] = np.arange(count)
    squares, near = np.zeros((8 * count, CELLS), np.int16), np.zeros((8 * count, CELLS, 4), np.int8)
    steps, sets = np.zeros((8 * count, CELLS), np.int64), np.zeros((8 * count, 4), np.int64)
    # The last row of each stands for what the grid says of walls: -1.
    live, goals = np.append(tables.live != 0, False), np.zeros(count + 1, bool)
    goals[list(level.goals)] = True
    all_near = np.vstack([tables.near, np.full((1, 4), -1, np.int32)])
    for direction, (dr, dc) in enumerate(STEPS):
        for mirror in range(2):
            which, place = slice(2 * direction + mirror, None, 8), _places(dr, dc, mirror)
            y, x = np.array(list(place)).T
            inside = np.array([[place.get((up + sy, left + sx), -1) for sy, sx in STEPS] for up, left in place])
            here = grid[rows[:, None] + y, columns[:, None] + x]
            there = all_near[here]
            outside = np.where(live[there], OUTSIDE, DEAD_OUTSIDE)
            found = np.where(there < 0, -1, np.where(inside >= 0, inside, outside))
            squares[which], near[which] = here, found
            steps[which] = np.bitwise_or.reduce(np.where(found < 0, 0, 1 << np.minimum(found, OUTSIDE)), axis=2)
            sets[which, :3] = np.transpose([_bits(live[here]), _bits(goals[here]), _bits((found >= CELLS).any(axis=2))])
            sets[which, 3] = place[-dr, -dc]
    return Windows(squares, near, steps, sets, cache, verdicts, scratch)


def _places(dr: int, dc: int, mirror: int) -> dict[tuple[int, int], int]:
    """Return the cells of a window around the target of a push in a direction, by where they lie from there."""
    found = {}
    for row in range(LENGTH):
        for column in range(BREADTH):
            ahead, aside = 2 - row, column - 1 - mirror
            found[ahead * dr + aside * dc, ahead * dc - aside * dr] = row * BREADTH + column
    return found


def _bits(cells: Any) -> npt.NDArray[np.int64]:
    """Return the sets of cells of some windows as bits."""
    bits: npt.NDArray[np.int64] = np.left_shift(cells, np.arange(CELLS), dtype=np.int64).sum(axis=1)
    return bits


def is_window_dead(work: Any, square: int, target: int, direction: int) -> bool:
    """Tell whether a push makes a deadlock in one of the two windows around its target."""
    return _is_dead(work, square, target, 8 * target + 2 * direction) or _is_dead(
        work, square, target, 8 * target + 2 * direction + 1
    )


def _is_dead(work: Any, square: int, target: int, window: int) -> bool:
    windows, board = work.windows, work.board
    stones = 0
    for cell in range(CELLS):
        here = windows.squares[window, cell]
        if here >= 0 and here != square and (here == target or board[AT, here] != 0):
            stones |= 1 << cell
    allowed, goals = windows.sets[window, 0], windows.sets[window, 1]
    if stones & ~goals == 0 or stones & (stones - 1) == 0 or stones & ~allowed != 0:
        return False
    key = window << CELLS | stones
    place = mix(key) & (len(windows.cache) - 1)
    if windows.cache[place] != key:
        windows.verdicts[place] = search_window(windows, window, stones, work.controls[WINDOW_EFFORT])
        windows.cache[place] = key
    return bool(windows.verdicts[place] != 0)


def reach(windows: Any, window: int, stones: int, man: int) -> int:
    """Return the set of cells that the man can walk to from a cell; the bit OUTSIDE stands for the outside."""
    found = fresh = 1 << man
    while fresh != 0:
        more = windows.sets[window, 2] if fresh >> OUTSIDE & 1 else 0
        cells = fresh & (1 << OUTSIDE) - 1
        while cells != 0:
            more |= windows.steps[window, trailing_zeros(cells)]
            cells &= cells - 1
        fresh = more & ~found & ~stones
        found |= fresh
    return int(found)


def search_window(windows: Any, window: int, stones: int, effort: int) -> int:
    """Return 1 for a placement, with the man behind the push, from which the stones off the goals cannot all go away; else 0."""
    near, sets, seen, stack = windows.near, windows.sets, windows.scratch[SEEN_KEYS], windows.scratch[STACK]
    places = windows.scratch[PLACES]
    allowed, goals, mask = sets[window, 0], sets[window, 1], 2 * ROOM - 1
    for last in range(places[0]):
        seen[places[1 + last]] = -1
    places[0] = 0
    stack[0] = stones << 5 | sets[window, 3]
    top, base, count = 1, 0, 0
    while top > 0:
        top = base = top - 1
        stones, man = stack[top] >> 5, stack[top] & 31
        if stones & ~goals == 0:
            return 0
        area = reach(windows, window, stones, man)
        key = stones << 21 | area
        place = mix(key) & mask
        while seen[place] != -1 and seen[place] != key:
            place = (place + 1) & mask
        if seen[place] == key:
            continue
        seen[place] = key
        count += 1
        places[0], places[count] = count, place
        if count >= min(effort, ROOM) or top + 4 * CELLS >= 2 * ROOM:
            return 0
        for cell in range(CELLS):
            if stones >> cell & 1 == 0:
                continue
            left = False
            for direction in range(4):
                behind, target = int(near[window, cell, direction ^ 1]), int(near[window, cell, direction])
                if behind < 0 or target < 0 or area >> min(behind, OUTSIDE) & 1 == 0:
                    continue
                if target == OUTSIDE:
                    left = True
                elif target < OUTSIDE and stones >> target & 1 == 0 and allowed >> target & 1:
                    stack[top] = (stones ^ 1 << cell ^ 1 << target) << 5 | cell
                    top += 1
            if left:  # it never hurts to be rid of a stone: nothing else need be tried from here
                stack[base] = (stones ^ 1 << cell) << 5 | cell
                top = base + 1
                break
    return 1
