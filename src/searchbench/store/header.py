"""The header of a database on disk: attributes of its Zarr group, and digests that cover every byte of it.

The digests form a tree. The digest in the attributes covers all metadata of the folder; the metadata contain one digest
per part, which covers an array with one digest per chunk. So reading a chunk detects that it is altered, missing, or
copied from elsewhere, without reading the rest.
"""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import json
import os
import platform
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.catalogue import source_file
from searchbench.errors import DamagedData
from searchbench.game import Game
from searchbench.index.protocol import Part
from searchbench.store.codecs import ZSTD
from searchbench.store.forms import Form
from searchbench.store.numbering import PLACE, array_paths
from searchbench.values import ValueRule

FORMAT: Final = 1
KEY: Final = "searchbench"
"""The attribute of the group that contains the header."""
DOCUMENT: Final = "zarr.json"
PLACES: Final = ("", "parts", "digests", PLACE)
"""The folders of a database's groups."""
BEGUN: Final = {"format": FORMAT, "parts": []}
"""The header of a database without any part."""


@dataclass(frozen=True)
class PartRecord:
    """Metadata of a part: its interval and needs, the count of each code, and the digest of its chunks' digests.

    `dtype` is the data type of its codes and of the counted codes; by default the database's.
    """

    name: str
    start: int
    stop: int
    needs: tuple[str, ...]
    counts: tuple[tuple[int, int], ...]
    digest: str
    dtype: str = ""

    @property
    def part(self) -> Part:
        """Return the part."""
        return Part(self.name, self.start, self.stop, self.needs)

    @property
    def code(self) -> int:
        """Return the largest code, at least 1. In the form one-bit it is the code of a set bit."""
        return max([1, *(code for code, _ in self.counts)])


@dataclass(frozen=True)
class Header:
    """The attributes of a database: how to read it and how it was made."""

    game: dict[str, Any]
    rule: dict[str, Any]
    fingerprints: dict[str, str]
    versions: dict[str, str]
    dtype: str
    chunk: int
    states: int
    reachable: int
    histogram: dict[str, int]
    parts: tuple[PartRecord, ...]
    facts: dict[str, Any]
    command: str
    form: str = "values"
    modulus: int = 0
    codec: str = str(ZSTD)
    reduction: dict[str, Any] = field(default_factory=dict)
    index: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def kept_as(self) -> str:
        """Return the name of the form, as `save` and `convert` take it."""
        name = self.reduction.get("name", "")
        if name == "every":
            return f"{name}:{self.reduction['step']},{self.reduction['remainder']}"
        return name if name and self.form == "values" else self.form

    def attributes(self) -> dict[str, Any]:
        """Return the header as Zarr attributes, without the digest."""
        return {KEY: plain(asdict(self))}

    @classmethod
    def of(cls, attributes: dict[str, Any]) -> Header:
        """Parse attributes. Raises TypeError or KeyError if they are not those of a header."""
        fields = {key: value for key, value in attributes[KEY].items() if key != "digest"}
        parts = tuple(
            PartRecord(
                **{**part, "needs": tuple(part["needs"]), "counts": tuple((code, n) for code, n in part["counts"])}
            )
            for part in fields.pop("parts")
        )
        return cls(**fields, parts=parts)


def header_on_disk(folder: Path) -> Header:
    """Return the header of a database that was already checked. Raises DamagedData."""
    return Header.of(read_document(folder / DOCUMENT)["attributes"])


def is_begun(folder: Path) -> bool:
    """Tell whether a folder has no part yet: it is empty, or its writer was killed before finishing the first."""
    path = folder / DOCUMENT
    if not path.exists():
        return True
    document = read_document(path)
    return isinstance(document, dict) and document.get("attributes") == {KEY: BEGUN}


def is_half_written(file: str) -> bool:
    """Tell whether a file, relative to the database's folder, is metadata whose writer was killed."""
    place, _, name = file.rpartition("/")
    return place in PLACES and name.startswith("zarr.") and name.endswith(".partial")


def described(game: Game, folder: Path) -> dict[str, Any]:
    """Return a game's identity and the path of its file relative to the database's folder."""
    file = source_file(type(game))
    return game.identity() | ({} if file is None else {"file": os.path.relpath(file, folder.resolve())})


def plain(value: Any) -> Any:
    """Return a value after a round trip through JSON."""

    def convert(item: Any) -> Any:
        return item.item() if isinstance(item, np.generic) else str(item)

    return json.loads(json.dumps(value, default=convert))


def fingerprints(game: Game, rule: ValueRule) -> dict[str, str]:
    """Return a hash of the game's current rules and index, and one of the value rule's functions."""
    names = game.names(rule, "interpreted")  # no guards, whose wording says nothing of the rules
    digest = hashlib.sha256()
    for name in sorted(rule.rules(game.max_moves)):
        digest.update(f"{name} {jit.fingerprint(names[name], names)};".encode())
    return {"game": game.fingerprint(), "rule": digest.hexdigest()[:20]}


def versions() -> dict[str, str]:
    """Return the versions under which fingerprints are comparable: byte code depends on the Python version."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python, "numba": _numba(), "numpy": np.__version__}


@lru_cache(maxsize=1)
def _numba() -> str:
    return importlib.metadata.version("numba")  # which reads files


def folder_name(part: str) -> str:
    """Return a part's name as a node of a Zarr group: one to one, and a safe file name."""
    name = quote(part, safe="")
    if name.startswith("__") or not name.strip("."):
        return "".join(f"%{ord(letter):02X}" for letter in name) or "%"
    return name


def codes_path(part: str) -> str:
    """Return the path of a part's codes in the group."""
    return f"parts/{folder_name(part)}"


def digests_path(part: str) -> str:
    """Return the path of a part's chunk digests in the group."""
    return f"digests/{folder_name(part)}"


def chunk_of(part: Part, chunk: int, form: Form) -> int:
    """Return the number of stored numbers per chunk of this part."""
    return max(1, min(chunk, form.units(part.size)))


def chunk_digests(codes: npt.NDArray[Any], chunk: int) -> npt.NDArray[np.uint64]:
    """Return a digest per chunk, starting at a chunk boundary: 8 bytes of BLAKE2b of the little-endian bytes."""
    codes = np.ascontiguousarray(codes, codes.dtype.newbyteorder("<"))
    digests = [_chunk_digest(codes[first : first + chunk]) for first in range(0, len(codes), chunk)]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _chunk_digest(codes: npt.NDArray[Any]) -> bytes:
    if not codes.any():
        return _digest_of_zeros(codes.nbytes)
    return hashlib.blake2b(codes.data, digest_size=8).digest()


@lru_cache(maxsize=16)
def _digest_of_zeros(size: int) -> bytes:
    """Return the digest of `size` zero bytes, cached: most of a large bit table is zero."""
    return hashlib.blake2b(bytes(size), digest_size=8).digest()


def digest_of(digests: npt.NDArray[np.uint64]) -> str:
    """Return the digest of the digests of a part's chunks."""
    return hashlib.blake2b(digests.astype("<u8").tobytes(), digest_size=16).hexdigest()


def read_document(path: Path) -> Any:
    """Parse a metadata file as JSON. Raises DamagedData."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DamagedData(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise DamagedData(f"{path} cannot be read: {error}") from None


def metadata_digest(folder: Path, header: Any = None) -> str:
    """Return the digest of all metadata of a database, as JSON, except the digest itself. Raises DamagedData.

    `header` replaces the group's own document, by default the one in the folder. Metadata of parts that it does not
    name are ignored: such a part is being written, or its writer was killed.
    """
    documents = {DOCUMENT: copy.deepcopy(header) if header is not None else read_document(folder / DOCUMENT)}
    try:
        attributes = documents[DOCUMENT]["attributes"][KEY]
        arrays = [path(part["name"]) for part in attributes["parts"] for path in (codes_path, digests_path)]
        numbering = array_paths(attributes.get("index", {}))
        for place in ("parts", "digests", *arrays, *numbering, *([PLACE] if numbering else [])):
            documents[f"{place}/{DOCUMENT}"] = read_document(folder / place / DOCUMENT)
        attributes.pop("digest", None)
    except (KeyError, TypeError, AttributeError):
        raise DamagedData(f"{folder / DOCUMENT} is no header of a searchbench database") from None
    return hashlib.sha256(json.dumps(documents, sort_keys=True).encode()).hexdigest()
