"""Tables in compiled code: they lie in the device's memory once, and the code reads them at their address."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import cuda
from numba.cuda import cgutils
from numba.cuda import types as numba_types
from numba.cuda.cudaimpl import lower_constant
from numba.cuda.datamodel.models import ArrayModel
from numba.cuda.extending import register_model, typeof_impl
from numba.cuda.np.numpy_support import from_dtype

from searchbench.jit.fingerprint import content_digest

Array = npt.NDArray[Any]
ADDRESSES: Final[dict[str, Any]] = {}
"""The copies on the device by the digests of their content; they stay as long as the process lives."""


class _Placed(np.ndarray[Any, Any]):
    """Mark an array that compiled code reads at an address of the device."""

    address: int


def placed(array: Array) -> Array:
    """Return an array as compiled functions are to see it: its copy on the device is read, and cannot be written."""
    whole = np.ascontiguousarray(array)
    marked = whole.view(_Placed)
    digest = content_digest(whole)
    if digest not in ADDRESSES:
        ADDRESSES[digest] = cuda.to_device(whole) if cuda.is_available() else None
    copy = ADDRESSES[digest]
    # Without a device code is only compiled: any address does but 0, from which the compiler knows that nobody reads.
    marked.address = copy.device_ctypes_pointer.value if copy is not None else whole.ctypes.data
    return marked


class _PlacedType(numba_types.Array):  # type: ignore[misc]
    """Type such an array as any other that cannot be written; only its constants are made in another way."""

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Any:
        """Return the same type, or a plain array's where something else is asked for."""
        if (dtype, ndim, layout) == (None, None, None):
            return self
        return super().copy(dtype, ndim, layout, readonly)


register_model(_PlacedType)(ArrayModel)


@typeof_impl.register(_Placed)  # type: ignore[untyped-decorator]
def _type_of(array: _Placed, _context: Any) -> _PlacedType:
    return _PlacedType(from_dtype(array.dtype), array.ndim, "C", readonly=True)


@lower_constant(_PlacedType)  # type: ignore[untyped-decorator]
def _constant(context: Any, builder: Any, kind: _PlacedType, array: _Placed) -> Any:
    """Return the array's record, of which the data is at an address known by now."""
    record = context.make_array(kind)(context, builder)

    def whole_numbers(values: tuple[int, ...]) -> Any:
        constants = [context.get_constant(numba_types.intp, value) for value in values]
        return cgutils.pack_array(builder, constants, context.get_value_type(numba_types.intp))

    context.populate_array(
        record,
        data=builder.inttoptr(ir.Constant(ir.IntType(64), array.address), record.data.type),
        shape=whole_numbers(array.shape),
        strides=whole_numbers(array.strides),
        itemsize=context.get_constant(numba_types.intp, array.itemsize),
        meminfo=None,
    )
    return record._getvalue()
