"""A position with the class of every empty cell for both players, kept up to date by the changes of each stone.

Cells are *places* of a board with a margin of walls, so that steps along a line need no test for the edge. `place_of`
and `cell_of` convert between places and the cells of a game's state, which are numbered in reading order.

A position is one array of sections, and tables: kernels hand it on with every call, and hand on few things fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadState
from searchbench.jit import inlined, popcount, trailing_zeros, unowned, unsigned
from searchbench.rules import forbids
from searchbench.solvers.proof.gomoku.patterns import (
    CLASS_BITS,
    CLASSES,
    FOUR,
    NOTHING,
    STRENGTH_SHIFT,
    VALUE_SHIFT,
    Rule,
    combined_classes,
    patterns,
)

EMPTY, BLACK, WHITE, WALL = range(4)
"""The contents of a place. Black is player 0, white player 1."""

DIRECTIONS: Final = 4
LARGEST: Final = 25
"""The largest number of columns and rows."""
MARGIN: Final = 5
PLACES: Final = (LARGEST + MARGIN) * (LARGEST + 2 * MARGIN) + MARGIN
WORD: Final = 60
"""The cells in a word of a set."""
WORDS: Final = -(-LARGEST * LARGEST // WORD)

LINE_WORDS: Final = 4
"""The words of a line."""

# The sections of a board. A word of PACKED [place] has each player's classes in four directions, for empty cells; SETS [player,
# class, word] the empty cells of each class, COUNTS their number. A line is four words: the stones of each player, the walls at
# its ends, its first place and direction; its cells have the bits from REACH upwards. LINE_OF [place, direction] packs where
# the words of a place's line are, and the place's number on it. MOVES has the places of the stones in the order in which they
# were put, CHANGES the classes that each has changed, up to MARKS. FORBIDDING tells whether black may not play on some places;
# then CELL_STONES has the state, by cells.
STONES: Final = 0
PACKED: Final = STONES + PLACES
LINE_OF: Final = PACKED + PLACES
LINES: Final = LINE_OF + PLACES * DIRECTIONS
SETS: Final = LINES + LINE_WORDS * 6 * LARGEST
COUNTS: Final = SETS + 2 * CLASSES * WORDS
HASH: Final = COUNTS + 2 * CLASSES
COUNT: Final = HASH + 1
NUMBERS: Final = COUNT + 1
CELL_OF: Final = NUMBERS + 2 * PLACES
PLACE_OF: Final = CELL_OF + PLACES
CELLS: Final = PLACE_OF + LARGEST * LARGEST
REACH: Final = CELLS + 1
STEPS: Final = REACH + 1
FORBIDDING: Final = STEPS + DIRECTIONS
CELL_STONES: Final = FORBIDDING + 1
MOVES: Final = CELL_STONES + LARGEST * LARGEST
MARKS: Final = MOVES + LARGEST * LARGEST
END_OF_LINES: Final = MARKS + LARGEST * LARGEST + 1
CHANGES: Final = END_OF_LINES + 1
LENGTH_OF_BOARD: Final = CHANGES + LARGEST * LARGEST * 2 * DIRECTIONS * 2 * MARGIN

PACKED_BITS: Final = DIRECTIONS * CLASS_BITS
_PACKED_MASK: Final = (1 << PACKED_BITS) - 1
_BOTH_MASK: Final = (1 << 2 * PACKED_BITS) - 1
_CLASS_MASK: Final = (1 << CLASS_BITS) - 1
_COMBINED: Final = combined_classes()
_LINE_SHIFT: Final = 8
_LINE_MASK: Final = (1 << _LINE_SHIFT) - 1
_LINE_BITS: Final = (1 << LARGEST + 2 * MARGIN) - 1
_WINDOW: Final = 31


class Position(NamedTuple):
    """Hold the board's sections and the tables of its rule."""

    board: Any
    classes: Any
    details: Any


def new_position(columns: int, rows: int, rule: Rule = "free") -> Position:
    """Return an empty board of at most 25 x 25 cells."""
    if not (1 <= columns <= LARGEST and 1 <= rows <= LARGEST):
        raise BadState(f"a board of {columns} x {rows}: expected at most {LARGEST} x {LARGEST} cells")
    tables = patterns(rule)
    stride = columns + MARGIN
    steps = [1, stride, stride + 1, stride - 1]
    board = np.zeros(LENGTH_OF_BOARD, np.int64)
    places = [stride * (y + MARGIN) + x + MARGIN for y in range(rows) for x in range(columns)]
    board[STONES : STONES + PLACES] = WALL
    board[CELL_OF : CELL_OF + PLACES] = -1
    board[CELLS], board[REACH] = len(places), tables.reach
    board[FORBIDDING] = rule == "renju"
    board[STEPS : STEPS + DIRECTIONS] = steps
    for cell, place in enumerate(places):
        board[STONES + place], board[CELL_OF + place], board[PLACE_OF + cell] = EMPTY, cell, place
    _number_lines(board, places, steps)
    board[NUMBERS : NUMBERS + 2 * PLACES] = np.random.default_rng(15).integers(1, 1 << 62, 2 * PLACES, np.int64)
    return Position(board, tables.classes, tables.details)


def _number_lines(board: Any, places: Sequence[int], steps: Sequence[int]) -> None:
    """Write the lines of an empty board, and for each place where it lies on them."""
    reach, line = int(board[REACH]), LINES
    for direction, step in enumerate(steps):
        for first in places:
            if board[STONES + first - step] == EMPTY:
                continue
            size = 0
            while board[STONES + first + size * step] == EMPTY:
                board[LINE_OF + DIRECTIONS * (first + size * step) + direction] = line << _LINE_SHIFT | size
                size += 1
            board[line + 2] = ((1 << reach) - 1) * (1 | 1 << (reach + size))
            board[line + 3] = first << 2 | direction
            line += LINE_WORDS
    board[END_OF_LINES] = line


@inlined
def offset_of(bit: int, reach: int) -> int:
    """Return the signed distance of the place that a bit of a key stands for."""
    return bit - reach if bit < reach else bit - reach + 1


@inlined
def combined(packed: int, player: int) -> int:
    """Return the class of a place for a player: two fours in different directions are as good as a straight four."""
    return _COMBINED[unsigned((packed >> PACKED_BITS * player) & _PACKED_MASK)]  # type: ignore[no-any-return]


@inlined
def key_at(own: int, blocked: int, index: int, reach: int) -> int:
    """Return the key of an empty cell of a line, given the line's words."""
    low, high = (1 << reach) - 1, ((1 << reach) - 1) << reach
    own, blocked = own >> index, blocked >> index
    own = (own & low) | ((own >> 1) & high)
    blocked = (blocked & low) | ((blocked >> 1) & high)
    return own | blocked << 2 * reach


@inlined
def key_of(position: Position, place: int, direction: int, player: int) -> int:
    """Return the key of a player, as a place in the tables."""
    board = unowned(position.board)
    where = board[unsigned(LINE_OF + DIRECTIONS * place + direction)]
    line = where >> _LINE_SHIFT
    blocked = board[unsigned(line + 1 - player)] | board[unsigned(line + 2)]
    key = key_at(board[unsigned(line + player)], blocked, where & _LINE_MASK, board[REACH])
    return key + player * (len(position.classes) >> 1)


@inlined
def detail_of(position: Position, place: int, direction: int, player: int) -> int:
    """Return completions, strength and value of a place in a direction, packed as in the tables."""
    return position.details[unsigned(key_of(position, place, direction, player))]  # type: ignore[no-any-return]


@inlined
def classify(board: Any, place: int, shift: int, player: int, new: Any, changes: int) -> int:
    """Set the class of an empty place in a direction, and note the change; return how many changes there are then."""
    packed = board[unsigned(PACKED + place)]
    old = (packed >> shift) & _CLASS_MASK
    if new == old:
        return changes
    board[unsigned(CHANGES + changes)] = (place << 1 | player) << 2 * PACKED_BITS | packed
    set_packed(board, place, player, packed, packed ^ ((new ^ old) << shift))
    return changes + 1


@inlined
def set_packed(board: Any, place: int, player: int, old: int, new: int) -> None:
    """Set the classes of an empty place, of which a player's have changed."""
    board[unsigned(PACKED + place)] = new
    before, after = combined(old, player), combined(new, player)
    if before != after:
        toggle_in_set(board, place, player, before, -1)
        toggle_in_set(board, place, player, after, 1)


@inlined
def toggle_in_set(board: Any, place: int, player: int, kind: int, change: int) -> None:
    """Take a place from the set of a class, or add it: `change` is -1 or 1."""
    if kind != NOTHING:
        cell = board[unsigned(CELL_OF + place)]
        word = SETS + (player * CLASSES + kind) * WORDS + cell // WORD
        board[unsigned(word)] ^= np.int64(1) << (cell % WORD)
        board[unsigned(COUNTS + player * CLASSES + kind)] += change


@inlined
def spread(stones: int, reach: int) -> int:
    """Return the cells of a line within reach of stones."""
    cells = stones >> reach
    cells |= cells << 1
    cells |= cells << 2
    cells |= cells << 4
    return cells | cells << (2 * reach - 7)


def put(position: Position, place: int, player: int) -> None:
    """Put a player's stone on an empty place.

    A class other than NOTHING takes two stones or more, and a stone gives the opponent no new one.
    """
    board, classes = unowned(position.board), unowned(position.classes)
    reach, other, count, half = board[REACH], 1 - player, board[COUNT], len(classes) >> 1
    near = (1 << (2 * reach + 1)) - 1
    packed = board[unsigned(PACKED + place)]
    for one in range(2):
        toggle_in_set(board, place, one, combined(packed, one), -1)
    board[unsigned(STONES + place)] = 1 + player
    if board[FORBIDDING]:
        board[CELL_STONES + board[CELL_OF + place]] = 1 + player
    board[HASH] ^= board[unsigned(NUMBERS + PLACES * player + place)]
    board[unsigned(MOVES + count)] = place
    changes = board[unsigned(MARKS + count)]
    for direction in range(DIRECTIONS):
        where = board[unsigned(LINE_OF + DIRECTIONS * place + direction)]
        line, index = where >> _LINE_SHIFT, where & _LINE_MASK
        before, others, walls = board[unsigned(line + player)], board[unsigned(line + other)], board[unsigned(line + 2)]
        own = before | 1 << (index + reach)
        board[unsigned(line + player)] = own
        free = (~(own | others | walls) >> index) & near
        step, shift = board[unsigned(STEPS + direction)], CLASS_BITS * direction
        cells = free & (spread(before, reach) >> index)
        while cells != 0:
            offset = trailing_zeros(cells) - reach
            cells &= cells - 1
            key = key_at(own, others | walls, index + offset, reach) + player * half
            new = np.int64(classes[unsigned(key)])
            changes = classify(board, place + offset * step, shift + PACKED_BITS * player, player, new, changes)
        cells = free & (spread(others, reach) >> index)
        while cells != 0:
            offset = trailing_zeros(cells) - reach
            cells &= cells - 1
            there = place + offset * step
            if (board[unsigned(PACKED + there)] >> (shift + PACKED_BITS * other)) & _CLASS_MASK != NOTHING:
                key = key_at(others, own | walls, index + offset, reach) + other * half
                new = np.int64(classes[unsigned(key)])
                changes = classify(board, there, shift + PACKED_BITS * other, other, new, changes)
    board[COUNT] = count + 1
    board[unsigned(MARKS + count + 1)] = changes


def remove(position: Position, place: int, player: int) -> None:
    """Remove the player's stone that was put last."""
    board = unowned(position.board)
    reach, count = board[REACH], board[COUNT] - 1
    first = board[unsigned(MARKS + count)]
    at = board[unsigned(MARKS + count + 1)]
    while at > first:
        at -= 1
        change = board[unsigned(CHANGES + at)]
        there, one = change >> (2 * PACKED_BITS + 1), (change >> 2 * PACKED_BITS) & 1
        set_packed(board, there, one, board[unsigned(PACKED + there)], change & _BOTH_MASK)
    for direction in range(DIRECTIONS):
        where = board[unsigned(LINE_OF + DIRECTIONS * place + direction)]
        board[unsigned((where >> _LINE_SHIFT) + player)] ^= 1 << ((where & _LINE_MASK) + reach)
    board[HASH] ^= board[unsigned(NUMBERS + PLACES * player + place)]
    board[COUNT] = count
    board[unsigned(STONES + place)] = EMPTY
    if board[FORBIDDING]:
        board[CELL_STONES + board[CELL_OF + place]] = EMPTY
    packed = board[unsigned(PACKED + place)]
    for one in range(2):
        toggle_in_set(board, place, one, combined(packed, one), 1)


@inlined
def class_of(position: Position, place: int, player: int) -> int:
    """Return the class of a place for a player."""
    return combined(position.board[PACKED + place], player)


@inlined
def count_of(position: Position, player: int, kind: int) -> int:
    """Return how many empty places have a class."""
    return position.board[COUNTS + player * CLASSES + kind]  # type: ignore[no-any-return]


def first_of(position: Position, player: int, kind: int) -> int:
    """Return the first place of a class, or -1."""
    board = unowned(position.board)
    for word in range((board[CELLS] + WORD - 1) // WORD):
        bits = board[SETS + (player * CLASSES + kind) * WORDS + word]
        if bits != 0:
            return board[PLACE_OF + word * WORD + trailing_zeros(bits)]  # type: ignore[no-any-return]
    return -1


def may_play(position: Position, place: int, player: int) -> bool:
    """Return whether a player may put a stone on an empty place: at renju some are forbidden to black."""
    board = unowned(position.board)
    if player != 0 or board[FORBIDDING] == 0:
        return True
    return not forbids(board[CELL_STONES : CELL_STONES + board[CELLS]], board[CELL_OF + place])


def keep_allowed(position: Position, player: int, places: Any, first: int, count: int) -> int:
    """Keep of the places in a list, from `first` to `count`, those where a player may play; return how many it has then."""
    if player != 0 or position.board[FORBIDDING] == 0:
        return count
    left = first
    for at in range(first, count):
        if may_play(position, places[at], player):
            places[left] = places[at]
            left += 1
    return left


def spoils(position: Position, place: int, stone: int) -> bool:
    """Return whether a white stone on one empty place makes another one forbidden to black."""
    board = unowned(position.board)
    if board[FORBIDDING] == 0:
        return False
    board[CELL_STONES + board[CELL_OF + stone]] = WHITE
    spoiled = not may_play(position, place, 0)
    board[CELL_STONES + board[CELL_OF + stone]] = EMPTY
    return spoiled


def places_of(position: Position, player: int, kind: int, out: Any, count: int) -> int:
    """Append the places of a class to a list of `count` places; return how many it has then."""
    board = unowned(position.board)
    for word in range((board[CELLS] + WORD - 1) // WORD):
        bits = board[SETS + (player * CLASSES + kind) * WORDS + word]
        while bits != 0:
            out[count] = board[PLACE_OF + word * WORD + trailing_zeros(bits)]
            bits &= bits - 1
            count += 1
    return count


def completions_of(position: Position, place: int, player: int, out: Any, count: int) -> int:
    """Append the places that would complete a five after a player's stone on an empty place; return the new count."""
    board = unowned(position.board)
    reach = board[REACH]
    for direction in range(DIRECTIONS):
        if (board[PACKED + place] >> (CLASS_BITS * direction + PACKED_BITS * player)) & _CLASS_MASK >= FOUR:
            mask = detail_of(position, place, direction, player) & ((1 << STRENGTH_SHIFT) - 1)
            while mask != 0:
                out[count] = place + offset_of(trailing_zeros(mask), reach) * board[STEPS + direction]
                mask &= mask - 1
                count += 1
    return count


def mark_strong(position: Position, player: int, least: int, zone: Any) -> None:
    """Mark the empty places on windows of five free of the opponent with at least so many stones of a player."""
    board = unowned(position.board)
    reach = board[REACH]
    for line in range(LINES, board[END_OF_LINES], LINE_WORDS):
        own = board[unsigned(line + player)]
        if popcount(own) < least:
            continue
        free = ~(board[unsigned(line + 1 - player)] | board[unsigned(line + 2)]) & _LINE_BITS
        windows = free & free >> 1 & free >> 2 & free >> 3 & free >> 4
        marked = 0
        while windows != 0:
            first = trailing_zeros(windows)
            windows &= windows - 1
            if popcount((own >> first) & _WINDOW) >= least:
                marked |= _WINDOW << first
        marked &= ~own
        place, step = board[unsigned(line + 3)] >> 2, board[unsigned(STEPS + (board[unsigned(line + 3)] & 3))]
        while marked != 0:
            zone[unsigned(place + (trailing_zeros(marked) - reach) * step)] = 1
            marked &= marked - 1


def value_of(position: Position, place: int, player: int) -> int:
    """Return the value of an empty place for a player: more for more of the player's stones in free windows."""
    value = 0
    for direction in range(DIRECTIONS):
        value += detail_of(position, place, direction, player) >> VALUE_SHIFT
    return value


def set_stones(position: Position, state: Any) -> None:
    """Make the position that of a state: a number for each cell, 0 empty, 1 black, 2 white."""
    board = unowned(position.board)
    while board[COUNT] > 0:
        last = board[MOVES + board[COUNT] - 1]
        remove(position, last, board[STONES + last] - 1)
    for cell in range(board[CELLS]):
        if state[cell] != EMPTY:
            put(position, board[PLACE_OF + cell], state[cell] - 1)


def state_of(position: Position) -> tuple[int, ...]:
    """Return the stones by cells: 0 empty, 1 black, 2 white."""
    board = position.board
    return tuple(board[STONES + board[PLACE_OF : PLACE_OF + board[CELLS]]].tolist())


def checked_state(position: Position, state: Sequence[int]) -> Any:
    """Return a state as an array for kernels. Raises BadState where it has another number of cells."""
    cells = int(position.board[CELLS])
    if len(state) != cells:
        raise BadState(f"a state of {len(state)} cells: the board has {cells}")
    return np.array(state, np.int64)


def own_names(target: jit.Target) -> jit.Names:
    """Return the names that kernels of threats are bound with: they need no game."""
    return jit.Names({}, target)
