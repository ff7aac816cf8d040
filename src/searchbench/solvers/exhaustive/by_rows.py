"""Whole depths of games whose moves move rows of numbers at once: told as rearrangements, or as tables of a product.

The searches of :mod:`by_streaming` and :mod:`by_products` mark the states of a level by bits. Here each state that a level
marks also gets its depth, in a byte. Where the game claims that depths are distances, this is retrograde analysis: it begins at
the only solved state, and goes to the predecessors, which are the successors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.exchange.ranks import Numbers, current
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.jit import FIRST, STOP, trailing_zeros
from searchbench.run import Run
from searchbench.solvers.exhaustive.bfs import numbered
from searchbench.solvers.exhaustive.by_products import PRODUCT, quick_moves
from searchbench.solvers.exhaustive.by_streaming import STREAMING, method_for
from searchbench.solvers.exhaustive.choice import VALUES, Choice
from searchbench.solvers.exhaustive.permutations.levels import Array, LevelSearch, TeamSize, search_levels
from searchbench.solvers.exhaustive.products.search import ProductSearch, bytes_needed, bytes_on_rank
from searchbench.store import Database
from searchbench.store.working import WorkingFolder, form_begun, working_folder
from searchbench.values import BFS, RETROGRADE, Distance

LEAST: Final = 1 << 16
"""With fewer numbers any way takes a moment, and small games are solved without compiling."""
DEEPEST: Final = 253
"""The largest depth that a byte holds beside 0, not reached, and the mark of what is no position."""
PIECE: Final = 1 << 16
"""How many words are looked through at a time."""
WHOLE: Final = "whole"
"""The name of the depths among the vectors of a search."""


class Rows(NamedTuple):
    """Hold how rows are moved, the memory of the search in bits, and the function that makes it.

    `on_rank` tells the memory of that search on each of the ranks that search together; None where they cannot.
    """

    by: str
    memory: int
    on_rank: Callable[[TeamSize], int] | None
    search: Callable[[int, Run, WorkingFolder | None], LevelSearch]


def way_of(solver: str) -> str:
    """Return what unfinished work of a solver by rows is called."""
    return f"{solver} by rows"


def goes_by_rows(game: Game, choice: Choice) -> bool:
    """Tell whether values that are asked for are depths in a table, of a puzzle that is large enough."""
    if game.two_players:
        return False
    if choice.solver == RETROGRADE:
        wanted = choice.rule.claims == Distance.claims and game.claimed("depth_is_distance") and not game.has("cost")
    else:
        wanted = choice.solver == BFS and VALUES in choice.forms
    parts = game.parts() if wanted else []
    return len(parts) == 1 and line_size(parts) >= LEAST


def rows_of(game: Game, run: Run) -> Rows | None:
    """Return how the rows of a game are moved; None where it does not tell its moves, or where these do not suit."""
    method = method_for(game.claimed("sequences"), run)
    if method is not None:
        return Rows(STREAMING, method.memory, method.on_rank, method.search)
    moves = quick_moves(game)
    if moves is not None:
        on_rank = partial(bytes_on_rank, moves)
        return Rows(PRODUCT, bytes_needed(moves), on_rank, lambda start, run, _: ProductSearch(moves, start, run))
    return None


def solve_by_rows(game: Game, choice: Choice, run: Run) -> Database | None:
    """Find whole depths, or distances, by rows; None where the game, the memory or unfinished work asks for another way."""
    way, begun = way_of(choice.solver), form_begun(run.work)
    rows = rows_of(game, run) if goes_by_rows(game, choice) and begun in (None, way) else None
    if rows is None:
        return None
    size = line_size(game.parts())
    memory = with_depths(rows.memory, size)
    if begun is None and memory > run.memory:
        return None
    run.demand(memory, f"solving {game} ({size:,} states) with {way}")
    start = numbered(game, game.rank(game.start()))
    with working_folder(game, way, run, choice.rule) as work:
        layers = search_levels(WholeDepths(rows.search(start, run, work), run, memory), start, run, work)
    return Database(game, choice.rule, layers.codes, facts_of(choice, rows, len(layers.counts), memory, run))


def with_depths(memory: int, states: int) -> int:
    """Return the memory of a search that also keeps whole depths, of so many states."""
    told = memory // 2  # a vector more, beside two at the least, tells which states have their depth
    return memory + told + states


def facts_of(choice: Choice, rows: Rows, levels: int, memory: int, run: Run) -> dict[str, Any]:
    """Return the facts of a database that was found by rows."""
    return {
        "solver": choice.solver, **({"form": VALUES} if choice.solver == BFS else {}), "rows": rows.by,
        "levels": levels, **run.times, "threads": run.threads, "memory": memory,
    }  # fmt: skip


class WholeDepths:
    """Search as another search does, and write 1 + depth of each state that a level finds; 0 stands for a state not reached.

    `memory` is what both take, with a byte for each state. Of several ranks, each writes the depths in its own blocks.
    """

    def __init__(self, search: LevelSearch, run: Run, memory: int) -> None:
        self.search, self.run, self.memory = search, run, memory
        self.size, self.deal, self.vectors, self.on_files = search.size, search.deal, search.vectors, search.on_files
        self.reached = [self.vectors[name] for name in ("reached", "low", "high") if name in self.vectors]
        self.told = self.deal.vector()
        self.vectors[WHOLE] = self.deal.entries(self.size, np.uint8)
        self.kernel = jit.bind(tell, jit.Names({}))
        self._tell(0)

    @property
    def ahead(self) -> int:
        """Return how many states of the next level an interrupted run has already found."""
        return self.search.ahead

    @property
    def layout(self) -> tuple[int, int]:
        """Return the states and the bits of a row."""
        return self.search.layout

    def level(self, depth: int) -> tuple[int, list[int]]:
        """Find the states of this depth and write it; return how many are new, and their numbers if they are few."""
        count, numbers = self.search.level(depth)
        if count > 0:
            self._tell(depth)
        return count, numbers

    def resume(self, work: WorkingFolder, reached: int) -> None:
        """Load the vectors and the depths from a working folder."""
        self._make_room(len(work.record["counts"]) - 1)
        self.deal.meet()  # no rank writes any more in what a quick one loads
        self.search.resume(work, reached)
        for first, stop in self.deal.words(PIECE):
            self.told[first:stop] = np.bitwise_or.reduce([vector[first:stop] for vector in self.reached])

    def codes(self, counts: Sequence[int]) -> Array:
        """Return the depths."""
        return self.vectors.pop(WHOLE)

    def held(self, rank: int) -> Numbers:
        """Return start, stop, start, stop, ... of the numbers whose depths a rank writes."""
        return self.deal.held(rank, self.size)

    def _tell(self, depth: int) -> None:
        self._make_room(depth)
        pieces = self.deal.words(max(1, min(PIECE, len(self.told) // (8 * self.run.threads))))
        one, other = self.reached[0], self.reached[-1]
        self.run.launch(
            self.kernel, pieces, one, other, self.told, self.vectors[WHOLE], FIRST, STOP, 1 + depth, *self.layout, np.uint64(1)
        )  # fmt: skip

    def _make_room(self, depth: int) -> None:
        """Take two bytes for each depth where one does not hold it. Raises OutOfMemory."""
        narrow = self.vectors[WHOLE]
        if depth > DEEPEST and narrow.itemsize == 1:
            own = self.held(current().rank).reshape(-1, 2).tolist()
            more = 2 * sum(stop - start for start, stop in own)
            self.run.demand(self.memory + more, f"keeping depths of {self.size:,} states above {DEEPEST}")
            self.vectors[WHOLE] = self.deal.entries(self.size, np.uint16)
            for start, stop in own:
                self.vectors[WHOLE][start:stop] = narrow[start:stop]


def tell(
    one: Any, other: Any, told: Any, whole: Any, first: int, stop: int, code: int, places: int, row_bits: int,
    unit: Any,
) -> None:  # fmt: skip
    """Give the code to the states in the words first .. stop - 1 that are reached, in either vector, and are not told yet.

    A row of `places` states takes `row_bits` bits: a power of two of them, or whole words. `unit` is 1 as a word.
    """
    for word in range(first, stop):
        left = (one[word] | other[word]) & ~told[word]
        told[word] |= left
        if row_bits >= 64:
            words = row_bits >> 6
            before = word // words * places + (word % words << 6)
            while left != 0:
                whole[before + trailing_zeros(left)] = code
                left &= left - unit
        else:
            shift = trailing_zeros(row_bits)
            while left != 0:
                bit = 64 * word + trailing_zeros(left)
                whole[(bit >> shift) * places + (bit & (row_bits - 1))] = code
                left &= left - unit
