"""Search one state of a puzzle: best-first and depth-first searches guided by a bound."""

from searchbench.solvers.guided.search import METHODS, search_state
from searchbench.solvers.guided.task import Heuristic

__all__ = ["METHODS", "Heuristic", "search_state"]
