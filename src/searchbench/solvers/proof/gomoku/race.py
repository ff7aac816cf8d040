"""Choose black's second move in a branch: race candidates on the replies of white that look hardest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import Branch, written
from searchbench.solvers.proof.gomoku.nodes import State, stones_at
from searchbench.solvers.proof.gomoku.search import BLACK_WEIGHT, WHITE_WEIGHT, QuietSearch

SECOND_MOVES: Final = 6
"""Candidates for black's second move."""
PROBES: Final = 24
"""White's replies on which each candidate is probed: with a few, a move wins that leaves others open."""
RACES: Final = (20_000, 80_000, 320_000)
"""Nodes of each probe, race by race."""

Rank = tuple[int, int, int]
"""How bad a candidate is: replies not proved, the sum of their proof numbers, the nodes of all."""


def race(branch: Branch, attack: Attack, stop: Callable[[], bool], limits: Sequence[int] = RACES) -> None:
    """Choose black's second move, and keep every probe. Raises Stopped.

    A candidate leaves a race as soon as it is worse than the best so far: against one that has won all its probes it gets no more
    nodes than that one took. With the next limit all race again, unless one has
    won all its probes. The move that was chosen before takes part with the replies that it has left open, and so does
    everybody else.
    """
    order = candidates(branch, attack)
    searches = {second: search_of(branch, attack, second, stop) for second in order}
    for limit in limits:
        ranks: dict[int, Rank] = {}
        for second in order:
            ranks[second] = _probe(branch, searches[second], second, limit, min(ranks.values(), default=None))
        order = sorted(order, key=lambda second: ranks[second])
        if ranks[order[0]][0] == 0:
            break
    choose(branch, order[0])


def choose(branch: Branch, second: int) -> None:
    """Make a move black's second one, unless it is that already."""
    if second != branch.second:
        branch.add({"second": second, "seconds": 0.0, "nodes": 0})


def candidates(branch: Branch, attack: Attack, count: int | None = None) -> list[int]:
    """Return the moves that look best (None: as many as race), the one that was chosen before first."""
    first = stones_at(branch.opening.start, [(branch.white, 2)])
    attack.set(first)
    values = attack.values(BLACK_WEIGHT, WHITE_WEIGHT)
    cells = sorted(branch.opening.replies(first), key=lambda cell: (-values[cell], cell))[: count or SECOND_MOVES]
    chosen = [] if branch.second < 0 else [branch.second]
    return chosen + [cell for cell in cells if cell not in chosen]


def _probe(branch: Branch, search: QuietSearch, second: int, limit: int, best: Rank | None) -> Rank:
    """Try the replies that look hardest, until the candidate is worse than the best one; return how bad it is."""
    left = numbers = nodes = 0
    for reply in _hardest(branch, search.attack, second):
        line = branch.tried.get(second, {}).get(reply)
        allowed = limit if best is None or best[0] > 0 else min(limit, max(1, best[2] - nodes))
        if line is None or not (line["proved"] or line["limit"] >= allowed):
            line = attempt(search, branch.base_of(second), reply, allowed)
            branch.add(line | {"of": second})
        nodes += line["nodes"]
        if not line["proved"]:
            left, numbers = left + 1, numbers + line["proof_number"]
        if best is not None and (left > best[0] or (left == best[0] == 0 and nodes > best[2])):
            break
    return left, numbers, nodes


def _hardest(branch: Branch, attack: Attack, second: int) -> list[int]:
    """Return the replies on which a candidate is probed: the most valuable ones, and those that were open before."""
    attack.set(branch.base_of(second))
    values = attack.values(1, 1)
    replies = sorted(branch.opening.replies(branch.base_of(second)), key=lambda cell: (-values[cell], cell))
    open_before = {
        reply for tried in (branch.attempts, branch.tried.get(second, {})) for reply, line in tried.items()
        if not line["proved"]
    }  # fmt: skip
    return [reply for at, reply in enumerate(replies) if at < PROBES or reply in open_before]


def search_of(branch: Branch, attack: Attack, second: int, stop: Callable[[], bool]) -> QuietSearch:
    """Return a search that knows the moves of black that have worked after a second move."""
    search = QuietSearch(attack, stop)
    search.learn(dict(branch.records_of(second)))
    return search


def attempt(search: QuietSearch, base: State, reply: int, limit: int) -> dict[str, Any]:
    """Try to prove that black wins after a reply; return the line for the branch's file. Raises Stopped."""
    began, before = time.process_time(), search.attack.nodes
    root = stones_at(base, [(reply, 2)])
    found = search.solve(root, limit)
    line: dict[str, Any] = {
        "reply": reply, "proved": bool(found), "limit": limit, "nodes": search.attack.nodes - before,
        "seconds": round(time.process_time() - began, 3), "proof_number": search.nodes[root].proof,
    }  # fmt: skip
    if found:
        line["records"] = written(search.records(root))
    search.forget()
    return line
