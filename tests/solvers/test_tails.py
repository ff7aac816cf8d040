"""Tails, the codes of the last two digits: the words below each node, and what actions do to them, compared with plain sets."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

import searchbench as sb
from layered import RandomDigits, RandomLines
from searchbench.index.diagram import Diagram
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.moves import in_order
from searchbench.solvers.exhaustive.diagrams.tails import Tails, tail_moves_of, tails_of

GAMES = [
    game
    for game in (
        *map(RandomLines, range(0, 40, 3)),
        *map(RandomDigits, range(24)),
        sb.load("connect4:4,3"),
        sb.load("connect4:2,5"),
    )
    if len(game.digits().digits) > 1
]
WIDE = 64
"""Tails of these games differ by so much where their first codes differ by one."""


def tails_below(diagram: Diagram) -> dict[int, list[int]]:
    """Return the tails below each node of the last digit but one, in order."""
    found = {int(root) for root in diagram.nodes.roots}
    for _ in range(len(diagram.digits.digits) - 2):
        found = {child for node in found for _, child, _ in diagram.edges(node)}
    return {
        node: [WIDE * code + last for code, leaf, _ in diagram.edges(node) for last in diagram.leaf_codes(leaf)]
        for node in found
    }


def place_below(tails: Tails, node: int, tail: int) -> tuple[int, int]:
    """Return the word, counted from the node's first, and the bit of a tail."""
    word, bit = divmod(int(tails.places[tail]), 64)
    return word - int(tails.firsts[node]), bit


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_words_mark_the_members_in_the_order_of_their_numbers(game: sb.Game) -> None:
    diagram = reachable_layers(game, target="interpreted").diagram
    tails, right = tails_of(diagram.nodes, diagram.digits, "interpreted"), tails_below(diagram)
    for node, members in right.items():
        start, stop = tails.starts[node : node + 2].tolist()
        marked = [bin(word).count("1") for word in tails.masks[start:stop].tolist()]
        assert tails.passed[start:stop].tolist() == [sum(marked[:word]) for word in range(len(marked))]
        places = [place_below(tails, node, tail) for tail in members]
        assert places == sorted(set(places))
        assert all(int(tails.masks[start + word]) >> bit & 1 for word, bit in places)
        assert sum(marked) == tails.counts[node] == len(members)
    assert all(tails.starts[node] == tails.starts[node + 1] for node in set(range(len(tails.firsts))) - set(right))
    for (one, members), (other, others) in combinations(right.items(), 2):
        assert not set(members) & set(others) or tails.firsts[one] == tails.firsts[other]
    assert sum(tails.counts[int(root)] for root in diagram.nodes.roots) == diagram.size


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_actions_on_tails_are_those_on_codes(game: sb.Game) -> None:
    diagram = reachable_layers(game, target="interpreted").diagram
    told, row = diagram.digits, len(diagram.digits.digits) - 2
    tails = tails_of(diagram.nodes, told, "interpreted")
    occurring = {tail for members in tails_below(diagram).values() for tail in members}
    for player in range(len(told.actions)):
        moves, actions = tail_moves_of(told, player, tails), in_order(told, player)
        touching = [any(change.digit >= row for change in action) for action in actions]
        assert sorted(moves.still) == [number for number, touches in enumerate(touching) if not touches]
        assert sorted(moves.others) == [number for number, touches in enumerate(touching) if touches]
        for place, number in enumerate(moves.others):
            action = tuple(change for change in actions[number] if change.digit >= row)
            right: dict[int, Any] = {}
            for tail in occurring:
                after = told.after([0] * row + list(divmod(tail, WIDE)), action)
                if after is not None:
                    right[tail] = WIDE * after[row] + after[row + 1]
            word_of = {tail: divmod(int(tails.places[tail]), 64) for tail in occurring}
            able = {t for t, (word, bit) in word_of.items() if int(moves.able[place, word]) >> bit & 1}
            assert able == set(right)
            tail_at = {place: tail for tail, place in word_of.items()}
            led: dict[int, int] = {}
            for word in range(len(tails.classes)):
                entry = place * len(tails.classes) + word
                for number in range(moves.entries[entry], moves.entries[entry + 1]):
                    befores, afters = (bits_of(int(masks[number])) for masks in (moves.befores, moves.afters))
                    target = int(moves.targets[number])
                    pairs = zip(befores, afters, strict=True)
                    led |= {tail_at[word, before]: tail_at[target, after] for before, after in pairs}
            assert led == {tail: after for tail, after in right.items() if after in occurring}


def test_a_class_has_two_words() -> None:
    diagram = reachable_layers(sb.load("connect4:2,5"), target="interpreted").diagram
    tails = tails_of(diagram.nodes, diagram.digits, "interpreted")
    words = (tails.starts[1:] - tails.starts[:-1])[tails.counts > 0]
    assert set(words.tolist()) == {1, 2}


def bits_of(word: int) -> list[int]:
    """Return the places of a word's ones."""
    return [place for place in range(64) if word >> place & 1]
