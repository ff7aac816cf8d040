"""Report the faults that verification finds, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from searchbench.index.protocol import Part
from searchbench.verify import check

if TYPE_CHECKING:
    from searchbench.store import Database


@dataclass(frozen=True)
class Fault:
    """A wrong value of a position: its notation, its number, the failed claim, and a message."""

    position: str
    number: int
    claim: str
    message: str

    def __str__(self) -> str:
        return f"{self.claim}: {self.position} (number {self.number}): {self.message}"


@dataclass(frozen=True)
class Report:
    """The number of positions checked and of faults (`count`), and the first faults.

    `note` describes the values or depths that were not checked, if any.
    """

    game: str
    rule: str
    states: int
    count: int
    faults: tuple[Fault, ...]
    note: str = ""

    def __bool__(self) -> bool:
        """Return whether no fault was found."""
        return self.count == 0

    def __str__(self) -> str:
        head = f"{self.game}, {self.rule}: {self.states:,} positions checked, {self.count:,} faults"
        return "\n  ".join([head, *map(str, self.faults), *([self.note] if self.note else [])])


def fault_of(database: Database, number: int, kind: int, detail: int) -> Fault:
    """Return the fault of a kind at a number; `detail` is another number, a weight, or the expected code."""
    claim, message = _TEXTS[kind]
    value, expected = value_text(database, database.residue(number)), value_text(database, detail)
    text = database.game.format(database.game.unrank(number))
    return Fault(text, number, claim, message.format(value=value, expected=expected, detail=detail))


def value_text(database: Database, code: int) -> str:
    """Return the value of a code as text."""
    return "no position" if code == database.illegal else database.rule.format(database.rule.decode(max(code, 0)))


def wrong_counts(database: Database, parts: Sequence[Part], held: Sequence[Mapping[int, int]]) -> list[Fault]:
    """Compare a database's counts of codes in some parts with the actual counts, `held`."""
    faults = []
    for part, found in zip(parts, held, strict=True):
        told = database.part_counts(part)
        if told != found:
            code = min(code for code in {*told, *found} if told.get(code) != found.get(code))
            message = (
                f"{told.get(code, 0):,} times {value_text(database, code)} by the header, "
                f"{found.get(code, 0):,} in the table"
            )
            faults.append(Fault(f"part {part.name}", part.start, "counts", message))
    return faults


_TEXTS: Final = {
    check.NOT_LEGAL: ("legal", "is no position by the rules, and has the value {value}"),
    check.NOT_FIRST: ("representative", "has the value {value}, which only number {detail} of its class may have"),
    check.NOT_THERE: ("legal", "is a position, but the table says that it is not"),
    check.ENDED: ("terminal", "the game is over with the value {expected}, the table says {value}"),
    check.IMPLIED: ("value", "the table says {value}, the moves imply {expected}"),
    check.LOST: ("successor", "a move leads to number {detail}, which is no position (-1: to none that is numbered)"),
    check.CHANGED: ("unplay", "has the number {detail} when its moves were played and taken back"),
    check.COST: ("cost", "a move has the weight {detail}"),
    check.UNREACHED: ("start", "is the start, and the table says {value}"),
    check.UNSUPPORTED: ("reached", "the table says {value}, and no move from one nearer to the start leads here"),
    check.CIRCULAR: ("grounded", "the value {value} rests on a cycle of values that only support each other"),
    check.OPEN: ("grounded", "the value {value} is open: a cycle of moves that gain points leads past it"),
    check.AMBIGUOUS: (
        "locality",
        "a move leads several levels back, to number {detail}, whose code stands for the next level as well: depths modulo a "
        "number do not tell whole ones",
    ),
}
