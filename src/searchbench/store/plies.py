"""Kernels that leave codes out of a table because a search of a few plies finds them, and that search (Gasser 1995, 5.5).

Tables are over the whole number line. What the rules tell of a number is never looked up: that it is no position, and the
value of a finished game or of a puzzle without solution.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.index.contract import canonical_rank, unrank
from searchbench.rules import (
    UNDECIDED,
    Code,
    Rank,
    State,
    alternates,
    legal,
    moves,
    new_moves,
    new_state,
    play,
    solvable,
    terminal,
    unplay,
)
from searchbench.values.contract import finish, gather, initial, weight

Numbers = MutableSequence[int]

UNTOLD: Final = -1
"""Instead of a code: the rules do not tell it, or no code need be kept."""
LEFT_OUT: Final = 1
"""What is kept in the place of a value that is left out: the code of a game that is over, which the rules tell."""


# --- one state ----------------------------------------------------------------------------------------------------------


def told(number: Rank, state: State, scratch: State, illegal: Code) -> Code:
    """Write the state of a number, and return the code that the rules alone give it, or UNTOLD."""
    unrank(number, state)
    if not legal(state) or canonical_rank(state, scratch) != number:
        return illegal
    return known(state)


def known(state: State) -> Code:
    """Return the code of a finished game, or of a puzzle that its own law says has no solution, or UNTOLD."""
    if not solvable(state):
        return 0
    result = terminal(state)
    return UNTOLD if result == UNDECIDED else finish(initial(result, 0))


def gathered(codes: Numbers, weights: Numbers, count: int) -> Code:
    """Return the code that follows from those of all successors."""
    return finish(gather(initial(UNDECIDED, count), codes, weights, count))


def look(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write the numbers after each move, or -1 - the code of a finished game without one, and the weights; return how many."""
    count = moves(state, out)
    for index in range(count):
        weights[index] = weight(state, out[index])
        play(state, out[index])
        number = canonical_rank(state, scratch)
        numbers[index] = number if number >= 0 else -1 - finish(initial(terminal(state), 0))
        unplay(state, out[index])
    return count


def code_at(codes: Any, number: int) -> Code:
    """Return the code that `look` has found, or 0 for a number beyond the table: nothing is known of it."""
    if number < 0:
        return -1 - number
    return codes[number] if number < len(codes) else 0


# --- leaving out --------------------------------------------------------------------------------------------------------


def keep_untold(codes: Any, illegal: Code, first: Rank, out: Any) -> None:
    """Write the codes of a block, UNTOLD in the place of all that the rules tell; `codes` are those of the block."""
    state = new_state()
    for place in range(len(out)):
        if codes[place] == illegal:
            out[place] = UNTOLD
            continue
        unrank(first + place, state)
        out[place] = codes[place] if known(state) == UNTOLD else UNTOLD


def keep_depths(codes: Any, illegal: Code, first: Rank, step: int, remainder: int, shift: int, out: Any) -> Rank:
    """Write the codes whose depth leaves `remainder` modulo `step`, 0 for no depth, and LEFT_OUT where a search finds the value.

    Return a number that would be taken for one that is left out, or -1.

    The *way* of a depth is what it exceeds the next smaller depth that is kept by. A value is left out if a search of its
    way in plies proves it: where one good move decides, because the state after it has a shorter way; a loss, because all
    states after it have. A loss that is followed by a quicker win with a longer way is kept.
    """
    state, scratch = new_state(), new_state()
    out_moves, numbers, weights = new_moves(), new_moves(), new_moves()
    single = new_moves()
    for place in range(len(out)):
        code = codes[first + place]
        if code == illegal:
            out[place] = UNTOLD
            continue
        unrank(first + place, state)
        if known(state) != UNTOLD:
            out[place] = UNTOLD
            continue
        out[place] = code
        if code == 0:
            continue
        if code == LEFT_OUT:
            return first + place
        way = (((code - 1) >> shift) - remainder) % step
        if way == 0:
            continue
        count = look(state, scratch, out_moves, numbers, weights)
        all_needed = shift == 1 and code % 2 == 1
        proved = all_needed
        for index in range(count):
            after = code_at(codes, numbers[index])
            depth = (after - 1) >> shift
            near = after == 0 or depth == 0 or (depth - remainder) % step < way
            if all_needed:
                proved = proved and near
            elif near and after != 0 and not proved:
                single[0] = after
                proved = gathered(single, weights[index : index + 1], 1) == code
        if proved:
            out[place] = LEFT_OUT
    return -1


def keep_moves(codes: Any, illegal: Code, first: Rank, shift: int, out: Any) -> Rank:
    """Write 1 + the index of the first best move, 0 for no value and for draws; return a number without such a move, or -1."""
    state, scratch = new_state(), new_state()
    out_moves, numbers, weights = new_moves(), new_moves(), new_moves()
    single = new_moves()
    for place in range(len(out)):
        code = codes[first + place]
        if code == illegal:
            out[place] = UNTOLD
            continue
        unrank(first + place, state)
        if known(state) != UNTOLD:
            out[place] = UNTOLD
            continue
        out[place] = 0
        if code == 0:
            continue
        for index in range(look(state, scratch, out_moves, numbers, weights)):
            single[0] = code_at(codes, numbers[index])
            nearer = single[0] != 0 and (single[0] - 1) >> shift < (code - 1) >> shift
            if nearer and gathered(single, weights[index : index + 1], 1) == code:
                out[place] = 1 + index
                break
        if out[place] == 0:
            return first + place
    return -1


def keep_class(codes: Any, illegal: Code, first: Rank, out: Any) -> Rank:
    """Write the codes of the states whose `alternates` is 0; return a number from which a move leads to its own kind, or -1."""
    state = new_state()
    out_moves = new_moves()
    for place in range(len(out)):
        out[place] = UNTOLD
        if codes[first + place] == illegal:
            continue
        unrank(first + place, state)
        if known(state) != UNTOLD:
            continue
        if alternates(state) == 0:
            out[place] = codes[first + place]
            continue
        for index in range(moves(state, out_moves)):
            play(state, out_moves[index])
            kind = alternates(state)
            unplay(state, out_moves[index])
            if kind != 0:
                return first + place
    return -1


# --- finding again ------------------------------------------------------------------------------------------------------


def tell(codes: Any, illegal: Code, first: Rank) -> None:
    """Write what the rules tell into the codes of a block."""
    state, scratch = new_state(), new_state()
    for place in range(len(codes)):
        code = told(first + place, state, scratch, illegal)
        if code != UNTOLD:
            codes[place] = code


def begin(codes: Any, missing: Any, stored: Any, illegal: Code, first: Rank, by_class: bool, by_move: bool) -> None:
    """Write the codes of a block that need no search into a table, and 0 for the others.

    `missing` is not 0 for these: the move if `by_move`. If `by_class` they are told by `alternates`.
    """
    state, scratch = new_state(), new_state()
    for place in range(len(stored)):
        number = first + place
        code = told(number, state, scratch, illegal)
        missing[number] = 0
        if code != UNTOLD:
            codes[number] = code
        elif by_move:
            codes[number] = 0
            missing[number] = stored[place]
        elif (alternates(state) == 1) if by_class else (stored[place] == LEFT_OUT):
            codes[number] = 0
            missing[number] = 1
        else:
            codes[number] = stored[place]


def gather_missing(codes: Any, missing: Any, first: Rank, stop: Rank) -> None:
    """Write what follows for the missing codes from what is known of their successors' codes, 0 being nothing."""
    state, scratch = new_state(), new_state()
    out, numbers, weights = new_moves(), new_moves(), new_moves()
    for number in range(first, stop):
        if missing[number] == 0:
            continue
        unrank(number, state)
        count = look(state, scratch, out, numbers, weights)
        for index in range(count):
            numbers[index] = code_at(codes, numbers[index])
        codes[number] = gathered(numbers, weights, count)


def follow_moves(codes: Any, missing: Any, first: Rank, stop: Rank, path: Any, costs: Any) -> Rank:
    """Follow the best moves from each missing code to a known one; return a number from which they lead nowhere, or -1.

    `path` and `costs` have room for the last states of a line. Of a longer line only these get their codes, and it is followed
    again.
    """
    state, scratch = new_state(), new_state()
    out, single = new_moves(), new_moves()
    room = len(path)
    for number in range(first, stop):
        while missing[number] != 0 and codes[number] == 0:
            at = number
            length = 0
            code = 0
            while missing[at] != 0 and codes[at] == 0:
                unrank(at, state)
                if length == len(codes) or missing[at] > moves(state, out):
                    return number
                path[length % room] = at
                costs[length % room] = weight(state, out[missing[at] - 1])
                length += 1
                play(state, out[missing[at] - 1])
                after = canonical_rank(state, scratch)
                code = finish(initial(terminal(state), 0)) if after < 0 else 0
                if after < 0:
                    break
                if after >= len(codes):
                    return number
                at = after
            if code == 0:
                code = codes[at]
            for back in range(length - 1, max(length - room, 0) - 1, -1):
                if code == 0:
                    return number
                single[0] = code
                code = gathered(single, costs[back % room : back % room + 1], 1)
                codes[path[back % room]] = code
    return -1
