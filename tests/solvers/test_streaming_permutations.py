"""The streaming search against the search state by state, and depths modulo 3 and 4 in every form and query."""

from __future__ import annotations

import gc
import weakref
from itertools import permutations
from math import factorial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchbench import load
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.index import Rearrangement, Sequences
from searchbench.jit import Names, bind
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.by_streaming import Method, method_for, search_by_streaming
from searchbench.solvers.exhaustive.permutations import planes
from searchbench.solvers.exhaustive.permutations.orders import (
    parities,
    permutation_ranks,
    prefix_parities,
    selection_ranks,
    selections,
)  # fmt: skip
from searchbench.solvers.exhaustive.permutations.plan import Plan
from searchbench.solvers.exhaustive.permutations.planes import Planes
from searchbench.solvers.exhaustive.permutations.signed import SignedPlan, Steps, turn
from searchbench.store import Database
from searchbench.store.forms import FORMS
from searchbench.store.planes import PlaneCodes

BY_ROWS = [
    "sliding:3x3",
    "sliding:3x3,half=yes",
    "sliding:2x5,half=yes",
    "pancake:8",
    "pancake:9",
    "top-spin:9",
    "top-spin:10",
    "burnt-pancake:6",
    "burnt-pancake:7",
]


def method_of(sequences: Sequences | None) -> Method:
    """Return how the sequences are searched by streaming."""
    method = method_for(sequences, Run())
    assert method is not None
    return method


@pytest.mark.parametrize("spec", BY_ROWS)
def test_rows_give_the_depths_of_the_search_state_by_state(spec: str) -> None:
    game = load(spec)
    rows = solve_states(game, solver="bfs")
    plain = solve_states(game, solver="bfs", form="values", block_bits=16)  # not by rows
    assert rows.modulus == (4 if spec.startswith("sliding") else 3)
    assert plain.modulus == 0
    assert rows.histogram() == plain.histogram()
    whole = plain.codes.astype(np.int64)
    assert np.array_equal(rows.codes, np.where(whole == 0, 0, 1 + (whole - 1) % rows.modulus))


@pytest.mark.parametrize("spec", ["pancake:9", "top-spin:10", "sliding:2x5,half=yes", "burnt-pancake:7"])
def test_threads_do_not_change_a_bit(spec: str) -> None:
    method = method_of(load(spec).sequences())
    first = search_by_streaming(method, 0, Run(threads=1))
    for threads in (2, 3):
        again = search_by_streaming(method, 0, Run(threads=threads))
        assert (again.counts, again.few) == (first.counts, first.few)
        assert np.array_equal(again.codes.whole(), first.codes.whole())


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(st.lists(st.permutations(range(9)), min_size=1, max_size=3), st.integers(0, 362879))
def test_any_rearrangements_give_the_layers_of_a_plain_search(orders: list[list[int]], start: int) -> None:
    moves = {Rearrangement(0, 0, tuple(order)) for order in orders}
    moves |= {move.inverse for move in moves}
    game = Sequences(9, 1, tuple(sorted(moves)))
    method = method_for(game, Run())
    if method is None:
        return
    lines = selections(9, 9)
    sources = np.array([move.order for move in game.moves])
    reached = np.zeros(len(lines), np.bool_)
    frontier = np.array([start])
    layers = []
    while len(frontier):
        layers.append(len(frontier))
        reached[frontier] = True
        after = np.zeros(len(lines), np.bool_)
        after[permutation_ranks(lines[frontier][:, sources].reshape(-1, 9))] = True
        frontier = np.flatnonzero(after & ~reached)
    found = search_by_streaming(method, start, Run(threads=2))
    assert found.counts == layers
    assert sum(layers) == reached.sum()


@st.composite
def wide_orders(draw: st.DrawFn, n: int) -> tuple[int, ...]:
    """Return a rearrangement of first and last elements with few kinds of first ones: first ones pass all the last ones."""
    order = list(range(n))
    moved = draw(st.lists(st.integers(0, n - 9), min_size=1, max_size=2, unique=True))
    for element in moved:
        order.remove(element)
    behind = draw(st.permutations(order[-8:]))
    return (*order[:-8], *behind, *moved)


@settings(max_examples=8, deadline=None)
@given(st.integers(12, 13), st.booleans(), st.data())
def test_wide_moves_of_many_elements(n: int, even: bool, data: st.DataObject) -> None:
    """Push and pull some states, in vectors of which only a few blocks are touched: 13 elements make 6,227,020,800 bits."""
    order = data.draw(wide_orders(n))
    if even and parity_of(order):
        order = order[1::-1] + order[2:]
    game = Sequences(n, 1, (Rearrangement(0, 0, order),), even=even)
    plan = Plan(game)
    (wide,) = plan.wide_maps
    assert wide.rows.dtype == (np.int32 if n == 12 else np.int64)
    rank, unrank = game.functions()
    chosen = data.draw(st.lists(st.integers(0, game.size - 1), min_size=1, max_size=20))
    chosen += [0, game.size - 1]
    mapped = {}
    for number in chosen:
        cells = [0] * n
        unrank(number, cells)
        mapped[number] = rank(
            [cells[source] for source in (order if wide.push else Rearrangement(0, 0, order).inverse.order)]
        )
    for number, after in mapped.items():
        block, place = divmod(number, plan.block_rows)
        assert int(wide.base[block]) + int(wide.rows[wide.kind[block], place]) == after
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    vectors = [np.zeros(plan.words, np.uint64) for _ in range(4)]
    frontier, result = vectors[:2]
    found = Planes(*vectors, bits, np.uint64(plan.spread(1)))
    blocks = {number // plan.block_rows for number in mapped}
    if wide.push:
        for number in mapped:
            frontier[number >> 6] |= bits[number & 63]
        push = bind(planes.push_wide, Names({}))
        for block in blocks:
            push(found, block, block + 1, plan.block_words, wide.base, wide.kind, wide.rows)
        reached = {after: number for number, after in mapped.items()}
    else:
        for after in mapped.values():
            frontier[after >> 6] |= bits[after & 63]
        pull = bind(planes.pull_wide, Names({}))
        for block in blocks:
            start = block * plan.block_words
            work = result[start : start + plan.block_words]
            pull(found, work, start, False, int(wide.base[block]), wide.rows[wide.kind[block]])
        reached = dict.fromkeys(mapped)
    for number in reached:
        assert int(result[number >> 6]) >> (number & 63) & 1
    touched = {number // plan.block_rows for number in reached}
    starts = [block * plan.block_words for block in touched]
    assert sum(int(np.bitwise_count(result[start : start + plan.block_words]).sum()) for start in starts) == len(
        reached
    )


def parity_of(order: tuple[int, ...]) -> int:
    """Return 1 for an odd permutation."""
    return int(parities(np.array([order], np.int8))[0])


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.integers(0, 2**256 - 1))
def test_rows_of_sides_are_turned_as_each_of_their_states_is(order: list[int], turned: set[int], bits: int) -> None:
    move = Rearrangement(0, 0, tuple(order), tuple(sorted(turned)))
    plan = SignedPlan(Sequences(8, 1, (move,), two_sided=True))
    row = np.array([bits >> 64 * word & 2**64 - 1 for word in range(4)], np.uint64)
    turn(row, Steps(*plan.steps), 0, int(plan.steps.begin[1]))
    expected = 0
    for number in range(256):
        if bits >> number & 1:
            sides = [number >> 7 - place & 1 for place in range(8)]
            after = [sides[source] ^ (place in turned) for place, source in enumerate(order)]
            expected |= 1 << int("".join(map(str, after)), 2)
    assert sum(int(word) << 64 * place for place, word in enumerate(row)) == expected
    back = move.inverse
    assert back.inverse == move
    assert sorted(back.order[place] for place in turned) == sorted(back.order[place] for place in move.turned)


def test_orders_are_those_of_itertools() -> None:
    lines = selections(6, 4)
    assert [tuple(line) for line in lines.tolist()] == list(permutations(range(6), 4))
    assert selection_ranks(lines, 6).tolist() == list(range(360))
    whole = selections(6, 6)
    assert permutation_ranks(whole).tolist() == list(range(720))
    odd = parities(whole)
    assert odd.sum() == 360
    assert [int(odd[first * 6]) for first in range(120)] == prefix_parities(6, 3).tolist()


@pytest.mark.parametrize("spec", ["sliding:2x3", "sliding:3x3,half=yes", "pancake:5", "top-spin:7"])
def test_rearrangements_are_the_moves(spec: str) -> None:
    game = load(spec)
    sequences = game.sequences()
    assert sequences is not None
    rank, unrank = sequences.functions()
    step = max(1, sequences.size // 97)
    for number in range(0, sequences.size, step):
        cells = [0] * sequences.width
        unrank(number, cells)
        assert rank(cells) == number
        order, place = cells[: sequences.n], cells[sequences.n] if sequences.places > 1 else 0
        told = set()
        for move in sequences.moves:
            if move.origin == place:
                after = [order[source] for source in move.order]
                told.add(rank([*after, move.target] if sequences.places > 1 else after))
        state = game.unrank(number)
        assert told == {game.rank(game.play(state, move)) for move in game.moves(state)}


def test_too_little_memory_is_refused_before_anything_starts() -> None:
    with pytest.raises(OutOfMemory, match="bfs, form streaming"):
        solve_states(load("pancake:9"), solver="bfs", form="streaming", run=Run(memory=10_000))


@pytest.mark.parametrize("n", [14, 15, 17, 20])
def test_many_elements_are_refused_before_tables_are_made(n: int) -> None:
    flips = {Rearrangement(0, 0, (*range(length - 1, -1, -1), *range(length, n))) for length in range(2, n + 1)}
    game = Sequences(n, 1, tuple(sorted(flips)))
    with mock.patch("searchbench.solvers.exhaustive.by_streaming.Plan", side_effect=AssertionError):
        method = method_for(game, Run(memory=1 << 30))
    assert method is not None
    assert method.least == 4 * factorial(n) // 8
    with pytest.raises(BadRequest, match="takes 8 to 15"):
        Plan(Sequences(16, 1, ()))


def test_rows_refuse_what_they_cannot_move() -> None:
    with pytest.raises(BadRequest, match="takes 8 to 15"):
        Plan(load("pancake:7").sequences())
    with pytest.raises(BadRequest, match="no rearrangement"):
        Sequences(3, 1, (Rearrangement(0, 0, (0, 1, 1)),))
    with pytest.raises(BadRequest, match="but one side"):
        Sequences(3, 1, (Rearrangement(0, 0, (0, 1, 2), (1,)),))
    with pytest.raises(BadRequest, match="one place"):
        Sequences(3, 2, (), two_sided=True)
    with pytest.raises(BadRequest, match="6 to 11"):
        SignedPlan(load("burnt-pancake:5").sequences())
    with pytest.raises(BadRequest, match="there are 1 places"):
        Sequences(3, 1, (Rearrangement(0, 1, (0, 1, 2)),))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_go_there_and_back(form: object) -> None:
    chooser = np.random.default_rng(3)
    low, high = {
        "values": (0, 256), "two-bit": (0, 4), "base-3": (1, 4), "base-4": (1, 5), "base-5": (0, 5), "one-bit": (0, 2)
    }[form.name]  # fmt: skip
    for size in (0, 1, 3, 4, 5, 6, 64, 1001):
        codes = chooser.integers(low, high, size).astype(np.uint8)
        packed = form.packed(codes)
        assert len(packed) == form.units(size)
        assert np.array_equal(form.unpack(packed)[:size], codes)


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Database, Database]:
    """Return the 8-puzzle by depth: in memory, from disk, and with whole depths."""
    game = load("sliding:3x3")
    rows = solve_states(game, solver="bfs")
    path = tmp_path_factory.mktemp("rows") / "eight.db"
    rows.save(path)
    return rows, Database.open(path), solve_states(game, solver="bfs", form="values")


def test_every_query_answers_as_with_whole_depths(eight: tuple[Database, Database, Database]) -> None:
    rows, disk, plain = eight
    for database in (rows, disk):
        assert (database.states, database.reachable) == (plain.states, plain.reachable)
        assert database.histogram() == plain.histogram()
        for number in range(0, plain.size, 9973):
            assert database.code(number) == plain.code(number)
        for value in (0, 1, 5, 31, "29-31", "unreachable"):
            limit = 40
            found = [position.text for position in database.find(value, limit=limit)]
            assert found == [position.text for position in plain.find(value, limit=limit)]
        assert database.count("7-9", numbers=(1000, 90000)) == plain.count("7-9", numbers=(1000, 90000))
        line = database.line(plain.find(31)[0])
        assert (line.cost, line.verify()) == (31, [])
        assert not database.verify().faults


def test_the_small_file_is_small(eight: tuple[Database, Database, Database], tmp_path: Path) -> None:
    rows, _, _ = eight
    made = {
        "base-5": rows,
        "base-4": solve_states(load("sliding:3x3,half=yes"), solver="bfs"),
        "two-bit": solve_states(load("sliding:3x3"), solver="bfs", form="two-bit"),
        "base-3": solve_states(load("pancake:9"), solver="bfs"),
    }
    for form, database in made.items():
        path = tmp_path / form
        database.save(path)
        assert Database.open(path).histogram() == database.histogram()
        assert np.array_equal(Database.open(path).codes, database.codes)
        assert f'"form": "{form}"' in (path / "zarr.json").read_text()


def test_flipped_bits_are_found() -> None:
    rows = solve_states(load("pancake:8"), solver="bfs")
    low, high = rows.codes & 1, rows.codes >> 1 & 1
    chooser = np.random.default_rng(8)
    for number in chooser.integers(0, rows.size, 25).tolist():
        for plane in (low, high):
            plane[number] ^= 1
            words = [np.packbits(bits, bitorder="little").view(np.uint64) for bits in (low, high)]
            layers = {"all": list(rows.histogram().values())}
            planted = Database(rows.game, rows.rule, PlaneCodes(*words, layers, rows.size), rows.facts)
            assert planted.verify().count > 0, number
            plane[number] ^= 1


@pytest.mark.parametrize("spec", ["pancake:8", "burnt-pancake:6", "sliding:3x3", "sliding-groups:3x3,2.8-5-1"])
def test_a_search_is_gone_with_its_vectors_as_soon_as_it_is_not_used(spec: str) -> None:
    game = load(spec)
    method = method_for(game.sequences(), Run(threads=2))
    assert method is not None
    with Run(threads=2) as run:
        search = method.search(game.rank(game.start()), run, None)
        search.level(1)
    gone = weakref.ref(search)
    gc.disable()
    try:
        del search
        assert gone() is None
    finally:
        gc.enable()
