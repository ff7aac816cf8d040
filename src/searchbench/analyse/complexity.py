"""Estimate how complex a game is: its state space, its game tree, convergence and sudden death (Allis 1994, section 6.2).

All figures of a game come from random play and random numbers, so they are estimates, but for the bounds. Large figures are
logarithms to the base of ten, which fields and functions tell by `exponent`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import log10, prod, sqrt
from typing import Any, Final, Literal

from searchbench.board import is_empty
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.values import value_rule

Direction = Literal["converging", "diverging", "unchangeable"]
GAMES: Final = 200
SAMPLES: Final = 10_000
LONGEST: Final = 500
"""Plies after which a random game is given up."""


# --- state space ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateSpace:
    """Estimate the size of a set by sampling a larger one: `hits` of `samples` of `size` candidates belong to it."""

    size: int
    samples: int
    hits: int

    @property
    def estimate(self) -> float:
        """Return the estimated number of states."""
        return self.size * (self.hits / self.samples)

    @property
    def error(self) -> float:
        """Return the standard deviation of the estimate."""
        share = self.hits / self.samples
        return self.size * sqrt(share * (1 - share) / self.samples)


def sample_states(
    size: int, draw: Callable[[random.Random], Any], legal: Callable[[Any], bool], samples: int = SAMPLES, seed: int = 0
) -> StateSpace:
    """Estimate how many of `size` candidates are legal: `draw` returns one at random, each with equal probability."""
    if samples < 1:
        raise BadRequest(f"{samples} samples: expected at least 1")
    chance = random.Random(seed)
    return StateSpace(size, samples, sum(bool(legal(draw(chance))) for _ in range(samples)))


def numbered_states(game: Game, samples: int = SAMPLES, seed: int = 0) -> StateSpace:
    """Estimate how many numbers of a game's index are positions, by `legal`. Raises BadRequest without an index."""
    size = line_size(game.parts())
    if size == 0:
        raise BadRequest(f"{game} has no index: sample another set with `sample_states`")
    if not game.has("legal"):
        return StateSpace(size, 1, 1)
    return sample_states(
        size, lambda chance: game.unrank(chance.randrange(size)), lambda state: game.call("legal", state), samples, seed
    )


# --- game tree --------------------------------------------------------------------------------------------------------


def tree_exponent(branching: float, plies: float) -> float:
    """Return the exponent of branching^plies, Allis's estimate of the game-tree complexity."""
    return plies * log10(branching)


def placements(cells: int, plies: int) -> int:
    """Return the number of games in which so many of the cells are filled one after the other: cells! / (cells - plies)!."""
    return prod(range(cells - plies + 1, cells + 1))


def solution_depth(moves: int) -> int:
    """Return the depth in plies of the full-width search that shows a win in so many moves of the winner (mate in n)."""
    if moves < 1:
        raise BadRequest(f"a win in {moves} moves: expected at least 1")
    return 2 * moves - 1


def leaves_of_tree(branching: Iterable[int]) -> int:
    """Return the leaves of a tree of the same branching everywhere at a depth; 30 moves and 20 replies make 600."""
    return prod(branching)


def full_width_leaves(game: Game, state: Sequence[int] | None, depth: int) -> int:
    """Return the leaves of the full-width tree of a depth below a state: finished games are leaves wherever they end."""
    current = game.start() if state is None else list(state)
    moves = game.moves(current) if depth > 0 else []
    return sum(full_width_leaves(game, game.play(current, move), depth - 1) for move in moves) if moves else 1


# --- convergence ------------------------------------------------------------------------------------------------------


def piece_count(game: Game, state: Sequence[int]) -> int:
    """Return how many pieces are on the board: a label that is a number (seeds in a pit) counts as so many."""
    labels = [label for label in game.pieces(state) if not is_empty(label)]
    return sum(int(label) if label.isdecimal() else 1 for label in labels)


def direction_of_classes(arcs: Iterable[tuple[int, int]]) -> Direction:
    """Return where most arcs between classes of positions lead: to fewer pieces, to more, or neither.

    An arc is a pair of numbers of pieces, before and after a move; classes are joined by at most one arc each way.
    """
    between = {(before, after) for before, after in arcs if before != after}
    fewer = sum(after < before for before, after in between)
    if 2 * fewer > len(between):
        return "converging"
    return "diverging" if 2 * fewer < len(between) else "unchangeable"


# --- all of it --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Complexity:
    """The complexity of a game, estimated by random play.

    `most_states` bounds the exponent of the number of states: that of the index, or of all ways to fill the cells with the
    contents that were seen (`bound_by`). `states` is the estimate of those that are legal, and `error` its standard deviation,
    where there is an index. `branching` is the geometric mean of the numbers of moves, `plies` the mean length of a game,
    `shortest` and `longest` its extremes, and `game_tree` the exponent of branching^plies. `early` is the share of games that
    end with a number of pieces with which most others go on.
    """

    game: str
    most_states: float
    bound_by: str
    states: float | None
    error: float | None
    branching: float
    plies: float
    shortest: int
    longest: int
    unfinished: int
    game_tree: float
    direction: Direction | None
    early: float | None
    games: int

    @property
    def sudden_death(self) -> bool | None:
        """Tell whether most games end early; None without a board of pieces."""
        return None if self.early is None else self.early > 0.5

    def as_dict(self) -> dict[str, Any]:
        """Return all figures."""
        return asdict(self) | {"sudden_death": self.sudden_death}

    def __str__(self) -> str:
        lines = [f"{self.game}: {self.games:,} random games"]
        told = f"state space   at most 10^{self.most_states:.1f} ({self.bound_by})"
        if self.states is not None and self.error is not None:
            told += f"; about {self.states:,.0f} +- {self.error:,.0f} legal"
        lines.append(told)
        lines.append(
            f"game tree     about 10^{self.game_tree:.1f}: {self.plies:.1f} plies ({self.shortest} to {self.longest}), "
            f"{self.branching:.2f} moves"
        )
        if self.direction is not None:
            ends = "sudden death" if self.sudden_death else "fixed termination"
            lines.append(f"pieces        {self.direction}, {ends} ({self.early:.0%} of the games end early)")
        if self.unfinished:
            lines.append(f"{self.unfinished:,} games were given up after {LONGEST:,} plies")
        return "\n  ".join(lines)


class _Play:
    """Count what random games show."""

    def __init__(self, game: Game, chance: random.Random) -> None:
        self.game, self.chance = game, chance
        self.counts_pieces = game.board() is not None
        self.contents: list[set[int]] = [set() for _ in range(game.width)]
        self.lengths: list[int] = []
        self.unfinished = 0
        self.exponents = self.decisions = 0.0
        self.arcs: set[tuple[int, int]] = set()
        self.going_on: Counter[int] = Counter()
        self.ended: Counter[int] = Counter()

    def play(self) -> None:
        """Play one game."""
        game = self.game
        state = game.start()
        plies, pieces = 0, self._met(state)
        while plies < LONGEST:
            if game.terminal(state) != UNDECIDED:
                break
            moves = game.moves(state)
            if not moves:
                break
            self.going_on[pieces] += 1
            self.exponents += log10(len(moves))
            self.decisions += 1
            state = game.play(state, self.chance.choice(moves))
            before, pieces = pieces, self._met(state)
            self.arcs.add((before, pieces))
            plies += 1
        else:
            self.unfinished += 1
        self.lengths.append(plies)
        self.ended[pieces] += 1

    def _met(self, state: Sequence[int]) -> int:
        for cell, content in enumerate(state):
            self.contents[cell].add(content)
        return piece_count(self.game, state) if self.counts_pieces else 0

    @property
    def early(self) -> float:
        """Return the share of games that end with a number of pieces with which most positions go on."""
        early = sum(count for pieces, count in self.ended.items() if self.going_on[pieces] > count)
        return early / max(1, sum(self.ended.values()))


def estimate_complexity(
    game: Game, games: int = GAMES, samples: int = SAMPLES, seed: int = 0, run: Run | None = None
) -> Complexity:
    """Estimate the complexity of a game of two players by random games, and by random numbers of its index.

    Raises BadRequest for a puzzle, whose random play has no end.
    """
    if not value_rule(game.values).two_players:
        raise BadRequest(f"{game} is a puzzle: the complexities are those of games of two players")
    if games < 1:
        raise BadRequest(f"{games} games: expected at least 1")
    play = _Play(game, random.Random(seed))
    with run or Run() as active:
        for number in range(games):
            active.progress("random games", number, games)
            play.play()
    size = line_size(game.parts())
    space = numbered_states(game, samples, seed) if size else None
    most = log10(size) if size else sum(log10(len(contents)) for contents in play.contents)
    bound_by = f"an index of {size:,} numbers" if size else "all ways to fill the cells with the contents seen"
    plies = sum(play.lengths) / games
    branching = 10 ** (play.exponents / max(1.0, play.decisions))
    return Complexity(
        str(game), most, bound_by, None if space is None else space.estimate, None if space is None else space.error,
        branching, plies, min(play.lengths), max(play.lengths), play.unfinished, tree_exponent(branching, plies),
        direction_of_classes(play.arcs) if play.counts_pieces else None, play.early if play.counts_pieces else None, games,
    )  # fmt: skip
