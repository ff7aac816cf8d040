"""Who knows the best move: a database, or where there is none a search or a proof of the position at hand."""

from __future__ import annotations

from typing import Protocol

import searchbench as sb
from searchbench.errors import BadRequest
from searchbench.game import Game, Position
from searchbench.line import Line
from searchbench.player import SearchedValues, SearchingPlayer
from searchbench.proof import outcome_text
from searchbench.solvers.proof import LeafDatabase
from searchbench.store import Certificate, Database
from searchbench.values import Result
from searchbench.verify import CertificatePlayer

NODES = 20_000_000
"""After how many nodes a search for advice gives up."""


class Adviser(Protocol):
    """Answer questions about a position."""

    @property
    def weighed(self) -> str | None:
        """Return "cost" or "gain" where values count what moves cost or gain, None where all count alike."""
        ...

    def value(self, position: Position) -> str:
        """Return the value of a position, "" where it is not known at once."""
        ...

    def values(self, position: Position) -> dict[int, str]:
        """Return the value after each move, as far as they are known at once."""
        ...

    def best(self, position: Position) -> int:
        """Return a best move."""
        ...

    def line(self, position: Position) -> Line:
        """Return a line of best play."""
        ...


class DatabaseAdviser:
    """Look everything up."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.knows_best = database.rule.ranks_moves and not database.rule.from_start
        self.player = sb.Player(database) if database.rule.two_players and self.knows_best else None
        self.weighed = database.weighed

    def value(self, position: Position) -> str:
        """Return the value of a position."""
        return self.database.rule.format(self.database.probe(position))

    def values(self, position: Position) -> dict[int, str]:
        """Return the value after each move."""
        rule = self.database.rule
        return {choice.move: rule.format(choice.value) for choice in self.database.moves(position)}

    def best(self, position: Position) -> int:
        """Return the move to the best value; against an opponent, of equal moves the one that is hardest to answer."""
        if not self.knows_best:
            raise BadRequest(f"values of {self.database.rule.name!r} do not say which move is best")
        return self.player.choose(position) if self.player else self.database.moves(position)[0].move

    def line(self, position: Position) -> Line:
        """Return a line of best play."""
        return self.database.line(position)


class LeavesAdviser:
    """Look up what a database at the leaves holds, and search the rest."""

    weighed: str | None = None

    def __init__(self, values: SearchedValues) -> None:
        self.source = values
        self.player = sb.Player(values)

    def value(self, position: Position) -> str:
        """Return the value of a position."""
        return self._text(self.source.value(position))

    def values(self, position: Position) -> dict[int, str]:
        """Return the value after each move."""
        return {choice.move: self._text(choice.value) for choice in self.source.moves(position)}

    def best(self, position: Position) -> int:
        """Return the move to the best value, of equal moves the one that is hardest to answer."""
        return self.player.choose(position)

    def line(self, position: Position) -> Line:
        """Refuse: what is searched has no depth."""
        raise BadRequest("a line of best play needs a database of the whole game: searchbench solve GAME --to DIR")

    def _text(self, value: Result) -> str:
        return self.source.rule.format(value) if value.depth else self.source.rule.kind(value)


class _Thinker:
    weighed: str | None = None

    def value(self, position: Position) -> str:
        """Return nothing: it would take a search."""
        return ""

    def values(self, position: Position) -> dict[int, str]:
        """Return nothing: it would take a search for each move."""
        return {}


class SearchAdviser(_Thinker):
    """Search a line to a solved state; go on along it as long as it is followed."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.found: dict[tuple[int, ...], Line] = {}

    def best(self, position: Position) -> int:
        """Return the first move of a line."""
        line = self.line(position)
        if not line.moves:
            raise BadRequest("the puzzle is solved")
        return line.moves[0]

    def line(self, position: Position) -> Line:
        """Return a line to a solved state."""
        if position.state not in self.found:
            line = sb.search(self.game, position, nodes=NODES)
            left = line.cost
            for done, state in enumerate(line.states()):
                self.found[state] = Line(self.game, state, line.moves[done:], left, line.optimal)
                left -= self.game.call("cost", list(state), line.moves[done]) if done < len(line) else 0
        return self.found[position.state]


class ProofAdviser(_Thinker):
    """Prove the value of the position, and play as the proof says."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def best(self, position: Position) -> int:
        """Return the move of the claim for the player to move; where all is lost, the first one."""
        proof = sb.prove(self.game, position, nodes=NODES)
        for claim in proof.claims:
            if claim.player == 0 and position.state in claim.strategy:
                return claim.strategy[position.state]
        moves = self.game.moves(position.state)
        if proof.incomplete:  # the moves that keep the value are found one by one
            for move in moves:
                after = self.game.play(position.state, move)
                if sb.prove(self.game, after, nodes=NODES, evidence=False).outcome <= -proof.outcome:
                    return move
        return moves[0]

    def line(self, position: Position) -> Line:
        """Refuse: a proof is no line."""
        raise BadRequest("a line of best play needs a database: searchbench solve GAME --to DIR")


class SearchingAdviser(_Thinker):
    """Play by searches of limited depth; tell the values that a database at the leaves knows."""

    def __init__(self, game: Game, leaves: LeafDatabase | None = None) -> None:
        self.leaves = leaves
        self.player = SearchingPlayer(game, leaves)

    def value(self, position: Position) -> str:
        """Return the value of a position that the database knows."""
        known = None if self.leaves is None else self.leaves.outcome(position.state)
        return "" if known is None else outcome_text(known, known)

    def best(self, position: Position) -> int:
        """Return the move of the player."""
        return self.player.choose(position)

    def line(self, position: Position) -> Line:
        """Refuse: the searches do not reach the end."""
        raise BadRequest("a line of best play needs a database of the whole game: searchbench solve GAME --to DIR")


class CertificateAdviser(ProofAdviser):
    """Play as a certificate does; where it has no move, prove the position."""

    def __init__(self, certificate: Certificate) -> None:
        super().__init__(certificate.game)
        self.player = CertificatePlayer(certificate)

    def best(self, position: Position) -> int:
        """Return the certificate's move; else that of a proof of the position."""
        move = self.player.move(position.state)
        return super().best(position) if move is None else move

    def line(self, position: Position) -> Line:
        """Return a line of the certificate's play."""
        return self.player.line(position.state)


def adviser(game: Game) -> Adviser:
    """Return who can help without a database."""
    if game.has("evaluate"):
        return SearchingAdviser(game)
    return ProofAdviser(game) if game.two_players else SearchAdviser(game)
