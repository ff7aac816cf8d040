"""Breadth-first search of permutation games by moving whole rows of numbers: no state is ranked, unranked or built."""

from searchbench.solvers.exhaustive.rows.plan import Plan
from searchbench.solvers.exhaustive.rows.search import Layers, search_rows

__all__ = ["Layers", "Plan", "search_rows"]
