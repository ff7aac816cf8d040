"""The rules of a game: the functions that a game supplies, their meaning, and the defaults of the optional ones.

A *state* is a short vector of integers, changed in place. A *move* is one integer that holds all that is needed to take
it back. A game's ``rules()`` supplies functions by these names; :func:`searchbench.jit.bind` puts them in the place of
the functions below wherever a kernel calls one. A slot with ``required=True`` has no default; the body of every other
function *is* its default. Each rule may have one parameter more, the last one, named ``data``: the game's ``data()``.
Numbers for states, values, searches and abstractions have contracts of their own, which most games leave alone.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.slots import constant, slot

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


# --- every game has these ---------------------------------------------------------------------------------------------


@slot(required=True)
def start(state: State) -> None:
    """Write the initial state."""


@slot(required=True)
def moves(state: State, out: MutableSequence[int]) -> int:
    """Write the legal moves, likely best first, and return their number.

    In a game of two players never called on a terminal state; a solved puzzle can be moved on, and so can a lost one, which has
    no solution all the same.
    """
    return 0


@slot(required=True)
def play(state: State, move: Move) -> None:
    """Change the state by a move."""


@slot(required=True)
def unplay(state: State, move: Move) -> None:
    """Take a move back: ``unplay(play(s, m), m) == s``."""


@slot(required=True)
def terminal(state: State) -> int:
    """Return UNDECIDED, or the result for the player to move: -1 / 0 / +1, or points; a puzzle's 0 is solved, -1 lost."""
    return UNDECIDED


# --- some games have these --------------------------------------------------------------------------------------------


@slot(required=True)
def unmoves(state: State, out: MutableSequence[int]) -> int:
    """Write every move that can have led here and return their number; `unplay` takes each back.

    Without it: no retrograde analysis; the forward fixpoint and breadth-first search still work.
    """
    return 0


@slot
def legal(state: State) -> bool:
    """Return false for a number of the index that is no position."""
    return True


@slot
def forbids(state: State, cell: int) -> bool:
    """Return whether the first player may not put a stone on an empty cell, in a game of lines that forbids some (renju)."""
    return False


@slot
def cost(state: State, move: Move) -> int:
    """Return the cost of the move in the state it is played in: positive (0 only where states share numbers)."""
    return 1


@slot
def gain(state: State, move: Move) -> int:
    """Return the points that the player to move gains at once by the move."""
    return 0


@slot
def canonical(state: State) -> None:
    """Replace the state by the representative of its symmetry class."""


@slot
def stabilizer(state: State) -> int:
    """Return how many symmetries leave the state as it is, or 0 for every state: unknown.

    With it moves can be counted as they are: without, those that lead to symmetric states are found and counted once.
    """
    if SYMMETRIC:
        return 0
    return 1


@slot
def image_under(state: State, symmetry: int) -> None:
    """Replace the state by its image under a symmetry, 0 (the identity) .. `Game.symmetries` - 1."""


@slot
def solvable(state: State) -> bool:
    """Return false where something that no move changes forbids a solution; asked once, of the state to be searched."""
    return True


@slot
def h(state: State, tables: Any) -> int:
    """Return a lower bound on the cost of solving the state; `tables` is where the heuristic looks things up."""
    return 0


@slot
def h_step(state: State, move: Move, tables: Any) -> int:
    """Return h after the move less h before it; called *before* the move is played."""
    before = h(state, tables)
    play(state, move)
    after = h(state, tables)
    unplay(state, move)
    return after - before


@slot
def repetition(state: State) -> int:
    """Return the outcome -1 / 0 / +1, for the player to move, of play that returns to the state without end.

    All states of a cycle tell the same. Proof search asks. For tables endless play is a draw: such a game has none.
    """
    return 0


# --- these make solvers quicker --------------------------------------------------------------------------------------


@slot
def mobility(state: State, out: MutableSequence[int]) -> int:
    """Return the number of moves; `out` is scratch space."""
    return moves(state, out)


@slot
def conversions(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that may lead to another group of parts (or to a state without a number); return their number."""
    return moves(state, out)


@slot
def unmoves_within(state: State, out: MutableSequence[int]) -> int:
    """Write the moves that can have led here from a state of the same group of parts; return their number."""
    return unmoves(state, out)


@slot
def inverse(move: Move) -> Move:
    """Return the move that undoes this one, or -1 where there is none."""
    return -1


@slot
def follows(before: Move, move: Move) -> bool:
    """Return false where a move need not be tried right after another one, in any state.

    Then fewer moves, or two others of smaller numbers, lead to the same state at no greater cost (turns of opposite faces).
    """
    return True


@slot
def alternates(state: State) -> int:
    """Return 0 or 1: every move changes it, and symmetric states share it (the colour of the empty cell's square, say).

    Breadth-first search in one bit asks for it, and only of games that supply it (Edelkamp 2017, move alternation).
    """
    return 0


# --- Game supplies these itself ---------------------------------------------------------------------------------------


@slot(required=True)
def new_state() -> Any:
    """Return room for a state, all zero."""


@slot(required=True)
def new_moves() -> Any:
    """Return room for the moves of one state, forwards or backwards."""


SYMMETRIC: Final = constant("SYMMETRIC", False)
"""Whether the game supplies `canonical`."""
GUARDED: Final = constant("GUARDED", False)
"""Whether solvers check where moves lead: the game is none of this package, whose laws are tested."""
