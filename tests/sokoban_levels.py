"""Random levels of Sokoban with the arrays of feature-space search beside their twins, for the tests of what is told dead."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from naive_sokoban import Maze, Node, Place, random_level
from searchbench import jit
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced import jams
from searchbench.games.sokoban.featurespace import GUIDED
from searchbench.games.sokoban.rules import state_of
from searchbench.solvers.guided.featurespace.contract import restore


class Level:
    """Hold a random level, its twin, the number of each square of the twin, and the arrays of a search."""

    def __init__(self, chance: random.Random, stones: int, size: tuple[int, int], solvable: bool = True) -> None:
        self.text = random_level(chance, stones, size, solvable)
        self.game, self.maze = Sokoban(self.text), Maze(self.text)
        cells = self.game.maze.cells
        top = min(y for y, _ in self.maze.free) - min(y for y, _ in cells)
        left = min(x for _, x in self.maze.free) - min(x for _, x in cells)
        self.number = {(y + top, x + left): number for number, (y, x) in enumerate(cells)}
        self.number = {(y - top, x - left): self.number[y, x] for y, x in self.number}
        self.place = {number: place for place, number in self.number.items()}
        self.live = {place for place, number in self.number.items() if self.game.tables.live[number]}
        rules = self.game.feature_space()
        self.names = jit.Names(dict(rules.names(GUIDED)), "interpreted", None)
        self.work: Any = rules.work(self.game.start(), self.names, GUIDED)

    def put_up(self, node: Node) -> None:
        """Make a node the position on the board."""
        stones, area = node
        man = min(self.number[one] for one in area)
        position = state_of({self.number[one] for one in stones}, man, len(self.number))
        jit.bind(restore, self.names)(self.work, np.array(position, np.int64))

    def is_told_dead(self, node: Node, moved: Place | None = None) -> bool:
        """Put up a node, and tell whether it is told dead: by all its stones, or by those that one has moved to."""
        self.put_up(node)
        base, square = self.work.base, -1 if moved is None else self.number[moved]
        return bool(jams.has_dead_jam(base, self.work.jams, int(base.kept[0, -1]), square))

    def patterns(self) -> list[Node]:
        """Return the patterns that are known: stones, and where the man may be."""
        known = self.work.jams
        return [
            (
                frozenset(self.place[one] for one in known.patterns[pattern].tolist() if one >= 0),
                frozenset(self.place[one] for one in np.flatnonzero(known.areas[pattern]).tolist()),
            )
            for pattern in range(known.counts[jams.PATTERNS])
        ]


def is_lost_alone(maze: Maze, node: Node) -> bool:
    """Tell whether no sequence of pushes brings the stones of a node to goals."""
    seen, waiting = {node}, [node]
    while waiting:
        here = waiting.pop()
        if here[0] <= maze.goals:
            return False
        for after in maze.successors(here):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True
