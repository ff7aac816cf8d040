"""The law on abstractions: how the states of the original are looked up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from searchbench import jit, rules
from searchbench.abstraction import Abstraction, Image, joined_tables
from searchbench.testing.subject import Finding, Law, Subject, raised

WALK = 100
"""How many moves of the original are looked at."""


def images(subject: Subject) -> Iterator[Finding]:
    """Require that the solved state's image is the start, that `image_step` tells the change, and what is charged for."""
    abstraction = subject.game
    if not isinstance(abstraction, Abstraction):
        yield None, "the game is no Abstraction, but supplies `image_number`"
        return
    try:
        yield from _on_a_walk(subject, abstraction)
    except Exception as error:  # rules may raise anything
        yield None, raised(error)


def _on_a_walk(subject: Subject, abstraction: Abstraction) -> Iterator[Finding]:
    original = abstraction.original()
    names = jit.Names({**original.names(target="interpreted"), **_own(subject)}, "interpreted")
    chance, state = random.Random(0), original.start()
    for place, image in enumerate(abstraction.images()):
        if image.moves == 0 and _number(names, state, image) != subject.rank(subject.start()):
            yield None, f"image {place} of the original's start does not have the number of the start"
    for _ in range(WALK):
        moves = original.moves(state)
        for move in moves:
            for place, image in enumerate(abstraction.images()):
                before, after = _number(names, state, image), _number(names, original.play(state, move), image)
                table, (at,) = joined_tables([image])
                step = int(jit.bind(rules.image_step, names)(list(state), move, table, at))
                piece = int(jit.bind(rules.image_piece, names)(list(state), move))
                where = f"{original.format(state)}, move {original.format_move(state, move)}, image {place}"
                if not 0 <= after < subject.size:
                    yield None, f"{where}: number {after} is not in 0 .. {subject.size - 1}"
                if step != after - before:
                    yield None, f"{where}: `image_step` is {step}, but the number changes by {after - before}"
                if image.pieces is not None and piece not in image.pieces and after != before:
                    yield None, f"{where}: piece {piece} is not charged for, but the number changes"
        state = original.play(state, chance.choice(moves))


def _own(subject: Subject) -> dict[str, Any]:
    return {name: subject.names[name] for name in ("image_number", "image_step", "image_piece") if subject.has(name)}


def _number(names: jit.Names, state: list[int], image: Image) -> int:
    table, (at,) = joined_tables([image])
    return int(jit.bind(rules.image_number, names)(list(state), table, at))


LAWS = (Law("images", images, ("image_number",)),)
