"""Walk through a certificate: its claims, its move or its answer to every reply in a position, and why each reply loses."""

from __future__ import annotations

import threading
from typing import Any

from searchbench.catalogue import name_of, title_of
from searchbench.errors import BadState
from searchbench.game import Position
from searchbench.verify import CertificatePlayer
from searchbench.verify.claim import claim_text
from searchbench.web.answers import position_answer


class Walk:
    """Answer questions about one certificate, one at a time: what checks its claims keeps what it has found."""

    def __init__(self, player: CertificatePlayer) -> None:
        self.player, self.certificate = player, player.certificate
        self._lock = threading.Lock()

    def described(self, name: str) -> dict[str, Any]:
        """Return what the certificate claims, and of what it is made."""
        certificate = self.certificate
        return {
            "name": name,
            "game": certificate.game.spec,
            "label": name_of(certificate.game),
            "title": title_of(certificate.game),
            "claim": certificate.claim,
            "notion": certificate.notion,
            "method": str(certificate.facts.get("method", "")),
            "records": certificate.records,
            "leaves": list(certificate.leaf_kinds),
            "root": certificate.game.format(certificate.root),
            "claims": [{"claim": claim_text(claim), "records": len(claim.strategy)} for claim in certificate.claims],
        }

    def position(self, text: str, side: int) -> dict[str, Any]:
        """Return a position with its drawing and its moves, and what each claim says of it. Raises BadState."""
        game = self.certificate.game
        if text.strip() == "hardest":
            raise BadState("hardest: a certificate has no depths; give a state, or start, which is its root")
        position = game.position(self.certificate.root if text.strip() == "start" else text)
        answer = position_answer(game, position, side)
        with self._lock:
            found = self.player.answers(position.state)
        sequences = [(one, self._sequence(position, one.moves)) for one in found]
        answer["answers"] = [
            {"claim": one.claim, "by": one.by, "moves": moves, "replies": [reply._asdict() for reply in one.replies]}
            for one, moves in sequences
        ]
        return answer

    def _sequence(self, position: Position, moves: tuple[int, ...]) -> list[dict[str, str]]:
        """Return moves with the states after them, as texts."""
        game, state, told = self.certificate.game, list(position.state), []
        for move in moves:
            text = game.format_move(state, move)
            state = game.play(state, move)
            told.append({"move": text, "state": game.format(state)})
        return told
