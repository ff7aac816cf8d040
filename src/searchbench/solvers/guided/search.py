"""Search one state of a puzzle: choose the method, the bound and the limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from searchbench import jit
from searchbench.configuration import fitting
from searchbench.errors import BadRequest, Unsolvable
from searchbench.first_state import check_first_state
from searchbench.game import Game, Position
from searchbench.index.protocol import line_size
from searchbench.line import Line
from searchbench.run import Limits, Run, requested
from searchbench.solvers.guided.astar import AStar
from searchbench.solvers.guided.automaton import Automaton
from searchbench.solvers.guided.bestfirst import BestFirst
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.enhanced import Enhanced
from searchbench.solvers.guided.enhancements import compatible, complete, listed
from searchbench.solvers.guided.featurespace import FeatureSpace
from searchbench.solvers.guided.idastar import IDAStar
from searchbench.solvers.guided.task import Heuristic, Task
from searchbench.solvers.shared.states import state_of

METHODS: Final[Mapping[str, type[Guided]]] = {
    one.method: one for one in (IDAStar, AStar, BestFirst, Enhanced, FeatureSpace)
}
LOOKED_AT: Final = 400
"""How many states are looked at for the ways that lead to them: some hundredths of a second."""
MANY_WAYS: Final = 0.25
"""The share of moves to states met before above which A* finds lines sooner: it is 0.02 for sliding tiles, 0.36 to 0.67 for
peg solitaire, Superpuzz and the Towers of Hanoi."""
REMEMBERED: Final = 5_000_000
"""How many states A* remembers without asking for much memory."""
BOUNDS: Final = {"h", "h_step", "h_init", "h_prefetch", "H_PREFETCHES", "h_update", "H_STATE_SIZE"}


def search_state(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    configuration: Guided | str | None = None,
    run: Run | None = None,
    limits: Limits | None = None,
    *,
    target: jit.Target = "cpu",
    **options: Any,
) -> Line:
    """Return a line from a state (by default the start) to a solved one; a cheapest one where `optimal` says so.

    `configuration` is an `IDAStar`, `AStar`, `BestFirst`, `Enhanced` or `FeatureSpace`; or the name of a method, with
    the fields of its configuration, and `nodes` and `seconds` for the limits, as `options`. The default is the first of
    `methods_for` that takes the options, and that can go on where the run has a folder for its work: "astar" where the index
    is small enough for A* to remember every state, else "featurespace" or "enhanced" where the game supplies what they need,
    else "idastar" where there is a bound and few ways lead to a state, else "astar". A search stops at its limits within a
    slice of some tenths of a second. `target` "interpreted" runs the same kernels without a compiler.
    Raises BadRequest, Unsolvable, Exhausted, LimitReached (with the best lower bound so far as `bound`), and OutOfMemory.
    """
    chosen, limits = settled(game, configuration, limits, options, run)
    if game.two_players:
        raise BadRequest(
            f"{game} has two players: search finds lines of puzzles; to find the value of a state, prove it"
        )
    start = start_of(game, state)
    with run or Run() as active:
        if active.work is not None and not chosen.resumable:
            raise BadRequest(
                f"work {str(active.work)!r}: {chosen.method} keeps nothing there, asked for like this; "
                "only idastar without a table of states and without restarts can go on"
            )
        active.progress("finding superfluous moves, compiling", 0, 0)
        names, paths = names_for(game, chosen, start, target)
        heuristic = _heuristic(chosen)
        tables = tuple(heuristic.tables(start)) if heuristic is not None else ()
        told = complete(game, listed(chosen.use))
        seen = chosen.transpositions(active)
        nodes, seconds = limits.nodes, limits.seconds
        task = Task(game, start, names, tables, active, nodes, seconds, seen, chosen.entries, told, paths)
        return replace(chosen.search(task), strategy=chosen.method)


def settled(
    game: Game,
    configuration: Guided | str | None,
    limits: Limits | None,
    options: Mapping[str, Any],
    run: Run | None = None,
) -> tuple[Guided, Limits]:
    """Return the configuration and the limits that are asked for, one by one or as objects. Raises BadRequest."""
    kept = run is not None and run.work is not None
    return requested(METHODS, configuration or _default_method(game, options, kept), limits, options)


def names_for(
    game: Game, chosen: Guided, start: tuple[int, ...], target: jit.Target
) -> tuple[jit.Names, Automaton | None]:
    """Return the functions that a search from `start` calls, and what tells it which moves are superfluous, if anything does.

    Raises BadRequest.
    """
    heuristic, switches = _heuristic(chosen), chosen.switches(game)
    names = _names(game, heuristic, switches, target)
    paths = chosen.superfluous(game, names, start)
    if paths is not None:
        names = _names(game, heuristic, switches | {"FSM_PRUNING": True}, target)
    return names, paths


def _heuristic(configuration: Guided) -> Heuristic | None:
    if isinstance(configuration.h, str):
        raise BadRequest(f"h {configuration.h!r}: a heuristic is an object here; searchbench.search finds it by name")
    return configuration.h


def _default_method(game: Game, options: Mapping[str, Any], kept: bool) -> str:
    check_first_state(game)
    wanted = {name: value for name, value in options.items() if name not in ("nodes", "seconds")}
    suited = methods_for(game, wanted.get("h") is not None)
    return fitting({name: METHODS[name] for name in suited if not kept or METHODS[name]().resumable}, wanted)


def methods_for(game: Game, bound: bool = False) -> list[str]:
    """Return the names of the methods that a game can be searched by, the one that suits it best first.

    Depth-first search visits a state once for each way to it. It suits a game with a `bound`, its own or a given one, if
    there are few ways to a state, or an automaton leaves the others out.
    """
    parts = game.parts()
    small = bool(parts) and line_size(parts) <= REMEMBERED
    supplied = {"featurespace": game.claimed("feature_space"), "enhanced": game.claimed("enhanced")}
    own = [name for name, functions in supplied.items() if functions is not None]
    if small:
        return ["astar", *own, "idastar", "bestfirst"]
    guided = bound or game.has("h")
    few_ways = guided and (bool(own) or game.claimed("rearranges") or ways_again(game) <= MANY_WAYS)
    return [*own, "idastar", "astar", "bestfirst"] if few_ways else [*own, "astar", "idastar", "bestfirst"]


@lru_cache(maxsize=32)
def ways_again(game: Game) -> float:
    """Return the share of moves near the start that lead to a state met before, those that go straight back left out."""
    start = tuple(game.start())
    came: dict[tuple[int, ...], tuple[int, ...]] = {start: start}
    waiting = deque([start])
    made = again = 0
    for _ in range(LOOKED_AT):
        if not waiting:
            break
        state = waiting.popleft()
        for move in game.moves(state):
            successor = tuple(game.play(state, move))
            if successor == came[state]:
                continue
            made += 1
            again += successor in came
            if successor not in came:
                came[successor] = state
                waiting.append(successor)
    return again / max(made, 1)


def start_of(game: Game, what: Position | str | Sequence[int] | None) -> tuple[int, ...]:
    """Return the state to be searched, known to be one: the compiled rules trust it."""
    state = state_of(game, what)
    if not game.call("solvable", list(state)):
        raise Unsolvable(f"{game}: {game.format(state)!r} cannot be solved: the rules' `solvable` says so")
    return state


def _names(
    game: Game,
    heuristic: Heuristic | None,
    switches: dict[str, Any],
    target: jit.Target,
) -> jit.Names:
    functions = {**(heuristic.names() if heuristic is not None else {}), **switches}
    functions |= compatible({**game.names(target=target), **functions})
    return _replaced(game, frozenset(functions.items()), target) if functions else game.names(target=target)


@lru_cache(maxsize=32)
def _replaced(game: Game, functions: frozenset[tuple[str, Callable[..., Any]]], target: jit.Target) -> jit.Names:
    """Return the game's names with some replaced; kept, so that kernels are bound once for many searches."""
    replaced = dict(functions)
    names = game.names(target=target)
    if {"h", "h_init"} & set(replaced):
        names = names.without(*BOUNDS)  # they belong to the other h
    return names.with_(**replaced)
