"""Keep solved subproblems in a folder, a file for each, so that a stopped proof goes on where it ended."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.solvers.proof.lines.graph import Options

_State = tuple[int, ...]


@dataclass
class Subproblem:
    """A state with the claimer to move, its records once it is proved, and the sizes of its search."""

    state: _State
    records: dict[_State, int] = field(default_factory=dict)
    proved: bool = False
    nodes: int = 0
    evaluations: tuple[int, int] = (0, 0)


class Kept:
    """The folder; a file's name is the digest of the game, the options of the search and the subproblem's state."""

    def __init__(self, folder: Path, game: Game, options: Options) -> None:
        self.folder, self.game = folder, game
        self.asked = [game.fingerprint(), *options]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRequest(f"work {folder}: no folder for unfinished work: {error}") from None

    def file(self, one: Subproblem) -> Path:
        """Return the file of a subproblem."""
        text = json.dumps([*self.asked, list(one.state)])
        return self.folder / f"{sha256(text.encode()).hexdigest()[:32]}.json"

    def read(self, one: Subproblem) -> bool:
        """Take the records and counts of a subproblem from its file; return whether there is one that is whole."""
        try:
            kept = json.loads(self.file(one).read_text())
            records = {tuple(state): int(move) for *state, move in kept["records"]}
            nodes, evaluations = int(kept["nodes"]), (int(kept["evaluations"][0]), int(kept["evaluations"][1]))
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return False
        one.records, one.nodes, one.evaluations, one.proved = records, nodes, evaluations, True
        return True

    def write(self, one: Subproblem) -> None:
        """Write a proved subproblem; its file appears only when it is whole."""
        found = [[*map(int, state), int(move)] for state, move in one.records.items()]
        told = json.dumps({"nodes": one.nodes, "evaluations": list(one.evaluations), "records": found})
        place = self.file(one)
        unfinished = place.with_suffix(".unfinished")
        unfinished.write_text(told)
        os.replace(unfinished, place)
