"""Require that compiled rules agree with interpreted ones: run the same kernel both ways over the same states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import compiler_complaint
from searchbench.hashing import key
from searchbench.index.contract import canonical_rank, rank, successor_ranks, unrank, unrank_next
from searchbench.rules import (
    UNDECIDED,
    alternates,
    canonical,
    conversions,
    cost,
    gain,
    h,
    h_step,
    legal,
    mobility,
    moves,
    new_moves,
    new_state,
    play,
    stabilizer,
    terminal,
    unmoves,
    unmoves_within,
    unplay,
)
from searchbench.testing.subject import Finding, Law, State, Subject

FACTS: Final = ("terminal", "legal", "key", "moves", "canonical", "alternates")
MOVE_FACTS: Final = ("moves", "cost", "gain", "play", "unplay")
SHORTCUTS: Final = ("canonical_rank", "stabilizer", "mobility")
MOST: Final = 200


def write(state: Any, out: Any, place: int) -> None:
    """Copy a state into a row of a table."""
    for cell in range(len(state)):
        out[place, cell] = state[cell]


def read(table: Any, place: int, state: Any) -> None:
    """Copy a row of a table into a state."""
    for cell in range(len(state)):
        state[cell] = table[place, cell]


def digest(state: Any) -> int:
    """Return a hash of a state."""
    code = 0
    for cell in range(len(state)):
        code = (code * 1000003 + int(state[cell]) + 128) & 0xFFFFFFFFFFF
    return code


def survey_moves(states: Any, two_players: bool, facts: Any, move_facts: Any) -> None:
    """Record the results of the forward rules for each state and each of its moves."""
    state = new_state()
    out = new_moves()
    for place in range(len(states)):
        read(states, place, state)
        facts[place, 0] = terminal(state)
        facts[place, 1] = 1 if legal(state) else 0
        facts[place, 2] = key(state)
        count = 0 if two_players and terminal(state) != UNDECIDED else moves(state, out)
        facts[place, 3] = count
        facts[place, 5] = alternates(state)
        for index in range(count):
            move_facts[place, index, 0] = out[index]
            move_facts[place, index, 1] = cost(state, out[index])
            move_facts[place, index, 2] = gain(state, out[index])
            play(state, out[index])
            move_facts[place, index, 3] = digest(state)
            unplay(state, out[index])
            move_facts[place, index, 4] = digest(state)
        canonical(state)
        facts[place, 4] = digest(state)


def survey_unmoves(states: Any, listed: Any, staying: Any) -> None:
    """Record the moves backwards of each state."""
    state = new_state()
    out = new_moves()
    for place in range(len(states)):
        read(states, place, state)
        count = unmoves(state, out)
        for index in range(count):
            listed[place, index] = out[index]
        count = unmoves_within(state, out)
        for index in range(count):
            staying[place, index] = out[index]


def survey_shortcuts(states: Any, two_players: bool, facts: Any, leaving: Any) -> None:
    """Record the results of the optional fast functions for each state."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    for place in range(len(states)):
        read(states, place, state)
        facts[place, 0] = canonical_rank(state, scratch)
        facts[place, 1] = stabilizer(state)
        if not two_players or terminal(state) == UNDECIDED:
            facts[place, 2] = mobility(state, out)
            for index in range(conversions(state, out)):
                leaving[place, index] = out[index]


def survey_numbers(numbers: Any, cells: Any, ranks: Any) -> None:
    """Record the state of each number, and that state's number."""
    state = new_state()
    for place in range(len(numbers)):
        unrank(numbers[place], state)
        write(state, cells, place)
        ranks[place] = rank(state)


def survey_steps(numbers: Any, listed: Any) -> None:
    """Record the result of `steps` for each number."""
    state = new_state()
    out = new_moves()
    found = new_moves()
    for place in range(len(numbers)):
        count = successor_ranks(numbers[place], state, out, found)
        for index in range(count):
            listed[place, index] = found[index]


def survey_advance(numbers: Any, cells: Any) -> None:
    """Record the state that `advance` makes of the state with the number before."""
    state = new_state()
    unrank(numbers[0], state)
    for place in range(1, len(numbers)):
        unrank_next(numbers[place - 1], state, numbers[place] - numbers[place - 1])
        write(state, cells, place)


def survey_bounds(states: Any, two_players: bool, bounds: Any, changes: Any) -> None:
    """Record the lower bound of each state and its change by each move."""
    state = new_state()
    out = new_moves()
    for place in range(len(states)):
        read(states, place, state)
        bounds[place] = h(state, None)
        count = 0 if two_players and terminal(state) != UNDECIDED else moves(state, out)
        for index in range(count):
            changes[place, index] = h_step(state, out[index], None)


class _Output(NamedTuple):
    """An output array of a survey: its shape, whose first axis is the state; the last axis may name functions."""

    shape: tuple[int, ...]
    facts: tuple[str, ...]

    def name(self, where: tuple[int, ...]) -> str:
        """Return the function that wrote a cell of the array."""
        return self.facts[where[-1]] if len(self.facts) > 1 else self.facts[0]


def compiled_equals_interpreted(subject: Subject) -> Iterator[Finding]:
    """Require that every function of the rules gives the same result compiled as interpreted."""
    game = subject.game
    most = max(game.max_moves, game.max_unmoves)
    shown = _spread(subject.states)
    states = np.array(shown, game.dtype).reshape(-1, game.width)
    count = len(shown)
    listed = _Output((count, most, len(MOVE_FACTS)), MOVE_FACTS)
    surveys: list[tuple[Any, tuple[Any, ...], list[_Output], list[State]]] = [
        (survey_moves, (states, game.two_players), [_Output((count, len(FACTS)), FACTS), listed], shown)
    ]
    if subject.has("unmoves"):
        outputs = [_Output((count, most), (name,)) for name in ("unmoves", "unmoves_within")]
        surveys.append((survey_unmoves, (states,), outputs, shown))
    if subject.has("rank") and any(map(subject.has, (*SHORTCUTS, "conversions"))):
        outputs = [_Output((count, len(SHORTCUTS)), SHORTCUTS), _Output((count, most), ("conversions",))]
        surveys.append((survey_shortcuts, (states, game.two_players), outputs, shown))
    if subject.has("h"):
        outputs = [_Output((count,), ("h",)), _Output((count, most), ("h_step",))]
        surveys.append((survey_bounds, (states, game.two_players), outputs, shown))
    if subject.has("rank"):
        numbers = _spread([number for number in subject.numbers if subject.legal(subject.unrank(number))])
        unranked = [subject.unrank(number) for number in numbers]
        outputs = [_Output((len(numbers), game.width), ("unrank",)), _Output((len(numbers),), ("rank",))]
        surveys.append((survey_numbers, (np.array(numbers, np.int64),), outputs, unranked))
        if subject.has("unrank_next") and numbers:
            in_order = sorted(set(numbers))
            outputs = [_Output((len(in_order), game.width), ("advance",))]
            unranked = [subject.unrank(number) for number in in_order]
            surveys.append((survey_advance, (np.array(in_order, np.int64),), outputs, unranked))
        if subject.has("successor_ranks"):
            numbers = [number for number in numbers if not subject.over(subject.unrank(number))]
            unranked = [subject.unrank(number) for number in numbers]
            outputs = [_Output((len(numbers), most), ("steps",))]
            surveys.append((survey_steps, (np.array(numbers, np.int64),), outputs, unranked))
    told: set[str] = set()  # a rule that does not compile stops each survey that asks it
    for survey in surveys:
        for state, message in _compare(subject, *survey):
            if state is not None or message not in told:
                yield state, message
            told.add(message)


def _spread(samples: list[Any]) -> list[Any]:
    """Return about MOST of the samples at most, evenly spaced."""
    return samples[:: 1 + len(samples) // MOST]


def _compare(
    subject: Subject, survey: Any, inputs: tuple[Any, ...], outputs: list[_Output], states: list[State]
) -> Iterator[Finding]:
    """Run a survey interpreted and compiled, and yield the differences between their outputs."""
    interpreted: list[npt.NDArray[Any]] = [np.zeros(output.shape, np.int64) for output in outputs]
    compiled: list[npt.NDArray[Any]] = [np.zeros(output.shape, np.int64) for output in outputs]
    jit.bind(survey, subject.names)(*inputs, *interpreted)
    try:
        jit.bind(survey, subject.game.names())(*inputs, *compiled)
    except Exception as error:  # the compiler raises many kinds
        yield None, f"the rules do not compile: {' '.join(compiler_complaint(error).split())}"
        return
    for output, one, other in zip(outputs, interpreted, compiled, strict=True):
        for where in np.argwhere(one != other):
            place = tuple(int(axis) for axis in where)
            name, right, wrong = output.name(place), one[place], other[place]
            yield states[place[0]], f"`{name}` is {right} interpreted and {wrong} compiled (at {place[1:]} of its list)"


LAWS = (Law("compiled-equals-interpreted", compiled_equals_interpreted),)
