"""Check that a player wins by threats against every reply, from the lines and the rules alone.

:func:`searchbench.verify.threat_search.find` proposes moves; :func:`holds` plays them, derives every reply from the lines
(:mod:`searchbench.verify.threat_board`), and lets the rules judge the last stones.
"""

from __future__ import annotations

from typing import Any, Final

from searchbench.jit import inlined, unowned
from searchbench.rules import UNDECIDED, State, moves, play, terminal, unplay
from searchbench.verify.threat_board import (
    DEEPEST,
    NO_CELL,
    SIBLINGS,
    THREE,
    TWO,
    VISITS,
    ThreatSearch,
    completions,
    completions_with,
    may_play,
    put,
    replies,
    set_up,
    take,
)
from searchbench.verify.threat_search import (
    AT,
    MOVE,
    SIZE,
    WON,
    code_of,
    completions_or_none,
    find,
    known_move,
)

FEW: Final = 60
"""Nodes of a search where the win of another position has no move: the defender's stone has made a four possible."""


@inlined
def played(search: ThreatSearch, state: State, cell: int, player: int) -> None:
    """Put a stone on the board and in the state."""
    put(search, cell, player)
    play(state, 2 * cell + player)


@inlined
def unplayed(search: ThreatSearch, state: State, cell: int, player: int) -> None:
    """Take a stone from the board and from the state."""
    unplay(state, 2 * cell + player)
    take(search, cell, player)


def wins_with(search: ThreatSearch, state: State, cell: int, player: int) -> bool:
    """Return whether a player who is to move wins at once by a stone on an empty cell, by the rules; keep the state."""
    if search.stones[cell] != 0:
        return False
    move = 2 * cell + player
    play(state, move)
    result = terminal(state)
    unplay(state, move)
    return bool(result != UNDECIDED and result < 0)


def wins_twice(search: ThreatSearch, state: State, attacker: int) -> bool:
    """Return whether the attacker, who has threats that no reply stops, wins: by the rules, if she completes a line in two cells.

    Else each reply leaves a stone that makes two such cells.
    """
    search = unowned(search)
    room, defender = search.room[0], 1 - attacker
    if completions(search, attacker, room, 0, 2) < 2:
        return True
    one, other = room[0], room[1]
    won = True
    for _ in range(2):
        one, other = other, one
        played(search, state, one, defender)
        won = won and terminal(state) == UNDECIDED and wins_with(search, state, other, attacker)
        unplayed(search, state, one, defender)
    return won


def mark_zone(search: ThreatSearch, attacker: int, move: int, count: int, answers: Any) -> None:
    """Mark the cells on which the attacker's last move depends: a defender's stone on any other leaves it as it is.

    That is, the same cells complete lines, the same replies are left, and the defender completes no line. The stone would
    have to lie on one of the cells that this rests on, or on a line of hers that it makes a four, or after a three, one
    that a four of two stones could come of.
    """
    search = unowned(search)
    zone, room, defender = search.zone, search.room, 1 - attacker
    zone[move] = 1
    for place in range(count):
        zone[answers[place]] = 1
    ways = completions(search, attacker, room[0], 0, len(search.stones))
    for place in range(ways):
        zone[room[0, place]] = 1
    for cell in range(len(search.stones)):
        if search.short[TWO, defender, cell] > 0 or (ways == 0 and search.short[THREE, defender, cell] > 0):
            zone[cell] = 1
        if ways == 0 and search.stones[cell] == 0 and search.short[TWO, attacker, cell] >= 2:
            made = completions_with(search, cell, attacker, room[0], 0, len(search.stones))
            if made >= 2:
                zone[cell] = 1
                for place in range(made):
                    zone[room[0, place]] = 1


def holds(search: ThreatSearch, state: State, attacker: int, change: int, passed: bool) -> bool:
    """Play the table's moves in the state, and try every reply that the lines leave; return whether all of them lose.

    The attacker is to move. Where the table has no move for a position, that of the position whose hash differs by
    `change` is played, or a short search finds one. The walk gives up after ten times the nodes of a search. With `passed`
    the defender has moved last and has passed now: then the rules cannot be asked, and the zone of the win is marked instead.
    """
    search = unowned(search)
    rows, note, defender, level, entered = search.rows, search.note, 1 - attacker, 0, True
    note[VISITS] = 0
    if passed:
        search.zone[:] = 0
    while True:
        if entered:
            entered = False
            note[VISITS] += 1
            if level >= DEEPEST or note[VISITS] > 10 * search.limit:
                break
            last = completions_or_none(search, attacker)
            rows[level, SIZE] = rows[level, AT] = 0
            rows[level, MOVE] = NO_CELL
            if last != NO_CELL:
                if passed:
                    search.zone[last] = 1
                elif not wins_with(search, state, last, attacker):
                    break
            else:
                code = code_of(search, True)
                move = known_move(search, code)
                if move == NO_CELL and change != 0:
                    move = known_move(search, code ^ change)
                again = FEW if change != 0 else search.limit  # else the table has lost the move
                if move == NO_CELL and find(search, attacker, again) == WON:
                    move = known_move(search, code)
                if move == NO_CELL or search.stones[move] != 0 or not may_play(search, move, attacker):
                    break
                played(search, state, move, attacker)
                rows[level, MOVE] = move
                count = replies(search, attacker, search.answers[level])
                rows[level, SIZE] = count
                if count < 0 or (count == 0 and not passed and not wins_twice(search, state, attacker)):
                    unplayed(search, state, move, attacker)
                    break
                if passed:
                    mark_zone(search, attacker, move, count, search.answers[level])
        if rows[level, AT] < rows[level, SIZE]:
            played(search, state, search.answers[level, rows[level, AT]], defender)
            rows[level, AT] += 1
            level += 1
            entered = True
            continue
        if rows[level, MOVE] != NO_CELL:
            unplayed(search, state, rows[level, MOVE], attacker)
        if level == 0:
            return True
        level -= 1
        unplayed(search, state, search.answers[level, rows[level, AT] - 1], defender)
    while level > 0:
        level -= 1
        unplayed(search, state, search.answers[level, rows[level, AT] - 1], defender)
        unplayed(search, state, rows[level, MOVE], attacker)
    return False


def begin(search: ThreatSearch, state: State, attacker: int) -> bool:
    """Set the board up, forget earlier searches, and return whether the attacker wins by threats if the defender passes.

    The defender is to move. The zone of the win is marked. False where cells are forbidden: a stone far off may forbid one.
    """
    set_up(search, state)
    if search.forbidding:
        return False
    return find(search, attacker, search.limit) == WON and holds(search, state, attacker, 0, True)


def wins_by_threats(search: ThreatSearch, state: State) -> bool:
    """Return whether the player to move is found to win by threats, which the check confirms; keep the state.

    The state is not terminal and has moves.
    """
    search = unowned(search)
    moves(state, search.room[3])
    attacker = int(search.room[3, 0] & 1)
    set_up(search, state)
    return find(search, attacker, search.limit) == WON and holds(search, state, attacker, 0, False)


def beats(search: ThreatSearch, state: State, cell: int, attacker: int, passed: bool) -> bool:
    """Return whether the attacker, to move, is found to win by threats after a reply; keep the state.

    The board is that before the reply in `cell`, the state that after it. `passed` tells whether she wins if the defender
    passes: a reply outside the zone of that win loses to the same moves. Else they are tried first, then those that have
    beaten other replies.
    """
    search = unowned(search)
    if passed and search.zone[cell] == 0:
        return True
    defender, siblings = 1 - attacker, search.siblings
    put(search, cell, defender)
    mark = search.marks[cell, defender]
    won = passed and holds(search, state, attacker, mark, False)
    for place in range(SIBLINGS):
        if not won and siblings[place] != NO_CELL:
            won = holds(search, state, attacker, mark ^ search.marks[siblings[place], defender], False)
    if not won and find(search, attacker, search.limit) == WON:
        won = holds(search, state, attacker, 0, False)
        if won:
            for place in range(SIBLINGS - 1, 0, -1):
                siblings[place] = siblings[place - 1]
            siblings[0] = cell
    take(search, cell, defender)
    return won
