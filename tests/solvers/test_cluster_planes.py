"""Several ranks search bit vectors together: the same codes and digests as by one process, in any form that they can."""

from __future__ import annotations

import random
import re
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import puzzles, shared
from searchbench.catalogue import load
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.exchange import shared_memory
from searchbench.exchange.ranks import current
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.exchange.simulated import Fuzz, play
from searchbench.exchange.vectors import Deal
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.bits.solve import obstacle
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together
from searchbench.store.header import header_on_disk
from stops import RANKS, solved_with_stops

PLACES = ("one machine", "two machines", "a machine each")
SEARCHED = (
    ("pancake:9", "streaming"),
    ("top-spin:10", "streaming"),
    ("burnt-pancake:6", "streaming"),
    ("sliding:2x5", "streaming"),
    ("pyraminx", "product"),
    ("rubik-pattern:URF-UFL-ULB", "product"),
    ("pancake:7", "two-bit"),
    ("hanoi:5", "two-bit"),
    ("sliding:3x3", "one-bit"),
    ("hanoi:5", "reachability"),
)
MEMORY = 256 << 20
LOCK = threading.Lock()


def digests(folder: Path) -> dict[str, Any]:
    """Return what the header tells of the codes of each part."""
    return {record.name: (record.digest, record.counts) for record in header_on_disk(folder).parts}


def unpacked(database: Any) -> Any:
    """Return the code of each number."""
    return database.codes if isinstance(database.codes, np.ndarray) else database.codes.whole()


def machines(place: str, count: int) -> list[int]:
    """Return the machine of each rank; two have ranks by turns, one more than the other if their number is odd."""
    return {"one machine": [0] * count, "two machines": [rank % 2 for rank in range(count)]}.get(
        place, list(range(count))
    )


def solve_on_ranks(
    game: Game, folder: Path, count: int, form: str, seed: int = 0, memory: int = MEMORY, target: Any = "cpu",
    place: str = PLACES[0],
) -> Any:  # fmt: skip
    """Solve a game on simulated ranks; return the database of the first."""

    def be(_rank: int) -> Any:
        request = requested(game, None, "bfs", folder, {"form": form})
        return solve_together(request, Run(memory=memory, threads=1), "", target)

    return play(count, be, Fuzz(seed, pause=0.002), machines(place, count))[0][0]


# --- the exchange ---------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(1, 90), st.integers(1, 9), st.lists(st.integers(0, 3), min_size=1, max_size=7), st.integers(0, 999))
def test_words_travel(words: int, block_words: int, places: list[int], seed: int) -> None:
    count, chance = len(places), np.random.default_rng(seed)
    kept = chance.integers(0, 3, words).astype(np.uint64)
    written = chance.integers(0, 4, (count, words)).astype(np.uint64)

    def be(rank: int) -> list[Any]:
        deal = Deal(words, block_words)
        mine = np.repeat(deal.mine, block_words)[:words]

        def new(stale: int = 9) -> Any:
            """Return a vector with this rank's words, and stale ones of ranks elsewhere."""
            vector = deal.vector()
            for start, stop in deal.words(words, kept=True):
                vector[start:stop] = stale
            vector[mine] = kept[mine]
            deal.meet()
            return vector

        spread, marks = new(), deal.marks()
        marks[deal.mine] = deal.filled(kept)[deal.mine]
        deal.spread(spread, marks)
        renewed, gathered, collected, touched = new(), new(), deal.vector(), deal.marks()
        deal.renew(renewed)
        with LOCK:  # of the machine, which kernels do without
            collected |= written[rank]
            touched[np.add.reduceat(written[rank], np.arange(0, words, block_words)) > 0] = 1
        deal.collect(collected, touched if seed % 2 else None)
        deal.gather(gathered)
        return [mine, spread, marks, renewed, collected, gathered]

    found, traffic = play(count, be, Fuzz(seed, pause=0.001), places)
    assert np.sum([mine for mine, *_ in found], axis=0).tolist() == [1] * words
    filled = np.add.reduceat(kept, np.arange(0, words, block_words)) > 0
    for rank, (mine, spread, marks, renewed, collected, _) in enumerate(found):
        assert marks.astype(bool).tolist() == filled.tolist()
        there = mine | np.repeat(filled, block_words)[:words]
        assert spread[there].tolist() == kept[there].tolist()
        assert renewed.tolist() == kept.tolist()
        assert collected[mine].tolist() == np.bitwise_or.reduce(written)[mine].tolist()
        elsewhere = np.any(
            [other for (other, *_), place in zip(found, places, strict=True) if place != places[rank]], axis=0
        )
        assert not collected[elsewhere].any()
    assert found[0][5].tolist() == kept.tolist()
    assert (traffic.messages == 0) == (len(set(places)) == 1)


# --- searches -------------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    puzzles(),
    st.sampled_from(RANKS[1:]),
    st.integers(0, 999),
    st.sampled_from(PLACES),
    st.sampled_from(("two-bit", "reachability")),
)
def test_any_game_in_bits(
    tmp_path_factory: pytest.TempPathFactory, drawn: Any, count: int, seed: int, place: str, form: str
) -> None:
    game, folder = shared(drawn), tmp_path_factory.mktemp(form) / "db"
    why_not = obstacle(game, form)
    if why_not:
        with pytest.raises(BadRequest, match=re.escape(why_not)):
            solve_on_ranks(game, folder, count, form, seed, target="interpreted")
        return
    alone = solve_states(game, None, "bfs", Run(memory=MEMORY, threads=1), target="interpreted", form=form)
    found = solve_on_ranks(game, folder, count, form, seed, target="interpreted", place=place)
    assert unpacked(found).tolist() == unpacked(alone).tolist()
    assert found.facts.get("few") == alone.facts.get("few")


@cache
def alone(spec: str, form: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the digests of the database that one process makes, and its facts."""
    one = solve_states(load(spec), None, "bfs", Run(memory=MEMORY, threads=1), form=form)
    with tempfile.TemporaryDirectory() as folder:
        one.save(Path(folder, "one"))
        return digests(Path(folder, "one")), one.facts


@pytest.mark.long
@pytest.mark.parametrize("count", RANKS)
@pytest.mark.parametrize(("spec", "form"), SEARCHED)
def test_games_of_each_kind(spec: str, form: str, count: int, tmp_path: Path) -> None:
    game, (right, facts) = load(spec), alone(spec, form)
    for place in PLACES if count > 1 else PLACES[:1]:
        found = solve_on_ranks(game, tmp_path / place, count, form, count, place=place)
        assert digests(tmp_path / place) == right
        assert found.facts["ranks"] == count
        for fact in ("few", "layers"):
            assert found.facts.get(fact) == facts.get(fact)
    if count == RANKS[-1]:  # the others have the same codes
        assert found.verify().count == 0


@pytest.mark.parametrize(("spec", "form"), [("pancake:8", "streaming"), ("pancake:7", "two-bit")])
def test_ranks_without_memory_in_common_say_so_and_send_messages(
    spec: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve_states(load(spec), None, "bfs", Run(memory=MEMORY, threads=1), form=form).save(tmp_path / "one")
    monkeypatch.setattr(shared_memory, "_opened", lambda _: -1)
    with pytest.warns(RuntimeWarning, match="the ranks 0, 2 share a machine, but not its memory"):
        solve_on_ranks(load(spec), tmp_path / "db", 3, form, place="two machines")
    assert digests(tmp_path / "db") == digests(tmp_path / "one")


def test_memory_that_a_rank_cannot_map_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = shared_memory._opened
    monkeypatch.setattr(shared_memory, "_opened", lambda file: -1 if current().rank == 2 else opened(file))

    def be(_rank: int) -> str:
        memory = SharedMemory(False)
        memory.team = (0, 1, 2)
        with pytest.raises(OutOfMemory) as refused:
            memory.array(9, np.uint8)
        return str(refused.value)

    assert all("rank 2 cannot map 9 bytes" in told for told in play(3, be)[0])


@pytest.mark.parametrize(
    ("spec", "form"),
    [
        ("pancake:8", "streaming"),
        ("sliding:3x3", "streaming"),
        ("burnt-pancake:6", "streaming"),
        ("rubik-pattern:URF-UFL-ULB", "product"),
        ("pancake:7", "two-bit"),
        ("sliding:3x3", "one-bit"),
    ],
)
def test_stopped_anywhere_it_goes_on_with_another_number_of_ranks(
    spec: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, chance = load(spec), random.Random(spec)
    solve_states(game, None, "bfs", Run(memory=MEMORY, threads=1), form=form).save(tmp_path / "one")

    def solve(count: int, stops: int) -> Any:
        return solve_on_ranks(game, tmp_path / "db", count, form, stops, place=chance.choice(PLACES))

    solved_with_stops(monkeypatch, chance, 5, solve)
    assert digests(tmp_path / "db") == digests(tmp_path / "one")
    assert not list(tmp_path.glob("*work*"))


def test_what_ranks_cannot_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="on several ranks the form 'two-bit' serves other games"):
        solve_on_ranks(load("sliding-groups:3x3,2.8-5-1"), tmp_path / "db", 2, "streaming")
    with pytest.raises(BadRequest, match="'layers' cannot work on several ranks"):
        solve_on_ranks(load("sliding:3x3"), tmp_path / "db", 2, "layers")
    with pytest.raises(OutOfMemory, match="on 2 ranks, on each of them"):
        solve_on_ranks(load("pancake:10"), tmp_path / "db", 2, "streaming", memory=100_000)
    assert not (tmp_path / "db").exists()
