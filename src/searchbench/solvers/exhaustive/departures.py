"""Say which move leads where none may: to a part that is not needed, out of the index, or to no position."""

from __future__ import annotations

from collections.abc import Sequence

from searchbench.errors import BadGame, BrokenRule, SearchBenchError
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.solvers.exhaustive.schedule import Departure
from searchbench.user_code import calling, name_of, place_of


def explained(game: Game, error: Departure) -> SearchBenchError:
    """Return the error that names the state and the move, found by the interpreted rules; the same where these show none.

    It is BadGame for a part that does not name what it needs, else BrokenRule.
    """
    with calling(game, "the rules", "they were asked about the moves of a state"):
        state = game.unrank(error.number)
        own = _part_with(game.parts(), error.number)
        if game.rank(state) != error.number:
            told = f"the state {game.format(state)!r} of number {error.number} has the number {game.rank(state)}"
            return BrokenRule(f"{name_of(game)}: {told}: `rank` must give the number of which `unrank` makes the state")
        for move in game.moves(state):
            after = game.play(state, move)
            if game.unplay(after, move) != state:
                back = game.format(game.unplay(after, move))
                told = f"move {game.format_move(state, move)!r} of the state {game.format(state)!r}, taken back, gives {back!r}"
                return BrokenRule(f"{name_of(game)}: {told}: `unplay` must undo `play`")
            moved = f"move {game.format_move(state, move)!r} leads from the state {game.format(state)!r}"
            target = _part_with(game.parts(), game.rank(after))
            if own is not None and target is not None and target.name not in own.needs:
                needed = f"Part({own.name!r}, {own.start}, {own.stop}, {(*own.needs, target.name)!r})"
                return BadGame(
                    f"{place_of(game, 'parts')}: {moved} of part {own.name!r} to {game.format(after)!r} of part "
                    f"{target.name!r}, which {own.name!r} does not name among the parts that it needs: declare {needed}"
                )
            wrong = _wrong_with(game, after)
            if wrong:
                return BrokenRule(f"{name_of(game)}: {moved} to {game.format(after)!r}, {wrong}")
    return error


def _wrong_with(game: Game, after: Sequence[int]) -> str:
    """Return what is wrong with a state that a move leads to, "" if nothing."""
    number = game.rank(after)
    if number == NOWHERE:
        if game.terminal(after) == UNDECIDED:
            return "which has no number and is not terminal"
        return "which has no number: set `closed = False`" if game.closed else ""
    if _part_with(game.parts(), number) is None:
        return f"whose number {number} is none of the index"
    return "" if game.call("legal", list(after)) else "of which `legal` says that it cannot occur"


def _part_with(parts: Sequence[Part], number: int) -> Part | None:
    return next((part for part in parts if part.start <= number < part.stop), None)
