"""A game whose states have other numbers: those of a diagram of the positions that are reached."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from searchbench.game import Game
from searchbench.index import diagram as diagrams
from searchbench.index.diagram import Diagram
from searchbench.index.protocol import Part


class _Numbered:
    """Replace the numbers of the game's class that it is joined to.

    `index()` stays, as a class may have its width from there; the rules' `rank` and `unrank` come before it.
    """

    diagram: Diagram
    plain: Game

    def sequences(self) -> None:
        """Return None: rows of numbers do not move as rearrangements any more."""

    def product_moves(self) -> None:
        """Return None: the numbers are no product."""

    def parts(self) -> Sequence[Part]:
        """Return one part per layer."""
        return self.diagram.parts()

    def data(self) -> Any:
        """Return the game's own data with the nodes of the diagram."""
        own = self.plain.data()
        fields = ({} if own is None else own._asdict()) | self.diagram.data
        return namedtuple("Data", fields)(**fields)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the game's rules with the numbers of the diagram.

        A layer's parts leave decided positions out, which `unmoves` knows nothing of. Nor do unmoves lead to all predecessors
        where moves within a part gain symmetries: they take back moves to this position, not to its images.
        """
        forwards = self.diagram.layered or self.plain.gains_symmetries
        others = _OF_THE_OTHER_NUMBERS | ({"unmoves"} if forwards else set())
        own = {name: rule for name, rule in self.plain.rules().items() if name not in others}
        return {**own, "rank": diagrams.rank, "unrank": diagrams.unrank}

    def fingerprint(self) -> str:
        """Return a hash of the rules and the diagram."""
        return f"{self.plain.fingerprint()}-{self.diagram.digest[:20]}"


_OF_THE_OTHER_NUMBERS = frozenset({
    "rank", "unrank", "canonical_rank", "successor_ranks", "unrank_next", "unmoves_within", "conversions",
})  # fmt: skip


def numbered(game: Game, diagram: Diagram) -> Game:
    """Return the same game, whose states have the numbers of a diagram, and whose parts are its layers."""
    kind = type(game)
    own = {"diagram": diagram, "plain": game, "closed": not diagram.layered}
    own |= {"__module__": kind.__module__, "__doc__": kind.__doc__}
    made = type(kind.__name__, (_Numbered, kind), own)
    made.__qualname__ = kind.__qualname__
    values = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}  # type: ignore[arg-type]
    return made(**values)  # type: ignore[no-any-return]


def diagram_of(game: Game) -> Diagram | None:
    """Return the diagram that numbers a game's states, None where others do."""
    return game.diagram if isinstance(game, _Numbered) else None


def without_diagram(game: Game) -> Game:
    """Return a game with numbers of its own."""
    return game.plain if isinstance(game, _Numbered) else game
