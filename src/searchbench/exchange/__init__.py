"""Deliver values to predecessors: write requests into buckets by block, then apply each bucket to its block."""

from searchbench.exchange.memory import Buckets, Pages
from searchbench.exchange.table import Table

__all__ = ["Buckets", "Pages", "Table"]
