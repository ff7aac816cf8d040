"""Breadth-first search of games that tell their moves as tables of a product index: which games it serves, and the database."""

from __future__ import annotations

from typing import Final

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.product_moves import ProductMoves
from searchbench.inherited import why_left_out
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.permutations.levels import Layers, search_levels
from searchbench.solvers.exhaustive.products.search import ProductSearch, bytes_needed
from searchbench.store import Database, modulo
from searchbench.store.working import WorkingFolder, working_folder
from searchbench.values import Depth

PRODUCT: Final = "product"
LEAST_COLUMNS: Final = 16
"""With fewer columns a row's word is mostly empty: the form is taken only when it is asked for."""


def moves_for(game: Game) -> ProductMoves:
    """Return the moves that a search goes by. Raises BadRequest where they are not told or do not suit."""
    unsuited = game.two_players or game.has("canonical") or game.has("legal")
    moves: ProductMoves | None = None if unsuited else game.claimed("product_moves")
    if moves is None:
        raise BadRequest(
            f"form {PRODUCT!r}: {game} does not tell the moves of a product index (`product_moves`, or `independent`), or they "
            f"take too large a table, or it has symmetries or illegal numbers{why_left_out(game, 'product_moves')}"
        )
    why_not = modulo.obstacle(game)
    if why_not:
        raise BadRequest(f"form {PRODUCT!r}: {why_not}")
    if not moves.one_to_one:
        raise BadRequest(f"form {PRODUCT!r}: moves of {game} bring several states together")
    return moves


def quick_moves(game: Game) -> ProductMoves | None:
    """Return the moves of a game for which the form is the quickest; else None."""
    try:
        moves = moves_for(game)
    except BadRequest:
        return None
    return moves if moves.columns.shape[1] >= LEAST_COLUMNS else None


def fitting_moves(game: Game, run: Run) -> ProductMoves | None:
    """Return the moves of a game for which the form is the quickest, and which fits the memory; else None."""
    moves = quick_moves(game)
    return moves if moves is not None and bytes_needed(moves) <= run.memory else None


def solve_by_products(game: Game, moves: ProductMoves, run: Run) -> Database:
    """Search breadth first by rows and columns; the depths are kept modulo 3."""
    memory = bytes_needed(moves)
    run.demand(memory, f"solving {game} ({moves.size:,} states) with bfs in the form {PRODUCT}")
    with working_folder(game, PRODUCT, run) as work:
        layers = search_by_products(game, moves, run, work)
    return Database(game, Depth(), layers.codes, layers.facts(PRODUCT, run, memory))


def search_by_products(game: Game, moves: ProductMoves, run: Run, work: WorkingFolder | None) -> Layers:
    """Search from the start until nothing is new."""
    start = numbered(game, game.rank(game.start()))
    return search_levels(ProductSearch(moves, start, run), start, run, work)
