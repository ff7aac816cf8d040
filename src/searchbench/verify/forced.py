"""Find a forced sequence in a game of lines, and replay it by the rules against every reply.

The player to move (the attacker) fills all but one cell of a line; the defender must answer in that cell, unless she can
complete a line herself. The attacker goes on until a line is complete. The search takes the lines from the game's `lines`
(:class:`searchbench.families.lines.LineBoard`) and a move of the second player as ``2 * cell + 1``, of the first as
``2 * cell``. Its answer is only a proposal: :func:`holds` replays the sequence by the rules alone and tries every reply.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.jit import inlined, unowned
from searchbench.rules import UNDECIDED, State, moves, play, terminal, unplay

NOT_FOUND: Final = 0
NO_CELL: Final = -1
TRIED: Final = 1 << 12
"""Entries of the table of positions without a forced sequence; a newer entry replaces an older one."""

# The places of a search's `note`: nodes of this search, and a number that tells its entries in the table from others'.
_NODES, _SALT = range(2)
# The sides: the attacker, the defender.
_ATTACKER, _DEFENDER = range(2)


class ForcedSearch(NamedTuple):
    """A board of lines, and room for one search.

    `lines` has the cells of each line; `through` the lines of each cell, from `first` on; `below` the cell that must be
    filled before a cell, or -1. `owner` is 0 for an empty cell, 1 + side for a stone; `counts` the stones of each side in
    each line. `cells` gets the sequence: the attacker's cell, the defender's answer, and so on. For each level `place` holds
    the next candidate, `threats` the cell of a threat of the defender, or -1, and `codes` the hash of the position. `tried` holds
    the hashes of failures. `out` and `replies` are room for moves. A search ends after `limit` nodes. `stacked` tells whether any
    cell must wait for one below.
    """

    lines: Any
    first: Any
    through: Any
    below: Any
    owner: Any
    counts: Any
    cells: Any
    place: Any
    threats: Any
    codes: Any
    tried: Any
    note: Any
    out: Any
    replies: Any
    limit: int
    stacked: bool


def forced_search(game: Game, limit: int) -> ForcedSearch:
    """Return the search of a game; with limit 0, of a game that may have no lines. Raises BadRequest without lines."""
    board: Any = getattr(game, "lines", None)
    if limit and (board is None or not board.lines):
        raise BadRequest(f"{game}: forced sequences need the game's `lines`, of which it has none")
    lines = np.array(board.lines if limit else [[0]], np.int64)
    cells = len(board.places) if limit else 1
    below = np.full(cells, NO_CELL, np.int64)
    for stack in board.stacks if limit else ():
        for low, high in pairwise(stack):
            below[high] = low
    order = np.argsort(lines, axis=None, kind="stable")
    first = np.searchsorted(lines.reshape(-1)[order], np.arange(cells + 1))
    levels = cells // 2 + 2
    return ForcedSearch(
        lines,
        first.astype(np.int64),
        (order // lines.shape[1]).astype(np.int64),
        below,
        np.zeros(cells, np.int64),
        np.zeros((2, len(lines)), np.int64),
        np.zeros(2 * levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(TRIED, np.int64),
        np.zeros(2, np.int64),
        np.zeros(max(game.max_moves, 1), np.int64),
        np.zeros(max(game.max_moves, 1), np.int64),
        limit,
        bool((below >= 0).any()),
    )


@inlined
def put(search: ForcedSearch, cell: int, side: int) -> None:
    """Put a stone of a side on an empty cell."""
    search.owner[cell] = 1 + side
    for place in range(search.first[cell], search.first[cell + 1]):
        search.counts[side, search.through[place]] += 1


@inlined
def take(search: ForcedSearch, cell: int, side: int) -> None:
    """Take the stone of a side from a cell."""
    search.owner[cell] = 0
    for place in range(search.first[cell], search.first[cell + 1]):
        search.counts[side, search.through[place]] -= 1


@inlined
def playable(search: ForcedSearch, cell: int) -> bool:
    """Return whether a stone may be put on a cell."""
    below = search.below[cell]
    return bool(search.owner[cell] == 0 and (below < 0 or search.owner[below] != 0))


@inlined
def empty_cell(search: ForcedSearch, line: int, skipped: int) -> int:
    """Return an empty cell of a line after `skipped` others."""
    for place in range(search.lines.shape[1]):
        cell = search.lines[line, place]
        if search.owner[cell] == 0:
            if skipped == 0:
                return int(cell)
            skipped -= 1
    return NO_CELL


@inlined
def completion(search: ForcedSearch, side: int) -> int:
    """Return a cell in which a side completes a line at once, or -1."""
    length = search.lines.shape[1]
    for line in range(len(search.lines)):
        if search.counts[side, line] == length - 1 and search.counts[1 - side, line] == 0:
            cell = empty_cell(search, line, 0)
            if playable(search, cell):
                return cell
    return NO_CELL


def set_up(search: ForcedSearch, state: State, attacker: int) -> None:
    """Put the stones of a state on the board; the attacker's are marked `attacker` (1 or 2)."""
    for side in range(2):
        for line in range(len(search.lines)):
            search.counts[side, line] = 0
    code = 0
    for cell in range(len(search.owner)):
        search.owner[cell] = 0
        if state[cell] != 0:
            side = _ATTACKER if state[cell] == attacker else _DEFENDER
            put(search, cell, side)
            code ^= mark_of(cell, side)
    search.note[_NODES] = 0
    search.codes[0] = code


def mark_of(cell: int, side: int) -> int:
    """Return the hash of a stone on a cell."""
    return mix(mix(2 * cell + side + 0x9E3779B9) + 0x2545F491)


@inlined
def failed(search: ForcedSearch, level: int) -> bool:
    """Return whether the position of a level was tried without success."""
    code = search.codes[level]
    return bool(search.tried[code & (TRIED - 1)] == code)


@inlined
def step(search: ForcedSearch, level: int, candidate: int) -> bool:
    """Play a candidate of a level and the forced answer; return false, with the board as it was, if it forces nothing.

    A candidate is twice a line with two empty cells and none of the defender's stones; plus 1 to fill the second of the
    empty cells instead of the first. It must stop the defender's threat, if there is one.
    """
    line = candidate >> 1
    if search.counts[_ATTACKER, line] != search.lines.shape[1] - 2 or search.counts[_DEFENDER, line] != 0:
        return False
    attack = empty_cell(search, line, candidate & 1)
    answer = empty_cell(search, line, 1 - (candidate & 1))
    threat = search.threats[level]
    if not playable(search, attack) or (threat != NO_CELL and threat != attack):
        return False
    put(search, attack, _ATTACKER)
    opened = threat != NO_CELL or search.stacked  # else the defender has no threat, as she had none before
    if not playable(search, answer) or (opened and completion(search, _DEFENDER) != NO_CELL):
        take(search, attack, _ATTACKER)
        return False
    put(search, answer, _DEFENDER)
    search.cells[2 * level] = attack
    search.cells[2 * level + 1] = answer
    search.codes[level + 1] = search.codes[level] ^ mark_of(attack, _ATTACKER) ^ mark_of(answer, _DEFENDER)
    return True


@inlined
def take_back(search: ForcedSearch, level: int) -> None:
    """Take back the attack of a level and its answer."""
    take(search, search.cells[2 * level + 1], _DEFENDER)
    take(search, search.cells[2 * level], _ATTACKER)


def find(search: ForcedSearch, state: State, attacker: int) -> int:
    """Find a shortest forced sequence of the player to move; return its length, 0 if there is none within the limit.

    Depth-first searches go one attack deeper each. Nodes are positions with the attacker to move, in all of them together.
    """
    search = unowned(search)
    set_up(search, state, attacker)
    candidates = 2 * len(search.lines)
    for deepest in range(len(search.place)):
        search.note[_SALT] += 1
        search.codes[0] ^= mix(search.note[_SALT] + 0x5DEECE66D)
        cut_off = False
        level = 0
        search.place[0] = 0
        entered = True
        while level >= 0:
            if entered:
                entered = False
                search.note[_NODES] += 1
                if search.note[_NODES] > search.limit:
                    return NOT_FOUND
                last = completion(search, _ATTACKER)
                if last != NO_CELL:
                    search.cells[2 * level] = last
                    return 2 * level + 1
                search.threats[level] = completion(search, _DEFENDER)
                if level == deepest:
                    search.place[level] = candidates
                    cut_off = True
            if search.place[level] == candidates:
                search.tried[search.codes[level] & (TRIED - 1)] = search.codes[level]
                level -= 1
                if level >= 0:
                    take_back(search, level)
                continue
            search.place[level] += 1
            if step(search, level, search.place[level] - 1):
                if failed(search, level + 1):
                    take_back(search, level)
                else:
                    level += 1
                    search.place[level] = 0
                    entered = True
        if not cut_off:
            return NOT_FOUND
    return NOT_FOUND


@inlined
def is_move(out: Any, count: int, move: int) -> bool:
    """Return whether a move is one of those written."""
    for place in range(count):
        if out[place] == move:
            return True
    return False


@inlined
def wins_at_once(search: ForcedSearch, state: State, move: int) -> bool:
    """Return whether a move is legal in an undecided state and ends the game as a win; keep the state."""
    if not is_move(search.out, moves(state, search.out), move):
        return False
    play(state, move)
    won = terminal(state)
    unplay(state, move)
    return bool(won != UNDECIDED and won < 0)


def holds(search: ForcedSearch, state: State, length: int, mover: int) -> bool:
    """Replay a sequence by the rules, and try every reply; return whether all of them lose. Changes the state.

    After each attack every reply other than the answer must lose to the attacker's stone in the cell of the answer, or have
    lost the game itself. `mover` is 0 where the attacker is the first player, else 1.
    """
    search = unowned(search)
    for place in range(0, length, 2):
        if terminal(state) != UNDECIDED:
            return False
        attack = 2 * search.cells[place] + mover
        if not is_move(search.out, moves(state, search.out), attack):
            return False
        play(state, attack)
        result = terminal(state)
        if result != UNDECIDED:
            return bool(result < 0)
        if place + 1 >= length:
            return False
        answer = 2 * search.cells[place + 1] + 1 - mover
        count = moves(state, search.replies)
        if count == 0:
            return False
        answered = False
        for index in range(count):
            reply = search.replies[index]
            if reply == answer:
                answered = True
                continue
            play(state, reply)
            result = terminal(state)
            lost = (
                result > 0 if result != UNDECIDED else wins_at_once(search, state, 2 * search.cells[place + 1] + mover)
            )
            unplay(state, reply)
            if not lost:
                return False
        if not answered:
            return True
        play(state, answer)
    return False


def wins_by_force(search: ForcedSearch, state: State) -> bool:
    """Return whether the search finds a forced sequence for the player to move that stands by the rules; change the state.

    The state is not terminal and has moves.
    """
    moves(state, search.out)
    mover = int(search.out[0] & 1)
    length = find(search, state, 1 + mover)
    return length != NOT_FOUND and holds(search, state, length, mover)
