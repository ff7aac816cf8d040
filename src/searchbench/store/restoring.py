"""Whole codes from those that a reduced database keeps: what the rules tell, and a search of a few plies for the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import DamagedData
from searchbench.exchange.table import untouched
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.rules import alternates
from searchbench.run import Run
from searchbench.store import plies
from searchbench.store.codes import Array, Codes, as_type
from searchbench.store.header import PartRecord
from searchbench.store.reductions import BEST_MOVE, EVERY, MARKED, PARITY, Reduction
from searchbench.values import ValueRule

BLOCK: Final = 1 << 16
"""How many numbers a thread works on at a time."""
LONGEST: Final = 1 << 16
"""The moves of the longest line that is followed to its end."""


def restored(
    stored: Codes, reduction: Reduction, records: Sequence[PartRecord], game: Game, rule: ValueRule
) -> RestoredCodes:
    """Return the whole codes of a database of which `stored` is kept."""
    kinds = {MARKED: MarkedCodes, EVERY: SearchedCodes, PARITY: SearchedCodes, BEST_MOVE: SearchedCodes}
    return kinds.get(reduction.name, RestoredCodes)(stored, reduction, records, game, rule)


class RestoredCodes:
    """Read all codes where those that the rules tell are not kept."""

    modulus = 0

    def __init__(
        self, stored: Codes, reduction: Reduction, records: Sequence[PartRecord], game: Game, rule: ValueRule
    ) -> None:
        self._stored, self._reduction, self._game = stored, reduction, game
        self._parts = [record.part for record in records]
        self._counts = {record.name: dict(record.counts) for record in records}
        self._dtype = np.dtype(reduction.dtype)
        self._illegal = int(np.iinfo(self._dtype).max)
        self._compiled = game.names(rule)
        self._interpreted = game.names(rule, "interpreted")
        self._last = (-1, 0)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type of a whole code."""
        return self._dtype

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return self._stored.size

    def code(self, number: int) -> int:
        """Return the whole code of one number, worked out by interpreted rules."""
        last, code = self._last
        if last != number:
            code = self._code(number)
            self._last = (number, code)
        return code

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the whole codes of the numbers first .. stop - 1 of a part."""
        codes = as_type(self._stored.read(part, first, stop), self._dtype)
        codes = codes if codes.flags.writeable else codes.copy()
        jit.bind(plies.tell, self._compiled)(codes, self._illegal, first)
        return codes

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each whole code occurs in a part, as the header tells."""
        return dict(self._counts[part.name])

    def whole(self) -> Array:
        """Return all codes in one array."""
        codes = untouched(self.size, self._dtype)
        for part in self._parts:
            for first in range(part.start, part.stop, BLOCK):
                stop = min(first + BLOCK, part.stop)
                codes[first:stop] = self.read(part, first, stop)
        return codes

    def close(self) -> None:
        """Drop what is in memory."""
        self._last = (-1, 0)
        self._stored.close()

    def _code(self, number: int) -> int:
        _, code = self._told(number)
        return code if code != plies.UNTOLD else self._stored.code(number)

    def _told(self, number: int) -> tuple[list[int], int]:
        """Return the state of a number, and the code that the rules tell, or UNTOLD."""
        state, scratch = [0] * self._game.width, [0] * self._game.width
        told = jit.bind(plies.told, self._interpreted)
        return state, int(told(number, state, scratch, self._illegal))


class MarkedCodes(RestoredCodes):
    """Read codes of which 0 stands for what is no position."""

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part."""
        codes = self._stored.read(part, first, stop)
        return np.where(codes == 0, self._illegal, codes).astype(self._dtype)

    def _code(self, number: int) -> int:
        return self._stored.code(number) or self._illegal


class SearchedCodes(RestoredCodes):
    """Search for codes that are left out.

    One number is searched for by interpreted rules. Where many are read, their part and all that it needs are worked out
    once and stay in memory: a code and a mark a number.
    """

    def __init__(
        self, stored: Codes, reduction: Reduction, records: Sequence[PartRecord], game: Game, rule: ValueRule
    ) -> None:
        super().__init__(stored, reduction, records, game, rule)
        self._codes: Array = np.empty(0, self._dtype)
        self._missing: Array = np.empty(0, np.uint8)
        self._present: set[str] = set()
        self._lock = threading.Lock()

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the whole codes of the numbers first .. stop - 1 of a part."""
        with self._lock:
            if part.name not in self._present:
                self._bring(self._closure(part))
        found = self._codes[first:stop]
        found.flags.writeable = False
        return found

    def close(self) -> None:
        """Drop what is in memory."""
        with self._lock:
            self._present.clear()
            self._codes, self._missing = np.empty(0, self._dtype), np.empty(0, np.uint8)
        super().close()

    # --- many numbers --------------------------------------------------------------------------------------------------

    def _closure(self, part: Part) -> list[Part]:
        """Return a part and all that its moves lead to in the end, but for what is there already."""
        found, queue = set(), [part.name]
        needs = {one.name: one.needs for one in self._parts}
        while queue:
            name = queue.pop()
            if name not in found and name not in self._present:
                found.add(name)
                queue += [need for need in needs[name] if need in needs]
        return [one for one in self._parts if one.name in found]

    def _bring(self, parts: Sequence[Part]) -> None:
        """Work out all codes of some parts, of which the others that they need are there."""
        by_move = self._reduction.name == BEST_MOVE
        if not len(self._codes):
            self._codes = untouched(self.size, self._dtype)
            self._missing = untouched(self.size, np.uint16 if by_move else np.uint8)
        blocks = [
            (part, first, min(first + BLOCK, part.stop))
            for part in parts
            for first in range(part.start, part.stop, BLOCK)
        ]
        with Run() as run:
            begin = jit.bind(plies.begin, self._compiled)
            by_class = self._reduction.name == PARITY

            def load(block: tuple[Part, int, int]) -> None:
                stored = self._stored.read(*block)
                begin(self._codes, self._missing, stored, self._illegal, block[1], by_class, by_move)

            run.map(load, blocks)
            work = self._followed if by_move else self._gathered
            for _ in range(self._reduction.step - 1 if self._reduction.name == EVERY else 1):
                run.map(work, [block[1:] for block in blocks])
        self._present |= {part.name for part in parts}

    def _gathered(self, interval: tuple[int, int]) -> None:
        jit.bind(plies.gather_missing, self._compiled)(self._codes, self._missing, *interval)

    def _followed(self, interval: tuple[int, int]) -> None:
        path, costs = np.zeros((2, LONGEST), np.int64)
        lost = jit.bind(plies.follow_moves, self._compiled)(self._codes, self._missing, *interval, path, costs)
        if lost >= 0:
            raise self._damaged(int(lost))

    def _damaged(self, number: int) -> DamagedData:
        text = self._game.format(self._game.unrank(number))
        return DamagedData(f"{self._game}: what is kept does not lead to a value of {text!r} (number {number})")

    # --- one number ----------------------------------------------------------------------------------------------------

    def _code(self, number: int) -> int:
        if any(part.name in self._present and part.start <= number < part.stop for part in self._parts):
            return int(self._codes[number])
        if self._reduction.name == BEST_MOVE:
            return self._follow(number)
        code = self._search(number, self._reduction.step - 1 if self._reduction.name == EVERY else 1)
        if code is None:
            raise self._damaged(number)
        return code

    def _search(self, number: int, plies_left: int) -> int | None:
        """Return the code of a number, or None if a search of so many plies does not find it."""
        state, code = self._told(number)
        if code != plies.UNTOLD:
            return code
        if self._reduction.name == PARITY:
            if self._call(alternates, state) == 0:
                return self._stored.code(number)
        else:
            code = self._stored.code(number)
            if code != plies.LEFT_OUT:
                return code
        if plies_left == 0:
            return None
        found, weights = [], []
        for after, weight in self._edges(state):
            known = -1 - after if after < 0 else self._search(after, plies_left - 1)
            found.append(0 if known is None else known)
            weights.append(weight)
        code = self._call(plies.gathered, found, weights, len(found))
        return code if code != 0 or self._reduction.name == PARITY else None

    def _follow(self, number: int) -> int:
        """Return the code of a number by following the best moves to their end."""
        costs: list[int] = []
        while True:
            state, code = self._told(number)
            kept = 0 if code != plies.UNTOLD else self._stored.code(number)
            if kept == 0:
                code = max(code, 0)
                break
            edges = self._edges(state)
            if kept > len(edges) or len(costs) == LONGEST:
                raise self._damaged(number)
            number, weight = edges[kept - 1]
            costs.append(weight)
            if number < 0:
                code = -1 - number
                break
        if costs and code == 0:
            raise self._damaged(number)
        for weight in reversed(costs):
            code = self._call(plies.gathered, [code], [weight], 1)
        return code

    def _edges(self, state: list[int]) -> list[tuple[int, int]]:
        """Return what each move leads to, as :func:`searchbench.store.plies.look` writes it, and its weight."""
        out, numbers, weights = ([0] * self._game.max_moves for _ in range(3))
        count = self._call(plies.look, state, list(state), out, numbers, weights)
        return list(zip(numbers[:count], weights[:count], strict=True))

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return jit.bind(kernel, self._interpreted)(*arguments)
