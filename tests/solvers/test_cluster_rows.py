"""Several ranks find whole depths and distances by rows: the same database as by one process, whichever way that goes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchbench.catalogue import load
from searchbench.errors import OutOfMemory
from searchbench.exchange import shards
from searchbench.exchange.ranks import current
from searchbench.exchange.simulated import Fuzz, play
from searchbench.game import Game
from searchbench.index.sequence import Rearrangement, Sequences
from searchbench.run import Run
from searchbench.solvers.exhaustive import by_products, by_rows, rows_together, solve_states
from searchbench.solvers.exhaustive.by_rows import WholeDepths
from searchbench.solvers.exhaustive.by_streaming import method_for
from searchbench.solvers.exhaustive.permutations.levels import search_levels
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together
from searchbench.store.header import header_on_disk
from searchbench.store.working import WorkingFolder
from stops import RANKS, solved_with_stops
from twisty import Claiming, Twisty, twisties

BY_SEARCH = {"solver": "bfs", "form": "values"}
SOLVED: dict[str, dict[str, Any]] = {
    "sliding:3x3": {}, "sliding:3x3,half=yes": BY_SEARCH, "pancake:8": {}, "top-spin:9": BY_SEARCH, "burnt-pancake:6": {},
    "rubik-pattern:URF-UFL-ULB": {}, "pyraminx": BY_SEARCH,
}  # fmt: skip
"""One of each way in which rows move, by the solver or the search."""


@pytest.fixture(autouse=True)
def however_small() -> Iterator[None]:
    """Move rows, and have all ranks take part, however small a game is."""
    with (
        mock.patch.object(by_rows, "LEAST", 1),
        mock.patch.object(by_products, "LEAST_COLUMNS", 1),
        mock.patch.object(shards, "SMALL", 0),
    ):
        yield


def told(folder: Path) -> list[Any]:
    """Return what the header tells of the codes of each part."""
    header = header_on_disk(folder)
    return [(record.name, record.digest, record.counts, record.dtype or header.dtype) for record in header.parts]


def solve_on_ranks(game: Game, folder: Path, machines: list[int], seed: int, memory: int = 64 << 20, **how: Any) -> Any:
    """Solve a game on simulated ranks of some machines; return the database of the first."""
    how = {**how}
    solver = how.pop("solver", None)

    def be(_rank: int) -> Any:
        request = requested(game, None, solver, folder, how)
        return solve_together(request, Run(memory=memory, threads=1 + seed % 2))

    return play(len(machines), be, Fuzz(seed, pause=0.001), machines)[0][0]


def machines_of(count: int, chance: random.Random) -> list[int]:
    """Return the machine of each rank: all the same, two or three, or each its own."""
    return chance.choice([[0] * count, [chance.randrange(3) for _ in range(count)], list(range(count))])


def saved_alone(game: Game, folder: Path, **how: Any) -> list[Any]:
    """Return what the header tells of the database of one process that went state by state."""
    found = solve_states(game, block_bits=12, **how)
    assert "rows" not in found.facts
    found.save(folder, form="values")
    return told(folder)


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.long] * (place > 2)) for place, spec in enumerate(SOLVED)]
)
def test_games_of_each_kind(spec: str, tmp_path: Path) -> None:
    game, how, chance = load(spec), SOLVED[spec], random.Random(spec)
    right = saved_alone(game, tmp_path / "one", **how)
    for count in RANKS:
        found = solve_on_ranks(game, tmp_path / str(count), machines_of(count, chance), count, **how)
        assert (found.facts["ranks"], found.facts["solver"]) == (count, how.get("solver", "retrograde"))
        assert found.facts["rows"] in ("streaming", "product")
        assert {"cpu", "busiest", "seconds", "memory"} <= set(found.facts)
        assert told(tmp_path / str(count)) == right
        assert not list(tmp_path.glob("*work*"))
    assert found.verify()


def test_depths_of_two_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("sliding:3x3")
    right = saved_alone(game, tmp_path / "one")
    monkeypatch.setattr(by_rows, "DEEPEST", 9)
    memory = solve_on_ranks(game, tmp_path / "three", [0, 0, 0], 3).facts["memory"]
    assert told(tmp_path / "three") == right
    with pytest.raises(OutOfMemory, match="keeping depths of 362,880 states above 9 needs"):
        solve_on_ranks(game, tmp_path / "small", [0, 0, 0], 3, memory=memory)


@settings(max_examples=25)
@given(twisties(), st.integers(0, 99))
def test_random_puzzles(tmp_path_factory: pytest.TempPathFactory, twisty: Twisty, seed: int) -> None:
    game, folder, chance = (
        Claiming(twisty.ways, twisty.dial, twisty.turns),
        tmp_path_factory.mktemp("any"),
        random.Random(seed),
    )
    right = saved_alone(game, folder / "one")
    found = solve_on_ranks(game, folder / "db", machines_of(chance.choice(RANKS), chance), seed)
    assert found.facts["rows"] == "product"
    assert told(folder / "db") == right


@pytest.mark.long
@settings(max_examples=12)
@given(
    st.lists(st.permutations(range(9)), min_size=1, max_size=3),
    st.integers(0, 362_879),
    st.lists(st.integers(0, 2), min_size=2, max_size=7),
)
def test_any_rearrangements(orders: list[list[int]], start: int, machines: list[int]) -> None:
    """Wide moves, too, which mark states in blocks of ranks elsewhere; each rank has the depths of its own blocks."""
    moves = {Rearrangement(0, 0, tuple(order)) for order in orders}
    game = Sequences(9, 1, tuple(sorted(moves | {move.inverse for move in moves})))
    method = method_for(game, Run())
    if method is None:
        return

    def be(rank: int) -> Any:
        run = Run(threads=1)
        search = WholeDepths(method.search(start, run, None), run, 0)
        layers = search_levels(search, start, run)
        return layers.counts, search.held(rank).reshape(-1, 2).tolist(), layers.codes

    ((counts, _, right),), _ = play(1, be)
    found = np.zeros_like(right)
    for told_counts, held, codes in play(len(machines), be, Fuzz(start), machines)[0]:
        assert told_counts == counts
        for first, stop in held:
            found[first:stop] = codes[first:stop]
    assert np.array_equal(found, right)
    assert np.bincount(right)[1:].tolist() == counts


@pytest.mark.parametrize("deepest", [253, 254])
def test_depths_around_the_last_code_of_a_byte(deepest: int, tmp_path: Path) -> None:
    game = Claiming(1, 2 * deepest, (((0, 1), (0, 0)),))  # a dial alone moves
    found = solve_on_ranks(game, tmp_path / "db", [0, 1], 0)
    assert found.facts["rows"] == "product"
    assert found.histogram() == {None: 2 * deepest, 0: 1, **dict.fromkeys(range(1, deepest), 2), deepest: 1}


@pytest.mark.parametrize("spec", ["sliding:3x3", "pancake:8", "rubik-pattern:URF-UFL-ULB"])
def test_stopped_anywhere_it_goes_on_with_another_number_of_ranks(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, chance = load(spec), random.Random(spec)
    right = saved_alone(game, tmp_path / "one")
    monkeypatch.setattr(by_rows, "DEEPEST", 4)

    def solve(count: int, stops: int) -> Any:
        return solve_on_ranks(game, tmp_path / "db", machines_of(count, chance), stops)

    found = solved_with_stops(monkeypatch, chance, 4, solve)
    assert "rows" in found.facts
    assert told(tmp_path / "db") == right
    assert not list(tmp_path.glob("*work*"))


def test_no_rank_loads_while_another_writes_the_depth_of_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("sliding:3x3")
    monkeypatch.setattr(WorkingFolder, "due", True)
    commit, tell, load_copy = WorkingFolder.commit, WholeDepths._tell, WorkingFolder.load
    events: list[str] = []

    def commit_and_stop(folder: WorkingFolder, *arguments: Any) -> None:
        commit(folder, *arguments)
        raise KeyboardInterrupt

    def tell_late(depths: WholeDepths, depth: int) -> None:
        time.sleep(0.2 * (current().rank == 2))
        tell(depths, depth)
        events.append("told")

    def load_and_note(folder: WorkingFolder, *arguments: Any) -> None:
        events.append("load")
        load_copy(folder, *arguments)

    with mock.patch.object(WorkingFolder, "commit", commit_and_stop), pytest.raises(KeyboardInterrupt):
        solve_on_ranks(game, tmp_path / "db", [0], 0)
    monkeypatch.setattr(WholeDepths, "_tell", tell_late)
    monkeypatch.setattr(WorkingFolder, "load", load_and_note)
    solve_on_ranks(game, tmp_path / "db", [0, 0, 0], 0)
    assert events[:4] == ["told", "told", "told", "load"]


# --- another way --------------------------------------------------------------------------------------------------------


def test_what_does_not_fit_goes_state_by_state_if_that_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, enough = load("pancake:8"), 64 << 20
    least = solve_on_ranks(game, tmp_path / "rows", [0, 0, 0], 0).facts["memory"]
    with pytest.raises(OutOfMemory, match=r"solving .* with retrograde by rows on 3 ranks, on each of them, needs"):
        solve_on_ranks(game, tmp_path / "db", [0, 0, 0], 0, memory=least - 1)
    with pytest.raises(
        OutOfMemory, match=r"keeping the depths of .* with retrograde by rows on 3 ranks, on each of them, needs"
    ):
        solve_on_ranks(game, tmp_path / "db", [0, 0, 0], 0, memory=40_320 // 3 - 1)
    monkeypatch.setattr(rows_together, "memory_of_rank", lambda *_: enough)

    def be(rank: int) -> Any:
        request = requested(game, None, None, tmp_path / "db", {})
        return solve_together(request, Run(memory=enough - (rank == 1), threads=1))

    assert "rows" not in play(3, be)[0][0].facts  # it does not fit one of the ranks
    assert told(tmp_path / "db") == told(tmp_path / "rows")


def test_a_rank_needs_the_memory_of_its_share_alone(tmp_path: Path) -> None:
    game = load("pyraminx")
    alone = solve_states(game, None, "bfs", form="product").facts["memory"]
    found = solve_on_ranks(game, tmp_path / "db", [0] * 7, 0, memory=alone - 1)
    assert found.facts["rows"] == "product"


def test_parts_that_are_asked_for_go_state_by_state(tmp_path: Path) -> None:
    assert "rows" not in solve_on_ranks(load("pancake:6"), tmp_path / "db", [0, 0], 0, parts="all").facts


@pytest.mark.parametrize("how", [{}, BY_SEARCH], ids=["retrograde", "bfs"])
def test_work_goes_on_the_way_it_was_begun(
    how: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("pancake:8")
    monkeypatch.setattr(WorkingFolder, "due", True)
    commit = WorkingFolder.commit

    def commit_and_stop(folder: WorkingFolder, *arguments: Any) -> None:
        commit(folder, *arguments)
        raise KeyboardInterrupt

    def stopped(folder: Path) -> None:
        with mock.patch.object(WorkingFolder, "commit", commit_and_stop), pytest.raises(KeyboardInterrupt):
            solve_on_ranks(game, folder, [0, 1], 0, **how)

    with mock.patch.object(by_rows, "LEAST", 1 << 30):
        stopped(tmp_path / "states")
    assert "rows" not in solve_on_ranks(game, tmp_path / "states", [0, 0, 1], 0, **how).facts

    stopped(tmp_path / "rows")
    with pytest.raises(OutOfMemory, match="by rows on 2 ranks, on each of them, needs"):
        solve_on_ranks(game, tmp_path / "rows", [0, 1], 0, memory=100_000, **how)
    assert "rows" in solve_on_ranks(game, tmp_path / "rows", [0, 0, 1], 0, **how).facts
    assert told(tmp_path / "states") == told(tmp_path / "rows")
