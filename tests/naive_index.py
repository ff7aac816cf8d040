"""The obvious twins of the indexes: lists of all contents in order, and textbook algorithms on Python's long integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations, product
from math import comb, factorial

Contents = tuple[int, ...]


# --- all contents of the cells, in the order of their numbers ----------------------------------------------------------


def inversions(values: Sequence[int]) -> int:
    """Count the pairs in the wrong order."""
    return sum(above > below for above, below in combinations(values, 2))


def lexicographic(n: int, even: bool = False) -> list[Contents]:
    """Return the permutations in the order of itertools."""
    return [values for values in permutations(range(n)) if not even or inversions(values) % 2 == 0]


def myrvold_ruskey(n: int, even: bool = False) -> list[Contents]:
    """Return the permutations in the order of Myrvold and Ruskey.

    The even ones in the order of their numbers modulo n!/2: of two numbers that differ by n!/2 one is even.
    """
    everything = [unrank_myrvold_ruskey(n, number) for number in range(factorial(n))]
    if not even or n < 2:
        return everything
    half = len(everything) // 2
    return [
        one if inversions(one) % 2 == 0 else two for one, two in zip(everything[:half], everything[half:], strict=True)
    ]


def multiset(counts: Contents) -> list[Contents]:
    """Return the different permutations of a multiset, sorted."""
    return sorted(set(permutations([kind for kind, count in enumerate(counts) for _ in range(count)])))


def one_empty(pieces: Contents) -> list[Contents]:
    """Return the pieces in all orders, each with an empty cell before, between and behind them."""
    return [with_one_empty(word, place) for word in multiset(pieces) for place in range(len(word) + 1)]


def with_one_empty(word: Contents, place: int) -> Contents:
    """Return pieces with an empty cell, 0, at a place; a piece of kind k is 1 + k."""
    kinds = [1 + kind for kind in word]
    return (*kinds[:place], 0, *kinds[place:])


def combination(cells: int, ones: int) -> list[Contents]:
    """Return the words with so many ones, by value."""
    return [(word,) for word in range(1 << cells) if bin(word).count("1") == ones]


def composition(total: int, boxes: int) -> list[Contents]:
    """Return the cells that add up to the total, sorted."""
    return [cells for cells in product(range(total + 1), repeat=boxes) if sum(cells) == total]


def radix(bases: Contents) -> list[Contents]:
    """Return all digits, sorted."""
    return list(product(*map(range, bases)))


def products(*factors: list[Contents]) -> list[Contents]:
    """Return the contents of several indexes side by side."""
    return [sum(chosen, ()) for chosen in product(*factors)]


def image(contents: Contents, symmetry: Contents) -> Contents:
    """Return the contents of the cells, each taken where the symmetry says."""
    moved = [0] * len(contents)
    for cell, target in enumerate(symmetry):
        moved[target] = contents[cell]
    return tuple(moved)


def image_of_bits(contents: Contents, symmetry: Contents) -> Contents:
    """Return bitboards with their bits taken where the symmetry says."""
    return tuple(sum(1 << target for bit, target in enumerate(symmetry) if word >> bit & 1) for word in contents)


def orbit(contents: Contents, symmetries: Iterable[Contents], bits: bool = False) -> set[Contents]:
    """Return everything that the symmetries make of some contents."""
    move = image_of_bits if bits else image
    found = {contents}
    while True:
        more = found | {move(one, symmetry) for one in found for symmetry in symmetries}
        if more == found:
            return found
        found = more


def representatives(everything: list[Contents], symmetries: Iterable[Contents], bits: bool = False) -> list[Contents]:
    """Return those that come first in the list of all the contents symmetric to them."""
    met: set[Contents] = set()
    first = []
    for contents in everything:
        if contents not in met:
            first.append(contents)
            met |= orbit(contents, symmetries, bits)
    return first


# --- one number, however large -----------------------------------------------------------------------------------------


def unrank_lexicographic(n: int, number: int) -> Contents:
    """Take value after value out of a list of those that are free."""
    free = list(range(n))
    values = []
    for left in range(n - 1, -1, -1):
        digit, number = divmod(number, factorial(left))
        values.append(free.pop(digit))
    return tuple(values)


def unrank_myrvold_ruskey(n: int, number: int) -> Contents:
    """Unrank as in the paper (unrank1), with an array and by recursion."""
    values = list(range(n))

    def unrank(size: int, rest: int) -> None:
        if size > 0:
            values[size - 1], values[rest % size] = values[rest % size], values[size - 1]
            unrank(size - 1, rest // size)

    unrank(n, number)
    return tuple(values)


def rank_myrvold_ruskey(values: Sequence[int]) -> int:
    """Rank as in the paper (rank1), with two arrays and by recursion."""
    places = list(values)
    inverse = [places.index(value) for value in range(len(places))]

    def rank(size: int) -> int:
        if size == 1:
            return 0
        digit = places[size - 1]
        where = inverse[size - 1]
        places[size - 1], places[where] = places[where], places[size - 1]
        inverse[digit], inverse[size - 1] = inverse[size - 1], inverse[digit]
        return digit + size * rank(size - 1)

    return rank(len(places))


def arrangements(counts: Sequence[int]) -> int:
    """Return the multinomial coefficient by factorials."""
    number = factorial(sum(counts))
    for count in counts:
        number //= factorial(count)
    return number


def unrank_multiset(counts: Contents, number: int) -> Contents:
    """Skip kind after kind in each cell with all arrangements of what would be left."""
    left = list(counts)
    contents = []
    for _ in range(sum(counts)):
        for kind, count in enumerate(left):
            if count == 0:
                continue
            left[kind] -= 1
            ways = arrangements(left)
            if number < ways:
                contents.append(kind)
                break
            number -= ways
            left[kind] += 1
    return tuple(contents)


def unrank_combination(cells: int, ones: int, number: int) -> Contents:
    """Decide bit after bit from the highest: all words without it come first."""
    word = 0
    for bit in range(cells - 1, -1, -1):
        without = comb(bit, ones)
        if number >= without:
            number -= without
            word |= 1 << bit
            ones -= 1
    return (word,)


def unrank_composition(total: int, boxes: int, number: int) -> Contents:
    """Skip content after content of each box with all that the boxes behind it can hold then."""
    contents = []
    for behind in range(boxes - 1, 0, -1):
        content = 0
        while number >= (ways := comb(total - content + behind - 1, behind - 1)):
            number -= ways
            content += 1
        contents.append(content)
        total -= content
    return (*contents, total)


def unrank_radix(bases: Contents, number: int) -> Contents:
    """Divide by the bases, the last one first."""
    digits = []
    for base in reversed(bases):
        number, digit = divmod(number, base)
        digits.append(digit)
    return tuple(reversed(digits))
