"""The double-letter puzzle: make one letter of a string by replacing two equal neighbours (Allis 1994, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.board import counted
from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.index import Part
from searchbench.rules import NOWHERE, UNDECIDED, State

LETTERS: Final = "abcde"
"""The letters stand in a circle: a follows e."""
COUNT: Final = len(LETTERS)
EMPTY: Final = 0
"""What cells behind the string hold; a letter is a number from 1 on."""
LONGEST: Final = 60
NUMBERED: Final = 26
"""The longest axiom whose strings have numbers of 63 bits."""


@dataclass(frozen=True)
class DoubleLetter(Game):
    """Replace two equal neighbours by the letter before or after theirs, a to e in a circle, until one letter is left.

    `axiom` is the string to begin with; strings of up to its length are states.
    """

    name: ClassVar[str] = "double-letter"
    consistent: ClassVar[bool] = True

    axiom: str = "aaccadd"

    def __post_init__(self) -> None:
        if not 1 <= len(self.axiom) <= LONGEST or set(self.axiom) - set(LETTERS):
            raise ValueError(f"axiom {self.axiom!r}: expected 1 to {LONGEST} of the letters a to e")

    @property
    def width(self) -> int:
        """Return the length of the axiom."""
        return len(self.axiom)

    @property
    def max_moves(self) -> int:
        """Return two replacements of each letter: backwards every letter stands for two pairs."""
        return 2 * self.width

    def parts(self) -> list[Part]:
        """Return a part for each length; none where the numbers are too large."""
        if self.width > NUMBERED:
            return []
        lengths = range(1, self.width + 1)
        stops = list(accumulate(COUNT**length for length in lengths))
        return [
            Part(str(length), stop - COUNT**length, stop, (str(length - 1),) if length > 1 else ())
            for length, stop in zip(lengths, stops, strict=True)
        ]

    def called_part(self, part: str) -> str:
        """Return the number of letters in words."""
        return counted(part, "letter")

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is twice the place of the first of two letters, plus 1 if the letter after theirs follows."""
        width = self.width
        axiom = np.array([LETTERS.index(letter) + 1 for letter in self.axiom], np.int64)

        def length(state: State) -> int:
            last = width
            while last > 0 and state[last - 1] == EMPTY:
                last -= 1
            return last

        def turned(letter: int, steps: int) -> int:
            return (letter - 1 + steps) % COUNT + 1

        def start(state: State) -> None:
            for place in range(width):
                state[place] = axiom[place]

        def terminal(state: State) -> int:
            return 0 if length(state) == 1 else UNDECIDED

        def moves(state: State, out: MutableSequence[int]) -> int:
            count = 0
            for place in range(length(state) - 1):
                if state[place] == state[place + 1]:
                    out[count] = 2 * place
                    out[count + 1] = 2 * place + 1
                    count += 2
            return count

        def play(state: State, move: int) -> None:
            place = move >> 1
            state[place] = turned(state[place], 1 if move & 1 else -1)
            for cell in range(place + 1, width - 1):
                state[cell] = state[cell + 1]
            state[width - 1] = EMPTY

        def unplay(state: State, move: int) -> None:
            place = move >> 1
            for cell in range(width - 1, place + 1, -1):
                state[cell] = state[cell - 1]
            state[place] = turned(state[place], -1 if move & 1 else 1)
            state[place + 1] = state[place]

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            last = length(state)
            if last == width:
                return 0
            for move in range(2 * last):
                out[move] = move
            return 2 * last

        def h(state: State, tables: Any) -> int:
            return length(state) - 1

        def h_step(state: State, move: int, tables: Any) -> int:
            return -1

        functions: dict[str, Callable[..., Any]] = {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
            "h": h, "h_step": h_step,
        }  # fmt: skip
        if width > NUMBERED:
            return functions
        begins = np.array([0, *(part.start for part in self.parts()), self.parts()[-1].stop], np.int64)

        def rank(state: State) -> int:
            number = 0
            last = length(state)
            for place in range(last):
                letter = int(state[place])
                if letter < 1 or letter > COUNT:
                    return NOWHERE
                number = number * COUNT + letter - 1
            return int(begins[last]) + number if last > 0 else NOWHERE

        def unrank(number: int, state: State) -> None:
            last = 1
            while number >= begins[last + 1]:
                last += 1
            rest = number - int(begins[last])
            for place in range(width - 1, -1, -1):
                if place >= last:
                    state[place] = EMPTY
                else:
                    state[place] = rest % COUNT + 1
                    rest //= COUNT

        return functions | {"rank": rank, "unrank": unrank}

    def parse(self, text: str) -> list[int]:
        """Read a string."""
        word = text.strip()
        if not 1 <= len(word) <= self.width or set(word) - set(LETTERS):
            raise BadState(f"{self}: {text!r}: expected 1 to {self.width} of the letters a to e")
        letters = [LETTERS.index(letter) + 1 for letter in word]
        return letters + [EMPTY] * (self.width - len(letters))

    def format(self, state: Sequence[int]) -> str:
        """Return the string."""
        return "".join(LETTERS[letter - 1] for letter in state if letter != EMPTY)

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the pair, its first place from 1 on, and the letter that replaces it: "3cc-d"."""
        place = move >> 1
        before = int(state[place]) - 1
        after = (before + (1 if move & 1 else -1)) % COUNT
        return f"{place + 1}{LETTERS[before] * 2}-{LETTERS[after]}"

    def board(self) -> Board:
        """Return the places from left to right."""
        return Board(tuple((float(place), 0.0) for place in range(self.width)))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the letters."""
        return [LETTERS[letter - 1] if letter != EMPTY else "" for letter in state]

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the two places of the pair: from left to right for the letter before, from right to left for the one after."""
        place = move >> 1
        return [place + 1, place] if move & 1 else [place, place + 1]

    def known(self) -> Mapping[str, Any]:
        """Return the moves of a solution of the thesis's axiom: one for each letter but one."""
        return {"start": "6"} if self.axiom == "aaccadd" else {}
