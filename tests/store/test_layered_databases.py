"""Databases of layered games over diagrams: kept, interrupted, opened without OxiDD, asked and verified."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import searchbench as sb
from layered import RandomLines
from naive import layers_with_values
from searchbench.errors import BadRequest, BadState, DamagedData
from searchbench.index.protocol import Part, leads_on
from searchbench.numbered import diagram_of, numbered
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep
from searchbench.store.forms import TWO_BIT
from searchbench.store.pairs import PairCodes, set_pairs

SPEC = "connect4:4,4"
WORDS = {-1: "loss", 0: "draw", 1: "win"}
SOLVE = "import searchbench, sys; searchbench.solve(sys.argv[1], solver='sweep', to=sys.argv[2], threads=1)"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a solved game."""
    folder = tmp_path_factory.mktemp("layers") / "c4.db"
    sb.solve(SPEC, solver="sweep", to=folder)
    return folder


def test_queries_without_oxidd(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oxidd", None)
    monkeypatch.setitem(sys.modules, "oxidd.bdd", None)
    with sb.open_database(kept) as database:
        assert database.histogram() == {"loss": 10830, "draw": 90120, "win": 38675}
        assert database.probe() == "draw"
        won = database.find(value="win", limit=3)
        assert [database.probe(position) for position in won] == ["win"] * 3
        line = database.line(won[0])
        assert line.complete and database.game.terminal(line.states()[-1]) == -1  # noqa: PT018
        assert len(line.moves) % 2 == 1  # the winner moves last
        assert database.probe("1122334") == "loss"  # over, and without a number
        with pytest.raises(BadState, match="does not number"):
            database.probe("..../..../X.../O...")  # not reached: X begins
        report = database.verify()
        assert report.count == 0 and report.note == ""  # noqa: PT018
        assert report.states == 139625


def test_one_flipped_bit_is_found(kept: Path) -> None:
    with sb.open_database(kept) as database:
        parts, chance = database.parts, np.random.default_rng(7)
        planes = []
        for part in parts:
            words = np.zeros(2 * (part.size // 64 + 3), np.uint64)
            set_pairs(words, 0, database.read(part, part.start, part.stop))
            planes.append(words)
        whole = PairCodes(parts, planes)
        assert np.array_equal(whole.whole(), database.codes)
        for place in chance.choice(np.arange(3, 16), 2, replace=False).tolist():
            number = int(chance.integers(parts[place].size))
            planes[place][2 * (number // 64)] ^= np.uint64(1 << number % 64)
            wrong = sb.Database(database.game, database.rule, PairCodes(parts, planes))
            report = wrong.verify()
            assert report.count >= 1
            assert any(wrong.position(parts[place].start + number).text in str(fault) for fault in report.faults)
            planes[place][2 * (number // 64)] ^= np.uint64(1 << number % 64)


def test_every_flipped_bit_is_found() -> None:
    database = sb.solve("connect4:2,3,2", solver="sweep", threads=1)
    parts, planes = database.parts, []
    for part in parts:
        planes.append(np.zeros(2 * (part.size // 64 + 3), np.uint64))
        set_pairs(planes[-1], 0, database.read(part, part.start, part.stop))
    for words, part in zip(planes, parts, strict=True):
        for number, which in product(range(part.size), range(2)):
            bit = np.uint64(1 << number % 64)
            words[2 * (number // 64) + which] ^= bit
            wrong = sb.Database(database.game, database.rule, PairCodes(parts, planes))
            assert wrong.verify().count >= 1, (part.name, number, which)
            words[2 * (number // 64) + which] ^= bit


@pytest.mark.parametrize("seed", range(12))
def test_packed_pairs_are_the_two_bit_form(seed: int) -> None:
    chance = np.random.default_rng(seed)
    parts, planes, start = [], [], 5
    for name in "ab":
        size = int(chance.integers(1, 300))
        words = np.zeros(2 * (size // 64 + 3), np.uint64)
        codes = chance.integers(1, 4, size).astype(np.uint8)
        set_pairs(words, 0, codes)
        parts.append(Part(name, start, start + size))
        planes.append(words)
        start += size
        held = PairCodes(parts, planes)
        assert np.array_equal(held.read(parts[-1], start - size, start), codes)
        assert np.array_equal(held.packed(parts[-1], 0, TWO_BIT.units(size)), TWO_BIT.packed(codes))
        assert held.counts(parts[-1]) == {
            int(c): int(n) for c, n in zip(*np.unique(codes, return_counts=True), strict=True)
        }


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a database without its header."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file != folder / "zarr.json"
    }


def test_killed_and_gone_on_with(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "c4.db"
    program = (
        "import os, signal\n"
        "from searchbench.store.growing import GrowingDatabase\n"
        "add, left = GrowingDatabase.add, [LEFT]\n"
        "def killed(self, *arguments):\n"
        "    if left[0] == 0:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    left[0] -= 1\n"
        "    add(self, *arguments)\n"
        "GrowingDatabase.add = killed\n" + SOLVE
    )
    for left in (0, 5, 3):
        died = subprocess.run(
            [sys.executable, "-c", program.replace("LEFT", str(left)), SPEC, str(folder)], check=False
        )
        assert died.returncode == -signal.SIGKILL
    assert len(list((folder / "parts").iterdir())) >= 8
    sb.solve(SPEC, solver="sweep", to=folder, threads=1)
    assert contents(folder) == contents(kept)
    with pytest.raises(BadRequest, match="--force"):
        sb.solve(SPEC, solver="sweep", to=folder)
    sb.solve(SPEC, solver="sweep", to=folder, overwrite=True)
    assert contents(folder) == contents(kept)


def test_forward_layers_are_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from searchbench.solvers.exhaustive.diagrams.forward import Forward
    from searchbench.store.working import working_folder

    game = sb.load(SPEC)
    told = game.digits()
    assert told is not None
    right = Forward(game, told, Run()).layers()
    for stop in (1, 7, 15):
        run = Run(work=tmp_path / str(stop), checkpoint_interval=0)
        monkeypatch.setattr("searchbench.store.working.SHARE", 0)

        class Stopped(Forward):
            def _next(self, stop: int = stop) -> bool:
                if len(self.reachable) == stop + 1:
                    raise KeyboardInterrupt
                return super()._next()

        with working_folder(game, "sweep", run) as folder, pytest.raises(KeyboardInterrupt):
            Stopped(game, told, run, folder=folder).layers()
        steps: list[int] = []

        class Counted(Forward):
            def _next(self, steps: list[int] = steps) -> bool:
                steps.append(len(self.reachable))
                return super()._next()

        with working_folder(game, "sweep", run) as folder:
            found = Counted(game, told, run, folder=folder).layers()
        assert steps == list(range(stop + 1, 18))  # it did not begin with the start
        assert (found.reachable, found.undecided) == (right.reachable, right.undecided)
        assert list(found.diagram.iterate(500, 900)) == list(right.diagram.iterate(500, 900))
        with working_folder(game, "sweep", run) as folder:
            steps.clear()
            assert Counted(game, told, run, folder=folder).layers().reachable == right.reachable
            assert steps == []  # nothing was left to do


def test_damage_to_the_numbering_is_found(kept: Path, tmp_path: Path) -> None:
    import shutil

    for file in sorted((kept / "index").rglob("*")):
        if not file.is_file() or file.stat().st_size == 0:
            continue
        copy = tmp_path / "copy.db"
        shutil.copytree(kept, copy)
        altered = copy / file.relative_to(kept)
        data = bytearray(altered.read_bytes())
        data[len(data) // 2] ^= 1
        altered.write_bytes(data)
        with pytest.raises(DamagedData):
            sb.open_database(copy)
        altered.unlink()
        with pytest.raises(DamagedData):
            sb.open_database(copy)
        shutil.rmtree(copy)


@pytest.mark.parametrize("seed", [2, 3, 8, 14])
def test_every_solver_takes_the_numbers_of_a_diagram(seed: int, tmp_path: Path) -> None:
    game = RandomLines(seed)
    with Run() as run:
        swept = solve_by_sweep(game, run, "interpreted")
    found = sb.solve(numbered(game, diagram_of(swept.game)), rule="ending")  # one position at a time
    assert np.array_equal(swept.codes, found.codes)
    for layer in layers_with_values(game):
        for state, value in layer.items():
            assert swept.probe(state) == WORDS[value]
    assert diagram_of(game) is None
    swept.save(tmp_path / "saved.db")
    with sb.open_database(tmp_path / "saved.db", game) as opened:
        assert np.array_equal(opened.codes, found.codes)
        assert diagram_of(opened.game).digest == diagram_of(swept.game).digest


def test_which_solver_is_chosen() -> None:
    from searchbench.solvers.exhaustive.choice import chosen

    assert chosen(sb.load("connect4:5x5")).solver == "sweep"
    assert chosen(sb.load("connect4:4x4")).solver == "retrograde"
    assert chosen(sb.load("connect4:5x5"), "outcome").solver == "retrograde"
    for options in ({"rule": "outcome"}, {"form": "values"}, {"by_parts": True}):
        with pytest.raises(BadRequest, match=r"sweep|values"):
            chosen(sb.load("connect4:5x5"), solver="sweep", **options)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="digits"):
        chosen(sb.load("morris:3,3"), solver="sweep")
    with pytest.raises(BadRequest, match="--layers"):
        sb.predict("connect4:5x5")


def test_leads_on() -> None:
    assert leads_on([Part("a", 0, 1, ("b",)), Part("b", 1, 2)])
    assert not leads_on([Part("a", 0, 1, ("b",)), Part("b", 1, 2, ("a",))])
    assert not leads_on([Part("a", 0, 1, ("a",))])
