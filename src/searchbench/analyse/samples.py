"""What a solver's own kernels take on samples of a group's numbers (after Gasser 1995, section 4.2).

Samples are short runs of neighbouring numbers at random places, as a solver goes through blocks of them. Times are those of
the processor, as other work on the machine says nothing about the game.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange import Buckets, Pages
from searchbench.exchange.memory import BLOCK_BITS, MOST_BLOCK_BITS, keep_within
from searchbench.exchange.space import release, untouched
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.rules import UNDECIDED
from searchbench.solvers.exhaustive import bfs, fixpoint, retrograde, score_kernels, stored_codes
from searchbench.solvers.exhaustive.departures import ASKED_EVERY
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.pending import STRETCH_BITS, new_flags
from searchbench.store.codes import type_for
from searchbench.values import ValueRule
from searchbench.values.contract import initial, level

Array = npt.NDArray[Any]
Interval = tuple[int, int]
"""The first number of a run, and the one after its last."""

RUNS: Final = 512
"""How many runs there are: neighbouring numbers are alike, so the error falls with the number of runs, not with their length."""
LENGTH: Final = 24
"""How many numbers a run has."""
REPEATS: Final = 3
"""How often each step is timed; the least time counts, as other work on the machine only adds to it."""
BLOCK: Final = 1 << BLOCK_BITS
"""How many codes the requests are applied to: they stay in a core's cache, as those of a solver's block do."""
FAR: Final = 300
"""A level that no sample has."""
ROOM: Final = 48 << 20
"""How many bytes of requests there is room for."""


STRATEGIES: Final[Mapping[str, tuple[Callable[..., Any], ...]]] = {
    "backwards": (retrograde.initialise, retrograde.emit, retrograde.apply, stored_codes.finish_block),
    "points": (score_kernels.initialise, score_kernels.emit, score_kernels.apply, stored_codes.finish_block),
    "breadth first": (bfs.emit_forward, retrograde.apply, stored_codes.finish_block),
    "forwards": (retrograde.initialise, fixpoint.gather_block, stored_codes.finish_block),
}
"""The kernels of each way to solve a group."""


class Rates(NamedTuple):
    """Hold the measurements of a group: the share of positions, seconds, and edges (times are seconds of the processor).

    `initialise`: a number gets its first code, `expand`: a position writes requests, `edges`: how many, `apply`: one is applied,
    `scan`: a number is looked through in vain, `finish`: a code is finished.
    """

    positions: float
    initialise: float
    expand: float
    edges: float
    apply: float
    scan: float
    finish: float


class Steps(NamedTuple):
    """Hold the steps of a strategy on a run: look at it first, count its positions, decide them, write their requests.

    `apply` applies such requests, those up to a page, to a block of codes like those that the runs had at first; `seek`
    looks through codes for a level that none of them has.
    """

    begin: Callable[[Interval], None]
    positions: Callable[[Interval], int]
    decide: Callable[[Interval], None]
    expand: Callable[[Interval, Pages], None]
    apply: Callable[[Pages, Array, int], None]
    seek: Callable[[Array, Interval, Pages], None] | None = None


class Sampler:
    """Measure the kernels of a solver on samples of a game's numbers, the same ones each time."""

    def __init__(self, game: Game, rule: ValueRule) -> None:
        self.game, self.rule, self.names = game, rule, game.names(rule)
        self.size = line_size(game.parts())
        self.codes = untouched(self.size, _first_type(game, rule), huge=False)  # a run touches little of it
        self.illegal = int(np.iinfo(self.codes.dtype).max)
        self.pending = new_flags(max(self.size, BLOCK))
        self.here = np.ones((max(self.size, BLOCK) >> STRETCH_BITS) + 1, np.uint8)
        self.chance = np.random.default_rng(1995)

    def runs(self, group: Group) -> list[Interval]:
        """Return runs of numbers of a group, at random places; all of its numbers, if they are few."""
        sizes = np.array([part.size for part in group.parts])
        if sizes.sum() <= RUNS * LENGTH:
            return [(part.start, part.stop) for part in group.parts]
        found = []
        for place in self.chance.choice(len(sizes), RUNS, p=sizes / sizes.sum()):
            part = group.parts[place]
            first = part.start + int(self.chance.integers(max(1, part.size - LENGTH + 1)))
            found.append((first, min(first + LENGTH, part.stop)))
        return sorted(found)

    # --- strategies --------------------------------------------------------------------------------------------------

    def backwards(self, group: Group, look_ahead: bool, leaves: bool) -> Rates:
        """Measure retrograde analysis, level by level."""
        first, now = self._decided()
        initialised, emitted = self._bound(retrograde.initialise), self._bound(retrograde.emit)
        codes, illegal, bounds = self.codes, self.illegal, group.bounds

        def begin(run: Interval) -> None:
            note = np.zeros(2, np.int64)
            initialised(codes, illegal, *run, bounds, group.reach, ASKED_EVERY, look_ahead, leaves, self.pending, note)

        def emit(codes: Array, run: Interval, pages: Pages, when: int) -> None:
            emitted(codes, illegal, *run, when, bounds, MOST_BLOCK_BITS, pages, self.here, self.pending)

        return self._rates(group, self._by_levels(begin, first, now, emit))

    def breadth_first(self, group: Group) -> Rates:
        """Measure breadth-first search with whole values."""
        first = int(self._interpreted(initial)(0, 0))
        marked, emitted = self._bound(bfs.mark_illegal), self._bound(bfs.emit_forward)
        marks, through_ends = self.game.has("legal") or self.game.has("canonical"), not self.game.two_players
        codes, illegal, bounds = self.codes, self.illegal, group.bounds

        def begin(run: Interval) -> None:
            if marks:
                marked(codes, illegal, *run)

        def emit(codes: Array, run: Interval, pages: Pages, when: int) -> None:
            emitted(codes, illegal, *run, when, bounds, MOST_BLOCK_BITS, pages, self.here, self.pending, through_ends)

        return self._rates(group, self._by_levels(begin, first, 0, emit))

    def points(self, group: Group) -> Rates:
        """Measure retrograde analysis for points."""
        initialised, emitted = self._bound(score_kernels.initialise), self._bound(score_kernels.emit)
        codes, illegal, bounds = self.codes, self.illegal, group.bounds
        origin = int(bounds[0])
        left = untouched(int(bounds[-1]) - origin, np.uint8)

        def begin(run: Interval) -> None:
            initialised(codes, illegal, *run, bounds, group.reach, left, np.zeros(4, np.int64))

        def positions(run: Interval) -> int:
            return int(np.count_nonzero(left[run[0] - origin : run[1] - origin] != score_kernels.DONE))

        def decide(run: Interval) -> None:
            begin(run)  # those whose predecessors have their requests look like numbers that are no position
            some = left[run[0] - origin : run[1] - origin]
            some[some != score_kernels.DONE] = score_kernels.FRESH

        def expand(run: Interval, pages: Pages) -> None:
            emitted(codes, *run, bounds, left, self.here, 2, MOST_BLOCK_BITS, pages)

        return self._rates(group, Steps(begin, positions, decide, expand, self._apply_points))

    def forwards(self, group: Group) -> Rates:
        """Measure the forward fixpoint: `expand` is one sweep over a position."""
        initialised, gathered = self._bound(retrograde.initialise), self._bound(fixpoint.gather_block)
        codes, illegal, bounds = self.codes, self.illegal, group.bounds

        def begin(run: Interval) -> None:
            note = np.zeros(2, np.int64)
            initialised(codes, illegal, *run, bounds, group.reach, ASKED_EVERY, False, False, self.pending, note)

        def expand(run: Interval, _pages: Pages) -> None:
            gathered(codes, codes, illegal, *run, bounds, group.reach, False, np.zeros(4, np.int64))

        return self._rates(
            group, Steps(begin, self._legal, lambda _run: None, expand, lambda _pages, _codes, _last: None)
        )

    def _by_levels(
        self,
        begin: Callable[[Interval], None],
        code: int,
        now: int,
        emit: Callable[[Array, Interval, Pages, int], None],
    ) -> Steps:
        """Return the steps of a search level by level, where states with a `code` are of the level `now`."""

        def decide(run: Interval) -> None:
            codes = self.codes[run[0] : run[1]]
            codes[codes != self.illegal] = code

        return Steps(
            begin, self._legal, decide, lambda run, pages: emit(self.codes, run, pages, now), self._apply,
            lambda codes, run, pages: emit(codes, run, pages, FAR),
        )  # fmt: skip

    # --- measuring ---------------------------------------------------------------------------------------------------

    def _rates(self, group: Group, steps: Steps) -> Rates:
        """Call the steps of a strategy on all runs, and measure each."""
        runs = self.runs(group)
        numbers = sum(stop - first for first, stop in runs)
        none = [(first, first) for first, _ in runs]
        begin_all, begin_none = _each(steps.begin, runs), _each(steps.begin, none)
        begin_all()  # the first time the system brings pages of memory, and kernels come from the cache
        prepared = _least(begin_all) - _least(begin_none)
        positions = sum(map(steps.positions, runs))
        codes = np.concatenate([self.codes[first:stop] for first, stop in runs])
        pages = self._pages()

        def expand_all(some: list[Interval]) -> float:
            pages.last[:], pages.used[0] = -1, 0
            for run in runs:
                steps.decide(run)
            return _seconds(_each(lambda run: steps.expand(run, pages), some))

        idle = min(expand_all(none) for _ in range(REPEATS))
        expanded = min(expand_all(runs) for _ in range(REPEATS + 1)) - idle
        requests = _gather(pages)
        last = int(pages.used[0]) - 1
        steps.apply(pages, codes, last)
        applied = _least(lambda: steps.apply(pages, codes, last)) - _least(lambda: steps.apply(pages, codes, -1))
        for first, stop in runs:
            release(self.codes, max(0, first - mmap.PAGESIZE), min(self.size, stop + mmap.PAGESIZE))
        times = [max(0.0, seconds) for seconds in (prepared, expanded, applied)]
        return Rates(
            positions / numbers, times[0] / numbers, times[1] / max(1, positions), requests / max(1, positions),
            times[2] / max(1, requests), self._scan(steps.seek, codes, pages), self._finish(codes),
        )  # fmt: skip

    def _bound(self, kernel: Callable[..., Any]) -> Any:
        return jit.bind(kernel, self.names)

    def _interpreted(self, function: Callable[..., Any]) -> Any:
        return jit.bind(function, self.game.names(self.rule, "interpreted"))

    def _decided(self) -> tuple[int, int]:
        """Return the first code of a finished game that is backed up at once, and its level."""
        first, when = self._interpreted(initial), self._interpreted(level)
        codes = [int(first(result, 0)) for result in (-1, 0, 1)]
        code = next(code for code in codes if when(code) >= 0)
        return code, int(when(code))

    def _legal(self, run: Interval) -> int:
        return int(np.count_nonzero(self.codes[run[0] : run[1]] != self.illegal))

    def _pages(self) -> Pages:
        reserve = max(self.game.max_moves, self.game.max_unmoves)
        return Buckets(self.size, 1, reserve, ROOM, MOST_BLOCK_BITS).writers[0]

    def _apply(self, pages: Pages, codes: Array, last: int) -> None:
        """Apply requests to a block of such codes."""
        block, bounds, pending = np.resize(codes, BLOCK), np.array([0, BLOCK], np.int64), new_flags(BLOCK)
        note = np.zeros(4, np.int64)
        self._bound(retrograde.apply)(block, self.illegal, 0, pages, last, 0, 0, bounds, False, pending, note)

    def _apply_points(self, pages: Pages, codes: Array, last: int) -> None:
        """Apply requests about points to a block of such codes."""
        block, left, fresh = np.resize(codes, BLOCK), np.full(BLOCK, 3, np.uint8), np.zeros(BLOCK, np.uint8)
        self._bound(score_kernels.apply)(block, self.illegal, 0, pages, last, 0, left, fresh, 1)

    def _finish(self, codes: Array) -> float:
        """Return the time of finishing a code."""
        block, finish = np.resize(codes, BLOCK), self._bound(stored_codes.finish_block)
        finish(block[:1], self.illegal, 0, 1)
        return _seconds(lambda: finish(block, self.illegal, 0, BLOCK)) / BLOCK

    def _scan(self, expand: Callable[[Array, Interval, Pages], None] | None, codes: Array, pages: Pages) -> float:
        """Return the time of looking through a code in vain."""
        if expand is None:
            return 0.0
        block = np.resize(codes, BLOCK)
        return _seconds(lambda: expand(block, (0, BLOCK), pages)) / BLOCK


def _first_type(game: Game, rule: ValueRule) -> np.dtype[Any]:
    """Return the type in which the first codes of a game fit."""
    first = jit.bind(initial, game.names(rule, "interpreted"))
    results = (-1, 0, 1) if rule.two_players else (0,)
    return type_for(max(int(first(UNDECIDED, 1)), *(int(first(result, 0)) for result in results), game.max_moves))


def _gather(pages: Pages) -> int:
    """Put all requests into one bucket, each at a place within one block; return how many there are."""
    used = int(pages.used[0])
    keep_within(pages.requests[:used], BLOCK)
    pages.before[:used] = np.arange(-1, used - 1)
    return int(pages.fill[:used].sum())


def _each(step: Callable[[Interval], object], runs: Sequence[Interval]) -> Callable[[], object]:
    """Return a function that takes a step with each of some runs; with empty ones, all that it takes is the calls."""
    return lambda: [step(run) for run in runs]


def _least(work: Callable[[], object]) -> float:
    """Return the least of several times that some work takes."""
    return min(_seconds(work) for _ in range(REPEATS))


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor's time that this thread takes for some work."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun
