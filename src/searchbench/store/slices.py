"""Slices: databases that have only some parts of another one, for probes where the whole is too large."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from searchbench.errors import BadRequest
from searchbench.index.protocol import Part, part_names

if TYPE_CHECKING:
    from searchbench.store.database import Database


def chosen_parts(database: Database, parts: str | Iterable[str]) -> list[Part]:
    """Return the parts with these names ("3-3,4-3", or a list), in the order of the index. Raises BadRequest."""
    names = part_names(parts, database.parts)
    if not any(names):
        raise BadRequest(f"no part is named; {database.game} has {_listed(part.name for part in database.parts)}")
    wanted = {database.part(name).name for name in names}
    return [part for part in database.parts if part.name in wanted]


def sliced(database: Database, parts: str | Iterable[str]) -> Database:
    """Return the database of these parts alone, over the same codes. Raises BadRequest."""
    chosen = chosen_parts(database, parts)
    if database.modulus:
        raise BadRequest(
            f"{database.game}: depths modulo {database.modulus} are found by walking back to the start, through other parts: "
            "a slice of them could not be asked; solve with --form values"
        )
    if len(chosen) == len(database.parts):
        return database
    return type(database)(
        database.game, database.rule, database.store, database.facts, database.command, parts=tuple(chosen)
    )


def missing_needs(database: Database) -> dict[str, list[str]]:
    """Return the parts whose values follow from others that the database lacks, with the names of those."""
    there = {part.name for part in database.parts}
    lost = {part.name: [need for need in part.needs if need not in there] for part in database.parts}
    return {name: needs for name, needs in lost.items() if needs}


def refuse_slice(database: Database, what: str) -> None:
    """Raise BadRequest if values of a database do not follow from its own parts, so that it cannot be verified or repaired."""
    lost = missing_needs(database)
    if lost:
        name, needs = next(iter(lost.items()))
        raise BadRequest(
            f"{database} is a slice that cannot be {what}: values of its part {name!r} follow from those of "
            f"{_listed(needs)}, which it lacks; ask so of the database that it was cut from, or cut it with --parts "
            f"{','.join(closed_under_needs(database))}"
        )
    if database.rule.from_start and database.notion != "strong":
        raise BadRequest(
            f"{database} is a slice that cannot be {what}: depths follow from the start on, through all parts; ask so of the "
            "database that it was cut from"
        )


def closed_under_needs(database: Database) -> list[str]:
    """Return the names of the database's parts and of all that these need, in the order of the index."""
    by_name = {part.name: part for part in database.game.parts()}
    found: set[str] = set()
    waiting = [part.name for part in database.parts]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(by_name[name].needs)
    return [name for name in by_name if name in found]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
