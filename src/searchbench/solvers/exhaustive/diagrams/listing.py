"""List the states that moves reach from the start, each once, packed into words: on all threads, and gone on with after a stop.

States are expanded round by round. In a round all threads look the successors of some states up, in a hash table that nobody
writes; then those that the table lacks are entered, in order. So the list is in the order of breadth-first search, however
many threads there are.
"""

from __future__ import annotations

import time
from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadGame, BadRequest, DamagedData
from searchbench.first_state import check_first_state
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.jit import FIRST, STOP, Rows, inlined, unowned
from searchbench.jit.launching import intervals, note_rows
from searchbench.rules import SYMMETRIC, UNDECIDED, canonical, moves, new_moves, new_state, play, terminal, unplay
from searchbench.run import Run
from searchbench.store.working import WorkingFolder

Words = npt.NDArray[np.int64]

WORD_BITS: Final = 63
"""Bits of a word that hold cells, so that words compare as numbers."""
DONE, WIDE, NEGATIVE = range(3)
"""How a piece of a round ended: well; a cell's number needs more bits, or is negative."""
WHY, COUNT, CELL, VALUE = range(4)
"""The notes of a piece: how it ended, the states that were not found; the cell that did not fit, and its number."""
FEW: Final = 20
"""States of a round while nothing is compiled."""
MANY: Final = 8_000
"""States that are listed without compiling, if that does not take longer than PATIENCE, in seconds."""
PATIENCE: Final = 1.0
PIECES_PER_THREAD: Final = 8
_LEAST: Final = 1 << 12
_SUCCESSORS: Final = 1 << 14
"""Rows for the successors of a piece, if its first state has no more."""


class TooMany(Exception):
    """Tell that more states are reached than shall be listed."""


class Packing(NamedTuple):
    """Where each cell lies in the words of a packed state: its word, how far to shift, its bits. First cells lie highest."""

    words: Words
    shifts: Words
    bits: Words

    @property
    def word_count(self) -> int:
        """Return the number of words."""
        return int(self.words[-1]) + 1

    def cells(self, states: Words, cell: int) -> Words:
        """Return what a cell holds in each of some packed states."""
        mask = (1 << int(self.bits[cell])) - 1
        found: Words = (states[:, self.words[cell]] >> self.shifts[cell]) & mask
        return found


def packing_of(bits: list[int]) -> Packing:
    """Return the places of cells of so many bits."""
    words, shifts, word, left = [], [], 0, WORD_BITS
    for needed in bits:
        if needed > left:
            word, left = word + 1, WORD_BITS
        left -= needed
        words.append(word)
        shifts.append(left)
    return Packing(np.array(words, np.int64), np.array(shifts, np.int64), np.array(bits, np.int64))


def packed_start(game: Game) -> tuple[Packing, Words]:
    """Return the start of a game, packed: int64 [1, words]. Raises BadGame for a negative cell."""
    check_first_state(game)
    start = game.canonical(game.start()) if game.has("canonical") else game.start()
    if min(start) < 0:
        raise _negative(game, start.index(min(start)))
    packing = packing_of([max(1, value.bit_length()) for value in start])
    words = np.zeros((1, packing.word_count), np.int64)
    for cell, value in enumerate(start):
        words[0, packing.words[cell]] |= value << int(packing.shifts[cell])
    return packing, words


# --- kernels -------------------------------------------------------------------------------------------------------------


def expand(
    states: Any, table: Any, packing: Any, goes_on: bool, first: int, stop: int, fresh: Any, notes: MutableSequence[int]
) -> None:
    """Write the successors of the states from `first` to before `stop` that the hash table lacks to `fresh`.

    `goes_on` says whether finished states have successors: a solved puzzle can be moved on.
    """
    states, table, packing, fresh = unowned(states), unowned(table), unowned(packing), unowned(fresh)
    state = new_state()
    after = new_state()
    out = new_moves()
    notes[WHY], notes[COUNT] = DONE, 0
    for row in range(first, stop):
        for cell in range(len(packing.words)):
            word = states[row, packing.words[cell]]
            state[cell] = int((word >> packing.shifts[cell]) & ((1 << packing.bits[cell]) - 1))
        count = 0
        if goes_on or terminal(state) == UNDECIDED:
            count = moves(state, out)
        for index in range(count):
            play(state, out[index])
            for cell in range(len(state)):
                after[cell] = state[cell]
            unplay(state, out[index])
            if SYMMETRIC:
                canonical(after)
            notes[WHY] = pack(after, fresh, notes[COUNT], packing, notes)
            if notes[WHY] != DONE:
                return
            if table[slot_of(states, table, fresh, notes[COUNT])] < 0:
                notes[COUNT] += 1


@inlined
def pack(state: Any, rows: Any, row: int, packing: Any, notes: Any) -> int:
    """Write a state into a row; return WIDE or NEGATIVE, and note the cell, where its number does not fit."""
    for word in range(rows.shape[1]):
        rows[row, word] = 0
    for cell in range(len(packing.words)):
        value = int(state[cell])
        if value >> packing.bits[cell] != 0:
            notes[CELL], notes[VALUE] = cell, value
            return NEGATIVE if value < 0 else WIDE
        rows[row, packing.words[cell]] |= value << packing.shifts[cell]
    return DONE


@inlined
def slot_of(states: Any, table: Any, rows: Any, row: int) -> int:
    """Return the slot of the state of a row, or the empty one where it belongs."""
    code = 0
    for word in range(rows.shape[1]):
        code = mix(code ^ rows[row, word])
    slot = code & (len(table) - 1)
    while table[slot] >= 0:
        same = True
        for word in range(rows.shape[1]):
            same = same and states[table[slot], word] == rows[row, word]
        if same:
            return int(slot)
        slot = (slot + 1) & (len(table) - 1)
    return int(slot)


def enter(states: Any, table: Any, fresh: Any, count: int, found: int) -> int:
    """Add those of `count` states that the table lacks to it and to the list of `found` states; return how many it has then."""
    states, table, fresh = unowned(states), unowned(table), unowned(fresh)
    for row in range(count):
        slot = slot_of(states, table, fresh, row)
        if table[slot] < 0:
            for word in range(fresh.shape[1]):
                states[found, word] = fresh[row, word]
            table[slot] = found
            found += 1
    return found


def fill(states: Any, table: Any, count: int) -> None:
    """Enter so many states in an empty table."""
    states, table = unowned(states), unowned(table)
    for row in range(count):
        table[slot_of(states, table, states, row)] = row


# --- the search ----------------------------------------------------------------------------------------------------------


class Listing:
    """List the states that are reached; cells get more bits, and arrays more room, where they need it.

    A `folder` keeps what is listed from time to time, and is gone on with. More than `most` states raise TooMany.
    """

    def __init__(self, game: Game, run: Run, most: int | None = None, folder: WorkingFolder | None = None) -> None:
        self.game, self.run, self.most, self.folder = game, run, most, folder
        self._bind(compiled=False)
        self.packing, start = packed_start(game)
        self._kept: list[int] = [0]
        self.expanded, self.found = 0, 1
        if folder is not None and folder.record:
            start = self._restored(folder)
            if self.expanded >= MANY:
                self._bind(compiled=True)
        self.states = np.zeros((_room_for(self.found + game.max_moves), self.packing.word_count), np.int64)
        self.states[: self.found] = start
        self.table = self._table()

    def _bind(self, compiled: bool) -> None:
        target: jit.Target = "cpu" if compiled else "interpreted"
        names = self.game.names(target=target)
        self._expand, self._enter, self._fill = (jit.bind(kernel, names, target) for kernel in (expand, enter, fill))
        self._compiled = compiled

    def sorted(self) -> Words:
        """Return the states in ascending order of their words: int64 [states, words]. Raises BadGame and OutOfMemory."""
        begun = time.process_time()
        while self.expanded < self.found:
            if not self._compiled and (self.expanded >= MANY or time.process_time() - begun > PATIENCE):
                self._bind(compiled=True)
            self._round()
            if self.most is not None and self.found > self.most:
                raise TooMany(f"{self.game}: more than {self.most:,} states are reached")
            self.run.progress(f"{self.found:,} states are reached", self.expanded, 0)
            if self.folder is not None and self.folder.due:
                self._keep(self.folder)
        if self.folder is not None and self.folder.record:
            self._keep(self.folder)
        self.table = np.empty(0, np.int32)
        self.states.resize((self.found, self.packing.word_count), refcheck=False)
        if self.packing.word_count == 1:
            self.states[:, 0].sort()
            return self.states
        self.run.demand(4 * self.states.nbytes, self._what())
        return self.states[np.lexsort(self.states.T[::-1])]

    def _round(self) -> None:
        """Expand the next states; where a cell needs more bits, or the list more room, change that and leave them as they are."""
        step = max(1, _SUCCESSORS // self.game.max_moves) if self._compiled else FEW
        most = PIECES_PER_THREAD * self.run.threads if self._compiled else 1
        stop = min(self.found, self.expanded + most * step)
        pieces = intervals(self.expanded, stop, step)
        fresh = np.empty((len(pieces), step * self.game.max_moves + 1, self.packing.word_count), np.int64)
        notes = note_rows(len(pieces), 4)
        self.run.launch(
            self._expand, pieces, self.states, self.table, self.packing, not self.game.two_players, FIRST, STOP,
            Rows(fresh), Rows(notes),
        )  # fmt: skip
        for why, _, cell, value in notes[notes[:, WHY] != DONE].tolist():
            if why == NEGATIVE:
                raise _negative(self.game, cell)
            self._widen(cell, value)
            return
        counts = notes[:, COUNT].tolist()
        if self.found + sum(counts) > len(self.states):
            self._grow(self.found + sum(counts), fresh.nbytes)
        for rows, count in zip(fresh, counts, strict=True):
            self.found = int(self._enter(self.states, self.table, rows, count, self.found))
        self.expanded = stop

    def _what(self) -> str:
        return f"numbering the states of {self.game} that are reached ({self.found:,} so far)"

    def _table(self) -> npt.NDArray[np.int32]:
        table = np.full(2 * len(self.states), -1, np.int32)
        self._fill(self.states, table, self.found)
        return table

    def _grow(self, needed: int, beside: int) -> None:
        """Make room for so many states, `beside` other bytes."""
        room = _room_for(needed)
        if room >= 1 << 31:
            raise BadRequest(f"{self._what()}: more than {1 << 30:,} states cannot be numbered so")
        self.run.demand(room * (8 * self.packing.word_count + 8) + beside, self._what())
        self.table = np.empty(0, np.int32)
        self.states.resize((room, self.packing.word_count), refcheck=False)
        self.table = self._table()

    def _widen(self, cell: int, value: int) -> None:
        """Give a cell enough bits for a value; pack all states anew."""
        old, bits = self.packing, self.packing.bits.tolist()
        bits[cell] = value.bit_length()
        self.packing = packing_of(bits)
        packed = np.zeros((len(self.states), self.packing.word_count), np.int64)
        for place in range(len(bits)):
            packed[:, self.packing.words[place]] |= old.cells(self.states, place) << self.packing.shifts[place]
        self.states, self.table, self._kept = packed, np.empty(0, np.int32), [0]
        self.table = self._table()

    def _keep(self, folder: WorkingFolder) -> None:
        """Keep what is listed; states that were kept before in the same bits stay where they are."""
        still = _names(self._kept)
        if self.found > self._kept[-1]:
            self._kept.append(self.found)
        fresh = _names(self._kept)[len(still) :]
        arrays = {name: self.states[self._kept[-2] : self._kept[-1]].reshape(-1) for name in fresh}
        record = {"expanded": self.expanded, "bits": self.packing.bits.tolist(), "kept": self._kept}
        folder.commit(record, arrays, self.run, still)

    def _restored(self, folder: WorkingFolder) -> Words:
        """Take what an earlier run has listed. Raises DamagedData."""
        self.packing = packing_of(folder.record["bits"])
        self._kept = list(folder.record["kept"])
        self.expanded, self.found = folder.record["expanded"], self._kept[-1]
        pieces = [folder.copy_of(name, self.run) for name in _names(self._kept)]
        states = np.concatenate(pieces).reshape(-1, self.packing.word_count)
        if len(states) != self.found:
            raise DamagedData(f"{folder.path} has {len(states):,} states, expected {self.found:,}: remove the folder")
        return states


def _names(kept: list[int]) -> list[str]:
    """Return the names of the arrays with the states from each of these numbers to the next."""
    return [f"states-{first}" for first in kept[:-1]]


def _room_for(states: int) -> int:
    """Return the number of states to make room for."""
    return max(_LEAST, 1 << (states - 1).bit_length())


def _negative(game: Game, cell: int) -> BadGame:
    return BadGame(
        f"{game}: cell {cell} of a state holds a negative number: states are numbered by what is reached where cells hold "
        "numbers from 0 on"
    )
