"""Pattern databases against obvious twins: their values, their sums along a path, and the searches that they guide."""

from __future__ import annotations

import json
import random
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
import searchbench as sb
from searchbench import jit, rules
from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, OutOfMemory
from searchbench.game import Game
from searchbench.heuristics import PatternDatabases, SeenAs, heuristic
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.contract import h_init, h_prefetch, h_update
from searchbench.solvers.guided.depthfirst import NEVER
from searchbench.store import Database

KORF = json.loads((Path(__file__).parents[1] / "golden" / "korf100_15puzzle.json").read_text())["instances"]


def solve(spec: str, target: Any = "interpreted", **options: Any) -> Database:
    """Solve with little memory, interpreted unless told otherwise: to compile for each pattern would take longer."""
    run = Run(memory=256 << 20, threads=options.pop("threads", 1))
    return solve_states(load(spec), run=run, target=target, **options)


def costs(game: Game) -> dict[tuple[int, ...], int]:
    """Return the least cost from the start to each state, moves of no cost first (0-1 breadth-first search)."""
    start = tuple(game.start())
    found, waiting = {start: 0}, deque([start])
    while waiting:
        state = waiting.popleft()
        for move in game.moves(state):
            cost = game.call("cost", list(state), move)
            successor = tuple(game.play(state, move))
            if found[state] + cost < found.get(successor, 1 << 30):
                found[successor] = found[state] + cost
                (waiting.append if cost else waiting.appendleft)(successor)
    return found


# --- the databases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["sliding-pattern:2x3,1-2", "sliding-pattern:2x4,3-1-5-2", "sliding-pattern:3x3,1-4-5-8"]
)
def test_bounds_are_the_least_of_the_states_that_share_a_number(spec: str) -> None:
    game = load(spec)
    least: dict[int, int] = {}
    for state, cost in costs(game).items():
        number = game.rank(state)
        least[number] = min(cost, least.get(number, cost))
    database = solve(spec)
    assert {number: int(code) - 1 for number, code in enumerate(database.codes)} == least
    assert database.probe(game.start()) == 0


def test_groups_have_the_depths_of_their_states() -> None:
    game = load("sliding-groups:3x3,1.5-2.8")
    database = solve(game.spec)
    depths = naive.depths(game)
    assert {game.rank(state): depth for state, depth in depths.items()} == {
        number: database.rule.decode(database.code(number)) for number in range(database.size)
    }


@pytest.mark.parametrize(("name", "groups"), [("inner", 6), ("fringe", 6), ("local", 4)])
def test_groups_by_name(name: str, groups: int) -> None:
    game = load(f"sliding-groups:3x3,{name}")
    assert len(game.groups) == groups  # type: ignore[attr-defined]
    tiles = [".".join(map(str, group)) for group in game.groups]  # type: ignore[attr-defined]
    form = "values" if name == "local" else "streaming"
    spelled = solve(f"sliding-groups:3x3,{'-'.join(tiles)}", "cpu", solver="bfs", form=form)
    assert solve(game.spec, "cpu", solver="bfs", form="streaming").histogram() == spelled.histogram()


def test_the_patterns_of_the_15_puzzle() -> None:
    """Gasser 1995, section 6.3; he leaves out mirror images."""
    groups = {name: load(f"sliding-groups:4x4,{name}").groups for name in ("inner", "fringe", "local")}  # type: ignore[attr-defined]
    assert groups["inner"] == ((1,), (2,), (3,), (4,), (8,), (12,), (15,), (5, 6, 7, 9, 10, 11, 13, 14))
    assert groups["fringe"] == ((3,), (7,), (11,), (12,), (13,), (14,), (15,), (1, 2, 4, 5, 6, 8, 9, 10))
    assert groups["local"] == ((1, 4, 5), (2, 3, 6, 7), (8, 9, 12, 13), (10, 11, 14), (15,))
    assert [len(load(f"sliding-groups:4x4,{name}").images()) for name in groups] == [35] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", ["outer", "1.1", "9", "0-1", "1..2", "-"])
def test_bad_groups(words: str) -> None:
    with pytest.raises(sb.SearchBenchError, match="expected inner, fringe, local"):
        load(f"sliding-groups:3x3,{words}")


def test_neither_threads_nor_the_compiler_change_bounds() -> None:
    one = solve("sliding-pattern:3x4,1-5-7-2", "cpu")
    assert np.array_equal(one.codes, solve("sliding-pattern:3x4,1-5-7-2", "cpu", threads=2).codes)
    assert np.array_equal(one.codes, solve("sliding-pattern:3x4,1-5-7-2").codes)


def test_known_bounds_of_the_15_puzzle() -> None:
    """Two tiles in their row in the wrong order take two moves more than Manhattan distance."""
    database = solve("sliding-pattern:4x4,1-2", "cpu")
    assert database.probe("0 2 1 x x x x x x x x x x x x x") == 4
    assert database.probe("0 1 2 x x x x x x x x x x x x x") == 0


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_other_solvers_are_refused_where_states_share_numbers(solver: str) -> None:
    with pytest.raises(BadRequest, match="share numbers"):
        solve("sliding-pattern:2x3,1-2", solver=solver)
    with pytest.raises(BadRequest, match="share numbers"):
        solve("sliding-pattern:2x3,1-2", solver="bfs", form="two-bit")


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(OutOfMemory, match="665,280 numbers"):
        solve_states(load("sliding-pattern:3x4,1-2-3-4-5-6"), run=Run(memory=1 << 20, threads=1))


@pytest.mark.parametrize("words", ["", "1-1", "1-9", "0-1", "1-x", "1-2-3-4-5-6-7-8"])
def test_bad_patterns(words: str) -> None:
    with pytest.raises(sb.SearchBenchError):
        load(f"sliding-pattern:3,3,{words}") if words else load("sliding-pattern:1,2,1")


def test_verify_works_all_bounds_out_anew() -> None:
    database = solve("sliding-pattern:2x4,3-1-5-2")
    assert database.verify(Run(threads=1)).count == 0
    codes = database.codes.copy()
    codes[700] += 1
    report = Database(database.game, database.rule, codes).verify(Run(threads=1))
    assert [(fault.number, fault.claim) for fault in report.faults] == [(700, "value")]
    with pytest.raises(OutOfMemory, match="8 states to a number"):
        database.verify(Run(memory=10_000, threads=1))


# --- kept, and mapped into memory --------------------------------------------------------------------------------------


def test_a_mapped_database_is_the_same_and_guarded(tmp_path: Path) -> None:
    database = solve("sliding-pattern:3x3,1-2-3")
    database.save(tmp_path / "mapped.db", mapped=True)
    database.save(tmp_path / "packed.db")
    with sb.open_database(tmp_path / "mapped.db") as mapped, sb.open_database(tmp_path / "packed.db") as packed:
        assert np.array_equal(mapped.codes, database.codes)
        assert np.array_equal(packed.codes, database.codes)
        assert mapped.codes.base is not None
        assert not mapped.codes.flags.writeable
        assert [mapped.code(number) for number in range(0, 504, 7)] == [int(code) for code in database.codes[::7]]
        assert mapped.histogram() == packed.histogram() == database.histogram()
    (codes,) = (path for path in (tmp_path / "mapped.db").rglob("0") if path.stat().st_size == 504)
    text = bytearray(codes.read_bytes())
    text[100] ^= 1
    codes.write_bytes(bytes(text))
    with pytest.raises(DamagedData, match="digest"):
        sb.open_database(tmp_path / "mapped.db").code(3)


# --- as a heuristic ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def eight() -> PatternDatabases:
    """Return the sum of two patterns of four tiles, with mirror images."""
    return PatternDatabases(
        load("sliding:3x3"), [[solve("sliding-pattern:3x3,1-2-4-5"), solve("sliding-pattern:3x3,3-6-7-8")]]
    )


def mirrored(state: tuple[int, ...]) -> list[int]:
    """Return the mirror image of a state of the 8-puzzle: rows and columns change places, and so do the tiles' homes."""
    board = [state[3 * (cell % 3) + cell // 3] for cell in range(9)]
    image = [3 * (tile % 3) + tile // 3 for tile in board]
    return [*image, image.index(0)]


def pattern_bound(database: Database, state: list[int]) -> int:
    """Return the bound of one database, by notation."""
    pattern = set(database.game.pattern)  # type: ignore[attr-defined]
    words = [str(tile) if tile in pattern or tile == 0 else "x" for tile in state[:9]]
    return int(database.probe(" ".join(words)))


def test_h_is_the_larger_sum(eight: PatternDatabases) -> None:
    game = load("sliding:3x3")
    for state in random.Random(1).sample(list(naive.depths(game)), 50):
        sums = [sum(pattern_bound(one, image) for one in eight.databases) for image in (list(state), mirrored(state))]
        assert eight.bound(state) == max(sums)


def test_h_is_never_more_than_the_distance(eight: PatternDatabases) -> None:
    game = load("sliding:3x3")
    names = jit.Names({**game.names(), **eight.names()})
    bound = jit.bind(rules.h, names)
    own = jit.bind(rules.h, game.names())
    room = names["new_state"]()
    better = 0
    for state, depth in naive.depths(game).items():
        room[:] = state
        found = bound(room, eight.tables(state))
        assert found <= depth
        better += found > own(room, ())
    assert better > 50_000


@pytest.mark.parametrize("form", ["shared", "values", "two-bit", "streaming"])
def test_what_is_carried_along_is_what_is_found_anew(eight: PatternDatabases, form: str) -> None:
    game = load("sliding:3x3")
    chosen = eight
    if form != "shared":
        chosen = PatternDatabases(game, [[solve("sliding-groups:3x3,2.8-5-1", solver="bfs", form=form)]])
    names = jit.Names({**game.names(target="interpreted"), **chosen.names()}, "interpreted")
    first, ready, following = (jit.bind(name, names) for name in (h_init, h_prefetch, h_update))
    chance, state = random.Random(2), game.start()
    carried = np.zeros((2, names["H_STATE_SIZE"]), np.int64)
    tables = chosen.tables(state)
    bound = first(state, tables, carried, 0)
    anew = np.zeros_like(carried)
    for _ in range(300 if form in ("shared", "values") else 100):
        move = chance.choice(game.moves(state))
        ready(state, move, tables, carried, 0, 1)
        bound = following(state, move, tables, bound, NEVER, carried, 0, 1)
        state = game.play(state, move)
        assert bound == first(state, chosen.tables(state), anew, 0)
        assert np.array_equal(carried[1], anew[0])
        carried[0] = carried[1]


def test_every_search_finds_the_distance(eight: PatternDatabases) -> None:
    game = load("sliding:3x3")
    depths = naive.depths(game)
    plain = PatternDatabases(game, [eight.databases], images=False)
    targets: tuple[tuple[PatternDatabases, Any], ...] = ((eight, "cpu"), (plain, "interpreted"))
    for state in random.Random(3).sample(list(depths), 12):
        nodes = []
        for chosen, target in targets:
            lines = [
                search_state(game, state, method, Run(threads=1), h=chosen, target=target)
                for method in ("idastar", "astar")
            ]
            assert [line.cost for line in lines] == [depths[state]] * 2
            assert all(line.verify() == [] for line in lines)
            nodes.append(lines[0].nodes)
        assert nodes[0] <= 2 * nodes[1]
    interpreted = search_state(game, state, "idastar", Run(threads=1), h=eight, target="interpreted")
    assert interpreted.nodes == search_state(game, state, "idastar", Run(threads=1), h=eight).nodes


@pytest.mark.long
def test_depths_modulo_3_give_the_same_bound_on_every_state(tmp_path: Path) -> None:
    """Row E12: five depths modulo 3 in a byte, followed along the path."""
    game = load("sliding:3x3")
    whole = PatternDatabases(game, [[solve("sliding-groups:3x3,1.5-2-3-4", "cpu", solver="bfs", form="values")]])
    solve("sliding-groups:3x3,1.5-2-3-4", "cpu", solver="bfs", form="two-bit").save(tmp_path / "packed.db", mapped=True)
    packed = heuristic(game, str(tmp_path / "packed.db"))
    assert isinstance(packed, PatternDatabases)
    assert sum(codes.nbytes for codes in packed.tables(game.start())[1:]) == -(-9 * 3360 // 5)
    depths = naive.depths(game)
    for state in random.Random(6).sample(list(depths), 40):
        assert packed.bound(state) == whole.bound(state) <= depths[state]
        lines = [search_state(game, state, "idastar", Run(threads=1), h=one) for one in (whole, packed)]
        assert lines[0].moves == lines[1].moves
        assert lines[0].nodes == lines[1].nodes
        assert lines[0].cost == depths[state]


def test_tables_in_memory_give_the_same_search(tmp_path: Path) -> None:
    game = load("sliding:3x3")
    solve("sliding-pattern:3x3,1-2-3-4").save(tmp_path / "a.db", mapped=True)
    mapped, loaded = heuristic(game, str(tmp_path / "a.db")), heuristic(game, f"{tmp_path / 'a.db'},loaded")
    tables = [one.tables(game.start())[1] for one in (mapped, loaded)]
    assert np.array_equal(*tables)
    for one, table, shared in zip((mapped, loaded), tables, (True, False), strict=True):
        assert isinstance(one, PatternDatabases)
        assert np.shares_memory(table, one.databases[0].codes) is shared
    near = [state for state, depth in naive.depths(game).items() if depth < 18]
    for state in random.Random(8).sample(near, 5):
        lines = [
            search_state(game, state, "idastar", Run(threads=1), h=one, target="interpreted")
            for one in (mapped, loaded)
        ]
        assert (lines[0].moves, lines[0].nodes) == (lines[1].moves, lines[1].nodes)


def test_views_from_other_corners_are_bounds() -> None:
    game = load("sliding:3x3")
    database = solve("sliding-groups:3x3,1-3-5-7", "cpu", solver="bfs", form="values")
    views = database.game.images()  # type: ignore[attr-defined]
    assert [view.moves for view in views] == [0] + 2 * [2] + 12 * [4]
    chosen, plain = PatternDatabases(game, [[database]]), PatternDatabases(game, [[database]], images=False)
    better = 0
    for state, depth in random.Random(7).sample(list(naive.depths(game).items()), 300):
        assert plain.bound(state) <= chosen.bound(state) <= depth
        better += plain.bound(state) < chosen.bound(state)
    assert better > 100


def test_a_board_without_mirror_image() -> None:
    game = load("sliding:2x4")
    chosen = PatternDatabases(game, [[solve("sliding-pattern:2x4,1-2-5"), solve("sliding-pattern:2x4,3-7-4-6")]])
    depths = naive.depths(game)
    for state in random.Random(4).sample(list(depths), 20):
        assert chosen.bound(state) <= depths[state]
        line = search_state(game, state, "idastar", Run(threads=1), h=chosen, target="interpreted")
        assert line.cost == depths[state]


@pytest.mark.long
def test_korf_with_three_databases() -> None:
    game = load("sliding:4x4")
    patterns = ("1-2-3-4-5", "6-7-8-9-10", "11-12-13-14-15")
    chosen = PatternDatabases(game, [[solve(f"sliding-pattern:4x4,{tiles}", "cpu") for tiles in patterns]])
    for instance in sorted(KORF, key=lambda one: one["ida_md_generated_last"])[:40]:
        line = search_state(game, " ".join(map(str, instance["tiles"])), "idastar", Run(threads=1), h=chosen)
        assert line.cost == instance["optimal"]
        assert line.verify() == []


def test_databases_that_do_not_belong_together_are_refused(eight: PatternDatabases, tmp_path: Path) -> None:
    game = load("sliding:3x3")
    with pytest.raises(BadRequest, match="charged for twice"):
        PatternDatabases(game, [[eight.databases[0], solve("sliding-pattern:3x3,5-6")]])
    with pytest.raises(BadRequest, match="another kind"):
        PatternDatabases(game, [[eight.databases[0], solve("sliding-groups:3x3,6-7")]])
    with pytest.raises(BadRequest, match="every move"):
        PatternDatabases(game, [[solve("sliding-groups:3x3,6-7"), solve("sliding-groups:3x3,1-2")]])
    with pytest.raises(BadRequest, match="not sliding:3x4"):
        PatternDatabases(load("sliding:3x4"), [eight.databases])
    with pytest.raises(BadRequest, match="no abstraction"):
        PatternDatabases(game, [[solve("sliding:2x3")]])
    with pytest.raises(BadRequest, match="expected 1"):
        PatternDatabases(game, [])
    with pytest.raises(BadRequest, match="linear-conflict"):
        heuristic(game, f"{tmp_path}/none.db")


def test_heuristics_by_name(tmp_path: Path) -> None:
    game = load("sliding:3x3")
    for name, tiles in (("a.db", "1-2-4"), ("b.db", "3-5-6"), ("c.db", "7-8")):
        solve(f"sliding-pattern:3x3,{tiles}").save(tmp_path / name, mapped=True)
    text = f"{tmp_path}/a.db+{tmp_path}/b.db+{tmp_path}/c.db,{tmp_path}/a.db"
    hard = "8 0 6 5 4 7 2 3 1"
    nodes = {}
    for name in ("manhattan", "linear-conflict", text):
        line = sb.search(game, hard, "idastar", h=name)
        assert (line.cost, line.verify()) == (31, [])
        nodes[name] = line.nodes
    assert nodes["manhattan"] == sb.search(game, hard, "idastar").nodes
    assert nodes["manhattan"] > nodes["linear-conflict"]


# --- linear conflict ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["sliding:3x3", "sliding:2x4", "sliding:4x2"])
def test_linear_conflict_is_a_consistent_bound(spec: str) -> None:
    game = load(spec)
    chosen = heuristic(game, "linear-conflict")
    names = jit.Names({**game.names(target="interpreted"), **chosen.names()}, "interpreted")
    bound, step, own = jit.bind(rules.h, names), jit.bind(rules.h_step, names), game.names(target="interpreted")["h"]
    depths = naive.depths(game)
    larger = 0
    for state in random.Random(5).sample(list(depths), 400):
        found = bound(list(state), ())
        assert own(state, ()) <= found <= depths[state]
        larger += found > own(state, ())
        for move in game.moves(state):
            change = bound(game.play(state, move), ()) - found
            assert step(list(state), move, ()) == change
            assert abs(change) == 1
    assert larger > 40


def test_linear_conflict_of_a_line_in_reverse() -> None:
    game = load("sliding:4x4")
    chosen = heuristic(game, "linear-conflict")
    bound = jit.bind(rules.h, jit.Names({**game.names(target="interpreted"), **chosen.names()}, "interpreted"))
    # Row 7 6 5 4 of tiles that belong there in the order 4 5 6 7: three of them must make way, two moves each.
    state = game.read("0 1 2 3 7 6 5 4 8 9 10 11 12 13 14 15")
    assert bound(state, ()) == (3 + 1 + 1 + 3) + 6


# --- one database for several patterns -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "own", "others"), [("3x3", "4-5-7-8", ["4-5-7-8", "3-4-6-7", "5-2-4-1"]), ("2x4", "6-7-3", ["7-6-3"])]
)
def test_a_symmetry_lets_one_database_serve_other_tiles(board: str, own: str, others: list[str]) -> None:
    game, database = load(f"sliding:{board}"), solve(f"sliding-pattern:{board},{own}")
    states = random.Random(8).sample(list(naive.depths(game)), 100)
    for tiles in others:
        seen = PatternDatabases(game, [[SeenAs(database, tiles)]])
        anew = PatternDatabases(game, [[solve(f"sliding-pattern:{board},{tiles}")]])
        assert [seen.bound(state) for state in states] == [anew.bound(state) for state in states]


def test_search_with_a_database_for_several_patterns(tmp_path: Path) -> None:
    game, row = load("sliding:3x3"), tmp_path / "row.db"
    solve("sliding-pattern:3x3,7-8").save(row, mapped=True)
    chosen = heuristic(game, f"{row}+{row}@2-5 + {row}@3-6")
    depths = naive.depths(game)
    for state in random.Random(9).sample(list(depths), 20):
        assert search_state(game, state, "idastar", Run(threads=1), h=chosen).cost == depths[state]


def test_tiles_that_no_symmetry_takes_there_are_refused(eight: PatternDatabases) -> None:
    game, block = load("sliding:3x3"), eight.databases[0]
    for pieces in ("1-2-4-3", "1-2"):
        with pytest.raises(BadRequest, match=f"no symmetry of the board takes the tiles {pieces}"):
            PatternDatabases(game, [[SeenAs(block, pieces)]])
    with pytest.raises(BadRequest, match="no symmetry"):  # 1 and 3 shut the empty cell in, 5 and 7 do not
        PatternDatabases(game, [[SeenAs(solve("sliding-pattern:3x3,1-3"), "5-7")]])
    # Where every move costs, no pattern is another's image.
    with pytest.raises(BadRequest, match="not known to look like"):
        PatternDatabases(game, [[SeenAs(solve("sliding-groups:3x3,7.8"), "2-5")]])
    with pytest.raises(BadRequest, match="expected some of 1 to 8"):
        PatternDatabases(game, [[SeenAs(block, "1-9")]])
    with pytest.raises(BadRequest, match="charged for twice"):
        PatternDatabases(game, [[block, SeenAs(block, "4-5-7-8")]])


REVERSED = '''\
"""Four numbers, to be sorted by exchanging neighbours; they begin in the opposite order."""
from dataclasses import dataclass

import searchbench as sb


@dataclass(frozen=True)
class Reversed(sb.Game):
    """Sort four numbers."""

    name = "reversed"
    width, max_moves = 4, 3

    def index(self):
        return sb.index.LexicographicPermutation(4)

    def rules(self):
        def start(state):
            for cell in range(4):
                state[cell] = 3 - cell

        def terminal(state):
            for cell in range(4):
                if state[cell] != cell:
                    return sb.UNDECIDED
            return 0

        def moves(state, out):
            for cell in range(3):
                out[cell] = cell
            return 3

        def play(state, move):
            number = state[move]
            state[move] = state[move + 1]
            state[move + 1] = number

        return {"start": start, "terminal": terminal, "moves": moves, "unmoves": moves, "play": play, "unplay": play}
'''
FIRST = '''\
"""The place of the number 0 among the four."""
from dataclasses import dataclass

import numpy as np
import searchbench as sb
from reversed_numbers import Reversed


@dataclass(frozen=True)
class First(sb.Abstraction):
    """Bring 0 to its place."""

    name = "first"
    width, max_moves = 1, 3

    def original(self):
        return Reversed()

    def images(self):
        return [sb.Image(np.zeros(1, np.int64), None)]

    def index(self):
        return sb.index.Radix((4,))

    def rules(self):
        def start(state):
            state[0] = 0

        def terminal(state):
            return 0 if state[0] == 0 else sb.UNDECIDED

        def moves(state, out):
            for cell in range(3):
                out[cell] = cell
            return 3

        def play(state, move):
            if state[0] == move:
                state[0] = move + 1
            elif state[0] == move + 1:
                state[0] = move

        def pattern_rank(state, table, at):
            place = 0
            for cell in range(4):
                if state[cell] == table[at]:
                    place = cell
            return place

        return {"start": start, "terminal": terminal, "moves": moves, "unmoves": moves, "play": play, "unplay": play,
                "pattern_rank": pattern_rank}
'''


def test_an_abstraction_bounds_a_game_of_another_file_that_does_not_start_solved(tmp_path: Path) -> None:
    """The abstraction imports the game's file, and the command line loads it a second time."""
    (tmp_path / "reversed_numbers.py").write_text(REVERSED)
    (tmp_path / "first_of_four.py").write_text(FIRST)
    abstraction = sb.load(str(tmp_path / "first_of_four.py"))
    check = sb.check(abstraction, samples=20)
    assert check.broken == ()
    database = sb.solve(abstraction, to=tmp_path / "first.db", mapped=True)
    game = sb.load(str(tmp_path / "reversed_numbers.py"))
    assert game != abstraction.original()
    line = sb.search(game, method="idastar", h=sb.PatternDatabases(game, [[database]]))
    assert (line.cost, line.verify()) == (6, [])
    with pytest.raises(BadRequest, match=r"bounds .*, not hanoi:3"):
        sb.PatternDatabases(sb.load("hanoi:3"), [[database]])
