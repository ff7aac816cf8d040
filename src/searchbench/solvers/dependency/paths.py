"""Plain searches of a system of operators: all paths, all states, all classes of paths (Allis 1994, sections 3.3 to 3.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from searchbench.errors import BadRequest
from searchbench.solvers.dependency.system import Operator, State, System


@dataclass(frozen=True)
class Paths:
    """The result of a plain search: nodes made, the solved states, and whether it came to its end."""

    nodes: int
    solved: frozenset[State]
    complete: bool


@dataclass(frozen=True)
class Classes:
    """How many paths there are, and the sets of operators of their classes; a class of paths has one set."""

    paths: int
    classes: frozenset[frozenset[Operator]]
    keys: frozenset[frozenset[Operator]]
    """The classes whose paths all end with the same operator, and that of the empty path."""
    redundant: int
    """How many paths extend a solution."""


def search_paths(system: System, transpositions: bool = False, nodes: int = 0) -> Paths:
    """Search a system depth first; every path is a node, or, with `transpositions`, every state.

    Nothing extends a solution. `nodes` is a limit, 0 for none: the search stops as soon as it has made more. Without
    transpositions, only paths that add nothing twice count, as in the search by dependency. Raises BadRequest.
    """
    if nodes < 0:
        raise BadRequest("the limit nodes must be 0 (none) or more")
    made = 1
    solved: set[State] = set()
    seen = {system.initial}
    stack: list[tuple[State, frozenset[Operator], State]] = [(system.initial, frozenset(), system.initial)]
    while stack:
        state, used, history = stack.pop()
        if system.solved(state):
            solved.add(state)
            continue
        for operator in system.applicable(state):
            after = operator.apply(state)
            if transpositions:
                if after in seen:
                    continue
                seen.add(after)
                stack.append((after, used, history))
            else:
                if operator in used or not operator.add.isdisjoint(history):
                    continue
                stack.append((after, used | {operator}, history | operator.add))
            made += 1
            if nodes and made > nodes:
                return Paths(made, frozenset(solved), False)
    return Paths(made, frozenset(solved), True)


def enumerate_classes(system: System) -> Classes:
    """Enumerate all paths that add nothing twice, extensions of solutions too, and sort them into classes.

    The number of paths grows with the factorial of the operators: this is for small systems.
    """
    last: dict[frozenset[Operator], set[Operator]] = {frozenset(): set()}
    paths = redundant = 0
    for path, extends in _extensions(system, (), system.initial, False):
        paths += 1
        redundant += extends
        last.setdefault(frozenset(path), set()).update(path[-1:])
    keys = frozenset(operators for operators, ends in last.items() if len(ends) <= 1)
    return Classes(paths, frozenset(last), keys, redundant)


def _extensions(
    system: System, path: tuple[Operator, ...], state: State, extends: bool
) -> Iterator[tuple[tuple[Operator, ...], bool]]:
    yield path, extends
    extends = extends or system.solved(state)
    for operator in system.applicable(state):
        if system.monotonous((*path, operator)):
            yield from _extensions(system, (*path, operator), operator.apply(state), extends)
