"""What a computation takes on one, two, four ... ranks: its time, traffic and memory, and where more ranks no longer help."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.analyse.predict import format_seconds
from searchbench.board import counted
from searchbench.errors import BadRequest
from searchbench.exchange.simulated import Network
from searchbench.run import format_memory, parse_memory

DELAY: Final = 5e-6
"""Seconds until a message begins to arrive, where nothing is said."""
MOST_RANKS: Final = 1 << 20
BEYOND: Final = 16
"""More ranks than asked for are reckoned, too: so many times as many at most, until more do not help."""
HELPS: Final = 1.5
"""Twice the ranks still help if they are so many times as quick."""
PLAYED: Final = 1024
"""Of more ranks than these so many are played through, each of whose messages stands for several."""


@dataclass(frozen=True)
class Scaling:
    """Hold what one number of ranks takes: seconds in all, bytes that all send and read, bytes of memory of each."""

    ranks: int
    seconds: float
    traffic: int
    memory: int


@dataclass(frozen=True)
class RanksPrediction:
    """Hold the cost of solving a game on `ranks` ranks; `scaling` has it for the powers of two up to there and beyond.

    `limit` is the memory that a rank may take. `least` is the least power of two of ranks that fits it, None where no number
    does, as the finished parts that a group looks up alone exceed it. `stops` is the least number of ranks, from two on, of
    which twice as many are not 1.5 times as quick, None if it is far beyond `ranks`. The database's writing is not reckoned.
    """

    game: str
    solver: str
    rule: str
    ranks: int
    threads: int
    limit: int
    bandwidth: float
    delay: float
    numbers: int
    cost: Scaling
    disk: int
    least: int | None
    stops: int | None
    scaling: tuple[Scaling, ...]
    note: str

    @property
    def fits(self) -> bool:
        """Tell whether a rank's memory is enough."""
        return self.cost.memory <= self.limit

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as numbers and text."""
        return asdict(self) | {"fits": self.fits}

    def __str__(self) -> str:
        cost, threads = self.cost, counted(str(self.threads), "thread")
        lines = [
            f"{self.game}: {self.numbers:,} numbers by {self.solver} on {self.ranks:,} ranks of {threads}: about "
            f"{format_seconds(cost.seconds)}, {format_memory(cost.traffic)} of traffic, {format_memory(cost.memory)} of memory "
            f"on each rank, at most {format_memory(self.disk)} of disk",
        ]
        if not self.fits:
            enough = f"{self.least:,} ranks would be enough" if self.least else "no number of ranks is enough"
            lines.append(f"that is more than the {format_memory(self.limit)} of a rank: {enough}")
        if self.stops is not None:
            lines.append(
                f"more than {self.stops:,} ranks do not help much: twice as many are not {HELPS} times as quick"
            )
        return "\n  ".join([*lines, self.note])


def parse_network(text: str) -> Network:
    """Return the network that "10GB/s" or "10GB/s,5us" stands for. Raises BadRequest."""
    match = re.fullmatch(r"\s*([\d.]+\s*[KMGT]?I?B?)/s\s*(?:,\s*(\d+(?:\.\d+)?)\s*(ns|us|ms)\s*)?", text, re.IGNORECASE)
    if match is None:
        raise BadRequest(
            f"network {text!r}: expected what a rank sends in a second, and perhaps a delay: 10GB/s, or 10GB/s,5us"
        )
    bandwidth = parse_memory(match[1])
    if bandwidth == 0:
        raise BadRequest(f"network {text!r}: it must carry something")
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}
    return Network(float(bandwidth), float(match[2]) * units[match[3].lower()] if match[2] else DELAY)


def network_of(told: str | Network) -> Network:
    """Return a network as it is, or the one that a text stands for. Raises BadRequest."""
    return parse_network(told) if isinstance(told, str) else told


def checked_ranks(ranks: int) -> int:
    """Return a number of ranks. Raises BadRequest if nobody has so many."""
    if not 1 <= ranks <= MOST_RANKS:
        raise BadRequest(f"ranks {ranks}: expected 1 to {MOST_RANKS:,}")
    return ranks


def scaled(cost: Callable[[int], Scaling], ranks: int) -> tuple[tuple[Scaling, ...], int | None]:
    """Return the cost for the powers of two up to `ranks` and until more do not help, and from where on they do not."""
    found = [cost(1)]
    stops = None
    while found[-1].ranks < ranks or (stops is None and found[-1].ranks < BEYOND * ranks):
        found.append(cost(2 * found[-1].ranks))
        if stops is None and found[-2].ranks > 1 and found[-2].seconds < HELPS * found[-1].seconds:
            stops = found[-2].ranks
    return tuple(found), stops


def least_ranks(memory: Callable[[int], int], limit: int) -> int | None:
    """Return the least power of two of ranks each of which needs at most `limit` bytes; None if there is none."""
    counts = (1 << power for power in range(MOST_RANKS.bit_length()))
    return next((count for count in counts if memory(count) <= limit), None)


def round_seconds(network: Network, emits: npt.NDArray[np.float64], each: float, size: float) -> float:
    """Return the seconds of a round in which each rank emits, sends `size` bytes to every other, and applies each message."""
    count = len(emits)
    fewer = min(count, PLAYED)
    factor = (count - 1) / max(1, fewer - 1)
    slower = Network(network.bandwidth, network.delay * factor)
    return slower.round_seconds(emits[:fewer], each, each * factor, size * factor)
