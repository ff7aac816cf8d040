"""The diagram that numbers the positions of a database, in its folder."""

from __future__ import annotations

from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from searchbench.errors import DamagedData
from searchbench.game import Game
from searchbench.index.diagram import Diagram
from searchbench.index.digits import Digit, Digits, Field
from searchbench.numbered import diagram_of, numbered, without_diagram

if TYPE_CHECKING:
    from searchbench.store.header import Header

PLACE: Final = "index"
"""The folder of the diagram's arrays."""
_CHUNK: Final = 1 << 20


def write_numbering(folder: Path, game: Game) -> dict[str, Any]:
    """Write the diagram of a game into a database's folder; return what the header tells of it, nothing without one."""
    from searchbench.store.arrays import ArrayFiles

    diagram = diagram_of(game)
    if diagram is None:
        return {}
    arrays = diagram.arrays()
    for name, array in arrays.items():
        values = _stored(name, array)
        files = ArrayFiles(folder / PLACE / name, values.shape, values.dtype, min(max(1, len(values)), _CHUNK))
        files.create()
        files.write(0, values)
    return {
        "kind": "diagram",
        "digest": diagram.digest,
        **(
            {}
            if diagram.layered
            else {"digits": [[digit.cells, digit.contents, digit.fields] for digit in diagram.digits.digits]}
        ),
        "first_weight": diagram.first_weight,
        "arrays": sorted(arrays),
    }


def _stored(name: str, array: Any) -> Any:
    """Return an array as it is kept: children as differences, as most are small."""
    return np.diff(array, prepend=array.dtype.type(0)) if name == "children" else array


def _digits(told: Any, folder: Path) -> Digits:
    """Return the digits that a header tells, of a diagram of the states that are reached. Raises DamagedData."""
    try:
        return Digits(
            tuple(
                Digit(
                    tuple(map(index, cells)),
                    tuple(tuple(map(index, content)) for content in contents),
                    (0,) * len(contents),
                    tuple(Field(index(shift), index(mask)) for shift, mask in fields),
                )
                for cells, contents, fields in told
            ),
            (),
            (),
        )
    except (TypeError, ValueError) as error:
        raise DamagedData(f"{folder}: the header's digits cannot be read: {error}") from None


def array_paths(told: dict[str, Any]) -> list[str]:
    """Return the paths of the diagram's arrays in the group."""
    return [f"{PLACE}/{name}" for name in told.get("arrays", ())]


def with_numbering(game: Game, folder: Path, header: Header) -> Game:
    """Return a game with the numbers of a database: the diagram's, if it has one. Raises DamagedData."""
    plain = without_diagram(game)
    if not header.index:
        return plain
    digits = _digits(header.index["digits"], folder) if "digits" in header.index else plain.claimed("digits")
    if digits is None:
        raise DamagedData(f"{folder} has numbers of a diagram, and {plain} tells no `digits` any more: solve it again")
    from searchbench.store.chunks import ChunkFiles

    arrays = {path.partition("/")[2]: ChunkFiles(folder / path).read_all() for path in array_paths(header.index)}
    try:
        arrays["children"] = np.cumsum(arrays["children"], dtype=arrays["children"].dtype)
        diagram = Diagram.of_arrays(digits, header.index["first_weight"], arrays)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedData(f"{folder / PLACE}: the arrays are no diagram: {error}") from None
    if diagram.digest != header.index["digest"]:
        raise DamagedData(
            f"{folder / PLACE} does not match its digest: it was altered, or the digits of {plain} changed"
        )
    return numbered(plain, diagram)
