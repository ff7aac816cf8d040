"""Lines of best play, read from a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from searchbench.errors import BadRequest, BadState, DamagedData, Unsolvable
from searchbench.game import Position
from searchbench.index.protocol import leads_on
from searchbench.line import Line
from searchbench.rules import UNDECIDED

if TYPE_CHECKING:
    from searchbench.store.database import Database

Step = tuple[int, Position]
"""A move and the position it leads to or comes from."""


def best_line(database: Database, position: Position, limit: int | None) -> Line:
    """Return the line documented at :meth:`searchbench.store.Database.line`."""
    if limit is not None and limit < 0:
        raise BadRequest(f"limit {limit}: expected 0 or more")
    keeps_value = database.rule.tells_losses and not database.rule.from_start and leads_on(database.game.parts())
    if not database.rule.has_lines and not keeps_value:
        told = "which states are reached, not at which depth" if database.rule.from_start else "who wins, not how soon"
        raise BadRequest(f"{database.game}: the database tells {told}: there are no lines in it")
    if database.rule.two_players:
        played = _line(database, position, _play(database, position, limit), optimal=False)
        return replace(played, complete=database.game.terminal(played.states()[-1]) != UNDECIDED)
    if database.probe(position) is None:
        end = "the start does not lead to it" if database.rule.from_start else "no solved state can be reached from it"
        raise Unsolvable(f"{database.game}: {position.text!r}: {end}")
    if database.rule.from_start:
        back = _walk(database, position, _steps_back, lambda at: database.probe(at) == 0)
        moves = [move for move, _ in reversed(back)][:limit]
        return _line(database, back[-1][1] if back else position, moves, optimal=False, complete=False)
    costs = database.rule.bounds_cost
    steps = _walk(
        database, position, _steps_on if costs else _best_steps, lambda at: database.game.terminal(at.state) == 0
    )
    return _line(
        database,
        position,
        [move for move, _ in steps][:limit],
        optimal=costs,
        complete=limit is None or limit >= len(steps),
    )


def _line(database: Database, start: Position, moves: list[int], optimal: bool, complete: bool = True) -> Line:
    cost, state = 0, list(start.state)
    for move in moves:
        cost += database.game.call("cost", list(state), move)
        state = database.game.play(state, move)
    return Line(database.game, start.state, tuple(moves), cost, optimal, complete=complete)


def _play(database: Database, position: Position, limit: int | None) -> list[int]:
    """Return the best moves of both sides until the game ends or a state repeats."""
    moves: list[int] = []
    seen: set[Position] = set()
    while position not in seen and (limit is None or len(moves) < limit):
        seen.add(position)
        choices = database.moves(position)
        if not choices:
            break
        best = database.way.first_best(position, choices)[0]
        moves.append(best.move)
        position = best.position
    return moves


def _walk(
    database: Database,
    position: Position,
    steps: Callable[[Database, Position], Iterator[Step]],
    ended: Callable[[Position], bool],
) -> list[Step]:
    """Return the steps to an end, depth first; only zero-cost moves need backtracking."""
    path: list[Step] = []
    open_steps: list[Iterator[Step]] = []
    tried = {position}
    while not ended(path[-1][1] if path else position):
        if len(open_steps) == len(path):
            open_steps.append(steps(database, path[-1][1] if path else position))
        step = next((step for step in open_steps[-1] if step[1] not in tried), None)
        if step is not None:
            tried.add(step[1])
            path.append(step)
        elif path:
            open_steps.pop()
            path.pop()
        else:
            raise DamagedData(
                f"{database.game}: {position.text!r}: the values around it contradict each other; `searchbench verify` tells "
                "where, and `searchbench check` whether the rules keep their laws"
            )
    return path


def _steps_on(database: Database, position: Position) -> Iterator[Step]:
    """Yield the moves that leave exactly the remaining cost."""
    value = database.probe(position)
    for choice in database.moves(position):
        cost = database.game.call("cost", list(position.state), choice.move)
        if choice.value is not None and choice.value + cost == value:
            yield choice.move, choice.position


def _best_steps(database: Database, position: Position) -> Iterator[Step]:
    """Yield the moves that are best by a rule of the user's, whose values are no costs."""
    choices = database.moves(position)
    keys = [database.preference(position.state, choice) for choice in choices]
    for choice, key in zip(choices, keys, strict=True):
        if key == keys[0] and choice.value is not None:
            yield choice.move, choice.position


def _steps_back(database: Database, position: Position) -> Iterator[Step]:
    """Yield the moves that led here from a state one move nearer to the start."""
    game = database.game
    if not game.has("unmoves"):
        raise BadRequest(f"{game} supplies no `unmoves`: a line from the start cannot be traced back")
    depth = database.probe(position)
    out = [0] * max(game.max_moves, game.max_unmoves)
    for move in out[: game.call("unmoves", list(position.state), out)]:
        before = Position(game, tuple(game.unplay(position.state, move)))
        try:
            found = database.probe(before)
        except BadState:  # this predecessor is not reachable from the start
            continue
        if found == depth - 1:
            yield move, before
