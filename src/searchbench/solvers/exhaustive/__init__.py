"""Solve every state of a game: retrograde analysis, forward fixpoint, breadth-first search."""

from searchbench.solvers.exhaustive.bits.duality import search_by_duality
from searchbench.solvers.exhaustive.parts import solve_parts
from searchbench.solvers.exhaustive.solve import SOLVERS, solve_states

__all__ = ["SOLVERS", "search_by_duality", "solve_parts", "solve_states"]
