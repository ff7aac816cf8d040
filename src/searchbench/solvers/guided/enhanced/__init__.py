"""IDA* with enhancements and control functions that are data."""

from searchbench.solvers.guided.enhanced.controls import Controls, Enhancement, Sound
from searchbench.solvers.guided.enhanced.search import Enhanced, EnhancedGame

__all__ = ["Controls", "Enhanced", "EnhancedGame", "Enhancement", "Sound"]
