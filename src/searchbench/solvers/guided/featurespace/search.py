"""Feature-space search for games that supply features and advisors (Shoham and Schaeffer 2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, Exhausted
from searchbench.game import Game
from searchbench.line import Line
from searchbench.solvers.guided.configuration import Guided
from searchbench.solvers.guided.enhancements import Functions
from searchbench.solvers.guided.featurespace.kernel import (
    ADVISORS,
    BEST,
    MOVES,
    NODES,
    NONE,
    NOTES,
    POSITIONS,
    SHIFT,
    STATUS,
    begin,
    explore,
    new_tree,
)
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, Task

ENTRIES: Final = 1 << 24
"""The moves that are kept, where nothing else is asked for."""


class FeatureSpaceGame(Protocol):
    """What a game supplies for the search: the functions of the contract, arrays, and what its moves stand for."""

    advisors: int
    shift: int
    """The bits of a score below those that tell a cell."""
    most: int
    """The most macro moves of a position."""

    def names(self) -> Mapping[str, Any]:
        """Return the functions of the contract."""
        ...

    def work(self, start: Sequence[int], names: jit.Names) -> Any:
        """Return the named tuple of arrays for a search from a state."""
        ...

    def position(self, start: Sequence[int]) -> list[int]:
        """Return a state as the numbers of a position."""
        ...

    def steps(self, start: Sequence[int], moves: Sequence[int]) -> list[int]:
        """Return the moves of the game that macro moves stand for."""
        ...


@dataclass(frozen=True, kw_only=True)
class FeatureSpace(Guided):
    """Find a line by feature-space search, most often not a cheapest one; `entries` are macro moves."""

    method = "featurespace"
    orders = ()

    def switches(self, game: Game) -> Functions:
        """Replace none of the game's functions."""
        return {}

    def search(self, task: Task) -> Line:
        """Return a line. Raises Unsolvable and LimitReached."""
        if self.h is not None or self.order or self.use or self.without:
            raise BadRequest("featurespace: heuristic, order, use and without have no meaning: features guide it")
        rules: FeatureSpaceGame | None = task.game.feature_space()
        if rules is None:
            raise BadRequest(
                f"method featurespace: {task.game} supplies no features for it; idastar searches every puzzle"
            )
        names = jit.Names(dict(rules.names()), task.names.target, None)
        work = rules.work(task.start, names)
        first = rules.position(task.start)
        tree = new_tree(len(first), rules.advisors, max(self.entries or ENTRIES, 2 * rules.most), rules.most)
        tree.positions[0] = first
        note = np.zeros(NOTES, np.int64)
        note[ADVISORS], note[SHIFT] = rules.advisors, rules.shift
        jit.bind(begin, names)(work, tree, note)
        kernel = jit.bind(explore, names)
        while note[STATUS] not in (FOUND, EXHAUSTED):
            task.advance(kernel, (work, tree), note, NODES)
            if note[STATUS] == FULL:
                raise Exhausted(
                    f"{task.game}: no solution in {note[MOVES]:,} macro moves: more `entries` keep more of them",
                    int(note[NODES]),
                    int(note[POSITIONS]),
                )
            if note[STATUS] not in (FOUND, EXHAUSTED):
                task.report("positions", int(note[NODES]), 0, int(note[POSITIONS]))
        nodes, kept = int(note[NODES]), int(note[POSITIONS])
        if note[STATUS] == EXHAUSTED:
            raise task.unsolvable(nodes, kept)
        moves = rules.steps(task.start, _moves_to(tree, int(note[BEST])))
        return task.line(moves, _cost(task, moves), nodes, False, kept)


def _cost(task: Task, moves: Sequence[int]) -> int:
    state, cost = list(task.start), 0
    for move in moves:
        cost += int(task.game.call("cost", state, move))
        state = list(task.game.play(state, move))
    return cost


def _moves_to(tree: Any, last: int) -> list[int]:
    """Return the macro moves from the start to the position after a kept move, NONE for the start itself."""
    found: list[int] = []
    if last == NONE:
        return found
    found.append(int(tree.moves[last]))
    place = int(tree.owners[last])
    while place > 0:
        found.append(int(tree.leading[place]))
        place = int(tree.parents[place])
    return found[::-1]
