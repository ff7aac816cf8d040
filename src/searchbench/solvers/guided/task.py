"""What every guided search is given, and how it reports, stops at its limits and ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import Exhausted, LimitReached, Unsolvable
from searchbench.game import Game
from searchbench.line import Line
from searchbench.rules import State, play
from searchbench.run import Run
from searchbench.solvers.guided.automaton import Automaton
from searchbench.solvers.guided.contract import CLOSED_LIST, H_STATE_SIZE, TRANSPOSITION_TABLE, h_init
from searchbench.solvers.guided.kept import Kept, new_kept
from searchbench.solvers.shared.transposition import Transpositions, new_transpositions

PAUSED, FOUND, EXHAUSTED, FULL = range(4)
"""How a call of a kernel ended: at its slice of nodes, at a solved state, with nothing left, or with an array too small."""

_FIRST_SLICE: Final = 1 << 10
_FIRST_INTERPRETED: Final = 1 << 8
_SHORT, _LONG = 0.1, 0.4
"""Seconds between which a slice should last: then an interrupt is answered at once and the pauses cost nothing."""


@dataclass
class Slices:
    """Call a kernel for some nodes at a time, as many as it generates in the time that a slice should last."""

    run: Run
    size: int

    def advance(self, kernel: Any, arguments: tuple[Any, ...], note: Any, column: int, end: int) -> None:
        """Call a kernel for one slice; `column` of its note counts the nodes, `end` is their last number, 0 for none.

        The last argument of the kernel is where to stop.
        """
        began = self.run.seconds
        stop = int(note[column]) + self.size
        kernel(*arguments, note, min(stop, end) if end else stop)
        took = self.run.seconds - began
        if took < _SHORT and int(note[column]) >= stop:
            self.size *= 2
        elif took > _LONG:
            self.size = max(1, self.size // 2)


class Heuristic(Protocol):
    """Supply a bound in the place of the game's own `h`."""

    def names(self) -> Mapping[str, Any]:
        """Return the functions that replace `h` and `h_step`, or `h_init` and `h_update`: the same objects at each call."""
        ...

    def tables(self, state: Sequence[int]) -> tuple[Any, ...]:
        """Return the arrays that these functions look things up in, for a search that begins with `state`.

        They get them as their argument `tables`.
        """
        ...


def first_bound(state: State, tables: Any, carried: Any) -> int:
    """Return h of the state that a search begins with, and write the carried data into row 0."""
    return h_init(state, tables, carried, 0)


@dataclass
class Task:
    """Hold the state to search, the bound to use, and the limits in generated nodes and seconds (0: none).

    A *node* is generated when a search works out its cost and its bound: the start, and each successor of each expanded
    state, but for the one that takes the last move back. It counts each time, also where the search drops it at once.
    """

    game: Game
    start: tuple[int, ...]
    names: jit.Names
    tables: tuple[Any, ...]
    run: Run
    nodes: int = 0
    seconds: float = 0.0
    seen: Transpositions = field(default_factory=lambda: new_transpositions(2))
    """The transposition table of IDA*, if there is one."""
    entries: int = 0
    """The largest number of states that the search may keep, 0 for as many as the memory holds."""
    complete: bool = True
    """Claims that no solution is lost by the moves that the search leaves out."""
    automaton: Automaton | None = None
    """What tells IDA* which moves are superfluous, if anything does."""
    chance: Any = field(default_factory=lambda: np.zeros(2, np.int64))
    """What depth-first search is told where it breaks the order of the moves at random (`choices.scatter`)."""
    kept: Kept = field(init=False)
    """The states that depth-first search has seen, where it `CLOSED_LIST`."""
    started: float = field(init=False)
    slices: Slices = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.run.seconds
        self.kept = new_kept(self.entries if self.exhausts else 1)
        self.slices = self.new_slices()

    def new_slices(self) -> Slices:
        """Return slices that begin short, for calls on a thread."""
        return Slices(self.run, _FIRST_SLICE if jit.backend(self.names.target).machine_code else _FIRST_INTERPRETED)

    def state(self, moves: Sequence[int] = ()) -> Any:
        """Return the start as the kernels take it, or the state that moves lead to from there."""
        state = self.names["new_state"]()
        state[:] = self.start
        for move in moves:
            jit.bind(play, self.names)(state, move)
        return state

    def carried(self, rows: int) -> Any:
        """Return room for the heuristic's carried data, in so many rows, and in the last column for the automaton."""
        return np.zeros((rows, self.names.constant(H_STATE_SIZE) + (self.automaton is not None)), np.int64)

    def bound(self, carried: Any) -> int:
        """Return h of the start, and write the carried data into row 0."""
        if self.automaton is not None:
            carried[0, -1] = self.automaton.first(tuple(self.game.moves(self.start)))
        return int(jit.bind(first_bound, self.names)(self.state(), self.tables, carried))

    @property
    def transitions(self) -> npt.NDArray[np.int32]:
        """Return the automaton's table of moves, or a token."""
        return self.automaton.transitions if self.automaton is not None else np.zeros(1, np.int32)

    def advance(self, kernel: Any, arguments: tuple[Any, ...], note: Any, column: int) -> None:
        """Call a kernel for one slice; `column` of its note counts the nodes."""
        self.slices.advance(kernel, arguments, note, column, self.nodes)

    @property
    def remembers(self) -> bool:
        """Tell whether depth-first search uses a transposition table."""
        return bool(self.names.constant(TRANSPOSITION_TABLE))

    @property
    def exhausts(self) -> bool:
        """Tell whether depth-first search keeps all the states that it sees."""
        return bool(self.names.constant(CLOSED_LIST))

    def is_over(self, nodes: int) -> bool:
        """Tell whether a limit is reached."""
        spent = self.run.seconds - self.started
        return bool((self.nodes and nodes >= self.nodes) or (self.seconds and spent >= self.seconds))

    def report(self, stage: str, nodes: int, bound: int, kept: int = 0, counted: int = 0) -> None:
        """Tell how far the search is, with `kept` different states; raise LimitReached at a limit.

        Other nodes may count against the limit: those that threads have still to search.
        """
        self.run.progress(stage, nodes, self.nodes)
        if self.is_over(counted or nodes):
            raise self.limit_reached(nodes, bound, kept)

    def limit_reached(self, nodes: int, bound: int, kept: int = 0) -> LimitReached:
        """Return the error for a search that has found no solution up to its limit."""
        spent = self.run.seconds - self.started
        least = f"; it costs at least {bound}" if bound else ""
        return LimitReached(
            f"{self.game}: no solution of {self.game.format(self.start)!r} after {nodes:,} nodes and {spent:.1f} s{least}",
            bound,
            nodes,
            kept,
        )

    def line(self, moves: Sequence[int], cost: int, nodes: int, optimal: bool, kept: int = 0) -> Line:
        """Return the line that was found."""
        seconds = self.run.seconds - self.started
        return Line(
            self.game, self.start, tuple(moves), cost, optimal and self.complete, nodes, seconds, nodes_kept=kept
        )

    def unsolvable(self, nodes: int, kept: int = 0) -> Unsolvable:
        """Return the error for a search that has seen all there is, or all that was not left out."""
        name = f"{self.game}: {self.game.format(self.start)!r}"
        if not self.complete:
            return Exhausted(f"{name}: no solution found in all that was not left out ({nodes:,} nodes)", nodes, kept)
        return Unsolvable(
            f"{name} cannot be solved: none of the states that can be reached from it is solved ({nodes:,} nodes)",
            nodes,
            kept,
        )
