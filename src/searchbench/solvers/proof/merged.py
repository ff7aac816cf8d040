"""Search a graph of positions by proof numbers, where a node may have several parents (Allis 1994, section 2.3.4).

The question and the numbers are those of :mod:`searchbench.solvers.proof.pns`; those of a node that is reached in several ways
are too large, as if the graph were a tree, and all its parents are renewed. Positions with different players to move are
different nodes. Which occurrences of a position are one node is a choice:

* *all*: a move to a node from which this one can be reached is a repetition, and worth a draw there. So the graph stays
  acyclic, but a repetition on one path counts on all paths (the second method for graphs with cycles). An answer that
  repetitions speak for is not reliable once there was one; the opposite answer is right.
* *conversions*: only positions that come from an irreversible move are shared; others are copies, a tree below the shared node
  that they come from. A repetition lies within such a tree, so every answer is right (the first method).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, State, moves, new_moves, new_state, play, unplay
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.contract import first_disproof, first_proof, irreversible, on_development
from searchbench.solvers.proof.facts import outcome_of
from searchbench.solvers.proof.strategy_table import same
from searchbench.solvers.proof.tree import INFINITE, NONE, limited

SLICE: Final = 1 << 14
"""Nodes created between two reports, at which the search can be stopped."""
FIRST_ROOM: Final = 1 << 10
# The columns of `nodes`: its numbers; its edges, the first and how many (NONE: not developed); the first edge to it, its
# bucket's next node, whether it waits to be renewed, its depth's last bit, whether it has one parent, and a mark.
PROOF, DISPROOF, FIRST, COUNT, ABOVE, NEXT, WAITING, ODD, COPY, MARK = range(10)
NODE_COLUMNS: Final = 10
# The columns of `edges`: the nodes below and above, and the next edge to the same node below.
BELOW, OVER, SISTER = range(3)
EDGE_COLUMNS: Final = 3
# The places of `note`: nodes and edges, created and developed nodes, repetitions, the last mark.
NODES, EDGES, CREATED, DEVELOPED, REPETITIONS, MARKS = range(6)
# The reasons for the end of a slice.
SOLVED, PAUSED, FULL = range(3)


class Merged(NamedTuple):
    """The nodes with their states and keys, the edges with their moves, buckets of nodes, and room for nodes to renew."""

    nodes: Any
    states: Any
    keys: Any
    edges: Any
    moves: Any
    buckets: Any
    waiting: Any
    note: Any


def new_merged(game: Game, room: int) -> Merged:
    """Return an empty graph with room for so many nodes, a power of two."""
    return Merged(
        np.zeros((room, NODE_COLUMNS), np.int32), np.zeros((room, game.width), game.dtype), np.zeros(room, np.int64),
        np.zeros((4 * room, EDGE_COLUMNS), np.int32), np.zeros(4 * room, np.int64), np.full(2 * room, NONE, np.int32),
        np.zeros(room, np.int32), np.zeros(6, np.int64),
    )  # fmt: skip


def larger(graph: Merged, game: Game) -> Merged:
    """Return the graph with twice the room."""
    new = new_merged(game, 2 * len(graph.nodes))
    count, edges = int(graph.note[NODES]), int(graph.note[EDGES])
    new.nodes[:count], new.states[:count], new.keys[:count] = (
        graph.nodes[:count], graph.states[:count], graph.keys[:count],
    )  # fmt: skip
    new.edges[:edges], new.moves[:edges] = graph.edges[:edges], graph.moves[:edges]
    new.note[:] = graph.note
    for node in np.flatnonzero(new.nodes[:count, COPY] == 0).tolist():
        bucket = int(new.keys[node]) & (len(new.buckets) - 1)
        new.nodes[node, NEXT] = new.buckets[bucket]
        new.buckets[bucket] = node
    return new


def bound_of(bound: int, odd: int) -> int:
    """Return the bound in question for the player to move, at an even or an odd depth."""
    return 1 - bound if odd else bound


def find_shared(graph: Merged, state: State, code: int, odd: int) -> int:
    """Return the shared node of a position, or NONE."""
    node = graph.buckets[code & (len(graph.buckets) - 1)]
    while node != NONE:
        if graph.keys[node] == code and graph.nodes[node, ODD] == odd and same(graph.states, node, state):
            return int(node)
        node = graph.nodes[node, NEXT]
    return NONE


def add_node(graph: Merged, state: State, code: int, odd: int, copy: bool) -> int:
    """Add a node that is not developed; its numbers are still to be written."""
    node = int(graph.note[NODES])
    graph.note[NODES] = node + 1
    row = graph.nodes[node]
    row[COUNT] = NONE
    row[ABOVE] = NONE
    row[ODD] = odd
    row[COPY] = copy
    row[WAITING] = 0
    row[MARK] = 0
    for cell in range(len(state)):
        graph.states[node, cell] = state[cell]
    graph.keys[node] = code
    if not copy:
        bucket = code & (len(graph.buckets) - 1)
        row[NEXT] = graph.buckets[bucket]
        graph.buckets[bucket] = node
    return node


def add_edge(graph: Merged, above: int, below: int, move: int) -> None:
    """Add an edge."""
    edge = int(graph.note[EDGES])
    graph.note[EDGES] = edge + 1
    row = graph.edges[edge]
    row[BELOW] = below
    row[OVER] = above
    row[SISTER] = graph.nodes[below, ABOVE]
    graph.nodes[below, ABOVE] = edge
    graph.moves[edge] = move


def mark_ancestors(graph: Merged, node: int) -> int:
    """Mark a node and all from which it can be reached; return the mark."""
    graph.note[MARKS] += 1
    mark = int(graph.note[MARKS])
    graph.nodes[node, MARK] = mark
    graph.waiting[0] = node
    count = 1
    while count > 0:
        count -= 1
        edge = graph.nodes[graph.waiting[count], ABOVE]
        while edge != NONE:
            above = graph.edges[edge, OVER]
            if graph.nodes[above, MARK] != mark:
                graph.nodes[above, MARK] = mark
                graph.waiting[count] = above
                count += 1
            edge = graph.edges[edge, SISTER]
    return mark


def repeats_copy(graph: Merged, node: int, state: State, code: int, odd: int) -> bool:
    """Return whether a position is that of a node, or of one above it up to the shared one."""
    while True:
        if graph.keys[node] == code and graph.nodes[node, ODD] == odd and same(graph.states, node, state):
            return True
        if not graph.nodes[node, COPY]:
            return False
        node = graph.edges[graph.nodes[node, ABOVE], OVER]


def develop(graph: Merged, node: int, bound: int, conversions: int) -> None:
    """Give a node its children; those that are decided at once are left out, but for one that proves it."""
    state, out, scratch = new_state(), new_moves(), new_moves()
    for cell in range(len(state)):
        state[cell] = graph.states[node, cell]
    on_development(graph.keys[node])
    row = graph.nodes[node]
    row[FIRST] = graph.note[EDGES]
    odd = 1 - row[ODD]
    asked = bound_of(bound, odd)
    graph.note[DEVELOPED] += 1
    count = moves(state, out)
    proved = count == 0 and bound_of(bound, row[ODD]) <= 0  # no move and no winner: a draw
    mark = 0
    for place in range(count):
        forth = irreversible(state, out[place])
        play(state, out[place])
        value = outcome_of(state)
        below = NONE
        if value == UNDECIDED:
            code = key(state)
            copy = conversions != 0 and not forth
            if copy:
                if repeats_copy(graph, node, state, code, odd):
                    value = 0
            else:
                below = find_shared(graph, state, code, odd)
                if below != NONE and not forth:
                    if mark == 0:
                        mark = mark_ancestors(graph, node)
                    if graph.nodes[below, MARK] == mark:
                        value = 0
            graph.note[REPETITIONS] += value == 0
            if value == UNDECIDED and below == NONE:
                below = add_node(graph, state, code, odd, copy)
                graph.nodes[below, PROOF] = limited(first_proof(state, asked, odd, scratch))
                graph.nodes[below, DISPROOF] = limited(first_disproof(state, asked, odd, scratch))
        graph.note[CREATED] += 1
        unplay(state, out[place])
        if value != UNDECIDED:
            if value < asked:
                proved = True
                break
            continue
        edge = row[FIRST]
        while edge < graph.note[EDGES] and graph.edges[edge, BELOW] != below:
            edge += 1
        if edge == graph.note[EDGES]:
            add_edge(graph, node, below, out[place])
    row[COUNT] = graph.note[EDGES] - row[FIRST]
    if proved:
        row[PROOF] = 0
        row[DISPROOF] = INFINITE


def renew(graph: Merged, node: int) -> bool:
    """Set the numbers of a developed node that is not solved by its children; return whether they changed."""
    row = graph.nodes[node]
    proof, disproof = INFINITE, 0
    for edge in range(row[FIRST], row[FIRST] + row[COUNT]):
        below = graph.nodes[graph.edges[edge, BELOW]]
        proof = min(proof, below[DISPROOF])
        disproof = INFINITE if below[PROOF] == INFINITE else min(disproof + below[PROOF], INFINITE - 1)
        if proof == 0:
            break
    if proof == 0:
        disproof = INFINITE
    elif proof == INFINITE:
        disproof = 0
    changed = bool(row[PROOF] != proof or row[DISPROOF] != disproof)
    row[PROOF] = proof
    row[DISPROOF] = disproof
    return changed


def renew_above(graph: Merged, node: int) -> None:
    """Renew a node that was just developed, and all above it whose numbers change."""
    waiting = graph.waiting
    waiting[0] = node
    count = 1
    fresh = True
    while count > 0:
        count -= 1
        node = waiting[count]
        row = graph.nodes[node]
        row[WAITING] = 0
        decided = row[PROOF] == 0 or row[DISPROOF] == 0
        if (decided and fresh) or (not decided and renew(graph, node)):
            edge = row[ABOVE]
            while edge != NONE:
                above = graph.edges[edge, OVER]
                if graph.nodes[above, WAITING] == 0:
                    graph.nodes[above, WAITING] = 1
                    waiting[count] = above
                    count += 1
                edge = graph.edges[edge, SISTER]
        fresh = False


def most_proving(graph: Merged) -> int:
    """Return the most-proving node; the root is node 0."""
    node = 0
    while graph.nodes[node, COUNT] != NONE:
        edge = graph.nodes[node, FIRST]
        while graph.nodes[graph.edges[edge, BELOW], DISPROOF] != graph.nodes[node, PROOF]:
            edge += 1
        node = int(graph.edges[edge, BELOW])
    return node


def plant(graph: Merged, state: State) -> None:
    """Make a state the root."""
    node = add_node(graph, state, key(state), 0, False)
    graph.nodes[node, PROOF] = 1
    graph.nodes[node, DISPROOF] = 1


def search(graph: Merged, bound: int, conversions: int, stop: int) -> int:
    """Develop most-proving nodes until the root is solved, `stop` nodes are created, or the room is full."""
    most = len(new_moves())
    while graph.nodes[0, PROOF] != 0 and graph.nodes[0, DISPROOF] != 0:
        if graph.note[CREATED] >= stop:
            return PAUSED
        if graph.note[NODES] + most > len(graph.nodes) or graph.note[EDGES] + most > len(graph.edges):
            return FULL
        node = most_proving(graph)
        develop(graph, node, bound, conversions)
        renew_above(graph, node)
    return SOLVED


class Answer(NamedTuple):
    """An answer, and whether it is right on every path."""

    holds: bool
    reliable: bool


class MergedSearch:
    """Answer questions about a state of a game over a graph of its positions; the budget counts created nodes."""

    def __init__(self, game: Game, budget: Budget, conversions: bool, names: jit.Names) -> None:
        self.game, self.budget, self.conversions, self.names = game, budget, conversions, names
        self.nodes = 0
        self.stored = 0
        """The most nodes that a graph held."""
        self.graph = new_merged(game, FIRST_ROOM)

    def answer(self, state: Any, bound: int) -> Answer:
        """Return whether the player to move gets at least `bound` (0 or 1). Raises LimitReached and OutOfMemory."""
        room = max(FIRST_ROOM, 1 << (4 * self.game.max_moves).bit_length())
        graph = new_merged(self.game, room)
        jit.bind(plant, self.names)(graph, state.copy())
        kernel = jit.bind(search, self.names)
        status = PAUSED
        while status != SOLVED:
            created, repeated = int(graph.note[CREATED]), int(graph.note[REPETITIONS])
            status = kernel(graph, bound, int(self.conversions), created + self.budget.piece(SLICE))
            self.graph, self.stored = graph, max(self.stored, int(graph.note[NODES]))
            spent = int(graph.note[CREATED]) - created
            self.nodes += spent
            told = f"proof number {graph.nodes[0, PROOF]:,}, disproof number {graph.nodes[0, DISPROOF]:,}"
            repeated = int(graph.note[REPETITIONS]) - repeated
            self.budget.spend(f"proof-number search over a graph: {told}", spent, repeated)
            if status != SOLVED:
                self.budget.check(told)
            if status == FULL:
                self.budget.demand_larger(graph, len(graph.nodes))
                graph = larger(graph, self.game)
        holds = bool(graph.nodes[0, PROOF] == 0)
        # A repetition counts as a draw here, which speaks against "at least a win" and for "at least a draw".
        draws = not self.game.has("repetition")
        reliable = graph.note[REPETITIONS] == 0 or (draws and (self.conversions or holds == (bound == 1)))
        return Answer(holds, bool(reliable))
