"""The members of a diagram with numbers of an interval, as a diagram of their own: so work is split for other programs.

New nodes lie on the paths of the first and the last member alone; all others are those of the whole (Edelkamp 2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchbench.errors import BadRequest
from searchbench.index.diagram import Diagram


def members_between(diagram: Diagram, first: int, stop: int) -> Diagram:
    """Return the diagram of the members with the numbers first .. stop - 1, which lie in one layer; it has that layer alone.

    Raises BadRequest for an interval without members, or of several layers.
    """
    starts = diagram.nodes.starts
    layer = int(np.searchsorted(starts, first, side="right")) - 1
    if not 0 <= first < stop <= diagram.size or stop > starts[layer + 1]:
        raise BadRequest(f"the numbers {first} to {stop - 1}: expected some of one layer, of 0 to {diagram.size - 1:,}")
    low, high, size = first - int(starts[layer]), stop - int(starts[layer]), diagram.count(layer)
    cutting = _Cutting(diagram)
    root = cutting.cut(0, int(diagram.nodes.roots[layer]), low, high, size)
    return Diagram.of_arrays(diagram.digits, diagram.first_weight + layer, cutting.arrays(root))


class _Cutting:
    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.last = len(diagram.digits.digits) - 1
        self.masks: list[list[int]] = []
        self.children: list[int] = []
        self.leaves: dict[tuple[int, int], int] = {}
        self.whole: dict[tuple[int, int], int] = {}

    def cut(self, digit: int, node: int, low: int, high: int, size: int) -> int:
        """Return the node of the members low .. high - 1 of a node's, of which there are `size`."""
        whole = (low, high) == (0, size)
        if whole and (digit, node) in self.whole:
            return self.whole[digit, node]
        made = self._leaf(node, low, high) if digit == self.last else self._inner(digit, node, low, high, size)
        if whole:
            self.whole[digit, node] = made
        return made

    def _leaf(self, leaf: int, low: int, high: int) -> int:
        word = int(self.diagram.nodes.leaf_words[leaf])
        codes = list(self.diagram.leaf_codes(leaf))[low:high]
        return self.leaves.setdefault((sum(1 << code % 64 for code in codes), word), len(self.leaves))

    def _inner(self, digit: int, node: int, low: int, high: int, size: int) -> int:
        edges = list(self.diagram.edges(node))
        mask, children = [0] * self.diagram.nodes.masks.shape[1], []
        for place, (code, child, offset) in enumerate(edges):
            end = edges[place + 1][2] if place + 1 < len(edges) else size
            if max(low, offset) < min(high, end):
                mask[code // 64] |= 1 << code % 64
                part = max(low, offset) - offset, min(high, end) - offset
                children.append(self.cut(digit + 1, child, *part, end - offset))
        self.masks.append(mask)
        self.children += children
        return len(self.masks) - 1

    def arrays(self, root: int) -> dict[str, Any]:
        """Return the nodes as `Diagram.of_arrays` takes them."""
        return {
            "masks": np.array(self.masks, np.uint64).reshape(-1, self.diagram.nodes.masks.shape[1]),
            "children": np.array(self.children, np.int32),
            "leaf_masks": np.array([mask for mask, _ in self.leaves], np.uint64),
            "leaf_words": np.array([word for _, word in self.leaves], np.int8),
            "roots": np.array([root], np.int32),
        }
