"""Proofs in a working folder: stopped, killed and gone on with."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, LimitReached
from searchbench.proof import Proof
from searchbench.run import Limits, Run
from searchbench.solvers.proof import DepthFirstProofNumber, ProofNumber, dfpn, pns, prove_state
from searchbench.store.working import RECORD
from searchbench.verify import verify_proof
from solvers.test_proof_combinations import naive_values, random_graph


def stopped_and_gone_on(game: Any, method: str, work: Path, rng: random.Random) -> tuple[Proof, int]:
    """Return the proof that comes of runs of a few nodes each, and how many runs were stopped."""
    stops = 0
    while True:
        run = Run(memory=1 << 17, threads=rng.choice([1, 2]))
        limits = Limits(nodes=0 if stops >= 6 else rng.randrange(1, 6))
        try:
            return prove_state(game, None, method, run, limits, target="interpreted", work=work, evidence=False), stops
        except LimitReached:
            stops += 1
            assert (work / RECORD).exists()


@pytest.mark.parametrize("method", ["pns", "dfpn"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_a_stopped_proof_goes_on(method: str, cyclic: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stops = 0
    for seed in range(12):
        rng = random.Random(f"{method} {cyclic} {seed}")
        monkeypatch.setattr(pns, "SLICE", 3)
        monkeypatch.setattr(dfpn, "SLICE", 3)
        game = random_graph(rng, False, False, cyclic)
        proof, more = stopped_and_gone_on(game, method, tmp_path / "work", rng)
        stops += more
        assert proof.outcome == naive_values(game, None)[0, 0], (seed, game)
        assert not (tmp_path / "work").exists()  # the proof is done
    assert stops > 4


def test_tree_search_goes_on_where_it_was(tmp_path: Path) -> None:
    game, run = load("tic-tac-toe"), Run(memory=1 << 26, threads=1)
    whole = prove_state(game, None, ProofNumber(evidence=False), run, target="interpreted").nodes
    stops, seconds = 0, []
    while True:
        try:
            chosen = ProofNumber(evidence=False, work=tmp_path / "work")
            found = prove_state(game, None, chosen, run, Limits(nodes=whole // 8), target="interpreted")
            break
        except LimitReached:
            stops += 1
            seconds.append(json.loads((tmp_path / "work" / RECORD).read_text())["body"]["record"]["seconds"])
    assert stops >= 7
    assert (found.value, found.nodes) == ("draw", whole)
    assert seconds == sorted(set(seconds))
    assert found.seconds > seconds[-1]  # those of all runs


def test_an_incomplete_proof_is_kept(tmp_path: Path) -> None:
    game, run = load("tic-tac-toe"), Run(memory=1 << 26, threads=1)
    nodes = prove_state(game, None, ProofNumber(evidence=False), run, target="interpreted").nodes
    chosen = ProofNumber(work=tmp_path / "work")
    proof = prove_state(game, None, chosen, run, Limits(nodes=nodes + 100), target="interpreted")
    assert proof.incomplete
    proof = prove_state(game, None, chosen, run, Limits(nodes=nodes * 8), target="interpreted")
    assert (proof.nodes, verify_proof(proof)) == (nodes, [])  # nothing was searched again
    assert not (tmp_path / "work").exists()


def test_a_folder_of_another_proof_is_refused(tmp_path: Path) -> None:
    run = Run(memory=1 << 26, threads=1)
    for method in ("pns", "dfpn"):
        with pytest.raises(LimitReached):
            prove_state(
                load("tic-tac-toe"), None, method, run, Limits(nodes=50), target="interpreted", work=tmp_path / method
            )
    for game, state, chosen in (
        ("mnk:4,3,3", None, ProofNumber(work=tmp_path / "pns")),
        ("tic-tac-toe", "XO./.../...", ProofNumber(work=tmp_path / "pns")),
        ("tic-tac-toe", None, ProofNumber(work=tmp_path / "pns", mobility=True)),
        ("tic-tac-toe", None, ProofNumber(work=tmp_path / "dfpn")),
        ("tic-tac-toe", None, DepthFirstProofNumber(work=tmp_path / "dfpn", weak=True)),
    ):
        with pytest.raises(BadRequest, match="another task"):
            prove_state(load(game), state, chosen, run, Limits(nodes=50), target="interpreted")


@pytest.mark.parametrize(
    "arrays", [{"parents": np.zeros(4)}, {"nodes": np.zeros(7), "note": np.zeros(2), "asked": np.array([1])}]
)
def test_a_folder_of_another_layout_is_refused_and_kept(
    arrays: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, work = Run(memory=1 << 26, threads=1), tmp_path / "work"
    with monkeypatch.context() as before:
        before.setattr(pns.ProofNumberSearch, "arrays", lambda self: arrays)
        with pytest.raises(LimitReached):
            prove_state(load("tic-tac-toe"), None, "pns", run, Limits(nodes=50), target="interpreted", work=work)
    kept = {file.name: file.read_bytes() for file in work.iterdir()}
    with pytest.raises(DamagedData, match="layout of another version"):
        prove_state(load("tic-tac-toe"), None, "pns", run, target="interpreted", work=work)
    assert {file.name: file.read_bytes() for file in work.iterdir()} == kept


PROVER = """
import sys
from pathlib import Path
from searchbench.catalogue import load
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.solvers.proof import dfpn, pns
dfpn.SLICE = pns.SLICE = 100
run = Run(1 << 26, 2, lambda stage, done, total: print(done, flush=True), checkpoint_interval=0.0)
prove_state(load("mnk:3,3,3"), None, sys.argv[1], run, target="interpreted", work=Path(sys.argv[2]), evidence=False)
"""


@pytest.mark.parametrize("method", ["pns", "dfpn"])
def test_a_killed_proof_goes_on(method: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    prover = subprocess.Popen([sys.executable, "-c", PROVER, method, str(work)], stdout=subprocess.PIPE, text=True)
    assert prover.stdout is not None
    while int(prover.stdout.readline()) < 1500:
        pass
    prover.send_signal(signal.SIGKILL)
    prover.wait()
    prover.stdout.close()
    kept = (work / RECORD).read_text()
    assert '"generation"' in kept
    run = Run(memory=1 << 26, threads=2)
    proof = prove_state(load("mnk:3,3,3"), None, method, run, target="interpreted", work=work, evidence=False)
    assert proof.value == "draw"
    assert proof.nodes > 1000  # those before it was killed count
    assert not os.path.exists(work)


def test_progress_tells_root_numbers_speed_and_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for method, module in (("pns", pns), ("dfpn", dfpn)):
        monkeypatch.setattr(module, "SLICE", 500)
        stages: list[str] = []
        run = Run(1 << 26, 1, lambda stage, _done, _total, stages=stages: stages.append(stage))
        prove_state(load("tic-tac-toe"), None, method, run, target="interpreted", evidence=False)
        told = [stage for stage in stages if "line " in stage]
        assert told, stages[:3]
        assert all("proof number " in stage and " nodes/s, line " in stage for stage in told)
        first = told[0].partition("line ")[2].split()[0]
        assert first in {f"{column}{row}" for column in "abc" for row in "123"}
