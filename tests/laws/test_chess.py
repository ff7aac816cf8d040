"""Chess endings: the rules against a plain second version of them, values against naive twins and published distances."""

from __future__ import annotations

import random

import pytest

from naive import explicit, outcomes
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, UnknownGame
from searchbench.jit import Target
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

# --- the twin: a board as a dictionary of squares (column, row) to letters ----------------------------------------------------

Square = tuple[int, int]
Board = dict[Square, str]
LINES = {
    "R": [(0, 1), (1, 0), (0, -1), (-1, 0)],
    "B": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "N": [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)],
}
LINES["Q"] = LINES["K"] = LINES["R"] + LINES["B"]


def board_of(fen: str) -> tuple[Board, bool]:
    """Return the board of a FEN, and whether White moves."""
    ranks, side, *_ = fen.split()
    found: Board = {}
    for row, rank in enumerate(reversed(ranks.split("/"))):
        column = 0
        for letter in rank:
            if letter.isdigit():
                column += int(letter)
            else:
                found[column, row] = letter
                column += 1
    return found, side == "w"


def reached(board: Board, square: Square, columns: int, rows: int) -> set[Square]:
    """Return where a man could go or capture, whoever stands there."""
    man, found = board[square].upper(), set()
    if man == "P":
        ahead = square[1] + (1 if board[square] == "P" else -1)
        return {(column, ahead) for column in (square[0] - 1, square[0] + 1) if 0 <= column < columns}
    for across, up in LINES[man]:
        column, row = square[0] + across, square[1] + up
        while 0 <= column < columns and 0 <= row < rows:
            found.add((column, row))
            if (column, row) in board or man in "KN":
                break
            column, row = column + across, row + up
    return found


def checked(board: Board, white: bool, columns: int, rows: int) -> bool:
    king = next(square for square, man in board.items() if man == ("K" if white else "k"))
    return any(king in reached(board, square, columns, rows) for square, man in board.items() if man.isupper() != white)


def targets(board: Board, square: Square, passed: Square | None, columns: int, rows: int) -> set[Square]:
    """Return where a man can go, check or not."""
    man, white = board[square], board[square].isupper()
    found = {one for one in reached(board, square, columns, rows) if one not in board or board[one].isupper() != white}
    if man in "Pp":
        found = {one for one in found if one in board or one == passed}
        way, first = (1, 1) if white else (-1, rows - 2)
        for far in range(1, 3 if square[1] == first and rows >= 5 else 2):
            if (square[0], square[1] + far * way) in board:
                break
            found.add((square[0], square[1] + far * way))
    return found


Reply = tuple[frozenset[tuple[Square, str]], bool, Square | None]


def replies(fen: str, columns: int, rows: int) -> set[Reply]:
    """Return the boards after each legal move, the side to move, and the square passed where a pawn could be captured there."""
    board, white = board_of(fen)
    words = fen.split()
    passed = (ord(words[3][0]) - 97, int(words[3][1]) - 1) if len(words) > 3 else None
    found: set[Reply] = set()
    for square, man in board.items():
        for target in targets(board, square, passed, columns, rows) if man.isupper() == white else ():
            after = {place: one for place, one in board.items() if place != square}
            if man in "Pp" and target == passed:
                del after[target[0], square[1]]
            promoted = "QRBN" if man in "Pp" and target[1] in (0, rows - 1) else man
            for becomes in promoted if white else promoted.lower():
                there = after | {target: becomes}
                if sum(one in "Kk" for one in there.values()) < 2 or checked(there, white, columns, rows):
                    continue
                far = man in "Pp" and abs(target[1] - square[1]) == 2
                beside = {there.get((target[0] + one, target[1])) for one in (-1, 1)}
                middle = (target[0], (target[1] + square[1]) // 2)
                found.add((frozenset(there.items()), not white, middle if far and man.swapcase() in beside else None))
    return found


def reply_of(fen: str) -> Reply:
    """Return a FEN as `replies` tells it."""
    board, white = board_of(fen)
    words = fen.split()
    return frozenset(board.items()), white, (ord(words[3][0]) - 97, int(words[3][1]) - 1) if len(words) > 3 else None


SPECS = [
    ("KPK", 8, 8), ("KPKP", 8, 8), ("KPKP", 5, 4), ("KPPK", 5, 4), ("KNPK", 4, 3), ("KQKP", 6, 5),
    ("KQKR", 8, 8), ("KBNK", 8, 8), ("KRRK", 5, 4), ("KNKB", 4, 6), ("KKQQ", 8, 8), ("KNNK", 5, 5), ("KRK", 3, 8),
]  # fmt: skip

FINISHED = {
    "KQKR": {"k7/1Q6/1K6/8/8/8/8/8 b": -1, "7k/8/5KQ1/8/8/8/8/8 b": 0, "8/8/8/8/8/1k6/8/K1r5 w": -1},
    "KRK": {"1K6/8/k1R5 b": -1},
}
"""Positions with their results for the side to move."""


@pytest.mark.parametrize(("men", "rows", "columns"), SPECS)
def test_moves_are_those_of_the_twin(men: str, rows: int, columns: int) -> None:
    game = load(f"chess:{men},{rows}x{columns}")
    drawn = random.Random(1)
    last = game.parts()[-1]
    seen = 0
    while seen < 80:
        first = drawn.choice(
            [0, last.start, last.stop - last.size // 50]
        )  # all parts, all men, and captures en passant
        state = game.unrank(drawn.randrange(first, last.stop))
        if not game.call("legal", list(state)):
            continue
        seen += 1
        fen = game.format(state)
        moves = game.moves(state)
        found = {reply_of(game.format(game.play(state, move))) for move in moves}
        assert found == replies(fen, columns, rows)
        assert len(found) == len(moves)
        board, white = board_of(fen)
        if moves:
            assert game.terminal(state) == UNDECIDED
        else:
            assert game.terminal(state) == (-1 if checked(board, white, columns, rows) else 0)
    for fen, result in FINISHED.get(men, {}).items():
        assert game.terminal(game.read(fen)) == result
        assert not replies(fen, columns, rows)


@pytest.mark.parametrize(
    ("spec", "target"),
    [
        pytest.param("chess:KPK,4x3", "cpu", marks=pytest.mark.long),
        ("chess:KPK,4x3", "interpreted"), ("chess:KQK,3x4", "interpreted"),
        ("chess:KRKN,3x3", "interpreted"), ("chess:KRRK,3x3", "interpreted"), ("chess:KNNK,3x4", "interpreted"),
    ],
)  # fmt: skip
def test_values_are_those_of_the_naive_twin(spec: str, target: Target) -> None:
    game = load(spec)
    solved = solve_states(game, run=Run(threads=1), target=target)
    graph = explicit(game)
    wanted = outcomes(graph)
    for state in graph.edges:
        assert tuple(solved.probe(state)) == wanted.get(state, (0, 0)), game.format(state)


@pytest.fixture(scope="module")
def queen_and_rook() -> Database:
    return solve_states(load("chess:KQKR"))


@pytest.mark.long
def test_distances_are_the_published_ones(queen_and_rook: Database) -> None:
    """Mate in 10 with a queen, in 16 with a rook, in 35 with a queen against a rook (Stroehlein 1970)."""
    longest = {}
    for part in ("KQK", "KKR", "KQKR"):
        values = queen_and_rook.histogram(part)
        longest[part] = max(value.depth for value in values), max(value.depth for value in values if value.outcome > 0)
    assert longest == {"KQK": (20, 19), "KKR": (32, 31), "KQKR": (70, 69)}
    assert set(queen_and_rook.histogram("KK")) == {queen_and_rook.probe("8/8/8/8/4k3/8/8/K7 w")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("7k/8/6K1/8/8/8/8/1Q6 w", "win 1"),  # Qb8
        ("7k/8/5KQ1/8/8/8/8/8 b - - 0 1", "draw"),  # stalemate
        ("k7/1Q6/1K6/8/8/8/8/8 b", "loss 0"),
        ("8/8/8/8/8/8/1r6/K2k4 w", "draw"),  # the rook is taken
    ],
)
def test_single_positions(queen_and_rook: Database, fen: str, value: str) -> None:
    assert queen_and_rook.rule.format(queen_and_rook.probe(fen)) == value


@pytest.mark.long
def test_symmetric_positions_have_one_value(queen_and_rook: Database) -> None:
    drawn = random.Random(2)
    game = queen_and_rook.game
    for _ in range(100):
        number = drawn.randrange(queen_and_rook.size)
        if queen_and_rook.residue(number) == queen_and_rook.illegal:
            continue
        ranks, side = game.format(game.unrank(number)).split()
        turned = "/".join(reversed(ranks.split("/")))
        mirrored = "/".join(rank[::-1] for rank in ranks.split("/"))
        values = {queen_and_rook.probe(f"{one} {side}") for one in (ranks, turned, mirrored)}
        assert len(values) == 1


def test_the_parts_are_the_endings_that_captures_leave() -> None:
    parts = {part.name: set(part.needs) for part in load("chess:KQKR").parts()}
    assert parts == {"KK": {"KK"}, "KQK": {"KQK", "KK"}, "KKR": {"KKR", "KK"}, "KQKR": {"KQKR", "KQK", "KKR"}}
    assert [part.name for part in load("chess:KRRK").parts()] == ["KK", "KRK", "KRRK"]


@pytest.mark.parametrize(
    ("spec", "right"),
    [
        ("chess:KPPPPK", "6 men; expected at most 4"),
        ("chess:PK", "each beginning with the king"),
        ("chess:KQKp", "each beginning with the king"),
        ("chess:KQRKR", "5 men; expected at most 4"),
        ("chess:QKK", "each beginning with the king"),
        ("chess:KQ", "each beginning with the king"),
        ("chess:kqk", "each beginning with the king"),
        ("chess:KQK,2x8", "expected 3 to 8 rows"),
        ("chess:KQK,9x9", "expected 3 to 8 rows"),
    ],
)
def test_endings_that_there_are_not_are_refused(spec: str, right: str) -> None:
    with pytest.raises((BadRequest, UnknownGame), match=right):
        load(spec)


@pytest.mark.parametrize(
    ("fen", "right"),
    [
        ("", "has 0 ranks, the board 8; expected a text such as '7k/8/8/8/8/8/8/KQr5 w'"),
        ("8/8/8/8 w", "has 4 ranks, the board 8"),
        ("9/8/8/8/4k3/8/8/K6Q w", "has 9 squares in rank 8, the board 8"),
        ("8/8/8/8/4k3/8/8/K5Q w", "has 7 squares in rank 1, the board 8"),
        ("8/8/8/8/4k3/8/8/K6Q", "does not say behind the ranks who is to move, w or b"),
        ("8/8/8/8/4k3/8/8/K6Q white", "does not say behind the ranks who is to move, w or b"),
        ("8/8/8/8/4k3/8/8/K6Q w KQ - 0 1", "allows castling, 'KQ', and an ending knows none"),
        ("8/8/8/8/4k3/8/8/K5NQ w", "has a queen and a knight besides White's king; in KQKR White has a queen"),
        ("8/8/8/8/4k3/8/8/K5QQ w", "has two queens besides White's king; in KQKR White has a queen"),
        ("8/8/8/8/8/8/8/K6Q w", "lacks a king"),
        ("8/8/8/8/8/8/8/Kk6 w", "which cannot occur: the kings stand side by side"),
        ("8/8/8/8/4k3/8/8/K3Q3 w", "which cannot occur: Black is in check, and White is to move"),
    ],
)
def test_texts_that_are_no_position_are_refused(fen: str, right: str) -> None:
    with pytest.raises(BadState, match=right):
        load("chess:KQKR").read(fen)


@pytest.mark.parametrize(
    ("men", "fen", "right"),
    [
        ("KPK", "8/8/8/8/4k3/8/8/K6P w", "a pawn on the first or the last rank"),
        ("KPK", "P7/8/8/8/4k3/8/8/K7 b", "a pawn on the first or the last rank"),
        ("KPK", "8/8/8/8/4k3/p7/8/K7 w", "has a pawn besides Black's king; in KPK Black has the king alone"),
        ("KPK", "8/8/8/8/4k3/P7/P7/K7 w", "has two pawns besides White's king; in KPK White has a pawn"),
        ("KNPK", "8/8/8/8/4k3/8/Q6R/K7 w", "men whom KNPK cannot leave"),
        ("KPK", "8/8/8/8/8/8/P6k/KK6 w", "has a king too many"),
        ("KPKP", "8/8/8/4k3/Pp6/8/8/4K3 b - b3", "no pawn has just passed 'b3'"),
        ("KPKP", "8/8/8/4k3/Pp6/8/8/4K3 b - x9", "no pawn has just passed 'x9'"),
        ("KPKP", "8/8/8/8/Pp6/8/k7/4K3 b - a3", "no pawn has just passed 'a3'"),  # the king stands where it began
    ],
)
def test_texts_with_pawns_that_are_no_position_are_refused(men: str, fen: str, right: str) -> None:
    with pytest.raises(BadState, match=right):
        load(f"chess:{men}").read(fen)


def test_notation_of_pawns() -> None:
    game = load("chess:KPKP")
    state = game.read("8/8/8/4k3/Pp6/8/8/4K3 b - a3 0 1")
    assert game.format(state) == "8/8/8/4k3/Pp6/8/8/4K3 b - a3"
    taken = game.play(state, game.parse_move(state, "b4xa3"))
    assert game.format(taken) == "8/8/8/4k3/8/p7/8/4K3 w"
    assert game.format(game.read("8/8/8/4k3/P6p/8/8/4K3 b - a3")) == "8/8/8/4k3/P6p/8/8/4K3 b"  # no pawn can take it
    state = game.read("8/4P2k/8/8/8/8/7p/4K3 w")
    assert {"e7e8=Q", "e7e8=R", "e7e8=B", "e7e8=N"} <= {game.format_move(state, move) for move in game.moves(state)}
    assert {"\u2659", "\u265f"} <= set(game.pieces(state))


def test_parts_of_an_ending_with_pawns() -> None:
    parts = {part.name: set(part.needs) for part in load("chess:KPK").parts()}
    assert parts["KPK"] == {"KPK", "KK", "KQK", "KRK", "KBK", "KNK"}
    assert parts["KQK"] == {"KQK", "KK"}
    assert len(load("chess:KPKP").parts()) == 36
    needs = {part.name: set(part.needs) for part in load("chess:KPKQ").parts()}["KPKQ"]
    assert needs == {"KPKQ", "KPK", "KKQ", "KQKQ", "KRKQ", "KBKQ", "KNKQ", "KQK", "KRK", "KBK", "KNK"}
    assert load("chess:KPNK").parts()[-1].name == "KNPK"


def test_notation() -> None:
    game = load("chess:KQKR")
    state = game.read("8/8/8/6k1/8/8/8/K2r3Q w - - 12 34")
    assert game.format(state) == "8/8/8/6k1/8/8/8/K2r3Q w"
    texts = {game.format_move(state, move) for move in game.moves(state)}
    assert {"Qh1xd1", "Ka1b2", "Ka1a2"} <= texts
    assert game.pieces(state).count("") == 60
    assert game.mover(state) == 0
