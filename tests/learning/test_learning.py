"""Ground truth for learning agents is what the database says of each position, and the environments keep their contracts."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

import searchbench as sb
from graphs import GraphGame
from searchbench import cli
from searchbench.errors import BadRequest, BadState
from searchbench.learning import export, grade, truths
from searchbench.learning.truths import NOTHING, TruthReader, figures_of
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

SPECS = ["tic-tac-toe", "sliding:2x3", "awari:3", "hanoi:3", "mnk:2,2,2", "pancake:4", "frogs-and-toads:2"]


@pytest.fixture(scope="module")
def databases() -> dict[str, Database]:
    return {spec: sb.solve(spec, threads=1) for spec in SPECS}


def figures(database: Database, value: Any) -> dict[str, int | None]:
    """Return a value as the columns of a file have it."""
    names = ("value",) if not database.rule.two_players or database.rule.points else ("outcome", "plies")
    found = figures_of(database.rule, value)
    return {name: None if one == NOTHING else one for name, one in zip(names, found, strict=True)}


@pytest.mark.parametrize("spec", SPECS)
def test_a_row_is_what_the_database_says_of_the_position(
    spec: str, databases: dict[str, Database], tmp_path: Path
) -> None:
    database = databases[spec]
    done = export(database, tmp_path / "x.parquet")
    table = pyarrow.parquet.read_table(done.path)
    assert table.num_rows == done.positions == database.states
    rows = table.take(np.random.default_rng(1).permutation(table.num_rows)[:60]).to_pylist()
    for row in rows:
        position = database.position(row["number"])
        assert tuple(row["state"]) == position.state
        own = figures(database, database.probe(position))
        assert {name: row[name] for name in own} == own
        choices = {choice.move: choice for choice in database.moves(position)}
        assert sorted(row["moves"]) == sorted(choices)
        for place, move in enumerate(row["moves"]):
            worth = figures(database, database.worth(position.state, choices[move]))
            assert {name: row[f"moves_{name}"][place] for name in worth} == worth
        keys = [
            database.rule.preference(one.value, database.game.call("weight", list(position.state), one.move))
            if "weight" in database.game.names(database.rule) else
            database.rule.preference(one.value, database.game.call("cost", list(position.state), one.move))
            for one in choices.values()
        ]  # fmt: skip
        best = {move for move, key in zip(choices, keys, strict=True) if key == min(keys)}
        assert set(row["best_moves"]) == best


def test_figures_of_any_size_are_told_as_they_are(tmp_path: Path) -> None:
    fine = 10**18
    edges = ((1, 0, 1, 5), (1, 0, 1, -fine), (2, 1, 1, 0), (2, 0, 1, -fine), (3, 2, 1, 3), (3, 1, 1, fine // -2))
    database = solve_states(GraphGame(edges, (0, UNDECIDED, UNDECIDED, UNDECIDED), "score"))
    found = truths(database, [0, 1, 2, 3])
    assert found.figures.tolist() == [[0, 5, -5, 8]]
    assert [found.worth[0, row, :2].tolist() for row in (1, 2, 3)] == [[5, -fine], [-5, -fine], [8, fine // -2 - 5]]
    assert [found.best[row, :2].tolist() for row in (1, 2, 3)] == [[True, False]] * 3
    rows = pyarrow.parquet.read_table(export(database, tmp_path / "x.parquet").path).to_pylist()
    assert [row["moves_value"] for row in rows] == [[], [5, -fine], [-5, -fine], [8, fine // -2 - 5]]


def test_distances_beyond_two_thousand_million_are_exported_and_graded(tmp_path: Path) -> None:
    far = 2_500_000_000
    edges = ((1, 0, far, 0), (1, 0, 1, 0), (2, 0, far, 0))
    database = solve_states(GraphGame(edges, (0, UNDECIDED, UNDECIDED)), "distance", "fixpoint")
    rows = pyarrow.parquet.read_table(export(database, tmp_path / "x.parquet").path).to_pylist()
    assert [row["value"] for row in rows] == [0, 1, far]
    found = grade(database, lambda state, moves: moves[0])
    assert (found.positions, found.spoiled, found.regret) == (1, 0, far - 1)


def test_compiled_truths_are_the_interpreted_ones() -> None:
    from searchbench.learning.truths import TruthReader

    database = sb.solve("mnk:3,2,2", threads=1)
    numbers = next(database.numbers())
    ours, theirs = (TruthReader(database, target=target).read(numbers) for target in ("interpreted", "cpu"))
    assert np.array_equal(ours.regrets(), theirs.regrets())
    assert np.array_equal(ours.states, theirs.states)
    assert np.array_equal(ours.figures, theirs.figures)


def test_a_sample_is_of_the_asked_value_and_the_same_again(databases: dict[str, Database], tmp_path: Path) -> None:
    database = databases["tic-tac-toe"]
    for name in ("a", "b"):
        assert export(database, tmp_path / name, sample=100, seed=4, value="draw").positions == 100
    first, again = (pyarrow.parquet.read_table(tmp_path / name) for name in ("a", "b"))
    assert first.equals(again)
    assert set(first["outcome"].to_pylist()) == {0}
    assert first.schema.metadata[b"searchbench.game"] == b"tic-tac-toe"


@pytest.mark.parametrize("name", ["x.sbt", "x.csv", "x.db", "x.json"])
def test_the_ending_of_another_format_is_refused(databases: dict[str, Database], tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest, match=r"convert DB --parts NAMES --to FILE\.db` writes slices"):
        export(databases["hanoi:3"], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_file_is_not_overwritten_unasked_and_appears_whole(databases: dict[str, Database], tmp_path: Path) -> None:
    database, path = databases["hanoi:3"], tmp_path / "x.parquet"
    export(database, path)
    with pytest.raises(BadRequest, match="--force"):
        export(database, path)
    assert export(database, path, overwrite=True).positions == 27
    with pytest.raises(BadRequest, match="no folder"):
        export(database, tmp_path / "none" / "x")
    assert [file.name for file in tmp_path.iterdir()] == ["x.parquet"]


def test_regrets_are_what_a_move_loses(databases: dict[str, Database]) -> None:
    database = databases["tic-tac-toe"]
    position = database.game.position("XX./OO./...")
    found = truths(database, [database.number(position)])
    moves = found.moves[0, : found.counts[0]].tolist()
    lost = dict(zip(moves, found.regrets()[0].tolist(), strict=False))
    winning = [move for move in moves if database.game.terminal(database.game.play(position.state, move)) == -1]
    assert [lost[move] for move in winning] == [0]
    assert set(lost.values()) == {0, 1, 2}  # to win, to block, and to let the other win


@pytest.mark.parametrize("numbers", [[720], [99_999], [-1]])
def test_a_number_outside_the_database_has_no_truth(numbers: list[int], databases: dict[str, Database]) -> None:
    with pytest.raises(BadState, match=f"number {numbers[0]} lies outside the index of 720 numbers"):
        truths(databases["sliding:2x3"], numbers)


def test_no_numbers_have_no_truths_and_what_is_no_list_of_them_is_refused(databases: dict[str, Database]) -> None:
    for spec in ("sliding:2x3", "tic-tac-toe"):
        found = truths(databases[spec], [])
        assert (len(found.states), found.figures.shape) == (0, (len(found.columns), 0))
    for wrong in ([1.5], 3, [[1, 2]], ["1"]):
        with pytest.raises(BadRequest, match="expected a list of whole numbers"):
            truths(databases["sliding:2x3"], wrong)  # type: ignore[arg-type]


def test_a_policy_is_graded(databases: dict[str, Database]) -> None:
    for spec in ("tic-tac-toe", "sliding:2x3", "awari:3"):
        database = databases[spec]

        def perfect(state: list[int], moves: list[int], database: Database = database) -> int:
            return database.moves(state)[0].move

        found = grade(database, perfect, 60)
        assert (found.best, found.kept, found.regret, found.worst) == (found.positions, found.positions, 0.0, ())
    worst = grade(databases["tic-tac-toe"], lambda state, moves: moves[-1], 200)
    assert worst.best < worst.kept < worst.positions
    assert worst.worst[0].regret == 2
    with pytest.raises(BadRequest, match="none of the moves"):
        grade(databases["tic-tac-toe"], lambda state, moves: 99, 10)
    for failing in (lambda state: 0, lambda state, moves: moves[99]):
        with pytest.raises(BadRequest, match=r"test_learning.py, line \d+: the policy raised .*Error"):
            grade(databases["tic-tac-toe"], failing, 10)  # type: ignore[arg-type]


def test_a_puzzle_keeps_gymnasiums_contract(databases: dict[str, Database]) -> None:
    environment = sb.environment(databases["sliding:2x3"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checker's advice on spaces and wrappers
        check_env(environment, skip_render_check=True)
    _, info = environment.reset(seed=3)
    cost = 0
    done = False
    first = int(info["value"])
    while not done:
        action = info["best_actions"][0]
        assert info["action_mask"][action]
        _, reward, done, cut, info = environment.step(action)
        cost -= reward
        assert info["regret"] == 0
        assert not cut
    assert cost == first
    _, info = environment.reset(options={"state": "1 2 0 3 4 5"})
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert environment.step(wrong)[1:3] == (-1.0, False)


def test_a_game_keeps_pettingzoos_contract(databases: dict[str, Database]) -> None:
    environment = sb.environment(databases["tic-tac-toe"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(environment, num_cycles=60, verbose_progress=False)
    environment.reset()
    while environment.agents:
        player = environment.agent_selection
        observed, _, over, cut, info = environment.last()
        environment.step(None if over or cut else info["best_actions"][0])
        if not (over or cut):
            assert observed["action_mask"][info["best_actions"][0]]
            assert environment.infos[player].get("regret", 0) == 0
    assert environment.terminations == {}
    environment.reset(options={"state": "XX./OO./..."})
    player = environment.agent_selection
    environment.step(environment.infos[player]["best_actions"][0])
    assert environment.rewards == {"first": 1.0, "second": -1.0}
    environment.reset()
    legal = environment.observe(environment.agent_selection)["action_mask"]
    with pytest.raises(ValueError, match=r"action \d+ is not legal in .*action_mask"):
        environment.step(int(np.flatnonzero(legal == 0)[-1]))


def test_moves_that_spoil_a_puzzle_are_counted_apart_and_what_cannot_be_solved_is_left_out() -> None:
    """From 0 a move leads on, one a detour, one into the dead ends 3 and 4, in which both moves are as bad."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 5), (1, 2), (2, 1), (2, 0), (3, 4), (3, 3), (4, 3), (4, 4)]
    database = of_graph(pairs, (*(UNDECIDED,) * 5, 0), "distance")
    assert [database.probe([node]) for node in range(6)] == [2, 1, 2, None, None, 0]
    for choose in (min, max):

        def policy(state: list[int], moves: list[int], choose: Any = choose) -> int:
            chosen: int = choose(moves, key=lambda move: database.game.play(state, move)[0])
            return chosen

        found = grade(database, policy)
        assert found.positions == 3
        regrets = []
        for node in range(3):
            choices = database.moves([node])
            after = database.probe(database.game.play([node], policy([node], [one.move for one in choices])))
            regrets.append(None if after is None else after + 1 - database.probe([node]))
        known = [regret for regret in regrets if regret is not None]
        assert found.spoiled == regrets.count(None)
        assert found.kept == regrets.count(0)
        assert found.regret == sum(known) / len(known)
        told = found.as_dict()
        assert (told["spoiled"], [one["regret"] for one in told["worst"]].count(None)) == (found.spoiled,) * 2


@pytest.mark.parametrize("spec", ["sliding:2x3", "tic-tac-toe"])
def test_a_number_that_is_no_action_is_refused_and_nothing_is_played(spec: str, databases: dict[str, Database]) -> None:
    environment = sb.environment(databases[spec])
    for wrong in (-1, len(environment.moves)):
        environment.reset(seed=1)
        before = environment._state
        with pytest.raises(BadRequest, match=f"action {wrong}: .* has the actions 0 to {len(environment.moves) - 1}"):
            environment.step(wrong)
        assert environment._state == before


def test_each_player_is_told_the_regret_of_the_own_last_move(databases: dict[str, Database]) -> None:
    database = databases["tic-tac-toe"]
    environment = sb.environment(database, state=".../.X./...")
    environment.reset()
    lost: dict[str, list[int]] = {"first": [], "second": []}
    told: dict[str, list[int]] = {"first": [], "second": []}
    for player in environment.agent_iter():
        observed, _, over, _, info = environment.last()
        told[player] += [info["regret"]] if "regret" in info else []
        action = None if over else int(np.flatnonzero(observed["action_mask"])[-1])
        if action is not None:
            choices = database.moves(environment._state)
            played = next(one for one in choices if one.move == environment.moves[action])
            worth = [
                figures_of(database.rule, database.worth(environment._state, one))[0] for one in (choices[0], played)
            ]
            lost[player].append(worth[0] - worth[1])
        environment.step(action)
    assert told == lost
    assert max(map(max, lost.values())) > 0


def of_graph(pairs: list[tuple[int, int]], results: tuple[int, ...], values: str = "outcome", **more: Any) -> Database:
    game = GraphGame(tuple((*pair, 1, 0) for pair in pairs), results, values, **more)
    return solve_states(game, run=Run(threads=1), target="interpreted")


def test_a_match_goes_on_in_the_representative_where_no_position_has_a_move_of_the_state() -> None:
    results = (UNDECIDED,) * 3 + (-1, -1)
    environment = sb.environment(of_graph([(2, 0), (2, 1), (0, 3), (1, 4)], results, first=2, mirror=(1, 0, 2, 4, 3)))
    environment.reset()
    environment.step(environment.moves.index(1))  # to node 1, for which node 0 stands
    assert environment.last()[0]["observation"].tolist() == [0]
    environment.step(environment.infos["second"]["best_actions"][0])
    assert environment.rewards == {"first": -1.0, "second": 1.0}


def test_a_match_without_a_move_is_drawn_and_over() -> None:
    environment = sb.environment(of_graph([(0, 1)], (UNDECIDED, UNDECIDED)))
    environment.reset()
    environment.step(0)
    assert environment.last()[1:4] == (0.0, True, False)
    environment.reset(options={"state": "1"})
    assert environment.last()[2]
    with pytest.raises(BadRequest, match="no position has a move"):
        sb.environment(of_graph([], (UNDECIDED,)))


def test_a_puzzle_ends_in_a_dead_end_as_where_it_is_solved() -> None:
    environment = sb.environment(of_graph([(0, 1), (0, 2)], (UNDECIDED, UNDECIDED, 0), "distance"), state="0")
    for action, value in enumerate(("unreachable", "0")):
        environment.reset()
        _, reward, over, cut, info = environment.step(action)
        assert (reward, over, cut, info["value"]) == (-1.0, True, False, value)


@pytest.mark.parametrize("marks", [1 << 24, 1])
def test_the_moves_of_all_positions_are_listed(
    databases: dict[str, Database], monkeypatch: pytest.MonkeyPatch, marks: int
) -> None:
    """With marks for them, and by sorting where moves are too large for that."""
    monkeypatch.setattr(sys.modules[TruthReader.__module__], "_MARKS", marks)
    for database in databases.values():
        numbers = np.concatenate(list(database.numbers()))
        right = {move for number in numbers for move in database.game.moves(database.position(int(number)).state)}
        assert TruthReader(database).distinct_moves(numbers).tolist() == sorted(right), database


def test_values_that_do_not_rank_moves_are_refused(tmp_path: Path) -> None:
    database = sb.solve("pancake:4", "depth", threads=1)
    with pytest.raises(BadRequest, match="do not say which move is best"):
        sb.environment(database)
    with pytest.raises(BadRequest, match="do not say which move is best"):
        grade(database, lambda state, moves: moves[0])
    table = pyarrow.parquet.read_table(export(database, tmp_path / "x").path)
    assert set(map(len, table["best_moves"].to_pylist())) == {0}


@pytest.mark.parametrize("spec", ["awari:3", "dots-and-boxes:1x2", "tic-tac-toe"])
def test_best_actions_gain_the_value_of_any_position(spec: str) -> None:
    database = sb.solve(spec, threads=1)
    environment = sb.environment(database, limit=60)
    numbers = np.concatenate(list(database.numbers()))
    played = 0
    for number in np.random.default_rng(2).permutation(numbers)[:60].tolist():
        position = database.position(number)
        if not database.game.moves(position.state):
            continue
        environment.reset(options={"state": position})
        gained, endless = 0.0, False
        for player in environment.agent_iter():
            _, reward, over, cut, info = environment.last()
            endless |= cut
            gained += reward if player == "first" else 0.0
            environment.step(None if over or cut else info["best_actions"][0])
        if not endless:
            assert gained == figures_of(database.rule, database.probe(position))[0]
            played += 1
    assert played > 15


@pytest.mark.parametrize("spec", ["chess:KQK,3x4", "mnk:3,3,3,symmetry=yes", "chess:KRK,3x3"])
def test_symmetric_copies_are_all_images_with_what_the_database_says_of_each(spec: str, tmp_path: Path) -> None:
    database = sb.solve(spec, threads=1)
    game = database.game
    done = export(database, tmp_path / "x.parquet", symmetric=True)
    rows = pyarrow.parquet.read_table(done.path).to_pylist()
    assert len(rows) == done.positions
    wanted = set()
    for number in database.select():
        for symmetry in range(game.symmetries):
            image = list(game.unrank(number))
            game.call("image_under", image, symmetry)
            wanted.add((number, tuple(image)))
    assert {(row["number"], tuple(row["state"])) for row in rows} == wanted
    assert len(rows) == len(wanted) > database.states
    for place in np.random.default_rng(2).permutation(len(rows))[:40]:
        row = rows[place]
        own = figures(database, database.probe(row["state"]))
        assert {name: row[name] for name in own} == own
        choices = database.moves(row["state"])
        assert sorted(row["moves"]) == sorted(choice.move for choice in choices)
        if choices:
            assert set(row["best_moves"]) <= {one.move for one in choices if one.value == choices[0].value}


def test_copies_of_a_game_that_tells_no_symmetries_are_refused(databases: dict[str, Database], tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="hanoi:3,3 tells no symmetries: its rules need `image_under`"):
        export(databases["hanoi:3"], tmp_path / "x.parquet", symmetric=True)
    assert not list(tmp_path.iterdir())


def test_an_environment_of_a_game_solves_it_first() -> None:
    _, info = sb.environment(sb.load("sliding:2x2"), state="1 0 2 3").reset()
    assert info["value"] == "1"
    assert sb.environment("sliding:2x2", state="1 0 2 3").reset()[1]["value"] == "1"
    with pytest.raises(BadRequest, match=r"nosuch\.db: there is no database, and no game"):
        sb.environment("nosuch.db")


DOORS = '''
from dataclasses import dataclass
from searchbench import UNDECIDED, Game, index

@dataclass(frozen=True)
class Doors(Game):
    """Take the right one of two doors; behind the other, and behind those in the room of the right one, is nothing."""
    name = "doors"
    width = 1
    max_moves = 2
    def index(self):
        return index.Radix((4,))
    def rules(self):
        def start(state):
            state[0] = 0
        def terminal(state):
            return 0 if state[0] == 1 else UNDECIDED
        def moves(state, out):
            out[0], out[1] = 1, 2
            return 2 if state[0] < 2 else 0
        def play(state, move):
            state[0] += move
        def unplay(state, move):
            state[0] -= move
        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}

def wrong(state, moves):
    return moves[-1]
'''


def test_the_grades_of_a_policy_that_spoils_a_puzzle_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "doors.py").write_text(DOORS)
    sb.solve(f"{file}:Doors", to=tmp_path / "doors.db")
    assert cli.run(["grade", str(tmp_path / "doors.db"), "--trust", "--policy", f"{file}:wrong"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(
        "1 positions; best 0.0%, value kept 0.0%, mean regret 0.000; after 1 moves it cannot be solved any more"
    )
    assert told[1] == "0   2, best 1: no solution any more"


def test_a_condition_chooses_what_is_written_and_graded(databases: dict[str, sb.Database], tmp_path: Path) -> None:
    database = databases["tic-tac-toe"]
    where = "state[4] == 1 and plies > 2"
    expected = list(database.select(where=where))
    assert 0 < len(expected) < database.states
    done = export(database, tmp_path / "some.parquet", where=where)
    assert pyarrow.parquet.read_table(done.path)["number"].to_pylist() == expected
    wins = export(database, tmp_path / "wins.parquet", value="win", where=where)
    rows = pyarrow.parquet.read_table(wins.path).to_pylist()
    assert [row["number"] for row in rows] == list(database.select("win", where=where)) != expected
    few = export(database, tmp_path / "few.parquet", sample=5, seed=3, where=where)
    assert set(pyarrow.parquet.read_table(few.path)["number"].to_pylist()) < set(expected)
    asked: list[tuple[int, ...]] = []

    def first(state: Sequence[int], moves: Sequence[int]) -> int:
        asked.append(tuple(state))
        return moves[0]

    grade(database, first, where=where)
    assert asked
    assert all(state[4] == 1 for state in asked)
    with pytest.raises(BadRequest, match="no position meets value 'draw', where 'plies > 2'"):
        grade(database, first, value="draw", where="plies > 2")


def test_an_episode_ends_in_a_lost_state() -> None:
    """Node 1 is lost, though a move leads on from it to the solved one: that would be cheaper than the exact value."""
    environment = sb.environment(sb.solve("graph:0>1;1>2;0>3;3>4;4>5;5>2;1=-1;2=0;2>0"))
    environment.reset(options={"state": [0]})
    *_, reward, over, _, info = environment.step(0)
    assert (reward, over, info["value"]) == (-1.0, True, "unreachable")


def test_random_positions_of_a_slice_are_its_own(tmp_path: Path) -> None:
    game = sb.load("graph:0>1;2>3;3>4;4>5;5=0;1=0,partition=low:2;high:4")
    environment = sb.environment(sb.solve(game).convert(tmp_path / "high.db", parts="high"))
    begun = {int(environment.reset(seed=seed)[0][0]) for seed in range(20)}
    assert begun == {2, 3, 4}  # 5 is solved


@pytest.mark.parametrize(("spec", "state"), [("hanoi:3", [0]), ("hanoi:3", [99] * 3), ("tic-tac-toe", [0])])
def test_an_episode_cannot_begin_in_what_is_no_state(spec: str, state: list[int]) -> None:
    environment = sb.environment(sb.solve(spec))
    with pytest.raises(BadState):
        environment.reset(options={"state": state})
