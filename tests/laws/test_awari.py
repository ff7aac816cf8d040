"""Awari: the rules against a plain second version of them, and the databases against recorded tables."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from searchbench.catalogue import load
from searchbench.errors import BadMove, BadState
from searchbench.games.awari import SLAMS, Awari
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "awari_databases.json").read_text())["databases"]
Board = tuple[int, ...]


# --- the twin: the rules as a person reads them, stone by stone ---------------------------------------------------------


def sown(board: Board, pit: int, slam: str) -> tuple[Board, int]:
    """Return the board after a move, turned round, and the stones captured."""
    pits = list(board)
    hand, pits[pit] = pits[pit], 0
    place = pit
    while hand:
        place = (place + 1) % 12
        if place != pit:
            pits[place] += 1
            hand -= 1
    before = list(pits)
    captured = 0
    while place >= 6 and pits[place] in (2, 3):
        captured += pits[place]
        pits[place] = 0
        place -= 1
    if slam == "kept" and not any(pits[6:]):
        pits, captured = before, 0
    return tuple(pits[6:] + pits[:6]), captured


def replies(board: Board, slam: str = "last") -> dict[int, tuple[Board, int]]:
    """Return the legal moves by pit."""
    found = {pit: sown(board, pit, slam) for pit in range(6) if board[pit]}
    if slam == "free":
        return found
    feeding = {pit: after for pit, after in found.items() if sum(after[0][:6])}
    return feeding or found


def boards(stones: int) -> list[Board]:
    """Return every board with that many stones."""
    found = []
    for bars in itertools.combinations(range(stones + 11), 11):
        ends = (-1, *bars, stones + 11)
        found.append(tuple(right - left - 1 for left, right in itertools.pairwise(ends)))
    return found


def scores(stones: int, slam: str = "last") -> dict[Board, int]:
    """Return the value of every board with at most that many stones, part by part, by games of 0, 1, 2, ... plies."""
    values: dict[Board, int] = {}
    for total in range(stones + 1):
        part = {board: replies(board, slam) for board in boards(total)}
        values |= {board: 0 if moves else -sum(board) for board, moves in part.items()}
        while True:
            sweep = {
                board: max(captured - values[after] for after, captured in moves.values())
                for board, moves in part.items()
                if moves
            }
            if all(values[board] == value for board, value in sweep.items()):
                break
            values |= sweep
    return values


# --- the rules ----------------------------------------------------------------------------------------------------------


def random_board(rng: random.Random, stones: int) -> list[int]:
    """Return a board with up to that many stones, some of them heaped up."""
    board = [0] * 12
    while (heap := rng.randint(1, 6)) <= stones and rng.random() > 0.02:
        board[rng.randrange(12)] += heap
        stones -= heap
    return board


@pytest.mark.parametrize("slam", SLAMS)
def test_moves_are_those_of_the_twin(slam: str) -> None:
    game = Awari(48, slam)
    rng = random.Random(1)
    captures = rounds = starving = 0
    for _ in range(4000):
        board = random_board(rng, rng.choice([3, 6, 12, 30, 48]))
        if game.terminal(board) != UNDECIDED:
            assert not any(board[:6])
            assert game.terminal(board) == -sum(board)
            continue
        expected = replies(tuple(board), slam)
        moves = game.moves(board)
        assert sorted(move & 15 for move in moves) == sorted(expected)
        for move in moves:
            after = game.play(board, move)
            assert (tuple(after), game.call("gain", board, move)) == expected[move & 15]
            assert game.unplay(after, move) == board
            captures += game.call("gain", board, move) > 0
            rounds += move >> 16 > 11
            starving += not any(after[:6])
    assert min(captures, rounds) > 50
    assert starving > 50 or slam == "kept"


@pytest.mark.parametrize("slam", SLAMS)
def test_unmoves_are_all_moves_taken_back(slam: str) -> None:
    game = Awari(5, slam)
    led: dict[Board, set[tuple[Board, int]]] = {}
    states = [board for total in range(6) for board in boards(total)]
    for board in states:
        for move in game.moves(board):
            led.setdefault(tuple(game.play(board, move)), set()).add((board, move))
    for board in states:
        assert {(tuple(game.unplay(board, move)), move) for move in unmoves(game, board)} == led.get(board, set())
        staying = [move for _, move in led.get(board, set()) if not game.call("gain", list(board), move)]
        assert sorted(unmoves(game, board, "unmoves_within")) == sorted(staying)


@pytest.mark.parametrize("slam", SLAMS)
@pytest.mark.parametrize("stones", [12, 24, 48])
def test_unmoves_with_many_stones(stones: int, slam: str) -> None:
    game = Awari(stones, slam)
    rng = random.Random(stones)
    met = 0
    for _ in range(60):
        board = random_board(rng, stones)
        for move in game.moves(board):
            assert move in unmoves(game, tuple(game.play(board, move)))
        quiet = [move for move in unmoves(game, tuple(board)) if not game.call("gain", board, move)]
        assert sorted(unmoves(game, tuple(board), "unmoves_within")) == sorted(quiet)
        for move in unmoves(game, tuple(board)):
            before = game.unplay(board, move)
            assert min(before) >= 0
            assert sum(before) <= stones
            assert move in game.moves(before)
            assert game.play(before, move) == board
            met += 1
    assert met > 100


def unmoves(game: Awari, board: Board, name: str = "unmoves") -> list[int]:
    """Return the moves that can have led to a board, each once: all of them, or those that stay in the part."""
    state = list(board)
    out = [0] * game.max_unmoves
    count = game.call(name, state, out)
    assert tuple(state) == board
    assert len(set(out[:count])) == count
    return out[:count]


def test_positions_of_the_thesis() -> None:
    """Check figures 2.7 and 2.8 of Allis 1994: the moves with their captures, and a forced move."""
    game = Awari(48)
    assert sorted(game.position("1 0 4 19 4 2 1 1 3 1 0 0").moves()) == ["A1", "C4x2", "D19x7", "E4", "F2x4"]
    figure = game.position("0 1 0 0 1 0 0 0 0 0 0 1")
    assert sorted(figure.moves()) == ["B1", "E1"]
    assert figure.play("E1").play("F1").moves() == ["F1"]


def test_notation() -> None:
    game = load("awari:4")
    assert game.start() == [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]
    assert Awari(48).start() == [4] * 12
    assert game.read(game.format([0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0])) == [0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]
    assert game.position("0 1 0 0 0 0 3 0 0 0 0 0").play("B1").state == (3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
    assert game.picture([0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]).splitlines() == [". . . . . 3", ". 1 . . . ."]
    for text in ("1 1", "1 0 0 0 0 0 0 0 0 0 0 9", "5 -1 0 0 0 0 0 0 0 0 0 0"):
        with pytest.raises(BadState, match="at most 4 stones"):
            game.read(text)
    with pytest.raises(BadMove):
        game.position("0 1 0 0 0 0 3 0 0 0 0 0").play("A1")
    with pytest.raises(ValueError, match="1 to 48"):
        Awari(0)


# --- the databases --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database() -> Database:
    """Return all values of up to 7 stones."""
    return solve_states(Awari(7), run=Run(threads=1))


@pytest.mark.parametrize("stones", range(1, 8))
def test_values_are_the_recorded_ones(database: Database, stones: int) -> None:
    found = database.histogram(str(stones))
    assert {str(value): count for value, count in found.items()} == GOLDEN[str(stones)]["by_value"]


@pytest.mark.parametrize("slam", SLAMS)
def test_values_are_those_of_the_twin(slam: str) -> None:
    found = solve_states(Awari(4, slam), run=Run(threads=1), target="interpreted")
    for board, value in scores(4, slam).items():
        assert found.probe(board) == value


def test_slams_differ() -> None:
    """Check a capture of all: it is illegal where another move feeds, takes nothing, or takes all."""
    for slam, moves in (("last", ["A1"]), ("kept", ["A1", "F1"]), ("free", ["A1", "F1x2"])):
        assert sorted(Awari(4, slam).position("1 0 0 0 0 1 1 0 0 0 0 0").moves()) == moves
    with pytest.raises(ValueError, match="kept"):
        Awari(4, "none")


def test_a_value_of_the_thesis(database: Database) -> None:
    """Check figure 2.8 of Allis 1994: B1 gets all three stones; after E1 there is a second chance of it."""
    figure = database.game.position("0 1 0 0 1 0 0 0 0 0 0 1")
    assert database.probe(figure) == 3
    assert {figure.play(move).state: -3 for move in ("B1", "E1")} == {
        choice.position.state: choice.value for choice in database.moves(figure)
    }


@pytest.mark.long
def test_the_table_does_not_depend_on_threads_and_lists(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve forwards with lists for all states, for none, and for some; and backwards with small buckets."""
    few = Awari(6)
    right = database.codes[: few.parts()[-1].stop].tobytes()
    for room in (1 << 30, 0, 1 << 19):
        monkeypatch.setattr("searchbench.solvers.exhaustive.edges.LIST_MEMORY", room)
        monkeypatch.setattr("searchbench.solvers.exhaustive.edges.BUFFER", 1 << 13)
        assert solve_states(few, solver="fixpoint", run=Run(threads=2)).codes.tobytes() == right
    for block_bits, fresh in ((6, 1 << 9), (10, 1)):  # so many states of a round go to all threads
        monkeypatch.setattr("searchbench.solvers.exhaustive.scores.EMITTED", fresh)
        monkeypatch.setattr("searchbench.solvers.exhaustive.scores.APPLIED", fresh)
        solved = solve_states(few, run=Run(memory=8 << 20, threads=2), block_bits=block_bits)
        assert solved.facts["solver"] == "retrograde"
        assert solved.codes.tobytes() == right


def test_known_counts(database: Database) -> None:
    assert database.states == database.game.known()["states"] == 50388
