"""Solve a game in a form of breadth-first search on bit vectors: its conditions, its memory, and its database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import Part, line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import Vector
from searchbench.solvers.exhaustive.bits.layers import layer_bytes, layers_of, search_layers
from searchbench.solvers.exhaustive.bits.on_files import LEAST_MEMORY, search_on_files
from searchbench.solvers.exhaustive.bits.search import (
    Expander,
    Layers,
    Reach,
    blocks_for,
    in_order,
    one_bit_bytes,
    part_counts,
    search_one_bit,
    search_two_bit,
    two_bit_bytes,
)  # fmt: skip
from searchbench.store import Database, modulo
from searchbench.store.bits import BitCodes, Layer, PlainBits
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import WorkingFolder, form_begun, working_folder
from searchbench.values import Depth, Reached

TWO_BIT, ONE_BIT, LAYERS, REACHABILITY = BIT_FORMS = ("two-bit", "one-bit", "layers", "reachability")
BY_MERIT: Final = (LAYERS, TWO_BIT, ONE_BIT)
"""The order of preference where whole values do not fit; ONE_BIT is last because it stores no depths."""


def form_in_files(form: str) -> str:
    """Return what a form is called in working folders where its vectors lie in files."""
    return f"{form} on files"


def obstacle(game: Game, form: str) -> str:
    """Return why this form does not serve a game, or "" if it does."""
    if form == TWO_BIT:
        return modulo.obstacle(game)
    if form == ONE_BIT and not game.has("alternates"):
        return f"{game} supplies no `alternates`: one bit does not tell new states from old ones"
    if form == LAYERS:
        try:
            layers_of(game.parts(), game.rank(game.start()))
        except BadRequest as error:
            return f"{game}: {error}"
    return ""


def bytes_needed(game: Game, form: str) -> int:
    """Return the memory that a search in this form takes, in bytes."""
    size = line_size(game.parts())
    if form == TWO_BIT:
        return two_bit_bytes(size)
    if form == LAYERS:
        return layer_bytes(layers_of(game.parts(), game.rank(game.start())))
    return one_bit_bytes(size)


def form_within(game: Game, run: Run, forms: Sequence[str] = BY_MERIT) -> str | None:
    """Return the best of `forms` that serves a game and fits into memory or can use files; None if there is none."""
    serving = [form for form in BY_MERIT if form in forms and not obstacle(game, form)]
    for form in serving:
        if bytes_needed(game, form) <= run.memory:
            return form
    return TWO_BIT if TWO_BIT in serving and run.work is not None else None


def solve_in_bits(game: Game, form: str, run: Run, target: jit.Target = "cpu") -> Database:
    """Search a game breadth first in one of the forms. Raises BadRequest and OutOfMemory before it starts."""
    why_not = obstacle(game, form)
    if why_not:
        raise BadRequest(f"form {form!r}: {why_not}")
    too_large = form == TWO_BIT and run.work is not None and bytes_needed(game, form) > run.memory
    begun = form_begun(run.work)
    in_files = begun == form_in_files(form) if begun in (form, form_in_files(form)) else too_large
    needed = LEAST_MEMORY if in_files else bytes_needed(game, form)
    run.demand(needed, f"solving {game} with bfs in the form {form}")
    facts: dict[str, Any] = {"solver": "bfs", "form": form, "memory": min(bytes_needed(game, form), run.memory)}
    with working_folder(game, form_in_files(form) if in_files else form, run) as work:
        if form == LAYERS:
            found = search_layers(game, run, target, work=work)
            return Database(game, Depth(), found.codes, _told(facts, found.counts, run))
        if form == TWO_BIT:
            return _two_bit(game, run, target, facts, work, in_files)
        return _one_bit(game, form == ONE_BIT, run, target, facts, work)


def _told(facts: dict[str, Any], counts: Sequence[int], run: Run) -> dict[str, Any]:
    return {**facts, "levels": len(counts), **run.times, "threads": run.threads}


def _two_bit(
    game: Game, run: Run, target: jit.Target, facts: dict[str, Any], work: WorkingFolder | None, in_files: bool
) -> Database:
    if in_files and work is not None:
        layers = search_on_files(game, run, work, target)
    else:
        layers = search_two_bit(game, run, target, work)
    return two_bit_database(game, layers, _told(facts, layers.counts, run))


def two_bit_database(game: Game, layers: Layers, facts: dict[str, Any]) -> Database:
    """Return the database of the layers that a search at two bits a state has found."""
    size = line_size(game.parts())
    codes = PlaneCodes(layers.low, layers.high, layers.parts, size)
    few = {str(depth): numbers for depth, numbers in layers.few.items()}
    return Database(game, Depth(), codes, {**facts, "few": few})


def _one_bit(
    game: Game, alternating: bool, run: Run, target: jit.Target, facts: dict[str, Any], work: WorkingFolder | None
) -> Database:
    reach = search_one_bit(game, run, alternating, target, work)
    return one_bit_database(game, reach, alternating, run, target, _told(facts, reach.counts, run))


def one_bit_database(
    game: Game, reach: Reach, alternating: bool, run: Run, target: jit.Target, facts: dict[str, Any]
) -> Database:
    """Return the database of the states that a search at one bit a state has reached; `alternating` as it was there."""
    parts: list[Part] = in_order(game.parts())
    marks = np.zeros(blocks_for(len(reach.words)), np.uint8)
    counts = part_counts(Expander(game, run, target), Vector(reach.words, marks, 0), parts)
    bits = PlainBits(reach.words)
    codes = BitCodes(parts, [Layer(bits, 0, 1, count) for count in counts])
    return Database(game, Reached(), codes, {**facts, "layers": reach.counts} if alternating else facts)
