"""Run the process of a job: read a task from stdin, write progress and the result to stdout, a JSON object a line."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, TextIO

import searchbench as sb
from searchbench.errors import SearchBenchError
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.run import Branch, Limits, Run, parse_memory
from searchbench.web.answers import picture

EVERY: Final = 0.1
"""Seconds between two reports."""
TREE_EVERY: Final = 0.5
"""Seconds between two reports of a tree."""
LONGEST: Final = 600
"""Most positions of a line that are drawn."""

Task = dict[str, Any]


def branch(game: Game, state: list[int], top: Branch, move: str = "") -> Task:
    """Return a node of a proof's tree as the API's answer, with the moves in the game's notation."""
    below = [
        branch(game, list(game.play(state, one.move)), one, game.format_move(state, one.move)) for one in top.children
    ]
    return {
        "move": move,
        "proof": None if top.proof < 0 else top.proof,
        "disproof": None if top.disproof < 0 else top.disproof,
        "inner": top.inner,
        "children": below,
    }


class Reporter:
    """Write the progress of a job; a run's `report`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.root: Position | None = None
        """The root of the search that is watched."""
        self._last, self._began = 0.0, time.monotonic()
        self._told_tree = 0.0
        self._untold: Branch | None = None
        self._line: Task | None = None

    def tell(self, **what: Any) -> None:
        """Write one object."""
        self._out.write(json.dumps(what) + "\n")
        self._out.flush()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report a stage, unless the last report is less than EVERY seconds old."""
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        seconds = now - self._began
        self.tell(
            progress={"stage": stage, "done": done, "total": total, "seconds": round(seconds, 2), "line": self._line}
        )

    def watch_tree(self, top: Branch) -> None:
        """Tell the top of the tree of a proof, unless the last one is less than TREE_EVERY seconds old."""
        self._untold = top
        if time.monotonic() - self._told_tree >= TREE_EVERY:
            self.tell_tree()

    def tell_tree(self) -> None:
        """Tell the last tree if it has not been told: the one at the end of a proof."""
        if self.root is None or self._untold is None:
            return
        self._told_tree = time.monotonic()
        self.tell(tree=branch(self.root.game, list(self.root.state), self._untold))
        self._untold = None

    def watch(self, moves: Sequence[int]) -> None:
        """Keep a search's current line for the next report."""
        if self.root is None or time.monotonic() - self._last < EVERY:
            return
        game = self.root.game
        line = Line(game, self.root.state, tuple(moves), 0)
        last = Position(game, line.states()[-1])
        turned = len(moves) % 2 if game.two_players else 0
        self._line = {
            "moves": line.move_texts(),
            "state": last.text,
            "picture": picture(last, turned),
            "text": str(last),
        }


def solve(task: Task, reporter: Reporter) -> Task:
    """Solve all states of a game into a folder."""
    game = sb.load(task["game"])
    database = sb.solve(game, to=task["to"], memory=task["memory"], progress=reporter)
    return {
        "game": game.spec,
        "states": database.states,
        "reachable": database.reachable,
        "levels": database.facts.get("levels"),
        "solver": database.facts.get("solver"),
    }


def verify(task: Task, reporter: Reporter) -> Task:
    """Check every value of a database."""
    run = Run(memory=parse_memory(task["memory"]), report=reporter)
    with run:
        report = sb.open_database(task["path"], task["game"], trust=True).verify(run)
    return {"states": report.states, "faults": report.count, "found": [str(fault) for fault in report.faults[:5]]}


def search(task: Task, reporter: Reporter) -> Task:
    """Search a line from one state of a puzzle."""
    from searchbench.solvers.guided import search_state
    from searchbench.tried import try_before, try_line

    game = sb.load(task["game"])
    try_before("search", game)
    root = reporter.root = game.position(task.get("state") or "start")
    run = Run(parse_memory(task["memory"]), 1, reporter, watch=reporter.watch)
    line = search_state(game, root, task.get("method") or None, run, Limits(task["nodes"], task["seconds"]))
    try_line(line)
    positions = list(line)
    return {
        "cost": line.cost,
        "optimal": line.optimal,
        "nodes": line.nodes,
        "took": round(line.seconds, 4),
        "moves": line.move_texts(),
        "states": [position.text for position in positions],
        "pictures": [picture(position) for position in positions[:LONGEST]],
        "texts": [str(position) for position in positions],
    }


def prove(task: Task, reporter: Reporter) -> Task:
    """Prove the value of one state of a game of two players."""
    from searchbench.solvers.proof import prove_state
    from searchbench.tried import try_before

    game = sb.load(task["game"])
    try_before("prove", game)
    root = reporter.root = game.position(task.get("state") or "start")
    run = Run(parse_memory(task["memory"]), 1, reporter, watch=reporter.watch, watch_tree=reporter.watch_tree)
    # A little less than the job's time, so that a value without its evidence is reported before the job is stopped.
    try:
        proof = prove_state(game, root, task.get("method") or None, run, Limits(task["nodes"], 0.9 * task["seconds"]))
    finally:
        reporter.tell_tree()
    sizes = [len(claim.strategy) for claim in proof.claims]
    found = {"value": proof.value, "nodes": proof.nodes, "took": round(proof.seconds, 4), "strategies": sizes}
    target = Path(task["to"])
    certificate = next(
        file
        for file in (target.with_name(f"{target.stem}{f'-{number}' * (number > 1)}.cert") for number in count(1))
        if not file.exists()
    )
    try:
        proof.write(certificate)
    except SearchBenchError:  # its evidence is incomplete, or of a kind that no file holds
        return found
    return {**found, "certificate": str(certificate)}


WORK: Final[dict[str, Callable[[Task, Reporter], Task]]] = {
    "solve": solve, "verify": verify, "search": search, "prove": prove,
}  # fmt: skip


def main() -> None:
    """Do one task."""
    out = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr  # output of a user's game must not mix with the reports
    task = json.load(sys.stdin)
    reporter = Reporter(out)
    reporter("loading and compiling", 0, 0)
    try:
        reporter.tell(result=WORK[task["kind"]](task, reporter))
    except SearchBenchError as error:
        reporter.tell(error={"kind": type(error).__name__, "message": str(error)})
    except MemoryError:
        reporter.tell(error={"kind": "OutOfMemory", "message": "out of memory: choose a smaller game"})
    except Exception as error:
        reporter.tell(error={"kind": type(error).__name__, "message": f"{type(error).__name__}: {str(error)[:400]}"})


if __name__ == "__main__":
    main()
