"""A computation that is stopped again and again, and goes on with another number of ranks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from searchbench.exchange.ranks import current
from searchbench.store.working import WorkingFolder

RANKS = (1, 2, 3, 4, 7)


def solved_with_stops(
    monkeypatch: pytest.MonkeyPatch, chance: random.Random, most: int, solve: Callable[[int, int], Any]
) -> Any:
    """Return what `solve(ranks, stops)` returns once nothing stops it: each run ends after 1 to `most` commits."""
    monkeypatch.setattr(WorkingFolder, "due", True)
    commit = WorkingFolder.commit
    left: dict[int, int] = {}

    def commit_and_stop(folder: WorkingFolder, *arguments: Any) -> None:
        commit(folder, *arguments)
        left[current().rank] -= 1
        if left[current().rank] == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(WorkingFolder, "commit", commit_and_stop)
    for stops in range(40):
        count = chance.choice(RANKS)
        left.update(dict.fromkeys(range(max(RANKS)), chance.randint(1, most)))
        try:
            found = solve(count, stops)
        except KeyboardInterrupt:
            continue
        assert stops > 1
        return found
    raise AssertionError("it never came to its end")
