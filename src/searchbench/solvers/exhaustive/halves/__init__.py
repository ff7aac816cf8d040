"""Breadth-first search of arrangements of equal pieces, half a sequence at a time: no state is ranked, unranked or built."""

from searchbench.solvers.exhaustive.halves.plan import Plan
from searchbench.solvers.exhaustive.halves.search import bytes_needed, search_halves

__all__ = ["Plan", "bytes_needed", "search_halves"]
