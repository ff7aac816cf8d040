"""Evaluate conditions on cells, numbers and the player to move for many positions at once, with arrays in the place of numbers.

An expression is taken only where arrays give what Python's numbers give: no part of it can fail on any position, and no
number in it can leave 64 bits, as the bounds of its parts show. Another one is evaluated position by position.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.store.codes import Array


class Block(NamedTuple):
    """Some positions: their numbers, their cells, [positions, width], and who is to move; what is not asked may be empty."""

    numbers: Array
    states: Array
    movers: Array


BlockTest = Callable[[Block], Array]
"""Tells which of some positions meet a condition."""
WIDEST: Final = 1 << 63

_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_EXTREMES: Final = {"max": (np.maximum, max), "min": (np.minimum, min)}


class _Number(NamedTuple):
    """A number of each position, at least `low` and at most `high`."""

    of: Callable[[Block], Any]
    low: int
    high: int


class _Cells(NamedTuple):
    """Some cells of each position, `places` of them, each at least `low` and at most `high`."""

    of: Callable[[Block], Array]
    places: int
    low: int
    high: int


class _Beyond(Exception):
    """Say that an expression is not taken."""


def block_test(text: str, width: int, dtype: np.dtype[Any], size: int) -> BlockTest | None:
    """Return the test of an expression for positions of `width` cells with numbers below `size`; None if it is not taken."""
    if dtype.kind not in "bi" and dtype.itemsize == 8:
        return None  # its numbers do not fit
    bounds = np.iinfo(dtype) if dtype.kind in "iu" else np.iinfo(np.int8)
    state = _Cells(lambda block: block.states, width, int(bounds.min), int(bounds.max))
    names: dict[str, _Number | _Cells] = {
        "state": state,
        "number": _Number(lambda block: block.numbers, 0, size - 1),
        "mover": _Number(lambda block: block.movers, 0, 1),
    }
    try:
        found = _truth(_term(ast.parse(text.strip(), mode="eval").body, names))
    except _Beyond:
        return None
    return lambda block: np.broadcast_to(found(block), len(block.numbers))


def _term(node: ast.AST, names: Mapping[str, _Number | _Cells]) -> _Number | _Cells:
    def below(child: ast.AST) -> _Number | _Cells:
        return _term(child, names)

    def number_below(child: ast.AST) -> _Number:
        found = below(child)
        if isinstance(found, _Cells):
            raise _Beyond
        return found

    match node:
        case ast.Constant(value=bool() | int() as constant):
            return _bounded(lambda _block: constant, constant, constant)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BoolOp(op=joint, values=children):
            tests = [_truth(below(child)) for child in children]
            sign = operator.and_ if isinstance(joint, ast.And) else operator.or_
            return _Number(lambda block: reduce(sign, (test(block) for test in tests)), 0, 1)
        case ast.UnaryOp(op=ast.Not(), operand=child):
            test = _truth(below(child))
            return _Number(lambda block: np.logical_not(test(block)), 0, 1)
        case ast.UnaryOp(op=ast.USub(), operand=child):
            return _calculated(ast.Sub(), _Number(lambda _block: 0, 0, 0), number_below(child))
        case ast.BinOp(left=left, op=sign, right=right):
            return _calculated(sign, number_below(left), number_below(right))
        case ast.Compare(left=first, ops=signs, comparators=others):
            return _compared([first, *others], signs, below)
        case ast.IfExp(test=question, body=yes, orelse=no):
            asked, one, other = _truth(below(question)), number_below(yes), number_below(no)
            return _Number(
                lambda block: np.where(asked(block), one.of(block), other.of(block)),
                min(one.low, other.low),
                max(one.high, other.high),
            )
        case ast.Subscript(value=items, slice=ast.Slice(lower=low, upper=high, step=None)):
            many = _cells(below(items))
            part = slice(*(None if edge is None else _constant(edge) for edge in (low, high)))
            return many._replace(of=lambda block: many.of(block)[:, part], places=len(range(many.places)[part]))
        case ast.Subscript(value=items, slice=place):
            many, at = _cells(below(items)), _constant(place)
            if not -many.places <= at < many.places:
                raise _Beyond
            return _Number(lambda block: _wide(many.of(block)[:, at]), many.low, many.high)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _called(name, [below(argument) for argument in arguments])
    raise _Beyond


def _called(name: str, found: Sequence[_Number | _Cells]) -> _Number:
    """Return the result of a function of the language."""
    match name, found:
        case "abs", [_Number() as one]:
            return _bounded(lambda block: abs(_wide(one.of(block))), 0, max(abs(one.low), abs(one.high)))
        case "count", [_Cells() as many, _Number() as wanted]:
            return _Number(
                lambda block: (_wide(many.of(block)) == _column(wanted.of(block))).sum(axis=1), 0, many.places
            )
        case "len", [_Cells() as many]:
            return _Number(lambda _block: many.places, many.places, many.places)
        case "sum", [_Cells() as many]:
            return _bounded(
                lambda block: many.of(block).sum(axis=1, dtype=np.int64),
                many.places * many.low,
                many.places * many.high,
            )
        case (("max" | "min"), [_Cells() as many]):
            return _extreme_of_cells(_EXTREMES[name][0], many)
        case (("max" | "min"), [_Number(), _Number(), *_]):
            return _extreme(*_EXTREMES[name], [one for one in found if isinstance(one, _Number)], len(found))
    raise _Beyond


def _extreme_of_cells(sign: Any, many: _Cells) -> _Number:
    if many.places == 0:
        raise _Beyond
    return _Number(lambda block: sign.reduce(_wide(many.of(block)), axis=1), many.low, many.high)


def _extreme(sign: Any, of_bounds: Any, numbers: Sequence[_Number], count: int) -> _Number:
    if len(numbers) < count:
        raise _Beyond
    low, high = (of_bounds(bounds) for bounds in ([one.low for one in numbers], [one.high for one in numbers]))
    return _Number(lambda block: reduce(sign, (_wide(one.of(block)) for one in numbers)), low, high)


def _calculated(sign: ast.operator, one: _Number, other: _Number) -> _Number:
    """Return the result of a calculation, where its bounds tell that it is one of 64 bits and cannot fail."""

    def of(function: Callable[[Any, Any], Any]) -> Callable[[Block], Any]:
        return lambda block: function(_wide(one.of(block)), _wide(other.of(block)))

    corners = [(first, second) for first in (one.low, one.high) for second in (other.low, other.high)]
    match sign:
        case ast.Add() | ast.Sub() | ast.Mult():
            function = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}[type(sign)]
            results = [function(*corner) for corner in corners]
            return _bounded(of(function), min(results), max(results))
        case ast.FloorDiv() if other.low > 0:
            results = [first // second for first, second in corners]
            return _bounded(of(operator.floordiv), min(results), max(results))
        case ast.Mod() if other.low > 0:
            return _bounded(of(operator.mod), 0, other.high - 1)
        case ast.RShift() if 0 <= other.low <= other.high < 64:
            results = [first >> second for first, second in corners]
            return _bounded(of(operator.rshift), min(results), max(results))
        case ast.BitAnd() if one.low >= 0 or other.low >= 0:
            return _bounded(of(operator.and_), 0, min(some.high for some in (one, other) if some.low >= 0))
        case ast.BitOr() | ast.BitXor() if one.low >= 0 and other.low >= 0:
            bits = max(one.high, other.high).bit_length()
            return _bounded(of(operator.or_ if isinstance(sign, ast.BitOr) else operator.xor), 0, (1 << bits) - 1)
    raise _Beyond


def _compared(
    nodes: Sequence[ast.AST], signs: Sequence[ast.cmpop], below: Callable[[ast.AST], _Number | _Cells]
) -> _Number:
    """Return whether all of a chain of comparisons hold."""
    tests = [
        _comparison(below, one, sign, other) for one, sign, other in zip(nodes[:-1], signs, nodes[1:], strict=True)
    ]
    return _Number(lambda block: reduce(operator.and_, (test(block) for test in tests)), 0, 1)


def _comparison(
    below: Callable[[ast.AST], _Number | _Cells], one: ast.AST, sign: ast.cmpop, other: ast.AST
) -> Callable[[Block], Any]:
    left = below(one)
    if isinstance(left, _Cells):
        raise _Beyond
    if isinstance(sign, ast.In | ast.NotIn):
        return _membership(left, other, below, isinstance(sign, ast.NotIn))
    right = below(other)
    if isinstance(right, _Cells) or type(sign) not in _COMPARE:
        raise _Beyond
    function = _COMPARE[type(sign)]
    return lambda block: function(_wide(left.of(block)), _wide(right.of(block)))


def _membership(
    left: _Number, other: ast.AST, below: Callable[[ast.AST], _Number | _Cells], without: bool
) -> Callable[[Block], Any]:
    """Return whether a number is one of some numbers, or of some cells."""
    if isinstance(other, ast.Tuple | ast.List):
        numbers = [_constant(item) for item in other.elts]
        return lambda block: np.isin(_wide(left.of(block)), numbers, invert=without)
    many = _cells(below(other))
    return lambda block: (_wide(many.of(block)) == _column(left.of(block))).any(axis=1) != without


def _cells(found: _Number | _Cells) -> _Cells:
    if isinstance(found, _Number):
        raise _Beyond
    return found


def _truth(found: _Number | _Cells) -> Callable[[Block], Any]:
    """Return whether a number is not 0."""
    if isinstance(found, _Cells):
        raise _Beyond
    return lambda block: np.not_equal(found.of(block), 0)


def _constant(node: ast.AST) -> int:
    try:
        found = ast.literal_eval(node)
    except ValueError:
        raise _Beyond from None
    if not isinstance(found, int) or abs(found) >= WIDEST:
        raise _Beyond
    return int(found)


def _bounded(of: Callable[[Block], Any], low: int, high: int) -> _Number:
    if low <= -WIDEST or high >= WIDEST:
        raise _Beyond
    return _Number(of, low, high)


def _wide(found: Any) -> Any:
    """Return numbers as those of 64 bits."""
    return np.asarray(found, np.int64)


def _column(found: Any) -> Any:
    """Return a number of each position, or one for all, so that it is compared with each cell."""
    return np.reshape(_wide(found), (-1, 1))
