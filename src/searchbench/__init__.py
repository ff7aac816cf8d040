"""A workbench that solves games and puzzles exactly."""
