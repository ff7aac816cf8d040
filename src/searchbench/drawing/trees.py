"""Trees as SVG: the root at the left, one row per leaf."""

from __future__ import annotations

from html import escape
from typing import Final, NamedTuple

from searchbench.drawing.svg import svg


class Branch(NamedTuple):
    """A node: its text, its kind ("win", "draw", "loss", "number"; "" for an inner node), and its children by labels."""

    text: str
    kind: str
    following: tuple[tuple[str, Branch], ...]


ROW: Final = 18.0
LETTER: Final = 6.6
GAP: Final = 46.0


def tree_svg(root: Branch, title: str, style: bool = True) -> str:
    """Return a drawing of a tree; each edge is labelled."""
    widths: list[float] = []
    _measure(root, 0, widths)
    lefts = [8.0]
    for width in widths:
        lefts.append(lefts[-1] + width + GAP)
    parts: list[str] = []
    rows = _draw(root, 0, 0, lefts, parts)[1]
    return svg("sb-chart sb-tree", (0.0, 0.0, lefts[-1], rows * ROW + 12), parts, title, style)


def _measure(branch: Branch, depth: int, widths: list[float]) -> None:
    if depth == len(widths):
        widths.append(0.0)
    widths[depth] = max(widths[depth], LETTER * len(branch.text))
    for _, after in branch.following:
        _measure(after, depth + 1, widths)


def _draw(branch: Branch, depth: int, row: int, lefts: list[float], parts: list[str]) -> tuple[float, int]:
    """Draw a branch from row `row` on; return the height of its text and the first free row."""
    heights = []
    for _, after in branch.following:
        height, row = _draw(after, depth + 1, row, lefts, parts)
        heights.append(height)
    if not heights:
        y = 12.0 + row * ROW
        row += 1
    else:
        y = (heights[0] + heights[-1]) / 2
    x, end = lefts[depth], lefts[depth] + LETTER * len(branch.text) + 3
    for (label, _), height in zip(branch.following, heights, strict=True):
        bend = lefts[depth + 1] - 24
        parts.append(f'<path class="sb-grid" fill="none" d="M{end:g} {y:g}L{bend:g} {height:g}H{bend + 20:g}"/>')
        parts.append(f'<text class="sb-axis" x="{bend + 2:g}" y="{height - 3:g}">{escape(label)}</text>')
    kind = f"sb-axis sb-{branch.kind}" if branch.kind else "sb-axis"
    parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" dy=".35em">{escape(branch.text)}</text>')
    return y, row
