"""Define the law on abstractions: the look-ups of states of the original game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from searchbench import jit
from searchbench.abstraction import (
    LOOK_UPS,
    Abstraction,
    Image,
    joined_tables,
    moved_piece,
    pattern_rank,
    pattern_rank_after,
    pattern_rank_change,
)
from searchbench.duality import dual_state
from searchbench.rules import UNDECIDED
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state, raised

WALK = 30
"""Moves of a walk in the original."""
AT_ONCE = 5
"""Moves, and images, checked in each state."""


def images(subject: Subject) -> Iterator[Finding]:
    """Require that a solved start's image is the start, and that `pattern_rank_change` and the charges are right."""
    abstraction = subject.game
    if not isinstance(abstraction, Abstraction):
        yield None, "the game is no Abstraction, but supplies `pattern_rank`"
        return
    try:
        yield from _on_a_walk(subject, abstraction)
    except Exception as error:  # rules may raise anything
        yield None, raised(error, subject.game)


def _on_a_walk(subject: Subject, abstraction: Abstraction) -> Iterator[Finding]:
    original = abstraction.original()
    names = original.names(target="interpreted").with_(**_own(subject))
    chance, state = random.Random(0), original.start()
    plain, dual = abstraction.images(), abstraction.dual_images()
    if dual and not original.has("dual_state"):
        yield None, f"there are look-ups of inverse states, but {original} supplies no `dual_state`"
        return
    solved = original.terminal(state) == 0
    for place, image in enumerate(plain):
        if solved and image.moves == 0 and _number(names, state, image) != subject.rank(subject.start()):
            yield None, f"image {place} of the original's start does not have the number of the start"
    images = [*((f"image {place}", image) for place, image in enumerate(plain))]
    images += [*((f"image {place} of the inverse", image) for place, image in enumerate(dual))]
    for _ in range(WALK):
        moves = original.moves(state)
        for place, image in chance.sample([*enumerate(dual)], min(len(dual), AT_ONCE)):
            inverse = list(state)
            jit.bind(dual_state, names)(inverse)
            if _number(names, state, image) != _number(names, inverse, plain[place]):
                yield (
                    None,
                    f"{original.format(state)}: image {place} of the inverse is not that of {original.format(inverse)}",
                )
        for move in chance.sample(moves, min(len(moves), AT_ONCE)):
            for told, image in chance.sample(images, min(len(images), AT_ONCE)):
                before, after = _number(names, state, image), _number(names, original.play(state, move), image)
                table, (at,) = joined_tables([image])
                step = int(jit.bind(pattern_rank_change, names)(list(state), move, table, at))
                follows = int(jit.bind(pattern_rank_after, names)(before, list(state), move, table, at))
                piece = int(jit.bind(moved_piece, names)(list(state), move))
                where = f"{original.format(state)}, move {original.format_move(state, move)}, {told}"
                if not 0 <= after < subject.size:
                    yield None, f"{where}: number {after} is not in 0 .. {subject.size - 1}"
                if step != after - before:
                    yield None, f"{where}: `pattern_rank_change` is {step}, but the number changes by {after - before}"
                if follows != after:
                    yield None, f"{where}: `pattern_rank_after` is {follows}, the number is {after}"
                if image.pieces is not None and piece not in image.pieces and after != before:
                    yield None, f"{where}: piece {piece} is not charged for, but the number changes"
        state = original.play(state, chance.choice(moves))


def _own(subject: Subject) -> dict[str, Any]:
    return {name: subject.names[name] for name in LOOK_UPS if subject.has(name)}


def _number(names: jit.Names, state: list[int], image: Image) -> int:
    table, (at,) = joined_tables([image])
    return int(jit.bind(pattern_rank, names)(list(state), table, at))


def taken_back(subject: Subject, state: State) -> Iterator[str]:
    """Require of an abstraction that is not `one_way` that a move takes each move back, at the same cost."""
    abstraction = subject.game
    if not isinstance(abstraction, Abstraction) or abstraction.one_way or subject.terminal(state) not in (UNDECIDED, 0):
        return
    number = subject.number(state)
    for move in subject.tried_moves(state):
        after = subject.play(state, move)
        back = {
            subject.cost(after, one)
            for one in subject.moves(after)
            if subject.number(subject.play(after, one)) == number
        }
        if subject.cost(state, move) not in back:
            yield (
                f"no move takes {subject.move_text(state, move)} back at the same cost: depths are no distances there, "
                "and the abstraction has to say `one_way = True`"
            )


LAWS = (
    Law("images", images, ("pattern_rank",)),
    Law("taken-back", of_each_state(taken_back), ("pattern_rank",)),
)
