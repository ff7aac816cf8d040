"""The time in which kernels are compiled is summed apart, and no limit counts it."""

from __future__ import annotations

import threading
import time

from numba.core.event import trigger_event

from searchbench import jit
from searchbench.jit.backends.cpu import compiling  # which starts the clock
from searchbench.run import Run


def compile_for(seconds: float) -> None:
    """Do as the compiler does that compiles a function within another one."""
    with trigger_event("numba:compile"), trigger_event("numba:compile"):
        time.sleep(seconds)


def test_compilations_within_others_and_beside_others_count_once() -> None:
    run, before, began = Run(threads=1), jit.compile_seconds(), time.perf_counter()
    threads = [threading.Thread(target=compile_for, args=(0.1,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert run.seconds >= 0
    spent = jit.compile_seconds() - before
    wall = time.perf_counter() - began
    assert 0.1 <= spent <= wall
    assert run.times["compile_seconds"] >= 0.1
    assert run.seconds <= time.perf_counter() - began - spent + 0.01


def test_time_between_compilations_does_not_count() -> None:
    before, began = compiling.compile_seconds(), time.perf_counter()
    compile_for(0.01)
    time.sleep(0.1)
    compile_for(0.01)
    spent = jit.compile_seconds() - before
    assert 0.02 <= spent <= time.perf_counter() - began - 0.1
