"""Whole depths and distances by rows: those of the solvers that go state by state, however a search is cut and shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import naive

from searchbench import load, solve
from searchbench.errors import OutOfMemory
from searchbench.game import Game
from searchbench.games.pancake import Pancake
from searchbench.games.sliding import Sliding
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import by_products, by_rows, solve_states
from searchbench.store import Database
from searchbench.store.working import WorkingFolder
from twisty import Claiming, Twisty, twisties

PUZZLES = [
    "sliding:3x3",
    "sliding:3x3,half=yes",
    "pancake:8",
    "top-spin:9",
    "burnt-pancake:6",
    "pyraminx",
    "top-spin:9,5",
    "sliding-groups:3x3,1-2.5-3",
    "rubik-pattern:URF-UFL-ULB",
]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1)


def state_by_state(game: Game, **options: Any) -> Database:
    """Solve without rows, as blocks of a given size ask for."""
    found = solve_states(game, block_bits=12, **options)
    assert "rows" not in found.facts
    return found


def same(one: Database, other: Database) -> bool:
    """Tell whether two databases have the same values of the same rule, and tell the same of them."""
    told = (one.rule, one.codes.dtype, one.histogram()) == (other.rule, other.codes.dtype, other.histogram())
    return told and np.array_equal(one.codes, other.codes)


@pytest.mark.long
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("spec", PUZZLES)
def test_distances_are_those_of_retrograde_analysis_state_by_state(spec: str, threads: int) -> None:
    game = load(spec)
    rows = solve_states(game, run=Run(threads=threads))
    plain = state_by_state(game)
    assert (rows.facts["solver"], rows.facts["levels"]) == ("retrograde", plain.facts["levels"])
    assert rows.facts["rows"] == ("product" if spec.startswith(("pyraminx", "rubik")) else "streaming")
    assert rows.facts["memory"] >= game.index().size  # type: ignore[union-attr]
    assert same(rows, plain)
    assert rows.probe("start") == 0


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("spec", ["pancake:8", "burnt-pancake:6", "frogs-and-toads:3", "rubik-pattern:URF-UFL-ULB"])
def test_whole_depths_are_those_of_the_search_state_by_state(spec: str) -> None:
    game = load(spec)
    rows = solve_states(game, solver="bfs", form="values")
    assert (rows.facts["solver"], rows.facts["form"], "rows" in rows.facts) == ("bfs", "values", True)
    assert same(rows, state_by_state(game, solver="bfs", form="values"))


@pytest.mark.usefixtures("always")
def test_a_table_by_rows_is_verified(tmp_path: Path) -> None:
    found = solve("sliding:3x3", to=tmp_path / "eight.db", threads=2)
    assert found.facts["rows"] == "streaming"
    assert found.verify()
    assert not (tmp_path / "eight.db.work").exists()
    assert len(found.line(found.find(found.hardest())[0]).moves) == 31


@settings(max_examples=20)
@given(twisties(), st.integers(1, 3))
def test_distances_of_random_puzzles_are_those_of_a_plain_search(twisty: Twisty, threads: int) -> None:
    game = Claiming(twisty.ways, twisty.dial, twisty.turns)
    with mock.patch.object(by_rows, "LEAST", 1), mock.patch.object(by_products, "LEAST_COLUMNS", 1):
        found = solve_states(game, run=Run(threads=threads))
    assert found.facts["rows"] == "product"
    graph = naive.explicit(game)
    distances = naive.distances(graph)
    assert found.codes.tolist() == [distances.get(graph.numbers[number], -1) + 1 for number in sorted(graph.numbers)]


def test_small_games_go_state_by_state() -> None:
    assert "rows" not in solve_states(load("pancake:8")).facts
    assert "rows" not in solve_states(load("pancake:8"), solver="bfs", form="values").facts


def test_a_large_game_goes_by_rows(capsys: pytest.CaptureFixture[str]) -> None:
    from searchbench.cli.app import run as command

    assert command(["solve", "pancake:10"]) == 0
    assert "3,628,800 with a value; retrograde by rows, 12 levels" in capsys.readouterr().out


# --- games that are not what the claim says --------------------------------------------------------------------------


@dataclass(frozen=True)
class UpsideDown(Pancake):
    """Sort a stack either way: there are two solved stacks."""

    name: ClassVar[str] = "upside-down"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with another end."""
        n = self.n

        def terminal(state: State) -> int:
            rising, falling = True, True
            for place in range(n):
                rising = rising and state[place] == place
                falling = falling and state[place] == n - 1 - place
            return 0 if rising or falling else UNDECIDED

        return {**super().rules(), "terminal": terminal}


@dataclass(frozen=True)
class Heavy(Sliding):
    """Slide tiles that cost 1 or 2."""

    name: ClassVar[str] = "heavy"
    depth_is_distance: ClassVar[bool] = True

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with costs."""

        def cost(state: State, move: int) -> int:
            return 1 + state[move & 127] % 2

        return {**super().rules(), "cost": cost}


@pytest.mark.long
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("game", [UpsideDown(6), Heavy(2, 3), load("graph:0>1;1>2;2>3;3>1;3=0")], ids=str)
def test_where_depths_are_not_distances_rows_are_not_moved(game: Game) -> None:
    found = solve_states(game)
    assert "rows" not in found.facts
    graph = naive.explicit(game)
    distances = naive.distances(graph)
    assert found.codes.tolist() == [
        1 + distances[state] if state in distances else 0 for _, state in sorted(graph.numbers.items())
    ]


def test_turns_that_go_one_way_make_no_claim() -> None:
    assert load("pyraminx").claimed("depth_is_distance")
    assert not load("pocket-cube:clockwise").claimed("depth_is_distance")


# --- memory, and unfinished work ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("deepest", [253, 254, 255, 256])
def test_depths_around_the_last_code_of_a_byte(deepest: int) -> None:
    """The code of depth 254 would mark no position in a byte."""
    found = solve_states(Claiming(1, 2 * deepest, (((0, 1), (0, 0)),)))  # a dial alone moves
    assert found.facts["rows"] == "product"
    assert found.histogram() == {None: 2 * deepest, 0: 1, **dict.fromkeys(range(1, deepest), 2), deepest: 1}
    assert found.codes.dtype == (np.uint8 if deepest < 254 else np.uint16)


@pytest.mark.long
@pytest.mark.usefixtures("always")
def test_more_levels_than_a_byte_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = state_by_state(load("sliding:3x3"))
    monkeypatch.setattr(by_rows, "DEEPEST", 9)
    wide = solve_states(load("sliding:3x3"))
    assert wide.codes.dtype == np.uint16
    assert np.array_equal(wide.codes, plain.codes)
    with pytest.raises(OutOfMemory, match="keeping depths of 362,880 states above 9 needs"):
        solve_states(load("sliding:3x3"), run=Run(memory=wide.facts["memory"]))
    again = _stopped(load("sliding:3x3"), tmp_path, 20, monkeypatch)
    assert (again.codes.dtype, again.histogram()) == (np.uint16, plain.histogram())


@pytest.mark.usefixtures("always")
def test_what_does_not_fit_goes_state_by_state() -> None:
    game = load("pancake:9")
    needed = solve_states(game).facts["memory"]
    assert "rows" in solve_states(game, run=Run(memory=needed)).facts
    other = solve_states(game, run=Run(memory=max(needed - 1, 4 * 362_880)))
    assert same(other, solve_states(game))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("level", [1, 4, 7])
@pytest.mark.parametrize("spec", ["sliding:3x3", "top-spin:9", "burnt-pancake:6", "pyraminx", "frogs-and-toads:3"])
def test_a_search_goes_on_where_it_was_stopped(
    spec: str, level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load(spec)
    options = {} if game.claimed("depth_is_distance") else {"solver": "bfs", "form": "values"}
    again = _stopped(game, tmp_path, level, monkeypatch, **options)
    assert same(again, solve_states(game, **options))  # type: ignore[arg-type]


def _stopped(game: Game, folder: Path, level: int, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Database:
    """Return what is found after a search was stopped before a level; it goes on with another number of threads."""
    monkeypatch.setattr(WorkingFolder, "due", True)
    stages = []

    def stop(stage: str, _done: int, _total: int) -> None:
        if stage == f"depth {level}":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_states(game, run=Run(threads=1, report=stop, work=folder / "work"), **options)
    later = Run(threads=2, report=lambda stage, _done, _total: stages.append(stage), work=folder / "work")
    again = solve_states(game, run=later, **options)
    assert stages[0] == f"depth {level}"
    return again


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(WorkingFolder, "due", True)
    return tmp_path / "work"


def _begin(work: Path, stage: str, **options: Any) -> None:
    def stop(told: str, _done: int, _total: int) -> None:
        if told.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_states(load("pancake:9"), run=Run(threads=1, report=stop, work=work), **options)


@pytest.mark.usefixtures("always")
def test_work_that_was_begun_by_rows_goes_on_so_or_asks_for_the_memory(begun: Path) -> None:
    _begin(begun, "depth 5")
    with pytest.raises(OutOfMemory, match="by rows needs"):
        solve_states(load("pancake:9"), run=Run(memory=1 << 18, work=begun))
    assert "rows" in solve_states(load("pancake:9"), run=Run(work=begun)).facts


@pytest.mark.usefixtures("always")
def test_depths_that_were_begun_by_rows_go_on_whatever_form_is_chosen_later(begun: Path) -> None:
    _begin(begun, "depth 5", solver="bfs", form="values")
    found = solve_states(load("pancake:9"), solver="bfs", run=Run(work=begun))
    assert (found.facts["form"], "rows" in found.facts) == ("values", True)


def test_work_that_was_begun_state_by_state_goes_on_so(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1 << 40)
    _begin(begun, "level 5")
    monkeypatch.setattr(by_rows, "LEAST", 1)
    assert "rows" not in solve_states(load("pancake:9"), run=Run(work=begun)).facts
