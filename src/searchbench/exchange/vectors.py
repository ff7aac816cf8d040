"""Bit vectors that ranks search together: who holds which blocks of words, and how the words travel.

Each rank has whole vectors, and writes the words of its own blocks: the others take no memory until they are touched. After
each level either the new words of all blocks go to everybody (:meth:`Deal.spread`), or words that a rank has written for
others go to those who hold them (:meth:`Deal.collect`).

A message is [blocks, block, block, ..., and the words of these blocks].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from searchbench.exchange.ranks import current
from searchbench.exchange.shards import owners
from searchbench.jit import intervals

_TAGS: Final = (4, 5)
"""The tags of words, in even and odd exchanges: a quick rank may be an exchange ahead of a slow one."""

Words = npt.NDArray[np.uint64]
Blocks = npt.NDArray[np.int64]
Copy = Callable[[Blocks, Words], None]
"""Called with blocks in order and [block, word], to be written or read."""


class Deal:
    """Deal the blocks of vectors of `words` words out to the ranks; a process alone holds all."""

    def __init__(self, words: int, block_words: int) -> None:
        self._ranks = current()
        self.count = self._ranks.count
        self.block_words = block_words
        self.blocks = -(-words // block_words)
        self._owner = owners(np.array([0, self.blocks], np.int64), 0, self.count)[1]
        self.mine = self._owner == self._ranks.rank
        """Whether this rank holds a block, for each of them."""
        self._held = [self._intervals(rank) for rank in range(self.count)]
        self.own = self._held[self._ranks.rank]
        """The intervals of blocks that this rank holds."""
        self._round = 0

    def _intervals(self, rank: int) -> list[tuple[int, int]]:
        edges = np.diff(np.concatenate([[0], self._owner == rank, [0]]).astype(np.int8))
        return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))

    def pieces(self, step: int) -> list[tuple[int, int]]:
        """Return intervals of `step` blocks at most, which hold this rank's own ones."""
        return [piece for start, stop in self.own for piece in intervals(start, stop, step)]

    def words(self, step: int) -> list[tuple[int, int]]:
        """Return intervals of `step` words at most, which hold this rank's own blocks."""
        size = self.block_words
        return [piece for start, stop in self.own for piece in intervals(start * size, stop * size, step)]

    def filled(self, vector: Words, everywhere: bool = False) -> npt.NDArray[np.uint8]:
        """Return a mark for each block that has bits, of this rank's own ones or of all."""
        marks = np.zeros(self.blocks, np.uint8)
        for start, stop in [(0, self.blocks)] if everywhere else self.own:
            words = vector[start * self.block_words : stop * self.block_words]
            whole = len(words) // self.block_words
            marks[start : start + whole] = (
                words[: whole * self.block_words].reshape(whole, self.block_words).any(axis=1)
            )
            marks[start + whole : stop] = words[whole * self.block_words :].any()
        return marks

    # --- exchange ---------------------------------------------------------------------------------------------------------

    def spread(self, vector: Words, marks: npt.NDArray[np.uint8]) -> None:
        """Give everybody the words of this rank's marked blocks in a vector, and take theirs, with the marks."""
        self.spread_by(marks, self._taken(vector), lambda blocks, rows: self.put(vector, blocks, rows))

    def spread_by(self, marks: npt.NDArray[np.uint8], take: Copy, put: Copy) -> None:
        """Give everybody the words that `take` writes for this rank's marked blocks; `put` gets theirs, with the marks."""
        if self.count == 1:
            return
        marks[~self.mine] = 0
        message = self._message(np.flatnonzero(marks), take)
        for blocks, rows in self._exchanged(lambda _: message):
            marks[blocks] = 1
            put(blocks, rows)

    def renew(self, vector: Words) -> None:
        """Give everybody the words of this rank's blocks in a vector, and take theirs: all others are overwritten."""
        if self.count == 1:
            return
        self._clear_others(vector)
        self.spread(vector, self.filled(vector))

    def collect(self, vector: Words, marks: npt.NDArray[np.uint8]) -> None:
        """Send the words in others' marked blocks to those who hold them, and clear them here.

        Words that come from others are joined with this rank's own ones (or), and their blocks marked.
        """
        if self.count == 1:
            return

        messages: dict[int, Words] = {}
        for rank in self._others:
            blocks = np.flatnonzero((marks != 0) & (self._owner == rank))
            messages[rank] = self._message(blocks, self._taken(vector))
            self.put(vector, blocks, np.zeros((len(blocks), self.block_words), np.uint64))
            marks[blocks] = 0
        for blocks, rows in self._exchanged(messages.__getitem__):
            marks[blocks] = 1
            self.put(vector, blocks, rows | self.rows(vector, blocks))

    def gather(self, vector: Words) -> None:
        """Give the first rank the words of all blocks."""
        if self.count == 1:
            return

        if self._ranks.rank == 0:
            self._clear_others(vector)
        nothing = self._message(np.empty(0, np.int64), self._taken(vector))
        words = self._message(np.flatnonzero(self.filled(vector)), self._taken(vector)) if self._ranks.rank else nothing
        for blocks, rows in self._exchanged(lambda to: nothing if to else words):
            self.put(vector, blocks, rows)

    @property
    def _others(self) -> list[int]:
        """Return the other ranks, the next one first."""
        return [(self._ranks.rank + step) % self.count for step in range(1, self.count)]

    def _exchanged(self, message: Callable[[int], Words]) -> Iterator[tuple[Blocks, Words]]:
        """Send each other rank a message; yield the blocks, and the words of each, of all messages that come."""
        tag = _TAGS[self._round % 2]
        self._round += 1
        sent = []  # kept until they have gone
        for to in self._others:
            sent.append(message(to))
            self._ranks.send(sent[-1], to, tag)
        left = len(sent)
        while left:
            arrived = self._ranks.receive(tag)
            if arrived is not None:
                left -= 1
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

    def rows(self, vector: Words, blocks: Blocks) -> Words:
        """Return [block, word] of some blocks in order, the last one of a vector filled up with zeros."""
        whole = len(vector) // self.block_words
        if not len(blocks) or blocks[-1] < whole:
            found: Words = vector[: whole * self.block_words].reshape(whole, self.block_words)[blocks]
            return found
        rows = np.zeros((len(blocks), self.block_words), np.uint64)
        rows[:-1] = self.rows(vector, blocks[:-1])
        rows[-1, : len(vector) - whole * self.block_words] = vector[whole * self.block_words :]
        return rows

    def put(self, vector: Words, blocks: Blocks, rows: Words) -> None:
        """Write rows into some blocks of a vector."""
        whole = len(vector) // self.block_words
        if len(blocks) and blocks[-1] == whole:
            vector[whole * self.block_words :] = rows[-1, : len(vector) - whole * self.block_words]
            blocks, rows = blocks[:-1], rows[:-1]
        vector[: whole * self.block_words].reshape(whole, self.block_words)[blocks] = rows

    def _clear_others(self, vector: Words) -> None:
        for rank in self._others:
            for start, stop in self._held[rank]:
                vector[start * self.block_words : stop * self.block_words] = 0
