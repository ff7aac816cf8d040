"""Fox and geese on the board of 33 points, by the number of geese (Edelkamp 2017, table 0.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.families.pegs import BOARDS, images, read_pegs, symmetries
from searchbench.game import Board, Game
from searchbench.index import Part
from searchbench.index.bitboard import Bitboards
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import NOWHERE, UNDECIDED, State

# --- the board: its points row by row from the top ----------------------------------------------------------------------

CROSS: Final = read_pegs(BOARDS["english"])
PLACES: Final = CROSS.places
POINTS: Final = len(PLACES)
POINT_OF: Final = {place: point for point, place in enumerate(PLACES)}
WAYS: Final = [(right, down) for down in (-1, 0, 1) for right in (-1, 0, 1) if (right, down) != (0, 0)]
"""Straight lines join all neighbours, slanting ones only the points whose column and row are both even or both odd."""


def _far(point: int, way: tuple[int, int], steps: int) -> int:
    """Return the point so many steps along a line, or -1 where there is none."""
    (column, row), (right, down) = PLACES[point], way
    if right and down and (column + row) % 2:
        return -1
    return POINT_OF.get((column + steps * right, row + steps * down), -1)


LINES: Final = [
    [(_far(point, way, 1), _far(point, way, 2)) for way in WAYS if _far(point, way, 1) >= 0] for point in range(POINTS)
]
"""Of each point the neighbours, and the point behind each, or -1."""
ALL: Final = (1 << POINTS) - 1
EDGES: Final = [(point, end) for point in range(POINTS) for end, _ in LINES[point] if point < end]
ADJACENT: Final = np.array([sum(1 << end for end, _ in lines) for lines in LINES], np.int64)
JUMPS: Final = np.full((POINTS, len(WAYS), 2), -1, np.int64)
for _point, _lines in enumerate(LINES):
    for _place, _jump in enumerate((over, to) for over, to in _lines if to >= 0):
        JUMPS[_point, _place] = _jump

# --- symmetries ---------------------------------------------------------------------------------------------------------

TURNS: Final = sorted(symmetries(CROSS, 8))  # the first moves nothing
IMAGES: Final = images(TURNS, POINTS)
HOMES: Final = sorted({min(turn[point] for turn in TURNS) for point in range(POINTS)})
"""The points on which the fox of a representative stands."""
HOME: Final = np.array([HOMES.index(min(turn[point] for turn in TURNS)) for point in range(POINTS)], np.int64)
HOME_POINT: Final = np.array(HOMES, np.int64)
INWARD: Final = np.array(
    [next(place for place, turn in enumerate(TURNS) if turn[point] in HOMES) for point in range(POINTS)], np.int64
)
"""Of each point a symmetry that leads to its home."""
FIXING: Final = np.array([[turn[home] == home for turn in TURNS] for home in HOMES], np.bool_)

FEWEST: Final = 4
"""Fewer geese cannot hem the fox in."""
FOX, GEESE, TURN = 0, 1, 2
"""The cells of a state: the fox's point, the word of the geese's points, and whose turn it is (1: the fox's)."""
NAMES: Final = [f"{'abcdefg'[column]}{7 - row}" for column, row in PLACES]
SIDES: Final = ("geese", "fox")
FIRST_GEESE: Final = [*range(13), 13, 14, 18, 19]
FIRST_FOX: Final = POINT_OF[3, 5]


def image(geese: int, turn: int) -> int:
    """Return where a symmetry takes some geese."""
    moved = IMAGES[turn, 0, geese & 255] | IMAGES[turn, 1, (geese >> 8) & 255] | IMAGES[turn, 2, (geese >> 16) & 255]
    return int(moved | IMAGES[turn, 3, (geese >> 24) & 255] | IMAGES[turn, 4, geese >> 32])


def can_jump(fox: int, geese: int) -> bool:
    """Tell whether the fox can capture."""
    for place in range(JUMPS.shape[1]):
        over, to = JUMPS[fox, place]
        if over >= 0 and (geese >> over) & 1 == 1 and (geese >> to) & 1 == 0:
            return True
    return False


def add_jumps(out: MutableSequence[int], fox: int, geese: int) -> int:
    """Write the fox's captures; return how many there are."""
    count = 0
    for place in range(JUMPS.shape[1]):
        over, to = JUMPS[fox, place]
        if over >= 0 and (geese >> over) & 1 == 1 and (geese >> to) & 1 == 0:
            out[count] = fox | to << 6 | (over + 1) << 12
            count += 1
    return count


def add_steps(out: MutableSequence[int], count: int, piece: int, free: int, backwards: bool) -> int:
    """Add the steps of a piece to the free points next to it, or those from there to it; return the new number."""
    points = ADJACENT[piece] & free
    while points != 0:
        point = trailing_zeros(points)
        points &= points - 1
        out[count] = point | piece << 6 if backwards else piece | point << 6
        count += 1
    return count


def add_goose_steps(out: MutableSequence[int], fox: int, geese: int, backwards: bool) -> int:
    """Write the steps of all geese, or those that can have brought one where it is; return how many there are."""
    free = ALL & ~(geese | 1 << fox)
    count = 0
    rest = geese
    while rest != 0:
        count = add_steps(out, count, trailing_zeros(rest), free, backwards)
        rest &= rest - 1
    return count


def goose_can_step(fox: int, geese: int) -> bool:
    """Tell whether any goose can move."""
    free = ALL & ~(geese | 1 << fox)
    while free != 0:
        if ADJACENT[trailing_zeros(free)] & geese != 0:
            return True
        free &= free - 1
    return False


def least_image(home: int, geese: int) -> int:
    """Return the smallest image of some geese under the symmetries that leave the fox at home."""
    least = geese
    for turn in range(1, len(IMAGES)):
        if FIXING[home, turn]:
            least = min(least, image(geese, turn))
    return least


@dataclass(frozen=True)
class FoxAndGeese(Game):
    """Hem the fox in with `geese` geese; the fox jumps over geese and wins when too few are left to hem it in.

    Every piece moves along a line to a free point next to it; the fox may instead jump over one goose to the free point
    behind it, and takes it. Who cannot move loses. With fewer than four geese the fox has won; if `decisive`, it has won
    with its first capture. If `forced`, it must capture where it can. What neither side can force is a draw.

    A state is the fox's point, a word of the geese's, and the turn. Positions that are turned or mirrored share a number.
    Of the states in table 0.7, 40, 1,280 and 21,380 are won for 4, 5 and 6 geese: by these rules, whether captures are
    forced or decisive or neither. For 7 geese these rules give 920,980, with forced captures 923,044, and with decisive ones
    918,236, the nearest to the printed 918,195; for 8 geese decisive captures give 6,381,580 and the paper has 6,381,436.
    The printed numbers of 7 and 9 geese are odd. No position with so many is its own image under all symmetries of the
    board, so no rules that treat its four sides alike give an odd number.
    """

    name: ClassVar[str] = "fox-and-geese"
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
    def width(self) -> int:
        """Return three: the fox, the geese, the turn."""
        return 3

    @property
    def max_moves(self) -> int:
        """Return a bound: the lines that geese can leave their points by, or steps and jumps of the fox."""
        return max(2 * len(WAYS), min(len(WAYS) * self.geese, len(EDGES)))

    @property
    def least(self) -> int:
        """Return with how many geese the game still goes on."""
        return self.geese if self.decisive else FEWEST

    def parts(self) -> list[Part]:
        """Return one part for each number of geese; a capture leads to the one before."""
        found: list[Part] = []
        for geese in range(self.least, self.geese + 1):
            start = found[-1].stop if found else 0
            needs = (str(geese), *(part.name for part in found[-1:]))
            found.append(Part(str(geese), start, start + len(HOMES) * 2 * comb(POINTS - 1, geese), needs))
        return found

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from | to << 6 | (captured + 1) << 12``, with 0 there if no goose is taken."""
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

        def leaving_moves(state: State, out: MutableSequence[int]) -> int:
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

        def staying_unmoves(state: State, out: MutableSequence[int]) -> int:
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
            count = staying_unmoves(state, out)
            fox, word = int(state[FOX]), int(state[GEESE])
            if state[TURN] == 1 or popcount(word) == geese or popcount(word) < least - 1:
                return count
            for place in range(JUMPS.shape[1]):  # the way back is a jump's, too
                over, back = JUMPS[fox, place]
                if over >= 0 and (word >> over) & 1 == 0 and (word >> back) & 1 == 0:
                    out[count] = back | fox << 6 | (over + 1) << 12
                    count += 1
            return count

        return {
            "start": start, "terminal": terminal, "moves": moves, "leaving_moves": leaving_moves, "play": play,
            "unplay": unplay, "unmoves": unmoves, "staying_unmoves": staying_unmoves, **numbering(least, geese),
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the rows from the top, F the fox, G a goose, . a free point, then who is to move: "fox" or "geese"."""
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
        """Return the rows from the top, F the fox, G a goose, . a free point, then who is to move: "fox" or "geese"."""
        rows: dict[int, str] = {}
        for (_, row), piece in zip(PLACES, self.pieces(state), strict=True):
            rows[row] = rows.get(row, "") + (piece or ".")
        return f"{'/'.join(rows.values())} {SIDES[state[TURN]]}"

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move as in "d2-d3" or "d2-d4xd3": columns a to g, rows from below."""
        taken = f"x{NAMES[(move >> 12) - 1]}" if move >> 12 else ""
        return f"{NAMES[move & 63]}-{NAMES[(move >> 6) & 63]}{taken}"

    def board(self) -> Board:
        """Return the points and the lines between them."""
        return Board(tuple((float(column), float(row)) for column, row in PLACES), tuple(EDGES), "point")

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return F for the fox and G for geese."""
        return ["F" if point == state[FOX] else "G" if state[GEESE] >> point & 1 else "" for point in range(POINTS)]

    def known(self) -> Mapping[str, Any]:
        """Return the positions with four geese up to symmetry (2,373,360 in all), and the longest way to win one."""
        return (
            {"states": 297892, "deepest": 15} if (self.geese, self.decisive, self.forced) == (4, False, False) else {}
        )


def numbering(least: int, most: int) -> dict[str, Callable[..., Any]]:
    """Return the index functions: by the number of geese, the fox's home, the turn, and the geese beside the fox."""
    rank_word, unrank_word = Bitboards(POINTS - 1, least, most).functions(GEESE)
    widths = np.array([comb(POINTS - 1, geese) for geese in range(least, most + 1)], np.int64)
    starts = np.cumsum(2 * len(HOMES) * widths) - 2 * len(HOMES) * widths
    begins = np.cumsum(widths) - widths

    def number(scratch: State, home: int, turn: int, geese: int) -> int:
        row = popcount(geese) - least
        if row < 0 or row >= len(widths):
            return NOWHERE
        fox = HOME_POINT[home]
        scratch[GEESE] = geese & ((1 << fox) - 1) | geese >> (fox + 1) << fox
        return int(starts[row] + (2 * home + turn) * widths[row] + rank_word(scratch) - begins[row])

    def rank(state: State) -> int:
        geese = int(state[GEESE])
        found = number(state, HOME[state[FOX]], state[TURN], image(geese, INWARD[state[FOX]]))
        state[GEESE] = geese
        return found

    def canonical(state: State) -> None:
        home = HOME[state[FOX]]
        state[GEESE] = least_image(home, image(int(state[GEESE]), INWARD[state[FOX]]))
        state[FOX] = HOME_POINT[home]

    def class_rank(state: State, scratch: State) -> int:
        home = HOME[state[FOX]]
        geese = least_image(home, image(int(state[GEESE]), INWARD[state[FOX]]))
        return number(scratch, home, state[TURN], geese)

    def stabilizer(state: State) -> int:
        home = HOME[state[FOX]]
        geese = image(int(state[GEESE]), INWARD[state[FOX]])
        count = 0
        for turn in range(len(IMAGES)):
            if FIXING[home, turn] and image(geese, turn) == geese:
                count += 1
        return count

    def unrank(place: int, state: State) -> None:
        row = 0
        while row + 1 < len(starts) and starts[row + 1] <= place:
            row += 1
        left = place - starts[row]
        side = left // widths[row]
        unrank_word(left - side * widths[row] + begins[row], state)
        fox = HOME_POINT[side >> 1]
        word = int(state[GEESE])
        state[GEESE] = word & ((1 << fox) - 1) | word >> fox << (fox + 1)
        state[FOX] = fox
        state[TURN] = side & 1

    return {
        "canonical": canonical, "class_rank": class_rank, "rank": rank, "stabilizer": stabilizer, "unrank": unrank,
    }  # fmt: skip
