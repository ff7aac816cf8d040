"""Search a game that looks the same from both ends by duality: from the start to the middle only (Edelkamp 2017).

A state d moves from the start has a dual d moves from the goal. So breadth-first search from the start may stop at the
first layer that holds the dual of one of its own states or of a state of the layer before: there the paths from both
ends meet.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.duality import reversal
from searchbench.errors import BadGame, BadRequest, Unsolvable
from searchbench.game import Game, Position
from searchbench.index.contract import canonical_rank, unrank, unrank_next
from searchbench.index.protocol import Part, line_size
from searchbench.inherited import why_left_out
from searchbench.jit import Rows, intervals, note_rows, trailing_zeros
from searchbench.line import Line
from searchbench.rules import new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.kernels import BLOCK, Vector
from searchbench.solvers.exhaustive.bits.layers import layer_bytes, layers_of, search_layers
from searchbench.solvers.exhaustive.bits.search import Layers, blocks_for, search_two_bit, two_bit_bytes, words_for
from searchbench.solvers.exhaustive.bits.solve import LAYERS, TWO_BIT, obstacle
from searchbench.store import Database
from searchbench.store.planes import PlaneCodes
from searchbench.user_code import name_of
from searchbench.values import Depth

PIECE: Final = 1 << 21
"""Numbers of a layer per piece of work."""
REACHED: Final = 3
"""The code of a reached state where one bit vector stands for both planes."""


class Duals(NamedTuple):
    """For each code of a dual, 0 to 3: the number of states whose dual has it, and one of them (-1: none)."""

    counts: Any
    examples: Any


def find_duals(
    source: Vector, low: Any, high: Any, origin: int, bits: Any, blocks: tuple[int, int], counts: MutableSequence[int],
    examples: MutableSequence[int],
) -> None:  # fmt: skip
    """Count the states of the marked blocks of an interval by the codes of their duals.

    `low` and `high` are the two planes, whose first bit stands for the number `origin`. Duals outside the planes do not
    count. `bits[k]` is 2^k.
    """
    state = new_state()
    other = new_state()
    scratch = new_state()
    room = 64 * len(low)
    before = -1
    for block in range(blocks[0], blocks[1]):
        if source.marks[block] == 0:
            continue
        for word in range(block * BLOCK, min((block + 1) * BLOCK, len(source.words))):
            left = source.words[word]
            while left != 0:
                number = source.origin + 64 * word + trailing_zeros(left)
                left &= left - bits[0]
                if before < 0:
                    unrank(number, state)
                else:
                    unrank_next(before, state, number - before)
                before = number
                for cell in range(len(state)):
                    other[cell] = state[cell]
                reversal(other)
                rank = canonical_rank(other, scratch)
                bit = rank - origin
                if rank < 0 or not 0 <= bit < room:
                    continue
                code = 0
                if low[bit >> 6] & bits[bit & 63] != 0:
                    code += 1
                if high[bit >> 6] & bits[bit & 63] != 0:
                    code += 2
                counts[code] += 1
                examples[code] = number


class Finder:
    """Look up the duals of many states on all threads."""

    def __init__(self, game: Game, run: Run, target: jit.Target = "cpu") -> None:
        self._run = run
        self._kernel = jit.bind(find_duals, game.names(Depth(), target))
        self._bits = np.uint64(1) << np.arange(64, dtype=np.uint64)

    def in_planes(self, source: Vector, low: Any, high: Any) -> Duals:
        """Look up the duals of the states whose bits are set in the marked blocks of `source`."""
        blocks = len(source.marks)
        step = max(1, blocks // (32 * self._run.threads))
        pieces = intervals(0, blocks, step)
        counts, examples = note_rows(len(pieces), 4), note_rows(len(pieces), 4, -1)
        self._run.launch(
            self._kernel, pieces, source, low, high, 0, self._bits, jit.PIECE, Rows(counts), Rows(examples)
        )
        return _together([Duals(*found) for found in zip(counts, examples, strict=True)])

    def in_parts(self, database: Database, source: Part, target: Part) -> Duals:
        """Look up the duals of the states reached in `source` in the part `target`; reached duals have the code REACHED."""
        words = _words(database, target, target.start, target.stop)

        def work(first: int) -> Duals:
            found = Duals(np.zeros(4, np.int64), np.full(4, -1, np.int64))
            some = _words(database, source, first, min(first + PIECE, source.stop))
            marks = np.ones(blocks_for(len(some)), np.uint8)
            if some.any():
                piece = Vector(some, marks, first)
                self._kernel(piece, words, words, target.start, self._bits, (0, len(marks)), *found)
            return found

        return _together(self._run.map(work, range(source.start, source.stop, PIECE)))


def _together(found: list[Duals]) -> Duals:
    if not found:
        return Duals(np.zeros(4, np.int64), np.full(4, -1, np.int64))
    return Duals(sum(one.counts for one in found), np.max([one.examples for one in found], axis=0))


def _words(database: Database, part: Part, first: int, stop: int) -> Any:
    """Return the bits of the numbers first .. stop - 1 of a part as words."""
    words = np.zeros(words_for(stop - first), np.uint64)
    for start in range(first, stop, PIECE):
        bits = database.bits(part, start, min(start + PIECE, stop))
        at = (start - first) // 8
        if bits.any():
            words.view(np.uint8)[at : at + len(bits)] = bits
    return words


# --- search -----------------------------------------------------------------------------------------------------------


def search_by_duality(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    run: Run | None = None,
    *,
    target: jit.Target = "cpu",
    **unknown: Any,
) -> Line:
    """Return a shortest line from the start of a puzzle to its goal, by half of a breadth-first search.

    A game whose parts are layers takes one bit a state, any other two. Raises BadRequest for a state other than the
    start, a game without a `reversal` or an index, moves with costs, and any further option; Unsolvable; and OutOfMemory.
    """
    _check(game)
    if unknown:
        raise BadRequest(f"{min(unknown)}: the method dual takes no such option: of limits it has `memory` alone")
    if tuple(game.position(state).state) != tuple(game.start()):
        raise BadRequest(f"{game}: the method dual searches from the start: only its dual is the goal")
    with run or Run() as active:
        meet = _meet_in_planes if obstacle(game, LAYERS) else _meet_in_layers
        database, number, depths = meet(game, active, target)
        moves = _moves_along(game, _way(database, number, depths[0], depths[1]))
        states = database.reachable
        return Line(game, tuple(game.start()), moves, len(moves), nodes=states, seconds=active.seconds)


def _check(game: Game) -> None:
    if game.two_players or not game.has("reversal"):
        raise BadRequest(
            f"{game} supplies no `reversal`: only a game that looks the same from both ends is searched by duality"
            f"{why_left_out(game, 'reversal')}"
        )
    if not game.has("rank", "unrank"):
        raise BadRequest(f"{game} has no index at this size: it cannot be searched breadth first")
    if game.has("cost"):
        raise BadRequest(f"the moves of {game} have costs: breadth-first search counts moves")
    goal = dual_of(game, game.start())
    if game.terminal(goal) != 0:
        raise BadGame(
            f"{name_of(game)}: the start's `reversal`, {game.format(goal)!r}, is not solved: it must be the only solved state"
        )


def dual_of(game: Game, state: list[int]) -> list[int]:
    """Return the dual of a state."""
    other = list(state)
    game.call("reversal", other)
    return other


def _meet_in_layers(game: Game, run: Run, target: jit.Target) -> tuple[Database, int, tuple[int, int]]:
    """Search the layers up to the middle; return the database, a state whose dual is reached, and the depths of both.

    All lines that lead to the goal have the same length: the depth of its layer.
    """
    layers = layers_of(game.parts(), game.rank(game.start()))
    goal = game.rank(dual_of(game, game.start()))
    length = next((depth for depth, layer in enumerate(layers) if any(p.start <= goal < p.stop for p in layer)), None)
    if length is None:
        raise _unsolvable(game)
    far = (length + 1) // 2
    near = length - far
    run.demand(layer_bytes(layers[: far + 1]), f"searching {game} by duality in the form {LAYERS}")
    found = search_layers(game, run, target, far)
    database = Database(game, Depth(), found.codes)
    finder = Finder(game, run, target)
    for one in layers[near]:
        for other in layers[far]:
            meeting = finder.in_parts(database, one, other)
            if meeting.counts[REACHED]:
                return database, int(meeting.examples[REACHED]), (near, far)
    raise _unsolvable(game)


def _meet_in_planes(game: Game, run: Run, target: jit.Target) -> tuple[Database, int, tuple[int, int]]:
    """Search until a layer meets its own dual or that of the layer before; return the same as `_meet_in_layers`."""
    size = line_size(game.parts())
    run.demand(two_bit_bytes(size), f"searching {game} by duality in the form {TWO_BIT}")
    finder = Finder(game, run, target)
    meeting: list[tuple[int, tuple[int, int]]] = []

    def stop(layers: Layers, source: Vector) -> bool:
        depth = len(layers.counts) - 1
        duals = finder.in_planes(source, layers.low, layers.high)
        for other in (depth - 1, depth):  # no dual lies nearer to the start: an earlier layer would have met it
            if other >= 0 and duals.counts[1 + other % 3]:
                meeting.append((int(duals.examples[1 + other % 3]), (depth, other)))
                return True
        return False

    layers = search_two_bit(game, run, target, stop=stop)
    if not meeting:
        raise _unsolvable(game)
    codes = PlaneCodes(layers.low, layers.high, layers.parts, size)
    return Database(game, Depth(), codes), *meeting[0]


def _unsolvable(game: Game) -> Unsolvable:
    return Unsolvable(f"{game}: no line leads from the start to the goal")


def _way(database: Database, number: int, depth: int, dual_depth: int) -> list[int]:
    """Return the numbers of the states on a path from the start through a state to the goal."""
    game = database.game
    other = game.rank(dual_of(game, game.unrank(number)))
    there = _way_back(database, number, depth)[::-1]
    on = [game.rank(dual_of(game, game.unrank(one))) for one in _way_back(database, other, dual_depth)]
    return there + on[1:]


def _way_back(database: Database, number: int, depth: int) -> list[int]:
    """Return the numbers on a shortest path from a state back to the start, found by the moves of the duals."""
    way = [number]
    untried = [_before(database, number, depth)]
    lost: set[tuple[int, int]] = set()
    while len(way) <= depth:
        one = next(untried[-1], None)
        left = depth - len(way)
        if one is None:
            lost.add((way.pop(), left + 1))
            untried.pop()
        elif (one, left) not in lost:
            way.append(one)
            untried.append(_before(database, one, left))
    return way


def _before(database: Database, number: int, depth: int) -> Iterator[int]:
    """Yield the predecessors of a state of this depth that have the code of the depth before.

    Where a move may lead several levels back, these include states that are deeper by a multiple of the modulus. No path
    of the right length leads from them to the start, the only state of depth 0.
    """
    game = database.game
    if depth == 0:
        return
    code = 1 + ((depth - 1) % database.modulus if database.modulus else depth - 1)
    other = dual_of(game, game.unrank(number))
    for move in game.moves(other):
        before = game.rank(dual_of(game, game.play(other, move)))
        if before >= 0 and database.residue(before) == code and (depth > 1 or before == game.rank(game.start())):
            yield before


def _moves_along(game: Game, way: list[int]) -> tuple[int, ...]:
    """Return the moves from the start along states with these numbers, up to symmetry."""
    state = game.start()
    moves = []
    for number in way[1:]:
        moves.append(next(move for move in game.moves(state) if game.rank(game.play(state, move)) == number))
        state = game.play(state, moves[-1])
    return tuple(moves)
