"""Mistakes in the rules that would make values wrong without a word: solving, searching and proving refuse such games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import searchbench as sb
from graphs import GraphGame
from naive import explicit, outcomes
from searchbench import tried
from searchbench.errors import BadGame, BrokenRule
from searchbench.index import Part
from searchbench.rules import UNDECIDED
from searchbench.solvers.exhaustive import solve_parts, solve_states
from searchbench.store import Database
from searchbench.testing import beforehand, nearby
from searchbench.tried import try_before

# --- parts that do not name what they need -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unneeded(GraphGame):
    """A graph whose part `forgetful` does not name the part `forgotten`, if edges lead there; or itself."""

    forgetful: str = ""
    forgotten: str = ""

    def parts(self) -> Sequence[Part]:
        """Return the parts with what their edges need, but for one need."""
        return [
            part._replace(needs=tuple(need for need in part.needs if need != self.forgotten))
            if part.name == self.forgetful
            else part
            for part in super().parts()
        ]

    __hash__ = GraphGame.__hash__


def down(values: str, forgotten: str = "from 0") -> Unneeded:
    """Walk down a chain of ten nodes in two parts, from each by one or two, with one edge back within the upper part."""
    edges = [(node, node - step, 1, 0) for node in range(1, 10) for step in (1, 2) if step <= node]
    results = (0 if values != "outcome" else -1, *[UNDECIDED] * 9)
    return Unneeded(tuple(edges), results, values, cuts=(5,), first=9, forgetful="from 5", forgotten=forgotten)


TOLD = (
    r"parts\(\) of the game 'graphgame': move '\d+' leads from the state '\d' of part 'from 5' to '\d' of part 'from \d', which "
    r"'from 5' does not name among the parts that it needs: declare Part\('from 5', 5, 10, \('from \d', 'from \d'\)\)"
)


@pytest.mark.parametrize("forgotten", ["from 0", "from 5"])
@pytest.mark.parametrize("values", ["distance", "outcome", "score"])
@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_a_part_that_does_not_name_what_it_needs_is_refused(values: str, solver: str, forgotten: str) -> None:
    assert solve_states(down(values, ""), solver=solver, target="interpreted").states == 10
    with pytest.raises(BadGame, match=TOLD):
        solve_states(down(values, forgotten), solver=solver, target="interpreted")


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_parts_solved_one_by_one_are_refused_too(solver: str, tmp_path: Any) -> None:
    with pytest.raises(BadGame, match=TOLD):
        solve_parts(down("outcome"), "all", tmp_path / "parts", solver=solver)


@pytest.mark.long
def test_machine_code_refuses_the_only_move_of_many_that_leads_astray() -> None:
    nodes = 7_000
    edges = [(node, node - 1, 1, 0) for node in range(1, nodes) if node != 3_500] + [(6_500, 17, 1, 0)]
    results = tuple(0 if node in (0, 3_500) else UNDECIDED for node in range(nodes))
    game = Unneeded(tuple(edges), results, cuts=(3_500,), first=nodes - 1, forgetful="from 3500", forgotten="from 0")
    with pytest.raises(BadGame, match=r"leads from the state '6500' of part 'from 3500' to '17' of part 'from 0'"):
        solve_states(game, solver="retrograde", target="cpu")


# --- laws tried before solving -------------------------------------------------------------------------------------------

Rules = dict[str, Callable[..., Any]]


@dataclass(frozen=True)
class Heap(sb.Game):
    """Take 1, 2 or 3 from a heap, but not what was taken last; `wrong` names a mistake, made in some states or in all."""

    name: ClassVar[str] = "heap"
    dtype: ClassVar[Any] = np.int16
    values: str = "outcome"
    wrong: str = ""
    size: int = 20
    width = 2
    max_moves = 4
    max_unmoves = 6

    def index(self) -> Any:
        """Give each heap, with what was taken last (3 as 0), a number."""
        return None if self.wrong == "alias" else sb.index.Radix((self.size + 1, 3))

    def parts(self) -> Sequence[Part]:
        """Return one part, or two with a gap between."""
        half, size = 3 * (self.size // 2), 3 * self.size + 3
        if self.wrong == "gap":
            return [Part("low", 0, half - 1, ("low",)), Part("high", half, size, ("low", "high"))]
        return [Part("all", 0, size, ("all",))]

    def rules(self) -> Rules:
        """Return the rules with the mistake."""
        size, wrong, lost = self.size, self.wrong, 0 if self.values == "distance" else -1

        def start(state: Any) -> None:
            state[0], state[1] = size, 0

        def terminal(state: Any) -> int:
            return lost if state[0] == 0 or (state[0] == 1 and state[1] == 1) else UNDECIDED

        def moves(state: Any, out: Any) -> int:
            count = 0
            for taken in (1, 2, 3):
                if taken % 3 != state[1] and taken <= state[0]:
                    out[count] = taken * 4 + state[1]
                    count += 1
            if wrong == "moves twice" and count > 0:
                out[count] = out[0]
                count += 1
            if wrong == "state changed":
                state[1] = 0
            return count

        def unmoves(state: Any, out: Any) -> int:
            count, taken = 0, (3, 1, 2)[state[1]]
            for before in range(3):
                if before != taken % 3 and state[0] + taken <= size:
                    out[count] = taken * 4 + before
                    count += 1
            if wrong == "unmoves lack":
                return max(count - 1, 0)
            if wrong == "unmoves twice" and count > 0:
                out[count] = out[0]
                count += 1
            return count

        def play(state: Any, move: int) -> None:
            state[0] -= move // 4
            state[1] = move // 4 % 3

        def unplay(state: Any, move: int) -> None:
            state[0] += move // 4
            state[1] = 0 if wrong == "unplay" else move % 4

        def canonical(state: Any) -> None:
            if state[1] == 1:
                state[1] = 0

        def rank(state: Any) -> int:
            return int(state[0] * 3 + (0 if state[1] == 1 else state[1]))

        def unrank(number: int, state: Any) -> None:
            state[0], state[1] = number // 3, number % 3

        def legal(state: Any) -> bool:
            return bool(state[0] % 7 != 2)

        def mobility(state: Any, out: Any) -> int:
            return moves(state, out) + 1

        def successor_ranks(number: int, state: Any, out: Any, numbers: Any) -> int:
            unrank(number, state)
            count = moves(state, out)
            for index in range(count):
                numbers[index] = (state[0] - out[index] // 4) * 3
            return count

        def cost(state: Any, move: int) -> int:
            return 0 if state[0] == 9 else 1

        def inverse(move: int) -> int:
            return move

        def h(state: Any, tables: Any) -> int:
            return 0 if terminal(state) == 0 else int(state[0])

        more: dict[str, Rules] = {
            "canonical": {"canonical": canonical},
            "alias": {"rank": rank, "unrank": unrank},
            "legal": {"legal": legal},
            "mobility": {"mobility": mobility},
            "successor_ranks": {"successor_ranks": successor_ranks},
            "cost": {"cost": cost},
            "inverse": {"inverse": inverse},
            "h": {"h": h},
        }
        own: Rules = {
            "start": start,
            "terminal": terminal,
            "moves": moves,
            "unmoves": unmoves,
            "play": play,
            "unplay": unplay,
        }
        return own | more.get(wrong, {})


def test_right_values_are_those_of_the_naive_solver() -> None:
    graph, found = explicit(Heap()), sb.solve(Heap())
    naive = outcomes(graph)
    assert all(found.probe(state).outcome == naive[state][0] for state in graph.numbers.values())


@pytest.mark.parametrize(
    ("wrong", "law", "solver"),
    [
        ("unmoves lack", "moves-are-unmoves", "retrograde"),
        ("unmoves twice", "moves-differ", "retrograde"),
        ("moves twice", "moves-differ", "retrograde"),
        ("mobility", "mobility", "retrograde"),
        ("unplay", "unplay-undoes-play", "fixpoint"),
        ("state changed", "rules-leave-state", "fixpoint"),
        ("canonical", "canonical", "fixpoint"),
        ("alias", "unrank-of-rank", "fixpoint"),
        ("legal", "legal-closed", "bfs"),
        ("successor_ranks", "successor-ranks", "bfs"),
    ],
)
def test_a_law_that_values_rest_on_is_tried_before_solving(wrong: str, law: str, solver: str) -> None:
    with pytest.raises(BadGame, match=f"'heap' breaks the law {law}, so that values would be wrong: in the state '"):
        sb.solve(Heap(wrong=wrong), solver=solver)


def test_equal_moves_and_wrong_unmoves_do_not_matter_forwards() -> None:
    right = sb.solve(Heap(), solver="fixpoint").histogram()
    for wrong in ("moves twice", "unmoves lack"):
        assert sb.solve(Heap(wrong=wrong), solver="fixpoint").histogram() == right


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint", "bfs"])
def test_parts_that_do_not_divide_the_numbers_are_refused(solver: str) -> None:
    with pytest.raises(BadGame, match=r"parts that do not follow one another: 'high' has the numbers from 30"):
        sb.solve(Heap(wrong="gap"), solver=solver)


@pytest.mark.parametrize(
    ("wrong", "law"), [("cost", "costs-positive"), ("inverse", "inverse"), ("unplay", "unplay-undoes-play")]
)
def test_a_search_tries_the_laws_that_it_rests_on(wrong: str, law: str) -> None:
    with pytest.raises(BadGame, match=f"breaks the law {law}"):
        sb.search(Heap("distance", wrong))


def test_a_bound_above_the_cost_is_refused_before_the_search_where_the_cost_is_near() -> None:
    with pytest.raises(BadGame, match=r"breaks the law admissible.*h is 2, the distance is 1"):
        sb.search(Heap("distance", "h"), method="idastar")
    assert sb.search(Heap("distance"), method="idastar").optimal


def test_a_bound_above_the_cost_is_told_by_the_line_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearby, "MOST", 0)
    monkeypatch.setattr(tried, "_mark", lambda *_: None)  # another test is not to know that it has passed
    with pytest.raises(BadGame, match=r"`h` is 20 in the state '20 0', from which a line of cost \d+ was found"):
        sb.search(Heap("distance", "h"), method="idastar")


@dataclass(frozen=True)
class Road(sb.Game):
    """Walk down from a number by 1 at a cost of 1, or by 2 at a cost of 3; some functions that prune lose the cheap steps."""

    name: ClassVar[str] = "road"
    length: int = 20_000
    wrong: str = ""
    at: int = 3
    back: bool = False
    width = 1
    max_moves = 2
    dtype = np.int32

    def index(self) -> Any:
        """Return the numbers of the places."""
        return sb.index.Radix((self.length + 1,))

    def rules(self) -> Rules:
        """Return the rules."""
        length, at = self.length, self.at

        def start(state: Any) -> None:
            state[0] = length

        def terminal(state: Any) -> int:
            return 0 if state[0] == 0 else UNDECIDED

        def moves(state: Any, out: Any) -> int:
            out[0], out[1] = 2, 1
            return 2 if state[0] > 1 else wide(state, out)

        def wide(state: Any, out: Any) -> int:
            out[0] = 1
            return 1 if state[0] > 0 else 0

        def play(state: Any, move: int) -> None:
            state[0] -= move

        def unplay(state: Any, move: int) -> None:
            state[0] += move

        def cost(state: Any, move: int) -> int:
            return 2 * move - 1

        def unmoves(state: Any, out: Any) -> int:
            count = min(length - state[0], 2)
            out[0], out[1] = 1, 2
            return int(count)

        def dead(state: Any, tables: Any) -> bool:
            return bool(state[0] == at)

        def forced_move(state: Any, move: int, tables: Any) -> bool:
            return bool(state[0] == at and move == 2)

        def relevance_cut(state: Any, previous: int, move: int, tables: Any) -> bool:
            return bool(state[0] == at and move == 1)

        pruning = {"dead": dead, "forced_move": forced_move, "relevance_cut": relevance_cut}
        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "cost": cost,
            **({"unmoves": unmoves} if self.back else {}), **{name: rule for name, rule in pruning.items() if name == self.wrong},
        }  # fmt: skip


PRUNING = ["dead", "forced_move", "relevance_cut"]


@pytest.mark.parametrize("wrong", PRUNING)
def test_pruning_that_loses_cheapest_lines_near_the_start_is_refused_before_the_search(wrong: str) -> None:
    with pytest.raises(BadGame, match=r"breaks the law nothing-lost.*in the state '3'"):
        sb.search(Road(200, wrong))
    assert sb.search(Road(200, wrong, at=-1)).cost == 200  # which never cuts


@pytest.mark.parametrize("wrong", PRUNING)
def test_pruning_that_loses_cheapest_lines_near_solved_states_is_refused_before_the_search(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beforehand, "try_line", lambda line, near_its_end: None)
    with pytest.raises(BadGame, match=r"breaks the law nothing-lost.*in the state '3'"):
        sb.search(Road(wrong=wrong, back=True))
    assert sb.search(Road(wrong=wrong, at=-1, back=True)).cost == 20_000


@pytest.mark.parametrize("wrong", PRUNING)
def test_pruning_that_loses_cheapest_lines_far_from_the_start_is_refused_by_the_line_that_was_found(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tried, "_looked_around", Counter({Road: tried.ENDS - 1}))
    with pytest.raises(BadGame, match=r"breaks the law nothing-lost.*in the state '3'"):
        sb.search(Road(wrong=wrong))
    assert sb.search(Road(wrong=wrong, at=-1)).cost == 20_000
    monkeypatch.setattr(tried, "_looked_around", Counter({Road: tried.ENDS}))
    assert sb.search(Road(wrong=wrong)).cost > 20_000  # many searches of one game do not take longer


@dataclass(frozen=True)
class Row(sb.Game):
    """Exchange the first two or the last two of a row of three pieces, two of which look alike."""

    name: ClassVar[str] = "row"
    width = 3
    max_moves = 2

    def index(self) -> Any:
        """Return the numbers of the rows."""
        return sb.index.Multiset((2, 1))

    def rules(self) -> Rules:
        """Return the rules."""

        def start(state: Any) -> None:
            state[0], state[1], state[2] = 0, 0, 1

        def terminal(state: Any) -> int:
            return 0 if state[0] == 1 else UNDECIDED

        def moves(state: Any, out: Any) -> int:
            out[0], out[1] = 0, 1
            return 2

        def play(state: Any, move: int) -> None:
            state[move], state[move + 1] = state[move + 1], state[move]

        def reversal(state: Any) -> None:
            state[1], state[2] = state[2], state[1]

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": play, "reversal": reversal
        }  # fmt: skip


class Claimed(Row):
    """Claim that two moves that do the same in one state do so in all."""

    rearranges: ClassVar[bool] = True


def test_a_search_tries_the_claim_that_moves_are_rearrangements() -> None:
    with pytest.raises(BadGame, match="breaks the law rearranges"):
        sb.search(Claimed(), method="idastar", automaton=3)
    assert sb.search(Row(), method="idastar").cost == 2


def test_the_search_by_duality_tries_the_reversal() -> None:
    with pytest.raises(BadGame, match="breaks the law reversal"):
        sb.search(Row(), method="dual")
    assert sb.search(Row(), method="astar").cost == 2


def test_a_proof_tries_the_laws_that_it_rests_on() -> None:
    with pytest.raises(BadGame, match="breaks the law unplay-undoes-play"):
        sb.prove(Heap(wrong="unplay"))
    assert sb.prove(Heap()).outcome == sb.solve(Heap()).probe("start").outcome


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_a_move_that_is_not_taken_back_is_refused_by_the_solver_itself(solver: str) -> None:
    with pytest.raises(BrokenRule, match=r"taken back, gives '.*': `unplay` must undo `play`"):
        solve_states(Heap(wrong="unplay"), solver=solver, target="interpreted")
    found = solve_states(Heap(), solver=solver, target="interpreted")
    wrong = Heap(wrong="unplay")
    report = Database(wrong, found.rule, np.asarray(found.codes), {}).verify()
    assert {fault.claim for fault in report.faults} == {"unplay"}


@pytest.mark.parametrize("solver", ["retrograde", "fixpoint"])
def test_a_successor_that_is_no_position_is_refused_by_the_solver_itself(solver: str) -> None:
    with pytest.raises(BrokenRule, match="of which `legal` says that it cannot occur"):
        solve_states(Heap(wrong="legal"), solver=solver, target="interpreted")


# --- games that have passed are not tried again ---------------------------------------------------------------------------


class Open(Heap):
    """The same rules with another plain attribute."""

    note: ClassVar[str] = "another"


def test_a_game_that_has_passed_is_tried_again_only_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
    tried: list[str] = []
    noted = {name: lambda game, *_, of=name: tried.append(of) for name in beforehand.TRY_BEFORE}
    monkeypatch.setattr(beforehand, "TRY_BEFORE", noted)
    for _ in range(2):
        try_before("solve", Heap(), "bfs", False)
    assert tried == ["solve"]
    try_before("solve", Heap(), "retrograde", False)  # which rests on more laws
    try_before("search", Heap())
    try_before("search", Heap(size=21))
    try_before("search", Open())
    assert tried == ["solve", "solve", "search", "search", "search"]
    try_before("search", sb.load("sliding:2x3"))
    assert len(tried) == 5


def test_a_game_that_fails_is_tried_each_time_and_no_cache_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        with pytest.raises(BadGame, match="breaks the law"):
            sb.solve(Heap(wrong="canonical"), solver="fixpoint")
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert sb.solve(Heap(), solver="fixpoint").states > 0
