"""A proof: the value of a state of a two-player game, with strategies as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
import numpy.typing as npt

from searchbench.game import Game
from searchbench.late import late

_WORDS: Final = {-1: "loss", 0: "draw", 1: "win"}


def outcome_text(lowest: int, highest: int) -> str:
    """Return "win", "draw" or "loss", or a range of outcomes such as "draw or win"."""
    return " or ".join(_WORDS[outcome] for outcome in range(lowest, highest + 1))


_verify = late("searchbench.verify:verify_proof")
_write = late("searchbench.store.certificate:write_certificate")
Notion = Literal["open", "ultra-weak", "weak", "strong"]
"""How far a game or a state of it is solved: "strong" from every position, "weak" by strategies from the first one,
"ultra-weak" by its value alone, "open" not at all (Allis 1994, section 1.5)."""


class Strategy(Mapping[tuple[int, ...], int]):
    """Map states to moves compactly: `states` is an array with one state per row, `moves` has one move per state.

    The rows are kept in the lexicographic order of their cells.
    """

    def __init__(self, states: npt.NDArray[Any], moves: npt.NDArray[Any]) -> None:
        rows = _as_items(states)
        order = np.argsort(rows)
        self._states, self._moves, self._rows = states[order], moves[order], rows[order]

    @classmethod
    def of(cls, strategy: Mapping[tuple[int, ...], int], game: Game) -> Strategy:
        """Return a mapping of a game's states to moves as a Strategy."""
        if isinstance(strategy, Strategy):
            return strategy
        states = np.array(list(strategy), game.dtype).reshape(len(strategy), game.width)
        return cls(states, np.array(list(strategy.values()), np.int64))

    @property
    def states(self) -> npt.NDArray[Any]:
        """Return the states [records, width], sorted."""
        return self._states

    @property
    def moves(self) -> npt.NDArray[Any]:
        """Return the moves [records]."""
        return self._moves

    def __getitem__(self, state: tuple[int, ...]) -> int:
        limits = np.iinfo(self._states.dtype)
        if len(state) != self._states.shape[1] or not all(limits.min <= cell <= limits.max for cell in state):
            raise KeyError(state)
        wanted = _as_items(np.array([state], self._states.dtype))[0]
        place = int(np.searchsorted(self._rows, wanted))
        if place == len(self._rows) or self._rows[place] != wanted:
            raise KeyError(state)
        return int(self._moves[place])

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (tuple(row.tolist()) for row in self._states)

    def __len__(self) -> int:
        return len(self._moves)


def _as_items(states: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return each row as one item, whose bytes are in the lexicographic order of the cells: biased, big-endian."""
    kind = states.dtype
    unsigned = np.dtype(f"u{kind.itemsize}")
    bias = np.array(0 if kind.kind == "u" else 1 << 8 * kind.itemsize - 1, unsigned)
    cells = np.ascontiguousarray(
        (np.ascontiguousarray(states).view(unsigned) ^ bias).astype(unsigned.newbyteorder(">"))
    )
    return cells.view(np.dtype((np.void, kind.itemsize * states.shape[1]))).ravel()


@dataclass(frozen=True)
class Claim:
    """Claim that a player gets at least `bound` from the root, and the move to play in each state that can arise.

    `player` is 0 for the player to move at the root, 1 for the other. `bound` is -1, 0 or +1 from that player's view.
    `strategy` maps states with that player to move (as play reaches them) to moves. If it is `symmetric`, its states are
    representatives (the game's `canonical`) and stand for all symmetric ones. With `forced` above 0, a state needs no
    record if verification itself finds a forced sequence that wins within so many nodes (:mod:`searchbench.verify.forced`);
    with `threats` above 0, a win by threats, each with one reply or a few (:mod:`searchbench.verify.threats`).
    """

    player: int
    bound: int
    strategy: Mapping[tuple[int, ...], int] = field(repr=False)
    symmetric: bool = False
    forced: int = 0
    threats: int = 0


class KnownOutcomes(Protocol):
    """Provide the outcomes of some states."""

    def outcome(self, state: Sequence[int]) -> int | None:
        """Return the outcome for the player to move, None if unknown."""
        ...


@dataclass(frozen=True)
class Proof:
    """The outcome (-1, 0, +1 for the player to move) of a state, with the claims that prove it.

    A draw takes two claims, one per player; a win or a loss takes one, of the winner.
    """

    game: Game
    state: tuple[int, ...]
    outcome: int
    method: str
    claims: tuple[Claim, ...] = ()
    nodes: int = 0
    seconds: float = 0.0
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Further counts of the search, by name."""
    leaves: KnownOutcomes | None = field(default=None, repr=False)
    """The source of outcomes at the leaves of the search, if the proof relies on one."""
    at_most: int | None = None
    """An upper bound on the outcome of the player to move, if it exceeds `outcome`, which is the lower bound."""
    incomplete: str = ""
    """The reason why the evidence is incomplete although the search has proved the outcome; empty if complete."""

    @property
    def is_open(self) -> bool:
        """Return whether nothing is proved: every outcome is possible still."""
        return (self.outcome, self.highest) == (-1, 1)

    @property
    def highest(self) -> int:
        """Return the upper bound on the outcome of the player to move."""
        return self.outcome if self.at_most is None else self.at_most

    @property
    def value(self) -> str:
        """Return "win", "draw" or "loss" for the player to move; a range such as "draw or win" if open."""
        return outcome_text(self.outcome, self.highest)

    @property
    def notion(self) -> Notion:
        """Return how far the state is solved (Allis 1994, section 1.5): "open", "ultra-weak" or "weak".

        A value alone is ultra-weak. With strategies that show it, it is weak: they play, and a player who is lost anyway needs
        none. Where the bounds differ, the value is open.
        """
        if self.outcome != self.highest:
            return "open"
        shown = {(claim.player, claim.bound) for claim in self.claims}
        needed = {-1: {(1, 1)}, 0: {(0, 0), (1, 0)}, 1: {(0, 1)}}[self.outcome]
        return "weak" if needed <= shown and not self.incomplete else "ultra-weak"

    def verify(self) -> list[str]:
        """Check the proof by the rules alone; return the errors found.

        Incomplete or missing evidence is reported with the reason.
        """
        found: list[str] = _verify(self)
        return found

    def write(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the proof to a file as a certificate (:class:`searchbench.store.Certificate`); return its path.

        Raises BadRequest if evidence is missing, or if the file is there and `overwrite` is not set.
        """
        written: Path = _write(self, path, overwrite)
        return written
