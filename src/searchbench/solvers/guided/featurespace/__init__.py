"""Feature-space search: moves are weighed by advisors, and cells of positions with the same features take turns."""

from searchbench.solvers.guided.featurespace.search import FeatureSpace
from searchbench.solvers.guided.featurespace.strategy import FeatureSpaceGame

__all__ = ["FeatureSpace", "FeatureSpaceGame"]
