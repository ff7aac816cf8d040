"""Make finished branches whole for a checker, first each alone, then all together.

A checker looks for a win by threats against one reply, and the moves that it finds beat others. Where a record answers the
one, it looks for none, and the others can be left without an answer. So records of other branches, and those that were found
after the walk through a branch, are reasons to ask once more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial
from pathlib import Path
from typing import Any, Final

from searchbench.jit import Target
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import (
    Branch,
    lock_branch,
    progress,
    read_branch,
    stopper,
    written,
)
from searchbench.solvers.proof.gomoku.closing import Checker, added_after, close_branch
from searchbench.solvers.proof.gomoku.nodes import BLACK, State, Stopped, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.rounds import at_work, attack_for

_STEP: Final = 20
"""Records between two looks at the time."""

Records = Mapping[int, Sequence[tuple[State, int]]]
"""The records of branches by white's reply, each in the order in which it was found."""


def close(
    folder: Path,
    opening: Opening,
    threads: int = 1,
    seconds: float = 0.0,
    branches: Sequence[str] = (),
    report: Callable[[str], None] = print,
) -> bool:
    """Walk through finished branches as a checker does, each alone, then beside the others, until nothing is added.

    Works on several processes, for some seconds (0: until it ends); return whether it came to the end, with every reply
    answered. Raises BadRequest and DamagedData.
    """
    with at_work(folder, opening, threads, seconds, branches) as (chosen, until, pool):

        def each(work: Callable[..., Branch], done: Callable[[Branch], bool], *arguments: Any) -> bool:
            """Work on the branches that are not done; return whether all are then."""
            waiting = [white for white in chosen if not done(read_branch(folder, opening, white))]
            tasks = [pool.submit(work, folder, opening, white, *arguments, until) for white in waiting]
            for task in as_completed(tasks):
                report(f"{task.result()}. {progress(folder, opening)}")
            return all(done(read_branch(folder, opening, white)) for white in waiting)

        while time.time() < until and each(close_branch, is_closed):
            records = records_of(folder, opening, chosen)
            asked = each(close_beside, partial(was_asked, known=counts(records)), records)
            if asked and all(is_closed(read_branch(folder, opening, white)) for white in chosen):
                return True
        return False


def is_closed(branch: Branch) -> bool:
    """Return whether a walk has passed all records of a branch, and every reply is answered."""
    return branch.finished and not branch.gaps and branch.checked == sum(1 for _ in branch.records())


def was_asked(branch: Branch, known: Mapping[int, int]) -> bool:
    """Return whether the records of a branch were asked about beside so many of each."""
    return branch.beside == known


def records_of(folder: Path, opening: Opening, whites: Sequence[int]) -> Records:
    """Return the records of branches."""
    return {white: list(read_branch(folder, opening, white).records()) for white in whites}


def close_beside(
    folder: Path, opening: Opening, white: int, records: Records, until: float, target: Target = "cpu"
) -> Branch:
    """Ask again about the records of a branch beside those of all, up to a time; keep how many of each it was asked with.

    Raises DamagedData.
    """
    stop = stopper(until)
    handle = lock_branch(folder, opening, white, stop)
    try:
        branch = read_branch(folder, opening, white)
        if not was_asked(branch, counts(records)):
            _ask(branch, attack_for(opening, target), records, stop, target)
    except Stopped:
        pass
    finally:
        os.close(handle)
    return branch


def counts(records: Records) -> dict[int, int]:
    """Return how many records each branch has."""
    return {white: len(found) for white, found in records.items()}


def _ask(branch: Branch, attack: Attack, records: Records, stop: Callable[[], bool], target: Target) -> None:
    """Ask about records with replies that others answer now. What is not proved again becomes a gap. Raises Stopped."""
    began, before = time.process_time(), attack.nodes
    every = dict(record for found in records.values() for record in found)
    waiting = list(affected(branch, records))
    checker = Checker(branch.opening, every if waiting else {}, False, target)
    added: dict[State, int] = {}
    gaps: list[State] = []
    for first in range(0, len(waiting), _STEP):
        if stop():
            raise Stopped
        more, left = added_after(attack, checker, waiting[first : first + _STEP], stop)
        added, gaps = added | more, gaps + left
        checker.known |= {branch.opening.canonical(state)[0] for state in more}
    branch.add({
        "beside": sorted(counts(records).items()), "records": written(added),
        "gaps": [written({gap: -1})[0] for gap in gaps], "nodes": attack.nodes - before,
        "seconds": round(time.process_time() - began, 3),
    })  # fmt: skip


def affected(branch: Branch, records: Records) -> Iterator[tuple[State, int]]:
    """Generate the records of a branch after which a reply is answered by a record that it was not asked with."""
    opening = branch.opening
    # The walk through the branch began with its own records, without those that were added.
    alone = {branch.white: len(records[branch.white]) - len(branch.added)}
    known = branch.beside if branch.beside.keys() == records.keys() else alone
    places = {white: [opening.canonical(state)[0] for state, _ in found] for white, found in records.items()}
    old = {state for white, found in places.items() for state in found[: known.get(white, 0)]}
    new = {state for found in places.values() for state in found} - old
    blacks = {_blacks(opening, state) for state in new}
    for state, move in records[branch.white]:
        after = stones_at(state, [(move, 1)])
        if _blacks(opening, after) in blacks:
            replies = (stones_at(after, [(cell, 2)]) for cell, stone in enumerate(after) if stone == 0)
            if any(opening.canonical(reply)[0] in new for reply in replies):
                yield state, move


def _blacks(opening: Opening, state: State) -> State:
    """Return black's stones, the same for symmetric positions: replies do not change them."""
    return opening.canonical(tuple(int(stone == BLACK + 1) for stone in state))[0]
