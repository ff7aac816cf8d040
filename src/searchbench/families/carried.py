"""Some pieces of one kind on a turning puzzle, numbered so that turns are table look-ups.

The number combines the set of places that the pieces occupy, their order, and their twists. A turn's effect on order
and twists depends on the set of places alone: it is one of a few *actions*. So four small tables give the number after
a turn (Korf 1997, pattern databases of the cube).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.families.places import Kind, places_of
from searchbench.index.permutation import nth_one_bit
from searchbench.jit import popcount
from searchbench.rules import State

Array = npt.NDArray[Any]
MOST: Final = 8
"""Largest number of distinguished pieces: their orders must fit the tables."""
BITS: Final = 5
"""Bits per place in a word that contains the piece on every place; a twist takes two."""


class Tables(NamedTuple):
    """Tables of turns: [set of places, move] to the next set and the action; [order or twists, action] to the next ones."""

    sets: Array
    actions: Array
    orders: Array
    twists: Array


@dataclass(frozen=True)
class Pieces:
    """Number the placements and twists of `count` pieces of a kind.

    For each place a cell contains 0, or 1 and the index in the pattern of the piece there; further cells contain the
    twist on each place. Sets of places are numbered with the last place most significant, orders lexicographically,
    twists as digits; the last twist is left out if the others determine it.
    """

    kind: Kind
    count: int

    def __post_init__(self) -> None:
        if not (self.kind.leave and 1 <= self.count <= min(MOST, self.kind.places) and self.kind.places <= 12):
            raise BadRequest(
                f"{self.count} pieces of {len(self.kind.names)}: expected 1 to {MOST} that leave their places"
            )

    @property
    def width(self) -> int:
        """Return the number of cells: one per place, and one per twist."""
        return 2 * self.kind.places

    @property
    def orders(self) -> int:
        """Return the number of orders."""
        return factorial(self.count)

    @property
    def digits(self) -> int:
        """Return the number of twists that determine all."""
        return self.count - (self.kind.balanced and self.count == self.kind.places)

    @property
    def twists(self) -> int:
        """Return the number of combinations of twists."""
        return int(self.kind.ways**self.digits)

    @property
    def size(self) -> int:
        """Return the number of sets of places times that of orders and twists."""
        return comb(self.kind.places, self.count) * self.orders * self.twists

    @cached_property
    def tables(self) -> Tables:
        """Return the tables of all turns by any number of steps; a column is ``4 * turn + steps``. Raises BadRequest."""
        kind, count = self.kind, self.count
        sets = sorted(combinations(range(kind.places), count), key=_set_number)
        number_of = {places: number for number, places in enumerate(sets)}
        order = len(kind.turns[0].cycle)
        after = np.zeros((len(sets), len(kind.turns) * order), np.uint16)
        acted = np.zeros_like(after)
        actions: dict[tuple[tuple[int, int], ...], int] = {}
        carried = [self.carried(turn, power) for turn in range(len(kind.turns)) for power in range(order)]
        for move, (sources, added) in enumerate(carried):
            goes_to = np.argsort(sources).tolist()
            for number, places in enumerate(sets):
                held = sorted(goes_to[place] for place in places)
                after[number, move] = number_of[tuple(held)]
                action = tuple((places.index(sources[place]), added[place]) for place in held)
                acted[number, move] = actions.setdefault(action, len(actions))
        if self.twists > 1 << 16 or len(actions) > 1 << 16:
            raise BadRequest(f"{self.twists:,} twists and {len(actions):,} actions: too many for a table of turns")
        return Tables(after, acted, self._orders(list(actions)), self._twists(list(actions)))

    def carried(self, turn: int, power: int) -> tuple[list[int], list[int]]:
        """Return for each place the origin of its piece after some steps of a turn, and the twist added."""
        sources, added = places_of((self.kind.names,), self.kind.turns).carried(turn, power)
        return sources[: self.kind.places], added[self.kind.places :]

    def _orders(self, actions: list[tuple[tuple[int, int], ...]]) -> Array:
        lines = np.array(list(permutations(range(self.count))), np.int64)
        weights = self.count ** np.arange(self.count - 1, -1, -1)
        codes = lines @ weights
        after = [np.searchsorted(codes, lines[:, [slot for slot, _ in action]] @ weights) for action in actions]
        return np.stack(after, axis=1).astype(np.uint16)

    def _twists(self, actions: list[tuple[tuple[int, int], ...]]) -> Array:
        ways, digits = self.kind.ways, self.digits
        lines = np.indices((ways,) * digits).reshape(digits, -1).T
        if digits < self.count:
            lines = np.concatenate([lines, -lines.sum(axis=1, keepdims=True) % ways], axis=1)
        weights = ways ** np.arange(digits - 1, -1, -1)
        after = []
        for action in actions:
            slots, added = zip(*action, strict=True)
            after.append(((lines[:, slots] + np.array(added)) % ways)[:, :digits] @ weights)
        return np.stack(after, axis=1).astype(np.uint16)

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        places, count, ways, digits = self.kind.places, self.count, self.kind.ways, self.digits
        orders, twists = self.orders, self.twists
        choose = binomials()
        number_of = numbering([self])

        def rank(state: State) -> int:
            held = 0
            twisted = 0
            for place in range(places):
                held |= int(state[at + place]) << (BITS * place)
                twisted |= int(state[at + places + place]) << (2 * place)
            return int(number_of(held, twisted, 0))

        def unrank(number: int, state: State) -> None:
            twist = number % twists
            order = number // twists % orders
            rest = number // twists // orders
            for cell in range(2 * places):
                state[at + cell] = 0
            held = 0
            for slot in range(count - 1, -1, -1):
                place = slot
                while choose[place + 1, slot + 1] <= rest:
                    place += 1
                rest -= choose[place, slot + 1]
                held |= place << (4 * slot)
            total = 0
            for slot in range(digits - 1, -1, -1):
                state[at + places + (held >> (4 * slot) & 15)] = twist % ways
                total += twist % ways
                twist //= ways
            if digits < count:
                state[at + places + (held >> (4 * digits) & 15)] = -total % ways
            free = (1 << count) - 1
            weight = orders
            for slot in range(count):
                weight //= count - slot
                piece = nth_one_bit(free, order // weight)
                order %= weight
                free ^= 1 << piece
                state[at + (held >> (4 * slot) & 15)] = piece + 1

        return rank, unrank


def _set_number(places: tuple[int, ...]) -> int:
    return sum(comb(place, slot + 1) for slot, place in enumerate(places))


def binomials() -> Array:
    """Return ``choose[n, k]`` for the places of a puzzle."""
    return np.array([[comb(n, k) for k in range(MOST + 1)] for n in range(14)], np.int64)


def numbering(some: list[Pieces]) -> Any:
    """Return ``number_of(held, twisted, which)``: the number of the pieces of one of several kinds."""
    choose = binomials()
    places, count = np.array([one.kind.places for one in some]), np.array([one.count for one in some])
    ways, digits = np.array([one.kind.ways for one in some]), np.array([one.digits for one in some])
    orders, twists = np.array([one.orders for one in some]), np.array([one.twists for one in some])

    def number_of(held: int, twisted: int, which: int) -> int:
        total = count[which]
        free = (1 << total) - 1
        slot = 0
        set_number = 0
        order = 0
        twist = 0
        for place in range(places[which]):
            piece = (held >> (BITS * place) & 31) - 1
            if piece >= 0:
                set_number += choose[place, slot + 1]
                order = order * (total - slot) + popcount(free & ((1 << piece) - 1))
                free ^= 1 << piece
                if slot < digits[which]:
                    twist = twist * ways[which] + (twisted >> (2 * place) & 3)
                slot += 1
        return (set_number * orders[which] + order) * twists[which] + twist  # type: ignore[no-any-return]

    return number_of


def stepping(some: list[Pieces]) -> Any:
    """Return ``number_after(number, move, which)``: the number after a turn of the pieces of one of several kinds."""
    moves = some[0].tables.sets.shape[1]
    flat: list[Array] = []
    begins = np.zeros((len(some), 4), np.int64)
    length = 0
    for which, one in enumerate(some):
        for place, table in enumerate(one.tables):
            begins[which, place] = length
            length += table.size
            flat.append(table.reshape(-1))
    entries = np.concatenate(flat)
    actions = np.array([one.tables.orders.shape[1] for one in some])
    orders, twists = np.array([one.orders for one in some]), np.array([one.twists for one in some])

    def number_after(number: int, move: int, which: int) -> int:
        pieces = number // twists[which]
        twist = number - pieces * twists[which]
        places = pieces // orders[which]
        order = pieces - places * orders[which]
        row = places * moves + move
        action = entries[begins[which, 1] + row]
        after = entries[begins[which, 0] + row] * orders[which]
        after += entries[begins[which, 2] + order * actions[which] + action]
        return after * twists[which] + entries[begins[which, 3] + twist * actions[which] + action]  # type: ignore[no-any-return]

    return number_after
