"""Search one state of a puzzle: best-first and depth-first searches guided by a bound."""

from searchbench.solvers.guided.astar import AStar
from searchbench.solvers.guided.bestfirst import BestFirst
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.idastar import IDAStar
from searchbench.solvers.guided.many import Attempt, read_states, search_levels, search_many
from searchbench.solvers.guided.search import METHODS, methods_for, search_state
from searchbench.solvers.guided.soonest import search_soonest
from searchbench.solvers.guided.task import Heuristic

__all__ = [
    "METHODS", "AStar", "Attempt", "BestFirst", "Guided", "Heuristic", "IDAStar", "methods_for", "read_states", "search_levels",
    "search_many", "search_soonest", "search_state",
]  # fmt: skip
