"""Conditions on positions: in blocks as one by one, and by the command line, Python and the explorer alike."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.store import positions
from searchbench.store.condition import condition
from searchbench.store.in_blocks import Block, block_test

WIDTH = 5
SIZE = 1000


def a_number(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(
            ["number", "mover", "state[0]", "state[-1]", "state[3]", str(chance.randrange(-3, 70)), "len(state)"]
        )
    one, other = a_number(chance, depth - 1), a_number(chance, depth - 1)
    return chance.choice(
        [
            f"({one} {chance.choice(['+', '-', '*', '//', '%', '&', '|', '^', '>>'])} {other})",
            f"-({one})", f"abs({one})", f"count({some_cells(chance)}, {one})", f"sum({some_cells(chance)})",
            f"max({one}, {other})", f"min({some_cells(chance)})", f"max({some_cells(chance)})",
            f"({one} if {a_truth(chance, depth - 1)} else {other})", f"(({a_truth(chance, depth - 1)}) + {one})",
        ]
    )  # fmt: skip


def some_cells(chance: random.Random) -> str:
    return chance.choice(["state", "state[1:]", "state[:3]", "state[1:4]", "state[-2:]", "state[2:2]"])


def a_truth(chance: random.Random, depth: int) -> str:
    if depth == 0:
        sign = chance.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"{a_number(chance, 0)} {sign} {a_number(chance, 0)}"
    one, other = a_truth(chance, depth - 1), a_truth(chance, depth - 1)
    number = a_number(chance, depth)
    return chance.choice(
        [
            f"({one} and {other})", f"({one} or {other})", f"not ({one})", f"{number} in {some_cells(chance)}",
            f"{number} not in (1, 2, -3)", f"{number} in [0, 5]", f"{a_number(chance, depth)} < {number} <= 7", number,
        ]
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_a_condition_in_blocks_is_the_condition_one_by_one(dtype: Any) -> None:
    chance = random.Random(1995)
    numbers = np.array(sorted(chance.sample(range(SIZE), 60)), np.int64)
    bounds = np.iinfo(dtype)
    far = [int(bounds.min), int(bounds.max)]
    cells = [[chance.choice([*range(6), *far]) for _ in range(WIDTH)] for _ in numbers]
    states = np.array(cells, dtype)
    movers = numbers % 2
    taken = 0
    for _ in range(3000):
        text = a_truth(chance, chance.randrange(4))
        if len(text) > 400:
            continue
        test = block_test(text, WIDTH, np.dtype(dtype), SIZE)
        if test is None:
            continue
        taken += 1
        meets, _ = condition(text, positions.NAMES)
        expected = [
            meets({"state": tuple(state), "number": number, "mover": number % 2})
            for state, number in zip(cells, numbers.tolist(), strict=True)
        ]
        assert test(Block(numbers, states, movers)).tolist() == expected, text
    assert taken > (800 if dtype != np.int64 else 300)


@pytest.mark.parametrize(
    "text",
    [
        "state[5] == 1", "state[number] == 1", "7 // state[0] == 1", "number % number == 0", "1 >> state[0] == 0",
        "state == 1", "pieces[0] == 'W'", "value == 1", "min(state[2:2]) == 0", "state[0] * 4611686018427387904 == 0",
        "state[0] is None", "state[0] < None", "'a' in state", "state[0] & -1 == 0",
    ],
)  # fmt: skip
def test_what_may_fail_or_grow_beyond_64_bits_is_evaluated_one_by_one(text: str) -> None:
    assert block_test(text, WIDTH, np.dtype(np.int8), SIZE) is None


def test_cells_of_unsigned_words_are_read_one_by_one() -> None:
    assert block_test("state[0] == 1", WIDTH, np.dtype(np.uint64), SIZE) is None


CONDITIONS = [
    "state[0] == 1",
    "outcome == 'win' and state[0] == 0 and plies > 3",
    "mover == 1 and outcome != 'draw'",
    "mover == 0 or plies == 2",
    "count(pieces, '♖') == 1 and state[1] % 2 == 0",
    "outcome != 'draw' and plies - 1 > 2",
    "value == -1",
    "number % 3 == 1 and number > 10",
    "state[0] == 1 and not (value == 0)",
    "1 == 1",
    "2 < 1",
]


@pytest.fixture(scope="module")
def rook() -> sb.Database:
    return sb.solve("chess:KRK,4x4", threads=1)


def expected_numbers(database: sb.Database, text: str) -> list[int]:
    """Return the numbers that meet a condition, by the names and nothing else."""
    meets, _ = condition(text, positions.NAMES)
    found = []
    for number in range(database.size):
        if database.residue(number) == database.illegal:
            continue
        state, value = database.position(number).state, database.rule.decode(database.code(number))
        outcome = {1: "win", 0: "draw", -1: "loss"}[value.outcome]
        scope = {
            "state": state, "number": number, "pieces": database.game.pieces(state), "mover": state[0], "outcome": outcome,
            "value": value.outcome, "plies": value.depth if value.outcome else None,
        }  # fmt: skip
        if meets(scope):
            found.append(number)
    return found


@pytest.mark.parametrize("text", CONDITIONS)
def test_all_queries_take_a_condition(rook: sb.Database, text: str) -> None:
    expected = expected_numbers(rook, text)
    assert list(rook.select(where=text)) == expected
    assert rook.count(where=text) == len(expected)
    assert [position.state for position in rook.find(where=text, limit=5)] == [
        rook.position(number).state for number in expected[:5]
    ]
    counts: dict[Any, int] = {}
    for number in expected:
        value = rook.rule.decode(rook.code(number))
        counts[value] = counts.get(value, 0) + 1
    assert rook.tally(where=text) == counts
    first, stop = rook.size // 4, rook.size // 2
    wanted = [
        number for number in expected if first <= number < stop and rook.rule.decode(rook.code(number)).outcome == 1
    ]
    even = [number for number in wanted if sum(rook.position(number).state) % 2 == 0]
    assert list(rook.select("win", (first, stop), where=text)) == wanted
    assert list(rook.select("win", (first, stop), lambda position: sum(position.state) % 2 == 0, text)) == even
    assert rook.count("win", (first, stop), where=text) == len(wanted)


def test_depths_modulo_three_take_a_condition() -> None:
    whole = sb.solve("sliding:2x3", rule="depth", solver="bfs", form="values", threads=1)
    residues = sb.solve("sliding:2x3", rule="depth", solver="bfs", form="two-bit", threads=1)
    assert residues.modulus == 3
    for text in ("value == 20", "state[0] == 5 and value > 18", "state[1] == 2", "value is None and state[0] == 0"):
        assert residues.tally(where=text) == whole.tally(where=text) != {}
        assert list(residues.select(where=text)) == list(whole.select(where=text))


def test_outcomes_without_depths_are_numbers_too(rook: sb.Database, tmp_path: Path) -> None:
    with rook.convert(tmp_path / "endings", form="base-3") as endings:
        for text in (
            "value == -1",
            "value * (1 - 2 * mover) > 0",
            "value in [0, 1] and outcome != 'draw'",
            "value < 1",
        ):
            assert list(endings.select(where=text)) == expected_numbers(rook, text) != []
    with rook.convert(tmp_path / "won", form="one-bit") as won:
        for text in ("outcome == 'win' and mover == 0", "outcome != 'win'"):
            assert list(won.select(where=text)) == expected_numbers(rook, text) != []
        for text in ("outcome == 'draw'", "outcome != 'loss'", "value == 0", "value == 1 and mover == 0"):
            with pytest.raises(BadRequest, match="ask whether outcome == 'win'"):
                won.count(where=text)


def test_what_is_left_is_asked_where_values_fit() -> None:
    from searchbench.web.finding import Filter, find_page

    residues = sb.solve("sliding:3x3", rule="depth", solver="bfs", form="two-bit", threads=1)
    assert residues.modulus == 3
    where = "value is not None and value % 2 == state[0] % 2 and number < 2000"  # half of the states have no value
    found = find_page(residues, Filter(where=where, last=2000), 3000, seconds=60).numbers
    assert found == list(residues.select(where=where)) != []


def test_a_slice_takes_a_condition(rook: sb.Database) -> None:
    from searchbench.store.slices import sliced

    some = sliced(rook, "KRK")
    part = rook.part("KRK")
    expected = [number for number in expected_numbers(rook, "state[0] == 1") if part.start <= number < part.stop]
    assert list(some.select(where="state[0] == 1")) == expected


def test_what_has_no_meaning_is_refused(rook: sb.Database) -> None:
    puzzle = sb.solve("sliding:2x2", threads=1)
    for database, text, told in (
        (puzzle, "plies > 3", "have no plies; ask of value"),
        (puzzle, "mover == 0", "has one player"),
        (puzzle, "outcome == 'win'", "values of distance have none: ask of value"),
        (sb.solve("awari:2", threads=1), "mover == 0", "do not tell which side is to move"),
        (rook, "value.depth > 3", "'value.depth' is not understood; there are the names"),
        (rook, "plies + 1 > 3", "a draw has no plies"),
        (rook, "state[99] == 1", "beyond the last cell"),
    ):
        with pytest.raises(BadRequest, match=".*" + told.replace("(", r"\(").replace(".", r"\.")):
            database.count(where=text)
