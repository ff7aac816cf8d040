"""The reference of the Python interface, made from signatures and docstrings: one page for each group of names."""

from __future__ import annotations

import ast
import html
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import searchbench as sb
from searchbench import analyse, index, learning, rules, values
from searchbench.configuration import options_of
from searchbench.index import contract as index_contract
from searchbench.values import contract as value_contract

GROUPS: Final = {
    "Verbs": ["solve", "search", "prove", "check", "predict", "repair", "load", "open_database", "open_certificate",
              "heuristic", "environment"],
    "Games": ["Game", "Position", "Board", "State", "NOWHERE", "UNDECIDED", "Abstraction", "Image", "Subgoal"],
    "Results": ["Database", "Choice", "Line", "Proof", "Certificate", "Player", "Check", "Prediction", "Repair",
                "SearchBenchError"],
    "Configurations": ["Retrograde", "Fixpoint", "BreadthFirst", "Sweep", "IDAStar", "AStar", "BestFirst", "Enhanced",
                       "FeatureSpace", "Portfolio", "ProofNumber", "DepthFirstProofNumber", "GraphProofNumber",
                       "ThreatProofNumber", "AlphaBeta", "ConspiracyNumber", "SSSStar", "BStar", "MSTStar", "Keep", "Run",
                       "Limits"],
    "Values": ["ValueRule", "PatternDatabases", "SeenAs", "Part"],
}  # fmt: skip
"""The public names by page; the modules `analyse`, `errors` and `index` have pages of their own."""
_ROLE: Final = re.compile(r":\w+:`~?([^`]+)`")
_STAR: Final = re.compile(r"(?<!\w)(\*\w[^*]*\w\*)(?!\w)|\*")
"""A word in emphasis, or a star that begins none (IDA*)."""


class Entry(NamedTuple):
    """Hold what is told of a name: its heading, its level, its signature, its text."""

    heading: str
    level: int
    signature: str
    text: str

    def __str__(self) -> str:
        signature = f"```python\n{self.signature}\n```\n\n" if self.signature else ""
        return f"{'#' * self.level} {self.heading}\n\n{signature}{self.text}\n"


def reference_pages() -> dict[str, str]:
    """Return the pages: path, text."""
    pages = {
        f"api/{title.lower()}.md": _page(title, [entry for name in names for entry in _told(name, getattr(sb, name))])
        for title, names in GROUPS.items()
    }
    pages["api/rules.md"] = _page("The slots of a game", _slots(rules, index_contract, value_contract))
    for title, module in {
        "Analyses": analyse,
        "Indexes": index,
        "Value rules": values,
        "Errors": sb.errors,
        "Learning": learning,
    }.items():
        pages[f"api/{title.lower().replace(' ', '-')}.md"] = _page(title, _public(module))
    return pages


def _page(title: str, entries: list[Entry]) -> str:
    return f"# {title}\n\n" + "\n".join(map(str, entries))


def _public(module: Any) -> list[Entry]:
    """Return the entries of the public names of a module."""
    names = getattr(module, "__all__", None) or [
        name for name, one in vars(module).items() if inspect.isclass(one) and one.__module__ == module.__name__
    ]
    return [entry for name in sorted(names) for entry in _told(name, getattr(module, name))]


def _slots(*modules: Any) -> list[Entry]:
    """Return the entries of the slots that modules declare, required ones marked."""
    found = []
    for module in modules:
        for name, one in vars(module).items():
            if hasattr(one, "required") and one.__module__ == module.__name__:
                mark = "**Required.** " if one.required else ""
                found.append(Entry(f"`{name}`", 2, _signature(name, one), mark + _prose(one)))
    return found


def _told(name: str, one: Any) -> list[Entry]:
    """Return the entries of a public name: of a class also its attributes and methods."""
    if inspect.isclass(one) and one.__module__.startswith("searchbench."):
        return [Entry(f"`{name}`", 2, _signature(name, one), _prose(one) + _exit_code(one)), *_members(one)]
    if inspect.isfunction(one):
        return [Entry(f"`{name}`", 2, _signature(name, one), _prose(one))]
    value = f"`{one!r}`" if isinstance(one, int | str) else ""
    return [Entry(f"`{name}`", 2, "", "\n\n".join(filter(None, [value, _noted(name)])))]


def _noted(name: str) -> str:
    """Return what the source tells of a name that is neither a class nor a function: the text behind its assignment."""
    for module in [one for key, one in sys.modules.items() if key.startswith("searchbench.") and hasattr(one, name)]:
        body = ast.parse(inspect.getsource(module)).body
        for node, after in pairwise(body):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if told and any(isinstance(one, ast.Name) and one.id == name for one in targets):
                return _roles(str(after.value.value))  # type: ignore[attr-defined]
    raise ValueError(f"{name}: the source tells nothing of it")


def _exit_code(kind: type) -> str:
    """Return with which code a command ends after an error."""
    return f" A command ends with the exit code {kind.exit_code}." if issubclass(kind, sb.SearchBenchError) else ""


def _members(kind: type) -> Iterator[Entry]:
    """Yield the attributes with their docstrings, then properties and methods, in the order of the source."""
    options = _options(kind)
    attributes = options or list(_attributes(kind))
    if attributes:
        rows = "".join(f"| `{name}` | {_code(kind_of)} | {_cell(text)} |\n" for name, kind_of, text in attributes)
        yield Entry(
            "Options" if options else "Attributes",
            3,
            "",
            f"| name | type and default | meaning |\n|---|---|---|\n{rows}",
        )
    for name, one in vars(kind).items():
        if name.startswith("_"):
            continue
        called = one.__func__ if isinstance(one, classmethod | staticmethod) else one
        if isinstance(one, property) and inspect.getdoc(one):
            yield Entry(f"`{name}`", 3, "", _prose(one))
        elif inspect.isfunction(called) and inspect.getdoc(called):
            yield Entry(f"`{name}`", 3, _signature(name, called), _prose(called))


def _options(kind: Any) -> list[tuple[str, str, str]]:
    """Return name, type with default, and help (Markdown) of a configuration's options, those that it inherits among them."""
    if not (inspect.isclass(kind) and is_dataclass(kind)):
        return []
    types = {one.name: one.type for one in fields(kind)}
    return [(one.name, f"{types[one.name]} = {one.default!r}", one.told) for one in options_of(kind).values()]


def _attributes(kind: type) -> Iterator[tuple[str, str, str]]:
    """Yield name, type with default, and docstring of the annotated attributes that a class declares."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError, ValueError):
        return
    assert isinstance(tree, ast.ClassDef)
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_":
            after = tree.body[place + 1] if place + 1 < len(tree.body) else None
            told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            text = str(after.value.value) if told else ""  # type: ignore[union-attr]
            default = (
                "" if node.value is None or "field(" in ast.unparse(node.value) else f" = {ast.unparse(node.value)}"
            )
            yield node.target.id, f"{ast.unparse(node.annotation)}{default}", _roles(text)


def _signature(name: str, one: Any) -> str:
    try:
        signature = _as_written(inspect.signature(one))
    except (ValueError, TypeError):
        return name
    text = f"{name}{signature}".replace(" -> None", "")
    text = re.sub(r"<built-in function (\w+)>", r"\1", text)
    text = re.sub(r"<factory>|<[\w. ]+ object at [^>]+>|<function [^>]+>", "...", text)
    text = re.sub(r"\b(?:searchbench|collections|numpy|pathlib|typing)(?:\.\w+)*\.(?=\w)", "", text)
    if len(text) <= 100 or "(" not in text:
        return text
    before, after = text[: text.index("(") + 1], text[text.rindex(")") :]
    return before + "".join(f"\n    {part}," for part in _split(text[len(before) : -len(after)])) + f"\n{after}"


class _Written(str):
    """An annotation that is shown as it is written."""

    def __repr__(self) -> str:
        return str(self)


def _as_written(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature without private parameters, whose annotations, which are texts, are shown without quotes."""

    def bare(annotation: Any) -> Any:
        text = getattr(annotation, "__forward_arg__", annotation)
        return _Written(text.strip("'")) if isinstance(text, str) else annotation

    own = [one for name, one in signature.parameters.items() if name[0] != "_"]
    parameters = [one.replace(annotation=bare(one.annotation)) for one in own]
    return signature.replace(parameters=parameters, return_annotation=bare(signature.return_annotation))


def _split(text: str) -> list[str]:
    """Split parameters at the commas that stand outside brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [*parts, text[begin:].strip()]


def _prose(one: Any) -> str:
    return _roles(inspect.getdoc(one) or "")


def _roles(text: str) -> str:
    """Return a docstring as Markdown: roles and literals become code."""
    pieces = _ROLE.sub(r"`\1`", text).replace("``", "`").split("`")
    pieces[::2] = [_STAR.sub(lambda star: star[1] or "\\*", piece.replace("<", "&lt;")) for piece in pieces[::2]]
    return "`".join(pieces)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _code(text: str) -> str:
    """Return code for a cell of a table, where a bar in back quotes would be shown with its backslash."""
    return f"<code>{html.escape(text).replace('|', '&#124;').replace('*', '&#42;')}</code>"
