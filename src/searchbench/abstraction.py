"""An abstraction: a game in which states of another game look alike; its values bound those of the other game."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from searchbench.game import Game


class Abstraction(Game):
    """Hold the rules of an abstraction: a game that can be solved, and how states of the original map into it.

    Besides a game's rules, ``rules()`` supplies `image_number` and, where that is quicker than to number anew,
    `image_step`: functions of the *original's* states that read the tables of `images`. Abstractions of one class and
    original share these two functions. Every move can be taken back at the same cost, and the start is the image of the
    solved state: so the depth of a state is its distance to the end.
    """

    def original(self) -> Game:
        """Return the game whose states look alike."""
        raise NotImplementedError

    def images(self) -> list[npt.NDArray[np.int64]]:
        """Return the tables of all look-ups: that of a state itself, then of its images in the original's symmetries."""
        raise NotImplementedError

    def charged(self) -> frozenset[Any] | None:
        """Return what costs something to move here; None: every move costs. Bounds that charge for nothing twice add up."""
        return None
