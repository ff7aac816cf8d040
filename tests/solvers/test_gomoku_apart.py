"""White's answers as problems of their own, with searches whose results are made up: the order, who leaves, what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from searchbench.solvers.proof.gomoku import apart as parts
from searchbench.solvers.proof.gomoku.apart import Apart, prove_apart
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import read_branch
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.search import QuietSearch, State, stones_at

OPENING = Opening(7)


class MadeUp(QuietSearch):
    """Stand for the search: for each move of black from a root, and each answer of white, the nodes that a proof needs."""

    def __init__(self, root: State, needed: dict[int, dict[int, int]]) -> None:
        super().__init__(Attack(7, 7, bits=4, target="interpreted"))
        self.root, self.needed = root, needed
        self.calls: list[tuple[int, int, int]] = []

    def _moves_of(self, state: State) -> tuple[int, int]:
        """Return the stones of black and of white that the root has not, -1 where there is none or more than one."""
        added = [[cell for cell in range(49) if state[cell] == stone and self.root[cell] == 0] for stone in (1, 2)]
        black, white = (cells[0] if len(cells) == 1 else -1 for cells in added)
        return black, white

    def candidates(self, count: int = 0) -> Any:
        """Return the moves at the root, and none behind it."""
        return iter(self.needed if self.attack.state == self.root else ())

    def survivors(self, state: State) -> list[int] | None:
        """Return the answers that were made up."""
        return list(self.needed[self._moves_of(state)[0]])

    def solve(self, state: State, limit: int) -> bool | None:
        """Return what a search would."""
        move, cell = self._moves_of(state)
        self.calls.append((move, cell, limit))
        return True if self.needed[move][cell] <= limit else None

    def records(self, root: State) -> dict[State, int]:
        """Return a record of the answer."""
        return {root: 48}


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> State:
    """Return a position, with small numbers of nodes."""
    monkeypatch.setattr(parts, "SMALLEST", 100)
    monkeypatch.setattr(parts, "STEP", 10)
    monkeypatch.setattr(parts, "FEWEST", 1)
    return stones_at(OPENING.start, [(0, 2), (1, 1), (2, 2)])


def test_a_move_is_left_at_the_first_answer_that_stays_open(root: State) -> None:
    search = MadeUp(root, {10: {20: 50, 21: 999, 22: 50}, 11: {20: 50, 21: 500, 22: 50}, 12: {21: 9999, 20: 50}})
    found = Apart(search).take_apart(root, 1000)
    # The answer that refuted the first move comes first against the others.
    first = [(10, 20, 100), (10, 21, 100), (11, 21, 100), (12, 21, 100)]
    # The first move has beaten an answer that was searched, the others none; what is proved is not searched again.
    assert search.calls == [*first, (10, 21, 1000), (10, 22, 1000)]
    after = stones_at(root, [(10, 1)])
    assert found == {root: 10} | {stones_at(after, [(cell, 2)]): 48 for cell in (20, 21, 22)}


def test_the_better_half_of_the_moves_stays(root: State) -> None:
    search = MadeUp(root, {10: {20: 99_999}, 11: {21: 50, 22: 99_999}, 12: {23: 99_999}})
    assert Apart(search).take_apart(root, 10_000) is None
    assert [move for move, _, limit in search.calls if limit == 100] == [10, 11, 11, 12]
    assert [move for move, _, limit in search.calls if limit == 1000] == [11, 10, 12]
    assert [move for move, _, limit in search.calls if limit == 10_000] == [11]


def test_what_was_searched_is_kept_in_the_file(root: State, tmp_path: Path) -> None:
    branch = read_branch(tmp_path, OPENING, 0)
    branch.add({"second": 1, "seconds": 0.0, "nodes": 0})
    needed = {10: {20: 50, 21: 500}, 11: {22: 9999}}
    search = MadeUp(root, needed)
    prove_apart(branch, search, [2], 100 * parts.SHARE)
    assert search.calls == [(10, 20, 100), (10, 21, 100), (11, 22, 100)]
    assert not branch.proved
    search = MadeUp(root, needed)
    again = read_branch(tmp_path, OPENING, 0)
    prove_apart(again, search, [2], 1000 * parts.SHARE)
    assert search.calls == [(10, 21, 1000)]
    whole = read_branch(tmp_path, OPENING, 0)
    assert whole.proved == [2]
    assert len(dict(whole.records_of(1))) == 3
