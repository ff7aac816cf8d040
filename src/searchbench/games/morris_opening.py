"""Nine Men's Morris from the empty board: men are placed alternately, then moved (Gasser 1995, sections 5.1 and 5.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from searchbench.errors import BadState
from searchbench.game import Board, Game
from searchbench.games.morris import Morris, moving
from searchbench.games.morris.board import BOARD_SYMMETRIES, NAMES, POINTS, closings, men_in_words
from searchbench.games.morris.moving import JUMPING
from searchbench.games.morris.numbering import numbering, space_of
from searchbench.games.morris.placements import MOST
from searchbench.games.morris.placing import HAND, Stage, add_unplacings, following, placings, stages
from searchbench.hashing import mix
from searchbench.index import Part
from searchbench.index.bisection import last_start
from searchbench.jit import popcount
from searchbench.rules import NOWHERE, UNDECIDED, State

_ABSENT: Final = -(1 << 62)


@dataclass(frozen=True)
class MorrisOpening(Game):
    """Place men alternately, then move them; a mill removes a man, and a player who cannot have three men loses.

    A state is three words: the points of the mover's men, those of the opponent's, and the number of men still to be
    placed by both. With none left the game is "morris", whose databases supply the values.
    """

    name: ClassVar[str] = "morris-opening"
    dtype: ClassVar[Any] = np.int64
    values: ClassVar[str] = "outcome"
    closed: ClassVar[bool] = False

    men: int = 9

    def __post_init__(self) -> None:
        if not 3 <= self.men <= MOST:
            raise ValueError(f"{self.men} men each: expected 3 to {MOST}")

    @property
    def called(self) -> str:
        """Return the name with the number of men."""
        return "Nine Men's Morris from the empty board" + f", {self.men} men each" * (self.men != MOST)

    @property
    def width(self) -> int:
        """Return three: a word of men per player, and the number of men still to be placed."""
        return 3

    @property
    def max_moves(self) -> int:
        """Return a bound: a man goes to any free point and may remove any man; then as in the midgame."""
        return max(Morris(self.men, self.men).max_moves, *((POINTS - a - b) * max(b, 1) for _, a, b in self.stages()))

    @property
    def max_unmoves(self) -> int:
        """Return a bound: as in the midgame, or each man was just placed and has removed a man from any other point."""
        return Morris(self.men, self.men).max_unmoves + self.men * POINTS

    def stages(self) -> list[Stage]:
        """Return the possible numbers of men: by men still to be placed, then by men on the board."""
        return stages(self.men)

    def parts(self) -> list[Part]:
        """Return one part per stage, such as "3-2+1"; without men to place, the parts of the midgame."""
        stages, found, start = self.stages(), [], 0
        for stage in stages:
            size = space_of(stage.own, stage.other, BOARD_SYMMETRIES).size
            needs = tuple(after.name for after in following(stage, self.men) if after in stages)
            found.append(Part(stage.name, start, start + size, needs))
            start += size
        return found

    def called_part(self, part: str) -> str:
        """Return the men of both players in words, and those still to be placed."""
        return men_in_words(part)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``from | to << 5 | (removed + 1) << 10`` with `HAND` as origin of a placed man."""
        men, plies = self.men, 2 * self.men
        present = np.zeros((plies + 2, MOST + 2, MOST + 2), np.bool_)
        for stage in self.stages():
            present[stage] = True

        def start(state: State) -> None:
            state[0] = state[1] = 0
            state[2] = plies

        def terminal(state: State) -> int:
            if state[2] == 0:
                return moving.terminal(state)
            in_hand = men - ((plies - state[2]) >> 1)
            return -1 if popcount(state[0]) + in_hand < JUMPING else UNDECIDED

        def legal(state: State) -> bool:
            own, other, played = int(state[0]), int(state[1]), plies - state[2]
            lost = (played >> 1) - popcount(own)
            taken = ((played + 1) >> 1) - popcount(other)
            return bool(closings(own) <= taken and closings(other) <= lost)

        def moves(state: State, out: MutableSequence[int]) -> int:
            return moving.moves(state, out) if state[2] == 0 else placings(state, out)

        def conversions(state: State, out: MutableSequence[int]) -> int:
            return moving.conversions(state, out) if state[2] == 0 else placings(state, out)

        def play(state: State, move: int) -> None:
            if move & 31 == HAND:
                mover = state[0] | 1 << ((move >> 5) & 31)
                state[0] = state[1] & ~((1 << (move >> 10)) >> 1)
                state[1] = mover
                state[2] -= 1
            else:
                moving.play(state, move)

        def unplay(state: State, move: int) -> None:
            if move & 31 == HAND:
                mover = state[1] ^ 1 << ((move >> 5) & 31)
                state[1] = state[0] | ((1 << (move >> 10)) >> 1)
                state[0] = mover
                state[2] += 1
            else:
                moving.unplay(state, move)

        def unmoves_within(state: State, out: MutableSequence[int]) -> int:
            if state[2] == 0 and present[0, popcount(state[1]), popcount(state[0])]:
                return moving.unmoves_within(state, out)
            return 0

        def unmoves(state: State, out: MutableSequence[int]) -> int:
            waiting, mover = int(state[0]), int(state[1])
            count = unmoves_within(state, out)
            if state[2] == 0 and present[0, popcount(mover), popcount(waiting) + 1]:
                count = moving.add_uncaptures(mover, waiting, out, count)
            before = state[2] + 1
            if popcount(mover) == 0:
                return count
            quiet = present[before, popcount(mover) - 1, popcount(waiting)]
            capture = present[before, popcount(mover) - 1, popcount(waiting) + 1]
            return add_unplacings(mover, waiting, quiet, capture, out, count)

        return {
            "start": start, "terminal": terminal, "legal": legal, "moves": moves, "conversions": conversions,
            "play": play, "unplay": unplay, "unmoves": unmoves, "unmoves_within": unmoves_within,
            **_numbering(self),
        }  # fmt: skip

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return a function that ranks states without men to place in a midgame of at least as many men; None for other games."""
        if not isinstance(other, Morris) or min(other.own, other.other) < self.men:
            return None
        class_rank = other.rules()["canonical_rank"]

        def number_in_midgame(state: State, scratch: State) -> int:
            return int(class_rank(state, scratch)) if state[2] == 0 else NOWHERE

        return number_in_midgame

    def parse(self, text: str) -> list[int]:
        """Read W (to move), B or . for each point, as in "morris", then + and the number of men still to be placed."""
        board, _, left = text.partition("+")
        points = board.replace("/", "").replace(" ", "").upper()
        if len(points) != POINTS or set(points) - set("WB.") or not (left.strip() or "0").isdecimal():
            raise BadState(
                f"{self}: {text!r}: expected three rings of 8 points with W (to move), B or ., and the men still to be "
                f"put down, such as {self.format(self.start())!r}"
            )
        words = [sum(1 << point for point in range(POINTS) if points[point] == man) for man in "WB"]
        state = [*words, int(left or 0)]
        if Stage(state[2], *(word.bit_count() for word in words)) not in self.stages() and not self._lost(state):
            raise BadState(f"{self}: {text!r}: these numbers of men on the board and still to be put down cannot occur")
        return state

    def _lost(self, state: Sequence[int]) -> bool:
        """Tell whether the last move of a stage left the mover two men."""
        before = Stage(state[2], state[0].bit_count() + 1, state[1].bit_count())
        return before in self.stages() and self.terminal(state) != UNDECIDED

    def format(self, state: Sequence[int]) -> str:
        """Return W (to move), B or . for each point with / between the rings, + and the number of men still to be placed."""
        points = "".join(piece or "." for piece in self.pieces(state))
        return "/".join(points[first : first + 8] for first in (0, 8, 16)) + (f"+{state[2]}" if state[2] else "")

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move such as "d6", "d6xg4" or, when all men are on the board, "a7-d7xg4"."""
        source = "" if move & 31 == HAND else f"{NAMES[move & 31]}-"
        removed = f"x{NAMES[(move >> 10) - 1]}" if move >> 10 else ""
        return f"{source}{NAMES[(move >> 5) & 31]}{removed}"

    def board(self) -> Board:
        """Return the points on a grid of seven lines, and the lines between them."""
        return Morris(self.men, self.men).board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return W for the men of the player to move and B for the opponent's."""
        return ["W" if state[0] >> point & 1 else "B" if state[1] >> point & 1 else "" for point in range(POINTS)]

    def known(self) -> Mapping[str, Any]:
        """Return the value of the game (Gasser 1995, section 5.6; the plies are our own)."""
        return {3: {"start": "win 23"}, 4: {"start": "draw"}, 5: {"start": "draw"}, 9: {"start": "draw"}}.get(
            self.men, {}
        )


def _numbering(game: MorrisOpening) -> dict[str, Callable[..., Any]]:
    """Return the index functions: each stage uses the midgame's index of such boards."""
    stages, parts = game.stages(), game.parts()
    boards = list(dict.fromkeys((stage.own, stage.other) for stage in stages))
    inner = numbering([space_of(*board, BOARD_SYMMETRIES) for board in boards], BOARD_SYMMETRIES)
    canonical, board_number, class_number = inner["canonical"], inner["rank"], inner["canonical_rank"]
    board_of, stabilizer = inner["unrank"], inner["stabilizer"]
    sizes = [space_of(*board, BOARD_SYMMETRIES).size for board in boards]
    begins = dict(zip(boards, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
    starts = np.array([part.start for part in parts], np.int64)
    shifts = np.array([part.start - begins[stage[1:]] for part, stage in zip(parts, stages, strict=True)], np.int64)
    lefts = np.array([stage.left for stage in stages], np.int64)
    count = len(parts)
    shift_of = np.full((2 * game.men + 1, MOST + 2, MOST + 2), _ABSENT, np.int64)
    for stage, shift in zip(stages, shifts, strict=True):
        shift_of[stage] = shift

    def shifted(state: State, number: int) -> int:
        shift = shift_of[state[2], popcount(state[0]), popcount(state[1])]
        return NOWHERE if number < 0 or shift == _ABSENT else int(number + shift)

    def rank(state: State) -> int:
        return shifted(state, board_number(state))

    def canonical_rank(state: State, scratch: State) -> int:
        return shifted(state, class_number(state, scratch))

    def key(state: State) -> int:
        number = canonical_rank(state, state)
        return mix(number) if number >= 0 else mix(mix(state[0]) ^ (state[1] << 6 | state[2]))

    def unrank(place: int, state: State) -> None:
        part = last_start(starts, count, place)
        board_of(place - shifts[part], state)
        state[2] = lefts[part]

    return {
        "canonical": canonical, "rank": rank, "canonical_rank": canonical_rank, "unrank": unrank, "stabilizer": stabilizer,
        "key": key,
    }  # fmt: skip
