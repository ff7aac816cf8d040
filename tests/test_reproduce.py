"""Rows of the papers: a wrong figure is seen, whichever side it is on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchbench import cli
from searchbench import reproduce as package
from searchbench.abstractions.sliding_groups import SlidingGroups
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached
from searchbench.line import Line
from searchbench.reproduce import ROWS, berliner, experiment, junghanns, morris, reproduce, rolling_stone
from searchbench.reproduce.hardest import EIGHTY, KORF_FELNER, SEVENTY, as_hard_or_harder, fewer_moves, same_lengths
from searchbench.reproduce.row import Cost, Measured, Row, exact, faster
from searchbench.reproduce.symmetry import takes_less
from searchbench.run import Limits, Run
from searchbench.solvers.guided import Attempt
from searchbench.solvers.guided.enhanced import Enhanced


def test_a_row_tells_the_papers_figure_ours_and_the_verdict() -> None:
    outcome = reproduce(ROWS["G17"])
    told = ["id", "title", "source", "paper", "measured", "verdict", "note", "seconds", "costs", "tables"]
    assert list(outcome.as_dict()) == told
    assert (outcome.measured, outcome.verdict) == ({"3-3": 26}, "match")


@pytest.mark.parametrize(("name", "parts"), [("G1", ()), ("G16", ("3-3",)), ("G17", ()), ("G14", ("4-4",))])
def test_a_wrong_figure_of_the_paper_differs(name: str, parts: tuple[str, ...]) -> None:
    row = ROWS[name]
    right = reproduce(row, parts=parts)
    paper = {**row.paper, parts[0]: _one_off(row.paper[parts[0]])} if parts else _one_off(row.paper)
    wrong = reproduce(replace(row, paper=paper), parts=parts)
    assert (right.verdict, wrong.verdict) == ("match", "differs")
    assert wrong.measured == right.measured  # what is measured does not come from the paper's figure


def test_parts_of_a_row_are_measured_by_name(tmp_path: Path) -> None:
    outcome = reproduce(ROWS["G16"], Run(work=tmp_path / "morris"), ["4-3"])
    assert (list(outcome.measured), outcome.verdict) == (["4-3"], "match")
    assert (tmp_path / "morris" / "zarr.json").exists()
    for name, part in (("G16", "10-3"), ("G1", "4-3")):
        with pytest.raises(BadRequest, match=f"row {name} has no part '{part}'"):
            reproduce(ROWS[name], parts=[part])


@pytest.mark.long
def test_positions_that_cannot_be_reached_are_left_out() -> None:
    """The figure of the paper is not ours, and the later one is."""
    outcome = reproduce(ROWS["G14"], parts=["9-3"])
    assert (outcome.paper, outcome.measured) == ({"9-3": 73827570}, {"9-3": 73827320})
    assert outcome.verdict == "better"


def _one_off(figure: Any) -> Any:
    """Return a figure with its first number wrong by one."""
    if isinstance(figure, dict):
        first = next(iter(figure))
        return {**figure, first: _one_off(figure[first])}
    if isinstance(figure, list):
        return [_one_off(figure[0]), *figure[1:]]
    return figure + 1


def test_times_are_to_be_beaten_and_the_rest_to_be_met() -> None:
    paper = {"n = 9": {"states": 10, "seconds": 4}, "n = 3": {"states": 6, "seconds": 0}}
    ours = {"n = 9": {"states": 10, "seconds": 3.9}, "n = 3": {"states": 6, "seconds": 0.2}}
    assert faster(paper, ours) == "better"
    assert faster(paper, {**ours, "n = 9": {"states": 10, "seconds": 4.1}}) == "differs"
    assert faster(paper, {**ours, "n = 9": {"states": 11, "seconds": 1}}) == "differs"
    assert faster(paper, {"n = 9": ours["n = 9"]}) == "differs"
    assert exact([1, 2], [1, 2]) == "match"
    assert exact([1, 2], [2, 1]) == "differs"


def test_a_figure_that_differs_is_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(run: Run) -> int:
        return 3

    rows = {"X1": Row("X1", "a figure", "a paper", 3, measure), "X2": Row("X2", "another", "a paper", 4, measure)}
    monkeypatch.setattr(package, "ROWS", rows)
    assert cli.run(["reproduce", "X1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == "match"
    assert cli.run(["reproduce", "X1", "X2", "--json"]) == 10
    assert [row["verdict"] for row in json.loads(capsys.readouterr().out)] == ["match", "differs"]


def test_long_rows_are_measured_only_when_they_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = []

    def measure(run: Run) -> Measured:
        places.append(run.work)
        return Measured(3, [Cost("a game", 2_000_000, 4.0, 1_000_000, 0)])

    rows = {name: Row(name, "", "", 3, measure, long=name == "X2") for name in ("X1", "X2")}
    monkeypatch.setattr(package, "ROWS", rows)
    cli.run(["reproduce", "--json"])
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["X1"]
    cli.run(["reproduce", "X2", "X1", "--work", str(tmp_path)])
    assert places == [None, tmp_path / "X2", None]
    assert "2,000,000 states in 4.00 s, 0.5 million a second, 0.5 bytes a state\n" in capsys.readouterr().out


def test_letters_name_all_rows_that_begin_so_but_the_long_ones(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {name: Row(name, "", "", 3, lambda _run: 3, long=name in {"PN-2", "QB-1"}) for name in (
        "PN-1", "PN-2", "PN19", "P1", "E-PN", "QB-1", "24-puzzle",
    )}  # fmt: skip
    assert package.named(["PN", "P1"], rows) == ["PN-1", "PN19", "P1"]
    assert package.named(["PN-2", "PN", "PN-1"], rows) == ["PN-2", "PN-1", "PN19"]
    assert package.named(["24-puzzle", "E", "P"], rows) == ["24-puzzle", "E-PN", "P1"]
    with pytest.raises(BadRequest, match="all rows QB are long: name those that are to be measured, of QB-1"):
        package.named(["QB"], rows)
    for word in ("N", "P2", "pn", "PN-", ""):
        with pytest.raises(BadRequest, match=f"no row {word}: there are PN-1, .*; each of PN, P, E, QB stands for all"):
            package.named([word], rows)
    assert cli.run(["reproduce", "ZZ"]) == 30
    told = capsys.readouterr().err
    assert "no row ZZ: there are " in told
    assert " B1," in told


def test_what_a_search_takes_is_told() -> None:
    outcome = reproduce(ROWS["E8"])
    (cost,) = outcome.costs
    assert (cost["name"], cost["states"]) == ("fore-and-aft", 218790)
    assert cost["bytes a state"] > 0.25
    assert cost["peak memory"] > 10**7 or not Path("/proc/self/status").exists()


def test_halves_must_take_less_than_wholes() -> None:
    whole, half = Cost("fore-and-aft", 100, 1.0, 9, 9), Cost("fore-and-aft by duality", 50, 1.0, 9, 9)
    pegs, turned = Cost("peg-solitaire", 100, 1.0, 9, 9), Cost("peg-solitaire:english,4,symmetry=yes", 20, 1.0, 7, 7)
    assert takes_less([half, whole, turned, pegs])
    assert not takes_less([half._replace(states=100), whole, turned, pegs])
    assert not takes_less([half, whole, turned._replace(peak=10), pegs])
    assert not takes_less([half, whole, turned, pegs._replace(states=20)])


def test_lengths_must_be_the_same_and_nodes_stand_beside() -> None:
    paper = {"40": {"length": 82, "nodes": 100}}
    assert same_lengths(paper, {"40": {"length": 82, "nodes": 99}}) == "better"
    assert same_lengths(paper, {"40": {"length": 82, "nodes": 101}}) == "match"
    assert same_lengths(paper, {"40": {"length": 84, "nodes": 9}}) == "differs"
    assert same_lengths(paper, {}) == "differs"


def test_more_boards_may_need_80_moves_but_none_may_be_lost() -> None:
    paper = {"70": 2, "78": 9, "80": 5, "diagrams of 80 moves": 3}
    assert as_hard_or_harder(paper, dict(paper)) == "match"
    assert as_hard_or_harder(paper, paper | {"78": 7, "80": 7}) == "better"
    assert as_hard_or_harder(paper, paper | {"78": 7, "80": 6}) == "differs"
    assert as_hard_or_harder(paper, paper | {"78": 10, "80": 4}) == "differs"
    assert as_hard_or_harder(paper, paper | {"70": 1, "78": 9, "80": 6}) == "differs"
    assert as_hard_or_harder(paper, paper | {"78": 7, "80": 7, "diagrams of 80 moves": 2}) == "differs"


def test_detours_may_prove_less_to_suffice() -> None:
    paper = {"rows": {"sum": 99}, "where steps end": 91, "with detours": 87}
    assert fewer_moves(paper, paper) == "match"
    assert fewer_moves(paper, {"rows": {"sum": 99}}) == "match"
    assert fewer_moves(paper, {"where steps end": 91, "with detours": 85}) == "better"
    assert fewer_moves(paper, {"where steps end": 90, "with detours": 85}) == "differs"
    assert fewer_moves(paper, {"with detours": 91}) == "differs"


def test_the_nine_diagrams_look_like_the_pattern_of_70_moves() -> None:
    """Four of them have a mirror image that is another board: 13 in all, as the paper says."""
    kinds = SlidingGroups(4, 4, "local").kinds()
    seen = {tuple(kinds[int(tile)] for tile in board.split()) for board in (*EIGHTY, SEVENTY)}
    assert len(seen) == 1
    mirror = [4 * (cell % 4) + cell // 4 for cell in range(16)]
    boards = {tuple(map(int, board.split())) for board in EIGHTY}
    boards |= {tuple(mirror[board[mirror[cell]]] for cell in range(16)) for board in boards}
    assert (len(EIGHTY), len(boards)) == (9, 13)


def test_instances_of_the_24_puzzle_are_boards() -> None:
    game = load("sliding:5x5")
    for length, _, board in KORF_FELNER.values():
        state = game.read(board)
        assert game.call("solvable", list(state))
        assert game.call("h", list(state), ()) % 2 == length % 2


def table_with(figures: dict[str, float]) -> dict[str, dict[str, dict[str, float]]]:
    """Return table 1 for the size 4x8 with other nodes for some programs."""
    ours = json.loads(json.dumps(ROWS["B4"].paper))
    for program, nodes in figures.items():
        ours["4x8"][program]["nodes"] = nodes
    return {"4x8": ours["4x8"]}


@pytest.mark.parametrize(
    ("figures", "verdict"), [({}, "match"), ({"BF1+": 59000.0}, "differs"), ({"BF2+": 23000.0}, "differs")]
)
def test_the_order_of_the_programs_is_judged(figures: dict[str, float], verdict: str) -> None:
    assert berliner.same_order(ROWS["B4"].paper, table_with(figures)) == verdict


def test_a_longer_line_is_better_only_where_the_byte_of_the_paper_was_too_small() -> None:
    paper = {"6-4": 157, "8-7": 187}
    for measured, verdict in (
        ((157, 187), "match"),
        ((157, 204), "better"),
        ((158, 187), "differs"),
        ((157, 186), "differs"),
    ):
        assert morris.longest_or_more(paper, dict(zip(paper, measured, strict=True))) == verdict


def test_where_the_paper_leaves_positions_out_their_number_decides() -> None:
    figures = {"won": 402858673, "lost": 300062599, "drawn": 75372176}
    ours = {"won": 401558629, "lost": 300069400, "drawn": 76704147}
    assert morris.counted_once({"9-7": figures}, {"9-7": ours}) == "better"
    assert morris.counted_once({"9-7": figures}, {"9-7": figures}) == "differs"


def test_other_figures_on_superpuzz_are_judged() -> None:
    shares = {"4x6": {"figure 2": 0.6, "improved": 0.9, "solvable ones rejected by the improved": 0}}
    paper = {"4x6": ROWS["B6"].paper["4x6"]}
    assert berliner.at_least(paper, shares) == "match"
    shares["4x6"]["solvable ones rejected by the improved"] = 1
    assert berliner.at_least(paper, shares) == "differs"
    assert berliner.about({"4x6": 83}, {"4x6": 79}) == "match"
    assert berliner.about({"4x6": 83}, {"4x6": 60}) == "differs"
    ratios = {"4x6": {"BF1": 0.8, "A*": 0.9, "DF": 0.95, "BF2": 0.7}}
    assert berliner.detection_helps({}, ratios) == "match"
    assert berliner.detection_helps({}, {"4x6": {**ratios["4x6"], "BF2": 0.99}}) == "differs"


@pytest.mark.parametrize(
    ("length", "claimed", "agree", "shortest"),
    [(32, False, True, True), (32, True, False, True), (28, False, True, False)],
)
def test_only_lines_that_are_claimed_to_be_optimal_must_agree(
    monkeypatch: pytest.MonkeyPatch, length: int, claimed: bool, agree: bool, shortest: bool
) -> None:
    """DF returns a line when it gives up, which can be longer than the best."""
    table = {program: [experiment.Try("solved", 32, 9, 9, 0.1, False)] * 100 for program in experiment.programs()}
    table["A*", True] = [experiment.Try("solved", 30, 9, 9, 0.1, True)] * 100
    table["DF", True] = [experiment.Try("solved", length, 9, 9, 0.1, claimed)] * 100
    monkeypatch.setattr(berliner, "whole_table", lambda size, run: table)
    told = berliner.claims(Run(), ["4x6"])["4x6"]
    assert (told["optimal ones agree"], told["no other is shorter"]) == (agree, shortest)


def test_tries_are_kept_and_averaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = experiment.deals("4x6")[:3]
    monkeypatch.setattr(experiment, "deals", lambda size: few)
    first = experiment.tries("4x6", "BF1", True, Run(memory=1 << 30, work=tmp_path))
    monkeypatch.setattr(experiment, "search_many", None)  # nothing is left to be searched
    assert experiment.tries("4x6", "BF1", True, Run(memory=1 << 30, work=tmp_path)) == first
    ones = [experiment.Try("solved", 20, 100, 300, 0.5, True), experiment.Try("open", 0, 70, 900, 0.1, False)]
    assert first[0].optimal is False  # BF1 claims nothing
    means = experiment.average("4x6", ones, [True, True])
    assert (means.length, means.states, means.failed) == (40.0, 65586.0, 1)
    assert experiment.average("4x6", ones, [True, False]).failed_unsolvable == 1


@pytest.mark.parametrize(
    ("cost", "optimal", "told"),
    [
        (31, True, junghanns.AGREE),
        (33, False, junghanns.AGREE),
        (33, True, "bestfirst: 33 for state 1, others have 31"),
        (29, False, "state 1: a line of 29, though 31 is claimed to be the least"),
    ],
)
def test_configurations_must_not_contradict_each_other(
    monkeypatch: pytest.MonkeyPatch, cost: int, optimal: bool, told: str
) -> None:
    """The same board by A* and by a search whose line is made up: its moves lead home, what it says of them is not true."""
    game = load("sliding:3x3")
    hard = game.read("8 0 6 5 4 7 2 3 1")
    usual = junghanns.search_many

    def made_up(*arguments: Any, **options: Any) -> Iterator[Attempt]:
        for attempt in usual(*arguments, **options):
            line = attempt.line
            if arguments[2].method == "bestfirst" and line is not None:
                monkeypatch.setattr(Line, "verify", lambda line: [])
                line = replace(line, cost=cost, optimal=optimal)
            yield replace(attempt, line=line)

    monkeypatch.setattr(junghanns, "search_many", made_up)
    assert junghanns._compared(game, [hard], ["astar", "bestfirst"], Run(memory=1 << 28)) == told


def test_parts_are_looked_at_before_any_row_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All parts of a row that has none are the row itself; a part that one row does not have stops all of them."""
    assert (ROWS["G1"].chosen(["all"]), ROWS["B2"].chosen(["all"])) == ((), ("4x6", "4x7", "4x8"))
    assert (ROWS["B2"].chosen(), ROWS["B2"].chosen(["4x8"])) == (("4x6",), ("4x8",))
    monkeypatch.setattr(package, "reproduce", None)  # nothing may be measured
    assert cli.run(["reproduce", "B2", "G1", "--parts", "4x7"]) == 30
    assert "row G1 has no part '4x7'; it has none" in capsys.readouterr().err


def test_the_rows_on_go_moku_keep_their_work_and_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def stopped(_game: Any, _state: Any, method: Any, _run: Run) -> Any:
        asked.append(method.work)
        raise LimitReached("no more time")

    monkeypatch.setattr("searchbench.reproduce.gomoku.prove_state", stopped)
    for row in ("GM-13", "GM-15", "GM-14"):
        with pytest.raises(LimitReached):
            ROWS[row].measure(Run(work=tmp_path / row))
    assert asked == [tmp_path / "gomoku-15", tmp_path / "gomoku-15", tmp_path / "gomoku-15-standard"]


def test_the_row_on_r11_counts_levels_within_each_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many are solved here as there are millions of nodes, and both parts are judged against the paper's R10."""

    def solved(configuration: Enhanced, name: str, _run: Run, limits: Limits) -> list[dict[str, Any]]:
        assert (configuration, name) == (Enhanced(version="R11"), "R11")
        millions = limits.nodes // 1_000_000
        return [{"status": "solved" if level < millions else "open", "nodes": 7, "cpu": 0.5} for level in range(90)]

    monkeypatch.setattr(rolling_stone, "solved_by", solved)
    outcome = reproduce(ROWS["J9"], parts=["all"])
    assert outcome.measured == {"1 million nodes": 1, "20 million nodes": 20}
    assert [(cost["name"], cost["states"]) for cost in outcome.costs] == [("R11: 1 of 90", 630), ("R11: 20 of 90", 630)]
    assert outcome.verdict == "differs"
    assert (
        reproduce(replace(ROWS["J9"], paper={"1 million nodes": 1, "20 million nodes": 19}), parts=["all"]).verdict
        == "better"
    )


def test_the_row_on_r10_counts_levels_ten_by_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    """All levels are solved here but those with a zero at their end; the paper has 57, and tens join day by day."""
    asked: list[list[int]] = []

    def solved(configuration: Enhanced, name: str, _run: Run, limits: Limits, levels: Any) -> list[dict[str, Any]]:
        assert (configuration, name, limits.nodes) == (Enhanced(version="R10"), "R10", 20_000_000)
        asked.append(list(levels.numbers))
        return [
            {"status": "solved" if number % 10 else "open", "nodes": number, "cpu": 0.5} for number in levels.numbers
        ]

    monkeypatch.setattr(rolling_stone, "solved_by", solved)
    monkeypatch.setattr(rolling_stone, "levels_file", lambda: "levels.xsb")
    row = ROWS["J3-R10"]
    assert sum(row.paper.values()) == 57
    outcome = reproduce(row, parts=["11 to 20", "81 to 90"])
    assert asked == [list(range(11, 21)), list(range(81, 91))]
    assert outcome.measured == {"11 to 20": 9, "81 to 90": 9}
    assert [(cost["name"], cost["states"]) for cost in outcome.costs] == [
        ("11 to 20: 9 of 10", 155),
        ("81 to 90: 9 of 10", 855),
    ]
    assert outcome.verdict == "better"
    assert reproduce(row, parts=["1 to 10"]).verdict == "differs"  # 9 where the paper has 10


@pytest.mark.parametrize("measure", [rolling_stone.ten_by_ten, rolling_stone.left_out])
def test_levels_that_r10_has_searched_are_not_searched_again(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "J3").mkdir()
    known = {"status": "solved", "nodes": 7, "cpu": 0.5, "limit": 20_000_000}
    text = "".join(json.dumps(known | {"level": level}) + "\n" for level in range(1, 91))
    (tmp_path / "J3" / "R10.jsonl").write_text(text)
    monkeypatch.setattr(rolling_stone, "levels_file", lambda: "levels.xsb")
    monkeypatch.setattr(rolling_stone, "searched", None)  # nothing may be searched
    names = ["41 to 50"] if measure is rolling_stone.ten_by_ten else []
    with Run(work=tmp_path / "own") as run:
        found = measure(run, names)
    assert [cost.states for cost in found.costs] == [70 if names else 630]


def test_a_search_with_other_limits_tells_what_this_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels 1 to 5: solved soon, solved late, open, open within too few nodes, and open within enough after that."""
    told = [
        ("solved", 400, 20_000),
        ("solved", 9_000, 20_000),
        ("open", 20_000, 20_000),
        ("open", 500, 500),
        ("open", 20_000, 20_000),
    ]
    rows = [
        {"level": level, "status": status, "nodes": nodes, "limit": limit, "seconds": 10.0, "cpu": 8.0, "pushes": 3}
        for level, (status, nodes, limit) in enumerate(told, 1)
    ]
    exact = rows[4] | {"status": "solved", "nodes": 77, "limit": 1_000}
    (tmp_path / "R10.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [exact, *rows]))
    asked: list[str] = []

    def searched(game: Any, _configuration: Any, limits: Limits) -> dict[str, Any]:
        asked.append(game)
        return {"status": "open", "nodes": limits.nodes, "cpu": 1.0}

    monkeypatch.setattr(rolling_stone, "searched", searched)
    monkeypatch.setattr(rolling_stone, "load", str)
    levels = rolling_stone.Levels("some.xsb", range(1, 6))
    with Run(work=tmp_path) as run:
        found = rolling_stone.solved_by(Enhanced(version="R10"), "R10", run, Limits(1_000), levels)
    assert asked == ["sokoban:some.xsb#4"]
    assert [(row["status"], row["nodes"]) for row in found] == [
        ("solved", 400), ("open", 1_000), ("open", 1_000), ("open", 1_000), ("solved", 77)
    ]  # fmt: skip
    assert (found[1]["cpu"], found[2]["cpu"], found[2]["seconds"]) == (0.889, 0.4, 0.5)


def test_the_rows_without_an_enhancement_count_the_levels_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """R10 solves the even levels; without inertia the last one is lost, without patterns three, without goal macros all."""
    lost = {"inertia": 1, "patterns": 3, "goal-macros": 45}

    def solved(
        configuration: Enhanced, name: str, _run: Run, limits: Limits, levels: Any = None
    ) -> list[dict[str, Any]]:
        assert (configuration.version, limits.nodes) == ("R10", 1_000_000)
        if levels is None:
            even = [level for level in range(1, 91) if level % 2 == 0]
            return [
                {"level": one, "status": "solved" if one in even else "open", "nodes": 1, "cpu": 0.5}
                for one in range(1, 91)
            ]
        (without,) = configuration.without
        assert name == f"R10-{without}"
        assert list(levels.numbers) == list(range(2, 91, 2))
        return [
            {
                "level": one,
                "status": "solved" if one <= 90 - 2 * lost[without] else "open",
                "nodes": 1,
                "cpu": 1,
            }
            for one in levels.numbers
        ]

    monkeypatch.setattr(rolling_stone, "solved_by", solved)
    monkeypatch.setattr(rolling_stone, "levels_file", lambda: "levels.xsb")
    outcome = reproduce(ROWS["J5-1M"], parts=list(lost))
    assert outcome.measured == lost
    assert outcome.verdict == "match"
    lost["inertia"] = 4
    assert reproduce(ROWS["J5-1M"], parts=list(lost)).verdict == "differs"  # more than patterns
    lost["inertia"] = 0
    assert reproduce(ROWS["J5-1M"], parts=list(lost)).verdict == "differs"  # nothing is lost
