"""Row on awari, whose databases Allis (1994, section 2.4) and Gasser (1995, section 1) report."""

from __future__ import annotations

from math import comb
from typing import Any

from searchbench.catalogue import load
from searchbench.index import Composition
from searchbench.reproduce.row import Row
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states

STONES = 10


def awari(run: Run) -> dict[str, Any]:
    """Return the counts and faults of a database of up to ten stones, and the size of the paper's database."""
    solved = solve_states(load(f"awari:{STONES}"), run=Run(memory=run.memory, threads=run.threads))
    parts = {part.name: solved.histogram(part.name) for part in solved.parts}
    return {
        "positions, up to 22 stones": sum(Composition(stones, 12).size for stones in range(1, 23)),
        f"positions, {STONES} stones": sum(parts[str(STONES)].values()),
        "faults": solved.verify().count,
    }


ROWS = [
    Row(
        "G30",
        f"awari: every position, up to {STONES} stones so far",
        "Gasser 1995, section 1.2",
        {
            "positions, up to 22 stones": comb(34, 12) - 1,
            f"positions, {STONES} stones": comb(21, 11),
            "faults": 0,
        },
        awari,
        note="the paper gives 5.5 * 10^8 positions for 22 stones, that is C(34, 12) less the empty board",
    )
]
