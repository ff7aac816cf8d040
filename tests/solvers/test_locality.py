"""Depths modulo 3 and 4 where moves go one way: refused, or right where a game claims rightly how far moves lead back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from graphs import GraphGame, puzzles
from searchbench.catalogue import load
from searchbench.errors import BadRequest, OutOfMemory, Unsolvable
from searchbench.index import Rearrangement, Sequences
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.exhaustive import search_by_duality, solve_states
from searchbench.solvers.exhaustive.bits.solve import bytes_needed, form_within
from searchbench.solvers.exhaustive.by_streaming import method_for
from searchbench.store import Database
from searchbench.testing.moves import locality
from searchbench.testing.subject import Subject
from searchbench.values import Depth
from searchbench.verify import verify_database


def run() -> Run:
    return Run(memory=8 << 20, threads=1)


def locality_of(game: GraphGame) -> int:
    """Return by how many moves a move brings the start nearer, at most."""
    depths = naive.depths(game)
    return max(
        [0, *(depths[(one,)] - depths[(other,)] for one, other, _, _ in game.edges if (one,) in depths)], default=0
    )


def is_ambiguous(game: GraphGame) -> bool:
    """Tell whether a move leads back by 2, 5, 8, ... levels: modulo 3, that looks like a move to the next level."""
    depths = naive.depths(game)
    falls = [depths[(one,)] - depths[(other,)] for one, other, _, _ in game.edges if (one,) in depths]
    return any(fall > 0 and fall % 3 == 2 for fall in falls)


@st.composite
def walks(draw: st.DrawFn) -> GraphGame:
    """Draw a puzzle of moves that cost 1, often long, some of which can be undone, or all."""
    game = draw(puzzles(costs=False))
    nodes = len(game.results)
    line = [(node, node + 1, 1, 0) for node in range(draw(st.integers(0, nodes - 1)))]
    edges = [*line, *game.edges[: draw(st.integers(0, nodes))]]
    undone = draw(st.sampled_from([0, len(edges) // 2, len(edges)]))
    return replace(game, edges=(*edges, *((b, a, 1, 0) for a, b, _, _ in edges[:undone])), cuts=())


def two_bit(game: GraphGame) -> Database:
    return solve_states(game, solver="bfs", run=run(), target="interpreted", form="two-bit")


CIRCLE = GraphGame((*tuple((node, node + 1, 1, 0) for node in range(6)), (6, 1, 1, 0)), (UNDECIDED,) * 7)
SHORT_CUT = GraphGame(((3, 4, 1, 0), (0, 4, 1, 0), (0, 1, 1, 0), (1, 2, 1, 0), (2, 3, 1, 0)), (UNDECIDED,) * 4 + (0,))


@settings(max_examples=150, deadline=None)
@given(walks())
@example(CIRCLE)
@example(SHORT_CUT)
def test_depths_modulo_3_are_right_or_refused(game: GraphGame) -> None:
    with pytest.raises(BadRequest, match="does not claim a `locality`"):
        two_bit(game)
    assert form_within(game, Run(memory=1, threads=1)) != "two-bit"
    claimed = locality_of(game)
    if claimed > 1:
        with pytest.raises(BadRequest, match="does not claim a `locality`"):
            two_bit(replace(game, locality=claimed))
        return
    database = two_bit(replace(game, locality=claimed))
    right = naive.depths(game)
    assert [database.probe([node]) for node in range(game.size)] == [right.get((node,)) for node in range(game.size)]
    for depth in set(right.values()):
        assert [place.state for place in database.find(value=depth)] == sorted(s for s in right if right[s] == depth)
    report = verify_database(database, run(), target="interpreted")
    assert report, report
    assert not list(locality(Subject(replace(game, locality=claimed), 50, 0)))


@settings(max_examples=150, deadline=None)
@given(walks())
@example(CIRCLE)
@example(SHORT_CUT)
def test_false_claims_are_found_by_the_law_and_by_verification_no_right_ones(game: GraphGame) -> None:
    claiming = replace(game, locality=1)
    assert bool(list(locality(Subject(claiming, 50, 0)))) is (locality_of(game) > 1)
    report = verify_database(two_bit(claiming), run(), target="interpreted")
    assert bool(report) is not is_ambiguous(game), report
    if not report:
        assert {fault.claim for fault in report.faults} == {"locality"}


@settings(max_examples=100, deadline=None)
@given(walks())
def test_a_table_of_a_game_that_claims_nothing_is_not_read(game: GraphGame) -> None:
    store = two_bit(replace(game, locality=1)).store
    database = Database(game, Depth(), store)
    for ask in (lambda: database.probe(), lambda: database.line()):
        with pytest.raises(BadRequest, match="does not claim a `locality`"):
            ask()
    assert database.reachable == len(naive.depths(game))  # how many there are of each depth needs no reading


def test_little_memory_chooses_no_form_that_is_read_wrongly() -> None:
    game = GraphGame((*tuple((node, node + 1, 1, 0) for node in range(1999)), (1999, 1, 1, 0)), (UNDECIDED,) * 2000)
    room = bytes_needed(game, "two-bit")
    with pytest.raises(OutOfMemory):
        solve_states(game, solver="bfs", run=Run(memory=room, threads=1), target="interpreted")


# --- rows -------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.permutations(range(8)), min_size=1, max_size=3), st.booleans())
def test_rows_are_for_moves_that_a_move_undoes(orders: list[list[int]], both: bool) -> None:
    moves = {Rearrangement(0, 0, tuple(order)) for order in orders}
    moves |= {move.inverse for move in moves} if both else set()
    sequences = Sequences(8, 1, tuple(sorted(moves)))
    if method_for(sequences, run()) is not None:
        assert all(move.inverse in moves for move in moves)
    if not sequences.reversible:
        assert method_for(sequences, run()) is None


def test_games_of_the_house_keep_their_forms() -> None:
    for spec in ("hanoi:4", "peg-solitaire:triangle,6", "frogs-and-toads:2", "fore-and-aft", "pocket-cube", "top-spin:8,4",
                 "pancake:8", "burnt-pancake:4", "sliding:3x3", "sliding:3x4,half=yes", "sliding-groups:3x3,8-6",
                 "pancake-pattern:7,4-5-6", "rubik-pattern:UR", "tic-tac-toe", "connect4:4,4", "graph:0>1;1>0"):  # fmt: skip
        assert load(spec).locality in {0, 1}, spec
    for spec in ("rubik-pattern:UR,clockwise", "rubik:clockwise", "graph:0>1", "awari:3"):
        assert load(spec).locality is None, spec


# --- duality ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mirrored(GraphGame):
    """Turn a graph round by its nodes' order: the last node is the goal, and the dual of the first."""

    name: ClassVar[str] = "mirrored"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules, and `reversal`."""
        last = len(self.results) - 1

        def reversal(state: State) -> None:
            state[0] = last - state[0]

        return {**{name: rule for name, rule in super().rules().items() if name != "cost"}, "reversal": reversal}


@st.composite
def mirrored(draw: st.DrawFn) -> Mirrored:
    """Draw a directed graph that looks the same from both ends."""
    nodes = draw(st.integers(2, 14))
    node = st.integers(0, nodes - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=2 * nodes))
    pairs += [(a, a + 1) for a in range(draw(st.integers(0, nodes - 1)))]
    edges = {(a, b) for a, b in pairs} | {(nodes - 1 - b, nodes - 1 - a) for a, b in pairs}
    return Mirrored(
        tuple((a, b, 1, 0) for a, b in sorted(edges, key=lambda _: draw(st.integers(0, 99)))),
        (UNDECIDED,) * (nodes - 1) + (0,),
    )


@settings(max_examples=150, deadline=None)
@given(mirrored())
def test_duality_is_right_where_moves_go_one_way(game: Mirrored) -> None:
    length = naive.depths(game).get((len(game.results) - 1,))
    if length is None:
        with pytest.raises(Unsolvable):
            search_by_duality(game, run=run(), target="interpreted")
        return
    line = search_by_duality(game, run=run(), target="interpreted")
    assert line.cost == length
    assert line.verify() == []
