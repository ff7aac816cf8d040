"""Reductions: omit codes that a search of a few plies restores (Gasser 1995, section 5.5).

A *form* packs codes, a *reduction* selects them; one name, such as "every:4", chooses both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest, DamagedData
from searchbench.game import Game
from searchbench.store.forms import BASE_THREE, ONE_BIT, TWO_BIT, VALUES, Form
from searchbench.values import SHIPPED, Ending, ValueRule, Won

WHOLE: Final = "values"
MARKED: Final = "marked"
FILLED: Final = "filled"
EVERY: Final = "every"
PARITY: Final = "parity"
BEST_MOVE: Final = "best-move"
NAMES: Final = (WHOLE, FILLED, "base-3", "two-bit", "one-bit", BEST_MOVE, f"{EVERY}:D[,R]", PARITY)
"""Names that a request may use."""


class Reduction(NamedTuple):
    """A selection of the codes to store, and the data type of the whole codes.

    - "marked": all, and 0 for numbers that are no position, as two bits have no room for the mark;
    - "filled": all that the rules do not imply (numbers that are no position, and finished games);
    - "every": of these, the values whose depth leaves `remainder` when divided by `step`, and a few others;
    - "parity": of these, those of states whose `alternates` is 0;
    - "best-move": instead of the value the number of the first best move, in the order of the rules.
    """

    name: str
    dtype: str
    step: int = 0
    remainder: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the reduction as a dictionary for the header."""
        return self._asdict()

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Reduction:
        """Parse a header's reduction. Raises DamagedData."""
        try:
            found = cls(**kept)
            sound = np.iinfo(found.dtype).max > 0 and 0 <= found.remainder < max(1, found.step)
        except (TypeError, ValueError):
            raise DamagedData(f"the header names the unknown reduction {dict(kept)!r}") from None
        known = {MARKED, FILLED, EVERY, PARITY, BEST_MOVE}
        if found.name not in known or not sound or (found.name == EVERY) != (found.step > 0):
            raise DamagedData(f"the header names the reduction {dict(kept)!r}; there are {', '.join(sorted(known))}")
        return found


class KeptForm(NamedTuple):
    """A stored form: the value rule and packing of the stored codes, and the reduction (its type still open)."""

    rule: ValueRule
    form: Form
    reduction: Reduction | None


def wanted(name: str, game: Game, rule: ValueRule) -> KeptForm:
    """Return the stored form for a name such as "base-3" or "every:4". Raises BadRequest if it does not fit the rule."""
    kind, _, rest = name.strip().partition(":")
    if kind not in {known.partition(":")[0] for known in NAMES} or (rest and kind != EVERY):
        raise BadRequest(f"form {name!r}: a database is kept as one of {', '.join(NAMES)}")
    if kind == WHOLE:
        return KeptForm(rule, VALUES, None)
    if game.has("blank"):
        raise BadRequest(f"form {name!r}: {game} has numbers that several states share; it is kept as {WHOLE!r}")
    if kind in _PACKED:
        return _packed(kind, game, rule)
    if kind not in rule.reductions:
        values = " or ".join(one.name for one in SHIPPED.values() if kind in one.reductions)
        raise BadRequest(f"form {name!r}: it is for values of {values}; those of {game} are of {rule.name}")
    if kind == PARITY and not game.has("alternates"):
        raise BadRequest(f"form {name!r}: {game} supplies no `alternates`, which distinguishes two kinds of states")
    return KeptForm(rule, VALUES, Reduction(kind, "", *(_step(name, rest) if kind == EVERY else ())))


_PACKED: Final = {"base-3": BASE_THREE, "two-bit": TWO_BIT, "one-bit": ONE_BIT}


def _packed(kind: str, game: Game, rule: ValueRule) -> KeptForm:
    """Return the stored form for the outcome alone."""
    if kind not in rule.reductions:
        told = "wins, draws and losses" if kind != "one-bit" else "wins"
        raise BadRequest(f"form {kind!r}: it is for {told}; the values of {game} are of {rule.name}")
    name = MARKED if kind == "two-bit" else FILLED
    return KeptForm(Won() if kind == "one-bit" else Ending(), _PACKED[kind], Reduction(name, "uint8"))


def _step(name: str, text: str) -> tuple[int, int]:
    """Parse "4" or "4,1" into step and remainder (-1: any)."""
    step, comma, remainder = text.partition(",")
    numbers = [step, remainder] if comma else [step]
    if not all(number.isdecimal() for number in numbers):
        raise BadRequest(f"form {name!r}: expected a number of plies such as every:4, and a remainder as in every:4,1")
    chosen = (int(step), int(remainder) if comma else -1)
    if not 2 <= chosen[0] <= MOST_PLIES or chosen[1] >= chosen[0]:
        raise BadRequest(f"form {name!r}: expected 2 to {MOST_PLIES} plies and a smaller remainder")
    return chosen


MOST_PLIES: Final = 16
