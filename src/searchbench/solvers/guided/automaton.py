"""The automaton of moves: sequences of moves that others make superfluous are not tried (Taylor and Korf 1993).

Where moves are rearrangements, two sequences that lead from one state to the same state do so from every state that they
are possible in. So all sequences of a few moves are compared once, in the order of their lengths and then of their moves,
and of those that do the same only the first is allowed. Whatever stands before or behind, a sequence that is not allowed
can be replaced by an earlier one, again and again: it ends, as the order does not change by what stands around, with a path
that is not longer and has no such sequence in it. So a search that skips them finds every state at its least cost.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.inherited import why_left_out
from searchbench.rules import play

MOST_SEQUENCES: Final = 1_000_000
"""How many sequences are compared where a length is asked for: each takes a few microseconds, and half a kilobyte."""
USUAL_CELLS: Final = 2_200_000
"""How many cells the states have together that are compared where no length is asked for: 10 moves of the 15-puzzle, in 0.3 s.
Turns of a cube take some seconds, once."""
KEPT: Final = 3_000
"""An automaton for which more sequences were compared, which takes some 10 ms, is kept on disk."""
MOST_SITUATIONS: Final = 1_000
"""How many different lists of moves a game may have."""
LONGEST: Final = 30
"""The largest number of moves where no length is asked for: in a tiny puzzle sequences give out."""

FORMAT: Final = 1
"""To be raised when automata are made or kept in another way."""

Steps = tuple[int, ...]
"""A sequence of moves: each the situation it is played in, times the largest number of moves, plus its place among them."""


class Situation(NamedTuple):
    """Hold the moves of states that have the same ones, in their order, and the situation that each leads to."""

    moves: tuple[int, ...]
    next: tuple[int, ...]
    state: tuple[int, ...]
    """One of the states."""


@dataclass(frozen=True)
class Automaton:
    """Say which move may follow a path: ``table[at, place]`` is where the automaton goes, -1 where the move is not tried.

    `place` is that of the move among those of the state. The automaton begins in the state of `situations` that has the
    moves of the first state. `table` is int32 [states, largest number of moves].
    """

    table: npt.NDArray[np.int32]
    situations: dict[tuple[int, ...], int]
    forbidden: int
    """How many sequences are not allowed."""
    longest: int
    """How many moves the longest of these has."""

    def first(self, moves: tuple[int, ...]) -> int:
        """Return where the row of the automaton begins at a state with these moves, before any move. Raises BadRequest."""
        if moves not in self.situations:
            raise BadRequest(f"automaton: {moves} are the moves of no state that the start leads to")
        return self.situations[moves] * int(self.table.shape[1])

    @cached_property
    def transitions(self) -> npt.NDArray[np.int32]:
        """Return the table row behind row; a state is where its row begins, so that a step is one look-up (`fsm_next`)."""
        return np.where(self.table < 0, -1, self.table * self.table.shape[1]).astype(np.int32).ravel()


@lru_cache(maxsize=32)
def automaton(game: Game, depth: int) -> Automaton:
    """Return the automaton that knows all sequences of at most `depth` moves. Raises BadRequest.

    Only a game whose moves are rearrangements (`Game.rearranges`) and cost 1 has one.
    """
    if depth < 1:
        raise BadRequest(f"automaton {depth}: expected at least one move, or 0 for none")
    if not game.claimed("rearranges"):
        raise BadRequest(
            f"automaton {depth}: {game} does not claim that its moves are rearrangements, so that what a sequence of moves "
            f"does would be the same in every state{why_left_out(game, 'rearranges')}"
        )
    if game.has("cost"):
        raise BadRequest(
            f"automaton {depth}: {game} supplies `cost`; an automaton of moves counts moves: ask for automaton=0"
        )
    return _kept_or_made(game, depth, MOST_SEQUENCES, f"automaton {depth}: {game}")


@lru_cache(maxsize=32)
def usual_automaton(game: Game) -> Automaton | None:
    """Return the automaton that a search has unless told otherwise; None where there is none, or it would save nothing.

    It is the deepest one for which states of USUAL_CELLS cells are compared, so that it does not depend on the machine.
    Superfluous sequences of two moves are known to most games themselves, by `inverse` and `follows`.
    """
    if not game.claimed("rearranges") or game.has("cost"):
        return None
    try:
        found = _kept_or_made(game, LONGEST, USUAL_CELLS // game.width, "")
    except BadRequest:  # too many situations
        return None
    return found if found.longest > 2 else None


def _kept_or_made(game: Game, depth: int, most: int, wanted: str) -> Automaton:
    """Return the automaton of at most `depth` moves for which at most `most` sequences are compared.

    Where `wanted` says who asks for so many moves, fewer will not do. Raises BadRequest.
    """
    file = _file(game, depth, most)
    if (kept := _read(file)) is not None:
        return kept
    situations = _situations(game)
    forbidden, reached, compared = _superfluous(game, situations, depth, most)
    if wanted and reached < depth:
        raise BadRequest(f"{wanted} has more than {most:,} sequences of so many moves")
    made = _joined(situations, forbidden, game.max_moves)
    if compared > KEPT:
        _write(file, made)
    return made


# --- on disk ----------------------------------------------------------------------------------------------------------


def _file(game: Game, depth: int, most: int) -> Path:
    """Return where an automaton is kept: its name tells the rules that it was made from, and how many moves were compared."""
    names = game.names(target="interpreted")
    rules = [jit.fingerprint(names[name], names) for name in ("start", "moves", "play")]
    data = jit.data_digest(names.data) if names.data is not None else ""
    told = f"{FORMAT} {rules} {data} {game.width} {game.max_moves} {depth} {most}"
    mark = hashlib.sha256(told.encode()).hexdigest()[:20]
    return jit.cache_folder() / mark[:2] / f"automaton-{mark}.npz"


def _read(file: Path) -> Automaton | None:
    """Return the automaton that is kept in a file; None where there is none, or it is not whole."""
    try:
        content = jit.read_cached(file)
    except (OSError, ValueError):
        return None
    with np.load(io.BytesIO(content)) as arrays:
        moves, counts = arrays["moves"].tolist(), arrays["counts"].tolist()
        situations = {tuple(one[:count]): number for number, (one, count) in enumerate(zip(moves, counts, strict=True))}
        forbidden, longest = arrays["forbidden"].tolist()
        return Automaton(arrays["table"], situations, forbidden, longest)


def _write(file: Path, made: Automaton) -> None:
    """Keep an automaton in a file, which is replaced in one go; where that cannot be, the next process makes it again."""
    counts = np.array([len(moves) for moves in made.situations], np.int64)
    moves = np.zeros((len(counts), made.table.shape[1]), np.int64)
    for number, one in enumerate(made.situations):
        moves[number, : len(one)] = one
    content = io.BytesIO()
    np.savez_compressed(
        content, table=made.table, moves=moves, counts=counts, forbidden=np.array([made.forbidden, made.longest])
    )
    with contextlib.suppress(OSError):
        jit.write_cached(file, content.getvalue())


# --- how it is made ---------------------------------------------------------------------------------------------------


def _situations(game: Game) -> list[Situation]:
    """Return all situations that the start's leads to; they follow from each other, as moves are rearrangements."""
    numbers: dict[tuple[int, ...], int] = {}
    found: list[Situation] = []

    def number_of(state: list[int]) -> int:
        moves = tuple(game.moves(state))
        if moves not in numbers:
            if len(numbers) == MOST_SITUATIONS:
                raise BadRequest(f"automaton: {game} has more than {MOST_SITUATIONS:,} different lists of moves")
            numbers[moves] = len(found)
            found.append(Situation(moves, (), tuple(state)))
        return numbers[moves]

    number_of(game.start())
    for number, one in enumerate(found):  # which grows
        found[number] = one._replace(next=tuple(number_of(game.play(one.state, move)) for move in one.moves))
    return found


def _superfluous(game: Game, situations: list[Situation], depth: int, most: int) -> tuple[set[Steps], int, int]:
    """Return the shortest sequences that lead to a state which an earlier one leads to, how long they may be, and the work.

    They have at most `depth` moves, or as many as at most `most` sequences have, which is the work. Sequences that are
    allowed have numbers, the empty ones first, and `longer` says which one is a sequence with one move more, -1 for none. A
    sequence can be allowed only where it is without its first move: `shorter` says which one that is.
    """
    play_move = jit.bind(play, game.names(target="interpreted"), "interpreted")
    width = game.max_moves
    count = len(situations)
    first, at, steps = list(range(count)), list(range(count)), [-1] * count  # where it begins and ends; its last step
    before, shorter = [-1] * count, [-1] * count
    longer = [-1] * (count * width)
    states = [one.state for one in situations]
    seen = [{one.state} for one in situations]
    found: set[Steps] = set()
    begin = compared = 0
    for length in range(depth):
        end = len(first)
        more = sum(len(situations[one].moves) for one in at[begin:end])
        if compared + more > most:
            return found, length, compared
        compared += more
        for number in range(begin, end):
            situation, known, rest = situations[at[number]], seen[first[number]], shorter[number]
            for place, move in enumerate(situation.moves):
                without_first = situation.next[place] if length == 0 else longer[rest * width + place]
                if without_first < 0:
                    continue
                changed = list(states[number])
                play_move(changed, move)
                state = tuple(changed)
                if state in known:
                    found.add(_steps(number, before, steps, at[number] * width + place))
                    continue
                known.add(state)
                longer[number * width + place] = len(first)
                first.append(first[number])
                at.append(situation.next[place])
                steps.append(at[number] * width + place)
                before.append(number)
                shorter.append(without_first)
                states.append(state)
                longer.extend([-1] * width)
        begin = end
    return found, depth, compared


def _steps(number: int, before: list[int], steps: list[int], last: int) -> Steps:
    """Return the steps of a sequence with one more."""
    found = [last]
    while before[number] >= 0:
        found.append(steps[number])
        number = before[number]
    return tuple(reversed(found))


def _joined(situations: list[Situation], forbidden: set[Steps], width: int) -> Automaton:
    """Return the automaton of Aho and Corasick that notices any of the sequences."""
    prefixes = {steps[:length] for steps in forbidden for length in range(1, len(steps))}
    numbers = {steps: len(situations) + place for place, steps in enumerate(sorted(prefixes, key=len))}
    table = np.full((len(situations) + len(numbers), width), -1, np.int32)
    fallback = np.zeros(len(table), np.int32)
    """Where the automaton is if the first step of a prefix is forgotten, as far as that is a prefix."""

    def fill(number: int, steps: Steps, at: int) -> None:
        for place, ahead in enumerate(situations[at].next):
            longer = (*steps, at * width + place)
            shorter = int(table[fallback[number], place]) if steps else ahead
            if longer in forbidden:
                continue
            table[number, place] = numbers.get(longer, shorter)
            if longer in numbers:
                fallback[numbers[longer]] = shorter

    for number, _ in enumerate(situations):
        fill(number, (), number)
    for steps, number in numbers.items():
        last = situations[steps[-1] // width]
        fill(number, steps, last.next[steps[-1] % width])
    longest = max(map(len, forbidden), default=0)
    return Automaton(table, {one.moves: number for number, one in enumerate(situations)}, len(forbidden), longest)
