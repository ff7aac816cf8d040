"""Tell which claims a class inherits with rules that are not those of the class that makes them: they are not believed.

A class derived from a puzzle may replace `moves` or `terminal`, and leave all else as it was. A table of moves, a bound or
a test for solvable states then tells of another puzzle. What must not be left out without a word, such as a bound, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.errors import BadGame
from searchbench.guards import is_trusted
from searchbench.slots import contracts
from searchbench.user_code import name_of

MOVES: Final = ("moves", "play")
GOAL: Final = (*MOVES, "terminal")
COSTS: Final = (*GOAL, "cost")
ENDS: Final = (*COSTS, "start")
RESTS_ON: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("sequences", "product_moves", "independent", "locality", "rearranges"), MOVES),
    **dict.fromkeys(("drops", "digits"), GOAL),
    **dict.fromkeys(("heuristics", "enhancements", "enhanced", "feature_space"), COSTS),
    **dict.fromkeys(("depth_is_distance", "known"), ENDS),
    **dict.fromkeys(("successor_ranks", "mobility", "alternates", "inverse", "irreversible", "unmoves"), MOVES),
    **dict.fromkeys(("conversions", "unmoves_within"), (*MOVES, "unmoves")),
    **dict.fromkeys(("follows", "dual_state"), (*MOVES, "cost")),
    "solvable": GOAL,
    "canonical": (*COSTS, "gain"),
    **dict.fromkeys(("h", "h_step", "h_init", "h_update", "h_prefetch", "dead", "forced_move", "relevance_cut"), COSTS),
    "reversal": ENDS,
}
"""The functions that each claim rests on: those of a class's methods and attributes first, then those of its rules."""
LEFT_OUT: Final = (
    "successor_ranks", "mobility", "alternates", "inverse", "irreversible", "conversions", "unmoves_within", "follows",
    "dual_state", "solvable", "reversal",
)  # fmt: skip
"""The functions without which answers are the same, or a message says that they are missing."""
BOUNDS: Final = ("h", "h_step", "h_init", "h_update", "h_prefetch", "dead", "forced_move", "relevance_cut")
"""The functions that guide searches,"""
BACKWARDS: Final = ("unmoves",)
"""that retrograde analysis goes by,"""
SYMMETRIES: Final = ("canonical",)
"""and that make one state of several."""


class Replaced(NamedTuple):
    """A claim that is inherited with other rules: the class that made it, and the function that is another one there."""

    claim: str
    made_by: str
    function: str

    def __str__(self) -> str:
        return _message(self, [self.claim])


def _message(why: Replaced, claims: Sequence[str]) -> str:
    keeps = ", ".join(map(repr, claims))
    return (
        f"`{why.claim}` is inherited from {why.made_by}, which has another `{why.function}` (if it holds here, too, say "
        f"`keeps = {{{keeps}}}` in the class)"
    )


class _Generation(NamedTuple):
    """A class with rules of its own, and marks of the functions that it gives a game: of their own code, of all they reach."""

    kind: type
    own: Mapping[str, str]
    reached: Mapping[str, str]


def replaced(game: Any, claim: str) -> Replaced | None:
    """Return why a claim is not believed, None where it is: the rules that it rests on are those of the class that makes it.

    A class with other rules makes a claim its own by writing it anew, or by its name in `keeps`.
    """
    if not changes_rules(game):
        return None
    generations = _generations(game)
    if claim not in generations[0].own and not hasattr(type(game), claim):
        return None
    maker = _maker(type(game), generations, claim)
    now, then = generations[0].reached, generations[maker].reached
    function = next((name for name in RESTS_ON[claim] if now.get(name) != then.get(name)), "")
    return Replaced(claim, generations[maker].kind.__name__, function) if function else None


def changes_rules(game: Any) -> bool:
    """Tell whether a game is of a user's class that has other rules than the one that it is derived from."""
    return not is_trusted(game) and len(_generations(game)) > 1


def why_left_out(game: Any, claim: str) -> str:
    """Return the rest of a message that a game does not tell something: that it is not believed, "" where it is not told."""
    why = replaced(game, claim)
    return f"; {why}" if why is not None else ""


def refuse_inherited(game: Any, claims: Iterable[str]) -> None:
    """Raise BadGame where the rules have a function that is inherited with others, and cannot be left out without a word."""
    found = [why for claim in claims if game.has(claim) and (why := replaced(game, claim)) is not None]
    if found:
        message = _message(found[0], [one.claim for one in found])
        raise BadGame(f"{name_of(game)}: {message}; else leave it out of rules(), or write one for these rules")


def left_out(game: Any, functions: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of functions of the rules that are not believed."""
    return frozenset(name for name in LEFT_OUT if name in functions and replaced(game, name) is not None)


def _maker(kind: type, generations: tuple[_Generation, ...], claim: str) -> int:
    """Return the place of the class with rules, the most derived one being the first, under whose rules a claim is made."""
    marks = [generation.own.get(claim) for generation in generations]
    if marks[0] is not None:
        made = next((place for place, mark in enumerate(marks) if mark != marks[0]), len(marks)) - 1
    else:
        made = _under(next(one for one in kind.__mro__ if claim in vars(one)), generations)
    kept = (one for one in kind.__mro__ if claim in vars(one).get("keeps", ()))
    return min([made, *(_under(one, generations) for one in kept)])


def _under(kind: type, generations: tuple[_Generation, ...]) -> int:
    """Return the place of the class whose rules a class has; a class without any makes claims for the first one that has some."""
    return next(
        (place for place, generation in enumerate(generations) if issubclass(kind, generation.kind)),
        len(generations) - 1,
    )


@lru_cache(maxsize=128)
def _generations(game: Any) -> tuple[_Generation, ...]:
    _check_keeps(game)
    *kinds, _ = [kind for kind in type(game).__mro__ if "rules" in vars(kind)]  # the last one is `Game` itself
    return tuple(_generation(kind, game) for kind in kinds) if len(kinds) > 1 else ()


def _check_keeps(game: Any) -> None:
    """Raise BadGame where a class keeps what is no claim."""
    for kind in type(game).__mro__:
        names = vars(kind).get("keeps", frozenset())
        if not isinstance(names, set | frozenset) or not names <= set(RESTS_ON):
            raise BadGame(
                f"{kind.__name__}: keeps is {names!r}: expected a set of names, as in keeps = {{'h'}}, of these: "
                f"{', '.join(sorted(RESTS_ON))}"
            )


def _generation(kind: Any, game: Any) -> _Generation:
    """Return a class with marks; without any where its rules fail, as those of a base may for a class derived from it."""
    absent = {name: _absent for name, one in contracts().items() if getattr(one, "required", False)}
    try:
        functions = dict(kind.rules(game))
        return _Generation(kind, *(_marks(functions, names) for names in (absent, absent | functions)))
    except Exception:  # rules may raise anything
        return _Generation(kind, {}, {})


def _marks(functions: Mapping[str, Any], names: Mapping[str, Any]) -> Mapping[str, str]:
    return {name: jit.fingerprint(function, names) for name, function in functions.items()}


def _absent() -> None:
    """Stand for a function that a game must supply."""
