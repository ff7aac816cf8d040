"""IDA*, A* and best-first search against obvious twins, against each other, and against Dijkstra's algorithm."""

from __future__ import annotations

import heapq
import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
from graphs import GraphGame, chain, puzzles
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, LimitReached, OutOfMemory, Unsolvable
from searchbench.game import Game
from searchbench.line import Line
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import idastar, search_many, search_state, task, tree_splitting

KORF = json.loads((Path(__file__).parents[1] / "golden" / "korf100_15puzzle.json").read_text())["instances"]
METHODS = ("idastar", "astar", "bestfirst")
"""The methods for every puzzle; the others need functions of the game's own."""


def search(game: Game, state: Any = None, method: str = "idastar", **options: Any) -> Line:
    """Search with little memory, interpreted unless told otherwise."""
    run = options.pop("run", None) or Run(memory=64 << 20, threads=1)
    return search_state(game, state, method, run, **{"target": "interpreted", **options})


@dataclass(frozen=True)
class BoundedGraph(GraphGame):
    """Add a bound for each node, and the nodes that are known to be dead ends."""

    bounds: tuple[int, ...] = ()
    dead_ends: tuple[int, ...] = ()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with `h` and `dead`."""
        bounds, ends = np.array(self.bounds), np.isin(np.arange(len(self.results)), self.dead_ends)

        def h(state: State, tables: Any) -> int:
            return bounds[state[0]]

        def dead(state: State, tables: Any) -> bool:
            return ends[state[0]]

        return {**super().rules(), "h": h, "dead": dead}


def bounded(game: GraphGame, bounds: tuple[int, ...], dead_ends: tuple[int, ...] = ()) -> BoundedGraph:
    """Return the same graph with bounds."""
    return BoundedGraph(
        game.edges, game.results, first=game.first, bounds=bounds, dead_ends=dead_ends, negative=game.negative
    )


@st.composite
def bounded_puzzles(draw: st.DrawFn) -> tuple[BoundedGraph, dict[int, int]]:
    """Draw a puzzle with admissible bounds that need not be consistent; return also its distances."""
    game = draw(puzzles(largest=10))
    true = {state[0]: cost for state, cost in naive.distances(naive.explicit(game)).items()}
    tightness = draw(st.lists(st.integers(0, 4), min_size=len(game.results), max_size=len(game.results)))
    bounds = tuple(true.get(node, 20) * part // 4 for node, part in enumerate(tightness))
    return bounded(game, bounds), true


# --- the twins --------------------------------------------------------------------------------------------------------


def children(game: Game, state: tuple[int, ...], came: int | None) -> Iterator[tuple[int, tuple[int, ...], int, int]]:
    """Yield move, successor, cost and bound, but for the move that takes the last one back."""
    for move in game.moves(state):
        if came is None or move != game.call("inverse", came) or move == -1:
            successor = tuple(game.play(state, move))
            yield move, successor, game.call("cost", list(state), move), game.call("h", list(successor), ())


def naive_idastar(game: Game, start: tuple[int, ...]) -> tuple[int, int, list[int]]:
    """Return nodes, cost and moves of IDA*, by recursion."""
    nodes = 1

    def below(state: tuple[int, ...], g: int, bound: int, line: list[int]) -> tuple[bool, int]:
        nonlocal nodes
        result = game.terminal(state)
        if result == 0:
            return True, g
        if result != UNDECIDED or game.call("dead", list(state), ()):
            return False, 1 << 62
        found = list(children(game, state, line[-1] if line else None))
        nodes += len(found)
        over = [g + cost + h for _, _, cost, h in found if g + cost + h > bound]
        for move, successor, cost, h in found:
            if g + cost + h <= bound:
                line.append(move)
                solved, value = below(successor, g + cost, bound, line)
                if solved:
                    return True, value
                line.pop()
                over.append(value)
        return False, min(over, default=1 << 62)

    bound = game.call("h", list(start), ())
    while True:
        line: list[int] = []
        solved, value = below(start, 0, bound, line)
        if solved:
            return nodes, value, line
        bound = value


def naive_best_first(game: Game, start: tuple[int, ...], a: int, b: int, reopen: bool) -> tuple[int, int | None]:
    """Return nodes and cost (None: unsolvable) of best-first search with a heap; entries that are out of date stay in it."""
    cost_of, came, closed = {start: 0}, {start: None}, set()
    heap: list[Any] = [(b * game.call("h", list(start), ()), 0, 0, start)]
    nodes = 1
    while heap:
        _, g, _, state = heapq.heappop(heap)
        if state in closed or -g != cost_of[state]:
            continue
        closed.add(state)
        result = game.terminal(state)
        if result == 0:
            return nodes, cost_of[state]
        if result != UNDECIDED or game.call("dead", list(state), ()):
            continue
        for move, successor, cost, h in children(game, state, came[state]):
            tick, total = nodes, cost_of[state] + cost
            nodes += 1
            if total < cost_of.get(successor, 1 << 62) and (reopen or successor not in closed):
                closed.discard(successor)
                cost_of[successor], came[successor] = total, move
                heapq.heappush(heap, (a * total + b * h, -total, -tick, successor))
    return nodes, None


# --- one against the other --------------------------------------------------------------------------------------------

NEAR, FAR, HARDEST = "1 5 0 4 2 8 3 6 7", "1 3 5 6 0 2 4 8 7", "8 0 6 5 4 7 2 3 1"
"""8-puzzles of 10, 22 and 31 moves."""


@pytest.mark.parametrize("text", ["start", "1 0 2 3 4 5 6 7 8", NEAR, FAR])
def test_same_nodes_as_the_twins(text: str) -> None:
    game = load("sliding:3x3")
    start = tuple(game.read(text))
    twin = naive_idastar(game, start)
    for target in ("cpu", "interpreted"):
        line = search(game, text, target=target, automaton=0)
        assert (line.nodes, line.cost, list(line.moves)) == twin
        assert line.optimal
    for method, weight, a, b, reopen in (
        ("astar", None, 1, 1, True), ("astar", 0.5, 2, 1, True), ("astar", 1.8, 5, 9, True),
        ("bestfirst", None, 0, 1, False), ("bestfirst", Fraction(9, 5), 5, 9, False),
    ):  # fmt: skip
        line = search(game, text, method, weight=weight, target="cpu")
        assert (line.nodes, line.cost) == naive_best_first(game, start, a, b, reopen)
        assert line.verify() == []


@given(bounded_puzzles(), st.data())
def test_random_graphs_with_inconsistent_bounds(
    drawn: tuple[BoundedGraph, dict[int, int]], data: st.DataObject
) -> None:
    game, true = drawn
    start = data.draw(st.integers(0, len(game.results) - 1))
    for method, weight, a, b in (
        ("astar", None, 1, 1),
        ("astar", 2, 1, 2),
        ("bestfirst", None, 0, 1),
        ("bestfirst", 2, 1, 2),
    ):
        nodes, cost = naive_best_first(game, (start,), a, b, method == "astar")
        limits = range(2, nodes)
        assert all(bound_at(limit, game, start, method, weight) <= true.get(start, 1 << 62) for limit in limits)
        if start not in true:
            assert cost is None
            with pytest.raises(Unsolvable):
                search(game, [start], method, weight=weight)
            continue
        line = search(game, [start], method, weight=weight)
        assert (line.nodes, line.cost) == (nodes, cost)
        assert line.verify() == []
        assert line.cost <= 2 * true[start] or method == "bestfirst"
        assert line.cost == true[start] or (weight or method) != "astar"
        assert line.cost == true[start] or not line.optimal
    assert not wrong_with_idastar(game, start, true.get(start))


@pytest.mark.parametrize("seed", range(30))
def test_the_last_move_of_a_line_may_be_minus_one(seed: int) -> None:
    chance = random.Random(seed)
    edges = [(chance.randrange(1, 8), chance.randrange(8), chance.randint(1, 9), 0) for _ in range(20)] + [(1, 0, 9, 0)]
    game = GraphGame(tuple(edges), (0,) + (UNDECIDED,) * 7)
    true = {state[0]: cost for state, cost in naive.distances(naive.explicit(game)).items()}
    start = max(true, key=lambda node: true[node])
    last = edges.pop(search(game, [start], "astar").moves[-1])
    renamed = bounded(replace(game, edges=(*edges, last), negative=True), (0,) * 8)
    some: tuple[dict[str, Any], ...] = (
        {},
        {"entries": 100},
        {"table": 1 << 15},
        {"order": "bound"},
        {"order": "moves"},
    )
    for options in some:
        assert search(renamed, [start], **options).cost == true[start], options
    assert search(renamed, [start], "astar").cost == true[start]
    assert not wrong_with_idastar(renamed, start, true[start])


def bound_at(limit: int, game: Game, start: int, method: str, weight: int | None) -> int:
    """Return the bound of a search that stops at a number of nodes; 0 if it ends with the last of them."""
    try:
        search(game, [start], method, weight=weight, nodes=limit)
    except LimitReached as stopped:
        return stopped.bound or 0
    except Unsolvable:
        return 0
    return 0


def wrong_with_idastar(game: Game, start: int, true: int | None) -> list[Any]:
    """Return what is wrong with the result of IDA*, which cannot end where an unsolvable state has successors for ever."""
    try:
        line = search(game, [start], nodes=2000)
    except LimitReached as limit:
        return [] if limit.bound is not None and (true is None or limit.bound <= true) else [limit]
    except Unsolvable as error:
        return [] if true is None else [error]
    twin = naive_idastar(game, (start,))
    return [] if (line.nodes, line.cost, list(line.moves)) == twin and line.cost == true else [line, twin]


@pytest.mark.parametrize(
    ("spec", "target"), [("sliding:2x3", "interpreted"), ("pancake:6", "cpu"), ("hanoi:4,3", "interpreted")]
)
def test_agrees_with_the_database_everywhere(spec: str, target: str) -> None:
    game = load(spec)
    database = solve_states(game, run=Run(memory=64 << 20, threads=1), target="interpreted")
    for number in range(0, game.index().size, 11):
        state, value = game.unrank(number), database.rule.decode(int(database.codes[number]))
        for method in METHODS:
            if value is None:
                with pytest.raises(Unsolvable):
                    search(game, state, method, target=target)
                continue
            line = search(game, state, method, target=target)
            assert line.verify() == []
            assert line.cost == value if method != "bestfirst" else line.cost >= value
            assert line.cost == value or not line.optimal


@pytest.mark.parametrize("method", METHODS)
def test_edge_costs(method: str) -> None:
    game = chain([1, 1 << 40, 3, 5])
    detour = replace(game, edges=(*game.edges, (4, 2, 9, 0), (2, 0, (1 << 40) + 7, 0)))
    line = search(detour, method=method)
    assert line.verify() == []
    assert line.cost == 8 + (1 << 40) + 1 or method == "bestfirst"


def test_korf() -> None:
    game = load("sliding:4x4")
    easy = sorted(KORF, key=lambda instance: instance["ida_md_generated_last"])[:6]
    for instance in easy:
        line = search(game, " ".join(map(str, instance["tiles"])), target="cpu")
        assert line.cost == len(line) == instance["optimal"]
        assert line.verify() == []
    for instance in KORF:
        state = game.read(" ".join(map(str, instance["tiles"])))
        assert game.call("h", state, ()) == instance["manhattan"]


# --- what cannot be solved --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_unsolvable(method: str) -> None:
    lost = GraphGame(((0, 1, 1, 0), (1, 2, 1, 0)), (UNDECIDED, -1, 0))
    with pytest.raises(Unsolvable, match="none of the states"):
        search(lost, [0], method)
    with pytest.raises(Unsolvable, match="solvable"):
        search(load("sliding:4x4"), "0 2 1 3 4 5 6 7 8 9 10 11 12 13 14 15", method)
    ring = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED))
    assert Unsolvable.exit_code == 10
    with pytest.raises(LimitReached if method == "idastar" else Unsolvable) as caught:
        search(ring, [0], method, nodes=100)
    assert getattr(caught.value, "bound", 0) < 100


@pytest.mark.parametrize("method", METHODS)
def test_dead_ends_are_not_expanded(method: str) -> None:
    game = GraphGame(((0, 1, 1, 0), (0, 2, 1, 0), (1, 3, 1, 0), (2, 3, 1, 0), (3, 4, 1, 0)), (UNDECIDED,) * 4 + (0,))
    plain = search(bounded(game, (0,) * 5), method=method)
    spared = search(bounded(game, (0,) * 5, dead_ends=(1,)), method=method)
    assert spared.cost == plain.cost == 3
    assert spared.states()[1] == (2,)
    assert spared.nodes <= plain.nodes
    with pytest.raises(Unsolvable):
        search(bounded(game, (0,) * 5, dead_ends=(0,)), method=method)


def test_sliding_knows_what_is_solvable() -> None:
    for spec in ("sliding:2x3", "sliding:3x2", "sliding:1x5"):
        game = load(spec)
        true = naive.distances(naive.explicit(game))
        solvable = {state for state in naive.explicit(game).edges if game.call("solvable", list(state))}
        assert solvable >= set(true)
        assert spec == "sliding:1x5" or solvable == set(true)


# --- limits, memory, slices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_limits(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, hard = load("sliding:3x3"), HARDEST
    seen = []
    with pytest.raises(LimitReached, match="costs at least") as caught:
        search(game, hard, method, nodes=40, target="cpu", run=Run(threads=1, report=lambda *call: seen.append(call)))
    assert game.call("h", game.read(hard), ()) <= caught.value.bound <= 31
    assert caught.value.exit_code == 20
    assert 40 <= seen[-1][1] <= 43
    assert seen[-1][2] == 40
    monkeypatch.setattr(task, "_FIRST_SLICE", 16)
    ring = GraphGame(((0, 1, 1, 0), (1, 0, 1, 0)), (UNDECIDED, UNDECIDED, 0))
    for target, endless, state in (("cpu", game, hard), ("interpreted", ring, [0]))[: 2 if method == "idastar" else 1]:
        with pytest.raises(LimitReached):
            search(endless, state, method, seconds=1e-9, target=target)


@pytest.mark.parametrize("method", ["astar", "bestfirst"])
def test_memory_budget(method: str) -> None:
    game, hard = load("sliding:4x4"), " ".join(map(str, KORF[0]["tiles"]))
    for memory in (1 << 10, 2 << 20):
        with pytest.raises(OutOfMemory, match=r"costs at least 4[1-9]") as caught:
            search(game, hard, method, run=Run(memory=memory, threads=1), weight=1, target="cpu")
        assert caught.value.exit_code == 20
    assert search(game, EASY_FIFTEEN, method, run=Run(memory=2 << 20, threads=1), target="cpu").verify() == []


EASY_FIFTEEN = "1 5 2 3 4 9 6 7 8 13 10 11 12 14 15 0"


def test_arrays_grow() -> None:
    """A path longer than the first array for it, with steps beside it that wait on the stack."""
    length = 600
    straight = chain([1] * length)
    game = bounded(replace(straight, edges=straight.edges * 3), tuple(range(length + 1)))
    for method in METHODS:
        line = search(game, method=method)
        assert line.cost == len(line) == length
        assert line.verify() == []
    with pytest.raises(OutOfMemory):
        search(game, run=Run(memory=40_000, threads=1))


@pytest.mark.parametrize("method", METHODS)
def test_slices_do_not_matter(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("sliding:3x3")
    whole = search(game, FAR, method, target="cpu")
    monkeypatch.setattr(task, "_FIRST_SLICE", 1)
    monkeypatch.setattr(task, "_SHORT", -1.0)
    seen = []
    pieces = search(game, FAR, method, target="cpu", run=Run(threads=1, report=lambda *call: seen.append(call)))
    assert len(seen) > 10
    assert replace(pieces, seconds=whole.seconds) == whole
    assert [call[1] for call in seen] == sorted(call[1] for call in seen)


class SlowSearch:
    """A search whose nodes take so many seconds each, by a clock of its own."""

    def __init__(self, each: float) -> None:
        game = load("sliding:2x3")
        self.each, self.now, self.note = each, 0.0, [0]
        run = Run(threads=1, clock=lambda: self.now)
        self.task = task.Task(game, tuple(game.start()), game.names(target="cpu"), (), run)

    def slice(self) -> float:
        """Search for one slice; return the seconds that it took."""
        began = self.now
        self.task.advance(self._kernel, (), self.note, 0)
        return self.now - began

    def _kernel(self, note: list[int], stop: int) -> None:
        self.now += self.each * (stop - note[0])
        note[0] = stop


def test_slices_have_as_many_nodes_as_fit_their_time() -> None:
    """A node of a large level takes a hundredth of a second, one of a puzzle a ten-millionth."""
    for each in (1e-7, 1e-3, 0.05, 1.0, 30.0):
        search = SlowSearch(each)
        slices = [search.slice() for _ in range(40)]
        longest = max(0.8, each)  # a slice that took less than 0.4 s has at most twice as many nodes after it
        assert all(took <= longest for took in slices[11:]), each
        assert slices[0] <= 1024 * each
        assert each > 1e-3 or slices[-1] >= 0.1


# --- heuristics -------------------------------------------------------------------------------------------------------


class Misplaced:
    """Count the tiles that are not in their place, by a table."""

    def __init__(self) -> None:
        self.table = np.eye(9, dtype=np.int8)
        self.table[0] = 1

        def h(state: State, tables: Any) -> int:
            misplaced = 0
            for cell in range(9):
                misplaced += 1 - tables[0][state[cell], cell]
            return misplaced

        self.functions = {"h": h}

    def names(self) -> Mapping[str, Any]:
        """Return h alone: its steps are worked out."""
        return self.functions

    def tables(self, state: Any) -> tuple[Any, ...]:
        """Return the table."""
        return (self.table,)


def test_another_heuristic() -> None:
    game, heuristic = load("sliding:3x3"), Misplaced()
    own = search(game, NEAR, target="cpu")
    lines = [search(game, NEAR, h=heuristic, target=target) for target in ("cpu", "interpreted")]
    lines.append(search(game, NEAR, "astar", h=heuristic))
    assert [line.cost for line in lines] == [own.cost] * 3
    assert lines[0].nodes == lines[1].nodes > own.nodes
    heuristic.table[:] = 1  # the table is an argument, not a part of the compiled code: now h is 0
    blind = search(game, NEAR, h=heuristic, target="cpu")
    assert blind.cost == own.cost
    assert blind.nodes > lines[0].nodes


# --- enhancements of depth-first search --------------------------------------------------------------------------------


ENHANCED = {"table": "40kB", "order": "bound"}


@pytest.mark.parametrize(
    ("target", "options"), [("cpu", {"order": "bound"}), ("interpreted", {"table": "1MB"}), ("cpu", ENHANCED)]
)
def test_enhancements_change_nodes_and_not_costs(target: str, options: dict[str, Any]) -> None:
    game = load("sliding:3x3")
    plain, other = 0, 0
    for text in (NEAR, FAR, HARDEST)[: 3 if target == "cpu" else 2]:
        own = search(game, text, target=target, automaton=0)
        line = search(game, text, target=target, automaton=0, **options)
        assert (line.cost, line.verify()) == (own.cost, [])
        plain, other = plain + own.nodes, other + line.nodes
    assert other < plain


def test_enhancements_count_the_same_nodes_compiled() -> None:
    game = load("sliding:3x3")
    for automaton in (None, 0):
        interpreted, compiled = (
            search(game, NEAR, target=target, automaton=automaton, **ENHANCED) for target in ("interpreted", "cpu")
        )
        assert interpreted.nodes == compiled.nodes


@given(bounded_puzzles(), st.data())
def test_a_transposition_table_loses_no_solution(
    drawn: tuple[BoundedGraph, dict[int, int]], data: st.DataObject
) -> None:
    game, true = drawn
    start = data.draw(st.integers(0, len(game.results) - 1))
    assert bound_or_cost(game, start, table="40kB") in {true.get(start), "less"} | (
        set() if start in true else {"none"}
    )


def bound_or_cost(game: Game, start: int, **options: Any) -> int | str:
    """Return the cost of a solution, "none" where there is none, "less" where a limit was reached below the true cost."""
    try:
        return search(game, [start], nodes=2000, **options).cost
    except LimitReached as limit:
        return "less" if limit.bound is not None and limit.bound <= naive_bound(game, start) else "more"
    except Unsolvable:
        return "none"


def naive_bound(game: Game, start: int) -> int:
    """Return the true cost of a state, or more than any bound."""
    return naive.distances(naive.explicit(game)).get((start,), 1 << 62)


def test_dead_ends_can_be_switched_off() -> None:
    with pytest.raises(Unsolvable):
        search(bounded(FORKED, (0,) * 5, dead_ends=(0,)))
    assert search(bounded(FORKED, (0,) * 5, dead_ends=(0,)), without="dead").cost == 3


@pytest.mark.long
def test_threads_change_neither_the_line_nor_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idastar, "LONG", 0.001)
    game, regions, plain = load("sliding:4x4"), [], tree_splitting.TreeSplitting.__init__

    def noted(self: Any, task: Any, nodes: int) -> None:
        plain(self, task, nodes)
        regions.append(nodes)

    monkeypatch.setattr(tree_splitting.TreeSplitting, "__init__", noted)
    easy = sorted(KORF, key=lambda instance: instance["ida_md_generated_last"])[:8]
    for options in ({}, {"automaton": 0}, {"order": "bound"}):
        for instance in easy:
            text = " ".join(map(str, instance["tiles"]))
            one = search(game, text, target="cpu", **options)
            two = search(game, text, target="cpu", run=Run(threads=2), **options)
            assert one.nodes > (300_000 if "automaton" in options else 100_000)
            assert (two.moves, two.cost, two.nodes) == (one.moves, one.cost, one.nodes)
    assert len(regions) > 12  # most of the searches were shared out, after their first rounds
    assert min(regions) > 1


def test_short_rounds_stay_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """To share a round out takes some hundredths of a second, and bounds may grow in a thousand small steps."""
    monkeypatch.setattr(idastar, "TreeSplitting", None)
    assert search(load("sliding:3x3"), target="cpu", run=Run(threads=2)).optimal


def test_threads_on_a_path_that_never_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idastar, "LONG", 0)
    ring = GraphGame(((0, 1, 1, 0), (1, 2, 1, 0), (2, 3, 1, 0), (3, 0, 1, 0)), (UNDECIDED,) * 4)
    with pytest.raises(LimitReached):
        search(ring, [0], run=Run(memory=64 << 20, threads=2), nodes=3000)


FORKED = GraphGame(((0, 1, 1, 0), (0, 2, 1, 0), (1, 3, 1, 0), (2, 3, 1, 0), (3, 4, 1, 0)), (UNDECIDED,) * 4 + (0,))


@pytest.mark.long
def test_threads_on_graphs_with_inconsistent_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idastar, "LONG", 0)
    lengths = set()

    @given(bounded_puzzles())
    @example((bounded(FORKED, (1, 0, 2, 0, 0)), {0: 3, 1: 2, 2: 2, 3: 1, 4: 0}))
    def compare(drawn: tuple[BoundedGraph, dict[int, int]]) -> None:
        game, true = drawn
        if not true:
            return
        start = max(true, key=lambda node: true[node])
        one = search(game, [start])
        two = search(game, [start], run=Run(memory=64 << 20, threads=2))
        assert (two.moves, two.cost, two.nodes) == (one.moves, one.cost, one.nodes)
        lengths.add(len(one))

    compare()
    assert 3 in lengths


def test_limits_hold_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idastar, "LONG", 0)
    game, hard = load("sliding:4x4"), " ".join(map(str, KORF[0]["tiles"]))
    for limits in ({"nodes": 50_000}, {"seconds": 0.01}):
        with pytest.raises(LimitReached) as caught:
            search(game, hard, target="cpu", run=Run(threads=2), **limits)
        assert 41 <= caught.value.bound <= 57
        assert caught.value.nodes < 100_000, "each thread stops at the limit, and looks at the clock"


def test_bad_switches() -> None:
    game = load("sliding:3x3")
    for options in ({"order": "best"}, {"table": "10"}, {"method": "astar", "table": "1MB"}):
        with pytest.raises(BadRequest):
            search(game, NEAR, **options)
    with pytest.raises(OutOfMemory):
        search(game, NEAR, table="100MB")


# --- lines ------------------------------------------------------------------------------------------------------------


def test_verify_finds_faults() -> None:
    line = search(load("sliding:3x3"), FAR, target="cpu")
    assert line.verify() == []
    assert len(line) > 3
    for place, move in enumerate(line.moves):
        dropped = line.moves[:place] + line.moves[place + 1 :]
        doubled = (*line.moves[:place], move, *line.moves[place:])
        changed = (*line.moves[:place], 5 << 7 | 5, *line.moves[place + 1 :])
        for moves in (dropped, doubled, changed):
            assert replace(line, moves=moves).verify() != []
            assert replace(line, moves=moves, cost=len(moves)).verify() != []
    for cost in (line.cost - 1, line.cost + 1):
        assert replace(line, cost=cost).verify() == [f"cost: the moves cost {line.cost}, the line claims {cost}"]
    (fault,) = replace(line, moves=line.moves[:-1], cost=line.cost - 1).verify()
    assert fault.endswith("is not solved")
    assert replace(line, start=line.start[:-1]).verify() != []


def test_verify_counts_the_cost_of_edges_and_stops_at_lost_ends() -> None:
    game = GraphGame(((0, 1, 4, 0), (1, 2, 3, 0)), (UNDECIDED, UNDECIDED, 0))
    assert Line(game, (0,), (0, 1), 7).verify() == []
    assert Line(game, (0,), (0, 1), 2).verify() != []
    lost = replace(game, results=(UNDECIDED, -1, 0))
    assert Line(lost, (0,), (0, 1), 7).verify() == ["move 2: 1 is not legal in '1'"]
    assert Line(lost, (0,), (0,), 4).verify() == ["end: '1' is not solved"]


# --- requests ---------------------------------------------------------------------------------------------------------


def test_start_that_is_solved() -> None:
    for method in METHODS:
        line = search(load("sliding:2x3"), method=method)
        assert (line.moves, line.cost, line.nodes, line.optimal) == ((), 0, 1, True)


def test_bad_requests() -> None:
    game = load("sliding:3x3")
    with pytest.raises(BadRequest, match="there are idastar, astar, bestfirst"):
        search(game, method="dfs")
    with pytest.raises(BadRequest, match="idastar takes none"):
        search(game, weight=2)
    for weight in (-1, float("nan"), float("inf"), 1001, 1e300):
        with pytest.raises(BadRequest, match="expected 0 to 1,000"):
            search(game, method="astar", weight=weight)
    with pytest.raises(BadRequest, match="must be positive"):
        search(game, nodes=-1)
    with pytest.raises(BadRequest, match="two players"):
        search(GraphGame(((0, 1, 1, 0),), (UNDECIDED, -1), "outcome"), [0])
    for state in ([99] * 10, [0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8, 5], "0 1 2", load("sliding:2x2").position()):
        with pytest.raises(BadState):
            search(game, state)


def test_searches_on_threads_end_when_nobody_waits_for_them() -> None:
    game = load("sliding:4x4")
    hard = game.read("15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0")  # of the hardest: hours with this heuristic
    first: list[int] = []

    def look_at_one() -> None:
        found = search_many(game, [game.start(), hard, hard, hard], "idastar", Run(threads=2))
        first.extend(one.line.cost for one in [next(found)] if one.line is not None)
        found.close()

    reader = threading.Thread(target=look_at_one, daemon=True)
    reader.start()
    reader.join(100)
    assert (first, reader.is_alive()) == ([0], False)
