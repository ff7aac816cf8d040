"""Feature-space search for games that supply features and advisors (Shoham and Schaeffer 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from searchbench.errors import BadRequest, Exhausted
from searchbench.game import Game
from searchbench.inherited import why_left_out
from searchbench.line import Line
from searchbench.solvers.guided.configuration import Guided, seed_option
from searchbench.solvers.guided.enhancements import Functions
from searchbench.solvers.guided.featurespace.kernel import MOVES, STATUS
from searchbench.solvers.guided.featurespace.strategy import FeatureSpaceGame, Searching, halves
from searchbench.solvers.guided.featurespace.turns import LIMITED, Ended, Race, Turns, exchange, share_trials
from searchbench.solvers.guided.task import EXHAUSTED, FOUND, FULL, Task

ENTRIES: Final = 1 << 24
"""The moves that are kept, where nothing else is asked for and half of the memory holds them."""
BYTES: Final = 40
"""About the bytes of a move that is kept, with its share of the positions."""
TRIALS: Final = 1 << 20
"""The trials of one seed; the numbers of the next one's follow."""


@dataclass(frozen=True, kw_only=True)
class FeatureSpace(Guided):
    """Find a line by feature-space search, most often not a cheapest one; `entries` are macro moves.

    With several threads the strategies are shared out among them after their first turns.
    """

    method = "featurespace"
    orders = ()

    seed: int = seed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed < 0:
            raise BadRequest(f"seed {self.seed}: expected 0 or more")

    def switches(self, game: Game) -> Functions:
        """Replace none of the game's functions."""
        return {}

    def search(self, task: Task) -> Line:
        """Return a line. Raises Unsolvable and LimitReached."""
        if self.h is not None or self.order or self.use or self.without:
            raise BadRequest("featurespace: heuristic, order, use and without have no meaning: features guide it")
        rules: FeatureSpaceGame | None = task.game.claimed("feature_space")
        if rules is None:
            raise BadRequest(
                f"method featurespace: {task.game} supplies no features for it; idastar searches every puzzle"
                f"{why_left_out(task.game, 'feature_space')}"
            )
        wanted = self.entries or min(ENTRIES, task.run.memory // 2 // BYTES)
        entries = max(wanted // len(rules.strategies), 2 * rules.most)
        threads = [Turns(task, rules, list(rules.strategies), entries, self.seed * TRIALS)]
        round_ = 0
        while True:
            if round_ == 1 and task.run.threads > 1:
                threads = threads[0].shared_out(task.run.threads)
            ended = _round(task, threads, round_)
            searches = [one for turns in threads for one in turns.searches.values()]
            nodes, kept = sum(turns.nodes for turns in threads), sum(one.kept for one in searches)
            if ended.status == FOUND and ended.search is not None:
                moves = rules.steps(task.start, *halves(searches, ended.search))
                return task.line(moves, _cost(task, moves), nodes, False, kept)
            if ended.status == EXHAUSTED:
                raise task.unsolvable(nodes, kept)
            if ended.status == LIMITED:
                raise task.limit_reached(nodes, 0, kept)
            if all(one.strategy.renewed or one.note[STATUS] == FULL for one in searches):
                if not (task.nodes or task.seconds) or not any(one.strategy.renewed for one in searches):
                    raise _too_few_entries(task, searches, nodes, kept)
                task.report("positions", nodes, 0, kept)  # trials go on up to the limit
                if round_ and any(turns.enters for turns in threads):
                    threads = share_trials(threads, task.run.threads, self._entries_of_a_trial(task, rules, entries))
            round_ += 1

    def _entries_of_a_trial(self, task: Task, rules: FeatureSpaceGame, entries: int) -> int:
        """Return the moves that each of the trials at the same time may keep: all threads have some of each strategy."""
        renewed = sum(one.renewed for one in rules.strategies.values())
        room = (self.entries or task.run.memory // 2 // BYTES) - entries * (len(rules.strategies) - renewed)
        return max(2 * rules.most, min(entries, room // (renewed * task.run.threads)))


def _round(task: Task, threads: Sequence[Turns], round_: int) -> Ended:
    """Let the strategies of all threads take their turns, and exchange perimeters; return how the round ended."""
    race, elsewhere = Race(), _elsewhere(task, threads, round_)

    def told() -> int:
        return sum(turns.nodes for turns in threads)

    def search(thread: int) -> Ended:
        return threads[thread].search(round_, elsewhere[thread], race, thread, told)

    ended = task.run.map(search, range(len(threads)))
    if race.ended:
        return ended[race.winner]
    if len(threads) > 1:
        exchange(threads, task.names)
    return next((one for one in ended if one.status == LIMITED), ended[0])


def _elsewhere(task: Task, threads: Sequence[Turns], round_: int) -> list[int]:
    """Return for each thread the nodes of the others, with those of their turns in this round, as far as the limit goes."""
    nodes, planned = [turns.nodes for turns in threads], [sum(turns.planned(round_).values()) for turns in threads]
    left = task.nodes - sum(nodes)
    if task.nodes and left < sum(planned):
        planned = [left * one // sum(planned) for one in planned]
    return [sum(nodes) - own + sum(planned) - more for own, more in zip(nodes, planned, strict=True)]


def _too_few_entries(task: Task, searches: Sequence[Searching], nodes: int, kept: int) -> Exhausted:
    full = sum(int(one.note[MOVES]) for one in searches)
    return Exhausted(
        f"{task.game}: no solution in {full:,} macro moves: more memory or `entries` keep more of them", nodes, kept
    )


def _cost(task: Task, moves: Sequence[int]) -> int:
    state, cost = list(task.start), 0
    for move in moves:
        cost += int(task.game.call("cost", state, move))
        state = list(task.game.play(state, move))
    return cost
