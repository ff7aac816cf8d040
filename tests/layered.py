"""Random layered games: lines on random boards, and games told by random tables of digits."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from searchbench import UNDECIDED, Game
from searchbench.families.lines import LineBoard, Lines
from searchbench.index.digits import NO_CODE, Action, Change, Digit, Digits, Pattern


@dataclass(frozen=True)
class RandomLines(Lines):
    """Complete one of some random lines, on a board of stacks or of single cells."""

    name: ClassVar[str] = "random-lines"
    seed: int = 0

    @property
    def lines(self) -> LineBoard:
        """Return the board."""
        chance = random.Random(self.seed)
        if chance.random() < 0.5:
            stacks, cells = [], 0
            for _ in range(chance.randint(1, 4)):
                height = chance.randint(1, 3)
                stacks.append(tuple(range(cells, cells + height)))
                cells += height
        else:
            cells = chance.randint(2, 8)
            stacks = [(cell,) for cell in range(cells)]
        length = min(cells, chance.randint(2, 3))
        lines = {tuple(sorted(chance.sample(range(cells), length))) for _ in range(4)}
        places = tuple((cell, 0) for cell in range(cells))
        return LineBoard(places, tuple(sorted(lines)), tuple(range(cells)), tuple(stacks), (tuple(range(cells)),))


@dataclass(frozen=True)
class RandomDigits(Game):
    """Play the actions of random tables, which touch up to three digits; lose in random patterns, or when stuck."""

    name: ClassVar[str] = "random-digits"
    values: ClassVar[Any] = "outcome"
    seed: int = 0

    def digits(self) -> Digits:
        """Return the random tables."""
        chance = random.Random(self.seed)
        count = chance.randint(1, 4)
        contents = tuple(product(range(3), repeat=2))
        digits = tuple(Digit((2 * place, 2 * place + 1), contents, tuple(map(sum, contents))) for place in range(count))

        def change(digit: int, cell: int, rise: int) -> Change:
            to = []
            for content in contents:
                after = list(content)
                after[cell] += rise
                to.append(contents.index(tuple(after)) if 0 <= after[cell] < 3 else NO_CODE)
            return Change(digit, tuple(to))

        def action() -> Action:
            rises = chance.choice([r for r in ((1,), (1, 1, -1), (2, -1)) if len(r) <= count])
            places = chance.sample(range(count), len(rises))
            return tuple(change(place, chance.randrange(2), rise) for place, rise in zip(places, rises, strict=True))

        def pattern() -> Pattern:
            places = tuple(chance.sample(range(count), min(count, 2)))
            return Pattern(places, tuple(tuple(sorted(chance.sample(range(9), 3))) for _ in places))

        players = chance.randint(1, 2)
        actions = tuple(tuple(action() for _ in range(chance.randint(1, 5))) for _ in range(players))
        lost = tuple(tuple(pattern() for _ in range(chance.randint(0, 3))) for _ in range(players))
        return Digits(digits, actions, lost, chance.choice([-1, 0, 1]))

    @property
    def width(self) -> int:
        """Return two cells for each digit."""
        return 2 * len(self.digits().digits)

    @property
    def max_moves(self) -> int:
        """Return more than there are actions."""
        return 8

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return rules that look at the tables."""
        told = self.digits()

        def start(state: Any) -> None:
            for cell in range(len(state)):
                state[cell] = 0

        def own(state: Any, back: int = 0) -> tuple[Action, ...]:
            return told.actions[(sum(state) - back) % len(told.actions)]

        def terminal(state: Any) -> int:
            return told.result(told.codes(state), sum(state)) if sum(state) else _at_start(told, state)

        def moves(state: Any, out: MutableSequence[int]) -> int:
            able = [number for number, one in enumerate(own(state)) if told.after(told.codes(state), one)]
            out[: len(able)] = able
            return len(able)

        def play(state: Any, move: int) -> None:
            state[:] = told.state(told.after(told.codes(state), own(state)[move]))

        def unplay(state: Any, move: int) -> None:
            codes = list(told.codes(state))
            for digit, to in own(state, 1)[move]:
                codes[digit] = to.index(codes[digit])
            state[:] = told.state(codes)

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}


def _at_start(told: Digits, state: Any) -> int:
    return UNDECIDED if any(told.after(told.codes(state), one) for one in told.actions[0]) else told.stuck
