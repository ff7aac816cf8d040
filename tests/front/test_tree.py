"""Decision trees: against a plain second version, on a whole database, on a sample; how they are shown."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np
import pytest

import searchbench as sb
from front_program import Program
from searchbench.analyse.description import Described, describe, describe_state
from searchbench.analyse.tree import Node, _grow, decision_tree
from searchbench.errors import BadRequest
from searchbench.games.morris import Morris
from searchbench.games.morris.board import MILLS
from searchbench.games.pancake import Pancake
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.rules import State
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database


@pytest.fixture(scope="module")
def database() -> Database:
    """Return the midgame of morris with three men each."""
    return solve_states(Morris(3, 3), run=Run(threads=1))


@pytest.fixture(scope="module")
def folder(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where it is kept."""
    path = tmp_path_factory.mktemp("tree") / "three.db"
    database.save(path)
    return path


# --- the algorithm ----------------------------------------------------------------------------------------------------------


def plain_tree(rows: list[tuple[tuple[int, ...], str]]) -> Any:
    """Return a class, or the attribute that tells most and the trees for its values: ID3, state by state."""
    classes = Counter(label for _, label in rows)
    best: tuple[float, int] | None = None
    for place in range(len(rows[0][0])) if len(classes) > 1 else ():
        groups: dict[int, Counter[str]] = {}
        for row, label in rows:
            groups.setdefault(row[place], Counter())[label] += 1
        if len(groups) > 1:
            left = sum(-n * math.log2(n / group.total()) for group in groups.values() for n in group.values())
            if best is None or left < best[0] - 1e-9:
                best = left, place
    if best is None:
        return dict(classes)
    values = sorted({row[best[1]] for row, _ in rows})
    return best[1], {value: plain_tree([one for one in rows if one[0][best[1]] == value]) for value in values}


def as_plain(node: Node, attributes: tuple[str, ...]) -> Any:
    """Return a tree as the plain version writes it."""
    if not node.branches:
        return dict(node.counts)
    branches = {value: as_plain(branch, attributes) for value, branch in node.branches.items()}
    return attributes.index(node.attribute), branches


def test_trees_are_those_of_the_twin() -> None:
    rng = random.Random(4)
    for _ in range(30):
        width = rng.randrange(1, 5)
        rows = [(tuple(rng.randrange(3) for _ in range(width)), rng.choice("abc")) for _ in range(rng.randrange(1, 60))]
        names, classes = tuple(f"x{place}" for place in range(width)), ("a", "b", "c")
        distinct = sorted({row for row, _ in rows})
        counts = [[sum(one == (row, label) for one in rows) for label in classes] for row in distinct]
        described = Described(names, classes, np.array(distinct), np.array(counts))
        tree = _grow(described, np.arange(len(distinct)), -1)
        assert as_plain(tree, names) == plain_tree(rows)


# --- morris with three men each ---------------------------------------------------------------------------------------------


def test_attributes_are_what_they_are_said_to_be(database: Database) -> None:
    """Work some of them out from sets of points; each is the same for symmetric positions."""
    game, rng = database.game, random.Random(6)
    corners = {point for point in range(24) if point % 2 == 0}
    for _ in range(40):
        state = game.unrank(rng.randrange(database.size))
        men = [{point for point in range(24) if word >> point & 1} for word in state]
        found = describe_state(game, state)
        assert len(found) == 26
        for side, name in ((0, "player"), (1, "opponent")):
            own, other = men[side], men[1 - side]
            closing = {point for mill in MILLS for point in mill if len(set(mill) & own) == 2 and point not in own}
            assert found[f"mill threats ({name})"] == len(closing - other)
            assert found[f"blocked mill threats ({name})"] == len(closing & other)
            assert found[f"closed mills ({name})"] == sum(set(mill) <= own for mill in MILLS)
            assert found[f"corner points ({name})"] == len(own & corners)
            alone = [
                point for point in own if all(set(mill) & (own | other) == {point} for mill in MILLS if point in mill)
            ]
            assert found[f"isolated points ({name})"] == len(alone)
        assert found["empty rings"] == sum(not any(p // 8 == ring for p in men[0] | men[1]) for ring in range(3))
        if found["closed mills (player)"] == 0 and found["mill threats (player)"]:
            assert found["safe threat"] == 1


def test_wins_are_told_from_all_others(database: Database) -> None:
    tree = decision_tree(database, "win")
    assert (tree.states, tree.wrong, tree.classes) == (56922, 0, ("win", "other"))
    rng = random.Random(1)
    for _ in range(60):
        number = rng.randrange(database.size)
        if database.residue(number) != database.illegal:
            position = database.position(number)
            assert (tree.classify(position) == "win") == (database.probe(position).outcome == 1)


@pytest.mark.long
def test_all_classes_at_once_and_small_trees(database: Database) -> None:
    """Only one draw and one loss look alike: the paper has none, but does not say all that we would need to know."""
    tree = decision_tree(database)
    assert (tree.states, tree.wrong) == (56922, 1)
    assert dict(tree.root.counts) == {"win": 47167, "loss": 9659, "draw": 96}
    small = [decision_tree(database, depth=depth) for depth in (0, 1, 3)]
    assert [one.root.depth for one in small] == [0, 1, 3]
    assert small[0].wrong == 56922 - 47167 > small[1].wrong > small[2].wrong > 1


def test_samples_and_bad_requests(database: Database) -> None:
    few = describe(database, sample=500)
    assert 300 < few.counts.sum() <= 500
    assert describe(database, part="3-3", sample=10**9).counts.sum() == 56922
    with pytest.raises(BadRequest, match="no class 'victory'; there are"):
        decision_tree(database, "victory")
    with pytest.raises(BadRequest, match="no part '4-3'"):
        decision_tree(database, part="4-3")
    with pytest.raises(BadRequest, match="expected 0 or more"):
        decision_tree(database, depth=-1)
    with pytest.raises(BadRequest, match="supplies no attributes"):
        decision_tree(solve_states(TicTacToe(), run=Run(threads=1)))


def test_the_command_prints_and_draws(program: Program, folder: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "tree.svg"
    answer = program("analyse", "tree", folder, "--class", "win", "--depth", "2", "--svg", drawing)
    assert answer.code == 0
    assert "safe threat = 1" in answer.out
    assert "56,922 states" in answer.out
    texts = [element.text for element in ElementTree.parse(drawing).getroot().iter() if element.tag.endswith("text")]
    assert "safe threat" in texts
    found = json.loads(program("analyse", "tree", folder, "--class", "win", "--depth", "2", "--json").out)
    leaves = [*leaf_counts(found["tree"])]
    assert sum(leaves) == found["states"] == 56922
    assert len(leaves) == found["leaves"]
    assert program("analyse", "tree", folder, "--class", "lost").code == 30


def leaf_counts(node: dict[str, Any]) -> list[int]:
    """Return how many states come to each leaf."""
    if "branches" not in node:
        return [sum(node["counts"].values())]
    return [count for branch in node["branches"].values() for count in leaf_counts(branch)]


def test_first_mistakes_at_the_terminal(program: Program, folder: Path) -> None:
    """With three men the first player, who wins, first goes wrong where the twin says so."""
    found = json.loads(program("analyse", "mistakes", "morris-opening:3", "--leaves", folder, "--json").out)
    whole = solve_states(opening_of_three(), run=Run(threads=1))
    first = first_mistake(whole)
    assert found["ply"] == first
    for mistake in found["mistakes"][:20]:
        position = whole.game.position(mistake["state"])
        assert whole.probe(position).outcome >= 0
        assert whole.probe(position.play(mistake["move"])).outcome == 1
    assert json.loads(
        program("analyse", "mistakes", "morris-opening:3", "--leaves", folder, "--plies", "2", "--json").out
    )["ply"] == (first if first <= 2 else None)


def test_mistakes_are_found_where_the_leaves_know_every_position(program: Program, tmp_path: Path) -> None:
    """A database of the same game knows all positions after the first move, which go on nevertheless."""
    game = "mnk:3,3,3,symmetry=yes"
    whole = solve_states(sb.load(game), run=Run(threads=1))
    whole.save(tmp_path / "three.db")
    command = ("analyse", "mistakes", game, "--leaves", tmp_path / "three.db", "--limit", "0")
    found = json.loads(program(*command, "--json").out)
    assert (found["ply"], len(found["mistakes"])) == (first_mistake(whole), 7) == (2, 7)
    assert program(*command, "--plies", "1").out == "no move of the first ply loses what was not lost\n"
    assert program(*command).out == "ply 2: 7 moves, up to symmetry, lose what was not lost\n"


def test_a_drawing_that_cannot_be_written_is_refused_first(program: Program, folder: Path, tmp_path: Path) -> None:
    for place, why in (
        (tmp_path / "none" / "tree.svg", f"no drawing can be written there: there is no folder {tmp_path / 'none'}"),
        (tmp_path, "no drawing can be written there: it is a folder"),
        (tmp_path / "tree.png", f"the drawing is SVG: give a name such as {tmp_path / 'tree.svg'}"),
    ):
        answer = program("analyse", "tree", folder, "--depth", "1", "--svg", place)
        assert (answer.code, answer.out, answer.err) == (30, "", f"searchbench: {place}: {why}\n")
    assert "1 leaf, at most 0 attributes to a leaf" in program("analyse", "tree", folder, "--depth", "0").out


def opening_of_three() -> Any:
    """Return the game from the empty board with three men each."""
    from searchbench.games.morris_opening import MorrisOpening

    return MorrisOpening(3)


def first_mistake(whole: Database) -> int:
    """Return the first ply at which a move loses what was not lost, by looking at every position that can come up."""
    layer = {tuple(whole.game.canonical(whole.game.start()))}
    for ply in range(1, 7):
        following = set()
        for state in layer:
            value = whole.probe(state)
            for choice in whole.moves(state):
                if value.outcome >= 0 and choice.value.outcome > 0:
                    return ply
                if choice.value.depth > 0 or choice.value.outcome == 0:
                    following.add(tuple(whole.game.canonical(choice.position.state)))
        layer = following
    return 0


@dataclass(frozen=True)
class Topped(Pancake):
    """Pancakes that tell the one on top."""

    name: ClassVar[str] = "topped"

    def attributes(self) -> dict[str, Any]:
        """Return the pancake on top."""

        def top(state: State) -> int:
            return int(state[0])

        return {"top": top}


def test_a_tree_of_depths_modulo_3_is_refused() -> None:
    whole = sb.solve(Topped(5), solver="bfs", rule="depth", form="values")
    assert sum(describe(whole).counts.sum(axis=1)) == 120
    folded = sb.solve(Topped(5), solver="bfs", rule="depth", form="two-bit")
    with pytest.raises(BadRequest, match="keeps depths modulo 3: a tree of whole ones needs the form 'values'"):
        describe(folded)
