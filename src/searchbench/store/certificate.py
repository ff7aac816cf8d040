"""A certificate: a proof in one file, whose strategies a checker replays (docs/certificate-format.md).

The file has a first line with its format and a digest of the header, a header in JSON, and a compressed body: for each claim
its states, sorted, and a move for each. Nothing that is read is trusted before it is checked.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench.catalogue import WhichGame
from searchbench.errors import BadRequest, DamagedData, LimitReached, SearchBenchError
from searchbench.game import Game
from searchbench.late import late
from searchbench.proof import Claim, Proof, Strategy, outcome_text
from searchbench.store import header as head
from searchbench.store.database import Database
from searchbench.store.folder import replaced_file
from searchbench.store.opening import find_game, open_database
from searchbench.store.writing import check_place

MAGIC: Final = b"searchbench-certificate"
SUFFIX: Final = ".cert"
"""How the files are named, if they are named as usual."""
FORMAT: Final = 1
_FIRST_LINE: Final = re.compile(rb"searchbench-certificate (\d{1,6}) (\d{1,9}) ([0-9a-f]{64})\n")
_LONGEST_FIRST_LINE: Final = 128
_LARGEST_BODY: Final = 1 << 40
_READER_MEMORY: Final = 256 << 20
"""Memory that decompression may take besides the body itself."""
_LARGEST_WINDOW: Final = 64 << 20
_ROWS: Final = 1 << 14
"""Rows compared at a time."""
_NUMBERS: Final = re.compile(r"\[[\s\d,-]+\]")
_SIZES: Final = (1, 2, 4, 8)
_DRAWN_REPETITION: Final = "play under a claim of a win ends; endless play is a draw"
_TOLD_REPETITION: Final = (
    "endless play has the outcome that the rule `repetition` tells; under a claim of more, play ends"
)

_verify = late("searchbench.verify.certificate:verify_certificate")


@dataclass(frozen=True)
class DatabaseLeaf:
    """A database that knows the outcomes at which play may end: its game, the digest of its metadata, the parts in use."""

    game: str
    digest: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Certificate:
    """A proof that was read from a file, or is to be written to one.

    `facts` are what else the header tells: `searchbench` (its version), `method`, `fingerprint` and `versions` of the rules
    when it was made, and the sizes of the file. Nothing rests on them.
    """

    game: Game
    root: tuple[int, ...]
    claims: tuple[Claim, ...]
    database: DatabaseLeaf | None = None
    facts: dict[str, Any] = field(default_factory=dict, repr=False)
    path: Path | None = None

    @property
    def records(self) -> int:
        """Return the number of records of all claims."""
        return sum(len(claim.strategy) for claim in self.claims)

    @property
    def bounds(self) -> tuple[int, int]:
        """Return the outcomes between which the claims put the root, for the player to move."""
        lower = max([-1, *(claim.bound for claim in self.claims if claim.player == 0)])
        return lower, -max([-1, *(claim.bound for claim in self.claims if claim.player == 1)])

    @property
    def value(self) -> str:
        """Return "win", "draw" or "loss" for the player to move; a range such as "draw or win" if open."""
        return outcome_text(*self.bounds)

    @property
    def claim(self) -> str:
        """Return all claims together in words."""
        first, second = ("first player", "second player") if self.of_the_start else ("player to move", "other player")
        lower, upper = self.bounds
        if lower == upper:
            return {1: f"{first} wins", 0: "draw", -1: f"{second} wins"}[lower]
        return f"{self.value} for the {first}"

    @property
    def of_the_start(self) -> bool:
        """Return whether the root is the game's start."""
        return self.root == tuple(self.game.start())

    @property
    def notion(self) -> str:
        """Return "weak" if the claims tell the game's value, with strategies (Allis 1994, section 1.5); else "position"."""
        lower, upper = self.bounds
        return "weak" if self.of_the_start and lower == upper else "position"

    @property
    def leaf_kinds(self) -> tuple[str, ...]:
        """Return what may end a line of play: "terminal", "record", "forced sequence", "database"."""
        forced = ("forced sequence",) if any(claim.forced for claim in self.claims) else ()
        threats = ("win by threats",) if any(claim.threats for claim in self.claims) else ()
        return ("terminal", "record", *forced, *threats, *(("database",) if self.database is not None else ()))

    @property
    def proof(self) -> Proof:
        """Return the proof, without a database at its leaves."""
        lower, upper = self.bounds
        at_most = None if lower == upper else upper
        return Proof(
            self.game, self.root, lower, str(self.facts.get("method", "")), self.claims, facts={}, at_most=at_most
        )

    def verify(self, leaves: Any = None, run: Any = None, **options: Any) -> Any:
        """Check the certificate by the rules alone; return a :class:`searchbench.verify.certificate.CertificateReport`.

        `leaves` is the database, or its folder, on which it rests, if it rests on one.
        """
        return _verify(self, leaves, run, **options)

    def write(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the certificate to a file, in one step; return its path. Raises BadRequest if the file is there."""
        return _write(self, Path(path), overwrite)


def certificate_of(proof: Proof) -> Certificate:
    """Return the certificate of a proof. Raises BadRequest if its claims do not show its outcome."""
    made = Certificate(proof.game, tuple(proof.state), proof.claims, _leaf_of(proof), {"method": proof.method})
    if made.bounds != (proof.outcome, proof.highest) or not made.claims:
        told = f"{proof.game}: the proof of {proof.value!r} makes no certificate"
        if proof.incomplete:
            raise LimitReached(f"{told}: its evidence is incomplete, {proof.incomplete}")
        raise BadRequest(f"{told}: its strategies were not gathered: ask for them (`evidence`)")
    return made


def write_certificate(proof: Proof, path: str | Path, overwrite: bool = False) -> Path:
    """Write a proof as a certificate, in one step; return its path. Raises BadRequest if the file is there or evidence lacks."""
    return certificate_of(proof).write(path, overwrite)


def check_new(path: str | Path, overwrite: bool = False) -> Path:
    """Return the path of a certificate that is to be written. Raises BadRequest if that is not possible."""
    path = Path(path)
    if path.exists() and not (overwrite and is_certificate(path)):
        way = (
            "give another path"
            if not is_certificate(path)
            else "give --force (in Python: overwrite=True) to replace it"
        )
        raise BadRequest(f"{path} is there already: {way}")
    check_place(path)
    return path


def has_other_rules(certificate: Certificate) -> bool:
    """Tell whether a game's rules have changed since its certificate was written; other versions of searchbench cannot tell."""
    facts = certificate.facts
    return facts.get("versions") == head.versions() and facts.get("fingerprint") != certificate.game.fingerprint()


def is_certificate(path: str | Path) -> bool:
    """Return whether a file begins as a certificate does."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def is_named_certificate(path: str | Path) -> bool:
    """Return whether a file is a certificate, or named as one, though its beginning may be damaged."""
    return is_certificate(path) or (Path(path).suffix == SUFFIX and Path(path).is_file())


def open_kept(path: str | Path, game: WhichGame = None) -> Database | Certificate:
    """Open what is kept at a path: a certificate if it is a file, else a database, which is a folder."""
    return open_certificate(path, game) if Path(path).is_file() else open_database(path, game)


def _leaf_of(proof: Proof) -> DatabaseLeaf | None:
    if proof.leaves is None:
        return None
    database = getattr(proof.leaves, "database", None)
    if database is None or database.saved is None:
        raise BadRequest(f"{proof.game}: the proof rests on {proof.leaves!r}: only a database on disk has a digest")
    parts = tuple(part.name for part in getattr(proof.leaves, "parts", database.parts))
    return DatabaseLeaf(database.game.spec, database_digest(database.saved), parts)


def database_digest(folder: Path) -> str:
    """Return the digest of a database's metadata, which cover all of its chunks. Raises DamagedData."""
    return str(head.read_document(folder / head.DOCUMENT)["attributes"][head.KEY]["digest"])


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(certificate: Certificate, path: Path, overwrite: bool) -> Path:
    path = check_new(path, overwrite)
    blocks, told = [], []
    for claim in certificate.claims:
        strategy = Strategy.of(claim.strategy, certificate.game)
        cells, layout = _cells(strategy.states)
        moves = _fewest_bytes(strategy.moves)
        blocks += [cells.tobytes(), moves.tobytes()]
        told.append(
            {
                "player": claim.player, "bound": claim.bound, "symmetric": claim.symmetric, "forced": claim.forced,
                **({"threats": claim.threats} if claim.threats else {}),
                "records": len(strategy), **layout, "move_bytes": moves.dtype.itemsize,
            }
        )  # fmt: skip
    plain = b"".join(blocks)
    window = min(max(len(plain), 4096), _LARGEST_WINDOW)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": window}]
    body = lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_CRC32, filters=filters)
    header = _header(certificate, path, told) | {
        "body": {"bytes": len(body), "unpacked": len(plain), "sha256": hashlib.sha256(body).hexdigest()}
    }
    text = json.dumps(head.plain(header), indent=1, ensure_ascii=False)
    data = (
        _NUMBERS.sub(lambda found: " ".join(found[0].split()), text).encode() + b"\n"
    )  # a list of numbers in one line
    first = b"%s %d %d %s\n" % (MAGIC, FORMAT, len(data), hashlib.sha256(data).hexdigest().encode())
    try:
        _write_bytes(path, first + data + body)
    except BadRequest as error:
        raise BadRequest(f"{error}; {_kept_elsewhere(path, first + data + body)}") from error
    return path


def _write_bytes(path: Path, content: bytes) -> None:
    with replaced_file(path) as fresh, fresh.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _kept_elsewhere(path: Path, content: bytes) -> str:
    """Keep what may have taken hours in the folder for temporary files; tell where, or that it cannot be."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="searchbench-"))
    except OSError as error:
        return f"nor can it be kept in the folder for temporary files: {error}"
    try:
        _write_bytes(folder / path.name, content)
    except BadRequest as error:
        folder.rmdir()
        return f"nor can it be kept in the folder for temporary files: {error}"
    return f"the proof is kept in {folder / path.name}"


def _header(certificate: Certificate, path: Path, claims: list[dict[str, Any]]) -> dict[str, Any]:
    game, database = certificate.game, certificate.database
    return {
        "searchbench": version("searchbench"),
        "game": head.described(game, path),
        "fingerprint": game.fingerprint(),
        "versions": head.versions(),
        "root": {"state": game.format(certificate.root), "cells": list(certificate.root)},
        "claim": certificate.claim,
        "value": certificate.value,
        "notion": certificate.notion,
        "method": str(certificate.facts.get("method", "")),
        "assumptions": {"repetition": _TOLD_REPETITION if game.has("repetition") else _DRAWN_REPETITION},
        "leaves": list(certificate.leaf_kinds),
        "database": None if database is None else {"game": database.game, "digest": database.digest,
                                                   "parts": list(database.parts)},
        "records": certificate.records,
        "claims": claims,
    }  # fmt: skip


def _cells(states: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], dict[str, int]]:
    """Return states as unsigned big-endian cells less their least one, and what the header tells of that."""
    least = int(states.min(initial=0))
    values = int(states.max(initial=0)) - least + 1
    size = next(size for size in _SIZES if values - 1 < 1 << 8 * size)
    cells = (states.astype(np.int64) - least).astype(f">u{size}")
    return cells, {"least": least, "values": values, "cell_bytes": size}


def _fewest_bytes(moves: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    low, high = int(moves.min(initial=0)), int(moves.max(initial=0))
    size = next(size for size in _SIZES if -(1 << 8 * size - 1) <= low and high < 1 << 8 * size - 1)
    return moves.astype(f"<i{size}")


# --- reading ----------------------------------------------------------------------------------------------------------


def open_certificate(path: str | Path, game: WhichGame = None, trust: bool = False) -> Certificate:
    """Open a certificate; check its digests, sizes and order, but not its claims: `verify` does.

    `game` is needed only where its file has moved; `trust` lets a file that the certificate names be run. Raises NoConsent;
    BadRequest if there is no such file, and DamagedData, with the place, if it is no certificate, was cut short or altered,
    or has another format.
    """
    path = Path(path)
    if not path.is_file():
        raise BadRequest(f"{path}: there is no certificate")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedData(f"{path} cannot be read: {error}") from None
    header, begin = _read_header(path, data)
    try:
        return _certificate(path, header, data, begin, game, trust)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise DamagedData(f"{path}: the header is wrong: {type(error).__name__}: {error}") from None


def kept_game(path: Path) -> dict[str, Any]:
    """Return what a certificate tells of its game, before that is loaded. Raises DamagedData."""
    game = _read_header(path, path.read_bytes())[0].get("game")
    if not isinstance(game, dict) or not isinstance(game.get("spec"), str):
        raise DamagedData(f"{path}: the header names no game")
    return game


def _read_header(path: Path, data: bytes) -> tuple[dict[str, Any], int]:
    """Return the header and the place where the body begins."""
    found = _FIRST_LINE.match(data[:_LONGEST_FIRST_LINE])
    if found is None:
        if data.startswith(MAGIC) or MAGIC.startswith(data[: len(MAGIC)]):
            raise DamagedData(f"{path}: the first line, bytes 0 to {len(MAGIC) + 70} or so, was altered or cut short")
        raise DamagedData(
            f"{path} is no certificate, or its beginning was altered: expected {MAGIC.decode()!r} (a database is a folder)"
        )
    kind, size, digest = int(found[1]), int(found[2]), found[3].decode()
    if kind != FORMAT:
        raise DamagedData(f"{path} has format {kind}; this version of searchbench reads format {FORMAT}")
    text = data[found.end() : found.end() + size]
    if len(text) != size:
        raise DamagedData(f"{path} was cut short: the header has {len(text):,} of {size:,} bytes")
    if hashlib.sha256(text).hexdigest() != digest:
        end = found.end() + size
        raise DamagedData(
            f"{path} was altered: the header, bytes {found.end()} to {end - 1}, does not match its digest"
        )
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedData(f"{path}: the header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise DamagedData(f"{path}: the header is no JSON object")
    return header, found.end() + size


def _certificate(
    path: Path, header: dict[str, Any], data: bytes, begin: int, game: WhichGame, trust: bool
) -> Certificate:
    kept = dict(header["game"])
    found = find_game(path, kept, game, trust)
    root = _root(path, found, header["root"])
    layouts = [_layout(path, place, one) for place, one in enumerate(header["claims"])]
    plain = _body(path, header["body"], data, begin, sum(one.size(found.width) for one in layouts))
    claims = []
    place = 0
    for number, one in enumerate(layouts):
        claims.append(one.read(path, number, found, plain[place : place + one.size(found.width)]))
        place += one.size(found.width)
    database = header["database"]
    leaf = None
    if database is not None:
        leaf = DatabaseLeaf(str(database["game"]), str(database["digest"]), tuple(map(str, database["parts"])))
    facts = {name: header[name] for name in ("searchbench", "method", "fingerprint", "versions")}
    facts |= {"bytes": len(data), "body": header["body"]["bytes"], "unpacked": header["body"]["unpacked"]}
    made = Certificate(found, root, tuple(claims), leaf, facts, path)
    for name, now in (
        ("claim", made.claim), ("value", made.value), ("notion", made.notion), ("records", made.records),
        ("leaves", list(made.leaf_kinds)),
    ):  # fmt: skip
        if header[name] != now or type(header[name]) is not type(now):
            raise DamagedData(f"{path}: the header tells {name} {header[name]!r}; its claims make it {now!r}")
    return made


def _root(path: Path, game: Game, told: Any) -> tuple[int, ...]:
    cells = told["cells"]
    if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
        raise DamagedData(f"{path}: the cells of the root are {cells!r}: expected {game.width} integers")
    try:
        read = game.read(told["state"])
    except SearchBenchError as error:
        raise DamagedData(f"{path}: the root {told['state']!r} is no state of {game}: {error}") from None
    if read != cells:
        raise DamagedData(f"{path}: the root {told['state']!r} has the cells {read}, the header tells {cells}")
    return tuple(cells)


def _body(path: Path, told: Any, data: bytes, begin: int, expected: int) -> bytes:
    """Return the body, decompressed."""
    size, unpacked, digest = told["bytes"], told["unpacked"], told["sha256"]
    if type(size) is not int or type(unpacked) is not int or unpacked != expected or unpacked > _LARGEST_BODY:
        raise DamagedData(f"{path}: the header tells a body of {unpacked} bytes; its records take {expected:,}")
    body = data[begin:]
    if len(body) != size:
        what = "was cut short" if len(body) < size else "has bytes behind its end"
        raise DamagedData(f"{path} {what}: the body, from byte {begin} on, has {len(body):,} of {size:,} bytes")
    if hashlib.sha256(body).hexdigest() != digest:
        raise DamagedData(f"{path} was altered: the body, from byte {begin} on, does not match its digest")
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, _READER_MEMORY)
    try:
        plain = reader.decompress(body, unpacked + 1)
    except lzma.LZMAError as error:
        raise DamagedData(f"{path}: the body cannot be decompressed: {error}") from None
    if len(plain) != unpacked or not reader.eof or reader.unused_data:
        raise DamagedData(f"{path}: the body has {len(plain):,} bytes or more, the header tells {unpacked:,}")
    return plain


@dataclass(frozen=True)
class _Layout:
    """How the records of a claim lie in the body."""

    player: int
    bound: int
    symmetric: bool
    forced: int
    records: int
    least: int
    values: int
    cell_bytes: int
    move_bytes: int
    threats: int = 0

    def size(self, width: int) -> int:
        """Return the size of the records, of states of so many cells."""
        return self.records * (width * self.cell_bytes + self.move_bytes)

    def read(self, path: Path, number: int, game: Game, plain: bytes) -> Claim:
        """Return the claim. Raises DamagedData."""
        end = self.records * game.width * self.cell_bytes
        cells = np.frombuffer(plain[:end], f">u{self.cell_bytes}").reshape(self.records, game.width)
        where = f"{path}: claim {number}"
        limits = np.iinfo(game.dtype)
        if self.least < limits.min or self.least + self.values - 1 > limits.max:
            raise DamagedData(f"{where}: cells of {self.least} to {self.least + self.values - 1} are none of {game}")
        for first in range(0, self.records, _ROWS):
            block = cells[first : first + _ROWS + 1]
            if (wrong := np.flatnonzero((block >= self.values).any(axis=1))).size:
                raise DamagedData(f"{where}: a cell of record {first + int(wrong[0])} exceeds {self.values - 1}")
            before, after = block[:-1], block[1:]
            differ = before != after
            at = np.arange(len(differ)), differ.argmax(axis=1) if game.width else np.zeros(len(differ), np.int64)
            rising = differ.any(axis=1)
            rising[rising] = (before[at] < after[at])[rising]
            if not rising.all():
                row = first + int(np.flatnonzero(~rising)[0])
                raise DamagedData(f"{where}: record {row + 1} is not in its place: it does not follow record {row}")
        states = (cells.astype(np.int64) + self.least).astype(game.dtype)
        moves = np.frombuffer(plain[end:], f"<i{self.move_bytes}").astype(np.int64)
        return Claim(self.player, self.bound, Strategy(states, moves), self.symmetric, self.forced, self.threats)


def _layout(path: Path, number: int, told: Any) -> _Layout:
    wanted = {name: bool if name == "symmetric" else int for name in _Layout.__dataclass_fields__}
    if not isinstance(told, dict) or set(told) | {"threats"} != set(wanted):
        raise DamagedData(f"{path}: claim {number} of the header has {list(told)!r}: expected {', '.join(wanted)}")
    for name, kind in wanted.items():
        if name not in told:
            continue
        if type(told[name]) is not kind:
            raise DamagedData(f"{path}: claim {number} has {name} {told[name]!r}: expected {kind.__name__}")
    one = _Layout(**told)
    right = {
        "player": one.player in (0, 1), "bound": one.bound in (-1, 0, 1), "forced": one.forced >= 0,
        "threats": one.threats >= 0,
        "records": one.records >= 0, "cell_bytes": one.cell_bytes in _SIZES, "move_bytes": one.move_bytes in _SIZES,
        "values": 1 <= one.values <= 1 << 8 * one.cell_bytes,
    }  # fmt: skip
    for name, holds in right.items():
        if not holds:
            raise DamagedData(f"{path}: claim {number} has {name} {told[name]}, which is out of range")
    return one
