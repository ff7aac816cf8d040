"""Write a database: a Zarr v3 group with an array of codes and one of digests for each part."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.errors import BadRequest
from searchbench.exchange.ranks import current, meet
from searchbench.index.protocol import Part
from searchbench.store import header as head
from searchbench.store.arrays import ArrayFiles, create_group
from searchbench.store.codecs import PLAIN, ZSTD, Codec
from searchbench.store.codes import as_type, in_order, type_for
from searchbench.store.folder import replaced_folder
from searchbench.store.forms import BASE_FIVE, BASE_FOUR, BASE_THREE, ONE_BIT, TWO_BIT, VALUES, Form
from searchbench.store.numbering import write_numbering
from searchbench.store.pairs import PairReader
from searchbench.store.reducing import ReducedCodes
from searchbench.store.reductions import KeptForm, wanted

if TYPE_CHECKING:
    from searchbench.store.database import Database
    from searchbench.values import Value


@dataclass(frozen=True)
class Layout:
    """How many codes a chunk has (the unit of reading), and how chunks are distributed over files.

    A part of more than `files` chunks is stored in shards: files of `shard` chunks each. Without compression, a part of
    one chunk is a file that can be mapped into memory.
    """

    chunk: int = 1 << 16
    files: int = 4096
    shard: int = 256
    codec: Codec = ZSTD


PACKED: Final = 1 << 18
"""Stored numbers packed at a time: they and their codes fit a core's cache."""
WRITERS: Final = 2
"""Number of threads that pack, compress and write."""
DEFAULT: Final = Layout()
OF_BITS: Final = Layout(chunk=1 << 17, files=16, shard=32)
"""Chosen by the measurements in docs/database-format.md; OF_BITS is for the form one-bit, whose parts may be huge."""
MAPPED: Final = Layout(chunk=1 << 60, codec=PLAIN)
"""One uncompressed file per part, as in memory: look-ups read no more than they need."""


def write_database(
    database: Database,
    path: Path,
    command: str = "",
    overwrite: bool = False,
    layout: Layout | None = None,
    form: str | None = None,
    codec: Codec | None = None,
) -> None:
    """Write a database into a folder that appears complete or not at all.

    `form` selects the stored form (see :mod:`searchbench.store.reductions`), by default all values in the smallest
    packing. Raises BadRequest.
    """
    _check_parts(database)
    check_target(path, overwrite)
    chosen = None if form is None else asked_for(database, form)
    try:
        with replaced_folder(path) as folder:
            write_group(database, folder, command, layout, chosen, codec)
    except OSError as error:
        raise BadRequest(f"{path}: the database cannot be written there: {error}") from error


def check_target(path: Path, overwrite: bool) -> None:
    """Refuse to overwrite anything but a database, and that only on request."""
    check_place(path)
    if path.is_symlink():
        raise BadRequest(
            f"{path} is a link to {path.readlink()}, which is left alone: name the place itself, or another one"
        )
    if not path.exists():
        return
    if not is_database(path):
        raise BadRequest(f"{path} exists and is no searchbench database: it is left alone; choose another place")
    if not overwrite:
        raise BadRequest(
            f"{path} holds a database already: --force (overwrite=True in Python) replaces it; or choose another place"
        )


def make_parents(path: Path) -> None:
    """Make the folder in which something is to be kept, and those around it. Raises BadRequest."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"{path}: the folder {path.parent} cannot be made: {error.strerror}") from None


def check_place(path: Path) -> None:
    """Refuse, before any work is done, a place where nothing can be written, or where it would damage a database."""
    refuse_within_database(path)
    if not path.parent.is_dir():
        raise BadRequest(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadRequest(f"{path}: nothing can be written in the folder {path.parent.absolute()}")


def refuse_within_database(path: Path) -> None:
    """Refuse a place in the folder of a database: what lies there and is not its own makes it one that was altered."""
    around = (
        folder
        for parent in (path.absolute().parent, Path(os.path.realpath(path.parent)))
        for folder in (parent, *parent.parents)
    )
    database = next(filter(is_database, around), None)
    if database is not None:
        raise BadRequest(f"{path} lies in the database {database}, which has nothing but its own: choose another place")


def is_database(path: Path) -> bool:
    """Tell whether a folder, or one that a link leads to, claims to be a database, damaged or not."""
    if not path.is_dir():
        return False
    try:
        return head.KEY in json.loads((path / head.DOCUMENT).read_bytes())["attributes"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def has_torn_header(path: Path) -> bool:
    """Tell whether a folder has a header of which nobody can say whether it is a database's."""
    try:
        json.loads((path / head.DOCUMENT).read_bytes())
    except OSError:
        return False
    except ValueError:
        return True
    return False


def _check_parts(database: Database) -> None:
    """Refuse parts with gaps or overlaps; only a database solved by parts may lack some of the game's parts."""
    end = 0
    solved_by_parts = len(database.parts) < len(database.game.parts())
    for part in sorted(database.parts, key=lambda part: (part.start, part.stop)):
        if part.start < end or (part.start > end and not solved_by_parts):
            raise BadRequest(f"{database.game}: part {part.name!r} starts at {part.start}, expected {end}")
        end = part.stop
    if len({part.name for part in database.parts}) < len(database.parts):
        raise BadRequest(f"{database.game}: two parts have the same name")


def asked_for(database: Database, form: str) -> KeptForm:
    """Return the stored form that a name asks for. Raises BadRequest if it does not fit the values."""
    if database.modulus:
        raise BadRequest(
            f"form {form!r}: depths modulo {database.modulus} have a fixed form; choose another codec instead"
        )
    return wanted(form, database.game, database.rule)


def write_group(
    database: Database,
    folder: Path,
    command: str,
    layout: Layout | None,
    chosen: KeptForm | None = None,
    codec: Codec | None = None,
) -> None:
    """Write the group into an empty folder."""
    create_group(folder)
    form = chosen.form if chosen is not None else form_for(database)
    layout = layout or (OF_BITS if form is ONE_BIT else DEFAULT)
    layout = layout if codec is None else replace(layout, codec=codec)
    kept = database
    if chosen is not None and chosen.reduction is not None:
        codes = ReducedCodes(database, chosen)
        kept = type(database)(database.game, codes.rule, codes, database.facts, command, parts=database.parts)
    narrow = chosen is not None or len(database.parts) < len(database.game.parts())
    parts = tuple(write_part(folder, kept, part, layout, form, narrow and form is VALUES) for part in kept.parts)
    header = header_of(kept, parts, layout, form, kept.facts, command, folder)
    write_header(folder, replace(header, index=write_numbering(folder, kept.game)))


def header_of(
    database: Database, parts: tuple[head.PartRecord, ...], layout: Layout, form: Form, facts: dict[str, Any],
    command: str, folder: Path,
) -> head.Header:  # fmt: skip
    """Return the header for parts of a database written into `folder` or a sibling of it."""
    game, rule = database.game, database.rule
    reduced = database.store if isinstance(database.store, ReducedCodes) else None
    counts: dict[Value, int] = {}
    for record in parts:
        illegal = int(np.iinfo(record.dtype).max) if record.dtype and not reduced else database.illegal
        for code, count in record.counts:
            if code != illegal:
                counts[rule.decode(code)] = counts.get(rule.decode(code), 0) + count
    return head.Header(
        game=head.described(game, folder),
        rule=rule.identity(),
        fingerprints=head.fingerprints(game, rule),
        versions=head.versions(),
        dtype=(reduced.header_type if reduced else _stored_type(database, form)).name,
        chunk=layout.chunk,
        states=sum(counts.values()),
        reachable=sum(count for value, count in counts.items() if value is not None),
        histogram={rule.format(value): counts[value] for value in in_order(counts)},
        parts=parts,
        facts=facts,
        command=command,
        form=form.name,
        modulus=database.modulus,
        codec=str(layout.codec),
        reduction=reduced.reduction.as_dict() if reduced else {},
    )


def write_header(folder: Path, header: head.Header) -> None:
    """Write the header of a database whose parts are written: atomically, with the digest of all metadata."""
    document = head.read_document(folder / head.DOCUMENT)
    document["attributes"] = header.attributes()
    document["attributes"][head.KEY]["digest"] = head.metadata_digest(folder, document)
    _replace_document(folder, document)


def begin(folder: Path) -> None:
    """Mark a folder as a database without parts, so that work can resume if this writer is killed."""
    if not (folder / head.DOCUMENT).exists():
        _replace_document(folder, {"zarr_format": 3, "node_type": "group", "attributes": {head.KEY: head.BEGUN}})


def _replace_document(folder: Path, document: Any) -> None:
    fresh = folder.parent / f".{folder.name}.header.partial"
    try:
        with fresh.open("w") as file:
            json.dump(document, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, folder / head.DOCUMENT)
    finally:
        fresh.unlink(missing_ok=True)


def form_for(database: Database) -> Form:
    """Return the smallest form.

    Whole values are stored as they are, or in a bit if no part has more than one code besides 0; depths modulo 3 in 2
    bits or, if every state is reached, in 1.6; depths modulo 4 in 2.7 bits or, if every state is reached, in 2.
    Compression follows.
    """
    if isinstance(database.store, PairReader):
        return TWO_BIT
    if not database.modulus:
        codes = [set(database.part_counts(part)) for part in database.parts]
        simple = all(len(found - {0}) <= 1 and database.illegal not in found for found in codes)
        return ONE_BIT if simple else VALUES
    full = database.reachable == database.size
    if database.modulus == 4:
        return BASE_FOUR if full else BASE_FIVE
    return BASE_THREE if full else TWO_BIT


def _stored_type(database: Database, form: Form) -> np.dtype[Any]:
    return database.dtype if form is VALUES else np.dtype(np.uint8)


def _stored(database: Database, part: Part, first: int, stop: int, form: Form) -> npt.NDArray[Any]:
    """Return the stored numbers first .. stop - 1 of a part, packing PACKED at a time."""
    if form is ONE_BIT:
        return database.bits(part, *_codes_of(part, first, stop, form))
    if form is TWO_BIT and isinstance(database.store, PairReader):
        return database.store.packed(part, first, stop)
    pieces = [
        form.packed(database.read(part, *_codes_of(part, some, min(some + PACKED, stop), form)))
        for some in range(first, stop, PACKED)
    ]
    return np.concatenate(pieces)


def _codes_of(part: Part, first: int, stop: int, form: Form) -> tuple[int, int]:
    """Return the interval of the number line that stored numbers cover."""
    return part.start + first * form.per_unit, part.start + min(stop * form.per_unit, part.size)


def step_of(part: Part, layout: Layout, form: Form) -> int:
    """Return how many stored numbers of a part are written at a time, into files of their own: by one thread, of one rank."""
    chunk = head.chunk_of(part, layout.chunk, form)
    return chunk * (layout.shard if form.units(part.size) > chunk * layout.files else 64)


def own_steps(units: int, step: int, rank: int, count: int) -> range:
    """Return the first stored numbers of the steps that a rank writes."""
    return range(0, units, step)[rank::count]


def write_part(
    folder: Path, database: Database, part: Part, layout: Layout, form: Form, narrow: bool = False
) -> head.PartRecord:
    """Write the codes of a part and their digests; if `narrow`, in the smallest data type.

    Ranks write every so many steps each, and all return the record.
    """
    units = form.units(part.size)
    chunk = head.chunk_of(part, layout.chunk, form)
    per_file = layout.shard if units > chunk * layout.files else 1
    counts = database.part_counts(part)
    dtype = _stored_type(database, form)
    if narrow and isinstance(database.store, ReducedCodes):
        dtype = database.store.stored_type(part)
    elif narrow:
        dtype = type_for(max((code for code in counts if code != database.illegal), default=0))
    ranks = current()
    fill = int(np.iinfo(dtype).max) if form is VALUES else 0
    codes = ArrayFiles(folder / head.codes_path(part.name), (units,), dtype, chunk, per_file, fill, layout.codec)
    if ranks.rank == 0:
        codes.create()
    meet()
    step = step_of(part, layout, form)

    def write(first: int) -> npt.NDArray[np.uint64]:
        piece = as_type(_stored(database, part, first, min(first + step, units), form), dtype)
        codes.write(first, piece)
        return head.chunk_digests(piece, chunk)

    with ThreadPoolExecutor(WRITERS) as pool:
        mine = list(pool.map(write, own_steps(units, step, ranks.rank, ranks.count)))
    written = ranks.gather(mine)
    steps = [written[place % ranks.count][place // ranks.count] for place in range(sum(map(len, written)))]
    digests = np.concatenate([np.empty(0, np.uint64), *steps])
    if ranks.rank == 0:
        path = folder / head.digests_path(part.name)
        kept = ArrayFiles(path, digests.shape, digests.dtype, max(1, len(digests)), codec=layout.codec)
        kept.create()
        kept.write(0, digests)
    meet()
    if narrow and database.illegal in counts and not isinstance(database.store, ReducedCodes):
        counts[int(np.iinfo(dtype).max)] = counts.pop(database.illegal)
    return head.PartRecord(
        part.name, part.start, part.stop, part.needs, tuple(counts.items()), head.digest_of(digests),
        dtype.name if narrow else "",
    )  # fmt: skip
