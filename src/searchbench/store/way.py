"""The way to what is won, where values do not tell how far away it is.

Points, and outcomes without depth, do not tell a move that wins from one that goes round in a circle, and endless play wins
nothing. So the positions around are searched: the player who is ahead plays moves that keep the value, the opponent all replies
that keep hers, until nothing is left to be won, or the play has come to parts from which no move leads back.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from searchbench.game import Position
from searchbench.index.protocol import leads_on

if TYPE_CHECKING:
    from searchbench.store.database import Choice, Database

MOST: Final = (200, 2_000, 20_000)
"""The positions that a search looks at, try by try: some seconds for the last of them."""
KEPT: Final = 200_000
"""About how many positions are remembered."""


class Way:
    """Find the moves that come nearer to what is won; what one search finds is kept for the positions that follow."""

    def __init__(self, database: Database) -> None:
        self.database = database
        rule, parts = database.rule, database.game.parts()
        self.needed = rule.two_players and not rule.tells_progress and not leads_on(parts)
        """Whether equally good moves may go round in a circle."""
        self._parts = parts
        self._needs = {"": (), **{part.name: part.needs for part in parts}}
        self._leads_to: dict[str, set[str]] = {}
        self._plies: dict[Position, int] = {}
        """In how many plies the player who is ahead comes to what is won, whatever is replied."""
        self._hard: set[str] = set()
        """The parts in which a search has found no way: further ones there are shorter."""

    def first_best(self, position: Position, choices: Sequence[Choice]) -> list[Choice]:
        """Return moves, best first, in an order in which those of the best that come soonest to what is won stand first."""
        if not self.needed or not choices:
            return list(choices)
        keys = [self.database.preference(position.state, choice) for choice in choices]
        best = [choice for choice, key in zip(choices, keys, strict=True) if key == keys[0]]
        soonest = self.shortest(position, best)
        return [*soonest, *(choice for choice in choices if choice not in soonest)]

    def shortest(self, position: Position, best: Sequence[Choice]) -> list[Choice]:
        """Return of equally good moves those that come soonest to what is won; all where nothing is, or no way was found."""
        if not self.needed or len(best) == 1 or self.database.rule.kind(self.database.probe(position)) != "win":
            return list(best)
        if settling := [choice for choice in best if self._is_settled(position, choice, wins=True)]:
            return settling
        if position not in self._plies:
            self._search(position)
        plies = [self._plies.get(choice.position, math.inf) for choice in best]
        return [choice for choice, left in zip(best, plies, strict=True) if left == min(plies)]

    def _is_settled(self, position: Position, choice: Choice, wins: bool) -> bool:
        """Tell whether after a move nothing is left to be won, or no move leads back; `wins`: its player was ahead."""
        if self.database.rule.kind(choice.value) != ("loss" if wins else "win"):
            return True
        if len(self._parts) == 1:
            return False
        before, after = self._part_of(position), self._part_of(choice.position)
        return before != after and before not in self._reach(after)

    def _part_of(self, position: Position) -> str:
        """Return the name of a position's part; "" for a terminal one that the index leaves out."""
        number = self.database.number(position)
        return next((part.name for part in self._parts if part.start <= number < part.stop), "")

    def _reach(self, part: str) -> set[str]:
        """Return the parts to which moves lead from a part, in the end."""
        if part not in self._leads_to:
            found, waiting = set(self._needs[part]), list(self._needs[part])
            while waiting:
                new = set(self._needs[waiting.pop()]) - found
                found |= new
                waiting += new
            self._leads_to[part] = found
        return self._leads_to[part]

    def _search(self, start: Position) -> None:
        """Search the positions around one whose player wins, until it is known in how many plies, or too many are seen."""
        after: dict[Position, list[Position]] = {}
        waiting, wins = deque([start]), {start: True}
        part, found = self._part_of(start), dict[Position, int]()
        for most in MOST[:-1] if part in self._hard else MOST:
            while waiting and len(after) < most:
                position = waiting.popleft()
                after[position] = self._successors(position, wins[position])
                for one in after[position]:
                    if one not in wins:
                        wins[one] = not wins[position]
                        waiting.append(one)
            found = _plies(after, wins)
            if start in found or not waiting:
                break
        if start not in found:
            self._hard.add(part)
        if len(self._plies) > KEPT:
            self._plies.clear()
        self._plies |= found

    def _successors(self, position: Position, wins: bool) -> list[Position]:
        """Return the positions after the best moves; none where the next move settles the play. `wins`: its player is ahead."""
        choices, _ = self.database.moves_within(position)
        keys = [self.database.preference(position.state, choice) for choice in choices]
        best = [choice for choice, key in zip(choices, keys, strict=True) if key == keys[0]]
        left = [choice.position for choice in best if not self._is_settled(position, choice, wins)]
        return [] if wins and len(left) < len(best) else left


def _plies(after: dict[Position, list[Position]], wins: dict[Position, bool]) -> dict[Position, int]:
    """Return for each position in how many plies its winner can settle the play; those without successors need one.

    The winner has one move for it, and all replies of the opponent lead there.
    """
    before: dict[Position, list[Position]] = {}
    for position, successors in after.items():
        for one in successors:
            before.setdefault(one, []).append(position)
    found = {position: 1 for position, successors in after.items() if not successors}
    left = {position: len(successors) for position, successors in after.items()}
    waiting = deque(found)
    while waiting:
        position = waiting.popleft()
        for one in before.get(position, []):
            left[one] -= 1
            if one not in found and (wins[one] or left[one] == 0):
                found[one] = found[position] + 1
                waiting.append(one)
    return found
