"""Plain English in the pages and in the docstrings of public names: short sentences, no filler, the project's own words.

A sentence ends at a full stop, a question mark, a colon or a semicolon; a cell of a table and an entry of a list are sentences of
their own, and so is what stands in brackets. Code and addresses count as one word.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import searchbench as sb
from front_program import ROOT
from searchbench.catalogue import shipped
from searchbench.cli.app import COMMANDS, command_named

LONGEST: Final = 42
"""Words of a sentence."""
FORBIDDEN: Final = {
    "utili[sz]e[sd]?|utili[sz]ing": "use",
    "leverag(?:e[sd]?|ing)": "use",
    "in order to": "to",
    "due to the fact that": "because",
    "at this point in time": "now",
    "simply|just|obviously|of course|basically|essentially|really|very|quite": "(leave it out)",
    "easily|trivial|trivially": "(say what to do)",
    "robust(?:ly)?|seamless(?:ly)?|powerful|comprehensive|cutting-edge|state-of-the-art|blazing(?:ly)?": "(give a figure)",
    "facilitat(?:e[sd]?|ing)": "help",
    "note that|please note|it should be noted": "(leave it out)",
    "functionality": "(name what it does)",
    r"e\.g\.": "such as",
    r"i\.e\.": "that is",
    r"etc\.?": "and so on",
    "and/or": "or",
    "performant": "fast",
    "we|our solution": "(say who does it; ours is a figure of this project)",
    "blacklist|whitelist": "refuse, allow",
    "dead-?lock free": "(say what cannot happen)",
    "tablebase": "table or database",
    "hashtable|hash table": "transposition table",
    "ply(?= deep)": "in plies",
    "node count": "number of nodes",
    "solver engine|engine": "solver, search or checker",
    "endpoint": "address",
    "plugin": "file of yours",
}
"""What is not written, as patterns, and what is written instead."""
CIRCLING: Final = re.compile(
    r"\bwhat (?:it |there )?is\b[^.,;:]*\bis what\b|\bthe fact that\b|\bis that which\b|\bas for\b", re.I
)
"""Sentences that go round their subject."""
ALLOWED: Final = {"Tablebase"}
"""Names of other programs, as they write them."""


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text in Markdown."""
    text = re.sub(r"^(```|~~~).*?^\1", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[a-z/][^>]*>", " ", text, flags=re.DOTALL)
    text = re.sub(r"``[^`]+``|`[^`]+`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r":\w+:CODE|https?://\S+", "CODE", text)
    text = re.sub(r"^\s*(?:[*\-+]|\d+\.|#+|>>>|\$|\|)\s", "\n\n", text, flags=re.MULTILINE)
    text = text.replace("|", "\n\n").replace("**", "").replace("\\", "")
    text += "".join(f"\n\n{inside}" for inside in re.findall(r"\(([^()]*)\)", text))
    text = re.sub(r"\s*\([^()]*\)", "", text)
    for block in re.split(r"\n\s*\n", text):
        yield from (one.strip() for one in re.split(r"(?<=[.!?:;])[\"')]*\s+", block.replace("\n", " ")) if one.strip())


def faults(text: str) -> list[str]:
    """Return what is wrong in a text: the sentence, and why."""
    found = []
    for sentence in sentences(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONGEST:
            found.append(f"{len(words)} words: {sentence}")
        plain = re.sub("|".join(ALLOWED), "NAME", sentence)
        for pattern, instead in FORBIDDEN.items():
            if word := re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", plain, re.IGNORECASE):
                found.append(f"{word[0]!r}, better {instead}: {sentence}")
        if CIRCLING.search(plain):
            found.append(f"it goes round its subject: {sentence}")
    return found


def public_texts() -> Iterator[tuple[str, str]]:
    """Yield the docstrings of public names, of their public members, of the commands and of the games."""
    for name in sb.__all__:
        one: Any = getattr(sb, name)
        if inspect.isclass(one) or inspect.isfunction(one):
            yield name, inspect.getdoc(one) or ""
        if inspect.isclass(one):
            for member, value in vars(one).items():
                called = getattr(value, "__func__", value)
                if not member.startswith("_") and (inspect.isfunction(called) or isinstance(called, property)):
                    yield f"{name}.{member}", inspect.getdoc(called) or ""
    for panel in COMMANDS.values():
        for command in panel:
            yield f"searchbench {command}", inspect.getdoc(command_named(command)) or ""
    for game in shipped():
        yield f"game {game.name}", inspect.getdoc(game) or ""


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = dict(public_texts())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_is_plain_english(page: Path) -> None:
    assert faults(page.read_text()) == []


def test_docstrings_of_public_names_are_plain_english() -> None:
    assert len(TEXTS) > 150
    assert {name: found for name, text in TEXTS.items() if (found := faults(text))} == {}


def test_every_public_name_has_a_docstring() -> None:
    plain = {name for name, text in TEXTS.items() if not text}
    assert plain == set()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It simply works.", "'simply'"),
        ("We utilize the index.", "better use"),
        ("Use it in order to win.", "better to"),
        ("What it is is what we know.", "goes round"),
        ("A " + "word " * 50 + "ends.", "52 words"),
        ("* one thing, e.g. a stone", "such as"),
    ],
)
def test_the_linter_sees_what_is_not_plain(text: str, reason: str) -> None:
    assert any(reason in fault for fault in faults(text))


def test_the_linter_lets_code_tables_and_names_be() -> None:
    table = "| a | we `simply` |\n|---|---|\n\n"
    text = f"{table}```\nwe utilize this very code etc.\n```\n\npython-chess's Tablebase. `just` this.\n"
    assert [fault for fault in faults(text) if "'we'" not in fault] == []
    assert list(sentences("One. Two: three; four\n\n* five\n* six")) == [
        "One.",
        "Two:",
        "three;",
        "four",
        "five",
        "six",
    ]
