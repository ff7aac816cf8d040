"""Drawings for pages and notebooks: boards, charts and trees as SVG, lines and databases as HTML."""

from searchbench.drawing.boards import board_svg, piece_svg
from searchbench.drawing.charts import Column, chart_svg, columns
from searchbench.drawing.curves import curves_svg
from searchbench.drawing.effort import effort_rows, effort_svg
from searchbench.drawing.notebook import boards_html, facts_html
from searchbench.drawing.palette import STYLE
from searchbench.drawing.trees import Branch, tree_svg

__all__ = [
    "STYLE", "Branch", "Column", "board_svg", "boards_html", "chart_svg", "columns", "curves_svg", "effort_rows",
    "effort_svg", "facts_html", "piece_svg", "tree_svg",
]  # fmt: skip
