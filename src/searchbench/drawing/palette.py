"""The colours of all drawings, light and dark, in one style sheet, included once per page or per notebook drawing."""

from __future__ import annotations

from typing import Final

_LIGHT: Final = {
    "ground": "#efe7d8", "hole": "#dccfb8", "line": "#8d7a5c", "ink": "#2d2720", "tile": "#9a6030", "tile-ink": "#fff8ee",
    "first": "#fdfcf9", "first-ink": "#2d2720", "second": "#37322d", "second-ink": "#fdfcf9",
    "peg": "#9a6030", "peg-ink": "#fff8ee",
    "seed": "#6f4a26", "card": "#fffefb", "red": "#b3261e", "muted": "#6d675e", "count": "#544e45",
    "grid": "#d9d2c5", "wall": "#7c6f5b",
    "win": "#2f7d4f", "draw": "#b98a1c", "loss": "#b8433a", "number": "#3d6fa5", "edge": "#a99877",
}  # fmt: skip
_DARK: Final = {
    "ground": "#3a342c", "hole": "#2a2620", "line": "#a4937a", "ink": "#eee8dd", "tile": "#8f5726", "tile-ink": "#fff8ee",
    "first": "#f4efe6", "first-ink": "#2d2720", "second": "#15130f", "second-ink": "#f4efe6",
    "peg": "#c98d55", "peg-ink": "#2d2720",
    "seed": "#d9b48a", "card": "#f4efe6", "red": "#b3261e", "muted": "#a79f92", "count": "#a79f92",
    "grid": "#413b33", "wall": "#8d8069",
    "win": "#5cb37f", "draw": "#d9ae4a", "loss": "#e07a6f", "number": "#7aa9dc", "edge": "#6c6151",
}  # fmt: skip
CURVES: Final = (
    ("#2d62b0", "#86b3ee"), ("#b8323a", "#f08a86"), ("#2f7d4a", "#7cc79a"), ("#8f6112", "#e0bb60"),
    ("#7b4fa3", "#c3a1e6"), ("#1c7a82", "#6fcbd3"), ("#8a5a44", "#d3a58e"), ("#b0408a", "#ef9fcf"),
)  # fmt: skip
"""The colours of curves, each for a light and for a dark ground."""
_FACES: Final = ("#f7f5ef", "#b8323a", "#2a7d47", "#f0c52f", "#e2802b", "#2d62b0")
"""The colours of the stickers on the faces U R F D L B."""


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--sb-{name}:{colour};" for name, colour in colours.items())


def _curves(ground: int) -> dict[str, str]:
    """Return the variables of the curves' colours for a light (0) or a dark (1) ground."""
    return {f"curve-{place}": colours[ground] for place, colours in enumerate(CURVES)}


def _both(selector: str) -> str:
    """Return the variables for light and dark, following the page's theme, else the reader's preference."""
    roots = selector.split(",")
    light, dark = _variables(_LIGHT | _curves(0)), _variables(_DARK | _curves(1))
    chosen = ",".join(f':root[data-theme="dark"] {root}' for root in roots)
    unchosen = ",".join(f':root:not([data-theme="light"]) {root}' for root in roots)
    return f"{selector}{{{light}}}{chosen}{{{dark}}}@media (prefers-color-scheme:dark){{{unchosen}{{{dark}}}}}"


_RULES: Final = """
.sb-board,.sb-chart{max-width:100%;height:auto;font-family:system-ui,sans-serif}
.sb-ground{fill:var(--sb-ground)}.sb-hole{fill:var(--sb-hole)}.sb-wall{fill:var(--sb-wall)}.sb-reach{fill:transparent}.sb-crisp{shape-rendering:crispEdges}
.sb-line{stroke:var(--sb-line);stroke-width:3;fill:none;stroke-linecap:round}.sb-rod{stroke-width:7}
.sb-point{fill:var(--sb-line)}.sb-place{fill:var(--sb-ground);stroke:var(--sb-line);stroke-width:2.5}
.sb-text{text-anchor:middle;font-weight:600;pointer-events:none;fill:var(--sb-ink)}
.sb-tile,.sb-bar{fill:var(--sb-tile)}.on-sb-tile{fill:var(--sb-tile-ink)}.on-sb-peg{fill:var(--sb-peg-ink)}
.sb-drawn{fill:var(--sb-ink)}.sb-peg{fill:var(--sb-peg);stroke:#0003;stroke-width:2}
.sb-first{fill:var(--sb-first);stroke:var(--sb-edge);stroke-width:2}.on-sb-first{fill:var(--sb-first-ink)}
.sb-second{fill:var(--sb-second);stroke:var(--sb-edge);stroke-width:2}.on-sb-second{fill:var(--sb-second-ink)}
.sb-cross{stroke:var(--sb-number);stroke-width:8;stroke-linecap:round}
.sb-ring{stroke:var(--sb-loss);stroke-width:8;fill:none}
.sb-seed{fill:var(--sb-seed);stroke:#0003;stroke-width:1}.sb-count{font-weight:600;fill:var(--sb-count);stroke:var(--sb-hole);stroke-width:3;paint-order:stroke}
.sb-chequer{fill:var(--sb-edge)}.sb-figurine{text-anchor:middle;pointer-events:none;stroke-width:1px}.sb-figurine.sb-first{stroke:#2d2720}.sb-figurine.sb-second{stroke:#f4efe6;stroke-width:2px;paint-order:stroke}
.sb-goal{fill:none;stroke:var(--sb-draw);stroke-width:5}.sb-goal.sb-met{stroke:var(--sb-tile-ink)}.sb-man{fill:var(--sb-number);stroke:var(--sb-edge);stroke-width:2}
.sb-burnt{stroke:#2b1a0c;stroke-width:5;stroke-linecap:round}
.sb-card{fill:var(--sb-card);stroke:var(--sb-edge);stroke-width:1.5}.on-sb-card{fill:#2d2720}.sb-red{fill:var(--sb-red)}
.sb-face{stroke:#0004;stroke-width:2;fill:var(--sb-tile)}
.sb-coordinate{fill:var(--sb-muted);font-size:17px;text-anchor:middle;font-weight:600;pointer-events:none}
.sb-grid{stroke:var(--sb-grid);stroke-width:1}.sb-axis{fill:var(--sb-muted);font-size:12px}.sb-back{fill:transparent}
.sb-win{fill:var(--sb-win)}.sb-draw{fill:var(--sb-draw)}.sb-loss{fill:var(--sb-loss)}.sb-number{fill:var(--sb-number)}
.sb-none{fill:var(--sb-muted)}.sb-title{font-weight:600}
.sb-curve{fill:none;stroke-width:2}.sb-thin{stroke-width:1.5}.sb-dashed{stroke-dasharray:6 4}
"""

STYLE: Final = (
    _both(".sb-board,.sb-chart")
    + _RULES.replace("\n", "")
    + "".join(f".sb-curve-{place}{{stroke:var(--sb-curve-{place})}}" for place in range(len(CURVES)))
    + "".join(f".sb-curve-{place}.sb-dots{{fill:var(--sb-curve-{place})}}" for place in range(len(CURVES)))
    + "".join(f".sb-face-{face}{{fill:{colour}}}" for face, colour in enumerate(_FACES))
    + "".join(f".on-sb-face-{face}{{fill:{'#2d2720' if face in (0, 3, 4) else '#fff'}}}" for face in range(len(_FACES)))
)
"""The style sheet: variables ``--sb-...`` and the classes that use them."""
