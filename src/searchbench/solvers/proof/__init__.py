"""Prove the value of one state of a two-player game: proof-number search, alpha-beta search, and evidence."""

from searchbench.solvers.proof.book import Book
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
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.prove import methods_for, prove_state

__all__ = [
    "METHODS",
    "AlphaBeta",
    "BStar",
    "Book",
    "ConspiracyNumber",
    "DepthFirstProofNumber",
    "GraphProofNumber",
    "LeafDatabase",
    "MSTStar",
    "Portfolio",
    "ProofNumber",
    "Proving",
    "SSSStar",
    "ThreatProofNumber",
    "methods_for",
    "prove_state",
]
