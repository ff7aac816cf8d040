"""Tails, the codes of the last two digits, as bits of words: so the sweep settles up to 64 positions at a time.

Tails that occur below one node are of one *class*, and so are all that are of one class with a third: the stones of each player
in two columns of Connect Four, say. The tails of a class are numbered in the order of their codes, which is that of the
positions, and have words of their own.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.index.diagram import Nodes
from searchbench.index.digits import NO_CODE, WORD, Action, Digits
from searchbench.jit import inlined, popcount, trailing_zeros, unowned, unsigned
from searchbench.solvers.exhaustive.diagrams.moves import in_order

_NAMES: Final = jit.Names({}, "cpu")
_NONE: Final = -1


class Tails(NamedTuple):
    """The members below each node of the last digit but one, as words of tails.

    Such a node has the words `starts` [node] to `starts` [node + 1], those of its class, whose first word is `firsts` [node];
    other nodes have none. `masks` [place] marks the tails of a word that are members, `passed` [place] counts the members in the
    node's words before. `counts` [node] are the members below any node. `places` [tail] is 64 * word + bit, -1 where a tail
    does not occur, `classes` [word] the first word of a word's class.
    """

    starts: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int32]
    masks: npt.NDArray[np.uint64]
    passed: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    classes: npt.NDArray[np.int32]

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays."""
        return sum(array.nbytes for array in self)


class TailMoves(NamedTuple):
    """What the actions of one player do to tails.

    The actions `still` leave the last two digits as they are; `others` do not. Of these, `able` [place among them, word] marks
    the tails on which the action can be made. Those of a word it leads to the words `targets` [entry], from the tails `befores`
    [entry] to `afters` [entry], in order; the entries begin at `entries` [place * words + word] and end where the next begin.
    """

    still: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]
    able: npt.NDArray[np.uint64]
    entries: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    befores: npt.NDArray[np.uint64]
    afters: npt.NDArray[np.uint64]


def tails_of(nodes: Nodes, digits: Digits, target: jit.Target) -> Tails:
    """Return the tails of all nodes; there are two digits or more."""
    row, wide = len(digits.digits) - 2, _width(digits)
    depths, samples = np.full(len(nodes.masks), -1, np.int8), np.full(len(nodes.masks), _NONE, np.int32)
    counts = np.zeros(len(nodes.masks), np.int64)
    heads = np.full(wide * len(digits.digits[row].contents), _NONE, np.int32)
    jit.bind(join_tails, _NAMES, target)(nodes, row, wide, depths, samples, counts, heads)
    places, classes = _numbered(heads)
    firsts = np.where(samples >= 0, classes[places[samples] // WORD], 0).astype(np.int32)
    words = np.where(samples >= 0, np.bincount(classes)[firsts], 0)
    starts = np.concatenate([[0], np.cumsum(words)]).astype(np.int64)
    masks, passed = np.zeros(starts[-1], np.uint64), np.zeros(starts[-1], np.int64)
    made = Tails(starts, firsts, masks, passed, counts, places, classes)
    jit.bind(mark_tails, _NAMES, target)(nodes, row, wide, depths, made)
    return made


def _width(digits: Digits) -> int:
    """Return by how much tails differ whose codes of the last digit but one differ by one."""
    return -(-len(digits.digits[-1].contents) // WORD) * WORD


def _numbered(heads: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the place of each tail, whose class has the name `heads` [tail], and the first word of each word's class."""
    tails = np.flatnonzero(heads != _NONE)
    tails = tails[np.argsort(heads[tails], kind="stable")]
    _, begins, sizes = np.unique(heads[tails], return_index=True, return_counts=True)
    words = -(-sizes // WORD)
    firsts = np.cumsum(words) - words
    places = np.full(len(heads), _NONE, np.int32)
    places[tails] = np.arange(len(tails)) - np.repeat(begins - WORD * firsts, sizes)
    return places, np.repeat(firsts, words).astype(np.int32)


def join_tails(nodes: Any, row: int, wide: int, depths: Any, samples: Any, counts: Any, heads: Any) -> None:
    """Find the digit of each node, its members, a tail of it, and for each tail a name of its class."""
    nodes, depths, samples = unowned(nodes), unowned(depths), unowned(samples)
    counts, heads = unowned(counts), unowned(heads)
    size = len(nodes.masks)
    for layer in range(len(nodes.roots)):
        depths[nodes.roots[layer]] = 0
    for node in range(size - 1, -1, -1):
        if depths[node] < row:
            stop = nodes.firsts[node + 1, 0] if node + 1 < size else len(nodes.children)
            for edge in range(nodes.firsts[node, 0], stop):
                depths[nodes.children[edge]] = depths[node] + 1
    for node in range(size):
        for word in range(nodes.masks.shape[1]):
            left = nodes.masks[node, word]
            edge = nodes.firsts[node, word]
            while left != 0:
                code = 64 * word + trailing_zeros(left)
                left &= left - unsigned(1)
                child = nodes.children[edge]
                edge += 1
                if depths[node] < row:
                    counts[node] += counts[child]
                    continue
                members = nodes.leaf_masks[child]
                counts[node] += popcount(members)
                while members != 0:
                    tail = wide * code + 64 * nodes.leaf_words[child] + trailing_zeros(members)
                    members &= members - unsigned(1)
                    if heads[tail] < 0:
                        heads[tail] = tail
                    if samples[node] < 0:
                        samples[node] = tail
                    one, other = head_of(heads, samples[node]), head_of(heads, tail)
                    heads[max(one, other)] = min(one, other)
    for tail in range(len(heads)):
        if heads[tail] >= 0:
            heads[tail] = head_of(heads, tail)


@inlined
def head_of(heads: Any, tail: int) -> int:
    """Return the tail at the end of a chain, and shorten the chain."""
    while heads[tail] != tail:
        heads[tail] = heads[heads[tail]]
        tail = int(heads[tail])
    return tail


def mark_tails(nodes: Any, row: int, wide: int, depths: Any, tails: Any) -> None:
    """Fill `masks` and `passed`."""
    nodes, depths, tails = unowned(nodes), unowned(depths), unowned(tails)
    for node in range(len(nodes.masks)):
        if depths[node] != row:
            continue
        shift = tails.starts[node] - tails.firsts[node]
        for word in range(nodes.masks.shape[1]):
            left = nodes.masks[node, word]
            edge = nodes.firsts[node, word]
            while left != 0:
                code = 64 * word + trailing_zeros(left)
                left &= left - unsigned(1)
                child = nodes.children[edge]
                edge += 1
                members = nodes.leaf_masks[child]
                while members != 0:
                    place = tails.places[wide * code + 64 * nodes.leaf_words[child] + trailing_zeros(members)]
                    members &= members - unsigned(1)
                    tails.masks[shift + (place >> 6)] |= unsigned(1) << unsigned(place & 63)
        passed = 0
        for word in range(tails.starts[node], tails.starts[node + 1]):
            tails.passed[word] = passed
            passed += popcount(tails.masks[word])


def tail_moves_of(digits: Digits, player: int, tails: Tails) -> TailMoves:
    """Return what the actions of a player do to tails, in the order of `moves_of`."""
    actions = in_order(digits, player)
    row = len(digits.digits) - 2
    # Actions in the middle of the board win most often, so they are looked at first.
    from_centre = [abs(2 * sum(change.digit for change in action) - (row + 1) * len(action)) for action in actions]
    order = sorted(range(len(actions)), key=from_centre.__getitem__)
    is_still = [all(change.digit < row for change in action) for action in actions]
    others = [number for number in order if not is_still[number]]
    words = len(tails.classes)
    able = np.zeros((len(others), words), np.uint64)
    found: list[npt.NDArray[np.int64]] = [np.zeros((0, 5), np.int64)]
    for number, action in enumerate(others):
        before, after = _images(digits, actions[action], tails.places)
        np.bitwise_or.at(able[number], before // WORD, np.uint64(1) << (before % WORD).astype(np.uint64))
        before, after = before[after != _NONE], after[after != _NONE]
        found.append(
            np.stack([np.full_like(before, number), before // WORD, after // WORD, before % WORD, after % WORD], axis=1)
        )
    moved = np.concatenate(found)
    keys, entry = np.unique(moved[:, :3], axis=0, return_inverse=True)
    befores, afters = (np.zeros(len(keys), np.uint64) for _ in range(2))
    for masks, column in ((befores, 3), (afters, 4)):
        np.bitwise_or.at(masks, entry.reshape(-1), np.uint64(1) << moved[:, column].astype(np.uint64))
    entries = np.searchsorted(keys[:, 0] * words + keys[:, 1], np.arange(len(others) * words + 1)).astype(np.int64)
    return TailMoves(
        np.array([number for number in order if is_still[number]], np.int64), np.array(others, np.int64), able, entries,
        np.ascontiguousarray(keys[:, 2]), befores, afters,
    )  # fmt: skip


def _images(
    digits: Digits, action: Action, places: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of the tails on which an action can be made, and of those after it, -1 where they do not occur."""
    row, wide = len(digits.digits) - 2, _width(digits)
    tails = np.flatnonzero(places != _NONE)
    codes = np.stack(np.divmod(tails, wide))
    able = np.ones(len(tails), np.bool_)
    for digit, to in action:
        if digit >= row:
            codes[digit - row] = np.array(to, np.int64)[codes[digit - row]]
            able &= codes[digit - row] != NO_CODE
    return places[tails[able]].astype(np.int64), places[wide * codes[0, able] + codes[1, able]].astype(np.int64)
