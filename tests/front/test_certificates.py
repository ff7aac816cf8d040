"""Certificates on the command line: prove to a file, verify, count, ask and play it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from front_program import Program
from searchbench.cli.app import ExitCode

WON = "mnk:4,4,3"
PROOFS = Path(__file__).parents[2] / "proofs"


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
    for damaged in (b"X" + data[1:], data[:10], b""):
        path.write_bytes(damaged)
        for command in ("verify", "stats", "probe", "line", "play", "serve"):
            answer = program(command, path)
            assert (answer.code, "no searchbench database" in answer.err) == (ExitCode.DAMAGED, False), answer


def test_rules_that_have_changed_are_told(program: Program, tmp_path: Path) -> None:
    """What `verify` would find, nothing else checks."""
    game = tmp_path / "heap.py"
    text = (Path(__file__).parents[2] / "examples" / "tokens.py").read_text()
    game.write_text(text)
    path = tmp_path / "heap.cert"
    assert program("prove", game, "--to", path).code == 0
    before = [program(command, path, "--game", game).err for command in ("stats", "probe", "line")]
    game.write_text(text.replace("return -1 if state[0] == state[1] else", "return -1 if state[1] == state[0] else"))
    after = [program(command, path, "--game", game).err for command in ("stats", "probe", "line")]
    assert not any("rules have changed" in err for err in before)
    assert all("rules have changed" in err for err in after), after


def test_records_are_counted_by_ply(program: Program, certificates: dict[str, Path]) -> None:
    found = json.loads(program("stats", certificates["won"], "--json").out)
    assert found["claims"][0]["plies"] == {"0": 1, "2": 15, "4": 104, "6": 11}
    text = program("stats", certificates["draw"]).out
    assert "claim      draw" in text
    assert "the other player gets a draw or better" in text
    assert [
        claim["player"] for claim in json.loads(program("stats", certificates["lost"], "--json").out)["claims"]
    ] == [1]


@pytest.mark.parametrize(
    ("game", "state"),
    [(WON, None), ("tic-tac-toe", "X../.O./..."), ("tic-tac-toe", "X.X/.O./O.X"), ("connect4:4x4", None), ("hex:3x3", None),
     ("othello:4x4", "start"), ("awari-match:3", None)],
)  # fmt: skip
def test_counts_by_ply_are_those_of_the_check(game: str, state: str | None) -> None:
    """Where no record is needless, the check reaches as many at each ply as are counted without it."""
    import searchbench as sb
    from searchbench.store.certificate import certificate_of
    from searchbench.verify.counting import records_by_ply

    certificate = certificate_of(sb.prove(game, state))
    report = certificate.verify()
    assert (report.unreached, report.count) == (0, 0)
    assert records_by_ply(certificate) == [
        {claim.player + 2 * moves: count for moves, count in enumerate(plies)}
        for claim, plies in zip(certificate.claims, report.plies, strict=True)
    ]
    assert sum(sum(plies.values()) for plies in records_by_ply(certificate)) == certificate.records > 0


@pytest.mark.parametrize(("name", "plies"), [("gomoku", [1, 35, 6746]), ("gomoku-standard", [1, 35, 6812])])
def test_records_of_hours_of_proving_are_counted_without_a_search(
    program: Program, monkeypatch: pytest.MonkeyPatch, name: str, plies: list[int]
) -> None:
    """The check of these certificates takes many minutes."""

    def searched(*_: object) -> None:
        raise AssertionError("the records were checked")

    monkeypatch.setattr("searchbench.verify.claim.ClaimCheck._checked", searched)
    monkeypatch.setattr("searchbench.verify.claim.ClaimCheck._from_root", searched)
    answer = program("stats", PROOFS / f"{name}.cert", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    counts = found["claims"][0]["plies"]
    assert [counts["0"], counts["2"], counts["4"]] == plies
    assert sum(counts.values()) == found["records"]
    assert found["bytes"] == (PROOFS / f"{name}.cert").stat().st_size


def test_records_that_no_line_reaches_are_counted_apart(program: Program, tmp_path: Path) -> None:
    import searchbench as sb
    from searchbench.proof import Claim

    proof = sb.prove("awari-match:3")
    claim = proof.claims[0]
    strategy = dict(claim.strategy)
    reached = len(strategy)
    strategy[tuple([1] * proof.game.width)] = 0
    changed = Claim(claim.player, claim.bound, strategy)
    path = sb.Certificate(proof.game, proof.state, (changed,), facts={"method": "pns"}).write(tmp_path / "x.cert")
    found = json.loads(program("stats", path, "--json").out)
    assert (found["records"], sum(found["claims"][0]["plies"].values())) == (reached + 1, reached)
    assert program("stats", path).out.splitlines()[-1].split() == ["none", "1"]


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
