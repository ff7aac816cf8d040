"""The automaton of moves: sequences of moves that others make superfluous are not tried (Taylor and Korf 1993).

Where moves are rearrangements, two sequences that lead from one state to the same state do so from every state that they
are possible in. So all sequences of a few moves are compared once, in the order of their lengths and then of their moves,
and of those that do the same only the first is allowed. Whatever stands before or behind, a sequence that is not allowed
can be replaced by an earlier one, again and again: it ends, as the order does not change by what stands around, with a path
that is not longer and has no such sequence in it. So a search that skips them finds every state at its least cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.game import Game

MOST_SEQUENCES: Final = 1_000_000
"""How many allowed sequences are looked at: each takes a few microseconds, and about a kilobyte."""
MOST_SITUATIONS: Final = 1_000

Steps = tuple[int, ...]
"""A sequence of moves: each the situation it is played in, times the largest number of moves, plus its place among them."""


class Situation(NamedTuple):
    """Hold the moves of states that have the same ones, in their order, and the situation that each leads to."""

    moves: tuple[int, ...]
    next: tuple[int, ...]
    state: tuple[int, ...]
    """One of the states."""


@dataclass(frozen=True)
class Automaton:
    """Say which move may follow a path: ``table[at, place]`` is where the automaton goes, -1 where the move is not tried.

    `place` is that of the move among those of the state. The automaton begins in the state of `situations` that has the
    moves of the first state. `table` is int32 [states, largest number of moves].
    """

    table: npt.NDArray[np.int32]
    situations: dict[tuple[int, ...], int]
    forbidden: int
    """How many sequences are not allowed."""

    def first(self, moves: tuple[int, ...]) -> int:
        """Return where the automaton is at a state with these moves before any move. Raises BadRequest."""
        if moves not in self.situations:
            raise BadRequest(f"automaton: {moves} are the moves of no state that the start leads to")
        return self.situations[moves]

    @cached_property
    def functions(self) -> dict[str, Any]:
        """Return the functions that take the place of FSM_PRUNING and `fsm_next`."""
        table = self.table

        def fsm_next(at: int, place: int) -> int:
            return int(table[at, place])

        return {"FSM_PRUNING": True, "fsm_next": fsm_next}


@lru_cache(maxsize=32)
def automaton(game: Game, depth: int) -> Automaton:
    """Return the automaton that knows all sequences of at most `depth` moves. Raises BadRequest.

    Only a game whose moves are rearrangements has one (`Game.rearranges`).
    """
    if depth < 1:
        raise BadRequest(f"automaton {depth}: expected at least one move, or 0 for none")
    if not game.rearranges:
        raise BadRequest(
            f"automaton {depth}: {game} does not claim that its moves are rearrangements, so that what a sequence of moves "
            "does would be the same in every state"
        )
    situations = _situations(game)
    return _joined(situations, _superfluous(game, situations, depth), game.max_moves)


def _situations(game: Game) -> list[Situation]:
    """Return all situations that the start's leads to; they follow from each other, as moves are rearrangements."""
    numbers: dict[tuple[int, ...], int] = {}
    found: list[Situation] = []

    def number_of(state: list[int]) -> int:
        moves = tuple(game.moves(state))
        if moves not in numbers:
            if len(numbers) == MOST_SITUATIONS:
                raise BadRequest(f"automaton: {game} has more than {MOST_SITUATIONS:,} different lists of moves")
            numbers[moves] = len(found)
            found.append(Situation(moves, (), tuple(state)))
        return numbers[moves]

    number_of(game.start())
    for number, one in enumerate(found):  # which grows
        for move in one.moves:
            if game.call("cost", list(one.state), move) != 1:
                raise BadRequest(f"automaton: a move of {game} costs {game.call('cost', list(one.state), move)}, not 1")
        found[number] = one._replace(next=tuple(number_of(game.play(one.state, move)) for move in one.moves))
    return found


def _superfluous(game: Game, situations: list[Situation], depth: int) -> set[Steps]:
    """Return the shortest sequences that lead to a state which an earlier one leads to."""
    found: set[Steps] = set()
    seen = [{one.state} for one in situations]
    edge: list[tuple[int, int, tuple[int, ...], Steps]] = [
        (first, first, one.state, ()) for first, one in enumerate(situations)
    ]
    total = 0
    for _ in range(depth):
        ahead = []
        for first, at, state, steps in edge:
            for place, move in enumerate(situations[at].moves):
                longer = (*steps, at * game.max_moves + place)
                if any(longer[begin:] in found for begin in range(1, len(longer))):
                    continue
                after = tuple(game.play(state, move))
                if after in seen[first]:
                    found.add(longer)
                    continue
                seen[first].add(after)
                ahead.append((first, situations[at].next[place], after, longer))
            total += len(situations[at].moves)
            if total > MOST_SEQUENCES:
                raise BadRequest(
                    f"automaton {depth}: {game} has more than {MOST_SEQUENCES:,} sequences of so many moves"
                )
        edge = ahead
    return found


def _joined(situations: list[Situation], forbidden: set[Steps], width: int) -> Automaton:
    """Return the automaton of Aho and Corasick that notices any of the sequences."""
    prefixes = {steps[:length] for steps in forbidden for length in range(1, len(steps))}
    numbers = {steps: len(situations) + place for place, steps in enumerate(sorted(prefixes, key=len))}
    table = np.full((len(situations) + len(numbers), width), -1, np.int32)
    fallback = np.zeros(len(table), np.int32)
    """Where the automaton is if the first step of a prefix is forgotten, as far as that is a prefix."""

    def fill(number: int, steps: Steps, at: int) -> None:
        for place, ahead in enumerate(situations[at].next):
            longer = (*steps, at * width + place)
            shorter = int(table[fallback[number], place]) if steps else ahead
            if longer in forbidden:
                continue
            table[number, place] = numbers.get(longer, shorter)
            if longer in numbers:
                fallback[numbers[longer]] = shorter

    for number, _ in enumerate(situations):
        fill(number, (), number)
    for steps, number in numbers.items():
        last = situations[steps[-1] // width]
        fill(number, steps, last.next[steps[-1] % width])
    return Automaton(table, {one.moves: number for number, one in enumerate(situations)}, len(forbidden))
