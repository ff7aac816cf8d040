"""Predict what solving takes on several ranks: time, traffic, memory and disk, and where more ranks no longer help.

What one rank takes is measured with the solver's kernels on samples, as `predict` does; what a request to another rank costs,
with two ranks that send each other messages in this process. A round is played through on a simulated network
(:class:`searchbench.exchange.simulated.Network`): ranks emit, send, and apply what arrives. All ranks are taken to have
equal work, and a machine each; the rounds of a level are as many as the buckets need.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.analyse.predict import GroupPrediction, Predicting, note_of_rows, rows_for
from searchbench.analyse.scaling import (
    RanksPrediction,
    Scaling,
    checked_ranks,
    least_ranks,
    network_of,
    round_seconds,
    scaled,
)
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Pages
from searchbench.exchange.memory import BLOCK_BITS, PAGE, add_request
from searchbench.exchange.shards import Shards, holders
from searchbench.exchange.simulated import Network, play
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.solvers.exhaustive.budget import Sizes
from searchbench.solvers.exhaustive.choice import VALUES, chosen
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.parts import ALL
from searchbench.solvers.exhaustive.permutations.levels import TeamSize
from searchbench.solvers.exhaustive.rows_together import memory_of_rank
from searchbench.solvers.exhaustive.share import REQUEST_COPIES, Share
from searchbench.values import BFS, FIXPOINT, SWEEP, ValueRule

REQUEST: Final = 8
"""Bytes of a request."""
SENT: Final = 1 << 20
"""How many requests are sent to measure what one takes."""
REPEATS: Final = 3


class ExchangeRates(NamedTuple):
    """Hold the seconds of the processor that a request to another rank takes there and here, and a round without any."""

    request: float
    round: float


def predict_on_ranks(
    game: Game,
    ranks: int,
    solver: str | None = None,
    parts: str | Iterable[str] | None = None,
    rule: str | ValueRule | None = None,
    run: Run | None = None,
    network: str | Network = "10GB/s",
) -> RanksPrediction:
    """Predict the cost of solving a game on ranks, each with the memory and threads of `run`.

    Raises BadRequest for what ranks cannot do, and as `predict` does.
    """
    checked_ranks(ranks)
    if game.has("blank") or not game.has("unrank"):
        raise BadRequest(f"{game}: for ranks, only retrograde, and bfs in the form {VALUES!r}, are predicted")
    choice = chosen(game, rule, solver, by_parts=solver != BFS)
    if choice.solver == SWEEP or (choice.solver == BFS and VALUES not in choice.rule.forms):
        raise BadRequest(
            f"{game}: for ranks, {choice.solver} of {choice.rule.name!r} is not predicted, only retrograde, and bfs in the form "
            f"{VALUES!r}"
        )
    if parts is not None and choice.solver == BFS:
        raise BadRequest("solver 'bfs' searches the whole game: it takes no parts")
    network = network_of(network)
    by_parts = None if choice.solver == BFS else parts or ALL
    predicting = Predicting(game, choice.rule, choice.solver, run or Run(), by_parts)
    for group in predicting.groups:
        if choice.solver == FIXPOINT and group.needs_itself:
            raise BadRequest(f"part {group.name}: solver 'fixpoint' cannot sweep over it on several ranks")
    told = _OnRanks(predicting, network, measure_exchange()).prediction(ranks)
    rows = rows_for(game, choice, parts, predicting.run)
    if rows is None or rows.on_rank is None:
        return told
    size = TeamSize(1, ranks)
    note = note_of_rows(rows, memory_of_rank(rows.on_rank, told.numbers, size), rows.on_rank(size))
    return replace(told, note=f"{told.note}; {note} on each rank")


class _OnRanks:
    def __init__(self, predicting: Predicting, network: Network, rates: ExchangeRates) -> None:
        self.predicting, self.network, self.rates = predicting, network, rates
        self.alone = predicting.prediction()
        self.run = predicting.run
        self.width = predicting.sampler.codes.itemsize
        self.parts = {part.name: part for part in predicting.parts}

    def prediction(self, ranks: int) -> RanksPrediction:
        """Reckon for this number of ranks, and for powers of two until more do not help."""
        scaling, stops = scaled(self.cost, ranks)
        alone = self.alone
        return RanksPrediction(
            alone.game, alone.solver, alone.rule, ranks, self.run.threads, self.run.memory, self.network.bandwidth,
            self.network.delay, alone.numbers, self.cost(ranks), alone.disk, least_ranks(self._memory, self.run.memory), stops,
            scaling, self._note(),
        )  # fmt: skip

    def _note(self) -> str:
        note = self.alone.note
        if self.alone.rule == "score":
            note += "; delays of the rounds for points, whose number depends on how long games last, are left out"
        return f"{note}; all ranks have equal work"

    def cost(self, count: int) -> Scaling:
        """Return what so many ranks take."""
        seconds, traffic = 0.0, 0
        for group, reckoned in zip(self.predicting.groups, self.alone.groups, strict=True):
            more, sent = self._group(group, reckoned, count)
            seconds, traffic = seconds + more, traffic + sent
        return Scaling(count, seconds, traffic, self._memory(count))

    def _group(self, group: Group, told: GroupPrediction, count: int) -> tuple[float, int]:
        """Return the seconds of a group, and the bytes that all ranks send and read for it."""
        rates, everybody, count = told.rates, count, holders(told.numbers, count)
        cores = count * self.run.threads
        exchanged = group.needs_itself or self.predicting.solver == BFS
        requests = told.expanded * rates.edges / count if exchanged else 0.0
        room = max(1, self._room(group, everybody))
        rounds = max(told.levels, -(-int(requests) // room)) if exchanged else 1
        passes = told.levels if exchanged else 0
        once = told.numbers * (rates.initialise + rates.finish + passes * rates.scan) / cores
        foreign = requests * (count - 1) / count
        emit = told.expanded * rates.expand / cores + foreign * self.rates.request
        apply = (
            requests * rates.apply / self.run.threads
            if exchanged
            else told.expanded * rates.edges * rates.apply / cores
        )
        each = apply / count
        emits = np.full(count, emit / rounds + (self.rates.round if count > 1 else 0.0))
        size = REQUEST * requests / count / rounds
        loop = rounds * round_seconds(self.network, emits, each / rounds, size)
        needs = sum(part.size for part in self._needs(group)) * self.width
        traffic = int(REQUEST * foreign * count) + needs * everybody
        return once + loop + needs / self.network.bandwidth, traffic

    def _needs(self, group: Group) -> list[Part]:
        own = {part.name for part in group.parts}
        return [
            self.parts[name] for name in {need: 0 for part in group.parts for need in part.needs} if name not in own
        ]

    def _sizes(self, group: Group, count: int) -> tuple[Share, Sizes]:
        share = Share(self.predicting.game, self.predicting.rule, self.run, count)
        return share, share.sizes(group, self._needs(group), self.width)

    def _memory(self, count: int) -> int:
        """Return the bytes that a rank needs at most."""
        reckoned = (self._sizes(group, count) for group in self.predicting.groups)
        return max(
            share.bytes_needed(group, sizes)
            for group, (share, sizes) in zip(self.predicting.groups, reckoned, strict=True)
        )

    def _room(self, group: Group, count: int) -> int:
        """Return how many requests a rank's buckets hold, about."""
        share, sizes = self._sizes(group, count)
        beside = share.bytes_needed(group, sizes) - sizes.bytes - sizes.beside - sizes.marks
        return beside // REQUEST_COPIES // (REQUEST * (PAGE + 2)) * PAGE


# --- calibration ----------------------------------------------------------------------------------------------------------


def fill(pages: Pages, numbers: Any, block_bits: int) -> None:
    """Write requests to numbers."""
    for index in range(len(numbers)):
        add_request(pages, numbers[index], block_bits, 1, 1)


def measure_exchange() -> ExchangeRates:
    """Measure what requests between two ranks take, each of which is a thread of this process."""
    line = 1 << 24
    write = jit.bind(fill, jit.Names({}))

    def be(rank: int) -> tuple[float, float]:
        shards = Shards(np.array([0, line], np.int64), BLOCK_BITS)
        buckets = Buckets(line, 1, 1, 32 * SENT, BLOCK_BITS)
        numbers = np.random.default_rng(rank).integers(0, line, SENT)
        times = []
        for some in (numbers[:1], *[numbers] * REPEATS, *[numbers[:0]] * REPEATS):
            write(buckets.writers[0], some, BLOCK_BITS)
            begun = time.thread_time()
            for _ in shards.deliver(buckets, lambda: None):
                pass
            times.append(time.thread_time() - begun)
            buckets.clear()
        return min(times[1 : 1 + REPEATS]), min(times[1 + REPEATS :])

    full, empty = (max(some) for some in zip(*play(2, be)[0], strict=True))
    return ExchangeRates(max(0.0, full - empty) / (SENT / 2), empty)
