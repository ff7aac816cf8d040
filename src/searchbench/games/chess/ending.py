"""An ending: the cells of its states, and the sets of men that captures and promotions leave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from searchbench.games.chess.men import GONE, KINDS, KNIGHT, PAWN, QUEEN

Kinds = tuple[int, ...]
"""The kind of each man but the kings, GONE where there is none."""
PROMOTED: Final = range(QUEEN, KNIGHT + 1)
CODES: Final = GONE + 1
"""The number of kinds, with GONE."""


@dataclass(frozen=True)
class Ending:
    """Hold men and a board.

    A state has who is to move (0 White), the squares of the kings and of the others, `squares` for one beside the board; with
    pawns then the kinds of the others, and with pawns of both sides whether one may be captured en passant.
    """

    men: str
    rows: int
    columns: int

    @property
    def squares(self) -> int:
        """Return the number of squares."""
        return self.rows * self.columns

    @property
    def others(self) -> str:
        """Return the men but the kings, in the order of their cells: White's as capitals."""
        white, black = self.men[1:].split("K")
        return white + black.lower()

    @property
    def black(self) -> tuple[int, ...]:
        """Return the side of each man, the kings first: 0 is White."""
        return tuple(int(man.islower()) for man in "Kk" + self.others)

    @property
    def kinds(self) -> Kinds:
        """Return the kinds before anything is captured or promoted."""
        return tuple(KINDS.index(man.upper()) for man in self.others)

    @property
    def pawns(self) -> bool:
        """Return whether there are pawns: then a man may change his kind."""
        return PAWN in self.kinds

    @property
    def double(self) -> bool:
        """Return whether a pawn may go two squares at first: where that does not promote it."""
        return self.rows >= 5

    @property
    def passes(self) -> bool:
        """Return whether a pawn may capture another one en passant."""
        return self.double and {"P", "p"} <= set(self.others)

    @property
    def paired(self) -> bool:
        """Return whether there are two men of one side whose order makes no difference: of one kind, or with pawns."""
        if len(self.others) < 2 or self.black[2] != self.black[3]:
            return False
        return self.pawns or self.kinds[0] == self.kinds[1]

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return 1 + len(self.men) + (len(self.others) if self.pawns else 0) + self.passes

    @cached_property
    def parts(self) -> dict[Kinds, str]:
        """Return the sets of men with their names, the fewest men first, and then the fewest pawns."""
        choices = [(*PROMOTED, PAWN, GONE) if kind == PAWN else (kind, GONE) for kind in self.kinds]
        found = dict.fromkeys(self.ordered(kinds) for kinds in product(*choices))
        order = sorted(found, key=lambda kinds: (len(kinds) - kinds.count(GONE), kinds.count(PAWN)))
        return {kinds: self._name(kinds) for kinds in order}

    @cached_property
    def needs(self) -> dict[str, tuple[str, ...]]:
        """Return for each set of men, by its name, itself and what a capture or a promotion leaves."""
        return {
            name: tuple(dict.fromkeys([name, *(self.parts[self.ordered(left)] for left in self._left(kinds))]))
            for kinds, name in self.parts.items()
        }

    @cached_property
    def places(self) -> Any:
        """Return the place among the parts of each code of kinds, the first kind times CODES plus the second; -1 for none."""
        places = np.full(CODES ** len(self.others), -1, np.int64)
        for place, kinds in enumerate(self.parts):
            places[sum(kind * CODES**power for power, kind in enumerate(reversed(kinds)))] = place
        return places

    def ordered(self, kinds: Kinds) -> Kinds:
        """Return the kinds as they stand in a state: of paired men those first that come first in KINDS."""
        return tuple(sorted(kinds)) if self.paired else kinds

    def _name(self, kinds: Kinds) -> str:
        """Return a set of men as chess players call it."""
        sides = ["", ""]
        for kind, side in zip(kinds, self.black[2:], strict=True):
            sides[side] += KINDS[kind] if kind != GONE else ""
        return f"K{sides[0]}K{sides[1]}"

    def _left(self, kinds: Kinds) -> Iterator[Kinds]:
        """Yield the kinds after a capture, a promotion, and both at once; no pawn is captured where one is promoted."""
        for man, kind in enumerate(kinds):
            if kind != GONE:
                yield _with(kinds, man, GONE)
            for promoted in PROMOTED if kind == PAWN else ():
                after = _with(kinds, man, promoted)
                yield after
                for other, captured in enumerate(kinds):
                    if self.black[2 + other] != self.black[2 + man] and captured not in (PAWN, GONE):
                        yield _with(after, other, GONE)


def _with(kinds: Kinds, man: int, kind: int) -> Kinds:
    return (*kinds[:man], kind, *kinds[man + 1 :])
