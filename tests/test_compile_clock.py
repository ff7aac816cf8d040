"""The time in which kernels are compiled is summed apart, and no limit counts it."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time

from numba.core.event import trigger_event

from searchbench import jit
from searchbench.jit.backends import loading
from searchbench.jit.backends.cpu import compiling  # which starts the clock
from searchbench.run import Run


def compile_for(seconds: float) -> None:
    """Do as the compiler does that compiles a function within another one."""
    with trigger_event("numba:compile"), trigger_event("numba:compile"):
        time.sleep(seconds)


def test_compilations_within_others_and_beside_others_count_once() -> None:
    began, before, run = time.perf_counter(), jit.compile_seconds(), Run(threads=1)
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


def load_for(seconds: float) -> None:
    """Do as a thread that reads compiled kernels from the disk, and compiles one meanwhile."""
    with loading():
        time.sleep(seconds / 2)
        compile_for(seconds / 2)


def test_what_threads_load_and_compile_beside_each_other_counts_once() -> None:
    """Summed up by itself it was longer than the run, whose seconds were less than 0."""
    run = Run(threads=1)
    threads = [threading.Thread(target=work, args=(0.1,)) for work in (load_for, load_for, compile_for)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert run.seconds >= 0
    assert 0 <= run.seconds <= time.perf_counter() - run.started - 0.1
    time.sleep(0.01)
    assert run.seconds >= 0.01


def test_cycles_are_not_looked_for_while_compiling() -> None:
    with trigger_event("numba:compile"):
        with trigger_event("numba:compile"):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        compile_for(0.0)
        assert not gc.isenabled()  # whoever turned it off before keeps it off
    finally:
        gc.enable()


def test_time_between_compilations_does_not_count() -> None:
    before, began = compiling.compile_seconds(), time.perf_counter()
    compile_for(0.01)
    time.sleep(0.1)
    compile_for(0.01)
    spent = jit.compile_seconds() - before
    assert 0.02 <= spent <= time.perf_counter() - began - 0.1


def test_the_time_of_a_run_never_goes_back() -> None:
    """Loading is counted by the wall clock, which a busy machine lets run ahead of a thread's time."""
    times = iter([10.0, 11.0, 11.1, 13.0])
    run = Run(memory=1 << 20, threads=1, clock=lambda: next(times))
    assert run.seconds == 1
    with loading():
        time.sleep(0.2)
    assert run.seconds == 1
    assert 1 < run.seconds < 3


def test_the_import_of_the_compiler_is_no_time_of_a_run() -> None:
    program = """
import sys, time
import searchbench as sb
from searchbench import jit
run = sb.Run(threads=1)
assert "numba" not in sys.modules
game = sb.load("tic-tac-toe")
names = game.names()
from searchbench.rules import moves
began, before = time.perf_counter(), jit.preparation_seconds()
jit.bind(moves, names)
assert "numba" in sys.modules
spent, took = jit.preparation_seconds() - before, time.perf_counter() - began
assert took > spent > took / 2, (spent, took)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
