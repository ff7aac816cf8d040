"""Sokoban for enhanced IDA*: the functions of its contract, the arrays of a search, and macros as single pushes again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced import patterns
from searchbench.games.sokoban.enhanced import work as position
from searchbench.games.sokoban.enhanced.areas import MOST_ENTRANCES, GoalArea, areas_of, goal_areas
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import (
    AT,
    COLUMNS,
    CORRIDOR,
    GOAL,
    KEY,
    LIVE,
    MARKS,
    OFF_GOAL,
    ONE_WAY,
    SQUARE,
    STONES,
)
from searchbench.games.sokoban.enhanced.controls import (
    RECORDS,
    SCOUTING,
    SCOUTING_CONTROL,
    VERSIONS,
    GoalMacros,
    PairDatabase,
    PatternSearch,
)
from searchbench.games.sokoban.enhanced.exact import judged
from searchbench.games.sokoban.enhanced.frozen import new_frozen
from searchbench.games.sokoban.enhanced.influence import influences
from searchbench.games.sokoban.enhanced.jams import new_jams
from searchbench.games.sokoban.enhanced.pairs import new_pairs, write_gains
from searchbench.games.sokoban.enhanced.testmaze import patterns_of
from searchbench.games.sokoban.enhanced.windows import windows_of
from searchbench.games.sokoban.enhanced.work import Work
from searchbench.games.sokoban.rules import from_square, normal_man, push_of, stones_of, to_square
from searchbench.games.sokoban.tables import LevelTables
from searchbench.heuristics.matching import FIELDS, UNREACHABLE, new_scratch
from searchbench.solvers.guided.enhanced.controls import Controls, Enhancement


@dataclass(frozen=True)
class EnhancedSokoban:
    """What a level supplies for enhanced IDA*."""

    tables: LevelTables

    known: tuple[type[Enhancement], ...] = RECORDS
    scouting: tuple[str, ...] = SCOUTING
    scouting_control: str = SCOUTING_CONTROL

    @property
    def versions(self) -> Mapping[str, tuple[str, ...]]:
        """Return the versions of Rolling Stone, as far as their enhancements are there."""
        return VERSIONS

    @property
    def step(self) -> int:
        """Return 2 where every solution has the parity of the bound: each goal gets a stone, and each push changes colours."""
        return 2 if len(self.tables.level.stones) == len(self.tables.level.goals) else 1

    def names(self) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        own = (
            "make",
            "unmake",
            "length",
            "estimate",
            "is_solved",
            "identify",
            "candidates",
            "same_piece",
            "brings_home",
            "learnt",
            "related",
        )
        found = {name: getattr(position, name) for name in own}
        return found | {"penalty": patterns.penalty, "investigate": patterns.investigate}

    def work(self, start: Sequence[int], controls: Controls, rows: int) -> Work:
        """Return the arrays for a search from a state."""
        tables = self.tables
        level = tables.level
        squares, goals = len(level.cells), len(level.goals)
        maze = np.full((squares, COLUMNS), -1, np.int32)
        maze[:, :4] = tables.near
        maze[list(level.goals), GOAL] = np.arange(goals)
        maze[:, LIVE] = tables.live
        maze[:, ONE_WAY] = [len(sides) > 1 for sides in tables.sides]
        walls = tables.near < 0
        maze[:, CORRIDOR] = (walls[:, 0] & walls[:, 1]) * 1 + (walls[:, 2] & walls[:, 3]) * 2
        settings = controls.used.get("patterns")
        learning = settings if isinstance(settings, PatternSearch) else None
        taken = np.full((goals, goals), UNREACHABLE, np.int32)
        np.fill_diagonal(taken, 0)
        costs = np.vstack([tables.distances, np.zeros((1, goals), np.int32), taken])
        base = Base(
            maze, tables.side, costs,
            np.zeros((rows, FIELDS * goals + 3), np.int32), new_scratch(goals),
            np.zeros((16, squares), MARKS), np.zeros(8, np.int64), position.new_hashes(squares), controls.vector(),
            windows_of(tables, not {"deadlocks", "jams"}.isdisjoint(controls.used)),
        )  # fmt: skip
        found = Work(
            *base, areas_of(tables, self.areas(controls)),
            patterns_of(base, tables, learning is not None, learning.capacity if learning else 1),
            influences(tables, controls), new_pairs(squares, self._has_pairs(controls)), new_jams(base, "jams" in controls.used),
            new_frozen(base, "freeze" in controls.used),
        )  # fmt: skip
        self.reload(found, start)
        return found

    def _has_pairs(self, controls: Controls) -> bool:
        settings = controls.used.get("pair-database")
        return isinstance(settings, PairDatabase) and len(self.tables.level.cells) <= settings.squares

    def prepare(self, work: Work, controls: Controls, names: jit.Names) -> None:
        """Fill the database of pairs: goals have the prices that the matching of the start has found."""
        if self._has_pairs(controls):
            write_gains(work, self.tables.level.goals, len(self.tables.level.stones), names)

    judged = staticmethod(judged)

    def areas(self, controls: Controls) -> list[GoalArea]:
        """Return the goal areas that have macros."""
        settings = controls.used.get("goal-macros")
        if not isinstance(settings, GoalMacros):
            return []
        return goal_areas(self.tables, settings.goals, min(settings.entrances, MOST_ENTRANCES))

    def reload(self, work: Work, start: Sequence[int]) -> None:
        """Set the position back to the start."""
        stones = stones_of(start)
        work.board[AT] = 0
        for number, square in enumerate(stones):
            work.board[AT, square] = number + 1
            work.board[SQUARE, number] = square
        work.facts[STONES] = len(stones)
        work.facts[KEY] = np.bitwise_xor.reduce(work.hashes[0, stones])
        work.facts[OFF_GOAL] = sum(work.maze[square, GOAL] < 0 for square in stones)
        work.kept[0, -1] = start[-1]

    def adopt(self, work: Work, controls: Controls) -> None:
        """Take over other controls; what was learnt stays."""
        work.controls[:] = controls.vector()

    def lengthened(self, work: Work, rows: int) -> Work:
        """Return the arrays with room for so many rows; what was learnt stays."""
        return work._replace(kept=np.zeros((rows, work.kept.shape[1]), work.kept.dtype))

    def steps(
        self, start: Sequence[int], moves: Sequence[int], back: Sequence[tuple[int, Sequence[int]]] = ()
    ) -> list[int]:
        """Return the single pushes that moves of the search stand for, as moves of the game.

        `back` are macro pulls to be taken back after that, each with the state that pushing leads to.
        """
        stones, man = set(stones_of(start)), int(start[-1])
        found: list[int] = []
        for move in moves:
            square, target = from_square(move), to_square(move)
            carried = self._carried(stones - {square}, man, square, target, position.last_direction(move))
            man = self._push(stones, man, carried, found)
        for move, after in back:
            target, square = from_square(move), to_square(move)
            area = self._area(int(after[-1]), set(stones_of(after)))
            for last in range(4):
                carried = self._carried(stones - {square}, man, square, target, last)
                if carried and carried[-1][0] in area:
                    break
            man = self._push(stones, man, carried, found)
        return found

    def _push(self, stones: set[int], man: int, carried: Sequence[tuple[int, int]], found: list[int]) -> int:
        near = self.tables.level.near
        for here, direction in carried:
            there = near[here][direction]
            found.append(push_of(here, there, normal_man(near, stones, man), direction))
            stones.remove(here)
            stones.add(there)
            man = here
        return man

    def _carried(self, others: set[int], man: int, square: int, target: int, last: int) -> list[tuple[int, int]]:
        """Return the pushes, squares and directions, that bring a stone to a square, the last one in a direction, if any do."""
        near = self.tables.level.near
        came: dict[tuple[int, int], tuple[int, int] | None] = {}
        waiting: list[tuple[int, int, int, tuple[int, int] | None]] = [(square, man, -1, None)]
        for here, walker, arrived, before in waiting:  # which grows
            if (here, arrived) in came:
                continue
            came[here, arrived] = before
            if here == target and arrived == last:
                break
            beside = {one for one in near[here] if one >= 0 and one not in others}
            area = self._area(walker, {*others, here}, beside)
            for direction in range(4):
                behind, there = near[here][direction ^ 1], near[here][direction]
                if behind in area and there >= 0 and there not in others:
                    waiting.append((there, here, direction, (here, arrived)))
        found: list[tuple[int, int]] = []
        at: tuple[int, int] = (target, last)
        while (before := came.get(at)) is not None:
            found.append((before[0], at[1]))
            at = before
        return found[::-1]

    def _area(self, man: int, stones: set[int], wanted: set[int] | None = None) -> set[int]:
        """Return where the man can walk; or, if that has all of the `wanted` squares, a part that has them, too."""
        near, found, waiting = self.tables.level.near, {man}, [man]
        for square in waiting:  # which grows
            if wanted is not None and wanted <= found:
                break
            for other in near[square]:
                if other >= 0 and other not in stones and other not in found:
                    found.add(other)
                    waiting.append(other)
        return found
