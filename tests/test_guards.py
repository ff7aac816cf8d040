"""Mistakes of a user's game that machine code would not see are refused: lists that are too long, cells that are cut off."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from unittest import mock

import numpy as np
import pytest

import searchbench as sb
from searchbench import jit
from searchbench.errors import BadGame, BrokenRule
from searchbench.games.hanoi import Hanoi
from searchbench.rules import moves, new_moves, new_state, unmoves
from searchbench.solvers.exhaustive import solve_states
from searchbench.solvers.exhaustive.schedule import Chunks


class Steps(NamedTuple):
    """The data of a ring: how many moves its last place has."""

    last: int


@dataclass(frozen=True)
class Ring(sb.Game):
    """Places on a ring: each has two moves, the last one as many as `last` says."""

    name: ClassVar[str] = "ring"
    places_round: int = 20
    last: int = 2
    from_data: bool = False
    width = 1
    max_moves = 3
    max_unmoves = 2

    def index(self) -> Any:
        """Give each place a number."""
        return sb.index.Radix([self.places_round])

    def data(self) -> Any:
        """Return the moves of the last place where they are data."""
        return Steps(self.last) if self.from_data else None

    def rules(self) -> dict[str, Any]:
        """Step on; the first place is the goal."""
        places_round, last = self.places_round, self.last

        def start(state: Any) -> None:
            state[0] = 1

        def terminal(state: Any) -> int:
            return 0 if state[0] == 0 else sb.UNDECIDED

        def steps(state: Any, out: Any, most: int) -> int:
            count = most if state[0] == places_round - 1 else 2
            for index in range(count):
                out[index] = index + 1
            return count

        def moves(state: Any, out: Any) -> int:
            return int(steps(state, out, last))

        def moves_by_data(state: Any, out: Any, data: Any) -> int:
            return int(steps(state, out, data.last))

        def play(state: Any, move: int) -> None:
            state[0] = (state[0] + move) % places_round

        def unplay(state: Any, move: int) -> None:
            state[0] = (state[0] - move) % places_round

        return {
            "start": start, "terminal": terminal, "moves": moves_by_data if self.from_data else moves,
            "unmoves": moves, "play": play, "unplay": unplay,
        }  # fmt: skip


def count_moves(place: int) -> int:
    """Count the moves of a place."""
    state = new_state()
    state[0] = place
    return moves(state, new_moves())


def count_unmoves(place: int) -> int:
    """Count the moves backwards of a place."""
    state = new_state()
    state[0] = place
    return unmoves(state, new_moves())


@pytest.mark.parametrize("from_data", [False, True])
def test_lists_that_are_too_long_are_refused_in_machine_code(from_data: bool) -> None:
    right, wrong = Ring(last=3, from_data=from_data), Ring(last=4, from_data=from_data)
    assert jit.bind(count_moves, right.names())(19) == 3
    count = jit.bind(count_moves, wrong.names())
    assert count(18) == 2
    with pytest.raises(BadGame, match=r"`moves` of the game 'ring' wrote more moves than `max_moves` says, 3"):
        count(19)


def test_too_many_moves_backwards_are_refused_in_machine_code() -> None:
    count = jit.bind(count_unmoves, Ring(last=3).names())
    assert count(18) == 2
    with pytest.raises(BadGame, match=r"`unmoves` of the game 'ring' .* `max_unmoves` says, 2"):
        count(19)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_solver_ends_with_that_error(threads: int) -> None:
    with pytest.raises(BadGame, match="more moves than `max_moves` says, 3"):
        solve_states(Ring(last=40), solver="bfs", run=sb.Run(threads=threads, memory=64 << 20), target="cpu")


class Moving(Ring):
    """A ring whose last place is left when somebody asks whether it is the goal."""

    def rules(self) -> dict[str, Any]:
        """Change the state where nothing but `play` may."""
        last = self.places_round - 1

        def terminal(state: Any) -> int:
            if state[0] == last:
                state[0] = 3
            return 0 if state[0] == 0 else sb.UNDECIDED

        return {**super().rules(), "terminal": terminal}


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_a_rule_that_changes_the_state_is_named_with_it(solver: str) -> None:
    with pytest.raises(BrokenRule, match="`terminal` changes the state '19' to '3': only `play`"):
        solve_states(Moving(), solver=solver, run=sb.Run(threads=1, memory=64 << 20), target="interpreted")


class Roomy(Ring):
    """A ring that says much more of its moves backwards than it needs, so that lists have room for hundreds."""

    max_unmoves = 100


def test_requests_need_no_pages_for_the_room_that_finds_lists_too_long() -> None:
    """Breadth-first search asked for that room, found none however often the buckets were emptied, and never ended."""
    tries = itertools.count()
    original = Chunks.put_back

    def note(chunks: Chunks, first: int, stop: int) -> None:
        assert next(tries) < 100, "the same states are put back again and again"
        original(chunks, first, stop)

    with mock.patch.object(Chunks, "put_back", note):
        database = sb.solve(Roomy(places_round=100), "depth", "bfs", form="values", threads=2)
    assert [database.probe([place]) for place in (1, 2, 3, 99, 0)] == [0, 1, 1, 49, 50]


def test_interpreted_python_refuses_the_list_itself() -> None:
    with pytest.raises(IndexError):
        jit.bind(count_moves, Ring(last=4).names(target="interpreted"))(19)


def test_guards_say_nothing_of_the_rules() -> None:
    """A fingerprint is that of the functions as they are supplied, and shipped games, whose laws are tested, have no guards."""
    assert Ring(last=3).names()["moves"] is not Ring(last=3).names(target="interpreted")["moves"]
    assert Hanoi(3).names()["moves"] is Hanoi(3).names(target="interpreted")["moves"]
    for name, function in Ring().names(target="interpreted").items():
        assert getattr(function, "__module__", None) != "searchbench.guards", name


def test_cells_that_the_dtype_does_not_hold_are_refused() -> None:
    with pytest.raises(
        BadGame, match=r"for its last number, 199, the index .* writes 199 into cell 0: .* -128 \.\. 127"
    ):
        solve_states(Ring(places_round=200), solver="bfs", target="interpreted")

    @dataclass(frozen=True)
    class Wide(Ring):
        dtype: ClassVar[Any] = np.int16

    assert solve_states(Wide(places_round=200), solver="bfs", target="interpreted").states == 200
