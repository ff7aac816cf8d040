"""Whole solvers give compiled what they give interpreted, and the traps between the two are closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from searchbench import jit
from searchbench.catalogue import load
from searchbench.hashing import key, mix
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.testing.compiled import digest


@pytest.mark.parametrize(
    ("spec", "solver"),
    [
        ("pancake:4", "retrograde"), ("pancake:4", "fixpoint"), ("pancake:4", "bfs"), ("sliding:2x2", "retrograde"),
        ("mnk:2,2,2", "retrograde"), ("mnk:2,2,2", "fixpoint"), ("awari:2", "fixpoint"), ("small-town", "retrograde"),
    ],
)  # fmt: skip
def test_tables_are_the_same(spec: str, solver: str, run: Run) -> None:
    game = load(spec)
    compiled, interpreted = (
        solve_states(game, solver=solver, run=run, target=target) for target in ("cpu", "interpreted")
    )
    assert compiled.codes.dtype == interpreted.codes.dtype
    assert compiled.codes.tobytes() == interpreted.codes.tobytes()
    assert compiled.facts["levels"] == interpreted.facts["levels"]


def add_up(cells: Any, table: Any) -> int:
    """Add numbers of narrow types, which numpy's scalars would overflow."""
    total = 0
    for index in range(len(cells)):
        total += cells[index] + cells[index] * table[index]
    return total


def test_narrow_arrays_do_not_overflow_interpreted() -> None:
    cells, table = np.array([200, 255], np.uint8), np.array([100, 127], np.int8)
    right = 200 + 200 * 100 + 255 + 255 * 127
    for target in ("cpu", "interpreted"):
        assert jit.bind(add_up, jit.Names({}, target))(cells, table) == right


def _looker(table: Any) -> Any:
    def look(index: int) -> int:
        return table[index] + table[index]

    return look


def test_narrow_constants_do_not_overflow_interpreted() -> None:
    look = _looker(np.array([100, 127], np.int8))
    for target in ("cpu", "interpreted"):
        assert jit.bind(look, jit.Names({}, target))(1) == 254


def write_all(out: Any, value: int) -> None:
    """Write through rows of an array."""
    for row in range(len(out)):
        cells = out[row]
        for cell in range(len(cells)):
            cells[cell] = value


def test_interpreted_kernels_write_to_the_caller_s_array() -> None:
    out = np.zeros((2, 3), np.uint8)
    jit.bind(write_all, jit.Names({}, "interpreted"))(out, 7)
    assert (out == 7).all()
    assert type(out) is np.ndarray


WORDS = [0, 1, 2, 3, 6, 7, 8, 255, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1]


def ones(word: int) -> int:
    """Count one bits."""
    return jit.popcount(word)


def lowest(word: int) -> int:
    """Return the place of the lowest one bit."""
    return jit.trailing_zeros(word)


@pytest.mark.parametrize("kernel", [ones, lowest, mix])
def test_words_are_the_same(kernel: Any) -> None:
    compiled, interpreted = (jit.bind(kernel, jit.Names({}, target)) for target in ("cpu", "interpreted"))
    words = [word for word in WORDS if word or kernel is not lowest]
    assert [compiled(word) for word in words] == [interpreted(word) for word in words]


def test_intrinsics_are_right() -> None:
    assert [jit.popcount(word) for word in WORDS] == [word.bit_count() for word in WORDS]
    assert [jit.trailing_zeros(word) for word in WORDS[1:]] == [
        next(place for place in range(64) if word >> place & 1) for word in WORDS[1:]
    ]


def at_place(row: Any, place: int) -> int:
    """Return a number from an array, whose place is no negative one."""
    return int(row[jit.unsigned(place)])


def test_natural_numbers_are_subscripts() -> None:
    row = np.arange(10, 14)
    assert [jit.bind(at_place, jit.Names({}, target))(row, 3) for target in ("cpu", "interpreted")] == [13, 13]


STATES: Sequence[Sequence[int]] = ([0] * 9, [1, 2, 3, 4, 5, 6, 7, 8, 0], [-128, 127, -1], [100] * 30)


@pytest.mark.parametrize("kernel", [key, digest])
def test_hashes_are_the_same(kernel: Any) -> None:
    compiled, interpreted = (jit.bind(kernel, jit.Names({}, target)) for target in ("cpu", "interpreted"))
    hashes = [interpreted(list(state)) for state in STATES]
    assert [compiled(np.array(state, np.int8)) for state in STATES] == hashes
    assert len(set(hashes)) == len(STATES)
    with np.errstate(over="raise"):  # as of cells that interpreted rules have taken out of an array
        assert [interpreted(list(np.array(state, np.int8))) for state in STATES] == hashes
        assert [interpreted(list(np.array(state, np.int64))) for state in STATES] == hashes
