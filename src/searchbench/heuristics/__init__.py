"""Bounds on values."""
