"""Sets of positions as nodes with an edge for each code, of which equal ones are one: Bryant's unique table, many branches.

There are two pools. What is *kept* are the nodes of the layers that were found, the diagram to be. *Scratch* is what one layer
needs besides: the positions reached before the decided ones are left out. A kept node has its number in the pool; a node of
scratch has the number -2, -3, and so on; ABSENT is the empty set. A node whose children are all kept is looked for among
the kept ones first, so equal sets have one number. Leaves are numbered in the same way, by themselves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.hashing import mix
from searchbench.index.digits import WORD, Digits
from searchbench.jit import inlined, popcount, unowned, unsigned

ABSENT: Final = -1
"""The empty set."""
UNKNOWN: Final = -(1 << 31)
"""In a table of results: not worked out yet."""
FULL: Final = -(1 << 31) + 1
"""The result of a kernel for which a pool has no room."""
TORN: Final = -(1 << 31) + 2
"""The result of a kernel that found a leaf with codes of two words."""
MOST: Final = 1 << 30
"""Nodes that a pool may have."""
NODES, EDGES, LEAVES = range(3)
GROWTH: Final = 1.7
"""Arrays of a pool without room become so many times as long."""
CROWDED: Final = 0.6
"""Part of an array that is filled when it is made longer with the one that is full."""
_LEAST: Final = 1 << 10
_FACTOR: Final = 0x2545F4914F6CDD1D
_POSITIVE: Final = (1 << 63) - 1


class Pool(NamedTuple):
    """Nodes, their edges in the order of the codes, leaves, and hash tables of both (ABSENT: an empty slot).

    `masks` [node, word] marks the codes of the edges, `digits` [node] is the digit, `firsts` [node] the first edge, `counts`
    [node] the number of members; `children` [edge]. `leaf_masks` marks the codes of a leaf within word `leaf_words`. `sizes` are
    the numbers of nodes, edges and leaves.
    """

    masks: npt.NDArray[np.uint64]
    digits: npt.NDArray[np.int8]
    firsts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    children: npt.NDArray[np.int32]
    table: npt.NDArray[np.int32]
    leaf_masks: npt.NDArray[np.uint64]
    leaf_words: npt.NDArray[np.int8]
    leaf_table: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        return sum(array.nbytes for array in self)


def new_pool(words: int, nodes: int = _LEAST, edges: int = 8 * _LEAST, leaves: int = _LEAST) -> Pool:
    """Return an empty pool with room for so many nodes, edges and leaves, whose masks have so many words."""
    records = np.empty((nodes, 2 + words), np.uint64)  # what is asked of one node lies in one cache line
    firsts, counts = (records[:, field].view(np.int64) for field in range(2))
    return Pool(
        records[:, 2:], np.empty(nodes, np.int8), firsts,
        counts, np.empty(edges, np.int32), np.full(_slots(nodes), ABSENT, np.int32),
        np.empty(leaves, np.uint64), np.empty(leaves, np.int8), np.full(_slots(leaves), ABSENT, np.int32),
        np.zeros(3, np.int64),
    )  # fmt: skip


def _slots(entries: int) -> int:
    return 1 << (2 * entries - 1).bit_length()


def pool_bytes(words: int, nodes: int, edges: int, leaves: int) -> int:
    """Return the bytes of a pool with so much room."""
    return nodes * (8 * words + 33) + 4 * edges + 25 * leaves


def more_room(pool: Pool) -> tuple[int, int, int]:
    """Return the nodes, edges and leaves that a pool shall have room for when it has too little."""
    room = len(pool.digits), len(pool.children), len(pool.leaf_masks)
    nodes, edges, leaves = (
        int(GROWTH * most) if used > CROWDED * most else most
        for used, most in zip(pool.sizes.tolist(), room, strict=True)
    )
    return nodes, edges, leaves


def copied(pool: Pool, nodes: int, edges: int, leaves: int) -> Pool:
    """Return a pool with other room and the same nodes and leaves; its tables are empty (see `fill_tables`)."""
    made = new_pool(pool.masks.shape[1], nodes, edges, leaves)
    made.sizes[:] = pool.sizes
    sizes = pool.sizes.tolist()
    for name, size in (
        *((name, sizes[NODES]) for name in ("masks", "digits", "firsts", "counts")),
        ("children", sizes[EDGES]),
        *((name, sizes[LEAVES]) for name in ("leaf_masks", "leaf_words")),
    ):
        getattr(made, name)[:size] = getattr(pool, name)[:size]
    return made


class Frames(NamedTuple):
    """Where a walk over two sets is, by digit.

    It has the two operands, the edges that come next, the word at work, the codes left in it, and the node to be made: its
    mask (`words` is the same memory as integers), its children and their number.
    """

    one: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    other_edge: npt.NDArray[np.int64]
    word: npt.NDArray[np.int64]
    left: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]
    mask: npt.NDArray[np.uint64]
    words: npt.NDArray[np.int64]
    children: npt.NDArray[np.int32]


def frames_for(digits: Digits) -> Frames:
    """Return the arrays of a walk."""
    depths, words = len(digits.digits) + 1, -(-digits.most_codes // WORD)
    one, other, edge, other_edge, word, counts = (np.zeros(depths, np.int64) for _ in range(6))
    mask = np.zeros((depths, words), np.uint64)
    children = np.zeros((depths, words * WORD), np.int32)
    return Frames(
        one, other, edge, other_edge, word, np.zeros(depths, np.uint64), counts, mask, mask.view(np.int64), children
    )


class Cache(NamedTuple):
    """Results for pairs of numbers, one for each hash: the newest. `entries` [slot] has the pair's number and the result."""

    entries: npt.NDArray[np.int64]


def new_cache(entries: int) -> Cache:
    """Return an empty cache; `entries` is a power of two."""
    return Cache(np.full((entries, 2), -1, np.int64))


@inlined
def pair_key(one: int, other: int) -> int:
    """Return one number for two."""
    return (one + MOST) << 31 | (other + MOST)


@inlined
def cached(cache: Any, key: int) -> int:
    """Return the result for a key, or UNKNOWN."""
    slot = unsigned(mix(key) & (len(cache.entries) - 1))
    if cache.entries[slot, unsigned(0)] == key:
        found: int = cache.entries[slot, unsigned(1)]
        return found
    return UNKNOWN


@inlined
def remember(cache: Any, key: int, result: int) -> None:
    """Keep the result for a key."""
    slot = unsigned(mix(key) & (len(cache.entries) - 1))
    cache.entries[slot, unsigned(0)] = key
    cache.entries[slot, unsigned(1)] = result


@inlined
def mask_of(kept: Any, scratch: Any, node: int, word: int) -> int:
    """Return the codes of a node in a word."""
    if node >= 0:
        own: int = kept.masks[unsigned(node), unsigned(word)]
        return own
    other: int = scratch.masks[unsigned(-2 - node), unsigned(word)]
    return other


@inlined
def first_of(kept: Any, scratch: Any, node: int) -> int:
    """Return the first edge of a node."""
    if node >= 0:
        own: int = kept.firsts[unsigned(node)]
        return own
    other: int = scratch.firsts[unsigned(-2 - node)]
    return other


@inlined
def child_of(kept: Any, scratch: Any, node: int, edge: int) -> int:
    """Return the child of a node at one of its edges."""
    if node >= 0:
        own: int = kept.children[unsigned(edge)]
        return own
    other: int = scratch.children[unsigned(edge)]
    return other


@inlined
def members_of(kept: Any, scratch: Any, child: int, leaf: bool) -> int:
    """Return the number of members of a node or a leaf."""
    if leaf:
        if child >= 0:
            return popcount(kept.leaf_masks[child])
        return popcount(scratch.leaf_masks[-2 - child])
    if child >= 0:
        return int(kept.counts[child])
    return int(scratch.counts[-2 - child])


@inlined
def leaf_of(kept: Any, scratch: Any, mask: Any, word: int, at: Any, keep: bool) -> int:
    """Return the leaf with a mask: a kept one if there is one or `keep` says so. Returns FULL where there is no room."""
    if mask == unsigned(0):
        return -1
    code = leaf_hash(mask, word, at)
    slot = find_leaf(kept, mask, word, code)
    if kept.leaf_table[slot] >= 0:
        return int(kept.leaf_table[slot])
    if keep:
        leaf = add_leaf(kept, mask, word, slot)
        return leaf if leaf >= 0 else FULL
    slot = find_leaf(scratch, mask, word, code)
    leaf = int(scratch.leaf_table[slot])
    if leaf < 0:
        leaf = add_leaf(scratch, mask, word, slot)
    return -2 - leaf if leaf >= 0 else FULL


@inlined
def leaf_hash(mask: Any, word: int, at: Any) -> int:
    """Return the hash of a leaf; the last row of the frames serves to read the mask as an integer."""
    row = at.mask.shape[0] - 1
    at.mask[row, 0] = mask
    return mix(at.words[row, 0] ^ word)


@inlined
def find_leaf(pool: Any, mask: Any, word: int, code: int) -> int:
    """Return the slot of a leaf, or the empty one where it belongs."""
    slot = code & (len(pool.leaf_table) - 1)
    while True:
        leaf = pool.leaf_table[slot]
        if leaf < 0 or (pool.leaf_masks[leaf] == mask and pool.leaf_words[leaf] == word):
            return slot
        slot = (slot + 1) & (len(pool.leaf_table) - 1)


@inlined
def add_leaf(pool: Any, mask: Any, word: int, slot: int) -> int:
    """Add a leaf at an empty slot and return it, or a negative number where there is no room."""
    leaf = int(pool.sizes[LEAVES])
    if leaf >= len(pool.leaf_masks):
        return -1
    pool.leaf_masks[leaf], pool.leaf_words[leaf] = mask, word
    pool.leaf_table[slot] = leaf
    pool.sizes[LEAVES] = leaf + 1
    return leaf


@inlined
def node_of(kept: Any, scratch: Any, digit: int, last: int, at: Any, keep: bool) -> int:
    """Return the node that a frame describes, as leaf_of does. It has at least one child."""
    code = node_hash(digit, at)
    own = True
    for place in range(at.counts[digit]):
        if at.children[digit, place] < 0:
            own = False
    if own:
        slot = find_node(kept, digit, at, code)
        if kept.table[slot] >= 0:
            return int(kept.table[slot])
        if keep:
            node = add_node(kept, kept, scratch, digit, last, at, slot)
            return node if node >= 0 else FULL
    slot = find_node(scratch, digit, at, code)
    node = int(scratch.table[slot])
    if node < 0:
        node = add_node(scratch, kept, scratch, digit, last, at, slot)
    return -2 - node if node >= 0 else FULL


@inlined
def node_hash(digit: int, at: Any) -> int:
    """Return the hash of the node that a frame describes: scrambled once, as there are many children."""
    here, code = unsigned(digit), digit
    for word in range(at.words.shape[1]):
        code = (code ^ int(at.words[here, unsigned(word)])) * _FACTOR & _POSITIVE
    for place in range(at.counts[here]):
        code = (code ^ int(at.children[here, unsigned(place)])) * _FACTOR & _POSITIVE
    return mix(code ^ code >> 32)


@inlined
def find_node(pool: Any, digit: int, at: Any, code: int) -> int:
    """Return the slot of the node that a frame describes, or the empty one where it belongs."""
    slot = code & (len(pool.table) - 1)
    while True:
        node = pool.table[slot]
        if node < 0 or is_described(pool, node, digit, at):
            return slot
        slot = (slot + 1) & (len(pool.table) - 1)


@inlined
def is_described(pool: Any, node: int, digit: int, at: Any) -> bool:
    """Tell whether a frame describes a node."""
    if pool.digits[node] != digit:
        return False
    for word in range(at.mask.shape[1]):
        if pool.masks[node, word] != at.mask[digit, word]:
            return False
    first = pool.firsts[node]
    for place in range(at.counts[digit]):
        if pool.children[first + place] != at.children[digit, place]:
            return False
    return True


@inlined
def add_node(pool: Any, kept: Any, scratch: Any, digit: int, last: int, at: Any, slot: int) -> int:
    """Add the node that a frame describes at an empty slot and return it, or a negative number where there is no room."""
    node = int(pool.sizes[NODES])
    first = int(pool.sizes[EDGES])
    count = at.counts[digit]
    if node >= len(pool.digits) or first + count > len(pool.children):
        return -1
    members = 0
    for place in range(count):
        child = at.children[digit, place]
        pool.children[first + place] = child
        members += members_of(kept, scratch, child, digit + 1 == last)
    for word in range(at.mask.shape[1]):
        pool.masks[node, word] = at.mask[digit, word]
    pool.digits[node], pool.firsts[node], pool.counts[node] = digit, first, members
    pool.table[slot] = node
    pool.sizes[NODES], pool.sizes[EDGES] = node + 1, first + count
    return node


def fill_tables(pool: Any, at: Any) -> None:
    """Enter all nodes and leaves of a pool of kept ones in its tables, which are empty."""
    pool, at = unowned(pool), unowned(at)
    for leaf in range(pool.sizes[LEAVES]):
        mask, word = pool.leaf_masks[leaf], pool.leaf_words[leaf]
        pool.leaf_table[find_leaf(pool, mask, word, leaf_hash(mask, word, at))] = leaf
    for node in range(pool.sizes[NODES]):
        digit = pool.digits[node]
        count = 0
        for word in range(at.mask.shape[1]):
            at.mask[digit, word] = pool.masks[node, word]
            count += popcount(pool.masks[node, word])
        at.counts[digit] = count
        for place in range(count):
            at.children[digit, place] = pool.children[pool.firsts[node] + place]
        pool.table[find_node(pool, digit, at, node_hash(digit, at))] = node
