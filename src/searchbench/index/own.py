"""Validate user-defined indexes before use."""

from __future__ import annotations

import inspect
from typing import Any

from searchbench.errors import BadGame, line_of
from searchbench.index.protocol import Index
from searchbench.jit.references import plain_function


def checked_index(index: Any, source: str, width: int) -> Index | None:
    """Return the index that the method `source` of a user's class returned, or None.

    Raises BadGame if it is incomplete, or asks for more cells than a state's `width`.
    """
    if index is None:
        return None
    right = (
        "expected an index such as searchbench.index.Radix((3, 3)), or one of your own with `size`, `width` and "
        "`functions(at)`"
    )
    if isinstance(index, type):
        raise BadGame(f"{source} returns the class {index.__name__}, not an instance: {right}")
    if not isinstance(index, Index):
        lacking = [name for name in ("size", "width", "functions") if not hasattr(index, name)]
        raise BadGame(f"{source} returns {index!r}, which has no `{(lacking or ['__hash__'])[0]}`: {right}")
    if index.width > width:
        raise BadGame(
            f"{source} returns {index!r}, which numbers {index.width} cells; a state has {width}: `width` and the index must fit"
        )
    return index


def functions_of(index: Any, at: int = 0) -> tuple[Any, Any]:
    """Return an index's functions rank and unrank for the cells from `at` on. Raises BadGame if it returns anything else."""
    kind = type(index)
    right = (
        "expected functions(self, at=0), which returns rank(state) and unrank(number, state) for the cells from `at` on"
    )
    place = line_of(kind.functions) or kind.__name__
    try:
        inspect.signature(index.functions).bind(at)
    except TypeError:
        own = f"functions{inspect.signature(kind.functions)}"
        raise BadGame(f"{place}: the index {kind.__name__} has {own}: {right}") from None
    pair = index.functions(at)
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(map(callable, pair)):
        raise BadGame(f"{place}: functions() of the index {kind.__name__} returns {pair!r}: {right}")
    for function, parameters in zip(pair, (("state",), ("number", "state")), strict=True):
        try:
            inspect.signature(plain_function(function)).bind(*parameters)
        except TypeError:
            own = f"{function.__name__}{inspect.signature(plain_function(function))}"
            raise BadGame(f"{line_of(function) or place}: the index {kind.__name__} has {own}: {right}") from None
    rank, unrank = pair
    return rank, unrank
