"""Signatures that were resolved once are those that Numba resolves: for any operator, types and flags."""

from __future__ import annotations

import itertools
import operator

import numba
import numpy as np
import pytest
from numba.core import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

import searchbench.jit.backends.cpu.compiling  # noqa: F401 - which lets Numba remember

KINDS = (types.int64, types.uint8, types.float64, types.boolean, types.IntegerLiteral(3), types.int64[::1])
OPERATORS = (operator.add, operator.floordiv, operator.lt, operator.getitem, operator.and_)


@pytest.mark.parametrize("function", OPERATORS)
def test_a_remembered_signature_is_the_one_found_anew(function: object) -> None:
    context = cpu_target.typing_context
    context.refresh()
    kind = context.resolve_value_type(function)
    assert isinstance(kind, BaseFunction)
    for arguments in itertools.product(KINDS, repeat=2):
        anew = BaseFunction(kind.templates)
        try:
            found = anew.get_call_type(context, arguments, {})
        except TypingError:
            with pytest.raises(TypingError):
                kind.get_call_type(context, arguments, {})
            continue
        assert kind.get_call_type(context, arguments, {}) == found
        assert kind.get_call_type(context, list(arguments), {}) is kind.get_call_type(context, arguments, {})
        assert kind.get_impl_key(found) is not None


def test_flags_tell_compilations_apart() -> None:
    def quotients(over: np.ndarray, under: np.ndarray) -> float:
        return float((over / under)[0] + 1.0 / under[0])

    python = numba.njit(error_model="python")(quotients)
    numpy = numba.njit(error_model="numpy")(quotients)
    zero = np.zeros(1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            python(zero, zero)
        assert np.isnan(numpy(zero, zero))
