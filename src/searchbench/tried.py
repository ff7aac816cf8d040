"""Try a game that is not shipped before it is solved, searched or proved, and remember those that passed: starts stay short."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.guards import is_trusted
from searchbench.line import Line

FOLDER: Final = "tried"
"""The folder of the cache with an empty file for each game that has passed."""
ENDS: Final = 20
"""Of how many lines of a class the ends are looked around,"""
_looked_around: Final[Counter[type[Game]]] = Counter()
"""and of how many they were."""
_PLAIN: Final = (bool, int, float, str, tuple, type(None))


def try_before(purpose: Literal["solve", "search", "prove"], game: Game, *about: Any) -> None:
    """Try the laws that an answer rests on, with samples, unless the game has passed before as it is now. Raises BadGame.

    `about` is said of a solver of all states: its name, and whether states get their numbers as they are reached.
    """
    if is_trusted(game):
        return
    mark = _mark(game, purpose, *about)
    if mark is None or not mark.exists():
        from searchbench.testing.beforehand import TRY_BEFORE  # laws take a while to load

        TRY_BEFORE[purpose](game, *about)
        if mark is not None:
            with contextlib.suppress(OSError):  # it is tried again next time
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.touch()


def try_levels(games: Sequence[Game]) -> None:
    """Try the laws of search on the first of some levels that can be read: the others have its rules. Raises BadGame."""
    for game in games:
        with contextlib.suppress(BadRequest):  # the search tells of it in that level's row
            game.start()
            try_before("search", game)
            return


def try_line(line: Line) -> None:
    """Try the bound of a game that is not shipped along the line that was found, and the pruning near its end. Raises BadGame.

    Of a class, the ends of the first lines are looked around: a tenth of a second each would be long for many short searches.
    """
    if not is_trusted(line.game):
        from searchbench.testing.beforehand import try_line

        kind = type(line.game)
        try_line(line, _looked_around[kind] < ENDS)
        _looked_around[kind] += 1


def _mark(game: Game, *asked: Any) -> Path | None:
    """Return the file that tells that a game has passed; None where its rules raise an error, which trying it tells."""
    try:
        known = (asked, game.fingerprint(), game.identity(), *map(_written, type(game).__mro__))
    except Exception:  # rules may raise anything
        return None
    laws = [path.read_bytes() for path in sorted((Path(__file__).parent / "testing").glob("*.py"))]
    digest = hashlib.sha256(b"".join([repr(known).encode(), *laws])).hexdigest()
    return jit.cache_folder() / FOLDER / digest[:32]


def _written(kind: type) -> tuple[Any, ...]:
    """Return the plain attributes of a class, such as `closed`, and a hash of the file that it is written in."""
    plain = sorted((name, value) for name, value in vars(kind).items() if isinstance(value, _PLAIN))
    keeps = sorted(vars(kind).get("keeps", ()))
    text = b""
    if kind.__module__.partition(".")[0] != __name__.partition(".")[0]:
        with contextlib.suppress(OSError, TypeError):
            text = Path(inspect.getfile(sys.modules[kind.__module__])).read_bytes()
    return kind.__qualname__, repr(plain), keeps, hashlib.sha256(text).hexdigest()
