"""Analyses as commands: here decision trees and the first mistakes that can be made; others are modules of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.derived import derived
from searchbench.cli.options import Folder, GameName, Json, Memory, OwnGame, Progress


@dataclass(frozen=True)
class Growth:
    """Say what a decision tree tells apart, of which states, and how far it grows."""

    wanted: Annotated[
        str | None,
        Option("--class", metavar="NAME", help="Tell only this class from all others: win, draw, loss."),
    ] = None
    part: Annotated[str | None, Option(metavar="NAME", help="Take only the states of this part.")] = None
    sample: Annotated[int | None, Option(min=1, help="Take only so many numbers, drawn by chance.")] = None
    depth: Annotated[int | None, Option(min=0, help="Ask at most so many attributes, and make mistakes.")] = None


@derived
def tree(
    folder: Folder,
    growth: Growth,
    svg: Annotated[Path | None, Option(metavar="FILE", help="Draw the tree into this file.")] = None,
    game: OwnGame = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Make a decision tree of the attributes that the game supplies, and print it."""
    import searchbench as sb
    from searchbench.analyse.tree import decision_tree
    from searchbench.cli.progress import Reporter

    show.check_drawing(svg)
    database = sb.open_database(folder, game)
    with Reporter(progress) as reporter:
        found = decision_tree(
            database, growth.wanted, growth.part, growth.sample, growth.depth, sb.Run(report=reporter)
        )
    if svg is not None:
        show.draw(found.svg(), svg)
    if as_json:
        show.write_json(found.as_dict())
        return
    show.write(found.text())
    show.write(
        f"\n{found.states:,} states, {found.leaves:,} {'leaf' if found.leaves == 1 else 'leaves'}, at most "
        f"{counted(str(found.root.depth), 'attribute')} to a leaf; {found.wrong:,} states in a wrong class"
    )


def mistakes(
    game: GameName,
    leaves: Annotated[Path, Option(metavar="DIR", help="A database that knows the outcome where search ends.")],
    plies: Annotated[int, Option(min=1, help="Look at so many plies at most.")] = 6,
    limit: Annotated[int, Option(min=0, help="Show at most so many.")] = 5,
    leaves_game: OwnGame = None,
    memory: Memory = None,
    as_json: Json = False,
    progress: Progress = None,
) -> None:
    """Find the earliest moves from the start of a game of two players that lose what was not lost."""
    import searchbench as sb
    from searchbench.analyse.mistakes import first_losing_moves
    from searchbench.cli.progress import Reporter
    from searchbench.run import parse_memory
    from searchbench.solvers.proof import LeafDatabase

    chosen = sb.load(game)
    with Reporter(progress) as reporter:
        run = sb.Run(memory=parse_memory(memory or 0), threads=1, report=reporter)
        found = first_losing_moves(LeafDatabase(chosen, sb.open_database(leaves, leaves_game)), plies, run)
    ply = found[0].ply if found else None
    if as_json:
        moves = [{"state": one.position.text, "move": one.move_text} for one in found]
        show.write_json({"ply": ply, "looked at": plies, "mistakes": moves})
        return
    if not found:
        show.write(f"no move of the first {'ply' if plies == 1 else f'{plies} plies'} loses what was not lost")
        return
    told = "1 move, up to symmetry, loses" if len(found) == 1 else f"{len(found):,} moves, up to symmetry, lose"
    show.write(f"ply {ply}: {told} what was not lost")
    for one in found[:limit]:
        show.write(f"\n{one.position}\n\n{one.position.text}   {one.move_text}")
