"""Make a finished branch whole for a checker: ask verification which white replies it cannot answer, and prove those again.

The search proves some replies by moves that it remembers. A checker begins with nothing: it looks for a win by threats in its own
way, with a limit of nodes. Where it finds none, the position becomes a record here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from searchbench.catalogue import load
from searchbench.errors import Exhausted
from searchbench.jit import Target
from searchbench.late import late
from searchbench.proof import Claim
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, lock_branch, read_branch, stopper, written
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.nodes import BLACK, State, Stopped
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.rounds import attack_for
from searchbench.solvers.proof.gomoku.search import QuietSearch
from searchbench.solvers.proof.gomoku.two_levels import TwoLevels

LONG: Final = 200_000
"""Nodes of the search for a win by threats that begins with a record."""
AGAIN: Final = (1_000_000, 50_000_000)
"""Nodes to prove again what was not found, by one search and on two levels."""
_STEP: Final = 20
"""Records between two lines of the file."""
_check = late("searchbench.verify.claim:ClaimCheck")


def close_branch(folder: Path, opening: Opening, white: int, until: float, target: Target = "cpu") -> Branch:
    """Try every reply to the records of a branch, up to a time; what is not found becomes a record, or else a gap."""
    stop = stopper(until)
    handle = lock_branch(folder, opening, white, stop)
    try:
        branch = read_branch(folder, opening, white)
        close_records(branch, attack_for(opening, target), stop, target)
    except Stopped:
        pass
    finally:
        os.close(handle)
    return branch


def close_records(branch: Branch, attack: Attack, stop: Callable[[], bool], target: Target = "cpu") -> None:
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
        added, gaps = added_after(attack, Checker(opening, dict(records), False, target), waiting, stop)
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


class Checker:
    """Ask verification what the records of a win leave open.

    Black, to move, has the records' moves; with `white` the colours are exchanged, as only a game with white to move can arise.
    """

    def __init__(self, opening: Opening, records: Mapping[State, int], white: bool, target: Target) -> None:
        self.opening, self.white = opening, white
        self.known = {opening.canonical(state)[0] for state in records}
        game = load(f"gomoku:{opening.size},{opening.rule}")
        strategy = opening.strategy((self._seen(state), move) for state, move in records.items())
        strategy = {state: move + white for state, move in strategy.items()}
        self.check = _check(game, game.start(), Claim(0, 1, strategy, True, threats=SHORT), target=target)

    def _seen(self, state: State) -> State:
        return tuple((0, 2, 1)[stone] for stone in state) if self.white else state

    def uncovered(self, state: State, move: int) -> list[State]:
        """Return the positions after a move and a reply for which there is no record, and no short win by threats is found."""
        seen, there = self.opening.canonical(self._seen(state), move)
        return [self._seen(one) for one in self.check.uncovered(seen, 2 * there + self.white)]


def added_after(
    attack: Attack, checker: Checker, records: Iterable[tuple[State, int]], stop: Callable[[], bool]
) -> tuple[dict[State, int], list[State]]:
    """Return records that a checker needs besides, after the moves of some, and positions that are not proved again."""
    canonical = checker.opening.canonical
    known = checker.known.copy()
    added: dict[State, int] = {}
    gaps: list[State] = []
    for state, move in records:
        for reply in checker.uncovered(state, move):
            if canonical(reply)[0] in known:
                continue
            found = prove_again(attack, reply, stop)
            if found is None:
                gaps.append(reply)
            for one, answer in (found or {}).items():
                if canonical(one)[0] not in known:
                    known.add(canonical(one)[0])
                    added[one] = answer
    return added, gaps


def closed(
    attack: Attack,
    opening: Opening,
    moves: Mapping[State, int],
    root: State,
    stop: Callable[[], bool],
    white: bool,
    target: Target,
) -> dict[State, int]:
    """Return the records of one position, with those that a checker needs besides. Raises Exhausted and Stopped.

    Black, to move at the root, has the records' moves; with `white` the colours are exchanged.
    """
    records = dict(moves)
    if root not in records:
        records |= prove_again(attack, root, stop) or {}
    waiting = records
    while waiting:
        waiting, gaps = added_after(attack, Checker(opening, records, white, target), list(waiting.items()), stop)
        if gaps:
            raise Exhausted("a position that was proved is not proved again: give more nodes", attack.nodes)
        records |= waiting
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
