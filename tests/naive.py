"""Obvious twins of the solvers: dictionaries, interpreted rules, no Numba, nothing of the solvers.

Everything works on an :class:`Explicit` graph: every legal number of the index, and every state that can be reached from
there, with its result or its edges. Symmetries are not used.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.solvers.dependency import Attribute, Operator

State = tuple[int, ...]


@dataclass
class Explicit:
    """Hold a game as a graph: the result of each terminal state, and the edges (successor, cost, gain) of each state."""

    game: Game
    results: dict[State, int] = field(default_factory=dict)
    edges: dict[State, list[tuple[State, int, int]]] = field(default_factory=dict)
    numbers: dict[int, State] = field(default_factory=dict)

    def predecessors(self) -> dict[State, list[tuple[State, int]]]:
        """Return the edges (predecessor, cost) backwards."""
        back: dict[State, list[tuple[State, int]]] = {state: [] for state in self.edges}
        for state, edges in self.edges.items():
            for successor, cost, _ in edges:
                back[successor].append((state, cost))
        return back


def explicit(game: Game) -> Explicit:
    """Return the graph of all legal numbers of a game and of all that can be reached from them."""
    graph = Explicit(game)
    index = game.index()
    size = index.size if index is not None else max(part.stop for part in game.parts())
    for number in range(size):
        state = tuple(game.unrank(number))
        if game.call("legal", list(state)):
            graph.numbers[number] = state
    queue = deque(graph.numbers.values())
    while queue:
        state = queue.popleft()
        if state in graph.edges:
            continue
        result = game.terminal(state)
        if result != UNDECIDED:
            graph.results[state] = result
        edges = []
        for move in game.moves(state):  # none of a finished game of two players
            successor = tuple(game.play(state, move))
            edges.append((successor, game.call("cost", list(state), move), game.call("gain", list(state), move)))
            queue.append(successor)
        graph.edges[state] = edges
    return graph


# --- one player -------------------------------------------------------------------------------------------------------


def distances_by_levels(graph: Explicit) -> dict[State, int]:
    """Return the number of moves to the nearest solved state, breadth first, backwards.

    States from which none can be reached are left out, and so are terminal states that are not solved.
    """
    back = graph.predecessors()
    found = {state: 0 for state, result in graph.results.items() if result == 0}
    queue = deque(found)
    while queue:
        state = queue.popleft()
        for predecessor, _ in back[state]:
            if predecessor not in found and predecessor not in graph.results:
                found[predecessor] = found[state] + 1
                queue.append(predecessor)
    return found


def distances(graph: Explicit) -> dict[State, int]:
    """Return the least cost to a solved state (Dijkstra 1959, backwards), for the states as `distances_by_levels` does."""
    back = graph.predecessors()
    found: dict[State, int] = {}
    heap = [(0, state) for state, result in graph.results.items() if result == 0]
    heapq.heapify(heap)
    while heap:
        total, state = heapq.heappop(heap)
        if state in found:
            continue
        found[state] = total
        for predecessor, cost in back[state]:
            if predecessor not in found and predecessor not in graph.results:
                heapq.heappush(heap, (total + cost, predecessor))
    return found


def depths(game: Game) -> dict[State, int]:
    """Return the least number of moves from the start to each state that it can reach."""
    start = tuple(game.start())
    found = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for move in game.moves(state):
            successor = tuple(game.play(state, move))
            if successor not in found:
                found[successor] = found[state] + 1
                queue.append(successor)
    return found


# --- two players ------------------------------------------------------------------------------------------------------


def outcomes(graph: Explicit) -> dict[State, tuple[int, int]]:
    """Return the outcome and depth of each state: round d finds what is decided in d plies and not sooner."""
    found = {state: (result, 0) for state, result in graph.results.items()}
    open_states = {state for state in graph.edges if state not in found}
    depth = 0
    decided: dict[State, tuple[int, int]] = dict.fromkeys(found, (0, 0))
    while decided:  # what is decided in d plies follows from something that is decided in d - 1
        depth += 1
        decided = {}
        for state in open_states:
            replies = [found.get(successor) for successor, _, _ in graph.edges[state]]
            if any(reply is not None and reply[0] == -1 for reply in replies):
                decided[state] = (1, depth)
            elif replies and all(reply is not None and reply[0] == 1 for reply in replies):
                decided[state] = (-1, depth)
        found |= decided
        open_states -= set(decided)
    return found | dict.fromkeys(open_states, (0, 0))


def scores(graph: Explicit) -> dict[State, int]:
    """Return the points still to be gained, part by part, each after those that it needs.

    In a part: the points in a game that ends after 0, 1, 2, ... plies, until that changes nothing.
    """
    values = {state: graph.results.get(state, 0) for state in graph.edges}
    waiting = {part.name: part for part in graph.game.parts()}
    while waiting:
        part = next(part for part in waiting.values() if not set(part.needs) & set(waiting) - {part.name})
        del waiting[part.name]
        states = [state for number, state in graph.numbers.items() if part.start <= number < part.stop]
        for _ in range(len(states) + 2):
            sweep = {
                state: max(gain - values[successor] for successor, _, gain in graph.edges[state])
                for state in states
                if graph.edges[state]
            }
            if all(values[state] == value for state, value in sweep.items()):
                break
            values |= sweep
        else:
            raise RecursionError(f"the scores of part {part.name} have no fixpoint")
    return values


def minimax(game: Game, state: Iterable[int]) -> int:
    """Return the outcome (-1, 0, +1) of a state of a game without cycles, by looking at every line of play."""
    result = game.terminal(list(state))
    if result != UNDECIDED:
        return result
    moves = game.moves(list(state))
    return max((-minimax(game, game.play(list(state), move)) for move in moves), default=0)


def alphabeta(game: Game, state: Iterable[int], alpha: int = -2, beta: int = 2) -> int:
    """Return what `minimax` does, without the lines that cannot matter (Knuth and Moore 1975, fail-soft)."""
    result = game.terminal(list(state))
    if result != UNDECIDED:
        return result
    moves = game.moves(list(state))
    best = -2 if moves else 0
    for move in moves:
        best = max(best, -alphabeta(game, game.play(list(state), move), -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


# --- tables and queries -----------------------------------------------------------------------------------------------


def table(graph: Explicit, values: dict[State, Any]) -> dict[int, Any]:
    """Return the value of every legal number, None where a state has none."""
    return {number: values.get(state) for number, state in graph.numbers.items()}


def histogram(values: dict[int, Any]) -> dict[Any, int]:
    """Return how many numbers have each value."""
    return dict(Counter(values.values()))


def find(values: dict[int, Any], wanted: Callable[[Any], bool]) -> list[int]:
    """Return the numbers whose value is wanted, in order."""
    return [number for number in sorted(values) if wanted(values[number])]


Fact = tuple[str, int]


def pairs_that_can_meet(game: Game, state: State) -> set[frozenset[Fact]]:
    """Return which two facts of Superpuzz, each a card or "--" in a cell, may hold together after some moves, by sets."""
    columns: int = game.parameters["columns"]
    lies = game.pieces(state)
    now = {(piece, cell) for cell, piece in enumerate(lies)}
    pairs = {frozenset((one, other)) for one in now for other in now}
    cards = [
        (piece, piece[0] + str(int(piece[1:]) - 1)) for piece in lies if piece[1:].isdecimal() and piece[1:] != "1"
    ]
    before = -1
    while before != len(pairs):
        before = len(pairs)
        facts = {fact for pair in pairs for fact in pair}
        for card, predecessor in cards:
            for source, left in (
                (fact, other) for fact in facts if fact[0] == card for other in facts if other[0] == predecessor
            ):
                needs = (source, left, ("--", left[1] + 1))
                if (left[1] + 1) % columns and all(
                    frozenset((one, other)) in pairs for one in needs for other in needs
                ):
                    follows = {(card, left[1] + 1), ("--", source[1])}
                    stays = {
                        fact
                        for fact in facts
                        if fact[0] != card
                        and fact[1] not in (source[1], left[1] + 1)
                        and all(frozenset((fact, need)) in pairs for need in needs)
                    }
                    pairs |= {frozenset((one, other)) for one in follows for other in stays | follows}
    return pairs


# --- launches --------------------------------------------------------------------------------------------------------------


def launch_one_by_one(values: list[int], pieces: list[tuple[int, int]], factor: int) -> list[int]:
    """Return the sum of each piece of some values, times a factor."""
    return [factor * sum(values[first:stop]) for first, stop in pieces]


def key_classes(initial: frozenset[Attribute], operators: list[Operator]) -> set[frozenset[Operator]]:
    """Return the empty set and those of operators whose orders all end alike, if they can be applied and add nothing twice."""
    ends: dict[frozenset[Operator], set[Operator]] = {}
    for size in range(1, len(operators) + 1):
        for order in permutations(operators, size):
            state, seen = set(initial), set(initial)
            for operator in order:
                if not operator.precondition <= state or operator.add & seen:
                    break
                state = (state - operator.delete) | operator.add
                seen |= operator.add
            else:
                ends.setdefault(frozenset(order), set()).add(order[-1])
    return {frozenset[Operator](), *(used for used, last in ends.items() if len(last) == 1)}
