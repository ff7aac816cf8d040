"""Breadth-first search of permutation games by moving whole rows of numbers: no state is ranked, unranked or built."""
