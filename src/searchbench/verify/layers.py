"""Check depths whose parts are layers, with the bits of two layers in memory.

All states of a part then have one depth, and one bit tells whether a state is reached. The reached states of a layer must
be exactly the successors of the layer before; in the first layer, the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.index.contract import unrank
from searchbench.index.protocol import Part
from searchbench.jit import atomic_or, trailing_zeros
from searchbench.rules import UNDECIDED, legal, moves, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.verify import check
from searchbench.verify.check import Note, report
from searchbench.verify.report import Report, fault_of, wrong_counts
from searchbench.verify.successors import after, is_broken, number_of

if TYPE_CHECKING:
    from searchbench.store import Database

PIECE: Final = 1 << 21
"""Numbers read and expanded at a time."""
SCAN: Final = 1 << 16
"""Words compared at a time."""


class Layer(NamedTuple):
    """The bits of all parts of a layer, each part from a new word on: the reached states, and the successors found."""

    starts: Any
    stops: Any
    words: Any
    reached: Any
    led_to: Any


def bit_of(number: int, layer: Layer) -> int:
    """Return the bit of a number in a layer, or -1 if it lies in none of its parts."""
    for part in range(len(layer.starts)):
        if layer.starts[part] <= number < layer.stops[part]:
            return int(64 * layer.words[part] + number - layer.starts[part])
    return -1


def check_piece(
    words: Any, origin: int, bits: Any, deeper: Layer, size: int, expected: int, through_ends: bool, faults: Any, note: Note
) -> None:  # fmt: skip
    """Expand the states with a bit in `words`, from the number `origin` on; their successors must be in the next layer.

    `bits[k]` is 2^k, `size` the size of the index, `expected` the code of the next layer.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    for word in range(len(words)):
        left = words[word]
        while left != 0:
            number = origin + 64 * word + trailing_zeros(left)
            left &= left - bits[0]
            unrank(number, state)
            own = number_of(state, scratch)
            if own != number or not legal(state):
                report(faults, note, number, check.NOT_FIRST if legal(state) else check.NOT_LEGAL, own)
                continue
            if not through_ends and terminal(state) != UNDECIDED:
                continue
            for index in range(moves(state, out)):
                successor = after(state, out[index], scratch)
                if is_broken(successor, size):
                    report(faults, note, number, check.LOST, max(successor, -1))
                elif successor >= 0:
                    bit = bit_of(successor, deeper)
                    if bit < 0 or deeper.reached[bit >> 6] & bits[bit & 63] == 0:
                        report(faults, note, successor, check.IMPLIED, expected)
                    elif deeper.led_to[bit >> 6] & bits[bit & 63] == 0:
                        atomic_or(deeper.led_to, bit >> 6, bits[bit & 63])


def are_layers(database: Database) -> bool:
    """Return whether all states of each part have one depth, and all moves lead to parts one deeper."""
    if not (database.rule.from_start and database.rule.has_lines) or database.modulus:
        return False
    codes: dict[str, int] = {}
    for part in database.parts:
        held = {code for code in database.part_counts(part) if code}
        if len(held) > 1 or database.illegal in held:
            return False
        codes[part.name] = max(held, default=0)
    return all(
        codes[need] in {0, codes[part.name] + 1} for part in database.parts if codes[part.name] for need in part.needs
    )


def verify_layers(database: Database, run: Run, limit: int, target: jit.Target = "cpu") -> Report:
    """Check a database of layers and report the faults, at most `limit` of them in words. Raises OutOfMemory."""
    return _Verification(database, run, limit, target).report()


class _Verification:
    def __init__(self, database: Database, run: Run, limit: int, target: jit.Target) -> None:
        self.database, self.run, self.limit = database, run, limit
        game = database.game
        self.layers: dict[int, list[Part]] = {}
        for part in database.parts:
            code = max(database.part_counts(part), default=0)
            self.layers.setdefault(code, []).append(part)
        largest = max(sum(part.size // 8 + 8 for part in layer) for layer in self.layers.values())
        run.demand(2 * largest, f"verifying {game} ({database.size:,} numbers)")
        self.kernel = jit.bind(check_piece, game.names(database.rule, target))
        self.powers = np.uint64(1) << np.arange(64, dtype=np.uint64)
        self.through_ends = not game.two_players
        self.held: dict[str, int] = {}
        self.found: list[tuple[int, int, int]] = []
        self.count = 0

    def report(self) -> Report:
        database = self.database
        start = database.game.rank(database.game.start())
        if database.residue(start) != 1:
            self._add([start], check.UNREACHED)
        layer = self._load(self.layers.get(1, []))
        bit = bit_of(start, layer)
        if bit >= 0:
            layer.led_to[bit >> 6] |= self.powers[bit & 63]
        self._compare(self.layers.pop(0, []), None)
        deepest = max(self.layers, default=0)
        for code in range(1, deepest + 1):
            parts = self.layers.get(code, [])
            self._compare(parts, layer)
            del layer  # free its memory before the next one is read
            layer = self._load(self.layers.get(code + 1, []))
            self._expand(parts, layer, code + 1)
            self.run.progress(f"checking depth {code - 1}", code, deepest)
        faults = [fault_of(database, *found) for found in sorted(self.found)[: self.limit]]
        miscounts = wrong_counts(database, database.parts, [self._counts(part) for part in database.parts])
        return Report(
            str(database.game),
            database.rule.name,
            database.size,
            self.count + len(miscounts),
            tuple(faults + miscounts),
        )

    def _load(self, parts: Sequence[Part]) -> Layer:
        """Read the bits of a layer."""
        words = np.cumsum([0, *(-(-part.size // 64) for part in parts)])
        starts, stops = (np.array(ends, np.int64) for ends in ([p.start for p in parts], [p.stop for p in parts]))
        layer = Layer(starts, stops, words, *(np.zeros(int(words[-1]), np.uint64) for _ in range(2)))

        def read(job: tuple[int, Part, int]) -> None:
            place, part, first = job
            at = 8 * int(words[place]) + (first - part.start) // 8
            found = self.database.bits(part, first, min(first + PIECE, part.stop))
            if found.any():  # pages never written take no memory
                layer.reached.view(np.uint8)[at : at + len(found)] = found

        self.run.map(read, [(place, *job) for place, part in enumerate(parts) for job in _pieces(part)])
        return layer

    def _expand(self, parts: Sequence[Part], deeper: Layer, expected: int) -> None:
        """Check the moves of all states of a layer."""

        def work(job: tuple[Part, int]) -> tuple[Any, Any]:
            part, first = job
            bits = self.database.bits(part, first, min(first + PIECE, part.stop))
            faults, note = np.zeros((self.limit, 3), np.int64), np.zeros(3, np.int64)
            if bits.any():
                words = np.zeros(-(-len(bits) // 8), np.uint64)
                words.view(np.uint8)[: len(bits)] = bits
                size = self.database.size
                self.kernel(words, first, self.powers, deeper, size, expected, self.through_ends, faults, note)
            return faults[: note[check.FOUND]], note

        for faults, note in self.run.map(work, [job for part in parts for job in _pieces(part)]):
            self.count += int(note[check.FOUND])
            self.found += [(int(number), int(kind), int(code)) for number, kind, code in faults]

    def _compare(self, parts: Sequence[Part], layer: Layer | None) -> None:
        """Count the reached states of each part, and find those without a predecessor; without a layer, none may be reached."""
        for place, part in enumerate(parts):
            if layer is None:
                self._compare([part], self._load([part]))
                continue
            self.held[part.name] = 0
            for word in range(int(layer.words[place]), int(layer.words[place + 1]), SCAN):
                some = slice(word, min(word + SCAN, int(layer.words[place + 1])))
                self.held[part.name] += int(np.bitwise_count(layer.reached[some]).sum())
                alone = layer.reached[some] & ~layer.led_to[some]
                if alone.any():
                    bits = np.flatnonzero(np.unpackbits(alone.view(np.uint8), bitorder="little"))
                    first = part.start + 64 * (word - int(layer.words[place]))
                    self._add((first + bits).tolist(), check.UNSUPPORTED)

    def _counts(self, part: Part) -> dict[int, int]:
        code = max([1, *self.database.part_counts(part)])
        found = {0: part.size - self.held[part.name], code: self.held[part.name]}
        return {code: count for code, count in found.items() if count}

    def _add(self, numbers: Sequence[int], kind: int) -> None:
        self.count += len(numbers)
        self.found += [(number, kind, 0) for number in numbers[: self.limit]]


def _pieces(part: Part) -> list[tuple[Part, int]]:
    return [(part, first) for first in range(part.start, part.stop, PIECE)]
