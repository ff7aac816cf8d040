"""Solve every state of a game: retrograde analysis, forward fixpoint, breadth-first search."""

from searchbench.solvers.exhaustive.solve import SOLVERS, solve_states

__all__ = ["SOLVERS", "solve_states"]
