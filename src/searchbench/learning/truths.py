"""What a database knows of many positions at once: values, moves, what each move is worth, and which are best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest, BadState
from searchbench.index.contract import canonical_rank, unrank
from searchbench.rules import NOWHERE, UNDECIDED, image_under, moves, new_moves, new_state, play, terminal, unplay
from searchbench.run import Run
from searchbench.slots import constant
from searchbench.store import Database
from searchbench.store.modulo import Tracer
from searchbench.store.slices import refuse_slice
from searchbench.values import OUTCOMES, Value, ValueRule
from searchbench.values.contract import finish, initial, weight

Array = npt.NDArray[Any]

NOTHING: Final = np.iinfo(np.int32).min
"""A figure that there is not: the value of a position that has none, the plies of a value without depth."""
UNBOUNDED: Final = np.iinfo(np.int32).max
"""The regret of a move after which a puzzle cannot be solved any more."""
BATCH: Final = 1 << 14
"""Positions at a time."""
_PIECE: Final = 1 << 10
"""Positions in a piece of work of one thread."""
_BLOCK: Final = 1 << 16
"""Numbers whose codes are read together."""
_MARKS: Final = 1 << 24
"""Up to which number a mark for each tells which there are."""
_LAST: Final = np.iinfo(np.int64).max
_NO_MOVE: Final = -2
"""In the place of a successor's code: there is no such move."""

TWO_PLAYERS = constant("TWO_PLAYERS", False)


class Truths(NamedTuple):
    """Hold n positions with their values and moves; m is the largest number of moves that a position can have.

    `figures` and `worth` have an array for each of `columns`: ["outcome", "plies"], or ["value"] for distances, depths and
    scores. `NOTHING` stands for a figure that there is not. `worth` of a move is the value that the position would have if it
    were the only move, for the player to move.
    """

    columns: tuple[str, ...]
    numbers: Array
    """[n]"""
    states: Array
    """[n, width], cells"""
    figures: Array
    """[columns, n]"""
    counts: Array
    """[n], moves of each position"""
    moves: Array
    """[n, m]; behind the count, anything"""
    worth: Array
    """[columns, n, m]"""
    best: Array
    """[n, m], whether a move is one of the best; nowhere where values do not rank moves"""

    @property
    def exists(self) -> Array:
        """Return [n, m]: whether there is such a move."""
        found: Array = np.arange(self.moves.shape[1]) < self.counts[:, None]
        return found

    def regrets(self) -> Array:
        """Return [n, m]: by how much each move is worth less than the best one; `NOTHING` behind the count.

        Of outcomes: 1 for a win that becomes a draw, 2 for one that is lost. A move from which a puzzle cannot be solved any
        more costs `UNBOUNDED`.
        """
        first = self.worth[0]
        reference = np.where(self.best, first, np.iinfo(np.int64).min).max(axis=1, keepdims=True)
        return np.where(self.exists, regret(reference, first), NOTHING)


def regret(best: Array, worth: Array) -> Array:
    """Return by how much figures are worse than the best ones; `UNBOUNDED` where there is one only of the best."""
    return np.where(worth == NOTHING, np.where(best == NOTHING, 0, UNBOUNDED), np.abs(best - worth))


def columns_of(rule: ValueRule) -> tuple[str, ...]:
    """Return the names of the figures that make up a value of this rule."""
    if not rule.two_players or rule.points:
        return ("value",)
    return ("outcome", "plies") if rule.has_lines else ("outcome",)


def figures_of(rule: ValueRule, value: Value) -> tuple[int, ...]:
    """Return the figures of a value, in the order of the columns."""
    columns = columns_of(rule)
    if value is None:
        return (NOTHING,) * len(columns)
    if columns == ("value",):
        return (int(value),)
    return (OUTCOMES.get(rule.kind(value), NOTHING), int(getattr(value, "depth", NOTHING)))[: len(columns)]


def differing(numbers: Any, first: int, stop: int, symmetries: int, images: Any, differ: Any) -> None:
    """Write the images of the states under all symmetries, and which of them differ from those before."""
    state = new_state()
    for place in range(first, stop):
        for symmetry in range(symmetries):
            unrank(numbers[place], state)
            image_under(state, symmetry)
            for cell in range(len(state)):
                images[place, symmetry, cell] = state[cell]
            differ[place, symmetry] = True
            for before in range(symmetry):
                cell = 0
                while cell < len(state) and images[place, before, cell] == state[cell]:
                    cell += 1
                if cell == len(state):
                    differ[place, symmetry] = False
                    break


def symmetries_of(database: Database) -> int:
    """Return how many symmetries the game tells. Raises BadRequest if it tells none."""
    game = database.game
    if game.symmetries < 2:
        raise BadRequest(
            f"{game} tells no symmetries: its rules need `image_under`, and its property `symmetries` says how many"
        )
    return game.symmetries


def images_of(kernel: Callable[..., None], database: Database, numbers: Array, run: Run) -> tuple[Array, Array]:
    """Return the images of positions under all symmetries, [position, symmetry, cell], and which differ from those before.

    `kernel` is `differing`, bound to the game. Raises BadRequest for a game that tells no symmetries.
    """
    game, symmetries = database.game, symmetries_of(database)
    images = np.zeros((len(numbers), symmetries, game.width), game.dtype)
    differ = np.zeros((len(numbers), symmetries), np.bool_)
    pieces = jit.intervals(0, len(numbers), _PIECE)
    run.launch(kernel, pieces, numbers, jit.FIRST, jit.STOP, symmetries, images, differ)
    return images, differ


def open_moves(state: Any, out: Any) -> int:
    """Write the moves of a state, none where a game of two players is over; return their number."""
    if TWO_PLAYERS and terminal(state) != UNDECIDED:
        return 0
    return moves(state, out)


def list_moves(numbers: Any, first: int, stop: int, counts: Any, ways: Any) -> None:
    """Write the moves of states."""
    state = new_state()
    out = new_moves()
    for place in range(first, stop):
        unrank(numbers[place], state)
        count = open_moves(state, out)
        counts[place] = count
        for index in range(count):
            ways[place, index] = out[index]


def look_around(
    numbers: Any,
    symmetry: Any,
    first: int,
    stop: int,
    states: Any,
    own: Any,
    counts: Any,
    ways: Any,
    after: Any,
    ends: Any,
    weights: Any,
) -> None:
    """Write states, their classes' numbers, their moves, and of each move the next class's number, result and weight."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    for place in range(first, stop):
        unrank(numbers[place], state)
        if symmetry[place] > 0:
            image_under(state, symmetry[place])
        own[place] = canonical_rank(state, scratch)
        for cell in range(len(state)):
            states[place, cell] = state[cell]
        count = open_moves(state, out)
        counts[place] = count
        for index in range(count):
            ways[place, index] = out[index]
            weights[place, index] = weight(state, out[index])
            play(state, out[index])
            after[place, index] = canonical_rank(state, scratch)
            ends[place, index] = terminal(state)
            unplay(state, out[index])


class TruthReader:
    """Read the ground truth of a database; compiled once, then asked for many positions at a time."""

    def __init__(self, database: Database, run: Run | None = None, target: jit.Target | None = None) -> None:
        self.database, self.run = database, run or Run()
        game, rule = database.game, database.rule
        if game.has("blank"):
            raise BadRequest(f"{game}: several states share a number, so numbers are no positions")
        chosen = target or game.quickest_target
        names = game.names(rule, chosen).with_(TWO_PLAYERS=rule.two_players)
        self._kernel = jit.bind(look_around, names)
        self._lister = jit.bind(list_moves, names)
        self._differing = jit.bind(differing, names)
        self._ended = (
            jit.bind(finish, game.names(rule, "interpreted")),
            jit.bind(initial, game.names(rule, "interpreted")),
        )
        self._tracer = Tracer(database) if database.modulus else None
        self._ranks = rule.ranks_moves and not rule.from_start
        self._worth: dict[tuple[int, int], tuple[Any, tuple[int, ...]]] = {}

    def with_copies(self, numbers: Sequence[int] | Array) -> Truths:
        """Return the truths of the positions with these numbers, and of their images under all symmetries, each once.

        The images of a position follow it, with its number. Raises BadRequest for a game that tells no symmetries.
        """
        asked = self._asked(numbers)
        _, differ = images_of(self._differing, self.database, asked, self.run)
        places, symmetry = np.nonzero(differ)
        return self._read(asked[places], symmetry.astype(np.int64))

    def distinct_moves(self, numbers: Array) -> Array:
        """Return all moves that some of the positions with these numbers have, in order."""
        counts = np.zeros(len(numbers), np.int64)
        ways = np.zeros((len(numbers), self.database.game.max_moves), np.int64)
        self.run.launch(
            self._lister, jit.intervals(0, len(numbers), _PIECE), numbers, jit.FIRST, jit.STOP, counts, ways
        )
        return _distinct(ways[np.arange(ways.shape[1]) < counts[:, None]])[0]

    def read(self, numbers: Sequence[int] | Array) -> Truths:
        """Return the truths of the positions with these numbers. Raises BadState for a number that is no position."""
        asked = self._asked(numbers)
        return self._read(asked, np.zeros(len(asked), np.int64))

    def _asked(self, numbers: Sequence[int] | Array) -> Array:
        """Return numbers as an array. Raises BadRequest for what is no list of numbers, BadState for one outside the database."""
        asked = np.asarray(numbers)
        if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "iu"):
            raise BadRequest(f"numbers {numbers!r}: expected a list of whole numbers")
        inside = np.zeros(len(asked), np.bool_)
        for part in self.database.parts:
            inside |= (asked >= part.start) & (asked < part.stop)
        for number in asked[~inside][:1]:
            self.database.residue(int(number))  # which says what is wrong with it
        return np.ascontiguousarray(asked, np.int64)

    def _read(self, asked: Array, symmetry: Array) -> Truths:
        """Return the truths of images of positions, each under a symmetry of its own."""
        game, rule, length = self.database.game, self.database.rule, len(asked)
        states = np.zeros((length, game.width), game.dtype)
        own, counts = np.zeros(length, np.int64), np.zeros(length, np.int64)
        ways, after, ends, weights = (np.zeros((length, game.max_moves), np.int64) for _ in range(4))
        pieces = jit.intervals(0, length, _PIECE)
        self.run.launch(
            self._kernel, pieces, asked, symmetry, jit.FIRST, jit.STOP, states, own, counts, ways, after, ends, weights
        )
        codes = self.codes(own)
        if len(strange := asked[codes == self.database.illegal]):
            raise BadState(f"{game}: number {strange[0]} is no position")
        exists = np.arange(game.max_moves) < counts[:, None]
        following = np.full(after.shape, _NO_MOVE, np.int64)
        numbered = exists & (after != NOWHERE)
        try:
            following[numbered] = self.codes(after[numbered])
        except BadState:
            refuse_slice(self.database, "asked what moves are worth")
            raise
        following[exists & (after == NOWHERE)] = self._codes_of_ends(ends[exists & (after == NOWHERE)])
        keys, worth = self._priced(following, weights, exists)
        figures, places = np.unique(codes, return_inverse=True)
        values = np.array([figures_of(rule, rule.decode(int(code))) for code in figures], np.int64)
        least = np.where(exists, keys, _LAST).min(axis=1, keepdims=True, initial=_LAST)
        best = exists & (keys == least)
        if not self._ranks:
            best[:] = False
        found = values.reshape(len(figures), len(columns_of(rule)))[places].T
        return Truths(columns_of(rule), asked, states, found, counts, ways, worth, best)

    def codes(self, numbers: Array) -> Array:
        """Return the whole codes of numbers, in any order. Raises BadState for a number outside the database."""
        if self._tracer is not None:
            return self._tracer.codes(numbers)
        wanted, places = np.unique(numbers, return_inverse=True)
        found = np.zeros(len(wanted), np.int64)
        read = np.zeros(len(wanted), np.bool_)
        for part in self.database.parts:
            place, last = np.searchsorted(wanted, [part.start, part.stop])
            while place < last:
                first = max(int(wanted[place]) // _BLOCK * _BLOCK, part.start)
                stop = min(first + _BLOCK, part.stop)
                end = np.searchsorted(wanted, stop)
                found[place:end] = self.database.read(part, first, stop)[wanted[place:end] - first]
                read[place:end] = True
                place = end
        for number in wanted[~read][:1]:
            self.database.residue(int(number))  # which says what is wrong with it
        return found[places].reshape(numbers.shape)

    def _codes_of_ends(self, results: Array) -> Array:
        """Return the codes of finished games without a number, by their results."""
        finished, first = self._ended
        codes = {int(result): int(finished(first(int(result), 0))) for result in np.unique(results)}
        return np.array([codes[int(result)] for result in results], np.int64)

    def _priced(self, following: Array, weights: Array, exists: Array) -> tuple[Array, Array]:
        """Return a sort key for each move there is, the best least, and the figures of its worth [columns, n, m]."""
        prices, at = np.unique(weights[exists], return_inverse=True)  # they may be as large as a word
        pairs, places = _distinct((following[exists] - _NO_MOVE) * len(prices) + at)
        priced = [
            self._price(int(pair) // len(prices) + _NO_MOVE, int(prices[int(pair) % len(prices)])) for pair in pairs
        ]
        order = sorted({key for key, _ in priced if key is not None})
        ranks = {key: place for place, key in enumerate(order)}
        keys = np.full(following.shape, _LAST)
        keys[exists] = np.array([ranks.get(key, len(order)) for key, _ in priced], np.int64)[places]
        columns = len(columns_of(self.database.rule))
        worth = np.full((columns, *following.shape), NOTHING, np.int64)
        worth[:, exists] = np.array([figures for _, figures in priced], np.int64).reshape(len(pairs), columns)[places].T
        return keys, worth

    def _price(self, code: int, weight_of_move: int) -> tuple[Any, tuple[int, ...]]:
        """Return the sort key of a move to a state with this code, and the figures of what the move is worth."""
        if (code, weight_of_move) not in self._worth:
            rule = self.database.rule
            if code == _NO_MOVE:
                return None, (NOTHING,) * len(columns_of(rule))
            value = rule.decode(code)
            worth = self.database.worth_of(value, weight_of_move)
            self._worth[code, weight_of_move] = rule.preference(value, weight_of_move), figures_of(rule, worth)
        return self._worth[code, weight_of_move]


def _distinct(values: Array) -> tuple[Array, Array]:
    """Return the different values in order, and the place of each value among them."""
    if not len(values) or values.min() < 0 or values.max() >= _MARKS:
        found, places = np.unique(values, return_inverse=True)
        return found, places
    marks = np.zeros(int(values.max()) + 1, np.int64)  # far quicker than sorting
    marks[values] = 1
    found = np.flatnonzero(marks)
    marks[found] = np.arange(len(found))
    return found, marks[values]


class Chosen(TypedDict, total=False):
    """Say which positions are meant, as the options of the same names of `Database.select` do."""

    value: Any
    where: str | None


def batches(database: Database, **chosen: Unpack[Chosen]) -> Iterator[Array]:
    """Yield the numbers of the positions that are meant, `BATCH` at a time."""
    waiting = np.zeros(0, np.int64)
    for numbers in database.numbers(**chosen):
        waiting = np.concatenate([waiting, numbers])
        while len(waiting) >= BATCH:
            yield waiting[:BATCH]
            waiting = waiting[BATCH:]
    if len(waiting):
        yield waiting


def sampled(database: Database, sample: int, seed: int, **chosen: Unpack[Chosen]) -> Array:
    """Return the numbers of `sample` random ones of the positions that are meant, or of all if there are fewer; in order."""
    if sample < 1:
        raise BadRequest(f"sample {sample}: expected 1 or more")
    count = database.count(**chosen)
    if count == 0:
        asked = ", ".join(f"{name} {wanted!r}" for name, wanted in chosen.items() if wanted is not None)
        raise BadRequest(f"{database.game}: no position meets {asked}")
    places = np.sort(np.random.default_rng(seed).choice(count, min(sample, count), replace=False, shuffle=False))
    found, seen = [], 0
    for numbers in database.numbers(**chosen):
        here = places[(places >= seen) & (places < seen + len(numbers))]
        found.append(numbers[here - seen])
        seen += len(numbers)
    return np.concatenate(found)


def truths(
    database: Database, numbers: Sequence[int] | Array, run: Run | None = None, symmetric: bool = False
) -> Truths:
    """Return the values, moves and best moves of the positions with these numbers; with their symmetric copies, if asked."""
    reader = TruthReader(database, run)
    return reader.with_copies(numbers) if symmetric else reader.read(numbers)
