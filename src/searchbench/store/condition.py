"""Evaluate conditions on positions, typed by a reader: a small subset of Python's expressions, without `eval`.

A server must not run code from a page. So an expression is parsed into a tree with only a few kinds of nodes; numbers stay
below 2^63, and only the functions named here can be called.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from searchbench.errors import BadRequest

Scope = Mapping[str, Any]
Term = Callable[[Scope], Any]

LONGEST: Final = 400
LARGEST: Final = 1 << 63

_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.RShift: operator.rshift,
}  # fmt: skip
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


_ORDERS: Final = frozenset({operator.lt, operator.le, operator.gt, operator.ge})


def _count(items: Any, wanted: Any) -> int:
    _check_alike(wanted, items)
    return sum(1 for item in items if item == wanted)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "abs": abs, "count": _count, "len": len, "max": max, "min": min, "sum": sum,
}  # fmt: skip


def condition(text: str, names: Sequence[str]) -> tuple[Callable[[Scope], bool], frozenset[str]]:
    """Return the test of an expression, and the names of `names` that it uses. Raises BadRequest.

    The test raises BadRequest if the expression cannot be evaluated.
    """
    if len(text) > LONGEST:
        raise BadRequest(f"a condition of {len(text):,} characters: at most {LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRequest(f"condition {text!r}: {getattr(error, 'msg', error)}{_meant(text)}") from None
    used: set[str] = set()
    term = _term(tree.body, frozenset(names), used, text)

    def test(scope: Scope) -> bool:
        try:
            return bool(term(scope))
        except BadRequest as error:
            raise BadRequest(f"condition {text!r}: {error}") from None
        except IndexError:
            raise BadRequest(
                f"condition {text!r}: a number in [...] is beyond the last cell; cells count from 0"
            ) from None
        except Exception as error:
            raise BadRequest(f"condition {text!r}: {type(error).__name__}: {error}") from None

    return test, frozenset(used)


def compared(text: str, name: str) -> frozenset[str]:
    """Return the texts with which an expression compares what it takes from a name, as `pieces[0] == 'W'` does."""
    found: set[str] = set()

    def take(one: ast.AST, other: ast.AST) -> None:
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(one)):
            items = other.elts if isinstance(other, ast.Tuple | ast.List) else [other]
            found.update(item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str))

    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        match node:
            case ast.Compare(left=first, ops=signs, comparators=others):
                for one, sign, other in zip([first, *others], signs, others, strict=False):
                    within = isinstance(other, ast.Subscript) and not isinstance(other.slice, ast.Slice)
                    if not (isinstance(sign, ast.In | ast.NotIn) and within):  # that asks for a part of a text
                        take(one, other)
                        take(other, one)
            case ast.Call(func=ast.Name(id="count"), args=[items, wanted]):
                take(items, wanted)
    return frozenset(found)


def clauses(text: str) -> list[str]:
    """Return the conditions that an expression joins by `and`; of another expression itself."""
    tree = ast.parse(text.strip(), mode="eval").body
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    return [ast.unparse(part) for part in parts]


def _meant(text: str) -> str:
    """Return what a sign that Python does not have stands for, or nothing."""
    signs = {"=>": ">=", "=<": "<=", "<>": "!=", "&&": "and", "||": "or", "!": "not", "=": "=="}
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|[<>=!]=(?![<>])", " ", text)  # without texts and what Python has
    found = next((sign for sign in signs if sign in bare), None)
    return f"; in the place of {found} write {signs[found]}" if found else ""


def _term(node: ast.AST, names: frozenset[str], used: set[str], text: str) -> Term:
    def below(child: ast.AST) -> Term:
        return _term(child, names, used, text)

    match node:
        case ast.Constant(value=bool() | int() | str() | None as constant):
            return lambda scope: constant
        case ast.Name(id=name) if name in names:
            used.add(name)
            return lambda scope: scope[name]
        case ast.BoolOp(op=joint, values=children):
            terms, whole = [below(child) for child in children], all if isinstance(joint, ast.And) else any
            return lambda scope: whole(term(scope) for term in terms)
        case ast.UnaryOp(op=ast.Not(), operand=child):
            inner = below(child)
            return lambda scope: not inner(scope)
        case ast.UnaryOp(op=ast.USub(), operand=child):
            inner = below(child)
            return lambda scope: -inner(scope)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _calculation(_BINARY[type(sign)], below(left), below(right))
        case ast.Compare(left=first, ops=signs, comparators=others):
            return _comparison([below(first), *map(below, others)], [_COMPARE[type(sign)] for sign in signs])
        case ast.IfExp(test=question, body=yes, orelse=no):
            asked, one, other = below(question), below(yes), below(no)
            return lambda scope: one(scope) if asked(scope) else other(scope)
        case ast.Subscript(value=items, slice=ast.Slice(lower=low, upper=high, step=None)):
            many, begin, end = below(items), *(below(edge or ast.Constant(None)) for edge in (low, high))
            return lambda scope: many(scope)[begin(scope) : end(scope)]
        case ast.Subscript(value=items, slice=place):
            many, at = below(items), below(place)
            return lambda scope: many(scope)[at(scope)]
        case ast.Tuple(elts=children) | ast.List(elts=children):
            terms = [below(child) for child in children]
            return lambda scope: tuple(term(scope) for term in terms)
        case ast.Call(func=ast.Name(id=name), args=children, keywords=[]) if name in FUNCTIONS:
            function, terms = FUNCTIONS[name], [below(child) for child in children]
            return lambda scope: function(*(term(scope) for term in terms))
    raise BadRequest(
        f"condition {text!r}: {ast.unparse(node)!r} is not understood; there are the names {', '.join(sorted(names))}, "
        f"numbers, texts, + - * // % & | ^ >>, comparisons, and, or, not, [...], and {', '.join(FUNCTIONS)}"
    )


def _calculation(sign: Callable[[Any, Any], Any], left: Term, right: Term) -> Term:
    def result(scope: Scope) -> int:
        one, other = left(scope), right(scope)
        if not (isinstance(one, int) and isinstance(other, int)):
            raise BadRequest(
                "only numbers can be calculated with; a draw has no plies, and texts are compared with == or in"
            )
        found: int = sign(one, other)
        if abs(found) >= LARGEST:
            raise BadRequest("a number grows beyond 2^63")
        return found

    return result


def _comparison(terms: Sequence[Term], signs: Sequence[Callable[[Any, Any], Any]]) -> Term:
    def result(scope: Scope) -> bool:
        left = terms[0](scope)
        for sign, term in zip(signs, terms[1:], strict=True):
            right = term(scope)
            if sign in _ORDERS and (left is None or right is None):
                return False  # a draw has no plies, a position without a value no value: they are neither more nor less
            _check_alike(left, right)
            if not sign(left, right):
                return False
            left = right
        return True

    return result


def _check_alike(one: Any, other: Any) -> None:
    """Refuse to compare a text with numbers: who asks has mistaken what a name holds. Raises BadRequest."""
    others = other if isinstance(other, tuple | list) else (other,)
    known = [item for item in others if isinstance(item, str | int)]
    if (
        known
        and isinstance(one, str | int)
        and not any(isinstance(one, str) == isinstance(item, str) for item in known)
    ):
        raise BadRequest(
            f"{one!r} is compared with {known[0]!r}, and a text is never equal to a number: "
            "state, number and plies are numbers, pieces and outcome texts, which stand in quotes"
        )
