"""The inner loop of best-first search: expand the open node with the smallest f, and open its successors."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, NamedTuple

import numpy as np

from searchbench.rules import UNDECIDED, State, cost, inverse, moves, new_moves, new_state, play, terminal, unplay
from searchbench.solvers.guided.choices import NONE, choices, sufficient
from searchbench.solvers.guided.contract import MACROS, dead, goodness, h_prefetch, h_update
from searchbench.solvers.guided.depthfirst import NEVER
from searchbench.solvers.guided.nodes import COST, MOVE, PARENT, H, Nodes, add_node, joined, load_state, slot_of
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, PAUSED
from searchbench.solvers.shared.openlist import BUCKETS, HEAD, F, OpenList, first_bucket, is_open, push, remove

STATUS, GENERATED, COUNT, LOWEST, SOLVED = range(5)
"""What the kernel notes: how the call ended, the nodes generated so far, how many differ, the largest of the smallest f
that were open, and the solved node."""


class Weights(NamedTuple):
    """Weigh the cost so far, the bound and the goodness in f; say whether a closed node opens again on a cheaper path."""

    g: int
    h: int
    reopen: bool
    goodness: int = 0

    def least_cost(self, lowest: int, bound: int) -> int:
        """Return the least cost of a solution, from the largest of the smallest f that were open and h of the start.

        On a cheapest path to a solved state there is always an open node with its least cost g, unless closed nodes stay
        closed; then f <= a g + b h <= max(a, b) (g + h) <= max(a, b) times the cost.
        """
        if self.goodness or (self.g > 0 and not self.reopen):
            return bound
        return max(bound, -(-lowest // max(self.g, self.h)))


def reach(
    state: State, entry: MutableSequence[int], tables: Any, weights: Weights, nodes: Nodes, queue: OpenList, note: Any
) -> None:
    """Open the node of a state that was reached as `entry` says (PARENT, MOVE, COST, H), unless a path as good is known."""
    slot = slot_of(nodes, state)
    node = nodes.slots[slot] - 1
    if node < 0:
        node = note[COUNT]
        note[COUNT] += 1
        add_node(nodes, node, slot, state)
        nodes.facts[node, H] = entry[H]
        for column in range(nodes.carried.shape[1]):
            nodes.carried[node, column] = nodes.carried[len(nodes.carried) - 1, column]
    elif entry[COST] >= nodes.facts[node, COST]:
        return
    elif is_open(queue, node):
        remove(queue, node)
    elif not weights.reopen:
        return
    for column in range(H):
        nodes.facts[node, column] = entry[column]
    f = weights.g * entry[COST] + weights.h * nodes.facts[node, H]
    if weights.goodness != 0:
        f -= weights.goodness * goodness(state, tables)
    push(queue, node, f, entry[COST])


def expand(
    state: State, node: int, out: MutableSequence[int], further: MutableSequence[int], entry: Any, tables: Any,
    weights: Weights, nodes: Nodes, queue: OpenList, note: Any,
) -> None:  # fmt: skip
    """Reach every successor of a node, but for the one it came from; `further` and `entry` are scratch space."""
    scratch = len(nodes.carried) - 1
    # Behind a macro stands another state than the node before: the inverse of its first move leads to neither.
    back = inverse(nodes.facts[node, MOVE]) if nodes.facts[node, PARENT] >= 0 else -1
    for index in range(choices(state, NONE, out, tables)):
        move = out[index]
        if back != -1 and move == back:
            continue
        note[GENERATED] += 1
        entry[PARENT] = node
        entry[MOVE] = move
        entry[COST] = nodes.facts[node, COST] + cost(state, move)
        h_prefetch(state, move, tables, nodes.carried, node, scratch)
        entry[H] = h_update(state, move, tables, nodes.facts[node, H], NEVER, nodes.carried, node, scratch)
        play(state, move)
        length = follow(state, further, entry, tables, nodes) if MACROS else 0
        if length > 0:
            entry[PARENT] = joined(node)
        reach(state, entry, tables, weights, nodes, queue, note)
        for place in range(length - 1, -1, -1):
            unplay(state, further[place])
        unplay(state, move)


def follow(state: State, made: MutableSequence[int], entry: Any, tables: Any, nodes: Nodes) -> int:
    """Make moves that suffice as long as there are any, and room for them; note their cost, and return how many."""
    scratch = len(nodes.carried) - 1
    out = new_moves()
    length = 0
    while length < len(made) and terminal(state) == UNDECIDED:
        move = sufficient(state, out, moves(state, out), tables)
        if move == NONE:
            break
        entry[COST] += cost(state, move)
        h_prefetch(state, move, tables, nodes.carried, scratch, scratch - 1)
        entry[H] = h_update(state, move, tables, entry[H], NEVER, nodes.carried, scratch, scratch - 1)
        for column in range(nodes.carried.shape[1]):
            nodes.carried[scratch, column] = nodes.carried[scratch - 1, column]
        play(state, move)
        made[length] = move
        length += 1
    return length


def next_sufficient(state: State, tables: Any) -> int:
    """Return the move that suffices in a state."""
    out = new_moves()
    return sufficient(state, out, moves(state, out), tables)


def expand_best(tables: Any, weights: Weights, nodes: Nodes, queue: OpenList, note: Any, stop: int) -> None:
    """Expand open nodes, best first, until a solved one, the end, `stop` generated nodes, or a full array."""
    state = new_state()
    out, further = new_moves(), new_moves()
    entry = np.zeros(4, np.int64)
    while True:
        bucket = first_bucket(queue)
        if bucket < 0:
            note[STATUS] = EXHAUSTED
            return
        note[LOWEST] = max(note[LOWEST], queue.buckets[bucket, F])
        if note[GENERATED] >= stop:
            note[STATUS] = PAUSED
            return
        if note[COUNT] + len(out) > len(nodes.states) or queue.counts[BUCKETS] + len(out) > len(queue.buckets):
            note[STATUS] = FULL
            return
        node = queue.buckets[bucket, HEAD]
        remove(queue, node)
        load_state(nodes, node, state)
        result = terminal(state)
        if result == 0:
            note[SOLVED] = node
            note[STATUS] = FOUND
            return
        if result == UNDECIDED and not dead(state, tables):
            expand(state, node, out, further, entry, tables, weights, nodes, queue, note)
