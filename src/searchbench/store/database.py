"""A database: the value of every state of a game, to be probed, searched, counted, saved and verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, BadState, LacksPart
from searchbench.game import Game, Position
from searchbench.index.protocol import Part, line_size
from searchbench.late import late
from searchbench.proof import Notion
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.slots import slot_named
from searchbench.store.codes import PIECE, Array, BitReader, Codes, MemoryCodes, bits_of_codes, in_order
from searchbench.store.keep import Keep
from searchbench.store.line import best_line
from searchbench.store.modulo import Tracer, whole_code
from searchbench.store.positions import Condition, Sieve, both
from searchbench.store.reductions import WHOLE
from searchbench.store.slices import closed_under_needs, missing_needs, refuse_slice, sliced
from searchbench.store.way import Way
from searchbench.values import Value, ValueRule

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from searchbench.catalogue import WhichGame
    from searchbench.line import Line
    from searchbench.repairs import Repair
    from searchbench.run import Run
    from searchbench.verify import Report

NO_CODE = 1 << 40
"""More than any code."""
TRACED = 1 << 12
"""Number of states traced back to the start at a time."""

What = Position | str | Sequence[int] | None
"""A position, its notation, the cells of its state, or None for the start."""


class Choice(NamedTuple):
    """A move, the position after it, and the value of that position for the player to move there."""

    move: int
    position: Position
    value: Value


_verify = late("searchbench.verify:verify_database")
_repair = late("searchbench.repairs:repair_database")


class Database:
    """Store the values of all states of a game, in memory or on disk; both answer the same queries.

    `codes` has one stored code per number (see :mod:`searchbench.values`); the maximum of its type marks numbers of the
    index that are no position. `facts` describes the solver's work, `command` is the command that made the database.
    With `parts`, the database covers only those parts of the game. `scratch` may be a temporary folder that lasts as long
    as the database.
    """

    def __init__(
        self,
        game: Game,
        rule: ValueRule,
        codes: Array | Codes,
        facts: dict[str, Any] | None = None,
        command: str = "",
        path: Path | None = None,
        parts: Sequence[Part] | None = None,
    ) -> None:
        self.game = game
        self.rule = rule
        self.facts = dict(facts or {})
        self.command = command
        self.path = path
        self.saved: Path | None = path
        """The folder that holds all of these values, if there is one: the path, or where a database in memory was saved."""
        self.scratch: TemporaryDirectory[str] | None = None
        self.parts: tuple[Part, ...] = tuple(game.parts() if parts is None else parts)
        self.store: Codes = MemoryCodes(codes) if isinstance(codes, np.ndarray) else codes
        size = line_size(self.parts)
        self._end = size if parts is None else line_size(game.parts())
        if self.store.size < size or (parts is None and self.store.size != size):
            raise BadRequest(f"{game}: {self.store.size:,} codes, the index has {size:,} numbers")

    # --- contents ----------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Return the size of the index, including numbers that are no position."""
        return self.store.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the data type of a stored code."""
        return self.store.dtype

    @property
    def illegal(self) -> int:
        """Return the code that marks numbers that are no position; depths modulo 3 or 4 have none: one that never occurs."""
        return NO_CODE if self.modulus else int(np.iinfo(self.dtype).max)

    @property
    def codes(self) -> Array:
        """Return all stored codes in one array; reads a database on disk completely."""
        return self.store.whole()

    @property
    def modulus(self) -> int:
        """Return 3 or 4 if the table stores depths modulo it, 0 if it stores whole values."""
        return self.store.modulus

    @property
    def notion(self) -> Notion:
        """Return "strong": every position is solved; "open" if the database lacks parts of the game (Allis 1994, section 1.5)."""
        return "strong" if {part.name for part in self.game.parts()} <= {part.name for part in self.parts} else "open"

    @property
    def states(self) -> int:
        """Return the number of positions."""
        return sum(self._counts().values())

    @property
    def reachable(self) -> int:
        """Return the number of positions whose value is not None."""
        return sum(count for code, count in self._counts().items() if self.rule.decode(code) is not None)

    def __repr__(self) -> str:
        where = f" in {self.path}" if self.path is not None else ""
        return f"<Database of {self.game}: {self.rule.name} of {self.size:,} numbers{where}>"

    def __str__(self) -> str:
        return f"the database of {self.game}" + (f" in {self.path}" if self.path is not None else "")

    def _repr_html_(self) -> str:
        """Return the facts and the chart for a notebook."""
        from searchbench.drawing import chart_svg, columns, facts_html

        facts = {
            "values": self.rule.name,
            "states": f"{self.states:,}",
            "with a value": f"{self.reachable:,}",
            "kept in": self.path or "memory",
        }
        return facts_html(str(self.game), facts, chart_svg(columns(self.rule, self.histogram()), log=True))

    # --- one state ---------------------------------------------------------------------------------------------------

    def number(self, what: What = None) -> int:
        """Return the number of a state's symmetry class; NOWHERE for a terminal state that the index leaves out.

        Raises BadState for anything that is no state of the game, or that the index does not number.
        """
        state = self.game.position(what).state
        text = repr(what) if isinstance(what, str) else repr(tuple(state))
        if len(state) != self.game.width:
            raise BadState(f"{self.game}: {text} has {len(state)} entries, a state has {self.game.width}")
        try:
            number = self.game.rank(state)
            if number == NOWHERE and self.game.terminal(state) != UNDECIDED:
                return NOWHERE
            known = 0 <= number < self._end and self.game.unrank_like(number, state) == self.game.canonical(state)
        except (ValueError, IndexError, OverflowError):
            known = False
        if not known or self.residue(number) == self.illegal:
            raise BadState(
                f"{self.game}: {text} is no state of this database; the start is "
                f"{self.game.format(self.game.start())!r}"
            )
        return number

    def position(self, number: int) -> Position:
        """Return the position with a number. Raises BadState if there is none."""
        if self.residue(number) == self.illegal:
            raise BadState(f"{self.game}: number {number} is no position")
        return Position(self.game, tuple(self.game.unrank(number)))

    def code(self, number: int) -> int:
        """Return the stored code of a number; for depths modulo 3 or 4, the code of the whole depth."""
        code = self.residue(number)
        return whole_code(self, number, code) if self.modulus and code else code

    def residue(self, number: int) -> int:
        """Return the table's entry for a number."""
        if not 0 <= number < self._end:
            raise BadState(f"{self.game}: number {number} lies outside the index of {self._end:,} numbers")
        if not any(part.start <= number < part.stop for part in self.parts):
            other = next((part.name for part in self.game.parts() if part.start <= number < part.stop), None)
            raise LacksPart(
                f"{self.game}: number {number} is in the part {other!r}; this database has the parts {self._part_names()}: "
                f"solve or cut that one, too, with --parts {other} (parts={other!r} in Python)",
                other,
            )
        return self.store.code(number)

    def probe(self, what: What = None) -> Value:
        """Return the value of a state, given as a position, as notation or as cells; by default of the start."""
        number = self.number(what)
        if number != NOWHERE:
            return self.rule.decode(self.code(number))
        result = self.game.terminal(self.game.position(what).state)
        return self.rule.decode(self._call("finish", self._call("initial", result, 0)))

    def moves(self, what: What = None) -> list[Choice]:
        """Return the legal moves of a state, the positions after them and their values, best first.

        Raises LacksPart where a move leads to a part that the database lacks.
        """
        choices, elsewhere = self.moves_within(what)
        if elsewhere:
            raise elsewhere[0][1]
        return choices

    def moves_within(self, what: What = None) -> tuple[list[Choice], list[tuple[int, LacksPart]]]:
        """Return the moves to parts that the database has, as `moves` does, and each other move with the error that says why."""
        state = self.game.position(what).state
        self.number(state)
        choices, elsewhere = [], []
        for move in self.game.moves(state):
            after = Position(self.game, tuple(self.game.play(state, move)))
            try:
                choices.append(Choice(move, after, self.probe(after)))
            except LacksPart as error:
                elsewhere.append((move, error))
        return sorted(choices, key=lambda choice: self.preference(state, choice)), elsewhere

    @cached_property
    def way(self) -> Way:
        """Return what finds the moves that come nearer to what is won, where values do not tell."""
        return Way(self)

    def preference(self, state: Sequence[int], choice: Choice) -> Any:
        """Return a sort key of a state's moves: the best one has the least, and so has each that is as good."""
        return self.rule.preference(choice.value, self._call("weight", list(state), choice.move))

    @property
    def weighed(self) -> str | None:
        """Return "cost" or "gain" where values count what moves cost or gain by the game's rule; None where all count alike."""
        name = "gain" if self.rule.two_players else "cost"
        return name if self.game.has(name) and not self.rule.outcomes and not self.rule.from_start else None

    def worth(self, state: Sequence[int], choice: Choice) -> Value:
        """Return the value of a state if this were its only move.

        For depths from the start return the successor's value. Where values tell no losses, a move after which the other player
        wins is "not won", and of the others nothing is known, unless the game is over: None.
        """
        result = UNDECIDED if self.rule.tells_losses else self.game.terminal(choice.position.state)
        if result != UNDECIDED:
            return self.rule.decode(self._call("initial", -result, 0))
        return self.worth_of(choice.value, self._call("weight", list(state), choice.move))

    def worth_of(self, value: Value, weight: int) -> Value:
        """Return the value of a state whose only move has this weight and leads to a state with this value; None: not known."""
        if self.rule.from_start:
            return value
        if not self.rule.tells_losses:
            return self.rule.decode(0) if self.rule.encode(value) else None
        code = self._call("initial", UNDECIDED, 1)
        code = self._call("gather", code, [self.rule.encode(value)], [weight], 1)
        return self.rule.decode(self._call("finish", code))

    def line(self, what: What = None, limit: int | None = None) -> Line:
        """Return a line of best play from a state; at most `limit` moves of it.

        For a puzzle the line leads to a solved state at the least cost; for two players, to the end of the game or the
        first repeated state. Where values have no depths, but no state can come again, its moves keep the value. For
        "depth" it leads from the start (or its mirror image) to the state, which needs the game's `unmoves`. Raises
        Unsolvable where there is no line.
        """
        return best_line(self, self.game.position(what), limit)

    def hardest(self) -> Value:
        """Return the value farthest from the end: the most plies, or the largest number. Raises BadRequest."""
        if not self.rule.has_lines:
            raise BadRequest(f"{self.game}: the database has no depths: no state is furthest from the end")
        known = [value for value in self.histogram() if value is not None]
        if not known:
            raise BadRequest(f"{self.game}: no state has a value")
        return max(known, key=lambda value: (getattr(value, "depth", value), value))

    # --- all states --------------------------------------------------------------------------------------------------

    def histogram(self, part: str | None = None) -> dict[Value, int]:
        """Count the positions of each value, in order, None last; of one part, or of all."""
        return self._by_value(self._counts(part))

    def select(
        self,
        value: Any = None,
        numbers: tuple[int, int] | None = None,
        predicate: Callable[[Position], bool] | None = None,
        where: str | None = None,
    ) -> Iterator[int]:
        """Yield, in order, the numbers of the positions that meet all conditions; reads the table block by block.

        `value` is a value, a test of values, or text as `ValueRule.parse` reads it ("30-31", "win 3-9", "unreachable");
        `numbers` the first number and the one after the last; `where` a condition such as "state[0] == 8 and plies > 20", in the
        language of :mod:`searchbench.store.condition`; `predicate` is called for positions that meet the other conditions.
        """
        for some in self.numbers(value, numbers, where, predicate):
            yield from some.tolist()

    def numbers(
        self,
        value: Any = None,
        numbers: tuple[int, int] | None = None,
        where: str | None = None,
        predicate: Callable[[Position], bool] | None = None,
    ) -> Iterator[Array]:
        """Yield the numbers of the positions that meet the conditions (see `select`), in order, an array at a time."""
        asked = None if where is None else Condition(self, where)
        fitting = self._fitting(both(self._wanted(value), None if asked is None else asked.fits), *self._range(numbers))
        if asked is None and predicate is None:
            yield from fitting
            return
        test = None if predicate is None else lambda _number, state: predicate(Position(self.game, state))
        sieve = Sieve(self, asked, (), test)
        for some in fitting:
            for _, passing in sieve.through(some):
                if len(passing):
                    yield passing

    def tally(
        self,
        numbers: tuple[int, int] | None = None,
        predicate: Callable[[Position], bool] | None = None,
        where: str | None = None,
    ) -> dict[Value, int]:
        """Count the positions of each value that meet the conditions (see `select`), in order, None last."""
        counts: dict[int, int] = {}
        for some in self.numbers(None, numbers, where, predicate):
            for code, count in zip(*np.unique(self._codes_of(some), return_counts=True), strict=True):
                counts[int(code)] = counts.get(int(code), 0) + int(count)
        return self._by_value(counts)

    def find(
        self,
        value: Any = None,
        numbers: tuple[int, int] | None = None,
        predicate: Callable[[Position], bool] | None = None,
        limit: int | None = None,
        where: str | None = None,
    ) -> list[Position]:
        """Return the first positions, at most `limit`, that meet all conditions (see `select`)."""
        if limit is not None and limit < 0:
            raise BadRequest(f"limit {limit}: expected 0 or more")
        found: list[Position] = []
        for number in self.select(value, numbers, predicate, where) if limit != 0 else ():
            found.append(self.position(number))
            if len(found) == limit:
                break
        return found

    def count(
        self,
        value: Any = None,
        numbers: tuple[int, int] | None = None,
        predicate: Callable[[Position], bool] | None = None,
        where: str | None = None,
    ) -> int:
        """Count the positions that meet all conditions (see `select`)."""
        asked = None if where is None else Condition(self, where)
        if predicate is not None or (asked is not None and not asked.is_met_by_fitting_values):
            return sum(len(some) for some in self.numbers(value, numbers, where, predicate))
        wanted = both(self._wanted(value), None if asked is None else asked.fits)
        if self.modulus and numbers is not None:
            return sum(len(some) for some in self.numbers(wanted, numbers))
        if numbers is None:
            counts = self._counts()
            return sum(n for code, n in counts.items() if wanted is None or wanted(self.rule.decode(code)))
        total = 0
        for _, codes in self._pieces(*self._range(numbers)):
            for code, n in zip(*(found.tolist() for found in np.unique(codes, return_counts=True)), strict=True):
                if code != self.illegal and (wanted is None or wanted(self.rule.decode(code))):
                    total += n
        return total

    # --- on disk, and verified ---------------------------------------------------------------------------------------

    def save(
        self,
        path: str | Path | Keep,
        command: str = "",
        overwrite: bool = False,
        mapped: bool = False,
        form: str | None = None,
        codec: str | None = None,
    ) -> None:
        """Save the database in a folder, a Zarr v3 group, which appears complete or not at all.

        `path` is a folder, or a `Keep` with all the other options. `form` is the stored form: "values" (the default: all
        values), "filled", "base-3", "two-bit", "one-bit", "best-move", "every:4" or "parity" (see docs/database-format.md).
        `codec` is "zstd:3" (the default), "gzip:6",
        "lz4:5" or "none", with a level. If `mapped`, codes are uncompressed, and mapped into memory when the database
        is opened. Raises BadRequest if the place is occupied, unless by a database and `overwrite` is true, and for a
        form that cannot represent the values.
        """
        from searchbench.store.writing import MAPPED, write_database

        keep = Keep.at(path, {"form": form, "codec": codec, "mapped": mapped, "overwrite": overwrite})
        layout = MAPPED if keep.mapped else None
        write_database(self, keep.folder, command or self.command, keep.overwrite, layout, keep.form, keep.packing)
        if self.path is None and keep.form is None:
            self.saved = keep.folder

    def convert(
        self,
        path: str | Path,
        form: str | None = None,
        codec: str | None = None,
        parts: str | Iterable[str] | None = None,
        overwrite: bool = False,
    ) -> Database:
        """Save the database in another folder, form or codec (see `save`), and open it there.

        Values that a form leaves out are restored; depths that a form drops are not. With `parts` ("3-3,4-3"), keep only
        these, a *slice*: it answers for their positions, and is verified where it also has the parts that these need. Raises
        BadRequest.
        """
        source = self if parts is None else sliced(self, parts)
        named = None if parts is None else ",".join(part.name for part in source.parts)
        options = (("parts", named), ("form", form), ("codec", codec))
        how = " ".join(
            ["searchbench convert", *(f"--{name} {quote(value)}" for name, value in options if value is not None)]
        )
        if form is not None and form != WHOLE and missing_needs(source):
            raise BadRequest(
                f"form {form!r} leaves out values that follow from other parts; this slice lacks some of them: keep it in the "
                f"form values, or take --parts {','.join(closed_under_needs(source))}"
            )
        source.save(path, f"{self.command}; {how}" if self.command else how, overwrite, form=form, codec=codec)
        return Database.open(path, self.game)

    @classmethod
    def open(
        cls,
        path: str | Path,
        game: WhichGame = None,
        rule: ValueRule | None = None,
        cache: str | int = "64MB",
        trust: bool = False,
    ) -> Database:
        """Open a database on disk; see :func:`searchbench.store.open_database`."""
        from searchbench.store.opening import open_database

        return open_database(path, game, rule, cache, trust)

    def verify(
        self, run: Run | None = None, limit: int = 100, work: str | Path | None = None, parts: str | None = None
    ) -> Report:
        """Check every value forwards, by the rules alone; see :func:`searchbench.verify.verify_database`."""
        refuse_slice(self, "verified")
        target = self.game.quickest_target
        found: Report = _verify(self, run, limit, target, None if work is None else Path(work), parts)
        return found

    def repair(self, run: Run | None = None, limit: int = 100) -> Repair:
        """Repair wrong or unreadable values; see :func:`searchbench.repairs.repair_database`."""
        found: Repair = _repair(self, run, limit, self.game.quickest_target)
        return found

    def answer_from(self, codes: Codes) -> None:
        """Replace the codes by other codes of the same parts."""
        self.store.close()
        self.store = codes

    def close(self) -> None:
        """Release the files of a database on disk, and remove those that nobody asked to keep."""
        self.store.close()
        if self.scratch is not None:
            self.scratch.cleanup()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    # --- internals ---------------------------------------------------------------------------------------------------

    def part(self, name: str) -> Part:
        """Return the part with a name. Raises BadRequest."""
        for part in self.parts:
            if part.name == name:
                return part
        raise BadRequest(f"{self.game} has no part {name!r}; there are {self._part_names()}")

    def _part_names(self) -> str:
        return ", ".join(part.name for part in self.parts)

    def read(self, part: Part, first: int, stop: int) -> Array:
        """Return the stored codes of the numbers first .. stop - 1, which all lie in `part`."""
        return self.store.read(part, first, stop)

    def bits(self, part: Part, first: int, stop: int) -> Array:
        """Return a bit per number first .. stop - 1 of `part`, set for positions with a code other than 0.

        Eight bits to a byte, lowest bit first.
        """
        if isinstance(self.store, BitReader):
            return self.store.bits(part, first, stop)
        return bits_of_codes(self.store.read(part, first, stop))

    def part_counts(self, part: Part) -> dict[int, int]:
        """Return how often each stored code occurs in a part, including the mark of numbers that are no position."""
        return self.store.counts(part)

    def _counts(self, part: str | None = None) -> dict[int, int]:
        counts: dict[int, int] = {}
        for one in self.parts if part is None else [self.part(part)]:
            for code, count in self.store.counts(one).items():
                counts[code] = counts.get(code, 0) + count
        counts.pop(self.illegal, None)
        return counts

    def _by_value(self, counts: Mapping[int, int]) -> dict[Value, int]:
        """Return counts of codes as counts of the values that they stand for, in order."""
        found: dict[Value, int] = {}
        for code, count in counts.items():
            value = self.rule.decode(code)
            found[value] = found.get(value, 0) + count
        return {value: found[value] for value in in_order(found)}

    def _codes_of(self, numbers: Array) -> Array:
        """Return the codes of numbers in order that lie not far from each other; of depths modulo 3 or 4, the whole ones."""
        if self.modulus:
            return Tracer(self).codes(numbers)
        codes = np.zeros(len(numbers), self.dtype)
        for part in self.parts:
            first, stop = np.searchsorted(numbers, (part.start, part.stop))
            if first < stop:
                here = numbers[first:stop]
                codes[first:stop] = self.store.read(part, int(here[0]), int(here[-1]) + 1)[here - here[0]]
        return codes

    def _pieces(self, first: int, stop: int) -> Iterator[tuple[int, Array]]:
        for part in self.parts:
            yield from self._pieces_of(part, first, stop)

    def _pieces_of(self, part: Part, first: int, stop: int) -> Iterator[tuple[int, Array]]:
        for start in range(max(first, part.start), min(stop, part.stop), PIECE):
            yield start, self.store.read(part, start, min(start + PIECE, stop, part.stop))

    def _fitting(self, wanted: Callable[[Value], bool] | None, first: int, stop: int) -> Iterator[Array]:
        """Yield, in order, the numbers of positions that have a wanted value."""
        if wanted is None:
            for start, codes in self._pieces(first, stop):
                yield np.flatnonzero(codes != self.illegal) + start
            return
        in_parts = [[code for code in self._counts(part.name) if wanted(self.rule.decode(code))] for part in self.parts]
        if self.modulus:
            yield from self._fitting_depths(sorted({code for codes in in_parts for code in codes}), first, stop)
            return
        for part, codes_wanted in zip(self.parts, in_parts, strict=True):
            for start, codes in self._pieces_of(part, first, stop) if codes_wanted else ():
                yield np.flatnonzero(np.isin(codes, codes_wanted)) + start

    def _fitting_depths(self, codes_wanted: list[int], first: int, stop: int) -> Iterator[Array]:
        """Yield the numbers of positions with depths modulo 3 or 4: list small layers, trace the others back to the start."""
        few = self.facts.get("few", {})
        if all(code and str(code - 1) in few for code in codes_wanted):
            listed = sorted(number for code in codes_wanted for number in few[str(code - 1)])
            yield np.array([number for number in listed if first <= number < stop], np.int64)
            return
        tracer = Tracer(self)
        residues = sorted({1 + (code - 1) % self.modulus if code else 0 for code in codes_wanted})
        for start, codes in self._pieces(first, stop):
            numbers = np.flatnonzero(np.isin(codes, residues)) + start
            for place in range(0, len(numbers), TRACED):
                some = numbers[place : place + TRACED]
                yield some[np.isin(tracer.codes(some), codes_wanted)]

    def _range(self, numbers: tuple[int, int] | None) -> tuple[int, int]:
        if numbers is None:
            return 0, self.size
        first, stop = numbers
        if not 0 <= first <= stop <= self.size:
            raise BadRequest(f"numbers {first} to {stop}: expected 0 <= first <= stop <= {self.size}")
        return first, stop

    def _wanted(self, value: Any) -> Callable[[Value], bool] | None:
        if value is None:
            return None
        if isinstance(value, str):
            return self.rule.parse(value)
        if callable(value):
            return lambda found: bool(value(found))
        return lambda found: bool(found == value)

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call a slot of the game or of the value rule, interpreted."""
        return jit.bind(slot_named(name), self.game.names(self.rule, "interpreted"))(*arguments)
