"""Column charts of the number of states per value, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from searchbench.drawing.svg import svg

if TYPE_CHECKING:
    from searchbench.values import ValueRule


class Column(NamedTuple):
    """A column of a chart: its label, a number of states, and its kind: "win", "draw", "loss", "number" or "none"."""

    label: str
    number: int
    kind: str = "number"


def columns(rule: ValueRule, counts: Mapping[Any, int]) -> list[Column]:
    """Return the columns of a histogram, except the states without a value."""
    return [Column(rule.format(value), count, rule.kind(value)) for value, count in counts.items() if value is not None]


WIDTH: Final = 720
HEIGHT: Final = 260
LEFT, RIGHT, BOTTOM, TOP = 64, 24, 30, 14


def chart_svg(columns: Sequence[Column], log: bool = False, style: bool = True, width: int = WIDTH) -> str:
    """Return a column chart of counts as SVG; `log` selects a logarithmic scale, on which a count of one is visible.

    Columns have their label as ``data-label``. Their text has the same size on any width.
    """
    top = max([1, *(column.number for column in columns)])
    marks = _log_marks(top) if log else _marks(top)
    scale = (math.log10(marks[-1]) + 0.15) if log else marks[-1]
    room = HEIGHT - BOTTOM - TOP

    def height(count: int) -> float:
        return room * ((math.log10(count) + 0.15 if count else 0.0) if log else count) / scale

    parts = []
    for mark in marks:
        y = round(HEIGHT - BOTTOM - height(mark), 1)
        parts.append(f'<path class="sb-grid" d="M{LEFT} {y:g}H{width - RIGHT}"/>')
        parts.append(
            f'<text class="sb-axis" x="{LEFT - 8}" y="{y:g}" dy=".35em" text-anchor="end">{short(mark)}</text>'
        )
    step = (width - LEFT - RIGHT - 8) / max(1, len(columns))
    every = max(1, math.ceil(max((len(column.label) for column in columns), default=1) * 7.5 / step))
    for place, column in enumerate(columns):
        x, tall = LEFT + 4 + place * step, max(1.0, height(column.number)) if column.number else 0.0
        gap = min(3.0, step * 0.12)
        parts.append(
            f'<g class="sb-column sb-{column.kind}" data-label="{escape(column.label)}"><title>{escape(column.label)}: '
            f'{column.number:,}</title><rect class="sb-back" x="{x:.2f}" y="{TOP}" width="{step:.2f}" height="{room}"/>'
            f'<rect x="{x + gap / 2:.2f}" y="{HEIGHT - BOTTOM - tall:.2f}" width="{step - gap:.2f}" '
            f'height="{tall:.2f}" rx="{min(2.0, step / 4):.1f}"/></g>'
        )
        if place % every == 0:
            parts.append(
                f'<text class="sb-axis" x="{x + step / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">'
                f"{escape(column.label)}</text>"
            )
    return svg("sb-chart", (0.0, 0.0, width, HEIGHT), parts, "how many states have each value", style)


def _marks(top: int) -> list[int]:
    """Return about four round numbers from 0 up to at least `top`."""
    unit: int = 10 ** max(0, len(str(top)) - 1)
    step = next((part for part in (unit // 5, unit // 2, unit) if part and top / part <= 5), 2 * unit)
    return [step * place for place in range(math.ceil(top / step) + 1)]


def _log_marks(top: int) -> list[int]:
    return [10**power for power in range(math.ceil(math.log10(top)) + 1)] if top > 1 else [1, 10]


def short(number: int) -> str:
    """Return a mark of a scale with a unit, such as 25k."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= size:
            return f"{number / size:g}{unit}"
    return str(number)
