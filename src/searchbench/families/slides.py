"""An empty cell that exchanges its place with a neighbouring cell's content."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.families.backwards import backwards
from searchbench.jit import unsigned
from searchbench.rules import State


def way_tables(ways: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of ways from each cell, at most four, and a table of them."""
    fan = np.array([len(found) for found in ways], np.int64)
    return fan, np.array([[*found, 0, 0, 0, 0][:4] for found in ways], np.int64)


def slides(ways: Sequence[Sequence[int]], empty: int, tracked: int = -1) -> dict[str, Callable[..., Any]]:
    """Return forward and backward moves of an empty cell, where ``ways[cell]`` are the neighbours of a cell, at most four.

    A state contains each cell's content, 0 for none, and at `empty` the empty cell. With `tracked` it also contains,
    from there on, the cell of each piece 1, 2, ...; other pieces are 0. A move is ``from << 7 | to`` of the empty cell,
    so that decoding needs no division.
    """
    fan, ahead = way_tables([[cell << 7 | to for to in found] for cell, found in enumerate(ways)])

    def moves(state: State, out: MutableSequence[int]) -> int:
        at = state[empty]
        for index in range(4):  # always the maximum of four: they are copied at once
            out[unsigned(index)] = ahead[unsigned(at), unsigned(index)]
        return int(fan[unsigned(at)])

    def slide(state: State, move: int) -> None:
        state[unsigned(move >> 7)] = state[unsigned(move & 127)]
        state[unsigned(move & 127)] = 0
        state[empty] = move & 127

    def slide_tracked(state: State, move: int) -> None:
        piece = state[unsigned(move & 127)]
        state[unsigned(move >> 7)] = piece
        state[unsigned(move & 127)] = 0
        if piece > 0:
            state[unsigned(tracked + piece - 1)] = move >> 7
        state[empty] = move & 127

    def inverse(move: int) -> int:
        return (move & 127) << 7 | move >> 7

    play = slide if tracked < 0 else slide_tracked
    return {"moves": moves, "play": play, "inverse": inverse, **backwards(moves, play, inverse)}
