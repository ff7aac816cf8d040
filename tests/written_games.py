"""Random tiny games, each written as a Python file of a user's, with a naive solver of their graphs."""

from __future__ import annotations

import itertools
import logging
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench.game import Game
from searchbench.rules import UNDECIDED

Edge = tuple[int, int, int, int]
"""From a node, to a node, at a cost, with a gain."""


@dataclass(frozen=True)
class Written:
    """Hold the graph of a game, and how its file is written.

    `cells` are those of each node's state, `numbers` its number, -1 for none. `image` is each node's image under the symmetry
    (its own inverse; empty for none), `stands` the node that stands for each. `absent` nodes have a number and are no positions.
    `turns` maps each node to a number in the other game of the file `other` (-1: none), in which the game may go on.
    """

    cells: tuple[tuple[int, ...], ...]
    edges: tuple[Edge, ...]
    results: tuple[int, ...]
    numbers: tuple[int, ...]
    values: str = "outcome"
    start: int = 0
    image: tuple[int, ...] = ()
    stands: tuple[int, ...] = ()
    absent: tuple[int, ...] = ()
    cuts: tuple[int, ...] = ()
    """The first numbers of the parts but the first."""
    index: str = "object"  # "object", "at" (behind another cell's index), "rules" (rank and unrank), "none"
    data: bool = False
    unmoves: bool = True
    told: bool = False
    """Whether the rules count moves, tell conversions, and how many symmetries leave a state as it is."""
    factor: int = 1
    """What a move's number is a multiple of."""
    negative: bool = False
    """Whether the moves are negative numbers: that of the last edge is -1 times the factor, of the one before it -2 times."""
    dtype: str = "int16"
    locality: int | None = None
    repetition: tuple[int, ...] = ()
    own_rule: bool = False
    turns: tuple[int, ...] = ()
    other: str = ""
    bounds: tuple[int, ...] = ()
    """A lower bound of each node's distance; empty for none."""
    consistent: bool = False
    extra: str = ""
    """More lines of ``rules()``, before its end; `names` are the functions among them."""
    names: tuple[str, ...] = ()
    tables: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """More tables of numbers, which the lines of `extra` read."""
    class_lines: str = ""

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return max(self.numbers) + 1

    def representative(self, node: int) -> int:
        """Return the node that stands for a node's class."""
        return self.stands[node] if self.stands else node

    def parts(self) -> list[tuple[int, int, list[str]]]:
        """Return the parts: first number, first number behind, names of the parts that its moves lead to."""
        ends = [0, *self.cuts, self.size]
        spans = list(itertools.pairwise(ends))
        needs: list[dict[str, None]] = [{} for _ in spans]

        def home(node: int) -> int | None:
            number = self.numbers[self.representative(node)]
            return next((k for k, (a, b) in enumerate(spans) if a <= number < b), None)

        for a, b, _, _ in self.edges:
            here, there = home(a), home(b)
            if here is not None and there is not None:
                needs[here][f"p{there}"] = None
        return [(a, b, list(needs[k])) for k, (a, b) in enumerate(spans)]

    def positions(self) -> dict[int, int]:
        """Return the node of each number that is a position's: it stands for its class."""
        return {
            self.numbers[node]: node
            for node in range(len(self.cells))
            if self.numbers[node] >= 0 and node not in self.absent and self.representative(node) == node
        }

    def text(self, node: int) -> str:
        """Return a node's state as the game writes it."""
        return " ".join(map(str, self.cells[node]))

    def node(self, state: Sequence[int]) -> int:
        """Return the node of a state."""
        return self.cells.index(tuple(map(int, state)))

    def groups(self) -> dict[int, int]:
        """Return the group of parts of each node with a number: parts that need each other are one."""
        parts = self.parts()
        reach = {k: {k} for k in range(len(parts))}
        for _ in parts:
            for k, (_, _, needs) in enumerate(parts):
                reach[k] |= {n for need in needs for n in reach[int(need[1:])]}
        home = {k: min(n for n in reach[k] if k in reach[n]) for k in reach}
        numbers = {n: self.numbers[self.representative(n)] for n in range(len(self.cells))}
        return {
            node: home[k] for node, number in numbers.items() for k, (a, b, _) in enumerate(parts) if a <= number < b
        }

    def move(self, place: int) -> int:
        """Return the move along the edge at a place: ``move // factor`` is the place, or counts from the end of the edges."""
        return (place - len(self.edges) * self.negative) * self.factor

    def leaving(self, node: int) -> list[tuple[int, Edge]]:
        """Return a node's moves with their edges."""
        return [(self.move(place), edge) for place, edge in enumerate(self.edges) if edge[0] == node]


OWN_RULE = """\
class Own(distance.Distance):
    name = "own"
    def decode(self, code):
        found = super().decode(code)
        return None if found is None else 3 * found
    def encode(self, value):
        return super().encode(None if value is None else value // 3)
    def preference(self, value, weight):
        return (1, 0) if value is None else (0, value + 3 * weight)
""".splitlines()


def source(game: Written, name: str) -> str:
    """Return the text of a game's file."""
    nodes = range(len(game.cells))
    by_number = {number: node for node, number in enumerate(game.numbers) if number >= 0}
    lows = [min(cells[k] for cells in game.cells) for k in range(len(game.cells[0]))]
    highs = [max(cells[k] for cells in game.cells) for k in range(len(game.cells[0]))]
    strides = [1]
    for low, high in zip(lows[:-1], highs[:-1], strict=True):
        strides.append(strides[-1] * (high - low + 1))
    room = strides[-1] * (highs[-1] - lows[-1] + 1)
    lookup = [-1] * room
    for node in nodes:
        lookup[sum((c - low) * s for c, low, s in zip(game.cells[node], lows, strides, strict=True))] = node
    order = {True: sorted(range(len(game.edges)), key=lambda e: game.edges[e][0]),
             False: sorted(range(len(game.edges)), key=lambda e: game.edges[e][1])}  # fmt: skip

    def begins(end: int) -> list[int]:
        return [sum(edge[end] < node for edge in game.edges) for node in range(len(game.cells) + 1)]

    tables = {
        "lookup": lookup, "lows": lows, "strides": strides, "results": list(game.results), "numbers": list(game.numbers),
        "nodes": [by_number.get(number, 0) for number in range(game.size)] or [0],
        "cells": [list(cells) for cells in game.cells], "ends": [list(edge[:2]) for edge in game.edges] or [[0, 0]],
        "costs": [edge[2] for edge in game.edges] or [1], "gains": [edge[3] for edge in game.edges] or [0],
        "forth": order[True] or [0], "forth_at": begins(0), "back": order[False] or [0], "back_at": begins(1),
        "absent": [node in game.absent for node in nodes], "stands": [game.representative(node) for node in nodes],
        "image": list(game.image or nodes), "endless": list(game.repetition or [0]),
        "turns": list(game.turns or [0]), "away": _away(game), "bounds": list(game.bounds or [0]),
    }  # fmt: skip
    tables |= {key: list(table) for key, table in game.tables}
    degree = max([1, *(tables["forth_at"][n + 1] - tables["forth_at"][n] for n in nodes)])
    backward = max([1, *(tables["back_at"][n + 1] - tables["back_at"][n] for n in nodes)])
    kinds = {"absent": "np.bool_"}
    arrays = ", ".join(f"np.array({table!r}, {kinds.get(key, 'np.int64')})" for key, table in tables.items())
    arg = ", data" if game.data else ""
    more = "data." if game.data else ""
    numbered = game.index in ("object", "at", "rules")
    width = len(game.cells[0])
    at = width if game.index == "at" else 0
    lines = [
        "from dataclasses import dataclass", "from typing import NamedTuple", "import numpy as np",
        "import searchbench as sb", "from searchbench import NOWHERE, UNDECIDED",
        "from searchbench.values import distance", "", "class Tables(NamedTuple):",
        *(f"    {key}: np.ndarray" for key in tables), "",
        f"TABLES = Tables({arrays})", *(f"{key} = TABLES.{key}" for key in tables), "",
        *(OWN_RULE if game.own_rule else ()),
        "@dataclass(frozen=True)", "class Numbering:", "    offset: int = 0", "    @property", "    def size(self):",
        f"        return {game.size}", "    @property", "    def width(self):", f"        return {width}",
        "    def functions(self, at=0):", "        def rank(state):", "            key = 0",
        f"            for cell in range({width}):", "                key += (state[at + cell] - lows[cell]) * strides[cell]",
        f"            if key < 0 or key >= {room} or lookup[key] < 0:", "                return NOWHERE",
        "            return numbers[lookup[key]]", "        def unrank(number, state):",
        f"            for cell in range({width}):", "                state[at + cell] = cells[nodes[number], cell]",
        "        return rank, unrank", "",
        "@dataclass(frozen=True)", "class Tiny(sb.Game):", f"    name = {name!r}", f"    dtype = np.{game.dtype}",
        "    values = Own()" if game.own_rule else f"    values = {game.values!r}",
        f"    closed = {not any(n < 0 for n in game.numbers) if numbered else True}",
        f"    consistent = {game.consistent}",
        *(["    locality = " + str(game.locality)] if game.locality is not None else []),
        *(["    symmetries = 2"] if game.image else []),
        "    @property", "    def width(self):", f"        return {width + (1 if at else 0)}",
        "    @property", "    def max_moves(self):", f"        return {degree}",
        "    @property", "    def max_unmoves(self):", f"        return {backward}",
    ]  # fmt: skip
    shift = 1 if at else 0
    if numbered:
        if game.index == "object":
            lines += ["    def index(self):", "        return Numbering()"]
        if game.index == "at":
            lines += ["    def index(self):", "        return sb.index.Product(sb.index.Radix((1,)), Numbering())"]
        lines += ["    def parts(self):", "        return ["]
        lines += [
            f"            sb.Part('p{k}', {a}, {b}, {tuple(needs)!r})," for k, (a, b, needs) in enumerate(game.parts())
        ]
        lines += ["        ]"]
    if game.data:
        lines += ["    def data(self):", "        return TABLES"]
    if game.other:
        lines += [
            "    def rank_in(self, other):", f"        if other.name != {game.other!r}:", "            return None",
            f"        def number(state, scratch{arg}):", f"            there = {more}turns[node_of(state{arg})]",
            "            return there if there >= 0 else NOWHERE", "        return number",
        ]  # fmt: skip
    lines += ["    def rules(self):", *_rules(game, arg, more, width, shift)]
    return "\n".join([*lines, game.class_lines, ""])


def _away(game: Written) -> list[int]:
    """Return which edges lead to another group of parts, or to a state without a number."""
    groups = game.groups() if game.index != "none" else {}
    return [groups.get(a) != groups.get(b) or b not in groups for a, b, _, _ in game.edges] or [0]


def _rules(game: Written, arg: str, more: str, width: int, shift: int) -> list[str]:
    """Return the lines of ``rules()``, and of `node_of` above the class, which all rules call."""
    factor, first = game.factor, game.move(0)
    given = ["start", "terminal", "moves", "play", "unplay"]
    lines = [
        f"def start(state{arg}):", f"    write(state, {game.start}{arg})",
        f"def terminal(state{arg}):", f"    return {more}results[node_of(state{arg})]",
        f"def moves(state, out{arg}):", f"    return listed({more}forth, {more}forth_at, node_of(state{arg}), out)",
        f"def play(state, move{arg}):", f"    write(state, {more}ends[move // {factor}, 1]{arg})",
        f"def unplay(state, move{arg}):", f"    write(state, {more}ends[move // {factor}, 0]{arg})",
    ]  # fmt: skip
    if game.unmoves:
        given.append("unmoves")
        lines += [
            f"def unmoves(state, out{arg}):",
            f"    return listed({more}back, {more}back_at, node_of(state{arg}), out)",
        ]
    if any(edge[2] != 1 for edge in game.edges):
        given.append("cost")
        lines += [f"def cost(state, move{arg}):", f"    return {more}costs[move // {factor}]"]
    if game.values == "score":
        given.append("gain")
        lines += [f"def gain(state, move{arg}):", f"    return {more}gains[move // {factor}]"]
    if game.absent:
        given.append("legal")
        lines += [f"def legal(state{arg}):", f"    return not {more}absent[node_of(state{arg})]"]
    if game.image:
        given += ["canonical", "image_under"]
        lines += [
            f"def canonical(state{arg}):", f"    write(state, {more}stands[node_of(state{arg})]{arg})",
            f"def image_under(state, symmetry{arg}):", "    if symmetry == 1:",
            f"        write(state, {more}image[node_of(state{arg})]{arg})",
        ]  # fmt: skip
        if game.told:
            given.append("stabilizer")
            lines += [
                f"def stabilizer(state{arg}):", f"    node = node_of(state{arg})",
                f"    return 2 if {more}image[node] == node else 1",
            ]  # fmt: skip
    if game.told:
        given.append("mobility")
        lines += [
            f"def mobility(state, out{arg}):", f"    node = node_of(state{arg})",
            f"    return {more}forth_at[node + 1] - {more}forth_at[node]",
        ]  # fmt: skip
    if game.told and game.index != "none":
        given.append("conversions")
        lines += [
            f"def conversions(state, out{arg}):", f"    node = node_of(state{arg})", "    count = 0",
            f"    for place in range({more}forth_at[node], {more}forth_at[node + 1]):",
            f"        if {more}away[{more}forth[place]]:", f"            out[count] = {more}forth[place] * {factor} + {first}",
            "            count += 1", "    return count",
        ]  # fmt: skip
    if game.repetition:
        given.append("repetition")
        lines += [f"def repetition(state{arg}):", f"    return {more}endless[node_of(state{arg})]"]
    if game.bounds:
        given.append("h")
        lines += [f"def h(state, tables{arg}):", f"    return {more}bounds[node_of(state{arg})]"]
    if game.index == "rules":
        given += ["rank", "unrank"]
        lines += [
            f"def rank(state{arg}):", f"    return {more}numbers[node_of(state{arg})]",
            f"def unrank(number, state{arg}):", f"    write(state, {more}nodes[number]{arg})",
        ]  # fmt: skip
    lines += game.extra.replace("DATA", arg).replace("MORE", more).replace("FACTOR", str(factor)).splitlines()
    given += game.names
    lines += [f"return {{{', '.join(f'{one!r}: {one}' for one in given)}}}"]
    shared = [
        f"def node_of(state{arg}):", "    key = 0", f"    for cell in range({width}):",
        f"        key += (state[{shift} + cell] - {more}lows[cell]) * {more}strides[cell]", f"    return {more}lookup[key]",
        f"def write(state, node{arg}):", f"    for cell in range({width}):",
        f"        state[{shift} + cell] = {more}cells[node, cell]",
        "def listed(order, at, node, out):", "    count = 0", "    for place in range(at[node], at[node + 1]):",
        f"        out[count] = order[place] * {factor} + {first}", "        count += 1", "    return count",
    ]  # fmt: skip
    return ["        pass", *(f"        {line}" for line in lines), "", *shared]


def load(game: Written, folder: Path, name: str = "tiny") -> Game:
    """Write a game's file and load the game as a user does."""
    path = folder / f"{name}.py"
    path.write_text(source(game, name))
    return sb.load(f"{path}:Tiny")


# --- naive values -----------------------------------------------------------------------------------------------------


def right_values(game: Written) -> dict[int, Any]:
    """Return the value of each node: cost or None, (outcome, plies), or points."""
    if game.values == "distance":
        return dict(enumerate(distances(game)))
    if game.values == "score":
        return _points(game)
    return _outcomes(game)


def distances(game: Written) -> list[int | None]:
    """Return the least cost from each node to a solved one: again and again over all edges until nothing changes."""
    found: list[int | None] = [0 if result == 0 else None for result in game.results]
    changed = True
    while changed:
        changed = False
        for a, b, cost, _ in game.edges:
            after = found[b]
            if game.results[a] == UNDECIDED and after is not None:
                before = found[a]
                if before is None or after + cost < before:
                    found[a], changed = after + cost, True
    return found


def _outcomes(game: Written) -> dict[int, Any]:
    """Return (outcome, plies): round d decides what is decided in d plies."""
    found: dict[int, Any] = {n: ((r > 0) - (r < 0), 0) for n, r in enumerate(game.results) if r != UNDECIDED}
    for depth in range(1, 2 * len(game.results) + 2):
        new = {}
        for node in range(len(game.results)):
            if node in found:
                continue
            after = [found.get(edge[1]) for edge in game.edges if edge[0] == node]
            if any(one is not None and one[0] < 0 for one in after):
                new[node] = (1, depth)
            elif after and all(one is not None and one[0] > 0 for one in after):
                new[node] = (-1, depth)
        found |= new
    return {node: found.get(node, (0, 0)) for node in range(len(game.results))}


def _points(game: Written) -> dict[int, Any]:
    """Return the points still to be gained, in a game without cycles."""
    found: dict[int, Any] = {n: r for n, r in enumerate(game.results) if r != UNDECIDED}

    def value(node: int) -> int:
        if node not in found:
            found[node] = max((e[3] - value(e[1]) for e in game.edges if e[0] == node), default=0)
        return int(found[node])

    return {node: value(node) for node in range(len(game.results))}


# --- drawing ----------------------------------------------------------------------------------------------------------

ENDS = {"distance": (0, 0, -1), "outcome": (-1, -1, 0, 1), "score": (-3, 0, 2)}


def drawn(
    chance: random.Random, values: str | None = None, largest: int = 14, indexes: Sequence[str] = ("object", "at", "rules")
) -> Written:  # fmt: skip
    """Draw a game: any feature beside any other."""
    values = values or chance.choice(("distance", "outcome", "outcome", "score"))
    half = chance.randint(1, largest)
    symmetric = values != "score" and chance.random() < 0.4
    image = list(range(half))
    if symmetric:
        for one, other in zip(*[iter(chance.sample(range(half), half - half % 2))] * 2, strict=True):
            if chance.random() < 0.7:
                image[one], image[other] = other, one
    symmetric = symmetric and image != list(range(half))
    pairs, near = [], chance.random() < 0.5
    for _ in range(chance.choice((1, 2, 3)) * half):
        a = chance.randrange(half)
        pairs.append(
            (a, max(0, a - chance.randint(1, 3)) if near and chance.random() < 0.85 else chance.randrange(half))
        )
    if values == "score":
        pairs = [(max(p), min(p)) for p in pairs if p[0] != p[1]]
    if symmetric:
        pairs += [(image[a], image[b]) for a, b in pairs]
    both = chance.random() < 0.3 and values == "distance"
    if both:
        pairs += [(b, a) for a, b in pairs]
    share = chance.choice((0.05, 0.2, 0.5))
    results = [chance.choice(ENDS[values]) if chance.random() < share else UNDECIDED for _ in range(half)]
    results = [results[min(n, image[n])] for n in range(half)]
    if values != "distance":
        pairs = [(a, b) for a, b in pairs if results[a] == UNDECIDED]
    if values == "score":
        going = {a for a, _ in pairs}
        results = [0 if r == UNDECIDED and n not in going else r for n, r in enumerate(results)]
    if symmetric or chance.random() < 0.5:
        pairs = sorted(set(pairs))
    chance.shuffle(pairs)
    unit = symmetric or both or values != "distance" or chance.random() < 0.4
    edges = tuple((a, b, 1 if unit else chance.randint(1, 9), chance.randint(0, 4) if values == "score" else 0)
                  for a, b in pairs)  # fmt: skip
    nodes, absent = half, ()
    if chance.random() < 0.4:
        holes = chance.randint(1, 4)
        absent = tuple(range(half, half + holes))
        nodes += holes
        results += [UNDECIDED] * holes
        image += absent
    stands = [chance.choice((n, image[n])) if n < image[n] else n for n in range(nodes)]
    stands = [stands[min(n, image[n])] for n in range(nodes)]
    index = chance.choice(tuple(indexes))
    order = list(range(nodes))
    chance.shuffle(order)
    numbers = [0] * nodes
    for number, node in enumerate(order):
        numbers[node] = number
    if values == "outcome" and index != "none" and chance.random() < 0.25:
        out = [n for n in range(half) if results[n] != UNDECIDED and results[n] == -1]
        gone = {n for n in out if chance.random() < 0.7}
        gone |= {image[n] for n in gone}
        kept = [node for node in order if node not in gone]
        if any(node < half for node in kept):
            numbers = [kept.index(node) if node in kept else -1 for node in range(nodes)]
    size = max(numbers) + 1
    cuts = tuple(sorted(chance.sample(range(1, size), min(size - 1, chance.choice((0, 0, 1, 3))))))
    game = Written(
        cells=_cells(chance, nodes), edges=edges, results=tuple(results), numbers=tuple(numbers), values=values,
        start=0, image=tuple(image) if symmetric else (), stands=tuple(stands) if symmetric else (), absent=absent,
        cuts=cuts, index=index, data=chance.random() < 0.4, unmoves=chance.random() < 0.75, told=chance.random() < 0.3,
        factor=chance.choice((1, 1, 1, 5, 1 << 20)), dtype=chance.choice(("int8", "int16", "int64")),
        locality=1 if both and not symmetric else None, own_rule=values == "distance" and chance.random() < 0.2,
        negative=chance.random() < 0.3,
    )  # fmt: skip
    return replace(game, start=chance.choice(sorted(game.positions().values())))


def _cells(chance: random.Random, nodes: int) -> tuple[tuple[int, ...], ...]:
    """Draw a state for each node: one to three cells, some negative."""
    width = chance.randint(1, 3)
    low = chance.choice((0, 0, -2))
    high = low + (nodes + 3 if width == 1 else 7)
    found: set[tuple[int, ...]] = set()
    while len(found) < nodes:
        found.add(tuple(chance.randint(low, high) for _ in range(width)))
    listed = list(found)
    chance.shuffle(listed)
    return tuple(listed)


def restricted(game: Written, kept: Iterable[int], chance: random.Random) -> tuple[Written, list[int]]:
    """Return the game on some of the nodes, which no move leaves, with other cells and numbers, and the number of each node."""
    nodes = sorted(kept)
    place = {node: k for k, node in enumerate(nodes)}
    edges = [(place[a], place[b], c, g) for a, b, c, g in game.edges if a in place]
    chance.shuffle(edges)
    order = list(range(len(nodes)))
    chance.shuffle(order)
    symmetric = bool(game.image) and chance.random() < 0.5
    image = tuple(place[game.image[node]] for node in nodes) if symmetric else ()
    stands = [chance.choice((n, m)) if n < m else n for n, m in enumerate(image)]
    stands = [stands[min(n, m)] for n, m in enumerate(image)]
    size = len(nodes)
    cuts = tuple(sorted(chance.sample(range(1, size), min(size - 1, chance.choice((0, 0, 1))))))
    other = replace(
        game, cells=_cells(chance, size), edges=tuple(edges), results=tuple(game.results[n] for n in nodes),
        numbers=tuple(order), start=0, image=image, stands=tuple(stands), absent=(), cuts=cuts,
        index=chance.choice(("object", "at", "rules")), unmoves=chance.random() < 0.75, locality=None,
    )  # fmt: skip
    there = [-1] * len(game.cells)
    for node in nodes:
        there[node] = other.numbers[other.representative(place[node])]
    return replace(other, start=min(other.positions().values())), there


def by_hand(areas: Mapping[str, Callable[[int, Counter[str]], Iterable[str]]]) -> None:
    """Run one of some areas, as the command line tells: ``AREA SEED COUNT``; print at most three faults of a seed, and counts."""
    logging.disable(logging.WARNING)
    if len(sys.argv) != 4 or sys.argv[1] not in areas:
        sys.exit(f"expected AREA SEED COUNT; the areas are {', '.join(areas)}")
    area, told = areas[sys.argv[1]], Counter[str]()
    begin, count = map(int, sys.argv[2:])
    for seed in range(begin, begin + count):
        try:
            for fault in list(area(seed, told))[:3]:
                told["wrong"] += 1
                print("seed", seed, fault, flush=True)
        except Exception:  # which is a finding, too; the other seeds are still to be run
            told["raised"] += 1
            print("seed", seed, traceback.format_exc()[-1800:], flush=True)
    for word, times in told.most_common():
        print(times, word)
