"""Alpha-beta on bitboards, for games in which stones fall, against the obvious twin and the general solvers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.families.lines import LineBoard, Lines, grid
from searchbench.game import Drops, Game
from searchbench.games.connect4 import STARTS, Connect4
from searchbench.games.mnk import MNK
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import drops as bitboards
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.drops import NO, YES, DropSearch

SMALL = [
    (columns, rows, k) for columns in range(2, 6) for rows in range(2, 6) for k in (2, 3, 4) if k <= max(columns, rows)
]


class OneLineLess(Lines):
    """Connect Four in which one line counts for nothing."""

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        whole = grid(4, 4, 3, True)
        return whole._replace(lines=whole.lines[1:])


def random_state(rng: random.Random, game: Game, stones: int) -> list[int]:
    """Return an undecided state after up to so many random moves."""
    state = list(game.start())
    for _ in range(stones):
        after = game.play(list(state), rng.choice(game.moves(state)))
        if game.terminal(after) != UNDECIDED:
            break
        state = list(after)
    return state


def searcher(game: Game, memory: int, **devices: Any) -> DropSearch:
    """Return an interpreted search."""
    drops = game.drops()
    assert drops is not None
    return DropSearch(game, drops, Budget(game, Run(threads=1)), memory, "interpreted", **devices)


@pytest.mark.parametrize("seed", range(3))
def test_random_positions_of_small_boards(seed: int) -> None:
    for columns, rows, k in SMALL:
        rng = random.Random(f"{columns} {rows} {k} {seed}")
        game = Connect4(columns, rows, k)
        # The smallest table replaces entries all the time; a switched-off device changes no answer.
        devices: dict[str, Any] = {
            name: rng.random() < 0.5 for name in ("DROPS_BY_THREATS", "DROPS_BY_LINES", "DROPS_EXAMINE_ALL")
        }
        devices |= {"DROPS_CLAIMEVEN": rng.random() < 0.8, "DROPS_BY_WORTH": rng.random() < 0.5}
        search = searcher(game, rng.choice([0, 1 << 20]), DROPS_MIRRORED_STONES=rng.choice([0, 6, 99]), **devices)
        for _ in range(2):
            state = random_state(rng, game, rng.randrange(max(0, columns * rows - 7), columns * rows))
            expected = naive.alphabeta(game, state)
            array = np.array(state, game.dtype)
            found = search.holds(array, 1), search.holds(array, 0)
            assert found == (expected >= 1, expected >= 0), (seed, game, state, devices)


@pytest.mark.parametrize("size", [(6, 4), (5, 5), (6, 5), (5, 6)])
def test_starts_of_connect_four(size: tuple[int, int]) -> None:
    columns, rows = size
    proof = prove_state(Connect4(columns, rows), None, "alphabeta", Run(memory=1 << 27, threads=1), evidence=False)
    assert proof.value == STARTS[size].split()[0]


def test_positions_as_other_searches_prove_them() -> None:
    for game in (Connect4(3, 3, 3), Connect4(4, 4, 4), Connect4(5, 4, 3)):
        search = searcher(game, 1 << 16)
        rng = random.Random(str(game))
        for _ in range(4):
            state = random_state(rng, game, game.width - 6)
            proof = prove_state(game, state, "pns", evidence=False, target="interpreted")
            array = np.array(state, game.dtype)
            assert (search.holds(array, 1), search.holds(array, 0)) == (proof.outcome >= 1, proof.outcome >= 0), state


def test_lines_as_the_rules_have_them() -> None:
    for columns, rows, k in [*SMALL, (7, 6, 4), (7, 6, 5), (12, 4, 4), (1, 5, 3), (6, 9, 4)]:
        game = Connect4(columns, rows, k)
        drops = game.drops()
        assert drops is not None
        bits: dict[int, int] = {}
        for column, stack in enumerate(drops.stacks):
            bits |= {cell: 1 << column * (rows + 1) + row for row, cell in enumerate(stack)}
        lines = {sum(bits[cell] for cell in line) for line in game.lines.lines}
        assert {sum(1 << bit for bit in line) for line in bitboards.grid_lines(drops)} == lines
        search = searcher(game, 0)
        has_line = jit.bind(bitboards.has_line, search.names)
        threats = jit.bind(bitboards.threats, search.names)
        rng = random.Random(f"{columns} {rows} {k}")
        for _ in range(30):
            heights = [rng.randint(0, rows) for _ in range(columns)]
            empty = {
                1 << column * (rows + 1) + row for column in range(columns) for row in range(heights[column], rows)
            }
            stones = sum(bit for bit in bits.values() if bit not in empty and rng.random() < 0.6)
            assert has_line(stones) == any(line & stones == line for line in lines)
            found = threats(stones)
            expected = {bit for bit in empty if any(line & bit and (stones | bit) & line == line for line in lines)}
            assert {bit for bit in empty if found & bit} == expected, (game, stones)


def test_which_games_are_searched_on_bitboards() -> None:
    assert load("connect4:4x5").drops() == Drops(4, 5, 4, load("connect4:4x5").drops().stacks)  # type: ignore[union-attr]
    assert MNK(5, 4, 3, gravity=True).drops() is not None
    assert MNK(5, 4, 3).drops() is None
    assert load("tic-tac-toe").drops() is None
    assert load("sliding:3x3").drops() is None

    assert OneLineLess().drops() is None


def test_evidence_of_small_and_of_large_boards() -> None:
    small = prove_state(Connect4(3, 3, 3), None, "alphabeta", target="interpreted")
    assert small.claims
    assert not small.verify()
    large = prove_state(Connect4(5, 5, 3), None, "alphabeta", target="interpreted")
    assert large.value == "win"
    assert "up to 24" in large.incomplete
    assert large.verify()


def test_limits_and_boards_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitboards, "SLICE", 7)
    with pytest.raises(LimitReached, match="within 50 nodes"):
        prove_state(load("connect4:7x6"), None, "alphabeta", nodes=50, evidence=False, target="interpreted")
    whole = prove_state(Connect4(4, 3, 3), None, "alphabeta", evidence=False, target="interpreted", nodes=10**6)
    assert whole.value == "win"
    with pytest.raises(BadRequest, match="62 bits"):
        searcher(Connect4(9, 8), 0)
    assert (YES, NO) == (-1, -2)
