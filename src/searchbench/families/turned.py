"""Patterns of turning puzzles: some pieces of one kind are distinguished, all others look alike (Korf 1997)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.abstraction import Abstraction, Image
from searchbench.errors import BadState
from searchbench.families.carried import BITS, MOST, Pieces, numbering, stepping
from searchbench.families.places import Kind, Turn, places_of
from searchbench.families.turns import Turning, turning
from searchbench.game import Board
from searchbench.index.product_moves import MOST_ENTRIES, ProductMoves
from searchbench.jit import inlined
from searchbench.rules import UNDECIDED, State

OTHER: Final = "-"
"""The mark of each face of a piece that is not distinguished."""
KIND, DUAL, SIGN, TABLES = range(4)
"""Offsets in the table of an image; then follow the image of each move, and four numbers per place."""


class Symmetry(NamedTuple):
    """A symmetry: the image of each face, and the image of each turn by one step (its number and its sense)."""

    faces: Mapping[str, str]
    turns: tuple[tuple[int, int], ...]


class Pattern(Abstraction):
    """Bring some pieces home by turns. Derive a frozen dataclass that supplies `original` and `chosen`.

    For each place a state contains 0, or 1 and the pattern index of the piece there; then the twist of each place's
    piece, 0 for undistinguished pieces.
    """

    def original(self) -> Turning:
        """Return the puzzle."""
        raise NotImplementedError

    @property
    def chosen(self) -> str:
        """Return the distinguished pieces, such as UR-UF-UL, all of one kind."""
        raise NotImplementedError

    @property
    def kind_number(self) -> int:
        """Return the kind of the pieces, as its number in the puzzle. Raises ValueError."""
        words = self.chosen.split("-")
        for number, names in enumerate(self.original().faces):
            if set(words) <= set(names) and len(set(words)) == len(words) <= MOST:
                return number
        kinds = " or of ".join(", ".join(names) for names in self.original().faces)
        raise ValueError(f"pieces {self.chosen!r}: expected up to {MOST} of {kinds}, each once, such as UR-UF-UL")

    @property
    def kind(self) -> Kind:
        """Return the kind of pieces."""
        return self.original().kinds[self.kind_number]

    @property
    def pattern(self) -> tuple[int, ...]:
        """Return the numbers of the pieces."""
        return tuple(self.kind.names.index(word) for word in self.chosen.split("-"))

    @property
    def one_way(self) -> bool:
        """Tell whether undoing a turn takes several turns."""
        return self.original().one_way

    @property
    def depth_is_distance(self) -> bool:
        """Return whether a turn undoes every turn."""
        return not self.one_way

    @property
    def width(self) -> int:
        """Return the number of cells: one per place and one per twist."""
        return self.index().width

    @property
    def max_moves(self) -> int:
        """Return the number of turns."""
        return self.original().max_moves

    def index(self) -> Pieces:
        """Return an index of the places and twists of the pieces."""
        return _pieces(self.kind, len(self.pattern))

    def product_moves(self) -> ProductMoves | None:
        """Return the moves: rows are the places and orders of the pieces, columns their twists."""
        index, original = self.index(), self.original()
        if index.size // index.twists * self.max_moves > MOST_ENTRIES:
            return None
        tables, order = index.tables, len(original.turns[0].cycle)
        moves = [turn * order + power for turn in range(len(original.turns)) for power in original.powers]
        actions = tables.actions[:, moves]
        sets = tables.sets[:, None, moves].astype(np.int32) * np.int32(index.orders)
        rows = sets + tables.orders[np.arange(index.orders)[None, :, None], actions[:, None, :]]
        return ProductMoves(
            rows.reshape(-1, len(moves)), np.repeat(actions, index.orders, axis=0), tables.twists.T.copy()
        )  # fmt: skip

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is that of the puzzle."""
        puzzle = self.original().rules()
        kind, places, home = self.kind, self.kind.places, np.array(self.pattern, np.int64)
        order = len(kind.turns[0].cycle)
        moves, inverse = puzzle["moves"], puzzle["inverse"]
        turn = turning(places_of((kind.names,), kind.turns), len(kind.turns), order)
        number_after = stepping([self.index()])

        def start(state: State) -> None:
            for cell in range(2 * places):
                state[cell] = 0
            for piece in range(len(home)):
                state[home[piece]] = piece + 1

        def terminal(state: State) -> int:
            for piece in range(len(home)):
                if state[home[piece]] != piece + 1 or state[places + home[piece]] != 0:
                    return UNDECIDED
            return 0

        def play(state: State, move: int) -> None:
            turn(state, move)
            for place in range(places):
                if state[place] == 0:
                    state[places + place] = 0

        def unplay(state: State, move: int) -> None:
            play(state, move + order - 2 * (move % order))

        def successor_ranks(number: int, state: State, out: MutableSequence[int], numbers: MutableSequence[int]) -> int:
            count = moves(state, out)
            for index in range(count):
                numbers[index] = number_after(number, out[index], 0)
            return int(count)

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": moves,
            "inverse": inverse, "follows": puzzle["follows"], "successor_ranks": successor_ranks, **self.look_ups([self]),
        }  # fmt: skip

    def look_ups(self, together: Sequence[Abstraction]) -> Mapping[str, Callable[..., Any]]:
        """Return the functions that look up a state in several patterns."""
        codes = sorted({one.code for one in together if isinstance(one, Pattern)})
        return _look_ups(self.original(), tuple(codes))

    @property
    def code(self) -> int:
        """Return a code for the kind and the number of the pieces."""
        return self.kind_number << 4 | len(self.pattern)

    def images(self) -> list[Image]:
        """Return the look-ups of a state and of its images under symmetries that distinguish other pieces."""
        return self._images(dual=False)

    def dual_images(self) -> list[Image]:
        """Return the look-ups of a state's inverse; none if all pieces are distinguished, as its distance is the same."""
        return [] if self.one_way or len(self.pattern) == self.kind.places else self._images(dual=True)

    def _images(self, dual: bool) -> list[Image]:
        found: dict[frozenset[int], Image] = {}
        for symmetry in symmetries(self.original().turns, tuple(self.original().powers)):
            target, ways, sign = _carry(self.kind, symmetry)
            pieces = frozenset(piece for piece in range(self.kind.places) if target[piece] in self.pattern)
            if pieces not in found:
                orders = [self.pattern.index(place) if place in self.pattern else -1 for place in target]
                order = len(self.kind.turns[0].cycle)
                moves = [
                    turn * order + (sign_of_turn * power) % order
                    for turn, sign_of_turn in symmetry.turns
                    for power in range(order)
                ]
                table = [self.code, int(dual), sign, *moves, *target, *orders, *ways]
                found[pieces] = Image(np.array(table, np.int64), None)
        return list(found.values())

    def parse(self, text: str) -> list[int]:
        """Read for each place the faces of its piece, or a - for each face of an undistinguished one."""
        words = text.upper().split()
        names = [self.kind.names[piece] for piece in self.pattern]
        found = [self.kind.read(word) for word in words]
        held = [(self.pattern.index(piece) + 1 if piece in self.pattern else 0, twist) for piece, twist in found]
        others = [word for word, (piece, _) in zip(words, held, strict=True) if piece == 0]
        if (
            len(words) != self.kind.places
            or sorted(piece for piece, _ in held if piece) != list(range(1, len(names) + 1))
            or any(word.strip(OTHER) for word in others)
        ):
            raise BadState(f"{self}: {text!r}: expected the pieces of {self.format(self.start())!r} on some places")
        return [piece for piece, _ in held] + [twist if piece else 0 for piece, twist in held]

    def format(self, state: Sequence[int]) -> str:
        """Return the faces that each place shows."""
        return " ".join(self._words(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the turn."""
        return self.original().format_move(state, move)

    def board(self) -> Board | None:
        """Return the puzzle's board."""
        return self.original().board()

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the colour of each face of the puzzle, "" for undistinguished pieces."""
        original = self.original()
        shown = ["" for _ in original.pieces(original.start())]
        first = sum(len(name) for names in original.faces[: self.kind_number] for name in names)
        letters = ["" if letter == OTHER else letter for letter in "".join(self._words(state))]
        shown[first : first + len(letters)] = letters
        return shown

    def _words(self, state: Sequence[int]) -> list[str]:
        places = self.kind.places
        return [
            self.kind.word(self.pattern[state[place] - 1], state[places + place])
            if state[place]
            else OTHER * self.kind.ways
            for place in range(places)
        ]

    def known(self) -> Mapping[str, Any]:
        """Return the number of places and twists."""
        return {"states": self.index().size, "start": "0"}


@lru_cache(maxsize=32)
def _pieces(kind: Kind, count: int) -> Pieces:
    """Return the index; its tables are computed once."""
    return Pieces(kind, count)


@lru_cache(maxsize=8)
def symmetries(turns: tuple[Turn, ...], powers: tuple[int, ...]) -> list[Symmetry]:
    """Return the permutations of faces that map turns to turns, the identity first."""
    letters = "".join(dict.fromkeys("".join(turn.cycle + turn.still for turn in turns)))
    found = []
    for others in permutations(letters):
        faces = dict(zip(letters, others, strict=True))
        found_turns = [_turn_of(turn, faces, turns) for turn in turns]
        order = len(turns[0].cycle)
        if all(one is not None and all(one[1] * power % order in powers for power in powers) for one in found_turns):
            found.append(Symmetry(faces, tuple(one for one in found_turns if one is not None)))
    return found


def _turn_of(turn: Turn, faces: Mapping[str, str], turns: Sequence[Turn]) -> tuple[int, int] | None:
    """Return the image of a turn under a permutation of faces: the number of a turn, and its sense, 1 or -1."""
    cycle = "".join(faces[face] for face in turn.cycle)
    for number, other in enumerate(turns):
        if other.still == faces[turn.still]:
            for sense, seen in ((1, cycle), (-1, cycle[::-1])):
                if seen in other.cycle * 2:
                    return number, sense
    return None


def _carry(kind: Kind, symmetry: Symmetry) -> tuple[list[int], list[int], int]:
    """Return the image of each place, the change of twist by place and by piece, and the sign of twists.

    The twist of a piece on a place becomes ``sign * twist + by the place + by the piece``, modulo the number of
    orientations.
    """
    place_of = {frozenset(name): place for place, name in enumerate(kind.names)}
    target = [place_of[frozenset(symmetry.faces[face] for face in name)] for name in kind.names]

    def seen(place: int, piece: int, twist: int) -> int:
        shown = {
            symmetry.faces[face]: symmetry.faces[letter]
            for face, letter in zip(kind.names[place], kind.word(piece, twist), strict=True)
        }
        return kind.read("".join(shown[face] for face in kind.names[target[place]]))[1]

    by_place = [seen(place, 0, 0) for place in range(kind.places)]
    by_piece = [(seen(0, piece, 0) - by_place[0]) % kind.ways for piece in range(kind.places)]
    sign = (seen(0, 0, 1) - by_place[0]) % kind.ways
    return target, [*by_place, *by_piece], sign


@lru_cache(maxsize=16)
def _look_ups(puzzle: Turning, codes: tuple[int, ...]) -> Mapping[str, Callable[..., Any]]:
    """Return `pattern_rank` and `pattern_rank_after` for patterns of several kinds and sizes."""
    some = [_pieces(puzzle.kinds[code >> 4], code & 15) for code in codes]
    layout, order = puzzle.layout, len(puzzle.turns[0].cycle)
    moves = len(puzzle.turns) * order
    which_of = np.full(1 + max(codes), -1, np.int64)
    which_of[list(codes)] = range(len(codes))
    piece_cell = np.array([layout.piece_cells[code >> 4] for code in codes])
    twist_cell = np.array([layout.twist_cells[code >> 4] for code in codes])
    all_places, all_ways = np.array([one.kind.places for one in some]), np.array([one.kind.ways for one in some])
    carried = np.zeros((len(some), 2, moves, max(all_places)), np.int64)
    for which, one in enumerate(some):
        for move in range(moves):
            sources, added = one.carried(move // order, move % order)
            carried[which, :, move, : len(sources)] = sources, added
    number_of, number_after = numbering(some), stepping(some)

    def look(state: State, move: int, table: Any, at: int) -> int:
        """Return the number of the image after a move; move 0 is none."""
        which = which_of[table[at + KIND]]
        places, ways = all_places[which], all_ways[which]
        dual, sign, target = table[at + DUAL], table[at + SIGN], at + TABLES + moves
        held = 0
        twisted = 0
        for cell in range(places):
            source = carried[which, 0, move, cell]
            piece = state[piece_cell[which] + source]
            twist = state[twist_cell[which] + source] + carried[which, 1, move, cell]
            place = cell
            if dual != 0:
                piece, place = place, piece
                twist = 2 * ways - twist
            wanted = table[target + places + piece]
            if wanted >= 0:
                by = table[target + 2 * places + place] + table[target + 3 * places + piece]
                held |= (wanted + 1) << (BITS * table[target + place])
                twisted |= (sign * twist + by) % ways << (2 * table[target + place])
        return int(number_of(held, twisted, which))

    def pattern_rank(state: State, table: Any, at: int) -> int:
        return look(state, 0, table, at)

    @inlined
    def pattern_rank_after(number: int, state: State, move: int, table: Any, at: int) -> int:
        if table[at + DUAL] != 0:
            return look(state, move, table, at)
        return number_after(number, table[at + TABLES + move], which_of[table[at + KIND]])  # type: ignore[no-any-return]

    return {"pattern_rank": pattern_rank, "pattern_rank_after": pattern_rank_after}
