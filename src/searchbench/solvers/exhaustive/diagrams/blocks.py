"""Blocks: the positions below one node whose tails lie in one word, settled together by operations on words.

Values are two bits a position, W and L: the player to move wins, or loses; neither is a draw. A move to a position that the
next layer's diagram does not have wins at once, because diagrams have all positions that are not lost.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.index.digits import Digits
from searchbench.jit import deposit_bits, extract_bits, inlined, unsigned

ABSENT: Final = -1
"""In the place of a node: the successor is no member, so the player who moved has won."""
IMPOSSIBLE: Final = -2
"""In the place of a node: the move cannot be made."""
FULL: Final = (1 << 64) - 1


class Scratch(NamedTuple):
    """Where a walk is.

    For each depth it has the node, the node of the next layer under the same codes with the sum of its offsets, the codes
    left in a word, and for each action the node of its path and its sum. At the last digit but one paths are listed: those
    that are *still* from there on, with the place of the node's first word and the sum; and all *others*, with the node, the
    sum, the first word of the node's class, and what is added to a word to have its place.
    """

    node: npt.NDArray[np.int64]
    twin: npt.NDArray[np.int64]
    twin_base: npt.NDArray[np.int64]
    left: npt.NDArray[np.uint64]
    word: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]
    base: npt.NDArray[np.int64]
    still_start: npt.NDArray[np.int64]
    still_base: npt.NDArray[np.int64]
    other_node: npt.NDArray[np.int64]
    other_base: npt.NDArray[np.int64]
    other_class: npt.NDArray[np.int64]
    other_shift: npt.NDArray[np.int64]


def scratch_for(digits: Digits) -> Scratch:
    """Return the arrays of a walk."""
    depths, actions = len(digits.digits) + 1, max(map(len, digits.actions))
    node, twin, twin_base, word = (np.zeros(depths, np.int64) for _ in range(4))
    path, base = (np.zeros((depths, actions), np.int64) for _ in range(2))
    listed = [np.zeros(actions, np.int64) for _ in range(6)]
    return Scratch(node, twin, twin_base, np.zeros(depths, np.uint64), word, path, base, *listed)


@inlined
def bits_from(planes: Any, which: int, position: int) -> int:
    """Return 64 bits of a plane, W (0) or L (1), from a position on."""
    word = 2 * (position >> 6) + which
    shift = unsigned(position & 63)
    above = ((planes[unsigned(word + 2)] << unsigned(1)) & unsigned(FULL)) << (unsigned(63) - shift)
    bits: int = planes[unsigned(word)] >> shift | above & unsigned(FULL)
    return bits


@inlined
def list_paths(tails: Any, moves: Any, at: Any, row: int, started: int, own_class: int) -> int:
    """List the paths at a node of the last digit but one; return the number of still ones, -1 if all positions are won."""
    count = 0
    for place in range(len(moves.still)):
        action = unsigned(moves.still[unsigned(place)])
        node = at.path[unsigned(row), action]
        if node == IMPOSSIBLE:
            continue
        if node < 0 or tails.firsts[unsigned(node)] != own_class:
            return -1
        at.still_start[unsigned(count)] = tails.starts[unsigned(node)]
        at.still_base[unsigned(count)] = at.base[unsigned(row), action]
        count += 1
    for place in range(len(moves.others)):
        here = unsigned(place)
        action = moves.others[here]
        node = at.twin[unsigned(row)]
        base = at.twin_base[unsigned(row)]
        if action < started:
            node = at.path[unsigned(row), unsigned(action)]
            base = at.base[unsigned(row), unsigned(action)]
        at.other_node[here] = node
        at.other_base[here] = base
        at.other_class[here] = -1
        if node >= 0:
            at.other_class[here] = tails.firsts[unsigned(node)]
            at.other_shift[here] = tails.starts[unsigned(node)] - tails.firsts[unsigned(node)]
    return count


@inlined
def settle(
    tails: Any, moves: Any, at: Any, count: int, members: Any, offset: int, word: int, stuck: int, values: Any
) -> tuple[int, int]:
    """Return the bits W and L of the members of a word, which is the node's word number `offset`; `count` paths are still."""
    win = unsigned(0)
    lose = members
    for place in range(count):
        start = unsigned(at.still_start[unsigned(place)] + offset)
        there = tails.masks[start]
        position = at.still_base[unsigned(place)] + tails.passed[start]
        win |= ~there | deposit_bits(bits_from(values, 1, position), there)
        if win & members == members:
            return members, unsigned(0)
        lose &= deposit_bits(bits_from(values, 0, position), there)
    able = members if count > 0 else unsigned(0)
    for place in range(len(moves.others)):
        here = unsigned(place)
        if at.other_node[here] == IMPOSSIBLE:
            continue
        mine = members & moves.able[here, unsigned(word)]
        if mine == 0:
            continue
        able |= mine
        present, lost, won = unsigned(0), unsigned(0), unsigned(0)
        place_of_entry = unsigned(place * moves.able.shape[1] + word)
        for entry in range(
            moves.entries[place_of_entry], moves.entries[unsigned(place * moves.able.shape[1] + word + 1)]
        ):
            target = moves.targets[unsigned(entry)]
            if tails.classes[unsigned(target)] != at.other_class[here]:
                continue
            start = unsigned(at.other_shift[here] + target)
            there = tails.masks[start]
            position = at.other_base[here] + tails.passed[start]
            before, after = moves.befores[unsigned(entry)], moves.afters[unsigned(entry)]
            present |= deposit_bits(extract_bits(there, after), before)
            lost |= deposit_bits(extract_bits(deposit_bits(bits_from(values, 1, position), there), after), before)
            won |= deposit_bits(extract_bits(deposit_bits(bits_from(values, 0, position), there), after), before)
        win |= mine & (~present | lost)
        if win & members == members:
            return members, unsigned(0)
        lose &= won | ~mine
    if stuck < 0:
        lose |= members & ~able
    else:
        lose &= able
    if stuck > 0:
        win |= members & ~able
    return win & members, lose & ~win
