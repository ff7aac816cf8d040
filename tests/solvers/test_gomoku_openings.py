"""Quiet moves above threats, and the working folder of a proof of go-moku."""

from __future__ import annotations

import itertools
import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import searchbench as sb
from naive import FiveInARow
from searchbench.catalogue import load
from searchbench.errors import BadRequest, DamagedData, OutOfMemory
from searchbench.reproduce import ROWS, reproduce
from searchbench.solvers.proof.gomoku import race, two_levels
from searchbench.solvers.proof.gomoku import search as quiet
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import open_folder, progress, read_branch
from searchbench.solvers.proof.gomoku.closing import Checker
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.nodes import State, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening, chosen_branches
from searchbench.solvers.proof.gomoku.patterns import FIVE, STRAIGHT
from searchbench.solvers.proof.gomoku.rounds import processes, work_on_branch
from searchbench.solvers.proof.gomoku.search import OWN_LIMIT, QuietSearch
from solvers.test_gomoku import prepared, random_state, twin, without_fives


def quiet_wins() -> Iterator[tuple[int, State, Attack]]:
    """Generate random positions of 7 x 7 without a win by threats, with an attack whose memory is empty."""
    for seed in range(1000):
        rng = random.Random(f"quiet {seed}")
        attack = prepared(7, 7, "free")
        state: State = tuple(random_state(rng, 7, 7, rng.choice([10, 12, 14]), 4))
        attack.forget()
        attack.set(state)
        if without_fives(twin(7, 7, "free", state)) and attack.by_threats(0, OWN_LIMIT) != WON:
            yield seed, state, attack


def beats_every_reply(attack: Attack, state: State, moves: Mapping[State, int]) -> bool:
    """Play the records' moves, and elsewhere those of wins by threats, against every reply by the rules alone."""

    def move_of(board: FiveInARow) -> tuple[int, int] | None:
        here = tuple(board.stones.values())
        attack.set(here)
        cell = moves.get(here)
        if cell is None and attack.by_threats(0, 20_000) == WON:
            cell = attack.move(0)
            if cell is None:
                line = attack.by_fours(0, 1000)
                cell = line[0] if line else None
        return None if cell is None else (cell % 7, cell // 7)

    return twin(7, 7, "free", state).beats_every_reply(1, move_of)


@pytest.mark.long
def test_wins_by_quiet_moves_beat_every_reply() -> None:
    wins = records = 0
    for seed, state, attack in quiet_wins():
        search = QuietSearch(attack)
        if search.solve(state, 1000) and (moves := search.records(state)):
            assert beats_every_reply(attack, state, moves), (seed, state)
            wins, records = wins + 1, records + len(moves)
        if wins == 4:
            break
    print(f"{wins} wins, {records} records")
    assert wins == 4


@pytest.mark.long
def test_wins_on_two_levels_beat_every_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the searches of the second level get few nodes, the first level has the moves."""
    monkeypatch.setattr(two_levels.TwoLevels, "limits", (1,))
    wins = records = 0
    for seed, state, attack in quiet_wins():
        search = two_levels.TwoLevels(attack)
        if search.solve(state, 4000) and len(moves := search.records(state)) > 1:
            assert beats_every_reply(attack, state, moves), (seed, state)
            wins, records = wins + 1, records + len(moves)
        if wins == 2:
            break
    print(f"{wins} wins, {records} records")
    assert wins == 2


def test_replies_and_canonical_positions() -> None:
    opening = Opening()
    assert len(opening.replies(opening.start)) == 35  # Allis 1994, section 5.2
    assert opening.name(112) == "h8"
    assert opening.name(0) == "a15"
    assert chosen_branches(opening, ["j10", "f6", "f10"]) == chosen_branches(opening, ["f10"])
    with pytest.raises(BadRequest, match="expected cells such as a15"):
        chosen_branches(opening, ["z3"])
    with pytest.raises(BadRequest, match="odd size"):
        _ = Opening(8).start
    game = load("mnk:7x7,k=5,symmetry=true")
    small = Opening(7)
    for seed in range(30):
        rng = random.Random(f"canonical {seed}")
        state = tuple(random_state(rng, 7, 7, rng.randint(0, 12)))
        move = rng.choice([cell for cell in range(49) if state[cell] == 0])
        canonical, there = small.canonical(state, move)
        assert canonical == tuple(game.canonical(state)), seed
        after = small.canonical(stones_at(state, [(move, 1)]))[0]
        assert after == small.canonical(stones_at(canonical, [(there, 1)]))[0], seed
        replies = small.replies(state)
        classes = {small.canonical(stones_at(state, [(cell, 2)]))[0] for cell in range(49) if state[cell] == 0}
        assert len(classes) <= len(replies)
        assert classes == {small.canonical(stones_at(state, [(cell, 2)]))[0] for cell in replies}


@pytest.mark.long
def test_work_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On 7 x 7 little is proved; the file of a branch says so, whatever its last line looks like."""
    monkeypatch.setattr(race.race, "__defaults__", ((20, 40),))
    monkeypatch.setattr(race, "SECOND_MOVES", 2)
    monkeypatch.setattr(race, "PROBES", 2)
    opening = Opening(7)
    white = opening.replies(opening.start)[0]
    open_folder(tmp_path, opening)
    whole = work_on_branch(tmp_path, opening, white, 30, time.time() + 60)
    assert not whole.open_replies(30)
    whole = read_branch(tmp_path, opening, white)
    assert whole.open_replies(31)
    data = whole.path.read_bytes()
    for cut in (len(data) - 1, len(data) - 30, len(data) // 2):
        whole.path.write_bytes(data[:cut])
        cut_off = read_branch(tmp_path, opening, white)
        assert len(cut_off.attempts) < len(whole.attempts)
        again = work_on_branch(tmp_path, opening, white, 30, time.time() + 60)
        assert again.second == whole.second
        assert set(again.attempts) == set(whole.attempts)
        kept = {reply: line for reply, line in whole.attempts.items() if reply in cut_off.attempts}
        assert {reply: again.attempts[reply] for reply in kept} == kept
    reached = progress(tmp_path, opening)
    assert reached.branches == len(opening.replies(opening.start))
    assert reached.tried == len(whole.attempts)
    assert "tried and open" in str(reached)
    whole.path.write_bytes(b"{}\n" + data)
    with pytest.raises(DamagedData, match="line 1 cannot be read"):
        read_branch(tmp_path, opening, white)
    with pytest.raises(BadRequest, match="another process works there"):
        open_folder(tmp_path, opening)


def test_black_tries_every_parry() -> None:
    """Whatever black leaves out where white threatens five or a straight four loses to fours and threes of white."""
    fives = straights = left_out = 0
    for seed in range(400):
        rng = random.Random(f"parry {seed}")
        attack = prepared(9, 9, "free")
        state: State = tuple(random_state(rng, 9, 9, rng.choice([12, 16, 20]), 0))
        attack.forget()
        attack.set(state)
        five, straight = attack.has(1, FIVE), attack.has(1, STRAIGHT)
        if not without_fives(twin(9, 9, "free", state)) or attack.has(0, FIVE) or not (five or straight):
            continue
        fives, straights = fives + five, straights + (straight and not five)
        tried = set(QuietSearch(attack).candidates())
        for cell in range(81):
            if state[cell] == 0 and cell not in tried:
                attack.set(stones_at(state, [(cell, 1)]))
                left_out += 1
                assert attack.has(1, FIVE) or attack.by_threats(1, 20_000) == WON, (seed, cell)
    print(f"{fives} fives, {straights} straight fours, {left_out} moves left out")
    assert fives >= 10
    assert straights >= 10


def test_black_parries_far_from_his_stones_and_wins() -> None:
    """White's open three, then her four: the parries are worth less to black than every move beside his own stones."""
    opening = Opening()
    cells = {opening.name(cell): cell for cell in range(225)}
    attack = Attack(bits=16)
    black = [(cells[name], 1) for name in ("h9", "g9")]
    three = [(cells[name], 2) for name in ("c13", "d13", "e13")]
    for root in (
        stones_at(opening.start, black + three),
        stones_at(opening.start, [*black, (cells["b13"], 1), *three, (cells["f13"], 2)]),
    ):
        search = QuietSearch(attack)
        assert search.solve(root, 100_000)
        print(attack.nodes, search.records(root)[root])
        assert opening.name(search.records(root)[root])[1:] == "13"


def test_a_folder_of_another_board_is_refused(tmp_path: Path) -> None:
    (tmp_path / "task.json").write_text(json.dumps({"format": 1, "size": 9, "rule": "free"}))
    with pytest.raises(BadRequest, match="holds work on"):
        open_folder(tmp_path, Opening(15))


@pytest.mark.long
def test_the_walk_of_a_checker_finds_a_dropped_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Wins by threats that the search finds with what it remembers must be short enough to be found without.
    monkeypatch.setattr(quiet, "OWN_LIMIT", 500)
    monkeypatch.setattr(quiet, "REPLY_LIMIT", 500)
    opening = Opening()
    attack = Attack(bits=16)
    search = QuietSearch(attack)
    root = stones_at(opening.start, [(0, 2), (128, 1), (144, 2)])
    assert search.solve(root, 200_000)
    records = search.records(root)
    checker, nothing = (Checker(opening, known, False, "cpu") for known in (records, {}))
    found = 0
    for state, move in itertools.islice(records.items(), 3):
        assert checker.uncovered(state, move) == []
        needed = nothing.uncovered(state, move)
        assert {opening.canonical(reply)[0] for reply in needed} <= checker.known
        found += len(needed)
    print(f"{len(records)} records, {found} replies need one")
    assert found > 0
    branch = read_branch(tmp_path, opening, 0)
    branch.add({"second": 128, "probes": {}, "seconds": 0.0, "nodes": 0})
    branch.add(race.attempt(search, branch.base, 144, 200_000))
    assert len(opening.strategy(branch.records())) == len(records) + 1


@pytest.mark.parametrize("name", ["GM-1", "GM-2"])
def test_the_rows_on_the_board_agree_with_the_paper(name: str) -> None:
    assert reproduce(ROWS[name]).verdict == "match"


def test_processes_run_no_file_of_the_working_folder_and_one_that_breaks_off_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pickle", "heapq", "queue"):  # which Python imports when it starts a process
        (tmp_path / f"{module}.py").write_text("open('ran', 'w').close()\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)

    def work() -> None:
        with processes(1) as pool:
            assert pool.submit(os.getcwd).result(timeout=120) == str(tmp_path)
            assert not (tmp_path / "ran").exists()
            pool.submit(os._exit, 1).result(timeout=120)

    with pytest.raises(OutOfMemory, match="broke off"):
        work()
    assert "PYTHONSAFEPATH" not in os.environ


def test_a_limit_of_nodes_is_refused_in_words_that_fit() -> None:
    """Nobody gave a working folder, of which the message spoke."""
    with pytest.raises(
        BadRequest, match=r"gomoku:7,free: the start .* a limit of nodes is that of one: limit the seconds"
    ):
        sb.prove("gomoku:7", method="threats", nodes=1000)
