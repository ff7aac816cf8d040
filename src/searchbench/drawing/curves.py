"""Curves over whole numbers, such as the nodes of several searches by the length of their input, on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from html import escape
from typing import Final

from searchbench.drawing.effort import COLOURS
from searchbench.drawing.svg import svg

WIDTH: Final = 720
HEIGHT: Final = 360
LEFT, BOTTOM, TOP, KEY = 68, 46, 14, 20


def curves_svg(
    across: Sequence[int], curves: Mapping[str, Sequence[float]], bottom: str, side: str, style: bool = True,
    marked: Container[str] = (),
) -> str:  # fmt: skip
    """Return curves as SVG: for each name its numbers, from 1 on, at the places `across`; the scale doubles evenly.

    `bottom` and `side` name the axes. Curves that are `marked` are circles: one can be seen upon an equal line. Lines have
    their name as ``data-label``.
    """
    most = max([1.0, *(number for numbers in curves.values() for number in numbers)])
    powers = max(1, math.ceil(math.log2(most)))
    room, tall = WIDTH - LEFT - 12, HEIGHT - BOTTOM - TOP
    first, last = min(across), max(across)

    def x_of(place: int) -> float:
        return round(LEFT + room * (place - first) / max(last - first, 1), 1)

    def y_of(number: float) -> float:
        return round(HEIGHT - BOTTOM - tall * math.log2(max(number, 1)) / powers, 1)

    parts = []
    for power in range(0, powers + 1, max(1, powers // 10)):
        y = y_of(2**power)
        parts.append(f'<path class="sb-grid" d="M{LEFT} {y:g}H{WIDTH - 12}"/>')
        parts.append(f'<text class="sb-axis" x="{LEFT - 8}" y="{y:g}" dy=".35em" text-anchor="end">{2**power:,}</text>')
    for place in across[:: max(1, len(across) // 20)]:
        parts.append(f'<text class="sb-axis" x="{x_of(place):g}" y="{HEIGHT - 28}" text-anchor="middle">{place}</text>')
    parts.append(
        f'<text class="sb-axis" x="{LEFT + room / 2:g}" y="{HEIGHT - 10}" text-anchor="middle">{escape(bottom)}</text>'
    )
    for row, (name, numbers) in enumerate(curves.items()):
        places = [(x_of(place), y_of(number)) for place, number in zip(across, numbers, strict=True)]
        y = HEIGHT + 4 + KEY * row
        if name in marked:
            look = f'stroke="{COLOURS[row % len(COLOURS)]}" fill="none" stroke-width="1.5"'
            circles = "".join(f'<circle cx="{x:g}" cy="{high:g}" r="4"/>' for x, high in places)
            parts.append(f'<g {look} data-label="{escape(name)}"><title>{escape(name)}</title>{circles}</g>')
            parts.append(f'<circle {look} cx="{LEFT + 14}" cy="{y}" r="4"/>')
            parts.append(f'<text class="sb-axis" x="{LEFT + 36}" y="{y}" dy=".35em">{escape(name)}</text>')
            continue
        points = " ".join(f"{x:g},{high:g}" for x, high in places)
        dashes = ' stroke-dasharray="6 4"' if row >= len(COLOURS) else ""
        look = f'stroke="{COLOURS[row % len(COLOURS)]}"{dashes} fill="none" stroke-width="2"'
        parts.append(
            f'<polyline {look} points="{points}" data-label="{escape(name)}"><title>{escape(name)}</title></polyline>'
        )
        parts.append(f'<path {look} d="M{LEFT} {y}h28"/>')
        parts.append(f'<text class="sb-axis" x="{LEFT + 36}" y="{y}" dy=".35em">{escape(name)}</text>')
    height = HEIGHT + KEY * len(curves) + 8
    return svg("sb-chart", (0.0, 0.0, WIDTH, height), parts, f"{side} by {bottom}", style)
