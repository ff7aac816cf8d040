"""Codes over the whole number line that the ranks of a machine have in common: of the group at work, and of finished parts.

Each rank writes the codes of its shard, and reads those of finished parts, which the machine so holds once. Between groups
they stay. What was solved on another machine is read from the database, each piece by one rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from searchbench.exchange.decisions import reduce_any
from searchbench.exchange.ranks import Array, Numbers, current, meet
from searchbench.exchange.shards import redistribute
from searchbench.exchange.shared_memory import SharedMemory, Team
from searchbench.exchange.table import WIDTHS, Table
from searchbench.index.protocol import Part
from searchbench.store.codes import ShardedCodes
from searchbench.store.growing import GrowingDatabase


class CodesTogether:
    """Hold the codes of a line of `size` numbers; all ranks call what is here together."""

    def __init__(self, size: int, memory: SharedMemory) -> None:
        self._size, self._memory = size, memory
        self._codes: Array = np.empty(0, np.uint8)
        self._there: dict[str, Part] = {}
        """The finished parts whose codes are all here."""

    def bring(self, needs: Sequence[Part], width: int, kept: GrowingDatabase) -> Array:
        """Return codes of `width` bytes, with those of some finished parts, and release the others. Raises DamagedData."""
        if self._codes.itemsize != width or len(self._codes) != self._size:
            self._codes = self._memory.array(self._size, next(one for one in WIDTHS if one().itemsize == width))
            self._there = {}
        wanted = {part.name: part for part in needs}
        for name in [name for name in self._there if name not in wanted]:
            part = self._there.pop(name)
            self._memory.give_up(self._codes, part.start, part.stop)
        team = self._memory.team
        for name in wanted.keys() - self._there.keys():
            kept.load(wanted[name], self._codes, team.index(current().rank), len(team))
        self._there = wanted
        meet()
        return self._codes

    def holders(self, table: Table) -> Team:
        """Return the ranks whose codes lie in this rank's array: its machine's, unless any rank has widened its own."""
        return () if reduce_any([not table.in_common]) else self._memory.team

    def finish(self, parts: Sequence[Part], near: Team) -> None:
        """Note that parts are solved, whose codes all lie here if all ranks are near."""
        if len(near) == current().count:
            self._there.update((part.name, part) for part in parts)
        elif not near:
            self._codes = np.empty(0, np.uint8)


def write_together(
    kept: GrowingDatabase, parts: tuple[Part, ...], codes: Array, held: Sequence[Numbers], near: Team,
    facts: dict[str, Any],
) -> None:  # fmt: skip
    """Give each rank the codes of the steps that it writes, and write parts together.

    `held` are the intervals of numbers whose codes each rank has; those `near` this one have theirs in the same array.
    """
    ranks = current()
    wanted = [kept.steps(parts, rank, ranks.count) for rank in range(ranks.count)]
    redistribute(codes, held, wanted, near)
    kept.add(parts, ShardedCodes(codes, wanted[ranks.rank]), facts)
