"""Conditions on the states of a database: their part, number and side to move, and Python of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.cli.commands import Option

if TYPE_CHECKING:
    from searchbench.game import Game, Position
    from searchbench.store import Database

Predicate = Callable[["Position"], bool]


@dataclass(frozen=True)
class Among:
    """Say among which states."""

    parts: Annotated[
        str | None, Option(metavar="NAMES", help="Only the states of these parts, such as KQK,KRK; by default all.")
    ] = None
    numbers: Annotated[str | None, Option(metavar="A-B", help="Only the states with these numbers.")] = None
    side: Annotated[
        str | None,
        Option(
            metavar="NAME", help="Only the states in which this side is to move: first or second, or a name as White."
        ),
    ] = None
    where: Annotated[
        str | None,
        Option(
            metavar="EXPR",
            help="A condition on state (its cells), pieces, number, mover, value, outcome and plies, such as 'state[0] == 8'.",
        ),
    ] = None
    predicate: Annotated[
        str | None,
        Option(metavar="FILE.py:FUNCTION", help="A function of your own, called with a position."),
    ] = None

    @property
    def by_part(self) -> bool:
        """Tell whether parts are the only condition: how many states of a part have which value is kept with it."""
        return (self.numbers, self.side, self.where, self.predicate) == (None, None, None, None)

    def cut(self, database: Database) -> Database:
        """Return the database of the parts. Raises BadRequest."""
        from searchbench.store.slices import sliced

        return database if self.parts is None else sliced(database, self.parts)

    def interval(self, database: Database) -> tuple[int, int] | None:
        """Return the first number and the one after the last. Raises BadRequest."""
        return _interval(self.numbers, database.size)

    def condition(self, game: Game, side: int | None = None) -> str | None:
        """Return what is asked of each state, of states with a side to move if there is one, 0 or 1. Raises BadRequest."""
        from searchbench.store.positions import side_names

        if side is not None:
            side_names(game)  # which refuses games whose states do not tell it
        movers = [side, _side(self.side, game)]
        of_side = [f"mover == {mover}" for mover in movers if mover is not None]
        if self.where is None or not of_side:
            return self.where if self.where is not None else " and ".join(of_side) or None
        return " and ".join([f"({self.where})", *of_side])

    def test(self) -> Predicate | None:
        """Return the user's own predicate. Raises BadRequest."""
        return _function(self.predicate)


def _side(text: str | None, game: Game) -> int | None:
    """Return the side with a name, 0 or 1. Raises BadRequest."""
    from searchbench.errors import BadRequest
    from searchbench.store.positions import side_names

    if text is None:
        return None
    names = [name.lower() for name in side_names(game)]
    asked = text.strip().lower()
    matches = [side for side, word in enumerate(("first", "second")) if asked in (word, names[side])]
    if not matches:
        told = [name for name in game.sides if " " not in name]
        raise BadRequest(f"--side {text!r}: expected {' or '.join(['first', 'second', *told])}")
    return matches[0]


def _interval(text: str | None, size: int) -> tuple[int, int] | None:
    """Return the first number and the one after the last of "A-B", "A-", "-B" or "A"."""
    from searchbench.errors import BadRequest

    if text is None:
        return None
    first, separator, last = text.partition("-")
    try:
        begin = int(first or 0)
        end = int(last or size - 1) if separator else begin
    except ValueError:
        raise BadRequest(f"numbers {text!r}: expected two numbers such as 0-999") from None
    if not 0 <= begin <= end < size:
        raise BadRequest(f"numbers {text!r}: expected A-B with 0 <= A <= B <= {size - 1:,}")
    return begin, end + 1


def _function(text: str | None) -> Predicate | None:
    from searchbench.errors import BadRequest

    if text is None:
        return None
    function = function_in(text, "--predicate")

    def test(position: Position) -> bool:
        try:
            return bool(function(position))
        except Exception as error:
            raise BadRequest(f"--predicate {text} on {position.text!r}: {type(error).__name__}: {error}") from None

    return test


def function_in(text: str, option: str) -> Callable[..., Any]:
    """Return the function of the user's own that "FILE.py:FUNCTION", given to an option, names. Raises BadRequest."""
    from searchbench.catalogue import import_file
    from searchbench.errors import BadRequest

    path, separator, name = text.rpartition(":")
    if not separator:
        raise BadRequest(f"{option} {text!r}: expected a file and a function such as mine.py:interesting")
    if not Path(path).is_file():
        raise BadRequest(f"{option} {text!r}: there is no file {path}")
    function: Callable[..., Any] | None = getattr(import_file(Path(path)), name, None)
    if not callable(function):
        raise BadRequest(f"{option} {text!r}: {path} has no function {name!r}")
    return function
