"""Unions of sets of positions, by one walk over both."""

from __future__ import annotations

from typing import Any

from searchbench.jit import inlined, unsigned
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    TORN,
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


@inlined
def united(kept: Any, scratch: Any, one: int, other: int, digit: int, last: int, cache: Any, at: Any) -> int:
    """Return the union of two sets of the codes from a digit on, FULL without room, TORN for leaves of two words.

    What is found for a pair of children is handed to the frame before them, until that is the frame before the digit.
    """
    depth = digit - 1
    ours, theirs = one, other
    while True:
        found = UNKNOWN
        if ours == theirs or theirs == ABSENT:
            found = ours
        elif ours == ABSENT:
            found = theirs
        elif depth + 1 == last:
            found = united_leaves(kept, scratch, ours, theirs, at)
        else:
            if ours > theirs:
                ours, theirs = theirs, ours
            found = cached(cache, pair_key(ours, theirs))
            if found == UNKNOWN:
                depth += 1
                enter_both(kept, scratch, at, depth, ours, theirs)
        while True:
            if found != UNKNOWN:
                if found <= TORN or depth < digit:
                    return found
                add_child(at, depth, found)
            here = unsigned(depth)
            one, other, word, left = at.one[here], at.other[here], at.word[here], at.left[here]
            while left == 0 and word + 1 < at.mask.shape[1]:
                word += 1
                left = mask_of(kept, scratch, one, word) | mask_of(kept, scratch, other, word)
                at.mask[here, unsigned(word)], at.word[here] = left, word
            if left:
                break
            found = node_of(kept, scratch, depth, last, at, False)
            if found > TORN:
                remember(cache, pair_key(one, other), found)
            depth -= 1
        bit = left & (~left + unsigned(1))
        at.left[here] = left ^ bit
        ours, theirs = ABSENT, ABSENT
        if mask_of(kept, scratch, one, word) & bit:
            ours = child_of(kept, scratch, one, at.edge[here])
            at.edge[here] += 1
        if mask_of(kept, scratch, other, word) & bit:
            theirs = child_of(kept, scratch, other, at.other_edge[here])
            at.other_edge[here] += 1


@inlined
def united_leaves(kept: Any, scratch: Any, one: int, other: int, at: Any) -> int:
    """Return the union of two leaves."""
    word = word_of(kept, scratch, one)
    if word_of(kept, scratch, other) != word:
        return TORN
    return leaf_of(kept, scratch, leaf_mask(kept, scratch, one) | leaf_mask(kept, scratch, other), word, at, False)


@inlined
def leaf_mask(kept: Any, scratch: Any, leaf: int) -> int:
    """Return the codes of a leaf within its word."""
    if leaf >= 0:
        own: int = kept.leaf_masks[unsigned(leaf)]
        return own
    other: int = scratch.leaf_masks[unsigned(-2 - leaf)]
    return other


@inlined
def word_of(kept: Any, scratch: Any, leaf: int) -> int:
    """Return the word of a leaf."""
    if leaf >= 0:
        own: int = kept.leaf_words[unsigned(leaf)]
        return own
    other: int = scratch.leaf_words[unsigned(-2 - leaf)]
    return other


@inlined
def enter_both(kept: Any, scratch: Any, at: Any, depth: int, one: int, other: int) -> None:
    """Begin with two nodes at a depth."""
    here = unsigned(depth)
    at.one[here], at.other[here] = one, other
    at.edge[here], at.other_edge[here] = first_of(kept, scratch, one), first_of(kept, scratch, other)
    left = mask_of(kept, scratch, one, 0) | mask_of(kept, scratch, other, 0)
    at.left[here], at.word[here], at.counts[here] = left, 0, 0
    at.mask[here, unsigned(0)] = left


@inlined
def add_child(at: Any, depth: int, child: int) -> None:
    """Add a child to the node that a frame describes."""
    at.children[unsigned(depth), unsigned(at.counts[unsigned(depth)])] = child
    at.counts[unsigned(depth)] += 1


@inlined
def enter_node(pool: Any, at: Any, depth: int, node: int) -> None:
    """Begin with a node of a pool at a depth, whose successor node has no codes yet."""
    here = unsigned(depth)
    at.one[here], at.edge[here] = node, pool.firsts[unsigned(node)]
    at.left[here], at.word[here], at.counts[here] = pool.masks[unsigned(node), unsigned(0)], 0, 0
    for word in range(at.mask.shape[1]):
        at.mask[here, unsigned(word)] = 0
