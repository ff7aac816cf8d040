"""Notation: the state that a text means in a game, or what is wrong with the text, or with the game's own `parse`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from searchbench.errors import BadGame, BadState, raised_in, told
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.user_code import calling, index_size, place_of


def read_state(game: Any, text: str) -> list[int]:
    """Return the state that a text means, or raise BadState; "start" is the initial state."""
    if not isinstance(text, str):
        raise BadGame(f"{place_of(game, 'format')} returned {text!r}: expected a text of one line")
    if text.strip() == "start":
        return list(game.start())
    state = _parsed(game, text)
    if len(state) != game.width:
        raise BadState(
            f"{game}: {text!r} is read as {len(state)} numbers, a state has {game.width}; {an_example(game)}"
        )
    low, high = np.iinfo(game.dtype).min, np.iinfo(game.dtype).max
    if not all(low <= cell <= high for cell in state):
        raise BadState(
            f"{game}: {text!r} is read as {_plain(state)}: every entry must lie in {low} .. {high}, the numbers of the "
            f"game's dtype"
        )
    if game.has("rank") and game.has("unrank"):
        _check_numbered(game, state, text)
    if not game.call("legal", list(state)):
        reason = game.impossible(state)
        why = f"which cannot occur: {reason}" if reason else "that cannot occur in the game, as `legal` says"
        raise BadState(f"{game}: {_as_read(game, text, state)} {why}; {an_example(game)}")
    return state


def _parsed(game: Any, text: str) -> list[int]:
    """Return the state that `parse` reads from a text. Raises BadState for a wrong text, BadGame for a wrong `parse`."""
    right = f"{game.spec} shall read {text!r} as a list of {game.width} integers, or raise ValueError"
    with calling(game, "parse", right):
        try:
            state = game.parse(text)
        except ValueError as error:
            raise BadState(f"{game}: {text!r} is no state: {error}; {an_example(game)}") from None
        except (IndexError, KeyError) as error:
            place = raised_in(error, type(game))
            raise BadState(
                f"{game}: {text!r} is no state, or `parse` is wrong ({place}: {told(error)}); {an_example(game)}"
            ) from None
        try:
            return [operator.index(cell) for cell in state]
        except TypeError:
            raise BadGame(f"{place_of(game, 'parse')} returned {state!r}; {right}") from None


def an_example(game: Any) -> str:
    """Return a hint at the notation: how the start is written."""
    try:
        return f"the start is written {game.format(game.start())!r}"
    except Exception:  # this message is not about the rules, however they fail here
        return f"a state is {game.width} numbers"


def _check_numbered(game: Any, state: list[int], text: str) -> None:
    """Require that the index numbers a state, or that it is terminal. Raises BadState, which names the difference."""
    why = ""
    try:
        number = game.rank(state)
    except (ValueError, IndexError, OverflowError) as error:
        raise BadState(
            f"{game}: {text!r} is read as {_plain(state)}, of which `rank` makes no number ({told(error)}); "
            f"{an_example(game)}"
        ) from None
    if number == NOWHERE:
        if game.terminal(state) != UNDECIDED and not game.closed:
            return
        reason = game.impossible(state)
        why = f"which cannot occur: {reason}" if reason else "which the index does not number"
    elif not 0 <= number < index_size(game):
        why = f"whose number is {number}; the index has the numbers 0 to {index_size(game) - 1:,}"
    else:
        other = game.unrank_like(number, state)
        if other != game.canonical(state):
            why = f"whose number {number} is that of {_text(game, other)}"
    if why:
        raise BadState(f"{game}: {_as_read(game, text, state)} {why}; {an_example(game)}")


def _as_read(game: Any, text: str, state: Sequence[int]) -> str:
    """Say that a text is a state, or which state it is read as."""
    shown = _text(game, state)
    return f"{text!r} is a state" if shown == repr(text.strip()) else f"{text!r} is read as {shown}, a state"


def _text(game: Any, state: Sequence[int]) -> str:
    try:
        return repr(game.format(state))
    except Exception:  # as in an_example
        return _plain(state)


def _plain(state: Sequence[int]) -> str:
    return f"[{', '.join(map(str, state))}]"
