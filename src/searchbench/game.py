"""A game: parameters, identity, notation, drawing; and a position of it."""

from __future__ import annotations

import dataclasses
import hashlib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.board import Board as Board
from searchbench.board import cells_to_click
from searchbench.errors import BadGame, BadMove, BadRequest, BadState
from searchbench.guards import guarded, is_trusted
from searchbench.index.own import checked_index, functions_of
from searchbench.inherited import left_out, replaced
from searchbench.notation import an_example, read_state
from searchbench.rules import UNDECIDED
from searchbench.slots import slot_named
from searchbench.user_code import (
    calling,
    check_class,
    check_drawing,
    check_parts,
    checked_result,
    checked_rules,
    checked_sizes,
    index_size,
    place_of,
    room_for,
)

if TYPE_CHECKING:
    from searchbench.index.digits import Digits
    from searchbench.index.product_moves import ProductMoves
    from searchbench.index.protocol import Index, Part
    from searchbench.index.sequence import Sequences
    from searchbench.values.rule import ValueRule


FEW_STATES: Final = 6_100
"""Up to how many states a game is solved and verified interpreted: a state takes some hundred microseconds then, and to load
the compiler and its kernels a second."""
FEW_MOVES: Final = 300_000
"""Up to how many moves in all, as many from each state as from the start: some microseconds each."""


class Drops(NamedTuple):
    """The board of a game in which stones fall: columns, rows, the length of a line, each column's cells from below."""

    columns: int
    rows: int
    in_a_row: int
    stacks: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Position:
    """Hold a state of a game, as people see it: ``str`` is its picture, `text` its notation."""

    game: Game
    state: tuple[int, ...]

    def __str__(self) -> str:
        return self.game.picture(self.state)

    def __repr__(self) -> str:
        return f"<{self.game}: {self.text}>"

    @property
    def text(self) -> str:
        """Return the notation, which `Game.read` understands."""
        return self.game.format(self.state)

    def _repr_svg_(self) -> str | None:
        """Return the drawing for a notebook."""
        from searchbench.drawing import board_svg

        board = self.game.board()
        return None if board is None else board_svg(board, self.game.pieces(self.state), title=self.text)

    def moves(self) -> list[str]:
        """Return the legal moves as text."""
        return [self.game.format_move(self.state, move) for move in self.game.moves(self.state)]

    def play(self, move: str) -> Position:
        """Return the position after a move given as text."""
        return Position(self.game, tuple(self.game.play(self.state, self.game.parse_move(self.state, move))))


class Game:
    """Hold the rules of one game: derive a frozen dataclass whose fields are the game's parameters.

    Supply `width`, `max_moves` and ``rules()``; ``index()`` for all-state solvers; `parse`, `format` and `board` so that
    people can read it. Everything else has a default.
    """

    name: ClassVar[str] = ""
    """What the game is called on the command line and in its databases."""
    version: ClassVar[int] = 1
    """Raise it when a change of the rules or of the index makes old databases wrong."""
    dtype: ClassVar[Any] = np.int8
    """The type of a cell of a compiled state."""
    values: ClassVar[Any] = "distance"
    """The value rule that `solve` uses unless it is told another: a name or a ValueRule."""
    separator: ClassVar[str] = ","
    """What stands between the parameters in the game's name."""
    closed: ClassVar[bool] = True
    """Claims that every successor of a numbered state has a number; else set it to False."""
    consistent: ClassVar[bool] = False
    """Claims that `h` never falls by more than the cost of a move."""
    incomplete: ClassVar[frozenset[str]] = frozenset()
    """The names of those `enhancements` by which a search may lose solutions."""
    rearranges: ClassVar[bool] = False
    """Claims that moves are rearrangements: in states with the same moves the same sequences of moves are possible, and
    two sequences that lead from one of them to the same state do so from each. No state is lost."""
    independent: ClassVar[bool] = False
    """Claims of a puzzle with a `Product` as its index that all states have the same moves, and that a move's effect on the
    cells of one factor depends on these cells alone."""

    keeps: ClassVar[frozenset[str]] = frozenset()
    """The names of claims and functions of the class derived from that hold under the rules of this class, too."""

    sides: ClassVar[tuple[str, str]] = ("the first player", "the second player")
    """What people call the players: White and Black."""

    # --- supplied by a game ----------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Return how many cells a state has."""
        raise NotImplementedError

    @property
    def max_moves(self) -> int:
        """Return the largest number of moves a state can have."""
        raise NotImplementedError

    @classmethod
    def levels(cls, source: str) -> Sequence[Game] | None:
        """Return the levels in a file as games, one after the other; None where a file holds states of one game.

        "-" is standard input.
        """
        return None

    @property
    def title(self) -> str:
        """Return the title of the level in its file, "" where there is none."""
        return ""

    @property
    def notes(self) -> Sequence[str]:
        """Return what the file tells of the level besides, such as its author."""
        return ()

    @property
    def max_unmoves(self) -> int:
        """Return the largest number of moves that can have led to one state."""
        return self.max_moves

    @property
    def called(self) -> str:
        """Return what people call the game with its parameters, such as "Connect Four on 4x4"; "" for its name and its fields."""
        return ""

    def called_part(self, part: str) -> str:
        """Return what people call a part of the index, such as "5 stones"; its name by default."""
        return part

    @property
    def symmetries(self) -> int:
        """Return how many symmetries `image_under` knows, the identity among them; 1 where the rules do not tell it."""
        return 1

    @property
    def gains_symmetries(self) -> bool:
        """Say whether moves to other parts may gain symmetries, as when the last pawn is gone and the board may be turned.

        A state of such a part has predecessors in others by the unmoves of each of its images, not of its representative alone.
        """
        return False

    @property
    def places(self) -> int:
        """Return how many states may share a number: `place` is below."""
        return 1

    def data(self) -> Any:
        """Return the last parameter `data` of the rules: a named tuple of arrays and numbers, or None.

        Boards, levels and maps belong here: games that differ in their data alone are compiled once.
        """
        return None

    @property
    def locality(self) -> int | None:
        """Claim by how many moves a move may bring the start nearer, at most; None: nothing is claimed.

        It is 1 where every move can be undone by one move, and 0 where every move leads away from the start, as when pieces
        are only ever added or taken. Breadth-first search keeps depths modulo 3 or 4 only of games that claim 0 or 1: else
        a depth could not be told from one that is 3 or 4 smaller. By default 1 where `sequences` shows it, or the game
        claims that depths are distances. (The locality of a breadth-first search graph; Zhou and Hansen 2006.)
        """
        sequences: Sequences | None = self.claimed("sequences")
        reversible = self.claimed("depth_is_distance") or (sequences is not None and sequences.reversible)
        return 1 if reversible else None

    @property
    def depth_is_distance(self) -> bool:
        """Claim of a puzzle that its start is solved and no other state is terminal, and that a move takes each move back.

        Where moves are told as rearrangements, or as tables of a product, and cost 1, retrograde analysis then moves whole rows.
        """
        return False

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the functions of the contract (:mod:`searchbench.rules`) by their names."""
        raise NotImplementedError

    def heuristics(self) -> Mapping[str, Mapping[str, Callable[..., Any]]]:
        """Return bounds by their names; each is functions that take the place of `h` and `h_step`, the same at each call."""
        return {}

    def enhancements(self) -> Mapping[str, Mapping[str, Callable[..., Any]]]:
        """Return other ways to guide a search by their names: functions for `dead`, `move_priority`, `relevance_cut` ..."""
        return {}

    def enhanced(self) -> Any:
        """Return what enhanced IDA* needs of the game (`solvers.guided.enhanced.EnhancedGame`), None where it has nothing."""
        return None

    def feature_space(self) -> Any:
        """Return what feature-space search needs of the game (`solvers.guided.featurespace.FeatureSpaceGame`), or None."""
        return None

    def subgoals(self, steps: Sequence[str]) -> Sequence[Any]:
        """Return the games of steps towards the goal (`Subgoal`), each told by the pieces that it brings home."""
        raise BadRequest(f"{self} is not known to be solved in steps: it supplies no `subgoals`")

    def index(self) -> Index | None:
        """Return the numbering of the states, if there is one."""
        return None

    def parts(self) -> Sequence[Part]:
        """Return the named parts of the number line, each with the parts that it needs; by default one, "all"."""
        from searchbench.index.protocol import Part

        index = self.checked_index()
        return [Part("all", 0, index.size, ("all",))] if index is not None else []

    def sequences(self) -> Sequences | None:
        """Return the moves of a permutation game as rearrangements, if its numbers are those of `Sequences`.

        Then breadth-first search moves whole rows of numbers and needs no state.
        """
        return None

    def product_moves(self) -> ProductMoves | None:
        """Return the moves as tables of rows and columns of numbers, by default where the game claims `independent`.

        Then breadth-first search moves a row once for all its columns and needs no state.
        """
        if not self.claimed("independent"):
            return None
        from searchbench.index.compose import Product
        from searchbench.index.product_moves import moves_of_factors

        index = self.index()
        target = self.quickest_target
        if not isinstance(index, Product):
            raise BadGame(f"{self} claims `independent`, but its index is no Product: {index!r}")
        return moves_of_factors(self.names(target=target), index, self.max_moves, target)

    def drops(self) -> Drops | None:
        """Return the board if two players let stones fall into its columns, and who completes a row, column or diagonal wins.

        Cells contain 0, the first player's 1 or the second player's 2, and a full board is a draw. Then proof search works
        on bitboards and needs no rules.
        """
        return None

    def digits(self) -> Digits | None:
        """Return the digits of a layered game: which groups of cells its moves change, and how.

        Then decision diagrams of its reachable positions number them, and they are solved in two bits each.
        """
        return None

    def rank_in(self, other: Game) -> Callable[..., int] | None:
        """Return a rule ``(state, scratch)``: a state's number in the index of a game that this one goes on as, or NOWHERE.

        None if this game never goes on as the other. A state must then tell who is to move, as far as it is not numbered
        there: the search ends at those that are, and a database answers (the opening of morris, and its midgame).
        """
        return None

    def parse(self, text: str) -> list[int]:
        """Return the state that a text means; by default numbers with spaces or commas between them."""
        try:
            return [int(word) for word in re.split(r"[\s,]+", text.strip()) if word]
        except ValueError:
            raise BadState(
                f"{self}: {text!r}: expected numbers with spaces between them, as in {self.format(self.start())!r}"
            ) from None

    def format(self, state: Sequence[int]) -> str:
        """Return a state as one line of text that `parse` reads."""
        return " ".join(str(cell) for cell in state)

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return a move as text, unlike those of the other moves of the state."""
        return str(move)

    def solution(self, moves: Sequence[int]) -> str:
        """Return moves from the start on in a notation of their own, in which solutions are exchanged; "" without one."""
        return ""

    def board(self) -> Board | None:
        """Return the board to draw, if the game has one."""
        return None

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the piece on each cell of the board, "" for none."""
        return [str(cell) if cell else "" for cell in state]

    def attributes(self) -> Mapping[str, Callable[..., int]]:
        """Return the attributes of a state by name: each a rule ``(state)`` that returns a small whole number.

        `searchbench analyse tree` makes a decision tree of them. They must not change the state.
        """
        return {}

    def clicks(self, state: Sequence[int], move: int) -> list[int]:
        """Return the cells to click, in order, to make a move; by default the piece, its target, then the other changes.

        Where no move of the state moves a piece: the cell in the middle of the changes, if that tells the moves apart.
        """
        return cells_to_click(self, state, move)

    def mover(self, state: Sequence[int]) -> int | None:
        """Return the player to move, 0 or 1, where the state tells it; None where it shows what this player sees."""
        return None

    def arrange(self, pieces: Sequence[str], like: Sequence[int], side: int) -> str | None:
        """Return the notation of the position with these pieces and `side` to move, in all else as in the state `like`.

        None, by default, where the labels of the pieces can stand in a notation as they are.
        """
        return None

    def dead_end(self, state: Sequence[int]) -> str | None:
        """Return why an unsolved state of a puzzle cannot be solved any more, in words; None where no reason is known."""
        return None

    def dead_cells(self, state: Sequence[int]) -> Sequence[int]:
        """Return the cells of the board whose pieces `dead_end` tells of, to be marked there."""
        return ()

    def impossible(self, state: Sequence[int]) -> str | None:
        """Return why a state without a number, or not legal, cannot occur, in words; None where no reason is known."""
        return None

    def known(self) -> Mapping[str, Any]:
        """Return published or well-checked numbers, to be compared with a solver's results.

        Keys: "states", "reachable", "deepest", "histogram" (value as text to count), "start" (the start's value as text).
        """
        return {}

    def claimed(self, claim: str) -> Any:
        """Return what a method or an attribute tells of the rules; what `Game` does, where it is inherited with other rules."""
        if replaced(self, claim) is None:
            told = getattr(self, claim)
            return told() if callable(told) else told
        default: Any = vars(Game)[claim]
        if isinstance(default, property):
            return default.__get__(self)
        return default(self) if callable(default) else default

    # --- identity ----------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the game's parameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    @property
    def spec(self) -> str:
        """Return the text from which `load` makes this game again."""
        source = getattr(type(self), "__searchbench_source__", None) or self.name
        plain: list[str] = []
        named: list[str] = []
        in_place = True  # up to the first yes or no, which is left out where it is the default
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            in_place = in_place and not isinstance(value, bool)
            if in_place:
                plain.append(str(value))
            elif value != field.default:
                named.append(f"{field.name}={'yes' if value is True else 'no' if value is False else value}")
        arguments = ",".join([self.separator.join(plain), *named] if plain else named)
        return f"{source}:{arguments}" if arguments else source

    def __str__(self) -> str:
        return self.spec

    def identity(self) -> dict[str, Any]:
        """Return the name, version and parameters that tell this game from others; every database keeps them."""
        return {"name": self.name, "version": self.version, "parameters": self.parameters, "spec": self.spec}

    def checked_index(self) -> Index | None:
        """Return the checked result of ``index()``. Raises BadGame where it fails, or returns no index."""
        checked_sizes(self)  # first: an index may be made of them
        with calling(self, "index()", "expected an index, or None"):
            return checked_index(self.index(), place_of(self, "index"), self.width)

    def fingerprint(self) -> str:
        """Return a hash of the rules and the index as they are now: 20 hexadecimal digits."""
        names = self.names(target="interpreted")  # as the game supplies them
        digest = hashlib.sha256()
        for name in sorted(set(names) - {"new_state", "new_moves", "GUARDED"}):
            digest.update(f"{name} {jit.fingerprint(names[name], names)};".encode())
        if names.data is not None:
            digest.update(f"data {jit.data_digest(names.data)}".encode())
        return digest.hexdigest()[:20]

    @property
    def quickest_target(self) -> jit.Target:
        """Tell where all states are solved sooner: of a few thousand, interpreted is quicker than to load the compiler."""
        check_parts(self)
        states = index_size(self)
        few = 0 < states <= FEW_STATES and states * len(self.moves(self.start())) <= FEW_MOVES
        return "interpreted" if few else "cpu"

    @property
    def two_players(self) -> bool:
        """Tell whether two players move in turn; then nobody moves any more in a terminal state."""
        from searchbench.values import value_rule

        return value_rule(self.values).two_players

    def names(self, rule: ValueRule | None = None, target: jit.Target = "cpu") -> jit.Names:
        """Return the functions that stand for the contract's names: rules, index, buffers, and those of a value rule."""
        try:
            return _names(self, rule, target)
        except TypeError as error:
            if "unhashable" in str(error):
                raise BadRequest(
                    f"{type(self).__name__} must be a frozen dataclass with hashable parameters: {error}"
                ) from None
            raise

    def has(self, *names: str) -> bool:
        """Tell whether the game supplies all of these names itself."""
        supplied = self.names()
        return all(name in supplied for name in names)

    # --- one state at a time, interpreted: for people, files and checks; the solvers use the compiled functions -------------

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the contract by name, interpreted."""
        try:
            function = _interpreted(self, name)
        except TypeError:
            self.names()  # tells of parameters that are not hashable
            raise
        return function(*arguments)

    def start(self) -> list[int]:
        """Return the initial state."""
        state = [0] * self.width
        self.call("start", state)
        return state

    def terminal(self, state: Sequence[int]) -> int:
        """Return UNDECIDED or the result for the player to move."""
        result = self.call("terminal", list(state))
        return int(result) if isinstance(result, int) else checked_result(self, state, result)

    def moves(self, state: Sequence[int]) -> list[int]:
        """Return the legal moves of a state; when a game of two players is over there are none."""
        if self.two_players and self.terminal(state) != UNDECIDED:
            return []
        out = [0] * self.max_moves
        count = self.call("moves", list(state), out)
        return [int(move) for move in out[:count]]

    def play(self, state: Sequence[int], move: int) -> list[int]:
        """Return the state after a move."""
        after = list(state)
        self.call("play", after, move)
        return after

    def unplay(self, state: Sequence[int], move: int) -> list[int]:
        """Return the state before a move."""
        before = list(state)
        self.call("unplay", before, move)
        return before

    def canonical(self, state: Sequence[int]) -> list[int]:
        """Return the representative of the state's symmetry class."""
        representative = list(state)
        self.call("canonical", representative)
        return representative

    def rank(self, state: Sequence[int]) -> int:
        """Return the number of a state's symmetry class, or NOWHERE."""
        return int(self.call("rank", self.canonical(state)))

    def unrank(self, number: int) -> list[int]:
        """Return the state with a number."""
        state = [0] * self.width
        self.call("unrank", number, state)
        return state

    def unrank_like(self, number: int, like: Sequence[int]) -> list[int]:
        """Return the state with a number; of several that share it, the one at the same place as `like`."""
        state = self.unrank(number)
        if self.has("blank"):
            self.call("set_blank", self.call("blank", list(like)), state)
        return state

    def read(self, text: str) -> list[int]:
        """Return the state that a text means, or raise BadState; "start" is the initial state."""
        return read_state(self, text)

    def position(self, what: Position | str | Sequence[int] | None = None) -> Position:
        """Return a position from notation, from the numbers of a state, or the start."""
        if isinstance(what, Position):
            return what
        if what is None:
            return Position(self, tuple(self.start()))
        if isinstance(what, str):
            return Position(self, tuple(self.read(what)))
        try:
            return Position(self, tuple(map(operator.index, what)))
        except TypeError:
            raise BadState(
                f"{self}: {what!r} is no state: expected a position, a text or the numbers of a state; {an_example(self)}"
            ) from None

    def parse_move(self, state: Sequence[int], text: str) -> int:
        """Return the legal move that a text means, or raise BadMove."""
        moves = self.moves(state)
        for move in moves:
            if self.format_move(state, move) == text.strip():
                return move
        legal = ", ".join(self.format_move(state, move) for move in moves) or "none: the game is over"
        raise BadMove(f"{self}: {text!r} is no move in {self.format(state)!r}; the moves are {legal}")

    def picture(self, state: Sequence[int]) -> str:
        """Return a drawing of the state in text: the board's cells where they are, or the notation."""
        check_drawing(self, state)
        board = self.board()
        if board is None:
            return str(self.format(state))
        labels = [piece or "." for piece in self.pieces(state)]
        span = max(map(len, labels)) + 1
        columns = {x: place for place, x in enumerate(sorted({x for x, _ in board.cells}))}
        lines: dict[float, list[str]] = {}
        for (x, y), label in zip(board.cells, labels, strict=True):
            line = lines.setdefault(y, [" " * span] * len(columns))
            line[columns[x]] = label.rjust(span)
        return "\n".join("".join(lines[y])[1:].rstrip() for y in sorted(lines))


def _buffers(game: Game, most: int, target: jit.Target) -> dict[str, Callable[..., Any]]:
    """Return the functions that make room for a state, and for so many moves."""
    buffer = jit.backend(target).buffer
    return {"new_state": buffer(game.width, np.dtype(game.dtype)), "new_moves": buffer(most, np.int64)}


@lru_cache(maxsize=128)
def _functions(game: Game) -> tuple[dict[str, Any], Any]:
    """Return the checked functions of a game's rules and index, and its data."""
    check_class(type(game))
    checked_sizes(game)
    with calling(game, "data()", "it shall return a named tuple of arrays and numbers, or None"):
        data = game.data()
    with calling(game, "rules()", "it shall return a mapping of names to functions"):
        functions = checked_rules(game, game.rules(), data)
    for name in left_out(game, functions):
        del functions[name]
    index = game.checked_index()
    if index is not None and "rank" not in functions:
        with calling(game, "the index", "expected functions(at), which returns rank and unrank"):
            functions["rank"], functions["unrank"] = functions_of(index)
    if "rank" in functions and "unrank" not in functions:
        raise BadGame(f"{game}: rules() supplies `rank`, but no `unrank`: supply both, or return an index from index()")
    if "rank" in functions and index is None and type(game).parts is Game.parts:
        raise BadGame(
            f"{game}: rules() supplies `rank` and `unrank`, but nothing says how many numbers there are: "
            "return an index from index(), whose size counts, or parts from parts()"
        )
    try:
        return functions | {"SYMMETRIC": "canonical" in functions}, jit.frozen(data)
    except BadRequest as error:
        raise BadGame(f"{place_of(game, 'data')}: {error}") from None


@lru_cache(maxsize=128)
def _names(game: Game, rule: ValueRule | None, target: jit.Target) -> jit.Names:
    functions, data = _functions(game)
    most = max(game.max_moves, game.max_unmoves)
    if not is_trusted(game):
        functions = functions | {"GUARDED": True}
        if jit.backend(target).writes_beyond:
            functions = guarded(functions, game)
            most = room_for(most)
    functions = functions | _buffers(game, most, target)
    if rule is not None:
        functions |= rule.rules(game.max_moves)
    return jit.Names(functions, target, data)


@lru_cache(maxsize=512)  # of some sixty games: more would keep their tables alive
def _interpreted(game: Game, name: str) -> Any:
    return jit.bind(slot_named(name), game.names(target="interpreted"), "interpreted")
