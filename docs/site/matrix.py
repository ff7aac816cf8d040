"""The matrix of games and solvers, worked out from the rules that the solvers' kernels reach."""

from __future__ import annotations

from gallery import DRAWN

from searchbench import load
from searchbench.analyse.matrix import SOLVERS, obstacle
from searchbench.catalogue import shipped


def matrix_page() -> str:
    """Return the page."""
    lines = [
        "---",
        "hide: [toc, navigation]",
        "---",
        "",
        "# Games and solvers",
        "",
        "Which solver runs on which game. Where one does not, the cell says which rule is missing, or why. Nobody wrote this",
        "table: `searchbench games --matrix` makes it from the rules that each solver calls.",
        "",
        '<div class="sb-matrix" markdown>',
        "",
        f"| game | {' | '.join(SOLVERS)} |",
        f"|---|{'---|' * len(SOLVERS)}",
    ]
    for kind in shipped():
        game = load(DRAWN.get(kind.name, kind.name))
        cells = [obstacle(game, solver) or "**yes**" for solver in SOLVERS]
        lines.append(f"| [{kind.name}](games/{kind.name}.md) | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "</div>"]) + "\n"
