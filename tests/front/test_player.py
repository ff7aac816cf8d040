"""The perfect player: it never loses what is not lost, wins as soon as it can, and tempts its opponent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.games.awari import Awari
from searchbench.games.hanoi import Hanoi
from searchbench.games.morris import Morris
from searchbench.games.morris_opening import MorrisOpening
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.player import SearchedValues
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase
from searchbench.store import Database, way


@pytest.fixture(scope="module")
def noughts() -> Database:
    """Return all positions of tic-tac-toe."""
    return solve_states(TicTacToe(), run=Run(threads=1))


@pytest.fixture(scope="module")
def midgame() -> Database:
    """Return the midgame of morris with three men each."""
    return solve_states(Morris(3, 3), run=Run(threads=1))


def outcome_over(game: sb.Game, state: Sequence[int]) -> int | None:
    """Return the outcome of a finished game, None while it goes on."""
    result = game.terminal(state)
    if result != UNDECIDED:
        return (result > 0) - (result < 0)
    return None if game.moves(state) else 0


def test_it_keeps_every_value_against_every_reply(noughts: Database) -> None:
    """Let it play from every position that is not lost, against all that its opponent can do."""
    game, player = noughts.game, sb.Player(noughts)

    @cache
    def worst(state: tuple[int, ...]) -> tuple[int, int]:
        """Return the worst outcome that the player, to move, comes to, and the most plies to it."""
        over = outcome_over(game, state)
        if over is not None:
            return over, 0
        after = tuple(game.play(state, player.choose(state)))
        over = outcome_over(game, after)
        if over is not None:
            return -over, 1
        replies = [worst(tuple(game.play(after, move))) for move in game.moves(after)]
        lowest = min(outcome for outcome, _ in replies)
        return lowest, 2 + max(plies for outcome, plies in replies if outcome == lowest)

    checked = 0
    for part in noughts.parts:
        for number in range(part.start, part.stop):
            if noughts.residue(number) != noughts.illegal:
                state = tuple(game.unrank(number))
                value = noughts.probe(state)
                outcome, plies = worst(state)
                assert outcome == value.outcome
                assert value.outcome <= 0 or plies == value.depth
                checked += 1
    assert checked == 5478


def test_of_equal_moves_it_takes_the_one_that_is_hardest_to_answer(noughts: Database) -> None:
    """Begin in a corner: of the eight replies only the centre does not lose."""
    player = sb.Player(noughts)
    first = player.rated()[0]
    assert noughts.game.format_move(noughts.game.start(), player.choose()) in {"a1", "a3", "c1", "c3"}
    assert (first.keeping, first.replies, first.worth.outcome) == (1, 8, 0)
    eases = [one.ease for one in player.rated()]
    assert eases == sorted(eases)
    assert {sb.Player(noughts, seed).choose() for seed in range(20)} == {0, 4, 12, 16}


def test_against_chance_it_never_loses_and_wins_in_time(midgame: Database) -> None:
    """Play three men against three from positions drawn by chance, of all values."""
    game, player, rng = midgame.game, sb.Player(midgame), random.Random(5)
    outcomes = []
    for _ in range(12):
        state = tuple(game.unrank(rng.randrange(midgame.size)))
        if not game.call("legal", list(state)) or midgame.game.canonical(state) != list(state):
            continue
        value = midgame.probe(state)
        plies, mover = 0, 0
        while (over := outcome_over(game, state)) is None and plies < 40:
            move = player.choose(state) if mover == 0 else rng.choice(game.moves(state))
            state, plies, mover = tuple(game.play(state, move)), plies + 1, 1 - mover
        outcome = 0 if over is None else over if mover == 0 else -over
        assert outcome >= value.outcome
        assert value.outcome <= 0 or plies <= value.depth
        outcomes.append(outcome)
    assert 1 in outcomes


def test_it_plays_the_opening_and_goes_on_in_the_midgame(midgame: Database) -> None:
    """Win with three men from the empty board against replies by chance and against its own kind."""
    game = MorrisOpening(3)
    player = sb.Player(SearchedValues(LeafDatabase(game, midgame)))
    for opponent in (random.Random(1), None):
        state, plies = tuple(game.start()), 0
        while (over := outcome_over(game, state)) is None:
            mine = plies % 2 == 0 or opponent is None
            move = player.choose(state) if mine else opponent.choice(game.moves(state))
            state, plies = tuple(game.play(state, move)), plies + 1
            assert plies < 60
        assert (over if plies % 2 == 0 else -over) == 1


@pytest.mark.long
def test_points_are_kept_too() -> None:
    database = solve_states(Awari(3), run=Run(threads=1))
    player = sb.Player(database)
    for number in range(0, database.size, 7):
        if database.residue(number) != database.illegal:
            state = database.game.unrank(number)
            if database.game.moves(state):
                best = database.moves(state)[0]
                chosen = next(choice for choice in database.moves(state) if choice.move == player.choose(state))
                assert database.worth(state, chosen) == database.worth(state, best)


def played_out(database: Database, start: sb.Position, seed: int, defend: bool) -> int:
    """Return the points that a player who is ahead makes against another one, or against chance, in 300 plies at most."""
    game, player, chance = database.game, sb.Player(database, seed), random.Random(seed)
    state, points, sign = start.state, 0, 1
    for _ in range(300):
        if game.terminal(state) != UNDECIDED:
            return points + sign * game.terminal(state)
        move = player.choose(state) if sign > 0 or defend else chance.choice(game.moves(state))
        points += sign * game.call("gain", list(state), move)
        state, sign = tuple(game.play(state, move)), -sign
    return points


def test_points_are_won_where_moves_of_equal_value_go_round_in_a_circle() -> None:
    """Every second of some positions that are ahead stalled before, as the first of the best moves went round in a circle."""
    database = solve_states(Awari(5), run=Run(threads=1))
    ahead = [one for one in database.find("1-5") if one.game.moves(one.state)]
    for seed, start in enumerate(random.Random(3).sample(ahead, 60)):
        value = database.probe(start)
        assert played_out(database, start, seed, defend=False) >= value
        line, points, sign = database.line(start), 0, 1
        for state, move in zip(line.states(), line.moves, strict=False):
            points += sign * database.game.call("gain", list(state), move)
            sign = -sign
        end = line.states()[-1]
        if line.complete:
            points += sign * database.game.terminal(end)
        assert points == value
        assert played_out(database, start, seed, defend=True) == value
        assert sb.Player(database).rated(start)[0].choice.move == sb.Player(database).choose(start)


def test_outcomes_without_depth_are_won_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rook that only keeps the win walks to and fro."""
    database = sb.solve("chess:KRK,3,4", "ending", threads=1)
    game = database.game

    def won(start: sb.Position) -> bool:
        player, state = sb.Player(database), start.state
        for _ in range(60):
            if game.terminal(state) != UNDECIDED:
                return True
            state = tuple(game.play(state, player.choose(state)))
        return False

    starts = random.Random(5).sample(list(database.find("win")), 40)
    assert all(map(won, starts))
    monkeypatch.setattr(way, "MOST", (1,))
    monkeypatch.setattr(database, "way", way.Way(database))
    assert not all(map(won, starts)), "so short a search finds no way"


def test_bad_requests(noughts: Database) -> None:
    for rule in ("depth", "reached"):
        with pytest.raises(BadRequest, match="do not say which move is best"):
            sb.Player(sb.solve("mnk:2,2,2", rule))
    with pytest.raises(BadRequest, match="is a puzzle"):
        sb.Player(solve_states(Hanoi(2), run=Run(threads=1)))
    with pytest.raises(BadRequest, match="the game is over"):
        sb.Player(noughts).choose("XXX/OO./...")
