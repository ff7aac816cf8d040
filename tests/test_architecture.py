"""The architecture holds: layers, one module with the compiler, no printing, every module importable on its own."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "searchbench"
FILES = sorted(SOURCE.rglob("*.py"))
MODULES = [".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__") for path in FILES]

IMPORT_ALONE = """
import gc, importlib, os, sys
from importlib.machinery import SourceFileLoader

read, known = SourceFileLoader.get_code, {}


def read_once(loader, name):
    if name not in known:
        known[name] = read(loader, name)
    return known[name]


def imported(name):
    try:
        importlib.import_module(name)
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}\\n"
    return ""


def alone(package):
    "Import each module of a package that has been imported alone: its first step is always that one."
    for name in (name for name in wanted if name.rpartition(".")[0] == package):
        if name in sys.modules:  # by its package, with which every import of it begins
            alone(name)
        elif (child := os.fork()) == 0:
            failed = imported(name)
            os.write(1, failed.encode())
            if not failed:
                alone(name)
            os._exit(0)
        else:
            failed = os.waitpid(child, 0)[1]
            assert not failed, name


wanted = sys.argv[1:]
SourceFileLoader.get_code = read_once
for name in wanted:  # for the packages of others, which stay
    imported(name)
for name in [name for name in sys.modules if name.partition(".")[0] == "searchbench"]:
    del sys.modules[name]
gc.freeze()
gc.disable()
alone("")
"""


@lru_cache(maxsize=2)
def nodes_of(text: str) -> list[ast.AST]:
    """Return everything in the syntax tree of a text; its root comes first."""
    return list(ast.walk(ast.parse(text)))


def nodes(path: Path) -> list[ast.AST]:
    """Return everything in a file's syntax tree."""
    return nodes_of(path.read_text())


@cache
def imports(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def last_name(node: ast.AST) -> str:
    """Return the name of a variable, or of the attribute that is asked for."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def calls(path: Path) -> set[str]:
    """Return the names of what a file calls, "sys.exit" and the like included."""
    return {ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)}


def inside(path: Path, *folders: str) -> bool:
    """Tell whether a file belongs to one of the packages."""
    return path.relative_to(SOURCE).parts[0] in folders


def run_python(*arguments: str) -> str:
    """Return what a fresh interpreter writes."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_ENABLE_CUDASIM": "0"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.long
def test_every_module_can_be_imported_alone() -> None:
    assert len(MODULES) > 50
    compiling = {f"searchbench.jit.backends.cuda.{name}" for name in ("arrays", "compiling", "intrinsics")}
    without = compiling if find_spec("numba_cuda") is None else set()  # the one package whose names they are made of
    assert run_python("-c", IMPORT_ALONE, *(name for name in MODULES if name not in without)) == ""


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    heavy = "{'numba', 'zarr', 'rich'} & set(sys.modules)"
    assert run_python("-c", f"import sys, searchbench; print({heavy} or 'nothing')").strip() == "nothing"


def test_every_test_is_run_daily_or_compiles() -> None:
    made = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    daily, compiling = (set(re.search(rf"^{name} := (.*)$", made, re.M)[1].split()) for name in ("DAILY", "COMPILING"))
    assert all((ROOT / path).exists() for path in daily | compiling)
    assert not daily & compiling
    for path in (ROOT / "tests").rglob("test_*.py"):
        name, folder = (str(one.relative_to(ROOT)) for one in (path, path.parent))
        assert name in daily or name in compiling or folder in compiling, f"{name}: add it to the Makefile"


def test_every_file_with_long_tests_has_shorter_ones() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        tests = [node for node in nodes(path) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        long = [one for one in tests if "pytest.mark.long" in map(ast.unparse, one.decorator_list)]
        assert len(long) < len(tests), f"{path}: `make test` must look at it, too"


def test_imports_go_downwards(tmp_path: Path) -> None:
    written = run_python("-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache")
    assert "Contracts:" in written
    assert " 0 broken" in written, written


def test_every_package_and_module_has_a_layer() -> None:
    (contract,) = [
        one
        for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
        if one["type"] == "layers"
    ]
    layers = {name for layer in contract["layers"] for name in layer.replace(":", "|").replace(" ", "").split("|")}
    present = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    solvers = {f"solvers.{path.name}" for path in (SOURCE / "solvers").iterdir() if (path / "__init__.py").exists()}
    assert layers == (present | solvers) - {"__init__", "__pycache__", "solvers"}
    assert "ignore_imports" not in contract


@pytest.mark.parametrize("path", FILES, ids=MODULES)
def test_only_one_package_knows_the_compiler_and_only_the_command_line_writes(path: Path) -> None:
    if not inside(path, "jit"):
        assert not {name for name in imports(path) if name.partition(".")[0] in {"numba", "llvmlite"}}
    if not inside(path, "cli"):
        assert not calls(path) & {"print", "input", "exit", "quit", "sys.exit", "sys.stdout.write", "os._exit"}
    assert ast.get_docstring(nodes(path)[0])


def test_verification_uses_no_solver_and_no_move_backwards() -> None:
    for path in FILES:
        if inside(path, "verify"):
            assert not {name for name in imports(path) if name.startswith("searchbench.solvers")}, path
            named = {node.id for node in nodes(path) if isinstance(node, ast.Name)}
            named |= {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
            assert not named & {"unmoves", "max_unmoves"}, path


def test_the_twins_in_the_tests_use_no_solver_and_no_compiler() -> None:
    for name in ("naive.py", "naive_index.py"):
        path = ROOT / "tests" / name
        assert not {used for used in imports(path) if used.startswith(("searchbench.solvers", "numba"))}
        assert "searchbench.jit" not in imports(path)


def asks_for_the_backend(path: Path) -> set[str]:
    """Return the comparisons of a file with the name of a backend."""
    names = {"cpu", "cuda", "interpreted"}
    return {
        ast.unparse(node)
        for node in nodes(path)
        if isinstance(node, ast.Compare | ast.Match)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and part.value in names
    }


def asks_for_the_class_of_a_rule(path: Path) -> set[str]:
    """Return the calls of `type` and `isinstance` in a file on a value rule."""
    return {
        ast.unparse(node)
        for node in nodes(path)
        if isinstance(node, ast.Call) and last_name(node.func) in {"type", "isinstance"} and node.args
        if last_name(node.args[0]) == "rule"
    }


def test_only_backends_know_which_backend_it_is(tmp_path: Path) -> None:
    for text in ('target == "cpu"', 'x if "interpreted" != target else y', 'target in ("cpu", "gpu")'):
        (tmp_path / "one.py").write_text(text)
        assert asks_for_the_backend(tmp_path / "one.py"), text
    for path in FILES:
        if not path.is_relative_to(SOURCE / "jit" / "backends"):
            assert not asks_for_the_backend(path), path


def test_rules_declare_what_they_can_do(tmp_path: Path) -> None:
    for text in (
        "type(database.rule) is Depth",
        "type(rule) in (A, B)",
        "A.get(type(self.rule))",
        "isinstance(rule, A)",
    ):
        (tmp_path / "one.py").write_text(text)
        assert asks_for_the_class_of_a_rule(tmp_path / "one.py"), text
    for path in FILES:
        if not inside(path, "values"):
            assert not asks_for_the_class_of_a_rule(path), path


def test_requests_are_packed_in_one_module(tmp_path: Path) -> None:
    """What lies where in a request is known by none but its own functions."""
    for path in FILES:
        if path != SOURCE / "exchange" / "memory.py":
            assert not {name for name in imports(path) if name.startswith("searchbench.exchange.memory._")}, path


# --- parameters -----------------------------------------------------------------------------------------------------------

MOST_PARAMETERS = 8
BOUND_OTHERWISE = {
    ("searchbench.heuristics.patterns", "_names.ask"), ("searchbench.solvers.exhaustive.finished", "longest_defence"),
    ("searchbench.solvers.guided.depthfirst", "search_below"),
}  # fmt: skip
"""Kernels that are handed on before they are bound: by a method, as an attribute of a class, or as what fills a slot."""

Place = tuple[str, str]
"""A module and the name of a function at its top."""


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@cache
def functions(path: Path) -> list[tuple[str, Function]]:
    """Return the functions of a file with their names, those of classes and of other functions behind a dot."""

    def inside_of(parent: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.expr_context | ast.operator | ast.Constant | ast.Name):
                continue
            own = prefix
            if isinstance(node, Function | ast.ClassDef):
                own = f"{prefix}{getattr(node, 'name', 'lambda')}."
                if isinstance(node, Function):
                    yield own[:-1], node
            yield from inside_of(node, own)

    return list(inside_of(nodes(path)[0], ""))


def parameters(function: Function) -> list[str]:
    """Return the names of all parameters of a function, without that of the object that it belongs to.

    Positional or by keyword only, each counts one, and so do `*names` and `**names`. What a caller says through these is
    counted nowhere, so they are held against fields of configurations, each told once (see `configured`); and the fields of a
    dataclass are no parameters, but a function that is written out as its `__init__` is counted like any other.
    """
    told = function.args
    names = [one.arg for one in (*told.posonlyargs, *told.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names + [one.arg for one in (*told.kwonlyargs, told.vararg, told.kwarg) if one is not None]


def kernels() -> set[Place]:
    """Return the functions that are compiled: what `bind` or `run_each` gets, and what such functions call or name, and so on."""
    at_top: dict[Place, Function] = {}
    imported: dict[str, dict[str, Place]] = {}
    waiting: list[Place] = []
    for path, module in zip(FILES, MODULES, strict=True):
        imported[module] = {}
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    imported[module][alias.asname or alias.name] = (node.module or "", alias.name)
            elif isinstance(node, ast.Call) and last_name(node.func) in ("bind", "run_each") and node.args:
                waiting.append((module, ast.unparse(node.args[0])))
        at_top |= {(module, name): function for name, function in functions(path) if "." not in name}
    found: set[Place] = set()
    while waiting:
        module, name = waiting.pop()
        if "." in name:  # bfs.emit, where bfs is a module
            first, _, name = name.rpartition(".")
            module = ".".join(imported[module].get(first, (module, first)))
        place = (module, name) if (module, name) in at_top else imported.get(module, {}).get(name, ("", ""))
        if place in at_top and place not in found:
            found.add(place)
            waiting += [(place[0], one.id) for one in ast.walk(at_top[place]) if isinstance(one, ast.Name)]
    return found


@pytest.mark.parametrize(
    "text",
    [
        "def found(a, b, c, d, e, f, g, h, i): ...",
        "def found(a, b, c, *, d, e, f, g, h, i=1): ...",
        "def found(a, b, /, c, d, e, f, *g, h, **i): ...",
        "async def found(a, b, c, d, e, f, g, h, i): ...",
        "found = lambda a, b, c, d, e, f, g, h, *, i: 0",
        "class One:\n    def __init__(self, a, b, c, d, e, f, g, h, self_, /): ...",
        "def outer():\n    def found(a, b, c, d, e, f, g, h, i): ...",
        "def found(a, b, c, d, e, f, g, h, self): ...",
    ],
)
def test_parameters_of_every_kind_are_counted(text: str, tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text(text)
    assert max(len(parameters(function)) for _name, function in functions(tmp_path / "some.py")) == 9


def test_functions_have_few_parameters_unless_they_are_compiled() -> None:
    compiled = kernels() | BOUND_OTHERWISE
    assert ("searchbench.solvers.guided.expansion", "expand_best") in compiled
    for place in (("searchbench", "solve"), ("searchbench", "prove"), ("searchbench.cli.databases", "solve")):
        assert place not in compiled
    too_many = {
        f"{module}.{name}"
        for path, module in zip(FILES, MODULES, strict=True)
        for name, function in functions(path)
        if len(parameters(function)) > MOST_PARAMETERS and (module, name) not in compiled
    }
    assert too_many == set()
