"""A book: what was found a few plies from the start of a long search, kept in a file (Gasser 1995, section 5.6).

Gasser kept the positions after 8 plies, so that the search behind them need not be done again while a game is played. For
each question that was asked (see :mod:`searchbench.solvers.proof.bounding`) the book holds the states of that depth that
the search has decided, up to symmetry, and whether the answer was yes. Where positions repeat, an answer that is due to the
path from the start does not enter it. A search that was stopped goes on with the book.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadRequest, DamagedData
from searchbench.game import Game
from searchbench.rules import key
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.facts import ANY_LEAVES, LOST_LEAVES, NO_PLACE, WON_LEAVES, learn
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.strategy_table import StrategyTable, larger, new_strategy_table, record
from searchbench.solvers.shared.transposition import LARGEST_WORTH, Transpositions

SECONDS: Final = 60.0
"""How long a search goes on before the book is kept again."""
_FORMAT: Final = 2
_DIGEST: Final = 32
"""The bytes of the digest at the head of a file."""


class Question(NamedTuple):
    """Ask whether the player to move at the root gets at least `bound`, with unknown leaves `assumed` for her."""

    bound: int
    assumed: int


class Answers(NamedTuple):
    """Hold states, one in each row, and for each whether the player at the root gets the bound through it."""

    states: Any
    reached: Any

    @property
    def proven(self) -> int:
        """Return how many states have the answer yes."""
        return int(np.count_nonzero(self.reached))


def know(
    table: Transpositions, book: StrategyTable, states: Any, words: Any, lower: int, upper: int, assumptions: int
) -> None:
    """Enter states with their answers in a book, and the bounds that they stand for in a table."""
    for row in range(len(states)):
        code = key(states[row])
        record(book, code, states[row], words[row])
        if words[row] != 0:
            learn(table, code, lower, 1, NO_PLACE, LARGEST_WORTH, assumptions)
        else:
            learn(table, code, -1, upper, NO_PLACE, LARGEST_WORTH, assumptions)


class Book:
    """Keep the states `depth` plies from the start of a game's search, in the file `path` if there is one.

    Raises DamagedData for a file that is no book, or altered, and BadRequest for one of another search.
    """

    def __init__(self, game: Game, leaves: LeafDatabase, depth: int, path: str | Path | None = None) -> None:
        if depth < 1:
            raise BadRequest(f"a book of states after {depth} plies: expected 1 or more")
        self.game, self.leaves, self.depth = game, leaves, depth
        self.path = None if path is None else Path(path)
        if self.path is not None and (self.path.is_dir() or not self.path.parent.is_dir()):
            raise BadRequest(f"{self.path}: a book is kept in a file; give the name of one in a folder that there is")
        self.answers: dict[Question, Answers] = {}
        self._open: tuple[AlphaBetaSearch, Question] | None = None
        self._kept = time.monotonic()
        if self.path is not None and self.path.exists():
            self.answers = self._read(self.path)

    def begin(self, search: AlphaBetaSearch, root: Any, bound: int, assumed: int) -> None:
        """Let a search that asks this fill the book; what the book has already is told to the search."""
        if not np.array_equal(root, np.array(self.game.start(), self.game.dtype)):
            raise BadRequest("a book is of the start of a game: prove another state without it")
        question = Question(bound, assumed)
        self._open = (search, question)
        search.book_depth, search.pause = self.depth, self._pause
        known = self.answers.get(question, Answers(np.zeros((0, self.game.width), self.game.dtype), np.zeros(0, bool)))
        size = 1 << max(1, len(known.states).bit_length())
        search.book = new_strategy_table(self.game, size)
        assumptions = ANY_LEAVES
        if not self.leaves.goes_on:
            assumptions = LOST_LEAVES if (assumed < 0) == (self.depth % 2 == 0) else WON_LEAVES
            search.rest_on_assumptions()
        self._tell(search, question, known, assumptions)

    def tell(self, search: AlphaBetaSearch) -> None:
        """Tell a search all that the book knows of the answers that hold whatever unknown leaves are worth."""
        for question, known in self.answers.items():
            sure = known.reached if question.assumed < 0 else ~known.reached
            self._tell(search, question, Answers(known.states[sure], known.reached[sure]), ANY_LEAVES)

    def _tell(self, search: AlphaBetaSearch, question: Question, known: Answers, assumptions: int) -> None:
        mover = question.bound if self.depth % 2 == 0 else 1 - question.bound
        words = known.reached if self.depth % 2 == 0 else ~known.reached
        while len(search.book.moves) < len(words) + 1:
            search.book = larger(search.book, self.game, search.names)
        kernel = jit.bind(know, search.names)
        kernel(search.table, search.book, known.states, words.astype(np.int64), mover, mover - 1, assumptions)

    def _pause(self) -> None:
        if time.monotonic() - self._kept > SECONDS:
            self.save()

    def save(self) -> None:
        """Take what the search at work has found, and keep the file, which is replaced in one go."""
        if self._open is not None:
            search, question = self._open
            filled = search.book.filled
            words = search.book.moves[:filled] != 0
            states = search.book.states[:filled].copy()
            self.answers[question] = Answers(states, words if self.depth % 2 == 0 else ~words)
        if self.path is not None:
            self._write(self.path)
        self._kept = time.monotonic()

    def facts(self) -> list[str]:
        """Return for each question how many states were asked, and the answers."""
        told = []
        for question, known in self.answers.items():
            asked = f"after {self.depth} plies, the first player gets at least a {'win' if question.bound else 'draw'}"
            taken = f"unknown leaves {'lost' if question.assumed < 0 else 'won'}"
            told.append(f"{asked}, {taken}: {known.proven:,} yes, {len(known.reached) - known.proven:,} no")
        return told

    def _identity(self) -> dict[str, Any]:
        """Return what a file must agree with: the game, its rules, the depth, and the leaves by the counts of their values."""
        database = self.leaves.database
        parts = {
            part.name: [[code, n] for code, n in sorted(database.part_counts(part).items())]
            for part in self.leaves.parts
        }
        leaves = {"game": database.game.spec, "parts": hashlib.sha256(json.dumps(parts).encode()).hexdigest()}
        return {
            "game": json.loads(json.dumps(self.game.identity(), default=str)), "rules": self.game.fingerprint(),
            "depth": self.depth, "leaves": leaves,
        }  # fmt: skip

    def _write(self, path: Path) -> None:
        arrays: dict[str, Any] = {}
        for question, known in self.answers.items():
            name = f"{question.bound},{question.assumed}"
            arrays[f"states {name}"], arrays[f"reached {name}"] = known
        header = json.dumps({"format": _FORMAT, **self._identity()})
        content = io.BytesIO()
        np.savez_compressed(content, header=np.array(header), **arrays)
        new = path.with_name(path.name + ".new")
        new.write_bytes(hashlib.sha256(content.getvalue()).digest() + content.getvalue())
        os.replace(new, path)

    def _read(self, path: Path) -> dict[Question, Answers]:
        data = path.read_bytes()
        digest, content = data[:_DIGEST], data[_DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            raise DamagedData(
                f"{path} is no book of searchbench, or was altered: it does not have the digest kept with it"
            )
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                arrays = {name: file[name] for name in file.files}
            if header["format"] != _FORMAT:
                raise DamagedData(f"{path} has format {header['format']!r}; this version reads format {_FORMAT}")
            wanted = self._identity()
            for what in wanted:
                if header[what] != wanted[what]:
                    raise BadRequest(f"{path} is a book of another {what}: {header[what]}, not {wanted[what]}")
            return {_question(name): self._checked(name, arrays) for name in arrays if name.startswith("states ")}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedData(f"{path} is no book of searchbench: {error}") from None

    def _checked(self, name: str, arrays: dict[str, Any]) -> Answers:
        answers = Answers(arrays[name], arrays[name.replace("states", "reached")])
        rows = len(answers.states)
        if answers.states.shape != (rows, self.game.width) or answers.states.dtype != np.dtype(self.game.dtype):
            raise ValueError(f"{name} has the shape {answers.states.shape}")
        if answers.reached.shape != (rows,) or answers.reached.dtype != np.bool_:
            raise ValueError(f"{name} has no answer for each state")
        return answers


def _question(name: str) -> Question:
    bound, assumed = (int(word) for word in name.removeprefix("states ").split(","))
    if bound not in (0, 1) or assumed not in (-1, 1):
        raise ValueError(f"{name} is no question")
    return Question(bound, assumed)
