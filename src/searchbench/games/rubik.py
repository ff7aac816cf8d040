"""Rubik's cube: 43,252,003,274,489,856,000 states, searched one at a time (Korf 1997; Edelkamp 2017)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from searchbench.errors import BadState
from searchbench.families.cube import CORNERS, EDGES, TURNS, net, spot
from searchbench.families.places import Turn, depths, orders_table, twists_table
from searchbench.families.turns import Turning, powers_of
from searchbench.game import Board
from searchbench.index import LexicographicPermutation
from searchbench.rules import State

FACES: Final = "URFDLB"
"""The faces in the order of a text of 54 letters, each row by row on the unfolded cube."""
TURN: Final = re.compile(r"([URFDLB])([2']?)")


@dataclass(frozen=True)
class Rubik(Turning):
    """Turn the corners and edges home; the centres of the faces stay fixed.

    With the metric "quarter-turn" a half turn counts as two moves, with "clockwise" turns go one way only.
    """

    name: ClassVar[str] = "rubik"

    metric: str = "half-turn"

    def __post_init__(self) -> None:
        powers_of(self.metric)

    @property
    def called(self) -> str:
        """Return the name, and what counts as a move where that is unusual."""
        return "Rubik's Cube" + f", {self.metric}s" * (self.metric != "half-turn")

    @property
    def faces(self) -> tuple[tuple[str, ...], ...]:
        """Return the corners and the edges."""
        return CORNERS, EDGES

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the turns of the six faces."""
        return TURNS

    @property
    def powers(self) -> tuple[int, ...]:
        """Return the allowed numbers of quarter turns per move."""
        return powers_of(self.metric)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``4 * face + quarters``."""
        (corners, edges), (corner_twists, edge_flips) = self.layout.piece_cells, self.layout.twist_cells

        def odd(state: State, first: int, count: int) -> int:
            found = 0
            for place in range(first, first + count):
                for earlier in range(first, place):
                    found ^= 1 if state[earlier] > state[place] else 0
            return found

        def total(state: State, first: int, count: int) -> int:
            found = 0
            for place in range(first, first + count):
                found += state[place]
            return found

        def legal(state: State) -> bool:
            return bool(
                odd(state, corners, 8) == odd(state, edges, 12)
                and total(state, corner_twists, 8) % 3 == 0
                and total(state, edge_flips, 12) % 2 == 0
            )

        return {**super().rules(), "legal": legal, "h": self._bound()}

    def _bound(self) -> Callable[..., Any]:
        """Return `h`: the maximum of the corners' order, their twists, and the edges' flips, each solved separately."""
        back = tuple(4 - power for power in self.powers)
        of_corners, of_edges = self.kinds
        orders, twists, flips = (
            depths(table, back)
            for table in (orders_table(of_corners), twists_table(of_corners), twists_table(of_edges))
        )
        corner_twists, edge_flips = self.layout.twist_cells
        rank_corners, _ = LexicographicPermutation(8).functions(self.layout.piece_cells[0])

        def h(state: State, tables: Any) -> int:
            twisted = 0
            for place in range(corner_twists, corner_twists + 7):
                twisted = 3 * twisted + state[place]
            flipped = 0
            for place in range(edge_flips, edge_flips + 11):
                flipped = 2 * flipped + state[place]
            return int(max(orders[rank_corners(state)], twists[twisted], flips[flipped]))

        return h

    def parse(self, text: str) -> list[int]:
        """Read turns from the solved cube (R U2 F'), 54 letters face by face, or the pieces as `format` writes them."""
        words = text.split()
        if words and all(TURN.fullmatch(word) for word in words):
            state = self.start()
            for word in words:
                state = self._turned(state, word)
            return state
        if len(words) == 1 and len(text.strip()) == 54:
            return self._from_facelets(text.strip().upper())
        if len(words) != len(CORNERS) + len(EDGES):
            raise BadState(
                f"{self}: {text!r}: expected turns from the solved cube such as R U2 F', 54 letters of {FACES} face by "
                f"face, or the pieces on all places such as {self.format(self.start())!r}"
            )
        state = super().parse(text)
        if fault := self._fault(state):
            raise BadState(f"{self}: {text!r} cannot be reached by turns: {fault}")
        return state

    def _turned(self, state: Sequence[int], word: str) -> list[int]:
        """Return a state after a turn, in any metric."""
        face, suffix = word[0], word[1:]
        return self.play(state, 4 * [turn.name for turn in TURNS].index(face) + {"": 1, "2": 2, "'": 3}[suffix])

    def _from_facelets(self, text: str) -> list[int]:
        """Read the faces U R F D L B, nine letters each, row by row as on the unfolded cube."""
        middles = text[4::9]
        if middles != FACES:
            raise BadState(f"{self}: {text!r}: the middles of the faces are {middles}, expected {FACES}")
        shown = dict(zip(_facelets(), text, strict=True))
        words = ["".join(shown[spot(place, face, 3)] for face in place) for place in (*CORNERS, *EDGES)]
        return self.parse(" ".join(words))

    def _fault(self, state: Sequence[int]) -> str:
        """Return the violated invariant, "" if there is none."""
        corner_twists, edge_flips = self.layout.twist_cells
        if sum(state[corner_twists : corner_twists + 8]) % 3:
            return "a single corner is twisted"
        if sum(state[edge_flips : edge_flips + 12]) % 2:
            return "a single edge is flipped"
        if not self.call("legal", list(state)):
            return "two pieces have changed places"
        return ""

    def facelets(self, state: Sequence[int]) -> str:
        """Return the cube's 54 letters, face by face."""
        shown = dict(zip(self.board().cells, self.pieces(state), strict=True))
        return "".join(shown[float(x), float(y)] for x, y in _facelets())

    def board(self) -> Board:
        """Return the unfolded cube: corners, edges, and the centres of the faces."""
        return net([*CORNERS, *EDGES, *FACES], 3)

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the colour of each face of each piece."""
        return super().pieces(state) + list(FACES)

    def known(self) -> Mapping[str, Any]:
        """Return nothing: the states are too many to count."""
        return {}


def _facelets() -> list[tuple[int, int]]:
    """Return the positions of the 54 facelets in the drawing, face by face and row by row."""
    middles = [spot(face, face, 3) for face in FACES]
    return [(x + across, y + down) for x, y in middles for down in (-1, 0, 1) for across in (-1, 0, 1)]
