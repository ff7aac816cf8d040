"""How much room a database takes in each form and by each codec, and the cost of a probe there (Gasser 1995, section 5.5)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from searchbench.errors import BadRequest
from searchbench.index.protocol import Part
from searchbench.store import Database
from searchbench.store.codecs import parse_codec
from searchbench.store.header import DOCUMENT, codes_path
from searchbench.store.reductions import BEST_MOVE, EVERY, PARITY
from searchbench.store.writing import asked_for

FORMS: Final = ("values", "filled", "every:2", "every:4", "best-move", "base-3", "two-bit", "one-bit", "parity")
CODECS: Final = ("zstd:3", "zstd:19")
READ: Final = 1 << 20
"""How many codes are read at a time."""
LONGEST: Final = 5.0
"""The seconds after which no more probes are measured."""


class Size(NamedTuple):
    """Hold the room of a part in a form: its numbers, and the bytes of its codes."""

    numbers: int
    bytes: int

    @property
    def factor(self) -> float:
        """Return how many times smaller that is than a byte for each number."""
        return self.numbers / max(1, self.bytes)


class Kept(NamedTuple):
    """Hold the results of a form and a codec: the size of each part, and CPU microseconds of a probe.

    `random` is one probe of a random number, its chunk read if need be; `sequential` is one number of all, read in order.
    """

    form: str
    codec: str
    parts: dict[str, Size]
    random: float
    sequential: float

    @property
    def whole(self) -> Size:
        """Return the size of all parts together."""
        return Size(sum(size.numbers for size in self.parts.values()), sum(size.bytes for size in self.parts.values()))


def restricted(database: Database, names: Sequence[str], form: str) -> Database:
    """Return a database of some parts, and of all parts that these need where a form searches. Raises BadRequest."""
    searches = form.partition(":")[0] in (EVERY, BEST_MOVE, PARITY)
    found, queue = set(), [database.part(name).name for name in names]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += database.part(name).needs if searches else ()
    parts = [part for part in database.parts if part.name in found]
    return Database(database.game, database.rule, database.store, path=database.path, parts=parts)


def fitting(database: Database, forms: Sequence[str]) -> list[str]:
    """Return those of some forms that can hold the values of a database."""
    found = []
    for form in forms:
        try:
            asked_for(database, form)
        except BadRequest:
            continue
        found.append(form)
    return found


def measure(
    database: Database,
    forms: Sequence[str] = (),
    codecs: Sequence[str] = CODECS,
    parts: Sequence[str] = (),
    probes: int = 1000,
) -> Iterator[Kept]:
    """Keep a database in each form (by default all that fit) and by each codec, in a temporary folder, and measure.

    With `parts` only these are told of. Raises BadRequest.
    """
    told = [database.part(name) for name in parts] if parts else list(database.parts)
    numbers = _positions(database, told, probes)
    for codec in codecs:
        parse_codec(codec)
    for form in forms or fitting(database, FORMS):
        asked_for(database, form)
        chosen = restricted(database, parts, form) if parts else database
        for codec in codecs:
            with TemporaryDirectory(prefix="searchbench-") as scratch:
                path = Path(scratch) / "kept"
                chosen.save(path, form=form, codec=codec)
                sizes = {part.name: Size(part.size, _bytes_of(path, part)) for part in told}
                random, sequential = _random(path, chosen, numbers), _sequential(path, chosen)
            yield Kept(form, codec, sizes, random, sequential)


def _bytes_of(path: Path, part: Part) -> int:
    files = (path / codes_path(part.name)).rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file() and file.name != DOCUMENT)


def _positions(database: Database, parts: Sequence[Part], count: int) -> list[int]:
    """Return random numbers of positions, the same at each call."""
    choose = Random(1)
    found: list[int] = []
    while len(found) < count:
        part = choose.choices(parts, [part.size for part in parts])[0]
        number = choose.randrange(part.start, part.stop)
        if database.residue(number) != database.illegal:
            found.append(number)
    return found


def _random(path: Path, like: Database, numbers: Sequence[int]) -> float:
    with Database.open(path, like.game) as kept:
        kept.code(numbers[0])  # binds the rules, and finds the way to the files
        started = time.process_time()
        done = 0
        for number in numbers:
            kept.code(number)
            done += 1
            if time.process_time() - started > LONGEST:
                break
        return (time.process_time() - started) / done * 1e6


def _sequential(path: Path, like: Database) -> float:
    with Database.open(path, like.game) as kept:
        smallest = min(kept.parts, key=lambda part: part.size)
        kept.read(smallest, smallest.start, smallest.stop)  # compiles
    with Database.open(path, like.game) as kept:
        started = time.process_time()
        for part in kept.parts:
            for first in range(part.start, part.stop, READ):
                kept.read(part, first, min(first + READ, part.stop))
        return (time.process_time() - started) / sum(part.size for part in kept.parts) * 1e6
