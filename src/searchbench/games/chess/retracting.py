"""Rules of moves to be taken back: pieces along their ways, pawns, men that have been pawns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from typing import Any

from searchbench.games.chess.coding import coding
from searchbench.games.chess.ending import Ending
from searchbench.games.chess.men import GONE, KNIGHT, PAWN, QUEEN
from searchbench.games.chess.placing import Placing
from searchbench.rules import State


def retracting(
    ending: Ending, placed: Placing, moving: Mapping[str, Callable[..., Any]]
) -> Mapping[str, Callable[..., Any]]:
    """Return the rules that list what can have been played."""
    rows, columns, squares = ending.rows, ending.columns, ending.squares
    pawns, passes, double = ending.pawns, ending.passes, ending.double
    count = len(ending.men)
    passing = ending.width - 1
    at, kind_of, ways_of, in_check, black = placed.at, placed.kind_of, placed.ways_of, placed.in_check, placed.black
    can_pass, stand = placed.can_pass, placed.stand
    first, last, near, steps = placed.first, placed.last, placed.near, placed.steps
    play, unplay, absent = moving["play"], moving["unplay"], moving["absent"]
    is_pawn, promotes = moving["is_pawn"], moving["promotes"]
    may_be_passed = moving["may_be_passed"]
    encode = coding(squares).encode

    def add(
        state: State, out: MutableSequence[int], found: int, begin: int, end: int, promoted: int, least: int, stop: int
    ) -> int:
        """Write the moves between two squares that captured one of the kinds least .. stop - 1, 0 for none; return the number.

        Each is written once more if a capture en passant was possible before it.
        """
        side = state[0]
        for taken in range(least, stop):
            if taken > 0 and absent(state, side, taken) < 0:
                continue
            move = encode(begin, end, taken, promoted, 0)
            unplay(state, move)
            possible = stand(state) and not in_check(state, side)
            passed = possible and can_pass(state)
            play(state, move)
            if possible:
                out[found] = move
                found += 1
            if passed:
                out[found] = encode(begin, end, taken, promoted, 1)
                found += 1
        return found

    def add_passing(state: State, out: MutableSequence[int], found: int, begin: int, end: int) -> int:
        """Write the capture en passant between two squares if it was possible; return the number of moves then."""
        if at(state, begin // columns * columns + end % columns) >= 0 or absent(state, state[0], PAWN) < 0:
            return found
        move = encode(begin, end, PAWN, 0, 1)
        unplay(state, move)
        possible = can_pass(state) and not in_check(state, 1 - state[0])
        play(state, move)
        if possible:
            out[found] = move
            found += 1
        return found

    def add_pawn(state: State, out: MutableSequence[int], found: int, man: int, promoted: int, kinds: int) -> int:
        """Write the moves of a man who came as a pawn and captured none, or a kind below `kinds`; return the number."""
        end, way = int(state[1 + man]), columns if black[man] == 0 else -columns
        row = (end - way) // columns if black[man] == 0 else rows - 1 - (end - way) // columns
        if row < 1:
            return found
        for across in range(-1, 2):
            if not 0 <= end % columns + across < columns or at(state, end - way + across) >= 0:
                continue
            if across == 0:
                found = add(state, out, found, end - way, end, promoted, 0, 1)
                if (
                    double
                    and row == 2
                    and at(state, end - 2 * way) < 0
                    and not may_be_passed(state, man, end - 2 * way, end)
                ):
                    found = add(state, out, found, end - 2 * way, end, promoted, 0, 1)
            else:
                found = add(state, out, found, end - way + across, end, promoted, 1, kinds)
                if passes and kinds > PAWN:
                    found = add_passing(state, out, found, end - way + across, end)
        return found

    def find_unmoves(state: State, out: MutableSequence[int], kinds: int) -> int:
        """Write the moves to be taken back that captured none, or one of the kinds below `kinds`; return their number.

        With `kinds` of 1 nothing is captured, and no promotion is taken back.
        """
        if passes and state[passing] > 0:  # that pawn has come two squares
            man = 3 - state[0]
            way = columns if black[man] == 0 else -columns
            return add(state, out, 0, int(state[1 + man]) - 2 * way, int(state[1 + man]), 0, 0, 1)
        side, found = 1 - state[0], 0
        for man in range(count):
            end = int(state[1 + man])
            if black[man] != side or end == squares:
                continue
            if is_pawn(state, man):
                found = add_pawn(state, out, found, man, 0, kinds)
                continue
            mine = ways_of(state, man)
            for way in range(first[mine], last[mine]):
                row, column = end // columns + steps[way, 0], end % columns + steps[way, 1]
                while 0 <= row < rows and 0 <= column < columns:
                    begin = row * columns + column
                    if at(state, begin) >= 0:
                        break
                    found = add(state, out, found, begin, end, 0, 0, kinds)
                    if near[mine]:
                        break
                    row, column = row + steps[way, 0], column + steps[way, 1]
            if pawns and kinds > 1 and QUEEN <= kind_of(state, man) <= KNIGHT and promotes(man, end):
                found = add_pawn(state, out, found, man, kind_of(state, man), kinds)
        return found

    def unmoves(state: State, out: MutableSequence[int]) -> int:
        return find_unmoves(state, out, GONE)

    def unmoves_within(state: State, out: MutableSequence[int]) -> int:
        return find_unmoves(state, out, 1)

    return {"unmoves": unmoves, "unmoves_within": unmoves_within}
