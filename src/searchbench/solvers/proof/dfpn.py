"""Search depth-first by proof numbers in bounded memory: df-pn (Nagai 2002; thresholds with 1 + epsilon: Pawlewicz and Lew 2007).

The question and the numbers are those of :mod:`searchbench.solvers.proof.pns`. A frame for each state of the path keeps the
numbers of all its children; the search stays below a child until its numbers reach its thresholds. Numbers of states off
the path are in a table that may lose them: a frame's numbers alone make the search end, since each visit of a child that
does not close the frame raises the child's disproof number. Numbers from the table are never 0 or INFINITE, so they only
guide. A proof or disproof enters the table of facts if it holds on every path (:mod:`searchbench.solvers.proof.path`);
else it stays in the frame of its parent, whose path it is true on.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, moves, play, repetition, unplay
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.facts import NO_PLACE, learn, lower_of, outcome_of, upper_of
from searchbench.solvers.proof.path import NEVER, Path, earlier, enter, leave, longer, new_path
from searchbench.solvers.proof.tree import INFINITE
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    grown,
    largest_size,
    probe,
    store,
)  # fmt: skip

SLICE: Final = 1 << 17
"""Moves between two reports, at which the search can be stopped."""

# The columns of a frame: its thresholds, the number of its moves, the place of the child under search, the nodes before it.
PROOF_LIMIT, DISPROOF_LIMIT, COUNT, PLACE, SINCE = range(5)
_COLUMNS: Final = 5
# The columns of a child.
PROOF, DISPROOF, DEPENDENCE = range(3)
# The places of `note`; ANSWER is 1 if the question is proved, else 0.
DEPTH, NODES, ANSWER = range(3)

_MANTISSA: Final = 7
_NUMBER_BITS: Final = 12
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1
_OTHER_BOUND: Final = 0x5DEECE66D


class Search(NamedTuple):
    """The data of a kernel: state, path, frames, moves and children for each depth, tables, and the options."""

    state: Any
    path: Path
    frames: Any
    moves: Any
    children: Any
    scratch: Any
    facts: Transpositions
    numbers: Transpositions
    bound: int
    mobility: int
    epsilon: float


def packed(number: int) -> int:
    """Return a positive number below INFINITE in 12 bits, rounded down to 7 significant bits."""
    shift = 0
    while (number >> shift) >= 1 << _MANTISSA:
        shift += 1
    return (shift << _MANTISSA) | (number >> shift)


def unpacked(word: int) -> int:
    """Return the number that :func:`packed` has packed."""
    return (word & ((1 << _MANTISSA) - 1)) << ((word >> _MANTISSA) & 31)


def bound_at(search: Search, depth: int) -> int:
    """Return the bound in question for the player to move at a depth."""
    return search.bound if depth & 1 == 0 else 1 - search.bound


def number_key(search: Search, depth: int) -> int:
    """Return the key of the numbers of the state at a depth: the state's, different for each bound."""
    return int(search.path.keys[depth] ^ (_OTHER_BOUND * bound_at(search, depth)))


def evaluate(search: Search, depth: int, child: Any) -> None:
    """Write the first numbers of the current state, at this depth: its result, its numbers in the table, or new ones."""
    bound = bound_at(search, depth)
    child[DEPENDENCE] = NEVER
    value = outcome_of(search.state)
    if value == UNDECIDED:
        search.path.keys[depth] = key(search.state)
        fact = probe(search.facts, search.path.keys[depth])
        if lower_of(fact) >= bound:
            value = 1
        elif upper_of(fact) < bound:
            value = -1
        else:
            before = earlier(search.path, depth)
            if before >= 0:
                value = repetition(search.state)
                child[DEPENDENCE] = before
    if value != UNDECIDED:
        child[PROOF] = 0 if value >= bound else INFINITE
        child[DISPROOF] = INFINITE if value >= bound else 0
        return
    word = probe(search.numbers, number_key(search, depth))
    if word != 0:
        child[PROOF] = max(1, unpacked(word & _NUMBER_MASK))
        child[DISPROOF] = max(1, unpacked((word >> _NUMBER_BITS) & _NUMBER_MASK))
    else:
        child[PROOF] = 1
        child[DISPROOF] = max(1, moves(search.state, search.scratch)) if search.mobility else 1


def open_frame(search: Search, depth: int, proof_limit: int, disproof_limit: int, note: Any) -> None:
    """Enter the current state into the path and evaluate its children, up to one that proves it."""
    enter(search.path, depth)
    frame = search.frames[depth]
    frame[PROOF_LIMIT], frame[DISPROOF_LIMIT] = proof_limit, disproof_limit
    frame[SINCE] = note[NODES]
    count = moves(search.state, search.moves[depth])
    frame[COUNT] = count
    for place in range(count):
        play(search.state, search.moves[depth, place])
        note[NODES] += 1
        evaluate(search, depth + 1, search.children[depth, place])
        unplay(search.state, search.moves[depth, place])
        if search.children[depth, place, DISPROOF] == 0:
            frame[COUNT] = place + 1
            break


def close_frame(search: Search, depth: int, proof: int, disproof: int, best: int, note: Any) -> int:
    """Take the state from the path, keep its numbers or its result, and return the result's path dependence."""
    leave(search.path, depth)
    frame = search.frames[depth]
    work = min(note[NODES] - frame[SINCE] + 1, LARGEST_WORTH)
    if proof != 0 and disproof != 0:
        word = (packed(disproof) << _NUMBER_BITS) | packed(proof)
        store(search.numbers, number_key(search, depth), (work << WORTH_SHIFT) | word)
        return NEVER
    dependence = NEVER
    if proof == 0 and frame[COUNT] > 0:
        dependence = search.children[depth, best, DEPENDENCE]
    elif disproof == 0:
        for place in range(frame[COUNT]):
            dependence = min(dependence, search.children[depth, place, DEPENDENCE])
    if dependence < depth:
        return int(dependence)
    bound = bound_at(search, depth)
    if proof == 0:
        learn(search.facts, search.path.keys[depth], bound, 1, best, work)
    else:
        learn(search.facts, search.path.keys[depth], -1, bound - 1, NO_PLACE, work)
    return NEVER


def begin(search: Search, note: Any) -> None:
    """Open the frame of the root."""
    search.path.slots[:] = 0
    search.path.keys[0] = key(search.state)
    open_frame(search, 0, INFINITE, INFINITE, note)


def deepen(search: Search, stop: int, note: Any) -> None:
    """Search until the root is solved (note[DEPTH] is then -1), `stop` nodes are evaluated, or the path is full."""
    depth = note[DEPTH]
    while True:
        frame, children = search.frames[depth], search.children[depth]
        proof, second, disproof, best = INFINITE, INFINITE, 0, NO_PLACE
        for place in range(frame[COUNT]):
            number = children[place, DISPROOF]
            if number < proof or best == NO_PLACE:
                second = proof
                proof = number
                best = place
            elif number < second:
                second = number
            if children[place, PROOF] >= INFINITE:
                disproof = INFINITE
            elif disproof < INFINITE:
                disproof = min(disproof + children[place, PROOF], INFINITE - 1)
        if proof == 0:
            disproof = INFINITE
        elif frame[COUNT] == 0:  # no move and no winner: a draw
            proof = 0 if bound_at(search, depth) <= 0 else INFINITE
            disproof = INFINITE - proof
        if proof >= frame[PROOF_LIMIT] or disproof >= frame[DISPROOF_LIMIT]:
            dependence = close_frame(search, depth, proof, disproof, best, note)
            depth -= 1
            if depth < 0:
                note[ANSWER] = 1 if proof == 0 else 0
                break
            place = search.frames[depth, PLACE]
            unplay(search.state, search.moves[depth, place])
            child = search.children[depth, place]
            child[PROOF], child[DISPROOF], child[DEPENDENCE] = proof, disproof, dependence
            continue
        if note[NODES] >= stop or depth + 2 >= len(search.path.keys):
            break
        limit = INFINITE
        if frame[DISPROOF_LIMIT] < INFINITE:
            limit = frame[DISPROOF_LIMIT] - disproof + children[best, PROOF]
        rise = min(frame[PROOF_LIMIT], second + 1 + int(search.epsilon * second), INFINITE)
        frame[PLACE] = best
        play(search.state, search.moves[depth, best])
        depth += 1
        search.path.keys[depth] = key(search.state)
        open_frame(search, depth, limit, rise, note)
    note[DEPTH] = depth


class DepthFirstProofNumberSearch:
    """Answer questions about states of one game; they share the tables and the count of nodes.

    The budget counts evaluated nodes. The facts may grow to `table_memory` bytes.
    """

    def __init__(
        self,
        game: Game,
        budget: Budget,
        facts: Transpositions,
        numbers: Transpositions,
        table_memory: int,
        target: jit.Target = "cpu",
    ) -> None:
        self.game, self.budget, self.run, self.table, self.numbers = game, budget, budget.run, facts, numbers
        self.names = game.names(target=target)
        self.largest = largest_size(table_memory)
        self.nodes = 0

    def holds(self, state: Any, bound: int, mobility: bool = False, epsilon: float = 0.25) -> bool:
        """Return whether the player to move, in a state that is not terminal, gets at least `bound` (0 or 1).

        Raises LimitReached at the limits of the budget.
        """
        widest, depth = max(self.game.max_moves, self.game.max_unmoves), 64
        search = Search(
            state.copy(), new_path(depth), np.zeros((depth, _COLUMNS), np.int64), np.zeros((depth, widest), np.int64),
            np.zeros((depth, widest, 3), np.int64), np.zeros(widest, np.int64), self.table, self.numbers,
            bound, int(mobility), float(epsilon),
        )  # fmt: skip
        note = np.zeros(3, np.int64)
        jit.bind(begin, self.names)(search, note)
        kernel = jit.bind(deepen, self.names)
        counted = repeated = 0
        while True:
            kernel(search, int(note[NODES]) + self.budget.room(SLICE), note)
            spent, repetitions = int(note[NODES]) - counted, int(search.path.repetitions[0])
            self.nodes += spent
            self.budget.spend("depth-first proof-number search", spent, repetitions - repeated)
            counted, repeated = int(note[NODES]), repetitions
            if note[DEPTH] < 0:
                return bool(note[ANSWER])
            self.budget.check()
            search = self._with_room(search, int(note[DEPTH]))

    def _with_room(self, search: Search, depth: int) -> Search:
        """Return the search with larger arrays where they are full."""
        if depth + 2 >= len(search.path.keys):
            arrays = (search.frames, search.moves, search.children)
            self.run.demand(3 * sum(array.nbytes for array in arrays), f"a path of {depth:,} moves")
            frames, moved, children = (np.concatenate([array, np.zeros_like(array)]) for array in arrays)
            path = _longer(search.path, depth)
            search = search._replace(path=path, frames=frames, moves=moved, children=children)
        if self.table.crowded and len(self.table.keys) < self.largest:
            self.table = grown(self.table, self.names)
            search = search._replace(facts=self.table)
        return search


def _longer(path: Path, depth: int) -> Path:
    """Return a path with twice the room, that holds the states down to this depth."""
    new = longer(path)
    for left in range(len(path.keys) - 1, depth, -1):
        leave(new, left)
    return new
