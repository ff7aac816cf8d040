"""A page for each paper: its printed figures, ours as they were recorded, the verdict, and the command of each."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Final

from searchbench.reproduce import PAPERS
from searchbench.reproduce.record import Record, shipped_records
from searchbench.reproduce.report import LONG, as_sentence, cost_of, figures_of, plots, told_figure, verdict_name
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


_BERLINER, _GASSER, _ALLIS = "Berliner and Goetsch 1984", "Gasser 1995", "Allis 1994"
_EDELKAMP, _JUNGHANNS, _BEYOND = "Edelkamp 2017", "Junghanns and Schaeffer 2001", "Beyond the papers"
NAMED: Final = {
    "berliner": (_BERLINER, "Superpuzz"),
    "gasser": (_GASSER, "Exhaustive search"), "morris": (_GASSER, "Nine Men's Morris"),
    "opening": (_GASSER, "The opening of morris"), "compression": (_GASSER, "Compressed databases"),
    "fifteen": (_GASSER, "The 15-puzzle"), "hardest": (_GASSER, "Hardest positions"),
    "points": (_GASSER, "Games for points"), "allis": (_GASSER, "Awari, all positions"),
    "proof_trees": (_ALLIS, "Proof trees"), "proof_numbers": (_ALLIS, "Proof-number search"),
    "proof_graphs": (_ALLIS, "Graphs of positions"), "comparators": (_ALLIS, "Other searches"),
    "proof_games": (_ALLIS, "Games by proof search"),
    "dependency": (_ALLIS, "Dependency-based search"), "awari": (_ALLIS, "Awari"), "qubic": (_ALLIS, "Qubic"),
    "gomoku": (_ALLIS, "Go-moku"), "gomoku_threats": (_ALLIS, "Threats of go-moku"),
    "complexities": (_ALLIS, "Complexities"), "falling": (_ALLIS, "Connect Four"),
    "edelkamp": (_EDELKAMP, "Bit vectors and ranks"), "compressed": (_EDELKAMP, "Compressed pattern databases"),
    "geese": (_EDELKAMP, "Fox and geese"), "layered": (_EDELKAMP, "Connect Four by diagrams"),
    "junghanns": (_JUNGHANNS, "Enhancements"), "rolling_stone": (_JUNGHANNS, "Rolling Stone"),
    "featurespace": (_BEYOND, "Feature-space search"), "sokoban": (_BEYOND, "Sokoban"),
}  # fmt: skip
"""What the navigation calls each module's page, and under which paper."""


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


def paper_navigation() -> list[Any]:
    """Return the entries of the pages in the navigation: the table of all, then under each paper its pages."""
    entries: dict[str, list[dict[str, str]]] = {}
    for module in PAPERS:
        name = module.__name__.rpartition(".")[2]
        paper, title = NAMED[name]
        entries.setdefault(paper, []).append({title: f"papers/{name}.md"})
    return ["papers/index.md", *({paper: pages} for paper, pages in entries.items())]


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
    verdict = "none" if record is None else record.verdict
    lines = [
        f"## {row.id}: {row.title}",
        "",
        f"*{row.source}*" + (f". {as_sentence(row.note)}" if row.note else ""),
        "",
    ]
    paper = figures_of(row.paper if record is None else record.outcome["paper"])
    ours = {} if record is None else figures_of(record.outcome["measured"])
    badge = f'<span class="sb-verdict {verdict}">{verdict_name(verdict)}</span>'
    lines += [
        f"{badge} {'' if record is None else cost_of(record)}",
        "",
        "| figure | printed | ours |",
        "|---|---|---|",
    ]
    for name in {**paper, **ours}:
        printed, measured = (_cell(told_figure(one[name])) if name in one else "" for one in (paper, ours))
        if paper.get(name) == ours.get(name) and len(printed) > LONG:
            measured = "as printed"
        lines.append(f"| {_cell(name) or 'figure'} | {printed} | {measured} |")
    lines.append("")
    if record is not None and record.fits(row):
        lines += [f"{plot.svg}\n" for plot in plots(record.outcome, row.curves, row.axes)]
    lines += [f"```sh\nsearchbench reproduce {row.id}\n```", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("*", "\\*").replace("[", "\\[").replace("<", "&lt;")
