"""Random games of hundreds of states, solved on disk, some killed on the way; `size_combinations` by hand takes larger ones."""

from __future__ import annotations

import pytest

import size_combinations


def solve_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve the game of a seed with up to 2,048 nodes, in a way that is not refused."""
    monkeypatch.setattr(size_combinations, "LARGEST", 1 << 11)
    assert not size_combinations.problem(seed)


def test_a_game_that_fills_blocks_and_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    solve_one(47, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("seed", [48, 49, 50, 54, 55, 56, 59, 61, 62, 63])
def test_games_that_fill_blocks_and_pages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    solve_one(seed, monkeypatch)
