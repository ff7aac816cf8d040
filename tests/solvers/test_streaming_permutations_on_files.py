"""The streaming search with its vectors in files, and after it was stopped or killed: the same layers and codes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import searchbench as sb
from searchbench.errors import BadRequest, DamagedData, OutOfMemory
from searchbench.index import Sequences
from searchbench.run import Run
from searchbench.solvers.exhaustive.by_streaming import method_for, search_by_streaming
from searchbench.solvers.exhaustive.permutations import search_alternating
from searchbench.solvers.exhaustive.permutations.levels import Layers
from searchbench.solvers.exhaustive.permutations.plan import Plan
from searchbench.solvers.exhaustive.permutations.search_alternating import AlternatingSearch
from searchbench.store.working import RECORD, WorkingFolder

SPEC = "sliding:2x5,half=yes"
ALTERNATING, GENERAL, TWO_SIDED, EQUAL = SPEC, "top-spin:10", "burnt-pancake:7", "fore-and-aft"
TASK = {"game": "a test"}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(_sequences(SPEC))


def _sequences(spec: str) -> Sequences:
    sequences = sb.load(spec).sequences()
    assert sequences is not None
    return sequences


def _search(spec: str, run: Run | None = None, work: WorkingFolder | None = None) -> Layers:
    run = run or Run()
    method = method_for(_sequences(spec), run)
    assert method is not None
    return search_by_streaming(method, sb.load(spec).rank(sb.load(spec).start()), run, work)


def _same(one: Layers, other: Layers) -> bool:
    return one.counts == other.counts and np.array_equal(one.codes.whole(), other.codes.whole())


def _tight(plan: Plan) -> Run:
    """Return a run with less memory than the vectors take: what a search on files takes at least."""
    return Run(memory=plan.table_bytes + 1000, threads=2)


def test_vectors_in_files_give_the_same(plan: Plan, tmp_path: Path) -> None:
    work = WorkingFolder(tmp_path / "work", TASK)
    found = _search(SPEC, _tight(plan), work)
    assert (tmp_path / "work" / "reached.array").stat().st_size == 8 * plan.words
    assert _same(found, _search(SPEC))
    assert found.few == _search(SPEC).few


class Killed(Exception):
    """Stand for the end of the process."""


@pytest.mark.parametrize("spec", [ALTERNATING, GENERAL, TWO_SIDED, EQUAL])
@pytest.mark.parametrize("level", [1, 4, 9])
def test_copies_are_gone_on_with(tmp_path: Path, spec: str, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", True)

    def stop(stage: str, _done: int, _total: int) -> None:
        if stage == f"depth {level}":
            raise Killed

    work = WorkingFolder(tmp_path / "work", TASK)
    with pytest.raises(Killed):
        _search(spec, Run(report=stop), work)
    work.close()
    again = WorkingFolder(tmp_path / "work", TASK)
    assert len(again.record["counts"]) == level + 1
    stages: list[str] = []
    found = _search(spec, Run(report=lambda stage, _done, _total: stages.append(stage)), again)
    assert stages[0] == f"depth {level}"
    whole = _search(spec)
    assert _same(found, whole)
    assert found.few == whole.few


@pytest.mark.parametrize("first_on_files", [True, False])
@pytest.mark.parametrize("then_on_files", [True, False])
@pytest.mark.parametrize(("level", "blocks"), [(1, 3), (12, 5), (20, 1), (40, 7)])
def test_a_level_that_was_cut_short_is_done_again(
    plan: Plan, tmp_path: Path, first_on_files: bool, then_on_files: bool, level: int, blocks: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(WorkingFolder, "due", True)
    monkeypatch.setattr(
        "searchbench.solvers.exhaustive.permutations.search_alternating.LEAST_BUDGET", 1
    )  # many small pieces of work
    work = WorkingFolder(tmp_path / "work", TASK)
    advance = AlternatingSearch.level
    done = []

    def cut_short(search: AlternatingSearch, depth: int) -> tuple[int, list[int]]:
        if depth == level:
            compiled = search.advance

            def some(*arguments: object) -> int:
                done.append(depth)
                if len(done) > blocks:
                    raise Killed
                return int(compiled(*arguments))

            vars(some).update(vars(compiled))  # where it runs
            search.advance = some
        return advance(search, depth)

    monkeypatch.setattr(AlternatingSearch, "level", cut_short)
    with pytest.raises(Killed):
        _search(SPEC, Run(memory=plan.table_bytes + 1000 if first_on_files else 0, threads=1), work)
    work.close()
    monkeypatch.setattr(AlternatingSearch, "level", advance)
    memory = plan.table_bytes + 1000 if then_on_files else 0
    found = _search(SPEC, Run(memory=memory), WorkingFolder(tmp_path / "work", TASK))
    assert _same(found, _search(SPEC))


@pytest.mark.parametrize("level", [5, 6, 8, 12, 13, 15, 20, 21, 40])
def test_a_block_that_was_not_closed_is_done_again(plan: Plan, tmp_path: Path, level: int) -> None:
    """Leave what a process leaves that ends when the second bits of a block are written, and what is reached is not."""
    work = WorkingFolder(tmp_path / "work", TASK)
    start = sb.load(SPEC).rank(sb.load(SPEC).start())
    search, counts = AlternatingSearch(plan, start, _tight(plan), work), [1]
    for depth in range(1, level):
        counts.append(search.level(depth)[0])
    work.commit({"counts": counts, "few": {}})
    before = search.vectors["reached"].copy()
    search.level(level)
    changed = np.flatnonzero(search.vectors["reached"] != before) // plan.block_words
    for block in np.unique(changed)[::2]:
        words = slice(block * plan.block_words, (block + 1) * plan.block_words)
        search.vectors["reached"][words] = before[words]
    work.close()
    found = _search(SPEC, _tight(plan), WorkingFolder(tmp_path / "work", TASK))
    whole = _search(SPEC)
    assert found.counts == whole.counts
    assert np.array_equal(found.codes.whole(), whole.codes.whole())


PROGRAM = """
import sys, time
import searchbench as sb
from searchbench.solvers.exhaustive.permutations import search_alternating
from searchbench.store.working import WorkingFolder
WorkingFolder.due = True
search_alternating.LEAST_BUDGET = 1000
def slowly(stage, done, total):
    time.sleep(0.02)
sb.solve(sys.argv[1], solver="bfs", to=sys.argv[2], memory=int(sys.argv[3]) or None, progress=slowly)
"""


@pytest.mark.long
@pytest.mark.parametrize("on_files", [False, True])
def test_killed_ten_times_the_database_is_the_same(plan: Plan, tmp_path: Path, on_files: bool) -> None:
    memory = plan.table_bytes + 1000 if on_files else 0
    plain = sb.solve(SPEC, solver="bfs")
    chooser = random.Random(5 + on_files)
    to = tmp_path / "tiles.db"
    kills = 0
    while not to.exists():
        started = subprocess.Popen([sys.executable, "-c", PROGRAM, SPEC, str(to), str(memory)], stderr=subprocess.PIPE)
        try:
            _, errors = started.communicate(timeout=chooser.uniform(0.4, 1.6) if kills < 10 else 60)
            assert started.returncode == 0, errors
        except subprocess.TimeoutExpired:
            os.kill(started.pid, signal.SIGKILL)
            started.communicate()
            kills += 1
    assert kills > 0
    assert not (tmp_path / "tiles.db.work").exists()
    kept = sb.open_database(to)
    assert np.array_equal(kept.codes, plain.codes)
    assert kept.histogram() == plain.histogram()
    assert not kept.verify().faults


def test_memory_is_asked_for_where_there_is_no_folder(plan: Plan) -> None:
    needed = search_alternating.bytes_needed(plan)
    assert needed == plan.table_bytes + 16 * plan.words
    with pytest.raises(OutOfMemory):
        sb.solve(SPEC, solver="bfs", form="streaming", memory=needed - 1)


def test_work_of_another_task_is_left_alone(tmp_path: Path) -> None:
    work = WorkingFolder(tmp_path, TASK)
    work.commit({"counts": [1]}, {"low": np.arange(10)})
    with pytest.raises(BadRequest, match="another process"):
        WorkingFolder(tmp_path, TASK)
    work.close()
    with pytest.raises(BadRequest, match="unfinished work on another task"):
        WorkingFolder(tmp_path, {"game": "another"})
    kept = np.zeros(10, np.int64)
    WorkingFolder(tmp_path, TASK).load("low", kept)
    assert kept.tolist() == list(range(10))


def test_altered_work_is_refused(tmp_path: Path) -> None:
    work = WorkingFolder(tmp_path, TASK)
    work.commit({"counts": [1]}, {"low": np.arange(1000)})
    work.close()
    (copy,) = tmp_path.glob("low.*")
    data = bytearray(copy.read_bytes())
    data[77] ^= 1
    copy.write_bytes(data)
    work = WorkingFolder(tmp_path, TASK)
    with pytest.raises(DamagedData, match="altered"):
        work.load("low", np.zeros(1000, np.int64))
    with pytest.raises(DamagedData, match="right size"):
        work.load("low", np.zeros(999, np.int64))
    copy.write_bytes(data[:100])
    with pytest.raises(DamagedData, match="too short"):
        work.load("low", np.zeros(1000, np.int64))
    work.close()
    record = json.loads((tmp_path / RECORD).read_text())
    record["body"]["record"]["counts"] = [2]
    (tmp_path / RECORD).write_text(json.dumps(record))
    with pytest.raises(DamagedData, match="altered"):
        WorkingFolder(tmp_path, TASK)
    (tmp_path / RECORD).write_text("{")
    with pytest.raises(DamagedData, match="cannot be read"):
        WorkingFolder(tmp_path, TASK)


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadRequest, match=r"letter\.txt"):
        WorkingFolder(tmp_path, TASK)
    with pytest.raises(BadRequest, match="no folder"):
        WorkingFolder(tmp_path / "letter.txt", TASK)
    with pytest.raises(BadRequest, match="give `to`"):
        sb.solve("sliding:2x3", work=tmp_path / "work")


def test_nothing_is_made_for_what_takes_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkingFolder, "due", False)  # on a slow machine, too
    sb.solve(SPEC, solver="bfs", to=tmp_path / "tiles.db", work=tmp_path / "here")
    assert [entry.name for entry in tmp_path.iterdir()] == ["tiles.db"]
