"""A*: best-first search by f = g + w h, which opens a closed state again when a cheaper path to it is found."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from searchbench.configuration import option
from searchbench.line import Line
from searchbench.solvers.guided.bestfirst import best_first
from searchbench.solvers.guided.configuration import Guided, ratio
from searchbench.solvers.guided.expansion import Weights
from searchbench.solvers.guided.task import Task


@dataclass(frozen=True, kw_only=True)
class AStar(Guided):
    """Find a cheapest line by A*, or with a weight above 1 one that costs at most weight times the least."""

    method = "astar"

    weight: float | Fraction = option(
        1,
        "f = g + weight h: A\\* finds lines of at most weight times the least cost; best-first search without a weight "
        "goes by f = h, and by goodness f = weight g - goodness",
        "number",
        metavar="W",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        ratio(self.weight)

    def search(self, task: Task) -> Line:
        """Return a line."""
        return astar(task, ratio(self.weight))


def astar(task: Task, weight: Fraction = Fraction(1)) -> Line:
    """Return a line that costs at most max(1, weight) times the least; h need not be consistent.

    Weight 1 is A* (Hart, Nilsson and Raphael 1968), 0 Dijkstra's algorithm, and above 1 weighted A* (Pohl 1970).
    """
    return best_first(task, Weights(weight.denominator, weight.numerator, reopen=True))
