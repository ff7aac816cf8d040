"""Whatever reads a solved database, on random tiny games, against the naive solver.

python tests/database_combinations.py SEED COUNT     a long run by hand; prints every seed that fails
"""

from __future__ import annotations

import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from feature_combinations import KEEPS, drawn_game, right_values
from graphs import GraphGame, shared
from searchbench.errors import BadRequest, BadState, Unsolvable
from searchbench.learning.environments import Oracle
from searchbench.learning.exporting import export
from searchbench.learning.grading import grade
from searchbench.learning.table_reader import Table
from searchbench.learning.tables import write_table
from searchbench.player import Player
from searchbench.repairs import repair_folder
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database, open_database
from searchbench.verify import verify_database

Faults = Iterator[str]


def run() -> Run:
    """Return a run with one thread."""
    return Run(threads=1, memory=64 << 20)


@dataclass(frozen=True)
class Truth:
    """Hold a game's graph, and the right value of every node."""

    game: GraphGame
    rule: str
    by_number: dict[int, Any]

    def value(self, node: int) -> Any:
        """Return the value of a node; nodes without a number are ends."""
        if node >= self.game.size:
            return ((self.game.results[node] > 0) - (self.game.results[node] < 0), 0)
        return self.by_number[self.number(node)]

    def number(self, node: int) -> int:
        """Return the number of a node's class."""
        return int(self.game.canonical([node])[0])

    def edges(self, node: int) -> list[tuple[int, Any]]:
        """Return each move of a node with what the node is worth if it is played; a puzzle's ends may have moves, too."""
        if self.game.results[node] != UNDECIDED and self.game.values != "distance":
            return []
        found = []
        for move in self.game.moves([node]):
            _, end, cost, gain = self.game.edges[move]
            found.append((move, self.worth(self.value(end), cost, gain)))
        return found

    def worth(self, after: Any, cost: int, gain: int) -> Any:
        """Return what a move is worth that leads to a value."""
        if self.rule == "outcome":
            return (-after[0], after[1] + 1 if after[0] else 0)
        if self.rule == "score":
            return gain - after
        return None if after is None else after + cost

    def best(self, node: int) -> list[int]:
        """Return the moves that are as good as any: those that are worth what the node is."""
        edges = self.edges(node)
        if self.rule == "distance" and edges:  # a solved state may have moves, too
            least = min((worth for _, worth in edges if worth is not None), default=None)
            return [move for move, worth in edges if worth == least]
        return [move for move, worth in edges if worth == self.value(node)]

    def regret(self, node: int, move: int) -> int | None:
        """Return by how much a move is worse than the best ones; None where there is nothing to subtract."""
        worths = dict(self.edges(node))
        best, worth = worths[self.best(node)[0]], worths[move]
        if self.rule == "outcome":
            return int(best[0] - worth[0])
        if self.rule == "score":
            return int(best - worth)
        return worth - best if best is not None and worth is not None else None if best is not None else 0


# --- what reads a database --------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a value as the naive solver writes it."""
    return tuple(value) if isinstance(value, tuple) else value


def of_values(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare every value, and what each move is worth, best first."""
    for number, value in truth.by_number.items():
        if plain(database.probe((number,))) != value:
            yield f"probe {number}: {database.probe((number,))}, {value} is right"
        edges = truth.edges(number)
        if truth.rule == "distance" and truth.game.results[number] != UNDECIDED:
            continue
        choices = database.moves((number,))
        told = [(choice.move, plain(database.worth([number], choice))) for choice in choices]
        if sorted(told, key=lambda one: one[0]) != sorted(edges, key=lambda one: one[0]):
            yield f"moves of {number}: {told}, {edges} is right"
        if told and told[0][0] not in truth.best(number):
            yield f"moves of {number}: {told[0]} comes first, the best are {truth.best(number)}"


def of_lines(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Follow the line from every position: it is worth what the position is, and ends as it says."""
    game = truth.game
    for number, value in truth.by_number.items():
        try:
            line = database.line((number,))
        except Unsolvable:
            if value is not None or truth.rule != "distance":
                yield f"line of {number}: Unsolvable, its value is {value}"
            continue
        except BadRequest:
            if truth.rule != "score":
                raise
            return
        if line.start != (number,):
            yield f"line of {number} starts in {line.start}"
        node, cost, points = number, 0, 0
        for ply, move in enumerate(line.moves):
            if (move not in truth.best(node)) if truth.rule != "distance" else (move not in game.moves([node])):
                yield f"line of {number}: move {move} in {node} is none of the best, {truth.best(node)}"
                break
            cost += game.edges[move][2]
            points += (-1) ** ply * game.edges[move][3]
            node = game.edges[move][1]
        result, plies = game.results[node], len(line)
        if truth.rule == "distance" and (result != 0 or cost != value or line.cost != cost):
            yield f"line of {number} ends in {node}, {result}, at {cost}; {value} is right"
        if truth.rule == "outcome":
            sign = 0 if result == UNDECIDED else ((result > 0) - (result < 0)) * (-1) ** plies
            if sign != value[0] or (value[0] and plies != value[1]):
                yield f"line of {number}: {sign} in {plies}, {value} is right"
            if line.complete != (result != UNDECIDED):
                yield f"line of {number}: complete is {line.complete}, the end is {result}"
        if truth.rule == "score" and line.complete and points + (-1) ** plies * truth.value(node) != value:
            yield f"line of {number} gains {points}, {value} is right"
        errors = line.verify()
        if errors:
            yield f"line of {number}: {errors}"


def of_selections(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare counts by value and part, and what conditions find."""
    right = truth.by_number
    for part in (None, *database.parts):
        some = {n: v for n, v in right.items() if part is None or part.start <= n < part.stop}
        told = {plain(value): count for value, count in database.histogram(part and part.name).items()}
        if told != dict(Counter(some.values())):
            yield f"histogram of {part}: {told}, {Counter(some.values())} is right"
    if database.states != len(right) or database.reachable != sum(value is not None for value in right.values()):
        yield f"{database.states} states, {database.reachable} reachable, right: {len(right)}"
    for value in set(right.values()):
        first = chance.randrange(database.size)
        numbers = chance.choice([None, (first, chance.randint(first, database.size))])
        odd: Callable[[Any], bool] | None = chance.choice([None, lambda position: position.state[0] % 2 == 1])
        limit = chance.choice([None, 0, 1, 3])
        wanted = [
            n for n, v in sorted(right.items())
            if v == value and (numbers is None or numbers[0] <= n < numbers[1]) and (odd is None or n % 2 == 1)
        ]  # fmt: skip
        asked: Any = value if value is None or chance.random() < 0.5 else _as_text(truth, value)
        if value is None:
            asked = "unreachable"
        if isinstance(asked, tuple):
            asked = next(one for one in database.histogram() if plain(one) == value)
        told = [position.state[0] for position in database.find(asked, numbers, odd, limit)]
        if told != wanted[:limit]:
            yield f"find {asked!r} {numbers} {limit}: {told}, {wanted[:limit]} is right"
        if database.count(asked, numbers, odd) != len(wanted):
            yield f"count {asked!r} {numbers}: {database.count(asked, numbers, odd)}, {len(wanted)} is right"


def _as_text(truth: Truth, value: Any) -> str:
    if truth.rule != "outcome":
        return str(value)
    word = {1: "win", 0: "draw", -1: "loss"}[value[0]]
    return f"{word} {value[1]}" if value[0] else word


def of_players(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Require of a perfect player that no move gives anything away."""
    if truth.rule == "distance":
        return
    player = Player(database, chance.choice([None, 1]))
    for number in truth.by_number:
        if not truth.edges(number):
            continue
        move = player.choose((number,))
        if move not in truth.best(number):
            yield f"player in {number}: {move}, the best are {truth.best(number)}"
        rated = player.rated((number,))
        if sorted(one.choice.move for one in rated) != sorted(move for move, _ in truth.edges(number)):
            yield f"rated in {number}: {rated}"
        for one in rated:
            after = truth.game.edges[one.choice.move][1]
            kept = [worth for _, worth in truth.edges(after)]
            same = [
                (truth.rule == "outcome" and worth[0] == truth.value(after)[0]) or worth == truth.value(after)
                for worth in kept
            ]
            if (one.keeping, one.replies) != (sum(same), len(kept)):
                yield f"rated in {number}: {one}, {kept} is right"


def of_exports(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare every row of a Parquet file, whole or sampled, with copies or without."""
    from pyarrow import parquet

    symmetric = database.game.has("image") and chance.random() < 0.5
    sample = chance.choice([None, None, 1, 5])
    export(database, folder / "truth.parquet", sample=sample, seed=chance.randrange(9), run=run(), symmetric=symmetric)
    rows = parquet.read_table(folder / "truth.parquet").to_pylist()
    if not symmetric:
        told = [row["number"] for row in rows]
        if (
            (sorted(told) != sorted(truth.by_number))
            if sample is None
            else len(told) != min(sample, len(truth.by_number))
        ):
            yield f"exported {told}, sample {sample}"
        if sample is not None and len(set(told)) != len(told):
            yield f"sampled twice: {told}"
    elif sample is None and {row["state"][0] for row in rows} != {
        node for node in range(truth.game.size) if truth.number(node) in truth.by_number
    }:
        yield f"copies {[row['state'] for row in rows]}"
    columns = ("outcome", "plies") if truth.rule == "outcome" else ("value",)
    for row in rows:
        (node,) = row["state"]
        value = truth.value(node)
        if row["number"] != truth.number(node) or (symmetric is False and node != row["number"]):
            yield f"row {row}: number"
        if not _same(tuple(row[name] for name in columns), value):
            yield f"row {row}: {value} is right"
        edges = truth.edges(node)
        told = list(zip(row["moves"], *(row[f"moves_{name}"] for name in columns), strict=True))
        if [one[0] for one in told] != [move for move, _ in edges] or not all(
            _same(one[1:], worth) for one, (_, worth) in zip(told, edges, strict=False)
        ):
            yield f"row {row}: moves {edges} are right"
        if sorted(row["best_moves"]) != sorted(truth.best(node)):
            yield f"row {row}: best moves {truth.best(node)} are right"


def _same(figures: tuple[Any, ...], value: Any) -> bool:
    if not isinstance(value, tuple):
        return figures == (value,)
    return figures[0] == value[0] and (figures[1] == value[1] or (value[0] == 0 and figures[1] in (None, 0)))


def of_tables(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare the values that the reader without packages tells by number and by cells."""
    write_table(database, folder / "table.npz", cells=True, run=run())
    table = Table(folder / "table.npz")
    if sorted(table) != sorted(truth.by_number):
        yield f"table has {sorted(table)}"
    for number, value in truth.by_number.items():
        if table.number((number,)) != number:
            yield f"table: cells of {number} are those of {table.number((number,))}"
        figures = table.figures(number)
        if (figures is None) != (value is None) or (value is not None and not _same(tuple(figures or ()), value)):
            yield f"table: {number} {figures}, {value} is right"


def of_environments(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare what an oracle and a grade tell of every move."""
    oracle = Oracle(database, run())
    positions = [n for n in truth.by_number if truth.edges(n)]
    if sorted(oracle.moves) != sorted({move for n in positions for move, _ in truth.edges(n)}):
        yield f"oracle knows the moves {oracle.moves}"
    for number in positions:
        told = oracle.truth([number])
        if sorted(oracle.moves[action] for action in told["best_actions"]) != sorted(truth.best(number)):
            yield f"oracle in {number}: {told}, {truth.best(number)} are right"
        for move, _ in truth.edges(number):
            right = truth.regret(number, move)
            if right is not None and oracle.regret([number], move) != right:
                yield f"regret of {move} in {number}: {oracle.regret([number], move)}, {right} is right"
    choosing = [
        n for n in positions
        if len(truth.edges(n)) > 1 and truth.by_number[n] is not None
        and any(worth is not None for _, worth in truth.edges(n))
    ]  # fmt: skip
    if not choosing:
        return
    picked = {n: chance.choice(truth.edges(n))[0] for n in choosing}
    found = grade(database, lambda state, moves: picked[state[0]], run=run())
    regrets = [truth.regret(n, move) for n, move in picked.items()]
    right_grade = (len(choosing), sum(move in truth.best(n) for n, move in picked.items()), regrets.count(0))
    if (found.positions, found.best, found.kept) != right_grade:
        yield f"grade {found}, {right_grade} is right"
    known = [one for one in regrets if one is not None]
    mean = sum(known) / max(1, len(known))
    if found.spoiled != regrets.count(None) or abs(found.regret - mean) > 1e-9:
        yield f"grade {found}, regrets {regrets} are right"


def of_slices(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Compare the values in a slice, and require that it refuses those of other parts."""
    names = chance.sample([part.name for part in database.parts], chance.randint(1, len(database.parts)))
    if all(part.start == part.stop for part in database.parts if part.name in names):
        return
    with database.convert(folder / "slice.db", parts=names) as some:
        kept = [part for part in database.parts if part.name in names]
        for number, value in truth.by_number.items():
            inside = any(part.start <= number < part.stop for part in kept)
            try:
                told = plain(some.probe((number,)))
            except BadState:
                told = BadState
            if told != (value if inside else BadState):
                yield f"slice {names}: {number} is {told}, {value} is right"


def of_forms(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Keep the database in a form, convert it to another and back, and compare the values."""
    forms = [form for form in ("values", *KEEPS[truth.game.values]) if form not in ("base-3", "one-bit", "filled")]
    one, other = chance.choice(forms), chance.choice(forms)
    database.save(folder / "one.db", form=one)
    with (
        open_database(folder / "one.db", truth.game) as first,
        first.convert(folder / "other.db", form=other) as second,
    ):
        for number, value in truth.by_number.items():
            if plain(second.probe((number,))) != value:
                yield f"{one} to {other}: {number} is {second.probe((number,))}, {value} is right"
        with second.convert(folder / "back.db", form="values") as back:
            if (back.codes != database.codes).any():
                yield f"{one} to {other} to values: {back.codes}, {database.codes} is right"


def of_repairs(truth: Truth, database: Database, chance: random.Random, folder: Path) -> Faults:
    """Plant a wrong value: verification finds it, repair mends it."""
    number = chance.choice(list(truth.by_number))
    codes = database.codes.copy()
    others = set(np.unique(codes).tolist()) | {int(codes[number]) + 1, int(codes[number]) + 2} - {database.illegal}
    codes[number] = chance.choice(sorted(others - {int(codes[number])}))
    planted = Database(truth.game, database.rule, codes)
    if verify_database(planted, run(), target="interpreted"):
        yield f"verification does not find {codes[number]} planted at {number}, {database.codes[number]} is right"
    planted.save(folder / "planted.db")
    repair_folder(folder / "planted.db", truth.game, run=run(), target="interpreted")
    with open_database(folder / "planted.db", truth.game) as mended:
        if (mended.codes != database.codes).any():
            yield f"repair of {number}: {mended.codes}, {database.codes} is right"


READERS: tuple[Callable[[Truth, Database, random.Random, Path], Faults], ...] = (
    of_values, of_lines, of_selections, of_players, of_exports, of_tables, of_environments, of_slices, of_forms, of_repairs,
)  # fmt: skip


def faults_of(seed: int, told: Counter[str]) -> list[str]:
    """Solve the game of a seed; return what its readers get wrong, and count who has read it."""
    chance = random.Random(seed)
    game = shared(drawn_game(chance))
    try:
        truth = Truth(game, game.values, right_values(game, game.values))
    except RecursionError:  # points go round
        return []
    faults: list[str] = []
    database = solve_states(game, solver="fixpoint", run=run(), target="interpreted")
    if not truth.by_number:
        return []
    for reader in READERS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                faults += [
                    f"seed {seed}, {reader.__name__}: {fault}"
                    for fault in reader(truth, database, chance, Path(folder))
                ]
                told[reader.__name__] += 1
            except Exception:  # a fault like any other
                faults.append(f"seed {seed}, {reader.__name__}: {traceback.format_exc()}")
    return [f"{fault}\n{game}" for fault in faults[:3]]


if __name__ == "__main__":
    begin, count = map(int, sys.argv[1:3])
    told: Counter[str] = Counter()
    for seed in range(begin, begin + count):
        for fault in faults_of(seed, told):
            told["wrong"] += 1
            print(fault, flush=True)
    print(dict(told))
