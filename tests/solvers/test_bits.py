"""Breadth-first search on bit vectors: every form finds the layers that whole values and a search with sets find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchbench.errors import BadRequest, OutOfMemory, Unsolvable
from searchbench.game import Game
from searchbench.games.fore_and_aft import ForeAndAft
from searchbench.games.hanoi import Hanoi
from searchbench.games.pancake import Pancake
from searchbench.games.peg_solitaire import PegSolitaire
from searchbench.games.sliding import Sliding
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.index import Combination, Multiset, Part, Sum
from searchbench.index.bitboard import Bitboards
from searchbench.jit import Names, bind
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.bits import search
from searchbench.solvers.exhaustive.bits.layers import layers_of
from searchbench.solvers.exhaustive.bits.solve import bytes_needed
from searchbench.store import Database, open_database
from searchbench.store.bits import FAR, PIECE_WORDS, BitCodes, PackedBits, PlainBits, read_gaps, write_gaps
from searchbench.store.planes import PlaneCodes
from searchbench.values import Reached

TRIANGLE = PegSolitaire("triangle", 6)
TURNED = PegSolitaire("triangle", 6, True)
CORNER = PegSolitaire("ooo/o-o/ooooo/  o", 4)
GAMES = (Sliding(2, 3), Sliding(2, 3, True), Pancake(5), Hanoi(4), TRIANGLE, TURNED, CORNER)
COMPILED = (Sliding(2, 3), Hanoi(4), TURNED)
"""One puzzle with `alternates`, one without, one whose parts are layers: the others have other constants or numbers."""
FORMS = ("two-bit", "one-bit", "layers", "reachability")


@dataclass(frozen=True)
class Walk(Game):
    """Carry a coin through a row of cells by steps of one; the parts are how many of two lamps are lit, for good."""

    name: ClassVar[str] = "walk"
    cells: int = 70

    @property
    def width(self) -> int:
        """Return one cell for the coin, one for the lamps."""
        return 2

    @property
    def max_moves(self) -> int:
        """Return left, right, light."""
        return 3

    def index(self) -> Any:
        """Return nothing that helps: the numbers are supplied by hand."""
        return None

    def parts(self) -> list[Part]:
        """Return three parts that end within words, and an empty one."""
        names = ("dark", "none", "one lamp", "two lamps")
        stops = (0, self.cells, self.cells, 2 * self.cells, 3 * self.cells)
        needs = (("dark", "one lamp"), (), ("one lamp", "two lamps"), ("two lamps",))
        return [Part(name, stops[i], stops[i + 1], needs[i]) for i, name in enumerate(names)]

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the coin's step, or 2 to light a lamp (only with the coin at the end)."""
        cells = self.cells

        def start(state: State) -> None:
            state[0] = state[1] = 0

        def terminal(state: State) -> int:
            return 0 if state[0] == cells - 1 and state[1] == 2 else UNDECIDED

        def moves(state: State, out: Any) -> int:
            count = 0
            if state[0] > 0:
                out[count] = -1
                count += 1
            if state[0] < cells - 1:
                out[count] = 1
                count += 1
            elif state[1] < 2:
                out[count] = 2
                count += 1
            return count

        def play(state: State, move: int) -> None:
            if move == 2:
                state[1] += 1
            else:
                state[0] += move

        def unplay(state: State, move: int) -> None:
            if move == 2:
                state[1] -= 1
            else:
                state[0] -= move

        def rank(state: State) -> int:
            return int(state[1]) * cells + int(state[0])

        def unrank(number: int, state: State) -> None:
            state[0] = number % cells
            state[1] = number // cells

        def alternates(state: State) -> int:
            return (int(state[0]) + int(state[1])) & 1

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "rank": rank,
            "unrank": unrank, "alternates": alternates,
        }  # fmt: skip


@lru_cache(maxsize=32)
def layers_with_sets(game: Game) -> list[set[int]]:
    """Return the numbers of each layer, by interpreted rules."""
    layers = [{game.rank(game.start())}]
    seen = set(layers[0])
    while layers[-1]:
        deeper = set()
        for number in layers[-1]:
            state = game.unrank(number)
            deeper |= {game.rank(game.play(state, move)) for move in game.moves(state)}
        layers.append(deeper - seen - {-1})
        seen |= layers[-1]
    return layers[:-1]


def takes(game: Game, form: str) -> bool:
    """Tell whether a game can be searched in a form."""
    if form == "layers":
        return isinstance(game, PegSolitaire)
    return game.has({"two-bit": "unmoves", "one-bit": "alternates"}.get(form, "moves"))


def solved(game: Game, form: str, threads: int = 1, target: Any = "cpu") -> Database:
    return solve_states(game, solver="bfs", run=Run(threads=threads), form=form, target=target)


def codes_by_sets(game: Game, database: Database) -> Any:
    """Return what the table must hold."""
    codes = np.zeros(database.size, np.int64)
    for depth, numbers in enumerate(layers_with_sets(game)):
        residue = depth % 3 if database.modulus else 0 if isinstance(database.rule, Reached) else depth
        codes[list(numbers)] = 1 + residue
    return codes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_form_finds_the_layers_of_a_search_with_sets(game: Game, form: str) -> None:
    if not takes(game, form):
        with pytest.raises(BadRequest, match=rf"form '{form}': .*(unmoves|alternates|no layers)"):
            solved(game, form)
        return
    layers = [len(layer) for layer in layers_with_sets(game)]
    compiled = [(threads, "cpu") for threads in (1, 2, 3)] if game in COMPILED else []
    for threads, target in (*compiled, (1, "interpreted")):
        database = solved(game, form, threads, target)
        assert database.facts["form"] == form
        assert database.codes.tolist() == codes_by_sets(game, database).tolist()
        assert database.reachable == sum(layers)
        if form == "one-bit":
            assert database.facts["layers"] == layers
        elif form != "reachability":
            histogram = database.histogram()
            assert [histogram[depth] for depth in range(len(layers))] == layers
            assert histogram.get(None, 0) == database.size - sum(layers)
        counted = {part.name: database.part_counts(part) for part in database.parts}
        codes = codes_by_sets(game, database)
        for part in database.parts:
            unreached = int((codes[part.start : part.stop] == 0).sum())
            assert counted[part.name].get(0, 0) == unreached
            assert sum(counted[part.name].values()) == part.size


def test_whole_values_agree() -> None:
    for game in (TRIANGLE, ForeAndAft(), Hanoi(4)):
        values = solved(game, "values").histogram()
        assert solved(game, "two-bit").histogram() == values
    assert solved(TRIANGLE, "layers").histogram() == solved(TRIANGLE, "values").histogram()


def test_parts_within_words_and_a_part_that_is_no_layer() -> None:
    game = Walk(70)
    layers = layers_with_sets(game)
    for target in ("cpu", "interpreted"):
        found = search.search_two_bit(game, Run(threads=2), target)  # type: ignore[arg-type]
        assert found.counts == [len(layer) for layer in layers]
        assert found.few == {depth: sorted(layer) for depth, layer in enumerate(layers)}
        for part in game.parts():
            inside = [sum(part.start <= number < part.stop for number in layer) for layer in layers]
            assert found.parts[part.name] == inside
        reach = search.search_one_bit(game, Run(threads=2), True, target)  # type: ignore[arg-type]
        assert reach.counts == found.counts
    with pytest.raises(BadRequest, match="'dark' at depth 0 needs 'dark' at depth 0"):
        solved(game, "layers")
    with pytest.raises(BadRequest, match="no `unmoves`"):
        solved(game, "two-bit")
    assert solved(game, "one-bit").verify()


def test_two_players_stop_at_the_end_of_the_game() -> None:
    game = TicTacToe()
    layers = [len(layer) for layer in layers_with_sets(game)]
    database = solved(game, "two-bit")
    assert [database.histogram()[depth] for depth in range(len(layers))] == layers
    assert database.verify()


def test_layers_are_told_from_what_parts_need() -> None:
    def part(name: str, start: int, *needs: str) -> Part:
        return Part(name, start, start + 10, needs)

    parts = [part("c", 0, "d"), part("a", 10, "b", "e"), part("e", 20, "d"), part("b", 30), part("d", 40)]
    assert [[one.name for one in layer] for layer in layers_of(parts, 15)] == [["a"], ["e", "b"], ["d"]]
    assert [[one.name for one in layer] for layer in layers_of(parts, 3)] == [["c"], ["d"]]
    uneven = [part("a", 0, "b", "c"), part("b", 10, "c"), part("c", 20)]
    with pytest.raises(BadRequest, match="'b' at depth 1 needs 'c' at depth 1"):
        layers_of(uneven, 0)


def test_a_move_out_of_the_index_or_to_a_part_not_needed_is_refused() -> None:
    class Astray(PegSolitaire):
        def parts(self) -> list[Part]:
            return [one._replace(needs=one.needs[:0]) if one.name == "5 pegs" else one for one in super().parts()]

    Astray.__name__ = "Astray"
    with pytest.raises(BadRequest, match="leads out of the index, or to a part that is not needed"):
        solved(Astray("triangle", 6), "layers", target="interpreted")


@pytest.mark.parametrize("form", FORMS)
def test_what_does_not_fit_is_refused_before_it_starts(form: str) -> None:
    game = TRIANGLE if form != "one-bit" else Sliding(2, 3)
    needed = bytes_needed(game, form)
    with pytest.raises(OutOfMemory, match=f"in the form {form} needs"):
        solve_states(game, solver="bfs", run=Run(memory=needed - 1, threads=1), form=form)
    if form != "layers":
        solve_states(game, solver="bfs", run=Run(memory=needed, threads=1), form=form)


def test_the_form_is_chosen_by_the_memory() -> None:
    def chosen(game: Game, memory: int) -> Any:
        return solve_states(game, solver="bfs", run=Run(memory=memory, threads=1)).facts["form"]

    game = Hanoi(7)
    assert chosen(game, 64 << 20) == "values"
    assert chosen(game, 1 << 18) == "two-bit"
    assert chosen(TRIANGLE, 1 << 17) == "layers"
    assert chosen(Sliding(2, 3), 1 << 10) == "two-bit"
    assert chosen(Sliding(2, 3), 150) == "one-bit"
    with pytest.raises(OutOfMemory):
        chosen(game, 1 << 10)


def test_forms_are_for_breadth_first_search() -> None:
    with pytest.raises(BadRequest, match="retrograde takes none, bfs does"):
        solve_states(Hanoi(3), solver="retrograde", form="two-bit")
    with pytest.raises(BadRequest, match="values, streaming, product, spread, two-bit"):
        solve_states(Hanoi(3), solver="bfs", form="three-bit")
    with pytest.raises(BadRequest, match="rearrangements"):
        solve_states(Hanoi(3), solver="bfs", form="streaming")


# --- databases --------------------------------------------------------------------------------------------------------

KEPT = ((Sliding(2, 3), "one-bit"), (TURNED, "layers"), (TRIANGLE, "two-bit"), (TURNED, "reachability"))


@pytest.mark.parametrize(("game", "form"), KEPT, ids=lambda value: str(value))
def test_a_database_is_kept_and_verified(game: Game, form: str, tmp_path: Path) -> None:
    database = solved(game, form)
    database.save(tmp_path / "it.db")
    with Database.open(tmp_path / "it.db") as kept:
        assert kept.codes.tolist() == database.codes.tolist()
        assert kept.histogram() == database.histogram()
        assert kept.rule == database.rule
        for number in range(0, database.size, 97):
            assert kept.residue(number) == database.residue(number) == database.codes[number]
        for one in (database, kept):
            report = one.verify()
            assert report, report
            assert report.states == one.states


def flipped(database: Database, number: int) -> Database:
    """Return a database in which one bit is wrong."""
    codes = database.codes.copy()
    codes[number] ^= 1 if codes[number] else max(1, int(codes.max()))
    return Database(database.game, database.rule, codes, database.facts)


@pytest.mark.long
def test_all_depths_are_counted_where_whole_ones_would_not_fit_into_a_byte(tmp_path: Path) -> None:
    """With 256 levels the code of depth 254 is the one that marks no position in a byte."""
    game, run = Hanoi(8), Run(threads=1)
    plain = solve_states(game, solver="bfs", form="values", run=run)
    found = solve_states(game, solver="bfs", form="two-bit", run=run)
    found.save(tmp_path / "hanoi.db")
    with open_database(tmp_path / "hanoi.db") as kept:
        for database in (found, kept):
            assert (database.modulus, database.states, database.reachable) == (3, plain.states, plain.reachable)
            assert database.histogram() == plain.histogram()
            for depth in (253, 254, 255):
                assert database.count(depth) == plain.count(depth) > 0
                assert list(database.select(depth)) == list(plain.select(depth))
        assert kept.line(kept.find(254, limit=1)[0]).cost == 254
        assert kept.verify(run=run)


@pytest.mark.parametrize("form", ["one-bit", "reachability"])
def test_a_wrong_bit_is_found(form: str) -> None:
    database = solved(Sliding(2, 3), form)
    for number in (0, 1, 5, 100, 357, 719):
        report = flipped(database, number).verify()
        assert report.count, number
        assert any(fault.number == number for fault in report.faults)


def test_a_wrong_bit_of_a_layer_is_found() -> None:
    database = solved(TURNED, "layers")
    reached = np.flatnonzero(database.codes)
    unreached = np.flatnonzero(database.codes == 0)
    for number in [*reached[::400].tolist(), *unreached[::4000].tolist()]:
        codes = database.codes.copy()
        codes[number] = 0 if codes[number] else 5
        assert Database(database.game, database.rule, codes, {}).verify().count, number


def test_a_wrong_plane_is_found() -> None:
    game = TRIANGLE
    found = search.search_two_bit(game, Run(threads=1))
    size = max(part.stop for part in game.parts())
    rng = np.random.default_rng(5)
    for number in rng.integers(0, size, 12).tolist():
        low = found.low.copy()
        low[number >> 6] ^= np.uint64(1 << (number & 63))
        database = solved(game, "two-bit")
        damaged = Database(game, database.rule, PlaneCodes(low, found.high, found.parts, size), database.facts)
        assert damaged.verify().count, number


def test_wrong_counts_of_a_part_are_found() -> None:
    game = TRIANGLE
    found = search.search_two_bit(game, Run(threads=1))
    name = "7 pegs"
    parts = {**found.parts, name: [count + (depth == 7) for depth, count in enumerate(found.parts[name])]}
    size = max(part.stop for part in game.parts())
    rule = solved(game, "two-bit").rule
    report = Database(game, rule, PlaneCodes(found.low, found.high, parts, size)).verify()
    assert [fault.claim for fault in report.faults] == ["counts"]
    assert name in report.faults[0].position


def test_lines_and_depths_come_from_planes_and_layers_but_not_from_one_bit() -> None:
    for form in ("two-bit", "layers"):
        database = solved(TRIANGLE, form)
        last = database.find(value=13)[0]
        line = database.line(last)
        assert len(line.moves) == 13
        assert line.verify() == []
    reached = solved(TRIANGLE, "reachability")
    assert reached.probe() is True
    assert reached.count("reached") == reached.reachable
    assert len(reached.find("unreachable", limit=3)) == 3
    with pytest.raises(BadRequest, match="no lines"):
        reached.line()
    with pytest.raises(Unsolvable):
        solved(TRIANGLE, "layers").line(solved(TRIANGLE, "layers").find("unreachable", limit=1)[0])


def test_packed_bits_read_as_they_were() -> None:
    rng = np.random.default_rng(1)
    words = np.zeros(5000, np.uint64)
    words[rng.integers(0, 3000, 300)] = rng.integers(1, 1 << 62, 300).astype(np.uint64)
    packed = PackedBits.of(words, lambda pack, places: list(map(pack, places)))
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    for first, count in (
        (0, 10),
        (3, 10),
        (65_000, 2000),
        (64_999, 2005),
        (0, 320_000),
        (65_536, 65_536),
        (319_999, 1),
        (7, 131_072),
        (64, 0),
    ):
        found = packed.read(first, count)
        assert np.array_equal(found, np.packbits(bits[first : first + count], bitorder="little"))
        assert np.array_equal(found, PlainBits(words).read(first, count))
    assert packed.nbytes < words.nbytes // 5


@settings(max_examples=60, deadline=None)
@given(
    gaps=st.lists(st.sampled_from([0, 1, 2, 63, 64, 253, 254, 255, 256, 509, 510, 511, 20_000]), max_size=60),
    spare=st.integers(0, 300),
)
def test_bits_are_packed_as_gaps(gaps: list[int], spare: int) -> None:
    bits: list[int] = []
    for gap in gaps:
        bits.append((bits[-1] + 1 if bits else 0) + gap)
    words = np.zeros((bits[-1] + 1 + spare if bits else spare + 1) // 64 + 1, np.uint64)
    for bit in bits:
        words[bit >> 6] |= np.uint64(1 << (bit & 63))
    packed = PackedBits.of(words, lambda pack, places: list(map(pack, places)))
    pieces = [packed.words(place) for place in range(-(-len(words) // PIECE_WORDS))]
    assert np.array_equal(np.concatenate(pieces), words)
    assert packed.filled == [place for place, piece in enumerate(pieces) if piece.any()]


def test_dense_bits_are_packed_too() -> None:
    words = np.full(PIECE_WORDS + 7, (1 << 64) - 1, np.uint64)
    words[3] = 0x8000000000000001
    packed = PackedBits.of(words, lambda pack, places: list(map(pack, places)))
    assert np.array_equal(packed.words(0), words[:PIECE_WORDS])
    assert np.array_equal(packed.words(1), words[PIECE_WORDS:])


@given(places=st.sets(st.integers(0, 700), max_size=40))
def test_gaps_are_those_between_the_bits(places: set[int]) -> None:
    words = np.zeros(11, np.uint64)
    for place in places:
        words[place >> 6] |= np.uint64(1 << (place & 63))
    powers = np.uint64(1) << np.arange(64, dtype=np.uint64)
    gaps, back = np.zeros(64, np.uint8), np.zeros(11, np.uint64)
    names = Names({}, "interpreted")
    count = bind(write_gaps, names)(words, powers, gaps)
    runs, run = [], 0
    for gap in gaps[:count].tolist():
        run += gap
        if gap != FAR:
            runs.append(run)
            run = 0
    right = sorted(places)
    assert runs == [place - before - 1 for before, place in zip([-1, *right], right, strict=False)]
    bind(read_gaps, names)(gaps[:count], powers, back)
    assert np.array_equal(back, words)


def test_codes_of_deep_layers_are_wide() -> None:
    index = Sum({"a": Multiset((1, 2)), "b": Multiset((2, 1))}, lambda state: 0)
    parts = index.parts()
    assert BitCodes(parts, [None, None]).dtype == np.uint8
    assert BitCodes(parts, [None, None]).whole().tolist() == [0] * 6


# --- numbers of bitboards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cells", "least", "most"), [(4, 0, 4), (11, 3, 5), (12, 0, 12), (15, 1, 15), (5, 2, 2)])
def test_bitboards_are_numbered_as_a_sum_of_combinations_is(cells: int, least: int, most: int) -> None:
    words = sorted((word for word in range(1 << cells)), key=lambda word: (word.bit_count(), word))
    words = [word for word in words if least <= word.bit_count() <= most]
    index = Bitboards(cells, least, most)
    rank, unrank, advance = index.all_functions()
    assert index.size == len(words)
    for number, word in enumerate(words):
        state = [0]
        unrank(number, state)
        assert state == [word]
        assert rank([word]) == number
        for gap in (1, 2, 7, 400):
            if number + gap < len(words):
                moved = [word]
                advance(number, moved, gap)
                assert moved == [words[number + gap]]
    for wrong in ((1 << cells), -1, (1 << most + 1) - 1, (1 << least - 1) - 1 if least else -5):
        assert rank([wrong]) == -1


@settings(max_examples=200)
@given(ones=st.integers(1, 32), where=st.floats(0, 1, exclude_max=True), gap=st.integers(1, 3000))
def test_large_bitboards_are_numbered_as_combinations_are(ones: int, where: float, gap: int) -> None:
    one = Combination(33, ones)
    rank_one, unrank_one = one.functions()
    rank, unrank, advance = Bitboards(33, ones, ones).all_functions()
    number = int(where * one.size)
    state, twin = [0], [0]
    unrank(number, state)
    unrank_one(number, twin)
    assert state == twin
    assert rank(state) == rank_one(twin) == number
    if number + gap < one.size:
        advance(number, state, gap)
        unrank_one(number + gap, twin)
        assert state == twin


def test_bitboards_of_more_cells_are_refused() -> None:
    with pytest.raises(BadRequest, match="1 to 33 bits"):
        Bitboards(34, 1, 5)
    with pytest.raises(BadRequest, match="at most as many ones"):
        Bitboards(5, 1, 6)
