"""Digits: a game told by tables, from which decision diagrams of its positions and bit-parallel kernels are derived.

A state is cut into *digits*: groups of cells that are read together. What the cells of a digit hold is its *content*, and
each content has a *code*. A move changes the codes of some digits by tables, and raises the sum of the codes' *weights* by
one: so positions lie in *layers*, and a move leads to the next layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.rules import UNDECIDED

NO_CODE = -1
"""Stands in a table of codes for contents that do not occur, or that an action does not apply to."""
WORD = 64
"""Codes in one word: all members of a last digit's node must lie in one."""


class Field(NamedTuple):
    """Some bits of a cell: its number shifted right, and masked. A mask of -1 takes all bits that are left."""

    shift: int
    mask: int


WHOLE: Final = Field(0, -1)
"""All of a cell."""


class Digit(NamedTuple):
    """Some cells of a state; ``contents[code]`` is what they hold (None: a code without use), `weights[code]` its weight.

    Cells hold numbers from 0 on. Of a cell with many bits a digit may have a field: `fields` are those of all cells, none where
    it has them whole. The field with the highest bits of a cell has the mask -1, and comes first.
    """

    cells: tuple[int, ...]
    contents: tuple[tuple[int, ...] | None, ...]
    weights: tuple[int, ...]
    fields: tuple[Field, ...] = ()

    @property
    def bits(self) -> int:
        """Return the number of bits of a code."""
        return max(1, (len(self.contents) - 1).bit_length())

    @property
    def places(self) -> list[tuple[int, Field]]:
        """Return each cell with the field that the digit has of it."""
        return list(zip(self.cells, self.fields or [WHOLE] * len(self.cells), strict=True))


class Change(NamedTuple):
    """What an action does to a digit: ``to[code]`` is the code after it, NO_CODE where it cannot be made."""

    digit: int
    to: tuple[int, ...]


class Pattern(NamedTuple):
    """A set of positions: those in which each of some digits has one of some codes."""

    digits: tuple[int, ...]
    codes: tuple[tuple[int, ...], ...]


Action = tuple[Change, ...]


class Digits(NamedTuple):
    """Tell a game by its digits.

    ``actions[n % len(actions)]`` are the actions of the player who moves in layer n. A position of layer n + 1 is lost for
    the player to move if it lies in one of the patterns ``lost[n % len(lost)]``; all other positions in which an action is
    possible are undecided. `stuck` is the result for the player to move where no action is possible: -1, 0 or +1. Digits without
    actions tell what codes mean, and no more: then all positions are one layer.
    """

    digits: tuple[Digit, ...]
    actions: tuple[tuple[Action, ...], ...]
    lost: tuple[tuple[Pattern, ...], ...]
    stuck: int = 0

    @property
    def width(self) -> int:
        """Return the number of cells of a state."""
        return len({cell for digit in self.digits for cell in digit.cells})

    @property
    def most_codes(self) -> int:
        """Return the largest number of codes of a digit."""
        return max(len(digit.contents) for digit in self.digits)

    def codes(self, state: Sequence[int]) -> tuple[int, ...] | None:
        """Return the codes of a state; None if some cells hold what no code stands for."""
        found = []
        for digit in self.digits:
            content = tuple(state[cell] >> field.shift & field.mask for cell, field in digit.places)
            if content not in digit.contents:
                return None
            found.append(digit.contents.index(content))
        return tuple(found)

    def state(self, codes: Sequence[int]) -> list[int]:
        """Return the state with these codes."""
        state = [0] * self.width
        for digit, code in zip(self.digits, codes, strict=True):
            content = digit.contents[code]
            assert content is not None
            for (cell, field), value in zip(digit.places, content, strict=True):
                state[cell] |= value << field.shift
        return state

    def weight(self, codes: Sequence[int]) -> int:
        """Return the sum of the weights of some codes."""
        return sum(digit.weights[code] for digit, code in zip(self.digits, codes, strict=True))

    def after(self, codes: Sequence[int], action: Action) -> tuple[int, ...] | None:
        """Return the codes after an action, None where it cannot be made."""
        moved = list(codes)
        for change in action:
            moved[change.digit] = change.to[codes[change.digit]]
            if moved[change.digit] == NO_CODE:
                return None
        return tuple(moved)

    def result(self, codes: Sequence[int], layer: int) -> int:
        """Return the result of a position of a layer for the player to move, or UNDECIDED."""
        if layer > 0:
            for pattern in self.lost[(layer - 1) % len(self.lost)]:
                if all(codes[digit] in wanted for digit, wanted in zip(*pattern, strict=True)):
                    return -1
        own = self.actions[layer % len(self.actions)]
        return UNDECIDED if any(self.after(codes, action) for action in own) else self.stuck


def table_faults(digits: Digits, width: int) -> Iterator[str]:
    """Yield what is wrong with the tables themselves, of a game whose states have `width` cells."""
    cells = sorted({cell for digit in digits.digits for cell in digit.cells})
    if cells != list(range(width)):
        yield f"the digits have the cells {cells}: expected each of 0 to {width - 1} once"
        return
    for cell in cells:
        if fault := _field_fault([field for digit in digits.digits for own, field in digit.places if own == cell]):
            yield f"cell {cell}: {fault}"
            return
    for place, digit in enumerate(digits.digits):
        used = [content for content in digit.contents if content is not None]
        if len(digit.weights) != len(digit.contents):
            yield f"digit {place} has {len(digit.contents)} contents and {len(digit.weights)} weights"
        elif any(len(content) != len(digit.cells) for content in used) or len(set(used)) < len(used):
            yield f"digit {place}: each content shall be unlike all others, and have a number for each of its cells"
        elif any(value < 0 for content in used for value in content):
            yield f"digit {place}: cells hold numbers from 0 on"
    if not digits.actions or not digits.lost:
        yield "`actions` and `lost` need an entry for each player who moves in turn"
    for player, actions in enumerate(digits.actions):
        for number, action in enumerate(actions):
            for fault in _action_faults(digits, action):
                yield f"action {number} of player {player}: {fault}"
    for pattern in (one for patterns in digits.lost for one in patterns):
        if len(set(pattern.digits)) < len(pattern.digits) or len(pattern.digits) != len(pattern.codes):
            yield f"the pattern {pattern} names a digit twice, or not as many digits as sets of codes"


def _field_fault(fields: list[Field]) -> str:
    """Return what is wrong with the fields of a cell, "" if they have each of its bits once, the highest first."""
    if fields == [WHOLE] * len(fields) and len(fields) > 1:
        return f"{len(fields)} digits have it, expected one"
    if fields[0].mask != -1:
        return "the first of its fields shall have all of the highest bits: the mask -1"
    stop = fields[0].shift
    for field in fields[1:]:
        if not 0 <= field.shift < stop or field.mask != (1 << (stop - field.shift)) - 1:
            return f"the field {tuple(field)} does not end where the one before begins, at bit {stop}"
        stop = field.shift
    return "" if stop == 0 else f"bits 0 to {stop - 1} are in no field"


def _action_faults(digits: Digits, action: Action) -> Iterator[str]:
    touched = [change.digit for change in action]
    if not touched or len(set(touched)) < len(touched):
        yield f"it touches the digits {touched}: expected each at most once, and at least one"
        return
    rise = 0
    for digit, to in action:
        told = digits.digits[digit]
        if len(to) != len(told.contents):
            yield f"it has {len(to)} codes for digit {digit}, which has {len(told.contents)}"
            return
        pairs = [(code, after) for code, after in enumerate(to) if after != NO_CODE]
        if any(told.contents[code] is None or told.contents[after] is None for code, after in pairs):
            yield f"on digit {digit} it leads from or to a code without content"
        if any(one[1] >= other[1] for one, other in pairwise(pairs)):
            yield f"its codes after are not increasing on digit {digit}: larger codes shall lead to larger codes"
        rises = {told.weights[after] - told.weights[code] for code, after in pairs}
        if len(rises) > 1:
            yield f"on digit {digit} it raises the weight by {sorted(rises)}: expected always the same"
            return
        rise += sum(rises)
    if rise != 1:
        yield f"it raises the weight by {rise}: expected 1, for a move leads to the next layer"


class CodeTables(NamedTuple):
    """The digits as arrays: from cells to codes and back, and the weights."""

    digit_cells: npt.NDArray[np.int64]
    digit_shift: npt.NDArray[np.int64]
    digit_mask: npt.NDArray[np.int64]
    digit_base: npt.NDArray[np.int64]
    digit_code: npt.NDArray[np.int16]
    digit_content: npt.NDArray[np.int16]
    digit_weight: npt.NDArray[np.int16]


def code_tables(digits: Digits) -> CodeTables:
    """Return the tables.

    They are cells [digit, place], -1 behind the last, with the shift and the mask of each; base [digit, place] of the number
    that a digit's cells make, each of its own base; code [digit, number]; content [digit, code, place]; weight [digit, code].
    """
    count, most = len(digits.digits), max(len(digit.cells) for digit in digits.digits)
    cells, bases = np.full((count, most), -1, np.int64), np.ones((count, most), np.int64)
    shifts, masks = np.zeros((count, most), np.int64), np.full((count, most), -1, np.int64)
    for place, digit in enumerate(digits.digits):
        cells[place, : len(digit.cells)] = digit.cells
        for at, (_, field) in enumerate(digit.places):
            shifts[place, at], masks[place, at] = field
        for values in digit.contents:
            if values is not None:
                bases[place, : len(values)] = np.maximum(bases[place, : len(values)], 1 + np.array(values, np.int64))
    code = np.full((count, int(bases.prod(axis=1).max())), NO_CODE, np.int16)
    content = np.zeros((count, digits.most_codes, most), np.int16)
    weight = np.zeros((count, digits.most_codes), np.int16)
    for place, digit in enumerate(digits.digits):
        weight[place, : len(digit.weights)] = digit.weights
        for number, values in enumerate(digit.contents):
            if values is not None:
                content[place, number, : len(values)] = values
                code[
                    place,
                    reduce(lambda before, one: before * one[0] + one[1], zip(bases[place], values, strict=False), 0),
                ] = number
    return CodeTables(cells, shifts, masks, bases, code, content, weight)
