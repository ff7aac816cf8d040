"""Check a proof by following its strategies against every reply.

Play under a claim of a win must end: a state that repeats is a fault. Under a claim of a draw or better, play may go on
for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from searchbench.game import Game
from searchbench.proof import Claim, KnownOutcomes, Proof
from searchbench.rules import UNDECIDED

_State = tuple[int, ...]
_Turn = tuple[_State, bool]
"""A state, and whether the claimer is to move."""

_WHO = {0: "the player to move", 1: "the other player"}
_AT_LEAST = {-1: "a loss or better", 0: "a draw or better", 1: "a win"}


def verify_proof(proof: Proof) -> list[str]:
    """Return the faults of a proof, each with its state; an empty list if there are none."""
    if proof.outcome not in (-1, 0, 1):
        return [f"outcome {proof.outcome}: expected -1, 0 or +1"]
    if not proof.outcome <= proof.highest <= 1:
        return [f"at most {proof.highest}: expected {proof.outcome} to +1"]
    faults = []
    for player, bound in ((0, proof.outcome), (1, -proof.highest)):
        if bound > -1 and not any(claim.player == player and claim.bound >= bound for claim in proof.claims):
            why = (
                f": the search proved it, but the evidence is incomplete, {proof.incomplete}"
                if proof.incomplete
                else ""
            )
            faults.append(f"{proof.game}: nothing shows that {_WHO[player]} gets {_AT_LEAST[bound]}{why}")
    for claim in proof.claims:
        faults += _check(proof.game, proof.state, claim, proof.leaves)
    return faults


def _check(game: Game, root: _State, claim: Claim, leaves: KnownOutcomes | None) -> list[str]:
    """Follow a strategy depth first from the root; visit each state once."""
    if claim.player not in _WHO or claim.bound not in _AT_LEAST:
        return [f"a claim of player {claim.player} for {claim.bound}: expected player 0 or 1, and -1, 0 or +1"]
    about = f"{game}: {_WHO[claim.player]} gets {_AT_LEAST[claim.bound]}"
    faults: list[str] = []
    first = (tuple(root), claim.player == 0)
    path = [(first, iter(_next_turns(game, claim, first, leaves, about, faults)))]
    on_path, seen = {first}, {first}
    while path:
        turn, following = path[-1]
        for after in following:
            if after in on_path and claim.bound > 0:
                faults.append(f"{about}: play comes back to {game.format(after[0])!r} and need not end")
            if after not in seen:
                seen.add(after)
                on_path.add(after)
                path.append((after, iter(_next_turns(game, claim, after, leaves, about, faults))))
                break
        else:
            on_path.remove(turn)
            path.pop()
    return faults


def _next_turns(
    game: Game, claim: Claim, turn: _Turn, leaves: KnownOutcomes | None, about: str, faults: list[str]
) -> Iterator[_Turn]:
    """Yield the turns that can follow a turn; add its errors to `faults`."""
    state, claims = turn
    result = game.terminal(state)
    if result == UNDECIDED and leaves is not None and (known := leaves.outcome(state)) is not None:
        result = known
    legal = game.moves(state) if result == UNDECIDED else []
    if not legal:
        result = 0 if result == UNDECIDED else (result > 0) - (result < 0)
        if (result if claims else -result) < claim.bound:
            faults.append(f"{about}: not in {game.format(state)!r}, where the game is over")
        return
    if claims:
        if state not in claim.strategy:
            faults.append(f"{about}: no move is given for {game.format(state)!r}")
            return
        move = claim.strategy[state]
        if move not in legal:
            faults.append(f"{about}: the move {move} given for {game.format(state)!r} is not legal")
            return
        legal = [move]
    for move in legal:
        yield tuple(game.play(state, move)), not claims
