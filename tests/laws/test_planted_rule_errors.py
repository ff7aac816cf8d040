"""Plant one error in the rules of a small game: the check names the law and shows a state that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from searchbench.catalogue import load
from searchbench.game import Game
from searchbench.index import Part, Sequences
from searchbench.index.product_moves import ProductMoves
from searchbench.inherited import RESTS_ON
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.testing import LAWS, Check, check_game

Rules = dict[str, Callable[..., Any]]


def planted(spec: str, change: Callable[[Rules], Rules], **attributes: Any) -> Game:
    """Return a game that differs from another by what `change` makes of its functions, and in some attributes."""
    game = load(spec)
    names = dict(game.names())
    own = set(game.rules()) | ({"rank", "unrank"} & set(names))

    def rules(self: Game) -> Mapping[str, Callable[..., Any]]:
        right = {name: names[name] for name in own}
        return right | change(right)

    members = {"rules": rules, "keeps": frozenset(RESTS_ON), **attributes}
    wrong = type(f"Planted{type(game).__name__}", (type(game),), members)
    return wrong(**game.parameters)  # type: ignore[no-any-return]


def check(spec: str, change: Callable[[Rules], Rules], run: Run, **attributes: Any) -> Check:
    """Check a game with a planted error, on few states where a state has a hundred moves."""
    samples = 12 if spec.startswith("morris") else 60
    return check_game(planted(spec, change, **attributes), samples=samples, run=run)


# --- one planted error each: the function that replaces one of the rules -----------------------------------------------


def unmoves_too_few(rules: Rules) -> Rules:
    right_unmoves = rules["unmoves"]

    def unmoves(state: Any, out: Any) -> int:
        return right_unmoves(state, out) - 1

    return {"unmoves": unmoves}


def sorted_twice(rules: Rules) -> Rules:
    right = rules["terminal"]

    def terminal(state: Any) -> int:
        result = right(state)
        return 0 if state[0] == 4 and state[1] == 3 else result

    return {"terminal": terminal}


def flips_on(rules: Rules) -> Rules:
    right_play, right_unplay = rules["play"], rules["unplay"]

    def play(state: Any, move: int) -> None:
        right_play(state, move)
        right_play(state, 3)

    def unplay(state: Any, move: int) -> None:
        right_unplay(state, 3)
        right_unplay(state, move)

    return {"play": play, "unplay": unplay}


def unmoves_too_many(rules: Rules) -> Rules:
    right = rules["unmoves"]

    def unmoves(state: Any, out: Any) -> int:
        count = right(state, out)
        out[count] = 0 * 6 + 5  # the empty cell never jumps across the board
        return count + 1

    return {"unmoves": unmoves}


def play_forgets(rules: Rules) -> Rules:
    def play(state: Any, move: int) -> None:
        for place in range((move >> 1) - (move > 4)):
            state[place], state[move - 1 - place] = state[move - 1 - place], state[place]

    return {"play": play}


def play_keeps_the_smallest(rules: Rules) -> Rules:
    right_play = rules["play"]

    def play(state: Any, move: int) -> None:
        if state[0] != 0 or move != 2:
            right_play(state, move)

    return {"play": play}


def some_states_are_lost(rules: Rules) -> Rules:
    right_terminal = rules["terminal"]

    def terminal(state: Any) -> int:
        return -1 if state[0] == 3 else right_terminal(state)

    return {"terminal": terminal}


def unplay_forgets(rules: Rules) -> Rules:
    def unplay(state: Any, move: int) -> None:
        state[0], state[move - 1] = state[move - 1], state[0]

    return {"unplay": unplay}


def rank_shifted(rules: Rules) -> Rules:
    right = rules["rank"]

    def rank(state: Any) -> int:
        number = right(state)
        return number + 1 if number == 7 else number

    return {"rank": rank}


def rank_out_of_range(rules: Rules) -> Rules:
    right = rules["rank"]

    def rank(state: Any) -> int:
        return right(state) + 1

    return {"rank": rank}


def rank_nowhere(rules: Rules) -> Rules:
    right = rules["rank"]

    def rank(state: Any) -> int:
        number = right(state)
        return -1 if number == 11 else number

    return {"rank": rank}


def unrank_stale(rules: Rules) -> Rules:
    right = rules["unrank"]

    def unrank(number: int, state: Any) -> None:
        keep = state[6]
        right(number, state)
        if number == 0:
            state[6] = keep

    return {"unrank": unrank}


def canonical_not_idempotent(rules: Rules) -> Rules:
    def canonical(state: Any) -> None:
        for row in range(3):
            state[3 * row], state[3 * row + 2] = state[3 * row + 2], state[3 * row]

    return {"canonical": canonical}


def image_of_another_class(rules: Rules) -> Rules:
    image_under = rules["image_under"]

    def broken(state: Any, symmetry: int) -> None:
        image_under(state, symmetry)
        if symmetry == 3:
            state[0] = 2 - state[0]

    return {"image_under": broken}


def canonical_no_symmetry(rules: Rules) -> Rules:
    def canonical(state: Any) -> None:
        if state[0] > state[1]:
            state[0], state[1] = state[1], state[0]

    return {"canonical": canonical}


def moves_one_too_many(rules: Rules) -> Rules:
    right = rules["moves"]

    def moves(state: Any, out: Any) -> int:
        count = right(state, out)
        out[count] = 2
        out[count + 1] = 3
        return count + 2

    return {"moves": moves}


def moves_listed_twice(rules: Rules) -> Rules:
    right = rules["moves"]

    def moves(state: Any, out: Any) -> int:
        count = right(state, out)
        if count > 1:
            out[1] = out[0]
        return count

    return {"moves": moves}


def moves_touch(rules: Rules) -> Rules:
    right = rules["moves"]

    def moves(state: Any, out: Any) -> int:
        count = right(state, out)
        state[0], state[1] = state[1], state[0]
        return count

    return {"moves": moves}


def moves_raise(rules: Rules) -> Rules:
    right = rules["moves"]

    def moves(state: Any, out: Any) -> int:
        if state[0] == 2:
            out[1000] = 0
        return right(state, out)

    return {"moves": moves}


def start_raises(rules: Rules) -> Rules:
    def start(state: Any) -> None:
        state[100] = 0

    return {"start": start}


def h_too_high(rules: Rules) -> Rules:
    right, step = rules["h"], rules["h_step"]

    def h(state: Any, tables: Any) -> int:
        return 2 * right(state, tables)

    def h_step(state: Any, move: int, tables: Any) -> int:
        return 2 * step(state, move, tables)

    return {"h": h, "h_step": h_step}


def everything_dead(rules: Rules) -> Rules:
    def dead(state: Any, tables: Any) -> bool:
        return True

    return {"dead": dead}


def first_move_suffices(rules: Rules) -> Rules:
    def forced_move(state: Any, move: int, tables: Any) -> bool:
        return True

    return {"forced_move": forced_move}


def nothing_relevant(rules: Rules) -> Rules:
    def relevance_cut(state: Any, previous: int, move: int, tables: Any) -> bool:
        return True

    return {"relevance_cut": relevance_cut}


def h_not_zero(rules: Rules) -> Rules:
    right = rules["h"]

    def h(state: Any, tables: Any) -> int:
        return right(state, tables) + 1

    return {"h": h}


def h_step_wrong(rules: Rules) -> Rules:
    right = rules["h_step"]

    def h_step(state: Any, move: int, tables: Any) -> int:
        return -right(state, move, tables)

    return {"h_step": h_step}


def steps_wrong(rules: Rules) -> Rules:
    def successor_ranks(number: int, state: Any, out: Any, numbers: Any) -> int:
        numbers[0] = number
        return 1

    return {"successor_ranks": successor_ranks}


def inverse_wrong(rules: Rules) -> Rules:
    def inverse(move: int) -> int:
        return 5 if move == 2 else move

    return {"inverse": inverse}


def cost_zero(rules: Rules) -> Rules:
    def cost(state: Any, move: int) -> int:
        return move - 2

    return {"cost": cost}


def gain_half(rules: Rules) -> Rules:
    def gain(state: Any, move: int) -> Any:
        return 0.5

    return {"gain": gain}


def legal_not_closed(rules: Rules) -> Rules:
    right = rules["legal"]

    def legal(state: Any) -> bool:
        return right(state) and not (state[4] == 1 and state[0] == 2)

    return {"legal": legal}


def no_move(rules: Rules) -> Rules:
    right = rules["moves"]

    def moves(state: Any, out: Any) -> int:
        return 0 if state[4] == 1 else right(state, out)

    return {"moves": moves}


def result_of_points(rules: Rules) -> Rules:
    right = rules["terminal"]

    def terminal(state: Any) -> int:
        result = right(state)
        return -2 if result == -1 else result

    return {"terminal": terminal}


def differs_compiled(rules: Rules) -> Rules:
    right = rules["legal"]

    def legal(state: Any) -> bool:
        return right(state) and ((state[0] + 1) << 63) >= 0  # Python's numbers never wrap around

    return {"legal": legal}


def does_not_compile(rules: Rules) -> Rules:
    right = rules["terminal"]

    def terminal(state: Any) -> int:
        return next(iter({right(state): sorted(state, key=str)}.keys()))

    return {"terminal": terminal}


def alternates_not(rules: Rules) -> Rules:
    return {"alternates": lambda state: 0}


def dual_of_nothing(rules: Rules) -> Rules:
    return {"reversal": lambda state: None}


def dual_goes_round(rules: Rules) -> Rules:
    def reversal(state: Any) -> None:
        for disc in range(3):
            state[disc] = (state[disc] + 2) % 3

    return {"reversal": reversal}


def dual_keeps_moves(rules: Rules) -> Rules:
    right = rules["reversal"]

    def reversal(state: Any) -> None:
        right(state)
        if state[0] == 1 and state[1] != 1:
            state[1] = 2 - state[1]

    return {"reversal": reversal}


def dual_of_part(rules: Rules) -> Rules:
    def reversal(state: Any) -> None:
        state[0] ^= (1 << 15) - 1 - (1 << 7)

    return {"reversal": reversal}


def dual_of_one_side(rules: Rules) -> Rules:
    def reversal(state: Any) -> None:
        state[0] ^= (1 << 15) - 1
        low, high = state[0] >> 13 & 1, state[0] >> 14 & 1
        if low != high and (state[0] & 3) == 3:
            state[0] ^= 3 << 13

    return {"reversal": reversal}


def advance_stays(rules: Rules) -> Rules:
    unrank = rules["unrank"]

    def unrank_next(number: int, state: Any, gap: int) -> None:
        unrank(number + (gap if gap < 3 else 3), state)

    return {"unrank_next": unrank_next}


def spread_stays(rules: Rules) -> Rules:
    return {"zero_cost_closure": lambda state, places: places}


def departures_to_itself(rules: Rules) -> Rules:
    right = rules["unit_cost_successors"]

    def unit_cost_successors(number: int, state: Any, places: int, numbers: Any, bits: Any) -> int:
        count = right(number, state, places, numbers, bits)
        for index in range(count):
            numbers[index] = number
        return count

    return {"unit_cost_successors": unit_cost_successors}


def image_step_backwards(rules: Rules) -> Rules:
    right = rules["pattern_rank_change"]

    def pattern_rank_change(state: Any, move: int, table: Any, at: int) -> int:
        return -right(state, move, table, at)

    return {"pattern_rank_change": pattern_rank_change}


def cost_of_the_state(rules: Rules) -> Rules:
    return {"cost": lambda state, move: 1 + state[0] % 2}


def image_piece_astray(rules: Rules) -> Rules:
    return {"moved_piece": lambda state, move: 5}


def image_after_stays(rules: Rules) -> Rules:
    return {"pattern_rank_after": lambda number, state, move, table, at: number}


def never_follows(rules: Rules) -> Rules:
    return {"follows": lambda before, move: move % 2 == 0}


def inverse_stays(rules: Rules) -> Rules:
    return {"dual_state": lambda state: None}


def inverse_without_way_back(rules: Rules) -> Rules:
    return {"inverse": lambda move: -1}


def one_turn_missing(game: Any) -> Sequences:
    told = load("pancake:5").sequences()
    assert told is not None
    return replace(told, moves=told.moves[1:])


def one_column_astray(game: Any) -> ProductMoves:
    told = load("rubik-pattern:UR").product_moves()
    assert told is not None
    columns = told.columns.copy()
    columns[-1] = columns[-1, ::-1]
    return told._replace(columns=columns)


def wrong_piece_passes(game: Any) -> Sequences:
    told = load("frogs-and-toads:2").sequences()
    assert told is not None
    jumps = [move for move in told.moves if move.window[1] - move.window[0] > 1]
    return replace(
        told, moves=(*(move for move in told.moves if move != jumps[0]), jumps[0]._replace(order=jumps[1].order))
    )


def cells_overflow(rules: Rules) -> Rules:
    right, back = rules["play"], rules["unplay"]

    def play(state: Any, move: int) -> None:
        right(state, move)
        state[0] += 200

    def unplay(state: Any, move: int) -> None:
        state[0] -= 200
        back(state, move)

    return {"play": play, "unplay": unplay}


def nothing(rules: Rules) -> Rules:
    return {}


def mobility_too_small(rules: Rules) -> Rules:
    right_mobility = rules["mobility"]

    def mobility(state: Any, out: Any) -> int:
        return right_mobility(state, out) - 1

    return {"mobility": mobility}


def some_unsolvable(rules: Rules) -> Rules:
    right_solvable = rules["solvable"]

    def solvable(state: Any) -> bool:
        return bool(right_solvable(state)) and state[0] != 3

    return {"solvable": solvable}


def another_goal(rules: Rules) -> Rules:
    """Exchange the last two of eight tiles in the goal, without a bound: the other half of the states is solvable."""

    def terminal(state: Any) -> int:
        for cell in range(7):
            if state[cell] != cell:
                return UNDECIDED
        return 0 if state[7] == 8 else UNDECIDED

    def h(state: Any, tables: Any) -> int:
        return 0

    def h_step(state: Any, move: Any, tables: Any) -> int:
        return 0

    return {"terminal": terminal, "h": h, "h_step": h_step}


def class_rank_elsewhere(rules: Rules) -> Rules:
    right_canonical_rank = rules["canonical_rank"]

    def canonical_rank(state: Any, scratch: Any) -> int:
        return right_canonical_rank(state, scratch) ^ 1

    return {"canonical_rank": canonical_rank}


def leaving_move_missing(rules: Rules) -> Rules:
    right_conversions = rules["conversions"]

    def conversions(state: Any, out: Any) -> int:
        return max(0, right_conversions(state, out) - 1)

    return {"conversions": conversions}


def leaving_move_too_many(rules: Rules) -> Rules:
    right_conversions = rules["conversions"]

    def conversions(state: Any, out: Any) -> int:
        count = right_conversions(state, out)
        out[count] = 0
        return count + 1

    return {"conversions": conversions}


def staying_unmove_missing(rules: Rules) -> Rules:
    right_unmoves_within = rules["unmoves_within"]

    def unmoves_within(state: Any, out: Any) -> int:
        return max(0, right_unmoves_within(state, out) - 1)

    return {"unmoves_within": unmoves_within}


def staying_unmove_too_many(rules: Rules) -> Rules:
    right_unmoves_within = rules["unmoves_within"]

    def unmoves_within(state: Any, out: Any) -> int:
        count = right_unmoves_within(state, out)
        out[count] = 0
        return count + 1

    return {"unmoves_within": unmoves_within}


def stabilizer_forgotten(rules: Rules) -> Rules:
    def stabilizer(state: Any) -> int:
        return 1

    return {"stabilizer": stabilizer}


def digit_missing(self: Game) -> Any:
    told: Any = load("mnk:3,3,3").digits()
    return told._replace(digits=told.digits[1:])


def losing_line_missing(self: Game) -> Any:
    told: Any = load("mnk:3,3,3").digits()
    return told._replace(lost=(told.lost[0][1:], told.lost[1]))


def action_missing(self: Game) -> Any:
    told: Any = load("mnk:3,3,3").digits()
    return told._replace(actions=(told.actions[0][1:], told.actions[1]))


PLANTED = [
    ("mobility", "morris:3,3", mobility_too_small, {}),
    ("canonical-rank", "morris:3,3", class_rank_elsewhere, {}),
    ("conversions", "morris:4,3", leaving_move_missing, {}),
    ("conversions", "morris:3,3", leaving_move_too_many, {}),
    ("unmoves-within", "morris:3,3", staying_unmove_missing, {}),
    ("unmoves-within", "morris:3,3", staying_unmove_too_many, {}),
    ("stabilizer", "morris:3,3", stabilizer_forgotten, {}),
    ("unmoves-are-moves", "sliding:2x3", unmoves_too_many, {}),
    ("moves-are-unmoves", "sliding:2x3", unmoves_too_few, {}),
    ("unplay-undoes-play", "pancake:5", play_forgets, {}),
    ("unplay-undoes-play", "pancake:5", unplay_forgets, {}),
    ("rank-of-unrank", "pancake:5", rank_shifted, {}),
    ("unrank-of-rank", "pancake:5", rank_out_of_range, {}),
    ("closed", "pancake:5", rank_nowhere, {}),
    ("rank-of-unrank", "sliding:2x3", unrank_stale, {}),
    ("canonical", "tic-tac-toe", canonical_not_idempotent, {}),
    ("canonical", "tic-tac-toe", canonical_no_symmetry, {}),
    ("symmetries", "mnk:3,3,3,symmetry=yes", image_of_another_class, {}),
    ("max-moves", "pancake:5", moves_one_too_many, {}),
    ("moves-differ", "tic-tac-toe", moves_listed_twice, {}),
    ("rules-leave-state", "pancake:5", moves_touch, {}),
    ("start", "pancake:5", start_raises, {}),
    ("admissible", "pancake:5", h_too_high, {"consistent": False}),
    ("nothing-lost", "pancake:5", everything_dead, {}),
    ("nothing-lost", "pancake:5", first_move_suffices, {}),
    ("nothing-lost", "pancake:5", nothing_relevant, {}),
    ("heuristic", "pancake:5", h_too_high, {}),
    ("heuristic", "pancake:5", h_not_zero, {}),
    ("heuristic", "pancake:5", h_step_wrong, {}),
    ("solvable", "sliding:2x3", some_unsolvable, {}),
    ("told-solvable", "sliding:3x3", another_goal, {"depth_is_distance": False, "known": lambda self: {}}),
    ("inherited", "pancake:5", play_keeps_the_smallest, {"keeps": frozenset()}),
    ("successor-ranks", "pancake:5", steps_wrong, {}),
    ("inverse", "pancake:5", inverse_wrong, {}),
    ("reversal", "hanoi:3", dual_of_nothing, {}),
    ("reversal", "hanoi:3", dual_goes_round, {}),
    ("reversal", "hanoi:3", dual_keeps_moves, {}),
    ("reversal", "peg-solitaire:triangle,6", dual_of_part, {}),
    ("reversal", "peg-solitaire:triangle,6,yes", dual_of_one_side, {}),
    ("rearranges", "pancake:5", play_keeps_the_smallest, {}),
    ("rearranges", "pancake:5", some_states_are_lost, {}),
    ("rearranges", "hanoi:3", nothing, {"rearranges": True}),
    ("alternates", "sliding:2x3", alternates_not, {}),
    ("alternates", "pancake:5", alternates_not, {}),
    ("locality", "graph:0>1;1>2;2>3;3>1;3=0", nothing, {"locality": 1}),
    ("locality", "hanoi:3", nothing, {"locality": 0}),
    ("depth-is-distance", "pancake:5", sorted_twice, {"depth_is_distance": True}),
    ("depth-is-distance", "hanoi:3", nothing, {"depth_is_distance": True}),
    ("depth-is-distance", "pancake:5", flips_on, {"depth_is_distance": True}),
    ("unrank-next", "peg-solitaire:triangle,6", advance_stays, {}),
    ("blanks", "sliding-pattern:2,3,1-2", spread_stays, {}),
    ("blanks", "sliding-pattern:2,3,1-2", departures_to_itself, {}),
    ("images", "sliding-pattern:2,3,1-2", image_step_backwards, {}),
    ("images", "sliding-pattern:2,3,1-2", image_piece_astray, {}),
    ("images", "pancake-pattern:5,3-4", image_after_stays, {}),
    ("taken-back", "rubik-pattern:UR-UF,clockwise", nothing, {"one_way": False}),
    ("taken-back", "pancake-pattern:5,3-4", cost_of_the_state, {}),
    ("follows", "pancake:5", never_follows, {}),
    ("dual-state", "pancake:5", inverse_stays, {}),
    ("dual-state", "pancake:5", inverse_without_way_back, {}),
    ("costs-positive", "pancake:5", cost_zero, {}),
    ("gains-whole", "awari:3", gain_half, {}),
    ("legal-closed", "tic-tac-toe", legal_not_closed, {}),
    ("two-player-undecided-has-move", "tic-tac-toe", no_move, {}),
    ("result", "tic-tac-toe", result_of_points, {}),
    ("cells-fit", "pancake:5", cells_overflow, {}),
    ("compiled-equals-interpreted", "tic-tac-toe", differs_compiled, {}),
    ("compiled-equals-interpreted", "tic-tac-toe", does_not_compile, {}),
    ("parse-format", "pancake:5", nothing, {"format": lambda self, state: " ".join(map(str, state[::-1]))}),
    ("parse-format", "pancake:5", nothing, {"format_move": lambda self, state, move: "turn"}),
    (
        "parts",
        "hanoi:3",
        nothing,
        {"parts": lambda self: [Part("one", 0, 9, ("one",)), Part("rest", 9, 27, ("rest",))]},
    ),
    ("parts", "hanoi:3", nothing, {"parts": lambda self: [Part("one", 0, 9), Part("rest", 8, 27)]}),
    ("parts", "hanoi:3", nothing, {"parts": lambda self: [Part("all", 0, 27, ("all", "other"))]}),
    ("sequences", "pancake:5", nothing, {"sequences": one_turn_missing}),
    ("sequences", "frogs-and-toads:2", nothing, {"sequences": wrong_piece_passes}),
    ("product_moves", "rubik-pattern:UR", nothing, {"product_moves": one_column_astray}),
    ("digits-tables", "mnk:3,3,3", nothing, {"digits": digit_missing}),
    ("digits-decided", "mnk:3,3,3", nothing, {"digits": losing_line_missing}),
    ("digits-moves", "mnk:3,3,3", nothing, {"digits": action_missing}),
    ("known", "pancake:5", nothing, {"known": lambda self: {"deepest": 6}}),
    ("known", "pancake:5", nothing, {"known": lambda self: {"depth": 5}}),
    ("known", "tic-tac-toe", nothing, {"known": lambda self: {"start": "win"}}),
]
RAISING = {start_raises}
"""The errors that are found as exceptions; any other law that finds one has not found its error."""
STATELESS = {"known", "start", "parts", "images", "digits-tables", "inherited"}
"""Laws that a game can break as a whole."""


@pytest.mark.parametrize(("law", "spec", "change", "attributes"), PLANTED)
def test_planted_error_is_caught_by_the_law(
    law: str, spec: str, change: Callable[[Rules], Rules], attributes: dict[str, Any], run: Run
) -> None:
    result = check(spec, change, run, **attributes)
    broken = [one for one in result.broken if one.law == law]
    assert broken, f"expected {law}, found {result}"
    assert not result
    assert len(broken) <= 3
    assert all(one.message for one in broken)
    raised = [one.message for one in broken if "` raised " in one.message]
    assert not raised or change in RAISING
    if law not in STATELESS and change is not does_not_compile:
        assert all(len(load(spec).parse(one.state)) == load(spec).width for one in broken)


@pytest.mark.parametrize("change", [moves_raise, start_raises])
def test_rules_that_raise_break_a_law_and_not_the_check(change: Callable[[Rules], Rules], run: Run) -> None:
    result = check("pancake:5", change, run)
    assert any("IndexError" in one.message for one in result.broken)
    assert dict(result.skipped)["compiled-equals-interpreted"] == "the rules break other laws already"


def test_every_law_has_a_planted_error() -> None:
    assert {law for law, *_ in PLANTED} == set(LAWS)


def test_right_game_passes_the_same_way(run: Run) -> None:
    for spec in ("pancake:5", "tic-tac-toe", "sliding:2x3", "hanoi:3"):
        result = check(spec, nothing, run)
        assert result, str(result)


def test_state_that_breaks_a_law_is_the_one_planted(run: Run) -> None:
    result = check("pancake:5", rank_shifted, run)
    game = load("pancake:5")
    shown = {one.state for one in result.broken if one.law == "rank-of-unrank"}
    assert shown == {game.format(game.unrank(7))}
