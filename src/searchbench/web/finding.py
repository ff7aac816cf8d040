"""Find positions page by page: a request searches for a limited time, and returns where the next one resumes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

from searchbench.errors import BadRequest, LimitReached, UnknownName
from searchbench.game import Position
from searchbench.learning.cells import Cells, State
from searchbench.store import Database
from searchbench.values import Result, Value
from searchbench.web.condition import Scope, clauses, compared, condition
from searchbench.web.library import Predicate

SECONDS: Final = 1.5
"""Seconds of search in one request."""
PATIENCE: Final = 30.0
"""Seconds of search for a hardest position, once for each database."""
FIRST_STEP, LARGEST_STEP = 1 << 16, 1 << 24
SPOTS, EACH = 64, 16
"""Places of a database that are looked at to tell what cells hold, and how many positions at each."""
MOST_TOLD: Final = 12
"""Labels that are told."""
NAMES: Final = ("state", "pieces", "number", "value", "outcome", "plies")
"""The names in a condition: a position's cells, the pieces on them, its number, its value as a number (None: none), "win",
"draw" or "loss" for the player to move, and the plies to it."""
FitsValue = Callable[[Value], bool]
Test = Callable[[int, State], bool]
"""Asks of a number, and of the cells of its position where a condition asks for them."""
_VALUES: Final = frozenset({"value", "outcome", "plies"})
_CELLS: Final = frozenset({"state", "pieces"})


class Filter(NamedTuple):
    """The conditions of a search: a value as the rule reads it, a part, numbers from `first` to `last`, and two tests."""

    value: str | None = None
    part: str | None = None
    first: int = 0
    last: int | None = None
    where: str | None = None
    predicate: Predicate | None = None


class Page(NamedTuple):
    """The numbers found, and the number from which to resume (None: the end was reached)."""

    numbers: list[int]
    following: int | None


def find_page(database: Database, wanted: Filter, limit: int, seconds: float = SECONDS) -> Page:
    """Return the first positions that meet all conditions, at most `limit`, after a search of about `seconds` at most."""
    begin, end = _interval(database, wanted)
    if wanted.where:
        _check_meaning(database, wanted.where)
    tests, fits = list(_tests(database, wanted)), _wanted_values(database, wanted)
    cells = Cells(database) if _asks_for_cells(wanted) else None
    if fits is not None and database.modulus and not _listed(database, fits):
        tests.insert(0, _by_walking(database, fits))
        fits = None
    deadline = time.monotonic() + seconds
    found: list[int] = []
    step = FIRST_STEP
    while begin < end:
        stop, began = min(begin + step, end), time.monotonic()
        for some in database.numbers(fits, (begin, stop)):
            for number, state in cells.of(some) if cells else ((number, ()) for number in some.tolist()):
                if all(test(number, state) for test in tests):
                    found.append(number)
                if len(found) == limit or time.monotonic() > deadline:
                    return Page(found, number + 1 if number + 1 < end else None)
        begin = stop
        if time.monotonic() > deadline:
            break
        if time.monotonic() - began < seconds / 8:
            step = min(2 * step, LARGEST_STEP)
    return Page(found, begin if begin < end else None)


@lru_cache(maxsize=64)
def hardest_number(database: Database) -> int:
    """Return the number of the first of the positions furthest from the end; search for it once. Raises LimitReached."""
    page = find_page(database, Filter(database.rule.format(database.hardest())), 1, PATIENCE)
    if not page.numbers:
        raise LimitReached(
            f"{database.game}: a hardest position was not found within {PATIENCE:g} s; find it by its value"
        )
    return page.numbers[0]


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


def _check_meaning(database: Database, where: str) -> None:
    """Refuse a condition that no position can meet, since the values here have nothing of the kind. Raises BadRequest."""
    _, used = condition(where, NAMES)
    kinds = {"none", *map(database.rule.kind, database.histogram())}
    kinds |= {"win", "draw", "loss"} if database.rule.two_players else set()
    if unknown := compared(where, "outcome") - kinds:
        instead = "it is 'win', 'draw' or 'loss'" if database.rule.two_players else "a puzzle has none: ask of value"
        raise BadRequest(f"condition {where!r}: no outcome is {_listing(unknown, 'or')}; {instead}")
    if "plies" in used and not any(isinstance(value, Result) for value in database.histogram()):
        raise BadRequest(f"condition {where!r}: the values of this database have no plies; ask of value or outcome")


def count_all(database: Database, wanted: Filter) -> int | None:
    """Return the total number of positions if the database's header has it, else None."""
    if wanted.where or wanted.predicate or wanted.first or wanted.last is not None:
        return None
    if wanted.part is None:
        return database.count(wanted.value)
    fits = database.rule.parse(wanted.value) if wanted.value else lambda _value: True
    return sum(count for value, count in database.histogram(wanted.part).items() if fits(value))


def _interval(database: Database, wanted: Filter) -> tuple[int, int]:
    last = database.size - 1 if wanted.last is None else wanted.last
    if not (0 <= wanted.first < database.size and last < database.size):
        raise BadRequest(f"numbers {wanted.first} to {last}: expected numbers from 0 to {database.size - 1}")
    if wanted.first > last:
        raise BadRequest(f"numbers {wanted.first} to {last}: the first is larger than the last")
    if wanted.part is None:
        return wanted.first, last + 1
    part = part_of(database, wanted.part)
    return max(wanted.first, part.start), min(last + 1, part.stop)


def part_of(database: Database, name: str) -> Any:
    """Return a part by its name. Raises UnknownName."""
    try:
        return database.part(name)
    except BadRequest as error:
        raise UnknownName(str(error)) from None


def _wanted_values(database: Database, wanted: Filter) -> FitsValue | None:
    """Return which values positions must have, by their value and by those parts of the condition that ask of nothing else.

    None: any. Values are compared array by array, so that a rare one is found soon in a large database.
    """
    asked = [] if wanted.value is None else [database.rule.parse(wanted.value)]
    for clause in clauses(wanted.where) if wanted.where else ():
        meets, used = condition(clause, NAMES)
        if used and used <= _VALUES:
            asked.append(partial(_may_meet, database, meets))
    return (lambda value: all(fits(value) for fits in asked)) if asked else None


def _may_meet(database: Database, meets: Callable[[Scope], bool], value: Value) -> bool:
    """Return whether positions with a value may meet a condition; where it cannot be evaluated, the positions will tell."""
    try:
        return meets(_of_value(database, value))
    except BadRequest:
        return True


def _listed(database: Database, fits: FitsValue) -> bool:
    """Return whether the header lists all positions with wanted values, as it does for small layers."""
    few = database.facts.get("few", {})
    return all(str(found) in few for found in database.histogram() if fits(found))


def _by_walking(database: Database, fits: FitsValue) -> Test:
    """Return a test of the value of single numbers, for depths modulo 3; it reads no whole table."""
    codes = [database.rule.encode(found) for found in database.histogram() if fits(found)]
    residues = {1 + (code - 1) % database.modulus if code else 0 for code in codes}
    return lambda number, _state: database.residue(number) in residues and database.code(number) in codes


def _asks_for_cells(wanted: Filter) -> bool:
    return wanted.predicate is not None or bool(wanted.where and condition(wanted.where, NAMES)[1] & _CELLS)


def _tests(database: Database, wanted: Filter) -> Iterator[Test]:
    if wanted.where:
        meets, used = condition(wanted.where, NAMES)
        yield lambda number, state: meets(_scope(database, number, state, used))
    if wanted.predicate is not None:
        predicate = wanted.predicate

        def asked(number: int, state: State) -> bool:
            position = Position(database.game, state)
            try:
                return bool(predicate(position))
            except Exception as error:
                raise BadRequest(f"the predicate on {position.text!r}: {type(error).__name__}: {error}") from None

        yield asked


def _scope(database: Database, number: int, state: State, used: frozenset[str]) -> dict[str, Any]:
    scope: dict[str, Any] = {"state": state, "number": number}
    if "pieces" in used:
        scope["pieces"] = database.game.pieces(state)
    if used & _VALUES:
        scope |= _of_value(database, database.rule.decode(database.code(number)))
    return scope


def _of_value(database: Database, value: Value) -> dict[str, Any]:
    result = value if isinstance(value, Result) else None
    return {
        "value": value if result is None else result.outcome,
        "outcome": database.rule.kind(value),
        "plies": None if result is None or result.outcome == 0 else result.depth,
    }
