"""Decide games of lines in which stones fall, such as Connect Four, by alpha-beta on bitboards (Allis 1988; Tromp 1995).

A board is one word: `rows` + 1 bits for each column, of which the highest is always 0, so that no line runs from the top of
a column into the next. A position is two words, the stones of the player to move and all stones; their sum is a number
of its own for each position. The search asks with null windows whether the player to move gets at least a `goal`: 1 a win,
0 a draw. The other player then has the goal of preventing it: ``1 - goal``.

A position is decided without search where the player to move can win at once, where each of her moves lets the other win, or
where the other player, answering in the column of each move, keeps her from every line: the rule *claimeven* of Allis (1988),
here for every parity of rows. All moves of a position are examined so before the first is searched (enhanced
transposition cutoffs, Plaat et al. 1996). The moves left are ordered by the threats that they leave: empty cells that
would complete a line.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Drops, Game
from searchbench.jit import popcount, trailing_zeros
from searchbench.slots import constant
from searchbench.solvers.proof.budget import Budget, Steps, ended

SLICE: Final = 1 << 22
"""Nodes between two reports, at which the search can be stopped."""
MOST_BITS: Final = 62
"""Bits of the largest board: a cell more in each column than there are rows."""
LARGEST_TABLE: Final = 1 << 26
"""Most entries of the table, of 8 bytes each."""
QUICK_TABLE: Final = 1 << 23
QUICK_BITS: Final = 49
"""Most entries for boards of up to so many bits: a few more positions, each found sooner (docs/benchmarks.md)."""

COLUMNS: Final = constant("DROPS_COLUMNS", 7)
ROWS: Final = constant("DROPS_ROWS", 6)
IN_A_ROW: Final = constant("DROPS_IN_A_ROW", 4)
BOARD: Final = constant("DROPS_BOARD", 0)
"""All cells."""
BOTTOM: Final = constant("DROPS_BOTTOM", 0)
"""The lowest cell of each column."""
UPPER: Final = constant("DROPS_UPPER", 0)
"""The cells with an even number of cells above them."""
TABLE_BITS: Final = constant("DROPS_TABLE_BITS", 10)
"""The logarithm of the number of buckets."""
# The devices of the search, each of which can be switched off to measure it.
BY_THREATS: Final = constant("DROPS_BY_THREATS", True)
CLAIMEVEN: Final = constant("DROPS_CLAIMEVEN", True)
EXAMINE_ALL: Final = constant("DROPS_EXAMINE_ALL", True)
BY_WORTH: Final = constant("DROPS_BY_WORTH", True)
BY_LINES: Final = constant("DROPS_BY_LINES", True)
THREAT: Final = constant("DROPS_THREAT", 7)
"""How many lines through a cell a threat counts as, where moves are ordered."""
MIRRORED_STONES: Final = constant("DROPS_MIRRORED_STONES", 16)
"""Up to how many stones mirror images share an entry of the table."""

# What is known of a position without search; else the moves worth searching, a positive word.
YES: Final = -1
NO: Final = -2

# The columns of a frame. REPLIES is what is known of the position itself: its moves worth searching.
MINE, FILLED, GOAL, COUNT, NEXT, SINCE = range(6)
_COLUMNS: Final = 6

# The places of `note`.
DEPTH, NODES, ANSWER = range(3)

# The bits of an entry: facts, worth (a logarithm of the nodes below the position), and the rest of the position's number.
WINS, WINS_NOT, DRAWS, LOSES = 1, 2, 4, 8
_WORTH_SHIFT: Final = 4
_TAG_SHIFT: Final = 10
BUCKET: Final = 4
"""Entries of a bucket."""
_ODD: Final = 0x1E3779B97F4A7C15


class Stack(NamedTuple):
    """A frame for each depth; for each of its moves the cell and the replies to it, in the order in which they are searched."""

    frames: Any
    cells: Any
    replies: Any
    scores: Any
    codes: Any
    order: Any
    lines: Any


def completing(stones: int, step: int) -> int:
    """Return the cells that would complete a line of stones in one direction; cells beyond the board may be among them."""
    found = 0
    if IN_A_ROW == 4:  # the general case below, with each pair of neighbours looked up once
        pair = (stones << step) & (stones << 2 * step)
        found = pair & (stones << 3 * step)
        found |= pair & (stones >> step)
        pair = (stones >> step) & (stones >> 2 * step)
        found |= pair & (stones << step)
        found |= pair & (stones >> 3 * step)
    else:
        for before in range(IN_A_ROW):
            cells = -1
            for distance in range(1, before + 1):
                cells &= stones << distance * step
            for distance in range(1, IN_A_ROW - before):
                cells &= stones >> distance * step
            found |= cells
    return found


def threats(stones: int) -> int:
    """Return the cells that would complete a line; occupied ones and cells beyond the board may be among them."""
    cells = stones << 1
    for distance in range(2, IN_A_ROW):
        cells &= stones << distance
    return cells | completing(stones, ROWS) | completing(stones, ROWS + 1) | completing(stones, ROWS + 2)


def runs(stones: int, step: int) -> int:
    """Return the first stones of all lines in one direction."""
    found = stones
    for distance in range(1, IN_A_ROW):
        found &= stones >> distance * step
    return found


def has_line(stones: int) -> bool:
    """Tell whether stones contain a line."""
    return runs(stones, 1) | runs(stones, ROWS) | runs(stones, ROWS + 1) | runs(stones, ROWS + 2) != 0


def examine(mine: int, filled: int, goal: int) -> int:
    """Return YES or NO where the question is decided without search, else the moves worth searching."""
    playable: int = (filled + BOTTOM) & BOARD
    if playable == 0:
        return YES if goal == 0 else NO
    if threats(mine) & playable != 0:
        return YES
    empty = BOARD & ~filled
    danger = threats(mine ^ filled) & empty
    moves: int = playable & ~(danger >> 1)  # a stone under a cell of danger lets the other player win
    forced = danger & playable
    if forced != 0:
        if forced & (forced - 1) != 0:
            return NO
        moves &= forced
    if moves == 0:
        return NO
    # The other player answers each move in its column; in the single lowest cell of a column with an odd number of empty
    # cells, in another such cell. So the player to move never has more than these stones.
    if CLAIMEVEN and goal == 1 and popcount(empty) & 1 == 0 and not has_line(mine | empty & ~UPPER | playable):
        return NO
    return moves


def mirrored(number: int) -> int:
    """Return the number of the mirror image."""
    turned = 0
    for _ in range(COLUMNS):
        turned = turned << ROWS + 1 | number & (1 << ROWS + 1) - 1
        number >>= ROWS + 1
    return turned


def scrambled(mine: int, filled: int) -> int:
    """Return the number of a position, mapped one to one to numbers of as many bits."""
    number = mine + filled
    if MIRRORED_STONES > 0 and popcount(filled) <= MIRRORED_STONES:
        number = min(number, mirrored(number))
    code: int = (number * _ODD) & (1 << COLUMNS * (ROWS + 1)) - 1
    return code


def first_of(code: int) -> int:
    """Return the first place of a position's bucket."""
    first: int = (code >> COLUMNS * (ROWS + 1) - TABLE_BITS) * BUCKET
    return first


def known(table: Any, code: int, goal: int) -> int:
    """Return YES or NO if the table answers the question about a position, else 0."""
    rest = COLUMNS * (ROWS + 1) - TABLE_BITS
    first = first_of(code)
    tag = code & (1 << rest) - 1
    for place in range(first, first + BUCKET):
        word = int(table[jit.unsigned(place)])
        if word >> _TAG_SHIFT == tag and word != 0:
            if goal == 1:
                return YES if word & WINS else NO if word & (WINS_NOT | LOSES) else 0
            return YES if word & (WINS | DRAWS) else NO if word & LOSES else 0
    return 0


def keep(table: Any, code: int, goal: int, answer: int, nodes: int) -> None:
    """Keep an answer, in the place of the least worth in its bucket."""
    rest = COLUMNS * (ROWS + 1) - TABLE_BITS
    first = first_of(code)
    tag = code & (1 << rest) - 1
    facts = (WINS if answer == YES else WINS_NOT) if goal == 1 else DRAWS if answer == YES else LOSES
    worth = 0
    while nodes > 1 and worth < 63:
        nodes >>= 1
        worth += 1
    chosen = first
    least = 64
    for place in range(first, first + BUCKET):
        word = int(table[jit.unsigned(place)])
        if word == 0:
            chosen = place
            break
        if word >> _TAG_SHIFT == tag:
            facts |= word & 15
            chosen = place
            break
        its_worth = (word >> _WORTH_SHIFT) & 63
        if its_worth < least:
            chosen, least = place, its_worth
    if not BY_WORTH and least < 64:
        chosen = first + (tag & BUCKET - 1)
    table[jit.unsigned(chosen)] = tag << _TAG_SHIFT | worth << _WORTH_SHIFT | facts


def open_frame(stack: Stack, depth: int, replies: int, table: Any, note: Any) -> int:
    """Examine all moves of the position at this depth, and order those left; return YES or NO if that decides it, else 0."""
    frame = stack.frames[depth]
    mine, filled, goal = int(frame[MINE]), int(frame[FILLED]), int(frame[GOAL])
    cells, found, scores = stack.cells[depth], stack.replies[depth], stack.scores[depth]
    theirs = mine ^ filled
    frame[SINCE] = note[NODES]
    frame[NEXT] = 0
    count = 0
    nodes = 0
    for column in range(COLUMNS):
        cell = replies & int(stack.order[column])
        if cell == 0:
            continue
        nodes += 1
        after = examine(theirs, filled | cell, 1 - goal)
        if after == NO:
            note[NODES] += nodes
            return YES
        if after == YES:
            continue
        if EXAMINE_ALL:
            code = scrambled(theirs, filled | cell)
            jit.prefetch_to_read(table, first_of(code))
            stack.codes[depth, count] = code
        score = 0
        if BY_THREATS:
            score = THREAT * popcount(threats(mine | cell) & BOARD & ~filled)
        if BY_LINES:
            score += int(stack.lines[trailing_zeros(cell)])
        scores[count] = score
        cells[count] = cell
        found[count] = after
        count += 1
    note[NODES] += nodes
    left = 0
    for turn in range(count):
        if EXAMINE_ALL:
            answer = known(table, int(stack.codes[depth, turn]), 1 - goal)
            if answer == NO:
                return YES
            if answer == YES:
                continue
        score, cell, after = int(scores[turn]), int(cells[turn]), int(found[turn])
        place = left
        while place > 0 and int(scores[place - 1]) < score:
            scores[place] = scores[place - 1]
            cells[place] = cells[place - 1]
            found[place] = found[place - 1]
            place -= 1
        scores[place] = score
        cells[place] = cell
        found[place] = after
        left += 1
    frame[COUNT] = left
    return NO if left == 0 else 0


def descend(stack: Stack, table: Any, stop: int, note: Any) -> None:
    """Search until the question at depth 0 is answered (note[DEPTH] is then -1), or `stop` positions are examined."""
    depth = int(note[DEPTH])
    while note[NODES] < stop:
        frame = stack.frames[depth]
        answer = 0
        if frame[NEXT] < frame[COUNT]:
            place = int(frame[NEXT])
            frame[NEXT] += 1
            cell, replies = int(stack.cells[depth, place]), int(stack.replies[depth, place])
            mine, filled, goal = int(frame[MINE]), int(frame[FILLED]), int(frame[GOAL])
            # Searches of the moves before may have answered it.
            if place > 0 or not EXAMINE_ALL:
                answer = known(table, scrambled(mine ^ filled, filled | cell), 1 - goal)
            if answer == 0:
                below = stack.frames[depth + 1]
                below[MINE], below[FILLED], below[GOAL] = mine ^ filled, filled | cell, 1 - goal
                answer = open_frame(stack, depth + 1, replies, table, note)
                if answer == 0:
                    depth += 1
                    continue
                keep(table, scrambled(mine ^ filled, filled | cell), 1 - goal, answer, 1)
            if answer == YES:
                continue
            answer = YES
        else:
            answer = NO
        while answer != 0:  # the answer of the position at this depth
            frame = stack.frames[depth]
            mine, filled, goal = int(frame[MINE]), int(frame[FILLED]), int(frame[GOAL])
            keep(table, scrambled(mine, filled), goal, answer, int(note[NODES] - frame[SINCE]))
            depth -= 1
            if depth < 0:
                note[DEPTH] = depth
                note[ANSWER] = answer
                return
            answer = YES if answer == NO else 0
    note[DEPTH] = depth


def begin(stack: Stack, table: Any, note: Any) -> None:
    """Open the frame at depth 0; note[DEPTH] is -1 if the question is answered then."""
    frame = stack.frames[0]
    replies = examine(int(frame[MINE]), int(frame[FILLED]), int(frame[GOAL]))
    answer = replies if replies < 0 else open_frame(stack, 0, replies, table, note)
    note[NODES] += 1
    note[DEPTH] = -1 if answer != 0 else 0
    note[ANSWER] = answer


def grid_lines(drops: Drops) -> list[list[int]]:
    """Return the bits of the cells of each line."""
    columns, rows, length = drops.columns, drops.rows, drops.in_a_row
    return [
        [(x + step * dx) * (rows + 1) + y + step * dy for step in range(length)]
        for x in range(columns)
        for y in range(rows)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if x + (length - 1) * dx < columns and 0 <= y + (length - 1) * dy < rows
    ]


class DropSearch:
    """Search positions of one game of falling stones; its questions share the table.

    `table_memory` is in bytes. Raises BadRequest if the board does not fit into a word.
    """

    def __init__(
        self,
        game: Game,
        drops: Drops,
        budget: Budget,
        table_memory: int,
        target: jit.Target = "cpu",
        **devices: Any,
    ) -> None:
        if not fits(drops):
            raise BadRequest(
                f"{game}: a board of {drops.columns}x{drops.rows} cells does not fit into {MOST_BITS} bits"
            )
        self.game, self.drops, self.budget = game, drops, budget
        self.nodes = 0
        bits = drops.columns * (drops.rows + 1)
        buckets = 1 << max(0, bits + _TAG_SHIFT - 63)
        most = QUICK_TABLE if bits <= QUICK_BITS else LARGEST_TABLE
        while 2 * buckets * BUCKET * 8 <= table_memory and 2 * buckets * BUCKET <= most and 2 * buckets < 1 << bits:
            buckets *= 2
        self.table = np.zeros(buckets * BUCKET, np.int64)
        height = drops.rows + 1
        bottom = sum(1 << column * height for column in range(drops.columns))
        board = bottom * ((1 << drops.rows) - 1)
        self.names = game.names(target=target).with_(
            DROPS_COLUMNS=drops.columns,
            DROPS_ROWS=drops.rows,
            DROPS_IN_A_ROW=drops.in_a_row,
            DROPS_BOARD=board,
            DROPS_BOTTOM=bottom,
            DROPS_UPPER=sum(bottom << row for row in range(drops.rows - 1, -1, -2)),
            DROPS_TABLE_BITS=buckets.bit_length() - 1,
            **devices,
        )
        depth = drops.columns * drops.rows + 1
        lines = np.zeros(64, np.int64)
        for line in grid_lines(drops):
            for cell in line:
                lines[cell] += 1
        from_centre = sorted(range(drops.columns), key=lambda column: abs(2 * column - drops.columns + 1))
        order = [((1 << drops.rows) - 1) << column * height for column in from_centre]
        cells, replies, scores, codes = (np.zeros((depth, drops.columns), np.int64) for _ in range(4))
        self._stack = Stack(
            np.zeros((depth, _COLUMNS), np.int64), cells, replies, scores, codes, np.array(order, np.int64), lines
        )

    def words(self, state: Any) -> tuple[int, int]:
        """Return the stones of the player to move, and all stones."""
        stones = [0, 0, 0]
        for column, stack in enumerate(self.drops.stacks):
            for row, cell in enumerate(stack):
                stones[int(state[cell])] |= 1 << column * (self.drops.rows + 1) + row
        filled = stones[1] | stones[2]
        return stones[1 + (filled.bit_count() & 1)], filled

    def holds(self, state: Any, goal: int) -> bool:
        """Tell whether the player to move gets at least a draw (goal 0) or a win (1). Raises LimitReached."""
        return ended(self.steps(state, goal))

    def steps(self, state: Any, goal: int) -> Steps[bool]:
        """Search as `holds` does, step by step."""
        stack = self._stack
        stack.frames[0, MINE], stack.frames[0, FILLED] = self.words(state)
        stack.frames[0, GOAL] = goal
        note = np.zeros(3, np.int64)
        stage = "alpha-beta on bitboards: a win?" if goal else "alpha-beta on bitboards: a draw?"
        jit.bind(begin, self.names)(stack, self.table, note)
        kernel = jit.bind(descend, self.names)
        spent = 0
        while True:
            self.budget.spend(stage, int(note[NODES]) - spent, 0)
            self.nodes += int(note[NODES]) - spent
            spent = int(note[NODES])
            if note[DEPTH] < 0:
                return bool(note[ANSWER] == YES)
            yield
            self.budget.check()
            kernel(stack, self.table, spent + self.budget.room(SLICE), note)


def fits(drops: Drops) -> bool:
    """Tell whether a board fits into a word."""
    return drops.columns * (drops.rows + 1) <= MOST_BITS and drops.in_a_row >= 2
