"""Hamiltonian paths: orders of a board's cells in which consecutive cells are neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

MOST_STEPS = 2000
"""Number of cells that a search for paths enters: enough for many paths on puzzle boards, within milliseconds."""


def hamiltonian_paths(neighbours: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return Hamiltonian paths of a graph found by a short backtracking search; there may be none."""
    steps = (path for start in range(len(neighbours)) for path in _paths_from([start], neighbours))
    return [path for path in islice(steps, MOST_STEPS) if len(path) == len(neighbours)]


def _paths_from(path: list[int], neighbours: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield a path and its extensions, pruning paths that cut off unvisited cells."""
    left = set(range(len(neighbours))) - set(path)
    if not _reachable(path[-1], left, neighbours):
        return
    yield tuple(path)
    # Enter cells with few exits first: they soon become dead ends.
    ways = {cell: sum(other in left for other in neighbours[cell]) for cell in neighbours[path[-1]] if cell in left}
    for cell in sorted(ways, key=lambda one: ways[one]):
        yield from _paths_from([*path, cell], neighbours)


def _reachable(start: int, left: set[int], neighbours: Sequence[Sequence[int]]) -> bool:
    """Tell whether all unvisited cells are reachable from the start through one another."""
    found = {start}
    stack = [start]
    while stack:
        news = [cell for cell in neighbours[stack.pop()] if cell in left and cell not in found]
        found.update(news)
        stack.extend(news)
    return len(found) == len(left) + 1
