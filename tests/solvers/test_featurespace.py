"""Feature-space search: the machinery against its twin on another puzzle, Sokoban against breadth-first search and the judge."""

from __future__ import annotations

import gc
import random
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import naive_featurespace
from naive_sokoban import Maze, Node, random_level
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest, Exhausted, LimitReached, Unsolvable
from searchbench.games.sokoban import Sokoban
from searchbench.games.sokoban.enhanced.corral import find_corral
from searchbench.games.sokoban.enhanced.work import length
from searchbench.games.sokoban.featurespace import BACKWARD, GUIDED, base
from searchbench.games.sokoban.featurespace.position import KEY_COLUMN, MOVE
from searchbench.games.sokoban.rules import normal_man, stones_of
from searchbench.run import Limits, Run
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.featurespace.contract import (
    RATINGS,
    SCORE,
    follow,
    restore,
    score_position,
    write_macros,
)
from searchbench.solvers.guided.featurespace.kernel import (
    ADVISORS,
    BEST,
    FRESH,
    MET,
    NONE,
    NOTES,
    OWN,
    OWNER_BITS,
    POSITION_BYTES,
    POSITIONS,
    SHIFT,
    STATUS,
    enter,
    explore,
    meld,
    moves_before,
    moves_to,
    new_perimeter,
    new_tree,
    owner_of,
    rest_of,
)
from searchbench.solvers.guided.featurespace.strategy import Searching
from searchbench.solvers.guided.featurespace.turns import PERIMETER, perimeter_size
from searchbench.solvers.guided.task import EXHAUSTED, FOUND
from searchbench.verify.lurd import replay

MICROBAN = str(Path(__file__).parent.parent / "golden" / "sokoban_microban.xsb")

# --- pancakes: a move turns over the first ones; `banned` sizes cannot be turned, so that some stacks are unsolvable -------


class Stack(NamedTuple):
    """Hold the stack in hand and the sizes that cannot be turned."""

    now: Any
    banned: Any


def _key(stack: Any) -> int:
    found = 0
    for one in stack:
        found = 8 * found + int(one)
    return found


def _score(stack: Any) -> int:
    """Return the stack's features: pancakes that are not in place from the bottom, and gaps."""
    count, left, gaps = len(stack), len(stack), 0
    while left > 0 and stack[left - 1] == left - 1:
        left -= 1
    for place in range(1, count):
        gaps += abs(stack[place] - stack[place - 1]) != 1
    return 0 if left == 0 else left << 4 | gaps


def _turned(stack: Any, size: int) -> list[int]:
    return [*stack[:size][::-1], *stack[size:]]


def _rows(stack: Any, banned: Any) -> list[naive_featurespace.Row]:
    found: list[naive_featurespace.Row] = []
    before = _score(stack)
    for size in range(2, len(stack) + 1):
        if size not in banned:
            after = _turned(list(stack), size)
            score = _score(after)
            ratings = (score if score >> 4 < before >> 4 else -1, score & 15 if score & 15 < before & 15 else -1)
            found.append((size, score, _key(after), ratings))
    return found


def _restore(work: Any, position: Any) -> int:
    work.now[:] = position
    return _key(position)


def _follow(work: Any, position: Any, move: int, out: Any) -> None:
    out[:] = _turned(position.tolist(), move)


def _score_position(work: Any) -> int:
    return _score(work.now)


def _write_macros(work: Any, score: int, out: Any) -> int:
    rows = _rows(work.now.tolist(), set(work.banned.tolist()))
    for number, (move, after, key, ratings) in enumerate(rows):
        out[number, MOVE], out[number, SCORE], out[number, KEY_COLUMN] = move, after, key
        out[number, RATINGS:] = ratings
    return len(rows)


def test_the_machinery_does_what_its_twin_does() -> None:
    names = jit.Names(
        {"restore": _restore, "follow": _follow, "score_position": _score_position, "write_macros": _write_macros},
        "interpreted",
        None,
    )
    chance, ends = random.Random(5), set()
    for round_ in range(40):
        stack = list(range(chance.randint(3, 6)))
        chance.shuffle(stack)
        banned = chance.sample(range(2, len(stack) + 1), chance.randint(0, 2))
        work = Stack(np.zeros(len(stack), np.int64), np.array(banned, np.int64))
        tree, note = new_tree(len(stack), 2, 1 << 14, 8), np.zeros(NOTES, np.int64)
        note[ADVISORS], note[SHIFT], note[FRESH] = 2, 4, round_ % 2
        nowhere, roots, stop = (new_perimeter(1), new_perimeter(1)), np.array([stack], np.int64), 0
        while note[STATUS] not in (FOUND, EXHAUSTED):
            stop += 7  # pauses change nothing
            jit.bind(explore, names)(work, tree, *nowhere, roots, note, stop)
        moves, looked = naive_featurespace.search(
            stack,
            _key,
            _score,
            lambda one, b=banned: _rows(one, b),  # type: ignore[misc]
            _turned,
            4,
            round_ % 2 == 1,
        )
        ends.add(moves is None)
        assert (note[STATUS] == EXHAUSTED) == (moves is None), (stack, banned)
        assert max(int(note[POSITIONS]), 1) == looked, (stack, banned)
        if moves is not None:
            assert [move for move, _ in moves_to(tree, int(note[BEST]))] == moves, (stack, banned)
            for size in moves:
                stack = _turned(stack, size)
            assert stack == sorted(stack)
    assert ends == {False, True}


def test_searches_from_both_ends_meet() -> None:
    """The search backwards turns stacks over as well, from the sorted one; their halves sort the stack."""
    chance, met = random.Random(6), 0
    forward = {"restore": _restore, "follow": _follow, "score_position": _score_position, "write_macros": _write_macros}
    back = forward | {"score_position": _back_score, "write_macros": _write_back}
    names = [jit.Names(one, "interpreted", None) for one in (forward, back)]
    for _ in range(30):
        stack = list(range(6))
        chance.shuffle(stack)
        works = [Stack(np.zeros(6, np.int64), np.zeros(0, np.int64)) for _ in range(2)]
        trees, notes = [new_tree(6, 2, 1 << 14, 8) for _ in range(2)], [np.zeros(NOTES, np.int64) for _ in range(2)]
        perimeters, roots = [new_perimeter(1 << 10) for _ in range(2)], [[stack], [sorted(stack)]]
        for side, note in enumerate(notes):
            note[ADVISORS], note[SHIFT], note[OWN] = 2, 4, side << OWNER_BITS
        side, stop = 1, 0
        while notes[side][STATUS] != FOUND:
            side, stop = 1 - side, stop + 5
            own, other = perimeters[side], perimeters[1 - side]
            begun = np.array(roots[side], np.int64)
            jit.bind(explore, names[side])(works[side], trees[side], own, other, begun, notes[side], stop)
        note = notes[side]
        halves = [[move for move, _ in moves_to(trees[side], int(note[BEST]))], []]
        if note[MET] != NONE:
            met += 1
            assert note[MET] >> OWNER_BITS == 1 - side
            place = int(note[MET]) & ((1 << OWNER_BITS) - 1)
            halves[1] = [move for move, _ in moves_before(trees[1 - side], place)]
        for move in (*halves[side], *halves[1 - side][::-1]):
            stack = _turned(stack, move)
        assert stack == sorted(stack)
    assert met > 10, met


def _back_score(work: Any) -> int:
    return 1 + sum(abs(int(one) - place) for place, one in enumerate(work.now))


def _write_back(work: Any, score: int, out: Any) -> int:
    count = _write_macros(work, score, out)
    for number in range(count):
        after = _turned(work.now.tolist(), int(out[number, MOVE]))
        out[number, SCORE] = 1 + sum(abs(one - place) for place, one in enumerate(after))
        out[number, RATINGS:] = -1
    return count


# --- many lost positions ---------------------------------------------------------------------------------------------------

NUMBERS, BRANCHES, LIVING = 5003, 6, 11


class Number(NamedTuple):
    """Hold the number in hand."""

    now: Any


def _next(number: int, move: int) -> int:
    return (BRANCHES * number + move + 1) % NUMBERS


def _restore_number(work: Any, position: Any) -> int:
    work.now[0] = position[0]
    return int(position[0]) + 1


def _follow_number(work: Any, position: Any, move: int, out: Any) -> None:
    out[0] = _next(int(position[0]), move)


def _score_number(work: Any) -> int:
    return 1 + int(work.now[0]) % 7


def _write_numbers(work: Any, score: int, out: Any) -> int:
    for move in range(BRANCHES):
        after = _next(int(work.now[0]), move)
        out[move, :4] = move, 1 + after % 7, after + 1, -1
    return BRANCHES


def _is_lost_number(work: Any) -> bool:
    return bool(work.now[0] % LIVING > 1)


def test_a_search_ends_where_it_meets_more_lost_positions_than_it_has_room_for() -> None:
    own = {
        "restore": _restore_number, "follow": _follow_number, "score_position": _score_number,
        "write_macros": _write_numbers, "is_lost": _is_lost_number,
    }  # fmt: skip
    tree, note = new_tree(1, 1, 8192, BRANCHES), np.zeros(NOTES, np.int64)
    note[ADVISORS] = 1
    perimeters = new_perimeter(1), new_perimeter(1)
    names = jit.Names(own, "interpreted", None)
    jit.bind(explore, names)(
        Number(np.zeros(1, np.int64)), tree, *perimeters, np.zeros((1, 1), np.int64), note, 100_000
    )
    kept, lost = [0], set[int]()
    for number in kept:  # which grows
        for after in (_next(number, move) for move in range(BRANCHES)):
            if after % LIVING > 1:
                lost.add(after)
            elif after not in kept:
                kept.append(after)
    assert len(lost) > len(tree.keys), "all would not have room"
    assert note[STATUS] == EXHAUSTED
    assert sorted(tree.positions[: note[POSITIONS], 0]) == sorted(kept)


def test_perimeters_take_an_eighth_of_the_memory_at_most() -> None:
    for memory in (1, 1 << 20, 20_000_000, 1 << 30, 1 << 35):
        for threads in (1, 2, 16):
            size = perimeter_size(memory, threads)
            assert size == 1 or 2 * threads * POSITION_BYTES * size <= memory // 8
            assert size == PERIMETER or 4 * threads * POSITION_BYTES * size > memory // 8
            assert size & (size - 1) == 0
    assert perimeter_size(1 << 30, 2) == PERIMETER


def test_a_perimeter_knows_what_was_entered_until_it_is_full() -> None:
    chance, perimeter = random.Random(7), new_perimeter(1 << 8)
    known: dict[int, int] = {}
    for owner in range(200):
        key = chance.getrandbits(62)
        known.setdefault(key, owner)
        enter(perimeter, key, owner)
    assert all(owner_of(perimeter, key) in (owner, NONE) for key, owner in known.items())
    assert sum(owner_of(perimeter, key) == owner for key, owner in known.items()) > 190
    assert owner_of(perimeter, chance.getrandbits(62)) == NONE
    full = new_perimeter(1)
    enter(full, 5, 1)
    enter(full, 6, 2)
    assert (owner_of(full, 5), owner_of(full, 6)) == (1, NONE)


def test_a_heap_gives_its_moves_in_order() -> None:
    chance = random.Random(1)
    tree = new_tree(1, 0, 256, 4)
    tree.first[:], tree.next[:] = NONE, NONE

    root, waiting = NONE, []
    for one in range(200):
        tree.orders[one] = chance.randint(0, 30)
        root = one if root == NONE else meld(tree, root, one)
        waiting.append((int(tree.orders[one]), one))
        if chance.random() < 0.4:
            assert root == min(waiting)[1]
            waiting.remove(min(waiting))
            root = rest_of(tree, root)
    for _, one in sorted(waiting):
        assert root == one
        root = rest_of(tree, root)
    assert root == NONE


# --- Sokoban ---------------------------------------------------------------------------------------------------------


def _node(game: Sokoban, maze: Maze, position: Any) -> Node:
    """Return a position as a node of the twin."""
    cells = game.maze.cells
    top = min(y for y, _ in maze.free) - min(y for y, _ in cells)
    left = min(x for _, x in maze.free) - min(x for _, x in cells)
    place = [(y + top, x + left) for y, x in cells]
    stones = frozenset(place[square] for square in stones_of(position))
    return stones, maze.area(place[int(position[-1])], stones)


def _pushed_on(maze: Maze, node: Node) -> set[Node]:
    """Return the nodes that pushes of one stone alone lead to."""
    found: set[Node] = set()
    for stone in node[0]:
        others = node[0] - {stone}
        seen, waiting = {node}, [node]
        while waiting:
            for after in maze.successors(waiting.pop()):
                if others <= after[0] and after not in seen:
                    seen.add(after)
                    waiting.append(after)
        found |= seen
    return found - {node}


def test_macro_moves_lose_no_solution_and_scores_belong_to_positions() -> None:
    chance, kept, corrals = random.Random(11), 0, 0
    for _ in range(25):
        text = random_level(chance, chance.choice((2, 3)), (4, 5))
        game, maze = Sokoban(text), Maze(text)
        _, good = maze.solvable()
        rules = game.feature_space()
        names = jit.Names(dict(rules.names(GUIDED)), "interpreted", None)
        work = rules.work(game.start(), names, GUIDED)
        position = np.array(rules.roots(game.start())[0], np.int64)
        jit.bind(restore, names)(work, position)
        score = jit.bind(score_position, names)(work)
        rows = np.zeros((rules.most, RATINGS + rules.advisors), np.int64)
        count = jit.bind(write_macros, names)(work, score, rows)
        reached = set()
        for row in rows[:count]:
            after = np.zeros_like(position)
            jit.bind(follow, names)(work, position, int(row[MOVE]), after)
            assert jit.bind(restore, names)(work, after) == row[KEY_COLUMN], text
            assert jit.bind(score_position, names)(work) == row[SCORE], text
            reached.add(_node(game, maze, after))
            steps = rules.steps(game.start(), [int(row[MOVE])])
            state = game.start()
            for step in steps:
                assert step in game.moves(state), text
                state = game.play(state, step)
            man = normal_man(game.maze.near, stones_of(after.tolist()), int(after[-1]))
            assert (state[:-1], state[-1]) == (after[:-1].tolist(), man), text
        possible = _pushed_on(maze, maze.start())
        assert len({int(row[KEY_COLUMN]) for row in rows[:count]}) == len(reached), text
        assert reached <= possible, text
        jit.bind(restore, names)(work, position)
        if jit.bind(find_corral, names)(work.base):  # only the moves into it are left
            corrals += 1
            assert reached & good or maze.start() not in good or maze.start()[0] <= maze.goals, text
        else:
            assert not (possible - reached) & good, text
        kept += count
    assert kept > 60
    assert corrals > 2


@pytest.mark.parametrize("strategy", [GUIDED, BACKWARD])
def test_single_moves_have_room_however_far_other_stones_can_go(strategy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Sokoban("########\n#      #\n# $ $  #\n#   @  #\n# $ .  #\n# .  . #\n########")

    def single() -> tuple[set[int], int]:
        rules = game.feature_space()
        names = jit.Names(dict(rules.names(strategy)), "interpreted", None)
        work = rules.work(game.start(), names, strategy)
        jit.bind(restore, names)(work, np.array(rules.roots(game.start(), strategy)[0], np.int64))
        rows = np.zeros((rules.most, RATINGS + rules.advisors), np.int64)
        count = jit.bind(write_macros, names)(work, jit.bind(score_position, names)(work), rows)
        return {int(row[MOVE]) for row in rows[:count] if length(int(row[MOVE])) == 1}, count

    moves, count = single()
    monkeypatch.setattr(base, "MOST", 1)
    few, room = single()
    assert few == moves
    assert len(moves) < room <= 12 < count


@pytest.mark.parametrize("most", [base.MOST, 1])
def test_every_solvable_small_level_is_solved_and_no_other(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST", most)  # with room for single pushes and pulls alone, too
    chance, ends = random.Random(3), set()
    for round_ in range(40):
        text = random_level(chance, chance.choice((1, 2)), (4, 5), solvable=round_ % 2 == 0)
        game = Sokoban(text)
        solvable = Maze(text).least_pushes() is not None
        ends.add(solvable)
        if not solvable:
            with pytest.raises(Unsolvable):
                search_state(game, None, "featurespace", target="interpreted")
            continue
        line = search_state(game, None, "featurespace", target="interpreted")
        assert replay(text, game.solution(line.moves)).fault == "", text
        assert line.cost == len(line.moves)
        assert not line.optimal
    assert ends == {False, True}


@pytest.mark.long
def test_levels_of_microban_are_solved_compiled() -> None:
    for number in (1, 18, 33, 100):
        game = Sokoban(f"{MICROBAN}#{number}")
        line = search_state(game, None, "featurespace", limits=Limits(300_000))
        assert line.verify() == []
        assert replay("\n".join(game.text.rows), game.solution(line.moves)).fault == ""
    with pytest.raises(LimitReached):
        search_state(Sokoban(f"{MICROBAN}#144"), None, "featurespace", limits=Limits(2_000))
    with pytest.raises(Exhausted, match="entries"):
        search_state(Sokoban(f"{MICROBAN}#153"), None, "featurespace", entries=10)
    with pytest.raises(Exhausted, match="entries"):  # where no limit is set, the memory ends it, too
        search_state(Sokoban(f"{MICROBAN}#153"), None, "featurespace", Run(memory=1_000_000))
    with pytest.raises(LimitReached, match="after 10"):  # trials go on: the limit ends them
        search_state(Sokoban(f"{MICROBAN}#153"), None, "featurespace", entries=10, limits=Limits(100_000))


def test_faults_are_told() -> None:
    with pytest.raises(BadRequest, match="supplies no features"):
        search_state(load("sliding:2x2"), None, "featurespace")
    with pytest.raises(BadRequest, match="features guide it"):
        search_state(Sokoban("#1"), None, "featurespace", without="dead")
    with pytest.raises(BadRequest, match="seed -1: expected 0 or more"):
        search_state(Sokoban("#1"), None, "featurespace", seed=-1)


def test_a_search_that_is_over_is_held_by_nobody() -> None:
    """Its arrays are large, and no cycle of references may keep them until the next collection of garbage."""
    gc.collect()
    gc.disable()
    try:
        for limits in (Limits(0), Limits(40)):
            with suppress(LimitReached):
                search_state(load("sokoban:#3"), None, "featurespace", limits=limits, target="interpreted")
        assert not [one for one in gc.get_objects() if isinstance(one, Searching)]
    finally:
        gc.enable()
