"""The layers of a game, forwards: which positions moves reach, counted, and numbered by a diagram."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.errors import BadGame, BadRequest, OutOfMemory
from searchbench.game import Game
from searchbench.index.diagram import Diagram, count_members
from searchbench.index.digits import WORD, Digits, table_faults
from searchbench.inherited import why_left_out
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.images import image
from searchbench.solvers.exhaustive.diagrams.moves import moves_of
from searchbench.solvers.exhaustive.diagrams.patterns import (
    Progress,
    lost_of,
    new_progress,
    number_of_set,
    without_lost,
)
from searchbench.solvers.exhaustive.diagrams.pool import (
    ABSENT,
    FULL,
    MOST,
    NODES,
    TORN,
    UNKNOWN,
    Pool,
    copied,
    fill_tables,
    frames_for,
    leaf_of,
    members_of,
    more_room,
    new_cache,
    new_pool,
    node_of,
    pool_bytes,
)
from searchbench.store.working import WorkingFolder

SHARE: Final = 0.75
"""Part of the memory budget for nodes and tables of results; the rest is for the arrays of the finished diagram."""
CACHES: Final = (1 << 10, 1 << 22)
"""Entries of a table of results, at least and at most; between them as many as the layer has nodes, four times."""
_NAMES: Final = jit.Names({}, "cpu")
FEW_POSITIONS: Final = 10_000
"""Up to how many positions a game is swept interpreted: a second's work, where compiling takes some twenty."""


@dataclass
class Layers:
    """The reachable layers of a game: `reachable` and `undecided` positions of each, and the diagram of the undecided ones.

    A layer whose positions are all decided is counted as reachable, and is none of the diagram's.
    """

    diagram: Diagram
    reachable: list[int]
    undecided: list[int]
    seconds: dict[str, float] = field(default_factory=dict)


def digits_of(game: Game) -> Digits:
    """Return the digits of a game, their tables checked. Raises BadRequest where it tells none, and BadGame."""
    told: Digits | None = game.claimed("digits")
    if told is None:
        raise BadRequest(
            f"{game} tells no `digits`, from which diagrams of its positions would be made{why_left_out(game, 'digits')}"
        )
    for fault in table_faults(told, game.width):
        raise BadGame(f"{game}: digits(): {fault}; `searchbench check` tells more")
    return told


def reachable_layers(
    game: Game, run: Run | None = None, most: int | None = None, target: jit.Target | None = None
) -> Layers:
    """Return the layers of a game that are reached from its start, at most `most` moves from it.

    Without a `target` they are found where that is sooner.

    Raises BadRequest for a game without `digits`, BadGame and OutOfMemory.
    """
    digits = digits_of(game)
    with run or Run() as active:
        return Forward(game, digits, active, target or quickest_target(game, active)).layers(most)


def quickest_target(game: Game, run: Run) -> jit.Target:
    """Tell where a game is swept sooner: interpreted where few positions are reached, unless the kernels are kept on disk.

    Raises BadRequest and BadGame, as the search of its layers does.
    """
    digits = digits_of(game)
    if jit.is_kept(image, _NAMES):
        return "cpu"
    with Run(memory=run.memory, threads=1) as glance:
        return "interpreted" if Forward(game, digits, glance, "interpreted").are_few(FEW_POSITIONS) else "cpu"


class Forward:
    """Find layer after layer; a `folder` keeps those that are found, and is gone on with."""

    def __init__(
        self, game: Game, digits: Digits, run: Run, target: jit.Target = "cpu", folder: WorkingFolder | None = None
    ) -> None:
        start = digits.codes(game.start())
        if start is None:
            raise BadGame(f"{game}: digits() has no codes for the start")
        self.game, self.digits, self.run, self.folder, self.start = game, digits, run, folder, start
        self.last = len(digits.digits) - 1
        self.words = -(-digits.most_codes // WORD)
        self.most = int(SHARE * run.memory)
        self._image = jit.bind(image, _NAMES, target)
        self._without_lost = jit.bind(without_lost, _NAMES, target)
        self._fill = jit.bind(fill_tables, _NAMES, target)
        self._moves = [moves_of(digits, player) for player in range(len(digits.actions))]
        self._lost = [lost_of(digits, patterns) for patterns in digits.lost]
        self._progress = [new_progress(lost.later.shape[1]) for lost in self._lost]
        self._frames = [frames_for(digits) for _ in range(3)]
        self.kept, self.scratch = new_pool(self.words), new_pool(self.words)
        self.roots: list[int] = []
        self._whole = [0, 0, 0]
        self.reachable = [1]
        self.seconds = {"forward": 0.0, "flatten": 0.0}

    def layers(self, most: int | None = None) -> Layers:
        """Return the layers up to `most` moves, all of them by default."""
        begun = time.process_time()
        if not self._restore():
            while (most is None or len(self.reachable) <= most) and self._next():
                if self.folder is not None and self.folder.due:
                    self._keep(complete=False)
            if self.folder is not None and most is None:
                self._keep(complete=True)
        self.scratch = new_pool(self.words)
        self.seconds["forward"] += time.process_time() - begun
        begun = time.process_time()
        diagram = self.diagram()
        self.seconds["flatten"] += time.process_time() - begun
        undecided = [diagram.count(layer) for layer in range(diagram.layers)]
        return Layers(diagram, self.reachable, undecided + [0] * (len(self.reachable) - len(undecided)), self.seconds)

    def are_few(self, most: int) -> bool:
        """Find layer after layer while there are at most so many positions; return whether these are all."""
        self._begin()
        while sum(self.reachable) <= most:
            if not self._next():
                return True
        return False

    def diagram(self) -> Diagram:
        """Return the diagram of the layers so far."""
        return Diagram.of_arrays(self.digits, self.digits.weight(self.start), self.arrays())

    def arrays(self) -> dict[str, Any]:
        """Return the nodes of the layers so far, as `Diagram.of_arrays` takes them; none of a layer that was not finished."""
        nodes, edges, leaves = self._whole
        return {
            "masks": np.ascontiguousarray(self.kept.masks[:nodes]),
            "children": self.kept.children[:edges],
            "leaf_masks": self.kept.leaf_masks[:leaves],
            "leaf_words": self.kept.leaf_words[:leaves],
            "roots": np.array(self.roots, np.int32),
        }

    def _begin(self) -> None:
        """Make the layer of the start."""
        at = self._frames[0]
        child = ABSENT
        for digit in range(self.last, -1, -1):
            code = self.start[digit]
            if digit == self.last:
                child = leaf_of(self.kept, self.scratch, np.uint64(1 << code % WORD), code // WORD, at, True)
                continue
            at.mask[digit] = 0
            at.mask[digit, code // WORD] = 1 << code % WORD
            at.children[digit, 0], at.counts[digit] = child, 1
            child = node_of(self.kept, self.scratch, digit, self.last, at, True)
        self._add(child)

    def _add(self, root: int) -> None:
        """Add a layer whose nodes are all made."""
        self.roots.append(root)
        self._whole = self.kept.sizes.tolist()

    def _next(self) -> bool:
        """Find the next layer; return whether it has undecided positions."""
        layer = len(self.reachable)
        reached = self._reached(layer - 1)
        if reached == ABSENT:
            return False
        count = members_of(self.kept, self.scratch, reached, self.last == 0)
        root = self._undecided(reached, layer - 1)
        self.reachable.append(count)  # with the layer's nodes, as both may be kept
        _empty(self.scratch)
        self.run.progress(f"layer {layer}: {self.reachable[-1]:,} positions", layer, 0)
        if root != ABSENT:
            self._add(root)
        return root != ABSENT

    def _reached(self, layer: int) -> int:
        """Return the successors of a layer."""
        moves = self._moves[layer % len(self._moves)]
        nodes, _, leaves = self.kept.sizes.tolist()
        results, leaf_results = np.full(nodes, UNKNOWN, np.int32), np.full(leaves, UNKNOWN, np.int32)
        unions, rests = new_cache(self._entries()), new_cache(self._entries() if _is_long(moves) else CACHES[0])
        while True:
            found = self._image(
                self.kept, self.scratch, moves, self.roots[layer], self.last, results, leaf_results, unions, rests,
                *self._frames,
            )  # fmt: skip
            if found == TORN:
                raise BadGame(
                    f"digit {self.last}, the last one, has codes of two words of {WORD} after the same codes of the others: "
                    "make it of fewer cells, or let another digit be the last"
                )
            if found != FULL:
                return int(found)
            self.scratch = self._grown(self.scratch, layer + 1)

    def _undecided(self, reached: int, layer: int) -> int:
        """Return the members of a set that lie in no pattern of lost ones, as a kept set."""
        player = layer % len(self._lost)
        results = new_cache(self._entries())
        while True:
            progress = self._progress[player]
            found = int(
                self._without_lost(
                    self.kept, self.scratch, self._lost[player], progress, reached, self.last, results, self._frames[0]
                )
            )
            if found != FULL:
                return found
            if progress.size[0] == len(progress.sets):
                self._progress[player] = _longer(progress)
            else:
                self.kept = self._grown(self.kept, layer + 1)

    def _entries(self) -> int:
        """Return the number of entries of a table of results."""
        nodes = int(max(self.kept.sizes[NODES] // max(1, len(self.roots)), self.scratch.sizes[NODES]))
        return int(min(max(CACHES[0], 1 << (4 * nodes).bit_length()), CACHES[1]))

    def _grown(self, pool: Pool, layer: int) -> Pool:
        """Return a pool with more room where there is little, or raise OutOfMemory."""
        other = self.scratch if pool is self.kept else self.kept
        nodes, edges, leaves = room = more_room(pool)
        needed = other.nbytes + pool_bytes(self.words, *room)
        if needed > self.most or nodes >= MOST:
            if self.folder is not None:
                self._keep(complete=False)
            raise OutOfMemory(
                f"layer {layer} of {self.game} needs more than {pool.sizes[NODES]:,} nodes, some {needed:,} bytes: give a larger "
                "--memory"
            )
        made = copied(pool, nodes, edges, leaves)
        self._fill(made, self._frames[0])
        return made

    def _keep(self, complete: bool) -> None:
        """Keep the layers in the working folder."""
        assert self.folder is not None
        arrays = {name: array.reshape(-1) for name, array in self.arrays().items()}
        self.folder.commit({"reachable": self.reachable, "complete": complete}, arrays, self.run)

    def _restore(self) -> bool:
        """Take the layers that an earlier run has kept, or the start; return whether they are all."""
        if self.folder is None or not self.folder.record:
            self._begin()
            return False
        found = {name: self.folder.copy_of(name, self.run) for name in sorted(self.folder.copies)}
        masks = found["masks"].reshape(-1, self.words)
        sizes = len(masks), len(found["children"]), len(found["leaf_masks"])
        self.kept = new_pool(self.words, *(max(1, size) for size in sizes))
        self.kept.sizes[:] = self._whole = list(sizes)
        for name in ("children", "leaf_masks", "leaf_words"):
            getattr(self.kept, name)[: len(found[name])] = found[name]
        self.kept.masks[: len(masks)] = masks
        self.roots = found["roots"].tolist()
        firsts, counts, _, places = count_members(
            masks, found["children"], found["leaf_masks"], found["roots"], self.last + 1
        )
        self.kept.firsts[: len(masks)], self.kept.counts[: len(masks)] = firsts[:, 0], counts
        self.kept.digits[: len(masks)] = places
        self._fill(self.kept, self._frames[0])
        self.reachable = list(self.folder.record["reachable"])
        return bool(self.folder.record["complete"])


def _is_long(moves: Any) -> bool:
    """Tell whether some action touches several digits."""
    return bool((moves.firsts != moves.lasts).any())


def _empty(pool: Pool) -> None:
    """Take all nodes and leaves out of a pool."""
    pool.sizes[:] = 0
    pool.table[:] = ABSENT
    pool.leaf_table[:] = ABSENT


def _longer(progress: Progress) -> Progress:
    """Return a table with the same sets and twice the room."""
    made = new_progress(progress.sets.shape[1], 2 * len(progress.sets))
    for words in progress.sets[1:]:
        made.next[:] = words
        number_of_set(made)
    return made
