"""The image of a set of positions: what the moves of a layer lead to.

A move that changes one digit leaves the node below it as it is. So the image of a node has, under each code, the image of the
child there (the move comes in a later digit) and the children under the codes that an action turns into this one.
"""

from __future__ import annotations

from typing import Any

from searchbench.jit import deposit_bits, extract_bits, inlined, trailing_zeros, unowned, unsigned
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    FULL,
    TORN,
    UNKNOWN,
    cached,
    leaf_of,
    node_of,
    pair_key,
    remember,
)
from searchbench.solvers.exhaustive.diagrams.sets import add_child, enter_node, united


def image(
    kept: Any, scratch: Any, moves: Any, root: int, last: int, results: Any, leaf_results: Any, unions: Any, rests: Any,
    at: Any, walk: Any, spare: Any,
) -> int:  # fmt: skip
    """Return the successors of a kept set, ABSENT if there are none; FULL and TORN as `united` does.

    `results` [node] and `leaf_results` [leaf] have the images that are known, and get all that are found, so a call after FULL
    goes on where this one ended. `unions` and `rests` are caches; `at`, `walk` and `spare` are frames.
    """
    kept, scratch, moves = unowned(kept), unowned(scratch), unowned(moves)
    results, leaf_results, unions, rests = unowned(results), unowned(leaf_results), unowned(unions), unowned(rests)
    at, walk, spare = unowned(at), unowned(walk), unowned(spare)
    if last == 0:
        return image_of_leaf(kept, scratch, moves, root, last, walk)
    if results[root] != UNKNOWN:
        return int(results[root])
    enter_node(kept, at, 0, root)
    depth = 0
    while True:
        here = unsigned(depth)
        node, word, left = at.one[here], at.word[here], at.left[here]
        while left == 0 and word + 1 < at.mask.shape[1]:
            word += 1
            left = kept.masks[unsigned(node), unsigned(word)]
            at.left[here], at.word[here] = left, word
        if left == 0:
            found = finished(kept, scratch, depth, last, at)
            if found == FULL:
                return found
            results[node] = found
            if depth == 0:
                return found
            depth -= 1
            continue
        child = int(kept.children[unsigned(at.edge[here])])
        if depth + 1 == last:
            later = int(leaf_results[child])
            if later == UNKNOWN:
                later = image_of_leaf(kept, scratch, moves, child, last, walk)
                if later <= TORN:
                    return later
                leaf_results[child] = later
        else:
            later = int(results[child])
            if later == UNKNOWN:
                depth += 1
                enter_node(kept, at, depth, child)
                continue
        code = 64 * word + trailing_zeros(left)
        after, rest = code, later
        for action in range(moves.started[here], moves.started[unsigned(depth + 1)] + 1):
            if rest != ABSENT:
                status = join(kept, scratch, depth, last, after, rest, unions, at, walk)
                if status <= TORN:
                    return status
            rest = ABSENT
            if action < moves.started[unsigned(depth + 1)]:
                after = int(moves.images[here, unsigned(action), unsigned(code)])
                if after >= 0:
                    rest = child
                    if moves.lasts[unsigned(action)] > depth:
                        rest = moved_on(kept, scratch, moves, child, action, depth + 1, last, rests, spare)
                        if rest <= TORN:
                            return rest
        at.edge[here] += 1
        at.left[here] = left & (left - unsigned(1))


@inlined
def join(kept: Any, scratch: Any, depth: int, last: int, code: int, child: int, unions: Any, at: Any, walk: Any) -> int:
    """Join a set that is not empty to the child under a code of a frame's node, whose children lie at their codes."""
    here, word = unsigned(depth), unsigned(code >> 6)
    bit = unsigned(1) << unsigned(code & 63)
    if at.mask[here, word] & bit:
        child = united(kept, scratch, int(at.children[here, unsigned(code)]), child, depth + 1, last, unions, walk)
        if child <= TORN:
            return child
    at.mask[here, word] |= bit
    at.children[here, unsigned(code)] = child
    return 0


@inlined
def finished(kept: Any, scratch: Any, depth: int, last: int, at: Any) -> int:
    """Return the node whose children lie at their codes, ABSENT if it has none."""
    count = 0
    for word in range(at.mask.shape[1]):
        left = at.mask[depth, word]
        while left:
            at.children[depth, count] = at.children[depth, 64 * word + trailing_zeros(left)]
            count += 1
            left &= left - unsigned(1)
    at.counts[depth] = count
    if count == 0:
        return ABSENT
    return node_of(kept, scratch, depth, last, at, False)


@inlined
def image_of_leaf(kept: Any, scratch: Any, moves: Any, leaf: int, last: int, at: Any) -> int:
    """Return what the actions that touch the last digit alone make of a leaf."""
    mask, word = kept.leaf_masks[leaf], kept.leaf_words[leaf]
    found = ABSENT
    for after in range(moves.befores.shape[2]):
        codes = unsigned(0)
        for action in range(moves.started[last], moves.started[last + 1]):
            codes |= deposit_bits(
                extract_bits(mask, moves.befores[action, word, after]), moves.afters[action, word, after]
            )
        if codes:
            if found != ABSENT:
                return TORN
            found = leaf_of(kept, scratch, codes, after, at, False)
    return found


def moved_on(
    kept: Any, scratch: Any, moves: Any, node: int, action: int, digit: int, last: int, rests: Any, at: Any
) -> int:
    """Return the rest of a kept set, from a digit on, after an action that began before it and ends there or later."""
    until = moves.lasts[action]
    if digit == last:
        return moved_leaf(kept, scratch, moves, node, action, at)
    found = cached(rests, pair_key(node, action))
    if found != UNKNOWN:
        return found
    enter_node(kept, at, digit, node)
    depth = digit
    while True:
        node, word, left = at.one[depth], at.word[depth], at.left[depth]
        while left == 0 and word + 1 < at.mask.shape[1]:
            word += 1
            left = kept.masks[node, word]
            at.left[depth], at.word[depth] = left, word
        if left == 0:
            found = ABSENT
            if at.counts[depth]:
                found = node_of(kept, scratch, depth, last, at, False)
                if found == FULL:
                    return found
            remember(rests, pair_key(node, action), found)
            if depth == digit:
                return found
            depth -= 1
            continue
        child = int(kept.children[at.edge[depth]])
        after = int(moves.images[depth, action, 64 * word + trailing_zeros(left)])
        rest = ABSENT
        if after >= 0:
            if depth == until:
                rest = child
            elif depth + 1 == last:
                rest = moved_leaf(kept, scratch, moves, child, action, at)
                if rest <= TORN:
                    return rest
            else:
                rest = cached(rests, pair_key(child, action))
                if rest == UNKNOWN:
                    depth += 1
                    enter_node(kept, at, depth, child)
                    continue
        at.edge[depth] += 1
        at.left[depth] = left & (left - unsigned(1))
        if rest != ABSENT:
            at.mask[depth, after >> 6] |= unsigned(1) << unsigned(after & 63)
            add_child(at, depth, rest)


@inlined
def moved_leaf(kept: Any, scratch: Any, moves: Any, leaf: int, action: int, at: Any) -> int:
    """Return a leaf after an action that touches the last digit among others."""
    mask, word = kept.leaf_masks[leaf], kept.leaf_words[leaf]
    found = ABSENT
    for after in range(moves.befores.shape[2]):
        codes = deposit_bits(extract_bits(mask, moves.befores[action, word, after]), moves.afters[action, word, after])
        if codes:
            if found != ABSENT:
                return TORN
            found = leaf_of(kept, scratch, codes, after, at, False)
    return found
