"""Several ranks solve one game together: the same codes and digests as by one process, whatever order messages come in."""

from __future__ import annotations

import pickle
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from graphs import GraphGame, long_games, outcome_games, puzzles, rotated_games, score_games, shared, symmetric_games
from searchbench import solve
from searchbench.catalogue import load
from searchbench.errors import (
    BadRequest,
    BrokenRule,
    LimitReached,
    MissingRule,
    NotForDevice,
    OutOfMemory,
    SearchBenchError,
)
from searchbench.exchange import mpi, shards
from searchbench.exchange.decisions import (
    begin_any,
    begin_sum,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_rows,
    reduce_sum,
)
from searchbench.exchange.memory import add_request, unpack_local
from searchbench.exchange.ranks import ALONE, by_first, current, joined, meet
from searchbench.exchange.shards import Shards, block_bits, common, redistribute
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.exchange.simulated import Fuzz, RankLost, play
from searchbench.exchange.team_buckets import Room, TeamBuckets
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists, scores, solve_states
from searchbench.solvers.exhaustive.checkpoints_together import CheckpointsTogether
from searchbench.solvers.exhaustive.pending import STRETCH, pack_flags, pending_chunks, unpack_flags
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together
from searchbench.store.header import header_on_disk
from searchbench.store.working import WorkingFolder

RANKS = (1, 2, 3, 4, 7)


@pytest.fixture(scope="module", autouse=True)
def shared_however_small() -> Iterator[None]:
    """Have all ranks take part in groups that one of them would solve, and in rounds with few states, if not very few."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shards, "SMALL", 0)
        patched.setattr(score_lists, "SMALL", -1)
        patched.setattr(score_lists, "FEW", 4)
        yield


def digests(folder: Path) -> dict[str, Any]:
    """Return what the header tells of the codes of each part."""
    header = header_on_disk(folder)
    return {record.name: (record.digest, record.counts, record.dtype or header.dtype) for record in header.parts}


def solve_on_ranks(
    game: Game, folder: Path, count: int, seed: int, target: Any = "cpu", solver: str | None = None, **options: Any
) -> Any:
    """Solve a game on simulated ranks, on machines that chance draws; return the database of the first."""
    machines = random.Random(seed).choices(range(1 + seed % 3), k=count)

    def be(_rank: int) -> Any:
        request = requested(game, None, solver, folder, options)
        return solve_together(request, Run(memory=64 << 20, threads=1), "", target)

    found, _ = play(count, be, Fuzz(seed), machines)
    return found[0]


# --- the exchange ---------------------------------------------------------------------------------------------------------


def test_ranks_decide_alike() -> None:
    def be(rank: int) -> list[Any]:
        return [
            reduce_any([False, rank == 2]), reduce_any([]), reduce_max([rank] * (rank % 2), -1), reduce_max([], 7),
            reduce_min(range(rank, 2), -1), reduce_sum([rank, 1]), reduce_rows(np.array([[rank, 1], [0, 1]])).tolist(),
            begin_sum(rank, 1)(),
        ]  # fmt: skip

    for decided in play(4, be)[0]:
        assert decided == [True, False, 3, 7, 0, 10, [6, 8], [6, 4]]
    assert current() is ALONE


def test_what_the_first_does_all_are_told() -> None:
    def be(rank: int) -> int:
        return by_first(lambda: 10 + current().rank)

    assert play(3, be)[0] == [10, 10, 10]

    def fails() -> None:
        raise BadRequest("no")

    def catches(_rank: int) -> str:
        with pytest.raises(BadRequest, match="no") as error:
            by_first(fails)
        return str(error.value)

    assert play(3, catches)[0] == ["no"] * 3


def test_a_rank_that_ends_ends_the_others() -> None:
    def be(rank: int) -> bool:
        if rank == 1:
            raise BrokenRule("here")
        return reduce_any([False])

    with pytest.raises(BrokenRule, match="here"):
        play(3, be)


intervals = st.lists(st.integers(0, 60), max_size=8, unique=True).map(
    lambda ends: np.array(sorted(ends)[: len(ends) // 2 * 2], np.int64)
)


def numbers_in(bounds: Any) -> list[int]:
    """Return all numbers of some intervals."""
    return [number for start, stop in np.reshape(bounds, (-1, 2)).tolist() for number in range(start, stop)]


@given(intervals, intervals)
def test_common_numbers_are_those_of_both(one: Any, other: Any) -> None:
    assert numbers_in(common(one, other)) == sorted(set(numbers_in(one)) & set(numbers_in(other)))


@given(intervals, st.integers(0, 4), st.integers(1, 7))
def test_each_number_has_one_rank_and_each_block_one(bounds: Any, bits: int, count: int) -> None:
    def be(_rank: int) -> tuple[Any, Any]:
        shared = Shards(bounds, bits)
        return shared.own(bounds), [shared.of(rank) for rank in range(count)]

    found, _ = play(count, be)
    held = [numbers_in(own) for own, _ in found]
    assert sorted(number for own in held for number in own) == numbers_in(bounds)
    assert all([numbers_in(of) for of in all_of] == held for _, all_of in found)
    holders = {(number >> bits, rank) for rank, own in enumerate(held) for number in own}
    assert len(holders) == len({block for block, _ in holders})


@given(st.lists(st.integers(0, 200_000), max_size=8), st.integers(0, 999), st.sampled_from([5_000, STRETCH, 70_000]))
def test_pieces_are_those_with_marked_stretches(ends: list[int], seed: int, size: int) -> None:
    bounds = np.array(sorted(ends)[: len(ends) // 2 * 2], np.int64)
    marks = np.random.default_rng(seed).integers(0, 2, 200_000 // STRETCH + 1).astype(np.uint8)
    wanted = [
        (first, min(first + size, stop))
        for start, stop in bounds.reshape(-1, 2).tolist()
        for first in range(start, stop, size)
        if any(marks[number // STRETCH] for number in range(first, min(first + size, stop), 1000))
        or marks[(min(first + size, stop) - 1) // STRETCH]
    ]
    assert pending_chunks(marks, bounds, size) == wanted
    slots = np.stack([marks, marks[::-1]])
    again = np.zeros_like(slots)
    unpack_flags(pack_flags(slots, bounds), again, bounds)
    for start, stop in bounds.reshape(-1, 2).tolist():
        there = slice(start // STRETCH, -(-stop // STRETCH) if start < stop else 0)
        assert (again[:, there] == slots[:, there]).all()
    assert pack_flags(slots, np.empty(0, np.int64)).size == 0  # of a rank that holds nothing


@given(st.integers(1, 1 << 45), st.integers(1, 1 << 45), st.integers(1, 999))
def test_blocks_are_neither_too_many_nor_too_large(line: int, numbers: int, count: int) -> None:
    bits = block_bits(line, min(line, numbers), count)
    assert 0 <= bits <= 18
    assert bits == 18 or line >> bits <= 1 << 16


@given(st.integers(1, 4), st.lists(st.integers(0, 2), min_size=4, max_size=4), st.integers(0, 99))
def test_each_request_comes_once_to_the_rank_that_holds_its_number(count: int, machines: list[int], seed: int) -> None:
    line, bits, rounds = 300, 3, 3
    bounds = np.array([10, 120, 130, line], np.int64)
    chance = np.random.default_rng(seed)
    written = chance.integers(0, 40, (count, rounds))
    numbers = [[chance.choice(numbers_in(bounds), some) for some in row] for row in written]

    def be(rank: int) -> list[list[int]]:
        shared = Shards(bounds, bits, "interpreted")
        buckets = TeamBuckets(Room(SharedMemory()), line, 1 + rank % 2, 50, 1, bits, 2)
        got = []
        for some in numbers[rank]:
            for place, number in enumerate(some.tolist()):
                add_request(buckets.writers[place % len(buckets.writers)], number, bits, 1, 1)
            told = begin_any(False)
            here = []
            for held in shared.deliver(buckets, told):
                for bucket in held.filled():
                    for _, pages, page in held.held(bucket):
                        while page >= 0:
                            places = map(unpack_local, pages.requests[page, : pages.fill[page]].tolist())
                            here += [(bucket << bits) + place for place in places]
                            page = int(pages.before[page])
            buckets.clear()
            told()
            got.append(sorted(here))
        return got

    found, traffic = play(count, be, Fuzz(seed), machines[:count])
    everywhere = [sorted(np.concatenate([row[turn] for row in numbers]).tolist()) for turn in range(rounds)]
    for turn in range(rounds):
        assert sorted(number for rank in range(count) for number in found[rank][turn]) == everywhere[turn]
    if len(set(machines[:count])) == 1:
        assert traffic.messages == 0


def test_memory_in_common_is_given_up_for_all() -> None:
    def be(_rank: int) -> list[int]:
        memory = SharedMemory()
        codes = memory.array(1 << 16, np.uint8)
        codes[current().rank :: current().count] = 7
        meet()
        before = int(codes.sum())
        meet()
        memory.give_up(codes, 1 << 12, 1 << 13)
        meet()
        return [before, int(codes.sum())]

    for count in (1, 3):
        for before, after in play(count, be)[0] if count > 1 else [be(0)]:
            assert (before, after) == (7 << 16, 7 * ((1 << 16) - (1 << 12)))


@given(st.lists(intervals, min_size=1, max_size=4), st.data())
def test_codes_come_to_those_who_want_them(wanted: list[Any], data: st.DataObject) -> None:
    owner = data.draw(st.lists(st.integers(-1, len(wanted) - 1), min_size=64, max_size=64))
    held = [
        np.array([end for number, one in enumerate(owner) if one == rank for end in (number, number + 1)], np.int64)
        for rank in range(len(wanted))
    ]

    def be(rank: int) -> Any:
        codes = np.array([number + 1 if one == rank else 0 for number, one in enumerate(owner)], np.uint16)
        redistribute(codes, held, wanted)
        return codes

    for rank, codes in enumerate(play(len(wanted), be, Fuzz(1))[0]):
        for number in numbers_in(wanted[rank]):
            assert codes[number] == (number + 1 if owner[number] >= 0 else 0)


# --- games that chance has drawn ------------------------------------------------------------------------------------------

GAMES = st.one_of(
    puzzles(), outcome_games(), long_games(40), score_games(), symmetric_games("distance"), symmetric_games("outcome"),
    rotated_games("distance"), rotated_games("outcome"),
)  # fmt: skip
NAIVE: dict[str, Callable[[Any], Any]] = {
    "distance": naive.distances, "outcome": naive.outcomes, "score": naive.scores,
}  # fmt: skip


@settings(max_examples=60)
@given(GAMES, st.sampled_from(RANKS), st.integers(0, 99))
def test_any_game_has_its_values_on_any_number_of_ranks(game: GraphGame, count: int, seed: int) -> None:
    graph = naive.explicit(game)
    right = naive.table(graph, NAIVE[game.values](graph))
    alone = solve_states(game, run=Run(memory=64 << 20, threads=1), target="interpreted")
    with tempfile.TemporaryDirectory() as folder:
        database = solve_on_ranks(game, Path(folder) / "db", count, seed, "interpreted")
        found = {number: database.rule.decode(code) for number, code in enumerate(database.codes.tolist())}
        places = np.flatnonzero(alone.codes != alone.illegal).tolist()  # of symmetric nodes one has a value
        assert [found[number] for number in places] == [right[number] for number in places]
        assert (database.codes == alone.codes).all()
        assert database.verify()


# --- games of each kind ---------------------------------------------------------------------------------------------------

KINDS = {
    "a puzzle": ("sliding:2x3", {}),
    "a puzzle from its start": ("pancake:6", {"solver": "bfs", "form": "values"}),
    "two players, without cycles": ("tic-tac-toe", {}),
    "two players, with cycles, in parts": ("morris:4,3", {}),
    "two players, for points": ("awari:5", {}),
}


def long_game(size: int, parts: int, seed: int) -> GraphGame:
    """Return a game of two players over some parts that lasts long, with cycles within the parts.

    Players go down by one or two; at 0 the player to move has lost, and so she has at each third node. From others moves lead
    up again, too, and near the end of the line from any: draws.
    """
    chance, each = random.Random(seed), size // parts
    down = {(node, node - step) for node in range(1, size) for step in (1, 2) if step <= node}
    up = {
        (node, min(node + chance.randint(1, 9), node // each * each + each - 1))
        for node in range(1, size)
        if node % 3 or node > size - 20
    }
    edges = tuple((a, b, 1, 0) for a, b in sorted(down | up))
    results = (-1, *[UNDECIDED] * (size - 1))
    return shared(GraphGame(edges, results, "outcome", tuple(range(each, size, each)), first=size - 1))


STOPPED = KINDS | {"two players, with cycles, in parts": (long_game(150, 3, 1), {})}
"""Games of the same kinds, of which the largest is small: it is solved many times in part."""


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_the_database_is_the_same_bit_for_bit(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, options = KINDS[kind]
    by_parts = {} if "solver" in options else {"parts": "all"}
    solve(spec, to=tmp_path / "one", memory="64MB", threads=1, **options, **by_parts)
    for count in RANKS:
        monkeypatch.setattr(shards, "SMALL", 1000 if count in (3, 7) else 0)  # some groups by one rank, or none
        monkeypatch.setattr(score_lists, "SMALL", (-1, 1 << 22)[count % 2])  # by lists alone where ranks reach all
        monkeypatch.setattr(score_lists, "FEW", (0, 8, 1000)[count % 3])  # no, some or all rounds else
        if count % 4 == 3:  # lists overflow
            for name, value in {"ROOM": 6, "DEALT": 3, "ALONE": 2}.items():
                monkeypatch.setattr(score_lists, name, value)
        monkeypatch.setattr(scores, "MANY", 0 if count % 2 else 256)  # scores that some rank has met, or all
        database = solve_on_ranks(load(spec), tmp_path / f"by {count}", count, seed=count, **options)
        assert digests(tmp_path / f"by {count}") == digests(tmp_path / "one")
        assert database.facts["ranks"] == count


@pytest.mark.long
def test_codes_grow_wider_on_the_rank_that_has_them(tmp_path: Path) -> None:
    size = 700  # distances above 253 need two bytes, and only some ranks have such
    edges = tuple((place + 1, place, 1, 0) for place in range(size))
    game = shared(GraphGame(edges, (0,) + (UNDECIDED,) * size, first=size))
    solve(game, to=tmp_path / "one", parts="all", memory="64MB", threads=1)
    solve_on_ranks(game, tmp_path / "three", 3, seed=5)
    assert digests(tmp_path / "three") == digests(tmp_path / "one")


@pytest.mark.parametrize("few", [0, 1000])
def test_a_score_that_one_rank_finds_fits_the_codes_of_all(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 40  # play goes down to a node where 200 points are lost, which takes codes of two bytes
    edges = tuple((place + 1, place, 1, 0) for place in range(size))
    game = GraphGame(edges, (-200,) + (UNDECIDED,) * size, "score", first=size)
    monkeypatch.setattr(score_lists, "FEW", few)
    database = solve_on_ranks(game, tmp_path / "db", 3, seed=0, target="interpreted")
    found = [database.rule.decode(code) for code in database.codes.tolist()]
    assert found == [-200, 200] * (size // 2) + [-200]


# --- refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "options", "told"),
    [
        ("sliding:2x3", {"solver": "fixpoint"}, "solver 'fixpoint' cannot sweep again and again"),
        ("sliding:2x3", {"codec": "lz4:5"}, "codec 'lz4:5': several ranks keep whole values; convert"),
    ],
)
def test_what_ranks_cannot_do_is_said(spec: str, options: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=told):
        solve_on_ranks(load(spec), tmp_path / "db", 2, seed=0, **options)
    assert not (tmp_path / "db").exists()


def test_ranks_need_a_folder_and_memory_enough(tmp_path: Path) -> None:
    game = load("sliding:2x3")

    def without(_rank: int) -> Any:
        return solve_together(requested(game, None, None, None, {}), Run(memory=64 << 20, threads=1))

    with pytest.raises(BadRequest, match="give --to DIR"):
        play(2, without)

    def with_little(_rank: int) -> Any:
        return solve_together(requested(game, None, None, tmp_path / "db", {}), Run(memory=1000, threads=1))

    with pytest.raises(OutOfMemory, match="on 2 ranks, on each of them, needs"):
        play(2, with_little)


def test_what_is_there_is_left_alone_unless_it_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "mine").touch()
    with pytest.raises(BadRequest, match="left alone"):
        solve_on_ranks(load("sliding:2x3"), tmp_path / "db", 3, seed=0)
    solve_on_ranks(load("sliding:2x3"), tmp_path / "other", 3, seed=0)
    with pytest.raises(BadRequest, match="holds a database already"):
        solve_on_ranks(load("sliding:2x3"), tmp_path / "other", 2, seed=0)
    solve_on_ranks(load("sliding:2x3"), tmp_path / "other", 2, seed=0, overwrite=True)
    assert header_on_disk(tmp_path / "other").facts["ranks"] == 2


@pytest.mark.long
def test_killed_before_anything_is_kept_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    solve_on_ranks(load("awari:3"), tmp_path / "db", 3, seed=0, parts="1")
    assert sorted(digests(tmp_path / "db")) == ["0", "1"]
    solve_on_ranks(load("awari:3"), tmp_path / "db", 2, seed=0)
    assert sorted(digests(tmp_path / "db")) == ["0", "1", "2", "3"]


def test_rules_that_break_on_one_rank_end_all(tmp_path: Path) -> None:
    game = GraphGame(((1, 0, 1, 0), (2, 3, 1, 0)), (0, UNDECIDED, UNDECIDED, UNDECIDED), numbered=3)
    with pytest.raises(SearchBenchError, match="no number") as error:
        solve_on_ranks(game, tmp_path / "db", 3, seed=0, target="interpreted")
    assert not isinstance(error.value, RankLost)


def test_without_mpi_a_process_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not mpi.is_launched({"PATH": "/bin"})
    assert mpi.is_launched({"PMI_RANK": "0"})
    if not mpi.is_launched():
        assert mpi.world() is ALONE
    with joined(ALONE) as ranks:
        assert (ranks.count, ranks.gather(3), ranks.receive(1)) == (1, [3], None)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setitem(__import__("sys").modules, "mpi4py", None)
    with pytest.raises(SearchBenchError, match=r"pip install 'searchbench\[cluster\]'"):
        mpi.world()


# --- checkpoints ----------------------------------------------------------------------------------------------------------


class Stopped(Exception):
    """The run is stopped here."""


@pytest.mark.long
@pytest.mark.parametrize("kind", [*STOPPED])
def test_stopped_anywhere_it_goes_on_with_another_number_of_ranks(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, options = STOPPED[kind]
    game = load(spec) if isinstance(spec, str) else spec
    by_parts = {} if "solver" in options else {"parts": "all"}
    solve(game, to=tmp_path / "one", memory="64MB", threads=1, **options, **by_parts)
    monkeypatch.setattr(WorkingFolder, "due", True)
    commit, chance = WorkingFolder.commit, random.Random(7)
    left: dict[int, int] = {}
    most = 4 if kind.startswith("a puzzle") else 30

    def commit_or_stop(folder: WorkingFolder, *arguments: Any) -> None:
        rank = current().rank
        left[rank] -= 1
        if left[rank] < 0:
            raise Stopped
        commit(folder, *arguments)

    monkeypatch.setattr(WorkingFolder, "commit", commit_or_stop)
    resumed: list[tuple[int, int]] = []
    begin = CheckpointsTogether.begin

    def note(checkpoints: CheckpointsTogether, group: Any) -> None:
        begin(checkpoints, group)
        if checkpoints.noted:
            resumed.append((int(checkpoints._folder.record["ranks"]), current().count))  # type: ignore[union-attr]

    monkeypatch.setattr(CheckpointsTogether, "begin", note)
    for attempt in range(60):
        count = (3, 7, 2, 4, 1)[attempt % 5]
        left.update(dict.fromkeys(range(count), chance.randint(1, most) if attempt < 12 else 1 << 60))
        monkeypatch.setattr(shards, "SMALL", chance.choice((0, 1000)))
        monkeypatch.setattr(score_lists, "FEW", chance.choice((0, 8, 1000)))
        monkeypatch.setattr(score_lists, "SMALL", chance.choice((-1, 1 << 22)))
        try:
            solve_on_ranks(game, tmp_path / "db", count, seed=attempt, **options)
            break
        except Stopped:
            continue
    assert digests(tmp_path / "db") == digests(tmp_path / "one")
    if "without cycles" not in kind:  # there each part takes one sweep, too short for a checkpoint
        assert any(before < now for before, now in resumed)
        assert any(before > now for before, now in resumed)
    assert not (tmp_path / "db.work").exists()


@pytest.mark.parametrize(
    "error",
    [
        MissingRule("retrograde", "unmoves"), NotForDevice("moves", "makes a list", "game.py:7"),
        LimitReached("after 7 nodes", bound=3, nodes=7), BadRequest("too much"),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_errors_come_to_other_processes_as_they_were(error: SearchBenchError) -> None:
    error.add_note("on the first rank")
    other = pickle.loads(pickle.dumps(error))
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
