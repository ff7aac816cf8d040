"""Prove the value of one state of a two-player game: proof-number search, alpha-beta search, and evidence."""

from searchbench.solvers.proof.book import Book
from searchbench.solvers.proof.configuration import (
    METHODS,
    AlphaBeta,
    DepthFirstProofNumber,
    GraphProofNumber,
    ProofNumber,
    Proving,
    ThreatProofNumber,
)
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.prove import prove_state

__all__ = [
    "METHODS",
    "AlphaBeta",
    "Book",
    "DepthFirstProofNumber",
    "GraphProofNumber",
    "LeafDatabase",
    "ProofNumber",
    "Proving",
    "ThreatProofNumber",
    "prove_state",
]
