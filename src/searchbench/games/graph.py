"""A token on any directed graph, given as text, for one player or two (the state space graph of Gasser 1995, section 2.1)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.board import Board
from searchbench.errors import BadState
from searchbench.game import Game
from searchbench.index import Index, Part, Radix
from searchbench.rules import UNDECIDED, State

_EDGE = re.compile(r"(\d+)>(\d+)(?::(-?\d+))?")
_RESULT = re.compile(r"(\d+)=(-?\d+)")
LARGEST_NODE = 1 << 24
MOST_DRAWN = 48
"""The nodes of the largest graph that is drawn."""
SPACING = 1.6
"""From node to node in a drawing, in squares of a board: edges need room."""
TOKEN = "o"


class Digraph(NamedTuple):
    """A directed graph: its number of nodes, its edges (from, to, number or None) sorted by origin, its results."""

    nodes: int
    edges: tuple[tuple[int, int, int | None], ...]
    results: Mapping[int, int]


@lru_cache(maxsize=256)
def read_digraph(text: str, stops: bool = False) -> Digraph:
    """Parse a graph such as "0>1;1>2:5;2=0". Raises ValueError.

    With `stops`, drop the edges that leave nodes with a result.
    """
    edges: list[tuple[int, int, int | None]] = []
    results: dict[int, int] = {}
    for word in re.split(r"[;,\s]+", text.strip()):
        edge, result = _EDGE.fullmatch(word), _RESULT.fullmatch(word)
        if edge:
            edges.append((int(edge[1]), int(edge[2]), None if edge[3] is None else int(edge[3])))
        elif result and results.setdefault(int(result[1]), int(result[2])) == int(result[2]):
            continue
        elif word:
            raise ValueError(f"{word!r} in a graph: expected edges 0>1 or 0>1:5, and one result 2=0 a node")
    named = [*results, *(node for edge in edges for node in edge[:2])]
    if not named or max(named) >= LARGEST_NODE:
        raise ValueError(f"a graph of {max(named, default=-1) + 1} nodes: expected 1 to {LARGEST_NODE}")
    used = [edge for edge in edges if not (stops and edge[0] in results)]
    return Digraph(max(named) + 1, tuple(sorted(used, key=lambda edge: edge[0])), results)


@dataclass(frozen=True)
class Graph(Game):
    """Move a token along the edges of a directed graph; the state is the token's node, a number from 0.

    `edges` lists edges and results: "0>1" leads from node 0 to node 1, "0>1:5" also costs (or gains) 5, "3=0" is a
    solved node, or a draw between two players, "3=-1" is lost for the player to move there. Multiple edges, cycles, and
    nodes without edges are allowed. `values` names the value rule; `origin` is the start node. `partition` names
    consecutive runs of nodes, "low:4;high:6": the parts of the number line.

    The graph is compiled into the kernels, so each graph costs a compilation: solve many small graphs as one
    disconnected graph, or interpreted.
    """

    name: ClassVar[str] = "graph"
    dtype: ClassVar[Any] = np.int32

    edges: str
    values: str = "distance"  # type: ignore[misc]
    origin: int = 0
    partition: str = ""

    def __post_init__(self) -> None:
        for field in (
            "edges",
            "partition",
        ):  # normalise to one text per graph, without the comma that separates parameters
            object.__setattr__(self, field, ";".join(re.split(r"[;,\s]+", getattr(self, field).strip(" ;,\n\t"))))
        graph = self.digraph
        if not 0 <= self.origin < graph.nodes:
            raise ValueError(f"origin {self.origin}: the graph has the nodes 0 to {graph.nodes - 1}")
        if self.values in {"distance", "depth"} and any(
            number is not None and number < 1 for _, _, number in graph.edges
        ):
            raise ValueError("an edge's cost must be at least 1")
        if self.values == "outcome" and any(abs(result) > 1 for result in graph.results.values()):
            raise ValueError("the result of a node must be -1, 0 or 1")
        self._runs()

    @property
    def digraph(self) -> Digraph:
        """Return the graph; for two players, nodes with a result have no edges, as the game is over there."""
        return read_digraph(self.edges, stops=self.two_players)

    @property
    def width(self) -> int:
        """Return one cell."""
        return 1

    @property
    def max_moves(self) -> int:
        """Return the largest out-degree."""
        return max(1, int(self._degrees(0).max()))

    @property
    def max_unmoves(self) -> int:
        """Return the largest in-degree."""
        return max(1, int(self._degrees(1).max()))

    @property
    def locality(self) -> int | None:
        """Return 1 if every edge has a reverse edge, else None."""
        edges = {edge[:2] for edge in self.digraph.edges}
        return 1 if all((target, source) in edges for source, target in edges) else None

    def index(self) -> Index:
        """Return an index by the nodes' own numbers."""
        return Radix((self.digraph.nodes,))

    def parts(self) -> Sequence[Part]:
        """Return the runs of nodes; a part needs the parts that its edges lead to."""
        runs = self._runs()
        if not runs:
            return super().parts()
        graph = self.digraph
        home = [name for name, start, stop in runs for _ in range(start, stop)]
        needs: dict[str, dict[str, None]] = {name: {} for name, _, _ in runs}
        for source, target, _ in graph.edges:
            needs[home[source]][home[target]] = None
        return [Part(name, start, stop, tuple(needs[name])) for name, start, stop in runs]

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the number of an edge, sorted by origin."""
        graph = self.digraph
        origin = self.origin
        sources = _array([edge[0] for edge in graph.edges])
        targets = _array([edge[1] for edge in graph.edges])
        costs = _array([1 if edge[2] is None else edge[2] for edge in graph.edges])
        gains = _array([0 if edge[2] is None else edge[2] for edge in graph.edges])
        leaving = np.concatenate(([0], np.cumsum(self._degrees(0))))
        incoming = _array(sorted(range(len(graph.edges)), key=lambda edge: graph.edges[edge][1]))
        reaching = np.concatenate(([0], np.cumsum(self._degrees(1))))
        results = _array([graph.results.get(node, UNDECIDED) for node in range(graph.nodes)])

        def start(state: State) -> None:
            state[0] = origin

        def terminal(state: State) -> int:
            result: int = results[state[0]]
            return result

        def moves(state: State, out: MutableSequence[int]) -> int:
            first = leaving[state[0]]
            count: int = leaving[state[0] + 1] - first
            for index in range(count):
                out[index] = first + index
            return count

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            first = reaching[state[0]]
            count: int = reaching[state[0] + 1] - first
            for index in range(count):
                out[index] = incoming[first + index]
            return count

        def play(state: State, move: int) -> None:
            state[0] = targets[move]

        def unplay(state: State, move: int) -> None:
            state[0] = sources[move]

        def cost(state: State, move: int) -> int:
            number: int = costs[move]
            return number

        def gain(state: State, move: int) -> int:
            number: int = gains[move]
            return number

        return {
            "start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay,
            "cost": cost, "gain": gain,
        }  # fmt: skip

    def board(self) -> Board | None:
        """Return the nodes in a circle, clockwise from the top, with the edges; None where there are too many to be read."""
        graph = self.digraph
        if graph.nodes > MOST_DRAWN:
            return None
        radius = SPACING / 2 / math.sin(math.pi / max(graph.nodes, 2))
        turns = [2 * math.pi * node / graph.nodes for node in range(graph.nodes)]
        cells = tuple((round(radius * math.sin(turn), 3), round(-radius * math.cos(turn), 3)) for turn in turns)
        edges = tuple(dict.fromkeys(edge[:2] for edge in graph.edges))
        names = tuple(map(str, range(graph.nodes)))
        return Board(cells, edges, shape="node", names=names, words=((TOKEN, "the token"),))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the token on its node."""
        return [TOKEN if node == state[0] else "" for node in range(self.digraph.nodes)]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the node that an edge leads to."""
        return [self.digraph.edges[move][1]]

    def arrange(self, pieces: Sequence[str], like: Sequence[int], side: int) -> str | None:
        """Return the node where the one token lies."""
        return str(pieces.index(TOKEN)) if pieces.count(TOKEN) == 1 else None

    def picture(self, state: Sequence[int]) -> str:
        """Return the number of the node: in text there are no arrows."""
        return str(self.format(state))

    def parse(self, text: str) -> list[int]:
        """Read the number of a node."""
        state = super().parse(text)
        nodes = self.digraph.nodes
        if len(state) != 1 or not 0 <= state[0] < nodes:
            raise BadState(f"{self.name}: {text!r}: expected a node from 0 to {nodes - 1}")
        return state

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the target of an edge, numbered if several edges lead there."""
        edges = self.digraph.edges
        alike = [edge for edge in self.moves(state) if edges[edge][1] == edges[move][1]]
        return f"{edges[move][1]}" if len(alike) == 1 else f"{edges[move][1]}#{alike.index(move) + 1}"

    def _degrees(self, end: int) -> npt.NDArray[np.int64]:
        """Return the number of edges that leave (`end` 0) or reach (1) each node."""
        ends = np.array([edge[end] for edge in self.digraph.edges], np.int64)
        return np.bincount(ends, minlength=self.digraph.nodes)

    def _runs(self) -> list[tuple[str, int, int]]:
        runs: list[tuple[str, int, int]] = []
        stop = 0
        for word in filter(None, self.partition.split(";")):
            name, _, count = word.partition(":")
            if not name or not count.isdecimal() or not int(count) or name in {run[0] for run in runs}:
                raise ValueError(
                    f"{word!r} in a partition: expected different names with numbers of nodes, low:4;high:6"
                )
            runs.append((name, stop, stop + int(count)))
            stop += int(count)
        if runs and stop != self.digraph.nodes:
            raise ValueError(f"a partition of {stop} nodes: the graph has {self.digraph.nodes}")
        return runs


def _array(numbers: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array(numbers or [0], np.int64)
