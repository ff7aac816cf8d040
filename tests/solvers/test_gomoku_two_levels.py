"""Proof numbers on two levels, with a second level whose results are made up: the order, the proof, what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from searchbench.solvers.proof.gomoku import two_levels
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import Branch, read_branch
from searchbench.solvers.proof.gomoku.nodes import Node, State, Stopped, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.search import QuietSearch
from searchbench.solvers.proof.gomoku.two_levels import (
    DEEP,
    LIMITS,
    OPEN,
    SQUARES,
    ThreeLevels,
    TwoLevels,
    prove_hard,
)

OPENING = Opening(7)
ROOT = stones_at(OPENING.start, [(0, 2), (1, 1), (2, 2)])
FEW, SOME, MANY = LIMITS
NEVER = MANY + 1
Needed = dict[tuple[int, ...], dict[int, dict[int, int]]]
"""By the cells put since the root: for each move of black and each answer of white, the nodes that a proof needs."""


def cells_of(state: State) -> tuple[int, ...]:
    """Return the cells put since the root, sorted."""
    return tuple(cell for cell in range(49) if state[cell] and not ROOT[cell])


class MadeUp(QuietSearch):
    """Stand for the second level: a table tells black's moves, white's answers, and what a proof needs."""

    needed: ClassVar[Needed] = {}
    calls: ClassVar[list[tuple[str, tuple[int, ...], int]]] = []

    def candidates(self, count: int = 0) -> Iterator[int]:
        """Return the moves of a position."""
        return iter(self.needed.get(cells_of(self.attack.state), ()))

    def survivors(self, state: State) -> list[int] | None:
        """Return the answers to the last move."""
        for before, moves in self.needed.items():
            for move, answers in moves.items():
                if cells_of(state) == tuple(sorted((*before, move))):
                    self.calls.append(("answers", cells_of(state), 0))
                    return list(answers) or None
        raise AssertionError(state)

    def solve(self, state: State, limit: int) -> bool | None:
        """Return what a search would; it takes all its nodes."""
        self.calls.append(("search", cells_of(state), limit))
        self.attack.threats.note[1] += limit
        node = self._node(state, -1, 10, True)
        for before, moves in self.needed.items():
            for move, answers in moves.items():
                for answer, nodes in answers.items():
                    if cells_of(state) == tuple(sorted((*before, move, answer))) and nodes <= limit:
                        node.close(True)
                        return True
        return None

    def records(self, root: State) -> dict[State, int]:
        """Return a record of the position."""
        return {root: 48}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the table in the place of the second level; a move begins with the number of its answers."""

    def begin(search: TwoLevels, node: Node, least: int) -> None:
        here = cells_of(node.state)
        for before, moves in MadeUp.needed.items():
            for move, answers in moves.items():
                if here == tuple(sorted((*before, move))):
                    node.proof = 1 + len(answers)

    MadeUp.calls = []
    monkeypatch.setattr(two_levels, "QuietSearch", MadeUp)
    monkeypatch.setattr(TwoLevels, "_begin", begin)


def attack_at() -> Attack:
    """Return an attack of the small board."""
    return Attack(7, 7, bits=4, target="interpreted")


def branch_in(folder: Path) -> Branch:
    """Return a branch of which black's second move is known."""
    branch = read_branch(folder, OPENING, 0)
    if branch.second < 0:
        branch.add({"second": 1, "seconds": 0.0, "nodes": 0})
    return branch


def test_the_move_with_the_fewest_answers_comes_first() -> None:
    MadeUp.needed = {(): {10: {20: FEW, 21: FEW, 22: FEW}, 11: {20: FEW, 23: FEW}}}
    search = TwoLevels(attack_at())
    assert search.solve(ROOT, 10**9)
    # The root is searched like any other leaf; both answers to the second move are proved with few nodes.
    assert MadeUp.calls == [
        *[("search", (), limit) for limit in LIMITS],
        ("answers", (11,), 0),
        ("search", (11, 20), FEW),
        ("search", (11, 23), FEW),
    ]
    after = stones_at(ROOT, [(11, 1)])
    assert search.records(ROOT) == {ROOT: 11} | {stones_at(after, [(cell, 2)]): 48 for cell in (20, 23)}


def test_a_hard_answer_waits_until_the_others_are_proved_and_then_gets_moves() -> None:
    MadeUp.needed = {(): {10: {20: NEVER, 21: FEW, 22: FEW}}, (10, 20): {12: {25: MANY}}}
    search = TwoLevels(attack_at())
    assert search.solve(ROOT, 10**9)
    assert MadeUp.calls[3:] == [
        ("answers", (10,), 0),
        ("search", (10, 20), FEW),
        ("search", (10, 21), FEW),
        ("search", (10, 22), FEW),
        ("search", (10, 20), SOME),
        ("search", (10, 20), MANY),
        ("answers", (10, 12, 20), 0),
        *[("search", (10, 12, 20, 25), limit) for limit in LIMITS],
    ]
    hard = stones_at(ROOT, [(10, 1), (20, 2)])
    assert search.records(ROOT)[hard] == 12
    assert len(search.records(ROOT)) == 5


def test_a_move_that_stays_hard_is_left_for_another() -> None:
    MadeUp.needed = {(): {10: {20: NEVER}, 11: {21: FEW, 22: FEW, 23: FEW, 25: FEW}}}
    search = TwoLevels(attack_at())
    assert search.solve(ROOT, 10**9)
    assert search.records(ROOT)[ROOT] == 11
    open_leaf = search.nodes[stones_at(ROOT, [(10, 1), (20, 2)])]
    assert open_leaf.visits == 1  # its number, with few nodes, is above that of four answers not yet searched
    assert open_leaf.proof == OPEN + 10**2 // SQUARES


def test_a_position_whose_moves_threaten_nothing_is_given_up() -> None:
    MadeUp.needed = {(): {10: {}, 11: {}}}
    assert TwoLevels(attack_at()).solve(ROOT, 10**9) is False


def test_on_three_levels_an_answer_is_searched_on_two_before_it_gets_moves() -> None:
    MadeUp.needed = {(): {10: {20: NEVER, 21: FEW}}, (10, 20): {12: {25: MANY}}}
    search = ThreeLevels(attack_at())
    assert search.solve(ROOT, 10**9)
    root = search.nodes[ROOT]
    assert root.visits == len(LIMITS) + 1  # its own search on two levels has found all
    assert not root.children
    hard = stones_at(ROOT, [(10, 1), (20, 2)])
    assert search.records(ROOT)[hard] == 12
    assert len(search.records(ROOT)) == 4


def test_a_search_on_two_levels_goes_on_until_its_nodes_are_spent() -> None:
    moves = {10 + at: {26: NEVER} for at in range(8)}
    MadeUp.needed = {(): moves} | {(10 + at, 26): {30: {31: NEVER}, 32: {33: NEVER}} for at in range(8)}
    attack = attack_at()
    search = ThreeLevels(attack)
    assert search.solve(ROOT, DEEP[0]) is None
    number, limit = search.nodes[ROOT].proof, sum(LIMITS)
    assert limit < attack.nodes <= DEEP[0] + MANY
    # What two levels leave is a number of the first level already; the nodes that were left for it are noted.
    assert search.known.left[ROOT] == (MANY + DEEP[0] - limit, number)
    before = list(MadeUp.calls)
    again = ThreeLevels(attack, known=search.known)
    assert again.solve(ROOT, DEEP[0]) is None
    assert not set(MadeUp.calls[len(before) :]) & set(before)


def test_what_was_found_is_kept_in_the_file(tmp_path: Path) -> None:
    MadeUp.needed = {(): {10: {20: FEW, 21: NEVER}}, (10, 21): {12: {22: FEW}}}
    branch = branch_in(tmp_path)
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 7

    with pytest.raises(Stopped):
        prove_hard(branch, attack_at(), 1, [2], 10**9, stop)
    before = list(MadeUp.calls)
    assert not branch.proved
    again = branch_in(tmp_path)
    prove_hard(again, attack_at(), 1, [2], 10**9)
    assert again.proved == [2]
    assert len(MadeUp.calls) == len(set(MadeUp.calls)) > len(before)  # nothing is searched twice
    whole = branch_in(tmp_path)
    assert len(dict(whole.records_of(1))) == 4
