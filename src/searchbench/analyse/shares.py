"""How many states will have a value, and after how many levels: a model in which successors are drawn at random.

After Gasser 1995, section 4.2, who counts how many states of each kind are left and how many of them the next level reaches.
Here the kinds are the parts. A sampled state's moves are known; of a state that they lead to it is known whether the game
is over there, and else it is taken for any other of its part. So states whose neighbours are alike are judged too hopefully.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.analyse.samples import Interval, Sampler
from searchbench.index.contract import canonical_rank, unrank
from searchbench.index.protocol import Part
from searchbench.rules import UNDECIDED, moves, new_moves, new_state, play, terminal, unplay
from searchbench.solvers.exhaustive.neighbours import is_position

MOST_LEVELS: Final = 512
NONE: Final = 1 << 30
"""What stands for the result of a number that is no position."""


class Around(NamedTuple):
    """Hold sampled positions and their moves, those of `results[k]` from ``begins[k]`` on.

    A move has the number that it leads to, and the result there, UNDECIDED while the game goes on.
    """

    numbers: npt.NDArray[np.int64]
    results: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class Shares(NamedTuple):
    """Say which share of a part's positions is won and which is lost for the player to move."""

    won: float
    lost: float


def look_around(listed: Any, through_ends: bool, results: Any, begins: Any, targets: Any, ends: Any) -> int:
    """Write the results of some numbers, and the moves from those that are positions; return how many moves."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    filled = 0
    for place in range(len(listed)):
        begins[place] = filled
        unrank(listed[place], state)
        if not is_position(listed[place], state, scratch):
            results[place] = NONE
            continue
        results[place] = terminal(state)
        if results[place] != UNDECIDED and not through_ends:
            continue
        for index in range(moves(state, out)):
            play(state, out[index])
            targets[filled] = canonical_rank(state, scratch)
            ends[filled] = terminal(state)
            unplay(state, out[index])
            filled += 1
    begins[len(listed)] = filled
    return filled


def around(sampler: Sampler, runs: Sequence[Interval]) -> Around:
    """Return the numbers of some runs, with their moves."""
    numbers = np.concatenate([np.arange(*run) for run in runs])
    room = len(numbers) * len(sampler.names["new_moves"]())
    results, begins = np.empty(len(numbers), np.int64), np.empty(len(numbers) + 1, np.int64)
    targets, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    through_ends = not sampler.game.two_players
    count = jit.bind(look_around, sampler.names)(numbers, through_ends, results, begins, targets, ends)
    return Around(numbers, results, begins, targets[:count].copy(), ends[:count].copy())


def outcome_shares(
    seen: Around, group: Sequence[Part], known: Mapping[str, Shares], parts: Sequence[Part]
) -> tuple[dict[str, Shares], int]:
    """Return the shares of a group's parts, and after how many levels less than one position is decided.

    `known` are the shares of the parts that the group needs.
    """
    names = [part.name for part in parts]
    homes = _homes(seen.numbers, parts)
    places = _homes(seen.targets, parts)
    won = np.array([known[name].won if name in known else 0.0 for name in names])
    lost = np.array([known[name].lost if name in known else 0.0 for name in names])
    moving = np.flatnonzero(np.diff(seen.begins) > 0)
    over = seen.ends != UNDECIDED
    inside = [names.index(part.name) for part in group]
    legal = seen.results != NONE
    levels = 0
    while levels < MOST_LEVELS:
        # For the player to move there, who is the opponent of the one who moves.
        loses = np.where(over, seen.ends < 0, np.where(places >= 0, lost[places], 0))
        wins = np.where(over, (seen.ends > 0) & (seen.ends != NONE), np.where(places >= 0, won[places], 0))
        wins_now = np.where(seen.results == 1, 1.0, 0.0)
        loses_now = np.where(seen.results == -1, 1.0, 0.0)
        if len(moving):
            starts = seen.begins[moving]
            wins_now[moving] = 1 - np.multiply.reduceat(1 - loses, starts)
            loses_now[moving] = np.multiply.reduceat(wins, starts) * (1 - wins_now[moving])
        change = 0.0
        for place in inside:
            mine = legal & (homes == place)
            if not mine.any():
                continue
            change = max(change, parts[place].size * abs(wins_now[mine].mean() - won[place]))
            change = max(change, parts[place].size * abs(loses_now[mine].mean() - lost[place]))
            won[place], lost[place] = wins_now[mine].mean(), loses_now[mine].mean()
        levels += 1
        if change < 1:
            break
    return {names[place]: Shares(float(won[place]), float(lost[place])) for place in inside}, levels


def levels_to_reach(seen: Around, positions: float) -> int:
    """Return after how many levels less than one of so many positions is left, from one that has a value."""
    degrees = np.diff(seen.begins)[seen.results != NONE]
    reached, levels = 1 / max(positions, 1), 0
    while levels < MOST_LEVELS and positions * (1 - reached) >= 1:
        following = 1 - float(np.mean((1 - reached) ** degrees)) if len(degrees) else 0.0
        levels += 1
        if following <= reached:
            break
        reached = following
    return levels


def _homes(numbers: npt.NDArray[np.int64], parts: Sequence[Part]) -> npt.NDArray[np.int64]:
    """Return the place of the part in which each number lies, -1 for those without a number."""
    order = np.argsort([part.start for part in parts])
    starts = np.array([parts[place].start for place in order])
    return np.where(numbers < 0, -1, order[np.maximum(np.searchsorted(starts, numbers, "right") - 1, 0)])
