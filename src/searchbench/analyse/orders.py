"""Orders of pieces that look alike: the states of a pattern, numbered, and how a move changes the numbers.

Pieces of one *kind* look alike. The pieces of a state, read cell by cell and kind by kind, are an *order*: which piece of its
kind comes first, which second, and so on. A state is its pattern and its order. A move that takes one pattern to another
changes every order in the same way (Gasser 1995, section 6.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.jit import popcount
from searchbench.rules import State

LARGEST: Final = 1 << 16
"""How many orders a pattern may have: their numbers are kept in two bytes."""


class Kinds(NamedTuple):
    """Hold the kind of each piece, its place among those of its kind, and of each kind the first entry of an order.

    An order has an entry for each piece, kind by kind; `pieces` are the pieces of the order 0, and `first` has one entry more.
    """

    kind: Any
    place: Any
    first: Any
    pieces: Any


def kinds_of(kinds: Sequence[int]) -> Kinds:
    """Return the kernels' tables of the pieces' kinds, which are 0, 1, 2, ... Raises BadRequest."""
    sizes = [list(kinds).count(kind) for kind in range(1 + max(kinds))]
    if prod(map(factorial, sizes)) > LARGEST:
        raise BadRequest(f"a pattern with {prod(map(factorial, sizes)):,} completions: expected at most {LARGEST:,}")
    place = [list(kinds[:piece]).count(kind) for piece, kind in enumerate(kinds)]
    pieces = sorted(range(len(kinds)), key=lambda piece: (kinds[piece], piece))
    first = np.cumsum([0, *sizes])
    return Kinds(*(np.array(one, np.int64) for one in (kinds, place, first, pieces)))


def orders(kinds: Kinds) -> int:
    """Return how many orders there are."""
    return prod(factorial(int(size)) for size in np.diff(kinds.first))


def rank_order(order: Any, kinds: Kinds) -> int:
    """Return the number of an order: the lexicographic ranks of the kinds' permutations, the first kind's counting most."""
    number = 0
    for kind in range(len(kinds.first) - 1):
        seen = 0
        for at in range(kinds.first[kind], kinds.first[kind + 1]):
            place = order[at]
            number = number * (kinds.first[kind + 1] - at) + place - popcount(seen & ((1 << place) - 1))
            seen |= 1 << place
    return int(number)


def unrank_order(number: int, order: Any, kinds: Kinds) -> None:
    """Write the order that has a number."""
    for kind in range(len(kinds.first) - 2, -1, -1):
        begin, end = kinds.first[kind], kinds.first[kind + 1]
        for at in range(end - 1, begin - 1, -1):
            order[at] = number % (end - at)
            number //= end - at
            for later in range(at + 1, end):
                order[later] += 1 if order[later] >= order[at] else 0


def order_of(state: State, order: Any, filled: Any, kinds: Kinds) -> None:
    """Write the order of a state; `filled` is scratch space for as many entries as there are kinds."""
    for kind in range(len(kinds.first) - 1):
        filled[kind] = kinds.first[kind]
    for cell in range(len(kinds.kind)):
        kind = kinds.kind[state[cell]]
        order[filled[kind]] = kinds.place[state[cell]]
        filled[kind] += 1


def reorder(state: State, order: Any, filled: Any, kinds: Kinds) -> None:
    """Give the pieces of a state another order."""
    for kind in range(len(kinds.first) - 1):
        filled[kind] = kinds.first[kind]
    for cell in range(len(kinds.kind)):
        kind = kinds.kind[state[cell]]
        state[cell] = kinds.pieces[kinds.first[kind] + order[filled[kind]]]
        filled[kind] += 1


def compose(change: int, kinds: Kinds, out: Any) -> None:
    """Write for each order the number of that which a move makes of it that makes `change` of the order 0."""
    length = len(kinds.pieces)
    by, order, after = np.zeros(length, np.int64), np.zeros(length, np.int64), np.zeros(length, np.int64)
    unrank_order(change, by, kinds)
    for number in range(len(out)):
        unrank_order(number, order, kinds)
        for kind in range(len(kinds.first) - 1):
            for at in range(kinds.first[kind], kinds.first[kind + 1]):
                after[at] = order[kinds.first[kind] + by[at]]
        out[number] = rank_order(after, kinds)


class Changes:
    """Hold for each change of the order 0 that has come up its effect on every order: a row of `table`.

    `row_of` gives the row of a change, -1 where there is none yet.
    """

    def __init__(self, kinds: Kinds, target: jit.Target) -> None:
        self.kinds = kinds
        self.row_of = np.full(orders(kinds), -1, np.int32)
        self.table = np.zeros((0, orders(kinds)), np.uint16)
        self._compose = jit.bind(compose, jit.Names({}, target))

    def add(self, change: int) -> None:
        """Work out the row of a change."""
        row = np.zeros((1, orders(self.kinds)), np.uint16)
        self._compose(change, self.kinds, row[0])
        self.row_of[change] = len(self.table)
        self.table = np.concatenate([self.table, row])
