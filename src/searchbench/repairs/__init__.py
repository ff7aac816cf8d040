"""Repair a database: compute wrong and unreadable values again, with all values that rest on them."""

from searchbench.repairs.database import repair_database, repair_folder
from searchbench.repairs.report import Change, Repair

__all__ = ["Change", "Repair", "repair_database", "repair_folder"]
