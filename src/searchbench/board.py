"""Boards: the cells of a game, their contents and their appearance; the source of every drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from math import dist, isclose
from typing import TYPE_CHECKING, Final, NamedTuple

from searchbench.errors import BadRequest, SearchBenchError

if TYPE_CHECKING:
    from searchbench.game import Game

SHAPES: Final = (
    "square",
    "mark",
    "disc",
    "point",
    "pit",
    "peg",
    "bar",
    "card",
    "sticker",
    "hexagon",
    "chequer",
    "maze",
    "node",
    "line",
)


@dataclass(frozen=True)
class Board:
    """Describe a board for drawing: positions of cells (x to the right, y down), lines between them, and appearance.

    `Game.pieces` returns the content of each cell: "" or dashes for nothing, any other text is a label. A label in
    round brackets is a token of the first player, one in square brackets a token of the second, and "#" is a wall.
    """

    cells: tuple[tuple[float, float], ...]
    edges: tuple[tuple[int, int], ...] = ()
    shape: str = "square"
    """Style of cells and pieces: "square" (tiles), "mark" (noughts and crosses), "disc" (stones in a rack), "point"
    (stones on a net of lines), "pit" (as many seeds as the label says), "peg" (holes), "bar" (as long as the number), "card"
    (a suit C D H S and a rank), "sticker" (a colour for each letter), "hexagon" (stones on hexagons with a corner at the
    top), "chequer" (chess figurines, or the stones of `sides`, on light and dark squares), "maze" (walls, goals, stones and a
    man by their marks in XSB), "node" (a graph: cells have their names in them, edges are arrows) or "line" (lines between
    dots at whole numbers: a cell is the middle of a line, "_" and "|" are drawn ones, and "a1-b1" names both dots)."""
    sides: tuple[str, str] = ("", "")
    """The labels of the first and the second player's stones, if any."""
    opposite: tuple[int, ...] = ()
    """For games whose states are seen by the player to move: the cell of the opponent's view that corresponds to each cell.
    Then the sides swap after each move, and drawings swap them back."""
    names: tuple[str, ...] = ()
    """The name of each cell as moves have it, such as "b2"; the cells of a column that is played as one share a name."""
    words: tuple[tuple[str, str], ...] = ()
    """Labels and what people call them, such as ("F", "fox"), for readers of screens; others are told by their shape."""
    dark_first: bool = False
    """Whether the first player has the dark stones, as Black who begins in go-moku and Othello."""

    def __post_init__(self) -> None:
        for rows in ("cells", "edges", "words"):  # a game of the user's own may give lists
            object.__setattr__(self, rows, tuple(tuple(row) for row in getattr(self, rows)))
        for row in ("sides", "opposite", "names"):
            object.__setattr__(self, row, tuple(getattr(self, row)))
        if self.shape not in SHAPES:
            raise ValueError(f"a board of shape {self.shape!r}: there are {', '.join(SHAPES)}")
        if self.names and len(self.names) != len(self.cells):
            raise ValueError(f"{len(self.names)} names for {len(self.cells)} cells: expected one for each, or none")

    def seen_by_opponent(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces as the other player sees them."""
        if not self.opposite:
            return list(pieces)
        seen = [""] * len(pieces)
        for cell, label in enumerate(pieces):
            seen[self.opposite[cell]] = self._other_side(label)
        return seen

    def _other_side(self, label: str) -> str:
        if label and label in self.sides:
            return self.sides[1 - self.sides.index(label)]
        return label.translate(str.maketrans("()[]", "[]()"))


def cell_names(board: Board) -> list[str]:
    """Return a name for each cell: of cells that share one, it has the row from below; without names, row and column."""
    if not board.names:
        return _rows_and_columns(board.cells)
    heights: dict[str, list[float]] = {}
    for name, (_, y) in zip(board.names, board.cells, strict=True):
        heights.setdefault(name, []).append(y)
    return [
        name if len(heights[name]) == 1 else f"{name}, row {1 + sum(below > y for below in heights[name])} from below"
        for name, (_, y) in zip(board.names, board.cells, strict=True)
    ]


def _rows_and_columns(cells: Sequence[tuple[float, float]]) -> list[str]:
    """Return row and column of each cell, from the upper left; one of them where there is one column or row alone."""
    columns, rows = sorted({x for x, _ in cells}), sorted({y for _, y in cells})
    if len(columns) * len(rows) > 2 * len(cells):  # no rows and columns to speak of
        return [f"cell {cell + 1}" for cell in range(len(cells))]
    told = []
    for x, y in cells:
        row, column = f"row {rows.index(y) + 1}", f"column {columns.index(x) + 1}"
        told.append(row if len(columns) == 1 else column if len(rows) == 1 else f"{row}, {column}")
    return told


SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
MAZE: Final = {".": "goal", "$": "stone", "*": "stone on a goal", "@": "man", "+": "man on a goal"}
CHESSMEN: Final = ("king", "queen", "rook", "bishop", "knight", "pawn")
WHITE_KING: Final = 0x2654


def spoken(board: Board, label: str, sides: tuple[str, str], turned: bool = False) -> str:
    """Return the content of a cell in words, for readers of screens; `sides` are the players.

    `turned` says that the second player is to move: where states are as the player to move sees them, the labels are theirs.
    """
    text = label.strip()
    if is_empty(label):
        return "empty"
    if label in (named := dict(board.words)):
        return named[label]
    token = text[0] + text[-1] in ("()", "[]")
    if label in board.sides or token:
        number = int(text[0] == "[") if token else board.sides.index(label)
        player = sides[number ^ (turned and bool(board.opposite))].removeprefix("the ")
        return f"{player}, {text[1:-1]}" if token else player
    return "wall" if text == "#" else _told_by_shape(board.shape, text)


def _told_by_shape(shape: str, text: str) -> str:
    if shape == "peg":
        return "peg"
    if shape == "card" and text[0] in SUITS:
        return f"{text[1:]} of {SUITS[text[0]]}"
    if shape == "maze":
        return MAZE.get(text, text)
    if shape == "chequer" and len(text) == 1 and 0 <= ord(text) - WHITE_KING < 2 * len(CHESSMEN):
        colour, man = divmod(ord(text) - WHITE_KING, len(CHESSMEN))
        return f"{('white', 'black')[colour]} {CHESSMEN[man]}"
    if shape == "bar" and text.startswith("-"):
        return f"{text[1:]}, burnt side up"
    return text


def counted(part: str, one: str, more: str = "") -> str:
    """Return a part's number with the name of what it counts, such as "5 stones"; a name that is no number as it is."""
    return f"{part} {one if part == '1' else more or one + 's'}" if part.isdecimal() else part


def is_empty(label: str) -> bool:
    """Tell whether a label is empty: blank, or only dashes."""
    return not label.strip() or set(label) <= {"-"}


def cells_of_move(game: Game, state: Sequence[int], move: int) -> list[int]:
    """Return the cells that a move changes: the piece's origin, its target, and then the others.

    The moving piece leaves one cell and appears in another; if there are several such pieces, none counts as moving.
    """
    board = game.board()
    if board is None:
        return []
    changed, moved = _changes(game, board, state, move)
    return changed if moved is None else [*moved, *(cell for cell in changed if cell not in moved)]


def cells_to_click(game: Game, state: Sequence[int], move: int) -> list[int]:
    """Return the cells that a move changes, in order; or one of them, where it tells all moves of the state apart.

    That is the cell in the middle of the changes, where each move changes several cells and none moves a piece, as in a game of
    lights.
    """
    cells = cells_of_move(game, state, move)
    if len(cells) < 2:
        return cells
    middles = _middles(game, tuple(state))
    return [middles[move]] if move in middles else cells


@lru_cache(maxsize=8)
def _middles(game: Game, state: tuple[int, ...]) -> dict[int, int]:
    """Return for each move of a state the cell in the middle of what it changes; nothing where these do not tell moves apart.

    They are kept, as the cells of each move of a state are asked for in turn.
    """
    board, found = game.board(), dict[int, int]()
    if board is None:
        return found
    for move in game.moves(state):
        changed, moved = _changes(game, board, state, move)
        middle = _middle(board, changed) if moved is None else None
        if middle is None or middle in found.values():
            return {}
        found[move] = middle
    return found


def _changes(game: Game, board: Board, state: Sequence[int], move: int) -> tuple[list[int], tuple[int, int] | None]:
    """Return the cells that a move changes; and origin and target of the one piece that it moves, None if there is none."""
    before, after = game.pieces(state), game.pieces(game.play(state, move))
    if game.two_players:
        after = board.seen_by_opponent(after)
    changed = [cell for cell in range(len(before)) if before[cell] != after[cell]]
    pairs = [
        (source, target)
        for source in changed
        for target in changed
        if not is_empty(before[source]) and before[source] == after[target] and before[source] != after[source]
    ]
    return changed, pairs[0] if len(pairs) == 1 else None


def _middle(board: Board, cells: Sequence[int]) -> int | None:
    """Return the cell from which the farthest of the cells is nearest, None where several are."""
    reach = {one: max(dist(board.cells[one], board.cells[other]) for other in cells) for one in cells}
    nearest = [one for one in cells if isclose(reach[one], min(reach.values()))]
    return nearest[0] if len(nearest) == 1 else None


BLANKS: Final = (".", "-", "0")
"""How notations write an empty cell."""


def state_with(game: Game, pieces: Sequence[str], like: Sequence[int] | None = None, side: int = 0) -> list[int]:
    """Return the state with these pieces, in all else as `like` (by default the start). Raises BadRequest or BadState.

    A game that chooses its notation by `arrange` is asked for it, with `side` to move. For others the labels are joined, or
    put in the place of those of `like` in its notation, where that leads from the labels of `like` back to `like`; the state
    read from that is drawn again and compared with `pieces`.
    """
    at = game.start() if like is None else list(like)
    labels = game.pieces(at)
    if len(pieces) != len(labels):
        raise BadRequest(
            f"{game}: its board has {len(labels)} cells, each with a piece or '' where there is none, not {len(pieces)}"
        )
    if list(pieces) == labels and game.mover(at) in (None, side):
        return at
    why, forms = "", list(_forms(game, at, side))
    for form in forms:
        text = form.text(pieces)
        if text is None:
            continue
        try:
            state = game.read(text)
        except SearchBenchError as error:
            why = _why(
                game, text, error, form.guessed
            )  # that of the last is told: it is most like the game's own notation
            continue
        if game.pieces(state) == list(pieces):
            return state
    if not forms:
        raise BadRequest(f"{game}: its notation does not follow from the pieces on the board: enter the notation")
    raise BadRequest(f"{game}: no position has these pieces{why}; place them otherwise, or enter its notation")


def _why(game: Game, text: str, error: SearchBenchError, guessed: bool) -> str:
    """Return why a notation is no position; numbers of a state and texts that the game does not read tell nobody."""
    try:
        state = game.parse(text)
        impossible = game.impossible(state)
    except Exception:  # a game of the user's own may raise anything
        if guessed:
            return ""
        named = f"{game}: {text!r} "
        told = str(error)
        return f": this board {told.removeprefix(named)}" if told.startswith(named) else f" ({told})"
    return f": {impossible}" if impossible else ""


class _Form(NamedTuple):
    """A way to write pieces down, and whether it is a guess."""

    text: Callable[[Sequence[str]], str | None]
    guessed: bool


def _forms(game: Game, like: list[int], side: int) -> Iterator[_Form]:
    """Yield the ways to write down a position in all else as `like`: what they write of its own pieces is read as `like`."""
    if game.arrange(game.pieces(like), like, side) is not None:
        yield _Form(lambda pieces: game.arrange(pieces, like, side), False)
        return
    for form in _guesses(game, like):
        text = form.text(game.pieces(like))
        with suppress(SearchBenchError):
            if text is not None and game.read(text) == like:
                yield form


def _guesses(game: Game, like: list[int]) -> Iterator[_Form]:
    labels, written = game.pieces(like), game.format(like)
    # A token's brackets tell whose it is; notations do without.
    shown: list[Callable[[str], str]] = [str]
    if any(_inside(label) != label for label in labels):
        shown.append(_inside)
    for show in shown:
        for blank in BLANKS:
            for separator in (" ", ""):
                yield _Form(partial(_joined, show, separator, blank), True)
        for blank in BLANKS:
            yield _Form(partial(_exchanged, written, labels, show, blank), False)


def _joined(show: Callable[[str], str], separator: str, blank: str, pieces: Sequence[str]) -> str:
    return separator.join(show(label) or blank for label in pieces)


def _inside(label: str) -> str:
    """Return what stands in the brackets of a token; another label as it is."""
    return label[1:-1] if len(label) > 2 and label[0] + label[-1] in ("()", "[]") else label


def _exchanged(
    text: str, before: Sequence[str], show: Callable[[str], str], blank: str, after: Sequence[str]
) -> str | None:
    """Return a notation with the labels `after` where those of `before` stand, in their order; None if they do not."""
    parts, at = [], 0
    for old, new in zip(before, after, strict=True):
        label = show(old) or blank
        place = text.find(label, at)
        if place < 0:
            return None
        parts += [text[at:place], show(new) or blank]
        at = place + len(label)
    return "".join([*parts, text[at:]])
