"""Rules on where men stand: attacks, check, the order of men who are alike, legal positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from searchbench.games.chess.ending import CODES, Ending
from searchbench.games.chess.men import GONE, KINDS, KING, NEAR, PAWN, STEPS, WAYS
from searchbench.rules import State


class Placing(NamedTuple):
    """The functions of `placing`, and the ways of men: `first`, `last` and `near` by `ways_of(state, man)`."""

    at: Callable[[State, int], int]
    kind_of: Callable[[State, int], int]
    ways_of: Callable[[State, int], int]
    in_check: Callable[[State, int], bool]
    can_pass: Callable[[State], bool]
    stand: Callable[[State], bool]
    legal: Callable[[State], bool]
    sort: Callable[[State], None]
    black: Any
    first: Any
    last: Any
    near: Any
    steps: Any


def placing(ending: Ending) -> Placing:
    """Return rules that tell of an ending's states, and put men who are alike in order."""
    rows, columns, squares = ending.rows, ending.columns, ending.squares
    pawns, passes, paired = ending.pawns, ending.passes, ending.paired
    own, places = (KING, KING, *ending.kinds), ending.places
    count = len(own)
    kinds, passing = 1 + count - 2, ending.width - 1  # the kind of man 2 stands in cell 1 + count
    # With pawns a man has ways for each kind that he may be of, else for one.
    table = [(man, kind) for man in range(count) for kind in (range(CODES) if pawns else own[man : man + 1])]
    letters = [_letter(kind, ending.black[man]) for man, kind in table]
    first, last = (np.array([WAYS[letter][end] for letter in letters], np.int64) for end in (0, 1))
    near = np.array([letter.upper() in NEAR for letter in letters], np.bool_)
    black, natural = np.array(ending.black, np.int64), np.array(own, np.int64)
    steps = np.array(STEPS, np.int64)
    leap = steps[:, 0] * columns + steps[:, 1]
    ways = _ways(rows, columns)

    def at(state: State, square: int) -> int:
        """Return the man on a square, -1 for none."""
        for man in range(count):
            if state[1 + man] == square:
                return man
        return -1

    def kind_of(state: State, man: int) -> int:
        if pawns and man > 1:
            return int(state[kinds + man])
        return int(natural[man])

    def ways_of(state: State, man: int) -> int:
        if pawns:
            return man * CODES + kind_of(state, man)
        return man

    def attacks(state: State, man: int, target: int) -> bool:
        square = int(state[1 + man])
        way, mine = ways[square, target], ways_of(state, man)
        if not first[mine] <= way < last[mine]:
            return False
        square += leap[way]
        while square != target:
            if near[mine] or at(state, square) >= 0:
                return False
            square += leap[way]
        return True

    def in_check(state: State, side: int) -> bool:
        for man in range(count):
            if black[man] != side and attacks(state, man, state[1 + side]):
                return True
        return False

    def can_pass(state: State) -> bool:
        """Return whether the opponent's pawn may have come two squares, past the pawn of the side to move.

        With at most four men no other man is left that could then give check: such a capture is always legal.
        """
        if not passes or state[kinds + 2] != PAWN or state[kinds + 3] != PAWN:
            return False
        side = int(state[0])
        victim, taker = int(state[4 - side]), int(state[3 + side])
        row, back = (rows - 4, columns) if side == 0 else (3, -columns)
        if victim // columns != row or taker // columns != row or abs(victim - taker) != 1:
            return False
        if at(state, victim + back) >= 0 or at(state, victim + 2 * back) >= 0:
            return False
        state[4 - side] = (
            victim + 2 * back
        )  # before that move, the king of the side that moves after it was not in check
        checked = in_check(state, side)
        state[4 - side] = victim
        return not checked

    def stand(state: State) -> bool:
        """Return whether men of these kinds may stand so: a part has them, and no pawn is on the first or the last rank."""
        if not pawns:
            return True
        code = 0
        for man in range(2, count):
            if (kind_of(state, man) == GONE) != (state[1 + man] == squares):
                return False
            if kind_of(state, man) == PAWN and not columns <= state[1 + man] < squares - columns:
                return False
            code = code * CODES + kind_of(state, man)
        return bool(places[code] >= 0)

    def legal(state: State) -> bool:
        for man in range(count):
            for before in range(man):
                if state[1 + man] == state[1 + before] and state[1 + man] < squares:
                    return False
        if paired and unsorted(state):
            return False
        if not stand(state) or (passes and state[passing] > 0 and not can_pass(state)):
            return False
        return not in_check(state, 1 - state[0])

    def unsorted(state: State) -> bool:
        if pawns and state[kinds + 2] != state[kinds + 3]:
            return bool(state[kinds + 2] > state[kinds + 3])
        return bool(state[3] > state[4])

    def sort(state: State) -> None:
        if paired and unsorted(state):
            state[3], state[4] = state[4], state[3]
            if pawns:
                state[kinds + 2], state[kinds + 3] = state[kinds + 3], state[kinds + 2]

    return Placing(
        at, kind_of, ways_of, in_check, can_pass, stand, legal, sort, black, first, last, near, steps
    )  # fmt: skip


def _letter(kind: int, side: int) -> str:
    """Return the man of a kind as WAYS has it: only a pawn's ways depend on his side."""
    if kind == GONE:
        return ""
    return "p" if kind == PAWN and side else KINDS[kind]


def _ways(rows: int, columns: int) -> Any:
    """Return which of the STEPS leads from a square towards another one, -1 for none: from beside the board none does."""
    squares = rows * columns
    found = np.full((squares + 1, squares), -1, np.int64)
    for square in range(squares):
        for way, (down, right) in enumerate(STEPS):
            row, column = square // columns + down, square % columns + right
            while 0 <= row < rows and 0 <= column < columns:
                found[square, row * columns + column] = way
                if way >= 8:
                    break
                row, column = row + down, column + right
    return found
