"""What a value rule declares for itself is not handed down: a rule that is derived may mean something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from searchbench.values import Bound, Depth, Distance, Ending, Outcome, Reached, Score, ValueRule, Won
from searchbench.verify.value_claims import claims_of

SHIPPED: list[type[ValueRule]] = [Bound, Depth, Distance, Ending, Outcome, Reached, Score, Won]


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_derived_rule_claims_nothing_and_bounds_nothing(kind: type[ValueRule]) -> None:
    @dataclass(frozen=True)
    class Own(kind):  # type: ignore[valid-type,misc]
        name: ClassVar[str] = "own"

    assert claims_of(Own()) is None
    assert not Own().bounds_cost
    assert Own().reductions == kind.reductions


@pytest.mark.parametrize("kind", SHIPPED)
def test_which_rules_have_claims_and_bound_costs(kind: type[ValueRule]) -> None:
    assert (claims_of(kind()) is not None) == (kind in (Distance, Ending, Outcome, Score))
    assert kind().bounds_cost == (kind in (Bound, Depth, Distance))


def test_a_derived_rule_may_declare_for_itself() -> None:
    @dataclass(frozen=True)
    class Own(Distance):
        name: ClassVar[str] = "own"
        claims: ClassVar[str] = "distance"

    assert claims_of(Own()) == claims_of(Distance())
