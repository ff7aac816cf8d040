"""The sweep on a device: a layer is cut into many pieces, each settled by one thread with the processor's kernel.

The diagram, the tails and the planes of two layers lie on the device. Where two pieces share a word, both set their bits in it by
atomic operations.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.index.diagram import Diagram
from searchbench.jit import Device, atomic_or
from searchbench.run import Run
from searchbench.solvers.exhaustive.device.threads import Threads
from searchbench.solvers.exhaustive.diagrams.blocks import ABSENT, Scratch, scratch_for
from searchbench.solvers.exhaustive.diagrams.dealt import plane_words
from searchbench.solvers.exhaustive.diagrams.moves import moves_of
from searchbench.solvers.exhaustive.diagrams.sweep import cuts_of, prefixes_of, sweep_prefixes, with_two_digits
from searchbench.solvers.exhaustive.diagrams.tails import tail_moves_of, tails_of

Words = npt.NDArray[np.uint64]
PIECES: Final = 1 << 17
"""Most pieces of a layer: threads that a large device can hold."""
LEAST: Final = 1 << 10
"""Positions of a piece, about, where there are enough."""
ENDS: Final = 6
"""Place, W and L of a piece's first word, and of its last."""


def settle_piece(
    piece: int, bounds: Any, nodes: Any, tails: Any, moves: Any, tail_moves: Any, root: int, twin: int, stuck: int,
    prefixes: Any, starts: Any, values: Any, out: Any, ends: Any, at: Any,
) -> None:  # fmt: skip
    """Settle the positions under the prefixes ``bounds[piece]`` to ``bounds[piece + 1]``; see `sweep_prefixes`.

    `at` and `ends` have the scratch memory of all pieces; of `at` the piece is the last axis, so that neighbouring threads
    read neighbouring numbers.
    """
    walk = Scratch(
        at.node[:, piece], at.twin[:, piece], at.twin_base[:, piece], at.left[:, piece], at.word[:, piece],
        at.path[:, :, piece], at.base[:, :, piece], at.still_start[:, piece], at.still_base[:, piece],
        at.other_node[:, piece], at.other_base[:, piece], at.other_class[:, piece], at.other_shift[:, piece],
    )  # fmt: skip
    own = ends[piece]
    sweep_prefixes(
        nodes, tails, moves, tail_moves, root, twin, stuck, prefixes, starts, bounds[piece], bounds[piece + 1], values, out,
        own, walk,
    )  # fmt: skip
    for end in range(0, ENDS, 3):
        place = 2 * int(own[end])
        atomic_or(out, place, own[end + 1])
        atomic_or(out, place + 1, own[end + 2])


class DeviceSweep(Threads):
    """Settle layer after layer of a diagram on a device."""

    def __init__(self, diagram: Diagram, run: Run, device: Device) -> None:
        super().__init__(run, device)
        self.diagram = diagram
        nodes, self._digits = with_two_digits(diagram)
        self._tails = tails_of(nodes, self._digits, "cpu")
        self._players = len(self._digits.actions)
        self.nbytes = self._tails.nbytes
        largest = max(map(self._plane_bytes, range(diagram.layers)))
        self.needed = self.nbytes + sum(array.nbytes for array in nodes) + 2 * largest + self._piece_bytes()
        device.demand(
            self.needed, f"settling {diagram.size:,} positions", "leave out --device to solve them by the processor"
        )
        self._roots = nodes.roots
        self._nodes, self._placed_tails = self._on_device(nodes), self._on_device(self._tails)
        self._moves = [self._on_device(moves_of(self._digits, player)) for player in range(self._players)]
        self._tail_moves = [
            self._on_device(tail_moves_of(self._digits, player, self._tails)) for player in range(self._players)
        ]
        self._after: tuple[Words | None, Any] = None, device.array(np.zeros(plane_words(0), np.uint64))

    def layer(self, layer: int, values: Words) -> Words:
        """Return the planes of a layer from those of the next (of any size for the last layer)."""
        count = self.diagram.count(layer)
        inner = len(self._digits.digits) - 2
        wanted = self._wanted(layer)
        prefixes, starts = prefixes_of(self.diagram, layer, inner if self._is_plain else 0, wanted)
        bounds = cuts_of(starts, wanted)
        pieces = len(bounds) - 1
        known, there = self._after
        if known is not values:
            there = self.device.array(values)
        out = self.zeros(plane_words(count), np.uint64)
        ends = self.zeros(ENDS * pieces, np.uint64).reshape(pieces, ENDS)
        twin = int(self._roots[layer + 1]) if layer + 1 < self.diagram.layers else ABSENT
        player = layer % self._players
        self.run_each(
            settle_piece, pieces, self.device.array(bounds), self._nodes, self._placed_tails,
            self._moves[player], self._tail_moves[player], int(self._roots[layer]), twin, self.diagram.digits.stuck,
            self.device.array(prefixes), self.device.array(starts), there, out, ends, self._scratch(pieces),
        )  # fmt: skip
        found = self.device.read(out)
        self._after = found, out
        return found

    def words(self, _layer: int, values: Words) -> Words:
        """Return the values of a layer as words."""
        return values

    @property
    def _is_plain(self) -> bool:
        """Tell whether the digits are the diagram's own."""
        return self._digits is self.diagram.digits

    def _on_device(self, arrays: Any) -> Any:
        return type(arrays)(*map(self.device.array, arrays))

    def _scratch(self, pieces: int) -> Scratch:
        """Return the arrays of all pieces' walks; each writes before it reads."""
        one = scratch_for(self._digits)
        return Scratch(
            *(self.device.room(array.size * pieces, array.dtype).reshape(*array.shape, pieces) for array in one)
        )

    def _plane_bytes(self, layer: int) -> int:
        return 8 * plane_words(self.diagram.count(layer))

    def _wanted(self, layer: int) -> int:
        """Return how many pieces a layer is cut into, about."""
        return max(1, min(PIECES, self.diagram.count(layer) // LEAST))

    def _piece_bytes(self) -> int:
        """Return the bytes of the walks and ends of all pieces, and of the prefixes, one digit more than are enough at most."""
        walk = sum(array.nbytes for array in scratch_for(self._digits)) + 8 * (ENDS + 1)
        prefix = 8 * len(self._digits.digits)
        return max(
            pieces * walk + min(pieces * self._digits.most_codes, self.diagram.count(layer) + 1) * prefix
            for layer in range(self.diagram.layers)
            for pieces in (self._wanted(layer),)
        )
