"""Compare alpha-beta and proof-number search on positions of a game, as Allis (1994, section 2.4.4) does for awari.

The question is whether the player to move wins; a draw counts as a loss. Four searches answer it, each within a number of nodes.
Positions that are over, that the database at the leaves knows, or that no search solves leave the test set. The failures on
the others are repeated with a larger number of nodes; a search that fails again counts as so many.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import DamagedData, LimitReached
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import LeafDatabase
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.contract import ONES
from searchbench.solvers.proof.deepening import WON, DeepeningSearch
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.shared.transposition import SMALLEST, new_transpositions

NAMES: Final = ("alpha-beta", "transposition", "basic pn", "stones pn")
"""The searches: deepening alpha-beta without and with a table, proof-number search from 1 and from the game's own numbers."""
ENTRIES: Final = 250_000
"""The places of the table."""
OVER, KNOWN, UNSOLVED, SOLVED = "over", "in the database", "unsolved", "solved"
_TREE: Final = 1 << 31
_NOBODY: Final = -1


class Limits(NamedTuple):
    """The nodes for each search at first, and when alpha-beta and proof-number search fail where another succeeds."""

    first: int = 500_000
    alpha_beta: int = 250_000_000
    proof_number: int = 20_000_000


class Effort(NamedTuple):
    """The nodes of a search, the largest tree in memory (0: none), and 1 if the player to move wins, 0 if not, -1 if open."""

    nodes: int
    peak: int
    answer: int


@dataclass(frozen=True)
class Compared:
    """A position, its kind (OVER, KNOWN, UNSOLVED or SOLVED), and the effort of each search, in the order of NAMES."""

    state: tuple[int, ...]
    kind: str
    efforts: tuple[Effort, ...] = ()


class FourSearches:
    """Ask the four searches about states of one game, with a database at the leaves; one thread."""

    def __init__(self, game: Game, leaves: LeafDatabase, limits: Limits, run: Run, target: jit.Target = "cpu") -> None:
        self.game, self.leaves, self.limits, self.target = game, leaves, limits, target
        self.run = Run(threads=1, memory=run.memory)
        self.deepening = [
            DeepeningSearch(game, leaves, entries, run=self.run, target=target) for entries in (0, ENTRIES)
        ]

    def compare(self, state: Sequence[int]) -> Compared:
        """Return the effort of each search."""
        state = tuple(state)
        if self.game.terminal(state) != UNDECIDED or not self.game.moves(state):
            return Compared(state, OVER)
        if self.leaves.outcome(state) is not None:
            return Compared(state, KNOWN)
        efforts = [self._asked(which, state, self.limits.first) for which in range(4)]
        if all(effort.answer < 0 for effort in efforts):
            return Compared(state, UNSOLVED, tuple(efforts))
        for which, effort in enumerate(efforts):
            most = self.limits.alpha_beta if which < 2 else self.limits.proof_number
            if effort.answer < 0 and most > self.limits.first:
                efforts[which] = self._asked(which, state, most)
        return Compared(state, SOLVED, tuple(efforts))

    def _asked(self, which: int, state: tuple[int, ...], nodes: int) -> Effort:
        if which < 2:
            found = self.deepening[which].search(state, nodes)
            return Effort(found.nodes, 0, int(found.value == WON) if found.solved else _NOBODY)
        search = ProofNumberSearch(
            self.game, Budget(self.game, self.run, nodes), new_transpositions(SMALLEST), 0, _TREE,
            self.target, self.leaves, {} if which == 3 else ONES,
        )  # fmt: skip
        try:
            answer = int(search.holds(np.array(state, self.game.dtype), 1, lookup=False))
        except LimitReached:
            answer = _NOBODY
        return Effort(search.nodes, search.facts()["peak"], answer)


def compare_searches_on(
    game: Game, leaves: LeafDatabase, states: Sequence[Sequence[int]], limits: Limits, run: Run,
    kept: Path | None = None, target: jit.Target = "cpu",
) -> list[Compared]:  # fmt: skip
    """Compare the searches on states, on all threads; a file keeps what is done, line by line, and a later call goes on.

    Raises DamagedData if the file belongs to another comparison.
    """
    told = {"game": game.spec, "leaves": leaves.database.game.spec, "limits": list(limits), "searches": list(NAMES)}
    done = {} if kept is None else _read(kept, told)
    lock = Lock()
    spare: list[FourSearches] = []

    def work(state: tuple[int, ...]) -> None:
        with lock:
            searches = spare.pop() if spare else FourSearches(game, leaves, limits, run, target)
        found = searches.compare(state)
        with lock:
            spare.append(searches)
            done[state] = found
            if kept is not None:
                _append(kept, [list(state), found.kind, [list(effort) for effort in found.efforts]])
            run.progress("positions", len(done), len(states))

    leaves.leaves(run)
    if kept is not None and not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        _append(kept, told)
    # Compiles the kernels, on one thread.
    FourSearches(game, leaves, Limits(1, 1, 1), run, target).compare(game.start())
    wanted = [tuple(state) for state in states]
    run.map(work, [state for state in dict.fromkeys(wanted) if state not in done])
    return [done[state] for state in wanted]


def _append(path: Path, told: Any) -> None:
    with path.open("a") as file:
        file.write(json.dumps(told) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path, told: dict[str, Any]) -> dict[tuple[int, ...], Compared]:
    """Return what a file has; a last line that was cut short is taken away."""
    if not path.exists():
        return {}
    text = path.read_text()
    if not text.endswith("\n"):
        text = text[: text.rfind("\n") + 1]
        path.write_text(text)
    lines = [json.loads(line) for line in text.splitlines()]
    if not lines:
        path.unlink()
        return {}
    if lines[0] != told:
        raise DamagedData(f"{path} has another comparison, {lines[0]}: expected {told}; give another folder")
    return {
        tuple(state): Compared(tuple(state), kind, tuple(Effort(*effort) for effort in efforts))
        for state, kind, efforts in lines[1:]
    }


# --- the tables of the thesis -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """The positions of a comparison that some search has solved, and the tables 2.9 to 2.14 of Allis 1994 on them.

    A search that failed counts as the nodes it took. `easy` and `hard` are the halves by the smallest count of the four.
    """

    compared: tuple[Compared, ...]

    @property
    def solved(self) -> list[Compared]:
        """Return the solved positions, those first that took one of the searches the fewest nodes."""
        found = [one for one in self.compared if one.kind == SOLVED]
        return sorted(found, key=lambda one: min(effort.nodes for effort in one.efforts))

    @property
    def halves(self) -> dict[str, list[Compared]]:
        """Return the easy and the hard positions."""
        found = self.solved
        middle = (len(found) + 1) // 2
        return {"easy": found[:middle], "hard": found[middle:]}

    @property
    def failures(self) -> list[int]:
        """Return for each search the solved positions that it did not solve."""
        return [sum(one.efforts[which].answer < 0 for one in self.solved) for which in range(4)]

    @property
    def disagreements(self) -> int:
        """Return the number of positions on which two searches give different answers."""
        return sum(len({effort.answer for effort in one.efforts} - {_NOBODY}) > 1 for one in self.solved)

    def totals(self, positions: Sequence[Compared] | None = None) -> list[int]:
        """Return the nodes of each search."""
        chosen = self.solved if positions is None else positions
        return [sum(one.efforts[which].nodes for one in chosen) for which in range(4)]

    def factors(self) -> list[float]:
        """Return the nodes of each search as a multiple of those of the last one."""
        totals = self.totals()
        return [round(total / max(totals[3], 1), 2) for total in totals]

    def peak_shares(self) -> list[float]:
        """Return the mean peak of the tree over the mean of the nodes created, for the proof-number searches."""
        return [
            round(sum(one.efforts[which].peak for one in self.solved) / max(self.totals()[which], 1), 2)
            for which in (2, 3)
        ]

    def best(self, half: str) -> list[float]:
        """Return how often each search takes the fewest nodes; those that are equal share the position."""
        score = [0.0] * 4
        for one in self.halves[half]:
            fewest = min(effort.nodes for effort in one.efforts)
            winners = [which for which in range(4) if one.efforts[which].nodes == fewest]
            for which in winners:
                score[which] += 1 / len(winners)
        return [round(share, 1) for share in score]

    def beats(self, half: str, row: int, column: int) -> float:
        """Return on how many positions a search takes fewer nodes than another; equal ones count one half."""
        pairs = [(one.efforts[row].nodes, one.efforts[column].nodes) for one in self.halves[half]]
        return sum(1.0 if first < second else 0.5 if first == second else 0.0 for first, second in pairs)

    def sizes(self, which: int) -> dict[int, int]:
        """Return how many positions take up to 10^i, and more than 10^(i-1), nodes of a search."""
        found: dict[int, int] = {}
        for one in self.solved:
            size = max(1, ceil(log10(max(one.efforts[which].nodes, 1)) - 1e-12))
            found[size] = found.get(size, 0) + 1
        return dict(sorted(found.items()))

    def groups(self) -> dict[int, list[Compared]]:
        """Return the positions by the rounded mean of the logarithms of the four counts, at least 1."""
        found: dict[int, list[Compared]] = {}
        for one in self.solved:
            mean = sum(log10(max(effort.nodes, 1)) for effort in one.efforts) / 4
            found.setdefault(max(1, round(mean)), []).append(one)
        return dict(sorted(found.items()))

    def advantage(self, least: int = 5) -> dict[int, float]:
        """Return the nodes of alpha-beta over those of the last search, by group, without groups of fewer positions."""
        totals = {size: self.totals(group) for size, group in self.groups().items() if len(group) >= least}
        return {size: round(total[0] / max(total[3], 1), 2) for size, total in totals.items()}

    def tables(self) -> str:
        """Return tables 2.9 to 2.14 as text."""
        solved, totals, peaks = self.solved, self.totals(), self.peak_shares()
        count = max(len(solved), 1)
        blocks = [
            _table("2.9  times best of all", NAMES, {
                f"{half} ({len(part)})": [f"{share:g}" for share in self.best(half)] for half, part in self.halves.items()
            }),
            *(
                _table(f"{number}  {half}: row beats column", NAMES, {
                    NAMES[row]: ["-" if row == column else f"{self.beats(half, row, column):g}" for column in range(4)]
                    for row in range(4)
                })
                for number, half in (("2.10", "easy"), ("2.11", "hard"))
            ),
            _table("2.12  nodes", ("total", "average", "factor", "average peak", "not solved"), {
                name: [f"{totals[which]:,}", f"{totals[which] // count:,}", f"{self.factors()[which]:g}",
                       f"{round(peaks[which - 2] * totals[which] / count):,}" if which > 1 else "", str(self.failures[which])]
                for which, name in enumerate(NAMES)
            }),
        ]  # fmt: skip
        sizes = {name: self.sizes(which) for which, name in enumerate(NAMES)}
        last = max((size for found in sizes.values() for size in found), default=1)
        heads = [f"10^{size}" for size in range(1, last + 1)]
        rows = {name: [str(found.get(size, "")) for size in range(1, last + 1)] for name, found in sizes.items()}
        blocks.append(_table("2.13  positions by nodes", heads, rows))
        groups = self.groups()
        rows = {
            "positions": [str(len(group)) for group in groups.values()],
            **{
                f"{name} / {NAMES[3]}": [
                    f"{self.totals(group)[which] / max(self.totals(group)[3], 1):.2f}" for group in groups.values()
                ]
                for which, name in enumerate(NAMES[:3])
            },
        }
        blocks.append(_table("2.14  groups, by the mean logarithm", [f"10^{size}" for size in groups], rows))
        return "\n\n".join(blocks)


def _table(title: str, heads: Sequence[str], rows: dict[str, list[str]]) -> str:
    first = max(map(len, rows), default=0)
    widths = [max(len(head), *(len(row[place]) for row in rows.values())) for place, head in enumerate(heads)]
    lines = [title, " ".join([" " * first, *(head.rjust(width) for head, width in zip(heads, widths, strict=True))])]
    for name, cells in rows.items():
        lines.append(
            " ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))])
        )
    return "\n".join(line.rstrip() for line in lines)
