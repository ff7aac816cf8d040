"""Best-first searches to compare proof-number search with: conspiracy numbers, SSS*, B*, MST* (Allis 1994, section 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from searchbench import jit
from searchbench.game import Game
from searchbench.solvers.proof.bounding import Solved, first_size
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.comparators.best_first import NODE_BYTES, OWN, BestFirstSearch
from searchbench.solvers.proof.comparators.bounds import BSTAR, LOWER, SSS
from searchbench.solvers.proof.comparators.conspiracy import CONSPIRACY
from searchbench.solvers.proof.comparators.solution_trees import MST, PROVED
from searchbench.solvers.shared.transposition import new_transpositions

__all__ = ["BSTAR", "CONSPIRACY", "LOWER", "MST", "NODE_BYTES", "PROVED", "SSS", "BestFirstSearch", "compare"]

Answer = tuple[int, dict[str, Any]]


def _by_conspiracies(search: BestFirstSearch, root: Any) -> Answer:
    win, lose, _ = search.settle(root)
    return 1 if win == 0 else -1 if lose == 0 else 0, {}


def _by_sss(search: BestFirstSearch, root: Any) -> Answer:
    return search.settle(root).one, {}


def _by_bstar(search: BestFirstSearch, root: Any) -> Answer:
    value = search.settle(root).one
    return value, {"nodes until the best move was known": int(search.tree.note[OWN])}


def _by_solution_trees(search: BestFirstSearch, root: Any) -> Answer:
    """Ask whether the player to move wins, and if not, whether she draws; tell the sizes of the trees that show it."""
    wins = search.settle(root, 1)
    if wins.marks & PROVED:
        return 1, {"smallest solution trees": {"win": wins.one}}
    draws = search.settle(root, 0)
    if draws.marks & PROVED:
        return 0, {"smallest solution trees": {"no win": wins.other, "draw": draws.one}}
    return -1, {"smallest solution trees": {"loss": draws.other}}


_SEARCHES: Final[Mapping[str, tuple[Mapping[str, Any], Callable[[BestFirstSearch, Any], Answer]]]] = {
    "conspiracy": (CONSPIRACY, _by_conspiracies),
    "sss": (SSS, _by_sss),
    "bstar": (BSTAR, _by_bstar),
    "mst": (MST, _by_solution_trees),
}


def compare(game: Game, root: Any, budget: Budget, method: str, target: jit.Target) -> Solved:
    """Return the outcome of a state by "conspiracy", "sss", "bstar" or "mst", and the counts of the search."""
    names, ask = _SEARCHES[method]
    search = BestFirstSearch(game, budget, names, budget.run.memory // 2, target)
    outcome, facts = ask(search, root)
    table = new_transpositions(first_size(budget.run.memory // 4))
    return Solved(outcome, outcome, (table, table), {"nodes": search.nodes, "examined": search.examined, **facts})
