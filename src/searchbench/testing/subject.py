"""Call the interpreted rules of the game under test, one state at a time, and sample its states."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from searchbench import jit
from searchbench.errors import BadGame, SearchBenchError, raised_in, told
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.inherited import RESTS_ON, changes_rules, why_left_out
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.slots import slot_named
from searchbench.solvers.exhaustive.groups import groups_in_order
from searchbench.user_code import check_parts, room_for

State = tuple[int, ...]
Finding = tuple[State | None, str]
"""A state that breaks a law (None: the game as a whole breaks it), and a message."""

FEW = 2000
TRIED: Final = 40_000
"""About how many moves are listed for a law that looks at some of a state's moves, each of which leads to as many,"""
FEWEST: Final = 4
"""and how many of them it looks at at the least."""
"""An index of up to this many numbers is checked number by number."""
LONGEST_WALK = 200
LISTED = 1 << 20
"""An index of up to this many numbers is sampled without replacement."""
WALKS_IN_VAIN = 50
"""Random games played for each lot of further samples."""


class Law(NamedTuple):
    """A law: its name, the check that finds breaks, and the functions that a game must supply for it to apply."""

    name: str
    breaks: Callable[[Subject], Iterable[Finding]]
    needs: tuple[str, ...] = ()
    two_players: bool = False
    everywhere: bool = False
    """Whether to check it on all samples; otherwise only on the first ones, which are enough."""


def of_each_state(breaks: Callable[[Subject, State], Iterator[str]]) -> Callable[[Subject], Iterator[Finding]]:
    """Return the check of all samples from the check of one state; it yields a state's first break or exception."""

    def check(subject: Subject) -> Iterator[Finding]:
        for state in subject.states:
            try:
                message = next(breaks(subject, state), None)
            except Exception as error:  # rules may raise anything
                message = raised(error, subject.game)
            if message is not None:
                yield state, message

    check.of_each_state = True  # type: ignore[attr-defined]
    return check


def on_all_samples(law: Law) -> bool:
    """Return whether a law is checked on all samples."""
    return law.everywhere or hasattr(law.breaks, "of_each_state")


def raised(error: Exception, game: Game) -> str:
    """Return the message for a rule that raised an exception, with the place where it did; our own errors tell all themselves."""
    if isinstance(error, SearchBenchError):
        return str(error)
    rule = next((f"`{name}`" for name in getattr(error, "__notes__", ())), "the rules")
    place = raised_in(error, type(game))
    return f"{rule} raised {told(error)}{f' ({place})' if place else ''}"


def _wholes(name: str, what: str, found: Iterable[Any]) -> list[int]:
    """Return what a rule wrote as numbers. Raises BadGame for a fraction, which compiled rules would cut."""
    numbers = list(found)
    for number in numbers:
        if not isinstance(number, int | np.integer | np.bool_):
            raise BadGame(
                f"`{name}` wrote {number!r} {what}: expected a whole number (`//` divides without a fraction)"
            )
    return [int(number) for number in numbers]


class Subject:
    """Call the rules of a game on tuples, and keep the sampled `states` and `numbers`.

    Half of the samples come from random play from the start, the others from random numbers of the index, or from all of
    them if they are few. Illegal positions are left out. Without `all_moves`, laws look at some of the moves of states that have
    very many.
    """

    def __init__(self, game: Game, samples: int, seed: int, all_moves: bool = True) -> None:
        self.game, self.all_moves = game, all_moves
        self.names = game.names(target="interpreted")
        check_parts(game)
        self.room = room_for(max(game.max_moves, game.max_unmoves))
        self._new_caches()
        self._chance = random.Random(seed)
        self._left: list[int] | None = None
        self.numbers = self._sample_numbers(self._chance, samples) if self.has("rank") else []
        self.states = list(dict.fromkeys([*self._walks(self._chance, samples), *self._numbered()]))

    def _new_caches(self) -> None:
        self._function: Callable[[str], Any] = cache(lambda name: jit.bind(slot_named(name), self.names))
        self.moves: Callable[[State], list[int]] = cache(self._moves)
        self.unmoves: Callable[[State], list[int]] = cache(lambda state: self.written("unmoves", state))
        self.play: Callable[[State, int], State] = cache(lambda state, move: self._change("play", state, move))
        self.unplay: Callable[[State, int], State] = cache(lambda state, move: self._change("unplay", state, move))
        self.canonical: Callable[[State], State] = cache(lambda state: self._change("canonical", state))
        self.reversal: Callable[[State], State] = cache(lambda state: self._change("reversal", state))
        self.inverted: Callable[[State], State] = cache(lambda state: self._change("dual_state", state))
        self.rank: Callable[[State], int] = cache(lambda state: int(self.call("rank", list(state))))

    # --- rules -------------------------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Return whether the game supplies a function."""
        return name in self.names

    def obstacle(self, law: Law) -> str:
        """Return why a law does not apply to the game, or "" if it does."""
        missing = [name for name in law.needs if not self.has(name)]
        if missing:
            return f"the game supplies no `{missing[0]}`{self._why_left_out(missing[0])}"
        told = law.name.partition("-")[0]
        if told in ("sequences", "product_moves", "digits", "locality") and self.game.claimed(told) is None:
            return f"the game tells no `{told}`{self._why_left_out(told)}"
        if law.name == "inherited" and not changes_rules(self.game):
            return "the class is not derived from one with other rules"
        if law.name == "depth-is-distance" and not self.game.claimed("depth_is_distance"):
            why = self._why_left_out("depth_is_distance")
            return f"the game does not claim that depths are distances{why}"
        if law.name == "rearranges" and not self.game.claimed("rearranges"):
            return f"the game does not claim that moves are rearrangements{self._why_left_out('rearranges')}"
        return "the game is for one player" if law.two_players and not self.game.two_players else ""

    def _why_left_out(self, claim: str) -> str:
        return why_left_out(self.game, claim) if claim in RESTS_ON else ""

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the contract, interpreted; an exception notes which."""
        try:
            return self._function(name)(*arguments)
        except Exception as error:
            error.add_note(name)
            raise

    def terminal(self, state: State) -> int:
        """Return UNDECIDED or the result."""
        result = self.call("terminal", list(state))
        try:
            return int(result)
        except (TypeError, ValueError):
            raise BadGame(f"`terminal` returned {result!r}: expected UNDECIDED, or a number") from None

    def number(self, state: State) -> int:
        """Return the number of a state's class, or NOWHERE."""
        return self.rank(self.canonical(state) if self.has("canonical") else state)

    def group(self, state: State) -> int:
        """Return the group of parts of a state, or NOWHERE."""
        number = self.number(state)
        return next((group for start, stop, group in self._intervals if start <= number < stop), NOWHERE)

    def gains_symmetries(self, state: State, after: State) -> bool:
        """Return whether a move between two states may gain symmetries: to another group of parts, where the game says so."""
        return self.game.gains_symmetries and self.group(state) != self.group(after)

    @cached_property
    def _intervals(self) -> list[tuple[int, int, int]]:
        groups = enumerate(groups_in_order(self.game.parts()))
        return [(part.start, part.stop, place) for place, group in groups for part in group.parts]

    def legal(self, state: State) -> bool:
        """Return whether a state is a position."""
        return bool(self.call("legal", list(state)))

    def start(self) -> State:
        """Return the start."""
        state = [0] * self.game.width
        self.call("start", state)
        return tuple(state)

    def unrank(self, number: int) -> State:
        """Return the state with a number."""
        state = [0] * self.game.width
        self.call("unrank", number, state)
        return tuple(state)

    def unrank_like(self, number: int, like: State) -> State:
        """Return the state with a number, at the same place as `like`."""
        return tuple(self.game.unrank_like(number, like))

    def over(self, state: State) -> bool:
        """Return whether a game of two players is over."""
        return self.game.two_players and self.terminal(state) != UNDECIDED

    def cost(self, state: State, move: int) -> int:
        """Return the cost of a move."""
        return int(self.call("cost", list(state), move))

    def gain(self, state: State, move: int) -> int:
        """Return the gain of a move."""
        return int(self.call("gain", list(state), move))

    def move_text(self, state: State, move: int) -> str:
        """Return a move in the game's notation, with its number."""
        try:
            return f"{self.game.format_move(state, move)} ({move})"
        except Exception:  # notation is checked elsewhere
            return str(move)

    def text(self, state: State | None) -> str:
        """Return a state in the game's notation, or its cells if the notation fails."""
        if state is None:
            return ""
        try:
            text = self.game.format(state)
        except Exception:  # notation is checked elsewhere
            text = None
        return text if isinstance(text, str) else " ".join(map(str, state))

    @property
    def size(self) -> int:
        """Return the size of the index."""
        return line_size(self.game.parts())

    def written(self, name: str, state: State) -> list[int]:
        """Return the moves that a function of the contract writes."""
        out = [0] * self.room  # more than the rules ask for, to count the moves that they write beyond
        count = self.call(name, list(state), out)
        if not isinstance(count, int | np.integer) or len(out) > self.room:
            how = "appends to `out`" if len(out) > self.room else f"returned {count!r}"
            raise BadGame(f"`{name}` {how}: expected `out[count] = move`, and how many it has written")
        return _wholes(name, "as a move", out[:count])

    def tried_moves(self, state: State) -> list[int]:
        """Return the moves of a state that a law looks at one by one."""
        return self._thinned(self.moves(state))

    def tried_unmoves(self, state: State) -> list[int]:
        """Return the moves that may have led to a state that a law looks at one by one."""
        return self._thinned(self.unmoves(state))

    def _thinned(self, moves: list[int]) -> list[int]:
        """Return all moves, or of very many some: the moves after each of them are listed, too."""
        if self.all_moves or not moves:
            return moves
        return moves[:: -(-len(moves) // max(FEWEST, TRIED // len(moves)))]

    def _moves(self, state: State) -> list[int]:
        return [] if self.over(state) else self.written("moves", state)

    def _change(self, name: str, state: State, *move: int) -> State:
        after = list(state)
        returned = self.call(name, after, *move)
        if returned is not None and tuple(after) == state:
            raise BadGame(
                f"`{name}` returned {returned!r} and left the state as it was: expected that it changes the cells of `state`"
            )
        return tuple(_wholes(name, "into a cell", after))

    # --- samples -----------------------------------------------------------------------------------------------------

    def _sample_numbers(self, chance: random.Random, samples: int) -> list[int]:
        if self.size <= FEW:
            return list(range(self.size))
        ends = [0, self.size - 1, *(end for part in self.game.parts() for end in (part.start, part.stop - 1))]
        return sorted({*ends[: samples // 2], *(chance.randrange(self.size) for _ in range(samples // 2))})

    def draw(self, samples: int, seen: set[State]) -> bool:
        """Draw new numbers, and states of random play that are not in `seen`; return false if there are none.

        Half of the samples come from numbers not drawn before, as long as there are any.
        """
        self._new_caches()
        if self._left is None:
            self._left = self._all_others()
        half = samples // 2
        if self.size <= LISTED:
            self.numbers = sorted(self._left.pop() for _ in range(min(half, len(self._left))))
        else:
            self.numbers = sorted({self._chance.randrange(self.size) for _ in range(half)})
        walked = [state for state in self._walks(self._chance, samples, WALKS_IN_VAIN) if state not in seen]
        self.states = list(dict.fromkeys([*walked, *self._numbered()]))
        return bool(self.numbers or self.states)

    def _all_others(self) -> list[int]:
        """Return the numbers that are not among the first samples, in random order."""
        if self.size > LISTED or not self.has("rank"):
            return []
        first = set(self.numbers)
        others = [number for number in range(self.size) if number not in first]
        self._chance.shuffle(others)
        return others

    def _numbered(self) -> Iterator[State]:
        for number in self.numbers:
            try:
                state = self.unrank(number)
                if self.legal(state):
                    yield state
            except Exception:  # the laws on numbers report it
                continue

    def _walks(self, chance: random.Random, samples: int, games: int | None = None) -> list[State]:
        """Return the states met in random play; end a game where the rules raise: the laws will report that state."""
        found: dict[State, None] = {}
        for _ in range(samples if games is None else games):
            if len(found) >= samples // 2:
                break
            try:
                state = self.start()
                for _ in range(LONGEST_WALK):
                    found[state] = None
                    moves = self.moves(state)
                    if not moves or len(found) >= samples // 2:
                        break
                    state = self.play(state, chance.choice(moves))
            except Exception:  # the laws report it
                continue
        return list(found)
