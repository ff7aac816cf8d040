"""Large tables in compiled code: read where they are in memory, not copied into the code.

A small array that a function refers to is frozen into its machine code. A large one becomes an external symbol, named by
its content. Whoever binds a function first makes the symbols of its arrays known, so code that another process compiled
finds the same numbers at the address that they have in this one.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import binding, ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.datamodel import models
from numba.core.imputils import lower_constant
from numba.extending import register_model, typeof_impl
from numba.np.numpy_support import from_dtype

from searchbench.jit.fingerprint import SMALL, content_digest

Array = npt.NDArray[Any]


class _Placed(np.ndarray[Any, Any]):
    """Mark an array that compiled code reads at its address, under a symbol of that name."""

    symbol: str


_PLACED: Final[dict[str, _Placed]] = {}
"""The arrays by their symbols: they stay where they are as long as the process lives."""


def by_address(array: Array) -> Array:
    """Return an array as compiled functions are to see it: itself if it is small, else one read at its address.

    A large array is made read-only: its name tells its content.
    """
    if array.nbytes <= SMALL:
        return array
    symbol = f"searchbench_{content_digest(array)}"
    if symbol not in _PLACED:
        array.flags.writeable = False
        placed = np.ascontiguousarray(array).view(_Placed)
        placed.symbol = symbol
        _PLACED[symbol] = placed
        binding.add_symbol(symbol, placed.ctypes.data)
    return _PLACED[symbol]


class _PlacedType(numba_types.Array):
    """Type such an array as any other that cannot be written; only its constants are made in another way."""

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Any:
        """Return the same type, or a plain array's where something else is asked for."""
        if (dtype, ndim, layout) == (None, None, None):
            return self
        return super().copy(dtype, ndim, layout, readonly)


register_model(_PlacedType)(models.ArrayModel)


@typeof_impl.register(_Placed)
def _type_of(array: _Placed, _context: Any) -> _PlacedType:
    return _PlacedType(from_dtype(array.dtype), array.ndim, "C", readonly=True)


@lower_constant(_PlacedType)  # type: ignore[untyped-decorator]
def _constant(context: Any, builder: Any, kind: _PlacedType, array: _Placed) -> Any:
    """Return the array's record with the symbol as the address of its data."""
    known = builder.module.globals
    data = known.get(array.symbol) or cgutils.add_global_variable(builder.module, ir.IntType(8), array.symbol)
    record = context.make_array(kind)(context, builder)

    def whole_numbers(values: tuple[int, ...]) -> Any:
        constants = [context.get_constant(numba_types.intp, value) for value in values]
        return cgutils.create_constant_array(context.get_value_type(numba_types.intp), constants)

    context.populate_array(
        record,
        data=builder.bitcast(data, record.data.type),
        shape=whole_numbers(array.shape),
        strides=whole_numbers(array.strides),
        itemsize=context.get_constant(numba_types.intp, array.itemsize),
        meminfo=None,
    )
    return record._getvalue()
