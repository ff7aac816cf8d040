"""The small town of Gasser 1995, chapter 2: find the distance from each place to the pool.

The thesis draws the town; its text names the pool, the gym (next to it), the school, the gas station and the police
station, makes every road one kilometre long and two-way, and says that a forward search from the gas station meets the
police station more than once. This plan agrees with all that; the other places and roads are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.games.graph import Graph
from searchbench.index import Index

PLACES = {
    "pool": (0.0, 0.0), "gym": (1.0, 0.0), "school": (2.0, 0.0),
    "church": (0.0, 1.0), "police": (1.0, 1.0), "bank": (2.0, 1.0),
    "farm": (0.0, 2.0), "shop": (1.0, 2.0), "gas": (2.0, 2.0),
}  # fmt: skip
ROADS = (
    ("pool", "gym"), ("gym", "school"), ("gym", "police"), ("school", "bank"), ("police", "bank"), ("bank", "gas"),
    ("gas", "police"), ("church", "farm"), ("farm", "shop"), ("shop", "gas"),
)  # fmt: skip


@dataclass(frozen=True)
class SmallTown(Game):
    """Walk from the gas station to the pool; the state is the place."""

    name: ClassVar[str] = "small-town"
    dtype: ClassVar[Any] = Graph.dtype

    @property
    def graph(self) -> Graph:
        """Return the town as a graph with edges both ways for each road."""
        number = {place: index for index, place in enumerate(PLACES)}
        lanes = [f"{number[one]}>{number[other]};{number[other]}>{number[one]}" for one, other in ROADS]
        return Graph(";".join([*lanes, f"{number['pool']}=0"]), origin=number["gas"])

    @property
    def width(self) -> int:
        """Return one cell."""
        return self.graph.width

    @property
    def max_moves(self) -> int:
        """Return the largest number of roads at a place."""
        return self.graph.max_moves

    def index(self) -> Index:
        """Return an index by the places' numbers."""
        return self.graph.index()

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules of the graph."""
        return self.graph.rules()

    def parse(self, text: str) -> list[int]:
        """Read the name of a place."""
        places = list(PLACES)
        if text.strip() not in places:
            raise BadState(f"{self}: {text!r}: expected a place: {', '.join(places)}")
        return [places.index(text.strip())]

    def format(self, state: Sequence[int]) -> str:
        """Return the name of the place."""
        return list(PLACES)[state[0]]

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the place that a road leads to."""
        return self.format(self.play(state, move))

    def board(self) -> Board:
        """Return the plan of the town."""
        places = list(PLACES)
        roads = tuple((places.index(one), places.index(other)) for one, other in ROADS)
        return Board(tuple(PLACES.values()), roads, shape="point")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the places' names, with brackets around the walker's."""
        return [f"[{place}]" if place == self.format(state) else place for place in PLACES]

    def known(self) -> Mapping[str, Any]:
        """Return the distances in kilometres, counted by hand on the plan."""
        histogram = {0: 1, 1: 1, 2: 2, 3: 2, 4: 1, 5: 1, 6: 1}
        return {"states": 9, "reachable": 9, "start": "3", "deepest": 6, "histogram": histogram}
