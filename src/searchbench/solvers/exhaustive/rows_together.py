"""Find whole depths, or distances, by rows on several ranks: each writes the depths of the states in its own blocks.

The searches are those of one process, :mod:`by_rows`; all ranks write the database.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from searchbench.exchange.decisions import reduce_any
from searchbench.exchange.ranks import by_first, current
from searchbench.exchange.shared_memory import SharedMemory
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.budget import code_bytes
from searchbench.solvers.exhaustive.by_rows import (
    WholeDepths,
    facts_of,
    goes_by_rows,
    rows_of,
    way_of,
    with_depths,
)
from searchbench.solvers.exhaustive.choice import Choice
from searchbench.solvers.exhaustive.codes_together import write_together
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.permutations.levels import TeamSize, search_levels
from searchbench.solvers.exhaustive.share import CODE_COPIES, Share
from searchbench.store.growing import GrowingDatabase
from searchbench.store.keep import Keep
from searchbench.store.working import discard, form_begun, working_folder


def solve_rows_together(
    game: Game, choice: Choice, keep: Keep, run: Run, command: str, times: Callable[[], dict[str, Any]]
) -> bool:
    """Solve by rows and keep the database; return False where the game, the memory or unfinished work asks for another way.

    `times` tells the times of the ranks. Raises OutOfMemory where no way fits, or not the one in which work was begun.
    """
    way = f"{way_of(choice.solver)} on ranks"
    begun = by_first(lambda: _begun(keep.working, way))
    if begun is False or not goes_by_rows(game, choice):
        return False
    size, ranks = line_size(game.parts()), current().count
    where = f"{game} ({size:,} states) with {way_of(choice.solver)} on {ranks} ranks, on each of them,"
    run.demand(
        size // ranks, f"keeping the depths of {where}"
    )  # before a plan is made, which takes long for many states
    rows = rows_of(game, run)
    if rows is None or rows.on_rank is None:
        return False
    team = SharedMemory().team
    memory = memory_of_rank(rows.on_rank, size, TeamSize(len(team), ranks))
    if (
        begun is None
        and reduce_any([memory > run.memory])
        and not reduce_any([_state_by_state(game, choice, run, len(team)) > run.memory])
    ):
        return False
    run.demand(memory, f"solving {where}")
    parts, start = tuple(game.parts()), numbered(game, game.rank(game.start()))
    with (
        GrowingDatabase(keep.folder, game, choice.rule, command) as kept,
        working_folder(game, way, run, choice.rule) as work,
    ):
        search = WholeDepths(rows.search(start, run, work), run, memory)
        layers = search_levels(search, start, run, work)
        assert isinstance(layers.codes, np.ndarray)
        facts = {**facts_of(choice, rows, len(layers.counts), memory, run), "ranks": ranks, **times()}
        held = [search.held(rank) for rank in range(ranks)]
        write_together(kept, parts, layers.codes, held, team, facts)
    discard(keep.working)
    return True


def _begun(working: Path, way: str) -> bool | None:
    """Tell whether unfinished work was begun this way; None where there is none."""
    if not working.is_dir() or not any(working.iterdir()):
        return None
    return form_begun(working) == way


def _state_by_state(game: Game, choice: Choice, run: Run, near: int) -> int:
    """Return the memory that each rank needs otherwise."""
    share, parts = Share(game, choice.rule, run, current().count, near), tuple(game.parts())
    group = Group(parts, parts)
    return share.bytes_needed(group, share.sizes(group, [], code_bytes(game, choice.rule)))


def memory_of_rank(search: Callable[[TeamSize], int], states: int, size: TeamSize) -> int:
    """Return the memory that each rank needs for its share of a search and of the depths of so many states, in bytes."""
    copies = CODE_COPIES if size.team < size.ranks else 0
    return with_depths(search(size), (1 + copies) * -(-states // size.ranks))
