"""Databases at the leaves of alpha-beta search: with all of them, with some left out, and with a book."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench.errors import BadRequest, DamagedData
from searchbench.games.morris import Morris
from searchbench.games.morris_opening import MorrisOpening
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.player import SearchedValues
from searchbench.proof import Claim
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.solvers.proof import Book, LeafDatabase, prove_state
from searchbench.solvers.proof.bounding import Bounding
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.leaves import Leaves, looked_up
from searchbench.store import Database


class Patchy(LeafDatabase):
    """Know only some of the leaves: those that a test lets through."""

    def __init__(self, game: sb.Game, database: Database, knows: Callable[[int], bool]) -> None:
        super().__init__(game, database)
        self.knows = knows

    def leaves(self, run: Run | None = None) -> Leaves:
        """Return the outcomes with those of the others wiped out."""
        if self._leaves is None:
            whole = super().leaves(run)
            for number in range(self.database.size):
                if not self.knows(number):
                    place = (int(whole.pages[number >> 16]) << 14) + ((number & 0xFFFF) >> 2)
                    whole.outcomes[place] &= 255 ^ (3 << 2 * (number & 3))
        assert self._leaves is not None
        return self._leaves


@pytest.fixture(scope="module")
def midgame() -> Database:
    """Return the midgame with three men each."""
    return solve_states(Morris(3, 3), run=Run(threads=1))


@pytest.fixture(scope="module")
def noughts() -> Database:
    """Return all positions of tic-tac-toe."""
    return solve_states(TicTacToe(), run=Run(threads=1))


def middle_positions(men: int, seed: int) -> list[list[int]]:
    """Return positions of the opening with two men to come, reached by chance."""
    game, rng, found = MorrisOpening(men), random.Random(seed), []
    while len(found) < 20:
        state = game.start()
        while state[2] > 2 and game.terminal(state) == UNDECIDED:
            moves = game.moves(state)
            state = game.play(state, rng.choice([move for move in moves if move >> 10] or moves))
        if game.terminal(state) == UNDECIDED:
            found.append(state)
    return found


def test_outcomes_are_packed_as_they_are(noughts: Database) -> None:
    """Check numbers at the ends of parts that do not begin with a page."""
    leaves = LeafDatabase(noughts.game, noughts, ["5", "7"]).leaves()
    for part in noughts.parts:
        for number in range(part.start, part.stop):
            code = noughts.residue(number)
            known = part.name in {"5", "7"} and code != noughts.illegal
            assert looked_up(leaves, number) == (noughts.rule.decode(code).outcome if known else -2)


@pytest.mark.long
def test_states_of_the_same_game_that_are_known_need_no_search(noughts: Database) -> None:
    game = noughts.game
    nodes = {}
    for parts in (None, ["6"], ["4", "5"]):
        leaves = LeafDatabase(game, noughts, parts)
        proof = (
            prove_state(game, configuration="alphabeta", leaves=leaves)
            if parts
            else prove_state(game, configuration="alphabeta")
        )
        assert (proof.outcome, proof.at_most, proof.verify()) == (0, None, [])
        nodes[str(parts)] = proof.nodes
    assert nodes["['4', '5']"] < nodes["['6']"] < nodes["None"]
    whole = prove_state(game, configuration="alphabeta", leaves=LeafDatabase(game, noughts))
    assert (whole.nodes, whole.outcome, whole.verify()) == (0, 0, [])


@pytest.mark.long
def test_a_proof_from_leaves_is_verified_and_planted_faults_are_found(midgame: Database) -> None:
    game = MorrisOpening(3)
    leaves = LeafDatabase(game, midgame)
    state = game.read("......../.B....../......W.+4")
    proof = prove_state(game, state, "alphabeta", leaves=leaves)
    assert proof.claims
    assert proof.verify() == []
    for claim in proof.claims:
        if claim.strategy:
            wrong = Claim(claim.player, claim.bound + 1, claim.strategy) if claim.bound < 1 else None
            lost = Claim(1 - claim.player, 1, {})
            for planted in filter(None, (wrong, lost)):
                assert sb.Proof(game, proof.state, proof.outcome, "", (planted,), leaves=leaves).verify()


@pytest.mark.long
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_bounds_hold_whatever_unknown_leaves_are_worth(midgame: Database, share: float) -> None:
    """Compare both bounds with a plain search that knows as much."""
    game = MorrisOpening(3)
    kept = np.random.default_rng(int(9 * share)).random(midgame.size) < share
    leaves = Patchy(game, midgame, lambda number: bool(kept[number]))
    for state in middle_positions(3, 7):
        lower, upper = plain_bounds(game, leaves, tuple(state))
        found = Bounding(game, Budget(game, Run(threads=1, memory=1 << 24)), leaves).solve(np.array(state, game.dtype))
        assert (found.lower, found.upper) == (lower, upper)
        assert share < 1.0 or lower == upper


def plain_bounds(game: MorrisOpening, leaves: Patchy, root: tuple[int, ...]) -> tuple[int, int]:
    """Return the least and the greatest value that a state may have, by looking at every line."""

    @cache
    def bounds(state: tuple[int, ...]) -> tuple[int, int]:
        result = game.terminal(state)
        if result != UNDECIDED:
            return result, result
        if state[2] == 0:
            number = leaves.database.number(state[:2])
            outcome = leaves.database.probe(state[:2]).outcome
            return (outcome, outcome) if leaves.knows(number) else (-1, 1)
        after = [bounds(tuple(game.play(state, move))) for move in game.moves(state)]
        return max(-high for _, high in after), max(-low for low, _ in after)

    return bounds(root)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Return the midgame with four men each, by parts."""
    return solve_parts(Morris(), "4-4", tmp_path_factory.mktemp("leaves") / "four", run=Run(threads=1))


@pytest.mark.long
@pytest.mark.parametrize("parts", [None, "4-4,4-3,3-4", "4-4"])
def test_with_four_men_the_game_is_a_draw_with_or_without_all_parts(four: Database, parts: str | None) -> None:
    proof = sb.prove("morris-opening:4", leaves=four, parts=parts, evidence=False)
    assert (proof.value, proof.outcome, proof.highest) == ("draw", 0, 0)
    assert (proof.facts["unknown leaves"] > 0) == (parts is not None)


@pytest.mark.long
def test_what_cannot_be_told_is_left_open(four: Database) -> None:
    """Leave out the part that nearly all games lead to."""
    proof = sb.prove("morris-opening:4", leaves=four, parts="3-3")
    assert (proof.outcome, proof.at_most, proof.value) == (-1, 1, "loss or draw or win")
    assert proof.verify() == []


# --- the book ---------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_book_keeps_what_was_found_and_the_search_goes_on_with_it(midgame: Database, tmp_path: Path) -> None:
    game, path = MorrisOpening(3), tmp_path / "three.book"
    leaves = LeafDatabase(game, midgame)
    first = sb.prove(game, leaves=midgame, book=path, plies=3, evidence=False)
    again = sb.prove(game, leaves=midgame, book=path, plies=3, evidence=False)
    assert first.value == again.value == "win"
    assert again.nodes < first.nodes / 2
    assert len(first.facts["book"]) == len(again.facts["book"]) == 3
    kept = Book(game, leaves, 3, path).answers
    for question, answers in kept.items():
        assert 0 < answers.proven < len(answers.states)
        for state, reached in zip(answers.states.tolist(), answers.reached.tolist(), strict=True):
            assert game.canonical(state) == state
            value = -prove_state(game, state, "alphabeta", leaves=leaves, evidence=False).outcome
            assert reached == (value >= question.bound)


def test_a_search_that_was_stopped_goes_on(midgame: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, path = MorrisOpening(3), tmp_path / "three.book"
    monkeypatch.setattr("searchbench.solvers.proof.alphabeta.SLICE", 100)
    monkeypatch.setattr("searchbench.solvers.proof.book.SECONDS", 0.0)
    whole = sb.prove(game, leaves=midgame, book=tmp_path / "whole.book", plies=3, evidence=False)
    with pytest.raises(sb.errors.LimitReached):
        sb.prove(game, leaves=midgame, book=path, plies=3, nodes=whole.nodes // 2, evidence=False)
    assert path.exists()
    rest = sb.prove(game, leaves=midgame, book=path, plies=3, evidence=False)
    assert rest.value == "win"
    assert rest.nodes < whole.nodes


def test_a_book_is_not_trusted(midgame: Database, tmp_path: Path) -> None:
    game, path = MorrisOpening(3), tmp_path / "three.book"
    sb.prove(game, leaves=midgame, book=path, plies=3, evidence=False)
    with pytest.raises(BadRequest, match="another depth"):
        sb.prove(game, leaves=midgame, book=path, plies=4)
    data = path.read_bytes()
    leaves = LeafDatabase(game, midgame)
    spoilt = [data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :] for place in range(0, len(data), 97)]
    for content in (*spoilt, data[:100], b""):
        path.write_bytes(content)
        with pytest.raises(DamagedData, match="no book"):
            Book(game, leaves, 3, path)
    path.write_bytes(data)
    assert Book(game, leaves, 3, path).answers


def test_a_player_is_told_what_a_book_knows(midgame: Database, tmp_path: Path) -> None:
    game, path = MorrisOpening(3), tmp_path / "three.book"
    sb.prove(game, leaves=midgame, book=path, plies=3, evidence=False)
    leaves = LeafDatabase(game, midgame)
    values = SearchedValues(leaves, Book(game, leaves, 3, path))
    start = game.position()
    assert values.value(start).outcome == 1
    assert {choice.value.outcome for choice in values.moves(start)} == {-1}
    for state in middle_positions(3, 8):
        proof = prove_state(game, state, "alphabeta", leaves=leaves, evidence=False)
        assert values.value(game.position(state)).outcome == proof.outcome


@pytest.mark.long
def test_a_player_who_does_not_know_all_leaves_relies_on_what_she_is_sure_of(midgame: Database) -> None:
    game = MorrisOpening(3)
    kept = np.random.default_rng(2).random(midgame.size) < 0.7
    leaves = Patchy(game, midgame, lambda number: bool(kept[number]))
    player = sb.Player(SearchedValues(leaves))
    for state in middle_positions(3, 9):
        lower, _ = plain_bounds(game, leaves, tuple(state))
        _, upper = plain_bounds(game, leaves, tuple(game.play(state, player.choose(state))))
        assert -upper == lower


# --- bad requests -----------------------------------------------------------------------------------------------------------


def test_bad_requests(midgame: Database, noughts: Database) -> None:
    game: Any = MorrisOpening(3)
    with pytest.raises(BadRequest, match="cannot stand at the leaves"):
        sb.prove(game, leaves=noughts)
    with pytest.raises(BadRequest, match="cannot stand at the leaves"):
        sb.prove("morris-opening:4", leaves=midgame)
    with pytest.raises(BadRequest, match="no part '4-4'; there are 3-3"):
        sb.prove(game, leaves=midgame, parts="4-4")
    with pytest.raises(BadRequest, match="leaves: pns takes none; alphabeta does"):
        sb.prove(game, leaves=midgame, method="pns")
    with pytest.raises(BadRequest, match="give leaves as well"):
        sb.prove(game, book="some.book")
    with pytest.raises(BadRequest, match="of the start"):
        sb.prove(game, ".B....../......../........+5", leaves=midgame, book="some.book")
    with pytest.raises(BadRequest, match="1 or more"):
        sb.prove(game, leaves=midgame, book="some.book", plies=0)
