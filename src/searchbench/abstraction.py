"""An abstraction: a game in which states of another game look alike; its values bound those of the other game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.rules import Move, Rank, State, play, unplay
from searchbench.slots import slot

LOOK_UPS: Final = ("pattern_rank", "pattern_rank_change", "pattern_rank_after", "moved_piece")


# --- the contract of an abstraction: from the state of a game to the number of its pattern -----------------------------


@slot(required=True)
def pattern_rank(state: State, table: Any, at: int) -> Rank:
    """Return the number of a state's pattern; `table` from `at` on says which cells and pieces count."""
    return 0


@slot
def pattern_rank_change(state: State, move: Move, table: Any, at: int) -> int:
    """Return by how much a move changes the number of the pattern; called before it is played."""
    before = pattern_rank(state, table, at)
    play(state, move)
    after = pattern_rank(state, table, at)
    unplay(state, move)
    return after - before


@slot
def pattern_rank_after(number: Rank, state: State, move: Move, table: Any, at: int) -> Rank:
    """Return the number of the pattern after a move that is not played yet, from the number before it.

    Where the number follows from that one alone, that is quicker than `pattern_rank_change`.
    """
    return number + pattern_rank_change(state, move, table, at)


@slot
def moved_piece(state: State, move: Move) -> int:
    """Return which of the pieces that an abstraction may charge for a move changes (see `Abstraction.charged`), or -1: any.

    The numbers of abstractions that charge for other pieces stay as they are.
    """
    return -1


class Image(NamedTuple):
    """Say how a state of the original is looked up: the table that `pattern_rank` reads, and what is charged for.

    `pieces` are the pieces whose moves cost something: no other move changes the number. None: every move costs. The
    value that is found is a bound less `moves`: what it costs to make the solved state look like the abstraction's start.
    """

    table: npt.NDArray[np.int64]
    pieces: frozenset[int] | None
    moves: int = 0
    shared: npt.NDArray[np.int64] | None = None
    """What several images look at. It stands in the table of a search once, and the first number of each of these images'
    `table` is replaced by the place where it begins."""


class Abstraction(Game):
    """Hold the rules of an abstraction: a game that can be solved, and how states of the original map into it.

    Besides a game's rules, ``rules()`` supplies `pattern_rank` and, where that is quicker than to number anew,
    `pattern_rank_change` or `pattern_rank_after`: functions of the *original's* states that read the tables of `images`.
    Where there are pieces it supplies `moved_piece`. Abstractions of one class and original share these functions. The start
    is the first image of the solved state; unless the abstraction is `one_way`, every move can be taken back at the same
    cost: so the depth of a state is its distance to the end.
    """

    @property
    def one_way(self) -> bool:
        """Tell whether moves cannot be taken back at the same cost: then distances, not depths, are bounds."""
        return False

    @property
    def locality(self) -> int | None:
        """Return 1 where moves can be taken back."""
        return None if self.one_way else 1

    def original(self) -> Game:
        """Return the game whose states look alike."""
        raise NotImplementedError

    def images(self) -> list[Image]:
        """Return how a state is looked up, then how its images are, in the original's symmetries or seen from elsewhere."""
        raise NotImplementedError

    def dual_images(self) -> list[Image]:
        """Return how the inverse of a state (`dual_state`) is looked up, and how its images are; by default it is not."""
        return []

    def look_ups(self, together: Sequence[Abstraction]) -> Mapping[str, Callable[..., Any]]:
        """Return the functions that look up a state in several abstractions of this class; by default this one's."""
        own = self.rules()
        return {name: own[name] for name in LOOK_UPS if name in own}

    def kinds(self) -> list[int]:
        """Return the kind of each piece of the original: 0, 1, 2, ...; pieces of one kind look alike.

        Asked of abstractions in which every move costs 1. Each piece stands in one of the first cells of the original's
        state, all else follows from the pattern, and a move moves what stands on the same cells in all states that look
        alike. Raises BadRequest where that is not so.
        """
        raise BadRequest(f"{self} does not tell which pieces look alike")

    def images_of(self, pieces: str) -> list[Image]:
        """Return how the pattern of other pieces, which a symmetry takes to this one, is looked up here, as `images` does.

        `pieces` is written as in the abstraction's own notation. Raises BadRequest where there is no such symmetry.
        """
        raise BadRequest(f"{self} is not known to look like the pattern {pieces!r}")


class Subgoal(Game):
    """Hold the rules of one step towards the goal of another game: some pieces are brought home, others stay there.

    What is solved here is solved in the original as far as this step goes, by the same moves.
    """

    def original(self) -> Game:
        """Return the game whose goal is reached in steps."""
        raise NotImplementedError

    def seen(self, state: Sequence[int]) -> list[int]:
        """Return the state that a state of the original is here. Raises BadRequest where the steps before are not done."""
        raise NotImplementedError

    def original_move(self, move: int) -> int:
        """Return the move of the original that a move is."""
        raise NotImplementedError

    def original_state(self, state: Sequence[int]) -> list[int]:
        """Return one of the states of the original that look so here, solvable or not."""
        raise BadRequest(f"{self} does not tell which states look alike")

    def kinds(self) -> list[int]:
        """Return the kind of each piece of the original: 0, 1, 2, ...; pieces of one kind, such as all that are left, look alike.

        As of an abstraction (`Abstraction.kinds`), but that states in which the steps before are not done are not meant.
        """
        raise BadRequest(f"{self} does not tell which pieces look alike")

    def entered(self, state: Sequence[int]) -> bool:
        """Return false for a state in which no step before this one can have ended, but for steps that took no moves."""
        return True


def joined_tables(images: Sequence[Image]) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return one table with those of all images, and where that of each image begins."""
    tables: list[npt.NDArray[np.int64]] = []
    begins: list[int] = []
    shared: dict[bytes, int] = {}
    length = 0
    for image in images:
        table = image.table.copy()
        if image.shared is not None:
            content = image.shared.tobytes()
            if content not in shared:
                shared[content] = length
                tables.append(image.shared)
                length += len(image.shared)
            table[0] = shared[content]
        begins.append(length)
        tables.append(table)
        length += len(table)
    return np.concatenate(tables), begins


def charged(images: list[Image]) -> frozenset[Any] | None:
    """Return the pieces whose moves cost something in a look-up; bounds that charge for no piece twice add up."""
    return images[0].pieces
