"""The choice of black's second move, with searches whose results are made up: who leaves, who is chosen, what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from searchbench.solvers.proof.gomoku import race as racing
from searchbench.solvers.proof.gomoku import rounds, two_levels
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import Branch, read_branch
from searchbench.solvers.proof.gomoku.nodes import State, Stopped, never
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.race import race

OPENING = Opening(7)
WHITE = 0


class MadeUp:
    """Stand for the search: for each candidate, in the order of the race, the nodes that its replies need."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *needed: list[int]) -> None:
        self.needed = needed
        self.attack = Attack(7, 7, bits=4, target="interpreted")
        self.calls: list[tuple[int, int]] = []
        self.seconds: list[int] = []
        self.replies: dict[int, list[int]] = {}
        monkeypatch.setattr(racing, "SECOND_MOVES", len(needed))
        monkeypatch.setattr(racing, "PROBES", len(needed[0]))
        monkeypatch.setattr(racing, "attempt", self.attempt)

    def attempt(self, _search: Any, base: State, reply: int, limit: int) -> dict[str, Any]:
        """Return what a search would."""
        second = next(cell for cell, stone in enumerate(base) if stone == 1 and cell != 24)
        if second not in self.seconds:
            self.seconds.append(second)
        replies = self.replies.setdefault(second, [])
        if reply not in replies:
            replies.append(reply)
        needed = self.needed[self.seconds.index(second)]
        nodes = needed[replies.index(reply) % len(needed)]
        self.calls.append((second, limit))
        return {"reply": reply, "proved": nodes <= limit, "limit": limit, "nodes": min(nodes, limit), "seconds": 0.0,
                "proof_number": 1 + nodes // 100, "records": []}  # fmt: skip

    def run(self, branch: Branch, limits: tuple[int, ...]) -> list[tuple[int, int]]:
        """Race, and return the probes made: candidates in the order in which they were met first, with limits."""
        before = len(self.calls)
        race(branch, self.attack, lambda: False, limits)
        return [(self.seconds.index(second), limit) for second, limit in self.calls[before:]]


def new_branch(folder: Path) -> Branch:
    """Return a branch of which nothing is known."""
    return read_branch(folder, OPENING, WHITE)


def test_a_candidate_leaves_when_it_is_worse_than_the_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = MadeUp(monkeypatch, [50, 50, 50], [999, 10, 10], [10, 20, 30], [70, 1, 1])
    probes = made.run(new_branch(tmp_path), (100, 1000))
    # The second fails at once; the third beats the first by fewer nodes; the fourth may take no more than that.
    assert probes == [(0, 100)] * 3 + [(1, 100)] + [(2, 100)] * 3 + [(3, 60)]
    branch = new_branch(tmp_path)
    assert branch.second == made.seconds[2]
    assert len(branch.proved) == 3
    assert branch.nodes == 150 + 100 + 60 + 60


def test_all_race_again_with_more_nodes_where_none_has_won(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = MadeUp(monkeypatch, [500, 10], [300, 10], [5000, 5000])
    probes = made.run(new_branch(tmp_path), (100, 1000))
    # With 100 nodes each of the first two leaves a reply open; the best of them comes first then, and proved ones are kept.
    assert probes == [(0, 100)] * 2 + [(1, 100)] * 2 + [(2, 100)] * 2 + [(1, 1000), (0, 310), (2, 310)]
    assert new_branch(tmp_path).second == made.seconds[1]
    assert made.run(new_branch(tmp_path), (100, 1000)) == []  # nothing is probed twice


def test_a_reply_that_stays_open_makes_another_move_the_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = MadeUp(monkeypatch, [10, 10], [20, 20])
    branch = new_branch(tmp_path)
    made.run(branch, (100,))
    assert branch.second == made.seconds[0]
    far = next(reply for reply in reversed(branch.open_replies(100)) if reply not in made.replies[made.seconds[1]])
    branch.add({"reply": far, "proved": False, "limit": 400, "proof_number": 9, "nodes": 400, "seconds": 0.0})
    probes = made.run(branch, (400,))
    # The reply that the first has left open, and one for which the second had no nodes left; its other probe is proved.
    assert probes == [(1, 400)] * 2
    again = new_branch(tmp_path)
    assert again.second == branch.second == made.seconds[1]
    assert far in again.proved
    assert len(again.tried[made.seconds[0]]) == 3  # nothing of the other move is lost


def others(
    monkeypatch: pytest.MonkeyPatch, branch: Branch, made: MadeUp, limit: int, stop: Callable[[], bool] = never
) -> list[int]:
    """Try another second move with `limit` nodes; return whose hard replies were searched, search by search."""
    searched: list[int] = []

    class Deep:
        """Stand for the search on three levels."""

        def __init__(self, *_given: object) -> None:
            self.second = SimpleNamespace(learn=lambda records: None)
            self.nodes: dict[State, SimpleNamespace] = {}

        def solve(self, root: State, limit: int) -> bool:
            """Return whether so many nodes are enough."""
            if stop():
                raise Stopped
            base = next(base for base in bases if sum(a != b for a, b in zip(base, root, strict=True)) == 1)
            reply = next(cell for cell in range(49) if base[cell] != root[cell])
            line = made.attempt(None, base, reply, limit)
            self.nodes[root] = SimpleNamespace(proof=line["proof_number"])
            searched.append(made.seconds.index(bases[base]))
            return bool(line["proved"])

        def records(self, _root: State) -> dict[State, int]:
            """Return no records."""
            return {}

        def forget(self) -> None:
            """Forget nothing."""

    bases = {branch.base_of(second): second for second in made.seconds}
    monkeypatch.setattr(rounds, "attempt", made.attempt)
    monkeypatch.setattr(rounds, "WHOLE", 100)
    monkeypatch.setattr(rounds, "LIMITS", (25, 100, 400, 1600, 6400))
    monkeypatch.setattr(two_levels, "ThreeLevels", Deep)
    rounds._try_another(branch, made.attack, limit, stop)
    return searched


def left_by_the_chosen(monkeypatch: pytest.MonkeyPatch, folder: Path, *needed: list[int]) -> tuple[Branch, MadeUp]:
    """Return a branch of which the first move was chosen, and tried in vain on two replies with 400 nodes."""
    made = MadeUp(monkeypatch, *needed)
    branch = new_branch(folder)
    made.run(branch, (100,))
    assert branch.second == made.seconds[0]
    for number, reply in enumerate(branch.open_replies(400)):
        left = {"proved": number > 1, "limit": 400, "proof_number": 9, "nodes": 400, "seconds": 0.0, "records": []}
        branch.add({"reply": reply, **left})
    assert branch.left_open(branch.second, 400) == 2
    return branch, made


def test_a_move_that_leaves_fewer_replies_open_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    branch, made = left_by_the_chosen(monkeypatch, tmp_path, [1, 1], [20, 300, 9999], [20, 20, 20, 300])
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls == 4

    with pytest.raises(Stopped):
        others(monkeypatch, branch, made, 400, stop)
    branch = new_branch(tmp_path)
    assert branch.second == made.seconds[0]
    assert set(others(monkeypatch, branch, made, 400)) == {1}
    # The second leaves as soon as it leaves as many replies open as the first; the third has its turn, and leaves none.
    assert branch.left_open(made.seconds[1], 400) == 2
    assert branch.second == made.seconds[0]
    assert set(others(monkeypatch, branch, made, 1600)) == {2}
    assert branch.second == made.seconds[2]
    assert branch.finished
    assert new_branch(tmp_path).finished
    assert others(monkeypatch, branch, made, 6400) == []  # nothing is left to better


def test_a_move_that_leaves_as_many_open_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    branch, made = left_by_the_chosen(monkeypatch, tmp_path, [1, 1], [20, 300, 5000], [9999])
    others(monkeypatch, branch, made, 400)
    assert others(monkeypatch, branch, made, 400) == []  # not twice with as many nodes
    assert others(monkeypatch, branch, made, 1600) == [2, 2]
    assert branch.second == made.seconds[0]
    assert set(others(monkeypatch, branch, made, 6400)) == {
        1
    }  # whose turn it is again, and which leaves none with so many
    assert branch.second == made.seconds[1]
    assert branch.finished
