"""Ranks of positions: the orbit of one colour's men, times the sets of the other's on the remaining points.

That is Gasser's index (1995, section 5.4). The colour numbered by orbits is the one that gives fewer numbers, and only
those of its sets are numbered that can have closed their mills in time. If a symmetry fixes the men of that colour,
some numbers are not representatives; if the other colour cannot have closed its mills, they are no positions.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.morris.board import ALL, POINTS, fixed_by, image
from searchbench.games.morris.placements import (
    ELEMENT,
    MOST,
    ORBIT_BITS,
    SYMMETRIC,
    gather_bits,
    placements,
    range_size,
    set_number,
    spread_bits,
    words,
)
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import NOWHERE, State

ORBIT: Final = (1 << ORBIT_BITS) - 1
HINT_BITS: Final = 24


class Space(NamedTuple):
    """The index of positions with given numbers of men: the word numbered by orbits (0: the mover's), and the size."""

    own: int
    other: int
    lead: int
    size: int

    @property
    def first(self) -> int:
        """Return the number of men numbered by orbits."""
        return self.other if self.lead else self.own

    @property
    def second(self) -> int:
        """Return the number of the other colour's men."""
        return self.own if self.lead else self.other

    @property
    def width(self) -> int:
        """Return the number of sets of the other colour per orbit."""
        return comb(POINTS - self.first, self.second)


def space_of(own: int, other: int, symmetries: int) -> Space:
    """Return the index of positions with these numbers of men."""
    many, few = max(own, other), min(own, other)
    size, second = min((range_size(a, b, symmetries, MOST - b), b) for a, b in ((many, few), (few, many)))
    return Space(own, other, int(own == second and own != other), size)


def numbering(spaces: list[Space], symmetries: int) -> dict[str, Callable[..., Any]]:
    """Return the index functions over consecutive spaces."""
    rows = np.full((MOST + 2, MOST + 2), -1, np.int64)
    for row, space in enumerate(spaces):
        rows[space.own, space.other] = row
    sizes = np.array([space.size for space in spaces], np.int64)
    starts = np.cumsum(sizes) - sizes
    widths = np.array([space.width for space in spaces], np.int64)
    leads = np.array([space.lead for space in spaces], np.int64)
    seconds = np.array([space.second for space in spaces], np.int64)
    hints = np.searchsorted(starts, np.arange((int(sizes.sum()) >> HINT_BITS) + 1) << HINT_BITS, "right") - 1

    kinds = list(dict.fromkeys((space.first, MOST - space.second) for space in spaces))
    tables = [placements(men, symmetries, most_closings) for men, most_closings in kinds]
    kind = [kinds.index((space.first, MOST - space.second)) for space in spaces]
    begins = np.array([sum(len(table.entries) for table in tables[:k]) for k in kind], np.int64)
    firsts = np.array([sum(len(table.stabilizer) for table in tables[:k]) for k in kind], np.int64)
    entries, representative, stabilizer = (np.concatenate(column) for column in zip(*tables, strict=True))

    most = {space.second: 0 for space in spaces}
    for space in spaces:
        most[space.second] = max(most[space.second], POINTS - space.first)
    sets = {men: words(men, points) for men, points in most.items()}
    ends = np.cumsum([0, *map(len, sets.values())])
    set_begins = np.array([ends[list(sets).index(space.second)] for space in spaces], np.int64)
    all_sets = np.concatenate(list(sets.values()))
    for table in (entries, representative, stabilizer, all_sets):
        table.flags.writeable = False  # what cannot change is hashed once

    def row_of(state: State) -> int:
        return int(rows[popcount(state[0]), popcount(state[1])])

    def entry_of(row: int, first: int) -> int:
        return int(entries[begins[row] + set_number(first, popcount(first))])

    def number(row: int, entry: int, second: int) -> int:
        orbit = entry & ORBIT
        free = ALL & ~representative[firsts[row] + orbit]
        return int(starts[row] + orbit * widths[row] + set_number(gather_bits(second, free), seconds[row]))

    def least_image(row: int, entry: int, second: int) -> int:
        least = moved = image(second, (entry >> ORBIT_BITS) & ELEMENT)
        if entry & SYMMETRIC != 0:
            fixing = int(stabilizer[firsts[row] + (entry & ORBIT)]) & ~1  # element 0 is the identity
            while fixing != 0:
                least = min(least, image(moved, trailing_zeros(fixing)))
                fixing &= fixing - 1
        return least

    def canonical(state: State) -> None:
        row = row_of(state)
        if row < 0:
            return
        lead = leads[row]
        entry = entry_of(row, state[lead])
        if entry >= 0:
            state[1 - lead] = least_image(row, entry, state[1 - lead])
            state[lead] = representative[firsts[row] + (entry & ORBIT)]

    def canonical_rank(state: State, scratch: State) -> int:
        row = row_of(state)
        if row < 0:
            return NOWHERE
        entry = entry_of(row, state[leads[row]])
        return number(row, entry, least_image(row, entry, state[1 - leads[row]])) if entry >= 0 else NOWHERE

    def rank(state: State) -> int:
        row = row_of(state)
        if row < 0:
            return NOWHERE
        entry = entry_of(row, state[leads[row]])
        return number(row, entry, state[1 - leads[row]]) if entry >= 0 else NOWHERE

    def stabilizer_size(state: State) -> int:
        row = row_of(state)
        if row < 0:
            return 1
        entry = entry_of(row, state[leads[row]])
        if entry < 0 or entry & SYMMETRIC == 0:
            return 1
        second = image(state[1 - leads[row]], (entry >> ORBIT_BITS) & ELEMENT)
        return fixed_by(second, stabilizer[firsts[row] + (entry & ORBIT)])

    def unrank(place: int, state: State) -> None:
        row = hints[place >> HINT_BITS]
        while row + 1 < len(starts) and starts[row + 1] <= place:
            row += 1
        left = place - starts[row]
        orbit = left // widths[row]
        first = representative[firsts[row] + orbit]
        state[leads[row]] = first
        state[1 - leads[row]] = spread_bits(all_sets[set_begins[row] + left - orbit * widths[row]], ALL & ~first)

    return {
        "canonical": canonical, "canonical_rank": canonical_rank, "rank": rank, "stabilizer": stabilizer_size, "unrank": unrank,
    }  # fmt: skip
