"""Certificates: what is written is read; whatever was altered is refused with the place, or still stands."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
import searchbench as sb
from searchbench import jit
from searchbench.errors import BadRequest, DamagedData, LimitReached, SearchBenchError
from searchbench.game import Game
from searchbench.games.mnk import MNK
from searchbench.games.tic_tac_toe import TicTacToe
from searchbench.proof import Claim, Proof, Strategy
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from searchbench.store.certificate import MAGIC, Certificate, open_certificate
from searchbench.verify import CertificatePlayer
from searchbench.verify.certificate import COVERED, verify_certificate
from searchbench.verify.claim import FORCED

SMALL = TicTacToe(), "X../.O./..."
WON = MNK(4, 4, 3), None


def proved(game: Game, state: str | None, method: str = "pns") -> Proof:
    """Return a proof, found without compiling: here it matters what it says."""
    return prove_state(game, state, method, Run(memory=64 << 20, threads=1), target="interpreted")


def parts_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header of a certificate and its body, decompressed: read as the description of the format says."""
    data = path.read_bytes()
    first, _, rest = data.partition(b"\n")
    magic, _format, size, _digest = first.split()
    assert magic == MAGIC
    header = json.loads(rest[: int(size)])
    return header, lzma.decompress(rest[int(size) :])


def rebuilt(path: Path, header: dict[str, Any], body: bytes) -> Path:
    """Write a certificate with this header and decompressed body, whose digests are right."""
    packed = lzma.compress(body, preset=0)  # a quick one: this is done thousands of times
    told = {"bytes": len(packed), "unpacked": len(body), "sha256": hashlib.sha256(packed).hexdigest()}
    text = json.dumps({**header, "body": told}).encode()
    first = f"{MAGIC.decode()} 1 {len(text)} {hashlib.sha256(text).hexdigest()}\n".encode()
    path.write_bytes(first + text + packed)
    return path


def places_of(header: dict[str, Any], body: bytes) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Yield for each claim of a header the cells [records, width] and moves of a copy of the body, and what the header tells."""
    width, place = len(header["root"]["cells"]), 0
    for claim in header["claims"]:
        assert claim["cell_bytes"] == claim["move_bytes"] == 1
        cells, moves = claim["records"] * width, claim["records"]
        yield (
            claim,
            np.frombuffer(body[place : place + cells], np.uint8).reshape(-1, width).copy(),
            np.frombuffer(body[place + cells : place + cells + moves], np.int8).copy(),
        )
        place += cells + moves


def joined(claims: list[tuple[dict[str, Any], Any, Any]]) -> tuple[list[dict[str, Any]], bytes]:
    """Return the claims of a header and a body, in which the records are sorted."""
    body = b""
    for claim, cells, moves in claims:
        order = sorted(range(len(cells)), key=lambda row: cells[row].tobytes())
        body += cells[order].tobytes() + moves[order].tobytes()
        claim["records"] = len(cells)
    return [claim for claim, _, _ in claims], body


def told_again(header: dict[str, Any], claims: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the header with these claims, and all that follows from them."""
    lower = max([-1, *(one["bound"] for one in claims if one["player"] == 0)])
    upper = -max([-1, *(one["bound"] for one in claims if one["player"] == 1)])
    proxies = tuple(Claim(one["player"], one["bound"], {}, one["symmetric"], one["forced"]) for one in claims)
    made = Certificate(sb.load(header["game"]["spec"]), tuple(header["root"]["cells"]), proxies)
    assert made.bounds == (lower, upper)
    return {
        **header, "claims": claims, "records": sum(one["records"] for one in claims), "claim": made.claim,
        "value": made.value, "notion": made.notion, "leaves": list(made.leaf_kinds),
    }  # fmt: skip


def judge(path: Path, target: jit.Target = "cpu") -> str:
    """Return "refused" if a file cannot be opened, "faults", or "stands", which the obvious twin must confirm."""
    try:
        found = open_certificate(path)
        report = verify_certificate(found, target=target, run=Run(threads=1))
    except SearchBenchError:
        return "refused"
    if not report:
        assert report.faults
        assert all(found.game.spec in fault for fault in report.faults)
        return "faults"
    assert all(naive.claim_stands(found.game, found.root, claim) for claim in found.claims)
    return "stands"


# --- there and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pns", "alphabeta", "dfpn"])
@pytest.mark.parametrize(("game", "state"), [SMALL, WON, (TicTacToe(), "XX./OO./..."), (TicTacToe(), "XXX/OO./...")])
def test_a_proof_comes_back_as_it_was(game: Game, state: str | None, method: str, tmp_path: Path) -> None:
    proof = proved(game, state, method)
    path = proof.write(tmp_path / "proof.cert")
    found = sb.open_certificate(path)
    assert (found.game, found.root, found.value) == (game, proof.state, proof.value)
    assert [dict(claim.strategy) for claim in found.claims] == [dict(claim.strategy) for claim in proof.claims]
    assert [replace(claim, strategy={}) for claim in found.claims] == [
        replace(claim, strategy={}) for claim in proof.claims
    ]
    assert found.proof.verify() == []
    report = found.verify()
    assert (report.count, report.unreached, report.faults) == (0, 0, ())
    assert report.records == found.records == sum(sum(plies) for plies in report.plies)
    assert report.as_dict()["claim"] == found.claim
    again = found.write(tmp_path / "again.cert")
    assert parts_of(again)[1] == parts_of(path)[1]


def test_claims_and_notions_in_words() -> None:
    game = MNK(3, 3, 3)
    start, other = tuple(game.start()), (1, 0, 0, 0, 0, 0, 0, 0, 0)
    wins, draws = Claim(0, 1, {}), (Claim(0, 0, {}), Claim(1, 0, {}))
    for root, claims, told in (
        (start, (wins,), ("first player wins", "weak")),
        (start, (Claim(1, 1, {}),), ("second player wins", "weak")),
        (start, draws, ("draw", "weak")),
        (start, draws[:1], ("draw or win for the first player", "position")),
        (other, (wins,), ("player to move wins", "position")),
    ):
        made = Certificate(game, root, claims)
        assert (made.claim, made.notion) == told


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_cells_and_moves_of_every_size(dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = TicTacToe()
    monkeypatch.setattr(TicTacToe, "dtype", dtype)
    rng = np.random.default_rng(7)
    limits = np.iinfo(dtype)
    for low, high in ((0, 2), (limits.min, limits.min + 2), (limits.max - 300 if limits.max > 300 else 0, limits.max)):
        if dtype == np.int64 and low < -(1 << 62):
            continue
        states = np.unique(rng.integers(low, high, (50, 9), dtype, endpoint=True), axis=0)
        for most in (1 << 6, 1 << 14, 1 << 30, 1 << 62):
            claim = Claim(0, 1, Strategy(states, rng.integers(-most, most, len(states))))
            path = Certificate(game, tuple(game.start()), (claim,)).write(tmp_path / "x.cert", overwrite=True)
            assert dict(open_certificate(path).claims[0].strategy) == dict(claim.strategy)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    proof = proved(*SMALL)
    path = proof.write(tmp_path / "proof.cert")
    with pytest.raises(BadRequest, match="is there already"):
        proof.write(path)
    proof.write(path, overwrite=True)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(BadRequest, match="give another path"):
        proof.write(other, overwrite=True)
    assert other.read_text() == "mine"
    with pytest.raises(BadRequest, match="there is no folder"):
        proof.write(tmp_path / "no" / "proof.cert")
    with pytest.raises(BadRequest, match="evidence"):
        prove_state(*SMALL, target="interpreted", evidence=False).write(tmp_path / "none.cert")
    with pytest.raises(LimitReached, match="evidence is incomplete"):
        replace(proof, claims=(), incomplete="because its budget is used up").write(tmp_path / "none.cert")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["notes.txt", "proof.cert"]


# --- damage -----------------------------------------------------------------------------------------------------------


def test_every_cut_and_every_changed_byte_is_refused(tmp_path: Path) -> None:
    data = proved(*SMALL).write(tmp_path / "proof.cert").read_bytes()
    path = tmp_path / "damaged.cert"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(DamagedData, match=r"byte|certificate|short"):
            open_certificate(path)
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ (1, 0x20, 0xFF)[place % 3]]) + data[place + 1 :])
        with pytest.raises(DamagedData, match=re.escape(str(path))):
            open_certificate(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(DamagedData, match="behind its end"):
        open_certificate(path)
    with pytest.raises(BadRequest, match="there is no certificate"):
        open_certificate(tmp_path / "none.cert")


def test_every_record_dropped_and_every_move_and_state_changed(tmp_path: Path) -> None:
    game = SMALL[0]
    path = proved(*SMALL).write(tmp_path / "proof.cert")
    header, body = parts_of(path)
    ends = dict.fromkeys(("refused", "faults", "stands"), 0)
    for place in range(len(header["claims"])):
        for row in range(header["claims"][place]["records"]):
            claims = list(places_of(json.loads(json.dumps(header)), body))
            told, cells, moves = claims[place]
            at = tuple(map(int, cells[row]))
            claims[place] = (told, np.delete(cells, row, 0), np.delete(moves, row))
            found, changed = joined(claims)
            altered = rebuilt(tmp_path / "x.cert", told_again(header, found), changed)
            report = open_certificate(altered).verify()
            assert report.count == 1
            assert f"no move is given for {game.format(at)!r}" in report.faults[0]
            for other in [*game.moves(at), 99]:
                if other == moves[row]:
                    continue
                claims = list(places_of(json.loads(json.dumps(header)), body))
                claims[place][2][row] = other
                found, changed = joined(claims)
                ended = judge(rebuilt(tmp_path / "x.cert", told_again(header, found), changed))
                assert ended == "faults" or other != 99
                ends[ended] += 1
            claims = list(places_of(json.loads(json.dumps(header)), body))
            claims[place][1][row, row % 9] ^= 1
            found, changed = joined(claims)
            ends[judge(rebuilt(tmp_path / "x.cert", told_again(header, found), changed))] += 1
    assert ends["faults"] > 100
    assert ends["stands"] < ends["faults"]


def test_flipped_values_are_refused(tmp_path: Path) -> None:
    for game, state in (SMALL, WON):
        header, body = parts_of(proved(game, state).write(tmp_path / "proof.cert", overwrite=True))
        for place, claim in enumerate(header["claims"]):
            for name, values in (
                ("bound", (-1, 0, 1)),
                ("player", (0, 1)),
                ("symmetric", (True,)),
                ("forced", (1, 50)),
            ):
                for value in values:
                    claims = json.loads(json.dumps(header["claims"]))
                    claims[place][name] = value
                    altered = rebuilt(tmp_path / "x.cert", {**header, "claims": claims}, body)
                    if header["claims"][place][name] == value:
                        assert judge(altered, "interpreted") == "stands"
                        continue
                    if name in ("bound", "player") or value is True:
                        told = judge(altered, "interpreted")
                        assert told in ("refused", "faults") or name == "symmetric"
                    altered = rebuilt(tmp_path / "x.cert", told_again(header, claims), body)
                    told = judge(altered, "interpreted")
                    if name == "player" or (name == "bound" and value > claim["bound"]):
                        assert told == "faults", (name, value)


def header_changes(header: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield headers with one thing wrong."""
    for name in header:
        if name not in ("body", "assumptions"):
            yield {other: value for other, value in header.items() if other != name}
    for name in ("claim", "value", "notion", "leaves", "records"):
        yield {**header, name: None}
    claim = header["claims"][0]
    for name, values in {
        "player": (2, -1, True, "0"), "bound": (2, -2, None, 1.0), "symmetric": (0, "no"), "forced": (-1, False),
        "records": (-1, claim["records"] + 1, claim["records"] - 1, 1 << 60), "least": (1 << 40, -200, 126),
        "values": (0, -1, 2, 1 << 20), "cell_bytes": (0, 2, 3), "move_bytes": (0, 2, 16),
    }.items():  # fmt: skip
        for value in values:
            yield {**header, "claims": [{**claim, name: value}, *header["claims"][1:]]}
        yield {**header, "claims": [{other: value for other, value in claim.items() if other != name}]}
    yield {**header, "claims": [{**claim, "more": 1}, *header["claims"][1:]]}
    cells = header["root"]["cells"]
    for root in (
        {"state": "nonsense"},
        {"cells": [*cells, 0]},
        {"cells": cells[::-1]},
        {"cells": "0" * 9},
        {"state": 7},
    ):
        yield {**header, "root": {**header["root"], **root}}
    for game in ({"spec": "no-such-game"}, {"name": "mnk"}, {"version": 99}, {"parameters": {"k": 9}}, {"spec": 5}):
        yield {**header, "game": {**header["game"], **game}}
    for kind in ([], 3, "x", None):
        yield {**header, "game": kind}
        yield {**header, "claims": kind}
        yield {**header, "root": kind}
    yield {**header, "database": 3}


def test_wrong_headers_with_right_digests_are_refused(tmp_path: Path) -> None:
    header, body = parts_of(proved(*SMALL).write(tmp_path / "proof.cert"))
    assert judge(rebuilt(tmp_path / "x.cert", header, body)) == "stands"
    for changed in header_changes(header):
        path = rebuilt(tmp_path / "x.cert", changed, body)
        with pytest.raises(SearchBenchError):
            open_certificate(path)
    for text in (b"[]", b"{", b"[" * 100_000, b'"x"', b"null", b"\xff"):
        first = f"{MAGIC.decode()} 1 {len(text)} {hashlib.sha256(text).hexdigest()}\n".encode()
        path.write_bytes(first + text)
        with pytest.raises(DamagedData, match="header"):
            open_certificate(path)


def test_wrong_bodies_with_right_digests_are_refused(tmp_path: Path) -> None:
    header, body = parts_of(proved(*SMALL).write(tmp_path / "proof.cert"))
    count, width = header["claims"][0]["records"], len(header["root"]["cells"])
    swapped = body[width : 2 * width] + body[:width] + body[2 * width :]
    with pytest.raises(DamagedData, match="record 1 is not in its place"):
        open_certificate(rebuilt(tmp_path / "x.cert", header, swapped))
    doubled = body[:width] + body[:width] + body[2 * width :]
    with pytest.raises(DamagedData, match="record 1 is not in its place"):
        open_certificate(rebuilt(tmp_path / "x.cert", header, doubled))
    last = (count - 1) * width
    with pytest.raises(DamagedData, match=f"a cell of record {count - 1} exceeds 2"):
        open_certificate(rebuilt(tmp_path / "x.cert", header, body[:last] + b"\x07" + body[last + 1 :]))
    data = rebuilt(tmp_path / "x.cert", header, body).read_bytes()
    first, _, rest = data.partition(b"\n")
    size = int(first.split()[2])
    for packed in (b"", rest[size:-9], rest[size:] * 2, lzma.compress(body + b"\0"), lzma.compress(body * 1000)):
        told = {"bytes": len(packed), "unpacked": len(body), "sha256": hashlib.sha256(packed).hexdigest()}
        text = json.dumps({**header, "body": told}).encode()
        first = f"{MAGIC.decode()} 1 {len(text)} {hashlib.sha256(text).hexdigest()}".encode()
        (tmp_path / "x.cert").write_bytes(first + b"\n" + text + packed)
        with pytest.raises(DamagedData, match="body"):
            open_certificate(tmp_path / "x.cert")


@pytest.mark.long
def test_a_thousand_random_mutations(tmp_path: Path) -> None:
    game = WON[0]
    header, body = parts_of(proved(*WON).write(tmp_path / "proof.cert"))
    rng = random.Random(1)
    ends = dict.fromkeys(("refused", "faults", "stands"), 0)
    for _ in range(1000):
        claims = list(places_of(json.loads(json.dumps(header)), body))
        place = rng.randrange(len(claims))
        told, cells, moves = claims[place]
        row, cell = rng.randrange(len(cells)), rng.randrange(game.width)
        kind = rng.choice(("cell", "move", "legal", "drop", "add", "swap", "claim"))
        if kind == "cell":
            cells[row, cell] = rng.randrange(4)
        elif kind == "move":
            moves[row] = rng.randrange(-128, 128)
        elif kind == "legal":
            moves[row] = rng.choice(game.moves(cells[row].tolist()))
        elif kind == "swap":
            other = rng.randrange(len(cells))
            moves[row], moves[other] = moves[other], moves[row]
        elif kind == "drop":
            cells, moves = np.delete(cells, row, 0), np.delete(moves, row)
        elif kind == "add":
            fresh = cells[row].copy()
            fresh[cell] = rng.randrange(3)
            cells, moves = np.vstack([cells, fresh]), np.append(moves, np.int8(2 * cell))
        else:
            told |= rng.choice(({"forced": 20}, {"bound": 0}, {"player": 1}, {"symmetric": True}))
        claims[place] = told, cells, moves
        found, changed = joined(claims)
        ended = judge(rebuilt(tmp_path / "x.cert", told_again(header, found), changed))
        ends[ended] += 1
    assert min(ends.values()) > 20, ends
    assert ends["faults"] > 500, ends


# --- symmetric records, forced sequences, repetition, databases -------------------------------------------------------


def symmetric(game: Game, claim: Claim) -> Claim:
    """Return a claim whose records are representatives of those of another."""
    moves: dict[tuple[int, ...], int] = {}
    for state, move in claim.strategy.items():
        like, after = tuple(game.canonical(state)), game.canonical(game.play(state, move))
        own = [one for one in game.moves(like) if game.canonical(game.play(like, one)) == after]
        moves.setdefault(like, own[0])
    return replace(claim, strategy=moves, symmetric=True)


@pytest.mark.long
def test_symmetric_records_and_forced_sequences_make_it_smaller(tmp_path: Path) -> None:
    game = MNK(4, 4, 3, symmetry=True)
    proof = proved(game, None)
    few = symmetric(game, proof.claims[0])
    assert len(few.strategy) < len(proof.claims[0].strategy)
    forced = replace(few, forced=50, strategy={s: m for s, m in few.strategy.items() if sum(map(bool, s)) < 4})
    for claim in (few, forced):
        path = replace(proof, claims=(claim,)).write(tmp_path / "x.cert", overwrite=True)
        report = open_certificate(path).verify()
        assert (report.count, report.forced > 0) == (0, claim.forced > 0)
        assert naive.claim_stands(game, proof.state, claim)
        for at in list(claim.strategy)[:20]:
            rest = {state: move for state, move in claim.strategy.items() if state != at}
            cut = Certificate(game, proof.state, (replace(claim, strategy=rest),)).verify(target="interpreted")
            assert (cut.count > 0) != naive.claim_stands(game, proof.state, replace(claim, strategy=rest))
    assert "forced sequence" in open_certificate(path).leaf_kinds
    assert Certificate(game, proof.state, (replace(few, symmetric=False),)).verify().count


@pytest.mark.parametrize("changes", [{}, {"forced": 50}, {"symmetric": True}])
def test_a_certificate_wins_every_game_that_it_plays(changes: dict[str, Any]) -> None:
    game = MNK(4, 4, 3, symmetry=True)
    proof = proved(game, None)
    claim = symmetric(game, proof.claims[0]) if "symmetric" in changes else proof.claims[0]
    if "forced" in changes:
        kept = {state: move for state, move in claim.strategy.items() if sum(map(bool, state)) < 4}
        claim = replace(claim, forced=50, strategy=kept)
    player = CertificatePlayer(Certificate(game, proof.state, (claim,)))
    rng = random.Random(4)
    kinds = set()
    for _ in range(20):
        state, claims = list(proof.state), True
        while game.moves(state):
            (answer,) = player.answers(state)
            kinds.add(answer.by)
            assert bool(answer.moves) == claims
            if not claims:
                assert {reply.move for reply in answer.replies} == {
                    game.format_move(state, m) for m in game.moves(state)
                }
            move = player.move(state) if claims else rng.choice(game.moves(state))
            assert move is not None
            state = game.play(state, move)
            claims = not claims
        assert game.terminal(state) == -1
        assert not claims
    assert (COVERED[FORCED] in kinds) == ("forced" in changes)
    line = player.line(proof.state)
    assert game.terminal(line.states()[-1]) == -1
    assert player.answers(game.read("OX../..../..../...X")) == []


def test_a_database_at_the_leaves_is_known_by_its_digest(tmp_path: Path) -> None:
    folder = tmp_path / "ttt.db"
    database = sb.solve("tic-tac-toe", to=folder)
    game = sb.load("tic-tac-toe")
    start = tuple(game.start())

    class Known:
        def __init__(self) -> None:
            self.database, self.parts = database, database.parts  # in memory, but saved

        def outcome(self, state: Any) -> int:
            return int(database.probe(game.position(state)).outcome)

    proof = Proof(game, start, 0, "", (Claim(0, 0, {}), Claim(1, 0, {})), leaves=Known())
    found = open_certificate(proof.write(tmp_path / "x.cert"))
    assert found.leaf_kinds == ("terminal", "record", "database")
    report = found.verify(leaves=folder)
    assert report
    assert "digest" in report.notes[0]
    assert found.verify(leaves=database)
    with pytest.raises(BadRequest, match="--leaves DIR"):
        found.verify()
    sb.solve("tic-tac-toe", to=tmp_path / "other.db", solver="fixpoint")
    with pytest.raises(BadRequest, match="rests on that of"):
        found.verify(leaves=tmp_path / "other.db")
    with pytest.raises(BadRequest, match="rests on that of"):
        found.verify(leaves=sb.solve("tic-tac-toe"))
    wins = Certificate(game, start, (Claim(0, 1, {}),), found.database)
    assert wins.verify(leaves=folder).count == 1


def test_unreached_records_are_told_and_never_given_to_the_rules() -> None:
    game, state = SMALL
    proof = proved(game, state)
    claim = proof.claims[0]
    nonsense = {tuple([3 + place] * 9): 99 for place in range(5)}
    made = Certificate(game, proof.state, (replace(claim, strategy={**claim.strategy, **nonsense}), *proof.claims[1:]))
    report = made.verify()
    assert (report.count, report.unreached) == (0, 5)
    assert "5 records are not reached" in report.notes[0]
