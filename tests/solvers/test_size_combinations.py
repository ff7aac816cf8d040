"""Random games of hundreds of states, solved on disk, some killed on the way; `size_combinations` by hand takes larger ones."""

from __future__ import annotations

import pytest

import size_combinations


def solve_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve the game of a seed with up to 2,048 nodes."""
    monkeypatch.setattr(size_combinations, "LARGEST", 1 << 11)
    found = size_combinations.problem(seed)
    assert not found or found.startswith("refused"), found


def test_a_game_that_fills_blocks_and_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    solve_one(46, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(47, 57))
def test_games_that_fill_blocks_and_pages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    solve_one(seed, monkeypatch)
