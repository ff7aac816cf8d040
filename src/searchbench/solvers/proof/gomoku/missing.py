"""Give records to positions that a checker misses, where it had found the win of another reply that a record covers now.

`verify --json` names the positions for which no move is given. Black's win there is found again, and its first moves become
records of the branch where play comes to the position.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

from searchbench.errors import BadRequest
from searchbench.jit import Target
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, lock_branch, open_folder, read_branch, written
from searchbench.solvers.proof.gomoku.closing import prove_again
from searchbench.solvers.proof.gomoku.nodes import BLACK, WHITE, State, never, stones_at, with_stone
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.rounds import attack_for


def add_missing(folder: Path, opening: Opening, states: Iterable[State], target: Target = "cpu") -> int:
    """Prove positions with black to move again, and keep the records in their branches; return how many records.

    Raises BadRequest where no branch leads to a position, or it is not proved again; what was kept before stays.
    """
    handle = open_folder(folder, opening)
    try:
        attack, added, left = attack_for(opening, target), 0, list(states)
        for white in opening.replies(opening.start):
            lock = lock_branch(folder, opening, white, never)
            try:
                branch = read_branch(folder, opening, white)
                moves = dict(branch.records())
                for state in left[:]:
                    if (here := _led_to(moves, opening, state)) is not None:
                        left.remove(state)
                        added += _add(branch, attack, here)
            finally:
                os.close(lock)
        if left:
            raise BadRequest(f"{folder}: no branch leads to {_text(opening, left[0])}")
        return added
    finally:
        os.close(handle)


def _add(branch: Branch, attack: Attack, state: State) -> int:
    """Prove a position again, keep its records, and return how many. Raises BadRequest."""
    began, before = time.process_time(), attack.nodes
    records = prove_again(attack, state, never)
    if records is None:
        raise BadRequest(f"{branch}: not proved again: {_text(branch.opening, state)}")
    branch.add({
        "checked": branch.checked, "short": SHORT, "records": written(records), "gaps": [],
        "nodes": attack.nodes - before, "seconds": round(time.process_time() - began, 3),
    })  # fmt: skip
    return len(records)


def _led_to(moves: Mapping[State, int], opening: Opening, state: State) -> State | None:
    """Return a position, turned so that play comes to it after a record's move and a reply; None if none does."""
    for turn in opening.turns():
        turned = stones_at((0,) * len(state), [(turn[cell], stone) for cell, stone in enumerate(state)])
        white, black = ([cell for cell, stone in enumerate(turned) if stone == own] for own in (WHITE + 1, BLACK + 1))
        for reply, move in product(white, black):
            if moves.get(with_stone(with_stone(turned, reply, 0), move, 0)) == move:
                return turned
    return None


def _text(opening: Opening, state: State) -> str:
    """Return the stones of a position: black's, then white's."""
    names = [" ".join(opening.name(cell) for cell, stone in enumerate(state) if stone == own) for own in (1, 2)]
    return f"the position with black {names[0]} and white {names[1]}"
