"""Build the API's answers: values, moves, positions, lines and databases as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from searchbench.board import Board, cell_names, is_empty, spoken
from searchbench.catalogue import described, name_of, title_of
from searchbench.drawing import board_svg, piece_svg
from searchbench.errors import SearchBenchError
from searchbench.game import Game, Position
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import format_memory
from searchbench.solvers import guided, proof
from searchbench.store import Database
from searchbench.store.folder import bytes_on_disk
from searchbench.store.opening import read_header
from searchbench.values import Result, ValueRule

Answer = dict[str, Any]

LONGEST_PALETTE: Final = 40
_WORDS: Final = re.compile(r"'[^']*'|[^\s']+")
"""The words of a command for a shell."""
_FOLDERS: Final = re.compile(r"(?<=')[^']*/(?=[^'/])|(?:\.{0,2}/)?(?:[^\s'/]+/)+(?=[^\s'/])")
"""The folders before a file's name in a word: those of whoever gave it, which are nobody else's business."""


# --- values and moves ---------------------------------------------------------------------------------------------------


def value_answer(rule: ValueRule, value: Any) -> Answer:
    """Return a value: as text, its kind, and its number (a distance, points, or plies; None for a draw or no value)."""
    number = value if type(value) is int else None
    if isinstance(value, Result) and value.outcome:
        number = value.depth
    return {"text": rule.format(value), "kind": rule.kind(value), "number": number}


def probe_answer(database: Database, position: Position) -> Answer:
    """Return the value of one state, and its number (None: a terminal state that has none)."""
    number = database.number(position)
    if number == NOWHERE:
        return {"state": position.text, "number": None, "value": value_answer(database.rule, database.probe(position))}
    value = database.rule.decode(database.code(number))
    return {"state": position.text, "number": number, "value": value_answer(database.rule, value)}


_UNKNOWN: Final[Answer] = {"value": None, "after": None, "best": False, "cost": None, "lacks": None}
"""What is told of a move of which nothing is known."""


def moves_answer(database: Database, position: Position) -> list[Answer]:
    """Return the moves, best first, each with its value for the player who makes it; then those to parts that are not there."""
    game = database.game
    choices, elsewhere = database.moves_within(position)
    choices = database.way.first_best(position, choices)
    worths = [database.worth(position.state, choice) for choice in choices]
    best = database.probe(position) if elsewhere else worths[0] if worths else None
    found = [
        {
            **_move(game, position, choice.move, choice.position),
            "value": value_answer(database.rule, worth),
            "after": value_answer(database.rule, choice.value),
            "best": worth == best and worth is not None and database.rule.ranks_moves,
            "cost": game.call("cost", list(position.state), choice.move) if database.weighed == "cost" else None,
            "lacks": None,
        }
        for choice, worth in zip(choices, worths, strict=True)
    ]
    for move, error in elsewhere:
        after = game.position(game.play(position.state, move))
        found.append({**_move(game, position, move, after), **_UNKNOWN, "lacks": error.part})
    return found


def _move(game: Game, position: Position, move: int, after: Position) -> Answer:
    return {
        "move": game.format_move(position.state, move),
        "state": after.text,
        "clicks": game.clicks(position.state, move),
    }


# --- positions ----------------------------------------------------------------------------------------------------------


def methods_of(game: Game) -> list[str]:
    """Return the methods by which jobs can search or prove a game's positions, the default first; perhaps none."""
    return proof.methods_for(game) if game.two_players else guided.methods_for(game)


def position_answer(game: Game, position: Position, side: int, database: Database | None = None) -> Answer:
    """Return the content of a position's page; `side` is the player to move, 0 or 1."""
    board, pieces = game.board(), game.pieces(position.state)
    told = game.mover(position.state)
    side = side if told is None else told
    dead = game.dead_end(position.state)
    answer: Answer = {
        "game": game.spec,
        "state": position.text,
        "side": side,
        "two_players": game.two_players,
        "methods": methods_of(game),
        "picture": picture(position, side, coordinates=True),
        "text": str(position),
        "pieces": pieces if board is not None else [],
        "said": [spoken(board, label, game.sides, side == 1) for label in pieces] if board is not None else [],
        "names": cell_names(board) if board is not None else [],
        "result": _result(game, position, side),
        "dead_end": dead,
        "dead_cells": list(game.dead_cells(position.state)) if dead else [],
        "value": None,
        "number": None,
        "part": None,
    }
    if database is None:
        after = [(move, game.position(game.play(position.state, move))) for move in game.moves(position.state)]
        moves = [_move(game, position, move, following) for move, following in after]
        answer["moves"] = [{**move, **_UNKNOWN} for move in moves]
        return answer
    answer |= probe_answer(database, position)
    number = answer["number"]
    if number is not None:
        answer["part"] = next(part.name for part in database.parts if part.start <= number < part.stop)
    answer["moves"] = moves_answer(database, position)
    return answer


def _result(game: Game, position: Position, side: int) -> str | None:
    """Return the result of a finished game in words, with `side` to move; None while the game goes on."""
    result = game.terminal(position.state)
    if not game.two_players:
        if result == UNDECIDED:
            return None if game.moves(position.state) else "no move is left"
        return "solved" if result == 0 else "not solved: the end"
    if result == UNDECIDED:
        return None if game.moves(position.state) else "a draw: no move is left"
    if result == 0:
        return "the game is over" if game.values == "score" else "a draw"
    winner = game.sides[side if result > 0 else 1 - side]
    if game.values == "score":
        return f"the game is over: {abs(result)} more for {winner}"
    return f"{winner} has won"


def picture(position: Position, side: int = 0, coordinates: bool = False) -> str | None:
    """Return the drawing of a position for a page, with coordinates if asked; None if the game has no board."""
    board = position.game.board()
    if board is None:
        return None
    return board_svg(board, position.game.pieces(position.state), side == 1, False, str(position), coordinates)


def palette_answer(game: Game, position: Position, side: int) -> list[Answer]:
    """Return the pieces that a reader can put on the board: an empty cell, and those of the start and this position."""
    board = game.board()
    if board is None:
        return []
    pieces = game.pieces(position.state)
    labels = {"", *board.sides, *pieces, *game.pieces(game.start()), *_numbers_between(board, pieces)}
    ordered = sorted(labels, key=lambda label: (label != "", len(label), label))[:LONGEST_PALETTE]
    return [
        {
            "label": label,
            "said": spoken(board, label, game.sides, side == 1),
            "picture": piece_svg(board, label, pieces, side == 1),
        }
        for label in ordered
    ]


def _numbers_between(board: Board, pieces: Sequence[str]) -> list[str]:
    if board.shape != "pit":
        return []
    return [str(number) for number in range(1, sum(int(piece) for piece in pieces if piece.isdecimal()) + 1)]


# --- lines --------------------------------------------------------------------------------------------------------------


def line_answer(database: Database, position: Position, side: int, limit: int, pictures: bool) -> Answer:
    """Return a line of best play, with a drawing of each position if `pictures`."""
    line = database.line(position, limit)
    positions = list(line)
    turned = database.game.two_players
    answer = {
        "cost": line.cost,
        "complete": line.complete,
        "moves": line.move_texts(),
        "states": [at.text for at in positions],
    }
    if pictures:
        answer["pictures"] = [picture(at, (side + ply) % 2 if turned else 0) for ply, at in enumerate(positions)]
        answer["texts"] = [str(at) for at in positions]
    return answer


# --- databases and games ------------------------------------------------------------------------------------------------


def database_answer(name: str, database: Database) -> Answer:
    """Return a short description of a database for a list."""
    return {
        "name": name,
        "game": database.game.spec,
        "label": name_of(database.game),
        "title": title_of(database.game),
        "values": database.rule.name,
        "states": database.states,
        "reachable": database.reachable,
        "two_players": database.rule.two_players,
        "sides": list(database.game.sides) if database.rule.two_players else [],
        "begins": _begins(database),
    }


def _begins(database: Database) -> str:
    """Return the word for the state to look at first: "start", unless the start is in a part that is not here."""
    number = database.game.rank(database.game.start())
    here = number == NOWHERE or any(part.start <= number < part.stop for part in database.parts)
    return "start" if here or not database.rule.has_lines else "hardest"


def details_answer(name: str, database: Database, checked: Answer | None) -> Answer:
    """Return the details of a database: game, parameters, size, storage, and whether it has been verified."""
    assert database.path is not None
    header = read_header(database.path)
    on_disk = bytes_on_disk(database.path)
    readable = database.rule.has_lines
    values = [value for value in database.histogram() if value is not None]
    deep = not database.rule.two_players or any(isinstance(value, Result) for value in values)
    return {
        **database_answer(name, database),
        "parameters": {key: _parameter(value) for key, value in database.game.parameters.items()},
        "numbers": database.size,
        "bytes": on_disk,
        "size": format_memory(on_disk),
        "bits_per_state": round(8 * on_disk / max(1, database.size), 3),
        "compression": round(database.size * database.dtype.itemsize / max(1, on_disk), 2),
        "form": header.kept_as,
        "modulus": header.modulus,
        "cell": database.dtype.name,
        "parts": [
            {"name": part.name, "called": _called(database.game, part.name), "start": part.start, "stop": part.stop}
            for part in database.parts
        ],
        "command": _WORDS.sub(lambda word: _FOLDERS.sub("", word[0]), database.command),
        "facts": {key: fact for key, fact in database.facts.items() if isinstance(fact, int | float | str)},
        "verified": checked,
        "hardest": database.rule.format(database.hardest()) if values and readable and deep else None,
        "lines": readable,
        "stones": _stones(database.game),
        "mover_sees": database.rule.two_players and database.game.mover(database.game.start()) is None,
        "chooses_side": type(database.game).arrange is not Game.arrange,
        "cell_at_start": _first_piece(database.game, "is"),
        "examples": _examples(database, [database.rule.format(value) for value in values]),
    }


def _called(game: Game, part: str) -> str:
    """Return what people call a part; a name that is a number alone becomes "part 5"."""
    called = game.called_part(part)
    return f"part {part}" if called.isdecimal() else called


def _stones(game: Game) -> list[str]:
    """Return drawings of the first and the second player's pieces; none where no label is that of a player's stone."""
    board = game.board()
    if board is None or not all(board.sides):
        return []
    return [piece_svg(board, label, []) for label in board.sides]


def _examples(database: Database, values: Sequence[str]) -> Answer:
    """Return a value and a condition that some positions of a database meet, for the fields of a form."""
    game = database.game
    answer = {"value": values[len(values) // 2] if values else "", "where": ""}
    asked = _first_piece(game, "==") or f"state[0] == {game.start()[0]}"
    decided = [value.depth for value in database.histogram() if isinstance(value, Result) and value.outcome]
    answer["where"] = f"plies >= {sorted(decided)[len(decided) // 2]}" if decided else asked
    return answer


def _first_piece(game: Game, joint: str) -> str:
    """Return the first cell that is not empty at the start, with what it holds as a condition writes it; "" without a board."""
    pieces = game.pieces(game.start()) if game.board() is not None else []
    cell = next((cell for cell, label in enumerate(pieces) if not is_empty(label)), None)
    return "" if cell is None else f"pieces[{cell}] {joint} {pieces[cell]!r}"


def stats_answer(database: Database, part: str | None) -> Answer:
    """Return the number of states with each value, and the longest value of each kind."""
    counts = database.histogram(part)
    rows = [
        {**value_answer(database.rule, value), "count": counts[value]}
        for value in sorted(counts.keys() - {None}, key=_merit)
    ]
    longest: dict[str, Answer] = {}
    for row in rows:
        best = longest.get(row["kind"])
        if row["number"] is not None and (best is None or abs(row["number"]) > abs(best["number"])):
            longest[row["kind"]] = row
    return {"part": part, "values": rows, "without": counts.get(None, 0), "longest": list(longest.values())}


def _merit(value: Any) -> Any:
    """Return a key that is larger for a better value: early losses first, then late ones, draws, late wins, early wins."""
    if isinstance(value, Result):
        return value.outcome, -value.outcome * value.depth
    return (value,)


def _parameter(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def game_answer(spec: str, kind: type[Game], game: Game | None) -> Answer:
    """Return a short description of a game for a list; `size` is None if the game has no index."""
    answer = {**described(kind), "spec": spec, "example": None, "size": None}
    answer["parameters"] = {
        key: None if value is None else _parameter(value) for key, value in answer["parameters"].items()
    }
    if game is not None:
        answer |= {"example": game.spec, "title": title_of(game)}
        try:
            answer["size"] = max((part.stop for part in game.parts()), default=None)
        except SearchBenchError:  # an index too large to be numbered
            answer["size"] = None
    return answer
