"""Make a finished branch whole for a checker: try every white reply to every record, and prove again what is not found.

The search proves some replies by moves that it remembers. A checker begins with nothing: it replays black's win against the
null move, and searches for a win by threats with a limit of nodes. A reply for which neither suffices becomes a record here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from searchbench.errors import Exhausted
from searchbench.jit import Target
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, lock_branch, read_branch, stopper, written
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.nodes import BLACK, WHITE, State, Stopped, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.patterns import FIVE
from searchbench.solvers.proof.gomoku.rounds import attack_for
from searchbench.solvers.proof.gomoku.search import QuietSearch
from searchbench.solvers.proof.gomoku.two_levels import TwoLevels

PASSED: Final = 5_000
"""Nodes of the search for black's win by threats if white passes."""
LONG: Final = 200_000
"""Nodes of the search for a win by threats that begins with a record."""
AGAIN: Final = (1_000_000, 50_000_000)
"""Nodes to prove again what was not found, by one search and on two levels."""
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
    """Go through the records of a branch that no walk has passed, once its gaps are proved. Raises Stopped."""
    opening = branch.opening
    for gap in branch.gaps[:]:
        _close_gap(branch, attack, gap, stop)
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
                found = prove_again(attack, reply, stop)
                if found is None:
                    gaps.append(reply)
                for one, answer in (found or {}).items():
                    canonical = opening.canonical(one)[0]
                    if canonical not in known:
                        known.add(canonical)
                        added[one] = answer
        branch.add({
            "checked": branch.checked + len(waiting), "short": SHORT, "records": written(added),
            "gaps": [written({gap: -1})[0] for gap in gaps], "nodes": attack.nodes - before,
            "seconds": round(time.process_time() - began, 3),
        })  # fmt: skip


def _close_gap(branch: Branch, attack: Attack, gap: list[Any], stop: Callable[[], bool]) -> None:
    """Try to prove a gap once more. Raises Stopped."""
    began, before = time.process_time(), attack.nodes
    ((state, _),) = branch.read([gap])
    found = prove_again(attack, state, stop)
    if found is not None:
        branch.add({
            "closed": gap, "records": written(found), "nodes": attack.nodes - before,
            "seconds": round(time.process_time() - began, 3),
        })  # fmt: skip


def closed(
    attack: Attack, opening: Opening, moves: Mapping[State, int], root: State, stop: Callable[[], bool]
) -> dict[State, int]:
    """Return the records of one position, with those that a checker needs besides. Raises Exhausted and Stopped.

    Black, to move at the root, has the records' moves.
    """
    records = dict(moves)
    if root not in records:
        attack.forget()
        attack.set(root)
        if attack.by_threats(BLACK, SHORT) == WON:
            return records
        records |= prove_again(attack, root, stop) or {}
    known = {opening.canonical(state)[0] for state in records}
    waiting = list(records.items())
    while waiting:
        state, move = waiting.pop()
        for reply in unproved_replies(attack, opening, known, stones_at(state, [(move, 1)])):
            found = prove_again(attack, reply, stop)
            if found is None:
                raise Exhausted("a position that was proved is not proved again: give more nodes", attack.nodes)
            for one, answer in found.items():
                if opening.canonical(one)[0] not in known:
                    known.add(opening.canonical(one)[0])
                    records[one] = answer
                    waiting.append((one, answer))
    return records


def prove_again(attack: Attack, state: State, stop: Callable[[], bool]) -> dict[State, int] | None:
    """Return black's moves where a win by threats takes a long search, or else quiet moves; None if neither is found.

    Raises Stopped.
    """
    if (move := _first_move(attack, state)) is not None:
        return {state: move}
    for search, limit in zip((QuietSearch(attack, stop), TwoLevels(attack, stop)), AGAIN, strict=True):
        if search.solve(state, limit):
            records = search.records(state)
            # A search that ends with a win by threats has no records, and has left that win in the memory.
            move = None if records else _first_move(attack, state)
            return {state: move} if move is not None else records or None
    return None


def _first_move(attack: Attack, state: State) -> int | None:
    """Return the move with which a win by threats begins, None if none is found."""
    attack.set(state)
    if attack.by_threats(BLACK, LONG) != WON:
        return None
    move = attack.move(BLACK)
    line = attack.by_fours(BLACK, LONG) if move is None else None
    return line[0] if line else move


def unproved_replies(attack: Attack, opening: Opening, known: Any, state: State) -> list[State]:
    """Return the positions after white's replies that have no record, and where no short win by threats is found.

    `state` has white to move. A reply that makes five is among them.
    """
    attack.threats.table.words[:] = 0
    attack.set(state)
    threatened = not attack.has(WHITE, FIVE) and attack.by_threats(BLACK, PASSED) == WON
    zone = attack.zone(BLACK) if threatened else None
    left = []
    for cell in range(len(state)):
        if state[cell] == 0 and (zone is None or zone[cell]):
            attack.set(state)
            five = attack.cells(WHITE, FIVE)[cell]
            reply = stones_at(state, [(cell, 2)])
            if not five and opening.canonical(reply)[0] in known:
                continue
            attack.put(cell, WHITE)
            won = threatened and attack.replay(BLACK, [(cell, WHITE)])
            if five or not (won or attack.by_threats(BLACK, SHORT) == WON):
                left.append(reply)
    return left
