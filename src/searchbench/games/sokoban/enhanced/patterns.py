"""Pattern search: which few stones make the last push a deadlock, or dearer than the matching says, and patterns learnt from it.

The test maze holds first the stone that was pushed alone. While its solution is no longer than the matching, the stones
that stand in the way of it, of its stones or of its man, are added one by one. If it is longer, the difference is a
penalty; if there is none, the stones are a deadlock. What is found is made minimal, and kept with the squares of
the man that it holds for (Junghanns and Schaeffer 2001, sections 4.1 and 6.3).
"""

from __future__ import annotations

from typing import Any

from searchbench.games.sokoban.enhanced.board import AT, ENTERED, LEARNT, LEFT, ONE_WAY, SQUARE, STONES, UP
from searchbench.games.sokoban.enhanced.controls import (
    OVERESTIMATION,
    PAIR_DATABASE,
    PATTERN_CAPACITY,
    PATTERN_CHOICE,
    PATTERN_EFFORT,
    PATTERN_NODES,
    PATTERN_RATIO,
    PATTERN_SHARE,
    PATTERN_SIZE,
    PATTERNS,
    PERCENT,
)
from searchbench.games.sokoban.enhanced.packing import shuts_out
from searchbench.games.sokoban.enhanced.pairs import pair_penalty
from searchbench.games.sokoban.enhanced.testmaze import (
    COUNTED,
    DEARER,
    INVESTED,
    LARGEST,
    MARK,
    STANDS,
    STONE_WAY,
    TURN,
    USED,
    WAY,
    test_walk,
)
from searchbench.games.sokoban.enhanced.testsearch import (
    DEADLOCK,
    SOLVED,
    outcome_of_test,
)
from searchbench.games.sokoban.rules import FIELD, from_square, to_square
from searchbench.solvers.guided.enhanced.contract import INFEASIBLE

# --- the search for a pattern -----------------------------------------------------------------------------------------


def next_stone(work: Any, size: int, square: int, man: int) -> int:
    """Return the square of the stone to be added: the nearest in the way of the stones, else of the man; or -1."""
    patterns = work.patterns
    way = patterns.counts[WAY]
    for marks in range(2):
        origin = square if marks == 0 else man
        best, least = -1, 1 << 30
        for stone in range(work.facts[STONES]):
            here = work.board[SQUARE, stone]
            in_way = patterns.board[STONE_WAY + marks, here] == way
            for number in range(size):
                in_way = in_way and patterns.chosen[0, number] != here
            if in_way:
                far = abs(patterns.cells[here, 0] - patterns.cells[origin, 0])
                far += abs(patterns.cells[here, 1] - patterns.cells[origin, 1])
                if far < least:
                    best, least = here, far
        if best >= 0:
            return int(best)
    return -1


def is_worth_it(work: Any, square: int, target: int) -> bool:
    """Tell whether a push looks as if it might have made a pattern: near another stone, or where the floor is parted now.

    Near is beside it, beside a square beside it, or two squares off in a row. A pattern has two stones or
    more: the way of a lone one is known.
    """
    board, maze = work.board, work.maze
    if maze[target, ONE_WAY] != 0 and maze[square, ONE_WAY] == 0:
        return True
    for direction in range(4):
        one = maze[target, direction]
        if one >= 0:
            if board[AT, one] != 0:
                return True
            for aside in range(2):
                corner = maze[one, (LEFT if direction < LEFT else UP) + aside]
                if corner >= 0 and board[AT, corner] != 0:
                    return True
            two = maze[one, direction]
            if two >= 0 and board[AT, two] != 0:
                return True
    return False


def investigate(work: Any, row: int, move: int, nodes: int) -> int:
    """Search for patterns that the last push may have made, at the start for those of every stone; return the nodes it took.

    After `nodes` of the search below the position in vain, the pattern searches are longer.
    """
    controls, patterns = work.controls, work.patterns
    if controls[PATTERNS] == 0 or (row > 0 and move >> 3 * FIELD + 2 & 7 != 0):
        return 0
    if work.facts[LEARNT] >= min(controls[PATTERN_CAPACITY], len(patterns.size)):
        return 0
    square, target, spent = from_square(move), to_square(move), 0
    if nodes > 0:
        effort = nodes * controls[PATTERN_SHARE] // 100
        spent = grow(work, row, target, effort, effort // 4) if row > 0 and effort > controls[PATTERN_EFFORT] else 0
        return spent
    if patterns.counts[INVESTED] > controls[PATTERN_RATIO] * (work.facts[ENTERED] + 100):
        return 0
    if row == 0:
        for stone in range(work.facts[STONES]):
            spent += grow(work, row, work.board[SQUARE, stone], controls[PATTERN_EFFORT], controls[PATTERN_NODES])
    elif controls[PATTERN_CHOICE] == 0 or is_worth_it(work, square, target):
        spent = grow(work, row, target, controls[PATTERN_EFFORT], controls[PATTERN_NODES])
    else:
        return 0
    patterns.counts[INVESTED] += spent
    return max(spent, 1)


def grow(work: Any, row: int, first: int, effort: int, limit: int) -> int:
    """Add stones one by one to a test maze that begins with that of a square, and learn from it; return the nodes it took.

    No test maze takes more than `limit` nodes, and none begins after `effort` in all.
    """
    patterns = work.patterns
    man = work.kept[row, work.kept.shape[1] - 1]
    size, spent, known = 1, 0, 0
    patterns.chosen[0, 0] = first
    while spent < effort:
        outcome = outcome_of_test(work, 0, size, man, limit)
        spent += patterns.counts[USED]
        penalty = INFEASIBLE if outcome == DEADLOCK else patterns.counts[DEARER]
        following = next_stone(work, size, first, man) if outcome == SOLVED else -1
        if penalty > 0 and not (size > 1 and known == penalty):
            known = penalty if outcome != DEADLOCK else 0
            for place in range(size):
                patterns.chosen[1, place] = patterns.chosen[0, place]
            spent += learn(work, row, size, penalty, limit)
        if following < 0 or size >= min(work.controls[PATTERN_SIZE], LARGEST):
            break
        patterns.chosen[0, size] = following
        size += 1
    return spent


def learn(work: Any, row: int, size: int, penalty: int, limit: int) -> int:
    """Keep the pattern of some stones, and what it was before the moves of the path, as long as it was one; return the nodes.

    Where all ways on from a position are dearer for the same reason, the position itself is, and most often many before it.
    """
    kept, spent = work.kept, 0
    last = kept.shape[1] - 1
    while True:
        size, nodes = make_minimal(work, size, kept[row, last], penalty, limit)
        spent += nodes
        keep_pattern(work, size, kept[row, last], penalty)
        known = True
        while known:
            if row == 0:
                return int(spent)
            take_back(work, row, size)
            row -= 1
            known = is_known(work, size, kept[row, last])
        outcome = outcome_of_test(work, 1, size, kept[row, last], limit)
        spent += work.patterns.counts[USED]
        penalty = INFEASIBLE if outcome == DEADLOCK else work.patterns.counts[DEARER]
        if penalty == 0:
            return int(spent)


def take_back(work: Any, row: int, size: int) -> None:
    """Put the stone of a pattern that the move to a row has moved back to where it stood."""
    chosen, kept, last = work.patterns.chosen[1], work.kept, work.kept.shape[1] - 1
    for place in range(size):
        if chosen[place] == kept[row, last - 1]:
            chosen[place] = kept[row, last - 2]


def make_minimal(work: Any, size: int, man: int, penalty: int, limit: int) -> tuple[int, int]:
    """Leave stones of a pattern out, the last ones first, as long as it is as dear; return how many are left, and the nodes."""
    patterns = work.patterns
    spent, left = 0, size
    place = left - 1
    while place >= 0 and left > 1:
        gone = patterns.chosen[1, place]
        patterns.chosen[1, place] = patterns.chosen[1, left - 1]
        outcome = outcome_of_test(work, 1, left - 1, man, limit)
        spent += patterns.counts[USED]
        if outcome == DEADLOCK or (penalty < INFEASIBLE and patterns.counts[DEARER] >= penalty):
            left -= 1
        else:
            patterns.chosen[1, left - 1] = patterns.chosen[1, place]
            patterns.chosen[1, place] = gone
        place -= 1
    return left, spent


def is_known(work: Any, size: int, man: int) -> bool:
    """Tell whether a pattern of the same stones holds for the man already."""
    patterns = work.patterns
    for place in range(size):
        number = patterns.head[patterns.chosen[1, place]]
        while number >= 0:
            same = patterns.size[number] == size and patterns.area[number, man] != 0
            for one in range(size):
                found = False
                for other in range(size):
                    found = found or patterns.stones[number, one] == patterns.chosen[1, other]
                same = same and found
            if same:
                return True
            number = patterns.next[number]
    return False


def keep_pattern(work: Any, size: int, man: int, penalty: int) -> None:
    """Keep a pattern, in the list of that of its squares which has the fewest."""
    patterns = work.patterns
    number = work.facts[LEARNT]
    if number >= len(patterns.size) or is_known(work, size, man):
        return
    chosen = patterns.chosen[1, 0]
    for place in range(size):
        square = patterns.chosen[1, place]
        patterns.stones[number, place] = square
        patterns.board[STANDS, square] = 1
        if patterns.board[COUNTED, square] < patterns.board[COUNTED, chosen]:
            chosen = square
    test_walk(work, man)
    turn = patterns.counts[TURN]
    for square in range(patterns.board.shape[1]):
        patterns.area[number, square] = patterns.board[MARK, square] == turn
    for place in range(size):
        patterns.board[STANDS, patterns.chosen[1, place]] = 0
    patterns.size[number], patterns.penalty[number] = size, penalty
    patterns.next[number] = patterns.head[chosen]
    patterns.head[chosen] = number
    patterns.board[COUNTED, chosen] += 1
    work.facts[LEARNT] += 1


# --- what was learnt --------------------------------------------------------------------------------------------------


def matches(work: Any, pattern: int, man: int) -> bool:
    """Tell whether the stones of a pattern stand, and the man is where it holds."""
    patterns = work.patterns
    if patterns.area[pattern, man] == 0:
        return False
    for place in range(patterns.size[pattern]):
        if work.board[AT, patterns.stones[pattern, place]] == 0:
            return False
    return True


def penalty(work: Any, row: int) -> int:
    """Return what pairs and the patterns learnt add to the matching, the larger of the two, or that stones are shut out."""
    if shuts_out(work, row):
        return INFEASIBLE
    has_pairs = work.controls[PAIR_DATABASE] != 0 and len(work.pairs.gains) == len(work.maze)
    pairs = pair_penalty(work, row) if has_pairs else 0
    return pairs if pairs >= INFEASIBLE else max(pairs, penalty_learnt(work, row))


def penalty_learnt(work: Any, row: int) -> int:
    """Return the penalties of disjoint patterns, or an overestimate of all together."""
    patterns, controls = work.patterns, work.controls
    if controls[PATTERNS] == 0 or work.facts[LEARNT] == 0:
        return 0
    man = work.kept[row, work.kept.shape[1] - 1]
    found, most = 0, patterns.taken.shape[1]
    for stone in range(work.facts[STONES]):
        pattern = patterns.head[work.board[SQUARE, stone]]
        while pattern >= 0:
            if matches(work, pattern, man):
                if patterns.penalty[pattern] >= INFEASIBLE:
                    return INFEASIBLE
                if found < most:
                    patterns.taken[0, found] = pattern
                    found += 1
            pattern = patterns.next[pattern]
    if found == 0:
        return 0
    for square in range(most):
        patterns.taken[1, square] = 0
    if controls[OVERESTIMATION] != 0:
        return partial_penalties(work, found)
    total = 0
    for _ in range(found):
        best, largest = -1, 0
        for place in range(found):
            pattern = patterns.taken[0, place]
            if pattern < 0 or patterns.penalty[pattern] <= largest:
                continue
            best, largest = place, patterns.penalty[pattern]
        if best < 0:
            break
        pattern = patterns.taken[0, best]
        patterns.taken[0, best] = -1
        free = True
        for place in range(patterns.size[pattern]):
            free = free and patterns.taken[1, patterns.stones[pattern, place]] == 0
        if free:
            total += patterns.penalty[pattern]
            for place in range(patterns.size[pattern]):
                patterns.taken[1, patterns.stones[pattern, place]] = 1
    return int(total)


def partial_penalties(work: Any, found: int) -> int:
    """Return the sum of the largest share of a penalty that a pattern offers to each stone, times a percentage, made even."""
    patterns = work.patterns
    for place in range(found):
        pattern = patterns.taken[0, place]
        share = 1000 * patterns.penalty[pattern] // patterns.size[pattern]
        for number in range(patterns.size[pattern]):
            square = patterns.stones[pattern, number]
            patterns.taken[1, square] = max(patterns.taken[1, square], share)
    total = 0
    for square in range(patterns.taken.shape[1]):
        total += patterns.taken[1, square]
    return int((total * work.controls[PERCENT] // 100 + 1000) // 2000 * 2)
