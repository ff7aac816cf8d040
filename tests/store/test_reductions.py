"""A database answers alike in every form that keeps its values, and says how a game ends in those that keep no depths."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchbench as sb
from graphs import GraphGame, chain, long_games, outcome_games, puzzles, score_games, symmetric_games
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, DamagedData
from searchbench.game import Game
from searchbench.index.protocol import leads_on
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database, restoring
from searchbench.store.codes import MemoryCodes
from searchbench.store.growing import GrowingDatabase
from searchbench.store.header import PartRecord
from searchbench.store.keep import Keep
from searchbench.store.opening import read_header
from searchbench.store.reducing import ReducedCodes
from searchbench.store.reductions import Reduction, wanted
from searchbench.store.restoring import RestoredCodes, restored
from searchbench.values import Distance, Ending, Won
from searchbench.verify import verify_database

KEEPING = ("values", "filled", "every:2", "every:4", "every:3,1", "best-move", "parity")
ENDING = ("base-3", "two-bit", "one-bit")
GAMES = ("tic-tac-toe", "sliding:3x3", "morris:3,3", "awari:8")
FITTING = {
    "tic-tac-toe": {*KEEPING, *ENDING} - {"parity"},
    "sliding:3x3": set(KEEPING),
    "morris:3,3": {*KEEPING, *ENDING} - {"parity"},
    "awari:8": {"values", "filled"},
}


@lru_cache
def solved(spec: str) -> Database:
    """Solve a game once."""
    return sb.solve(spec)


def in_form(spec: str, form: str, folder: Path, codec: str | None = None) -> Database:
    """Return a database in another form, opened from its folder."""
    return solved(spec).convert(folder / "kept.db", form, codec)


def size(folder: Path) -> int:
    """Return the bytes of all codes in a folder."""
    return sum(file.stat().st_size for file in (folder / "parts").rglob("c/*"))


CASES = [(spec, form) for spec in GAMES for form in KEEPING if form in FITTING[spec]]
ENDINGS = [(spec, form) for spec in GAMES for form in ENDING if form in FITTING[spec]]
REFUSED = [(spec, form) for spec in GAMES for form in (*KEEPING, *ENDING) if form not in FITTING[spec]]


@pytest.mark.long
@pytest.mark.parametrize(("spec", "form"), CASES)
def test_every_query_answers_alike(spec: str, form: str, tmp_path: Path) -> None:
    right, kept = solved(spec), in_form(spec, form, tmp_path)
    assert (kept.game, kept.rule, kept.states, kept.reachable) == (
        right.game,
        right.rule,
        right.states,
        right.reachable,
    )
    few = (
        spec == "morris:3,3"
    )  # whose moves are many, so that a search of three plies by interpreted rules takes its time
    some = Random(form).sample(range(right.size), 8 if few else 40)
    assert [kept.code(number) for number in some] == [right.code(number) for number in some]  # each searched for
    positions = [right.position(number) for number in some if right.code(number) != right.illegal]
    for position in positions[: 1 if few else 3]:
        assert kept.probe(position) == right.probe(position)
        assert kept.moves(position) == right.moves(position)
        if spec != "awari:8" and right.probe(position) is not None:
            assert kept.line(position, limit=3) == right.line(position, limit=3)
    for number in [number for number in some if right.code(number) == right.illegal][:3]:
        with pytest.raises(BadState):
            kept.position(number)
    assert list(kept.histogram().items()) == list(right.histogram().items())
    assert np.array_equal(kept.codes, right.codes)
    value = right.hardest()
    assert kept.find(value) == right.find(value)
    assert kept.count(value, (0, right.size // 2)) == right.count(value, (0, right.size // 2))
    assert [kept.code(number) for number in some] == [right.code(number) for number in some]  # from memory
    kept.close()
    assert kept.code(some[0]) == right.code(some[0])


@pytest.mark.long
@pytest.mark.parametrize(("spec", "form"), [case for case in CASES if case[0] != "awari:8"])
def test_what_was_left_out_is_verified_with_the_rest(spec: str, form: str, tmp_path: Path) -> None:
    report = in_form(spec, form, tmp_path).verify()
    assert (report.states, report.count, report.note) == (solved(spec).states, 0, "")


@pytest.mark.parametrize(("spec", "form"), ENDINGS)
def test_how_a_game_ends_is_kept_without_depths(spec: str, form: str, tmp_path: Path) -> None:
    right, kept = solved(spec), in_form(spec, form, tmp_path)
    words = {1: "win", 0: "draw", -1: "loss"}
    if form == "one-bit":
        words = {1: "won", 0: "not won", -1: "not won"}
    values = {number: right.probe(position) for number, position in _some(right)}
    for number, value in values.items():
        position = right.position(number)
        assert kept.probe(position) == words[value.outcome]
        choices = kept.moves(position)
        assert sorted(choice.move for choice in choices) == sorted(right.game.moves(position.state))
        if form != "one-bit" and choices:
            assert kept.worth(position.state, choices[0]) == words[value.outcome]
        for choice in choices if form == "one-bit" else ():
            then = right.probe(choice.position).outcome
            over = right.game.terminal(choice.position.state) != UNDECIDED
            known = {1: "not won", 0: "not won" if over else None, -1: "won" if over else None}
            assert kept.worth(position.state, choice) == known[then]
            assert kept.worth_of(choice.value, 1) == ("not won" if then == 1 else None)
    counts: dict[str, int] = {}
    for value, count in right.histogram().items():
        counts[words[value.outcome]] = counts.get(words[value.outcome], 0) + count
    assert kept.histogram() == counts
    for word, count in counts.items():
        assert kept.count(word) == count
        assert [right.probe(found).outcome for found in kept.find(word, limit=5)] == [
            right.probe(found).outcome
            for found in kept.find(word, limit=5)
            if words[right.probe(found).outcome] == word
        ]
    illegal = right.codes == right.illegal
    assert np.array_equal(kept.codes == kept.illegal, illegal)
    acyclic = leads_on(right.game.parts())  # then wins and losses lead somewhere
    for query in (kept.hardest,) if acyclic and form != "one-bit" else (kept.line, kept.hardest):
        with pytest.raises(BadRequest, match=r"no lines|no depths"):
            query()
    with pytest.raises(BadRequest, match="expected"):
        kept.find("win 3")
    report = kept.verify()
    assert (report.states, report.count) == (right.states, 0)
    assert ("depths are not kept" in report.note) != acyclic


def _some(database: Database) -> list[tuple[int, Any]]:
    numbers = Random(5).sample(range(database.size), 20)
    return [(number, database.position(number)) for number in numbers if database.code(number) != database.illegal]


@pytest.mark.parametrize(("spec", "form"), REFUSED)
def test_a_form_that_cannot_hold_the_values_is_refused(spec: str, form: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=f"form '{form}': .*{spec}"):
        in_form(spec, form, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "form", ["every", "every:1", "every:99", "every:4,4", "every:x", "base-4", "values:2", "", "best"]
)
def test_a_form_that_is_none_is_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="form"):
        solved("tic-tac-toe").save(tmp_path / "x.db", form=form)


@pytest.mark.parametrize("codec", ["zip", "zstd:0", "zstd:23", "gzip:x", "lz4:10", "none:1", ""])
def test_a_codec_that_is_none_is_refused(codec: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="codec"):
        solved("tic-tac-toe").save(tmp_path / "x.db", codec=codec)


def test_what_leaves_out_more_is_smaller(tmp_path: Path) -> None:
    def bytes_of(spec: str, form: str) -> int:
        solved(spec).save(tmp_path / "x.db", overwrite=True, form=form, codec="zstd:19")
        return size(tmp_path / "x.db")

    for spec, forms in {
        "sliding:3x3": ("values", "parity", "best-move", "every:2", "every:4", "every:8"),
        "morris:3,3": ("values", "filled", "every:2", "every:4", "two-bit", "base-3"),
    }.items():
        sizes = [bytes_of(spec, form) for form in forms]
        assert all(less < more for more, less in pairwise(sizes)), (spec, sizes)
    with pytest.raises(BadRequest, match="mapped"):
        solved("tic-tac-toe").save(tmp_path / "y.db", mapped=True, form="filled")


@pytest.mark.long
def test_forms_are_converted_into_each_other(tmp_path: Path) -> None:
    right = solved("tic-tac-toe")
    database = right
    for place, form in enumerate(("best-move", "every:2", "filled", "values", "every:4,3", "best-move")):
        database = database.convert(tmp_path / f"{place}.db", form)
        assert np.array_equal(database.codes, right.codes)
    endings = database.convert(tmp_path / "base-3.db", "base-3")
    two = endings.convert(tmp_path / "two-bit.db", "two-bit")
    assert np.array_equal(two.codes, endings.codes)
    assert two.convert(tmp_path / "won.db", "one-bit").histogram() == {"not won": 2642, "won": 2836}
    with pytest.raises(BadRequest, match="values of distance or outcome"):
        endings.convert(tmp_path / "back.db", "every:2")
    assert read_header(tmp_path / "4.db").kept_as == "every:4,3"
    depths = sb.solve("sliding:2x3", solver="bfs", form="two-bit")
    with pytest.raises(BadRequest, match="cannot be repaired"):
        database.repair()
    with pytest.raises(BadRequest, match="modulo 3"):
        depths.save(tmp_path / "depths.db", form="every:2")


def test_parts_of_a_game_are_converted(tmp_path: Path) -> None:
    parts = sb.solve("awari:4", parts="2", to=tmp_path / "parts.db")
    for form in ("values", "filled"):
        kept = parts.convert(tmp_path / f"{form}.db", form, "gzip:9")
        assert kept.histogram() == parts.histogram()
        assert kept.find(limit=9) == parts.find(limit=9)
    with pytest.raises(BadRequest, match="'filled': parts are added to whole values only"):
        GrowingDatabase(tmp_path / "filled.db", parts.game, parts.rule)
    sb.solve("awari:4", parts="3", to=tmp_path / "values.db")
    assert read_header(tmp_path / "values.db").codec == "gzip:9"
    more = sb.open_database(tmp_path / "values.db")
    assert more.histogram("3") == sb.solve("awari:4").histogram("3")


def test_solving_keeps_the_form_that_is_asked_for(tmp_path: Path) -> None:
    sb.solve("tic-tac-toe", to=tmp_path / "x.db", form="base-3", codec="gzip:9")
    header = read_header(tmp_path / "x.db")
    assert (header.kept_as, header.codec, header.rule["name"]) == ("base-3", "gzip:9", "ending")
    for options in ({"form": "base-3"}, {"form": "every:0", "to": tmp_path / "y.db"}, {"codec": "gzip"},
                    {"codec": "zip", "to": tmp_path / "y.db"}):  # fmt: skip
        with pytest.raises(BadRequest):
            sb.solve("tic-tac-toe", **options)
    assert not (tmp_path / "y.db").exists()


# --- random graphs: cycles, jumps over depths, several parts, costs, symmetries ------------------------------------------


def there_and_back(game: Game, form: str) -> None:
    """Reduce the values of a game and find them again, by the whole table and one by one."""
    right = solve_states(game, run=Run(threads=1), target="interpreted")
    try:
        codes = ReducedCodes(right, wanted(form, game, right.rule))
        stored = MemoryCodes(codes.whole())
    except BadRequest as error:
        assert "cost nothing" in str(error)  # noqa: PT017
        assert any(edge[2] == 0 for edge in game.edges)  # type: ignore[attr-defined]
        return
    records = [PartRecord(*part, counts=tuple(codes.counts(part).items()), digest="") for part in right.parts]

    def fresh() -> RestoredCodes:
        return restored(stored, codes.reduction, records, game, right.rule)

    found = fresh()
    for part in right.parts:
        assert found.read(part, part.start, part.stop).tolist() == right.codes[part.start : part.stop].tolist()
    alone = fresh()
    assert [alone.code(number) for number in range(right.size)] == right.codes.tolist()


FORMS = st.sampled_from(["filled", "every:2", "every:3", "every:4,1", "every:5,0", "best-move"])


@settings(deadline=None, max_examples=60)
@given(st.one_of(outcome_games(), puzzles(), symmetric_games("distance"), symmetric_games("outcome")), FORMS)
def test_random_games_come_back(game: GraphGame, form: str) -> None:
    if game.values != "score" or form == "filled":
        there_and_back(game, form)


@settings(deadline=None, max_examples=15)
@given(score_games())
def test_random_points_come_back(game: GraphGame) -> None:
    there_and_back(game, "filled")


@settings(deadline=None, max_examples=60)
@given(st.one_of(outcome_games(), puzzles(), symmetric_games("distance"), long_games()), st.integers(1, 3))
def test_lines_of_best_moves_come_back_however_few_states_are_worked_out_in_one_go(game: GraphGame, room: int) -> None:
    with mock.patch.object(restoring, "PATH", room):
        there_and_back(game, "best-move")


def test_lines_of_more_than_65536_best_moves_are_followed_to_their_end() -> None:
    length = (1 << 16) + Random(4).randint(1, 40)
    game = chain([1] * length)
    stored = MemoryCodes(np.array([0] + [1] * length, np.uint8))  # each node has one move, which is the best
    records = [PartRecord(*game.parts()[0], counts=(), digest="")]
    kept = restored(stored, Reduction("best-move", "uint32"), records, game, Distance())
    kept._missing, kept._codes = np.zeros(length + 1, np.uint8), np.zeros(length + 1, np.uint32)
    kept._missing[1:], kept._codes[0] = 1, 1
    with Run(threads=1) as run:
        kept._follow(run, [(length, length + 1), (length - 9, length + 1)])
    assert kept._codes[-10:].tolist() == list(range(length - 8, length + 2))


def test_moves_beyond_65536_are_best_moves_too() -> None:
    dead_ends = (1 << 16) + Random(5).randint(0, 40)
    edges = (*((1, 2, 1, 0) for _ in range(dead_ends)), (1, 0, 1, 0))
    there_and_back(GraphGame(edges, (0, UNDECIDED, UNDECIDED), first=1), "best-move")


def test_a_quicker_win_that_skips_kept_depths_is_no_trap() -> None:
    # A loss in 6 whose other way is lost in 4: both the way in 5 and the one in 3 lie between the depths 0, 4, 8.
    line = [(node, node - 1, 1, 0) for node in range(1, 7)]
    game = GraphGame((*line, (6, 3, 1, 0)), (-1,) + (UNDECIDED,) * 6, "outcome", first=6)
    for remainder in range(4):
        there_and_back(game, f"every:4,{remainder}")


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "codec"), [("every:2", "zstd:19"), ("best-move", "gzip:6"), ("base-3", "lz4:5"), ("one-bit", "none")]
)
def test_altered_bytes_are_noticed(form: str, codec: str, tmp_path: Path) -> None:
    right = in_form("mnk:3,2,2", form, tmp_path, codec)
    codes = right.codes.copy()
    places = Random(3)
    for part in right.parts[2:4]:
        file = tmp_path / "kept.db" / "parts" / part.name / "c" / "0"
        content = file.read_bytes()
        for _ in range(3):
            place = places.randrange(8 * len(content))
            altered = bytearray(content)
            altered[place // 8] ^= 1 << place % 8
            file.write_bytes(altered)
            for ask in (lambda kept: kept.codes, lambda kept: [kept.code(number) for number in range(kept.size)]):
                with pytest.raises(DamagedData), sb.open_database(tmp_path / "kept.db") as kept:
                    ask(kept)
        file.write_bytes(content)
    assert np.array_equal(sb.open_database(tmp_path / "kept.db").codes, codes)


@pytest.mark.parametrize(
    "kept",
    [
        {"name": "every", "dtype": "uint8", "step": 4, "remainder": 4}, {"name": "every", "dtype": "uint8"},
        {"name": "some", "dtype": "uint8"}, {"name": "filled"}, {"name": "filled", "dtype": "float"}, {"colour": 1},
        {"name": "every", "dtype": "uint8", "step": "4", "remainder": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_header_that_tells_of_no_reduction_is_damaged(kept: dict[str, Any]) -> None:
    with pytest.raises(DamagedData, match="reduction"):
        Reduction.of(kept)


def test_moves_that_go_round_in_a_circle_are_damaged() -> None:
    edges = ((0, 1, 1, 0), (1, 0, 1, 0), (0, 2, 1, 0), (1, 2, 1, 0))
    game = GraphGame(edges, (UNDECIDED, UNDECIDED, 0))
    records = [PartRecord(*game.parts()[0], counts=(), digest="")]
    for stored in ([1, 1, 0], [9, 2, 0]):
        codes = MemoryCodes(np.array(stored, np.uint8))
        kept = restored(codes, Reduction("best-move", "uint8"), records, game, Distance())
        with pytest.raises(DamagedData, match="does not lead to a value"):
            kept.code(0)
        with pytest.raises(DamagedData, match="does not lead to a value"):
            kept.read(game.parts()[0], 0, 3)


def test_wrong_endings_are_found_by_verification() -> None:
    right = solved("mnk:3,2,2")
    endings = np.where(right.codes == 0, 2, np.where(right.codes & 1, 1, 3)).astype(np.uint8)
    endings[right.codes == right.illegal] = 255
    legal = np.flatnonzero(endings != 255)
    tables = (
        (Ending(), endings, (1, 2, 3)),
        (Won(), np.where(endings == 255, 255, endings == 3).astype(np.uint8), (0, 1)),
    )
    for rule, codes, every in tables:
        assert verify_database(Database(right.game, rule, codes), Run(threads=1)).count == 0
        for number in Random(2).sample(legal.tolist(), 12):
            for wrong in {*every, 255} - {int(codes[number])}:
                altered = codes.copy()
                altered[number] = wrong
                report = verify_database(Database(right.game, rule, altered), Run(threads=1))
                assert report.count > 0, (rule.name, number, wrong)


def test_endings_can_be_solved_for() -> None:
    game = load("mnk:2,2,2")
    endings, outcomes = (
        solve_states(game, rule, run=Run(threads=1), target="interpreted") for rule in ("ending", "outcome")
    )
    words = {1: "win", 0: "draw", -1: "loss"}
    for number in np.flatnonzero(outcomes.codes != outcomes.illegal).tolist():
        outcome = outcomes.rule.decode(outcomes.code(number)).outcome
        assert endings.rule.decode(endings.code(number)) == words[outcome]
    with pytest.raises(sb.SearchBenchError, match="no solver does"):
        solve_states(game, "won", run=Run(threads=1), target="interpreted")


@pytest.mark.parametrize("form", ["values", "filled", "base-3", "two-bit", "one-bit", "best-move"])
def test_a_form_is_kept_where_unfinished_work_was_kept_too(form: str, tmp_path: Path) -> None:
    (tmp_path / "db.work").mkdir()
    with sb.solve("tic-tac-toe", to=tmp_path / "db", form=form) as database:
        assert database.probe("start") is not None


def test_unfinished_work_has_a_place_outside_the_database(tmp_path: Path) -> None:
    assert Keep(f"{tmp_path}/eight.db/").working == tmp_path / "eight.db.work"
    for work in (tmp_path / "eight.db", tmp_path / "eight.db" / "work", f"{tmp_path}/x/../eight.db/"):
        with pytest.raises(BadRequest, match="unfinished work needs a folder outside the database"):
            Keep(tmp_path / "eight.db", work=work)
