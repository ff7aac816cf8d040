"""Rolling Stone: rows of A. Junghanns and J. Schaeffer, Sokoban: Enhancing general single-agent search methods, 2001.

The 90 levels of XSokoban do not come with searchbench. Rows that need them read the file that the environment variable
SEARCHBENCH_XSOKOBAN names, by default `xsokoban_90.xsb` in the current folder. What comes of each level is written to
the row's folder of unfinished work at once, one JSON object to a line, and not searched again.
"""

from __future__ import annotations

import itertools
import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, SearchBenchError
from searchbench.reproduce.row import Cost, Measured, Row, Verdict
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.enhanced import Enhanced
from searchbench.solvers.guided.enhanced.contract import estimate
from searchbench.solvers.guided.featurespace import FeatureSpace
from searchbench.verify.lurd import replay

SOURCE: Final = "Junghanns and Schaeffer 2001"
VARIABLE: Final = "SEARCHBENCH_XSOKOBAN"
LIMIT: Final = 20_000_000
"""Nodes of both kinds for a level."""
LEVEL_1: Final = """\
    #####
    #   #
    #$  #
  ###  $##
  #  $ $ #
### # ## #   ######
#   # ## #####  ..#
# $  $          ..#
##### ### #@##  ..#
    #     #########
    #######
"""
"""Figure 1 of the paper."""
PRINTED: Final = """
He-Ge Hd-Hc-Hd Fe-Ff-Fg Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Qh-Rh-Rg Fg-Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Qh-Qi-Ri
Fc-Fd-Fe-Ff-Fg-Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Qh-Qg Ge-Fe-Ff-Fg-Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Qh-Rh
Hd-He-Ge-Fe-Ff-Fg-Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Pi-Qi Ch-Dh-Eh-Fh-Gh-Hh-Ih-Jh-Kh-Lh-Mh-Nh-Oh-Ph-Qh
"""
"""The solution that is printed with it."""
COUNTS: Final = {
    "R0": 0, "R1": 5, "R2": 4, "R3": 5, "R4": 6, "R5": 17, "R6": 24, "R7": 48, "R8": 50, "R9": 54, "R10": 57,
}  # fmt: skip
"""Levels solved by each version within 20 million nodes. Table 2 of the paper has 23 for R6."""
LOST: Final = {
    "goal-macros": 33, "patterns": 22, "table": 19, "inertia": 1, "deadlocks": 1, "tunnels": 1, "goal-cuts": 1,
    "relevance": 1, "overestimation": 1, "restarts": 1,
}  # fmt: skip
"""Levels lost by R10 without an enhancement; of all but the first three the paper says that they lose at least one."""

OPEN: Final = frozenset({
    13, 14, 15, 16, 18, 20, 22, 24, 27, 28, 29, 31, 32, 35, 37, 39, 41, 42, 44, 46, 47, 48, 50, 52, 66, 69, 74, 85, 86, 87, 88,
    89, 90,
})  # fmt: skip
"""Levels that R10 does not solve within 20 million nodes: by table 3 of the paper."""
TENS: Final = {
    f"{first} to {first + 9}": sum(number not in OPEN for number in range(first, first + 10))
    for first in range(1, 91, 10)
}
"""Of the levels, ten by ten, how many R10 solves within 20 million nodes."""

WITHIN: Final = {"1 million nodes": 45, "20 million nodes": 57}
"""Levels solved by R10 within so many nodes: by table 3 of the paper."""


CORRIDOR, CORRIDOR_ROW = 11, 5
"""The length of the corridor between the halves of the double maze, and its row."""


class Levels(NamedTuple):
    """A file of levels, and the numbers of those to be searched."""

    file: str
    numbers: Sequence[int]


def levels_file(variable: str = VARIABLE, name: str = "xsokoban_90.xsb") -> str:
    """Return the path of a collection: what the environment variable says, or else the name. Raises BadRequest."""
    path = Path(os.environ.get(variable, name))
    if not path.is_file():
        raise BadRequest(f"no file {path}: set {variable} to the path of the levels {name}")
    return str(path)


def printed_solution(_run: Run) -> dict[str, Any]:
    """Replay the printed solution of level 1, and search for the least number of pushes."""
    game: Any = load(f"sokoban:{LEVEL_1}")
    state, moves = game.start(), []
    for word in PRINTED.split():
        squares = word.split("-")
        for before, after in itertools.pairwise(squares):
            moves.append(game.parse_move(state, f"{before}-{after}"))
            state = game.play(state, moves[-1])
    told = replay(LEVEL_1, game.solution(moves))
    least = search_state(game, None, Enhanced(optimal=True), limits=Limits(LIMIT))
    return {"printed": told.fault or told.pushes, "least": least.cost if least.optimal else None}


def bounds(_run: Run) -> dict[str, int]:
    """Return the sums of three bounds over the 90 starts: the nearest goals, and the matching without and with the man's side."""
    file = levels_file()
    found = dict.fromkeys(("nearest goals, the man anywhere", "matching, the man's side known"), 0)
    for number in range(1, 91):
        game: Any = load(f"sokoban:{file}#{number}")
        rules = game.enhanced()
        work = rules.work(game.start(), Enhanced(version="R0").controls(game), 2)
        bound = jit.bind(estimate, jit.Names(dict(rules.names()), "cpu", None))(work, 0, 0)
        found["nearest goals, the man anywhere"] += _without_man(game)
        found["matching, the man's side known"] += int(bound)
    return found


def _without_man(game: Any) -> int:
    """Return the sum of the pushes to the nearest goals by a man who flies."""
    near, level = game.maze.near, game.maze
    found, waiting = dict.fromkeys(level.goals, 0), list(level.goals)
    for square in waiting:  # which grows
        for direction in range(4):
            before = near[square][direction ^ 1]
            if before >= 0 and near[before][direction ^ 1] >= 0 and before not in found:
                found[before] = found[square] + 1
                waiting.append(before)
    return sum(found[stone] for stone in level.stones)


def solved_by(
    configuration: Enhanced, name: str, run: Run, limits: Limits, levels: Levels | None = None
) -> list[dict[str, Any]]:
    """Return what comes of each level, by default of the 90, from the folder of unfinished work where it is known.

    Raises BadRequest and DamagedData.
    """
    file, wanted = levels or Levels(levels_file(), range(1, 91))
    limit = limits.nodes or f"{limits.seconds:g} s"
    known = _known(run, name, limit)
    lock = threading.Lock()

    def one(number: int) -> dict[str, Any]:
        if number in known:
            return known[number]
        found = searched(load(f"sokoban:{file}#{number}"), configuration, limits) | {"level": number, "limit": limit}
        with lock:
            if run.work is not None:
                run.work.mkdir(parents=True, exist_ok=True)
                with (run.work / f"{name}.jsonl").open("a") as kept:
                    kept.write(json.dumps(found) + "\n")
            known[number] = found
            run.progress(name, len(known), len(wanted))
        return found

    return run.map(one, wanted)


def _known(run: Run, name: str, limit: int | str) -> dict[int, dict[str, Any]]:
    """Return what a folder of unfinished work knows of each level within a limit."""
    path = None if run.work is None else run.work / f"{name}.jsonl"
    if path is None or not path.exists():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        told = [(row["limit"] == limit, row["level"], _within(row, limit)) for row in rows]
        return {level: row for _, level, row in sorted(told, key=lambda one: one[0]) if row is not None}
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedData(f"{path} is no list of levels: {error}; remove it") from None


def _within(row: dict[str, Any], limit: int | str) -> dict[str, Any] | None:
    """Return what a search with another limit of nodes tells of one with this limit: the nodes are the same up to there."""
    if row["limit"] == limit:
        return row
    if isinstance(limit, str) or isinstance(row["limit"], str):
        return None
    if row["status"] == "solved" and row["nodes"] <= limit:
        return row | {"limit": limit}
    if row["limit"] < limit:
        return None
    share = {name: round(row[name] * limit / row["nodes"], 3) for name in ("seconds", "cpu")}
    return row | share | {"status": "open", "pushes": None, "solution": "", "nodes": limit, "limit": limit}


def searched(game: Any, configuration: Enhanced | FeatureSpace, limits: Limits, threads: int = 1) -> dict[str, Any]:
    """Search a level; the solution is replayed by the judge, which knows the text alone.

    Several threads must be all that the process has: its processor time is theirs.
    """
    clock = time.thread_time if threads == 1 else time.process_time
    began, processor = time.perf_counter(), clock()
    row: dict[str, Any] = {"status": "open", "pushes": None, "solution": ""}
    try:
        line = search_state(game, None, configuration, Run(threads=threads), limits)
    except SearchBenchError as error:
        row["nodes"] = getattr(error, "nodes", 0)
    else:
        solution = game.solution(line.moves)
        told = replay("\n".join(game.text.rows), solution)
        if told.fault:
            raise AssertionError(f"{game}: {told.fault}")
        row |= {
            "status": "solved",
            "pushes": told.pushes,
            "moves": told.moves,
            "nodes": line.nodes,
            "solution": solution,
        }
    spent = {"seconds": round(time.perf_counter() - began, 3), "cpu": round(clock() - processor, 3)}
    return row | spent


def versions(run: Run, names: Sequence[str]) -> Measured:
    """Return how many levels each version solves."""
    return _counted({name: Enhanced(version=name) for name in names}, run, LIMIT)


def _go_on_with_versions(run: Run) -> None:
    """Take the folder of the row J3, which searches the same levels with R10: what it has found is not searched again."""
    if run.work is not None:
        run.work = run.work.parent / "J3"


def ten_by_ten(run: Run, names: Sequence[str]) -> Measured:
    """Return how many levels R10 solves of each ten, so that they can be searched day by day."""
    _go_on_with_versions(run)
    figures, costs = {}, []
    for name in names:
        first = int(name.split()[0])
        rows = solved_by(
            Enhanced(version="R10"), "R10", run, Limits(LIMIT), Levels(levels_file(), range(first, first + 10))
        )
        figures[name] = _count(rows)
        costs.append(_cost_of(name, rows))
    return Measured(figures, costs)


def left_out(run: Run, names: Sequence[str], limit: int = LIMIT) -> Measured:
    """Return how many of the levels that R10 solves are lost without each enhancement."""
    _go_on_with_versions(run)
    whole = solved_by(Enhanced(version="R10"), "R10", run, Limits(limit))
    levels = Levels(levels_file(), [row["level"] for row in whole if row["status"] == "solved"])
    lost, costs = {}, [_cost_of("R10", whole)]
    for name in names:
        rows = solved_by(Enhanced(version="R10", without=name), f"R10-{name}", run, Limits(limit), levels)
        lost[name] = len(rows) - _count(rows)
        costs.append(_cost_of(f"without {name}", rows))
    return Measured(lost, costs)


def with_more_nodes(run: Run) -> Measured:
    """Return how many levels R10 solves with ten times as many nodes."""
    found = _counted({"R10": Enhanced(version="R10")}, run, 10 * LIMIT)
    return Measured(found.figures["R10"], found.costs)


def younger(run: Run, names: Sequence[str]) -> Measured:
    """Return how many levels R11 solves within each number of nodes."""
    figures, costs = {}, []
    for name in names:
        found = _counted({"R11": Enhanced(version="R11")}, run, 1_000_000 * int(name.split()[0]))
        figures[name] = found.figures["R11"]
        costs += found.costs
    return Measured(figures, costs)


def _counted(configurations: Mapping[str, Enhanced], run: Run, limit: int) -> Measured:
    figures, costs = {}, []
    for name, configuration in configurations.items():
        rows = solved_by(configuration, name, run, Limits(limit))
        figures[name] = _count(rows)
        costs.append(_cost_of(name, rows))
    return Measured(figures, costs)


def _count(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(row["status"] == "solved" for row in rows)


def _cost_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Cost:
    nodes, seconds = sum(row["nodes"] for row in rows), sum(row["cpu"] for row in rows)
    return Cost(f"{name}: {_count(rows)} of {len(rows)}", nodes, seconds, 0, 0)


def relevance_cuts(_run: Run) -> dict[str, Any]:
    """Search a double maze with and without relevance cuts; return the pushes of both, and whether the cuts save nodes."""
    game = load(f"sokoban:{double_maze()}")
    plain = search_state(game, None, Enhanced(version="R2"), limits=Limits(LIMIT))
    cut = search_state(game, None, Enhanced(version="R2", use=("relevance", "influence")), limits=Limits(LIMIT))
    return {"pushes": plain.cost, "with cuts": cut.cost, "fewer nodes": cut.nodes < plain.nodes}


def double_maze() -> str:
    """Return two mirrored halves, the eighth level that comes with the game, with a long corridor between them."""
    found: Any = load("sokoban:#8")
    width = max(map(len, found.text.rows))
    left = [row.ljust(width, "#") for row in found.text.rows]
    rows = []
    for number, row in enumerate(left):
        between = (" " if number == CORRIDOR_ROW else "#") * CORRIDOR
        rows.append(row[:-1] + between + row[::-1].replace("@", " ")[1:])
    return "\n".join(rows)


def at_least(paper: Any, measured: Any) -> Verdict:
    """Judge counts that shall be matched or beaten."""
    ours = measured if isinstance(measured, dict) else {"": measured}
    theirs = paper if isinstance(paper, dict) else {"": paper}
    if any(ours[name] < count for name, count in theirs.items()):
        return "differs"
    return "match" if ours == theirs else "better"


def as_shaped(paper: Mapping[str, int], measured: Mapping[str, int]) -> Verdict:
    """Judge whether the enhancements whose loss is told as a number cost the most levels, and each of the others some."""
    told = [measured[name] for name, count in paper.items() if count > 1]
    others = [measured[name] for name, count in paper.items() if count == 1]
    if any(one < 1 for one in others) or min(told, default=1) <= max(others, default=0):
        return "differs"
    return "match"


ROWS = [
    Row(
        "J1", "XSokoban 1: the printed solution, and the least number of pushes", f"{SOURCE}, figure 1",
        {"printed": 97, "least": 97}, printed_solution,
    ),
    Row(
        "J2", "the minimum matching above the bound of nearest goals, over 90 levels", f"{SOURCE}, section 4.1",
        {"nearest goals, the man anywhere": 16_260, "matching, the man's side known": 21_511}, bounds,
        note="the paper says 30 pushes on average; an independent count gives these sums, 58.3 on average", long=True,
    ),
    Row(
        "J3", "levels solved within 20 million nodes as each enhancement is added", f"{SOURCE}, tables 1 to 3",
        COUNTS, versions, at_least, note="R6 is 24 in the text and 23 in table 2", long=True, parts=tuple(COUNTS),
    ),
    Row(
        "J3-R10", "levels solved by R10 within 20 million nodes, ten by ten", f"{SOURCE}, table 3", TENS, ten_by_ten, at_least,
        note="57 in all", long=True, parts=tuple(TENS),
    ),
    Row(
        "J4", "levels solved by R10 within 200 million nodes", f"{SOURCE}, section 4.12", 59, with_more_nodes,
        at_least, long=True,
    ),
    Row(
        "J5", "levels lost by R10 without an enhancement", f"{SOURCE}, table 2", LOST, left_out, as_shaped,
        note="the shape counts: goal macros, pattern searches and the table matter most", long=True, parts=tuple(LOST),
    ),
    Row(
        "J5-1M", "levels lost by R10 without an enhancement, of those that it solves within 1 million nodes",
        f"{SOURCE}, table 2", LOST, partial(left_out, limit=LIMIT // 20), as_shaped,
        note="the paper's figures are those within 20 million nodes; the shape counts", long=True, parts=tuple(LOST),
    ),
    Row(
        "J9", "levels solved by R11, which is R10 with freeze, corrals, pairs and jams", f"{SOURCE}, table 3",
        WITHIN, younger, at_least, note="the figures of the paper are those of R10; its table has the nodes of each level",
        long=True, parts=("1 million nodes",),
    ),
    Row(
        "J7", "a double maze: relevance cuts save nodes, and keep the least pushes", f"{SOURCE}, figure 7",
        {"pushes": 46, "with cuts": 46, "fewer nodes": True}, relevance_cuts,
        note="the paper's maze is lost in the text; ours joins two halves of 23 pushes",
    ),
]  # fmt: skip
