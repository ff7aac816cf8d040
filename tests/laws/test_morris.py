"""Nine Men's Morris: rules and symmetries against plain second versions, databases against Gasser's counts."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadMove, BadState
from searchbench.games.morris import Morris, board
from searchbench.games.morris.board import EDGES, MILLS
from searchbench.games.morris.placements import placements
from searchbench.index import contract, group, polya_count
from searchbench.reproduce.morris import RECOUNTED, both_ways
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.store import Database
from searchbench.values import Result

GASSER = json.loads((Path(__file__).parent.parent / "golden" / "morris_gasser_subspaces.json").read_text())["subspaces"]
PARTS = json.loads((Path(__file__).parent.parent / "golden" / "morris_parts.json").read_text())["parts"]
Men = frozenset[int]
Position = tuple[Men, Men]


# --- the twin: sets of points, mills as triples ---------------------------------------------------------------------------


def points(word: int) -> Men:
    """Return the points of a word of men."""
    return frozenset(point for point in range(24) if word >> point & 1)


def sets(state: list[int] | tuple[int, ...]) -> Position:
    """Return a state as sets."""
    return points(state[0]), points(state[1])


def milled(men: Men) -> set[int]:
    """Return the men that are in a mill."""
    return {point for mill in MILLS if men >= set(mill) for point in mill}


def replies(position: Position) -> Counter[Position]:
    """Return the positions after each legal move, seen by the opponent."""
    own, other = position
    found: Counter[Position] = Counter()
    for start in own:
        for end in set(range(24)) - own - other:
            if len(own) > 3 and (start, end) not in EDGES and (end, start) not in EDGES:
                continue
            after = own - {start} | {end}
            if end in milled(after):
                for victim in other - milled(other) or other:
                    found[other - {victim}, after] += 1
            else:
                found[other, after] += 1
    return found


def loses(position: Position) -> bool:
    """Tell whether the player to move has lost."""
    return len(position[0]) < 3 or not replies(position)


def wins_in(position: Position, plies: int) -> bool:
    """Tell whether the player to move can win in that many plies or fewer, by looking at every line."""
    return plies > 0 and any(loses_in(after, plies - 1) for after in replies(position))


def loses_in(position: Position, plies: int) -> bool:
    """Tell whether the player to move must lose in that many plies or fewer."""
    return loses(position) or (plies > 0 and all(wins_in(after, plies - 1) for after in replies(position)))


def random_state(rng: random.Random, own: int, other: int) -> list[int]:
    """Return a state with so many men: mostly the mover has two men of a mill, or the opponent has a whole one."""
    mill = rng.sample(rng.choice(MILLS), 3)
    rest = rng.sample([point for point in range(24) if point not in mill], 21)
    kind = rng.randrange(3)
    first = mill[:2] + rest if kind == 0 else rest
    theirs = mill + rest[::-1] if kind == 1 else rest[::-1]
    return [sum(1 << point for point in first[:own]), sum(1 << point for point in theirs[:other])]


# --- the rules --------------------------------------------------------------------------------------------------------------


def test_the_board() -> None:
    """Check that there are 16 mills, two through each point, and that the picture has its points where they belong."""
    assert len({frozenset(mill) for mill in MILLS}) == 16
    assert set(Counter(point for mill in MILLS for point in mill).values()) == {2}
    assert len(set(EDGES)) == 32
    board = Morris(3, 3).board()
    for a, b, c in MILLS:
        (ax, ay), (bx, by), (cx, cy) = (board.cells[point] for point in (a, b, c))
        assert (ax == bx == cx) != (ay == by == cy)
        assert (2 * bx, 2 * by) == (ax + cx, ay + cy)


@pytest.mark.parametrize("men", [(3, 3), (4, 3), (3, 4), (5, 4), (6, 6)])
def test_moves_are_those_of_the_twin(men: tuple[int, int]) -> None:
    game = Morris(max(men), max(men))
    rng = random.Random(sum(men))
    captures = 0
    for _ in range(40):
        state = random_state(rng, *men)
        assert (game.terminal(state) != UNDECIDED) == loses(sets(state))
        moves = game.moves(state)
        assert len(set(moves)) == len(moves) <= game.max_moves
        assert len({game.format_move(state, move) for move in moves}) == len(moves)
        after = [game.play(state, move) for move in moves]
        assert Counter(map(sets, after)) == (Counter() if loses(sets(state)) else replies(sets(state)))
        for move, successor in zip(moves, after, strict=True):
            assert game.unplay(successor, move) == state
            assert move in unmoves(game, successor)
            captures += move >> 10 > 0
    assert captures > 5


@pytest.mark.parametrize("men", [(3, 3), (4, 3), (3, 4), (2, 3), (2, 4), (5, 4), (6, 6)])
def test_unmoves_taken_back_are_moves(men: tuple[int, int]) -> None:
    game = Morris(max(men), max(men))
    rng = random.Random(sum(men))
    met = 0
    for _ in range(40):
        state = random_state(rng, *men)
        found = unmoves(game, state)
        for move in rng.sample(found, min(len(found), 20)):
            before = game.unplay(state, move)
            assert game.rank(before) != NOWHERE
            assert move in game.moves(before)
            assert game.play(before, move) == state
            met += 1
    assert met > 100


def unmoves(game: Morris, state: list[int]) -> list[int]:
    """Return the moves that can have led to a state, each once."""
    kept, out = list(state), [0] * game.max_unmoves
    count = game.call("unmoves", kept, out)
    assert kept == state
    assert len(set(out[:count])) == count
    return out[:count]


def test_a_man_in_a_mill_is_safe_unless_all_are() -> None:
    game = Morris(3, 4)
    closing = {"WW.W..../......../BBB.....": {"c5", "d5", "e5"}, "WW.W..../......../BBB...B.": {"c3"}}
    for text, victims in closing.items():
        texts = [move for move in game.position(text).moves() if move.startswith("g4-g7")]
        assert {move.partition("x")[2] for move in texts} == victims


def test_notation() -> None:
    game = load("morris:3,3")
    assert game == Morris(3, 3)
    for state in (game.start(), game.parse("WWW..... ........ BBB.....")):
        assert game.read(game.format(state)) == state
    assert game.picture(game.parse("WBW...../B....W../.......B")) == "\n".join(
        ["W     B     W", "  B   .   .", "    . . .", ". . B   . . .", "    . . .", "  .   W   .", ".     .     ."]
    )
    for text in ("WWW", "WWW.....BBB.....X.......", "WW....../......../......BB", "WWWW..../......../.....BBB"):
        with pytest.raises(BadState):
            game.read(text)
    with pytest.raises(BadMove):
        game.position().play("a7-d7")
    for own, other in ((2, 3), (3, 10)):
        with pytest.raises(ValueError, match="3 to 9"):
            Morris(own, other)


# --- symmetries and numbers -----------------------------------------------------------------------------------------------


def symmetry(element: int) -> tuple[int, ...]:
    """Return where a symmetry takes each point."""
    return tuple(board.image(1 << point, element).bit_length() - 1 for point in range(24))


def test_the_symmetries_are_two_groups_of_the_board() -> None:
    elements = [symmetry(element) for element in range(48)]
    assert elements[0] == tuple(range(24))
    mills = {frozenset(mill) for mill in MILLS}
    lines = {frozenset(edge) for edge in EDGES}
    for size, kept in ((16, lines), (48, mills)):
        assert set(group(elements[:size])) == set(elements[:size])
        assert len(set(elements[:size])) == size
        for element in elements[:size]:
            assert {frozenset(element[point] for point in line) for line in kept} == kept


def test_no_other_permutation_keeps_the_mills() -> None:
    """Count them by extending partial ones point by point."""
    mills = [set(mill) for mill in MILLS]
    together = [{other for mill in mills if point in mill for other in mill} for point in range(24)]

    def count(images: tuple[int, ...]) -> int:
        point = len(images)
        if point == 24:
            return all({images[p] for p in mill} in mills for mill in mills)
        return sum(
            count((*images, image))
            for image in set(range(24)) - set(images)
            if all((earlier in together[point]) == (images[earlier] in together[image]) for earlier in range(point))
        )

    assert count(()) == 48


def test_orbits_are_as_many_as_polya_counts() -> None:
    elements = [symmetry(element) for element in range(48)]
    assert polya_count(elements, (3, 3, 18)) == GASSER["3-3"]["total"] == 56922
    assert polya_count(elements[:16], (3, 3, 18)) == 169626
    assert polya_count(elements[:16], (4, 4, 16)) == GASSER["4-4"]["total"] == 3225597
    for men, orbits in ((3, 158), (4, 757), (5, 2830), (6, 8774)):  # Gasser 1995, section 5.4
        assert len(placements(men, 16, 9).representative) == orbits
    assert len(placements(3, 48, 9).representative) == polya_count(elements, (3, 21))


@pytest.mark.parametrize("men", [(3, 3), (3, 4), (4, 3), (5, 5), (6, 4)])
def test_canonical_is_the_least_image(men: tuple[int, int]) -> None:
    game = Morris(max(men), max(men))
    rng = random.Random(sum(men))
    count = game.symmetries
    for _ in range(200):
        state = random_state(rng, *men)
        images = [[board.image(word, element) for word in state] for element in range(count)]
        least = min(images, key=lambda words: sorted(words, key=lambda word: -word.bit_count()))
        assert {tuple(game.canonical(one)) for one in images} == {tuple(least)}
        number = game.rank(state)
        assert game.unrank(number) == game.canonical(state)
        part = next(part for part in game.parts() if part.start <= number < part.stop)
        assert part.name == f"{men[0]}-{men[1]}"


def test_every_number_of_three_against_three() -> None:
    game = Morris(3, 3)
    rank, unrank = (jit.bind(rule, game.names(target="interpreted")) for rule in (contract.rank, contract.unrank))
    state = [0, 0]
    size = game.parts()[-1].stop
    assert size == 62 * comb(21, 3)
    for number in range(size):
        unrank(number, state)
        assert state[0] & state[1] == 0
        assert (state[0].bit_count(), state[1].bit_count()) == (3, 3)
        assert rank(state) == number


# --- the databases -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database() -> Database:
    """Return all values of three men against three, by retrograde analysis."""
    return solve_states(Morris(3, 3), solver="retrograde", run=Run(threads=1))


def outcomes(database: Database, part: str) -> dict[str, int]:
    """Return how many states of a part are won, lost and drawn."""
    counts = {"won": 0, "lost": 0, "drawn": 0}
    for value, count in database.histogram(part).items():
        counts[{1: "won", -1: "lost", 0: "drawn"}[value.outcome]] += count
    return counts


def test_three_against_three(database: Database) -> None:
    golden = GASSER["3-3"]
    assert outcomes(database, "3-3") == {key: golden[key] for key in ("won", "lost", "drawn")}
    assert database.states == database.game.known()["states"] == 56922
    losses = [value.depth for value in database.histogram() if value.outcome < 0]
    assert max(losses) == golden["longest_loss_plies_computed"] == 26
    assert database.probe() == Result(-1, 26)


def test_solvers_and_threads_agree(database: Database) -> None:
    for solver, threads in (("retrograde", 2), ("fixpoint", 1)):
        solved = solve_states(Morris(3, 3), solver=solver, run=Run(threads=threads), block_bits=12)
        assert solved.codes.tobytes() == database.codes.tobytes()


def test_values_follow_from_the_twins_rules(database: Database) -> None:
    """Look one ply ahead from states chosen at random, and a few plies ahead by looking at every line."""
    rng = random.Random(3)
    for _ in range(80):
        state = random_state(rng, 3, 3)
        value = database.probe(state)
        after = [database.probe(words(successor)) for successor in replies(sets(state))]
        won = [1 + one.depth for one in after if one.outcome < 0]
        lost = [1 + one.depth for one in after if one.outcome > 0]
        if won:
            assert value == Result(1, min(won))
        elif len(lost) == len(after):
            assert value == Result(-1, max(lost))
        else:
            assert value == Result(0)
    for _ in range(8):
        position = sets(random_state(rng, 3, 3))
        value = database.probe(words(position))
        assert wins_in(position, 1) == (value == (1, 1))
        assert loses_in(position, 2) == (value == (-1, 2))


def words(position: Position) -> tuple[int, ...]:
    """Return sets as a state."""
    return tuple(sum(1 << point for point in men) for men in position)


@pytest.mark.long
def test_four_against_three() -> None:
    """Solve with captures that lead to another part; without the interchange of rings 3-3 has more states."""
    solved = solve_states(Morris(4, 3))
    for part, side in (("4-3", "4 against 3"), ("3-4", "3 against 4")):
        assert outcomes(solved, part) == GASSER["4-3"]["by_player_to_move_computed"][side]
    more = GASSER["3-3"]["without_ring_interchange_computed"]
    assert outcomes(solved, "3-3") == {key: more[key] for key in ("won", "lost", "drawn")}


@pytest.mark.long
def test_parts_by_name_have_the_golden_counts(tmp_path: Path) -> None:
    solved = solve_parts(Morris(), "4-4,5-3", tmp_path / "db", run=Run(threads=1))
    assert {part.name for part in solved.parts} == {"3-3", "3-4", "4-3", "3-5", "5-3", "4-4"}
    for part in solved.parts:
        longest = max(value.depth for value in solved.histogram(part.name))
        assert {**outcomes(solved, part.name), "longest": longest} == PARTS[part.name]


def test_golden_counts_are_the_papers() -> None:
    """Add up both sides to move; where the paper counts positions twice, they are draws there. It tells plies of 6-4 (157).

    In 9-7 it leaves positions out, and has other values for others: `verify --parts 9-7,7-9` found no fault in ours.
    """
    found = {name: [PARTS.get(part) for part in both_ways(name)] for name in GASSER if name != "3-3"}
    solved = {name: sides for name, sides in found.items() if None not in sides}
    assert len(solved) == len(GASSER) - 1 == 27
    assert sum(side[kind] for side in solved.pop("9-7") for kind in ("won", "lost", "drawn")) == RECOUNTED["9-7"]
    for name, sides in solved.items():
        surplus = GASSER[name]["total"] - RECOUNTED.get(name, GASSER[name]["total"])
        for kind, twice in (("won", 0), ("lost", 0), ("drawn", surplus)):
            assert sum(side[kind] for side in sides) == GASSER[name][kind] - twice
    assert max(side["longest"] for side in solved["6-4"]) == 157


# --- the index of nine men ---------------------------------------------------------------------------------------------------


def test_the_index_is_as_small_as_it_can_be_told() -> None:
    """Compare with Gasser's range, and the number of orbits of nine men without a mill (1995, section 5.4)."""
    assert [len(placements(men, 16, 9).representative) for men in range(1, 10)] == [
        4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880,
    ]  # fmt: skip
    assert len(placements(9, 16, 0).representative) == 38040
    total = sum(part["total"] for part in GASSER.values())
    assert total < max(part.stop for part in Morris().parts()) < 1.0559 * total


@pytest.mark.parametrize("men", [(9, 9), (9, 3), (3, 9), (9, 8), (8, 9), (9, 6), (7, 9), (8, 8), (8, 6)])
def test_numbers_of_many_men(men: tuple[int, int]) -> None:
    game = Morris()
    part = next(part for part in game.parts() if part.name == f"{men[0]}-{men[1]}")
    rng = random.Random(sum(men))
    legal = 0
    for number in [part.start, part.stop - 1, *(rng.randrange(part.start, part.stop) for _ in range(300))]:
        state = game.unrank(number)
        assert tuple(word.bit_count() for word in state) == men
        assert state[0] & state[1] == 0
        assert game.call("rank", list(state)) == number
        reachable = all(least_closings(sets(state)[k]) <= 9 - men[1 - k] for k in (0, 1))
        assert game.call("legal", list(state)) == reachable
        if reachable:
            legal += 1
            images = [[board.image(word, element) for word in state] for element in range(16)]
            assert {game.rank(one) for one in images} == {game.rank(state)}
            fixing = sum(one == state for one in images)
            assert game.call("stabilizer", list(images[5])) == fixing
    assert legal > 100


def least_closings(men: Men) -> int:
    """Return the least number of points that meet all mills of some men, by trying."""
    mills = [set(mill) for mill in MILLS if men >= set(mill)]
    return next(
        count
        for count in range(10)
        if any(all(mill & set(some) for mill in mills) for some in combinations(sorted(men), count))
    )


# --- where the paper counts other positions -------------------------------------------------------------------------------

BLOCK = frozenset({0, 1, 2, 8, 9, 10, 16, 17, 18})
"""Three sides next to each other, and the spoke through them: four mills, closed three times at least."""


def orbits_beside(men: Men, others: int, most_closings: int) -> int:
    """Count, up to the symmetries that leave some men as they are, the sets of other men that have closed few mills."""
    elements = [symmetry(element) for element in range(16)]
    fixing = [element for element in elements if {element[point] for point in men} == men]
    seen: set[Men] = set()
    orbits = 0
    for some in map(frozenset, combinations(sorted(set(range(24)) - men), others)):
        if some not in seen and least_closings(some) <= most_closings:
            orbits += 1
            seen |= {frozenset(element[point] for point in some) for element in fixing}
    return orbits


@pytest.mark.parametrize("part", ["9-3", "9-4", "9-5", "9-6", "8-6", "8-7"])
def test_the_paper_counts_the_block_twice(part: str) -> None:
    """Find the paper's surplus: the positions of one set of men once more, for either side to move."""
    many, few = map(int, part.split("-"))
    men = BLOCK if many == 9 else BLOCK - {18}
    assert least_closings(men) <= 9 - few  # so the positions are there
    surplus = GASSER[part]["total"] - RECOUNTED[part]
    assert surplus == 2 * orbits_beside(men, few, 9 - many)


def test_the_paper_leaves_out_four_mills_closed_two_at_a_time() -> None:
    """In 9-7 two closings suffice for four mills that meet in pairs; the paper has them only where they fill a ring."""
    closed_twice = [
        points(word)
        for word in placements(9, 16, 2).representative.tolist()
        if sum(word & mask == mask for mask in (sum(1 << point for point in mill) for mill in MILLS)) == 4
        and not any(word >> shift & 255 == 255 for shift in (0, 8, 16))
    ]
    assert all(least_closings(men) == 2 for men in closed_twice)
    lacking = 2 * sum(orbits_beside(men, 7, 0) for men in closed_twice)
    assert RECOUNTED["9-7"] - GASSER["9-7"]["total"] == lacking == 38728
