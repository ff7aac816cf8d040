"""The double-letter puzzle: two equal neighbours become the letter before or after theirs (Allis 1994, section 3.2).

Letters a to e stand in a circle. Strings that can be derived from an axiom are theorems; those of one letter solve it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from searchbench.errors import BadRequest
from searchbench.solvers.dependency import Attribute, Operator, System

LETTERS: Final = "abcde"
Letter = tuple[int, int, str]
"""An attribute: a letter made of the axiom's letters from a place to a place, both included."""


def neighbours(letter: str) -> tuple[str, str]:
    """Return the letters before and after a letter in the circle."""
    place = LETTERS.index(letter)
    return LETTERS[place - 1], LETTERS[(place + 1) % len(LETTERS)]


def checked(axiom: str) -> str:
    """Return an axiom. Raises BadRequest if it is not made of the letters a to e."""
    if not axiom or set(axiom) - set(LETTERS):
        raise BadRequest(f"{axiom!r} is no axiom of the double-letter puzzle: give one or more of the letters a to e")
    return axiom


def double_letter_system(axiom: str) -> System:
    """Return the puzzle as a system of operators. Raises BadRequest."""
    last = len(checked(axiom)) - 1
    made: dict[tuple[Letter, Letter], tuple[Operator, ...]] = {}

    def replacements(left: Letter, right: Letter) -> tuple[Operator, ...]:
        if (left, right) not in made:
            used: frozenset[Attribute] = frozenset((left, right))
            made[left, right] = tuple(
                Operator(f"{left[0]}-{right[1]}:{letter}", used, frozenset({(left[0], right[1], letter)}), used)
                for letter in neighbours(left[2])
            )
        return made[left, right]

    def operators(state: frozenset[Attribute], among: AbstractSet[Attribute]) -> Iterator[Operator]:
        row: list[Letter] = sorted(state)  # type: ignore[arg-type]
        for left, right in pairwise(row):
            if left[2] == right[2] and (not among or left in among or right in among):
                yield from replacements(left, right)

    initial = frozenset[Attribute]((place, place, letter) for place, letter in enumerate(axiom))
    return System(initial, operators, tuple(frozenset[Attribute]({(0, last, letter)}) for letter in LETTERS), meet)


def meet(one: Attribute, other: Attribute) -> bool:
    """Tell whether two letters are equal and stem from adjacent places, or are one."""
    first: Letter = one  # type: ignore[assignment]
    second: Letter = other  # type: ignore[assignment]
    if first[2] != second[2]:
        return False
    return first[1] + 1 == second[0] or second[1] + 1 == first[0] or first == second


def triangle(axiom: str) -> list[list[str]]:
    """Return, for each place i and each j from i on, the letters that places i to j can become (appendix A).

    The last entry of the first row solves the puzzle. Raises BadRequest.
    """
    size = len(checked(axiom))
    entries: dict[tuple[int, int], set[str]] = {(place, place): {letter} for place, letter in enumerate(axiom)}
    for length in range(1, size):
        for start in range(size - length):
            entries[start, start + length] = {
                after
                for cut in range(start, start + length)
                for letter in entries[start, cut] & entries[cut + 1, start + length]
                for after in neighbours(letter)
            }
    return [["".join(sorted(entries[row, column])) for column in range(row, size)] for row in range(size)]


def theorem(state: frozenset[Attribute]) -> str:
    """Return the string of a state."""
    row: list[Letter] = sorted(state)  # type: ignore[arg-type]
    return "".join(letter for _, _, letter in row)
