"""Judge detectors of deadlocks by exact sets of small levels: the states that lead to a solution.

The exact set is found on bit sets: it shares the neighbours of squares with the detectors, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.games.sokoban.enhanced.board import AT, GOAL, KEY, LIVE, OFF_GOAL, SQUARE, STONES, walk
from searchbench.games.sokoban.enhanced.controls import PAIR_DATABASE
from searchbench.games.sokoban.enhanced.corral import find_corral, goes_in
from searchbench.games.sokoban.enhanced.pairs import pair_penalty
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.enhanced.work import freezes, move_of
from searchbench.games.sokoban.rules import normal_man
from searchbench.solvers.guided.enhanced.contract import (
    INFEASIBLE,
    estimate,
    investigate,
    make,
    penalty,
    unmake,
)
from searchbench.solvers.guided.enhanced.controls import FRAME, chosen_controls

STATES: Final = 1 << 14
"""A level of more states is not judged."""
NEVER: Final = 1 << 20
"""The distance of a state that leads to no solution."""
MATCHING, FREEZE, WINDOWS, CORRALS, PATTERNS, PAIRS, PENALTIES = range(7)
DETECTORS: Final = ("matching", "freeze", "windows", "corrals", "patterns", "pairs", "penalties")
"""What is judged: bounds, deadlocks after pushes, pushes left out for a corral, deadlocks learnt, bounds with what pairs gain,
and bounds with penalties.

The last one is not sound: penalties are added that the matching of all stones may have paid for in part.
"""
CLAIMS, FALSE_ALARMS, DEAD = range(3)
"""What is counted of a detector: claims, the false ones, and the deadlocks that it could have found."""


class Exact(NamedTuple):
    """Hold the states of a level: keys (bits of stones, and the man's lowest square in the low 5), and pushes to a solution."""

    keys: Any
    slots: Any
    pushes: Any
    links: Any


def new_exact() -> Exact:
    """Return room for the states of a small level."""
    return Exact(
        np.zeros(STATES, np.int64), np.zeros(4 * STATES, np.int32), np.zeros(STATES, np.int32),
        np.zeros((16 * STATES, 2), np.int32),
    )  # fmt: skip


def lowest(near: Any, stones: int, man: int) -> int:
    """Return the lowest square that the man can walk to, on bit sets."""
    area, grown = 0, 1 << man
    while grown != area:
        area = grown
        for square in range(len(near)):
            if area >> square & 1:
                for direction in range(4):
                    there = near[square, direction]
                    if there >= 0 and not stones >> there & 1:
                        grown |= 1 << there
    found = 0
    while not area >> found & 1:
        found += 1
    return found


def after_push(near: Any, key: int, square: int, direction: int) -> int:
    """Return the key of the state after a push of the stone on a square, or -1 where none can be made."""
    stones, man = key >> 5, key & 31
    behind, target = near[square, direction ^ 1], near[square, direction]
    if not stones >> square & 1 or behind < 0 or target < 0 or stones >> target & 1 or stones >> behind & 1:
        return -1
    if lowest(near, stones, behind) != man:
        return -1
    after = stones ^ 1 << square ^ 1 << target
    return int(after << 5 | lowest(near, after, square))


def number_of(exact: Any, key: int, count: int) -> int:
    """Return the number of a state; it is `count` if the state was not there, and is entered."""
    place = (key * 0x9E3779B1 >> 7) & (len(exact.slots) - 1)
    while exact.slots[place] != 0:
        if exact.keys[exact.slots[place] - 1] == key:
            return int(exact.slots[place] - 1)
        place = (place + 1) & (len(exact.slots) - 1)
    if count < len(exact.keys):
        exact.slots[place] = count + 1
        exact.keys[count] = key
    return count


def explore(exact: Any, near: Any, goals: int, start: int) -> int:
    """Find all states that the start leads to, and their pushes to a solution; return how many, or -1 if too many."""
    exact.slots[:] = 0
    count, links, state = 0, 0, 0
    count += number_of(exact, start, count) == count
    while state < count:
        for square in range(len(near)):
            for direction in range(4):
                after = after_push(near, exact.keys[state], square, direction)
                if after < 0:
                    continue
                number = number_of(exact, after, count)
                if number >= len(exact.keys) or links >= len(exact.links):
                    return -1
                count = max(count, number + 1)
                exact.links[links, 0], exact.links[links, 1] = state, number
                links += 1
        state += 1
    for state in range(count):
        exact.pushes[state] = 0 if exact.keys[state] >> 5 & ~goals == 0 else NEVER
    changed = True
    while changed:
        changed = False
        for link in range(links - 1, -1, -1):
            further = exact.pushes[exact.links[link, 1]] + 1
            if further < exact.pushes[exact.links[link, 0]]:
                exact.pushes[exact.links[link, 0]] = further
                changed = True
    return count


def place_stones(work: Any, stones: int, man: int) -> None:
    """Set the position of an enhanced search."""
    board, facts, number = work.board, work.facts, 0
    facts[KEY], facts[OFF_GOAL] = 0, 0
    for square in range(len(work.maze)):
        board[AT, square] = 0
        if stones >> square & 1:
            board[AT, square] = number + 1
            board[SQUARE, number] = square
            facts[KEY] ^= work.hashes[0, square]
            facts[OFF_GOAL] += work.maze[square, GOAL] < 0
            number += 1
    facts[STONES] = number
    work.kept[0, work.kept.shape[1] - 1] = man


def count_claim(counts: Any, detector: int, claimed: bool, solvable: bool) -> None:
    """Count what a detector said of a state."""
    if claimed:
        counts[detector, CLAIMS] += 1
        if solvable:
            counts[detector, FALSE_ALARMS] += 1
    if not solvable:
        counts[detector, DEAD] += 1


def judge_states(work: Any, exact: Any, near: Any, count: int, counts: Any) -> None:
    """Ask each detector about each state and each push of a level, and count claims and false alarms."""
    for state in range(count):
        stones, man, pushes = exact.keys[state] >> 5, exact.keys[state] & 31, exact.pushes[state]
        place_stones(work, stones, man)
        bound = estimate(work, 0, 0)
        count_claim(counts, MATCHING, bound > pushes or bound >= INFEASIBLE, pushes < NEVER)
        walk(work, man)
        corral = find_corral(work) and pushes > 0
        kept = False
        for square in range(len(near)):
            for direction in range(4):
                after = after_push(near, exact.keys[state], square, direction)
                if after < 0:
                    continue
                further = exact.pushes[number_of(exact, after, count)]
                target = near[square, direction]
                if corral:
                    walk(work, man)
                    find_corral(work)
                    kept = kept or (goes_in(work, square, target) and further + 1 == pushes)
                if work.maze[target, LIVE] == 0:
                    continue
                solvable = further < NEVER
                count_claim(counts, FREEZE, freezes(work, square, target), solvable)
                count_claim(counts, WINDOWS, is_window_dead(work, square, target, direction), solvable)
                move = move_of(square, target, direction, 0, 1)
                make(work, 0, move)
                walk(work, square)
                least = estimate(work, 1, move)
                if least < INFEASIBLE:
                    gained = pair_penalty(work, 1)
                    count_claim(counts, PAIRS, gained > 0, least + gained > further and solvable)
                    investigate(work, 1, move, 0)
                    dearer = penalty(work, 1)
                    count_claim(counts, PATTERNS, dearer >= INFEASIBLE, solvable)
                    if dearer < INFEASIBLE:
                        count_claim(counts, PENALTIES, dearer > 0, least + dearer > further)
                unmake(work, 0, move)
        if corral:
            count_claim(counts, CORRALS, not kept, pushes < NEVER)


def judged(
    games: Iterable[Any], learning: bool = True, target: Literal["cpu", "interpreted"] = "cpu"
) -> tuple[dict[str, dict[str, int]], int, int]:
    """Return what each detector claimed on levels, the number of levels judged, and that of their states.

    Levels without a solution, and too large ones, are not judged.
    With `learning`, each push is followed by a pattern search.
    """
    use = ("inertia", "deadlocks", "freeze", "corrals", "pair-database", *(("patterns",) if learning else ()))
    control = "patterns.ratio=1000000,patterns.choice=0" if learning else ""
    exact, counts = new_exact(), np.zeros((len(DETECTORS), 3), np.int64)
    levels, states, kernels = 0, 0, None
    for game in games:
        level, rules = game.maze, game.enhanced()
        unused = () if learning else ("investigate", "penalty")
        named = {name: function for name, function in rules.names().items() if name not in unused}
        names = jit.Names(named, target, None)
        if kernels is None:
            kernels = jit.bind(explore, names), jit.bind(judge_states, names), jit.bind(estimate, names)
        near = np.array(level.near, np.int64)
        count = kernels[0](exact, near, bits_of(level.goals), first_key(level))
        if count < 0 or exact.pushes[0] >= NEVER:
            continue
        controls = chosen_controls((*FRAME, *rules.known), use, (), control)
        work = rules.work(game.start(), controls, 2)
        kernels[2](work, 0, 0)
        rules.prepare(work, controls, names)
        work.controls[PAIR_DATABASE] = 0  # what pairs gain is asked for apart from what is learnt
        kernels[1](work, exact, near, count, counts)
        levels, states = levels + 1, states + int(count)
    return told_of(DETECTORS, counts), levels, states


def told_of(detectors: Sequence[str], counts: Any) -> dict[str, dict[str, int]]:
    """Return the counts of each detector by name."""
    words = ("claims", "false alarms", "deadlocks")
    return {name: dict(zip(words, map(int, row), strict=True)) for name, row in zip(detectors, counts, strict=True)}


def first_key(level: Any) -> int:
    """Return the key of a level's start."""
    return bits_of(level.stones) << 5 | normal_man(level.near, level.stones, level.man)


def bits_of(squares: Iterable[int]) -> int:
    """Return a bit set of squares."""
    return sum(1 << square for square in squares)
