"""Check a claim: play every record's move and require that every reply loses, ends, or has a record.

The walk begins at the root and goes from records to the records after their replies, ply by ply, each ply on all threads.
So the rules are only asked about states that legal play has reached, whatever the records say; records that are not
reached are counted. Play must end where its `repetition` is less than the claim, as a draw is less than a win: a record that is
reached again from itself is then a fault. Elsewhere play may go on for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.game import Game
from searchbench.proof import Claim, KnownOutcomes, Strategy
from searchbench.rules import UNDECIDED, State, canonical, moves, new_moves, new_state, play, repetition, terminal
from searchbench.run import Run
from searchbench.slots import constant, slot
from searchbench.verify.forced import ForcedSearch, forced_search, wins_by_force
from searchbench.verify.threat_board import ThreatSearch, new_threat_search
from searchbench.verify.threat_search import code_of, known_move
from searchbench.verify.threats import beats, begin, wins_by_threats

FAULTS_TOLD: Final = 100
"""How many faults are told in words."""
SYMMETRIC_RECORDS: Final = constant("SYMMETRIC_RECORDS", False)
"""Whether records are representatives that stand for all symmetric states."""
FORCED_SEQUENCES: Final = constant("FORCED_SEQUENCES", False)
"""Whether a state may have a forced sequence in the place of a record."""
THREATS: Final = constant("THREATS", False)
"""Whether a state may have a win by threats in the place of a record."""

# What covers a state with the claimer to move: the row of a record, or one of these.
ENDED, FORCED, MISSING, LOST = -1, -2, -3, -4
ILLEGAL: Final = -5
"""The move of a record is not legal."""
BY_THREATS: Final = -6
ROOT: Final = -1
"""The row that stands for the root where the other player moves first."""
NO_REPLY: Final = -1

# The places of a note: edges, faults, and states covered by an ending, by a forced sequence, and by threats.
EDGES, FAULTS, ENDINGS, FORCED_LEAVES, THREAT_LEAVES = range(5)
_PIECE: Final = 64
"""Records checked at a time."""
FEW: Final = 20_000
"""Up to so many records times moves, to interpret the rules is quicker than to load compiled code."""


class Records(NamedTuple):
    """The sorted states [records, width] and a move for each."""

    states: Any
    moves: Any


class Found(NamedTuple):
    """What a piece finds: edges [n, 2] from row to row, faults [n, 3] of a row, a kind and a reply, and counts.

    An edge begins at ROOT, not at its row, if play that comes back there for ever shows the bound.
    """

    edges: Any
    faults: Any
    note: Any


@slot
def known_outcome(state: State) -> int:
    """Return the outcome of a state for the player to move if a database knows it, else UNDECIDED."""
    return UNDECIDED


def result_of(state: State) -> int:
    """Return the sign of the result for the player to move by the rules or a database, or UNDECIDED."""
    result = terminal(state)
    if result == UNDECIDED:
        result = known_outcome(state)
    if result == UNDECIDED:
        return UNDECIDED
    return (result > 0) - (result < 0)


def row_of(records: Records, state: State) -> int:
    """Return the row of a state, or -1, by bisection."""
    low = 0
    high = len(records.moves)
    while low < high:
        middle = (low + high) >> 1
        cell = 0
        while cell < len(state) and records.states[middle, cell] == state[cell]:
            cell += 1
        if cell == len(state):
            return middle
        if records.states[middle, cell] < state[cell]:
            low = middle + 1
        else:
            high = middle
    return -1


def coverage(state: State, out: Any, records: Records, bound: int, search: ForcedSearch) -> int:
    """Return what shows the bound in a state with the claimer to move: a row, ENDED or FORCED; else MISSING or LOST.

    Wins by threats are not looked for.
    Changes the state.
    """
    result = result_of(state)
    if result != UNDECIDED:
        return ENDED if result >= bound else LOST
    count = moves(state, out)
    if count == 0:
        return ENDED if bound <= 0 else LOST
    if SYMMETRIC_RECORDS:
        canonical(state)
    row = row_of(records, state)
    if row >= 0:
        return row
    if FORCED_SEQUENCES and wins_by_force(search, state):
        return FORCED
    return MISSING


def coverage_or_threats(
    state: State, out: Any, records: Records, bound: int, search: ForcedSearch, threats: ThreatSearch
) -> int:
    """Return what shows the bound as `coverage` does, or BY_THREATS. Changes the state."""
    covered = coverage(state, out, records, bound, search)
    if THREATS and covered == MISSING and wins_by_threats(threats, state):
        return BY_THREATS
    return covered


def note_fault(found: Found, row: int, kind: int, reply: int) -> None:
    """Count a fault, and list it if there is room."""
    if found.note[FAULTS] < len(found.faults):
        found.faults[found.note[FAULTS], 0] = row
        found.faults[found.note[FAULTS], 1] = kind
        found.faults[found.note[FAULTS], 2] = reply
    found.note[FAULTS] += 1


def check_replies(
    state: State, row: int, origin: int, records: Records, bound: int, search: ForcedSearch, threats: ThreatSearch,
    found: Found,
) -> None:  # fmt: skip
    """Check every reply in a state with the other player to move, which the record of a row has led to.

    `origin` is where edges begin: the row, or ROOT.
    """
    result = result_of(state)
    out = new_moves()
    count = 0
    if result == UNDECIDED:
        count = moves(state, out)
        if count == 0:
            result = 0
    if result != UNDECIDED:
        if -result < bound:
            note_fault(found, row, LOST, NO_REPLY)
        else:
            found.note[ENDINGS] += 1
        return
    after = new_state()
    scratch = new_moves()
    ready = passed = False
    for place in range(count):
        for cell in range(len(state)):
            after[cell] = state[cell]
        play(after, out[place])
        covered = coverage(after, scratch, records, bound, search)
        if THREATS and covered == MISSING:
            attacker = 1 - (out[place] & 1)
            if not ready:
                ready = True
                passed = begin(threats, state, attacker)
            for cell in range(len(state)):  # records are representatives, the board is as play led there
                after[cell] = state[cell]
            play(after, out[place])
            if beats(threats, after, out[place] >> 1, attacker, passed):
                covered = BY_THREATS
        if covered >= 0:
            found.edges[found.note[EDGES], 0] = origin
            found.edges[found.note[EDGES], 1] = covered
            found.note[EDGES] += 1
        elif covered == ENDED:
            found.note[ENDINGS] += 1
        elif covered == FORCED:
            found.note[FORCED_LEAVES] += 1
        elif covered == BY_THREATS:
            found.note[THREAT_LEAVES] += 1
        else:
            note_fault(found, row, covered, place)


def check_records(
    rows: Any, first: int, stop: int, records: Records, bound: int, search: ForcedSearch, threats: ThreatSearch,
    found: Found,
) -> None:  # fmt: skip
    """Play the moves of the records ``rows[first] .. rows[stop - 1]``, and check every reply."""
    state = new_state()
    out = new_moves()
    for place in range(first, stop):
        row = rows[place]
        for cell in range(len(state)):
            state[cell] = records.states[row, cell]
        move = records.moves[row]
        legal = False
        for index in range(moves(state, out)):
            if out[index] == move:
                legal = True
        if legal:
            origin = row if repetition(state) < bound else ROOT
            play(state, move)
            check_replies(state, row, origin, records, bound, search, threats, found)
        else:
            note_fault(found, row, ILLEGAL, NO_REPLY)


def first_cycle(starts: Any, targets: Any, colours: Any, stack: Any, place: Any) -> int:
    """Return a row from which edges lead back to itself, or -1.

    The edges of a row are ``targets[starts[row]] .. targets[starts[row + 1] - 1]``. `colours` (0: not seen, 1: on the way, 2:
    done), `stack` and `place` are room for a number for each row.
    """
    for root in range(len(colours)):
        if colours[root] != 0:
            continue
        colours[root] = 1
        stack[0] = root
        place[0] = starts[root]
        level = 0
        while level >= 0:
            row = stack[level]
            if place[level] == starts[row + 1]:
                colours[row] = 2
                level -= 1
                continue
            target = targets[place[level]]
            place[level] += 1
            if colours[target] == 1:
                return int(target)
            if colours[target] == 0:
                colours[target] = 1
                level += 1
                stack[level] = target
                place[level] = starts[target]
    return -1


@dataclass(frozen=True)
class ClaimReport:
    """What the check of a claim finds: faults in words, at most as many as asked for, and their number.

    `plies` has the number of records reached with each further move of the claimer; `unreached` records were not reached
    and not checked. `endings`, `forced` and `threats` count replies after which the game ends, or a forced sequence or threats
    win.
    """

    count: int
    faults: tuple[str, ...]
    plies: tuple[int, ...]
    unreached: int
    endings: int = 0
    forced: int = 0
    threats: int = 0


class ClaimCheck:
    """Check one claim about a root: reach its records from there.

    `leaves` knows the outcomes at which play may end; rules and leaves are then interpreted.
    """

    def __init__(
        self, game: Game, root: Sequence[int], claim: Claim, leaves: KnownOutcomes | None = None,
        target: jit.Target | None = None,
    ) -> None:  # fmt: skip
        self.game, self.root, self.claim, self.leaves = game, tuple(root), claim, leaves
        strategy = Strategy.of(claim.strategy, game)
        self.records = Records(np.ascontiguousarray(strategy.states, game.dtype), strategy.moves.astype(np.int64))
        few = len(strategy) * game.max_moves <= FEW and not claim.forced and not claim.threats
        self.target: jit.Target = target or ("interpreted" if few else "cpu")
        if leaves is not None:
            self.target = "interpreted"
        self.names = game.names(target=self.target).with_(
            SYMMETRIC_RECORDS=claim.symmetric, FORCED_SEQUENCES=claim.forced > 0, THREATS=claim.threats > 0
        )
        if leaves is not None:
            self.names = self.names.with_(known_outcome=_looked_up(leaves))

    def report(self, run: Run, stage: str = "records") -> ClaimReport:
        """Reach and check the records; `stage` names the work to whom progress is told."""
        totals = np.zeros(5, np.int64)
        edges = []
        wrong: list[tuple[int, int, int]] = []
        plies, found = self._walk(run, stage)
        for one in found:
            totals += one.note
            wrong += [(int(row), int(kind), int(reply)) for row, kind, reply in one.faults]
            edges.append(one.edges[one.edges[:, 0] != ROOT])
        told = self._texts(sorted(wrong))
        faults = int(totals[FAULTS]) if len(told) == FAULTS_TOLD else len(told)
        must_end = np.concatenate([*edges, np.zeros((0, 2), np.int64)])
        if len(must_end) and (row := self._cycle(must_end)) >= 0:
            told.append(f"{self.about()}: play comes back to {self._text(self.records.states[row])} and need not end")
            faults += 1
        return ClaimReport(
            faults, tuple(told[: FAULTS_TOLD]), plies, len(self.records.moves) - sum(plies), int(totals[ENDINGS]),
            int(totals[FORCED_LEAVES]), int(totals[THREAT_LEAVES]),
        )  # fmt: skip

    def plies(self, run: Run) -> tuple[int, ...]:
        """Return the number of records reached with each further move of the claimer."""
        return self._walk(run, "records")[0]

    def _walk(self, run: Run, stage: str) -> tuple[tuple[int, ...], list[Found]]:
        """Reach records from the root, ply by ply; return how many are new in each, and what all pieces find."""
        count = len(self.records.moves)
        seen = np.zeros(count, np.bool_)
        frontier, fresh = self._from_root()
        plies: list[int] = []
        found: list[Found] = []
        while True:
            found += fresh
            frontier += [one.edges[:, 1] for one in fresh]
            rows = np.unique(np.concatenate(frontier))
            rows = rows[~seen[rows]]
            if not len(rows):
                return tuple(plies), found
            seen[rows] = True
            plies.append(len(rows))
            frontier, fresh = [], self._checked(rows, run)
            run.progress(stage, sum(plies), count)

    def about(self) -> str:
        """Return the claim in words."""
        return f"{self.game}: {claim_text(self.claim)}"

    def coverage(self, state: Sequence[int]) -> int:
        """Return what shows the bound in a state with the claimer to move.

        A row, ENDED, FORCED or BY_THREATS; else MISSING or LOST.
        """
        after = self._state(state)
        out = np.zeros(max(self.game.max_moves, 1), np.int64)
        known = after, out, self.records, self.claim.bound, self._search()
        if not self.claim.threats:
            return int(self._bound(coverage)(*known))
        return int(self._bound(coverage_or_threats)(*known, self._threats()))

    def uncovered(self, state: Sequence[int], move: int) -> list[tuple[int, ...]]:
        """Return the states after the replies to a move in which nothing shows the bound."""
        after = self.game.play(state, move)
        found = self._room(1, self.game.max_moves)
        begin_at, searches = self._state(after), (self._search(), self._threats())
        self._bound(check_replies)(begin_at, 0, ROOT, self.records, self.claim.bound, *searches, found)
        legal = self.game.moves(after)
        places = found.faults[: found.note[FAULTS], 2].tolist()
        return [tuple(after if place == NO_REPLY else self.game.play(after, legal[place])) for place in places]

    def forced_sequence(self, state: Sequence[int]) -> list[int]:
        """Return the moves of the forced sequence that verification finds in a state, empty if it finds none."""
        from searchbench.verify import forced

        search, begin = self._search(), self._state(state)
        legal = self.game.moves(begin.tolist())
        if not self.claim.forced or not legal:
            return []
        mover = legal[0] & 1
        length = int(self._bound(forced.find)(search, begin, 1 + mover))
        return [2 * int(cell) + (mover ^ place & 1) for place, cell in enumerate(search.cells[:length])]

    def winning_threat(self, state: Sequence[int]) -> int | None:
        """Return the move with which a win by threats begins that verification finds in a state, None if it finds none."""
        search, begin_at = self._threats(), self._state(state)
        if not self.claim.threats or not self._bound(wins_by_threats)(search, begin_at):
            return None
        mover = self.game.moves(state)[0] & 1
        return 2 * int(self._bound(known_move)(search, self._bound(code_of)(search, True))) + mover

    def _from_root(self) -> tuple[list[Any], list[Found]]:
        """Return rows to check first, and what is found at the root."""
        found = self._room(1)
        none = np.zeros(0, np.int64)
        state = self._state(self.root)
        if self.claim.player == 1:
            searches = self._search(), self._threats()
            self._bound(check_replies)(state, ROOT, ROOT, self.records, self.claim.bound, *searches, found)
            return [none], [_trimmed(found)]
        covered = self.coverage(self.root)
        if covered >= 0:
            return [np.array([covered])], []
        for place, kind in ((ENDINGS, ENDED), (FORCED_LEAVES, FORCED), (THREAT_LEAVES, BY_THREATS)):
            found.note[place] = covered == kind
        if covered not in (ENDED, FORCED, BY_THREATS):
            note_fault(found, ROOT, covered, NO_REPLY)
        return [none], [_trimmed(found)]

    def _checked(self, rows: Any, run: Run) -> list[Found]:
        kernel = self._bound(check_records)

        def work(piece: tuple[int, int]) -> Found:
            found = self._room(piece[1] - piece[0])
            kernel(rows, *piece, self.records, self.claim.bound, self._search(), self._threats(), found)
            return _trimmed(found)

        return run.map(work, jit.intervals(0, len(rows), _PIECE))

    def _room(self, rows: int, faults: int = FAULTS_TOLD) -> Found:
        most = max(rows * self.game.max_moves, 1)
        return Found(np.zeros((most, 2), np.int64), np.zeros((faults, 3), np.int64), np.zeros(5, np.int64))

    def _search(self) -> ForcedSearch:
        return forced_search(self.game, self.claim.forced)

    def _threats(self) -> ThreatSearch:
        return new_threat_search(self.game, self.claim.threats)

    def _state(self, state: Sequence[int]) -> Any:
        return np.array(state, self.game.dtype)

    def _bound(self, kernel: Callable[..., Any]) -> Any:
        return jit.bind(kernel, self.names)

    def _cycle(self, edges: Any) -> int:
        count = len(self.records.moves)
        order = np.argsort(edges[:, 0], kind="stable")
        starts = np.searchsorted(edges[order, 0], np.arange(count + 1))
        room = [np.zeros(count, kind) for kind in (np.int8, np.int64, np.int64)]
        return int(self._bound(first_cycle)(starts, np.ascontiguousarray(edges[order, 1]), *room))

    def _place(self, wrong: tuple[int, int, int]) -> tuple[int, tuple[int, ...]]:
        """Return the kind of a fault and the state that it is about: several records may lead there."""
        row, kind, place = wrong
        state = list(self.root) if row == ROOT else self.records.states[row].tolist()
        if kind == ILLEGAL:
            return kind, tuple(state)
        if row != ROOT:
            state = self.game.play(state, int(self.records.moves[row]))
        if place != NO_REPLY:
            state = self.game.play(state, self.game.moves(state)[place])
        if self.claim.symmetric and kind == MISSING:
            state = self.game.canonical(state)
        return kind, tuple(state)

    def _texts(self, wrong: Sequence[tuple[int, int, int]]) -> list[str]:
        """Return the faults in words, each state once."""
        found: dict[tuple[int, tuple[int, ...]], str] = {}
        for one in wrong:
            kind, state = place = self._place(one)
            if place in found or len(found) == FAULTS_TOLD:
                continue
            shown, row = self._text(state), one[0]
            after = (
                ""
                if row == ROOT or kind == ILLEGAL
                else f" (after record {row}, {self._text(self.records.states[row])})"
            )
            if kind == MISSING:
                told = f"no move is given for {shown}{after}"
            elif kind == ILLEGAL:
                told = f"the move {int(self.records.moves[row])} given for {shown} (record {row}) is not legal"
            else:
                told = f"not in {shown}{after}, where the game is over"
            found[place] = f"{self.about()}: {told}"
        return list(found.values())

    def _text(self, state: Any) -> str:
        return repr(self.game.format([int(cell) for cell in state]))


def _trimmed(found: Found) -> Found:
    return found._replace(edges=found.edges[: found.note[EDGES]].copy(), faults=found.faults[: found.note[FAULTS]])


def _looked_up(leaves: KnownOutcomes) -> Callable[[State], int]:
    """Return the slot `known_outcome` of a source of outcomes, interpreted."""

    def known(state: State) -> int:
        found = leaves.outcome(tuple(int(cell) for cell in state))
        return UNDECIDED if found is None else found

    return known


WHO: Final = {0: "the player to move", 1: "the other player"}
AT_LEAST: Final = {-1: "a loss or better", 0: "a draw or better", 1: "a win"}


def claim_text(claim: Claim) -> str:
    """Return a claim in words."""
    return f"{WHO[claim.player]} gets {AT_LEAST[claim.bound]}"


def check_claim(
    game: Game, root: Sequence[int], claim: Claim, leaves: KnownOutcomes | None = None, run: Run | None = None,
    target: jit.Target | None = None,
) -> ClaimReport:  # fmt: skip
    """Check a claim about a root by the rules; a claim of a loss or better needs no evidence."""
    if claim.player not in WHO or claim.bound not in AT_LEAST:
        told = f"a claim of player {claim.player} for {claim.bound}: expected player 0 or 1, and -1, 0 or +1"
        return ClaimReport(1, (told,), (), len(claim.strategy))
    if claim.bound < 0:
        return ClaimReport(0, (), (), len(claim.strategy))
    with run or Run() as active:
        return ClaimCheck(game, root, claim, leaves, target=target).report(active)
