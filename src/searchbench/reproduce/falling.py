"""Row on Connect Four, solved by Allen and by Allis in 1988 (Allis 1994, section 1.1)."""

from __future__ import annotations

from searchbench.catalogue import load
from searchbench.reproduce.row import Cost, Measured, Row, forget_peak, peak_memory
from searchbench.run import Run
from searchbench.solvers.proof import prove_state


def connect_four(run: Run) -> Measured:
    """Return the outcome of the start of Connect Four, by alpha-beta on bitboards."""
    forget_peak()
    proof = prove_state(load("connect4:7x6"), None, "alphabeta", Run(memory=run.memory, threads=1), evidence=False)
    cost = Cost("connect4:7x6", proof.nodes, proof.seconds, 0, peak_memory())
    return Measured({"connect4:7x6": proof.value}, [cost])


ROWS = [
    Row(
        "PN19",
        "Connect Four: the first player wins, by alpha-beta from the empty board",
        "Allis 1994, section 1.1",
        {"connect4:7x6": "win"},
        connect_four,
        note="proved by Allen and by Allis in 1988; one thread, no opening book",
        long=True,
    )
]
