"""Recover whole depths from depths modulo 3 or 4 by walking back to the start (Edelkamp 2017, two-bit search).

A step back leads from a state of depth d to a predecessor whose code is one less, modulo m. It has depth d - 1 for two
reasons. A move leads at most one level deeper, so every predecessor has depth d - 1 or more. No move leads more than
one level back (`Game.locality` is 0 or 1), so every predecessor has depth d + 1 or less. Of d - 1, d and d + 1 only the
first is congruent to d - 1 modulo m >= 3.

Without the second fact the walk is ambiguous: a predecessor of depth d - 1 + m has the same code as one of depth d - 1.
A walk through it reaches the start after too many steps, or cycles. Finding the shortest walk that the codes allow
would need a search per state. Therefore depths modulo m are neither computed for a game that does not claim the second
fact, nor read from a table of such a game. The claim is a law (`locality`), and `verify` checks it for every move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, DamagedData
from searchbench.index.contract import rank, unrank
from searchbench.inherited import why_left_out
from searchbench.rules import canonical, new_moves, new_state, unmoves, unplay
from searchbench.store.forms import BASE_THREE

if TYPE_CHECKING:
    from searchbench.game import Game
    from searchbench.store.codes import Array
    from searchbench.store.database import Database


def obstacle(game: Game) -> str:
    """Return why depths modulo 3 or 4 of a game cannot be traced back to the start, or "" if they can."""
    if not game.has("unmoves"):
        return f"{game} supplies no `unmoves`: depths modulo 3 could not be traced back to the start"
    locality: int | None = game.claimed("locality")
    if locality is None or locality > 1:
        return (
            f"{game} does not claim a `locality` of 0 or 1: where a move may lead several levels back to the start, depths "
            f"modulo 3 do not tell whole ones; the form 'values' keeps these{why_left_out(game, 'locality')}"
        )
    return ""


def whole_code(database: Database, number: int, code: int) -> int:
    """Return 1 + depth of a number from its code modulo 3 or 4; interpreted, so that a single probe compiles nothing."""
    game = database.game
    _check(database)
    first = game.rank(game.start())
    out = [0] * max(game.max_moves, game.max_unmoves)
    depth = 0
    while number != first:
        wanted = (code - 2) % database.modulus + 1
        state = game.unrank(number)
        for move in out[: game.call("unmoves", list(state), out)]:
            before = game.rank(game.unplay(state, move))
            if before >= 0 and database.residue(before) == wanted:
                number, code = before, wanted
                break
        else:
            raise DamagedData(
                f"{game}: {game.format(state)!r} has a depth, but no predecessor one level nearer to the start"
            )
        depth += 1
        if depth > database.size:
            raise DamagedData(f"{game}: walking back to the start runs in a cycle")
    return 1 + depth


def _check(database: Database) -> None:
    why_not = obstacle(database.game)
    if why_not:
        raise BadRequest(f"{database} keeps depths modulo {database.modulus}: {why_not}")


def trace(codes: Any, modulus: int, first: int, numbers: Any, found: Any) -> None:
    """Write 1 + depth of each of `numbers`, all of which have a depth; 0 if the walk fails."""
    state = new_state()
    out = new_moves()
    for index in range(len(numbers)):
        number = numbers[index]
        depth = 0
        while number != first and depth <= len(codes):
            wanted = codes[number] - 1 if codes[number] > 1 else modulus
            unrank(number, state)
            count = unmoves(state, out)
            lost = True
            for step in range(count):
                unrank(number, state)
                unplay(state, out[step])
                canonical(state)
                before = rank(state)
                if before >= 0 and codes[before] == wanted:
                    number = before
                    lost = False
                    break
            if lost:
                depth = len(codes)
            depth += 1
        found[index] = 1 + depth if depth <= len(codes) else 0


class Tracer:
    """Trace many numbers of a database with a compiled walk over the whole table in memory."""

    def __init__(self, database: Database) -> None:
        _check(database)
        self._game = database.game
        self._codes = database.codes
        self._modulus = database.modulus
        self._first = database.game.rank(database.game.start())
        self._kernel = jit.bind(trace, database.game.names(database.rule, database.game.quickest_target))

    def codes(self, numbers: Array) -> Array:
        """Return 1 + depth of each number, 0 if it is not reached. Raises DamagedData."""
        found = np.zeros(len(numbers), np.int64)
        reached = self._codes[numbers] != 0
        walked = np.zeros(int(reached.sum()), np.int64)
        self._kernel(self._codes, self._modulus, self._first, numbers[reached], walked)
        if not walked.all():
            lost = int(numbers[reached][walked == 0][0])
            raise DamagedData(f"{self._game}: number {lost} has a depth, but no way back to the start")
        found[reached] = walked
        return found


def packed_residues(database: Database) -> Array:
    """Return depths modulo 3, five to a byte (Edelkamp 2017, compressed pattern databases). Raises BadRequest.

    Along moves that change the depth by one, residues determine depths.
    """
    if database.modulus != 3 or database.reachable < database.size:
        raise BadRequest(f"{database}: expected depths modulo 3, and every state reached, to follow depths along moves")
    (part,) = database.parts
    step = 5 << 20
    pieces = [
        BASE_THREE.packed(database.read(part, first, min(first + step, part.stop)))
        for first in range(0, part.stop, step)
    ]
    return np.concatenate(pieces)
