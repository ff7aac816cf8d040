"""The checker's wins by threats: its board equals a recount, its replies are those of the rules, and every win is real."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import naive
from searchbench import jit
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.proof import Claim
from searchbench.rules import UNDECIDED
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.fours import WON as PROVER_WON
from searchbench.verify import check_claim, threat_board, threat_search, threats
from searchbench.verify.claim import BY_THREATS, ClaimCheck
from searchbench.verify.threat_board import NO_CELL, NO_THREAT, ThreatSearch, new_threat_search
from searchbench.verify.threat_search import WON

FREE, STANDARD = load("gomoku:7"), load("gomoku:7,standard")
FOUR_IN_A_ROW = load("mnk:5,4,4")
SMALL_RENJU = load("gomoku:6,renju")
BOARDS = [FREE, STANDARD, FOUR_IN_A_ROW, load("gomoku:6,standard")]


def bound(game: Game, name: str) -> Any:
    """Return a function of the checker with the rules of a game, interpreted."""
    (function,) = {vars(module)[name] for module in (threat_board, threat_search, threats) if name in vars(module)}
    return jit.bind(function, game.names(target="interpreted"))


def positions(game: Game, count: int, stones: range, seed: str, spread: float = 1.0) -> Iterator[list[int]]:
    """Yield undecided positions of stones in turn on random cells; with little `spread` the first player's lie together."""
    rng = random.Random(seed)
    columns = round(game.width**0.5)
    while count:
        state = game.start()
        centre = rng.randrange(game.width)
        for _ in range(rng.choice(stones)):
            legal = game.moves(state)
            near = [
                move for move in legal
                if abs((move >> 1) % columns - centre % columns) < 4 and abs((move >> 1) // columns - centre // columns) < 4
            ]  # fmt: skip
            black = legal and legal[0] & 1 == 0
            state = game.play(state, rng.choice(near if black and near and rng.random() > spread else legal))
            if game.terminal(state) != UNDECIDED:
                break
        if game.terminal(state) == UNDECIDED:
            count -= 1
            yield state


def ready(game: Game, state: list[int], limit: int = 20_000) -> ThreatSearch:
    """Return a search with the stones of a state."""
    search = new_threat_search(game, limit)
    bound(game, "set_up")(search, np.array(state, game.dtype))
    return search


def wins_by_rules(game: Game, state: list[int]) -> set[int]:
    """Return the cells in which the player to move wins at once, by the rules."""
    after = {move >> 1: game.terminal(game.play(state, move)) for move in game.moves(state)}
    return {cell for cell, result in after.items() if result != UNDECIDED and result < 0}


def wins(game: Game, state: list[int]) -> set[int]:
    """Return the same cells, by the lengths of rows: many times as quick as the interpreted rules."""
    wanted = 4 if game == FOUR_IN_A_ROW else 5
    columns = 5 if game == FOUR_IN_A_ROW else round(game.width**0.5)
    side = 1 + sum(map(bool, state)) % 2
    exact = "standard" in str(game) or ("renju" in str(game) and side == 1)

    def wins_at(cell: int) -> bool:
        lengths = []
        for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for way in (1, -1):
                column, row = cell % columns + way * right, cell // columns + way * down
                while (
                    0 <= column < columns and 0 <= row < len(state) // columns and state[row * columns + column] == side
                ):
                    length, column, row = length + 1, column + way * right, row + way * down
            lengths.append(length)
        return wanted in lengths if exact else max(lengths) >= wanted

    return {cell for cell, stone in enumerate(state) if not stone and wins_at(cell)}


def beats_every_reply(game: Game, state: list[int], move_of: Callable[[list[int]], int]) -> bool:
    """Return whether the player to move wins with the cells of `move_of` against every reply."""
    if wins(game, state):
        return True
    cell = move_of(state)
    if cell < 0 or state[cell]:
        return False
    after = with_stone(state, cell)
    if wins(game, after) or all(after):
        return False
    answers = (with_stone(after, reply) for reply, stone in enumerate(after) if not stone)
    return all(wins(game, answered) or beats_every_reply(game, answered, move_of) for answered in answers)


def with_stone(state: list[int], cell: int) -> list[int]:
    """Return a state with a stone more, of the player to move."""
    return [*state[:cell], 1 + sum(map(bool, state)) % 2, *state[cell + 1 :]]


@pytest.mark.parametrize("game", BOARDS, ids=str)
def test_the_board_is_that_of_a_recount(game: Game) -> None:
    rng = random.Random(f"recount {game}")
    search = new_threat_search(game, 10)
    put, take = bound(game, "put"), bound(game, "take")
    lines = game.lines.lines  # type: ignore[attr-defined]
    stones = [0] * game.width
    for _ in range(80):
        cell = rng.randrange(game.width)
        player = rng.randrange(2) if rng.random() < 0.4 else cell // 3 % 2
        if stones[cell]:
            take(search, cell, stones[cell] - 1)
            stones[cell] = 0
        else:
            put(search, cell, player)
            stones[cell] = 1 + player
        for side in range(2):
            for level in range(3):
                counts = [0] * game.width
                for line in lines:
                    empty = [one for one in line if stones[one] == 0]
                    if len(empty) == level + 1 and all(stones[one] != 2 - side for one in line):
                        for one in empty:
                            counts[one] += 1
                assert search.short[level, side].tolist() == counts
                found = [one for one in range(game.width) if search.sets[level, side, one // 60] >> one % 60 & 1]
                assert found == [one for one, count in enumerate(counts) if count >= (2 if level == 2 else 1)]
    assert search.note[3] == np.bitwise_xor.reduce([search.marks[c, s - 1] for c, s in enumerate(stones) if s] or [0])


@pytest.mark.parametrize("game", [*BOARDS, SMALL_RENJU], ids=str)
def test_completions_are_the_cells_in_which_the_rules_let_a_player_win(game: Game) -> None:
    found = 0
    for state in positions(game, 60, range(6, game.width - 2), f"completions {game}", 0.1):
        out = np.zeros(game.width, np.int64)
        player = game.moves(state)[0] & 1
        count = bound(game, "completions")(ready(game, state), player, out, 0, game.width)
        assert set(out[:count].tolist()) == wins(game, state) == wins_by_rules(game, state), game.format(state)
        found += count
    assert found > 8


@pytest.mark.parametrize("game", [*BOARDS, SMALL_RENJU], ids=str)
def test_every_reply_that_is_left_out_loses_by_the_rules(game: Game) -> None:
    threes = fours = 0
    for state in positions(game, 120, range(5, game.width - 4), f"replies {game}", 0.1):
        if wins(game, state):
            continue  # the one to move is the defender
        attacker = 1 - (game.moves(state)[0] & 1)
        out = np.zeros(game.width, np.int64)
        count = bound(game, "replies")(ready(game, state), attacker, out)
        if count == NO_THREAT:
            continue
        threes += count > 1
        fours += count == 1
        for reply in game.moves(state):
            after = game.play(state, reply)
            if reply >> 1 in out[:count] or wins(game, after):
                continue
            lost = False  # to a stone that leaves two ways to win, while the defender has none
            for move in game.moves(after):
                then = game.play(after, move)
                lost = lost or (
                    not wins(game, then)
                    and all(wins(game, game.play(then, one)) for one in game.moves(then))
                    and game.terminal(then) == UNDECIDED
                    and bool(game.moves(then))
                )
            assert lost, (game.format(state), game.format_move(state, reply))
    assert threes > 2
    assert fours > 2


@pytest.mark.long
@pytest.mark.parametrize("game", [FREE, STANDARD, FOUR_IN_A_ROW], ids=str)
def test_every_win_beats_every_reply_by_the_rules_alone(game: Game) -> None:
    proved = long = 0
    find, holds, known, code_of = (bound(game, name) for name in ("find", "holds", "known_move", "code_of"))
    for state in positions(game, 70, range(6, game.width // 2), f"wins {game}", 0.1):
        player = game.moves(state)[0] & 1
        search = ready(game, state, 300)
        if wins(game, state) or find(search, player, 300) != WON:
            continue
        at = np.array(state, game.dtype)
        if not holds(search, at, player, 0, False):
            continue
        assert at.tolist() == state
        assert search.stones.tolist() == state

        def move_of(
            here: list[int], search: ThreatSearch = search, player: int = player, salt: int = int(search.note[2])
        ) -> int:
            """Return the table's move; a search finds it where the walk has found it by itself."""
            bound(game, "set_up")(search, np.array(here, game.dtype))
            search.note[2] = salt
            cell = int(known(search, code_of(search, True)))
            if cell == NO_CELL and find(search, player, 300) == WON:
                cell = int(known(search, code_of(search, True)))
            return cell

        assert beats_every_reply(game, state, move_of), game.format(state)
        proved += 1
        long += int(search.note[1]) > 3
    assert proved > 2
    assert long > 0


@pytest.mark.parametrize("game", [FREE, STANDARD], ids=str)
def test_a_reply_outside_the_zone_loses_to_the_same_moves(game: Game) -> None:
    outside = inside = 0
    for state in positions(game, 30, range(9, 20, 2), f"zone {game}", 0.05):
        attacker = 1 - (game.moves(state)[0] & 1)
        search = new_threat_search(game, 200)
        at = np.array(state, game.dtype)
        if wins(game, state) or not bound(game, "begin")(search, at, attacker) or not search.note[1]:
            continue
        assert at.tolist() == state
        zone = search.zone.copy()
        for reply in game.moves(state):
            cell = reply >> 1
            if zone[cell]:
                inside += 1
                continue
            bound(game, "put")(search, cell, 1 - attacker)
            after = np.array(game.play(state, reply), game.dtype)
            mark = search.marks[cell, 1 - attacker]
            assert bound(game, "holds")(search, after, attacker, mark, False), game.format(after.tolist())
            bound(game, "take")(search, cell, 1 - attacker)
            outside += 1
    assert outside > 50
    assert inside > 50


def test_wins_of_four_in_a_row_are_those_of_a_full_search() -> None:
    game, right = FOUR_IN_A_ROW, 0
    for state in positions(game, 40, range(11, 15), "full", 0.1):
        search = new_threat_search(game, 1000)
        if bound(game, "wins_by_threats")(search, np.array(state, game.dtype)):
            assert naive.alphabeta(game, state) == 1, game.format(state)
            right += 1
    assert right > 5


@pytest.mark.parametrize("rule", ["free", "standard"])
def test_what_the_prover_wins_the_checker_wins(rule: Any) -> None:
    game = FREE if rule == "free" else STANDARD
    attack = Attack(7, 7, rule, 10, "interpreted")
    won = 0
    for state in positions(game, 40, range(8, 20, 2), f"prover {rule}", 0.1):
        attack.forget()
        attack.set(state)
        if attack.by_threats(0, 100) == PROVER_WON:
            search = ready(game, state, 2000)
            assert bound(game, "wins_by_threats")(search, np.array(state, game.dtype)), game.format(state)
            won += 1
    assert won > 4


def test_six_in_a_row_stops_a_four_under_the_standard_rule() -> None:
    # X at b4, c4, d4, e4 with g4: f4 would make six or more; a4 makes five.
    for game, expected in ((FREE, {"a4", "f4"}), (STANDARD, {"a4"})):
        state = game.read("O.O.O.O/......./......./.XXXX.X/......./......O/.......")
        search = ready(game, state)
        out = np.zeros(game.width, np.int64)
        count = bound(game, "completions")(search, 0, out, 0, 49)
        assert {game.format_move(state, 2 * int(cell)) for cell in out[:count]} == expected


@pytest.mark.long
def test_a_claim_that_rests_on_threats_is_checked_against_every_reply() -> None:
    game = FREE
    for state in positions(game, 200, range(8, 20, 2), "claims", 0.1):
        search = ready(game, state, 200)
        if wins(game, state) or not bound(game, "wins_by_threats")(search, np.array(state, game.dtype)):
            continue
        assert not check_claim(game, state, Claim(0, 1, {}, threats=200), target="interpreted").count
        check = ClaimCheck(game, state, Claim(0, 1, {}, threats=200), target="interpreted")
        assert check.coverage(state) == BY_THREATS
        first = check.winning_threat(state)
        assert first is not None
        record = Claim(0, 1, {tuple(state): first}, threats=200)
        report = check_claim(game, state, record, target="interpreted")
        assert report.count == 0
        assert report.threats == len(game.moves(state)) - 1
        # The other player does not win, whatever threats may be looked for.
        if len(game.moves(state)) > 1:
            assert check_claim(game, state, Claim(1, 1, {}, threats=200), target="interpreted").count
        wrong = 0
        for move in game.moves(state):
            claim = Claim(0, 1, {tuple(state): move}, threats=200)
            if not check_claim(game, state, claim, target="interpreted").count:
                wrong += move == first or wins(game, game.play(state, move)) == set()
                continue
        assert wrong
        break
    else:
        pytest.fail("no win by threats among 200 positions")


# --- renju ------------------------------------------------------------------------------------------------------------

RENJU = load("gomoku:7,renju")


def renju_positions(count: int) -> Iterator[tuple[list[int], int]]:
    """Yield undecided positions of renju, and the player to move (1 or 2), whose stones lie near each other."""
    rng = random.Random("renju")
    while count:
        player = 1 + rng.randrange(2)
        stones = rng.randrange(8, 18) // 2 * 2 + player - 1
        centre = rng.randrange(49)
        near = sorted(
            range(49),
            key=lambda cell: max(abs(cell % 7 - centre % 7), abs(cell // 7 - centre // 7)) + 6 * rng.random(),
        )
        own = near[: stones // 2]
        others = rng.sample(near[stones // 2 :], stones - stones // 2)
        state = [player if cell in own else 3 - player if cell in others else 0 for cell in range(49)]
        if RENJU.call("legal", state) and RENJU.terminal(state) == UNDECIDED:
            count -= 1
            yield state, player


def test_threats_of_renju_against_a_plain_twin() -> None:
    """What the twin wins by one threat is won; the prover and the checker agree, and every win is real by the twin's rules."""
    attack = Attack(7, 7, "renju", 10, "interpreted", RENJU)
    won = {1: 0, 2: 0}
    for state, player in renju_positions(12):
        attack.forget()
        attack.set(state)
        found = attack.by_threats(player - 1, 100) == PROVER_WON
        assert found or not naive.renju_wins_by_threats(7, state, player, 1), RENJU.format(state)
        search = ready(RENJU, state, 400)
        if found:
            assert bound(RENJU, "wins_by_threats")(search, np.array(state, RENJU.dtype)), RENJU.format(state)
            won[player] += not naive.renju_fives(7, state, player)
    assert min(won.values()) > 0


FORBIDDEN = {
    # White's four at d6 leaves d2, which would be the sixth stone of black's row.
    "O..X.../......./...O..O/...O.../O..O.../XXX.XX./...X...": (2, True, False),
    "...O.OO/..X.OOO/.X...X./..O..X./...XOX./...XX../......X": (2, True, False),
    # Black's winning point is forbidden.
    ".....OX/.....XO/.O..O.X/.OO...X/....XXO/...XOX./.......": (1, False, True),
}


@pytest.mark.parametrize(
    ("text", "expected"), FORBIDDEN.items(), ids=["white wins", "white wins again", "black does not"]
)
def test_forbidden_cells_decide(text: str, expected: tuple[int, bool, bool]) -> None:
    player, wins_at_renju, wins_without = expected
    state = RENJU.read(text)
    assert naive.renju_wins_by_threats(7, state, player, 1) == wins_at_renju
    assert naive.renju_wins_by_threats(7, state, player, 1, forbidding=False) == wins_without
    attack = Attack(7, 7, "renju", 10, "interpreted", RENJU)
    attack.set(state)
    assert (attack.by_threats(player - 1, 60) == PROVER_WON) == wins_at_renju
    search = ready(RENJU, state, 60)
    assert bound(RENJU, "wins_by_threats")(search, np.array(state, RENJU.dtype)) == wins_at_renju


def test_games_without_fitting_lines_are_told() -> None:
    for name in ("awari:2", "connect4", "hex:4x4", "tic-tac-toe"):
        with pytest.raises(BadRequest, match="wins by threats need"):
            new_threat_search(load(name), 10)
