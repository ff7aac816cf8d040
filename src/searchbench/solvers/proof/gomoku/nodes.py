"""Positions with proof and disproof numbers: what the searches of both levels share.

Black to move: the smallest proof number of the moves that are tried. White to move: the sum over her answers. A level says
how a position is looked at (:mod:`searchbench.solvers.proof.gomoku.search`, :mod:`searchbench.solvers.proof.gomoku.two_levels`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from searchbench.solvers.proof.gomoku.attack import Attack, Cells
from searchbench.solvers.proof.tree import INFINITE

BLACK, WHITE = 0, 1

State = tuple[int, ...]
Records = Mapping[State, int]
"""Black's moves, by position."""


class Node:
    """Hold a position's numbers, children by move, and parents; `cell` is the last move.

    `cost` says how many hundredths the proof number of a position with white to move is raised.
    """

    __slots__ = (
        "black_to_move",
        "cell",
        "children",
        "cost",
        "disproof",
        "done",
        "examined",
        "parents",
        "proof",
        "state",
        "todo",
        "visits",
    )

    def __init__(self, state: State, cell: int, proof: int, black_to_move: bool) -> None:
        self.state, self.cell, self.proof, self.disproof = state, cell, proof, 1
        self.black_to_move = black_to_move
        self.children: dict[int, Node] = {}
        self.parents: list[Node] = []
        self.visits = self.cost = 0
        self.done = False
        self.todo: list[int] = []
        self.examined: Cells = np.zeros(0, np.bool_)

    @property
    def solved(self) -> bool:
        """Return whether the position is proved, or given up."""
        return self.proof == 0 or self.disproof == 0

    def close(self, won: bool) -> None:
        """Make the position proved, or given up."""
        self.proof, self.disproof = (0, INFINITE) if won else (INFINITE, 0)
        self.done = True


class Stopped(Exception):
    """Tell that a search was asked to stop."""


def never() -> bool:
    """Return that nobody asks to stop."""
    return False


class PositionSearch(ABC):
    """Search positions of one branch; they share nodes, the memory of threats, and the moves that have worked.

    `stop` is asked at every position whether to give up.
    """

    def __init__(self, attack: Attack, stop: Callable[[], bool] = never) -> None:
        self.attack, self.stop = attack, stop
        self.nodes: dict[State, Node] = {}
        self.worked: dict[tuple[State, int], int] = {}
        self.end = 0
        """The nodes of searches by threats at which the search gives up."""

    @abstractmethod
    def _move_black(self, node: Node) -> None:
        """Look at a position with black to move once more."""

    @abstractmethod
    def _answer(self, node: Node) -> None:
        """Look at a position with white to move once more."""

    @abstractmethod
    def _estimate(self, node: Node) -> None:
        """Set the proof number of a position that was looked at and has not all its children."""

    def _records_at(self, node: Node) -> Records | None:
        """Return the records of a proof that the children do not show, if there is one."""
        return None

    def solve(self, state: State, limit: int) -> bool | None:
        """Return whether black, to move, is proved to win; None where `limit` nodes of searches by threats do not tell.

        Raises Stopped.
        """
        root = self._node(state, -1, 1, True)
        self.end = self.attack.nodes + limit
        while not root.solved:
            if self.attack.nodes >= self.end:
                return None
            if self.stop():
                raise Stopped
            node = root
            while node.done:
                node = self._best(node)
            node.visits += 1
            if node.black_to_move:
                self._move_black(node)
            else:
                self._answer(node)
            self._update(node)
        return root.proof == 0

    def forget(self) -> None:
        """Forget all nodes, not the moves that have worked."""
        self.nodes.clear()

    def learn(self, records: Records) -> None:
        """Remember the moves of records, whichever white stone was the last."""
        for state, move in records.items():
            for cell, stone in enumerate(state):
                if stone == WHITE + 1:
                    self.worked.setdefault((black_stones(state), cell), move)

    def records(self, root: State) -> dict[State, int]:
        """Return black's moves of a proof: for each position with black to move that has no win by threats."""
        found: dict[State, int] = {}
        queue = [self.nodes[root]]
        while queue:
            node = queue.pop()
            below = self._records_at(node)
            if below is not None:
                found |= below
            elif node.state not in found and node.children:
                move = next(move for move, child in node.children.items() if child.proof == 0)
                found[node.state] = move
                queue.extend(node.children[move].children.values())
        return found

    def _node(self, state: State, cell: int, proof: int, black_to_move: bool) -> Node:
        if state not in self.nodes:
            self.nodes[state] = Node(state, cell, proof, black_to_move)
        return self.nodes[state]

    def _best(self, node: Node) -> Node:
        """Return the child to look at next."""
        children = [child for child in node.children.values() if not child.solved]
        if node.black_to_move:
            return min(children, key=lambda child: child.proof)
        return min(children, key=lambda child: child.disproof)

    def _link(self, parent: Node, child: Node, move: int) -> None:
        parent.children[move] = child
        child.parents.append(parent)

    def _update(self, node: Node) -> None:
        """Work out the numbers of a position and of those before it."""
        first, queue = node, [node]
        while queue:
            node = queue.pop()
            before = node.proof, node.disproof
            self._sum_up(node)
            if node is first or (node.proof, node.disproof) != before:
                queue.extend(parent for parent in node.parents if not parent.solved)

    def _sum_up(self, node: Node) -> None:
        children = node.children.values()
        if not (node.solved or node.black_to_move) and any(child.disproof == 0 for child in children):
            node.close(False)
        elif not (node.solved or node.done):
            self._estimate(node)
        elif not node.solved and node.black_to_move:
            node.proof = min((child.proof for child in children), default=INFINITE)
            node.disproof = min(INFINITE, sum(child.disproof for child in children))
            if node.proof == 0 or node.proof >= INFINITE:
                node.close(node.proof == 0)
        elif not node.solved:
            node.proof = sum(child.proof for child in children)
            if node.proof == 0:
                node.close(True)
            else:
                node.proof = min(INFINITE - 1, node.proof * (100 + node.cost) // 100)
                node.disproof = min(child.disproof for child in children if child.proof > 0)
        if node.proof == 0 and node.black_to_move:
            self._remember(node)

    def _remember(self, node: Node) -> None:
        """Remember the move that wins, for positions with the same black stones and the same last move of white."""
        for move, child in node.children.items():
            if child.proof == 0:
                self.worked[black_stones(node.state), node.cell] = move


def black_stones(state: State) -> State:
    """Return the cells of the black stones."""
    return tuple(cell for cell, stone in enumerate(state) if stone == 1)


def with_stone(state: State, cell: int, stone: int) -> State:
    """Return a position with one stone more."""
    return (*state[:cell], stone, *state[cell + 1 :])


def stones_at(state: State, cells: Any) -> State:
    """Return a position with further stones: pairs of cell and stone."""
    for cell, stone in cells:
        state = with_stone(state, cell, stone)
    return state
