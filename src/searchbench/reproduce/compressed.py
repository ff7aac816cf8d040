"""Check that depths modulo a small number give the same bound as whole ones everywhere (Edelkamp 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from searchbench import jit
from searchbench.abstraction import Abstraction
from searchbench.catalogue import load
from searchbench.exchange.decisions import reduce_sum
from searchbench.heuristics.residues import digits_of_bytes, modulus_of, packed, per_byte
from searchbench.index.contract import successor_ranks
from searchbench.reproduce.row import Cost, Measured, Row, forget_peak, peak_memory
from searchbench.rules import new_moves, new_state
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

SAME: Final = "the same on every state"
PATTERNS: Final = {
    "five-tiles": "sliding-groups:4x4,1-2-3-4-5",
    "top-spin": "top-spin-pattern:16,4,0-1-2-3-4",
    "four-edges": "rubik-pattern:UR-UF-UL-UB,clockwise",
    "seven-tiles": "sliding-groups:4x4,1-2-3-4-5-6-7",
    "six-edges": "rubik-pattern:UR-UF-UL-UB-FR-FL,clockwise",
}
"""Tiles of the 15-puzzle with the empty cell, tokens, and edges of a cube whose faces turn only one way."""
SHORT: Final = ("five-tiles", "top-spin", "four-edges")
SLICE: Final = 1 << 20


def count_differences(codes: Any, residues: Any, digits: Any, modulus: int, first: int, stop: int) -> int:
    """Count the moves of the states first .. stop - 1 after which the depth by residues differs from the table."""
    state = new_state()
    out = new_moves()
    numbers = new_moves()
    in_byte = digits.shape[1]
    differ = 0
    for number in range(first, stop):
        before = codes[number] - 1
        for index in range(successor_ranks(number, state, out, numbers)):
            after = numbers[index]
            digit = digits[residues[after // in_byte], after % in_byte]
            if before + (digit - before + 1) % modulus != codes[after] + 0:
                differ += 1
    return differ


def same_bounds(run: Run, patterns: Sequence[str]) -> Measured:
    """Follow the bound along every move of every state of some patterns, from depths modulo a small number."""
    figures: dict[str, str] = {}
    costs = []
    for pattern in patterns:
        forget_peak()
        game = load(PATTERNS[pattern])
        own = Run(memory=run.memory, threads=run.threads, report=run.report)
        one_way = isinstance(game, Abstraction) and game.one_way
        solved = solve_states(game, run=own) if one_way else solve_states(game, solver="bfs", form="values", run=own)
        modulus = modulus_of(solved)
        residues = packed(solved, modulus)
        differ = _differences(solved, residues, modulus, Run(memory=run.memory, threads=run.threads, report=run.report))
        figures[pattern] = SAME if differ == 0 else f"{differ:,} moves lead to another bound"
        name = f"{game}, modulo {modulus}, {per_byte(modulus)} to a byte"
        costs.append(Cost(name, solved.states, solved.facts["seconds"], residues.nbytes, peak_memory()))
    return Measured(figures, costs)


def _differences(solved: Database, residues: Any, modulus: int, run: Run) -> int:
    """Count the moves after which the bounds differ, on all threads."""
    kernel = jit.bind(count_differences, solved.game.names())
    codes, digits = solved.codes, digits_of_bytes(modulus)
    pieces = jit.intervals(0, len(codes), SLICE)
    with run as active:
        return reduce_sum(active.launch(kernel, pieces, codes, residues, digits, modulus, jit.FIRST, jit.STOP))


ROWS = [
    Row(
        "E12",
        "compressed pattern databases: the bound follows along moves, also where these go one way",
        "Edelkamp 2017, compressed pattern databases and theorem 0.1",
        dict.fromkeys(PATTERNS, SAME),
        same_bounds,
        note="the paper gives the theorem and no figure; a clockwise quarter turn raises the bound by 3 at most, so depths "
        "modulo 5 are kept, three to a byte; where moves can be taken back, modulo 3, five to a byte",
        parts=SHORT,
    ),
]
