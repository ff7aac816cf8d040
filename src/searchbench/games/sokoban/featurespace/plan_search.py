"""The plan that a retrograde search finds: after which steps stones stand on which squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.featurespace.advisors import ADVISORS
from searchbench.games.sokoban.featurespace.base import most_macros
from searchbench.games.sokoban.featurespace.features import CELL_SHIFT, new_scratch
from searchbench.games.sokoban.featurespace.packing import NO_PLAN, pulls_to
from searchbench.games.sokoban.featurespace.pairs import Pairs
from searchbench.games.sokoban.featurespace.retrograde import Backwards
from searchbench.games.sokoban.featurespace.rooms import NO_DOORS
from searchbench.games.sokoban.rules import BITS, from_square, state_of, to_square
from searchbench.games.sokoban.tables import NEVER, LevelTables
from searchbench.solvers.guided.featurespace.kernel import ADVISORS as ADVISORS_NOTE
from searchbench.solvers.guided.featurespace.kernel import (
    BEST,
    FRESH,
    NODES,
    NOTES,
    SHIFT,
    STATUS,
    explore,
    moves_to,
    new_perimeter,
    new_tree,
)
from searchbench.solvers.guided.task import FOUND, PAUSED

NODES_OF_PLAN: Final = 100_000
"""The pulls that are generated at most for a plan with sinks that are used once, and then for one with others."""
NODES_OF_SLICE: Final = 20_000
"""After so many pulls it is looked whether time is left."""
LARGE: Final = 1 << 17
"""The most stones times squares where sinks are used once."""
MOST_ADDED: Final = 12
"""A variation adds less than so many pulls to the distance of a square from the goals."""


class Effort(NamedTuple):
    """Say how many pulls a search may generate, and what is called now and then: it may raise LimitReached."""

    nodes: int = NODES_OF_PLAN
    pause: Callable[[], None] = lambda: None


def sinks_of(tables: LevelTables, stones: Sequence[int]) -> list[int]:
    """Return the largest set of squares of stones such that a lone stone can be pushed from each to every other one."""
    reached = {}
    for square in stones:
        to = tables.distances_to(square)
        reached[square] = {one for one in stones if min(to[4 * one : 4 * one + 4]) < NEVER}
    sets = [[one for one in stones if one in reached[square] and square in reached[one]] for square in stones]
    return max(sets, key=len)


def parts_of(tables: LevelTables, stones: set[int]) -> list[list[int]]:
    """Return the parts of the floor between stones, the largest first."""
    near, left, found = tables.level.near, set(range(len(tables.level.cells))) - stones, []
    while left:
        waiting = [min(left)]
        left -= {waiting[0]}
        for square in waiting:  # which grows
            for other in near[square]:
                if other in left:
                    left.remove(other)
                    waiting.append(other)
        found.append(waiting)
    return sorted(found, key=len, reverse=True)


def retrograde_steps(
    tables: LevelTables,
    stones: Sequence[int],
    base: Base,
    names: jit.Names,
    effort: Effort,
    once: bool,
    sparing: bool = False,
    variation: int = 0,
) -> list[set[int]]:
    """Return where stones stand after each step of a plan, the first set empty; nothing if no plan is found.

    Sinks are used `once`, or again and again; a `sparing` plan has few stones that wait before they go on. Each `variation`
    but 0 adds chance numbers to the squares' distances from goals. `base` holds the arrays of a search from the goals. Where
    stones and squares are very many, sinks are not used once, as a position alone would take seconds.
    """
    goals, off = tables.level.goals, _off_goals(tables, stones)
    largest, parts_of_floor = sinks_of(tables, off), parts_of(tables, set(goals))
    choices = [largest] if len(largest) == len(off) else [largest, off]
    if once:
        large = len(stones) * len(tables.level.cells) > LARGE
        choices = [] if large or len(stones) != len(goals) or set(off) & set(goals) else [off]
    share = effort.nodes // max(len(choices) * len(parts_of_floor), 1)
    for sinks in choices:
        work = _emptying(tables, stones, base, sinks, once, sparing)
        if variation:
            work.nearest[:] += np.random.default_rng(variation).integers(0, MOST_ADDED, len(work.nearest), np.int32)
        for part in parts_of_floor:
            moves = _searched(
                work, state_of(goals, min(part), len(tables.level.cells)), names, Effort(share, effort.pause)
            )
            if moves:
                return _turned_round(goals, sinks, moves, stones)
    return []


def _emptying(
    tables: LevelTables, stones: Sequence[int], base: Base, sinks: Sequence[int], once: bool, sparing: bool
) -> Backwards:
    """Return the arrays for a search that empties the level."""
    squares, count = len(tables.level.cells), len(stones)
    marked, useful, homes = np.zeros(squares, np.uint8), np.zeros(squares, np.uint8), np.full(squares, -1, np.int32)
    marked[list(sinks)] = 1
    useful[_pushed_to(tables, stones if once else sinks)] = 1
    if once:
        pulls = pulls_to(tables, stones).reshape(squares, 4, count).min(axis=1).repeat(4, axis=0)
        base = base._replace(costs=np.vstack([pulls, base.costs[4 * squares :]]))
        homes[list(stones)] = np.arange(len(base.costs) - count, len(base.costs))
        homes[marked == 0] = -1
    return Backwards(
        base, *new_scratch(squares), marked, useful,
        np.minimum(tables.nearest, squares).astype(np.int32), NO_PLAN, True,
        once, count - len(sinks) if once else 0, homes, np.zeros(squares, np.uint8), sparing, False,
        np.full(squares, -1, np.int32), NO_DOORS, Pairs(np.zeros((0, 0), np.uint8)),
    )  # fmt: skip


def _off_goals(tables: LevelTables, stones: Sequence[int]) -> list[int]:
    return [stone for stone in stones if stone not in tables.level.goals] or list(stones)


def _pushed_to(tables: LevelTables, sinks: Sequence[int]) -> list[int]:
    """Return the squares that a lone stone can be pushed to from a sink, whatever the side of the man."""
    near, found = tables.level.near, list(sinks)
    seen = set(found)
    for square in found:  # which grows
        for direction in range(4):
            target = near[square][direction]
            if target >= 0 and near[square][direction ^ 1] >= 0 and target not in seen:
                seen.add(target)
                found.append(target)
    return found


def _searched(work: Backwards, start: Sequence[int], names: jit.Names, effort: Effort) -> list[int]:
    """Return the pulls that empty the level, none if so many generated ones do not."""
    most = most_macros(sum(1 for one in start[:-1] for bit in range(BITS) if one >> bit & 1), len(work.sinks))
    tree = new_tree(len(start), ADVISORS, effort.nodes + 2 * most, most)
    note = np.zeros(NOTES, np.int64)
    note[ADVISORS_NOTE], note[SHIFT], note[FRESH] = ADVISORS, CELL_SHIFT, work.once
    roots = np.array([start], np.int64)
    kernel, perimeter = jit.bind(explore, names), new_perimeter(1)
    while note[STATUS] == PAUSED and note[NODES] < effort.nodes:
        kernel(work, tree, perimeter, perimeter, roots, note, min(effort.nodes, int(note[NODES]) + NODES_OF_SLICE))
        effort.pause()
    return [move for move, _ in moves_to(tree, int(note[BEST]))] if note[STATUS] == FOUND else []


def _turned_round(
    goals: Sequence[int], sinks: Sequence[int], moves: Sequence[int], stones: Sequence[int]
) -> list[set[int]]:
    """Return where stones stand after each step of the plan that pulls make when they are taken back.

    Its first steps put stones on the squares where the pulls leave some, those first where one stands at the start.
    """
    sets = [set(goals)]
    for move in moves:
        after = sets[-1] - {from_square(move)}
        sets.append(after if to_square(move) in sinks else after | {to_square(move)})
    staying = sorted(sets[-1], key=lambda square: (square not in stones, square))
    return [set(staying[:count]) for count in range(len(staying))] + sets[::-1]
