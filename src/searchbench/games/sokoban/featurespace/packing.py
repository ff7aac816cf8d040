"""The plan of packing: the order in which goals are filled, found backwards by pulling stones out of the full goals.

In each step the stone goes that the fewest pulls bring to a square where a stone stands at the start; it is filled last.
"""

from __future__ import annotations

from typing import Any, Final

GOAL: Final = 4
TAKEN, SEEN, WAITING, STONE, MAN, LENGTH, VISITED = range(7)
"""Rows of the scratch space: the stones, where the man was, his queue, the queue of pulls, and places that were met."""


def spread(maze: Any, scratch: Any, man: int, mark: int) -> int:
    """Mark where the man can walk; return how many squares."""
    scratch[SEEN, man] = mark
    scratch[WAITING, 0] = man
    head, tail = 0, 1
    while head < tail:
        here = scratch[WAITING, head]
        head += 1
        for direction in range(4):
            there = maze[here, direction]
            if there >= 0 and scratch[SEEN, there] != mark and scratch[TAKEN, there] == 0:
                scratch[SEEN, there] = mark
                scratch[WAITING, tail] = there
                tail += 1
    return tail


def pull_out(maze: Any, bases: Any, scratch: Any, square: int, man: int, mark: int) -> tuple[int, int, int]:
    """Return the pulls that bring a stone to a base, where the man stands then, and the next free mark; -1 if there is no way."""
    scratch[TAKEN, square] = 0
    for place in range(4 * len(maze)):
        scratch[VISITED, place] = 0
    scratch[STONE, 0], scratch[MAN, 0], scratch[LENGTH, 0] = square, man, 0
    head, tail, found, stands = 0, 1, -1, -1
    while head < tail and found < 0:
        here, walker, length = scratch[STONE, head], scratch[MAN, head], scratch[LENGTH, head]
        head += 1
        if head > 1 and scratch[VISITED, 4 * here + direction_to(maze, here, walker)] == 1:
            continue
        scratch[TAKEN, here] = 1
        mark += 1
        spread(maze, scratch, walker, mark)
        scratch[TAKEN, here] = 0
        for direction in range(4):
            beside = maze[here, direction]
            if beside < 0 or scratch[SEEN, beside] != mark:
                continue
            scratch[VISITED, 4 * here + direction] = 1
            beyond = maze[beside, direction]
            if beyond < 0 or scratch[TAKEN, beyond] != 0:
                continue
            if scratch[VISITED, 4 * beside + direction] != 0 or tail >= 4 * len(maze):
                continue
            scratch[STONE, tail], scratch[MAN, tail], scratch[LENGTH, tail] = beside, beyond, length + 1
            tail += 1
            if bases[beside] != 0 and scratch[TAKEN, beside] == 0:
                found, stands = length + 1, beyond
                break
    scratch[TAKEN, square] = 1
    return found, stands, mark


def direction_to(maze: Any, square: int, neighbour: int) -> int:
    """Return the direction of a neighbour, 0 if it is none."""
    for direction in range(4):
        if maze[square, direction] == neighbour:
            return direction
    return 0


def find_plan(maze: Any, goals: Any, bases: Any, order: Any, zones: Any, scratch: Any) -> None:
    """Write the goals in the order of filling, and for each number of filled goals the squares from which no other is reached."""
    count, mark = len(goals), 1
    for goal in range(count):
        scratch[TAKEN, goals[goal]] = 1
    man, most = -1, 0
    for square in range(len(maze)):
        if scratch[TAKEN, square] == 0 and scratch[SEEN, square] == 0:
            size = spread(maze, scratch, square, mark)
            if size > most:
                man, most = square, size
    for left in range(count - 1, -1, -1):
        chosen, least, after = -1, 1 << 30, man
        for goal in range(count):
            if scratch[TAKEN, goals[goal]] == 0 or man < 0:
                continue
            pulls, stands, mark = pull_out(maze, bases, scratch, goals[goal], man, mark)
            if 0 <= pulls < least:
                chosen, least, after = goal, pulls, stands
        if chosen < 0:  # no plan from here on: any order
            for goal in range(count):
                if scratch[TAKEN, goals[goal]] != 0:
                    chosen = goal
        order[left] = goals[chosen]
        scratch[TAKEN, goals[chosen]] = 0
        man = after
    for filled in range(len(zones)):
        find_zone(maze, order, filled, zones, scratch)


def find_zone(maze: Any, order: Any, filled: int, zones: Any, scratch: Any) -> None:
    """Mark the squares from which no goal is reached that is not among the filled ones."""
    queue, taken = scratch[WAITING], scratch[TAKEN]
    for square in range(len(maze)):
        taken[square] = 0
        zones[filled, square] = 1
    tail = 0
    for place in range(len(order)):
        if place < filled:
            taken[order[place]] = 1
        else:
            zones[filled, order[place]] = 0
            queue[tail] = order[place]
            tail += 1
    head = 0
    while head < tail:
        here = queue[head]
        head += 1
        for direction in range(4):
            before = maze[here, direction]
            if before < 0 or taken[before] != 0 or zones[filled, before] == 0:
                continue
            man = maze[before, direction]
            if man >= 0 and taken[man] == 0:
                zones[filled, before] = 0
                queue[tail] = before
                tail += 1
