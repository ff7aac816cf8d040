"""The numbers of the positions of an ending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from searchbench.games.chess.ending import CODES, Ending
from searchbench.games.chess.men import GONE, PAWN
from searchbench.games.chess.symmetry import turns
from searchbench.index.protocol import Part, UnrankFunction
from searchbench.rules import NOWHERE, State


@dataclass(frozen=True)
class Numbering:
    """Number, part after part, who is to move, the kings, of symmetric pairs one, and the squares of the other men.

    At the end of the part with pawns of both sides come the positions in which one may be captured en passant: its column, and
    on which side of it the other pawn stands, say where both are.
    """

    ending: Ending

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.ending.width

    @property
    def size(self) -> int:
        """Return the size of the index."""
        return self._starts()[-1]

    def parts(self) -> list[Part]:
        """Return a part for each set of men."""
        starts, needs = self._starts(), self.ending.needs
        return [
            Part(name, starts[place], starts[place + 1], needs[name])
            for place, name in enumerate(self.ending.parts.values())
        ]

    def _kings(self, pawns: bool) -> int:
        return len(turns(self.ending.rows, self.ending.columns, pawns).pairs)

    def _placements(self, kinds: tuple[int, ...]) -> int:
        """Return the number of placements of some men, and of whose move it is."""
        ending = self.ending
        between = ending.squares - 2 * ending.columns
        bases = {PAWN: between, GONE: 1}
        size = 2 * self._kings(PAWN in kinds)
        for kind in kinds:
            size *= bases.get(kind, ending.squares)
        return size

    def _starts(self) -> list[int]:
        """Return the first number of each part, and the size of all."""
        sizes = [self._placements(kinds) for kinds in self.ending.parts]
        if self.ending.passes:  # the part that has both pawns is the last one
            sizes[-1] += 2 * self._kings(True) * 2 * (self.ending.columns - 1)
        return list(accumulate(sizes, initial=0))

    def functions(self, at: int = 0) -> tuple[Callable[[State], int], UnrankFunction]:
        """Return rank and unrank for the cells from `at` on."""
        ending = self.ending
        rows, columns, squares, pawns, passes = (
            ending.rows, ending.columns, ending.squares, ending.pawns, ending.passes
        )  # fmt: skip
        between = squares - 2 * columns
        count, parts = len(ending.others), len(ending.parts)
        kinds_of = np.array([*ending.parts], np.int64).reshape(parts, count)
        mirrored = (kinds_of == PAWN).any(axis=1)
        starts, places, own = np.array(self._starts(), np.int64), ending.places, np.array([*ending.kinds, 0], np.int64)
        turned, reflected = turns(rows, columns, False), turns(rows, columns, True)
        pairs, mirror_pairs = turned.pairs, reflected.pairs
        numbers, mirror_numbers = turned.numbers, reflected.numbers
        kings, mirror_kings = len(pairs), len(mirror_pairs)
        men, kinds, passing = at + 3, at + 3 + count, at + ending.width - 1
        passed = int(starts[-1]) - 2 * mirror_kings * 2 * (columns - 1)
        beside = 2 * columns - 2  # pairs of neighbouring squares of a rank, in either order

        def part_of(state: State) -> int:
            code = 0
            for man in range(count):
                if pawns:
                    code = code * CODES + state[kinds + man]
                else:
                    code = code * CODES + (own[man] if state[men + man] < squares else GONE)
            return int(places[code])

        def rank(state: State) -> int:
            part = part_of(state)
            if part < 0:
                return NOWHERE
            pair = state[at + 1] * squares + state[at + 2]
            if pawns and mirrored[part]:
                number, side = mirror_numbers[pair], state[at] * mirror_kings
            else:
                number, side = numbers[pair], state[at] * kings
            if number < 0:
                return NOWHERE
            number += side
            if passes and state[passing] > 0:
                victim, taker = men + 1 - state[at], men + state[at]
                place = state[victim] % columns * 2 + (1 if state[taker] > state[victim] else 0) - 1
                return int(passed + number * beside + place)
            for man in range(count):
                if pawns and state[kinds + man] == PAWN:
                    number = number * between + state[men + man] - columns
                elif state[men + man] < squares:
                    number = number * squares + state[men + man]
            return int(starts[part] + number)

        def unrank(number: int, state: State) -> None:
            part = parts - 1
            while number < starts[part]:
                part -= 1
            if pawns:
                for man in range(count):
                    state[kinds + man] = kinds_of[part, man]
            if passes:
                state[passing] = 1 if number >= passed else 0
                if number >= passed:
                    unrank_passing(number - passed, state)
                    return
            rest = number - starts[part]
            for man in range(count - 1, -1, -1):
                kind = kinds_of[part, man]
                state[men + man] = squares
                if pawns and kind == PAWN:
                    state[men + man] = columns + rest % between
                    rest //= between
                elif kind != GONE:
                    state[men + man] = rest % squares
                    rest //= squares
            if pawns and mirrored[part]:
                place_kings(rest // mirror_kings, mirror_pairs[rest % mirror_kings], state)
            else:
                place_kings(rest // kings, pairs[rest % kings], state)

        def unrank_passing(number: int, state: State) -> None:
            place, rest = number % beside + 1, number // beside
            side = rest // mirror_kings
            place_kings(side, mirror_pairs[rest % mirror_kings], state)
            square = (rows - 4 if side == 0 else 3) * columns + place // 2
            state[men + 1 - side] = square
            state[men + side] = square + (1 if place % 2 == 1 else -1)

        def place_kings(side: int, pair: int, state: State) -> None:
            state[at] = side
            state[at + 1] = pair // squares
            state[at + 2] = pair % squares

        return rank, unrank
