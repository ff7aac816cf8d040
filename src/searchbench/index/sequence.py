"""Sequences: games described by how moves permute places, so that whole rows of numbers can be moved at once.

A state is a sequence of n elements and one of a few *places* (the empty cell of a sliding puzzle; a single place if
there is no such thing). A move changes the place and rearranges the sequence. The elements are all different, or pieces
of a few kinds that are equal within their kind; or they have two sides, as in burnt pancakes. The number of a state is
``lexicographic rank of the sequence * places + place``, or ``rank * 2^n + sides``. (Edelkamp 2017, hashing permutation
games, and hashing with multinomial coefficients.) The streaming search exploits that a move changes only the digits of
a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any, NamedTuple

from searchbench.errors import BadRequest
from searchbench.index.compose import Product, Radix
from searchbench.index.multiset import Multiset, multinomial
from searchbench.index.permutation import LexicographicPermutation
from searchbench.rules import State


class Rearrangement(NamedTuple):
    """A move: possible at the place `origin`, leads to the place `target`, and new[i] = old[order[i]].

    Two-sided elements that arrive at the places `turned` are turned over.
    """

    origin: int
    target: int
    order: tuple[int, ...]
    turned: tuple[int, ...] = ()

    @property
    def inverse(self) -> Rearrangement:
        """Return the inverse move."""
        back = [0] * len(self.order)
        for place, source in enumerate(self.order):
            back[source] = place
        return Rearrangement(
            self.target, self.origin, tuple(back), tuple(sorted(self.order[place] for place in self.turned))
        )

    @property
    def window(self) -> tuple[int, int]:
        """Return the smallest interval first .. stop - 1 outside which the sequence does not change (empty: 0, 0)."""
        moved = [place for place, source in enumerate(self.order) if place != source]
        return (moved[0], moved[-1] + 1) if moved else (0, 0)


def exchange(origin: int, target: int, cells: int) -> Rearrangement:
    """Return the move that exchanges the empty cell at `origin` with the element on the cell `target`.

    The sequence lists the elements on the other cells in order: an element passes all elements between the two cells.
    """
    before = [cell for cell in range(cells) if cell != origin]
    after = [target if cell == origin else cell for cell in range(cells) if cell != target]
    return Rearrangement(origin, target, tuple(map(before.index, after)))


@dataclass(frozen=True)
class Sequences:
    """Describe a game by rearrangements of n elements.

    With `pieces` there are ``pieces[k]`` equal elements of each kind k, n in all; without, the elements are 0 .. n - 1.
    With ``even=True`` only even permutations occur (of different elements). With ``two_sided=True`` each element has
    one of its two sides up; a state has the elements, then the sides, 0 or 1.
    """

    n: int
    places: int
    moves: tuple[Rearrangement, ...]
    even: bool = False
    pieces: tuple[int, ...] = ()
    two_sided: bool = False

    def __post_init__(self) -> None:
        for move in self.moves:
            if sorted(move.order) != list(range(self.n)):
                raise BadRequest(f"{move.order} is no rearrangement of {self.n} places")
            if not (0 <= move.origin < self.places and 0 <= move.target < self.places):
                raise BadRequest(f"a move from place {move.origin} to {move.target}: there are {self.places} places")
            if move.turned and not self.two_sided:
                raise BadRequest(f"a move turns {move.turned} over: the elements have but one side")
        if self.two_sided and (self.places > 1 or self.pieces):
            raise BadRequest("elements with two sides: expected one place, and no equal pieces")
        if self.pieces and sum(self.pieces) != self.n:
            raise BadRequest(f"pieces {self.pieces}: expected {self.n} in all, as many as the sequence has elements")
        if self.pieces and self.even:
            raise BadRequest("even permutations of equal pieces: exchanging two of a kind makes any permutation even")

    @property
    def rows(self) -> int:
        """Return the number of sequences."""
        if self.pieces:
            return multinomial(self.pieces)
        return factorial(self.n) // 2 if self.even and self.n > 1 else factorial(self.n)

    @property
    def size(self) -> int:
        """Return the number of states."""
        return self.rows * self.places << (self.n if self.two_sided else 0)

    @property
    def width(self) -> int:
        """Return the number of cells: the sequence, then the place if there are several, or the sides."""
        return self.n + (self.n if self.two_sided else self.places > 1)

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for a sequence in the cells from `at` on, then the place if there are several, or the sides."""
        n, places = self.n, self.places
        if self.two_sided:
            return Product(LexicographicPermutation(n, self.even), Radix((2,) * n)).functions(at)
        order = Multiset(self.pieces) if self.pieces else LexicographicPermutation(n, self.even)
        rank_sequence, unrank_sequence = order.functions(at)
        if places == 1:
            return rank_sequence, unrank_sequence

        def rank(state: State) -> int:
            number: int = rank_sequence(state)
            return number * places + int(state[at + n]) if number >= 0 else number

        def unrank(number: int, state: State) -> None:
            unrank_sequence(number // places, state)
            state[at + n] = number % places

        return rank, unrank

    @property
    def reversible(self) -> bool:
        """Tell whether a move undoes each move."""
        moves = set(self.moves)
        return all(move.inverse in moves for move in self.moves)

    @property
    def alternates(self) -> bool:
        """Tell whether every move changes the parity of the place: the move-alternation property."""
        return all((move.origin + move.target) % 2 == 1 for move in self.moves)
