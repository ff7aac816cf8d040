"""Which positions of a database meet a condition: values are asked by their codes, cells in blocks, the rest one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.store.cells import BLOCK, Cells, State
from searchbench.store.codes import Array
from searchbench.store.condition import Scope, clauses, compared, condition
from searchbench.store.in_blocks import Block, BlockTest, block_test
from searchbench.values import OUTCOMES, Result, Value

if TYPE_CHECKING:
    from searchbench.store.database import Database

NAMES: Final = ("state", "pieces", "number", "mover", "value", "outcome", "plies")
"""The names in a condition: a position's cells, the pieces on them, its number, the player to move (0 or 1) where the state tells
it, its value as a number (None: none), "win", "draw" or "loss" for the player to move, and the plies to it."""
_OF_VALUES: Final = frozenset({"value", "outcome", "plies"})
_OF_CELLS: Final = frozenset({"state", "pieces", "mover"})
ONE_BY_ONE: Final = 16
"""How many positions are tested one by one before the caller is asked whether to go on."""
SPOTS, EACH = 64, 16
"""Places of a database that are looked at to tell what cells hold, and how many positions at each."""
MOST_TOLD: Final = 12
"""Labels that are told."""
FitsValue = Callable[[Value], bool]
Test = Callable[[int, State], bool]
"""Asks of a number, and of the cells of its position."""
Meets = Callable[[Scope], bool]


class Condition:
    """A condition on the positions of a database, in the language of :mod:`searchbench.store.condition`. Raises BadRequest.

    What its parts, joined by `and`, ask of values alone is asked of the values that there are; `fits` tells which ones may meet
    it, and is None where nothing is asked of them.
    """

    def __init__(self, database: Database, text: str) -> None:
        self._database = database
        self._whole, self._used = condition(text, NAMES)
        _check_meaning(database, text, self._used)
        of_values: list[Meets] = []
        one_by_one: list[Meets] = []
        self._in_blocks: list[BlockTest] = []
        for clause in clauses(text):
            meets, used = condition(clause, NAMES)
            test = block_test(clause, database.game.width, np.dtype(database.game.dtype), database.size)
            if used and used <= _OF_VALUES:
                of_values.append(meets)
            elif test is not None:
                self._in_blocks.append(test)
            else:
                one_by_one.append(meets)
        fitting = partial(_fits, database, of_values)
        decided = all(fitting(value) is not None for value in database.histogram()) if of_values else True
        self._one_by_one = one_by_one if decided else [self._whole]
        self.fits: FitsValue | None = (lambda value: fitting(value) is not False) if of_values else None

    @property
    def is_met_by_fitting_values(self) -> bool:
        """Tell whether nothing else is asked than what `fits` tells."""
        return not self._in_blocks and not self._one_by_one

    @property
    def asks_for_cells(self) -> bool:
        """Tell whether cells must be read."""
        return bool(self._used & _OF_CELLS)

    def met_by(self, number: int, state: State) -> bool:
        """Return whether a position meets the condition."""
        return self._whole(self._scope(number, state))

    def met_in_block(self, numbers: Array, states: Array | None) -> Array:
        """Return which of some positions meet what is asked of cells, numbers and the player to move in blocks."""
        cells = np.zeros((len(numbers), 0), np.int8) if states is None else states
        movers = _movers(self._database.game, cells) if self._in_blocks and "mover" in self._used else numbers[:0]
        met = np.ones(len(numbers), np.bool_)
        for test in self._in_blocks:
            met &= test(Block(numbers, cells, movers))
        return met

    @property
    def leaves_some(self) -> bool:
        """Tell whether something is asked of positions one by one, after all else."""
        return bool(self._one_by_one)

    def rest_met_by(self, number: int, state: State) -> bool:
        """Return whether a position meets what is asked of positions one by one."""
        scope = self._scope(number, state)
        return all(meets(scope) for meets in self._one_by_one)

    def _scope(self, number: int, state: State) -> Scope:
        database, used = self._database, self._used
        scope: dict[str, Any] = {"state": state, "number": number}
        if "pieces" in used:
            scope["pieces"] = database.game.pieces(state)
        if "mover" in used:
            scope["mover"] = database.game.mover(state)
        if used & _OF_VALUES:
            scope |= scope_of_value(database, database.rule.decode(database.code(number)))
        return scope


def _fits(database: Database, of_values: Sequence[Meets], value: Value) -> bool | None:
    """Return whether a value meets conditions on values; None where one cannot be evaluated, so that positions will tell."""
    scope = scope_of_value(database, value)
    try:
        return all(meets(scope) for meets in of_values)
    except BadRequest:
        return None


class Sieve:
    """Let through the positions that meet a condition and tests, of those whose values fit.

    `tests` ask of numbers alone, `predicate` of cells, too. The cells of the first few positions are read one by one.
    """

    def __init__(
        self,
        database: Database,
        asked: Condition | None,
        tests: Sequence[Callable[[int], bool]] = (),
        predicate: Test | None = None,
    ) -> None:
        self._asked = None if asked is None or asked.is_met_by_fitting_values else asked
        self._tests, self._predicate = tests, predicate
        self._slow = bool(tests) or predicate is not None or (self._asked is not None and self._asked.leaves_some)
        needs_cells = predicate is not None or (self._asked is not None and self._asked.asks_for_cells)
        self._cells = Cells(database) if needs_cells else None

    def through(self, numbers: Array) -> Iterator[tuple[int, Array]]:
        """Yield, piece by piece, the last of these numbers that was looked at, and those of the piece that pass."""
        few = 0 if self._cells is None else self._cells.few(numbers)
        for first in range(0, few, ONE_BY_ONE):
            piece = numbers[first : min(few, first + ONE_BY_ONE)]
            yield (
                int(piece[-1]),
                np.array([number for number in piece.tolist() if self._lets_through(number)], np.int64),
            )
        for first in range(few, len(numbers), BLOCK):
            yield from self._block(numbers[first : first + BLOCK])

    def _lets_through(self, number: int) -> bool:
        state = () if self._cells is None else self._cells.one(number)
        return (
            self._passes(number)
            and (self._asked is None or self._asked.met_by(number, state))
            and self._suits(number, state)
        )

    def _passes(self, number: int) -> bool:
        return all(test(number) for test in self._tests)

    def _suits(self, number: int, state: State) -> bool:
        return self._predicate is None or self._predicate(number, state)

    def _block(self, numbers: Array) -> Iterator[tuple[int, Array]]:
        last = int(numbers[-1])
        states = None if self._cells is None else self._cells.block(numbers)
        if self._asked is not None:
            met = self._asked.met_in_block(numbers, states)
            numbers, states = numbers[met], None if states is None else states[met]
        if not self._slow:
            yield last, numbers
            return
        for first in range(0, len(numbers), ONE_BY_ONE):
            piece = slice(first, first + ONE_BY_ONE)
            found = self._one_by_one(numbers[piece].tolist(), None if states is None else states[piece].tolist())
            yield int(numbers[piece][-1]), np.array(found, np.int64)
        yield last, numbers[:0]

    def _one_by_one(self, numbers: Sequence[int], states: Sequence[Sequence[int]] | None) -> list[int]:
        found = []
        for number, cells in zip(numbers, [()] * len(numbers) if states is None else states, strict=True):
            state = tuple(cells)
            if (
                self._passes(number)  # first: what is left may be asked of fitting values alone
                and (self._asked is None or self._asked.rest_met_by(number, state))
                and self._suits(number, state)
            ):
                found.append(number)
        return found


def _movers(game: Game, states: Array) -> Array:
    """Return who is to move in each of some states. Raises BadRequest."""
    found = [game.mover(state) for state in states.tolist()]
    if None in found:
        raise BadRequest(f"{game}: `mover` returns None for {game.format(states[found.index(None)].tolist())!r}")
    return np.array(found, np.int64)


def both(one: FitsValue | None, other: FitsValue | None) -> FitsValue | None:
    """Return what two tests of a value ask together, either of which may be None."""
    if one is None or other is None:
        return one or other
    return lambda value: one(value) and other(value)


def scope_of_value(database: Database, value: Value) -> dict[str, Any]:
    """Return what a condition calls the value of a position."""
    result = value if isinstance(value, Result) else None
    kind = database.rule.kind(value)
    return {
        "value": OUTCOMES.get(kind, value) if isinstance(value, Result | str) else value,
        "outcome": kind,
        "plies": None if result is None or result.outcome == 0 else result.depth,
    }


def side_names(game: Game) -> tuple[str, str]:
    """Return what people call the two sides of a game whose states tell who is to move. Raises BadRequest."""
    if not game.two_players:
        raise BadRequest(f"{game} has one player: there are no sides")
    if game.mover(game.start()) is None:
        raise BadRequest(
            f"{game}: its states do not tell which side is to move: `mover` returns None, as where they show what this side sees"
        )
    return game.sides


def _check_meaning(database: Database, where: str, used: frozenset[str]) -> None:
    """Refuse a condition that no position can meet, since there is nothing of the kind here. Raises BadRequest."""
    kinds = {"none", *map(database.rule.kind, database.histogram())}
    kinds |= {"win", "draw", "loss"} if database.rule.two_players else set()
    if unknown := compared(where, "outcome") - kinds:
        instead = (
            "it is 'win', 'draw' or 'loss'"
            if database.rule.two_players
            else f"values of {database.rule.name} have none: ask of value"
        )
        raise BadRequest(f"condition {where!r}: no outcome is {_listing(unknown, 'or')}; {instead}")
    if not database.rule.tells_losses and ("value" in used or compared(where, "outcome") - {"win"}):
        raise BadRequest(
            f"condition {where!r}: one bit for each position tells those that are won from all others; "
            "ask whether outcome == 'win'"
        )
    if "plies" in used and not any(isinstance(value, Result) for value in database.histogram()):
        raise BadRequest(f"condition {where!r}: the values of this database have no plies; ask of value or outcome")
    if "mover" in used:
        side_names(database.game)


# --- what cells hold ------------------------------------------------------------------------------------------------------


def unheard_of(database: Database, where: str) -> str | None:
    """Return what cells hold if a condition asks for a piece that no cell seems to hold; None if it does not."""
    asked = compared(where, "pieces")
    looked, held = _held(database) if asked else (0, frozenset())
    if asked <= held:
        return None
    empty = ", or '' where they are empty" if "" in held else ""
    return (
        f"Of {looked:,} positions from all over the database none has {_listing(asked - held, 'or')} in a cell: "
        f"cells hold {_listing(held - {''}, 'and')}{empty}."
    )


@lru_cache(maxsize=64)
def _held(database: Database) -> tuple[int, frozenset[str]]:
    """Return what the cells of some positions hold, taken from all over a database, and how many positions these are."""
    looked, held = 0, set(database.game.pieces(database.game.start()))
    edges = [database.size * spot // SPOTS for spot in range(SPOTS + 1)]
    for begin, end in pairwise(edges):
        for some in database.numbers(None, (begin, min(begin + EACH, end))):
            for number in some.tolist():
                held |= set(database.game.pieces(database.position(number).state))
                looked += 1
    return looked, frozenset(held)


def _listing(labels: Iterable[str], last: str) -> str:
    """Return texts as a condition has them, with a word before the last."""
    told = [repr(label) for label in sorted(labels, key=lambda label: (len(label), label))]
    if len(told) > MOST_TOLD:
        return f"{', '.join(told[:MOST_TOLD])} {last} others"
    return f" {last} ".join(filter(None, [", ".join(told[:-1]), told[-1]])) if told else "nothing"
