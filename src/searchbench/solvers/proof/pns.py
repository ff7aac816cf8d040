"""Search a tree by proof numbers (Allis 1994, sections 2.2 and 2.3; numbers from the mover's side: Nagai 2002).

The question is "does the player to move get at least `bound`?"; one ply deeper the opponent asks for ``1 - bound``. So a
node's *proof* is the least of its children's *disproofs*, and its disproof the sum of their proofs, at every depth.
Solved children leave the tree at once; their results stay in a transposition table for later occurrences of the state
(solution databases: section 5.5).

Choices that a binding makes: children are evaluated when they are created, or `DELAYED` until they are selected; numbers change
up to the first ancestor that stays the same, or up to the root (`FROM_ROOT`); solved subtrees leave the tree, or stay
(`KEEP_SOLVED`); first numbers are slots. With a second level (pn^2, section 2.3.1) a most-proving node is developed by a search
below it, which may create as many nodes as the tree has; then all below its children is dropped, or stays for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import LimitReached
from searchbench.game import Game
from searchbench.hashing import key
from searchbench.rules import UNDECIDED, State, moves, new_moves, play, repetition, unplay
from searchbench.run import format_memory
from searchbench.slots import constant
from searchbench.solvers.proof.budget import Budget, nothing
from searchbench.solvers.proof.contract import first_disproof, first_proof, on_development
from searchbench.solvers.proof.facts import NO_PLACE, learn, lower_of, outcome_of, upper_of
from searchbench.solvers.proof.leaves import LeafDatabase, Leaves, no_leaves, outcome_of_leaf
from searchbench.solvers.proof.path import NEVER, Path, earlier, enter, leave, longer, new_path
from searchbench.solvers.proof.tree import (
    CHILD,
    CREATED,
    DEVELOPED,
    DISPROOF,
    FRESH,
    INFINITE,
    KEEP_SOLVED,
    LEVELS,
    LIVE,
    NONE,
    NOTES,
    PEAK,
    PROOF,
    SIBLING,
    STATUS,
    Numbers,
    Tree,
    add,
    add_work,
    depend,
    drop_below_children,
    fits,
    free_children,
    hold,
    is_held,
    limited,
    most_proving_child,
    move_to,
    new_tree,
    node_bytes,
    path_dependence,
    plant,
    set_numbers,
    solve,
    top_of,
    widened,
    work_below,
)  # fmt: skip
from searchbench.solvers.shared.transposition import (
    Transpositions,
    arrays_of,
    from_arrays,
    grown,
    largest_size,
    probe,
)  # fmt: skip

DELAYED: Final = constant("DELAYED", False)
"""Whether states are evaluated when they are selected, not when they are created (section 2.2)."""
FROM_ROOT: Final = constant("FROM_ROOT", False)
"""Whether numbers are renewed up to the root, and the search for the most-proving node begins there, to compare with."""
SLICE: Final = 1 << 17
"""Nodes created between two looks at the room of the table; the search can be stopped after each piece of a slice."""
SHOWN: Final = 200
"""Nodes of the tree that are shown to those who watch it."""
_NOTHING: Final = -1
"""No question is being asked."""
# The reasons for the end of a slice.
SOLVED, PAUSED, FULL, DEEP, NARROW = range(5)


class Question(NamedTuple):
    """The bound in question at the root, and flags: mobility as initial numbers, lookup of known facts, a second level."""

    bound: int
    mobility: int
    lookup: int
    second: int


class Search(NamedTuple):
    """The data of a kernel: the tree, the current state, the path to it, the table, the question, notes, and the leaves.

    `line` has the nodes of the path. `levels` has a row for each second-level tree that is kept: its root, its nodes.
    """

    tree: Tree
    state: Any
    path: Path
    line: Any
    table: Transpositions
    question: Question
    note: Any
    leaves: Leaves
    spare: Any
    levels: Any


# The columns of `levels`.
_TOP, _NODES = range(2)


def bound_at(question: Question, depth: int) -> int:
    """Return the bound in question for the player to move at a depth."""
    return question.bound if depth & 1 == 0 else 1 - question.bound


def known(search: Search, depth: int) -> int:
    """Return +1 if by the table the player to move gets the bound, -1 if she does not, else UNDECIDED."""
    if not search.question.lookup:
        return UNDECIDED
    fact = probe(search.table, search.path.keys[depth])
    bound = bound_at(search.question, depth)
    if lower_of(fact) >= bound:
        return 1
    return -1 if upper_of(fact) < bound else UNDECIDED


def first_numbers(search: Search, depth: int, scratch: Any) -> Numbers:
    """Return the first numbers of an open state."""
    bound = bound_at(search.question, depth)
    disproof = first_disproof(search.state, bound, depth, scratch)
    if search.question.mobility:
        disproof = moves(search.state, scratch)
    proof = first_proof(search.state, bound, depth, scratch)
    return Numbers(limited(proof), limited(disproof), NEVER)


def evaluate(search: Search, depth: int, scratch: Any) -> Numbers:
    """Return the initial numbers of the state at the end of the path."""
    value = outcome_of(search.state)
    path_dependence = NEVER
    if value == UNDECIDED:
        value = outcome_of_leaf(search.state, search.spare, depth, search.leaves)
    if value == UNDECIDED:
        value = known(search, depth)
    if value == UNDECIDED:
        before = earlier(search.path, depth)
        if before < 0:
            return first_numbers(search, depth, scratch)
        value = repetition(search.state)
        path_dependence = before
    if value >= bound_at(search.question, depth):
        return Numbers(0, INFINITE, path_dependence)
    return Numbers(INFINITE, 0, path_dependence)


def develop(search: Search, node: int, depth: int) -> int:
    """Create the children of a leaf and evaluate them at once; solved ones never enter the tree.

    Stops at a child that proves the node, and returns the place of its move, else NO_PLACE. If evaluation is delayed, the leaf
    is evaluated, and its children are not.
    """
    tree, state, note = search.tree, search.state, search.note
    on_development(search.path.keys[depth])
    value = known(search, depth)
    if value != UNDECIDED:  # another occurrence of the state was solved in the meantime
        solve(tree, node, value > 0, NEVER)
        return NO_PLACE
    out, scratch = new_moves(), new_moves()
    if DELAYED:
        leave(search.path, depth)
        own = evaluate(search, depth, scratch)
        enter(search.path, depth)
        if own.proof == 0 or own.disproof == 0:
            solve(tree, node, own.proof == 0, own.path_dependence)
            return NO_PLACE
    count = moves(state, out)
    for place in range(count):
        if not fits(tree, out[place]):
            note[STATUS] = NARROW
            return NO_PLACE
    note[DEVELOPED] += 1
    if count == 0:  # no move and no winner: a draw
        solve(tree, node, bound_at(search.question, depth) <= 0, NEVER)
    last = NONE
    for place in range(count):
        play(state, out[place])
        if DELAYED:
            numbers = Numbers(1, 1, NEVER)
        else:
            search.path.keys[depth + 1] = key(state)
            numbers = evaluate(search, depth + 1, scratch)
        unplay(state, out[place])
        note[CREATED] += 1
        add_work(tree, node, 1)
        if numbers.disproof == 0:
            solve(tree, node, True, numbers.path_dependence)
            return place
        if numbers.proof == 0:
            depend(tree, node, min(path_dependence(tree, node), numbers.path_dependence))
            continue
        child = add(tree, out[place], numbers, note)
        if last == NONE:
            tree.node[node, CHILD] = child
        else:
            tree.node[last, SIBLING] = child
        last = child
    return NO_PLACE


def remember(search: Search, node: int, depth: int, place: int) -> None:
    """Store the bound that a solved node proves (by the move of this place), unless it depends on the path."""
    tree = search.tree
    if path_dependence(tree, node) < depth:
        return
    depend(tree, node, NEVER)
    bound = bound_at(search.question, depth)
    proved = tree.node[node, PROOF] == 0
    lower, upper = (bound, 1) if proved else (-1, bound - 1)
    learn(search.table, search.path.keys[depth], lower, upper, place, work_below(tree, node))


def place_among_moves(state: State, move: int) -> int:
    """Return the place of a move in the list of moves."""
    out = new_moves()
    place = moves(state, out) - 1
    while place > 0 and out[place] != move:
        place -= 1
    return place


def climb(search: Search, node: int, depth: int) -> int:
    """Take back the move to a node; return its parent."""
    leave(search.path, depth)
    unplay(search.state, move_to(search.tree, node))
    return int(search.line[depth - 1])


def back_up(search: Search, node: int, depth: int, place: int, base: int) -> tuple[int, int]:
    """Set the numbers of a developed node and its ancestors; return the first that does not change, and its depth.

    The last one lies at the depth `base`. `place` is the place of the move that proves the developed node, or NO_PLACE.
    """
    tree = search.tree
    while True:
        proof, disproof = tree.node[node, PROOF], tree.node[node, DISPROOF]
        if proof != 0 and disproof != 0:
            move = set_numbers(tree, node, search.note)
            if not FROM_ROOT and tree.node[node, PROOF] == proof and tree.node[node, DISPROOF] == disproof:
                return node, depth
            place = place_among_moves(search.state, move) if tree.node[node, PROOF] == 0 else NO_PLACE
        if tree.node[node, PROOF] == 0 or tree.node[node, DISPROOF] == 0:
            remember(search, node, depth, place)
            if not KEEP_SOLVED:
                free_children(tree, node, search.note)
        if depth == base:
            return node, depth
        node = climb(search, node, depth)
        depth -= 1


def solved(tree: Tree, node: int) -> bool:
    """Return whether a node is proved or disproved."""
    return bool(tree.node[node, PROOF] == 0 or tree.node[node, DISPROOF] == 0)


def descend(search: Search, node: int, depth: int) -> tuple[int, int]:
    """Go to the most-proving node below a node; return it and its depth. Where the path is full, it is no leaf."""
    tree, state, path = search.tree, search.state, search.path
    while tree.node[node, CHILD] != NONE and depth + 3 <= len(path.keys):
        node = most_proving_child(tree, node)
        play(state, move_to(tree, node))
        depth += 1
        search.line[depth] = node
        path.keys[depth] = key(state)
        enter(path, depth)
    return node, depth


def look_deeper(search: Search, top: int, base: int, room: int) -> None:
    """Search below a leaf until it is solved or as many nodes are created as the first level has; come back to the leaf."""
    tree, note = search.tree, search.note
    first_level = note[LIVE]
    for place in range(len(search.levels)):
        first_level -= search.levels[place, _NODES]
    stop = note[CREATED] + max(1, first_level)
    node, depth = top, base
    while not solved(tree, top) and note[CREATED] < stop and note[LIVE] <= room:
        node, depth = descend(search, node, depth)
        if tree.node[node, CHILD] != NONE:
            break
        place = develop(search, node, depth)
        if note[STATUS] == NARROW:
            break
        node, depth = back_up(search, node, depth, place, base)
    while depth > base:
        node = climb(search, node, depth)
        depth -= 1


def keep_level(search: Search, top: int, nodes: int) -> None:
    """Keep the second-level tree below a node in the place of the oldest one, which is dropped, or drop it at once."""
    tree, note = search.tree, search.note
    if len(search.levels) == 0:
        drop_below_children(tree, top, note)
        return
    note[LEVELS] += 1
    level = search.levels[note[LEVELS] % len(search.levels)]
    oldest = level[_TOP]
    if oldest != NONE and is_held(tree, oldest):
        hold(tree, oldest, False)
        drop_below_children(tree, oldest, note)
    for place in range(len(search.levels)):  # of another node, which had the same row and is free
        if search.levels[place, _TOP] == top:
            search.levels[place, _TOP] = NONE
    hold(tree, top, True)
    level[_TOP] = top
    level[_NODES] = nodes


def grow(search: Search, stop: int) -> None:
    """Develop most-proving nodes until the root is solved, `stop` nodes are created, or an array is full.

    After a development the numbers change up to the first unchanged ancestor; the next search for the most-proving node
    begins there (section 2.3.2). With a second level it begins at the root.
    """
    tree, state, path, note = search.tree, search.state, search.path, search.note
    room = len(tree.node) - len(new_moves())
    path.slots[:] = 0
    path.keys[0] = key(state)
    enter(path, 0)
    node = depth = 0
    search.line[0] = 0
    note[STATUS] = SOLVED
    while not solved(tree, 0) and note[STATUS] != NARROW:
        if note[CREATED] >= stop or note[LIVE] > room:
            note[STATUS] = PAUSED if note[LIVE] <= room else FULL
            return
        node, depth = descend(search, node, depth)
        if tree.node[node, CHILD] != NONE:
            note[STATUS] = DEEP
            return
        if search.question.second:
            top, live = node, note[LIVE]
            look_deeper(search, top, depth, room)
            more = note[LIVE] - live
            if depth > 0:
                node = climb(search, node, depth)
                node, depth = back_up(search, node, depth - 1, NO_PLACE, 0)
            while depth > 0:
                node = climb(search, node, depth)
                depth -= 1
            keep_level(search, top, max(0, more))
        else:
            place = develop(search, node, depth)
            if note[STATUS] != NARROW:
                node, depth = back_up(search, node, depth, place, 0)


class ProofNumberSearch:
    """Answer questions about one state; they share the transposition table and the counts.

    The budget counts created nodes. The tree takes at most `tree_memory` bytes. Leaves with an unknown outcome are searched.
    `choices` fill slots and constants of its kernels.
    """

    def __init__(
        self,
        game: Game,
        budget: Budget,
        table: Transpositions,
        table_memory: int,
        tree_memory: int,
        target: jit.Target = "cpu",
        leaves: LeafDatabase | None = None,
        choices: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.game, self.budget, self.run, self.table = game, budget, budget.run, table
        self.names = game.names(target=target).with_(**({} if leaves is None else leaves.names()), **choices)
        self.leaves = no_leaves() if leaves is None else leaves.leaves(budget.run).assuming(UNDECIDED)
        self.second, self.cached = False, 0
        """Whether nodes are developed by searches of a second level, and how many trees of these are kept."""
        self.largest = largest_size(table_memory)
        self.note = np.zeros(NOTES, np.int64)
        self._memory = tree_memory
        self._widest = max(game.max_moves, game.max_unmoves)
        self.run.demand(node_bytes() * 4 * self._widest, f"the smallest tree of {game}")
        self.tree = new_tree(self._room(0))
        self.pause: Callable[[], None] = nothing
        """Called after each piece of a slice."""
        self._asked = _NOTHING

    @property
    def nodes(self) -> int:
        """Return the number of created nodes."""
        return int(self.note[CREATED])

    def facts(self) -> dict[str, int]:
        """Return the other counts by name."""
        return {"developments": int(self.note[DEVELOPED]), "peak": int(self.note[PEAK])}

    def arrays(self) -> dict[str, Any]:
        """Return the tree of the question that is being asked, the counts, and the table."""
        count = int(self.note[FRESH]) if self._asked != _NOTHING else 0
        return {
            "nodes": self.tree.node[:count].reshape(-1), "note": self.note,
            "asked": np.array([self._asked, self.tree.node.shape[1]]), **arrays_of("facts", self.table),
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, Any], nodes: int) -> None:
        """Go on from arrays; the counts go on, too."""
        self.note, (self._asked, columns) = arrays["note"], arrays["asked"].tolist()
        rows = arrays["nodes"].reshape(-1, columns)
        wide = columns != self.tree.node.shape[1]
        room = self._room(len(rows), wide)
        if wide or room > len(self.tree.node):
            self.run.demand(node_bytes(wide) * room, f"a kept tree of {len(rows):,} nodes")
            self.tree = new_tree(room, wide)
        self.tree.node[: len(rows)] = rows
        self.table = from_arrays("facts", arrays)

    def _room(self, kept: int, wide: bool = False) -> int:
        """Return how many nodes a tree has room for that begins with those which were kept."""
        limit, most = self.budget.limit, min(self._memory // node_bytes(wide), (1 << 31) - 1)
        return max(kept + 4 * self._widest, min(most, kept + limit + 2 * self._widest) if limit else most)

    def _widen(self) -> None:
        """Make room for moves of more than 32 bits."""
        count = int(self.note[FRESH])
        room = min(len(self.tree.node), self._room(count, True))
        self.run.demand(node_bytes(True) * room, f"a tree of {room:,} nodes")
        self.tree = widened(self.tree, room, count)

    def holds(self, state: Any, bound: int, mobility: bool = False, lookup: bool = True) -> bool:
        """Return whether the player to move, in a state that is not terminal, gets at least `bound` (0 or 1).

        Raises LimitReached when the limit of nodes or the memory of the tree is used up.
        """
        if self._asked != bound:
            jit.bind(plant, self.names)(self.tree, self.note)
            self._asked = bound
        kernel = jit.bind(grow, self.names)
        path = new_path(64)
        question = Question(bound, int(mobility), int(lookup), int(self.second))
        levels = np.full((self.cached, 2), (NONE, 0), np.int64)
        end = self.nodes + SLICE
        while True:
            before, repeated = self.nodes, int(path.repetitions[0])
            stop = before + self.budget.piece(end - before)
            line = np.zeros(len(path.keys), np.int32)
            where = self.tree, state.copy(), path, line
            kernel(Search(*where, self.table, question, self.note, self.leaves, state.copy(), levels), stop)
            self.run.line(self._most_proving_line)
            self.run.tree(lambda: top_of(self.tree, SHOWN))
            root = int(self.tree.node[0, PROOF]), int(self.tree.node[0, DISPROOF])
            stage = f"proof-number search: {self.budget.told(state.tolist(), *root, self._most_proving_line())}"
            self.budget.spend(stage, self.nodes - before, int(path.repetitions[0]) - repeated)
            if self.note[STATUS] == SOLVED:
                self._asked = _NOTHING
                return bool(self.tree.node[0, PROOF] == 0)
            self.pause()
            if self.note[STATUS] == DEEP:
                path = longer(path)
            if self.note[STATUS] == NARROW:
                self._widen()
            self._check_limits()
            if self.note[STATUS] == PAUSED and self.nodes < end:
                continue
            end = self.nodes + SLICE
            if self.table.crowded and len(self.table.keys) < self.largest:
                self.table = grown(self.table, self.names)

    def _most_proving_line(self) -> list[int]:
        """Return the moves from the root to the most-proving node."""
        found: list[int] = []
        node = 0
        while self.tree.node[node, CHILD] != NONE and 0 not in self.tree.node[node, [PROOF, DISPROOF]]:
            node = int(most_proving_child(self.tree, node))
            found.append(move_to(self.tree, node))
        return found

    def _numbers(self) -> str:
        return f"proof number {self.tree.node[0, PROOF]:,}, disproof number {self.tree.node[0, DISPROOF]:,}"

    def _check_limits(self) -> None:
        root = self._numbers()
        if self.note[STATUS] == FULL:
            size, room = (
                format_memory(self.tree.node.nbytes),
                self._memory * len(self.tree.node) // self.tree.node.nbytes,
            )
            limited = self.budget.limit and len(self.tree.node) < room
            more = "raise the limit of nodes" if limited else "give more memory, and more nodes if they are limited"
            advice = f"; {self.budget.advice}" if self.budget.cyclic else ""
            raise LimitReached(
                f"{self.game}: the tree of {len(self.tree.node):,} nodes ({size}) is full ({root}); {more}{advice}"
            )
        self.budget.check(root)
