"""How ranks change when an element passes others: tables against lists of permutations; no table where none can tell."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import pytest

from searchbench.games.sliding import Sliding
from searchbench.index.passes import passes, passing
from searchbench.testing.numbers import facets
from searchbench.testing.subject import Subject


@pytest.mark.parametrize("elements", range(2, 7))
def test_passing_changes_the_place_among_all_permutations(elements: int) -> None:
    rank = {order: place for place, order in enumerate(permutations(range(elements)))}
    for first in range(elements):
        for stop in range(first + 2, elements + 1):
            unit = factorial(elements - stop)
            radices = [elements - digit for digit in range(first, stop)]
            for to_front in (False, True):
                changes = passing(radices, to_front).tolist()
                for order in rank:
                    inside = order[first:stop]
                    passed = (inside[-1], *inside[:-1]) if to_front else (*inside[1:], inside[0])
                    after = (*order[:first], *passed, *order[stop:])
                    window = rank[order] // unit % len(changes)
                    assert rank[after] - rank[order] == unit * changes[window]


def test_there_is_no_table_where_it_would_be_large_or_half_ranks_do_not_tell() -> None:
    slides = [[1, 3, 8], [0], [5, 6], [0], [], [2], [2], [], [0]]
    full = passes(slides, 8, even=False)
    assert full.sizes[0].tolist() == [0, 8 * 7 * 6, 8 * 7 * 6 * 5 * 4 * 3 * 2 * 1]
    half = passes(slides, 8, even=True)
    assert half.sizes[0].tolist() == [0, 8 * 7 * 6, -1]
    assert half.units[0, 1] == full.units[0, 1] // 2 == factorial(5) // 2
    assert full.sizes[2, :2].tolist() == [6 * 5 * 4, 6 * 5 * 4 * 3]
    assert full.begins[2, 1] - full.begins[2, 0] == 6 * 5 * 4
    large = passes([[7], [], [], [], [], [], [], [0]], 12, even=False)
    assert large.sizes[0, 0] == large.sizes[7, 0] == -1
    assert large.changes.tolist() == [0]


@pytest.mark.parametrize(
    "game", [Sliding(3, 4, True), Sliding(3, 4), Sliding(2, 5), Sliding(4, 4), Sliding(5, 3, True)], ids=str
)
def test_steps_of_larger_boards_are_those_of_play_and_rank(game: Sliding) -> None:
    subject = Subject(game, 600, 7)
    assert len(subject.numbers) > 250
    assert list(facets(subject)) == []
