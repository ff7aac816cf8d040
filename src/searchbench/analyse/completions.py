"""Solve all completions of a pattern, the states that look alike in an abstraction, in one search (Gasser 1995, section 6.5).

Moves that lead from one completion to a goal of the abstraction lead another completion to the solved state; the order in which
the pieces arrive tells which. So one breadth-first search from one completion finds the costs of all. The database of the
abstraction cuts off states that lie too far from its goals. The search keeps each pattern once, with a list of orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.abstraction import Abstraction, joined_tables, pattern_rank
from searchbench.analyse.layers import AT, CHANGE, CUT, EDGES, NODES, Edges, Layer, expand, fill_slots, gather
from searchbench.analyse.orders import Changes, kinds_of, order_of, orders, rank_order, reorder, unrank_order
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game, Position
from searchbench.run import Run
from searchbench.solvers.guided.nodes import slots_for
from searchbench.store import Database, open_database
from searchbench.store.modulo import packed_residues
from searchbench.store.working import WorkingFolder, discard

NEVER: Final = 1 << 40
"""The bound after the last one: nothing was cut off."""
ROOM: Final = 1 << 16
"""For how many moves and patterns there is room at first."""


@dataclass(frozen=True)
class Completions:
    """Hold the costs of a pattern's completions: `costs` by state; each of the `open` states costs at least `bound`."""

    game: Game
    costs: Mapping[tuple[int, ...], int]
    open: tuple[tuple[int, ...], ...]
    bound: int
    nodes: int
    seconds: float

    def histogram(self) -> dict[int, int]:
        """Return how many states have each cost."""
        found = sorted(self.costs.values())
        return {cost: found.count(cost) for cost in dict.fromkeys(found)}


def solve_completions(
    game: str | Game,
    state: Position | str | Sequence[int],
    like: str | Path | Database,
    run: Run | None = None,
    limit: int | None = None,
    target: jit.Target = "cpu",
) -> Completions:
    """Return the cost of every state that looks like `state` in an abstraction, whose depths are in the database `like`.

    All moves of the abstraction cost 1, and it tells the kinds of the original's pieces (`Abstraction.kinds`). States that
    cost more than `limit` stay open. The folder `work` of the run keeps unfinished work; the same request resumes it.
    Raises BadRequest and OutOfMemory.
    """
    chosen, database = load(game), like if isinstance(like, Database) else open_database(like)
    completion = [int(cell) for cell in chosen.position(state).state]
    with run or Run() as active, _working(chosen, completion, database, active) as work:
        return _Search(chosen, completion, database, active, work, target).solve(limit)


@contextmanager
def _working(game: Game, state: Sequence[int], database: Database, run: Run) -> Iterator[WorkingFolder | None]:
    """Give the folder of the unfinished work, if the run has one."""
    if run.work is None:
        yield None
        return
    task = {"game": game.identity(), "state": list(map(int, state)), "abstraction": database.game.identity()}
    with WorkingFolder(run.work, task) as folder:
        yield folder


class _Search:
    def __init__(
        self, game: Game, state: list[int], database: Database, run: Run, work: WorkingFolder | None, target: jit.Target
    ) -> None:
        abstraction = database.game
        if not isinstance(abstraction, Abstraction) or not abstraction.is_of(game):
            raise BadRequest(f"{database!r} is no database of an abstraction of {game}")
        if abstraction.has("blank"):
            raise BadRequest(f"{database!r}: expected an abstraction in which every move costs 1")
        if not database.rule.bounds_cost or database.rule.shared or database.dtype != np.uint8:
            raise BadRequest(f"{database!r}: expected depths of one byte, or modulo 3")
        self.game, self.state, self.database, self.run, self.work = game, state, database, run, work
        self.codes = packed_residues(database) if database.modulus else database.codes
        self.kinds = kinds_of(abstraction.kinds())
        self.changes = Changes(self.kinds, target)
        self.table, (self.at,) = joined_tables([abstraction.images()[0]])
        names = game.names(target=target).with_(**_image(abstraction))
        self.interpreted = game.names(target="interpreted").with_(**_image(abstraction))
        self.expand, self.gather = jit.bind(expand, names), jit.bind(gather, names)
        self.fill_slots = jit.bind(fill_slots, names)
        self.costs = np.full(orders(self.kinds), -1, np.int64)
        self.nodes, self.cut = 0, NEVER
        self.goal = self._number(game.start())
        self.possible = self._possible()

    def solve(self, limit: int | None) -> Completions:
        """Search with a bound that grows, until all completions are solved or the limit is reached."""
        bound = self._depth(self._number(self.state))
        bound, layers = self._resumed(bound)
        while bound < NEVER and (limit is None or bound <= limit) and not self._done():
            bound = self._search(bound, layers)
            layers = None
            self._keep({"bound": min(bound, NEVER), "moves": -1})
        if self.work is not None and self._done():
            discard(self.work.path)
        return self._result(bound)

    def _search(self, bound: int, layers: tuple[int, Layer, Layer] | None) -> int:
        """Search below one bound; return the next one."""
        moves, before, layer = layers or (0, self._layer([], [], [], [0], []), self._first())
        cut = NEVER if layers is None else self.cut  # the ones cut off before the search was stopped
        self._note_costs(layer, moves)
        while len(layer.numbers) and not self._done():
            before, (layer, least) = layer, self._next(before, layer, bound - moves - 1)
            moves += 1
            cut = min(cut, moves + least)
            self._note_costs(layer, moves)
            self.nodes += len(layer.orders)
            self.run.progress(
                f"bound {bound}, {moves} moves, {len(layer.numbers):,} patterns", self._solved(), len(self.possible)
            )
            if self.work is not None and self.work.due:
                self._keep({"bound": bound, "moves": moves, "cut": cut}, before, layer)
        return cut

    def _next(self, before: Layer, layer: Layer, left: int) -> tuple[Layer, int]:
        """Return the layer after one, and the smallest cost above the bound."""
        note = np.array([0, 0, 0, NEVER, -1], np.int64)
        room = max(ROOM, 2 * len(layer.numbers))
        edges = Edges(*(np.zeros(room, kind) for kind in (np.int32, np.int32, np.int16)))
        states, numbers = np.zeros((room, self.game.width), self.game.dtype), np.zeros(room, np.int64)
        depths, slots = np.zeros(room, np.int16), np.zeros(slots_for(room), np.int32)
        while True:
            fixed = self.codes, self.database.modulus != 0, self.table, self.at, self.kinds, self.changes.row_of
            self.expand(layer, left, *fixed, edges, states, numbers, depths, slots, note)
            if note[AT] == len(layer.numbers):
                break
            if note[CHANGE] >= 0:
                self.changes.add(int(note[CHANGE]))
                continue
            room *= 2
            self.run.demand(room * (18 + self.game.width + 8), f"a layer of {room:,} patterns of {self.game}")
            edges = Edges(*(_longer(one, room) for one in edges))
            states, numbers, depths = (_longer(one, room) for one in (states, numbers, depths))
            slots = np.zeros(slots_for(room), np.int32)
            self.fill_slots(numbers[: note[NODES]], slots)
        found = int(note[NODES])
        edges = Edges(*(one[: note[EDGES]] for one in edges))
        begins, gathered = self._gathered(before, layer, edges, numbers[:found])
        return self._compact(states[:found], numbers[:found], depths[:found], begins, gathered), int(note[CUT])

    def _gathered(self, before: Layer, layer: Layer, edges: Edges, numbers: Any) -> tuple[Any, Any]:
        """Return where the orders of each pattern of the next layer begin, and the orders."""
        by_target = np.argsort(edges.target, kind="stable")
        first_edge = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(np.bincount(edges.target, minlength=len(numbers)), out=first_edge[1:])
        most = int(np.diff(layer.begins)[edges.source].sum())
        self.run.demand(2 * most + layer.orders.nbytes + before.orders.nbytes, f"the orders of {most:,} states")
        begins, found = np.zeros(len(numbers) + 1, np.int64), np.empty(most, np.uint16)
        words = np.zeros(-(-orders(self.kinds) // 32), np.int64)
        self.gather(
            layer, before, numbers, first_edge, edges.source[by_target], edges.row[by_target], self.changes.table,
            words, begins, found,
        )  # fmt: skip
        found.resize(int(begins[-1]), refcheck=False)
        return begins, found

    def _compact(self, states: Any, numbers: Any, depths: Any, begins: Any, found: Any) -> Layer:
        """Return a layer without the patterns whose orders were all known."""
        kept = np.flatnonzero(np.diff(begins))
        return self._layer(states[kept], numbers[kept], depths[kept], np.append(begins[kept], begins[-1:]), found)

    def _layer(self, states: Any, numbers: Any, depths: Any, begins: Any, found: Any) -> Layer:
        """Return a layer, with a hash table of its numbers."""
        states = np.array(states, self.game.dtype).reshape(-1, self.game.width)
        slots = np.zeros(slots_for(len(numbers)), np.int32)
        layer = Layer(
            states, np.asarray(numbers, np.int64), np.asarray(depths, np.int16), slots, np.asarray(begins, np.int64),
            np.asarray(found, np.uint16),
        )  # fmt: skip
        self.fill_slots(layer.numbers, slots)
        return layer

    def _first(self) -> Layer:
        """Return the layer of the one state that the search begins with."""
        number, alike = self._order(self.state), list(self.state)
        self._call(reorder, alike, np.array(self._unranked(0)))
        at = self._number(self.state)
        return self._layer([alike], [at], [self._depth(at)], [0, 1], [number])

    # --- costs ----------------------------------------------------------------------------------------------------------

    def _note_costs(self, layer: Layer, moves: int) -> None:
        """Note the orders in which a goal is reached for the first time."""
        for node in np.flatnonzero(layer.numbers == self.goal):
            found = layer.orders[layer.begins[node] : layer.begins[node + 1]]
            self.costs[found] = np.where(self.costs[found] < 0, moves, self.costs[found])

    def _possible(self) -> dict[int, tuple[int, ...]]:
        """Return the completion that each order at the goal solves, those that the rules call unsolvable left out."""
        found = {}
        goal = self.game.start()
        for number in range(orders(self.kinds)):
            arrived = list(goal)
            self._call(reorder, arrived, self._unranked(number))
            name = dict(zip(arrived[: len(self.kinds.kind)], goal, strict=False))
            completion = [name.get(piece, piece) for piece in self.state[: len(self.kinds.kind)]]
            completion += self.state[len(self.kinds.kind) :]
            if self.game.call("solvable", list(completion)):
                found[number] = tuple(completion)
        return found

    def _done(self) -> bool:
        return self._solved() == len(self.possible)

    def _solved(self) -> int:
        return int((self.costs >= 0).sum())

    def _result(self, bound: int) -> Completions:
        costs = {state: int(self.costs[number]) for number, state in self.possible.items() if self.costs[number] >= 0}
        still = tuple(state for number, state in self.possible.items() if self.costs[number] < 0)
        return Completions(self.game, costs, still, bound, self.nodes, self.run.seconds)

    # --- the rules, interpreted: one state ------------------------------------------------------------------------------

    def _number(self, state: Sequence[int]) -> int:
        return int(jit.bind(pattern_rank, self.interpreted)(list(state), self.table, self.at))

    def _depth(self, number: int) -> int:
        code = self.database.code(number)
        return code - 1 if code else NEVER

    def _order(self, state: Sequence[int]) -> int:
        order = np.zeros(len(self.kinds.pieces), np.int64)
        self._call(order_of, list(state), order)
        return rank_order(order, self.kinds)

    def _unranked(self, number: int) -> Any:
        order = np.zeros(len(self.kinds.pieces), np.int64)
        unrank_order(number, order, self.kinds)
        return order

    def _call(self, function: Any, state: list[int], order: Any) -> None:
        function(state, order, np.zeros(len(self.kinds.first), np.int64), self.kinds)

    # --- unfinished work ------------------------------------------------------------------------------------------------

    def _keep(self, record: dict[str, Any], before: Layer | None = None, layer: Layer | None = None) -> None:
        """Keep how far the search is, with the last two layers where it is below a bound."""
        if self.work is None:
            return
        arrays = {"costs": self.costs}
        for name, one in (("before", before), ("layer", layer)):
            if one is not None:
                arrays |= {
                    f"{name}-{field}": array.reshape(-1) for field, array in one._asdict().items() if field != "slots"
                }
        self.work.commit({**record, "nodes": self.nodes}, arrays, self.run)

    def _resumed(self, bound: int) -> tuple[int, tuple[int, Layer, Layer] | None]:
        """Return the bound to go on with, and the moves and layers that were kept, if any were."""
        if self.work is None or not self.work.record:
            return bound, None
        record = self.work.record
        self.costs, self.nodes = self.work.copy_of("costs"), record["nodes"]
        if record["moves"] < 0:
            return record["bound"], None
        before, layer = (
            self._layer(
                *(self.work.copy_of(f"{name}-{field}") for field in ("states", "numbers", "depths", "begins", "orders"))
            )
            for name in ("before", "layer")
        )
        self.cut = record["cut"]
        return record["bound"], (record["moves"], before, layer)


def _image(abstraction: Abstraction) -> dict[str, Any]:
    """Return the function that numbers a state's image."""
    return {"pattern_rank": abstraction.rules()["pattern_rank"]}


def _longer(array: Any, room: int) -> Any:
    """Return an array with room for more."""
    return np.concatenate([array, np.zeros((room - len(array), *array.shape[1:]), array.dtype)])
