"""Every index is one to one and in the promised order: fully where it is small, by samples up to 2^63, in both targets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import permutations, product
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_index as naive
from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.index import (
    Combination,
    Composition,
    Index,
    LexicographicPermutation,
    Multiset,
    MyrvoldRuskeyPermutation,
    OneEmpty,
    Orbits,
    Part,
    Product,
    Radix,
    Sum,
    group,
    multinomial,
    polya_count,
)
from searchbench.index.contract import rank, unrank
from searchbench.index.table import LARGEST_TABLE
from searchbench.rules import NOWHERE

Contents = tuple[int, ...]

# --- kernels -----------------------------------------------------------------------------------------------------------


def there_and_back(numbers: Any, state: Any, contents: Any, back: Any) -> None:
    """Unrank numbers, note the whole state, and rank it again."""
    for row in range(len(numbers)):
        unrank(int(numbers[row]), state)
        for cell in range(len(state)):
            contents[row, cell] = state[cell]
        back[row] = rank(state)


def first_fault(start: int, stop: int, ordered: bool, state: Any, before: Any) -> int:
    """Return the first number whose state has another rank, or does not come behind the one before; -1 if all is well."""
    for number in range(start, stop):
        for cell in range(len(state)):
            before[cell] = state[cell]
        unrank(number, state)
        if rank(state) != number:
            return number
        if ordered and number > start:
            cell = 0
            while cell < len(state) and before[cell] == state[cell]:
                cell += 1
            if cell == len(state) or before[cell] > state[cell]:
                return number
    return -1


def ranks_of(contents: Any, state: Any, back: Any) -> None:
    """Rank the contents of cells."""
    for row in range(len(contents)):
        for cell in range(len(state)):
            state[cell] = contents[row, cell]
        back[row] = rank(state)


def names(index: Index, at: int = 0) -> jit.Names:
    """Return rank and unrank for kernels."""
    ranks, unranks = index.functions(at)
    return jit.Names({"rank": ranks, "unrank": unranks})


GUARD = 77
"""Stands in the cells beside the index's own."""


def compiled(index: Index, numbers: Sequence[int]) -> tuple[list[Contents], list[int]]:
    """Return contents and ranks again, compiled, with a cell that must not be touched on either side."""
    state = np.full(index.width + 2, GUARD, np.int64 if has_words(index) else np.int8)
    contents = np.zeros((len(numbers), len(state)), np.int64)
    back = np.zeros(len(numbers), np.int64)
    jit.bind(there_and_back, names(index, 1))(np.array(numbers, np.int64), state, contents, back)
    assert (contents[:, 0] == GUARD).all()
    assert (contents[:, -1] == GUARD).all()
    return [tuple(row) for row in contents[:, 1:-1].tolist()], back.tolist()


def interpreted(index: Index, numbers: Sequence[int]) -> tuple[list[Contents], list[int]]:
    """Return contents and ranks again, interpreted on a list of int that stays one."""
    ranks, unranks = index.functions(1)
    contents, back = [], []
    for number in numbers:
        state = [GUARD] * (index.width + 2)
        unranks(number, state)
        contents.append(tuple(state[1:-1]))
        back.append(int(ranks(state)))
        assert tuple(state[1:-1]) == contents[-1], "rank changed the state"
        assert state[0] == state[-1] == GUARD
        assert all(type(cell) is int for cell in state)
    return contents, back


def has_words(index: Index) -> bool:
    """Tell whether a cell can hold more than a byte."""
    return "Combination" in str(index)


# --- all states of small indexes, against the twins ---------------------------------------------------------------------


def noughts_and_crosses(state: Any) -> int:
    """Return the number of marks on a board of five cells, from cell 1 on, if they are as many or one more crosses."""
    crosses = noughts = 0
    for cell in range(1, 6):
        crosses += state[cell] == 1
        noughts += state[cell] == 2
    return crosses + noughts if crosses == noughts or crosses == noughts + 1 else -1


def by_total(state: Any) -> int:
    """Return the part of MIXED by what the cells 1 to 3 add up to."""
    total = state[1] + state[2] + state[3]
    return total - 1 if 1 <= total <= 7 else -1


BOARDS = {f"{marks}": Multiset((5 - marks, (marks + 1) // 2, marks // 2)) for marks in range(6)}
TURN = ((1, 2, 0),)
MIXED: tuple[tuple[str, Index, list[Contents]], ...] = (
    ("one piece", Multiset((2, 1)), naive.multiset((2, 1))),
    ("two pieces", Multiset((1, 2)), naive.multiset((1, 2))),
    ("permutations", LexicographicPermutation(3), naive.lexicographic(3)),
    ("orbits", Orbits(Composition(4, 3), TURN), naive.representatives(naive.composition(4, 3), TURN)),
    ("five", Composition(5, 3), naive.composition(5, 3)),
    ("six", Composition(6, 3), naive.composition(6, 3)),
    (
        "five and two",
        Product(Composition(5, 2), Composition(2, 1)),
        naive.products(naive.composition(5, 2), naive.composition(2, 1)),
    ),
)

SQUARE = ((2, 5, 8, 1, 4, 7, 0, 3, 6), (2, 1, 0, 5, 4, 3, 8, 7, 6))
"""A quarter turn and a mirror image of a board of 3 x 3."""

SMALL: list[tuple[Index, list[Contents]]] = [
    *((LexicographicPermutation(n), naive.lexicographic(n)) for n in (1, 2, 6)),
    *((LexicographicPermutation(n, even=True), naive.lexicographic(n, even=True)) for n in (1, 2, 3, 7)),
    *((MyrvoldRuskeyPermutation(n), naive.myrvold_ruskey(n)) for n in (1, 2, 6)),
    *((MyrvoldRuskeyPermutation(n, even=True), naive.myrvold_ruskey(n, even=True)) for n in (1, 2, 3, 7)),
    *((Multiset(counts), naive.multiset(counts)) for counts in ((3, 0, 1), (4, 4), (2, 3, 3), (1, 2, 1, 2), (5,))),
    *((OneEmpty(pieces), naive.one_empty(pieces)) for pieces in ((1,), (3, 2), (2, 0, 1), (2, 2, 2))),
    *((Combination(*size), naive.combination(*size)) for size in ((1, 0), (7, 0), (7, 7), (10, 4))),
    *((Composition(*size), naive.composition(*size)) for size in ((0, 3), (5, 1), (4, 4), (6, 3))),
    *((Radix(bases), naive.radix(bases)) for bases in ((1,), (3, 1, 4, 2))),
    (
        Product(Radix((2,)), Multiset((2, 2)), LexicographicPermutation(3)),
        naive.products(naive.radix((2,)), naive.multiset((2, 2)), naive.lexicographic(3)),
    ),
    (Product(Composition(3, 2)), naive.composition(3, 2)),
    (Product(Combination(5, 2), Combination(4, 1)), naive.products(naive.combination(5, 2), naive.combination(4, 1))),
    (Sum(BOARDS, noughts_and_crosses), [board for part in BOARDS.values() for board in naive.multiset(part.counts)]),
    (Sum(tuple((name, index) for name, index, _ in MIXED), by_total), [one for _, _, part in MIXED for one in part]),
    (Orbits(Multiset((5, 2, 2)), SQUARE), naive.representatives(naive.multiset((5, 2, 2)), SQUARE)),
    (Orbits(Multiset((2, 2)), ((0, 1, 2, 3),)), naive.multiset((2, 2))),
    (
        Orbits(Combination(9, 4), SQUARE, bits=True),
        naive.representatives(naive.combination(9, 4), SQUARE, bits=True),
    ),
]


@pytest.mark.parametrize(
    ("index", "everything"), SMALL, ids=lambda value: str(value)[:60] if isinstance(value, Index) else ""
)
def test_all_states_in_order(index: Index, everything: list[Contents]) -> None:
    assert isinstance(index, Index)
    numbers = range(len(everything))
    assert index.size == len(everything)
    assert interpreted(index, numbers) == (everything, list(numbers))
    if index.size > 6:  # compiling takes longer than all the rest
        assert compiled(index, numbers) == (everything, list(numbers))


# --- all states of larger indexes, compiled -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "ordered"),
    [
        (LexicographicPermutation(9), True),
        (LexicographicPermutation(10, even=True), True),
        (MyrvoldRuskeyPermutation(9), False),
        (MyrvoldRuskeyPermutation(10, even=True), False),
        (Multiset((10, 10)), True),
        (Multiset((6, 4, 3)), True),
        (Combination(22, 8), True),
        (Composition(10, 10), True),
        (Radix((7, 10, 3, 11, 13, 20)), True),
        (Product(MyrvoldRuskeyPermutation(7), Multiset((4, 4))), False),
        (Orbits(Multiset((11, 4, 3)), ((*range(1, 18), 0),)), False),
    ],
    ids=str,
)
def test_all_states_compiled(index: Index, ordered: bool) -> None:
    assert 10**4 < index.size < 2 * 10**6
    dtype = np.int64 if has_words(index) else np.int8
    state, before = np.zeros(index.width, dtype), np.zeros(index.width, dtype)
    assert jit.bind(first_fault, names(index))(0, index.size, ordered, state, before) == -1


# --- samples of the largest -----------------------------------------------------------------------------------------------

Twin = Callable[[int], Contents]
NEAR_2_62 = (15, 14, 14)
THREE = (Multiset((10, 9, 5)), Multiset((9, 9, 6)), Multiset((6, 9, 9)))


def by_ones(state: Any) -> int:
    """Return 0, 1, 2 for 24 cells from cell 1 on with ten, nine, or six cells of kind 0."""
    none = 0
    for cell in range(1, 25):
        none += state[cell] == 0
    return 0 if none == 10 else 1 if none == 9 else 2 if none == 6 else -1


def unrank_three(number: int) -> Contents:
    """Find the part by going through all."""
    for part in THREE:
        if number < part.size:
            return naive.unrank_multiset(part.counts, number)
        number -= part.size
    raise AssertionError


LARGE: list[tuple[Index, Twin]] = [
    *((LexicographicPermutation(n), lambda i, n=n: naive.unrank_lexicographic(n, i)) for n in (12, 13, 14, 20)),
    *((MyrvoldRuskeyPermutation(n), lambda i, n=n: naive.unrank_myrvold_ruskey(n, i)) for n in (15, 16, 20)),
    *(
        (Multiset(counts), lambda i, counts=counts: naive.unrank_multiset(counts, i))
        for counts in ((6, 9, 9), (30, 30), NEAR_2_62, (1,) * 13, (2, 2, 1, 3, 1, 2, 1, 4, 1, 1), (1,) * 20)
    ),
    (OneEmpty((15, 15)), lambda i: naive.with_one_empty(naive.unrank_multiset((15, 15), i // 31), i % 31)),
    *((Combination(*size), lambda i, size=size: naive.unrank_combination(*size, i)) for size in ((60, 30), (63, 31))),
    *((Composition(*size), lambda i, size=size: naive.unrank_composition(*size, i)) for size in ((48, 12), (100, 14))),
    (Radix((7,) * 22), lambda i: naive.unrank_radix((7,) * 22, i)),
    (
        Product(MyrvoldRuskeyPermutation(14), Multiset((10, 10))),
        lambda i: (
            naive.unrank_myrvold_ruskey(14, i // comb(20, 10)) + naive.unrank_multiset((10, 10), i % comb(20, 10))
        ),
    ),
    (Sum({str(part.counts): part for part in THREE}, by_ones), unrank_three),
]


def sample(size: int) -> list[int]:
    """Return the ends, the edges of what floats and words hold, and random numbers of all magnitudes."""
    random.seed(size)
    edges = [0, 1, size - 2, size - 1]
    edges += [power + step for power in (2**31, 2**32, 2**40, 2**53, 2**62) for step in (-1, 0, 1)]
    anywhere = [random.randrange((size >> random.randrange(24)) + 1) for _ in range(60)]
    return sorted({number for number in edges + anywhere if number < size})


@pytest.mark.parametrize(
    ("index", "twin"), LARGE, ids=lambda value: str(value)[:60] if isinstance(value, Index) else ""
)
def test_samples_of_large_indexes(index: Index, twin: Twin) -> None:
    numbers = sample(index.size)
    expected = [twin(number) for number in numbers]
    assert interpreted(index, numbers) == (expected, numbers)
    assert compiled(index, numbers) == (expected, numbers)


def test_large_indexes_are_large() -> None:
    sizes = [index.size for index, _ in LARGE]
    assert sum(size > 1 << 40 for size in sizes) >= 12
    assert sum(size > 1 << 53 for size in sizes) >= 8
    assert sum(1 << 61 < size < 1 << 63 for size in sizes) >= 3
    assert 1 << 61 < multinomial(NEAR_2_62) < 1 << 63


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64])
@pytest.mark.parametrize(
    "index",
    [
        LexicographicPermutation(9), LexicographicPermutation(9, even=True), MyrvoldRuskeyPermutation(9),
        Multiset((3, 4, 5, 2)), Multiset((2,) * 9), OneEmpty((3, 4)), Composition(20, 9), Radix((100, 100, 100, 7)),
        Product(Radix((100,)), LexicographicPermutation(8)),
    ],
)  # fmt: skip
def test_cells_of_narrow_types_have_the_same_numbers(index: Index, kind: Any) -> None:
    """An interpreted rule may put a number of numpy's into a cell."""
    ranked, unranked = (names(index)[name] for name in ("rank", "unrank"))
    with np.errstate(over="raise"):
        for number in sample(index.size):
            state = [0] * index.width
            unranked(number, state)
            assert ranked(list(map(kind, state))) == number


@pytest.mark.parametrize("n", [12, 17, 20])
@pytest.mark.parametrize("kind", [LexicographicPermutation, MyrvoldRuskeyPermutation])
def test_samples_of_even_permutations(kind: Any, n: int) -> None:
    index = kind(n, even=True)
    numbers = sample(index.size)
    expected = []
    for number in numbers:
        if kind is LexicographicPermutation:
            pair = [naive.unrank_lexicographic(n, 2 * number + odd) for odd in (0, 1)]
        else:
            pair = [naive.unrank_myrvold_ruskey(n, number + odd * factorial(n) // 2) for odd in (0, 1)]
        expected += [values for values in pair if naive.inversions(values) % 2 == 0]
    assert interpreted(index, numbers) == (expected, numbers)
    assert compiled(index, numbers) == (expected, numbers)


def test_the_twin_of_myrvold_and_ruskey_is_its_own_inverse() -> None:
    for number in range(factorial(6)):
        assert naive.rank_myrvold_ruskey(naive.unrank_myrvold_ruskey(6, number)) == number


# --- contents without a number ------------------------------------------------------------------------------------------


def cells(low: int, high: int, width: int) -> list[Contents]:
    """Return everything that some cells can hold."""
    return list(product(range(low, high), repeat=width))


@pytest.mark.parametrize(
    ("index", "everything", "candidates"),
    [
        (Multiset((2, 1, 1)), naive.multiset((2, 1, 1)), cells(-1, 4, 4)),
        (Multiset((1,) * 13), [tuple(range(13))], [(0,) * 13, (12,) * 13, (*range(12), 13), (*range(12), -1)]),
        (OneEmpty((2, 1)), naive.one_empty((2, 1)), cells(-1, 4, 4)),
        (Combination(5, 2), naive.combination(5, 2), cells(-40, 70, 1)),
        (Composition(4, 3), naive.composition(4, 3), cells(-2, 7, 3)),
        (Radix((2, 3, 1)), naive.radix((2, 3, 1)), cells(-2, 4, 3)),
        (
            Product(Composition(1, 2), Radix((2,))),
            naive.products(naive.composition(1, 2), naive.radix((2,))),
            cells(-1, 3, 3),
        ),
        (LexicographicPermutation(5, even=True), naive.lexicographic(5, even=True), list(permutations(range(5)))),
        (MyrvoldRuskeyPermutation(5, even=True), naive.myrvold_ruskey(5, even=True), list(permutations(range(5)))),
        (MyrvoldRuskeyPermutation(5), naive.myrvold_ruskey(5), list(permutations(range(5)))),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, Index) else "",
)
def test_other_contents_are_nowhere(index: Index, everything: list[Contents], candidates: list[Contents]) -> None:
    number = {contents: place for place, contents in enumerate(everything)}
    expected = [number.get(contents, NOWHERE) for contents in candidates]
    ranks, _ = index.functions()
    assert [ranks(list(contents)) for contents in candidates] == expected
    back = np.zeros(len(candidates), np.int64)
    dtype = np.int64 if has_words(index) else np.int8
    jit.bind(ranks_of, names(index))(np.array(candidates, dtype), np.zeros(index.width, dtype), back)
    assert back.tolist() == expected


def test_sum_knows_no_state_without_a_part() -> None:
    index = Sum(BOARDS, noughts_and_crosses)
    ranks, _ = index.functions(1)
    numbers = {board: place for place, board in enumerate(SMALL_BOARDS)}
    for board in cells(0, 3, 5):
        assert ranks([0, *board]) == numbers.get(board, NOWHERE)
    ranks, _ = Sum({"all": Multiset((1, 1))}, lambda state: 1).functions()
    assert ranks([0, 1]) == NOWHERE


SMALL_BOARDS = [board for part in BOARDS.values() for board in naive.multiset(part.counts)]


# --- parts ----------------------------------------------------------------------------------------------------------------


def test_parts_are_intervals_of_the_number_line() -> None:
    index = Sum({"one": Multiset((1, 2)), "two": Multiset((2, 1)), "six": LexicographicPermutation(3)}, by_total)
    assert index.parts({"one": (), "two": ("one", "two"), "six": ("two",)}) == [
        Part("one", 0, 3, ()),
        Part("two", 3, 6, ("one", "two")),
        Part("six", 6, 12, ("two",)),
    ]
    assert [part.needs for part in index.parts()] == [("one", "two", "six")] * 3
    with pytest.raises(BadRequest, match=r"\['three'\]"):
        index.parts({"one": (), "two": (), "six": ("three",)})
    with pytest.raises(BadRequest, match=r"\['six'\]"):
        index.parts({"one": (), "two": ()})


def test_a_sum_is_hashable_and_equal_to_its_like() -> None:
    one, two = Sum({"a": Multiset((1, 2))}, by_total), Sum((("a", Multiset((1, 2))),), by_total)
    assert one == two
    assert hash(one) == hash(two)


def over_20000(state: Any) -> int:
    """Return how much two cells hold together beyond 20000."""
    return int(state[0] + state[1] - 20000)


def test_tables_too_large_for_one_array_are_kept_apart() -> None:
    parts = [Composition(20000 + more, 2) for more in range(4)]
    tables = [part.table().nbytes for part in parts]
    assert sum(tables) > LARGEST_TABLE > sum(tables[:3])
    index = Sum({str(part): part for part in parts}, over_20000)
    state, before = np.zeros(2, np.int32), np.zeros(2, np.int32)
    kernel = jit.bind(first_fault, names(index))
    assert kernel(0, index.size, False, state, before) == -1
    for start, part in enumerate(parts):
        first = sum(part.size for part in parts[:start])
        assert kernel(first, first + part.size, True, state, before) == -1


# --- orbits and their number ----------------------------------------------------------------------------------------------


def test_orbits_have_one_number_for_all_symmetric_states() -> None:
    inner = naive.multiset((4, 3, 2))
    for index, everything, bits in (
        (Orbits(Multiset((4, 3, 2)), SQUARE), inner, False),
        (Orbits(Product(Combination(9, 2), Combination(9, 1)), SQUARE, bits=True), None, True),
    ):
        contents = everything or naive.products(naive.combination(9, 2), naive.combination(9, 1))
        ranks, _ = index.functions()
        canonical = index.canonical()
        first = naive.representatives(contents, SQUARE, bits)
        assert index.size == len(first)
        for number, representative in enumerate(first):
            for one in naive.orbit(representative, SQUARE, bits):
                state = list(one)
                assert ranks(state) == number
                assert tuple(state) == one
                canonical(state)
                assert tuple(state) == representative


def test_orbits_know_no_other_contents() -> None:
    index = Orbits(Multiset((4, 3, 2)), SQUARE)
    ranks, _ = index.functions()
    state = [0] * 9
    assert ranks(state) == NOWHERE
    index.canonical()(state)
    assert state == [0] * 9


symmetries_and_counts = st.integers(1, 6).flatmap(
    lambda width: st.tuples(
        st.lists(st.permutations(range(width)).map(tuple), min_size=1, max_size=3).map(tuple),
        st.lists(st.integers(0, 2), min_size=width, max_size=width).map(
            lambda kinds: tuple(kinds.count(kind) for kind in range(3))
        ),
    )
)


@given(symmetries_and_counts)
def test_polya_counts_the_orbits(case: tuple[tuple[Contents, ...], Contents]) -> None:
    symmetries, counts = case
    orbits = naive.representatives(naive.multiset(counts), symmetries)
    assert polya_count(symmetries, counts) == len(orbits)


def test_groups() -> None:
    assert len(group(SQUARE)) == 8
    assert group(SQUARE)[0] == tuple(range(9))
    assert set(group(group(SQUARE))) == set(group(SQUARE))
    assert len(group([(1, 2, 3, 4, 0), (1, 0, 2, 3, 4)])) == factorial(5)


def morris_symmetries() -> tuple[Contents, ...]:
    """Return a quarter turn, a mirror image and the exchange of the inner and the outer ring of 24 points."""

    def on_rings(ring: Callable[[int], int], point: Callable[[int], int]) -> Contents:
        return tuple(8 * ring(number // 8) + point(number % 8) for number in range(24))

    return (
        on_rings(lambda ring: ring, lambda point: (point + 2) % 8),
        on_rings(lambda ring: ring, lambda point: -point % 8),
        on_rings(lambda ring: 2 - ring, lambda point: point),
    )


MORRIS = {
    "4-3": 1_520_796, "4-4": 3_225_597, "5-3": 5_160_780, "5-4": 20_620_992, "5-5": 30_914_424, "6-3": 13_750_640,
    "6-4": 51_531_584, "6-5": 144_232_144, "6-6": 156_229_360, "7-3": 29_451_376, "7-4": 103_033_056,
    "7-5": 267_821_792, "7-6": 535_586_576, "7-7": 420_793_096, "8-3": 51_527_672, "8-4": 167_411_596,
    "8-5": 401_705_976,
}  # fmt: skip
"""Gasser 1995, section 5.4, the parts without unreachable positions; those with unequal numbers are both ways round."""


@pytest.mark.parametrize("part", MORRIS)
def test_polya_counts_of_nine_mens_morris(part: str) -> None:
    white, black = map(int, part.split("-"))
    both_ways = 1 if white == black else 2
    assert both_ways * polya_count(morris_symmetries(), (24 - white - black, white, black)) == MORRIS[part]


def test_three_stones_each_can_change_rings() -> None:
    rings = tuple((cell + 8) % 24 for cell in range(24))
    assert len(group(morris_symmetries())) == 16
    assert len(group((*morris_symmetries(), rings))) == 48
    assert polya_count((*morris_symmetries(), rings), (18, 3, 3)) == 56_922


def test_orbits_of_a_large_index() -> None:
    index = Orbits(Multiset((18, 3, 3)), morris_symmetries())
    assert index.index.size == 2_691_920
    assert index.size == polya_count(morris_symmetries(), (18, 3, 3)) == 169_626
    numbers = sample(index.size)
    contents, back = compiled(index, numbers)
    assert back == numbers
    assert contents == interpreted(index, numbers)[0]
    for one in contents:
        assert one == min(naive.orbit(one, morris_symmetries()))


# --- what is refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LexicographicPermutation(21), "1 to 20"),
        (lambda: MyrvoldRuskeyPermutation(0), "1 to 20"),
        (lambda: Multiset((32, 36)), "2\\^63"),
        (lambda: Multiset(()), "expected"),
        (lambda: Multiset((0, 0)), "expected"),
        (lambda: Multiset((3, -1)), "expected"),
        (lambda: OneEmpty((32, 33)), "2\\^63"),
        (lambda: OneEmpty((1,) * 16), "too many kinds"),
        (lambda: Combination(64, 1), "1 to 63 bits"),
        (lambda: Combination(5, 6), "at most as many ones"),
        (lambda: Composition(-1, 2), "expected"),
        (lambda: Composition(3, 0), "expected"),
        (lambda: Composition(100, 40), "2\\^63"),
        (lambda: Composition(10**6, 2).functions(), "table of 16000032 bytes"),
        (lambda: Radix((2,) * 63), "2\\^63"),
        (lambda: Radix((2, 0)), "at least 1"),
        (lambda: Radix(()), "at least 1"),
        (lambda: Product(), "no indexes"),
        (lambda: Product(LexicographicPermutation(20), Radix((4,))), "2\\^63"),
        (lambda: Sum({}, by_total), "one or more"),
        (lambda: Sum((("a", Radix((2,))), ("a", Radix((2,)))), by_total), "own name"),
        (lambda: Sum({"a": Radix((2,)), "b": Radix((2, 2))}, by_total), "a: 1, b: 2"),
        (lambda: Sum({f"{n}": Radix((2,) * 62) for n in range(2)}, by_total), "2\\^63"),
        (lambda: Orbits(Multiset((2, 2)), ((1, 0, 2),)), "symmetries of 3 cells for an index of 4"),
        (lambda: Orbits(Multiset((2, 2)), ((1, 1, 2, 3),)), "permutation of 0 .. 3"),
        (lambda: Orbits(Multiset((2, 2)), ()), "at least the identity"),
        (lambda: Orbits(Multiset((12, 12, 2)), (tuple(range(26)),)), "at most 8000000"),
        (lambda: Orbits(Combination(63, 1), (tuple(range(64)),), bits=True), "at most 63"),
        (lambda: Orbits(Radix((2, 3)), ((1, 0),)).size, "does not number"),
        (lambda: group([(1, 2, 3, 4, 5, 6, 7, 0), (1, 0, 2, 3, 4, 5, 6, 7)]), "more than 10000"),
        (lambda: polya_count(SQUARE, (4, 4)), "9 cells"),
    ],
)
def test_impossible_indexes_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        make()


def test_the_largest_sizes_are_taken() -> None:
    assert Radix((2,) * 62 + (1,)).size == 1 << 62
    assert Multiset((33, 33)).size == comb(66, 33) < 1 << 63
