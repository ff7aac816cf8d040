"""Plan the effect of a permutation game's moves on the numbers: shifts within a word, rows to rows, and tables.

Bits of a bit vector stand for states: bit ``row * word_bits + place``, where `row` is the lexicographic rank of the
sequence and `word_bits` is the number of places, rounded up to a power of two. A *block* holds all orders of the last
BLOCK elements of the sequence behind one order of the first ones. A move is one of four kinds:

- *shift*: only the place changes: a shift within the words;
- *row map*: the last elements stay, the Lehmer digits of a window change: long rows of bits move unchanged to other rows;
- *local*: only the last BLOCK elements move: a table of 16-bit numbers gives the number within the block;
- *wide*: any other move. The number after it is a base, which depends on the first elements only, plus an entry of a table
  row. The first elements fall into few kinds, each with its own table row.
"""

from __future__ import annotations

from functools import reduce
from math import comb, factorial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.index.sequence import Rearrangement, Sequences
from searchbench.solvers.exhaustive.permutations.orders import (
    parities,
    permutation_ranks,
    prefix_parities,
    selection_ranks,
    selections,
)  # fmt: skip

Array = npt.NDArray[Any]
BLOCK = 8
"""A block has all orders of this many last elements: 8! = 40,320 numbers fit 16 bits and a core's first-level cache."""
LARGEST = 15
"""Most elements: a vector of 16! bits takes 2.6 TB, and the tables of the first eight elements many GB."""
LARGEST_WINDOW = 1 << 22
"""Most entries in the table of a row map."""
LARGEST_WIDE = 1 << 27
"""Most entries in the table of a wide move."""


class RowMap(NamedTuple):
    """A pull of rows of `length` units of 8 or 64 bits: row r of each window comes from row ``source[r]`` of the window."""

    origin: int
    target: int
    bits: int
    length: int
    source: Array


class WideMap(NamedTuple):
    """A map of numbers, ``base[block] + rows[kind[block], number within the block]``: the move to push, or its inverse."""

    push: bool
    base: Array
    kind: Array
    rows: Array


class Local(NamedTuple):
    """Pushes within a block: from place p by the tables first[p] .. first[p + 1] - 1, each to its target place.

    `tables` is [parity of the first elements, table, number within the block]; `mask` has the bits of the origins. `back`
    has, for each table's move, its origin, its target, and the table of its inverse, -1 if there is none.
    """

    first: Array
    targets: Array
    tables: Array
    mask: int
    back: list[tuple[int, int, int]]


class Plan:
    """The action of a permutation game's moves on the bit vector, in blocks of all orders of the last `block` elements.

    Raises BadRequest where streaming does not serve the game. Wide moves need the usual size of a block.
    """

    def __init__(self, game: Sequences, block: int = BLOCK) -> None:
        if not block <= game.n <= LARGEST:
            raise BadRequest(f"sequences of {game.n} elements: streaming takes {block} to {LARGEST}")
        self.game, self.block = game, block
        self.half = 2 if game.even else 1
        self.word_bits = word_bits_of(game)
        if self.word_bits > 64:
            raise BadRequest(f"{game.places} places: streaming takes up to 64")
        self.block_rows = factorial(block) // self.half
        self.block_words = self.block_rows * self.word_bits // 64
        self.blocks = game.rows // self.block_rows
        self.words = self.blocks * self.block_words
        self.parity = prefix_parities(game.n, game.n - block).astype(np.int8)
        self.shifts: list[tuple[int, int]] = []
        self.row_maps: list[RowMap] = []
        self.wide_maps: list[WideMap] = []
        local: list[Rearrangement] = []
        shifts: dict[int, int] = {}
        known: dict[tuple[int, ...], tuple[Array, Array, Array]] = {}
        for move in game.moves:
            first, stop = move.window
            if first == stop:
                shifts[move.target - move.origin] = shifts.get(move.target - move.origin, 0) | 1 << move.origin
            elif first >= game.n - block:
                local.append(move)
            elif (row_map := self._row_map(move, first, stop)) is not None:
                self.row_maps.append(row_map)
            else:
                self.wide_maps.append(self._wide_map(move, known))
        self.shifts = [(distance, self.spread(mask)) for distance, mask in shifts.items()]
        self.local = self._local(sorted(local))

    def spread(self, word: int) -> int:
        """Return 64 bits that repeat the bits of a word."""
        return sum(word << (self.word_bits * lane) for lane in range(64 // self.word_bits))

    @property
    def alternates(self) -> bool:
        """Return whether two bit vectors are enough: every move changes the parity of the place, and none is wide."""
        return self.game.alternates and not self.wide_maps

    def bit(self, number: int) -> int:
        """Return the place of the bit of a state's number."""
        row, place = divmod(number, self.game.places)
        return row * self.word_bits + place

    def number(self, bit: int) -> int:
        """Return the number of the state with this bit."""
        row, place = divmod(bit, self.word_bits)
        return row * self.game.places + place

    @property
    def table_bytes(self) -> int:
        """Return the memory of the tables in bytes."""
        tables = {id(wide.rows): wide.rows.nbytes for wide in self.wide_maps}
        return self.local.tables.nbytes + sum(row_map.source.nbytes for row_map in self.row_maps) + sum(tables.values())

    def _row_map(self, move: Rearrangement, first: int, stop: int) -> RowMap | None:
        n = self.game.n
        entries = factorial(n - first) // factorial(n - stop)
        if stop > n - (self.half > 1) * 2 or entries > LARGEST_WINDOW:
            return None
        row_bits = factorial(n - stop) // self.half * self.word_bits
        if row_bits % 64 == 0:
            bits = 64
        elif row_bits % 8 == 0 and self.game.places == 1 and row_bits > 64:
            bits = 8
        else:
            return None
        window = [place - first for place in move.inverse.order[first:stop]]
        lines = selections(n - first, stop - first)
        source = selection_ranks(lines[:, window], n - first)
        return RowMap(move.origin, move.target, bits, row_bits // bits, source.astype(np.int32))

    def _local(self, moves: list[Rearrangement]) -> Local:
        n, places = self.game.n, self.game.places
        counts = np.bincount([move.origin for move in moves], minlength=places)
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        lines = selections(self.block, self.block)
        odd = parities(lines)
        tables = np.zeros((self.half, max(1, len(moves)), self.block_rows), np.uint16)
        for place, move in enumerate(moves):
            after = permutation_ranks(lines[:, [source - (n - self.block) for source in move.order[n - self.block :]]])
            for parity in range(self.half):
                tables[parity, place] = (after[odd == parity] >> 1) if self.half == 2 else after
        mask = self.spread(int(np.bitwise_or.reduce([0, *(1 << move.origin for move in moves)])))
        targets = np.array([move.target for move in moves] or [0], np.int64)
        number = {move: place for place, move in enumerate(moves)}
        back = [(move.origin, move.target, number.get(move.inverse, -1)) for move in moves]
        return Local(first, targets, tables, mask, back)

    def _wide_map(self, move: Rearrangement, known: dict[tuple[int, ...], tuple[Array, Array, Array]]) -> WideMap:
        if self.game.places > 1 or self.block != BLOCK:
            raise BadRequest(f"the move {move.order} rearranges first and last elements, in a game of several places")
        push, pull = move.order, move.inverse.order
        if pull not in known and (push in known or _kinds(push) <= _kinds(pull)):
            return WideMap(True, *self._tables_of(push, known))
        return WideMap(False, *self._tables_of(pull, known))

    def _tables_of(
        self, order: tuple[int, ...], known: dict[tuple[int, ...], tuple[Array, Array, Array]]
    ) -> tuple[Array, Array, Array]:
        if order not in known:
            tables = _wide_tables(order)
            known[order] = _halved(*tables, self.parity) if self.game.even else tables
        return known[order]


def word_bits_of(game: Sequences) -> int:
    """Return the number of bits for the places of a sequence: `places`, rounded up to a power of two."""
    return 1 << (game.places - 1).bit_length()


def _reaches(order: tuple[int, ...]) -> tuple[list[int], list[int], list[int]]:
    """Return each element's target, and the first elements that land amid the last BLOCK elements and behind all of them."""
    n = len(order)
    goes = [0] * n
    for place, source in enumerate(order):
        goes[source] = place
    behind = [sum(goes[last] > goes[one] for last in range(n - BLOCK, n)) for one in range(n - BLOCK)]
    amid = [one for one in range(n - BLOCK) if 0 < behind[one] < BLOCK]
    after = [one for one in range(n - BLOCK) if behind[one] == 0]
    return goes, amid, after


def _kinds(order: tuple[int, ...]) -> int:
    """Return an upper bound of the number of kinds of first elements."""
    _, amid, after = _reaches(order)
    kinds: int = (BLOCK + 1) ** len(amid) * comb(BLOCK + len(after), len(after))
    return kinds


def _halved(base: Array, kind: Array, rows: Array, parity: Array) -> tuple[Array, Array, Array]:
    """Return the tables for even sequences, whose number is half the rank.

    One of every two consecutive orders of the last elements is even, so a block holds half of them. Half a sum is the sum
    of the halves and a carry, which depends on the parity of the base.
    """
    odd = parities(selections(BLOCK, BLOCK))
    variants, variant = np.unique(np.stack([kind, parity, base & 1], axis=1), axis=0, return_inverse=True)
    halves = [(rows[kept][odd == needed] + carried) >> 1 for kept, needed, carried in variants.tolist()]
    return base >> 1, variant.reshape(-1).astype(np.int32), np.array(halves, rows.dtype)


def _wide_tables(order: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Return base, kind and rows of a wide move.

    The digit of an element after the move counts the smaller elements behind it. Comparisons among the first elements
    depend on them only, and those among the last ones on the number within the block only. A first and a last element
    compare by the number of last elements that are smaller than the first one.
    """
    n = len(order)
    goes, amid, after = _reaches(order)
    weights = [factorial(n - 1 - place) for place in goes]
    firsts = selections(n, n - BLOCK).astype(np.int64)
    smaller = firsts.copy()  # for each first element, the number of smaller last elements
    for one in range(n - BLOCK):
        for other in range(n - BLOCK):
            smaller[:, one] -= firsts[:, other] < firsts[:, one]
    base = np.zeros(len(firsts), np.int64)
    for one in range(n - BLOCK):
        digit = np.zeros(len(firsts), np.int64)
        for other in range(n - BLOCK):
            if goes[other] > goes[one]:
                digit += firsts[:, other] < firsts[:, one]
        if one not in amid and one not in after:
            digit += smaller[:, one]
        base += digit * weights[one]
    key = np.concatenate([smaller[:, amid], np.sort(smaller[:, after], axis=1)], axis=1)
    kinds, kind = np.unique(key, axis=0, return_inverse=True)
    if len(kinds) * factorial(BLOCK) > LARGEST_WIDE:
        raise BadRequest(f"the move {order} needs {len(kinds):,} table rows")
    return base, kind.reshape(-1).astype(np.int32), _wide_rows(kinds, goes, weights, amid, after)


def _wide_rows(kinds: Array, goes: list[int], weights: list[int], amid: list[int], after: list[int]) -> Array:
    n = len(goes)
    lines = selections(BLOCK, BLOCK)
    lasts = range(n - BLOCK, n)
    inner = np.zeros(len(lines), np.int64)
    for one in lasts:
        for other in lasts:
            if goes[other] > goes[one]:
                inner += (lines[:, other - n + BLOCK] < lines[:, one - n + BLOCK]) * weights[one]
    dtype = (
        np.int32 if factorial(n) <= 1 << 31 else np.int64
    )  # an entry is the share of some elements in a rank, below n!
    later = [np.array([goes[one] > goes[last] for last in lasts])[:, None] for one in (*amid, *after)]
    own = np.array([weights[last] for last in lasts])[:, None]
    values = np.arange(BLOCK)
    places = BLOCK ** np.arange(BLOCK // 2 - 1, -1, -1)  # the values of four last elements as a number
    # Lines of the same four elements in front follow each other, and behind these stand the orders of the same four others.
    run = factorial(BLOCK // 2)
    fore, behind = lines[::run, : BLOCK // 2] @ places, (lines[:, BLOCK // 2 :] @ places).reshape(-1, run)
    rear, which = np.unique(behind, axis=0, return_inverse=True)
    rows = np.empty((len(kinds), *behind.shape), dtype)
    among = inner.astype(dtype).reshape(behind.shape)
    for number, kind in enumerate(kinds):
        shares = np.zeros((BLOCK, BLOCK), np.int64)  # a last element's summand, by its value among the last ones
        for one, smaller, lands in zip((*amid, *after), kind, later, strict=True):
            shares += np.where(lands, (smaller <= values) * own, (values < smaller) * weights[one])
        four, other = (reduce(np.add.outer, some.astype(dtype)).ravel() for some in np.split(shares, 2))
        np.add(among, four[fore, None], out=rows[number])
        rows[number] += other[rear][which.ravel()]
    return rows.reshape(len(kinds), -1)
