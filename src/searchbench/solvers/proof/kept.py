"""Keep an unfinished proof in a folder: the answers so far, and the arrays of the search under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from searchbench import stopping
from searchbench.configuration import given_options
from searchbench.errors import DamagedData
from searchbench.game import Game
from searchbench.run import Run
from searchbench.solvers.proof.configuration import DepthFirstProofNumber, ProofNumber, Proving
from searchbench.store.working import WorkingFolder, discard

NO_TASK: Final = ("evidence", "work", "table")
"""Options that may differ when a proof goes on."""


class Keeping(Protocol):
    """A search that can go on from its arrays; it calls `pause` between two of its slices."""

    pause: Callable[[], None]

    @property
    def nodes(self) -> int:
        """Return its nodes so far."""

    def arrays(self) -> Mapping[str, Any]:
        """Return the arrays that it goes on from, vectors by name."""

    def restore(self, arrays: Mapping[str, Any], nodes: int) -> None:
        """Go on from arrays."""


class KeptProof:
    """Ask the questions of a proof, and keep the answers and the search in a folder if there is one."""

    def __init__(self, folder: WorkingFolder | None, run: Run) -> None:
        self.folder, self.run = folder, run
        record = {} if folder is None else folder.record
        self.answers = {int(bound): bool(answer) for bound, answer in record.get("answers", {}).items()}
        self.earlier = float(record.get("seconds", 0.0))
        """The seconds of the runs before this one, as far as they were kept."""
        self._began = run.seconds
        self._search: Keeping | None = None

    def holds(self, bound: int, ask: Callable[[int], bool]) -> bool:
        """Return the answer to a question; ask it only if the answer is not known."""
        if bound not in self.answers:
            self.answers[bound] = ask(bound)
        return self.answers[bound]

    def outcome(self, ask: Callable[[int], bool]) -> int:
        """Ask "does the player to move win?", and if not, "does she get at least a draw?"; return the outcome."""
        outcome = 1 if self.holds(1, ask) else 0 if self.holds(0, ask) else -1
        self.save()
        if self.folder is not None:
            self.folder.settled()  # what is still to be done, evidence, is not kept
        return outcome

    def attach(self, search: Keeping) -> None:
        """Let a search go on from the folder, and keep it there from now on. Raises DamagedData."""
        if self.folder is None:
            return
        search.pause = self.pause
        if self.folder.copies:
            copies = {name: self.folder.copy_of(name, self.run) for name in sorted(self.folder.copies)}
            try:
                search.restore(copies, int(self.folder.record["nodes"]))
            except (KeyError, ValueError, TypeError, IndexError):
                raise DamagedData(
                    f"{self.folder.path} holds a search in the layout of another version of searchbench: "
                    "remove the folder and begin again, or go on with that version"
                ) from None
        self._search = search  # which is kept only if it could go on

    def pause(self) -> None:
        """Keep the search if it is time; called between two of its slices."""
        if self.folder is not None and self.folder.due:
            self.save()

    def detach(self) -> None:
        """Let go of the search: it and this object name each other, and its tables are large."""
        self._search = None

    def save(self) -> None:
        """Keep the answers and the search."""
        if self.folder is None or self._search is None:
            return
        answers = {str(bound): answer for bound, answer in self.answers.items()}
        arrays = {name: np.asarray(array) for name, array in self._search.arrays().items()}
        facts = {
            "answers": answers,
            "nodes": self._search.nodes,
            "seconds": self.earlier + self.run.seconds - self._began,
        }
        self.folder.commit(facts, arrays, self.run)

    def discard(self) -> None:
        """Remove the folder: the proof is done."""
        if self.folder is not None:
            self.folder.close()
            discard(self.folder.path)


@contextmanager
def kept_proof(game: Game, root: Sequence[int], chosen: Proving, run: Run) -> Iterator[KeptProof]:
    """Yield the folder of a proof; whatever ends the search, it is kept. Raises BadRequest and DamagedData."""
    work = chosen.work if isinstance(chosen, ProofNumber | DepthFirstProofNumber) else None
    if work is None:
        yield KeptProof(None, run)
        return
    options = {name: value for name, value in given_options(chosen).items() if name not in NO_TASK}
    identity = {key: game.identity()[key] for key in ("name", "version", "parameters")}
    task = {**identity, "fingerprint": game.fingerprint(), "state": [int(cell) for cell in root]}
    task |= {"method": chosen.method, "options": options}
    with WorkingFolder(Path(work), task, run.checkpoint_interval) as folder:
        kept = KeptProof(folder, run)
        try:
            yield kept
        except BaseException as error:
            if not (isinstance(error, KeyboardInterrupt) and stopping.asked()):  # else it ended where it was kept
                kept.save()
            raise
        finally:
            kept.detach()
