"""A database: the values of all states of a game."""

from searchbench.store.database import Database

__all__ = ["Database"]
