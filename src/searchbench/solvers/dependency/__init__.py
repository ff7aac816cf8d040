"""Dependency-based search: combine operators only where an operator needs them together (Allis 1994, chapter 3)."""

from searchbench.solvers.dependency.lines import Attack, forced_sequence, line_system
from searchbench.solvers.dependency.paths import Classes, Paths, enumerate_classes, search_paths
from searchbench.solvers.dependency.search import Dependencies, Node, search_by_dependency
from searchbench.solvers.dependency.system import Attribute, Operator, System, explicit_system

__all__ = [
    "Attack", "Attribute", "Classes", "Dependencies", "Node", "Operator", "Paths", "System", "enumerate_classes",
    "explicit_system", "forced_sequence", "line_system", "search_by_dependency", "search_paths",
]  # fmt: skip
