"""A report on rows of the papers: the printed figure, ours, the verdict, and the papers' plots drawn again with ours.

The report is one HTML file that fetches nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from searchbench.drawing import STYLE, curves_svg
from searchbench.reproduce.record import Record
from searchbench.reproduce.row import Row

LONGEST: Final = 600
"""Characters of a figure that are shown."""
FEWEST: Final = 5
"""Points that make a plot."""
OURS: Final = "ours"
PAPER: Final = "the paper"


def figure_text(figure: Any) -> str:
    """Return a figure as a text of at most `LONGEST` characters."""
    text = json.dumps(figure, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def told_verdict(record: Record | None) -> str:
    """Return the verdict of a record with its seconds, day and commit."""
    if record is None:
        return "not recorded"
    seconds, commit = record.outcome["seconds"], f", {record.commit}" if record.commit else ""
    return f"{record.verdict} ({seconds:,.1f} s, {record.date}{commit})"


def plots(outcome: Mapping[str, Any], told: Sequence[str] = ()) -> list[str]:
    """Return a plot, SVG without a style sheet, for each series of a result that the paper has, too.

    `told` says what the figures are, where each entry of a list has several.
    """
    found = []
    for name, bottom, across, curves in _series(outcome["title"], outcome["paper"], outcome["measured"], told):
        marked = {label for label in curves if label.startswith(OURS)}
        found.append(curves_svg(across, curves, bottom, name, style=False, marked=marked))
    return found


def report_html(rows: Sequence[Row], records: Mapping[str, Record], measured: Sequence[str]) -> str:
    """Return the report on rows as a page; `measured` names those that were measured for it, the others are as recorded."""
    counts = dict.fromkeys(("match", "better", "differs", "not recorded"), 0)
    body = []
    for row in rows:
        record = records.get(row.id)
        counts[record.verdict if record else "not recorded"] += 1
        body.append(_section(row, record, row.id in measured))
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return _PAGE.format(style=STYLE, told=escape(f"{len(rows)} rows: {told}"), body="\n".join(body))


def _section(row: Row, record: Record | None, now: bool) -> str:
    """Return what is told of a row."""
    paper = row.paper if record is None else record.outcome["paper"]
    ours = "" if record is None else figure_text(record.outcome["measured"])
    how = "" if record is None else " measured for this report" if now else " as recorded"
    verdict = record.verdict if record else "none"
    drawn = "".join(f"<figure>{plot}</figure>" for plot in (plots(record.outcome, row.curves) if record else ()))
    tables = f"<pre>{escape(record.outcome['tables'])}</pre>" if record and record.outcome["tables"] else ""
    note = f"<p>{escape(row.note)}</p>" if row.note else ""
    return (
        f'<section id="{escape(row.id)}" class="{verdict}"><h2>{escape(row.id)}: {escape(row.title)}</h2>'
        f"<p><cite>{escape(row.source)}</cite></p>{note}<table>"
        f"<tr><th>printed</th><td>{escape(figure_text(paper))}</td></tr>"
        f"<tr><th>ours</th><td>{escape(ours)}</td></tr>"
        f"<tr><th>verdict</th><td>{escape(told_verdict(record) + how)}</td></tr></table>"
        f"{drawn}{tables}<pre>searchbench reproduce {escape(row.id)}</pre></section>"
    )


Series = tuple[str, str, list[int], dict[str, list[float]]]
"""A plot: its title, what is below it, the places, and the curves."""


def _series(name: str, paper: Any, ours: Any, told: Sequence[str]) -> Iterator[Series]:
    """Yield the plots of a figure: lists of numbers, lists of equally long lists, mappings of names to numbers."""
    if isinstance(paper, list | tuple) and isinstance(ours, list | tuple):
        length = min(len(paper), len(ours))
        if length >= FEWEST and _numbers(paper) and _numbers(ours):
            curves = {PAPER: list(map(float, paper[:length])), OURS: list(map(float, ours[:length]))}
            yield name, "place in the list, from 0", list(range(length)), curves
        elif (
            length >= FEWEST and all(map(_numbers, (*paper, *ours))) and len({len(one) for one in (*paper, *ours)}) == 1
        ):
            curves = {}
            for place in range(len(paper[0])):
                what = told[place] if place < len(told) else f"figure {place + 1}"
                curves[f"{PAPER}, {what}"] = [float(one[place]) for one in paper[:length]]
                curves[f"{OURS}, {what}"] = [float(one[place]) for one in ours[:length]]
            yield name, "place in the list, from 0", list(range(length)), curves
    elif isinstance(paper, Mapping) and isinstance(ours, Mapping):
        shared = [key for key in paper if key in ours and _numbers([paper[key], ours[key]])]
        if len(shared) >= FEWEST:
            curves = {PAPER: [float(paper[key]) for key in shared], OURS: [float(ours[key]) for key in shared]}
            whole = all(str(key).isdigit() for key in shared)
            across = sorted(int(key) for key in shared) if whole else list(range(1, len(shared) + 1))
            names = (
                "number" if whole else ", ".join(f"{place} {key}" for place, key in zip(across, shared, strict=True))
            )
            yield name, names if len(names) < 110 else f"{names[:106]} ...", across, curves
        for key in paper:
            if key in ours:
                yield from _series(f"{name}: {key}", paper[key], ours[key], told)


def _numbers(figures: Any) -> bool:
    return isinstance(figures, list | tuple) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and one >= 0 for one in figures
    )


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers' figures, measured again</title><style>
:root{{color-scheme:light dark}}
body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem}}
section{{border-left:.4rem solid #8888;padding-left:1rem;margin:2rem 0}}
.match{{border-color:#2f7d4f}}.better{{border-color:#2d62b0}}.differs{{border-color:#b8433a}}
th{{text-align:left;vertical-align:top;padding-right:1rem}}td{{overflow-wrap:anywhere}}
pre{{overflow-x:auto}}figure{{margin:1rem 0}}h2{{font-size:1.1rem}}
{style}</style></head><body><h1>The papers' figures, measured again</h1><p>{told}</p>
{body}
</body></html>
"""
