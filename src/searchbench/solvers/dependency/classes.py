"""Find forced sequences of a game of lines by dependency, compiled (Allis 1994, sections 3.3.4, 4.3.2 and 4.3.3).

A node is a set of attacks with their answers, of which the last one depends on all others: a key class. A node grows by the
attacks on lines through its last stone; two nodes are combined where their last stones lie on a line that a further attack can
use. Where a node gives two ways to complete a line, its attacks are put into an order in which each threat of the defender
is answered at once, by one of them or by a further attack. A node whose attacks have no such order is dropped; so a win in which
an attack of another node answers a threat may be missed. What this finds is a win; what it does not find may be one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.hashing import mix
from searchbench.jit import unowned

NO_CELL: Final = -1
SEVERAL: Final = -2
"""In the place of a cell: there are at least two."""
DEEPEST: Final = 20
"""Attacks of a node, at most."""
ORDERS: Final = 5_000
"""Attacks that are played to find an order for those of one node."""
_LONGEST: Final = 2 * DEEPEST
_SIDE: Final = 5
"""Bits of a line's load for each player's stones, so lines have up to 31 cells."""
# The places of `note`: nodes of this search, attacks of `path`, the salt of `seen`, orders left, nodes of all searches, attacks
# of the sequence that wins, which is in `played`: the last one has no single answer.
NODES, LENGTH, SALT, LEFT, ALL, WINNING = range(6)


class KeyClasses(NamedTuple):
    """A board of lines with the stones of a position, and the nodes of a search.

    `lines` [lines, k] has the cells of each line, `through` the lines of each cell, from `first` on, `common` [cells, cells] the
    line of two cells, if any. `owner` is 0 for an empty cell, 1 or 2 for a player's stone; `load` counts the stones of each
    line, those of player 2 in the higher bits. `attacks` [nodes, deepest, 2] has the cells of each attack and its answer,
    `size` their number; `path` those on the board. `played`, `tried` and `left` are for the order; `seen` has the sets found.
    """

    lines: Any
    first: Any
    through: Any
    common: Any
    owner: Any
    load: Any
    attacks: Any
    size: Any
    path: Any
    played: Any
    tried: Any
    left: Any
    seen: Any
    note: Any


def new_classes(board: Any, limit: int = 3_000) -> KeyClasses:
    """Return an empty board with room for `limit` nodes; `board` is the `lines` of a game. Raises BadRequest."""
    if any(len(stack) > 1 for stack in board.stacks):
        raise BadRequest("forced sequences are searched on boards where stones do not fall")
    return classes_on(board.lines, len(board.places), limit)


def classes_on(rows: Sequence[Sequence[int]], cells: int, limit: int) -> KeyClasses:
    """Return an empty board of so many cells, on which these rows are the lines. Raises BadRequest."""
    if not rows or not 3 <= len(rows[0]) < 1 << _SIDE:
        raise BadRequest("forced sequences are searched by dependency on boards with lines of 3 to 31 cells")
    lines = np.array(rows, np.int64)
    order = np.argsort(lines, axis=None, kind="stable")
    common = np.full((cells, cells), NO_CELL, np.int64)
    for number, line in enumerate(rows):
        for one in line:
            for other in line:
                if one != other:
                    common[one, other] = number
    return KeyClasses(
        lines, np.searchsorted(lines.reshape(-1)[order], np.arange(cells + 1)).astype(np.int64), order // lines.shape[1],
        common, np.zeros(cells, np.int64), np.zeros(len(lines), np.int64), np.zeros((limit, DEEPEST, 2), np.int64),
        np.zeros(limit, np.int64), np.zeros((DEEPEST, 2), np.int64), np.zeros((_LONGEST + 1, 2), np.int64),
        np.zeros(_LONGEST + 1, np.int64), np.zeros(DEEPEST, np.int64),
        np.zeros(1 << max(4, (4 * limit).bit_length()), np.int64), np.zeros(6, np.int64),
    )  # fmt: skip


def one_of(player: int) -> int:
    """Return what a stone of a player adds to a line's load."""
    return 1 << (_SIDE * (player - 1))


def put(board: KeyClasses, cell: int, player: int) -> None:
    """Put a stone of a player (1 or 2) on an empty cell."""
    board.owner[cell] = player
    for place in range(board.first[cell], board.first[cell + 1]):
        board.load[board.through[place]] += one_of(player)


def take(board: KeyClasses, cell: int) -> None:
    """Take the stone from a cell."""
    added = one_of(board.owner[cell])
    board.owner[cell] = 0
    for place in range(board.first[cell], board.first[cell + 1]):
        board.load[board.through[place]] -= added


def completion(board: KeyClasses, player: int) -> int:
    """Return the cell where a player completes any line, NO_CELL or SEVERAL."""
    wanted = (board.lines.shape[1] - 1) * one_of(player)
    found = NO_CELL
    for line in range(len(board.lines)):
        if board.load[line] == wanted:
            for place in range(board.lines.shape[1]):
                cell = board.lines[line, place]
                if board.owner[cell] == 0:
                    if found not in (NO_CELL, cell):
                        return SEVERAL
                    found = cell
    return int(found)


def push(board: KeyClasses, attack: int, answer: int, attacker: int) -> None:
    """Put an attack and its answer on the board and at the end of the path."""
    length = board.note[LENGTH]
    board.path[length, 0], board.path[length, 1] = attack, answer
    board.note[LENGTH] = length + 1
    put(board, attack, attacker)
    put(board, answer, 3 - attacker)


def cut(board: KeyClasses, length: int) -> None:
    """Take the attacks of the path back, but for the first ones."""
    while board.note[LENGTH] > length:
        board.note[LENGTH] -= 1
        take(board, board.path[board.note[LENGTH], 0])
        take(board, board.path[board.note[LENGTH], 1])


def extend(board: KeyClasses, node: int, attacker: int) -> bool:
    """Put the attacks of a node on the board that are not there yet; return whether all fit. The caller cuts the path."""
    for place in range(board.size[node]):
        attack, answer = board.attacks[node, place, 0], board.attacks[node, place, 1]
        if board.owner[attack] == 0 and board.owner[answer] == 0:
            if board.note[LENGTH] == DEEPEST:
                return False
            push(board, attack, answer, attacker)
            continue
        shared = False
        for at in range(board.note[LENGTH]):
            shared = shared or (board.path[at, 0] == attack and board.path[at, 1] == answer)
        if not shared:
            return False
    return True


def is_new(board: KeyClasses) -> bool:
    """Return whether the set of attacks of the path was not seen in this search, and remember it; the last one is told apart."""
    code = board.note[SALT]
    for place in range(board.note[LENGTH]):
        code ^= mix((board.path[place, 0] << 16 | board.path[place, 1]) + 0x9E3779B9)
    last = board.note[LENGTH] - 1
    code ^= mix(board.path[last, 0] + 0x5DEECE66D)
    place = code & (len(board.seen) - 1)
    if board.seen[place] == code:
        return False
    board.seen[place] = code
    return True


def in_order(board: KeyClasses, attacker: int, winning: bool) -> bool:
    """Return whether the attacks of the path win in some order, from the position without them; keep path and position.

    If not `winning`, it suffices that all can be played.
    """
    count = int(board.note[LENGTH])
    for place in range(count):
        board.left[place] = 1
    for place in range(count):
        take(board, board.path[place, 0])
        take(board, board.path[place, 1])
    won = played_in_order(board, attacker, count, winning)
    for place in range(count):
        put(board, board.path[place, 0], attacker)
        put(board, board.path[place, 1], 3 - attacker)
    return won


def played_in_order(board: KeyClasses, attacker: int, count: int, winning: bool) -> bool:
    """Return whether some order of the path's attacks wins, with further attacks where a threat has to be answered.

    If not `winning`, it suffices that all are played and the defender threatens one line at most then. The last candidate of
    each level, number `count`, is the further attack. `tried` has the candidate that was played.
    """
    played, tried, left = board.played, board.tried, board.left
    depth, spent, candidate = 0, 0, 0
    must = completion(board, 3 - attacker)
    won = False
    while True:
        attack = NO_CELL
        while candidate <= count and must != SEVERAL and spent < ORDERS and depth < _LONGEST:
            if candidate < count:
                fits = left[candidate] == 1 and must in (NO_CELL, board.path[candidate, 0])
                attack = board.path[candidate, 0] if fits else NO_CELL
            else:
                attack = must
                for place in range(count):
                    if left[place] == 1 and board.path[place, 0] == must:
                        attack = NO_CELL  # it was tried
            if attack != NO_CELL and board.owner[attack] == 0:
                break
            attack = NO_CELL
            candidate += 1
        if attack == NO_CELL:
            if depth == 0:
                break
            depth -= 1
            take(board, played[depth, 1])
            take(board, played[depth, 0])
            candidate = tried[depth]
            if candidate < count:
                left[candidate] = 1
            must = completion(board, 3 - attacker)
            candidate += 1
            continue
        spent += 1
        put(board, attack, attacker)
        answer = completion(board, attacker)
        if answer == SEVERAL:
            take(board, attack)
            played[depth, 0], played[depth, 1] = attack, NO_CELL
            board.note[WINNING] = depth + 1
            won = True
            break
        if answer == NO_CELL or (candidate < count and answer != board.path[candidate, 1]):
            take(board, attack)
            candidate += 1
            continue
        put(board, answer, 3 - attacker)
        played[depth, 0], played[depth, 1] = attack, answer
        tried[depth] = candidate
        if candidate < count:
            left[candidate] = 0
        depth += 1
        candidate = 0
        must = completion(board, 3 - attacker)
        if not winning and must != SEVERAL:
            won = True
            for place in range(count):
                won = won and left[place] == 0
            if won:
                break
    while depth > 0:
        depth -= 1
        take(board, played[depth, 1])
        take(board, played[depth, 0])
    return won


def add(board: KeyClasses, attack: int, answer: int, attacker: int) -> bool:
    """Add the node of the path with one more attack, if it is new; return whether its attacks win in some order."""
    length = board.note[LENGTH]
    node = board.note[NODES]
    if length == DEEPEST or node == len(board.attacks):
        return False
    push(board, attack, answer, attacker)
    won = False
    if is_new(board):
        board.note[NODES] = node + 1
        board.note[ALL] += 1
        board.size[node] = length + 1
        for place in range(length + 1):
            board.attacks[node, place, 0], board.attacks[node, place, 1] = board.path[place, 0], board.path[place, 1]
        wanted = (board.lines.shape[1] - 1) * one_of(attacker)
        goal = False
        for place in range(board.first[attack], board.first[attack + 1]):
            goal = goal or board.load[board.through[place]] == wanted
        won = goal and in_order(board, attacker, True)
        if not won and not in_order(board, attacker, False):  # its classes are not looked at further
            board.note[NODES] = node
    cut(board, length)
    return won


def use_line(board: KeyClasses, line: int, attacker: int) -> bool:
    """Add the two attacks on a line that lacks two cells, if it does; return whether a node wins."""
    if board.load[line] != (board.lines.shape[1] - 2) * one_of(attacker):
        return False
    one = other = NO_CELL
    for place in range(board.lines.shape[1]):
        cell = board.lines[line, place]
        if board.owner[cell] == 0:
            one, other = other, cell
    return add(board, one, other, attacker) or add(board, other, one, attacker)


def grow(board: KeyClasses, node: int, attacker: int) -> bool:
    """Add the attacks that depend on the last one of a node; return whether a node wins."""
    extend(board, node, attacker)
    last = board.attacks[node, board.size[node] - 1, 0]
    won = False
    for place in range(board.first[last], board.first[last + 1]):
        won = won or use_line(board, board.through[place], attacker)
    cut(board, 0)
    return won


def combine(board: KeyClasses, begin: int, end: int, attacker: int) -> bool:
    """Combine nodes from `begin` on with all before them; return whether a node wins."""
    one_short = (board.lines.shape[1] - 1) * one_of(attacker)
    for node in range(begin, end):
        extend(board, node, attacker)
        length = board.note[LENGTH]
        last = board.attacks[node, board.size[node] - 1, 0]
        for other in range(node):
            further = board.attacks[other, board.size[other] - 1, 0]
            line = board.common[last, further]
            if line == NO_CELL or board.owner[further] != 0:
                continue
            won = False
            if extend(board, other, attacker):
                won = (board.load[line] == one_short and in_order(board, attacker, True)) or use_line(
                    board, line, attacker
                )
            cut(board, length)
            if won:
                cut(board, 0)
                return True
            if board.note[NODES] == len(board.attacks):
                break
        cut(board, 0)
    return False


def set_stones(board: KeyClasses, state: Any) -> None:
    """Put the stones of a state on the board in the place of those there."""
    board.load[:] = 0
    board.owner[:] = 0
    for cell in range(len(board.owner)):
        if state[cell] != 0:
            put(board, cell, state[cell])


def wins_by_dependency(board: KeyClasses, state: Any) -> bool:
    """Return whether attacks by the player to move are found that win; neither player has completed a line."""
    stones = 0
    for cell in range(len(board.owner)):
        stones += state[cell] != 0
    return attack_by_dependency(board, state, 1 + (stones & 1))


def attack_by_dependency(board: KeyClasses, state: Any, attacker: int) -> bool:
    """Return whether attacks by a player, who is to move, are found that win; `played` has them, unless one move wins."""
    board = unowned(board)
    set_stones(board, state)
    note = board.note
    note[WINNING] = 0
    note[NODES] = note[LENGTH] = 0
    note[SALT] = mix(note[SALT] + 0x2545F491)
    if completion(board, attacker) != NO_CELL:
        return True
    if completion(board, 3 - attacker) == SEVERAL:
        return False
    for line in range(len(board.lines)):
        if use_line(board, line, attacker):
            return True
    begin = node = 0
    while node < note[NODES]:
        while node < note[NODES]:
            if grow(board, node, attacker):
                return True
            node += 1
        end = note[NODES]
        if combine(board, begin, end, attacker):
            return True
        begin = end
    return False
