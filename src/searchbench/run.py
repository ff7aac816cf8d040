"""How a computation runs: memory budget, threads, progress with remaining time, interruption."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar

from searchbench import jit
from searchbench.configuration import Configuration, completed
from searchbench.errors import BadRequest, OutOfMemory
from searchbench.machine import cores, free_memory

Argument = TypeVar("Argument")
Result = TypeVar("Result")
Report = Callable[[str, int, int], None]
"""Called with a stage's name, how much of it is done, and its total (0: unknown)."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def parse_memory(text: str | float) -> int:
    """Return the bytes that "1GB", "512MiB" or a number stand for."""
    if isinstance(text, Real) and not isinstance(text, bool):
        return int(text)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    if match is None or match[2] not in _UNITS:
        raise BadRequest(f"memory {text!r}: expected a number with a unit, such as 512MB, 1.5GB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])


def format_memory(size: int) -> str:
    """Return a size in bytes as a person reads it."""
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report nothing."""


USED: Final = 90
"""The share of the free memory, in hundredths, that a run may take by default: the interpreter and compiled code need some."""
MOST_THREADS: Final = 1024
"""The most threads of a run: each has buckets of its own for all blocks, and more threads than cores only share these."""


@dataclass(frozen=True)
class Limits:
    """Say where a search of one state ends unfinished: after so many generated nodes, or seconds; 0 for no limit."""

    nodes: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.nodes < 0 or self.seconds < 0:
            raise BadRequest(
                f"limits of {self.nodes} nodes and {self.seconds} seconds: each must be positive, or 0 for none"
            )

    def within(self, others: Limits) -> Limits:
        """Return these limits, or the others where those are nearer; the others have both."""
        return Limits(
            min(others.nodes, self.nodes or others.nodes), min(others.seconds, self.seconds or others.seconds)
        )


def requested(
    methods: Mapping[str, type[Configuration]],
    configuration: Configuration | str,
    limits: Limits | None,
    options: Mapping[str, Any],
) -> tuple[Configuration, Limits]:
    """Return the configuration and the limits that are asked for, one by one or as objects. Raises BadRequest."""
    own = {name: value for name, value in options.items() if name not in ("nodes", "seconds")}
    told = {name: value for name, value in options.items() if name not in own and value is not None}
    if limits is not None and told:
        raise BadRequest(f"limits and {', '.join(told)}: say it in the limits")
    return completed(methods, configuration, own), limits or Limits(**told)


class Branch(NamedTuple):
    """A node of a proof's tree: the move to it, the two numbers of the question at the root (-1: infinite), its children.

    `inner` tells whether the node has children in the tree, shown or not.
    """

    move: int
    proof: int
    disproof: int
    inner: bool
    children: tuple[Branch, ...]


@dataclass
class Run:
    """Set the memory, threads and folders of a computation, and whom it tells; every solver takes one.

    `memory` is in bytes (default: nine tenths of what is free); `threads` defaults to the number of cores. `work` is where
    unfinished work may be kept: a folder that need not exist; at least `checkpoint_interval` seconds pass between two
    checkpoints. Use it as a context manager to end its threads.
    """

    memory: int = 0
    threads: int = 0
    report: Report = _silent
    work: Path | None = None
    checkpoint_interval: float = 30.0
    device: jit.Device | None = None
    """Where all states are solved, if not on the processor."""
    watch: Callable[[Sequence[int]], None] | None = None
    """Called now and then with the moves of the line that a search is looking at."""
    watch_tree: Callable[[Branch], None] | None = None
    """Called now and then with the top of the tree of a proof."""
    clock: Callable[[], float] = time.perf_counter
    """What tells the time: `time.thread_time` counts the work of one thread, on a busy machine as on an idle one."""
    started: float = field(init=False)
    _compiled_before: float = field(default_factory=jit.compile_seconds)
    _prepared_before: float = field(init=False)
    _latest: float = field(default=0.0, init=False)
    stopped: bool = field(default=False, init=False)
    """Whether the run has ended early: what its threads still do is of no use."""
    _pool: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        for name, number in (("threads", self.threads), ("memory", self.memory)):
            if isinstance(number, bool) or not isinstance(number, Integral) or number < 0:
                raise BadRequest(f"{name} {number!r}: expected a whole number, 0 for what the machine has")
        if self.threads > MOST_THREADS:
            raise BadRequest(
                f"threads {self.threads}: expected at most {MOST_THREADS:,}; this machine has {cores()} cores"
            )
        self.threads = self.threads or cores()
        self.memory = self.memory or free_memory() * USED // 100
        self.started = self.clock()
        self._prepared_before = jit.preparation_seconds()  # later: less than 0 otherwise, while something is compiled

    @property
    def seconds(self) -> float:
        """Return the time since the run began, without that in which kernels were compiled or loaded, or the compiler imported.

        No limit counts those, in whichever thread. It never goes back, though what tells the time may count less than they took.
        """
        # Asked first: less than 0 otherwise, while something is compiled.
        preparation = jit.preparation_seconds() - self._prepared_before
        self._latest = max(self._latest, self.clock() - self.started - preparation)
        return self._latest

    @property
    def compile_seconds(self) -> float:
        """Return the time in which kernels were compiled since the run began."""
        return jit.compile_seconds() - self._compiled_before

    @property
    def times(self) -> dict[str, float]:
        """Return both times as the facts of a database have them, to the millisecond."""
        return {"seconds": round(self.seconds, 3), "compile_seconds": round(self.compile_seconds, 3)}

    def share(self, memory: int, cores: int) -> None:
        """Take one share of the memory and of the threads, among so many processes that use the same."""
        self.memory //= memory
        self.threads = max(1, self.threads // cores)

    def part(self, memory: int, threads: int) -> Run:
        """Return a run for one of several computations within this one: the same clock and reports, threads of its own."""
        run = copy(self)
        run.memory, run.threads, run._pool = memory, threads, None
        return run

    def demand(self, size: int, what: str, instead: str = "choose a smaller game") -> None:
        """Refuse, before it starts, a computation that needs more than the memory budget; tell what to do `instead`."""
        if size > self.memory:
            raise OutOfMemory(
                f"{what} needs {format_memory(size)}, the memory budget is {format_memory(self.memory)}; "
                f"give a larger --memory, or {instead}"
            )

    def map(self, function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
        """Call a function that releases the interpreter for each argument, on all threads, and return the results."""
        arguments = list(arguments)
        if self.threads == 1 or len(arguments) == 1:  # to wake a thread would take longer than a small piece of work
            return [function(argument) for argument in arguments]
        return list(self.each(function, arguments))

    def each(self, function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> Iterator[Result]:
        """Do so, and yield each result as soon as it and those before it are known."""
        if self.threads == 1:
            yield from (function(argument) for argument in arguments)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        yield from self._pool.map(function, arguments)

    def launch(
        self,
        kernel: Callable[..., Any],
        pieces: Iterable[Any],
        *arguments: Any,
        after: Callable[[Any], None] | None = None,
    ) -> list[Any]:
        """Run a bound kernel over pieces of work, as its backend does; return its results in the order of the pieces.

        The kernel gets `arguments`, in which PIECE, FIRST and STOP stand for the piece and its first two values, and
        Rows and PerThread for arrays of its own (see :mod:`searchbench.jit.launching`). `after` is called with each
        piece that is done.
        """
        return jit.launch(
            jit.Launch(kernel, pieces if isinstance(pieces, Sequence) else list(pieces), arguments, after), self.map
        )

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is."""
        self.report(stage, done, total)

    @property
    def reports(self) -> bool:
        """Return whether anybody is told how far the run is."""
        return self.report is not _silent

    def line(self, moves: Callable[[], Sequence[int]]) -> None:
        """Tell which line a search is looking at; it is worked out only where somebody watches."""
        if self.watch is not None:
            self.watch(moves())

    def tree(self, top: Callable[[], Branch]) -> None:
        """Tell the top of a proof's tree; it is worked out only where somebody watches."""
        if self.watch_tree is not None:
            self.watch_tree(top())

    def __enter__(self) -> Run:
        self.stopped = False
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stopped |= error is not None
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
