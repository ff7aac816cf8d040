"""Find a win by threats in a game of lines, and check it against every reply, from the lines and the rules alone.

The player to move (the attacker) makes a *four*: one cell short of a line, which the defender must fill; or a *three*: a stone
after which a further one would leave two cells that each complete a line (a straight four, or two fours at once). To a
three the defender has three kinds of replies: the cells that spoil each such further stone, and cells that make a four of her
own; any other reply loses to that stone. Where the rules forbid the first player some cells (renju), these are neither her
attacks nor her replies, and a reply to her may be a stone that makes the further one forbidden. (Allis 1994, sections 5.2 and
5.3, where all replies are made at once; here each is tried by itself.)

:func:`find` searches, depth first by proof numbers; its answer, a table of moves, is only a proposal. :func:`holds` plays
those moves, derives every reply from the lines, and lets the rules judge the last stones. The lines are those of the game
(:class:`searchbench.families.lines.LineBoard`), and `longer_rows` tells for each player whether a longer row wins, too.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.jit import inlined, popcount, trailing_zeros, unowned, unsigned
from searchbench.rules import UNDECIDED, State, forbids, moves, play, terminal, unplay

NO_CELL: Final = -1
NO_THREAT: Final = -1
"""The number of replies where the attacker has no threat, or the defender can complete a line."""
WON, NONE, STOPPED = 1, 0, -1
"""What a search ends with: a win, no win by threats, or more nodes than it may visit."""
DEEPEST: Final = 60
"""Plies of the longest line of threats; an even number."""
WIDEST: Final = 128
"""Moves tried in a position."""
ONE, TWO, THREE = range(3)
"""How many cells a line is short of, less one."""
TABLE: Final = 1 << 16
"""Positions that the table holds; a newer one replaces an older one."""
INFINITE: Final = (1 << 20) - 1
FOURS: Final = 20
"""Nodes of the search for a win by fours alone in each new position; more find hardly any further wins."""
_FOURS_DEEP: Final = 20
FEW: Final = 60
"""Nodes of a search where the win of another position has no move: the defender's stone has made a four possible."""
SIBLINGS: Final = 4
"""How many earlier replies are remembered whose wins may beat a further one, too."""
_WORD: Final = 60
_NUMBER_BITS: Final = 20

# The places of `note`: nodes of this search, the number of positions looked at by `holds`, the salt of the table, the
# position's hash.
_NODES, _VISITS, _SALT, _HASH = range(4)
# The columns of a frame, and of a child.
_PROOF_LIMIT, _DISPROOF_LIMIT, _SIZE, _AT = range(4)
_MOVE, _PROOF, _DISPROOF = range(3)


class ThreatSearch(NamedTuple):
    """A board of lines with the stones of a position, and room for a search.

    `lines` has the cells of each line, `through` the lines of each cell, from `first` on, `beside` the lines that share all
    but one cell with a line, or -1. `exact` tells for each player whether a longer row wins nothing. `stones` is 0 for an empty
    cell, 1 + player for a stone. `load` counts the stones of each player in each line. Of lines without a stone of the
    opponent, `short` [ONE .. THREE, player, cell] counts those of one to three empty cells, of which the cell is one, and `sets`
    has a bit for each cell with such a line; with two, in the row THREE. `word_of` and `bit_of` tell which bit. `marks` has
    the hash of each stone.

    `keys` and `words` are the table, `frames` and `children` the search's own memory, `rest` and `fours` that of fours alone,
    `answers` and `rows` that of a walk. `siblings` has the cells of replies that were beaten, newest first, `zone` 1 for
    each cell on which the win depends that was walked through last without a reply. `limit` is the number of nodes of a search;
    `forbidding` tells whether the first player may not play on some cells.
    """

    lines: Any
    first: Any
    through: Any
    beside: Any
    exact: Any
    stones: Any
    load: Any
    short: Any
    sets: Any
    word_of: Any
    bit_of: Any
    marks: Any
    keys: Any
    words: Any
    frames: Any
    children: Any
    room: Any
    answers: Any
    rows: Any
    rest: Any
    fours: Any
    siblings: Any
    zone: Any
    note: Any
    limit: int
    forbidding: bool


def threat_search(game: Game, limit: int) -> ThreatSearch:
    """Return the search of a game; with limit 0, of a game that may have no lines. Raises BadRequest without lines."""
    board: Any = getattr(game, "lines", None)
    longer = getattr(game, "longer_rows", None)
    if limit:
        if board is None or not board.lines or longer is None:
            raise BadRequest(f"{game}: wins by threats need a game of lines in which every empty cell is a move")
        if any(len(stack) > 1 for stack in board.stacks) or len(board.lines[0]) < 4:
            raise BadRequest(f"{game}: wins by threats need lines of 4 cells or more, and stones that do not fall")
    lines = np.array(board.lines if limit else [[0]], np.int64)
    cells = len(board.places) if limit else 1
    order = np.argsort(lines, axis=None, kind="stable")
    first = np.searchsorted(lines.reshape(-1)[order], np.arange(cells + 1))
    exact = np.array([limit > 0 and not wins for wins in longer or (True, True)])
    marks = np.array([[mix(mix(2 * cell + side + 0x9E3779B9)) for side in range(2)] for cell in range(cells)], np.int64)
    return ThreatSearch(
        lines,
        first.astype(np.int64),
        (order // lines.shape[1]).astype(np.int64),
        _beside(lines) if exact.any() else np.full((len(lines), 2), -1, np.int64),
        exact,
        np.zeros(cells, np.int64),
        np.zeros((2, len(lines)), np.int64),
        np.zeros((3, 2, cells), np.int64),
        np.zeros((3, 2, -(-cells // _WORD)), np.int64),
        np.arange(cells) // _WORD,
        np.int64(1) << np.arange(cells) % _WORD,
        marks,
        np.zeros(TABLE if limit else 1, np.int64),
        np.zeros(TABLE if limit else 1, np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, 4), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, WIDEST, 3), np.int64),
        np.zeros((4, cells), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, cells), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, 4), np.int64),
        np.zeros((_FOURS_DEEP + 1, -(-cells // _WORD)), np.int64),
        np.zeros((_FOURS_DEEP + 1, 2), np.int64),
        np.full(SIBLINGS, NO_CELL, np.int64),
        np.zeros(cells, np.int64),
        np.zeros(4, np.int64),
        limit,
        bool(limit and getattr(game, "forbids_cells", False)),
    )


def _beside(lines: Any) -> Any:
    """Return the lines, at most two, that share all but one cell with each line: the same row, one step on."""
    rows: dict[frozenset[int], list[int]] = {}
    for number, line in enumerate(lines.tolist()):
        for cell in line:
            rows.setdefault(frozenset(line) - {cell}, []).append(number)
    found = np.full((len(lines), 2), -1, np.int64)
    for pair in rows.values():
        for one in pair:
            for other in pair:
                if one != other:
                    found[one, 0 if found[one, 0] < 0 else 1] = other
    return found


# --- the board ---------------------------------------------------------------------------------------------------------


@inlined
def count_cell(search: ThreatSearch, level: int, player: int, cell: int, change: int) -> None:
    """Count one line more or less of a level for an empty cell, which enters or leaves the set of that level."""
    count = search.short[unsigned(level), unsigned(player), unsigned(cell)] + change
    search.short[unsigned(level), unsigned(player), unsigned(cell)] = count
    threshold = 2 if level == THREE else 1
    if count == threshold - (1 if change < 0 else 0):
        search.sets[unsigned(level), unsigned(player), unsigned(search.word_of[unsigned(cell)])] ^= search.bit_of[
            unsigned(cell)
        ]


@inlined
def recount(search: ThreatSearch, line: int, player: int, level: int, change: int) -> None:
    """Count a line for each of its empty cells at a level, and no more at the level above: with -1 the other way round."""
    for place in range(search.lines.shape[1]):
        cell = search.lines[unsigned(line), unsigned(place)]
        if search.stones[unsigned(cell)] == 0:
            if ONE <= level <= THREE:
                count_cell(search, level, player, cell, change)
            if level < THREE:
                count_cell(search, level + 1, player, cell, -change)


def put(search: ThreatSearch, cell: int, player: int) -> None:
    """Put a player's stone on an empty cell."""
    search = unowned(search)
    other, whole = 1 - player, search.lines.shape[1]
    search.stones[cell] = 1 + player
    search.note[_HASH] ^= search.marks[cell, player]
    for level in range(ONE, THREE + 1):
        for side in range(2):
            if search.short[level, side, cell] >= (2 if level == THREE else 1):
                search.sets[level, side, search.word_of[cell]] ^= search.bit_of[cell]
            search.short[level, side, cell] = 0
    for place in range(search.first[cell], search.first[cell + 1]):
        line = search.through[unsigned(place)]
        own = search.load[unsigned(player), unsigned(line)]
        theirs = search.load[unsigned(other), unsigned(line)]
        search.load[unsigned(player), unsigned(line)] = own + 1
        if theirs == 0 and own + 4 >= whole:
            recount(search, line, player, whole - own - 2, 1)
        elif own == 0 and theirs + 3 >= whole and theirs < whole:
            drop(search, line, other, whole - theirs - 1, -1)


@inlined
def drop(search: ThreatSearch, line: int, player: int, level: int, change: int) -> None:
    """Count a line for each of its empty cells at a level."""
    for place in range(search.lines.shape[1]):
        cell = search.lines[unsigned(line), unsigned(place)]
        if search.stones[unsigned(cell)] == 0:
            count_cell(search, level, player, cell, change)


def take(search: ThreatSearch, cell: int, player: int) -> None:
    """Take a player's stone from a cell."""
    search = unowned(search)
    other, whole = 1 - player, search.lines.shape[1]
    for place in range(search.first[cell], search.first[cell + 1]):
        line = search.through[unsigned(place)]
        own = search.load[unsigned(player), unsigned(line)] - 1
        theirs = search.load[unsigned(other), unsigned(line)]
        search.load[unsigned(player), unsigned(line)] = own
        if theirs == 0 and own + 4 >= whole:
            recount(search, line, player, whole - own - 2, -1)
            if own + 3 >= whole:
                count_cell(search, whole - own - 1, player, cell, 1)
        elif own == 0 and theirs + 3 >= whole and theirs < whole:
            drop(search, line, other, whole - theirs - 1, 1)
            count_cell(search, whole - theirs - 1, other, cell, 1)
    search.stones[cell] = 0
    search.note[_HASH] ^= search.marks[cell, player]


def set_up(search: ThreatSearch, state: State) -> None:
    """Put the stones of a state on the board in the place of those there, and forget all searches."""
    for cell in range(len(search.stones)):
        if search.stones[cell] != state[cell]:
            if search.stones[cell] != 0:
                take(search, cell, search.stones[cell] - 1)
            if state[cell] != 0:
                put(search, cell, state[cell] - 1)
    search.note[_SALT] += 1
    search.siblings[:] = NO_CELL


@inlined
def completes(search: ThreatSearch, cell: int, player: int) -> bool:
    """Return whether a stone on a cell that is the last of some line wins: not where only a row of that length does."""
    if not search.exact[player]:
        return True
    length = search.lines.shape[1]
    for place in range(search.first[cell], search.first[cell + 1]):
        line = search.through[place]
        if search.load[player, line] == length - 1 and search.load[1 - player, line] == 0:
            longer = False
            for side in range(2):
                beside = search.beside[line, side]
                if beside >= 0:
                    load = search.load[player, beside]
                    for other in range(length):
                        if search.lines[beside, other] == cell:
                            load += 1
                    longer = longer or load == length
            if not longer:
                return True
    return False


@inlined
def completions(search: ThreatSearch, player: int, out: Any, first: int, most: int) -> int:
    """Write up to `most` cells where a stone of a player completes a line and wins, from `first` on; return their number."""
    count = 0
    for word in range(search.sets.shape[2]):
        bits = search.sets[ONE, player, word]
        while bits != 0 and count < most:
            cell = word * _WORD + trailing_zeros(bits)
            bits &= bits - 1
            if completes(search, cell, player):
                out[first + count] = cell
                count += 1
    return count


def completions_with(search: ThreatSearch, cell: int, player: int, out: Any, first: int, most: int) -> int:
    """Write up to `most` cells in which a player wins once she has a stone on an empty cell, and return their number.

    As long as she has no stone there, she completes no line.
    """
    search = unowned(search)
    if search.exact[player]:
        put(search, cell, player)
        count = completions(search, player, out, first, most)
        take(search, cell, player)
        return count
    length, count = search.lines.shape[1], 0
    for place in range(search.first[cell], search.first[cell + 1]):
        line = search.through[unsigned(place)]
        if search.load[player, line] == length - 2 and search.load[1 - player, line] == 0 and count < most:
            at = 0
            while search.stones[search.lines[line, at]] != 0 or search.lines[line, at] == cell:
                at += 1
            last = search.lines[line, at]
            known = False
            for other in range(first, first + count):
                known = known or out[other] == last
            if not known:
                out[first + count] = last
                count += 1
    return count


def may_play(search: ThreatSearch, cell: int, player: int) -> bool:
    """Return whether a player may put a stone on an empty cell, by the rules."""
    return player != 0 or not search.forbidding or not forbids(search.stones, cell)


def keep_allowed(search: ThreatSearch, player: int, cells: Any, count: int) -> int:
    """Keep of the cells in a list those where a player may play; return how many are left."""
    if player != 0 or not search.forbidding:
        return count
    left = 0
    for place in range(count):
        if may_play(search, cells[place], player):
            cells[left] = cells[place]
            left += 1
    return left


def add_forbidding(search: ThreatSearch, cell: int, out: Any, count: int) -> int:
    """Append to a list the cells where a stone of the second player forbids the first one a cell; return its length."""
    if not search.forbidding:
        return count
    for stone in range(len(search.stones)):
        if search.stones[stone] == 0 and stone != cell:
            search.stones[stone] = 2
            closed = forbids(search.stones, cell)
            search.stones[stone] = 0
            for place in range(count):
                closed = closed and out[place] != stone
            if closed:
                out[count] = stone
                count += 1
    return count


def replies(search: ThreatSearch, attacker: int, out: Any) -> int:
    """Write the replies to the attacker's threats, return their number: 0 where none helps, NO_THREAT without a threat.

    The defender is to move, and nobody has won. Any other reply loses, as the defender completes no line and makes no
    four by it: to the cell that completes a line, or to a stone that leaves two such cells, of which she fills one.
    """
    search = unowned(search)
    room, defender = search.room, 1 - attacker
    if completions(search, defender, room[0], 0, 1) > 0:
        return NO_THREAT
    count = completions(search, attacker, out, 0, 2)
    if count > 0:
        return keep_allowed(search, defender, out, 1) if count == 1 else 0
    kept = -1
    for word in range(search.sets.shape[2]):
        bits = search.sets[TWO, attacker, word]
        while bits != 0:
            cell = word * _WORD + trailing_zeros(bits)
            bits &= bits - 1
            if search.short[TWO, attacker, cell] < 2:
                continue
            ways = completions_with(search, cell, attacker, room[0], 1, 3)
            if ways < 2 or not may_play(search, cell, attacker):
                continue
            room[0, 0] = cell
            size = 3 if ways == 2 else 1
            if attacker == 0:
                size = add_forbidding(search, cell, room[0], size)
            kept = common(out, kept, room[0], size)
    if kept < 0:
        return NO_THREAT
    count = kept
    for word in range(search.sets.shape[2]):
        bits = search.sets[TWO, defender, word]
        while bits != 0:
            cell = word * _WORD + trailing_zeros(bits)
            bits &= bits - 1
            known = False
            for place in range(kept):
                known = known or out[place] == cell
            if not known:
                out[count] = cell
                count += 1
    return keep_allowed(search, defender, out, count)


@inlined
def common(out: Any, count: int, others: Any, size: int) -> int:
    """Keep of a list (of any cells if `count` is -1) those that are among `others`; return how many are left."""
    if count < 0:
        for place in range(size):
            out[place] = others[place]
        return size
    left = 0
    for place in range(count):
        for other in range(size):
            if out[place] == others[other]:
                out[left] = out[place]
                left += 1
                break
    return left


# --- the search: what it finds is only a proposal ------------------------------------------------------------------------


def attacks(search: ThreatSearch, attacker: int, out: Any) -> int:
    """Write the attacker's fours and threes (and some other cells), or the cell that she must fill; return their number."""
    search = unowned(search)
    defender = 1 - attacker
    must = completions(search, defender, out, 0, 2)
    if must > 0:
        return keep_allowed(search, attacker, out, 1) if must == 1 else 0
    count = 0
    for level in range(TWO, THREE + 1):
        for word in range(search.sets.shape[2]):
            bits = search.sets[level, attacker, word]
            if level == THREE:
                bits &= ~search.sets[TWO, attacker, word]
            while bits != 0 and count < WIDEST:
                out[count] = word * _WORD + trailing_zeros(bits)
                bits &= bits - 1
                count += 1
    return keep_allowed(search, attacker, out, count)


@inlined
def slot_of(search: ThreatSearch, code: int) -> int:
    """Return the place of a position in the table."""
    return (code >> 7) & (len(search.keys) - 1)


def code_of(search: ThreatSearch, attacking: bool) -> int:
    """Return the key of the position in the table."""
    code = search.note[_HASH] ^ mix(2 * search.note[_SALT] + 0x5DEECE66D)
    return code if attacking else code ^ 0x3C6EF372FE94F82B  # type: ignore[no-any-return]


def known_move(search: ThreatSearch, code: int) -> int:
    """Return the move that the table has for a won position with the attacker to move, or NO_CELL."""
    place = slot_of(search, code)
    word = search.words[place]
    if search.keys[place] != code or word & INFINITE != 0:
        return NO_CELL
    return int(word >> 2 * _NUMBER_BITS)


def keep(search: ThreatSearch, code: int, proof: int, disproof: int, move: int) -> None:
    """Keep the numbers of a position in the table, and a move."""
    place = slot_of(search, code)
    search.keys[place] = code
    search.words[place] = (move << 2 * _NUMBER_BITS) | (disproof << _NUMBER_BITS) | proof


def rate(search: ThreatSearch, attacker: int, attacking: bool, child: Any) -> None:
    """Write the first numbers of the position after a move; `attacking` tells whether the attacker is to move then."""
    search = unowned(search)
    code = code_of(search, attacking)
    place = slot_of(search, code)
    if search.keys[place] == code:
        word = search.words[place]
        child[_PROOF], child[_DISPROOF] = word & INFINITE, (word >> _NUMBER_BITS) & INFINITE
        return
    child[_PROOF], child[_DISPROOF] = 1, 1
    if attacking:
        if wins_by_fours(search, attacker):
            child[_PROOF], child[_DISPROOF] = 0, INFINITE
        return
    count = replies(search, attacker, search.room[1])
    if count <= 0:
        child[_PROOF], child[_DISPROOF] = (0, INFINITE) if count == 0 else (INFINITE, 0)
        return
    fours = threes = 0
    for word in range(search.sets.shape[2]):
        fours += popcount(search.sets[TWO, attacker, word])
        threes += popcount(search.sets[THREE, attacker, word] & ~search.sets[TWO, attacker, word])
    child[_PROOF] = 1 + max(0, 30 + 4 * count - 4 * fours - threes) // 3


def wins_by_fours(search: ThreatSearch, attacker: int) -> bool:
    """Return whether few fours win, for the attacker to move; the table gets the move of each position on the way."""
    search = unowned(search)
    rest, fours, room, defender = search.rest, search.fours, search.room[3], 1 - attacker
    nodes = depth = 0
    won = False
    entered = True
    while True:
        if entered:
            entered = False
            nodes += 1
            move = completions_or_none(search, attacker)
            if move != NO_CELL:
                keep(search, code_of(search, True), 0, INFINITE, move)
                won = True
                break
            must = completions(search, defender, room, 0, 2)
            tried = must < 2 and nodes <= FOURS and depth < _FOURS_DEEP
            for word in range(search.sets.shape[2]):
                bits = search.sets[TWO, attacker, word] if tried else 0
                if must == 1:
                    bits &= np.int64(1) << (room[0] % _WORD) if room[0] // _WORD == word else 0
                rest[depth, word] = bits
        word = 0
        while word < search.sets.shape[2] and rest[depth, word] == 0:
            word += 1
        if word == search.sets.shape[2]:
            if depth == 0:
                break
            depth -= 1
            take(search, fours[depth, 1], defender)
            take(search, fours[depth, 0], attacker)
            continue
        cell = word * _WORD + trailing_zeros(rest[depth, word])
        rest[depth, word] &= rest[depth, word] - 1
        if not may_play(search, cell, attacker):
            continue
        put(search, cell, attacker)
        ways = completions(search, attacker, room, 0, 2)
        unanswered = ways == 2 or (ways == 1 and not may_play(search, room[0], defender))
        if ways == 0 or unanswered or completions(search, defender, room, 1, 1) > 0:
            won = unanswered and completions(search, defender, room, 1, 1) == 0
            take(search, cell, attacker)
            if won:
                keep(search, code_of(search, True), 0, INFINITE, cell)
                break
            continue
        fours[depth, 0], fours[depth, 1] = cell, room[0]
        put(search, room[0], defender)
        depth += 1
        entered = True
    while depth > 0:
        depth -= 1
        take(search, fours[depth, 1], defender)
        take(search, fours[depth, 0], attacker)
        keep(search, code_of(search, True), 0, INFINITE, fours[depth, 0])
    return won


@inlined
def completions_or_none(search: ThreatSearch, player: int) -> int:
    """Return a cell where a player wins at once, or NO_CELL."""
    if completions(search, player, search.room[0], 0, 1) > 0:
        return int(search.room[0, 0])
    return NO_CELL


def open_node(search: ThreatSearch, attacker: int, depth: int) -> None:
    """Write the children of the current position with their first numbers, up to one that decides it."""
    search = unowned(search)
    children, frame = search.children[depth], search.frames[depth]
    attacking = depth & 1 == 0
    mover = attacker if attacking else 1 - attacker
    moves = search.room[2]
    count = attacks(search, attacker, moves) if attacking else min(WIDEST, replies(search, attacker, moves))
    decisive = _PROOF if attacking else _DISPROOF
    frame[_SIZE] = 0
    for place in range(count):
        child = children[frame[_SIZE]]
        child[_MOVE] = moves[place]
        put(search, moves[place], mover)
        rate(search, attacker, not attacking, child)
        take(search, moves[place], mover)
        if child[decisive] == 0:
            frame[_SIZE] += 1
            return
        if child[_PROOF + _DISPROOF - decisive] != 0:
            frame[_SIZE] += 1


def find(search: ThreatSearch, attacker: int, limit: int) -> int:
    """Return WON, NONE, or STOPPED after `limit` nodes; the attacker is to move, and nobody has won.

    Depth-first proof-number search; a move's first proof number tells how much it threatens. The moves are in the table.
    """
    search = unowned(search)
    frames, note = search.frames, search.note
    note[_NODES] = 1
    code = code_of(search, True)
    if known_move(search, code) != NO_CELL:
        return WON
    if wins_by_fours(search, attacker):
        return WON
    depth = 0
    frames[0, _PROOF_LIMIT] = frames[0, _DISPROOF_LIMIT] = INFINITE
    open_node(search, attacker, 0)
    while True:
        frame, children = frames[depth], search.children[depth]
        attacking = depth & 1 == 0
        least, other = (_PROOF, _DISPROOF) if attacking else (_DISPROOF, _PROOF)
        smallest, second, total, best = INFINITE, INFINITE, 0, -1
        for place in range(frame[_SIZE]):
            number = children[place, least]
            if number < smallest or best < 0:
                second = smallest
                smallest = number
                best = place
            elif number < second:
                second = number
            total = min(INFINITE - 1, total + children[place, other])  # a large sum is no proof
        if smallest == 0:
            total = INFINITE
        elif smallest >= INFINITE:
            total = 0
        proof, disproof = (smallest, total) if attacking else (total, smallest)
        if (
            note[_NODES] >= limit or proof >= frame[_PROOF_LIMIT] or disproof >= frame[_DISPROOF_LIMIT]
            or smallest == 0 or total == 0
        ):  # fmt: skip
            keep(search, code_of(search, attacking), proof, disproof, children[best, _MOVE] if best >= 0 else 0)
            if depth == 0:
                return WON if proof == 0 else NONE if disproof == 0 else STOPPED
            depth -= 1
            child = search.children[depth, frames[depth, _AT]]
            take(search, child[_MOVE], attacker if depth & 1 == 0 else 1 - attacker)
            child[_PROOF], child[_DISPROOF] = proof, disproof
            continue
        child = children[best]
        room = INFINITE
        limit_of_other = frame[_DISPROOF_LIMIT] if attacking else frame[_PROOF_LIMIT]
        if limit_of_other < INFINITE:
            room = limit_of_other - total + child[other]
        rise = min(frame[_PROOF_LIMIT] if attacking else frame[_DISPROOF_LIMIT], second + 1 + second // 4, INFINITE)
        frame[_AT] = best
        put(search, child[_MOVE], attacker if attacking else 1 - attacker)
        depth += 1
        below = frames[depth]
        below[_PROOF_LIMIT], below[_DISPROOF_LIMIT] = (rise, room) if attacking else (room, rise)
        note[_NODES] += 1
        if depth < DEEPEST:
            open_node(search, attacker, depth)
        else:
            below[_SIZE] = 0  # the attacker is to move, and gives up


# --- the check -----------------------------------------------------------------------------------------------------------


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
    note[_VISITS] = 0
    if passed:
        search.zone[:] = 0
    while True:
        if entered:
            entered = False
            note[_VISITS] += 1
            if level >= DEEPEST or note[_VISITS] > 10 * search.limit:
                break
            last = completions_or_none(search, attacker)
            rows[level, _SIZE] = rows[level, _AT] = 0
            rows[level, _MOVE] = NO_CELL
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
                rows[level, _MOVE] = move
                count = replies(search, attacker, search.answers[level])
                rows[level, _SIZE] = count
                if count < 0 or (count == 0 and not passed and not wins_twice(search, state, attacker)):
                    unplayed(search, state, move, attacker)
                    break
                if passed:
                    mark_zone(search, attacker, move, count, search.answers[level])
        if rows[level, _AT] < rows[level, _SIZE]:
            played(search, state, search.answers[level, rows[level, _AT]], defender)
            rows[level, _AT] += 1
            level += 1
            entered = True
            continue
        if rows[level, _MOVE] != NO_CELL:
            unplayed(search, state, rows[level, _MOVE], attacker)
        if level == 0:
            return True
        level -= 1
        unplayed(search, state, search.answers[level, rows[level, _AT] - 1], defender)
    while level > 0:
        level -= 1
        unplayed(search, state, search.answers[level, rows[level, _AT] - 1], defender)
        unplayed(search, state, rows[level, _MOVE], attacker)
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
