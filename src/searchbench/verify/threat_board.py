"""A board of lines with the stones of a position: which cells complete lines, make fours and threes, and answer them.

The player to move (the attacker) makes a *four*: one cell short of a line, which the defender must fill; or a *three*: a stone
after which a further one would leave two cells that each complete a line (a straight four, or two fours at once). To a
three the defender has three kinds of replies: the cells that spoil each such further stone, and cells that make a four of her
own; any other reply loses to that stone. Where the rules forbid the first player some cells (renju), these are neither her
attacks nor her replies, and a reply to her may be a stone that makes the further one forbidden. (Allis 1994, sections 5.2 and
5.3, where all replies are made at once; here each is tried by itself.)

The lines are those of the game (:class:`searchbench.families.lines.LineBoard`), and `longer_rows` tells for each player whether
a longer row wins, too.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.hashing import mix
from searchbench.jit import inlined, trailing_zeros, unowned, unsigned
from searchbench.rules import State, forbids

NO_CELL: Final = -1
NO_THREAT: Final = -1
"""The number of replies where the attacker has no threat, or the defender can complete a line."""
ONE, TWO, THREE = range(3)
"""How many cells a line is short of, less one."""
DEEPEST: Final = 60
"""Plies of the longest line of threats; an even number."""
WIDEST: Final = 128
"""Moves tried in a position."""
TABLE: Final = 1 << 16
"""Positions that the table holds; a newer one replaces an older one."""
FOURS_DEEP: Final = 20
"""Fours of the longest line of fours alone."""
SIBLINGS: Final = 4
"""How many earlier replies are remembered whose wins may beat a further one, too."""
WORD_BITS: Final = 60
"""How many cells a word of a set holds."""
NODES, VISITS, SALT, HASH = range(4)
"""The places of `note`: nodes of this search, positions that the check has looked at, the salt of the table, and the
position's hash."""


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


def new_threat_search(game: Game, limit: int) -> ThreatSearch:
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
        np.zeros((3, 2, -(-cells // WORD_BITS)), np.int64),
        np.arange(cells) // WORD_BITS,
        np.int64(1) << np.arange(cells) % WORD_BITS,
        marks,
        np.zeros(TABLE if limit else 1, np.int64),
        np.zeros(TABLE if limit else 1, np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, 4), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, WIDEST, 3), np.int64),
        np.zeros((4, cells), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, cells), np.int64),
        np.zeros((DEEPEST + 2 if limit else 1, 4), np.int64),
        np.zeros((FOURS_DEEP + 1, -(-cells // WORD_BITS)), np.int64),
        np.zeros((FOURS_DEEP + 1, 2), np.int64),
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
    search.note[HASH] ^= search.marks[cell, player]
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
    search.note[HASH] ^= search.marks[cell, player]


def set_up(search: ThreatSearch, state: State) -> None:
    """Put the stones of a state on the board in the place of those there, and forget all searches."""
    for cell in range(len(search.stones)):
        if search.stones[cell] != state[cell]:
            if search.stones[cell] != 0:
                take(search, cell, search.stones[cell] - 1)
            if state[cell] != 0:
                put(search, cell, state[cell] - 1)
    search.note[SALT] += 1
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
            cell = word * WORD_BITS + trailing_zeros(bits)
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
            cell = word * WORD_BITS + trailing_zeros(bits)
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
            cell = word * WORD_BITS + trailing_zeros(bits)
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
