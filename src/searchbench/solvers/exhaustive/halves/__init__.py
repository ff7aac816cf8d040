"""Breadth-first search of arrangements of equal pieces, half a sequence at a time: no state is ranked, unranked or built."""

from searchbench.solvers.exhaustive.halves.plan import Plan
from searchbench.solvers.exhaustive.halves.search import HalvesSearch, bytes_needed

__all__ = ["HalvesSearch", "Plan", "bytes_needed"]
