"""Prove wins of black that take quiet moves: proof-number search over positions, with a search by threats at each.

Black to move: a win by threats ends the search; else the best few quiet moves are tried. White to move: black must threaten
to win by threats if white passes (the *null move*), and only the zone of that win need be answered. Each answer that loses
to the same moves, to those that beat another answer, or to a short search by threats, narrows the zone further; what is
left are the children (Allis 1994, section 5.4). The search is sound for proofs that black wins, and proves nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from searchbench.solvers.proof.gomoku.attack import Attack, Cells
from searchbench.solvers.proof.gomoku.fours import NONE, WON
from searchbench.solvers.proof.gomoku.nodes import (
    BLACK,
    WHITE,
    Node,
    PositionSearch,
    State,
    black_stones,
    never,
    with_stone,
)
from searchbench.solvers.proof.gomoku.patterns import FIVE, FOUR, STRAIGHT, THREE

CANDIDATES: Final = 10
"""Quiet moves that black tries in a position."""
BLACK_WEIGHT, WHITE_WEIGHT = 4, 2
"""The order of moves: how much a cell's value for each player counts."""
OWN_LIMIT: Final = 4000
"""Nodes of the search by threats where black is to move."""
NULL_LIMITS: Final = (2000, 8000, 20000)
"""Nodes of the search by threats after white's null move, at each visit."""
REPLY_LIMIT: Final = 4000
"""Nodes of the search by threats after one of white's answers."""
SIBLINGS: Final = 4
"""How many wins against earlier answers are replayed."""
SURVIVORS: Final = 1
"""White's answers to find at each visit before the search looks elsewhere."""
WHITE_FOURS: Final = 1000
"""Nodes of white's search for a win by fours."""
OPENING: Final = 4
"""Stones on the board before positions count as deeper."""


def deeper(state: State) -> int:
    """Return how many stones were added since the opening, halved."""
    return max(0, sum(map(bool, state)) - OPENING) // 2


class QuietSearch(PositionSearch):
    """Search positions with quiet moves, each by a few of black's moves and the answers that survive."""

    def __init__(self, attack: Attack, stop: Callable[[], bool] = never) -> None:
        super().__init__(attack, stop)
        self.evaluations = 0

    def _estimate(self, node: Node) -> None:
        """Count the answers that survive so far, and part of those that were not tried."""
        if node.examined.size:
            unsolved = sum(1 for child in node.children.values() if child.proof > 0)
            node.proof = unsolved * (1 + deeper(node.state)) + 1 + len(node.todo) // 3

    def _move_black(self, node: Node) -> None:
        """Look for black's win by threats, or make the candidates."""
        self.evaluations += 1
        attack = self.attack
        attack.set(node.state)
        node.done = True
        if attack.by_threats(BLACK, OWN_LIMIT) == WON:
            node.close(True)
            return
        first = 3 + deeper(node.state)
        remembered = self.worked.get((black_stones(node.state), node.cell), -1)
        moves = list(self.candidates())
        if remembered >= 0 and node.state[remembered] == 0:
            moves = [remembered] + [move for move in moves if move != remembered]
        for move in moves:
            child = self._node(with_stone(node.state, move, 1), move, 1 if move == remembered else first, False)
            self._link(node, child, move)
        if not node.children:
            node.close(False)

    def candidates(self, count: int = 0) -> Iterator[int]:
        """Generate the moves that black tries: all that parry a five or a straight four of white's, else the best few.

        These are `count`, or as many as a search tries. Where white threatens to win by fours, the best of those that meddle
        with them.
        """
        attack = self.attack
        if attack.has(WHITE, FIVE):
            fives = np.flatnonzero(attack.cells(WHITE, FIVE))
            yield from map(int, fives if len(fives) == 1 else ())
            return
        values = attack.values(BLACK_WEIGHT, WHITE_WEIGHT)
        parries = attack.replies(WHITE)
        if parries is not None:
            yield from sorted(parries, key=lambda cell: (-values[cell], cell))
            return
        if attack.by_threats(WHITE, 1) == WON:
            zone = attack.zone(WHITE)
            if zone is not None:
                for kind in (THREE, FOUR, STRAIGHT):
                    zone |= attack.cells(BLACK, kind)
                values = np.where(zone, values, -1)
        order = np.argsort(-values, kind="stable")[: count or CANDIDATES]
        yield from (int(cell) for cell in order if values[cell] >= 0)

    def _answer(self, node: Node) -> None:
        """Find some more of white's answers that survive, or black's win over all of them."""
        self.evaluations += 1
        attack = self.attack
        attack.set(node.state)
        if not node.examined.size:
            if attack.has(WHITE, FIVE) or attack.by_fours(WHITE, WHITE_FOURS) is not None:
                node.close(False)
                return
            limit = NULL_LIMITS[node.visits - 1]
            found = attack.by_threats(BLACK, limit)
            if found != WON:
                if found == NONE or node.visits == len(NULL_LIMITS):
                    node.close(False)
                else:
                    node.proof = 2 * node.proof + 2
                return
            node.examined = np.zeros(len(node.state), np.bool_)
            zone = self._zone(node.state)
            values = attack.values(1, 1)
            node.todo = [
                int(cell) for cell in np.argsort(-values, kind="stable") if zone[cell] and node.state[cell] == 0
            ]
        else:
            attack.by_threats(BLACK, NULL_LIMITS[-1])  # the memory may have lost it
        self._narrow(node)
        if not node.todo:
            node.done = True

    def survivors(self, state: State) -> list[int] | None:
        """Return white's answers, she is to move, after which no short search by threats wins; None: nothing threatens her.

        Those of most value come first. All nodes are forgotten.
        """
        self.forget()
        node = self._node(state, -1, 1, False)
        while not (node.done or node.solved):
            node.visits += 1
            self._answer(node)
        self.forget()
        if node.disproof == 0:
            return None
        return [cell for cell, child in node.children.items() if child.proof > 0]

    def _zone(self, state: State) -> Cells:
        """Return the zone of the win of the current position; all cells where it is lost."""
        zone = self.attack.zone(BLACK)
        return np.array(state) == 0 if zone is None else zone

    def _narrow(self, node: Node) -> None:
        """Try white's answers in turn, until some survive."""
        attack, survivors = self.attack, 0
        siblings: list[int] = []
        while node.todo and survivors < SURVIVORS:
            cell = node.todo.pop(0)
            node.examined[cell] = True
            attack.put(cell, WHITE)
            won = attack.replay(BLACK, [(cell, WHITE)])
            for other in siblings:
                won = won or attack.replay(BLACK, [(cell, WHITE), (other, WHITE)])
            if won or attack.by_threats(BLACK, REPLY_LIMIT) == WON:
                zone = self._zone(node.state)
                node.todo = [one for one in node.todo if zone[one]]
                siblings = [cell, *siblings][:SIBLINGS]
            else:
                child = self._node(with_stone(node.state, cell, 2), cell, 1 + deeper(node.state), True)
                self._link(node, child, cell)
                survivors += child.proof > 0
            attack.remove(cell, WHITE)
