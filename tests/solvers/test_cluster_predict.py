"""What several ranks are predicted to take: messages as an obvious simulation has them, memory as the solver demands it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchbench.analyse import predict_on_ranks
from searchbench.analyse.cluster import measure_exchange
from searchbench.analyse.diagrams import LayersPrediction
from searchbench.analyse.scaling import parse_network
from searchbench.analyse.sweep_on_ranks import predict_sweep_on_ranks, sweep_on_ranks
from searchbench.catalogue import load
from searchbench.cli import app
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.exchange.simulated import Network, play
from searchbench.run import Run, parse_memory
from searchbench.solvers.exhaustive import by_rows
from searchbench.solvers.exhaustive.request import requested
from searchbench.solvers.exhaustive.together import solve_together

RUN = Run(memory=1 << 30, threads=1)


def naive_round(network: Network, emit: list[float], own: float, each: float, size: float) -> float:
    """Play a round through message by message, with the times at which each rank's two lines are free."""
    count = len(emit)
    sending, receiving = list(emit), [0.0] * count
    messages = [(rank, (rank + step) % count) for step in range(1, count) for rank in range(count)]
    arrived: list[list[float]] = [[] for _ in range(count)]
    for sender, receiver in messages:
        leaves = sending[sender]
        sending[sender] = leaves + size / network.bandwidth
        receiving[receiver] = max(receiving[receiver], leaves + network.delay) + size / network.bandwidth
        arrived[receiver].append(receiving[receiver])
    ends = []
    for rank in range(count):
        now = emit[rank] + own
        for moment in arrived[rank]:
            now = max(now, moment) + each
        ends.append(now)
    reduction = 2 * network.delay * (count - 1).bit_length() if count > 1 else 0.0
    return max(ends) + reduction


TIMES = st.floats(0, 1)


@given(st.lists(TIMES, min_size=1, max_size=9), TIMES, TIMES, TIMES, st.floats(1e-3, 1e3), TIMES)
def test_a_round_takes_what_its_messages_take(
    emit: list[float], own: float, each: float, size: float, bandwidth: float, delay: float
) -> None:
    network = Network(bandwidth, delay)
    right = naive_round(network, emit, own, each, size)
    assert network.round_seconds(np.array(emit), own, each, size) == pytest.approx(right)


def test_networks_are_read() -> None:
    assert parse_network("10GB/s") == Network(1e10, 5e-6)
    assert parse_network("1.5 GB/s, 2ms") == Network(1.5e9, 0.002)
    for wrong in ("fast", "10GB", "0GB/s", "10GB/s,5", "-1GB/s"):
        with pytest.raises(BadRequest):
            parse_network(wrong)


def test_an_exchange_takes_time() -> None:
    rates = measure_exchange()
    assert 0 < rates.request < 1e-5
    assert 0 < rates.round < 1


@pytest.mark.long
@pytest.mark.parametrize(("spec", "solver"), [("awari:5", None), ("pancake:8", "bfs"), ("morris:4,3", None)])
def test_the_memory_is_what_a_rank_demands(spec: str, solver: str | None, tmp_path: Path) -> None:
    found = predict_on_ranks(load(spec), 3, solver, run=RUN)
    assert found.numbers == max(part.stop for part in load(spec).parts())
    assert found.fits
    form = {"form": "values"} if solver else {}

    def be(memory: int) -> Any:
        request = requested(load(spec), None, solver, tmp_path / f"{memory}", form)
        return play(3, lambda _: solve_together(request, Run(memory=memory, threads=1)))

    little = predict_on_ranks(load(spec), 3, solver, run=Run(memory=100_000, threads=1))
    assert not little.fits
    with pytest.raises(OutOfMemory):
        be(100_000)
    enough = predict_on_ranks(load(spec), 3, solver, run=Run(memory=little.cost.memory, threads=1))
    assert enough.fits
    be(little.cost.memory)


@pytest.mark.parametrize("memory", [1 << 30, 1 << 18])
def test_the_memory_of_rows_on_ranks_is_told(memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1)
    game = load("sliding:3x3")
    note = predict_on_ranks(game, 3, run=Run(memory=memory, threads=1)).note

    def be(_rank: int) -> list[int]:
        options = ({}, {"form": "streaming"})
        asked = [requested(game, None, "bfs" if form else None, tmp_path / f"{len(form)}", form) for form in options]
        return [solve_together(one, Run(memory=1 << 30, threads=1)).facts["memory"] for one in asked]

    found = play(3, be, machines=[0, 1, 2])[0][0]
    told = [parse_memory(one) for one in re.findall(r"with ([0-9.]+ [kM]B)", note)]
    assert note.endswith("on each rank")
    assert told == pytest.approx(found, rel=0.1)  # of a plan that is not made the tables are left out


def test_more_ranks_take_less_time_and_memory_and_more_traffic() -> None:
    found = predict_on_ranks(load("pancake:12"), 8, "bfs", run=RUN, network="100GB/s,1us")
    assert [cost.ranks for cost in found.scaling[:4]] == [1, 2, 4, 8]
    one, two, four, eight = found.scaling[:4]
    assert two.seconds > four.seconds > eight.seconds
    assert one.memory > two.memory > four.memory > eight.memory
    assert 0 == one.traffic < two.traffic < four.traffic < eight.traffic
    states, edges = 479_001_600, 11
    assert two.traffic == pytest.approx(8 * states * edges / 2, rel=0.01)
    slow = predict_on_ranks(load("pancake:12"), 8, "bfs", run=RUN, network="1MB/s,1us")
    assert slow.cost.seconds > found.cost.seconds


def test_where_it_stops_is_told() -> None:
    found = predict_on_ranks(load("pancake:9"), 64, "bfs", run=RUN, network="10GB/s,1ms")
    assert found.stops is not None
    assert found.stops < 64
    assert "do not help much" in str(found)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=5), st.integers(1, 9), st.integers(1, 8), TIMES)
def test_the_sweep_takes_the_layers_their_diagram_and_rounds_of_words(
    undecided: list[int], ranks: int, threads: int, delay: float
) -> None:
    layers = LayersPrediction("a game", True, tuple(undecided), tuple(undecided), 3.0, 9, 5000, 1e6)
    network = Network(1e6, delay)
    found = sweep_on_ranks(layers, ranks, Run(memory=layers.resident, threads=threads), network)
    seconds = 3.0 + (ranks - 1) * 5000 / 1e6
    for count in undecided:
        settle = count / (1e6 * ranks * threads)
        seconds += naive_round(network, [settle] * ranks, 0.0, 0.0, count / 4 / ranks)
    assert found.cost.seconds == pytest.approx(seconds)
    assert found.cost.traffic == (ranks - 1) * (5000 + sum(undecided) // 4)
    assert (found.fits, found.least) == (True, 1)
    little = sweep_on_ranks(layers, ranks, Run(memory=layers.resident - 1, threads=threads), network)
    assert (little.fits, little.least) == (False, None)


def test_a_puzzle_is_not_swept() -> None:
    with pytest.raises(BadRequest, match="this is a puzzle"):
        predict_sweep_on_ranks(load("peg-solitaire"), 3, 2, RUN)


@pytest.mark.parametrize(
    ("spec", "options", "told"),
    [
        ("pancake:6", {"ranks": 0}, "expected 1 to"),
        ("sliding:2x3", {"ranks": 2, "solver": "fixpoint"}, "cannot sweep"),
        ("pancake:6", {"ranks": 2, "solver": "bfs", "parts": "all"}, "takes no parts"),
        ("sliding-pattern:3x3,1-2", {"ranks": 2}, "for ranks, only retrograde"),
    ],
)
def test_what_cannot_be_predicted_is_said(spec: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        predict_on_ranks(load(spec), run=RUN, **options)


@pytest.mark.long
def test_the_program_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "predict",
        "awari:5",
        "--ranks",
        "4",
        "--memory-per-rank",
        "1GB",
        "--threads",
        "1",
        "--network",
        "1GB/s,10us",
    ]
    assert app.run([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ranks"], told["bandwidth"], told["fits"]) == (4, 1e9, True)
    assert app.run(words) == 0
    assert "on 4 ranks of 1 thread:" in capsys.readouterr().out
    assert app.run(["predict", "awari:5", "--network", "1GB/s"]) == 30
