"""Values of a layer as words, and as binary diagrams: from one to the other, by one walk over the layer's diagram."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.index.diagram import Diagram
from searchbench.index.digits import WORD
from searchbench.jit import deposit_bits, inlined, popcount, trailing_zeros, unowned, unsigned
from searchbench.solvers.exhaustive.diagrams.blocks import bits_from
from searchbench.solvers.exhaustive.diagrams.dealt import empty_planes
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    EDGES,
    FULL,
    LEAVES,
    NODES,
    Pool,
    copied,
    fill_tables,
    frames_for,
    leaf_of,
    more_room,
    new_pool,
    node_of,
)
from searchbench.solvers.exhaustive.diagrams.sets import add_child

_NAMES: Final = jit.Names({}, "cpu")


class BinaryNodes(NamedTuple):
    """Nodes of binary diagrams: the variable of each, and where its bit 0 and 1 lead. Nodes 0 and 1 are false and true."""

    variables: npt.NDArray[np.int32]
    lows: npt.NDArray[np.int32]
    highs: npt.NDArray[np.int32]


class Descent(NamedTuple):
    """Where a walk is, by digit: its node and the codes left in a word, and the binary nodes of the won and the lost ones."""

    node: npt.NDArray[np.int64]
    word: npt.NDArray[np.int64]
    left: npt.NDArray[np.uint64]
    sets: npt.NDArray[np.int64]


def words_of(
    diagram: Diagram, layer: int, binary: BinaryNodes, won: int, lost: int, target: jit.Target = "cpu"
) -> npt.NDArray[np.uint64]:
    """Return the words W and L of a layer whose won and lost positions are binary diagrams, by their nodes."""
    depths = len(diagram.digits.digits) + 1
    bits = np.array([digit.bits for digit in diagram.digits.digits], np.int64)
    at = Descent(
        np.zeros(depths, np.int64), np.zeros(depths, np.int64), np.zeros(depths, np.uint64), np.zeros((depths, 2), np.int64)
    )  # fmt: skip
    at.sets[0] = won, lost
    words = empty_planes(diagram.count(layer))
    kernel = jit.bind(write_words, _NAMES, target)
    kernel(diagram.nodes, int(diagram.nodes.roots[layer]), binary, bits, np.cumsum(bits) - bits, words, at)
    return words


def write_words(nodes: Any, root: int, binary: Any, bits: Any, firsts: Any, out: Any, at: Any) -> None:
    """Walk over a layer in the order of its numbers, follow the codes in both binary diagrams, and write the bits."""
    nodes, binary, at, out = unowned(nodes), unowned(binary), unowned(at), unowned(out)
    last = len(bits) - 1
    depth, position = 0, 0
    at.node[0] = root
    entered = True
    while True:
        if depth == last:
            leaf = at.node[depth]
            left = nodes.leaf_masks[leaf]
            while left != 0:
                code = 64 * nodes.leaf_words[leaf] + trailing_zeros(left)
                left &= left - unsigned(1)
                for which in range(2):
                    if follow_code(binary, at.sets[depth, which], firsts[depth], bits[depth], code) == 1:
                        out[2 * (position >> 6) + which] |= unsigned(1) << unsigned(position & 63)
                position += 1
            if depth == 0:
                return
            depth -= 1
            entered = False
            continue
        node = at.node[depth]
        if entered:
            at.word[depth], at.left[depth] = 0, nodes.masks[node, 0]
        while at.left[depth] == 0 and at.word[depth] + 1 < nodes.masks.shape[1]:
            at.word[depth] += 1
            at.left[depth] = nodes.masks[node, at.word[depth]]
        word, left = at.word[depth], at.left[depth]
        if left == 0:
            if depth == 0:
                return
            depth -= 1
            entered = False
            continue
        low = trailing_zeros(left)
        at.left[depth] = left & (left - unsigned(1))
        passed = nodes.masks[node, word] & ((unsigned(1) << unsigned(low)) - unsigned(1))
        at.node[depth + 1] = nodes.children[nodes.firsts[node, word] + popcount(passed)]
        for which in range(2):
            code = 64 * word + low
            at.sets[depth + 1, which] = follow_code(binary, at.sets[depth, which], firsts[depth], bits[depth], code)
        depth += 1
        entered = True


@inlined
def follow_code(binary: Any, node: int, first: int, bits: int, code: int) -> int:
    """Return where the bits of a code lead from a binary node; a variable without a node may have either bit."""
    for place in range(bits):
        if node > 1 and binary.variables[node] == first + place:
            node = int(binary.highs[node] if (code >> (bits - 1 - place)) & 1 else binary.lows[node])
    return node


def subset_of(
    diagram: Diagram, layer: int, words: npt.NDArray[np.uint64], which: int, target: jit.Target = "cpu"
) -> tuple[dict[str, Any], int]:
    """Return nodes of the positions of a layer whose bit W (0) or L (1) is set, and their root, ABSENT if there are none.

    The nodes are as `Diagram.of_arrays` takes them.
    """
    wide = -(-diagram.digits.most_codes // WORD)
    pool, scratch, at = new_pool(wide), new_pool(wide, 1, 1, 1), frames_for(diagram.digits)
    select, fill = jit.bind(select_bits, _NAMES, target), jit.bind(fill_tables, _NAMES, target)
    root, last = int(diagram.nodes.roots[layer]), len(diagram.digits.digits) - 1
    while (found := int(select(diagram.nodes, root, last, words, which, pool, scratch, at))) == FULL:
        pool = copied(pool, *more_room(pool))
        fill(pool, at)
    return _arrays(pool), found


def _arrays(pool: Pool) -> dict[str, Any]:
    return {
        "masks": pool.masks[: pool.sizes[NODES]],
        "children": pool.children[: pool.sizes[EDGES]],
        "leaf_masks": pool.leaf_masks[: pool.sizes[LEAVES]],
        "leaf_words": pool.leaf_words[: pool.sizes[LEAVES]],
    }


def select_bits(nodes: Any, root: int, last: int, words: Any, which: int, kept: Any, scratch: Any, at: Any) -> int:
    """Walk over a layer and make nodes of the positions whose bit is set; return the root, ABSENT, or FULL."""
    nodes, words, kept = unowned(nodes), unowned(words), unowned(kept)
    scratch, at = unowned(scratch), unowned(at)
    position = 0
    if last == 0:
        return selected_leaf(nodes, root, words, which, position, kept, scratch, at)
    depth = 0
    begin_node(nodes, root, depth, at)
    while True:
        while at.left[depth] == 0 and at.word[depth] + 1 < nodes.masks.shape[1]:
            at.word[depth] += 1
            at.left[depth] = nodes.masks[at.one[depth], at.word[depth]]
        if at.left[depth] != 0:
            low = trailing_zeros(at.left[depth])
            at.left[depth] &= at.left[depth] - unsigned(1)
            at.other[depth] = 64 * at.word[depth] + low
            child = int(nodes.children[at.edge[depth]])
            at.edge[depth] += 1
            if depth + 1 < last:
                depth += 1
                begin_node(nodes, child, depth, at)
                continue
            found = selected_leaf(nodes, child, words, which, position, kept, scratch, at)
            position += popcount(nodes.leaf_masks[child])
        else:
            found = node_of(kept, scratch, depth, last, at, True) if at.counts[depth] > 0 else ABSENT
            depth -= 1
        if found == FULL or depth < 0:
            return int(found)
        if found != ABSENT:
            code = at.other[depth]
            at.mask[depth, code >> 6] |= unsigned(1) << unsigned(code & 63)
            add_child(at, depth, found)


@inlined
def begin_node(nodes: Any, node: int, depth: int, at: Any) -> None:
    """Begin with a node at a depth; the node to be made has no codes yet."""
    at.one[depth], at.edge[depth] = node, nodes.firsts[node, 0]
    at.word[depth], at.left[depth], at.counts[depth] = 0, nodes.masks[node, 0], 0
    for word in range(at.mask.shape[1]):
        at.mask[depth, word] = unsigned(0)


@inlined
def selected_leaf(
    nodes: Any, leaf: int, words: Any, which: int, position: int, kept: Any, scratch: Any, at: Any
) -> int:
    """Return the leaf of the positions of a block whose bit is set, ABSENT if there are none, or FULL."""
    bits = deposit_bits(bits_from(words, which, position), nodes.leaf_masks[leaf])
    if bits == 0:
        return ABSENT
    return leaf_of(kept, scratch, bits, nodes.leaf_words[leaf], at, True)
