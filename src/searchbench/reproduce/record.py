"""Records of rows that were measured: what came out, when, and at which state of this project."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from searchbench.errors import DamagedData
from searchbench.reproduce.row import Reproduction, Row
from searchbench.store.folder import replaced_file
from searchbench.store.writing import check_place

FORMAT = "searchbench verdicts 1"


@dataclass(frozen=True)
class Record:
    """The result of a row as `Reproduction.as_dict` gives it, the day, and the commit ("" where there is none to tell)."""

    outcome: Mapping[str, Any]
    date: str
    commit: str

    @property
    def verdict(self) -> str:
        """Return "match", "better" or "differs"."""
        return str(self.outcome["verdict"])

    def fits(self, row: Row, parts: Sequence[str] = ()) -> bool:
        """Tell whether this record is of the row as it is now: compared with the same figure of the paper, all `parts` of it."""
        paper, kept = json.loads(json.dumps(row.paper)), self.outcome["paper"]
        if row.parts and isinstance(paper, dict) and isinstance(kept, dict):
            same = all(name in paper and paper[name] == figure for name, figure in kept.items())
            return same and bool(kept) and set(parts) <= set(kept)
        return bool(paper == kept)

    def lacks(self, row: Row, parts: Sequence[str]) -> tuple[str, ...]:
        """Return those of `parts` that are still to be measured; all of them where this is no record of the row as it is now."""
        return tuple(part for part in parts if part not in self.outcome["paper"]) if self.fits(row) else tuple(parts)

    def joined(self, earlier: Record | None, row: Row) -> Record:
        """Return a record with the parts of this one and those that an earlier one has besides, judged together."""
        if earlier is None or not (earlier.fits(row) and _by_part(self.outcome) and _by_part(earlier.outcome)):
            return self
        older, newer = earlier.outcome, self.outcome
        paper, measured = ({**older[which], **newer[which]} for which in ("paper", "measured"))
        kept = {name: paper[name] for name in row.paper if name in paper}
        figures = {name: measured[name] for name in kept}
        together = {
            "paper": kept,
            "measured": figures,
            "verdict": row.judge(kept, figures),
            "seconds": round(older["seconds"] + newer["seconds"], 3),
            "costs": [*older["costs"], *newer["costs"]],
            "tables": "\n\n".join(filter(None, (older["tables"], newer["tables"]))),
        }
        return Record({**newer, **together}, self.date, self.commit)


def _by_part(outcome: Mapping[str, Any]) -> bool:
    paper, measured = outcome["paper"], outcome["measured"]
    return isinstance(paper, dict) and isinstance(measured, dict) and paper.keys() == measured.keys()


def recorded(outcome: Reproduction) -> Record:
    """Return the record of a result that was measured now."""
    return Record(json.loads(json.dumps(outcome.as_dict())), datetime.now(UTC).date().isoformat(), _commit())


def shipped_records() -> dict[str, Record]:
    """Return the records that come with searchbench, by the rows' names."""
    return _parsed((files("searchbench.reproduce") / "recorded.json").read_text(), "recorded.json")


def read_records(path: Path) -> dict[str, Record]:
    """Return the records in a file, none if it does not exist. Raises DamagedData."""
    return _parsed(path.read_text(), str(path)) if path.exists() else {}


def write_records(path: Path, records: Mapping[str, Record]) -> None:
    """Write records into a file, in one step. Raises BadRequest where there is no such folder."""
    check_place(path)
    rows = {name: asdict(record) for name, record in sorted(records.items())}
    with replaced_file(path) as fresh:
        fresh.write_text(json.dumps({"format": FORMAT, "rows": rows}, indent=1) + "\n")


def _parsed(text: str, name: str) -> dict[str, Record]:
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise DamagedData(f"{name} has the format {document['format']!r}; this version reads {FORMAT!r}")
        found = {row: Record(one["outcome"], one["date"], one["commit"]) for row, one in document["rows"].items()}
        wanted = {"id", "title", "source", "paper", "measured", "verdict", "note", "seconds", "costs", "tables"}
        for row, record in found.items():
            if missing := wanted - set(record.outcome):
                raise DamagedData(f"{name}: the row {row} lacks {', '.join(sorted(missing))}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedData(f"{name} holds no verdicts of `searchbench reproduce --record`: {error!r}") from None
    return found


@lru_cache
def _commit() -> str:
    """Return the last commit of the package, where it lies in a checkout, "" for an installed one."""
    command = ["git", "-C", str(Path(__file__).parents[1]), "log", "-1", "--format=%h", "--", "."]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
