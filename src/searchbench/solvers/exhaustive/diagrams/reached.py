"""A diagram of the states that moves reach from the start: numbers for a game that has none, or has far too many.

The states are found one by one, packed into words; sorted, they go into the diagram in one pass, which keeps equal ends once
(Daciuk et al. 2000, "Incremental construction of minimal acyclic finite-state automata", section 3). Where symmetric states
share a number, only representatives are listed. So any game that can be played can be solved, of as many states as fit.
"""

from __future__ import annotations

import time
from collections.abc import MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.abstraction import Abstraction
from searchbench.errors import BadGame, BadRequest
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.index.diagram import Diagram
from searchbench.index.digits import WHOLE, WORD, Digit, Digits, Field
from searchbench.jit import inlined, unowned, unsigned
from searchbench.numbered import numbered, without_diagram
from searchbench.rules import SYMMETRIC, UNDECIDED, canonical, moves, new_moves, new_state, play, terminal, unplay
from searchbench.run import Run
from searchbench.solvers.exhaustive.configuration import REACHED
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    FULL,
    Pool,
    copied,
    fill_tables,
    frames_for,
    leaf_of,
    more_room,
    new_pool,
    node_of,
    pool_bytes,
)
from searchbench.solvers.exhaustive.diagrams.sets import add_child

Words = npt.NDArray[np.int64]

WORD_BITS: Final = 63
"""Bits of a word that hold cells, so that words compare as numbers."""
FIELD_BITS: Final = 6
"""Bits of a field of a cell: its contents have codes of one word."""
DIGIT_BITS: Final = 12
"""Bits of a digit's fields together."""
DONE, ROOM, WIDE, NEGATIVE, PAUSED = range(5)
"""Why the search stopped: all states are expanded; no room; a cell's number needs more bits, or is negative; to report."""
EXPANDED, FOUND, CELL, VALUE = range(4)
"""The search's notes."""
FEW: Final = 20
"""States between two looks at the clock while nothing is compiled."""
MANY: Final = 1000
"""States that are listed without compiling, if that does not take longer than PATIENCE, in seconds."""
PATIENCE: Final = 1.0
_LEAST: Final = 1 << 12
_BATCH: Final = 1 << 14
_NAMES: Final = jit.Names({}, "cpu")


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


class Grouping(NamedTuple):
    """Where each digit lies in a packed state: its word, shift and mask; and the code of what is there, [digit, content]."""

    words: Words
    shifts: Words
    masks: Words
    codes: npt.NDArray[np.int16]


def reached_game(game: Game, run: Run, most: int | None = None) -> Game:
    """Return the same game, whose states are numbered by a diagram of those that moves reach from the start.

    Raises BadRequest for a game whose states share numbers, BadGame for negative cells, OutOfMemory, and TooMany where more
    than `most` are reached.
    """
    plain = _numerable(game)
    packing, states = _Reach(plain, run, most).states()
    return numbered(plain, _diagram(plain, packing, states, run))


def start_alone(game: Game) -> Game:
    """Return the same game with a number for its start alone: requests are checked with it, before states are found."""
    plain = _numerable(game)
    start = plain.canonical(plain.start()) if plain.has("canonical") else plain.start()
    packing = packing_of([max(1, value.bit_length()) for value in start])
    words = np.zeros((1, packing.word_count), np.int64)
    for cell, value in enumerate(start):
        words[0, packing.words[cell]] |= value << int(packing.shifts[cell])
    return numbered(plain, _diagram(plain, packing, words, Run()))


def _numerable(game: Game) -> Game:
    """Return the game without numbers of a diagram. Raises BadRequest where its own numbers are those that are needed."""
    plain = without_diagram(game)
    if plain.has("blank"):
        raise BadRequest(f"{plain}: states share numbers, so those that are reached cannot have numbers of their own")
    if isinstance(plain, Abstraction):
        raise BadRequest(
            f"{plain}: searches look an abstraction up by its own numbers; leave out the index {REACHED!r}"
        )
    return plain


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


# --- kernels -------------------------------------------------------------------------------------------------------------


def reach(states: Any, table: Any, packing: Any, goes_on: bool, stop: int, notes: MutableSequence[int]) -> int:
    """Expand the states up to number `stop`; add those that are new to the list and to the hash table. Return why it stopped.

    `goes_on` says whether finished states have successors: a solved puzzle can be moved on.
    """
    states, table, packing = unowned(states), unowned(table), unowned(packing)
    state = new_state()
    after = new_state()
    out = new_moves()
    while notes[EXPANDED] < notes[FOUND]:
        if notes[EXPANDED] >= stop:
            return PAUSED
        if notes[FOUND] + len(out) >= len(states):
            return ROOM
        for cell in range(len(packing.words)):
            word = states[notes[EXPANDED], packing.words[cell]]
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
            refused = pack(after, states, notes[FOUND], packing, notes)
            if refused != DONE:
                return refused
            slot = slot_of(states, table, notes[FOUND])
            if table[slot] < 0:
                table[slot] = notes[FOUND]
                notes[FOUND] += 1
        notes[EXPANDED] += 1
    return DONE


@inlined
def pack(state: Any, states: Any, row: int, packing: Any, notes: Any) -> int:
    """Write a state into a row; return WIDE or NEGATIVE, and note the cell, where its number does not fit."""
    for word in range(states.shape[1]):
        states[row, word] = 0
    for cell in range(len(packing.words)):
        value = int(state[cell])
        if value >> packing.bits[cell] != 0:
            notes[CELL], notes[VALUE] = cell, value
            return NEGATIVE if value < 0 else WIDE
        states[row, packing.words[cell]] |= value << packing.shifts[cell]
    return DONE


@inlined
def slot_of(states: Any, table: Any, row: int) -> int:
    """Return the slot of a state, or the empty one where it belongs."""
    code = 0
    for word in range(states.shape[1]):
        code = mix(code ^ states[row, word])
    slot = code & (len(table) - 1)
    while table[slot] >= 0:
        same = True
        for word in range(states.shape[1]):
            same = same and states[table[slot], word] == states[row, word]
        if same:
            return int(slot)
        slot = (slot + 1) & (len(table) - 1)
    return int(slot)


def fill(states: Any, table: Any, count: int) -> None:
    """Enter so many states in an empty table."""
    states, table = unowned(states), unowned(table)
    for row in range(count):
        table[slot_of(states, table, row)] = row


def add_sorted(
    states: Any, grouping: Any, kept: Any, scratch: Any, at: Any, path: Any, leaf: Any, place: Any, last: int
) -> int:
    """Add ascending states to a diagram from `place` on; return its root, or FULL, after which it goes on with more room.

    `path` has the codes of the state before, `leaf` the codes of the last digit that go with them.
    """
    states, grouping, kept, scratch = unowned(states), unowned(grouping), unowned(kept), unowned(scratch)
    at, path, leaf, place = unowned(at), unowned(path), unowned(leaf), unowned(place)
    while place[0] < len(states):
        row = place[0]
        same = 0
        while same < last and path[same] == code_at(states, row, grouping, same):
            same += 1
        if same < last and close(kept, scratch, at, path, leaf, same, last) == FULL:
            return FULL
        for digit in range(same, last):
            path[digit] = code_at(states, row, grouping, digit)
        leaf[0] |= unsigned(1) << unsigned(code_at(states, row, grouping, last))
        place[0] = row + 1
    if last == 0:
        return leaf_of(kept, scratch, leaf[0], 0, at, True)
    if close(kept, scratch, at, path, leaf, 0, last) == FULL:
        return FULL
    return node_of(kept, scratch, 0, last, at, True)


@inlined
def code_at(states: Any, row: int, grouping: Any, digit: int) -> int:
    """Return the code of a digit of a packed state."""
    content = (states[row, grouping.words[digit]] >> grouping.shifts[digit]) & grouping.masks[digit]
    return int(grouping.codes[digit, content])


@inlined
def close(kept: Any, scratch: Any, at: Any, path: Any, leaf: Any, digit: int, last: int) -> int:
    """Make nodes of all that is open behind a digit; return the last of them, FULL without room."""
    found = ABSENT
    for depth in range(last, digit, -1):
        if depth == last:
            if leaf[0] == unsigned(0):
                continue
            found = leaf_of(kept, scratch, leaf[0], 0, at, True)
        elif at.counts[depth] == 0:
            continue
        else:
            found = node_of(kept, scratch, depth, last, at, True)
        if found == FULL:
            return found
        if depth == last:
            leaf[0] = unsigned(0)
        else:
            at.counts[depth] = 0
            for word in range(at.mask.shape[1]):
                at.mask[depth, word] = unsigned(0)
        before = path[depth - 1]
        at.mask[depth - 1, before >> 6] |= unsigned(1) << unsigned(before & 63)
        add_child(at, depth - 1, found)
    return found


# --- the search ----------------------------------------------------------------------------------------------------------


class _Reach:
    """List the states that are reached, each once; cells get more bits, and arrays more room, where they need it."""

    def __init__(self, game: Game, run: Run, most: int | None = None) -> None:
        self.game, self.run, self.most = game, run, most
        self._bind("interpreted")
        start = game.canonical(game.start()) if game.has("canonical") else game.start()
        if min(start) < 0:
            raise _negative(game, start.index(min(start)))
        self.packing = packing_of([max(1, value.bit_length()) for value in start])
        self.words = np.zeros((max(_LEAST, 4 * game.max_moves), self.packing.word_count), np.int64)
        for cell, value in enumerate(start):
            self.words[0, self.packing.words[cell]] |= value << int(self.packing.shifts[cell])
        self.notes = np.array([0, 1, 0, 0], np.int64)
        self.table = self._table()

    def _bind(self, target: jit.Target) -> None:
        names = self.game.names(target=target)
        self._reach, self._fill = jit.bind(reach, names, target), jit.bind(fill, names, target)

    def states(self) -> tuple[Packing, Words]:
        """Return the states in ascending order of their words. The first ones are expanded without compiling."""
        stop, begun, compiled = FEW, time.process_time(), False
        while True:
            why = self._reach(self.words, self.table, self.packing, not self.game.two_players, stop, self.notes)
            if why == DONE:
                break
            if why == NEGATIVE:
                raise _negative(self.game, int(self.notes[CELL]))
            if why == WIDE:
                self._widen(int(self.notes[CELL]), int(self.notes[VALUE]))
            if why == ROOM:
                self._grow()
            if self.most is not None and self.notes[FOUND] > self.most:
                raise TooMany(f"{self.game}: more than {self.most:,} states are reached")
            if why == PAUSED:
                if not compiled and (stop >= MANY or time.process_time() - begun > PATIENCE):
                    self._bind("cpu")
                    compiled = True
                stop += _BATCH if compiled else FEW
                self.run.progress(f"{self.notes[FOUND]:,} states are reached", int(self.notes[EXPANDED]), 0)
        found = int(self.notes[FOUND])
        self.table = np.empty(0, np.int32)
        self.words.resize((found, self.packing.word_count), refcheck=False)
        if self.packing.word_count == 1:
            self.words[:, 0].sort()
            return self.packing, self.words
        self.run.demand(4 * self.words.nbytes, self._what())
        order = np.lexsort(self.words.T[::-1])
        return self.packing, self.words[order]

    def _what(self) -> str:
        return f"numbering the states of {self.game} that are reached ({self.notes[FOUND]:,} so far)"

    def _table(self) -> npt.NDArray[np.int32]:
        table = np.full(1 << (2 * len(self.words) - 1).bit_length(), -1, np.int32)
        self._fill(self.words, table, int(self.notes[FOUND]))
        return table

    def _grow(self) -> None:
        """Make room for twice as many states."""
        room = 2 * len(self.words)
        if room >= 1 << 31:
            raise BadRequest(f"{self._what()}: more than {1 << 30:,} states cannot be numbered so")
        self.run.demand(room * (8 * self.packing.word_count + 16), self._what())
        self.table = np.empty(0, np.int32)
        self.words.resize((room, self.packing.word_count), refcheck=False)
        self.table = self._table()

    def _widen(self, cell: int, value: int) -> None:
        """Give a cell enough bits for a value; pack all states anew."""
        old, bits = self.packing, self.packing.bits.tolist()
        bits[cell] = value.bit_length()
        self.packing = packing_of(bits)
        packed = np.zeros((len(self.words), self.packing.word_count), np.int64)
        for place in range(len(bits)):
            values = (self.words[:, old.words[place]] >> old.shifts[place]) & ((1 << int(old.bits[place])) - 1)
            packed[:, self.packing.words[place]] |= values << self.packing.shifts[place]
        self.words, self.table = packed, np.empty(0, np.int32)
        self.table = self._table()


def _negative(game: Game, cell: int) -> BadGame:
    return BadGame(
        f"{game}: cell {cell} of a state holds a negative number: states are numbered by what is reached where cells hold "
        "numbers from 0 on"
    )


# --- the diagram ---------------------------------------------------------------------------------------------------------


def _diagram(game: Game, packing: Packing, states: Words, run: Run) -> Diagram:
    """Return the diagram of packed states in ascending order."""
    digits, grouping = grouped(packing, states)
    last, words = len(digits.digits) - 1, -(-digits.most_codes // WORD)
    target: jit.Target = "interpreted" if len(states) < MANY else "cpu"
    add, enter = jit.bind(add_sorted, _NAMES, target), jit.bind(fill_tables, _NAMES, target)
    kept, scratch, at = new_pool(words), new_pool(words, 1, 1, 1), frames_for(digits)
    path, leaf, place = np.full(last + 1, -1, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.int64)
    path[:] = [grouping.codes[digit, _content(states[:1], grouping, digit)[0]] for digit in range(last + 1)]
    while (root := int(add(states, grouping, kept, scratch, at, path, leaf, place, last))) == FULL:
        kept = _with_room(game, kept, words, states.nbytes, run, enter, digits)
        run.progress(f"a diagram of {len(states):,} states", int(place[0]), len(states))
    nodes, edges, leaves = kept.sizes.tolist()
    arrays: dict[str, npt.NDArray[Any]] = {
        "masks": kept.masks[:nodes],
        "children": kept.children[:edges],
        "leaf_masks": kept.leaf_masks[:leaves],
        "leaf_words": kept.leaf_words[:leaves],
        "roots": np.array([root], np.int32),
    }
    return Diagram.of_arrays(digits, 0, arrays)


def _with_room(game: Game, kept: Pool, words: int, beside: int, run: Run, enter: Any, digits: Digits) -> Pool:
    """Return a pool with more room. The frames of the walk stay as they are: others serve to fill its tables."""
    room = more_room(kept)
    run.demand(beside + kept.nbytes + pool_bytes(words, *room), f"a diagram of the states of {game} that are reached")
    made = copied(kept, *room)
    enter(made, frames_for(digits))
    return made


def _content(states: Words, grouping: Grouping, digit: int) -> Any:
    return (states[:, grouping.words[digit]] >> grouping.shifts[digit]) & grouping.masks[digit]


class Piece(NamedTuple):
    """A field of a cell, and where it lies in a packed state: its word, shift and bits."""

    cell: int
    field: Field
    word: int
    shift: int
    bits: int


def pieces_of(packing: Packing) -> list[Piece]:
    """Return the cells as fields of at most 6 bits, highest first."""
    pieces = []
    for cell, (word, shift, bits) in enumerate(zip(*(one.tolist() for one in packing), strict=True)):
        high = bits
        while high > 0:
            low = (high - 1) // FIELD_BITS * FIELD_BITS
            field = Field(low, -1 if high == bits else (1 << (high - low)) - 1)
            pieces.append(Piece(cell, field, word, shift + low, high - low))
            high = low
    return pieces


def grouped(packing: Packing, states: Words) -> tuple[Digits, Grouping]:
    """Return digits of neighbouring fields, as many together as have at most 64 contents, and where they are in a state.

    All contents that occur have a code.
    """
    groups: list[tuple[list[Piece], npt.NDArray[np.int64]]] = []
    for piece in pieces_of(packing):
        joined = [*groups[-1][0], piece] if groups else [piece]
        if groups and joined[0].word == piece.word and _bits(joined) <= DIGIT_BITS:
            contents = _contents(states, joined)
            if len(contents) <= WORD:
                groups[-1] = joined, contents
                continue
        groups.append(([piece], _contents(states, [piece])))
    codes = np.zeros((len(groups), 1 << max(_bits(group) for group, _ in groups)), np.int16)
    for place, (_, contents) in enumerate(groups):
        codes[place, contents] = np.arange(len(contents))
    words, shifts, masks = (
        np.array(one, np.int64)
        for one in zip(*((group[0].word, group[-1].shift, (1 << _bits(group)) - 1) for group, _ in groups), strict=True)
    )
    return Digits(tuple(_digit(*group) for group in groups), (), ()), Grouping(words, shifts, masks, codes)


def _bits(group: list[Piece]) -> int:
    return sum(piece.bits for piece in group)


def _contents(states: Words, group: list[Piece]) -> npt.NDArray[np.int64]:
    """Return the packed contents of neighbouring fields that occur, ascending."""
    occur = np.zeros(1 << _bits(group), bool)
    for first in range(0, len(states), 1 << 20):
        occur[(states[first : first + (1 << 20), group[0].word] >> group[-1].shift) & (len(occur) - 1)] = True
    return np.flatnonzero(occur)


def _digit(group: list[Piece], contents: npt.NDArray[np.int64]) -> Digit:
    """Return the digit of neighbouring fields with these packed contents."""
    columns = [(contents >> (piece.shift - group[-1].shift)) & ((1 << piece.bits) - 1) for piece in group]
    rows = tuple(tuple(map(int, row)) for row in zip(*columns, strict=True))
    fields = tuple(piece.field for piece in group)
    return Digit(tuple(piece.cell for piece in group), rows, (0,) * len(rows), () if set(fields) == {WHOLE} else fields)
