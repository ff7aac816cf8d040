"""Search by dependency finds the key classes that an enumeration of all paths finds, each once (Allis 1994, chapter 3)."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

import naive
from searchbench import cli
from searchbench.analyse.double_letter import (
    LETTERS,
    compare_searches,
    depth_first_nodes,
    distinct_theorems,
    double_letter_system,
    neighbours,
    random_axioms,
    theorem,
    triangle,
)
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.games.mnk import MNK
from searchbench.reproduce import ROWS, reproduce
from searchbench.rules import UNDECIDED
from searchbench.solvers.dependency import (
    Attack,
    Operator,
    System,
    enumerate_classes,
    explicit_system,
    forced_sequence,
    search_by_dependency,
    search_paths,
)


def replacing(goal: bool) -> System:
    """Return the system of section 3.1: ten digits become ten letters, and those, perhaps, the goal."""
    rules = [Operator(f"r{i}", frozenset({(i, "digit")}), frozenset({i}), frozenset({(i, "digit")})) for i in range(10)]
    word = frozenset(range(10))
    last = [Operator("r10", word, frozenset({"goal"}), word)] if goal else []
    return explicit_system([(i, "digit") for i in range(10)], rules + last, [frozenset({"goal"})])


def random_system(seed: int) -> System:
    """Return a system of a few operators, of which each adds attributes of its own or, at times, those of another."""
    draw = random.Random(seed)
    size = draw.randint(2, 6)
    names = [f"i{number}" for number in range(3)] + [f"n{number}" for number in range(size)]
    operators = []
    for number in range(size):
        needs = draw.sample(names[: 3 + number], draw.randint(0, min(3, 2 + number)))
        deletes = [one for one in needs if draw.random() < 0.4]
        adds = [f"n{number}"] if draw.random() < 0.85 else [draw.choice(names[3:])]
        operators.append(Operator(f"f{number}", frozenset(needs), frozenset(adds), frozenset(deletes)))
    return explicit_system(names[:3], operators, [frozenset({draw.choice(names[3:])})])


def trees(axiom: str) -> tuple[int, int]:
    """Count derivation trees and pairs of adjacent ones, by the recurrence over spans: dependency and combination nodes."""
    size = len(axiom)
    count: Counter[tuple[int, int, str]] = Counter({(i, i, letter): 1 for i, letter in enumerate(axiom)})
    pairs = 0
    for length in range(2, size + 1):
        for i in range(size - length + 1):
            j = i + length - 1
            for cut in range(i, j):
                for letter in LETTERS:
                    both = count[i, cut, letter] * count[cut + 1, j, letter]
                    pairs += both * (i < cut and cut + 1 < j)
                    for after in neighbours(letter):
                        count[i, j, after] += both
    return sum(many for (i, j, _), many in count.items() if i < j), pairs


def test_independent_rules_cost_a_node_each() -> None:
    assert len(search_by_dependency(replacing(goal=False)).nodes) == 11
    assert search_paths(replacing(goal=False), transpositions=True).nodes == 1024
    found = search_by_dependency(replacing(goal=True), together=10)
    assert found.counts["root"] + found.counts["dependency"] == 12
    assert found.verify() == [] and len(found.solutions) == 1  # noqa: PT018
    assert search_paths(replacing(goal=True), transpositions=True).nodes == 1025


@pytest.mark.parametrize(("axiom", "figures"), [("aacc", (17, 11, 7)), ("aaccadd", (179, 41, 13))])
def test_paths_classes_and_key_classes(axiom: str, figures: tuple[int, int, int]) -> None:
    system = double_letter_system(axiom)
    found = enumerate_classes(system)
    assert (found.paths, len(found.classes), len(found.keys)) == figures
    assert found.redundant == 0 and system.singular  # noqa: PT018
    assert search_paths(system).nodes == found.paths


def test_the_graph_of_figure_3_4() -> None:
    found = search_by_dependency(double_letter_system("aaccadd"))
    assert found.counts == {"root": 1, "dependency": 12, "combination": 2}
    levels = [(node.level, theorem(node.state)) for node in found.nodes if node.kind != "root"]
    first = ["eccadd", "bccadd", "aabadd", "aadadd", "aaccac", "aaccae", "bbadd"]
    second = ["aadd", "cadd", "bdd", "edd", "ee"]
    expected = [(1, one) for one in first] + [(2, one) for one in second] + [(3, "a"), (3, "d")]
    assert sorted(levels) == sorted(expected)
    assert sorted(theorem(node.state) for node in found.solutions) == ["a", "d"]


def test_the_hardest_axiom_takes_3934_nodes() -> None:
    axiom = "dbdeabbaacccddaeecda"
    assert trees(axiom) == (3494, 439)
    found = search_by_dependency(double_letter_system(axiom))
    assert found.counts == {"root": 1, "dependency": 3494, "combination": 439}
    assert found.complete and not found.solutions  # noqa: PT018


def test_figure_a_1() -> None:
    rows = [" ".join(entry or "-" for entry in row) for row in triangle("aabdcbbdcaa")]
    assert rows[:4] == [
        "a be ac - - - bd ce bd - abce",
        "a - - - - - - - - -",
        "b - - - - - - - -",
        "d - - ce - ce - ad",
    ]
    assert rows[4:] == ["c - bd ce bd - ac", "b ac - - - -", "b - - - -", "d - - -", "c - -", "a be", "a"]


@pytest.mark.parametrize("seed", range(60))
def test_random_axioms_agree_with_triangle_the_recurrence_and_plain_search(seed: int) -> None:
    draw = random.Random(seed)
    axiom = "".join(draw.choices(LETTERS, k=draw.randint(1, 11)))
    system = double_letter_system(axiom)
    found = search_by_dependency(system)
    assert (found.counts["dependency"], found.counts["combination"]) == trees(axiom), axiom
    solved = {theorem(node.state) for node in found.solutions}
    assert solved == set(triangle(axiom)[0][-1]), axiom
    assert found.verify() == []
    plain = search_paths(system, transpositions=True, nodes=20_000)
    assert not plain.complete or {theorem(state) for state in plain.solved} == solved, axiom


@pytest.mark.parametrize("seed", range(300))
def test_random_systems_have_each_key_class_once(seed: int) -> None:
    system = random_system(seed)
    without_goal = System(system.initial, system.operators)
    found = search_by_dependency(without_goal, together=8)
    made = Counter(node.operators for node in found.nodes if node.kind != "combination")
    narrowed = search_by_dependency(System(system.initial, system.operators, meet=system.meet), together=8)
    assert [node.path for node in narrowed.nodes] == [node.path for node in found.nodes], seed
    assert made == Counter(enumerate_classes(without_goal).keys), seed
    assert bool(search_by_dependency(system, together=8).solutions) == bool(search_paths(system).solved), seed


def test_four_results_are_combined() -> None:
    makers = [Operator(f"m{i}", frozenset({i}), frozenset({f"part {i}"}), frozenset({i})) for i in range(4)]
    parts = frozenset(f"part {i}" for i in range(4))
    system = explicit_system(range(4), [*makers, Operator("join", parts, frozenset({"all"}))], [frozenset({"all"})])
    found = search_by_dependency(system, together=4)
    assert [len(node.path) for node in found.solutions] == [5]
    assert found.counts["root"] + found.counts["dependency"] == len(enumerate_classes(system).keys) == 6
    assert not search_by_dependency(system, together=3).solutions


def test_limits_and_wrong_operators_are_told() -> None:
    system = double_letter_system("aaccadd")
    assert len(search_by_dependency(system, nodes=5).nodes) == 5
    assert not search_by_dependency(system, levels=1).complete
    assert len(search_by_dependency(system, first=True).solutions) == 1
    with pytest.raises(BadRequest, match="add it to the precondition"):
        Operator("wrong", frozenset(), frozenset(), frozenset({1}))
    with pytest.raises(BadRequest, match="letters a to e"):
        double_letter_system("xyz")


def joining_system(seed: int) -> tuple[list[str], list[Operator]]:
    """Return makers of parts, some of which share what they need, and operators that need up to four parts."""
    draw = random.Random(seed)
    initial = [f"i{number}" for number in range(4)]
    operators = []
    for number in range(4):
        needs = frozenset(draw.sample(initial, draw.randint(0, 2)))
        deletes = frozenset(one for one in sorted(needs) if draw.random() < 0.2)
        operators.append(Operator(f"m{number}", needs, frozenset({f"p{number}"}), deletes))
    for number in range(2):
        needs = frozenset(draw.sample([f"p{part}" for part in range(4)], draw.randint(2, 4)))
        deletes = frozenset(one for one in sorted(needs) if draw.random() < 0.3)
        operators.append(Operator(f"j{number}", needs, frozenset({f"q{number}"}), deletes))
    return initial, operators


@pytest.mark.parametrize("seed", range(80))
def test_up_to_four_nodes_are_combined_as_brute_force_says(seed: int) -> None:
    initial, operators = joining_system(seed)
    found = search_by_dependency(explicit_system(initial, operators), together=4)
    made = Counter(node.operators for node in found.nodes if node.kind != "combination")
    assert made == Counter(naive.key_classes(frozenset(initial), operators)), seed


@pytest.mark.parametrize("seed", range(30))
def test_depth_first_nodes_are_counted_without_a_search(seed: int) -> None:
    axiom = "".join(random.Random(seed).choices(LETTERS, k=1 + seed % 12))
    found = search_paths(double_letter_system(axiom), nodes=20_000)
    assert found.nodes == min(depth_first_nodes(axiom), 20_001), axiom
    assert depth_first_nodes(axiom, 50) == min(depth_first_nodes(axiom), 50), axiom
    states = search_paths(double_letter_system(axiom), transpositions=True)
    assert states.nodes >= distinct_theorems(axiom) >= distinct_theorems(axiom, 9), (
        axiom
    )  # a string may stem from several


def test_the_game_is_the_puzzle() -> None:
    """Breadth-first search by the rules of the game meets the theorems, and solves the axioms that the triangle solves."""
    for axiom in random_axioms((6, 9), 10, 5):
        game = load(f"double-letter:{axiom}")
        seen = {axiom}
        lot = [axiom]
        while lot:
            state = game.parse(lot.pop())
            for move in game.moves(state):
                after = game.format(game.play(state, move))
                if after not in seen:
                    seen.add(after)
                    lot.append(after)
        assert len(seen) == distinct_theorems(axiom), axiom
        assert {one for one in seen if len(one) == 1} == set(triangle(axiom)[0][-1]), axiom


def test_searches_are_compared_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["analyse", "double-letter", "aaccadd", "ab", "--svg", str(tmp_path / "means.svg")])
    said = capsys.readouterr().out
    assert (
        "aaccadd becomes a or d; nodes: depth first 179, depth first, a table 41, by dependency 15, triangle 28" in said
    )
    assert "ab cannot be solved" in said
    assert (tmp_path / "means.svg").read_text().count("<polyline") == 4
    cli.run(["analyse", "double-letter", "--random", "3", "--longest", "6", "--json"])
    told = json.loads(capsys.readouterr().out)
    found = compare_searches(random_axioms(range(1, 7), 3))
    assert told["means"]["dependency"] == [round(found.mean("dependency", length), 1) for length in range(1, 7)]
    assert len(told["axioms"]) == 18 and told["stopped"] == [0, 0]  # noqa: PT018
    with pytest.raises(BadRequest, match="name strings of the letters a to e"):
        compare_searches([])


def test_a_goal_of_two_attributes_is_not_singular() -> None:
    one, two = (Operator(name, frozenset({name}), frozenset({name * 2})) for name in "ab")
    system = explicit_system("ab", [one, two], [frozenset({"aa", "bb"})])
    assert not system.singular
    assert search_paths(system).solved and not search_by_dependency(system).solutions  # noqa: PT018
    assert system.monotonous([one, two]) and not system.monotonous([one, one])  # noqa: PT018
    early = explicit_system("ab", [one, two], [frozenset({"aa"})])
    assert enumerate_classes(early).redundant == 1  # "aa" and then "bb"


@pytest.mark.parametrize("name", ["DB-1", "DB-2", "DB-3", "DB-5", "DB-6", "DB-8"])
def test_the_rows_agree_with_the_paper(name: str) -> None:
    assert reproduce(ROWS[name]).verdict == "match"


def replayed(game: Game, state: list[int], sequence: list[Attack]) -> bool:
    """Tell whether a sequence wins by the rules: every other answer than the one given loses at once."""
    player = 1 + sum(map(bool, state)) % 2
    for attack in sequence:
        if naive.wins_at_once(game, tuple(state)):
            return True
        state = game.play(state, 2 * attack.cell + player - 1)
        losing = [naive.wins_at_once(game, tuple(game.play(state, reply))) for reply in game.moves(state)]
        ended = [game.terminal(game.play(state, reply)) != UNDECIDED for reply in game.moves(state)]
        if any(ended) or losing.count(False) > (attack.answer is not None):
            return False
        if attack.answer is None:
            return True
        state = game.play(state, 2 * attack.answer + 2 - player)
    return False


@pytest.mark.parametrize(("game", "count"), [(MNK(4, 4, 4), 60), (MNK(4, 4, 3), 30), (MNK(5, 4, 4), 25)])
def test_forced_sequences_by_dependency_are_those_of_the_twin(game: MNK, count: int) -> None:
    draw = random.Random(11)
    found = 0
    while count:
        state = game.start()
        for _ in range(draw.randrange(3, game.width - 4)):
            if game.moves(state):
                state = game.play(state, draw.choice(game.moves(state)))
        if not game.moves(state):
            continue
        count -= 1
        attacker = 1 + sum(map(bool, state)) % 2
        sequence = forced_sequence(game.lines.lines, state, attacker, 400, "interpreted")
        assert (sequence is not None) == naive.wins_by_force(game, state, {}), game.format(state)
        if sequence is not None:
            found += 1
            wins_now = len(sequence) == 1 and naive.wins_at_once(game, tuple(state))
            assert wins_now or replayed(game, state, sequence), (game.format(state), sequence)
    assert found >= 4


def test_stones_of_no_player_are_refused() -> None:
    with pytest.raises(BadRequest, match="for each cell 0"):
        forced_sequence(((0, 1, 2),), [0, 3, 0], 1)


@pytest.mark.parametrize("name", ["QB-1", "QB-2", "QB-3"])
def test_the_rows_on_the_board_of_qubic_agree_with_the_paper(name: str) -> None:
    assert reproduce(ROWS[name]).verdict == "match"


def test_what_precedes_a_shared_operator_must_be_in_both_nodes() -> None:
    def step(name: str, needs: str, add: str, delete: str = "") -> Operator:
        return Operator(name, frozenset(needs), frozenset(add), frozenset(delete))

    operators = [
        step("a", "x", "0"), step("b", "xy", "1", "x"), step("c", "", "2"), step("d", "y", "3", "y"),
        step("e", "0123", "q", "13"), step("f", "01", "r"),
    ]  # fmt: skip
    found = search_by_dependency(explicit_system("xy", operators), together=4)
    made = Counter(node.operators for node in found.nodes if node.kind != "combination")
    assert made == Counter(naive.key_classes(frozenset("xy"), operators))
