"""The command that solves a puzzle in steps, and proves by detours how many moves suffice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Argument, Exit, Option
from searchbench.cli.derived import derived
from searchbench.cli.options import GameName, Json, Resources

if TYPE_CHECKING:
    from searchbench.analyse import Detours, Subgoals
    from searchbench.run import Run

SHOWN: Final = 10
"""How many states are shown that may take more moves than a limit."""


@dataclass(frozen=True)
class Claim:
    """Say how many moves are to be proved to suffice, by which detours, and where the unfinished proof is kept."""

    at_most: Annotated[
        int | None,
        Option(min=0, metavar="N", help="Prove that no state takes more moves, by detours in the first step."),
    ] = None
    detour: Annotated[
        int | None, Option(min=0, metavar="N", help="How much longer than the shortest way a detour may be.")
    ] = None
    work: Annotated[
        Path | None, Option(metavar="DIR", help="Keep the unfinished work of the proof here, and go on with it.")
    ] = None

    def prove(self, steps: Subgoals, run: Run) -> Detours | None:
        """Return what came of the proof; None if none is asked for."""
        from searchbench.analyse.detours import DETOUR, prove_limit

        if self.at_most is None:
            return None
        run.work = self.work
        return prove_limit(steps, self.at_most, run, DETOUR if self.detour is None else self.detour)


@derived
def subgoals(
    game: GameName,
    steps: Annotated[
        list[str], Argument(metavar="STEP...", help="The pieces that each step brings home, such as 12-13-14-15.")
    ],
    state: Annotated[str | None, Option(metavar="STATE", help="Show a line from this state, step by step.")] = None,
    to: Annotated[Path | None, Option(metavar="DIR", help="Keep the steps' databases in this folder.")] = None,
    *,
    claim: Claim,
    resources: Resources,
    as_json: Json = False,
) -> None:
    """Solve a puzzle in steps that leave alone the pieces at home: how many moves each takes, and all together at most."""
    import searchbench as sb
    from searchbench.cli.progress import Reporter
    from searchbench.errors import BadRequest

    if claim.at_most is None and (claim.detour is not None or claim.work is not None):
        raise BadRequest("--detour and --work are for a proof: say with --at-most what is to be proved")
    with Reporter(resources.progress) as reporter:
        found = sb.analyse.solve_subgoals(game, steps, resources.run(reporter), to)
        proof = claim.prove(found, resources.run(reporter))
    line = found.line(state) if state is not None else None
    if as_json:
        rows = [
            {"step": one.game.spec, "states": one.states, "average": round(one.average, 3), "longest": one.longest}
            for one in found.steps
        ]
        told = {"cost": line.cost, "moves": line.move_texts()} if line is not None else None
        looked = proof and {
            "limit": proof.limit, "proved": proof.proved, "patterns": proof.patterns, "states": proof.states,
            "ways": proof.ways, "open": [proof.game.format(one) for one in proof.open], "seconds": round(proof.seconds, 3),
        }  # fmt: skip
        answer = {
            "steps": rows,
            "average": round(found.average, 3),
            "longest": found.bound,
            "line": told,
            "proof": looked,
        }
        show.write_json(answer)
        _end(proof)
        return
    table = [(one.game.spec, f"{one.states:,}", f"{one.average:.1f}", str(one.longest)) for one in found.steps]
    table.append(("all", f"{sum(one.states for one in found.steps):,}", f"{found.average:.1f}", str(found.longest)))
    show.write(show.table(table, ("step", "states", "average", "longest")))
    show.write(f"no state takes more than {found.bound} moves")
    if proof is not None:
        first = "no state takes more" if proof.proved else f"{len(proof.open):,} states may take more"
        show.write(
            f"{first} than {proof.limit} moves with detours: {proof.states:,} states that look like {proof.patterns:,} patterns, "
            f"{proof.ways:,} ways, {proof.seconds:.1f} s"
        )
        for one in proof.open[:SHOWN]:
            show.write(proof.game.format(one))
    if line is not None:
        show.write(f"\n{show.line(line)}\n\n{counted(str(line.cost), 'move')} (perhaps not the least)")
    _end(proof)


def _end(proof: Detours | None) -> None:
    """End with the exit code of a limit where the proof leaves states open."""
    if proof is not None and not proof.proved:
        raise Exit(20)
