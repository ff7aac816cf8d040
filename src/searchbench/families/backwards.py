"""Backward rules of games in which a move undoes each move."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any

from searchbench.rules import State


def backwards(
    moves: Callable[..., int], play: Callable[..., None], inverse: Callable[[int], int]
) -> dict[str, Callable[..., Any]]:
    """Return `unplay` and `unmoves` where the inverse of each move is a legal move of its successor."""

    def unplay(state: State, move: int) -> None:
        play(state, inverse(move))

    def unmoves(state: State, out: MutableSequence[int]) -> int:
        count = moves(state, out)
        for index in range(count):
            out[index] = inverse(out[index])
        return count

    return {"unplay": unplay, "unmoves": unmoves}
