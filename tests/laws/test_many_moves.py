"""Games with very many moves in a state: they are compiled however few their states are, and trials look at some moves."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from typing import Any

from searchbench import UNDECIDED, Game, solve
from searchbench.index import Radix
from searchbench.testing.subject import Subject


@dataclass(frozen=True)
class TwoHeaps(Game):
    """Take from two heaps, never as many from one as from the other; who takes the last ones wins."""

    name = "two-heaps"
    values = "outcome"
    width = 2
    heap: int = 5

    @property
    def max_moves(self) -> int:
        """Return how many moves a state has at most."""
        return (self.heap + 1) ** 2

    def index(self) -> Radix:
        """Return the numbers of all states."""
        return Radix((self.heap + 1, self.heap + 1))

    def rules(self) -> dict[str, Callable[..., Any]]:
        """Return the rules: a move is (heap + 1) times what is taken from the first heap, and what from the second."""
        heap, base = self.heap, self.heap + 1

        def start(state: MutableSequence[int]) -> None:
            state[0] = state[1] = heap

        def terminal(state: MutableSequence[int]) -> int:
            return -1 if state[0] == 0 and state[1] == 0 else UNDECIDED

        def pairs(one: int, other: int, out: MutableSequence[int]) -> int:
            count = 0
            for first in range(one + 1):
                for second in range(other + 1):
                    if first != second:
                        out[count] = first * base + second
                        count += 1
            return count

        def moves(state: MutableSequence[int], out: MutableSequence[int]) -> int:
            return pairs(state[0], state[1], out)

        def unmoves(state: MutableSequence[int], out: MutableSequence[int]) -> int:
            return pairs(heap - state[0], heap - state[1], out)

        def play(state: MutableSequence[int], move: int) -> None:
            state[0] -= move // base
            state[1] -= move % base

        def unplay(state: MutableSequence[int], move: int) -> None:
            state[0] += move // base
            state[1] += move % base

        return {
            "start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay,
        }  # fmt: skip


def test_few_states_with_many_moves_are_compiled() -> None:
    assert TwoHeaps(10).quickest_target == "interpreted"
    assert TwoHeaps(30).quickest_target == "cpu"


def test_trials_look_at_some_of_very_many_moves() -> None:
    """Each of the moves that are looked at lists as many again: 930 x 930 for a start with two heaps of 30."""
    game = TwoHeaps(30)
    start = tuple(game.start())
    tried, checked = (Subject(game, 10, 0, all_moves=whole) for whole in (False, True))
    assert len(checked.tried_moves(start)) == len(game.moves(start)) == 930
    assert len(tried.tried_moves(start)) * 930 < 60_000
    assert set(tried.tried_moves(start)) < set(tried.moves(start))
    assert tried.tried_unmoves(start) == tried.unmoves(start) == []
    small = Subject(TwoHeaps(5), 10, 0, all_moves=False)
    assert small.tried_moves((5, 5)) == small.moves((5, 5))


def test_values_are_those_of_the_definition() -> None:
    """A state is lost where every move leads to one that is won."""
    heap = 7
    lost: set[tuple[int, int]] = set()
    for total in range(2 * heap + 1):
        for one in range(max(0, total - heap), min(heap, total) + 1):
            other = total - one
            after = {(one - a, other - b) for a in range(one + 1) for b in range(other + 1) if a != b}
            if not after & lost:
                lost.add((one, other))
    database = solve(TwoHeaps(heap), threads=1)
    assert {position.state for position in database.find("loss")} == lost
