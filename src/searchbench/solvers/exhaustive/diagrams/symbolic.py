"""Sets of positions as binary decision diagrams; the only module that touches OxiDD.

Each digit of a position has the bits of its code as variables, the most significant first. A move changes few bits, and all
of them from known values to known values. So its image is a cofactor and a conjunction: no relation between two copies of
the variables is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from itertools import product
from math import log2
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from searchbench.errors import MissingPackage
from searchbench.index.digits import NO_CODE, WORD, Action, Change, Digits, Pattern
from searchbench.solvers.exhaustive.diagrams.handover import BinaryNodes
from searchbench.solvers.exhaustive.diagrams.pool import ABSENT

NODE_BYTES: Final = 24
"""Bytes of a node of the manager, and of an entry of its cache."""
NODES_PER_ENTRY: Final = 4
SHARE: Final = 0.5
"""Part of the memory budget for the tables of binary diagrams."""
LEAST: Final = 1 << 20
COLLECT: Final = 0.4
"""Part of the capacity from which nodes without use are collected between layers."""

_Result = TypeVar("_Result")


class TablesFull(Exception):
    """Tell that the nodes of a layer do not fit into the tables of the package."""


def capacity_within(memory: int) -> int:
    """Return how many nodes the tables may have in a budget of that many bytes."""
    return memory // (NODE_BYTES + NODE_BYTES // NODES_PER_ENTRY)


def first_capacity(digits: Digits) -> int:
    """Return for how many nodes the tables have room at first: with the root of the number of all contents, then its 4th root."""
    bits = sum(log2(sum(content is not None for content in digit.contents)) for digit in digits.digits)
    return int(min(1 << 27, max(LEAST, 2 ** (min(bits, 30) / 2 + max(0, bits - 30) / 4 + 10))))


class Step(NamedTuple):
    """Codes of some digits that an action changes alike: the set before, the changed variables, and their values after."""

    before: Any
    changed: Any
    after: Any


class Symbolic:
    """Make sets of positions of a game and move them, with room for `capacity` nodes.

    Raises MissingPackage where OxiDD is not installed.
    """

    def __init__(self, digits: Digits, capacity: int) -> None:
        try:
            from oxidd.bdd import BDDManager
            from oxidd.util import BooleanOperator, DDMemoryError
        except ImportError:
            raise MissingPackage(
                "decision diagrams need the package oxidd: install searchbench with the extra `diagrams` "
                "(pip install 'searchbench[diagrams]'); finished databases are read without it"
            ) from None
        self.digits = digits
        self._and, self._memory_error = BooleanOperator.AND, DDMemoryError
        self.capacity = capacity
        self._manager = BDDManager(self.capacity, self.capacity // NODES_PER_ENTRY, 1)
        self.first_variable = np.cumsum([0, *(digit.bits for digit in digits.digits)]).tolist()
        self.variables = self.first_variable[-1]
        self._manager.add_vars(self.variables)
        self._true = [self._manager.var(place) for place in range(self.variables)]
        self._false = [self._manager.not_var(place) for place in range(self.variables)]
        self.empty, self.all = self._manager.false(), self._manager.true()
        self._lost = [self._union(self._positions(pattern) for pattern in patterns) for patterns in digits.lost]
        self._steps = [[self._steps_of(action) for action in actions] for actions in digits.actions]

    # --- sets --------------------------------------------------------------------------------------------------------

    def position(self, codes: Sequence[int]) -> Any:
        """Return the set of one position."""
        return reduce(
            lambda one, other: one & other,
            (self._exactly(digit, code) for digit, code in reversed(list(enumerate(codes)))),
        )

    def _exactly(self, digit: int, code: int) -> Any:
        return self._literals(digit, (1 << self.digits.digits[digit].bits) - 1, code)

    def _literals(self, digit: int, bits: int, values: int) -> Any:
        """Return the set of positions in which some bits of a digit have these values."""
        told = self.digits.digits[digit]
        found = self.all
        for place in range(told.bits - 1, -1, -1):
            bit = 1 << (told.bits - 1 - place)
            if bits & bit:
                variable = self.first_variable[digit] + place
                found = found & (self._true[variable] if values & bit else self._false[variable])
        return found

    def codes_of(self, digit: int, codes: Iterable[int]) -> Any:
        """Return the set of positions in which a digit has one of some codes; codes without content may be in it or not."""
        wanted = set(codes)
        contents = enumerate(self.digits.digits[digit].contents)
        valid = {code: self.all if code in wanted else self.empty for code, content in contents if content is not None}
        return self._by_code(digit, valid)

    def _by_code(self, digit: int, sets: Mapping[int, Any]) -> Any:
        """Return the positions that lie in the set of a digit's code; those of other codes may be in it or not."""
        found = dict(sets)
        for place in range(self.digits.digits[digit].bits - 1, -1, -1):
            variable = self._true[self.first_variable[digit] + place]
            pairs: dict[int, Any] = {}
            for code, positions in found.items():
                other = found.get(code ^ 1)
                if other is None or other == positions:
                    pairs[code >> 1] = positions
                elif code & 1:
                    pairs[code >> 1] = variable.ite(positions, other)
            found = pairs
        return found.get(0, self.empty)

    def _positions(self, pattern: Pattern) -> Any:
        parts = [self.codes_of(digit, codes) for digit, codes in sorted(zip(*pattern, strict=True), reverse=True)]
        return reduce(lambda one, other: one & other, parts)

    def _union(self, sets: Iterable[Any]) -> Any:
        """Return the union of sets, joined two by two."""
        found = list(sets)
        while len(found) > 1:
            pairs = [found[place] | found[place + 1] for place in range(0, len(found) - 1, 2)]
            found = pairs + found[len(found) - len(found) % 2 :]
        return found[0] if found else self.empty

    def of_nodes(self, arrays: Mapping[str, Any], root: int) -> Any:
        """Return the set of a root of nodes with an edge for each code, as `Diagram.of_arrays` takes them; ABSENT is none.

        Raises TablesFull.
        """
        if root == ABSENT:
            return self.empty
        edges = np.concatenate([[0], np.cumsum(np.bitwise_count(arrays["masks"]).sum(axis=1, dtype=np.int64))])
        last = len(self.digits.digits) - 1

        @cache
        def node(digit: int, number: int) -> Any:
            if digit == last:
                first = WORD * int(arrays["leaf_words"][number])
                found = dict.fromkeys(_codes([int(arrays["leaf_masks"][number])], first), self.all)
            else:
                children = arrays["children"][edges[number] : edges[number + 1]].tolist()
                codes = _codes(arrays["masks"][number].tolist())
                found = {code: node(digit + 1, child) for code, child in zip(codes, children, strict=True)}
            none = dict.fromkeys(range(1 << self.digits.digits[digit].bits), self.empty)
            return self._by_code(digit, none | found)

        return self._guarded(lambda: node(0, root))

    def binary_nodes(self, sets: Sequence[Any]) -> tuple[BinaryNodes, list[int]]:
        """Return the nodes of some sets, and the node of each set."""
        numbers = {self.empty: 0, self.all: 1}
        found: list[tuple[int, int, int]] = [(self.variables, 0, 0), (self.variables, 1, 1)]
        waiting = list(sets)
        while waiting:
            positions = waiting[-1]
            if positions in numbers:
                waiting.pop()
                continue
            high, low = positions.cofactors()
            missing = [one for one in (high, low) if one not in numbers]
            waiting += missing
            if not missing:
                numbers[positions] = len(found)
                found.append((positions.node_var(), numbers[low], numbers[high]))
        columns = np.array(found, np.int32).T
        return BinaryNodes(*(np.ascontiguousarray(column) for column in columns)), [numbers[one] for one in sets]

    def count(self, positions: Any) -> int:
        """Return the number of positions of a set."""
        return int(positions.sat_count(self.variables))

    # --- moves -------------------------------------------------------------------------------------------------------

    def _steps_of(self, action: Action) -> list[Step]:
        steps = []
        for parts in product(*(self._alike(change) for change in action)):
            before, changed, after = self.all, self.all, self.all
            for change, (codes, bits, values) in zip(action, parts, strict=True):
                before = before & self.codes_of(change.digit, codes)
                changed = changed & self._literals(change.digit, bits, bits)
                after = after & self._literals(change.digit, bits, values)
            steps.append(Step(before, changed, after))
        return steps

    @staticmethod
    def _alike(change: Change) -> list[tuple[list[int], int, int]]:
        """Return sets of codes of which the same bits change from the same values: codes, bits, values of these after."""
        found: dict[tuple[int, int], list[int]] = {}
        for code, after in enumerate(change.to):
            if after != NO_CODE:
                found.setdefault((code ^ after, after & (code ^ after)), []).append(code)
        return [(codes, bits, values) for (bits, values), codes in found.items()]

    def successors(self, positions: Any, layer: int) -> Any:
        """Return the positions that the moves of a layer lead to."""
        actions = self._steps[layer % len(self._steps)]

        def image(steps: list[Step]) -> Any:
            return reduce(lambda one, other: one | other, [self._moved(positions, step) for step in steps])

        return self._guarded(lambda: reduce(lambda one, other: one | other, [image(steps) for steps in actions]))

    def _moved(self, positions: Any, step: Step) -> Any:
        return positions.apply_exists(self._and, step.before, step.changed) & step.after

    def values(self, here: Any, layer: int, there: Any, won_there: Any, lost_there: Any) -> tuple[Any, Any]:
        """Return the won and the lost positions of a layer, from the next layer and its won and lost ones."""
        return self._guarded(lambda: self._values(here, layer, there, won_there, lost_there))

    def _values(self, here: Any, layer: int, there: Any, won_there: Any, lost_there: Any) -> tuple[Any, Any]:
        won, safe, able = self.empty, self.empty, self.empty
        for step in (step for steps in self._steps[layer % len(self._steps)] for step in steps):
            mine = here & step.before
            won = won | (mine & (self._led(lost_there, step) | ~self._led(there, step)))
            safe = safe | (mine & ~self._led(won_there, step))
            able = able | mine
        lost = able & ~safe
        stuck = here & ~able
        if self.digits.stuck:
            won, lost = (won | stuck, lost) if self.digits.stuck > 0 else (won, lost | stuck)
        return won, lost

    def _led(self, positions: Any, step: Step) -> Any:
        """Return what a step leads from to some positions; codes that it is not for may be in it."""
        return positions.apply_exists(self._and, step.after, step.changed)

    def undecided(self, positions: Any, layer: int) -> Any:
        """Return the positions of a layer (at least 1) that lie in no pattern of lost ones."""
        return self._guarded(lambda: positions & ~self._lost[(layer - 1) % len(self._lost)])

    def _guarded(self, work: Callable[[], _Result]) -> _Result:
        """Do some work; where the tables are full, once more after a collection. Raises TablesFull."""
        try:
            return work()
        except self._memory_error:
            self._manager.gc()
        try:
            return work()
        except self._memory_error:
            raise TablesFull from None

    def collect(self) -> None:
        """Drop nodes without use where they may fill the tables; to be called between layers, without temporary sets."""
        if self._manager.approx_num_inner_nodes() > COLLECT * self.capacity:
            self._manager.gc()


def _codes(masks: Sequence[int], first: int = 0) -> list[int]:
    """Return the codes that words of bits mark, from a first code on."""
    return [first + WORD * place + bit for place, mask in enumerate(masks) for bit in range(WORD) if mask >> bit & 1]
