"""The kernels of the streaming search on a device: the first argument is the number of a word.

A word holds the bits of one or more *rows*, a bit for each place; `Layout` tells how. A thread asks of its word's unreached
states which have a predecessor in the frontier: by shifts, by whole words of other rows, and bit by bit where a move
rearranges the last elements of the sequence. Where a table leads forwards only, the frontier's threads set bits instead.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from searchbench.jit import atomic_add, atomic_or, popcount, trailing_zeros
from searchbench.solvers.exhaustive.permutations.kernels import stretch


class Vectors(NamedTuple):
    """The frontier and the next one, the two planes of the depths, bytes for blocks, and counts.

    `active` marks the frontier's blocks with states, `touched` those of the next one, and `needs` tells what to do for them.
    `counts` is a power of two of counters, over which threads spread what they count. ``bits[k]`` is 2^k.
    """

    frontier: Any
    result: Any
    low: Any
    high: Any
    active: Any
    touched: Any
    needs: Any
    counts: Any
    bits: Any


class Layout(NamedTuple):
    """Tell how states lie in words: words of a block, binary digits of a place, the first bit of each row, a row's bits."""

    block_words: int
    place_bits: int
    ones: Any
    row: Any


class Pulls(NamedTuple):
    """The moves that lead to a level, by what is fetched.

    A move of whole words fetches *units*, `unit_words` [move] long, `unit_count` [move] of them in a block: the unit `u` comes
    from the unit `unit_source` [unit_begin [move] + u]; a word's unit in its block is found by `unit_factor` [move], as
    division takes a device long. A move of bytes has rows of `byte_length` [move], and windows of rows from `byte_begin` [move]
    on. `local` is [move, (origin, target, table)], and `tables` [parity of the first elements, table, row] gives the row of the
    block that a row comes from. The others give numbers, as a `WideMap` does.
    """

    shift_mask: Any
    shift_distance: Any
    shift_up: Any
    unit_origin: Any
    unit_target: Any
    unit_words: Any
    unit_count: Any
    unit_factor: Any
    unit_begin: Any
    unit_source: Any
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
    """The places that new states can have; the code of their depth; whether reached states all have a bit in `low`.

    `pushed` tells whether some are in `result` already, `anywhere` whether they may come from any block.
    """

    wanted: Any
    code: int
    in_low: bool
    pushed: bool
    anywhere: bool


FACTOR_BITS: Final = 32
"""A word's number in its block, times a factor of so many binary digits, gives its unit: both numbers are below 2^16."""
IDLE, STALE, DUE = 0, 1, 2
"""What a block of the next frontier is: empty and to stay so; to be cleared; to be found."""


def plan_block(block: int, vectors: Vectors, pulls: Pulls, level: Level) -> None:
    """Tell what a block of the next frontier needs: new states come from its own block, or from those of its units."""
    due = level.anywhere or vectors.active[block] != 0
    for move in range(len(pulls.unit_words)):
        count = pulls.unit_count[move]
        first = pulls.unit_begin[move] + block * count
        unit = 0
        while unit < count and not due:
            due = vectors.active[pulls.unit_source[first + unit] // count] != 0
            unit += 1
    need = DUE if due else (STALE if vectors.touched[block] != 0 else IDLE)
    vectors.needs[block] = need
    vectors.touched[block] = 0


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
    block = word // layout.block_words
    need = vectors.needs[block]
    if need == IDLE:
        return
    seen = vectors.low[word]
    if not level.in_low:
        seen |= vectors.high[word]
    wanted = ~seen & level.wanted
    new = wanted ^ wanted
    if need == DUE and wanted != 0:
        if level.pushed:
            new |= vectors.result[word]
        within = word - block * layout.block_words
        new |= from_units(within, block, vectors, layout, pulls)
        if vectors.active[block] != 0:
            new |= shifted(vectors.frontier[word], pulls)
            if len(pulls.local) > 0:
                new |= from_block(within, block, vectors, layout, pulls, wanted & ~new)
        if len(pulls.byte_length) > 0:
            new |= from_bytes(word, vectors, pulls)
        if len(pulls.wide_base) > 0:
            new |= from_anywhere(within, block, vectors, pulls, wanted & ~new)
        new &= wanted
    vectors.result[word] = new
    if new != 0:
        vectors.touched[block] = 1
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


def from_units(within: int, block: int, vectors: Vectors, layout: Layout, pulls: Pulls) -> Any:
    """Return the states of a word, number `within` of its block, that words of other rows lead to."""
    found = layout.ones ^ layout.ones
    for move in range(len(pulls.unit_words)):
        unit = (within * pulls.unit_factor[move]) >> FACTOR_BITS
        length = pulls.unit_words[move]
        source = pulls.unit_source[pulls.unit_begin[move] + block * pulls.unit_count[move] + unit]
        come = vectors.frontier[(source - unit) * length + within] >> pulls.unit_origin[move]
        found |= (come & layout.ones) << pulls.unit_target[move]
    return found


def from_bytes(word: int, vectors: Vectors, pulls: Pulls) -> Any:
    """Return the states of a word that bytes of other rows lead to, in a game of one place."""
    byte = vectors.bits[8] - vectors.bits[0]
    found = byte ^ byte
    for move in range(len(pulls.byte_length)):
        rows = pulls.byte_source[pulls.byte_begin[move] : pulls.byte_begin[move + 1]]
        for place in range(8):
            source, _ = stretch(8 * word + place, 1, pulls.byte_length[move], rows)
            come = (vectors.frontier[source >> 3] >> (8 * (source & 7))) & byte
            found |= come << (8 * place)
    return found


def from_block(within: int, block: int, vectors: Vectors, layout: Layout, pulls: Pulls, wanted: Any) -> Any:
    """Return which wanted states of a word are led to from other rows of the block."""
    one = vectors.bits[0]
    found = wanted ^ wanted
    variant = pulls.parity[block] if len(pulls.tables) == 2 else 0
    start = block * layout.block_words
    rows = 64 >> layout.place_bits
    first = within * rows
    for move in range(len(pulls.local)):
        origin, target, table = pulls.local[move, 0], pulls.local[move, 1], pulls.local[move, 2]
        for row in range(rows):
            shift = (row << layout.place_bits) + target
            if (wanted >> shift) & one != 0:
                place = (pulls.tables[variant, table, first + row] << layout.place_bits) + origin
                found |= ((vectors.frontier[start + (place >> 6)] >> (place & 63)) & one) << shift
    return found


def from_anywhere(within: int, block: int, vectors: Vectors, pulls: Pulls, wanted: Any) -> Any:
    """Return which wanted states of a word are led to by moves whose inverses are in tables."""
    found = wanted ^ wanted
    while wanted != 0:
        offset = trailing_zeros(wanted)
        wanted &= wanted - vectors.bits[0]
        for move in range(len(pulls.wide_base)):
            row = pulls.wide_row[pulls.wide_kind[move, block]]
            number = pulls.wide_base[move, block] + row[64 * within + offset]
            if vectors.frontier[number >> 6] & vectors.bits[number & 63] != 0:
                found |= vectors.bits[offset]
    return found
