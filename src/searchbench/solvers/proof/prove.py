"""Prove the outcome of a state: by proof-number search or alpha-beta search, with strategies for evidence.

With a database at the leaves, parts of it may be missing. Two kinds of alpha-beta search then bound the outcome: one takes
a leaf without an outcome to be lost for the player to move at the root, the other takes it to be won (Gasser 1995, section
5.6, where three of 28 databases show that Nine Men's Morris is a draw).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from searchbench.errors import BadRequest, LimitReached
from searchbench.game import Game, Position
from searchbench.proof import Claim, Proof
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof.alphabeta import AlphaBeta
from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.bounding import Bounding, Solved, first_size
from searchbench.solvers.proof.evidence import gather_claims
from searchbench.solvers.proof.facts import LARGEST_PLACE
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.shared.transposition import Transpositions, new_transpositions
from searchbench.user_code import check_first_state
from searchbench.values import Outcome, value_rule

METHODS: Final = ("pns", "alphabeta")
log = logging.getLogger(__name__)


def prove_state(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    method: str = "pns",
    run: Run | None = None,
    nodes: int = 0,
    evidence: bool = True,
    mobility: bool = False,
    leaves: LeafDatabase | None = None,
    book: Book | None = None,
) -> Proof:
    """Return the outcome of a state (by default the start) of a game of two players, with strategies that show it.

    `method` is "pns" or "alphabeta". `nodes` limits the search (0: no limit but memory). Without `evidence`, or where
    the strategies need more nodes or memory than the budget, the proof has no claims and cannot be verified.
    `mobility` begins proof numbers with the number of moves (Allis 1994, section 2.3.3).
    `leaves` is a database that knows the outcome of some states, for alpha-beta alone. If some are not known that the proof
    would need, the outcome is what the player to move gets at least, and `Proof.at_most` what she gets at most. `book` keeps
    what is found a few plies from the start, and is kept itself in its file now and then; a search that finds it there goes
    on with it. Play that never ends is a draw. Raises BadRequest for a game whose values are not outcomes, and LimitReached.
    """
    _check(game, method, nodes)
    if method != "alphabeta" and leaves is not None:
        raise BadRequest(f"method {method!r}: only alphabeta looks up leaves in a database")
    check_first_state(game)
    root = game.position(state).state
    with run or Run() as active:
        seconds = active.seconds
        outcome = _known(game, root, leaves)
        if outcome is not None:
            claims = tuple(Claim(player, bound, {}) for player, bound in ((0, outcome), (1, -outcome)) if bound >= 0)
            return Proof(game, root, outcome, method, claims, 0, active.seconds - seconds, {}, leaves)
        start = np.array(root, game.dtype)
        if leaves is not None and not leaves.goes_on:
            found = Bounding(game, active, nodes, leaves, book).solve(start)
        else:
            table = new_transpositions(first_size(active.memory // 4))
            found = (
                _by_proof_numbers(game, start, active, nodes, table, mobility)
                if method == "pns"
                else _by_alpha_beta(game, start, active, nodes, table, leaves)
            )
        searched = found.facts.pop("nodes")
        solved = active.seconds - seconds
        claims = _claims(game, root, found, active, nodes, leaves) if evidence else ()
        at_most = None if found.lower == found.upper else found.upper
        return Proof(game, root, found.lower, method, claims, searched, solved, found.facts, leaves, at_most)


def _check(game: Game, method: str, nodes: int) -> None:
    if method not in METHODS:
        raise BadRequest(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    rule = value_rule(game.values)
    if not isinstance(rule, Outcome):
        raise BadRequest(
            f"{game} has values of the rule {rule.name!r}: only a game of two players with the rule 'outcome' "
            "(win, draw, loss) can be proved; use solve, or search for a puzzle"
        )
    if nodes < 0:
        raise BadRequest(f"a limit of {nodes} nodes: expected a positive number, or 0 for none")
    if game.max_moves > LARGEST_PLACE:
        raise BadRequest(f"{game} has up to {game.max_moves:,} moves in a state; proof search takes {LARGEST_PLACE:,}")


def _known(game: Game, root: Sequence[int], leaves: LeafDatabase | None) -> int | None:
    """Return the outcome of a finished game, or of a leaf that is known; None where it takes a search."""
    result = game.terminal(root)
    if result != UNDECIDED:
        return (result > 0) - (result < 0)
    if not game.moves(root):
        return 0
    return None if leaves is None else leaves.outcome(root)


def _by_proof_numbers(
    game: Game, root: Any, run: Run, nodes: int, table: Transpositions, mobility: bool
) -> Solved:  # fmt: skip
    """Ask "does the player to move win?", and if not, "does she draw at least?"."""
    search = ProofNumberSearch(game, run, nodes, table, table_memory=run.memory // 4, tree_memory=run.memory // 2)
    wins = search.holds(root, 1, mobility)
    outcome = 1 if wins else 0 if search.holds(root, 0, mobility) else -1
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes, **search.facts()})


def _by_alpha_beta(
    game: Game, root: Any, run: Run, nodes: int, table: Transpositions, leaves: LeafDatabase | None
) -> Solved:  # fmt: skip
    search = AlphaBeta(game, run, nodes, table, run.memory // 2, leaves)
    outcome = search.value(root, -1, 1)
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes})


def _claims(
    game: Game, root: Sequence[int], found: Solved, run: Run, nodes: int, leaves: LeafDatabase | None
) -> tuple[Claim, ...]:  # fmt: skip
    try:
        return gather_claims(game, root, (found.lower, found.upper), found.tables, run, nodes, leaves)
    except LimitReached as error:
        log.warning("the outcome is proved, but without evidence: %s", error)
        return ()
