"""The solver that docs/writing-a-solver.md builds: what it finds is what the shipped solvers find."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import searchbench as sb
from front_program import ROOT
from graphs import GraphGame, outcome_games, puzzles, rotated_games, score_games, symmetric_games
from searchbench import jit

FILE = ROOT / "examples" / "solvers" / "sweeps.py"
PAGE = ROOT / "docs" / "writing-a-solver.md"


def _module() -> ModuleType:
    specification = spec_from_file_location("sweeps", FILE)
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


sweeps = _module()


def shipped(game: sb.Game) -> npt.NDArray[Any]:
    """Return the stored codes that `searchbench.solve` finds, -1 where a number is no position."""
    codes = np.asarray(sb.solve(game).codes)
    return np.where(codes == np.iinfo(codes.dtype).max, -1, codes.astype(np.int64))


def agrees(game: sb.Game, target: jit.Target = "interpreted", threads: int = 1) -> None:
    np.testing.assert_array_equal(sweeps.solve(game, threads, target), shipped(game))


@settings(max_examples=60)
@given(puzzles())
def test_random_puzzles(game: GraphGame) -> None:
    agrees(game)


@settings(max_examples=60)
@given(outcome_games())
def test_random_games_of_two_players(game: GraphGame) -> None:
    agrees(game)


@settings(max_examples=30)
@given(symmetric_games("outcome"))
def test_random_games_with_a_symmetry(game: GraphGame) -> None:
    agrees(game)


@settings(max_examples=30)
@given(rotated_games("distance"))
def test_random_puzzles_with_a_rotation(game: GraphGame) -> None:
    agrees(game)


@settings(max_examples=10)
@given(score_games())
def test_points_are_refused(game: GraphGame) -> None:
    with pytest.raises(sb.errors.BadRequest, match="'score' does not promise"):
        sweeps.solve(game)


def test_a_game_without_numbers_is_refused_by_the_name_that_is_missing() -> None:
    with pytest.raises(sb.errors.MissingRule, match="first_codes needs `rank`"):
        sweeps.solve(sb.load("rubik"))


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("spec", ["tic-tac-toe", "sliding:3x3"])
def test_shipped_games_compiled(spec: str, threads: int) -> None:
    agrees(sb.load(spec), "cpu", threads)


def test_the_page_shows_what_the_file_has() -> None:
    program = FILE.read_text()
    shown = [
        block for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S) if ">>>" not in block
    ]
    assert len(shown) >= 4
    for block in shown:
        assert block in program, block
