"""Count the values of each part of a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from searchbench.errors import BadRequest
from searchbench.numbered import diagram_of
from searchbench.store import Database
from searchbench.store.codes import in_order
from searchbench.values import Value, ValueRule

OUTCOMES: Final = {"win": "won", "draw": "drawn", "loss": "lost"}
"""The columns for games of two players."""


def counts_by_part(database: Database, by: str = "part") -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Return the heading and the rows of a table, a part's name and how many of its positions have each value.

    Between two players values are outcomes, without depths. Of a database over a diagram, all positions that are reached are
    counted, by layer: those without number are lost. Raises BadRequest for a database whose parts are no layers.
    """
    diagram = diagram_of(database.game)
    if by not in ("part", "layer"):
        raise BadRequest(f"by {by!r}: expected part, side or layer")
    if by == "layer" and (diagram is None or not diagram.layered):
        raise BadRequest(f"{database!r}: its parts are no layers of a diagram; say part")
    unnumbered: dict[str, int] = {}
    histograms = {part.name: database.histogram(part.name) for part in database.parts}
    if diagram is not None and database.rule.two_players:
        for layer, reached in enumerate(database.facts.get("reachable_by_layer", [])):
            unnumbered[str(layer)] = reached - sum(histograms.setdefault(str(layer), {}).values())
    return table_of(database.rule, by, histograms, unnumbered)


def table_of(
    rule: ValueRule, by: str, histograms: Mapping[str, Mapping[Value, int]], lost: Mapping[str, int] | None = None
) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Return the heading and the rows of a table of histograms by name; `lost` has further positions that are lost, by name.

    Between two players values are outcomes, without depths.
    """
    if not rule.two_players:
        values = in_order({value: 0 for counts in histograms.values() for value in counts})
        rows = [(name, [counts.get(value, 0) for value in values]) for name, counts in histograms.items()]
        return [by, *map(rule.format, values)], rows
    kinds: dict[str, dict[str, int]] = {}
    for name, counts in histograms.items():
        found = kinds[name] = dict.fromkeys(OUTCOMES, 0)
        for value, count in counts.items():
            found[rule.kind(value)] = found.get(rule.kind(value), 0) + count
        found["loss"] += (lost or {}).get(name, 0)
    columns = list(dict.fromkeys(kind for found in kinds.values() for kind in found))
    heading = [by, *(OUTCOMES.get(kind, kind) for kind in columns)]
    return heading, [(name, [found.get(kind, 0) for kind in columns]) for name, found in kinds.items()]
