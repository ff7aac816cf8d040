"""Describe the states of a database by the attributes that its game supplies, and count which descriptions occur."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.contract import unrank
from searchbench.rules import State, new_state
from searchbench.run import Run
from searchbench.store import Database

_PIECE: Final = 1 << 18
Write = Callable[[State, Any, int], None]


class Described(NamedTuple):
    """Hold the descriptions that occur: a row of attributes for each, and how many states of each class have it."""

    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    rows: Any
    counts: Any


def describe(
    database: Database,
    wanted: str | None = None,
    part: str | None = None,
    sample: int | None = None,
    run: Run | None = None,
    seed: int = 1,
) -> Described:
    """Return the descriptions of all states of a database, of one of its parts, or of so many drawn by chance.

    The classes are the kinds of values: win, draw and loss, or the values of a puzzle; with `wanted` that class, and "other".
    Raises BadRequest where the game supplies no attributes, there is no such class, or depths are kept modulo 3 or 4.
    """
    functions = database.game.attributes()
    if not functions:
        raise BadRequest(f"{database.game} supplies no attributes: see `Game.attributes`")
    if database.modulus:
        raise BadRequest(
            f"{database!r} keeps depths modulo {database.modulus}: a tree of whole ones needs the form 'values' "
            "(`solve --form values`)"
        )
    active = run or Run(threads=1)
    classes = _classes(database, wanted)
    kernel = jit.bind(_kernel(functions), database.game.names())
    width = len(functions)
    known = np.zeros((0, width + len(classes)), np.int64)
    for numbers, labels, done in _pieces(database, classes, wanted, part, sample, seed):
        rows = np.zeros((len(numbers), width), np.int64)
        kernel(numbers, rows)
        counts = np.zeros((len(numbers), len(classes)), np.int64)
        counts[np.arange(len(numbers)), labels] = 1
        known = _merged(np.concatenate([known, np.hstack([rows, counts])]), width)
        active.progress("describing", done, database.size)
    return Described(tuple(functions), classes, known[:, :width], known[:, width:])


def describe_state(game: Game, state: Sequence[int]) -> dict[str, int]:
    """Return the attributes of one state."""
    names = game.names(target="interpreted")
    return {name: int(jit.bind(function, names)(list(state))) for name, function in game.attributes().items()}


def _classes(database: Database, wanted: str | None) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_label(database, value) for value in database.histogram()))
    if wanted is None:
        return found
    if wanted not in found:
        raise BadRequest(f"{database.game} has no class {wanted!r}; there are {', '.join(found)}")
    return (wanted, "other")


def _label(database: Database, value: Any) -> str:
    """Return the class of a value: how a game ends, or a puzzle's value itself."""
    return database.rule.kind(value) if database.rule.two_players else database.rule.format(value)


def _pieces(
    database: Database, classes: tuple[str, ...], wanted: str | None, part: str | None, sample: int | None, seed: int
) -> Iterator[tuple[Any, Any, int]]:
    """Yield the numbers of positions, their classes, and how many numbers have been looked at."""
    parts = list(database.parts) if part is None else [database.part(part)]
    drawn = None
    if sample is not None:
        ends = np.cumsum([one.size for one in parts])
        places = np.random.default_rng(seed).choice(ends[-1], min(sample, int(ends[-1])), replace=False)
        which = np.searchsorted(ends, places, "right")
        drawn = np.sort(np.array([one.stop for one in parts])[which] - (ends[which] - places))
    for one in parts:
        labels_of = _labels(database, one.name, classes, wanted)
        for first in range(one.start, one.stop, _PIECE):
            stop = min(first + _PIECE, one.stop)
            numbers = np.arange(first, stop) if drawn is None else drawn[(drawn >= first) & (drawn < stop)]
            codes = database.read(one, first, stop)[numbers - first]
            numbers, codes = numbers[codes != database.illegal], codes[codes != database.illegal]
            if len(numbers):
                yield numbers, labels_of[codes], stop


def _labels(database: Database, part: str, classes: tuple[str, ...], wanted: str | None) -> Any:
    """Return the place of its class for each code of a part."""
    codes = [code for code in database.part_counts(database.part(part)) if code != database.illegal]
    labels = np.zeros(max(codes, default=0) + 1, np.int64)
    for code in codes:
        label = _label(database, database.rule.decode(code))
        labels[code] = classes.index(label if wanted is None or label == wanted else "other")
    return labels


def _merged(rows: Any, width: int) -> Any:
    """Return each description once, with all its states."""
    descriptions, place = np.unique(rows[:, :width], axis=0, return_inverse=True)
    counts = np.zeros((len(descriptions), rows.shape[1] - width), np.int64)
    np.add.at(counts, place.reshape(-1), rows[:, width:])
    return np.hstack([descriptions, counts])


def _kernel(functions: Mapping[str, Callable[..., int]]) -> Callable[[Any, Any], None]:
    """Return a kernel that writes the attributes of the states with some numbers."""
    write: Write = _nothing
    for place, attribute in enumerate(functions.values()):
        write = _one_more(place, attribute, write)
    write_all = write

    def describe_numbers(numbers: Any, rows: Any) -> None:
        state = new_state()
        for row in range(len(numbers)):
            unrank(numbers[row], state)
            write_all(state, rows, row)

    return describe_numbers


def _nothing(state: State, rows: Any, row: int) -> None:
    """Write nothing."""


def _one_more(place: int, attribute: Callable[..., int], others: Write) -> Write:
    def write(state: State, rows: Any, row: int) -> None:
        others(state, rows, row)
        rows[row, place] = attribute(state)

    return write
