"""A diagram of the states that moves reach from the start: numbers for a game that has none, or has far too many.

The states are listed, packed into words (`listing.py`); sorted, they go into the diagram in one pass, which keeps equal ends once
(Daciuk et al. 2000, "Incremental construction of minimal acyclic finite-state automata", section 3). Where symmetric states
share a number, only representatives are listed. So any game that can be played can be solved, of as many states as fit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.abstraction import Abstraction
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.game import Game
from searchbench.index.diagram import Diagram
from searchbench.index.digits import WHOLE, WORD, Digit, Digits, Field
from searchbench.jit import inlined, unowned, unsigned
from searchbench.numbered import numbered, without_diagram
from searchbench.run import Run
from searchbench.solvers.exhaustive.configuration import REACHED
from searchbench.solvers.exhaustive.diagrams.listing import Listing, Packing, Words, packed_start
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    FULL,
    MOST,
    Pool,
    copied,
    fill_tables,
    frames_for,
    leaf_of,
    more_room,
    new_pool,
    node_of,
    pool_bytes,
)
from searchbench.solvers.exhaustive.diagrams.sets import add_child
from searchbench.store.working import folder_at

FIELD_BITS: Final = 6
"""Bits of a field of a cell: its contents have codes of one word."""
DIGIT_BITS: Final = 12
"""Bits of a digit's fields together."""
MANY: Final = 15_000
"""A diagram of fewer states is made without compiling."""
_NAMES: Final = jit.Names({}, "cpu")


class Grouping(NamedTuple):
    """Where each digit lies in a packed state: its word, shift and mask; and the code of what is there, [digit, content]."""

    words: Words
    shifts: Words
    masks: Words
    codes: npt.NDArray[np.int16]


def reached_game(game: Game, run: Run, most: int | None = None, work: Path | None = None) -> Game:
    """Return the same game, whose states are numbered by a diagram of those that moves reach from the start.

    A folder `work` keeps a long list while it is made, and is gone on with. Raises BadRequest for a game whose states share
    numbers, BadGame for negative cells, OutOfMemory, DamagedData, and TooMany where more than `most` are reached.
    """
    plain = _numerable(game)
    with folder_at(work, plain, REACHED, run) as folder:
        listing = Listing(plain, run, most, folder)
        states = listing.sorted()
    return numbered(plain, _diagram(plain, listing.packing, states, run))


def start_alone(game: Game) -> Game:
    """Return the same game with a number for its start alone: requests are checked with it, before states are found."""
    plain = _numerable(game)
    return numbered(plain, _diagram(plain, *packed_start(plain), Run()))


def _numerable(game: Game) -> Game:
    """Return the game without numbers of a diagram. Raises BadRequest where its own numbers are those that are needed."""
    plain = without_diagram(game)
    if plain.has("blank"):
        raise BadRequest(f"{plain}: states share numbers, so those that are reached cannot have numbers of their own")
    if isinstance(plain, Abstraction):
        raise BadRequest(
            f"{plain}: searches look an abstraction up by its own numbers; leave out the index {REACHED!r}"
        )
    return plain


# --- the diagram ---------------------------------------------------------------------------------------------------------


def _diagram(game: Game, packing: Packing, states: Words, run: Run) -> Diagram:
    """Return the diagram of packed states in ascending order."""
    digits, grouping = grouped(packing, states)
    last, words = len(digits.digits) - 1, -(-digits.most_codes // WORD)
    target: jit.Target = "interpreted" if len(states) < MANY else "cpu"
    add, enter = jit.bind(add_sorted, _NAMES, target), jit.bind(fill_tables, _NAMES, target)
    kept, scratch, at = new_pool(words), new_pool(words, 1, 1, 1), frames_for(digits)
    path, leaf, place = np.full(last + 1, -1, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.int64)
    path[:] = [grouping.codes[digit, _content(states[:1], grouping, digit)[0]] for digit in range(last + 1)]
    while (root := int(add(states, grouping, kept, scratch, at, path, leaf, place, last))) == FULL:
        kept = _with_room(game, kept, words, states.nbytes, run, enter, digits)
        run.progress(f"a diagram of {len(states):,} states", int(place[0]), len(states))
    nodes, edges, leaves = kept.sizes.tolist()
    arrays: dict[str, npt.NDArray[Any]] = {
        "masks": kept.masks[:nodes],
        "children": kept.children[:edges],
        "leaf_masks": kept.leaf_masks[:leaves],
        "leaf_words": kept.leaf_words[:leaves],
        "roots": np.array([root], np.int32),
    }
    return Diagram.of_arrays(digits, 0, arrays)


def _with_room(game: Game, kept: Pool, words: int, beside: int, run: Run, enter: Any, digits: Digits) -> Pool:
    """Return a pool with more room. The frames of the walk stay as they are: others serve to fill its tables."""
    room = more_room(kept)
    if room[0] > MOST:
        raise OutOfMemory(f"a diagram of the states of {game} that are reached needs more than {MOST:,} nodes")
    run.demand(beside + kept.nbytes + pool_bytes(words, *room), f"a diagram of the states of {game} that are reached")
    made = copied(kept, *room)
    enter(made, frames_for(digits))
    return made


def _content(states: Words, grouping: Grouping, digit: int) -> Any:
    return (states[:, grouping.words[digit]] >> grouping.shifts[digit]) & grouping.masks[digit]


class Piece(NamedTuple):
    """A field of a cell, and where it lies in a packed state: its word, shift and bits."""

    cell: int
    field: Field
    word: int
    shift: int
    bits: int


def pieces_of(packing: Packing) -> list[Piece]:
    """Return the cells as fields of at most 6 bits, highest first."""
    pieces = []
    for cell, (word, shift, bits) in enumerate(zip(*(one.tolist() for one in packing), strict=True)):
        high = bits
        while high > 0:
            low = (high - 1) // FIELD_BITS * FIELD_BITS
            field = Field(low, -1 if high == bits else (1 << (high - low)) - 1)
            pieces.append(Piece(cell, field, word, shift + low, high - low))
            high = low
    return pieces


def grouped(packing: Packing, states: Words) -> tuple[Digits, Grouping]:
    """Return digits of neighbouring fields, as many together as have at most 64 contents, and where they are in a state.

    All contents that occur have a code.
    """
    groups: list[tuple[list[Piece], npt.NDArray[np.int64]]] = []
    for piece in pieces_of(packing):
        joined = [*groups[-1][0], piece] if groups else [piece]
        if groups and joined[0].word == piece.word and _bits(joined) <= DIGIT_BITS:
            contents = _contents(states, joined)
            if len(contents) <= WORD:
                groups[-1] = joined, contents
                continue
        groups.append(([piece], _contents(states, [piece])))
    codes = np.zeros((len(groups), 1 << max(_bits(group) for group, _ in groups)), np.int16)
    for place, (_, contents) in enumerate(groups):
        codes[place, contents] = np.arange(len(contents))
    words, shifts, masks = (
        np.array(one, np.int64)
        for one in zip(*((group[0].word, group[-1].shift, (1 << _bits(group)) - 1) for group, _ in groups), strict=True)
    )
    return Digits(tuple(_digit(*group) for group in groups), (), ()), Grouping(words, shifts, masks, codes)


def _bits(group: list[Piece]) -> int:
    return sum(piece.bits for piece in group)


def _contents(states: Words, group: list[Piece]) -> npt.NDArray[np.int64]:
    """Return the packed contents of neighbouring fields that occur, ascending."""
    occur = np.zeros(1 << _bits(group), bool)
    for first in range(0, len(states), 1 << 20):
        occur[(states[first : first + (1 << 20), group[0].word] >> group[-1].shift) & (len(occur) - 1)] = True
    return np.flatnonzero(occur)


def _digit(group: list[Piece], contents: npt.NDArray[np.int64]) -> Digit:
    """Return the digit of neighbouring fields with these packed contents."""
    columns = [(contents >> (piece.shift - group[-1].shift)) & ((1 << piece.bits) - 1) for piece in group]
    rows = tuple(tuple(map(int, row)) for row in zip(*columns, strict=True))
    fields = tuple(piece.field for piece in group)
    return Digit(tuple(piece.cell for piece in group), rows, (0,) * len(rows), () if set(fields) == {WHOLE} else fields)


# --- kernels -------------------------------------------------------------------------------------------------------------


def add_sorted(
    states: Any, grouping: Any, kept: Any, scratch: Any, at: Any, path: Any, leaf: Any, place: Any, last: int
) -> int:
    """Add ascending states to a diagram from `place` on; return its root, or FULL, after which it goes on with more room.

    `path` has the codes of the state before, `leaf` the codes of the last digit that go with them.
    """
    states, grouping, kept, scratch = unowned(states), unowned(grouping), unowned(kept), unowned(scratch)
    at, path, leaf, place = unowned(at), unowned(path), unowned(leaf), unowned(place)
    while place[0] < len(states):
        row = place[0]
        same = 0
        while same < last and path[same] == code_at(states, row, grouping, same):
            same += 1
        if same < last and close(kept, scratch, at, path, leaf, same, last) == FULL:
            return FULL
        for digit in range(same, last):
            path[digit] = code_at(states, row, grouping, digit)
        leaf[0] |= unsigned(1) << unsigned(code_at(states, row, grouping, last))
        place[0] = row + 1
    if last == 0:
        return leaf_of(kept, scratch, leaf[0], 0, at, True)
    if close(kept, scratch, at, path, leaf, 0, last) == FULL:
        return FULL
    return node_of(kept, scratch, 0, last, at, True)


@inlined
def code_at(states: Any, row: int, grouping: Any, digit: int) -> int:
    """Return the code of a digit of a packed state."""
    content = (states[row, grouping.words[digit]] >> grouping.shifts[digit]) & grouping.masks[digit]
    return int(grouping.codes[digit, content])


@inlined
def close(kept: Any, scratch: Any, at: Any, path: Any, leaf: Any, digit: int, last: int) -> int:
    """Make nodes of all that is open behind a digit; return the last of them, FULL without room."""
    found = ABSENT
    for depth in range(last, digit, -1):
        if depth == last:
            if leaf[0] == unsigned(0):
                continue
            found = leaf_of(kept, scratch, leaf[0], 0, at, True)
        elif at.counts[depth] == 0:
            continue
        else:
            found = node_of(kept, scratch, depth, last, at, True)
        if found == FULL:
            return found
        if depth == last:
            leaf[0] = unsigned(0)
        else:
            at.counts[depth] = 0
            for word in range(at.mask.shape[1]):
                at.mask[depth, word] = unsigned(0)
        before = path[depth - 1]
        at.mask[depth - 1, before >> 6] |= unsigned(1) << unsigned(before & 63)
        add_child(at, depth - 1, found)
    return found
