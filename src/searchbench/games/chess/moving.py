"""Rules of moves: captures, the ways of pawns, promotion, capture en passant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from typing import Any

from searchbench.games.chess.coding import coding
from searchbench.games.chess.ending import Ending
from searchbench.games.chess.men import GONE, KNIGHT, PAWN, QUEEN
from searchbench.games.chess.placing import Placing
from searchbench.rules import UNDECIDED, State


def moving(ending: Ending, placed: Placing) -> Mapping[str, Callable[..., Any]]:
    """Return the rules that move on, and `unplay`."""
    rows, columns, squares = ending.rows, ending.columns, ending.squares
    pawns, passes, double = ending.pawns, ending.passes, ending.double
    count = len(ending.men)
    kinds, passing = count - 1, ending.width - 1
    at, kind_of, ways_of, in_check, sort = placed.at, placed.kind_of, placed.ways_of, placed.in_check, placed.sort
    black, first, last, near, steps = placed.black, placed.first, placed.last, placed.near, placed.steps
    encode, begin_of, end_of, taken_of, promoted_of, passing_of = coding(squares)

    def is_pawn(state: State, man: int) -> bool:
        return pawns and kind_of(state, man) == PAWN

    def promotes(man: int, square: int) -> bool:
        return square >= squares - columns if black[man] == 0 else square < columns

    def is_safe(state: State, man: int, end: int, taken: int) -> bool:
        """Return whether the king is not in check after a move."""
        begin, place = state[1 + man], squares
        if taken >= 0:
            place = state[1 + taken]
            state[1 + taken] = squares
        state[1 + man] = end
        safe = not in_check(state, black[man])
        state[1 + man] = begin
        if taken >= 0:
            state[1 + taken] = place
        return safe

    def add(state: State, out: MutableSequence[int], found: int, man: int, end: int, taken: int) -> int:
        """Write a move, or one for each kind that a pawn may become, and return the number of moves then."""
        begin, captured = int(state[1 + man]), kind_of(state, taken) if taken >= 0 else 0
        before = int(state[passing]) if passes else 0
        if is_pawn(state, man) and promotes(man, end):
            for kind in range(QUEEN, KNIGHT + 1):
                out[found] = encode(begin, end, captured, kind, before)
                found += 1
            return found
        out[found] = encode(begin, end, captured, 0, before)
        return found + 1

    def passed(state: State, end: int) -> int:
        """Return the man that a pawn captures en passant by going to a square, -1 for none."""
        if not passes or state[passing] == 0:
            return -1
        side = state[0]
        return 3 - side if end == state[4 - side] + (columns if side == 0 else -columns) else -1

    def find_moves(state: State, out: MutableSequence[int], keep: bool, leaving: bool) -> int:
        """Write the moves, or captures and promotions alone, and return their number; without `keep`, 1 at the first."""
        side, found = state[0], 0
        for man in range(count):
            begin = int(state[1 + man])
            if black[man] != side or begin == squares:
                continue
            mine, pawn = ways_of(state, man), is_pawn(state, man)
            for way in range(first[mine], last[mine]):
                row, column = begin // columns + steps[way, 0], begin % columns + steps[way, 1]
                while 0 <= row < rows and 0 <= column < columns:
                    end = row * columns + column
                    taken = at(state, end)
                    if taken >= 0 and black[taken] == side:
                        break
                    if pawn and taken < 0:
                        taken = passed(state, end)
                    if (taken >= 0 or not (pawn or leaving)) and is_safe(state, man, end, taken):
                        if not keep:
                            return 1
                        found = add(state, out, found, man, end, taken)
                    if taken >= 0 or near[mine]:
                        break
                    row, column = row + steps[way, 0], column + steps[way, 1]
            if pawn:
                found = find_pushes(state, out, found, man, keep, leaving)
                if found > 0 and not keep:
                    return 1
        return found

    def find_pushes(state: State, out: MutableSequence[int], found: int, man: int, keep: bool, leaving: bool) -> int:
        """Write the moves of a pawn straight on, or promotions alone, and return the number of moves then; see `find_moves`."""
        begin, way = int(state[1 + man]), columns if black[man] == 0 else -columns
        row = begin // columns if black[man] == 0 else rows - 1 - begin // columns
        for far in range(1, 3 if double and row == 1 else 2):
            end = begin + far * way
            if at(state, end) >= 0:
                break
            if (promotes(man, end) or not leaving) and is_safe(state, man, end, -1):
                if not keep:
                    return found + 1
                found = add(state, out, found, man, end, -1)
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

    def captured_at(man_is_pawn: bool, move: int) -> int:
        """Return the square of the man that a move captures: en passant, the one beside the square from which it begins."""
        begin, end = begin_of(move), end_of(move)
        if passes and man_is_pawn and passing_of(move) > 0 and taken_of(move) == PAWN:
            return begin // columns * columns + end % columns
        return end

    def play(state: State, move: int) -> None:
        begin, end = begin_of(move), end_of(move)
        man = at(state, begin)
        if taken_of(move) > 0:
            taken = at(state, captured_at(is_pawn(state, man), move))
            state[1 + taken] = squares
            if pawns:
                state[kinds + taken] = GONE
        state[1 + man] = end
        if pawns and promoted_of(move) > 0:
            state[kinds + man] = promoted_of(move)
        if passes:
            state[passing] = may_be_passed(state, man, begin, end)
        state[0] = 1 - state[0]
        sort(state)

    def may_be_passed(state: State, man: int, begin: int, end: int) -> bool:
        """Return whether a man who goes from a square to another is a pawn that goes past the other one, two squares far."""
        if not passes or not is_pawn(state, man) or not is_pawn(state, 5 - man) or abs(begin - end) != 2 * columns:
            return False
        other = state[6 - man]
        return other // columns == end // columns and abs(other - end) == 1

    def unplay(state: State, move: int) -> None:
        end, taken = end_of(move), taken_of(move)
        state[0] = 1 - state[0]
        man = at(state, end)
        state[1 + man] = begin_of(move)
        if pawns and promoted_of(move) > 0:
            state[kinds + man] = PAWN
        if taken > 0:
            back = absent(state, 1 - state[0], taken)
            state[1 + back] = captured_at(is_pawn(state, man), move)
            if pawns:
                state[kinds + back] = taken
        if passes:
            state[passing] = passing_of(move)
        sort(state)

    def absent(state: State, side: int, kind: int) -> int:
        """Return a man of a side beside the board who is, or can be, of a kind; -1 for none."""
        for man in range(2, count):
            if state[1 + man] == squares and black[man] == side and (pawns or kind_of(state, man) == kind):
                return man
        return -1

    return {
        "terminal": terminal, "moves": moves, "conversions": conversions, "play": play, "unplay": unplay,
        "absent": absent, "is_pawn": is_pawn, "promotes": promotes,
        "may_be_passed": may_be_passed,
    }  # fmt: skip
