"""The bodies of single instructions in machine code of this processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba.core import cgutils
from numba.core import types as numba_types
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from searchbench.jit.backends.cpu.by_reference import Record
from searchbench.jit.intrinsics import (
    LINE_WORDS,
    atomic_add,
    atomic_or,
    atomic_swap,
    deposit_bits,
    extract_bits,
    or_line,
    popcount,
    prefetch,
    prefetch_to_read,
    trailing_zeros,
    unowned,
    unsigned,
)

_ALIGNMENT: Final = 8 * LINE_WORDS
"""Of new arrays, in bytes: a line of the caches."""


def compiled_zeros(count: int, kind: np.dtype[Any]) -> Any:
    """Return the compiled twin of a function that `zeros` made."""
    array_type = numba_types.Array(from_dtype(kind), 1, "C")

    def typed(_context: Any) -> Any:
        def generate(target: Any, builder: Any, _signature: Any, _operands: Any) -> Any:
            whole = partial(target.get_constant, numba_types.intp)
            size = whole(count * kind.itemsize)
            owner = target.nrt.meminfo_alloc_aligned(builder, size, target.get_constant(numba_types.uint32, _ALIGNMENT))
            record = target.make_array(array_type)(target, builder)
            data = builder.bitcast(target.nrt.meminfo_data(builder, owner), record.data.type)
            cgutils.memset(builder, data, size, 0)
            target.populate_array(
                record,
                data=data,
                shape=cgutils.pack_array(builder, [whole(count)]),
                strides=cgutils.pack_array(builder, [whole(kind.itemsize)]),
                itemsize=whole(kind.itemsize),
                meminfo=owner,
            )
            return record._getvalue()

        return array_type(), generate

    typed.__name__ = typed.__qualname__ = "zeros"
    return intrinsic(typed)


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


def _bits_by_mask(name: str) -> Any:
    """Return pext or pdep: the instruction where the processor has it, else a loop over the mask's ones."""

    def typed(_context: Any, _word: Any, _mask: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, operands: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            if has_quick_masks():
                function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.x86.bmi.{name}.64")
                return builder.call(function, operands)
            return builder.call(_loop_over_ones(builder.module, name, kind), operands)

        return numba_types.uint64(numba_types.uint64, numba_types.uint64), generate

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


@lru_cache(maxsize=1)
def has_quick_masks() -> bool:
    """Tell whether pext and pdep are quick here: AMD's first two Zen processors have them, but take hundreds of cycles."""
    return bool(get_host_cpu_features().get("bmi2")) and get_host_cpu_name() not in ("znver1", "znver2")


def _loop_over_ones(module: Any, name: str, kind: Any) -> Any:
    """Return a function of the module that does the same by a loop over the mask's ones."""
    known = module.globals.get(f"searchbench_{name}")
    if known is not None:
        return known
    function = ir.Function(module, kind, f"searchbench_{name}")
    function.linkage = "internal"
    start, loop, done = (function.append_basic_block(block) for block in ("start", "loop", "done"))
    number = kind.return_type
    zero, one = number(0), number(1)
    word, mask = function.args
    builder = ir.IRBuilder(start)
    builder.cbranch(builder.icmp_unsigned("==", mask, zero), done, loop)
    builder = ir.IRBuilder(loop)
    left, place, found = (builder.phi(number) for _ in range(3))
    low = builder.and_(left, builder.sub(zero, left))
    if name == "pext":
        bit = builder.select(builder.icmp_unsigned("!=", builder.and_(word, low), zero), builder.shl(one, place), zero)
    else:
        bit = builder.select(builder.trunc(builder.lshr(word, place), ir.IntType(1)), low, zero)
    next_left, next_place, next_found = builder.xor(left, low), builder.add(place, one), builder.or_(found, bit)
    for phi, first, after in ((left, mask, next_left), (place, zero, next_place), (found, zero, next_found)):
        phi.add_incoming(first, start)
        phi.add_incoming(after, loop)
    builder.cbranch(builder.icmp_unsigned("==", next_left, zero), done, loop)
    builder = ir.IRBuilder(done)
    result = builder.phi(number)
    result.add_incoming(zero, start)
    result.add_incoming(next_found, loop)
    builder.ret(result)
    return function


def _atomic(name: str, operation: str) -> Any:
    def typed(_context: Any, words: Any, _place: Any, _bits: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            # The old value is not asked for: one locked instruction instead of a loop of compare and swap.
            builder.atomic_rmw(operation, word, operands[2], "monotonic")
            return target.get_dummy_value()

        return numba_types.void(words, numba_types.intp, words.dtype), generate

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


def _atomic_swap() -> Any:
    def typed(_context: Any, words: Any, _place: Any, _old: Any, _new: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            found = builder.cmpxchg(word, operands[2], operands[3], "monotonic", "monotonic")
            return builder.extract_value(found, 0)

        return words.dtype(words, numba_types.intp, words.dtype, words.dtype), generate

    typed.__name__ = typed.__qualname__ = "atomic_swap"
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


def _unsigned() -> Any:
    def typed(_context: Any, number: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            return target.cast(builder, operands[0], signature.args[0], numba_types.uintp)

        return numba_types.uintp(number), generate

    typed.__name__ = typed.__qualname__ = "unsigned"
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


def _unowned() -> Any:
    def bare(target: Any, builder: Any, kind: Any, value: Any) -> Any:
        """Return a value without the reference counts of its arrays; a tuple that is passed by its address has none."""
        if isinstance(kind, numba_types.BaseTuple) and not isinstance(kind, Record):
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

    typed.__name__ = typed.__qualname__ = "unowned"
    return intrinsic(typed)


TWINS: Mapping[Callable[..., Any], Any] = {
    popcount: _one_operand("ctpop"),
    trailing_zeros: _one_operand("cttz"),
    extract_bits: _bits_by_mask("pext"),
    deposit_bits: _bits_by_mask("pdep"),
    atomic_or: _atomic("atomic_or", "or"),
    atomic_add: _atomic("atomic_add", "add"),
    atomic_swap: _atomic_swap(),
    prefetch: _prefetch("prefetch", True),
    prefetch_to_read: _prefetch("prefetch_to_read", False),
    unsigned: _unsigned(),
    or_line: _or_line(),
    unowned: _unowned(),
}
