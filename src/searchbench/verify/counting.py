"""Count a certificate's records by ply, without a search for what wins in the place of a record."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from searchbench.game import Game
from searchbench.proof import Claim, Strategy
from searchbench.run import Run
from searchbench.store.certificate import Certificate
from searchbench.verify.claim import ClaimCheck


def records_by_ply(certificate: Certificate, run: Run | None = None) -> list[dict[int, int]]:
    """Return for each claim how many of its records lie how many moves after the root.

    In a game of lines each move adds a stone, and the stones of the records are counted. In other games the records are
    followed from the root by the rules: those that are not reached have no ply, and one that several lines lead to has the
    least. Forced sequences, wins by threats and databases are not asked.
    """
    if _adds_stones(certificate.game):
        return [_by_stones(certificate, claim) for claim in certificate.claims]
    with run or Run() as active:
        return [_followed(certificate, claim, active) for claim in certificate.claims]


def _adds_stones(game: Game) -> bool:
    """Return whether each move puts a stone on an empty cell: the game's `lines` are a board with stacks of cells to fill."""
    return hasattr(getattr(game, "lines", None), "stacks")


def _by_stones(certificate: Certificate, claim: Claim) -> dict[int, int]:
    states = Strategy.of(claim.strategy, certificate.game).states
    counts = Counter((np.count_nonzero(states, axis=1) - np.count_nonzero(certificate.root)).tolist())
    return dict(sorted(counts.items()))


def _followed(certificate: Certificate, claim: Claim, run: Run) -> dict[int, int]:
    check = ClaimCheck(certificate.game, certificate.root, replace(claim, forced=0, threats=0))
    return {claim.player + 2 * moves: count for moves, count in enumerate(check.plies(run))}
