"""Limits of proof search: the value is told first, evidence keeps to the budget, cyclic games get advice; paths repeat."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from graphs import GraphGame
from searchbench import hashing
from searchbench.errors import BadRequest, LimitReached
from searchbench.games.mnk import MNK
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.proof import Proof
from searchbench.rules import UNDECIDED
from searchbench.run import Limits, Run
from searchbench.solvers.proof import ProofNumber, prove_state
from searchbench.solvers.proof.path import earlier, enter, leave, longer, new_path

METHODS = ("pns", "alphabeta", "dfpn", "portfolio")
"""The methods for all games; the method graph is for games of lines."""

BUDGET = "searchbench.solvers.proof.budget"
MEMORY = 1 << 22


def random_positions(seed: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield positions of tic-tac-toe with four stones or more, where the game is not over."""
    game, rng = TicTacToe(), random.Random(seed)
    while count:
        state = game.start()
        for _ in range(rng.randrange(4, 8)):
            if game.terminal(state) == UNDECIDED:
                state = game.play(state, rng.choice(game.moves(state)))
        if game.terminal(state) == UNDECIDED:
            count -= 1
            yield tuple(state)


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches stop and report after every few nodes."""
    for module in ("pns", "alphabeta", "dfpn", "retracing"):
        monkeypatch.setattr(f"searchbench.solvers.proof.{module}.SLICE", 3)


@pytest.mark.usefixtures("slices")
@pytest.mark.parametrize("method", METHODS)
def test_the_value_is_told_before_evidence_is_gathered(method: str) -> None:
    for state in random_positions(1, 20):
        events: list[Any] = []
        run = Run(memory=MEMORY, threads=1, report=lambda stage, *_: events.append(stage))  # noqa: B023
        proof = prove_state(TicTacToe(), state, method, run, told=events.append, target="interpreted")
        told = [place for place, event in enumerate(events) if isinstance(event, Proof)]
        assert len(told) == 1
        first = events[told[0]]
        assert (first.outcome, first.nodes, first.claims) == (proof.outcome, proof.nodes, ())
        assert all(f"{proof.value} is proved; the strategy of" in stage for stage in events[told[0] + 1 :])
        assert len(events) > told[0] + 1
        assert not any("strategy" in stage for stage in events[: told[0]])


@pytest.mark.usefixtures("slices")
@pytest.mark.parametrize("method", METHODS)
def test_search_and_evidence_share_the_limit_of_nodes(method: str) -> None:
    game = TicTacToe()
    ended = {"unknown": 0, "incomplete": 0, "complete": 0}
    for state in random_positions(2, 12):
        outcome = naive.alphabeta(game, state)
        for limit in (1, 4, 12, 30, 60, 120, 240, 1000, 8000):
            done: list[int] = []
            run = Run(memory=MEMORY, threads=1, report=lambda _stage, nodes, _total: done.append(nodes))  # noqa: B023
            try:
                proof = prove_state(game, state, method, run, nodes=limit, target="interpreted")
            except LimitReached:
                ended["unknown"] += 1
                continue
            finally:
                assert max(done) <= limit + game.max_moves  # nodes are created all at once below their parent
            assert proof.outcome == outcome
            ended["incomplete" if proof.incomplete else "complete"] += 1
            faults = proof.verify()
            assert bool(faults) == bool(proof.incomplete)
            assert all(f"within {limit:,} nodes" in fault and "the search proved it" in fault for fault in faults)
    assert min(ended.values()) > 5, ended


@pytest.mark.usefixtures("slices")
def test_evidence_has_a_limit_also_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for state in random_positions(3, 10):
        whole = prove_state(TicTacToe(), state, run=Run(memory=MEMORY, threads=1), target="interpreted")
        assert whole.verify() == []
        with monkeypatch.context() as patch:
            patch.setattr(f"{BUDGET}.EVIDENCE", 0)
            patch.setattr(f"{BUDGET}.EVIDENCE_TIMES", 0)
            proof = prove_state(TicTacToe(), state, run=Run(memory=MEMORY, threads=1), target="interpreted")
        assert proof.outcome == whole.outcome
        assert proof.incomplete
        assert proof.verify()


class Ticking(Run):
    """A run whose clock goes on by a second with each report; parts of it have the same clock."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.told: list[str] = []

    @property
    def ticks(self) -> int:
        """Return how many reports there were."""
        return len(self.told)

    @property
    def seconds(self) -> float:
        """Return how many reports there were."""
        return self.ticks if hasattr(self, "told") else 0

    def progress(self, stage: str, done: int, total: int) -> None:
        """Let a second pass."""
        self.told.append(stage)


@pytest.mark.usefixtures("slices")
@pytest.mark.parametrize("method", METHODS)
def test_search_and_evidence_share_the_limit_of_seconds(method: str) -> None:
    game = TicTacToe()
    ended = set()
    for state in random_positions(4, 6):
        outcome = naive.alphabeta(game, state)
        for limit in (*range(1, 80), 3000):
            run = Ticking(memory=MEMORY, threads=1)
            try:
                proof = prove_state(game, state, method, run, seconds=limit, target="interpreted")
            except LimitReached as error:
                ended.add("unknown")
                text = str(error)
            else:
                assert proof.outcome == outcome
                ended.add("incomplete" if proof.incomplete else "complete")
                text = proof.incomplete
            # A search that has just begun looks at the clock after its first slice; a portfolio has two.
            assert run.ticks <= limit + 2 + (method == "portfolio")
            assert not text or f"within {limit} seconds" in text
    assert ended == {"unknown", "incomplete", "complete"}
    with pytest.raises(BadRequest, match="limits of 0 nodes and -1 seconds"):
        prove_state(game, seconds=-1)


@pytest.mark.parametrize("method", [*METHODS, "conspiracy", "merged"])
def test_searches_with_slow_rules_keep_to_the_limit_of_seconds(method: str) -> None:
    slow = Run(memory=1 << 28, threads=1, clock=time.thread_time)
    chosen = ProofNumber(merge="all") if method == "merged" else method
    with pytest.raises(LimitReached, match=r"within 0\.2 seconds"):  # interpreted, a whole slice takes ten
        prove_state(MNK(5, 5, 5), None, chosen, slow, Limits(seconds=0.2), target="interpreted")
    assert slow.seconds < 1.5


@pytest.mark.parametrize("method", METHODS)
def test_the_nodes_do_not_depend_on_the_pieces_of_slices(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    monkeypatch.setattr("searchbench.solvers.proof.prove.first_size", lambda _memory: 16)  # so that tables are crowded
    monkeypatch.setattr("searchbench.solvers.proof.portfolio.first_size", lambda _memory: 16)
    for module in ("pns", "alphabeta", "dfpn"):
        monkeypatch.setattr(f"searchbench.solvers.proof.{module}.SLICE", 200)
    for first, short in ((1, 0.0), (7, 0.0), (64, 0.1), (1 << 20, 0.1)):
        monkeypatch.setattr(f"{BUDGET}.FIRST_PIECE", first)
        monkeypatch.setattr(f"{BUDGET}.SHORT", short)
        proof = prove_state(
            TicTacToe(), None, method, Run(memory=MEMORY, threads=1), target="interpreted", evidence=False
        )
        assert proof.outcome == 0
        found.add(proof.nodes)
    assert len(found) == 1


# --- positions that repeat --------------------------------------------------------------------------------------------


def is_cyclic(game: GraphGame) -> bool:
    """Tell whether some play never ends."""
    after: dict[int, set[int]] = {}
    for a, b, _, _ in game.edges:
        after.setdefault(a, set()).add(b)
    left = set(range(len(game.results)))
    while ends := {node for node in left if not after.get(node, set()) & left}:
        left -= ends
    return bool(left)


def random_graph(rng: random.Random) -> GraphGame:
    """Return a game of two players on up to 14 nodes, with or without cycles; node 0 is the start."""
    size, cyclic = rng.randrange(2, 15), rng.random() < 0.8
    results = [UNDECIDED, *(rng.choice([-1, 0, 1]) if rng.random() < 0.2 else UNDECIDED for _ in range(size - 1))]
    edges = [
        (node, rng.randrange(size) if cyclic else rng.randrange(node + 1, size), 1, 0)
        for node in range(size if cyclic else size - 1)
        for _ in range(rng.randrange(4) if results[node] == UNDECIDED else 0)
    ]
    return GraphGame(tuple(edges), tuple(results), "outcome")


@pytest.mark.parametrize("method", METHODS)
def test_without_a_limit_cyclic_games_end_with_the_outcome_or_advice(
    method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, most in {"ADVISED": 5, "STOPPED": 12, "ADVISED_TIMES": 0, "STOPPED_TIMES": 1}.items():
        monkeypatch.setattr(f"{BUDGET}.{name}", most)
    for module in ("pns", "alphabeta", "dfpn", "retracing"):
        monkeypatch.setattr(f"searchbench.solvers.proof.{module}.SLICE", 4)
    rng = random.Random(5)
    stopped = 0
    for _ in range(300):
        game, nodes = random_graph(rng), rng.choice([0, 0, 8])
        advice = f"this game has cycles and {game.size:,} states: `searchbench solve {game}` decides all of them"
        outcome, _ = naive.outcomes(naive.explicit(game))[(0,)]
        proof, ending = proved(game, method, nodes)
        if proof is None:
            assert nodes or (advice in ending and is_cyclic(game))
            stopped += advice in ending
        else:
            assert proof.outcome == outcome
            assert bool(proof.verify()) == bool(proof.incomplete)
        assert is_cyclic(game) or advice not in caplog.text
        caplog.clear()
    assert stopped > 20


def proved(game: GraphGame, method: str, nodes: int) -> tuple[Proof | None, str]:
    """Return the proof, or how the search ended without one."""
    try:
        return prove_state(game, None, method, Run(memory=MEMORY, threads=1), nodes=nodes, target="interpreted"), ""
    except LimitReached as error:
        return None, str(error)


def test_a_search_is_advised_against_while_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(f"{BUDGET}.ADVISED", 1)
    monkeypatch.setattr(f"{BUDGET}.ADVISED_TIMES", 0)
    cycle = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0), (0, 2, 1, 0), (2, 0, 1, 0)), (UNDECIDED,) * 3, "outcome")
    stages: list[str] = []
    run = Run(memory=MEMORY, threads=1, report=lambda stage, *_: stages.append(stage))
    assert prove_state(cycle, None, "alphabeta", run, target="interpreted").outcome == 0
    assert caplog.text.count("this game has cycles and 3 states") == 1
    assert "solve would decide all 3 states" in stages[-1]


@given(st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_repetition_is_found_on_paths_of_any_length(chance: random.Random) -> None:
    path = new_path(4)
    keys: list[int] = []
    for _ in range(chance.randrange(10, 600)):
        depth = len(keys)
        if depth == len(path.keys):
            path = longer(path)
        if keys and chance.random() < 0.2:
            leave(path, depth - 1)
            keys.pop()
            continue
        key = chance.choice([chance.randrange(40), hashing.mix(chance.randrange(1 << 62)), chance.randrange(9) << 40])
        path.keys[depth] = key
        before = [place for place in range(depth) if keys[place] == key and (depth - place) % 2 == 0]
        assert earlier(path, depth) == max(before, default=-1)
        enter(path, depth)
        keys.append(key)
    assert np.array_equal(path.keys[: len(keys)], keys)
