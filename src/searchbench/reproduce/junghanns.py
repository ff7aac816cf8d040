"""Rows of A. Junghanns and J. Schaeffer, Sokoban: Enhancing general single-agent search methods using domain knowledge, 2001."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from searchbench.analyse.compare import contestant
from searchbench.catalogue import load
from searchbench.game import Game
from searchbench.reproduce.experiment import deals
from searchbench.reproduce.fifteen import korf
from searchbench.reproduce.row import Row
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_many

AGREE: Final = "all agree"
EASY: Final = (79, 12, 42, 55)
"""The easiest of Korf's instances, by their numbers."""
DEALS: Final = 8
"""Deals of Superpuzz that are searched."""
LIMIT: Final = 20_000_000
"""Limit of nodes; a search that reaches it gives no verdict."""
OF_ALL: Final = (
    "idastar", "idastar order=moves", "idastar order=bound", "idastar table=16MB", "idastar table=1MB replacement=always",
    "idastar step=2", "idastar table=16MB restarts=20000", "idastar table=16MB restarts=1000 impatience=2 seed=5", "astar",
    "astar weight=1.5", "bestfirst weight=2", "bestfirst",
)  # fmt: skip
"""Lower bounds, transposition tables of two kinds, orders of moves, deepening and restarts."""
OF_ITS_OWN: Final = {
    "sliding:4x4": (
        "idastar h=linear-conflict", "idastar h=linear-conflict order=bound table=16MB", "idastar automaton=0",
        "idastar automaton=8", "idastar h=many-empty:2", "astar h=linear-conflict",
        "astar h=many-empty:2,linear-conflict weight=2",
    ),
    "superpuzz:4x6": (
        "idastar entries=1000000", "idastar table=16MB use=pairs", "idastar table=16MB without=dead",
        "idastar table=16MB without=cuts,relevance", "astar without=dead", "astar without=cuts", "astar without=macros",
        "astar without=relevance", "astar without=dead,cuts,macros,relevance", "astar use=pairs", "astar use=figure-2",
        "astar use=ace-pruning", "bestfirst by=goodness weight=3", "bestfirst by=goodness weight=3 without=macros",
    ),
}  # fmt: skip
"""Bounds by name and an automaton of moves; dead ends, cuts, macros and relevance as switches, and by name."""


def every_enhancement(run: Run, puzzles: Sequence[str]) -> dict[str, str]:
    """Search the same states of each puzzle with each enhancement, on and off, and compare the results."""
    return {puzzle: _compared(load(puzzle), _states(puzzle), (*OF_ALL, *OF_ITS_OWN[puzzle]), run) for puzzle in puzzles}


def _states(puzzle: str) -> list[list[int]]:
    if puzzle == "sliding:4x4":
        states, _ = korf(load(puzzle))
        return [states[number - 1] for number in EASY]
    return deals(puzzle.partition(":")[2])[:DEALS]


def _compared(game: Game, states: Sequence[Sequence[int]], texts: Sequence[str], run: Run) -> str:
    """Return AGREE, or the first configuration that contradicts one before it: claims of a cheapest line, or of none."""
    least: dict[int, int | None] = {}
    shortest: dict[int, int] = {}
    for text in texts:
        own = Run(run.memory, 1, run.report)
        found = search_many(game, states, contestant(game, text).configuration, own, Limits(LIMIT))
        for place, attempt in enumerate(found):
            line, refuted = attempt.line, attempt.error is not None and attempt.error.exit_code == 10
            if line is not None and line.verify():
                return f"{text}: a line that the rules refuse"
            if line is not None:
                shortest[place] = min(shortest.get(place, line.cost), line.cost)
            if (line is not None and line.optimal) or refuted:
                claim = line.cost if line is not None else None
                if least.setdefault(place, claim) != claim:
                    return f"{text}: {claim} for state {place + 1}, others have {least[place]}"
    for place, cost in shortest.items():
        if place in least and least[place] != cost:
            return f"state {place + 1}: a line of {cost}, though {least[place]} is claimed to be the least"
    return AGREE if set(least) == set(range(len(states))) else "some states are open"


ROWS = [
    Row(
        "J6",
        "the framework of enhancements: the 15-puzzle and Superpuzz on the same engine, each enhancement on and off",
        "Junghanns and Schaeffer 2001, figures 10 to 12",
        dict.fromkeys(OF_ITS_OWN, AGREE),
        every_enhancement,
        note="claims of a cheapest line, and of none, are compared among all configurations",
        long=True,
        parts=tuple(OF_ITS_OWN),
    ),
]
