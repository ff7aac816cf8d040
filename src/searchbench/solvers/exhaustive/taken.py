"""Take the values of whole parts from databases of games that this game turns into, as after a capture or a promotion.

A part is taken where each of its positions has a number in the other game (`Game.rank_in`) and a code in its database. The codes
become the part's own: the new database needs no other, and is verified by the rules like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.exchange import Table
from searchbench.game import Game
from searchbench.index.contract import canonical_rank, rank_there, unrank
from searchbench.index.protocol import line_size
from searchbench.jit import FIRST, STOP, Rows, note_rows
from searchbench.numbered import diagram_of
from searchbench.rules import NOWHERE, State, new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.neighbours import Bounds, inside, is_position
from searchbench.solvers.exhaustive.schedule import Chunks
from searchbench.store import Database, open_database
from searchbench.values import ValueRule

Given = str | Path | Database
SOLVER: Final = "taken"
"""What the facts name in the place of a solver."""

# What a piece tells in its note: its first place. The second is the number where that was found, the third the largest code.
ALL_THERE, NOT_THERE, NO_VALUE = range(3)


def take(
    codes: Any, illegal: int, first: int, stop: int, theirs: Any, their_illegal: int, spans: Bounds,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Write the codes of the numbers first .. stop - 1; stop at a position whose code is not `theirs`."""
    state = new_state()
    scratch = new_state()
    for number in range(first, stop):
        unrank(number, state)
        if not is_position(number, state, scratch):
            codes[number] = illegal
            continue
        there = rank_there(state, scratch)
        note[1] = number
        if there == NOWHERE or not inside(there, spans):
            note[0] = NOT_THERE
            return
        code = theirs[there]
        if code == their_illegal:
            note[0] = NO_VALUE
            return
        codes[number] = code
        note[2] = max(note[2], code)


def _number_of_class(state: State, scratch: State) -> int:
    return canonical_rank(state, scratch)


class Source(NamedTuple):
    """A database, and the rule that numbers a state of the game at work in its game."""

    database: Database
    rule: Callable[..., int]


def databases_of(given: str | Iterable[Given]) -> Iterator[Database]:
    """Open databases given as paths, as a list or with commas between them. Raises the errors of `open_database`."""
    for one in given.split(",") if isinstance(given, str) else given:
        yield one if isinstance(one, Database) else open_database(one.strip() if isinstance(one, str) else one)


def sources(game: Game, rule: ValueRule, given: str | Iterable[Given]) -> list[Source]:
    """Return the databases, opened and found to fit. Raises BadRequest for one of another rule or an unrelated game."""
    found = []
    for database in databases_of(given):
        number = None
        if diagram_of(database.game) is None:
            number = _number_of_class if database.game == game else game.rank_in(database.game)
        if number is None:
            raise BadRequest(
                f"take {database!r}: {game} does not turn into {database.game}: its `rank_in` gives no rule for that game"
            )
        if database.rule != rule or database.modulus:
            told = f"depths modulo {database.modulus}" if database.modulus else f"values of {database.rule.name}"
            raise BadRequest(f"take {database!r}: it has {told}, and {game} is solved for whole values of {rule.name}")
        found.append(Source(database, number))
    return found


class Taking:
    """Fill groups of parts from databases. `names` are those of the game at work."""

    def __init__(self, game: Game, rule: ValueRule, names: jit.Names, run: Run, given: str | Iterable[Given]) -> None:
        self.game, self.names, self.run = game, names, run
        self.sources = sources(game, rule, given)

    def fill(
        self, groups: Sequence[Group], table_for: Callable[[Group], Table], done: Callable[[Group, dict[str, Any], int], None]
    ) -> None:  # fmt: skip
        """Fill the tables of those groups that are taken, and call `done` with facts and the largest code.

        Raises BadRequest for a database that fits no group, DamagedData for one that is damaged, and OutOfMemory.
        """
        left = list(groups)
        for database, number in self.sources:
            theirs = self._codes(database)
            spans = np.array([end for part in database.parts for end in (part.start, part.stop)], np.int64)
            kernel = jit.bind(take, self.names.with_(rank_there=number))
            taken = []
            for group in left:
                table = table_for(group)
                while table.codes.itemsize < theirs.itemsize:
                    table.widen(0)
                largest = self._filled(kernel, group, table, theirs, spans, database)
                if largest is not None:
                    done(group, {"solver": SOLVER, "levels": 0, "from": database.game.spec}, largest)
                    taken.append(group)
            left = [group for group in left if group not in taken]
            if not taken:
                raise BadRequest(
                    f"take {database!r}: no part of {self.game} lies in it with all its positions; the parts are "
                    f"{', '.join(group.name for group in groups)}"
                )

    def _codes(self, database: Database) -> npt.NDArray[Any]:
        """Return all codes of a database in one array over its number line."""
        size = line_size(database.game.parts())
        self.run.demand(size * database.dtype.itemsize, f"the values of {database!r}")
        codes = np.zeros(size, database.dtype)
        for part in database.parts:
            codes[part.start : part.stop] = database.read(part, part.start, part.stop)
        return codes

    def _filled(
        self, kernel: Any, group: Group, table: Table, theirs: npt.NDArray[Any], spans: Any, database: Database
    ) -> int | None:  # fmt: skip
        """Return the largest code of a group that was filled, None where some position has no number there."""
        pieces = list(Chunks(group.bounds))
        largest = 0
        for first in range(0, len(pieces), max(1, self.run.threads)):  # the first pieces tell whether it fits
            some = pieces[first : first + max(1, self.run.threads)]
            notes = note_rows(len(some), 3)
            self.run.launch(
                kernel, some, table.codes, table.illegal, FIRST, STOP, theirs, np.iinfo(theirs.dtype).max, spans,
                Rows(notes), after=table.rest_after,
            )  # fmt: skip
            for state, number, code in notes.tolist():
                if state == NOT_THERE:
                    return None
                if state == NO_VALUE:
                    raise BadRequest(
                        f"take {database!r}: it has no value for {self.game.format(self.game.unrank(number))!r} of {self.game}: "
                        "the rules of the two games differ there, or `rank_in` is wrong"
                    )
                largest = max(largest, code)
        return largest
