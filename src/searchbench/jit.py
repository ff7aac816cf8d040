"""Put a game's functions in the place of the contract's names in a kernel, and compile it.

This is the only module that touches Numba. A kernel is a plain Python function that calls names of
:mod:`searchbench.rules`. :func:`bind` walks over everything the kernel can reach (functions, closures, constants,
functions of a user's other modules), replaces the contract's names, and either returns plain Python
(``target="interpreted"``) or compiles (``target="cpu"``).

Compiled code is kept between processes under a *fingerprint*: a hash of the byte code and the constants of all that the
kernel can reach. So an edited game is recompiled, an edited comment is not, and what is in the cache is never stale.
"""

from __future__ import annotations

import enum
import hashlib
import logging
import os
import sys
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.extending import intrinsic

from searchbench import rules
from searchbench.errors import MissingRule

Target = Literal["cpu", "interpreted"]
log = logging.getLogger(__name__)
_Function = TypeVar("_Function", bound=Callable[..., Any])


# --- intrinsics: an interpreted function each, and its compiled twin ---------------------------------------------------

LINE_WORDS = 8
"""How many 64-bit words a line has: the processor's caches have lines of that size, its widest registers too."""


def popcount(word: int) -> int:
    """Count the one bits of a non-negative word."""
    return int(word).bit_count()


def trailing_zeros(word: int) -> int:
    """Return the position of the lowest one bit of a positive word."""
    word = int(word)
    return (word & -word).bit_length() - 1


def atomic_or(words: Any, place: int, bits: Any) -> None:
    """Set bits of a word that other threads may write at the same time."""
    words[place] |= bits


def prefetch(words: Any, place: int) -> None:
    """Ask for a word that will be read and written soon; nothing but time depends on it."""


def borrowed(value: Any) -> Any:
    """Return an array, or a tuple of arrays, whose users the compiled kernel does not count: its caller holds them.

    Handing an array on costs two locked instructions for each call otherwise. A kernel must not return what it borrowed.
    """
    return value


def inlined(function: _Function) -> _Function:
    """Ask the compiler to put a function into its callers: worth it where it is small and called for each node."""
    function.inlined = True  # type: ignore[attr-defined]
    return function


def or_line(lines: Any, line: int, others: Any, other: int, mask: int, turn: int) -> None:
    """Add the masked words of a line of one array, each turned left by some bits, to a line of another: [lines, 8] words."""
    for word in range(LINE_WORDS):
        bits = others[other, word] & mask
        lines[line, word] |= (bits << turn | bits >> (64 - turn)) & (1 << 64) - 1


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


def _atomic_or() -> Any:
    def typed(_context: Any, words: Any, _place: Any, _bits: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            # The old value is not asked for: one locked instruction instead of a loop of compare and swap.
            builder.atomic_rmw("or", word, operands[2], "monotonic")
            return target.get_dummy_value()

        return numba_types.void(words, numba_types.intp, words.dtype), generate

    typed.__name__ = typed.__qualname__ = "atomic_or"
    return intrinsic(typed)


def _prefetch() -> Any:
    def typed(_context: Any, words: Any, _place: Any) -> Any:
        def generate(target: Any, builder: Any, signature: Any, operands: Any) -> Any:
            array = target.make_array(signature.args[0])(target, builder, operands[0])
            word = cgutils.get_item_pointer(target, builder, signature.args[0], array, [operands[1]], wraparound=False)
            number, address = ir.IntType(32), ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            # To be written, to be kept close, and data, not code.
            builder.call(function, [builder.bitcast(word, address), number(1), number(3), number(1)])
            return target.get_dummy_value()

        return numba_types.void(words, numba_types.intp), generate

    typed.__name__ = typed.__qualname__ = "prefetch"
    return intrinsic(typed)


def _borrowed() -> Any:
    def bare(target: Any, builder: Any, kind: Any, value: Any) -> Any:
        """Return a value without what counts the users of its arrays."""
        if isinstance(kind, numba_types.BaseTuple):
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

    typed.__name__ = typed.__qualname__ = "borrowed"
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


_INTRINSICS: Mapping[Callable[..., Any], Any] = {
    popcount: _one_operand("ctpop"),
    trailing_zeros: _one_operand("cttz"),
    atomic_or: _atomic_or(),
    prefetch: _prefetch(),
    borrowed: _borrowed(),
    or_line: _or_line(),
}


# --- what a function refers to -----------------------------------------------------------------------------------------


def _names_in(code: types.CodeType) -> list[str]:
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_names_in(constant)))
    return list(names)


def _references(function: types.FunctionType) -> dict[str, Any]:
    """Return the globals that a function names, and the values in its closure."""
    found = {name: function.__globals__[name] for name in _names_in(function.__code__) if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    return found


def _is_library(module: types.ModuleType) -> bool:
    """Tell a module of Python or of an installed library, whose version stands in the fingerprint, from a user's own."""
    top = module.__name__.split(".")[0]
    return top in sys.stdlib_module_names or top in {"numpy", "numba"}


class Names(dict[str, Callable[..., Any]]):
    """Hold the functions that stand for the contract's names; bound kernels share what they have in common.

    `target` says what the functions were made for: interpreted ones hand out lists, compiled ones arrays.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]], target: Target = "cpu") -> None:
        super().__init__(functions)
        self.target = target
        self.bound: dict[tuple[Any, str], Any] = {}

    def with_(self, **functions: Callable[..., Any]) -> Names:
        """Return these names with some replaced or added."""
        return Names({**self, **functions}, self.target)


def _in_contract(function: types.FunctionType) -> bool:
    return function.__module__ == rules.__name__ and getattr(rules, function.__name__, None) is function


def _plain(function: Any) -> types.FunctionType:
    """Return the Python function, also of one that a user compiled already."""
    plain: types.FunctionType = getattr(function, "py_func", function)
    return plain


def resolve(function: types.FunctionType, names: Mapping[str, Callable[..., Any]], kernel: str) -> types.FunctionType:
    """Return the function that stands for `function`: itself, unless it is a name of the contract."""
    if not _in_contract(function):
        return function
    supplied: Any = names.get(function.__name__)
    if supplied is not None:
        return _plain(supplied)  # a user may have compiled it already
    if getattr(function, "required", False):
        raise MissingRule(kernel, function.__name__)
    return function


def reached(kernel: Callable[..., Any], names: Mapping[str, Callable[..., Any]] | None = None) -> set[str]:
    """Return the names of the contract that a kernel reaches once `names` are in place: what it needs of a game."""
    found: set[str] = set()
    seen: set[int] = set()
    queue: list[Any] = [kernel]
    while queue:
        value = queue.pop()
        if not isinstance(value, types.FunctionType) or id(value) in seen or value in _INTRINSICS:
            continue
        seen.add(id(value))
        if _in_contract(value):
            found.add(value.__name__)
            if not names or value.__name__ not in names:
                queue.extend(() if getattr(value, "required", False) else _references(value).values())
                continue
            value = _plain(names[value.__name__])
        queue.extend(_references(value).values())
    return found


def missing(kernel: Callable[..., Any], names: Mapping[str, Callable[..., Any]]) -> set[str]:
    """Return the names without a default that a kernel reaches and `names` does not supply."""
    return {name for name in reached(kernel, names) - set(names) if getattr(getattr(rules, name), "required", False)}


# --- fingerprint -------------------------------------------------------------------------------------------------------


class _Fingerprint:
    def __init__(self, names: Mapping[str, Callable[..., Any]], kernel: str) -> None:
        self.names = names
        self.kernel = kernel
        self.hash = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__} {np.__version__}".encode())
        self.seen: dict[int, int] = {}
        self.alive: list[Any] = []  # ids stay unique while the objects live

    def add(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, types.ModuleType):
            self._text(f"module {value.__name__}")
        elif isinstance(value, np.ndarray):
            self._text(f"array {value.dtype.str} {value.shape}")
            self.hash.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, tuple | list):
            self._text(f"{type(value).__name__} {len(value)}")
            for item in value:
                self.add(item)
        elif isinstance(value, frozenset):
            self._text(f"set {sorted(map(repr, value))}")
        elif isinstance(value, Mapping):
            self._text(f"mapping {len(value)}")
            for key, item in value.items():
                self.add((key, item))
        elif hasattr(value, "py_func"):
            self.add(value.py_func)
        elif isinstance(value, type) or callable(value):
            self._text(f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(type(value)))}")
            if isinstance(value, enum.EnumMeta):
                members: Mapping[str, Any] = value.__members__
                self.add([(name, member.value) for name, member in members.items()])
            self.add(getattr(value, "_fields", ()))  # of a named tuple
        else:
            self._text(f"{type(value).__qualname__} {value!r}")

    def _text(self, text: str) -> None:
        self.hash.update(f"{len(text)}:{text};".encode())

    def _add_code(self, code: types.CodeType) -> None:
        self._text(f"code {code.co_argcount} {code.co_flags} {code.co_names} {code.co_varnames} {code.co_freevars}")
        self.hash.update(code.co_code)
        for constant in code.co_consts:
            self.add(constant)

    def _add_function(self, function: types.FunctionType) -> None:
        function = resolve(function, self.names, self.kernel)
        if id(function) in self.seen:
            self._text(f"again {self.seen[id(function)]}")
            return
        self.seen[id(function)] = len(self.seen)
        self.alive.append(function)
        if function in _INTRINSICS:
            self._text(f"intrinsic {function.__name__}")
            return
        self._add_code(function.__code__)
        if hasattr(function, "inlined"):
            self._text("inlined")
        self.add(function.__defaults__)
        for name, value in _references(function).items():
            self._text(name)
            self.add(value)
            if isinstance(value, types.ModuleType):
                self._add_module(value, _names_in(function.__code__), set())

    def _add_module(self, module: types.ModuleType, named: list[str], seen: set[str]) -> None:
        """Add what a function names of a user's module, and of the modules in it."""
        if _is_library(module) or module.__name__ in seen:
            return
        seen.add(module.__name__)
        for attribute in named:
            if hasattr(module, attribute):
                value = getattr(module, attribute)
                self._text(attribute)
                self.add(value)
                if isinstance(value, types.ModuleType):
                    self._add_module(value, named, seen)


def fingerprint(function: Callable[..., Any], names: Mapping[str, Callable[..., Any]]) -> str:
    """Return a hash of all that `function` can reach once `names` are in place: 20 hexadecimal digits."""
    work = _Fingerprint(names, getattr(function, "__name__", "?"))
    work.add(function)
    return work.hash.hexdigest()[:20]


@lru_cache(maxsize=1)
def _own_digest() -> str:
    """Return a hash of this module: what it generates depends on it too. Databases do not."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:6]


# --- the cache ---------------------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Return where compiled kernels are kept: $SEARCHBENCH_CACHE, or a folder in the user's cache."""
    chosen = os.environ.get("SEARCHBENCH_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "searchbench"


class _Locator(_CacheLocator):
    """Place the compiled code of a function by its fingerprint, not by its source file."""

    def __init__(self, function: Any) -> None:
        self._fingerprint: str = function.__searchbench__
        self._folder = cache_folder() / self._fingerprint[:2]

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._fingerprint

    def get_disambiguator(self) -> str:
        return self._fingerprint

    @classmethod
    def from_function(cls, function: Any, _source: str) -> _Locator | None:
        locator = cls(function)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _CacheImplementation(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012 (numba's name and type)


class _Cache(FunctionCache):
    _impl_class = _CacheImplementation

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple(), self._py_func.__searchbench__

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            loaded = super().load_overload(signature, target_context)
        except Exception as error:  # a damaged cache entry costs a compilation, never a result
            log.warning("dropped an unreadable entry of the compilation cache: %s", error)
            self.flush()
            loaded = None
        if loaded is None:
            log.info("compiling %s", self._py_func.__name__.rpartition("_")[0])
        return loaded


def _compile(function: types.FunctionType, keep: bool, inline: bool) -> Any:
    compiled: Any = numba.njit(nogil=True, forceinline=inline)(function)
    if keep:
        try:
            compiled._cache = _Cache(function)
        except RuntimeError:  # no folder to write to: compile in every process
            log.info("no cache folder at %s; compiled code is not kept", cache_folder())
    return compiled


# --- bind --------------------------------------------------------------------------------------------------------------


class _Whole(np.ndarray[Any, Any]):
    """Read the numbers of an array as Python's own: numpy's overflow and mix types unlike compiled code."""

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found.item() if isinstance(found, np.generic) else found


def _whole(value: Any) -> Any:
    if isinstance(value, tuple):  # a record of arrays, or a heuristic's tables
        made = getattr(type(value), "_make", tuple)
        return made(map(_whole, value))
    return value.view(_Whole) if isinstance(value, np.ndarray) else value


def _interpreted(function: types.FunctionType) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return function(*map(_whole, arguments))

    return call


def bind(kernel: Callable[..., Any], names: Names, target: Target | None = None) -> Any:
    """Return the kernel with the functions of `names` in the place of the contract's, compiled or interpreted.

    `target` is by default what the names were made for. Raises MissingRule when the kernel reaches a name without
    default that `names` does not supply. Compilation happens at the first call with arguments of new types, or is read
    from the cache of an earlier process.
    """
    assert isinstance(kernel, types.FunctionType)
    target = target or names.target
    key = (kernel, target)
    if key not in names.bound:
        bound = _Binder(kernel.__name__, names, target).function(kernel, keep=True)
        names.bound[key] = bound if target == "cpu" else _interpreted(bound)
    return names.bound[key]


class _Binder:
    def __init__(self, kernel: str, names: Names, target: Target) -> None:
        self.kernel = kernel
        self.names = names
        self.target = target
        self.modules: dict[tuple[types.ModuleType, types.FunctionType], types.ModuleType] = {}

    def function(self, function: types.FunctionType, keep: bool = False) -> Any:
        """Return the function with all that it refers to bound."""
        function = resolve(function, self.names, self.kernel)
        if function in _INTRINSICS:
            return _INTRINSICS[function] if self.target == "cpu" else function
        key = (function, f"{self.target} inner")
        if key in self.names.bound:
            return self.names.bound[key]
        bound = self._copy(function)
        result = _compile(bound, keep, hasattr(function, "inlined")) if self.target == "cpu" else bound
        self.names.bound[key] = result  # before its references are bound: they may refer back to it
        self._fill(function, bound)
        return result

    def _copy(self, function: types.FunctionType) -> types.FunctionType:
        cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
        # What is kept on disk names its module, which must be there in any process: a user's file may have moved by then.
        module = __name__ if self.target == "cpu" else function.__module__
        namespace = {"__name__": module, "__builtins__": function.__globals__.get("__builtins__")}
        bound = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)
        bound.__module__ = module
        bound.__qualname__ = function.__qualname__
        if self.target == "cpu":
            # Names of machine code must differ where the code differs: processes share what they compiled.
            mark = fingerprint(function, self.names) + _own_digest()
            bound.__searchbench__ = mark  # type: ignore[attr-defined]
            bound.__name__ = f"{function.__name__}_{mark}"
            bound.__qualname__ = bound.__name__
        return bound

    def _fill(self, function: types.FunctionType, bound: types.FunctionType) -> None:
        for name, value in _references(function).items():
            converted = self.convert(value, function)
            if name in function.__code__.co_freevars:
                (bound.__closure__ or ())[function.__code__.co_freevars.index(name)].cell_contents = converted
            else:
                bound.__globals__[name] = converted

    def convert(self, value: Any, user: types.FunctionType) -> Any:
        if hasattr(value, "py_func"):
            value = value.py_func
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, types.ModuleType) and not _is_library(value):
            return self._module(value, user)
        return value if self.target == "cpu" else _whole(value)

    def _module(self, module: types.ModuleType, user: types.FunctionType) -> types.ModuleType:
        """Return a copy of a user's module that holds just what `user` names of it, bound."""
        if (module, user) in self.modules:  # modules may name each other
            return self.modules[module, user]
        copy = types.ModuleType(f"{module.__name__}_{fingerprint(user, self.names)}")
        self.modules[module, user] = copy
        for attribute in _names_in(user.__code__):
            if hasattr(module, attribute):
                setattr(copy, attribute, self.convert(getattr(module, attribute), user))
        return copy
