"""Nine Men's Morris, the midgame and endgame, by the numbers of men (Gasser 1995, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.index import Part
from searchbench.jit import popcount, trailing_zeros
from searchbench.rules import NOWHERE, UNDECIDED, State

# --- the board: point 8r + p is place p of ring r; places go clockwise from the top left corner, rings from the outermost -

POINTS: Final = 24
ALL: Final = (1 << POINTS) - 1
NAMES: Final = (
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4",
    "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4",
    "c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4",
)  # fmt: skip
MILLS: Final = [
    tuple(8 * ring + (side + step) % 8 for step in range(3)) for ring in range(3) for side in (0, 2, 4, 6)
] + [tuple(8 * ring + place for ring in range(3)) for place in (1, 3, 5, 7)]
EDGES: Final = tuple(edge for a, b, c in MILLS for edge in ((a, b), (b, c)))
DEGREES: Final = sorted((sum(point in edge for edge in EDGES) for point in range(POINTS)), reverse=True)


def _masks() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    partners = np.zeros((POINTS, 2), np.int64)
    adjacent = np.zeros(POINTS, np.int64)
    for point in range(POINTS):
        partners[point] = [sum(1 << other for other in mill if other != point) for mill in MILLS if point in mill]
        adjacent[point] = sum(1 << a + b - point for a, b in EDGES if point in (a, b))
    return partners, adjacent


PARTNERS, ADJACENT = _masks()
"""The other two points of each of a point's two mills, and the points next to it, as bits."""

# --- symmetries: element 8o + d turns every ring by d and then puts ring r in the place of ring ORDERS[o][r] --------------

ORDERS: Final = np.array([(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)], np.int64)
TURNS: Final = np.array(
    [
        [sum(1 << (sign * place + turn) % 8 for place in range(8) if ring >> place & 1) for ring in range(256)]
        for sign in (1, -1)
        for turn in (0, 2, 4, 6)
    ],
    np.int64,
)
BOARD_SYMMETRIES: Final = 16
RING_SYMMETRIES: Final = 48
"""Where everybody jumps the rings are alike; that is so as long as no part with more men has to be looked back at."""


def image(men: int, element: int) -> int:
    """Return where a symmetry takes some men."""
    turn, order = element & 7, element >> 3
    moved = TURNS[turn, men & 255] << (8 * ORDERS[order, 0])
    moved |= TURNS[turn, (men >> 8) & 255] << (8 * ORDERS[order, 1])
    moved |= TURNS[turn, men >> 16] << (8 * ORDERS[order, 2])
    return int(moved)


class Placements(NamedTuple):
    """Hold the placements of some men under a group.

    Of each placement: its orbit, and an element that leads to the representative. Of each orbit: the representative,
    which is the smallest as a number, and the elements that leave it as it is, as bits.
    """

    orbit: npt.NDArray[np.int32]
    element: npt.NDArray[np.int8]
    representative: npt.NDArray[np.int64]
    stabilizer: npt.NDArray[np.int64]


@lru_cache(maxsize=16)
def placements(men: int, symmetries: int) -> Placements:
    """Return the placements in the order of `choice_number`."""
    boards = np.sort([sum(1 << point for point in points) for points in combinations(range(POINTS), men)])
    rings = [(boards >> 8 * ring) & 255 for ring in range(3)]
    images = np.array(
        [
            sum(TURNS[element & 7][rings[ring]] << 8 * ORDERS[element >> 3, ring] for ring in range(3))
            for element in range(symmetries)
        ]
    )
    representative, orbit = np.unique(images.min(axis=0), return_inverse=True)
    fixed = images[:, np.searchsorted(boards, representative)] == representative
    stabilizer = (fixed.astype(np.int64) << np.arange(symmetries)[:, None]).sum(axis=0)
    return Placements(orbit.astype(np.int32), images.argmin(axis=0).astype(np.int8), representative, stabilizer)


# --- numbers for placements ---------------------------------------------------------------------------------------------

MOST: Final = 6
"""With more men on a side the tables of placements do not fit compiled code."""
BINOMIALS: Final = np.array([[comb(n, k) for k in range(MOST + 1)] for n in range(POINTS + 1)], np.int64)


def choice_number(men: int, taken: int) -> int:
    """Return the number of a choice of points among those not taken, in the order of the bits read as a number."""
    number = 0
    count = 1
    while men > 0:
        point = trailing_zeros(men)
        number += BINOMIALS[point - popcount(taken & ((1 << point) - 1)), count]
        count += 1
        men &= men - 1
    return int(number)


def choice(number: int, men: int, taken: int) -> int:
    """Return the choice of `men` points with that number."""
    chosen = 0
    free = POINTS - popcount(taken)
    for point in range(POINTS - 1, -1, -1):
        if (taken >> point) & 1 or men == 0:
            continue
        free -= 1
        if number >= BINOMIALS[free, men]:
            number -= BINOMIALS[free, men]
            men -= 1
            chosen |= 1 << point
    return chosen


# --- mills --------------------------------------------------------------------------------------------------------------


def in_mill(men: int, point: int) -> bool:
    """Tell whether a man on a point makes a mill with two of the others."""
    return bool(men & PARTNERS[point, 0] == PARTNERS[point, 0] or men & PARTNERS[point, 1] == PARTNERS[point, 1])


def removable(men: int) -> int:
    """Return the men that may be removed: those in no mill, or all where every man is in one."""
    loose = 0
    rest = men
    while rest > 0:
        point = trailing_zeros(rest)
        if not in_mill(men, point):
            loose |= 1 << point
        rest &= rest - 1
    return loose if loose > 0 else men


# --- the game -------------------------------------------------------------------------------------------------------------


FIRST: Final = ((1, 3, 5, 7, 9, 11), (0, 2, 6, 4, 8, 10))
"""Where men stand at the start; with three each the player to move loses as late as can be."""


@dataclass(frozen=True)
class Morris(Game):
    """Close mills, and with each remove a man; a player with two men left, or without a move, loses.

    `own` and `other` are the most men of the player to move and of the opponent; the states are those with as many, and
    all that captures lead to. A state is two words: the points of the mover's men and those of the opponent's.
    """

    name: ClassVar[str] = "morris"
    dtype: ClassVar[Any] = np.int64
    values: ClassVar[str] = "outcome"
    closed: ClassVar[bool] = False

    own: int = 3
    other: int = 3

    def __post_init__(self) -> None:
        if not (3 <= self.own <= MOST and 3 <= self.other <= MOST):
            raise ValueError(f"{self.own} men against {self.other}: expected 3 to {MOST} on each side")

    @property
    def width(self) -> int:
        """Return two: a word of men for each player."""
        return 2

    @property
    def max_moves(self) -> int:
        """Return a bound: three men jump anywhere and close three mills at most; more men slide, and may all capture."""
        jumps = max(3 * (POINTS - 3 - other) + 3 * (other - 1) for _, other in self.spaces())
        return max([jumps, *(sum(DEGREES[:own]) * other for own, other in self.spaces() if own > 3)])

    @property
    def max_unmoves(self) -> int:
        """Return a bound: each of three men comes from any free point and has removed a man from any other."""
        return 3 * (POINTS - 5) * (POINTS - 6)

    @property
    def symmetries(self) -> int:
        """Return the size of the group: all ring interchanges belong to it only with three men on each side."""
        return RING_SYMMETRIES if self.own == self.other == 3 else BOARD_SYMMETRIES

    def spaces(self) -> list[tuple[int, int]]:
        """Return the numbers of men, the mover's first, that can occur; fewer men first."""
        low, high = sorted((self.own, self.other))
        found = [(a, b) for a in range(3, high + 1) for b in range(3, high + 1) if min(a, b) <= low]
        return sorted(found, key=lambda men: (sum(men), men))

    def parts(self) -> list[Part]:
        """Return one part for each pair of numbers of men, such as "4-3": a quiet move turns it round, a capture less one."""
        spaces, found, start = self.spaces(), [], 0
        for own, other in spaces:
            needs = [f"{a}-{b}" for a, b in ((other, own), (other - 1, own)) if (a, b) in spaces]
            size = len(placements(own, self.symmetries).representative) * comb(POINTS - own, other)
            found.append(Part(f"{own}-{other}", start, start + size, tuple(needs)))
            start += size
        return found

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from | to << 5 | (removed + 1) << 10``, and 0 there if no man is removed."""
        own, other = self.own, self.other
        numbering = _numbering(self)
        space = numbering.pop("space")

        def start(state: State) -> None:
            state[0] = state[1] = 0
            for man in range(own):
                state[0] |= 1 << FIRST[0][man]
            for man in range(other):
                state[1] |= 1 << FIRST[1][man]

        def terminal(state: State) -> int:
            men = popcount(state[0])
            if men < 3:
                return -1
            if men > 3:
                free = ALL & ~(state[0] | state[1])
                rest = int(state[0])
                while rest > 0:
                    if ADJACENT[trailing_zeros(rest)] & free != 0:
                        return UNDECIDED
                    rest &= rest - 1
                return -1
            return UNDECIDED

        def moves(state: State, out: MutableSequence[int]) -> int:
            men = int(state[0])
            free = ALL & ~(men | int(state[1]))
            victims = removable(int(state[1]))
            jumps = popcount(men) == 3
            count = 0
            for quiet in range(2):  # mills first
                rest = men
                while rest > 0:
                    point = trailing_zeros(rest)
                    rest &= rest - 1
                    targets = free if jumps else free & ADJACENT[point]
                    while targets > 0:
                        target = trailing_zeros(targets)
                        targets &= targets - 1
                        closes = in_mill(men ^ (1 << point), target)
                        if quiet == 1 and not closes:
                            out[count] = point | target << 5
                            count += 1
                        if quiet == 0 and closes:
                            count = add_captures(out, count, point | target << 5, victims)
            return count

        def play(state: State, move: int) -> None:
            mover = state[0] ^ (1 << (move & 31)) ^ (1 << ((move >> 5) & 31))
            state[0] = state[1] & ~((1 << (move >> 10)) >> 1)
            state[1] = mover

        def unplay(state: State, move: int) -> None:
            mover = state[1] ^ (1 << (move & 31)) ^ (1 << ((move >> 5) & 31))
            state[1] = state[0] | ((1 << (move >> 10)) >> 1)
            state[0] = mover

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            waiting, men = int(state[0]), int(state[1])
            free = ALL & ~(men | waiting)
            mover, left = popcount(men), popcount(waiting)
            quiet = space(mover, left) >= 0
            capture = space(mover, left + 1) >= 0
            count = 0
            rest = men
            while rest > 0:
                target = trailing_zeros(rest)
                rest &= rest - 1
                closed = in_mill(men, target)
                points = free if mover == 3 else free & ADJACENT[target]
                while points > 0:
                    point = trailing_zeros(points)
                    points &= points - 1
                    if closed and capture:
                        count = add_returns(out, count, point | target << 5, waiting, free ^ (1 << point))
                    if quiet and not closed:
                        out[count] = point | target << 5
                        count += 1
            return count

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
            **numbering,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read W (to move), B or . for each point, ring by ring from the outermost, clockwise from the top left."""
        points = text.replace("/", "").replace(" ", "").upper()
        if len(points) != POINTS or set(points) - set("WB."):
            raise BadState(
                f"{self}: {text!r}: expected three rings of 8 points with W (to move), B or ., such as WWW...B./..."
            )
        own, other = points.count("W"), points.count("B")
        if (own, other) not in self.spaces() and (own != 2 or (other, 3) not in self.spaces()):
            raise BadState(f"{self}: {text!r} has {own} men W and {other} men B, which is no part of this game")
        return [sum(1 << point for point in range(POINTS) if points[point] == man) for man in "WB"]

    def format(self, state: Sequence[int]) -> str:
        """Return W (to move), B or . for each point, with / between the rings."""
        points = "".join(piece or "." for piece in self.pieces(state))
        return "/".join(points[first : first + 8] for first in (0, 8, 16))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move as in "a7-d7" or "a7-d7xg4"."""
        removed = f"x{NAMES[(move >> 10) - 1]}" if move >> 10 else ""
        return f"{NAMES[move & 31]}-{NAMES[(move >> 5) & 31]}{removed}"

    def board(self) -> Board:
        """Return the points on a grid of seven lines, and the lines between them."""
        return Board(
            tuple((float(ord(name[0]) - ord("a")), 7.0 - int(name[1])) for name in NAMES),
            EDGES,
            "point",
            ("W", "B"),
            tuple(range(POINTS)),
        )

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return W for the men of the player to move and B for the opponent's."""
        return ["W" if state[0] >> point & 1 else "B" if state[1] >> point & 1 else "" for point in range(POINTS)]

    def known(self) -> Mapping[str, Any]:
        """Return the states of the 3-3 part, and the plies of its longest loss (Gasser 1995, sections 5.4 and 5.5)."""
        return {"states": 56922, "deepest": 26, "start": "loss 26"} if (self.own, self.other) == (3, 3) else {}


def add_captures(out: MutableSequence[int], count: int, move: int, victims: int) -> int:
    """Write a move once for each man that it may remove; return the new number of moves."""
    while victims > 0:
        out[count] = move | (trailing_zeros(victims) + 1) << 10
        count += 1
        victims &= victims - 1
    return count


def add_returns(out: MutableSequence[int], count: int, move: int, men: int, points: int) -> int:
    """Write a move once for each point from which it may have removed a man; return the new number of moves."""
    while points > 0:
        point = trailing_zeros(points)
        points &= points - 1
        if (removable(men | 1 << point) >> point) & 1:
            out[count] = move | (point + 1) << 10
            count += 1
    return count


def _numbering(game: Morris) -> dict[str, Callable[..., Any]]:
    """Return rank, unrank and canonical, and `space`: the row of a part's tables, or -1.

    A number is the orbit of the mover's men times the choices of the opponent's among the free points (Gasser 1995,
    section 5.4). Where a symmetry leaves the mover's men as they are, some of these numbers are no representatives.
    """
    spaces = game.spaces()
    rows = np.full((MOST + 2, MOST + 2), -1, np.int64)
    for row, men in enumerate(spaces):
        rows[men] = row
    starts = np.array([part.start for part in game.parts()], np.int64)
    widths = np.array([comb(POINTS - own, other) for own, other in spaces], np.int64)
    men_of = np.array(spaces, np.int64)
    counts = sorted({own for own, _ in spaces})
    tables = [placements(men, game.symmetries) for men in counts]
    kinds = [counts.index(own) for own, _ in spaces]
    begins = np.array([sum(len(table.orbit) for table in tables[:kind]) for kind in kinds], np.int64)
    firsts = np.array([sum(len(table.stabilizer) for table in tables[:kind]) for kind in kinds], np.int64)
    orbit, element, representative, stabilizer = (np.concatenate(column) for column in zip(*tables, strict=True))

    def space(own: int, other: int) -> int:
        return int(rows[own, other]) if own <= MOST and other <= MOST else -1

    def canonical(state: State) -> None:
        row = space(popcount(state[0]), popcount(state[1]))
        if row < 0:
            return
        placement = begins[row] + choice_number(int(state[0]), 0)
        turn = int(element[placement])
        least = other = image(int(state[1]), turn)
        fixing = int(stabilizer[firsts[row] + orbit[placement]]) & ~1  # element 0 moves nothing
        while fixing > 0:
            least = min(least, image(other, trailing_zeros(fixing)))
            fixing &= fixing - 1
        state[0] = representative[firsts[row] + orbit[placement]]
        state[1] = least

    def rank(state: State) -> int:
        own, other = int(state[0]), int(state[1])
        row = space(popcount(own), popcount(other))
        if row < 0:
            return NOWHERE
        place = int(orbit[begins[row] + choice_number(own, 0)])
        return int(starts[row]) + place * int(widths[row]) + choice_number(other, own)

    def unrank(number: int, state: State) -> None:
        row = len(starts) - 1
        while starts[row] > number:
            row -= 1
        left = number - int(starts[row])
        own = int(representative[firsts[row] + left // widths[row]])
        state[0] = own
        state[1] = choice(left % int(widths[row]), int(men_of[row, 1]), own)

    return {"space": space, "canonical": canonical, "rank": rank, "unrank": unrank}
