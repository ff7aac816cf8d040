"""Derive endings where a database keeps only a bit, `won`: they follow from the bits of the successors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from searchbench import jit
from searchbench.exchange.space import untouched
from searchbench.index.contract import unrank
from searchbench.rules import UNDECIDED, new_moves, new_state, terminal
from searchbench.run import Run
from searchbench.values.contract import initial
from searchbench.verify.successors import BEYOND, look_ahead

if TYPE_CHECKING:
    from searchbench.store import Database

BLOCK: Final = 1 << 15
"""Numbers that a thread handles at a time."""


def ending_of_bits(codes: Any, illegal: int, first: int, stop: int, endings: Any) -> None:
    """Write the endings that the bits imply: 3, a win, by the bit; 1, a loss, if the opponent wins after every move; else 2.

    A finished game that is not won is lost or drawn by the rules. Illegal numbers get 255.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        if codes[number] == illegal or codes[number] == 1:
            endings[number] = 255 if codes[number] == illegal else 3
            continue
        unrank(number, state)
        result = terminal(state)
        if result != UNDECIDED:
            endings[number] = initial(result, 0) if result < 1 else 2
            continue
        count = look_ahead(state, scratch, out, numbers, weights)
        won = 0
        for index in range(count):
            after = numbers[index]
            if after >= 0:
                won += 1 if after < len(codes) and codes[after] == 1 else 0
            else:
                won += 1 if after - BEYOND == 1 else 0
        endings[number] = 1 if 0 < count == won else 2


def endings_of_bits(database: Database, run: Run, names: jit.Names) -> Any:
    """Return the ending of each state, computed by `ending_of_bits` on all threads."""
    codes = database.codes
    endings = untouched(len(codes), np.uint8)
    kernel = jit.bind(ending_of_bits, names)
    blocks = [
        (first, min(first + BLOCK, part.stop))
        for part in database.parts
        for first in range(part.start, part.stop, BLOCK)
    ]
    run.launch(kernel, blocks, codes, database.illegal, jit.FIRST, jit.STOP, endings)
    return endings
