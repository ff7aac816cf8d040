"""Threats on boards where five in a row win, against the obvious twins; every win is played against every reply."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from naive import DIRECTIONS, FiveInARow
from searchbench import jit
from searchbench.errors import BadRequest, BadState
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.fours import NONE, WON
from searchbench.solvers.proof.gomoku.patterns import STRENGTH_MASK, Rule
from searchbench.solvers.proof.gomoku.position import (
    COUNTS,
    PLACE_OF,
    REACH,
    class_of,
    completions_of,
    detail_of,
    new_position,
)

RULES: list[Rule] = ["free", "standard"]


def random_state(rng: random.Random, columns: int, rows: int, stones: int, surplus: int = 0) -> list[int]:
    """Return a position with stones near each other, `surplus` more of black."""
    state = [0] * (columns * rows)
    for cell in rng.sample(range(columns * rows), stones):
        state[cell] = 1 + (sum(map(bool, state)) % 2 if rng.random() > surplus / 10 else 0)
    return state


def twin(columns: int, rows: int, rule: Rule, state: Any) -> FiveInARow:
    """Return the twin of a state."""
    stones = {(x, y): int(state[columns * y + x]) for y in range(rows) for x in range(columns)}
    return FiveInARow(columns, rows, rule == "standard", stones)


def without_fives(board: FiveInARow) -> bool:
    """Return whether nobody has won."""
    return not any(
        stone and board.wins(cell, stone, direction) for cell, stone in board.stones.items() for direction in DIRECTIONS
    )


@pytest.mark.parametrize("rule", RULES)
def test_classes_against_brute_force(rule: Rule) -> None:
    for seed in range(40):
        rng = random.Random(f"classes {rule} {seed}")
        columns, rows = rng.randint(5, 9), rng.randint(5, 9)
        attack = Attack(columns, rows, rule, 4, "interpreted")
        for _ in range(2):  # the second position follows from the first by stones put and removed
            state = random_state(rng, columns, rows, rng.randint(0, columns * rows * 2 // 3), rng.choice([0, 5]))
            attack.set(state)
            assert attack.state == tuple(state)
            check_classes(attack, twin(columns, rows, rule, state))
        for cell in [cell for cell, stone in enumerate(state) if stone][: -rng.randint(1, 5) : -1]:
            attack.remove(cell, state[cell] - 1)
            state[cell] = 0
        assert attack.state == tuple(state)
        check_classes(attack, twin(columns, rows, rule, state))


def check_classes(attack: Attack, board: FiveInARow) -> None:
    """Compare classes, completions, strengths and counts with the twin's."""
    position = attack.position
    counts = np.zeros((2, 5), np.int64)
    for (x, y), stone in board.stones.items():
        if stone:
            continue
        place = int(position.board[PLACE_OF + board.columns * y + x])
        for player in (0, 1):
            kind = board.combined((x, y), 1 + player)
            assert class_of(position, place, player) == kind, (board, (x, y), player)
            counts[player, kind] += 1
            strengths = [detail_of(position, place, direction, player) >> 10 & STRENGTH_MASK for direction in range(4)]
            assert strengths == [board.strength((x, y), 1 + player, direction) for direction in DIRECTIONS]
            if 2 <= kind < 4:
                out = np.zeros(20, np.int64)
                found = out[: completions_of(position, place, player, out, 0)].tolist()
                wanted = [
                    int(position.board[PLACE_OF + board.columns * cell[1] + cell[0]])
                    for direction in DIRECTIONS
                    for cell in board.completions((x, y), 1 + player, direction)
                ]
                assert sorted(found) == sorted(wanted)
    assert np.array_equal(position.board[COUNTS : COUNTS + 10].reshape(2, 5)[:, 1:], counts[:, 1:])


def winner(attack: Attack, player: int) -> Any:
    """Return the moves of a search: those in its memory, or a win by fours."""

    def move_of(board: FiveInARow) -> tuple[int, int] | None:
        """Return the move in a position."""
        attack.set(list(board.stones.values()))
        cell = attack.move(player)
        if cell is None:
            line = attack.by_fours(player, 1000)
            cell = line[0] if line else None
        return None if cell is None else (cell % board.columns, cell // board.columns)

    return move_of


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
def test_wins_beat_every_reply(rule: Rule) -> None:
    wins = longer = 0
    for seed in range(90):
        rng = random.Random(f"wins {rule} {seed}")
        columns = rows = rng.choice([7, 8, 9])
        attack = prepared(columns, rows, rule)
        state = random_state(rng, columns, rows, rng.randint(8, 20), 5)
        board = twin(columns, rows, rule, state)
        if not without_fives(board):
            continue
        player = 0 if rule == "standard" else rng.randrange(2)
        attack.forget()
        attack.set(state)
        fours = attack.by_fours(player, 1000)
        result = attack.by_threats(player, 300)
        assert attack.state == tuple(state)
        assert result == WON or fours is None or len(fours) > 20
        if result == WON:
            wins += 1
            longer += fours is None
            assert board.beats_every_reply(1 + player, winner(attack, player)), (seed, state)
    print(f"{rule}: {wins} wins, {longer} of them with threes")
    assert wins > 25
    assert longer > 8


_PREPARED: dict[tuple[int, int, Rule], Attack] = {}


def prepared(columns: int, rows: int, rule: Rule) -> Attack:
    """Return a compiled search."""
    if (columns, rows, rule) not in _PREPARED:
        _PREPARED[columns, rows, rule] = Attack(columns, rows, rule, 16)
    return _PREPARED[columns, rows, rule]


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
def test_a_stone_outside_the_zone_changes_nothing(rule: Rule) -> None:
    outside = 0
    for seed in range(60):
        rng = random.Random(f"zone {rule} {seed}")
        columns = rows = rng.choice([8, 9, 11])
        attack = prepared(columns, rows, rule)
        state = random_state(rng, columns, rows, rng.randint(8, 20), 5)
        board = twin(columns, rows, rule, state)
        if not without_fives(board):
            continue
        attack.forget()
        attack.set(state)
        if attack.by_threats(0, 300) != WON:
            continue
        zone = attack.zone(0)
        assert zone is not None
        assert attack.state == tuple(state)
        free = [cell for cell, stone in enumerate(state) if stone == 0 and not zone[cell]]
        checked = set(rng.sample(free, min(1, len(free))))
        for cell in free:
            attack.put(cell, 1)
            assert attack.replay(0, [(cell, 1)]), (seed, state, cell)
            attack.remove(cell, 1)
            outside += 1
            if cell in checked and columns < 11:
                place = cell % columns, cell // columns
                board.stones[place] = 2
                assert board.beats_every_reply(1, winner(attack, 0)), (seed, state, cell)
                board.stones[place] = 0
                attack.set(state)
    print(f"{rule}: {outside} cells outside")
    assert outside > 500


@pytest.mark.long
def test_a_replay_of_another_win_is_refused_where_it_fails() -> None:
    refused = checked = 0
    for seed in range(40):
        rng = random.Random(f"replay {seed}")
        attack = prepared(7, 7, "free")
        state = random_state(rng, 7, 7, 12, 5)
        attack.forget()
        attack.set(state)
        if not without_fives(twin(7, 7, "free", state)) or attack.by_threats(0, 300) != WON:
            continue
        for cell in rng.sample([cell for cell, stone in enumerate(state) if stone == 0], 8):
            attack.put(cell, 1)
            here = list(attack.state)
            won = attack.replay(0, [(cell, 1)])
            assert list(attack.state) == here
            refused += not won
            board = twin(7, 7, "free", here)
            if won and checked < 20 and without_fives(board):
                assert board.beats_every_reply(1, winner(attack, 0)), (seed, cell)
                checked += 1
            attack.set(state)
    print(f"{refused} refused, {checked} checked")
    assert refused > 5
    assert checked == 20


def test_the_thesis_constructed_win() -> None:
    attack = Attack(target="interpreted", bits=10)
    state = [0] * 225
    for column, row in ((7, 9), (9, 8), (10, 6), (9, 6)):
        state[15 * (15 - row) + column] = 1
    attack.set(state)
    assert attack.by_fours(0, 1000) is None
    assert attack.by_threats(0, 1000) == WON
    attack.set([0] * 225)
    assert attack.by_threats(0, 1000) == NONE


def test_interpreted_and_compiled_agree() -> None:
    for seed in range(6):
        rng = random.Random(f"targets {seed}")
        state = random_state(rng, 9, 9, 10, 5)
        found = []
        for target in ("interpreted", "cpu"):
            attack = Attack(9, 9, "free", 10, target)  # type: ignore[arg-type]
            attack.set(state)
            found.append((attack.by_threats(0, 20), attack.nodes, attack.move(0)))
        assert found[0] == found[1], seed


def test_bad_boards() -> None:
    with pytest.raises(BadState, match="at most 25 x 25"):
        new_position(26, 3)
    with pytest.raises(BadState, match="the board has 225"):
        Attack(target="interpreted", bits=4).set([0] * 100)
    attack = Attack(5, 5, target="interpreted", bits=4)
    attack.put(3, 0)
    attack.put(4, 1)
    with pytest.raises(BadRequest, match="not the stone that was put last"):
        attack.remove(3, 0)
    assert int(new_position(9, 9, "standard").board[REACH]) == 5
    assert jit.bind(class_of, jit.Names({}, "interpreted"))(new_position(5, 5), 30, 0) == 0
