"""Measure proof-number search and alpha-beta search: nodes a second of processor time, on one core.

Run ``python benchmarks/bench_proof.py``; games may follow, such as ``connect4:6x4``. ``bitboards connect4:6x6`` measures the
search on bitboards with each of its devices switched off. ``large`` measures proof-number search, in a tree and depth first, on
games that it does not finish: Qubic without threats, Connect Four 6x5, a random graph with cycles; depth first also on 2
threads, by the clock (``large 300000`` for so many nodes). ``threads`` compares one process that searches depth first on two
threads with two processes that search on one thread each, at the same time: where other programs want the cores too, both
are slowed alike, so the ratio of their times tells what the shared table costs. ``methods 20`` compares the methods and their
portfolio by the processor's seconds until a proof is done, at most 20 each.

A node is a move played and evaluated. What bounds the speed is printed too: the time that the game's own rules take for a
node (a move, `terminal`, `key`, and the list of moves, in a random walk). The rest of a node is the search: the table, the
path, the tree.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import LimitReached
from searchbench.game import Drops, Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, moves, new_moves, play, start, terminal, unplay
from searchbench.run import Run
from searchbench.solvers.proof import prove_state, tree
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.drops import DropSearch
from searchbench.solvers.shared.transposition import ENTRY_BYTES

GAMES = ("tic-tac-toe", "connect4:4x4", "connect4:5x4")
VARIANTS: dict[str, dict[str, Any]] = {
    "alpha-beta": {"configuration": "alphabeta"},
    "pns": {"configuration": "pns"},
    "dfpn": {"configuration": "dfpn"},
    "pns, mobility": {"configuration": "pns", "mobility": True},
}


def walk(state: Any, numbers: Any) -> int:
    """Play random games from the start; at each state play every move, evaluate it and take it back: what nodes cost."""
    out, inner = new_moves(), new_moves()
    nodes = 0
    digest = 0
    start(state)
    for number in numbers:
        if terminal(state) != UNDECIDED:
            start(state)
        count = moves(state, out)
        for place in range(count):
            play(state, out[place])
            nodes += 1
            digest ^= key(state)
            if terminal(state) == UNDECIDED and place == number % count:
                digest ^= moves(state, inner)
            unplay(state, out[place])
        play(state, out[number % count])
    return nodes + (digest & 1)


def nanoseconds(work: Callable[[], int]) -> tuple[float, int]:
    """Return the processor time for each node, and the nodes."""
    began = time.process_time_ns()
    nodes = work()
    return (time.process_time_ns() - began) / max(nodes, 1), nodes


def rules_alone(game: Game) -> float:
    """Return the nanoseconds that the rules take for a node."""
    rng = random.Random(1)
    numbers = np.array([rng.randrange(1 << 30) for _ in range(100_000)], np.int64)
    kernel = jit.bind(walk, game.names())
    state = np.zeros(game.width, game.dtype)
    kernel(state, numbers[:10])  # compile
    return nanoseconds(lambda: int(kernel(state, numbers)))[0]


DEVICES: dict[str, dict[str, Any]] = {
    "all devices": {},
    "no claimeven": {"DROPS_CLAIMEVEN": False},
    "no order by threats": {"DROPS_BY_THREATS": False},
    "no order by lines": {"DROPS_BY_LINES": False},
    "no probe of all moves": {"DROPS_EXAMINE_ALL": False},
    "no worth in the table": {"DROPS_BY_WORTH": False},
    "no mirror images": {"DROPS_MIRRORED_STONES": 0},
}


def bitboards(games: list[str]) -> None:
    """Prove the start of each game on bitboards, with each device switched off, and print what it took."""
    print("game          devices                value       nodes  CPU seconds  million nodes/s")
    for spec in games or ["connect4:6x5"]:
        game = load(spec)
        drops = game.drops()
        if drops is None:
            raise SystemExit(f"{spec}: no game in which stones fall")
        for name, devices in DEVICES.items():
            found: dict[str, bool] = {}

            def search(
                limit: int,
                drops: Drops = drops,
                found: dict[str, bool] = found,
                devices: dict[str, Any] = devices,
            ) -> int:
                one = DropSearch(game, drops, Budget(game, Run(threads=1), limit), 1 << 29, **devices)  # noqa: B023
                root = np.array(game.start(), game.dtype)  # noqa: B023
                with suppress(LimitReached):
                    found["win"] = one.holds(root, 1)
                    found["draw"] = found["win"] or one.holds(root, 0)
                return one.nodes

            search(100)  # compile
            each, nodes = nanoseconds(lambda search=search: search(0))  # type: ignore[misc]
            value = "win" if found["win"] else "draw" if found["draw"] else "loss"
            print(f"{spec:12}  {name:21}  {value:5}  {nodes:10,}  {nodes * each / 1e9:11.2f}  {1e3 / each:15.2f}")


def random_graph(nodes: int) -> Game:
    """Return a graph with cycles, seven or so edges from a node; one node of fifty is lost for the player to move."""
    chance = random.Random(5)
    words = []
    for node in range(nodes):
        if node and chance.random() < 0.02:
            words.append(f"{node}=-1")
        else:
            words += [f"{node}>{chance.randrange(nodes)}" for _ in range(chance.randrange(4, 11))]
    return load(f"graph:{';'.join(words)},values=outcome")


def large(nodes: int) -> None:
    """Search games that so many nodes do not finish; print nodes a second of processor time, and bytes a node."""
    games = {"qubic": load("qubic"), "connect4:6x5": load("connect4:6x5"), "random graph": random_graph(1 << 16)}
    kinds = {"pns": ("pns", 1), "dfpn": ("dfpn", 1), "dfpn, 2 threads": ("dfpn", 2)}
    size = {"pns": tree.node_bytes(), "dfpn": ENTRY_BYTES}
    print("game          method              nodes  seconds  CPU seconds  million nodes/CPU s  bytes/node")
    for name, game in games.items():
        for kind, (method, threads) in kinds.items():

            def search(limit: int) -> tuple[int, float, float]:
                run = Run(memory=4 << 30, threads=threads)  # noqa: B023
                clock, processor, done = time.perf_counter(), time.process_time(), limit
                with suppress(LimitReached):
                    done = prove_state(game, None, method, run, evidence=False, nodes=limit).nodes  # noqa: B023
                return done, time.perf_counter() - clock, time.process_time() - processor

            search(1000)  # compile
            done, seconds, processor = search(nodes)
            print(
                f"{name:12}  {kind:15}  {done:10,}  {seconds:7.2f}  {processor:11.2f}  "
                f"{done / processor / 1e6:19.2f}  {size[method]:10}"
            )


SHARING: dict[str, str] = {
    "qubic": "",
    "connect4:6x5": "",
    "random graph": "",
    "connect4:5x4": "solved",
    "hex:4x4": "solved",
}
"""Games to search on two threads: the first nodes of their proofs, or all."""


COMPARED = ("pns", "dfpn", "alphabeta", "portfolio")
DIFFERENT = (
    "hex:4x4", "hex:5x5", "connect4:4x4", "connect4:5x4", "connect4:6x4", "connect4:5x5", "connect4:6x5", "othello:4x4",
    "mnk:4,4,4", "mnk:4,3,3", "fox-and-geese:5", "morris-opening:3", "chess:KQK",
)  # fmt: skip


def methods(seconds: float) -> None:
    """Prove the start of games of many kinds by each method, without evidence; print the value and the processor's seconds."""
    print(f"{'game':18}value " + "".join(f"{name:>16}" for name in COMPARED))
    for spec in DIFFERENT:
        row, value = [], "?"
        for name in COMPARED:
            run = Run(memory=2 << 30, threads=1, clock=time.thread_time)
            try:
                prove_state(load(spec), None, name, run, evidence=False, seconds=seconds)  # which compiles
                run = Run(memory=2 << 30, threads=1, clock=time.thread_time)
                proof = prove_state(load(spec), None, name, run, evidence=False)
                value = proof.value
                row.append(f"{proof.seconds:.2f}")
            except LimitReached:
                row.append("open")
        print(f"{spec:18}{value:6}" + "".join(f"{took:>16}" for took in row), flush=True)


def share(spec: str, threads: int, limit: int, barrier: Any, times: Any, place: int) -> None:
    """Search by df-pn, beginning with all who wait at the barrier; write the nodes, the seconds, and those of the processor."""
    game = random_graph(1 << 16) if spec == "random graph" else load(spec)

    def search(nodes: int) -> int:
        with suppress(LimitReached):
            run = Run(memory=2 << 30, threads=threads)
            return prove_state(game, None, "dfpn", run, evidence=False, nodes=nodes).nodes
        return nodes

    search(1000)  # compile
    barrier.wait()
    clock, processor = time.perf_counter(), time.process_time()
    done = search(limit)
    times[3 * place : 3 * place + 3] = [done, time.perf_counter() - clock, time.process_time() - processor]


def together(spec: str, threads: Sequence[int], limit: int) -> tuple[int, float, float]:
    """Run a process for each number of threads, all at once; return the nodes, the longest time, the processor's."""
    spawning = multiprocessing.get_context("spawn")
    barrier, times = spawning.Barrier(len(threads)), spawning.Array("d", 3 * len(threads))
    arguments = [(spec, count, limit, barrier, times, place) for place, count in enumerate(threads)]
    processes = [spawning.Process(target=share, args=one) for one in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    rows = np.array(times[:]).reshape(-1, 3)
    return int(rows[:, 0].sum()), float(rows[:, 1].max()), float(rows[:, 2].sum())


def sharing(nodes: int) -> None:
    """Compare two threads with two processes, and print by how much each is quicker than one thread that has a core."""
    print(
        "game          nodes, 1 thread  2 threads  CPU-s/node, 2 to 1  clock/node, 2 threads to 2 processes  times as quick"
    )
    for spec, kind in SHARING.items():
        limit = 10**9 if kind else nodes
        alone, shared = [], []
        for _ in range(3):
            alone.append(together(spec, (1, 1), limit if kind else limit // 2))
            shared.append(together(spec, (2,), limit))
        # Two processes search twice as many nodes as one; the least time is the least disturbed one.
        one, each = min(seconds / done for done, seconds, _ in alone), min(busy / done for done, _, busy in alone)
        both, busy = min(seconds / done for done, seconds, _ in shared), min(busy / done for done, _, busy in shared)
        first, second = alone[0][0] // (2 if kind else 1), sorted(done for done, _, _ in shared)[1]
        print(
            f"{spec:12}  {first:15,}  {second:9,}  {busy / each:18.2f}  {both / one:36.2f}  "
            f"{2 * first / second * one / both:14.2f}", flush=True
        )  # fmt: skip


def main() -> None:
    """Prove the start of each game by each method, and print what it took."""
    if sys.argv[1:2] == ["methods"]:
        methods(float(sys.argv[2]))
        return
    if sys.argv[1:2] == ["bitboards"]:
        bitboards(sys.argv[2:])
        return
    if sys.argv[1:2] == ["large"]:
        large(int(sys.argv[2]) if len(sys.argv) > 2 else 3_000_000)
        return
    if sys.argv[1:2] == ["threads"]:
        sharing(int(sys.argv[2]) if len(sys.argv) > 2 else 3_000_000)
        return
    print("game          method         value       nodes  seconds  million nodes/s  ns/node  of which rules")
    for spec in sys.argv[1:] or GAMES:
        game = load(spec)
        rules = rules_alone(game)
        for name, options in VARIANTS.items():
            prove_state(game, nodes=10**9, evidence=False, run=Run(memory=1 << 30, threads=1), **options)  # compile
            found: dict[str, Any] = {}

            def work(options: dict[str, Any] = options, found: dict[str, Any] = found) -> int:
                run = Run(memory=4 << 30, threads=1)
                found["proof"] = prove_state(game, evidence=False, run=run, **options)  # noqa: B023
                return int(found["proof"].nodes)

            each, nodes = nanoseconds(work)
            print(
                f"{spec:12}  {name:13}  {found['proof'].value:5}  {nodes:10,}  {nodes * each / 1e9:7.3f}  "
                f"{1e3 / each:15.2f}  {each:7.0f}  {rules:14.0f}"
            )


if __name__ == "__main__":
    main()
