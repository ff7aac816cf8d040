"""The working folder of a proof: a file for each of white's replies to the centre, and how far all of them are.

A *branch* is one of white's replies modulo symmetry. Its file gets a line for everything found: black's second move, and each
attempt to prove that white's next reply loses, with the records of the proof. Lines are only appended, and a line that was
cut short is dropped, so the work can be killed at any time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from searchbench.errors import BadRequest, DamagedData
from searchbench.solvers.proof.gomoku.nodes import State, black_stones, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.store.folder import lock

FORMAT: Final = 2
SHORT: Final = 10_000
"""Nodes with which a checker finds the wins by threats that have no record. It may take far more: `prove.CHECKED`."""


@dataclass
class Branch:
    """Hold what the file of a branch says: black's second move (-1 before it is chosen), and all attempts."""

    path: Path
    opening: Opening
    white: int
    second: int = -1
    tried: dict[int, dict[int, dict[str, Any]]] = field(default_factory=dict)
    """By black's second move and white's reply, the last attempt; a race tries replies after several second moves."""
    below: list[dict[str, Any]] = field(default_factory=list)
    """What was found below hard replies, with the stones as "below" (:mod:`searchbench.solvers.proof.gomoku.two_levels`)."""
    seconds: float = 0.0
    nodes: int = 0
    checked: int = 0
    """How many records a checker's walk has passed (:mod:`searchbench.solvers.proof.gomoku.closing`)."""
    added: list[list[Any]] = field(default_factory=list)
    gaps: list[list[Any]] = field(default_factory=list)
    beside: dict[int, int] = field(default_factory=dict)
    """How many records of each branch its own were asked about with (:mod:`searchbench.solvers.proof.gomoku.together`)."""

    def __str__(self) -> str:
        name = self.opening.name
        if self.second < 0:
            return f"{name(self.white)}: nothing yet"
        replies = len(self.opening.replies(self.base))
        return f"{name(self.white)} {name(self.second)}: {len(self.proved)} of {replies} replies, {self.seconds:,.0f} s"

    @property
    def base(self) -> State:
        """Return the position after black's second move."""
        return self.base_of(self.second)

    def base_of(self, second: int) -> State:
        """Return the position after a second move of black."""
        return stones_at(self.opening.start, [(self.white, 2), (second, 1)])

    @property
    def attempts(self) -> dict[int, dict[str, Any]]:
        """Return the last attempt by reply, for the second move that was chosen."""
        return self.tried.get(self.second, {})

    @property
    def proved(self) -> list[int]:
        """Return the replies that are proved to lose."""
        return [reply for reply, line in self.attempts.items() if line["proved"]]

    def open_replies(self, limit: int, second: int | None = None) -> list[int]:
        """Return the replies to a second move (None: the chosen one) not proved, and not yet tried with so many nodes."""
        second = self.second if second is None else second
        tried = self.tried.get(second, {})
        return [
            reply
            for reply in self.opening.replies(self.base_of(second))
            if reply not in tried or not (tried[reply]["proved"] or tried[reply]["limit"] >= limit)
        ]

    def left_open(self, second: int, limit: int = 0) -> int:
        """Return how many replies to a second move so many nodes have left open."""
        return sum(not line["proved"] and line["limit"] >= limit for line in self.tried.get(second, {}).values())

    @property
    def finished(self) -> bool:
        """Return whether all replies are proved to lose."""
        return self.second >= 0 and len(self.proved) == len(self.opening.replies(self.base))

    def records(self) -> Iterator[tuple[State, int]]:
        """Generate the positions with black to move and black's move."""
        if self.second >= 0:
            yield stones_at(self.opening.start, [(self.white, 2)]), self.second
        yield from self.records_of(self.second)
        yield from self.read(self.added)

    def records_of(self, second: int) -> Iterator[tuple[State, int]]:
        """Generate the positions after a second move of black, and black's moves."""
        for line in self.tried.get(second, {}).values():
            yield from self.read(line.get("records", []))

    def read(self, records: list[list[Any]]) -> Iterator[tuple[State, int]]:
        """Generate the positions and moves of records as the file has them."""
        for black, white, move in records:
            stones = [(cell, 1) for cell in black] + [(cell, 2) for cell in white]
            yield stones_at((0,) * self.opening.size**2, stones), move

    def add(self, line: Mapping[str, Any]) -> None:
        """Take in a line, and append it to the file."""
        self.take(line)
        with self.path.open("ab") as file:
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def take(self, line: Mapping[str, Any]) -> None:
        """Take in a line: the move that is chosen, records that a checker's walk has passed, an attempt, or what is below one."""
        if "checked" in line:  # the time of the walk says nothing of the replies left
            self.checked = line["checked"] if line.get("short") == SHORT else 0
            self.added += line["records"]
            self.gaps += line["gaps"]
            return
        if "beside" in line:
            self.beside = dict(line["beside"])
            self.added += line["records"]
            self.gaps += line["gaps"]
            return
        if "closed" in line:
            self.gaps = [gap for gap in self.gaps if gap != line["closed"]]
            self.added += line["records"]
            return
        self.seconds += line["seconds"]
        self.nodes += line["nodes"]
        if "below" in line:
            self.below.append(dict(line))
        elif "second" in line:
            if line["second"] != self.second:
                self.checked, self.added, self.gaps, self.beside = 0, [], [], {}
            self.second = line["second"]
        else:
            self.tried.setdefault(line.get("of", self.second), {})[line["reply"]] = dict(line)


def read_branch(folder: Path, opening: Opening, white: int) -> Branch:
    """Read the file of a branch, if there is one; drop a last line that was cut short. Raises DamagedData."""
    branch = Branch(branch_path(folder, opening, white), opening, white)
    if not branch.path.exists():
        return branch
    data = branch.path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with branch.path.open("r+b") as file:
            file.truncate(len(whole))
    for number, text in enumerate(whole.splitlines()):
        try:
            branch.take(json.loads(text))
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedData(
                f"{branch.path}, line {number + 1} cannot be read ({error!r}): remove that line"
            ) from None
    return branch


def open_folder(folder: Path, opening: Opening) -> int:
    """Make or open the working folder and lock it; return the lock. Raises BadRequest."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = lock(folder)
    if handle is None:
        raise BadRequest(f"{folder}: another process works there")
    task = {"format": FORMAT, "size": opening.size, "rule": opening.rule}
    path = folder / "task.json"
    if path.exists():
        found = json.loads(path.read_text())
        if found != task:
            raise BadRequest(f"{folder} holds work on {found}, now {task}: name another folder")
    else:
        beside = folder / "task.json.new"
        beside.write_text(json.dumps(task))
        beside.replace(path)
    return handle


def stopper(until: float) -> Callable[[], bool]:
    """Return a function that tells whether the time is over."""
    return lambda: time.time() >= until


def lock_branch(folder: Path, opening: Opening, white: int, stop: Callable[[], bool]) -> int:
    """Lock the file of a branch, and return the lock. After a kill, the process that held it ends soon."""
    path = branch_path(folder, opening, white)
    path.touch()
    while (handle := lock(path)) is None:
        if stop():
            raise BadRequest(f"{path}: another process works there")
        time.sleep(0.2)
    return handle


def branch_path(folder: Path, opening: Opening, white: int) -> Path:
    """Return the file of a branch."""
    return folder / f"{opening.name(white)}.jsonl"


def written(records: Mapping[State, int]) -> list[list[Any]]:
    """Return records as a branch's file has them: black's cells, white's cells, black's move."""
    return [
        [black_stones(state), [cell for cell, stone in enumerate(state) if stone == 2], move]
        for state, move in records.items()
    ]


@dataclass(frozen=True)
class Progress:
    """Tell how far a proof is: branches and replies, finished and in all, records, processor time, and an estimate."""

    branches: int
    finished: int
    replies: int
    proved: int
    tried: int
    records: int
    nodes: int
    seconds: float
    checked: int
    gaps: int

    @property
    def left(self) -> float:
        """Return the processor seconds left, if untried replies take as long as the tried ones did; open ones are left out."""
        return self.seconds / self.tried * (self.replies - self.tried) if self.tried else 0.0

    def __str__(self) -> str:
        return (
            f"{self.finished} of {self.branches} branches, {self.proved:,} of {self.replies:,} replies proved, "
            f"{self.tried - self.proved:,} tried and open, {self.records:,} records, {self.nodes:,} nodes, "
            f"{self.seconds:,.0f} processor seconds; untried replies: about {self.left:,.0f} more; "
            f"{self.checked:,} records checked, {self.gaps} gaps"
        )


def progress(folder: Path, opening: Opening) -> Progress:
    """Return how far the work in a folder is."""
    branches = [read_branch(folder, opening, white) for white in opening.replies(opening.start)]
    replies = [len(opening.replies(branch.base)) if branch.second >= 0 else opening.size**2 - 3 for branch in branches]
    return Progress(
        len(branches), sum(branch.finished for branch in branches), sum(replies),
        sum(len(branch.proved) for branch in branches), sum(len(branch.attempts) for branch in branches),
        sum(1 for branch in branches for _ in branch.records()), sum(branch.nodes for branch in branches),
        sum(branch.seconds for branch in branches), sum(branch.checked for branch in branches),
        sum(len(branch.gaps) for branch in branches),
    )  # fmt: skip
