"""Superpuzz: the paper's example, the points of a layout, dead ends that are, and what a search leaves out."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadMove, BadState
from searchbench.game import Game
from searchbench.reproduce import berliner
from searchbench.reproduce.experiment import SIZES, deals
from searchbench.run import Run
from searchbench.solvers.guided import contract, search_state

FIGURE_1A = """
        0   1   2   3   4   5
    W   S3  H2  D2  D4  --  D5
    X   --  C4  H3  C5  C1  --
    Y   D3  S1  D1  S4  S5  --
    Z   C2  C3  H4  H1  S2  H5
"""
PRINTED = """
    C2 S1(Z) D4 D3 D4 C1(Y) C2 D1(X) C3 S2 H2 S4 C4 D2 S5 C5 H4 S3 D1(W) H1(X) S4 D2 H2 S5 D3 D4 D5 H5
"""
OVERLOOKED = "C1 D2 D4 -- H2 / D1 -- D3 C3 H3 / H1 C4 C2 -- H4"
"""A layout that can be solved, and that the procedure of figure 2 rejects."""

State = tuple[int, ...]


def test_the_papers_line_wins() -> None:
    game = load("superpuzz:4x6")
    position = game.position(FIGURE_1A)
    assert position == game.position("start")
    for move in PRINTED.split():
        position = position.play(move)
    assert game.terminal(position.state) == 0
    assert position.text.startswith("D1 D2 D3 D4 D5 -- / H1")
    with pytest.raises(BadMove):  # figure 1A: no card can be moved to Y5
        game.position(FIGURE_1A).play("S3")


@pytest.mark.long
def test_the_papers_line_is_as_short_as_any() -> None:
    game = load("superpuzz:4x6")
    line = search_state(game, None, "astar", Run(memory=1 << 30, threads=1))
    assert (line.cost, line.optimal, line.verify()) == (len(PRINTED.split()), True, [])


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("C1 C2 -- / D1 C1 --", "C1 lies twice, at W0 and X1"),
        ("-- C2 -- / D1 D2 --", "C1 is missing, and there are 3 holes in place of 2"),
        ("C1 C2 -- / D1 D3 --", "X1: 'D3' is no card of this deck, which has C1 to C2, D1 to D2"),
        ("C1 C2 -- / D1 --", "5 cells: expected 2 rows of 3"),
        ("C1 C2 -- / H1 H2 --", "X0: 'H1' is no card"),
    ],
)
def test_a_wrong_deck_is_refused(layout: str, message: str) -> None:
    with pytest.raises(BadState, match=message):
        load("superpuzz:2x3").read(layout)


# --- points -------------------------------------------------------------------------------------------------------------


def misplaced_twin(game: Game, state: State) -> int:
    """Count misplaced cards by the two rules of the paper, on names of cards."""
    size: int = game.parameters["columns"]
    names = game.pieces(state)
    rows = [names[start : start + size] for start in range(0, len(names), size)]
    frozen = all(row[0].endswith("1") for row in rows)
    total = 0
    for row in rows:
        home = [card[0] for column, card in enumerate(row) if card != "--" and int(card[1:]) == column + 1]
        right = row[0][0] if frozen else max(home, key=home.count, default="")
        total += home.count(right)
    return len(names) - names.count("--") - total


def goodness_twin(game: Game, state: State) -> float:
    """Give points by the rules of the paper; a layout with an ace at the left of each row comes before all others."""
    size: int = game.parameters["columns"]
    names = game.pieces(state)
    misplaced = misplaced_twin(game, state)
    points = float(len(names) - names.count("--") - misplaced)
    for place, card in enumerate(names):
        column = place % size
        if card != "--":
            points -= int(card[1:]) if column < int(card[1:]) - 1 else 0
            points += int(card[1:]) / 2 if column == int(card[1:]) else 0
        elif not any(move % len(names) == place for move in game.moves(state)):
            points -= min(11, misplaced)
    return points + 500 * all(card.endswith("1") for card in names[::size])


@pytest.mark.parametrize("size", ["2x3", "3x4", "4x6", "4x8"])
def test_points_of_a_layout(size: str) -> None:
    game, chance = load(f"superpuzz:{size}"), random.Random(7)
    for _ in range(30):
        state = game.start()
        chance.shuffle(state)
        for _ in range(12):
            assert game.call("h", state, None) == misplaced_twin(game, tuple(state))
            assert game.call("goodness", state, None) == 2 * goodness_twin(game, tuple(state))
            moves = game.moves(state)
            if not moves:
                break
            state = game.play(state, chance.choice(moves))


# --- dead ends ------------------------------------------------------------------------------------------------------------


def frozen_layouts(game: Game) -> list[State]:
    """Return every layout with the aces in their order at the left edge."""
    columns, ranks = game.parameters["columns"], game.parameters["columns"] - 1
    rows: int = game.parameters["rows"]
    others = [card for card in range(rows * ranks) if card % ranks] + [rows * ranks] * rows
    found = []
    for order in arrangements(others):
        cells = iter(order)
        found.append(tuple(next(cells) if column else row * ranks for row in range(rows) for column in range(columns)))
    return found


def arrangements(cards: list[int]) -> set[tuple[int, ...]]:
    """Return all orders of cards of which some are alike."""
    if not cards:
        return {()}
    return {(card, *rest) for card in set(cards) for rest in arrangements(_without(cards, card))}


def _without(cards: list[int], card: int) -> list[int]:
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]


def solvable_of(game: Game, layouts: list[State]) -> set[State]:
    """Return those of all frozen layouts that can be solved, by going back from the solved one."""
    back: dict[State, list[State]] = defaultdict(list)
    for state in layouts:
        for move in game.moves(state):
            back[tuple(game.play(state, move))].append(state)
    queue = [state for state in layouts if game.terminal(state) == 0]
    found = set(queue)
    while queue:
        for state in back[queue.pop()]:
            if state not in found:
                found.add(state)
                queue.append(state)
    return found


@pytest.mark.parametrize(
    ("size", "use", "share"),
    [
        ("2x4", "", 0.95),
        ("3x3", "", 1.0),
        ("2x5", "", 0.8),
        ("3x4", "", 0.93),
        ("2x4", "pairs", 1.0),
        ("2x5", "pairs", 0.99),
        ("3x4", "pairs", 1.0),
    ],
)
def test_dead_ends_of_small_decks(size: str, use: str, share: float) -> None:
    """Every layout with the aces in order at the left edge: none that can be solved is dead, and most others are."""
    game = load(f"superpuzz:{size}")
    layouts = frozen_layouts(game)
    solvable = solvable_of(game, layouts)
    find = jit.bind(contract.dead, game.names().with_(**game.enhancements().get(use, {})))
    dead = {state for state in layouts if find(np.array(state, game.dtype), ())}
    assert layouts
    assert 0 < len(solvable) < len(layouts)
    assert not dead & solvable
    assert len(dead) >= share * (len(layouts) - len(solvable))


@pytest.mark.parametrize("size", ["3x5", "4x6", "4x8"])
def test_pairs_that_never_meet_are_found(size: str) -> None:
    """The same dead ends as by sets of pairs, on layouts in which random play froze the aces."""
    game = load(f"superpuzz:{size}")
    names = game.names(target="interpreted").with_(**game.enhancements()["pairs"])
    quick, found = jit.bind(contract.dead, game.names(target="interpreted")), set()
    for state in berliner.frozen_layouts(game, random.Random(f"pairs {size}"), 12):
        pairs = naive.pairs_that_can_meet(game, tuple(state))
        rows = [game.pieces(state)[row][0] for row in range(0, game.width, game.parameters["columns"])]
        home = [
            (f"{suit}{rank}", row * game.parameters["columns"] + rank - 1)
            for row, suit in enumerate(rows)
            for rank in range(1, game.parameters["columns"])
        ]
        never = any(frozenset((one, other)) not in pairs for one in home for other in home)
        assert jit.bind(contract.dead, names)(list(state), None) == never
        assert never or not quick(list(state), None)
        found.add(never)
    assert found == {False, True}


def test_figure_2_overlooks_that_a_card_can_step_aside() -> None:
    game = load("superpuzz:3x5")
    state = game.read(OVERLOOKED)
    line = search_state(game, state, "astar", Run(memory=1 << 30, threads=1), target="interpreted")
    assert line.verify() == []
    assert not game.call("dead", list(state), None)
    names = game.names(target="interpreted").with_(**game.enhancements()["figure-2"])
    assert jit.bind(contract.dead, names)(list(state), None)


def test_the_deals_are_those_that_their_origin_says() -> None:
    for size in SIZES:
        game, chance = load(f"superpuzz:{size}"), random.Random(f"superpuzz {size}")
        for state in deals(size):
            cards = [*range(game.parameters["rows"] * (game.parameters["columns"] - 1)), *[max(state)] * 4]
            chance.shuffle(cards)
            assert list(state) == cards
