"""Find forced sequences of a game of lines (Allis 1994, sections 4.2 and 4.3; Patashnik's search of forcing moves).

The attacker, to move, fills all but one cell of a line; the defender must answer there. If the defender's answer makes such a
line of her own, the attacker must answer it, and may go on only if that makes a threat again. Two threats at once win. The
search is depth first, with a memory of the positions it has failed on, which holds for one evaluation. Boards with stacks,
where a cell must be filled before another, are not for it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.hashing import mix

NO_CELL: Final = -1
SEVERAL: Final = -2
"""In the place of a cell: there are at least two."""
_MEMORY: Final = 1 << 12
"""Positions that the memory holds; a newer one replaces an older."""
_SIDE: Final = 5
"""Bits of a line's load for each player's stones, so lines have up to 31 cells."""
# The places of `note`: nodes of all evaluations, the number of evaluations, and those that the limit stopped.
NODES, EVALUATIONS, STOPPED = range(3)


class Forcing(NamedTuple):
    """A board of lines with the stones of a position, and room for a search.

    `lines` [lines, k] has the cells of each line, `through` the lines of each cell, from `first` on. `owner` is 0 for an empty
    cell, 1 or 2 for a player's stone. `load` counts the stones of each line, those of player 2 in the higher bits. `place` holds
    for each level the next candidate, `must` the cell that the attacker must fill, `played` the attack and its answer,
    `codes` the hash of the position; `failed` is the memory, `marks` [cells, 2] the hash of each stone.
    """

    lines: Any
    first: Any
    through: Any
    owner: Any
    load: Any
    place: Any
    must: Any
    played: Any
    codes: Any
    failed: Any
    marks: Any
    note: Any


def check_lines(board: Any) -> None:
    """Raise BadRequest for a board with stacks, without lines, or with too long ones, or some of other lengths."""
    if any(len(stack) > 1 for stack in board.stacks):
        raise BadRequest("forced sequences are searched on boards where stones do not fall")
    lengths = set(map(len, board.lines))
    if len(lengths) != 1 or not 2 <= min(lengths) < 1 << _SIDE:
        raise BadRequest("forced sequences are searched on boards with lines of 2 to 31 cells, all of the same length")


def new_forcing(board: Any) -> Forcing:
    """Return an empty board; `board` is the `lines` of a game. Raises BadRequest as `check_lines` does."""
    check_lines(board)
    lines, cells = np.array(board.lines, np.int64), len(board.places)
    order = np.argsort(lines, axis=None, kind="stable")
    first = np.searchsorted(lines.reshape(-1)[order], np.arange(cells + 1))
    levels = cells // 2 + 2
    marks = np.array([[mix(mix(2 * cell + side + 0x9E3779B9)) for side in range(2)] for cell in range(cells)], np.int64)
    return Forcing(
        lines, first.astype(np.int64), order // lines.shape[1], np.zeros(cells, np.int64), np.zeros(len(lines), np.int64),
        np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.zeros((levels, 2), np.int64),
        np.zeros(levels, np.int64), np.zeros(_MEMORY, np.int64), marks, np.zeros(3, np.int64),
    )  # fmt: skip


def one_of(player: int) -> int:
    """Return what a stone of a player adds to a line's load."""
    return 1 << (_SIDE * (player - 1))


def put(forcing: Forcing, cell: int, player: int) -> None:
    """Put a stone of a player (1 or 2) on an empty cell."""
    forcing.owner[cell] = player
    added = one_of(player)
    for place in range(forcing.first[cell], forcing.first[cell + 1]):
        forcing.load[forcing.through[place]] += added


def take(forcing: Forcing, cell: int) -> None:
    """Take the stone from a cell."""
    added = one_of(forcing.owner[cell])
    forcing.owner[cell] = 0
    for place in range(forcing.first[cell], forcing.first[cell + 1]):
        forcing.load[forcing.through[place]] -= added


def set_stones(forcing: Forcing, state: Any) -> None:
    """Put the stones of a state on the board in the place of those there."""
    forcing.load[:] = 0
    for cell in range(len(forcing.owner)):
        forcing.owner[cell] = state[cell]
        if state[cell] != 0:
            added = one_of(state[cell])
            for place in range(forcing.first[cell], forcing.first[cell + 1]):
                forcing.load[forcing.through[place]] += added


def empty_cell(forcing: Forcing, line: int, skipped: int) -> int:
    """Return an empty cell of a line, after `skipped` others."""
    place = 0
    while True:
        cell = forcing.lines[line, place]
        if forcing.owner[cell] == 0:
            if skipped == 0:
                return int(cell)
            skipped -= 1
        place += 1


def threat(forcing: Forcing, player: int) -> int:
    """Return the cell where a player completes any line, NO_CELL or SEVERAL."""
    wanted = (forcing.lines.shape[1] - 1) * one_of(player)
    found = NO_CELL
    for line in range(len(forcing.lines)):
        if forcing.load[line] == wanted:
            completion = empty_cell(forcing, line, 0)
            if found not in (NO_CELL, completion):
                return SEVERAL
            found = completion
    return found


def makes_threat(forcing: Forcing, cell: int, player: int) -> bool:
    """Return whether a stone of a player on an empty cell would leave her one cell short of a line."""
    wanted = (forcing.lines.shape[1] - 2) * one_of(player)
    for place in range(forcing.first[cell], forcing.first[cell + 1]):
        if forcing.load[forcing.through[place]] == wanted:
            return True
    return False


def wins_by_force(forcing: Forcing, attacker: int, limit: int) -> bool:
    """Return whether the player to move wins by a forced sequence that is found within `limit` nodes; keep the position.

    Neither player has completed a line. The search is one function: calls that hand the board on took most of its time.
    """
    lines, first, through, owner, load = forcing.lines, forcing.first, forcing.through, forcing.owner, forcing.load
    places, musts, played, codes = forcing.place, forcing.must, forcing.played, forcing.codes
    failed, marks, note = forcing.failed, forcing.marks, forcing.note
    note[EVALUATIONS] += 1
    note[NODES] += 1
    if threat(forcing, attacker) != NO_CELL:
        return True
    must = threat(forcing, 3 - attacker)
    if must == SEVERAL:
        return False
    own, other, length = one_of(attacker), one_of(3 - attacker), lines.shape[1]
    two_short, own_threat, other_threat = (length - 2) * own, (length - 1) * own, (length - 1) * other
    candidates = 2 * len(lines)
    musts[0] = must
    code = mix(note[EVALUATIONS] + 0x5DEECE66D)
    codes[0] = code
    place = 0
    level = 0
    spent = 1
    won = False
    while True:
        cell = NO_CELL
        if must != NO_CELL:
            if place == 0:
                cell = must
                place = 1
        else:
            while place < candidates:
                line = place >> 1
                if load[line] == two_short:
                    skipped = place & 1
                    step = 0
                    while True:
                        cell = lines[line, step]
                        if owner[cell] == 0:
                            if skipped == 0:
                                break
                            skipped -= 1
                        step += 1
                    place += 1
                    break
                place += 2 - (place & 1)
        if cell == NO_CELL or spent >= limit:
            if cell != NO_CELL:
                note[STOPPED] += 1
                break
            failed[code & (_MEMORY - 1)] = code
            if level == 0:
                break
            level -= 1
            for side in range(2):
                cell = played[level, side]
                owner[cell] = 0
                added = own if side == 0 else other
                for at in range(first[cell], first[cell + 1]):
                    load[through[at]] -= added
            code, must, place = codes[level], musts[level], places[level]
            continue
        spent += 1
        # The attack, and the cell where it threatens to complete a line.
        owner[cell] = attacker
        answer = NO_CELL
        for at in range(first[cell], first[cell + 1]):
            line = through[at]
            load[line] += own
            if load[line] == own_threat:
                step = 0
                while owner[lines[line, step]] != 0:
                    step += 1
                if answer == NO_CELL:
                    answer = lines[line, step]
                elif answer != lines[line, step]:
                    answer = SEVERAL
        after = code
        if answer >= 0:
            after = code ^ marks[cell, 0] ^ marks[answer, 1]
        if answer < 0 or failed[after & (_MEMORY - 1)] == after:
            owner[cell] = 0
            for at in range(first[cell], first[cell + 1]):
                load[through[at]] -= own
            if answer == SEVERAL:
                played[level, 0] = cell  # the first attack of the sequence is played[0, 0]
                won = True
                break
            continue
        # The answer, and the cell where it threatens in turn.
        owner[answer] = 3 - attacker
        reply = NO_CELL
        for at in range(first[answer], first[answer + 1]):
            line = through[at]
            load[line] += other
            if load[line] == other_threat:
                step = 0
                while owner[lines[line, step]] != 0:
                    step += 1
                if reply == NO_CELL:
                    reply = lines[line, step]
                elif reply != lines[line, step]:
                    reply = SEVERAL
        places[level] = place
        played[level, 0] = cell
        played[level, 1] = answer
        level += 1
        code, must, place = after, reply, 0
        codes[level] = code
        musts[level] = must
        if reply == SEVERAL:
            place = 1  # nothing answers two threats: no candidate
    note[NODES] += spent
    while level > 0:
        level -= 1
        take(forcing, played[level, 1])
        take(forcing, played[level, 0])
    return won
