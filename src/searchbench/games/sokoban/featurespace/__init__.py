"""Sokoban for feature-space search: a plan of packing, features of positions, and advisors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.frozen import Frozen, new_frozen
from searchbench.games.sokoban.enhanced.jams import Jams, new_jams
from searchbench.games.sokoban.featurespace import backward, position
from searchbench.games.sokoban.featurespace.advisors import ADVISORS, EXPLORER
from searchbench.games.sokoban.featurespace.base import base_work, most_macros
from searchbench.games.sokoban.featurespace.corrals import Corrals, new_corrals
from searchbench.games.sokoban.featurespace.exact import judged
from searchbench.games.sokoban.featurespace.features import CELL_SHIFT, KNOWN, Space, new_scratch
from searchbench.games.sokoban.featurespace.packing import NO_PLAN, Plan, areas_of_goals, find_order, plan_of, zones_of
from searchbench.games.sokoban.featurespace.pairs import Pairs, new_pairs
from searchbench.games.sokoban.featurespace.plan_search import Effort, parts_of, retrograde_steps
from searchbench.games.sokoban.featurespace.retrograde import FUNCTIONS
from searchbench.games.sokoban.featurespace.rooms import NO_DOORS, blockers_of, doors_of, pushes_to, rooms_of
from searchbench.games.sokoban.rules import stones_of
from searchbench.games.sokoban.tables import LevelTables
from searchbench.solvers.guided.featurespace.strategy import Strategy

RETROGRADE, GUIDED, REUSING, ORDERED, SPARING, VARYING, UNTANGLING = range(7)
UNPACKING, BACKWARD, AIMING_BACK, SPREADING, AIMING_FORTH = range(7, 12)
"""The strategies. Five see rooms and hotspots and hear all advisors. Of the others four pull, the first of them by a plan;
the last one goes forwards to positions that others have pulled stones to, in each of the first four ways."""
SEEING: Final = (GUIDED, REUSING, SPARING, VARYING, UNTANGLING)
WAYS: Final = (RETROGRADE, GUIDED, REUSING, ORDERED)
"""The strategies whose plans and features the trials towards a position take by turns."""
BY_AREA: Final = (GUIDED, REUSING, ORDERED)
"""Where the steps of each area of goals are done by themselves."""
STRICT: Final = (SPARING, UNTANGLING)
"""Where stones on goals before their turn are out of the plan."""


def _go_on() -> None:
    """Be called where no limit is watched."""


@cache
def _pulling(target: jit.Target) -> jit.Names:
    """Return the functions of searches that pull, always the same ones: a kernel is bound to them once."""
    return jit.Names(dict(FUNCTIONS), target, None)


@dataclass(frozen=True)
class _Shared:
    """Hold what the strategies that begin with a start have in common, worked out when the first of them asks for it.

    They take turns, so one position on the board does for all.
    """

    tables: LevelTables
    start: tuple[int, ...]
    names: jit.Names
    pauses: list[Callable[[], None]] = field(default_factory=lambda: [_go_on], compare=False)
    """The last one is called now and then where a plan takes long."""

    @cached_property
    def base(self) -> Base:
        """Return the arrays of the enhanced search."""
        return base_work(self.tables, self.start)

    @cached_property
    def corrals(self) -> Corrals:
        """Return the arrays for searches around areas that the man cannot enter, with their verdicts."""
        return new_corrals(len(self.tables.level.cells))

    @cached_property
    def frozen(self) -> Frozen:
        """Return the arrays that tell of goals past frozen stones."""
        return new_frozen(self.base)

    @cached_property
    def jams(self) -> Jams:
        """Return the arrays for searches of jams, with what is known of them."""
        return new_jams(self.base)

    @cached_property
    def pairs(self) -> Pairs:
        """Return which pairs of stones can come to goals."""
        return new_pairs(self.base, self.names)

    @cached_property
    def order(self) -> list[set[int]]:
        """Return where stones stand after each step when goals are filled in the order of the fewest pulls."""
        goals, stones = self.tables.level.goals, stones_of(self.start)
        bases = [stone for stone in stones if stone not in goals] or stones
        return self._filled(goals, bases, -1, len(stones))

    @cached_property
    def order_of_start(self) -> list[set[int]]:
        """Return where stones stand after each step when squares of the start are filled in the order of the fewest pushes."""
        stones = stones_of(self.start)
        return self._filled(stones, self.tables.level.goals, self.start[-1], len(stones))

    def _filled(self, squares: Sequence[int], bases: Sequence[int], man: int, count: int) -> list[set[int]]:
        order, marked = np.zeros(len(squares), np.int32), np.zeros(len(self.tables.level.cells), np.int32)
        marked[list(bases)] = 1
        scratch = np.zeros((8, 4 * len(marked)), np.int32)
        jit.bind(find_order, self.names)(self.base.maze, np.array(squares, np.int32), marked, man, order, scratch)
        return [set(order[:filled].tolist()) for filled in range(count + 1)]

    @cached_property
    def steps(self) -> list[set[int]]:
        """Return where stones stand after each step of the plan that the retrograde search finds; nothing if it finds none."""
        return self._retrograde(True) or self.steps_of_reuse

    @cached_property
    def steps_of_reuse(self) -> list[set[int]]:
        """Return the steps of the plan that is found where sinks can be used again."""
        return self._retrograde(False)

    @cached_property
    def steps_of_few_rests(self) -> list[set[int]]:
        """Return the steps of a plan in which few stones wait before they go on."""
        return self._retrograde(True, sparing=True) or self.steps_of_reuse

    def _retrograde(self, once: bool, sparing: bool = False, variation: int = 0) -> list[set[int]]:
        names, stones = _pulling(self.names.target), stones_of(self.start)
        return retrograde_steps(
            self.tables, stones, self.base, names, Effort(pause=self.pauses[-1]), once, sparing, variation
        )

    def steps_of_trial(self, trial: int) -> list[set[int]]:
        """Return the steps of a varied plan; every second one lets few stones rest."""
        variation, sparing = trial + 1, trial % 2 == 0
        return self._retrograde(True, sparing, variation) or self._retrograde(False, sparing, variation)

    @cached_property
    def sight(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """Return rooms, doors and blockers of the level."""
        rooms = rooms_of(self.tables)
        return rooms, doors_of(self.tables, rooms), blockers_of(self.tables)

    def plan(self, strategy: int, trial: int, areas: Mapping[int, int] | None) -> Plan:
        """Return the plan of a strategy: what the retrograde search finds, or the order; `areas` are those of its last squares.

        Where that finds the same, or nothing, the strategy that would repeat the first has no plan.
        """
        if strategy == UNTANGLING or (strategy == ORDERED and self.steps in ([], self.order)):
            return NO_PLAN
        return plan_of(self._steps_of(strategy, trial) or self.order, areas)

    def _steps_of(self, strategy: int, trial: int) -> list[set[int]]:
        """Return where stones stand after each step of a strategy's plan; nothing if the retrograde search finds none."""
        if strategy == VARYING:
            return self.steps_of_trial(trial)
        if strategy == SPARING:
            return self.steps_of_few_rests
        if strategy == REUSING:
            return self.steps_of_reuse
        return self.order if strategy == ORDERED else self.steps


@dataclass(frozen=True)
class SokobanFeatureSpace:
    """What a level supplies for feature-space search."""

    tables: LevelTables

    advisors: int = ADVISORS
    shift: int = CELL_SHIFT
    shared: dict[tuple[int, ...], _Shared] = field(default_factory=dict, compare=False)
    """What the strategies of a search have in common, for each start."""
    half_way: bool = False
    """Whether the goals are the squares of an aim: these are scattered, and no areas."""
    aimed: dict[tuple[int, ...], SokobanFeatureSpace] = field(default_factory=dict, compare=False)
    """The level with other goals, those of the last aim."""

    judged = staticmethod(judged)

    @cached_property
    def strategies(self) -> dict[int, Strategy]:
        """Return the searches in the order of their turns: with those that pull where all goals are full in the end.

        Untangling and meeting that waits as well where all goals lie together: plans fill these first.
        """
        level, squares = self.tables.level, range(len(self.tables.level.cells))
        together = len(parts_of(self.tables, set(squares) - set(level.goals))) == 1
        plain, seeing = Strategy(heard=EXPLORER), Strategy(heard=ADVISORS)
        pulling = replace(plain, backward=True, share=0.5)
        found = {
            RETROGRADE: plain,
            GUIDED: replace(seeing, fresh=True),
            BACKWARD: pulling,
            SPREADING: replace(pulling, share=2),
            AIMING_FORTH: replace(seeing, share=2, renewed=True, aims=(SPREADING, BACKWARD), tries=len(WAYS)),
            REUSING: seeing,
            ORDERED: plain,
            SPARING: seeing,
            VARYING: replace(seeing, late=True, renewed=True),
            UNTANGLING: replace(seeing, late=together, share=2),
            UNPACKING: pulling,
            AIMING_BACK: replace(pulling, late=together, share=2, renewed=True, aims=(UNTANGLING,)),
        }
        if len(level.stones) == len(level.goals):
            return found
        pulled = {number for number, one in found.items() if one.backward}
        return {number: one for number, one in found.items() if not pulled & {number, *one.aims}}

    @cached_property
    def _areas(self) -> dict[int, int] | None:
        return None if self.half_way else areas_of_goals(self.tables.level)

    @property
    def most(self) -> int:
        """Return the most macro moves of a position."""
        level = self.tables.level
        return most_macros(len(level.stones), len(level.cells))

    def names(self, strategy: int = 0) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        if self.strategies[strategy].backward:
            return FUNCTIONS
        own = ("restore", "follow", "score_position", "write_macros", "is_lost")
        return {name: getattr(position, name) for name in own}

    def roots(self, start: Sequence[int], strategy: int = 0) -> list[list[int]]:
        """Return the positions that a strategy begins with: the start, or all solved ones."""
        return backward.last_positions(self.tables) if self.strategies[strategy].backward else [list(start)]

    def work(
        self,
        start: Sequence[int],
        names: jit.Names,
        strategy: int = 0,
        trial: int = 0,
        aim: Sequence[int] = (),
        pause: Callable[[], None] = _go_on,
    ) -> Any:
        """Return the arrays for a trial of a strategy from a state: those of the enhanced search, and its plan."""
        if strategy == AIMING_BACK:  # each trial has another aim, of which nothing is kept
            return backward.backward_work(self.tables, stones_of(aim), base_work(self.tables, aim), NO_PLAN, names)
        if strategy == AIMING_FORTH:
            own = WAYS[trial % len(WAYS)]
            return self._towards(stones_of(aim)).work(start, names, own, pause=pause)._replace(final=False)
        squares, key = len(self.tables.level.cells), tuple(start)
        shared = self.shared.setdefault(key, _Shared(self.tables, key, names))
        if self.strategies[strategy].backward:
            plan = plan_of(shared.order_of_start) if strategy == UNPACKING else NO_PLAN
            work = backward.backward_work(self.tables, stones_of(start), base_work(self.tables, start), plan, names)
            return backward.spreading(work, self.tables, *shared.sight[:2]) if strategy == SPREADING else work
        shared.pauses.append(pause)
        try:
            plan = shared.plan(strategy, trial, self._areas if strategy in BY_AREA else None)
        finally:  # no search is held on to when it is over
            shared.pauses.pop()
        strict = strategy in STRICT or (strategy == VARYING and trial // 2 % 2 == 0)
        rooms, doors, blockers = np.full(squares, -1, np.int32), NO_DOORS, np.zeros((squares, squares), np.uint8)
        if strategy in SEEING:
            rooms, doors, blockers = shared.sight
        return Space(
            shared.base, plan, zones_of(self.tables, plan.rows), *new_scratch(squares), np.zeros((2, KNOWN), np.int64),
            shared.corrals, shared.frozen, shared.jams, shared.pairs, rooms, doors, blockers,
            pushes_to(self.tables, plan.rows[:, 0].tolist()), strategy in SEEING, np.zeros(1, np.int64), strict, True,
        )  # fmt: skip

    def effort(self, work: Any) -> float:
        """Return the steps of the plan for each stone, at least 1: a trial by a plan with many rests takes longer."""
        return max(1.0, (len(work.plan.rows) - 1) / len(self.tables.level.stones))

    def apart(self, works: Sequence[Any]) -> tuple[SokobanFeatureSpace, list[Any]]:
        """Return the same for another thread, and the arrays of searches that go on there, which stay those of its strategies."""
        fixed = {id(one): one for one in (self.tables, *(shared.names for shared in self.shared.values()))}
        shared, own = copy.deepcopy((self.shared, list(works)), fixed)
        return replace(self, shared=shared, aimed={}), own

    def _towards(self, stones: Sequence[int]) -> SokobanFeatureSpace:
        """Return the same of the level with its goals where stones stand; it is kept until another one is asked for."""
        goals = tuple(sorted(stones))
        if goals not in self.aimed:
            self.aimed.clear()
            self.aimed[goals] = SokobanFeatureSpace(LevelTables(replace(self.tables.level, goals=goals)), half_way=True)
        return self.aimed[goals]

    def steps(
        self, start: Sequence[int], moves: Sequence[int], back: Sequence[tuple[int, Sequence[int]]] = ()
    ) -> list[int]:
        """Return the single pushes that macro moves stand for, as moves of the game."""
        return EnhancedSokoban(self.tables).steps(start, moves, back)
