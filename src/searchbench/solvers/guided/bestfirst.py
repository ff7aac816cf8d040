"""Best-first search: always expand an open state with the smallest f = a g + b h (Hart, Nilsson and Raphael 1968).

A*, weighted A*, Dijkstra's algorithm, greedy search, Berliner's BF1 (1984: depth + 1.8 times the number of misplaced cards)
and BF2 (the points of a goodness function alone) are one kernel with other weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from searchbench import jit
from searchbench.configuration import option
from searchbench.errors import BadRequest, LimitReached, OutOfMemory
from searchbench.game import Game
from searchbench.line import Line
from searchbench.rules import play
from searchbench.run import format_memory
from searchbench.solvers.guided.configuration import Guided, ratio
from searchbench.solvers.guided.enhancements import Functions
from searchbench.solvers.guided.expansion import (
    COUNT,
    GENERATED,
    LOWEST,
    SOLVED,
    STATUS,
    Weights,
    expand_best,
    next_sufficient,
    reach,
)  # fmt: skip
from searchbench.solvers.guided.nodes import COST, MOVE, PARENT, grow_nodes, joined, new_nodes, slots_for
from searchbench.solvers.guided.task import EXHAUSTED, FULL, PAUSED, Task
from searchbench.solvers.shared.openlist import BUCKETS, HEAD, first_bucket, grow_buckets, new_open_list

FIRST_BITS: Final = 12
"""The binary logarithm of the room for nodes at first."""
LARGEST_ROOM: Final = (1 << 31) - 2
"""Nodes are numbered in 32 bits."""


@dataclass(frozen=True, kw_only=True)
class BestFirst(Guided):
    """Find a line soon, by the bound or by the game's own points."""

    method = "bestfirst"

    by: str = option("h", "`goodness`: go by the game's points, in the place of the bound `h`", metavar="NAME")
    weight: float | Fraction | None = option(
        None, "f = g + weight h; without a weight f = h; by goodness f = weight g - goodness", "number", metavar="W"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weight is not None:
            ratio(self.weight)
        if self.by not in ("h", "goodness"):
            raise BadRequest(f"by {self.by!r}: there are h, goodness")

    def switches(self, game: Game) -> Functions:
        """Return the functions that replace the game's own. Raises BadRequest for one that the game does not supply."""
        if self.by == "goodness" and not game.has("goodness"):
            raise BadRequest(f"by goodness: {game} supplies no `goodness`")
        return super().switches(game)

    def search(self, task: Task) -> Line:
        """Return a line found soon."""
        return greedy(task, None if self.weight is None else ratio(self.weight), self.by == "goodness")


def best_first(task: Task, weights: Weights) -> Line:
    """Return a line; it is claimed to be optimal where its cost equals the least cost of all solutions.

    Raises Unsolvable when every state was seen, LimitReached and OutOfMemory with the least cost that is still possible.
    """
    return _BestFirst(task, weights).search()


def greedy(task: Task, weight: Fraction | None = None, by_goodness: bool = False) -> Line:
    """Return a line found soon, as cheap as it may be: f = h, or g + weight h; closed states stay closed.

    Weight 1.8 is Berliner's BF1 (1984). By goodness, f = weight g - goodness, without a weight f = - goodness.
    """
    if by_goodness:
        moves = weight or Fraction(0)
        return best_first(task, Weights(moves.numerator, 0, reopen=False, goodness=moves.denominator))
    if weight is None:
        return best_first(task, Weights(0, 1, reopen=False))
    return best_first(task, Weights(weight.denominator, weight.numerator, reopen=False))


class _BestFirst:
    def __init__(self, task: Task, weights: Weights) -> None:
        self.task, self.weights = task, weights
        self.carried = task.carried(1)
        self.bound = task.bound(self.carried)
        self.note = np.zeros(5, np.int64)
        moves = len(task.names["new_moves"]())
        self.most = min(task.entries + moves, LARGEST_ROOM) if task.entries else LARGEST_ROOM
        room = 1 << max(FIRST_BITS, moves.bit_length() + 1)
        self._demand(room, room)
        self.nodes = new_nodes(min(room, self.most), task.game.width, task.game.dtype, task.carried(room + 2))
        self.queue = new_open_list(room)

    def search(self) -> Line:
        """Open the start and expand until the end; a new node's carried data is written into the last row first."""
        self.nodes.carried[-1] = self.carried[0]
        start = np.array([-1, 0, 0, self.bound], np.int64)
        arguments = self.weights, self.nodes, self.queue
        jit.bind(reach, self.task.names)(self.task.state(), start, self.task.tables, *arguments, self.note)
        self.note[GENERATED] = 1
        kernel = jit.bind(expand_best, self.task.names)
        while self.note[STATUS] in (PAUSED, FULL):
            self.task.advance(kernel, (self.task.tables, *arguments), self.note, GENERATED)
            if self.note[STATUS] == FULL:
                self._grow()
            elif self.note[STATUS] == PAUSED:
                self.task.run.line(self._line_to_best)
                self.task.report(
                    f"f {self.note[LOWEST]}", int(self.note[GENERATED]), self._least_cost(), int(self.note[COUNT])
                )
        if self.note[STATUS] == EXHAUSTED:
            raise self.task.unsolvable(int(self.note[GENERATED]), int(self.note[COUNT]))
        return self._line()

    def _least_cost(self) -> int:
        return self.weights.least_cost(int(self.note[LOWEST]), self.bound)

    def _line(self) -> Line:
        node = int(self.note[SOLVED])
        total = int(self.nodes.facts[node, COST])
        optimal = total == self._least_cost()
        return self.task.line(self._moves_to(node), total, int(self.note[GENERATED]), optimal, int(self.note[COUNT]))

    def _line_to_best(self) -> list[int]:
        """Return the moves to the node that is expanded next; a search that pauses has one."""
        return self._moves_to(int(self.queue.buckets[first_bucket(self.queue), HEAD]))

    def _moves_to(self, node: int) -> list[int]:
        way = []
        while (parent := int(self.nodes.facts[node, PARENT])) != -1:
            way.append(node)
            node = parent if parent >= 0 else joined(parent)
        found: list[int] = []
        state = self.task.state()
        for node in reversed(way):
            move = int(self.nodes.facts[node, MOVE])
            while True:  # the moves that were joined to it come out again, one after the other
                found.append(move)
                jit.bind(play, self.task.names)(state, move)
                if list(state) == list(self.nodes.states[node]):
                    break
                move = int(jit.bind(next_sufficient, self.task.names)(state, self.task.tables))
        return found

    def _grow(self) -> None:
        """Make room for more nodes or more buckets."""
        names, buckets = self.task.names, len(self.queue.buckets)
        count, most = int(self.note[COUNT]), len(names["new_moves"]())
        if int(self.queue.counts[BUCKETS]) + most > buckets:
            self._demand(len(self.nodes.states), 2 * buckets)
            grow_buckets(self.queue, names)
        if count + most > len(self.nodes.states):
            room = self._larger_room(len(self.nodes.states))
            grow_nodes(self.nodes, room, count, names)
            self.queue.links.resize((room, 2), refcheck=False)

    def _larger_room(self, now: int) -> int:
        """Return twice the room for nodes, or the most that the budget and the limit allow where that is worth it."""
        if self.task.entries and int(self.note[COUNT]) >= self.task.entries:
            raise LimitReached(
                f"{self.task.game}: the table of {self.task.entries:,} states is full; {self._so_far()}",
                self._least_cost(),
                int(self.note[GENERATED]),
                int(self.note[COUNT]),
            )
        buckets = len(self.queue.buckets)
        for percent in (200, 150, 125, 110):
            room = min(now * percent // 100, self.most)
            if room > now and self._bytes_needed(room, buckets) <= self.task.run.memory:
                return room
        self._demand(2 * now, buckets)
        raise OutOfMemory(f"{self.task.game}: no more than {LARGEST_ROOM:,} nodes can be numbered; {self._so_far()}")

    def _demand(self, room: int, buckets: int) -> None:
        """Raise OutOfMemory where so much is more than the budget."""
        needed = self._bytes_needed(room, buckets)
        if needed > self.task.run.memory:
            raise OutOfMemory(
                f"{self.task.game}: the search needs {format_memory(needed)}, the memory budget is "
                f"{format_memory(self.task.run.memory)}; {self._so_far()}; give a larger --memory, or use idastar"
            )

    def _so_far(self) -> str:
        return (
            f"after {int(self.note[GENERATED]):,} nodes, {int(self.note[COUNT]):,} of them different, a solution of "
            f"{self.task.game.format(self.task.start)!r} costs at least {self._least_cost()}"
        )

    def _bytes_needed(self, room: int, buckets: int) -> int:
        cells: int = self.task.game.width * np.dtype(self.task.game.dtype).itemsize
        carried: int = self.carried.nbytes
        return room * (cells + 4 * 8 + carried + 2 * 4) + 4 * slots_for(room) + buckets * (4 * 8 + 4 + 2 * 4)
