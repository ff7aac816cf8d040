"""Repeat the experiment of Berliner and Goetsch (1984): four searches, with and without dead ends, on deals of Superpuzz.

The result of each deal is saved to the run's folder at once, so the experiment can be stopped at any time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final, NamedTuple
from zlib import crc32

from searchbench.analyse.compare import contestant
from searchbench.catalogue import load
from searchbench.errors import DamagedData
from searchbench.game import Game
from searchbench.run import Limits, Run
from searchbench.solvers.guided import Attempt, IDAStar, read_states, search_many
from searchbench.store.working import WorkingFolder, working_folder

SIZES: Final = ("4x6", "4x7", "4x8")
METHODS: Final = {
    "BF1": "bestfirst weight=1.8",
    "A*": "astar",
    "DF": "idastar step=2",
    "BF2": "bestfirst by=goodness weight=3",
}
PLAIN: Final = "without=dead,cuts,relevance"
"""The words that turn off deadlock detection in a configuration."""
TABLE: Final = 1 << 16
"""Most states in the tables of the paper's programs."""
LARGE: Final = 1 << 20
"""Most states in the tables of the second column, which rarely overflow."""
GIVE_UP: Final = 16
"""DF continues when its table is full; it gives up after this many nodes per entry, instead of the paper's ten minutes."""
DEFAULT_LENGTH: Final = {"4x6": 60, "4x7": 90, "4x8": 120}
"""The moves that count for a program on a deal that only another program solves."""
SOLVED, UNSOLVABLE, OPEN = "solved", "unsolvable", "open"


class Try(NamedTuple):
    """The result of one program on one deal: its end, the moves (0: none), states, nodes, CPU seconds.

    `optimal` means that no line is shorter: DF returns its best line so far when it gives up.
    """

    ended: str
    length: int
    states: int
    nodes: int
    seconds: float
    optimal: bool


class Average(NamedTuple):
    """A program's average costs on solvable and on unsolvable deals, and its failures."""

    length: float
    states: float
    seconds: float
    failed: int
    states_unsolvable: float
    seconds_unsolvable: float
    failed_unsolvable: int


def deals(size: str) -> list[list[int]]:
    """Return the 100 deals of a size that come with the package."""
    name = f"superpuzz-{size}.txt"
    text = (files("searchbench.reproduce") / "deals" / name).read_text()
    return read_states(load(f"superpuzz:{size}"), text, name)


def programs() -> Iterator[tuple[str, bool]]:
    """Yield the eight programs: a method's name, and whether it detects deadlocks."""
    for detects in (True, False):
        for method in METHODS:
            yield method, detects


def program_text(method: str, detects: bool, entries: int) -> str:
    """Return the configuration of a program."""
    return f"{METHODS[method]} entries={entries}" + ("" if detects else f" {PLAIN}")


def tries(size: str, method: str, detects: bool, run: Run, entries: int = TABLE) -> list[Try]:
    """Return the results of a program on all deals of a size, resuming from the run's folder.

    Raises BadRequest and DamagedData.
    """
    game = load(f"superpuzz:{size}")
    text = program_text(method, detects, entries)
    states = deals(size)
    own = Run(run.memory, 1, run.report, run.work / f"{size} {text}".replace(" ", "_") if run.work else None)
    with working_folder(game, f"{text} on the deals {crc32(str(states).encode()):08x}", own) as work:
        found = _kept(work) if work else []
        for attempt in _attempts(game, states[len(found) :], text, entries, run):
            found.append(attempt)
            if work:
                work.commit({"tries": found})
    return found


def _kept(work: WorkingFolder) -> list[Try]:
    """Return the results in a folder. Raises DamagedData."""
    try:
        return [Try(*one) for one in work.record.get("tries", ())]
    except TypeError:
        raise DamagedData(f"{work.path} has other figures than this version measures: remove it") from None


def _attempts(game: Game, states: Sequence[Sequence[int]], text: str, entries: int, run: Run) -> Iterator[Try]:
    if not states:
        return
    chosen = contestant(game, text).configuration
    limits = Limits(GIVE_UP * entries if isinstance(chosen, IDAStar) else 0)
    for _ in search_many(game, states[:1], chosen, Run(run.memory, 1), Limits(1)):
        pass  # compile before the clock starts
    began = time.process_time()
    for attempt in search_many(game, states, chosen, Run(run.memory, 1, run.report), limits):
        spent = time.process_time() - began
        yield _told(attempt, round(spent, 3))
        began = time.process_time()


def _told(attempt: Attempt, seconds: float) -> Try:
    if attempt.line is None:
        ended = UNSOLVABLE if attempt.error is not None and attempt.error.exit_code == 10 else OPEN
        return Try(ended, 0, attempt.kept, attempt.nodes, seconds, optimal=False)
    if wrong := attempt.line.verify():
        raise AssertionError(f"{attempt.state}: {wrong[0]}")
    return Try(SOLVED, attempt.line.cost, attempt.kept, attempt.nodes, seconds, attempt.line.optimal)


def solvable(table: dict[tuple[str, bool], list[Try]]) -> list[bool]:
    """Return for each deal whether some program has solved it; as in the paper, all others count as unsolvable."""
    return [any(one.ended == SOLVED for one in ones) for ones in zip(*table.values(), strict=True)]


def average(size: str, ones: Sequence[Try], can: Sequence[bool], entries: int = TABLE) -> Average:
    """Return a program's figures for the paper's first table; a deal given up counts as two tables of states."""
    yes = [one for one, known in zip(ones, can, strict=True) if known]
    no = [one for one, known in zip(ones, can, strict=True) if not known]
    lengths = [one.length if one.ended == SOLVED else DEFAULT_LENGTH[size] for one in yes]
    return Average(
        _mean(lengths),
        _mean([_states(one, SOLVED, entries) for one in yes]),
        _mean([one.seconds for one in yes], 3),
        sum(one.ended != SOLVED for one in yes),
        _mean([_states(one, UNSOLVABLE, entries) for one in no]),
        _mean([one.seconds for one in no], 3),
        sum(one.ended != UNSOLVABLE for one in no),
    )


def _states(one: Try, wanted: str, entries: int) -> int:
    return one.states if one.ended == wanted else 2 * entries


def _mean(numbers: Sequence[float], digits: int = 1) -> float:
    return round(sum(numbers) / len(numbers), digits) if numbers else 0.0
