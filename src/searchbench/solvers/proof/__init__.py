"""Prove the value of one state of a two-player game: proof-number search, alpha-beta search, and evidence."""

from searchbench.solvers.proof.prove import METHODS, prove_state

__all__ = ["METHODS", "prove_state"]
