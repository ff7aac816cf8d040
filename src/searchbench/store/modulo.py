"""The whole depth of a state, from depths modulo 3: by walking back to the start (Edelkamp 2017, two-bit search)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchbench.errors import BadRequest, DamagedData

if TYPE_CHECKING:
    from searchbench.store.database import Database


def whole_code(database: Database, number: int, code: int) -> int:
    """Return 1 + depth of a number whose table has 1 + depth mod 3.

    A step back leads to a predecessor whose code is one less, modulo 3: it lies one level nearer to the start, since a
    predecessor is never more than one level nearer.
    """
    game = database.game
    if not game.has("unmoves"):
        raise BadRequest(f"{game} supplies no `unmoves`: depths modulo 3 cannot be traced back to the start")
    first = game.rank(game.start())
    out = [0] * max(game.max_moves, game.max_unmoves)
    depth = 0
    while number != first:
        wanted = (code + 1) % 3 + 1
        state = game.unrank(number)
        for move in out[: game.call("unmoves", list(state), out)]:
            before = game.rank(game.unplay(state, move))
            if before >= 0 and database.residue(before) == wanted:
                number, code = before, wanted
                break
        else:
            raise DamagedData(f"{game}: {game.format(state)!r} has a depth, but nothing before it leads to it")
        depth += 1
        if depth > database.size:
            raise DamagedData(f"{game}: the depths go round in a circle")
    return 1 + depth
