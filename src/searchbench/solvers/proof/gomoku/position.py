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
from searchbench.jit import inlined, trailing_zeros, unowned, unsigned
from searchbench.rules import forbids
from searchbench.solvers.proof.gomoku.patterns import (
    CLASS_BITS,
    CLASSES,
    FOUR,
    NOTHING,
    STRENGTH_MASK,
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

# The sections of a board. A word of KEYS [place, direction] has the key of each player, a word of PACKED [place] each
# player's classes in four directions, SETS [player, class, word] the empty cells of each class, COUNTS their number. FORBIDDING
# tells whether black may not play on some places; then CELL_STONES has the state, by cells.
STONES: Final = 0
KEYS: Final = STONES + PLACES
PACKED: Final = KEYS + PLACES * DIRECTIONS
SETS: Final = PACKED + PLACES
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
LENGTH_OF_BOARD: Final = CELL_STONES + LARGEST * LARGEST

KEY_BITS: Final = 20
"""Where a word of KEYS has the second player's key."""
_KEY_MASK: Final = (1 << KEY_BITS) - 1
PACKED_BITS: Final = DIRECTIONS * CLASS_BITS
_PACKED_MASK: Final = (1 << PACKED_BITS) - 1
_CLASS_MASK: Final = (1 << CLASS_BITS) - 1
_COMBINED: Final = combined_classes()


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
    for place in places:
        for direction, step in enumerate(steps):
            walls = 0
            for bit in range(2 * tables.reach):
                if board[STONES + place + offset_of(bit, tables.reach) * step] == WALL:
                    walls |= 1 << (bit + 2 * tables.reach)
            board[KEYS + DIRECTIONS * place + direction] = walls | walls << KEY_BITS
    board[NUMBERS : NUMBERS + 2 * PLACES] = np.random.default_rng(15).integers(1, 1 << 62, 2 * PLACES, np.int64)
    return Position(board, tables.classes, tables.details)


def copied(position: Position) -> Position:
    """Return a position of its own with the same stones."""
    return position._replace(board=position.board.copy())


@inlined
def offset_of(bit: int, reach: int) -> int:
    """Return the signed distance of the place that a bit of a key stands for."""
    return bit - reach if bit < reach else bit - reach + 1


@inlined
def combined(packed: int, player: int) -> int:
    """Return the class of a place for a player: two fours in different directions are as good as a straight four."""
    return _COMBINED[unsigned((packed >> PACKED_BITS * player) & _PACKED_MASK)]  # type: ignore[no-any-return]


@inlined
def key_of(position: Position, place: int, direction: int, player: int) -> int:
    """Return the key of a player, as a place in the tables."""
    word = position.board[unsigned(KEYS + DIRECTIONS * place + direction)]
    key = (word >> KEY_BITS * player) & _KEY_MASK
    return key + player * (len(position.classes) >> 1)  # type: ignore[no-any-return]


@inlined
def detail_of(position: Position, place: int, direction: int, player: int) -> int:
    """Return completions, strength and value of a place in a direction, packed as in the tables."""
    return position.details[unsigned(key_of(position, place, direction, player))]  # type: ignore[no-any-return]


@inlined
def classify(board: Any, classes: Any, place: int, direction: int, player: int, key: int) -> None:
    """Look up the class of a place in a direction, and move the place to another set where its class has changed."""
    new = np.int64(classes[unsigned(key + player * (len(classes) >> 1))])
    packed = board[unsigned(PACKED + place)]
    shift = CLASS_BITS * direction + PACKED_BITS * player
    old = (packed >> shift) & _CLASS_MASK
    if new == old:
        return
    changed = packed ^ ((new ^ old) << shift)
    board[unsigned(PACKED + place)] = changed
    if board[unsigned(STONES + place)] == EMPTY:
        before, after = combined(packed, player), combined(changed, player)
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


def flip(position: Position, place: int, player: int) -> None:
    """Put or remove a player's stone in the keys of the places around it, and look up the classes that may change.

    A class other than NOTHING takes two stones or more.
    """
    board, classes = unowned(position.board), unowned(position.classes)
    reach, other = board[REACH], 1 - player
    own_bits = (1 << 2 * reach) - 1
    own_shift, other_shift = KEY_BITS * player, KEY_BITS * other
    for direction in range(DIRECTIONS):
        step = board[STEPS + direction]
        for _ in range(2):
            near = place
            for distance in range(1, reach + 1):
                near += step
                if board[unsigned(STONES + near)] == WALL:
                    break
                bit = reach - distance if step > 0 else reach + distance - 1
                word = board[unsigned(KEYS + DIRECTIONS * near + direction)]
                word ^= (1 << (bit + own_shift)) | (1 << (bit + 2 * reach + other_shift))
                board[unsigned(KEYS + DIRECTIONS * near + direction)] = word
                own = (word >> own_shift) & own_bits
                if own & (own - 1) != 0 or board[unsigned(PACKED + near)] != 0:
                    classify(board, classes, near, direction, player, (word >> own_shift) & _KEY_MASK)
                own = (word >> other_shift) & own_bits
                if own & (own - 1) != 0:
                    classify(board, classes, near, direction, other, (word >> other_shift) & _KEY_MASK)
            step = -step


def put(position: Position, place: int, player: int) -> None:
    """Put a player's stone on an empty place."""
    board = unowned(position.board)
    packed = board[PACKED + place]
    for one in range(2):
        toggle_in_set(board, place, one, combined(packed, one), -1)
    board[STONES + place] = 1 + player
    if board[FORBIDDING]:
        board[CELL_STONES + board[CELL_OF + place]] = 1 + player
    board[HASH] ^= board[NUMBERS + PLACES * player + place]
    board[COUNT] += 1
    flip(position, place, player)


def remove(position: Position, place: int, player: int) -> None:
    """Remove a player's stone."""
    board = unowned(position.board)
    flip(position, place, player)
    board[HASH] ^= board[NUMBERS + PLACES * player + place]
    board[COUNT] -= 1
    board[STONES + place] = EMPTY
    if board[FORBIDDING]:
        board[CELL_STONES + board[CELL_OF + place]] = EMPTY
    packed = board[PACKED + place]
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
    for cell in range(board[CELLS]):
        place = board[PLACE_OF + cell]
        if board[STONES + place] == EMPTY and zone[place] == 0:
            for direction in range(DIRECTIONS):
                detail = detail_of(position, place, direction, player)
                if (detail >> STRENGTH_SHIFT) & STRENGTH_MASK >= least:
                    zone[place] = 1


def value_of(position: Position, place: int, player: int) -> int:
    """Return the value of an empty place for a player: more for more of the player's stones in free windows."""
    value = 0
    for direction in range(DIRECTIONS):
        value += detail_of(position, place, direction, player) >> VALUE_SHIFT
    return value


def set_stones(position: Position, state: Any) -> None:
    """Make the position that of a state: a number for each cell, 0 empty, 1 black, 2 white."""
    board = unowned(position.board)
    for cell in range(board[CELLS]):
        place = board[PLACE_OF + cell]
        stone = board[STONES + place]
        if stone != state[cell]:
            if stone != EMPTY:
                remove(position, place, stone - 1)
            if state[cell] != EMPTY:
                put(position, place, state[cell] - 1)


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
