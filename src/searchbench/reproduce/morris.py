"""Rows on Nine Men's Morris of R. Gasser, Harnessing Computational Resources for Efficient Exhaustive Search, 1995.

A row that is measured part by part needs the values of a part. It solves them, with the parts that they need, into the
folder of the run's unfinished work, where the next row finds them. Only the part 3-3 has 48 symmetries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from searchbench import jit
from searchbench.catalogue import load
from searchbench.exchange.decisions import reduce_sum
from searchbench.index.contract import unrank
from searchbench.index.protocol import Part, line_size
from searchbench.reproduce.row import Row, Verdict
from searchbench.rules import new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.solvers.exhaustive.neighbours import is_position
from searchbench.store import Database

GAME: Final = "morris"
ALONE: Final = "3-3"
WON_LOST_DRAWN: Final = """
3-3 47167 9659 96               4-3 177678 3095 1340023         4-4 159 29 3225409
5-3 586961 9677 4564142         5-4 9940 1518 20609534          5-5 28819 4289 30881316
6-3 2752371 192000 10806269     6-4 5985315 1649976 43896293    6-5 17247943 4809008 122175193
6-6 23250808 5273162 127705390  7-3 13411581 6965784 9074011    7-4 47531668 37626917 17874471
7-5 117750016 80868403 69203373     7-6 216347851 102447808 216790917   7-7 197782562 63016948 159993586
8-3 25697503 23397858 2432311       8-4 83063764 77883075 6464757       8-5 197140543 175926821 28638612
8-6 353632658 260086963 122178103   8-7 529980084 242875900 273864496   8-8 307369402 104175471 157322580
9-3 36913628 36901879 12063         9-4 108064788 107932986 134782      9-5 225971196 222904829 3535813
9-6 345896267 324805074 21493153    9-7 402858673 300062599 75372176    9-8 340418251 161643385 106799190
9-9 56160179 22081037 17737285
"""
"""Appendix A."""
RECOUNTED: Final = {
    "8-6": 735881740, "8-7": 1046697920, "9-3": 73827320, "9-4": 216131860, "9-5": 452410480, "9-6": 692192560,
    "9-7": 778332176,
}  # fmt: skip
"""Counts that differ from Gasser's: Takeda and Hoki, Analysis of the Number of Piece Configurations in N Men's Morris, 2020."""
OVERFLOWED: Final = frozenset({"8-7"})
"""Parts for which one byte a value was too small in the paper's program (section 5.5)."""


def _appendix() -> dict[str, dict[str, int]]:
    words = iter(WON_LOST_DRAWN.split())
    return {
        part: dict(zip(("won", "lost", "drawn"), map(int, figures), strict=True))
        for part, *figures in zip(words, words, words, words, strict=True)
    }


APPENDIX: Final = _appendix()


def both_ways(name: str) -> list[str]:
    """Return the parts of the game that make up one of the paper's parts, which has both sides to move."""
    own, other = name.split("-")
    return list(dict.fromkeys([f"{own}-{other}", f"{other}-{own}"]))


# --- G14: positions -----------------------------------------------------------------------------------------------------


def count_positions(first: int, stop: int) -> int:
    """Count the numbers that are positions."""
    state = new_state()
    scratch = new_state()
    count = 0
    for number in range(first, stop):
        unrank(number, state)
        if is_position(number, state, scratch):
            count += 1
    return count


def positions(run: Run, parts: Sequence[str]) -> dict[str, int]:
    """Return the number of positions of parts, up to symmetry."""
    found = {}
    for place, name in enumerate(parts):
        run.progress(f"counting {name}", place, len(parts))
        game = load("morris:3,3" if name == ALONE else GAME)
        kernel = jit.bind(count_positions, game.names())
        pieces = [piece for part in game.parts() if part.name in both_ways(name) for piece in _pieces(part)]
        found[name] = reduce_sum(run.launch(kernel, pieces, jit.FIRST, jit.STOP))
    return found


def _pieces(part: Part, size: int = 1 << 20) -> list[tuple[int, int]]:
    return jit.intervals(part.start, part.stop, size)


def recount(paper: dict[str, int], measured: dict[str, int]) -> Verdict:
    """Judge counts of positions: in seven parts the count of 2020 is right."""
    right = {name: RECOUNTED.get(name, count) for name, count in paper.items()}
    if measured != right:
        return "differs"
    return "match" if measured == paper else "better"


# --- G15: the index -------------------------------------------------------------------------------------------------------


def index_range(_run: Run) -> dict[str, Any]:
    """Return the range of the index, and its excess over the paper's number of positions in percent."""
    size = line_size(load(GAME).parts())
    legal = sum(sum(figures.values()) for figures in APPENDIX.values())
    return {"range": size, "excess": round(100 * (size / legal - 1), 2)}


def smaller(paper: dict[str, Any], measured: dict[str, Any]) -> Verdict:
    """Judge an excess: less is better."""
    return "better" if 0 <= measured["excess"] < paper["excess"] else "differs"


# --- G16, G17: values -------------------------------------------------------------------------------------------------------


def outcomes(run: Run, parts: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the numbers of positions of parts that are won, lost and drawn for the player to move."""
    words = {1: "won", -1: "lost", 0: "drawn"}
    found = {}
    for name, values in _histograms(run, parts).items():
        counts = dict.fromkeys(words.values(), 0)
        for value, count in values.items():
            counts[words[value.outcome]] += count
        found[name] = counts
    return found


def counted_once(paper: dict[str, dict[str, int]], measured: dict[str, dict[str, int]]) -> Verdict:
    """Judge outcomes: where the paper counts a set of men twice, its second numbers stay draws, as no move leads to them.

    Where the paper omits positions, other positions may have wrong values in it: there only the number of positions is
    compared, and `searchbench verify` checks our values.
    """
    better = False
    for name, figures in paper.items():
        total = sum(figures.values())
        counted = RECOUNTED.get(name, total)
        if counted > total:
            right = sum(measured[name].values()) == counted
        else:
            right = measured[name] == {**figures, "drawn": figures["drawn"] - (total - counted)}
        if not right:
            return "differs"
        better = better or counted != total
    return "better" if better else "match"


def longest(run: Run, parts: Sequence[str]) -> dict[str, int]:
    """Return the plies of the longest win or loss in parts."""
    return {name: max(value.depth for value in values) for name, values in _histograms(run, parts).items()}


def _histograms(run: Run, parts: Sequence[str]) -> dict[str, dict[Any, int]]:
    """Return the count of each value in parts, with both sides to move."""
    alone = Run(memory=run.memory, threads=run.threads, report=run.report)
    found: dict[str, dict[Any, int]] = {}
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        folder = run.work if run.work is not None else Path(scratch) / GAME
        own = replace(alone, work=Path(f"{folder}.work"))
        others = [name for name in parts if name != ALONE]
        database = solve_parts(load(GAME), others, folder, run=own) if others else None
        for name in parts:
            solved = database if name != ALONE else None
            found[name] = _histogram(solved or solve_states(load("morris:3,3"), run=alone), both_ways(name))
    return found


def _histogram(database: Database, parts: Sequence[str]) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for part in parts:
        for value, count in database.histogram(part).items():
            counts[value] = counts.get(value, 0) + count
    return counts


def longest_or_more(paper: dict[str, int], measured: dict[str, int]) -> Verdict:
    """Judge the longest lines: ours may be longer only where the paper's byte was too small."""
    if measured == paper:
        return "match"
    differ = {name for name in paper if measured[name] != paper[name]}
    return "better" if differ <= OVERFLOWED and all(measured[name] > paper[name] for name in differ) else "differs"


SMALL: Final = ("3-3", "4-3", "4-4", "5-3")
"""The parts measured by default: they take seconds; all parts take hours."""

ROWS = [
    Row(
        "G14",
        "Nine Men's Morris: positions up to symmetry that can be reached",
        "Gasser 1995, section 5.4",
        {name: sum(figures.values()) for name, figures in APPENDIX.items()},
        positions,
        recount,
        note="each closing of a mill removes one of nine men. In six parts the paper counts positions of one set of men twice "
        "(three sides next to each other with their spoke, or all but a corner of them), in 9-7 it leaves out nine men with "
        "four mills that meet in pairs, which two closings make: tests/laws/test_morris.py finds the differences exactly",
        parts=(*SMALL, "9-3"),
        axes=("men on each side", "positions"),
    ),
    Row(
        "G15",
        "Nine Men's Morris: range of the index, and its excess in percent",
        "Gasser 1995, section 5.4",
        {"range": 8102965583, "excess": 5.59},
        index_range,
        smaller,
        note="the paper's first index has a range of 9,074,932,579, an excess of 18.26",
    ),
    Row(
        "G16",
        "Nine Men's Morris: won, lost, drawn positions",
        "Gasser 1995, appendix A",
        APPENDIX,
        outcomes,
        counted_once,
        note="in 8-6, 8-7, 9-3, 9-4, 9-5 and 9-6 the paper has two numbers for some positions (G14); no move leads to the "
        "second, so they were left as draws: won and lost are the same, and the draws are fewer by just these. In 9-7 the "
        "paper leaves out positions, and others have other values there; `searchbench verify --parts 9-7,7-9` finds ours right",
        parts=SMALL,
    ),
    Row(
        "G17",
        "Nine Men's Morris: plies of the longest win or loss",
        "Gasser 1995, sections 5.5 and 5.7",
        {"3-3": 26, "6-4": 157, "8-7": 187},
        longest,
        longest_or_more,
        note="in 8-7 the paper's byte was too small for counts and depths together, and the collisions were mended by hand; "
        "`searchbench verify --parts 8-7,7-8` tells whether ours are right",
        parts=("3-3",),
    ),
]
