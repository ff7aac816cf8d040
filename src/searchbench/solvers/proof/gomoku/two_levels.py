"""Prove hard positions by proof-number search on two levels (pn^2: Allis 1994, section 2.3.1): the leaves are searches.

On three levels the leaves are searches on two. So every one of white's answers gets many nodes by itself, where a search on two
levels spreads them over all of black's moves.

Inside a search (:mod:`searchbench.solvers.proof.gomoku.search`) black has ten moves, those of most value, as every one costs
time at thousands of positions. In hard positions another move wins, and the number of white's answers that survive tells which:
after 1.h8 h9 2.g9 g7 3.i7 j6 the move that wins, h10, is the 18th by value, and has the fewest answers of all quiet ones. The
first level tries forty moves at each position. A move begins with a proof number from the zone of the win that it threatens, then
has its surviving answers as children, and each of them is searched with few nodes, then with more, before its own moves are made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import Branch, written
from searchbench.solvers.proof.gomoku.fours import NONE, WON
from searchbench.solvers.proof.gomoku.nodes import (
    BLACK,
    WHITE,
    Node,
    PositionSearch,
    Records,
    State,
    black_stones,
    never,
    stones_at,
    with_stone,
)
from searchbench.solvers.proof.gomoku.patterns import FIVE
from searchbench.solvers.proof.gomoku.search import NULL_LIMITS, WHITE_FOURS, QuietSearch

MOVES: Final = 40
"""Moves of black that the first level tries."""
LIMITS: Final = (5_000, 20_000, 80_000)
"""Nodes of the searches at a leaf, visit by visit, before the leaf gets children."""
DEEP: Final = (1_000_000, 4_000_000, 16_000_000)
"""Nodes of a leaf's search on two levels, after those: visit by visit it goes on to so many."""
KEPT: Final = 8
"""Searches on two levels that go on where they stopped; older ones begin anew, with the results that are known."""
OPEN: Final = 4
"""The least proof number of a leaf that stays open."""
SQUARES: Final = 16
"""What divides the square of the proof number that a search has left: large ones weigh more, as no sum of small ones should
hide the one answer that refutes a move."""
HOPELESS: Final = 40
"""The number of a search that has refuted all moves that it tries."""
CELLS: Final = 4
"""A move begins with half of its position's number and this part of the cells that white may have to try."""
FORCING_COST: Final = 50
"""How many hundredths a move that threatens to make four or five adds: the problem after it is nearly the same."""


@dataclass
class Known:
    """Hold the results of the second level, by position."""

    proved: dict[State, Records] = field(default_factory=dict)
    left: dict[State, tuple[int, int]] = field(default_factory=dict)
    """The nodes of the longest search, and the proof number that it left."""
    answers: dict[State, list[int] | None] = field(default_factory=dict)
    """White's answers that survive; None where black does not threaten to win."""

    def lacks(self, state: State, limit: int) -> bool:
        """Return whether a position is open, and was not yet searched with so many nodes."""
        return state not in self.proved and (state not in self.left or self.left[state][0] < limit)

    def number(self, state: State) -> int:
        """Return the proof number of a leaf that stays open; a search on two levels has left one of the same kind."""
        limit, number = self.left[state]
        return number if limit > LIMITS[-1] else OPEN + number**2 // SQUARES


def _nothing(state: State, found: dict[str, Any]) -> None:
    """Keep nothing."""


class TwoLevels(PositionSearch):
    """Search a hard position; `keep` gets each result of the second level as a line for a branch's file."""

    limits: ClassVar[Sequence[int]] = LIMITS

    def __init__(
        self,
        attack: Attack,
        stop: Callable[[], bool] = never,
        known: Known | None = None,
        keep: Callable[[State, dict[str, Any]], None] = _nothing,
    ) -> None:
        super().__init__(attack, stop)
        self.second = QuietSearch(attack, stop)
        self.worked = self.second.worked
        self.known, self.keep = known or Known(), keep

    def _move_black(self, node: Node) -> None:
        """Search a leaf, with more nodes at each visit, then make its moves."""
        known, limits = self.known, self.limits
        if node.visits <= len(limits):
            self._search(node.state, limits[node.visits - 1])
        if node.state in known.proved:
            node.close(True)
        elif node.visits <= len(limits):
            node.proof = known.number(node.state)
            node.disproof = 1 + node.visits
        else:
            self._make_moves(node)

    def _search(self, state: State, limit: int) -> None:
        """Search a position with so many nodes, unless that was done before. Raises Stopped."""
        if self.known.lacks(state, limit):
            found = self.second.solve(state, limit)
            self._take(self.second, state, limit, found, HOPELESS)
            self.second.forget()

    def _take(self, search: PositionSearch, state: State, limit: int, found: bool | None, hopeless: int) -> None:
        """Keep the result of a search with so many nodes; `hopeless` is its number where it gives up."""
        line: dict[str, Any] = {"limit": limit, "proof_number": min(hopeless, search.nodes[state].proof)}
        if found:
            self.known.proved[state] = search.records(state)
            line["records"] = written(self.known.proved[state])
        else:
            self.known.left[state] = limit, line["proof_number"]
        self.keep(state, line)

    def _make_moves(self, node: Node) -> None:
        """Give a position its moves, each with a first proof number."""
        node.done = True
        self.attack.set(node.state)
        for move in list(self.second.candidates(MOVES)):
            state = with_stone(node.state, move, BLACK + 1)
            if state not in self.nodes:
                self._begin(self._node(state, move, 1, False), node.proof // 2)
            self._link(node, self.nodes[state], move)
        if not node.children:
            node.close(False)

    def _begin(self, node: Node, least: int) -> None:
        """Set a move's first proof number: by how many cells white may have to try against the win that it threatens."""
        attack = self.attack
        attack.set(node.state)
        found = NONE
        if not attack.has(WHITE, FIVE) and attack.by_fours(WHITE, WHITE_FOURS) is None:
            found = attack.by_threats(BLACK, NULL_LIMITS[0])
        if found == NONE:
            node.close(False)
            return
        zone = attack.zone(BLACK) if found == WON else None
        empty = [cell for cell, stone in enumerate(node.state) if stone == 0]
        node.cost = FORCING_COST if attack.replies(BLACK) is not None else 0
        node.proof = 1 + least + sum(1 for cell in empty if zone is None or zone[cell]) // CELLS
        node.proof += node.proof * node.cost // 100

    def _answer(self, node: Node) -> None:
        """Make white's answers that survive short searches by threats."""
        answers = self.known.answers
        if node.state not in answers:
            answers[node.state] = self.second.survivors(node.state)
            self.keep(node.state, {"answers": answers[node.state]})
        found = answers[node.state]
        if found is None:
            node.close(False)
            return
        for cell in found:
            self._link(node, self._node(with_stone(node.state, cell, WHITE + 1), cell, 1, True), cell)
        node.done = True

    def _estimate(self, node: Node) -> None:
        """Leave the number of the last search, and of a move that was not looked at."""

    def _records_at(self, node: Node) -> Records | None:
        """Return what a search of the second level has proved."""
        return self.known.proved.get(node.state)


class ThreeLevels(TwoLevels):
    """Search a very hard position: each leaf on two levels, too, before it gets children."""

    limits = LIMITS + DEEP

    @cached_property
    def below(self) -> dict[State, TwoLevels]:
        """Return the searches on two levels that go on where they stopped, by position, the newest last."""
        return {}

    def _search(self, state: State, limit: int) -> None:
        """Search a position with so many nodes in all, unless that was done before. Raises Stopped."""
        if limit <= LIMITS[-1]:
            super()._search(state, limit)
        elif self.known.lacks(state, limit):
            done = self.known.left[state][0]
            limit = min(limit, done + max(1, self.end - self.attack.nodes))
            search = self._two_levels(state)
            self._take(search, state, limit, search.solve(state, limit - done), HOPELESS**2)

    def _two_levels(self, state: State) -> TwoLevels:
        """Return the search of a position, which goes on where it stopped unless many others came after it."""
        search = self.below.pop(state, None)
        if search is None:
            search = TwoLevels(self.attack, self.stop, self.known, self.keep)
            search.second = self.second
            search.worked = self.worked
        self.below[state] = search
        if len(self.below) > KEPT:
            del self.below[next(iter(self.below))]
        return search


def prove_hard(
    branch: Branch,
    attack: Attack,
    second: int,
    replies: Sequence[int],
    limit: int,
    stop: Callable[[], bool] = never,
    enough: int = 0,
) -> None:
    """Search replies to a second move on three levels, each with so many nodes more; keep all results in the branch's file.

    Ends when so many (`enough`, 0: no number of them) have stayed open. Raises Stopped.
    """
    began, before = time.process_time(), attack.nodes

    def add(line: dict[str, Any]) -> None:
        nonlocal began, before
        now, nodes = time.process_time(), attack.nodes
        branch.add(line | {"nodes": nodes - before, "seconds": round(now - began, 3)})
        began, before = now, nodes

    def keep(state: State, found: dict[str, Any]) -> None:
        add({"below": [black_stones(state), [cell for cell, stone in enumerate(state) if stone == WHITE + 1]], **found})

    search = ThreeLevels(attack, stop, _known(branch), keep)
    search.second.learn(dict(branch.records_of(second)))
    for reply in replies:
        if enough and branch.left_open(second, limit) >= enough:
            return
        root = stones_at(branch.base_of(second), [(reply, WHITE + 1)])
        found = search.solve(root, limit)
        line = {
            "reply": reply,
            "proved": bool(found),
            "limit": limit,
            "proof_number": search.nodes[root].proof,
            "of": second,
        }
        add(line | {"records": written(search.records(root))} if found else line)
        search.forget()


def _known(branch: Branch) -> Known:
    """Return what the branch's file has of the second level."""
    known = Known()
    for line in branch.below:
        ((state, _),) = branch.read([[*line["below"], -1]])
        if "answers" in line:
            known.answers[state] = line["answers"]
        elif "records" in line:
            known.proved[state] = dict(branch.read(line["records"]))
        else:
            known.left[state] = line["limit"], line["proof_number"]
    return known
