"""Search one state of a puzzle: choose the method, the bound and the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadRequest, BadState, Unsolvable
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.run import Run, parse_memory
from searchbench.solvers.guided.astar import astar
from searchbench.solvers.guided.automaton import automaton as automaton_of
from searchbench.solvers.guided.bestfirst import greedy
from searchbench.solvers.guided.enhancements import chosen, compatible, complete, listed
from searchbench.solvers.guided.idastar import idastar
from searchbench.solvers.guided.restarts import Patience, restarting
from searchbench.solvers.guided.task import Heuristic, Task
from searchbench.solvers.shared.transposition import (
    ENTRY_BYTES,
    SMALLEST,
    Scheme,
    Transpositions,
    largest_size,
    new_transpositions,
)
from searchbench.user_code import check_first_state

METHODS: Final = ("idastar", "astar", "bestfirst")
REMEMBERED: Final = 5_000_000
"""How many states A* remembers without asking for much memory."""
BOUNDS: Final = {"h", "h_step", "h_init", "h_prefetch", "H_PREFETCHES", "h_update", "H_STATE_SIZE"}
IMPATIENCE: Final = 8
"""How often a round begins again before the bound grows, where restarts are asked for."""
TWO_LEVEL: Final = "two-level"
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
    replacement: Scheme = TWO_LEVEL,
    automaton: int = 0,
    entries: int = 0,
    step: int = 0,
    restarts: int = 0,
    impatience: int = IMPATIENCE,
    seed: int = 0,
    by: str = "h",
    use: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    target: jit.Target = "cpu",
) -> Line:
    """Return a line from a state (by default the start) to a solved one; a cheapest one by "idastar" and "astar".

    The default is "astar" where the index is small enough for A* to remember every state, and "idastar" elsewhere.
    `weight` is that of h in f = g + weight h: for "astar" 1 (up to there the line is optimal, beyond it costs at most
    weight times the least), for "bestfirst" none, which means f = h. `h` is a heuristic that takes the place of the game's own.
    `nodes` and `seconds` are limits, 0 for none; a search stops within a slice of some tenths of a second.
    For "idastar", `order` "bound" tries the successors with the smallest bounds first, "promise" those that look best to
    the rules, "moves" in the order of the rules (the default is what the heuristic says), `table` is the memory of a
    transposition table, 0 for none (`replacement` "two-level" keeps what saves most work and what is newest, "always" what
    is newest), and `step` by how much the bound grows at least: a cheapest line is then found by branch and bound. Without
    a table "idastar" uses all threads of the run. "bestfirst" can go `by` "goodness": then f = weight g - goodness, the
    weight being 0 by default.
    `entries` is the largest number of states that are kept, 0 for what the memory holds: "astar" and "bestfirst" end when
    there are more; "idastar" keeps none without it, and with it notices when it has seen all there are.
    `automaton` is the largest number of moves of which superfluous sequences are not tried (`solvers.guided.automaton`), 0
    for none; with one, "idastar" asks for no other cuts. It goes on in the folder `run.work` where it was stopped.
    With `restarts`, "idastar" begins a round again after so many nodes, its moves in another order (by `seed`), and after
    `impatience` times raises the bound: lines may come sooner, and are cheapest ones where they claim to be.
    `use` names enhancements of the game's own (`Game.enhancements`), `without` slots that are left empty ("dead", "cuts",
    "macros", "relevance"). `target` "interpreted" runs the same kernels without a compiler.
    Raises Unsolvable, Exhausted, LimitReached (with the best lower bound so far as `bound`), and OutOfMemory.
    """
    method = method or _default_method(game)
    if method not in METHODS:
        raise BadRequest(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    if game.two_players:
        raise BadRequest(
            f"{game} has two players: search finds lines of puzzles; to find the value of a state, prove it"
        )
    if nodes < 0 or seconds < 0 or entries < 0:
        raise BadRequest(
            f"limits of {nodes} nodes, {seconds} seconds and {entries} entries: each must be positive, or 0 for none"
        )
    start = _start(game, state)
    with run or Run() as active:
        room = parse_memory(table)
        patience = Patience(restarts, impatience, seed)
        _check_options(game, method, weight, order, room, entries, step, by, automaton, active.work)
        _check_restarts(method, patience, automaton, entries, active.work)
        if replacement != TWO_LEVEL and not room:
            raise BadRequest(f"replacement {replacement!r}: there is no transposition table; give it memory with table")
        switches = chosen(game, listed(use), listed(without), order)
        paths = automaton_of(game, automaton) if automaton else None
        if method == "idastar":
            switches |= ({"TRANSPOSITION_TABLE": True} if room else {}) | ({"CLOSED_LIST": True} if entries else {})
            switches |= paths.functions if paths is not None else {}
            switches |= {"RANDOM_ORDER": True} if restarts else {}
        names, tables = _names(game, h, start, switches, target)
        told = complete(game, listed(use))
        seen = _table(room, replacement, active)
        task = Task(game, start, names, tables, active, nodes, seconds, seen, entries, told, paths)
        if restarts:
            return restarting(task, patience, step)
        if method == "idastar":
            return idastar(task, step)
        if method == "astar":
            return astar(task, _ratio(1 if weight is None else weight))
        return greedy(task, None if weight is None else _ratio(weight), by == "goodness")


def _check_options(
    game: Game,
    method: str,
    weight: Any,
    order: str | None,
    table: int,
    entries: int,
    step: int,
    by: str,
    automaton: int,
    work: Path | None,
) -> None:
    """Raise BadRequest for options that the method does not take, or that exclude each other."""
    if method == "idastar" and weight not in (None, 1):
        raise BadRequest(f"weight {weight}: idastar takes none; use astar or bestfirst")
    if method != "idastar" and (order in ("bound", "moves") or table or step or automaton):
        raise BadRequest(
            f"{method} takes neither an order of moves, a transposition table, a step nor an automaton; idastar does"
        )
    if table and entries:
        raise BadRequest("table and entries: idastar has a transposition table, or keeps all states; give one of them")
    if automaton and (entries or order == "priority"):
        raise BadRequest("automaton: idastar combines it neither with entries nor with order promise")
    if work is not None and (method != "idastar" or table or entries):
        raise BadRequest(
            f"work {str(work)!r}: only idastar without a table of states can go on; astar and others cannot"
        )
    if step < 0:
        raise BadRequest(f"step {step}: expected 0 or more")
    if by not in ("h", "goodness"):
        raise BadRequest(f"by {by!r}: there are h, goodness")
    if by == "goodness" and method != "bestfirst":
        raise BadRequest("by goodness: only bestfirst does that")
    if by == "goodness" and not game.has("goodness"):
        raise BadRequest(f"by goodness: {game} supplies no `goodness`")


def _check_restarts(method: str, patience: Patience, automaton: int, entries: int, work: Path | None) -> None:
    """Raise BadRequest for restarts where there can be none, and for what is said of them where there are none."""
    if patience.nodes < 0 or patience.times < 0:
        raise BadRequest(f"restarts after {patience.nodes} nodes, {patience.times} times: expected 0 or more")
    if not patience.nodes and patience != Patience(0, IMPATIENCE):
        raise BadRequest("impatience and seed are for restarts: say after how many nodes with restarts")
    if patience.nodes and method != "idastar":
        raise BadRequest(f"restarts: {method} has no rounds that begin again; idastar does")
    if patience.nodes and (automaton or entries or work is not None):
        raise BadRequest("restarts: not with an automaton, entries or a folder for unfinished work")


def _table(table: int, replacement: Scheme, run: Run) -> Transpositions:
    """Return a transposition table of so many bytes, or a token one."""
    if table and table < 2 * SMALLEST * ENTRY_BYTES:
        raise BadRequest(f"a transposition table of {table} bytes: expected at least {2 * SMALLEST * ENTRY_BYTES}")
    run.demand(table, "the transposition table")
    return new_transpositions(largest_size(table) if table else 2, replacement)


def _default_method(game: Game) -> str:
    parts = game.parts()
    return "astar" if parts and max(part.stop for part in parts) <= REMEMBERED else "idastar"


def _start(game: Game, what: Position | str | Sequence[int] | None) -> tuple[int, ...]:
    """Return the state to be searched, known to be one: the compiled rules trust it."""
    check_first_state(game)
    position = game.position(what)
    if position.game != game:
        raise BadState(f"{game}: {position.text!r} is a position of {position.game}")
    state = [int(cell) for cell in position.state]
    if len(state) != game.width:
        raise BadState(
            f"{game}: {state} has {len(state)} numbers, a state has {game.width}; the start is {game.start()}"
        )
    try:
        text = game.format(state)
    except (IndexError, KeyError, ValueError) as error:
        raise BadState(f"{game}: {state} is no state: {error}; the start is {game.start()}") from None
    if (back := game.read(text)) != state:
        raise BadState(f"{game}: {state} is no state: it is written {text!r}, which is read as {back}")
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
    switches: dict[str, Any],
    target: jit.Target,
) -> tuple[jit.Names, tuple[Any, ...]]:
    functions = {**(heuristic.names() if heuristic is not None else {}), **switches}
    functions |= compatible({**game.names(target=target), **functions})
    tables = tuple(heuristic.tables(start)) if heuristic is not None else ()
    names = _replaced(game, frozenset(functions.items()), target) if functions else game.names(target=target)
    return names, tables


@lru_cache(maxsize=32)
def _replaced(game: Game, functions: frozenset[tuple[str, Callable[..., Any]]], target: jit.Target) -> jit.Names:
    """Return the game's names with some replaced; kept, so that kernels are bound once for many searches."""
    replaced = dict(functions)
    names = game.names(target=target)
    if {"h", "h_init"} & set(replaced):
        names = names.without(*BOUNDS)  # they belong to the other h
    return names.with_(**replaced)
