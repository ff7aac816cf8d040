"""Patterns of permutation games: some elements are distinguished, all others look alike (Culberson and Schaeffer 1998)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from searchbench.abstraction import Abstraction, Image
from searchbench.errors import BadState
from searchbench.game import Game
from searchbench.index import Placement
from searchbench.jit import popcount
from searchbench.rules import UNDECIDED, State, new_state

OTHER: Final = "x"
"""The mark of an element that is not distinguished."""
DUAL, TOLD, ORDERS = range(3)
"""Offsets in the table of an image: the flag for the dual state, how many elements the pattern has, and each element's index in
the pattern or -1. Behind these stand the pattern's elements, and then the weight of each one's place in the number."""


class Rearranged(Abstraction):
    """Bring some elements to their places. Derive a frozen dataclass that supplies `original` and `elements`.

    The original's states are permutations of 0 .. n - 1, and every state has the same moves, which are rearrangements.
    A state contains the place of each element of the pattern.
    """

    def original(self) -> Game:
        """Return the game."""
        raise NotImplementedError

    @property
    def elements(self) -> tuple[int, ...]:
        """Return the distinguished elements."""
        raise NotImplementedError

    @property
    def width(self) -> int:
        """Return the number of elements."""
        return len(self.elements)

    @property
    def max_moves(self) -> int:
        """Return the number of moves."""
        return self.original().max_moves

    def index(self) -> Placement:
        """Return an index of the elements' places."""
        return Placement(self.original().width, len(self.elements))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is that of the game."""
        original = self.original().rules()
        home = np.array(self.elements, np.int64)
        moves, inverse = original["moves"], original["inverse"]
        goes_to = np.argsort(self._sources(), axis=1)

        def start(state: State) -> None:
            for element in range(len(home)):
                state[element] = home[element]

        def terminal(state: State) -> int:
            for element in range(len(home)):
                if state[element] != home[element]:
                    return UNDECIDED
            return 0

        def play(state: State, move: int) -> None:
            for element in range(len(home)):
                state[element] = goes_to[move, state[element]]

        def unplay(state: State, move: int) -> None:
            play(state, inverse(move))

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": moves,
            "inverse": inverse, **self._look_ups(),
        }  # fmt: skip

    def _look_ups(self) -> dict[str, Callable[..., Any]]:
        """Return `pattern_rank` and `pattern_rank_after`, the same ones for patterns of any elements of a game."""
        places = self.original().width
        sources = self._sources()
        here = len(sources) - 1  # the row that moves nothing

        def look(state: State, row: int, table: Any, at: int) -> int:
            number = 0
            seen = 0
            elements = at + ORDERS + places
            weights = elements + table[at + TOLD]
            if table[at + DUAL] != 0:
                # In the inverse, element e is on the place `state[e]`.
                for piece in range(table[at + TOLD]):
                    place = int(state[sources[row, table[elements + piece]]])
                    number += table[weights + piece] * (place - popcount(seen & ((1 << place) - 1)))
                    seen |= 1 << place
                return int(number)
            for place in range(places):
                order = table[at + ORDERS + state[sources[row, place]]]
                if order >= 0:
                    number += table[weights + order] * (place - popcount(seen & ((1 << order) - 1)))
                    seen |= 1 << order
            return int(number)

        def pattern_rank(state: State, table: Any, at: int) -> int:
            return look(state, here, table, at)

        def pattern_rank_after(number: int, state: State, move: int, table: Any, at: int) -> int:
            return look(state, move, table, at)

        return {"pattern_rank": pattern_rank, "pattern_rank_after": pattern_rank_after}

    def _sources(self) -> Any:
        """Return the origin of each place's element for each move; the last row moves nothing."""
        original = self.original()
        goal = original.start()
        found = np.tile(np.arange(len(goal)), (2 + max(original.moves(goal)), 1))
        for move in original.moves(goal):
            found[move] = original.play(goal, move)
        return found

    def images(self) -> list[Image]:
        """Return the look-up of a state."""
        return [self._image(dual=False)]

    def dual_images(self) -> list[Image]:
        """Return the look-up of a state's inverse."""
        return [self._image(dual=True)]

    def _image(self, dual: bool) -> Image:
        orders = [-1] * self.original().width
        for order, element in enumerate(self.elements):
            orders[element] = order
        told, weights = self.elements, self.index().weights
        return Image(np.array([int(dual), len(told), *orders, *told, *weights], np.int64), None)

    def parse(self, text: str) -> list[int]:
        """Read the content of each place: an element in the game's notation, or x."""
        words, names = text.split(), self._names()
        if sorted(words) != sorted([*names, *[OTHER] * (self.original().width - len(names))]):
            raise BadState(f"{self}: {text!r}: expected {self.format(self.start())} in some order")
        return [words.index(name) for name in names]

    def format(self, state: Sequence[int]) -> str:
        """Return the content of each place."""
        shown = [OTHER] * self.original().width
        for name, place in zip(self._names(), state, strict=True):
            shown[place] = name
        return " ".join(shown)

    def _names(self) -> list[str]:
        return [str(element) for element in self.elements]

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the move in the game's notation at its start."""
        original = self.original()
        return original.format_move(original.start(), move)

    def known(self) -> Mapping[str, Any]:
        """Return the number of placements."""
        return {"states": self.index().size, "start": "0"}


def inverting(n: int) -> Callable[[State], None]:
    """Return `dual_state` for permutations of 0 .. n - 1."""

    def invert(state: State) -> None:
        old = new_state()
        for place in range(n):
            old[place] = state[place]
        for place in range(n):
            state[old[place]] = place

    return invert


def elements_of(text: str, most: int) -> tuple[int, ...]:
    """Parse the elements in a text such as 1-2-5. Raises ValueError."""
    words = text.split("-")
    if not all(word.isdecimal() and int(word) < most for word in words) or not len({*words}) == len(words) < most - 1:
        raise ValueError(f"elements {text!r}: expected up to {most - 2} of 0 to {most - 1}, each once, such as 1-2-5")
    return tuple(map(int, words))
