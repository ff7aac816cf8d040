"""Threats of a game of lines as operators, and forced sequences found by dependency (Allis 1994, sections 4.3.2 and 4.3.3).

An attribute is a cell with its content: the attacker's stone, the defender's, or none. An operator fills a line but for one
cell and has the answer there. What the defender's answers threaten is looked at when a goal is found: the operators of its
class are put into an order in which each of her threats is answered at once, with further attacks in between if need be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from searchbench.errors import BadRequest
from searchbench.solvers.dependency.search import search_by_dependency
from searchbench.solvers.dependency.system import Attribute, Operator, State, System

ATTACKER, DEFENDER, EMPTY = "attacker", "defender", "empty"
GOAL: Final = "a line with one cell to fill"
Content = tuple[int, str]
"""An attribute: a cell and its content."""
_ORDERS: Final = 2_000
"""Orders that are tried for the operators of one class."""


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
    lines: Sequence[Sequence[int]], owners: Sequence[int], attacker: int, together: int = 2, nodes: int = 3_000
) -> list[Attack] | None:
    """Return a sequence of attacks that wins for the player to move, or None where none is found.

    `together` and `nodes` are those of :func:`search_by_dependency`. Some sequences are missed: those whose classes need more
    nodes together, and those in which attacks that answer a threat lead nowhere else. Raises BadRequest.
    """
    if attacker not in (1, 2) or any(owner not in (0, 1, 2) for owner in owners):
        raise BadRequest("expected the attacker 1 or 2, and for each cell 0 (empty), 1 or 2")
    board = _Board(lines, owners, attacker)
    if board.completions(attacker):
        return [Attack(board.completions(attacker)[0], None)]
    found = search_by_dependency(line_system(lines, owners, attacker), together, nodes)
    for node in found.solutions:
        sequence = board.ordered([_cells(operator) for operator in node.path[:-1]])
        if sequence is not None:
            return sequence
    return None


def _cells(operator: Operator) -> tuple[int, int]:
    """Return the attack and the answer of an operator."""
    contents: dict[str, int] = {one[1]: one[0] for one in operator.add if isinstance(one, tuple)}
    return contents[ATTACKER], contents[DEFENDER]


class _Board:
    """A position on which sequences are replayed."""

    def __init__(self, lines: Sequence[Sequence[int]], owners: Sequence[int], attacker: int) -> None:
        self.lines, self.owners, self.attacker = lines, list(owners), attacker

    def completions(self, player: int) -> list[int]:
        """Return the cells where a player completes a line."""
        found = dict.fromkeys(
            next(cell for cell in line if not self.owners[cell])
            for line in self.lines
            if sum(self.owners[cell] == player for cell in line) == len(line) - 1
            and any(not self.owners[cell] for cell in line)
        )
        return list(found)

    def ordered(self, attacks: Sequence[tuple[int, int]]) -> list[Attack] | None:
        """Return the attacks in an order that wins by the rules, with attacks that answer threats in between."""
        self.orders = _ORDERS
        return self._go_on([], list(attacks))

    def _go_on(self, played: list[Attack], left: list[tuple[int, int]]) -> list[Attack] | None:
        if self.orders == 0:
            return None
        self.orders -= 1
        threatened = self.completions(3 - self.attacker)
        if len(threatened) > 1:
            return None
        attacks = [one for one in left if not threatened or one[0] == threatened[0]]
        for cell in threatened if not attacks else []:
            attacks += [(cell, answer) for answer in self._answers(cell)]
        for cell, answer in attacks:
            if self.owners[cell] or self.owners[answer]:
                continue
            self.owners[cell] = self.attacker
            wins = self.completions(self.attacker)
            if len(wins) > 1:
                self.owners[cell] = 0
                return [*played, Attack(cell, None)]
            if wins == [answer]:
                self.owners[answer] = 3 - self.attacker
                rest = self._go_on([*played, Attack(cell, answer)], [one for one in left if one != (cell, answer)])
                self.owners[answer] = 0
                if rest is not None:
                    self.owners[cell] = 0
                    return rest
            self.owners[cell] = 0
        return None

    def _answers(self, cell: int) -> list[int]:
        """Return the cells that the defender must fill after an attack on a cell, one at most."""
        self.owners[cell] = self.attacker
        wins = self.completions(self.attacker)
        self.owners[cell] = 0
        return wins[:1]
