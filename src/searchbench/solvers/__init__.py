"""Control strategies: each a function that takes a game and returns a result."""
