"""Count the positions of fox and geese that are won for the geese: Edelkamp 2017, table 0.7."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb
from typing import Any, Final

from searchbench import jit
from searchbench.catalogue import load
from searchbench.exchange.decisions import reduce_rows
from searchbench.index.contract import unrank
from searchbench.reproduce.row import Cost, Measured, Row, forget_peak, peak_memory
from searchbench.rules import new_state, stabilizer
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database

SYMMETRIES: Final = 8
POINTS: Final = 33
FEWEST: Final = 4
TURN: Final = 2
"""The cell of a state with the player to move: 1 is the fox."""
DRAW: Final = 0
PIECE: Final = 1 << 20


def count_won(codes: Any, illegal: int, first: int, stop: int, won: Any) -> None:
    """Count the positions first .. stop - 1 with their images: all of them, and those won for the geese."""
    state = new_state()
    for number in range(first, stop):
        code = codes[number]
        if code == illegal:
            continue
        unrank(number, state)
        images = SYMMETRIES // stabilizer(state)
        won[0] += images
        if code != DRAW and (code - 1) & 1 != state[TURN]:  # the last bit is set where the player to move wins
            won[1] += images


def won_for_geese(solved: Database, run: Run) -> dict[int, tuple[int, int]]:
    """Return the positions and those won for the geese by the number of geese; symmetric positions count one by one."""
    kernel = jit.bind(count_won, solved.game.names())
    codes = solved.codes

    found = {}
    for part in solved.game.parts():
        pieces = jit.intervals(part.start, part.stop, PIECE)
        counts = jit.note_rows(len(pieces), 2)
        run.launch(kernel, pieces, codes, solved.illegal, jit.FIRST, jit.STOP, jit.Rows(counts))
        positions, won = reduce_rows(counts).tolist()
        found[int(part.name)] = (positions, won)
    return found


def fox_and_geese(geese: int, first: int = FEWEST) -> Callable[[Run], Measured]:
    """Return the measurement of `first` to `geese` geese: the positions, and those won for the geese."""

    def measure(run: Run) -> Measured:
        forget_peak()
        with Run(memory=run.memory, threads=run.threads, report=run.report) as fresh:
            solved = solve_states(load(f"fox-and-geese:{geese}"), run=fresh)
            facts = solved.facts
            cost = Cost(str(solved.game), solved.states, facts["seconds"], facts["memory"], peak_memory())
            counts = won_for_geese(solved, fresh)
        return Measured({number: _figures(*counts[number]) for number in range(first, geese + 1)}, [cost])

    return measure


def _figures(positions: int, won: int) -> dict[str, int]:
    return {"states": positions, "won": won}


WON: Final = {4: 40, 5: 1280, 6: 21380, 7: 918195, 8: 6381436}
"""The paper's table, by the number of geese."""
SOURCE: Final = "Edelkamp 2017, table 0.7"
ODD: Final = (
    "the paper's numbers for 7 and 9 geese are odd, and no position with so many is its own image under all eight "
    "symmetries of the board: no rules that treat its sides alike give them"
)


def paper(geese: Iterable[int]) -> dict[int, dict[str, int]]:
    """Return the paper's figures."""
    return {number: _figures(2 * POINTS * comb(POINTS - 1, number), WON[number]) for number in geese}


ROWS = [
    Row(
        "E10",
        "fox and geese, 4 to 6 geese: positions, and those won for the geese",
        SOURCE,
        paper(range(4, 7)),
        fox_and_geese(6),
        note="geese and fox go along the lines in any direction, the fox takes one goose at a jump or none; a win that the "
        "geese cannot force does not count. The paper prints 59,808,675 states for 6 geese, where its own formula gives "
        "59,808,672. Its iterations are those of its own program",
    ),
    Row(
        "E10-7",
        "fox and geese, 7 geese: positions, and those won for the geese",
        SOURCE,
        paper([7]),
        fox_and_geese(7, 7),
        note=f"{ODD}. Where the fox's first capture wins (decisive=yes), 918,236 are won",
        long=True,
    ),
    Row(
        "E10-8",
        "fox and geese, 8 geese: positions, and those won for the geese",
        SOURCE,
        paper([8]),
        fox_and_geese(8, 8),
        note=f"{ODD}. Where the fox's first capture wins (decisive=yes), 6,381,580 are won",
        long=True,
    ),
]
