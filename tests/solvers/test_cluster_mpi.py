"""Several processes that MPI has started solve one game; a rank that is killed ends the run, which then goes on."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from searchbench import open_database, solve
from searchbench.store.header import header_on_disk

MPIEXEC = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
pytestmark = pytest.mark.skipif(
    MPIEXEC is None or importlib.util.find_spec("mpi4py") is None,
    reason="needs mpi4py and mpiexec: pip install 'searchbench[cluster]'",
)
IMPATIENT = """
import pathlib
import searchbench.exchange.mpi as mpi
import searchbench.store.working as working
working.WorkingFolder.due = True
if mpi.world().gather(None) and mpi.world().rank == 0:
    pathlib.Path({ready!r}).touch()
"""
"""Code that keeps a checkpoint at every step, and tells when all ranks have joined: MPI itself does not bear a kill before."""
UNHURRIED = """
import pathlib
import time
import searchbench.store.working as working
due = working.WorkingFolder.due.fget
def slowly(folder):
    pathlib.Path({ready!r}).touch()
    time.sleep(0.3)
    return due(folder)
working.WorkingFolder.due = property(slowly)
"""
"""Code that takes its time at every safe point, and tells when the first one is passed."""
SHARED = "import searchbench.exchange.shards as shards; shards.SMALL = 0"
"""Code that has all ranks take part in groups that one of them would solve."""
BLIND = "import searchbench.exchange.shared_memory as memory; memory._opened = lambda file: -1"
"""Code that has no rank see the files that others have in memory, as in containers of their own."""
TOKEN = Path(__file__).parents[2] / "examples" / "tokens.py"
PROGRAM = "from searchbench.cli import main; main()"


def begin(ranks: int, words: list[str], before: str = "") -> subprocess.Popen[str]:
    """Start the program on some ranks."""
    assert MPIEXEC is not None
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [MPIEXEC, "-n", str(ranks), sys.executable, "-c", f"{SHARED}\n{before}\n{PROGRAM}", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def run(ranks: int, words: list[str]) -> tuple[int, str, str]:
    """Run the program on some ranks; return its exit code and what it wrote."""
    process = begin(ranks, words)
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def digests(folder: Path) -> dict[str, Any]:
    """Return the digest of each part's codes."""
    return {record.name: (record.digest, record.counts) for record in header_on_disk(folder).parts}


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_write_the_database_of_one_process(ranks: int, tmp_path: Path) -> None:
    solve("awari:5", to=tmp_path / "one", parts="all", memory="64MB", threads=1)
    code, out, err = run(ranks, ["solve", "awari:5", "--to", str(tmp_path / "db"), "--threads", "1", "--no-progress"])
    assert (code, err) == (0, "")
    assert out.count("awari:5,last: 6,188 states") == 1
    assert digests(tmp_path / "db") == digests(tmp_path / "one")
    assert open_database(tmp_path / "db").facts["ranks"] == ranks


@pytest.mark.long
@pytest.mark.parametrize(("spec", "form"), [("pancake:8", "streaming"), ("pancake:7", "two-bit")])
def test_ranks_have_bit_vectors_in_common(spec: str, form: str, tmp_path: Path) -> None:
    solve(spec, to=tmp_path / "one", solver="bfs", form=form, memory="64MB", threads=1)
    words = ["solve", spec, "--solver", "bfs", "--form", form, "--to", str(tmp_path / "db"), "--threads", "1"]
    code, _, err = run(3, [*words, "--no-progress"])
    assert (code, err) == (0, "")
    assert digests(tmp_path / "db") == digests(tmp_path / "one")


def test_ranks_without_memory_in_common_say_so_and_send_messages(tmp_path: Path) -> None:
    solve("pancake:7", to=tmp_path / "one", solver="bfs", form="two-bit", memory="64MB", threads=1)
    process = begin(
        2, ["solve", "pancake:7", "--solver", "bfs", "--form", "two-bit", "--to", str(tmp_path / "db")], BLIND
    )
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0
    assert err.count("share a machine, but not its memory") == 1
    assert digests(tmp_path / "db") == digests(tmp_path / "one")


def test_what_all_ranks_refuse_is_said_once(tmp_path: Path) -> None:
    words = ["solve", "pancake:6", "--solver", "bfs", "--form", "layers", "--to", str(tmp_path / "db")]
    code, out, err = run(3, words)
    assert (code, out) == (30, "")
    assert err.count("searchbench: form 'layers' cannot work on several ranks") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["solve", "nosuch.py"], "searchbench: no file nosuch.py"),
        (["solve", "pancake:6", "--nosuch"], "no such option: --nosuch"),
    ],
)
def test_what_is_wrong_before_the_ranks_have_joined_is_said_once(words: list[str], told: str) -> None:
    code, out, err = run(3, words)
    assert (code, out, err.count(told), err.count("searchbench: ")) == (30, "", 1, 1)


@pytest.mark.long
def test_a_game_is_tried_by_the_first_rank_and_refused_by_all(tmp_path: Path) -> None:
    game = tmp_path / "tokens.py"
    game.write_text(TOKEN.read_text())
    code, out, err = run(2, ["solve", str(game), "--no-progress", "--to", str(tmp_path / "right")])
    assert (code, err) == (0, "")
    game.write_text(TOKEN.read_text().replace("node != state[0]:", "node > 3:"))  # one of the `unmoves` lacks
    code, out, err = run(3, ["solve", str(game), "--to", str(tmp_path / "wrong")])
    assert (code, out) == (30, "")
    assert err.count("breaks the law moves-are-unmoves") == err.count("searchbench: ") == 1
    assert "all ranks end" not in err
    assert not (tmp_path / "wrong").exists()


def test_what_one_rank_finds_ends_all(tmp_path: Path) -> None:
    before = (
        "import os, searchbench.solvers.exhaustive.together as together\n"
        "from searchbench.errors import BrokenRule\n"
        "def breaks(*_):\n"
        "    raise BrokenRule('it is broken')\n"
        "if os.environ.get('PMI_RANK', os.environ.get('OMPI_COMM_WORLD_RANK')) == '1':\n"
        "    together.finish_group = breaks\n"
    )
    process = begin(2, ["solve", "awari:3", "--to", str(tmp_path / "db")], before)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 30
    assert "searchbench: rank 1 of 2: it is broken; all ranks end" in err


def ranks_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the ranks among the processes that MPI's starter has started."""
    children = psutil.Process(process.pid).children(recursive=True)
    return [child for child in children if child.name().startswith("python")]


def named_memory(rank: psutil.Process) -> list[str]:
    """Return the names in the file system of memory that MPI shares: what a killed rank would leave behind."""
    return [
        part.path for part in rank.memory_maps() if part.path.startswith("/dev/shm/mpich") and Path(part.path).exists()
    ]


@pytest.mark.long
def test_a_rank_is_killed_and_the_others_end_and_it_goes_on_with_more_or_fewer(tmp_path: Path) -> None:
    solve("awari:5", to=tmp_path / "one", parts="all", memory="64MB", threads=1)
    words = ["solve", "awari:5", "--to", str(tmp_path / "db"), "--threads", "1"]
    chance = random.Random(3)
    killed = 0
    for attempt in range(40):
        ready = tmp_path / f"ready {attempt}"
        process = begin(chance.choice([1, 2, 3]), words, IMPATIENT.format(ready=str(ready)))
        if attempt < 6:
            while process.poll() is None and not ready.exists():
                time.sleep(0.05)
            time.sleep(chance.uniform(0.0, 0.7) * attempt)  # the first at once: a quick machine is done in a second
            ranks = ranks_of(process) if process.poll() is None else []
            if ranks:
                assert all(named_memory(rank) == [] for rank in ranks if attempt == 0)
                chance.choice(ranks).send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=240)
        complete = "holds a database already" in err  # the last one was killed when all was kept
        if process.returncode == 0 or (killed and complete):
            break
        killed += 1
        assert process.returncode in (9, 137), err
        assert "Killed" in out + err
    assert killed > 0
    assert digests(tmp_path / "db") == digests(tmp_path / "one")
    assert process.returncode != 0 or not (tmp_path / "db.work").exists()


@pytest.mark.parametrize(
    ("number", "whom"),
    [
        pytest.param(signal.SIGINT, "mpiexec", marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, "one", marks=pytest.mark.long),
        (signal.SIGTERM, "all"),
    ],
)
def test_signals_have_all_ranks_keep_their_work(number: int, whom: str, tmp_path: Path) -> None:
    solve("awari:4", to=tmp_path / "one", parts="all", memory="64MB", threads=1)
    words = ["solve", "awari:4", "--to", str(tmp_path / "db"), "--threads", "1"]
    ready = tmp_path / "ready"
    process = begin(2, words, UNHURRIED.format(ready=str(ready)))
    while process.poll() is None and not ready.exists():
        time.sleep(0.05)
    assert process.poll() is None
    ranks = ranks_of(process)
    for told in {"mpiexec": [process], "one": ranks[1:], "all": [process, *ranks]}[whom]:
        told.send_signal(number)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 130
    assert err.count("unfinished work is kept in") == 1
    assert "in the middle of a call" not in err
    assert (tmp_path / "db.work").exists()
    code, out, _ = run(3, words)
    assert code == 0
    assert out.count("kept in") == 1
    assert digests(tmp_path / "db") == digests(tmp_path / "one")
