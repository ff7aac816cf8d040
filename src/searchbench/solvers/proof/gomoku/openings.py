"""Prove that black wins go-moku: every white reply to the centre, black's answer to it, every further white reply.

A *branch* is one of white's replies modulo symmetry. Its file in the working folder gets a line for everything found: black's
answer, which is chosen by probing candidates on the replies that look hardest, then each reply with the records of its
proof. Lines are only appended, and a line that was cut short is dropped, so the work can be killed at any time.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest, DamagedData
from searchbench.jit import Target
from searchbench.proof import Claim
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.patterns import Rule
from searchbench.solvers.proof.gomoku.search import (
    BLACK_WEIGHT,
    WHITE_WEIGHT,
    QuietSearch,
    State,
    Stopped,
    black_stones,
    stones_at,
)
from searchbench.store.folder import lock

FORMAT: Final = 1
SECOND_MOVES: Final = 6
"""Candidates for black's second move."""
PROBES: Final = 6
"""White's replies on which each candidate is probed."""
PROBE_LIMIT: Final = 60_000
"""Nodes of each probe in the first round."""
SHORT: Final = 2_000
"""Nodes of the wins by threats that a checker is left to find by itself: longer ones begin with records."""
LIMITS: Final = tuple(200_000 * 4**step for step in range(6))
"""Nodes for each reply, round by round."""


@lru_cache(maxsize=4)
def _turns(size: int) -> tuple[list[list[int]], npt.NDArray[np.int64]]:
    """Return for each symmetry the target of each cell, and the cell whose stone comes to each cell."""
    board = np.arange(size * size).reshape(size, size)
    sources = np.stack([np.rot90(one, turn).ravel() for one in (board, board.T) for turn in range(4)])
    return np.argsort(sources, axis=1).tolist(), sources


@dataclass(frozen=True)
class Opening:
    """Name a square board and a rule. Cells are numbered in reading order."""

    size: int = 15
    rule: Rule = "free"

    def __post_init__(self) -> None:
        if not 5 <= self.size <= 25:
            raise BadRequest(f"a board of {self.size} x {self.size}: expected 5 to 25 columns")
        if self.rule not in ("free", "standard"):
            raise BadRequest(f"rule {self.rule!r}: there are free, standard")

    @property
    def has_centre(self) -> bool:
        """Return whether a game can begin in the centre, with room for a row beside it."""
        return self.size % 2 == 1 and self.size >= 7

    @property
    def start(self) -> State:
        """Return the board with black's stone in the centre. Raises BadRequest where there is none, or no room around it."""
        if not self.has_centre:
            raise BadRequest(f"a board of {self.size} x {self.size}: expected an odd size from 7 to 25, with a centre")
        return stones_at((0,) * self.size**2, [(self.size**2 // 2, 1)])

    def turns(self) -> list[list[int]]:
        """Return for each symmetry the cell to which it takes every cell."""
        return _turns(self.size)[0]

    def canonical(self, state: State, move: int = 0) -> tuple[State, int]:
        """Return the smallest symmetric state, and the move as it is there."""
        turns, sources = _turns(self.size)
        turned = np.array(state, np.uint8)[sources]
        best = min(range(len(turns)), key=lambda turn: turned[turn].tobytes())
        return tuple(turned[best].tolist()), turns[best][move]

    def replies(self, state: State) -> list[int]:
        """Return the empty cells, one of each class of those that symmetries of the position exchange."""
        own = [turn for turn in self.turns() if all(state[turn[cell]] == stone for cell, stone in enumerate(state))]
        return [cell for cell, stone in enumerate(state) if stone == 0 and cell == min(turn[cell] for turn in own)]

    def name(self, cell: int) -> str:
        """Return a cell as players write it, such as "h8"."""
        return f"{chr(ord('a') + cell % self.size)}{self.size - cell // self.size}"


@dataclass
class Branch:
    """Hold what the file of a branch says: black's second move (-1 before it is chosen), and by reply its last attempt."""

    path: Path
    opening: Opening
    white: int
    second: int = -1
    attempts: dict[int, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0
    nodes: int = 0
    checked: int = 0
    """How many records a checker's walk has passed (:mod:`searchbench.solvers.proof.gomoku.closing`)."""
    added: list[list[Any]] = field(default_factory=list)
    gaps: list[list[Any]] = field(default_factory=list)

    def __str__(self) -> str:
        name = self.opening.name
        if self.second < 0:
            return f"{name(self.white)}: nothing yet"
        replies = len(self.opening.replies(self.base))
        return f"{name(self.white)} {name(self.second)}: {len(self.proved)} of {replies} replies, {self.seconds:,.0f} s"

    @property
    def base(self) -> State:
        """Return the position after black's second move."""
        return stones_at(self.opening.start, [(self.white, 2), (self.second, 1)])

    @property
    def proved(self) -> list[int]:
        """Return the replies that are proved to lose."""
        return [reply for reply, line in self.attempts.items() if line["proved"]]

    def open_replies(self, limit: int) -> list[int]:
        """Return the replies not proved, and not yet tried with so many nodes."""
        return [
            reply
            for reply in self.opening.replies(self.base)
            if reply not in self.attempts
            or not (self.attempts[reply]["proved"] or self.attempts[reply]["limit"] >= limit)
        ]

    @property
    def finished(self) -> bool:
        """Return whether all replies are proved to lose."""
        return self.second >= 0 and len(self.proved) == len(self.opening.replies(self.base))

    def records(self) -> Iterator[tuple[State, int]]:
        """Generate the positions with black to move and black's move."""
        if self.second >= 0:
            yield stones_at(self.opening.start, [(self.white, 2)]), self.second
        lines = [line.get("records", []) for line in self.attempts.values()]
        for records in (*lines, self.added):
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
        """Take in a line."""
        if "checked" not in line:  # the time of the walk says nothing of the replies left
            self.seconds += line["seconds"]
            self.nodes += line["nodes"]
        if "second" in line:
            if line["second"] != self.second:
                self.attempts.clear()
            self.second = line["second"]
        elif "checked" in line:
            self.checked = line["checked"] if line.get("short") == SHORT else 0
            self.added += line["records"]
            self.gaps += line["gaps"]
        else:
            self.attempts[line["reply"]] = dict(line)


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


_KEPT: dict[tuple[Opening, Target], Attack] = {}


def attack_for(opening: Opening, target: Target) -> Attack:
    """Return the search of this process, with an empty memory."""
    if (opening, target) not in _KEPT:
        _KEPT[opening, target] = Attack(opening.size, opening.size, opening.rule, target=target)
    attack = _KEPT[opening, target]
    attack.forget()
    return attack


def work_on_branch(
    folder: Path, opening: Opening, white: int, limit: int, until: float, target: Target = "cpu"
) -> Branch:
    """Choose black's answer in a branch if need be, and try its open replies with `limit` nodes each, up to a time."""
    stop = stopper(until)
    handle = lock_branch(folder, opening, white, stop)
    branch = read_branch(folder, opening, white)
    attack = attack_for(opening, target)
    search = QuietSearch(attack, stop)
    try:
        if branch.second < 0:
            choose_second(branch, attack, stop)
        for state, move in branch.records():
            for cell, stone in enumerate(state):
                if stone == 2:
                    search.worked.setdefault((black_stones(state), cell), move)
        attack.set(branch.base)
        values = attack.values(1, 1)
        for reply in sorted(branch.open_replies(limit), key=lambda cell: (values[cell], cell)):
            branch.add(attempt(search, branch.base, reply, limit))
    except Stopped:
        pass
    finally:
        os.close(handle)
    return branch


def stopper(until: float) -> Callable[[], bool]:
    """Return a function that tells whether the time is over."""
    return lambda: time.time() >= until


def end_with_parent() -> None:
    """End this process as soon as the one that asked for its work is gone, however that ended."""
    parent = parent_process()

    def wait() -> None:
        assert parent is not None
        parent.join()
        signal.raise_signal(signal.SIGKILL)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()


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


def attempt(search: QuietSearch, base: State, reply: int, limit: int) -> dict[str, Any]:
    """Try to prove that black wins after a reply; return the line for the branch's file."""
    began, before = time.process_time(), search.attack.nodes
    root = stones_at(base, [(reply, 2)])
    found = search.solve(root, limit)
    line: dict[str, Any] = {
        "reply": reply, "proved": bool(found), "limit": limit, "nodes": search.attack.nodes - before,
        "seconds": round(time.process_time() - began, 3), "proof_number": search.nodes[root].proof,
        "positions": len(search.nodes),
    }  # fmt: skip
    if found:
        line["records"] = written(search.records(root))
    search.forget()
    return line


class Candidate:
    """Hold a candidate for black's second move, and what its probes have found: the last line for each reply."""

    def __init__(self, opening: Opening, attack: Attack, first: State, second: int, stop: Callable[[], bool]) -> None:
        self.second, self.base = second, stones_at(first, [(second, 1)])
        self.search = QuietSearch(attack, stop)
        attack.set(self.base)
        values = attack.values(1, 1)
        hardest = sorted(opening.replies(self.base), key=lambda cell: (-values[cell], cell))[:PROBES]
        self.lines: dict[int, dict[str, Any]] = {reply: {} for reply in hardest}
        self.seconds, self.nodes = 0.0, 0

    def probe(self, limit: int) -> None:
        """Try the replies that are not proved yet."""
        self.search.attack.forget()
        for reply, line in self.lines.items():
            if not line.get("proved"):
                self.lines[reply] = line = attempt(self.search, self.base, reply, limit)
                self.seconds += line["seconds"]
                self.nodes += line["nodes"]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Return how bad the candidate is: open replies, the sum of their proof numbers, and the nodes of all."""
        left = [line["proof_number"] for line in self.lines.values() if not line["proved"]]
        return len(left), sum(left), self.nodes


def choose_second(branch: Branch, attack: Attack, stop: Callable[[], bool]) -> None:
    """Choose black's second move: race the best candidates against the replies that look hardest.

    Each round leaves the better half, with four times as many nodes, until one is left or has won all.
    """
    opening = branch.opening
    began = time.process_time()
    first = stones_at(opening.start, [(branch.white, 2)])
    attack.set(first)
    values = attack.values(BLACK_WEIGHT, WHITE_WEIGHT)
    cells = sorted(opening.replies(first), key=lambda cell: (-values[cell], cell))[:SECOND_MOVES]
    every = [Candidate(opening, attack, first, cell, stop) for cell in cells]
    racing, limit = every, PROBE_LIMIT
    while True:
        for candidate in racing:
            candidate.probe(limit)
        racing = sorted(racing, key=lambda one: one.rank)
        if racing[0].rank[0] == 0 or len(racing) <= 2:
            break
        racing, limit = racing[: (len(racing) + 1) // 2], 4 * limit
    best = racing[0]
    proved = [line for line in best.lines.values() if line["proved"]]
    branch.add({
        "second": best.second, "probes": {opening.name(one.second): list(one.rank) for one in every},
        "seconds": round(time.process_time() - began - sum(line["seconds"] for line in proved), 3),
        "nodes": sum(one.nodes for one in every) - sum(line["nodes"] for line in proved),
    })  # fmt: skip
    for line in proved:
        branch.add(line)


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


def chosen_branches(opening: Opening, names: Sequence[str]) -> list[int]:
    """Return the representatives of white's replies of these names; all of them if there is none. Raises BadRequest."""
    every = opening.replies(opening.start)
    cells = {opening.name(cell): cell for cell in range(opening.size**2) if opening.start[cell] == 0}
    unknown = [name for name in names if name not in cells]
    if unknown:
        raise BadRequest(f"branches {', '.join(unknown)}: expected cells such as {', '.join(list(cells)[:3])}")
    chosen = {min(turn[cells[name]] for turn in opening.turns()) for name in names}
    return [cell for cell in every if not names or cell in chosen]


def prove(
    folder: Path,
    opening: Opening,
    threads: int = 1,
    seconds: float = 0.0,
    branches: Sequence[str] = (),
    report: Callable[[str], None] = print,
    close: Callable[..., Branch] | None = None,
) -> bool:
    """Work on the proof in a folder, on several processes, for some seconds (0: until it ends); return whether it is whole.

    Every round gives the open replies of each branch four times as many nodes. With `close` (`closing.close_branch`), finished
    branches are walked through as a checker does instead. Raises BadRequest and DamagedData.
    """
    handle = open_folder(folder, opening)
    try:
        chosen = chosen_branches(opening, branches)
        until = time.time() + seconds if seconds else float("inf")
        with ProcessPoolExecutor(threads, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
            for limit in LIMITS if close is None else ():
                read = [read_branch(folder, opening, white) for white in chosen]
                waiting = [one.white for one in read if one.second < 0 or one.open_replies(limit)]
                if time.time() >= until:
                    break
                tasks = [pool.submit(work_on_branch, folder, opening, white, limit, until) for white in waiting]
                for task in as_completed(tasks):
                    report(f"{task.result()}; up to {limit:,} nodes each. {progress(folder, opening)}")
            if close is not None:
                tasks = [pool.submit(close, folder, opening, white, until) for white in chosen]
                for task in as_completed(tasks):
                    report(f"{task.result()}. {progress(folder, opening)}")
        return all(read_branch(folder, opening, white).finished for white in chosen)
    finally:
        os.close(handle)


def claim(folder: Path, opening: Opening) -> Claim:
    """Return what the work in a folder claims: black's move for canonical positions that have no win by threats.

    Moves are those of games of lines: twice the cell. Claims of unfinished work do not hold. Verification knows forced
    sequences of single answers only, so it asks for records where a win by threats has none.
    """
    strategy = {opening.canonical((0,) * opening.size**2)[0]: 2 * (opening.size**2 // 2)}
    for white in opening.replies(opening.start):
        for state, move in read_branch(folder, opening, white).records():
            canonical, there = opening.canonical(state, move)
            strategy[canonical] = 2 * there
    return Claim(0, 1, strategy, symmetric=True)
