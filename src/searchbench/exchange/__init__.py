"""Bring values to the states that they concern: emit requests into buckets by block, apply each bucket to its block."""

from searchbench.exchange.memory import Buckets, Pages, pack, unpack_code, unpack_local, unpack_weight
from searchbench.exchange.table import ILLEGAL, Table

__all__ = [
    "ILLEGAL", "Buckets", "Pages", "Table", "pack", "unpack_code", "unpack_local", "unpack_weight",
]  # fmt: skip
