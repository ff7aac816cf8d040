"""Search a state without the compiler where that is sooner: a short search is over before its kernel is compiled."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from searchbench import jit
from searchbench.errors import LimitReached, Unsolvable
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.run import Limits, Run
from searchbench.solvers.guided.astar import AStar
from searchbench.solvers.guided.bestfirst import BestFirst
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.expansion import expand_best
from searchbench.solvers.guided.idastar import IDAStar
from searchbench.solvers.guided.in_place import search_kind
from searchbench.solvers.guided.search import names_for, search_state, settled, start_of

log = logging.getLogger(__name__)
GLANCE: Final = Limits(nodes=40_000, seconds=1.5)
"""Where the interpreted search ends unfinished: so many nodes take half a second or more, compiling takes some four."""


def search_soonest(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    configuration: Guided | str | None = None,
    run: Run | None = None,
    limits: Limits | None = None,
    *,
    target: jit.Target | None = None,
    **options: Any,
) -> Line:
    """Search as `search_state` does, interpreted if that takes a second or so and the kernel is not kept on disk.

    Both ways visit the same nodes and find the same line. With a `target` there is no choice.
    """
    run = run or Run()
    chosen, limits = settled(game, configuration, limits, options, run)
    if target is None and isinstance(chosen, AStar | BestFirst) and not jit.backend(game.quickest_target).machine_code:
        target = game.quickest_target  # they remember the states, of which there are few
    line = _at_a_glance(game, state, chosen, run, limits) if target is None else None
    if line is not None:
        return line
    return search_state(game, state, chosen, run, limits, target=target or "cpu")


def _at_a_glance(
    game: Game, state: Position | str | Sequence[int] | None, chosen: Guided, run: Run, limits: Limits
) -> Line | None:
    """Return the line if the interpreter finds it within a glance and within the limits. Raises Unsolvable, LimitReached."""
    nearest = limits.within(GLANCE)
    glance = Run(memory=run.memory, threads=1, report=run.report, clock=time.thread_time)
    try:
        if run.work is not None or _is_kept(game, state, chosen):
            return None
        line = search_state(game, state, chosen, glance, nearest, target="interpreted")
    except Unsolvable:
        raise
    except LimitReached:
        if limits.nodes == nearest.nodes and glance.seconds < nearest.seconds:
            raise  # the compiled search would end at the same node
        return None
    except Exception:  # requests that are refused, and rules that fail: the compiled search tells of them
        log.debug("the interpreted search ended early", exc_info=True)
        return None
    # At a limit it may be a worse line than the one to be found.
    whole = limits.nodes == nearest.nodes or line.nodes < nearest.nodes
    return line if whole and glance.seconds < nearest.seconds else None


def _is_kept(game: Game, state: Position | str | Sequence[int] | None, chosen: Guided) -> bool:
    """Tell whether the kernel that takes longest to compile is there at once, or too slow to be interpreted."""
    if type(chosen) not in (IDAStar, AStar, BestFirst):
        return True
    names, _ = names_for(game, chosen, start_of(game, state), "cpu")
    kernel: Callable[..., Any] = search_kind(names).function if isinstance(chosen, IDAStar) else expand_best
    return jit.is_kept(kernel, names)
