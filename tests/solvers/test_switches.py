"""Switches of pattern databases: inverse states, depths modulo a number, least bounds of blocks, fewer images."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit, rules
from searchbench.abstractions.sliding_groups import SlidingGroups
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.heuristics import PatternDatabases, heuristic
from searchbench.heuristics.residues import digits_of_bytes, modulus_of, packed, per_byte
from searchbench.reproduce.compressed import count_differences
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.guided import search_state
from searchbench.solvers.guided.contract import h_init, h_prefetch, h_update
from searchbench.solvers.guided.depthfirst import NEVER
from searchbench.store import Database


def solve(spec: str, **options: Any) -> Database:
    """Solve with little memory, interpreted where that is quicker: forms are machine code."""
    game = load(spec)
    target: jit.Target = "cpu" if "form" in options else game.quickest_target
    return solve_states(game, run=Run(memory=256 << 20, threads=1), target=target, **options)


@pytest.fixture(scope="module")
def pancakes() -> Database:
    """Return the pattern of the three largest of seven pancakes."""
    return solve("pancake-pattern:7,4-5-6")


@pytest.mark.parametrize(
    ("spec", "patterns"),
    [
        ("pancake:7", ("pancake-pattern:7,4-5-6", "pancake-pattern:7,1-2")),
        ("top-spin:7,3", ("top-spin-pattern:7,3,0-1-2", "top-spin-pattern:7,3,4")),
    ],
)
@pytest.mark.parametrize("dual", [False, True])
def test_patterns_of_more_and_of_fewer_elements_are_looked_up_together(
    spec: str, patterns: tuple[str, ...], dual: bool
) -> None:
    game, chance = load(spec), random.Random(8)
    databases = [solve(one) for one in patterns]
    alone = [PatternDatabases(game, [[one]], dual=dual) for one in databases]
    for ones in (databases, databases[::-1]):
        together = PatternDatabases(game, [[one] for one in ones], dual=dual)
        for _ in range(20):
            state = game.unrank(chance.randrange(game.parts()[-1].stop))
            assert together.bound(state) == max(one.bound(state) for one in alone)


# --- depths modulo a number ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "pattern", "modulus"),
    [
        ("pancake:7", "pancake-pattern:7,4-5-6", 3),
        ("rubik:clockwise", "rubik-pattern:UR-UF,clockwise", 5),
        ("sliding:3x3", "sliding-groups:3x3,1-2-3", 3),
    ],
)
def test_depths_follow_along_every_move(spec: str, pattern: str, modulus: int) -> None:
    """Row E12: how much a move changes the bound says which modulus will do, also where moves go one way."""
    game, database = load(spec), solve(pattern)
    assert modulus_of(database) == modulus
    whole, packed = PatternDatabases(game, [[database]]), PatternDatabases(game, [[database]], modulo=True)
    assert packed.modulus == modulus
    assert packed.tables(game.start())[1].nbytes == -(-database.size // {3: 5, 5: 3}[modulus])
    names = [jit.Names({**game.names(target="interpreted"), **one.names()}, "interpreted") for one in (whole, packed)]
    following = [(jit.bind(h_prefetch, one), jit.bind(h_update, one)) for one in names]
    chance, state = random.Random(8), game.start()
    carried = [np.zeros((2, one["H_STATE_SIZE"]), np.int64) for one in names]
    tables = [one.tables(state) for one in (whole, packed)]
    for one, table, room in zip(names, tables, carried, strict=True):
        jit.bind(h_init, one)(list(state), table, room, 0)
    for _ in range(60):
        moves = game.moves(state)
        chance.shuffle(moves)
        for move in moves[:4]:
            bounds = []
            for (ready, follow), table, room in zip(following, tables, carried, strict=True):
                ready(list(state), move, table, room, 0, 1)
                bounds.append(follow(list(state), move, table, 0, NEVER, room, 0, 1))
            assert bounds[0] == bounds[1] == whole.bound(game.play(state, move))
        for room in carried:
            room[0] = room[1]
        state = game.play(state, moves[:4][-1])


def test_the_bound_rises_by_three_where_turns_go_one_way() -> None:
    """What a clockwise quarter turn does takes three to undo."""
    database = solve("rubik-pattern:UR-UF,clockwise")
    game = database.game
    assert game.one_way  # type: ignore[attr-defined]
    depths = list(database.codes.astype(int) - 1)
    rises = []
    for number in range(database.size):
        state = game.unrank(number)
        rises += [depths[game.rank(game.play(state, move))] - depths[number] for move in game.moves(state)]
    assert (min(rises), max(rises)) == (-1, 3)


@pytest.mark.parametrize(("modulus", "count"), [(3, 5), (4, 4), (5, 3), (6, 3), (7, 2), (16, 2), (17, 1)])
def test_digits_of_a_byte(modulus: int, count: int) -> None:
    assert per_byte(modulus) == count
    digits = digits_of_bytes(modulus)
    assert digits.shape == (256, count)
    told = (digits * modulus ** np.arange(count)).sum(axis=1)
    assert [int(byte) for byte in told[: modulus**count]] == list(range(modulus**count))[:256]


def test_a_wrong_residue_is_noticed(pancakes: Database) -> None:
    """The row E12 compares every move of every state."""
    residues, digits = packed(pancakes, 3), digits_of_bytes(3)
    count = jit.bind(count_differences, pancakes.game.names(target="interpreted"))
    assert count(pancakes.codes, residues, digits, 3, 0, pancakes.size) == 0
    residues[7] = (residues[7] + 1) % 243
    assert count(pancakes.codes, residues, digits, 3, 0, pancakes.size) > 0


# --- inverse states, blocks, images ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "pattern", "target"),
    [
        ("pancake:7", "pancake-pattern:7,4-5-6", "cpu"),
        ("top-spin:8,4", "top-spin-pattern:8,4,0-1-5", "interpreted"),
    ],
)
def test_inverse_states_are_looked_up_as_well(spec: str, pattern: str, target: jit.Target) -> None:
    game, database = load(spec), solve(pattern)
    plain, dual = PatternDatabases(game, [[database]]), PatternDatabases(game, [[database]], dual=True)
    depths, better = naive.depths(game), 0
    for state in random.Random(1).sample(list(depths), 150):
        inverse = list(state)
        game.call("dual_state", inverse)
        assert depths[tuple(inverse)] == depths[state]
        assert dual.bound(state) == max(plain.bound(state), plain.bound(inverse)) <= depths[state]
        better += dual.bound(state) > plain.bound(state)
    assert better > 20
    for state in random.Random(2).sample(list(depths), 8):
        lines = [search_state(game, state, "idastar", Run(threads=1), h=one, target=target) for one in (plain, dual)]
        assert [line.cost for line in lines] == [depths[state]] * 2
        assert not lines[1].verify()


def test_least_bounds_of_blocks_are_bounds(pancakes: Database) -> None:
    game = load("pancake:7")
    plain = PatternDatabases(game, [[pancakes]])
    depths, nodes = naive.depths(game), []
    for block in (2, 4, 11):
        chosen = PatternDatabases(game, [[pancakes]], block=block)
        assert chosen.tables(game.start())[1].nbytes == -(-pancakes.size // block)
        for state in random.Random(3).sample(list(depths), 60):
            number = pancakes.game.rank(pancakes.game.parse(seen(state)))
            first = number // block * block
            least = min(int(code) - 1 for code in pancakes.codes[first : first + block])
            assert chosen.bound(state) == least <= plain.bound(state) <= depths[state]
        state = random.Random(4).choice(list(depths))
        target: jit.Target = "cpu" if block == 2 else "interpreted"  # each block is a constant of its own
        line = search_state(game, state, "idastar", Run(threads=1), h=chosen, target=target)
        assert line.cost == depths[state]
        nodes.append(line.nodes)
    assert nodes == sorted(nodes)


def seen(state: tuple[int, ...]) -> str:
    """Return what the pattern sees of a stack."""
    return " ".join(str(size) if size > 3 else "x" for size in state)


def test_images_can_be_left_out() -> None:
    game = load("rubik")
    database = solve("rubik-pattern:UR-UF", solver="bfs")
    chosen = [PatternDatabases(game, [[database]], images=count) for count in (1, 4, True)]
    state = game.read("R U F2 D' L B U")
    bounds = [one.bound(state) for one in chosen]
    assert bounds == sorted(bounds)
    assert bounds[0] == PatternDatabases(game, [[database]], images=False).bound(state)
    assert bounds[-1] <= 7
    everything = PatternDatabases(game, [[database]], dual=True)
    assert bounds[-1] <= everything.bound(state) <= 7
    for one in (chosen[1], everything):
        line = search_state(game, "R U F2 D'", "idastar", Run(threads=1), h=one, target="interpreted")
        assert (line.cost, line.verify()) == (4, [])


def test_switches_are_written_behind_the_folders(pancakes: Database, tmp_path: Path) -> None:
    game, folder = load("pancake:7"), tmp_path / "p.db"
    pancakes.save(folder, mapped=True)
    dual, packed, least = (heuristic(game, f"{folder},{switch}") for switch in ("dual", "modulo", "min:4"))
    assert isinstance(dual, PatternDatabases)
    assert isinstance(packed, PatternDatabases)
    assert isinstance(least, PatternDatabases)
    assert (packed.modulus, least.block) == (3, 4)
    state = "6 2 0 5 1 4 3"
    assert least.bound(state) <= packed.bound(state) <= dual.bound(state)
    costs = {search_state(game, state, "idastar", Run(threads=1), h=one).cost for one in (dual, packed, least)}
    assert costs == {naive.depths(game)[tuple(game.read(state))]}
    with pytest.raises(BadRequest, match="switches are"):
        heuristic(game, "dual")


def test_least_bounds_of_states_that_share_a_number_jump() -> None:
    """A move of a tile can change the least depth over all places of the empty cell by 3: modulo 3 it would be wrong."""
    game, database = load("sliding:3x3"), solve("sliding-pattern:3x3,1-2-3")
    whole, changes = PatternDatabases(game, [[database]], images=False), set()
    for number in range(database.states):
        state = game.unrank(number)
        before = whole.bound(state)
        changes |= {whole.bound(game.play(state, move)) - before for move in game.moves(state)}
        if max(changes) > 1:
            break
    assert max(changes) > 1
    with pytest.raises(BadRequest, match="share a number"):
        PatternDatabases(game, [[database]], modulo=True)


@dataclass(frozen=True)
class Dear(SlidingGroups):
    """Let each move of tiles of the 8-puzzle cost so much."""

    name = "dear"
    price: int = 1

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with their price."""
        price = self.price

        def cost(state: rules.State, move: int) -> int:
            return price

        return {**super().rules(), "cost": cost}


def test_moves_that_cost_more_need_more_than_modulo_3() -> None:
    """With a price of 2 a move lowers the bound by 2, which depths modulo 3 do not tell from a rise by 1."""
    cheap, dear = (
        solve_states(Dear(3, 3, "1-2-3", price=price), solver="retrograde", run=Run(threads=1), target="interpreted")
        for price in (1, 2)
    )
    assert modulus_of(cheap) == 3
    with pytest.raises(BadRequest, match="lowers it by more than 1"):
        modulus_of(dear)


def test_switches_that_do_not_suit_are_refused(pancakes: Database) -> None:
    game = load("pancake:7")
    residues = solve("pancake-pattern:7,4-5-6", solver="bfs", form="two-bit")
    with pytest.raises(BadRequest, match="changes by any amount"):
        PatternDatabases(game, [[pancakes]], dual=True, modulo=True)
    with pytest.raises(BadRequest, match="no least one"):
        PatternDatabases(game, [[residues]], block=4)
    with pytest.raises(BadRequest, match="1 to 64"):
        PatternDatabases(game, [[pancakes]], block=0)
    with pytest.raises(BadRequest, match="does not tell"):
        PatternDatabases(load("sliding:2x3"), [[solve("sliding-pattern:2x3,1-2")]], dual=True)
    one_way = load("rubik:clockwise")
    with pytest.raises(BadRequest, match="one way"):
        PatternDatabases(one_way, [[solve("rubik-pattern:UR,clockwise")]], dual=True)
    with pytest.raises(BadRequest, match="retrograde"):
        PatternDatabases(one_way, [[solve("rubik-pattern:UR,clockwise", solver="bfs")]])
