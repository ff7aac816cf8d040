"""The digits of games of lines: columns with a guard bit where stones fall, and groups of cells where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final

from searchbench.index.digits import NO_CODE, Action, Change, Digit, Digits, Pattern

if TYPE_CHECKING:
    from searchbench.families.lines import LineBoard

GROUPED: Final = 3
"""Cells of a digit where stones do not fall: 64 codes, one word."""
HIGHEST: Final = 6
"""The most cells of a column in one digit: the codes of one height then lie in one word. Taller columns are cut."""


@lru_cache(maxsize=64)
def digits_of_lines(board: LineBoard) -> Digits | None:
    """Return the digits of a game in which who completes a line of the board wins, None without lines.

    The code of a column is a guard bit above the colours of its stones: 1 << height | colours, of the stone at the bottom in
    the lowest bit. That of a group of cells has two bits for each: 1 the first player's stone, 2 the second's.
    """
    if not board.lines:
        return None
    if any(len(stack) > 1 for stack in board.stacks):
        pieces = [piece for stack in board.stacks for piece in _cut(stack)]
        digits = [_column(cells) for _, cells in pieces]
        actions = tuple(
            tuple(
                (*([_full(number - 1, digits[number - 1])] if above else []), _fallen(number, digits[number], stone))
                for number, (above, _) in enumerate(pieces)
            )
            for stone in (1, 2)
        )
    else:
        cells = range(len(board.places))
        digits = [_group(cells[first : first + GROUPED]) for first in range(0, len(cells), GROUPED)]
        actions = tuple(
            tuple(
                (_placed(number, digit, range(place, place + 1), stone),)
                for number, digit in enumerate(digits)
                for place in range(len(digit.cells))
            )
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


def _cut(stack: Sequence[int]) -> list[tuple[bool, Sequence[int]]]:
    """Return the pieces of a column from below, about equally high, and of each whether it lies above another."""
    count = -(-len(stack) // HIGHEST)
    ends = [len(stack) * piece // count for piece in range(count + 1)]
    return [(low > 0, stack[low:high]) for low, high in pairwise(ends)]


def _full(number: int, digit: Digit) -> Change:
    """Return the change that leaves a piece of a column as it is, and asks that it be full."""
    to = (code if held is not None and all(held) else NO_CODE for code, held in enumerate(digit.contents))
    return Change(number, tuple(to))


def _fallen(number: int, digit: Digit, stone: int) -> Change:
    return _placed(number, digit, range(len(digit.cells)), stone)


def _placed(number: int, digit: Digit, places: range, stone: int) -> Change:
    """Return the change by a stone at the first of some places that is free."""
    codes = {held: code for code, held in enumerate(digit.contents) if held is not None}
    to = [NO_CODE] * len(digit.contents)
    for held, code in codes.items():
        free = next((place for place in places if held[place] == 0), None)
        if free is not None:
            to[code] = codes[*held[:free], stone, *held[free + 1 :]]
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
