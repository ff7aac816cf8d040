"""Check that an index is one to one: every number, or a sample of them."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.index import Index
from searchbench.index.contract import rank, unrank
from searchbench.rules import new_state

SAMPLES: Final = 20_000
"""How many numbers a sample has, beside the first and the last."""
RANKED = 50
"""How often a state is ranked to measure the time of it."""


def count_faults(first: int, stop: int, seen: Any) -> int:
    """Count the numbers of first .. stop - 1 that differ from their state's rank, or whose rank is a duplicate."""
    state = new_state()
    faults = 0
    for number in range(first, stop):
        unrank(number, state)
        back = rank(state)
        if back != number or seen[number] != 0:
            faults += 1
        else:
            seen[number] = 1
    return faults


def count_ranked(numbers: Any) -> int:
    """Write the states of some numbers, rank each many times, and count the ranks that are right."""
    state = new_state()
    right = 0
    for index in range(len(numbers)):
        unrank(numbers[index], state)
        for _ in range(RANKED):
            if rank(state) == numbers[index]:
                right += 1
    return right


def count_sample_faults(numbers: Any) -> int:
    """Count the numbers that differ from their state's rank."""
    state = new_state()
    faults = 0
    for index in range(len(numbers)):
        unrank(numbers[index], state)
        if rank(state) != numbers[index]:
            faults += 1
    return faults


def _names(index: Index) -> jit.Names:
    ranks, unranks = index.functions()
    width = index.width

    def room() -> Any:
        return np.zeros(width, np.int64)

    return jit.Names({"rank": ranks, "unrank": unranks, "new_state": room})


def faults_in_full(index: Index) -> int:
    """Return the number of faults in an index, from a check of all its numbers."""
    kernel = jit.bind(count_faults, _names(index))
    return int(kernel(0, index.size, np.zeros(index.size, np.uint8)))


def faults_in_samples(index: Index) -> int:
    """Return the number of faults in a sample of numbers, which includes the first and the last number."""
    chooser = random.Random(1995)
    numbers = [0, index.size - 1, *(chooser.randrange(index.size) for _ in range(SAMPLES))]
    return int(jit.bind(count_sample_faults, _names(index))(np.array(numbers, np.int64)))
