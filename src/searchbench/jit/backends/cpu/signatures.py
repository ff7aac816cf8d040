"""Remember the signatures that Numba has found for its own functions and operators.

Numba resolves `a + b` of two integers anew at each place: it tries every template of `+` there is, most of which make
types and look into NumPy's loops. Nineteen of twenty such questions of a process have been answered before.
"""

from __future__ import annotations

import functools
from typing import Any

from numba.core import targetconfig
from numba.core.types.functions import BaseFunction

_MEMORY = "searchbench_signatures"


def remember_signatures() -> None:
    """Let every function type of Numba answer from its memory; call once.

    An answer holds for the compiler's flags, the context, and the types of the arguments. A function that gets further
    templates becomes another type, which has a memory of its own. Calls with named arguments are resolved anew.
    """
    function_type: Any = BaseFunction
    resolve = function_type.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of these types."""
        if kws:
            return resolve(self, context, args, kws)
        memory = self.__dict__.setdefault(_MEMORY, {})
        key = context, tuple(args), targetconfig.ConfigStack.top_or_none()
        if key not in memory:
            memory[key] = resolve(self, context, args, kws)
        return memory[key]

    function_type.get_call_type = get_call_type
    flags: Any = targetconfig.TargetConfig
    # Numba's hash is that of the names of all flags, which the class has in common: worked out once. So are the defaults.
    flags.__hash__ = lambda self: hash(type(self))
    flags.values = _values


def _values(flags: Any) -> dict[str, Any]:
    kind: Any = type(flags)
    return {**_defaults(kind), **flags._values}


@functools.cache
def _defaults(flags: Any) -> dict[str, Any]:
    """Return the flags of a class as they are where nothing sets them."""
    return {name: option.default for name, option in flags.options.items()}
