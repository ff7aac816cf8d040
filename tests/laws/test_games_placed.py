"""Hex, go-moku, othello and giveaway chess against plain twins, published counts and proofs."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import naive
from searchbench.catalogue import load
from searchbench.errors import BadState, LimitReached, SearchBenchError
from searchbench.game import Game
from searchbench.games.giveaway_chess import GiveawayChess
from searchbench.games.gomoku import DEPTH, forbidden
from searchbench.games.hex import Hex
from searchbench.games.othello import Othello
from searchbench.rules import UNDECIDED
from searchbench.solvers.proof import prove_state
from searchbench.verify import verify_proof


def walks(game: Game, chance: random.Random, count: int, plies: int = 100) -> list[list[int]]:
    """Return the states of some random games, each of so many plies at most."""
    found = []
    for _ in range(count):
        state = game.start()
        found.append(state)
        for _ in range(plies):
            if not (moves := game.moves(state)):
                break
            state = game.play(state, chance.choice(moves))
            found.append(state)
    return found


def count_leaves(game: Game, state: list[int], plies: int) -> int:
    """Return how many sequences of so many moves there are."""
    if plies == 0:
        return 1
    return sum(count_leaves(game, game.play(state, move), plies - 1) for move in game.moves(state))


# --- hex ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (4, 4), (5, 3), (6, 6)])
def test_hex_is_won_by_a_path_between_ones_own_sides(size: tuple[int, int]) -> None:
    game = Hex(*size)
    joined = game.has_line()
    chance = random.Random(size[0] * 10 + size[1])
    for _ in range(300):
        weights = (chance.randrange(3), 1 + chance.randrange(4), 1 + chance.randrange(4))
        state = chance.choices((0, 1, 2), weights, k=game.width)
        for player in (1, 2):
            assert joined(state, player) == naive.hex_joined(size[0], size[1], state, player), (state, player)


def test_hex_is_never_drawn() -> None:
    game = load("hex:4x3")
    finals = [state for state in walks(game, random.Random(1), 60) if not game.moves(state)]
    assert {game.terminal(state) for state in finals} == {-1}


@pytest.mark.parametrize("spec", ["hex:2x2", "hex:3x3", "hex:3x2", "hex:2x3"])
def test_hex_by_proof_search(spec: str) -> None:
    """The first player wins on a square; on a rhombus, who has the shorter way to go."""
    game = load(spec)
    proof = prove_state(game, None, "pns", target="interpreted")
    assert (proof.value == "win") == (spec in ("hex:2x2", "hex:3x3", "hex:2x3"))
    assert verify_proof(proof) == []
    assert proof.outcome == naive.alphabeta(game, game.start()) if game.width <= 6 else True


@pytest.mark.parametrize("size", [(3, 3), (2, 4), (4, 3)])
def test_proofs_of_hex_begin_with_the_stones_that_either_player_needs(size: tuple[int, int]) -> None:
    game = Hex(*size)
    chance = random.Random(size[0] * 10 + size[1])
    for _ in range(60):
        ones = chance.randrange(game.width // 2)
        twos = ones - chance.randrange(2) if ones else 0
        stones = [1] * ones + [2] * twos + [0] * (game.width - ones - twos)
        state = chance.sample(stones, len(stones))
        mover = 1 + (ones + twos) % 2
        for rule, player in (("first_proof", mover), ("first_disproof", 3 - mover)):
            needed = naive.hex_stones_needed(size[0], size[1], state, player)
            told = game.call(rule, list(state), 1, 0, [0] * game.width)
            assert needed is None or told == 1 << 3 * needed, (state, rule)


@pytest.mark.long
def test_hex_4x4_is_won_by_the_first_player() -> None:
    proof = prove_state(load("hex:4x4"), None, "pns")
    assert (proof.value, verify_proof(proof)) == ("win", [])


# --- go-moku ------------------------------------------------------------------------------------------------------------


def test_replies_to_the_centre() -> None:
    """Allis 1994, section 5.2.1: up to symmetry white has 35 replies to h8."""
    game = load("gomoku")
    state = game.read("h8")
    assert game.moves(game.start())[0] == game.parse_move(game.start(), "h8")
    assert len({_orbit(game.play(state, move)) for move in game.moves(state)}) == 35


def _orbit(state: list[int]) -> tuple[int, ...]:
    """Return the least of the eight pictures of a square board."""
    size = round(len(state) ** 0.5)
    rows = [state[first : first + size] for first in range(0, len(state), size)]
    pictures = []
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        pictures.append(tuple(stone for row in rows for stone in row))
        pictures.append(tuple(stone for row in rows for stone in reversed(row)))
    return min(pictures)


def test_the_representative_is_the_least_picture() -> None:
    game = load("gomoku:5")
    for state in walks(game, random.Random(3), 4):
        assert tuple(game.canonical(state)) == _orbit(state)


@pytest.mark.parametrize("rule", ["free", "standard", "renju"])
def test_rows_that_win(rule: str) -> None:
    game = load(f"gomoku:7,{rule}")
    won = game.has_line()  # type: ignore[attr-defined]
    chance = random.Random(rule)
    for _ in range(150):
        state = chance.choices((0, 1, 2), (1, 4, 3), k=49)
        for player in (1, 2):
            lengths = naive.row_lengths(7, state, player)
            longer = rule == "free" or (rule == "renju" and player == 2)
            assert won(state, player) == any(length == 5 or (longer and length > 5) for length in lengths)


@pytest.mark.long
def test_forbidden_points_of_renju_against_a_plain_twin() -> None:
    is_forbidden = forbidden(9, DEPTH)
    chance = random.Random(5)
    found = {True: 0, False: 0}
    for _ in range(250):
        state = [0] * 81
        for stone in (*[1] * chance.randrange(10, 40), *[2] * chance.randrange(8)):
            state[chance.randrange(81)] = stone
        for cell in chance.sample([cell for cell in range(81) if state[cell] == 0], 12):
            before = list(state)
            answer = is_forbidden(state, cell)
            assert state == before
            assert answer == naive.renju_forbidden(9, state, cell), (state, cell)
            found[answer] += 1
    assert min(found.values()) > 100


@pytest.mark.parametrize(
    ("black", "white", "point", "is_forbidden"),
    [
        ("f8 g8 h9 h10", "", "h8", True),  # two threes
        ("f8 g8 h9 h10", "e8", "h8", False),  # one of them is blocked
        ("e8 f8 g8 h9 h10 h11", "", "h8", True),  # two fours
        ("e8 f8 g8 h9 h10", "", "h8", False),  # a four and a three
        ("e8 g8 h8 i8 k8", "", "a1", False),
        ("e8 g8 i8 k8", "", "h8", True),  # two fours in one line: completed at f8, or at j8
        ("d8 e8 f8 h8 i8", "", "g8", True),  # six
        ("d8 e8 f8 h8 i8 g9 g10 g11 g12", "", "g8", False),  # six, but also five
        ("a8 b8 c8 g8 h9 h10", "d8", "h8", False),
    ],
)
def test_forbidden_points_that_players_know(black: str, white: str, point: str, is_forbidden: bool) -> None:
    game = load("gomoku:15,renju")
    state = game.start()
    for names, stone in ((black, 1), (white, 2)):
        for name in names.split():
            state[_cell(name)] = stone
    assert forbidden(15, DEPTH)(state, _cell(point)) == is_forbidden
    assert naive.renju_forbidden(15, state, _cell(point)) == is_forbidden


def _cell(name: str) -> int:
    return (15 - int(name[1:])) * 15 + ord(name[0]) - ord("a")


def test_black_loses_at_renju_when_every_point_is_forbidden() -> None:
    game = load("gomoku:7,renju")
    is_forbidden = forbidden(7, DEPTH)
    won = game.has_line()  # type: ignore[attr-defined]
    chance = random.Random(1)
    while True:  # a full board but for the middle of a row of seven
        others = [1] * 18 + [2] * 24
        chance.shuffle(others)
        state = [*others[:21], 1, 1, 1, 0, 1, 1, 1, *others[21:]]
        if is_forbidden(state, 24) and not won(state, 1) and not won(state, 2):
            break
    assert game.terminal(state) == -1
    state[0] = 0
    assert (game.terminal(state) == UNDECIDED) == (not is_forbidden(state, 0))


def test_moves_of_renju_are_the_points_that_are_allowed() -> None:
    game = load("gomoku:6,renju")
    is_forbidden = forbidden(6, DEPTH)
    for state in walks(game, random.Random(7), 6):
        if game.terminal(state) != UNDECIDED or state.count(1) > state.count(2):
            continue
        allowed = {2 * cell for cell in range(36) if state[cell] == 0 and not is_forbidden(state, cell)}
        assert set(game.moves(state)) == allowed


# --- othello --------------------------------------------------------------------------------------------------------------


def test_moves_of_othello_against_a_plain_twin() -> None:
    for size in (4, 6, 8):
        game = Othello(size, size)
        for state in walks(game, random.Random(size), 3):
            after = naive.othello_successors(size, state)
            ours = {tuple(game.play(state, move)) for move in game.moves(state)}
            assert ours == after, state
            assert (game.terminal(state) != UNDECIDED) == (not after)


def test_sequences_of_moves_at_othello() -> None:
    """The counts of sequences of 1 to 5 moves are well known (perft)."""
    game = load("othello")
    assert [count_leaves(game, game.start(), plies) for plies in range(1, 6)] == [4, 12, 56, 244, 1396]
    assert game.format(game.read("f5d6c3")) == game.format(game.read("1. f5 d6 2. c3"))


@pytest.mark.long
def test_othello_4x4_is_won_by_the_second_player() -> None:
    """By 11 discs to 3, when both play for discs."""
    game = load("othello:4x4")
    proof = prove_state(game, None, "pns")
    assert (proof.value, verify_proof(proof)) == ("loss", [])
    assert naive.othello_balance(4, tuple(game.start())) == 3 - 11


# --- giveaway chess ---------------------------------------------------------------------------------------------------------


def test_moves_of_giveaway_chess_against_a_plain_twin() -> None:
    game = GiveawayChess()
    states = walks(game, random.Random(2), 6, 60)
    assert len(states) > 150
    for state in states:
        after = naive.giveaway_successors(state)
        ours = [tuple(game.play(state, move)) for move in game.moves(state)]
        assert len(ours) == len(set(ours))
        assert set(ours) == after, game.format(state)
        assert (game.terminal(state) == 1) == (not after)


def test_sequences_of_moves_at_giveaway_chess() -> None:
    """The counts of sequences of 1 to 3 moves are those published for antichess (perft)."""
    game = load("giveaway-chess")
    assert [count_leaves(game, game.start(), plies) for plies in range(1, 4)] == [20, 400, 8067]


def test_a_pawn_may_become_a_king() -> None:
    game = load("giveaway-chess")
    state = game.read("8/P7/8/8/8/8/8/7r w")
    assert [game.format_move(state, move) for move in game.moves(state)] == [
        "a7a8k",
        "a7a8q",
        "a7a8r",
        "a7a8b",
        "a7a8n",
    ]
    # The same two clicks make all five: the explorer asks which man.
    assert {tuple(game.clicks(state, move)) for move in game.moves(state)} == {(48, 56)}
    assert game.terminal(game.read("8/8/8/8/8/8/8/7r w")) == 1


@pytest.mark.long
def test_first_moves_of_giveaway_chess_that_lose() -> None:
    """Allis 1994, section 2.3.3: within 25,000 nodes black wins after 1.d3, 1.d4 and 1.e4, with mobility only."""
    game = load("giveaway-chess")
    solved: dict[bool, list[str]] = {True: [], False: []}
    for mobility in (True, False):
        for move in game.moves(game.start()):
            try:
                proof = prove_state(
                    game, game.play(game.start(), move), "pns", mobility=mobility, nodes=25_000, evidence=False
                )
            except LimitReached:
                continue
            assert proof.value == "win"
            solved[mobility].append(game.format_move(game.start(), move))
    assert solved == {True: ["d2d3", "d2d4", "e2e4"], False: []}


# --- bad input ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["hex:0x3", "hex:20x20", "othello:5x5", "othello:4x6", "othello:2x2", "gomoku:4", "gomoku:20", "gomoku:9,rif"],
)
def test_parameters_that_make_no_game(spec: str) -> None:
    with pytest.raises(SearchBenchError, match=r"expected|there are"):
        load(spec)


@pytest.mark.parametrize(
    ("spec", "text", "message"),
    [
        ("hex:3x3", "a1b2a1", "move 3"),
        ("gomoku", "h8h16", "move 2"),
        ("gomoku:5", "...../.....", "expected rows"),
        ("othello:4x4", "a1", "move 1"),
        ("othello:4x4", "..../.OX./.XO./....", "expected a board and a player"),
        ("giveaway-chess", "8/8/8/8 w", "expected ranks"),
        ("giveaway-chess", "", "expected ranks"),
        ("giveaway-chess", "P7/8/8/8/8/8/8/8 w", "cannot occur"),
    ],
)
def test_notation_that_means_nothing(spec: str, text: str, message: str) -> None:
    with pytest.raises(BadState, match=message):
        load(spec).read(text)


@pytest.mark.parametrize(
    ("spec", "shape"),
    [("hex:3x3", "polygon"), ("gomoku", "sb-line"), ("othello", "circle"), ("giveaway-chess", "\u2659")],
)
def test_boards_are_drawn(spec: str, shape: str) -> None:
    game = load(spec)
    move = game.moves(game.start())[0]
    drawing: Callable[[], str | None] = game.position(game.play(game.start(), move))._repr_svg_
    assert shape in (drawing() or "")
    assert game.clicks(game.start(), move)
