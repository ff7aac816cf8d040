"""Numbers for states: bijections between the states of a game and 0 .. size - 1 (Gasser 1995, section 3.3; Edelkamp 2017)."""

from searchbench.index.permutation import LexicographicPermutation, MyrvoldRuskeyPermutation
from searchbench.index.protocol import Index, Part

__all__ = ["Index", "LexicographicPermutation", "MyrvoldRuskeyPermutation", "Part"]
