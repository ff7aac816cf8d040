"""The number line in pieces: groups of parts, chunks for threads, and what to do when a code does not fit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Table
from searchbench.index.protocol import Part
from searchbench.run import Run
from searchbench.solvers.exhaustive.prepare import TOO_LARGE, make_room
from searchbench.values.contract import finish

CHUNK = 1 << 16
"""How many states a thread takes at a time."""

Job = TypeVar("Job")


class Group(NamedTuple):
    """Hold parts that need each other and are solved together, and whether moves can lead from them to other parts."""

    parts: tuple[Part, ...]
    needs_itself: bool
    needs_others: bool

    @property
    def name(self) -> str:
        """Return the names of the parts."""
        return " + ".join(part.name for part in self.parts)

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """Return start, stop, start, stop, ... of the parts."""
        return np.array([end for part in self.parts for end in (part.start, part.stop)], np.int64)


def groups_in_order(parts: Sequence[Part]) -> list[Group]:
    """Return the parts so that each comes after those it needs, with those together that need each other (Tarjan 1972)."""
    by_name = {part.name: part for part in parts}
    for part in parts:
        for need in part.needs:
            if need not in by_name:
                raise BadRequest(f"part {part.name!r} needs {need!r}; the parts are {', '.join(by_name)}")
    order: list[Group] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    for root in by_name:
        work = [(root, iter(by_name[root].needs))] if root not in number else []
        while work:
            name, needs = work[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                stack.append(name)
            for need in needs:
                if need not in number:
                    work.append((need, iter(by_name[need].needs)))
                    break
                if need in stack:
                    lowest[name] = min(lowest[name], number[need])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    order.append(_group([by_name[member] for member in _pop_to(stack, name)]))
    return order


def _pop_to(stack: list[str], name: str) -> list[str]:
    place = stack.index(name)
    members = stack[place:]
    del stack[place:]
    return members


def _group(members: list[Part]) -> Group:
    members.sort(key=lambda part: (part.start, part.stop))  # an empty part may begin where another one does
    names = {part.name for part in members}
    return Group(
        tuple(members),
        needs_itself=any(need in names for part in members for need in part.needs),
        needs_others=any(need not in names for part in members for need in part.needs),
    )


class Chunks:
    """Hand out pieces of some intervals to threads, each piece once; `pieces` instead of all of them."""

    def __init__(self, bounds: npt.NDArray[Any], pieces: list[tuple[int, int]] | None = None) -> None:
        self._lock = threading.Lock()
        if pieces is None:
            pieces = [
                (first, min(first + CHUNK, stop))
                for start, stop in bounds.reshape(-1, 2).tolist()
                for first in range(start, stop, CHUNK)
            ]
        self._left = pieces[::-1]

    def next(self) -> tuple[int, int] | None:
        """Return a piece that nobody has, or None when all are taken."""
        with self._lock:
            return self._left.pop() if self._left else None

    def put_back(self, first: int, stop: int) -> None:
        """Give back what was not done of a piece."""
        if first < stop:
            with self._lock:
                self._left.append((first, stop))

    def empty(self) -> bool:
        """Tell whether everything is taken."""
        return not self._left

    @property
    def left(self) -> list[tuple[int, int]]:
        """Return the pieces that nobody has, in order."""
        return self._left[::-1]

    def __iter__(self) -> Any:
        while (chunk := self.next()) is not None:
            yield chunk


def until_it_fits(
    run: Run,
    table: Table,
    work: Callable[[Job], tuple[Job, npt.NDArray[Any]]],
    jobs: list[Job],
    unfinished: Callable[[Job], bool],
) -> None:
    """Do all jobs; widen the table and go on where they stopped while a code does not fit."""
    while jobs:
        results = run.map(work, jobs)
        jobs = [job for job, _ in results if unfinished(job)]
        if jobs:
            make_room(table, [int(note[TOO_LARGE]) for _, note in results])


def finish_block(codes: Any, illegal: int, first: int, stop: int) -> int:
    """Replace working codes by the codes to be stored; return the largest."""
    largest = 0
    for number in range(first, stop):
        code = codes[number]
        if code != illegal:
            code = finish(code)
            codes[number] = code
            largest = max(largest, code)
    return largest


def finish_group(names: jit.Names, group: Group, table: Table, run: Run) -> int:
    """Turn the codes of a group into those to be stored; return the largest."""
    kernel = jit.bind(finish_block, names)

    def work(chunk: tuple[int, int]) -> int:
        largest = int(kernel(table.codes, table.illegal, *chunk))
        table.rest()
        return largest

    return max([0, *run.map(work, list(Chunks(group.bounds)))])
