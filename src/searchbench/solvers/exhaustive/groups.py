"""Solve one group of parts after another: what the parts of a game in memory and a growing database have in common."""

from __future__ import annotations

from typing import Final

from searchbench import jit
from searchbench.exchange import Buckets, Table
from searchbench.exchange.memory import BLOCK_BITS
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive import fixpoint, retrograde, scores
from searchbench.solvers.exhaustive.blocks import Group
from searchbench.values import Score, ValueRule

BUCKET_MEMORY: Final = 256 << 20
"""What the buckets may take together, unless the budget is smaller."""
PER_CODE: Final = 32
"""The buckets take at most so many bytes a code: a small table needs no more."""


def bucket_bytes(game: Game, size: int, run: Run, block_bits: int = BLOCK_BITS) -> int:
    """Return the memory of the buckets beside `size` bytes of codes."""
    return Buckets.bytes_needed(size, run.threads, _reserve(game), _bucket_memory(size, run), block_bits)


def new_buckets(game: Game, size: int, run: Run, numbers: int = 0, block_bits: int = BLOCK_BITS) -> Buckets:
    """Return the buckets for a line of `numbers` numbers (by default `size`) beside `size` bytes of codes."""
    return Buckets(numbers or size, run.threads, _reserve(game), _bucket_memory(size, run), block_bits)


def _reserve(game: Game) -> int:
    return max(game.max_moves, game.max_unmoves)


def _bucket_memory(size: int, run: Run) -> int:
    return min(BUCKET_MEMORY, max(1 << 20, PER_CODE * size), max(1 << 20, (run.memory - size) // 2))


def works_backwards(names: jit.Names, rule: ValueRule) -> bool:
    """Tell whether a game and a rule have what retrograde analysis needs."""
    return ("propagate" in names or isinstance(rule, Score)) and not jit.missing(retrograde.emit, names)


def solve_group(
    names: jit.Names, game: Game, rule: ValueRule, group: Group, table: Table, run: Run, buckets: Buckets | None
) -> int:
    """Solve a group of parts whose needs are solved, by retrograde analysis if there are buckets; return its levels."""
    run.progress(f"part {group.name}", 0, 0)
    if buckets is None or not group.needs_itself:
        return fixpoint.solve_group(names, rule, group, table, run)
    if isinstance(rule, Score):
        rounds = scores.solve_group(names, group, table, run, buckets)
        return rounds if rounds is not None else fixpoint.solve_group(names, rule, group, table, run)
    look_ahead = rule.counts or group.needs_others or not game.closed
    return retrograde.solve_group(names, group, look_ahead, table, run, buckets)
