"""Jams: stones that keep each other and the man from moving, found by a search in which free stones vanish.

A stone is *loose* if the man can push it to the next square and back. Loose stones are taken off, again and again; the stones
that are left are a *jam*. All pushes in it are searched, and stones that they make loose are taken off as well. Where no way
leads to a jam with all its stones on goals, the position is lost: any solution holds a solution of that search, as taking
stones off never hurts. So where a push only takes stones off, and the man can still go everywhere, nothing else need be tried.

Lost jams are kept as *patterns*: the fewest stones that are lost alone, and where the man may be.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.games.sokoban.enhanced.base import Base
from searchbench.games.sokoban.enhanced.board import (
    AT,
    GENERATION,
    GOAL,
    LIVE,
    MARK,
    QUEUE,
    SQUARE,
    STONES,
    flood,
    has_row_beside,
    walk,
)
from searchbench.games.sokoban.enhanced.controls import JAM_EFFORT
from searchbench.games.sokoban.enhanced.freeze import hold
from searchbench.games.sokoban.enhanced.windows import is_window_dead
from searchbench.games.sokoban.rules import BITS
from searchbench.hashing import mix
from searchbench.jit import trailing_zeros

TIMES: Final = 10
"""A search for a jam that is met again and again takes so many times the usual effort, and so small a part of it one where most
are in vain: after more than `PATIENCE` jams, and further ones for each that was found lost."""
PATIENCE: Final = 20_000
OFTEN: Final = 16
"""How often a jam is met before the long search."""
CACHE: Final = 1 << 16
RARE: Final = 20
TRIED: Final = 500
SELDOM: Final = 8
"""Where less than one in `RARE` positions after a push is told lost, only one in `SELDOM` is asked, but for the first; and
of those whose last push is not told, where most searches are in vain."""
MOST_PATTERNS: Final = 4096
MOST_STONES: Final = 16
"""The stones of a pattern, at most."""
ANY, FIRST = range(2)
"""The rows of `heads`."""
DEAD, OPEN, UNKNOWN = -2, -1, 1
"""What a search finds; a larger number tells how often a jam of unknown fate was met."""
PROBED, WALK, GROUP, BACK = range(12, 16)
"""Further rows of the board: where the man looked for a way round a stone, his queue, the group of a stone, and the queue of the
walk that meets his."""
PROBES, PATTERNS, LINKS, LOOKED, VAIN, LOST_JAMS, ASKED, TOLD, SEEN = range(9)
"""What stands in `counts`: the ways that were looked for, the patterns, and their links; the jams that searches looked at, those
of searches that found nothing lost, and the lost jams that were found; the positions asked, and those after a push told lost;
the jams that the last search has seen."""
ALL: Final = -2
LEAST: Final = -1
"""The rows of `frames` with all stones of the position, and with the fewest known to be lost."""


class Jams(NamedTuple):
    """Hold a board for jams, the path of a search (stones, the man's squares, the push to try), and what is known of jams.

    `seen` has the hashes of the jams of a search, `places` where they stand there.
    `patterns[p]` has the squares of the stones of a pattern in order, and then -1; `areas[p]` marks where the man may be.
    `links` chain patterns, each row with a pattern, the next row, and the squares of two stones to look for first:
    `heads[ANY, s]` begins the chain of those that have a stone on a square, `heads[FIRST, s]` of those whose first one it is.
    """

    base: Base
    counts: Any
    frames: Any
    seen: Any
    places: Any
    verdicts: Any
    patterns: Any
    areas: Any
    heads: Any
    links: Any


def new_jams(base: Base, used: bool = True) -> Jams:
    """Return the arrays for the level of a search, where they are `used`."""
    squares = len(base.maze)
    words = -(-squares // BITS)
    most = TIMES * int(base.controls[JAM_EFFORT]) if used else 1
    known, keys, patterns = (CACHE, 1 << (2 * most).bit_length(), MOST_PATTERNS) if used else (1, 1, 1)
    return Jams(
        base._replace(board=np.zeros_like(base.board), facts=np.zeros_like(base.facts)), np.zeros(SEEN + 1, np.int64),
        np.zeros((most + 4, 2 * words + 1), np.int64), np.zeros(keys, np.int64),
        np.zeros(keys, np.int32), np.zeros((2, known), np.int64),
        np.full((patterns, MOST_STONES), -1, np.int32), np.zeros((patterns, squares), np.uint8),
        np.full((2, squares), -1, np.int32), np.zeros((patterns * (MOST_STONES + 1), 4), np.int32),
    )  # fmt: skip


def has_dead_jam(base: Any, jams: Jams, man: int, moved: int) -> bool:
    """Tell whether the position is lost: it holds a pattern, or stones that are near each other are a lost jam, or all are.

    Where a stone has `moved` to a square, not -1, what holds without it was asked of the position before.
    """
    if has_pattern(base, jams, moved, man) if moved >= 0 else has_any_pattern(base, jams, man):
        return True
    return is_found_lost(base, jams, man, moved)


def is_found_lost(base: Any, jams: Jams, man: int, moved: int) -> bool:
    """Tell whether searches find stones that are near each other to be a lost jam, or all stones of the position."""
    board, stands, group = base.board, jams.base.board[AT], jams.base.board[GROUP]
    for square in range(len(stands)):
        stands[square] = board[AT, square] != 0
    if not loosen(jams.base, jams, man) or (moved >= 0 and stands[moved] == 0):
        return False
    write_frame(jams, jams.frames[ALL])
    groups = number_groups(jams.base)
    for number in range(1, groups + 1):
        if moved >= 0 and group[moved] != number:
            continue
        for square in range(len(stands)):
            stands[square] = group[square] == number
        if is_lost_jam(jams, man):
            return True
    if groups > 1:
        put_up(jams, jams.frames[ALL])
    return groups > 1 and is_lost_jam(jams, man)


def tells_dead(work: Any, jams: Jams, man: int, moved: int) -> bool:
    """Tell whether the position after a push holds a lost jam; where few do, only some positions are asked."""
    counts = jams.counts
    counts[ASKED] += 1
    if counts[ASKED] > RARE * (counts[TOLD] + TRIED) and counts[ASKED] % SELDOM != 0:
        return False
    found = has_dead_jam(work, jams, man, moved)
    counts[TOLD] += found
    return found


def holds_lost_jam(base: Any, jams: Jams, man: int) -> bool:
    """Tell whether a position holds a lost jam; where searches do not pay, only some positions are asked for unknown ones."""
    if has_any_pattern(base, jams, man):
        return True
    jams.counts[ASKED] += 1
    if jams.counts[ASKED] % SELDOM != 0 and not is_worthwhile(jams):
        return False
    return is_found_lost(base, jams, man, -1)


def number_groups(jam: Base) -> int:
    """Give stones up to two steps apart the same number, from 1 on; return how many groups there are."""
    maze, stands, group, queue = jam.maze, jam.board[AT], jam.board[GROUP], jam.board[WALK]
    count = 0
    for square in range(len(maze)):
        group[square] = 0
    for square in range(len(maze)):
        if stands[square] == 0 or group[square] != 0:
            continue
        count += 1
        group[square] = count
        queue[0] = square
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for step in range(20):  # a neighbour, or a neighbour's neighbour
                there = maze[here, step & 3]
                if there >= 0 and step >= 4:
                    there = maze[there, (step >> 2) - 1]
                if there >= 0 and stands[there] != 0 and group[there] == 0:
                    group[there] = count
                    queue[tail] = there
                    tail += 1
    return count


def is_lost_jam(jams: Jams, man: int) -> bool:
    """Tell whether the stones that stand are known to be lost, or are found lost, and learnt then."""
    if not loosen(jams.base, jams, man):
        return False
    key = key_of(jams)
    slot = mix(key) & (CACHE - 1)
    if jams.verdicts[0, slot] != key:
        jams.verdicts[0, slot], jams.verdicts[1, slot] = key, 0
    met = jams.verdicts[1, slot]
    if met == 0 or met == OFTEN:
        counts, effort, pays = jams.counts, jams.base.controls[JAM_EFFORT], is_worthwhile(jams)
        before = counts[LOOKED]
        if met == 0:
            found = searched(jams, man, effort if pays else effort // TIMES)
        else:
            found = searched(jams, man, TIMES * effort if pays else effort)
        jams.verdicts[1, slot] = met + UNKNOWN if found == UNKNOWN else found
        looked = counts[LOOKED] - before
        if found == DEAD:
            counts[LOST_JAMS] += 1
            learn(jams, man, min(effort, 2 * looked + effort // TIMES))
        else:
            counts[VAIN] += looked
    elif met > 0:
        jams.verdicts[1, slot] += 1
    return bool(jams.verdicts[1, slot] == DEAD)


def is_worthwhile(jams: Jams) -> bool:
    """Tell whether searches have found enough lost jams for all that they looked at in vain."""
    counts = jams.counts
    return bool(counts[VAIN] <= PATIENCE + jams.base.controls[JAM_EFFORT] * counts[LOST_JAMS])


# --- the search ------------------------------------------------------------------------------------------------------


def loosen(jam: Base, jams: Jams, man: int) -> bool:
    """Take off loose stones, and mark where the man can go; tell whether a stone is left off the goals."""
    maze, stands, seen, queue = jam.maze, jam.board[AT], jam.board[MARK], jam.board[QUEUE]
    walk(jam, man)
    changed = True
    while changed:
        changed = False
        for square in range(len(maze)):
            if stands[square] != 0 and is_loose(jam, jams, square):
                stands[square] = 0
                flood(maze, stands, seen, queue, square, jam.facts[GENERATION])  # the man goes on from there
                changed = True
    for square in range(len(maze)):
        if stands[square] != 0 and maze[square, GOAL] < 0:
            return True
    return False


def is_loose(jam: Base, jams: Jams, square: int) -> bool:
    """Tell whether the man can push a stone to a neighbouring square and back."""
    maze, stands, seen, generation = jam.maze, jam.board[AT], jam.board[MARK], jam.facts[GENERATION]
    for direction in range(4):
        behind, target = maze[square, direction ^ 1], maze[square, direction]
        if behind < 0 or target < 0 or seen[behind] != generation or stands[target] != 0 or maze[target, LIVE] == 0:
            continue
        beyond = maze[target, direction]
        if beyond >= 0 and stands[beyond] == 0:
            stands[square], stands[target] = 0, 1
            found = has_row_beside(maze, stands, square, target, beyond, direction)
            found = found or has_way(jam, jams, square, beyond)
            stands[square], stands[target] = 1, 0
            if found:
                return True
    return False


def has_way(jam: Base, jams: Jams, man: int, goal: int) -> bool:
    """Tell whether the man can walk from a square to another: walks from both meet, or one of them is soon at its end."""
    board = jam.board
    jams.counts[PROBES] += 2
    mark = jams.counts[PROBES]
    board[PROBED, man], board[PROBED, goal] = mark, mark + 1
    board[WALK, 0], board[BACK, 0] = man, goal
    head, tail, end = 0, 1, 1
    while head < tail and head < end:
        tail = walk_on(jam, WALK, head, tail, mark, mark + 1)
        if tail < 0:
            return True
        end = walk_on(jam, BACK, head, end, mark + 1, mark)
        if end < 0:
            return True
        head += 1
    return False


def walk_on(jam: Base, row: int, head: int, tail: int, mark: int, other: int) -> int:
    """Go on from the next square of a queue; return its new end, or -1 where the other walk is met."""
    maze, stands, probed, queue = jam.maze, jam.board[AT], jam.board[PROBED], jam.board[row]
    for direction in range(4):
        there = maze[queue[head], direction]
        if there < 0 or probed[there] == mark or stands[there] != 0:
            continue
        if probed[there] == other:
            return -1
        probed[there] = mark
        queue[tail] = there
        tail += 1
    return tail


def key_of(jams: Jams) -> int:
    """Return the hash of the stones that stand and of the lowest square that is marked as the man's."""
    jam = jams.base
    stands, seen = jam.board[AT], jam.board[MARK]
    lowest = 0
    while seen[lowest] != jam.facts[GENERATION]:
        lowest += 1
    key = jam.hashes[1, lowest]
    for square in range(len(stands)):
        if stands[square] != 0:
            key ^= jam.hashes[0, square]
    return int(key)


def searched(jams: Jams, man: int, effort: int) -> int:
    """Search from the stones that stand; return DEAD, OPEN, or UNKNOWN after so many jams.

    In row 0 of the frames is left the smallest jam that the first one is lost with, if it is.
    """
    jam, frames = jams.base, jams.frames
    maze, stands = jam.maze, jam.board[AT]
    forget_seen(jams)
    depth, looked = enter(jams, 0, man), 0
    while depth > 0:
        frame = frames[depth - 1]
        push = next_push(maze, frame)
        frame[len(frame) - 1] = push + 1
        square, direction = push >> 2, push & 3
        if square == len(maze):
            depth -= 1
            continue
        put_up(jams, frame)
        target = int(maze[square, direction])
        stands[square], stands[target] = 0, 1
        if hold(jam, target) == 2 or is_window_dead(jam, square, target, direction):
            continue
        if has_pattern(jam, jams, target, square):
            continue
        if looked == effort:
            return UNKNOWN
        looked += 1
        jams.counts[LOOKED] += 1
        depth = enter(jams, depth, square)
    return DEAD if depth == 0 else OPEN


def next_push(maze: Any, frame: Any) -> int:
    """Return the next push of a frame that the man can make to a square from which a stone can come to a goal.

    A push is 4 times a square plus a direction; that of the square after the last one stands for none.
    """
    words = len(frame) // 2
    push = frame[2 * words]
    while push < 4 * len(maze):
        square, direction = push >> 2, push & 3
        rest = frame[square // BITS] >> square % BITS
        if rest & 1 == 0:
            further = trailing_zeros(rest) if rest != 0 else BITS - square % BITS
            push = min(square + further, len(maze)) << 2
            continue
        behind, target = maze[square, direction ^ 1], maze[square, direction]
        if behind >= 0 and target >= 0 and maze[target, LIVE] != 0:
            is_free = frame[target // BITS] >> target % BITS & 1 == 0
            if is_free and frame[words + behind // BITS] >> behind % BITS & 1 != 0:
                return int(push)
        push += 1
    return int(push)


def forget_seen(jams: Jams) -> None:
    """Forget the jams that the last search has seen."""
    for place in range(jams.counts[SEEN]):
        jams.seen[jams.places[place]] = 0
    jams.counts[SEEN] = 0


def put_up(jams: Jams, frame: Any) -> None:
    """Put up the stones of a frame."""
    stands = jams.base.board[AT]
    for word in range(len(frame) // 2):
        bits, first = frame[word], word * BITS
        for square in range(first, min(first + BITS, len(stands))):
            stands[square] = bits >> (square - first) & 1


def write_frame(jams: Jams, frame: Any) -> None:
    """Write the stones that stand, and the squares where the man can go."""
    board, words, generation = jams.base.board, len(frame) // 2, jams.base.facts[GENERATION]
    stands, seen = board[AT], board[MARK]
    for word in range(words):
        stones = reached = 0
        first = word * BITS
        for square in range(first, min(first + BITS, len(stands))):
            stones |= (stands[square] != 0) << (square - first)
            reached |= (stands[square] == 0 and seen[square] == generation) << (square - first)
        frame[word], frame[words + word] = stones, reached
    frame[2 * words] = 0


def enter(jams: Jams, depth: int, man: int) -> int:
    """Write the jam of the stones that stand onto the path, in place of those that it is part of; return where the path ends.

    That is where it was if the jam was seen before, and -1 if all its stones are on goals.
    """
    frames = jams.frames
    if not loosen(jams.base, jams, man):
        return -1
    write_frame(jams, frames[depth])
    while depth > 0 and is_part(frames, depth):
        copy(frames[depth], frames[depth - 1])
        depth -= 1
    key = key_of(jams)
    place = mix(key) & (len(jams.seen) - 1)
    while jams.seen[place] != 0:
        if jams.seen[place] == key:
            return depth
        place = (place + 1) & (len(jams.seen) - 1)
    jams.seen[place] = key
    jams.places[jams.counts[SEEN]] = place
    jams.counts[SEEN] += 1
    return depth + 1


def copy(frame: Any, other: Any) -> None:
    """Copy a frame to another one."""
    for column in range(len(frame)):
        other[column] = frame[column]


def is_part(frames: Any, depth: int) -> bool:
    """Tell whether a jam is part of the one before it on the path, and the man can go everywhere he could."""
    words = frames.shape[1] // 2
    same = True
    for word in range(words):
        same = same and frames[depth, word] == frames[depth - 1, word]
        if frames[depth, word] & ~frames[depth - 1, word] != 0:
            return False
        if frames[depth - 1, words + word] & ~frames[depth, words + word] != 0:
            return False
    return not same


# --- what is learnt --------------------------------------------------------------------------------------------------


def learn(jams: Jams, man: int, effort: int) -> None:
    """Leave out of the jam in row 0, which is lost, what it does not need, and keep it as a pattern.

    What is left out is told by searches of so many jams each.
    """
    frames, stands = jams.frames, jams.base.board[AT]
    least = frames[LEAST]
    copy(frames[0], least)
    for square in range(len(stands)):
        if least[square // BITS] >> square % BITS & 1 == 0:
            continue
        put_up(jams, least)
        stands[square] = 0
        if searched(jams, man, effort) == DEAD:
            copy(frames[0], least)
    keep(jams, least)


def keep(jams: Jams, frame: Any) -> None:
    """Keep the jam of a frame as a pattern."""
    counts, words, stands = jams.counts, len(frame) // 2, jams.base.board[AT]
    put_up(jams, frame)
    pattern, count = counts[PATTERNS], 0
    for square in range(len(stands)):
        count += stands[square]
    if count > MOST_STONES or pattern == MOST_PATTERNS:
        return
    counts[PATTERNS] += 1
    count = 0
    for square in range(len(stands)):
        jams.areas[pattern, square] = frame[words + square // BITS] >> square % BITS & 1
        if stands[square] != 0:
            jams.patterns[pattern, count] = square
            count += 1
    for stone in range(count):
        chain(jams, ANY, pattern, stone, count)
    chain(jams, FIRST, pattern, 0, count)


def chain(jams: Jams, row: int, pattern: int, stone: int, count: int) -> None:
    """Chain a pattern of so many stones with those that have a stone where one of its own stands."""
    link = jams.links[jams.counts[LINKS]]
    squares = jams.patterns[pattern]
    square = squares[stone]
    link[0], link[1] = pattern, jams.heads[row, square]
    link[2], link[3] = squares[(stone + 1) % count], squares[(stone + 2) % count]
    jams.heads[row, square] = jams.counts[LINKS]
    jams.counts[LINKS] += 1


def has_pattern(base: Any, jams: Jams, square: int, man: int) -> bool:
    """Tell whether the stones on the board, one of them on a square, hold a pattern, the man being on a square."""
    return has_chained(base, jams, jams.heads[ANY, square], man)


def has_any_pattern(base: Any, jams: Jams, man: int) -> bool:
    """Tell whether the stones on the board hold a pattern, the man being on a square."""
    for stone in range(base.facts[STONES]):
        if has_chained(base, jams, jams.heads[FIRST, base.board[SQUARE, stone]], man):
            return True
    return False


def has_chained(base: Any, jams: Jams, link: int, man: int) -> bool:
    """Tell whether the stones on the board hold a pattern of a chain, the man being on a square."""
    at = base.board[AT]
    while link >= 0:
        row = jams.links[link]
        if at[row[2]] != 0 and at[row[3]] != 0 and jams.areas[row[0], man] != 0 and stands_there(base, jams, row[0]):
            return True
        link = row[1]
    return False


def stands_there(base: Any, jams: Jams, pattern: int) -> bool:
    """Tell whether all stones of a pattern are on the board."""
    for stone in range(MOST_STONES):
        square = jams.patterns[pattern, stone]
        if square < 0:
            return True
        if base.board[AT, square] == 0:
            return False
    return True
