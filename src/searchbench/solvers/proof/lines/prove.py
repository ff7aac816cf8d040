"""Prove that the player to move wins a game of lines, subproblem by subproblem, on all threads (Allis 1994, section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, BrokenRule, Exhausted
from searchbench.game import Game
from searchbench.proof import Claim, Strategy
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.lines.forcing import check_lines, new_forcing
from searchbench.solvers.proof.lines.graph import (
    BELOW,
    CELL,
    CLAIMER,
    COUNT,
    DISPROOF,
    FIRST,
    FULL,
    OTHER,
    PROOF,
    Graph,
    Options,
    evaluate,
    first_attack,
    new_graph,
    open_replies,
    plant,
    represent,
    search,
    with_room,
)  # fmt: skip
from searchbench.solvers.proof.lines.graph import NODES as GRAPH_NODES
from searchbench.solvers.proof.lines.kept import Kept, Subproblem

SLICE: Final = 1 << 14
"""Nodes between two looks at the limits."""
_FIRST: Final = 1 << 12
"""The room of a new graph, in nodes."""

_SHORT: Final = 3_000
"""Nodes of the forced sequences that a checker is left to find, """
CHECKED: Final = 1_000_000
"""and the nodes that it may take for one: it deepens, and most take it a few hundred."""

_State = tuple[int, ...]


def lines_of(game: Game) -> Any:
    """Return the board of a game in which to complete a line is all that wins. Raises BadRequest, as `check_lines` does."""
    board = getattr(game, "lines_alone", None)
    if board is None:
        raise BadRequest(f"{game} is no game of lines, and the method graph is for those: use pns, dfpn or alphabeta")
    check_lines(board)
    return board


class LineProof:
    """Prove wins of one game: split the root by the game's opening, then search each subproblem over a graph of its own."""

    def __init__(
        self, game: Game, budget: Budget, options: Options, work: Path | None = None, target: jit.Target = "cpu"
    ) -> None:
        self.board = lines_of(game)
        self.game, self.budget, self.options = game, budget, options
        self.kept = Kept(work, game, options) if work is not None else None
        self.opening: Mapping[_State, int] = getattr(game, "opening", dict)()
        names = game.names(target=target)
        self._plant, self._search = jit.bind(plant, names), jit.bind(search, names)
        self._evaluate, self._represent = jit.bind(evaluate, names), jit.bind(represent, names)
        self._attack, self._open = jit.bind(first_attack, names), jit.bind(open_replies, names)
        self._lock = Lock()
        self._at_work = 1
        self.done = 0

    def prove(self, root: Sequence[int], divide: bool = True) -> tuple[dict[_State, int], list[Subproblem]]:
        """Return the claimer's moves and the subproblems. Raises LimitReached, OutOfMemory and Exhausted."""
        moves, subproblems = self.split(tuple(self.game.canonical(root)), self.opening if divide else {})
        run = self.budget.run
        self._at_work = max(1, min(run.threads, len(subproblems)))
        run.progress("proof-number search over a graph", 0, len(subproblems))
        run.map(lambda one: self.solve(one, len(subproblems)), subproblems)
        for one in subproblems:
            moves |= one.records
        return self.closed(tuple(self.game.canonical(root)), moves), subproblems

    def closed(self, root: _State, moves: Mapping[_State, int]) -> dict[_State, int]:
        """Return the moves that play from the root can reach, and those that begin the longer forced sequences.

        A checker has another search for forced sequences, which may take many times the nodes. So it is left the short ones.
        """
        forcing, out = new_forcing(self.board), np.zeros(len(self.board.places), np.int64)
        found: dict[_State, int] = {}
        short = min(_SHORT, self.options.forced)
        start = np.array(root, self.game.dtype)
        if root not in moves and self._evaluate(forcing, start, short):
            return found
        waiting, seen = [root], {root}
        while waiting:
            state = waiting.pop()
            array = np.array(state, self.game.dtype)
            player = len(state) - state.count(0) & 1
            if state not in moves:
                attack = int(self._attack(forcing, array, self.options.forced))
                if attack < 0:
                    raise BrokenRule(
                        f"{self.game}: no win is known in {self.game.format(state)!r}, which a proof leads to"
                    )
                move = 2 * attack + player
            else:
                move = moves[state]
            found[state] = move
            for reply in out[: self._open(forcing, array, move >> 1, short, out)].tolist():
                after = array.copy()
                after[move >> 1], after[reply] = 1 + player, 2 - player
                self._represent(after)
                following = tuple(after.tolist())
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return found

    def split(self, root: _State, opening: Mapping[_State, int]) -> tuple[dict[_State, int], list[Subproblem]]:
        """Return the moves of an opening from the root, and the states where it ends without a forced sequence."""
        forcing = new_forcing(self.board)
        moves: dict[_State, int] = {}
        ends: list[_State] = []
        waiting, seen = [root], {root}
        while waiting:
            state = waiting.pop()
            if self._evaluate(forcing, np.array(state, self.game.dtype), self.options.forced):
                continue
            move = opening.get(state)
            if move is None:
                ends.append(state)
                continue
            moves[state] = move
            after = self.game.play(state, move)
            for reply in self.game.moves(after):
                following = tuple(self.game.canonical(self.game.play(after, reply)))
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return moves, [Subproblem(state) for state in sorted(ends)]

    def solve(self, one: Subproblem, total: int) -> None:
        """Search a subproblem, and keep its records, or take those of an earlier run. Raises LimitReached and Exhausted."""
        if self.kept is None or not self.kept.read(one):
            self._search_for(one)
            if self.kept is not None:
                self.kept.write(one)
        with self._lock:
            self.done += 1
            self.budget.run.progress("proof-number search over a graph", self.done, total)

    def _search_for(self, one: Subproblem) -> None:
        forcing, graph = new_forcing(self.board), new_graph(len(self.board.places), _FIRST)
        claimer = self._plant(graph, forcing, np.array(one.state, self.game.dtype))
        stop = 0
        while True:
            came = self._search(graph, forcing, claimer, self.options, stop)
            with self._lock:
                self.budget.nodes += int(graph.note[GRAPH_NODES]) - one.nodes
                one.nodes = int(graph.note[GRAPH_NODES])
                self._check(graph, came)
            if graph.nodes[0, PROOF] == 0 or graph.nodes[0, DISPROOF] == 0:
                break
            if came == FULL:
                self.budget.demand_larger(graph, len(graph.nodes), self._at_work)
                graph = with_room(graph)
            else:
                stop = one.nodes + self.budget.room(SLICE)
        if graph.nodes[0, PROOF] != 0:
            self._not_proved(one)
        one.proved = True
        one.evaluations = int(graph.note[CLAIMER]), int(graph.note[OTHER])
        one.records = records(graph, claimer)

    def _check(self, graph: Graph, came: int) -> None:
        row = graph.nodes[0]
        if came != FULL and row[PROOF] != 0 and row[DISPROOF] != 0:
            self.budget.check(f"{self.done:,} subproblems are proved; numbers {row[PROOF]:,} and {row[DISPROOF]:,}")

    def _not_proved(self, one: Subproblem) -> None:
        why = "no win by quiet moves and forced sequences; with --threats it may make threats, too"
        if not self.options.quiet:
            why = "the player to move does not win"
        raise Exhausted(f"{self.game}: {self.game.format(one.state)!r}: {why}", one.nodes)


def records(graph: Graph, claimer: int) -> dict[_State, int]:
    """Return the claimer's move in each state of a proof: of a proved node the move to a proved node below."""
    found: dict[_State, int] = {}
    waiting, seen = [(0, True)], {0}
    while waiting:
        node, claims = waiting.pop()
        row = graph.nodes[node]
        for edge in graph.edges[row[FIRST] : row[FIRST] + row[COUNT]]:
            below = int(edge[BELOW])
            if claims and graph.nodes[below, PROOF] != 0:
                continue
            if claims:
                found[tuple(graph.states[node].tolist())] = 2 * int(edge[CELL]) + claimer - 1
            if below not in seen:
                seen.add(below)
                waiting.append((below, not claims))
            if claims:
                break
    return found


def line_claim(game: Game, moves: Mapping[_State, int]) -> Claim:
    """Return the claim that the player to move wins by these moves, and by forced sequences where none is given."""
    states = np.array(list(moves), game.dtype).reshape(len(moves), game.width)
    return Claim(0, 1, Strategy(states, np.array(list(moves.values()), np.int64)), game.has("canonical"), CHECKED)


def facts_of(subproblems: Sequence[Subproblem]) -> dict[str, Any]:
    """Return the counts of the searches: subproblems, nodes, the largest, and evaluations with each side to move."""
    sizes = sorted(one.nodes for one in subproblems)
    return {
        "subproblems": len(sizes), "nodes": sum(sizes), "median nodes": sizes[len(sizes) // 2] if sizes else 0,
        "largest": sizes[-1] if sizes else 0,
        "evaluations": sum(one.evaluations[0] for one in subproblems),
        "evaluations of the other player": sum(one.evaluations[1] for one in subproblems),
    }  # fmt: skip
