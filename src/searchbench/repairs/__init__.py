"""Repair a database: what verification finds wrong, or cannot be read, is worked out anew, with all that rests on it."""

from searchbench.repairs.database import repair_database, repair_folder
from searchbench.repairs.report import Change, Repair

__all__ = ["Change", "Repair", "repair_database", "repair_folder"]
