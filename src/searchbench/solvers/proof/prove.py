"""Prove the outcome of a state by proof-number search or alpha-beta search, with strategies as evidence.

A leaf database may lack parts. Two alpha-beta searches then bound the outcome: one counts an unknown leaf as lost for the
player to move at the root, the other as won (Gasser 1995, section 5.6, where three of 28 databases show that Nine Men's
Morris is a draw).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.configuration import fitting, options_of
from searchbench.errors import BadGame, BadRequest, LimitReached, OutOfMemory
from searchbench.game import Game, Position
from searchbench.proof import Claim, Proof
from searchbench.rules import UNDECIDED
from searchbench.run import Limits, Run, requested
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.bounding import Bounding, Solved, first_size
from searchbench.solvers.proof.budget import Budget, ended
from searchbench.solvers.proof.comparators import compare
from searchbench.solvers.proof.configuration import (
    METHODS,
    AlphaBeta,
    BStar,
    ConspiracyNumber,
    DepthFirstProofNumber,
    GraphProofNumber,
    MSTStar,
    Portfolio,
    ProofNumber,
    Proving,
    SSSStar,
    ThreatProofNumber,
)
from searchbench.solvers.proof.evidence import gather_claims
from searchbench.solvers.proof.facts import LARGEST_PLACE
from searchbench.solvers.proof.gomoku.prove import board_of, prove_by_threats
from searchbench.solvers.proof.kept import KeptProof, kept_proof
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.lines.graph import Options
from searchbench.solvers.proof.lines.prove import LineProof, facts_of, line_claim, lines_of
from searchbench.solvers.proof.merged import Answer, MergedSearch
from searchbench.solvers.proof.pns import ProofNumberSearch
from searchbench.solvers.proof.portfolio import Contest, alpha_beta_steps, depth_first_search
from searchbench.solvers.shared.states import state_of
from searchbench.solvers.shared.transposition import ENTRY_BYTES, SMALLEST, new_transpositions
from searchbench.values import value_rule

log = logging.getLogger(__name__)

LEAST_MEMORY: Final = 4 * SMALLEST * ENTRY_BYTES
"""The bytes of the smallest tables of any method: a portfolio has four."""


def prove_state(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    configuration: Proving | str | None = None,
    run: Run | None = None,
    limits: Limits | None = None,
    *,
    told: Callable[[Proof], None] | None = None,
    target: jit.Target = "cpu",
    **options: Any,
) -> Proof:
    """Return the outcome of a state (by default the start) of a game of two players, with strategies that show it.

    `configuration` is a `Portfolio`, `ProofNumber`, `DepthFirstProofNumber` or `AlphaBeta`; or the name of a method,
    "portfolio", "pns", "dfpn" or "alphabeta", with the fields of its configuration, and `nodes` and `seconds` for the
    limits, as `options`; the default is the first method that takes the options. The limits cover the search and the evidence
    together. 0 is no limit; evidence may then take a few times the nodes of the search, and a search in which positions
    repeat ends once solving the whole game would have been much quicker.
    `told` is called with the proof as soon as the outcome is known, before evidence is gathered. Without `evidence` the proof
    has no claims and cannot be verified. If the strategies need more nodes, seconds or memory than are left,
    `Proof.incomplete` gives the reason.

    If the proof needs unknown leaves, the outcome is a lower bound for the player to move, and `Proof.at_most` is the upper
    bound. Play that never ends is a draw. `target` "interpreted" runs the same kernels without a compiler. Raises
    BadRequest for a game whose values are not outcomes, LimitReached if the outcome is not known within the limits, and
    OutOfMemory.
    """
    chosen, limits = requested(METHODS, configuration or default_method(game, options), limits, options)
    proof = searched(game, state, chosen, run, limits, told, target)
    return told_of_gaps(proof)


def told_of_gaps(proof: Proof) -> Proof:
    """Return a proof after a warning where its evidence is incomplete, or where there is nothing to be shown."""
    game, value, why = proof.game, proof.value, proof.incomplete
    if why and proof.is_open:
        log.warning("%s: %s", game, why.removeprefix("because "))
    elif why:
        log.warning("%s: %s is proved by the search, but the evidence is incomplete, %s", game, value, why)
    return proof


def searched(
    game: Game, state: Position | str | Sequence[int] | None, chosen: Proving, run: Run | None, limits: Limits,
    told: Callable[[Proof], None] | None, target: jit.Target,
) -> Proof:  # fmt: skip
    """Return the proof of a state; see :func:`prove_state`."""
    _check(game)
    method, leaves = chosen.method, chosen.leaves_of(game) if isinstance(chosen, AlphaBeta) else None
    book = chosen.book_of(game, leaves) if isinstance(chosen, AlphaBeta) else None
    root = state_of(game, state)
    with run or Run() as active, kept_proof(game, root, chosen, active) as kept:
        began = active.seconds
        budget = Budget(game, active, limits.nodes, limits.seconds)
        outcome = _known(game, root, leaves)
        if outcome is not None:
            claims = tuple(Claim(player, bound, {}) for player, bound in ((0, outcome), (1, -outcome)) if bound >= 0)
            proof = Proof(game, root, outcome, method, claims, 0, active.seconds - began, {}, leaves)
            if told is not None:
                told(proof)
            return proof
        active.demand(LEAST_MEMORY, f"proving {game}")
        if isinstance(chosen, GraphProofNumber):
            return _over_graph(game, root, budget, chosen, told, target)
        if isinstance(chosen, ThreatProofNumber):
            return _by_threats(game, root, budget, chosen, told, target)
        start = np.array(root, game.dtype)
        contest = Contest(game, start, budget, chosen, target) if isinstance(chosen, Portfolio) else None
        if contest is not None:
            found = contest.solve()
        elif isinstance(chosen, DepthFirstProofNumber):
            found = _depth_first(game, start, budget, chosen, kept, target)
        elif isinstance(chosen, ProofNumber):
            found = _by_proof_numbers(game, start, budget, chosen, kept, target)
        elif isinstance(chosen, ConspiracyNumber | SSSStar | BStar | MSTStar):
            found = compare(game, start, budget, chosen.method, target)
        elif leaves is None:
            found = ended(alpha_beta_steps(game, start, budget, chosen.evidence, target))
        elif book is not None or not leaves.goes_on:
            found = Bounding(game, budget, leaves, book, target).solve(start)
        else:
            found = _with_leaves(game, start, budget, leaves, target)
        searched = found.facts.pop("nodes")
        solved = kept.earlier + active.seconds - began
        at_most = None if found.lower == found.upper else found.upper
        method = found.facts.pop("method", method)
        proof = Proof(game, root, found.lower, method, (), searched, solved, found.facts, leaves, at_most)
        if told is not None:
            told(proof)
        if found.without and chosen.evidence:
            other = None if contest is None else contest.with_strategy()
            if other is None:
                return replace(proof, incomplete=found.without)
            if (other.lower, other.upper) != (found.lower, found.upper):
                raise _contradiction(proof, other)
            found = other
        proof = _with_evidence(proof, found, budget, leaves, target) if chosen.evidence else proof
        if not proof.incomplete:
            kept.discard()
        return proof


def _contradiction(proof: Proof, other: Solved) -> BadGame:
    """Return the error where the search by the board and the one by the rules find different outcomes."""
    by_rules = replace(proof, outcome=other.lower, at_most=None if other.lower == other.upper else other.upper)
    return BadGame(
        f"{proof.game}: {by_rules.value} by the rules, {proof.value} by the board that `drops` tells: these are not the same "
        "game; let `drops` return None"
    )


def default_method(game: Game, options: dict[str, Any]) -> str:
    """Return the method of a game whose proof may begin with moves of its own, if it takes the options; else one that does."""
    own = {name: value for name, value in options.items() if name not in ("nodes", "seconds")}
    takes = all(name in options_of(GraphProofNumber) for name, value in own.items() if value is not None)
    return GraphProofNumber.method if takes and getattr(game, "opening", dict)() else fitting(METHODS, own)


_BOARDS: Mapping[str, tuple[Callable[[Game], Any], str]] = {
    GraphProofNumber.method: (lines_of, "no lines"), ThreatProofNumber.method: (board_of, "not gomoku"),
}  # fmt: skip
"""What reads the board that a method needs, and what a game is without it."""


def obstacle(game: Game, method: str) -> str:
    """Return why a method does not prove a game's positions, "" if it does."""
    rule = value_rule(game.values)
    if not rule.outcomes:
        return f"values: {rule.name}" if rule.two_players else "one player"
    if method in _BOARDS:
        read, without = _BOARDS[method]
        try:
            read(game)
        except BadRequest:
            return without
    return ""


def methods_for(game: Game) -> list[str]:
    """Return the names of the methods that a game's positions can be proved by, the usual one first; none of other values."""
    return [name for name in METHODS if not obstacle(game, name)]


def _check(game: Game) -> None:
    rule = value_rule(game.values)
    if not rule.outcomes:
        raise BadRequest(
            f"{game} has values of the rule {rule.name!r}: only a game of two players with the rule 'outcome' "
            '(win, draw, loss), which its class says by values = "outcome", can be proved; use solve, or search for a puzzle'
        )
    if game.max_moves > LARGEST_PLACE:
        raise BadRequest(f"{game} has up to {game.max_moves:,} moves in a state; proof search takes {LARGEST_PLACE:,}")


def _known(game: Game, root: Sequence[int], leaves: LeafDatabase | None) -> int | None:
    """Return the outcome of a finished game or of a known leaf; None if it takes a search."""
    result = game.terminal(root)
    if result != UNDECIDED:
        return (result > 0) - (result < 0)
    if not game.moves(root):
        return 0
    return None if leaves is None else leaves.outcome(root)


def _by_proof_numbers(
    game: Game, root: Any, budget: Budget, chosen: ProofNumber, kept: KeptProof, target: jit.Target
) -> Solved:  # fmt: skip
    """Ask "does the player to move win?", and if not, "does she get at least a draw?"."""
    memory = budget.run.memory
    if chosen.merge != "none":
        return _by_merged_positions(game, root, budget, chosen, target)
    table = new_transpositions(first_size(memory // 4))
    search = ProofNumberSearch(game, budget, table, memory // 4, memory // 2, target, choices=chosen.choices())
    search.second, search.cached = chosen.second, chosen.cached
    kept.attach(search)
    outcome = kept.outcome(lambda bound: search.holds(root, bound, chosen.mobility))
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes, **search.facts()})


def _by_merged_positions(game: Game, root: Any, budget: Budget, chosen: ProofNumber, target: jit.Target) -> Solved:
    """Ask the questions over a graph of positions; bounds that an unreliable answer would give are left open."""
    search = MergedSearch(
        game, budget, chosen.merge == "conversions", game.names(target=target).with_(**chosen.choices())
    )
    wins = search.answer(root, 1)
    draws = Answer(True, True) if wins.holds else search.answer(root, 0)
    lower = 1 if wins.holds else 0 if draws.holds and draws.reliable else -1
    upper = -1 if not draws.holds else 0 if not wins.holds and wins.reliable else 1
    facts: dict[str, Any] = {"nodes": search.nodes, "positions": search.stored}
    if not (wins.reliable and draws.reliable) and draws.holds:
        facts["unreliable"] = "draw"  # repetitions on some paths counted on all
    table = new_transpositions(first_size(budget.run.memory // 4))
    return Solved(lower, upper, (table, table), facts)


def _depth_first(
    game: Game, root: Any, budget: Budget, chosen: DepthFirstProofNumber, kept: KeptProof, target: jit.Target
) -> Solved:
    """Ask the questions of proof-number search, depth first."""
    if chosen.symmetric and not game.has("canonical"):
        raise BadRequest(
            f"{game} does not tell which states are symmetric (the rule `canonical`): leave out `symmetric`"
        )
    search = depth_first_search(game, budget, chosen, target)
    kept.attach(search)
    outcome = kept.outcome(lambda bound: search.holds(root, bound, chosen.mobility, chosen.epsilon, chosen.weak))
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes}, chosen.choices())


def _over_graph(
    game: Game, root: tuple[int, ...], budget: Budget, chosen: GraphProofNumber,
    told: Callable[[Proof], None] | None, target: jit.Target,
) -> Proof:  # fmt: skip
    """Prove that the player to move wins; the search has the strategy already, so evidence costs nothing more."""
    began = budget.run.seconds
    options = Options(chosen.forced, int(not chosen.threats), int(not chosen.ones))
    search = LineProof(game, budget, options, Path(chosen.work) if chosen.work is not None else None, target)
    moves, subproblems = search.prove(root, divide=not chosen.undivided)
    facts = facts_of(subproblems)
    claims = (line_claim(game, moves),) if chosen.evidence else ()
    proof = Proof(game, root, 1, chosen.method, claims, facts.pop("nodes"), budget.run.seconds - began, facts)
    if told is not None:
        told(proof)
    return proof


def _by_threats(
    game: Game, root: tuple[int, ...], budget: Budget, chosen: ThreatProofNumber,
    told: Callable[[Proof], None] | None, target: jit.Target,
) -> Proof:  # fmt: skip
    """Prove that the player to move wins go-moku, or that the one does who has begun in the centre."""
    began = budget.run.seconds
    work, proved = (None if one is None else Path(one) for one in (chosen.work, chosen.proved))
    found = prove_by_threats(game, root, budget, work, proved, target)
    claims = (found.claim(),) if chosen.evidence else ()
    outcome, seconds = 1 if found.player == 0 else -1, budget.run.seconds - began
    proof = Proof(game, root, outcome, chosen.method, claims, found.nodes, seconds, found.facts)
    if told is not None:
        told(proof)
    return proof


def _with_leaves(game: Game, root: Any, budget: Budget, leaves: LeafDatabase, target: jit.Target) -> Solved:
    table = new_transpositions(first_size(budget.run.memory // 4))
    search = AlphaBetaSearch(game, budget, table, budget.run.memory // 2, leaves, target)
    outcome = search.value(root, -1, 1)
    return Solved(outcome, outcome, (search.table, search.table), {"nodes": search.nodes})


def _with_evidence(
    proof: Proof, found: Solved, budget: Budget, leaves: LeafDatabase | None, target: jit.Target
) -> Proof:  # fmt: skip
    """Return the proof with the claims that can be gathered within the budget."""
    if (found.lower, found.upper) == (-1, 1) and "unreliable" in found.facts:
        why = "positions repeat, and `merge` counts a repetition on one path on all; leave it out"
        return replace(proof, incomplete=f"because nothing is proved: {why}")
    budget.allow_evidence()
    claims: list[Claim] = []
    incomplete = ""
    try:
        for claim in gather_claims(proof.game, proof.state, found, budget, leaves, target):
            claims.append(claim)  # a complete claim stays, even if the next one fails
    except (LimitReached, OutOfMemory) as error:
        incomplete = f"because its budget is used up: {error}"
    return replace(proof, claims=tuple(claims), incomplete=incomplete)
