"""Measure the papers' results again: one function per row, in a module per paper."""

from searchbench.reproduce import (
    allis,
    awari,
    berliner,
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
    hardest,
    junghanns,
    layered,
    morris,
    opening,
    points,
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
    qubic,
    gomoku,
    junghanns,
    rolling_stone,
    featurespace,
    sokoban,
    falling,
    layered,
)
ROWS: dict[str, Row] = {row.id: row for paper in PAPERS for row in paper.ROWS}

__all__ = ["ROWS", "Reproduction", "Row", "reproduce"]
