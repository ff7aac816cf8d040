"""Search depth-first by proof numbers in bounded memory: df-pn (Nagai 2002; thresholds with 1 + epsilon: Pawlewicz and Lew 2007).

The question and the numbers are those of :mod:`searchbench.solvers.proof.pns`. A frame for each state of the path keeps the
numbers of all its children; the search stays below a child until its numbers reach its thresholds. Numbers of states off
the path are in a table that may lose them: a frame's numbers alone make the search end, since each visit of a child that
does not close the frame raises the child's disproof number. Numbers from the table are never 0 or INFINITE, so they only
guide. A proof or disproof enters the table of facts if it holds on every path (:mod:`searchbench.solvers.proof.path`);
else it stays in the frame of its parent, whose path it is true on.

Every thread runs this search from the root, with a path and frames of its own; the tables are shared. A thread that chooses
among children counts those higher that other threads are inside of (virtual proof numbers: Kaneko 2010), so that threads
part where numbers are close. Limits are compared with the numbers themselves, so each thread alone would end, too. Before a
thread goes into a state it asks the facts, and now and then for all states of its path: others may have solved them.

In a graph a sum counts nodes below several children several times. Children that are the same state count once. With
`weak` a sum is the largest number plus one for each other open child (Ueda and others 2008), which never is more. With
SYMMETRIC_STATES symmetric states are one, also on a path: a state symmetric to one before is a repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.jit import FIRST, STOP, atomic_add, note_rows
from searchbench.rules import UNDECIDED, moves, play, repetition, unplay
from searchbench.solvers.proof.budget import Budget, Steps, ended, nothing
from searchbench.solvers.proof.contract import first_disproof, first_proof
from searchbench.solvers.proof.facts import NO_PLACE, learn, lower_of, outcome_of, shared_key, upper_of
from searchbench.solvers.proof.path import NEVER, Path, earlier, enter, leave, longer, new_path
from searchbench.solvers.proof.tree import INFINITE, limited
from searchbench.solvers.shared.transposition import (
    LARGEST_WORTH,
    WORTH_SHIFT,
    Transpositions,
    arrays_of,
    collect_garbage,
    from_arrays,
    grown,
    largest_size,
    probe,
    store,
)  # fmt: skip

SLICE: Final = 1 << 17
"""Moves of each thread between two looks at the room of the tables; the search can be stopped after each piece of a slice."""
CHECKED: Final = 1 << 10
"""Moves after which a thread asks whether others have solved a state of its path."""
COUNTERS: Final = 1 << 16
"""Counters of threads inside states: states that share one only seem busier than they are."""

# The columns of a frame: its thresholds, the number of its moves, the place of the child under search, the nodes before it.
PROOF_LIMIT, DISPROOF_LIMIT, COUNT, PLACE, SINCE = range(5)
_COLUMNS: Final = 5
# The columns of a child; KEY is that of a state whose numbers are open, COUNTER its place among the counters.
PROOF, DISPROOF, DEPENDENCE, KEY, COUNTER = range(5)
_CHILD_COLUMNS: Final = 5
# The places of a thread's `note`; ANSWER is 1 if the question is proved, else 0. At SLICE_END nodes its slice ends, at
# PATH_CHECK it asks for the states of its path.
DEPTH, NODES, ANSWER, SLICE_END, PATH_CHECK = range(5)
_NOTES: Final = 5

_MANTISSA: Final = 7
_NUMBER_BITS: Final = 12
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1
_OTHER_BOUND: Final = 0x5DEECE66D


class Options(NamedTuple):
    """The question and the choices: mobility as first number, weak sums, and the share of the second-best number."""

    bound: int
    mobility: int
    weak: int
    epsilon: float


class Search(NamedTuple):
    """The data of a thread: state, path, frames, moves and children for each depth; and of all: tables, options, signals.

    `inside` counts the threads inside states; it has no entry if there is one thread. `ended` is set by the first that is
    done.
    """

    state: Any
    path: Path
    frames: Any
    moves: Any
    children: Any
    scratch: Any
    facts: Transpositions
    numbers: Transpositions
    inside: Any
    ended: Any
    options: Options


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
    return search.options.bound if depth & 1 == 0 else 1 - search.options.bound


def number_key(search: Search, depth: int) -> int:
    """Return the key of the numbers of the state at a depth: the state's, different for each bound."""
    return int(search.path.keys[depth] ^ (_OTHER_BOUND * bound_at(search, depth)))


def shared(search: Search) -> bool:
    """Return whether there are other threads."""
    return len(search.inside) > 0


def known(search: Search, code: int, bound: int) -> int:
    """Return +1 if by the facts the state with this key has at least the bound, -1 if it has less, else UNDECIDED."""
    fact = probe(search.facts, code)
    if lower_of(fact) >= bound:
        return 1
    return -1 if upper_of(fact) < bound else UNDECIDED


def decide(child: Any, proved: bool) -> None:
    """Write the numbers of a decided child."""
    child[PROOF] = 0 if proved else INFINITE
    child[DISPROOF] = INFINITE if proved else 0


def evaluate(search: Search, depth: int, child: Any) -> None:
    """Write the first numbers of the current state, at this depth: its result, its numbers in the table, or new ones."""
    bound = bound_at(search, depth)
    child[DEPENDENCE] = NEVER
    value = outcome_of(search.state)
    if value == UNDECIDED:
        code = shared_key(search.state)
        search.path.keys[depth] = code
        value = known(search, code, bound)
        if value == UNDECIDED:
            before = earlier(search.path, depth)
            if before >= 0:
                value = repetition(search.state)
                child[DEPENDENCE] = before
        child[KEY] = code
        child[COUNTER] = mix(code) & (COUNTERS - 1)
    if value != UNDECIDED:
        decide(child, value >= bound)
        return
    word = probe(search.numbers, number_key(search, depth))
    if word != 0:
        child[PROOF] = max(1, unpacked(word & _NUMBER_MASK))
        child[DISPROOF] = max(1, unpacked((word >> _NUMBER_BITS) & _NUMBER_MASK))
    else:
        child[PROOF] = limited(first_proof(search.state, bound, depth, search.scratch))
        child[DISPROOF] = limited(first_disproof(search.state, bound, depth, search.scratch))
        if search.options.mobility:
            child[DISPROOF] = max(1, moves(search.state, search.scratch))


def is_open(child: Any) -> bool:
    """Return whether a child is undecided."""
    return bool(child[DISPROOF] != 0 and child[DISPROOF] < INFINITE)


def is_double(children: Any, place: int) -> bool:
    """Return whether an open child is the same state as one before it."""
    for other in range(place):
        if children[other, KEY] == children[place, KEY] and is_open(children[other]):
            return True
    return False


def open_frame(search: Search, depth: int, proof_limit: int, disproof_limit: int, note: Any) -> None:
    """Enter the current state into the path and evaluate its children, up to one that proves it."""
    enter(search.path, depth)
    if shared(search):
        atomic_add(search.inside, mix(search.path.keys[depth]) & (COUNTERS - 1), 1)
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
        if is_open(search.children[depth, place]) and is_double(search.children[depth], place):
            decide(search.children[depth, place], True)  # its result is that of the child before it, which is searched


def close_frame(search: Search, depth: int, proof: int, disproof: int, best: int, note: Any) -> int:
    """Take the state from the path, keep its numbers or its result, and return the result's path dependence."""
    leave(search.path, depth)
    if shared(search):
        atomic_add(search.inside, mix(search.path.keys[depth]) & (COUNTERS - 1), -1)
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
    search.path.keys[0] = shared_key(search.state)
    open_frame(search, 0, INFINITE, INFINITE, note)


def add_numbers(total: int, number: int) -> int:
    """Add a child's proof number to a disproof number."""
    if number >= INFINITE or total >= INFINITE:
        return INFINITE
    return min(total + number, INFINITE - 1)


def close_where_solved(search: Search, depth: int) -> None:
    """Let all frames close from the first state of the path on that another thread has solved."""
    above = 1
    while above <= depth and known(search, search.path.keys[above], bound_at(search, above)) == UNDECIDED:
        above += 1
    for below in range(above, depth + 1):
        search.frames[below, PROOF_LIMIT] = 0


def deepen(search: Search, note: Any) -> None:
    """Search until the root is solved (note[DEPTH] is then -1), the slice ends, or the path is full."""
    depth = note[DEPTH]
    together = shared(search)
    while search.ended[0] == 0:
        frame, children = search.frames[depth], search.children[depth]
        limit = frame[PROOF_LIMIT]
        # `proof` is the least number; the least `choice`, where states that threads are inside of count more, is searched.
        proof, least, second, best = INFINITE, INFINITE, INFINITE, NO_PLACE
        disproof, largest, opened = 0, 0, 0
        for place in range(frame[COUNT]):
            number = children[place, DISPROOF]
            proof = min(proof, number)
            choice = number
            if together and 0 < number < limit:
                choice = min(number + search.inside[children[place, COUNTER]], limit - 1)
            if choice < least or best == NO_PLACE:
                second = least
                least = choice
                best = place
            elif choice < second:
                second = choice
            disproof = add_numbers(disproof, children[place, PROOF])
            if children[place, PROOF] > 0:
                opened += 1
                largest = max(largest, children[place, PROOF])
        if search.options.weak and disproof < INFINITE and opened > 0:
            disproof = largest + opened - 1
        if proof == 0:
            disproof = INFINITE
        elif frame[COUNT] == 0:  # no move and no winner: a draw
            proof = 0 if bound_at(search, depth) <= 0 else INFINITE
            disproof = INFINITE - proof
        if proof >= limit or disproof >= frame[DISPROOF_LIMIT]:
            dependence = close_frame(search, depth, proof, disproof, best, note)
            depth -= 1
            if depth < 0:
                note[ANSWER] = 1 if proof == 0 else 0
                search.ended[0] = 1
                break
            place = search.frames[depth, PLACE]
            unplay(search.state, search.moves[depth, place])
            child = search.children[depth, place]
            child[PROOF], child[DISPROOF], child[DEPENDENCE] = proof, disproof, dependence
            continue
        if note[NODES] >= note[SLICE_END] or depth + 2 >= len(search.path.keys):
            break
        if together:
            if note[NODES] >= note[PATH_CHECK]:
                note[PATH_CHECK] = note[NODES] + CHECKED
                close_where_solved(search, depth)
            bound = bound_at(search, depth + 1)
            value = known(search, children[best, KEY], bound)
            if value != UNDECIDED:
                decide(children[best], value > 0)
                continue
        rest = INFINITE
        if frame[DISPROOF_LIMIT] < INFINITE:
            if search.options.weak:
                rest = frame[DISPROOF_LIMIT] - (opened - 1)
            else:
                rest = frame[DISPROOF_LIMIT] - disproof + children[best, PROOF]
        rise = min(limit, second + 1 + int(search.options.epsilon * second), INFINITE)
        frame[PLACE] = best
        play(search.state, search.moves[depth, best])
        depth += 1
        search.path.keys[depth] = shared_key(search.state)
        open_frame(search, depth, rest, rise, note)
    note[DEPTH] = depth


class DepthFirstProofNumberSearch:
    """Answer questions about states of one game on all threads of a run; they share the tables and the count of nodes.

    The budget counts evaluated nodes. The facts may grow to `table_memory` bytes, and the numbers, too, if `growing`: small
    tables are quicker as long as they hold everything. `choices` fill slots of the kernels.
    """

    def __init__(
        self,
        game: Game,
        budget: Budget,
        facts: Transpositions,
        numbers: Transpositions,
        table_memory: int,
        target: jit.Target = "cpu",
        choices: Mapping[str, Any] = MappingProxyType({}),
        growing: bool = False,
    ) -> None:
        self.game, self.budget, self.run, self.table, self.numbers = game, budget, budget.run, facts, numbers
        self.names = game.names(target=target).with_(**choices)
        self.largest = largest_size(table_memory)
        self.largest_numbers = self.largest if growing else 0
        self.nodes = 0
        self.stage = "depth-first proof-number search"
        self.proving_move = -1
        """The move that proved the last question whose answer was yes."""
        self.pause: Callable[[], None] = nothing
        """Called after each piece of a slice."""

    def arrays(self) -> dict[str, Any]:
        """Return the tables: a search with them is soon where it was."""
        return arrays_of("facts", self.table) | arrays_of("numbers", self.numbers)

    def restore(self, arrays: Mapping[str, Any], nodes: int) -> None:
        """Go on from the tables of a search that has evaluated so many nodes."""
        self.table, self.numbers, self.nodes = from_arrays("facts", arrays), from_arrays("numbers", arrays), nodes

    def holds(self, state: Any, bound: int, mobility: bool = False, epsilon: float = 0.25, weak: bool = False) -> bool:
        """Return whether the player to move, in a state that is not terminal, gets at least `bound` (0 or 1).

        Raises LimitReached at the limits of the budget.
        """
        return ended(self.steps(state, bound, mobility, epsilon, weak))

    def steps(
        self, state: Any, bound: int, mobility: bool = False, epsilon: float = 0.25, weak: bool = False
    ) -> Steps[bool]:  # fmt: skip
        """Search as `holds` does, step by step."""
        threads = self.run.threads
        self._searches = self._new_searches(state, Options(bound, int(mobility), int(weak), float(epsilon)))
        self._notes = note_rows(threads, _NOTES)
        begun, kernel = jit.bind(begin, self.names), jit.bind(deepen, self.names)
        for search, note in zip(self._searches, self._notes, strict=True):
            begun(search, note)
        counted = repeated = 0
        nodes = int(self._notes[:, NODES].sum())
        end = nodes + SLICE * threads
        while True:
            room = self.budget.piece(max(1, end - nodes))
            self._notes[:, SLICE_END] = self._notes[:, NODES] + max(1, room // threads)
            self.run.launch(kernel, list(zip(self._searches, self._notes, strict=True)), FIRST, STOP)
            nodes = int(self._notes[:, NODES].sum())
            repetitions = sum(int(search.path.repetitions[0]) for search in self._searches)
            self.nodes += nodes - counted
            told = self.budget.told(state.tolist(), *self._root_numbers(), self._line())
            self.run.line(self._line)
            self.budget.spend(f"{self.stage}: {told}", nodes - counted, repetitions - repeated)
            counted, repeated = nodes, repetitions
            ended = self._notes[:, DEPTH] < 0
            if ended.any():
                first = int(np.argmax(ended))
                proved = bool(self._notes[first, ANSWER])
                if proved:
                    self._note_move(self._searches[first])
                return proved
            self.pause()
            yield
            self.budget.check(told)
            if self._lengthen_paths() or nodes >= end:
                self._make_room()
                end = nodes + SLICE * threads

    def _note_move(self, search: Search) -> None:
        """Note the move that has proved the root; it has none if it is a draw without moves."""
        proved = np.flatnonzero(search.children[0, : search.frames[0, COUNT], DISPROOF] == 0)
        self.proving_move = int(search.moves[0, proved[0]]) if len(proved) else -1

    def _root_numbers(self) -> tuple[int, int]:
        """Return the numbers of the root, by its children as the first thread sees them."""
        search = self._searches[0]
        children = search.children[0, : search.frames[0, COUNT]]
        if not len(children):
            return 1, 1
        return int(children[:, DISPROOF].min()), int(min(children[:, PROOF].sum(), INFINITE))

    def _line(self) -> list[int]:
        """Return the moves to the state that the first thread looks at."""
        search = self._searches[0]
        depths = range(max(0, int(self._notes[0, DEPTH])))
        return [int(search.moves[depth, search.frames[depth, PLACE]]) for depth in depths]

    def _new_searches(self, state: Any, options: Options) -> list[Search]:
        """Return the data of each thread."""
        widest, depth, threads = max(self.game.max_moves, self.game.max_unmoves), 64, self.run.threads
        inside, ended = np.zeros(COUNTERS if threads > 1 else 0, np.int64), np.zeros(1, np.int64)
        return [
            Search(
                state.copy(), new_path(depth), np.zeros((depth, _COLUMNS), np.int64),
                np.zeros((depth, widest), np.int64), np.zeros((depth, widest, _CHILD_COLUMNS), np.int64),
                np.zeros(widest, np.int64), self.table, self.numbers, inside, ended, options,
            )
            for _ in range(threads)
        ]  # fmt: skip

    def _lengthen_paths(self) -> bool:
        """Enlarge the paths that are full; return whether any was."""
        longer = False
        for thread, search in enumerate(self._searches):
            depth = int(self._notes[thread, DEPTH])
            if depth + 2 >= len(search.path.keys):
                arrays = (search.frames, search.moves, search.children)
                self.run.demand(3 * sum(array.nbytes for array in arrays), f"a path of {depth:,} moves")
                frames, moved, children = (np.concatenate([array, np.zeros_like(array)]) for array in arrays)
                path = _longer(search.path, depth)
                self._searches[thread] = search._replace(path=path, frames=frames, moves=moved, children=children)
                longer = True
        return longer

    def _make_room(self) -> None:
        """Enlarge crowded tables, and drop numbers of small subtrees from a table that is nearly full."""
        if self.table.crowded and len(self.table.keys) < self.largest:
            self.table = grown(self.table, self.names)
            self._searches = [search._replace(facts=self.table) for search in self._searches]
        if 4 * int(self.numbers.used[0]) > len(self.numbers.keys) and len(self.numbers.keys) < self.largest_numbers:
            self.numbers = grown(self.numbers, self.names)
            self._searches = [search._replace(numbers=self.numbers) for search in self._searches]
        if 8 * int(self.numbers.used[0]) > 7 * len(self.numbers.keys):
            collect_garbage(self.numbers)


def _longer(path: Path, depth: int) -> Path:
    """Return a path with twice the room, that holds the states down to this depth."""
    new = longer(path)
    for left in range(len(path.keys) - 1, depth, -1):
        leave(new, left)
    return new
