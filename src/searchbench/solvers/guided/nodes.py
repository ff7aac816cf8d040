"""The nodes of a best-first search: every state seen so far, once, found again by its hash."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.hashing import key
from searchbench.rules import State, new_state

PARENT, MOVE, COST, H = range(4)
"""What is kept of a node: the node before it, the move from there, the cost of the path, and h. Where further moves were
joined to that move, PARENT holds the node before as `joined` tells it: the move did not lead to the state."""


class Nodes(NamedTuple):
    """Hold the nodes: `states[node]`, `facts[node]`, and `slots`, a hash table of node + 1 with open addressing.

    `carried[node]` is the heuristic's carried data; its last two rows belong to no node and are for scratch.
    """

    states: npt.NDArray[Any]
    facts: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32]
    carried: npt.NDArray[np.int64]


def joined(parent: int) -> int:
    """Return the content of PARENT where the path from `parent` is a move with others joined to it; the inverse of itself."""
    return -2 - parent


def same_state(nodes: Nodes, node: int, state: State) -> bool:
    """Tell whether a node has this state."""
    for cell in range(len(state)):
        if nodes.states[node, cell] != state[cell]:
            return False
    return True


def slot_of(nodes: Nodes, state: State) -> int:
    """Return the slot where the state's node is, or where it belongs."""
    mask = len(nodes.slots) - 1
    slot = key(state) & mask
    while nodes.slots[slot] != 0 and not same_state(nodes, nodes.slots[slot] - 1, state):
        slot = (slot + 1) & mask
    return slot


def load_state(nodes: Nodes, node: int, state: State) -> None:
    """Write the state of a node."""
    for cell in range(len(state)):
        state[cell] = nodes.states[node, cell]


def add_node(nodes: Nodes, node: int, slot: int, state: State) -> None:
    """Keep a state as a new node in its slot."""
    for cell in range(len(state)):
        nodes.states[node, cell] = state[cell]
    nodes.slots[slot] = node + 1


def fill_slots(nodes: Nodes, count: int) -> None:
    """Enter the nodes in the empty hash table."""
    state = new_state()
    for node in range(count):
        load_state(nodes, node, state)
        nodes.slots[slot_of(nodes, state)] = node + 1


def slots_for(room: int) -> int:
    """Return a power of two that is at least 1.5 times as large."""
    return 1 << (room + room // 2).bit_length()


def new_nodes(room: int, width: int, dtype: Any, carried: npt.NDArray[np.int64]) -> Nodes:
    """Return room for so many nodes; `carried` has two rows more."""
    facts, slots = np.zeros((room, 4), np.int64), np.zeros(slots_for(room), np.int32)
    return Nodes(np.zeros((room, width), dtype), facts, slots, carried)


def grow_nodes(nodes: Nodes, room: int, count: int, names: jit.Names) -> None:
    """Make room for so many nodes, in place."""
    nodes.states.resize((room, nodes.states.shape[1]), refcheck=False)
    nodes.facts.resize((room, 4), refcheck=False)
    nodes.carried.resize((room + 2, nodes.carried.shape[1]), refcheck=False)
    if slots_for(room) > len(nodes.slots):
        nodes.slots.resize(slots_for(room), refcheck=False)
        nodes.slots[:] = 0
        jit.bind(fill_slots, names)(nodes, count)
