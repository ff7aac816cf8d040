"""The automaton of moves: it allows one path to each state nearby, and no search with it misses a least cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import naive
from searchbench import jit
from searchbench.analyse.compare import contestant
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.games.sliding import Sliding
from searchbench.line import Line
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import IDAStar, search_state, tree_splitting
from searchbench.solvers.guided.automaton import automaton, usual_automaton

KORF = json.loads((Path(__file__).parents[1] / "golden" / "korf100_15puzzle.json").read_text())["instances"]
FIFTEEN = (1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808)
"""How many boards lie 0, 1, ... 12 moves from the solved one (OEIS A089473)."""


def search(game: Game, state: Any, **options: Any) -> Line:
    """Search on one thread unless told otherwise."""
    return search_state(game, state, "idastar", options.pop("run", None) or Run(threads=1), **options)


def paths(game: Game, depth: int, start: list[int], length: int) -> list[list[list[int]]]:
    """Return the ends of all paths of 0, 1, ... moves that an automaton allows, one for each path."""
    known = automaton(game, depth)
    edge = [(known.first(tuple(game.moves(start))), start)]
    found = [[start]]
    for _ in range(length):
        edge = [
            (int(known.table[at, place]), game.play(state, move))
            for at, state in edge
            for place, move in enumerate(game.moves(state))
            if known.table[at, place] >= 0
        ]
        found.append([state for _, state in edge])
    return found


@pytest.mark.parametrize(
    ("spec", "depth"), [("sliding:3x3", 9), ("sliding:2x4", 7), ("pancake:6", 5), ("top-spin:8", 4), ("pocket-cube", 3)]
)
def test_one_path_leads_to_each_state_nearby(spec: str, depth: int) -> None:
    game = load(spec)
    layers = [{tuple(game.start())}]
    seen = set(layers[0])
    for _ in range(depth):
        ahead = {tuple(game.play(state, move)) for state in layers[-1] for move in game.moves(state)} - seen
        layers.append(ahead)
        seen |= ahead
    found = paths(game, depth, game.start(), depth)
    assert [Counter(map(tuple, ends)) for ends in found] == [Counter(layer) for layer in layers]


def test_the_15_puzzle_up_to_12_moves() -> None:
    game = load("sliding:4x4")
    assert tuple(map(len, paths(game, 12, game.start(), 12))) == FIFTEEN


@pytest.mark.parametrize("spec", ["sliding:2x3", "pancake:5", "top-spin:6", "burnt-pancake:3"])
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_the_shortest_allowed_path_is_a_shortest_path(spec: str, depth: int) -> None:
    """Search breadth-first over (state, state of the automaton): every state has its distance."""
    game = load(spec)
    known = automaton(game, depth)
    start = tuple(game.start())
    edge = {(known.first(tuple(game.moves(start))), start)}
    seen, found, length = set(edge), {}, 0
    while edge:
        for _, state in edge:
            found.setdefault(state, length)
        edge = {
            (int(known.table[at, place]), tuple(game.play(state, move)))
            for at, state in edge
            for place, move in enumerate(game.moves(state))
            if known.table[at, place] >= 0
        } - seen
        seen |= edge
        length += 1
    assert found == naive.depths(game)


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"order": "bound"}, {"table": "1MB"}])
def test_the_same_costs_with_fewer_nodes(options: dict[str, Any]) -> None:
    game = load("sliding:3x3")
    database = solve_states(game, run=Run(memory=64 << 20, threads=1))
    plain = pruned = 0
    for number in range(0, database.size, 1777):
        distance = database.probe(game.unrank(number))
        if distance is None:
            continue
        line = search(game, game.unrank(number), automaton=10, **options)
        assert (line.cost, line.verify()) == (distance, [])
        pruned += line.nodes
        plain += search(game, game.unrank(number), automaton=0, **options).nodes
    assert pruned < (0.9 if "table" in options else 0.8) * plain


@pytest.mark.long
@pytest.mark.parametrize("spec", ["pancake:7", "top-spin:8", "pocket-cube"])
def test_other_games(spec: str) -> None:
    game = load(spec)
    state = game.start()
    for place in (1, 3, 0, 2, 4, 1, 3):
        state = game.play(state, game.moves(state)[place])
    plain, line = search(game, state, automaton=0), search(game, state, automaton=3)
    assert (line.cost, line.verify()) == (plain.cost, [])
    assert line.nodes <= plain.nodes


def test_korf() -> None:
    """The lengths of some instances; half of the nodes and less."""
    game = load("sliding:4x4")
    plain = pruned = 0
    for number in (12, 42, 55, 79, 97):
        board, length = (KORF[number - 1][name] for name in ("tiles", "optimal"))
        text = " ".join(map(str, board))
        line = search(game, text, automaton=12)
        assert (line.cost, line.verify()) == (length, [])
        pruned += line.nodes
        plain += search(game, text, automaton=0).nodes
    assert pruned < 0.65 * plain


def test_threads_and_the_compiler_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchbench.solvers.guided.idastar.LONG", 0)
    monkeypatch.setattr(tree_splitting, "TREES", 20)
    game, state = load("sliding:3x3"), "8 0 6 5 4 7 2 3 1"
    one, two = (search(game, state, automaton=8, run=Run(threads=threads)) for threads in (1, 2))
    assert one.moves == two.moves
    assert one.nodes == search(game, state, automaton=8, target="interpreted").nodes
    three = search(game, state, automaton=8, run=Run(threads=3))
    assert (two.moves, two.nodes) == (three.moves, three.nodes)


def test_what_has_no_automaton_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchbench.solvers.guided.automaton.MOST_SEQUENCES", 1000)
    for spec, depth, message in (
        ("hanoi:4", 3, "does not claim that its moves are rearrangements"),
        ("sliding:3x3", -1, "at least one move"),
        ("pancake:40", 5, "more than 1,000 sequences"),
    ):
        with pytest.raises(BadRequest, match=message):
            search(load(spec), None, automaton=depth)
    with pytest.raises(BadRequest, match="automaton"):
        search_state(load("sliding:3x3"), None, "astar", automaton=3)
    with pytest.raises(BadRequest, match="expected a whole number"):
        contestant(load("sliding:3x3"), "idastar automaton=yes")
    assert contestant(load("sliding:3x3"), "idastar automaton=7").configuration == IDAStar(automaton=7)


# --- the usual one ----------------------------------------------------------------------------------------------------


def has_one(game: Game, state: Any = None, **options: Any) -> bool:
    """Tell whether a search with these options has an automaton that nobody asked for."""
    names = {**game.names(), **IDAStar(**options).switches(game)}
    start = tuple(game.position(state).state)
    return IDAStar(**options).superfluous(game, jit.Names(names), start) is not None


def test_where_an_automaton_is_usual() -> None:
    for spec in ("sliding:4x4", "sliding:3x3", "pancake:8", "top-spin:9"):
        assert has_one(load(spec)), spec
    for spec in ("hanoi:4", "peg-solitaire:english", "rubik", "pancake:60"):  # superfluous pairs are known without one
        assert not has_one(load(spec)), spec
    for options in ({"table": "1MB"}, {"entries": 100}, {"restarts": 50}, {"automaton": 0}):
        assert not has_one(load("sliding:3x3"), **options), options
    for options in ({"order": "bound"}, {"step": 2}, {"without": "cuts"}):
        assert has_one(load("sliding:3x3"), **options), options


@dataclass(frozen=True)
class Guided(Sliding):
    """A 2x3 board with one function more."""

    rows: int = 2
    extra: str = ""

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with that function."""

        def forced_move(state: Any, move: int, tables: Any) -> bool:
            return False

        def cost(state: Any, move: int) -> int:
            return 1 + (state[move & 127] == 5)

        def move_priority(state: Any, move: int, tables: Any) -> int:
            return move & 1

        more = {
            "forced_move": forced_move,
            "relevance_cut": relevance_cut,
            "cost": cost,
            "move_priority": move_priority,
        }
        extra = {"": {}, "ORDER_BY_PRIORITY": {"ORDER_BY_PRIORITY": True, "move_priority": move_priority}}
        return {**super().rules(), **extra.get(self.extra, {self.extra: more.get(self.extra)})}


def relevance_cut(state: Any, previous: int, move: int, tables: Any) -> bool:
    """Leave nothing out."""
    return False


def test_what_leaves_moves_out_itself_has_none() -> None:
    assert has_one(Guided())
    for extra in ("forced_move", "relevance_cut", "cost", "ORDER_BY_PRIORITY"):
        assert not has_one(Guided(extra=extra)), extra
    assert has_one(Guided(extra="forced_move"), without="cuts")
    with pytest.raises(BadRequest, match="supplies `cost`"):
        search(Guided(extra="cost"), None, automaton=4)


def test_dear_tiles_have_their_least_costs() -> None:
    game = Guided(extra="cost")
    true = naive.distances(naive.explicit(game))
    for state in list(true)[::23]:
        assert search(game, list(state), target="interpreted").cost == true[state]


def test_usual_or_none_or_asked_for_the_costs_are_the_same() -> None:
    """All boards of 2x3 that can be solved; a state of the other half has the same moves and is searched as well."""
    game = load("sliding:2x3")
    nodes = Counter()
    for state, depth in naive.depths(game).items():
        for depth_asked in (None, 0, 2, 7):
            line = search(game, state, automaton=depth_asked, target="interpreted" if depth < 12 else "cpu")
            assert (line.cost, line.verify()) == (depth, [])
            nodes[depth_asked] += line.nodes
    assert nodes[None] < nodes[7] < nodes[2] == nodes[0]


def test_an_automaton_is_kept_and_a_damaged_file_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
    made = usual_automaton.__wrapped__(load("sliding:3x3"))
    (file,) = tmp_path.rglob("automaton-*.npz")
    content = file.read_bytes()

    def same(one: Any, other: Any) -> bool:
        return bool((one.table == other.table).all()) and one.situations == other.situations

    with monkeypatch.context() as patch:
        patch.setattr("searchbench.solvers.guided.automaton._superfluous", None)
        assert same(usual_automaton.__wrapped__(load("sliding:3x3")), made)
    for damaged in (b"", content[:-9], content[:200] + bytes([content[200] ^ 1]) + content[201:]):
        file.write_bytes(damaged)
        assert same(usual_automaton.__wrapped__(load("sliding:3x3")), made)
        assert file.read_bytes() == content
    assert usual_automaton.__wrapped__(load("sliding:3x4")).situations != made.situations
    assert len(list(tmp_path.rglob("automaton-*.npz"))) == 2


def test_another_depth_is_data_and_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
    game = load("sliding:3x3")
    search(game, "1 0 2 3 4 5 6 7 8", automaton=4)
    before = jit.compile_seconds()
    for depth in (5, 6, 8, None):
        search(game, "1 0 2 3 4 5 6 7 8", automaton=depth)
    assert jit.compile_seconds() == before


def test_where_nothing_can_be_kept_it_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path / "file" / "cache"))
    assert usual_automaton.__wrapped__(load("sliding:3x3")) is not None
