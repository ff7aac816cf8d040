"""Measure the papers' results again: one function per row, in a module per paper."""

import re
from collections.abc import Mapping, Sequence

from searchbench.errors import BadRequest
from searchbench.reproduce import (
    allis,
    awari,
    berliner,
    comparators,
    complexities,
    compressed,
    compression,
    dependency,
    edelkamp,
    falling,
    featurespace,
    fifteen,
    gasser,
    geese,
    gomoku,
    gomoku_threats,
    hardest,
    junghanns,
    layered,
    morris,
    opening,
    points,
    proof_games,
    proof_graphs,
    proof_numbers,
    proof_trees,
    qubic,
    rolling_stone,
    sokoban,
)
from searchbench.reproduce.row import Reproduction, Row, reproduce

PAPERS = (
    berliner,
    gasser,
    morris,
    compression,
    dependency,
    opening,
    fifteen,
    hardest,
    edelkamp,
    compressed,
    geese,
    points,
    allis,
    awari,
    complexities,
    proof_trees,
    proof_numbers,
    proof_graphs,
    comparators,
    proof_games,
    qubic,
    gomoku,
    gomoku_threats,
    junghanns,
    rolling_stone,
    featurespace,
    sokoban,
    falling,
    layered,
)
ROWS: dict[str, Row] = {row.id: row for paper in PAPERS for row in paper.ROWS}


def named(words: Sequence[str], rows: Mapping[str, Row]) -> list[str]:
    """Return the rows that words name, each once: a row, or letters such as PN for all that begin so but the long ones.

    Raises BadRequest.
    """
    groups: dict[str, list[str]] = {}
    for name in rows:
        if letters := re.match("[A-Z]+", name):
            groups.setdefault(letters[0], []).append(name)
    if unknown := [word for word in words if word not in rows and word not in groups]:
        raise BadRequest(
            f"no row {', '.join(unknown)}: there are {', '.join(rows)}; "
            f"each of {', '.join(groups)} stands for all that begin so, but the long ones"
        )
    found = [name for word in words for name in ([word] if word in rows else _short(word, groups[word], rows))]
    return list(dict.fromkeys(found))


def _short(letters: str, names: Sequence[str], rows: Mapping[str, Row]) -> list[str]:
    """Return the rows that are not long. Raises BadRequest where all are."""
    found = [name for name in names if not rows[name].long]
    if not found:
        raise BadRequest(f"all rows {letters} are long: name those that are to be measured, of {', '.join(names)}")
    return found


__all__ = ["ROWS", "Reproduction", "Row", "named", "reproduce"]
