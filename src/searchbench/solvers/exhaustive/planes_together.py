"""Search breadth first on bit vectors on several ranks: any game in bits, permutations by streaming, products by rows.

The algorithms are those of one process; :mod:`searchbench.exchange.vectors` deals the blocks of the vectors out. In the end
the first rank has all bits and writes the database, which is that of one process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange.ranks import ALONE, by_first, current, joined
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.bits.kernels import BLOCK
from searchbench.solvers.exhaustive.bits.search import search_one_bit, search_two_bit, words_for
from searchbench.solvers.exhaustive.bits.solve import (
    ONE_BIT,
    REACHABILITY,
    TWO_BIT,
    obstacle,
    one_bit_database,
    two_bit_database,
)
from searchbench.solvers.exhaustive.by_products import PRODUCT, moves_for, search_by_products
from searchbench.solvers.exhaustive.by_streaming import STREAMING, method_for, search_by_streaming
from searchbench.solvers.exhaustive.permutations.levels import TeamSize, share_bytes
from searchbench.solvers.exhaustive.products.search import bytes_on_rank
from searchbench.store import Database
from searchbench.store.keep import Keep
from searchbench.store.working import discard, working_folder
from searchbench.values import BFS, Depth

FORMS: Final = (STREAMING, PRODUCT, TWO_BIT, ONE_BIT, REACHABILITY)
"""The forms in which ranks search together."""

Made = Callable[[dict[str, Any]], Database]
"""Makes the database of what was found, on the first rank alone, with facts about the ranks."""


def search_planes_together(
    game: Game, form: str, keep: Keep, run: Run, command: str, target: jit.Target, times: Callable[[], dict[str, Any]]
) -> None:
    """Search in one of the forms and keep the database; `times` tells what the ranks took. Raises BadRequest and OutOfMemory."""
    search = {STREAMING: _stream, PRODUCT: _by_products}.get(form, _search_bits)
    with working_folder(game, f"{form} on ranks", run) as work:
        made = search(game, form, run, work, target)
        facts = {"ranks": current().count, **times()}
        by_first(lambda: _save(made, facts, keep, command))
    discard(keep.working)


def _save(made: Made, facts: dict[str, Any], keep: Keep, command: str) -> None:
    with joined(ALONE):  # the others wait
        made(facts).save(keep, command)


def _search_bits(game: Game, form: str, run: Run, work: Any, target: jit.Target) -> Made:
    why_not = obstacle(game, form)
    if why_not:
        raise BadRequest(f"form {form!r}: {why_not}")
    words, size = words_for(line_size(game.parts())), _team_size()
    if form == TWO_BIT:
        memory = _demand(game, share_bytes(words, size, whole=1) + 2 * words // BLOCK, form, run)
        layers = search_two_bit(game, run, target, work)
        facts = _facts(form, memory, len(layers.counts), run)
        return lambda more: two_bit_database(game, layers, {**facts, **more})
    memory = _demand(game, share_bytes(words, size, whole=1, vectors=1, kept=1) + 4 * words // BLOCK, form, run)
    alternating = form == ONE_BIT
    reach = search_one_bit(game, run, alternating, target, work)
    facts = _facts(form, memory, len(reach.counts), run)
    return lambda more: one_bit_database(game, reach, alternating, run, target, {**facts, **more})


def _facts(form: str, memory: int, levels: int, run: Run) -> dict[str, Any]:
    return {"solver": BFS, "form": form, "memory": memory, "levels": levels, **run.times, "threads": run.threads}


def _stream(game: Game, form: str, run: Run, work: Any, _: jit.Target) -> Made:
    method = method_for(game.claimed("sequences"), run)
    if method is None or method.on_rank is None:
        raise BadRequest(
            f"form {form!r}: {game} does not tell its moves as rearrangements of enough different elements, each of "
            f"which a move undoes; on several ranks the form {TWO_BIT!r} serves other games"
        )
    memory = _demand(game, method.on_rank(_team_size()), form, run)
    layers = search_by_streaming(method, numbered(game, game.rank(game.start())), run, work)
    facts = layers.facts(form, run, memory)
    return lambda more: Database(game, Depth(), layers.codes, {**facts, **more})


def _by_products(game: Game, form: str, run: Run, work: Any, _: jit.Target) -> Made:
    moves = moves_for(game)
    memory = _demand(game, bytes_on_rank(moves, _team_size()), form, run)
    layers = search_by_products(game, moves, run, work)
    facts = layers.facts(form, run, memory)
    return lambda more: Database(game, Depth(), layers.codes, {**facts, **more})


def _team_size() -> TeamSize:
    return TeamSize(len(SharedMemory().team), current().count)


def _demand(game: Game, needed: int, form: str, run: Run) -> int:
    run.demand(needed, f"solving {game} with bfs in the form {form} on {current().count} ranks, on each of them,")
    return needed
