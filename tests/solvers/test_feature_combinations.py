"""Any feature beside any other, on random tiny games, against the naive solver (see tests/feature_combinations.py)."""

from __future__ import annotations

from collections import Counter

import pytest

from feature_combinations import outcome, problem

CASES = 100
COMPILED = 8
"""Every eighth case is compiled if its draw says so: each takes kernels of its own, two seconds to compile. All are by hand."""


def target_of(seed: int) -> str | None:
    """Return where a case runs, None: as it is drawn."""
    return None if seed % COMPILED == 0 else "interpreted"


@pytest.mark.long
@pytest.mark.parametrize("begin", range(0, 4 * CASES, CASES))
def test_features_beside_each_other(begin: int) -> None:
    found = [problem(seed, target_of(seed)) for seed in range(begin, begin + CASES)]
    assert not any(found), "\n\n".join(filter(None, found))


def test_most_combinations_are_not_refused() -> None:
    told = Counter(outcome(seed) for seed in range(40))
    assert told["right"] >= 15, told
