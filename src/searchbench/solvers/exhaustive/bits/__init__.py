"""Breadth-first search of any game on bit vectors: two bits a state, or one (Edelkamp 2017)."""
