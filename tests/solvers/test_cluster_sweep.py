"""Several ranks sweep over a layered game together: the same database as by one process, whatever order messages come in."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchbench import solve
from searchbench.catalogue import load
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.exchange.ranks import current
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.exchange.simulated import Fuzz, play
from searchbench.index.diagram import Nodes
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams import sweep
from searchbench.solvers.exhaustive.diagrams.dealt import Dealt
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together
from searchbench.store.growing import GrowingDatabase
from searchbench.store.header import header_on_disk

RANKS = (1, 2, 3, 4, 7)
SPEC = "connect4:4x3"


@pytest.fixture(autouse=True)
def however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every layer cut in pieces for all ranks."""
    monkeypatch.setattr(sweep, "FEW", 0)


def digests(folder: Path) -> list[Any]:
    """Return what the header tells of each part, and of all."""
    header = header_on_disk(folder)
    return [(record.name, record.digest, record.counts) for record in header.parts] + [header.histogram, header.form]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return the digests of the database that one process writes."""
    folder = tmp_path_factory.mktemp("alone") / "db"
    solve(load(SPEC), solver="sweep", to=folder, memory="64MB", threads=1)
    return digests(folder)


def sweep_on_ranks(folder: Path, count: int, seed: int, memory: int = 64 << 20, **options: Any) -> Any:
    """Solve on simulated ranks, on machines that chance draws; return the traffic."""
    machines = random.Random(seed).choices(range(1 + seed % 3), k=count)

    def be(_rank: int) -> None:
        request = requested(load(SPEC), None, "sweep", folder, options)
        solve_together(request, Run(memory=memory, threads=1)).close()

    return play(count, be, Fuzz(seed), machines)[1]


@pytest.mark.long
@pytest.mark.parametrize("count", RANKS)
def test_the_database_is_the_same_bit_for_bit(count: int, tmp_path: Path, alone: list[Any]) -> None:
    for seed in (0, 2):  # on one machine, and on up to three
        sweep_on_ranks(tmp_path / f"{seed}", count, seed)
        assert digests(tmp_path / f"{seed}") == alone
    assert header_on_disk(tmp_path / "2").facts["ranks"] == count
    assert not (tmp_path / "2.work").exists()


class Stopped(Exception):
    """The run is stopped here."""


def test_stopped_anywhere_it_goes_on_with_another_number_of_ranks(
    tmp_path: Path, alone: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    add, chance = GrowingDatabase.add, random.Random(3)
    left: dict[int, int] = {}
    kept: list[int] = []

    def add_or_stop(database: GrowingDatabase, *arguments: Any) -> None:
        left[current().rank] -= 1
        if left[current().rank] < 0:
            raise Stopped
        add(database, *arguments)
        kept.append(len(database.records))

    monkeypatch.setattr(GrowingDatabase, "add", add_or_stop)
    for attempt in range(30):
        count = (3, 1, 7, 2, 4)[attempt % 5]
        left.update(dict.fromkeys(range(count), chance.randint(0, 4)))
        left[0] += chance.randint(0, 1)  # or one rank stops, and the others lose it
        try:
            sweep_on_ranks(tmp_path / "db", count, seed=attempt)
            break
        except Stopped:
            continue
    assert digests(tmp_path / "db") == alone
    assert attempt > 2
    assert kept == sorted(kept)


def test_what_ranks_cannot_do_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="symbolic 1000: binary diagrams cannot work on several ranks"):
        sweep_on_ranks(tmp_path / "db", 2, seed=0, symbolic=1000)
    with pytest.raises(OutOfMemory, match="--memory"):
        sweep_on_ranks(tmp_path / "db", 3, seed=0, memory=2000)
    assert not (tmp_path / "db").exists()
    sweep_on_ranks(tmp_path / "db", 2, seed=0)
    with pytest.raises(BadRequest, match="holds a database already"):
        sweep_on_ranks(tmp_path / "db", 3, seed=0)
    sweep_on_ranks(tmp_path / "db", 3, seed=1, overwrite=True)


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 200), min_size=1, max_size=9),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.data(),
)
def test_every_machine_gets_the_words_of_all_pieces(sizes: list[int], machines: list[int], data: st.DataObject) -> None:
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    pieces = [(place, place + 1) for place in range(len(sizes))]
    bits = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 2, (int(starts[-1]), 2)).astype(np.uint8)

    def words_of(some: Any, first: int) -> Any:
        """Return the words W and L of some bits that begin at a position of a word."""
        padded = np.zeros((((first % 64 + len(some)) // 64 + 2) * 64, 2), np.uint8)
        padded[first % 64 : first % 64 + len(some)] = some
        return np.stack([np.packbits(column, bitorder="little").view(np.uint64) for column in padded.T], axis=1)

    def be(_rank: int) -> Any:
        dealt = Dealt()
        planes = dealt.planes(len(bits))
        ends = np.zeros((len(dealt.own(pieces)), 6), np.uint64)
        for row, (first, stop) in zip(ends, dealt.own(pieces), strict=True):
            low, high = int(starts[first]) >> 6, int(starts[stop]) >> 6
            words = words_of(bits[starts[first] : starts[stop]], int(starts[first]))
            row[:3] = low, *words[0]
            if high > low:
                planes[2 * (low + 1) : 2 * high] = words[1 : high - low].ravel()
                row[3:] = high, *words[high - low]
        dealt.join(planes, starts, pieces, ends)
        return planes.copy()

    right = np.zeros((len(bits) // 64 + 3, 2), np.uint64)
    right[: len(words_of(bits, 0))] = words_of(bits, 0)[: len(right)]
    for planes in play(len(machines), be, Fuzz(5), machines)[0]:
        assert (planes.reshape(-1, 2) == right[: len(planes) // 2]).all()


@pytest.mark.parametrize("machines", [[0], [0, 0], [0, 1, 0], [1, 0, 0, 2]])
def test_what_one_rank_makes_all_have(machines: list[int]) -> None:
    def make() -> Nodes:
        assert current().count == 1
        return Nodes(*(np.arange(12 + place).reshape(1, -1) for place in range(7)), np.zeros(0, np.int64))

    def be(_rank: int) -> Any:
        return SharedMemory().once(make)

    found, traffic = play(len(machines), be, Fuzz(1), machines)
    for one in found:
        assert isinstance(one, Nodes)
        assert all(
            (array == right).all() and array.dtype == right.dtype for array, right in zip(one, make(), strict=True)
        )
    assert traffic.messages == 7 * (len(set(machines)) - 1)
