"""Search all levels of a file: a table with a row for each, written as the searches end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from searchbench.cli import show

if TYPE_CHECKING:
    from searchbench.game import Game
    from searchbench.solvers.guided import Attempt

COLUMNS = ("level", "title", "status", "wall", "cpu", "nodes", "cost", "moves", "strategy", "solution")
WIDTHS = (28, 20, 10, 8, 8, 11, 5, 6, 12, 0)


def row_of(game: Game, attempt: Attempt, strategy: str) -> dict[str, Any]:
    """Return what came of a level by the names of the columns; `moves` is the length of the solution as it is written."""
    line = attempt.line
    row = dict.fromkeys(COLUMNS)
    row |= {
        "level": str(game).partition(":")[2],
        "title": game.title,
        "wall": round(attempt.seconds, 3),
        "nodes": attempt.nodes,
    }
    row |= {"cpu": round(attempt.processor_seconds, 3), "strategy": strategy}
    if line is None:
        ended = {10: "unsolvable", 20: "open"}.get(getattr(attempt.error, "exit_code", 0), "refused")
        return row | {"status": ended, "solution": str(attempt.error)}
    written = game.solution(line.moves)
    return row | {
        "status": "optimal" if line.optimal else "solved", "cost": line.cost, "moves": len(written), "solution": written
    }  # fmt: skip


def write(games: Sequence[Game], attempts: Iterable[Attempt], style: str) -> list[Attempt]:
    """Print the row of each level, as text and CSV at once and as JSON in the end; return the attempts."""
    from searchbench.cli.instances import csv_line, summary

    found, rows = [], []
    if style != "json":
        show.write(csv_line(COLUMNS) if style == "csv" else _aligned(COLUMNS))
    for game, attempt in zip(games, attempts, strict=True):
        found.append(attempt)
        row = row_of(game, attempt, attempt.line.strategy if attempt.line is not None else "")
        cells = ["" if row[column] is None else str(row[column]) for column in COLUMNS]
        if style == "json":
            rows.append(row | {"notes": list(game.notes)})
        else:
            show.write(csv_line(cells) if style == "csv" else _aligned(cells))
    if style == "json":
        show.write_json(rows)
    elif style == "text":
        show.write(summary(found))
    return found


def _aligned(cells: Sequence[str]) -> str:
    columns = zip(cells, WIDTHS, strict=True)
    shown = [cell if len(cell) <= width or not width else f"..{cell[2 - width :]}" for cell, width in columns]
    return "  ".join(cell.ljust(width) for cell, width in zip(shown, WIDTHS, strict=True)).rstrip()
