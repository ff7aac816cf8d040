"""The public names: all there, none heavy to import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench.errors import BadRequest


def test_every_public_name_is_there() -> None:
    assert sorted(sb.__all__) == sorted(set(sb.__all__))
    for name in sb.__all__:
        assert getattr(sb, name) is not None
        assert name in dir(sb)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sove'"):
        sb.sove  # noqa: B018


def test_importing_is_quick_and_leaves_numba_alone() -> None:
    code = (
        "import sys, searchbench;"
        "heavy = {'numba', 'numpy', 'zarr', 'llvmlite', 'rich'} & set(sys.modules);"
        "sys.exit(f'{heavy}' if heavy else 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_verb_stays_a_function_whatever_was_imported_before() -> None:
    """Each verb in a process of its own, in which no other was used: forks of one that has imported the modules."""
    modules = "game, reproduce, cli, store, solvers.exhaustive, solvers.guided, solvers.proof, verify, testing"
    imports = "\n".join(f"import searchbench.{module.strip()}" for module in modules.split(","))
    code = f"""{imports}
import os, sys
for name in ("load", "check", "solve", "search", "prove"):
    child = os.fork()
    if not child:
        os._exit(0 if callable(getattr(searchbench, name, None)) else 1)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{{name}}: {{getattr(searchbench, name, None)}}")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_three_verbs_from_python(tmp_path: Path) -> None:
    game = sb.load("sliding:2x2")
    stages: list[str] = []
    db = sb.solve(
        game, to=tmp_path / "four.db", memory="1GB", threads=1, progress=lambda stage, *_: stages.append(stage)
    )
    assert stages
    assert db.histogram() == {0: 1, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 1, None: 12}
    assert db.verify()
    assert sb.open_database(tmp_path / "four.db").histogram() == db.histogram()
    hardest = db.find(value=6)[0]
    line = db.line(hardest)
    assert [str(position) for position in line][-1] == ". 1\n2 3"
    assert line.cost == sb.search(game, hardest).cost == sb.search(game, hardest.text, method="astar").cost == 6
    assert line.verify() == []


def test_a_proof_from_python() -> None:
    proof = sb.prove("tic-tac-toe", "XX./OO./...")
    assert proof.value == "win"
    assert proof.verify() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": "two"}, "threads 'two': expected a whole number"),
        ({"threads": 1.5}, "threads 1.5: expected a whole number"),
        ({"threads": True}, "threads True: expected a whole number"),
        ({"threads": -1}, "threads -1: expected a whole number"),
        ({"memory": -1}, "memory -1: expected a whole number"),
        ({"memory": [1]}, r"memory \[1\]: expected a number with a unit"),
    ],
)
def test_threads_and_memory_are_whole_numbers(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        sb.solve(sb.load("sliding:2x2"), **options)


def test_threads_and_memory_may_be_numbers_of_other_libraries() -> None:
    assert sb.solve(sb.load("sliding:2x2"), threads=np.int64(1), memory=2e8).size == 24


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    sb.solve("sliding:2x2", to=tmp_path / "four.db")
    stages: list[str] = []
    with pytest.raises(sb.errors.BadRequest, match="already"):
        sb.solve("sliding:3x3", to=tmp_path / "four.db", progress=lambda stage, *_: stages.append(stage))
    assert not stages  # before anything is solved
    sb.solve("sliding:2x2", to=tmp_path / "four.db", overwrite=True)


@pytest.mark.parametrize(
    ("module", "name", "told"),
    [
        (sb, "Databse", "it has Database"),
        (sb, "open", "it has open_certificate, open_database"),
        (sb.index, "Permutation", "it has LexicographicPermutation, MyrvoldRuskeyPermutation"),
        (sb.index, "Zzz", "it has Combination, Composition, Index"),
    ],
)
def test_a_name_that_there_is_not_is_told_with_those_like_it(module: Any, name: str, told: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; {told}"):
        getattr(module, name)
    assert not hasattr(module, "__wrapped__")
