"""The enhancements of a search as switches: the game's function, another of its own by name, or none.

Each slot (Junghanns and Schaeffer 2001, figure 11) is a function of the contract that says *what*, apart from one that says
*whether*. What is switched off is replaced by the contract's default, which costs nothing when it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.inherited import why_left_out
from searchbench.jit.data import asks_for_data
from searchbench.jit.references import plain_function
from searchbench.rules import Move, State
from searchbench.slots import slot_named

Functions = dict[str, Any]
ORDERS: Final = ("bound", "priority", "moves")


def not_dead(state: State, tables: Any) -> bool:
    """Know no dead ends."""
    return False


def not_enough(state: State, move: Move, tables: Any) -> bool:
    """Let no move suffice."""
    return False


def relevant(state: State, previous: Move, move: Move, tables: Any) -> bool:
    """Leave no move out."""
    return False


def any_order(before: Move, move: Move) -> bool:
    """Let any move follow any other."""
    return True


REPLACED: Final[Mapping[str, Functions]] = {
    "dead": {"dead": not_dead},
    "cuts": {"forced_move": not_enough, "MACROS": False},
    "macros": {"MACROS": False},
    "relevance": {"relevance_cut": relevant},
}
"""What can be left out by its name."""


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names that are given one by one, or with commas between them."""
    return tuple(filter(None, names.split(","))) if isinstance(names, str) else tuple(names)


def chosen(game: Game, use: Iterable[str], without: Iterable[str], order: str | None) -> Functions:
    """Return the functions for a game's enhancements that are used, and in the place of those that are not.

    Raises BadRequest, which lists the choices.
    """
    found: Functions = {}
    own = game.claimed("enhancements")
    for name in use:
        if name not in own:
            others = f"it has {', '.join(own) or 'none with a name'}{why_left_out(game, 'enhancements')}"
            raise BadRequest(f"{game} has no enhancement {name!r}; {others}")
        found |= own[name]
    for name in without:
        if name not in REPLACED:
            raise BadRequest(f"without {name!r}: there are {', '.join(REPLACED)}")
        found |= REPLACED[name]
    return found | ordering(game, order)


def compatible(functions: Mapping[str, Any]) -> Functions:
    """Return the functions to replace so that none leaves out a move in favour of one that another leaves out.

    `follows` leaves out one order of two moves where the other order is tried, so it needs searches that cut no moves by
    the state alone. Where a move suffices, `relevance_cut` may not rely on moves tried before: it is asked with -1.
    """
    found: Functions = {}
    forced, cut = (_in_force(functions, name) for name in ("forced_move", "relevance_cut"))
    if (forced or cut) and _in_force(functions, "follows"):
        found["follows"] = any_order
    if forced and cut:
        found["relevance_cut"] = _by_state(functions["relevance_cut"])
    return found


def cuts_moves(functions: Mapping[str, Any]) -> bool:
    """Tell whether moves are left out because of others of the same state."""
    return any(_in_force(functions, name) for name in ("forced_move", "relevance_cut"))


DEFAULTS: Final = (not_dead, not_enough, relevant, any_order)


def _in_force(functions: Mapping[str, Any], name: str) -> bool:
    """Tell whether a function is supplied that may leave something out."""
    return name in functions and functions[name] not in (*DEFAULTS, slot_named(name))


@lru_cache(maxsize=32)
def _by_state(irrelevant: Callable[..., bool]) -> Callable[..., bool]:
    """Return `relevance_cut` as it is asked where nobody knows the move before; the same function at each call."""

    def by_state(state: State, previous: Move, move: Move, tables: Any) -> bool:
        return irrelevant(state, -1, move, tables)

    def by_state_and_data(state: State, previous: Move, move: Move, tables: Any, data: Any) -> bool:
        return irrelevant(state, -1, move, tables, data)

    return by_state_and_data if asks_for_data(plain_function(irrelevant)) else by_state


def ordering(game: Game, order: str | None) -> Functions:
    """Return the functions that choose an order of the moves; None leaves it to the rules or the heuristic."""
    if order is None:
        return {}
    if order == "priority" and not game.has("move_priority"):
        raise BadRequest(f"order priority: {game} supplies no `move_priority`")
    return {"ORDER_BY_H": order == "bound", "ORDER_BY_PRIORITY": order == "priority"}


def complete(game: Game, use: Iterable[str]) -> bool:
    """Tell whether no solution can be lost by the enhancements that are used."""
    return not game.incomplete & set(use)
