"""How results look in a terminal, and as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from searchbench.line import Line
    from searchbench.values import ValueRule

BAR = 48
"""The length of the longest bar of a histogram."""


def write(text: object = "") -> None:
    """Print a line of a report."""
    print(text, flush=True)


def write_json(data: Any) -> None:
    """Print one JSON object."""
    print(json.dumps(data), flush=True)


OTHER_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".eps", ".ps")
"""Endings of files in which nobody looks for SVG."""


def check_drawing(place: Path | None) -> None:
    """Refuse a file into which no drawing can be written, before it is made from hours of work. Raises BadRequest."""
    from searchbench.errors import BadRequest

    if place is None:
        return
    if place.suffix.lower() in OTHER_PICTURES:
        raise BadRequest(f"{place}: the drawing is SVG: give a name such as {place.with_suffix('.svg')}")
    if place.is_dir() or not place.parent.is_dir():
        missing = "it is a folder" if place.is_dir() else f"there is no folder {place.parent}"
        raise BadRequest(f"{place}: no drawing can be written there: {missing}")


def draw(picture: str, place: Path) -> None:
    """Write a drawing into a file. Raises BadRequest."""
    from searchbench.errors import BadRequest

    try:
        place.write_text(picture)
    except OSError as error:
        raise BadRequest(f"{place}: the drawing cannot be written: {error.strerror or error}") from None


def compilation(done: str) -> Callable[[], str]:
    """Return a function that tells how long kernels have been compiled from now on: "compiled in 1.234 s, searched in ".

    Where none were, it tells nothing.
    """
    from searchbench.jit import compile_seconds

    before = compile_seconds()

    def told() -> str:
        seconds = compile_seconds() - before
        return f"compiled in {seconds:.3f} s, {done} in " if seconds else ""

    return told


def plain(rule: ValueRule, value: Any) -> Any:
    """Return a value for JSON: a number or null as it is, anything else as the rule writes it."""
    return value if value is None or type(value) is int else rule.format(value)


def histogram(rule: ValueRule, counts: Mapping[Any, int]) -> str:
    """Return a histogram: value, count, and a bar as long as the count."""
    labels = [rule.format(value) for value in counts]
    figures = [f"{count:,}" for count in counts.values()]
    widths = max(map(len, labels), default=0), max(map(len, figures), default=0)
    top = max((count for value, count in counts.items() if value is not None), default=1)
    bars = ["" if value is None else "#" * max(1, round(BAR * count / top)) for value, count in counts.items()]
    rows = zip(labels, figures, bars, strict=True)
    return "\n".join(f"{label:>{widths[0]}}  {figure:>{widths[1]}}  {bar}".rstrip() for label, figure, bar in rows)


def table(rows: Sequence[Sequence[str]], heading: Sequence[str]) -> str:
    """Return rows in columns, the last one as wide as it likes."""
    everything = [heading, *rows]
    widths = [max(len(row[column]) for row in everything) for column in range(len(heading))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in everything
    ]
    return "\n".join(lines)


def boards(pictures: Sequence[tuple[str, str]]) -> str:
    """Return boards with their captions side by side, as many in a row as the terminal has room for."""
    blocks = [[caption, *picture.splitlines()] for caption, picture in pictures]
    width = max((len(line) for block in blocks for line in block), default=0) + 3
    in_row = max(1, shutil.get_terminal_size((100, 24)).columns // width)
    lines = []
    for first in range(0, len(blocks), in_row):
        row = blocks[first : first + in_row]
        for line in range(max(map(len, row))):
            lines.append("".join((block[line] if line < len(block) else "").ljust(width) for block in row).rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def line(found: Line) -> str:
    """Return a line board by board, each with the move that led to it."""
    captions = ["", *(f"{place}. {move}" for place, move in enumerate(found.move_texts(), 1))]
    return boards([(caption, str(position)) for caption, position in zip(captions, found, strict=True)])
