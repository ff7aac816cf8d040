"""How a database is kept: its folder, the kept values, their compression, and the folder of unfinished work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from searchbench.configuration import completed, option, options_of
from searchbench.errors import BadRequest
from searchbench.store.codecs import Codec, parse_codec


@dataclass(frozen=True)
class Keep:
    """Say how a database is kept in the folder `path`. Raises BadRequest for options that exclude each other."""

    path: str | Path
    _: KW_ONLY
    form: str | None = option(
        None,
        "what is kept of the values that retrograde or fixpoint finds: `base-3`, `every:4` and so on, as `convert` "
        "takes them; by default all",
        metavar="NAME",
    )
    codec: str | None = option(
        None, "how it is compressed: `zstd:3` (the default), `zstd:19`, `gzip:6`, `lz4:5`, `none`", metavar="NAME"
    )
    mapped: bool = option(False, "keep it uncompressed, to be mapped into memory: for pattern databases", "flag")
    overwrite: bool = option(False, "replace the database that is there", "flag", flag="--force")
    work: str | Path | None = option(
        None,
        "keep unfinished work here, and go on with it; by default beside the database, with `.work` behind its name",
        "path",
        metavar="DIR",
    )

    def __post_init__(self) -> None:
        if not self.folder.name:
            raise BadRequest(f"{str(self.path)!r} names no folder for the database")
        if self.mapped and (self.form is not None or self.codec is not None):
            raise BadRequest(
                "mapped: the codes are stored uncompressed as in memory: no form and no codec can be chosen"
            )
        if self.codec is not None:
            parse_codec(self.codec)
        folder, working = (Path(os.path.realpath(one)) for one in (self.folder, self.working))  # links may go round
        if folder in (working, *working.parents):
            raise BadRequest(
                f"work {str(self.work)!r}: unfinished work needs a folder outside the database {self.folder}"
            )

    @classmethod
    def at(cls, to: str | Path | Keep, options: Mapping[str, Any]) -> Keep:
        """Return how a database is to be kept, `to` being a folder, or all that is told of it. Raises BadRequest for both."""
        given = {name: value for name, value in options.items() if value not in (None, options_of(cls)[name].default)}
        return completed({}, to, given) if isinstance(to, Keep) else cls(to, **given)

    @property
    def folder(self) -> Path:
        """Return the folder of the database."""
        return Path(self.path)

    @property
    def working(self) -> Path:
        """Return the folder of unfinished work."""
        return Path(f"{self.folder}.work") if self.work is None else Path(self.work)

    @property
    def listing(self) -> Path:
        """Return the folder of an unfinished list of the states that are reached."""
        return Path(f"{self.working}.reached")

    @property
    def described(self) -> Keep:
        """Return the fields that describe the contents, not the place."""
        return replace(self, overwrite=False, work=None)

    @property
    def packing(self) -> Codec | None:
        """Return the codec, None for the default."""
        return None if self.codec is None else parse_codec(self.codec)
