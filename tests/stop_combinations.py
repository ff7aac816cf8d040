"""Computations that are killed at random moments and go on, with other threads, memory and options: against the naive solver."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import searchbench as sb
from searchbench.errors import (
    BadGame,
    BadRequest,
    LimitReached,
    MissingRule,
    SearchBenchError,
)
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists
from searchbench.solvers.exhaustive.keeping import solve_request
from searchbench.solvers.exhaustive.request import requested as req
from searchbench.solvers.proof import prove_state
from searchbench.store import open_database, working
from searchbench.verify import verify_database
from written_games import by_hand, drawn, load, right_values, source

COMPILED = True
"""Whether forms may be asked for, whose kernels are compiled."""
EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree", "open")


def killed(job: Any, moment: Any, folder: Any) -> Any:
    """Run a job in a child that dies at its moment-th operation on files or report; return its status."""
    pid = os.fork()
    if pid:
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)
    code = 0
    try:
        left = [moment]

        def count(*_: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)

        def hook(event: Any, args: Any) -> Any:
            if event in EVENTS and (event != "open" or str(folder) in str(args[0])):
                count()

        sys.addaudithook(hook)
        job(lambda *a: count())
    except SearchBenchError as e:
        (folder / "told.txt").write_text(f"{type(e).__name__}: {e}")
        code = 3
    except BaseException:
        (folder / "told.txt").write_text(traceback.format_exc())
        code = 1
    os._exit(code)


def lists_of_scores(seed: Any) -> Any:
    """Have scores spread by lists alone, by rounds alone, or by both, whatever the size of a group."""
    few, small = random.Random(f"lists {seed}").choice(((0, -1), (2, -1), (9, -1), (0, 1 << 22)))
    return mock.patch.multiple(score_lists, FEW=few, SMALL=small, ALONE=2)


def solving(seed: Any, told: Any, numbered_by_moves: bool = False) -> Any:
    """Solve in several runs, all but the last killed; states may be numbered by what moves reach."""
    chance = random.Random(seed)
    game = drawn(chance, largest=18, indexes=("object", "at", "rules"))
    reached = chance.random() < numbered_by_moves
    if reached and chance.random() < 0.5:
        game = replace(game, index="none", cuts=())
    solver = chance.choice((None, "retrograde", "fixpoint", "bfs", "bfs"))
    parts = None if solver == "bfs" else chance.choice((None, None, "all"))
    form = None
    if solver == "bfs":
        form = chance.choice((None, "values", "two-bit", "reachability", "layers", "one-bit"))
    elif parts is None:
        form = chance.choice((None, None, "filled", "every:2", "base-3"))
    if not COMPILED:
        form = None
    with tempfile.TemporaryDirectory() as where, lists_of_scores(seed):
        folder = Path(where)
        loaded = load(game, folder)

        def job(report: Any, threads: Any = 1, memory: Any = 64 << 20) -> Any:
            options = {
                k: v
                for k, v in (("form", form), ("parts", parts), ("index", "reached" if reached else None))
                if v is not None
            }
            run = Run(threads=threads, memory=memory, report=report, checkpoint_interval=0.0)
            return solve_request(req(loaded, None, solver, folder / "db", options), run, "told")

        def one(threads: Any, memory: Any) -> Any:
            return lambda report: job(report, threads, memory)

        for _ in range(chance.randint(1, 5)):
            moment = int(2 ** (chance.random() * 7)) - 1
            status = killed(
                one(chance.choice((1, 2)), chance.choice((64 << 20, 8 << 20, 300_000, 60_000))), moment, folder
            )
            told[f"status {status}"] += 1
            if status == 1:
                yield "raised: " + (folder / "told.txt").read_text()[-900:]
                return
            if status == 3:
                text = (folder / "told.txt").read_text()
                if not text.startswith("OutOfMemory"):
                    told[text[:20] + text.split(":Tiny")[-1][:60]] += 1
                    if (
                        "BadRequest" in text
                        and ("exists" in text or "already" in text or "there is" in text)
                        and (folder / "db").exists()
                    ):
                        break  # was ready
                    if "DamagedData" in text or "work" in text:
                        yield text
                    return
            if status == 0:
                break
        if (folder / "db.work").exists() and not (folder / "db").exists() and chance.random() < 0.2:
            # a changed game is refused
            results = list(game.results)
            open_nodes = [n for n in game.positions().values() if game.results[n] == UNDECIDED]
            if open_nodes:
                results[chance.choice(open_nodes)] = -3 if game.values == "score" else 0
                changed = replace(game, results=tuple(results))
                (folder / "changed").mkdir()
                path = folder / "tiny.py"
                path.write_text(source(changed, "tiny"))
                (
                    sb.load(
                        f"{path}:Tiny",
                    )
                    if False
                    else None
                )

                (folder / "changed" / "tiny.py").write_text(source(changed, "tiny"))
                mine = sb.load(f"{folder / 'changed' / 'tiny.py'}:Tiny")
                before, loaded = loaded, mine
                empty = not any(folder.glob("db.work/**/record.json"))
                try:
                    job(lambda *a: None)
                    if not empty:
                        yield "a changed game goes on"
                    told["changed game: nothing kept"] += 1
                    return
                except BadRequest:
                    told["changed game refused"] += 1
                loaded = before
        try:
            if (folder / "db").exists() and parts is None:
                db = open_database(folder / "db", loaded)
            else:
                db = job(lambda *a: None, chance.choice((1, 2)), 64 << 20)
        except (BadRequest, MissingRule, BadGame) as e:
            if "unfinished" in str(e) or "work" in str(e):
                yield f"refused in the end: {e}"
            told["refused: " + str(e).split(":Tiny")[-1][:50]] += 1
            return
        told["solved " + str(solver) + (" parts" if parts else "") + " " + str(form)] += 1
        if (folder / "db.work").exists() and list((folder / "db.work").iterdir()):
            told["work left"] += 1
            if not ((folder / "db").exists()):
                yield "work left"
        yield from compared(game, db, {game.representative(n) for n in depths(game)} if reached else None)


def depths(game: Any) -> Any:
    """Return the least number of moves from the start to each node."""
    found = {game.start: 0}
    queue = [game.start]
    for node in queue:
        if game.values != "distance" and game.results[node] != UNDECIDED:
            continue
        for _, e in game.leaving(node):
            if e[1] not in found:
                found[e[1]] = found[node] + 1
                queue.append(e[1])
    return found


def compared(game: Any, db: Any, only: Any = None) -> Any:
    """Compare all values of a database with the right ones, and verify it."""
    rule = db.rule.name
    right = right_values(game)
    if rule in ("depth", "reached"):
        d = depths(game)
        best = {}
        for node, depth in d.items():
            k = game.representative(node)
            best[k] = min(depth, best.get(k, depth))
        right = {n: best.get(n) for n in range(len(game.cells))}
    if only is not None and len(only) != db.states:
        yield f"{db.states} states, {len(only)} are reached"
    for number, node in game.positions().items():
        if only is not None and node not in only:
            continue
        found = db.probe(((0,) if game.index == "at" else ()) + game.cells[node])
        found = tuple(found) if isinstance(found, tuple) else found
        want = right[node]
        if rule == "own" and want is not None:
            want *= 3
        if rule == "ending":
            want = {-1: "loss", 0: "draw", 1: "win"}[want[0]]
        if rule == "won":
            want = "won" if want[0] == 1 else "not won"
        if rule == "reached":
            found, want = bool(found), want is not None
        if found != want:
            yield f"{rule} {node} number {number}: {found}, right {want}"
    report = verify_database(db, Run(threads=1, memory=64 << 20), target="interpreted")
    if not report:
        yield f"verify {report.faults[:2]}"


def proving(seed: Any, told: Any) -> Any:
    """Prove some states by a method with options, write certificates, play from them and change them."""
    chance = random.Random(seed)
    game = drawn(chance, "outcome", 14)
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        loaded = load(game, folder)
        method = chance.choice(("pns", "dfpn"))
        options = {}
        if method == "pns":
            options = chance.choice(
                (
                    {},
                    {"mobility": True},
                    {"by_depth": True},
                    {"delayed": True},
                    {"second": True},
                    {"keep_solved": True},
                    {"from_root": True},
                    {"second": True, "cached": 2},
                )
            )
        else:
            options = chance.choice(({}, {"mobility": True}, {"weak": True}, {"epsilon": 0.0}))

        def job(report: Any, threads: Any, memory: Any, nodes: Any) -> Any:
            run = Run(threads=threads, memory=memory, report=report, checkpoint_interval=0.0)
            return prove_state(
                loaded, None, method, run, target="interpreted", work=str(folder / "work"), nodes=nodes, **options
            )

        for _ in range(chance.randint(1, 5)):
            t, m, n = (
                (1 if method == "pns" else chance.choice((1, 2))),
                chance.choice((64 << 20, 8 << 20)),
                chance.choice((0, 3, 10, 40)),
            )
            if chance.random() < 0.6:
                moment = int(2 ** (chance.random() * 6)) - 1
                status = killed(lambda report, t=t, m=m, n=n: job(report, t, m, n), moment, folder)
                if status == 1:
                    yield "raised: " + (folder / "told.txt").read_text()[-900:]
                    return
                if status == 3:
                    text = (folder / "told.txt").read_text()
                    if "LimitReached" not in text:
                        told[text[:90]] += 1
                        yield text
                        return
            else:
                try:
                    job(lambda *a: None, t, m, n)
                except LimitReached:
                    told["limit"] += 1
        if (folder / "work" / "record.json").exists() and chance.random() < 0.2:
            dict(options)
            try:
                prove_state(
                    loaded,
                    None,
                    "dfpn" if method == "pns" else "pns",
                    Run(threads=1, memory=64 << 20),
                    target="interpreted",
                    work=str(folder / "work"),
                )
                yield "another method goes on"
            except BadRequest:
                told["other method refused"] += 1
            except LimitReached:
                told["?"] += 1
        try:
            proof = job(lambda *a: None, 1, 64 << 20, 0)
        except LimitReached as e:
            told["limit at the end"] += 1
            yield f"limit: {e}"
            return
        told["proved " + method] += 1
        want = right_values(game)[game.start][0]
        if proof.outcome != want or proof.at_most is not None:
            yield f"{method} {options}: {proof.value}, right {want}"
        if proof.verify():
            yield f"{method} {options}: {proof.verify()}"
        if (folder / "work").exists() and not proof.incomplete:
            yield "work left"


AREAS = {"solving": solving, "reached": partial(solving, numbered_by_moves=True), "proving": proving}
if __name__ == "__main__":
    working.SHARE = 0  # a checkpoint may take all of the time
    by_hand(AREAS)
