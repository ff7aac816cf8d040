"""Rows on hardest positions of the 15-puzzle, bounds by subgoals, and the 24-puzzle (Gasser 1995, sections 6.5, 6.6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from searchbench.analyse.completions import solve_completions
from searchbench.analyse.detours import prove_limit
from searchbench.analyse.subgoals import Subgoals, solve_subgoals
from searchbench.catalogue import load
from searchbench.game import Game
from searchbench.heuristics import PatternDatabases, SeenAs
from searchbench.reproduce.fifteen import SEVEN_AND_EIGHT
from searchbench.reproduce.row import Cost, Measured, Row, Verdict, forget_peak, peak_memory
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import IDAStar, search_many
from searchbench.store import Database, open_database

LOCAL: Final = "sliding-groups:4x4,local"
"""The Local database: only the empty cell and tile 15 must come home; all other tiles only into their group."""
SEVENTY: Final = "15 10 8 9 11 14 12 13 2 3 1 4 6 7 5 0"
"""One of the boards that need 70 moves even if only the groups of Local count: the paper's diagram, filled in."""
EIGHTY: Final = (
    "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0", "15 11 13 12 14 10 8 9 7 2 5 1 3 6 4 0", "15 11 13 12 14 10 8 9 2 6 5 1 3 7 4 0",
    "15 11 9 12 14 10 13 8 6 7 5 1 3 2 4 0", "15 11 9 12 14 10 13 8 2 6 5 1 3 7 4 0", "15 11 8 12 14 10 13 9 2 7 5 1 3 6 4 0",
    "15 11 9 12 14 10 8 13 6 2 5 1 3 7 4 0", "15 11 8 12 14 10 9 13 2 6 5 1 3 7 4 0", "15 11 8 12 14 10 9 13 2 6 4 5 3 7 1 0",
)  # fmt: skip
"""The nine diagrams of the paper's appendix C; four of them have a mirror image that is another board."""
STEPS: Final = {
    "rows": ("12-13-14-15", "1-2-3-4-5-6-7-8-9-10-11"),
    "row and a tile": ("12-13-14-15-11", "1-2-3-4-5-6-7-8-9-10"),
    "row and column": ("3-7-11-12-13-14-15", "1-2-4-5-6-8-9-10"),
}
"""The paper's three ways to solve the 15-puzzle in two steps; they are drawn there, the numbers of states tell the tiles."""
BEST: Final = "row and column"
DETOURS: Final = 85
"""Proved upper bound of the moves for every board, by detours in the first step; the paper proves 87."""
FIVE: Final = ("24-23-19", "22-21-20", "14-9-4")
FOUR: Final = ("20-21-22-23-24", "4-9-14-19")
"""The steps of the 24-puzzle that leave a 15-puzzle."""
SIXES: Final = ("1-2-5-6-7-12", "3-4-8-9-13-14", ("10-11-15-16-20-21", "17-18-19-22-23-24"))
"""Korf and Felner's four patterns of six tiles: the last two look like the second."""


def _kept(spec: str, run: Run, **options: Any) -> Database:
    """Solve a game, or open its database in the folder of the run's work."""
    place = None if run.work is None else Path(run.work) / f"{spec.replace(':', '_').replace(',', '_')}.db"
    if place is not None and place.exists():
        return open_database(place)
    database = solve_states(load(spec), run=Run(run.memory, run.threads, run.report), **options)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        database.save(place, f"searchbench solve {spec}", mapped=True)
    return database


# --- G27 ---------------------------------------------------------------------------------------------------------------


def completions(run: Run) -> Measured:
    """Return a histogram of the moves of the 10,368 boards of the 70-move pattern, and the diagrams with the most moves.

    As in the paper, boards of more than 78 moves are solved one by one; here with databases of 7 and 8 tiles.
    """
    forget_peak()
    local = _kept(LOCAL, run, solver="bfs")
    game = load("sliding:4x4")
    work = None if run.work is None else run.work / "completions"
    own = Run(memory=run.memory, threads=1, report=run.report, work=work)
    found = solve_completions(game, game.read(SEVENTY), local, own, limit=78)
    costs = [
        Cost("Local", local.size, float(local.facts["seconds"]), local.size // 5, 0),
        Cost("all completions, up to 78 moves", found.nodes, found.seconds, local.size // 5, peak_memory()),
    ]
    counts = found.histogram()
    hardest, cost = _one_by_one(game, found.open, run)
    for moves in hardest.values():
        counts[moves] = counts.get(moves, 0) + 1
    most = sum(hardest.get(tuple(game.read(board))) == max(counts) for board in EIGHTY)
    named = {str(moves): count for moves, count in sorted(counts.items())}
    return Measured({**named, "diagrams of 80 moves": most if max(counts) == 80 else 0}, [*costs, cost])


def _one_by_one(game: Game, states: Sequence[tuple[int, ...]], run: Run) -> tuple[dict[tuple[int, ...], int], Cost]:
    """Return the cost of each state, by IDA* with databases of 7 and 8 tiles."""
    databases = [_kept(f"sliding-pattern:4x4,{tiles}", run) for tiles in SEVEN_AND_EIGHT]
    chosen = PatternDatabases(game, [databases])
    own = Run(memory=run.memory, threads=1, report=run.report)
    found = list(search_many(game, states, IDAStar(h=chosen, automaton=0), own))
    nodes, seconds = sum(one.nodes for one in found), sum(one.seconds for one in found)
    lines = {tuple(state): one.line for state, one in zip(states, found, strict=True)}
    costs = {state: line.cost for state, line in lines.items() if line is not None and not line.verify()}
    size = sum(database.size for database in databases)
    return costs, Cost(f"{len(states)} boards one by one (nodes)", nodes, seconds, size, peak_memory())


def as_hard_or_harder(paper: Any, measured: Any) -> Verdict:
    """Judge the numbers of boards by their moves, which may differ from the paper's only in the last two.

    The paper's boards of 80 moves must be among ours, and no board may be lost.
    """
    if measured == paper:
        return "match"
    last = ("78", "80")
    alike = {name: count for name, count in measured.items() if name not in last} == {
        name: count for name, count in paper.items() if name not in last
    }
    same_sum = sum(measured.get(name, 0) for name in last) == sum(paper[name] for name in last)
    return "better" if alike and same_sum and measured["80"] > paper["80"] else "differs"


# --- G28 ---------------------------------------------------------------------------------------------------------------


def two_steps(run: Run, parts: tuple[str, ...]) -> Measured:
    """Return the states and the largest distance of both steps, and the sum's upper bound, also with detours."""
    costs: list[Cost] = []
    found: dict[str, Any] = {}
    for part in parts:
        chain = solve_subgoals(load("sliding:4x4"), STEPS.get(part, STEPS[BEST]), run, run.work)
        costs += _costs(chain)
        if part == "with detours":
            own = Run(run.memory, run.threads, run.report, None if run.work is None else run.work / "detours")
            proof = prove_limit(chain, DETOURS, own)
            found[part] = DETOURS if proof.proved else chain.bound
            costs.append(Cost(f"{proof.states:,} states (ways)", proof.ways, proof.seconds, 0, peak_memory()))
        elif part == "where steps end":
            found[part] = chain.bound
        else:
            found[part] = {"steps": [[step.states, step.longest] for step in chain.steps], "sum": chain.longest}
    return Measured(found, costs)


def _costs(chain: Subgoals) -> list[Cost]:
    return [
        Cost(step.game.spec, step.states, float(step.database.facts["seconds"]), step.database.size, peak_memory())
        for step in chain.steps
    ]


def fewer_moves(paper: Any, measured: Any) -> Verdict:
    """Judge the steps and their sum: all figures must equal the paper's, but detours may prove a smaller upper bound."""
    steps = {name: figures for name, figures in measured.items() if name != "with detours"}
    if any(figures != paper[name] for name, figures in steps.items()):
        return "differs"
    ours, theirs = measured.get("with detours"), paper.get("with detours")
    return "match" if ours is None or ours == theirs else "better" if ours < theirs else "differs"


# --- G29 ---------------------------------------------------------------------------------------------------------------


def many_steps(run: Run, parts: tuple[str, ...]) -> Measured:
    """Return the states, the mean and the largest distance of the steps of the 24-puzzle, and the sums.

    The remaining 15-puzzle is solved in two steps, row and column first.
    """
    rest = solve_subgoals(load("sliding:4x4"), STEPS[BEST], run, run.work)
    found, costs = {}, _costs(rest)
    for part in parts:
        chain = solve_subgoals(load("sliding:5x5"), FIVE if part == "5 steps" else FOUR, run, run.work)
        steps = [*chain.steps, *rest.steps]
        found[part] = {
            "steps": [[step.states, round(step.average, 1), step.longest] for step in steps],
            "average": round(sum(round(step.average, 1) for step in steps), 1),  # as the paper adds them up
            "longest": sum(step.longest for step in steps),
        }
        costs += _costs(chain)
    return Measured(found, costs)


# --- the 24-puzzle -----------------------------------------------------------------------------------------------------

KORF_FELNER: Final = {
    "38": (96, 38_173_507, "10 3 24 12 0 7 8 11 14 21 22 23 2 1 9 17 18 6 20 4 13 15 5 19 16"),
    "40": (82, 65_099_578, "2 17 4 13 7 12 10 3 0 16 21 24 8 5 18 20 15 19 14 9 22 11 6 1 23"),
    "25": (81, 292_174_444, "3 17 9 8 24 1 11 12 14 0 5 4 22 13 16 21 15 6 7 10 20 23 2 18 19"),
    "32": (97, 428_222_507, "1 12 18 13 17 15 3 7 20 0 19 24 6 5 21 11 2 8 9 16 22 10 4 23 14"),
    "44": (93, 867_106_238, "8 12 18 3 2 11 10 22 24 17 1 13 23 4 20 16 6 15 9 21 19 5 14 0 7"),
    "37": (100, 1_496_759_944, "23 22 5 3 9 6 18 15 10 2 21 13 19 12 20 7 0 1 16 24 17 4 14 8 11"),
    "30": (92, 1_634_941_420, "8 19 7 16 12 2 13 22 14 9 11 5 6 3 18 24 0 15 10 23 1 20 4 17 21"),
    "13": (101, 1_959_833_487, "21 24 8 1 19 22 12 9 7 18 4 0 23 14 10 6 3 11 16 5 15 2 20 13 17"),
    "1": (95, 2_031_102_635, "14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13"),
    "28": (98, 2_258_006_870, "17 15 7 12 8 3 4 9 21 5 16 6 19 20 1 22 24 18 11 14 23 10 2 13 0"),
    "36": (90, 2_582_008_940, "2 10 1 7 16 9 0 6 12 11 3 18 22 4 13 24 20 15 8 14 21 23 17 19 5"),
    "5": (100, 2_899_007_625, "17 1 20 9 16 2 22 19 14 5 15 21 0 3 24 23 18 13 12 7 10 8 6 4 11"),
    "22": (95, 3_592_980_531, "7 6 3 22 15 19 21 2 13 0 8 10 9 4 18 16 11 24 5 12 17 1 23 14 20"),
    "16": (96, 3_803_445_934, "18 24 17 11 12 10 19 15 6 1 5 21 22 9 7 3 2 16 14 4 20 23 0 8 13"),
}
"""The easiest of Korf and Felner's 50 instances: the least number of moves, the nodes that they report, and the board."""


def optimal_lines(run: Run, parts: tuple[str, ...]) -> Measured:
    """Return the lengths and the nodes of instances of the 24-puzzle, with tiles in groups of six and mirror images."""
    forget_peak()
    game = load("sliding:5x5")
    corner, block = (_kept(f"sliding-pattern:5x5,{tiles}", run) for tiles in SIXES[:2])
    chosen = PatternDatabases(game, [[corner, block, *(SeenAs(block, tiles) for tiles in SIXES[2])]])
    states = [game.read(KORF_FELNER[part][2]) for part in parts]
    found, costs = {}, []
    one_thread = Run(memory=run.memory, threads=1, report=run.report)
    for part, attempt in zip(parts, search_many(game, states, IDAStar(h=chosen, automaton=0), one_thread), strict=True):
        exact = attempt.line is not None and not attempt.line.verify()
        found[part] = {"length": attempt.line.cost if exact and attempt.line else None, "nodes": attempt.nodes}
        costs.append(Cost(f"instance {part} (nodes)", attempt.nodes, attempt.seconds, 2 * corner.size, peak_memory()))
    return Measured(found, costs)


def same_lengths(paper: Any, measured: Any) -> Verdict:
    """Judge {instance: {"length": n, "nodes": n}}: the lengths must equal the paper's; the nodes are for comparison."""
    alike = paper.keys() == measured.keys() and all(paper[one]["length"] == measured[one]["length"] for one in paper)
    if not alike:
        return "differs"
    return (
        "better"
        if sum(one["nodes"] for one in measured.values()) < sum(one["nodes"] for one in paper.values())
        else "match"
    )


ROWS = [
    Row(
        "G27",
        "15-puzzle: the 10,368 completions of the 70-move pattern, solved together",
        "Gasser 1995, section 6.5",
        {"70": 188, "72": 1938, "74": 4597, "76": 3068, "78": 564, "80": 13, "diagrams of 80 moves": 9},
        completions,
        as_hard_or_harder,
        note="the paper's 13 boards of 80 moves are its nine diagrams and four mirror images; two more of the 10,368, mirror "
        "images of each other, need 80 here: neither the search of all together nor IDA* finds a line of 78",
        long=True,
    ),
    Row(
        "G28",
        "15-puzzle: upper bounds by two subgoals",
        "Gasser 1995, section 6.5",
        {
            "rows": {"steps": [[524_160, 46], [239_500_800, 53]], "sum": 99},
            "row and a tile": {"steps": [[5_765_760, 52], [19_958_400, 49]], "sum": 101},
            "row and column": {"steps": [[518_918_400, 61], [181_440, 31]], "sum": 92},
            "where steps end": 91,
            "with detours": 87,
        },
        two_steps,
        fewer_moves,
        note="the paper numbers 272,432,160 states of the step with row and column: mirror images are one where the empty "
        "cell and tile 15 tell them apart",
        long=True,
        parts=("row and a tile",),
    ),
    Row(
        "G29",
        "24-puzzle: by subgoals",
        "Gasser 1995, section 6.6",
        {
            "5 steps": {
                "steps": [
                    [303_600, 30.5, 54], [175_560, 30.4, 53], [93_024, 27.0, 47], [518_918_400, 38.5, 61],
                    [181_440, 22.0, 31],
                ],
                "average": 148.4,
                "longest": 246,
            },
            "4 steps": {
                "steps": [
                    [127_512_000, 43.8, 74], [1_860_480, 33.3, 58], [518_918_400, 38.5, 61], [181_440, 22.0, 31],
                ],
                "average": 137.6,
                "longest": 224,
            },
        },
        many_steps,
        note="the sums of exact averages are 148.3 and 137.5, the paper adds rounded ones; it numbers 156,860 and 272,432,160 "
        "states of the symmetric steps: mirror images are one where the empty cell and the corner tile tell them apart",
        long=True,
        parts=("5 steps",),
    ),
    Row(
        "24-puzzle",
        "24-puzzle: optimal lengths of the easiest of Korf and Felner's 50 instances",
        "Korf and Felner 2002, as kept in clausecker/24puzzle, doc/korf.txt",
        {name: {"length": length, "nodes": nodes} for name, (length, nodes, _) in KORF_FELNER.items()},
        optimal_lines,
        same_lengths,
        note="with two databases of six tiles for four patterns, and mirror images",
        long=True,
        parts=("40", "38"),
    ),
]  # fmt: skip
