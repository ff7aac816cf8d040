"""The SVG element shared by all drawings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from searchbench.drawing.palette import STYLE


def svg(kind: str, frame: tuple[float, float, float, float], parts: Sequence[str], title: str, style: bool) -> str:
    """Return an SVG drawing of a kind ("sb-board", "sb-chart") from its parts; `frame` is left, top, width, height."""
    left, top, width, height = (round(number, 1) for number in frame)
    sheet = f"<style>{STYLE}</style>" if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="{left:g} {top:g} {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(title)}">{sheet}{"".join(parts)}</svg>'
    )
