"""Named tuples of arrays in compiled code: handed from function to function as one address.

Numba hands a tuple on by value: a tuple of twenty arrays is some hundred and fifty words at each call, and each field that is
read counts its references. Kernels are given such tuples by Python, which keeps them alive while the kernel runs. So the
entry of a kernel writes the records of the arrays into its frame, once, and functions pass the address. Nothing writes there
again: LLVM may keep what it has loaded (``invariant.load``).

Tuples that compiled code makes itself, and those that are constants of it, are Numba's own.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.datamodel import models
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.core.pythonapi import NativeValue
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import Purpose
from numba.extending import register_model, typeof_impl, unbox

_WORD: Final = 8
_INTEGER: Final = ir.IntType(64)


class Record(numba_types.BaseTuple):
    """The type of the address of a tuple's fields; `name` is that of the tuple's class, `types` are the fields' kinds."""

    def __init__(self, name: str, fields: tuple[str, ...], kinds: tuple[Any, ...]) -> None:
        self.fields = fields
        self.types = kinds
        self.count = len(kinds)
        digest = hashlib.sha256(repr((fields, kinds)).encode()).hexdigest()[:14]
        super().__init__(f"{name[:20]}_{digest}")  # of which symbols are made

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Any]:
        return iter(self.types)

    def __getitem__(self, place: Any) -> Any:
        return self.types[place]


@functools.cache
def _type_of_fields(kind: type[Any], kinds: tuple[Any, ...]) -> Any:
    """Return the type of a named tuple of some class, asked at each call of a kernel; None if a field has none."""
    if None in kinds:
        return None
    if any(isinstance(one, (numba_types.Array, Record)) for one in kinds):
        return Record(kind.__name__, kind._fields, kinds)
    return numba_types.BaseTuple.from_types(kinds, kind)


def pass_by_reference() -> None:
    """Let kernels take named tuples of arrays by their addresses; call once."""
    by_value = typeof_impl.dispatch(tuple)

    def type_of(value: tuple[Any, ...], context: Any) -> Any:
        if context.purpose is not Purpose.argument or not hasattr(value, "_fields"):
            return by_value(value, context)
        return _type_of_fields(type(value), tuple([typeof_impl(one, context) for one in value]))

    typeof_impl.register(tuple, type_of)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Record

    def generic_resolve(self, record: Any, field: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        return record.types[record.fields.index(field)] if field in record.fields else None


@register_model(Record)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Record) -> None:
        super().__init__(manager, kind, _INTEGER.as_pointer())

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Take an argument, and tell that all of the record may be read at any time."""
        value.attributes.dereferenceable = _WORD * _places(self._dmm, self._fe_type)[-1]
        return value


def _places(manager: Any, record: Record) -> list[int]:
    """Return the first word of each field, and how many words there are."""
    places = [0]
    for kind in record.types:
        if isinstance(kind, numba_types.Array):
            size = 1 + 1 + kind.ndim * (1 if kind.layout == "C" else 2)
        else:
            size = _words_of(manager[kind].get_value_type())
        places.append(places[-1] + size)
    return places


def _words_of(kind: Any) -> int:
    """Return in how many words a value fits."""
    if isinstance(kind, ir.LiteralStructType):
        return sum(map(_words_of, kind.elements))
    if isinstance(kind, ir.ArrayType):
        return int(kind.count) * _words_of(kind.element)
    return 1


@unbox(Record)  # type: ignore[untyped-decorator]
def _unbox(record: Record, value: Any, c: Any) -> Any:
    """Write the fields of a tuple into the frame of the kernel's wrapper, and return their address."""
    builder = c.builder
    places = _places(c.context.data_model_manager, record)
    frame = cgutils.alloca_once(builder, ir.ArrayType(_INTEGER, places[-1]))
    base = builder.bitcast(frame, _INTEGER.as_pointer())
    failed = cgutils.alloca_once_value(builder, cgutils.false_bit)
    taken = []
    for index, (kind, place) in enumerate(zip(record.types, places, strict=False)):
        native = c.unbox(kind, c.pyapi.tuple_getitem(value, index))
        with builder.if_then(native.is_error, likely=False):
            builder.store(cgutils.true_bit, failed)
        taken.append((kind, native))
        if isinstance(kind, numba_types.Array):
            _store_array(c.context, builder, kind, native.value, base, place)
        else:
            builder.store(native.value, _pointer(builder, base, place, native.value.type))

    def cleanup() -> None:
        """Give back what the fields hold of Python's arrays, once the kernel is done."""
        for kind, native in reversed(taken):
            if native.cleanup is not None:
                native.cleanup()
            c.context.nrt.decref(builder, kind, native.value)

    return NativeValue(base, cleanup=cleanup, is_error=builder.load(failed))


@lower_getattr_generic(Record)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, record: Record, base: Any, field: str) -> Any:
    """Read a field."""
    return _item(context, builder, record, base, record.fields.index(field))


@lower_builtin("static_getitem", Record, numba_types.IntegerLiteral)  # type: ignore[untyped-decorator]
@lower_builtin("static_getitem", Record, numba_types.SliceLiteral)  # type: ignore[untyped-decorator]
def _static_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Read the field at a place, or make a tuple of those between two places."""
    record, (base, place) = signature.args[0], arguments
    if not isinstance(place, slice):
        return _item(context, builder, record, base, range(record.count)[place])
    items = [_item(context, builder, record, base, index) for index in range(record.count)[place]]
    return context.make_tuple(builder, signature.return_type, items)


@lower_builtin(len, Record)  # type: ignore[untyped-decorator]
def _count(context: Any, _builder: Any, signature: Any, _arguments: Any) -> Any:
    """Return how many fields there are."""
    return context.get_constant(signature.return_type, signature.args[0].count)


def _item(context: Any, builder: Any, record: Record, base: Any, index: int) -> Any:
    kind, place = record.types[index], _places(context.data_model_manager, record)[index]
    if isinstance(kind, numba_types.Array):
        return _load_array(context, builder, kind, base, place)
    value = _load(builder, base, place, context.get_value_type(kind))
    return impl_ret_borrowed(context, builder, kind, value)


# --- words -----------------------------------------------------------------------------------------------------------------


def _pointer(builder: Any, base: Any, place: int, kind: Any) -> Any:
    pointer = builder.gep(base, [ir.Constant(ir.IntType(32), place)], inbounds=True)
    return pointer if kind == _INTEGER else builder.bitcast(pointer, kind.as_pointer())


def _load(builder: Any, base: Any, place: int, kind: Any) -> Any:
    value = builder.load(_pointer(builder, base, place, kind), align=_WORD)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _store_array(context: Any, builder: Any, kind: Any, array: Any, base: Any, place: int) -> None:
    """Write where an array lies, how many items it has, its shape, and its strides where they do not follow from that."""
    model = context.data_model_manager[kind]
    fields = ["data", "nitems", "shape"] + ["strides"] * (kind.layout != "C")
    for field in fields:
        value = builder.extract_value(array, model.get_field_position(field))
        parts = [value]
        if isinstance(value.type, ir.ArrayType):
            parts = [builder.extract_value(value, axis) for axis in range(kind.ndim)]
        for part in parts:
            builder.store(part, _pointer(builder, base, place, part.type))
            place += 1


def _load_array(context: Any, builder: Any, kind: Any, base: Any, place: int) -> Any:
    """Return the record of an array, without an owner: Python holds the array until the kernel is done."""
    model = context.data_model_manager[kind]
    at = model.get_field_position
    itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    value: Any = ir.Constant(model.get_value_type(), None)
    value = builder.insert_value(value, ir.Constant(_INTEGER, itemsize), at("itemsize"))
    data = _load(builder, base, place, _member(model, "data"))
    value = builder.insert_value(value, data, at("data"))
    count = _load(builder, base, place + 1, _INTEGER)
    value = builder.insert_value(value, count, at("nitems"))
    shape = [count]
    if kind.ndim != 1 or kind.layout != "C":
        shape = [_load(builder, base, place + 2 + axis, _INTEGER) for axis in range(kind.ndim)]
    strides: list[Any] = [ir.Constant(_INTEGER, itemsize)]
    if kind.layout != "C":
        strides = [_load(builder, base, place + 2 + kind.ndim + axis, _INTEGER) for axis in range(kind.ndim)]
    else:
        for size in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], size, flags=["nsw"]))
    for axis in range(kind.ndim):
        value = builder.insert_value(value, shape[axis], [at("shape"), axis])
        value = builder.insert_value(value, strides[axis], [at("strides"), axis])
    return value


def _member(model: Any, field: str) -> Any:
    """Return how LLVM holds a field of an array's record."""
    return model.get_value_type().elements[model.get_field_position(field)]
