"""The kernels of breadth-first search on a device: the first argument is the number of a state, of a word or of a bit.

What threads write to the same place they write by atomic operations, or it is the same value: a mark. All words are
unsigned 64-bit integers, and so are their operands: a signed one would make the result a float.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.index.bisection import last_start
from searchbench.jit import atomic_add, atomic_or, atomic_swap, popcount, trailing_zeros
from searchbench.rules import new_moves, new_state
from searchbench.solvers.exhaustive.bits.kernels import BLOCK, Expansion, Planes, Vector, successor_numbers
from searchbench.solvers.exhaustive.device.threads import STRIPS

BLOCK_BITS: Final = 64 * BLOCK
STRIP: Final = 16
"""Words of a strip, which one thread looks through."""


def expand(
    place: int, source: Vector, target: Vector, bits: Any, which: Expansion, astray: MutableSequence[int], size: int
) -> None:
    """Set the bits of the successors of one state, if its bit is set in the source."""
    if source.marks[place // BLOCK_BITS] != 0 and source.words[place >> 6] & bits[place & 63] != 0:
        set_successors(source.origin + place, target, bits, which, astray, size)


def expand_listed(
    place: int, found: Any, target: Vector, bits: Any, which: Expansion, astray: MutableSequence[int], size: int
) -> None:
    """Set the bits of the successors of a state of a list."""
    set_successors(found[place], target, bits, which, astray, size)


def set_successors(
    number: int, target: Vector, bits: Any, which: Expansion, astray: MutableSequence[int], size: int
) -> None:
    """Set the bits of the successors of one state. Successors outside the target are left out.

    Notes 1 + the number of a state with a successor outside the line of `size` numbers.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    room = 64 * len(target.words)
    count = successor_numbers(number, -1, state, scratch, out, numbers, which)
    for step in range(count):
        if numbers[step] < 0:
            continue
        if numbers[step] >= size:
            astray[0] = number + 1
            continue
        bit = numbers[step] - target.origin
        if not 0 <= bit < room:
            continue
        word = bit >> 6
        if target.words[word] & bits[bit & 63] == 0:
            atomic_or(target.words, word, bits[bit & 63])
            target.marks[word // BLOCK] = 1


def count_strip(strip: int, words: Any, _bits: Any, counts: MutableSequence[int]) -> None:
    """Count the bits of a strip of words."""
    count = 0
    for word in range(strip * STRIP, min((strip + 1) * STRIP, len(words))):
        count += popcount(words[word])
    counts[strip] = count


def scatter_strip(strip: int, words: Any, bits: Any, counts: Any, before: Any, found: MutableSequence[int]) -> None:
    """Write the places of the bits of a strip to the list."""
    place = before[strip // STRIPS] + counts[strip]
    for word in range(strip * STRIP, min((strip + 1) * STRIP, len(words))):
        left = words[word]
        while left != 0:
            found[place] = 64 * word + trailing_zeros(left)
            left &= left - bits[0]
            place += 1


def close(
    word: int, planes: Planes, bits: Any, code: int, origin: int, starts: Any, counts: MutableSequence[int]
) -> None:
    """Make the new states of a word the frontier, write their depth's code, and count them by part; clear `reached`.

    `code` is 1 to 3; the planes begin with the number `origin`. The marks in
    `active` must be 0 before, and those in `touched` are to be cleared afterwards.
    """
    block = word // BLOCK
    nothing = bits[0] - bits[0]
    if planes.touched[block] == 0:
        planes.frontier[word] = nothing
        return
    new = planes.reached[word] & ~(planes.low[word] | planes.high[word])
    planes.frontier[word] = new
    planes.reached[word] = nothing
    if new == 0:
        return
    planes.active[block] = 1
    if code & 1:
        planes.low[word] |= new
    if code & 2:
        planes.high[word] |= new
    count_word(new, bits, origin + 64 * word, starts, counts)


def count_word(left: Any, bits: Any, first: int, starts: Any, counts: MutableSequence[int]) -> None:
    """Count by part the bits of a word whose lowest bit stands for the number `first`; the parts are in order."""
    part = last_start(starts, len(starts), first)
    while part + 1 < len(starts) and starts[part + 1] <= first:  # empty parts before
        part += 1
    if part + 1 == len(starts) or starts[part + 1] >= first + 64:
        atomic_add(counts, part, popcount(left))
        return
    while left != 0:
        place = first + trailing_zeros(left)
        left &= left - bits[0]
        while part + 1 < len(starts) and starts[part + 1] <= place:
            part += 1
        atomic_add(counts, part, 1)


def count_words(word: int, vector: Vector, bits: Any, starts: Any, counts: MutableSequence[int]) -> None:
    """Count the bits of a word by part."""
    if vector.words[word] != 0:
        count_word(vector.words[word], bits, vector.origin + 64 * word, starts, counts)


def list_bits(word: int, words: Any, bits: Any, origin: int, found: MutableSequence[int], used: Any) -> None:
    """Write the numbers of a word's bits, few in all, in any order; `used[k]` is set by whoever takes the place k."""
    left = words[word]
    while left != 0:
        place = 0
        while atomic_swap(used, place, 0, 1) != 0:
            place += 1
        found[place] = origin + 64 * word + trailing_zeros(left)
        left &= left - bits[0]
