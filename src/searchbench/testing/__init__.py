"""Check that a game obeys the laws of the contract: `check_game`, for shipped and user-defined games."""

from searchbench.testing.check import LAWS, Broken, Check, check_game

__all__ = ["LAWS", "Broken", "Check", "check_game"]
