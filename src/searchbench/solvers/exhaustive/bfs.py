"""Breadth-first search from the start over the whole index: each state gets its depth (Edelkamp 2017).

It needs neither `unmoves` nor a value rule of the game; states that the start cannot reach have no value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets, Pages, Table
from searchbench.exchange.memory import LARGEST_CODE, add_request, has_room
from searchbench.game import Game
from searchbench.index.contract import canonical_rank, successor_ranks, unrank
from searchbench.jit import FIRST, STOP
from searchbench.rules import (
    GUARDED,
    NOWHERE,
    SYMMETRIC,
    UNDECIDED,
    moves,
    new_moves,
    new_state,
    play,
    start,
    terminal,
    unplay,
)
from searchbench.run import Run
from searchbench.solvers.exhaustive.checkpoints import LEVELS, Checkpoints
from searchbench.solvers.exhaustive.neighbours import Bounds, Numbers, inside, is_position
from searchbench.solvers.exhaustive.pending import Flags, new_flags, next_pending, set_pending
from searchbench.solvers.exhaustive.refusals import NOT_CARRIED, NOT_IN_INDEX
from searchbench.solvers.exhaustive.retrograde import back_up
from searchbench.solvers.exhaustive.rounds import Work
from searchbench.solvers.exhaustive.schedule import Chunks
from searchbench.values.contract import initial


def successor_numbers(number: int, state: Any, scratch: Any, out: Any, numbers: Numbers) -> int:
    """Write the successors' numbers, those of their symmetry classes where the game has symmetries."""
    if not SYMMETRIC:
        return successor_ranks(number, state, out, numbers)
    unrank(number, state)
    count = moves(state, out)
    for index in range(count):
        play(state, out[index])
        numbers[index] = canonical_rank(state, scratch)
        unplay(state, out[index])
    return count


def emit_forward(
    codes: Any, illegal: int, first: int, stop: int, now: int, bounds: Bounds, block_bits: int, pages: Pages,
    here: Any, pending: Flags, through_ends: bool,
) -> int:  # fmt: skip
    """Write requests for the successors of the states of depth `now`; return the first state not done, or a refusal."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    if now + 1 > LARGEST_CODE:
        return NOT_CARRIED
    number = next_pending(codes, illegal, first, stop, now, here, pending)
    while number < stop:
        unrank(number, state)
        if through_ends or terminal(state) == UNDECIDED:
            count = successor_numbers(number, state, scratch, out, numbers)
            if not has_room(pages, count):
                return number
            for index in range(count):
                if GUARDED and (numbers[index] >= bounds[len(bounds) - 1] or numbers[index] < NOWHERE):
                    return NOT_IN_INDEX
                if numbers[index] >= 0:
                    add_request(pages, numbers[index], block_bits, now + 1, 1)
        number = next_pending(codes, illegal, number + 1, stop, now, here, pending)
    return stop


def mark_illegal(codes: Any, illegal: int, first: int, stop: int) -> None:
    """Mark the numbers that are no positions."""
    state = new_state()
    scratch = new_state()
    for number in range(first, stop):
        unrank(number, state)
        if not is_position(number, state, scratch):
            codes[number] = illegal


def first_number() -> int:
    """Return the number of the start."""
    state = new_state()
    start(state)
    return canonical_rank(state, new_state())


def start_number(game: Game) -> int:
    """Return the number of a game's start, interpreted: it is asked once. Raises BadRequest where it has none."""
    return numbered(game, int(jit.bind(first_number, game.names(target="interpreted"))()))


def numbered(game: Game, first: int) -> int:
    """Return the number of a game's start, if it is one. Raises BadRequest."""
    if first < 0:
        raise BadRequest(
            f"{game}: the start has no number in the index, and breadth-first search begins there; the solvers "
            "retrograde and fixpoint do not need it"
        )
    return first


def solve_all(names: jit.Names, game: Game, table: Table, run: Run, buckets: Buckets, checkpoints: Checkpoints) -> int:
    """Search the whole index from the start; return the number of levels. Raises BadRequest where the start has no number."""
    through_ends = not game.two_players  # terminal states have successors, as the solved states of a puzzle do
    bounds = np.array([0, len(table.codes)], np.int64)
    pending = new_flags(len(table.codes))
    if not checkpoints.restore_flags(LEVELS, pending, table.sharing.own(bounds)):
        _begin(names, game, table, pending, run)
    emitter = jit.bind(emit_forward, names)

    def emit(*arguments: Any) -> int:
        return int(emitter(*arguments, through_ends))

    return back_up(names, emit, Work(bounds, False, table, buckets, pending, run, checkpoints))


def _begin(names: jit.Names, game: Game, table: Table, pending: Flags, run: Run) -> None:
    """Mark the numbers that are no position, and give the start its code."""
    own: Any = table.sharing.own(np.array([0, len(table.codes)], np.int64))
    first = start_number(game)
    if "legal" in names or "canonical" in names:
        marker = jit.bind(mark_illegal, names)
        run.launch(marker, Chunks(own), table.codes, table.illegal, FIRST, STOP, after=table.rest_after)
    if inside(first, own):
        table.codes[first] = jit.bind(initial, names)(0, 0)
        set_pending(pending, first, 0)
