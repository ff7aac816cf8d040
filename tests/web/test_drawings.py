"""Drawings: well-formed, complete, from the first player's side; and clicks on the board that mean one move."""

from __future__ import annotations

import contextlib
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import searchbench as sb
from front_program import EXAMPLES
from searchbench.board import Board, cells_of_move, spoken, state_with
from searchbench.catalogue import ABSTRACTIONS, shipped
from searchbench.drawing import Column, board_svg, chart_svg, piece_svg
from searchbench.errors import BadRequest
from searchbench.games.chess.men import FIGURINES
from searchbench.rules import UNDECIDED

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [kind().spec for kind in (*shipped(), *shipped(ABSTRACTIONS)) if kind.name != "graph"] + list(EXAMPLES.values())
GAMES.append("graph:0>0;0>1;1>2;2>1;2>3;3>0;3>4;4>5;4=0")
BOARDS = [spec for spec in GAMES if sb.load(spec).board() is not None]


def walk(game: sb.Game, count: int = 30) -> Iterator[tuple[list[int], int]]:
    """Yield states of random play, and the player to move in each."""
    draw, state, side = random.Random(game.spec), game.start(), 0
    for _ in range(count):
        yield state, side
        moves = game.moves(state)
        if not moves or (game.two_players and game.terminal(state) != UNDECIDED):
            state, side = game.start(), 0
            continue
        state, side = game.play(state, draw.choice(moves)), 1 - side


def by_cell(svg: str, kind: str) -> dict[int, ET.Element]:
    """Return the elements of a kind by their cells."""
    root = ET.fromstring(svg)
    return {int(found.attrib["data-cell"]): found for found in root.iter(f"{SVG}g") if found.attrib["class"] == kind}


@pytest.mark.parametrize("spec", BOARDS)
def test_every_cell_and_every_piece_is_drawn_where_it_is(spec: str) -> None:
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    for state, side in walk(game):
        pieces = game.pieces(state)
        svg = board_svg(board, pieces, side == 1)
        cells, drawn = by_cell(svg, "sb-cell"), by_cell(svg, "sb-piece")
        assert set(cells) == set(range(len(board.cells)))
        places = [cell.attrib["transform"] for cell in cells.values()]
        assert len(set(places)) == len(places)
        shown = {cell for cell, label in enumerate(pieces) if label.strip() and set(label) != {"-"} and label != "#"}
        assert set(drawn) == shown
        for cell, piece in drawn.items():
            assert piece.attrib["data-label"] == pieces[cell]
            assert piece.attrib["transform"] == cells[cell].attrib["transform"]


@pytest.mark.parametrize("spec", ["morris:3,3", EXAMPLES["token"], "awari:6"])
def test_a_piece_that_does_not_move_stays_where_it_is_when_the_players_change(spec: str) -> None:
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    kept = 0
    for state, side in walk(game, 20):
        for move in game.moves(state):
            before = looks(board_svg(board, game.pieces(state), side == 1))
            after = looks(board_svg(board, game.pieces(game.play(state, move)), side == 0))
            changed = {place for place in before | after if before.get(place) != after.get(place)}
            seen = {place_of(board, cell, side) for cell in cells_of_move(game, state, move)}
            assert changed == seen
            kept += len(before) - len(changed & set(before))
    assert kept > 100


def looks(svg: str) -> dict[str, str]:
    """Return how the piece in each place looks."""
    found = {}
    for piece in by_cell(svg, "sb-piece").values():
        found[piece.attrib["transform"]] = "".join(ET.tostring(child, "unicode") for child in piece)
    return found


def place_of(board: Board, cell: int, side: int) -> str:
    """Return where a cell is drawn."""
    return by_cell(board_svg(board, [""] * len(board.cells), side == 1), "sb-cell")[cell].attrib["transform"]


TURNED = {
    "corner-cube",
    "pocket-cube",
    "pyraminx",
    "rubik",
    "rubik-pattern",
    "small-town",
    "top-spin",
    "top-spin-pattern",
}
"""Where moves that differ in their angle or direction change the same cells."""
CLICKABLE = [spec for spec in BOARDS if sb.load(spec).name not in TURNED]


def becomes(game: sb.Game, state: Sequence[int], move: int) -> str:
    """Return what a pawn becomes, which the page asks after the clicks."""
    return game.format_move(state, move).partition("=")[2]


@pytest.mark.long
@pytest.mark.parametrize("spec", CLICKABLE)
def test_clicks_tell_the_moves_apart(spec: str) -> None:
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    for state, _ in walk(game):
        moves = game.moves(state)
        clicks = [tuple(game.clicks(state, move)) for move in moves]
        assert all(clicks)
        told = {(*click, becomes(game, state, move)) for click, move in zip(clicks, moves, strict=True)}
        assert len(told) == len(moves), [game.format_move(state, move) for move in moves]
        assert all(0 <= cell < len(board.cells) for click in clicks for cell in click)


def test_what_moves_comes_first_in_the_clicks() -> None:
    for spec, text, move, clicks in (
        ("sliding:3x3", "1 2 5 3 4 0 6 7 8", "5", [2, 5]),
        ("peg-solitaire", "start", "d6-d4", [4, 16]),
        ("tic-tac-toe", "X../.O./...", "c1", [8]),
        ("connect4:4x4", "start", "2", [13]),
        ("morris:3,3", "WW.W...B/B......./B.......", "g4-g7xa4", [3, 2, 7]),
        ("awari:6", "1 1 1 1 1 1 0 0 0 0 0 0", "F1", [5]),
        ("pancake:5", "start", "3", [2]),
        (EXAMPLES["token"], "a l", "b", [0, 1]),
        (EXAMPLES["patience"], "start", "C1 to 1", [7, 0]),
    ):
        game = sb.load(spec)
        state = game.read(text)
        assert game.clicks(state, game.parse_move(state, move)) == clicks, spec


@dataclass(frozen=True)
class Lights(sb.Game):
    """Put out all lights of a square; pressing one switches it and its neighbours."""

    name: ClassVar[str] = "lights"
    side: int = 3

    @property
    def width(self) -> int:
        """Return the number of lights."""
        return self.side**2

    @property
    def max_moves(self) -> int:
        """Return the number of lights."""
        return self.side**2

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules."""
        side = self.side

        def start(state: sb.State) -> None:
            for cell in range(side * side):
                state[cell] = cell % 2

        def terminal(state: sb.State) -> int:
            for cell in range(side * side):
                if state[cell] == 1:
                    return UNDECIDED
            return 0

        def moves(state: sb.State, out: MutableSequence[int]) -> int:
            for cell in range(side * side):
                out[cell] = 100 - cell
            return side * side

        def play(state: sb.State, move: int) -> None:
            pressed = 100 - move
            for cell in range(side * side):
                if abs(cell % side - pressed % side) + abs(cell // side - pressed // side) <= 1:
                    state[cell] = 1 - state[cell]

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play}

    def board(self) -> sb.Board:
        """Return the square."""
        return sb.Board([(cell % self.side, cell // self.side) for cell in range(self.width)], shape="peg")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return a peg for each light that is lit."""
        return ["o" if lit else "" for lit in state]


@pytest.mark.parametrize("side", [2, 3, 4])
def test_a_light_is_pressed_by_a_click_on_it(side: int) -> None:
    game = Lights(side)
    state = game.start()
    assert [game.clicks(state, move) for move in game.moves(state)] == [[cell] for cell in range(side * side)]


def test_the_clicks_of_many_moves_are_found_together(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Lights(6)
    state, asked, pieces = game.start(), [0], Lights.pieces

    def counted(self: Lights, state: Sequence[int]) -> list[str]:
        asked[0] += 1
        return pieces(self, state)

    monkeypatch.setattr(Lights, "pieces", counted)
    moves = game.moves(state)
    assert len({tuple(game.clicks(state, move)) for move in moves}) == len(moves)
    assert asked[0] <= 4 * len(moves)  # and not those of all moves again for each


def test_a_position_is_found_again_from_its_pieces() -> None:
    editable = set()
    for spec in BOARDS:
        game = sb.load(spec)
        for state, _ in walk(game, 5):
            with contextlib.suppress(sb.errors.BadRequest):
                assert state_with(game, game.pieces(state), state, game.mover(state) or 0) == list(state)
                editable.add(game.name)
    assert {
        "sliding",
        "morris",
        "awari",
        "peg-solitaire",
        "tic-tac-toe",
        "connect4",
        "frogs-and-toads",
        "patience",
    } <= editable


@pytest.mark.parametrize(
    ("spec", "text", "edited"),
    [
        ("chess:KPK", "7k/8/8/8/8/8/P7/K7 b", "7k/8/8/8/8/8/PK6/8 b"),
        ("giveaway-chess", "8/8/8/8/8/8/P7/K6k b", "8/8/8/8/8/8/PK6/7k b"),
        ("othello", "start", None),
        ("fox-and-geese", "start", None),
    ],
)
def test_a_position_put_together_keeps_what_the_pieces_do_not_tell(spec: str, text: str, edited: str | None) -> None:
    game = sb.load(spec)
    state = game.read(text)
    pieces, side = game.pieces(state), game.mover(state) or 0
    assert state_with(game, pieces, state, side) == list(state)
    if edited:
        pieces[0], pieces[9] = pieces[9], pieces[0]
        assert game.format(state_with(game, pieces, state, side)) == edited
        assert game.mover(state_with(game, pieces, state, 1 - side)) == 1 - side


def test_labels_are_text_and_never_markup() -> None:
    board = Board(((0.0, 0.0), (1.0, 0.0)))
    nasty = '<script>"&'
    svg = board_svg(board, [nasty, ""], title=nasty)
    assert "<script>" not in svg
    assert by_cell(svg, "sb-piece")[0].attrib["data-label"] == nasty
    assert "<script>" not in chart_svg([Column(nasty, 3)])
    ET.fromstring(piece_svg(board, nasty, [nasty, ""]))


def test_a_board_of_no_known_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="there are square"):
        Board(((0.0, 0.0),), shape="star")


@pytest.mark.parametrize("log", [False, True])
def test_a_column_is_as_tall_as_its_count(log: bool) -> None:
    columns = [Column("a", 0), Column("b", 1), Column("c", 10), Column("d", 1000, "win")]
    root = ET.fromstring(chart_svg(columns, log))
    groups = [found for found in root.iter(f"{SVG}g") if found.attrib["class"].startswith("sb-column")]
    assert [found.attrib["data-label"] for found in groups] == ["a", "b", "c", "d"]
    heights = [float(found.findall(f"{SVG}rect")[1].attrib["height"]) for found in groups]
    assert heights[0] == 0
    assert heights == sorted(heights)
    assert heights[1] >= 1
    if log:
        assert (heights[3] - heights[1]) == pytest.approx(3 * (heights[2] - heights[1]), abs=0.1)
    else:
        assert heights[3] == pytest.approx(100 * heights[2], rel=0.01)
    assert ET.fromstring(chart_svg([], log)).tag == f"{SVG}svg"


def test_notebooks_show_positions_lines_and_databases(databases: dict[str, sb.Database]) -> None:
    for name in ("eight", "morris", "token", "coins"):
        database = databases[name]
        position = database.find(database.hardest(), limit=1)[0]
        drawn = position._repr_svg_()
        line = database.line(position)
        html = line._repr_html_()
        assert html.count("<figure") == len(line) + 1
        for move in line.move_texts():
            assert f">{move.replace('>', '&gt;')}<" in html
        if name == "coins":
            assert drawn is None
            assert html.count("<pre>") == len(line) + 1
        else:
            assert drawn is not None
            assert "<style>" in drawn
            assert set(by_cell(drawn, "sb-cell")) == set(range(len(database.game.pieces(position.state))))
            assert html.count("<svg") == len(line) + 1
        facts = database._repr_html_()
        assert f"{database.states:,}" in facts
        assert facts.count("sb-column") - facts.count(".sb-column") == len(
            [v for v in database.histogram() if v is not None]
        )


@pytest.mark.parametrize("spec", BOARDS)
def test_names_of_cells_are_those_of_the_moves_and_are_written_around_the_board(spec: str) -> None:
    """Wherever cells have names, the text of every move that is clicked there has them; each stands outside the board once."""
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    told = coordinates(board_svg(board, game.pieces(game.start()), coordinates=True))
    assert len(told) == len(set(told))
    assert bool(told) == bool(board.names and board.shape != "node")  # nodes have their names in them
    for state, _ in walk(game, 10):
        for move in game.moves(state) if board.names else ():
            text = game.format_move(state, move)
            assert text == "pass" or any(board.names[cell] in text for cell in game.clicks(state, move)), (text, state)
    if all(name[-1:].isdecimal() and name[0].isalpha() for name in board.names):
        assert set(told) == {
            part
            for names in board.names
            for name in names.split("-")  # of a line those of both its dots
            for part in (name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz"))
        }


def test_lines_are_drawn_from_dot_to_dot() -> None:
    game = sb.load("dots-and-boxes:1x2")
    board = game.board()
    assert board is not None
    svg = board_svg(board, game.pieces(game.read("_./..|/..")))
    dots = [dot.attrib for dot in ET.fromstring(svg).iter(f"{SVG}circle") if dot.attrib["class"] == "sb-point"]
    at = {(float(dot["cx"]), float(dot["cy"])) for dot in dots}
    assert len(dots) == len(at) == 6
    ends = set()
    for piece in by_cell(svg, "sb-piece").values():
        x, y = map(float, re.findall(r"-?[\d.]+", piece.attrib["transform"]))
        width, height = (float(piece[0].attrib[side]) for side in ("width", "height"))
        lies = width > height
        ends |= {(x + sign * width / 2 * lies, y + sign * height / 2 * (not lies)) for sign in (-1, 1)}
    assert len(ends) == 4  # of the lines a2-b2 and c1-c2
    assert {(round(x, 1), round(y, 1)) for x, y in ends} <= at


def test_snort_has_marks_and_says_who_is_to_move() -> None:
    game = sb.load("examples/snort.py:Snort:2,2")
    state = game.read("X./..")
    assert (game.pieces(state), game.mover(state)) == (["X", "", "", ""], 1)
    board = game.board()
    assert board is not None
    assert 'class="sb-cross"' in board_svg(board, game.pieces(state))


def test_a_graph_has_an_arrow_for_each_edge_and_a_token_that_leaves_the_name_to_be_read() -> None:
    game = sb.load("graph:0>0;0>1;0>1:5;1>2;2>1;2>3;3=0")
    board = game.board()
    assert board is not None
    root = ET.fromstring(board_svg(board, game.pieces([2])))
    arrows = [path.attrib["d"] for path in root.iter(f"{SVG}path") if path.attrib["class"] == "sb-line"]
    assert len(arrows) == len(set(arrows)) == 5  # of edges side by side one is drawn
    assert sum("C" in arrow for arrow in arrows) == 1  # the loop
    ends = {tuple(re.findall(r"-?[\d.]+", arrow)[2:4]) for arrow in arrows if "C" not in arrow}
    assert len(ends) == 4  # those of 1>2 and 2>1 are at either end of one line
    names = {
        cell: "".join(found.itertext())
        for cell, found in by_cell(board_svg(board, game.pieces([2])), "sb-cell").items()
    }
    assert names == {node: str(node) for node in range(4)}
    assert list(by_cell(board_svg(board, game.pieces([2])), "sb-piece")) == [2]
    assert [game.clicks([2], move) for move in game.moves([2])] == [[1], [3]]
    assert state_with(game, game.pieces([3]), [0]) == [3]
    for pieces in ([""] * 4, ["o", "", "", "o"]):
        with pytest.raises(BadRequest, match="no position has these pieces"):
            state_with(game, pieces, [0])
    assert game.picture([2]) == "2"
    many = ";".join(f"{node}>{node + 1}" for node in range(48))
    assert sb.load(f"graph:{many.replace('47>48', '47>0')}").board() is not None
    assert sb.load(f"graph:{many}").board() is None


def test_there_is_room_for_coordinates_only_where_some_are() -> None:
    frames = {}
    for spec in ("connect4:4,4", "chess:KRK"):
        game = sb.load(spec)
        bare, named = (board_svg(game.board(), game.pieces(game.start()), coordinates=told) for told in (False, True))
        (left, top, width, height), around = (
            [float(word) for word in ET.fromstring(drawn).attrib["viewBox"].split()] for drawn in (bare, named)
        )
        frames[spec] = [around[0] - left, around[1] - top, around[2] - width, around[3] - height]
    assert frames == {"connect4:4,4": [0, 0, 0, 22], "chess:KRK": [-22, 0, 44, 22]}


def coordinates(svg: str) -> list[str]:
    """Return what is written around a board."""
    return [
        found.text or "" for found in ET.fromstring(svg).iter(f"{SVG}text") if found.attrib["class"] == "sb-coordinate"
    ]


@pytest.mark.parametrize("spec", BOARDS)
def test_the_player_to_move_is_told_by_the_state_where_it_is(spec: str) -> None:
    game = sb.load(spec)
    for state, side in walk(game):
        assert game.mover(state) in (None, side), state


def test_chess_squares_alternate_and_figurines_are_filled_in_their_sides_colour() -> None:
    game = sb.load("chess:KQKR")
    drawn = board_svg(game.board(), game.pieces(game.read("8/8/8/4k3/2r5/8/3K4/7Q b")))
    assert drawn.count('class="sb-chequer sb-crisp"') == drawn.count('class="sb-hole sb-crisp"') == 32
    assert 'data-cell="0" transform="translate(0 448)"><rect class="sb-chequer sb-crisp"' in drawn  # a1 is dark
    assert len(re.findall("sb-figurine sb-first[^>]*>[\u265a-\u265f]", drawn)) == 2
    assert len(re.findall("sb-figurine sb-second[^>]*>[\u265a-\u265f]", drawn)) == 2


@pytest.mark.parametrize("spec", ["gomoku:9", "othello:4x4"])
def test_black_who_begins_has_the_dark_stones(spec: str) -> None:
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    assert board.dark_first
    black, white = (piece_svg(board, label, []) for label in board.sides)
    assert ('class="sb-second"' in black, 'class="sb-first"' in white) == (True, True)


def test_the_players_of_othello_are_black_and_white() -> None:
    game = sb.load("othello:4x4")
    board = game.board()
    assert board is not None
    assert [spoken(board, label, game.sides) for label in board.sides] == ["Black", "White"]


@pytest.mark.parametrize(
    ("fen", "told"),
    [
        ("7k/8/Q7/8/8/8/8/KQr5 w", "this board has two queens besides White's king; in KQKR White has a queen"),
        ("7k/8/8/8/8/8/8/1Qr5 w", "this board lacks a king"),
        ("8/8/8/8/8/8/8/KkQr4 w", "the kings stand side by side"),
        ("8/8/8/8/8/8/8/KQ1k3r w", "Black is in check, and White is to move"),
    ],
)
def test_men_that_are_no_position_of_an_ending_are_refused_in_words(fen: str, told: str) -> None:
    game = sb.load("chess:KQKR")
    rows = [re.sub(r"\d", lambda found: "." * int(found[0]), row) for row in reversed(fen.split()[0].split("/"))]
    pieces = [FIGURINES.get(man, "") for man in "".join(rows)]
    with pytest.raises(BadRequest, match=f"no position has these pieces: {told}; place them otherwise"):
        state_with(game, pieces)


def test_a_board_may_be_given_as_lists() -> None:
    board = Board([[0.0, 0.0], [1.0, 0.0]], [[0, 1]], sides=["X", "O"], names=["a", "b"])  # type: ignore[arg-type]
    same = Board(((0.0, 0.0), (1.0, 0.0)), ((0, 1),), sides=("X", "O"), names=("a", "b"))
    assert board == same
    assert board_svg(board, ["X", "O"]) == board_svg(same, ["X", "O"])


@pytest.mark.parametrize("spec", BOARDS)
def test_the_pieces_of_a_position_lead_back_to_it(spec: str) -> None:
    game = sb.load(spec)
    for state, side in walk(game):
        assert state_with(game, game.pieces(state), state, side) == list(state)


def test_men_still_to_be_placed_stay_where_men_on_the_board_are_moved() -> None:
    game = sb.load("morris-opening:9")
    state = game.start()
    for _ in range(5):
        state = game.play(state, game.moves(state)[0])
    pieces = game.pieces(state)
    taken, empty = pieces.index("W"), pieces.index("")
    pieces[taken], pieces[empty] = "", "W"
    moved = state_with(game, pieces, state)
    assert moved[2] == state[2] == 13
    assert (moved[0].bit_count(), moved[1]) == (state[0].bit_count(), state[1])
    with pytest.raises(BadRequest, match="numbers of men on the board and still to be put down cannot occur"):
        state_with(game, ["W", *game.pieces(game.start())[1:]])


@pytest.mark.parametrize("spec", ["hanoi:3", "pancake:5", "pocket-cube", "small-town"])
def test_a_notation_that_does_not_follow_from_the_pieces_is_asked_for(spec: str) -> None:
    game = sb.load(spec)
    start = game.start()
    after = game.play(start, game.moves(start)[0])
    with pytest.raises(
        BadRequest, match="its notation does not follow from the pieces on the board: enter the notation"
    ):
        state_with(game, game.pieces(after), start)
