"""Proof search on random tiny games, with every two of its features together, against the obvious twins."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest

import naive
from graphs import Edge, GraphGame
from searchbench.errors import LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.index import Radix
from searchbench.proof import Proof
from searchbench.rules import NOWHERE, UNDECIDED, State
from searchbench.run import Limits, Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import Book, LeafDatabase, prove_state
from searchbench.solvers.proof.leaves import Leaves
from searchbench.store import Database
from searchbench.verify import verify_proof

CASES = 1500
SOME_MEMORY = 1 << 22
LITTLE_MEMORY = 1 << 15


@dataclass(frozen=True)
class Ends(Game):
    """Six finished positions: lost, drawn and won for the player to move, each twice."""

    name: ClassVar[str] = "ends"
    values: ClassVar[Any] = "outcome"
    width: ClassVar[int] = 1  # type: ignore[misc]
    max_moves: ClassVar[int] = 1  # type: ignore[misc]

    def index(self) -> Radix:
        """Return the numbers of the positions."""
        return Radix((6,))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; nobody can move."""

        def start(state: State) -> None:
            state[0] = 0

        def terminal(state: State) -> int:
            return state[0] % 3 - 1

        def moves(state: State, out: Any) -> int:
            return 0

        def play(state: State, move: int) -> None:
            pass

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play}


@dataclass(frozen=True)
class Opening(GraphGame):
    """Move a token on a graph until it comes to a node where the game goes on as `Ends`; `leads` tells where, -1: nowhere."""

    name: ClassVar[str] = "opening"

    leads: tuple[int, ...] = ()

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return the number of the position that a node leads to."""
        leads = self.leads

        def number(state: State, scratch: State) -> int:
            return leads[state[0]] if leads[state[0]] >= 0 else NOWHERE

        return number if isinstance(other, Ends) else None


class Patchy(LeafDatabase):
    """Know only the outcomes of some numbers."""

    def __init__(self, game: Game, database: Database, known: frozenset[int]) -> None:
        super().__init__(game, database)
        self.known = known

    def leaves(self, run: Run | None = None) -> Leaves:
        """Return the outcomes with those of the other numbers wiped out."""
        if self._leaves is None:
            whole = super().leaves(run)
            for number in set(range(self.database.size)) - self.known:
                place = (int(whole.pages[0]) << 14) + (number >> 2)
                whole.outcomes[place] &= 255 ^ (3 << 2 * (number & 3))
        assert self._leaves is not None
        return self._leaves

    def value(self, state: Any) -> Any:
        """Return the outcome, None of a number that is not known."""
        number = int(self._rank(list(state), [0] * self.game.width))
        return super().value(state) if number in self.known else None


# --- random games -----------------------------------------------------------------------------------------------------


def random_graph(rng: random.Random, leads: bool, symmetric: bool, cyclic: bool) -> GraphGame:
    """Return a graph game; node 0 is the start. A loop is a pass: the other player moves from the same node."""
    size = rng.randrange(2, 7 if symmetric else 11)
    ends = rng.choice([0.1, 0.2, 0.4])
    results = [rng.choice([-1, -1, 0, 1]) if rng.random() < ends else UNDECIDED for _ in range(size)]
    results[0] = UNDECIDED
    to = [rng.choice([0, 1, 2, 2, 3]) if result == UNDECIDED else 0 for result in results]
    pairs = [(a, rng.randrange(size) if cyclic else rng.randrange(a, size)) for a in range(size) for _ in range(to[a])]
    if not cyclic:
        pairs = [(a, b) for a, b in pairs if a < b]
    led = [rng.randrange(6) if leads and node and rng.random() < 0.3 else -1 for node in range(size)]
    mirror: tuple[int, ...] = ()
    if symmetric:  # a second copy of all nodes, each edge leads to either
        mirror = (*range(size, 2 * size), *range(size))
        crossing = [(a, b, rng.randrange(2)) for a, b in pairs]
        pairs = [(a + side * size, b + (side ^ cross) * size) for side in (0, 1) for a, b, cross in crossing]
        results, led = results * 2, led * 2
    pairs = [(a, b) for a, b in pairs if led[a] < 0]
    results = [UNDECIDED if leaf >= 0 else result for result, leaf in zip(results, led, strict=True)]
    edges: tuple[Edge, ...] = tuple((a, b, 1, 0) for a, b in pairs)
    if leads:
        return Opening(edges, tuple(results), "outcome", mirror=mirror, leads=tuple(led))
    return GraphGame(edges, tuple(results), "outcome", mirror=mirror)


def naive_values(game: GraphGame, leaves: Patchy | None, assumed: int = 0) -> dict[tuple[int, int], int]:
    """Return the outcome of each node, after an even and after an odd number of plies, for the player to move.

    Leaves that nobody knows are worth `assumed` to the player who began.
    """
    graph = naive.Explicit(game)
    led = getattr(game, "leads", (-1,) * len(game.results))
    for node, result in enumerate(game.results):
        for odd in (0, 1):
            if led[node] >= 0:
                assert leaves is not None
                known = led[node] in leaves.known
                graph.results[node, odd] = led[node] % 3 - 1 if known else -assumed if odd else assumed
            elif result != UNDECIDED:
                graph.results[node, odd] = result
            graph.edges[node, odd] = [((b, 1 - odd), 1, 0) for a, b, _, _ in game.edges if a == node]
    return {state: outcome for state, (outcome, _) in naive.outcomes(graph).items()}


@dataclass
class Case:
    """Hold a game with what its proof is asked for."""

    game: GraphGame
    leaves: Patchy | None
    method: str
    plies: int
    nodes: int
    memory: int
    slice: int
    mobility: bool

    def bounds(self, node: int = 0) -> tuple[int, int]:
        """Return what the player to move at a node is sure of, and what she gets at most."""
        return naive_values(self.game, self.leaves, -1)[node, 0], naive_values(self.game, self.leaves, 1)[node, 0]

    def prove(self, path: Path, nodes: int) -> Proof:
        """Return the proof of the start, with the book in the file."""
        book = None
        if self.plies:
            assert self.leaves is not None
            book = Book(self.game, self.leaves, self.plies, path)
        return prove_state(
            self.game, None, self.method, Run(memory=self.memory, threads=1), Limits(nodes), target="interpreted",
            leaves=self.leaves, book=book, **({"mobility": self.mobility} if self.method == "pns" else {}),
        )  # fmt: skip


FEATURES = [
    "pns", "other leaves", "same leaves", "unknown", "book", "limit", "little memory", "slices", "symmetry", "acyclic",
    "mobility",
]  # fmt: skip
NEED_LEAVES = {"unknown", "book"}
LEAVES = {"other leaves", "same leaves"}
NEVER = [("pns", feature) for feature in ("other leaves", "same leaves", "unknown", "book")]
PAIRS = [pair for pair in combinations(FEATURES, 2) if pair not in (*NEVER, ("other leaves", "same leaves"))]


def random_case(rng: random.Random, ends: Database, wanted: set[str]) -> Case:
    """Return a case that has the features wanted, and others by chance."""
    has = {feature for feature in FEATURES if rng.random() < 0.25} | wanted
    if "pns" in wanted or not (wanted | has) & (LEAVES | NEED_LEAVES):
        has -= LEAVES | NEED_LEAVES
    else:
        kind = wanted & LEAVES or {rng.choice(sorted(LEAVES))}
        has = has - LEAVES - {"pns"} | kind
    game = random_graph(rng, "other leaves" in has, "symmetry" in has, "acyclic" not in has)
    leaves = None
    if has & LEAVES:
        database = ends if "other leaves" in has else solve_states(game, run=Run(threads=1), target="interpreted")
        share = 0.5 if "unknown" in has or "same leaves" in has else 1.0
        leaves = Patchy(game, database, frozenset(n for n in range(database.size) if rng.random() < share))
    return Case(
        game, leaves, "pns" if "pns" in has else "alphabeta", rng.randrange(1, 6) if "book" in has else 0,
        rng.choice([1, 3, 10, 40, 150]) if "limit" in has else 0,
        LITTLE_MEMORY if "little memory" in has else SOME_MEMORY, rng.choice([1, 3, 17]) if "slices" in has else 1 << 18,
        "mobility" in has,
    )  # fmt: skip


@pytest.fixture(scope="module")
def ends() -> Database:
    """Return the outcomes of all six ends."""
    return solve_states(Ends(), run=Run(threads=1), target="interpreted")


def check_book(case: Case, path: Path) -> int:
    """Compare all that a book holds with the outcomes; return how many answers there are."""
    assert case.leaves is not None
    answers = 0
    for question, kept in Book(case.game, case.leaves, case.plies, path).answers.items():
        values = naive_values(case.game, case.leaves, question.assumed)
        odd = case.plies % 2
        for (node,), reached in zip(kept.states.tolist(), kept.reached.tolist(), strict=True):
            value = -values[node, 1] if odd else values[node, 0]
            assert reached == (value >= question.bound), (question, node, value)
            answers += 1
    return answers


def attempt(case: Case, path: Path, nodes: int) -> Proof | None:
    """Return the proof, or None where a limit or little memory may have ended it."""
    try:
        return case.prove(path, nodes)
    except (LimitReached, OutOfMemory):
        if nodes or case.memory == LITTLE_MEMORY:
            return None
        raise


def check(case: Case, path: Path) -> int:
    """Compare a proof, and one that goes on with its book, with the outcome; return how many answers the book has."""
    path.unlink(missing_ok=True)
    for nodes in (case.nodes, 0):  # first as far as the limit goes, then without a limit
        proof = attempt(case, path, nodes)
        if proof is None:
            continue
        lower, upper = case.bounds()
        assert (proof.outcome, proof.highest) == (lower, upper)
        faults = verify_proof(proof)
        if proof.incomplete:
            assert nodes or case.memory == LITTLE_MEMORY
            assert faults
            assert all("the evidence is incomplete" in fault for fault in faults)
        else:
            assert faults == []
    return check_book(case, path) if path.exists() else 0


@pytest.mark.long
@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_every_pair_of_features(
    pair: tuple[str, str],
    ends: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.ERROR)
    for seed in range(CASES // len(PAIRS) + 1):
        case = random_case(random.Random(f"{pair} {seed}"), ends, set(pair))
        monkeypatch.setattr("searchbench.solvers.proof.alphabeta.SLICE", case.slice)
        monkeypatch.setattr("searchbench.solvers.proof.pns.SLICE", case.slice)
        monkeypatch.setattr("searchbench.solvers.proof.retracing.SLICE", case.slice)
        try:
            check(case, tmp_path / "some.book")
        except BaseException:
            print(seed, case)
            raise


@pytest.mark.parametrize("plies", [1, 2])
def test_evidence_begins_at_a_leaf_that_nobody_knows(plies: int, ends: Database) -> None:
    results = (UNDECIDED,) * plies + (-1,)
    game = Opening(
        tuple((node, node + 1, 1, 0) for node in range(plies)), results, "outcome", leads=(2, *(-1,) * plies)
    )
    leaves = Patchy(game, ends, frozenset())
    proof = prove_state(game, None, "alphabeta", Run(threads=1), target="interpreted", leaves=leaves)
    assert (proof.value, verify_proof(proof)) == ({1: "win", 2: "loss"}[plies], [])
