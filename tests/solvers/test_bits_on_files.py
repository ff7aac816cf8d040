"""Two-bit search on files, and bit searches that were stopped or killed: the same layers and codes as in one go."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import searchbench as sb
from graphs import GraphGame
from searchbench.errors import BadRequest, DamagedData, OutOfMemory
from searchbench.exchange.files import FileBuckets, Requests, add_place
from searchbench.exchange.space import MEMORY, Files, rest
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits import on_files
from searchbench.solvers.exhaustive.bits.layers import search_layers
from searchbench.solvers.exhaustive.bits.on_files import LEAST_MEMORY, search_on_files, shares
from searchbench.solvers.exhaustive.bits.search import search_one_bit, search_two_bit
from searchbench.store.working import WorkingFolder

GAMES = [
    "sliding:2x4",
    "hanoi:5",
    "peg-solitaire:layout=triangle,directions=6,symmetry=yes",
    "fore-and-aft",
    "small-town",
]
TASK = {"game": "a test"}


class Killed(Exception):
    """Stand for the end of the process."""


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks be small and buckets overflow, so that small games have many of them."""
    monkeypatch.setattr(on_files, "LEAST_MEMORY", 1 << 12)
    monkeypatch.setattr(on_files, "LEAST_ROOM", 1)
    monkeypatch.setattr(on_files, "PIECE", 1000)


def _games() -> list[str]:
    return [spec for spec in GAMES if sb.load(spec).has("unmoves")]


@pytest.mark.long
@pytest.mark.parametrize("spec", _games())
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.usefixtures("small_blocks")
def test_files_give_the_layers_of_memory(spec: str, threads: int, tmp_path: Path) -> None:
    game = sb.load(spec)
    whole = search_two_bit(game, Run())
    found = search_on_files(game, Run(threads=threads, memory=100_000), WorkingFolder(tmp_path / "work", TASK))
    assert (found.counts, found.parts, found.few) == (whole.counts, whole.parts, whole.few)
    assert np.array_equal(found.low, whole.low)
    assert np.array_equal(found.high, whole.high)
    assert not list(tmp_path.glob("work/bucket-*"))


@given(st.data())
@settings(max_examples=40)
def test_buckets_that_are_full_where_a_piece_ends(data: st.DataObject) -> None:
    """Pieces and blocks have 64 numbers; the last states of each piece have most of the moves, mostly into one block."""
    size, most = data.draw(st.integers(65, 400)), data.draw(st.integers(2, 40))
    chance = data.draw(st.randoms(use_true_random=False))
    edges = [(node, chance.randrange(size), 1, 0) for node in range(size)]
    for node in range(size):
        block = chance.randrange(-(-size // 64))
        often = chance.random() < (0.8 if node % 64 > 60 else 0.1)
        ends = range(64 * block, min(64 * block + 64, size))
        edges += [(node, chance.choice(ends), 1, 0) for _ in range(most * often)]
    game = GraphGame(tuple(edges), (UNDECIDED,) * size, first=chance.randrange(size))
    right = naive.depths(game)
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(on_files, "LEAST_MEMORY", 1),
        mock.patch.object(on_files, "LEAST_ROOM", 1),
        mock.patch.object(on_files, "LEAST_BLOCK_BITS", 6),
        mock.patch.object(on_files, "MOST_BLOCK_BITS", 6),
    ):
        work = WorkingFolder(Path(folder) / "work", TASK)
        found = search_on_files(game, Run(threads=1, memory=1), work, "interpreted")
        depths = {node: right.get((node,)) for node in range(size)}
        assert found.counts == [list(depths.values()).count(depth) for depth in range(max(right.values()) + 1)]
        bits = [np.unpackbits(plane.view(np.uint8), bitorder="little") for plane in (found.low, found.high)]
        assert [int(bits[0][node]) + 2 * int(bits[1][node]) for node in range(size)] == [
            0 if depth is None else 1 + depth % 3 for depth in depths.values()
        ]
        work.close()


def _killed_after(calls: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    done = [0]

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            done[0] += 1
            if done[0] > calls:
                raise Killed
            return function(*arguments)

        return counted

    return wrap


@pytest.mark.parametrize("kernel", ["emit", "mark", "keep_new", "settle", "count_parts", "_commit"])
@pytest.mark.usefixtures("small_blocks")
def test_stopped_anywhere_it_goes_on(kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = sb.load("sliding:2x4")
    whole = search_two_bit(game, Run())
    made = on_files._Search.__init__
    chooser = random.Random(kernel)
    stops = 0
    while True:
        calls = chooser.choice([0, 1, 2, 3, 5, 9]) if stops < 12 else 1 << 60

        def stopped(search: Any, *arguments: Any, calls: int = calls) -> None:
            made(search, *arguments)
            setattr(search, kernel, _killed_after(calls)(getattr(search, kernel)))

        monkeypatch.setattr(on_files._Search, "__init__", stopped)
        work = WorkingFolder(tmp_path / "work", TASK)
        try:
            found = search_on_files(game, Run(threads=1, memory=chooser.choice([50_000, 200_000])), work)
            break
        except Killed:
            stops += 1
        finally:
            work.close()
    assert stops > 3
    assert (found.counts, found.parts, found.few) == (whole.counts, whole.parts, whole.few)
    assert np.array_equal(found.low, whole.low)
    assert np.array_equal(found.high, whole.high)


@pytest.mark.parametrize("level", [2, 17])
def test_two_bit_search_goes_on_from_a_copy(level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", True)
    game = sb.load("sliding:2x4")
    whole = search_two_bit(game, Run())
    work = WorkingFolder(tmp_path / "work", TASK)
    with pytest.raises(Killed):
        search_two_bit(game, Run(report=_stop_at(f"depth {level}")), work=work)
    work.close()
    again = search_two_bit(game, Run(), work=WorkingFolder(tmp_path / "work", TASK))
    assert (again.counts, again.parts, again.few) == (whole.counts, whole.parts, whole.few)
    assert np.array_equal(again.low, whole.low)


@pytest.mark.parametrize("alternating", [True, False])
def test_one_bit_search_goes_on_from_a_copy(alternating: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", True)
    game = sb.load("sliding:2x4")
    whole = search_one_bit(game, Run(), alternating)
    work = WorkingFolder(tmp_path / "work", TASK)
    with pytest.raises(Killed):
        search_one_bit(game, Run(report=_stop_at("round 4")), alternating, work=work)
    work.close()
    again = search_one_bit(game, Run(), alternating, work=WorkingFolder(tmp_path / "work", TASK))
    assert np.array_equal(again.words, whole.words)
    assert sum(again.counts) == sum(whole.counts)
    if alternating:
        assert again.counts == whole.counts


@pytest.mark.parametrize("level", [1, 6, 12])
def test_layers_are_gone_on_with(level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", True)
    game = sb.load("peg-solitaire:layout=triangle,directions=6")
    whole = search_layers(game, Run())
    work = WorkingFolder(tmp_path / "work", TASK)
    with pytest.raises(Killed):
        search_layers(game, Run(report=_stop_at(f"depth {level}")), work=work)
    work.close()
    work = WorkingFolder(tmp_path / "work", TASK)
    assert len(work.record["counts"]) == level
    stages: list[str] = []
    again = search_layers(game, Run(report=lambda stage, _done, _total: stages.append(stage)), work=work)
    assert stages[0] == f"depth {level}"
    assert again.counts == whole.counts
    assert np.array_equal(again.codes.whole(), whole.codes.whole())


def _stop_at(name: str) -> Callable[[str, int, int], None]:
    def stop(stage: str, _done: int, _total: int) -> None:
        if stage == name:
            raise Killed

    return stop


PROGRAM = """
import sys, time
import searchbench as sb
from searchbench.solvers.exhaustive.bits import on_files, solve
solve.LEAST_MEMORY = on_files.LEAST_MEMORY = 20_000
def slowly(stage, done, total):
    time.sleep(0.05)
sb.solve("sliding:3x3", solver="bfs", form="two-bit", to=sys.argv[1], memory=100_000, progress=slowly)
"""


@pytest.mark.long
def test_killed_at_any_time_the_database_is_the_same(tmp_path: Path) -> None:
    plain = sb.solve("sliding:3x3", solver="bfs", form="two-bit")
    assert 16 * len(plain.codes) // 64 * 2 > 100_000  # the vectors do not fit into the memory that the program has
    chooser = random.Random(31)
    to = tmp_path / "tiles.db"
    kills = 0
    while not to.exists():
        started = subprocess.Popen([sys.executable, "-c", PROGRAM, str(to)], stderr=subprocess.PIPE)
        try:
            _, errors = started.communicate(timeout=chooser.uniform(0.5, 1.8) if kills < 10 else 100)
            assert started.returncode == 0, errors
        except subprocess.TimeoutExpired:
            os.kill(started.pid, signal.SIGKILL)
            started.communicate()
            kills += 1
    assert kills > 0
    kept = sb.open_database(to)
    assert np.array_equal(kept.codes, plain.codes)
    assert kept.histogram() == plain.histogram()
    assert [entry.name for entry in tmp_path.iterdir()] == ["tiles.db"]


def test_buckets_that_were_cut_short_are_noticed(tmp_path: Path) -> None:
    work = WorkingFolder(tmp_path / "work", TASK)
    game = sb.load("sliding:2x3")
    search_on_files(game, Run(), work)
    assert work.record["phase"] == "apply"
    work.commit({**work.record, "requests": [5]})
    with pytest.raises(DamagedData, match="buckets are missing"):
        search_on_files(game, Run(), work)


def test_without_a_folder_memory_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(OutOfMemory):
        sb.solve("sliding:3x3", solver="bfs", form="two-bit", memory=100_000)
    with pytest.raises(OutOfMemory, match=r"4\.2 MB"):
        sb.solve("sliding:3x3", solver="bfs", form="two-bit", memory=100_000, to=tmp_path / "x.db")
    with pytest.raises(BadRequest, match="give `to`"):
        sb.solve("sliding:3x3", solver="bfs", work=tmp_path)


def test_memory_is_shared_out_within_the_budget() -> None:
    for size in (1000, 10**6, 240 * 10**6, 48 * 10**9):
        for threads in (1, 2, 16):
            for memory in (LEAST_MEMORY, 10**8, 10**10):
                found = shares(size, threads, 10, memory)
                assert found.blocks << found.block_bits >= size
                at_work = threads * 4 * (1 << found.block_bits) // 8
                waiting = threads * 4 * found.room * found.blocks
                assert at_work <= max(memory // 2, threads << 11)
                assert waiting <= max(memory // 2, threads * found.blocks * 4 * 256) + 4


def test_buckets_keep_all_requests(tmp_path: Path) -> None:
    chooser = np.random.default_rng(4)
    numbers = chooser.integers(0, 1 << 20, 5000)
    buckets = FileBuckets(tmp_path, 16)
    requests = Requests(np.zeros((16, 50), np.uint32), np.zeros(16, np.int64))
    for number in numbers.tolist():
        if add_place(requests, number, 16) == 0:
            buckets.flush(requests, 25)
    buckets.flush(requests)
    assert sum(buckets.sizes()) == 5000
    for bucket in range(16):
        places = np.concatenate([*buckets.read(bucket, 33), np.zeros(0, np.uint32)])
        assert sorted(places.tolist()) == sorted((numbers[numbers >> 16 == bucket] & 0xFFFF).tolist())
    buckets.clear()
    assert not list(tmp_path.iterdir())


def test_reading_leaves_vectors_as_they_are_with_a_file_and_without(tmp_path: Path) -> None:
    words = 1 << 12
    for space in (MEMORY, Files(tmp_path)):
        vector = space.array(words, np.uint64)
        vector[:] = np.arange(1, words + 1)
        rest(vector, 0, words)
        assert vector.tolist() == list(range(1, words + 1))
