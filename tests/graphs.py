"""Games on explicit graphs, and hypothesis strategies that draw them.

A graph is data: all of them are compiled once, for each number of moves that there may be (see `shared`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from hypothesis import strategies as st

from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.rules import NOWHERE, UNDECIDED, State

Edge = tuple[int, int, int, int]
"""From a node, to a node, at a cost, with a gain."""


class GraphData(NamedTuple):
    """Hold a graph: the ends and the numbers of each edge, and what is known of each node.

    The edges from a node are `forth[forth_at[node] : forth_at[node + 1]]`, those to it lie in `back`.
    """

    ends: Any
    weights: Any
    results: Any
    forth: Any
    forth_at: Any
    back: Any
    back_at: Any
    mirror: Any
    absent: Any
    home: Any
    representatives: Any
    fixing: Any
    first: int
    size: int


def start(state: State, data: GraphData) -> None:
    """Write the first node."""
    state[0] = data.first


def terminal(state: State, data: GraphData) -> int:
    """Return the node's result."""
    return data.results[state[0]]


def moves(state: State, out: MutableSequence[int], data: GraphData) -> int:
    """Write the edges from the node."""
    low, high = data.forth_at[state[0]], data.forth_at[state[0] + 1]
    for index in range(low, high):
        out[index - low] = data.forth[index]
    return high - low


def unmoves(state: State, out: MutableSequence[int], data: GraphData) -> int:
    """Write the edges to the node."""
    low, high = data.back_at[state[0]], data.back_at[state[0] + 1]
    for index in range(low, high):
        out[index - low] = data.back[index]
    return high - low


def play(state: State, move: int, data: GraphData) -> None:
    """Go along an edge."""
    state[0] = data.ends[move, 1]


def unplay(state: State, move: int, data: GraphData) -> None:
    """Go back along an edge."""
    state[0] = data.ends[move, 0]


def cost(state: State, move: int, data: GraphData) -> int:
    """Return the cost of an edge."""
    return data.weights[move, 0]


def gain(state: State, move: int, data: GraphData) -> int:
    """Return the gain of an edge."""
    return data.weights[move, 1]


def legal(state: State, data: GraphData) -> bool:
    """Tell whether the node is there."""
    return not data.absent[state[0]]


def rank(state: State, data: GraphData) -> int:
    """Return the node's number."""
    return state[0] if state[0] < data.size else NOWHERE


def unrank(number: int, state: State) -> None:
    """Write a node."""
    state[0] = number


def canonical(state: State, data: GraphData) -> None:
    """Go to the node that stands for all symmetric ones."""
    state[0] = data.representatives[state[0]]


def mobility(state: State, out: MutableSequence[int], data: GraphData) -> int:
    """Return how many edges leave the node."""
    return data.forth_at[state[0] + 1] - data.forth_at[state[0]]


def conversions(state: State, out: MutableSequence[int], data: GraphData) -> int:
    """Write the edges that lead to another part."""
    count = 0
    for index in range(data.forth_at[state[0]], data.forth_at[state[0] + 1]):
        target = data.ends[data.forth[index], 1]
        if target >= data.size or data.home[target] != data.home[state[0]]:
            out[count] = data.forth[index]
            count += 1
    return count


def stabilizer(state: State, data: GraphData) -> int:
    """Return how many symmetries leave the node as it is."""
    return data.fixing[state[0]]


@dataclass(frozen=True)
class GraphGame(Game):
    """Move a token along the edges of a graph; the numbers are the nodes.

    `results` has one entry a node, UNDECIDED or the node's result. `cuts` are the first nodes of the parts but the
    first; each of `empty` names a part, by its place, that has an empty part at its begin or its end, and they need each
    other. Nodes from `numbered` on have no number. `mirror` maps each node to its image under a symmetry that is its
    own inverse; the smaller of the two stands for both. `absent` nodes are no positions. With `told` the rules count the
    moves, tell which of them leave a part, and how many symmetries leave a node as it is. `room` is the number of moves that
    the game says there may be, 0: just those that there are. A `negative` game numbers its moves up to -1, the last edge, as
    tables number their entries from the end.
    """

    name: ClassVar[str] = "graphgame"
    dtype: ClassVar[Any] = np.int64

    edges: tuple[Edge, ...]
    results: tuple[int, ...]
    values: str = "distance"
    cuts: tuple[int, ...] = ()
    numbered: int = 0
    mirror: tuple[int, ...] = ()
    absent: tuple[int, ...] = ()
    first: int = 0
    padding: int = 0
    told: bool = False
    locality: int | None = None
    empty: tuple[tuple[int, bool], ...] = ()
    room: int = 0
    negative: bool = False

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, one.name) for one in fields(self)))

    def __hash__(self) -> int:
        """Return the hash of the whole graph, worked out once: each question to a game looks it up in caches."""
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: another process has other hashes."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def closed(self) -> bool:
        """Tell whether every node has a number."""
        return self.size == len(self.results)

    @property
    def size(self) -> int:
        """Return how many nodes have a number."""
        return self.numbered or len(self.results)

    @property
    def width(self) -> int:
        """Return one cell: the node."""
        return 1

    @property
    def max_moves(self) -> int:
        """Return the largest number of edges from a node, and more if the test asks for it."""
        return self.room or self._most_edges[0] + self.padding

    @property
    def max_unmoves(self) -> int:
        """Return the largest number of edges to a node."""
        return self.room or self._most_edges[1]

    @cached_property
    def _most_edges(self) -> tuple[int, int]:
        """Return the largest number of edges from a node, and to one."""
        forth, back = (Counter(edge[end] for edge in self.edges) for end in (0, 1))
        return max(forth.values(), default=1), max(back.values(), default=1)

    def parts(self) -> Sequence[Part]:
        """Return the nodes between the cuts, with what their edges need."""
        ends = [0, *self.cuts, self.size]
        bounds = [(start, stop) for start, stop in pairwise(ends) if start < stop]
        names = [f"from {start}" for start, _ in bounds]

        def part_of(node: int) -> str | None:
            image = min(node, self.mirror[node]) if self.mirror else node
            return next((name for name, (a, b) in zip(names, bounds, strict=True) if a <= image < b), None)

        needs: dict[str | None, dict[str, None]] = {name: {} for name in [*names, None]}
        for edge in self.edges:
            target = part_of(edge[1])
            if target is not None:
                needs[part_of(edge[0])][target] = None
        parts = [Part(name, *bound, tuple(needs[name])) for name, bound in zip(names, bounds, strict=True)]
        for count, (place, at_end) in enumerate(self.empty):
            home = parts[place % len(bounds)]
            hollow = Part(f"empty {count}", *2 * (home.stop if at_end else home.start,), (home.name,))
            parts[place % len(bounds)] = home._replace(needs=(*home.needs, hollow.name))
            parts.append(hollow)
        return parts

    def data(self) -> Any:
        """Return the graph as arrays."""
        nodes = len(self.results)
        return GraphData(
            np.array([edge[:2] for edge in self.edges] or [(0, 0)], np.int64),
            np.array([edge[2:] for edge in self.edges] or [(0, 0)], np.int64),
            np.array(self.results, np.int64),
            *self._by_node(0),
            *self._by_node(1),
            np.array(self.mirror or range(nodes), np.int64),
            np.isin(np.arange(nodes), self.absent),
            np.array([self._home(node) for node in range(nodes)], np.int64),
            *self._fixing(),
            self.first,
            self.size,
        )

    def _by_node(self, end: int) -> tuple[Any, Any]:
        """Return the moves along the edges, sorted by the nodes at one of their ends, and where each node's begin."""
        nodes = np.array([edge[end] for edge in self.edges], np.int64)
        order = np.argsort(nodes, kind="stable")
        starts = np.searchsorted(nodes[order], np.arange(len(self.results) + 1))
        return np.append(order - len(nodes) * self.negative, 0), starts

    def _fixing(self) -> tuple[Any, Any]:
        """Return the node that stands for each, and how many symmetries leave it as it is."""
        image = np.array(self.mirror or range(len(self.results)), np.int64)
        nodes = np.arange(len(image))
        return np.minimum(nodes, image), 1 + (image == nodes) * bool(self.mirror)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the number of an edge."""
        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay,
            "cost": cost, "gain": gain, "rank": rank, "unrank": unrank,
        }  # fmt: skip
        if self.absent:
            functions["legal"] = legal
        if self.mirror:
            functions["canonical"] = canonical
        if self.told:
            functions |= {"mobility": mobility, "conversions": conversions, "stabilizer": stabilizer}
        return functions

    def _home(self, node: int) -> int:
        """Return the number of the part in which a node's class is."""
        return sum(cut <= (min(node, self.mirror[node]) if self.mirror else node) for cut in self.cuts)


@dataclass(frozen=True)
class RotatedGame(GraphGame):
    """Add a rotation, under which the edges and results stay the same: nodes are its *orbits*, of 1 or `turns` nodes each.

    `orbits` are their sizes; the nodes of an orbit follow each other, and its first node stands for all. The rules tell how
    many rotations leave a node as it is, but 0 for the orbits that `untold` names.
    """

    name: ClassVar[str] = "rotatedgame"

    turns: int = 1
    orbits: tuple[int, ...] = ()
    untold: tuple[int, ...] = ()

    __hash__ = GraphGame.__hash__

    def _fixing(self) -> tuple[Any, Any]:
        firsts = np.repeat(np.cumsum((0, *self.orbits[:-1])), self.orbits)
        fixing = [0 if orbit in self.untold else self.turns // size for orbit, size in enumerate(self.orbits)]
        return firsts, np.repeat(fixing, self.orbits)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with the symmetry."""
        return {**super().rules(), "canonical": canonical, "stabilizer": stabilizer}


def chain(costs: Iterable[int]) -> GraphGame:
    """Return a puzzle whose node i + 1 leads to node i at costs[i]; node 0 is solved."""
    edges = tuple((place + 1, place, cost, 0) for place, cost in enumerate(costs))
    return GraphGame(edges, (0,) + (UNDECIDED,) * len(edges), first=len(edges))


def shared(game: GraphGame) -> GraphGame:
    """Return a graph with room for as many moves as others have: their rules are one compilation."""
    degrees = np.bincount([end for edge in game.edges for end in edge[:2]], minlength=1)
    room = 64 if degrees.max() <= 64 else 1024
    return replace(game, room=room)


# --- strategies -------------------------------------------------------------------------------------------------------


EMPTY_PARTS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=3).map(tuple)
"""Places of empty parts: by the number of another part, at its begin or at its end."""


def _cuts(draw: st.DrawFn, size: int, most: int) -> tuple[int, ...]:
    return tuple(sorted(draw(st.sets(st.integers(1, size - 1), max_size=most)))) if size > 1 else ()


def _pairs(draw: st.DrawFn, size: int, density: int) -> list[tuple[int, int]]:
    """Draw few or many edges, from anywhere to anywhere."""
    node = st.integers(0, size - 1)
    return draw(st.lists(st.tuples(node, node), min_size=draw(st.sampled_from([0, size])), max_size=density * size))


def _near_pairs(draw: st.DrawFn, size: int) -> list[tuple[int, int]]:
    """Draw edges from each node to lower ones near by, and a few that lead up: long games with some cycles."""
    steps = draw(st.lists(st.lists(st.integers(1, 4), max_size=3), min_size=size, max_size=size))
    down = [(node, max(0, node - step)) for node, some in enumerate(steps) for step in some]
    node = st.integers(0, size - 1)
    return down + draw(st.lists(st.tuples(node, node), max_size=size // 4))


ANY_PRICE = st.integers(1, 9)


@st.composite
def puzzles(
    draw: st.DrawFn, costs: bool = True, largest: int = 16, price: st.SearchStrategy[int] = ANY_PRICE
) -> GraphGame:
    """Draw a puzzle: cycles, loops, double edges, dead ends, lost ends, several goals or none, several parts."""
    size = draw(st.integers(1, largest))
    pairs = _pairs(draw, size, 3)
    prices = draw(st.lists(price, min_size=len(pairs), max_size=len(pairs))) if costs else [1] * len(pairs)
    result = st.sampled_from([UNDECIDED] * 8 + [0, -1])
    results = draw(st.lists(result, min_size=size, max_size=size))
    edges = tuple((a, b, price, 0) for (a, b), price in zip(pairs, prices, strict=True))
    return GraphGame(edges, tuple(results), cuts=_cuts(draw, size, 3), negative=draw(st.booleans()))


def _two_player_edges(pairs: list[tuple[int, int]], results: list[int]) -> list[tuple[int, int]]:
    return [(a, b) for a, b in pairs if results[a] == UNDECIDED]


@st.composite
def outcome_games(draw: st.DrawFn, most_cuts: int = 3, outside: bool = True, largest: int = 16) -> GraphGame:
    """Draw a game of two players with cycles, over several parts that may need each other, with ends that have no number."""
    size = draw(st.integers(1, largest))
    near = draw(st.booleans())
    pairs = _near_pairs(draw, size) if near else _pairs(draw, size, 3)
    result = st.sampled_from([UNDECIDED] * (20 if near else 7) + [-1, -1, 0, 1])
    results = draw(st.lists(result, min_size=size, max_size=size))
    results[0] = -1 if near else results[0]
    numbered = draw(st.integers(1, size)) if outside else size
    for node in range(numbered, size):
        results[node] = -1 if results[node] == UNDECIDED else results[node]
    edges = tuple((a, b, 1, 0) for a, b in _two_player_edges(pairs, results))
    cuts = _cuts(draw, numbered, most_cuts)
    return GraphGame(
        edges, tuple(results), "outcome", cuts, numbered, told=draw(st.booleans()), negative=draw(st.booleans())
    )


@st.composite
def long_games(draw: st.DrawFn, largest: int = 60) -> GraphGame:
    """Draw a game of two players that lasts long, in three parts: mostly downwards, with cycles within the parts."""
    chance = draw(st.randoms(use_true_random=False))
    size = draw(st.integers(20, largest))
    cuts = (size // 3, 2 * size // 3)
    pairs: list[tuple[int, int]] = []
    for node in range(1, size):
        low = max(cut for cut in (0, *cuts) if cut <= node)
        pairs += [(node, max(0, node - chance.randint(1, 5))) for _ in range(chance.randint(0, 2))]
        pairs += [(node, chance.randrange(node)) for _ in range(chance.randint(0, 1))]
        pairs += [(node, chance.randint(low, min(low + size // 3, size) - 1)) for _ in range(chance.randint(0, 1))]
    leaving = {a for a, _ in pairs}
    results = [UNDECIDED if node in leaving else chance.choice([-1, -1, -1, 0, 1]) for node in range(size)]
    return GraphGame(tuple((a, b, 1, 0) for a, b in pairs), tuple(results), "outcome", cuts)


@st.composite
def score_games(draw: st.DrawFn, largest: int = 14) -> GraphGame:
    """Draw a game for points: a move within a layer gains nothing, a move to a lower layer gains some."""
    size = draw(st.integers(1, largest))
    layer = sorted(draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    pairs = [(a, b) for a, b in _pairs(draw, size, 3) if layer[a] >= layer[b]]
    results = draw(st.lists(st.sampled_from([UNDECIDED] * 4 + [-3, 0, 2]), min_size=size, max_size=size))
    pairs = _two_player_edges(pairs, results)
    stuck = set(range(size)) - {a for a, _ in pairs}
    results = [0 if node in stuck and results[node] == UNDECIDED else results[node] for node in range(size)]
    edges = tuple((a, b, 1, layer[a] - layer[b]) for a, b in pairs)
    cuts = tuple(node for node in range(1, size) if layer[node] != layer[node - 1])
    return GraphGame(edges, tuple(results), "score", cuts)


@st.composite
def symmetric_games(draw: st.DrawFn, values: str, largest: int = 7) -> GraphGame:
    """Draw a game with a symmetry: some nodes in pairs, some their own image, edges and results in symmetric pairs."""
    twins = draw(st.integers(1, largest))
    fixed = draw(st.integers(0, 4))
    size = 2 * twins + fixed
    image = [*range(twins, 2 * twins), *range(twins), *range(2 * twins, size)]
    ends = [UNDECIDED] * 6 + ([0] if values == "distance" else [-1, 0, 1])
    drawn = draw(st.lists(st.sampled_from(ends), min_size=size, max_size=size))
    results = [drawn[min(node, image[node])] for node in range(size)]
    pairs = set(_pairs(draw, size, 2))
    pairs |= {(image[a], image[b]) for a, b in pairs}
    if values != "distance":
        pairs = set(_two_player_edges(sorted(pairs), results))
    edges = tuple((a, b, 1, 0) for a, b in sorted(pairs))
    return GraphGame(edges, tuple(results), values, mirror=tuple(image), told=draw(st.booleans()))


@st.composite
def rotated_games(draw: st.DrawFn, values: str, largest: int = 6) -> RotatedGame:
    """Draw a game with a rotation: hubs that it leaves as they are, and rings that it turns, edges turned with them."""
    turns = draw(st.integers(2, 7))
    orbits = draw(st.lists(st.sampled_from((1, 1, turns)), min_size=1, max_size=largest))
    ends = [UNDECIDED] * 4 + ([0] if values == "distance" else [-1, 0, 1])
    results = draw(st.lists(st.sampled_from(ends), min_size=len(orbits), max_size=len(orbits)))
    begins = [sum(orbits[:orbit]) for orbit in range(len(orbits))]
    orbit = st.integers(0, len(orbits) - 1)
    pairs = set()
    for source, target, ahead in draw(st.lists(st.tuples(orbit, orbit, st.integers(0, turns - 1)), max_size=12)):
        if values == "distance" or results[source] == UNDECIDED:
            pairs |= {
                (begins[source] + turn % orbits[source], begins[target] + (turn + ahead) % orbits[target])
                for turn in range(turns)
            }
    edges = tuple((a, b, 1, 0) for a, b in sorted(pairs))
    whole = tuple(result for result, size in zip(results, orbits, strict=True) for _ in range(size))
    return RotatedGame(edges, whole, values, turns=turns, orbits=tuple(orbits))
