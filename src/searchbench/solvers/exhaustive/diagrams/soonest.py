"""Choose where a layered game is swept sooner: a small one is solved before its kernels are compiled."""

from __future__ import annotations

from typing import Final

from searchbench import jit
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.forward import Forward, digits_of
from searchbench.solvers.exhaustive.diagrams.images import image

FEW_POSITIONS: Final = 10_000
"""Up to how many positions a game is swept interpreted: a second's work, where compiling takes some twenty."""


def quickest_target(game: Game, run: Run) -> jit.Target:
    """Tell where a game is swept sooner: interpreted where few positions are reached, unless the kernels are kept on disk.

    Raises BadRequest and BadGame, as the search of its layers does.
    """
    digits = digits_of(game)
    if jit.is_kept(image, jit.Names({}, "cpu")):
        return "cpu"
    with Run(memory=run.memory, threads=1) as glance:
        return "interpreted" if Forward(game, digits, glance, "interpreted").are_few(FEW_POSITIONS) else "cpu"
