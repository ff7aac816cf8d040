"""Nine Men's Morris, the midgame and endgame, by the numbers of men (Gasser 1995, chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.games.morris.attributes import gasser_attributes
from searchbench.games.morris.board import (
    BOARD_SYMMETRIES,
    DEGREES,
    EDGES,
    NAMES,
    POINTS,
    RING_SYMMETRIES,
    image,
    men_in_words,
)
from searchbench.games.morris.moving import (
    add_uncaptures,
    conversions,
    legal,
    mobility,
    moves,
    play,
    terminal,
    unmoves_within,
    unplay,
)
from searchbench.games.morris.numbering import numbering, space_of
from searchbench.games.morris.placements import MOST
from searchbench.index import Part
from searchbench.jit import popcount
from searchbench.rules import State

FIRST: Final = ((1, 3, 5, 7, 9, 11, 13, 15, 16), (0, 2, 6, 4, 8, 10, 12, 14, 18))
"""The men at the start; with three each the player to move loses as late as possible."""


@dataclass(frozen=True)
class Morris(Game):
    """Close mills, each of which removes a man; a player with two men left, or without a move, loses.

    `own` and `other` are the largest numbers of men of the player to move and of the opponent; the states include all
    that captures lead to. A state is two words: the points of the mover's men and those of the opponent's.
    """

    name: ClassVar[str] = "morris"
    dtype: ClassVar[Any] = np.int64
    values: ClassVar[str] = "outcome"
    closed: ClassVar[bool] = False

    own: int = 9
    other: int = 9

    @property
    def called(self) -> str:
        """Return the name, and how many men there are at most if these are fewer."""
        fewer = f", up to {self.own} men against {self.other}" * ((self.own, self.other) != (MOST, MOST))
        return f"Nine Men's Morris{fewer}"

    def __post_init__(self) -> None:
        if not (3 <= self.own <= MOST and 3 <= self.other <= MOST):
            raise ValueError(f"{self.own} men against {self.other}: expected 3 to {MOST} on each side")

    @property
    def width(self) -> int:
        """Return two: a word of men per player."""
        return 2

    @property
    def max_moves(self) -> int:
        """Return a bound: three men jump anywhere and close at most three mills; more men slide, and may all capture."""
        jumps = max(3 * (POINTS - 3 - other) + 3 * (other - 1) for _, other in self.spaces())
        return max([jumps, *(sum(DEGREES[:own]) * other for own, other in self.spaces() if own > 3)])

    @property
    def max_unmoves(self) -> int:
        """Return a bound: each of three men comes from any free point and has removed a man from any other."""
        return 3 * (POINTS - 5) * (POINTS - 6)

    @property
    def symmetries(self) -> int:
        """Return the order of the symmetry group: exchanging rings is a symmetry only with three men on each side."""
        return RING_SYMMETRIES if self.own == self.other == 3 else BOARD_SYMMETRIES

    def spaces(self) -> list[tuple[int, int]]:
        """Return the possible numbers of men, the mover's first; fewer men first."""
        low, high = sorted((self.own, self.other))
        found = [(a, b) for a in range(3, high + 1) for b in range(3, high + 1) if min(a, b) <= low]
        return sorted(found, key=lambda men: (sum(men), men))

    def parts(self) -> list[Part]:
        """Return one part per pair of numbers of men, such as "4-3": a quiet move swaps them, a capture also removes a man."""
        spaces, found, start = self.spaces(), [], 0
        for own, other in spaces:
            needs = [f"{a}-{b}" for a, b in ((other, own), (other - 1, own)) if (a, b) in spaces]
            size = space_of(own, other, self.symmetries).size
            found.append(Part(f"{own}-{other}", start, start + size, tuple(needs)))
            start += size
        return found

    def called_part(self, part: str) -> str:
        """Return the men of both players in words."""
        return men_in_words(part)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from | to << 5 | (removed + 1) << 10``, and 0 there if no man is removed."""
        own, other = self.own, self.other
        present = np.zeros((MOST + 2, MOST + 2), np.bool_)
        for men in self.spaces():
            present[men] = True

        def image_under(state: State, symmetry: int) -> None:
            state[0] = image(int(state[0]), symmetry)
            state[1] = image(int(state[1]), symmetry)

        def start(state: State) -> None:
            state[0] = state[1] = 0
            for man in range(own):
                state[0] |= 1 << FIRST[0][man]
            for man in range(other):
                state[1] |= 1 << FIRST[1][man]

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            waiting, men = int(state[0]), int(state[1])
            count = unmoves_within(state, out) if present[popcount(men), popcount(waiting)] else 0
            return add_uncaptures(men, waiting, out, count) if present[popcount(men), popcount(waiting) + 1] else count

        return {
            "start": start, "terminal": terminal, "legal": legal, "moves": moves, "conversions": conversions,
            "mobility": mobility, "play": play, "unplay": unplay, "unmoves": unmoves, "unmoves_within": unmoves_within,
            "image_under": image_under,
            **numbering([space_of(*men, self.symmetries) for men in self.spaces()], self.symmetries),
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
        """Return a move such as "a7-d7" or "a7-d7xg4"."""
        removed = f"x{NAMES[(move >> 10) - 1]}" if move >> 10 else ""
        return f"{NAMES[move & 31]}-{NAMES[(move >> 5) & 31]}{removed}"

    def board(self) -> Board:
        """Return the points on a grid of seven lines, and the lines between them."""
        cells = tuple((float(ord(name[0]) - ord("a")), 7.0 - int(name[1])) for name in NAMES)
        return Board(cells, EDGES, "point", ("W", "B"), tuple(range(POINTS)), tuple(NAMES))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return W for the men of the player to move and B for the opponent's."""
        return ["W" if state[0] >> point & 1 else "B" if state[1] >> point & 1 else "" for point in range(POINTS)]

    def attributes(self) -> Mapping[str, Callable[[State], int]]:
        """Return the attributes of positions with three men each (Gasser 1995, section 5.7)."""
        return gasser_attributes()

    def known(self) -> Mapping[str, Any]:
        """Return the number of states of the 3-3 part, and the plies of its longest loss (Gasser 1995, sections 5.4 and 5.5)."""
        return {"states": 56922, "deepest": 26, "start": "loss 26"} if (self.own, self.other) == (3, 3) else {}
