"""Run the inner loop of the search of products: a row of the next level at a time, forwards or backwards.

A row is a line of words, a bit for each column. One thread writes a row, and works in its first-level cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.jit import popcount, trailing_zeros, unsigned


class Tables(NamedTuple):
    """The moves as tables.

    `sources` is the row that a move comes from, [row, move]; `actions` the action of a move, [row before it, move], or
    [1, move]; `after` and `before` are the columns after and before an action, [action, column]; `mask` has the bits of a
    row's words that stand for columns. A look at a predecessor costs `weight` hundredths of a move forwards.
    """

    sources: Any
    actions: Any
    after: Any
    before: Any
    mask: Any
    weight: int


class Vectors(NamedTuple):
    """The frontier and its number of states per row, the same for the next frontier, and the planes; [row, word]."""

    frontier: Any
    counts: Any
    new: Any
    new_counts: Any
    low: Any
    high: Any


class Room(NamedTuple):
    """A thread's buffers: a byte for each column, the same memory as words, and the unreached columns as bits of words.

    Words must not be mixed with signed numbers, so some constants are words, too.
    """

    reached: Any
    reached_words: Any
    left: Any
    zero: Any
    one: Any
    eight_bytes: Any
    last_byte: Any


def advance(vectors: Vectors, new_bytes: Any, tables: Tables, room: Room, first: int, stop: int, code: int) -> int:
    """Find the new states of the rows first .. stop - 1, write their code, 1 to 3, and return their number."""
    moves, words = tables.sources.shape[1], len(tables.mask)
    columns = tables.after.shape[1]
    total = 0
    for row in range(first, stop):
        low, high, new = vectors.low[row], vectors.high[row], vectors.new[row]
        unreached = 0
        for word in range(words):
            room.left[word] = ~(low[word] | high[word]) & tables.mask[word]
            unreached += popcount(room.left[word])
        coming = 0
        for move in range(moves):
            coming += vectors.counts[tables.sources[row, move]]
        found = 0
        for word in range(words):
            new[word] = room.zero
        if unreached > 0 and coming > 0:
            # The expected number of predecessors to look at until one is in the frontier: `coming / columns` of them are.
            looks = min(moves, 1 + moves * columns // (1 + coming))
            if unreached * looks * tables.weight < 100 * coming:
                pull(vectors, tables, room, row)
            else:
                push(vectors, new_bytes, tables, room, row)
            for word in range(words):
                bits = new[word] & tables.mask[word] & ~(low[word] | high[word])
                new[word] = bits
                found += popcount(bits)
                if code & 1:
                    low[word] |= bits
                if code & 2:
                    high[word] |= bits
        vectors.new_counts[row] = found
        total += found
    return total


def count_rows(vector: Any, counts: Any, first: int, stop: int) -> None:
    """Count the states in the rows first .. stop - 1 of a vector."""
    for row in range(first, stop):
        count = 0
        for word in range(vector.shape[1]):
            count += popcount(vector[row, word])
        counts[row] = count


def push(vectors: Vectors, new_bytes: Any, tables: Tables, room: Room, row: int) -> None:
    """Mark the successors of the frontier in a row, state by state of the frontier."""
    for word in range(len(room.reached_words)):
        room.reached_words[word] = room.zero
    shared = tables.actions.shape[0] == 1
    for move in range(tables.sources.shape[1]):
        source = tables.sources[row, move]
        if vectors.counts[source] == 0:
            continue
        frontier = vectors.frontier[source]
        after = tables.after[tables.actions[0 if shared else source, move]]
        for word in range(len(frontier)):
            bits = frontier[word]
            while bits != room.zero:
                room.reached[after[unsigned(64 * word + trailing_zeros(bits))]] = 1
                bits &= bits - room.one
    packed = new_bytes[row]
    for byte in range(len(packed)):  # the product has the lowest bits of all eight bytes in its last byte
        packed[byte] = room.reached_words[byte] * room.eight_bytes >> room.last_byte


def pull(vectors: Vectors, tables: Tables, room: Room, row: int) -> None:
    """Mark the unreached states of a row that have a predecessor in the frontier."""
    new = vectors.new[row]
    shared = tables.actions.shape[0] == 1
    for move in range(tables.sources.shape[1]):
        source = tables.sources[row, move]
        if vectors.counts[source] == 0:
            continue
        frontier = vectors.frontier[source]
        before = tables.before[tables.actions[0 if shared else source, move]]
        for word in range(len(frontier)):
            bits = room.left[word]
            hits = room.zero
            while bits != room.zero:
                column = before[unsigned(64 * word + trailing_zeros(bits))]
                lowest = bits & (room.zero - bits)
                if frontier[column >> 6] >> (column & 63) & room.one != room.zero:
                    hits |= lowest
                bits ^= lowest
            new[word] |= hits
            room.left[word] &= ~hits
