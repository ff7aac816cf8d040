"""The rules of chess endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from typing import Any

import numpy as np

from searchbench.errors import BadRequest
from searchbench.games.chess.men import MOST_MEN, NEAR, STEPS, WAYS, others_of
from searchbench.games.chess.symmetry import turns
from searchbench.rules import UNDECIDED, State


def rules_of(ending: str, rows: int, columns: int) -> Mapping[str, Callable[..., Any]]:
    """Return the rules; a move is (taken * squares + from) * squares + to, with taken 0 for none, else the man's place."""
    squares = rows * columns
    others = others_of(ending)
    men = "Kk" + others
    count, equal = len(men), len(men) == MOST_MEN and men[2] == men[3]
    black = np.array([man.islower() for man in men], np.int64)
    first, last = (np.array([WAYS[man.upper()][end] for man in men], np.int64) for end in (0, 1))
    near = np.array([man.upper() in NEAR for man in men], np.bool_)
    steps = np.array(STEPS, np.int64)
    leap = steps[:, 0] * columns + steps[:, 1]
    ways = _ways(rows, columns)
    images, least, other, _ = turns(rows, columns)

    def at(state: State, square: int) -> int:
        for man in range(count):
            if state[1 + man] == square:
                return man
        return -1

    def attacks(state: State, man: int, target: int) -> bool:
        square = int(state[1 + man])
        way = ways[square, target]
        if not first[man] <= way < last[man]:
            return False
        square += leap[way]
        while square != target:
            if near[man] or at(state, square) >= 0:
                return False
            square += leap[way]
        return True

    def in_check(state: State, side: int) -> bool:
        for man in range(count):
            if black[man] != side and attacks(state, man, state[1 + side]):
                return True
        return False

    def legal(state: State) -> bool:
        for man in range(count):
            for before in range(man):
                if state[1 + man] == state[1 + before] and state[1 + man] < squares:
                    return False
        if equal and state[3] > state[4]:
            return False
        return not in_check(state, 1 - state[0])

    def sort(state: State) -> None:
        if equal and state[3] > state[4]:
            state[3], state[4] = state[4], state[3]

    opening = _opening(ending, rows, columns, legal)

    def start(state: State) -> None:
        for cell in range(1 + count):
            state[cell] = opening[cell]

    def find_moves(state: State, out: MutableSequence[int], keep: bool, captures: bool) -> int:
        """Write the moves, or captures alone, and return their number; without `keep`, return 1 at the first instead."""
        side, found = state[0], 0
        for man in range(count):
            begin = int(state[1 + man])
            if black[man] != side or begin == squares:
                continue
            for way in range(first[man], last[man]):
                row, column = begin // columns + steps[way, 0], begin % columns + steps[way, 1]
                while 0 <= row < rows and 0 <= column < columns:
                    end = row * columns + column
                    taken = at(state, end)
                    if taken >= 0 and black[taken] == side:
                        break
                    if captures and taken < 0:
                        if near[man]:
                            break
                        row, column = row + steps[way, 0], column + steps[way, 1]
                        continue
                    if taken >= 0:
                        state[1 + taken] = squares
                    state[1 + man] = end
                    safe = not in_check(state, side)
                    state[1 + man] = begin
                    if taken >= 0:
                        state[1 + taken] = end
                    if safe and not keep:
                        return 1
                    if safe:
                        kind = 2 if equal and taken == 3 else taken  # which of two equal men makes no difference
                        out[found] = ((kind + 1) * squares + begin) * squares + end
                        found += 1
                    if taken >= 0 or near[man]:
                        break
                    row, column = row + steps[way, 0], column + steps[way, 1]
        return found

    def moves(state: State, out: MutableSequence[int]) -> int:
        return find_moves(state, out, True, False)

    def conversions(state: State, out: MutableSequence[int]) -> int:
        return find_moves(state, out, True, True)

    def can_move(state: State) -> bool:
        return find_moves(state, state, False, False) > 0

    def terminal(state: State) -> int:
        if can_move(state):
            return UNDECIDED
        return -1 if in_check(state, state[0]) else 0

    def play(state: State, move: int) -> None:
        begin, end = move // squares % squares, move % squares
        taken = at(state, end)
        if taken >= 0:
            state[1 + taken] = squares
        state[1 + at(state, begin)] = end
        state[0] = 1 - state[0]
        sort(state)

    def unplay(state: State, move: int) -> None:
        begin, end, taken = move // squares % squares, move % squares, move // (squares * squares) - 1
        state[0] = 1 - state[0]
        state[1 + at(state, end)] = begin
        if taken >= 0:
            state[1 + beside(state, taken)] = end
        sort(state)

    def beside(state: State, kind: int) -> int:
        """Return the man of a kind that was captured, -1 if none was."""
        if state[1 + kind] == squares:
            return kind
        return 3 if equal and kind == 2 and state[4] == squares else -1

    def find_unmoves(state: State, out: MutableSequence[int], kinds: int) -> int:
        """Write the moves to be taken back that captured none, or one of the first `kinds` men; return their number."""
        side, found = 1 - state[0], 0
        for man in range(count):
            end = int(state[1 + man])
            if black[man] != side or end == squares:
                continue
            for way in range(first[man], last[man]):
                row, column = end // columns + steps[way, 0], end % columns + steps[way, 1]
                while 0 <= row < rows and 0 <= column < columns:
                    begin = row * columns + column
                    if at(state, begin) >= 0:
                        break
                    for taken in range(-1, kinds):
                        if taken >= 0 and (black[taken] == side or beside(state, taken) < 0 or (equal and taken == 3)):
                            continue
                        move = ((taken + 1) * squares + begin) * squares + end
                        unplay(state, move)
                        possible = not in_check(state, 1 - side)
                        play(state, move)
                        if possible:
                            out[found] = move
                            found += 1
                    if near[man]:
                        break
                    row, column = row + steps[way, 0], column + steps[way, 1]
        return found

    def unmoves(state: State, out: MutableSequence[int]) -> int:
        return find_unmoves(state, out, count)

    def unmoves_within(state: State, out: MutableSequence[int]) -> int:
        return find_unmoves(state, out, 0)

    def image_under(state: State, symmetry: int) -> None:
        for man in range(count):
            state[1 + man] = images[symmetry, state[1 + man]]
        sort(state)

    def compare(state: State, symmetry: int) -> int:
        """Return whether the image of the other men comes before them (-1), after them (1), or is the same (0)."""
        if count < 3:
            return 0
        one = images[symmetry, state[3]]
        two = images[symmetry, state[4]] if count > 3 else 0
        if equal and one > two:
            one, two = two, one
        if one != state[3]:
            return -1 if one < state[3] else 1
        if count > 3 and two != state[4]:
            return -1 if two < state[4] else 1
        return 0

    def canonical(state: State) -> None:
        image_under(state, least[state[1] * squares + state[2]])
        symmetry = other[state[1] * squares + state[2]]
        if symmetry > 0 and compare(state, symmetry) < 0:
            image_under(state, symmetry)

    def stabilizer(state: State) -> int:
        symmetry = other[state[1] * squares + state[2]]
        return 2 if symmetry > 0 and compare(state, symmetry) == 0 else 1

    return {
        "start": start, "legal": legal, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
        "unmoves": unmoves, "unmoves_within": unmoves_within, "conversions": conversions,
        "canonical": canonical, "stabilizer": stabilizer, "image_under": image_under,
    }  # fmt: skip


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


def _opening(ending: str, rows: int, columns: int, legal: Callable[[Any], bool]) -> Any:
    """Return the start: White to move, the kings in opposite corners, each other man on the first square without check."""
    others, squares = others_of(ending), rows * columns
    placed = [0, 0, squares - 1]
    for _ in others:
        beside = [squares] * (len(others) + 2 - len(placed))
        found = [square for square in range(squares) if square > max(placed[3:], default=-1)]
        found = [square for square in found if legal(np.array([*placed, square, *beside], np.int64))]
        if not found:
            raise BadRequest(f"men {ending!r}: the board of {rows}x{columns} has no room for them")
        placed.append(found[0])
    return np.array(placed, np.int64)
