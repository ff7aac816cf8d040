"""Sokoban: text, notation, rules against an obvious twin, golden counts, LURD and its judge, and levels as data."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from depths import count_depths, expand_in_order
from naive_sokoban import Maze, pushes_of, random_level
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, SearchBenchError, Unsolvable
from searchbench.games.sokoban import Sokoban, levels_of
from searchbench.games.sokoban.collection import levels_in
from searchbench.games.sokoban.levels import PUSHES
from searchbench.games.sokoban.text import read_level
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_levels, search_state
from searchbench.verify.lurd import replay

GOLDEN = Path(__file__).parent.parent / "golden"
XSOKOBAN = str(GOLDEN / "sokoban_xsokoban.xsb")
MICROBAN = str(GOLDEN / "sokoban_microban.xsb")
FIGURES = json.loads((GOLDEN / "sokoban.json").read_text())


def rows_of(game: Sokoban) -> str:
    """Return the level's rows as they stand in the file."""
    return "\n".join(game.text.rows)


def test_levels_that_come_with_the_game_have_their_least_pushes() -> None:
    for number, pushes in enumerate(PUSHES, 1):
        game = Sokoban(f"#{number}")
        line = search_state(game, None, "astar")
        assert (line.cost, line.optimal, line.verify()) == (pushes, True, [])
        written = game.solution(line.moves)
        assert replay(rows_of(game), written) == ("", pushes, len(written))


def test_the_judge_refuses_what_is_no_solution() -> None:
    game = Sokoban("#2")
    line = search_state(game, None, "astar")
    right = game.solution(line.moves)
    assert not replay(rows_of(game), right).fault
    for wrong in (right[:-1], right[1:], right.lower(), right.swapcase(), right.replace("u", "x", 1), ""):
        assert replay(rows_of(game), wrong).fault, wrong
    assert replay("#####\n#@$.#\n#@  #\n#####", "R").fault == "2 men"
    assert not replay("5#|#@$.#|5#", "R").fault


def test_random_levels_agree_with_the_twin() -> None:
    chance = random.Random(15)
    ended = set()
    for _ in range(12):
        text = random_level(chance, chance.choice((1, 2)), (4, 4), chance.random() < 0.5)
        game, maze = Sokoban(text), Maze(text)
        layers = [len(layer) for layer in maze.layers()]
        assert list(count_depths(game, cuts=False, target="interpreted").counts) == layers, text
        least = maze.least_pushes()
        ended.add(least is None)
        try:
            found: int | None = search_state(game, None, "astar", target="interpreted").cost
        except Unsolvable:
            found = None
        assert found == least, text
    assert ended == {True, False}


def test_compiled_counts_agree_with_interpreted_ones() -> None:
    game = Sokoban("#9")
    assert count_depths(game) == count_depths(game, target="interpreted")
    with_cuts, without = count_depths(game), count_depths(game, cuts=False)
    assert (with_cuts.solved, without.solved) == (25, 25)
    assert sum(with_cuts.counts) < sum(without.counts)


def test_the_known_push_counts_of_small_levels_come_out() -> None:
    """By breadth-first search without a bound, and by A* with one."""
    searched = 0
    for number, pushes in enumerate(FIGURES["microban_pushes"][:60], 1):
        game = Sokoban(f"{MICROBAN}#{number}")
        counted = count_depths(game, 60_000)
        if counted.solved >= 0:
            searched += 1
            assert counted.solved == pushes, number
            assert search_state(game, None, "astar", limits=Limits(2_000_000)).cost == pushes, number
    assert searched > 45


def test_known_solutions_replay_and_are_read() -> None:
    for number, (text, pushes) in enumerate(
        zip(FIGURES["microban_solutions"], FIGURES["microban_pushes"], strict=True), 1
    ):
        if text is None:
            continue
        game = Sokoban(f"{MICROBAN}#{number}")
        assert replay(rows_of(game), text)[:2] == ("", pushes)
        state = game.start()
        moves = []
        for square, direction in pushes_of(game.maze, text):
            (move,) = [one for one in game.moves(state) if one & 4095 == square and one >> 36 == direction]
            moves.append(move)
            state = game.play(state, move)
        assert game.terminal(state) == 0
        assert replay(rows_of(game), game.solution(moves))[:2] == ("", pushes)


def without_man(near: tuple[tuple[int, int, int, int], ...], goals: tuple[int, ...]) -> dict[int, int]:
    """Return the pushes from each square to the nearest goal for a man who flies."""
    found, waiting = dict.fromkeys(goals, 0), list(goals)
    for square in waiting:
        for direction in range(4):
            before = near[square][direction ^ 1]
            if before >= 0 and near[before][direction ^ 1] >= 0 and before not in found:
                found[before] = found[square] + 1
                waiting.append(before)
    return found


def test_tables_of_the_90_levels_have_the_golden_figures() -> None:
    for number, (stones, floor, live, simple, *_, pushes, kept) in enumerate(FIGURES["xsokoban"], 1):
        game = Sokoban(f"{XSOKOBAN}#{number}")
        level, tables = game.maze, game.tables
        moves = game.moves(game.start())
        targets = [tables.live[move >> 12 & 4095] for move in moves]
        nearest = without_man(level.near, level.goals)
        bound = sum(nearest[stone] for stone in level.stones)
        assert all(tables.nearest[square] >= pushes for square, pushes in nearest.items())
        found = (len(level.stones), len(level.cells), int(tables.live.sum()), bound, len(moves), int(sum(targets)))
        assert found == (stones, floor, live, simple, pushes, kept), number


def test_fifty_levels_are_one_compilation_and_open_at_once() -> None:
    games = [Sokoban(f"{XSOKOBAN}#{number}") for number in range(1, 51)]
    assert len({jit.fingerprint(expand_in_order, game.names()) for game in games}) == 1
    assert len({game.fingerprint() for game in games[:5]}) == 5
    count_depths(games[0], 10)  # compiles
    times = []
    for number in (70, 90, 88):
        began = time.perf_counter()
        count_depths(Sokoban(f"{XSOKOBAN}#{number}"), 10)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.05, times


def test_notation_is_read_back() -> None:
    game = Sokoban("#4")
    chance = random.Random(1)
    state = game.start()
    for _ in range(40):
        assert game.read(game.format(state)) == state
        level = game.maze
        stones = [square for square in range(len(level.cells)) if state[square >> 5] >> (square & 31) & 1]
        assert game.read("|".join(level.drawn(stones, state[-1]))) == state
        moves = game.moves(state)
        if not moves:
            break
        state = game.play(state, chance.choice(moves))


def test_run_lengths_and_ragged_rows_are_read() -> None:
    plain = "  ####\n###  ####\n#   $ @.#\n#########"
    packed = "2-4#|3#--4#|#3-$-@.#|9#"
    one, other = Sokoban(plain).maze, Sokoban(packed).maze
    assert (one.cells, one.goals, one.stones, one.man) == (other.cells, other.goals, other.stones, other.man)
    assert [text.title for text in levels_in("; A\n####\n#@ #\n\nB\n#####\n", "x")] == ["A", "B"]


BAD = {
    "#####\n# $.#\n#####": "line 1, column 1: the level has no man",
    "#####\n#@$ #\n#####": "line 2, column 3: the level has 1 stones and 0 goals",
    "#####\n#@$.\n#####": "line 2, column 4: the level is open",
    "#######\n#@$.# $#\n########": "line 2, column 7: a stone outside the floor",
    "#####\n#@ .#\n#####": "the level has no stone",
    "#####\n#@$.#\n#@  #\n#####": "line 3, column 2: a second man",
    "#####\n#@x$.#\n#####": "line 2, column 3: 'x' is no mark",
    "##|#@": "line 1, row 2, column 2: the level is open",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_levels_are_refused_with_their_place(text: str) -> None:
    with pytest.raises(BadRequest, match=BAD[text].replace("(", r"\(")):
        read_level(levels_in(text, "the level")[0])


def test_other_bad_input_is_refused(tmp_path: Path) -> None:
    for spec, message in (
        (f"sokoban:{tmp_path}#1", "is a directory"), ("sokoban:nowhere.xsb#1", "cannot be read"),
        ("sokoban:#99", "levels 1 to"), (f"sokoban:{MICROBAN}#0", "levels 1 to 155"),
        ("sokoban:7", "no such file; a level is FILE#NUMBER"),
        (f"sokoban:{MICROBAN}", "has levels #1 to #155: ask for .*#1"), (f"sokoban:{tmp_path}", "is a directory"),
        (f"sokoban:{'x' * 5000}", "no such file"),
    ):  # fmt: skip
        with pytest.raises(SearchBenchError, match=message):
            load(spec).start()
    large = tmp_path / "large.xsb"
    for text, message in (("#" * 10**6, "more than 1,024 marks"), ("x" * 10**6, "holds no level"), ("", "holds no level"),
                          ("999999999#|#@", "more than 1,024 marks"), ("#\n" * 10**5, "rows, more than")):  # fmt: skip
        large.write_text(text)
        began = time.perf_counter()
        with pytest.raises(BadRequest, match=message):
            load(f"sokoban:{large}#1").start()
        assert time.perf_counter() - began < 2
    game = Sokoban("#1")
    for state in ("", "Db", "Db Dc", "Db Db @Bb", "Db Zz @Bb", "Db Dc @Db", "##|##"):
        with pytest.raises(SearchBenchError):
            game.read(state)
    with pytest.raises(BadState, match="other walls"):
        game.read("#######|#@$$..#|#######")


def test_a_file_of_one_level_needs_no_number(tmp_path: Path) -> None:
    file = tmp_path / "own.xsb"
    file.write_text("#####\n#@$.#\n#####\n")
    assert load(f"sokoban:{file}").start() == load(f"sokoban:{file}#1").start()


def test_one_bad_level_does_not_end_a_collection(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "some.xsb"
    file.write_text(
        "#####\n#@$.#\n#####\n\n#####\n# $.#\n#####\n\n; third\n#######\n#@ $ .#\n#######\n\n#####\n#$@.#\n#####\n"
    )
    games = Sokoban.levels(str(file))
    found = list(search_levels(games, "astar", run))
    assert [attempt.line.cost if attempt.line else None for attempt in found] == [1, None, 2, None]
    assert "line 5, column 1: the level has no man" in str(found[1].error)
    assert isinstance(found[3].error, Unsolvable)
    beside = search_levels(games, "astar", Run(threads=3))
    assert [(one.state, one.nodes, str(one.error)) for one in beside] == [
        (one.state, one.nodes, str(one.error)) for one in found
    ]
    assert len(levels_of(str(file))) == 4
    errors = [
        attempt.error for attempt in (*found, *search_levels(games, "featurespace", run, nodes=1)) if attempt.error
    ]
    assert len(errors) > 3
    held = [error.__traceback__ or error.__context__ for error in errors]
    assert not any(held), "an error that is kept must not hold the arrays of its search"


def test_a_file_that_changes_has_other_levels_from_then_on(tmp_path: Path) -> None:
    """What is kept for a game, such as its rules with their data, is not that of the old level."""
    file = tmp_path / "level.xsb"
    costs, games = [], []
    for row in ("#@$.#", "#@$ .#", "#@$  .#"):
        walls = "#" * len(row)
        file.write_text(f"{walls}\n{row}\n{walls}\n")
        games.append(load(f"sokoban:{file}#1"))
        costs.append(
            [
                search_state(games[-1], None, method, target="interpreted").cost
                for method in ("astar", "enhanced", "featurespace")
            ]
        )
    assert costs == [[1] * 3, [2] * 3, [3] * 3]
    assert games[0] != games[1]
    assert games[2] == load(f"sokoban:{file}#1")
    assert len({games[2], load(f"sokoban:{file}#1")}) == 1
