"""Restore the whole codes of a reduced database by the rules and a search of a few plies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import DamagedData
from searchbench.exchange.decisions import reduce_max
from searchbench.exchange.space import untouched
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.store import plies
from searchbench.store.codes import Array, Codes, as_type, type_for
from searchbench.store.header import PartRecord
from searchbench.store.reductions import BEST_MOVE, EVERY, MARKED, PARITY, Reduction
from searchbench.store.searching import CodeSearch, TooMany
from searchbench.values import ValueRule

BLOCK: Final = 1 << 16
"""Number of numbers a thread processes at a time."""
MANY: Final = 5000
"""After searching this many states one by one, restore whole parts, if the number line has at most LARGEST numbers."""
LARGEST: Final = 1 << 24
PATH: Final = 1 << 16
"""Number of states on a line of best moves that get their codes at once."""


def restored(
    stored: Codes,
    reduction: Reduction,
    records: Sequence[PartRecord],
    game: Game,
    rule: ValueRule,
) -> RestoredCodes:
    """Return the whole codes of a reduced database with the codes `stored`."""
    kinds = {MARKED: MarkedCodes, EVERY: SearchedCodes, PARITY: SearchedCodes, BEST_MOVE: SearchedCodes}
    return kinds.get(reduction.name, RestoredCodes)(stored, reduction, records, game, rule)


class RestoredCodes:
    """Read all codes where those that the rules imply are omitted."""

    modulus = 0

    def __init__(
        self,
        stored: Codes,
        reduction: Reduction,
        records: Sequence[PartRecord],
        game: Game,
        rule: ValueRule,
    ) -> None:
        self._stored, self._reduction, self._game = stored, reduction, game
        self._parts = [record.part for record in records]
        self._counts = {record.name: dict(record.counts) for record in records}
        self._dtype = np.dtype(reduction.dtype)
        self._illegal = int(np.iinfo(self._dtype).max)
        self._names = game.names(rule, game.quickest_target)
        self._search = CodeSearch(game, rule, reduction, stored.code)
        self._last = (-1, 0)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a whole code."""
        return self._dtype

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return self._stored.size

    def code(self, number: int) -> int:
        """Return the whole code of one number, by interpreted rules."""
        last, code = self._last
        if last != number:
            code = self._code(number)
            self._last = (number, code)
        return code

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the whole codes of the numbers first .. stop - 1 of a part."""
        codes = as_type(self._stored.read(part, first, stop), self._dtype)
        codes = codes if codes.flags.writeable else codes.copy()
        jit.bind(plies.tell, self._names)(codes, self._illegal, first)
        return codes

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each whole code occurs in a part, from the header."""
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
        """Drop cached codes."""
        self._last = (-1, 0)
        self._stored.close()

    def _code(self, number: int) -> int:
        _, code = self._search.told(number)
        return code if code != plies.UNTOLD else self._stored.code(number)


class MarkedCodes(RestoredCodes):
    """Read codes where 0 marks numbers that are no position."""

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the codes of the numbers first .. stop - 1 of a part."""
        codes = self._stored.read(part, first, stop)
        return np.where(codes == 0, self._illegal, codes).astype(self._dtype)

    def _code(self, number: int) -> int:
        return self._stored.code(number) or self._illegal


class SearchedCodes(RestoredCodes):
    """Search for omitted codes.

    Single numbers are searched by interpreted rules. After many, their part and all parts it needs are restored once
    and stay in memory: a code and a mark per number.
    """

    def __init__(
        self,
        stored: Codes,
        reduction: Reduction,
        records: Sequence[PartRecord],
        game: Game,
        rule: ValueRule,
    ) -> None:
        super().__init__(stored, reduction, records, game, rule)
        self._codes: Array = np.empty(0, self._dtype)
        self._missing: Array = np.empty(0, np.uint8)
        self._present: set[str] = set()
        self._lock = threading.Lock()
        if self.size <= LARGEST:
            self._search.allow(MANY)

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the whole codes of the numbers first .. stop - 1 of a part."""
        with self._lock:
            if part.name not in self._present:
                self._bring(self._closure(part))
        found = self._codes[first:stop]
        found.flags.writeable = False
        return found

    def close(self) -> None:
        """Drop cached codes."""
        with self._lock:
            self._present.clear()
            self._codes, self._missing = np.empty(0, self._dtype), np.empty(0, np.uint8)
        super().close()

    # --- many numbers --------------------------------------------------------------------------------------------------

    def _closure(self, part: Part) -> list[Part]:
        """Return a part and all parts that its moves lead to, except those restored already."""
        found, queue = set(), [part.name]
        needs = {one.name: one.needs for one in self._parts}
        while queue:
            name = queue.pop()
            if name not in found and name not in self._present:
                found.add(name)
                queue += [need for need in needs[name] if need in needs]
        return [one for one in self._parts if one.name in found]

    def _bring(self, parts: Sequence[Part]) -> None:
        """Restore all codes of some parts; the other parts they need are restored already."""
        by_move = self._reduction.name == BEST_MOVE
        if not len(self._codes):
            self._codes = untouched(self.size, self._dtype)
            self._missing = untouched(self.size, type_for(self._game.max_moves) if by_move else np.dtype(np.uint8))
        blocks = [
            (part, first, min(first + BLOCK, part.stop))
            for part in parts
            for first in range(part.start, part.stop, BLOCK)
        ]
        with Run() as run:
            begin = jit.bind(plies.begin, self._names)
            by_class = self._reduction.name == PARITY

            def load(block: tuple[Part, int, int]) -> None:
                stored = self._stored.read(*block)
                begin(self._codes, self._missing, stored, self._illegal, block[1], by_class, by_move)

            run.map(load, blocks)
            pieces = [block[1:] for block in blocks]
            work = self._follow if by_move else self._gather
            for _ in range(self._reduction.step - 1 if self._reduction.name == EVERY else 1):
                work(run, pieces)
        self._present |= {part.name for part in parts}

    def _gather(self, run: Run, pieces: list[tuple[int, int]]) -> None:
        run.launch(jit.bind(plies.gather_missing, self._names), pieces, self._codes, self._missing, jit.FIRST, jit.STOP)

    def _follow(self, run: Run, pieces: list[tuple[int, int]]) -> None:
        kernel = jit.bind(plies.follow_moves, self._names)
        room = jit.PerThread(lambda: np.zeros((2, PATH), np.int64))
        found = run.launch(kernel, pieces, self._codes, self._missing, jit.FIRST, jit.STOP, room[0], room[1])
        lost = reduce_max(found, -1)
        if lost >= 0:
            raise self._damaged(lost)

    def _damaged(self, number: int) -> DamagedData:
        text = self._game.format(self._game.unrank(number))
        return DamagedData(f"{self._game}: the stored table does not lead to a value of {text!r} (number {number})")

    def _code(self, number: int) -> int:
        part = next(part for part in self._parts if part.start <= number < part.stop)
        if part.name in self._present:
            return int(self._codes[number])
        try:
            code = self._search.code(number)
        except TooMany:
            return int(self.read(part, number, number + 1)[0])
        if code is None:
            raise self._damaged(number)
        return code
