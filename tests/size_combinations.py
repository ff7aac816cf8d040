"""Random games of thousands of states with random combinations of features, solved on disk, against twins that know the edges.

Sizes at which pages, blocks, chunks and wider codes begin, which tiny games do not reach.

python tests/size_combinations.py SEED COUNT     a long run by hand; prints every seed that fails
"""

from __future__ import annotations

import heapq
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from feature_combinations import FORMS, KEEPS, Case, drawn_game
from graphs import GraphGame, shared
from searchbench.errors import BadRequest, BadState, NoFixpoint, OutOfMemory
from searchbench.repairs import repair_folder
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.store import Database, open_database
from searchbench.verify import verify_database

LARGEST = 1 << 17
"""The nodes of the largest game, and of the smallest one that is drawn."""
SMALLEST = 1 << 9
MOST_SWEEPS = 20_000
"""Sweeps over all edges until the points of a game that lasts long are given up."""
PROBED = 2000
"""Positions that are asked for one by one."""
STATUSES = {-1: "loss", 0: "draw", 1: "win"}

Values = list[Any]


# --- twins: what the edges say, without the game's rules ----------------------------------------------------------------


def distances(game: GraphGame) -> Values:
    """Return the least cost from each node to one that is solved (Dijkstra 1959, backwards)."""
    back = _arriving(game)
    found: Values = [None] * len(game.results)
    heap = [(0, node) for node, result in enumerate(game.results) if result == 0]
    while heap:
        total, node = heapq.heappop(heap)
        if found[node] is not None:
            continue
        found[node] = total
        for before, cost in back[node]:
            if found[before] is None and game.results[before] == UNDECIDED:
                heapq.heappush(heap, (total + cost, before))
    return found


def outcomes(game: GraphGame) -> Values:
    """Return the outcome and depth of each node, backwards with a count of the moves that are not decided."""
    back = _arriving(game)
    left = Counter(edge[0] for edge in game.edges)
    found: Values = [None if result == UNDECIDED else (result, 0) for result in game.results]
    queue = deque(node for node, value in enumerate(found) if value is not None and value[0])
    while queue:
        node = queue.popleft()
        outcome, depth = found[node]
        for before, _ in back[node]:
            left[before] -= outcome == 1
            if found[before] is None and (outcome == -1 or not left[before]):
                found[before] = (-outcome, depth + 1)
                queue.append(before)
    return [(0, 0) if value is None else value for value in found]


def scores(game: GraphGame) -> Values:
    """Return the points still to be gained, part by part, by sweeps over the edges. Raises RecursionError."""
    edges = np.array(sorted(edge for edge in game.edges if game.results[edge[0]] == UNDECIDED), np.int64).reshape(-1, 4)
    values = np.array([0 if result == UNDECIDED else result for result in game.results], np.int64)
    for low, high in zip((0, *game.cuts), (*game.cuts, len(values)), strict=True):
        some = edges[(edges[:, 0] >= low) & (edges[:, 0] < high)]
        if not len(some):
            continue
        nodes, begins = np.unique(some[:, 0], return_index=True)
        for _ in range(MOST_SWEEPS):
            best = np.maximum.reduceat(some[:, 3] - values[some[:, 1]], begins)
            if (values[nodes] == best).all():
                break
            values[nodes] = best
        else:
            raise RecursionError
    return [int(value) for value in values]


def depths(game: GraphGame) -> Values:
    """Return the least number of moves from the first node to each."""
    leaving: list[list[int]] = [[] for _ in game.results]
    for one, other, *_ in game.edges:
        leaving[one].append(other)
    found: Values = [None] * len(game.results)
    found[game.first] = 0
    queue = deque([game.first])
    while queue:
        node = queue.popleft()
        for after in leaving[node]:
            if found[after] is None:
                found[after] = found[node] + 1
                queue.append(after)
    return found


def _arriving(game: GraphGame) -> list[list[tuple[int, int]]]:
    back: list[list[tuple[int, int]]] = [[] for _ in game.results]
    for one, other, cost, _ in game.edges:
        if game.values == "distance" or game.results[one] == UNDECIDED:
            back[other].append((one, cost))
    return back


def right_values(game: GraphGame, rule: str) -> Values:
    """Return the value of every node, of symmetric ones the same. Raises RecursionError where points go round, or nearly so."""
    if rule in {"depth", "reached"}:
        least: dict[int, int] = {}
        for node, depth in enumerate(depths(game)):
            if depth is not None:
                one = int(game.canonical([node])[0])
                least[one] = min(depth, least.get(one, depth))
        found: Values = [least.get(node) for node in range(len(game.results))]
        return [value is not None or None for value in found] if rule == "reached" else found
    if rule == "distance":
        return distances(game)
    if rule == "score":
        return scores(game)
    found = outcomes(game)
    if rule == "won":
        return ["won" if value[0] == 1 else "not won" for value in found]
    return [STATUSES[value[0]] for value in found] if rule == "ending" else found


# --- cases --------------------------------------------------------------------------------------------------------------


def drawn_case(seed: int) -> Case:
    """Draw a case: any feature beside any other, and a game that lasts long or not."""
    chance = random.Random(seed)
    game = drawn_game(chance, int(SMALLEST * (LARGEST / SMALLEST) ** chance.random()))
    solver = chance.choice((None, "retrograde", "retrograde", "fixpoint", "bfs"))
    parts = chance.random() < (0 if solver == "bfs" else 0.25)
    size = len(game.results)
    return Case(
        game=shared(game),
        solver=solver,
        rule=None if chance.random() < 0.8 else chance.choice(("distance", "outcome", "ending", "depth", "reached")),
        form=chance.choice(FORMS) if solver == "bfs" else None,
        target="cpu",
        threads=chance.choice((1, 2, 3)),
        memory=chance.choice((256 << 20, 64 << 20, 64 * size, 24 * size, 8 * size)),
        block_bits=None if parts or chance.random() < 0.5 else chance.randint(6, 17),
        parts=parts,
        kept=chance.choice((None, "values", *KEEPS[game.values])),
        reached=not parts and chance.random() < 0.25,
    )


def faults_of(case: Case, folder: Path, chance: random.Random) -> str:
    """Solve a case on disk; return what is wrong, "" if nothing is, or "refused: ..." where the combination is.

    Some are killed now and then, and go on with other threads and as much memory.
    """
    for _ in range(chance.choice((0, 0, 1, 3))):
        pid = os.fork()
        if not pid:
            with suppress(BaseException):
                solved(case, folder, 0.05).close()
            os._exit(0)
        time.sleep(4 * chance.random() ** 3)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        case = replace(case, threads=chance.choice((1, 2, 3)))
    try:
        database = solved(case, folder, 30.0)
    except (BadRequest, OutOfMemory, NoFixpoint) as refusal:
        return f"refused: {refusal}"
    with database:
        return compared(case, database, chance) or changed(case, database, folder, chance)


def solved(case: Case, folder: Path, interval: float) -> Database:
    """Solve a case, or open what was solved before."""
    if (folder / "db").exists() and not case.parts:
        return open_database(folder / "db", case.game)
    run = Run(memory=case.memory, threads=case.threads, work=folder / "work", checkpoint_interval=interval)
    if case.parts:
        return solve_parts(case.game, "all", folder / "db", case.rule, run, solver=case.solver)
    database = solve_states(
        case.game, case.rule, case.solver, run, block_bits=case.block_bits, form=case.form,
        index="reached" if case.reached else None,
    )  # fmt: skip
    if case.kept is None:
        return database
    database.save(folder / "db", form=case.kept)
    database.close()
    return open_database(folder / "db", case.game)


def compared(case: Case, database: Database, chance: random.Random) -> str:
    """Compare all values of a database, or those of many states where it keeps less, and verify it."""
    game, rule = case.game, database.rule.name
    try:
        right = right_values(game, rule)
    except RecursionError:
        return "refused: points go round, or last too long"
    absent = frozenset(game.absent)
    standing = [node for node in range(game.size) if node not in absent and int(game.canonical([node])[0]) == node]
    if case.reached:
        there = {int(game.canonical([node])[0]) for node, depth in enumerate(depths(game)) if depth is not None}
        standing = sorted(there)  # also those that the game's own index has no number for
    kept_bits = rule in {
        "depth",
        "reached",
    }  # which do not tell numbers that are no positions from those that nothing reaches
    if not kept_bits and database.states != len(standing):
        return f"{database.states} states, {len(standing)} are right"
    try:
        told = {_plain(value): count for value, count in database.histogram().items()}
    except BadRequest:
        told = None
    counts = Counter(right[node] for node in standing)
    if told is not None and kept_bits:
        told[None] = counts[None]
    if told is not None and told != counts:
        wrong = {value for value in told.keys() | counts.keys() if told.get(value, 0) != counts[value]}
        odd = [(value, told.get(value), counts[value]) for value in sorted(wrong, key=str)[:5]]
        return f"histogram: {odd}, the last is right"
    for node in chance.sample(standing, min(PROBED, len(standing))):
        found = _plain(database.probe((node,)))
        if found != right[node]:
            return f"{node} has the value {found}, {right[node]} is right"
    if case.reached:
        for node in chance.sample(range(game.size), min(PROBED, game.size)):
            if node not in there and int(game.canonical([node])[0]) == node and database.game.rank([node]) != NOWHERE:
                return f"{node} has a number, and is not reached"
    report = verify_database(
        database, Run(threads=chance.choice((1, 2)), memory=chance.choice((64 << 20, 24 * game.size)))
    )
    return "" if report else f"verification finds {report.faults[:2]}"


def changed(case: Case, database: Database, folder: Path, chance: random.Random) -> str:
    """Plant a wrong value, and cut some parts out; return what is wrong."""
    if case.reached or database.rule.name in {"depth", "reached"}:
        return ""
    try:
        codes = database.codes.copy()
    except BadRequest:  # a form that keeps less
        return ""
    game = case.game
    standing = np.flatnonzero(codes != database.illegal)
    if not len(standing):
        return ""
    number = int(chance.choice(standing))
    right, others = int(codes[number]), np.unique(codes[standing])
    codes[number] = chance.choice(sorted({int(code) for code in others} - {right}) or [right ^ 1])
    run = Run(threads=chance.choice((1, 2)), memory=chance.choice((64 << 20, 64 * game.size)))
    with Database(game, database.rule, codes) as planted:
        planted.save(folder / "planted.db")
    try:
        with open_database(folder / "planted.db", game) as planted:
            if verify_database(planted, run):
                return f"verification does not find {codes[number]} planted at {number}, {right} is right"
        repair_folder(folder / "planted.db", game, run=run)
    except (BadRequest, OutOfMemory) as refusal:
        return f"refused: changed: {refusal}"
    codes[number] = right
    with open_database(folder / "planted.db", game) as mended:
        if (mended.codes != codes).any():
            return f"repair of {number}: {np.flatnonzero(mended.codes != codes)[:5]} differ"
        names = chance.sample([part.name for part in mended.parts], chance.randint(1, len(mended.parts)))
        if all(part.start == part.stop for part in mended.parts if part.name in names):
            return ""
        with mended.convert(folder / "slice.db", parts=names) as some:
            for part in mended.parts:
                for node in chance.sample(range(part.start, part.stop), min(50, part.stop - part.start)):
                    if codes[node] == database.illegal:
                        continue
                    try:
                        told = some.probe((node,))
                    except BadState:
                        told = BadState
                    if told != (mended.probe((node,)) if part.name in names else BadState):
                        return f"slice {names}: {node} is {told}"
    return ""


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, tuple) else value


def problem(seed: int) -> str:
    """Return what is wrong with the case of a seed, with the case; "refused: ..." or "" if nothing."""
    case = drawn_case(seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = faults_of(case, Path(folder), random.Random(seed))
        except Exception:
            found = traceback.format_exc()
    if not found or found.startswith("refused"):
        return found
    game = case.game
    short = replace(case, game=None)  # type: ignore[arg-type]
    kind = (
        f"{type(game).__name__} of {len(game.results)} nodes, {len(game.edges)} edges, {game.values}, cuts {game.cuts}"
    )
    return f"seed {seed}: {found}\n{kind}, {short}"


if __name__ == "__main__":
    begin, count = map(int, sys.argv[1:3])
    told: Counter[str] = Counter()
    for seed in range(begin, begin + count):
        before = time.perf_counter()
        found = problem(seed)
        told[found.split("(")[0][:90] if found.startswith("refused") else "wrong" if found else "right"] += 1
        if found and not found.startswith("refused"):
            print(found, flush=True)
        if time.perf_counter() - before > 60:
            print(f"seed {seed}: {time.perf_counter() - before:.0f} s", flush=True)
    for word, times in told.most_common():
        print(f"{times:6} {word}")
