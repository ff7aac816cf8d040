"""Pattern databases of two stones of a level, whose values add up: a bound above the matching.

Each goal has a *price*. The value of two stones is the fewest pushes that bring both to goals while all others are away, less
the prices of these goals; that of one stone likewise. Stones of a solution come to goals of their own, so the values of a
partition of the stones into pairs and single ones, plus the prices of all goals, are a bound, whatever the prices. With the
potentials of goals that the matching of the start has found, single stones alone give its cost; so pairs add to it what they
*gain*: how much dearer two stones are together. Pereira, Ritt and Buriol (2015) add up pairs that all come to one goal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.games.sokoban.enhanced.board import GENERATION, MARK, SQUARE, STONES, flood
from searchbench.heuristics.matching import FIELDS, UNREACHABLE, matching_cost

NEVER: Final = 1 << 14
"""What stands for the pushes of a pair that cannot come to goals."""
MOST: Final = NEVER // 2 - 1
"""The largest value, which stands for larger ones as well."""
MOST_SQUARES: Final = 600
"""On a larger floor there is no search of all pairs, which takes half a second for so many."""
MOST_PRICE: Final = 4_000
"""The highest price of a goal, without its sign."""
TAKEN, WALKED, WALK = range(3)
"""Rows of `marks`: the two stones, where the man was, and his queue."""
MOST_GAINS: Final = 256
"""The most pairs of a position whose gains are added up."""


class Pairs(NamedTuple):
    """Hold what pairs gain: `gains[s, t, d]` with stones on s and t, the man in direction d of s, and `most` and `least` of it.

    `singles` are the values of a stone at each place, `base[0]` the prices of the goals that stones come to. `found` has room
    for the pairs of a position that gain something: two stones and the gain.
    """

    gains: Any
    most: Any
    least: Any
    singles: Any
    base: Any
    found: Any


def new_pairs(squares: int, used: bool) -> Pairs:
    """Return room for the gains of a level, where they are `used`."""
    size = squares if used else 1
    return Pairs(
        np.zeros((size, size, 4), np.int16), np.zeros((size, size), np.int16), np.zeros((size, size), np.int16),
        np.zeros(4 * squares, np.int32), np.zeros(1, np.int64), np.zeros((MOST_GAINS, 3), np.int32),
    )  # fmt: skip


def pushes_of_pairs(
    maze: Any, prices: Mapping[int, int], names: jit.Names, pulled: bool = False
) -> npt.NDArray[np.int16]:
    """Return the values of stones on s and t with the man in direction d of s, [s, t, d], NEVER where they cannot come to goals.

    `prices` are those of the goals; where stones are `pulled`, goals are the squares to pull them to.
    """
    count, goals = len(maze), list(prices)
    first, second, side = np.ix_(range(len(goals)), range(len(goals)), range(4))
    squares, costs = np.array(goals), np.array(list(prices.values()))
    beside = maze[squares, :4][first, side]
    where = (first != second) & (beside >= 0) & (beside != squares[second])
    seeds = ((squares[first] * count + squares[second]) << 2 | side)[where]
    values = np.broadcast_to(-(costs[first] + costs[second]), where.shape)[where]
    order = np.argsort(values, kind="stable")
    found = np.full((count, count, 4), NEVER, np.int16)
    asked, marks = np.zeros((count, count), np.uint8), np.zeros((3, count), np.int32)
    queue = np.zeros((2, 4 * count * count), np.int32)
    jit.bind(write_pushes, names)(maze, np.stack([seeds, values])[:, order], found, asked, queue, marks, pulled)
    return found


def write_gains(work: Any, goals: Sequence[int], stones: int, names: jit.Names) -> None:
    """Write what pairs gain, after the matching of the start has been found: the potentials of goals are their prices."""
    pairs, maze, side = work.pairs, work.maze, work.side
    squares, count = len(maze), len(goals)
    prices = work.kept[0, (FIELDS - 1) * count : FIELDS * count].clip(-MOST_PRICE, 0)
    pairs.singles[:] = (work.costs[: 4 * squares] - prices).min(axis=1)
    pairs.base[0] = prices.sum() - (count - stones) * prices.max()
    pushes = pushes_of_pairs(maze, dict(zip(goals, prices.tolist(), strict=True)), names)
    first, second, _ = np.ix_(range(squares), range(squares), range(4))
    men, room = maze[:, None, :4], has_room(maze) & (first != second)
    alone = pairs.singles[4 * first + side[first, men]] + pairs.singles[4 * second + side[second, men]]
    pairs.gains[:] = np.where(room, np.where(pushes == NEVER, NEVER, pushes - alone), 0)
    most, least = pairs.gains.max(axis=2), np.where(room, pairs.gains, NEVER).min(axis=2)
    pairs.most[:] = np.maximum(most, most.T)
    pairs.least[:] = np.minimum(least, least.T)


def has_room(maze: Any) -> npt.NDArray[np.bool_]:
    """Tell whether the man can stand in direction d of a stone on s, another one being on t: [s, t, d]."""
    there = np.arange(len(maze))[None, :, None]
    beside = maze[:, None, :4]
    found: npt.NDArray[np.bool_] = (beside >= 0) & (beside != there)
    return found


def write_pushes(maze: Any, seeds: Any, pushes: Any, asked: Any, queue: Any, marks: Any, pulled: bool) -> None:
    """Write the values of pairs, found backwards in the order of their values.

    `seeds` and `queue` have pairs with a direction in the first row, and values in the second; `asked` marks those in the queue.
    """
    squares = len(maze)
    head = tail = seed = generation = 0
    while head < tail or seed < seeds.shape[1]:
        if head == tail or (seed < seeds.shape[1] and seeds[1, seed] <= queue[1, head]):
            place, value = seeds[0, seed], seeds[1, seed]
            seed += 1
        else:
            place, value = np.int64(queue[0, head]), np.int64(queue[1, head])
            head += 1
        side, first, second = place & 3, (place >> 2) // squares, (place >> 2) % squares
        if pushes[first, second, side] != NEVER:
            continue
        generation += 1
        marks[TAKEN, first] = marks[TAKEN, second] = 1
        flood(maze, marks[TAKEN], marks[WALKED], marks[WALK], maze[first, side], generation)
        marks[TAKEN, first] = marks[TAKEN, second] = 0
        for turn in range(2):
            one, other = (first, second) if turn == 0 else (second, first)
            for direction in range(4):
                man = maze[one, direction]
                if man < 0 or man == other or marks[WALKED, man] != generation:
                    continue
                pushes[one, other, direction] = min(value, MOST)
                before = maze[one, direction ^ 1] if pulled else man
                stands = one if pulled else maze[man, direction]
                if before < 0 or before == other or stands < 0 or stands == other:
                    continue
                if asked[before, other] >> direction & 1 == 0:
                    asked[before, other] |= 1 << direction
                    queue[0, tail], queue[1, tail] = (before * squares + other) << 2 | direction, value + 1
                    tail += 1


def gain_of(work: Any, square: int, other: int) -> int:
    """Return what two stones gain, the man's squares being marked."""
    pairs, board, maze, generation = work.pairs, work.board, work.maze, work.facts[GENERATION]
    for turn in range(2):
        one, two = (square, other) if turn == 0 else (other, square)
        for side in range(4):
            beside = maze[one, side]
            if beside >= 0 and board[MARK, beside] == generation:
                return int(pairs.gains[one, two, side])
    return int(pairs.least[square, other])


def pair_penalty(work: Any, row: int) -> int:
    """Return how much the bound of disjoint pairs is above the matching, UNREACHABLE where a pair cannot come to goals."""
    pairs, board, kept, count = work.pairs, work.board, work.kept, 0
    stones = work.facts[STONES]
    bound = pairs.base[0]
    for stone in range(stones):
        square = board[SQUARE, stone]
        bound += pairs.singles[kept[row, stone]]
        for other in range(stone):
            there = board[SQUARE, other]
            if pairs.most[square, there] == 0:
                continue
            gain = gain_of(work, square, there)
            if gain > MOST:
                return UNREACHABLE
            if gain > 0 and count < MOST_GAINS:
                pairs.found[count, 0], pairs.found[count, 1], pairs.found[count, 2] = stone, other, gain
                count += 1
    bound += disjoint(pairs.found, count)
    return max(int(bound) - matching_cost(work.costs, kept, row), 0)


def disjoint(found: Any, count: int) -> int:
    """Return the gains of disjoint pairs, the largest first."""
    total = 0
    while True:
        best = -1
        for one in range(count):
            if found[one, 2] > 0 and (best < 0 or found[one, 2] > found[best, 2]):
                best = one
        if best < 0:
            return total
        total += int(found[best, 2])
        stone, other = found[best, 0], found[best, 1]
        for one in range(count):
            if found[one, 0] == stone or found[one, 0] == other or found[one, 1] == stone or found[one, 1] == other:
                found[one, 2] = 0
