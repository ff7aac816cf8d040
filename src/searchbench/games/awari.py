"""Awari by the number of stones on the board (Allis 1994, section 2.4.2; Gasser 1995, section 1.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Final

from searchbench.board import counted
from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.index import Composition, Part, Sum
from searchbench.jit import popcount
from searchbench.rules import UNDECIDED, State

ROW: Final = 6
PITS: Final = 2 * ROW
OTHERS: Final = PITS - 1
"""A round of sowing skips the pit it began in."""

SLAMS: Final = ("last", "kept", "free")
LAST, KEPT, FREE = range(3)
"""Treatment of moves that leave the opponent no stone: see `Awari`."""

# A move is stones << 16 | threes << 8 | captured << 4 | pit: the sown pit and its stones, the number of captured pits
# (backwards from the last stone), and which of these contain three stones, not two.


@dataclass(frozen=True)
class Awari(Game):
    """Win more than half of the stones; a state is a board with up to `stones` stones, seen by the player to move.

    Pits 0 .. 5 are the mover's, 6 .. 11 the opponent's. A player without stones cannot move, and the opponent gets the
    rest; endless play gains nothing. By the rules of Allis 1994 a move that leaves the opponent no stone is legal only
    if every move does: `slam` "last". With "kept" a capture of all the opponent's stones captures none, and is not such
    a move. With "free" all moves are legal and all captures count.
    """

    name: ClassVar[str] = "awari"
    values: ClassVar[str] = "score"

    stones: int = 6
    slam: str = "last"

    def __post_init__(self) -> None:
        if not 1 <= self.stones <= 48:
            raise ValueError(f"{self.stones} stones: expected 1 to 48")
        if self.slam not in SLAMS:
            raise ValueError(f"slam {self.slam!r}: expected {', '.join(SLAMS)}")

    @property
    def width(self) -> int:
        """Return the number of pits."""
        return PITS

    @property
    def max_moves(self) -> int:
        """Return the number of pits in a row."""
        return ROW

    @property
    def max_unmoves(self) -> int:
        """Return a bound: any number of stones from each pit, and any run of captured pits with two or three each."""
        runs = sum(
            1 << captured for last in range(ROW) for captured in range(1, last + 2) if 2 * captured <= self.stones
        )
        rounds = min(
            3, 1 + (self.stones - 1) // OTHERS
        )  # a captured pit received its three stones in at most three rounds
        return ROW * (self.stones + rounds * runs)

    def index(self) -> Sum:
        """Return an index of all boards, those with fewer stones first."""
        return Sum({str(stones): Composition(stones, PITS) for stones in range(self.stones + 1)}, stones_on_board)

    def parts(self) -> list[Part]:
        """Return one part per number of stones; captures lead to parts with fewer."""
        names = [str(stones) for stones in range(self.stones + 1)]
        needs = {name: tuple(names[: stones + 1]) for stones, name in enumerate(names)}
        return self.index().parts(needs | {"0": ()})

    def called_part(self, part: str) -> str:
        """Return the number of stones in words."""
        return counted(part, "stone")

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move encodes the pit, its stones and its captures."""
        most, slam = self.stones, SLAMS.index(self.slam)

        def start(state: State) -> None:
            for pit in range(PITS):
                state[pit] = most * (PITS - pit) // PITS - most * (PITS - 1 - pit) // PITS

        def terminal(state: State) -> int:
            return UNDECIDED if row(state, 0) > 0 else -row(state, ROW)

        def moves(state: State, out: MutableSequence[int]) -> int:
            return legal_moves(state, out, slam)

        def play(state: State, move: int) -> None:
            sow_and_capture(state, move)
            turn(state)

        def unplay(state: State, move: int) -> None:
            turn(state)
            take_back(state, move)

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            turn(state)
            room = most - stones_on_board(state)
            count = 0
            for pit in range(ROW):
                if state[pit] != 0:
                    continue
                for stones in range(1, most + 1):
                    last = pit + (stones - 1) % OTHERS + 1
                    captured = 0
                    while True:
                        for threes in range(1 << captured):
                            move = stones << 16 | threes << 8 | captured << 4 | pit
                            if gain(state, move) <= room and possible(state, move, slam):
                                out[count] = move
                                count += 1
                        if not (ROW <= last - captured < PITS and state[last - captured] == 0):
                            break
                        captured += 1
            turn(state)
            return count

        def unmoves_within(state: State, out: MutableSequence[int]) -> int:
            turn(state)
            fed = slam == FREE or row(state, ROW) > 0
            count = 0
            for pit in range(ROW):
                if state[pit] != 0:
                    continue
                place = pit
                stones = 0
                round_of_sowing = 1
                while True:
                    place = place + 1 if place < PITS - 1 else 0
                    if place == pit:
                        place = place + 1 if place < PITS - 1 else 0
                        round_of_sowing += 1
                    if state[place] < round_of_sowing:  # without a capture all stones of the move are still there
                        break
                    stones += 1
                    move = stones << 16 | pit
                    caught = place >= ROW and 2 <= state[place] <= 3
                    if caught and slam != KEPT:
                        continue
                    if (fed and not caught) or possible(state, move, slam):
                        out[count] = move
                        count += 1
            turn(state)
            return count

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": unmoves,
            "unmoves_within": unmoves_within, "gain": gain,
        }  # fmt: skip

    def parse(self, text: str) -> list[int]:
        """Read the stones of the mover's pits and of the opponent's, in the order of sowing."""
        state = super().parse(text)
        if len(state) != PITS or min(state) < 0 or sum(state) > self.stones:
            raise BadState(f"{self}: {text!r}: expected {PITS} pits with at most {self.stones} stones together")
        return state

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move as in Allis 1994: the pit A .. F, its stones, and the number captured: "C4", "F2x4"."""
        return told_move(list(state), move)

    def board(self) -> Board:
        """Return the mover's row below, left to right, and the opponent's above, right to left."""
        below = tuple((float(pit), 1.0) for pit in range(ROW))
        above = tuple((float(ROW - 1 - pit), 0.0) for pit in range(ROW))
        opposite = tuple((pit + ROW) % PITS for pit in range(PITS))
        return Board(below + above, shape="pit", opposite=opposite, names=tuple("ABCDEFabcdef"))

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the sown pit."""
        return [move & 15]

    def known(self) -> Mapping[str, Any]:
        """Return the number of boards."""
        return {"states": comb(self.stones + PITS, PITS)}


def row(state: State, first: int) -> int:
    """Return the number of stones in the row that starts at pit `first`."""
    total = 0
    for pit in range(first, first + ROW):
        total += state[pit]
    return total


def stones_on_board(state: State) -> int:
    """Return the number of stones on the board."""
    return row(state, 0) + row(state, ROW)


def gain(state: State, move: int) -> int:
    """Return the number of stones that a move captures."""
    return 2 * ((move >> 4) & 15) + popcount((move >> 8) & 255)


def told_move(state: State, move: int) -> str:
    """Return the pit of a move, its stones, and the number captured if any."""
    captured = gain(state, move)
    return f"{'ABCDEF'[move & 15]}{move >> 16}" + (f"x{captured}" if captured else "")


def given(pit: int, stones: int) -> int:
    """Return the number of stones sown from a pit that fall into the opponent's pits."""
    reach = (stones - 1) % OTHERS + 1 - (ROW - 1 - pit)
    return (stones - 1) // OTHERS * ROW + max(0, min(reach, ROW))


def sowing(state: State, pit: int, slam: int) -> int:
    """Return the move that sows a pit: capture backwards from the last stone the opponent's pits with 2 or 3 stones."""
    stones = state[pit]
    sown = (stones - 1) // OTHERS + 1
    place = pit + (stones - 1) % OTHERS + 1
    captured = 0
    threes = 0
    while ROW <= place < PITS and 2 <= state[place] + sown <= 3:
        threes |= (state[place] + sown - 2) << captured
        captured += 1
        place -= 1
    if slam == KEPT and 2 * captured + popcount(threes) == row(state, ROW) + given(pit, stones):
        return stones << 16 | pit
    return stones << 16 | threes << 8 | captured << 4 | pit


def legal_moves(state: State, out: MutableSequence[int], slam: int) -> int:
    """Write the legal moves, those of the right pits first, and return their number."""
    count = 0
    fed = False
    for pit in range(ROW - 1, -1, -1):
        if state[pit] == 0:
            continue
        move = sowing(state, pit, slam)
        feeding = slam == FREE or feeds(state, move)
        if feeding and not fed:
            fed = True
            count = 0  # the moves so far starve the opponent; this one does not
        if fed == feeding:
            out[count] = move
            count += 1
    return count


def sow(state: State, pit: int, stones: int, sign: int) -> None:
    """Add `sign` to the next `stones` pits, cyclically, skipping `pit`."""
    place = pit
    for _ in range(stones):
        place = place + 1 if place < PITS - 1 else 0
        if place == pit:
            place = place + 1 if place < PITS - 1 else 0
        state[place] += sign


def sow_and_capture(state: State, move: int) -> None:
    """Play a move, keeping the mover's view of the board."""
    pit, stones = move & 15, move >> 16
    sow(state, pit, stones, 1)
    state[pit] = 0
    last = pit + (stones - 1) % OTHERS + 1
    for index in range((move >> 4) & 15):
        state[last - index] = 0


def take_back(state: State, move: int) -> None:
    """Undo `sow_and_capture`."""
    pit, stones = move & 15, move >> 16
    last = pit + (stones - 1) % OTHERS + 1
    for index in range((move >> 4) & 15):
        state[last - index] = 2 + ((move >> (8 + index)) & 1)
    sow(state, pit, stones, -1)
    state[pit] = stones


def turn(state: State) -> None:
    """Exchange the players' rows."""
    for pit in range(ROW):
        state[pit], state[pit + ROW] = state[pit + ROW], state[pit]


def possible(state: State, move: int, slam: int) -> bool:
    """Tell whether a move can have led to the board, in the mover's view: undo it and check that it is legal."""
    fed = slam == FREE or row(state, ROW) > 0
    take_back(state, move)
    answer = True
    for pit in range(PITS):
        answer = answer and state[pit] >= 0
    answer = answer and sowing(state, move & 15, slam) == move and (fed or not can_feed(state, slam))
    sow_and_capture(state, move)
    return answer


def feeds(state: State, move: int) -> bool:
    """Tell whether a move leaves the opponent a stone."""
    return row(state, ROW) + given(move & 15, move >> 16) > gain(state, move)


def can_feed(state: State, slam: int) -> bool:
    """Tell whether any move leaves the opponent a stone."""
    for pit in range(ROW):
        if state[pit] > 0 and feeds(state, sowing(state, pit, slam)):
            return True
    return False
