"""Threats of a game of lines as operators, and forced sequences found by dependency (Allis 1994, sections 4.3.2 and 4.3.3).

An attribute is a cell with its content: the attacker's stone, the defender's, or none. An operator fills a line but for one
cell and has the answer there. As a system of operators they show the thesis' framework, which leaves the defender's threats out;
`forced_sequence` searches the same classes by compiled code that answers them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.solvers.dependency.classes import NO_CELL, WINNING, attack_by_dependency, classes_on
from searchbench.solvers.dependency.system import Attribute, Operator, State, System

ATTACKER, DEFENDER, EMPTY = "attacker", "defender", "empty"
GOAL: Final = "a line with one cell to fill"
Content = tuple[int, str]
"""An attribute: a cell and its content."""


class Attack(NamedTuple):
    """A move of the attacker, and the defender's answer; the last attack has several answers, none of which suffices."""

    cell: int
    answer: int | None


def line_attributes(cells: int) -> list[Content]:
    """Return all attributes of a board."""
    return [(cell, content) for cell in range(cells) for content in (ATTACKER, DEFENDER, EMPTY)]


def line_operators(lines: Iterable[Sequence[int]]) -> Iterator[Operator]:
    """Yield the operators of all lines: the cell that the attacker fills, and that of the answer, in both orders."""
    for line in lines:
        for attack in line:
            for answer in line:
                if answer != attack:
                    yield line_operator(tuple(line), attack, answer)


def line_operator(line: tuple[int, ...], attack: int, answer: int) -> Operator:
    """Return the operator that fills a line but for the cell of the answer."""
    own = frozenset[Attribute]((cell, ATTACKER) for cell in line if cell not in (attack, answer))
    used = frozenset[Attribute](((attack, EMPTY), (answer, EMPTY)))
    made = frozenset[Attribute](((attack, ATTACKER), (answer, DEFENDER)))
    return Operator(f"{attack}/{answer} in {min(line)}-{max(line)}", own | used, made, used)


def line_goals(lines: Iterable[Sequence[int]]) -> Iterator[State]:
    """Yield the goals: a line filled by the attacker but for one cell, which is empty."""
    for line in lines:
        for last in line:
            yield frozenset[Attribute]((cell, EMPTY if cell == last else ATTACKER) for cell in line)


def line_system(lines: Sequence[Sequence[int]], owners: Sequence[int], attacker: int) -> System:
    """Return the attacks on a board as a system; `owners` has 0 for an empty cell and the player of each stone.

    The one goal is an attribute that further operators add where a line lacks one cell: so the system is singular.
    """
    through: list[list[tuple[int, ...]]] = [[] for _ in owners]
    for line in lines:
        for cell in line:
            through[cell].append(tuple(line))
    everywhere = list(dict.fromkeys(line for found in through for line in found))
    made: dict[tuple[tuple[int, ...], int, int], Operator] = {}

    def operator(line: tuple[int, ...], attack: int, answer: int) -> Operator:
        if (line, attack, answer) not in made:
            made[line, attack, answer] = (
                line_operator(line, attack, answer) if attack != answer else completing(line, answer)
            )
        return made[line, attack, answer]

    def operators(state: State, among: AbstractSet[Attribute]) -> Iterator[Operator]:
        near: list[tuple[int, ...]] = everywhere
        if among:
            cells = [attribute[0] for attribute in among if isinstance(attribute, tuple)]
            near = list(dict.fromkeys(line for cell in cells for line in through[cell]))
        for line in near:
            empty = [cell for cell in line if (cell, EMPTY) in state]
            if len(empty) in (1, 2) and all((cell, DEFENDER) not in state for cell in line):
                for attack, answer in zip(empty, reversed(empty), strict=True):
                    yield operator(line, attack, answer)

    def meet(one: Attribute, other: Attribute) -> bool:
        if not (isinstance(one, tuple) and isinstance(other, tuple)) or DEFENDER in (one[1], other[1]):
            return one == other
        return one == other or (one[0] != other[0] and any(other[0] in line for line in through[one[0]]))

    contents = (EMPTY, *((ATTACKER, DEFENDER) if attacker == 1 else (DEFENDER, ATTACKER)))
    initial = frozenset[Attribute]((cell, contents[owner]) for cell, owner in enumerate(owners))
    return System(initial, operators, (frozenset[Attribute]({GOAL}),), meet)


def completing(line: tuple[int, ...], last: int) -> Operator:
    """Return the operator that adds the goal where a line lacks one cell."""
    needs = frozenset[Attribute]((cell, EMPTY if cell == last else ATTACKER) for cell in line)
    return Operator(f"complete {min(line)}-{max(line)} at {last}", needs, frozenset({GOAL}))


def forced_sequence(
    lines: Sequence[Sequence[int]], owners: Sequence[int], attacker: int, nodes: int = 3_000, target: jit.Target = "cpu"
) -> list[Attack] | None:
    """Return a sequence of attacks that wins for the player to move, or None where at most so many nodes find none.

    The search is that of :mod:`searchbench.solvers.dependency.classes`; a None is no proof. Raises BadRequest.
    """
    if attacker not in (1, 2) or any(owner not in (0, 1, 2) for owner in owners):
        raise BadRequest("expected the attacker 1 or 2, and for each cell 0 (empty), 1 or 2")
    for line in lines:
        contents = [owners[cell] for cell in line]
        if contents.count(attacker) == len(line) - 1 and 0 in contents:
            return [Attack(line[contents.index(0)], None)]
    board = classes_on(lines, len(owners), nodes)
    if not jit.bind(attack_by_dependency, jit.Names({}, target))(board, np.array(owners, np.int64), attacker):
        return None
    played = board.played[: board.note[WINNING]].tolist()
    return [Attack(cell, None if answer == NO_CELL else answer) for cell, answer in played]
