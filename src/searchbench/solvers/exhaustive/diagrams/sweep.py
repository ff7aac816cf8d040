"""The sweep: values of one layer from those of the next, many positions at a time.

The diagram of a layer is walked depth first, that is, in the order of the numbers. For each move the path of the successor is
carried along in the diagram of the next layer, so no position is ever ranked. Where a path leaves that diagram, and its move
touches no digit to come, all positions below are won, and are not looked at. The walk ends at the last digit but one: the
positions below are settled block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.exchange.space import untouched
from searchbench.index.diagram import Diagram, Nodes, edge_of
from searchbench.index.digits import Digit, Digits
from searchbench.jit import (
    FIRST,
    STOP,
    PerThread,
    Rows,
    extract_bits,
    inlined,
    popcount,
    trailing_zeros,
    unowned,
    unsigned,
)
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.blocks import (
    ABSENT,
    FULL,
    IMPOSSIBLE,
    list_paths,
    scratch_for,
    settle,
)
from searchbench.solvers.exhaustive.diagrams.dealt import Dealt, empty_planes, plane_words
from searchbench.solvers.exhaustive.diagrams.moves import moves_of
from searchbench.solvers.exhaustive.diagrams.tails import tail_moves_of, tails_of

FEW: Final = 20_000
"""A layer of fewer positions is one piece of work."""
PIECES_PER_THREAD: Final = 8
SAMPLED: Final = 16
"""How many pieces of a layer a sample has, about."""
_NAMES: Final = jit.Names({}, "cpu")


@inlined
def descend(nodes: Any, moves: Any, at: Any, depth: int, code: int) -> bool:
    """Follow all paths by one digit, from `depth` to the next; the walk's own node was followed already.

    Returns whether an action that touches no later digit leads to no member: then all positions here are won.
    """
    here, below = unsigned(depth), unsigned(depth + 1)
    twin = at.twin[here]
    twin_base = at.twin_base[here]
    own = moves.started[here]
    for action in range(own):
        start = at.path[here, unsigned(action)]
        after = moves.images[here, unsigned(action), unsigned(code)]
        found = follow(nodes, at, depth + 1, action, start, at.base[here, unsigned(action)], after)
        if found == ABSENT and moves.lasts[unsigned(action)] <= depth:
            return True
    for action in range(own, moves.started[below]):
        after = moves.images[here, unsigned(action), unsigned(code)]
        found = follow(nodes, at, depth + 1, action, twin, twin_base, after)
        if found == ABSENT and moves.lasts[unsigned(action)] <= depth:
            return True
    edge = edge_of(nodes, twin, code) if twin >= 0 else -1
    if edge >= 0:
        at.twin[below] = nodes.children[unsigned(edge)]
        at.twin_base[below] = twin_base + nodes.offsets[unsigned(edge)]
    else:
        at.twin[below] = ABSENT
    return False


@inlined
def follow(nodes: Any, at: Any, below: int, action: int, start: int, base: int, after: int) -> int:
    """Follow the path of an action from a node by a code, to the depth `below`; return the node there."""
    found = IMPOSSIBLE
    if start != IMPOSSIBLE and after >= 0:
        found = ABSENT
        if start >= 0:
            edge = edge_of(nodes, start, after)
            if edge >= 0:
                found = int(nodes.children[unsigned(edge)])
                at.base[unsigned(below), unsigned(action)] = base + nodes.offsets[unsigned(edge)]
    at.path[unsigned(below), unsigned(action)] = found
    return found


@inlined
def appended(
    out: Any, ends: Any, begin: int, place: int, filled: int, wins: Any, losses: Any, won: Any, lost: Any, count: int
) -> tuple[int, int, Any, Any]:
    """Append `count` bits, 64 at most, to the words at work, of which `filled` bits are there; return the words at work.

    A full word is written: the first one to `ends`, as it may be shared.
    """
    wins |= won << unsigned(filled) & unsigned(FULL)
    losses |= lost << unsigned(filled) & unsigned(FULL)
    filled += count
    if filled >= 64:
        if place == begin:
            ends[0], ends[1], ends[2] = unsigned(place), wins, losses
        else:
            out[unsigned(2 * place)], out[unsigned(2 * place + 1)] = wins, losses
        place += 1
        filled -= 64
        wins, losses = unsigned(0), unsigned(0)
        if filled > 0:
            wins, losses = won >> unsigned(count - filled), lost >> unsigned(count - filled)
    return place, filled, wins, losses


def sweep_prefixes(
    nodes: Any, tails: Any, moves: Any, tail_moves: Any, root: int, twin: int, stuck: int, prefixes: Any, starts: Any,
    first: int, stop: int, values: Any, out: Any, ends: Any, at: Any,
) -> None:  # fmt: skip
    """Settle the positions under some prefixes, which lie one after the other, and write their bits.

    `prefixes` [prefix, depth] has codes of all but the last two digits at most, `starts` [prefix] the number of the first
    position in the layer. `values` and `out` have the
    words W and L of 64 positions by turns, for the next and for this layer. The first and the last word may be shared with
    neighbours: `ends` gets place, W and L of both.
    """
    nodes, tails, moves, tail_moves = unowned(nodes), unowned(tails), unowned(moves), unowned(tail_moves)
    at, values, out, ends = unowned(at), unowned(values), unowned(out), unowned(ends)
    row = moves.images.shape[0] - 2
    top = prefixes.shape[1]
    begin = starts[first] >> 6
    place, filled = begin, starts[first] & 63
    wins, losses = unsigned(0), unsigned(0)
    at.node[0], at.twin[0], at.twin_base[0] = root, twin, 0
    for prefix in range(first, stop):
        depth, won_here = 0, 0
        while depth < top and won_here == 0:
            edge = edge_of(nodes, at.node[depth], prefixes[prefix, depth])
            at.node[depth + 1] = nodes.children[edge]
            if descend(nodes, moves, at, depth, prefixes[prefix, depth]):
                won_here = starts[prefix + 1] - starts[prefix]
            depth += 1
        done = won_here > 0
        entered = True
        while True:
            while won_here > 0:
                count = min(won_here, 64)
                place, filled, wins, losses = appended(
                    out, ends, begin, place, filled, wins, losses,
                    unsigned(FULL) >> unsigned(64 - count), unsigned(0), count,
                )  # fmt: skip
                won_here -= count
            if done:
                break
            here = unsigned(depth)
            node = unsigned(at.node[here])
            if depth < row:
                if entered:
                    at.word[here] = 0
                    at.left[here] = nodes.masks[node, unsigned(0)]
                word = at.word[here]
                left = at.left[here]
                while left == 0 and word + 1 < nodes.masks.shape[1]:
                    word += 1
                    at.word[here] = word
                    left = nodes.masks[node, unsigned(word)]
                entered = left != 0
                if not entered:
                    done = depth == top
                    depth -= 1
                    continue
                low = trailing_zeros(left)
                at.left[here] = left & (left - unsigned(1))
                passed = nodes.masks[node, unsigned(word)] & ((unsigned(1) << unsigned(low)) - unsigned(1))
                child = nodes.children[unsigned(nodes.firsts[node, unsigned(word)] + popcount(passed))]
                at.node[unsigned(depth + 1)] = child
                if descend(nodes, moves, at, depth, 64 * word + low):
                    won_here = tails.counts[unsigned(child)]
                    entered = False
                else:
                    depth += 1
                continue
            word = tails.firsts[node]
            still = list_paths(tails, tail_moves, at, row, moves.started[unsigned(row)], word)
            if still < 0:
                won_here = tails.counts[node]
            else:
                start = tails.starts[node]
                for offset in range(tails.starts[unsigned(at.node[here] + 1)] - start):
                    members = tails.masks[unsigned(start + offset)]
                    if members == 0:
                        continue
                    won, lost = settle(tails, tail_moves, at, still, members, offset, word + offset, stuck, values)
                    place, filled, wins, losses = appended(
                        out, ends, begin, place, filled, wins, losses,
                        extract_bits(won, members), extract_bits(lost, members), popcount(members),
                    )  # fmt: skip
            done = depth == top
            depth -= 1
            entered = False
    if place == begin:
        ends[0], ends[1], ends[2] = unsigned(place), wins, losses
    else:
        ends[3], ends[4], ends[5] = unsigned(place), wins, losses


def prefixes_of(
    diagram: Diagram, layer: int, depth: int, enough: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the codes of the first `depth` digits that occur in a layer, in order, and the numbers of their first members.

    The numbers are counted from the layer's first, and have one entry more. Fewer digits do where their codes are `enough`.
    """
    nodes = diagram.nodes
    node, starts = nodes.roots[layer : layer + 1].astype(np.int64), np.zeros(1, np.int64)
    codes = np.zeros((1, 0), np.int64)
    for _ in range(depth):
        if enough is not None and len(node) >= enough:
            break
        bits = np.unpackbits(nodes.masks[node].astype("<u8").view(np.uint8), axis=1, bitorder="little")
        row, code = np.nonzero(bits)
        before = np.searchsorted(row, np.arange(len(node)))
        edge = nodes.firsts[node, 0][row] + np.arange(len(row)) - before[row]
        codes = np.concatenate([codes[row], code[:, None]], axis=1)
        node, starts = nodes.children[edge].astype(np.int64), starts[row] + nodes.offsets[edge]
    return codes, np.concatenate([starts, [diagram.count(layer)]])


class Sweep:
    """Settle layer after layer of a diagram; `pieces` is the number of pieces of a layer's work, by default some a thread.

    Ranks deal the pieces out, and all of them settle every layer together.
    """

    def __init__(self, diagram: Diagram, run: Run, target: jit.Target = "cpu", pieces: int | None = None) -> None:
        self.diagram, self.run, self.pieces, self.dealt = diagram, run, pieces, Dealt()
        self._kernel = jit.bind(sweep_prefixes, _NAMES, target)
        self._nodes, digits = with_two_digits(diagram)
        self._moves = [moves_of(digits, player) for player in range(len(digits.actions))]
        self._tails = self.dealt.memory.once(lambda: tails_of(self._nodes, digits, target))
        self._tail_moves = [tail_moves_of(digits, player, self._tails) for player in range(len(digits.actions))]
        self._scratch = PerThread(lambda: scratch_for(digits))

    @property
    def nbytes(self) -> int:
        """Return the bytes that the sweep takes besides the diagram and the planes."""
        return self._tails.nbytes // self.dealt.near

    def layer(self, layer: int, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Return the planes of a layer from those of the next (of any size for the last layer)."""
        count = self.diagram.count(layer)
        prefixes, starts = self._prefixes(layer)
        whole = len(prefixes) == 1
        wanted = 1 if whole else self.pieces or PIECES_PER_THREAD * self.run.threads * self.dealt.count
        pieces = _grouped(starts, wanted)
        planes, own = self.dealt.planes(count), self.dealt.own(pieces)
        ends = self._settle(layer, (prefixes, starts), own, values, planes)
        self.dealt.join(planes, starts, pieces, ends[:, :6])
        return planes

    def settle_sample(self, layer: int, positions: int) -> int:
        """Settle about so many positions from all over a layer, as if all moves led to draws; return how many they were."""
        count = self.diagram.count(layer)
        after = self.diagram.count(layer + 1) if layer + 1 < self.diagram.layers else 0
        prefixes, starts = self._prefixes(layer)
        apart = max(1, count // max(1, positions))
        some = _grouped(starts, SAMPLED * apart)[::apart]
        drawn, planes = (untouched(plane_words(positions), np.uint64) for positions in (after, count))  # may be huge
        self._settle(layer, (prefixes, starts), some, drawn, planes)
        return sum(int(starts[stop] - starts[first]) for first, stop in some)

    def _prefixes(self, layer: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the codes of the first digits under which the positions of a layer lie, and where each begins."""
        whole = self.diagram.count(layer) < FEW and self.pieces is None
        inner = max(0, len(self.diagram.digits.digits) - 2)
        return prefixes_of(self.diagram, layer, 0 if whole else min(2, inner))

    def _settle(
        self,
        layer: int,
        prefixes: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
        pieces: list[tuple[int, int]],
        values: npt.NDArray[np.uint64],
        planes: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.uint64]:
        """Settle some pieces of a layer; return [piece, place, W, L, place, W, L and more] for the words at their ends."""
        nodes = self._nodes
        ends = np.zeros((len(pieces), 2 * 8), np.uint64)
        twin = int(nodes.roots[layer + 1]) if layer + 1 < self.diagram.layers else ABSENT
        player = layer % len(self._moves)
        self.run.launch(
            self._kernel, pieces, nodes, self._tails, self._moves[player], self._tail_moves[player],
            int(nodes.roots[layer]), twin, self.diagram.digits.stuck, *prefixes,
            FIRST, STOP, values, planes, Rows(ends), self._scratch,
        )  # fmt: skip
        return ends


def with_two_digits(diagram: Diagram) -> tuple[Nodes, Digits]:
    """Return the nodes and the digits, with a digit that is always the same before a single one: kernels take two or more."""
    nodes, told = diagram.nodes, diagram.digits
    if len(told.digits) > 1:
        return nodes, told
    masks = np.zeros((diagram.layers, nodes.masks.shape[1]), np.uint64)
    masks[:, 0] = 1
    firsts = np.repeat(np.arange(diagram.layers)[:, None], masks.shape[1], axis=1)
    actions = tuple(
        tuple(tuple(change._replace(digit=1) for change in action) for action in actions) for actions in told.actions
    )
    above = Nodes(
        masks, firsts, nodes.roots, np.zeros(diagram.layers, np.int64), nodes.leaf_masks, nodes.leaf_words,
        np.arange(diagram.layers, dtype=np.int32), nodes.starts,
    )  # fmt: skip
    return above, told._replace(digits=(Digit((), ((),), (0,)), *told.digits), actions=actions)


def _grouped(starts: npt.NDArray[np.int64], wanted: int) -> list[tuple[int, int]]:
    """Return intervals of prefixes with about equally many positions, at most `wanted`."""
    return list(pairwise(cuts_of(starts, wanted).tolist()))


def cuts_of(starts: npt.NDArray[np.int64], wanted: int) -> npt.NDArray[np.int64]:
    """Return the bounds of such intervals."""
    cuts = np.searchsorted(starts[:-1], np.linspace(0, starts[-1], wanted + 1)[1:-1])
    return np.unique(np.concatenate([[0], cuts, [len(starts) - 1]])).astype(np.int64)


def sweep_all(diagram: Diagram, run: Run, target: jit.Target = "cpu", pieces: int | None = None) -> Sequence[Any]:
    """Return the planes of all layers, in memory."""
    sweep = Sweep(diagram, run, target, pieces)
    planes = [empty_planes(0)] * (diagram.layers + 1)
    for layer in range(diagram.layers - 1, -1, -1):
        planes[layer] = sweep.layer(layer, planes[layer + 1])
    return planes[:-1]
