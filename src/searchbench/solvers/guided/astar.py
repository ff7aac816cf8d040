"""A*: best-first search by f = g + w h, which opens a closed state again when a cheaper path to it is found."""

from __future__ import annotations

from fractions import Fraction

from searchbench.line import Line
from searchbench.solvers.guided.bestfirst import best_first
from searchbench.solvers.guided.expansion import Weights
from searchbench.solvers.guided.task import Task


def astar(task: Task, weight: Fraction = Fraction(1)) -> Line:
    """Return a line that costs at most max(1, weight) times the least; h need not be consistent.

    Weight 1 is A* (Hart, Nilsson and Raphael 1968), 0 Dijkstra's algorithm, and above 1 weighted A* (Pohl 1970).
    """
    return best_first(task, Weights(weight.denominator, weight.numerator, reopen=True))
