"""Value rules: the meaning of values, and how they follow from the successors' values."""

from searchbench.errors import BadRequest
from searchbench.values.bound import Bound
from searchbench.values.distance import Depth, Distance
from searchbench.values.ending import Ending, Won
from searchbench.values.outcome import OUTCOMES, Outcome, Result
from searchbench.values.reached import Reached
from searchbench.values.rule import BFS, FIXPOINT, RETROGRADE, SWEEP, Value, ValueRule
from searchbench.values.score import Score

__all__ = [
    "BFS", "FIXPOINT", "OUTCOMES", "RETROGRADE", "SHIPPED", "SWEEP", "Bound", "Depth", "Distance", "Ending", "Outcome", "Reached",
    "Result", "Score", "Value", "ValueRule", "Won", "value_rule",
]  # fmt: skip

_RULES: tuple[type[ValueRule], ...] = (Distance, Depth, Bound, Reached, Outcome, Ending, Won, Score)
SHIPPED: dict[str, type[ValueRule]] = {rule.name: rule for rule in _RULES}
"""The shipped value rules by name."""


def value_rule(rule: str | ValueRule) -> ValueRule:
    """Return the value rule with a name ("distance", "depth", "outcome", "score"), or the rule itself."""
    if isinstance(rule, ValueRule):
        return rule
    if rule not in SHIPPED:
        raise BadRequest(f"unknown value rule {rule!r}: there are {', '.join(SHIPPED)}")
    return SHIPPED[rule]()
