"""The choices of proof-number search: evaluation, first numbers, second levels, renewal, against the plain one."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import naive
from graphs import GraphGame
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Branch, Run
from searchbench.solvers.proof import DepthFirstProofNumber, ProofNumber, prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.contract import half_depth
from searchbench.solvers.proof.path import NEVER
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.tree import (
    CHILD,
    DISPROOF,
    INFINITE,
    LIVE,
    NONE,
    NOTES,
    PROOF,
    SIBLING,
    Numbers,
    add,
    add_work,
    depend,
    hold,
    is_held,
    is_wide,
    move_to,
    new_tree,
    node_bytes,
    path_dependence,
    plant,
    top_of,
    widened,
    work_below,
)  # fmt: skip
from searchbench.solvers.shared.transposition import new_transpositions
from searchbench.verify import verify_proof
from solvers.test_proof_combinations import naive_values, random_graph

CHOICES: list[dict[str, Any]] = [
    {"delayed": True}, {"by_depth": True}, {"second": True}, {"second": True, "cached": 1}, {"second": True, "cached": 5},
    {"keep_solved": True}, {"from_root": True}, {"delayed": True, "second": True, "cached": 2},
    {"delayed": True, "keep_solved": True, "from_root": True}, {"second": True, "mobility": True, "keep_solved": True},
]  # fmt: skip


def searching(game: Game, run: Run, choices: Mapping[str, Any] | None = None) -> ProofNumberSearch:
    """Return an interpreted search."""
    table = new_transpositions(1 << 12)
    return ProofNumberSearch(game, Budget(game, run), table, 1 << 16, 1 << 22, "interpreted", choices=choices or {})


@pytest.mark.parametrize("cyclic", [False, True])
def test_every_choice_finds_the_outcomes(cyclic: bool) -> None:
    for seed in range(120):
        rng = random.Random(f"choices {cyclic} {seed}")
        game = random_graph(rng, False, rng.random() < 0.2, cyclic)
        chosen = ProofNumber(evidence=seed % 4 == 0, **rng.choice(CHOICES))
        proof = prove_state(game, None, chosen, Run(memory=1 << 22, threads=1), target="interpreted")
        assert proof.outcome == naive_values(game, None)[0, 0], (seed, chosen, game)
        assert not chosen.evidence or proof.incomplete or verify_proof(proof) == [], (seed, chosen, game)


# --- random trees -----------------------------------------------------------------------------------------------------


def random_tree(rng: random.Random, depth: int, ways: Sequence[int] = (0, 1, 2, 3)) -> GraphGame:
    """Return a game whose positions are a tree with wins and losses at its leaves."""
    edges: list[tuple[int, int, int, int]] = []
    results = [UNDECIDED]
    level = [0]
    for left in range(depth, 0, -1):
        below: list[int] = []
        for node in level:
            for _ in range(rng.choice(ways) if left < depth else 3):
                edges.append((node, len(results), 1, 0))
                below.append(len(results))
                results.append(UNDECIDED)
        level = below
    inner = {edge[0] for edge in edges}
    results = [UNDECIDED if node in inner else rng.choice([-1, 1]) for node in range(len(results))]
    return GraphGame(tuple(edges), tuple(results), "outcome")


def developments(game: Game, **choices: Any) -> tuple[list[int], ProofNumberSearch, bool]:
    """Return the keys of the most-proving nodes of "the first player wins" in their order, the search, and the answer."""
    seen: list[int] = []
    run = Run(threads=1, memory=1 << 26)

    def look(code: int) -> None:
        seen.append(code)

    search = searching(game, run, {"on_development": look, **choices})
    answer = search.holds(np.array(game.start(), game.dtype), 1, lookup=False)
    return seen, search, answer


def test_the_same_nodes_are_developed_from_the_root_and_with_solved_subtrees_in_the_tree() -> None:
    smaller = 0
    for seed in range(60):
        game = random_tree(random.Random(f"trees {seed}"), 6)
        plain, lean, answer = developments(game)
        assert answer == (naive.minimax(game, game.start()) > 0), seed
        assert developments(game, FROM_ROOT=True)[0] == plain, seed
        kept, full, _ = developments(game, KEEP_SOLVED=True)
        assert kept == plain, seed
        assert full.facts()["peak"] >= lean.facts()["peak"]
        smaller += full.facts()["peak"] > lean.facts()["peak"]
    assert smaller > 20


def test_most_proving_nodes_are_those_of_the_definition() -> None:
    for seed in range(60):
        game = random_tree(random.Random(f"most proving {seed}"), 5)
        order = naive.most_proving_nodes(game)
        seen, _, answer = developments(game)
        keys = {int(search_key(game, node)): node for node in range(len(game.results))}
        assert [keys[code] for code in seen] == order.nodes, seed
        assert answer == order.proved


def search_key(game: Game, node: int) -> int:
    """Return the key of a node."""
    from searchbench.hashing import key

    return key([node])


def watching(game: GraphGame, looked: list[int]) -> Callable[[Any], int]:
    """Return the rule for results, which notes each state that it is asked for."""

    def terminal(state: Any) -> int:
        looked.append(int(state[0]))
        return game.results[state[0]]

    return terminal


def test_delayed_evaluation_evaluates_what_is_selected() -> None:
    fewer = 0
    for seed in range(40):
        game = random_tree(random.Random(f"delayed {seed}"), 6)
        evaluated: dict[bool, list[int]] = {}
        for delayed in (False, True):
            looked: list[int] = []

            selected, _, answer = developments(game, DELAYED=delayed, terminal=watching(game, looked))
            assert answer == (naive.minimax(game, game.start()) > 0), seed
            evaluated[delayed] = looked
            if delayed:
                assert len(looked) == len(selected)  # each selected node once, and no other
        fewer += len(evaluated[True]) < len(evaluated[False])
    assert fewer > 15


@dataclass(frozen=True)
class Captures(GraphGame):
    """Capture stones: numbers begin with those that each player still needs."""

    name: ClassVar[str] = "captures"

    south: int = 0
    north: int = 0
    wanted: int = 24

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules, with the efforts."""
        to_south, to_north = self.wanted - self.south, self.wanted + 1 - self.north

        def first_proof(state: Any, bound: int, depth: int, scratch: Any) -> int:
            return to_south if depth % 2 == 0 else to_north

        def first_disproof(state: Any, bound: int, depth: int, scratch: Any) -> int:
            return to_north if depth % 2 == 0 else to_south

        return {**super().rules(), "first_proof": first_proof, "first_disproof": first_disproof}


@dataclass(frozen=True)
class FarNumbers(GraphGame):
    """A graph whose rules tell first numbers."""

    name: ClassVar[str] = "far-numbers"

    filled: tuple[tuple[str, Callable[..., int]], ...] = ()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with the numbers."""
        return {**super().rules(), **dict(self.filled)}


def test_a_game_may_have_first_numbers_of_its_own() -> None:
    """South has captured 11 stones, north 8, and south wants a draw with 24: 13 and 17 (Allis 1994, section 2.3.3)."""
    edges = tuple((a, b, 1, 0) for a, b in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)])
    game = Captures(edges, (UNDECIDED,) * 4 + (-1,), "outcome", south=11, north=8)
    run = Run(threads=1, memory=1 << 26)
    search = searching(game, run)
    search.budget.limit = 2
    with pytest.raises(Exception, match="2 nodes"):
        search.holds(np.array([0], game.dtype), 1)
    children = [int(search.tree.node[0, CHILD])]
    children.append(int(search.tree.node[children[0], SIBLING]))
    assert [(int(search.tree.node[node, DISPROOF]), int(search.tree.node[node, PROOF])) for node in children] == [
        (13, 17)
    ] * 2
    assert prove_state(game, None, "dfpn", run, target="interpreted").outcome == naive_values(game, None)[0, 0]


def far(state: Any, bound: int, depth: int, scratch: Any) -> int:
    """Return a number as large as that of decided nodes, or none at all."""
    return (1 << 40, 1 << 30, 0, -7)[depth & 3]


@pytest.mark.parametrize("method", ["pns", "dfpn"])
def test_first_numbers_out_of_bounds_change_no_value(method: str) -> None:
    for seed in range(12):
        game = random_tree(random.Random(f"far {seed}"), 8)
        run = Run(threads=1, memory=1 << 26)
        for filled in ({"first_proof": far, "first_disproof": far}, {"first_proof": far}, {"first_disproof": far}):
            asked = FarNumbers(game.edges, game.results, game.values, filled=tuple(filled.items()))
            proof = prove_state(asked, None, method, run, target="interpreted")
            assert proof.outcome == naive_values(game, None)[0, 0], (seed, list(filled))


def test_half_the_depth() -> None:
    assert [half_depth([], 0, depth, []) for depth in range(6)] == [1, 1, 2, 2, 3, 3]


def deep(state: Any, bound: int, depth: int, scratch: Any) -> int:
    """Return a number that falls with the depth."""
    return max(1, 12 - 2 * depth)


def test_numbers_that_rise_with_the_depth_make_trees_shallow() -> None:
    """The mean depth of a developed node, over games in which nothing is decided early."""
    depths: dict[str, list[int]] = {"ones": [], "rising": [], "falling": []}
    for seed in range(25):
        game = random_tree(random.Random(f"deep {seed}"), 9)
        level = {0: 0}
        for a, b, _, _ in game.edges:
            level[b] = level[a] + 1
        keys = {search_key(game, node): level[node] for node in range(len(game.results))}
        for name, number in (("ones", None), ("rising", half_depth), ("falling", deep)):
            filled = {} if number is None else {"first_proof": number, "first_disproof": number}
            seen, _, _ = developments(game, **filled)
            depths[name] += [keys[code] for code in seen[: len(seen) // 2]]
    mean = {name: sum(found) / len(found) for name, found in depths.items()}
    assert mean["rising"] < mean["ones"] < mean["falling"], mean


def test_the_top_of_a_tree_has_the_numbers_of_the_root_and_the_line_to_the_most_proving_node() -> None:
    game = load("tic-tac-toe")
    search = searching(game, Run(threads=1, memory=1 << 26))
    search.budget.limit = 300
    with pytest.raises(LimitReached):
        search.holds(np.array(game.start(), game.dtype), 1, lookup=False)
    line = search._most_proving_line()
    for most in (1, 40, 1 << 20):
        top = top_of(search.tree, most)
        assert (top.proof, top.disproof) == tuple(search.tree.node[0, [PROOF, DISPROOF]].tolist())
        assert count_branches(top) <= max(1, most) + game.max_moves
    assert count_branches(top) == search.note[LIVE]
    node = top
    for move in line:
        node = next(child for child in node.children if child.move == move)
    assert not node.inner
    assert node.children == ()


def count_branches(top: Branch) -> int:
    """Return the nodes that are shown."""
    return 1 + sum(map(count_branches, top.children))


# --- second levels ----------------------------------------------------------------------------------------------------


def second_level(game: Game, cached: int) -> tuple[bool, ProofNumberSearch]:
    """Return the answer to "the first player wins", and the search."""
    search = searching(game, Run(threads=1, memory=1 << 26))
    search.second, search.cached = True, cached
    return search.holds(np.array(game.start(), game.dtype), 1, lookup=False), search


def test_second_levels_save_memory_and_a_cache_saves_nodes() -> None:
    """The tree is at most twice as large as the first level, and a solved search has looked at many more nodes."""
    saved: list[float] = []
    peaks: list[float] = []
    for seed in range(10):
        game = random_tree(random.Random(f"levels {seed}"), 8, (2, 3))
        _, plain, answer = developments(game)
        found, without = second_level(game, 0)
        kept, with_cache = second_level(game, 8)
        assert answer == found == kept, seed
        if plain.nodes > 100:
            saved.append(with_cache.nodes / without.nodes)
            peaks.append(without.facts()["peak"] / plain.facts()["peak"])
            assert without.nodes > plain.nodes
    assert len(saved) > 5
    assert sum(saved) / len(saved) < 1
    assert sum(peaks) / len(peaks) < 1


def test_a_second_level_leaves_no_tree_behind() -> None:
    game = load("tic-tac-toe")
    for cached in (0, 3):
        found, search = second_level(game, cached)
        assert not found
        assert int(search.tree.node[0, DISPROOF]) == 0
        assert int(search.tree.node[0, PROOF]) == INFINITE
        assert int(search.tree.node[0, CHILD]) == NONE


# --- nodes in few bytes -----------------------------------------------------------------------------------------------


def test_a_node_takes_24_bytes_and_its_tally_keeps_three_numbers_apart() -> None:
    tree, note = new_tree(4), np.zeros(NOTES, np.int64)
    assert node_bytes() == tree.node.nbytes // 4 == 24
    plant(tree, note)
    chance = random.Random("tallies")
    work, dependence, held = 1, NEVER, False
    for _ in range(2000):
        kind = chance.randrange(3)
        if kind == 0:
            more = chance.choice([1, 7, 10_000, 1 << 30])
            add_work(tree, 0, more)
            work = min(work + more, (1 << 20) - 1)
            if work == (1 << 20) - 1:
                plant(tree, note)
                work, dependence, held = 1, NEVER, False
        elif kind == 1:
            depth = chance.choice([0, 1, 1000, 1022, 1023, 5000, NEVER])
            depend(tree, 0, depth)
            dependence = depth if depth == NEVER else min(depth, 1022)  # deep ones are told as less deep: that is safe
        else:
            held = not held
            hold(tree, 0, held)
        assert (work_below(tree, 0), path_dependence(tree, 0), is_held(tree, 0)) == (work, dependence, held)


@pytest.mark.parametrize("target", ["interpreted", "cpu"])
def test_moves_of_any_width_are_kept(target: jit.Target) -> None:
    chance = random.Random("wide")
    narrow = [0, 1, -1, (1 << 31) - 1, -(1 << 31), *(chance.randrange(-(1 << 31), 1 << 31) for _ in range(20))]
    wide = [*narrow, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, -(1 << 63), 0xFFFFFFFF, 1 << 32]
    names = load("tic-tac-toe").names(target=target)
    adding, reading = jit.bind(add, names), jit.bind(move_to, names)
    for moves, tree in ((narrow, new_tree(40)), (wide, new_tree(40, True))):
        note = np.zeros(NOTES, np.int64)
        plant(tree, note)
        places = [int(adding(tree, move, Numbers(1, 1, NEVER), note)) for move in moves]
        assert [reading(tree, place) for place in places] == moves
        if not is_wide(tree):
            more = widened(tree, 50, len(moves) + 1)
            assert [move_to(more, place) for place in places] == moves
            assert (more.node[1 : len(moves) + 1, :6] == tree.node[1 : len(moves) + 1]).all()


@dataclass(frozen=True)
class WideMoves(GraphGame):
    """A graph whose moves do not fit into 32 bits from a node on: bits above those that the rules look at are set."""

    name: ClassVar[str] = "wide-moves"

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the graph's rules; `play` and `unplay` take the high bits away."""
        functions = dict(super().rules())
        moves, play, unplay = functions["moves"], functions["play"], functions["unplay"]

        def wide(state: Any, out: Any, data: Any) -> int:
            count = moves(state, out, data)
            if state[0] > 2:
                for place in range(count):
                    out[place] = int(out[place]) + ((1 if place & 1 else -2) << 40)
            return int(count)

        def back(state: Any, move: int, data: Any) -> None:
            unplay(state, move & ((1 << 40) - 1), data)

        def forth(state: Any, move: int, data: Any) -> None:
            play(state, move & ((1 << 40) - 1), data)

        return functions | {"moves": wide, "play": forth, "unplay": back}


@pytest.mark.parametrize("options", [{}, {"second": True}, {"second": True, "cached": 2}, {"delayed": True}], ids=str)
def test_a_tree_is_widened_where_moves_need_it(options: dict[str, Any]) -> None:
    widths = set()
    for seed in range(20):
        plain = random_graph(random.Random(f"wide {seed}"), False, False, True)
        game = WideMoves(plain.edges, plain.results, plain.values)
        found = []
        for one in (plain, game):
            search = searching(one, Run(memory=1 << 24, threads=1), ProofNumber(**options).choices())
            search.second, search.cached = options.get("second", False), options.get("cached", 0)
            answers = [search.holds(np.array(one.start(), one.dtype), bound) for bound in (1, 0)]
            found.append((answers, search.nodes, search.facts()))
        widths.add(is_wide(search.tree))
        assert found[0][0] == found[1][0], seed
        if not options.get("second"):  # a second level is cut short where the tree is widened
            assert found[0] == found[1], seed
    assert widths == {True, False}


def test_bad_choices() -> None:
    for options in ({"cached": 3}, {"cached": -1, "second": True}, {"mobility": True, "by_depth": True}):
        with pytest.raises(BadRequest):
            ProofNumber(**options)
    with pytest.raises(BadRequest):
        DepthFirstProofNumber(mobility=True, by_depth=True)
