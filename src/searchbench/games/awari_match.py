"""Awari as a match to its end, with both stores (Allis 1994, sections 2.4.1 and 2.4.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.games.awari import (
    LAST,
    PITS,
    ROW,
    Awari,
    gain,
    legal_moves,
    row,
    sow_and_capture,
    stones_on_board,
    take_back,
    told_move,
    turn,
)
from searchbench.rules import NOWHERE, UNDECIDED, State

OWN: Final = PITS
OTHER: Final = PITS + 1
"""The cells of the stores: that of the player to move, and the opponent's."""


@dataclass(frozen=True)
class AwariMatch(Game):
    """Capture more than half of all stones; a state is the board and both stores, seen by the player to move.

    The rules are those of `Awari` with `slam` "last". The match ends when a player has more than half of the stones, or
    the player to move has none in her row: the opponent takes the rest. When play repeats, the stones on the board are
    divided evenly. The last two cells are the stores of the player to move and of the opponent.
    """

    name: ClassVar[str] = "awari-match"
    values: ClassVar[str] = "outcome"

    stones: int = 48

    def __post_init__(self) -> None:
        if not 1 <= self.stones <= 48:
            raise ValueError(f"{self.stones} stones: expected 1 to 48")

    @property
    def width(self) -> int:
        """Return the number of pits and stores."""
        return PITS + 2

    @property
    def max_moves(self) -> int:
        """Return the number of pits in a row."""
        return ROW

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; moves are those of `Awari`."""
        total = self.stones

        def start(state: State) -> None:
            for pit in range(PITS):
                state[pit] = total * (PITS - pit) // PITS - total * (PITS - 1 - pit) // PITS
            state[OWN] = 0
            state[OTHER] = 0

        def terminal(state: State) -> int:
            if 2 * state[OWN] > total:
                return 1
            if 2 * state[OTHER] > total:
                return -1
            if row(state, 0) > 0:
                return UNDECIDED
            return sign(2 * state[OWN] - total)

        def moves(state: State, out: MutableSequence[int]) -> int:
            return legal_moves(state, out, LAST)

        def play(state: State, move: int) -> None:
            state[OWN] += gain(state, move)
            sow_and_capture(state, move)
            turn(state)
            state[OWN], state[OTHER] = state[OTHER], state[OWN]

        def unplay(state: State, move: int) -> None:
            state[OWN], state[OTHER] = state[OTHER], state[OWN]
            turn(state)
            take_back(state, move)
            state[OWN] -= gain(state, move)

        def repetition(state: State) -> int:
            return sign(state[OWN] - state[OTHER])

        def outcome_with(state: State, score: int) -> int:
            return sign(state[OWN] - state[OTHER] + score)

        def evaluate(state: State) -> int:
            return state[OWN] - state[OTHER]

        def first_proof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
            return (total + 1 + bound) // 2 - state[OWN]

        def first_disproof(state: State, bound: int, depth: int, scratch: MutableSequence[int]) -> int:
            return (total + 2 - bound) // 2 - state[OTHER]

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay,
            "repetition": repetition, "outcome_with": outcome_with, "evaluate": evaluate, "urgency": gain,
            "first_proof": first_proof, "first_disproof": first_disproof,
        }  # fmt: skip

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return the number of the board in a database of `Awari` by the same rules, if it has few enough stones."""
        if not isinstance(other, Awari) or other.slam != "last":
            return None
        most, number = other.stones, other.index().functions()[0]

        def rank_of_board(state: State, scratch: State) -> int:
            if stones_on_board(state) > most:
                return NOWHERE
            for pit in range(PITS):
                scratch[pit] = state[pit]
            return int(number(scratch))

        return rank_of_board

    def parse(self, text: str) -> list[int]:
        """Read the stones of the mover's pits and of the opponent's, in the order of sowing, then those of both stores."""
        state = super().parse(text)
        if len(state) != self.width or min(state) < 0 or sum(state) != self.stones:
            raise BadState(
                f"{self}: {text!r}: expected {PITS} pits and the two stores, the mover's first, "
                f"with {self.stones} stones together"
            )
        return state

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move as in Allis 1994: "C4", "F2x4"."""
        return told_move(list(state), move)

    def board(self) -> Board:
        """Return the mover's row below, the opponent's above, and the stores: the mover's at the right."""
        pits = Awari(self.stones).board()
        return Board(
            (*pits.cells, (float(ROW), 1.0), (-1.0, 0.0)),
            shape="pit",
            opposite=(*pits.opposite, OTHER, OWN),
            names=(*pits.names, "own store", "other store"),
        )

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the sown pit."""
        return [move & 15]


def sign(number: int) -> int:
    """Return -1, 0 or +1."""
    return -1 if number < 0 else 1 if number > 0 else 0
