"""Count the states at each depth from a state, for puzzles whose states need no numbers: breadth-first search with a table."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.rules import new_moves, new_state, play, terminal, unplay
from searchbench.run import Run
from searchbench.solvers.guided.choices import NONE, choices
from searchbench.solvers.guided.contract import dead
from searchbench.solvers.guided.nodes import (
    COST,
    Nodes,
    add_node,
    grow_nodes,
    load_state,
    new_nodes,
    slot_of,
    slots_for,
)

COUNT, NEXT, SOLVED = range(3)
"""What the kernel notes: the states found, the next one to be expanded, and the depth of the first solved one (-1: none)."""
SLICE: Final = 1 << 16


class Depths(NamedTuple):
    """The number of states at each depth, the depth of the first solved one (-1: none), and whether all were counted."""

    counts: tuple[int, ...]
    solved: int
    complete: bool


def expand_in_order(tables: Any, nodes: Nodes, note: Any, most: int) -> None:
    """Expand states in the order in which they were found, at most so many, as long as there is room."""
    state, out = new_state(), new_moves()
    while most > 0 and note[NEXT] < note[COUNT] and note[COUNT] + len(out) <= len(nodes.states):
        most -= 1
        node = note[NEXT]
        note[NEXT] += 1
        load_state(nodes, node, state)
        depth = nodes.facts[node, COST]
        if terminal(state) == 0 and note[SOLVED] < 0:
            note[SOLVED] = depth
        if dead(state, tables):
            continue
        for index in range(choices(state, NONE, out, tables)):
            play(state, out[index])
            slot = slot_of(nodes, state)
            if nodes.slots[slot] == 0:
                add_node(nodes, note[COUNT], slot, state)
                nodes.facts[note[COUNT], COST] = depth + 1
                note[COUNT] += 1
            unplay(state, out[index])


def count_depths(
    game: Game, most: int = 0, run: Run | None = None, *, cuts: bool = True, target: jit.Target = "cpu"
) -> Depths:
    """Return how many states lie at each depth from the start, up to `most` states in all (0: no limit).

    With `cuts`, moves and states that the rules leave out in a search are left out. Solved states are expanded, too.
    """
    with run or Run() as active:
        names = game.names(target=target)
        if not cuts:
            names = names.without("dead", "relevance_cut", "forced_move")
        kernel = jit.bind(expand_in_order, names)
        room, widest = 1 << 12, len(names["new_moves"]())
        room = max(room, 2 * widest)
        nodes = new_nodes(room, game.width, game.dtype, np.zeros((room + 2, 0), np.int64))
        note = np.array([1, 0, -1], np.int64)
        state = names["new_state"]()
        state[:] = game.start()
        jit.bind(_enter, names)(nodes, state)
        while note[NEXT] < note[COUNT] and not (most and note[COUNT] >= most):
            kernel((), nodes, note, SLICE)
            active.progress("counting states", int(note[COUNT]), most)
            if note[COUNT] + widest > len(nodes.states):
                room = 2 * len(nodes.states)
                cells = game.width * np.dtype(game.dtype).itemsize
                active.demand(room * (cells + 32) + 4 * slots_for(room), f"the states of {game}")
                grow_nodes(nodes, room, int(note[COUNT]), names)
        counts = np.bincount(nodes.facts[: int(note[COUNT]), COST])
        return Depths(tuple(map(int, counts)), int(note[SOLVED]), bool(note[NEXT] >= note[COUNT]))


def _enter(nodes: Nodes, state: Any) -> None:
    add_node(nodes, 0, slot_of(nodes, state), state)
