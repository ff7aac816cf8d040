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
from searchbench.rules import arrival, finish, level, propagate
from searchbench.run import Run
from searchbench.solvers.exhaustive.prepare import DEEPEST, LATE, NEGATIVE, STOPPED, TOO_LARGE, make_room, prepare

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
    members.sort(key=lambda part: part.start)
    names = {part.name for part in members}
    return Group(
        tuple(members),
        needs_itself=any(need in names for part in members for need in part.needs),
        needs_others=any(need not in names for part in members for need in part.needs),
    )


class Chunks:
    """Hand out pieces of some intervals to threads, each piece once."""

    def __init__(self, bounds: npt.NDArray[Any], size: int = CHUNK) -> None:
        self._lock = threading.Lock()
        self._left: list[tuple[int, int]] = [
            (first, min(first + size, stop))
            for start, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True)
            for first in range(start, stop, size)
        ][::-1]

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

    def __iter__(self) -> Any:
        while (chunk := self.next()) is not None:
            yield chunk


def until_it_fits(
    run: Run,
    table: Table,
    work: Callable[[Job], tuple[Job, npt.NDArray[Any]]],
    jobs: list[Job],
    unfinished: Callable[[Job], bool],
) -> int:
    """Do all jobs; widen the table and go on where they stopped while a code does not fit; return the deepest level."""
    deepest = -1
    while jobs:
        results = run.map(work, jobs)
        deepest = max([deepest, *(int(note[DEEPEST]) for _, note in results)])
        jobs = [job for job, _ in results if unfinished(job)]
        if jobs:
            make_room(table, [int(note[TOO_LARGE]) for _, note in results])
    return deepest


class Late:
    """Keep the requests of finished parts that must arrive at their level."""

    def __init__(self, names: jit.Names, requests: npt.NDArray[Any]) -> None:
        self._requests = requests
        when = jit.bind(arrival, names)
        codes, places = np.unique(requests[:, 1], return_inverse=True)
        self._levels = np.array([when(int(code)) for code in codes], np.int64)[places]

    def pending(self, now: int) -> bool:
        """Tell whether any request waits for this level or a later one."""
        return bool((self._levels >= now).any())

    def first_from(self, now: int) -> int:
        """Return the first level from this one on for which a request waits, or -1."""
        return int(self._levels[self._levels >= now].min()) if self.pending(now) else -1

    def take(self, now: int) -> npt.NDArray[Any]:
        """Return the requests of this level."""
        chosen: npt.NDArray[Any] = self._requests[self._levels == now]
        return chosen


def prepare_group(names: jit.Names, group: Group, look_ahead: bool, table: Table, run: Run) -> tuple[int, Late]:
    """Give the states of a group their first codes; return the deepest level given and the requests that wait."""
    kernel = jit.bind(prepare, names)
    waiting: list[npt.NDArray[Any]] = []

    def work(job: tuple[int, int]) -> tuple[tuple[int, int], npt.NDArray[Any]]:
        first, stop = job
        late = np.empty((stop - first if look_ahead else 0, 3), np.int64)
        note = np.array([first, -1, 0, 0], np.int64)
        kernel(table.codes, table.illegal, first, stop, group.bounds, look_ahead, late, note)
        if note[LATE]:
            waiting.append(late[: note[LATE]].copy())
        return (int(note[STOPPED]), stop), note

    deepest = until_it_fits(run, table, work, list(Chunks(group.bounds)), lambda job: job[0] < job[1])
    late = np.concatenate(waiting) if waiting else np.empty((0, 3), np.int64)
    return deepest, Late(names, late)


def propagate_late(codes: Any, illegal: int, requests: Any, first: int, note: Any) -> None:
    """Propagate requests (number, code, weight) one after the other."""
    for index in range(first, len(requests)):
        number = requests[index, 0]
        code = codes[number]
        new = propagate(code, requests[index, 1], requests[index, 2])
        if not 0 <= new < illegal:
            note[TOO_LARGE] = new if new >= 0 else NEGATIVE
            note[STOPPED] = index
            return
        if new != code:
            codes[number] = new
            note[DEEPEST] = max(note[DEEPEST], level(new))
    note[STOPPED] = len(requests)


def apply_late(names: jit.Names, requests: npt.NDArray[Any], table: Table) -> int:
    """Apply the requests of one level; return the deepest level given."""
    if not len(requests):
        return -1
    kernel = jit.bind(propagate_late, names)
    note = np.array([0, -1, 0, 0], np.int64)
    while note[STOPPED] < len(requests):
        note[TOO_LARGE] = 0
        kernel(table.codes, table.illegal, requests, int(note[STOPPED]), note)
        if note[TOO_LARGE]:
            make_room(table, [int(note[TOO_LARGE])])
    return int(note[DEEPEST])


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
    return max([0, *run.map(lambda chunk: int(kernel(table.codes, table.illegal, *chunk)), list(Chunks(group.bounds)))])
