"""Learn about a computation and its results: predictions, statistics, decision trees."""
