"""Prove wins in games of lines: forced sequences as evaluation, proof-number search over a directed acyclic graph above."""
