"""An empty cell that goes from cell to cell: what stands on the next one comes to where it was."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.families.backwards import backwards
from searchbench.jit import unsigned
from searchbench.rules import State


def way_tables(ways: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many ways lead from each cell, at most four, and a table of them."""
    fan = np.array([len(found) for found in ways], np.int64)
    return fan, np.array([[*found, 0, 0, 0, 0][:4] for found in ways], np.int64)


def slides(ways: Sequence[Sequence[int]], empty: int, tracked: int = -1) -> dict[str, Callable[..., Any]]:
    """Return moves, play and all that takes a move back, where ``ways[cell]`` are the cells next to a cell, at most four.

    A state holds what is on each cell, 0 for nothing, and at `empty` which cell is empty. With `tracked` it holds from there
    on the cell of each piece, too: of piece 1, 2, ...; other pieces are 0. A move is ``from << 7 | to`` of the empty cell, so
    that no division is needed to read it.
    """
    fan, ahead = way_tables([[cell << 7 | to for to in found] for cell, found in enumerate(ways)])

    def moves(state: State, out: MutableSequence[int]) -> int:
        at = state[empty]
        for index in range(4):  # always as many as there are at most: they are copied at once
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
