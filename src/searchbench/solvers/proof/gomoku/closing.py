"""Make a finished branch whole for a checker: try every white reply to every record, and prove again what is not found.

The search proves some replies by moves that it remembers. A checker begins with nothing: it replays black's win against the
null move, and searches for a win by threats with a limit of nodes. A reply for which neither suffices becomes a record here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from searchbench.jit import Target
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.openings import (
    Branch,
    Opening,
    attack_for,
    lock_branch,
    read_branch,
    stopper,
    written,
)
from searchbench.solvers.proof.gomoku.patterns import FIVE
from searchbench.solvers.proof.gomoku.search import BLACK, WHITE, QuietSearch, State, Stopped, stones_at

FORCED: Final = 20_000
"""Nodes of a search for a win by threats where a position with black to move has no record."""
AGAIN: Final = 2_000_000
"""Nodes to prove again what was not found."""
_STEP: Final = 20
"""Records between two lines of the file."""


def close_branch(folder: Path, opening: Opening, white: int, until: float, target: Target = "cpu") -> Branch:
    """Try every reply to the records of a branch, up to a time; what is not found becomes a record, or else a gap."""
    stop = stopper(until)
    handle = lock_branch(folder, opening, white, stop)
    try:
        branch = read_branch(folder, opening, white)
        close_records(branch, attack_for(opening, target), stop)
    except Stopped:
        pass
    finally:
        os.close(handle)
    return branch


def close_records(branch: Branch, attack: Attack, stop: Callable[[], bool]) -> None:
    """Go through the records of a branch that no walk has passed. Raises Stopped."""
    opening = branch.opening
    while not stop():
        records = list(branch.records())
        waiting = records[branch.checked : branch.checked + _STEP]
        if not waiting or not branch.finished:
            break
        began, before = time.process_time(), attack.nodes
        known = {opening.canonical(state)[0] for state, _ in records}
        added: dict[State, int] = {}
        gaps: list[State] = []
        for state, move in waiting:
            for reply in unproved_replies(attack, opening, known, stones_at(state, [(move, 1)])):
                search = QuietSearch(attack, stop)
                if not search.solve(reply, AGAIN):
                    gaps.append(reply)
                for found, answer in search.records(reply).items() if reply not in gaps else ():
                    canonical = opening.canonical(found)[0]
                    if canonical not in known:
                        known.add(canonical)
                        added[found] = answer
        branch.add({
            "checked": branch.checked + len(waiting), "records": written(added),
            "gaps": [written({gap: -1})[0] for gap in gaps], "nodes": attack.nodes - before,
            "seconds": round(time.process_time() - began, 3),
        })  # fmt: skip


def unproved_replies(attack: Attack, opening: Opening, known: Any, state: State) -> list[State]:
    """Return the positions after white's replies that have no record, and where no win by threats is found.

    `state` has white to move. A reply that makes five is among them.
    """
    attack.threats.table.words[:] = 0
    attack.set(state)
    threatened = not attack.has(WHITE, FIVE) and attack.by_threats(BLACK, FORCED) == WON
    left = []
    for cell in range(len(state)):
        if state[cell] == 0:
            attack.set(state)
            five = attack.cells(WHITE, FIVE)[cell]
            reply = stones_at(state, [(cell, 2)])
            if not five and opening.canonical(reply)[0] in known:
                continue
            attack.put(cell, WHITE)
            won = threatened and attack.replay(BLACK, [(cell, WHITE)])
            if five or not (won or attack.by_threats(BLACK, FORCED) == WON):
                left.append(reply)
    return left
