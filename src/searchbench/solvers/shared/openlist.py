"""Keep the open list of best-first search: nodes in buckets by f, then by larger g, for any costs and weights.

A bucket is a linked list of the nodes with one pair (f, g), last in, first out. Few pairs occur, so the heap that orders
the buckets is small, and most pushes and pops touch only the head of one list. All functions but the last two are for
kernels.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.hashing import mix

F, G, HEAD, PLACE = range(4)
"""Columns of a bucket: f and g of its nodes, its first node, and its place in the heap; -1 for none."""
AFTER, BEFORE = range(2)
"""Links of an open node: the next node of its bucket (-1: none) and the previous one (first of bucket b: -1 - b)."""
CLOSED: Final = -(1 << 31)
"""BEFORE of a node that is not open."""
BUCKETS, QUEUED = range(2)
"""Counts: the buckets, and the buckets in the heap."""


class OpenList(NamedTuple):
    """The arrays of an open list; `links` has a row for each node, and grows with the nodes."""

    links: npt.NDArray[np.int32]
    buckets: npt.NDArray[np.int64]
    heap: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


def bucket_slot(queue: OpenList, f: int, g: int) -> int:
    """Return the slot of the bucket of (f, g) in the hash table, or the free slot for it."""
    mask = len(queue.slots) - 1
    slot = mix(mix(f) ^ g) & mask
    while queue.slots[slot] != 0:
        bucket = queue.slots[slot] - 1
        if queue.buckets[bucket, F] == f and queue.buckets[bucket, G] == g:
            break
        slot = (slot + 1) & mask
    return slot


def comes_first(queue: OpenList, one: int, other: int) -> bool:
    """Return whether a bucket's nodes are expanded before another's."""
    if queue.buckets[one, F] != queue.buckets[other, F]:
        return bool(queue.buckets[one, F] < queue.buckets[other, F])
    return bool(queue.buckets[one, G] > queue.buckets[other, G])


def put(queue: OpenList, place: int, bucket: int) -> None:
    """Put a bucket at a place of the heap."""
    queue.heap[place] = bucket
    queue.buckets[bucket, PLACE] = place


def rise(queue: OpenList, place: int, bucket: int) -> None:
    """Insert a bucket at a free place of the heap and sift it up."""
    while place > 0:
        above = queue.heap[(place - 1) >> 1]
        if not comes_first(queue, bucket, above):
            break
        put(queue, place, above)
        place = (place - 1) >> 1
    put(queue, place, bucket)


def sink(queue: OpenList, bucket: int, size: int) -> None:
    """Insert a bucket at the top of a heap of `size` places and sift it down."""
    place = 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and comes_first(queue, queue.heap[below + 1], queue.heap[below]):
            below += 1
        if comes_first(queue, bucket, queue.heap[below]):
            break
        put(queue, place, queue.heap[below])
        place = below
    put(queue, place, bucket)


def push(queue: OpenList, node: int, f: int, g: int) -> None:
    """Insert a node; there must be room for one more bucket."""
    slot = bucket_slot(queue, f, g)
    bucket = queue.slots[slot] - 1
    if bucket < 0:
        bucket = queue.counts[BUCKETS]
        queue.counts[BUCKETS] += 1
        queue.slots[slot] = bucket + 1
        queue.buckets[bucket, F] = f
        queue.buckets[bucket, G] = g
        queue.buckets[bucket, HEAD] = -1
        queue.buckets[bucket, PLACE] = -1
    if queue.buckets[bucket, PLACE] < 0:
        rise(queue, queue.counts[QUEUED], bucket)
        queue.counts[QUEUED] += 1
    head = queue.buckets[bucket, HEAD]
    queue.links[node, AFTER] = head
    queue.links[node, BEFORE] = -1 - bucket
    if head >= 0:
        queue.links[head, BEFORE] = node
    queue.buckets[bucket, HEAD] = node


def is_open(queue: OpenList, node: int) -> bool:
    """Return whether a node is in the list."""
    return bool(queue.links[node, BEFORE] != CLOSED)


def remove(queue: OpenList, node: int) -> None:
    """Remove an open node."""
    after = queue.links[node, AFTER]
    before = queue.links[node, BEFORE]
    if before < 0:
        queue.buckets[-1 - before, HEAD] = after
    else:
        queue.links[before, AFTER] = after
    if after >= 0:
        queue.links[after, BEFORE] = before
    queue.links[node, BEFORE] = CLOSED


def first_bucket(queue: OpenList) -> int:
    """Return the first bucket that has a node, or -1; remove empty buckets before it from the heap."""
    while queue.counts[QUEUED] > 0:
        bucket = queue.heap[0]
        if queue.buckets[bucket, HEAD] >= 0:
            return int(bucket)
        queue.buckets[bucket, PLACE] = -1
        queue.counts[QUEUED] -= 1
        if queue.counts[QUEUED] > 0:
            sink(queue, queue.heap[queue.counts[QUEUED]], queue.counts[QUEUED])
    return -1


def refill(queue: OpenList) -> None:
    """Enter every bucket into the empty hash table."""
    for bucket in range(queue.counts[BUCKETS]):
        slot = bucket_slot(queue, queue.buckets[bucket, F], queue.buckets[bucket, G])
        queue.slots[slot] = bucket + 1


def new_open_list(room: int) -> OpenList:
    """Allocate an empty list with room for `room` nodes and as many buckets; `room` is a power of two."""
    return OpenList(
        np.zeros((room, 2), np.int32),
        np.zeros((room, 4), np.int64),
        np.zeros(room, np.int32),
        np.zeros(2 * room, np.int32),
        np.zeros(2, np.int64),
    )


def grow_buckets(queue: OpenList, names: jit.Names) -> None:
    """Double the room for buckets, in place."""
    buckets = 2 * len(queue.buckets)
    queue.buckets.resize((buckets, 4), refcheck=False)
    queue.heap.resize(buckets, refcheck=False)
    queue.slots.resize(2 * buckets, refcheck=False)
    queue.slots[:] = 0
    jit.bind(refill, names)(queue)
