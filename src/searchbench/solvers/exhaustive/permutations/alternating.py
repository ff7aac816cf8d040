"""The streaming search of games whose every move changes the parity of the place: two bit vectors, and nothing else.

A state's place tells whether its depth is odd. So one bit, the second of the depth, tells depths modulo 4, and one more
whether the state is reached. While a state is not reached, its second bit tells that it will be at the next level: moves
within a block are made as soon as their state is found. Moves between blocks take as the frontier all that has the parity
and the second bit of the level: layers four, eight, ... levels nearer to the start lead to nothing new. What is new has the
other parity: blocks can be closed while others still read the frontier in them, and a level that was cut short can be
searched again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from searchbench.jit import popcount, trailing_zeros
from searchbench.solvers.exhaustive.permutations.kernels import Moves, pull_local, push_local, shift, stretch

DENSE: Final = 4
"""Where there is more than one new state to so many rows of a block, moves within it are made for all rows."""


class Vectors(NamedTuple):
    """Hold what is reached, the second bits of the depths, and bits[k] = 2^k; and which blocks the last level changed."""

    reached: Any
    second: Any
    bits: Any
    ones: Any
    fresh: Any
    next_fresh: Any


class Level(NamedTuple):
    """Say what is pulled from, reached & (second ^ flip), what can be new, and the second bit of what is new, 64 times."""

    flip: Any
    wanted: Any
    second: Any


def advance(
    vectors: Vectors, work: Any, coming: Any, lanes: Any, coming_lanes: Any, first: int, stop: int, pulls: Moves,
    pushes: Moves, parity: Any, place_bits: int, level: Level, notes: Any,
) -> int:  # fmt: skip
    """Find what is new in the blocks first .. stop - 1 and close it; return how much it is.

    `work` and `coming` have room for a block, all zero; `lanes` and `coming_lanes` are the same memory, a number a row.
    `pulls` are the moves that lead to this level, `pushes` those that lead on. The first new bits are written to `notes`
    behind their number, notes[0].
    """
    count = 0
    words = len(work)
    for block in range(first, stop):
        start = block * words
        reached, second = vectors.reached[start : start + words], vectors.second[start : start + words]
        busy = vectors.fresh[block] != 0
        if busy:
            for word in range(words):
                work[word] = second[word] & ~reached[word] & level.wanted
        for move in range(len(pulls.row_length)):
            source = pulls.row_source[pulls.row_begin[move] : pulls.row_begin[move + 1]]
            origin, target = pulls.row_origin[move], pulls.row_target[move]
            if pull_rows(vectors, work, start, pulls.row_length[move], source, origin, target, level.flip):
                busy = True
        if busy:
            new = keep_new(reached, work)
            if new > 0:
                vectors.next_fresh[block] = 1
                count += new
                if notes[0] + new < len(notes):
                    note(vectors.bits, work, start, notes)
                lead_on(work, coming, lanes, coming_lanes, new, pushes, parity[block], vectors.bits, place_bits)
                close(reached, second, work, coming, level.second)
    return count


def mark_again(
    vectors: Vectors, work: Any, coming: Any, lanes: Any, coming_lanes: Any, first: int, stop: int, pushes: Moves,
    parity: Any, place_bits: int, level: Level,
) -> None:  # fmt: skip
    """Mark anew, in the blocks first .. stop - 1, where the last level leads to within its blocks: by `pushes`, to `level`.

    A process that ended while it closed a block may have left states without their marks that it had not yet reached.
    """
    words = len(work)
    for block in range(first, stop):
        start = block * words
        reached, second = vectors.reached[start : start + words], vectors.second[start : start + words]
        count = 0
        for word in range(words):
            work[word] = reached[word] & (second[word] ^ level.flip) & ~level.wanted
            count += popcount(work[word])
        if count > 0:
            lead_on(work, coming, lanes, coming_lanes, count, pushes, parity[block], vectors.bits, place_bits)
            for word in range(words):
                second[word] |= coming[word] & ~reached[word]
                coming[word] = 0
                work[word] = 0


def lead_on(
    work: Any, coming: Any, lanes: Any, coming_lanes: Any, count: int, pushes: Moves, parity: int, bits: Any,
    place_bits: int,
) -> None:  # fmt: skip
    """Find where `count` states of a block, `work`, lead to by moves within it."""
    shift(work, coming, pushes)
    if len(pushes.local_target) > 0:
        tables = pushes.local_table[parity if len(pushes.local_table) == 2 else 0]
        if DENSE * count > len(lanes) and len(pushes.local_back) > 0:
            pull_local(lanes, coming_lanes, pushes, tables)
        else:
            push_local(work, coming, bits, place_bits, pushes, tables)


def pull_rows(
    vectors: Vectors, work: Any, start: int, length: int, source: Any, origin: Any, target: Any, flip: Any
) -> bool:
    """Bring rows of `length` words to where they belong in the block that starts at the word `start`, from fresh blocks.

    Return whether there were any. A row lies in one block, or is made of whole ones.
    """
    found = False
    words = len(work)
    done = 0
    while done < words:
        begin, count = stretch(start + done, words - done, length, source)
        if vectors.fresh[begin // words] != 0:
            found = True
            reached, second = vectors.reached[begin : begin + count], vectors.second[begin : begin + count]
            go = work[done : done + count]
            for step in range(len(go)):
                go[step] |= (((reached[step] & (second[step] ^ flip)) >> origin) & vectors.ones) << target
        done += count
    return found


def keep_new(reached: Any, work: Any) -> int:
    """Keep of what was found in a block only what is new; return how much it is."""
    count = 0
    for word in range(len(work)):
        new = work[word] & ~reached[word]
        work[word] = new
        count += popcount(new)
    return count


def close(reached: Any, second: Any, work: Any, coming: Any, second_bit: Any) -> None:
    """Mark what is new in a block, `work`, as reached, and where it leads to as coming; leave both zero.

    The second bits come first: where the process ends in between, the new states are not yet reached, and are found again,
    once they have their marks again (`mark_again`).
    """
    for word in range(len(work)):
        new = work[word]
        second[word] = ((second[word] | (coming[word] & ~reached[word])) & ~new) | (new & second_bit)
        coming[word] = 0
    for word in range(len(work)):
        reached[word] |= work[word]
        work[word] = 0


def note(bits: Any, work: Any, start: int, notes: Any) -> None:
    """Write down where the bits of a block are."""
    for word in range(len(work)):
        left = work[word]
        while left != 0:
            notes[0] += 1
            notes[notes[0]] = 64 * (start + word) + trailing_zeros(left)
            left &= left - bits[0]


def count_bits(words: Any, first: int, stop: int) -> int:
    """Count the bits of an interval of words."""
    count = 0
    some = words[first:stop]
    for word in range(len(some)):
        count += popcount(some[word])
    return count
