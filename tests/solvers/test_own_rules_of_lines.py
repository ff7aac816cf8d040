"""Games of lines with rules of their own: what is told of the board alone must not decide them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import naive
from layered import RandomLines
from searchbench import solve
from searchbench.errors import BadGame, BadRequest
from searchbench.families.lines import LineBoard, Lines, grid
from searchbench.game import Drops
from searchbench.games.connect4 import Connect4
from searchbench.games.gomoku import Gomoku
from searchbench.games.mnk import MNK
from searchbench.rules import UNDECIDED, State
from searchbench.run import Limits
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.lines.prove import lines_of


def misere(rules: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return rules by which who completes a line loses."""
    ended = rules["terminal"]

    def terminal(state: State) -> int:
        result = ended(state)
        return 1 if result == -1 else result

    return {**rules, "terminal": terminal}


@dataclass(frozen=True)
class MisereDrop(Connect4):
    """Connect Four in which a line loses."""

    name: ClassVar[str] = "misere-drop"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return misere(super().rules())


@dataclass(frozen=True)
class LyingDrop(MisereDrop):
    """The same, but its board is told to be that of Connect Four."""

    name: ClassVar[str] = "lying-drop"

    def drops(self) -> Drops | None:
        """Return the board of Connect Four."""
        return Connect4(self.columns, self.rows, self.k).drops()


@dataclass(frozen=True)
class MisereLines(RandomLines):
    """Random lines that lose."""

    name: ClassVar[str] = "misere-lines"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return misere(super().rules())


@dataclass(frozen=True)
class MisereFive(Gomoku):
    """Five in a row lose."""

    name: ClassVar[str] = "misere-five"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return misere(super().rules())


@dataclass(frozen=True)
class FreeRenju(Gomoku):
    """Renju in which no point is forbidden."""

    name: ClassVar[str] = "free-renju"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        rules = super().rules()
        return {**rules, "moves": Gomoku(self.size).rules()["moves"]}


@dataclass(frozen=True)
class Counted(MNK):
    """A game of lines with one function more."""

    name: ClassVar[str] = "counted"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""

        def first_proof(_state: State, _bound: int, _depth: int, _scratch: Any) -> int:
            return 1

        return {**super().rules(), "first_proof": first_proof}


@dataclass(frozen=True)
class Ragged(Lines):
    """A line of the board has two cells or three."""

    name: ClassVar[str] = "ragged"
    seed: int = 0

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        chance = random.Random(self.seed)
        lines = {tuple(sorted(chance.sample(range(8), length))) for length in (2, 3, 3, 4, 4)}
        return grid(4, 2, 2, chance.random() < 0.5)._replace(lines=tuple(sorted(lines)))


def test_a_board_is_told_where_the_rules_are_those_of_lines() -> None:
    assert Connect4(5, 4, 3).drops() is not None
    assert MisereDrop(5, 4, 3).drops() is None
    assert MisereDrop(5, 4, 3).digits() is None
    assert MisereDrop(5, 4, 3).longer_rows is None
    assert Counted(3, 3, 3).lines_alone is not None
    assert Counted(3, 3, 3).digits() is not None


def test_lines_that_lose_are_proved_and_solved_by_the_rules() -> None:
    values = set()
    for size in ((3, 3, 2), (3, 3, 3), (2, 3, 3), (4, 3, 3), (3, 4, 3)):
        game = MisereDrop(*size)
        expected = naive.alphabeta(game, game.start())
        for method in ("portfolio", "alphabeta", "dfpn"):
            proof = prove_state(game, None, method, target="interpreted")
            assert proof.outcome == expected, (size, method)
            assert not proof.verify(), (size, method)
        values.add(expected)
    assert values == {-1, 0, 1}


def test_random_lines_that_lose_by_each_solver() -> None:
    for seed in range(12):
        game = MisereLines(seed)
        expected = naive.alphabeta(game, game.start())
        assert prove_state(game, None, "alphabeta", target="interpreted").outcome == expected
        with pytest.raises(BadRequest, match="no game of lines"):
            lines_of(game)
        with pytest.raises(BadRequest, match="needs `digits`"):
            solve(game, solver="sweep")


def test_a_search_by_the_board_that_contradicts_the_rules_is_no_proof() -> None:
    assert prove_state(MisereDrop(5, 5, 2), None, "portfolio", target="interpreted").outcome == -1
    with pytest.raises(BadGame, match="loss by the rules, win by the board"):
        prove_state(LyingDrop(5, 5, 2), None, "portfolio", target="interpreted")


def test_lines_of_different_lengths() -> None:
    for seed in range(12):
        game = Ragged(seed)
        expected = naive.alphabeta(game, game.start())
        for method in ("alphabeta", "dfpn"):
            assert prove_state(game, None, method, target="interpreted").outcome == expected, (seed, method)
        assert game.terminal([1, 1, 1, 1, 2, 2, 2, 0]) in (-1, UNDECIDED)
        with pytest.raises(BadRequest, match=r"all of the same length|do not fall"):
            lines_of(game)


@pytest.mark.parametrize("game", [MisereFive(9), FreeRenju(9, "renju")])
def test_threats_are_for_five_in_a_row_under_its_own_rules(game: Gomoku) -> None:
    assert Gomoku(9).longer_rows == (True, True)
    assert Gomoku(9, "renju").longer_rows == (False, True)
    assert game.longer_rows is None
    with pytest.raises(BadRequest, match="the method threats is for gomoku"):
        prove_state(game, None, "threats", limits=Limits(1000))
