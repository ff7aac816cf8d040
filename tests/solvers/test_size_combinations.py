"""Random games of hundreds of states, solved on disk, some killed on the way; `size_combinations` by hand takes larger ones."""

from __future__ import annotations

import pytest

import size_combinations


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40, 52))
def test_games_that_fill_blocks_and_pages(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_combinations, "LARGEST", 1 << 11)
    found = size_combinations.problem(seed)
    assert not found or found.startswith("refused"), found
