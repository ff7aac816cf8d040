"""Count the values of each part of a database."""

from __future__ import annotations

from typing import Final

from searchbench.errors import BadRequest
from searchbench.numbered import diagram_of
from searchbench.store import Database
from searchbench.store.codes import in_order

OUTCOMES: Final = {"win": "won", "draw": "drawn", "loss": "lost"}
"""The columns for games of two players."""


def counts_by_part(database: Database, by: str = "part") -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Return the heading and the rows of a table, a part's name and how many of its positions have each value.

    Between two players values are outcomes, without depths. Of a database over a diagram, all positions that are reached are
    counted, by layer: those without number are lost. Raises BadRequest for a database whose parts are no layers.
    """
    diagram = diagram_of(database.game)
    if by not in ("part", "layer"):
        raise BadRequest(f"by {by!r}: expected part or layer")
    if by == "layer" and (diagram is None or not diagram.layered):
        raise BadRequest(f"{database!r}: its parts are no layers of a diagram; say part")
    rule = database.rule
    if not rule.two_players:
        values = in_order(database.histogram())
        rows = []
        for part in database.parts:
            counts = database.histogram(part.name)
            rows.append((part.name, [counts.get(value, 0) for value in values]))
        return [by, *map(rule.format, values)], rows
    kinds: dict[str, dict[str, int]] = {}
    for part in database.parts:
        counts = dict.fromkeys(OUTCOMES, 0)
        for value, count in database.histogram(part.name).items():
            counts[rule.kind(value)] = counts.get(rule.kind(value), 0) + count
        kinds[part.name] = counts
    if diagram is not None:
        for layer, reached in enumerate(database.facts.get("reachable_by_layer", [])):
            counts = kinds.setdefault(str(layer), dict.fromkeys(OUTCOMES, 0))
            counts["loss"] += reached - sum(counts.values())
    columns = list(dict.fromkeys(kind for counts in kinds.values() for kind in counts))
    heading = [by, *(OUTCOMES.get(kind, kind) for kind in columns)]
    return heading, [(name, [counts.get(kind, 0) for kind in columns]) for name, counts in kinds.items()]
