"""Predictions: what can be counted is right, what is reckoned is what the solver reckons, and nothing else is promised."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from searchbench.analyse.predict import format_seconds, predict, predict_at_once
from searchbench.analyse.samples import Sampler
from searchbench.analyse.shares import NONE, Around, Shares, levels_to_reach, outcome_shares
from searchbench.catalogue import load
from searchbench.errors import BadGame, BadRequest, OutOfMemory
from searchbench.index.protocol import Part
from searchbench.rules import UNDECIDED
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive import by_rows, solve_parts, solve_states
from searchbench.solvers.exhaustive.groups import groups_in_order
from searchbench.values import Outcome

RUN = Run(memory=1 << 30, threads=1)
UP = """
from dataclasses import dataclass
import numpy as np
import searchbench as sb
from searchbench import UNDECIDED


@dataclass(frozen=True)
class Up(sb.Game):
    'Count up by one or two.'

    name = "up"
    dtype = np.int8
    n: int = 300
    width = 1
    max_moves = 2

    def index(self):
        return sb.index.Radix((100,))

    def rules(self):
        n = self.n

        def start(state):
            state[0] = 0

        def terminal(state):
            return 0 if state[0] >= n else UNDECIDED

        def moves(state, out):
            out[0], out[1] = 1, 2
            return 2

        def play(state, move):
            state[0] += move

        def unplay(state, move):
            state[0] -= move

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}
"""
"""Cells of 8 bits, which moves lead beyond."""


def test_the_8_puzzle_has_the_fan_out_of_the_paper_and_half_of_it_is_reached() -> None:
    (group,) = predict(load("sliding:3x3"), run=RUN).groups
    assert (group.numbers, group.positions) == (362880, 362880)
    assert abs(group.rates.edges - 8 / 3) < 0.05
    assert abs(group.expanded / 181440 - 1) < 0.2
    assert min(group.rates) >= 0  # a step of microseconds may take no longer than its call on a busy machine
    assert group.rates.expand > 0
    assert 0 < group.cpu < group.most


def test_a_game_whose_cells_do_not_fit_gets_no_prediction(tmp_path: Path) -> None:
    """Without, the states that are listed would be counted after cells have overflowed."""
    file = tmp_path / "up.py"
    file.write_text(UP)
    for index in (None, "reached"):
        with pytest.raises(BadGame, match=r"cells-fit.*does not fit int8"):
            sb.predict(str(file), index=index)


@pytest.mark.parametrize("solver", ["retrograde", "bfs"])
def test_every_stack_of_pancakes_has_as_many_neighbours(solver: str) -> None:
    (group,) = predict(load("pancake:8"), solver, run=RUN).groups
    assert (group.rates.edges, group.expanded) == (7, 40320)


@pytest.mark.parametrize(
    ("spec", "solver"),
    [("pancake:8", None), ("pancake:8", "bfs"), ("awari:5", None), ("awari:5", "fixpoint"), ("tic-tac-toe", None)],
)
def test_the_memory_is_what_the_solver_asks_for(spec: str, solver: str | None, tmp_path: Path) -> None:
    form = "values" if solver == "bfs" else None
    found = predict(load(spec), solver, run=RUN)
    database = solve_states(load(spec), solver=solver, run=RUN, form=form)
    assert found.memory == database.facts["memory"]
    assert found.numbers == database.size
    database.save(tmp_path / "x.db")
    chunks = [path for path in (tmp_path / "x.db" / "parts").rglob("*") if path.is_file() and path.parent.name == "c"]
    overhead = 32  # of a chunk that cannot be compressed
    assert sum(path.stat().st_size for path in chunks) <= found.disk + overhead * len(chunks)


@pytest.mark.parametrize("spec", ["pancake:9", "rubik-pattern:URF-UFL-ULB"])
def test_the_memory_of_rows_is_told(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1)
    facts = [solve_states(load(spec), run=RUN).facts, solve_states(load(spec), None, "bfs", RUN).facts]
    assert ["rows" in facts[0], facts[1]["form"]] == [True, facts[0]["rows"]]
    whole, depths = (format_memory(one["memory"]) for one in facts)
    note = predict(load(spec), run=RUN).note
    assert f"with {whole} of memory, and `--solver bfs --form {facts[1]['form']}`" in note
    assert note.endswith(f"with {depths}")
    monkeypatch.setattr(by_rows, "LEAST", 1 << 40)
    assert "rows" not in predict(load(spec), run=RUN).note


def test_parts_are_predicted_with_what_they_need(tmp_path: Path) -> None:
    found = predict(load("awari:5"), parts="3", run=RUN)
    assert [group.name for group in found.groups] == ["0", "1", "2", "3"]
    with pytest.raises(OutOfMemory):
        solve_parts(load("awari:5"), "3", tmp_path / "x.db", run=Run(memory=found.memory - 1, threads=1))
    with pytest.raises(BadRequest, match="no part '7'"):
        predict(load("awari:5"), parts="7")


def test_what_is_not_predicted_is_refused() -> None:
    with pytest.raises(BadRequest, match="unknown solver 'idastar'"):
        predict(load("pancake:8"), "idastar")
    with pytest.raises(BadRequest, match="it takes no parts"):
        predict(load("awari:5"), "bfs", "3")
    with pytest.raises(BadRequest, match="only retrograde, fixpoint and bfs"):
        predict(load("sliding-pattern:3x3,1-2"))


def test_a_prediction_is_told_as_text_and_as_numbers() -> None:
    found = sb.predict("pancake:8", memory="1GB", threads=1)
    assert re.match(r"pancake:8: 40,320 numbers by retrograde: about \d+\.\d+", str(found))
    assert "at most 40.3 kB of disk" in str(found)
    told: dict[str, Any] = json.loads(json.dumps(found.as_dict()))
    assert told["groups"][0]["rates"]["edges"] == 7
    assert [format_seconds(seconds) for seconds in (0.123, 4.56, 78.9, 1234, 8640)] == [
        "0.12 s", "4.6 s", "79 s", "21 minutes", "2.4 hours",
    ]  # fmt: skip


@pytest.mark.long
def test_a_prediction_at_once_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("hanoi:13")
    assert predict(game, run=RUN).numbers == 1594323  # now all kernels are kept
    found = predict_at_once(game, run=RUN)
    assert found is not None
    assert found.groups[0].expanded == 1594323
    assert predict_at_once(load("pancake:8"), run=RUN) is None  # not worth it
    rows = load("pancake:10")
    assert "whole rows of states" in predict(rows, run=RUN).note
    assert predict_at_once(rows, run=RUN) is None  # far less than is reckoned
    assert predict_at_once(game, "bfs", run=RUN) is None  # in a form that is not predicted
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
    assert predict_at_once(game, run=RUN) is None


# --- the model --------------------------------------------------------------------------------------------------------


def seen(results: list[int], moves: list[list[tuple[int, int]]]) -> Around:
    """Return sampled numbers 0, 1, ... with their results, and where their moves lead with what result."""
    edges = [edge for some in moves for edge in some]
    begins = np.cumsum([0, *map(len, moves)])
    numbers = np.arange(len(results))
    targets, ends = (np.array([edge[place] for edge in edges], np.int64) for place in (0, 1))
    return Around(numbers, np.array(results), begins, targets, ends)


def test_shares_of_what_is_decided_at_once() -> None:
    # 0 is lost, 1 goes there, 2 goes there or on, 3 goes to a win only, 4 is no position.
    part = Part("all", 0, 5, ("all",))
    moves = [[], [(0, -1)], [(0, -1), (2, UNDECIDED)], [(9, 1)], []]
    shares, levels = outcome_shares(seen([-1, UNDECIDED, UNDECIDED, UNDECIDED, NONE], moves), [part], {}, [part])
    assert shares == {"all": Shares(0.5, 0.5)}
    assert levels >= 2


def test_shares_of_a_part_that_is_known() -> None:
    low, high = Part("low", 0, 10), Part("high", 10, 20, ("low",))
    around = seen([], [])._replace(
        numbers=np.array([10]), results=np.array([UNDECIDED]), begins=np.array([0, 2]),
        targets=np.array([3, 4]), ends=np.array([UNDECIDED] * 2),
    )  # fmt: skip
    shares, _ = outcome_shares(around, [high], {"low": Shares(0.5, 0.25)}, [low, high])
    assert shares["high"].won == 1 - 0.75**2
    assert shares["high"].lost == pytest.approx(0.5**2 * 0.75**2)


def test_levels_grow_with_the_logarithm() -> None:
    around = seen([UNDECIDED], [[(0, UNDECIDED)] * 4])
    few, many = (levels_to_reach(around, positions) for positions in (10**3, 10**6))
    assert 3 <= few < many <= 20


# --- samples and assumptions ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alike(sb.Game):
    """Number states whose last digit says nothing: neighbours are alike, as in a chess ending where the last man moves."""

    name = "alike"
    values = "outcome"

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return 3

    @property
    def max_moves(self) -> int:
        """Return that there is one move."""
        return 1

    def index(self) -> sb.index.Radix:
        """Return the digits."""
        return sb.index.Radix((100, 100, 60))

    def rules(self) -> dict[str, Any]:
        """Return rules of a game that is over."""

        def terminal(state: Any) -> int:
            return 0

        return {"terminal": terminal}


def test_runs_are_many_enough_where_neighbours_are_alike() -> None:
    sampler = Sampler(Alike(), Outcome())
    (group,) = groups_in_order(Alike().parts())
    errors = []
    for seed in range(30):
        chance = np.random.default_rng(seed)
        share = chance.uniform(0.2, 0.8)
        legal = np.repeat(chance.random(100 * 100) < share, 60)
        numbers = np.concatenate([np.arange(*run) for run in sampler.runs(group)])
        errors.append((legal[numbers].mean() - legal.mean()) / legal.mean())
    assert np.sqrt(np.mean(np.square(errors))) < 0.07, errors  # 48 runs of 96 numbers: 0.15


@pytest.mark.parametrize(("won", "lost"), [(0.01, 0.02), (0.0, 0.0), (0.5, 0.25), (0.9, 0.1)])
def test_where_the_model_decides_next_to_nothing_all_positions_are_reckoned(
    won: float, lost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shares(_seen: Around, group: Any, _known: Any, _parts: Any) -> tuple[dict[str, Shares], int]:
        return {part.name: Shares(won, lost) for part in group}, 3

    monkeypatch.setattr("searchbench.analyse.predict.outcome_shares", shares)
    found = predict(load("morris:3,3"), run=RUN)
    (group,) = found.groups
    meagre = won + lost < 0.05
    assert group.expanded == (group.positions if meagre else round(group.positions * (won + lost)))
    assert ("every position gets a value" in found.note) == meagre
    assert ("moves lead anywhere" in found.note) == (not meagre)
    assert "it assumes" in str(found)


@pytest.mark.long
def test_states_that_are_reached_are_listed_for_a_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sb.predict("mnk:3,3,3", index="reached", threads=1)
    assert (found.numbers, found.solver) == (5478, "retrograde")
    assert found.note.startswith("5,478 states were listed first")
    (group,) = sb.predict("mnk:3,3,3", "retrograde", index="reached", threads=1).groups
    assert (group.numbers, group.positions) == (5478, 5478)
    monkeypatch.setattr("searchbench.analyse.predict.LISTED", 200)
    with pytest.raises(BadRequest, match="more than 200 states are reached: a prediction lists no more"):
        sb.predict("sliding:2x3", index="reached")
    with pytest.raises(BadRequest, match="sweep takes none"):
        sb.predict("connect4:4x4", "sweep", index="reached")
    with pytest.raises(BadRequest, match="expected reached"):
        sb.predict("sliding:2x3", index="own")
