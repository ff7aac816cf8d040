"""Search many states: read them from a file or from standard input, write lines as text, JSON or CSV."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchbench.cli import show

if TYPE_CHECKING:
    from searchbench.game import Game
    from searchbench.solvers.guided import Attempt

FORMATS = ("text", "json", "csv")
COLUMNS = ("state", "cost", "optimal", "bound", "nodes", "seconds", "moves", "error")


def states_in(game: Game, source: str) -> list[list[int]]:
    """Return the states in a file, "-" for standard input. Raises BadRequest and BadState."""
    from searchbench.errors import BadRequest
    from searchbench.solvers.guided import read_states

    if source == "-":
        return read_states(game, sys.stdin.read(), "standard input")
    try:
        text = Path(source).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{source}: the states cannot be read: {error}") from None
    return read_states(game, text, source)


def levels_in(game: Game, source: str) -> Sequence[Game] | None:
    """Return the levels in a file, "-" for standard input; None where a file holds states of one game.

    Raises BadRequest, also where a parameter of the game was given that the levels do not have.
    """
    from searchbench.errors import BadRequest

    games = game.levels(source)
    if not games:
        return games
    own: tuple[Field[Any], ...] = fields(game) if is_dataclass(game) else ()
    for one in own:
        given = getattr(game, one.name)
        if given != one.default and given != getattr(games[0], one.name):
            raise BadRequest(
                f"{game} and --from {source}: the levels of the file do not have {one.name} {given!r}; leave it out"
            )
    return games


def tried(attempts: Iterable[Attempt]) -> Iterator[Attempt]:
    """Yield attempts as they are, once the game's own bound and pruning were tried along the line. Raises BadGame."""
    from searchbench.tried import try_line

    for attempt in attempts:
        if attempt.line is not None:
            try_line(attempt.line)
        yield attempt


def try_lines(attempts: Iterable[Attempt]) -> None:
    """Try the game's own bound and pruning along all lines. Raises BadGame."""
    for _ in tried(attempts):
        pass


def row_of(attempt: Attempt, game: Game) -> dict[str, Any]:
    """Return what came of a state by the names of the columns; what is not known is None."""
    line = attempt.line
    return {
        "state": game.format(attempt.state),
        "cost": None if line is None else line.cost,
        "optimal": None if line is None else line.optimal,
        "bound": attempt.bound,
        "nodes": attempt.nodes,
        "seconds": round(attempt.seconds, 6),
        "moves": None if line is None else line.move_texts(),
        "error": None if attempt.error is None else str(attempt.error),
    }


def write(attempts: Iterable[Attempt], game: Game, style: str) -> list[Attempt]:
    """Print what comes of each state, as text and CSV at once and as JSON in the end; return all of it."""
    found = []
    rows = []
    if style == "csv":
        show.write(csv_line(COLUMNS))
    for attempt in attempts:
        found.append(attempt)
        row = row_of(attempt, game)
        if style == "json":
            rows.append(row)
        elif style == "csv":
            show.write(csv_line([_plain(row[column]) for column in COLUMNS]))
        else:
            show.write(_text(row))
    if style == "json":
        show.write_json(rows)
    elif style == "text":
        show.write(summary(found))
    return found


def exit_code(attempts: Iterable[Attempt]) -> int:
    """Return the exit code: of the worst that came of any state."""
    return max((attempt.error.exit_code for attempt in attempts if attempt.error is not None), default=0)


def summary(attempts: list[Attempt]) -> str:
    """Return how many states were solved, and what it took in all."""
    solved = sum(attempt.line is not None for attempt in attempts)
    nodes, seconds = sum(attempt.nodes for attempt in attempts), sum(attempt.seconds for attempt in attempts)
    total = sum(attempt.line.cost for attempt in attempts if attempt.line is not None)
    return f"{solved} of {len(attempts)} solved, cost {total:,}, {nodes:,} nodes, {seconds:.3f} s"


def _text(row: dict[str, Any]) -> str:
    if row["error"] is not None:
        return f"{row['state']}   {row['error']}"
    how = "" if row["optimal"] else " (perhaps not the least)"
    moves = f": {' '.join(row['moves'])}" if row["moves"] else ""  # a solved state needs none
    return f"{row['state']}   cost {row['cost']}{how}, {row['nodes']:,} nodes, {row['seconds']:.3f} s{moves}"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    return "" if value is None else str(value)


def csv_line(cells: Iterable[str]) -> str:
    """Return cells as a line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()
