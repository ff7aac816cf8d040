"""Each command: what it prints, its JSON keys, its exit code."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES, Program
from naive import explicit, outcomes
from searchbench.analyse import bench
from searchbench.cli.progress import Reporter
from searchbench.index import LexicographicPermutation
from searchbench.solvers.exhaustive import keeping

# R. Gasser, Harnessing Computational Resources for Efficient Exhaustive Search, ETH Zurich 1995, section 3.2.
EIGHT_PUZZLE = (
    1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110, 23952,
    20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
)  # fmt: skip
HARDEST = {"8 0 6 5 4 7 2 3 1", "8 7 6 0 4 1 2 5 3"}


def test_stats_of_the_8_puzzle_are_those_of_the_paper(program: Program, databases: dict[str, Path]) -> None:
    answer = program("stats", databases["eight"], "--json")
    histogram = {str(distance): count for distance, count in enumerate(EIGHT_PUZZLE)}
    assert answer.json == {"states": 362880, "reachable": 181440, "histogram": histogram}
    text = program("stats", databases["eight"]).out
    assert "unreachable  181,440\n" in text
    assert "         24   24,047  #" in text


@pytest.mark.parametrize(("game", "many"), [("connect4:7x6", "70,728,639,995,483"), ("sliding:2x3", "")])
def test_a_table_that_nobody_will_wait_for_is_told_before_it_is_begun(
    game: str, many: str, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sb.SearchBenchError("not begun")

    monkeypatch.setattr(keeping, "_solved", refuse)
    answer = program("solve", game)
    assert (f"a table of {many} numbers takes days" in answer.err, "takes days" in answer.err) == (
        bool(many),
        bool(many),
    )
    assert "not begun" in answer.err


@pytest.mark.parametrize(
    ("game", "name", "rows"),
    [
        ("graph:0>1:5;1>2;0>2:9;2=0", "cost", [(5, 1), (9, 0)]),
        ("graph:0>1:5;0>2:9;1>3;2>3;3=0,score", "gain", [(9, 0), (5, 0)]),
    ],
)
def test_a_probe_tells_what_moves_cost_or_gain(
    game: str, name: str, rows: list[tuple[int, int]], program: Program, tmp_path: Path
) -> None:
    assert program("solve", game, "--to", tmp_path / "weighed.db").code == 0
    moves = program("probe", tmp_path / "weighed.db", "0", "--json").json["moves"]
    assert [(move[name], move["value"]) for move in moves] == rows
    assert f"move  {name}  value after it  state" in program("probe", tmp_path / "weighed.db", "0").out


def test_a_probe_tells_no_costs_where_all_are_alike(program: Program, databases: dict[str, Path]) -> None:
    assert "move  value after it  state" in program("probe", databases["eight"]).out


def test_a_database_is_converted(program: Program, databases: dict[str, Path], tmp_path: Path) -> None:
    answer = program(
        "convert", databases["eight"], "--form", "best-move", "--codec", "zstd:19", "--to", tmp_path / "x.db", "--json"
    )
    assert (answer.json["form"], answer.json["codec"], answer.json["values"]) == ("best-move", "zstd:19", "distance")
    assert answer.json["bytes"] < answer.json["before"]
    assert program("stats", tmp_path / "x.db").out == program("stats", databases["eight"]).out
    again = program("convert", databases["eight"], "--form", "filled", "--to", tmp_path / "x.db")
    assert (again.code, "holds a database already" in again.err) == (30, True)
    wrong = program("convert", databases["eight"], "--form", "base-3", "--to", tmp_path / "y.db")
    assert (wrong.code, "wins, draws and losses" in wrong.err) == (30, True)
    solved = program("solve", "mnk:3,2,2", "--to", tmp_path / "y.db", "--form", "one-bit", "--codec", "gzip:9")
    assert solved.code == 0
    assert program("probe", tmp_path / "y.db", "--json").json["value"] == "won"
    assert program("verify", tmp_path / "y.db", "--json").json["faults"] == 0
    assert program("line", tmp_path / "y.db").code == 30
    measured = program("stats", tmp_path / "y.db", "--compression", "--codecs", "none gzip", "--json").json
    assert [(one["form"], one["codec"]) for one in measured] == [
        (form, codec) for form in ("values", "one-bit") for codec in ("none", "gzip")
    ]
    assert program("stats", tmp_path / "y.db", "--forms", "values").code == 30


def test_a_converted_database_replaces_another_one_or_its_own_on_request(
    program: Program, databases: dict[str, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "x.db"
    assert program("convert", databases["eight"], "--form", "best-move", "--to", copy).code == 0
    refused = program("convert", databases["eight"], "--to", copy)
    assert refused.code == 30
    assert "--force" in refused.err
    assert program("convert", databases["eight"], "--to", copy, "--force").code == 0
    assert program("convert", copy, "--form", "every:4", "--to", copy, "--force").code == 0
    assert json.loads(program("probe", copy, "8 7 6 0 4 1 2 5 3", "--json").out)["value"] == 31
    assert (
        sb.open_database(copy).convert(copy, overwrite=True).histogram()
        == sb.open_database(databases["eight"]).histogram()
    )


def test_verify_reads_every_state_and_finds_nothing(program: Program, databases: dict[str, Path]) -> None:
    assert program("verify", databases["eight"], "--json").json == {"states": 362880, "faults": 0}
    assert "20,160 positions checked, 0 faults" in program("verify", databases["patience"]).out


def test_verify_shows_a_wrong_value_and_exits_10(program: Program, databases: dict[str, Path], tmp_path: Path) -> None:
    database = sb.open_database(databases["token"])
    codes = database.codes.copy()
    codes[database.number("a l")] = database.rule.encode(database.probe("a l")._replace(depth=12))
    sb.Database(database.game, database.rule, codes).save(tmp_path / "wrong.db")
    answer = program("verify", tmp_path / "wrong.db")
    assert answer.code == 10
    assert "a l" in answer.out
    answer = program("verify", tmp_path / "wrong.db", "--json")
    assert answer.code == 10
    assert answer.json["faults"] >= 1
    assert any("a l" in fault for fault in answer.json["found"])


def test_repair_puts_a_damaged_database_right(program: Program, databases: dict[str, Path], tmp_path: Path) -> None:
    right = sb.open_database(databases["token"])
    right.save(tmp_path / "x.db")
    chunk = next((tmp_path / "x.db" / "parts").glob("*/c/0"))
    chunk.unlink()
    assert program("verify", tmp_path / "x.db").code == 40
    answer = program("repair", tmp_path / "x.db", "--json").json
    assert {"faults": 0, "lost": right.size}.items() <= answer.items()
    assert answer["changes"][0]["before"] == "lost"
    assert program("verify", tmp_path / "x.db", "--work", tmp_path / "work", "--threads", "1").code == 0
    assert "nothing to repair" in program("repair", tmp_path / "x.db").out
    (tmp_path / "x.db" / "zarr.json").write_text("{}")
    answer = program("repair", tmp_path / "x.db")
    assert (answer.code, "no searchbench database" in answer.err) == (40, True)
    assert program("repair", tmp_path / "nothing.db").code == 30


def test_probe_gives_each_move_with_its_state_and_value(program: Program, databases: dict[str, Path]) -> None:
    graph = explicit(sb.load(EXAMPLES["token"]))
    values, game = outcomes(graph), graph.game

    def text(state: list[int] | tuple[int, ...]) -> str:
        outcome, depth = values[tuple(state)]
        return "draw" if outcome == 0 else f"{'win' if outcome > 0 else 'loss'} {depth}"

    for state in [game.start(), game.read("b e"), game.read("c l")]:
        answer = program("probe", databases["token"], game.format(state), "--json").json
        assert answer["value"] == text(state)
        after = {game.format_move(state, move): game.play(state, move) for move in game.moves(state)}
        assert {one["move"]: one["state"] for one in answer["moves"]} == {m: game.format(s) for m, s in after.items()}
        assert {one["move"]: one["value"] for one in answer["moves"]} == {m: text(s) for m, s in after.items()}


def test_values_of_a_puzzle_are_numbers_or_null(program: Program, databases: dict[str, Path]) -> None:
    answer = program("probe", databases["patience"], "C1 C2 C3 D1 D2 D3 -- --", "--json").json
    assert answer["value"] is None
    answer = program("probe", databases["patience"], "start", "--json").json
    assert answer["value"] == 6
    assert min(move["value"] for move in answer["moves"]) == 5
    assert "-- -- D3 D2 D1 C3 C2 C1   6" in program("probe", databases["patience"]).out


def test_find_by_value_number_and_predicate(program: Program, databases: dict[str, Path], tmp_path: Path) -> None:
    eight = databases["eight"]
    answer = program("find", eight, "--value", "31", "--limit", "1", "--json").json
    assert answer["count"] == 2
    assert len(answer["states"]) == 1
    assert set(program("find", eight, "--hardest", "--json").json["states"]) == HARDEST
    assert program("find", eight, "--value", "30-31", "--json").json["count"] == 223
    assert program("find", eight, "--value", "unreachable", "--limit", "0", "--json").json == {
        "count": 181440,
        "states": [],
    }
    assert program("find", eight, "--numbers", "0-0").out.startswith("1 state\n")
    few = program("find", eight, "--numbers", "0-4", "--json").json
    assert few == {"count": 5, "states": [sb.open_database(eight).position(number).text for number in range(5)]}
    where = program("find", eight, "--value", "29-31", "--where", "state[8] == 0 and value == 30", "--json").json
    assert where["count"] == len([p for p in sb.open_database(eight).find(value=30) if p.state[8] == 0])
    (tmp_path / "mine.py").write_text("def corner(position):\n    return position.state[0] == 0\n")
    mine = program("find", eight, "--value", "28", "--predicate", f"{tmp_path / 'mine.py'}:corner", "--json").json
    assert mine["count"] == len([p for p in sb.open_database(eight).find(value=28) if p.state[0] == 0]) > 0


@pytest.fixture(scope="module")
def rook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rook") / "rook.db"
    sb.solve("chess:KRK,4,4", to=folder)
    return folder


def test_states_are_counted_and_found_by_part_side_and_condition(program: Program, rook: Path) -> None:
    table = sb.open_database(rook)
    counts: dict[tuple[str, int, str], int] = {}
    for part in table.parts:
        for position in table.find(numbers=(part.start, part.stop)):
            key = (part.name, position.state[0], table.rule.kind(table.probe(position)))
            counts[key] = counts.get(key, 0) + 1

    def row(name: str, chosen: list[int]) -> str:
        return ",".join([name, *map(str, chosen)])

    kinds = ("win", "draw", "loss")
    by_side = [
        row(name, [sum(n for (_, mover, one), n in counts.items() if (mover, one) == (side, kind)) for kind in kinds])
        for side, name in enumerate(("White", "Black"))
    ]
    assert program("stats", rook, "--by", "side", "--csv").out.splitlines() == ["side,won,drawn,lost", *by_side]
    by_part = [row(part.name, [counts.get((part.name, 1, kind), 0) for kind in kinds]) for part in table.parts]
    told = program("stats", rook, "--by", "part", "--side", "black", "--csv").out.splitlines()
    assert told == ["part,won,drawn,lost", *by_part]
    white = [
        number
        for number in table.select(lambda value: value.outcome != 0 and value.depth > 4)
        if table.position(number).state[0] == 0
    ]
    some = ("--side", "first", "--parts", "KRK", "--where", "plies > 4")
    found = program("stats", rook, *some, "--json").json
    assert (found["states"], sum(found["histogram"].values())) == (len(white), len(white))
    listed = program("find", rook, *some, "--limit", "1000", "--json").json
    assert listed == {"count": len(white), "states": [table.position(number).text for number in white]}
    assert program("stats", rook, "--numbers", "0-9", "--json").json["states"] == table.count(numbers=(0, 10))


def test_find_tells_what_cells_hold_where_a_condition_asks_for_another_piece(
    program: Program, databases: dict[str, Path]
) -> None:
    found = program("find", databases["token"], "--where", "pieces[0] == 'R'")
    assert found.out.startswith("0 states\nOf 144 positions")
    assert "cells hold ' a '" in found.out
    assert program("find", databases["token"], "--where", "state[0] == 99").out == "0 states\n"


@pytest.mark.parametrize(
    ("database", "words", "told"),
    [
        ("rook", ("--side", "green"), "expected first or second or White or Black"),
        ("rook", ("--by", "layer", "--side", "White"), "of the conditions, it takes --parts"),
        ("rook", ("--by", "colour"), "expected part, side or layer"),
        ("rook", ("--compression", "--side", "White"), "measures whole parts"),
        ("token", ("--by", "side"), "do not tell which side is to move"),
        ("token", ("--side", "first"), "do not tell which side is to move"),
        ("eight", ("--side", "first"), "has one player"),
    ],
)
def test_a_side_that_states_do_not_tell_is_refused(
    database: str, words: tuple[str, ...], told: str, program: Program, databases: dict[str, Path], rook: Path
) -> None:
    answer = program("stats", rook if database == "rook" else databases[database], *words)
    assert (answer.code, told in answer.err) == (30, True), answer


def test_a_line_is_shown_board_by_board(program: Program, databases: dict[str, Path]) -> None:
    answer = program("line", databases["eight"], "hardest", "--json").json
    assert answer["cost"] == len(answer["moves"]) == 31
    assert answer["states"][0] in HARDEST
    assert answer["states"][-1] == "0 1 2 3 4 5 6 7 8"
    text = program("line", databases["eight"], "8 0 6 5 4 7 2 3 1").out
    assert "8 . 6" in text
    assert "31. " in text
    assert ". 1 2" in text
    assert "31 moves, cost 31" in text
    assert len(program("line", databases["eight"], "hardest", "--limit", "3", "--json").json["moves"]) == 3


def test_search_and_prove_one_state(program: Program) -> None:
    answer = program("search", "sliding:3x3", "8 0 6 5 4 7 2 3 1", "--json").json
    assert set(answer) == {"cost", "optimal", "moves", "nodes", "seconds"}
    assert answer["cost"] == len(answer["moves"]) == 31
    assert "cost 31" in program("search", "sliding:3x3", "8 0 6 5 4 7 2 3 1", "--method", "astar").out
    answer = program("prove", "tic-tac-toe", "start", "--json").json
    assert set(answer) == {"value", "nodes", "seconds", "evidence"}
    assert (answer["value"], answer["evidence"]) == ("draw", "complete")
    assert program("prove", "tic-tac-toe", "XX./OO./...", "--method", "alphabeta", "--json").json["value"] == "win"


def test_a_proof_with_leaves_tells_how_many_are_unknown_also_where_it_needs_no_search(
    program: Program, tmp_path: Path
) -> None:
    """The number stands in the place of the evidence: of the same game, and where the root itself is in the database."""
    assert program("solve", "tic-tac-toe", "--to", tmp_path / "ttt.db").code == 0
    answer = program("prove", "tic-tac-toe", "--leaves", tmp_path / "ttt.db", "--json").json
    assert set(answer) == {"value", "nodes", "seconds", "unknown leaves"}
    assert (answer["value"], answer["nodes"], answer["unknown leaves"]) == ("draw", 0, 0)
    answer = program("prove", "tic-tac-toe", "--leaves", tmp_path / "ttt.db", "--evidence", "--json").json
    assert set(answer) == {"value", "nodes", "seconds", "evidence"}


def test_a_proof_that_leaves_every_outcome_open_ends_as_a_limit_does(program: Program) -> None:
    code, out, err = program("prove", "graph:0>1 0>0 1>0 1>2,values=outcome", "--merge", "all")
    assert code == 20
    assert "loss or draw or win for the player to move" in out
    assert "nothing is proved: positions repeat" in err


def test_a_proved_value_is_printed_also_where_the_limit_ends_its_evidence(program: Program) -> None:
    needed = program("prove", "tic-tac-toe", "--json").json["nodes"]
    answer = program("prove", "tic-tac-toe", "--nodes", str(needed + 1))
    assert answer.code == 0
    assert 0 < answer.out.index("draw for the player to move") < answer.out.index("evidence incomplete")
    assert "evidence is incomplete" in answer.err
    answer = program("prove", "tic-tac-toe", "--nodes", str(needed + 1), "--json")
    assert (answer.code, answer.json["value"], answer.json["evidence"]) == (0, "draw", "incomplete")
    answer = program("prove", "tic-tac-toe", "--nodes", str(needed // 2), "--json")
    assert (answer.code, answer.out) == (20, "")
    assert "no result within" in answer.err


def test_what_cannot_be_solved_exits_10(program: Program, databases: dict[str, Path]) -> None:
    unsolvable = "0 2 1 3 4 5 6 7 8"
    assert program("search", "sliding:3x3", unsolvable).code == 10
    answer = program("line", databases["eight"], unsolvable)
    assert answer.code == 10
    assert "no solved state can be reached" in answer.err


def test_check_names_the_laws(program: Program) -> None:
    answer = program("check", EXAMPLES["coins"], "--json")
    assert answer.code == 0
    assert set(answer.json) == {"states", "numbers", "size", "laws", "broken", "notes"}
    assert answer.json["broken"] == answer.json["notes"] == []
    assert len(answer.json["laws"]) >= 10


def test_check_shows_a_broken_law_with_a_state_and_exits_10(program: Program, tmp_path: Path) -> None:
    text = Path(EXAMPLES["coins"]).read_text()
    assert "state[move % 2] += move // 2" in text
    (tmp_path / "broken.py").write_text(
        text.replace("state[move % 2] += move // 2", "state[move % 2] += move // 2 + 1")
    )
    answer = program("check", tmp_path / "broken.py", "--json")
    assert answer.code == 10
    assert any("unplay" in one["law"] for one in answer.json["broken"])
    assert all(set(one) == {"law", "state", "message"} for one in answer.json["broken"])
    assert "broken" in program("check", tmp_path / "broken.py").out


def test_games_are_listed_with_their_parameters(program: Program) -> None:
    listed = {one["name"]: one for one in program("games", "--json").json}
    assert listed["hanoi"]["parameters"] == {"discs": 6, "pegs": 3}
    assert listed["tic-tac-toe"]["players"] == 2
    text = program("games").out
    assert all(name in text for name in listed)
    assert "sliding-pattern" not in listed


def test_abstractions_are_listed_with_their_games(program: Program) -> None:
    listed = {one["name"]: one for one in program("abstractions", "--json").json}
    assert listed["sliding-groups"]["original"] == listed["sliding-subgoal"]["original"] == "sliding"
    assert listed["pancake-pattern"]["parameters"] == {"n": 8, "told": "5-6-7"}
    assert "pancake" not in listed
    text = program("abstractions").out
    assert all(name in text for name in listed)


def test_the_matrix_names_what_is_missing(program: Program, tmp_path: Path) -> None:
    answer = program("games", "tic-tac-toe", "sliding:5x5", EXAMPLES["coins"], "--matrix", "--json").json
    assert answer["tic-tac-toe"]["retrograde"] == answer["tic-tac-toe"]["pns"] == ""
    assert answer["sliding:5x5"]["retrograde"] == "no rank, unrank"
    assert answer["sliding:5x5"]["idastar"] == ""
    text = Path(EXAMPLES["patience"]).read_text()
    (tmp_path / "forward.py").write_text(text.replace('"unmoves": unmoves, ', ""))
    special = program("games", "qubic", "connect4:4,4,4", "gomoku:6", "sokoban", "mnk:3,3,3", "--matrix", "--json").json
    named = {spec.partition(":")[0]: {name for name, why in row.items() if not why} for spec, row in special.items()}
    expected = {
        "sweep": {"connect4", "mnk"}, "graph": {"qubic", "mnk"}, "threats": {"gomoku"}, "enhanced": {"sokoban"},
        "featurespace": {"sokoban"},
    }  # fmt: skip
    for solver, games in expected.items():
        assert {name for name, runs in named.items() if solver in runs} == games
    few = program("games", "qubic", "--matrix").out.splitlines()
    assert few[0].split() == ["solver", "qubic"]
    assert few[-1].split() == ["threats", "not", "gomoku"]
    assert program("games", "--matrix").out.startswith("game ")
    forward = next(iter(program("games", tmp_path / "forward.py", "--matrix", "--json").json.values()))
    assert forward["retrograde"] == "no unmoves"
    assert forward["fixpoint"] == forward["bfs"] == ""
    assert "no unmoves" in program("games", tmp_path / "forward.py", "--matrix").out


def test_solve_tells_what_it_did(program: Program, tmp_path: Path) -> None:
    answer = program("solve", "sliding:2x2", "--to", tmp_path / "four.db", "--solver", "fixpoint", "--json").json
    assert answer["states"] == 24
    assert answer["reachable"] == 12
    assert answer["solver"] == "fixpoint"
    assert answer["database"] == str(tmp_path / "four.db")
    assert "not kept" in program("solve", "sliding:2x2", "--threads", "1", "--memory", "1GB").out
    assert program("solve", "sliding:2x2", "--solver", "bfs", "--json").json["reachable"] == 12


def test_solve_replaces_a_database_only_when_told(program: Program, tmp_path: Path) -> None:
    assert program("solve", "sliding:2x2", "--to", tmp_path / "four.db").code == 0
    answer = program("solve", "sliding:2x2", "--to", tmp_path / "four.db")
    assert answer.code == 30
    assert "already" in answer.err
    assert program("solve", "sliding:2x2", "--to", tmp_path / "four.db", "--force").code == 0


def test_a_line_between_two_players_has_no_cost(program: Program, tmp_path: Path) -> None:
    assert program("solve", "tic-tac-toe", "--to", tmp_path / "ttt.db").code == 0
    assert program("line", tmp_path / "ttt.db", "start").out.splitlines()[-1] == "9 moves"
    told = program("line", tmp_path / "ttt.db", "start", "--json").json
    assert told.keys() == {"moves", "states"}  # moves of two players have no cost


def test_one_level_and_one_thread_are_not_many(program: Program, tmp_path: Path) -> None:
    told = program("solve", "awari:2", "--threads", "1", "--parts", "all", "--to", tmp_path / "awari.db").out
    assert "1 thread\n" in told
    assert ": 1 levels" not in told
    assert "  part 0: 1 level, " in told


def test_doctor_tells_whether_mpiexec_is_found(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts several ranks, and is no Python package: its own row tells of it."""
    (tmp_path / "mpiexec").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program("doctor", "--json").json["mpiexec"] == {"fact": str(tmp_path / "mpiexec"), "fault": ""}
    (tmp_path / "mpiexec").unlink()
    assert "none found" in program("doctor", "--json").json["mpiexec"]["fact"]


def test_progress_is_shown_when_wanted(program: Program, databases: dict[str, Path]) -> None:
    assert "compiling" not in program("verify", databases["eight"]).err
    assert "checking" in program("verify", databases["eight"], "--progress").err


def test_the_compiler_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("searchbench.jit")
    with Reporter(True):
        log.info("compiling emit")
        log.info("compiling apply")
    assert capsys.readouterr().err.count("compiling the rules") == 1
    with Reporter(False):
        log.info("compiling emit")
        log.warning("no cache")
    assert capsys.readouterr().err == "no cache\n"


def test_reproduce_measures_a_row(program: Program) -> None:
    answer = program("reproduce", "G1", "--json")
    assert answer.code == 0
    (row,) = answer.json
    assert set(row) == {"id", "title", "source", "paper", "measured", "verdict", "note", "seconds", "costs", "tables"}
    assert row["verdict"] == "match"
    assert program("reproduce", "X99").code == 30


def test_bench_tells_what_its_workloads_take(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "DATABASES", ("sliding:2x2",))
    monkeypatch.setattr(bench, "PROOFS", (("tic-tac-toe", "alphabeta"),))
    monkeypatch.setattr(bench, "INDEXES", (LexicographicPermutation(10),))
    monkeypatch.setattr(bench, "FIFTEEN", ("1 2 3 0 4 5 6 7 8 9 10 11 12 13 14 15",))
    first, second = (program("bench", "--json", "--threads", threads).json for threads in (1, 2))
    assert first["signature"] == second["signature"]
    nodes = sum(one["amount"] for one in first["measurements"] if one["unit"] == "nodes")
    assert first["signature"].startswith(f"{nodes}-")
    assert [one["name"].split(",")[0] for one in first["measurements"]] == [
        "solve sliding:2x2",
        "idastar",
        "alphabeta",
        "unrank and rank",
    ]
    told = program("bench", "--threads", 1).out
    assert f"signature {first['signature']}" in told
    assert "15-puzzle" in told


@pytest.mark.long
def test_bench_has_a_signature_that_stays_the_same(program: Program) -> None:
    first, second = (program("bench", "--json", "--threads", threads).json for threads in (1, 2))
    assert first["signature"] == second["signature"]
    assert all(one["rate"] > 0 for one in first["measurements"])
