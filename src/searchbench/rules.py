"""The contract: the names that a kernel may call, what they mean, and what the optional ones do by default.

A *state* is a short vector of integers, changed in place. A *move* is one integer that holds all that is needed to take
it back. A game's ``rules()`` supplies functions by these names; :func:`searchbench.jit.bind` puts them in the place of
the functions below wherever a kernel calls one. A function marked ``@required`` has no default; the body of every other
function *is* its default. (Gasser 1995, sections 2.1 and 3.3: dependencies, values, control and numbers are kept apart.)
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, Final, TypeVar

State = MutableSequence[int]
"""A vector of ``Game.width`` integers: a contiguous numpy array when compiled, a list when interpreted."""
Move = int
Rank = int
Code = int
"""The number under which a value rule keeps a value in the table."""

UNDECIDED: Final = -(1 << 31)
"""What `terminal` returns while the game goes on."""
NOWHERE: Final = -1
"""What `rank` returns for a state that the index does not number; such a state must be terminal."""

MOST_PLACES: Final = 31
"""How many states may share a number (see `place`)."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def required(function: _Function) -> _Function:
    """Mark a name of the contract that has no default."""
    function.required = True  # type: ignore[attr-defined]
    return function


# --- the game ---------------------------------------------------------------------------------------------------------


@required
def start(state: State) -> None:
    """Write the initial state."""


@required
def moves(state: State, out: MutableSequence[int]) -> int:
    """Write the legal moves, likely best first, and return their number.

    In a game of two players never called on a terminal state; a solved puzzle can be moved on.
    """
    return 0


@required
def play(state: State, move: Move) -> None:
    """Change the state by a move."""


@required
def unplay(state: State, move: Move) -> None:
    """Take a move back: ``unplay(play(s, m), m) == s``."""


@required
def terminal(state: State) -> int:
    """Return UNDECIDED, or the result for the player to move: -1 / 0 / +1, or points; a puzzle's 0 is solved."""
    return UNDECIDED


@required
def unmoves(state: State, out: MutableSequence[int]) -> int:
    """Write every move that can have led here and return their number; `unplay` takes each back.

    Without it: no retrograde analysis; the forward fixpoint and breadth-first search still work.
    """
    return 0


def mobility(state: State, out: MutableSequence[int]) -> int:
    """Return the number of moves; `out` is scratch space."""
    return moves(state, out)


def leaving_moves(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that may lead to another group of parts (or to a state without a number); return their number.

    A game that can tell them from the others saves retrograde analysis the look at those.
    """
    return moves(state, out)


def staying_unmoves(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that can have led here from a state of the same group of parts; return their number."""
    return unmoves(state, out)


def legal(state: State) -> bool:
    """Return false for a number of the index that is no position."""
    return True


def cost(state: State, move: Move) -> int:
    """Return what the move costs in the state it is played in: positive (0 only in an abstraction)."""
    return 1


def gain(state: State, move: Move) -> int:
    """Return the points that the player to move gains at once by the move."""
    return 0


def canonical(state: State) -> None:
    """Replace the state by the representative of its symmetry class."""


def dual(state: State) -> None:
    """Replace the state by its dual, which turns the game round: an involution that exchanges the start and the goal.

    A move leads from s to t just if one of the same cost leads from the dual of t to the dual of s; the start's dual is
    the only solved state, up to symmetry, and symmetric states have symmetric duals. So what lies d moves from the start
    has a dual d moves from the goal. A dual may have no number. Only games that supply it are searched that way (Edelkamp
    2017, symmetries).
    """


def stabilizer(state: State) -> int:
    """Return how many symmetries leave the state as it is, or 0 for every state: unknown.

    With it moves can be counted as they are: without, those that lead to symmetric states must be found and counted once.
    """
    return 0 if symmetric() else 1


def inverse(move: Move) -> Move:
    """Return the move that undoes this one, or -1 where there is none."""
    return -1


def follows(before: Move, move: Move) -> bool:
    """Return false where a move need not be tried right after another one, whatever the state.

    Then what the two lead to is reached at no greater cost by fewer moves, or by two others that come earlier in the
    order of their numbers. So turns of opposite faces of a cube are tried in one order alone. Depth-first search asks.
    """
    return True


def invert(state: State) -> None:
    """Replace the state by its inverse: what the inverses of the moves that lead to it, the last one first, lead to.

    Where moves cost the same in every state, and as much as their inverses, it is as far from the start as the state
    itself: pattern databases may look it up instead (Felner, Zahavi, Schaeffer and Holte 2005, dual lookups).
    """


def h(state: State, tables: Any) -> int:
    """Return a lower bound on the cost of solving the state; `tables` is what the heuristic looks things up in."""
    return 0


def h_step(state: State, move: Move, tables: Any) -> int:
    """Return h after the move less h before it; called *before* the move is played."""
    before = h(state, tables)
    play(state, move)
    after = h(state, tables)
    unplay(state, move)
    return after - before


def carries() -> int:
    """Return how many numbers a heuristic carries along a path of a search, beside the bound itself."""
    return 0


def h_first(state: State, tables: Any, carried: Any, row: int) -> int:
    """Return h of the state a search begins with, and write what is carried along into a row of `carried`."""
    return h(state, tables)


def h_ready(state: State, move: Move, tables: Any, carried: Any, row: int, after: int) -> None:
    """Prepare `h_next` with the same arguments: write what it needs into the row `after`, and ask for what it will read.

    Where a heuristic `prepares`, depth-first search calls it for all the moves of a state before it asks for the first bound,
    and any other search right before `h_next`.
    """


def prepares() -> bool:
    """Tell whether `h_next` relies on `h_ready`."""
    return False


def h_next(state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int) -> int:
    """Return h after a move, which is not played yet, where h before it is `bound` and `row` holds what is carried.

    What is carried after the move goes into the row `after`. Whatever is above `most` does as well as h itself, as long as h
    is not less: nobody asks then what is carried.
    """
    return bound + h_step(state, move, tables)


def goodness(state: State, tables: Any) -> int:
    """Return how promising a state looks, in points of the game's own: best-first search can go by that alone.

    It is no bound: a state with more points is expanded first, whatever it costs to reach it.
    """
    return 0


def sorts() -> bool:
    """Tell whether depth-first search tries the moves in the order of their bounds, not in that of `moves`."""
    return False


def promise(state: State, move: Move, tables: Any) -> int:
    """Return how promising a move looks; where `arranges`, search tries those of a larger promise first."""
    return 0


def arranges() -> bool:
    """Tell whether search puts the moves in the order of their promise."""
    return False


def suffices(state: State, move: Move, tables: Any) -> bool:
    """Return true for a move beside which no other needs to be tried; of several such moves the first one is made.

    No solution gets lost or longer by that: then the game may say so without losing what a search claims.
    """
    return False


def joins() -> bool:
    """Tell whether search makes moves that suffice at once, and joins them to the move before: a macro."""
    return False


def irrelevant(state: State, previous: Move, move: Move, tables: Any) -> bool:
    """Return true for a move that need not be tried in a state, after the move that led there (-1: unknown, or none).

    Searches that know a state again ask with -1, as it may be reached by other moves, too. What is left out must lose no
    solution, or lead to none that is not found otherwise; else the game names the enhancement in `incomplete`.
    """
    return False


def remembers() -> bool:
    """Tell whether depth-first search keeps the states that it has expanded in a transposition table."""
    return False


def exhausts() -> bool:
    """Tell whether depth-first search keeps all the states that it sees, and so notices when there are no others."""
    return False


def scatters() -> bool:
    """Tell whether depth-first search breaks the order of the moves at random, as it does where it restarts."""
    return False


def skips() -> bool:
    """Tell whether depth-first search leaves out moves that complete a superfluous sequence (see `allowed`)."""
    return False


def allowed(at: int, place: int) -> int:
    """Return where the automaton of moves goes from `at` with the move at a place of `moves`, -1: the move is not tried."""
    return 0


def dead(state: State, tables: Any) -> bool:
    """Return true for a state from which no solved state can be reached; guided search asks at every state it expands."""
    return False


def alternates(state: State) -> int:
    """Return 0 or 1: what every move changes, and symmetric states share (the colour of the empty cell's square, say).

    Breadth-first search in one bit asks for it, and only of games that supply it (Edelkamp 2017, move alternation).
    """
    return 0


def solvable(state: State) -> bool:
    """Return false where something that no move changes forbids a solution; asked once, of the state to be searched."""
    return True


def key(state: State) -> int:
    """Return a 64-bit hash of the state (multiply and rotate over its cells)."""
    code = 1469598103934665603
    for cell in range(len(state)):
        code = mix(code ^ (state[cell] + 1))
    return code


def mix(code: int) -> int:
    """Scramble a 63-bit number, one to one enough for a hash table."""
    code &= 0x7FFFFFFFFFFFFFFF
    code = ((code & 0x7FFFFFFF) * 0x5851F42D + (code >> 31) * 0x14057B7F + (code >> 17)) & 0x7FFFFFFFFFFFFFFF
    return code ^ (code >> 29)


# --- the index --------------------------------------------------------------------------------------------------------


@required
def rank(state: State) -> Rank:
    """Return the number of a state, or NOWHERE."""
    return 0


def class_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state's symmetry class, or NOWHERE; the state stays as it is, `scratch` need not."""
    if not symmetric():
        return rank(state)
    for cell in range(len(state)):
        scratch[cell] = state[cell]
    canonical(scratch)
    return rank(scratch)


@required
def unrank(number: Rank, state: State) -> None:
    """Write the state that has this number."""


def advance(number: Rank, state: State, gap: int) -> None:
    """Change the state that has this number into the one with the number + `gap`, which is positive.

    Where neighbouring numbers have states that differ a little, that is quicker than to unrank each.
    """
    unrank(number + gap, state)


def steps(number: Rank, state: State, out: MutableSequence[int], numbers: MutableSequence[int]) -> int:
    """Write the successors' numbers and return how many there are; `state` and `out` are scratch space.

    A game whose numbers change in a simple way by a move supplies its own and saves unrank, play and rank.
    """
    unrank(number, state)
    count = moves(state, out)
    for index in range(count):
        play(state, out[index])
        numbers[index] = rank(state)
        unplay(state, out[index])
    return count


@required
def place(state: State) -> int:
    """Return which of the states that share its number this one is: 0 .. 30 (which cell is empty, say).

    In an abstraction where some moves cost nothing, the states that differ in the place alone share a number.
    """
    return 0


@required
def put(where: int, state: State) -> None:
    """Change the state into the one with the same number and another place; it need not be legal."""


def spread(state: State, places: int) -> int:
    """Return the places, one bit each, that moves without cost lead to from some `places`, these included.

    The state's own place does not matter, and may be left changed.
    """
    out = new_moves()
    reached = places
    done = 0
    while done != reached:
        for where in range(MOST_PLACES):
            if (reached & ~done) >> where & 1:
                done |= 1 << where
                put(where, state)
                for index in range(moves(state, out)):
                    if cost(state, out[index]) == 0:
                        play(state, out[index])
                        reached |= 1 << place(state)
                        unplay(state, out[index])
    return reached


def departures(
    number: Rank, state: State, places: int, numbers: MutableSequence[int], bits: MutableSequence[int]
) -> int:
    """Write the numbers and the places (one bit each) that moves with a cost lead to from some places; return how many.

    As in `spread`, `state` has the number, and its place does not matter. Moves cost 0 or 1.
    """
    out = new_moves()
    count = 0
    for where in range(MOST_PLACES):
        if places >> where & 1:
            put(where, state)
            for index in range(moves(state, out)):
                if cost(state, out[index]) != 0:
                    play(state, out[index])
                    numbers[count] = rank(state)
                    bits[count] = 1 << place(state)
                    count += 1
                    unplay(state, out[index])
    return count


def leaf_rank(state: State, scratch: State) -> Rank:
    """Return the number of a state in the index of the database at a search's leaves, or NOWHERE: it is no leaf.

    `prove` supplies it where it is given such a database (see `Game.rank_in`); `scratch` may be changed.
    """
    return NOWHERE


# --- abstractions: from the state of a game to the number of its image ------------------------------------------------


@required
def image_number(state: State, table: Any, at: int) -> Rank:
    """Return the number of a state's image; what is looked at is told in `table` from `at` on (see `Abstraction`)."""
    return 0


def image_step(state: State, move: Move, table: Any, at: int) -> int:
    """Return by how much a move changes the number of the image; called before it is played."""
    before = image_number(state, table, at)
    play(state, move)
    after = image_number(state, table, at)
    unplay(state, move)
    return after - before


def image_after(number: Rank, state: State, move: Move, table: Any, at: int) -> Rank:
    """Return the number of the image after a move that is not played yet, from the number before it.

    Where the number follows from that one alone, that is quicker than `image_step`.
    """
    return number + image_step(state, move, table, at)


def image_piece(state: State, move: Move) -> int:
    """Return which of the pieces an abstraction may charge for a move changes (see `Abstraction.charged`), or -1: any.

    The numbers of abstractions that charge for other pieces stay as they are.
    """
    return -1


# --- buffers, supplied by Game ----------------------------------------------------------------------------------------


@required
def new_state() -> Any:
    """Return room for a state, all zero."""


@required
def new_moves() -> Any:
    """Return room for the moves of one state, forwards or backwards."""


@required
def symmetric() -> bool:
    """Tell whether the game supplies `canonical`."""
    return False


# --- the value rule (Gasser 1995, section 3.3: InitialValue, InfoProp, InfoGather, Backupable, FinalConvert) -----------


@required
def initial(result: int, count: int) -> Code:
    """Return the first code of a state: of a terminal one from its result, of any other from its successor count."""
    return 0


def propagate(code: Code, successor: Code, weight: int) -> Code:
    """Return the state's new code, now that one of its successors has its final (stored) code.

    Without it: no retrograde analysis. Must not depend on the order of the calls within a level.
    """
    return code


@required
def gather(code: Code, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> Code:
    """Return the state's code from its own present code and those of all its successors."""
    return code


def level(code: Code) -> int:
    """Return when a code is final and is backed up to the predecessors (from 0 upwards), or -1: not yet or never."""
    return -1


def arrival(successor: Code) -> int:
    """Return 0 for a successor's stored code that may be propagated at any time; else how late, from 1 upwards.

    Of the codes that decide a state together, the one with the greatest arrival must come last.
    """
    return 0


def finish(code: Code) -> Code:
    """Return the code to be stored when nothing changes any more."""
    return code


def weight(state: State, move: Move) -> int:
    """Return the number on an edge that the value rule uses: the cost of the move, or its gain."""
    return cost(state, move)
