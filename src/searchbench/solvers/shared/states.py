"""The state that a search begins with, checked before compiled rules trust it."""

from __future__ import annotations

from collections.abc import Sequence

from searchbench.errors import BadState
from searchbench.first_state import check_first_state
from searchbench.game import Game, Position


def state_of(game: Game, what: Position | str | Sequence[int] | None) -> tuple[int, ...]:
    """Return the cells of a state that is told as a position, as notation or as cells; by default of the start.

    Raises BadState for what is no state of the game, and BadGame where the game is mistaken.
    """
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
    return tuple(state)
