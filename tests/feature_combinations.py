"""Random tiny games with random combinations of features, each compared with the naive solver.

python tests/feature_combinations.py SEED COUNT     a long run by hand; prints every seed that fails
"""

from __future__ import annotations

import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any
from unittest import mock

import naive
from graphs import GraphGame, RotatedGame, shared
from searchbench import game as games
from searchbench.errors import BadRequest, NoFixpoint, OutOfMemory, SearchBenchError
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import score_lists, scores, solve_parts, solve_states, worklist
from searchbench.store import Database, open_database
from searchbench.verify import verify_database

scores.EMITTED = scores.APPLIED = 1  # type: ignore[misc]  # tables as small as these go to all threads, too

FEW = 24
"""The nodes of a tiny game, at most."""
FORMS = (None, None, "values", "two-bit", "reachability", "layers", "one-bit")
KEPT = ("filled", "base-3", "two-bit", "one-bit", "best-move", "every:2", "every:3,1", "every:4")
KEEPS = {
    "distance": ("best-move", "every:2", "every:3,1", "every:4"),
    "outcome": ("filled", "base-3", "one-bit"),
    "score": (),
}
"""The forms that keep values of a game; any other is refused, which is drawn, too."""
ENDS = {"distance": (0, 0, -1), "outcome": (-1, -1, 0, 1), "score": (-3, 0, 2)}


@dataclass(frozen=True)
class Case:
    """Say which game is solved how.

    `parts` solves it part by part, `kept` is the form in which it is kept and read again, `reached` numbers what moves reach.
    """

    game: GraphGame
    solver: str | None
    rule: str | None
    form: str | None
    target: Any
    threads: int
    memory: int
    block_bits: int | None
    parts: bool
    kept: str | None
    reached: bool = False


def drawn_case(seed: int) -> Case:
    """Draw a case: any feature beside any other."""
    chance = random.Random(seed)
    game = drawn_game(chance)
    solver = chance.choice((None, "retrograde", "fixpoint", "bfs"))
    parts = chance.random() < (0.05 if solver == "bfs" else 0.25)
    kept = chance.choice(KEPT) if chance.random() < 0.1 else chance.choice((None, "values", *KEEPS[game.values]))
    return Case(
        game=shared(game),
        solver=solver,
        rule=None if chance.random() < 0.8 else chance.choice(("distance", "outcome", "ending", "depth", "reached")),
        form=chance.choice(FORMS) if solver == "bfs" else None,
        target=chance.choice(("cpu", "interpreted")),
        threads=chance.choice((1, 1, 2)),
        memory=chance.choice((64 << 20, 64 << 20, 8 << 20, 8 << 20, 200_000, 20_000)),
        block_bits=None if parts or chance.random() < 0.5 else chance.randint(1, 5),
        parts=parts,
        kept=kept,
        reached=not parts and chance.random() < 0.25,
    )


def drawn_game(chance: random.Random, largest: int = FEW) -> GraphGame:
    """Draw a graph: near or far edges, one way or both, several parts, empty ones, symmetries, absent nodes, ends outside.

    One of more than a few nodes has half of `largest` at least, and may have few ends, so that games last long.
    """
    values = chance.choice(("distance", "distance", "outcome", "outcome", "score"))
    size = chance.randint(1 if largest <= FEW else largest // 2, largest)
    kind = chance.choice(("plain", "plain", "mirror", "turned")) if values != "score" else "plain"
    if kind == "turned":
        return _turned(chance, values, largest)
    layer = sorted(chance.randint(0, 4) for _ in range(size)) if values == "score" else [0] * size
    pairs = list(_pairs(chance, size, chance.choice((1, 2, 3))))
    if values == "score":
        pairs = [(a, b) for a, b in pairs if layer[a] >= layer[b]]
    both = values == "distance" and chance.random() < 0.4
    if both:
        pairs += [(b, a) for a, b in pairs]
    decided = chance.choice((0.05, 0.2, 0.5) if largest <= FEW else (2 / largest, 0.01, 0.2))
    results = [chance.choice(ENDS[values]) if chance.random() < decided else UNDECIDED for _ in range(size)]
    numbered = chance.randint(1, size) if kind == "plain" and values == "outcome" and chance.random() < 0.3 else size
    for node in range(numbered, size):
        results[node] = -1 if results[node] == UNDECIDED else results[node]
    mirror: tuple[int, ...] = ()
    if kind == "mirror":
        image = list(range(size))
        for one, other in zip(*[iter(chance.sample(range(size), size - size % 2))] * 2, strict=True):
            if chance.random() < 0.7:
                image[one], image[other] = other, one
        results = [results[min(node, image[node])] for node in range(size)]
        pairs += [(image[a], image[b]) for a, b in pairs]
        mirror = tuple(image)
    if values != "distance":
        pairs = [(a, b) for a, b in pairs if results[a] == UNDECIDED]
        if values == "score":
            stuck = set(range(size)) - {a for a, _ in pairs}
            results = [0 if node in stuck and result == UNDECIDED else result for node, result in enumerate(results)]
    pairs = list(dict.fromkeys(pairs)) if mirror or chance.random() < 0.5 else pairs
    unit = values != "distance" or both or bool(mirror) or chance.random() < 0.5
    edges = tuple((a, b, 1 if unit else chance.randint(1, 9), layer[a] - layer[b]) for a, b in pairs)
    cuts = tuple(sorted(chance.sample(range(1, numbered), min(numbered - 1, chance.choice((0, 0, 1, 3))))))
    if values == "score":
        cuts = tuple(node for node in range(1, size) if layer[node] != layer[node - 1])
    count = len(cuts) + 1
    hollow = 0 if values == "score" else chance.choice((0, 0, 0, 1, 2))  # the twin for points goes part by part
    empty = tuple((chance.randrange(count), chance.random() < 0.5) for _ in range(hollow))
    alone = values == "distance" and not mirror and not both and chance.random() < 0.2
    away = {end for edge in edges for end in edge[:2]} | {0}
    absent = tuple(node for node in range(size) if node not in away and results[node] == UNDECIDED) if alone else ()
    return GraphGame(
        edges, tuple(results), values, cuts, numbered if numbered < size else 0, mirror, absent,
        first=0 if absent else chance.randrange(numbered), told=chance.random() < 0.3, empty=empty,
        locality=1 if both and not mirror else None, negative=chance.random() < 0.3,
    )  # fmt: skip


def _pairs(chance: random.Random, size: int, density: int) -> Iterator[tuple[int, int]]:
    """Draw edges: anywhere, or mostly downwards to near nodes, which makes games long."""
    near = chance.random() < 0.5
    far = 0.15 if size <= FEW else chance.choice((0.15, 3 / size, 0.0))
    for _ in range(density * size):
        node = chance.randrange(size)
        down = near and chance.random() >= far
        yield node, max(0, node - chance.randint(1, 4)) if down else chance.randrange(size)


def _turned(chance: random.Random, values: str, largest: int) -> RotatedGame:
    """Draw a graph with a rotation: hubs that it leaves as they are, and rings that it turns."""
    turns = chance.randint(2, 7)
    count = chance.randint(1, 6) * max(1, largest // FEW)
    orbits = [chance.choice((1, turns)) for _ in range(count)]
    ends = [UNDECIDED] * 4 + list(ENDS[values][1:])
    results = [chance.choice(ends) for _ in orbits]
    begins = [0, *accumulate(orbits)][:count]
    pairs = set()
    for _ in range(chance.randint(0, 14) * max(1, largest // FEW)):
        source, target, ahead = (chance.randrange(len(orbits)), chance.randrange(len(orbits)), chance.randrange(turns))
        if values == "distance" or results[source] == UNDECIDED:
            pairs |= {
                (begins[source] + turn % orbits[source], begins[target] + (turn + ahead) % orbits[target])
                for turn in range(turns)
            }
    whole = tuple(result for result, size in zip(results, orbits, strict=True) for _ in range(size))
    return RotatedGame(
        tuple((a, b, 1, 0) for a, b in sorted(pairs)), whole, values, turns=turns, orbits=tuple(orbits),
        first=begins[chance.randrange(len(orbits))],
    )  # fmt: skip


# --- right values -----------------------------------------------------------------------------------------------------


def right_values(game: GraphGame, rule: str) -> dict[int, Any]:
    """Return the value of every number that stands for its class, by the naive solver. Raises RecursionError."""
    graph = naive.explicit(game)
    found: dict[Any, Any]
    if rule in {"depth", "reached"}:
        found = {}
        for state, depth in naive.depths(game).items():  # symmetric states share a number
            one = tuple(game.canonical(state))
            found[one] = min(depth, found.get(one, depth))
        if rule == "reached":
            found = dict.fromkeys(found, True)
    elif rule == "distance":
        found = naive.distances(graph)
    elif rule == "score":
        found = naive.scores(graph)
    else:
        found = naive.outcomes(graph)
        if rule == "won":
            found = {state: "won" if outcome == 1 else "not won" for state, (outcome, _) in found.items()}
        if rule == "ending":
            found = {state: {-1: "loss", 0: "draw", 1: "win"}[outcome] for state, (outcome, _) in found.items()}
    table = naive.table(graph, found)
    return {number: value for number, value in table.items() if game.canonical(graph.numbers[number]) == [number]}


def faults_of(case: Case, folder: Path) -> str:
    """Solve a case; return what is wrong, "" if nothing is, or "refused: ..." where the combination is.

    A compiled case compiles its parts and kept forms, too, which is not done by default for so few states. All have worklists.
    """
    with (
        mock.patch.object(games, "FEW_STATES", 0 if case.target == "cpu" else games.FEW_STATES),
        mock.patch.multiple(worklist, LEAST=1, FULL_SWEEPS=1),
        mock.patch.multiple(
            score_lists, SMALL=(-1, 1 << 22)[(case.block_bits or 0) % 2], FEW=(2, 1000)[case.threads % 2], ALONE=2
        ),
    ):
        return _faults_of(case, folder)


def _faults_of(case: Case, folder: Path) -> str:
    run = Run(memory=case.memory, threads=case.threads, work=folder / "work", checkpoint_interval=0.0)
    try:
        if case.parts:
            database = solve_parts(case.game, "all", folder / "parts.db", case.rule, run, solver=case.solver)
        else:
            database = solve_states(
                case.game, case.rule, case.solver, run, block_bits=case.block_bits, target=case.target, form=case.form,
                index="reached" if case.reached else None,
            )  # fmt: skip
    except (BadRequest, OutOfMemory, NoFixpoint) as refusal:
        return f"refused: {refusal}"
    wrong = _compared(case, database, "solved")
    if wrong or case.kept is None or case.parts:
        return wrong
    try:
        database.save(folder / "kept.db", form=case.kept)
    except BadRequest as refusal:
        return f"refused: kept: {refusal}"
    with open_database(folder / "kept.db", case.game) as kept:
        return _compared(case, kept, f"kept as {case.kept}")


def _compared(case: Case, database: Database, what: str) -> str:
    """Compare all values of a database with the right ones, and verify it."""
    rule = database.rule.name
    try:
        right = right_values(case.game, rule)
    except RecursionError:
        return "refused: points go round"
    game = case.game
    reached = {tuple(game.canonical(state)) for state in naive.depths(game)} if case.reached else set()
    if case.reached and database.size != len(reached):
        return f"{what}: {database.size} states are numbered, {len(reached)} are reached"
    for number, value in right.items():
        if case.reached and tuple(game.unrank(number)) not in reached:
            if database.game.rank(game.unrank(number)) != NOWHERE:
                return f"{what}: {number} has a number, and is not reached"
            continue
        try:
            found = database.probe(game.unrank(number))
        except SearchBenchError as error:
            return f"{what}: {number} is {value}, probe says {error}"
        as_right = tuple(found) if isinstance(value, tuple) and found is not None else found
        if as_right != value and not (rule == "reached" and bool(found) == bool(value)):
            return f"{what}: {number} has the value {found}, {value} is right"
    report = verify_database(database, Run(threads=1, memory=64 << 20), target="interpreted")
    return "" if report else f"{what}: verification finds {report.faults[:2]}"


def problem(seed: int, target: Any = None) -> str:
    """Return what is wrong with the case of a seed, with the case; "" if nothing. `target` replaces the one drawn."""
    case = drawn_case(seed)
    case = replace(case, target=target or case.target)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = faults_of(case, Path(folder))
        except Exception:
            found = traceback.format_exc()
    return f"seed {seed}: {found}\n{case}" if found and not found.startswith("refused") else ""


def outcome(seed: int) -> str:
    """Return "right", or why the combination of a seed is refused, in its first words."""
    case = replace(drawn_case(seed), target="interpreted")
    with tempfile.TemporaryDirectory() as folder:
        found = faults_of(case, Path(folder))
    return found.split("(")[0][:60] if found else "right"


def smaller(case: Case) -> Iterator[Case]:
    """Yield a case's neighbours with one edge less, for looking at a failure by hand."""
    for place in range(len(case.game.edges)):
        edges = case.game.edges[:place] + case.game.edges[place + 1 :]
        yield replace(case, game=replace(case.game, edges=edges))


if __name__ == "__main__":
    begin, count = map(int, sys.argv[1:3])
    told: Counter[str] = Counter()
    for seed in range(begin, begin + count):
        found = problem(seed)
        told["wrong" if found else "right or refused"] += 1
        if found:
            print(found, flush=True)
    print(dict(told))
