"""Check that a game keeps the laws of the contract: `check_game`, for every shipped game and for a user's own."""

from searchbench.testing.check import LAWS, Broken, Check, check_game

__all__ = ["LAWS", "Broken", "Check", "check_game"]
