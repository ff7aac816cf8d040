"""The pieces of a layer, dealt out to the ranks: each settles its own, and every machine gets the words of all.

The ranks of a machine have the planes of a layer in common, so each reads all, and writes the words of its pieces. A word in
which two pieces meet belongs to neither: its bits from both are joined in the end. A process alone has all pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from searchbench.exchange.ranks import current, meet
from searchbench.exchange.shared_memory import SharedMemory

_TAG: Final = 6
PADDING: Final = 2
"""Words behind the last of a plane: 64 bits are read from any position on."""

Words = npt.NDArray[np.uint64]
Piece = tuple[int, int]
Arrays = TypeVar("Arrays", bound=tuple[npt.NDArray[np.generic], ...])


def empty_planes(positions: int) -> Words:
    """Return the words W and L, by turns, of a layer of that many positions: all drawn."""
    return np.zeros(plane_words(positions), np.uint64)


def plane_words(positions: int) -> int:
    """Return how many words the planes of a layer have."""
    return 2 * (-(-positions // 64) + PADDING)


class Dealt:
    """Deal the pieces of layers out; all ranks call what is here together."""

    def __init__(self) -> None:
        self._ranks = current()
        self.count = self._ranks.count
        self.memory = SharedMemory()
        team = self.memory.team
        self.place, self.near = team.index(self._ranks.rank), len(team)
        """This rank's place among those of its machine, and how many these are."""

    def planes(self, positions: int) -> Words:
        """Return the planes of a layer, all drawn, which the ranks of a machine have in common."""
        if self.count == 1:
            return empty_planes(positions)
        return self.memory.array(plane_words(positions), np.uint64)

    def own(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces of this rank."""
        return self._of(self._ranks.rank, pieces)

    def _of(self, rank: int, pieces: Sequence[Piece]) -> list[Piece]:
        return list(pieces[rank :: self.count])

    def join(self, planes: Words, starts: npt.NDArray[np.int64], pieces: Sequence[Piece], ends: Words) -> None:
        """Give every machine the words of all pieces; `ends` [own piece, place, W, L, place, W, L] are those at their ends.

        The positions from ``starts[first]`` to ``starts[stop]`` are those of a piece.
        """
        rows = self._ranks.gather(ends)
        self._exchange(planes, starts, pieces)
        if self.count > 1:
            meet()  # all inner words are there
        if self.place == 0:
            for row in np.concatenate(rows).reshape(-1, 3):
                place = 2 * int(row[0])
                planes[place] |= row[1]
                planes[place + 1] |= row[2]
        if self.count > 1:
            meet()

    def _exchange(self, planes: Words, starts: npt.NDArray[np.int64], pieces: Sequence[Piece]) -> None:
        """Send the inner words of this rank's pieces to one rank of every other machine, and put those that come."""
        others = [team for team in self.memory.teams if team != self.memory.team]
        expected = sum(1 for team in others for place in range(len(team)) if place % self.near == self.place)
        if others:
            inner = [planes[some] for some in _inner(starts, self.own(pieces))]
            message = np.concatenate([planes[:0], *inner])
            for team in others:
                self._ranks.send(message, team[self.place % len(team)], _TAG)
        while expected:
            arrived = self._ranks.receive(_TAG)
            if arrived is not None:
                sender, words = arrived[0], arrived[1].view(np.uint64)
                done = 0
                for some in _inner(starts, self._of(sender, pieces)):
                    planes[some] = words[done : done + some.stop - some.start]
                    done += some.stop - some.start
                expected -= 1
        self._ranks.settle()


def _inner(starts: npt.NDArray[np.int64], pieces: Sequence[Piece]) -> list[slice]:
    """Return the words of each piece that are no other's: all but the one it begins in, and the one it ends in."""
    return [
        slice(2 * low, 2 * max(low, high))
        for low, high in ((int(starts[first] >> 6) + 1, int(starts[stop] >> 6)) for first, stop in pieces)
    ]
