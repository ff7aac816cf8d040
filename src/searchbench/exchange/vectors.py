"""Bit vectors that ranks search together: who holds which blocks of words, and how the words travel.

Ranks of a machine have a vector in common (:mod:`searchbench.exchange.shared_memory`): each writes the words of its own blocks,
and reads all. Machines have a vector each. After each level the new words of all blocks go to every machine
(:meth:`Deal.spread`), or words that were written for others go to those who hold them (:meth:`Deal.collect`). For each rank
elsewhere, one rank of a machine is the *keeper* of its blocks: it alone takes and gives their words for its machine.

A message is [blocks, block, block, ..., and the words of these blocks].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.exchange.ranks import Numbers, current, meet
from searchbench.exchange.shards import owners
from searchbench.exchange.shared_memory import SharedMemory, Team
from searchbench.jit import intervals

_TAG: Final = 4

Words = npt.NDArray[np.uint64]
Marks = npt.NDArray[np.uint8]
Blocks = npt.NDArray[np.int64]
Copy = Callable[[Blocks, Words], None]
"""Called with blocks in order and [block, word], to be written or read."""


class Deal:
    """Deal the blocks of vectors of `words` words out to the ranks; a process alone holds all.

    All ranks call what is not marked as local together. `shared` says whether ranks of a machine have vectors in common.
    """

    def __init__(self, words: int, block_words: int, shared: bool = True) -> None:
        self._ranks = current()
        self.count = self._ranks.count
        self._memory = SharedMemory(shared)
        self._words = words
        self.block_words = block_words
        self.blocks = -(-words // block_words)
        self._owner = owners(np.array([0, self.blocks], np.int64), 0, self.count)[1]
        self.mine = self._owner == self._ranks.rank
        """Whether this rank holds a block, for each of them."""
        self.own = _intervals(self.mine)
        """The intervals of blocks that this rank holds."""
        self._kept_for = [
            rank
            for team in self._other_teams
            for rank in team
            if _keeper(rank, team, self._memory.team) == self._ranks.rank
        ]
        self.kept = _intervals(np.isin(self._owner, self._kept_for))
        """The intervals of other machines' blocks that this rank keeps for its own."""

    @property
    def _other_teams(self) -> list[Team]:
        return [team for team in self._memory.teams if team != self._memory.team]

    def vector(self) -> Words:
        """Return a vector of zeros, which the ranks of a machine have in common."""
        return self._memory.array(self._words, np.uint64)

    def entries(self, size: int, dtype: Any) -> npt.NDArray[Any]:
        """Return zeros which the ranks of a machine have in common, as many for each block: one for each state, say."""
        assert size % self.blocks == 0
        return self._memory.array(size, dtype)

    def marks(self) -> Marks:
        """Return a mark of zero for each block, which the ranks of a machine have in common."""
        return self._memory.array(self.blocks, np.uint8)

    def put_first(self, bit: int, *vectors: Words) -> None:
        """Set a bit of vectors that nobody works on yet, on all machines."""
        word = bit >> 6
        if any(start <= word // self.block_words < stop for start, stop in [*self.own, *self.kept]):
            for vector in vectors:
                vector[word] |= np.uint64(1 << (bit & 63))
        self.meet()

    def meet(self) -> None:
        """Wait until all ranks have come here, and see what they have written."""
        if self.count > 1:
            meet()

    # --- what is local ----------------------------------------------------------------------------------------------------

    def pieces(self, step: int) -> list[tuple[int, int]]:
        """Return intervals of `step` blocks at most, which hold this rank's own ones."""
        return [piece for start, stop in self.own for piece in intervals(start, stop, step)]

    def words(self, step: int, kept: bool = False) -> list[tuple[int, int]]:
        """Return intervals of `step` words at most: of this rank's own blocks, and of those `kept` for its machine."""
        blocks = [*self.own, *self.kept] if kept else self.own
        return [piece for span in self._spans(blocks) for piece in intervals(*span, step)]

    def _spans(self, blocks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        size = self.block_words
        return [(start * size, min(stop * size, self._words)) for start, stop in blocks]

    def held(self, rank: int, entries: int) -> Numbers:
        """Return start, stop, start, stop, ... of those of `entries` entries that lie in the blocks of a rank."""
        return np.array(_intervals(self._owner == rank), np.int64).ravel() * (entries // self.blocks)

    def filled(self, vector: Words) -> Marks:
        """Return a mark for each of this rank's own blocks that has bits."""
        return self._filled(vector, self.own)

    def _filled(self, vector: Words, blocks: Sequence[tuple[int, int]]) -> Marks:
        marks = np.zeros(self.blocks, np.uint8)
        for start, stop in blocks:
            words = vector[start * self.block_words : stop * self.block_words]
            whole = len(words) // self.block_words
            marks[start : start + whole] = (
                words[: whole * self.block_words].reshape(whole, self.block_words).any(axis=1)
            )
            marks[start + whole : stop] = words[whole * self.block_words :].any()
        return marks

    def clear(self, marks: Marks) -> None:
        """Clear the marks of this rank's own blocks, and of those that it keeps for its machine."""
        for start, stop in [*self.own, *self.kept]:
            marks[start:stop] = 0

    # --- exchange ---------------------------------------------------------------------------------------------------------

    def spread(self, vector: Words, marks: Marks) -> None:
        """Give every machine the words of this rank's marked blocks in a vector, and take those that come, with the marks."""
        self.spread_by(marks, self._taken(vector), lambda blocks, rows: self.put(vector, blocks, rows))

    def spread_by(self, marks: Marks, take: Copy, put: Copy) -> None:
        """Give every machine the words that `take` writes for this rank's marked blocks; `put` gets those that come."""
        if self._other_teams:
            blocks = np.flatnonzero(self.mine & (marks != 0))
            for taken, rows in self._given(self._other_teams, blocks, take, len(self._kept_for)):
                marks[taken] = 1
                put(taken, rows)
        self.meet()

    def renew(self, vector: Words) -> None:
        """Give every machine the words of this rank's blocks in a vector; what others hold elsewhere is overwritten here."""
        for start, stop in self._spans(self.kept):
            vector[start:stop] = 0
        self.spread(vector, self._filled(vector, self.own if self._other_teams else []))

    def collect(self, vector: Words, marks: Marks | None = None) -> None:
        """Send the words that this machine has in blocks of others, marked ones if marks are given, and clear them here.

        Words that come from others are joined with this rank's own ones (or), and their blocks marked.
        """
        self.meet()  # nobody of this machine writes any more
        marks = self._filled(vector, self.kept) if marks is None else marks
        messages: dict[int, Words] = {}
        for rank in self._kept_for:
            blocks = np.flatnonzero((marks != 0) & (self._owner == rank))
            messages[rank] = self._message(blocks, self._taken(vector))
            self.put(vector, blocks, np.zeros((len(blocks), self.block_words), np.uint64))
            marks[blocks] = 0
        for blocks, rows in self._exchanged(messages, len(self._other_teams)):
            marks[blocks] = 1
            self.put(vector, blocks, rows | self.rows(vector, blocks))
        if self._other_teams:
            self.meet()  # or a quick rank's next words come among these

    def gather(self, vector: Words) -> None:
        """Give the first rank the words of all blocks."""
        if self._other_teams:
            first = self._memory.teams[0]
            if self._memory.team == first:
                for start, stop in self._spans(self.kept):
                    vector[start:stop] = 0
                to, blocks, expected = [], np.empty(0, np.int64), len(self._kept_for)
            else:
                to, blocks, expected = [first], np.flatnonzero(self.filled(vector)), 0
            for taken, rows in self._given(to, blocks, self._taken(vector), expected):
                self.put(vector, taken, rows)
        self.meet()

    def _given(
        self, teams: Sequence[Team], blocks: Blocks, take: Copy, expected: int
    ) -> Iterator[tuple[Blocks, Words]]:
        """Send the words of blocks to this rank's keepers in some teams; yield those of the messages that come."""
        message = self._message(blocks, take)
        keepers = {_keeper(self._ranks.rank, self._memory.team, team): message for team in teams}
        return self._exchanged(keepers, expected)

    def _exchanged(self, messages: dict[int, Words], expected: int) -> Iterator[tuple[Blocks, Words]]:
        """Send messages to ranks; yield the blocks, and the words of each, of all messages that come."""
        for to, message in messages.items():
            self._ranks.send(message, to, _TAG)
        while expected:
            arrived = self._ranks.receive(_TAG)
            if arrived is not None:
                expected -= 1
                words = arrived[1].view(np.uint64)
                count = int(words[0])
                rows = words[1 + count :].reshape(count, self.block_words)
                yield words[1 : 1 + count].astype(np.int64), rows
        self._ranks.settle()

    def _message(self, blocks: Blocks, take: Copy) -> Words:
        count = len(blocks)
        message = np.empty(1 + count * (1 + self.block_words), np.uint64)
        message[0] = count
        message[1 : 1 + count] = blocks
        take(blocks, message[1 + count :].reshape(count, self.block_words))
        return message

    def _taken(self, vector: Words) -> Copy:
        def take(blocks: Blocks, rows: Words) -> None:
            rows[:] = self.rows(vector, blocks)

        return take

    def rows(self, vector: npt.NDArray[Any], blocks: Blocks) -> npt.NDArray[Any]:
        """Return [block, word], or entry, of some blocks in order, the last one of a vector filled up with zeros."""
        if len(vector) != self._words:
            return vector.reshape(self.blocks, -1)[blocks]
        whole = len(vector) // self.block_words
        if not len(blocks) or blocks[-1] < whole:
            found: Words = vector[: whole * self.block_words].reshape(whole, self.block_words)[blocks]
            return found
        rows = np.zeros((len(blocks), self.block_words), np.uint64)
        rows[:-1] = self.rows(vector, blocks[:-1])
        rows[-1, : len(vector) - whole * self.block_words] = vector[whole * self.block_words :]
        return rows

    def put(self, vector: npt.NDArray[Any], blocks: Blocks, rows: npt.NDArray[Any]) -> None:
        """Write rows into some blocks of a vector, or of entries."""
        if len(vector) != self._words:
            vector.reshape(self.blocks, -1)[blocks] = rows
            return
        whole = len(vector) // self.block_words
        if len(blocks) and blocks[-1] == whole:
            vector[whole * self.block_words :] = rows[-1, : len(vector) - whole * self.block_words]
            blocks, rows = blocks[:-1], rows[:-1]
        vector[: whole * self.block_words].reshape(whole, self.block_words)[blocks] = rows


def _intervals(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the intervals of flags that are set."""
    edges = np.diff(np.concatenate([[0], flags, [0]]).astype(np.int8))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))


def _keeper(rank: int, of: Team, team: Team) -> int:
    """Return the rank of a team that keeps the blocks of a rank of another one."""
    return team[of.index(rank) % len(team)]
