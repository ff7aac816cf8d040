"""Check a certificate: every claim, reached from the root by the rules; and ask what it plays.

It shares nothing with the provers but the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.line import Line
from searchbench.proof import Claim, KnownOutcomes
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.slots import slot
from searchbench.store import Database, open_database
from searchbench.store.certificate import Certificate, database_digest, has_other_rules
from searchbench.verify.claim import (
    BY_THREATS,
    ENDED,
    FORCED,
    MISSING,
    ClaimCheck,
    ClaimReport,
    check_claim,
    claim_text,
)

COVERED: Final = {
    ENDED: "the game is over", FORCED: "a forced sequence", BY_THREATS: "a win by threats", MISSING: "nothing",
}  # fmt: skip
_LONGEST: Final = 1 << 12
"""The longest line followed, in plies."""


@slot
def leaf_number(state: Any, scratch: Any) -> int:
    """Return the number of a state in the database at the leaves, or NOWHERE."""
    return NOWHERE


class DatabaseOutcomes:
    """Look up outcomes in parts of a database, of the same game or of one that the game goes on as. Raises BadRequest.

    The scores of a game that the game goes on as are outcomes, too, by the rule `outcome_with`.
    """

    def __init__(self, game: Game, database: Database, parts: Sequence[str]) -> None:
        self.game, self.database = game, database
        rule = None if database.game == game else game.rank_in(database.game)
        self.scored = database.rule.points and rule is not None
        if (database.game != game and rule is None) or not (database.rule.outcomes or self.scored) or database.modulus:
            raise BadRequest(f"{database} does not tell outcomes of {game}")
        self.parts = [database.part(name) for name in parts]
        names = game.names(target="interpreted")
        self._number = None if rule is None else jit.bind(leaf_number, names.with_(leaf_number=rule))

    def outcome(self, state: Sequence[int]) -> int | None:
        """Return the outcome of a state for the player to move, None if it is in none of the parts."""
        scratch = [0] * self.game.width
        number = self.game.rank(state) if self._number is None else int(self._number(list(state), scratch))
        if number == NOWHERE or not any(part.start <= number < part.stop for part in self.parts):
            return None
        value = self.database.rule.decode(self.database.code(number))
        return int(self.game.call("outcome_with", list(state), value) if self.scored else value.outcome)


@dataclass(frozen=True)
class CertificateReport:
    """What the check of a certificate finds.

    `records` is the number of records, `count` that of faults, `faults` the first of them in words. `unreached` records were
    not reached from the root, and not checked: nothing rests on them. `plies` has for each claim the number of records
    reached with each further move of the claimer. `endings`, `forced` and `threats` count replies after which the game is
    over, or a forced sequence or threats win.
    """

    game: str
    claim: str
    notion: str
    records: int
    count: int
    faults: tuple[str, ...]
    unreached: int
    plies: tuple[tuple[int, ...], ...]
    endings: int
    forced: int
    threats: int
    seconds: float
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether no fault was found."""
        return self.count == 0

    def __str__(self) -> str:
        head = f"{self.game}: {self.claim}; {self.records:,} records, {self.count:,} faults, {self.seconds:.3f} s"
        return "\n  ".join([head, *self.faults, *self.notes])

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        found: dict[str, Any] = {
            "game": self.game, "claim": self.claim, "notion": self.notion, "records": self.records,
            "faults": self.count, "unreached": self.unreached, "endings": self.endings,
            "forced sequences": self.forced, "wins by threats": self.threats, "seconds": round(self.seconds, 3),
        }  # fmt: skip
        found |= {"found": list(self.faults)} if self.faults else {}
        return found | ({"notes": list(self.notes)} if self.notes else {})


def verify_certificate(
    certificate: Certificate, leaves: Database | str | Path | None = None, run: Run | None = None,
    target: jit.Target | None = None,
) -> CertificateReport:  # fmt: skip
    """Check a certificate by the rules. Raises BadRequest if the database it rests on is not given, or is another."""
    game = certificate.game
    known = leaf_outcomes(certificate, leaves)
    with run or Run() as active:
        began = active.seconds
        reports = [check_claim(game, certificate.root, claim, known, active, target) for claim in certificate.claims]
        seconds = active.seconds - began
    faults = [fault for report in reports for fault in report.faults]
    if not certificate.claims:
        faults.append(f"{game}: there is no claim")
    return CertificateReport(
        game.spec,
        certificate.claim,
        certificate.notion,
        certificate.records,
        sum(report.count for report in reports) + (not certificate.claims),
        tuple(faults),
        sum(report.unreached for report in reports),
        tuple(report.plies for report in reports),
        sum(report.endings for report in reports),
        sum(report.forced for report in reports),
        sum(report.threats for report in reports),
        seconds,
        tuple(_notes(certificate, reports)),
    )


def leaf_outcomes(certificate: Certificate, leaves: Database | str | Path | None) -> KnownOutcomes | None:
    """Return the outcomes of the database on which a certificate rests, None if it rests on none. Raises BadRequest."""
    told = certificate.database
    if told is None:
        if leaves is not None:
            raise BadRequest(f"{certificate.game}: the certificate rests on no database: give no leaves")
        return None
    if leaves is None:
        raise BadRequest(
            f"{certificate.game}: the certificate rests on a database of {told.game} with the digest {told.digest}: "
            "give its folder, --leaves DIR"
        )
    database = leaves if isinstance(leaves, Database) else open_database(leaves)
    found = None if database.saved is None else database_digest(database.saved)
    if found != told.digest:
        raise BadRequest(f"{database} has the digest {found}; the certificate rests on that of {told.digest}")
    return DatabaseOutcomes(certificate.game, database, told.parts)


def _notes(certificate: Certificate, reports: Sequence[ClaimReport]) -> list[str]:
    notes = []
    if unreached := sum(report.unreached for report in reports):
        notes.append(f"{unreached:,} records are not reached from the root: nothing rests on them")
    if certificate.database is not None:
        told = certificate.database
        notes.append(
            f"rests on the database of {told.game} with the digest {told.digest}, which has a check of its own"
        )
    if has_other_rules(certificate):
        notes.append("the rules have changed since it was written; it was checked by those of now")
    return notes


class Reply(NamedTuple):
    """A reply, the state after it, and what shows that it does not help: "the game is over", "a record" and so on."""

    move: str
    state: str
    covered: str


class Answer(NamedTuple):
    """What a claim says of a state.

    With the claimer to move: `by` is "a record", "a forced sequence" or "a win by threats", and `moves` the move, or the whole
    sequence. With the other player to move: `replies` has every reply; `moves` is empty.
    """

    claim: str
    by: str
    moves: tuple[int, ...]
    replies: tuple[Reply, ...]


class CertificatePlayer:
    """Play and explain as a certificate does. Leaves of a database are known only with `leaves`."""

    def __init__(self, certificate: Certificate, leaves: Database | str | Path | None = None) -> None:
        self.certificate, self.game = certificate, certificate.game
        known = None if leaves is None else leaf_outcomes(certificate, leaves)
        self.checks = [
            ClaimCheck(
                self.game,
                certificate.root,
                claim,
                known,
                target="cpu" if claim.threats and known is None else "interpreted",
            )
            for claim in certificate.claims
        ]

    def answers(self, state: Sequence[int]) -> list[Answer]:
        """Return what the claims say of a state: with the claimer to move, where there is a move; else of all replies.

        A claim says nothing of a state that its play does not lead to.
        """
        if self.game.terminal(state) != UNDECIDED or not self.game.moves(state):
            return []
        found = []
        for check in self.checks:
            if move := self._move(check, state):
                found.append(move)
                continue
            if (check.claim.forced or check.claim.threats) and self._to_move(check.claim, state):
                continue
            replies = self._replies(check, state)
            if all(reply.covered != COVERED[MISSING] for reply in replies):
                found.append(Answer(claim_text(check.claim), "replies", (), tuple(replies)))
        return found

    def move(self, state: Sequence[int]) -> int | None:
        """Return the move that the certificate plays in a state, None if it has none."""
        for check in self.checks:
            if answer := self._move(check, state):
                return answer.moves[0]
        return None

    def line(self, state: Sequence[int], limit: int | None = None) -> Line:
        """Return a line of play: the claimer's moves, and each time the reply that keeps play among records longest.

        Where play repeats, or no claim knows a move, the line ends.
        """
        at = tuple(state)
        moves: list[int] = []
        seen = {at}
        while len(moves) < (_LONGEST if limit is None else limit):
            move = self._next(at)
            if move is None:
                break
            moves.append(move)
            at = tuple(self.game.play(at, move))
            if at in seen:
                break
            seen.add(at)
        return Line(self.game, tuple(state), tuple(moves), len(moves), False)

    def _next(self, state: Sequence[int]) -> int | None:
        answers = self.answers(state)
        for answer in answers:
            if answer.moves:
                return answer.moves[0]
        for answer in answers:
            legal = self.game.moves(state)
            for kind in ("a record", COVERED[FORCED], COVERED[BY_THREATS]):
                for move, reply in zip(legal, answer.replies, strict=True):
                    if reply.covered == kind:
                        return move
            return legal[0]
        return None

    def _move(self, check: ClaimCheck, state: Sequence[int]) -> Answer | None:
        """Return the claimer's move or forced sequence; of symmetric records, the move that leads to a symmetric state."""
        claim = check.claim
        covered = check.coverage(state)
        if covered == FORCED and self._to_move(claim, state):
            like = self.game.canonical(state) if claim.symmetric else list(state)
            by, moves = COVERED[FORCED], check.forced_sequence(like)
        elif covered == BY_THREATS and self._to_move(claim, state):
            like = self.game.canonical(state) if claim.symmetric else list(state)
            move = check.winning_threat(like)
            by, moves = COVERED[BY_THREATS], [] if move is None else [move]
        elif covered >= 0:
            like = self.game.canonical(state) if claim.symmetric else list(state)
            by, moves = "a record", [int(check.records.moves[covered])]
        else:
            return None
        if not moves or moves[0] not in self.game.moves(like):
            return None
        if claim.symmetric and like != list(state):
            after = self.game.canonical(self.game.play(like, moves[0]))
            own = self.game.moves(state)
            moves = [move for move in own if self.game.canonical(self.game.play(state, move)) == after][:1]
        return Answer(claim_text(claim), by, tuple(moves), ())

    def _to_move(self, claim: Claim, state: Sequence[int]) -> bool:
        """Return whether the claimer is to move in a state of a game of lines, whose moves tell the player."""
        mover = self.game.moves(self.certificate.root)[0] & 1
        return self.game.moves(state)[0] & 1 == mover ^ claim.player

    def _replies(self, check: ClaimCheck, state: Sequence[int]) -> list[Reply]:
        replies = []
        for move in self.game.moves(state):
            after = self.game.play(state, move)
            covered = check.coverage(after)
            told = COVERED.get(covered, COVERED[MISSING]) if covered < 0 else "a record"
            replies.append(Reply(self.game.format_move(state, move), self.game.format(after), told))
        return replies
