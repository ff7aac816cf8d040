"""Towers of Hanoi with any number of pegs (Lucas 1883; four pegs: Dudeney's Reve's puzzle)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from searchbench.errors import BadState
from searchbench.families.backwards import backwards
from searchbench.game import Board, Game
from searchbench.index import Index, Radix
from searchbench.rules import UNDECIDED, State


@dataclass(frozen=True)
class Hanoi(Game):
    """Move all discs from the first peg to the last, one at a time, never a larger one onto a smaller one.

    A state contains the peg of each disc, smallest disc first.
    """

    name: ClassVar[str] = "hanoi"
    consistent: ClassVar[bool] = True

    discs: int = 6
    pegs: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.discs <= 60:
            raise ValueError(f"{self.discs} discs: expected 1 to 60")
        if not 3 <= self.pegs <= 10:
            raise ValueError(f"{self.pegs} pegs: expected 3 to 10")

    @property
    def width(self) -> int:
        """Return the number of discs."""
        return self.discs

    @property
    def max_moves(self) -> int:
        """Return the number of moves when every peg has a disc: one between any two pegs."""
        return self.pegs * (self.pegs - 1) // 2

    @property
    def locality(self) -> int:
        """Return 1: a move undoes every move."""
        return 1

    def index(self) -> Index | None:
        """Return an index with the discs' pegs as digits, if there are fewer than 2^63 states."""
        return Radix((self.pegs,) * self.discs) if self.pegs**self.discs < 1 << 63 else None

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``(disc * pegs + from) * pegs + to``."""
        discs, pegs = self.discs, self.pegs
        goal = pegs - 1

        def start(state: State) -> None:
            for disc in range(discs):
                state[disc] = 0

        def terminal(state: State) -> int:
            for disc in range(discs):
                if state[disc] != goal:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            # Large discs first, to the last peg first: a large disc that can move probably should.
            count = 0
            for disc in range(discs - 1, -1, -1):
                covered = 0
                for smaller in range(disc):
                    covered |= 1 << state[smaller]
                if (covered >> state[disc]) & 1:
                    continue
                for peg in range(goal, -1, -1):
                    if peg != state[disc] and not (covered >> peg) & 1:
                        out[count] = (disc * pegs + state[disc]) * pegs + peg
                        count += 1
            return count

        def play(state: State, move: int) -> None:
            state[move // (pegs * pegs)] = move % pegs

        def inverse(move: int) -> int:
            disc = move // (pegs * pegs)
            return (disc * pegs + move % pegs) * pegs + move // pegs % pegs

        def reversal(state: State) -> None:
            # Exchange the first and the last peg; every move is reversible.
            for disc in range(discs):
                if state[disc] == 0 or state[disc] == goal:
                    state[disc] = goal - state[disc]

        def h(state: State, tables: Any) -> int:
            # When a disc that is not home first moves, all smaller discs are on other pegs than its own and its target;
            # the same holds when it last moves, to the goal. So each smaller disc on its peg or on the goal moves at
            # least twice, any other once. Take the maximum over all such discs: otherwise the bound would fall when a
            # large disc leaves its home.
            best = 0
            for disc in range(discs):
                if state[disc] != goal:
                    total = 1
                    for smaller in range(disc):
                        total += 2 if state[smaller] == goal or state[smaller] == state[disc] else 1
                    best = max(best, total)
            return best

        return {
            **backwards(moves, play, inverse), "start": start, "terminal": terminal, "moves": moves, "play": play,
            "inverse": inverse, "reversal": reversal, "h": h,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the discs' pegs, smallest disc first."""
        state = super().parse(text)
        if len(state) != self.discs or not all(0 <= peg < self.pegs for peg in state):
            raise BadState(
                f"{self}: {text!r}: expected {self.discs} pegs from 0 to {self.pegs - 1}, smallest disc first"
            )
        return state

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the pegs that a disc leaves and reaches."""
        return f"{move // self.pegs % self.pegs}>{move % self.pegs}"

    def board(self) -> Board:
        """Return the pegs side by side, each a column of places, the highest first."""
        return Board(
            tuple((float(peg), float(place)) for place in range(self.discs) for peg in range(self.pegs)), shape="bar"
        )

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the discs' sizes, from 1."""
        towers = [[str(disc + 1) for disc in range(self.discs) if state[disc] == peg] for peg in range(self.pegs)]
        columns = [[""] * (self.discs - len(tower)) + tower for tower in towers]
        return [columns[peg][place] for place in range(self.discs) for peg in range(self.pegs)]

    def known(self) -> Mapping[str, Any]:
        """Return the number of states and the start's distance: 2^n - 1 for three pegs, Frame and Stewart's for four.

        Bousch (2014) proved Frame and Stewart's number minimal for four pegs.
        """
        states = self.pegs**self.discs
        found: dict[str, Any] = {"states": states, "reachable": states}
        if self.pegs == 3:
            found |= {"start": str(2**self.discs - 1), "deepest": 2**self.discs - 1}
        elif self.pegs == 4:
            found["start"] = str(frame_stewart(self.discs))
        return found


def frame_stewart(discs: int) -> int:
    """Return Frame and Stewart's number of moves with four pegs: the sum of 1, then 2 twice, 4 three times, 8 four times, ..."""
    total, step, run = 0, 0, 0
    for _ in range(discs):
        total += 1 << step
        run += 1
        if run > step:
            step, run = step + 1, 0
    return total
