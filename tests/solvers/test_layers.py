"""Layers on disk: a bit a number, whatever depth it stands for; verified with two layers in memory, as strictly as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from searchbench.errors import DamagedData, OutOfMemory
from searchbench.game import Game
from searchbench.games.peg_solitaire import PegSolitaire
from searchbench.index import Part
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.store.bits import BitCodes, Layer, PlainBits
from searchbench.store.opening import read_header
from searchbench.store.writing import Layout, write_database
from searchbench.values import Depth
from searchbench.verify import verify_database
from searchbench.verify.layers import are_layers

TRIANGLE = PegSolitaire("triangle", 6)
TURNED = PegSolitaire("triangle", 6, True)
CORNER = PegSolitaire("ooo/o-o/ooooo/  o", 4)


@dataclass(frozen=True)
class Fall(Game):
    """Fall floor by floor, to the left or to the right; the parts are the floors, two of them for each depth."""

    name: ClassVar[str] = "fall"
    floors: int = 4
    width: ClassVar[int] = 2
    max_moves: ClassVar[int] = 2
    dtype: ClassVar[Any] = np.int16

    def index(self) -> Any:
        """Return nothing that helps: the numbers are supplied by hand."""
        return None

    def parts(self) -> list[Part]:
        """Return a left and a right half of seven places for each floor."""
        parts = []
        for floor in range(self.floors):
            needs = (f"left {floor + 1}", f"right {floor + 1}") if floor + 1 < self.floors else ()
            parts += [
                Part(f"left {floor}", 14 * floor, 14 * floor + 7, needs),
                Part(f"right {floor}", 14 * floor + 7, 14 * floor + 14, needs),
            ]
        return parts

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is a step of 1 or 2 to the right, round in a circle."""
        floors = self.floors

        def start(state: State) -> None:
            state[0] = state[1] = 0

        def terminal(state: State) -> int:
            return 0 if state[0] == floors - 1 and state[1] == 3 else UNDECIDED

        def moves(state: State, out: Any) -> int:
            out[0] = 2
            out[1] = 12
            return 2 if state[0] + 1 < floors else 0

        def play(state: State, move: int) -> None:
            state[0] += 1
            state[1] = (state[1] + move) % 14

        def unplay(state: State, move: int) -> None:
            state[0] -= 1
            state[1] = (state[1] + 14 - move) % 14

        def unmoves(state: State, out: Any) -> int:
            out[0] = 2
            out[1] = 12
            return 2 if state[0] > 0 else 0

        def rank(state: State) -> int:
            return 14 * int(state[0]) + int(state[1])

        def unrank(number: int, state: State) -> None:
            state[0] = number // 14
            state[1] = number % 14

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
            "rank": rank, "unrank": unrank,
        }  # fmt: skip


def solved(game: Game) -> Database:
    return solve_states(game, solver="bfs", form="layers", run=Run(threads=2))


def changed(database: Database, number: int | None = None, miscount: str = "") -> Database:
    """Return the layers with the bit of one number turned round, or with one state too many told of a part."""
    layers: list[Layer | None] = []
    for part in database.parts:
        codes = database.read(part, part.start, part.stop)
        bits = codes != 0
        if number is not None and part.start <= number < part.stop:
            bits[number - part.start] ^= True
        words = np.zeros(-(-part.size // 64), np.uint64)
        packed = np.packbits(bits, bitorder="little")
        words.view(np.uint8)[: len(packed)] = packed
        told = int(bits.sum()) + (part.name == miscount)
        layers.append(Layer(PlainBits(words), part.start, int(codes.max(initial=1)), told))
    return Database(database.game, database.rule, BitCodes(database.parts, layers), database.facts)


SHARDS = Layout(chunk=8, files=4, shard=2)
KEPT = ((TRIANGLE, SHARDS), (TURNED, None), (CORNER, Layout(chunk=16)), (Fall(), SHARDS))


@pytest.mark.parametrize(("game", "layout"), KEPT, ids=str)
def test_layers_are_kept_in_a_bit_a_number(game: Game, layout: Layout | None, tmp_path: Path) -> None:
    database = solved(game)
    write_database(database, tmp_path / "it.db", layout=layout)
    header = read_header(tmp_path / "it.db")
    assert (header.form, header.dtype) == ("one-bit", "uint8")
    with Database.open(tmp_path / "it.db", game, cache=100) as kept:
        assert kept.dtype == database.dtype == np.uint8
        assert np.array_equal(kept.codes, database.codes)
        assert kept.histogram() == database.histogram()
        for part in database.parts:
            for first, stop in ((part.start, part.stop), (part.start + part.size // 3, part.stop - part.size // 4)):
                right = database.codes[first:stop]
                assert np.array_equal(kept.read(part, first, stop), right)
                bits = np.packbits(right != 0, bitorder="little")
                assert np.array_equal(kept.bits(part, first, stop), bits)
                assert np.array_equal(database.bits(part, first, stop), bits)
        for number in range(0, database.size, 61):
            assert kept.residue(number) == database.codes[number]
        deepest = max(value for value in database.histogram() if value is not None)
        for value in {0, deepest // 2, deepest}:
            found = [position.text for position in kept.find(value=value, limit=5)]
            assert found == [position.text for position in database.find(value=value, limit=5)]
            line = kept.line(kept.find(value=value, limit=1)[0])
            assert (len(line.moves), line.verify()) == (value, [])
        assert are_layers(kept)
        for one in (database, kept):
            report = one.verify(Run(threads=2))
            assert (report.count, report.states) == (0, one.size), report


def test_deep_layers_have_wide_codes(tmp_path: Path) -> None:
    game = Fall()
    parts = game.parts()
    words = np.full(1, 0b0110011, np.uint64)
    layers = [Layer(PlainBits(words), part.start, 250 + 2 * place, 4) for place, part in enumerate(parts)]
    database = Database(game, Depth(), BitCodes(parts, layers))
    database.save(tmp_path / "it.db")
    with Database.open(tmp_path / "it.db", game) as kept:
        assert kept.dtype == database.dtype == np.uint16
        assert np.array_equal(kept.codes, database.codes)
        assert kept.codes.tolist() == [
            code for part in range(len(parts)) for code in np.array([1, 1, 0, 0, 1, 1, 0]) * (250 + 2 * part)
        ]
        assert kept.residue(parts[-1].start) == 250 + 2 * (len(parts) - 1)


def test_values_that_happen_to_be_layers_are_kept_in_bits_too(tmp_path: Path) -> None:
    values = solve_states(TRIANGLE, solver="bfs", form="values")
    assert values.dtype == np.uint8
    values.save(tmp_path / "it.db")
    assert read_header(tmp_path / "it.db").form == "one-bit"
    with Database.open(tmp_path / "it.db") as kept:
        assert np.array_equal(kept.codes, values.codes)
        assert kept.verify()


@pytest.mark.parametrize("target", ["cpu", "interpreted"])
@pytest.mark.parametrize("game", [TURNED, Fall(6)], ids=str)
def test_a_wrong_bit_is_found_in_memory_and_on_disk(game: Game, target: Any, tmp_path: Path) -> None:
    right = solved(game)
    reached, not_reached = np.flatnonzero(right.codes), np.flatnonzero(right.codes == 0)
    some = [*reached[:: max(1, len(reached) // 7)].tolist(), *not_reached[:: max(1, len(not_reached) // 9)].tolist()]
    for number in dict.fromkeys(some):
        wrong = changed(right, number)
        assert are_layers(wrong)
        report = verify_database(wrong, Run(threads=2), 1000, target)
        assert report.count, number
        numbers = {fault.number for fault in report.faults}
        # A state that is missing is missed by what leads to it; one too many is led to by nothing.
        assert number in numbers, (number, report)
    wrong.save(tmp_path / "it.db")
    with Database.open(tmp_path / "it.db", game) as kept:
        assert [*map(str, kept.verify(limit=1000).faults)] == [*map(str, wrong.verify(limit=1000).faults)]


def test_what_a_wrong_bit_breaks() -> None:
    game = TRIANGLE
    right = solved(game)
    start = game.rank(game.start())
    claims = {fault.claim for fault in changed(right, start).verify().faults}
    assert claims >= {"start", "reached"}
    missing = right.number(right.find(value=5, limit=1)[0])
    assert {fault.claim for fault in changed(right, missing).verify().faults} >= {"value"}
    representative = solved(TURNED)
    twin = next(n for n in range(representative.size - 1, 0, -1) if TURNED.rank(TURNED.unrank(n)) != n)
    assert "representative" in {fault.claim for fault in changed(representative, twin).verify().faults}


def test_a_part_that_nothing_reaches_must_be_empty(tmp_path: Path) -> None:
    game = CORNER
    right = solved(game)
    empty = next(part for part in right.parts if len(right.part_counts(part)) == 1)
    report = changed(right, empty.start).verify()
    assert any(fault.number == empty.start and fault.claim == "reached" for fault in report.faults)


def test_wrong_counts_of_a_layer_are_found() -> None:
    report = changed(solved(TRIANGLE), miscount="7 pegs").verify()
    assert [(fault.claim, fault.position) for fault in report.faults] == [("counts", "part 7 pegs")]


def test_a_move_out_of_the_index_is_found() -> None:
    class Astray(Fall):
        def rules(self) -> Mapping[str, Callable[..., Any]]:
            def moves(state: State, out: Any) -> int:
                out[0] = 2
                out[1] = 12
                return 2

            return {**super().rules(), "moves": moves}

    right = solved(Fall(4))
    report = Database(Astray(4), right.rule, changed(right).store).verify()
    assert {fault.claim for fault in report.faults} == {"successor"}
    assert report.count == 2 * right.histogram()[3]


def test_verification_of_layers_is_refused_where_two_do_not_fit() -> None:
    database = solved(TRIANGLE)
    largest = max(part.size for part in database.parts) // 8 + 8
    assert database.verify(Run(memory=2 * largest, threads=1))
    with pytest.raises(OutOfMemory, match="verifying"):
        database.verify(Run(memory=2 * largest - 1, threads=1))


def test_other_depths_are_no_layers() -> None:
    assert not are_layers(solve_states(TURNED, solver="bfs", form="two-bit"))
    assert not are_layers(solve_states(TURNED, solver="bfs", form="reachability"))
    assert not are_layers(solve_states(TURNED))
    right = solved(TRIANGLE)
    codes = right.codes.copy()
    codes[right.number(right.find(value=5, limit=1)[0])] = 9
    assert not are_layers(Database(TRIANGLE, Depth(), codes))


def test_an_altered_bit_on_disk_is_noticed(tmp_path: Path) -> None:
    solved(TRIANGLE).save(tmp_path / "it.db")
    with Database.open(tmp_path / "it.db") as kept:
        file = next((tmp_path / "it.db" / "parts" / "7%20pegs").rglob("c/0"))
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        with pytest.raises(DamagedData):
            kept.verify()
