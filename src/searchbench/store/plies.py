"""Kernels that omit codes which a search of a few plies restores, and that search (Gasser 1995, section 5.5).

Tables cover the whole number line. Facts that the rules imply are never looked up: that a number is no position, and
the value of a finished game or of an unsolvable puzzle.
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
"""Marks a code that the rules do not imply, or that need not be stored."""
LEFT_OUT: Final = 1
"""Stored in place of an omitted value: the code of a finished game, whose value the rules imply."""


# --- one state ----------------------------------------------------------------------------------------------------------


def told(number: Rank, state: State, scratch: State, illegal: Code) -> Code:
    """Unrank a number; return the code that the rules alone imply, or UNTOLD."""
    unrank(number, state)
    if not legal(state) or canonical_rank(state, scratch) != number:
        return illegal
    return known(state)


def known(state: State) -> Code:
    """Return the code of a finished game or of a provably unsolvable puzzle, else UNTOLD."""
    if not solvable(state):
        return 0
    result = terminal(state)
    return UNTOLD if result == UNDECIDED else finish(initial(result, 0))


def gathered(codes: Numbers, weights: Numbers, count: int) -> Code:
    """Combine the codes of all successors."""
    return finish(gather(initial(UNDECIDED, count), codes, weights, count))


def look(state: State, scratch: State, out: Numbers, numbers: Numbers, weights: Numbers) -> int:
    """Write each successor's number, or -1 - code for an unnumbered finished game, and each move's weight; return the count."""
    count = moves(state, out)
    for index in range(count):
        weights[index] = weight(state, out[index])
        play(state, out[index])
        number = canonical_rank(state, scratch)
        numbers[index] = number if number >= 0 else -1 - finish(initial(terminal(state), 0))
        unplay(state, out[index])
    return count


def code_at(codes: Any, number: int) -> Code:
    """Return the code of an entry of `look`, or 0 (unknown) for a number beyond the table."""
    if number < 0:
        return -1 - number
    return codes[number] if number < len(codes) else 0


# --- omitting codes
# -----------------------------------------------------------------------------------------------------


def untold(code: Code, illegal: Code, number: Rank, state: State) -> Code:
    """Return the code of a number, UNTOLD where the rules imply it; else the state is written."""
    if code == illegal:
        return UNTOLD
    unrank(number, state)
    return code if known(state) == UNTOLD else UNTOLD


def keep_untold(codes: Any, illegal: Code, first: Rank, out: Any) -> None:
    """Write the codes of a block, UNTOLD where the rules imply them; `codes` covers only the block."""
    state = new_state()
    for place in range(len(out)):
        out[place] = untold(codes[place], illegal, first + place, state)


def keep_depths(codes: Any, illegal: Code, first: Rank, step: int, remainder: int, shift: int, out: Any) -> Rank:
    """Write codes whose depth is `remainder` modulo `step`, 0 for no depth, and LEFT_OUT where a search finds the value.

    Return a number whose code equals LEFT_OUT, or -1.

    The *way* of a depth is its distance above the next smaller stored depth. A value is omitted if a search of as many
    plies proves it: a single good move whose successor has a shorter way, or, for a loss, all successors have shorter
    ways. A loss followed by a quicker win with a longer way is stored.
    """
    state, scratch = new_state(), new_state()
    out_moves, numbers, weights = new_moves(), new_moves(), new_moves()
    single = new_moves()
    for place in range(len(out)):
        code = untold(codes[first + place], illegal, first + place, state)
        if code == UNTOLD:
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
    """Write 1 + the index of the first best move, 0 for no value or a draw; return a number without a best move, or -1."""
    state, scratch = new_state(), new_state()
    out_moves, numbers, weights = new_moves(), new_moves(), new_moves()
    single = new_moves()
    for place in range(len(out)):
        code = untold(codes[first + place], illegal, first + place, state)
        if code == UNTOLD:
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
    """Write the codes of the states with `alternates` 0; return a number with a move between two of the other states, or -1."""
    state = new_state()
    out_moves = new_moves()
    for place in range(len(out)):
        out[place] = UNTOLD
        code = untold(codes[first + place], illegal, first + place, state)
        if code == UNTOLD:
            continue
        if alternates(state) == 0:
            out[place] = code
            continue
        for index in range(moves(state, out_moves)):
            play(state, out_moves[index])
            kind = alternates(state)
            unplay(state, out_moves[index])
            if kind != 0:
                return first + place
    return -1


# --- restoring codes
# ----------------------------------------------------------------------------------------------------


def tell(codes: Any, illegal: Code, first: Rank) -> None:
    """Write the codes that the rules imply into a block."""
    state, scratch = new_state(), new_state()
    for place in range(len(codes)):
        code = told(first + place, state, scratch, illegal)
        if code != UNTOLD:
            codes[place] = code


def begin(codes: Any, missing: Any, stored: Any, illegal: Code, first: Rank, by_class: bool, by_move: bool) -> None:
    """Write the codes of a block that need no search into a table, and 0 for the others.

    `missing` is nonzero for the others: the best move if `by_move`. If `by_class`, `alternates` identifies them.
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
    """Compute missing codes from the successors' codes, 0 being unknown."""
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
    """Follow the best moves from each missing code to a known one; return a number from which this fails, or -1.

    `path` and `costs` have room for the last states of a line. Of a longer line only these get their codes, and it is
    followed again.
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
