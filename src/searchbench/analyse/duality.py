"""Which reached states can still be solved, told from breadth-first layers of a game that looks the same from both ends."""

from __future__ import annotations

from searchbench.errors import BadRequest
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.duality import REACHED, Finder, dual_of
from searchbench.solvers.exhaustive.bits.layers import layers_of
from searchbench.store import Database


def solvable_by_depth(database: Database, run: Run | None = None) -> dict[int, int]:
    """Return how many of the states at each depth the goal can still be reached from, in order of the depths.

    A state can be solved in d moves just if its dual is at depth d (Edelkamp 2017, symmetries). The database is one of
    depths whose parts are layers, of a game that supplies `reversal`; all its lines to the goal are as long as that is deep,
    so duals are sought in one layer only. Raises BadRequest where it is another one.
    """
    game = database.game
    if not game.has("reversal"):
        raise BadRequest(f"{game} supplies no `reversal`: the depths do not tell which states can be solved")
    if not database.rule.from_start or database.modulus:
        raise BadRequest(f"{game}: solvable states are counted in databases of whole depths, of the form layers")
    layers = layers_of(database.parts, game.rank(game.start()))
    goal = game.rank(dual_of(game, game.start()))
    length = next(depth for depth, layer in enumerate(layers) if any(part.start <= goal < part.stop for part in layer))
    counts = dict.fromkeys(range(length + 1), 0)
    with run or Run() as active:
        finder = Finder(game, active)
        for depth in range(length // 2 + 1):
            for one in layers[depth]:
                for other in layers[length - depth]:
                    counts[depth] += int(finder.in_parts(database, one, other).counts[REACHED])
            counts[length - depth] = counts[depth]  # the duals of those that can be solved, which can be solved too
            active.progress(f"depth {depth}", depth + 1, length // 2 + 1)
    return counts
