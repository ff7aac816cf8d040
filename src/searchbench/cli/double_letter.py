"""The command that searches axioms of the double-letter puzzle in four ways."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from searchbench.cli import show
from searchbench.cli.commands import Argument, Option
from searchbench.cli.options import Json, Progress


def double_letter(
    axioms: Annotated[list[str] | None, Argument("[AXIOM]...", "Strings of the letters a to e.")] = None,
    random: Annotated[int, Option(min=0, metavar="N", help="Search so many random axioms of each length too.")] = 0,
    longest: Annotated[int, Option(min=1, max=40, metavar="N", help="The length of the longest random axioms.")] = 20,
    seed: Annotated[int, Option(min=0, help="Seed of the random axioms.")] = 1994,
    svg: Annotated[Path | None, Option(metavar="FILE", help="Draw the mean numbers of nodes into this file.")] = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Search axioms of the double-letter puzzle depth first, with a table, by dependency, and by the triangle."""
    import searchbench as sb
    from searchbench.analyse.double_letter import METHODS
    from searchbench.cli.progress import Reporter

    show.check_drawing(svg)
    wanted = [*(axioms or []), *sb.analyse.random_axioms(range(1, longest + 1), random, seed)]
    with Reporter(progress) as reporter:
        found = sb.analyse.compare_searches(wanted, sb.Run(threads=1, report=reporter))
    if svg is not None:
        show.draw(found.svg(), svg)
    if as_json:
        show.write_json(found.as_dict())
        return
    for one in found.searches[: len(axioms or [])]:
        solved = f"becomes {' or '.join(one.letters)}" if one.letters else "cannot be solved"
        nodes = ", ".join(f"{name} {getattr(one, method):,}" for method, name in METHODS.items())
        show.write(f"{one.axiom} {solved}; nodes: {nodes}")
    if random:
        show.write(show.table(found.rows(), ["length", *METHODS.values()]))
        show.write(f"stopped: {found.stopped[0]} depth first, {found.stopped[1]} with a table")
