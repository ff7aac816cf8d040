"""The sweep: values of one layer from those of the next, many positions at a time.

The diagram of a layer is walked depth first, that is, in the order of the numbers. For each move the path of the successor is
carried along in the diagram of the next layer, so no position is ever ranked. The positions that differ in the last digit
alone, a *block*, are settled together by operations on words. Values are two bits a position, W and L: the player to move
wins, or loses; neither is a draw. A move to a position that the next layer's diagram does not have wins at once, because
diagrams have all positions that are not lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.index.diagram import Diagram, Nodes, edge_of
from searchbench.index.digits import Digit, Digits
from searchbench.jit import (
    FIRST,
    STOP,
    PerThread,
    Rows,
    deposit_bits,
    extract_bits,
    inlined,
    popcount,
    trailing_zeros,
    unowned,
    unsigned,
)
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.moves import moves_of

ABSENT: Final = -1
"""In the place of a node: the successor is no member, so the player who moved has won."""
IMPOSSIBLE: Final = -2
"""In the place of a node: the move cannot be made."""
FULL: Final = (1 << 64) - 1
PADDING: Final = 2
"""Words behind the last of a plane: 64 bits are read from any position on."""
FEW: Final = 20_000
"""A layer of fewer positions is one piece of work."""
PIECES_PER_THREAD: Final = 8
_NAMES: Final = jit.Names({}, "cpu")


class Scratch(NamedTuple):
    """Where a walk is.

    For each depth it has the node, the node of the next layer under the same codes with the sum of its offsets, the codes
    left in a word, and for each action the node of its path and its sum. Before the last digit paths are listed: those that are
    *still* from there on, with the mask of their codes in a word and the first edge, and the leaf and the edge under a code;
    and all others.
    """

    node: npt.NDArray[np.int64]
    twin: npt.NDArray[np.int64]
    twin_base: npt.NDArray[np.int64]
    left: npt.NDArray[np.uint64]
    word: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]
    base: npt.NDArray[np.int64]
    still_node: npt.NDArray[np.int64]
    still_base: npt.NDArray[np.int64]
    still_first: npt.NDArray[np.int64]
    still_mask: npt.NDArray[np.uint64]
    leaf_mask: npt.NDArray[np.uint64]
    still_edge: npt.NDArray[np.int64]
    other_node: npt.NDArray[np.int64]
    other_sum: npt.NDArray[np.int64]
    other_leaf: npt.NDArray[np.int64]
    other_edge: npt.NDArray[np.int64]


def scratch_for(digits: Digits) -> Scratch:
    """Return the arrays of a walk."""
    depths, actions = len(digits.digits) + 1, max(map(len, digits.actions))
    node, twin, twin_base, word = (np.zeros(depths, np.int64) for _ in range(4))
    path, base = (np.zeros((depths, actions), np.int64) for _ in range(2))
    still: list[Any] = [
        np.zeros(actions, kind) for kind in (np.int64, np.int64, np.int64, np.uint64, np.uint64, np.int64)
    ]
    other = [np.zeros(actions, np.int64) for _ in range(4)]
    return Scratch(node, twin, twin_base, np.zeros(depths, np.uint64), word, path, base, *still, *other)


@inlined
def bits_from(planes: Any, which: int, position: int) -> int:
    """Return 64 bits of a plane, W (0) or L (1), from a position on."""
    word = 2 * (position >> 6) + which
    shift = unsigned(position & 63)
    above = ((planes[unsigned(word + 2)] << unsigned(1)) & unsigned(FULL)) << (unsigned(63) - shift)
    bits: int = planes[unsigned(word)] >> shift | above & unsigned(FULL)
    return bits


@inlined
def descend(nodes: Any, moves: Any, at: Any, depth: int, code: int) -> None:
    """Follow all paths by one digit, from `depth` to the next; the walk's own node was followed already."""
    here, below = unsigned(depth), unsigned(depth + 1)
    twin = at.twin[here]
    twin_base = at.twin_base[here]
    edge = edge_of(nodes, twin, code) if twin >= 0 else -1
    if edge >= 0:
        at.twin[below] = nodes.children[unsigned(edge)]
        at.twin_base[below] = twin_base + nodes.offsets[unsigned(edge)]
    else:
        at.twin[below] = -1
    own = moves.started[here]
    for action in range(own):
        start = at.path[here, unsigned(action)]
        after = moves.images[here, unsigned(action), unsigned(code)]
        follow(nodes, at, depth + 1, action, start, at.base[here, unsigned(action)], after)
    for action in range(own, moves.started[below]):
        after = moves.images[here, unsigned(action), unsigned(code)]
        follow(nodes, at, depth + 1, action, twin, twin_base, after)


@inlined
def follow(nodes: Any, at: Any, below: int, action: int, start: int, base: int, after: int) -> None:
    """Follow the path of an action from a node by a code, to the depth `below`."""
    found = -2
    if start != -2 and after >= 0:
        found = -1
        if start >= 0:
            edge = edge_of(nodes, start, after)
            if edge >= 0:
                found = nodes.children[unsigned(edge)]
                at.base[unsigned(below), unsigned(action)] = base + nodes.offsets[unsigned(edge)]
    at.path[unsigned(below), unsigned(action)] = found


@inlined
def begin_row(nodes: Any, moves: Any, at: Any, row: int) -> int:
    """List the paths that go on through the last two digits as they are; return how many there are."""
    count = 0
    for place in range(len(moves.order)):
        action = moves.order[unsigned(place)]
        if moves.still[unsigned(action)] and at.path[unsigned(row), unsigned(action)] != -2:
            at.still_node[unsigned(count)] = at.path[unsigned(row), unsigned(action)]
            at.still_base[unsigned(count)] = at.base[unsigned(row), unsigned(action)]
            count += 1
    for place in range(len(moves.others)):
        action = moves.others[unsigned(place)]
        started = action < moves.started[unsigned(row)]
        at.other_node[unsigned(place)] = at.path[unsigned(row), unsigned(action)] if started else at.twin[unsigned(row)]
        at.other_sum[unsigned(place)] = (
            at.base[unsigned(row), unsigned(action)] if started else at.twin_base[unsigned(row)]
        )
    return count


@inlined
def begin_word(nodes: Any, at: Any, count: int, word: int) -> None:
    """Take the masks of the listed paths for the codes of a word, and the edges of the first of them."""
    for place in range(count):
        here = unsigned(place)
        node = at.still_node[here]
        at.still_mask[here] = unsigned(0)
        if node >= 0:
            at.still_mask[here] = nodes.masks[unsigned(node), unsigned(word)]
            at.still_first[here] = nodes.firsts[unsigned(node), unsigned(word)]


@inlined
def settle(
    nodes: Any, moves: Any, at: Any, row: int, count: int, code: int, leaf: int, stuck: int, values: Any
) -> tuple[int, int]:
    """Return the bits W and L of the block at a leaf, whose codes before the last end with `code`."""
    members = nodes.leaf_masks[unsigned(leaf)]
    word = nodes.leaf_words[unsigned(leaf)]
    bit = unsigned(1) << unsigned(code & 63)
    below = bit - unsigned(1)
    wide = nodes.masks.shape[1] > 1
    win = unsigned(0)
    able = members if count > 0 else unsigned(0)
    for place in range(count):
        here = unsigned(place)
        mask = at.still_mask[here]
        there = unsigned(0)
        if mask & bit != 0:
            edge = at.still_first[here] + popcount(mask & below)
            child = unsigned(nodes.children[unsigned(edge)])
            if not wide or nodes.leaf_words[child] == word:
                there = nodes.leaf_masks[child]
            at.still_edge[here] = edge
        at.leaf_mask[here] = there
        win |= members & ~there
    for place in range(len(moves.others)):
        start = at.other_node[unsigned(place)]
        after = moves.row_images[unsigned(place), unsigned(code)]
        at.other_leaf[unsigned(place)] = -1
        if start == -2 or after < 0:
            continue
        action = moves.others[unsigned(place)]
        found = -1
        edge = edge_of(nodes, start, after) if start >= 0 else -1
        if edge >= 0:
            found = int(nodes.children[unsigned(edge)])
            at.other_leaf[unsigned(place)] = found
            at.other_edge[unsigned(place)] = edge
        mine = members
        there = unsigned(0)
        if moves.touching[unsigned(action)]:
            mine = members & moves.able[unsigned(action), unsigned(word)]
            if found >= 0:
                there = moved_back(nodes.leaf_masks[unsigned(found)], nodes, moves, action, word, found)
        elif found >= 0 and nodes.leaf_words[unsigned(found)] == word:
            there = nodes.leaf_masks[unsigned(found)]
        able |= mine
        win |= mine & ~there
    if win & members == members:
        return members, unsigned(0)
    lose = able
    for place in range(count):
        there = at.leaf_mask[unsigned(place)]
        base = at.still_base[unsigned(place)] + nodes.offsets[unsigned(at.still_edge[unsigned(place)])]
        win |= deposit_bits(bits_from(values, 1, base), there)
        if win & members == members:
            return members, unsigned(0)
        lose &= deposit_bits(bits_from(values, 0, base), there)
    for place in range(len(moves.others)):
        found = at.other_leaf[unsigned(place)]
        if found < 0:
            continue
        action = moves.others[unsigned(place)]
        base = at.other_sum[unsigned(place)] + nodes.offsets[unsigned(at.other_edge[unsigned(place)])]
        there = nodes.leaf_masks[unsigned(found)]
        lost = deposit_bits(bits_from(values, 1, base), there)
        won = deposit_bits(bits_from(values, 0, base), there)
        mine = members
        if moves.touching[unsigned(action)]:
            lost = moved_back(lost, nodes, moves, action, word, found)
            won = moved_back(won, nodes, moves, action, word, found)
            mine = members & moves.able[unsigned(action), unsigned(word)]
        elif nodes.leaf_words[unsigned(found)] != word:
            continue
        win |= lost
        if win & members == members:
            return members, unsigned(0)
        lose &= won | (members & ~mine)
    if stuck < 0:
        lose |= members & ~able
    if stuck > 0:
        win |= members & ~able
    return win & members, lose & ~win


@inlined
def moved_back(bits: Any, nodes: Any, moves: Any, action: int, word: int, leaf: int) -> int:
    """Return bits of codes of a leaf, after an action on the last digit, at the codes before it in a word."""
    other = nodes.leaf_words[unsigned(leaf)]
    before = moves.befores[unsigned(action), unsigned(word), unsigned(other)]
    after = moves.afters[unsigned(action), unsigned(word), unsigned(other)]
    found: int = deposit_bits(extract_bits(bits, after), before)
    return found


def sweep_prefixes(
    nodes: Any, moves: Any, root: int, twin: int, stuck: int, prefixes: Any, starts: Any, first: int, stop: int,
    values: Any, out: Any, ends: Any, at: Any,
) -> None:  # fmt: skip
    """Settle the positions under some prefixes, which lie one after the other, and write their bits.

    `prefixes` [prefix, depth] has codes of all but the last two digits at most, `starts` [prefix] the number of the first
    position in the layer. `values` and `out` have the
    words W and L of 64 positions by turns, for the next and for this layer. The first and the last word may be shared with
    neighbours: `ends` gets place, W and L of both.
    """
    nodes, moves, at = unowned(nodes), unowned(moves), unowned(at)
    values, out, ends = unowned(values), unowned(out), unowned(ends)
    row = moves.images.shape[0] - 2
    top = prefixes.shape[1]
    place = starts[first] >> 6
    filled = starts[first] & 63
    shared = True
    wins = unsigned(0)
    losses = unsigned(0)
    at.node[0], at.twin[0], at.twin_base[0] = root, twin, 0
    for prefix in range(first, stop):
        for depth in range(top):
            edge = edge_of(nodes, at.node[depth], prefixes[prefix, depth])
            at.node[depth + 1] = nodes.children[edge]
            descend(nodes, moves, at, depth, prefixes[prefix, depth])
        depth = top
        entered = True
        while True:
            here = unsigned(depth)
            node = unsigned(at.node[here])
            if depth < row:
                if entered:
                    at.word[here] = 0
                    at.left[here] = nodes.masks[node, unsigned(0)]
                    entered = False
                word = at.word[here]
                left = at.left[here]
                while left == 0 and word + 1 < nodes.masks.shape[1]:
                    word += 1
                    at.word[here] = word
                    left = nodes.masks[node, unsigned(word)]
                if left == 0:
                    if depth == top:
                        break
                    depth -= 1
                    continue
                low = trailing_zeros(left)
                at.left[here] = left & (left - unsigned(1))
                passed = nodes.masks[node, unsigned(word)] & ((unsigned(1) << unsigned(low)) - unsigned(1))
                edge = nodes.firsts[node, unsigned(word)] + popcount(passed)
                at.node[unsigned(depth + 1)] = nodes.children[unsigned(edge)]
                descend(nodes, moves, at, depth, 64 * word + low)
                depth += 1
                entered = True
                continue
            listed = begin_row(nodes, moves, at, row)
            for word in range(nodes.masks.shape[1]):
                left = nodes.masks[node, unsigned(word)]
                if left == 0:
                    continue
                begin_word(nodes, at, listed, word)
                edge = nodes.firsts[node, unsigned(word)]
                while left != 0:
                    code = 64 * word + trailing_zeros(left)
                    left &= left - unsigned(1)
                    leaf = nodes.children[unsigned(edge)]
                    edge += 1
                    won, lost = settle(nodes, moves, at, row, listed, code, leaf, stuck, values)
                    members = nodes.leaf_masks[unsigned(leaf)]
                    count = popcount(members)
                    won, lost = extract_bits(won, members), extract_bits(lost, members)
                    wins |= won << unsigned(filled) & unsigned(FULL)
                    losses |= lost << unsigned(filled) & unsigned(FULL)
                    filled += count
                    if filled >= 64:
                        if shared:
                            ends[0], ends[1], ends[2] = unsigned(place), wins, losses
                            shared = False
                        else:
                            out[unsigned(2 * place)], out[unsigned(2 * place + 1)] = wins, losses
                        place += 1
                        filled -= 64
                        wins, losses = unsigned(0), unsigned(0)
                        if filled > 0:
                            wins, losses = won >> unsigned(count - filled), lost >> unsigned(count - filled)
            if depth == top:
                break
            depth -= 1
            entered = False
    if shared:
        ends[0], ends[1], ends[2] = unsigned(place), wins, losses
    else:
        ends[3], ends[4], ends[5] = unsigned(place), wins, losses


def prefixes_of(diagram: Diagram, layer: int, depth: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the codes of the first `depth` digits that occur in a layer, in order, and the numbers of their first members.

    The numbers are counted from the layer's first, and have one entry more.
    """
    found: list[tuple[int, tuple[int, ...], int]] = [(int(diagram.nodes.roots[layer]), (), 0)]
    for _ in range(depth):
        found = [
            (child, (*codes, code), start + offset)
            for node, codes, start in found
            for code, child, offset in diagram.edges(node)
        ]
    codes = np.array([codes for _, codes, _ in found], np.int64).reshape(len(found), depth)
    return codes, np.array([*(start for *_, start in found), diagram.count(layer)], np.int64)


def empty_planes(positions: int) -> npt.NDArray[np.uint64]:
    """Return the words W and L, by turns, of a layer of that many positions: all drawn."""
    return np.zeros(2 * (-(-positions // 64) + PADDING), np.uint64)


class Sweep:
    """Settle layer after layer of a diagram; `pieces` is the number of pieces of a layer's work, by default some a thread."""

    def __init__(self, diagram: Diagram, run: Run, target: jit.Target = "cpu", pieces: int | None = None) -> None:
        self.diagram, self.run, self.pieces = diagram, run, pieces
        self._kernel = jit.bind(sweep_prefixes, _NAMES, target)
        self._nodes, digits = _with_two_digits(diagram)
        self._moves = [moves_of(digits, player) for player in range(len(digits.actions))]
        self._scratch = PerThread(lambda: scratch_for(digits))

    def layer(self, layer: int, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Return the planes of a layer from those of the next (of any size for the last layer)."""
        nodes, count = self._nodes, self.diagram.count(layer)
        whole = count < FEW and self.pieces is None
        inner = max(0, len(self.diagram.digits.digits) - 2)
        prefixes, starts = prefixes_of(self.diagram, layer, 0 if whole else min(2, inner))
        wanted = 1 if whole else self.pieces or PIECES_PER_THREAD * self.run.threads
        pieces = _grouped(starts, wanted)
        planes = empty_planes(count)
        ends = np.zeros((len(pieces), 2 * 8), np.uint64)
        twin = int(nodes.roots[layer + 1]) if layer + 1 < self.diagram.layers else ABSENT
        moves = self._moves[layer % len(self._moves)]
        self.run.launch(
            self._kernel, pieces, nodes, moves, int(nodes.roots[layer]), twin, self.diagram.digits.stuck,
            prefixes, starts, FIRST, STOP, values, planes, Rows(ends), self._scratch,
        )  # fmt: skip
        for row in ends[:, :6].reshape(-1, 3):
            place = 2 * int(row[0])
            planes[place] |= row[1]
            planes[place + 1] |= row[2]
        return planes


def _with_two_digits(diagram: Diagram) -> tuple[Nodes, Digits]:
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
    cuts = np.searchsorted(starts[:-1], np.linspace(0, starts[-1], wanted + 1)[1:-1])
    ends = np.unique(np.concatenate([[0], cuts, [len(starts) - 1]])).tolist()
    return list(pairwise(ends))


def sweep_all(diagram: Diagram, run: Run, target: jit.Target = "cpu", pieces: int | None = None) -> Sequence[Any]:
    """Return the planes of all layers, in memory."""
    sweep = Sweep(diagram, run, target, pieces)
    planes = [empty_planes(0)] * (diagram.layers + 1)
    for layer in range(diagram.layers - 1, -1, -1):
        planes[layer] = sweep.layer(layer, planes[layer + 1])
    return planes[:-1]
