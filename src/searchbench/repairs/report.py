"""Report a repair: the values changed, the number of values solved again, and the check afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from searchbench.repairs.kernels import NO_POSITION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from searchbench.store import Database


LOST: Final = -2
"""Stands for the code of a number whose chunk was lost."""


@dataclass(frozen=True)
class Change:
    """A changed value: the part, number and notation of the position, and the old and the new value as text."""

    part: str
    number: int
    position: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.part}, number {self.number}, {self.position}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Repair:
    """The findings and changes of a repair.

    `faults` is the number of faults found, `lost` the number of positions in damaged chunks, `renewed` the number of values
    solved again; `changed` says how many of them differ from before (or were lost), `changes` has the first of these, `parts`
    the parts written again. `checked` describes the values that were verified afterwards and are free of faults.
    """

    game: str
    rule: str
    faults: int
    lost: int
    renewed: int
    changed: int
    changes: tuple[Change, ...]
    parts: tuple[str, ...]
    checked: str

    def __bool__(self) -> bool:
        """Return whether anything was repaired."""
        return bool(self.parts)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as numbers and text."""
        return asdict(self)

    def __str__(self) -> str:
        head = f"{self.game}, {self.rule}: {self.faults:,} faults, {self.lost:,} numbers lost in damaged chunks"
        if not self:
            return f"{head}; nothing to repair"
        lines = [head, f"{self.renewed:,} values worked out anew, {self.changed:,} changed, in {', '.join(self.parts)}"]
        lines += [*map(str, self.changes)]
        if self.changed > len(self.changes):
            lines.append(f"... and {self.changed - len(self.changes):,} more")
        return "\n  ".join([*lines, f"no faults any more: {self.checked}"])


def changes_of(
    database: Database, numbers: Sequence[int], before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]
) -> tuple[Change, ...]:
    """Return the changes of some numbers of a database, by their codes; NO_POSITION and LOST may be among them."""
    found = []
    for number, old, new in zip(numbers, before.tolist(), after.tolist(), strict=True):
        part = next(part.name for part in database.parts if part.start <= number < part.stop)
        text = database.game.format(database.game.unrank(number))
        found.append(Change(part, number, text, _text(database, old), _text(database, new)))
    return tuple(found)


def _text(database: Database, code: int) -> str:
    if code in (LOST, NO_POSITION):
        return "lost" if code == LOST else "no position"
    return database.rule.format(database.rule.decode(code))
