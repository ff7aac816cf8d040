"""Run the streaming search of games whose every move changes the parity of the place, with two bit vectors only.

The parity of a state's place gives the parity of its depth. So one bit, the second of the depth, gives depths modulo 4,
and one more bit tells whether the state is reached. The second bit of an unreached state marks it for the next level:
moves within a block are made as soon as their state is found. Moves between blocks take as the frontier all states with
the parity and the second bit of the level: layers four, eight, ... levels nearer to the start have no new successors. New
states have the other parity. So a block can be closed while other threads still read its frontier, and an interrupted
level can be searched again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from searchbench.jit import popcount, trailing_zeros
from searchbench.solvers.exhaustive.permutations.kernels import Moves, pull_local, push_local, shift, stretch

DENSE: Final = 4
"""Moves within a block are made for all its rows if more than one row in DENSE has a new state."""


class Vectors(NamedTuple):
    """The bits of the reached states; the second bits of the depths; constants; and marks of changed blocks.

    `bits[k]` is 2^k, `ones` has the first bit of each row in a word. `fresh` marks the blocks that the last level changed,
    `next_fresh` those that this level changes.
    """

    reached: Any
    second: Any
    bits: Any
    ones: Any
    fresh: Any
    next_fresh: Any


class Level(NamedTuple):
    """Words of 64 bits that describe a level.

    The frontier is reached & (second ^ flip); `wanted` has the bits of the places that new states can have; `second`
    repeats the second bit of the level's depth.
    """

    flip: Any
    wanted: Any
    second: Any


def advance(
    vectors: Vectors, work: Any, coming: Any, lanes: Any, coming_lanes: Any, first: int, stop: int, pulls: Moves,
    pushes: Moves, parity: Any, place_bits: int, level: Level, notes: Any,
) -> int:  # fmt: skip
    """Find and close the new states of the blocks first .. stop - 1; return their number.

    `work` and `coming` have room for a block, all zero; `lanes` and `coming_lanes` are the same memory, a number a row.
    `pulls` are the moves to this level, `pushes` those to the next one. As long as they fit, the new states' bits are
    listed in `notes`, after their number in notes[0].
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
    """Restore the marks of unreached states in the blocks first .. stop - 1: the last level's successors by `pushes`.

    A process killed while it closed a block may have overwritten such marks before it set the states' bits in `reached`.
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
    """Find the successors, by moves within the block, of the `count` states in `work`."""
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
    """Pull rows of `length` words from fresh blocks into the block that starts at the word `start`.

    Return whether there were any. A row lies in one block or consists of whole blocks.
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
    """Clear the bits of reached states in `work`; return the number of bits left, the new states."""
    count = 0
    for word in range(len(work)):
        new = work[word] & ~reached[word]
        work[word] = new
        count += popcount(new)
    return count


def close(reached: Any, second: Any, work: Any, coming: Any, second_bit: Any) -> None:
    """Mark the new states of a block, `work`, as reached, and their successors for the next level; clear both arrays.

    The second bits are written first: if the process is killed in between, the new states are not yet reached, and are
    found again after `mark_again` has restored their marks.
    """
    for word in range(len(work)):
        new = work[word]
        second[word] = ((second[word] | (coming[word] & ~reached[word])) & ~new) | (new & second_bit)
        coming[word] = 0
    for word in range(len(work)):
        reached[word] |= work[word]
        work[word] = 0


def note(bits: Any, work: Any, start: int, notes: Any) -> None:
    """Append the places of the bits of a block to `notes`."""
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


def take_frontier(vectors: Vectors, blocks: Any, rows: Any, level: Level) -> None:
    """Write the states of some blocks that have the second bit of the level's depth: the new ones, and some older."""
    words = rows.shape[1]
    for place in range(len(blocks)):
        start = blocks[place] * words
        for word in range(words):
            same = ~(vectors.second[start + word] ^ level.second)
            rows[place, word] = vectors.reached[start + word] & same & level.wanted


def put_frontier(vectors: Vectors, blocks: Any, rows: Any, level: Level) -> None:
    """Take over such states of blocks that others hold; moves that the others make within these blocks are not needed."""
    words = rows.shape[1]
    for place in range(len(blocks)):
        start = blocks[place] * words
        for word in range(words):
            some = rows[place, word]
            vectors.reached[start + word] |= some
            vectors.second[start + word] = (vectors.second[start + word] & ~some) | (some & level.second)
