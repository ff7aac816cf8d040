"""Find positions page by page: a request searches for a limited time, and returns where the next one resumes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from searchbench.errors import BadRequest, LimitReached, UnknownName
from searchbench.game import Position
from searchbench.store import Database
from searchbench.store.cells import State
from searchbench.store.positions import Condition, FitsValue, Sieve, both
from searchbench.web.library import Predicate

SECONDS: Final = 1.5
"""Seconds of search in one request."""
PATIENCE: Final = 30.0
"""Seconds of search for a hardest position, once for each database."""
FIRST_STEP, LARGEST_STEP = 1 << 16, 1 << 24


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
    asked = Condition(database, wanted.where) if wanted.where else None
    fits = both(database.rule.parse(wanted.value) if wanted.value else None, None if asked is None else asked.fits)
    tests = []
    if fits is not None and database.modulus and not _listed(database, fits):
        tests.append(_by_walking(database, fits))
        fits = None
    sieve = Sieve(database, asked, tests, wanted.predicate and partial(_asked, database, wanted.predicate))
    deadline = time.monotonic() + seconds
    found: list[int] = []
    step = FIRST_STEP
    while begin < end:
        stop, began = min(begin + step, end), time.monotonic()
        for some in database.numbers(fits, (begin, stop)):
            for last, passing in sieve.through(some):
                found += passing.tolist()
                if len(found) >= limit or time.monotonic() > deadline:
                    found = found[:limit]
                    following = (found[-1] if len(found) == limit else last) + 1
                    return Page(found, following if following < end else None)
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


def _listed(database: Database, fits: FitsValue) -> bool:
    """Return whether the header lists all positions with wanted values, as it does for small layers."""
    few = database.facts.get("few", {})
    return all(str(found) in few for found in database.histogram() if fits(found))


def _by_walking(database: Database, fits: FitsValue) -> Callable[[int], bool]:
    """Return a test of the value of single numbers, for depths modulo 3; it reads no whole table."""
    codes = [database.rule.encode(found) for found in database.histogram() if fits(found)]
    residues = {1 + (code - 1) % database.modulus if code else 0 for code in codes}
    return lambda number: database.residue(number) in residues and database.code(number) in codes


def _asked(database: Database, predicate: Predicate, _number: int, state: State) -> bool:
    """Return what a predicate of the user's own says of a position. Raises BadRequest."""
    position = Position(database.game, state)
    try:
        return bool(predicate(position))
    except Exception as error:
        raise BadRequest(f"the predicate on {position.text!r}: {type(error).__name__}: {error}") from None
