"""Layered games solved over decision diagrams: reachable layers, their numbering, and values in two bits a position."""
