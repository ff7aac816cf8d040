"""A board with its pieces as SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from itertools import combinations
from typing import Final, NamedTuple

from searchbench.board import Board, is_empty
from searchbench.drawing.svg import svg

UNIT: Final = 64
"""Distance of neighbouring cells."""
BESIDE: Final = 22
"""Room on each side for coordinates."""
SEAM: Final = 0.8
"""How much squares of a wall overlap, so that no line is seen between them."""
LONG_NAME: Final = 4
"""Names of so many characters do not fit beside a cell."""
GRID: Final = re.compile(r"([A-Za-z]+)(\d+)|([A-Z]+)([a-z]+)")
LARGEST_COMPARED: Final = 400
"""On larger boards the nearest cells are assumed to be one apart."""
SUITS: Final = {"C": "\u2663", "D": "\u2666", "H": "\u2665", "S": "\u2660"}
FACES: Final = "URFDLB"
WHITE_FIGURINES: Final = "\u2654\u2655\u2656\u2657\u2658\u2659"
BLACK_FIGURINE: Final = 6
"""From White's figurine to Black's."""
NODE: Final = 22.0
"""The radius of a graph's nodes."""
GOLDEN_ANGLE: Final = 2.39996
APART: Final = 1.6 * UNIT
"""The length of a line between two dots."""
SLOT: Final = (0.68 * APART, 28.0)
"""Length and breadth of the place of a line, between its dots."""


class _Geometry(NamedTuple):
    """The distances of columns and rows, and the size of a cell."""

    across: float
    down: float
    width: float
    height: float


def board_svg(
    board: Board, pieces: Sequence[str], turned: bool = False, style: bool = True, title: str = "",
    coordinates: bool = False,
) -> str:  # fmt: skip
    """Return a board with its pieces as SVG, with `coordinates` around it where cells have names.

    `turned` draws a state of the second player from the first player's view. The elements of a cell have its number as
    ``data-cell``. With `style` the drawing includes its style sheet, light and dark; without, the page must.
    """
    geometry = _geometry(board, pieces)
    turned = turned and bool(board.opposite)
    places = [board.cells[board.opposite[cell] if turned else cell] for cell in range(len(board.cells))]
    centres = [(x * geometry.across, y * geometry.down) for x, y in places]
    line = _arrow if board.shape == "node" else _edge
    parts = [_ground(board, centres, geometry), *(line(centres[one], centres[two]) for one, two in board.edges)]
    parts += [_cell(board, cell, label, centres[cell], geometry) for cell, label in enumerate(pieces)]
    dots = _dots(board, centres) if board.shape == "line" else {}
    for cell, label in enumerate(pieces):
        drawn = _piece(board, label, turned, geometry)
        if drawn:
            parts.append(
                f'<g class="sb-piece" data-cell="{cell}" data-label="{escape(label)}" '
                f'transform="translate({_at(centres[cell])})">{drawn}</g>'
            )
    parts += [f'<circle class="sb-point" r="9" cx="{x:g}" cy="{y:g}"/>' for x, y in dots]
    frame = _frame(centres, geometry)
    names, at = (list(dots.values()), list(dots)) if dots else (board.names, centres)
    marks = _coordinates(names, at, frame) if coordinates and board.shape != "node" else []
    parts += [
        f'<text class="sb-coordinate" x="{x:g}" y="{y:g}" dy=".35em">{escape(text)}</text>' for x, y, text in marks
    ]
    return svg("sb-board", _with_room(frame, marks), parts, title or "a board", style)


def piece_svg(board: Board, label: str, pieces: Sequence[str], turned: bool = False) -> str:
    """Return one piece, drawn to the scale of a board with these pieces, for a palette."""
    geometry = _geometry(board, pieces)
    drawn = _piece(board, label, turned and bool(board.opposite), geometry)
    return svg("sb-board", _frame([(0.0, 0.0)], geometry), [drawn], label or "nothing", False)


def _geometry(board: Board, pieces: Sequence[str]) -> _Geometry:
    if board.shape == "bar":
        longest = max([1, *(_number(label) for label in pieces)])
        width = UNIT * (1.0 + 0.28 * longest)
        return _Geometry(width + 14, 0.5 * UNIT, width, 0.46 * UNIT)
    if board.shape == "card":
        return _Geometry(UNIT, 1.4 * UNIT, 0.9 * UNIT, 1.28 * UNIT)
    if board.shape == "node":  # edges need room
        return _Geometry(UNIT, UNIT, 1.3 * UNIT, 1.3 * UNIT)
    if board.shape == "line":
        return _Geometry(APART, APART, SLOT[1], SLOT[1])
    apart = UNIT / _nearest(board.cells)
    return _Geometry(apart, apart, 0.94 * UNIT, 0.94 * UNIT)


@lru_cache(maxsize=64)
def _nearest(cells: tuple[tuple[float, float], ...]) -> float:
    """Return the distance between the two nearest cells, at least 1: cells of that size do not overlap."""
    if len(cells) > LARGEST_COMPARED:
        return 1.0
    return max(1.0, min((max(abs(x - u), abs(y - v)) for (x, y), (u, v) in combinations(cells, 2)), default=1.0))


def _frame(centres: Sequence[tuple[float, float]], geometry: _Geometry) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in centres], [y for _, y in centres]
    beside, above = geometry.width / 2 + 8, geometry.height / 2 + 8
    left, top = min(xs) - beside, min(ys) - above
    return left, top, max(xs) + beside - left, max(ys) + above - top


def _with_room(
    frame: tuple[float, float, float, float], marks: Sequence[tuple[float, float, str]]
) -> tuple[float, float, float, float]:
    """Return a frame with room for coordinates where there are some: above, below, or at both sides to keep the board centred."""
    left, top, width, height = frame
    above = BESIDE * any(y < top for _, y, _ in marks)
    below = BESIDE * any(y > top + height for _, y, _ in marks)
    beside = BESIDE * any(x < left for x, _, _ in marks)
    return left - beside, top - above, width + 2 * beside, height + above + below


def _coordinates(
    names: Sequence[str], centres: Sequence[tuple[float, float]], frame: tuple[float, float, float, float]
) -> list[tuple[float, float, str]]:
    """Return the letters of columns below and of rows to the left; other names beside the outermost cells."""
    left, top, _, height = frame
    above, below = top - BESIDE / 2, top + height + BESIDE / 2
    grid = [GRID.fullmatch(name) for name in names]
    marks: list[tuple[float, float, str]] = []
    if names and all(grid):
        lowest: dict[str, tuple[float, float]] = {}
        for (x, y), found in zip(centres, grid, strict=True):
            assert found is not None
            column, row = filter(None, found.groups())
            if row not in (mark[2] for mark in marks):
                marks.append((left - BESIDE / 2, y, row))
            lowest[column] = max(lowest.get(column, (x, y)), (x, y), key=lambda at: at[1])
        marks += [(x, below, column) for column, (x, _) in lowest.items()]
    else:
        places: dict[str, list[tuple[float, float]]] = {}
        for at, name in zip(centres, names, strict=False):
            places.setdefault(name, []).append(at)
        highest, deepest = min((y for _, y in centres), default=0.0), max((y for _, y in centres), default=0.0)
        for name, found_at in places.items():
            x, y = max(found_at, key=lambda at: at[1])
            if len({across for across, _ in found_at}) == 1 and y in (highest, deepest) and len(name) < LONG_NAME:
                marks.append((x, below if y == deepest else above, name))
    return marks


def _at(point: tuple[float, float]) -> str:
    return f"{round(point[0], 1):g} {round(point[1], 1):g}"


def _number(label: str) -> int:
    """Return the size on a bar's label, without its sign."""
    return int(label.lstrip("-")) if label.lstrip("-").isdecimal() else 0


# --- under the pieces -------------------------------------------------------------------------------------------------


def _ground(board: Board, centres: Sequence[tuple[float, float]], geometry: _Geometry) -> str:
    left, top, width, height = _frame(centres, geometry)
    if board.shape == "bar":
        columns = sorted({x for x, _ in centres})
        if len(columns) == 1:
            return ""
        rods = "".join(f"M{x:g} {top + 6:g}V{top + height - 4:g}" for x in columns)
        return f'<path class="sb-line sb-rod" d="{rods}M{left + 8:g} {top + height - 4:g}h{width - 16:g}"/>'
    if board.shape in ("sticker", "card"):
        return ""
    return f'<rect class="sb-ground" x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="12"/>'


def _edge(one: tuple[float, float], two: tuple[float, float]) -> str:
    return f'<path class="sb-line" d="M{_at(one)}L{_at(two)}"/>'


def _arrow(one: tuple[float, float], two: tuple[float, float]) -> str:
    """Return an arrow from node to node; one that leads back to its node is a loop above it."""
    if one == two:
        x, y = one
        path = f"M{x - 9:g} {y - 20:g}C{x - 26:g} {y - 50:g} {x + 26:g} {y - 50:g} "
        (tip_x, tip_y), angle = (x + 9, y - 20), 2.1
    else:
        angle = math.atan2(two[1] - one[1], two[0] - one[0])
        across, down = NODE * math.cos(angle), NODE * math.sin(angle)
        path, (tip_x, tip_y) = f"M{_at((one[0] + across, one[1] + down))}L", (two[0] - across, two[1] - down)
    wings = [(tip_x - 11 * math.cos(angle + turn), tip_y - 11 * math.sin(angle + turn)) for turn in (-0.45, 0.45)]
    head = "".join(f"M{_at(wing)}L{_at((tip_x, tip_y))}" for wing in wings)
    return f'<path class="sb-line" d="{path}{_at((tip_x, tip_y))}{head}"/>'


def _lies(board: Board, cell: int) -> bool:
    """Return whether a line between dots at whole numbers lies: its middle is between two columns."""
    return board.cells[cell][0] % 1 != 0


def _dots(board: Board, centres: Sequence[tuple[float, float]]) -> dict[tuple[float, float], str]:
    """Return where the dots at the ends of lines are, with their names, of which a line has the left or the lower one first."""
    found: dict[tuple[float, float], str] = {}
    for cell, (x, y) in enumerate(centres):
        across, down = (APART / 2, 0.0) if _lies(board, cell) else (0.0, -APART / 2)
        one, _, other = (board.names[cell] if board.names else "").partition("-")
        found |= {(round(x - across, 1), round(y - down, 1)): one, (round(x + across, 1), round(y + down, 1)): other}
    return found


def _cell(board: Board, cell: int, label: str, at: tuple[float, float], geometry: _Geometry) -> str:
    kind = "sb-wall" if label == "#" else "sb-hole"
    if board.shape == "point":
        under = '<circle class="sb-reach" r="28"/><circle class="sb-point" r="7"/>'
    elif board.shape == "node":
        name = board.names[cell] if board.names else str(cell)
        under = f'<circle class="sb-place" r="{NODE:g}"/>' + _text(name, "on-sb-place", min(19.0, 70 / len(name)))
    elif board.shape in ("disc", "pit"):
        under = f'<circle class="{kind}" r="{0.45 * UNIT:g}"/>'
    elif board.shape == "line":
        length, breadth = SLOT if _lies(board, cell) else SLOT[::-1]
        under = _box("sb-hole sb-slot", length, breadth, SLOT[1] / 2)
    elif board.shape == "peg":
        under = f'<circle class="sb-reach" r="28"/><circle class="{kind}" r="15"/>'
    elif board.shape == "hexagon":
        corners = ((0.0, -2.0), (1.0, -1.0), (1.0, 1.0), (0.0, 2.0), (-1.0, 1.0), (-1.0, -1.0))
        points = " ".join(f"{x * 0.48 * UNIT:.1f},{y * 0.48 / math.sqrt(3) * UNIT:.1f}" for x, y in corners)
        under = f'<polygon class="{kind}" points="{points}"/>'
    elif board.shape == "sticker":
        under = ""
    elif board.shape == "chequer":
        across, down = board.cells[cell]
        lowest = max(y for _, y in board.cells)
        kind = "sb-hole" if round(across + lowest - down) % 2 else "sb-chequer"  # the corner a1 is dark
        under = _box(f"{kind} sb-crisp", geometry.across, geometry.down, 0)
    elif label == "#":
        under = _box(f"{kind} sb-crisp", geometry.across + SEAM, geometry.down + SEAM, 0)  # walls are joined
    else:
        kind = "sb-reach" if board.shape == "bar" else kind
        under = _box(kind, geometry.width, geometry.height, 6)
    return f'<g class="sb-cell" data-cell="{cell}" transform="translate({_at(at)})">{under}</g>'


def _box(kind: str, width: float, height: float, corner: float) -> str:
    return (
        f'<rect class="{kind}" x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}" '
        f'rx="{corner:g}"/>'
    )


# --- pieces -------------------------------------------------------------------------------------------------------------


def _piece(board: Board, label: str, turned: bool, geometry: _Geometry) -> str:
    text = label.strip()
    if is_empty(label) or text == "#":
        return ""
    side = _side(board, label, turned)
    if side:
        bare = "" if label in board.sides else text.strip("()[]")
        return _mark(side) if board.shape == "mark" else f'<circle class="{side}" r="25"/>' + _text(bare, f"on-{side}")
    return _PIECES[board.shape](text, geometry)


def _side(board: Board, label: str, turned: bool) -> str:
    """Return the class of the piece's player, "" for neutral pieces."""
    text = label.strip()
    if label and label in board.sides:
        number = board.sides.index(label)
    elif text[0] + text[-1] in ("()", "[]"):
        number = int(text[0] == "[")
    else:
        return ""
    return ("sb-first", "sb-second")[number ^ turned ^ board.dark_first]


def _text(text: str, kind: str, size: float = 0.0) -> str:
    size = size or (26 if len(text) <= 2 else max(10.0, 60 / len(text)))
    return f'<text class="sb-text {kind}" font-size="{size:g}" dy=".35em">{escape(text)}</text>' if text else ""


def _mark(side: str) -> str:
    if side == "sb-first":
        return '<path class="sb-cross" d="M-16-16L16 16M16-16L-16 16"/>'
    return '<circle class="sb-ring" r="17"/>'


def _tile(text: str, geometry: _Geometry) -> str:
    return _box("sb-tile", geometry.width - 2, geometry.height - 2, 7) + _text(text, "on-sb-tile")


def _token(text: str, geometry: _Geometry) -> str:
    return '<circle class="sb-place" r="22"/>' + _text(text, "on-sb-place", min(19.0, 70 / len(text)))


def _ball(text: str, geometry: _Geometry) -> str:
    """Return a peg; a single lower-case letter is not written on it."""
    return '<circle class="sb-peg" r="24"/>' + _text("" if text.islower() and len(text) == 1 else text, "on-sb-peg")


def _figurine(text: str, geometry: _Geometry) -> str:
    """Return a chess figurine, filled in the colour of its side: the outlines of White's are those of Black's."""
    white = len(text) == 1 and text in WHITE_FIGURINES
    filled = chr(ord(text) + BLACK_FIGURINE) if white else text
    kind = "sb-first" if white else "sb-second"
    return f'<text class="sb-figurine {kind}" font-size="50" dy=".35em">{escape(filled)}\ufe0e</text>'


def _seeds(text: str, geometry: _Geometry) -> str:
    """Return seeds in the spiral of a sunflower, and their number."""
    if not text.isdecimal():
        return _text(text, "on-sb-hole")
    dots = []
    for seed in range(min(int(text), 24)):
        distance = 0.0 if text == "1" else 5.2 * math.sqrt(seed + 0.6)
        x, y = distance * math.cos(seed * GOLDEN_ANGLE), distance * math.sin(seed * GOLDEN_ANGLE)
        dots.append(f'<circle class="sb-seed" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    return "".join(dots) + f'<text class="sb-text sb-count" x="-13" y="22" font-size="16">{text}</text>'


def _bar(text: str, geometry: _Geometry) -> str:
    length = UNIT * (0.6 + 0.28 * _number(text))
    burnt = ""
    if text.startswith("-"):
        burnt = f'<path class="sb-burnt" d="M{8 - length / 2:g} {3 - geometry.height / 2:g}h{length - 16:g}"/>'
    return _box("sb-bar", length, geometry.height - 2, 9) + burnt + _text(text, "on-sb-tile", 17)


def _card(text: str, geometry: _Geometry) -> str:
    suit = SUITS.get(text[0], "")
    red = " sb-red" if text[0] in "DH" and suit else ""
    face = _box("sb-card", geometry.width - 2, geometry.height - 2, 6)
    if not suit:
        return face + _text(text, "on-sb-card")
    rank = f'<text class="sb-text on-sb-card{red}" font-size="24" y="-8">{escape(text[1:])}</text>'
    return face + rank + f'<text class="sb-text on-sb-card{red}" font-size="26" y="24">{suit}</text>'


def _sticker(text: str, geometry: _Geometry) -> str:
    face = FACES.find(text)
    return _box(f"sb-face sb-face-{face}", geometry.width - 2, geometry.height - 2, 9) + _text(
        text, f"on-sb-face-{face}", 20
    )


def _ring(text: str, geometry: _Geometry) -> str:
    """Return a token on a node, whose name stays to be read."""
    return f'<circle class="sb-goal" r="{NODE + 5:g}"/>'


def _drawn(text: str, geometry: _Geometry) -> str:
    """Return a drawn line from dot to dot, which stands if its label does."""
    length, breadth = APART, 9.0
    return _box("sb-drawn", *((breadth, length) if text == "|" else (length, breadth)), 4)


def _maze(text: str, geometry: _Geometry) -> str:
    """Return a stone as a box and the man as a disc; a goal, alone or under them, is a ring."""
    drawn = _box("sb-tile", 44, 44, 6) if text in "$*" else '<circle class="sb-man" r="20"/>' if text in "@+" else ""
    goal = f'<circle class="sb-goal{" sb-met" if drawn else ""}" r="12"/>' if text in ".*+" else ""
    return drawn + goal if drawn or goal else _tile(text, geometry)


_PIECES: Final[dict[str, Callable[[str, _Geometry], str]]] = {
    "square": _tile, "mark": _tile, "disc": _ball, "point": _token, "pit": _seeds, "peg": _ball, "bar": _bar,
    "card": _card, "sticker": _sticker, "hexagon": _ball, "chequer": _figurine, "maze": _maze, "node": _ring,
    "line": _drawn,
}  # fmt: skip
