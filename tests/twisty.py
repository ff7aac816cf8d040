"""Random puzzles whose pieces turn and twist, with a dial: a product index whose factors move independently."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st

from searchbench.game import Game
from searchbench.index import LexicographicPermutation, Product, Radix
from searchbench.rules import UNDECIDED, State, new_state

Turn = tuple[tuple[int, ...], tuple[int, ...]]
"""Where the piece on each place comes from, and how far it is twisted on the way."""


@dataclass(frozen=True)
class Twisty(Game):
    """Turn the pieces on places home; some clicks of a dial go with each turn, and a slip depends on all cells."""

    name: ClassVar[str] = "twisty"
    independent: ClassVar[bool] = True
    ways: int = 2
    dial: int = 1
    turns: tuple[Turn, ...] = ()
    slips: bool = False

    @property
    def count(self) -> int:
        """Return the number of pieces."""
        return len(self.turns[0][0])

    @property
    def width(self) -> int:
        """Return the pieces, their twists and the dial."""
        return 2 * self.count + 1

    @property
    def max_moves(self) -> int:
        """Return the turns both ways."""
        return 2 * len(self.turns)

    @property
    def locality(self) -> int:
        """Return 1, as each turn can be taken back."""
        return 1

    def index(self) -> Product:
        """Return the orders times the twists times the dial."""
        return Product(LexicographicPermutation(self.count), Radix((self.ways,) * self.count), Radix((self.dial,)))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; odd moves turn back."""
        count, ways, dial, slips, width = self.count, self.ways, self.dial, self.slips, self.width
        sources = np.array([source for source, _ in self.turns])
        twists = np.array([twist for _, twist in self.turns])
        max_moves = self.max_moves

        def start(state: State) -> None:
            for cell in range(width):
                state[cell] = cell if cell < count else 0

        def terminal(state: State) -> int:
            for cell in range(width):
                if state[cell] != (cell if cell < count else 0):
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            for move in range(max_moves):
                out[move] = move
            return max_moves

        def play(state: State, move: int) -> None:
            old = new_state()
            for cell in range(width):
                old[cell] = state[cell]
            turn = move >> 1
            for place in range(count):
                source, twist = sources[turn, place], int(twists[turn, place])
                if move & 1 == 0:
                    state[place] = old[source]
                    state[count + place] = (old[count + source] + twist) % ways
                else:
                    state[source] = old[place]
                    state[count + source] = (old[count + place] + ways - twist) % ways
            step = turn + 1
            if slips and old[0] != 0 and state[0] != 0:
                step += 1
            state[2 * count] = (old[2 * count] + (step if move & 1 == 0 else dial * step - step)) % dial

        def unplay(state: State, move: int) -> None:
            play(state, move ^ 1)

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": moves}


@st.composite
def twisties(draw: st.DrawFn, most: int = 4) -> Twisty:
    """Draw a puzzle by random turns."""
    count, ways = draw(st.integers(2, most)), draw(st.integers(1, 3))
    turn = st.tuples(
        st.permutations(range(count)).map(tuple), st.tuples(*[st.integers(0, ways - 1) for _ in range(count)])
    )
    turns = draw(st.lists(turn, min_size=1, max_size=3, unique=True))
    return Twisty(ways, draw(st.integers(1, 3)), tuple(turns))


@dataclass(frozen=True)
class Claiming(Twisty):
    """Claim that the depth of each state is its distance."""

    depth_is_distance: ClassVar[bool] = True
    locality = Game.locality
    dtype: ClassVar[Any] = np.int16
