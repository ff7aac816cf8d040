"""The opening of morris: its rules against a plain second version, its values by two ways that share nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from searchbench.catalogue import load
from searchbench.errors import BadState
from searchbench.games.morris import Morris
from searchbench.games.morris.board import MILLS
from searchbench.games.morris_opening import MorrisOpening
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.shared.transposition import new_transpositions
from searchbench.store import Database

Men = frozenset[int]


# --- the twin: sets of points, mills as triples ---------------------------------------------------------------------------


def points(word: int) -> Men:
    """Return the points of a word of men."""
    return frozenset(point for point in range(24) if word >> point & 1)


def milled(men: Men) -> set[int]:
    """Return the men that are in a mill."""
    return {point for mill in MILLS if men >= set(mill) for point in mill}


def replies(own: Men, other: Men) -> Counter[tuple[Men, Men]]:
    """Return the boards after a man is put down, seen by the opponent."""
    found: Counter[tuple[Men, Men]] = Counter()
    for point in set(range(24)) - own - other:
        after = own | {point}
        if point in milled(after):
            for victim in other - milled(other) or other:
                found[other - {victim}, after] += 1
        else:
            found[other, after] += 1
    return found


def openings(game: MorrisOpening, rng: random.Random) -> Iterator[list[int]]:
    """Yield the states of a game in which mills are closed where they can be; the last has all men on the board."""
    state = game.start()
    while state[2] > 0 and game.terminal(state) == UNDECIDED:
        yield state
        moves = game.moves(state)
        captures = [move for move in moves if move >> 10]
        together = [move for move in moves if (move >> 5) & 31 in {0, 1, 2, 9, 10, 17}]
        state = game.play(state, rng.choice(captures or together or moves))
    yield state


@pytest.mark.parametrize("men", [3, 4, 6, 9])
def test_moves_are_those_of_the_twin(men: int) -> None:
    game = MorrisOpening(men)
    rng = random.Random(men)
    captures = 0
    for _ in range(30):
        for state in openings(game, rng):
            in_hand = (state[2] + 1) // 2 if state[2] % 2 == 0 else state[2] // 2 + 1
            assert game.call("legal", list(state))
            if state[2] == 0 or game.terminal(state) != UNDECIDED:
                assert state[2] == 0 or state[0].bit_count() + in_hand == 2
                continue
            moves = game.moves(state)
            assert len(set(moves)) == len(moves) <= game.max_moves
            assert len({game.format_move(state, move) for move in moves}) == len(moves)
            after = [game.play(state, move) for move in moves]
            boards = Counter((points(one[0]), points(one[1])) for one in after)
            assert boards == replies(points(state[0]), points(state[1]))
            assert {one[2] for one in after} == {state[2] - 1}
            captures += any(move >> 10 for move in moves)
            for move, successor in zip(moves, after, strict=True):
                assert game.unplay(successor, move) == state
    assert captures > 10


def test_without_men_to_come_the_game_is_the_midgame() -> None:
    opening, midgame = MorrisOpening(4), Morris(4, 4)
    rng = random.Random(4)
    for _ in range(20):
        *_, state = openings(opening, rng)
        if state[2] == 0 and opening.terminal(state) == UNDECIDED:
            assert opening.moves(state) == midgame.moves(state[:2])
            for move in opening.moves(state):
                assert opening.play(state, move) == [*midgame.play(state[:2], move), 0]
                assert opening.format_move(state, move) == midgame.format_move(state[:2], move)


def test_notation() -> None:
    game = load("morris-opening:3")
    for text in (".W....../......../........+5", "WB....../........", "WWW...../B......./BB......+1"):
        if text.count("/") == 1:
            with pytest.raises(BadState):
                game.read(text)
    assert game.read("start") == [0, 0, 6]
    state = game.play(game.start(), game.parse_move(game.start(), "d6"))
    assert game.format(state) == "......../.B....../........+5"
    assert game.read(game.format(state)) == state
    for text in ("......../......../........+7", "W......./......../........+6", "......../......../........+x"):
        with pytest.raises(BadState):
            game.read(text)
    with pytest.raises(ValueError, match="3 to 9"):
        MorrisOpening(10)


# --- values: all states by retrograde analysis, and one state at a time by alpha-beta with the midgame's database ---------


@pytest.fixture(scope="module")
def whole() -> Database:
    """Return the values of all positions with three men each, from the empty board on."""
    return solve_states(MorrisOpening(3), run=Run(threads=1))


@pytest.fixture(scope="module")
def leaves() -> LeafDatabase:
    """Return the midgame with three men each, which has more symmetries."""
    return LeafDatabase(MorrisOpening(3), solve_states(Morris(3, 3), run=Run(threads=1)))


@pytest.mark.long
def test_with_three_men_the_first_player_wins(whole: Database) -> None:
    assert whole.probe().outcome == 1
    assert {choice.value.outcome for choice in whole.moves()} == {-1}  # every first stone wins
    assert bool(whole.verify(Run(threads=1)))


def test_the_midgame_is_that_of_its_own_database(whole: Database, leaves: LeafDatabase) -> None:
    rng = random.Random(33)
    part = whole.part("3-3")
    for number in rng.sample(range(part.start, part.stop), 300):
        if whole.residue(number) != whole.illegal:
            state = whole.game.unrank(number)
            assert whole.probe(state) == leaves.database.probe(state[:2])
            assert leaves.outcome(state) == whole.probe(state).outcome


@pytest.mark.long
def test_alpha_beta_finds_the_value_of_every_opening_position(whole: Database, leaves: LeafDatabase) -> None:
    game = whole.game
    search = AlphaBetaSearch(game, Budget(game, Run(threads=1)), new_transpositions(1 << 16), 1 << 20, leaves)
    looked_at = 0
    for part in whole.parts:
        step = 1 if part.size < 5000 else 17
        for number in range(part.start, part.stop, step) if part.name != "3-3" else ():
            if whole.residue(number) != whole.illegal:
                state = np.array(game.unrank(number), game.dtype)
                assert search.value(state, -1, 1) == whole.rule.decode(whole.code(number)).outcome
                looked_at += 1
    assert looked_at > 2000
    assert search.unknown == 0
