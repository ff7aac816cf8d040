"""Read a game's moves from the start, as players write them down: "h8i9g7"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from searchbench.errors import BadMove, BadState
from searchbench.game import Game

_MOVES: Final = re.compile(r"\s*(?:\d+\.)?\s*([a-z]\d+|pass)[\s,]*")


def is_transcript(text: str) -> bool:
    """Tell whether a text consists of cells such as "h8", numbered or not, with or without spaces between them."""
    return re.fullmatch(f"(?:{_MOVES.pattern})+", text) is not None


def after_moves(game: Game, text: str) -> list[int]:
    """Return the state after the moves of a text from the start. Raises BadState, which names the move at fault."""
    state: Sequence[int] = game.start()
    for number, word in enumerate(_MOVES.findall(text), 1):
        try:
            state = game.play(state, game.parse_move(state, word))
        except BadMove as error:
            raise BadState(f"{game}: move {number} of {text!r}: {error}") from None
    return list(state)
