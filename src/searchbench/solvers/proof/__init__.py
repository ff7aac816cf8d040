"""Prove the value of one state of a two-player game."""
