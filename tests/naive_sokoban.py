"""Sokoban once more, on dictionaries of characters: an obvious twin for the tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

STEPS = {"u": (-1, 0), "d": (1, 0), "l": (0, -1), "r": (0, 1)}
Place = tuple[int, int]
Node = tuple[frozenset[Place], frozenset[Place]]
"""The stones, and all the places that the man can walk to."""


class Maze:
    """Hold the floor, the goals, the stones and the man of a level in XSB without run lengths."""

    def __init__(self, text: str) -> None:
        marks = {(y, x): mark for y, row in enumerate(text.splitlines()) for x, mark in enumerate(row)}
        self.free = {place for place, mark in marks.items() if mark != "#"}
        self.man = next(place for place, mark in marks.items() if mark in "@+")
        self.goals = frozenset(place for place, mark in marks.items() if mark in ".*+")
        self.stones = frozenset(place for place, mark in marks.items() if mark in "$*")
        self.free = set(self.area(self.man, frozenset()))

    def area(self, man: Place, stones: frozenset[Place]) -> frozenset[Place]:
        """Return where the man can walk."""
        found, waiting = {man}, [man]
        while waiting:
            y, x = waiting.pop()
            for dy, dx in STEPS.values():
                place = y + dy, x + dx
                if place in self.free and place not in stones and place not in found:
                    found.add(place)
                    waiting.append(place)
        return frozenset(found)

    def start(self) -> Node:
        """Return the node of the start."""
        return self.stones, self.area(self.man, self.stones)

    def successors(self, node: Node) -> Iterator[Node]:
        """Yield the nodes after each push."""
        stones, area = node
        for y, x in stones:
            for dy, dx in STEPS.values():
                behind, target = (y - dy, x - dx), (y + dy, x + dx)
                if behind in area and target in self.free and target not in stones:
                    after = (stones - {(y, x)}) | {target}
                    yield after, self.area((y, x), after)

    def layers(self, most: int = 100_000) -> Iterator[list[Node]]:
        """Yield the nodes at each number of pushes from the start."""
        seen, layer = {self.start()}, [self.start()]
        while layer and len(seen) < most:
            yield layer
            further = []
            for node in layer:
                for after in self.successors(node):
                    if after not in seen:
                        seen.add(after)
                        further.append(after)
            layer = further

    def least_pushes(self) -> int | None:
        """Return the least number of pushes, None if there is no solution."""
        for depth, layer in enumerate(self.layers()):
            if any(stones <= self.goals for stones, _ in layer):
                return depth
        return None

    def solvable(self) -> tuple[set[Node], set[Node]]:
        """Return the nodes that the start leads to, and those among them that lead to a solution."""
        nodes = [node for layer in self.layers() for node in layer]
        before: dict[Node, list[Node]] = {node: [] for node in nodes}
        for node in nodes:
            for after in self.successors(node):
                before[after].append(node)
        good = {node for node in nodes if node[0] <= self.goals}
        waiting = list(good)
        while waiting:
            for node in before[waiting.pop()]:
                if node not in good:
                    good.add(node)
                    waiting.append(node)
        return set(nodes), good


class FillingArea:
    """Hold a maze, and the squares, goals and entrances (places with a step) of an area that is filled stone by stone."""

    def __init__(
        self, maze: Maze, squares: set[Place], goals: set[Place], entrances: list[tuple[Place, Place]]
    ) -> None:
        self.maze, self.squares, self.goals, self.entrances = maze, squares, frozenset(goals), entrances

    def reached(self, filled: frozenset[Place], entrance: tuple[Place, Place]) -> set[Place]:
        """Return the goals that a stone just pushed onto an entrance can be pushed to within the area, past filled goals."""
        (y, x), (dy, dx) = entrance
        if (y, x) in filled:
            return set()
        free, self.maze.free = self.maze.free, self.maze.free - filled
        first = frozenset({(y, x)}), self.maze.area((y - dy, x - dx), frozenset({(y, x)}))
        seen, waiting = {first}, [first]
        while waiting:
            for after in self.maze.successors(waiting.pop()):
                if after[0] <= self.squares and after not in seen:
                    seen.add(after)
                    waiting.append(after)
        self.maze.free = free
        return {place for stones, _ in seen for place in stones} & self.goals

    def ways_in(self, stone: Place, man: Place, filled: frozenset[Place]) -> set[Place]:
        """Return the goals to which a lone stone outside comes: to an entrance on the empty floor, then past filled goals."""
        found: set[Place] = set()
        start = frozenset({stone}), self.maze.area(man, frozenset({stone}))
        seen, waiting = {start}, [start]
        for node in waiting:  # which grows
            (before,) = node[0]
            for after in self.maze.successors(node):
                (place,) = after[0]
                arrival = place, (place[0] - before[0], place[1] - before[1])
                if arrival in self.entrances:
                    found |= self.reached(filled, arrival) - filled
                if place not in self.squares and after not in seen:
                    seen.add(after)
                    waiting.append(after)
        return found

    def is_safe(self, filled: frozenset[Place]) -> bool:
        """Tell whether the goals can be filled to the end, in any order from any entrances."""
        return filled == self.goals or any(
            self.is_safe(filled | {goal}) for entrance in self.entrances for goal in self.reached(filled, entrance)
        )

    def offered(self, filled: frozenset[Place], entrance: tuple[Place, Place], losing: bool) -> set[Place]:
        """Return the safe goals for a stone at an entrance: those that leave all entrances of use, or that make one useless."""
        of_use = [one for one in self.entrances if self.reached(filled, one)]
        return {
            goal
            for goal in self.reached(filled, entrance)
            if self.is_safe(after := filled | {goal})
            and losing == (after != self.goals and not all(self.reached(after, one) for one in of_use))
        }


def random_level(
    chance: random.Random, stones: int = 2, size: tuple[int, int] = (5, 6), solvable: bool = True, spare: int = 0
) -> str:
    """Return a random small level: the stones are pulled away from the goals, or stand anywhere if it need not be solvable.

    There are `spare` goals more than stones.
    """
    height, width = size
    while True:
        walls = chance.choice((0.1, 0.2, 0.3))
        inside = {(y, x) for y in range(1, height + 1) for x in range(1, width + 1) if chance.random() >= walls}
        if not inside:
            continue
        area = _component(inside, chance.choice(sorted(inside)))
        if len(area) < 2 * (stones + spare) + 2:
            continue
        places = sorted(area)
        goals = chance.sample(places, stones + spare)
        standing = _pulled(chance, area, goals[:stones]) if solvable else chance.sample(places, stones + 1)
        rows = [["#"] * (width + 2) for _ in range(height + 2)]
        for y, x in places:
            rows[y][x] = "." if (y, x) in goals else " "
        for y, x in standing[1:]:
            rows[y][x] = "*" if (y, x) in goals else "$"
        y, x = standing[0]
        rows[y][x] = "+" if (y, x) in goals else "@"
        return "\n".join("".join(row) for row in rows)


def _pulled(chance: random.Random, area: set[Place], goals: list[Place]) -> list[Place]:
    """Return the man and the stones after a random walk with pulls from the goals."""
    man = chance.choice(sorted(area - set(goals)))
    stones = set(goals)
    for _ in range(150):
        dy, dx = chance.choice(list(STEPS.values()))
        there, behind = (man[0] + dy, man[1] + dx), (man[0] - dy, man[1] - dx)
        if there not in area or there in stones:
            continue
        if behind in stones and chance.random() < 0.7:
            stones.remove(behind)
            stones.add(man)
        man = there
    return [man, *sorted(stones)]


def _component(inside: set[Place], first: Place) -> set[Place]:
    found, waiting = {first}, [first]
    while waiting:
        y, x = waiting.pop()
        for dy, dx in STEPS.values():
            place = y + dy, x + dx
            if place in inside and place not in found:
                found.add(place)
                waiting.append(place)
    return found


def pushes_of(level: Any, text: str) -> list[tuple[int, int]]:
    """Return the pushes of a solution in LURD, each as a square of the level and a direction, counted as in `STEPS`."""
    stones, man, found = set(level.stones), level.man, []
    for letter in text.lower():
        direction = [*STEPS].index(letter)
        target = level.near[man][direction]
        if target in stones:
            stones.remove(target)
            stones.add(level.near[target][direction])
            found.append((target, direction))
        man = target
    return found
