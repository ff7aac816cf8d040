"""What solving a group of parts takes: in memory, or with its codes and requests in files of a working folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final, NamedTuple

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Buckets
from searchbench.exchange.files import SpillingBuckets
from searchbench.exchange.memory import BLOCK_BITS, MOST_BLOCK_BITS
from searchbench.exchange.team_buckets import Room, TeamBuckets
from searchbench.game import Game
from searchbench.rules import UNDECIDED
from searchbench.run import Run, format_memory
from searchbench.solvers.exhaustive.pending import SLOTS, STRETCH
from searchbench.store.codes import type_for
from searchbench.values import ValueRule
from searchbench.values.contract import initial

BUCKET_MEMORY: Final = 256 << 20
"""What the buckets may take together, unless the budget is smaller."""
PER_CODE: Final = 32
"""The buckets take at most so many bytes a code: a small table needs no more."""
MOST_FILES: Final = 512
"""How many files the requests to a group are divided among at most."""
LEAST_ON_DISK: Final = 256 << 20
"""How many bytes of requests are written at least before they are applied, unless a level has fewer."""


class Sizes(NamedTuple):
    """Say how large a group is: the number line, its own numbers, all whose codes are at hand, and the bytes of a code.

    `beside` is how many bytes its solver has beside the codes; in files these lie where the codes do.
    """

    line: int
    numbers: int
    codes: int
    width: int
    beside: int = 0

    @property
    def bytes(self) -> int:
        """Return how many bytes the codes take."""
        return self.codes * self.width

    @property
    def marks(self) -> int:
        """Return the bytes of the marks of states that are due."""
        return SLOTS * (self.numbers // STRETCH + 2)


def code_bytes(game: Game, rule: ValueRule) -> int:
    """Return how many bytes a code needs from the start on: the first codes of open and of decided states."""
    first = jit.bind(initial, game.names(rule, "interpreted"))
    results = (-1, 0, 1) if rule.two_players else (0,)
    codes = [int(first(UNDECIDED, 1)), *(int(first(result, 0)) for result in results)]
    return type_for(max(codes)).itemsize


def bucket_bytes(game: Game, size: int, run: Run, block_bits: int = BLOCK_BITS) -> int:
    """Return the memory of the buckets beside `size` bytes of codes."""
    return Buckets.bytes_needed(size, run.threads, _reserve(game), _bucket_memory(size, run), block_bits)


def in_memory(game: Game, sizes: Sizes, run: Run, block_bits: int = BLOCK_BITS) -> int:
    """Return the bytes that solving backwards takes in memory."""
    return sizes.bytes + sizes.beside + sizes.marks + bucket_bytes(game, sizes.bytes, run, block_bits)


def on_files(game: Game, sizes: Sizes, run: Run) -> int:
    """Return the bytes of memory that solving backwards takes at least with codes and requests in files."""
    bits = _file_block_bits(sizes, run)
    return sizes.marks + SpillingBuckets.least_bytes(sizes.line, run.threads, _reserve(game), bits)


def new_buckets(game: Game, sizes: Sizes, run: Run, block_bits: int = BLOCK_BITS) -> Buckets:
    """Return buckets in memory."""
    return Buckets(sizes.line, run.threads, _reserve(game), _bucket_memory(sizes.bytes, run), block_bits)


def team_buckets(game: Game, sizes: Sizes, run: Run, block_bits: int, room: Room) -> Buckets:
    """Return buckets that the ranks of a machine have in common."""
    return TeamBuckets(room, sizes.line, run.threads, _reserve(game), _bucket_memory(sizes.bytes, run), block_bits)


def buckets_on_files(game: Game, sizes: Sizes, run: Run, folder: Path) -> Buckets:
    """Return buckets whose requests are written to files of a folder. Raises BadRequest where the disk has no room."""
    most = max(LEAST_ON_DISK, 2 * sizes.bytes)
    wanted = 3 * sizes.bytes + 2 * sizes.beside + most  # the codes, and two copies of them for a moment
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise BadRequest(
            f"{folder}: solving on files needs {format_memory(wanted)} there, {format_memory(free)} are free; "
            "give a larger --memory, or another folder with --work"
        )
    bits = _file_block_bits(sizes, run)
    share = (run.memory - sizes.marks) // 2
    return SpillingBuckets(sizes.line, run.threads, _reserve(game), share, bits, folder, most)


def _file_block_bits(sizes: Sizes, run: Run) -> int:
    """Return the size of blocks, as a power of two: each thread has one in a quarter of the memory, all have a file each."""
    share = max(1, (run.memory - sizes.marks) // (4 * run.threads * sizes.width))
    fewest = (sizes.numbers // MOST_FILES).bit_length()
    return min(MOST_BLOCK_BITS, max(fewest, share.bit_length() - 1, 1))


def _reserve(game: Game) -> int:
    return max(game.max_moves, game.max_unmoves)


def _bucket_memory(size: int, run: Run) -> int:
    return min(BUCKET_MEMORY, max(1 << 20, PER_CODE * size), max(1 << 20, (run.memory - size) // 2))
