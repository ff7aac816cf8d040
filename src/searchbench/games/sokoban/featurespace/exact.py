"""Judge what feature-space search tells dead, by exact sets of small levels: the states that lead to a solution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced import EnhancedSokoban
from searchbench.games.sokoban.enhanced.board import SQUARE, STONES, walk
from searchbench.games.sokoban.enhanced.exact import (
    NEVER,
    bits_of,
    count_claim,
    explore,
    first_key,
    new_exact,
    place_stones,
    told_of,
)
from searchbench.games.sokoban.enhanced.freeze import hold
from searchbench.games.sokoban.enhanced.frozen import is_cut_off, new_frozen
from searchbench.games.sokoban.enhanced.jams import has_dead_jam, new_jams
from searchbench.games.sokoban.featurespace.base import base_work
from searchbench.games.sokoban.featurespace.corrals import has_dead_corral, new_corrals
from searchbench.games.sokoban.featurespace.pairs import has_dead_pair, new_pairs

CUT_OFF, CORRALS, JAMS, PAIRS = range(4)
DETECTORS: Final = ("cut off", "corrals", "jams", "pairs")
"""What is judged: frozen stones that cut others off, stones around an area that the man cannot enter, jams, and pairs."""


def judge_positions(
    base: Any, frozen: Any, corrals: Any, jams: Any, pairs: Any, exact: Any, count: int, counts: Any
) -> None:
    """Ask each detector about each state of a level, and count claims and false alarms; jams are learnt on the way."""
    for state in range(count):
        stones, man, solvable = exact.keys[state] >> 5, exact.keys[state] & 31, exact.pushes[state] < NEVER
        place_stones(base, stones, man)
        walk(base, man)
        if hold(base, -1) == 1:
            count_claim(counts, CUT_OFF, is_cut_off(base, frozen, man), solvable)
        walk(base, man)
        count_claim(counts, CORRALS, has_dead_corral(base, corrals), solvable)
        walk(base, man)
        count_claim(counts, JAMS, has_dead_jam(base, jams, man, -1), solvable)
        walk(base, man)
        count_claim(counts, PAIRS, is_dead_by_pairs(base, pairs), solvable)


def is_dead_by_pairs(base: Any, pairs: Any) -> bool:
    """Tell whether any stone is lost together with another one."""
    for stone in range(base.facts[STONES]):
        if has_dead_pair(base, pairs, base.board[SQUARE, stone]):
            return True
    return False


def judged(
    games: Iterable[Any], target: Literal["cpu", "interpreted"] = "cpu"
) -> tuple[dict[str, dict[str, int]], int, int]:
    """Return what each detector claimed on levels, the number of levels judged, and that of their states.

    Levels without a solution, and too large ones, are not judged.
    """
    exact, counts = new_exact(), np.zeros((len(DETECTORS), 3), np.int64)
    levels, states, kernels = 0, 0, None
    for game in games:
        level = game.maze
        names = jit.Names(dict(EnhancedSokoban(game.tables).names()), target, None)
        if kernels is None:
            kernels = jit.bind(explore, names), jit.bind(judge_positions, names)
        count = kernels[0](exact, np.array(level.near, np.int64), bits_of(level.goals), first_key(level))
        if count < 0 or exact.pushes[0] >= NEVER:
            continue
        base = base_work(game.tables, game.start())
        kernels[1](
            base,
            new_frozen(base),
            new_corrals(len(level.cells)),
            new_jams(base),
            new_pairs(base, names),
            exact,
            count,
            counts,
        )
        levels, states = levels + 1, states + int(count)
    return told_of(DETECTORS, counts), levels, states
