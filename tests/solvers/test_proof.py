"""Proof-number search and alpha-beta search agree with the obvious twins; their evidence is complete; faults are found."""

from __future__ import annotations

import json
import random
import sys
from collections import deque
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from searchbench import jit
from searchbench.errors import BadRequest, LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.games.connect4 import Connect4
from searchbench.games.mnk import MNK
from searchbench.games.sliding import Sliding
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.proof import Claim, Proof, Strategy
from searchbench.rules import UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.bounding import Solved
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.evidence import gather_claims
from searchbench.solvers.proof.facts import learn, lower_of, place_of, upper_of
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.tree import FREE, FRESH, LIVE, NONE, SIBLING
from searchbench.solvers.shared.transposition import (
    ENTRY_BYTES,
    WORTH_SHIFT,
    grown,
    largest_size,
    new_transpositions,
    probe,
    store,
)
from searchbench.verify import verify_proof

METHODS = ("pns", "alphabeta", "dfpn", "portfolio")
"""The methods for all games; the method graph is for games of lines."""

GOLDEN = Path(__file__).parents[1] / "golden"
NODES, DEGREE = 10, 3
OTHER_METHODS = [{"configuration": "pns"}, {"configuration": "alphabeta"}, {"configuration": "pns", "mobility": True}]


@dataclass(frozen=True)
class Token(Game):
    """Move a token on a graph that is part of the state, so that what is bound serves every graph.

    Cells: the token's node, a result for each node (2: none), then DEGREE successors for each node (-1: none).
    """

    name: ClassVar[str] = "token"
    values: ClassVar[Any] = "outcome"

    width: ClassVar[int] = 1 + NODES + NODES * DEGREE  # type: ignore[misc]
    max_moves: ClassVar[int] = DEGREE  # type: ignore[misc]

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``to * NODES + from``."""

        def start(state: State) -> None:
            for cell in range(1 + NODES + NODES * DEGREE):
                state[cell] = -1

        def terminal(state: State) -> int:
            result = state[1 + state[0]]
            return UNDECIDED if result == 2 else result

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for place in range(DEGREE):
                successor = state[1 + NODES + DEGREE * state[0] + place]
                if successor >= 0:
                    out[count] = successor * NODES + state[0]
                    count += 1
            return count

        def play(state: State, move: int) -> None:
            state[0] = move // NODES

        def unplay(state: State, move: int) -> None:
            state[0] = move % NODES

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}


def graph_from(game: Game, state: Sequence[int]) -> naive.Explicit:
    """Return all that can be reached from a state, as a graph."""
    graph = naive.Explicit(game)
    queue = deque([tuple(state)])
    while queue:
        at = queue.popleft()
        if at not in graph.edges:
            if game.terminal(at) != UNDECIDED:
                graph.results[at] = game.terminal(at)
            graph.edges[at] = [(tuple(game.play(at, move)), 1, 0) for move in game.moves(at)]
            queue.extend(successor for successor, _, _ in graph.edges[at])
    return graph


@st.composite
def token_states(draw: st.DrawFn) -> tuple[int, ...]:
    """Draw a graph with cycles, dead ends and results, and a node to begin from."""
    return random_token_state(random.Random(draw(st.integers(0, 1 << 32))))


def random_token_state(rng: random.Random) -> tuple[int, ...]:
    """Return a random graph as a state of Token."""
    ends = rng.choice([0.1, 0.3, 0.5])
    results = [rng.choice([-1, -1, 0, 1]) if rng.random() < ends else 2 for _ in range(NODES)]
    successors = [rng.randrange(NODES) if rng.random() < 0.8 else -1 for _ in range(NODES * DEGREE)]
    return (rng.randrange(NODES), *results, *successors)


def check_all_methods(game: Game, state: Sequence[int], outcome: int, run: Run, target: Any = "cpu") -> None:
    """Compare the proofs of a state with its outcome, and verify them."""
    for options in OTHER_METHODS:
        proof = prove_state(game, state, run=run, target=target, **options)
        assert proof.outcome == outcome, (options, state)
        assert proof.verify() == [], (options, state)
        sides = {1: [(0, 1)], 0: [(0, 0), (1, 0)], -1: [(1, 1)]}
        assert [(claim.player, claim.bound) for claim in proof.claims] == sides[outcome]


# --- outcomes and evidence --------------------------------------------------------------------------------------------


@given(token_states())
@settings(max_examples=150)
@example((2, *[2] * NODES, *[-1] * (NODES * DEGREE)))  # nobody can move: a draw
@example((0, *[2] * NODES, *[0, -1, -1] * NODES))  # a node that is its own successor
def test_random_graphs_with_cycles(state: tuple[int, ...]) -> None:
    game = Token()
    outcome, _ = naive.outcomes(graph_from(game, state))[state]
    check_all_methods(game, state, outcome, Run(memory=1 << 20, threads=1), "interpreted")


def roundabout() -> tuple[int, ...]:
    """Return a graph where node 5, reached by 1, looks as if it led nowhere but back to 1, yet is won by way of 1 and 4."""
    rows = {0: (1, 2), 1: (3, 4), 2: (7,), 3: (5,), 4: (8,), 5: (6,), 6: (1,), 7: (5,), 8: (9,)}
    cells = [after for node in range(NODES) for after in (*rows.get(node, ()), -1, -1, -1)[:DEGREE]]
    return (0, *[2] * (NODES - 1), -1, *cells)


def test_a_repetition_says_nothing_on_other_paths() -> None:
    state = roundabout()
    assert naive.outcomes(graph_from(Token(), state))[state] == (-1, 8)
    check_all_methods(Token(), state, -1, Run(memory=16 << 20, threads=1), "interpreted")


def turned(state: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return the eight images of a board of 3x3."""
    images = set()
    for _ in range(4):
        state = tuple(state[3 * (2 - cell % 3) + cell // 3] for cell in range(9))
        images |= {state, tuple(state[3 * (cell // 3) + 2 - cell % 3] for cell in range(9))}
    return images


@pytest.mark.long
def test_tic_tac_toe_from_every_kind_of_position(run: Run) -> None:
    game = TicTacToe()
    known = json.loads((GOLDEN / "tic_tac_toe.json").read_text())
    values = naive.outcomes(graph_from(game, game.start()))
    assert len(values) == known["positions"]
    little = Run(memory=1 << 20, threads=1)  # what each proof begins by clearing
    for number, (state, (outcome, _)) in enumerate(values.items()):
        if state == min(turned(state)) or number % 25 == 0:  # one of each kind, and a few others
            proof = prove_state(game, state, list(METHODS)[number % 2], little)
            assert proof.outcome == outcome
            if number % 100 == 0 or number < 50:
                assert proof.verify() == []
    assert prove_state(game).value == known["value"] == "draw"


@pytest.mark.long
def test_small_connect_four(run: Run) -> None:
    boards = json.loads((GOLDEN / "connect4_small.json").read_text())["outcomes"]
    check_all_methods(Connect4(4, 4), Connect4(4, 4).start(), boards["4x4"]["value"], run)
    proof = prove_state(Connect4(5, 4), configuration="alphabeta", run=run)
    assert proof.outcome == boards["5x4"]["value"]
    assert proof.verify() == []


def test_a_game_of_lines_that_is_won(run: Run) -> None:
    game = MNK(4, 3, 3)
    outcome = naive.alphabeta(game, game.start())
    assert outcome == 1
    check_all_methods(game, game.start(), outcome, run, "interpreted")


def test_evidence_is_complete_where_the_table_has_forgotten_everything(run: Run) -> None:
    game = Connect4(4, 4)
    state = tuple(game.start())
    tables = new_transpositions(2), new_transpositions(2)
    claims = tuple(gather_claims(game, state, Solved(0, 0, tables, {}), Budget(game, run)))
    assert Proof(game, state, 0, "", claims).verify() == []


def test_states_are_given_as_text_or_numbers_or_positions(run: Run) -> None:
    game = TicTacToe()
    text = game.format(game.play(game.start(), game.moves(game.start())[0]))
    proofs = [prove_state(game, what, run=run) for what in (text, game.read(text), game.position(text))]
    assert len({(proof.state, proof.outcome, proof.nodes) for proof in proofs}) == 1
    assert proofs[0].state == tuple(game.read(text))


def test_a_finished_game_is_proved_without_search(run: Run) -> None:
    game = Token()
    for result in (-1, 0, 1):
        state = (0, result, *[2] * (NODES - 1), *[1] * (NODES * DEGREE))
        proof = prove_state(game, state, run=run)
        assert (proof.outcome, proof.nodes, proof.verify()) == (result, 0, [])


# --- the searches themselves ------------------------------------------------------------------------------------------


def test_what_the_table_keeps_is_true_on_every_path(run: Run) -> None:
    game = Token()
    rng = random.Random(8)
    facts = 0
    for state in (roundabout(), *(random_token_state(rng) for _ in range(300))):
        if game.terminal(state) != UNDECIDED:
            continue
        values = naive.outcomes(graph_from(game, state))
        root = np.array(state, game.dtype)
        alpha_beta = AlphaBetaSearch(game, Budget(game, run), new_transpositions(1 << 10), 0, target="interpreted")
        alpha_beta.value(root, -1, 1)
        proof_numbers = ProofNumberSearch(
            game, Budget(game, run), new_transpositions(1 << 10), 0, 1 << 20, "interpreted"
        )
        for bound in (1, 0):
            proof_numbers.holds(root, bound)
        for table in (alpha_beta.table, proof_numbers.table):
            for at, (value, _) in values.items():
                fact = probe(table, game.call("key", list(at)))
                assert lower_of(fact) <= value <= upper_of(fact), (state, at)
                facts += fact != 0
    assert facts > 1000


def test_windows_bound_the_value(run: Run) -> None:
    game = Token()
    rng = random.Random(5)
    for _ in range(100):
        state = random_token_state(rng)
        if game.terminal(state) != UNDECIDED:
            continue
        value, _ = naive.outcomes(graph_from(game, state))[state]
        root = np.array(state, game.dtype)
        for alpha, beta in ((-1, 0), (0, 1), (-1, 1)):
            search = AlphaBetaSearch(game, Budget(game, run), new_transpositions(1 << 10), 0, target="interpreted")
            found = search.value(root, alpha, beta)
            assert (found > alpha) == (value > alpha)
            assert (found >= beta) == (value >= beta)
            assert alpha >= found or found >= beta or found == value


def test_search_is_the_same_in_slices_of_any_size(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Connect4(4, 4)
    whole = {method: prove_state(game, configuration=method, run=run, evidence=False) for method in METHODS[:2]}
    monkeypatch.setattr("searchbench.solvers.proof.alphabeta.SLICE", 7)
    sliced = prove_state(game, configuration="alphabeta", run=run, evidence=False)
    assert (sliced.outcome, sliced.nodes) == (whole["alphabeta"].outcome, whole["alphabeta"].nodes)
    monkeypatch.setattr("searchbench.solvers.proof.pns.SLICE", 500)
    sliced = prove_state(game, configuration="pns", run=run, evidence=False)
    # A slice ends between developments and the next begins at the root: the tree is the same (Allis 1994, 2.3.2).
    assert (sliced.outcome, sliced.nodes, sliced.facts) == (
        whole["pns"].outcome,
        whole["pns"].nodes,
        whole["pns"].facts,
    )


def test_basic_search_and_first_numbers(run: Run) -> None:
    game = Connect4(4, 4)
    root = np.array(game.start(), game.dtype)
    nodes = {}
    for mobility in (False, True):
        for lookup in (False, True):
            search = ProofNumberSearch(game, Budget(game, run), new_transpositions(1 << 16), 0, 16 << 20)
            assert not search.holds(root, 1, mobility, lookup)
            assert search.holds(root, 0, mobility, lookup)
            nodes[mobility, lookup] = search.nodes
            assert 0 < search.facts()["peak"] < search.nodes
    assert nodes[False, True] < nodes[False, False]
    assert nodes[True, False] < nodes[False, False]


def test_solved_parts_leave_the_tree(run: Run) -> None:
    game = Connect4(4, 4)
    search = ProofNumberSearch(game, Budget(game, run), new_transpositions(1 << 16), 0, 16 << 20)
    assert search.holds(np.array(game.start(), game.dtype), 0)
    free, node = 0, search.note[FREE]
    while node != NONE:
        free += 1
        node = search.tree.node[node, SIBLING]
    assert search.note[LIVE] == 1  # the root
    assert search.note[LIVE] + free == search.note[FRESH]  # every node is in the tree or free, none is lost


def test_a_long_way_to_the_end(run: Run) -> None:
    """Longer than Python calls may be nested, and than searches make room for at first."""
    length = 1300
    assert length > sys.getrecursionlimit()
    for method in METHODS:
        proof = prove_state(Corridor(length), configuration=method, run=run, target="interpreted")
        assert proof.outcome == (1 if length % 2 else -1)
        assert proof.verify() == []


@dataclass(frozen=True)
class Corridor(Game):
    """Walk one step at a time; who cannot walk on has lost. A step may also be taken to a room that is a loss to enter."""

    name: ClassVar[str] = "corridor"
    values: ClassVar[Any] = "outcome"
    dtype: ClassVar[Any] = np.int32
    width: ClassVar[int] = 1  # type: ignore[misc]
    max_moves: ClassVar[int] = 2  # type: ignore[misc]

    length: int

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a state above the length is a room."""
        length = self.length

        def start(state: State) -> None:
            state[0] = 0

        def terminal(state: State) -> int:
            if state[0] > length:
                return 1
            return -1 if state[0] == length else UNDECIDED

        def moves(state: State, out: MutableSequence[int]) -> int:
            out[0] = 1
            out[1] = length + 1
            return 2

        def play(state: State, move: int) -> None:
            state[0] += move

        def unplay(state: State, move: int) -> None:
            state[0] -= move

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}


# --- limits and bad requests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_limits_of_nodes_and_memory(method: str) -> None:
    game = Connect4(4, 4)
    with pytest.raises(LimitReached, match="within 1,000 nodes"):
        prove_state(game, configuration=method, run=Run(memory=8 << 20, threads=1), nodes=1000)
    reports: list[tuple[str, int, int]] = []
    run = Run(memory=64 << 20, threads=1, report=lambda *report: reports.append(report))
    assert prove_state(game, configuration=method, run=run, nodes=10**6).outcome == 0
    assert {total for _, _, total in reports} == {10**6}
    assert max(done for _, done, _ in reports) <= 10**6


def test_a_full_tree_and_no_memory_at_all() -> None:
    with pytest.raises(LimitReached, match=r"the tree of .* nodes .* is full .*; give more memory"):
        prove_state(Connect4(4, 4), configuration="pns", run=Run(memory=1 << 19, threads=1))
    for method in ("pns", "dfpn", "alphabeta", "portfolio"):
        with pytest.raises(OutOfMemory, match="the memory budget is 100 bytes"):
            prove_state(Connect4(4, 4), configuration=method, run=Run(memory=100, threads=1))


@dataclass(frozen=True)
class TakeAway(Game):
    """Take some from a heap, but not as many as were taken before; who cannot move loses."""

    name: ClassVar[str] = "take-away"
    values: ClassVar[Any] = "outcome"
    dtype: ClassVar[Any] = np.int32
    heap: int = 4_000
    most: int = 3_000

    @property
    def width(self) -> int:
        """Return 2: the heap, and how many were taken last."""
        return 2

    @property
    def max_moves(self) -> int:
        """Return the most that can be taken."""
        return self.most

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is how many are taken, and then five digits with how many were taken before."""
        heap, most = self.heap, self.most

        def start(state: State) -> None:
            state[0], state[1] = heap, 0

        def moves(state: State, out: Any) -> int:
            count = 0
            for taken in range(1, min(most, state[0]) + 1):
                if taken != state[1]:
                    out[count] = taken * 100_000 + state[1]
                    count += 1
            return count

        def terminal(state: State) -> int:
            return -1 if state[0] == 0 or (state[0] == 1 and state[1] == 1) else UNDECIDED

        def play(state: State, move: int) -> None:
            state[0] -= move // 100_000
            state[1] = move // 100_000

        def unplay(state: State, move: int) -> None:
            state[0] += move // 100_000
            state[1] = move % 100_000

        return {"start": start, "moves": moves, "terminal": terminal, "play": play, "unplay": unplay}


def test_a_tree_that_is_full_because_nodes_are_limited_asks_for_more_nodes() -> None:
    # Whichever is noticed first, by how long a piece of the search lasts.
    with pytest.raises(
        LimitReached, match=r"(the tree of 15,000 nodes .* is full|within 9,000 nodes) .*; raise the limit"
    ):
        prove_state(TakeAway(), None, "pns", nodes=9_000)


def test_a_strategy_beyond_the_budget_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    proof = prove_state(Connect4(4, 4), run=Run(memory=1 << 17, threads=1), configuration="alphabeta")
    assert proof.outcome == 0
    assert proof.claims == ()
    assert proof.incomplete
    assert "draw is proved by the search, but the evidence is incomplete, because its budget is used up" in caplog.text
    assert len(proof.verify()) == 2
    assert prove_state(TicTacToe(), evidence=False).claims == ()


def test_bad_requests(run: Run) -> None:
    with pytest.raises(BadRequest, match=r"'distance'.*only a game of two players"):
        prove_state(Sliding(2, 2), run=run)
    with pytest.raises(BadRequest, match="there are portfolio, pns, alphabeta"):
        prove_state(TicTacToe(), configuration="magic", run=run)
    with pytest.raises(BadRequest, match="limits of -1 nodes"):
        prove_state(TicTacToe(), nodes=-1, run=run)


# --- verification finds planted faults --------------------------------------------------------------------------------


def planted(proof: Proof, claim: Claim, **changes: Any) -> Proof:
    """Return the proof with one of its claims changed."""
    return replace(proof, claims=tuple(replace(one, **changes) if one is claim else one for one in proof.claims))


def test_every_missing_and_every_changed_move_is_found(run: Run) -> None:
    game = TicTacToe()
    for root in ((1, 2, 0, 0, 0, 0, 0, 0, 1), (1, 2, 1, 2, 1, 0, 0, 0, 0), (1, 0, 0, 0, 2, 0, 0, 0, 1)):
        values = naive.outcomes(graph_from(game, root))
        proof = prove_state(game, root, run=run)
        assert proof.verify() == []
        for claim in proof.claims:
            for at, move in claim.strategy.items():
                rest = {other: kept for other, kept in claim.strategy.items() if other != at}
                faults = verify_proof(planted(proof, claim, strategy=rest))
                assert len(faults) == 1
                assert "no move is given" in faults[0]
                assert repr(game.format(at)) in faults[0]
                illegal = {**claim.strategy, at: 99}
                assert "move 99" in verify_proof(planted(proof, claim, strategy=illegal))[0]
                for other in game.moves(at):
                    after = tuple(game.play(at, other))
                    if other != move and -values[after][0] < claim.bound:
                        assert verify_proof(planted(proof, claim, strategy={**claim.strategy, at: other}))


@pytest.mark.parametrize("method", METHODS)
def test_raised_bounds_and_outcomes_are_found(method: str, run: Run) -> None:
    proof = prove_state(TicTacToe(), configuration=method, run=run, target="interpreted")
    for claim in proof.claims:
        faults = verify_proof(planted(proof, claim, bound=1))
        assert faults
        assert all("where the game is over" in fault for fault in faults)
    assert "nothing shows that the player to move gets a win" in verify_proof(replace(proof, outcome=1))[0]
    assert "nothing shows that the other player gets a win" in verify_proof(replace(proof, outcome=-1))[0]
    assert "expected -1, 0 or +1" in verify_proof(replace(proof, outcome=2))[0]
    assert len(verify_proof(replace(proof, claims=()))) == 2
    assert "expected player 0 or 1" in verify_proof(planted(proof, proof.claims[0], player=2))[-1]


def test_a_win_that_runs_in_a_circle_is_found() -> None:
    # 0 wins at once by 2; by 1 the opponent is sent back to 0, which has the same value but gets nowhere.
    results = [2, 2, -1, *[2] * (NODES - 3)]
    state = (0, *results, 1, 2, -1, 0, *[-1] * (NODES * DEGREE - 4))
    game = Token()
    proof = prove_state(game, state, target="interpreted")
    assert proof.outcome == 1
    assert proof.verify() == []
    faults = verify_proof(planted(proof, proof.claims[0], strategy={state: 1 * NODES}))
    assert len(faults) == 1
    assert "comes back" in faults[0]
    draw = Proof(game, state, 0, "", (Claim(0, 0, {state: 1 * NODES}), proof.claims[0]))
    assert [fault for fault in draw.verify() if "comes back" in fault] == []  # a draw may go on for ever


# --- the containers ---------------------------------------------------------------------------------------------------


@given(st.dictionaries(st.tuples(*[st.integers(-128, 127)] * 3), st.integers(-(1 << 62), 1 << 62), min_size=1))
def test_strategy_is_a_mapping(moves: dict[tuple[int, ...], int]) -> None:
    strategy = Strategy(np.array(list(moves), np.int8), np.array(list(moves.values()), np.int64))
    assert dict(strategy) == moves
    assert len(strategy) == len(moves)
    for absent in ((1000, 0, 0), (0, 0), (0, 0, 0, 0), *((a, b, c + 1) for a, b, c in moves)):
        assert strategy.get(absent) == moves.get(absent)


@pytest.mark.parametrize("scheme", ["always", "two-level"])
def test_transpositions_never_mix_up_keys(scheme: Any) -> None:
    table = new_transpositions(64, scheme)
    rng = random.Random(1)
    stored: dict[int, int] = {}
    for _ in range(2000):
        key, word = rng.randrange(300) << rng.choice([0, 40]), rng.randrange(1, 1 << 40)
        store(table, key, word)
        stored[key] = word
        assert probe(table, key) == word
    found = {key: probe(table, key) for key in stored}
    assert all(word in (0, stored[key]) for key, word in found.items())
    assert sum(word != 0 for word in found.values()) == table.used[0] <= 64
    larger = grown(table, jit.Names({}))
    assert len(larger.keys) == 128
    assert all(probe(larger, key) == word for key, word in found.items() if word and scheme == "two-level")


def test_two_levels_keep_the_most_valuable_and_the_newest() -> None:
    table = new_transpositions(2, "two-level")
    words = [worth << WORTH_SHIFT | 1 for worth in (5, 9, 2, 3)]
    for key, word in enumerate(words):
        store(table, key, word)
    assert [probe(table, key) for key in range(4)] == [0, words[1], 0, words[3]]
    table = new_transpositions(2, "always")
    for key, word in enumerate(words):
        store(table, key, word)
    assert probe(table, 3) == words[3]


def test_size_of_a_table() -> None:
    assert largest_size(ENTRY_BYTES << 20) == 1 << 20
    assert largest_size((ENTRY_BYTES << 20) - 1) == 1 << 19
    for size in (0, 1, 3, 1000):
        with pytest.raises(BadRequest, match="power of two"):
            new_transpositions(size)
    with pytest.raises(BadRequest, match="always, two-level"):
        new_transpositions(4, "never")  # type: ignore[arg-type]


def test_facts_are_joined() -> None:
    table = new_transpositions(16)
    learn(table, 7, 0, 1, place=3, work=10)
    learn(table, 7, -1, 0, place=-1, work=5)
    fact = probe(table, 7)
    assert (lower_of(fact), upper_of(fact), place_of(fact), fact >> WORTH_SHIFT) == (0, 0, 3, 10)
    learn(table, 8, -1, 0, place=-1, work=1)
    assert (lower_of(probe(table, 8)), upper_of(probe(table, 8)), place_of(probe(table, 8))) == (-1, 0, -1)
    assert (lower_of(0), upper_of(0), place_of(0)) == (-1, 1, -1)
