"""Enhancements of guided search: each is a switch, and none of them changes what a search claims."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from graphs import GraphGame, puzzles
from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, Exhausted, LimitReached, Unsolvable
from searchbench.game import Game
from searchbench.line import Line
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.guided import search_state, task, tree_splitting

ROUND_TRIP = ((0, 1, 1, 0), (1, 2, 1, 0), (2, 0, 1, 0), (2, 3, 1, 0), (3, 1, 1, 0))
"""A graph with cycles."""


def search(game: Game, state: Any = None, method: str = "idastar", **options: Any) -> Line:
    """Search interpreted, with one thread."""
    return search_state(game, state, method, Run(memory=64 << 20, threads=1), **{"target": "interpreted", **options})


Guide = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Guided(GraphGame):
    """Add functions that guide a search to a graph, and some that have a name."""

    guide: tuple[tuple[str, Callable[..., Any]], ...] = ()
    named: tuple[tuple[str, Callable[..., Any]], ...] = field(default=())

    def rules(self) -> Guide:
        """Return the rules with the functions that guide."""
        return {**super().rules(), **dict(self.guide)}

    def enhancements(self) -> Mapping[str, Guide]:
        """Return the functions that have a name, each on its own."""
        return {name: {name: function} for name, function in self.named}


def yes() -> bool:
    """Switch on."""
    return True


def guided(game: GraphGame, **functions: Callable[..., Any]) -> Guided:
    """Return a graph with functions that guide a search."""
    return Guided(game.edges, game.results, first=game.first, guide=tuple(functions.items()))


def straight(length: int) -> GraphGame:
    """Return a puzzle whose nodes lie one behind the other; the last one is solved."""
    return GraphGame(tuple((node, node + 1, 1, 0) for node in range(length)), (UNDECIDED,) * length + (0,))


# --- a step, branch and bound, and a table that keeps all states ------------------------------------------------------------


@given(puzzles(largest=10), st.integers(0, 5), st.data())
def test_a_step_and_kept_states_find_cheapest_lines(game: GraphGame, step: int, data: st.DataObject) -> None:
    true = naive.distances(naive.explicit(game))
    start = data.draw(st.integers(0, len(game.results) - 1))
    if (start,) in true:
        for entries in (0, 3, 100):
            line = search(game, [start], step=step, entries=entries)
            assert (line.cost, line.optimal, line.verify()) == (true[start,], True, [])
    else:
        with pytest.raises(Unsolvable):
            search(game, [start], step=step, entries=100)


def test_kept_states_show_that_a_graph_with_cycles_has_no_solution() -> None:
    game = GraphGame(ROUND_TRIP, (UNDECIDED,) * 4)
    with pytest.raises(LimitReached):
        search(game, nodes=500)
    with pytest.raises(LimitReached):  # too few find room: nothing tells that there are no others
        search(game, entries=1, nodes=500)
    with pytest.raises(Unsolvable) as error:
        search(game, entries=4)
    assert error.value.states == 4


@pytest.mark.parametrize("method", ["astar", "bestfirst"])
def test_a_full_table_ends_the_search(method: str) -> None:
    game = straight(40)
    needed = search(game, method=method).nodes_kept
    assert search(game, method=method, entries=needed).nodes_kept == needed
    with pytest.raises(LimitReached, match="table of 20 states is full") as limit:
        search(game, method=method, entries=20)
    assert (limit.value.states, limit.value.bound is None) == (21, False)


# --- slots ------------------------------------------------------------------------------------------------------------


def test_goodness_chooses_what_is_expanded() -> None:
    def goodness(state: State, tables: Any) -> int:
        return 5 if state[0] >= 2 else 0

    fork = GraphGame(((0, 1, 1, 0), (0, 2, 9, 0), (1, 3, 1, 0), (2, 3, 1, 0)), (UNDECIDED,) * 3 + (0,))
    line = search(guided(fork, goodness=goodness), method="bestfirst", by="goodness")
    assert (line.cost, line.optimal) == (10, False)
    assert search(guided(fork, goodness=goodness), method="bestfirst", by="goodness", weight=2).cost == 2


def test_promise_orders_the_moves_of_a_search() -> None:
    def promise(state: State, move: int, tables: Any) -> int:
        return move

    fork = GraphGame(((0, 1, 1, 0), (0, 2, 1, 0), (1, 3, 1, 0), (2, 3, 1, 0)), (UNDECIDED,) * 3 + (0,))
    assert search(guided(fork, move_priority=promise), order="priority").moves == (1, 3)
    assert search(guided(fork, move_priority=promise)).moves == (0, 2)


@pytest.mark.parametrize("method", ["idastar", "astar", "bestfirst"])
def test_a_move_that_suffices_is_the_only_one(method: str) -> None:
    def forced_move(state: State, move: int, tables: Any) -> bool:
        return move in (1, 3)

    fork = GraphGame(((0, 1, 1, 0), (0, 2, 1, 0), (1, 3, 1, 0), (2, 3, 1, 0)), (UNDECIDED,) * 3 + (0,))
    game = guided(fork, forced_move=forced_move)
    assert search(game, method=method).moves == (1, 3)
    assert search(game, method=method).nodes < search(game, method=method, without="cuts").nodes


@pytest.mark.parametrize("method", ["astar", "bestfirst"])
def test_moves_that_suffice_are_joined_to_the_one_before(method: str) -> None:
    def forced_move(state: State, move: int, tables: Any) -> bool:
        return state[0] > 0

    game = guided(straight(9), forced_move=forced_move, MACROS=True)
    joined, single = search(game, method=method), search(game, method=method, without="macros")
    assert joined.moves == single.moves == search(straight(9), method=method).moves
    assert (joined.cost, joined.verify()) == (single.cost, [])
    assert joined.nodes_kept < single.nodes_kept


def test_only_a_search_that_remembers_no_states_tells_the_move_before() -> None:
    def relevance_cut(state: State, previous: int, move: int, tables: Any) -> bool:
        return move == 3 and previous == 1

    fork = GraphGame(((0, 1, 1, 0), (0, 2, 1, 0), (1, 3, 5, 0), (2, 3, 1, 0)), (UNDECIDED,) * 3 + (0,))
    game = guided(fork, relevance_cut=relevance_cut)
    assert search(game).cost == 6
    for options in ({"entries": 10}, {"table": "1MB"}, {"method": "astar"}, {"without": "relevance"}):
        assert search(game, **options).cost == 2


# --- by name ------------------------------------------------------------------------------------------------------------


def test_what_may_lose_solutions_claims_nothing() -> None:
    def dead(state: State, tables: Any) -> bool:
        return state[0] == 1

    class Hasty(Guided):
        incomplete = frozenset({"dead"})

    fork = ((0, 1, 1, 0), (0, 2, 5, 0), (1, 3, 1, 0), (2, 3, 5, 0))
    game = Hasty(fork, (UNDECIDED,) * 3 + (0,), named=(("dead", dead),))
    assert (search(game, use="dead").cost, search(game, use="dead").optimal) == (10, False)
    assert (search(game).cost, search(game).optimal) == (2, True)
    with pytest.raises(Exhausted) as error:
        search(game, [1], use="dead", method="astar")
    assert error.value.exit_code == 20


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("astar", {"use": "figure-3"}, "no enhancement 'figure-3'; it has figure-2, pairs, ace-pruning"),
        ("astar", {"without": "luck"}, "without 'luck': there are dead, cuts, macros, relevance"),
        ("astar", {"step": 2}, "idastar does"),
        ("idastar", {"step": -1}, "expected 0 or more"),
        ("idastar", {"entries": 9, "table": "1MB"}, "give one of them"),
        ("idastar", {"entries": -9}, "must be positive"),
        ("idastar", {"order": "luck"}, "bound, priority, moves"),
        ("idastar", {"order": "priority"}, "supplies no `move_priority`"),
        ("astar", {"by": "goodness"}, "bestfirst does"),
        ("bestfirst", {"by": "luck"}, "there are h, goodness"),
    ],
)
def test_bad_options_are_refused(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        search(load("superpuzz:4x6"), method=method, **options)


def test_goodness_must_be_supplied() -> None:
    with pytest.raises(BadRequest, match="supplies no `goodness`"):
        search(straight(3), method="bestfirst", by="goodness")


# --- stopped, and gone on with --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0, 3])
def test_a_search_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    monkeypatch.setattr(tree_splitting, "TREES", 20)
    for begun in ("_FIRST_SLICE", "_FIRST_INTERPRETED"):
        monkeypatch.setattr(task, begun, 50)
    game, state = load("sliding:3x3"), "7 2 4 5 0 6 8 3 1"
    whole = search(game, state, step=step)
    work = tmp_path / "work"
    stops, line = 0, None
    while line is None:
        run = Run(memory=64 << 20, threads=1, work=work)
        try:
            line = search_state(game, state, "idastar", run, step=step, nodes=500 * (stops + 1), target="interpreted")
        except LimitReached:
            stops += 1
            assert json.loads((work / "record.json").read_text())["body"]["record"]["nodes"] > 0
    assert stops > 3
    assert (line.moves, line.cost, line.optimal, line.verify()) == (whole.moves, whole.cost, True, [])
    assert not work.exists()


def test_work_of_another_search_is_refused(tmp_path: Path) -> None:
    game, state, work = load("sliding:3x3"), "8 0 6 5 4 7 2 3 1", tmp_path / "work"

    def stopped(**options: Any) -> None:
        search_state(
            game, options.pop("state", state), "idastar", Run(memory=64 << 20, threads=1, work=work),
            target="interpreted", **{"nodes": 500, **options},
        )  # fmt: skip

    with pytest.raises(LimitReached):
        stopped()
    for options in ({"step": 2}, {"state": "1 4 2 6 5 8 7 3 0"}, {"order": "bound"}):
        with pytest.raises(BadRequest, match="unfinished work on another task"):
            stopped(**options)
    with pytest.raises(BadRequest, match="only idastar without a table"):
        stopped(entries=10)
    record = work / "record.json"
    record.write_text(record.read_text().replace('"least": ', '"least": 1'))
    with pytest.raises(DamagedData, match="altered"):
        stopped()
