"""An abstraction: a game that identifies states of another game; its values bound those of the other game."""

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


# --- the contract of an abstraction: from the state of a game to the rank of its pattern
# -------------------------------


@slot(required=True)
def pattern_rank(state: State, table: Any, at: int) -> Rank:
    """Return the rank of a state's pattern; `table` from `at` on selects the relevant cells and pieces."""
    return 0


@slot
def pattern_rank_change(state: State, move: Move, table: Any, at: int) -> int:
    """Return the change of the pattern's rank by a move; called before the move is played."""
    before = pattern_rank(state, table, at)
    play(state, move)
    after = pattern_rank(state, table, at)
    unplay(state, move)
    return after - before


@slot
def pattern_rank_after(number: Rank, state: State, move: Move, table: Any, at: int) -> Rank:
    """Return the pattern's rank after a move not yet played, from the rank before it.

    Faster than `pattern_rank_change` where the old rank and the move determine the new one.
    """
    return number + pattern_rank_change(state, move, table, at)


@slot
def moved_piece(state: State, move: Move) -> int:
    """Return the piece that a move changes, among those an abstraction may charge for (see `charged`), or -1: any.

    The ranks of abstractions that charge for other pieces do not change.
    """
    return -1


class Image(NamedTuple):
    """The look-up of a state of the original: the table that `pattern_rank` reads, and the pieces charged for.

    `pieces` are the pieces whose moves have a cost: no other move changes the rank. None: every move has a cost. The
    value found, less `moves`, is a lower bound: `moves` is the cost of making the solved state look like the abstraction's start.
    """

    table: npt.NDArray[np.int64]
    pieces: frozenset[int] | None
    moves: int = 0
    shared: npt.NDArray[np.int64] | None = None
    """A table that several images share: a search stores it once, and puts its offset into the first number of each `table`."""


class Abstraction(Game):
    """A game that can be solved, with the look-ups of the original's states in it.

    Besides a game's rules, ``rules()`` supplies `pattern_rank` and, if faster than ranking anew, `pattern_rank_change`
    or `pattern_rank_after`: functions of the *original's* states that read the tables of `images`. With pieces it
    supplies `moved_piece`. Abstractions of one class and original share these functions. The start is the first image
    of the solved state; unless the abstraction is `one_way`, every move is reversible at the same cost: so the depth of
    a state is its distance to the end.
    """

    @property
    def one_way(self) -> bool:
        """Tell whether some move cannot be undone at the same cost: then distances, not depths, are bounds."""
        return False

    @property
    def locality(self) -> int | None:
        """Return 1 if moves are reversible, else None."""
        return None if self.one_way else 1

    def original(self) -> Game:
        """Return the original game."""
        raise NotImplementedError

    def is_of(self, game: Game) -> bool:
        """Tell whether a game is the original, also where this one imports its file and the command line loads it again."""
        original = self.original()
        if original == game:
            return True
        alike = type(original).__name__ == type(game).__name__ and original.name == game.name
        return alike and original.parameters == game.parameters and original.fingerprint() == game.fingerprint()

    def images(self) -> list[Image]:
        """Return the look-ups of a state, then of its images by symmetries of the original or in other views."""
        raise NotImplementedError

    def dual_images(self) -> list[Image]:
        """Return the look-ups of a state's inverse (`dual_state`) and of its images; by default none."""
        return []

    def look_ups(self, together: Sequence[Abstraction]) -> Mapping[str, Callable[..., Any]]:
        """Return functions that look up a state in several abstractions of this class; by default this one's."""
        own = self.rules()
        return {name: own[name] for name in LOOK_UPS if name in own}

    def kinds(self) -> list[int]:
        """Return the kind of each piece of the original: 0, 1, 2, ...; pieces of one kind look alike.

        For abstractions in which every move costs 1. Each piece must stand in one of the first cells of the original's
        state, all else must follow from the pattern, and a move must move the contents of the same cells in all
        identified states. Raises BadRequest for other abstractions.
        """
        raise BadRequest(f"{self} does not tell which pieces look alike")

    def images_of(self, pieces: str) -> list[Image]:
        """Return look-ups, as `images` does, of the pattern of other pieces that a symmetry maps to this one.

        `pieces` is in the abstraction's own notation. Raises BadRequest if there is no such symmetry.
        """
        raise BadRequest(f"{self} is not known to look like the pattern {pieces!r}")


class Subgoal(Game):
    """A step towards the goal of another game: some pieces are brought home, others stay there.

    A solution of the step solves the original, as far as this step goes, by the same moves.
    """

    def original(self) -> Game:
        """Return the original game, whose goal is reached in steps."""
        raise NotImplementedError

    def seen(self, state: Sequence[int]) -> list[int]:
        """Return this step's view of a state of the original. Raises BadRequest if previous steps are not done."""
        raise NotImplementedError

    def original_move(self, move: int) -> int:
        """Return the move of the original for a move of this step."""
        raise NotImplementedError

    def original_state(self, state: Sequence[int]) -> list[int]:
        """Return a state of the original with this view, solvable or not."""
        raise BadRequest(f"{self} does not tell which states look alike")

    def kinds(self) -> list[int]:
        """Return the kind of each piece of the original: 0, 1, 2, ...; pieces of one kind look alike.

        All remaining pieces may be one kind. As `Abstraction.kinds`, restricted to states in which the previous steps are done.
        """
        raise BadRequest(f"{self} does not tell which pieces look alike")

    def entered(self, state: Sequence[int]) -> bool:
        """Return False for a state in which no previous step with any moves can have ended."""
        return True


def joined_tables(images: Sequence[Image]) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return one table for all images, and the offset of each."""
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
    """Return the pieces that a look-up charges for; bounds that charge for disjoint pieces add up."""
    return images[0].pieces
