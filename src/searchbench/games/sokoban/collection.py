"""Collections of levels as people find them: blocks of rows in a text, with titles and notes before or behind each.

Rows may begin with blanks, `-` or `_` and have run lengths, tabs, or the tags of an XML file (.slc). A line `Title: ...` is a
title, any other line that is no note (`Author: ...`, `Comment: ...`, a solution) may be one. Whether the text of a level stands
before its rows or behind them is decided once for a file, by what follows the last level.
"""

from __future__ import annotations

import codecs
import html
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from searchbench.errors import BadRequest

WALL, FLOOR, GOAL, STONE, STONE_ON_GOAL, MAN, MAN_ON_GOAL = "# .$*@+"
BLANKS: Final = frozenset(" -_")
SAME: Final = {"o": GOAL, "b": STONE, "B": STONE_ON_GOAL, "p": MAN, "P": MAN_ON_GOAL}
"""Letters that some files have in place of marks."""
MARKS: Final = frozenset("#.$*@+") | BLANKS | frozenset(SAME)
LONGEST: Final = 1024
"""A row has at most so many marks, and a level so many rows."""

_NOTE: Final = re.compile(
    r"(authors?|collection|comments?|copyright|date|difficulty|e-?mail|homepage|id|set|size|solutions?|solver|source|url|"
    r"web ?site)\b[^:=]{0,40}[:=]",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(r"(?:title|name)\s*[:=]\s*(.*)", re.IGNORECASE)
_COMMENT: Final = re.compile(r"comment\s*:\s*", re.IGNORECASE)
_COMMENT_END: Final = re.compile(r"comment[-_ ]?end\b", re.IGNORECASE)
_SOLUTION: Final = re.compile(r"(?=.*[UDLR])[udlrUDLR0-9()\s]{12,}")
_XML_ROW: Final = re.compile(r"\s*<L>(.*?)</L>\s*")
_BETWEEN_TAGS: Final = re.compile(r"(?<=>)(?=<)")
_XML_LEVEL: Final = re.compile(r'\s*<Level\b.*?\bId="(.*?)"')


@dataclass(frozen=True)
class LevelText:
    """A block of rows in a text: its title, where it is from, the number of the line of its first row, and its notes."""

    title: str
    source: str
    line: int
    rows: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def fault(self, row: int, column: int, what: str) -> BadRequest:
        """Return the error for a fault at a place of the level, counted from 0."""
        place = f"line {self.line + row}" if self.one_to_a_line else f"line {self.line}, row {row + 1}"
        return BadRequest(f"{self.source}, {place}, column {column + 1}: {what}")

    @property
    def one_to_a_line(self) -> bool:
        """Tell whether each row stands on a line of its own."""
        return not any("|" in row for row in self.rows)


@dataclass
class _Gap:
    """The text before, between and behind the levels: keyed titles, lines that may be titles, and notes.

    `touches` tells whether a line that may be a title follows a level with no empty line between.
    """

    titles: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    touches: bool = False
    in_comment: bool = False

    def add(self, line: str, below: bool) -> None:
        """Add a line; `below` tells whether it stands right below a row."""
        text = line.strip().lstrip(";:").strip()
        if _COMMENT_END.match(text):
            self.in_comment = False
        elif self.in_comment:
            self.notes.append(text)
        elif found := _TITLE.fullmatch(text):
            self.titles.append(found[1].strip())
        elif _NOTE.match(text) or _SOLUTION.fullmatch(text):
            self.in_comment = bool(_COMMENT.fullmatch(text))
            self.notes += [] if self.in_comment else [text]
        elif text.strip("-_=*<>/. "):
            self.lines.append(text)
            self.touches |= below


def decoded(content: bytes) -> str:
    """Return the text of a file, in UTF-8 or as its first bytes tell."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def levels_in(text: str, source: str) -> list[LevelText]:
    """Return the blocks of rows in a text. Raises BadRequest if there is none."""
    blocks: list[tuple[int, tuple[str, ...]]] = []
    gaps, rows, first, below = [_Gap()], list[str](), 0, False
    for number, line in _lines(text):
        if _is_row(line, bool(rows)):
            first = first or number
            rows.append(line.rstrip())
            continue
        if rows:
            blocks.append((first, tuple(rows)))
            gaps.append(_Gap())
            rows, first, below = [], 0, True
        gaps[-1].add(line, below)
        below = False
    if not blocks:
        known = "".join(sorted(MARKS - {"-", "_"} - SAME.keys()))
        raise BadRequest(f"{source} holds no level: expected rows of {known!r} with walls (#)")
    return [
        LevelText(title, source, number, block, notes)
        for (number, block), (title, notes) in zip(blocks, _told(gaps), strict=True)
    ]


def _told(gaps: list[_Gap]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the title and the notes of each level, given the text before the first, between two, and behind the last."""

    def of_each(behind: bool, wanted: Callable[[_Gap], list[str]]) -> list[list[str]]:
        return [wanted(after if behind else before) for before, after in pairwise(gaps)]

    titled_behind, lines_behind = bool(gaps[-1].titles), gaps[-1].touches
    titles, lines = of_each(titled_behind, lambda gap: gap.titles), of_each(lines_behind, lambda gap: gap.lines)
    if len(titles) > 1 and not any(titles[1:]):
        titles[0] = []  # the title of the collection
    notes = of_each(titled_behind or lines_behind or bool(gaps[-1].notes), lambda gap: gap.notes)
    at = 0 if lines_behind else -1
    return [
        (keyed[-1] if keyed else plain[at] if plain else "", tuple(noted))
        for keyed, plain, noted in zip(titles, lines, notes, strict=True)
    ]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers from 1 on, and an empty one; of tags of XML, several may share a line."""
    for number, written in enumerate([*text.splitlines(), ""], 1):
        tags = _BETWEEN_TAGS.split(written) if written.lstrip().startswith("<") else [written]
        for one in tags:
            yield number, _unwrapped(one)


def _unwrapped(line: str) -> str:
    """Return a line without the tags of XML, and with blanks for tabs."""
    if "<" in line:
        if found := _XML_ROW.fullmatch(line):
            line = html.unescape(found[1])
        elif found := _XML_LEVEL.match(line):
            return f"Title: {html.unescape(found[1])}"
        elif line.lstrip().startswith("<"):
            return ""
    return line.expandtabs()


def _is_row(line: str, goes_on: bool) -> bool:
    """Tell whether a line is a row: it begins with a wall, perhaps behind blanks and a number, and most of it are marks.

    Where a block `goes_on`, marks alone are a row, too. No row ends in a number, as titles such as "#12" do.
    """
    begin = line[:LONGEST].lstrip(" -_0123456789")
    if not begin or line.rstrip()[-1].isdigit():
        return False
    known = sum(mark in MARKS or mark in "|0123456789" for mark in line)
    if not begin.startswith(WALL):
        return goes_on and known == len(line) and not SAME.keys() & set(begin)
    return 2 * known > len(line)


@lru_cache(maxsize=1)
def from_standard_input() -> list[LevelText]:
    """Return the levels of standard input, which is read once. Raises BadRequest."""
    return levels_in(decoded(sys.stdin.buffer.read()), "standard input")


def read_collection(path: str) -> list[LevelText]:
    """Return the levels of a file. Raises BadRequest."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        why = "it is a directory: give a file of levels" if Path(path).is_dir() else f"it cannot be read: {error}"
        raise BadRequest(f"sokoban: {path}: {why}") from None
    return levels_in(decoded(content), path)
