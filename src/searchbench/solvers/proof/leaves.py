"""Look up the leaves of a search in a database (Gasser 1995, section 5.6).

The outcomes of some parts of a database are packed, four to a byte, into pages of numbers; pages without an outcome take no
memory. Scores take a byte each; with the state, such as the stores of a match of awari, they give outcomes.
If a game continues as another one (`Game.rank_in`), the search ends there. It must then assume an outcome for
unknown leaves; two searches, one assuming wins and one losses for the player to move, bound the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.contract import canonical_rank
from searchbench.index.protocol import Part, line_size
from searchbench.numbered import diagram_of
from searchbench.rules import NOWHERE, UNDECIDED, State
from searchbench.run import Run
from searchbench.solvers.proof.contract import SCORED_LEAVES, leaf_rank, outcome_with
from searchbench.solvers.proof.facts import ANY_LEAVES, LOST_LEAVES, WON_LEAVES
from searchbench.store import Database
from searchbench.values import Result

PAGE_BITS: Final = 16
_PAGE: Final = 1 << PAGE_BITS
_READ: Final = 64
"""Pages packed at a time."""
_PLACES: Final = np.array([1, 4, 16, 64], np.uint8)

# The places of `Leaves.note`.
ASSUMED, UNKNOWN, USED = range(3)
_NO_OUTCOME: Final = -2
_ZERO_SCORE: Final = 128
"""The byte of score 0; byte 0 is an unknown score."""


class Leaves(NamedTuple):
    """The page of each number, the packed outcomes (2 + outcome) or scores (128 + score; 0: unknown), and three notes.

    The notes are the assumed outcome of an unknown leaf for the player to move at the root (UNDECIDED: search below it),
    the number of visits to unknown leaves, and whether any fact may rest on the assumption (0: no). Page 0 has no outcome.
    """

    pages: Any
    outcomes: Any
    note: Any

    def assuming(self, outcome: int) -> Leaves:
        """Return the same leaves, with this outcome assumed for unknown ones, for the player to move at the root."""
        return self._replace(note=np.array([outcome, 0, self.note[USED]], np.int64))


def no_leaves() -> Leaves:
    """Return leaves without any outcome."""
    return Leaves(np.zeros(1, np.int32), np.zeros(_PAGE // 4, np.uint8), np.array([UNDECIDED, 0, 0], np.int64))


def outcome_of_leaf(state: State, scratch: State, depth: int, leaves: Leaves) -> int:
    """Return the outcome of a state that is a leaf, UNDECIDED for any other; `scratch` is changed."""
    number = leaf_rank(state, scratch)
    if number == NOWHERE:
        return UNDECIDED
    outcome = scored(state, leaves, number) if SCORED_LEAVES else looked_up(leaves, number)
    if outcome != _NO_OUTCOME:
        return outcome
    assumed = int(leaves.note[ASSUMED])
    if assumed != UNDECIDED:
        leaves.note[UNKNOWN] += 1
        leaves.note[USED] = 1
        return -assumed if depth & 1 else assumed
    return UNDECIDED


def assumptions_at(leaves: Leaves, depth: int) -> int:
    """Return the set of assumptions about unknown leaves under which results at this depth hold."""
    if leaves.note[USED] == 0:
        return ANY_LEAVES
    return LOST_LEAVES if (leaves.note[ASSUMED] < 0) == (depth & 1 == 0) else WON_LEAVES


def looked_up(leaves: Leaves, number: int) -> int:
    """Return the stored outcome of a number, or -2 if there is none."""
    page = int(leaves.pages[number >> PAGE_BITS])
    four = int(leaves.outcomes[(page << (PAGE_BITS - 2)) + ((number & (_PAGE - 1)) >> 2)])
    return ((four >> 2 * (number & 3)) & 3) - 2


def scored(state: State, leaves: Leaves, number: int) -> int:
    """Return the outcome that the stored score of a number means in this state, or -2 if there is none."""
    page = int(leaves.pages[number >> PAGE_BITS])
    score = int(leaves.outcomes[(page << PAGE_BITS) + (number & (_PAGE - 1))])
    return outcome_with(state, score - _ZERO_SCORE) if score else _NO_OUTCOME


def _number_of_class(state: State, scratch: State) -> int:
    return canonical_rank(state, scratch)


class LeafDatabase:
    """Look up the leaves of a game in a database of the same game, or of a game that it continues as.

    A database of scores serves a game that continues as its game, with the outcomes of `outcome_with`.
    `parts` names the parts to use, by default all in the database.
    Raises BadRequest for a database of an unrelated game,
    of values that are neither outcomes nor such scores, or without one of the parts.
    """

    def __init__(self, game: Game, database: Database, parts: Iterable[str] | None = None) -> None:
        if diagram_of(database.game) is not None:
            raise BadRequest(
                f"{database!r} cannot stand at the leaves of {game}: a diagram numbers its positions; solve it with the game's "
                "own index"
            )
        rule = _number_of_class if database.game == game else game.rank_in(database.game)
        if rule is None:
            raise BadRequest(f"{database!r} cannot stand at the leaves of {game}: it is of an unrelated game")
        self.scored = database.rule.points and database.game != game
        if not (database.rule.outcomes or self.scored) or database.modulus:
            raise BadRequest(
                f"{database!r} cannot stand at the leaves of {game}: expected outcomes with their depths, in a form that "
                "keeps these"
            )
        self.game, self.database, self.rule = game, database, rule
        self.parts = [database.part(name) for name in parts] if parts is not None else list(database.parts)
        self.goes_on = database.game == game
        self._leaves: Leaves | None = None
        names = game.names(target="interpreted").with_(**self.names())
        self._rank, self._outcome_with = jit.bind(leaf_rank, names), jit.bind(outcome_with, names)

    def names(self) -> dict[str, Any]:
        """Return the binding of `leaf_rank`."""
        return {"leaf_rank": self.rule, "SCORED_LEAVES": self.scored}

    def leaves(self, run: Run | None = None) -> Leaves:
        """Return the packed outcomes, read on the first call. Raises OutOfMemory."""
        if self._leaves is None:
            self._leaves = _packed(self.database, self.parts, self.scored, run or Run())
        return self._leaves

    def outcome(self, state: Sequence[int]) -> int | None:
        """Return the outcome of a leaf, or None if the state is not a leaf or lies in no part in use."""
        value = self.value(state)
        return None if value is None else value.outcome

    def value(self, state: Sequence[int]) -> Result | None:
        """Return the outcome of a leaf with its depth, or None as `outcome` does."""
        found = self.stored(state)
        if found is None or isinstance(found, Result):
            return found
        return Result(int(self._outcome_with(list(state), found)))

    def stored(self, state: Sequence[int]) -> Any:
        """Return the value of a leaf as the database has it: an outcome or a score; None as `outcome` does."""
        number = int(self._rank(list(state), [0] * self.game.width))
        if number == NOWHERE or not any(part.start <= number < part.stop for part in self.parts):
            return None
        return self.database.rule.decode(self.database.code(number))


def _packed(database: Database, parts: Sequence[Part], scored: bool, run: Run) -> Leaves:
    end = line_size(database.game.parts())
    pages = np.zeros((end >> PAGE_BITS) + 1, np.int32)
    for part in parts:
        pages[part.start >> PAGE_BITS : ((part.stop - 1) >> PAGE_BITS) + 1] = 1
    used = int(np.count_nonzero(pages))
    run.demand(used * _PAGE // (1 if scored else 4), f"the outcomes of {', '.join(part.name for part in parts)}")
    pages[pages != 0] = np.arange(1, used + 1)
    outcomes = np.zeros((used + 1, _PAGE if scored else _PAGE // 4), np.uint8)
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        table = _byte_of_code(database, part, scored)
        for first in range(part.start >> PAGE_BITS, ((part.stop - 1) >> PAGE_BITS) + 1, _READ):
            begin, end = max(first << PAGE_BITS, part.start), min((first + _READ) << PAGE_BITS, part.stop)
            room = np.zeros((((end - 1) >> PAGE_BITS) + 1 - first, _PAGE), np.uint8)
            codes = np.minimum(database.read(part, begin, end), len(table) - 1)
            room.reshape(-1)[begin - (first << PAGE_BITS) :][: end - begin] = table[codes]
            place = pages[first]
            if scored:
                outcomes[place : place + len(room)] |= room
            else:
                four = room.reshape(len(room), -1, 4)
                outcomes[place : place + len(room)] |= (four * _PLACES).sum(axis=2, dtype=np.uint8)
            done += end - begin
            run.progress("leaves", done, total)
    return Leaves(pages, outcomes.reshape(-1), np.array([UNDECIDED, 0, 0], np.int64))


def _byte_of_code(database: Database, part: Part, scored: bool) -> Any:
    """Return 2 + outcome, or 128 + score, for each code that occurs in a part, followed by 0 for illegal numbers."""
    codes = [code for code in database.part_counts(part) if code != database.illegal]
    table = np.zeros(max(codes, default=-1) + 2, np.uint8)
    for code in codes:
        value = database.rule.decode(code)
        table[code] = _ZERO_SCORE + value if scored else 2 + value.outcome
    return table
