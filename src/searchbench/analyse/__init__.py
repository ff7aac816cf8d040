"""Answer questions about solved games and puzzles: completions, subgoals, detours, decision trees, first mistakes, and others.

Each analysis is a module of its own. Its public names stand here, too, and are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchbench.analyse.cluster import predict_on_ranks
    from searchbench.analyse.completions import Completions, solve_completions
    from searchbench.analyse.complexity import Complexity, estimate_complexity
    from searchbench.analyse.detours import Detours, prove_limit
    from searchbench.analyse.double_letter import (
        Comparison,
        compare_searches,
        double_letter_system,
        random_axioms,
        triangle,
    )
    from searchbench.analyse.mistakes import Mistake, first_losing_moves
    from searchbench.analyse.scaling import RanksPrediction
    from searchbench.analyse.subgoals import Step, Subgoals, solve_subgoals
    from searchbench.analyse.sweep_on_ranks import predict_sweep_on_ranks
    from searchbench.analyse.tree import DecisionTree, decision_tree

_HOMES = {
    "Completions": "completions", "Complexity": "complexity", "DecisionTree": "tree", "Detours": "detours",
    "Mistake": "mistakes", "Step": "subgoals", "Subgoals": "subgoals", "decision_tree": "tree",
    "estimate_complexity": "complexity", "first_losing_moves": "mistakes", "prove_limit": "detours",
    "solve_completions": "completions", "solve_subgoals": "subgoals",
    "Comparison": "double_letter", "compare_searches": "double_letter", "double_letter_system": "double_letter",
    "random_axioms": "double_letter", "triangle": "double_letter",
    "RanksPrediction": "scaling", "predict_on_ranks": "cluster", "predict_sweep_on_ranks": "sweep_on_ranks",
}  # fmt: skip
"""The module of each public name. No name is that of a module: importing the module would put it in the name's place."""

__all__ = [
    "Comparison", "Completions", "Complexity", "DecisionTree", "Detours", "Mistake", "RanksPrediction", "Step",
    "Subgoals", "compare_searches", "decision_tree", "double_letter_system", "estimate_complexity", "first_losing_moves",
    "predict_on_ranks", "predict_sweep_on_ranks", "prove_limit",
    "random_axioms", "solve_completions", "solve_subgoals", "triangle",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'searchbench.analyse' has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(f"searchbench.analyse.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
