"""Compute the codes that a reduced database stores from those of a whole one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange.space import release, untouched
from searchbench.index.protocol import Part
from searchbench.store import plies
from searchbench.store.codes import PIECE, Array, as_type, type_for
from searchbench.store.reductions import BEST_MOVE, EVERY, FILLED, MARKED, PARITY, KeptForm, Reduction
from searchbench.values.ending import WIN

if TYPE_CHECKING:
    from searchbench.store.database import Database

BLOCK: Final = 1 << 18
"""Number of codes processed at a time."""


class ReducedCodes:
    """Compute the stored codes of a reduction; `counts` are those of the whole codes.

    A number that needs no code repeats the code before it, so that it compresses well.
    """

    modulus = 0

    def __init__(self, database: Database, wanted: KeptForm) -> None:
        assert wanted.reduction is not None
        self._source, self.rule = database, wanted.rule
        self.dtype = database.dtype if wanted.rule == database.rule else np.dtype(np.uint8)
        step, remainder = wanted.reduction.step, wanted.reduction.remainder
        if wanted.reduction.name == EVERY and remainder < 0:
            remainder = self._least_kept(step)
        self.reduction = Reduction(wanted.reduction.name, self.dtype.name, step, remainder)
        names = database.game.names(database.rule, database.game.quickest_target)
        self._kernel: Callable[..., Any] = jit.bind(_KERNELS[self.reduction.name], names)
        self._spare = self.rule.filler
        self._table: Array = np.empty(0, self.dtype)
        self._present: set[Part] = set()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Return the size of the number line."""
        return self._source.size

    @property
    def header_type(self) -> np.dtype[Any]:
        """Return the smallest type for all codes, whole and stored."""
        return max(self.dtype, *map(self.stored_type, self._source.parts), key=lambda dtype: dtype.itemsize)

    def stored_type(self, part: Part) -> np.dtype[Any]:
        """Return the smallest type for the stored codes of a part."""
        if self.reduction.name == BEST_MOVE:
            return type_for(self._source.game.max_moves)
        illegal = int(np.iinfo(self.dtype).max)
        return type_for(max((code for code in self.counts(part) if code != illegal), default=0))

    def code(self, number: int) -> int:
        """Return the stored code of one number, without regard to the numbers before it."""
        part = next(part for part in self._source.parts if part.start <= number < part.stop)
        return int(self.read(part, number, number + 1)[0])

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the stored codes of the numbers first .. stop - 1 of a part."""
        if self.reduction.name in {EVERY, BEST_MOVE, PARITY}:
            self._bring(part)
        pieces = [self._piece(part, some, min(some + BLOCK, stop)) for some in range(first, stop, BLOCK)]
        return np.concatenate(pieces) if pieces else np.empty(0, self.dtype)

    def counts(self, part: Part) -> dict[int, int]:
        """Return how often each whole code occurs in a part, including the mark of numbers that are no position."""
        found: dict[int, int] = {}
        for code, count in self._source.part_counts(part).items():
            other = int(self._recoded(np.array([code], self._source.dtype))[0])
            found[other] = found.get(other, 0) + count
        return dict(sorted(found.items()))

    def whole(self) -> Array:
        """Return all stored codes in one array."""
        return np.concatenate([self.read(part, part.start, part.stop) for part in self._source.parts])

    def close(self) -> None:
        """Release the table."""
        self._table = np.empty(0, self.dtype)

    def _piece(self, part: Part, first: int, stop: int) -> Array:
        out = np.empty(stop - first, np.int64)
        illegal, shift = self._source.illegal, self._source.rule.depth_shift
        lost = -1
        if self.reduction.name == MARKED:
            codes = self._recoded(self._source.read(part, first, stop))
            return np.where(codes == 255, 0, codes).astype(np.uint8)
        if self.reduction.name == FILLED:
            codes = self._source.read(part, first, stop)
            self._kernel(codes, illegal, first, out)
            out = np.where(out == plies.UNTOLD, out, self._recoded(codes))
        elif self.reduction.name == EVERY:
            every = self.reduction.step, self.reduction.remainder
            lost = self._kernel(self._table, illegal, first, *every, shift, out)
        elif self.reduction.name == BEST_MOVE:
            lost = self._kernel(self._table, illegal, first, shift, out)
        else:
            lost = self._kernel(self._table, illegal, first, out)
        if lost >= 0:
            raise BadRequest(f"form {self.reduction.name!r}: {self._why(lost)}; use the form 'filled'")
        return _filled(out, self._spare).astype(self.stored_type(part))

    def _why(self, number: int) -> str:
        text = self._source.position(number).text
        if self.reduction.name == PARITY:
            return f"a move from {text!r} does not change `alternates`"
        if self.reduction.name == EVERY:
            return f"{text!r} is at depth 0 but not at the end, as some moves cost nothing"
        return f"no best move of {text!r} brings the end nearer, as some moves cost nothing"

    def _recoded(self, codes: Array) -> Array:
        """Convert codes of the source to codes of the stored rule."""
        if self.rule == self._source.rule:
            return as_type(codes, self.dtype)
        found: Array = self._source.rule.endings(codes).astype(np.uint8)
        if self._source.rule.tells_losses and not self.rule.tells_losses:
            found = (found == WIN).astype(np.uint8)
        found[codes == self._source.illegal] = 255
        return found

    def _bring(self, part: Part) -> None:
        """Load the codes of a part and of its successors' parts."""
        if self._source.path is None:
            self._table = self._source.codes
            return
        with self._lock:
            needed = {one for one in self._source.parts if one == part or one.name in part.needs}
            if not len(self._table):
                self._table = untouched(self.size, self.dtype)
            for one in self._present - needed:
                release(self._table, one.start, one.stop)
            for one in needed - self._present:
                for first in range(one.start, one.stop, PIECE):
                    stop = min(first + PIECE, one.stop)
                    self._table[first:stop] = self._source.read(one, first, stop)
            self._present = needed

    def _least_kept(self, step: int) -> int:
        """Return the remainder that the fewest depths have."""
        shift, kept = self.rule.depth_shift, [0] * step
        for part in self._source.parts:
            for code, count in self._source.part_counts(part).items():
                if code not in (0, self._source.illegal):
                    kept[((code - 1) >> shift) % step] += count
        return kept.index(min(kept))


def _filled(codes: Array, spare: int) -> Array:
    """Replace each UNTOLD by the last known code before it, else by the first known code, else by `spare`."""
    known = np.flatnonzero(codes != plies.UNTOLD)
    if not len(known):
        return np.full(len(codes), spare, codes.dtype)
    last = np.zeros(len(codes), np.int64)
    last[known] = known
    last[: known[0]] = known[0]
    found: Array = codes[np.maximum.accumulate(last)]
    return found


_KERNELS: Final[dict[str, Callable[..., Any]]] = {
    FILLED: plies.keep_untold,
    MARKED: plies.keep_untold,
    EVERY: plies.keep_depths,
    BEST_MOVE: plies.keep_moves,
    PARITY: plies.keep_class,
}
