"""The double-letter puzzle: two equal neighbours become the letter before or after theirs (Allis 1994, section 3.2).

Letters a to e stand in a circle. Strings that can be derived from an axiom are theorems; those of one letter solve it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

from searchbench.drawing import curves_svg
from searchbench.errors import BadRequest
from searchbench.run import Run
from searchbench.solvers.dependency import Attribute, Operator, System, search_by_dependency

LETTERS: Final = "abcde"
DEPTH_FIRST_LIMIT: Final = 1_000_000
TRANSPOSITION_LIMIT: Final = 100_000
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


def replaced(string: str) -> Iterator[str]:
    """Yield the strings after one operator."""
    for place in range(len(string) - 1):
        if string[place] == string[place + 1]:
            for letter in neighbours(string[place]):
                yield string[:place] + letter + string[place + 2 :]


def depth_first_nodes(axiom: str, limit: int = 0) -> int:
    """Count the nodes of a depth-first search without a table: all paths. Count at most `limit`, 0 for all."""
    known: dict[str, int] = {}  # equal strings have equally many paths, and no fewer than theorems

    def paths(string: str) -> int:
        if limit and len(known) >= limit:
            return limit
        if string not in known:
            known[string] = 1 + sum(map(paths, replaced(string)))
        return known[string]

    found = paths(checked(axiom))
    return min(found, limit) if limit else found


def distinct_theorems(axiom: str, limit: int = 0) -> int:
    """Count the nodes of a depth-first search with a table: the theorems; stop at `limit`, 0 for none."""
    seen = {checked(axiom)}
    stack = [axiom]
    while stack and not (limit and len(seen) >= limit):
        for after in replaced(stack.pop()):
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return min(len(seen), limit) if limit else len(seen)


@dataclass(frozen=True)
class Searched:
    """The nodes of four searches of one axiom, and the letters that solve it; a search that was stopped has its limit."""

    axiom: str
    depth_first: int
    transpositions: int
    dependency: int
    triangle: int
    letters: str

    @property
    def stopped(self) -> tuple[bool, bool]:
        """Return whether the depth-first searches without and with a table were stopped."""
        return self.depth_first == DEPTH_FIRST_LIMIT, self.transpositions == TRANSPOSITION_LIMIT


def searched(axiom: str) -> Searched:
    """Search an axiom in four ways (Allis 1994, section 3.6). Raises BadRequest; AssertionError if two ways differ."""
    found = search_by_dependency(double_letter_system(axiom))
    letters = triangle(axiom)[0][-1]
    solved = "".join(sorted({theorem(node.state) for node in found.solutions}))
    if solved != letters or found.verify():
        raise AssertionError(f"{axiom}: the search by dependency finds {solved!r}, the triangle {letters!r}")
    return Searched(
        axiom, depth_first_nodes(axiom, DEPTH_FIRST_LIMIT), distinct_theorems(axiom, TRANSPOSITION_LIMIT),
        len(found.nodes), len(axiom) * (len(axiom) + 1) // 2, letters,
    )  # fmt: skip


METHODS: Final = {
    "depth_first": "depth first", "transpositions": "depth first, a table", "dependency": "by dependency", "triangle": "triangle",
}  # fmt: skip
"""The numbers of nodes in `Searched`, with the names of the searches."""


@dataclass(frozen=True)
class Comparison:
    """The searches of several axioms."""

    searches: tuple[Searched, ...]

    def mean(self, method: str, length: int) -> float:
        """Return the mean number of nodes of a method over the axioms of a length."""
        return fmean(getattr(one, method) for one in self.searches if len(one.axiom) == length)

    @property
    def lengths(self) -> list[int]:
        """Return the lengths of the axioms."""
        return sorted({len(one.axiom) for one in self.searches})

    @property
    def stopped(self) -> tuple[int, int]:
        """Return how many depth-first searches without and with a table were stopped."""
        return sum(one.stopped[0] for one in self.searches), sum(one.stopped[1] for one in self.searches)

    @property
    def means(self) -> dict[str, list[float]]:
        """Return the means of each method, by length."""
        return {method: [self.mean(method, length) for length in self.lengths] for method in METHODS}

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as printed with --json."""
        return {
            "axioms": [asdict(one) for one in self.searches], "stopped": list(self.stopped), "lengths": self.lengths,
            "means": {method: [round(one, 1) for one in ones] for method, ones in self.means.items()},
        }  # fmt: skip

    def rows(self) -> list[list[str]]:
        """Return a row for each length: the length, and the mean of each method."""
        columns = self.means.values()
        return [
            [str(length), *(f"{ones[place]:,.1f}" for ones in columns)] for place, length in enumerate(self.lengths)
        ]

    def svg(self) -> str:
        """Return the means as curves over the length, as in figure 3.5 of the thesis."""
        curves = {METHODS[method]: means for method, means in self.means.items()}
        return curves_svg(self.lengths, curves, "length of the axiom", "mean number of nodes")


def random_axioms(lengths: Iterable[int], count: int, seed: int = 1994) -> list[str]:
    """Return `count` random axioms of each length."""
    draw = random.Random(seed)
    return ["".join(draw.choices(LETTERS, k=length)) for length in lengths for _ in range(count)]


def compare_searches(axioms: Sequence[str], run: Run | None = None) -> Comparison:
    """Search axioms in four ways. Raises BadRequest."""
    if not axioms:
        raise BadRequest("no axiom to search: name strings of the letters a to e, such as aaccadd")
    with run or Run() as active:
        found = []
        for done, axiom in enumerate(axioms):
            active.progress("searching axioms", done, len(axioms))
            found.append(searched(axiom))
    return Comparison(tuple(found))
