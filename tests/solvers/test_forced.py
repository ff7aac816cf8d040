"""The checker's forced sequences agree with the obvious twin, and never claim a win that a full search refutes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.families.lines import LineBoard, Lines, grid
from searchbench.game import Game
from searchbench.games.connect4 import Connect4
from searchbench.games.mnk import MNK
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.proof import Claim
from searchbench.rules import UNDECIDED
from searchbench.verify import check_claim
from searchbench.verify.claim import FORCED, ClaimCheck
from searchbench.verify.forced import find, forced_search, holds, wins_by_force

BOARDS: tuple[Game, ...] = (MNK(3, 3, 3), MNK(4, 3, 3), MNK(4, 4, 4), Connect4(4, 4))


@dataclass(frozen=True)
class WrongLines(Lines):
    """Tic-tac-toe whose `lines` tell more than its rules know."""

    name: ClassVar[str] = "wrong-lines"

    @property
    def lines(self) -> LineBoard:
        """Return a board with the lines of two cells as well."""
        return grid(3, 3, 2, False)

    def rules(self) -> Any:
        """Return the rules of tic-tac-toe."""
        return TicTacToe().rules()


def positions(game: Game, count: int, most: int, seed: int) -> Iterator[list[int]]:
    """Yield undecided positions that random play reaches, with at least as many moves as `most` leaves to the end."""
    rng = random.Random(seed)
    while count:
        state = game.start()
        for _ in range(rng.randrange(game.width - 2)):
            if not game.moves(state):
                break
            state = game.play(state, rng.choice(game.moves(state)))
        if len(game.moves(state)) and game.width - sum(map(bool, state)) <= most:
            count -= 1
            yield state


def found(game: Game, state: list[int], limit: int = 10_000) -> bool:
    """Tell whether verification finds a forced sequence in a state."""
    kernel = jit.bind(wins_by_force, game.names(target="interpreted"))
    return bool(kernel(forced_search(game, limit), np.array(state, game.dtype)))


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_forced_sequences_are_those_of_the_twin_and_win(game: Game) -> None:
    won = 0
    for state in positions(game, 40, 7, seed=5):
        expected = naive.wins_by_force(game, state, {})
        # Where stones fall, a stone may also force by what becomes playable above it, which the search does not try.
        assert found(game, state) == expected or (expected and isinstance(game, Connect4)), game.format(state)
        if expected:
            won += 1
            assert naive.alphabeta(game, state) == 1, game.format(state)
    assert 2 < won < 40


def test_a_limit_ends_the_search_and_a_longer_one_finds_more() -> None:
    game = MNK(5, 5, 4)
    state = game.read("...../.XX../.X.O./...O./O....")
    least = next(limit for limit in range(1, 200) if found(game, state, limit))
    assert least > 2
    assert not any(found(game, state, limit) for limit in range(1, least))
    assert all(found(game, state, limit) for limit in range(least, least + 20))


def test_a_sequence_that_the_rules_refute_is_refused() -> None:
    game = WrongLines()
    state = game.read("X../.O./...")
    names = game.names(target="interpreted")
    search = forced_search(game, 100)
    assert jit.bind(find, names)(search, np.array(state, game.dtype), 1)
    assert not found(game, state)
    assert not any(found(game, state) for state in positions(game, 15, 6, seed=2) if naive.alphabeta(game, state) < 1)


def test_every_change_of_a_sequence_is_refused_or_wins() -> None:
    game = MNK(4, 4, 3)
    names = game.names(target="interpreted")
    refused = 0
    for state in positions(game, 15, 9, seed=9):
        search = forced_search(game, 1000)
        begin = np.array(state, game.dtype)
        mover = game.moves(state)[0] & 1
        length = jit.bind(find, names)(search, begin.copy(), 1 + mover)
        if not length:
            continue
        assert jit.bind(holds, names)(search, begin.copy(), length, mover)
        cells = search.cells.copy()
        for place in range(length):
            for cell in range(game.width):
                search.cells[:] = cells
                search.cells[place] = cell
                if jit.bind(holds, names)(search, begin.copy(), length, mover):
                    assert naive.wins_by_force(game, state, {})
                else:
                    refused += 1
    assert refused > 20


def test_a_claim_rests_on_forced_sequences() -> None:
    game = MNK(4, 4, 3)
    wins = [state for state in positions(game, 20, 9, seed=3) if naive.wins_by_force(game, state, {})]
    for state in wins[:10]:
        claim = Claim(0, 1, {}, forced=1000)
        report = check_claim(game, state, claim, target="interpreted")
        assert (report.count, report.forced, report.plies) == (0, 1, ())
        check = ClaimCheck(game, state, claim, target="interpreted")
        assert check.coverage(state) == FORCED
        at = list(state)
        for move in check.forced_sequence(state):
            assert move in game.moves(at)
            at = game.play(at, move)
        assert game.terminal(at) == -1
        assert check_claim(game, state, Claim(0, 1, {}), target="interpreted").count == 1
    lost = [state for state in positions(game, 15, 7, seed=4) if naive.alphabeta(game, state) < 1]
    assert lost
    assert all(check_claim(game, state, Claim(0, 1, {}, forced=1000), target="interpreted").count for state in lost)


def test_compiled_and_interpreted_agree() -> None:
    game = MNK(4, 4, 3)
    kernel = jit.bind(wins_by_force, game.names())
    search = forced_search(game, 500)
    for state in positions(game, 60, 14, seed=6):
        if game.terminal(state) == UNDECIDED:
            assert kernel(search, np.array(state, game.dtype)) == found(game, state, 500)


def test_games_without_lines_have_no_forced_sequences() -> None:
    from searchbench.catalogue import load

    with pytest.raises(BadRequest, match="need the game's `lines`"):
        forced_search(load("awari:2"), 10)
