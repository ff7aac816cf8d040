"""Rows on awari (Allis 1994, section 2.4): rules, databases, four searches compared, and a player."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from searchbench.analyse.four_searches import (
    KNOWN,
    NAMES,
    OVER,
    SOLVED,
    UNSOLVED,
    Compared,
    Comparison,
    Limits,
    compare_searches_on,
)
from searchbench.analyse.self_play import RANDOM_PLIES, play_itself
from searchbench.catalogue import load
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.player import SearchingPlayer
from searchbench.reproduce.row import Measured, Row, Verdict
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.proof import LeafDatabase
from searchbench.store import Database

MATCH: Final = "awari-match"
STONES: Final = 13
SEED: Final = 1994
GAMES: Final = 25
MATCHES: Final = 40
FIGURE_2_7: Final = "1 0 4 19 4 2  1 1 3 1 0 0  5 7"
FIGURE_2_8: Final = "0 1 0 0 1 0  0 0 0 0 0 1  22 23"
CYCLE: Final = ("E1", "F1", "F1", "A1", "B1", "B1", "C1", "C1", "D1", "D1", "A1", "E1")
SAMPLE: Final = 90
"""Every how many-th position of the test set is in the short comparison: about twenty."""

A, B, B1, B2, C1, C2, D, E, F, G = (
    "(a) solved by both pn searches", "(b) in order", "(b) alpha-beta / stones pn", "(b) transposition / stones pn",
    "(c) hard: pn beats transposition", "(c) hard: pn beats alpha-beta", "(d) easy: share of the fewest nodes",
    "(e) basic / stones pn", "(f) peak / created", "(g) alpha-beta / stones pn, by group",
)  # fmt: skip
"""The inequalities of the comparison, by the names of their figures."""


def _after(game: Game, state: Iterable[int], names: Iterable[str]) -> list[int]:
    """Return the state after moves by name."""
    now = list(state)
    for name in names:
        legal = game.moves(now)
        now = game.play(now, legal[[game.format_move(now, move) for move in legal].index(name)])
    return now


def rules(_: Run) -> dict[str, Any]:
    """Return the moves of figure 2.7, the lines of figure 2.8, and the stones of all states of random games."""
    game = load(MATCH)
    first, second = game.parse(FIGURE_2_7), game.parse(FIGURE_2_8)
    starved = _after(game, second, ("B1", "F1"))
    chance, stones = random.Random(SEED), set()
    for _game in range(20):
        state, plies = game.start(), 0
        while plies < 100 and (legal := game.moves(state)):
            state, plies = game.play(state, chance.choice(legal)), plies + 1
            stones.add(sum(state))
    return {
        "figure 2.7": sorted(game.format_move(first, move) for move in game.moves(first)),
        "figure 2.8, after B1 f1": sorted({-game.terminal(game.play(starved, move)) for move in game.moves(starved)}),
        "figure 2.8, forced after E1 f1": [
            game.format_move(state, move) for state in [_after(game, second, CYCLE[:2])] for move in game.moves(state)
        ],
        "figure 2.8, back after 12 plies": _after(game, second, CYCLE) == second,
        "stones": sorted(stones),
    }


def numbers(_: Run) -> dict[str, Any]:
    """Return the sizes of the indexes of up to 13, 16 and 17 stones, and whether random numbers come back."""
    found: dict[str, Any] = {}
    chance, same = random.Random(SEED), True
    for stones in (13, 16, 17):
        game = load(f"awari:{stones}")
        found[f"up to {stones} stones"] = size = line_size(game.parts())
        same &= all(game.rank(game.unrank(number)) == number for number in (chance.randrange(size) for _ in range(300)))
    return found | {"rank and unrank are inverse": same}


@lru_cache(maxsize=1)
def _database(memory: int, threads: int) -> Database:
    return solve_states(load(f"awari:{STONES}"), run=Run(memory=memory, threads=threads))


def _leaves(run: Run) -> LeafDatabase:
    return LeafDatabase(load(MATCH), _database(run.memory, run.threads))


def databases(run: Run) -> dict[str, Any]:
    """Return the faults of a database of up to 13 stones, and the shares of wins and draws by number of stones."""
    solved = _database(run.memory, run.threads)
    found: dict[str, Any] = {"faults": solved.verify().count}
    for stones in (1, 2, 3, 5, 8, 10, 12, 13):
        counts = solved.histogram(str(stones))
        total = sum(counts.values())
        wins = sum(count for value, count in counts.items() if value > 0)
        found[f"{stones} stones: wins, draws"] = [round(wins / total, 4), round(counts.get(0, 0) / total, 4)]
    return found


# --- four searches ----------------------------------------------------------------------------------------------------


def positions() -> list[tuple[int, ...]]:
    """Return the positions of the test set, in the order of the games."""
    text = (files("searchbench.reproduce") / "positions" / "awari.txt").read_text()
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return [tuple(map(int, words[2:])) for words in lines]


def same_positions(run: Run) -> dict[str, Any]:
    """Play the games of the test set again, and compare."""
    found: dict[tuple[int, ...], None] = {}
    lengths = []
    for states in play_itself(load(MATCH), _leaves(run), GAMES, SEED, run):
        lengths.append(RANDOM_PLIES + len(states))
        found.update(dict.fromkeys(states))
    kept = positions()
    return {"games": len(lengths), "positions": len(found), "as kept": list(found) == kept}


def enough(paper: Any, measured: Any) -> Verdict:
    """Judge a test set: as many games and positions as in the paper, and games that can be played again."""
    return "match" if measured["as kept"] and measured["games"] >= 20 and measured["positions"] >= 1_500 else "differs"


def answers(run: Run) -> dict[str, Any]:
    """Ask about positions with up to 13 stones, by searches with 8 stones at their leaves, and compare with the database."""
    truth = _leaves(run)
    game = truth.game
    few = LeafDatabase(game, solve_states(load("awari:8"), run=Run(memory=run.memory, threads=run.threads)))
    wanted = [state for state in positions() if 8 < sum(state[:12]) <= STONES][:60]
    found = compare_searches_on(game, few, wanted, Limits(20_000, 20_000, 20_000), run)
    wrong = dict.fromkeys(NAMES, 0)
    for one in found:
        right = int(truth.outcome(one.state) == 1)
        for name, effort in zip(NAMES, one.efforts, strict=False):
            wrong[name] += effort.answer not in (-1, right)
    return {"solved": sum(one.kind == SOLVED for one in found), "wrong answers": wrong}


def no_wrong_answer(paper: Any, measured: Any) -> Verdict:
    """Judge answers: none may be wrong, and there must be some."""
    return "match" if measured["wrong answers"] == paper["wrong answers"] and measured["solved"] >= 20 else "differs"


def _figures(compared: Iterable[Compared]) -> dict[str, Any]:
    comparison = Comparison(tuple(compared))
    kinds = [one.kind for one in comparison.compared]
    factors, hard, easy = comparison.factors(), len(comparison.halves["hard"]), len(comparison.halves["easy"])
    totals = comparison.totals()
    wins = [[round(comparison.beats("hard", row, column) / max(hard, 1), 3) for row in (2, 3)] for column in (1, 0)]
    return {
        "positions": {kind: kinds.count(kind) for kind in (OVER, KNOWN, UNSOLVED, SOLVED)},
        "different answers": comparison.disagreements,
        A: comparison.failures[2] + comparison.failures[3] == 0,
        B: totals == sorted(totals, reverse=True),
        B1: factors[0], B2: factors[1], C1: wins[0], C2: wins[1],
        D: [round(share / max(easy, 1), 3) for share in comparison.best("easy")],
        E: factors[2], F: comparison.peak_shares(), G: comparison.advantage(),
    }  # fmt: skip


def four_searches(run: Run) -> Measured:
    """Compare the four searches on the whole test set; the folder of unfinished work keeps what is done."""
    kept = None if run.work is None else run.work / "positions.jsonl"
    limits = Limits(500_000, 20_000_000, 20_000_000)
    compared = compare_searches_on(load(MATCH), _leaves(run), positions(), limits, run, kept)
    return Measured(_figures(compared), [], Comparison(tuple(compared)).tables())


def four_searches_on_a_sample(run: Run) -> Measured:
    """Compare the four searches on a sample of the test set, with fewer nodes."""
    sample = [state for state in positions() if sum(state[:12]) > STONES][::SAMPLE]
    limits = Limits(100_000, 1_000_000, 1_000_000)
    compared = compare_searches_on(load(MATCH), _leaves(run), sample, limits, run)
    return Measured(_figures(compared), [], Comparison(tuple(compared)).tables())


def judged(figures: dict[str, Any]) -> dict[str, bool]:
    """Return which of the inequalities hold; the bounds are those of the thesis' figures with room for other positions."""
    easy, ratios = figures[D], list(figures[G].values())
    return {
        "(a)": bool(figures[A]),
        "(b)": bool(figures[B]) and figures[B1] >= 15 and figures[B2] >= 10,
        "(c)": min(figures[C1]) > 0.65 and min(figures[C2]) > 0.85,
        "(d)": max(easy) <= 0.5 and min(easy) >= 0.05,
        "(e)": 1.2 <= figures[E] <= 2,
        "(f)": all(0.4 <= share <= 0.7 for share in figures[F]),
        "(g)": len(ratios) > 2 and max(ratios[:2]) < ratios[-1] and ratios[-2] < 2 * ratios[-1],
    }


def as_the_thesis(paper: Any, measured: Any) -> Verdict:
    """Judge the whole comparison: at least 300 positions, no two answers that differ, and all inequalities."""
    enough_solved = measured["positions"][SOLVED] >= 300 and measured["different answers"] == 0
    return "match" if enough_solved and all(judged(measured).values()) else "differs"


def as_far_as_it_goes(paper: Any, measured: Any) -> Verdict:
    """Judge a sample: no two answers that differ, all positions solved by proof numbers, and fewer nodes than alpha-beta."""
    return "match" if measured["different answers"] == 0 and measured[A] and measured[B1] > 2 else "differs"


# --- the player -------------------------------------------------------------------------------------------------------


def matches(run: Run) -> dict[str, Any]:
    """Play the player against its copy without a veto, from random openings, each side once; count points and bad moves."""
    game, leaves = load(MATCH), _leaves(run)
    own = Run(threads=1, memory=run.memory)
    chance = random.Random(SEED)
    players = [SearchingPlayer(game, leaves, 300, veto, SEED, own) for veto in (50_000, 0)]
    points, vetoes, bad = [0.0, 0.0], 0, 0
    for number in range(MATCHES):
        if number % 2 == 0:
            opening = _random_opening(game, chance)
        state, mover, plies = opening, number % 2, 0
        while (legal := game.moves(state)) and plies < 200:
            move = players[mover].choose(state)
            dropped = players[mover].dropped
            vetoes += bool(dropped)
            bad += move in dropped and len(dropped) < len(legal)
            state, mover, plies = game.play(state, move), 1 - mover, plies + 1
        result = game.terminal(state)
        if result == UNDECIDED:
            result = game.call("repetition", state)
        points[mover] += (1 + result) / 2
        points[1 - mover] += (1 - result) / 2
        run.progress("games", number + 1, MATCHES)
    return {"points": points, "moves dropped": vetoes, "moves played that were proved to lose": bad}


def _random_opening(game: Game, chance: random.Random) -> list[int]:
    state = game.start()
    for _ in range(RANDOM_PLIES):
        state = game.play(state, chance.choice(game.moves(state)))
    return state


def beats_its_copy(paper: Any, measured: Any) -> Verdict:
    """Judge the player: more points than its copy, and no move that it had proved to lose where there was another."""
    wins = measured["points"][0] > measured["points"][1] and measured["moves played that were proved to lose"] == 0
    return "match" if wins else "differs"


_THESIS: Final[dict[str, Any]] = {
    "positions": {OVER: 2, KNOWN: 496, UNSOLVED: 764, SOLVED: 337}, "different answers": 0,
    A: True, B: True, B1: 128.8, B2: 68.0, C1: [0.851, 0.857], C2: [0.964, 0.964], D: [0.136, 0.361, 0.243, 0.26],
    E: 1.5, F: [0.51, 0.45], G: "grows",
}  # fmt: skip

ROWS = [
    Row(
        "AW-1", "awari: rules, by the positions that the thesis prints", "Allis 1994, section 2.4.1",
        {
            "figure 2.7": ["A1", "C4x2", "D19x7", "E4", "F2x4"], "figure 2.8, after B1 f1": [1],
            "figure 2.8, forced after E1 f1": ["F1"], "figure 2.8, back after 12 plies": True, "stones": [48],
        },
        rules,
    ),
    Row(
        "AW-2", "awari: numbers of positions by stones", "Allis 1994, section 2.4.2",
        {
            "up to 13 stones": 5_200_300, "up to 16 stones": 30_421_755, "up to 17 stones": 51_895_935,
            "rank and unrank are inverse": True,
        },
        numbers,
    ),
    Row(
        "AW-3", "awari: databases of up to 13 stones", "Allis 1994, section 2.4.2",
        {
            "faults": 0, "1 stones: wins, draws": [0.4167, 0.0], "2 stones: wins, draws": [0.3205, 0.1667],
            "3 stones: wins, draws": [0.3379, 0.1731], "5 stones: wins, draws": [0.4957, 0.0],
            "8 stones: wins, draws": [0.4997, 0.1105], "10 stones: wins, draws": [0.4472, 0.2658],
            "12 stones: wins, draws": [0.5284, 0.1464], "13 stones: wins, draws": [0.5468, 0.1251],
        },
        databases,
        note="the thesis gives the sizes; the shares come from another program, by plain sweeps. Every entry is compared with "
        "the best over its successors",
    ),
    Row(
        "AW-5", "awari: answers of the four searches, compared with a larger database", "Allis 1994, section 2.4.3",
        {"wrong answers": dict.fromkeys(NAMES, 0)}, answers, no_wrong_answer,
        note="positions with 9 to 13 stones, searched with 8 at the leaves; also row AW-4",
    ),
    Row(
        "AW-6", "awari: the test set, played again", "Allis 1994, section 2.4.4",
        {"games": 22, "positions": 1_599}, same_positions, enough,
        note="the thesis does not print its positions; these are others, from games of a program against itself",
    ),
    Row(
        "AW-7", "awari: four searches compared, on a sample", "Allis 1994, section 2.4.4",
        _THESIS, four_searches_on_a_sample, as_far_as_it_goes,
        note="a match: proof numbers solve all, no two answers differ, and alpha-beta takes more than twice the nodes",
    ),
    Row(
        "E-AWARI", "awari: four searches compared", "Allis 1994, section 2.4.4",
        _THESIS, four_searches, as_the_thesis,
        note="other positions; 13 stones at the leaves, not 17; alpha-beta ends at 20 million nodes, not 250. A match: "
        "(b) factors of at least 15 and 10; (c) more than 65% and 85%; (d) each search is best on 5% to 50%; (e) 1.2 to 2; "
        "(f) 0.4 to 0.7; (g) growing",
        long=True,
    ),
    Row(
        "AW-8", "awari: a player with a veto by proof numbers against its copy without", "Allis 1994, section 2.4.2",
        {"moves played that were proved to lose": 0}, matches, beats_its_copy,
        note="40 games from 20 random openings; 300 nodes a move, 50,000 for the veto; a match: more points, and no move that "
        "was proved to lose",
    ),
]  # fmt: skip
