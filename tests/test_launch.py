"""Launches: a kernel over pieces of work gives the results of a plain loop, on any backend and with any number of threads."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import numpy as np
import pytest

from naive import launch_one_by_one
from searchbench import jit
from searchbench.exchange import decisions
from searchbench.exchange.memory import (
    LARGEST_CODE,
    LARGEST_WEIGHT,
    MOST_BLOCK_BITS,
    pack,
    unpack_code,
    unpack_local,
    unpack_weight,
)
from searchbench.run import Run


def add_up(values: Any, first: int, stop: int, factor: int, scratch: Any, note: Any) -> int:
    """Add some values up by way of scratch memory; note the ends and return the sum times a factor."""
    scratch[0] = 0
    for place in range(first, stop):
        scratch[0] += values[place]
    note[0] = first
    note[1] = stop
    return int(scratch[0]) * factor


@pytest.mark.parametrize("target", ["interpreted", "cpu"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_launch_is_a_loop(target: jit.Target, threads: int) -> None:
    kernel = jit.bind(add_up, jit.Names({}, target))
    for seed in range(20):
        draw = Random(seed)
        values = np.array([draw.randrange(-100, 100) for _ in range(draw.randrange(1, 60))], np.int64)
        pieces = jit.intervals(0, len(values), draw.randrange(1, 20))
        draw.shuffle(pieces)
        factor = draw.randrange(1, 5)
        notes = jit.note_rows(len(pieces), 2, -1)
        scratch = jit.PerThread(lambda: (np.zeros(1, np.int64),))
        finished: list[Any] = []
        with Run(threads=threads) as run:
            found = run.launch(
                kernel, pieces, values, jit.FIRST, jit.STOP, factor, scratch[0], jit.Rows(notes), after=finished.append
            )
        assert found == launch_one_by_one(values.tolist(), pieces, factor), seed
        assert [tuple(note) for note in notes.tolist()] == pieces, seed
        assert sorted(finished) == sorted(pieces), seed


def test_scratch_memory_is_made_once_for_each_thread() -> None:
    made: list[int] = []

    def make() -> Any:
        made.append(threading.get_ident())
        return np.zeros(1, np.int64)

    kernel = jit.bind(add_up, jit.Names({}, "cpu"))
    scratch = jit.PerThread(make)
    with Run(threads=3) as run:
        pieces = jit.intervals(0, 1000, 1)
        values = np.arange(1000)
        for _ in range(3):
            notes = jit.note_rows(len(pieces), 2)
            found = run.launch(kernel, pieces, values, jit.FIRST, jit.STOP, 1, scratch, jit.Rows(notes))
            assert found == list(range(1000))
    assert 1 <= len(made) == len(set(made)) <= 3


def test_notes_of_two_pieces_share_no_cache_line() -> None:
    for width in (1, 4, 16, 17, 40):
        notes = jit.note_rows(3, width, 7)
        assert notes.shape == (3, width)
        assert (notes == 7).all()
        assert notes.strides[0] - 8 * (width - 1) > 64 or notes.strides[0] % 128 == 0
        assert notes[1].flags.c_contiguous


def test_interpreted_kernels_run_in_order() -> None:
    kernel = jit.bind(add_up, jit.Names({}, "interpreted"))
    pieces = jit.intervals(0, 50, 3)
    finished: list[Any] = []
    with Run(threads=4) as run:
        notes = jit.note_rows(len(pieces), 2)
        run.launch(
            kernel, pieces, np.ones(50, np.int64), jit.FIRST, jit.STOP, 1, np.zeros(1, np.int64), jit.Rows(notes),
            after=finished.append,
        )  # fmt: skip
    assert finished == pieces


def test_only_bound_kernels_are_launched() -> None:
    with Run(threads=1) as run, pytest.raises(TypeError, match=r"not made by bind.*Run\.map"):
        run.launch(add_up, [(0, 1)])


def test_decisions_are_those_of_all_pieces() -> None:
    for seed in range(20):
        draw = Random(seed)
        values = [draw.randrange(-5, 6) for _ in range(draw.randrange(0, 6))]
        assert decisions.reduce_any(values) == any(values), seed
        assert decisions.reduce_sum(np.array(values, np.int64)) == sum(values), seed
        assert decisions.reduce_max(values, -9) == max([-9, *values]), seed
        assert decisions.reduce_min(values, 9) == min([9, *values]), seed
    assert decisions.reduce_rows(np.array([[1, 2], [3, 4]])).tolist() == [4, 6]


def test_a_request_is_unpacked_as_it_was_packed() -> None:
    draw = Random(1)
    for _ in range(200):
        local, code, weight = (draw.choice([0, most, draw.randint(0, most)]) for most in MOST)
        request = pack(local, code, weight)
        assert 0 <= request < 1 << 63
        assert (unpack_local(request), unpack_code(request), unpack_weight(request)) == (local, code, weight)


MOST = ((1 << MOST_BLOCK_BITS) - 1, LARGEST_CODE, LARGEST_WEIGHT)
