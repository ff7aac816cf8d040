"""Lines and databases as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from searchbench.drawing.palette import STYLE


def boards_html(pictures: Sequence[tuple[str, str]]) -> str:
    """Return boards side by side, each under its caption; a board is SVG or text."""
    boards = [
        f'<figure style="margin:0;max-width:12em"><figcaption>{escape(caption)}</figcaption>'
        f"{picture if picture.startswith('<svg') else f'<pre>{escape(picture)}</pre>'}</figure>"
        for caption, picture in pictures
    ]
    return f'<style>{STYLE}</style><div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(boards)}</div>'


def facts_html(title: str, facts: Mapping[str, object], picture: str) -> str:
    """Return a table of facts with a picture below."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(fact))}</td></tr>" for name, fact in facts.items())
    return f"<table><caption>{escape(title)}</caption>{rows}</table>{picture}"
