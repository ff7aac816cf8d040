"""Hamiltonian paths: orders of the cells of a board in which each is a neighbour of the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

MOST_STEPS = 2000
"""How many cells a search for paths enters: enough for many paths on the boards of puzzles, some milliseconds."""


def hamiltonian_paths(neighbours: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return Hamiltonian paths of a graph: those that a short search by backtracking finds, which may be none."""
    steps = (path for start in range(len(neighbours)) for path in _paths_from([start], neighbours))
    return [path for path in islice(steps, MOST_STEPS) if len(path) == len(neighbours)]


def _paths_from(path: list[int], neighbours: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield a path and all that continue it, unless they leave cells that cannot be reached any more."""
    left = set(range(len(neighbours))) - set(path)
    if not _reachable(path[-1], left, neighbours):
        return
    yield tuple(path)
    # A cell with few ways on is a dead end soon: it is entered first.
    ways = {cell: sum(other in left for other in neighbours[cell]) for cell in neighbours[path[-1]] if cell in left}
    for cell in sorted(ways, key=lambda one: ways[one]):
        yield from _paths_from([*path, cell], neighbours)


def _reachable(start: int, left: set[int], neighbours: Sequence[Sequence[int]]) -> bool:
    """Tell whether all cells that are left hang together, and with the start."""
    found = {start}
    stack = [start]
    while stack:
        news = [cell for cell in neighbours[stack.pop()] if cell in left and cell not in found]
        found.update(news)
        stack.extend(news)
    return len(found) == len(left) + 1
