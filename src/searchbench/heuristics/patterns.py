"""Use pattern databases as a heuristic: h is the largest of several sums over databases of abstractions of a game.

The bounds of the databases of a set add up. A set is looked up for the state, for its images under the symmetries of the
abstraction, and for those of its inverse. Numbers, values and sums are kept along the path, so a move costs one addition
and one look-up for each sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit, rules
from searchbench.abstraction import (
    Abstraction,
    Image,
    charged,
    joined_tables,
    moved_piece,
    pattern_rank,
    pattern_rank_after,
    pattern_rank_change,
)
from searchbench.errors import BadRequest
from searchbench.exchange.space import untouched
from searchbench.game import Game
from searchbench.heuristics.residues import digits_of_bytes, least_of_blocks, modulus_of, packed, per_byte
from searchbench.jit import inlined, prefetch_to_read, unsigned
from searchbench.rules import Move, State
from searchbench.store import Database

MOST: Final = 16
"""Most databases in a heuristic."""
MOST_IMAGES: Final = 1 << 10
"""More than any state has."""
LARGEST_BLOCK: Final = 64
FAR: Final = 1 << 40
"""The bound of a state with the code 0: no path leads from it to a solved state."""


class Lookup(NamedTuple):
    """A look-up: the database, the way to its number, and the pieces that change the number (None: all)."""

    database: int
    table: tuple[int, ...]
    pieces: frozenset[int] | None
    less: int
    """Subtracted from the value."""
    residues: bool
    """Whether the table has depths modulo a small number."""
    shared: tuple[int, ...] | None

    @property
    def image(self) -> Image:
        """Return the image to look up."""
        shared = None if self.shared is None else np.array(self.shared, np.int64)
        return Image(np.array(self.table, np.int64), self.pieces, self.less, shared)


class SeenAs(NamedTuple):
    """A database to look up for other pieces, which a symmetry of the game maps to its own.

    `pieces` is written as in the abstraction's own notation, such as "10-11-15-16-20-21".
    """

    database: Database
    pieces: str


class PatternDatabases:
    """Bound the cost of solving a state of `game` by databases of its abstractions.

    `sets` are lists of databases: bounds add up within a set, and h is the largest sum over the sets and over the state's
    images under the game's symmetries. One database serves several patterns that are symmetric to its own (`SeenAs`).
    `images` False uses no images; a number limits them, counting the state itself. `dual` looks up the inverse of the state,
    too. `modulo` keeps in memory only depths modulo the smallest number that determines them along moves (1.6 bits a state
    where moves can be taken back). `block` keeps only the least bound of each block of `block` numbers. `loaded` copies
    tables mapped from files into large pages of memory, for faster look-ups.
    Raises BadRequest for databases of another game, bounds that do not add up, a database that does not hold distances, or
    a switch that does not fit.
    """

    def __init__(
        self,
        game: Game,
        sets: Sequence[Sequence[Database | SeenAs]],
        images: bool | int = True,
        *,
        dual: bool = False,
        modulo: bool = False,
        block: int = 1,
        loaded: bool = False,
    ) -> None:
        self.databases = list({id(database): database for one in sets for database in map(_database, one)}.values())
        if not (all(sets) and 1 <= len(self.databases) <= MOST):
            raise BadRequest(f"{len(self.databases)} pattern databases: expected 1 to {MOST}, and no empty set")
        self.game = game
        first = _abstraction(self.databases[0])
        for database in self.databases:
            _check_database(database, game, first)
        for one in sets:
            _check_sum(one)
        self.modulus = max(modulus_of(database) if modulo or database.modulus else 0 for database in self.databases)
        _check_switches(self.databases, self.modulus, dual, block)
        self.block = block
        self._modulo, self._loaded = modulo, loaded
        self._tables = tuple(self._codes())
        self._sums = tuple(self._lookups(sets, MOST_IMAGES if images is True else max(1, int(images)), dual))
        together = tuple(_abstraction(database) for database in self.databases)
        self._names = _names(together, self._sums, self.modulus, block)
        self._image_number = jit.bind(pattern_rank, jit.Names(self._names, "interpreted"))

    def names(self) -> Mapping[str, Any]:
        """Return the functions that replace the game's own bound."""
        return self._names

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return the values of the look-ups of a state, and the codes of the databases.

        The state is the root of a search. With depths modulo 3, the first value is found by walking to the start of the
        abstraction; all others follow along moves.
        """
        values = np.zeros(sum(map(len, self._sums)), np.int64)
        if any(lookup.residues for one in self._sums for lookup in one):
            for place, lookup in enumerate(lookup for one in self._sums for lookup in one):
                database = self.databases[lookup.database]
                table, begins = joined_tables([lookup.image])
                number = int(self._image_number(list(state), table, begins[0]))
                values[place] = _value(database.code(number))
        return (values, *self._tables)

    def bound(self, state: Any = None) -> int:
        """Return h of a state, in any form that `Game.position` accepts."""
        names = self.game.names(target="interpreted").with_(**self._names)
        chosen = self.game.position(state).state
        return int(jit.bind(rules.h, names)(list(chosen), self.tables(chosen)))

    def _codes(self) -> Iterator[Any]:
        """Yield the table of each database, read-only like tables mapped from files."""
        for database in self.databases:
            if self._has_residues(database):
                codes = packed(database, self.modulus)
            else:
                codes = (least_of_blocks(database, self.block) if self.block > 1 else self._whole(database)).view()
            codes.flags.writeable = False
            yield codes

    def _whole(self, database: Database) -> Any:
        """Return all codes of a database."""
        if not self._loaded:
            return database.codes
        codes = untouched(database.size, database.dtype)
        np.copyto(codes, database.codes)
        return codes

    def _has_residues(self, database: Database) -> bool:
        return self._modulo or database.modulus != 0

    def _lookups(
        self, sets: Sequence[Sequence[Database | SeenAs]], images: int, dual: bool
    ) -> Iterator[tuple[Lookup, ...]]:
        """Yield the look-ups of each sum: for each set, each image of the state, and each image of its inverse."""
        places = {id(database): place for place, database in enumerate(self.databases)}
        for one in sets:
            found = [_images(source)[:images] for source in one]
            if dual:
                inverted = [_dual_images(source)[:images] for source in one]
                found = [[*plain, *others] for plain, others in zip(found, inverted, strict=True)]
            for image in range(min(map(len, found))):
                yield tuple(
                    _lookup(places[id(database)], of_one[image], self._has_residues(database))
                    for database, of_one in zip(map(_database, one), found, strict=True)
                )


def _lookup(place: int, image: Image, residues: bool) -> Lookup:
    shared = None if image.shared is None else tuple(image.shared.tolist())
    return Lookup(place, tuple(image.table.tolist()), image.pieces, image.moves, residues, shared)


def _value(code: int) -> int:
    """Return the value of a code."""
    return code - 1 if code else FAR


def _abstraction(database: Database) -> Abstraction:
    game = database.game
    if not isinstance(game, Abstraction):
        raise BadRequest(f"{database!r} is no pattern database: {game} is no abstraction of another game")
    return game


def _database(source: Database | SeenAs) -> Database:
    return source.database if isinstance(source, SeenAs) else source


def _images(source: Database | SeenAs) -> list[Image]:
    """Return the look-ups of a state and of its images."""
    abstraction = _abstraction(_database(source))
    return abstraction.images_of(source.pieces) if isinstance(source, SeenAs) else abstraction.images()


def _dual_images(source: Database | SeenAs) -> list[Image]:
    """Return the look-ups of the inverse of a state. Raises BadRequest."""
    if isinstance(source, SeenAs):
        raise BadRequest(f"dual: {source!r} is looked up for other pieces, not for those of an inverse state")
    return _abstraction(source).dual_images()


def _check_database(database: Database, game: Game, first: Abstraction) -> None:
    abstraction = _abstraction(database)
    if not abstraction.is_of(game):
        raise BadRequest(f"{database!r} bounds {abstraction.original()}, not {game}")
    if type(abstraction) is not type(first):
        raise BadRequest(
            f"{database!r} is of another kind than {first}: one heuristic looks up one kind of abstraction"
        )
    if not database.rule.bounds_cost or database.dtype != np.uint8:
        raise BadRequest(f"{database!r}: expected distances of one byte, or depths modulo 3")
    if abstraction.one_way and database.rule.from_start and not database.rule.shared:
        raise BadRequest(
            f"{database!r} has depths from the start, but moves go one way: distances bound the cost; "
            f"solve it with retrograde analysis"
        )


def _check_switches(databases: Sequence[Database], modulus: int, dual: bool, block: int) -> None:
    """Refuse switches that databases of this kind do not support."""
    if not 1 <= block <= LARGEST_BLOCK:
        raise BadRequest(f"blocks of {block} numbers: expected 1 to {LARGEST_BLOCK}")
    for database in databases:
        if modulus and block > 1:
            raise BadRequest(f"{database!r}: depths modulo {modulus} have no least one in a block of {block}")
        if modulus and database.modulus not in (0, modulus):
            raise BadRequest(
                f"{database!r} keeps depths modulo {database.modulus}, the other databases need modulo {modulus}"
            )
        abstraction = _abstraction(database)
        if dual and abstraction.one_way:
            raise BadRequest(
                f"{abstraction} has moves that go one way: the inverse of a state is not as far as the state"
            )
    if dual and not any(_abstraction(database).dual_images() for database in databases):
        raise BadRequest(f"dual: {_abstraction(databases[0])} does not tell how the inverse of a state is looked up")
    if dual and modulus:
        raise BadRequest(
            f"dual: the bound of an inverse changes by any amount with a move, so depths modulo {modulus} do not tell it"
        )


def _check_sum(sources: Sequence[Database | SeenAs]) -> None:
    """Refuse to add bounds that charge for the same piece or move."""
    seen: set[Any] = set()
    for source in sources if len(sources) > 1 else ():
        pieces = charged(_images(source))
        if pieces is None:
            raise BadRequest(
                f"{source!r} charges for every move: its bound can only be compared with others, not added"
            )
        if seen & pieces:
            raise BadRequest(f"{source!r}: {sorted(seen & pieces)} is charged for twice: the bounds do not add up")
        seen |= pieces


@lru_cache(maxsize=32)
def _names(
    together: tuple[Abstraction, ...], sums: tuple[tuple[Lookup, ...], ...], modulus: int, block: int
) -> Mapping[str, Any]:
    """Return the functions for some sums of look-ups in databases of some abstractions.

    A row of `carried` has the number of each look-up, its value, and the total of each sum.
    """
    lookups = [lookup for one in sums for lookup in one]
    count, of_sums = len(lookups), len(sums)
    table, places = joined_tables([lookup.image for lookup in lookups])
    begins = np.array(places)
    first = np.cumsum([0, *map(len, sums)])
    databases = np.array([lookup.database for lookup in lookups], np.int64)
    less = np.array([lookup.less for lookup in lookups], np.int64)
    residues = np.array([lookup.residues for lookup in lookups], np.bool_)
    byte_of, fetch = _readers(1 + max(lookup.database for lookup in lookups))
    own = together[0].look_ups(together)
    digits, in_byte = digits_of_bytes(max(modulus, 2)), per_byte(max(modulus, 2))
    owners: Any = _owners(sums) if "moved_piece" in own else None
    width = 0 if owners is None else owners.shape[1]  # no database covers the pieces beyond
    begins_of, databases_of = (begins[owners], databases[owners]) if owners is not None else (begins, databases)

    h_state_size = 2 * count + of_sums

    @inlined
    def value_of(tables: Any, lookup: int, number: int, before: int) -> int:
        """Return the value of a look-up; one stored modulo a number follows from the value before the move."""
        if residues[unsigned(lookup)]:
            digit = digits[byte_of(tables, databases[unsigned(lookup)], number // in_byte), number % in_byte]
            return before + (digit - before + 1) % modulus - 1  # type: ignore[no-any-return]
        code = byte_of(tables, databases[unsigned(lookup)], number // block)
        return code - 1 if code != 0 else FAR

    def h_init(state: State, tables: Any, carried: Any, row: int) -> int:
        best = 0
        for one in range(of_sums):
            total = 0
            for lookup in range(first[one], first[one + 1]):
                number = pattern_rank(state, table, begins[lookup])
                value = value_of(tables, lookup, number, tables[0][lookup])
                carried[row, lookup] = number
                carried[row, count + lookup] = value
                total += value - less[lookup]
            carried[row, 2 * count + one] = total
            best = max(best, total)
        return int(best)

    def h(state: State, tables: Any) -> int:
        return h_init(state, tables, np.zeros((1, 2 * count + of_sums), np.int64), 0)

    @inlined
    def by_step(state: State, move: Move, number: int, begin: int) -> int:
        return number + pattern_rank_change(state, move, table, begin)

    @inlined
    def at_once(state: State, move: Move, number: int, begin: int) -> int:
        return pattern_rank_after(number, state, move, table, begin)

    number_after = at_once if "pattern_rank_after" in own else by_step

    @inlined
    def keep(carried: Any, row: int, after: int) -> None:
        for column in range(2 * count + of_sums):
            carried[unsigned(after), unsigned(column)] = carried[unsigned(row), unsigned(column)]

    @inlined
    def ask(
        state: State, move: Move, tables: Any, lookup: int, begin: int, database: int, carried: Any, row: int,
        after: int,
    ) -> None:  # fmt: skip
        """Update the number of a look-up by a move, and prefetch its value."""
        number = number_after(state, move, carried[unsigned(row), unsigned(lookup)], begin)
        carried[unsigned(after), unsigned(lookup)] = number
        fetch(tables, database, number // in_byte if residues[unsigned(lookup)] else number // block)

    @inlined
    def change(tables: Any, lookup: int, carried: Any, row: int, after: int) -> int:
        """Store the value of a look-up whose number has changed; return the change of the sum."""
        before = carried[unsigned(row), unsigned(count + lookup)]
        value = value_of(tables, lookup, carried[unsigned(after), unsigned(lookup)], before)
        carried[unsigned(after), unsigned(count + lookup)] = value
        return int(value - before)

    @inlined
    def h_prefetch(state: State, move: Move, tables: Any, carried: Any, row: int, after: int) -> None:
        keep(carried, row, after)
        for lookup in range(count):
            ask(state, move, tables, lookup, begins[lookup], databases[lookup], carried, row, after)

    @inlined
    def h_update(
        state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        best = 0
        for one in range(of_sums):
            total = carried[unsigned(row), unsigned(2 * count + one)]
            for lookup in range(first[one], first[one + 1]):
                if carried[unsigned(after), unsigned(lookup)] != carried[unsigned(row), unsigned(lookup)]:
                    total += change(tables, lookup, carried, row, after)
            carried[unsigned(after), unsigned(2 * count + one)] = total
            best = max(best, total)
            if best > most:
                break
        return int(best)

    @inlined
    def h_ready_of_piece(state: State, move: Move, tables: Any, carried: Any, row: int, after: int) -> None:
        keep(carried, row, after)
        piece = moved_piece(state, move)
        for one in range(of_sums):
            if piece < width and owners[unsigned(one), unsigned(piece)] >= 0:
                lookup = owners[unsigned(one), unsigned(piece)]
                begin, database = (
                    begins_of[unsigned(one), unsigned(piece)],
                    databases_of[unsigned(one), unsigned(piece)],
                )
                ask(state, move, tables, lookup, begin, database, carried, row, after)

    @inlined
    def h_next_of_piece(
        state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        piece = moved_piece(state, move)
        best = 0
        for one in range(of_sums):
            total = carried[unsigned(row), unsigned(2 * count + one)]
            if piece < width and owners[unsigned(one), unsigned(piece)] >= 0:
                total += change(tables, owners[unsigned(one), unsigned(piece)], carried, row, after)
                carried[unsigned(after), unsigned(2 * count + one)] = total
            best = max(best, total)
            if best > most:
                break
        return int(best)

    functions: dict[str, Any] = {
        "H_STATE_SIZE": h_state_size, "ORDER_BY_H": True, "H_PREFETCHES": True, "h": h, "h_init": h_init,
        "h_prefetch": h_prefetch if owners is None else h_ready_of_piece,
        "h_update": h_update if owners is None else h_next_of_piece,
    }  # fmt: skip
    return {**functions, **own}


def _owners(sums: tuple[tuple[Lookup, ...], ...]) -> Any:
    """Return for each sum and piece the look-up that the piece's moves change, -1 for none; None if unknown."""
    pieces = [lookup.pieces for one in sums for lookup in one]
    if None in pieces:
        return None
    found = np.full((len(sums), 1 + max(piece for some in pieces for piece in some or ())), -1, np.int64)
    number = 0
    for place, one in enumerate(sums):
        for lookup in one:
            found[place, list(lookup.pieces or ())] = number
            number += 1
    return found


def _readers(databases: int) -> tuple[Callable[[Any, int, int], int], Callable[[Any, int, int], None]]:
    """Return two functions that read and prefetch a byte of one of `databases` tables, which follow the root's values."""

    @inlined
    def read_first(tables: Any, _database: int, number: int) -> int:
        return int(tables[1][unsigned(number)])

    @inlined
    def fetch_first(tables: Any, _database: int, number: int) -> None:
        prefetch_to_read(tables[1], number)

    found: Any = (read_first, fetch_first)
    for place in range(1, databases):
        found = _one_more(place, *found)
    read, fetch = found
    return read, fetch


def _one_more(
    database: int, read_others: Callable[[Any, int, int], int], fetch_others: Callable[[Any, int, int], None]
) -> tuple[Callable[[Any, int, int], int], Callable[[Any, int, int], None]]:
    column = 1 + database

    @inlined
    def read(tables: Any, wanted: int, number: int) -> int:
        if wanted == database:
            return int(tables[column][unsigned(number)])
        return read_others(tables, wanted, number)

    @inlined
    def fetch(tables: Any, wanted: int, number: int) -> None:
        if wanted == database:
            prefetch_to_read(tables[column], number)
        else:
            fetch_others(tables, wanted, number)

    return read, fetch
