"""Branches of a go-moku proof beside each other: records that answer replies of others are reasons to ask a checker again."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.solvers.proof import ThreatProofNumber, prove_state
from searchbench.solvers.proof.gomoku import closing, prove, rounds, together
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, read_branch, written
from searchbench.solvers.proof.gomoku.closing import Checker
from searchbench.solvers.proof.gomoku.nodes import State, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening

OPENING = Opening(7)
WHITES = tuple(OPENING.replies(OPENING.start)[:2])


def like(state: State) -> frozenset[State]:
    """Return a position in all its symmetric forms."""
    return frozenset(
        stones_at((0,) * len(state), [(turn[at], own) for at, own in enumerate(state)]) for turn in OPENING.turns()
    )


def finished_branch(folder: Path, white: int, replies: int) -> Branch:
    """Write a branch of which some replies are proved, with a record each, and which a walk has passed."""
    branch = read_branch(folder, OPENING, white)
    second = next(cell for cell, stone in enumerate(stones_at(OPENING.start, [(white, 2)])) if stone == 0)
    branch.add({"second": second, "seconds": 0.0, "nodes": 0})
    for reply in OPENING.replies(branch.base)[:replies]:
        state = stones_at(branch.base, [(reply, 2)])
        move = max(cell for cell, stone in enumerate(state) if stone == 0)
        line = {"reply": reply, "proved": True, "limit": 1, "nodes": 1, "seconds": 0.0, "proof_number": 0}
        branch.add(line | {"records": written({state: move})})
    branch.add({"checked": 1 + replies, "short": SHORT, "records": [], "gaps": []})
    return branch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two branches that count as finished, and are all there are."""
    monkeypatch.setattr(Branch, "finished", True)
    for white in WHITES:
        finished_branch(tmp_path, white, 6)
    return tmp_path


def answered(state: State, move: int, reply: int) -> State:
    """Return the position after a record's move and a reply."""
    return stones_at(state, [(move, 1), (reply, 2)])


def test_the_records_to_ask_about_are_those_of_a_comparison_of_all_positions(folder: Path) -> None:
    rng = random.Random("together")
    found = 0
    for _ in range(12):
        branches = [read_branch(folder, OPENING, white) for white in WHITES]
        records = together.records_of(folder, OPENING, WHITES)
        for branch in branches:
            own = records[branch.white]
            known = branch.beside if set(branch.beside) == set(WHITES) else {branch.white: len(own) - len(branch.added)}
            old = {one for white in WHITES for state, _ in records[white][: known.get(white, 0)] for one in like(state)}
            new = {one for white in WHITES for state, _ in records[white] for one in like(state)} - old
            expected = [
                (state, move) for state, move in own
                if any(answered(state, move, cell) in new for cell, stone in enumerate(state) if stone == 0 and cell != move)
            ]  # fmt: skip
            assert list(together.affected(branch, records)) == expected
            found += len(expected)
        # Another record, after one of either branch, is added to a branch; now and then a branch has been asked.
        state, move = rng.choice(records[rng.choice(WHITES)])
        reply = rng.choice([cell for cell, stone in enumerate(state) if stone == 0 and cell != move])
        after = rng.choice(sorted(like(answered(state, move, reply))))
        there = after.index(0)
        rng.choice(branches).add({"checked": 7, "short": SHORT, "records": written({after: there}), "gaps": []})
        if rng.random() < 0.5:
            told = sorted(together.counts(records).items())[
                : rng.choice([1, 2, 2])
            ]  # beside itself alone, or beside both
            rng.choice(branches).add({"beside": told, "records": [], "gaps": [], "nodes": 0, "seconds": 0.0})
    assert found > 10


def test_a_reply_that_a_record_elsewhere_leaves_open_is_proved_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of the second branch answers one reply to a record of the first; another reply is open since."""
    first, second = WHITES
    state, move = list(read_branch(folder, OPENING, first).records())[3]
    empty = [cell for cell, stone in enumerate(state) if stone == 0 and cell != move]
    elsewhere, left = answered(state, move, empty[0]), answered(state, move, empty[1])
    asked: list[State] = []

    def uncovered(checker: Checker, at: State, _: int) -> list[State]:
        asked.append(at)
        known = checker.known
        here = at == state and OPENING.canonical(elsewhere)[0] in known and OPENING.canonical(left)[0] not in known
        return [left] if here else []

    proofs: list[Sequence[int]] = []

    def prove_again(_: object, at: State, stop: object) -> dict[State, int] | None:
        proofs.append(at)
        return {at: at.index(0)} if len(proofs) > 1 else None  # the first time it stays a gap

    monkeypatch.setattr(Checker, "uncovered", uncovered)
    monkeypatch.setattr(closing, "prove_again", prove_again)
    monkeypatch.setattr(rounds, "chosen_branches", lambda *_: list(WHITES))
    monkeypatch.setattr(rounds, "processes", Here)
    monkeypatch.setattr(together, "as_completed", list)

    def close(seconds: float = 0.0) -> bool:
        asked.clear()
        return together.close(folder, OPENING, 1, seconds, (), lambda _: None)

    assert close()  # nothing answers anything that the walks did not know
    assert asked == []
    assert close()
    read_branch(folder, OPENING, second).add(
        {"checked": 7, "short": SHORT, "records": written({elsewhere: elsewhere.index(0)}), "gaps": []}
    )
    assert not close(1e-9)  # no time: nothing is lost, and nothing claimed
    assert close()
    assert asked.count(state) == 2  # beside the second branch, and once more as a reply has a record of its own now
    assert proofs == [left, left]
    branch = read_branch(folder, OPENING, first)
    assert left in dict(branch.records())
    assert together.is_closed(branch)
    assert close()
    assert asked == []


class Here:
    """Do at once what processes would do."""

    def __init__(self, _: int) -> None: ...

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, work: object, *arguments: object) -> Done:
        """Do a piece of work."""
        assert callable(work)
        return Done(work(*arguments))


class Done:
    """Hold what a piece of work returned."""

    def __init__(self, result: object) -> None:
        self.found = result

    def result(self) -> object:
        """Return it."""
        return self.found


def test_a_walk_that_is_stopped_keeps_nothing_and_begins_again(folder: Path) -> None:
    records = together.records_of(folder, OPENING, WHITES)
    state, move = records[WHITES[0]][2]
    after = answered(state, move, next(cell for cell, stone in enumerate(state) if stone == 0 and cell != move))
    read_branch(folder, OPENING, WHITES[1]).add(
        {"checked": 7, "short": SHORT, "records": written({after: after.index(0)}), "gaps": []}
    )
    records = together.records_of(folder, OPENING, WHITES)
    branch = together.close_beside(folder, OPENING, WHITES[0], records, time.time() - 1, "interpreted")
    assert branch.beside == {}
    assert read_branch(folder, OPENING, WHITES[0]).beside == {}


@pytest.mark.parametrize(
    ("proved", "gap", "told"),
    [
        (False, False, "gomoku:7,free: no result; "),
        (True, False, "gomoku:7,free: proved, but its records are not all checked; "),
        (True, True, "gomoku:7,free: 1 of its positions not proved again; "),
    ],
)
def test_a_proof_that_is_stopped_tells_how_far_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, proved: bool, gap: bool, told: str
) -> None:
    if gap:
        read_branch(folder, OPENING, WHITES[0]).add(
            {"checked": 7, "short": SHORT, "records": [], "gaps": [[[24], [0], -1]]}
        )
    monkeypatch.setattr(prove, "prove", lambda *_: proved)
    monkeypatch.setattr(prove, "close", lambda *_: False)
    with pytest.raises(LimitReached, match=told):
        prove_state(load("gomoku:7,free"), None, ThreatProofNumber(work=folder))
