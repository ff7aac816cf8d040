"""The kernels of the streaming search on a device: the first argument is the number of a word.

A word holds the bits of one or more *rows*, a bit for each place; `Layout` tells how. A thread asks of its word's unreached
states which have a predecessor in the frontier: by shifts, by whole words of other rows, and bit by bit where a move
rearranges the last elements of the sequence. Where a table leads forwards only, the frontier's threads set bits instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.jit import atomic_add, atomic_or, popcount, trailing_zeros
from searchbench.solvers.exhaustive.permutations.kernels import stretch


class Vectors(NamedTuple):
    """The frontier and the next one, the two planes of the depths, marks of blocks with states of either, and counts.

    The marks are bytes: `active` of the frontier's blocks, `touched` of the next one's. `counts` is a power of two of
    counters, over which threads spread what they count. ``bits[k]`` is 2^k.
    """

    frontier: Any
    result: Any
    low: Any
    high: Any
    active: Any
    touched: Any
    counts: Any
    bits: Any


class Layout(NamedTuple):
    """Tell how states lie in words: words of a block, binary digits of a place, the first bit of each row, a row's bits."""

    block_words: int
    place_bits: int
    ones: Any
    row: Any


class Pulls(NamedTuple):
    """The moves that lead to a level, by what is fetched; `*_begin` has the first source of each move.

    `local` is [move, (origin, target, table)], and a table [parity of the first elements, table, row] gives the row that a
    row comes from.
    """

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
    local: Any
    tables: Any
    parity: Any
    wide_base: Any
    wide_kind: Any
    wide_row: Any


class Level(NamedTuple):
    """The places that new states can have; the code of their depth; whether reached states all have a bit in `low`."""

    wanted: Any
    code: int
    in_low: bool
    pushed: bool


def push(word: int, vectors: Vectors, base: Any, kind: Any, rows: Any, block_words: int) -> None:
    """Set the bits that the states of a word of the frontier lead to by one move; see `WideMap`."""
    left = vectors.frontier[word]
    if left == 0:
        return
    block = word // block_words
    first = 64 * (word - block * block_words)
    while left != 0:
        number = base[block] + rows[kind[block], first + trailing_zeros(left)]
        left &= left - vectors.bits[0]
        place, bit = number >> 6, vectors.bits[number & 63]
        if (vectors.low[place] | vectors.high[place] | vectors.result[place]) & bit == 0:
            atomic_or(vectors.result, place, bit)


def advance(word: int, vectors: Vectors, layout: Layout, pulls: Pulls, level: Level) -> None:
    """Find the new states of a word, write the code of their depth, and count them."""
    seen = vectors.low[word]
    if not level.in_low:
        seen |= vectors.high[word]
    wanted = ~seen & level.wanted
    new = wanted ^ wanted
    if wanted != 0:
        if level.pushed:
            new |= vectors.result[word]
        block = word // layout.block_words
        new |= from_rows(word, vectors, layout, pulls)
        if vectors.active[block] != 0:
            new |= shifted(vectors.frontier[word], pulls)
            if len(pulls.local) > 0:
                new |= from_block(word, block, vectors, layout, pulls, wanted & ~new)
        if len(pulls.wide_base) > 0:
            new |= from_anywhere(word, block, vectors, layout, pulls, wanted & ~new)
        new &= wanted
    vectors.result[word] = new
    if new != 0:
        vectors.touched[word // layout.block_words] = 1
        if level.code & 1:
            vectors.low[word] |= new
        if level.code & 2:
            vectors.high[word] |= new
        atomic_add(vectors.counts, word & (len(vectors.counts) - 1), popcount(new))


def shifted(states: Any, pulls: Pulls) -> Any:
    """Return the states that shifts lead to from those of the same word."""
    found = states ^ states
    for move in range(len(pulls.shift_mask)):
        moved = states & pulls.shift_mask[move]
        if pulls.shift_up[move]:
            found |= moved << pulls.shift_distance[move]
        else:
            found |= moved >> pulls.shift_distance[move]
    return found


def from_rows(word: int, vectors: Vectors, layout: Layout, pulls: Pulls) -> Any:
    """Return the states of a word that whole words, or bytes, of other rows lead to."""
    found = layout.ones ^ layout.ones
    for move in range(len(pulls.row_length)):
        rows = pulls.row_source[pulls.row_begin[move] : pulls.row_begin[move + 1]]
        source, _ = stretch(word, 1, pulls.row_length[move], rows)
        if vectors.active[source // layout.block_words] != 0:
            come = (vectors.frontier[source] >> pulls.row_origin[move]) & layout.ones
            found |= come << pulls.row_target[move]
    byte = vectors.bits[8] - vectors.bits[0]
    for move in range(len(pulls.byte_length)):
        rows = pulls.byte_source[pulls.byte_begin[move] : pulls.byte_begin[move + 1]]
        for place in range(8):
            source, _ = stretch(8 * word + place, 1, pulls.byte_length[move], rows)
            come = (vectors.frontier[source >> 3] >> (8 * (source & 7))) & byte
            found |= come << (8 * place)
    return found


def from_block(word: int, block: int, vectors: Vectors, layout: Layout, pulls: Pulls, wanted: Any) -> Any:
    """Return which wanted states of a word are led to from other rows of the block."""
    found = wanted ^ wanted
    variant = pulls.parity[block] if len(pulls.tables) == 2 else 0
    start = block * layout.block_words
    rows = 64 >> layout.place_bits
    for number in range(rows):
        first = number << layout.place_bits
        if (wanted >> first) & layout.row == 0:
            continue
        row = (word - start) * rows + number
        for move in range(len(pulls.local)):
            target = vectors.bits[first + pulls.local[move, 1]]
            if wanted & target != 0:
                source = pulls.tables[variant, pulls.local[move, 2], row]
                place = (source << layout.place_bits) + pulls.local[move, 0]
                if vectors.frontier[start + (place >> 6)] & vectors.bits[place & 63] != 0:
                    found |= target
    return found


def from_anywhere(word: int, block: int, vectors: Vectors, layout: Layout, pulls: Pulls, wanted: Any) -> Any:
    """Return which wanted states of a word are led to by moves whose inverses are in tables."""
    found = wanted ^ wanted
    first = 64 * (word - block * layout.block_words)
    while wanted != 0:
        offset = trailing_zeros(wanted)
        wanted &= wanted - vectors.bits[0]
        for move in range(len(pulls.wide_base)):
            number = pulls.wide_base[move, block] + pulls.wide_row[pulls.wide_kind[move, block], first + offset]
            if vectors.frontier[number >> 6] & vectors.bits[number & 63] != 0:
                found |= vectors.bits[offset]
    return found
