"""Decision diagrams as index: a set of states, cut into layers, whose members are numbered in the order of their codes.

A *node* stands for a digit and a set of ways in which the remaining digits may go on. It has an *edge* for each code that
occurs, which leads to a node of the next digit and holds the number of members under smaller codes. A node of the last
digit, a *leaf*, is a mask of codes. Equal sets share a node, within a layer and between layers. So the number of a state is
a sum over its digits, and the numbers of a layer ascend with the codes, first digit first (Edelkamp 2017; here with many
branches to a node in the place of two).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest, DamagedData
from searchbench.index.digits import CodeTables, Digits, code_tables
from searchbench.index.protocol import Part
from searchbench.jit import deposit_bits, inlined, popcount, trailing_zeros, unsigned
from searchbench.rules import NOWHERE, State

_FEW_EDGES: Final = 2000
"""Diagrams of fewer edges are counted without compiling."""
_NAMES: Final = jit.Names({}, "cpu")


class Nodes(NamedTuple):
    """The nodes of a diagram with several roots, as arrays.

    `masks` [node, word] marks the codes of a node's edges, `firsts` [node, word] is the edge of the first of them in a word.
    Edges lie in the order of their codes: `children`, a node or, where the next digit is the last, a leaf; and `offsets`.
    `leaf_masks` marks the codes of a leaf within word `leaf_words`. `roots` and `starts` belong to layers: the node, and the
    number of the first member; `starts` has an entry more.
    """

    masks: npt.NDArray[np.uint64]
    firsts: npt.NDArray[np.int64]
    children: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    leaf_masks: npt.NDArray[np.uint64]
    leaf_words: npt.NDArray[np.int8]
    roots: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]


class Measure(NamedTuple):
    """How the layer of a state is told: its weight, less that of the members of layer 0."""

    digit_count: int
    first_weight: int


@inlined
def edge_of(nodes: Any, node: int, code: int) -> int:
    """Return the edge of a node for a code, or -1."""
    mask = nodes.masks[unsigned(node), unsigned(code >> 6)]
    bit = unsigned(1) << unsigned(code & 63)
    if mask & bit == 0:
        return -1
    edge: int = nodes.firsts[unsigned(node), unsigned(code >> 6)] + popcount(mask & (bit - unsigned(1)))
    return edge


def place_in_leaf(nodes: Any, leaf: int, code: int) -> int:
    """Return how many codes of a leaf are smaller, or -1 if the code is none of the leaf's."""
    mask = nodes.leaf_masks[leaf]
    bit = unsigned(1) << unsigned(code & 63)
    if nodes.leaf_words[leaf] != code >> 6 or mask & bit == 0:
        return -1
    return popcount(mask & (bit - unsigned(1)))


def rank(state: State, data: Any) -> int:
    """Return the number of a state, NOWHERE if it is no member."""
    layer = -data.first_weight
    for digit in range(data.digit_count):
        code = code_in(state, digit, data)
        if code < 0:
            return NOWHERE
        layer += data.digit_weight[digit, code]
    if layer < 0 or layer >= len(data.roots):
        return NOWHERE
    node = int(data.roots[layer])
    number = int(data.starts[layer])
    if number == data.starts[layer + 1]:
        return NOWHERE
    for digit in range(data.digit_count - 1):
        edge = edge_of(data, node, code_in(state, digit, data))
        if edge < 0:
            return NOWHERE
        number += data.offsets[edge]
        node = int(data.children[edge])
    place = place_in_leaf(data, node, code_in(state, data.digit_count - 1, data))
    return NOWHERE if place < 0 else number + place


def code_in(state: State, digit: int, data: Any) -> int:
    """Return the code of a digit of a state, or NO_CODE."""
    number = 0
    for place in range(data.digit_cells.shape[1]):
        cell = data.digit_cells[digit, place]
        if cell >= 0:
            value = (int(state[cell]) >> data.digit_shift[digit, place]) & data.digit_mask[digit, place]
            if value < 0 or value >= data.digit_base[digit, place]:
                return -1
            number = number * data.digit_base[digit, place] + value
    return int(data.digit_code[digit, number])


def unrank(number: int, state: State, data: Any) -> None:
    """Write the member with a number."""
    layer = 0
    while number >= data.starts[layer + 1]:
        layer += 1
    left = number - data.starts[layer]
    node = int(data.roots[layer])
    for digit in range(data.digit_count - 1):
        word = data.masks.shape[1] - 1
        while data.masks[node, word] == 0 or data.offsets[data.firsts[node, word]] > left:
            word -= 1
        low = int(data.firsts[node, word])
        high = low + popcount(data.masks[node, word]) - 1
        first = low
        while low < high:  # the last edge of the word whose offset is not too large
            middle = (low + high + 1) >> 1
            if data.offsets[middle] <= left:
                low = middle
            else:
                high = middle - 1
        left -= data.offsets[low]
        bit = deposit_bits(unsigned(1) << unsigned(low - first), data.masks[node, word])
        write_code(64 * word + trailing_zeros(bit), digit, state, data)
        node = int(data.children[low])
    bit = deposit_bits(unsigned(1) << unsigned(left), data.leaf_masks[node])
    write_code(64 * int(data.leaf_words[node]) + trailing_zeros(bit), data.digit_count - 1, state, data)


def write_code(code: int, digit: int, state: State, data: Any) -> None:
    """Write what a code stands for into the cells of a digit."""
    for place in range(data.digit_cells.shape[1]):
        cell = data.digit_cells[digit, place]
        if cell >= 0:
            value = data.digit_content[digit, code, place] << data.digit_shift[digit, place]
            if data.digit_mask[digit, place] == -1:
                state[cell] = value
            else:
                state[cell] |= value


@dataclass(frozen=True, eq=False)
class Diagram:
    """Number the members of sets of states, one set for each layer; numbers of a layer lie together.

    `digits` tells what codes mean; `first_weight` is the weight of the states of layer 0.
    """

    digits: Digits
    nodes: Nodes
    first_weight: int

    @property
    def size(self) -> int:
        """Return the number of members of all layers."""
        return int(self.nodes.starts[-1])

    @property
    def width(self) -> int:
        """Return the number of cells of a state."""
        return self.digits.width

    @property
    def layers(self) -> int:
        """Return the number of layers."""
        return len(self.nodes.roots)

    @cached_property
    def tables(self) -> CodeTables:
        """Return the digits as arrays."""
        return code_tables(self.digits)

    @cached_property
    def data(self) -> dict[str, Any]:
        """Return all arrays and numbers that `rank` and `unrank` look at, by name."""
        measure = Measure(len(self.digits.digits), self.first_weight)
        return self.nodes._asdict() | self.tables._asdict() | measure._asdict()

    @cached_property
    def digest(self) -> str:
        """Return a hash of the nodes and the digits: 32 hexadecimal digits."""
        digest = hashlib.blake2b(repr((self.digits, self.first_weight)).encode(), digest_size=16)
        for name, array in self.nodes._asdict().items():
            if name not in ("offsets", "starts"):  # they follow from the others
                digest.update(name.encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @property
    def layered(self) -> bool:
        """Tell whether moves lead from each layer to the next; if not, there is one layer, and moves stay in it."""
        return bool(self.digits.actions)

    def parts(self) -> list[Part]:
        """Return one part per layer, which needs the next; or one that needs itself."""
        if not self.layered:
            return [Part("all", 0, self.size, ("all",))]
        ends = self.nodes.starts.tolist()
        return [
            Part(str(layer), ends[layer], ends[layer + 1], (str(layer + 1),) * (layer + 1 < self.layers))
            for layer in range(self.layers)
        ]

    def count(self, layer: int | None = None) -> int:
        """Return the number of members of a layer, or of all."""
        if layer is None:
            return self.size
        self._check_layer(layer)
        return int(self.nodes.starts[layer + 1] - self.nodes.starts[layer])

    def _check_layer(self, layer: int) -> None:
        if not 0 <= layer < self.layers:
            raise BadRequest(f"layer {layer}: the diagram has the layers 0 to {self.layers - 1}")

    @cached_property
    def _named(self) -> Any:
        """Return the data as one object, whose numbers are Python's own (compiled code does not see it)."""
        return _Named(
            **{
                name: _PlainArray(value) if isinstance(value, np.ndarray) else value
                for name, value in self.data.items()
            }
        )

    def rank(self, state: Sequence[int]) -> int:
        """Return the number of a state, NOWHERE if it is no member."""
        return rank(list(state), self._named)

    def unrank(self, number: int) -> list[int]:
        """Return the member with a number. Raises BadRequest for a number outside."""
        if not 0 <= number < self.size:
            raise BadRequest(f"number {number}: the diagram has the numbers 0 to {self.size - 1:,}")
        state = [0] * self.width
        unrank(number, state, self._named)
        return state

    def split(self, pieces: int, layer: int | None = None) -> list[tuple[int, int]]:
        """Return intervals of numbers, of a layer or of all, whose sizes differ by at most 1, larger ones first."""
        if pieces < 1:
            raise BadRequest(f"{pieces} pieces: expected at least 1")
        if layer is not None:
            self._check_layer(layer)
        first = 0 if layer is None else int(self.nodes.starts[layer])
        size, more = divmod(self.count(layer), pieces)
        ends = [first + place * size + min(place, more) for place in range(pieces + 1)]
        return list(pairwise(ends))

    def random(self, count: int, seed: int, layer: int | None = None) -> list[list[int]]:
        """Return members drawn uniformly and independently from a layer, or from all."""
        low, high = self.split(1, layer)[0]
        numbers = np.random.default_rng(seed).integers(low, high, count)
        return [self.unrank(int(number)) for number in numbers]

    def iterate(self, first: int = 0, stop: int | None = None) -> Iterator[tuple[int, ...]]:
        """Yield the codes of the members with the numbers first .. stop - 1, in order, by walking over the diagram."""
        stop = self.size if stop is None else stop
        for layer in range(self.layers):
            low, high = self.nodes.starts[layer : layer + 2].tolist()
            if max(first, low) < min(stop, high):
                yield from self._walk(int(self.nodes.roots[layer]), 0, (), low, first, stop)

    def _walk(
        self, node: int, digit: int, codes: tuple[int, ...], at: int, first: int, stop: int
    ) -> Iterator[tuple[int, ...]]:
        if digit == len(self.digits.digits) - 1:
            for code in self.leaf_codes(node):
                if first <= at < stop:
                    yield (*codes, code)
                at += 1
            return
        edges = list(self.edges(node))
        for place, (code, child, offset) in enumerate(edges):
            if at + offset >= stop:
                return
            if place + 1 == len(edges) or at + edges[place + 1][2] > first:
                yield from self._walk(child, digit + 1, (*codes, code), at + offset, first, stop)

    def edges(self, node: int) -> Iterator[tuple[int, int, int]]:
        """Yield code, child and offset of each edge of a node that is no leaf."""
        for word, mask in enumerate(self.nodes.masks[node].tolist()):
            edge = int(self.nodes.firsts[node, word])
            for code in _ones(mask, 64 * word):
                yield code, int(self.nodes.children[edge]), int(self.nodes.offsets[edge])
                edge += 1

    def leaf_codes(self, leaf: int) -> Iterator[int]:
        """Yield the codes of a leaf."""
        return _ones(int(self.nodes.leaf_masks[leaf]), 64 * int(self.nodes.leaf_words[leaf]))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what is kept of the nodes, by name: all but what follows from it."""
        kept = self.nodes._asdict()
        return {name: kept[name] for name in ("masks", "children", "leaf_masks", "leaf_words", "roots")}

    @classmethod
    def of_arrays(cls, digits: Digits, first_weight: int, arrays: dict[str, npt.NDArray[Any]]) -> Diagram:
        """Return the diagram of what `arrays` returned; counts are worked out anew. Raises DamagedData."""
        masks, children, leaf_masks = arrays["masks"], arrays["children"], arrays["leaf_masks"]
        edges = int(np.bitwise_count(masks).sum(dtype=np.int64))
        if edges != len(children):
            raise DamagedData(f"a diagram has {len(children):,} edges, its masks have {edges:,} codes")
        firsts, counts, offsets, _ = count_members(masks, children, leaf_masks, arrays["roots"], len(digits.digits))
        roots = arrays["roots"]
        sizes = counts[roots] if len(digits.digits) > 1 else np.bitwise_count(leaf_masks[roots]).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        nodes = Nodes(masks, firsts, children, offsets, leaf_masks, arrays["leaf_words"], roots, starts)
        return cls(digits, nodes, first_weight)


def count_members(
    masks: npt.NDArray[np.uint64], children: npt.NDArray[np.int32], leaf_masks: npt.NDArray[np.uint64],
    roots: npt.NDArray[np.int32], digits: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int8]]:  # fmt: skip
    """Return the first edge of each node and word, the members of each node, the offset of each edge, the digit of each node.

    Raises DamagedData unless each node is a child of later ones alone.
    """
    firsts, counts = np.zeros(masks.shape, np.int64), np.zeros(len(masks), np.int64)
    offsets, places = np.zeros(len(children), np.int64), np.full(len(masks), digits, np.int8)
    kernel = jit.bind(place_edges, _NAMES, "interpreted" if len(children) < _FEW_EDGES else "cpu")
    if not kernel(masks, children, leaf_masks, roots, digits - 1, firsts, counts, offsets, places):
        raise DamagedData("the nodes of a diagram do not lie in the order of their children: solve the game again")
    return firsts, counts, offsets, places


def place_edges(
    masks: Any, children: Any, leaf_masks: Any, roots: Any, last: int, firsts: Any, counts: Any, offsets: Any, places: Any
) -> bool:  # fmt: skip
    """Fill the arrays that `count_members` returns; `places` gets the digits. Return whether the order is right."""
    edge = 0
    for node in range(len(masks)):
        for word in range(masks.shape[1]):
            firsts[node, word] = edge
            edge += popcount(masks[node, word])
    if last > 0:
        for layer in range(len(roots)):
            if roots[layer] < 0 or roots[layer] >= len(masks):
                return False
            places[roots[layer]] = 0
    for node in range(len(masks) - 1, -1, -1):
        if places[node] >= last:
            return False
        stop = firsts[node + 1, 0] if node + 1 < len(masks) else len(children)
        if places[node] + 1 < last:
            for edge in range(firsts[node, 0], stop):
                if children[edge] < 0 or children[edge] >= node:
                    return False
                places[children[edge]] = places[node] + 1
    for node in range(len(masks)):
        stop = firsts[node + 1, 0] if node + 1 < len(masks) else len(children)
        for edge in range(firsts[node, 0], stop):
            offsets[edge] = counts[node]
            child = children[edge]
            if places[node] + 1 < last:
                counts[node] += counts[child]
            elif child < 0 or child >= len(leaf_masks):
                return False
            else:
                counts[node] += popcount(leaf_masks[child])
    return True


class _Named:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class _PlainArray:
    """Read the numbers of an array as Python's own."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array
        self._item = array.item
        self.shape = array.shape

    def __getitem__(self, place: Any) -> Any:
        return self._item(place)

    def __len__(self) -> int:
        return len(self._array)


def _ones(mask: int, first: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield first + low.bit_length() - 1
        mask ^= low
