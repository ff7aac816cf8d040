"""Run the inner loops of the streaming search of any permutation game.

It works with two planes of depths modulo 3, the frontier, and the next frontier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.jit import atomic_or, popcount, trailing_zeros
from searchbench.solvers.exhaustive.permutations.kernels import Moves, push_local, shift, stretch


class Planes(NamedTuple):
    """The bit vectors: the frontier, the next frontier (`result`), and the two planes of the depths; and bits[k] = 2^k."""

    frontier: Any
    result: Any
    low: Any
    high: Any
    bits: Any
    ones: Any


def clear(words: Any, first: int, stop: int) -> None:
    """Set words to zero."""
    for word in range(first, stop):
        words[word] = 0


def push_wide(planes: Planes, first: int, stop: int, block_words: int, base: Any, kind: Any, rows: Any) -> None:
    """Mark the successors of the frontier in the blocks first .. stop - 1; other threads write to the same words."""
    frontier, result, bits = planes.frontier, planes.result, planes.bits
    for block in range(first, stop):
        row = rows[kind[block]]
        start = base[block]
        for word in range(block_words):
            left = frontier[block * block_words + word]
            while left != 0:
                number = start + row[64 * word + trailing_zeros(left)]
                left &= left - bits[0]
                bit = bits[number & 63]
                if result[number >> 6] & bit == 0:
                    atomic_or(result, number >> 6, bit)


def advance(
    planes: Planes, frontier_bytes: Any, work: Any, work_bytes: Any, first: int, stop: int, moves: Moves, parity: Any,
    place_bits: int, code: int, pushed: bool,
) -> int:  # fmt: skip
    """Find and close the new states of the blocks first .. stop - 1; return their number.

    `work` has room for a block, all zero. `code` is the depth's, 1 to 3; `pushed` tells whether wide moves have already
    written to the result.
    """
    count = 0
    words = len(work)
    for block in range(first, stop):
        start = block * words
        own = planes.frontier[start : start + words]
        shift(own, work, moves)
        for move in range(len(moves.row_length)):
            source = moves.row_source[moves.row_begin[move] : moves.row_begin[move + 1]]
            pull_rows(
                planes.frontier, work, start, moves.row_length[move], source, moves.row_origin[move], moves.row_target[move],
                planes.ones,
            )  # fmt: skip
        for move in range(len(moves.byte_length)):
            source = moves.byte_source[moves.byte_begin[move] : moves.byte_begin[move + 1]]
            pull_bytes(frontier_bytes, work_bytes, 8 * start, moves.byte_length[move], source)
        if len(moves.local_target) > 0:
            tables = moves.local_table[parity[block] if len(moves.local_table) == 2 else 0]
            push_local(own, work, planes.bits, place_bits, moves, tables)
        for move in range(len(moves.pull_base)):
            pull_wide(
                planes, work, start, pushed, moves.pull_base[move, block], moves.pull_row[moves.pull_kind[move, block]]
            )
        count += close(planes, work, start, code, pushed)
    return count


def pull_rows(
    frontier: Any, work: Any, start: int, length: int, source: Any, origin: Any, target: Any, ones: Any
) -> None:
    """Pull rows of `length` words into the block that starts at the word `start`."""
    done = 0
    while done < len(work):
        begin, count = stretch(start + done, len(work) - done, length, source)
        come, go = frontier[begin : begin + count], work[done : done + count]
        for step in range(len(go)):
            go[step] |= ((come[step] >> origin) & ones) << target
        done += count


def pull_bytes(frontier: Any, work: Any, start: int, length: int, source: Any) -> None:
    """Do the same for rows of bytes, in a game of one place; the arrays are the same memory, seen as bytes."""
    done = 0
    while done < len(work):
        begin, count = stretch(start + done, len(work) - done, length, source)
        come, go = frontier[begin : begin + count], work[done : done + count]
        for step in range(len(go)):
            go[step] |= come[step]
        done += count


def pull_wide(planes: Planes, work: Any, start: int, pushed: bool, base: int, row: Any) -> None:
    """Mark the unseen states of a block with a predecessor in the frontier by the move whose inverse is in the table."""
    frontier, bits = planes.frontier, planes.bits
    for word in range(len(work)):
        seen = planes.low[start + word] | planes.high[start + word] | work[word]
        if pushed:
            seen |= planes.result[start + word]
        left = ~seen
        while left != 0:
            offset = trailing_zeros(left)
            left &= left - bits[0]
            number = base + row[64 * word + offset]
            if frontier[number >> 6] & bits[number & 63] != 0:
                work[word] |= bits[offset]


def close(planes: Planes, work: Any, start: int, code: int, pushed: bool) -> int:
    """Make the new states of a block the next frontier, write their code, and clear `work`; return their number."""
    stop = start + len(work)
    low, high, result = planes.low[start:stop], planes.high[start:stop], planes.result[start:stop]
    count = 0
    for word in range(len(work)):
        new = work[word]
        if pushed:
            new |= result[word]
        new &= ~(low[word] | high[word])
        result[word] = new
        if code & 1:
            low[word] |= new
        if code & 2:
            high[word] |= new
        count += popcount(new)
        work[word] = 0
    return count
