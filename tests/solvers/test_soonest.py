"""Proofs that the interpreter finds at a glance are those of the compiled search, which goes on where a glance is not enough."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.run import Limits, Run
from searchbench.solvers.proof import prove_state, soonest
from searchbench.solvers.proof.soonest import prove_soonest

COMPILED = "the compiled search"


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """Let no kernel be kept on disk, and stand for the compiled search; return the limits that it was given."""
    asked: list[Limits] = []

    def compiled(_game: Any, _state: Any, _chosen: Any, _run: Any, limits: Limits, **_options: Any) -> str:
        asked.append(limits)
        return COMPILED

    monkeypatch.setattr(jit, "is_kept", lambda _kernel, _names: False)
    monkeypatch.setattr(soonest, "prove_state", compiled)
    monkeypatch.setattr(soonest, "GLANCE", Limits(nodes=1_000, seconds=60.0))  # on any machine
    return asked


@pytest.mark.parametrize("method", ["pns", "dfpn", "alphabeta"])
def test_a_glance_finds_the_same_proof(method: str, nothing_kept: list[Limits]) -> None:
    game, told = load("hex:2x3"), list[Any]()
    found = prove_soonest(game, None, method, Run(threads=1), told=told.append)
    right = prove_state(game, None, method, Run(threads=1), target="interpreted")
    assert (found.outcome, found.nodes, found.claims) == (right.outcome, right.nodes, right.claims)
    assert told == [found]
    assert not nothing_kept


def test_merged_positions_are_looked_at_too(nothing_kept: list[Limits]) -> None:
    found = prove_soonest(load("hex:2x3"), None, "pns", Run(threads=1), merge="all")
    assert found.value == "win"
    assert not nothing_kept


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("connect4:4x4", {}),  # takes more nodes than a glance
        ("tic-tac-toe", {"nodes": 2_000}),
        ("tic-tac-toe", {"work": "unfinished"}),
        ("connect4:4x4", {"method": "alphabeta"}),  # on bitboards
    ],
)
def test_the_compiled_search_follows_where_a_glance_is_not_enough(
    spec: str, options: dict[str, Any], nothing_kept: list[Limits]
) -> None:
    method = options.pop("method", "pns")
    assert prove_soonest(load(spec), None, method, Run(memory=1 << 26, threads=1), **options) == COMPILED
    assert nothing_kept == [Limits(nodes=options.get("nodes", 0))]


def test_a_limit_within_a_glance_is_told_at_once(nothing_kept: list[Limits]) -> None:
    with pytest.raises(LimitReached, match="within 100 nodes"):
        prove_soonest(load("tic-tac-toe"), None, "pns", Run(threads=1), nodes=100)
    assert not nothing_kept


def test_states_of_very_many_moves_are_not_looked_at(
    nothing_kept: list[Limits], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soonest, "MOST_MOVES", 5)
    assert prove_soonest(load("tic-tac-toe"), None, "dfpn") == COMPILED
    assert len(nothing_kept) == 1


def test_a_kept_kernel_needs_no_glance(nothing_kept: list[Limits], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "is_kept", lambda _kernel, _names: True)
    assert prove_soonest(load("tic-tac-toe")) == COMPILED
    assert len(nothing_kept) == 1


def twice(number: int) -> int:
    """Return twice a number."""
    return 2 * number


def test_a_kernel_is_kept_once_it_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark by which it is looked for is that under which the compiler keeps it."""
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
    names = load("hex:2x2").names()
    assert not jit.is_kept(twice, names)
    assert jit.bind(twice, names)(3) == 6
    assert jit.is_kept(twice, names)


def test_a_newcomer_s_first_proof_does_without_the_compiler(tmp_path: Path) -> None:
    script = (
        "import sys, searchbench as sb; print(sb.prove('tic-tac-toe', 'XX./OO./...').value, 'numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, "SEARCHBENCH_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split() == ["win", "False"]
