"""The effect of turns on pieces of one kind, an index of the orders and twists of all kinds, and tables of the turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, permutations
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.index import LexicographicPermutation, Product
from searchbench.rules import NOWHERE, State

Array = npt.NDArray[Any]
LARGEST_TABLE = 500_000
"""Largest number of entries in a table of turns: constants of compiled code stay below a million bytes."""


class Turn(NamedTuple):
    """Move each face of `cycle` to the next, the last to the first, with all pieces that do not show the face `still`.

    If `face` is given, only the pieces that show it move.
    """

    name: str
    cycle: str
    still: str
    face: str = ""


@dataclass(frozen=True)
class Kind:
    """The pieces of one kind: `names` lists the faces of each place; a piece is named after its home place."""

    names: tuple[str, ...]
    turns: tuple[Turn, ...]

    @property
    def places(self) -> int:
        """Return the number of places, which is that of pieces."""
        return len(self.names)

    @property
    def ways(self) -> int:
        """Return the number of orientations of a piece."""
        return len(self.names[0])

    @cached_property
    def sources(self) -> tuple[tuple[int, ...], ...]:
        """Return for each turn and place the origin of the piece that moves there."""
        return tuple(tuple(source for source, _ in self._carried(turn)) for turn in self.turns)

    @cached_property
    def twists(self) -> tuple[tuple[int, ...], ...]:
        """Return for each turn and place the twist of the piece that moves there."""
        return tuple(tuple(twist for _, twist in self._carried(turn)) for turn in self.turns)

    def _carried(self, turn: Turn) -> list[tuple[int, int]]:
        follows = dict(zip(turn.cycle, turn.cycle[1:] + turn.cycle[:1], strict=True))
        place_of = {frozenset(name): place for place, name in enumerate(self.names)}
        carried = [(place, 0) for place in range(self.places)]
        for place, name in enumerate(self.names):
            if turn.still not in name and turn.face in name:
                faces = "".join(follows.get(face, face) for face in name)
                target = place_of[frozenset(faces)]
                twist = self.names[target].index(faces[0])
                if self.word(target, self.ways - twist) != faces:
                    raise BadRequest(f"turn {turn.name}: {name} comes to {self.names[target]} as {faces}, mirrored")
                carried[target] = (place, twist)
        return carried

    @cached_property
    def leave(self) -> bool:
        """Tell whether any turn moves a piece to another place."""
        return any(list(source) != sorted(source) for source in self.sources)

    @cached_property
    def even(self) -> bool:
        """Tell whether every turn is an even permutation of the pieces."""
        return not any(_odd(source) for source in self.sources)

    @cached_property
    def balanced(self) -> bool:
        """Tell whether the twists always sum to whole rotations, so that the others determine the last one."""
        return all(sum(twist) % self.ways == 0 for twist in self.twists)

    @property
    def order_count(self) -> int:
        """Return the number of orders of the pieces."""
        return factorial(self.places) // (1 + self.even) if self.leave else 1

    @property
    def digits(self) -> int:
        """Return the number of twists that determine all."""
        return self.places - self.balanced

    def word(self, piece: int, twist: int) -> str:
        """Return the faces that a piece shows, starting at the first face of its current place."""
        name = self.names[piece]
        return "".join(name[(face - twist) % self.ways] for face in range(self.ways))

    def read(self, word: str) -> tuple[int, int]:
        """Return the piece and the twist that show these faces, or (-1, 0)."""
        for piece in range(self.places):
            for twist in range(self.ways):
                if self.word(piece, twist) == word:
                    return piece, twist
        return -1, 0


def _odd(source: Sequence[int]) -> bool:
    return sum(earlier > later for place, later in enumerate(source) for earlier in source[:place]) % 2 == 1


@dataclass(frozen=True)
class Places:
    """Number the orders and twists of the pieces: ``number of the orders * number of twists + twists``.

    The cells contain the pieces on the places of each kind that moves, then the twists on the places of each kind.
    Orders are numbered lexicographically; twists are digits, without the last one of a balanced kind. For a kind with
    even turns only even orders are numbered.
    """

    kinds: tuple[Kind, ...]

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return sum(kind.places * (1 + kind.leave) for kind in self.kinds)

    @property
    def size(self) -> int:
        """Return the number of orders times that of twists."""
        return prod(kind.order_count * kind.ways**kind.digits for kind in self.kinds)

    @property
    def piece_cells(self) -> list[int]:
        """Return the first cell of each kind's pieces, if they move."""
        return list(accumulate((kind.places * kind.leave for kind in self.kinds), initial=0))[:-1]

    @property
    def twist_cells(self) -> list[int]:
        """Return the first cell of each kind's twists."""
        first = sum(kind.places * kind.leave for kind in self.kinds)
        return list(accumulate((kind.places for kind in self.kinds), initial=first))[:-1]

    @property
    def home(self) -> list[int]:
        """Return the solved state: every piece at home and untwisted."""
        pieces = [piece for kind in self.kinds if kind.leave for piece in range(kind.places)]
        return pieces + [0] * (self.width - len(pieces))

    @property
    def modulus(self) -> list[int]:
        """Return for each twist cell the number of steps in a full rotation (1 for the other cells)."""
        twists = [kind.ways for kind in self.kinds for _ in range(kind.places)]
        return [1] * (self.width - len(twists)) + twists

    def carried(self, turn: int, power: int) -> tuple[list[int], list[int]]:
        """Return the origin of each cell's content after some steps of a turn, and the amount added to it."""
        sources, amounts = list(range(self.width)), [0] * self.width
        for kind, pieces, twists in zip(self.kinds, self.piece_cells, self.twist_cells, strict=True):
            places, added = list(range(kind.places)), [0] * kind.places
            for _ in range(power):
                places = [places[source] for source in kind.sources[turn]]
                added = [
                    (added[source] + twist) % kind.ways
                    for source, twist in zip(kind.sources[turn], kind.twists[turn], strict=True)
                ]
            for place, source in enumerate(places):
                sources[twists + place], amounts[twists + place] = twists + source, added[place]
                if kind.leave:
                    sources[pieces + place] = pieces + source
        return sources, amounts

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        orders = [LexicographicPermutation(kind.places, kind.even) for kind in self.kinds if kind.leave]
        rank_pieces, unrank_pieces = Product(*orders).functions(at)
        first = np.array([at + cell for cell in self.twist_cells], np.int64)
        digits = np.array([kind.digits for kind in self.kinds], np.int64)
        places = np.array([kind.places for kind in self.kinds], np.int64)
        ways = np.array([kind.ways for kind in self.kinds], np.int64)
        kinds = len(self.kinds)

        def rank(state: State) -> int:
            number: int = rank_pieces(state)
            if number < 0:
                return NOWHERE
            for kind in range(kinds):
                total = 0
                for place in range(digits[kind]):
                    twist = state[first[kind] + place]
                    number = number * ways[kind] + twist
                    total += twist
                if digits[kind] < places[kind] and (total + state[first[kind] + digits[kind]]) % ways[kind] != 0:
                    return NOWHERE
            return number

        def unrank(number: int, state: State) -> None:
            for kind in range(kinds - 1, -1, -1):
                total = 0
                for place in range(digits[kind] - 1, -1, -1):
                    twist = number % ways[kind]
                    number //= ways[kind]
                    state[first[kind] + place] = twist
                    total += twist
                if digits[kind] < places[kind]:
                    state[first[kind] + digits[kind]] = -total % ways[kind]
            unrank_pieces(number, state)

        return rank, unrank


@lru_cache(maxsize=32)
def places_of(kinds: tuple[tuple[str, ...], ...], turns: tuple[Turn, ...]) -> Places:
    """Return the index for all kinds."""
    return Places(tuple(Kind(names, turns) for names in kinds))


def orders_table(kind: Kind) -> Array:
    """Return the number of the order after each turn: [number, turn]."""
    if not kind.leave:
        return np.zeros((1, len(kind.turns)), np.int64)
    orders = permutations(range(kind.places))
    lines = np.array([order for order in orders if not (kind.even and _odd(order))], np.int64)
    weights = kind.places ** np.arange(kind.places - 1, -1, -1)
    codes = lines @ weights  # increasing, as the lines are
    return np.stack([np.searchsorted(codes, lines[:, source] @ weights) for source in kind.sources], axis=1)


def twists_table(kind: Kind) -> Array:
    """Return the number of the twists after each turn: [number, turn]."""
    lines = np.indices((kind.ways,) * kind.digits).reshape(kind.digits, -1).T
    if kind.balanced:
        lines = np.concatenate([lines, -lines.sum(axis=1, keepdims=True) % kind.ways], axis=1)
    weights = kind.ways ** np.arange(kind.digits - 1, -1, -1)
    after = [(lines[:, source] + twist) % kind.ways for source, twist in zip(kind.sources, kind.twists, strict=True)]
    return np.stack([line[:, : kind.digits] @ weights for line in after], axis=1)


@lru_cache(maxsize=16)
def table_of_kinds(kinds: tuple[Kind, ...], table_of: Callable[[Kind], Array]) -> Array:
    """Return one table for all kinds together, in the smallest type for its numbers. Raises BadRequest."""
    table = np.zeros((1, len(kinds[0].turns)), np.int64)
    for kind in kinds:
        own = table_of(kind)
        table = (table[:, None, :] * len(own) + own).reshape(-1, len(kind.turns))
    if table.size > LARGEST_TABLE or len(table) > 1 << 16:
        raise BadRequest(f"{len(table):,} orders or twists: too many for a table of turns")
    return table.astype(np.uint16)


def depths(table: Array, powers: tuple[int, ...]) -> Array:
    """Return the distance of each number from home, number 0; a move is a turn by one of the `powers`."""
    found = np.full(len(table), -1, np.int8)
    frontier = np.array([0])
    depth = 0
    while frontier.size:
        found[frontier] = depth
        depth += 1
        after = []
        for turn in range(table.shape[1]):
            numbers = frontier
            for power in range(1, max(powers) + 1):
                numbers = table[numbers, turn]
                after += [numbers] if power in powers else []
        frontier = np.unique(np.concatenate(after))
        frontier = frontier[found[frontier] < 0]
    return found
