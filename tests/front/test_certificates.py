"""Certificates on the command line: prove to a file, verify, count, ask and play it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from front_program import Program
from searchbench.cli.app import ExitCode

WON = "mnk:4,4,3"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a win of the first player, a draw, and a win of the player who is not to move."""
    import searchbench as sb

    folder = tmp_path_factory.mktemp("certificates")
    wanted = {"won": (WON, None), "draw": ("tic-tac-toe", "X../.O./..."), "lost": ("tic-tac-toe", "X.X/.O./O.X")}
    found = {}
    for name, (game, state) in wanted.items():
        found[name] = sb.prove(game, state).write(folder / f"{name}.cert")
    return found


def test_a_proof_is_written_and_verified(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    told = json.loads(program("prove", WON, "--to", path, "--json").out)
    assert (told["value"], told["certificate"], told["records"]) == ("win", str(path), 131)
    assert told["bytes"] == path.stat().st_size
    found = json.loads(program("verify", path, "--json").out)
    assert (found["records"], found["faults"], found["claim"]) == (131, 0, "first player wins")
    answer = program("prove", WON, "--to", path)
    assert (answer.code, "give --force" in answer.err) == (ExitCode.WRONG_INPUT, True)
    assert program("prove", "tic-tac-toe", "XX./OO./...", "--to", path, "--force").code == 0
    assert json.loads(program("verify", path, "--json").out)["claim"] == "player to move wins"


def test_what_makes_no_certificate(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    for arguments, code, told in (
        (("prove", WON, "--to", path, "--nodes", 10), ExitCode.LIMIT, "no result within"),
        (("prove", WON, "--to", path, "--no-evidence"), ExitCode.WRONG_INPUT, "give no --to"),
        (("prove", "sliding:2x2", "--to", path), ExitCode.WRONG_INPUT, "search for a puzzle"),
        (("prove", WON, "--to", tmp_path / "no" / "x"), ExitCode.WRONG_INPUT, "there is no folder"),
    ):
        answer = program(*arguments)
        assert (answer.code, told in answer.err) == (code, True), answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_false_claim_exits_10_and_damage_40(program: Program, certificates: dict[str, Path], tmp_path: Path) -> None:
    import searchbench as sb
    from searchbench.proof import Claim

    path = tmp_path / "x.cert"
    good = sb.open_certificate(certificates["won"])
    strategy = dict(good.claims[0].strategy)
    at = next(state for state in strategy if sum(map(bool, state)) == 2)
    del strategy[at]
    sb.Certificate(good.game, good.root, (Claim(0, 1, strategy),)).write(path)
    answer = program("verify", path)
    assert answer.code == ExitCode.REFUTED
    assert f"no move is given for {good.game.format(at)!r}" in answer.out
    assert json.loads(program("verify", path, "--json").out)["faults"] == 1
    data = path.read_bytes()
    for damaged in (data[:-1], data[:300], data[:30], data + b"x"):
        path.write_bytes(damaged)
        for command in ("verify", "stats", "probe", "line", "play"):
            answer = program(command, path)
            assert (answer.code, str(path) in answer.err) == (ExitCode.DAMAGED, True), answer


def test_records_are_counted_by_ply(program: Program, certificates: dict[str, Path]) -> None:
    found = json.loads(program("stats", certificates["won"], "--json").out)
    assert found["claims"][0]["plies"] == {"0": 1, "2": 15, "4": 104, "6": 11}
    text = program("stats", certificates["draw"]).out
    assert "claim      draw" in text
    assert "the other player gets a draw or better" in text
    assert [
        claim["player"] for claim in json.loads(program("stats", certificates["lost"], "--json").out)["claims"]
    ] == [1]


def test_a_certificate_is_asked(program: Program, certificates: dict[str, Path]) -> None:
    found = json.loads(program("probe", certificates["won"], "--json").out)
    assert [(one["by"], one["moves"]) for one in found["answers"]] == [("a record", ["b3"])]
    found = json.loads(program("probe", certificates["won"], "..../.X../..../....", "--json").out)
    (answer,) = found["answers"]
    assert len(answer["replies"]) == 15
    assert {reply["covered"] for reply in answer["replies"]} == {"a record"}
    assert "no claim" in program("probe", certificates["won"], "XO../..../..../....").out
    line = json.loads(program("line", certificates["won"], "--json").out)
    assert len(line["moves"]) == len(line["states"]) - 1 >= 5
    assert len(json.loads(program("line", certificates["won"], "--limit", 2, "--json").out)["moves"]) == 2
    assert program("probe", certificates["won"], "hardest").code == ExitCode.WRONG_INPUT


def test_a_certificate_plays(program: Program, certificates: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, winner in (("won", "first"), ("lost", "second")):
        monkeypatch.setattr("sys.stdin", io.StringIO("#1\n" * 12))
        answer = program("play", certificates[name])
        assert answer.code == 0
        assert answer.out.endswith(f"the {winner} player wins\n"), answer.out


def test_databases_and_certificates_have_options_of_their_own(
    program: Program, certificates: dict[str, Path], databases: dict[str, Path]
) -> None:
    for arguments, told in (
        (("verify", certificates["won"], "--parts", "all"), "--work and --parts are for databases"),
        (("stats", certificates["won"], "--compression"), "is a certificate"),
        (("find", certificates["won"]), "is a certificate, no database"),
        (("repair", certificates["won"]), "is a certificate, no database"),
        (("play", certificates["won"], "--db", databases["token"]), "give no --db"),
        (("verify", certificates["won"], "--leaves", databases["token"]), "rests on no database"),
        (("verify", databases["token"], "--leaves", databases["token"]), "--leaves is for certificates"),
        (("probe", databases["token"], "--leaves", databases["token"]), "--leaves is for certificates"),
    ):
        answer = program(*arguments)
        assert (answer.code, told in answer.err) == (ExitCode.WRONG_INPUT, True), answer
