"""Forced sequences and proof-number search over a graph in games of lines, against the obvious twins; Qubic's first moves."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, Exhausted, LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.games.mnk import MNK
from searchbench.games.qubic import Qubic
from searchbench.proof import Claim
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import GraphProofNumber, budget, prove_state
from searchbench.solvers.proof.lines import prove
from searchbench.solvers.proof.lines.forcing import new_forcing, set_stones, wins_by_force
from searchbench.solvers.proof.lines.graph import evaluate

State = tuple[int, ...]
BOARDS = [(3, 3, 3), (4, 3, 3), (4, 4, 4), (4, 4, 3), (5, 4, 4)]


def random_state(game: Game, rng: random.Random, stones: int) -> list[int] | None:
    """Return a state after so many random moves, None if the game ended before."""
    state = game.start()
    for _ in range(stones):
        if game.terminal(state) != UNDECIDED:
            return None
        state = game.play(state, rng.choice(game.moves(state)))
    return state if game.terminal(state) == UNDECIDED else None


@pytest.mark.parametrize("size", BOARDS)
def test_forced_sequences_are_those_of_the_obvious_twin(size: tuple[int, int, int]) -> None:
    game = MNK(*size)
    forcing = new_forcing(game.lines)
    cells, found = game.width, Counter[bool]()
    for seed in range(40):
        rng = random.Random(f"{size} {seed}")
        state = random_state(game, rng, rng.randrange(max(0, cells - 9), cells))
        if state is None:
            continue
        expected = naive.wins_by_threats(game, state)
        set_stones(forcing, state)
        before = forcing.load.copy()
        assert wins_by_force(forcing, 1 + (sum(map(bool, state)) & 1), 1 << 30) == expected, (seed, game.format(state))
        assert (forcing.load == before).all(), seed
        found[expected] += 1
        if expected and cells - sum(map(bool, state)) <= 7:
            assert naive.alphabeta(game, state) > 0, (seed, game.format(state))
    assert min(found[True], found[False]) >= 1, found


def test_forced_sequences_of_qubic(run: Run) -> None:
    game = Qubic()
    forcing, kernel = new_forcing(game.lines), jit.bind(evaluate, game.names())
    found = Counter[bool]()
    for seed in range(12):
        rng = random.Random(f"qubic {seed}")
        state, stones = [0] * 64, 2 * rng.randrange(25, 29)
        while not any(state) or any({state[cell] for cell in line} in ({1}, {2}) for line in game.lines.lines):
            state = rng.sample([1, 2] * (stones // 2) + [0] * (64 - stones), 64)
        expected = naive.wins_by_threats(game, state)
        assert kernel(forcing, np.array(state, game.dtype), 1 << 30) == expected, (seed, game.format(state))
        found[expected] += 1
    assert found[True], found


def test_the_eleven_ply_sequence_of_the_thesis() -> None:
    # Allis 1994, figure 4.2: a plane with three corners; the second player's stones are elsewhere.
    game = Qubic()
    state = game.start()
    for cell, other in zip((0, 3, 15), (21, 38, 57), strict=True):
        state[cell], state[other] = 1, 2
    forcing = new_forcing(game.lines)
    set_stones(forcing, state)
    assert wins_by_force(forcing, 1, 1 << 20)
    assert not wins_by_force(forcing, 1, 3)
    state[15] = 0
    set_stones(forcing, state)
    assert not wins_by_force(forcing, 1, 1 << 20)


def claim_stands(game: Game, state: State, claim: Claim, seen: set[State]) -> bool:
    """Tell whether the player to move wins by a claim, against every reply."""
    own = tuple(game.canonical(state)) if claim.symmetric else state
    if own in seen:
        return True
    seen.add(own)
    if own not in claim.strategy:
        return naive.wins_by_threats(game, own)
    after = game.play(own, claim.strategy[own])
    result = game.terminal(after)
    if result != UNDECIDED:
        return result < 0
    following = [tuple(game.play(after, reply)) for reply in game.moves(after)]
    return bool(following) and all(
        game.terminal(one) == UNDECIDED and claim_stands(game, one, claim, seen) for one in following
    )


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("threats", [False, True])
def test_wins_over_a_graph(symmetry: bool, threats: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "SLICE", 3)
    monkeypatch.setattr(prove, "_FIRST", 64)
    ended = Counter[str]()
    for seed in range(14):
        rng = random.Random(f"{symmetry} {threats} {seed}")
        size = rng.choice([(3, 3, 3), (4, 3, 3), (4, 4, 4), (4, 4, 3)])
        game = MNK(*size, symmetry=symmetry)
        state = random_state(game, rng, max(0, game.width - rng.randrange(5, 8)))
        if state is None:
            continue
        value = naive.alphabeta(game, state)
        chosen = GraphProofNumber(threats=threats, ones=rng.random() < 0.5, forced=rng.choice([1, 1 << 20]))
        try:
            proof = prove_state(game, state, chosen, Run(memory=1 << 26, threads=1), target="interpreted")
        except Exhausted:
            assert not threats or value <= 0, (seed, game.format(state))
            ended["not proved"] += 1
            continue
        assert proof.outcome == 1 == (value > 0), (seed, game.format(state))
        assert claim_stands(game, tuple(state), proof.claims[0], set()), (seed, game.format(state))
        ended["records" if len(proof.claims[0].strategy) else "forced"] += 1
    assert ended["not proved"], ended
    assert ended["forced"] + ended["records"], ended


def test_the_board_of_qubic() -> None:
    board = Qubic().lines
    degrees = Counter(sum(cell in line for line in board.lines) for cell in range(64))
    assert (len(board.lines), dict(degrees), len(board.symmetries)) == (76, {7: 16, 4: 48}, 192)
    lines = set(board.lines)
    for symmetry in board.symmetries:
        assert {tuple(sorted(symmetry[cell] for cell in line)) for line in lines} == lines
    stable = [symmetry for symmetry in board.symmetries if symmetry[0] == 0]
    orbits = Counter(min(symmetry[cell] for symmetry in stable) for cell in range(1, 64))
    sizes = {1: 6, 3: 3, 5: 6, 6: 6, 7: 12, 15: 3, 21: 2, 22: 6, 23: 6, 27: 6, 31: 6, 63: 1}
    assert dict(orbits) == sizes  # Allis 1994, section 4.2


def test_the_first_moves_of_qubic_leave_195_subproblems() -> None:
    game = Qubic()
    moves = game.opening()
    assert Counter(sum(map(bool, state)) for state in moves) == {0: 1, 2: 12, 4: 2}
    thirds = {
        tuple(game.canonical(game.play(state, move))) for state, move in moves.items() if 1 < sum(map(bool, state)) < 4
    }
    below = {third: {tuple(game.canonical(game.play(third, reply))) for reply in game.moves(third)} for third in thirds}
    assert (len(thirds), 61 * len(thirds), len(set().union(*below.values()))) == (7, 427, 195)
    assert sorted(len(some) for some in below.values()) == [21, 22, 33, 33, 37, 37, 61]  # Allis 1994, section 4.5.1
    exceptions = [({0, 3}, {21, 41}), ({0, 3}, {21, 61})]
    states = {
        tuple(game.canonical([1 if n in own else 2 if n in other else 0 for n in range(64)]))
        for own, other in exceptions
    }
    assert {state for state in moves if sum(map(bool, state)) == 4} == states


@pytest.mark.long
def test_a_subproblem_of_qubic_is_kept(tmp_path: Path) -> None:
    game = Qubic()
    state = [0] * 64
    for cell, player in ((0, 1), (3, 1), (60, 2), (1, 2)):
        state[cell] = player
    options: dict[str, Any] = {"work": tmp_path / "work"}
    with pytest.raises(LimitReached):
        prove_state(game, state, "graph", Run(threads=1), nodes=100, **options)
    first = prove_state(game, state, "graph", Run(threads=1), **options)
    assert first.outcome == 1
    assert len(first.claims[0].strategy) > 0
    again = prove_state(game, state, "graph", Run(threads=1), nodes=1, **options)
    assert dict(again.claims[0].strategy) == dict(first.claims[0].strategy)
    file = next((tmp_path / "work").iterdir())
    file.write_text(file.read_text()[:-100])
    with pytest.raises(LimitReached):
        prove_state(game, state, "graph", Run(threads=1), nodes=1, **options)


@pytest.mark.long
def test_graphs_keep_to_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    state = [0] * 64
    for cell, player in ((0, 1), (3, 1), (60, 2), (1, 2)):
        state[cell] = player
    for threads in (1, 2):
        with pytest.raises(OutOfMemory, match="a graph of 8,192 positions needs"):
            prove_state(Qubic(), state, "graph", Run(1 << 20, threads))
    with pytest.raises(OutOfMemory, match="8,192 positions in each of 2 threads"):
        prove_state(Qubic(), None, "graph", Run(1 << 20, 2))
    monkeypatch.setattr(budget, "LARGEST_GRAPH", 1 << 12)
    with pytest.raises(OutOfMemory, match="no graph of more than 4,096 positions can be numbered"):
        prove_state(Qubic(), state, "graph", Run(threads=1))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("connect4:4x4", "do not fall"),
        ("sliding:2x2", "outcome"),
        ("dots-and-boxes:1x1", "outcome"),
        ("mnk:3,3,1", "2 to 31"),
    ],
)
def test_refusals(game: str, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        prove_state(load(game), None, "graph", target="interpreted")
