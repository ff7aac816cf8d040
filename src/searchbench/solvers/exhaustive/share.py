"""What one of several ranks takes for its share of a game: numbers, memory, and the buckets that fit it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from searchbench.exchange import Buckets
from searchbench.exchange.ranks import ALONE, current
from searchbench.exchange.shards import block_bits, holders
from searchbench.exchange.team_buckets import Room
from searchbench.game import Game
from searchbench.index.protocol import Part, line_size
from searchbench.run import Run
from searchbench.solvers.exhaustive import budget, scores
from searchbench.solvers.exhaustive.budget import Sizes
from searchbench.solvers.exhaustive.groups import Group
from searchbench.values import ValueRule

REQUEST_COPIES: Final = 3
"""How often requests lie in memory at most: in buckets, in messages that are sent, and in messages that arrive."""
CODE_COPIES: Final = 2
"""How often a rank's share of the codes lies in memory beside the table, when the database is written."""


class Share:
    """Reckon what one of `count` ranks takes, with the memory and threads of its run.

    The `near` ones among them that share its machine have the codes of finished parts in common.
    """

    def __init__(self, game: Game, rule: ValueRule, run: Run, count: int, near: int = 1) -> None:
        self.game, self.rule, self.run, self.count, self.near = game, rule, run, count, near
        self.line = line_size(game.parts())

    def bits(self, group: Group) -> int:
        """Return the size of blocks for a group, as a power of two."""
        return block_bits(self.line, sum(part.size for part in group.parts), self.count)

    def sizes(self, group: Group, needs: Iterable[Part], width: int) -> Sizes:
        """Return how large this rank's share of a group is, and of the finished parts that are looked up."""
        numbers = sum(part.size for part in group.parts)
        own = numbers
        if holders(numbers, self.count) > 1:
            own = min(numbers, -(-numbers // self.count) + (len(group.parts) << self.bits(group)))
        beside = scores.bytes_beside(own) if self.rule.points and group.needs_itself else 0
        looked_up = -(-sum(part.size for part in needs) // self.near)
        return Sizes(self.line, own, own + looked_up, width, beside)

    def bytes_needed(self, group: Group, sizes: Sizes) -> int:
        """Return the memory that a rank needs for its share of a group."""
        run, bits = self._apart(sizes), self.bits(group)
        requests = (REQUEST_COPIES - 1) * budget.bucket_bytes(self.game, sizes.bytes, run, bits)
        return budget.in_memory(self.game, sizes, run, bits) + requests + CODE_COPIES * sizes.numbers * sizes.width

    def buckets(self, group: Group, sizes: Sizes, room: Room) -> Buckets:
        """Return the buckets of a rank; of one that is alone, its own."""
        if current() is ALONE:
            return budget.new_buckets(self.game, sizes, self._apart(sizes), self.bits(group))
        return budget.team_buckets(self.game, sizes, self._apart(sizes), self.bits(group), room)

    def _apart(self, sizes: Sizes) -> Run:
        """Return a run with the memory that is left to codes and buckets, beside the copies of requests."""
        beside = max(0, self.run.memory - sizes.bytes)
        return Run(self.run.memory - beside + beside // REQUEST_COPIES, self.run.threads)
