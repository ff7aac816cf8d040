"""Search one state of a puzzle, or all that look alike: best-first and depth-first searches guided by a bound."""

from searchbench.solvers.guided.many import Attempt, read_states, search_many
from searchbench.solvers.guided.search import METHODS, search_state
from searchbench.solvers.guided.task import Heuristic
from searchbench.solvers.guided.together import Completions, solve_together

__all__ = [
    "METHODS", "Attempt", "Completions", "Heuristic", "read_states", "search_many", "search_state", "solve_together",
]  # fmt: skip
