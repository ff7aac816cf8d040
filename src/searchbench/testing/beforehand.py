"""Try the laws that values rest on, on samples of a game that is not shipped, before anything is solved, searched or proved.

`check` looks at more states and at all laws. A law that is broken here would make values wrong without a word.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Final

from searchbench import inherited
from searchbench.errors import BadGame
from searchbench.first_state import check_first_state, check_number_of_start
from searchbench.game import Game
from searchbench.inherited import refuse_inherited
from searchbench.line import Line
from searchbench.testing import bounds, digits, images, moves, numbers, shortcuts, successions
from searchbench.testing.nearby import before_solved, distances_nearby
from searchbench.testing.subject import Law, State, Subject, raised
from searchbench.user_code import calling, name_of
from searchbench.values import RETROGRADE

SECONDS: Final = 0.2
"""For how long samples are tried, after the first ones."""
LOT: Final = 12
"""How many states are tried between two looks at the clock,"""
SAMPLES: Final = 400
"""and how many are drawn."""
FORWARDS: Final = (
    "cells-fit", "rules-leave-state", "result", "max-moves", "unplay-undoes-play", "costs-positive", "gains-whole",
)  # fmt: skip
"""The laws that every search rests on,"""
BACKWARDS: Final = (
    "moves-are-unmoves",
    "unmoves-are-moves",
    "moves-differ",
    "mobility",
    "conversions",
    "unmoves-within",
    "stabilizer",
)
"""those of retrograde analysis,"""
NUMBERED: Final = (
    "legal-closed", "canonical", "taken-back", "locality", "depth-is-distance", "alternates", "rank-of-unrank", "unrank-of-rank",
    "closed", "parts", "unrank-next", "successor-ranks", "canonical-rank", "sequences", "product_moves",
)  # fmt: skip
"""those of all solvers of all states,"""
GUIDED: Final = ("inverse", "follows", "heuristic", "rearranges", "solvable")
"""those of searches for one state,"""
DIGITS: Final = tuple(law.name for law in digits.LAWS)
"""of the solver that sweeps a table of digits,"""
DUAL: Final = (*NUMBERED, "reversal")
"""of the search by duality,"""
PROVING: Final = ("canonical",)
"""and of proofs."""
LAWS: Final = {
    law.name: law
    for law in (
        *moves.LAWS,
        *successions.LAWS,
        *numbers.LAWS,
        *shortcuts.LAWS,
        *bounds.LAWS,
        *images.LAWS,
        *digits.LAWS,
    )
}

NEAR_END: Final = 8
"""How many of the last states of a line guidance is tried near."""


def try_before_solving(game: Game, solver: str | None, reached: bool) -> None:
    """Try the laws that a solver of all states rests on; those of numbers are left out where states get theirs as `reached`.

    Raises BadGame with the first state that breaks one.
    """
    check_first_state(game)
    if not reached:
        check_number_of_start(game)
    refuse_inherited(game, (*inherited.SYMMETRIES, *(inherited.BACKWARDS if solver == RETROGRADE else ())))
    _try(game, (*(BACKWARDS if solver == RETROGRADE else ()), *(() if reached else (*NUMBERED, *DIGITS))))


def try_before_searching(game: Game, by_duality: bool = False) -> None:
    """Try the laws that a search for one state rests on; that by duality is a search of numbers. Raises BadGame."""
    refuse_inherited(game, (*inherited.SYMMETRIES, *(() if by_duality else inherited.BOUNDS)))
    if by_duality:
        check_first_state(game)
        check_number_of_start(game)
    _try(game, DUAL if by_duality else GUIDED)
    if not by_duality and _is_guided(game):
        subject = Subject(game, SAMPLES, 0, all_moves=False)
        _try_guidance(subject, lambda: [subject.start()])
        _try_guidance(subject, lambda: before_solved(subject))


def try_line(line: Line, near_its_end: bool) -> None:
    """Compare `h` with the costs along a line that is said to be the cheapest, and all guidance near its end. Raises BadGame."""
    game = line.game
    if not (line.optimal and _is_guided(game)):
        return
    state, left, last = list(line.start), line.cost, deque([line.start], maxlen=NEAR_END)
    for move in line.moves:
        with calling(game, "`h`", "it was asked about the states of the line that was found"):
            bound, cost = game.call("h", list(state), None), game.call("cost", list(state), move)
        if bound > left:
            raise BadGame(
                f"{name_of(game)}: `h` is {bound} in the state {game.format(state)!r}, from which a line of cost {left} was "
                "found: a bound may not be above the cost, so that no line is known to be the cheapest"
            )
        state, left = game.play(state, move), left - cost
        last.append(tuple(map(int, state)))
    if near_its_end:
        _try_guidance(Subject(game, 0, 0, all_moves=False), lambda: last)


def _is_guided(game: Game) -> bool:
    """Return whether a game supplies functions on which claims of search rest."""
    return any(map(game.has, ("h", "solvable", *bounds.LEAVING_OUT)))


def _try_guidance(subject: Subject, sources: Callable[[], Iterable[State]]) -> None:
    """Compare bound and pruning with the distances of states near some others. Raises BadGame."""
    near = cache(lambda: distances_nearby(subject, sources()))
    _try_law(subject, Law("admissible", lambda subject: bounds.admissible(subject, near(), near().get)))
    if subject.has("solvable"):
        _try_law(subject, Law("solvable", lambda subject: bounds.told_solvable(subject, near(), near().get)))
    _try_law(subject, Law("nothing-lost", lambda subject: bounds.nothing_lost(subject, near(), near().get)))


def try_before_proving(game: Game) -> None:
    """Try the laws that a proof rests on. Raises BadGame."""
    refuse_inherited(game, inherited.SYMMETRIES)
    _try(game, PROVING)


TRY_BEFORE: Final[Mapping[str, Callable[..., None]]] = {
    "solve": try_before_solving, "search": try_before_searching, "prove": try_before_proving,
}  # fmt: skip
"""By what is to be done with a game, the laws that are tried before."""


@lru_cache(maxsize=128)
def _try(game: Game, names: tuple[str, ...]) -> None:
    check_first_state(game)
    subject = Subject(game, SAMPLES, 0, all_moves=False)
    states, numbered = subject.states, subject.numbers
    laws = [LAWS[name] for name in dict.fromkeys((*FORWARDS, *names)) if not subject.obstacle(LAWS[name])]
    begun = time.thread_time()
    lots = max(1, -(-max(len(states), len(numbered)) // LOT))
    for lot in range(lots):  # every so many-th state: neighbours are alike
        subject.states, subject.numbers = states[lot::lots], numbered[lot::lots]
        for law in laws:
            _try_law(subject, law)
        if time.thread_time() - begun > SECONDS:
            return


def _try_law(subject: Subject, law: Law) -> None:
    try:
        found = next(iter(law.breaks(subject)), None)
    except BadGame:
        raise
    except Exception as error:  # rules may raise anything
        found = (None, raised(error, subject.game))
    if found is not None:
        state, message = found
        where = f"in the state {subject.text(state)!r}: " if state is not None else ""
        raise BadGame(
            f"{name_of(subject.game)} breaks the law {law.name}, so that values would be wrong: {where}{message} "
            "(`searchbench check` tells more)"
        )
