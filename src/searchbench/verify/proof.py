"""Check a proof by following its strategies against every reply."""

from __future__ import annotations

from searchbench import jit
from searchbench.proof import Proof
from searchbench.verify.claim import AT_LEAST, WHO, check_claim


def verify_proof(proof: Proof, target: jit.Target | None = None) -> list[str]:
    """Return the faults of a proof, each with its state; an empty list if there are none.

    Without a `target` small claims are checked interpreted.
    """
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
            faults.append(f"{proof.game}: nothing shows that {WHO[player]} gets {AT_LEAST[bound]}{why}")
    for claim in proof.claims:
        faults += check_claim(proof.game, proof.state, claim, proof.leaves, target=target).faults
    return faults
