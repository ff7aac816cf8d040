"""Run the inner loops of breadth-first search on bit vectors.

All words are unsigned 64-bit integers, and so are their operands: a signed one would make the result a float.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

from searchbench.index.contract import canonical_rank, successor_ranks, unrank, unrank_next
from searchbench.jit import atomic_or, popcount, prefetch, trailing_zeros
from searchbench.rules import UNDECIDED, alternates, moves, new_moves, new_state, play, terminal, unplay

BLOCK: Final = 64
"""Words per block; the search skips a block that has not changed."""
SLOTS: Final = 512
"""Words of bits that wait to be written; a power of two."""
ANY: Final = -1
"""Stands for either value of `alternates`: expand all states."""


class Vector(NamedTuple):
    """The bits of the numbers from `origin` on, and a nonzero mark for each block to process."""

    words: Any
    marks: Any
    origin: int


class Planes(NamedTuple):
    """The two planes of the depths modulo 3; the frontier and its marks; its successors and their marks."""

    low: Any
    high: Any
    frontier: Any
    active: Any
    reached: Any
    touched: Any


class Pending(NamedTuple):
    """Bits to be set, in slots: the index of a word, or -1, and the bits to be set in it.

    While the bits wait, the word arrives from memory, and further bits of the same word join: neighbouring states often
    have neighbouring successors.
    """

    words: Any
    bits: Any


def write_bits(target: Vector, word: int, bits: Any) -> None:
    """Set the bits of a word that are not set yet, and mark its block; other threads write to the same words."""
    if bits & ~target.words[word] != 0:
        atomic_or(target.words, word, bits)
        target.marks[word // BLOCK] = 1


class Expansion(NamedTuple):
    """The states to expand, and the way to expand them.

    `parity` is the required value of `alternates`, or ANY; `through_ends` expands terminal states, too; `by_number` uses
    the game's `successor_ranks`.
    """

    parity: int
    through_ends: bool
    by_number: bool


def expand(
    source: Vector, target: Vector, bits: Any, pending: Pending, blocks: tuple[int, int], which: Expansion
) -> int:
    """Set the bits of all successors of the states in the marked blocks of an interval; return -1.

    If a successor lies outside the target, stop and return the number of its predecessor. `bits[k]` is 2^k; `pending` has
    SLOTS slots.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    room = 64 * len(target.words)
    origin, before = target.origin, -1
    plain = goes_by_number(which)
    waiting, gathered = pending.words, pending.bits
    for slot in range(SLOTS):
        waiting[slot] = -1
    for block in range(blocks[0], blocks[1]):
        if source.marks[block] == 0:
            continue
        for word in range(block * BLOCK, min((block + 1) * BLOCK, len(source.words))):
            left = source.words[word]
            while left != 0:
                number = source.origin + 64 * word + trailing_zeros(left)
                left &= left - bits[0]
                if plain:
                    count = successor_ranks(number, state, out, numbers)
                else:
                    count = successor_numbers(number, before, state, scratch, out, numbers, which)
                    before = -1 if which.by_number else number
                for step in range(count):
                    if numbers[step] < 0:
                        continue
                    bit = numbers[step] - origin
                    if not 0 <= bit < room:
                        return number
                    into = bit >> 6
                    slot = into & (SLOTS - 1)
                    if waiting[slot] == into:
                        gathered[slot] |= bits[bit & 63]
                        continue
                    prefetch(target.words, into)
                    if waiting[slot] >= 0:
                        write_bits(target, waiting[slot], gathered[slot])
                    waiting[slot] = into
                    gathered[slot] = bits[bit & 63]
    for slot in range(SLOTS):
        if waiting[slot] >= 0:
            write_bits(target, waiting[slot], gathered[slot])
    return -1


def goes_by_number(which: Expansion) -> bool:
    """Tell whether each state is expanded by `successor_ranks` alone; loops that ask it save a call for each state."""
    return which.by_number and which.parity == ANY and which.through_ends


def successor_numbers(
    number: int, before: int, state: Any, scratch: Any, out: Any, numbers: Any, which: Expansion
) -> int:
    """Write the numbers of the successors and return their count: 0 for a state that is not to be expanded.

    On entry `state` holds the state of the number `before`, which is less than `number`, or anything if `before` is -1.
    """
    if goes_by_number(which):
        return successor_ranks(number, state, out, numbers)
    if before < 0:
        unrank(number, state)
    else:
        unrank_next(before, state, number - before)
    if which.parity != ANY and alternates(state) != which.parity:
        return 0
    if not which.through_ends and terminal(state) != UNDECIDED:
        return 0
    if which.by_number:
        return successor_ranks(number, state, out, numbers)
    count = moves(state, out)
    for index in range(count):
        play(state, out[index])
        numbers[index] = canonical_rank(state, scratch)
        unplay(state, out[index])
    return count


def close(
    planes: Planes, bits: Any, code: int, blocks: tuple[int, int], starts: Any, counts: MutableSequence[int]
) -> None:
    """Make the new states of an interval of blocks the frontier, write their depth's code, and count them by part.

    `code` is 1 to 3; `starts` are the first numbers of the parts, in order. Clears `reached`.
    """
    low, high, frontier, reached = planes.low, planes.high, planes.frontier, planes.reached
    part = 0
    for block in range(blocks[0], blocks[1]):
        if planes.active[block] == 0 and planes.touched[block] == 0:
            continue
        planes.active[block] = 0
        planes.touched[block] = 0
        for word in range(block * BLOCK, min((block + 1) * BLOCK, len(low))):
            new = reached[word] & ~(low[word] | high[word])
            frontier[word] = new
            reached[word] = 0
            if new != 0:
                planes.active[block] = 1
                if code & 1:
                    low[word] |= new
                if code & 2:
                    high[word] |= new
                part = count_word(new, bits, 64 * word, part, starts, counts)


def count_word(left: Any, bits: Any, first: int, part: int, starts: Any, counts: MutableSequence[int]) -> int:
    """Count by part the bits of a word whose lowest bit stands for the number `first`; return the part of `first`.

    The search for that part begins at `part`, which must not lie behind it.
    """
    while part + 1 < len(starts) and starts[part + 1] <= first:
        part += 1
    if part + 1 == len(starts) or starts[part + 1] >= first + 64:
        counts[part] += popcount(left)
        return part
    here = part
    for bit in range(64):
        while here + 1 < len(starts) and starts[here + 1] <= first + bit:
            here += 1
        if left & bits[bit] != 0:
            counts[here] += 1
    return part


def count_new(vector: Vector, held: Any, blocks: tuple[int, int]) -> int:
    """Count the bits that the marked blocks of an interval have gained since their last count, `held`."""
    gained = 0
    for block in range(blocks[0], blocks[1]):
        if vector.marks[block] != 0:
            count = 0
            for word in range(block * BLOCK, min((block + 1) * BLOCK, len(vector.words))):
                count += popcount(vector.words[word])
            gained += count - held[block]
            held[block] = count
    return gained


def count_parts(vector: Vector, bits: Any, blocks: tuple[int, int], starts: Any, counts: MutableSequence[int]) -> None:
    """Count the bits of an interval of blocks by part."""
    part = 0
    for word in range(blocks[0] * BLOCK, min(blocks[1] * BLOCK, len(vector.words))):
        if vector.words[word] != 0:
            part = count_word(vector.words[word], bits, vector.origin + 64 * word, part, starts, counts)
