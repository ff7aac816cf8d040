"""Prove a position move by move: after each move of black, every answer of white is a problem of its own.

A proof-number search spreads its nodes over orders of the same forcing moves, and a quiet move with a dozen easy answers looks
worse to it than a three with two hard ones. Here each answer gets a search of its own, with the same nodes. The answers that
refuted other moves come first, and a move is left at the first answer that stays open.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from searchbench.solvers.proof.gomoku.branch import Branch, written
from searchbench.solvers.proof.gomoku.search import BLACK, QuietSearch, State, black_stones, stones_at

SHARE: Final = 4
"""Each answer gets at most this part of the nodes of the position before it."""
SMALLEST: Final = 50_000
"""Nodes for each answer in the first round."""
STEP: Final = 3
"""How many times as many nodes the answers get in the next round."""
FEWEST: Final = 3
"""Moves of black that stay to the last round."""
MOVES: Final = 25
"""Moves of black that are tried: more than inside a search, as a move is left at the first answer that stays open."""
FORCING_COST: Final = 10
"""What a move that threatens to make four or five adds to the proof numbers of the searches for the answers."""

Records = Mapping[State, int]


def _nothing(state: State, limit: int, records: Records | None) -> None:
    """Keep nothing."""


@dataclass
class Apart:
    """Solve positions with black to move, and remember which are proved, and with how many nodes others were tried.

    `keep` gets each position that was searched: its state, its nodes, and the records of a proof or None.
    """

    search: QuietSearch
    proved: dict[State, Records] = field(default_factory=dict)
    tried: dict[State, int] = field(default_factory=dict)
    keep: Callable[[State, int, Records | None], None] = _nothing
    answers: dict[State, list[int] | None] = field(default_factory=dict)

    def solve(self, state: State, limit: int) -> Records | None:
        """Return the records of a proof, or None where none is found: `limit` nodes at first, then the answers apart.

        Raises Stopped.
        """
        if state not in self.proved and self.tried.get(state, 0) < limit:
            records = self._whole(state, limit)
            if records is None:
                records = self.take_apart(state, limit // SHARE)
            if records is None:
                self.tried[state] = limit
            else:
                self.proved[state] = records
            self.keep(state, limit, records)
        return self.proved.get(state)

    def _whole(self, state: State, limit: int) -> Records | None:
        """Return the records of a proof by one search; forget its nodes."""
        found = self.search.solve(state, limit)
        records = self.search.records(state) if found else None
        self.search.forget()
        return records

    def take_apart(self, state: State, limit: int) -> Records | None:
        """Return the records of a proof, or None where no move beats all answers with at most `limit` nodes for each.

        In each round the better half of the moves stays: those that beat most of the answers that were hard. Raises Stopped.
        """
        nodes = SMALLEST
        moves = self._moves(state) if nodes <= limit else []
        refuting: Counter[int] = Counter()
        while nodes <= limit and moves:
            beaten: dict[int, int] = {}
            for move in moves:
                records, beaten[move] = self._beat_all(state, move, nodes, refuting)
                if records is not None:
                    return records
            moves = sorted(moves, key=lambda move: -beaten[move])
            if nodes > SMALLEST:
                moves = moves[: max(FEWEST, len(moves) // 2)]
            nodes *= STEP
        return None

    def _beat_all(self, state: State, move: int, nodes: int, refuting: Counter[int]) -> tuple[Records | None, int]:
        """Return the records of a proof with a move, if all answers are beaten, and how many hard ones are."""
        after = stones_at(state, [(move, 1)])
        answers = self._answers(after)
        if answers is None:
            return None, -1
        below = {cell: stones_at(after, [(cell, 2)]) for cell in answers}
        records = {state: move}
        for cell in sorted(below, key=lambda cell: (-self.tried.get(below[cell], 0), -refuting[cell])):
            found = self.solve(below[cell], nodes)
            if found is None:
                refuting[cell] += 1
                return None, sum(1 for one in below.values() if one in self.proved)
            records.update(found)
        return records, len(below)

    def _answers(self, after: State) -> list[int] | None:
        """Return white's answers that survive short searches by threats, searched once."""
        if after not in self.answers:
            self.answers[after] = self.search.survivors(after)
        return self.answers[after]

    def _moves(self, state: State) -> list[int]:
        """Return black's moves in the order of their values, those that threaten to make four or five last."""
        attack = self.search.attack
        attack.set(state)
        moves = list(self.search.candidates(MOVES))

        def forcing(cell: int) -> bool:
            attack.put(cell, BLACK)
            threatens = attack.replies(BLACK) is not None
            attack.remove(cell, BLACK)
            return threatens

        return sorted(moves, key=forcing)


def prove_apart(branch: Branch, search: QuietSearch, replies: Sequence[int], limit: int) -> None:
    """Take replies of white apart, and keep every problem that was searched in the branch's file. Raises Stopped."""
    began, before = time.process_time(), search.attack.nodes

    def keep(state: State, nodes: int, records: Records | None) -> None:
        white = [cell for cell, stone in enumerate(state) if stone == 2]
        add({"apart": [black_stones(state), white], "limit": nodes}, records)

    def add(line: dict[str, Any], records: Records | None) -> None:
        nonlocal began, before
        now, nodes = time.process_time(), search.attack.nodes
        line |= {"proved": records is not None, "nodes": nodes - before, "seconds": round(now - began, 3)}
        branch.add(line if records is None else line | {"records": written(records)})
        began, before = now, nodes

    parts = branch.parts.items()
    proved: dict[State, Records] = {
        state: dict(branch.read(line["records"])) for state, line in parts if line["proved"]
    }
    tried = {state: line["limit"] for state, line in parts if not line["proved"]}
    for known in proved.values():
        search.learn(known)
    apart = Apart(search, proved, tried, keep)
    for reply in replies:
        records = apart.take_apart(stones_at(branch.base, [(reply, 2)]), limit // SHARE)
        if records is not None:
            add({"reply": reply, "limit": limit, "proof_number": 0}, records)
