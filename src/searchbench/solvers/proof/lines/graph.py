"""Search a directed acyclic graph by proof numbers, for games of lines (Allis 1994, sections 2.3.4, 4.4 and 4.6).

The question is whether the claimer, the player to move at the root, wins. A node is a class of symmetric states; it is found
again by its key and may have several parents. Nodes that are won or lost by a forced sequence, or by a full board, are not
stored: a move to a win of the mover decides a node, other such moves are left out. Every move adds a stone, so all parents
of a node have the same number of stones, and numbers are renewed stone by stone.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.hashing import key
from searchbench.jit import unowned
from searchbench.rules import canonical, new_state
from searchbench.solvers.proof.lines.forcing import (
    NO_CELL,
    SEVERAL,
    Forcing,
    makes_threat,
    one_of,
    put,
    set_stones,
    take,
    threat,
    wins_by_force,
)

INFINITE: Final = 1 << 29
NONE: Final = -1
# The columns of `nodes`: its numbers, its edges (the first, and how many; COUNT is NONE for a frontier node), the first edge
# to it, its hash's next node, and whether it waits to be renewed.
PROOF, DISPROOF, FIRST, COUNT, ABOVE, NEXT, WAITING = range(7)
NODE_COLUMNS: Final = 7
# The columns of `edges`: the node below, the node above, the next edge to the same node below, and the cell played.
BELOW, OVER, SISTER, CELL = range(4)
EDGE_COLUMNS: Final = 4
# The places of `note`: numbers of nodes and edges, developed nodes, and evaluations with each side to move.
NODES, EDGES, DEVELOPED, CLAIMER, OTHER = range(5)
# The reasons for the end of a slice.
SOLVED, PAUSED, FULL = range(3)


class Options(NamedTuple):
    """The switches of a search: the limit of a forced sequence, quiet moves only for the claimer, and first numbers."""

    forced: int
    quiet: int
    mobility: int


class Graph(NamedTuple):
    """The nodes with their states and keys, the edges, buckets of nodes by key, and room for the renewal of numbers."""

    nodes: Any
    states: Any
    keys: Any
    edges: Any
    buckets: Any
    waiting: Any
    moves: Any
    note: Any


def new_graph(cells: int, nodes: int) -> Graph:
    """Return a graph with room for so many nodes, a power of two."""
    return Graph(
        np.zeros((nodes, NODE_COLUMNS), np.int32), np.zeros((nodes, cells), np.int8), np.zeros(nodes, np.int64),
        np.zeros((4 * nodes, EDGE_COLUMNS), np.int32), np.full(2 * nodes, NONE, np.int32), np.zeros(nodes, np.int32),
        np.zeros(cells, np.int64), np.zeros(5, np.int64),
    )  # fmt: skip


def with_room(graph: Graph) -> Graph:
    """Return the graph with twice the room."""
    room = 2 * len(graph.nodes)
    new = new_graph(graph.states.shape[1], room)
    count, edges = int(graph.note[NODES]), int(graph.note[EDGES])
    new.nodes[:count], new.states[:count], new.keys[:count] = (
        graph.nodes[:count],
        graph.states[:count],
        graph.keys[:count],
    )
    new.edges[:edges] = graph.edges[:edges]
    new.note[:] = graph.note
    chain(new)
    return new


def chain(graph: Graph) -> None:
    """Put all nodes into the buckets of their keys: the last one first, as they were added."""
    buckets = (graph.keys[: graph.note[NODES]] & (len(graph.buckets) - 1)).tolist()
    for node, bucket in enumerate(buckets):
        graph.nodes[node, NEXT] = graph.buckets[bucket]
        graph.buckets[bucket] = node


def find_node(graph: Graph, state: Any, code: int) -> int:
    """Return the node of a state, or NONE."""
    node = graph.buckets[code & (len(graph.buckets) - 1)]
    while node != NONE:
        if graph.keys[node] == code:
            cell = 0
            while cell < len(state) and graph.states[node, cell] == state[cell]:
                cell += 1
            if cell == len(state):
                return int(node)
        node = graph.nodes[node, NEXT]
    return NONE


def add_node(graph: Graph, state: Any, code: int, proof: int, disproof: int) -> int:
    """Add a frontier node."""
    node = int(graph.note[NODES])
    graph.note[NODES] = node + 1
    row = graph.nodes[node]
    row[PROOF] = proof
    row[DISPROOF] = disproof
    row[COUNT] = NONE
    row[ABOVE] = NONE
    for cell in range(len(state)):
        graph.states[node, cell] = state[cell]
    graph.keys[node] = code
    bucket = code & (len(graph.buckets) - 1)
    row[NEXT] = graph.buckets[bucket]
    graph.buckets[bucket] = node
    return node


def add_edge(graph: Graph, above: int, below: int, cell: int) -> None:
    """Add an edge."""
    edge = int(graph.note[EDGES])
    graph.note[EDGES] = edge + 1
    row = graph.edges[edge]
    row[BELOW] = below
    row[OVER] = above
    row[CELL] = cell
    row[SISTER] = graph.nodes[below, ABOVE]
    graph.nodes[below, ABOVE] = edge


def is_below(graph: Graph, first: int, below: int) -> bool:
    """Return whether an edge from the first one on leads to a node: symmetric moves lead to the same one."""
    for edge in range(first, graph.note[EDGES]):
        if graph.edges[edge, BELOW] == below:
            return True
    return False


def player_to_move(forcing: Forcing) -> int:
    """Return the player to move, 1 or 2: the first player moves first."""
    stones = 0
    for cell in range(len(forcing.owner)):
        if forcing.owner[cell] != 0:
            stones += 1
    return 1 + (stones & 1)


def candidate_moves(forcing: Forcing, player: int, quiet: bool, out: Any) -> int:
    """Write the cells to consider, return how many: the answer to a threat; else all, of which `quiet` ones make no threat."""
    answer = threat(forcing, 3 - player)
    if answer == SEVERAL:
        return 0
    if answer != NO_CELL:
        out[0] = answer
        return 1
    count = 0
    for cell in range(len(forcing.owner)):
        if forcing.owner[cell] == 0 and not (quiet and makes_threat(forcing, cell, player)):
            out[count] = cell
            count += 1
    return count


def threatening_moves(forcing: Forcing, player: int) -> int:
    """Count the cells where a player would make a threat."""
    count = 0
    for cell in range(len(forcing.owner)):
        if forcing.owner[cell] == 0 and makes_threat(forcing, cell, player):
            count += 1
    return count


def positional_moves(forcing: Forcing, player: int) -> int:
    """Count the cells of lines without the opponent: three with at most one stone of the player, or two with at least one."""
    own, other = one_of(player), one_of(3 - player)
    count = 0
    for cell in range(len(forcing.owner)):
        if forcing.owner[cell] != 0:
            continue
        few = 0
        some = 0
        for place in range(forcing.first[cell], forcing.first[cell + 1]):
            load = forcing.load[forcing.through[place]]
            stones = load // own & 31
            if load // other & 31 == 0:
                few += stones <= 1
                some += stones >= 1
        if few >= 3 or some >= 2:
            count += 1
    return count


def first_number(forcing: Forcing, claimer: int, player: int, options: Options) -> int:
    """Return the proof number of a new node of the other player, or the disproof number of one of the claimer's."""
    if not options.mobility:
        return 1
    if player == claimer:
        return max(1, positional_moves(forcing, player))
    return max(1, threatening_moves(forcing, player))


def develop(graph: Graph, forcing: Forcing, node: int, claimer: int, options: Options) -> None:
    """Give a node its children: those that are not decided; a move that decides it ends its development."""
    set_stones(forcing, graph.states[node])
    player = player_to_move(forcing)
    claims = player == claimer
    graph.note[DEVELOPED] += 1
    row = graph.nodes[node]
    row[FIRST] = graph.note[EDGES]
    count = candidate_moves(forcing, player, bool(claims and options.quiet), graph.moves)
    decided = False
    state = new_state()
    for place in range(count):
        cell = graph.moves[place]
        for other in range(len(state)):
            state[other] = forcing.owner[other]
        state[cell] = player
        canonical(state)
        code = key(state)
        below = find_node(graph, state, code)
        if below == NONE:
            put(forcing, cell, player)
            full = count == 1 and len(forcing.owner) == stones_on(forcing)
            lost = False
            if not full:
                graph.note[OTHER if claims else CLAIMER] += 1
                lost = wins_by_force(forcing, 3 - player, options.forced)
            if not lost and not full:
                first = first_number(forcing, claimer, 3 - player, options)
                below = add_node(graph, state, code, first if claims else 1, 1 if claims else first)
            take(forcing, cell)
            if full and not claims:
                decided = True  # a draw is no win
                break
        if below != NONE and not is_below(graph, row[FIRST], below):
            add_edge(graph, node, below, cell)
            if graph.nodes[below, PROOF if claims else DISPROOF] == 0:
                break
    row[COUNT] = graph.note[EDGES] - row[FIRST]
    if decided:
        row[COUNT] = 0
        row[FIRST] = NONE


def stones_on(forcing: Forcing) -> int:
    """Count the stones."""
    count = 0
    for cell in range(len(forcing.owner)):
        count += forcing.owner[cell] != 0
    return count


def renew(graph: Graph, node: int, claims: bool) -> bool:
    """Set the numbers of a developed node by its children; return whether they changed."""
    row = graph.nodes[node]
    least = INFINITE
    total = 0
    low, high = (PROOF, DISPROOF) if claims else (DISPROOF, PROOF)
    for edge in range(row[FIRST], row[FIRST] + row[COUNT]):
        below = graph.nodes[graph.edges[edge, BELOW]]
        least = min(least, below[low])
        total = min(total + below[high], INFINITE)
    if row[FIRST] == NONE:  # the other player reaches a full board
        least, total = 0, INFINITE
    elif least == 0:
        total = INFINITE
    changed = bool(row[low] != least or row[high] != total)
    row[low] = least
    row[high] = total
    return changed


def renew_above(graph: Graph, node: int, claims: bool) -> None:
    """Renew a node and all those above it whose numbers change, those with more stones first."""
    graph.waiting[0] = node
    begin, end = 0, 1
    while begin < end:
        stop = end
        while begin < stop:
            node = graph.waiting[begin]
            begin += 1
            graph.nodes[node, WAITING] = 0
            if renew(graph, node, claims):
                edge = graph.nodes[node, ABOVE]
                while edge != NONE:
                    above = graph.edges[edge, OVER]
                    if graph.nodes[above, WAITING] == 0:
                        graph.nodes[above, WAITING] = 1
                        graph.waiting[end] = above
                        end += 1
                    edge = graph.edges[edge, SISTER]
        claims = not claims


def most_proving(graph: Graph) -> int:
    """Return a most-proving node: a frontier node; its row's WAITING tells nothing. The root is node 0 of the claimer."""
    node = 0
    low = PROOF
    while graph.nodes[node, COUNT] != NONE:
        row = graph.nodes[node]
        edge = row[FIRST]
        while graph.nodes[graph.edges[edge, BELOW], low] != row[low]:
            edge += 1
        node = int(graph.edges[edge, BELOW])
        low = DISPROOF if low == PROOF else PROOF
    return node


def search(graph: Graph, forcing: Forcing, claimer: int, options: Options, stop: int) -> int:
    """Develop most-proving nodes until the root is decided, there are `stop` nodes, or the room is full."""
    graph, forcing = unowned(graph), unowned(forcing)  # to count their users at each call took most of the time
    cells = len(forcing.owner)
    while graph.nodes[0, PROOF] != 0 and graph.nodes[0, DISPROOF] != 0:
        if graph.note[NODES] >= stop:
            return PAUSED
        if graph.note[NODES] + cells > len(graph.nodes) or graph.note[EDGES] + cells > len(graph.edges):
            return FULL
        node = most_proving(graph)
        develop(graph, forcing, node, claimer, options)
        renew_above(graph, node, player_to_move(forcing) == claimer)
    return SOLVED


def plant(graph: Graph, forcing: Forcing, state: Any) -> int:
    """Make the canonical state the root; return the claimer: the player to move."""
    root = new_state()
    for cell in range(len(root)):
        root[cell] = state[cell]
    canonical(root)
    set_stones(forcing, root)
    add_node(graph, root, key(root), 1, 1)
    return player_to_move(forcing)


def evaluate(forcing: Forcing, state: Any, limit: int) -> bool:
    """Return whether the player to move wins by a forced sequence."""
    set_stones(forcing, state)
    return wins_by_force(forcing, player_to_move(forcing), limit)


def represent(state: Any) -> None:
    """Change a state to the representative of its class."""
    canonical(state)


def first_attack(forcing: Forcing, state: Any, limit: int) -> int:
    """Return the first cell of a forced sequence of the player to move, NO_CELL where none is found or she completes a line."""
    set_stones(forcing, state)
    player = player_to_move(forcing)
    if threat(forcing, player) != NO_CELL or not wins_by_force(forcing, player, limit):
        return NO_CELL
    return int(forcing.played[0, 0])


def open_replies(forcing: Forcing, state: Any, cell: int, limit: int, out: Any) -> int:
    """Play a cell, write the replies after which no forced sequence of `limit` nodes wins, and return how many there are."""
    set_stones(forcing, state)
    player = player_to_move(forcing)
    put(forcing, cell, player)
    count = 0
    for reply in range(len(forcing.owner)):
        if forcing.owner[reply] == 0:
            put(forcing, reply, 3 - player)
            if not wins_by_force(forcing, player, limit):
                out[count] = reply
                count += 1
            take(forcing, reply)
    return count
