"""Rows on the forms of proof-number search (Allis 1994, sections 2.2 and 2.3)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.reproduce.proof_trees import minimax, random_game
from searchbench.reproduce.row import Row, Verdict
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.configuration import ProofNumber
from searchbench.solvers.proof.contract import half_depth
from searchbench.solvers.proof.facts import place_of
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.tree import CHILD, DISPROOF, NONE, PROOF, SIBLING, move_to
from searchbench.solvers.shared.transposition import SMALLEST, new_transpositions, probe

GAMES: Final = 100
"""Random games of each row."""


def searching(game: Game, **choices: Any) -> ProofNumberSearch:
    """Return an interpreted search for a small game."""
    budget, table = Budget(game, Run(threads=1, memory=1 << 26)), new_transpositions(SMALLEST)
    return ProofNumberSearch(game, budget, table, 0, 1 << 22, "interpreted", choices=choices)


def first_wins(search: ProofNumberSearch) -> bool:
    """Return whether the first player wins, by a tree search."""
    return search.holds(np.array(search.game.start(), search.game.dtype), 1, lookup=False)


def developed(game: Any, **choices: Any) -> tuple[list[int], ProofNumberSearch]:
    """Return the keys of the most-proving nodes in their order, and the search."""
    seen: list[int] = []

    def look(code: int) -> None:
        seen.append(code)

    search = searching(game, on_development=look, **choices)
    first_wins(search)
    return seen, search


def delayed(_: Run) -> dict[str, Any]:
    """Compare the values by delayed evaluation with those by immediate evaluation."""
    found = [random_game(f"delayed {seed}", 5, (-1, 0, 1)) for seed in range(GAMES)]
    others = sum(first_wins(searching(game, DELAYED=True)) != (minimax(game) == 1) for game in found)
    proof = prove_state(load("tic-tac-toe"), None, "pns", Run(threads=1), delayed=True, evidence=False)
    return {"trees": GAMES, "other values": others, "tic-tac-toe": proof.value}


def main_loop(_: Run) -> dict[str, Any]:
    """Ask the two questions about tic-tac-toe, and the first one with too few nodes."""
    game = load("tic-tac-toe")
    root = np.array(game.start(), game.dtype)
    search = searching(game)
    found = {"first player wins": search.holds(root, 1), "at least a draw": search.holds(root, 0)}
    search.budget.limit = search.nodes + 100
    try:
        told = str(search.holds(root, 1, lookup=False))
    except LimitReached:
        told = "unknown"
    numbers = search.tree.node[0, [PROOF, DISPROOF]]
    return {**found, "with 100 nodes": told, "numbers are positive then": bool(min(numbers) > 0)}


def current_node(_: Run) -> dict[str, Any]:
    """Compare the search from the current node with that from the root: the nodes, and the moves played for each."""
    others = 0
    moves: dict[str, list[float]] = {"from the root": [], "from the current node": []}
    for depth in (5, 10):
        played = {"from the root": 0, "from the current node": 0}
        nodes = 0
        for seed in range(GAMES // 4):
            game = random_game(f"current {depth} {seed}", depth, (-1, 1), 2 + (depth < 10))
            orders = []
            for name in played:
                rules = game.rules()

                def count(state: Any, move: int, name: str = name, play: Any = rules["play"]) -> None:
                    played[name] += 1  # noqa: B023
                    play(state, move)

                seen, search = developed(game, play=count, **({"FROM_ROOT": True} if name == "from the root" else {}))
                played[name] -= search.nodes
                orders.append(seen)
            nodes += len(orders[0])
            others += orders[0] != orders[1]
        for name, number in played.items():
            moves[name].append(round(number / nodes, 2))
    return {"trees with another order": others, "moves on the way to a node, depths 5 and 10": moves}


def flat(paper: Any, measured: Any) -> Verdict:
    """Judge that no order changes, and that ways from the current node hardly grow with the depth."""
    ways = measured["moves on the way to a node, depths 5 and 10"]
    current, root = ways["from the current node"], ways["from the root"]
    fits = (
        measured["trees with another order"] == 0
        and current[1] < root[1]
        and current[1] - current[0] < root[1] - root[0]
    )
    return "match" if fits else "differs"


def solved_subtrees(_: Run) -> dict[str, Any]:
    """Compare the search that drops solved subtrees with one that keeps them."""
    others = smaller = 0
    for seed in range(GAMES):
        game = random_game(f"solved {seed}", 6)
        dropped, lean = developed(game)
        whole, full = developed(game, KEEP_SOLVED=True)
        others += dropped != whole
        smaller += lean.facts()["peak"] < full.facts()["peak"]
    proof = prove_state(load("connect4:5x4"), None, "pns", Run(threads=1), evidence=False)
    return {
        "trees with another order": others, "share with a smaller peak": smaller / GAMES,
        "nodes created / peak, connect4:5x4": round(proof.nodes / proof.facts["peak"], 1),
    }  # fmt: skip


def leaner(paper: Any, measured: Any) -> Verdict:
    """Judge that no order changes and that most peaks are smaller; the factor of 2 is that of awari."""
    fits = measured["trees with another order"] == 0 and measured["share with a smaller peak"] > 0.3
    return "match" if fits and measured["nodes created / peak, connect4:5x4"] > 1.3 else "differs"


def second_level(run: Run) -> dict[str, Any]:
    """Compare pn^2 with pn where one position is one node of the tree alone, and in a tree that is too small for pn."""
    others, nodes, peaks = 0, [0, 0], [0, 0]
    for seed in range(GAMES):
        game = random_game(f"second {seed}", 7)
        answers = []
        for place, second in enumerate((False, True)):
            search = searching(game)
            search.second = second
            answers.append(first_wins(search))
            nodes[place] += search.nodes
            peaks[place] += search.facts()["peak"]
        others += answers[0] != answers[1]
    values = {}
    for name, second in (("pn", False), ("pn^2", True)):
        try:
            found = prove_state(
                load("connect4:5x4"), None, ProofNumber(second=second, evidence=False), Run(memory=3 << 18, threads=1)
            )
            values[name] = found.value
        except LimitReached:
            values[name] = "memory used up"
    return {
        "trees": GAMES, "other values": others, "nodes, pn^2 / pn": round(nodes[1] / nodes[0], 1),
        "peak, pn^2 / pn": round(peaks[1] / peaks[0], 2), "connect4:5x4 in 768 kB": values,
    }  # fmt: skip


def as_two_levels(paper: Any, measured: Any) -> Verdict:
    """Judge: no other value, up to 6 times the nodes, and an answer where the memory of pn does not suffice."""
    fits = measured["other values"] == 0 and 1 <= measured["nodes, pn^2 / pn"] <= 6
    fits = fits and measured["connect4:5x4 in 768 kB"] == paper["connect4:5x4 in 768 kB"]
    return "match" if fits else "differs"


def cache(run: Run) -> dict[str, Any]:
    """Compare pn^2 with and without second-level trees that are kept."""
    found = {
        cached: prove_state(
            load("connect4:4x4"), None, ProofNumber(second=True, cached=cached, evidence=False), Run(threads=1)
        )
        for cached in (0, 1, 16)
    }
    return {
        "values": sorted({proof.value for proof in found.values()}),
        "nodes with 0, 1 and 16 trees kept": [proof.nodes for proof in found.values()],
    }


def fewer_with_a_cache(paper: Any, measured: Any) -> Verdict:
    """Judge: one value, and fewer nodes with trees that are kept."""
    none, *some = measured["nodes with 0, 1 and 16 trees kept"]
    return "match" if measured["values"] == ["draw"] and max(some) < none else "differs"


def falling(state: Any, bound: int, depth: int, scratch: Any) -> int:
    """Return a number that falls with the depth."""
    return max(1, 12 - 2 * depth)


def first_numbers(run: Run) -> dict[str, Any]:
    """Return the first numbers of awari's example and of depths, and how deep leaves are for numbers that rise or fall."""
    rules = load("awari-match").rules()
    state = [0] * 12 + [11, 8]
    depths: dict[str, list[int]] = {"rising": [], "standard": [], "falling": []}
    for seed in range(40):
        game = random_game(f"depths {seed}", 9)
        level = {0: 0}
        for source, target, _ in game.digraph.edges:
            level[target] = level[source] + 1
        keys = {int(key([node])): depth for node, depth in level.items()}
        for name, rule in (("rising", half_depth), ("standard", None), ("falling", falling)):
            seen, _search = developed(game, **({} if rule is None else {"first_proof": rule, "first_disproof": rule}))
            depths[name] += [keys[code] for code in seen[: len(seen) // 2]]
    return {
        "awari: south has 11, north 8": [rules[name](state, 0, 0, []) for name in ("first_proof", "first_disproof")],
        "depths 0 to 5": [half_depth([], 0, depth, []) for depth in range(6)],
        "mean depth of nodes": {name: round(sum(found) / len(found), 2) for name, found in depths.items()},
    }


def by_depth(paper: Any, measured: Any) -> Verdict:
    """Judge: the example's numbers, and numbers that rise with the depth make trees shallower, falling ones deeper."""
    rising, standard, falling_ones = measured["mean depth of nodes"].values()
    same = all(measured[name] == told for name, told in paper.items())
    return "match" if same and rising < standard < falling_ones else "differs"


# --- Proveaway ----------------------------------------------------------------------------------------------------------


class Proveaway:
    """Play giveaway chess by proof numbers: the proving move, else the child that is nearest to a proof (section 2.3.3)."""

    def __init__(self, game: Game, nodes: int) -> None:
        self.game, self.nodes = game, nodes
        self.run = Run(threads=1, memory=1 << 28)

    def choose(self, state: Sequence[int]) -> tuple[int, bool]:
        """Return the move to play, and whether it is proved to win."""
        budget = Budget(self.game, self.run, self.nodes)
        search = ProofNumberSearch(self.game, budget, new_transpositions(1 << 14), 1 << 20, 1 << 26)
        legal = self.game.moves(state)
        root = np.array(state, self.game.dtype)
        try:
            proved = search.holds(root, 1, mobility=True)
        except LimitReached:
            return self._nearest(search), False
        if not proved:
            return legal[0], False
        code = int(jit.bind(key, search.names)(root))
        return legal[place_of(probe(search.table, code))], True

    def _nearest(self, search: ProofNumberSearch) -> int:
        """Return the move with the smallest proof number in proportion to its disproof number."""
        rows, child, ratings = search.tree.node, int(search.tree.node[0, CHILD]), []
        while child != NONE:
            ratings.append((rows[child, DISPROOF] / rows[child, PROOF], move_to(search.tree, child)))
            child = int(rows[child, SIBLING])
        return min(ratings)[1]


def proveaway(run: Run) -> dict[str, int]:
    """Play as black against random moves, and count the games that were proved to be won, and the wins among them."""
    game, chance = load("giveaway-chess"), random.Random(12)
    player = Proveaway(game, 10_000)
    found = {"games": 20, "proved": 0, "proved and won": 0, "illegal moves": 0}
    for number in range(found["games"]):
        run.progress("games of giveaway chess", number, found["games"])
        state, ply, proved = game.start(), 0, False
        while game.terminal(state) == UNDECIDED and ply < 200:
            legal = game.moves(state)
            if ply & 1:
                move, now = player.choose(state)
                proved = proved or now
                found["illegal moves"] += move not in legal
            else:
                move = chance.choice(legal)
            state = game.play(state, move)
            ply += 1
        result = game.terminal(state)
        found["proved"] += proved
        found["proved and won"] += proved and (result > 0) == bool(ply & 1) and result != UNDECIDED
    return found


def wins_what_is_proved(paper: Any, measured: Any) -> Verdict:
    """Judge: no illegal move, and every game is won that was proved."""
    fits = (
        measured["illegal moves"] == 0 and measured["proved"] > 0 and measured["proved"] == measured["proved and won"]
    )
    return "match" if fits else "differs"


ROWS = [
    Row(
        "PN-2", "delayed evaluation finds the same values", "Allis 1994, section 2.1",
        {"trees": GAMES, "other values": 0, "tic-tac-toe": "draw"}, delayed,
    ),
    Row(
        "PN-5", "tic-tac-toe by two questions, and with too few nodes", "Allis 1994, section 2.2",
        {
            "first player wins": False, "at least a draw": True, "with 100 nodes": "unknown",
            "numbers are positive then": True,
        },
        main_loop,
    ),
    Row(
        "PN-6", "the current node: the same nodes in the same order, by shorter ways", "Allis 1994, section 2.3.2",
        {
            "trees with another order": 0,
            "moves on the way to a node, depths 5 and 10": "nearly the same, not growing with the depth",
        },
        current_node, flat,
    ),
    Row(
        "PN-7", "solved subtrees are dropped: the same order, a smaller peak", "Allis 1994, section 2.3.1",
        {
            "trees with another order": 0, "share with a smaller peak": "most",
            "nodes created / peak, connect4:5x4": "about 2 for awari",
        },
        solved_subtrees, leaner, note="awari's own factor is in AW-7: peak and nodes of both proof-number searches",
    ),
    Row(
        "PN-8", "pn^2: the same values, about three times the nodes, in less memory", "Allis 1994, section 2.3.1",
        {
            "trees": GAMES, "other values": 0, "nodes, pn^2 / pn": 3, "peak, pn^2 / pn": "less",
            "connect4:5x4 in 768 kB": {"pn": "memory used up", "pn^2": "draw"},
        },
        second_level, as_two_levels, note="the thesis' factor is that of awari and draughts",
    ),
    Row(
        "PN-9", "pn^2 with a cache: the same values by fewer nodes", "Allis 1994, section 2.3.1",
        {"values": ["draw"], "nodes with 0, 1 and 16 trees kept": "falling"}, cache, fewer_with_a_cache,
    ),
    Row(
        "PN-10", "first numbers: distance in awari, half the depth", "Allis 1994, section 2.3.3",
        {"awari: south has 11, north 8": [13, 17], "depths 0 to 5": [1, 1, 2, 2, 3, 3]}, first_numbers, by_depth,
        axes=("depth", "first number"),
    ),
    Row(
        "PN-12", "Proveaway: what is proved is won", "Allis 1994, section 2.3.3",
        {"games": 20, "proved": "some", "proved and won": "all of them", "illegal moves": 0}, proveaway,
        wins_what_is_proved, note="10,000 nodes a move, as black, against random moves",
    ),
]  # fmt: skip
