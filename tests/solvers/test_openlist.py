"""The open list against a sorted one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchbench import jit
from searchbench.solvers.shared import openlist
from searchbench.solvers.shared.openlist import BUCKETS, HEAD, OpenList

ROOM = 4
HUGE = (1 << 62) - 1
NAMES: dict[jit.Target, jit.Names] = {"cpu": jit.Names({}), "interpreted": jit.Names({}, "interpreted")}
"""Kept, so that the functions are compiled once."""


class Driver:
    """Call the functions as a search does."""

    def __init__(self, target: jit.Target) -> None:
        self.names = NAMES[target]
        self.queue: OpenList = openlist.new_open_list(ROOM)

    def call(self, kernel: Any, *arguments: int) -> Any:
        """Call a kernel."""
        return jit.bind(kernel, self.names)(self.queue, *arguments)

    def push(self, node: int, f: int, g: int) -> None:
        """Make room and open a node."""
        if node >= len(self.queue.links):
            self.queue.links.resize((2 * node, 2), refcheck=False)
        if self.queue.counts[BUCKETS] == len(self.queue.buckets):
            openlist.grow_buckets(self.queue, self.names)
        self.call(openlist.push, node, f, g)

    def pop(self) -> int:
        """Close the first node and return it, or -1."""
        bucket = self.call(openlist.first_bucket)
        if bucket < 0:
            return -1
        node = int(self.queue.buckets[bucket, HEAD])
        self.call(openlist.remove, node)
        return node


numbers = st.one_of(st.integers(0, 3), st.integers(0, HUGE))
steps = st.lists(st.one_of(st.tuples(numbers, numbers), st.just("pop"), st.integers(0, 40)), max_size=60)


@pytest.mark.parametrize("target", ["cpu", "interpreted"])
@given(steps)
def test_order(target: jit.Target, drawn: list[Any]) -> None:
    """Push, pop, and move a node that is open or was closed: the order is by f, then larger g, then last in first out."""
    driver, waiting, tick = Driver(target), {}, 0
    for step in [*drawn, *["pop"] * 61]:
        if step == "pop":
            best = min(waiting, key=lambda node: waiting[node], default=-1)
            waiting.pop(best, None)
            assert driver.pop() == best
        elif isinstance(step, tuple):
            f, g = step
            driver.push(tick, f, g)
            waiting[tick] = (f, -g, -tick)
            tick += 1
        elif step < tick:
            opened = driver.call(openlist.is_open, step)
            assert opened == (step in waiting)
            if opened:
                driver.call(openlist.remove, step)
                del waiting[step]
    assert driver.call(openlist.first_bucket) == -1
