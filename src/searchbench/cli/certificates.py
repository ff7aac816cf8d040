"""What the commands tell of a certificate: its check, its counts, its moves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Exit
from searchbench.errors import BadState

if TYPE_CHECKING:
    from searchbench.game import Position
    from searchbench.run import Run
    from searchbench.store import Certificate
    from searchbench.verify import CertificateReport


def verify(certificate: Certificate, leaves: Path | None, run: Run, as_json: bool) -> None:
    """Check every record, and tell the faults; raises Exit if there are any."""
    report: CertificateReport = certificate.verify(leaves, run)
    if as_json:
        show.write_json(report.as_dict())
    else:
        show.write(report)
    if report.count:
        raise Exit(10)


def _warn_of_other_rules(certificate: Certificate) -> None:
    """Say on stderr that the rules are not those by which the certificate was written."""
    from searchbench.store.certificate import has_other_rules

    if has_other_rules(certificate):
        note = "the rules have changed since the certificate was written: `searchbench verify` tells whether it still holds"
        print(f"{certificate.game}: {note}", file=sys.stderr)


def stats(certificate: Certificate, as_json: bool) -> None:
    """Tell the claims, and count their records by ply; whether they stand is told by `verify`."""
    from searchbench.verify.counting import records_by_ply

    _warn_of_other_rules(certificate)
    facts: dict[str, Any] = {
        "game": certificate.game.spec,
        "root": certificate.game.format(certificate.root),
        "claim": certificate.claim,
        "notion": certificate.notion,
        "method": certificate.facts["method"],
        "leaves": list(certificate.leaf_kinds),
        "bytes": certificate.facts["bytes"],
        "unpacked": certificate.facts["unpacked"],
        "records": certificate.records,
    }
    claims: list[dict[str, Any]] = [
        {
            "player": claim.player, "bound": claim.bound, "symmetric": claim.symmetric, "forced": claim.forced,
            **({"threats": claim.threats} if claim.threats else {}),
            "records": len(claim.strategy),
            "plies": {str(ply): count for ply, count in plies.items()},
        }
        for claim, plies in zip(certificate.claims, records_by_ply(certificate), strict=True)
    ]  # fmt: skip
    if as_json:
        show.write_json(facts | {"claims": claims})
        return
    for name, fact in facts.items():
        told = f"{fact:,}" if isinstance(fact, int) else ", ".join(fact) if isinstance(fact, list) else fact
        show.write(f"{name:9}  {told}")
    from searchbench.verify.claim import claim_text

    for claim, numbers in zip(certificate.claims, claims, strict=True):
        kinds = ["symmetric states share a record"] if claim.symmetric else []
        kinds += [f"forced sequences of up to {claim.forced:,} nodes"] if claim.forced else []
        kinds += [f"wins by threats of up to {claim.threats:,} nodes"] if claim.threats else []
        show.write(f"\n{', '.join([claim_text(claim), *kinds])}\n")
        rows = [(ply, f"{count:,}") for ply, count in numbers["plies"].items()]
        if unreached := numbers["records"] - sum(numbers["plies"].values()):
            rows.append(("none", f"{unreached:,}"))
        show.write(show.table(rows, ("ply", "records")) if rows else "no records")


def probe(certificate: Certificate, text: str, leaves: Path | None, as_json: bool) -> None:
    """Show what the claims say of a state: the move to play, or what covers each reply."""
    from searchbench.verify import CertificatePlayer

    _warn_of_other_rules(certificate)
    game = certificate.game
    position = position_of(certificate, text)
    answers = CertificatePlayer(certificate, leaves).answers(position.state)
    told: list[dict[str, Any]] = []
    for answer in answers:
        moves, at = [], list(position.state)
        for move in answer.moves:
            moves.append(game.format_move(at, move))
            at = game.play(at, move)
        told.append({"claim": answer.claim, "by": answer.by, "moves": moves,
                     "replies": [reply._asdict() for reply in answer.replies]})  # fmt: skip
    if as_json:
        show.write_json({"state": position.text, "answers": told})
        return
    show.write(position)
    show.write(f"\n{position.text}")
    if not answers:
        show.write("\nno claim: the game is over, or the certificate's play does not lead here")
    for one in told:
        if one["moves"]:
            show.write(f"\n{one['claim']}: {' '.join(one['moves'])} ({one['by']})")
            continue
        show.write(f"\n{one['claim']}, whatever is played\n")
        rows = [(reply["move"], reply["covered"], reply["state"]) for reply in one["replies"]]
        show.write(show.table(rows, ("reply", "answered by", "state")))


def line(certificate: Certificate, text: str, limit: int | None, leaves: Path | None, as_json: bool) -> None:
    """Follow a line of the certificate's play."""
    from searchbench.verify import CertificatePlayer

    _warn_of_other_rules(certificate)
    found = CertificatePlayer(certificate, leaves).line(position_of(certificate, text).state, limit)
    if as_json:
        states = [position.text for position in found]
        show.write_json({"moves": found.move_texts(), "states": states})
        return
    show.write(show.line(found))
    show.write(f"\n{counted(str(len(found)), 'move')}")


def position_of(certificate: Certificate, text: str) -> Position:
    """Return the position that a text means: notation, or "start", the certificate's root."""
    if text.strip() == "hardest":
        raise BadState("hardest: a certificate has no depths; give a state or start, which is its root")
    return certificate.game.position(certificate.root if text.strip() == "start" else text)
