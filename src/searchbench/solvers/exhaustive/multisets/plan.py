"""Plan the effect of moves with equal pieces on the numbers, with the sequence cut in two.

A state is a place and a word: the sequence of equal pieces (`Sequences`). The vectors have a *lane* of 8 to 64 bits for each
word, in lexicographic order, with a bit for each place. The first letters of a word are its *head*, the others its *tail*.
All words with the same head lie together, one for each tail of the remaining pieces. So the heads with the same pieces, a
*class*, make a matrix: a row for each head, a column for each tail. A move is one of three kinds:

- within the head: lane by lane, rows of the matrix go to rows, all columns alike;
- within the tail, or of the place only: columns go to columns, all rows alike;
- *crossing*: any other move. The words that agree up to the last moved letter are a run, and runs go to runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.index import Multiset, Rearrangement, Sequences, multinomial
from searchbench.solvers.exhaustive.multisets.words import Array, class_sizes, classes, keys, words

LINE_BITS = 512
MOST_LINES = 1 << 16
"""Most heads or tails in a class: a line of 64 bytes for each should stay in a core's cache, and 16 bits index it."""
MOST_RUNS = 1 << 23
"""Most runs of a crossing move."""


class Matrices(NamedTuple):
    """The matrices: class c has the rows of ``heads[begin[c] : begin[c + 1]]``, and ``columns[c]`` columns.

    ``start[head]`` is the number of the first word with a head.
    """

    begin: Array
    heads: Array
    columns: Array
    start: Array


class Moves(NamedTuple):
    """Pulls of the moves within a half, class by class.

    In class c, which has `lines` heads or tails, move m brings to each line t the bits `mask[m]` of the line
    ``source[begin[c] + m * lines + t]``, rotated left by `turn[m]` bits.
    """

    begin: Array
    source: Array
    mask: Array
    turn: Array


class Crossing(NamedTuple):
    """The crossing moves: move m brings the runs ``begin[m, head]`` .. ``begin[m, head + 1] - 1``, in order, to a head.

    A run is `length` words from the number `source` on. Bit `origin[m]` of each goes to bit `target[m]`.
    """

    begin: Array
    source: Array
    length: Array
    origin: Array
    target: Array


class Plan:
    """The action of the moves of a game with equal pieces on the bit vectors. Raises BadRequest if the game does not fit."""

    def __init__(self, game: Sequences) -> None:
        if not game.pieces:
            raise BadRequest(f"{game.n} different elements: halves are for equal pieces")
        if not Multiset(game.pieces).small:
            raise BadRequest(f"pieces {game.pieces}: too many kinds for halves with the same pieces")
        if not 5 <= game.places <= 64:
            raise BadRequest(f"{game.places} places: halves take 5 to 64, a byte to a word for each sequence")
        self.game = game
        self.word_bits = 1 << (game.places - 1).bit_length()
        self.lanes = LINE_BITS // self.word_bits
        self.cut = _cut(game)
        heads, left = words(self.cut, game.pieces)
        left_by_class, members = classes(left)
        rows = [np.flatnonzero(members == number) for number in range(len(left_by_class))]
        tails = [words(game.n - self.cut, counts)[0] for counts in map(tuple, left_by_class.tolist())]
        self.matrices = Matrices(
            np.cumsum([0, *map(len, rows)]), np.concatenate(rows), np.array([len(one) for one in tails]), _starts(left)
        )
        within_head = [move for move in game.moves if 0 < move.window[1] <= self.cut]
        within_tail = [move for move in game.moves if move.window[0] >= self.cut or move.window[1] == 0]
        rest = [move for move in game.moves if move.window[0] < self.cut < move.window[1]]
        self.head_moves = self._moves(within_head, [heads[row] for row in rows], 0)
        self.tail_moves = self._moves(within_tail, tails, self.cut)
        self.crossing = self._crossing(rest)
        self.most_lines = max(map(len, [*rows, *tails]))

    @property
    def table_bytes(self) -> int:
        """Return the memory of the tables in bytes."""
        return sum(
            table.nbytes
            for tables in (self.matrices, self.head_moves, self.tail_moves, self.crossing)
            for table in tables
        )

    def _moves(self, moves: list[Rearrangement], by_class: list[Array], first: int) -> Moves:
        """Build the moves within the half that begins with the letter `first`; `by_class` has the words of each class."""
        kinds = len(self.game.pieces)
        masks: dict[tuple[tuple[int, ...], int], int] = {}  # moves that differ only in their places are one
        for move in moves:
            alike = (move.inverse.order, (move.target - move.origin) % 64)
            masks[alike] = masks.get(alike, 0) | sum(1 << lane + move.origin for lane in range(0, 64, self.word_bits))
        sources = [np.zeros(0, np.uint16)]
        for lines in by_class:
            known = keys(lines, kinds)
            for order, _ in masks:
                letters = [source - first for source in order[first : first + lines.shape[1]]]
                sources.append(np.searchsorted(known, keys(lines[:, letters], kinds)).astype(np.uint16))
        return Moves(
            np.cumsum([0, *(len(masks) * len(lines) for lines in by_class)]),
            np.concatenate(sources),
            np.array(list(masks.values()), np.uint64),
            np.array([turn for _, turn in masks], np.uint64),
        )

    def _crossing(self, moves: list[Rearrangement]) -> Crossing:
        begins, sources, lengths = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        done = 0
        for move in moves:
            stop = move.window[1]
            lines, left = words(stop, self.game.pieces)
            start = _starts(left)
            known = keys(lines, len(self.game.pieces))
            come = np.searchsorted(known, keys(lines[:, move.inverse.order[:stop]], len(self.game.pieces)))
            sources.append(start[come])
            lengths.append(_sizes(left))
            begins.append(done + np.append(np.searchsorted(start, self.matrices.start), len(lines)))
            done += len(lines)
        return Crossing(
            np.array(begins, np.int64).reshape(len(moves), len(self.matrices.start) + 1),
            np.concatenate(sources),
            np.concatenate(lengths),
            np.array([move.origin for move in moves], np.uint64),
            np.array([move.target for move in moves], np.uint64),
        )


def _cut(game: Sequences) -> int:
    """Return the length of the head with the smallest classes; among equals, with the fewest runs."""
    crossing = {
        cut: [move.window[1] for move in game.moves if move.window[0] < cut < move.window[1]]
        for cut in range(1, game.n)
    }
    runs = {
        stop: sum(class_sizes(stop, game.pieces).values())
        for stop in {stop for one in crossing.values() for stop in one}
    }

    def lines(cut: int) -> int:
        return max(max(class_sizes(length, game.pieces).values()) for length in (cut, game.n - cut))

    fit = [
        cut for cut in crossing if lines(cut) <= MOST_LINES and all(runs[stop] <= MOST_RUNS for stop in crossing[cut])
    ]
    if not fit:
        raise BadRequest(
            f"{game.pieces} equal pieces: no cut leaves halves of at most {MOST_LINES:,} arrangements of the same pieces, "
            f"and moves between them of at most {MOST_RUNS:,} runs"
        )
    return min(fit, key=lambda cut: (lines(cut), sum(runs[stop] for stop in crossing[cut])))


def _sizes(left: Array) -> Array:
    """Return the number of continuations of words, given the pieces `left` after each: [words, kinds]."""
    left_by_class, members = classes(left)
    sizes: Array = np.array([multinomial(counts) for counts in map(tuple, left_by_class.tolist())], np.int64)
    found: Array = sizes[members]
    return found


def _starts(left: Array) -> Array:
    """Return the number of each word's first continuation, given the pieces `left` after each: [words, kinds]."""
    sizes = _sizes(left)
    found: Array = np.cumsum(sizes) - sizes
    return found
