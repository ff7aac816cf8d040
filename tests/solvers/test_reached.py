"""Numbers by what moves reach: any game, with an index of its own or none, against lists of states made by naive search."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import naive
import searchbench as sb
from searchbench.catalogue import shipped
from searchbench.errors import BadGame, BadRequest, BadState, DamagedData, OutOfMemory
from searchbench.game import Game
from searchbench.numbered import diagram_of
from searchbench.rules import NOWHERE, UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams import listing, reached
from searchbench.solvers.exhaustive.diagrams.listing import Listing
from searchbench.solvers.exhaustive.diagrams.reached import reached_game, start_alone
from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep
from searchbench.solvers.exhaustive.keeping import solve_request
from searchbench.solvers.exhaustive.request import requested
from searchbench.store.working import folder_at


def start(state: State, data: Any) -> None:
    """Write the first jugs: all but the last are full."""
    for jug in range(data.jugs):
        state[jug] = data.first[jug]


def moves(state: State, out: MutableSequence[int], data: Any) -> int:
    """Write the pairs of jugs of which the first is not empty and the second is not full; a move holds the amount."""
    count = 0
    for source in range(data.jugs):
        for target in range(data.jugs):
            amount = min(state[source], data.sizes[target] - state[target])
            if source != target and amount > 0:
                out[count] = (amount * data.jugs + source) * data.jugs + target
                count += 1
    return count


def play(state: State, move: int, data: Any) -> None:
    """Pour."""
    state[move // data.jugs % data.jugs] -= move // data.jugs // data.jugs
    state[move % data.jugs] += move // data.jugs // data.jugs


def unplay(state: State, move: int, data: Any) -> None:
    """Pour back."""
    state[move // data.jugs % data.jugs] += move // data.jugs // data.jugs
    state[move % data.jugs] -= move // data.jugs // data.jugs


def terminal(state: State, data: Any) -> int:
    """Return 0 when the first jug holds the amount that is wanted."""
    return 0 if state[0] == data.wanted else UNDECIDED


@dataclass(frozen=True)
class Jugs(Game):
    """Pour water from jug to jug, until the one is empty or the other is full. No index, no `unmoves`, one-way moves."""

    name: ClassVar[str] = "jugs"
    dtype: ClassVar[Any] = np.int64

    sizes: tuple[int, ...] = (8, 5, 3)
    first: tuple[int, ...] = (8, 0, 0)
    wanted: int = 4

    @property
    def width(self) -> int:
        """Return one cell a jug."""
        return len(self.sizes)

    @property
    def max_moves(self) -> int:
        """Return all pairs."""
        return len(self.sizes) ** 2

    def data(self) -> Any:
        """Return the sizes and the amounts."""
        from collections import namedtuple

        kind = namedtuple("Data", "jugs sizes first wanted")
        return kind(len(self.sizes), np.array(self.sizes), np.array(self.first), self.wanted)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        return {
            "start": start, "moves": moves, "play": play, "unplay": unplay, "terminal": terminal,
        }  # fmt: skip


LARGE = Jugs((5000, 70, 30), (5000, 0, 0), 730)
"""Cells of 13 bits, which are cut into fields."""

MANY = Jugs((40, 13, 11, 7, 5), (40, 0, 0, 0, 0), 9)
"""Some thousand states, whose cells get more bits while they are listed."""


@pytest.mark.parametrize("game", [Jugs(), Jugs((24, 13, 11), (24, 0, 0), 8), LARGE], ids=["8", "24", "large"])
def test_a_game_without_index_is_solved(game: Jugs, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="index 'reached'"):
        sb.solve(game)
    found = naive.depths(game)
    database = sb.solve(game, index="reached", to=tmp_path / "jugs.db")
    assert database.size == database.states == len(found)
    distances = naive.distances(_graph(game, found))
    assert all(database.probe(state) == distances.get(state) for state in list(found)[::7])
    assert database.verify()
    depths = sb.solve(game, "depth", index="reached")
    assert all(depths.probe(state) == depth for state, depth in list(found.items())[::5])
    with sb.open_database(tmp_path / "jugs.db", game) as kept:
        assert kept.histogram() == database.histogram()
        assert kept.verify()
        with pytest.raises(BadState, match="no state of this database"):
            kept.probe([0] * game.width)


def _graph(game: Game, found: Mapping[tuple[int, ...], int]) -> naive.Explicit:
    graph = naive.Explicit(game)
    for state in found:
        if game.terminal(state) != UNDECIDED:
            graph.results[state] = game.terminal(state)
        graph.edges[state] = [(tuple(game.play(state, move)), 1, 0) for move in game.moves(state)]
    return graph


def test_numbers_ascend_with_the_states_and_are_all_there_are() -> None:
    for game in (Jugs(), LARGE, sb.load("sliding:2x3"), sb.load("frogs-and-toads:2")):
        states = sorted({tuple(game.canonical(state)) for state in naive.depths(game)}) if game.width < 5 else []
        renumbered = reached_game(game, Run())
        diagram = diagram_of(renumbered)
        assert diagram is not None
        if states:
            assert [tuple(diagram.unrank(number)) for number in range(diagram.size)] == states
        for number in range(0, diagram.size, 1 + diagram.size // 300):
            assert diagram.rank(diagram.unrank(number)) == number
            assert renumbered.call("rank", renumbered.unrank(number)) == number
        assert diagram.rank([value + 100_000 for value in game.start()]) == NOWHERE


@pytest.mark.parametrize("name", sorted({game.name for game in shipped()} - {"graph"}))  # a graph needs its edges
def test_a_game_with_other_numbers_is_another_game(name: str) -> None:
    """What is kept for a game, its rules above all, must not serve the same game with the numbers of a diagram."""
    game, again = sb.load(name), sb.load(name)
    assert (again, hash(again)) == (game, hash(game))
    alone = _with_other_numbers(game)
    if alone is not None:
        assert alone not in (game, again)
        assert game.moves(game.start()) is not None  # its rules are kept from here on
        assert (alone.rank(alone.start()), alone.unrank(0)) == (0, list(game.canonical(game.start())))


def _with_other_numbers(game: Game) -> Game | None:
    """Return the game with one number for its start, None where its own numbers are needed or its start has none."""
    if not game.has("start"):
        return None
    try:
        return start_alone(game)
    except (BadRequest, BadGame):
        return None


def test_states_of_several_words() -> None:
    """34 cells of 2 bits take two words; water is in two of 34 jugs at most."""
    game = Jugs((3,) * 34, (2, *(0,) * 33), 3)
    renumbered = reached_game(game, Run())
    assert max(part.stop for part in renumbered.parts()) == len(naive.depths(game))
    state = naive.depths(game)
    assert all(renumbered.rank(one) != NOWHERE for one in list(state)[::101])


@pytest.mark.long
def test_compiled_and_interpreted_lists_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for few in (0, 50, 1000, 10**9):
        monkeypatch.setattr(listing, "FEW", max(1, few // 9))
        monkeypatch.setattr(listing, "MANY", few)
        monkeypatch.setattr(reached, "MANY", few)
        monkeypatch.setattr(listing, "_LEAST", max(64, min(few, 4096)))
        renumbered = reached_game(Jugs((24, 13, 11), (24, 0, 0), 8), Run())
        diagram = diagram_of(renumbered)
        assert diagram is not None
        digests.add(diagram.digest)
    assert len(digests) == 1


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 5])
def test_the_list_is_in_the_order_of_breadth_first_search_on_any_threads(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One word and several, small rounds and large ones, cells that get more bits on the way."""
    for game in (MANY, Jugs((3,) * 34, (2, *(0,) * 33), 3), sb.load("othello:4x4")):
        found = naive.depths(game) if isinstance(game, Jugs) else None
        lists = []
        small = 1 if game.width > 30 else 40 if isinstance(game, Jugs) else 1000
        for successors in (small, 1 << 14):
            monkeypatch.setattr(listing, "_SUCCESSORS", successors)
            made = Listing(game, Run(threads=threads))
            made.sorted()
            lists.append(made)
        assert all(np.array_equal(lists[0].states, one.states) for one in lists)
        assert len({one.found for one in lists}) == 1
        assert found is None or lists[0].found == len(found)


class Stopped(Exception):
    """Stop a run from its report."""


def _stop_at(states: int) -> Callable[[str, int, int], None]:
    def report(_stage: str, done: int, _total: int) -> None:
        if done >= states:
            raise Stopped

    return report


def test_a_list_that_was_stopped_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_SUCCESSORS", 64)
    game, path, expanded = MANY, tmp_path / "reached", [0]
    whole = Listing(game, Run())
    expected = whole.sorted().copy()
    for place, states in enumerate((7, 30, 300, 2000, 2001, whole.found - 1)):
        run = Run(threads=1 + place % 2, report=_stop_at(states), checkpoint_interval=0.0)
        with folder_at(path, game, "reached", run) as folder:
            begun = Listing(game, run, folder=folder)
            assert begun.expanded == expanded[-1]  # of the last checkpoint
            with pytest.raises(Stopped):
                begun.sorted()
        with folder_at(path, game, "reached", run) as folder:
            assert folder is not None
            expanded.append(folder.record.get("expanded", 0))
    assert expanded == sorted(expanded)
    assert expanded[-1] > 300  # of the runs that were stopped after 2,000 states: how many, depends on the threads
    with folder_at(path, game, "reached", Run()) as folder:
        assert np.array_equal(Listing(game, Run(), folder=folder).sorted(), expected)
    with folder_at(path, game, "reached", Run()) as folder:
        assert folder is not None
        assert folder.record["expanded"] == whole.found  # a list that is complete is kept, too
    other = Jugs(MANY.sizes, MANY.first, 8)
    with pytest.raises(BadRequest, match="another task"), folder_at(path, other, "reached", Run()):
        pass
    array = next(path.glob("states-0*.array"))
    array.write_bytes(bytes(len(array.read_bytes())))
    with pytest.raises(DamagedData, match="altered"), folder_at(path, game, "reached", Run()) as folder:
        Listing(game, Run(), folder=folder)


def test_the_folder_of_a_list_goes_when_the_database_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_SUCCESSORS", 64)
    game = Jugs((24, 11, 7, 5, 3), (24, 0, 0, 0, 0), 9)  # 1,819 states
    keep, place = tmp_path / "jugs.db", tmp_path / "jugs.db.work.reached"
    run = Run(report=_stop_at(500), checkpoint_interval=0.0)
    with pytest.raises(Stopped):
        _solve(game, keep, run)
    assert place.is_dir()
    database = _solve(game, keep, Run())
    assert not place.exists()
    assert database.size == len(naive.depths(game))
    assert database.verify()


def _solve(game: Game, keep: Path, run: Run) -> sb.Database:
    with run as active:
        return solve_request(requested(game, None, None, keep, {"index": "reached"}), active)


@pytest.mark.parametrize(
    "spec",
    [
        *("sliding:2x3", "peg-solitaire:ooo/o-o,4,yes", "connect4:3,3,3", "hanoi:4"),
        *(
            pytest.param(spec, marks=pytest.mark.long)
            for spec in ("pancake:5", "burnt-pancake:3", "chess:KQK,3,3", "chess:KPK,4,4", "othello:4x4")
        ),
    ],
)
def test_an_index_of_its_own_gives_the_same_values(spec: str) -> None:
    own, found = sb.load(spec), sb.solve(spec, index="reached")
    assert found.verify().faults == ()
    if own.has("rank"):
        solved = sb.solve(own)
        for number in range(0, found.size, 1 + found.size // 200):
            state = found.game.unrank(number)
            assert found.probe(state) == solved.probe(state)


def test_moves_that_gain_symmetries_are_not_taken_back() -> None:
    """The last pawn promotes, and the board can be turned: unmoves lead to this position alone, not to its images."""
    assert sb.solve("chess:KPK,4,4", index="reached").facts["solver"] == "fixpoint"
    with pytest.raises(
        BadRequest, match="some moves gain symmetries, and with the index 'reached' all states are one part"
    ):
        sb.solve("chess:KPK,4,4", index="reached", solver="retrograde")


@pytest.mark.parametrize("spec", ["pancake:6", "burnt-pancake:4", "sliding:2x3", "top-spin:6", "hanoi:3"])
def test_forms_for_other_numbers_are_not_taken(spec: str) -> None:
    """Rearrangements of rows and products of factors belong to the game's own numbers."""
    with pytest.raises(BadRequest, match="streaming"):
        sb.solve(spec, solver="bfs", form="streaming", index="reached")
    found, own = sb.solve(spec, "depth", index="reached"), sb.solve(spec, "depth")
    assert found.facts["form"] in ("values", "two-bit")
    assert all(
        found.probe(found.game.unrank(one)) == own.probe(found.game.unrank(one)) for one in range(0, found.size, 7)
    )


def test_what_cannot_be_numbered_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="expected reached"):
        sb.solve("sliding:2x3", index="other")
    with pytest.raises(BadRequest, match="look an abstraction up by its own numbers"):
        sb.solve("rubik-pattern:UR-UF", index="reached")
    with pytest.raises(BadGame, match="cell 1 of a state holds a negative number"):
        sb.solve(Jugs((8, 5), (8, -1)), index="reached")
    with pytest.raises(OutOfMemory, match=r"states of .* that are reached \([\d,]+ so far\)"):
        sb.solve("othello:4x4", index="reached", memory="100kB")
    (tmp_path / "kept.db").mkdir()
    (tmp_path / "kept.db" / "something").touch()
    with pytest.raises(BadRequest):
        sb.solve(Jugs(), index="reached", to=tmp_path / "kept.db")


@pytest.mark.long
def test_a_diagram_has_no_more_nodes_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached, "MOST", 1 << 10)
    with pytest.raises(OutOfMemory, match="needs more than 1,024 nodes"):
        reached_game(sb.load("othello:4x4"), Run(threads=1))


def test_its_numbers_are_not_taken_for_those_of_the_game() -> None:
    """A search ranks its leaves by the game's own index."""
    for spec in ("connect4:3,3,3", "mnk:3,2,2"):
        database = sb.solve(spec, index="reached")
        with pytest.raises(BadRequest, match="a diagram numbers its positions"):
            sb.prove(spec, leaves=database)
    with pytest.raises(BadRequest, match="a diagram numbers its positions"):
        sb.prove("connect4:3,3,3", leaves=solve_by_sweep(sb.load("connect4:3,3,3"), Run(), "interpreted"))


def test_digits_on_disk_are_not_trusted(tmp_path: Path) -> None:
    sb.solve(Jugs(), index="reached", to=tmp_path / "jugs.db")
    header = tmp_path / "jugs.db" / "zarr.json"
    told = json.loads(header.read_text())
    text = json.dumps(told)
    place = text.index('"digits"')
    for wrong in ('"digits": 5, "was"', '"digits": [[1]], "was"', '"digits": [["a", "b", "c"]], "was"'):
        header.write_text(text[:place] + wrong + text[place + 8 :])
        with pytest.raises(DamagedData):
            sb.open_database(tmp_path / "jugs.db", Jugs())
