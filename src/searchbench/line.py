"""A line: the moves from a state to the end, and claims about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from searchbench.game import Game, Position
from searchbench.late import late

_verify = late("searchbench.verify:verify_line")


@dataclass(frozen=True)
class Line:
    """The moves from a state on; iterating gives the positions.

    `optimal` claims that no line to a solved state costs less. `nodes` and `seconds` measure the search.
    """

    game: Game
    start: tuple[int, ...]
    moves: tuple[int, ...]
    cost: int
    optimal: bool = True
    nodes: int = 0
    seconds: float = 0.0
    complete: bool = True
    """Claims that the line leads to a solved state, or to the end of the game."""
    nodes_kept: int = 0
    """Number of different states that the search stored; 0 if it did not count them."""
    strategy: str = ""
    """The method that found it."""

    def states(self) -> list[tuple[int, ...]]:
        """Return the states along the line, first and last included."""
        states = [self.start]
        for move in self.moves:
            states.append(tuple(self.game.play(states[-1], move)))
        return states

    def move_texts(self) -> list[str]:
        """Return the moves as text."""
        return [self.game.format_move(state, move) for state, move in zip(self.states(), self.moves, strict=False)]

    def __iter__(self) -> Iterator[Position]:
        return (Position(self.game, state) for state in self.states())

    def _repr_html_(self) -> str:
        """Return the boards with the moves between them for a notebook."""
        from searchbench.drawing import board_svg, boards_html

        board, captions = self.game.board(), ["start", *self.move_texts()]
        turned = self.game.two_players
        pictures = [
            str(position)
            if board is None
            else board_svg(board, self.game.pieces(position.state), turned and ply % 2 == 1, style=False)
            for ply, position in enumerate(self)
        ]
        return boards_html(list(zip(captions, pictures, strict=True)))

    def __len__(self) -> int:
        return len(self.moves)

    def verify(self) -> list[str]:
        """Check the line by the rules alone; return the errors found."""
        found: list[str] = _verify(self)
        return found
