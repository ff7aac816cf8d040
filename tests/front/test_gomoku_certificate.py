"""Certificates of go-moku: proved, verified, counted and played on the command line; altered in every record, refused."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from front_program import Program
from searchbench.catalogue import load
from searchbench.cli.app import ExitCode
from searchbench.errors import DamagedData
from searchbench.proof import Claim
from searchbench.solvers.proof.gomoku import closing
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.nodes import stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.store.certificate import Certificate, open_certificate
from searchbench.verify import check_claim

GAME, SIZE = "gomoku:7", 7
STATE = "..O..../OO...../...XX../......./......./.X...../......."
"""Black wins by quiet moves, not by threats alone."""
LEAST = 3_000
"""Nodes for a win by threats that suffice for this certificate; where a record lacks, all of them are spent."""


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate of a win in which some moves are quiet."""
    import searchbench as sb

    path = tmp_path_factory.mktemp("gomoku") / "proof.cert"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closing, "SHORT", 40)  # so that there are records
        return sb.prove(load(GAME), STATE, "threats", nodes=200_000).write(path)


def changed(proof: Certificate, strategy: dict[tuple[int, ...], int], player: int = 0) -> Certificate:
    """Return a certificate with other records, or of the other player."""
    return Certificate(proof.game, proof.root, (Claim(player, 1, strategy, True, threats=LEAST),))


def farthest(state: tuple[int, ...]) -> int:
    """Return the empty cell farthest from black's stones."""
    black = [divmod(cell, SIZE) for cell, stone in enumerate(state) if stone == 1]

    def distance(cell: int) -> int:
        row, column = divmod(cell, SIZE)
        return min(max(abs(row - y), abs(column - x)) for y, x in black)

    return max((cell for cell, stone in enumerate(state) if not stone), key=distance)


@pytest.mark.long
def test_a_win_at_gomoku_is_verified_counted_and_played(
    program: Program, proved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = len(open_certificate(proved).claims[0].strategy)
    assert records > 3
    found = json.loads(program("verify", proved, "--json").out)
    assert (found["records"], found["faults"], found["claim"]) == (records, 0, "player to move wins")
    counted = json.loads(program("stats", proved, "--json").out)
    assert sum(counted["claims"][0]["plies"].values()) == records
    monkeypatch.setattr("sys.stdin", io.StringIO("#1\n" * 40))
    answer = program("play", proved)
    assert (answer.code, answer.out.endswith("the first player wins\n")) == (0, True), answer


@pytest.mark.long
def test_every_altered_record_is_refused_with_its_place(proved: Path) -> None:
    """What the checker accepts without a record, the prover wins by its own search."""
    proof = open_certificate(proved)
    game, records = proof.game, dict(proof.claims[0].strategy)
    opening, attack = Opening(SIZE), Attack(SIZE, SIZE)
    assert check_claim(game, proof.root, changed(proof, records).claims[0]).count == 0
    needed = refused = 0
    for state, move in records.items():
        rest = {other: answer for other, answer in records.items() if other != state}
        (claim,) = changed(proof, rest).claims
        report = check_claim(game, proof.root, claim)
        if report.count:
            assert any("no move is given for" in fault for fault in report.faults)
            needed += 1
        else:  # the checker finds a win by itself: so does the prover's search, which shares nothing with it
            attack.forget()
            attack.set(state)
            assert attack.by_threats(0, 200_000) == WON, game.format(state)
        occupied = next(cell for cell, stone in enumerate(state) if stone)
        for wrong in (2 * occupied, move + 1):
            (claim,) = changed(proof, {**records, state: wrong}).claims
            faults = check_claim(game, proof.root, claim).faults
            assert any("not legal" in fault and game.format(state) in fault for fault in faults), faults
        far = farthest(state)
        (claim,) = changed(proof, {**records, state: 2 * far}).claims
        report = check_claim(game, proof.root, claim)
        if report.count:
            assert any("no move is given for" in fault for fault in report.faults), report.faults
            refused += 1
        else:  # the stone helps after all: the prover's search, which shares nothing with the checker's, agrees
            known = {opening.canonical(other)[0] for other in records}
            after = stones_at(state, [(far, 1)])
            for reply in (stones_at(after, [(cell, 2)]) for cell, stone in enumerate(after) if stone == 0):
                if opening.canonical(reply)[0] not in known:
                    attack.forget()
                    attack.set(reply)
                    assert attack.by_threats(0, 200_000) == WON, (game.format(state), far)
    assert needed > 1
    assert refused > 1


@pytest.mark.long
@pytest.mark.parametrize("short", [10, 10_000])
def test_white_wins_as_black_does_with_colours_exchanged(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more stone of black, far away: white is to move, and the records are those of the other colour."""
    import searchbench as sb

    monkeypatch.setattr(closing, "SHORT", short)
    state = STATE.translate(str.maketrans("OX", "XO"))[:-1] + "X"
    for rule in ("free", "standard"):
        proof = sb.prove(load(f"{GAME},{rule}"), state, "threats", nodes=200_000)
        (claim,) = proof.claims
        assert (proof.value, proof.verify()) == ("win", [])
        print(rule, short, len(claim.strategy))
        assert len(claim.strategy) > (1 if short > 10 else 5)


def test_the_other_winner_is_refused(program: Program, proved: Path, tmp_path: Path) -> None:
    proof = open_certificate(proved)
    path = changed(proof, dict(proof.claims[0].strategy), 1).write(tmp_path / "flipped.cert")
    answer = program("verify", path)
    assert (answer.code, "no move is given for" in answer.out) == (ExitCode.REFUTED, True), answer


def test_a_certificate_cut_or_altered_in_any_part_is_damaged(proved: Path, tmp_path: Path) -> None:
    data, path = proved.read_bytes(), tmp_path / "damaged.cert"
    for place in range(0, len(data), max(1, len(data) // 150)):
        for damaged in (data[:place], data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]):
            path.write_bytes(damaged)
            with pytest.raises(DamagedData, match=r"damaged\.cert"):
                open_certificate(path)


def test_a_folder_of_proved_replies_is_refused_where_it_is_of_no_use(program: Program, tmp_path: Path) -> None:
    for state, said in (("start", "no file of a branch is there"), (STATE, "work is kept for the start")):
        answer = program("prove", GAME, state, "--method", "threats", "--proved", tmp_path)
        assert (answer.code, said in answer.err) == (ExitCode.WRONG_INPUT, True), answer
    (tmp_path / "a7.txt").write_text("go-moku 2 7 free a7 c3\n")
    answer = program("prove", GAME, "--method", "threats", "--proved", tmp_path, "--work", tmp_path / "work")
    assert (answer.code, "a7.txt, line 2 cannot be read" in answer.err) == (ExitCode.DAMAGED, True), answer
