"""Databases at the leaves of a search: what is looked up need not be searched (Gasser 1995, section 5.6).

The outcomes of some parts of a database are packed, four to a byte, into pages of numbers; pages without any are not kept.
A game that goes on as another one (`Game.rank_in`) ends there for the search: what a leaf without an outcome is worth must
be assumed, and two searches, once for and once against the player to move, bound the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.contract import canonical_rank
from searchbench.index.protocol import Part
from searchbench.rules import NOWHERE, UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.proof.contract import leaf_rank
from searchbench.solvers.proof.facts import ANY_LEAVES, LOST_LEAVES, WON_LEAVES
from searchbench.store import Database
from searchbench.values import Result

PAGE_BITS: Final = 16
_PAGE: Final = 1 << PAGE_BITS
_READ: Final = 64
"""How many pages are packed in one go."""
_PLACES: Final = np.array([1, 4, 16, 64], np.uint8)

# What leaves note.
ASSUMED, UNKNOWN, USED = range(3)
_NO_OUTCOME: Final = -2


class Leaves(NamedTuple):
    """Hold where the page of a number stands, the packed outcomes (2 + outcome, 0: unknown), and three notes.

    The notes are what an unknown leaf is taken to be for the player to move at the root (UNDECIDED: it is searched on),
    how often one was met, and whether anything that the search knows may rest on it (0: no). Page 0 has no outcome.
    """

    pages: Any
    outcomes: Any
    note: Any

    def assuming(self, outcome: int) -> Leaves:
        """Return the same leaves with unknown ones taken to be such for the player to move at the root."""
        return self._replace(note=np.array([outcome, 0, self.note[USED]], np.int64))


def no_leaves() -> Leaves:
    """Return leaves of which nothing is known."""
    return Leaves(np.zeros(1, np.int32), np.zeros(_PAGE // 4, np.uint8), np.array([UNDECIDED, 0, 0], np.int64))


def outcome_of_leaf(state: State, scratch: State, depth: int, leaves: Leaves) -> int:
    """Return the outcome of a state that is a leaf, UNDECIDED for any other; `scratch` is changed."""
    number = leaf_rank(state, scratch)
    if number == NOWHERE:
        return UNDECIDED
    outcome = looked_up(leaves, number)
    if outcome != _NO_OUTCOME:
        return outcome
    assumed = int(leaves.note[ASSUMED])
    if assumed != UNDECIDED:
        leaves.note[UNKNOWN] += 1
        leaves.note[USED] = 1
        return -assumed if depth & 1 else assumed
    return UNDECIDED


def assumptions_at(leaves: Leaves, depth: int) -> int:
    """Return for which assumptions about unknown leaves holds what is found of a state at this depth."""
    if leaves.note[USED] == 0:
        return ANY_LEAVES
    return LOST_LEAVES if (leaves.note[ASSUMED] < 0) == (depth & 1 == 0) else WON_LEAVES


def looked_up(leaves: Leaves, number: int) -> int:
    """Return the outcome that is kept for a number, or -2."""
    page = int(leaves.pages[number >> PAGE_BITS])
    four = int(leaves.outcomes[(page << (PAGE_BITS - 2)) + ((number & (_PAGE - 1)) >> 2)])
    return ((four >> 2 * (number & 3)) & 3) - 2


def _number_of_class(state: State, scratch: State) -> int:
    return canonical_rank(state, scratch)


class LeafDatabase:
    """Look up the leaves of a game in a database of the same game, or of one that it goes on as.

    `parts` are the names of the parts that are used, by default all that are there. Raises BadRequest for a database of
    another game, of values that are not outcomes, or without such a part.
    """

    def __init__(self, game: Game, database: Database, parts: Iterable[str] | None = None) -> None:
        rule = _number_of_class if database.game == game else game.rank_in(database.game)
        if rule is None:
            raise BadRequest(f"{database!r} cannot stand at the leaves of {game}: its states are none of this game's")
        if not database.rule.outcomes or database.modulus:
            raise BadRequest(f"{database!r} cannot stand at the leaves of {game}: expected whole outcomes")
        self.game, self.database, self.rule = game, database, rule
        self.parts = [database.part(name) for name in parts] if parts is not None else list(database.parts)
        self.goes_on = database.game == game
        self._leaves: Leaves | None = None
        self._rank = jit.bind(leaf_rank, game.names(target="interpreted").with_(**self.names()))

    def names(self) -> dict[str, Any]:
        """Return the function that tells a leaf's number."""
        return {"leaf_rank": self.rule}

    def leaves(self, run: Run | None = None) -> Leaves:
        """Return the packed outcomes; they are read once. Raises OutOfMemory."""
        if self._leaves is None:
            self._leaves = _packed(self.database, self.parts, run or Run())
        return self._leaves

    def outcome(self, state: Sequence[int]) -> int | None:
        """Return the outcome of a leaf, None for what is no leaf, or lies in no part that is used."""
        value = self.value(state)
        return None if value is None else value.outcome

    def value(self, state: Sequence[int]) -> Result | None:
        """Return the outcome of a leaf with its depth, None as above."""
        number = int(self._rank(list(state), [0] * self.game.width))
        if number == NOWHERE or not any(part.start <= number < part.stop for part in self.parts):
            return None
        found: Result = self.database.rule.decode(self.database.code(number))
        return found


def _packed(database: Database, parts: Sequence[Part], run: Run) -> Leaves:
    end = max(part.stop for part in database.game.parts())
    pages = np.zeros((end >> PAGE_BITS) + 1, np.int32)
    for part in parts:
        pages[part.start >> PAGE_BITS : ((part.stop - 1) >> PAGE_BITS) + 1] = 1
    used = int(np.count_nonzero(pages))
    run.demand(used * _PAGE // 4, f"the outcomes of {', '.join(part.name for part in parts)}")
    pages[pages != 0] = np.arange(1, used + 1)
    outcomes = np.zeros((used + 1, _PAGE // 4), np.uint8)
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        table = _outcome_of_code(database, part)
        for first in range(part.start >> PAGE_BITS, ((part.stop - 1) >> PAGE_BITS) + 1, _READ):
            begin, end = max(first << PAGE_BITS, part.start), min((first + _READ) << PAGE_BITS, part.stop)
            room = np.zeros((((end - 1) >> PAGE_BITS) + 1 - first, _PAGE), np.uint8)
            codes = np.minimum(database.read(part, begin, end), len(table) - 1)
            room.reshape(-1)[begin - (first << PAGE_BITS) :][: end - begin] = table[codes]
            four = room.reshape(len(room), -1, 4)
            place = pages[first]
            outcomes[place : place + len(room)] |= (four * _PLACES).sum(axis=2, dtype=np.uint8)
            done += end - begin
            run.progress("leaves", done, total)
    return Leaves(pages, outcomes.reshape(-1), np.array([UNDECIDED, 0, 0], np.int64))


def _outcome_of_code(database: Database, part: Part) -> Any:
    """Return 2 + outcome of each code that occurs in a part, and 0, for what is no position, behind them."""
    codes = [code for code in database.part_counts(part) if code != database.illegal]
    table = np.zeros(max(codes, default=-1) + 2, np.uint8)
    for code in codes:
        table[code] = 2 + database.rule.decode(code).outcome
    return table
