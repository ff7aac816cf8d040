"""Claims that a class inherits with other rules: they are not believed, and what cannot be left out is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests import naive

import derived_combinations
import searchbench as sb
from searchbench.errors import BadGame, BadRequest, DamagedData, Unsolvable
from searchbench.game import Game, _functions, _names
from searchbench.games.connect4 import Connect4
from searchbench.games.frogs_and_toads import FrogsAndToads
from searchbench.games.pancake import Pancake
from searchbench.games.sliding import Sliding
from searchbench.games.sokoban import Sokoban
from searchbench.games.top_spin import TopSpin
from searchbench.inherited import RESTS_ON, replaced
from searchbench.rules import UNDECIDED, State
from searchbench.solvers.exhaustive import by_products, by_rows
from searchbench.store.modulo import obstacle
from twisty import Claiming

Rules = Mapping[str, Callable[..., Any]]


def only(rules: Rules, wanted: Callable[[State, int], bool]) -> Rules:
    """Return rules whose moves are those of others that are wanted, and no more; each must be its own unmove."""
    told = rules["moves"]

    def moves(state: State, out: MutableSequence[int]) -> int:
        count = 0
        for place in range(told(state, out)):
            if wanted(state, out[place]):
                out[count] = out[place]
                count += 1
        return count

    return {**rules, "moves": moves, "unmoves": moves}


@dataclass(frozen=True)
class FewerTurns(TopSpin):
    """The turntable never turns the first tokens of the line."""

    name: ClassVar[str] = "fewer-turns"

    def rules(self) -> Rules:
        """Return the rules without a move."""

        def wanted(_state: State, move: int) -> bool:
            return move != 0

        return only(super().rules(), wanted)


@dataclass(frozen=True)
class NoThree(Pancake):
    """Three pancakes are never flipped."""

    name: ClassVar[str] = "no-three"

    def rules(self) -> Rules:
        """Return the rules without a move."""

        def wanted(_state: State, move: int) -> bool:
            return move != 3

        return only(super().rules(), wanted)


@dataclass(frozen=True)
class Glued(Pancake):
    """A stack that is in order but for its first two pancakes is never flipped as a whole: one state in n!/2."""

    name: ClassVar[str] = "glued"

    def rules(self) -> Rules:
        """Return the rules without the move of one state, and back."""
        n = self.n

        def glued(state: State) -> bool:
            for place in range(2, n):
                if state[place] != place:
                    return False
            return bool(state[0] == 1)

        def upside_down(state: State) -> bool:
            for place in range(n - 2):
                if state[place] != n - 1 - place:
                    return False
            return bool(state[n - 1] == 1)

        def wanted(state: State, move: int) -> bool:
            return move != n or not (glued(state) or upside_down(state))

        return only(super().rules(), wanted)


@dataclass(frozen=True)
class OneTurn(Claiming):
    """The dials of a `Claiming` puzzle turn, the rest does not."""

    name: ClassVar[str] = "one-turn"

    def rules(self) -> Rules:
        """Return the rules with the first move alone."""

        def wanted(_state: State, move: int) -> bool:
            return move == 0

        return only(super().rules(), wanted)


DEPTHS = [FewerTurns(7, 4), NoThree(6), Glued(5), OneTurn(6, 4, (((0, 1, 2), (1, 0, 2)), ((1, 0, 2), (0, 2, 1))))]


@pytest.mark.parametrize("game", DEPTHS, ids=str)
def test_depths_are_those_of_the_moves_that_a_class_has(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1)
    depths = naive.depths(game)
    for form in (None, "values"):
        found = sb.solve(game, solver="bfs", rule="depth", form=form)
        assert "rows" not in found.facts
        assert {state: found.probe(state) for state in depths} == depths
    for form in ("streaming", "product"):
        with pytest.raises(BadRequest, match="does not tell"):
            sb.solve(game, solver="bfs", rule="depth", form=form)
    assert "`locality`" in obstacle(game)


@dataclass(frozen=True)
class NoThreeAnew(NoThree):
    """The same puzzle, which claims that each move takes itself back."""

    name: ClassVar[str] = "no-three-anew"
    keeps = frozenset({"depth_is_distance", "locality"})

    @property
    def locality(self) -> int:
        """Return 1."""
        return 1


def test_a_class_claims_anew_by_a_definition_or_by_name() -> None:
    game = NoThreeAnew(6)
    assert game.claimed("locality") == 1
    assert game.claimed("depth_is_distance") is True
    assert game.claimed("sequences") is None
    depths = naive.depths(game)
    found = sb.solve(game, solver="bfs", rule="depth", form="two-bit")
    assert {state: found.probe(state) for state in depths} == depths


@dataclass(frozen=True)
class Renamed(Sliding):
    """Nothing but the start is another one."""

    name: ClassVar[str] = "renamed"

    def rules(self) -> Rules:
        """Return the rules with the tiles backwards at the start."""
        cells = self.cells

        def start(state: State) -> None:
            for cell in range(cells):
                state[cell] = (cells - 1 - cell) % cells
            state[cells] = cells - 1

        return {**super().rules(), "start": start}


def test_what_does_not_rest_on_the_change_is_kept() -> None:
    game = Renamed(3, 3)
    kept = [claim for claim in RESTS_ON if replaced(game, claim) is None]
    assert {"sequences", "locality", "heuristics", "h", "solvable", "successor_ranks"} <= set(kept)
    assert {"depth_is_distance", "known"} & set(kept) == set()
    assert game.has("h", "successor_ranks", "solvable")


def test_a_check_says_what_is_not_believed() -> None:
    skipped = dict(sb.check(NoThree(5)).skipped)
    for law in ("sequences", "locality", "depth-is-distance", "rearranges"):
        assert "is inherited from Pancake, which has another `moves`" in skipped[law]
    assert "inherited" not in dict(sb.check(Pancake(5)).skipped)["unrank-next"]


def test_claims_are_asked_for_by_name() -> None:
    """`game.sequences()` would tell what is inherited with other rules: `game.claimed("sequences")` does not."""
    package = Path(sb.__file__).parent
    told = {"games", "families", "abstractions", "reproduce", "game.py"}
    asked = re.compile(
        rf"\bgame\.({'|'.join(claim for claim in RESTS_ON if hasattr(Game, claim) and claim != 'canonical')})\b"
    )
    files = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in told]
    assert len(files) > 300
    found = {str(path): asked.findall(path.read_text()) for path in files}
    assert not {path: names for path, names in found.items() if names}


def test_shipped_games_keep_all() -> None:
    for spec in ("rubik", "gomoku", "hex:3", "sliding:3x3"):
        assert not any(replaced(sb.load(spec), claim) for claim in RESTS_ON)


# --- goals -------------------------------------------------------------------------------------------------------------


def with_exchanged_goal(rules: Rules, cells: int) -> Rules:
    """Return rules by which tiles are solved that have the last two exchanged."""

    def terminal(state: State) -> int:
        for cell in range(cells - 2):
            if state[cell] != cell:
                return UNDECIDED
        return 0 if state[cells - 2] == cells - 1 else UNDECIDED

    return {**rules, "terminal": terminal}


@dataclass(frozen=True)
class Exchanged(Sliding):
    """The last two tiles shall be exchanged; there is no bound."""

    name: ClassVar[str] = "exchanged"

    def rules(self) -> Rules:
        """Return the rules with another goal."""
        rules = {name: rule for name, rule in super().rules().items() if name not in ("h", "h_step")}
        return with_exchanged_goal(rules, self.cells)


@dataclass(frozen=True)
class Bounded(Sliding):
    """The same, with the bound of another goal."""

    name: ClassVar[str] = "bounded"

    def rules(self) -> Rules:
        """Return the rules with another goal."""
        return with_exchanged_goal(super().rules(), self.cells)


def test_a_state_that_the_other_goal_cannot_reach_is_solved() -> None:
    game = Exchanged(2, 3)
    graph = naive.explicit(game)
    distances = naive.distances(graph)
    odd = game.read("1 0 2 3 5 4")
    assert sb.search(game, odd).cost == distances[tuple(odd)]
    with pytest.raises(Unsolvable):
        sb.search(game, "start")


def test_a_bound_that_is_inherited_with_another_goal_is_refused() -> None:
    with pytest.raises(
        BadGame, match=r"`h` is inherited from Sliding, which has another `terminal`.*keeps = \{'h', 'h_step'"
    ):
        sb.search(Bounded(2, 3), "start")
    assert [broken.law for broken in sb.check(Bounded(2, 3)).broken if broken.law == "inherited"]
    with pytest.raises(BadRequest, match="no bound with a name; `heuristics` is inherited from Sliding"):
        sb.search(Exchanged(2, 3), "1 0 2 3 5 4", h="manhattan")


@dataclass(frozen=True)
class Halves(Exchanged):
    """Half of the states are said to be unsolvable: the wrong ones."""

    name: ClassVar[str] = "halves"
    keeps = frozenset({"solvable"})


def test_what_is_said_to_be_unsolvable_is_compared_with_lines() -> None:
    found = {broken.law for broken in sb.check(Halves(2, 3)).broken}
    assert found & {"solvable", "told-solvable"}
    with pytest.raises(BadGame, match="solvable"):
        sb.search(Halves(2, 3), "1 0 2 3 5 4")


@dataclass(frozen=True)
class AlsoGoal(FrogsAndToads):
    """Solved also with the hole first."""

    name: ClassVar[str] = "also-goal"

    def rules(self) -> Rules:
        """Return the rules with one goal more."""
        rules = dict(super().rules())
        first = rules["terminal"]
        del rules["h"]

        def terminal(state: State) -> int:
            return 0 if first(state) == 0 or state[0] == 0 else UNDECIDED

        return {**rules, "terminal": terminal}


@dataclass(frozen=True)
class FalseReversal(AlsoGoal):
    """The same, which says that the goal is the start's reversal alone."""

    name: ClassVar[str] = "false-reversal"
    keeps = frozenset({"reversal"})

    def rules(self) -> Rules:
        """Return rules by which every state is its own reversal."""

        def reversal(state: State) -> None:
            state[0] = state[0]

        return {**super().rules(), "reversal": reversal}


def test_duality_is_not_believed_of_another_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRequest, match=r"supplies no `reversal`.*inherited from"):
        sb.search(AlsoGoal("xx-oo"), "start", method="dual")
    monkeypatch.setattr("searchbench.tried.try_before", lambda *_: None)
    with pytest.raises(BadGame, match=r"the start's `reversal`, .* is not solved"):
        sb.search(FalseReversal("xx-oo"), "start", method="dual")


# --- other claims --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forwards(Pancake):
    """No unmoves are told of fewer moves."""

    name: ClassVar[str] = "forwards"

    def rules(self) -> Rules:
        """Return the rules without a move, with all unmoves."""

        def wanted(_state: State, move: int) -> bool:
            return move != 3

        return {**only(super().rules(), wanted), "unmoves": super().rules()["unmoves"]}


def test_unmoves_that_are_inherited_with_other_moves_are_refused() -> None:
    with pytest.raises(BadGame, match="`unmoves` is inherited from Pancake, which has another `moves`"):
        sb.solve(Forwards(5), solver="retrograde")
    assert sb.solve(Forwards(5), solver="fixpoint").histogram() == sb.solve(NoThree(5)).histogram()


@dataclass(frozen=True)
class Misere(Connect4):
    """Who completes a line loses."""

    name: ClassVar[str] = "misere"

    def rules(self) -> Rules:
        """Return the rules with the other result."""
        rules = super().rules()
        told = rules["terminal"]

        def terminal(state: State) -> int:
            result = told(state)
            return result if result == UNDECIDED else -result

        return {**rules, "terminal": terminal}


def test_boards_and_digits_of_other_results_are_not_believed() -> None:
    game = Misere(4, 4, 3)
    assert game.claimed("drops") is None
    assert game.claimed("digits") is None


@dataclass(frozen=True)
class Pulled(Sokoban):
    """A level that is solved from the start."""

    name: ClassVar[str] = "pulled"

    def rules(self) -> Rules:
        """Return the rules with another goal."""

        def terminal(_state: State) -> int:
            return 0

        return {**super().rules(), "terminal": terminal}


def test_searches_that_know_another_game_are_not_offered() -> None:
    game = Pulled()
    assert game.claimed("enhanced") is None
    assert game.claimed("feature_space") is None
    with pytest.raises(BadRequest, match="`enhanced` is inherited from Sokoban, which has another `terminal`"):
        sb.search(NoBounds(), method="enhanced")


@dataclass(frozen=True)
class NoBounds(Pulled):
    """The same without bounds."""

    name: ClassVar[str] = "no-bounds"

    def rules(self) -> Rules:
        """Return the rules of the state alone."""
        guiding = ("h", "h_step", "dead", "forced_move", "relevance_cut")
        return {name: rule for name, rule in super().rules().items() if name not in guiding}


@pytest.mark.parametrize("keeps", ["h", frozenset({"speed"}), ["h"]], ids=repr)
def test_what_a_class_keeps_is_a_set_of_claims(keeps: Any) -> None:
    kind = dataclass(frozen=True)(type("Odd", (NoThree,), {"keeps": keeps, "name": "odd", "__module__": __name__}))
    with pytest.raises(BadGame, match="expected a set of names"):
        sb.solve(kind(5))


# --- games derived at random ---------------------------------------------------------------------------------------------


@pytest.fixture
def by_rows_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rows, "LEAST", 1)
    monkeypatch.setattr(by_products, "LEAST_COLUMNS", 1)


@pytest.mark.usefixtures("by_rows_always")
@pytest.mark.parametrize("seed", [*range(16), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(16, 120))])
def test_a_derived_game_is_solved_by_its_own_rules_or_refused(seed: int) -> None:
    one = derived_combinations.draw(seed)
    wrong = list(derived_combinations.wrong_answers(one))
    assert not wrong, f"{one.told}: {wrong}"


@pytest.mark.usefixtures("by_rows_always")
@pytest.mark.parametrize(
    ("spec", "change"),
    [
        ("frogs-and-toads:xxxx-oooo", ("forbidding", 5, 5)),
        ("frogs-and-toads:xxxx-oooo", ("another_goal", 3, 40)),
        ("rubik-pattern:UR-UF", ("forbidding", 3, 3)),
    ],
)
def test_claims_that_are_believed_give_wrong_answers(
    spec: str, change: tuple[str, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = derived_combinations.derived(spec, [change], 0, False)
    assert not list(derived_combinations.wrong_answers(one))
    monkeypatch.setattr("searchbench.game.replaced", lambda *_: None)
    monkeypatch.setattr("searchbench.game.left_out", lambda *_: frozenset())
    monkeypatch.setattr("searchbench.tried.try_before", lambda *_: None)
    _functions.cache_clear()
    _names.cache_clear()
    believed = derived_combinations.derived(spec, [change], 0, False)
    try:
        wrong = list(derived_combinations.wrong_answers(believed))
    except DamagedData:  # no way leads back to the start: the depths are wrong
        return
    assert wrong
