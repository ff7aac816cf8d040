"""What the papers report, measured again: one function per row, in a module per paper."""

from searchbench.reproduce import allis, edelkamp, gasser, geese, morris, points
from searchbench.reproduce.row import Outcome, Row, reproduce

ROWS: dict[str, Row] = {row.id: row for paper in (gasser, morris, edelkamp, geese, points, allis) for row in paper.ROWS}

__all__ = ["ROWS", "Outcome", "Row", "reproduce"]
