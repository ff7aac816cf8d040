"""The effort graph of Junghanns and Schaeffer (2001, figure 9): the number of problems solved within a number of nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from searchbench.drawing.palette import CURVES
from searchbench.drawing.svg import svg

WIDTH: Final = 720
HEIGHT: Final = 360
LEFT, BOTTOM, TOP, KEY = 48, 34, 14, 20


def curve_class(place: int) -> str:
    """Return the classes of the curve at a place among others; beyond the last colour they are repeated, dashed."""
    dashes = " sb-dashed" if place >= len(CURVES) else ""
    return f"sb-curve sb-curve-{place % len(CURVES)}{dashes}"


def effort_svg(efforts: Mapping[str, Sequence[int]], tried: int, style: bool = True) -> str:
    """Return the graph as SVG: for each configuration the nodes of each of its solved problems, out of `tried` problems.

    The nodes have a logarithmic scale. Lines have their configuration as ``data-label``.
    """
    decades = _decades(efforts)
    room, tall = WIDTH - LEFT - 12, HEIGHT - BOTTOM - TOP

    def across(nodes: float) -> float:
        return LEFT + room * (math.log10(max(nodes, 1)) - decades[0]) / (decades[-1] - decades[0])

    def up(solved: int) -> float:
        return HEIGHT - BOTTOM - tall * solved / max(tried, 1)

    parts = []
    for power in decades:
        x = round(across(10**power), 1)
        parts.append(f'<path class="sb-grid" d="M{x:g} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="sb-axis" x="{x:g}" y="{HEIGHT - 14}" text-anchor="middle">{10**power:,}</text>')
    for mark in sorted({0, tried // 4, tried // 2, 3 * tried // 4, tried}):
        y = round(up(mark), 1)
        parts.append(f'<path class="sb-grid" d="M{LEFT} {y:g}H{WIDTH - 12}"/>')
        parts.append(f'<text class="sb-axis" x="{LEFT - 8}" y="{y:g}" dy=".35em" text-anchor="end">{mark}</text>')
    for place, (name, nodes) in enumerate(efforts.items()):
        steps = [f"M{LEFT} {up(0):.1f}"]
        for solved, one in enumerate(sorted(nodes), 1):
            steps.append(f"H{across(one):.1f}V{up(solved):.1f}")
        steps.append(f"H{WIDTH - 12}")
        look = f'class="{curve_class(place)}"'
        y = HEIGHT + 4 + KEY * place
        parts.append(
            f'<path {look} d="{"".join(steps)}" data-label="{escape(name)}"><title>{escape(name)}</title></path>'
        )
        parts.append(f'<path {look} d="M{LEFT} {y}h28"/>')
        parts.append(f'<text class="sb-axis" x="{LEFT + 36}" y="{y}" dy=".35em">{escape(name)}: {len(nodes)}</text>')
    height = HEIGHT + KEY * len(efforts) + 8
    return svg("sb-chart", (0.0, 0.0, WIDTH, height), parts, "problems solved by number of nodes", style)


def effort_rows(efforts: Mapping[str, Sequence[int]]) -> tuple[list[str], list[list[str]]]:
    """Return the graph as a table: the powers of ten, and per configuration the number of problems solved within each."""
    limits = [10**power for power in _decades(efforts)]
    heading = ["solved within", *(f"{limit:,}" for limit in limits)]
    return heading, [
        [name, *(str(sum(one <= limit for one in nodes)) for limit in limits)] for name, nodes in efforts.items()
    ]


def _decades(efforts: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the powers of ten from below the smallest to above the largest number of nodes."""
    nodes = [max(1, one) for ones in efforts.values() for one in ones] or [1]
    first = math.floor(math.log10(min(nodes)))
    return list(range(first, max(first + 1, math.ceil(math.log10(max(nodes)))) + 1))
