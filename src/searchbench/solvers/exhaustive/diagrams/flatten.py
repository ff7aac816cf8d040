"""From binary diagrams to nodes with an edge for each code: the bits of a digit are followed in one step."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadGame
from searchbench.index.diagram import Diagram
from searchbench.index.digits import WORD, Digits
from searchbench.jit import unsigned, zeros
from searchbench.solvers.exhaustive.diagrams.symbolic import BinaryNodes

TRUE: Final = 1
_UNKNOWN: Final = -1
_WAITING: Final = -2
_DEEPEST: Final = 16
_NAMES: Final = jit.Names({}, "cpu")
_stack = zeros(3 * 2 * _DEEPEST, np.int64)


def follow_codes(
    low: Any, high: Any, level: Any, node: int, top: int, bits: int, codes: Any, targets: Any, first: int
) -> int:
    """Write the codes of a digit that lead from a node on, in ascending order, and where to; return the end.

    `top` is the level of the digit's first bit; a level that is skipped has both values.
    """
    stack = _stack()
    stack[0], stack[1], stack[2] = node, 0, 0
    depth = 3
    while depth > 0:
        depth -= 3
        at, done, code = stack[depth], stack[depth + 1], stack[depth + 2]
        if at == 0:
            continue
        if done == bits:
            codes[first] = code
            targets[first] = at
            first += 1
            continue
        own = level[at] == top + done
        stack[depth], stack[depth + 1], stack[depth + 2] = high[at] if own else at, done + 1, 2 * code + 1
        stack[depth + 3], stack[depth + 4], stack[depth + 5] = low[at] if own else at, done + 1, 2 * code
        depth += 6
    return first


def edges_of_nodes(
    low: Any, high: Any, level: Any, nodes: Any, top: int, bits: int, known: Any, masks: Any, children: Any, codes: Any,
    fresh: Any, note: Any,
) -> None:  # fmt: skip
    """Write masks and targets of some nodes; list targets that the next digit does not know yet, and mark them as waiting.

    `note` gets the number of edges and of targets listed.
    """
    edges = 0
    listed = 0
    for place in range(len(nodes)):
        stop = follow_codes(low, high, level, nodes[place], top, bits, codes, children, edges)
        for edge in range(edges, stop):
            code = codes[edge]
            masks[place, code >> 6] |= unsigned(1) << unsigned(code & 63)
            target = children[edge]
            if known[target] == -1:
                known[target] = -2
                fresh[listed] = target
                listed += 1
        edges = stop
    note[0], note[1] = edges, listed


def masks_of_leaves(
    low: Any, high: Any, level: Any, nodes: Any, top: int, bits: int, masks: Any, words: Any, codes: Any, targets: Any
) -> int:
    """Write the masks of some nodes of the last digit; return how many have codes in two words."""
    broken = 0
    for place in range(len(nodes)):
        count = follow_codes(low, high, level, nodes[place], top, bits, codes, targets, 0)
        word = codes[0] >> 6
        words[place] = word
        for edge in range(count):
            if codes[edge] >> 6 != word:
                broken += 1
            masks[place] |= unsigned(1) << unsigned(codes[edge] & 63)
    return broken


class Flattener:
    """Collect the nodes of layer after layer; what layers share is followed once."""

    def __init__(self, digits: Digits, target: jit.Target = "cpu") -> None:
        self.digits = digits
        self._first: list[int] = []
        self._edges = jit.bind(edges_of_nodes, _NAMES, target)
        self._leaves = jit.bind(masks_of_leaves, _NAMES, target)
        self._known = [np.empty(0, np.int32) for _ in digits.digits]
        self._masks: list[Any] = []
        self._children: list[Any] = []
        self._leaf_masks: list[Any] = []
        self._leaf_words: list[Any] = []
        self.roots: list[int] = []
        self.nodes = self.edges = self.leaves = 0

    def add(self, root: int, binary: BinaryNodes, first_variable: list[int]) -> None:
        """Add a layer, whose digits begin at the levels `first_variable`.

        Raises BadGame if the last digit has codes of several words.
        """
        last = len(self.digits.digits) - 1
        self._first = first_variable
        for place, known in enumerate(self._known):
            grown = np.full(len(binary.low), _UNKNOWN, np.int32)
            grown[: len(known)] = known
            self._known[place] = grown
        nodes = np.array([root] if self._known[0][root] == _UNKNOWN else [], np.int32)
        waiting: list[tuple[int, Any]] = []
        for digit in range(last):
            self._known[digit][nodes] = np.arange(self.nodes, self.nodes + len(nodes), dtype=np.int32)
            self.nodes += len(nodes)
            targets, nodes = self._follow(digit, nodes, binary)
            waiting.append((digit + 1, targets))
        self._add_leaves(nodes, binary)
        for digit, targets in waiting:
            self._children.append(self._known[digit][targets])
        self.roots.append(int(self._known[0][root]))

    def _follow(self, digit: int, nodes: Any, binary: BinaryNodes) -> tuple[Any, Any]:
        told = self.digits.digits[digit]
        room = len(nodes) << told.bits
        masks = np.zeros((len(nodes), -(-self.digits.most_codes // WORD)), np.uint64)
        targets, codes = np.empty(room, np.int32), np.empty(room, np.int16)
        fresh = np.empty(min(room, len(binary.low)), np.int32)
        note = np.zeros(2, np.int64)
        if len(nodes):
            top = self._first[digit]
            self._edges(*binary, nodes, top, told.bits, self._known[digit + 1], masks, targets, codes, fresh, note)
        self._masks.append(masks)
        self.edges += int(note[0])
        return targets[: note[0]].copy(), fresh[: note[1]].copy()

    def _add_leaves(self, nodes: Any, binary: BinaryNodes) -> None:
        digit = len(self.digits.digits) - 1
        told = self.digits.digits[digit]
        self._known[digit][nodes] = np.arange(self.leaves, self.leaves + len(nodes), dtype=np.int32)
        masks, words = np.zeros(len(nodes), np.uint64), np.zeros(len(nodes), np.int8)
        codes, targets = np.empty(1 << told.bits, np.int16), np.empty(1 << told.bits, np.int32)
        top = self._first[digit]
        if len(nodes) and self._leaves(*binary, nodes, top, told.bits, masks, words, codes, targets):
            raise BadGame(
                f"digit {digit}, the last one, has codes of two words of {WORD} after the same codes of the others: make "
                "it of fewer cells, or let another digit be the last"
            )
        self.leaves += len(nodes)
        self._leaf_masks.append(masks)
        self._leaf_words.append(words)

    def forget(self, found: list[tuple[int, int, int]], size: int) -> None:
        """Follow binary nodes of other tables from now on, of which `size` are known: digit, own node, binary node."""
        self._known = [np.full(size, _UNKNOWN, np.int32) for _ in self.digits.digits]
        for digit, node, binary in found:
            self._known[digit][binary] = node

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the nodes of all layers so far, as `Diagram.of_arrays` takes them."""
        words = -(-self.digits.most_codes // WORD)
        return {
            "masks": np.concatenate([np.empty((0, words), np.uint64), *self._masks]),
            "children": np.concatenate([np.empty(0, np.int32), *self._children]),
            "leaf_masks": np.concatenate([np.empty(0, np.uint64), *self._leaf_masks]),
            "leaf_words": np.concatenate([np.empty(0, np.int8), *self._leaf_words]),
            "roots": np.array(self.roots, np.int32),
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Begin with the nodes that `arrays` has returned, of which rows may lie one after the other."""
        words = -(-self.digits.most_codes // WORD)
        self._masks, self._children = [arrays["masks"].reshape(-1, words)], [arrays["children"]]
        self._leaf_masks, self._leaf_words = [arrays["leaf_masks"]], [arrays["leaf_words"]]
        self.roots = arrays["roots"].tolist()
        self.nodes, self.edges, self.leaves = len(self._masks[0]), len(arrays["children"]), len(arrays["leaf_masks"])

    def diagram(self, first_weight: int) -> Diagram:
        """Return the diagram of all layers so far."""
        return Diagram.of_arrays(self.digits, first_weight, self.arrays())
