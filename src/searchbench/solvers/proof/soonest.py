"""Prove a state without the compiler where that is sooner: a small proof is there before its kernels are compiled."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.game import Game, Position
from searchbench.proof import Proof
from searchbench.run import Limits, Run, requested
from searchbench.solvers.proof import alphabeta, dfpn, merged, pns
from searchbench.solvers.proof.configuration import (
    METHODS,
    AlphaBeta,
    DepthFirstProofNumber,
    Portfolio,
    ProofNumber,
    Proving,
)
from searchbench.solvers.proof.prove import default_method, prove_state, searched, told_of_gaps

log = logging.getLogger(__name__)
GLANCE: Final = Limits(nodes=20_000, seconds=2.0)
"""Where the interpreted search ends unfinished: so many nodes take a second or two, compiling takes some ten."""
MOST_MOVES: Final = 1_000
"""The moves of a state with which there is a glance at all: with more, the limits would be seen too late."""
TURN: Final = GLANCE.nodes // 16
"""Nodes of the first turn in a portfolio that is interpreted, so that both searches have some."""


def prove_soonest(
    game: Game,
    state: Position | str | Sequence[int] | None = None,
    configuration: Proving | str | None = None,
    run: Run | None = None,
    limits: Limits | None = None,
    *,
    told: Callable[[Proof], None] | None = None,
    target: jit.Target | None = None,
    **options: Any,
) -> Proof:
    """Prove as `prove_state` does, interpreted if that takes a second or two and the kernel is not kept on disk.

    Both ways search the same nodes and find the same strategies, but that a portfolio has shorter turns when interpreted. With a
    `target` there is no choice.
    """
    run = run or Run()
    chosen, limits = requested(METHODS, configuration or default_method(game, options), limits, options)
    proof = _at_a_glance(game, state, chosen, run, limits) if target is None else None
    if proof is None:
        return prove_state(game, state, chosen, run, limits, told=told, target=target or "cpu")
    if told is not None:
        told(proof)
    return told_of_gaps(proof)


def _at_a_glance(
    game: Game, state: Position | str | Sequence[int] | None, chosen: Proving, run: Run, limits: Limits
) -> Proof | None:
    """Return the proof if the interpreter finds it within a glance, with its evidence or what the limits leave of that."""
    kernel = _kernel(game, chosen)
    if kernel is None or game.max_moves > MOST_MOVES:
        return None
    nearest = limits.within(GLANCE)
    brief = replace(chosen, turn=min(chosen.turn, TURN)) if isinstance(chosen, Portfolio) else chosen
    glance = Run(memory=run.memory, threads=1, clock=time.thread_time)
    try:
        if jit.is_kept(kernel, game.names().with_(**_choices(chosen))):
            return None
        proof = searched(game, state, brief, glance, nearest, None, "interpreted")
    except LimitReached:
        if limits.nodes == nearest.nodes and glance.seconds < nearest.seconds:
            raise  # the compiled search would end at the same node
        return None
    except Exception:  # rules that fail: the compiled search tells of them
        log.debug("the interpreted search ended early", exc_info=True)
        return None
    whole = not proof.incomplete or (limits.nodes == nearest.nodes and glance.seconds < nearest.seconds)
    return proof if whole else None


def _kernel(game: Game, chosen: Proving) -> Callable[..., Any] | None:
    """Return the kernel that takes longest to compile; None where a search keeps its work, or has tables to read."""
    if getattr(chosen, "work", None) is not None:
        return None
    if isinstance(chosen, ProofNumber):
        return pns.grow if chosen.merge == "none" else merged.search
    if isinstance(chosen, DepthFirstProofNumber):
        return dfpn.deepen
    general = (
        game.claimed("drops") is None
        and getattr(chosen, "leaves", None) is None
        and isinstance(chosen, AlphaBeta | Portfolio)
    )
    return alphabeta.descend if general else None


def _choices(chosen: Proving) -> dict[str, Any]:
    return chosen.choices() if isinstance(chosen, ProofNumber | DepthFirstProofNumber) else {}
