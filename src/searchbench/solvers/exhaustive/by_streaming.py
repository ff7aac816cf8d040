"""Breadth-first search of games that tell their moves as rearrangements: which of the streaming searches serves a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from searchbench.errors import BadRequest
from searchbench.exchange.ranks import current
from searchbench.game import Game
from searchbench.index import Sequences
from searchbench.index.protocol import line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive import multisets
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.permutations import search_alternating, search_planes, signed
from searchbench.solvers.exhaustive.permutations.levels import Layers, LevelSearch, TeamSize, search_levels, share_bytes
from searchbench.solvers.exhaustive.permutations.plan import BLOCK, Plan, word_bits_of
from searchbench.store import Database
from searchbench.store.working import WorkingFolder, working_folder
from searchbench.values import Depth

STREAMING = "streaming"


class Method(NamedTuple):
    """Hold a way to search a game: its memory, the least memory (with files), and the function that makes the search.

    `on_rank` tells the memory that each of the ranks needs that search together; None where they cannot.
    """

    memory: int
    least: int
    on_rank: Callable[[TeamSize], int] | None
    search: Callable[[int, Run, WorkingFolder | None], LevelSearch]


def method_for(sequences: Sequences | None, run: Run) -> Method | None:
    """Return how a game is searched by streaming; None if its moves are not told, or do not suit.

    Where a move cannot be undone by a move, depths modulo 3 or 4 do not tell whole ones (:mod:`searchbench.store.modulo`).
    """
    if sequences is None or not sequences.reversible:
        return None
    try:
        if sequences.two_sided:
            return _two_sided(sequences)
        if sequences.n < BLOCK:
            return None
        return _of_equal_pieces(sequences, run) if sequences.pieces else _of_different_elements(sequences, run)
    except BadRequest:
        return None


def _two_sided(sequences: Sequences) -> Method:
    plan = signed.SignedPlan(sequences)
    memory = signed.bytes_needed(plan)
    on_rank = partial(signed.bytes_on_rank, plan)
    return Method(memory, memory, on_rank, lambda start, run, _: signed.SignedSearch(plan, start, run))


def _of_equal_pieces(sequences: Sequences, run: Run) -> Method:
    plan = multisets.Plan(sequences)
    memory = multisets.bytes_needed(plan, run.threads)
    return Method(memory, memory, None, lambda start, run, _: multisets.MultisetSearch(plan, start, run))


def _of_different_elements(sequences: Sequences, run: Run) -> Method:
    least = (2 if sequences.alternates else 4) * sequences.rows * word_bits_of(sequences) // 8
    together = current().count > 1
    if least > run.memory and not together and not (sequences.alternates and run.work is not None):
        # The tables of a plan that is too large take minutes to make.
        on_rank = partial(
            share_bytes, least // (16 if sequences.alternates else 32), vectors=2 if sequences.alternates else 4
        )
        return Method(
            least, least, on_rank, lambda start, run, work: _by_plan(Plan(sequences), run).search(start, run, work)
        )
    return _by_plan(Plan(sequences), run)


def _by_plan(plan: Plan, run: Run) -> Method:
    if plan.alternates:
        memory = search_alternating.bytes_needed(plan)
        least = search_alternating.bytes_needed_on_files(plan) if run.work is not None else memory
        return Method(
            memory,
            min(memory, least),
            partial(search_alternating.bytes_on_rank, plan),
            lambda start, run, work: search_alternating.AlternatingSearch(plan, start, run, work),
        )
    memory = search_planes.bytes_needed(plan)
    on_rank = partial(search_planes.bytes_on_rank, plan)
    return Method(memory, memory, on_rank, lambda start, run, _: search_planes.PlaneSearch(plan, start, run))


def search_by_streaming(method: Method, start: int, run: Run, work: WorkingFolder | None = None) -> Layers:
    """Search from the state with the number `start` until nothing is new."""
    return search_levels(method.search(start, run, work), start, run, work)


def solve_by_streaming(game: Game, method: Method, run: Run) -> Database:
    """Search breadth first by moving rows of numbers; the depths are kept modulo 3, or 4 where moves alternate."""
    start = numbered(game, game.rank(game.start()))
    size = line_size(game.parts())
    run.demand(method.least, f"solving {game} ({size:,} states) with bfs, form streaming")
    with working_folder(game, STREAMING, run) as work:
        layers = search_by_streaming(method, start, run, work)
    return Database(game, Depth(), layers.codes, layers.facts(STREAMING, run, min(method.memory, run.memory)))
