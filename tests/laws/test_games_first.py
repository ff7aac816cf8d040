"""Laws, plain twins and golden numbers of the puzzles, the graphs and the games of lines."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from searchbench.catalogue import load
from searchbench.errors import BadState, NoFixpoint, SearchBenchError
from searchbench.families.jumps import Jumps
from searchbench.families.stacks import Stacks
from searchbench.game import Game
from searchbench.games.graph import Graph
from searchbench.games.hanoi import frame_stewart
from searchbench.games.small_town import PLACES, ROADS
from searchbench.index import Part
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.values import ValueRule

GOLDEN = Path(__file__).parent.parent / "golden"
DEPTHS = json.loads((GOLDEN / "depth_distributions.json").read_text())
TIC_TAC_TOE = json.loads((GOLDEN / "tic_tac_toe.json").read_text())
CONNECT4 = json.loads((GOLDEN / "connect4_small.json").read_text())

PUZZLES = ["burnt-pancake:3", "hanoi:3", "hanoi:3,4", "small-town", "fore-and-aft", "graph:0>1:3;1>0;1>2;1>2:7;2>2;2=0"]
LINES = [
    "tic-tac-toe", "mnk:4,3,3,no,yes", "mnk:3,3,3,no,yes", "mnk:3,4,3,yes,no", "mnk:2,2,2", "mnk:1,3,1",
    "connect4:4x4", "connect4:4,3,3,yes", "connect4:5,4,4,yes",
]  # fmt: skip
OTHERS = ["graph:0>1;1>0;1>2;2>3;0>3;3=-1;4>4;4=1,outcome", "graph:0>1:4;1>2:1;2>0;2=-3,score,1,low:1;high:2"]


def values_by_number(solved: Database) -> dict[int, Any]:
    """Return the value of every legal number."""
    codes = {number: solved.code(number) for number in range(solved.size)}
    return {number: solved.rule.decode(code) for number, code in codes.items() if code != solved.illegal}


# --- the laws -----------------------------------------------------------------------------------------------------------


def sample(game: Game, count: int = 120) -> Iterator[list[int]]:
    """Yield legal states by number and by random play."""
    chance = random.Random(game.spec)
    index = game.index()
    assert index is not None
    numbers = range(index.size) if index.size <= count else (chance.randrange(index.size) for _ in range(count))
    for number in numbers:
        state = game.unrank(number)
        if game.call("legal", list(state)):
            yield state
    for _ in range(8):
        state = game.start()
        for _ in range(30):
            yield state
            moves = game.moves(state)
            if not moves:
                break
            state = game.play(state, chance.choice(moves))


def unmoves(game: Game, state: list[int]) -> list[int]:
    """Return the moves that can have led to a state."""
    out = [0] * game.max_unmoves
    before = list(state)
    count = game.call("unmoves", before, out)
    assert before == state
    return out[:count]


@pytest.mark.parametrize("spec", PUZZLES + LINES + OTHERS)
def test_laws(spec: str) -> None:
    game = load(spec)
    assert load(game.spec) == game
    for state in sample(game):
        assert game.unrank(game.rank(state)) == game.canonical(state)
        assert game.read(game.format(state)) == state
        moves = game.moves(state)
        assert len({game.format_move(state, move) for move in moves}) == len(moves) <= game.max_moves
        for move in moves:
            after = game.play(state, move)
            assert game.call("legal", list(after))
            assert game.unplay(after, move) == state
            assert move in unmoves(game, after)
            inverse = game.call("inverse", move)
            assert inverse < 0 or game.play(after, inverse) == state
            assert part_of(game, after).name in part_of(game, state).needs
        for move in unmoves(game, state):
            before = game.unplay(state, move)
            assert game.call("legal", list(before))
            assert move in game.moves(before)
            assert game.play(before, move) == state
        board = game.board()
        assert board is None or len(board.cells) == len(game.pieces(state))
        assert game.picture(state)


def part_of(game: Game, state: list[int]) -> Part:
    """Return the part that a state's number lies in."""
    number = game.rank(state)
    (home,) = [part for part in game.parts() if part.start <= number < part.stop]
    return home


@pytest.mark.parametrize("spec", ["mnk:3,3,3,no,yes", "mnk:4,3,3,no,yes", "connect4:4,3,3,yes"])
def test_symmetric_states_share_their_representative(spec: str) -> None:
    game: Any = load(spec)
    for state in sample(game, 60):
        for symmetry in game.lines.symmetries:
            turned = [0] * len(state)
            for cell, home in enumerate(symmetry):
                turned[home] = state[cell]
            assert game.terminal(turned) == game.terminal(state)
            assert game.canonical(turned) == game.canonical(state)
            after = {tuple(game.canonical(game.play(state, move))) for move in game.moves(state)}
            assert after == {tuple(game.canonical(game.play(turned, move))) for move in game.moves(turned)}


@pytest.mark.parametrize("spec", ["burnt-pancake:3", "hanoi:4", "hanoi:3,4", "fore-and-aft"])
def test_lower_bounds(spec: str, run: Run) -> None:
    game = load(spec)
    solved = solve_states(game, run=run, target="cpu" if spec == "fore-and-aft" else "interpreted")
    assert game.consistent
    for state in sample(game, 400):
        bound = game.call("h", list(state), None)
        assert 0 <= bound <= solved.probe(state)
        assert (game.terminal(state) != 0) or bound == 0
        for move in game.moves(state):
            after = game.call("h", game.play(state, move), None)
            assert bound <= 1 + after
            assert game.call("h_step", list(state), move, None) == after - bound


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("burnt-pancake:3", "1 2 2"),
        ("burnt-pancake:3", "1 -2"),
        ("burnt-pancake:3", "1 -2 x"),
        ("hanoi:3", "0 1 3"),
        ("hanoi:3", "0 1"),
        ("small-town", "moon"),
        ("fore-and-aft", "xxx/xxx/xx-oo/ooo/oox"),
        ("fore-and-aft", "xxx"),
        ("tic-tac-toe", "X../.../..."[:-1]),
        ("tic-tac-toe", "XX./.../..."),
        ("tic-tac-toe", "XXX/.../OOO"),
        ("tic-tac-toe", "Z../.../..."),
        ("connect4:4x4", "X.../..../..../...."),
        ("connect4:4x4", "11111"),
        ("connect4:4x4", "15"),
        ("graph:0>1", "2"),
        ("graph:0>1", "0 1"),
    ],
)
def test_bad_states(spec: str, text: str) -> None:
    with pytest.raises(BadState):
        load(spec).read(text)


@pytest.mark.parametrize(
    "spec",
    [
        "burnt-pancake:0", "hanoi:0", "hanoi:3,2", "hanoi:3,11", "mnk:3,3,4", "mnk:0,3,1", "connect4:3x3", "graph:",
        "graph:0>", "graph:0>1:0", "graph:0=0;0=1", "graph:0=2,outcome", "graph:0>1,distance,2", "graph:99999999>0",
        "graph:0>1,distance,0,low:1", "graph:0>1,distance,0,low:1;low:1", "graph:0>1,distance,0,low", "graph:0>1,nonsense",
        "graph:0>1,distance,0,low:0;high:2",
    ],
)  # fmt: skip
def test_bad_parameters(spec: str) -> None:
    with pytest.raises(SearchBenchError):
        load(spec)


# --- permutations and pegs ----------------------------------------------------------------------------------------------


def test_burnt_pancakes_turn_like_a_signed_list() -> None:
    game = load("burnt-pancake:5")
    assert game.format(game.play(game.read("3 -1 5 2 -4"), 3)) == "-5 1 -3 2 -4"
    chance = random.Random(1)
    stack = [1, 2, 3, 4, 5]
    state = game.start()
    for _ in range(50):
        count = chance.choice(game.moves(state))
        stack = [-size for size in reversed(stack[:count])] + stack[count:]
        state = game.play(state, count)
        assert game.format(state) == " ".join(map(str, stack))
    assert game.terminal(game.read("1 2 3 4 5")) == 0
    assert game.terminal(game.read("1 2 3 4 -5")) == UNDECIDED


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_burnt_pancake_distributions(n: int, run: Run) -> None:
    game = load(f"burnt-pancake:{n}")
    for solver in ("retrograde", "bfs"):
        solved = solve_states(game, solver=solver, run=run, target=game.quickest_target)
        assert solved.histogram() == dict(enumerate(DEPTHS[f"burnt_pancake_{n}"]["counts"]))


def test_large_burnt_pancakes_have_no_numbers() -> None:
    size = load("burnt-pancake:16").index()
    assert size is not None
    assert size.size < 1 << 63
    assert load("burnt-pancake:17").index() is None


@pytest.mark.parametrize("pegs", [3, 4, 5])
def test_hanoi_moves_only_top_discs_onto_larger_ones(pegs: int) -> None:
    game = load(f"hanoi:4,{pegs}")
    for state in itertools.product(range(pegs), repeat=4):
        towers = [[disc for disc in range(4) if state[disc] == peg] for peg in range(pegs)]
        expected = {
            tuple(to if disc == tower[0] else peg for disc, peg in enumerate(state))
            for tower in towers
            if tower
            for to, other in enumerate(towers)
            if other is not tower and (not other or tower[0] < other[0])
        }
        assert {tuple(game.play(state, move)) for move in game.moves(state)} == expected
        assert len(game.moves(state)) == len(expected)


def test_frame_stewart() -> None:
    def best(discs: int) -> int:
        if discs < 2:
            return discs
        return min(2 * best(above) + 2 ** (discs - above) - 1 for above in range(discs))

    assert [frame_stewart(discs) for discs in range(15)] == [best(discs) for discs in range(15)]
    counts = DEPTHS["hanoi_4peg_10disc"]["counts"]
    assert frame_stewart(10) == len(counts) - 1


def test_hanoi_distributions_of_four_pegs(run: Run) -> None:
    solved = solve_states(load("hanoi:4,4"), run=run, target="interpreted")
    twin = naive.distances_by_levels(naive.explicit(load("hanoi:4,4")))
    assert values_by_number(solved) == {load("hanoi:4,4").rank(state): value for state, value in twin.items()}


# --- graphs -------------------------------------------------------------------------------------------------------------


def graph_texts(results: Sequence[int], least: int = 1, most: int = 60_000) -> st.SearchStrategy[str]:
    """Draw graphs with cycles, double edges, dead ends and several results."""
    node = st.integers(0, 7)
    number = st.one_of(st.just(""), st.integers(least, most).map(":{}".format))
    edges = st.lists(st.builds("{}>{}{}".format, node, node, number), min_size=1, max_size=18)
    ends = st.dictionaries(node, st.sampled_from(results), max_size=3)
    return st.builds(
        lambda found, ended: ";".join([*found, *(f"{one}={result}" for one, result in ended.items())]), edges, ends
    )


def solve_both_ways(game: Graph, rule: ValueRule | str, solvers: Sequence[str]) -> list[dict[int, Any]]:
    """Return the tables that the solvers find."""
    tables = []
    for solver in solvers:
        solved = solve_states(game, rule, solver, Run(memory=64 << 20, threads=1), target="interpreted")
        tables.append(values_by_number(solved))
    return tables


@settings(max_examples=50)
@given(graph_texts([0, 0, -1]))
def test_shortest_ways_on_any_graph(text: str) -> None:
    game = Graph(text)
    graph = naive.explicit(game)
    expected = naive.table(graph, naive.distances(graph))
    assert solve_both_ways(game, "distance", ["retrograde", "fixpoint"]) == [expected, expected]


@settings(max_examples=50)
@given(graph_texts([-1, 0, 1]), st.integers(1, 3))
def test_two_players_on_any_graph(text: str, runs: int) -> None:
    nodes = Graph(text, "outcome").digraph.nodes
    sizes = [nodes // runs] * (runs - 1) if nodes >= runs else []
    partition = ";".join(f"p{place}:{size}" for place, size in enumerate([*sizes, nodes - sum(sizes)]))
    game = Graph(text, "outcome", partition=partition)
    assert len(game.parts()) == len(sizes) + 1
    graph = naive.explicit(game)
    expected = naive.table(graph, naive.outcomes(graph))
    assert solve_both_ways(game, "outcome", ["retrograde", "fixpoint"]) == [expected, expected]


def test_points_on_a_graph(run: Run) -> None:
    # The end loses 2 points for whom it meets: from 1 one takes 3 and gains 2 more, from 0 one takes 4 and loses those 5,
    # or takes 1 and gains 2.
    game = load("graph:0>1:4;0>2:1;1>2:3;2=-2,score")
    solved = solve_states(game, run=run, target="interpreted")
    assert values_by_number(solved) == {0: 3, 1: 5, 2: -2}


def test_the_players_of_a_graph() -> None:
    assert not Graph("0>1").two_players
    assert Graph("0>1", "outcome").two_players


def test_graph_text() -> None:
    game = Graph("0>1, 1>2:5\n1>2:3 2=0")
    assert game == Graph("0>1;1>2:5;1>2:3;2=0")
    assert [game.call("cost", [1], move) for move in game.moves([1])] == [5, 3]
    assert [game.format_move([1], move) for move in game.moves([1])] == ["2#1", "2#2"]
    assert game.max_moves == game.max_unmoves == 2
    assert load("graph:0>1;1=0,distance,1").start() == [1]
    stopped = Graph("0>1;1>0;1=-1", "outcome")
    assert stopped.moves([1]) == [] == unmoves(stopped, [0])
    assert Graph("0>1;1>0;1=0").moves([1]) != []


def test_the_parts_of_a_graph() -> None:
    game = Graph("0>1;1>0;1>2;2>4;3>3;4=0", partition="two:2;one:1;rest:2")
    assert [(part.name, part.start, part.stop, set(part.needs)) for part in game.parts()] == [
        ("two", 0, 2, {"two", "one"}), ("one", 2, 3, {"rest"}), ("rest", 3, 5, {"rest"}),
    ]  # fmt: skip


@pytest.mark.long
def test_many_graphs_as_one_compiled_graph(run: Run) -> None:
    chance = random.Random(7)
    words: list[str] = []
    for first in range(0, 3000, 6):
        words += [f"{first + chance.randrange(6)}>{first + chance.randrange(6)}" for _ in range(10)]
        words += [f"{first + node}={chance.choice((-1, 0, 1))}" for node in chance.sample(range(6), 2)]
    game = Graph(";".join([*words, "2999>2999"]), "outcome")
    graph = naive.explicit(game)
    expected = naive.table(graph, naive.outcomes(graph))
    for solver in ("retrograde", "fixpoint"):
        solved = solve_states(game, solver=solver, run=run)
        assert values_by_number(solved) == expected


def test_small_town(run: Run) -> None:
    game = load("small-town")
    assert set(PLACES) >= {"pool", "gym", "school", "gas", "police"}
    neighbours: dict[str, set[str]] = {place: set() for place in PLACES}
    for one, other in ROADS:
        neighbours[one].add(other)
        neighbours[other].add(one)
    assert "gym" in neighbours["pool"]
    assert len({place for place in neighbours["police"] if place == "gas" or "gas" in neighbours[place]}) > 1
    solved = solve_states(game, run=run, target="interpreted")
    reached, distance = {"pool"}, 0
    while reached != set(PLACES):
        assert {place for place in PLACES if solved.probe(game.read(place)) <= distance} == reached
        distance += 1
        reached |= {other for place in reached for other in neighbours[place]}
    assert game.position("gas").moves() == ["bank", "police", "shop"]


# --- Gasser 1995, section 2.2: a value gather function that has no fixpoint on every graph ------------------------------


@dataclass(frozen=True)
class MaximumModulo(ValueRule):
    """Give each state one more than the largest value of its successors, modulo five; unknown successors do not count."""

    name: ClassVar[str] = "maximum-modulo"
    unique: ClassVar[bool] = False
    revalues_terminals: ClassVar[bool] = True

    modulus: int = 5

    def rules(self, max_moves: int) -> Mapping[str, Callable[..., Any]]:
        """Return the functions: code 0 is "unknown", code v + 1 the value v."""
        modulus = self.modulus

        def initial(result: int, count: int) -> int:
            return 1 if result == 0 else 0

        def gather(code: int, successors: MutableSequence[int], weights: MutableSequence[int], count: int) -> int:
            largest = 0
            for index in range(count):
                largest = max(largest, successors[index])
            return code if largest == 0 else largest % modulus + 1

        return {"initial": initial, "gather": gather}

    def decode(self, code: int) -> int | None:
        """Return the value, None for unknown."""
        return code - 1 if code else None


RING = "0=0;0>1;1>2;2>3;3>4;4>0"
WITH_FIXPOINT = {
    RING: [0, 4, 3, 2, 1],
    # Two ways round of five, one of ten, and a node outside that looks at both: every cycle length is a multiple of five.
    RING + ";0>5;5>6;6>7;7>8;8>0;4>9;9>10;10>11;11>12;12>13;13>0;14>1;14>0": [
        0, 4, 3, 2, 1, 4, 3, 2, 1, 0, 4, 3, 2, 1, 0,
    ],
    "0=0;1>0;2>1;2>0": [0, 1, 2],  # no cycle
    RING + ";6>7;7>6": [0, 4, 3, 2, 1, None, None, None],  # a cycle that nothing known reaches
}  # fmt: skip
WITHOUT_FIXPOINT = ["0=0;0>1;1>2;2>3;3>0", RING + ";2>0", RING + ";3>3", RING + ";5>6;6>5;5>0"]


@pytest.mark.parametrize("text", WITH_FIXPOINT)
def test_maximum_modulo_five_with_a_fixpoint(text: str, run: Run) -> None:
    solved = solve_states(Graph(text), MaximumModulo(), run=run, target="interpreted")
    assert list(values_by_number(solved).values()) == WITH_FIXPOINT[text]


@pytest.mark.parametrize("text", WITHOUT_FIXPOINT)
def test_maximum_modulo_five_without_a_fixpoint(text: str, run: Run) -> None:
    with pytest.raises(NoFixpoint):
        solve_states(Graph(text), MaximumModulo(), run=run, target="interpreted")


# --- lines --------------------------------------------------------------------------------------------------------------

WINS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def tic_tac_toe_positions() -> list[set[str]]:
    """Return the positions after each ply, by hand."""
    plies = [{"." * 9}]
    for ply in range(9):
        over = {board for board in plies[-1] if any(len({board[c] for c in w} - {"."}) == 1 and "." not in
                {board[c] for c in w} for w in WINS)}  # fmt: skip
        plies.append(
            {
                board[:cell] + "XO"[ply % 2] + board[cell + 1 :]
                for board in plies[-1] - over
                for cell in range(9)
                if board[cell] == "."
            }
        )
    return plies


def test_the_legal_positions_of_tic_tac_toe() -> None:
    game = load("tic-tac-toe")
    plies = tic_tac_toe_positions()
    assert [len(ply) for ply in plies] == TIC_TAC_TOE["per_ply"]
    index = game.index()
    assert index is not None
    legal = {game.format(state).replace("/", "") for state in map(game.unrank, range(index.size))
             if game.call("legal", list(state))}  # fmt: skip
    assert legal == set().union(*plies)
    assert len(legal) == TIC_TAC_TOE["positions"]


def test_tic_tac_toe(run: Run) -> None:
    game = load("tic-tac-toe")
    solved = solve_states(game, run=run)
    assert solved.states == TIC_TAC_TOE["positions"]
    assert str(solved.probe()) == TIC_TAC_TOE["value"]
    assert sum(count for value, count in solved.histogram().items() if value.depth == 0 and value.outcome) == (
        TIC_TAC_TOE["computed"]["terminal_x_wins"] + TIC_TAC_TOE["computed"]["terminal_o_wins"]
    )
    values = values_by_number(solved)
    found = []
    for part in game.parts():
        first_player = 1 if int(part.name) % 2 == 0 else -1
        results = [first_player * values[number].outcome for number in range(part.start, part.stop) if number in values]
        found.append([results.count(1), results.count(0), results.count(-1)])
    assert found == TIC_TAC_TOE["computed"]["per_ply_first_wins_draw_second_wins"]


def test_tic_tac_toe_up_to_symmetry(run: Run) -> None:
    game = load("mnk:3,3,3,no,yes")
    depths = solve_states(game, solver="bfs", run=run)
    assert depths.histogram() == dict(enumerate(TIC_TAC_TOE["per_ply_up_to_symmetry"]))
    whole, halved = solve_states(load("tic-tac-toe"), run=run), solve_states(game, run=run)
    assert halved.states == TIC_TAC_TOE["positions_up_to_symmetry"]
    for state in sample(game):
        assert whole.probe(state) == halved.probe(state)


def has_line(game: Any, state: list[int], player: int) -> bool:
    """Look from every cell in every direction."""
    stones = {place for place, stone in zip(game.lines.places, state, strict=True) if stone == player}
    return any(
        all((x + step * dx, y + step * dy) in stones for step in range(game.k))
        for x, y in stones
        for dx, dy in itertools.product((-1, 0, 1), repeat=2)
        if (dx, dy) != (0, 0)
    )


@pytest.mark.parametrize("spec", ["mnk:5,4,3", "mnk:4,4,4", "connect4:5x4", "connect4:7x6", "mnk:2,5,3,yes"])
def test_lines_are_found(spec: str) -> None:
    game: Any = load(spec)
    finished = 0
    chance = random.Random(spec)
    for _ in range(40):
        state, player = game.start(), 1
        while game.terminal(state) == UNDECIDED:
            assert not has_line(game, state, 1)
            assert not has_line(game, state, 2)
            assert len(game.moves(state)) == len(expected_cells(game, state))
            assert {move >> 1 for move in game.moves(state)} == expected_cells(game, state)
            state = game.play(state, chance.choice(game.moves(state)))
            player = 3 - player
        assert game.terminal(state) == (-1 if has_line(game, state, 3 - player) else 0)
        assert not has_line(game, state, player)
        finished += game.terminal(state)
    assert finished < 0


def expected_cells(game: Any, state: list[int]) -> set[int]:
    """Return the cells where a stone can come to lie."""
    empty = {place: cell for cell, place in enumerate(game.lines.places) if state[cell] == 0}
    falls = getattr(game, "gravity", True)
    return {cell for (x, y), cell in empty.items() if not falls or (x, y + 1) not in empty}


@pytest.mark.parametrize("spec", ["mnk:3,2,2", "mnk:3,3,3,yes", "mnk:2,3,3,no,yes", "connect4:3,3,3,yes"])
def test_games_of_lines_against_minimax(spec: str, run: Run) -> None:
    game = load(spec)
    solved = solve_states(game, run=run, target="interpreted")
    graph = naive.explicit(game)
    values = naive.outcomes(graph)
    for state in graph.numbers.values():
        assert solved.probe(state) == values[state]
    assert naive.minimax(game, game.start()) == solved.probe().outcome


@pytest.mark.parametrize("size", ["2x4", "3x4", "4x4"])
def test_connect_four_positions(size: str, run: Run) -> None:
    columns, rows = map(int, size.split("x"))
    game = load(f"connect4:{size}")
    target = "interpreted" if size == "2x4" else "cpu"
    searched = solve_states(game, solver="bfs", run=run, target=target)
    assert searched.reachable == CONNECT4["positions"][size]
    solved = solve_states(game, run=run, target=target)
    assert solved.states >= searched.reachable
    for solver in ("retrograde", "fixpoint"):
        assert solve_states(game, solver=solver, run=run, target=target).histogram() == solved.histogram()
    if size in CONNECT4["outcomes"]:
        entry = CONNECT4["outcomes"][size]
        assert solved.probe().outcome == entry["value"]
        assert entry["last_move"] == (solved.probe().depth or columns * rows)


def test_connect_four_knows_the_published_values() -> None:
    for size, entry in CONNECT4["outcomes"].items():
        word = {1: "win", 0: "draw", -1: "loss"}[entry["value"]]
        expected = f"{word} {entry['last_move']}" if entry["value"] else word
        assert load(f"connect4:{size}").known()["start"] == expected
    for size, count in CONNECT4["positions"].items():
        assert load(f"connect4:{size}").known()["reachable"] == count


def test_mirrored_connect_four(run: Run) -> None:
    whole = solve_states(load("connect4:3,3,3"), run=run, target="interpreted")
    halved = solve_states(load("connect4:3,3,3,yes"), run=run, target="interpreted")
    assert whole.states / 2 <= halved.states < whole.states
    for state in sample(whole.game):
        assert whole.probe(state) == halved.probe(state)


def test_connect_four_notation() -> None:
    game = load("connect4")
    assert game.position("4444").text == "......./......./...O.../...X.../...O.../...X..."
    assert game.position().moves() == ["4", "3", "5", "2", "6", "1", "7"]
    assert load("tic-tac-toe").position("X../.../...").play("b2").text == "X../.O./..."


@pytest.mark.parametrize(
    "stacks", [((0,),), ((0, 1, 2),), ((2, 0), (1,), (3, 4, 5)), tuple((cell,) for cell in range(7))]
)
def test_numbers_of_stacks(stacks: tuple[tuple[int, ...], ...]) -> None:
    index = Stacks(stacks)
    cells = index.width
    expected = []
    for state in itertools.product(range(3), repeat=cells):
        stones = sum(map(bool, state))
        filled = all(not state[high] or state[low] for stack in stacks for low, high in itertools.pairwise(stack))
        if filled and state.count(2) == stones // 2:
            expected.append(state)
    rank, unrank = index.functions()
    seen = {}
    for number in range(index.size):
        state = [1] * cells
        unrank(number, state)
        assert rank(state) == number
        seen[tuple(state)] = number
    assert set(seen) == set(expected)
    for part in index.parts():
        assert {sum(map(bool, state)) for state, number in seen.items() if part.start <= number < part.stop} == {
            int(part.name)
        }
    for state in itertools.product(range(3), repeat=cells):
        if state not in seen:
            assert rank(list(state)) == -1


@pytest.mark.parametrize(("spec", "numbered"), [("connect4:7x6", True), ("mnk:5,5,4", True), ("mnk:9,9,5", False)])
def test_only_boards_below_2_to_the_63_are_numbered(spec: str, numbered: bool) -> None:
    game = load(spec)
    index = game.index()
    assert (index is not None) == numbered
    if index is not None:
        chance = random.Random(3)
        for number in [0, index.size - 1, *(chance.randrange(index.size) for _ in range(200))]:
            assert game.rank(game.unrank(number)) == number


# --- jumps --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frogs(Jumps):
    """A board with two empty cells and a hole."""

    name: ClassVar[str] = "frogs"

    @property
    def drawing(self) -> str:
        """Return the board."""
        return "xx-\nx o\n-oo"


@pytest.mark.parametrize("game", [Frogs(), load("fore-and-aft")], ids=str)
def test_jumps_go_over_one_piece_into_an_empty_cell(game: Jumps) -> None:
    places = game.cells.places
    for state in sample(game, 60):
        pieces = dict(zip(places, state, strict=True))
        expected = set()
        for (x, y), piece in pieces.items():
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if piece and pieces.get(near) == 0:
                    expected.add(((x, y), near))
                elif piece and pieces.get(near) and pieces.get(far) == 0:
                    expected.add(((x, y), far))
        width = len(places)
        assert {(places[move // width], places[move % width]) for move in game.moves(state)} == expected
        assert len(game.moves(state)) == len(expected)


def test_frogs_against_breadth_first_search(run: Run) -> None:
    game = Frogs()
    graph = naive.explicit(game)
    expected = naive.table(graph, naive.distances_by_levels(graph))
    for solver in ("retrograde", "fixpoint"):
        solved = solve_states(game, solver=solver, run=run, target="interpreted")
        assert values_by_number(solved) == expected


def test_fore_and_aft(run: Run) -> None:
    game = load("fore-and-aft")
    counts = DEPTHS["fore_and_aft_17"]["counts"]
    searched = solve_states(game, solver="bfs", run=run)
    assert searched.histogram() == dict(enumerate(counts))
    reversed_colours = game.read("ooo/ooo/oo-xx/xxx/xxx")
    assert game.terminal(reversed_colours) == 0
    assert searched.probe(reversed_colours) == 46
    # "Putting one of the far corner pieces in the center" takes the two states of depth 47 (Edelkamp 2017).
    deepest = {position.text for position in searched.find(value=47)}
    assert deepest == {"-oo/ooo/oooxx/xxx/xxx", "ooo/ooo/ooxxx/xxx/xx-"}
    solved = solve_states(game, run=run)
    assert solved.histogram() == searched.histogram()
