"""Keep a book: the results of a long search a few plies from the start, in a file (Gasser 1995, section 5.6).

Gasser kept the positions after 8 plies, to avoid searching below them again while playing a game. For each question (see
:mod:`searchbench.solvers.proof.bounding`) the book holds the decided states of one depth, up to symmetry, and whether the
answer was yes. Answers that depend on the path from the start do not enter it. A stopped search resumes with the book.
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
from searchbench.hashing import key
from searchbench.solvers.proof.alphabeta import AlphaBetaSearch
from searchbench.solvers.proof.facts import ANY_LEAVES, LOST_LEAVES, NO_PLACE, WON_LEAVES, learn
from searchbench.solvers.proof.leaves import LeafDatabase
from searchbench.solvers.proof.strategy_table import StrategyTable, larger, new_strategy_table, record
from searchbench.solvers.shared.transposition import LARGEST_WORTH, Transpositions

SECONDS: Final = 60.0
"""Seconds of search between two saves of the book."""
_FORMAT: Final = 2
_DIGEST: Final = 32
"""Bytes of the digest at the head of a file."""


class Question(NamedTuple):
    """The question whether the player to move at the root gets at least `bound`, with unknown leaves `assumed` for her."""

    bound: int
    assumed: int


class Answers(NamedTuple):
    """States, one a row, and for each whether it gives the player to move at the root the bound."""

    states: Any
    reached: Any

    @property
    def proven(self) -> int:
        """Return the number of states with the answer yes."""
        return int(np.count_nonzero(self.reached))


def know(
    table: Transpositions, book: StrategyTable, states: Any, words: Any, lower: int, upper: int, assumptions: int
) -> None:
    """Enter states with their answers into a book, and the bounds that follow into a table."""
    for row in range(len(states)):
        code = key(states[row])
        record(book, code, states[row], words[row])
        if words[row] != 0:
            learn(table, code, lower, 1, NO_PLACE, LARGEST_WORTH, assumptions)
        else:
            learn(table, code, -1, upper, NO_PLACE, LARGEST_WORTH, assumptions)


class Book:
    """Keep the states `depth` plies from the start of a game, in the file `path` if given.

    Raises DamagedData for a file that is not a book or has been altered, and BadRequest for a book of another search.
    """

    def __init__(self, game: Game, leaves: LeafDatabase, depth: int, path: str | Path | None = None) -> None:
        if depth < 1:
            raise BadRequest(f"a book of states after {depth} plies: expected 1 or more")
        self.game, self.leaves, self.depth = game, leaves, depth
        self.path = None if path is None else Path(path)
        if self.path is not None and (self.path.is_dir() or not self.path.parent.is_dir()):
            raise BadRequest(f"{self.path}: a book is a file; give the name of a file in an existing folder")
        self.answers: dict[Question, Answers] = {}
        self._open: tuple[AlphaBetaSearch, Question] | None = None
        self._kept = time.monotonic()
        if self.path is not None and self.path.exists():
            self.answers = self._read(self.path)

    def begin(self, search: AlphaBetaSearch, root: Any, bound: int, assumed: int) -> None:
        """Attach a search that asks this question to the book, and enter the book's answers into its table."""
        if not np.array_equal(root, np.array(self.game.start(), self.game.dtype)):
            raise BadRequest("a book serves only proofs of the start of a game: prove any other state without it")
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
        """Enter into a search's table the book's answers that hold for any value of the unknown leaves."""
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
        """Fetch the answers of the attached search, and replace the file atomically."""
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
        """Return a text for each question: the numbers of states with the answers yes and no."""
        told = []
        for question, known in self.answers.items():
            asked = f"after {self.depth} plies, the first player gets at least a {'win' if question.bound else 'draw'}"
            taken = f"unknown leaves {'lost' if question.assumed < 0 else 'won'}"
            told.append(f"{asked}, {taken}: {known.proven:,} yes, {len(known.reached) - known.proven:,} no")
        return told

    def _identity(self) -> dict[str, Any]:
        """Return the identity that a file must have: game, rules, depth, and a digest of the leaves' value counts."""
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
                f"{path} is no book of searchbench, or was altered: its content does not match its digest"
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
