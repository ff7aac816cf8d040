"""Solvers of all states on a graphics processor (Edelkamp 2017): the same tables, one thread a number."""
