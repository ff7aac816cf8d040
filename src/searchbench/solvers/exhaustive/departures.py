"""Find moves that lead where none may, and say which: to a part that is not needed, out of the index, or to no position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadGame, BrokenRule, SearchBenchError
from searchbench.exchange import Table
from searchbench.game import Game
from searchbench.index.contract import canonical_rank
from searchbench.index.protocol import Part
from searchbench.rules import (
    GUARDED,
    NOWHERE,
    UNDECIDED,
    Rank,
    State,
    legal,
    moves,
    play,
    terminal,
    unplay,
)  # fmt: skip
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import OUTSIDE, Bounds, Numbers, inside
from searchbench.solvers.exhaustive.schedule import CHANGED_STATE, ILLEGAL, LEAVES, NO_NUMBER, Departure
from searchbench.user_code import calling, name_of, place_of, room_for

ASKED: Final = 1 << 10
"""How many states at the beginning of a piece are asked whether their moves stay in the group, where they should."""
ASKED_EVERY: Final = 61
"""Of the others one in so many is asked: a prime, so that states of every kind are."""
ALL_ASKED: Final = 100_000
"""Up to so many states of a game that is not shipped are all asked; so are those of games with several groups of parts."""


def is_asked(number: Rank, first: Rank, every: int) -> bool:
    """Tell whether a state is asked where its moves lead, in a piece from `first` on."""
    return number - first < ASKED or number % every == 0


def asked_in(names: jit.Names, group: Group, table: Table) -> int:
    """Return of how many states of a group one is asked where its moves lead."""
    if not names.get("GUARDED"):
        return ASKED_EVERY
    whole = sum(part.size for part in group.parts) == len(table.codes)  # there are no other parts
    return ASKED_EVERY if whole and len(table.codes) > ALL_ASKED else 1


def departure_refused(numbers: Numbers, count: int, bounds: Bounds, leaves: bool) -> int:
    """Return why one of some successors must not be, or 0; `leaves` says whether moves may leave the group."""
    for index in range(count):
        if numbers[index] == UNDECIDED - OUTSIDE:
            return NO_NUMBER
        if not leaves and (numbers[index] < 0 or not inside(numbers[index], bounds)):
            return LEAVES
    return 0


def is_unneeded(number: int, reach: Bounds) -> bool:
    """Tell whether a successor lies in none of the parts that are needed: asked of games that are not shipped."""
    return GUARDED and number > -(OUTSIDE >> 1) and not inside(number, reach)


def successor_refused(target: int, codes: Any, illegal: int, bounds: Bounds, reach: Bounds) -> int:
    """Return why a successor must not be, or 0, where a position's code tells that it is one."""
    if target == UNDECIDED - OUTSIDE:
        return NO_NUMBER
    if is_unneeded(target, reach):
        return LEAVES
    return ILLEGAL if GUARDED and inside(target, bounds) and codes[target] == illegal else 0


def has_changed(number: Rank, state: State, scratch: State) -> bool:
    """Tell whether a state whose moves were played and taken back is another one: asked of games that are not shipped."""
    return GUARDED and canonical_rank(state, scratch) != number


def astray(number: Rank, state: State, scratch: State, out: Numbers, reach: Bounds) -> int:
    """Return why one of a state's successors must not be, or 0, by all of its moves."""
    for index in range(moves(state, out)):
        play(state, out[index])
        target = canonical_rank(state, scratch)
        reason = 0
        if target == NOWHERE:
            reason = NO_NUMBER if terminal(state) == UNDECIDED else 0
        elif not inside(target, reach):
            reason = LEAVES
        elif not legal(state):
            reason = ILLEGAL
        unplay(state, out[index])
        if reason != 0:
            return reason
    return CHANGED_STATE if has_changed(number, state, scratch) else 0


def explained(game: Game, error: Departure) -> SearchBenchError:
    """Return the error that names the state and the move, found by the interpreted rules; the same where these show none.

    It is BadGame for a part that does not name what it needs, else BrokenRule.
    """
    with calling(game, "the rules", "they were asked about the moves of a state"):
        state = game.unrank(error.number)
        own = _part_with(game.parts(), error.number)
        for name in ("legal", "terminal", "moves"):
            same = list(state)
            if game.has(name):
                game.call(name, same, *([[0] * room_for(game.max_moves)] if name == "moves" else []))
            if same != list(state):
                told = f"`{name}` changes the state {game.format(state)!r} to {game.format(same)!r}"
                return BrokenRule(f"{name_of(game)}: {told}: only `play`, `unplay` and `canonical` may change a state")
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
