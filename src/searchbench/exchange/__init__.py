"""Bring values to the states that they concern: emit requests into buckets by block, apply each bucket to its block."""

from searchbench.exchange.memory import Buckets, Pages
from searchbench.exchange.table import Table

__all__ = ["Buckets", "Pages", "Table"]
