"""Search one state of a puzzle: choose the method, the bound and the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadRequest, BadState, Unsolvable
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.rules import State
from searchbench.run import Run, parse_memory
from searchbench.solvers.guided.astar import astar
from searchbench.solvers.guided.automaton import Automaton
from searchbench.solvers.guided.automaton import automaton as automaton_of
from searchbench.solvers.guided.bestfirst import greedy
from searchbench.solvers.guided.idastar import idastar
from searchbench.solvers.guided.task import Heuristic, Task
from searchbench.solvers.shared.transposition import (
    ENTRY_BYTES,
    SMALLEST,
    Transpositions,
    largest_size,
    new_transpositions,
)

METHODS: Final = ("idastar", "astar", "bestfirst")
REMEMBERED: Final = 5_000_000
"""How many states A* remembers without asking for much memory."""
BOUNDS: Final = {"h", "h_step", "h_first", "h_next", "carries"}
_FINEST_WEIGHT: Final = 1000
"""The largest denominator of a weight: f stays a whole number."""


def search_state(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    method: str | None = None,
    run: Run | None = None,
    nodes: int = 0,
    weight: float | Fraction | None = None,
    h: Heuristic | None = None,
    *,
    seconds: float = 0.0,
    order: str | None = None,
    table: str | int = 0,
    automaton: int = 0,
    dead_ends: bool = True,
    target: jit.Target = "cpu",
) -> Line:
    """Return a line from a state (by default the start) to a solved one; a cheapest one by "idastar" and "astar".

    The default is "astar" where the index is small enough for A* to remember every state, and "idastar" elsewhere.
    `weight` is that of h in f = g + weight h: for "astar" 1 (up to there the line is optimal, beyond it costs at most
    weight times the least), for "bestfirst" none, which means f = h. `h` is a heuristic that takes the place of the game's own.
    `nodes` and `seconds` are limits, 0 for none; a search stops within a slice of some tenths of a second.
    For "idastar", `order` "bound" tries the successors with the smallest bounds first, "moves" in the order of the rules
    (the default is what the heuristic says), and `table` is the memory of a transposition table, 0 for none; without one
    it uses all threads of the run. `automaton` is the largest number of moves of which superfluous sequences are not tried
    (`solvers.guided.automaton`), 0 for none. `dead_ends` False does not ask the rules for dead ends. `target`
    "interpreted" runs the same kernels without a compiler.
    Raises Unsolvable, LimitReached (with the best lower bound so far as `bound`), and OutOfMemory.
    """
    method = method or _default_method(game)
    if method not in METHODS:
        raise BadRequest(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    if game.two_players:
        raise BadRequest(
            f"{game} has two players: search finds lines of puzzles; to find the value of a state, prove it"
        )
    if nodes < 0 or seconds < 0:
        raise BadRequest(f"limits of {nodes} nodes and {seconds} seconds: both must be positive, or 0 for none")
    start = _start(game, state)
    with run or Run() as active:
        if method == "idastar" and weight not in (None, 1):
            raise BadRequest(f"weight {weight}: idastar takes none; use astar or bestfirst")
        if method != "idastar" and (order is not None or table or automaton):
            raise BadRequest(f"{method} takes no order of moves, transposition table or automaton; idastar does")
        room = parse_memory(table)
        paths = automaton_of(game, automaton) if automaton else None
        names, tables = _names(game, h, start, _switches(order, room > 0, paths, dead_ends), target)
        task = Task(game, start, names, tables, active, nodes, seconds, _table(room, active), paths)
        if method == "idastar":
            return idastar(task)
        if method == "astar":
            return astar(task, _ratio(1 if weight is None else weight))
        return greedy(task, None if weight is None else _ratio(weight))


def _switches(
    order: str | None, table: bool, paths: Automaton | None, dead_ends: bool
) -> dict[str, Callable[..., Any]]:
    """Return the functions that switch enhancements on and off."""
    if order not in (None, "bound", "moves"):
        raise BadRequest(f"order {order!r}: there are bound, moves")
    found: dict[str, Callable[..., Any]] = {} if order is None else {"sorts": _yes if order == "bound" else _no}
    found |= paths.functions if paths is not None else {}
    return found | ({"remembers": _yes} if table else {}) | ({} if dead_ends else {"dead": _none})


def _table(table: int, run: Run) -> Transpositions:
    """Return a transposition table of so many bytes, or a token one."""
    if table and table < 2 * SMALLEST * ENTRY_BYTES:
        raise BadRequest(f"a transposition table of {table} bytes: expected at least {2 * SMALLEST * ENTRY_BYTES}")
    run.demand(table, "the transposition table")
    return new_transpositions(largest_size(table) if table else 2)


def _yes() -> bool:
    return True


def _no() -> bool:
    return False


def _none(state: State, tables: Any) -> bool:
    return False


def _default_method(game: Game) -> str:
    parts = game.parts()
    return "astar" if parts and max(part.stop for part in parts) <= REMEMBERED else "idastar"


def _start(game: Game, what: Position | str | Sequence[int] | None) -> tuple[int, ...]:
    """Return the state to be searched, known to be one: the compiled rules trust it."""
    position = game.position(what)
    state = [int(cell) for cell in position.state]
    try:
        sound = len(state) == game.width and game.read(game.format(state)) == state
    except (IndexError, KeyError, ValueError) as error:
        raise BadState(f"{game}: {state} is no state: {error}") from None
    if position.game != game or not sound:
        raise BadState(f"{game}: {state} is no state; one is {game.start()}")
    if not game.call("solvable", list(state)):
        raise Unsolvable(f"{game}: {game.format(state)!r} cannot be solved: the rules' `solvable` says so")
    return tuple(state)


def _ratio(weight: float | Fraction) -> Fraction:
    if not (math.isfinite(weight) and weight >= 0):
        raise BadRequest(f"weight {weight}: expected 0 or more, such as 1.8; bestfirst without a weight is greedy")
    return Fraction(weight).limit_denominator(_FINEST_WEIGHT)


def _names(
    game: Game,
    heuristic: Heuristic | None,
    start: Sequence[int],
    switches: dict[str, Callable[..., Any]],
    target: jit.Target,
) -> tuple[jit.Names, tuple[Any, ...]]:
    functions = {**(heuristic.names() if heuristic is not None else {}), **switches}
    tables = tuple(heuristic.tables(start)) if heuristic is not None else ()
    names = _replaced(game, frozenset(functions.items()), target) if functions else game.names(target=target)
    return names, tables


@lru_cache(maxsize=32)
def _replaced(game: Game, functions: frozenset[tuple[str, Callable[..., Any]]], target: jit.Target) -> jit.Names:
    """Return the game's names with some replaced; kept, so that kernels are bound once for many searches."""
    replaced = dict(functions)
    names: Mapping[str, Callable[..., Any]] = game.names(target=target)
    if {"h", "h_first"} & set(replaced):
        names = {name: function for name, function in names.items() if name not in BOUNDS}  # they belong to the other h
    return jit.Names({**names, **replaced}, target)
