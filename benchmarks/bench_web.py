"""Measure the explorer's API on a large database: the latency of a probe, requests a second, and the server's memory.

Run ``python benchmarks/bench_web.py DATABASE`` on a database of 10^8 states or more, such as the one that ``searchbench
solve sliding:3x4 --solver retrograde --to tiles.db`` makes; ``--cache 64MB`` is what the server may keep in memory. The
states asked for are drawn at random from the whole index, so that most of them lie in chunks which are not in memory: no
reader asks like that. The server has a process of its own and so has the client; both run on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import socket
import subprocess
import sys
import time
import urllib.parse

import psutil

import searchbench as sb

CONNECTIONS = 8


def addresses(database: sb.Database, name: str, question: str, count: int, seed: int) -> list[bytes]:
    """Return requests for random positions."""
    draw = random.Random(seed)
    found: list[bytes] = []
    while len(found) < count:
        number = draw.randrange(database.size)
        try:
            text = database.position(number).text
        except sb.SearchBenchError:
            continue
        query = urllib.parse.urlencode({"state": text})
        found.append(f"GET /api/databases/{name}/{question}?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return found


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> float:
    """Send a request, read the answer, and return the seconds it took."""
    began = time.perf_counter()
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    await reader.readexactly(length)
    return time.perf_counter() - began


async def one_by_one(port: int, requests: list[bytes]) -> list[float]:
    """Return the latency of each request, one at a time."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times = [await ask(reader, writer, request) for request in requests]
    writer.close()
    return sorted(times)


async def together(port: int, requests: list[bytes]) -> float:
    """Return how many requests a second are answered on some connections at once."""

    async def connection(own: list[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in own:
            await ask(reader, writer, request)
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(connection(requests[place::CONNECTIONS]) for place in range(CONNECTIONS)))
    return len(requests) / (time.perf_counter() - began)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until the server listens."""
    for _ in range(600):
        with socket.socket() as place:
            if place.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server does not start")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--cache", default="64MB")
    parser.add_argument("--requests", type=int, default=5000)
    options = parser.parse_args()
    database = sb.open_database(options.database)
    port = free_port()
    program = "from searchbench.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", options.database, "--no-browser", "--port", str(port)]
    server = subprocess.Popen([*command, "--cache", options.cache], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    name = server.stdout.readline().partition(":")[0]
    wait_for(port)
    process = psutil.Process(server.pid)
    print(f"{database.game}: {database.states:,} states, {database.rule.name}, cache {options.cache}")
    print(f"{'request':22} {'requests':>8} {'median ms':>9} {'99 % ms':>9} {'per s':>7} {'CPU ms':>7} {'memory MB':>9}")
    try:
        for question in ("probe", "moves"):
            count = options.requests if question == "probe" else options.requests // 5
            for place in ("anywhere", "again"):
                fresh = addresses(database, name, question, 2 * count + 100, seed=len(question))
                first, second = fresh[100:][:count], fresh[100:][count:]
                if place == "again":
                    first = second = (fresh[:100] * (count // 100 + 1))[:count]
                asyncio.run(one_by_one(port, fresh[:100]))
                times = asyncio.run(one_by_one(port, first))
                used = sum(process.cpu_times()[:2])
                rate = asyncio.run(together(port, second))
                cost = (sum(process.cpu_times()[:2]) - used) / len(second)
                memory = process.memory_info().rss / 1e6
                median, most = times[len(times) // 2], times[len(times) * 99 // 100]
                print(
                    f"{question + ', ' + place:22} {len(second):8,} {1000 * median:9.2f} {1000 * most:9.2f} {rate:7.0f} "
                    f"{1000 * cost:7.2f} {memory:9.0f}", flush=True,
                )  # fmt: skip
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
