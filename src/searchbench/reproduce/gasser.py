"""Rows of R. Gasser, Harnessing Computational Resources for Efficient Exhaustive Search, ETH Zurich 1995."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from searchbench.analyse.samples import Sampler
from searchbench.analyse.shares import around
from searchbench.catalogue import load
from searchbench.errors import NoFixpoint
from searchbench.index import (
    Combination,
    Composition,
    Index,
    LexicographicPermutation,
    Multiset,
    MyrvoldRuskeyPermutation,
    Radix,
)
from searchbench.reproduce.bijection import faults_in_full, faults_in_samples
from searchbench.reproduce.row import Row
from searchbench.reproduce.unfinished import killed_and_resumed, out_of_core
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.values import ValueRule, value_rule


def _solve(spec: str, run: Run, **options: Any) -> Database:
    return solve_states(load(spec), run=Run(memory=run.memory, threads=run.threads, report=run.report), **options)


# --- G1 ----------------------------------------------------------------------------------------------------------------


def eight_puzzle(run: Run) -> dict[str, Any]:
    """Return the number of states of the 8-puzzle at each distance."""
    histogram = _solve("sliding:3x3", run).histogram()
    unreachable = histogram.pop(None)
    return {
        "by distance": [histogram[distance] for distance in sorted(histogram)],
        "unreachable": unreachable,
        "total": sum(histogram.values()) + unreachable,
    }


# --- G2 ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MaximumPlusOne(ValueRule):
    """Gather (max + 1) mod 5 from the successors; the marked state starts with 0, the others are unknown (code 0)."""

    name: ClassVar[str] = "maximum-plus-one"
    unique: ClassVar[bool] = False
    revalues_terminals: ClassVar[bool] = True

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the rule."""

        def initial(result: int, count: int) -> int:
            return 1 if result == 0 else 0

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            largest = 0
            for index in range(count):
                largest = max(largest, successors[index])
            return code if largest == 0 else 1 + largest % 5

        return {"initial": initial, "gather": gather}

    def decode(self, code: int) -> int | None:
        """Return the value."""
        return code - 1 if code else None


def _ring(length: int) -> str:
    """Return a directed ring as the parameter of the game "graph", with node 0 marked."""
    edges = [f"{node}>{(node + 1) % length}" for node in range(length)]
    return "graph:" + ";".join(["0=0", *edges])


def fixpoints(run: Run) -> dict[str, str]:
    """Return the fixpoints, if any, of (max + 1) mod 5 on rings of five and of four states, and of the small town."""
    found = {}
    for length in (5, 4):
        try:
            solved = _solve(_ring(length), run, rule=MaximumPlusOne())
            values = [solved.rule.decode(solved.code(number)) for number in range(length)]
            found[f"ring of {length}"] = f"fixpoint {sorted(values)}"
        except NoFixpoint:
            found[f"ring of {length}"] = "no fixpoint"
    town = _solve("small-town", run)
    found["small town"] = f"fixpoint, {town.verify().count} faults"
    return found


# --- G3 ----------------------------------------------------------------------------------------------------------------


def value_rules(run: Run) -> dict[str, Any]:
    """Return the values of small problems by three value rules: edge costs, win/draw/loss with depth, a user's own."""
    # From node 0 the direct edge costs 9, the way round 2 + 3 + 1.
    costs = _solve("graph:0>3:9;0>1:2;1>2:3;2>3:1;3=0", run)
    # 4 is lost for the player to move there; 3 can only go there; 2 can go to 3 or stay in a circle with 1.
    players = _solve("graph:0>3;1>2;2>1;2>3;3>4;4=-1,outcome", run)
    return {
        "edge costs": [costs.rule.decode(costs.code(number)) for number in range(4)],
        "two players": [str(players.rule.decode(players.code(number))) for number in range(5)],
        "a rule of the user": fixpoints(run)["ring of 5"],
    }


# --- G6 ----------------------------------------------------------------------------------------------------------------


def passes_of_the_model() -> int:
    """Return the last pass in which the paper's model of the 8-puzzle still reaches states.

    It counts the states with the empty cell in a corner, on an edge and in the centre: the unreached ones, those of the
    current pass, and the moves from these that do not lead back. Moves lead to random states.
    """
    left = [80640.0, 80640.0, 20160.0]
    now = [1.0, 0.0, 0.0]
    corner_to_edge, edge_to_corner, edge_to_centre, centre_to_edge = 0.0, 0.0, 0.0, 0.0
    passes = 0
    while sum(now) > 0:
        left = [rest - found for rest, found in zip(left, now, strict=True)]
        corner_to_edge, edge_to_corner = 2 * now[0] - edge_to_corner, 2 * now[1] - corner_to_edge
        centre_to_edge, edge_to_centre = 4 * now[2] - edge_to_centre, now[1] - centre_to_edge
        missed = [1 - 1 / rest for rest in left]
        now = [
            left[0] * (1 - missed[0] ** edge_to_corner),
            left[1] * (2 - missed[1] ** corner_to_edge - missed[1] ** centre_to_edge),
            left[2] * (1 - missed[2] ** edge_to_centre),
        ]
        passes += 1
    return passes - 1


def prediction(run: Run) -> dict[str, Any]:
    """Return the quantities from which the paper predicts the time of the 8-puzzle, and the prediction."""
    game = load("sliding:3x3")
    sampler = Sampler(game, value_rule(game.values))
    everything = [(part.start, part.stop) for part in game.parts()]
    seen = around(sampler, everything)
    fan_out = Fraction(len(seen.targets), len(seen.numbers))
    states = len(seen.numbers) // 2
    return {
        "fan-out": str(fan_out),
        "seconds by the paper's rates": round(states * (0.343 + float(fan_out) * 0.0043) / 1000),
        "passes of the model": passes_of_the_model(),
        "passes": max(value for value in _solve("sliding:3x3", run).histogram() if value is not None),
    }


# --- G13 ---------------------------------------------------------------------------------------------------------------


def index_functions(run: Run) -> dict[str, int]:
    """Return the faults of the index functions: of all numbers up to a million, of samples up to 2^63."""
    full: list[Index] = [
        LexicographicPermutation(9),
        LexicographicPermutation(9, even=True),
        MyrvoldRuskeyPermutation(9),
        MyrvoldRuskeyPermutation(9, even=True),
        Multiset((10, 10)),
        Multiset((5, 4, 4)),
        Combination(22, 8),
        Composition(10, 12),
        Radix((2, 3, 5, 7, 11, 13)),
    ]
    sampled: list[Index] = [
        LexicographicPermutation(14),
        MyrvoldRuskeyPermutation(14),
        LexicographicPermutation(20),
        MyrvoldRuskeyPermutation(20, even=True),
        Multiset((22, 22)),
        Multiset((30, 30)),
        Multiset((8, 8, 8, 8)),
        Combination(60, 30),
        Composition(40, 14),
    ]
    return {
        "faults, every number": sum(faults_in_full(index) for index in full),
        "faults, samples": sum(faults_in_samples(index) for index in sampled),
    }


# --- G22 ---------------------------------------------------------------------------------------------------------------


def largest_distances(run: Run) -> dict[str, int]:
    """Return the largest distance on each board of sliding tiles, from the start, which is the solved board."""
    found = {}
    for board in ("2x2", "2x3", "2x4", "2x5", "3x3", "3x4"):
        histogram = _solve(f"sliding:{board},half=yes", run, solver="bfs").histogram()
        found[board] = max(value for value in histogram if value is not None)
    return found


ROWS = [
    Row(
        "G1",
        "8-puzzle: states per distance",
        "Gasser 1995, section 3.2",
        {
            "by distance": [
                1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993,
                17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
            ],
            "unreachable": 181440,
            "total": 362880,
        },
        eight_puzzle,
        axes=("distance", "states"),
    ),
    Row(
        "G2",
        "a fixpoint is found, or its absence reported",
        "Gasser 1995, sections 2.1 and 2.2",
        {
            "ring of 5": "fixpoint [0, 1, 2, 3, 4]",
            "ring of 4": "no fixpoint",
            "small town": "fixpoint, 0 faults",
        },
        fixpoints,
        note="the paper draws its two graphs and says that a fixpoint exists where all cycle lengths are multiples of five",
    ),
    Row(
        "G3",
        "value gather functions: shortest way, win/draw/loss with depth, a user's own",
        "Gasser 1995, section 3.5",
        {
            "edge costs": [6, 4, 1, 0],
            "two players": ["loss 2", "draw", "draw", "win 1", "loss 0"],
            "a rule of the user": "fixpoint [0, 1, 2, 3, 4]",
        },
        value_rules,
        note="the paper defines the functions; the values are worked out by hand on graphs small enough for it",
    ),
    Row(
        "G4",
        "retrograde analysis with a tenth of the memory that the codes take",
        "Gasser 1995, section 4.1",
        {"same database": True, "codes in files": True, "I/O dominates": False},
        out_of_core,
        note="9 pancakes; input and output dominate if the system's share of the CPU seconds is more than our own; "
        "waiting for the disk is not counted, as the system keeps written data in free memory",
    ),
    Row(
        "G5",
        "killed at ten random moments, a computation goes on to the same database",
        "Gasser 1995, section 3.5",
        {"killed": 10, "same database": True},
        killed_and_resumed,
        note="9 pancakes, killed with SIGKILL; tests do the same with other games, value rules and forms",
    ),
    Row(
        "G6",
        "8-puzzle: the figures from which its run-time is predicted",
        "Gasser 1995, section 4.2",
        {"fan-out": "8/3", "seconds by the paper's rates": 64, "passes of the model": 25, "passes": 31},
        prediction,
        note="64 s follow from the 0.0043 ms that the paper measures for a propagation, not from the 0.38 ms printed in its "
        "sum, which would give 245 s; docs/benchmarks.md compares our own prediction with measured times",
    ),
    Row(
        "G13",
        "index functions are one to one",
        "Gasser 1995, section 3.4",
        {"faults, every number": 0, "faults, samples": 0},
        index_functions,
    ),
    Row(
        "G22",
        "sliding tiles: largest distance per board",
        "Gasser 1995, section 6.5",
        {"2x2": 6, "2x3": 21, "2x4": 36, "2x5": 55, "3x3": 31, "3x4": 53},
        largest_distances,
        axes=("board", "largest distance"),
    ),
]  # fmt: skip
