"""Obvious twins of the solvers: dictionaries, interpreted rules, no Numba, nothing of the solvers.

Everything works on an :class:`Explicit` graph: every legal number of the index, and every state that can be reached from
there, with its result or its edges. Symmetries are not used.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations, product
from types import MappingProxyType
from typing import Any, NamedTuple

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


@lru_cache(maxsize=64)
def depths(game: Game) -> Mapping[State, int]:
    """Return the least number of moves from the start to each state that it can reach, in the order in which it is found.

    The tests of a process share it, so it cannot be changed: the 8-puzzle alone takes 5 CPU-s.
    """
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
    return MappingProxyType(found)


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


def ungrounded_points(graph: Explicit, values: dict[State, int]) -> tuple[set[State], set[State]]:
    """Return the states on which endless play has points that are never gained; if there are none, those without a ground.

    What `verify.ground` says of points, with sets: the states that are worth at least, and at most, what their values say.
    """
    low: set[State] = set()
    high: set[State] = set()
    waiting = {part.name: part for part in graph.game.parts()}
    while waiting:
        ready = [part for part in waiting.values() if not set(part.needs) & set(waiting) - {part.name}]
        waiting = {name: part for name, part in waiting.items() if part not in ready}
        numbers = {number for part in ready for number in range(part.start, part.stop)}
        states = {state for number, state in graph.numbers.items() if number in numbers}
        before = -1
        while len(low & high) > before:
            before = len(low & high)
            among = states - (low & high)
            while leaving := {
                state for state in among
                if any(other not in low & high and (gain or other not in among) for other, _, gain in graph.edges[state])
            }:  # fmt: skip
                among -= leaving
            low |= {state for state in among if values[state] <= 0}
            high |= {state for state in among if values[state] >= 0}
            found = -1
            while len(low) + len(high) > found:
                found = len(low) + len(high)
                for state in states:
                    edges = graph.edges[state]
                    if not edges or any(
                        gain - values[other] == values[state] and other in high for other, _, gain in edges
                    ):
                        low.add(state)
                    if all(other in low for other, _, _ in edges):
                        high.add(state)
            if among - (low & high):
                return among - (low & high), set()
    return set(), set(graph.numbers.values()) - (low & high)


def minimax(game: Game, state: Iterable[int]) -> int:
    """Return the outcome (-1, 0, +1) of a state of a game without cycles, by looking at every line of play."""
    result = game.terminal(list(state))
    if result != UNDECIDED:
        return result
    moves = game.moves(list(state))
    return max((-minimax(game, game.play(list(state), move)) for move in moves), default=0)


def alphabeta(game: Game, state: Iterable[int], alpha: int = -2, beta: int = 2, ends: list[State] | None = None) -> int:
    """Return what `minimax` does, without the lines that cannot matter (Knuth and Moore 1975, fail-soft).

    The ends of the lines are added to `ends`.
    """
    result = game.terminal(list(state))
    moves = game.moves(list(state)) if result == UNDECIDED else []
    if ends is not None and not moves:
        ends.append(tuple(state))
    if result != UNDECIDED:
        return result
    best = -2 if moves else 0
    for move in moves:
        best = max(best, -alphabeta(game, game.play(list(state), move), -beta, -max(alpha, best), ends))
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


# --- certificates -----------------------------------------------------------------------------------------------------


def wins_at_once(game: Game, state: Iterable[int]) -> bool:
    """Tell whether the player to move has a move that wins the game."""
    return any(_sign(game.terminal(game.play(list(state), move))) == -1 for move in game.moves(list(state)))


def _sign(result: int) -> int | None:
    return None if result == UNDECIDED else (result > 0) - (result < 0)


def wins_by_force(game: Game, state: Iterable[int], known: dict[State, bool]) -> bool:
    """Tell whether the player to move wins by moves after which every reply but at most one loses at once.

    A reply that ends the game otherwise refutes the move. `known` is filled with what was found.
    """
    at = tuple(state)
    if at not in known:
        known[at] = wins_at_once(game, at) or any(_forces(game, at, move, known) for move in game.moves(at))
    return known[at]


def _forces(game: Game, state: State, move: int, known: dict[State, bool]) -> bool:
    after = tuple(game.play(state, move))
    if game.terminal(after) != UNDECIDED or not game.moves(after):
        return False
    replies = [tuple(game.play(after, reply)) for reply in game.moves(after)]
    left = [reply for reply in replies if not (game.terminal(reply) == UNDECIDED and wins_at_once(game, reply))]
    if not left:
        return True
    return (
        len(left) < len(replies) and len(left) == 1
        and game.terminal(left[0]) == UNDECIDED and wins_by_force(game, left[0], known)
    )  # fmt: skip


@lru_cache(maxsize=1 << 16)
def _told(game: Game, state: State) -> tuple[int | None, tuple[int, ...]]:
    """Return the result of a state, if it is one, and the moves; claims of one game come to the same states again and again."""
    result = _sign(game.terminal(state))
    moves = tuple(game.moves(state)) if result is None else ()
    return (0 if result is None and not moves else result), moves


def claim_stands(game: Game, root: Iterable[int], claim: Any) -> bool:
    """Tell whether a claim stands: follow its strategy from the root against every reply, depth first."""
    known: dict[State, bool] = {}
    done: set[tuple[State, bool]] = set()
    way: set[tuple[State, bool]] = set()

    def stands(state: State, claims: bool) -> bool:
        turn = (tuple(game.canonical(state)) if claim.symmetric and claims else state, claims)
        if turn in way:
            return claim.bound <= 0
        if turn in done:
            return True
        result, moves = _told(game, state)
        if result is not None:
            return (result if claims else -result) >= claim.bound
        way.add(turn)
        if not claims:
            right = all(stands(tuple(game.play(state, move)), True) for move in moves)
        elif turn[0] in claim.strategy:
            move = claim.strategy[turn[0]]
            right = move in _told(game, turn[0])[1] and stands(tuple(game.play(turn[0], move)), False)
        else:
            right = bool(claim.forced) and wins_by_force(game, turn[0], known)
        way.discard(turn)
        done.add(turn)
        return right

    return claim.bound < 0 or stands(tuple(root), claim.player == 0)


# --- boards -----------------------------------------------------------------------------------------------------------


def hex_joined(rows: int, columns: int, state: list[int], player: int) -> bool:
    """Return whether a player's stones join her sides: player 1 from top to bottom, player 2 from left to right."""
    own = {divmod(cell, columns) for cell, stone in enumerate(state) if stone == player}
    found = [place for place in own if place[player - 1] == 0]
    seen = set(found)
    for row, column in found:  # which grows
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            place = row + down, column + right
            if place in own and place not in seen:
                seen.add(place)
                found.append(place)
    last = (rows, columns)[player - 1] - 1
    return any(place[player - 1] == last for place in seen)


def hex_stones_needed(rows: int, columns: int, state: list[int], player: int) -> int | None:
    """Return the fewest empty cells that join a player's sides when she fills them, None if none do: by trying all sets."""
    empty = [cell for cell, stone in enumerate(state) if stone == 0]
    for count in range(len(empty) + 1):
        for chosen in combinations(empty, count):
            filled = [player if cell in chosen else stone for cell, stone in enumerate(state)]
            if hex_joined(rows, columns, filled, player):
                return count
    return None


def rows_of(size: int) -> list[list[int]]:
    """Return the cells of every row, column and diagonal of a square board, in order."""
    found = []
    for across, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for start in range(size * size):
            y, x = divmod(start, size)
            if 0 <= x - across < size and 0 <= y - down < size:
                continue
            line = []
            while 0 <= x < size and 0 <= y < size:
                line.append(y * size + x)
                x, y = x + across, y + down
            found.append(line)
    return found


def row_lengths(size: int, state: list[int], player: int) -> list[int]:
    """Return the lengths of all unbroken rows of a player's stones."""
    marks = ["".join("X" if state[cell] == player else "." for cell in line) for line in rows_of(size)]
    return [len(run) for line in marks for run in line.split(".") if run]


def _unbroken(line: list[int], state: list[int], cell: int) -> frozenset[int]:
    """Return the unbroken row of black stones through a cell."""
    place = line.index(cell)
    first = last = place
    while first > 0 and state[line[first - 1]] == 1:
        first -= 1
    while last + 1 < len(line) and state[line[last + 1]] == 1:
        last += 1
    return frozenset(line[first : last + 1])


def renju_forbidden(size: int, state: list[int], cell: int) -> bool:
    """Return whether black may not play on an empty cell: the definitions word by word, with sets of stones."""
    after = list(state)
    after[cell] = 1
    lines = [line for line in rows_of(size) if cell in line]
    lengths = [len(_unbroken(line, after, cell)) for line in lines]
    if 5 in lengths:
        return False
    if max(lengths) > 5:
        return True
    fours: set[tuple[int, frozenset[int]]] = set()
    threes = 0
    for number, line in enumerate(lines):
        here = {four for four, _ in _fours(line, after, cell)}
        fours |= {(number, four) for four in here}
        threes += not here and any(
            _is_straight_four(size, line, after, cell, point) for point in line if after[point] == 0
        )
    return len(fours) > 1 or threes > 1


def _fours(line: list[int], state: list[int], cell: int) -> list[tuple[frozenset[int], int]]:
    """Return each four of a line that contains a cell, with the point that makes it five."""
    found = []
    for point in line:
        if state[point] == 0:
            five = _unbroken(line, [1 if one == point else stone for one, stone in enumerate(state)], point)
            if len(five) == 5 and cell in five:
                found.append((five - {point}, point))
    return found


def _is_straight_four(size: int, line: list[int], state: list[int], cell: int, point: int) -> bool:
    """Return whether a stone on a point makes a straight four with the cell, no five, and is allowed."""
    after = list(state)
    after[point] = 1
    ends: dict[frozenset[int], int] = {}
    for four, _ in _fours(line, after, cell):
        if point in four:
            ends[four] = ends.get(four, 0) + 1
    if 2 not in ends.values():
        return False
    if any(len(_unbroken(other, after, point)) == 5 for other in rows_of(size) if point in other):
        return False
    return not renju_forbidden(size, state, point)


def renju_fives(size: int, state: list[int], player: int) -> set[int]:
    """Return the empty cells in which a player wins at once: black by exactly five in a row, white by five or more."""
    found = set()
    for line in rows_of(size):
        for place, cell in enumerate(line):
            if state[cell] == 0:
                first = last = place
                while first > 0 and state[line[first - 1]] == player:
                    first -= 1
                while last + 1 < len(line) and state[line[last + 1]] == player:
                    last += 1
                if last - first + 1 == 5 or (player == 2 and last - first + 1 > 5):
                    found.add(cell)
    return found


def renju_wins_by_threats(size: int, state: list[int], player: int, threats: int, forbidding: bool = True) -> bool:
    """Return whether a player, to move, wins by at most so many fours and threes, against every reply that is allowed.

    A three is a stone after which one in the same line, where the player may play, leaves two cells that complete five.
    Without `forbidding` no cell is forbidden.
    """
    other = 3 - player
    if renju_fives(size, state, player):
        return True
    if threats == 0:
        return False

    def allowed(here: list[int], side: int) -> list[int]:
        empty = [cell for cell, stone in enumerate(here) if stone == 0]
        return [cell for cell in empty if side == 2 or not forbidding or not renju_forbidden(size, here, cell)]

    def put(here: list[int], cell: int, side: int) -> list[int]:
        return [side if one == cell else stone for one, stone in enumerate(here)]

    for cell in allowed(state, player):
        after = put(state, cell, player)
        if renju_fives(size, after, other):
            continue
        three = any(
            len(renju_fives(size, put(after, next_one, player), player) & set(line)) > 1
            and (player == 2 or not forbidding or not renju_forbidden(size, after, next_one))
            for line in rows_of(size) if cell in line
            for next_one in line if after[next_one] == 0 and sum(after[one] == player for one in line) > 2
        )  # fmt: skip
        if (three or renju_fives(size, after, player)) and all(
            renju_wins_by_threats(size, put(after, reply, other), player, threats - 1, forbidding)
            for reply in allowed(after, other)
        ):
            return True
    return False


def othello_successors(size: int, state: Iterable[int]) -> set[State]:
    """Return the states after each move of Othello, or after a pass; none when the game is over."""
    *discs, mover = state
    after = _with_discs(size, discs, mover)
    if not after and _with_discs(size, discs, 1 - mover):
        return {(*discs, 1 - mover)}
    return after


def _with_discs(size: int, discs: list[int], mover: int) -> set[State]:
    own = mover + 1
    found = set()
    for cell, disc in enumerate(discs):
        turned: list[int] = []
        for across, down in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
            x, y = cell % size + across, cell // size + down
            line = []
            while 0 <= x < size and 0 <= y < size and discs[y * size + x] == 3 - own:
                line.append(y * size + x)
                x, y = x + across, y + down
            if 0 <= x < size and 0 <= y < size and discs[y * size + x] == own:
                turned += line
        if disc == 0 and turned:
            after = [own if one in turned or one == cell else disc for one, disc in enumerate(discs)]
            found.add((*after, 1 - mover))
    return found


def othello_balance(size: int, state: State, alpha: int = -300, beta: int = 300) -> int:
    """Return the discs of the player to move less those of the opponent, when both play for discs."""
    successors = othello_successors(size, state)
    if not successors:
        own = state[-1] + 1
        return sum((disc == own) - (disc == 3 - own) for disc in state[:-1])
    best = -300
    for after in sorted(successors):
        best = max(best, -othello_balance(size, after, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def giveaway_successors(state: Iterable[int]) -> set[State]:
    """Return the states after each move of giveaway chess, by squares (file, rank) in a dictionary."""
    *squares, mover = state
    board = {(number % 8, number // 8): man for number, man in enumerate(squares)}
    captures, others = [], []
    for (file, rank), man in board.items():
        if man == 0 or (man > 6) != bool(mover):
            continue
        kind = ".PNBRQK"[man - 6 * mover]
        for target in _targets(board, file, rank, kind, mover):
            if kind == "P" and target[1] in (0, 7):
                arrivals = [".PNBRQK".index(letter) + 6 * mover for letter in "NBRQK"]
            else:
                arrivals = [man]
            for arrival in arrivals:
                after = {**board, (file, rank): 0, target: arrival}
                numbers = (*(after[number % 8, number // 8] for number in range(64)), 1 - mover)
                (captures if board[target] else others).append(numbers)
    return set(captures or others)


def _targets(board: dict[tuple[int, int], int], file: int, rank: int, kind: str, mover: int) -> list[tuple[int, int]]:
    straight, diagonal = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    if kind == "P":
        up = -1 if mover else 1
        steps = [(file, rank + up)] if board[file, rank + up] == 0 else []
        if steps and rank == (6 if mover else 1) and board[file, rank + 2 * up] == 0:
            steps.append((file, rank + 2 * up))
        beside = [(file + way, rank + up) for way in (-1, 1)]
        return steps + [one for one in beside if board.get(one, 0) and (board[one] > 6) != bool(mover)]
    if kind == "N":
        directions = [(across, up) for across in (-2, -1, 1, 2) for up in (-2, -1, 1, 2) if abs(across) != abs(up)]
    else:
        directions = (straight if kind != "B" else []) + (diagonal if kind != "R" else [])
    found = []
    for across, up in directions:
        place = file + across, rank + up
        while place in board:
            if board[place] == 0 or (board[place] > 6) != bool(mover):
                found.append(place)
            if board[place] or kind in "NK":
                break
            place = place[0] + across, place[1] + up
    return found


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
        """Return whether a stone on an empty cell wins: as `wins` in some direction, but it only counts the stones."""
        for ahead in DIRECTIONS:
            length = 1
            for dx, dy in (ahead, (-ahead[0], -ahead[1])):
                x, y = cell[0] + dx, cell[1] + dy
                while self.stones.get((x, y)) == player:
                    length, x, y = length + 1, x + dx, y + dy
            if length == 5 or (length > 5 and not (self.exact and player == 1)):
                return True
        return False

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


def wins_by_threats(game: Game, state: Iterable[int]) -> bool:
    """Tell whether the player to move wins by moves that leave at most one reply that does not lose at once.

    For games in which only the player who has moved can have won.
    """
    at = list(state)
    for move in game.moves(at):
        after = game.play(at, move)
        result = game.terminal(after)
        if result != UNDECIDED:
            if result < 0:
                return True
            continue
        replies = [game.play(after, reply) for reply in game.moves(after)]
        left = [reply for reply in replies if game.terminal(reply) != UNDECIDED or not _completes(game, reply)]
        if not left or (
            len(left) == 1 < len(replies) and game.terminal(left[0]) == UNDECIDED and wins_by_threats(game, left[0])
        ):
            return True
    return False


def _completes(game: Game, state: State | list[int]) -> bool:
    """Tell whether the player to move wins at once."""
    results = [game.terminal(game.play(list(state), move)) for move in game.moves(list(state))]
    return any(result != UNDECIDED and result < 0 for result in results)


def key_classes(initial: frozenset[Any], operators: list[Any]) -> set[frozenset[Any]]:
    """Return the empty set and those of operators whose orders all end alike, if they can be applied and add nothing twice."""
    ends: dict[frozenset[Any], set[Any]] = {}
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
    return {frozenset[Any](), *(used for used, last in ends.items() if len(last) == 1)}


@lru_cache(maxsize=128)
def layers_with_values(game: Game) -> tuple[Mapping[State, int], ...]:
    """Return the results for the player to move of all states that moves reach, by the number of moves.

    The tests of a process share them, so they cannot be changed.
    """
    layers = [{tuple(game.start()): 0}]
    after: dict[State, list[State]] = {}
    while layers[-1]:
        for state in layers[-1]:
            after[state] = [tuple(game.play(state, move)) for move in game.moves(state)]
        layers.append({one: 0 for state in layers[-1] for one in after[state]})
    layers.pop()
    for place in range(len(layers) - 1, -1, -1):
        for state in layers[place]:
            result = game.terminal(state)
            if result == UNDECIDED:
                result = max(-layers[place + 1][one] for one in after[state])
            layers[place][state] = result
    return tuple(map(MappingProxyType, layers))


def binary_ranks(root: Any, size: int) -> Callable[[Iterable[int]], int]:
    """Return what numbers the assignments of `size` bits of a binary diagram of OxiDD, -1 for others (Edelkamp 2017).

    Levels may be skipped: their bits are free, and there are twice as many assignments for each.
    """
    counts: dict[Any, int] = {}

    def level(node: Any) -> int:
        return size if node.cofactors() is None else int(node.node_level())

    def count(node: Any) -> int:
        """Return how many assignments of the node's bit and those behind it lead to TRUE."""
        if node.cofactors() is None:
            return int(node.satisfiable())
        if node not in counts:
            counts[node] = sum(count(below) << level(below) - level(node) - 1 for below in node.cofactors())
        return counts[node]

    def rank(bits: Iterable[int]) -> int:
        number, node = 0, root
        for place, bit in enumerate(bits):
            high, low = node.cofactors() if level(node) == place else (node, node)
            if bit:
                number += count(low) << level(low) - place - 1
            node = high if bit else low
        return number if node.satisfiable() else -1

    return rank


# --- proof-number search ----------------------------------------------------------------------------------------------


class Developed(NamedTuple):
    """The nodes that proof-number search develops, in their order, and the answer."""

    nodes: list[int]
    proved: bool


def most_proving_nodes(game: Any) -> Developed:
    """Search the tree of a `GraphGame` for "the player to move at the root wins", by the definitions (Allis 1994, table 2.1).

    The numbers of the whole tree are worked out again for every step.
    """
    below: dict[int, list[int]] = {}
    for edge in game.edges:
        below.setdefault(edge[0], []).append(edge[1])
    developed: list[int] = []

    def numbers(node: int, mine: bool) -> tuple[float, float]:
        """Return proof and disproof number of "the first player wins"."""
        result = game.results[node]
        if result != UNDECIDED:
            return (0, math.inf) if (result > 0) == mine else (math.inf, 0)
        if node not in developed:
            return 1, 1
        under = [numbers(child, not mine) for child in below[node]]
        proofs, disproofs = [one[0] for one in under], [one[1] for one in under]
        return (min(proofs), sum(disproofs)) if mine else (sum(proofs), min(disproofs))

    while 0 not in numbers(0, True):
        node, mine = 0, True
        while node in developed:
            which = 0 if mine else 1
            wanted = numbers(node, mine)[which]
            node = next(child for child in below[node] if numbers(child, not mine)[which] == wanted)
            mine = not mine
        developed.append(node)
    return Developed(developed, numbers(0, True)[0] == 0)


# --- searches to compare proof-number search with ----------------------------------------------------------------------


def sss_star(game: Game, merit: int = 1) -> tuple[int, list[State]]:
    """Return the outcome of a game without cycles, and the ends of lines in the order of SSS* (Stockman 1979, table 1).

    `merit` is the highest outcome that there may be.
    """
    ends: list[State] = []
    waiting: list[tuple[int, tuple[int, ...], bool]] = [(-merit, (), False)]  # less merit, places of the moves, solved

    def state_at(places: tuple[int, ...]) -> list[int]:
        state = list(game.start())
        for place in places:
            state = list(game.play(state, game.moves(state)[place]))
        return state

    while True:
        found = min(waiting)
        waiting.remove(found)
        less, places, solved = found
        state, maximal = state_at(places), len(places) % 2 == 0
        if solved:
            if not places:
                return -less, ends
            above, place = places[:-1], places[-1]
            if not maximal:
                waiting = [one for one in waiting if one[1][: len(above)] != above]
                waiting.append((less, above, True))
            elif place + 1 < len(game.moves(state_at(above))):
                waiting.append((less, (*above, place + 1), False))
            else:
                waiting.append((less, above, True))
            continue
        result = game.terminal(state)
        moves = game.moves(state) if result == UNDECIDED else []
        if not moves:
            ends.append(tuple(state))
            value = 0 if result == UNDECIDED else result if maximal else -result
            waiting.append((max(less, -value), places, True))
        else:
            waiting += [(less, (*places, place), False) for place in range(len(moves) if maximal else 1)]


Tree = list[Any] | int | None
"""The children of a node, or the value of a leaf for the player to move, or None for an open leaf."""


def conspirators(tree: Tree, wanted: int) -> float:
    """Return the least number of open leaves, which count as draws, whose change makes the root worth +1 or -1."""

    def leaves(node: Tree) -> int:
        return sum(map(leaves, node)) if isinstance(node, list) else int(node is None)

    def value(node: Tree, changed: Iterator[bool], sign: int) -> int:
        if isinstance(node, list):
            return max([-value(child, changed, -sign) for child in node], default=0)
        if node is None:
            return wanted * sign if next(changed) else 0
        return node

    chosen = [
        sum(changes)
        for changes in product((False, True), repeat=leaves(tree))
        if value(tree, iter(changes), 1) == wanted
    ]
    return min(chosen, default=math.inf)


def smallest_solution(game: Game, state: Iterable[int], bound: int, mine: bool = True) -> float:
    """Return the inner nodes of the smallest tree that shows that the player to move (`mine`) gets at least `bound`.

    Otherwise the tree shows that she does not.
    """
    result = game.terminal(list(state))
    moves = game.moves(list(state)) if result == UNDECIDED else []
    if not moves:
        value = 0 if result == UNDECIDED else result
        return 0 if (value >= bound) == mine else math.inf
    below = [smallest_solution(game, game.play(list(state), move), 1 - bound, not mine) for move in moves]
    return 1 + (min(below) if mine else sum(below))
