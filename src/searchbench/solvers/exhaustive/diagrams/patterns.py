"""Positions that patterns call lost, left out of a set by one walk over it.

A walk from the first digit to the last knows at each node which patterns all codes so far lie in: that set of patterns begun
and not ended is its *progress*. Where one ends, the positions below are lost. So no diagram of the lost positions is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.hashing import mix
from searchbench.index.digits import WORD, Digits, Pattern
from searchbench.jit import inlined, trailing_zeros, unowned, unsigned
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    FULL,
    UNKNOWN,
    cached,
    child_of,
    first_of,
    leaf_of,
    mask_of,
    node_of,
    pair_key,
    remember,
)
from searchbench.solvers.exhaustive.diagrams.sets import add_child, leaf_mask, word_of

_LEAST = 1 << 10


class Lost(NamedTuple):
    """The patterns of one player as bits of some words.

    `allowed` [digit, code, word] has the patterns that a code of a digit may lie in, `later` [digit, word] those that begin at
    the digit or after it, `begun` [digit, word] those that have begun, the digit included, and end after it; `ended` [digit,
    word] those that end with it.
    """

    allowed: npt.NDArray[np.uint64]
    later: npt.NDArray[np.uint64]
    begun: npt.NDArray[np.uint64]
    ended: npt.NDArray[np.uint64]


def lost_of(digits: Digits, patterns: Sequence[Pattern]) -> Lost:
    """Return the patterns as bits."""
    count, words = len(digits.digits), max(1, -(-len(patterns) // WORD))
    allowed = np.zeros((count, digits.most_codes, words), np.uint64)
    later, begun, ended = (np.zeros((count, words), np.uint64) for _ in range(3))
    for number, pattern in enumerate(patterns):
        word, bit = number // WORD, np.uint64(1 << number % WORD)
        wanted = dict(zip(pattern.digits, pattern.codes, strict=True))
        first, last = min(wanted), max(wanted)
        for digit in range(count):
            codes = wanted.get(digit)
            allowed[digit, slice(None) if codes is None else list(codes), word] |= bit
            later[digit, word] |= bit * (first >= digit)
            begun[digit, word] |= bit * (first <= digit < last)
            ended[digit, word] |= bit * (digit == last)
    return Lost(allowed, later, begun, ended)


class Progress(NamedTuple):
    """Sets of patterns begun: words, a hash table of their numbers, and how many there are; `next` is for one at work."""

    sets: npt.NDArray[np.uint64]
    table: npt.NDArray[np.int32]
    size: npt.NDArray[np.int64]
    next: npt.NDArray[np.uint64]
    words: npt.NDArray[np.int64]


def new_progress(words: int, room: int = _LEAST) -> Progress:
    """Return a table with the empty set as its number 0, with room for so many sets, a power of two."""
    made = Progress(
        np.zeros((room, words), np.uint64), np.full(2 * room, ABSENT, np.int32), np.zeros(1, np.int64),
        np.zeros(words, np.uint64), np.zeros(words, np.int64),
    )  # fmt: skip
    made = made._replace(words=made.next.view(np.int64))
    number_of_set(made)
    return made


@inlined
def number_of_set(progress: Any) -> int:
    """Return the number of the set `next`, FULL where there is no room for a new one."""
    code = 1
    for word in range(len(progress.words)):
        code = mix(code ^ progress.words[word])
    slot = code & (len(progress.table) - 1)
    while progress.table[slot] >= 0:
        number = int(progress.table[slot])
        same = True
        for word in range(len(progress.next)):
            same = same and progress.sets[number, word] == progress.next[word]
        if same:
            return number
        slot = (slot + 1) & (len(progress.table) - 1)
    number = int(progress.size[0])
    if number >= len(progress.sets):
        return FULL
    for word in range(len(progress.next)):
        progress.sets[number, word] = progress.next[word]
    progress.table[slot] = number
    progress.size[0] = number + 1
    return number


@inlined
def is_ended(lost: Any, progress: Any, number: int, digit: int, code: int) -> bool:
    """Tell whether a pattern ends with a code; else `next` is the progress after it."""
    here = unsigned(digit)
    for place in range(len(progress.next)):
        word = unsigned(place)
        held = progress.sets[unsigned(number), word] | lost.later[here, word]
        held &= lost.allowed[here, unsigned(code), word]
        if held & lost.ended[here, word]:
            return True
        progress.next[word] = held & lost.begun[here, word]
    return False


def without_lost(kept: Any, scratch: Any, lost: Any, progress: Any, root: int, last: int, results: Any, at: Any) -> int:
    """Return the members of a set that lie in no pattern, as a kept set; ABSENT if there are none, FULL without room."""
    kept, scratch, lost, progress = unowned(kept), unowned(scratch), unowned(lost), unowned(progress)
    results, at = unowned(results), unowned(at)
    if last == 0:
        return leaf_without_lost(kept, scratch, lost, progress, root, 0, last, at)
    enter(kept, scratch, at, 0, root, 0)
    depth = 0
    while True:
        here = unsigned(depth)
        node, number, word, left = at.one[here], at.other[here], at.word[here], at.left[here]
        while left == 0 and word + 1 < at.mask.shape[1]:
            word += 1
            left = mask_of(kept, scratch, node, word)
            at.left[here], at.word[here] = left, word
        if left == 0:
            found = ABSENT
            if at.counts[here] > 0:
                found = node_of(kept, scratch, depth, last, at, True)
                if found == FULL:
                    return found
            remember(results, pair_key(node, number), found)
            if depth == 0:
                return found
            depth -= 1
            continue
        code = 64 * word + trailing_zeros(left)
        found = ABSENT
        if not is_ended(lost, progress, number, depth, code):
            after = number_of_set(progress)
            if after == FULL:
                return after
            child = int(child_of(kept, scratch, node, at.edge[here]))
            if depth + 1 == last:
                found = leaf_without_lost(kept, scratch, lost, progress, child, after, last, at)
                if found == FULL:
                    return found
            else:
                found = cached(results, pair_key(child, after))
                if found == UNKNOWN:
                    depth += 1
                    enter(kept, scratch, at, depth, child, after)
                    continue
        at.edge[here] += 1
        at.left[here] = left & (left - unsigned(1))
        if found != ABSENT:
            at.mask[here, unsigned(word)] |= unsigned(1) << unsigned(code & 63)
            add_child(at, depth, found)


@inlined
def enter(kept: Any, scratch: Any, at: Any, depth: int, node: int, number: int) -> None:
    """Begin with a node and a progress at a depth."""
    here = unsigned(depth)
    at.one[here], at.other[here], at.edge[here] = node, number, first_of(kept, scratch, node)
    at.left[here], at.word[here], at.counts[here] = mask_of(kept, scratch, node, 0), 0, 0
    for word in range(at.mask.shape[1]):
        at.mask[here, unsigned(word)] = 0


@inlined
def leaf_without_lost(
    kept: Any, scratch: Any, lost: Any, progress: Any, leaf: int, number: int, last: int, at: Any
) -> int:
    """Return a leaf less the codes with which a pattern ends."""
    mask, word = leaf_mask(kept, scratch, leaf), int(word_of(kept, scratch, leaf))
    left = mask
    while left:
        if is_ended(lost, progress, number, last, 64 * word + trailing_zeros(left)):
            mask ^= left & (~left + unsigned(1))
        left &= left - unsigned(1)
    return leaf_of(kept, scratch, mask, word, at, True)
