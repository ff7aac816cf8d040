"""Groups of parts: those that need each other are solved together, and after those that they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.index.protocol import Part


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
