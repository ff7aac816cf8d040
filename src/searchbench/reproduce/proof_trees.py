"""Rows on proof numbers by their definitions, on and/or trees (Allis 1994, section 2.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.reproduce.row import Row
from searchbench.run import Run
from searchbench.solvers.proof.path import NEVER
from searchbench.solvers.proof.tree import (
    CHILD,
    DISPROOF,
    INFINITE,
    KEEP_SOLVED,
    NONE,
    NOTES,
    PROOF,
    SIBLING,
    Numbers,
    Tree,
    add,
    most_proving_child,
    new_tree,
    plant,
    set_numbers,
)  # fmt: skip

FIGURES: Final = {
    "2.1": "A=OR{B,C,D} B=AND{E,F} C=OR{G,H} D=AND{I,J} G=AND{K,L} H=AND{M,N} J=AND{O,P} K=true O=false",
    "2.3": "A=OR{B,C} B=AND{D,E} C=AND{F,G,H,I} D=OR{J,K,L} E=OR{M,N} M=AND{O,P,Q} N=AND{R,S}",
}
"""The trees of the figures; nodes without a value or children are frontier nodes."""
TREES: Final = 200
"""Random trees of each row."""


class AndOr(NamedTuple):
    """A node of an and/or tree: its name, whether it is an OR node, its value if it is a leaf with one, its children."""

    name: str
    either: bool
    value: bool | None
    children: tuple[AndOr, ...]


def figure(text: str) -> AndOr:
    """Read the tree of a figure."""
    told = dict(word.split("=") for word in text.split())

    def node(name: str) -> AndOr:
        kind, _, names = told.get(name, "").partition("{")
        value = {"true": True, "false": False}.get(kind)
        return AndOr(name, kind == "OR", value, tuple(map(node, filter(None, names.rstrip("}").split(",")))))

    return node(next(iter(told)))


def random_and_or(chance: random.Random, depth: int, either: bool = True, name: str = "0") -> AndOr:
    """Return a random tree whose levels alternate; about a third of its leaves have a value."""
    if depth == 0 or (depth < 3 and chance.random() < 0.3):
        return AndOr(name, either, chance.choice([None, None, None, None, True, False]), ())
    below = [random_and_or(chance, depth - 1, not either, f"{name}.{place}") for place in range(chance.randrange(1, 4))]
    return AndOr(name, either, None, tuple(below))


class Kept(NamedTuple):
    """The tree of proof-number search that holds an and/or tree: the numbers of its nodes by name, its most-proving node."""

    numbers: dict[str, list[float]]
    most_proving: str


def kept(top: AndOr) -> Kept:
    """Put an and/or tree into the tree of the search, level by level, and let that set its numbers.

    The levels of the search alternate; so between two nodes of one kind there is a node with a single child.
    """
    names = load("tic-tac-toe").names(target="interpreted").with_(**{KEEP_SOLVED.name: True})
    adding, setting, choosing = (jit.bind(one, names) for one in (add, set_numbers, most_proving_child))
    tree, note = new_tree(1 << 10), np.zeros(NOTES, np.int64)
    jit.bind(plant, names)(tree, note)
    places: dict[int, tuple[AndOr, bool]] = {}

    def fill(node: int, shown: AndOr, either: bool) -> None:
        places[node] = shown, either
        below = shown.children
        if below and shown.either != either:  # a node with one child: this one again, at the next level
            below = (shown,)
        last = NONE
        for child in below:
            known = child.value if not child.children else None
            mover = known if known is None or not either else not known
            numbers = Numbers(*{None: (1, 1), True: (0, INFINITE), False: (INFINITE, 0)}[mover], NEVER)
            added = adding(tree, 0, numbers, note)
            if last == NONE:
                tree.node[node, CHILD] = added
            else:
                tree.node[last, SIBLING] = added
            last = added
            fill(added, child, not either)
        if below:
            setting(tree, node, note)

    fill(0, top, True)
    found = {}
    for node, (shown, either) in places.items():
        pair = [
            math.inf if number == INFINITE else int(number) for number in tree.node[node, [PROOF, DISPROOF]].tolist()
        ]
        found[shown.name] = pair if either else pair[::-1]
    return Kept(found, places[_leaf(tree, choosing)][0].name)


def _leaf(tree: Tree, choosing: Callable[[Tree, int], int]) -> int:
    node = 0
    while tree.node[node, CHILD] != NONE and 0 not in tree.node[node, [PROOF, DISPROOF]]:
        node = int(choosing(tree, node))
    return node


def figures(_: Run) -> dict[str, Any]:
    """Return the numbers of the inner nodes of the figures, and their most-proving nodes."""
    found: dict[str, Any] = {}
    for name, text in FIGURES.items():
        numbers, leaf = kept(figure(text))
        inner = {word[0]: numbers[word[0]] for word in text.split() if word[2] in "AO"}
        found[name] = {
            **{node: [None if number == math.inf else number for number in pair] for node, pair in inner.items()},
            "most proving": leaf,
        }
    return found


def leaves(node: AndOr) -> Iterator[str]:
    """Yield the names of the frontier nodes."""
    if not node.children and node.value is None:
        yield node.name
    for child in node.children:
        yield from leaves(child)


def value(node: AndOr, chosen: dict[str, bool]) -> bool | None:
    """Return the value of a tree in which some frontier nodes have got a value."""
    if not node.children:
        return chosen.get(node.name, node.value)
    below = [value(child, chosen) for child in node.children]
    decides = node.either
    return decides if decides in below else None if None in below else not decides


def smallest_sets(top: AndOr, wanted: bool) -> list[frozenset[str]]:
    """Return the smallest sets of frontier nodes which, all of this value, give it to the tree."""
    names = list(leaves(top))
    sets = [
        frozenset(name for name, taken in zip(names, chosen, strict=True) if taken)
        for chosen in product((False, True), repeat=len(names))
        if value(top, {name: wanted for name, taken in zip(names, chosen, strict=True) if taken}) == wanted
    ]
    least = min(map(len, sets), default=0)
    return [one for one in sets if len(one) == least]


def _random_trees(seed: str, most: int) -> Iterator[AndOr]:
    """Yield random trees that are not solved, with up to so many frontier nodes."""
    number = found = 0
    while found < TREES:
        top = random_and_or(random.Random(f"{seed} {number}"), 4)
        number += 1
        if 1 < len(list(leaves(top))) <= most and value(top, {}) is None:
            found += 1
            yield top


def with_value(node: AndOr, name: str, told: bool) -> AndOr:
    """Return the tree in which a frontier node has a value."""
    if node.name == name:
        return node._replace(value=told)
    return node._replace(children=tuple(with_value(child, name, told) for child in node.children))


def most_proving_nodes(_: Run) -> dict[str, int]:
    """Count trees whose number does not fall by one where the most-proving node gets a value (definition 2.5)."""
    wrong = 0
    for top in _random_trees("most proving", 40):
        proof, disproof = kept(top).numbers["0"]
        leaf = kept(top).most_proving
        after = [kept(with_value(top, leaf, told)).numbers["0"] for told in (True, False)]
        wrong += after[0][0] != proof - 1 or after[1][1] != disproof - 1
    return {"trees": TREES, "wrong": wrong}


def smallest_proof_sets(_: Run) -> dict[str, int]:
    """Compare proof and disproof numbers with the smallest sets; each smallest proof set meets each disproof set."""
    wrong = apart = 0
    for top in _random_trees("sets", 10):
        proofs, disproofs = smallest_sets(top, True), smallest_sets(top, False)
        wrong += kept(top).numbers["0"] != [len(proofs[0]), len(disproofs[0])]
        apart += sum(not one & other for one in proofs for other in disproofs)
    return {"trees": TREES, "wrong numbers": wrong, "pairs of sets without a common node": apart}


def graph(text: str) -> Any:
    """Return a game of two players on the graph of a text, such as "0>1 0>2 1=-1 2=1"."""
    return load(f"graph:{';'.join(text.split())},values=outcome")


def random_game(seed: str, depth: int, ends: Sequence[int] = (-1, 1), widest: int = 3) -> Any:
    """Return a game whose positions are a random tree: the root has three moves, others up to `widest`."""
    chance = random.Random(seed)
    words: list[str] = []
    level, count = [0], 1
    for left in range(depth, 0, -1):
        below: list[int] = []
        for node in level:
            ways = 3 if left == depth else chance.randrange(widest + 1)
            if ways == 0:
                words.append(f"{node}={chance.choice(ends)}")
            for _ in range(ways):
                words.append(f"{node}>{count}")
                below.append(count)
                count += 1
        level = below
    return graph(" ".join([*words, *(f"{node}={chance.choice(ends)}" for node in level)]))


def minimax(game: Any, node: int = 0) -> int:
    """Return the outcome of a node of a game without cycles."""
    result = game.digraph.results.get(node)
    if result is not None:
        return int(result)
    return max((-minimax(game, int(game.play([node], move)[0])) for move in game.moves([node])), default=0)


SOURCE: Final = "Allis 1994, section 2.2"
ROWS = [
    Row(
        "PN-1", "proof and disproof numbers of figures 2.1 to 2.3", SOURCE,
        {
            "2.1": {
                "A": [1, 3], "B": [2, 1], "C": [1, 2], "D": [None, 0], "G": [1, 1], "H": [2, 1], "J": [None, 0],
                "most proving": "L",
            },
            "2.3": {
                "A": [3, 3], "B": [3, 2], "C": [4, 1], "D": [1, 3], "E": [2, 2], "M": [3, 1], "N": [2, 1],
                "most proving": "R",
            },
        },
        figures, note="none stands for infinite; S in figure 2.3 is as good as R, which is further left",
    ),
    Row(
        "PN-3", "a value of the most-proving node makes one number smaller by one", SOURCE,
        {"trees": TREES, "wrong": 0}, most_proving_nodes,
    ),
    Row(
        "PN-4", "proof numbers are the sizes of the smallest proof sets, which all meet", SOURCE,
        {"trees": TREES, "wrong numbers": 0, "pairs of sets without a common node": 0}, smallest_proof_sets,
    ),
]  # fmt: skip
