"""Proof-number search over graphs of positions: the figures of Allis (1994, section 2.3.4), and random games."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from graphs import GraphGame
from searchbench import jit
from searchbench.errors import BadRequest, LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.games.mnk import MNK
from searchbench.rules import UNDECIDED
from searchbench.run import Limits, Run
from searchbench.solvers.proof import ProofNumber, budget, merged, prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.merged import MergedSearch
from searchbench.verify import verify_proof
from solvers.test_proof_combinations import naive_values, random_graph


@dataclass(frozen=True)
class OneWay(GraphGame):
    """A graph that knows which edges lead nowhere back."""

    name: ClassVar[str] = "oneway"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules, with those moves."""
        after: dict[int, set[int]] = {node: {node} for node in range(len(self.results))}
        for _ in self.results:
            for a, b, _, _ in self.edges:
                after[a] |= after[b]
        forth = np.array([a not in after[b] for a, b, _, _ in self.edges] or [False])

        def irreversible(state: Any, move: int) -> bool:
            return bool(forth[move])

        return {**super().rules(), "irreversible": irreversible}


def searching(game: Game, conversions: bool = False) -> MergedSearch:
    """Return an interpreted search."""
    return MergedSearch(
        game, Budget(game, Run(threads=1, memory=1 << 26)), conversions, game.names(target="interpreted")
    )


def drawn(letters: str, edges: str) -> GraphGame:
    """Return the graph of a figure, in which edges are pairs of letters; a frontier node has a move to a draw."""
    pairs = [(letters.index(a), letters.index(b)) for a, b in edges.split()]
    frontier = set(range(len(letters))) - {a for a, _ in pairs}
    pairs += [(node, len(letters)) for node in sorted(frontier)]
    return GraphGame(tuple((a, b, 1, 0) for a, b in pairs), (*(UNDECIDED,) * len(letters), 0), "outcome")


def numbers_after(game: GraphGame, letters: str, developed: str, bound: int) -> tuple[dict[str, tuple[int, int]], str]:
    """Return the mover's numbers of the nodes after these were developed, and the most-proving one."""
    names = game.names(target="interpreted")
    graph = merged.new_merged(game, 1 << 10)
    jit.bind(merged.plant, names)(graph, np.array([0], game.dtype))

    def node_of(letter: str) -> int:
        rows = graph.states[: graph.note[merged.NODES], 0].tolist()
        return rows.index(letters.index(letter))

    for letter in developed:
        node = node_of(letter)
        jit.bind(merged.develop, names)(graph, node, bound, 0)
        jit.bind(merged.renew_above, names)(graph, node)
    rows = graph.nodes[: graph.note[merged.NODES]]
    found = {
        letters[int(graph.states[node, 0])]: (int(row[merged.PROOF]), int(row[merged.DISPROOF]))
        for node, row in enumerate(rows)
    }
    leaf = jit.bind(merged.most_proving, names)(graph)
    return found, letters[int(graph.states[leaf, 0])]


def test_numbers_of_a_graph_without_cycles() -> None:
    """Figure 2.4: A = OR{B, C}, B = AND{D, E}, C = AND{E, F}, E and F lead to G; those of the mover change places at AND."""
    letters = "ABCDEFG"
    found, leaf = numbers_after(drawn(letters, "AB AC BD BE CE CF EG FG"), letters, "ABCEF", 1)
    assert found == {"A": (2, 2), "B": (1, 2), "C": (1, 2), **dict.fromkeys("DEFG", (1, 1))}
    assert leaf == "D"


@pytest.mark.parametrize("ends", [-1, 1])
def test_either_outcome_of_one_node_solves_the_root(ends: int) -> None:
    letters = "ABCDEFG"
    for other in (-1, 1):
        game = drawn(letters, "AB AC BD BE CE CF EG FG")
        results = [*game.results[:3], other, *game.results[4:6], ends, 0]
        edges = tuple(edge for edge in game.edges if results[edge[0]] == UNDECIDED)
        game = GraphGame(edges, tuple(results), "outcome")
        assert searching(game).answer(np.array([0], game.dtype), 1).holds == (ends == -1)


def test_numbers_of_a_graph_with_a_cycle() -> None:
    """Figure 2.5: A = AND{B, C}, B = OR{D}, C = OR{D, E}, D = AND{C, F}; a repetition is false, so the root asks for a draw.

    Below D, which is above it, C has only E left; summed as in a tree, the root has 3 and 1 (its true numbers are 2 and 1).
    """
    letters = "ABCDEF"
    found, _ = numbers_after(drawn(letters, "AB AC BD CD CE DC DF"), letters, "ABDC", 0)
    assert found["D"] == (1, 2)
    assert found["C"] == (1, 1)
    assert found["B"] == (2, 1)
    assert found["A"] == (1, 3)


def test_graphs_without_cycles_have_the_values_of_trees_and_fewer_nodes() -> None:
    positions = nodes = 0
    for seed in range(80):
        game = random_graph(random.Random(f"acyclic {seed}"), False, False, False)
        run = Run(memory=1 << 24, threads=1)
        proof = prove_state(game, None, ProofNumber(merge="all"), run, target="interpreted")
        plain = prove_state(game, None, ProofNumber(evidence=False), run, target="interpreted")
        assert proof.outcome == plain.outcome == naive_values(game, None)[0, 0], (seed, game)
        assert proof.at_most is None
        assert verify_proof(proof) == []
        positions += proof.facts.get("positions", 0)
        nodes += plain.nodes
    assert positions < nodes


def test_copies_behind_irreversible_moves_are_always_right() -> None:
    for seed in range(120):
        drawn_game = random_graph(random.Random(f"conversions {seed}"), False, False, True)
        game = OneWay(drawn_game.edges, drawn_game.results, "outcome")
        truth = naive_values(game, None)[0, 0]
        for bound in (0, 1):
            search = searching(game, True)
            search.budget.limit = 20_000
            try:
                answer = search.answer(np.array([0], game.dtype), bound)
            except LimitReached:  # trees of copies may be large
                continue
            assert answer == (truth >= bound, True), (seed, bound, game)


def test_what_repetitions_speak_for_is_not_relied_on() -> None:
    wrong = flagged = 0
    for seed in range(400):
        game = random_graph(random.Random(f"repetitions {seed}"), False, False, True)
        truth = naive_values(game, None)[0, 0]
        for bound in (0, 1):
            answer = searching(game).answer(np.array([0], game.dtype), bound)
            assert not answer.reliable or answer.holds == (truth >= bound), (seed, bound, game)
            assert answer.reliable or answer.holds == (bound == 0)  # what repetitions speak for
            flagged += not answer.reliable
            wrong += answer.holds != (truth >= bound)
        proof = prove_state(game, None, ProofNumber(merge="all", evidence=False), Run(1 << 24, 1), target="interpreted")
        assert proof.outcome <= truth <= proof.highest, (seed, game)
        assert ("unreliable" in proof.facts) == (proof.outcome < proof.highest)
    assert flagged > wrong
    print(f"{flagged} answers flagged, {wrong} of them wrong")


def test_a_proof_that_shows_nothing_is_no_evidence_and_makes_no_certificate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    open_ones = 0
    for seed in range(60):
        game = random_graph(random.Random(f"repetitions {seed}"), False, False, True)
        proof = prove_state(game, None, ProofNumber(merge="all"), Run(1 << 24, 1), target="interpreted")
        if proof.is_open:
            open_ones += 1
            assert "nothing is proved: positions repeat" in proof.incomplete
            assert f"{game}: nothing is proved: positions repeat" in caplog.text
            with pytest.raises(LimitReached, match="leave it out"):
                proof.write(tmp_path / "open.cert")
        else:
            assert (bool(proof.claims), proof.verify()) == (True, [])
    assert open_ones
    assert "is proved by the search" not in caplog.text
    assert not any(tmp_path.iterdir())


def test_compiled_and_interpreted_search_agree() -> None:
    game = OneWay(
        ((0, 1, 1, 0), (1, 0, 1, 0), (1, 2, 1, 0), (2, 3, 1, 0)), (UNDECIDED,) * 3 + (-1,), "outcome", room=64
    )
    for merge in ("all", "conversions"):
        found = [
            prove_state(game, None, ProofNumber(merge=merge, evidence=False), Run(1 << 24, 1), target=target)
            for target in ("cpu", "interpreted")
        ]
        assert found[0].nodes == found[1].nodes
        assert (found[0].outcome, found[0].highest) == (found[1].outcome, found[1].highest)


def test_limits_and_bad_choices() -> None:
    game = random_graph(random.Random("repetitions 0"), False, False, True)
    with pytest.raises(LimitReached, match="within 1 nodes"):
        prove_state(game, None, ProofNumber(merge="all"), Run(1 << 24, 1), Limits(1), target="interpreted")
    with pytest.raises(BadRequest, match="there are none, all, conversions"):
        ProofNumber(merge="some")
    with pytest.raises(BadRequest, match="a graph takes no delayed"):
        ProofNumber(merge="all", delayed=True)


def test_a_graph_has_no_more_positions_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LARGEST_GRAPH", merged.FIRST_ROOM)
    with pytest.raises(OutOfMemory, match="no graph of more than 1,024 positions can be numbered"):
        searching(MNK(4, 4, 4)).answer(np.zeros(MNK(4, 4, 4).width, np.int8), 1)
