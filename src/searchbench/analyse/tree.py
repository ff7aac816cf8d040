"""Decision trees over the attributes of states, by the algorithm ID3 (Quinlan 1983; Gasser 1995, section 5.7).

At each node the attribute is asked that tells most about the class, until all states are of one class or nothing tells them
apart. Descriptions that occur more than once are one row with a count, so whole databases are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from searchbench.analyse.description import Described, describe, describe_state
from searchbench.drawing import Branch, tree_svg
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.run import Run
from searchbench.store import Database


@dataclass(frozen=True)
class Node:
    """Ask an attribute ("": a leaf), and hold the nodes for its values and how many states of each class come here."""

    counts: Mapping[str, int]
    attribute: str = ""
    branches: Mapping[int, Node] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the class that most of the states have."""
        return max(self.counts, key=lambda name: self.counts[name])

    @property
    def wrong(self) -> int:
        """Return how many states of a leaf are of another class than its label."""
        return 0 if self.branches else sum(self.counts.values()) - self.counts[self.label]

    def nodes(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for branch in self.branches.values():
            yield from branch.nodes()

    @property
    def depth(self) -> int:
        """Return how many attributes are asked at most."""
        return 1 + max(branch.depth for branch in self.branches.values()) if self.branches else 0

    def as_dict(self) -> dict[str, Any]:
        """Return the node and all below it for JSON."""
        found: dict[str, Any] = {"class": self.label, "counts": dict(self.counts)}
        if self.branches:
            found["attribute"] = self.attribute
            found["branches"] = {str(value): branch.as_dict() for value, branch in self.branches.items()}
        return found


@dataclass(frozen=True)
class DecisionTree:
    """Hold the tree of some states of a game, and its origin."""

    game: Game
    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    root: Node

    @property
    def states(self) -> int:
        """Return how many states the tree was made of."""
        return sum(self.root.counts.values())

    @property
    def leaves(self) -> int:
        """Return how many leaves there are."""
        return sum(not node.branches for node in self.root.nodes())

    @property
    def wrong(self) -> int:
        """Return how many of the states the tree puts into another class than theirs."""
        return sum(node.wrong for node in self.root.nodes())

    def classify(self, what: Any = None) -> str:
        """Return the class of a state, given as `Game.position` takes it, as far down as its attributes are known."""
        described = describe_state(self.game, self.game.position(what).state)
        node = self.root
        while node.branches and described[node.attribute] in node.branches:
            node = node.branches[described[node.attribute]]
        return node.label

    def text(self) -> str:
        """Return the tree as indented text."""
        return "\n".join(_lines(self.root, ""))

    def svg(self, style: bool = True) -> str:
        """Return a drawing of the tree."""
        return tree_svg(_drawn(self.root), f"{self.game}: {', '.join(self.classes)}", style)

    def _repr_svg_(self) -> str:
        """Return the drawing for a notebook."""
        return self.svg()

    def as_dict(self) -> dict[str, Any]:
        """Return the tree for JSON."""
        return {
            "game": self.game.spec, "attributes": list(self.attributes), "classes": list(self.classes),
            "states": self.states, "leaves": self.leaves, "depth": self.root.depth, "wrong": self.wrong,
            "tree": self.root.as_dict(),
        }  # fmt: skip


def decision_tree(
    database: Database,
    wanted: str | None = None,
    part: str | None = None,
    sample: int | None = None,
    depth: int | None = None,
    run: Run | None = None,
) -> DecisionTree:
    """Return the tree that tells the classes of a database's states apart by the attributes of its game.

    The classes are win, draw and loss, or the values of a puzzle; with `wanted`, that class and "other". Without `part` and
    `sample` all states are taken. A tree of no more than `depth` attributes on the way to a leaf makes mistakes, and tells how
    many. Raises BadRequest for a game without attributes.
    """
    if depth is not None and depth < 0:
        raise BadRequest(f"a tree of depth {depth}: expected 0 or more")
    described = describe(database, wanted, part, sample, run)
    if not len(described.rows):
        raise BadRequest(f"{database!r}: there are no states to make a tree of")
    root = _grow(described, np.arange(len(described.rows)), -1 if depth is None else depth)
    return DecisionTree(database.game, described.attributes, described.classes, root)


def _grow(described: Described, rows: Any, depth: int) -> Node:
    totals = described.counts[rows].sum(axis=0)
    counts = {name: int(n) for name, n in zip(described.classes, totals, strict=True) if n}
    if len(counts) == 1 or depth == 0:
        return Node(counts)
    attribute = _most_telling(described, rows)
    if attribute < 0:
        return Node(counts)
    column = described.rows[rows, attribute]
    branches = {int(value): _grow(described, rows[column == value], depth - 1) for value in np.unique(column)}
    return Node(counts, described.attributes[attribute], branches)


def _most_telling(described: Described, rows: Any) -> int:
    """Return the attribute that leaves the least entropy of the classes, the first of equals; -1 if none divides the rows."""
    best, least = -1, np.inf
    for attribute in range(len(described.attributes)):
        values, place = np.unique(described.rows[rows, attribute], return_inverse=True)
        if len(values) > 1:
            counts = np.zeros((len(values), len(described.classes)))
            np.add.at(counts, place.reshape(-1), described.counts[rows])
            left = _entropy(counts)
            if left < least - 1e-9:
                best, least = attribute, left
    return best


def _entropy(counts: Any) -> float:
    """Return the bits that the classes of all states still take when it is known which row of counts each is in."""
    totals = counts.sum(axis=1, keepdims=True)
    return float(-(counts * np.log2(np.where(counts > 0, counts, totals) / totals)).sum())


def _lines(node: Node, indent: str) -> Iterator[str]:
    if not node.branches:
        yield f"{indent}{_leaf_text(node)}"
        return
    for value, branch in node.branches.items():
        if branch.branches:
            yield f"{indent}{node.attribute} = {value}"
            yield from _lines(branch, indent + "  ")
        else:
            yield f"{indent}{node.attribute} = {value}: {_leaf_text(branch)}"


def _leaf_text(node: Node) -> str:
    total = sum(node.counts.values())
    return f"{node.label} ({total:,}{f', {node.wrong:,} of them not' if node.wrong else ''})"


def _drawn(node: Node) -> Branch:
    if not node.branches:
        kind = node.label if node.label in {"win", "draw", "loss"} else "number"
        return Branch(_leaf_text(node), kind, ())
    return Branch(node.attribute, "", tuple((str(value), _drawn(branch)) for value, branch in node.branches.items()))
