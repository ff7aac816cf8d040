"""Lines that the interpreter finds at a glance are those of the compiled search, which goes on where a glance is not enough."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, LimitReached, Unsolvable
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_soonest, search_state, soonest

EASY, HARD = "1 2 5 3 4 0 6 7 8", "8 0 6 5 4 7 2 3 1"


class Compiled(Exception):
    """Stand for the compiled search."""


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no kernel be kept on disk, and have whatever is compiled fail."""

    def search(*arguments: Any, target: str, **options: Any) -> Any:
        if target == "cpu":
            raise Compiled
        return search_state(*arguments, target="interpreted", **options)

    monkeypatch.setattr(jit, "is_kept", lambda _kernel, _names: False)
    monkeypatch.setattr(soonest, "search_state", search)
    monkeypatch.setattr(soonest, "GLANCE", Limits(nodes=1_000, seconds=60.0))  # on any machine


@pytest.mark.parametrize("method", ["idastar", "astar", "bestfirst"])
def test_a_solved_state_is_answered_by_a_line_without_moves(method: str, nothing_kept: None) -> None:
    game = load("sliding:3x4")
    assert list(search_soonest(game, game.format(game.start()), method, Run(threads=1)).moves) == []


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("idastar", {}),
        ("idastar", {"order": "bound", "table": "1MB"}),
        ("idastar", {"entries": 500}),
        ("idastar", {"restarts": 40, "seed": 1}),
        ("astar", {"weight": 2}),
        ("bestfirst", {}),
    ],
)
def test_a_glance_finds_the_same_line(method: str, options: dict[str, Any], nothing_kept: None) -> None:
    game = load("sliding:3x3")
    found = search_soonest(game, EASY, method, Run(threads=2), **options)
    right = search_state(game, EASY, method, Run(threads=1), target="interpreted", **options)
    assert (found.moves, found.cost, found.optimal, found.nodes) == (
        right.moves,
        right.cost,
        right.optimal,
        right.nodes,
    )
    assert not found.verify()


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("idastar", {}),  # takes more nodes than a glance
        ("astar", {"nodes": 2_000}),
        ("idastar", {"step": 20}),  # has a line within a glance, but not the cheapest one
        ("idastar", {"seconds": 1e-9}),
    ],
)
def test_the_compiled_search_follows_where_a_glance_is_not_enough(
    method: str, options: dict[str, Any], nothing_kept: None
) -> None:
    with pytest.raises(Compiled):
        search_soonest(load("sliding:3x3"), HARD, method, Run(threads=1), **options)


def test_work_that_is_kept_and_other_methods_are_not_looked_at(nothing_kept: None, tmp_path: Path) -> None:
    with pytest.raises(Compiled):
        search_soonest(load("sliding:3x3"), EASY, "idastar", Run(threads=1, work=tmp_path / "work"))
    with pytest.raises(Compiled):
        search_soonest(load("sokoban:#1"), None, "enhanced", Run(threads=1))


def test_what_a_glance_tells_is_final(nothing_kept: None) -> None:
    game = load("sliding:3x3")
    with pytest.raises(LimitReached, match="after 100 nodes") as reached:
        search_soonest(game, HARD, "idastar", Run(threads=1), nodes=100)
    assert reached.value.nodes == 100
    with pytest.raises(Unsolvable):
        search_soonest(game, "0 2 1 3 4 5 6 7 8", "idastar", Run(threads=1))


def test_requests_that_are_refused_are_refused_by_the_search() -> None:
    with pytest.raises(BadRequest, match="two players"):
        search_soonest(load("tic-tac-toe"), None, "idastar", Run(threads=1))


def test_a_kept_kernel_needs_no_glance(nothing_kept: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_kept", lambda _kernel, _names: True)
    with pytest.raises(Compiled):
        search_soonest(load("sliding:3x3"), EASY, "idastar", Run(threads=1))


def test_few_states_are_never_compiled(nothing_kept: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_kept", lambda _kernel, _names: True)
    assert search_soonest(load("sliding:2x3"), "1 2 0 3 4 5", "astar", Run(threads=1)).cost == 2


def test_a_newcomer_s_first_search_does_without_the_compiler(tmp_path: Path) -> None:
    script = f"import sys, searchbench as sb; print(sb.search('sliding:3x3', '{HARD}').cost, 'numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, "SEARCHBENCH_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split() == ["31", "False"]
