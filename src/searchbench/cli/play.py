"""Play in the terminal: against the computer, or alone, with values where a database is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Argument, Option
from searchbench.cli.options import OwnGame
from searchbench.errors import BadMove, BadRequest, SearchBenchError
from searchbench.rules import UNDECIDED

if TYPE_CHECKING:
    from searchbench.cli.adviser import Adviser
    from searchbench.game import Game, Position
    from searchbench.store import Certificate

HELP = """\
a move    as it is written, or its number with or without #
best      play the best move            hint    show the best move
line      show a line of best play      undo    take back the last move of yours
quit      leave"""


class Computer(StrEnum):
    """Which player is the computer."""

    first = "first"
    second = "second"
    none = "none"


def play(
    what: Annotated[
        str, Argument(metavar="GAME|DIR|FILE", help="A game; a database: then values are shown; or a certificate.")
    ],
    state: Annotated[str, Argument(metavar="STATE", help="Where to begin.")] = "start",
    folder: Annotated[
        Path | None,
        Option("--db", metavar="DIR", help="A database of the game, or of the one that it goes on as."),
    ] = None,
    database_game: OwnGame = None,
    computer: Annotated[
        Computer | None, Option(help="Who is the computer; by default the second of two players.")
    ] = None,
) -> None:
    """Play a game or a puzzle in the terminal."""
    import searchbench as sb
    from searchbench.cli.adviser import DatabaseAdviser, LeavesAdviser, SearchingAdviser, adviser
    from searchbench.cli.ask import position_in
    from searchbench.first_state import check_first_state
    from searchbench.player import SearchedValues
    from searchbench.solvers.proof import LeafDatabase
    from searchbench.store import is_named_certificate

    if is_named_certificate(what):
        if folder is not None:
            raise BadRequest(f"{what} is a certificate: it plays without a database; give no --db")
        _play_certificate(sb.open_certificate(what, database_game), state, computer)
        return
    place = folder or (Path(what) if Path(what).is_dir() else None)
    database = None if place is None else sb.open_database(place, database_game)
    if database is not None and (folder is None or sb.load(what) == database.game):
        game, position = database.game, position_in(database, state)
        helper: Adviser = DatabaseAdviser(database)
    elif database is not None:
        game = sb.load(what)
        check_first_state(game)
        position, leaves = game.position(state), LeafDatabase(game, database)
        helper = SearchingAdviser(game, leaves) if game.has("evaluate") else LeavesAdviser(SearchedValues(leaves))
    else:
        game = sb.load(what)
        check_first_state(game)
        position, helper = game.position(state), adviser(game)
    if computer is None:
        computer = Computer.second if game.two_players else Computer.none
    Session(game, helper, [position], {Computer.first: 0, Computer.second: 1}.get(computer, -1)).run()


def _play_certificate(certificate: Certificate, state: str, computer: Computer | None) -> None:
    """Play against a certificate: by default the computer is the player whose claim is the strongest."""
    from searchbench.cli.adviser import CertificateAdviser
    from searchbench.cli.certificates import position_of

    show.write(f"{certificate.game}: {certificate.claim}")
    if computer is None:
        best = max(certificate.claims, key=lambda claim: (claim.bound, claim.player), default=None)
        computer = Computer.first if best is not None and best.player == 0 else Computer.second
    sides = {Computer.first: 0, Computer.second: 1}
    begin = position_of(certificate, state)
    Session(certificate.game, CertificateAdviser(certificate), [begin], sides.get(computer, -1)).run()


@dataclass
class Session:
    """Hold a game in progress: the positions so far, the moves between them, and which player (0, 1) the computer is."""

    game: Game
    adviser: Adviser
    positions: list[Position]
    computer: int
    moves: list[int] = field(default_factory=list)

    @property
    def now(self) -> Position:
        """Return the position at hand."""
        return self.positions[-1]

    @property
    def player(self) -> int:
        """Return who is to move: 0 or 1; in a puzzle always 0."""
        return len(self.moves) % 2 if self.game.two_players else 0

    def run(self) -> None:
        """Play until the game is over, or the input."""
        while not self._over():
            if self.player == self.computer and not self._stuck():
                self._computer_moves()
                continue
            self._show()
            try:
                words = input("> ").strip()
            except EOFError:
                show.write()
                return
            if words in {"quit", "q", "exit"}:
                return
            try:
                self._obey(words)
            except SearchBenchError as error:
                show.write(error)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _obey(self, words: str) -> None:
        commands: dict[str, Callable[[], None]] = {
            "": lambda: None, "best": self._best, "hint": self._hint, "line": self._line, "undo": self._undo,
            "help": lambda: show.write(HELP), "?": lambda: show.write(HELP),
        }  # fmt: skip
        texts = self.now.moves()
        if words in texts or words not in commands:
            self._play(self._chosen(words, texts))
        else:
            commands[words]()

    def _chosen(self, words: str, texts: list[str]) -> int:
        """Return the move that is meant: written out, or by its number where no move is written like that."""
        legal = self.game.moves(self.now.state)
        if words in texts:
            return legal[texts.index(words)]
        number = words.removeprefix("#")
        if number.isdecimal() and 1 <= int(number) <= len(legal):
            return legal[int(number) - 1]
        raise BadMove(f"{words!r} is neither a move nor a command; help lists the commands")

    def _best(self) -> None:
        move = self.adviser.best(self.now)
        show.write(f"best: {self.game.format_move(self.now.state, move)}")
        self._play(move)

    def _hint(self) -> None:
        show.write(f"hint: {self.game.format_move(self.now.state, self.adviser.best(self.now))}")

    def _line(self) -> None:
        show.write(show.line(self.adviser.line(self.now)))

    def _undo(self) -> None:
        """Take back one move, or two where the computer has answered."""
        back = 2 if self.computer >= 0 and self.game.two_players else 1
        if len(self.moves) < back:
            show.write("there is no move to take back")
            return
        del self.moves[-back:], self.positions[-back:]

    def _play(self, move: int) -> None:
        after = self.game.play(self.now.state, move)
        self.moves.append(move)
        self.positions.append(self.game.position(after))

    def _computer_moves(self) -> None:
        if not self.game.two_players and self.now in self.positions[:-1]:  # nobody else would end the play
            show.write("the position has come again: the moves are yours")
            self.computer = -1
            return
        try:
            move = self.adviser.best(self.now)
        except SearchBenchError as error:
            move = self.game.moves(self.now.state)[0]
            show.write(f"the computer does not know better: {error}")
        show.write(f"the computer plays {self.game.format_move(self.now.state, move)}")
        self._play(move)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        show.write()
        show.write(self.now)
        show.write()
        if self.game.two_players:
            show.write(f"{self._called(self.player)} is to move")
        dead = self.game.dead_end(self.now.state)
        if dead:
            show.write(f"it cannot be solved any more: {dead}; undo takes a move back")
        value = self.adviser.value(self.now)
        if value:
            show.write(f"value: {value}")
        after: dict[int, str] = self.adviser.values(self.now)
        weighed = () if self.adviser.weighed is None else (self.adviser.weighed,)
        rows = [
            (
                f"#{number}",
                self.game.format_move(self.now.state, move),
                *(str(self.game.call(name, list(self.now.state), move)) for name in weighed),
                after.get(move, ""),
            )
            for number, move in enumerate(self.game.moves(self.now.state), 1)
        ]
        if not rows:
            show.write("no move is left" if dead else "no move is left; undo takes a move back")
            return
        whose = ", for the other player" if self.game.two_players else ""
        show.write(show.table(rows, ("", "move", *weighed, f"value after it{whose}" if after else "")))

    def _over(self) -> bool:
        """Tell whether the game is over, and say how it ended."""
        state = list(self.now.state)
        result = self.game.terminal(state)
        if self.game.two_players:
            if result == UNDECIDED and self.game.moves(state):
                return False
            show.write(f"\n{self.now}\n\n{self._ending(0 if result == UNDECIDED else result)}")
            return True
        if result != 0 and (self.game.moves(state) or self._stuck()):
            return False
        if result == 0 and not self.moves:
            return False  # a solved puzzle may be moved on
        ended = f"solved in {counted(str(len(self.moves)), 'move')}" if result == 0 else "no move is left"
        show.write(f"\n{self.now}\n\n{ended}")
        return True

    def _stuck(self) -> bool:
        """Tell whether a puzzle is not solved and has no move left, where moves can be taken back."""
        state = list(self.now.state)
        return (
            bool(self.moves)
            and not self.game.two_players
            and self.game.terminal(state) != 0
            and not self.game.moves(state)
        )

    def _ending(self, result: int) -> str:
        """Return who has won, and by how many points where they count."""
        points = result if self.player == 0 else -result
        for ply, (position, move) in enumerate(zip(self.positions, self.moves, strict=False)):
            gained = self.game.call("gain", list(position.state), move)
            points += gained if ply % 2 == 0 else -gained
        if points == 0:
            return "a draw"
        return f"{self._called(int(points < 0))} wins" + (
            f" by {counted(str(abs(points)), 'point')}" if self._counts_points() else ""
        )

    def _called(self, player: int) -> str:
        """Return what a player is called: as the game does, or by the order of the moves made here."""
        from searchbench.game import Game

        told = self.game.mover(self.positions[0].state)
        if told is None or self.game.sides == Game.sides:
            return Game.sides[player]  # by the order of the moves, also where the second player has the first
        return self.game.sides[player ^ told]

    def _counts_points(self) -> bool:
        from searchbench.values import value_rule

        return value_rule(self.game.values).points
