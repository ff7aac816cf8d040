"""Prove that black wins go-moku: every white reply to the centre, black's answer to it, every further white reply.

In each round every branch of the working folder gets its turn, and each of its open replies more nodes than in the round before.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Final

from searchbench.errors import OutOfMemory
from searchbench.jit import Target
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import Branch, lock_branch, open_folder, progress, read_branch, stopper
from searchbench.solvers.proof.gomoku.nodes import Stopped
from searchbench.solvers.proof.gomoku.opening import Opening, chosen_branches
from searchbench.solvers.proof.gomoku.race import attempt, candidates, choose, race, search_of
from searchbench.solvers.proof.gomoku.two_levels import prove_hard

LIMITS: Final = tuple(50_000 * 4**step for step in range(8))
"""Nodes for each reply, round by round."""
WHOLE: Final = LIMITS[2]
"""The most nodes of one search for a reply; with more it is searched on two levels."""
OTHERS: Final = 2
"""How many other second moves, the best by value, take turns from round to round where the chosen one leaves replies open."""

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
    """Choose black's second move in a branch if need be, and try its open replies with `limit` nodes each, up to a time.

    Replies that were tried before come first. If one of them stays open, black's second move is raced again. With more nodes
    than races have, another second move is tried on all replies.
    """
    stop = stopper(until)
    handle = lock_branch(folder, opening, white, stop)
    branch = read_branch(folder, opening, white)
    attack = attack_for(opening, target)
    try:
        if branch.second < 0:
            race(branch, attack, stop)
        hard = [reply for reply in branch.open_replies(limit) if reply in branch.attempts]
        _try_replies(branch, attack, branch.second, hard, limit, stop)
        if any(not branch.attempts[reply]["proved"] for reply in hard):
            race(branch, attack, stop, (min(limit, WHOLE),))
        _try_replies(branch, attack, branch.second, branch.open_replies(limit), limit, stop)
        if limit > WHOLE:
            _try_another(branch, attack, limit, stop)
    except Stopped:
        pass
    finally:
        os.close(handle)
    return branch


def _try_replies(
    branch: Branch,
    attack: Attack,
    second: int,
    replies: list[int],
    limit: int,
    stop: Callable[[], bool],
    enough: int = 0,
) -> None:
    """Try replies to a second move, far ones first: they teach the search moves that work. Then hard ones on two levels.

    Ends when so many (`enough`, 0: no number of them) have stayed open. Raises Stopped.
    """
    search, base = search_of(branch, attack, second, stop), branch.base_of(second)
    attack.set(base)
    values = attack.values(1, 1)
    replies = sorted(replies, key=lambda cell: (values[cell], cell))
    untried = branch.open_replies(min(limit, WHOLE), second)
    for reply in replies:
        if reply in untried:
            branch.add(attempt(search, base, reply, min(limit, WHOLE)) | {"of": second})
    if limit > WHOLE:
        hard = [reply for reply in replies if not branch.tried[second][reply]["proved"]]
        prove_hard(branch, attack, second, hard, limit, stop, enough)


def _try_another(branch: Branch, attack: Attack, limit: int, stop: Callable[[], bool]) -> None:
    """Try another second move with as many nodes, and choose it if it leaves fewer replies open. Raises Stopped."""
    chosen, *others = candidates(branch, attack, OTHERS + 1)
    second = others[(LIMITS.index(limit) - LIMITS.index(WHOLE) - 1) % len(others)]
    fewest = branch.left_open(chosen)
    if branch.left_open(second, limit) < fewest:
        _try_replies(branch, attack, second, branch.open_replies(limit, second), limit, stop, fewest)
        if branch.left_open(second) < fewest:
            choose(branch, second)


def end_with_parent() -> None:
    """End this process as soon as the one that asked for its work is gone, however that ended."""
    parent = parent_process()

    def wait() -> None:
        assert parent is not None
        parent.join()
        signal.raise_signal(signal.SIGKILL)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()


def prove(
    folder: Path,
    opening: Opening,
    threads: int = 1,
    seconds: float = 0.0,
    branches: Sequence[str] = (),
    report: Callable[[str], None] = print,
) -> bool:
    """Work on the proof in a folder, on several processes, for some seconds (0: until it ends); return whether it is whole.

    Every round gives the open replies of each branch four times as many nodes. Raises BadRequest and DamagedData.
    """
    with at_work(folder, opening, threads, seconds, branches) as (chosen, until, pool):
        for limit in LIMITS:
            read = [read_branch(folder, opening, white) for white in chosen]
            waiting = [
                one.white
                for one in read
                if one.second < 0 or one.open_replies(limit) or (limit > WHOLE and not one.finished)
            ]
            if time.time() >= until:
                break
            tasks = [pool.submit(work_on_branch, folder, opening, white, limit, until) for white in waiting]
            for task in as_completed(tasks):
                report(f"{task.result()}; up to {limit:,} nodes each. {progress(folder, opening)}")
        return all(read_branch(folder, opening, white).finished for white in chosen)


@contextlib.contextmanager
def at_work(
    folder: Path, opening: Opening, threads: int, seconds: float, branches: Sequence[str]
) -> Iterator[tuple[list[int], float, ProcessPoolExecutor]]:
    """Hold the working folder; give the branches of these names (none: all), the time to stop, and processes."""
    handle = open_folder(folder, opening)
    try:
        chosen, until = chosen_branches(opening, branches), time.time() + seconds if seconds else float("inf")
        with processes(threads) as pool:
            yield chosen, until, pool
    finally:
        os.close(handle)


@contextlib.contextmanager
def processes(threads: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end with this one.

    They look for modules where Python keeps them, never in the working folder, where a file may have the name of one. Raises
    OutOfMemory where one of them is gone.
    """
    name, before = "PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH")
    os.environ[name] = "1"  # which they read when they start: each with a task for which none is idle
    try:
        with ProcessPoolExecutor(threads, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
            yield pool
    except BrokenProcessPool:
        raise OutOfMemory(
            "a process at work on the proof broke off, as happens where memory is short: go on with fewer --threads"
        ) from None
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
