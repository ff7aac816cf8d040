"""The digits of games of lines: columns with a guard bit where stones fall, and groups of cells where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Final

from searchbench.index.digits import NO_CODE, Action, Change, Digit, Digits, Pattern

if TYPE_CHECKING:
    from searchbench.families.lines import LineBoard

GROUPED: Final = 3
"""Cells of a digit where stones do not fall: 64 codes, one word."""
HIGHEST: Final = 6
"""The most cells of a column: the codes of one height then lie in one word."""


def digits_of_lines(board: LineBoard) -> Digits | None:
    """Return the digits of a game in which who completes a line of the board wins, None for columns of more than 6 cells.

    The code of a column is a guard bit above the colours of its stones: 1 << height | colours, of the stone at the bottom in
    the lowest bit. That of a group of cells has two bits for each: 1 the first player's stone, 2 the second's.
    """
    if max(map(len, board.stacks)) > HIGHEST or not board.lines:
        return None
    falling = any(len(stack) > 1 for stack in board.stacks)
    if falling:
        digits = [_column(stack) for stack in board.stacks]
    else:
        cells = range(len(board.places))
        digits = [_group(cells[first : first + GROUPED]) for first in range(0, len(cells), GROUPED)]
    actions = tuple(
        tuple((_placed(place, digit, places, stone),) for place, digit, places in _placings(digits, falling))
        for stone in (1, 2)
    )
    return Digits(
        tuple(digits), actions, tuple(tuple(_held(digits, line, stone) for line in board.lines) for stone in (1, 2))
    )


def _column(cells: Sequence[int]) -> Digit:
    contents: list[tuple[int, ...] | None] = [None]
    for code in range(1, 2 << len(cells)):
        height = code.bit_length() - 1
        contents.append(tuple(1 + (code >> place & 1) if place < height else 0 for place in range(len(cells))))
    return Digit(tuple(cells), tuple(contents), tuple(max(0, code.bit_length() - 1) for code in range(len(contents))))


def _group(cells: Sequence[int]) -> Digit:
    contents: list[tuple[int, ...] | None] = [None] * 4 ** len(cells)
    for held in product(range(3), repeat=len(cells)):
        contents[sum(stone << 2 * place for place, stone in enumerate(held))] = held
    weights = tuple(0 if held is None else sum(stone > 0 for stone in held) for held in contents)
    return Digit(tuple(cells), tuple(contents), weights)


def _placings(digits: Sequence[Digit], falling: bool) -> list[tuple[int, Digit, range]]:
    """Return the digit of each action and the places in it that a stone may go to: any that is free in a column."""
    if falling:
        return [(number, digit, range(len(digit.cells))) for number, digit in enumerate(digits)]
    return [
        (number, digit, range(place, place + 1))
        for number, digit in enumerate(digits)
        for place in range(len(digit.cells))
    ]


def _placed(number: int, digit: Digit, places: range, stone: int) -> Change:
    """Return the change by a stone at the first of some places that is free."""
    to = [NO_CODE] * len(digit.contents)
    for code, held in enumerate(digit.contents):
        free = next((place for place in places if held is not None and held[place] == 0), None)
        if held is not None and free is not None:
            to[code] = digit.contents.index((*held[:free], stone, *held[free + 1 :]))
    return Change(number, tuple(to))


def _held(digits: Sequence[Digit], line: Sequence[int], stone: int) -> Pattern:
    """Return the positions in which all cells of a line hold a stone."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for number, digit in enumerate(digits):
        places = [place for place, cell in enumerate(digit.cells) if cell in line]
        if places:
            codes = [
                code
                for code, held in enumerate(digit.contents)
                if held is not None and all(held[place] == stone for place in places)
            ]
            found.append((number, tuple(codes)))
    return Pattern(tuple(number for number, _ in found), tuple(codes for _, codes in found))


__all__ = ["Action", "digits_of_lines"]
