"""Record the progress of a verification, so that a stopped one resumes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from searchbench.errors import BadRequest
from searchbench.index.protocol import Part
from searchbench.store import header as head
from searchbench.store.working import WorkingFolder, discard

if TYPE_CHECKING:
    from searchbench.store import Database


class Noted(NamedTuple):
    """The progress in a part: numbers found right, positions among them, and moves that cost or gain nothing."""

    checked: int = 0
    states: int = 0
    free: int = 0


class VerificationRecord:
    """Keep the progress of each part in a working folder; it is valid while the bytes of the part and its needs are."""

    def __init__(self, folder: WorkingFolder | None, digests: dict[str, str]) -> None:
        self._folder = folder
        self._digests = digests
        self._parts: dict[str, Any] = {} if folder is None else dict(folder.record.get("parts", {}))

    def noted(self, part: Part) -> Noted:
        """Return the progress in a part."""
        kept = self._parts.get(part.name)
        return Noted(*kept["noted"]) if kept is not None and kept["digests"] == self._of(part) else Noted()

    def note(self, part: Part, noted: Noted) -> None:
        """Set the progress in a part; it is saved at intervals, and at the end of the part."""
        if self._folder is None:
            return
        self._parts[part.name] = {"digests": self._of(part), "noted": list(noted)}
        if noted.checked == part.size or self._folder.due:
            self._folder.commit({"parts": self._parts})

    def _of(self, part: Part) -> dict[str, str]:
        return {name: self._digests.get(name, "") for name in sorted({part.name, *part.needs})}


@contextmanager
def verification_record(database: Database, work: Path | None, whole: bool = True) -> Iterator[VerificationRecord]:
    """Open the record in the folder `work`; remove the folder once the `whole` database is verified. Raises BadRequest."""
    if work is None:
        yield VerificationRecord(None, {})
        return
    if database.path is None:
        raise BadRequest(f"{work}: unfinished verification is kept for a database on disk only")
    header = head.header_on_disk(database.path)
    if header.modulus or database.rule.from_start:
        raise BadRequest(
            f"{work}: {database.rule.name} is followed from the start, in one go: there is no unfinished work to keep"
        )
    task = {"verify": header.game, "rule": header.rule, "fingerprints": header.fingerprints}
    with WorkingFolder(work, task) as folder:
        yield VerificationRecord(folder, {record.name: record.digest for record in header.parts})
    if whole:
        discard(work)
