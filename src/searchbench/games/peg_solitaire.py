"""Peg solitaire on any board: a peg jumps over a neighbour into a hole and removes the neighbour (Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from searchbench.errors import BadState
from searchbench.families.pegs import (
    BOARDS,
    HOLE,
    PEG,
    PegBoard,
    colourings,
    digits_of_pegs,
    images,
    jump_shapes,
    read_pegs,
    symmetries,
)
from searchbench.game import Board, Game
from searchbench.index import Combination, Part, Sum
from searchbench.index.bitboard import LARGEST, Bitboards
from searchbench.index.digits import Digits
from searchbench.jit import popcount
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class PegSolitaire(Game):
    """Jump until only the pegs of the goal are left: by default those in the initial holes.

    `layout` is the name of a board (english, european, german, diamond, triangle), or a drawing with "/" between the
    rows: "o" a peg, "-" a hole, both the opposite at the end; "x" a peg and "+" a hole at both start and end; other
    characters are off the board. Jumps go in 4 `directions`, or in 6 (also from the upper left to the lower right: a
    triangular board is drawn as a staircase), or in 8. With `symmetry` rotated or reflected positions share a number. A
    state is one word with a bit for each cell.
    """

    name: ClassVar[str] = "peg-solitaire"
    dtype: ClassVar[Any] = np.int64
    consistent: ClassVar[bool] = True

    layout: str = "english"
    directions: int = 4
    symmetry: bool = False

    def __post_init__(self) -> None:
        if self.directions not in {4, 6, 8}:
            raise ValueError(f"jumps in {self.directions} directions: expected 4, or 6 as on a triangle, or 8")
        if not (len(self.cells.places) <= 62 and 1 <= popcount(self.cells.goal) <= popcount(self.cells.start)):
            raise ValueError(f"board {self.layout!r}: expected 1 to 62 cells, and at least as many pegs as at the end")

    @property
    def called(self) -> str:
        """Return the name with the board, and what is unusual."""
        board = {"english": "English", "european": "European", "german": "German"}.get(
            self.layout, self.layout if self.layout in BOARDS else "own"
        )
        jumps = f", jumps in {self.directions} directions" * (self.directions != 4)
        return f"Peg solitaire, {board} board{jumps}{', symmetric positions as one' * self.symmetry}"

    @property
    def locality(self) -> int:
        """Return 0: every move removes a peg, so the number of pegs gives the depth."""
        return 0

    @property
    def cells(self) -> PegBoard:
        """Return the board."""
        return read_pegs(BOARDS.get(self.layout, self.layout))

    @property
    def width(self) -> int:
        """Return one: a word of pegs."""
        return 1

    @property
    def max_moves(self) -> int:
        """Return the number of lines of three cells: at most one jump is possible in each."""
        return max(1, sum(popcount(shape.lines) for shape in jump_shapes(self.cells, self.directions)))

    def index(self) -> Sum:
        """Return an index of the positions with one peg, then those with two, and so on up to the start's number."""
        cells, most = len(self.cells.places), popcount(self.cells.start)
        return Sum({_part(pegs): Combination(cells, pegs) for pegs in range(1, most + 1)}, pegs_but_one)

    def parts(self) -> list[Part]:
        """Return one part per number of pegs; it needs the part with one peg less."""
        pegs = range(1, popcount(self.cells.start) + 1)
        return self.index().parts({_part(count): (_part(count - 1),) if count > 1 else () for count in pegs})

    def digits(self) -> Digits | None:
        """Return the rows as digits, of which each jump changes some; none where symmetric positions share a number."""
        return None if self.symmetry else digits_of_pegs(self.cells, self.directions)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is the three bits that change, so that it is its own inverse."""
        board = self.cells
        shapes = jump_shapes(board, self.directions)
        count_shapes = len(shapes)
        over = np.array([shape.over for shape in shapes], np.int64)
        far = np.array([shape.far for shape in shapes], np.int64)
        lines = np.array([shape.lines for shape in shapes], np.int64)
        first, goal = board.start, board.goal
        least = popcount(goal)
        full = (1 << len(board.places)) - 1

        def start(state: State) -> None:
            state[0] = first

        def terminal(state: State) -> int:
            return 0 if state[0] == goal else UNDECIDED

        def jumps(word: int, jumped: int, out: MutableSequence[int]) -> int:
            # A jump needs a peg at exactly one end of three in a row, and in the middle (where `jumped` has the bits).
            count = 0
            for shape in range(count_shapes):
                found = (word ^ (word >> far[shape])) & (jumped >> over[shape]) & lines[shape]
                while found != 0:
                    lowest = found & -found
                    out[count] = lowest | lowest << over[shape] | lowest << far[shape]
                    count += 1
                    found ^= lowest
            return count

        def moves(state: State, out: MutableSequence[int]) -> int:
            return jumps(state[0], state[0], out)

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            return jumps(state[0], ~state[0], out)

        def play(state: State, move: int) -> None:
            state[0] ^= move

        def dual(state: State) -> None:
            state[0] ^= full

        def h(state: State, tables: Any) -> int:
            return max(popcount(state[0]) - least, 0)

        def h_step(state: State, move: int, tables: Any) -> int:
            return -1 if popcount(state[0]) > least else 0

        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play, "unmoves": unmoves,
            "h": h, "h_step": h_step, "solvable": self._solvable(),
        }  # fmt: skip
        if first ^ goal == full:
            functions["reversal"] = dual
        if len(board.places) <= LARGEST:  # the index's own functions are faster
            numbering = Bitboards(len(board.places), 1, popcount(first)).all_functions()
            functions |= zip(("rank", "unrank", "unrank_next"), numbering, strict=True)
        return functions | (self._turns() if self.symmetry else {})

    def _solvable(self) -> Callable[[State], bool]:
        """Return the rule of three: if each jump touches each of three colours, their pegs keep or change parity together."""
        goal = self.cells.goal
        colours = np.array(colourings(self.cells, self.directions), np.int64).reshape(-1, 3)
        count = len(colours)

        def solvable(state: State) -> bool:
            wrong = state[0] ^ goal
            for colouring in range(count):
                one = popcount(wrong & colours[colouring, 0])
                two = popcount(wrong & colours[colouring, 1])
                three = popcount(wrong & colours[colouring, 2])
                if ((one ^ two) | (one ^ three)) & 1:
                    return False
            return True

        return solvable

    @property
    def symmetries(self) -> int:
        """Return the symmetries of the board, where symmetric positions share a number."""
        return len(symmetries(self.cells, self.directions)) if self.symmetry else 1

    def _turns(self) -> dict[str, Callable[..., Any]]:
        """Return the rules `image_under` and `canonical`, which takes the least image of a word."""
        board = self.cells
        identity = list(range(len(board.places)))
        ways = sorted(symmetries(board, self.directions), key=lambda way: list(way) != identity)  # the identity first
        table = images(ways, len(board.places))
        count, size = table.shape[:2]

        def image(word: int, symmetry: int) -> int:
            """Return the image of a word, assembled from the images of its bytes."""
            found = 0
            for byte in range(size):
                found |= table[symmetry, byte, (word >> 8 * byte) & 255]
            return found

        def image_under(state: State, symmetry: int) -> None:
            state[0] = image(state[0], symmetry)

        def canonical(state: State) -> None:
            word = least = state[0]
            for symmetry in range(count):
                least = min(least, image(word, symmetry))
            state[0] = least

        return {"canonical": canonical, "image_under": image_under}

    def parse(self, text: str) -> list[int]:
        """Read the cells row by row: "o" a peg, "-" a hole, with "/" between the rows."""
        marks = [mark for mark in text.strip().lower() if mark not in "/ "]
        if len(marks) != len(self.cells.places) or not {*marks} <= {PEG, HOLE}:
            raise BadState(
                f"{self}: {text!r}: expected a peg (o) or a hole (-) for each cell of {self.format(self.start())!r}"
            )
        return [sum(1 << cell for cell, mark in enumerate(marks) if mark == PEG)]

    def format(self, state: Sequence[int]) -> str:
        """Return the cells row by row: "o" a peg, "-" a hole, with "/" between the rows."""
        rows: dict[int, str] = {}
        for cell, (_, row) in enumerate(self.cells.places):
            rows[row] = rows.get(row, "") + (PEG if state[0] >> cell & 1 else HOLE)
        return "/".join(rows.values())

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the cells that the peg leaves and reaches, such as "d6-d4": columns a, b, ... and rows from below."""
        names = self._names()
        return "-".join(names[cell] for cell in self.clicks(state, move))

    def _names(self) -> tuple[str, ...]:
        bottom = max(row for _, row in self.cells.places)
        return tuple(f"{chr(ord('a') + column)}{bottom - row + 1}" for column, row in self.cells.places)

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the cells that the peg leaves and reaches."""
        low, _, high = (cell for cell in range(move.bit_length()) if move >> cell & 1)
        return [low, high] if state[0] >> low & 1 else [high, low]

    def board(self) -> Board:
        """Return the cells as in the drawing; those of a triangular board as a pyramid."""
        slant = 0.5 if self.directions == 6 else 0.0
        places = tuple((column - slant * row, float(row)) for column, row in self.cells.places)
        return Board(places, shape="peg", names=self._names())

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the pegs."""
        return [PEG if state[0] >> cell & 1 else "" for cell in range(len(self.cells.places))]

    def known(self) -> Mapping[str, Any]:
        """Return the number of positions, and for solved boards the number at each distance from the goal.

        Edelkamp's table 0.4 counts from the start of the English board, with an error of one in the total and for 31
        holes. Exchanging pegs and holes exchanges start and goal, so the counts by distance from the goal are the same.
        """
        found: dict[str, Any] = {} if self.symmetry else {"states": self.index().size}
        counts = COUNTS.get((self.layout, self.directions, self.symmetry))
        if counts is not None:
            deepest = len(counts) - 1
            found |= {"reachable": sum(counts), "start": str(deepest), "deepest": deepest}
            found["histogram"] = dict(enumerate(counts))
        return found


def pegs_but_one(state: State) -> int:
    """Return the number of pegs less one: the part of the index to which a position belongs."""
    return popcount(state[0]) - 1


def _part(pegs: int) -> str:
    return f"{pegs} pegs" if pegs > 1 else "1 peg"


COUNTS = {
    ("english", 4, False): (
        1, 4, 12, 60, 296, 1338, 5648, 21842, 77559, 249690, 717788, 1834379, 4138302, 8171208, 14020166, 20773236,
        26482824, 28994876, 27286330, 22106348, 15425572, 9274496, 4792664, 2120101, 800152, 255544, 68236, 14727, 2529,
        334, 32, 5,
    ),
    ("english", 4, True): (
        1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312, 89927, 229614, 517854, 1022224, 1753737, 2598215, 3312423, 3626632,
        3413313, 2765623, 1930324, 1160977, 600372, 265865, 100565, 32250, 8688, 1917, 348, 50, 7, 2,
    ),
    ("triangle", 6, False): (1, 2, 8, 35, 122, 293, 530, 679, 623, 414, 212, 75, 18, 4),
    ("triangle", 6, True): (1, 1, 4, 19, 62, 149, 268, 344, 317, 215, 112, 39, 10, 3),
}  # fmt: skip
"""By layout, directions, and whether symmetric positions count once (OEIS A112737)."""
