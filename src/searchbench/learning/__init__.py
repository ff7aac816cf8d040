"""Ground truth for those who learn: positions with exact values, environments that know regret, grades for policies."""

from searchbench.learning.environments import environment
from searchbench.learning.exporting import Exported, export
from searchbench.learning.grading import Grade, grade
from searchbench.learning.tables import WrittenTable, write_table
from searchbench.learning.truths import Truths, truths

__all__ = ["Exported", "Grade", "Truths", "WrittenTable", "environment", "export", "grade", "truths", "write_table"]
