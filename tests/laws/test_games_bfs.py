"""Plain twins, rearrangements and golden numbers of the puzzles for breadth-first search (Edelkamp 2017)."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterable
from math import factorial
from pathlib import Path
from typing import Any

import pytest

from searchbench.catalogue import load
from searchbench.errors import BadRequest, BadState, SearchBenchError
from searchbench.families.paths import hamiltonian_paths
from searchbench.families.pegs import BOARDS, colourings, jump_shapes, symmetries
from searchbench.families.places import Kind, Turn
from searchbench.game import Game
from searchbench.games.frogs_and_toads import FrogsAndToads
from searchbench.games.peg_solitaire import PegSolitaire
from searchbench.games.top_spin import TopSpin
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.store import Database
from searchbench.testing import check_game
from stickers import CORNERS, CUBE, TETRAHEDRON, Stickers, quarter, third

DEPTHS = json.loads((Path(__file__).parent.parent / "golden" / "depth_distributions.json").read_text())


def walk(game: Game, count: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Return states met in random play, from the start anew when there is no move."""
    chance = random.Random(seed)
    state, met = game.start(), []
    for _ in range(count):
        met.append(tuple(state))
        moves = game.moves(state)
        state = game.play(state, chance.choice(moves)) if moves else game.start()
    return met


def layers(start: Any, successors: Callable[[Any], Iterable[Any]], deepest: int = 1000) -> list[set[Any]]:
    """Return the states at each depth, by sets."""
    found = [{start}]
    seen = {start}
    while found[-1] and len(found) <= deepest:
        found.append({after for state in found[-1] for after in successors(state)} - seen)
        seen |= found[-1]
    return found if found[-1] else found[:-1]


def played(game: Game) -> Callable[[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return what gives the successors of a state by the game's own moves, up to symmetry."""
    return lambda state: [tuple(game.canonical(game.play(state, move))) for move in game.moves(state)]


def counted(solved: Database) -> dict[Any, int]:
    """Return how many states have each value, without those that have none."""
    return {value: count for value, count in solved.histogram().items() if value is not None}


# --- Top-Spin -----------------------------------------------------------------------------------------------------------

RINGS = [(n, k) for n in range(3, 8) for k in range(2, n + 1)]


def spin(ring: tuple[int, ...], first: int, k: int) -> tuple[int, ...]:
    """Reverse k neighbours round the corner, and turn the ring until token 0 is in front again."""
    turned = ring[first:] + ring[:first]
    turned = tuple(reversed(turned[:k])) + turned[k:]
    zero = turned.index(0)
    return turned[zero:] + turned[:zero]


@pytest.mark.parametrize(("n", "k"), RINGS)
def test_top_spin_spins_like_a_ring(n: int, k: int) -> None:
    game = TopSpin(n, k)
    for state in walk(game, 20):
        ring = tuple(map(int, game.format(state).split()))
        assert game.moves(state) == list(range(n))
        for move in range(n):
            assert game.format(game.play(state, move)) == " ".join(map(str, spin(ring, move, k)))
            reversed_tokens = game.format_move(state, move).split("-")
            assert reversed_tokens == [str(ring[(move + place) % n]) for place in range(k)]
        turned = ring[n // 2 :] + ring[: n // 2]
        assert game.read(" ".join(map(str, turned))) == list(state)


@pytest.mark.parametrize(("n", "k"), RINGS)
def test_which_rings_can_be_reached(n: int, k: int) -> None:
    """The index leaves out the odd orders just where no odd one is reached (even k: Chen and Skiena 1996)."""
    game = TopSpin(n, k)
    reached = set().union(*layers(tuple(range(n)), lambda ring: [spin(ring, first, k) for first in range(n)]))
    odd = {ring for ring in reached if sum(a > b for a, b in itertools.combinations(ring, 2)) % 2}
    index = game.index()
    assert index is not None
    assert index.even == (not odd)
    assert all(game.call("rank", [token - 1 for token in ring[1:]]) >= 0 for ring in reached)
    if k % 2 == 0 and k < n - 1:
        assert len(reached) == index.size == factorial(n - 1) // (2 if n % 2 and k % 4 == 0 else 1)
        assert game.known()["reachable"] == len(reached)
    else:
        assert "reachable" not in game.known()


@pytest.mark.parametrize(("n", "k"), [*RINGS, (12, 4), (11, 4), (9, 5)])
def test_top_spin_rearrangements_are_its_moves(n: int, k: int) -> None:
    game = TopSpin(n, k)
    sequences = game.sequences()
    assert sequences is not None
    assert (sequences.n, sequences.places, len(sequences.moves)) == (n - 1, 1, n)
    assert sequences.size == game.parts()[0].size
    assert sequences.reversible
    for state in walk(game, 10):
        for move, rearrangement in enumerate(sequences.moves):
            assert (rearrangement.origin, rearrangement.target) == (0, 0)
            assert game.play(state, move) == [state[source] for source in rearrangement.order]


@pytest.mark.parametrize(("n", "target"), [(6, "interpreted"), (7, "interpreted"), (8, "interpreted"), (9, "cpu")])
def test_top_spin_depths(n: int, target: Any, run: Run) -> None:
    game = TopSpin(n, 4)
    counts = DEPTHS[f"topspin_{n}_4"]["counts"]
    searched = solve_states(game, solver="bfs", run=run, target=target)
    assert searched.histogram() == dict(enumerate(counts))
    if n < 8:
        solved = solve_states(game, solver="retrograde", run=run, target=target)
        assert solved.histogram() == searched.histogram()


# --- peg solitaire ------------------------------------------------------------------------------------------------------

SMALL = ["oo-x/oo+o/-ooo", "ooo- /o-oo/ oo"]
PEG_BOARDS = [
    PegSolitaire(), PegSolitaire("european"), PegSolitaire("triangle", 6), PegSolitaire("german", 8),
    *(PegSolitaire(layout, directions) for layout in SMALL for directions in (4, 6, 8)),
]  # fmt: skip
COMPASS = {
    4: [(1, 0), (-1, 0), (0, 1), (0, -1)],
    6: [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)],
    8: [way for way in itertools.product((-1, 0, 1), repeat=2) if way != (0, 0)],
}


def pegs_of(game: PegSolitaire, state: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return where the pegs are."""
    (word,) = state
    return frozenset(place for cell, place in enumerate(game.cells.places) if word >> cell & 1)


def jumped(pegs: frozenset[tuple[int, int]], game: PegSolitaire) -> set[frozenset[tuple[int, int]]]:
    """Return the positions after each jump, by sets of cells."""
    found = set()
    for column, row in pegs:
        for right, down in COMPASS[game.directions]:
            over, far = (column + right, row + down), (column + 2 * right, row + 2 * down)
            if over in pegs and far in game.cells.places and far not in pegs:
                found.add(pegs - {(column, row), over} | {far})
    return found


@pytest.mark.parametrize("game", PEG_BOARDS, ids=str)
def test_pegs_jump_over_pegs_into_holes(game: PegSolitaire) -> None:
    cells = frozenset(game.cells.places)
    for state in walk(game, 60):
        pegs = pegs_of(game, state)
        after = [pegs_of(game, game.play(state, move)) for move in game.moves(state)]
        assert set(after) == jumped(pegs, game)
        assert len(after) == len(set(after)) <= game.max_moves
        out = [0] * game.max_unmoves
        before = [pegs_of(game, game.unplay(state, move)) for move in out[: game.call("unmoves", list(state), out)]]
        # To exchange pegs and holes turns time round.
        assert {cells - one for one in before} == jumped(cells - pegs, game)


def test_marks_of_a_drawing() -> None:
    game = PegSolitaire("oo-x/oo+o/-ooo")
    assert game.format(game.start()) == "oo-o/oo-o/-ooo"
    assert game.format((game.cells.goal,)) == "--oo/----/o---"
    assert game.terminal((game.cells.goal,)) == 0
    assert game.read("--oo/----/o---") == [game.cells.goal]


def test_boards_of_peg_solitaire() -> None:
    sizes = {name: len(PegSolitaire(name).cells.places) for name in BOARDS}
    assert sizes == {"english": 33, "european": 37, "german": 45, "diamond": 41, "triangle": 15}
    for name in ("english", "european", "german", "diamond"):
        board = PegSolitaire(name).cells
        (hole,) = [cell for cell in range(sizes[name]) if not board.start >> cell & 1]
        assert hole == sizes[name] // 2
        assert board.goal == 1 << hole
        assert len(symmetries(board, 4)) == len(symmetries(board, 8)) == 8
    assert len(symmetries(PegSolitaire("triangle").cells, 6)) == 2  # the hole is at the top
    assert len(symmetries(PegSolitaire("o/-o/ooo/oooo/ooooo").cells, 6)) == 1
    assert len(symmetries(PegSolitaire("ooo/o-o/ooo").cells, 4)) == 8
    assert len(symmetries(PegSolitaire("oo/o-o/ oo").cells, 6)) == 12
    assert len(jump_shapes(PegSolitaire().cells, 4)) == 6
    assert sum(shape.lines.bit_count() for shape in jump_shapes(PegSolitaire().cells, 4)) == 38  # 76 jumps


@pytest.mark.parametrize("layout", ["english", "european", "german"])
def test_symmetric_boards_share_their_representative(layout: str) -> None:
    game = PegSolitaire(layout, symmetry=True)
    for (word,) in walk(game, 20):
        for goes in symmetries(game.cells, 4):
            image = sum(1 << target for cell, target in enumerate(goes) if word >> cell & 1)
            assert game.canonical((image,)) == game.canonical((word,)) <= [word]


def test_colours_of_three_in_a_row_differ() -> None:
    assert [len(colourings(PegSolitaire("german").cells, directions)) for directions in (4, 6, 8)] == [2, 1, 0]
    for directions in (4, 6):
        board = PegSolitaire("german").cells
        lines = [
            1 << cell | 1 << cell + shape.over | 1 << cell + shape.far
            for shape in jump_shapes(board, directions)
            for cell in range(len(board.places))
            if shape.lines >> cell & 1
        ]
        for colours in colourings(board, directions):
            assert sum(colours) == (1 << len(board.places)) - 1
            assert all((line & colour).bit_count() == 1 for line in lines for colour in colours)


@pytest.mark.parametrize(
    "game", [PegSolitaire("ooo/o-o/ooo"), PegSolitaire("oo-o/oooo"), PegSolitaire("-/oo/ooo/oooo", 6)]
)
def test_what_cannot_be_solved_has_no_value(game: PegSolitaire, run: Run) -> None:
    solved = solve_states(game, run=run, target="interpreted")
    hopeless = {
        number: game.unrank(number) for number in range(solved.size) if solved.probe(game.unrank(number)) is None
    }
    refused = {number for number in range(solved.size) if not game.call("solvable", game.unrank(number))}
    assert refused <= set(hopeless)
    assert len(refused) > solved.size / 2


def test_triangular_solitaire_against_a_plain_twin(run: Run) -> None:
    game = PegSolitaire("triangle", 6)
    expected = layers(pegs_of(game, game.start()), lambda pegs: jumped(pegs, game))
    searched = solve_states(game, solver="bfs", run=run)
    assert counted(searched) == {depth: len(layer) for depth, layer in enumerate(expected)}
    solved = solve_states(game, solver="retrograde", run=run)
    assert counted(solved) == counted(searched)
    assert game.terminal((game.cells.goal,)) == 0
    assert searched.probe((game.cells.goal,)) == solved.probe() == 13
    halved = solve_states(PegSolitaire("triangle", 6, symmetry=True), solver="bfs", run=run)
    classes = [
        {tuple(min(sorted(one), sorted((row - column, row) for column, row in one))) for one in layer}
        for layer in expected
    ]
    assert counted(halved) == {depth: len(layer) for depth, layer in enumerate(classes)}


@pytest.mark.parametrize(("symmetry", "name"), [(False, ""), (True, "_up_to_symmetry")])
def test_first_layers_of_the_english_board(symmetry: bool, name: str) -> None:
    game = PegSolitaire(symmetry=symmetry)
    counts = DEPTHS[f"peg_solitaire_english33{name}"]["counts"]
    found = layers(tuple(game.canonical(game.start())), played(game), 6 if symmetry else 5)
    assert [len(layer) for layer in found] == counts[: len(found)]
    assert game.known()["histogram"] == dict(enumerate(counts))
    assert game.known()["start"] == "31"


# --- Frogs and Toads ----------------------------------------------------------------------------------------------------


def test_first_layers_of_frogs_and_toads() -> None:
    game = FrogsAndToads()
    counts = DEPTHS["frogs_and_toads_31"]["counts"]
    found = layers(tuple(game.start()), played(game), 8)
    assert [len(layer) for layer in found] == counts[:9]
    assert game.known()["histogram"] == dict(enumerate(counts))
    assert game.known()["states"] == game.parts()[0].size == sum(counts) == 31 * 155117520


def test_frogs_and_toads_on_other_boards(run: Run) -> None:
    old: Any = load("fore-and-aft")
    assert FrogsAndToads("3").cells[1:] == old.cells[1:]
    assert FrogsAndToads("3").known() == old.known()
    assert FrogsAndToads("xx/x-o/ oo") == load("frogs-and-toads:xx/x-o/ oo")
    assert FrogsAndToads("xx/x-o/ oo").cells == FrogsAndToads("2").cells
    small = FrogsAndToads("2")
    expected = layers(tuple(small.start()), played(small))
    assert [len(layer) for layer in expected] == list(small.known()["histogram"].values())
    for game in (small, FrogsAndToads("xx--oo"), FrogsAndToads("xx-oo")):
        searched = solve_states(game, solver="bfs", run=run, target="interpreted")
        expected = layers(tuple(game.start()), played(game))
        assert counted(searched) == dict(enumerate(map(len, expected)))
        assert sum(map(len, expected)) == searched.reachable
        goal = [(0, 2, 1)[piece] for piece in game.start()]
        assert tuple(goal) in expected[searched.probe(goal)]


@pytest.mark.parametrize("layout", ["2", "3", "4", "5"])
def test_cells_of_two_squares_are_numbered_along_a_path(layout: str) -> None:
    game = FrogsAndToads(layout)
    places = game.cells.places
    assert all(abs(x - a) + abs(y - b) == 1 for (x, y), (a, b) in itertools.pairwise(places))
    side = int(layout)
    first = places[: side**2 - 1]
    corner = places[side**2 - 1]
    assert corner == (side - 1, side - 1)
    assert len({x < side and y < side for x, y in first}) == 1  # one square, then the corner, then the other
    assert game.format(game.start()) == "/".join(line.strip() for line in game.drawing.split("\n"))


def test_boards_without_a_path_are_numbered_row_by_row() -> None:
    game = FrogsAndToads("..x../..x../xx-oo/..o../..o..")
    assert list(game.cells.places) == sorted(game.cells.places, key=lambda place: (place[1], place[0]))
    assert check_game(game)


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (2, 2), (3, 2), (3, 3)])
def test_paths_are_all_that_there_are(columns: int, rows: int) -> None:
    cells = [(x, y) for y in range(rows) for x in range(columns)]
    near = [[at for at, (a, b) in enumerate(cells) if abs(x - a) + abs(y - b) == 1] for x, y in cells]
    expected = {
        order
        for order in itertools.permutations(range(len(cells)))
        if all(b in near[a] for a, b in itertools.pairwise(order))
    }
    found = hamiltonian_paths(near)
    assert len(found) == len(expected)
    assert set(found) == expected


# --- turns --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["pocket-cube", "pocket-cube:quarter-turn", "corner-cube", "corner-cube:quarter-turn", "pyraminx"]
)
def test_turns_in_space(spec: str) -> None:
    game: Any = load(spec)
    names = [name for kind in game.faces for name in kind] + (["DBL"] if game.name == "pocket-cube" else [])
    flat = game.name == "pyraminx"
    twin = Stickers(names, TETRAHEDRON if flat else CUBE)
    axes = CORNERS if flat else CUBE
    chance = random.Random(3)
    state = game.start()
    for _ in range(60):
        assert game.pieces(state) == twin.shown()
        assert game.read(game.format(state)) == state
        text = chance.choice(game.position(state).moves())
        times = {"": 1, "2": 2, "'": 2 if flat else 3}[text[1:]]
        state = game.play(state, game.parse_move(state, text))
        for _ in range(times):
            twin.turn(axes[text[0]], third if flat else quarter)
    assert len(set(game.board().cells)) == len(twin.order)
    assert len(game.moves(state)) == {"pocket-cube": 9, "corner-cube": 18, "pyraminx": 8}[game.name] - (
        (3 if game.name == "pocket-cube" else 6) if "quarter" in spec else 0
    )


def test_sizes_of_turning_puzzles() -> None:
    sizes = {name: load(name).parts()[0].size for name in ("pocket-cube", "corner-cube", "pyraminx")}
    assert sizes == {
        "pocket-cube": factorial(7) * 3**6,
        "corner-cube": factorial(8) * 3**7,
        "pyraminx": 3**4 * factorial(6) // 2 * 2**5,
    }


@pytest.mark.parametrize(("metric", "name"), [("half-turn", "half_turn"), ("quarter-turn", "quarter_turn")])
def test_pocket_cube_depths(metric: str, name: str, run: Run) -> None:
    game = load(f"pocket-cube:{metric}")
    counts = DEPTHS[f"rubik_2x2x2_{name}"]["counts"]
    assert game.known()["histogram"] == dict(enumerate(counts))
    searched = solve_states(game, solver="bfs", run=run)
    assert searched.histogram() == dict(enumerate(counts))
    assert searched.reachable == game.known()["reachable"]
    for state in walk(game, 100):
        depth = searched.probe(state)
        assert 0 <= game.call("h", list(state), None) <= depth
        assert (depth == 0) == (game.terminal(state) == 0)


def test_first_layers_of_the_corner_cube() -> None:
    game = load("corner-cube")
    counts = DEPTHS["rubik_3x3x3_corners"]["counts"]
    assert game.known()["histogram"] == dict(enumerate(counts))
    state, moves, numbers = game.start(), [0] * 18, [0] * 18

    def successors(number: int) -> list[int]:
        return numbers[: game.call("successor_ranks", number, state, moves, numbers)]

    found = layers(game.rank(game.start()), successors, 4)
    assert [len(layer) for layer in found] == counts[:5]


def test_a_turn_must_keep_the_sense_of_the_faces() -> None:
    with pytest.raises(BadRequest):
        _ = Kind(("URF", "UFL", "ULB", "URB"), (Turn("U", "FLBR", "D"),)).sources


# --- notation -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("top-spin:6,4", "0 1 2 3 4 4"),
        ("top-spin:6,4", "1 2 3 4 5"),
        ("top-spin:7,4", "0 2 1 3 4 5 6"),  # odd
        ("peg-solitaire:ooo/o-o/ooo", "ooo/o-o/oo"),
        ("peg-solitaire:ooo/o-o/ooo", "ooo/o-o/oox"),
        ("peg-solitaire:ooo/o-o/ooo", "ooo/ooo/ooo"),  # more pegs than at the start
        ("peg-solitaire:ooo/o-o/ooo", "---/---/---"),
        ("frogs-and-toads:2", "xx/x-o/ox"),
        ("pocket-cube", "RFU UFL ULB UBR DFR DLF DRB"),  # one corner twisted
        ("pocket-cube", "UFR UFL ULB UBR DFR DLF DRB"),  # a corner seen in a mirror
        ("pocket-cube", "URF UFL ULB UBR DFR DLF"),
        ("pocket-cube", "URF URF ULB UBR DFR DLF DRB"),
        ("pyraminx", "FR FL LR FD LD RD FLR FDL FRD DRL"),  # two edges exchanged
        ("pyraminx", "LF FR LR FD LD RD FLR FDL FRD DRL"),  # one edge flipped
        ("pyraminx", "FL FR LR FD LD RD FDL FLR FRD DRL"),  # corners do not leave their places
    ],
)
def test_bad_states(spec: str, text: str) -> None:
    with pytest.raises(BadState):
        load(spec).read(text)


@pytest.mark.parametrize(
    "spec",
    [
        "top-spin:2,2", "top-spin:6,7", "top-spin:6,1", "peg-solitaire:english,5", "peg-solitaire:ooo", "peg-solitaire:--o",
        "peg-solitaire:nonsense", "frogs-and-toads:1", "frogs-and-toads:xx-o", "frogs-and-toads:xxoo", "pocket-cube:eighth",
        "corner-cube:eighth",
    ],
)  # fmt: skip
def test_bad_parameters(spec: str) -> None:
    with pytest.raises(SearchBenchError):
        load(spec)


@pytest.mark.parametrize(
    "spec",
    ["top-spin:9,4", "peg-solitaire:triangle,6,yes", "frogs-and-toads:xx-oo", "pocket-cube:quarter-turn", "pyraminx"],
)
def test_specs_are_read_again(spec: str) -> None:
    assert load(load(spec).spec) == load(spec)


def test_rings_too_large_to_number() -> None:
    game = load("top-spin:30,4")
    assert game.index() is None
    assert game.known() == {}
    assert game.play(game.play(game.start(), 28), game.call("inverse", 28)) == game.start()
