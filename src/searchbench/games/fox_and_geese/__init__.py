"""Fox and geese on the board of 33 points, by the number of geese (Edelkamp 2017, table 0.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.board import counted
from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.games.fox_and_geese.board import (
    ADJACENT,
    ALL,
    EDGES,
    FOX,
    GEESE,
    HOMES,
    JUMPS,
    PLACES,
    POINT_OF,
    POINTS,
    TURN,
    WAYS,
    add_goose_steps,
    add_jumps,
    add_steps,
    can_jump,
    goose_can_step,
)
from searchbench.games.fox_and_geese.numbering import numbering
from searchbench.index import Part
from searchbench.jit import popcount
from searchbench.rules import UNDECIDED, State

FEWEST: Final = 4
"""Fewer geese cannot trap the fox."""
NAMES: Final = [f"{'abcdefg'[column]}{7 - row}" for column, row in PLACES]
SIDES: Final = ("geese", "fox")
FIRST_GEESE: Final = [*range(15), 18, 19]
FIRST_FOX: Final = POINT_OF[3, 5]


@dataclass(frozen=True)
class FoxAndGeese(Game):
    """Trap the fox with `geese` geese; the fox captures geese by jumps and wins when too few are left to trap it.

    Every piece moves along a line to an adjacent free point; the fox may instead jump over one goose to the free point
    behind it, and captures it. A player who cannot move loses. With fewer than four geese the fox has won; if
    `decisive`, it wins with its first capture. If `forced`, it must capture where possible. Positions that neither side
    can force are draws.

    A state consists of the fox's point, a word of the geese's points, and the turn. Rotated or reflected positions
    share a number. Of the states in table 0.7, 40, 1,280 and 21,380 are won for 4, 5 and 6 geese: by these rules,
    whether captures are forced or decisive or neither. For 7 geese these rules give 920,980, with forced captures
    923,044, and with decisive ones 918,236, the nearest to the printed 918,195; for 8 geese decisive captures give
    6,381,580 and the paper has 6,381,436. The printed numbers of 7 and 9 geese are odd. No position with 7 or 9 geese
    is fixed by all symmetries of the board, so no rules that treat its four sides alike give an odd number.
    """

    name: ClassVar[str] = "fox-and-geese"
    sides: ClassVar[tuple[str, str]] = ("the goose player", "the fox player")
    dtype: ClassVar[Any] = np.int64
    values: ClassVar[str] = "outcome"
    closed: ClassVar[bool] = False

    geese: int = 13
    decisive: bool = False
    forced: bool = False

    def __post_init__(self) -> None:
        if not FEWEST <= self.geese <= POINTS - 2:
            raise ValueError(f"{self.geese} geese: expected {FEWEST} to {POINTS - 2}")

    @property
    def called(self) -> str:
        """Return the name with the number of geese, and what is unusual."""
        unusual = ", captures decide" * self.decisive + ", captures are forced" * self.forced
        return f"Fox and geese, {self.geese} geese{unusual}"

    @property
    def width(self) -> int:
        """Return three: the fox, the geese, the turn."""
        return 3

    @property
    def max_moves(self) -> int:
        """Return a bound: the lines by which geese can leave their points, or steps and jumps of the fox."""
        return max(2 * len(WAYS), min(len(WAYS) * self.geese, len(EDGES)))

    @property
    def least(self) -> int:
        """Return the smallest number of geese with which the game continues."""
        return self.geese if self.decisive else FEWEST

    def parts(self) -> list[Part]:
        """Return one part per number of geese; a capture leads to the part before."""
        found: list[Part] = []
        for geese in range(self.least, self.geese + 1):
            start = found[-1].stop if found else 0
            needs = (str(geese), *(part.name for part in found[-1:]))
            found.append(Part(str(geese), start, start + len(HOMES) * 2 * comb(POINTS - 1, geese), needs))
        return found

    def called_part(self, part: str) -> str:
        """Return the number of geese in words."""
        return counted(part, "goose", "geese")

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from | to << 6 | (captured + 1) << 12``, with 0 there if no goose is captured."""
        geese, least, forced = self.geese, self.least, self.forced
        points = [*FIRST_GEESE, *(point for point in range(POINTS) if point not in {*FIRST_GEESE, FIRST_FOX})]
        first_geese = sum(1 << point for point in points[:geese])

        def start(state: State) -> None:
            state[FOX] = FIRST_FOX
            state[GEESE] = first_geese
            state[TURN] = 0

        def terminal(state: State) -> int:
            fox, word = int(state[FOX]), int(state[GEESE])
            if popcount(word) < least:
                return 1 if state[TURN] == 1 else -1
            if state[TURN] == 1:
                return UNDECIDED if ADJACENT[fox] & ~word != 0 or can_jump(fox, word) else -1
            return UNDECIDED if goose_can_step(fox, word) else -1

        def moves(state: State, out: MutableSequence[int]) -> int:
            fox, word = int(state[FOX]), int(state[GEESE])
            if state[TURN] == 0:
                return add_goose_steps(out, fox, word, False)
            count = add_jumps(out, fox, word)
            return count if forced and count > 0 else add_steps(out, count, fox, ALL & ~word, False)

        def conversions(state: State, out: MutableSequence[int]) -> int:
            return add_jumps(out, int(state[FOX]), int(state[GEESE])) if state[TURN] == 1 else 0

        def play(state: State, move: int) -> None:
            if state[TURN] == 1:
                state[FOX] = (move >> 6) & 63
                state[GEESE] ^= (1 << (move >> 12)) >> 1
            else:
                state[GEESE] ^= 1 << (move & 63) | 1 << ((move >> 6) & 63)
            state[TURN] ^= 1

        def unplay(state: State, move: int) -> None:
            state[TURN] ^= 1
            if state[TURN] == 1:
                state[FOX] = move & 63
                state[GEESE] ^= (1 << (move >> 12)) >> 1
            else:
                state[GEESE] ^= 1 << (move & 63) | 1 << ((move >> 6) & 63)

        def unmoves_within(state: State, out: MutableSequence[int]) -> int:
            fox, word = int(state[FOX]), int(state[GEESE])
            if popcount(word) < least:
                return 0
            if state[TURN] == 1:
                return add_goose_steps(out, fox, word, True)
            count = add_steps(out, 0, fox, ALL & ~word, True)
            if not forced:
                return count
            kept = 0
            for index in range(count):
                if not can_jump(out[index] & 63, word):
                    out[kept] = out[index]
                    kept += 1
            return kept

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            count = unmoves_within(state, out)
            fox, word = int(state[FOX]), int(state[GEESE])
            if state[TURN] == 1 or popcount(word) == geese or popcount(word) < least - 1:
                return count
            for place in range(JUMPS.shape[1]):  # a jump back, over a captured goose
                over, back = JUMPS[fox, place]
                if over >= 0 and (word >> over) & 1 == 0 and (word >> back) & 1 == 0:
                    out[count] = back | fox << 6 | (over + 1) << 12
                    count += 1
            return count

        return {
            "start": start, "terminal": terminal, "moves": moves, "conversions": conversions, "play": play,
            "unplay": unplay, "unmoves": unmoves, "unmoves_within": unmoves_within, **numbering(least, geese),
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top, F the fox, G a goose, . a free point, then the side to move: "fox" or "geese"."""
        rows, _, turn = text.strip().partition(" ")
        marks = rows.replace("/", "").upper()
        number = marks.count("G")
        if len(marks) != POINTS or marks.count("F") != 1 or set(marks) - set("FG.") or turn.strip() not in SIDES:
            raise BadState(f"{self}: {text!r}: expected rows and a side to move such as {self.format(self.start())!r}")
        if not self.least - 1 <= number <= self.geese:
            raise BadState(f"{self}: {text!r} has {number} geese, which is no part of this game")
        word = sum(1 << point for point, mark in enumerate(marks) if mark == "G")
        return [marks.index("F"), word, SIDES.index(turn.strip())]

    def format(self, state: Sequence[int]) -> str:
        """Return the rows from the top, F the fox, G a goose, . a free point, then the side to move: "fox" or "geese"."""
        rows: dict[int, str] = {}
        for (_, row), piece in zip(PLACES, self.pieces(state), strict=True):
            rows[row] = rows.get(row, "") + (piece or ".")
        return f"{'/'.join(rows.values())} {SIDES[state[TURN]]}"

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move such as "d2-d3" or "d2-d4xd3": columns a to g, rows from below."""
        taken = f"x{NAMES[(move >> 12) - 1]}" if move >> 12 else ""
        return f"{NAMES[move & 63]}-{NAMES[(move >> 6) & 63]}{taken}"

    def board(self) -> Board:
        """Return the points and the lines between them."""
        cells = tuple((float(column), float(row)) for column, row in PLACES)
        return Board(cells, tuple(EDGES), "point", ("G", "F"), names=tuple(NAMES), words=(("G", "goose"), ("F", "fox")))

    def mover(self, state: Sequence[int]) -> int:
        """Return 0 where the geese move, 1 where the fox does."""
        return int(state[TURN])

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return F for the fox and G for geese."""
        return ["F" if point == state[FOX] else "G" if state[GEESE] >> point & 1 else "" for point in range(POINTS)]

    def known(self) -> Mapping[str, Any]:
        """Return the number of positions with four geese up to symmetry (2,373,360 in all), and the longest win."""
        return (
            {"states": 297892, "deepest": 15} if (self.geese, self.decisive, self.forced) == (4, False, False) else {}
        )
