"""Configurations are the one source of options: keywords, the command line, and texts of `compare` say the same."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

import searchbench as sb
from front_program import Program
from searchbench.analyse.compare import contestant
from searchbench.configuration import configured, options_of
from searchbench.errors import BadRequest
from searchbench.heuristics import heuristic
from searchbench.run import Limits, Run
from searchbench.solvers.guided import METHODS, search_state

STATE = "8 7 6 0 4 1 2 5 3"
VALUES: dict[str, list[Any]] = {
    "h": ["linear-conflict"], "order": ["bound", "moves", "priority"], "entries": [9, 100000], "table": ["33KB"],
    "replacement": ["always", "two-level"], "automaton": [2, 4], "step": [0, 2, 3], "restarts": [50], "impatience": [0, 2],
    "seed": [3], "weight": [0.5, 1, 1.8], "by": ["goodness", "h"], "use": ["none"], "without": ["dead,cuts", "macros"],
}  # fmt: skip


def drawn(chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Draw a method and some options, which it may not take, or not together."""
    names = chance.sample(sorted(VALUES), chance.choice([0, 1, 1, 2, 2, 3]))
    return chance.choice(sorted(METHODS)), {name: chance.choice(VALUES[name]) for name in names}


def test_every_option_has_values_here() -> None:
    assert set(VALUES) == {name for one in METHODS.values() for name in options_of(one)}


def outcome(search: Any) -> Any:
    """Return what a search comes to, or what it refuses."""
    try:
        line = search()
    except sb.SearchBenchError as error:
        return type(error), str(error) if isinstance(error, BadRequest) else getattr(error, "nodes", 0)
    return line.moves, line.nodes, line.optimal


@pytest.mark.parametrize("seed", range(60))
def test_a_name_with_options_a_configuration_and_a_text_are_the_same(seed: int) -> None:
    game = sb.load("sliding:2x3")
    state = "4 5 3 1 2 0"
    method, options = drawn(random.Random(seed))
    limits = Limits(nodes=3000)
    text = " ".join([method, *(f"{name}={value}" for name, value in options.items())])
    bound = {"h": heuristic(game, options["h"])} if "h" in options else {}

    def by_text() -> sb.Line:
        return search_state(
            game, state, contestant(game, text).configuration, Run(threads=1), limits, target="interpreted"
        )

    def by_object() -> sb.Line:
        chosen = configured(METHODS, method, options | bound)
        assert isinstance(chosen, METHODS[method])
        return search_state(game, state, chosen, Run(threads=1), limits, target="interpreted")

    def by_name() -> sb.Line:
        given = options | bound
        return search_state(game, state, method, Run(threads=1), target="interpreted", nodes=3000, **given)

    told = f"seed {seed}: {text}"
    assert outcome(by_name) == outcome(by_object), told
    if not any(
        text.count(word) for word in ("weight=", "seed=")
    ):  # a text has no default, and no number of another kind
        assert outcome(by_text) == outcome(by_name), told


def test_the_convenience_makes_the_configuration() -> None:
    game = sb.load("sliding:2x3")
    state = "4 5 3 1 2 0"
    whole = sb.search(game, state, sb.IDAStar(h="linear-conflict", step=2))
    assert whole.nodes == sb.search(game, state, "idastar", h="linear-conflict", step=2).nodes
    with pytest.raises(BadRequest, match="say it in the configuration, AStar"):
        sb.search(game, state, sb.AStar(), weight=2)
    with pytest.raises(BadRequest, match="a heuristic is an object here"):
        search_state(game, state, sb.AStar(h="linear-conflict"))
    with pytest.raises(BadRequest, match="say it in the limits"):
        search_state(game, state, sb.AStar(), None, sb.Limits(9), nodes=9)
    with pytest.raises(BadRequest, match="must be positive"):
        sb.Limits(seconds=-1)


def test_what_a_method_does_not_take_is_refused_with_who_does() -> None:
    for method, options, message in (
        ("idastar", {"weight": 2}, "weight 2: idastar takes none; astar and bestfirst do"),
        ("astar", {"step": 2}, "step 2: astar takes none; idastar does"),
        ("astar", {"speed": 2}, "unknown option 'speed': astar takes h, order"),
        ("dfs", {}, "unknown method 'dfs': there are idastar, astar, bestfirst"),
    ):
        with pytest.raises(BadRequest, match=message):
            configured(METHODS, method, options)
    assert configured(METHODS, "astar", {"step": 0, "table": None}) == sb.AStar()


def test_configurations_are_values() -> None:
    one = sb.IDAStar(use="dead,pairs", table="1MB")
    assert one == dataclasses.replace(sb.IDAStar(table="1MB"), use=("dead", "pairs"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.step = 2  # type: ignore[misc]


def test_every_option_is_one_of_the_command_line(program: Program) -> None:
    told = program("search", "--help").out
    for one in METHODS.values():
        for option in options_of(one).values():
            assert option.flag in told
    line = program("search", "sliding:3x3", STATE, "--method", "idastar", "--step", "2", "--order", "bound", "--json")
    assert line.json["nodes"] == sb.search("sliding:3x3", STATE, sb.IDAStar(step=2, order="bound")).nodes
    assert program("search", "sliding:3x3", STATE, "--method", "idastar", "--step", "-1").code == 30


def test_proofs_have_configurations_too() -> None:
    state = "XX./OO./..."
    for chosen, name in ((sb.ProofNumber(mobility=True), "pns"), (sb.AlphaBeta(), "alphabeta")):
        options = {"mobility": True} if name == "pns" else {}
        proofs = [sb.prove("tic-tac-toe", state, chosen), sb.prove("tic-tac-toe", state, name, **options)]
        assert [(one.value, one.method, one.nodes) for one in proofs] == [("win", name, proofs[0].nodes)] * 2
    with pytest.raises(BadRequest, match="mobility True: alphabeta takes none; pns does"):
        sb.prove("tic-tac-toe", method="alphabeta", mobility=True)
    with pytest.raises(BadRequest, match="say it in the configuration, ProofNumber"):
        sb.prove("tic-tac-toe", method=sb.ProofNumber(), mobility=True)
