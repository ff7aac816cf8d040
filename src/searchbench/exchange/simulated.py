"""Ranks that are threads of one process, for tests: messages may be delayed at random and overtake each other.

`play` runs a function as every rank of a simulated cluster. A `Fuzz` holds messages back for a random number of looks and
hands them out in any order, from a seed; what MPI does not promise, a solver must not rely on. A `Network` reckons how
long the messages of a round would take.
"""

from __future__ import annotations

import copy
import pickle
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from searchbench.errors import SearchBenchError
from searchbench.exchange.ranks import Array, How, Numbers, joined

Result = TypeVar("Result")

_PATIENCE: Final = 600.0
"""After so many seconds a rank no longer waits for the others: they have gone another way."""
_REDUCTIONS: Final[dict[str, Any]] = {"max": np.maximum, "min": np.minimum, "sum": np.add}


class RankLost(SearchBenchError):
    """Report that another rank has ended, so that this one cannot go on."""

    exit_code = 20


@dataclass(frozen=True)
class Fuzz:
    """Say how disorderly messages are: each is held back for up to `looks` looks, drawn from `seed`."""

    seed: int
    looks: int = 5
    pause: float = 0.0
    """Each rank waits up to so many seconds before it tells the others that it has come to a step."""


@dataclass(eq=False)
class _Message:
    sender: int
    tag: int
    data: Array
    looks: int


class _Cluster:
    """Hold what the ranks share."""

    def __init__(self, count: int, fuzz: Fuzz | None, machines: list[int]) -> None:
        self.count, self.fuzz, self.machines = count, fuzz, machines
        self.changed = threading.Condition()
        self.boxes: list[list[_Message]] = [[] for _ in range(count)]
        self.steps: dict[int, dict[int, Any]] = {}
        self.lost = False
        self.messages, self.bytes = 0, 0

    def give(self, step: int, rank: int, thing: Any) -> None:
        """Give something to a step that all ranks take together."""
        with self.changed:
            self.steps.setdefault(step, {})[rank] = thing
            self.changed.notify_all()

    def all_given(self, step: int) -> list[Any]:
        """Wait until all ranks have given something to a step, and return it. Raises RankLost."""
        with self.changed:
            there = self.changed.wait_for(lambda: self.lost or len(self.steps[step]) == self.count, _PATIENCE)
            if self.lost or not there:
                raise RankLost("another rank has ended with an error")
            return [self.steps[step][rank] for rank in range(self.count)]

    def end(self) -> None:
        """Note that a rank has ended with an error."""
        with self.changed:
            self.lost = True
            self.changed.notify_all()


class SimulatedRanks:
    """Be one rank of a simulated cluster."""

    def __init__(self, cluster: _Cluster, rank: int) -> None:
        self.rank, self.count = rank, cluster.count
        self.machines = cluster.machines
        self.companions = cluster.machines.count(cluster.machines[rank])
        self.waited = 0.0
        self._cluster = cluster
        self._steps = 0
        self._chance = random.Random(f"{cluster.fuzz.seed if cluster.fuzz else 0} {rank}")

    def _step(self, thing: Any) -> int:
        self._steps += 1
        if self._cluster.fuzz and self._cluster.fuzz.pause:
            time.sleep(self._chance.random() * self._cluster.fuzz.pause)
        self._cluster.give(self._steps, self.rank, thing)
        return self._steps

    def begin_reduce(self, values: Numbers, how: How) -> Callable[[], Numbers]:
        """Begin to reduce values over all ranks."""
        step = self._step((how, values.copy()))

        def wait() -> Numbers:
            given = self._cluster.all_given(step)
            assert {one for one, _ in given} == {how}, "the ranks have come to different decisions"
            result: Numbers = _REDUCTIONS[how].reduce([some for _, some in given])
            return result

        return wait

    def gather(self, thing: Any) -> list[Any]:
        """Return what each rank has given, copied as if it had been sent."""
        return [pickle.loads(data) for data in self._cluster.all_given(self._step(pickle.dumps(thing)))]

    def send(self, array: Array, to: int, tag: int) -> None:
        """Put a copy of an array into a rank's box."""
        looks = self._chance.randint(0, self._cluster.fuzz.looks) if self._cluster.fuzz else 0
        message = _Message(self.rank, tag, copy.copy(array.reshape(-1).view(np.uint8)), looks)
        with self._cluster.changed:
            self._cluster.boxes[to].append(message)
            self._cluster.messages += 1
            self._cluster.bytes += message.data.nbytes
            self._cluster.changed.notify_all()

    def receive(self, tag: int) -> tuple[int, Array] | None:
        """Return a message with this tag that has been looked for often enough, any of them. Raises RankLost."""
        with self._cluster.changed:
            box = self._cluster.boxes[self.rank]
            if not box:
                self._cluster.changed.wait(0.001)
            if self._cluster.lost:
                raise RankLost("another rank has ended with an error")
            found = [message for message in box if message.tag == tag]
            for message in found:
                message.looks -= 1
            ready = [message for message in found if message.looks < 0]
            if not ready:
                return None
            message = self._chance.choice(ready) if self._cluster.fuzz else ready[0]
            box.remove(message)
            return message.sender, message.data

    def settle(self) -> None:
        """Return at once: arrays were copied."""


@dataclass(frozen=True)
class Traffic:
    """Say what the ranks sent to each other."""

    messages: int
    bytes: int


def play(
    count: int, function: Callable[[int], Result], fuzz: Fuzz | None = None, machines: Sequence[int] | None = None
) -> tuple[list[Result], Traffic]:
    """Call a function as each of `count` ranks, in threads; return its results in their order, and the traffic.

    `machines` says on which machine each rank is, by default all on one. The first error of a rank that is not about the
    others is raised.
    """
    cluster = _Cluster(count, fuzz, list(machines or [0] * count))
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def be(rank: int) -> None:
        try:
            with joined(SimulatedRanks(cluster, rank)):
                results[rank] = function(rank)
        except BaseException as error:
            errors.append(error)
            cluster.end()

    threads = [threading.Thread(target=be, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise next((error for error in errors if not isinstance(error, RankLost)), errors[0])
    return results, Traffic(cluster.messages, cluster.bytes)


@dataclass(frozen=True)
class Network:
    """Say what a network does: bytes a second that a rank sends and receives; seconds until a message begins to arrive."""

    bandwidth: float
    delay: float

    def arrivals(self, ready: npt.NDArray[np.float64], size: float) -> npt.NDArray[np.float64]:
        """Return [rank, message] when the messages to each rank have arrived, in their order, if rank r is `ready` at its time.

        Each rank sends every other `size` bytes, to its next neighbour first, one message after the other; so does it receive.
        """
        count = len(ready)
        takes = size / self.bandwidth
        receiving = np.zeros(count)
        arrived = np.empty((count, count - 1))
        for step in range(1, count):
            begin = np.roll(ready + (step - 1) * takes, step)  # place r: when the message to r leaves
            receiving = np.maximum(receiving, begin + self.delay) + takes
            arrived[:, step - 1] = receiving
        return arrived

    def round_seconds(self, emit: npt.NDArray[np.float64], own: float, each: float, size: float) -> float:
        """Return the seconds of a round: to emit, rank by rank; to apply a rank's own requests, and one message's; its bytes.

        A rank applies messages as they arrive, and the round ends with a reduction over a tree.
        """
        count = len(emit)
        if count == 1:
            return float(emit[0] + own)
        done = emit + own
        arrived = self.arrivals(emit, size)
        for step in range(count - 1):
            done = np.maximum(done, arrived[:, step]) + each
        return float(done.max() + 2 * self.delay * np.ceil(np.log2(count)))
