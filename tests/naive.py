"""Obvious twins of the solvers: dictionaries, interpreted rules, no Numba, nothing of the solvers.

Everything works on an :class:`Explicit` graph: every legal number of the index, and every state that can be reached from
there, with its result or its edges. Symmetries are not used.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from searchbench.game import Game
from searchbench.rules import UNDECIDED

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


# --- five in a row ----------------------------------------------------------------------------------------------------

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1))


@dataclass
class FiveInARow:
    """Hold a board of columns x rows cells by (x, y): 0 empty, 1 or 2; with `exact` six of player 1 do not win."""

    columns: int
    rows: int
    exact: bool
    stones: dict[tuple[int, int], int]

    def run(self, cell: tuple[int, int], player: int, direction: tuple[int, int]) -> set[tuple[int, int]]:
        """Return the unbroken row of a player's stones through a cell, which counts as the player's."""
        found = {cell}
        for sign in (1, -1):
            x, y = cell[0] + sign * direction[0], cell[1] + sign * direction[1]
            while self.stones.get((x, y)) == player:
                found.add((x, y))
                x, y = x + sign * direction[0], y + sign * direction[1]
        return found

    def wins(self, cell: tuple[int, int], player: int, direction: tuple[int, int]) -> set[tuple[int, int]]:
        """Return the row of five that a stone on a cell completes, or an empty set."""
        row = self.run(cell, player, direction)
        fits = len(row) == 5 if self.exact and player == 1 else len(row) >= 5
        return row if fits else set()

    def five(self, cell: tuple[int, int], player: int) -> bool:
        """Return whether a stone on an empty cell wins."""
        return any(self.wins(cell, player, direction) for direction in DIRECTIONS)

    def near(self, cell: tuple[int, int], direction: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the empty cells of a line at most four away."""
        line = [(cell[0] + step * direction[0], cell[1] + step * direction[1]) for step in range(-4, 5) if step != 0]
        return [one for one in line if self.stones.get(one) == 0]

    def completions(self, cell: tuple[int, int], player: int, direction: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the cells of a line that complete five through `cell` after a player's stone there."""
        self.stones[cell] = player
        found = [one for one in self.near(cell, direction) if cell in self.wins(one, player, direction)]
        self.stones[cell] = 0
        return found

    def kind(self, cell: tuple[int, int], player: int, direction: tuple[int, int]) -> int:
        """Return the class of an empty cell in a direction: 4 five, 3 straight four, 2 four, 1 three, 0 nothing."""
        if self.wins(cell, player, direction):
            return 4
        count = len(self.completions(cell, player, direction))
        if count:
            return 2 if count == 1 else 3
        for one in self.near(cell, direction):
            self.stones[one] = player
            count = len(self.completions(cell, player, direction))
            self.stones[one] = 0
            if count >= 2:
                return 1
        return 0

    def combined(self, cell: tuple[int, int], player: int) -> int:
        """Return the class of an empty cell: two fours in different directions are worth a straight four."""
        kinds = [self.kind(cell, player, direction) for direction in DIRECTIONS]
        return 3 if max(kinds) == 2 and kinds.count(2) >= 2 else max(kinds)

    def strength(self, cell: tuple[int, int], player: int, direction: tuple[int, int]) -> int:
        """Return the most stones of a player on five cells in a row through an empty cell, none of them the opponent's."""
        most = 0
        for first in range(-4, 1):
            window = [
                self.stones.get((cell[0] + step * direction[0], cell[1] + step * direction[1]), 3)
                for step in range(first, first + 5)
            ]
            if set(window) <= {0, player}:
                most = max(most, window.count(player))
        return most

    def beats_every_reply(self, player: int, move_of: Callable[[FiveInARow], tuple[int, int] | None]) -> bool:
        """Return whether a player, to move, wins with the moves of `move_of` against every reply, by the rules alone."""
        empty = [cell for cell, stone in self.stones.items() if stone == 0]
        if any(self.five(cell, player) for cell in empty):
            return True
        move = move_of(self)
        if move is None or self.stones[move] != 0:
            return False
        self.stones[move] = player
        empty.remove(move)
        won = bool(empty) and not any(self.five(cell, 3 - player) for cell in empty)
        fives = {cell for cell in empty if won and self.five(cell, player)}
        for reply in empty:
            if not won:
                break
            if fives - {reply}:
                continue  # the player completes five
            self.stones[reply] = 3 - player
            won = self.beats_every_reply(player, move_of)
            self.stones[reply] = 0
        self.stones[move] = 0
        return won
