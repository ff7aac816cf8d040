"""Solve all states of a game by sweeps: gather each state's value from its successors' until a sweep changes nothing."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from searchbench import NOWHERE, UNDECIDED, Game, Run, State, jit
from searchbench.errors import BadRequest, MissingRule
from searchbench.index.contract import canonical_rank, unrank
from searchbench.rules import SYMMETRIC, legal, moves, new_moves, new_state, play, terminal, unplay
from searchbench.values import value_rule
from searchbench.values.contract import finish, gather, initial, weight

NO_POSITION: Final = -1
"""The code of a number that is no position of the game."""
BLOCK: Final = 4096
"""How many numbers a thread takes at a time."""
GATHER_AT_ENDS: Final = jit.constant("GATHER_AT_ENDS", False)
"""Whether the value rule also gathers values at states where the game is over."""

Codes = MutableSequence[int]
Block = tuple[int, int]
"""The first number, and the one behind the last."""


# --- kernels: compiled by `jit.bind`, or run as they are ----------------------------------------------------------------


def first_codes(codes: Codes, block: Block) -> None:
    """Give the states of a block their first codes."""
    state, scratch, out = new_state(), new_state(), new_moves()
    for number in range(block[0], block[1]):
        unrank(number, state)
        if not legal(state) or (SYMMETRIC and canonical_rank(state, scratch) != number):
            codes[number] = NO_POSITION
        else:
            result = terminal(state)
            codes[number] = initial(result, moves(state, out) if result == UNDECIDED else 0)


def successor_code(codes: Codes, state: State, scratch: State) -> int:
    """Return the code of a successor, as the value rule wants to see it."""
    number = canonical_rank(state, scratch)
    if number == NOWHERE:  # the game is over, and the index leaves the state out
        return finish(initial(terminal(state), 0))
    return finish(codes[number])


def sweep(old: Codes, new: Codes, block: Block) -> int:
    """Gather the codes of the states of a block from those in `old`; return how many have changed."""
    state, scratch, out = new_state(), new_state(), new_moves()
    successors, weights = new_moves(), new_moves()
    changed = 0
    for number in range(block[0], block[1]):
        code = old[number]
        new[number] = code
        if code == NO_POSITION:
            continue
        unrank(number, state)
        if GATHER_AT_ENDS or terminal(state) == UNDECIDED:
            count = moves(state, out)
            for index in range(count):
                weights[index] = weight(state, out[index])
                play(state, out[index])
                successors[index] = successor_code(old, state, scratch)
                unplay(state, out[index])
            new[number] = gather(code, successors, weights, count)
            changed += int(new[number] != code)
    return changed


def finish_codes(codes: Codes, block: Block) -> None:
    """Replace the working codes of the states of a block by those to be stored."""
    for number in range(block[0], block[1]):
        if codes[number] != NO_POSITION:
            codes[number] = finish(codes[number])


# --- the solver: plain Python -------------------------------------------------------------------------------------------


def solve(game: Game, threads: int = 0, target: jit.Target | None = None) -> npt.NDArray[Any]:
    """Return the stored code of every number of the game's index, NO_POSITION where it is no position.

    Raises MissingRule for a game without an index, BadRequest for a value rule whose sweeps may go on for ever.
    """
    rule = value_rule(game.values)
    if rule.weights_leave or not rule.unique:
        raise BadRequest(f"{game}: sweeps need values with one fixpoint, which {rule.name!r} does not promise")
    names = game.names(rule, target or game.quickest_target).with_(GATHER_AT_ENDS=rule.revalues_terminals)
    for kernel in (first_codes, sweep):
        for name in sorted(jit.missing(kernel, names)):
            raise MissingRule(kernel.__name__, name)
    size = max(part.stop for part in game.parts())
    blocks = [(first, min(first + BLOCK, size)) for first in range(0, size, BLOCK)]
    prepare, gather_all, store = (jit.bind(kernel, names) for kernel in (first_codes, sweep, finish_codes))
    old = np.zeros(size, np.int32)
    new = np.zeros(size, np.int32)
    with Run(threads=threads) as run:
        run.launch(prepare, blocks, old, jit.PIECE)
        while sum(run.launch(gather_all, blocks, old, new, jit.PIECE)):
            old, new = new, old
        run.launch(store, blocks, old, jit.PIECE)
    return old
