"""Prove that the player to move wins go-moku: the whole game or a branch in a working folder, other positions at once."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from searchbench.errors import BadRequest, Exhausted, LimitReached
from searchbench.game import Game
from searchbench.jit import Target
from searchbench.proof import Claim
from searchbench.solvers.proof.budget import Budget
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import progress, read_branch
from searchbench.solvers.proof.gomoku.closing import closed
from searchbench.solvers.proof.gomoku.fours import STOPPED, WON
from searchbench.solvers.proof.gomoku.nodes import PositionSearch, State, Stopped, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.patterns import Rule
from searchbench.solvers.proof.gomoku.rounds import WHOLE, prove
from searchbench.solvers.proof.gomoku.search import QuietSearch
from searchbench.solvers.proof.gomoku.together import close
from searchbench.solvers.proof.gomoku.trees import take_over
from searchbench.solvers.proof.gomoku.two_levels import TwoLevels

CHECKED: Final = 300_000
"""Nodes that a checker may take for a win by threats; those that it does not find with `branch.SHORT` have records."""
PROBED: Final = 2_000
"""Nodes for a win by threats without quiet moves: a longer one begins with a record."""
SLICE: Final = 20_000
"""Nodes of a search of one position between two looks at the limits."""
_RULES: Final[Mapping[tuple[bool, bool], Rule]] = {
    (True, True): "free",
    (False, False): "standard",
    (False, True): "renju",
}
LONGEST: Final = 10_000_000
"""Nodes to find again a win that was found before."""
_NO_TIME: Final = 0.01
_STAGE: Final = "replies that are proved to lose"


@dataclass(frozen=True)
class ThreatProof:
    """What was proved: black's or white's moves by representative, who claims them (0: the player to move), and counts."""

    player: int
    moves: dict[State, int]
    nodes: int
    facts: dict[str, Any]

    def claim(self) -> Claim:
        """Return the claim that the player wins."""
        return Claim(self.player, 1, self.moves, symmetric=True, threats=CHECKED)


def board_of(game: Game) -> tuple[int, Rule]:
    """Return the size of the board and the rule of a game of five in a row. Raises BadRequest for another game."""
    board: Any = getattr(game, "lines", None)
    longer: tuple[bool, bool] | None = getattr(game, "longer_rows", None)
    rule = None if longer is None else _RULES.get(longer)
    size = round(game.width**0.5)
    lines = 2 * (size - 4) * (2 * size - 4)
    square = board is not None and size * size == game.width and len(board.lines) == lines
    fives = square and size >= 5 and len(board.lines[0]) == 5
    if not fives or rule is None or not game.has("canonical"):
        raise BadRequest(f"{game}: the method threats is for gomoku: use pns, dfpn, alphabeta or graph")
    return size, rule


def prove_by_threats(
    game: Game, root: Sequence[int], budget: Budget, work: Path | None, proved: Path | None, target: Target
) -> ThreatProof:
    """Prove a win of the player to move, or after the first stone in the centre, of the player who has put it.

    The start, that stone and a reply to it are proved in the folder, or a temporary one, on several processes, beginning
    with the replies that the files of `proved` have (:mod:`searchbench.solvers.proof.gomoku.trees`). Raises
    LimitReached, Exhausted and BadRequest.
    """
    state = tuple(int(cell) for cell in root)
    stones, (size, rule) = sum(map(bool, state)), board_of(game)
    if rule == "renju":
        if work is not None or proved is not None:
            raise BadRequest(
                f"{game}: no work is kept for renju, where only wins by threats are found: leave out the folder"
            )
        return _by_threats_alone(size, game, state, budget, target)
    opening = Opening(size, rule)
    if stones <= 2 and (stones == 0 or state[len(state) // 2] == 1) and opening.has_centre:
        return _in_folder(opening, state, budget, work, proved)
    if work is not None or proved is not None:
        raise BadRequest(
            f"{game}: work is kept for the start, for the first stone in the centre, and for a reply to it; "
            "this position is searched at once: leave out the folder"
        )
    return _at_once(opening, game, state, budget, target)


def _in_folder(opening: Opening, state: State, budget: Budget, work: Path | None, proved: Path | None) -> ThreatProof:
    if budget.limit:
        raise BadRequest(
            f"{opening}: the start and its first stones are proved by many searches, and a limit of nodes is that of one: "
            "limit the seconds"
        )
    stones, run = sum(map(bool, state)), budget.run
    names = [opening.name(state.index(2))] if stones == 2 else []

    def report(_: str) -> None:
        reached = progress(folder, opening)
        run.progress(_STAGE, reached.proved, reached.replies)

    with _folder(work) as folder:
        if proved is not None:
            take_over(proved, folder, opening)
        for step in (prove, close):
            if not step(folder, opening, run.threads, _left(budget), names, report):
                reached = progress(folder, opening)
                why = "no result" if step is prove else "proved, but its records are not all checked"
                why = f"{reached.gaps} of its positions not proved again" if reached.gaps else why
                within = f" within {budget.seconds:g} seconds" if budget.seconds else ""
                raise LimitReached(
                    f"{opening}: {why}{within}; {reached}; "
                    + ("go on with the same folder" if work is not None else "keep the work in a folder: --work DIR")
                )
        chosen = opening.replies(opening.start)
        if names:
            own = {min(turn[state.index(2)] for turn in opening.turns())}
            chosen = [white for white in chosen if white in own]
        records: list[tuple[State, int]] = [] if stones else [(state, len(state) // 2)]
        nodes, seconds = 0, 0.0
        for white in chosen:
            branch = read_branch(folder, opening, white)
            nodes, seconds = nodes + branch.nodes, seconds + branch.seconds
            records += branch.records()
    moves = opening.strategy(records)
    return ThreatProof(int(stones == 1), moves, nodes, {"branches": len(chosen), "processor seconds": round(seconds)})


@contextlib.contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    if work is not None:
        yield work
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)


def _left(budget: Budget) -> float:
    """Return the seconds left, 0 if there is no limit."""
    return max(_NO_TIME, budget.seconds - (budget.run.seconds - budget.began)) if budget.seconds else 0.0


def _by_threats_alone(size: int, game: Game, state: State, budget: Budget, target: Target) -> ThreatProof:
    """Search for a win by threats of the player to move, without quiet moves; colours are not alike.

    Positions of the win for which a checker would have to search long get records.
    """
    player = sum(map(bool, state)) % 2
    attack, probe = (Attack(size, size, "renju", bits, target, game) for bits in (20, 16))
    symmetries = Opening(size, "standard")
    attack.set(state)
    result = STOPPED
    while result == STOPPED:
        result = attack.by_threats(player, min(budget.room(SLICE), SLICE))
        budget.spend("threats", attack.nodes - budget.nodes, 0)
        if result == STOPPED:
            budget.check("no result")
    if result != WON:
        raise Exhausted(f"{game}: {game.format(state)!r}: no win by threats", budget.nodes)
    moves: dict[State, int] = {}
    waiting = [state]
    while waiting:
        one = waiting.pop()
        like, _ = symmetries.canonical(one)
        probe.forget()
        probe.set(one)
        if like in moves or probe.by_threats(player, PROBED) == WON:
            continue
        attack.set(one)
        attack.by_threats(player, LONGEST)
        move = attack.move(player)
        if move is None:
            raise Exhausted(f"{game}: a win that was found is not found again: give more nodes", budget.nodes)
        like, there = symmetries.canonical(one, move)
        moves[like] = 2 * there + player
        after = stones_at(one, [(move, 1 + player)])
        attack.set(after)
        waiting += [stones_at(after, [(reply, 2 - player)]) for reply in attack.replies(player) or ()]
    return ThreatProof(0, moves, attack.nodes, {"positions": 1})


def _at_once(opening: Opening, game: Game, state: State, budget: Budget, target: Target) -> ThreatProof:
    """Search one position for a win of the player to move, who is black here: else the colours are exchanged."""
    white = sum(map(bool, state)) % 2
    root = tuple((0, 2, 1)[stone] for stone in state) if white else state
    attack = Attack(opening.size, opening.size, opening.rule, target=target)
    search: PositionSearch = QuietSearch(attack)
    found = None
    while found is None:
        if attack.nodes >= WHOLE and isinstance(search, QuietSearch):
            search = TwoLevels(attack)
        found = search.solve(root, budget.room(SLICE))
        budget.spend("positions", attack.nodes - budget.nodes, 0)
        if found is None:
            budget.check(f"proof number {search.nodes[root].proof:,}")
    if not found:
        raise Exhausted(f"{game}: {game.format(state)!r}: no win by threats and quiet moves", budget.nodes)

    def stop() -> bool:
        return bool(budget.seconds) and _left(budget) <= _NO_TIME

    try:
        records = closed(attack, opening, search.records(root), root, stop, bool(white), target)
    except Stopped:
        raise LimitReached(f"{game}: proved, but not written down within {budget.seconds:g} seconds") from None
    moves: dict[State, int] = {}
    for one, move in records.items():
        own = tuple((0, 2, 1)[stone] for stone in one) if white else one
        like, there = opening.canonical(own, move)
        moves[like] = 2 * there + white
    return ThreatProof(0, moves, attack.nodes, {"positions": len(search.nodes)})
