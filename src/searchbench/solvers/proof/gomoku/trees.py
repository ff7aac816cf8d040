"""What is proved of go-moku as a folder of text files, one for each branch: small, sorted, the same on every machine.

A file is a tree of moves (docs/go-moku.md, "The proof in the repository"):

    go-moku 2 15 free j10 i7        the format's number, size, rule, white's first reply, black's second move
    work 1234567 53.2               nodes and processor seconds that it took
    1 a15 g7                        to white's reply a15 black answers g7: a record
    2 f6 h10                        then to f6 h10
    1 b15 -                         black wins by threats at once
    at h8,i7 j10,k9 g6              a record that lines do not lead to, only symmetric ones: black's stones, white's, the answer
    open k9 200000 12               a reply that is not proved with so many nodes, and its proof number then
    end 4 1f0c66e2b3a9d574          the lines between the first two and this one, and a digest of all before it

Nothing in it is trusted. A walk through all replies (:mod:`searchbench.solvers.proof.gomoku.closing`) and `verify` find a
record that does not hold.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from searchbench.errors import BadRequest, DamagedData
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, open_folder, read_branch, written
from searchbench.solvers.proof.gomoku.nodes import WHITE, State, black_stones, stones_at
from searchbench.solvers.proof.gomoku.opening import Opening

FORMAT: Final = 2
SUFFIX: Final = ".txt"
_NO_RECORD: Final = "-"
_DIGEST: Final = 16


def write_trees(folder: Path, proved: Path, opening: Opening) -> int:
    """Write what the working folder has proved as one file for each branch; return how many files. Replaces files."""
    proved.mkdir(parents=True, exist_ok=True)
    count = 0
    for white in opening.replies(opening.start):
        branch = read_branch(folder, opening, white)
        if branch.proved:
            beside = proved / f"{opening.name(white)}.new"
            beside.write_text(tree_of(branch))
            beside.replace(proved / f"{opening.name(white)}{SUFFIX}")
            count += 1
    return count


def tree_of(branch: Branch) -> str:
    """Return the text of a branch's file."""
    opening, name = branch.opening, branch.opening.name
    lines = [*_records(branch)]
    lines += [
        f"open {name(reply)} {line['limit']} {line['proof_number']}"
        for reply, line in sorted(branch.attempts.items()) if not line["proved"]
    ]  # fmt: skip
    head = f"go-moku {FORMAT} {opening.size} {opening.rule} {name(branch.white)} {name(branch.second)}"
    text = "\n".join([head, f"work {branch.nodes} {branch.seconds:.1f}", *lines]) + "\n"
    return f"{text}end {len(lines)} {_digest(text)}\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]


def _records(branch: Branch) -> Iterator[str]:
    """Generate the lines of the records: those that the proved replies reach as a tree, then the others; each once."""
    name = branch.opening.name
    moves = dict(branch.records())
    like: dict[State, list[State]] = {}  # records by black's stones
    for state in moves:
        like.setdefault(black_stones(state), []).append(state)
    seen: set[State] = set()

    def lines_from(state: State, reply: int, depth: int) -> Iterator[str]:
        seen.add(state)
        yield f"{depth} {name(reply)} {name(moves[state])}"
        after = stones_at(state, [(moves[state], 1)])
        for cell, child in sorted(_one_more(after, like.get(black_stones(after), []))):
            if child not in seen:
                yield from lines_from(child, cell, depth + 1)

    for reply in sorted(branch.proved):
        root = stones_at(branch.base, [(reply, 2)])
        if root in moves:
            yield from lines_from(root, reply, 1)
        else:
            yield f"1 {name(reply)} {_NO_RECORD}"
    first = stones_at(branch.opening.start, [(branch.white, WHITE + 1)])
    for state in sorted(moves.keys() - seen - {first}):
        stones = [",".join(name(cell) for cell, stone in enumerate(state) if stone == own) for own in (1, 2)]
        yield f"at {' '.join(stones)} {name(moves[state])}"


def _one_more(state: State, others: list[State]) -> Iterator[tuple[int, State]]:
    """Generate those of other positions that have one white stone more, with its cell; black's stones are the same."""
    for other in others:
        added = [cell for cell, stone in enumerate(other) if stone != state[cell]]
        if len(added) == 1:
            yield added[0], other


@dataclass
class Tree:
    """Hold what a file says: records by white's reply, open replies with their nodes and proof numbers, records apart."""

    white: int
    second: int
    nodes: int
    seconds: float
    records: dict[int, dict[State, int]] = field(default_factory=dict)
    left: dict[int, tuple[int, int]] = field(default_factory=dict)
    apart: dict[State, int] = field(default_factory=dict)

    def lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Generate white's replies with lines for a branch's file."""
        for reply, records in self.records.items():
            yield reply, {"proved": True, "limit": 0, "proof_number": 0, "records": written(records)}
        for reply, (limit, number) in self.left.items():
            yield reply, {"proved": False, "limit": limit, "proof_number": number}


def read_tree(path: Path, opening: Opening) -> Tree:
    """Read the file of a branch. Raises BadRequest where it is of another board or rule, DamagedData with the line."""
    text = path.read_bytes().decode("ascii", "replace")
    lines = text.splitlines()
    number = 0
    try:
        word, version, size, rule, white, second = lines[0].split(" ")
        if (word, version) != ("go-moku", str(FORMAT)):
            raise ValueError(f"expected `go-moku {FORMAT}`")
        if (size, rule) != (str(opening.size), opening.rule):
            raise BadRequest(f"{path} is of a board of {size} and rule {rule}, now {opening.size} and {opening.rule}")
        cells = {opening.name(cell): cell for cell in range(opening.size**2)}
        number = 1
        word, nodes, seconds = lines[1].split(" ")
        if word != "work" or cells[white] not in opening.replies(opening.start):
            raise ValueError("expected a reply of white's, and the work")
        tree = Tree(cells[white], cells[second], int(nodes), float(seconds))
        base = stones_at(opening.start, [(tree.white, 2), (tree.second, 1)])
        reader = _Reader(tree, base, set(opening.replies(base)), cells)
        for number in range(2, len(lines) - 1):
            reader.take(lines[number].split(" "))
        number = len(lines) - 1
        word, count, digest = lines[-1].split(" ")
        body = "".join(f"{line}\n" for line in lines[:-1])
        if word != "end" or int(count) != len(lines) - 3 or digest != _digest(body) or not text.endswith("\n"):
            raise ValueError("expected `end`, the number of lines and their digest: the file was cut or altered")
    except (ValueError, KeyError, IndexError) as error:
        raise DamagedData(
            f"{path}, line {number + 1} cannot be read ({error}): take the file from its source again"
        ) from None
    return tree


@dataclass
class _Reader:
    """Follow the lines of a tree: the positions from the last reply down, each after black's move."""

    tree: Tree
    base: State
    replies: set[int]
    cells: dict[str, int]
    path: list[State] = field(default_factory=list)
    reply: int = -1

    def take(self, words: list[str]) -> None:
        """Take in a line. Raises ValueError and KeyError."""
        first, white, *rest = words
        if first == "at":
            self._take_apart(white, *rest)
            return
        cell = self.cells[white]
        if first == "open":
            limit, number = map(int, rest)
            self._check_reply(cell)
            self.tree.left[cell] = limit, number
            return
        depth, (black,) = int(first), rest
        if not 1 <= depth <= len(self.path) + 1:
            raise ValueError(f"depth {depth} after depth {len(self.path)}")
        del self.path[depth - 1 :]
        before = self.path[-1] if self.path else self.base
        if depth == 1:
            self._check_reply(cell)
            self.tree.records[cell] = {}
            self.reply = cell
            if black == _NO_RECORD:
                return
        move = self.cells[black]
        if before[cell] or before[move] or cell == move:
            raise ValueError("a stone lies there")
        state = stones_at(before, [(cell, 2)])
        self.tree.records[self.reply][state] = move
        self.path.append(stones_at(state, [(move, 1)]))

    def _take_apart(self, black: str, white: str, move: str) -> None:
        """Take in a record with all its stones. Raises ValueError and KeyError."""
        stones = [(self.cells[name], own) for own, names in ((1, black), (2, white)) for name in names.split(",")]
        state = stones_at((0,) * len(self.base), stones)
        if len({cell for cell, _ in stones}) < len(stones) or state[self.cells[move]]:
            raise ValueError("a stone lies there")
        self.tree.apart[state] = self.cells[move]

    def _check_reply(self, cell: int) -> None:
        if cell not in self.replies or cell in self.tree.records or cell in self.tree.left:
            raise ValueError("expected another reply of white's")


def take_over(proved: Path, folder: Path, opening: Opening) -> int:
    """Put into a working folder what the files of `proved` have and it has not; return the number of replies proved there.

    A branch of the folder keeps its own proofs. Of two second moves of black that with more proved replies is chosen. Raises
    BadRequest and DamagedData, before anything is written.
    """
    paths = sorted(proved.glob(f"*{SUFFIX}"))
    if not paths:
        raise BadRequest(f"{proved}: no file of a branch is there: expected files such as {proved / f'h9{SUFFIX}'}")
    trees = [read_tree(path, opening) for path in paths]
    handle = open_folder(folder, opening)
    try:
        return sum(_add(tree, read_branch(folder, opening, tree.white)) for tree in trees)
    finally:
        os.close(handle)


def _add(tree: Tree, branch: Branch) -> int:
    """Add to a branch what it lacks; return the number of replies that are proved by it."""
    known = branch.tried.get(tree.second, {})
    added, work = 0, {"nodes": tree.nodes, "seconds": tree.seconds}
    for reply, line in tree.lines():
        better = line["proved"] or reply not in known or known[reply]["limit"] < line["limit"]
        if better and not (reply in known and known[reply]["proved"]):
            branch.add({"of": tree.second, "reply": reply, **line, **work})
            added, work = added + line["proved"], {"nodes": 0, "seconds": 0.0}
    if branch.second != tree.second and len(tree.records) > len(branch.proved):
        branch.add({"second": tree.second, "nodes": 0, "seconds": 0.0})
    own = dict(branch.records())
    apart = {state: move for state, move in tree.apart.items() if state not in own}
    if branch.second == tree.second and apart:
        branch.add({"checked": 0, "short": SHORT, "records": written(apart), "gaps": []})
    return added
