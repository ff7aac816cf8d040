"""Curves over whole numbers, such as the nodes of several searches by the length of their input, on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from html import escape
from typing import Final

from searchbench.drawing.charts import short
from searchbench.drawing.effort import curve_class
from searchbench.drawing.svg import svg

WIDTH: Final = 720
HEIGHT: Final = 360
LEFT, RIGHT, BOTTOM, TOP, KEY = 68, 24, 46, 34, 20
DOUBLINGS: Final = 10
"""Where the scale has more powers of two, its marks are powers of ten."""
LETTER: Final = 7.5
"""Room for a letter below the scale across."""


def curves_svg(
    across: Sequence[int], curves: Mapping[str, Sequence[float]], bottom: str, side: str, style: bool = True,
    marked: Container[str] = (), places: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return curves as SVG: for each name its numbers, from 1 on, at the places `across`, on a logarithmic scale.

    `bottom` and `side` name the axes. Curves that are `marked` are circles: one can be seen upon an equal line. Where `places`
    have names nothing lies between them: lines are dots. Curves have their name as ``data-label``. Numbers below 1 stand on the
    lowest line. Where there are several, a marked curve has the colour of the one before it.
    """
    most = max([1.0, *(number for numbers in curves.values() for number in numbers)])
    powers = max(1, math.ceil(math.log2(most)))
    room, tall = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP
    first, last = min(across), max(across)

    def x_of(place: int) -> float:
        return round(LEFT + room * (place - first) / max(last - first, 1), 1)

    def y_of(number: float) -> float:
        return round(HEIGHT - BOTTOM - tall * math.log2(max(number, 1)) / powers, 1)

    parts = [f'<text class="sb-axis sb-title" x="4" y="14">{escape(side)}</text>']
    for mark in _marks(powers):
        y = y_of(mark)
        parts.append(f'<path class="sb-grid" d="M{LEFT} {y:g}H{WIDTH - RIGHT}"/>')
        parts.append(
            f'<text class="sb-axis" x="{LEFT - 8}" y="{y:g}" dy=".35em" text-anchor="end">{short(mark)}</text>'
        )
    names = places or [str(place) for place in across]
    every = max(1, math.ceil(len(across) * LETTER * (1.5 + max(map(len, names))) / room))
    for place, name in list(zip(across, names, strict=True))[::every]:
        parts.append(
            f'<text class="sb-axis" x="{x_of(place):g}" y="{HEIGHT - 28}" text-anchor="middle">{escape(name)}</text>'
        )
    parts.append(
        f'<text class="sb-axis sb-title" x="{LEFT + room / 2:g}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(bottom)}</text>"
    )
    for row, (name, numbers) in enumerate(curves.items()):
        points = [(x_of(place), y_of(number)) for place, number in zip(across, numbers, strict=True)]
        look = curve_class(row - 1 if name in marked and len(curves) > 2 else row)
        if name in marked:
            look, drawn, key = f"{look} sb-thin", _dots(points, 4), _dots([(LEFT + 14, _key(row))], 4)
        elif places:
            look, drawn, key = f"{look} sb-dots", _dots(points, 3), _dots([(LEFT + 14, _key(row))], 3)
        else:
            drawn = f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'
            key = f'<path d="M{LEFT} {_key(row)}h28"/>'
        parts.append(
            f'<g class="{look}" data-label="{escape(name)}"><title>{escape(name)}</title>{drawn}</g>'
            f'<g class="{look}">{key}</g>'
            f'<text class="sb-axis" x="{LEFT + 36}" y="{_key(row)}" dy=".35em">{escape(name)}</text>'
        )
    height = HEIGHT + KEY * len(curves) + 8
    return svg("sb-chart", (0.0, 0.0, WIDTH, height), parts, f"{side} by {bottom}", style)


def _marks(powers: int) -> list[int]:
    """Return the marks of a scale from 1 to a power of two."""
    if powers <= DOUBLINGS:
        return [2**power for power in range(powers + 1)]
    decades = int(powers * math.log10(2))
    return [10**power for power in range(0, decades + 1, math.ceil(decades / DOUBLINGS))]


def _key(row: int) -> int:
    return HEIGHT + 4 + KEY * row


def _dots(points: Sequence[tuple[float, float]], radius: int) -> str:
    return "".join(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}"/>' for x, y in points)
