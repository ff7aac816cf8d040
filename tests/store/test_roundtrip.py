"""Every query gives the same answer in memory, from disk, and by looking at every state."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import zarr

import naive
from graphs import GraphGame
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, DamagedData, NoConsent, StaleDatabase, UnknownGame, Unsolvable
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database, open_database
from searchbench.store import header as head
from searchbench.store.writing import Layout, write_database
from searchbench.values import Distance, Outcome, Result, ValueRule
from searchbench.verify import verify_database

SMALL = Layout(chunk=50, files=3, shard=2)
"""Many chunks and shards even for small tables."""


def solved(spec: str, solver: str | None = None) -> Database:
    """Solve with one thread."""
    return solve_states(load(spec), solver=solver, run=Run(threads=1))


def kept(database: Database, folder: Path, layout: Layout | None = None, **options: Any) -> Database:
    """Write a database and open it."""
    path = folder / "x.db"
    if layout is None:
        database.save(path, "a command")
    else:
        write_database(database, path, "a command", layout=layout)
    return Database.open(path, **options)


GAMES = [("sliding:2x3", None), ("sliding:2x3", "bfs"), ("mnk:3,2,2", None), ("awari:2", None)]


@pytest.mark.parametrize(("spec", "solver"), GAMES)
@pytest.mark.parametrize("layout", [None, SMALL, Layout(chunk=7)])
def test_every_query_answers_alike(spec: str, solver: str | None, layout: Layout | None, tmp_path: Path) -> None:
    memory = solved(spec, solver)
    with kept(memory, tmp_path, layout, cache=200) as disk:
        game = memory.game
        assert (disk.game, disk.rule, disk.facts, disk.parts) == (game, memory.rule, memory.facts, memory.parts)
        assert (disk.states, disk.reachable, disk.size) == (memory.states, memory.reachable, memory.size)
        assert disk.command == "a command"
        assert disk.codes.dtype == memory.codes.dtype
        assert np.array_equal(disk.codes, memory.codes)
        assert [disk.code(number) for number in range(disk.size)] == memory.codes.tolist()
        assert list(disk.histogram().items()) == list(memory.histogram().items())
        for part in memory.parts:
            assert disk.histogram(part.name) == memory.histogram(part.name)
        value = next(iter(memory.histogram()))
        for wanted in (None, value, memory.rule.format(value)):
            for numbers in (None, (3, memory.size // 2), (5, 5)):
                assert disk.find(wanted, numbers) == memory.find(wanted, numbers)
                assert disk.count(wanted, numbers) == memory.count(wanted, numbers) == len(memory.find(wanted, numbers))
        for position in memory.find(limit=40):
            assert disk.probe(position) == memory.probe(position.text) == memory.probe(position.state)
            assert disk.moves(position) == memory.moves(position)
            if memory.probe(position) is not None:
                assert disk.line(position) == memory.line(position)
        assert disk.verify(Run(threads=1)) == memory.verify(Run(threads=1))


@pytest.mark.parametrize("spec", ["sliding:2x3", "mnk:3,2,2"])
def test_queries_against_looking_at_every_state(spec: str, tmp_path: Path) -> None:
    disk = kept(solved(spec), tmp_path, SMALL)
    graph = naive.explicit(disk.game)
    if isinstance(disk.rule, Distance):
        values: dict[int, Any] = naive.table(graph, naive.distances(graph))
        some, text = 14, "12-14"
        fits: Callable[[Any], bool] = lambda value: value in {12, 13, 14}  # noqa: E731
    else:
        values = naive.table(graph, naive.outcomes(graph))
        some, text = Result(1, 1), "win 1-3"
        fits = lambda value: value[0] == 1 and 1 <= value[1] <= 3  # noqa: E731
    assert disk.histogram() == naive.histogram(values)
    assert [disk.number(found) for found in disk.find(some)] == naive.find(values, lambda value: value == some)
    assert [disk.number(found) for found in disk.find(text)] == naive.find(values, fits)
    assert disk.count(text) == len(naive.find(values, fits))

    def first_cell_empty(position: Any) -> bool:
        return position.state[0] == 0

    everywhere = [number for number, state in sorted(graph.numbers.items()) if state[0] == 0]
    assert [disk.number(found) for found in disk.find(predicate=first_cell_empty)] == everywhere
    assert disk.count(predicate=first_cell_empty) == len(everywhere)
    assert len(disk.find(predicate=first_cell_empty, limit=3)) == min(3, len(everywhere))


# --- lines ------------------------------------------------------------------------------------------------------------


def test_lines_of_a_puzzle_are_as_short_as_their_value() -> None:
    database = solved("sliding:2x3")
    for position in database.find(limit=60):
        if database.probe(position) is None:
            with pytest.raises(Unsolvable):
                database.line(position)
            continue
        line = database.line(position)
        assert len(line) == line.cost == database.probe(position)
        assert line.optimal
        assert database.game.terminal(line.states()[-1]) == 0
        assert line.verify() == []
        assert len(database.line(position, limit=2)) == min(2, line.cost)


def test_lines_past_moves_that_cost_nothing() -> None:
    # From node 0 a free cycle 0 <-> 1 looks as good as the way on.
    edges = ((0, 1, 0, 0), (0, 2, 0, 0), (1, 0, 0, 0), (2, 3, 4, 0))
    game = GraphGame(edges, (UNDECIDED, UNDECIDED, UNDECIDED, 0))
    database = Database(game, Distance(), np.array([5, 5, 5, 1], np.uint8))
    assert verify_database(database, Run(threads=1), target="interpreted").count == 0
    line = database.line((1,))
    assert (line.states(), line.cost) == ([(1,), (0,), (2,), (3,)], 4)


def test_wrong_values_have_no_line() -> None:
    game = GraphGame(((0, 1, 1, 0),), (UNDECIDED, 0))
    with pytest.raises(DamagedData, match="contradict"):
        Database(game, Distance(), np.array([9, 1], np.uint8)).line()


def test_lines_of_two_players_win_as_soon_as_they_can() -> None:
    database = solved("mnk:3,2,2")
    line = database.line()
    outcome = database.probe()
    assert len(line) == outcome.depth
    assert database.game.terminal(line.states()[-1]) != UNDECIDED
    depths = [database.probe(state).depth for state in line.states()]
    assert depths == list(range(outcome.depth, -1, -1))


def test_a_drawn_line_ends_where_it_repeats() -> None:
    game = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED), "outcome")
    line = Database(game, Outcome(), np.zeros(2, np.uint8)).line()
    assert line.states() == [(0,), (1,), (0,)]
    assert len(Database(game, Outcome(), np.zeros(2, np.uint8)).line(limit=1)) == 1


def test_lines_of_depths_come_from_the_start() -> None:
    database = solved("sliding:2x3", "bfs")
    (deepest,) = database.find(value=21)
    line = database.line(deepest)
    assert (line.start, line.states()[-1], len(line)) == (tuple(database.game.start()), deepest.state, 21)
    assert line.moves == database.line(deepest, limit=99).moves
    with pytest.raises(Unsolvable, match="start does not lead"):
        database.line(database.find("unreachable", limit=1)[0])


def test_moves_come_best_first() -> None:
    database = solved("mnk:3,2,2")
    for position in database.find(limit=80):
        choices = database.moves(position)
        value = database.probe(position)
        if choices:
            best = choices[0].value
            assert (value.outcome, value.depth) == (-best.outcome, best.depth + 1 if best.outcome else 0)
        assert sorted(choice.move for choice in choices) == sorted(database.game.moves(position.state))


# --- states that the index leaves out, and what is no state -----------------------------------------------------------


def test_ends_of_the_game_without_a_number(tmp_path: Path) -> None:
    edges = ((0, 1, 1, 0), (0, 2, 1, 0))
    game = GraphGame(edges, (UNDECIDED, 1, -1), "outcome", numbered=1)
    database = kept(solve_states(game, run=Run(threads=1), target="interpreted"), tmp_path, game=game)
    assert database.probe((1,)) == Result(1, 0)
    assert database.probe() == Result(1, 1)
    assert [choice.value for choice in database.moves()] == [Result(-1, 0), Result(1, 0)]
    assert database.line().states() == [(0,), (2,)]


@pytest.mark.parametrize(
    "what",
    ["1 2 3", "0 1 2 3 4 9", "x", "", (0, 1, 2, 3, 4, 4, 0), (1, 2), (5, 1, 2, 3, 4, 0, 3), (0, 1, 2, 3, 4, 77, 0)],
)
def test_what_is_no_state_is_refused(what: Any) -> None:
    database = solved("sliding:2x3")
    for query in (database.probe, database.moves, database.line):
        with pytest.raises(BadState):
            query(what)


def test_numbers_of_no_position_are_refused() -> None:
    game = GraphGame(((0, 1, 1, 0),), (UNDECIDED, 0, UNDECIDED), absent=(2,))
    database = solve_states(game, run=Run(threads=1), target="interpreted")
    assert (database.states, database.size) == (2, 3)
    for query in (database.position, lambda number: database.probe((number,))):
        with pytest.raises(BadState):
            query(2)
    for number in (-1, 3):
        with pytest.raises(BadState):
            database.code(number)


def test_bad_requests_are_refused(tmp_path: Path) -> None:
    database = solved("sliding:2x3")
    bad: list[Callable[[], Any]] = [
        lambda: database.find(limit=-1), lambda: database.find(numbers=(5, 2)), lambda: database.find("many"),
        lambda: database.count(numbers=(0, 10**6)), lambda: database.histogram("nowhere"),
        lambda: database.line(limit=-1), lambda: Database(database.game, Distance(), database.codes[1:]),
        lambda: database.save(tmp_path / "no" / "x.db"), lambda: Database.open(tmp_path / "none.db"),
        lambda: open_database(tmp_path, cache="lots"),
    ]  # fmt: skip
    for request in bad:
        with pytest.raises((BadRequest, DamagedData)):
            request()


# --- the folder -------------------------------------------------------------------------------------------------------


def test_any_reader_of_zarr_can_read_it(tmp_path: Path) -> None:
    database = solved("mnk:3,2,2")
    database.save(tmp_path / "x.db", "searchbench solve mnk:3,2,2")
    group = zarr.open_group(tmp_path / "x.db", mode="r")
    for part in database.parts:
        assert np.array_equal(group[f"parts/{part.name}"][:], database.codes[part.start : part.stop])
    attributes = group.attrs["searchbench"]
    assert attributes["game"]["name"] == "mnk"
    assert attributes["command"] == "searchbench solve mnk:3,2,2"
    assert attributes["histogram"] == {database.rule.format(value): n for value, n in database.histogram().items()}
    assert (attributes["states"], attributes["reachable"]) == (database.states, database.reachable)


def test_large_parts_are_kept_in_shards(tmp_path: Path) -> None:
    database = solved("sliding:2x3")
    write_database(database, tmp_path / "many.db", layout=Layout(chunk=50, files=100))
    write_database(database, tmp_path / "few.db", layout=Layout(chunk=50, files=3, shard=4))
    assert len(os.listdir(tmp_path / "many.db/parts/all/c")) == 15
    assert len(os.listdir(tmp_path / "few.db/parts/all/c")) == 4
    assert np.array_equal(Database.open(tmp_path / "few.db").codes, Database.open(tmp_path / "many.db").codes)


def test_the_same_database_is_the_same_folder(tmp_path: Path) -> None:
    database = solved("mnk:3,2,2")
    database.save(tmp_path / "one.db")
    Database.open(tmp_path / "one.db").save(tmp_path / "two.db")
    one, two = ({p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()} for root in
                (tmp_path / "one.db", tmp_path / "two.db"))  # fmt: skip
    assert one == two


@pytest.mark.parametrize("name", ["all", "4-3", "a/b", "..", ".", "__x", "", "ü *?", "%2E", "c", "zarr.json"])
def test_part_names_become_folders_one_to_one(name: str) -> None:
    folder = head.folder_name(name)
    others = {"all", "4-3", "a/b", "..", ".", "__x", "", "%", "%2E%2E", "%2E"} - {name}
    assert folder not in {head.folder_name(other) for other in others}
    assert "/" not in folder
    assert folder.strip(".")
    assert not folder.startswith("__")


@dataclass(frozen=True)
class Parted(GraphGame):
    """Give the parts of a graph game odd names."""

    name: ClassVar[str] = "parted"

    def parts(self) -> list[Part]:
        """Rename the parts."""
        names = dict(zip([part.name for part in super().parts()], ["..", "a/b", "__x"], strict=False))
        return [
            part._replace(name=names[part.name], needs=tuple(names[need] for need in part.needs))
            for part in super().parts()
        ]


def test_parts_with_odd_names_are_kept(tmp_path: Path) -> None:
    game = Parted(tuple((node + 1, node, 1, 0) for node in range(5)), (0,) + (UNDECIDED,) * 5, cuts=(2, 4))
    database = solve_states(game, run=Run(threads=1), target="interpreted")
    disk = kept(database, tmp_path, game=game)
    assert [disk.histogram(name) for name in ("..", "a/b", "__x")] == [{0: 1, 1: 1}, {2: 1, 3: 1}, {4: 1, 5: 1}]


def test_wide_codes_are_kept(tmp_path: Path) -> None:
    game = GraphGame(tuple((node + 1, node, 30000, 0) for node in range(5)), (0,) + (UNDECIDED,) * 5, first=5)
    database = solve_states(game, run=Run(threads=1), target="interpreted")
    assert database.dtype == np.uint32
    disk = kept(database, tmp_path, Layout(chunk=2), game=game)
    assert disk.histogram() == {30000 * node: 1 for node in range(6)} == database.histogram()
    assert disk.line().cost == 150000
    assert verify_database(disk, Run(threads=1), target="interpreted").count == 0


def test_parts_that_leave_gaps_are_refused(tmp_path: Path) -> None:
    class Gap(GraphGame):
        name: ClassVar[str] = "gap"

        def parts(self) -> list[Part]:
            return [Part("a", 0, 1, ("a",)), Part("b", 2, 3, ("b",))]

    database = Database(Gap((), (0, 0, 0)), Distance(), np.ones(3, np.uint8))
    with pytest.raises(BadRequest, match="part 'b' starts at 2, expected 1"):
        database.save(tmp_path / "x.db")
    assert list(tmp_path.iterdir()) == []


# --- what it was made of ----------------------------------------------------------------------------------------------

TOKEN = """
from dataclasses import dataclass
from searchbench.game import Game
from searchbench.index import {index}
from searchbench.rules import UNDECIDED

@dataclass(frozen=True)
class Token(Game):
    name = "token"
    version = {version}
    width = 1
    max_moves = 1
    n: int = 5

    def index(self):
        return Radix((self.n,))

    def rules(self):
        def start(state): state[0] = 0
        def terminal(state): return 0 if state[0] == 0 else UNDECIDED
        def moves(state, out):
            out[0] = {step}
            return 1 if state[0] >= {step} else 0
        def unmoves(state, out):
            out[0] = {step}
            return 1 if state[0] + {step} < {n} else 0
        def play(state, move): state[0] -= move
        def unplay(state, move): state[0] += move
        return dict(start=start, terminal=terminal, moves=moves, unmoves=unmoves, play=play, unplay=unplay)
"""


def write_token(folder: Path, step: int = 1, version: int = 1) -> str:
    """Write a game file; return the game's name."""
    path = folder / "token_game.py"
    path.write_text(TOKEN.format(step=step, version=version, index="Radix", n="self.n" if step == 1 else 5))
    return f"{path}:Token:5"


def test_changed_rules_make_a_database_stale(tmp_path: Path) -> None:
    spec = write_token(tmp_path)
    game = load(spec)
    solve_states(game, run=Run(threads=1), target="interpreted").save(tmp_path / "x.db")
    assert Database.open(tmp_path / "x.db").probe("4") == 4
    write_token(tmp_path, step=2)
    with pytest.raises(NoConsent, match="not run before as it is now"):
        Database.open(tmp_path / "x.db")
    with pytest.raises(StaleDatabase, match="solve the game again"):
        Database.open(tmp_path / "x.db", trust=True)
    write_token(tmp_path, version=2)
    with pytest.raises(DamagedData, match="version 1 of token, which is at version 2"):
        Database.open(tmp_path / "x.db", trust=True)
    (tmp_path / "token_game.py").unlink()
    with pytest.raises(UnknownGame, match="name the game"):
        Database.open(tmp_path / "x.db")
    assert Database.open(tmp_path / "x.db", game=game).probe("4") == 4


def test_another_game_is_refused(tmp_path: Path) -> None:
    solved("sliding:2x3").save(tmp_path / "x.db")
    with pytest.raises(BadRequest, match="is of sliding:2x3, not of sliding:2x2"):
        Database.open(tmp_path / "x.db", game=load("sliding:2x2"))


@dataclass(frozen=True)
class Modular(ValueRule):
    """Give each state one more than its largest successor, modulo `modulus`."""

    name: ClassVar[str] = "modular"
    modulus: int = 5

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""
        modulus = self.modulus

        def initial(result: int, count: int) -> int:
            return 0

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            best = -1
            for index in range(count):
                best = max(best, successors[index])
            return (best + 1) % modulus

        return {"initial": initial, "gather": gather}


def test_a_rule_of_ones_own_must_be_named(tmp_path: Path) -> None:
    game: Game = GraphGame(((1, 0, 1, 0), (2, 1, 1, 0), (3, 2, 1, 0)), (0,) + (UNDECIDED,) * 3)
    database = solve_states(game, Modular(3), run=Run(threads=1), target="interpreted")
    assert database.codes.tolist() == [0, 1, 2, 0]
    database.save(tmp_path / "x.db")
    with pytest.raises(DamagedData, match="name the value rule"):
        Database.open(tmp_path / "x.db", game=game)
    with pytest.raises(DamagedData, match="modulus"):
        Database.open(tmp_path / "x.db", game=game, rule=Modular(4))
    disk = Database.open(tmp_path / "x.db", game=game, rule=Modular(3))
    report = verify_database(disk, Run(threads=1), target="interpreted")
    assert (report.count, "user-defined" in report.note) == (0, True)
    wrong = Database(game, Modular(3), np.array([0, 1, 1, 0], np.uint8))
    faults = verify_database(wrong, Run(threads=1), target="interpreted").faults
    assert {fault.number for fault in faults} == {2, 3}
