"""Single instructions that kernels call: an interpreted function each, and its compiled twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.extending import intrinsic

LINE_WORDS: Final = 8
"""How many 64-bit words a line has: the processor's caches have lines of that size, its widest registers too."""


def popcount(word: int) -> int:
    """Count the one bits of a non-negative word."""
    return int(word).bit_count()


def trailing_zeros(word: int) -> int:
    """Return the position of the lowest one bit of a positive word."""
    word = int(word)
    return (word & -word).bit_length() - 1


def atomic_or(words: Any, place: int, bits: Any) -> None:
    """Set bits of a word that other threads may write at the same time."""
    words[place] |= bits


def prefetch(words: Any, place: int) -> None:
    """Ask for a word that will be read and written soon; nothing but time depends on it."""


def prefetch_to_read(words: Any, place: int) -> None:
    """Ask for a number that will be read soon, in memory that need not be writable; nothing but time depends on it."""


def or_line(lines: Any, line: int, others: Any, other: int, mask: int, turn: int) -> None:
    """Add the masked words of a line of one array, each turned left by some bits, to a line of another: [lines, 8] words."""
    for word in range(LINE_WORDS):
        bits = others[other, word] & mask
        lines[line, word] |= (bits << turn | bits >> (64 - turn)) & (1 << 64) - 1


def natural(number: int) -> int:
    """Return a number that is not negative, as a subscript: the compiled kernel does not ask whether it counts from the end.

    It is no number to go on with: sums and comparisons of it are others than those of integers.
    """
    return number


def borrowed(value: Any) -> Any:
    """Return an array, or a tuple of arrays, whose users the compiled kernel does not count: its caller holds them.

    Handing an array on costs two locked instructions for each call otherwise. A kernel must not return what it borrowed.
    """
    return value


def _one_operand(name: str) -> Any:
    def typed(_context: Any, _word: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, operands: Any) -> Any:
            word = operands[0]
            if name == "ctpop":
                return builder.ctpop(word)
            return builder.cttz(word, cgutils.false_bit)

        return numba_types.int64(numba_types.int64), generate

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


def _atomic_or() -> Any:
    def typed(_context: Any, words: Any, _place: Any, _bits: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            # The old value is not asked for: one locked instruction instead of a loop of compare and swap.
            builder.atomic_rmw("or", word, operands[2], "monotonic")
            return target.get_dummy_value()

        return numba_types.void(words, numba_types.intp, words.dtype), generate

    typed.__name__ = typed.__qualname__ = "atomic_or"
    return intrinsic(typed)


def _prefetch(name: str, to_write: bool) -> Any:
    def typed(_context: Any, words: Any, _place: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            number, address = ir.IntType(32), ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            # To be written or not, to be kept close, and data, not code.
            builder.call(function, [builder.bitcast(word, address), number(int(to_write)), number(3), number(1)])
            return target.get_dummy_value()

        return numba_types.void(words, numba_types.intp), generate

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


def _natural() -> Any:
    def typed(_context: Any, number: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            return target.cast(builder, operands[0], signature.args[0], numba_types.uintp)

        return numba_types.uintp(number), generate

    typed.__name__ = typed.__qualname__ = "natural"
    return intrinsic(typed)


def _or_line() -> Any:
    vector = ir.VectorType(ir.IntType(64), LINE_WORDS)
    nothing = ir.Constant(vector, ir.Undefined)

    def splat(builder: Any, word: Any) -> Any:
        one = builder.insert_element(nothing, word, ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LINE_WORDS), None))

    def typed(_context: Any, lines: Any, _line: Any, others: Any, _other: Any, _mask: Any, _turn: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            def address(place: int) -> Any:
                array = target.make_array(signature.args[place])(target, builder, operands[place])
                at = [operands[place + 1], target.get_constant(numba_types.intp, 0)]
                word = cgutils.get_item_pointer(target, builder, signature.args[place], array, at, wraparound=False)
                return builder.bitcast(word, vector.as_pointer())

            line, other = address(0), address(2)
            bits = builder.and_(builder.load(other, align=8), splat(builder, operands[4]))
            kind = ir.FunctionType(vector, [vector, vector, vector])
            turn_left = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fshl.v{LINE_WORDS}i64")
            turned = builder.call(turn_left, [bits, bits, splat(builder, operands[5])])
            builder.store(builder.or_(builder.load(line, align=8), turned), line, align=8)
            return target.get_dummy_value()

        whole, word = numba_types.intp, numba_types.uint64
        return numba_types.void(lines, whole, others, whole, word, word), generate

    typed.__name__ = typed.__qualname__ = "or_line"
    return intrinsic(typed)


def _borrowed() -> Any:
    def bare(target: Any, builder: Any, kind: Any, value: Any) -> Any:
        """Return a value without what counts the users of its arrays."""
        if isinstance(kind, numba_types.BaseTuple):
            kinds: Any = kind
            parts = [bare(target, builder, one, builder.extract_value(value, at)) for at, one in enumerate(kinds)]
            return target.make_tuple(builder, kind, parts)
        if not isinstance(kind, numba_types.Array):
            return value
        array = target.make_array(kind)(target, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()

    def typed(_context: Any, value: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            return bare(target, builder, signature.args[0], operands[0])

        return value(value), generate

    typed.__name__ = typed.__qualname__ = "borrowed"
    return intrinsic(typed)


INTRINSICS: Mapping[Callable[..., Any], Any] = {
    popcount: _one_operand("ctpop"),
    trailing_zeros: _one_operand("cttz"),
    atomic_or: _atomic_or(),
    prefetch: _prefetch("prefetch", True),
    prefetch_to_read: _prefetch("prefetch_to_read", False),
    natural: _natural(),
    or_line: _or_line(),
    borrowed: _borrowed(),
}
