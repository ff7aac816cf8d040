"""Search for one omitted code of a reduced database by interpreted rules, without compiling."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.rules import alternates
from searchbench.store import plies
from searchbench.store.reductions import BEST_MOVE, EVERY, PARITY, Reduction
from searchbench.values import ValueRule

_FAR: Final = 1 << 40


class TooMany(Exception):
    """A search exceeds its allowed number of states."""


class CodeSearch:
    """Find omitted codes; `stored` returns the stored code of a number. None as result means that stored codes are damaged."""

    def __init__(self, game: Game, rule: ValueRule, reduction: Reduction, stored: Callable[[int], int]) -> None:
        self._game, self._reduction, self._stored = game, reduction, stored
        self._names = game.names(rule, "interpreted")
        self._illegal = int(np.iinfo(reduction.dtype).max)
        self._by_outcome = rule.outcomes
        self._seen: dict[int, int | None] = {}
        self._left: float = inf

    def allow(self, states: float) -> None:
        """Limit the search to `states` more states; the next one raises TooMany."""
        self._left = states

    def told(self, number: int) -> tuple[list[int], int]:
        """Return the state of a number and the code that the rules imply, or UNTOLD."""
        self._left -= 1
        if self._left < 0:
            raise TooMany
        state, scratch = [0] * self._game.width, [0] * self._game.width
        return state, int(self._call(plies.told, number, state, scratch, self._illegal))

    def code(self, number: int) -> int | None:
        """Return the whole code of a number."""
        self._seen.clear()
        if self._reduction.name == BEST_MOVE:
            return self._follow(number)
        known = self._known(number)
        if known is not None:
            return known
        if self._reduction.name == EVERY and self._by_outcome:
            steps = self._reduction.step - 1
            won = self._win(number, steps, _FAR)
            if won is not None:
                return 2 + 2 * won
            lost = self._loss(number, steps, _FAR)
            return None if lost is None else 1 + 2 * lost
        return self._gathered(number, self._reduction.step - 1 if self._reduction.name == EVERY else 1)

    # --- values ----------------------------------------------------------------------------------------------------------

    def _known(self, number: int) -> int | None:
        """Return a code that the rules imply or that is stored, or None; a negative number encodes a code, as in `look`."""
        if number < 0:
            return -1 - number
        if number not in self._seen:
            state, code = self.told(number)
            self._seen[number] = code if code != plies.UNTOLD else self._kept(number, state)
        return self._seen[number]

    def _kept(self, number: int, state: list[int]) -> int | None:
        if self._reduction.name == PARITY:
            return self._stored(number) if self._call(alternates, state) == 0 else None
        code = self._stored(number)
        return None if code == plies.LEFT_OUT else code

    def _gathered(self, number: int, left: int) -> int | None:
        """Return the code that the successors' codes imply, searching `left` plies deep; None if they imply none."""
        code = self._known(number)
        if code is not None or left == 0:
            return code
        edges = self._edges(self._game.unrank(number))
        found = [self._gathered(after, left - 1) or 0 for after, _ in edges]
        code = int(self._call(plies.gathered, found, [weight for _, weight in edges], len(found)))
        return code if code != 0 or self._reduction.name == PARITY else None

    def _win(self, number: int, left: int, limit: int) -> int | None:
        """Return the plies of a win in less than `limit`, proved by a search of `left` plies; None without a proof."""
        code = self._known(number)
        if code is not None:
            return _depth(code, limit) if code and code % 2 == 0 else None
        best = limit
        for after in self._after(number) if left else ():
            lost = self._loss(after, left - 1, best - 1)
            if lost is not None:
                best = lost + 1
        return best if best < limit else None

    def _loss(self, number: int, left: int, limit: int) -> int | None:
        """Return the plies of a loss in less than `limit`: every move leads to a proved win of the opponent."""
        code = self._known(number)
        if code is not None:
            return _depth(code, limit) if code % 2 == 1 else None
        longest = 0
        for after in self._after(number) if left else ():
            won = self._win(after, left - 1, limit - 1)
            if won is None:
                return None
            longest = max(longest, won + 1)
        return longest or None

    def _after(self, number: int) -> list[int]:
        """Return the successors, those with known codes first: they bound the search of the others, or make it needless."""
        found = dict.fromkeys(after for after, _ in self._edges(self._game.unrank(number)))
        return sorted(found, key=lambda after: self._known(after) is None)

    # --- best moves ------------------------------------------------------------------------------------------------------

    def _follow(self, number: int) -> int | None:
        """Return the code of a number by following the best moves to their end."""
        costs: list[int] = []
        seen = number  # a state of the line, replaced whenever the line's length has doubled (Brent 1980)
        while True:
            if number < 0:
                code = -1 - number
                break
            state, code = self.told(number)
            kept = self._stored(number) if code == plies.UNTOLD else 0
            if kept == 0:
                code = max(code, 0)
                break
            edges = self._edges(state)
            if kept > len(edges):
                return None
            number, weight = edges[kept - 1]
            costs.append(weight)
            if number == seen:
                return None  # a cycle
            if len(costs) & (len(costs) - 1) == 0:
                seen = number
        if costs and code == 0:
            return None
        for weight in reversed(costs):
            code = self._call(plies.gathered, [code], [weight], 1)
        return code

    def _edges(self, state: list[int]) -> list[tuple[int, int]]:
        """Return each move's successor, as :func:`searchbench.store.plies.look` writes it, and its weight."""
        out, numbers, weights = ([0] * self._game.max_moves for _ in range(3))
        count = self._call(plies.look, state, list(state), out, numbers, weights)
        return list(zip(numbers[:count], weights[:count], strict=True))

    def _call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        return jit.bind(kernel, self._names)(*arguments)


def _depth(code: int, limit: int) -> int | None:
    depth = (code - 1) >> 1
    return depth if depth < limit else None
