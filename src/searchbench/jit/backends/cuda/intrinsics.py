"""The bodies of single instructions on a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cuda
from numba.cuda import cgutils
from numba.cuda import types as numba_types
from numba.cuda.extending import intrinsic
from numba.cuda.np.numpy_support import from_dtype

from searchbench.jit import intrinsics as plain


def local_zeros(count: int, kind: np.dtype[Any]) -> Any:
    """Return the twin of a function that `zeros` made: the vector lies in the thread's own memory."""
    array_type = numba_types.Array(from_dtype(kind), 1, "C")

    def typed(_context: Any) -> Any:
        def generate(target: Any, builder: Any, _signature: Any, _operands: Any) -> Any:
            element = target.get_data_type(array_type.dtype)
            room = ir.ArrayType(element, max(count, 1))
            place = cgutils.alloca_once(builder, room)  # of the caller: an intrinsic has no frame of its own
            whole = numba_types.intp
            record = target.make_array(array_type)(target, builder)
            data = builder.bitcast(place, record.data.type)
            zero, one = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), max(count, 1))
            with cgutils.for_range(builder, one) as loop:
                builder.store(ir.Constant(element, 0), builder.gep(place, [zero, loop.index], inbounds=True))
            target.populate_array(
                record,
                data=data,
                shape=cgutils.pack_array(builder, [target.get_constant(whole, count)]),
                strides=cgutils.pack_array(builder, [target.get_constant(whole, kind.itemsize)]),
                itemsize=target.get_constant(whole, kind.itemsize),
                meminfo=None,
            )
            return record._getvalue()

        return array_type(), generate

    typed.__name__ = typed.__qualname__ = "zeros"
    return intrinsic(typed)


def _one_operand(name: str) -> Any:
    def typed(_context: Any, _word: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, operands: Any) -> Any:
            if name == "ctpop":
                return builder.ctpop(operands[0])
            return builder.cttz(operands[0], cgutils.false_bit)

        return numba_types.int64(numba_types.int64), generate

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


def _extract_bits(word: Any, mask: Any) -> Any:
    word, mask = np.uint64(word), np.uint64(mask)
    found, bit = np.uint64(0), np.uint64(1)
    while mask != np.uint64(0):
        low = mask & (~mask + np.uint64(1))
        if word & low != np.uint64(0):
            found |= bit
        bit <<= np.uint64(1)
        mask ^= low
    return found


def _deposit_bits(word: Any, mask: Any) -> Any:
    word, mask = np.uint64(word), np.uint64(mask)
    found = np.uint64(0)
    while mask != np.uint64(0):
        low = mask & (~mask + np.uint64(1))
        if word & np.uint64(1) != np.uint64(0):
            found |= low
        word >>= np.uint64(1)
        mask ^= low
    return found


def _atomic_or(words: Any, place: Any, bits: Any) -> None:
    cuda.atomic.or_(words, place, bits)


def _atomic_add(words: Any, place: Any, number: Any) -> None:
    cuda.atomic.add(words, place, number)


def _atomic_swap(words: Any, place: Any, old: Any, new: Any) -> Any:
    kind = words.dtype.type
    return cuda.atomic.cas(words, place, kind(old), kind(new))


def _nothing(_words: Any, _place: Any) -> None:
    return


def _itself(value: Any) -> Any:
    return value


def _unsigned(number: Any) -> Any:
    return np.uint64(number)


def _or_line(lines: Any, line: Any, others: Any, other: Any, mask: Any, turn: Any) -> None:
    mask, left = np.uint64(mask), np.uint64(turn)
    right = (np.uint64(64) - left) & np.uint64(63)
    for word in range(8):
        bits = others[other, word] & mask
        lines[line, word] |= bits << left | bits >> right


def _device(function: Callable[..., Any]) -> Any:
    return cuda.jit(device=True)(function)


TWINS: Mapping[Callable[..., Any], Any] = {
    plain.popcount: _one_operand("ctpop"),
    plain.trailing_zeros: _one_operand("cttz"),
    plain.extract_bits: _device(_extract_bits),
    plain.deposit_bits: _device(_deposit_bits),
    plain.atomic_or: _device(_atomic_or),
    plain.atomic_add: _device(_atomic_add),
    plain.atomic_swap: _device(_atomic_swap),
    plain.prefetch: _device(_nothing),
    plain.prefetch_to_read: _device(_nothing),
    plain.unsigned: _device(_unsigned),
    plain.or_line: _device(_or_line),
    plain.unowned: _device(_itself),
}
