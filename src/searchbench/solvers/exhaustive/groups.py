"""Groups of parts: those that need each other are solved together, and after those that they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.index.protocol import Part


class Group(NamedTuple):
    """Hold parts that need each other and are solved together, and all parts that they need."""

    parts: tuple[Part, ...]
    needs: tuple[Part, ...]

    @property
    def needs_itself(self) -> bool:
        """Tell whether moves may stay in the group."""
        return any(part in self.parts for part in self.needs)

    @property
    def needs_others(self) -> bool:
        """Tell whether moves may lead to other parts."""
        return bool(self.others)

    @property
    def others(self) -> list[Part]:
        """Return the parts outside the group that its states may lead to."""
        return [part for part in self.needs if part not in self.parts]

    @property
    def name(self) -> str:
        """Return the names of the parts."""
        return " + ".join(part.name for part in self.parts)

    @property
    def bounds(self) -> npt.NDArray[Any]:
        """Return start, stop, start, stop, ... of the parts."""
        return _intervals(self.parts)

    @property
    def reach(self) -> npt.NDArray[Any]:
        """Return the intervals of the parts that are needed: no move leads anywhere else."""
        return _intervals(self.needs)


def _intervals(parts: Sequence[Part]) -> npt.NDArray[Any]:
    return np.array([end for part in parts for end in (part.start, part.stop)], np.int64)


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
                    order.append(_group([by_name[member] for member in _pop_to(stack, name)], by_name))
    return order


def _pop_to(stack: list[str], name: str) -> list[str]:
    place = stack.index(name)
    members = stack[place:]
    del stack[place:]
    return members


def _group(members: list[Part], by_name: Mapping[str, Part]) -> Group:
    members.sort(key=lambda part: (part.start, part.stop))  # an empty part may begin where another one does
    needs = dict.fromkeys(need for part in members for need in part.needs)
    return Group(tuple(members), tuple(by_name[need] for need in needs))
