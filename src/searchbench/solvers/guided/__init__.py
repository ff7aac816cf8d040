"""Search one state of a puzzle: best-first and depth-first searches guided by a bound."""
