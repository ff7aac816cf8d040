"""Solve every state of a game: retrograde analysis, forward fixpoint, breadth-first search."""

from searchbench.solvers.exhaustive.bits.duality import search_by_duality
from searchbench.solvers.exhaustive.configuration import METHODS, BreadthFirst, Exhaustive, Fixpoint, Retrograde, Sweep
from searchbench.solvers.exhaustive.keeping import solve_request
from searchbench.solvers.exhaustive.parts import solve_parts
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.solve import SOLVERS, solve_states

__all__ = [
    "METHODS", "SOLVERS", "BreadthFirst", "Exhaustive", "Fixpoint", "Retrograde", "Sweep", "requested", "search_by_duality",
    "solve_parts", "solve_request", "solve_states",
]  # fmt: skip
