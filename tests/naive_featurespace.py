"""Feature-space search once more, on heaps and dictionaries: an obvious twin for the tests."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Row = tuple[Any, int, Hashable, Sequence[int]]
"""A move with the score and the key of the position after it, and the ratings of the advisors (-1: none)."""


def search(
    start: Any,
    key: Callable[[Any], Hashable],
    score: Callable[[Any], int],
    rows_of: Callable[[Any], list[Row]],
    play: Callable[[Any, Any], Any],
    shift: int,
    fresh: bool = False,
) -> tuple[list[Any] | None, int]:
    """Return the moves to a solved position, None if there are none, and how many positions were looked at.

    With `fresh`, advisors choose among moves to new positions alone.
    """
    seen = {key(start)}
    if score(start) == 0:
        return [], 1
    cells: dict[int, list[tuple[int, int, int, Any, Any, list[Any], int]]] = {}
    order: list[int] = []
    best = (score(start), score(start))
    counted = looked = 0

    def add(position: Any, own: int, least: int, weight: int, path: list[Any]) -> list[Any] | None:
        nonlocal counted, best, looked
        looked += 1
        if own < best[0]:
            best = own, least
        rows = rows_of(position)
        advised = set()
        for advisor in range(len(rows[0][3]) if rows else 0):
            rated = [
                (row[3][advisor], number)
                for number, row in enumerate(rows)
                if row[3][advisor] >= 0 and not (fresh and row[2] in seen)
            ]
            if rated:
                advised.add(min(rated)[1])
        cell = least >> shift
        if cell not in cells:
            cells[cell] = []
            order.append(cell)
        for number, (move, after, row_key, _) in enumerate(rows):
            if row_key in seen:
                continue
            if after == 0:
                return [*path, move]
            more = 0 if number in advised or len(rows) <= 2 else 1
            heapq.heappush(cells[cell], (weight + more, after, counted, position, move, path, least))
            counted += 1
        return None

    found = add(start, score(start), score(start), 0, [])
    turn = rounds = 0
    while found is None:
        rounds += 1
        chosen = None
        if rounds % 2 == 0 and cells[best[1] >> shift]:
            chosen = best[1] >> shift
        else:
            for step in range(1, len(order) + 1):
                if cells[order[(turn + step) % len(order)]]:
                    turn = (turn + step) % len(order)
                    chosen = order[turn]
                    break
        if chosen is None:
            return None, looked
        weight, after, _, parent, move, path, least = heapq.heappop(cells[chosen])
        position = play(parent, move)
        if key(position) in seen:
            continue
        seen.add(key(position))
        found = add(position, after, min(after, least), weight, [*path, move])
    return found, looked
