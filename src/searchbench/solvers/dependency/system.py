"""Systems of operators on sets of attributes, and the relations between operators (Allis 1994, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from searchbench.errors import BadRequest

Attribute = Hashable
State = frozenset[Attribute]
Instances = Callable[[State, AbstractSet[Attribute]], Iterable["Operator"]]


@dataclass(frozen=True)
class Operator:
    """An operator: it needs `precondition`, removes `delete`, a part of it, and then adds `add`. Raises BadRequest."""

    name: str
    precondition: State
    add: State
    delete: State = frozenset()

    def __post_init__(self) -> None:
        if extra := self.delete - self.precondition:
            raise BadRequest(
                f"operator {self.name!r} deletes {sorted(map(repr, extra))}, which it does not need: add it to the precondition"
            )

    def __hash__(self) -> int:
        return hash((self.name, self.add))

    def apply(self, state: State) -> State:
        """Return the state after the operator."""
        return (state - self.delete) | self.add

    def supports(self, other: Operator) -> bool:
        """Tell whether this operator adds something that the other needs."""
        return not self.add.isdisjoint(other.precondition)

    def precedes(self, other: Operator) -> bool:
        """Tell whether the other operator deletes something that this one needs."""
        return not self.precondition.isdisjoint(other.delete)

    def is_parent_of(self, other: Operator) -> bool:
        """Tell whether this operator supports or precedes the other: the other depends on it, or must come later."""
        return self.supports(other) or self.precedes(other)


@dataclass(frozen=True)
class System:
    """An initial state, operators, and goals: sets of attributes, of which a solved state contains one.

    `operators(state, among)` yields the operators that can be applied to the state and need an attribute of `among`; it may
    yield others that can be applied. With `among` the empty set it yields all that can be applied.
    """

    initial: State
    operators: Instances
    goals: Sequence[State] = ()
    meet: Callable[[Attribute, Attribute], bool] | None = None
    """Whether an operator may need both attributes, in any order, and true of one with itself: only such nodes are combined."""

    def solved(self, state: State) -> bool:
        """Tell whether a state contains a goal."""
        return any(goal <= state for goal in self.goals)

    @property
    def singular(self) -> bool:
        """Tell whether every goal is one attribute: then no solution of a monotonous system is missed."""
        return all(len(goal) == 1 for goal in self.goals)

    def applicable(self, state: State, among: AbstractSet[Attribute] = frozenset()) -> list[Operator]:
        """Return the operators that can be applied to a state, each once; with `among`, those that need one of these.

        Raises BadRequest if the system yields an operator that cannot be applied.
        """
        found = list(dict.fromkeys(self.operators(state, among)))
        for operator in found:
            if not operator.precondition <= state:
                raise BadRequest(
                    f"the system yields operator {operator.name!r} for a state without its precondition: "
                    "yield only operators that can be applied"
                )
        return [one for one in found if not among or not one.precondition.isdisjoint(among)]

    def replay(self, path: Iterable[Operator]) -> State:
        """Return the state after a path from the initial state. Raises BadRequest where an operator cannot be applied."""
        state = self.initial
        for place, operator in enumerate(path, 1):
            if not operator.precondition <= state:
                raise BadRequest(f"operator {place} of the path, {operator.name!r}, cannot be applied")
            state = operator.apply(state)
        return state

    def monotonous(self, path: Sequence[Operator]) -> bool:
        """Tell whether a path adds no attribute twice, none of the initial state, and uses no operator twice."""
        seen = set(self.initial)
        for operator in path:
            if not operator.add.isdisjoint(seen):
                return False
            seen |= operator.add
        return len(set(path)) == len(path)


def explicit_system(initial: Iterable[Attribute], operators: Iterable[Operator], goals: Iterable[State] = ()) -> System:
    """Return the system of a list of operators."""
    listed = tuple(operators)
    users: dict[Attribute, list[Operator]] = {}
    for operator in listed:
        for attribute in operator.precondition:
            users.setdefault(attribute, []).append(operator)

    def instances(state: State, among: AbstractSet[Attribute]) -> Iterable[Operator]:
        asked = [one for attribute in among for one in users.get(attribute, ())] if among else listed
        return [one for one in asked if one.precondition <= state]

    def meet(one: Attribute, other: Attribute) -> bool:
        return one == other or any(other in user.precondition for user in users.get(one, ()))

    return System(frozenset(initial), instances, tuple(goals), meet)
