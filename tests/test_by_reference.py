"""Named tuples of arrays are handed from function to function by address: any array is read and written as it lies."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from searchbench import jit
from searchbench.jit import unowned


class Inner(NamedTuple):
    """Hold what a field of another tuple holds."""

    cube: Any
    pair: Any
    weight: float


class Outer(NamedTuple):
    """Hold arrays that lie in memory in different ways, numbers, a tuple of arrays, and nothing."""

    row: Any
    table: Any
    turned: Any
    every_other: Any
    inner: Inner
    flag: bool
    count: int
    nothing: None


def values() -> Outer:
    """Return fresh arrays, no two numbers of which are the same."""
    table = np.arange(100, 124, dtype=np.int32).reshape(4, 6)
    return Outer(
        np.arange(5, dtype=np.int64), table, np.arange(200, 212, dtype=np.int16).reshape(3, 4).T,
        np.arange(300, 324, dtype=np.uint16).reshape(4, 6)[:, ::2],
        Inner(np.arange(400, 424, dtype=np.int64).reshape(2, 3, 4), (np.arange(3), np.arange(7, 9)), 0.5), True, 9, None,
    )  # fmt: skip


def digest(numbers: Any, total: int) -> int:
    """Return a number that depends on the numbers of a vector and on their order."""
    for number in numbers:
        total = (31 * total + int(number)) & 0xFFFFFF
    return total + len(numbers)


def read_and_write(given: Outer, out: Any) -> int:
    """Read every field, by index, by row and as a whole; write into arrays, and hand parts on."""
    total = digest(given.row, given.count)
    for place in range(given.table.shape[0]):
        total = digest(given.table[place], total)
        total = digest(given.every_other[place], total)
        given.table[place, 1] += place
    for place in range(given.turned.shape[0]):
        total = digest(given.turned[place], total)
    inner = given.inner
    total = digest(inner.cube[1, 2], total) + inner.cube[0, 1, 3] + inner.cube.size + given.every_other.size
    total = digest(inner.pair[1], total)
    if given.flag and given.nothing is None:
        given.row[1:3] = 77
    if inner.weight < 1.0:
        inner.cube[1, :, 2] = given.table[0, :3]
        out[:] = given.table[:, 1]
    return total


def test_compiled_code_reads_and_writes_all_fields_as_python_does() -> None:
    told = []
    for target in ("interpreted", "cpu"):
        given, out = values(), np.zeros(4, np.int64)
        kernel = jit.bind(read_and_write, jit.Names({}, target))  # type: ignore[arg-type]
        told.append((kernel(given, out), given, out))
    (right, read, out), (found, compiled, written) = told
    assert found == right
    assert np.array_equal(out, written)
    for plain, one in zip((*read[:4], read.inner.cube), (*compiled[:4], compiled.inner.cube), strict=True):
        assert np.array_equal(plain, one)
    assert not np.array_equal(read.table, values().table)


def test_arrays_live_as_long_as_they_are_used() -> None:
    kernel = jit.bind(read_and_write, jit.Names({}, "cpu"))
    right = kernel(values(), np.zeros(4, np.int64))
    assert {kernel(values(), np.zeros(4, np.int64)) for _ in range(50)} == {right}


def test_arrays_are_let_go_when_a_kernel_is_done() -> None:
    kernel, given = jit.bind(read_and_write, jit.Names({}, "cpu")), values()
    arrays = [*given[:4], given.inner.cube, *given.inner.pair]
    before = [sys.getrefcount(one) for one in arrays]
    for _ in range(20):
        kernel(given, np.zeros(4, np.int64))
    assert [sys.getrefcount(one) for one in arrays] == before


def test_a_field_that_is_not_there_is_refused() -> None:
    def missing(given: Inner) -> int:
        return given.height  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(Exception, match="height"):
        jit.bind(missing, jit.Names({}, "cpu"))(values().inner)


class Tables(NamedTuple):
    """Tables of a kernel, some of them in a tuple of their own."""

    small: Any
    step: int
    square: Any


def read_by_place(tables: Any, inner: Any) -> int:
    """Read a named tuple in all the ways in which Python can."""
    small, step, square = tables
    _, rest = inner.step, inner[1:]
    total = step * small[1] + tables[0][2] + tables[-1][1, 0] + len(tables) + rest[0] + rest[1][0, 1]
    return total + square.shape[0] + inner[2][0, 0] + unowned(inner).small[0]


@pytest.mark.parametrize("target", ["cpu", "interpreted"])
def test_named_tuples_are_read_by_name_and_by_place(target: jit.Target) -> None:
    square = np.arange(10, 16).reshape(2, 3)
    tables = Tables(np.array([1, 2, 3], np.int32), 5, square)
    inner = Tables(np.array([7.0]), 9, square[:, ::2])
    assert jit.bind(read_by_place, jit.Names({}, target))(tables, inner) == 10 + 3 + 13 + 3 + 9 + 12 + 2 + 10 + 7
