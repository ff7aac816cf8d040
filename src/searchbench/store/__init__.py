"""A database: the values of all states of a game, in memory or on disk."""

from searchbench.store.database import Choice, Database
from searchbench.store.keep import Keep
from searchbench.store.opening import Lost, open_database, open_salvaged

__all__ = ["Choice", "Database", "Keep", "Lost", "open_database", "open_salvaged"]
