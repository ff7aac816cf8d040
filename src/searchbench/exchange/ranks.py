"""The processes that compute together, each with its *rank*: who this one is, how they agree, and how they send arrays.

Alone, a process is rank 0 of 1, and nothing here costs anything. :mod:`searchbench.exchange.mpi` joins the processes that
MPI has started, :mod:`searchbench.exchange.simulated` lets threads of one process play the ranks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.int64]
How = Literal["max", "min", "sum"]
Result = TypeVar("Result")


class Ranks(Protocol):
    """Let the ranks agree and send to each other. All ranks call what they do together in the same order."""

    rank: int
    """The number of this process, from 0."""
    count: int
    """How many processes there are."""
    machines: list[int]
    """The machine of each, by any number of its own: ranks of a machine may have memory in common."""
    companions: int
    """How many of those may use the same cores as this one, itself included."""
    waited: float
    """The seconds of the processor that went into waiting for other ranks, as waiting is asking again and again."""

    def begin_reduce(self, values: Numbers, how: How) -> Callable[[], Numbers]:
        """Begin to reduce values over all ranks, place by place; return a function that waits for the result."""
        ...

    def gather(self, thing: Any) -> list[Any]:
        """Return what each rank has given, in their order: for small things that can be pickled."""
        ...

    def send(self, array: Array, to: int, tag: int) -> None:
        """Begin to send an array to another rank; it must not be altered before `settle` returns."""
        ...

    def receive(self, tag: int) -> tuple[int, Array] | None:
        """Return a message that has arrived: its sender and its bytes; None if none is there. This drives the sending, too."""
        ...

    def settle(self) -> None:
        """Wait until all that was sent is on its way, and its arrays may be altered."""
        ...


class Alone:
    """Be the only rank."""

    rank = 0
    count = 1
    machines = [0]  # noqa: RUF012
    companions = 1
    waited = 0.0

    def begin_reduce(self, values: Numbers, how: How) -> Callable[[], Numbers]:
        """Return the values."""
        return lambda: values

    def gather(self, thing: Any) -> list[Any]:
        """Return what was given."""
        return [thing]

    def send(self, array: Array, to: int, tag: int) -> None:
        """Raise: there is nobody to send to."""
        raise ValueError(f"rank {to}: there is one rank only")

    def receive(self, tag: int) -> tuple[int, Array] | None:
        """Return None: nobody sends."""
        return None

    def settle(self) -> None:
        """Return at once."""


ALONE: Final = Alone()
_OF_THREAD: Final = threading.local()


def current() -> Ranks:
    """Return the ranks that this thread computes with."""
    ranks: Ranks = getattr(_OF_THREAD, "ranks", ALONE)
    return ranks


@contextmanager
def joined(ranks: Ranks) -> Iterator[Ranks]:
    """Compute with these ranks within the block, in this thread."""
    before = current()
    _OF_THREAD.ranks = ranks
    try:
        yield ranks
    finally:
        _OF_THREAD.ranks = before


def by_first(function: Callable[[], Result]) -> Result:
    """Call a function on rank 0 alone, and return its result on all ranks; its error is raised on all of them."""
    ranks = current()
    told: tuple[Any, Exception | None] = (None, None)
    if ranks.rank == 0:
        if ranks.count == 1:
            return function()
        try:
            told = (function(), None)
        except Exception as error:
            told = (None, error)
    result, failed = ranks.gather(told)[0]
    if failed is not None:
        raise failed
    return result  # type: ignore[no-any-return]


def neighbours(ranks: Ranks) -> int:
    """Return how many ranks share this one's machine and its memory, itself included."""
    return ranks.machines.count(ranks.machines[ranks.rank])


def meet() -> None:
    """Wait until all ranks have come here."""
    current().gather(None)
