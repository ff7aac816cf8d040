"""Search arrangements of equal pieces breadth first, half a sequence at a time: no state is ranked, unranked or built."""

from searchbench.solvers.exhaustive.multisets.plan import Plan
from searchbench.solvers.exhaustive.multisets.search import MultisetSearch, bytes_needed

__all__ = ["MultisetSearch", "Plan", "bytes_needed"]
