"""Layers of patterns with the orders of their pieces: the kernels that lead from one layer to the next.

A layer holds all states that lie so many moves from the state that a search begins with, and that may lie on a line to a
goal within a bound: the patterns, each once, and of each a list of orders.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.abstraction import pattern_rank
from searchbench.analyse.orders import Kinds, order_of, rank_order
from searchbench.hashing import mix
from searchbench.jit import trailing_zeros
from searchbench.rules import State, moves, new_moves, new_state, play, unplay

AT, EDGES, NODES, CUT, CHANGE = range(5)
"""What `expand` notes: the pattern at hand, how many edges and patterns there are, the smallest cost above the bound, and the
change of order that has no row yet (-1: none)."""

THREES: Final = np.array([1, 3, 9, 27, 81])
"""The weights of five depths modulo 3 in a byte."""


class Layer(NamedTuple):
    """Hold patterns: of each a state in the order 0, its number, and its depth in the abstraction.

    Its orders stand from its entry in `begins` on. `slots` is a hash table of the numbers: the place of a pattern and one more.
    """

    states: Any
    numbers: Any
    depths: Any
    slots: Any
    begins: Any
    orders: Any


class Edges(NamedTuple):
    """Hold the moves that lead to the next layer: from which pattern, to which, and the row of the change of order."""

    source: Any
    target: Any
    row: Any


def find(numbers: Any, slots: Any, number: int) -> int:
    """Return the slot of a pattern, or where it belongs."""
    mask = len(slots) - 1
    slot = mix(number) & mask
    while slots[slot] != 0 and numbers[slots[slot] - 1] != number:
        slot = (slot + 1) & mask
    return slot


def fill_slots(numbers: Any, slots: Any) -> None:
    """Enter patterns in an empty hash table."""
    for node in range(len(numbers)):
        slots[find(numbers, slots, numbers[node])] = node + 1


def depth_at(codes: Any, packed: bool, number: int, before: int) -> int:
    """Return a depth, -1 for none; where it is kept modulo 3, five to a byte, from the depth one move before."""
    if packed:
        return int(before + (codes[number // 5] // THREES[number % 5] - before + 1) % 3 - 1)
    return int(codes[number]) - 1


def expand(
    layer: Layer, left: int, codes: Any, packed: bool, table: Any, at: int, kinds: Kinds, row_of: Any, edges: Edges,
    states: Any, numbers: Any, depths: Any, slots: Any, note: MutableSequence[int],
) -> None:  # fmt: skip
    """Find the patterns one move on that cost at most `left`, and the moves to them, from where `note` says.

    Stops where there is no room for the moves of another pattern, or where a change of order has no row yet.
    """
    state: State = new_state()
    out = new_moves()
    order, filled = np.zeros(len(kinds.pieces), np.int64), np.zeros(len(kinds.first), np.int64)
    edge, nodes = note[EDGES], note[NODES]
    note[CHANGE] = -1
    for node in range(note[AT], len(layer.numbers)):
        note[AT] = node
        if edge + len(out) > len(edges.source) or nodes + len(out) > len(numbers):
            break
        begun = edge
        for cell in range(len(state)):
            state[cell] = layer.states[node, cell]
        for index in range(moves(state, out)):
            play(state, out[index])
            number = pattern_rank(state, table, at)
            cost = depth_at(codes, packed, number, layer.depths[node])
            if 0 <= cost <= left:
                order_of(state, order, filled, kinds)
                change = rank_order(order, kinds)
                if row_of[change] < 0:
                    note[CHANGE] = change
                    edge = begun
                    break
                slot = find(numbers, slots, number)
                if slots[slot] == 0:
                    put_pattern(state, nodes, states, filled, kinds)
                    numbers[nodes], depths[nodes] = number, cost
                    slots[slot] = nodes + 1
                    nodes += 1
                edges.source[edge], edges.target[edge], edges.row[edge] = node, slots[slot] - 1, row_of[change]
                edge += 1
            elif cost > left:
                note[CUT] = min(note[CUT], cost)
            unplay(state, out[index])
        if note[CHANGE] >= 0:
            break
        note[AT] = node + 1
    note[EDGES], note[NODES] = edge, nodes


def put_pattern(state: State, node: int, states: Any, filled: Any, kinds: Kinds) -> None:
    """Keep a pattern: the state with its pieces in the order 0."""
    for cell in range(len(state)):
        states[node, cell] = state[cell]
    for kind in range(len(kinds.first) - 1):
        filled[kind] = kinds.first[kind]
    for cell in range(len(kinds.kind)):
        kind = kinds.kind[state[cell]]
        states[node, cell] = kinds.pieces[filled[kind]]
        filled[kind] += 1


def gather(
    layer: Layer, before: Layer, numbers: Any, first_edge: Any, sources: Any, rows: Any, table: Any,
    words: Any, begins: Any, orders: Any,
) -> None:  # fmt: skip
    """Write the orders of the patterns of the next layer: those that the moves make of this layer's, each once.

    What lies two moves back is left out: it was in the layer `before`. `words` are bits, all 0, one for each order. The
    moves to a pattern are listed from its entry in `first_edge` on.
    """
    at = 0
    for node in range(len(numbers)):
        for edge in range(first_edge[node], first_edge[node + 1]):
            row = rows[edge]
            for place in range(layer.begins[sources[edge]], layer.begins[sources[edge] + 1]):
                order = table[row, layer.orders[place]]
                words[order >> 5] |= 1 << (order & 31)
        known = before.slots[find(before.numbers, before.slots, numbers[node])] - 1
        if known >= 0:
            for place in range(before.begins[known], before.begins[known + 1]):
                order = before.orders[place]
                words[order >> 5] &= ~(1 << (order & 31))
        for word in range(len(words)):
            bits = words[word]
            words[word] = 0
            while bits != 0:
                orders[at] = word << 5 | trailing_zeros(bits)
                bits &= bits - 1
                at += 1
        begins[node + 1] = at
