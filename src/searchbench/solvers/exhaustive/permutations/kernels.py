"""Apply moves to a block of the frontier: the shared inner loops of the streaming search.

All words are unsigned 64-bit integers, and so are their operands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.jit import trailing_zeros


class Moves(NamedTuple):
    """A plan's moves as arrays; `*_begin` has the first index of each move in the array of all moves."""

    shift_mask: Any
    shift_distance: Any
    shift_up: Any
    row_origin: Any
    row_target: Any
    row_length: Any
    row_begin: Any
    row_source: Any
    byte_length: Any
    byte_begin: Any
    byte_source: Any
    local_mask: Any
    local_first: Any
    local_target: Any
    local_table: Any
    local_back: Any
    pull_base: Any
    pull_kind: Any
    pull_row: Any


# Loops run over slices and count from 0: an index that might be negative would keep them from being vectorized.


def shift(block: Any, work: Any, moves: Moves) -> None:
    """Apply all shifts to the frontier states of a block."""
    for move in range(len(moves.shift_mask)):
        mask, distance = moves.shift_mask[move], moves.shift_distance[move]
        if moves.shift_up[move]:
            for word in range(len(work)):
                work[word] |= (block[word] & mask) << distance
        else:
            for word in range(len(work)):
                work[word] |= (block[word] & mask) >> distance


def stretch(unit: int, left: int, length: int, source: Any) -> tuple[int, int]:
    """Return the first source of the units from `unit` on, and the length of the contiguous run there, at most `left`."""
    window = len(source) * length
    whole = unit // window * window
    row = (unit - whole) // length
    within = unit - whole - row * length
    return whole + source[row] * length + within, min(length - within, left)


def push_local(block: Any, work: Any, bits: Any, place_bits: int, moves: Moves, tables: Any) -> None:
    """Mark the successors of a block's frontier states within the block, state by state; bits[k] = 2^k."""
    first, target, mask = moves.local_first, moves.local_target, moves.local_mask
    places = (1 << place_bits) - 1
    for word in range(len(work)):
        left = block[word] & mask
        while left != 0:
            bit = 64 * word + trailing_zeros(left)
            left &= left - bits[0]
            place = bit & places
            for table in range(first[place], first[place + 1]):
                number = (tables[table, bit >> place_bits] << place_bits) + target[table]
                work[number >> 6] |= bits[number & 63]


def pull_local(lanes: Any, coming: Any, moves: Moves, tables: Any) -> None:
    """Do the same for dense blocks, row by row: `lanes` and `coming` have a number for each row, a bit for each place."""
    for move in range(len(moves.local_back)):
        table = tables[moves.local_back[move, 2]]
        origin, target = lanes.dtype.type(moves.local_back[move, 0]), lanes.dtype.type(moves.local_back[move, 1])
        pull_lanes(lanes, coming, table, origin, target, lanes.dtype.type(1))


def pull_lanes(lanes: Any, coming: Any, table: Any, origin: Any, target: Any, one: Any) -> None:
    """Copy the bits of one place to another, each from the row given by a table."""
    for row in range(len(coming)):
        coming[row] |= ((lanes[table[row]] >> origin) & one) << target
