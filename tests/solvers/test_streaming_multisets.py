"""The streaming search of equal pieces against the search state by state, on boards of puzzles and with moves of any kind."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchbench import jit, load
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.index import Rearrangement, Sequences, exchange
from searchbench.jit import or_line
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.multisets import MultisetSearch, Plan
from searchbench.solvers.exhaustive.multisets.words import class_sizes, classes, keys, words
from searchbench.solvers.exhaustive.permutations.levels import Layers, search_levels
from searchbench.store.working import WorkingFolder


def search_halves(plan: Plan, start: int, run: Run) -> Layers:
    """Search from a state until nothing is new."""
    return search_levels(MultisetSearch(plan, start, run), start, run)


BOARDS = ["fore-and-aft", "frogs-and-toads:xxxx/xx-o/oooo/o", "frogs-and-toads:..x/..x/xx-oo/..o/..o"]


@pytest.mark.parametrize("spec", BOARDS)
def test_halves_give_the_depths_of_the_other_forms(spec: str) -> None:
    game = load(spec)
    rows = solve_states(game, solver="bfs")
    assert rows.facts["form"] == "streaming"
    plain = solve_states(game, solver="bfs", form="values", block_bits=16)  # not by rows
    bits = solve_states(game, solver="bfs", form="two-bit")
    assert rows.histogram() == plain.histogram() == bits.histogram()
    whole = plain.codes.astype(np.int64)
    assert np.array_equal(rows.codes, np.where(whole == 0, 0, 1 + (whole - 1) % 3))
    assert rows.facts["few"] == bits.facts["few"]
    assert not rows.verify().faults


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_a_bit(threads: int) -> None:
    plan = Plan(load("fore-and-aft").sequences())
    first = search_halves(plan, 0, Run(threads=1))
    again = search_halves(plan, 0, Run(threads=threads))
    assert (again.counts, again.few) == (first.counts, first.few)
    assert np.array_equal(again.codes.whole(), first.codes.whole())


def words_of(pieces: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all sequences of some pieces."""
    if not any(pieces):
        return [()]
    found = []
    for kind, count in enumerate(pieces):
        if count:
            left = (*pieces[:kind], count - 1, *pieces[kind + 1 :])
            found += [(kind, *rest) for rest in words_of(left)]
    return found


@st.composite
def games(draw: st.DrawFn) -> Sequences:
    """Return a game of equal pieces with some moves, each with its way back."""
    pieces = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=3)))
    n = sum(pieces)
    places = draw(st.sampled_from((5, 8, 9, 16, 17, 31, 32, 33, 64)))
    tell = st.builds(
        Rearrangement,
        st.integers(0, places - 1),
        st.integers(0, places - 1),
        st.permutations(range(n)).map(tuple),
        st.just(()),
    )
    moves = set(draw(st.lists(tell, min_size=1, max_size=6)))
    moves |= {exchange(place, place + 1, n + 1) for place in range(min(n, places - 1))}
    moves |= {move.inverse for move in moves}
    return Sequences(n, places, tuple(sorted(moves)), pieces=pieces)


@st.composite
def long_games(draw: st.DrawFn) -> Sequences:
    """Return a game of long words with two single letters in them, whose moves rotate large parts of the words."""
    n = draw(st.integers(41, 46))
    pieces = tuple(draw(st.permutations((n - 2, 1, 1))))
    places = draw(st.integers(5, 7))
    moves = {Rearrangement(place, (place + 1) % places, tuple(range(n))) for place in range(places)}
    for _ in range(draw(st.integers(1, 3))):
        first, stop = draw(st.integers(0, 20)), draw(st.integers(38, n))
        ahead = draw(st.integers(1, stop - first - 1))
        order = [*range(first), *range(first + ahead, stop), *range(first, first + ahead), *range(stop, n)]
        moves.add(Rearrangement(draw(st.integers(0, places - 1)), draw(st.integers(0, places - 1)), tuple(order)))
    moves |= {move.inverse for move in moves}
    return Sequences(n, places, tuple(sorted(moves)), pieces=pieces)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(games(), st.data())
def test_any_rearrangements_give_the_layers_of_a_plain_search(game: Sequences, data: st.DataObject) -> None:
    layers_are_those_of_a_plain_search(game, data.draw(st.integers(0, game.size - 1)))


@settings(max_examples=15, deadline=None)
@given(long_games(), st.data())
def test_rearrangements_of_long_words_give_the_layers_of_a_plain_search(game: Sequences, data: st.DataObject) -> None:
    layers_are_those_of_a_plain_search(game, data.draw(st.integers(0, game.size - 1)))


def layers_are_those_of_a_plain_search(game: Sequences, start: int) -> None:
    """Compare what is found, in all ways in which it is told."""
    lines = sorted(words_of(game.pieces))
    number = {line: place for place, line in enumerate(lines)}
    depth = {start: 0}
    queue = [start]
    for state in queue:
        row, place = divmod(state, game.places)
        for move in game.moves:
            if move.origin == place:
                after = number[tuple(lines[row][source] for source in move.order)] * game.places + move.target
                if after not in depth:
                    depth[after] = depth[state] + 1
                    queue.append(after)
    found = search_halves(Plan(game), start, Run(threads=2))
    assert dict(enumerate(found.counts)) == Counter(depth.values())
    expected = [1 + depth[state] % 3 if state in depth else 0 for state in range(game.size)]
    assert found.codes.whole().tolist() == expected
    for layer, listed in found.few.items():
        assert listed == sorted(state for state in depth if depth[state] == layer)


def test_the_cut_keeps_both_halves_small() -> None:
    plan = Plan(load("frogs-and-toads:3").sequences())
    assert plan.cut == 8
    assert plan.most_lines == 70
    assert len(plan.crossing.origin) == 4  # jumps over the common corner, there and back


def test_halves_refuse_what_they_cannot_move() -> None:
    with pytest.raises(BadRequest, match="different elements"):
        Plan(Sequences(9, 9, ()))
    with pytest.raises(BadRequest, match="too many kinds"):
        Plan(Sequences(16, 17, (), pieces=(1,) * 16))
    with pytest.raises(BadRequest, match="4 places"):
        Plan(Sequences(9, 4, (), pieces=(4, 5)))
    with pytest.raises(BadRequest, match="no cut"):
        Plan(Sequences(60, 61, (), pieces=(30, 30)))
    turned = Rearrangement(0, 1, (*range(29, -1, -1),))
    with pytest.raises(BadRequest, match="no cut"):
        Plan(Sequences(30, 31, (turned, turned.inverse), pieces=(15, 15)))
    with pytest.raises(BadRequest, match="expected 5 in all"):
        Sequences(5, 5, (), pieces=(2, 2))
    with pytest.raises(BadRequest, match="any permutation even"):
        Sequences(4, 5, (), even=True, pieces=(2, 2))


def test_too_little_memory_is_refused_before_anything_starts() -> None:
    with pytest.raises(OutOfMemory, match="bfs, form streaming"):
        solve_states(load("fore-and-aft"), solver="bfs", form="streaming", run=Run(memory=10_000))


class Killed(Exception):
    """Stands for the end of a process."""


def test_an_unfinished_search_goes_on_from_its_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", True)
    game = load("fore-and-aft")
    whole = solve_states(game, solver="bfs")
    stages: list[str] = []

    def until_depth_20(stage: str, _done: int, _total: int) -> None:
        stages.append(stage)
        if stage == "depth 20":
            raise Killed

    with pytest.raises(Killed):
        solve_states(game, solver="bfs", run=Run(work=tmp_path / "work", report=until_depth_20))
    stages.clear()
    again = solve_states(
        game, solver="bfs", run=Run(work=tmp_path / "work", report=lambda *told: stages.append(told[0]))
    )
    assert stages[0] == "depth 20"
    assert again.histogram() == whole.histogram()
    assert again.facts["few"] == whole.facts["few"]
    assert np.array_equal(again.codes, whole.codes)


def test_words_are_those_of_itertools() -> None:
    for pieces in ((3, 4), (2, 2, 2), (1, 0, 3)):
        letters = [kind for kind, count in enumerate(pieces) for _ in range(count)]
        for length in range(len(letters) + 1):
            lines, left = words(length, pieces)
            assert [tuple(line) for line in lines.tolist()] == sorted(set(permutations(letters, length)))
            used = [[line.count(kind) for kind in range(len(pieces))] for line in lines.tolist()]
            assert (left + np.array(used)).tolist() == [list(pieces)] * len(lines)
            assert sorted(keys(lines, len(pieces)).tolist()) == keys(lines, len(pieces)).tolist()
            assert class_sizes(length, pieces) == Counter(map(tuple, used))
            kinds_of_words, members = classes(left)
            assert kinds_of_words[members].tolist() == left.tolist()
            assert len(kinds_of_words) == len(set(map(tuple, left.tolist())))


def add_lines(lines: Any, others: Any, places: Any, mask: int, turn: int) -> None:
    """Add a line for each place."""
    for line in range(len(places)):
        or_line(lines, line, others, places[line], mask, turn)


@pytest.mark.parametrize("turn", [0, 1, 13, 60])
def test_lines_are_turned_alike_compiled_and_interpreted(turn: int) -> None:
    chooser = np.random.default_rng(turn)
    others = chooser.integers(0, 1 << 64, (20, 8), dtype=np.uint64)
    compiled = chooser.integers(0, 1 << 64, (5, 8), dtype=np.uint64)
    interpreted = compiled.copy()
    places = np.array([3, 3, 19, 0, 7], np.uint16)
    mask = np.uint64(0xF0F0F00F0F0F0F0F)
    expected = compiled | (others[places] & mask) << np.uint64(turn)
    if turn:
        expected |= (others[places] & mask) >> np.uint64(64 - turn)
    jit.bind(add_lines, jit.Names({}))(compiled, others, places, mask, np.uint64(turn))
    jit.bind(add_lines, jit.Names({}), "interpreted")(interpreted, others, places, mask, turn)
    assert np.array_equal(compiled, expected)
    assert np.array_equal(interpreted, expected)


@settings(max_examples=100)
@given(st.data())
def test_keys_are_in_the_order_of_the_words(data: st.DataObject) -> None:
    length, kinds = data.draw(st.integers(1, 70)), data.draw(st.integers(1, 300))
    letter = st.integers(0, kinds - 1) | st.integers(max(0, kinds - 2), kinds - 1)
    lines = data.draw(st.lists(st.lists(letter, min_size=length, max_size=length), min_size=1, max_size=20))
    dtype = data.draw(st.sampled_from([np.int16, np.int64]))
    known = keys(np.array(sorted(lines), dtype), kinds)
    found = np.searchsorted(known, keys(np.array(lines, dtype), kinds))
    assert [sorted(lines)[place] for place in found] == lines
    assert len(np.unique(known)) == len(set(map(tuple, lines)))
