"""The search of tables 3.2 to 3.6 of Allis 1994: levels of a dependency stage and a combination stage.

A dependency node is a *key class*: a set of operators that all are there for the last one, the key. Paths count that add no
attribute twice (monotonous ones); order within a class is one of those that can be applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from searchbench.errors import BadRequest
from searchbench.solvers.dependency.system import Attribute, Operator, State, System

ROOT: Final = "root"
DEPENDENCY: Final = "dependency"
COMBINATION: Final = "combination"


@dataclass(frozen=True, eq=False)
class Node:
    """A node: its kind and level, an applicable order of its operators, the state they lead to, and its parents."""

    kind: str
    level: int
    path: tuple[Operator, ...]
    state: State
    keys: tuple[Operator, ...]
    """The last operator of a dependency node, those of all parents of a combination, none of the root."""
    parents: tuple[Node, ...] = ()
    operators: frozenset[Operator] = frozenset()
    needed: frozenset[Attribute] = frozenset()
    deleted: frozenset[Attribute] = frozenset()
    added: frozenset[Attribute] = frozenset()


@dataclass
class Dependencies:
    """The graph of a search, in the order in which nodes were made, and the nodes that reach a goal."""

    system: System
    nodes: list[Node] = field(default_factory=list)
    solutions: list[Node] = field(default_factory=list)
    levels: int = 0
    """Levels with a new node; the root is on none of them."""
    complete: bool = False
    """Whether the search ended because a level added no node, not at a limit or at the first solution."""

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of nodes of each kind."""
        return {kind: sum(node.kind == kind for node in self.nodes) for kind in (ROOT, DEPENDENCY, COMBINATION)}

    def verify(self) -> list[str]:
        """Replay the paths to all solutions from the initial state; return the faults, none if all is well."""
        faults = []
        for node in self.solutions:
            try:
                if not self.system.solved(self.system.replay(node.path)):
                    faults.append(f"the path {[one.name for one in node.path]} leads to no goal")
            except BadRequest as error:
                faults.append(str(error))
        return faults


def search_by_dependency(
    system: System, together: int = 2, nodes: int = 0, levels: int = 0, first: bool = False
) -> Dependencies:
    """Search a system by dependency and return the graph with the solutions; nothing extends a solution.

    At most `together` nodes are combined: 2 suffice where no operator depends on more than two others. `nodes` and `levels`
    are limits, 0 for none. With `first`, stop at the first solution. Raises BadRequest.
    """
    if together < 1 or nodes < 0 or levels < 0:
        raise BadRequest("together must be 1 or more, and the limits nodes and levels 0 (none) or more")
    return _Search(system, together, nodes, levels, first).run()


class _Stop(Exception):
    """End the search: at the first solution, or at a limit."""


class _Search:
    def __init__(self, system: System, together: int, nodes: int, levels: int, first: bool) -> None:
        self.system, self.together, self.nodes, self.levels, self.first = system, together, nodes, levels, first
        self.found = Dependencies(system)
        self.open: list[Node] = []  # dependency nodes that are no solutions
        # The bits of the open nodes that need, delete, add an attribute, hold an operator, or whose key is relied on by it.
        self.needing: dict[Attribute, int] = {}
        self.deleting: dict[Attribute, int] = {}
        self.adding: dict[Attribute, int] = {}
        self.holding: dict[Operator, int] = {}
        self.relying: dict[Attribute, int] = {}
        self.met: dict[Attribute, list[Attribute]] = {}  # attributes that an operator may need together
        self.known: dict[int, int] = {}  # the partners of nodes

    def run(self) -> Dependencies:
        found = self.found
        root = Node(ROOT, 0, (), self.system.initial, ())
        try:
            self.add(root)
            starts = [] if self.system.solved(root.state) else [root]
            level = 0
            while starts:
                if self.levels and level == self.levels:
                    return found
                level += 1
                older = len(self.open)
                for start in starts:
                    self.grow(start, level)
                starts = []
                for number in range(older, len(self.open)):
                    starts += self.combine((self.open[number],), self.partners(number), level)
        except _Stop:
            return found
        found.complete = True
        return found

    def add(self, node: Node) -> None:
        if self.nodes and len(self.found.nodes) == self.nodes:
            raise _Stop
        self.found.nodes.append(node)
        self.found.levels = max(self.found.levels, node.level)
        if node.kind != COMBINATION and self.system.solved(node.state):
            self.found.solutions.append(node)
            if self.first:
                raise _Stop
        elif node.kind == DEPENDENCY:
            for one in relied_on(node):
                self.introduce(one)
            bit = 1 << len(self.open)
            self.open.append(node)
            for bits, holds in (
                (self.needing, node.needed), (self.deleting, node.deleted), (self.adding, node.added),
                (self.relying, relied_on(node)),
            ):  # fmt: skip
                for one in holds:
                    bits[one] = bits.get(one, 0) | bit
            for operator in node.operators:
                self.holding[operator] = self.holding.get(operator, 0) | bit

    def grow(self, start: Node, level: int) -> None:
        """Add what depends on a node, on that, and so on: the dependency stage, depth first."""
        stack = [(start, iter(self.depending(start)))]
        while stack:
            parent, operators = stack[-1]
            operator = next(operators, None)
            if operator is None:
                stack.pop()
                continue
            node = Node(
                DEPENDENCY, level, (*parent.path, operator), operator.apply(parent.state), (operator,), (parent,),
                parent.operators | {operator}, parent.needed | operator.precondition,
                parent.deleted | operator.delete, parent.added | operator.add,
            )  # fmt: skip
            self.add(node)
            if not self.system.solved(node.state):
                stack.append((node, iter(self.depending(node))))

    def depending(self, node: Node) -> list[Operator]:
        """Return the operators that can be applied and depend on every key of a node; all that can for the root."""
        keys = node.keys
        among = keys[0].add | keys[0].precondition if keys else frozenset()
        if keys and not among:
            return []
        return [
            one
            for one in self.system.applicable(node.state, among)
            if all(key.is_parent_of(one) for key in keys)
            and one not in node.operators
            and one.add.isdisjoint(self.system.initial)
            and one.add.isdisjoint(node.added)
        ]

    def combine(self, chosen: tuple[Node, ...], others: int, level: int) -> Iterator[Node]:
        """Add the combinations of chosen nodes with others, the bits of a number, and yield them."""
        if len(chosen) == self.together:
            return
        for number in places(others):
            together = (*chosen, self.open[number])
            node = merged(self.system, together, level)
            if self.depending(node):
                self.add(node)
                yield node
            if len(together) < self.together:
                yield from self.combine(together, others & self.partners(number), level)

    def partners(self, number: int) -> int:
        """Return the bits of the nodes before one that are independent of it and with which an operator may depend on both."""
        if number not in self.known:
            node = self.open[number]
            before = ((1 << number) - 1) & self.meeting(node)
            clash = 0
            for one in node.needed:
                clash |= self.deleting.get(one, 0) | self.adding.get(one, 0)
            for one in node.added:
                clash |= self.needing.get(one, 0) | self.adding.get(one, 0)
            for one in node.deleted:
                clash |= self.needing.get(one, 0)
            sharing = 0
            for operator in node.operators:
                sharing |= self.holding.get(operator, 0)
            found = before & ~clash & ~sharing
            for other in places(before & sharing):
                if independent(node, self.open[other]):
                    found |= 1 << other
            self.known[number] = found
        return self.known[number]

    def introduce(self, attribute: Attribute) -> None:
        """Note which attributes that were relied on before an operator may need together with this one."""
        if attribute in self.met:
            return
        meet = self.system.meet
        self.met[attribute] = [other for other in self.met if meet is None or meet(attribute, other)]
        for other in self.met[attribute]:
            self.met[other].append(attribute)
        self.met[attribute].append(attribute)

    def meeting(self, node: Node) -> int:
        """Return the bits of the nodes of which a key's attribute may be needed together with one of this node's key."""
        found = 0
        for one in relied_on(node):
            for other in self.met[one]:
                found |= self.relying[other]
        return found


def places(bits: int) -> Iterator[int]:
    """Yield the places of the bits that are set, from the lowest."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def relied_on(node: Node) -> frozenset[Attribute]:
    """Return the attributes by which an operator can depend on a node's key: what that adds, and what it needs and leaves."""
    key = node.keys[0]
    return (key.add | key.precondition) - node.deleted


def independent(one: Node, other: Node) -> bool:
    """Tell whether two nodes that share operators can be merged, and neither holds what the other depends on.

    No operator of one alone may support, precede or add the same as one of the other alone. Where one precedes another, the
    merge is the class of another node.
    """
    if one.keys[0] in other.operators or other.keys[0] in one.operators:
        return False
    need, _, add = _sets(one.operators - other.operators)
    need2, _, add2 = _sets(other.operators - one.operators)
    # What precedes a shared operator is in both, or the class of that operator is another in the merge.
    return (
        need.isdisjoint(other.deleted)
        and need2.isdisjoint(one.deleted)
        and add.isdisjoint(need2)
        and add2.isdisjoint(need)
        and add.isdisjoint(add2)
    )


def _sets(operators: frozenset[Operator]) -> tuple[State, State, State]:
    empty: State = frozenset()
    return (
        empty.union(*(one.precondition for one in operators)),
        empty.union(*(one.delete for one in operators)),
        empty.union(*(one.add for one in operators)),
    )


def merged(system: System, nodes: tuple[Node, ...], level: int) -> Node:
    """Return the combination of independent nodes."""
    path = tuple(dict.fromkeys(operator for node in nodes for operator in node.path))
    deleted = frozenset[Attribute]().union(*(node.deleted for node in nodes))
    added = frozenset[Attribute]().union(*(node.added for node in nodes))
    return Node(
        COMBINATION, level, path, (system.initial | added) - deleted, tuple(node.keys[0] for node in nodes), nodes,
        frozenset(path), frozenset[Attribute]().union(*(node.needed for node in nodes)), deleted, added,
    )  # fmt: skip
