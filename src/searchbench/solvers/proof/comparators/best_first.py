"""Grow a tree by developing one leaf at a time; what a node's numbers are, and which leaf is next, are slots.

All nodes stay in the tree, and the leaf is looked for from the root: these searches are here to be compared with. A node has two
numbers and marks, for the player to move in it. A position that repeats one on its path ends the tree there, as in
:mod:`searchbench.solvers.proof.path`; every node has one path, so the numbers of the root are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, moves, new_moves, play, repetition, unplay
from searchbench.run import format_memory
from searchbench.slots import slot
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.facts import outcome_of
from searchbench.solvers.proof.path import Path, earlier, enter, leave, longer, new_path
from searchbench.solvers.proof.pns import DELAYED
from searchbench.solvers.proof.tree import NONE

SLICE: Final = 1 << 14
"""Nodes created between two reports, at which the search can be stopped."""
NODE_BYTES: Final = 36
SETTLED: Final = -1
"""The aim of a search that has its answer."""
# The columns of a node: its parent; its first child and how many there are (NONE: not developed); its two numbers and its marks;
# the nodes created below it.
PARENT, FIRST, COUNT, ONE, OTHER, MARKS, WORK = range(7)
_COLUMNS: Final = 7
# The places of `note`: nodes created, developments, positions looked at, the bound in question, the status of a slice, and a
# count of the method's own.
CREATED, DEVELOPED, EXAMINED, BOUND, STATUS, OWN = range(6)
NOTES: Final = 6
# The reasons for the end of a slice.
SOLVED, PAUSED, FULL, DEEP = range(4)


class Grown(NamedTuple):
    """The nodes, with the move that leads to each, and the counts."""

    node: Any
    move: Any
    note: Any


class Pair(NamedTuple):
    """The two numbers of a node, and its marks."""

    one: int
    other: int
    marks: int


@slot(required=True)
def leaf_numbers(value: int, bound: int) -> Pair:
    """Return the numbers of a leaf with a value for the player to move, or UNDECIDED; she is asked for `bound`."""
    return Pair(0, 0, 0)


@slot(required=True)
def numbers_of(tree: Grown, node: int) -> Pair:
    """Return the numbers of a developed node with children, from theirs."""
    return Pair(0, 0, 0)


@slot(required=True)
def aim_of(tree: Grown) -> int:
    """Return what the next leaf is looked for, or SETTLED."""
    return SETTLED


@slot(required=True)
def child_for(tree: Grown, node: int, aim: int) -> int:
    """Return the child below which the leaf is."""
    return 0


@slot(required=True)
def aim_below(aim: int) -> int:
    """Return the aim for the child."""
    return aim


@slot
def on_examination(code: int) -> None:
    """Look at the key of each position whose value is asked; by default nothing is done."""


def write_numbers(tree: Grown, node: int, pair: Pair) -> None:
    """Give a node its numbers and marks."""
    row = tree.node[node]
    row[ONE], row[OTHER], row[MARKS] = pair


def plant(tree: Grown, bound: int) -> None:
    """Make the tree a single leaf, node 0."""
    tree.note[CREATED] = 1
    tree.note[BOUND] = bound
    row = tree.node[0]
    row[PARENT] = row[COUNT] = NONE
    row[WORK] = 1
    write_numbers(tree, 0, leaf_numbers(UNDECIDED, bound))


def value_at(tree: Grown, state: Any, path: Path, depth: int) -> int:
    """Return the value of the state at the end of the path, which is not entered there yet, or UNDECIDED."""
    tree.note[EXAMINED] += 1
    on_examination(path.keys[depth])
    value = outcome_of(state)
    if value == UNDECIDED and earlier(path, depth) >= 0:
        value = repetition(state)
    return int(value)


def bound_at(tree: Grown, depth: int) -> int:
    """Return the bound in question for the player to move at a depth."""
    bound: int = tree.note[BOUND]
    return bound if depth & 1 == 0 else 1 - bound


def develop(tree: Grown, state: Any, path: Path, node: int, depth: int) -> None:
    """Create the children of a leaf, and evaluate them; if evaluation is delayed, evaluate the leaf itself."""
    row = tree.node[node]
    if DELAYED:
        leave(path, depth)
        value = value_at(tree, state, path, depth)
        enter(path, depth)
        if value != UNDECIDED:
            row[COUNT] = 0
            write_numbers(tree, node, leaf_numbers(value, bound_at(tree, depth)))
            return
    out = new_moves()
    count = moves(state, out)
    tree.note[DEVELOPED] += 1
    first = int(tree.note[CREATED])
    row[FIRST], row[COUNT] = first, count
    row[WORK] += count
    tree.note[CREATED] += count
    if count == 0:  # no move and no winner: a draw
        write_numbers(tree, node, leaf_numbers(0, bound_at(tree, depth)))
    for place in range(count):
        child = first + place
        below = tree.node[child]
        below[PARENT] = node
        below[FIRST] = below[COUNT] = NONE
        below[WORK] = 1
        tree.move[child] = out[place]
        value = UNDECIDED
        if not DELAYED:
            play(state, out[place])
            path.keys[depth + 1] = key(state)
            value = value_at(tree, state, path, depth + 1)
            unplay(state, out[place])
        write_numbers(tree, child, leaf_numbers(value, bound_at(tree, depth + 1)))


def descend(tree: Grown, state: Any, path: Path, aim: int) -> tuple[int, int]:
    """Go to the leaf for an aim; return it and its depth. Where the path is full, it is no leaf."""
    node = depth = 0
    while tree.node[node, COUNT] != NONE and depth + 3 <= len(path.keys):
        node = int(child_for(tree, node, aim))
        aim = aim_below(aim)
        play(state, tree.move[node])
        depth += 1
        path.keys[depth] = key(state)
        enter(path, depth)
    return node, depth


def go_back(tree: Grown, state: Any, path: Path, node: int, depth: int, more: int) -> None:
    """Take back all moves; renew the numbers on the way, and count nodes that were created."""
    while True:
        if tree.node[node, COUNT] > 0:
            write_numbers(tree, node, numbers_of(tree, node))
        tree.node[node, WORK] += more
        if depth == 0:
            return
        leave(path, depth)
        unplay(state, tree.move[node])
        node = int(tree.node[node, PARENT])
        depth -= 1


def grow(tree: Grown, state: Any, path: Path, stop: int) -> None:
    """Develop leaves until the search has its answer, `stop` nodes are created, or an array is full."""
    path.slots[:] = 0
    path.keys[0] = key(state)
    enter(path, 0)
    room = len(tree.node) - len(new_moves())
    while True:
        aim = aim_of(tree)
        if aim == SETTLED or tree.note[CREATED] >= stop or tree.note[CREATED] > room:
            tree.note[STATUS] = SOLVED if aim == SETTLED else PAUSED if tree.note[CREATED] <= room else FULL
            return
        node, depth = descend(tree, state, path, aim)
        before = int(tree.note[CREATED])
        if tree.node[node, COUNT] != NONE:
            tree.note[STATUS] = DEEP
            go_back(tree, state, path, node, depth, 0)
            return
        develop(tree, state, path, node, depth)
        go_back(tree, state, path, node, depth, int(tree.note[CREATED]) - before)


class BestFirstSearch:
    """Search from one state by a method, the names that fill the slots; the budget counts created nodes."""

    def __init__(
        self, game: Game, budget: Budget, method: Mapping[str, Any], tree_memory: int, target: jit.Target = "cpu"
    ) -> None:
        self.game, self.budget, self.run = game, budget, budget.run
        self.names = game.names(target=target).with_(**method)
        widest = max(game.max_moves, game.max_unmoves)
        self.run.demand(4 * widest * NODE_BYTES, f"the smallest tree of {game}")
        most = max(4 * widest, min(tree_memory // NODE_BYTES, (1 << 31) - 1))
        size = min(most, budget.limit + 2 * widest) if budget.limit else most
        self.tree = Grown(np.empty((size, _COLUMNS), np.int32), np.empty(size, np.int64), np.zeros(NOTES, np.int64))
        self.nodes = 0
        self.examined = 0
        """The positions whose value was asked."""

    def settle(self, state: Any, bound: int = 1) -> Pair:
        """Return the numbers of a state that is not terminal, once the search has its answer. Raises LimitReached."""
        tree, path = self.tree, new_path(64)
        tree.note[:] = 0
        jit.bind(plant, self.names)(tree, bound)
        kernel = jit.bind(grow, self.names)
        while True:
            before, repeated = int(tree.note[CREATED]), int(path.repetitions[0])
            kernel(tree, state.copy(), path, before + self.budget.piece(SLICE))
            spent = int(tree.note[CREATED]) - before
            self.nodes += spent
            root = Pair(*(int(number) for number in tree.node[0, ONE : MARKS + 1]))
            told = f"numbers of the root {root.one:,} and {root.other:,}"
            self.budget.spend(f"best-first search: {told}", spent, int(path.repetitions[0]) - repeated)
            if tree.note[STATUS] == SOLVED:
                self.examined += int(tree.note[EXAMINED])
                return root
            if tree.note[STATUS] == DEEP:
                path = longer(path)
            self.budget.check(told)
            if tree.note[STATUS] == FULL:
                size = format_memory(NODE_BYTES * len(tree.node))
                raise LimitReached(
                    f"{self.game}: the tree, with room for {len(tree.node):,} nodes ({size}), has none for one more step "
                    f"({told}); give more nodes if they are limited, or more memory"
                )
