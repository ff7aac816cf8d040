"""A report on rows of the papers: the printed figure, ours, the verdict, and the papers' plots drawn again with ours.

The report is one HTML file that fetches nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any, Final, NamedTuple

from searchbench.drawing import STYLE, curves_svg
from searchbench.reproduce.record import Record
from searchbench.reproduce.row import Row

LONGEST: Final = 600
"""Characters of a figure that are shown."""
FEWEST: Final = 5
"""Points that make a plot."""
LONG: Final = 60
"""Characters of a printed figure that is not repeated where ours is the same."""
MANY: Final = 14
"""Figures of a row above which its table is folded."""
OURS: Final = "ours"
PAPER: Final = "the paper"
UNNAMED: Final = ("place in the list, from 0", "figure")
ELSEWHERE: Final = "Beyond the papers"
VERDICTS: Final = {
    "match": "The paper's figure, or as near to it as chance and our own samples let it be.",
    "better": "A figure that is known to be more exact, or a shorter time.",
    "differs": "Another figure.",
    "none": "Not measured yet: the row's command does it.",
}
"""The verdicts, and what each says; "none" where there is none."""


class Plot(NamedTuple):
    """A plot: its title, SVG without a style sheet."""

    title: str
    svg: str


def figure_text(figure: Any) -> str:
    """Return a figure as a text of at most `LONGEST` characters."""
    text = json.dumps(figure, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def told_figure(figure: Any) -> str:
    """Return a figure in words: a number has a comma for every three digits."""
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    if isinstance(figure, int | float):
        return f"{figure:,}"
    return figure if isinstance(figure, str) else figure_text(figure)


def figures_of(told: Any, name: str = "") -> dict[str, Any]:
    """Return the figures of a result one by one, each with the names that lead to it."""
    if not isinstance(told, Mapping) or not told:
        return {name: told}
    found: dict[str, Any] = {}
    for key, one in told.items():
        found |= figures_of(one, f"{name}, {key}" if name else str(key))
    return found


def plots(outcome: Mapping[str, Any], told: Sequence[str] = (), axes: tuple[str, str] | None = None) -> list[Plot]:
    """Return a plot for each series of a result that the paper has, too.

    `told` says what the figures are, where each entry of a list has several; `axes` what a plot has across and up.
    """
    found = []
    for one in _series("", outcome["paper"], outcome["measured"], told, axes):
        bottom, side = axes or UNNAMED
        marked = {label for label in one.curves if label.startswith(OURS)}
        title = f"{outcome['title']}{': ' if one.name else ''}{one.name}"
        drawn = curves_svg(one.across, one.curves, bottom, side, style=False, marked=marked, places=one.places)
        found.append(Plot(title, drawn))
    return found


def report_html(rows: Sequence[Row], records: Mapping[str, Record], measured: Container[str]) -> str:
    """Return the report on rows as a page; `measured` names those that were measured for it, the others are as recorded."""
    found = {row.id: records[row.id].verdict if row.id in records else "none" for row in rows}
    papers: dict[str, list[Row]] = {}
    for row in rows:
        papers.setdefault(_paper(row), []).append(row)
    counts = "".join(
        f'<li class="{verdict}"><strong>{list(found.values()).count(verdict)}</strong> '
        f"<b>{verdict_name(verdict)}</b> {escape(meaning)}</li>"
        for verdict, meaning in VERDICTS.items()
    )
    contents = "".join(
        f"<div><h3>{escape(paper)}</h3><ul>"
        + "".join(
            f'<li><a class="{found[row.id]}" href="#{escape(row.id)}" title="{escape(row.title)}">{escape(row.id)}'
            f'<span class="unseen">, {verdict_name(found[row.id])}</span></a></li>'
            for row in chosen
        )
        + "</ul></div>"
        for paper, chosen in papers.items()
    )
    body = "\n".join(
        f"<h2>{escape(paper)}</h2>\n"
        + "\n".join(_section(row, records.get(row.id), row.id in measured) for row in chosen)
        for paper, chosen in papers.items()
    )
    sheet = (files("searchbench.reproduce") / "report.css").read_text()
    return _PAGE.format(style=STYLE + sheet, rows=len(rows), counts=counts, contents=contents, body=body)


def _paper(row: Row) -> str:
    """Return the paper of a row, as its source names it: authors and year."""
    named = re.match(r"[^,;]*\b\d{4}\b", row.source)
    return named.group() if named else ELSEWHERE


def verdict_name(verdict: str) -> str:
    """Return what a verdict is called; "none" where there is no record."""
    return "not recorded" if verdict == "none" else verdict


def _section(row: Row, record: Record | None, now: bool) -> str:
    """Return what is told of a row."""
    verdict = record.verdict if record else "none"
    drawn = "".join(
        f'<figure><div class="plot" tabindex="0" role="region" aria-label="{escape(plot.title)}">{plot.svg}</div>'
        f"<figcaption>{escape(plot.title)}</figcaption></figure>"
        for plot in (plots(record.outcome, row.curves, row.axes) if record else ())
    )
    tables = record.outcome["tables"] if record else ""
    printed = f'<details><summary>As a table</summary><pre tabindex="0">{escape(tables)}</pre></details>'
    words = re.sub("`([^`]+)`", r"<code>\1</code>", escape(as_sentence(row.note)))
    note = f"<p>{words}</p>" if row.note else ""
    when = f"{cost_of(record)}, {'measured for this report' if now else 'as recorded'}. " if record else ""
    return (
        f'<section id="{escape(row.id)}" class="{verdict}"><header><h3><span class="id">{escape(row.id)}</span> '
        f'{escape(as_sentence(row.title, ""))}</h3><span class="verdict">{verdict_name(verdict)}</span></header>'
        f"<p><cite>{escape(row.source)}</cite></p>{note}{_table(row, record)}{drawn}{printed if tables else ''}"
        f'<p class="how">{escape(when)}<code>searchbench reproduce {escape(row.id)}</code></p></section>'
    )


def cost_of(record: Record) -> str:
    """Return how long a row took, the day and the commit."""
    commit = f", commit {record.commit}" if record.commit else ""
    return f"{record.outcome['seconds']:,.1f} s, {record.date}{commit}"


def as_sentence(text: str, end: str = ".") -> str:
    """Return a text that begins with a capital, where its first word is written small throughout, and ends with `end`."""
    first = text.partition(" ")[0]
    text = text[:1].upper() + text[1:] if first.rstrip(":;,.").isalpha() and first.islower() else text
    return text if text.endswith(end) else text + end


def _table(row: Row, record: Record | None) -> str:
    """Return the figures of a row as a table, the printed ones beside ours; a long one is folded."""
    paper = figures_of(row.paper if record is None else record.outcome["paper"])
    ours = {} if record is None else figures_of(record.outcome["measured"])
    lines = []
    for name in {**paper, **ours}:
        other = name in paper and name in ours and paper[name] != ours[name]
        printed, measured = _cell(paper, name), _cell(ours, name)
        if name in ours and paper.get(name) == ours[name] and len(printed) > LONG:
            measured = "<td>as printed</td>"
        lines.append(
            f'<tr{" class=other" if other else ""}><th scope="row">{escape(name) or "figure"}</th>{printed}{measured}</tr>'
        )
    head = '<tr><th scope="col">figure</th><th scope="col">printed</th><th scope="col">ours</th></tr>'
    table = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="figures of {escape(row.id)}">'
        f"<table><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table></div>"
    )
    if len(lines) <= MANY:
        return table
    others = sum("class=other" in line for line in lines)
    told = "" if record is None else f", {others or 'none'} of them other than printed"
    return f"<details><summary>{len(lines)} figures{told}</summary>{table}</details>"


def _cell(figures: Mapping[str, Any], name: str) -> str:
    """Return the cell of a figure; a long list is folded."""
    if name not in figures:
        return "<td>none</td>"
    figure = figures[name]
    text = escape(told_figure(figure))
    if isinstance(figure, list | tuple) and len(text) > 2 * LONG:
        return f"<td><details><summary>a list of {len(figure)}</summary>{text}</details></td>"
    return f"<td>{text}</td>"


class Series(NamedTuple):
    """The figures of a plot: its name, the places across, their names where they are no numbers, and the curves."""

    name: str
    across: list[int]
    places: list[str]
    curves: dict[str, list[float]]


def _series(name: str, paper: Any, ours: Any, told: Sequence[str], axes: tuple[str, str] | None) -> Iterator[Series]:
    """Yield the plots of a figure: lists of numbers, lists of equally long lists, mappings of names to numbers."""
    if isinstance(paper, list | tuple) and isinstance(ours, list | tuple):
        length = min(len(paper), len(ours))
        if length >= FEWEST and _numbers(paper) and _numbers(ours):
            yield Series(name, list(range(length)), [], _both(paper[:length], ours[:length]))
        elif (
            length >= FEWEST and all(map(_numbers, (*paper, *ours))) and len({len(one) for one in (*paper, *ours)}) == 1
        ):
            curves: dict[str, list[float]] = {}
            for place in range(len(paper[0])):
                what = told[place] if place < len(told) else f"figure {place + 1}"
                curves |= _both([one[place] for one in paper[:length]], [one[place] for one in ours[:length]], what)
            yield Series(name, list(range(length)), [], curves)
    elif isinstance(paper, Mapping) and isinstance(ours, Mapping):
        shared = [key for key in paper if key in ours and _numbers([paper[key], ours[key]])]
        whole = all(str(key).isdigit() for key in shared)
        if len(shared) >= FEWEST and (whole or axes):
            shared = sorted(shared, key=int) if whole else shared
            across = [int(key) for key in shared] if whole else list(range(len(shared)))
            curves = _both([paper[key] for key in shared], [ours[key] for key in shared])
            yield Series(name, across, [] if whole else [str(key) for key in shared], curves)
        for key in paper:
            if key in ours:
                yield from _series(f"{name}, {key}" if name else str(key), paper[key], ours[key], told, axes)


def _both(paper: Sequence[Any], ours: Sequence[Any], what: str = "") -> dict[str, list[float]]:
    """Return the two curves of the same figures."""
    told = f", {what}" if what else ""
    return {f"{PAPER}{told}": list(map(float, paper)), f"{OURS}{told}": list(map(float, ours))}


def _numbers(figures: Any) -> bool:
    return isinstance(figures, list | tuple) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and one >= 0 for one in figures
    )


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers' figures, measured again</title><style>
{style}</style></head><body><a class="skip" href="#rows">Skip to the rows</a>
<header><h1>The papers' figures, measured again</h1>
<p>{rows} results of published papers: what is printed, what searchbench measures, and the verdict. In plots a line or a dot is
the paper's, a ring is ours; their scales are logarithmic, and what is below 1 stands on the lowest line.</p>
<ul class="counts">{counts}</ul></header>
<nav aria-label="Rows by paper"><h2>All rows</h2>{contents}</nav>
<main id="rows">
{body}
</main></body></html>
"""
