"""Indexes: bijections between the states of a game and 0 .. size - 1 (Gasser 1995, section 3.3; Edelkamp 2017)."""

from typing import Any

from searchbench.errors import no_such_name
from searchbench.index.combination import Combination, Composition
from searchbench.index.compose import Product, Radix, Sum
from searchbench.index.multiset import Multiset, OneEmpty, multinomial
from searchbench.index.orbit import Orbits, group, polya_count
from searchbench.index.permutation import LexicographicPermutation, MyrvoldRuskeyPermutation
from searchbench.index.placement import Placement
from searchbench.index.protocol import Index, Part
from searchbench.index.sequence import Rearrangement, Sequences, exchange

__all__ = [
    "Combination",
    "Composition",
    "Index",
    "LexicographicPermutation",
    "Multiset",
    "MyrvoldRuskeyPermutation",
    "OneEmpty",
    "Orbits",
    "Part",
    "Placement",
    "Product",
    "Radix",
    "Rearrangement",
    "Sequences",
    "Sum",
    "exchange",
    "group",
    "multinomial",
    "polya_count",
]


def __getattr__(name: str) -> Any:
    raise no_such_name("searchbench.index", name, __all__)
