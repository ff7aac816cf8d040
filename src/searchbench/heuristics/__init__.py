"""Lower bounds that guided search takes in the place of a game's own."""

from searchbench.heuristics.named import heuristic
from searchbench.heuristics.patterns import PatternDatabases, SeenAs

__all__ = ["PatternDatabases", "SeenAs", "heuristic"]
