"""A database: the values of all states of a game, in memory or on disk."""

from searchbench.store.database import Choice, Database
from searchbench.store.opening import open_database

__all__ = ["Choice", "Database", "open_database"]
