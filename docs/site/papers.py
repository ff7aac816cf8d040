"""A page for each paper: its printed figures, ours as they were recorded, the verdict, and the command of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from searchbench.reproduce import PAPERS
from searchbench.reproduce.record import Record, shipped_records
from searchbench.reproduce.report import figure_text, figures_of, plots, told_verdict
from searchbench.reproduce.row import Row

_INTRODUCTION: Final = """---
hide: [toc]
---

# The papers

`searchbench reproduce` measures the figures of the papers anew and compares. These pages show what was recorded last:
*match* is the paper's figure, *better* is one that is known to be more exact, or a shorter time, *differs* is another figure.
Rows that nobody has recorded can be measured with their command. Some take days.

<div class="sb-papers" markdown>

| paper | rows | recorded | match | better | differs |
|---|--:|--:|--:|--:|--:|
"""


def paper_pages() -> dict[str, str]:
    """Return the pages: a table of all papers, then one for each module of rows."""
    records = shipped_records()
    overview, pages = _INTRODUCTION, {}
    for module in PAPERS:
        name = module.__name__.rpartition(".")[2]
        pages[f"papers/{name}.md"] = _page(module, records)
        found = [records[row.id].verdict for row in module.ROWS if row.id in records]
        counts = " | ".join(str(found.count(verdict)) for verdict in ("match", "better", "differs"))
        overview += f"| [{_title(module)}]({name}.md) | {len(module.ROWS)} | {len(found)} | {counts} |\n"
    return {"papers/index.md": f"{overview}\n</div>\n", **pages}


def _title(module: ModuleType) -> str:
    first = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    title = re.sub(r"^Rows? o[nf] ", "", first).replace("|", "\\|")
    return title[0].upper() + title[1:]


def _page(module: ModuleType, records: dict[str, Record]) -> str:
    parts = [f"# {_title(module)}\n"]
    for row in module.ROWS:
        parts.append(_row(row, records.get(row.id)))
    return "\n".join(parts)


def _row(row: Row, record: Record | None) -> str:
    """Return what is told of a row."""
    lines = [f"## {row.id}: {row.title}", "", f"*{row.source}*" + (f". {row.note}" if row.note else ""), ""]
    paper = figures_of(row.paper if record is None else record.outcome["paper"])
    ours = {} if record is None else figures_of(record.outcome["measured"])
    lines += [f"**{told_verdict(record).capitalize()}**", "", "| figure | printed | ours |", "|---|---|---|"]
    lines += [f"| {_cell(name)} | {_code(paper, name)} | {_code(ours, name)} |" for name in {**paper, **ours}]
    lines.append("")
    if record is not None and record.fits(row):
        lines += [f"{plot.svg}\n" for plot in plots(record.outcome, row.curves, row.axes)]
    lines += [f"```sh\nsearchbench reproduce {row.id}\n```", ""]
    return "\n".join(lines)


def _code(figures: Mapping[str, Any], name: str) -> str:
    if name not in figures:
        return ""
    text = figures[name] if isinstance(figures[name], str) else figure_text(figures[name])
    return _cell(f"`{text}`") if text else "none"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
