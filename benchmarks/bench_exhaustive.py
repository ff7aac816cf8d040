"""Solve whole games, each in a process of its own: states a second, peak memory, seconds to the first result.

Run ``python benchmarks/bench_exhaustive.py`` for all, or name some: ``... pancake:10 retrograde``. Each game is solved
twice in its process: the first time may compile, the second is the one that counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

WORKLOADS = [
    ("sliding:3x3", "retrograde"),
    ("pancake:10", "retrograde"),
    ("pancake:11", "retrograde"),
    ("pancake:11", "bfs values"),
    ("pancake:11", "bfs"),
    ("pancake:12", "retrograde"),
    ("pancake:12", "bfs"),
    ("top-spin:12", "retrograde"),
    ("top-spin:12", "bfs"),
    ("burnt-pancake:9", "bfs"),
    ("sliding:2x6,half=yes", "bfs"),
    ("sliding:3x4,half=yes", "retrograde"),
    ("sliding:3x4,half=yes", "bfs"),
    ("sliding:3x4,half=yes", "bfs two-bit"),
    ("corner-cube", "retrograde"),
    ("corner-cube", "bfs product"),
    ("corner-cube", "bfs two-bit"),
    ("pocket-cube", "bfs"),
    ("peg-solitaire", "bfs layers"),
    ("morris:3,3", "retrograde"),
    ("awari:10", "fixpoint"),
    ("awari:10", "retrograde"),
    ("awari:16", "retrograde"),
    ("chess:KQKR", "retrograde"),
    ("chess:KQKR", "fixpoint"),
    ("fox-and-geese:6", "retrograde"),
    ("dots-and-boxes:2x4", "fixpoint"),
]
HEADER = (
    f"{'game':22} {'solver':12} {'states':>13} {'first s':>8} {'s':>7} {'CPU s':>7} "
    f"{'M states/s':>10} {'peak MB':>8} {'grown MB':>8}"
)


def measure(spec: str, method: str) -> dict[str, float]:
    """Return what solving a game takes in this process."""
    import resource

    import searchbench as sb
    from searchbench.solvers.exhaustive import solve_states

    solver, _, form = method.partition(" ")
    options = {"form": form} if form else {}
    game = sb.load(spec)
    began = time.perf_counter()
    solve_states(game, solver=solver, **options)
    first = time.perf_counter() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began, cpu = time.perf_counter(), time.process_time()
    solved = solve_states(game, solver=solver, **options)
    return {
        "states": solved.states,
        "first": first,
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "peak": max(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def bare_process() -> float:
    """Return the memory of a process that has only loaded what every solver needs, in MB: the second one compiles nothing."""
    code = (
        "import resource, searchbench as sb, searchbench.solvers.exhaustive as x; x.solve_states(sb.load('pancake:4'));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(2)]
    return float(runs[-1].stdout)


def main(arguments: list[str]) -> None:
    """Measure the workloads and print a line for each."""
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(arguments[1], arguments[2])))
        return
    wanted = [(arguments[0], " ".join(arguments[1:]) or "retrograde")] if arguments else WORKLOADS
    bare = bare_process()
    print(HEADER)
    for spec, method in wanted:
        command = [sys.executable, __file__, "--one", spec, method]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rate = found["states"] / found["seconds"] / 1e6
        print(
            f"{spec:22} {method:12} {found['states']:13,} {found['first']:8.2f} {found['seconds']:7.2f} "
            f"{found['cpu']:7.2f} {rate:10.2f} {found['peak']:8.0f} {found['peak'] - bare:8.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
