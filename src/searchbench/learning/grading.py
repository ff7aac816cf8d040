"""Grade a policy: how often, and by how much, its moves are worse than the best ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Unpack

import numpy as np

from searchbench.errors import BadRequest, line_of, told
from searchbench.game import Position
from searchbench.learning.truths import BATCH, NOTHING, UNBOUNDED, Chosen, TruthReader, sampled
from searchbench.run import Run
from searchbench.store import Database

Policy = Callable[[list[int], list[int]], int]
"""Choose one of the moves of a state: called with the cells and the legal moves."""


class Blunder(NamedTuple):
    """Hold a move that costs something: where, which, what was best, and its regret, `UNBOUNDED` if it spoils a puzzle."""

    position: Position
    move: int
    best: int
    regret: int


class Grade(NamedTuple):
    """Hold the grades of a policy on positions where there is something to choose."""

    positions: int
    best: int
    """Moves that are among the best: also the quickest win, the longest loss."""
    kept: int
    """Moves that keep the outcome, or the least cost."""
    regret: float
    """The mean regret, of moves that spoil nothing; for outcomes 1 is half of the way from a win to a loss."""
    worst: tuple[Blunder, ...]
    spoiled: int
    """Moves after which a puzzle cannot be solved any more."""

    def as_dict(self) -> dict[str, Any]:
        """Return the grades for JSON."""
        worst = [
            {
                "state": one.position.text, "regret": None if one.regret == UNBOUNDED else one.regret,
                "move": one.position.game.format_move(one.position.state, one.move),
                "best": one.position.game.format_move(one.position.state, one.best),
            }
            for one in self.worst
        ]  # fmt: skip
        return {**self._asdict(), "worst": worst}


def grade(
    database: Database,
    policy: Policy,
    sample: int = 10_000,
    seed: int = 0,
    run: Run | None = None,
    **chosen: Unpack[Chosen],
) -> Grade:
    """Ask a policy for a move in `sample` random positions, and compare with what all moves are worth.

    `policy` is called with the cells of a state and the list of its legal moves, and returns one of these; `chosen` tells which
    positions are meant. Positions with fewer than two moves are left out, and those of puzzles without a solution, or that no
    move leads to one. Raises BadRequest for a policy that fails, for a move that is not legal, and where values do not rank
    moves.
    """
    rule, game, active = database.rule, database.game, run or Run()
    if not rule.ranks_moves or rule.from_start:
        raise BadRequest(f"{database!r}: values by the rule {rule.name!r} do not say which move is best")
    numbers = sampled(database, sample, seed, **chosen)
    reader = TruthReader(database, active)
    positions = best = kept = total = spoiled = 0
    worst: list[Blunder] = []
    for first in range(0, len(numbers), BATCH):
        truths = reader.read(numbers[first : first + BATCH])
        regrets = truths.regrets()
        leads_on = ((truths.worth[0] != NOTHING) & truths.exists).any(axis=1)
        for row in np.flatnonzero((truths.counts > 1) & (truths.figures[0] != NOTHING) & leads_on).tolist():
            state = truths.states[row].tolist()
            moves = truths.moves[row, : truths.counts[row]].tolist()
            place = _place(game.format(state), policy, state, moves)
            positions += 1
            best += bool(truths.best[row, place])
            regret = int(regrets[row, place])
            kept += regret == 0
            spoiled += regret == UNBOUNDED
            total += regret if regret != UNBOUNDED else 0
            if regret:
                one = moves[int(truths.best[row].argmax())]
                worst.append(Blunder(Position(game, tuple(state)), moves[place], one, regret))
        worst = sorted(worst, key=lambda blunder: -blunder.regret)[:5]
        active.progress("grade", min(first + BATCH, len(numbers)), len(numbers))
    if not positions:
        raise BadRequest(f"{game}: in none of the {len(numbers):,} positions is there anything to choose")
    return Grade(positions, best, kept, total / max(1, positions - spoiled), tuple(worst), spoiled)


def _place(text: str, policy: Policy, state: list[int], moves: list[int]) -> int:
    """Return the place of the move that a policy chooses. Raises BadRequest where it fails, or chooses none of the moves."""
    try:
        move = policy(list(state), list(moves))
    except Exception as error:  # a policy is anybody's code
        place = f"{line_of(policy)}: " if line_of(policy) else ""
        raise BadRequest(
            f"{place}the policy raised {told(error)} on {text!r}: expected a function (state, moves) that returns one of the "
            f"moves {moves}"
        ) from error
    try:
        return moves.index(move)
    except ValueError:
        raise BadRequest(f"{text!r}: the policy chose {move!r}, which is none of the moves {list(moves)}") from None
