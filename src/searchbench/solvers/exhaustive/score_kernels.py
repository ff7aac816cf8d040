"""The inner loops of retrograde analysis for points, over some states or over the requests of a bucket."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, Final

from searchbench.exchange import Pages
from searchbench.exchange.memory import add_request, has_room, pages_for, unpack_code, unpack_local
from searchbench.index.contract import unrank
from searchbench.jit import atomic_swap
from searchbench.rules import UNDECIDED, moves, new_moves, new_state, stabilizer, terminal
from searchbench.solvers.exhaustive.departures import has_changed, is_unneeded
from searchbench.solvers.exhaustive.neighbours import (
    OUTSIDE,
    Bounds,
    inside,
    is_position,
    predecessors,
    stored_code,
    write_edges,
)
from searchbench.solvers.exhaustive.pending import BLOCK, STRETCH, STRETCH_BITS
from searchbench.solvers.exhaustive.refusals import NO_ROOM, UNTOLD
from searchbench.solvers.exhaustive.schedule import CHANGED_STATE, LEAVES, NO_NUMBER, STOPPED, TOO_LARGE
from searchbench.values.score import code_of, score_of

# While a group is worked on, the table holds the best result of leaving moves, or `illegal` where there are none; beside it
# is one byte a state: how many of its moves stay in the group and do not yet lead to a loss, or one of the next two.
FRESH: Final = 254
"""The state has its score, and its predecessors have not got its requests."""
DONE: Final = 255
"""The state has its score (or is no position), and nothing is left to be done."""

HIGHEST, REFUSED = 2, 3
"""What `initialise` notes, too: the largest score either way, and whether the method does not apply."""
BEYOND: Final = (1 << 63) - 1
"""A code that stands for all larger ones."""
LOST, WON = 0, 1
"""What a request says of a successor."""
LONGEST: Final = 1 << 16
"""How many states `propagate` does before it is asked whether a checkpoint is due."""
LISTENS: Final = 16
"""After how many states it looks whether another worker has called."""


def initialise(
    codes: Any, illegal: int, first: int, stop: int, bounds: Bounds, reach: Bounds, left: Any,
    note: MutableSequence[int],
) -> None:  # fmt: skip
    """Note the best result of the leaving moves of the states first .. stop - 1, and how many moves stay."""
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    for number in range(first, stop):
        note[STOPPED] = number
        unrank(number, state)
        codes[number] = illegal
        place = number - bounds[0]
        if not is_position(number, state, scratch):
            left[place] = DONE
            continue
        best = terminal(state)
        stay = leaving = 0
        ended = best != UNDECIDED
        if not ended:
            count = write_edges(state, scratch, out, moves(state, out), numbers, weights, stabilizer(state) == 0)
            if has_changed(number, state, scratch):
                note[TOO_LARGE] = CHANGED_STATE
                return
            for index in range(count):
                if numbers[index] == UNDECIDED - OUTSIDE:
                    note[TOO_LARGE] = NO_NUMBER
                    return
                if is_unneeded(numbers[index], reach):
                    note[TOO_LARGE] = LEAVES
                    return
                if numbers[index] >= 0 and inside(numbers[index], bounds):
                    if weights[index] != 0:
                        note[REFUSED] = 1
                    stay += 1
                else:
                    worth = weights[index] - score_of(stored_code(codes, numbers[index], bounds))
                    best = max(best, worth) if leaving > 0 else worth
                    leaving += 1
            if stay >= FRESH:
                note[REFUSED] = 1
        left[place] = min(stay, FRESH - 1)
        if ended or (leaving > 0 and (stay == 0 or best > UNDECIDED)):  # to stay is worth more than any code can tell
            if not 0 <= code_of(best) < illegal:  # twice as many points may not fit into 64 bits
                note[TOO_LARGE] = min(code_of(best), BEYOND) if code_of(best) >= 0 else BEYOND
                return
            codes[number] = code_of(best)
            note[HIGHEST] = max(note[HIGHEST], abs(best))
    note[STOPPED] = stop


def select(codes: Any, illegal: int, first: int, stop: int, origin: int, left: Any, fresh: Any, score: int) -> int:
    """Select the states first .. stop - 1 that have the score, or its opposite, by their leaving moves alone; count them."""
    win, loss = code_of(score), code_of(-score)
    selected = 0
    for number in range(first, stop):
        if codes[number] != win and codes[number] != loss:
            continue
        place = number - origin
        if left[place] < FRESH and (codes[number] == win or left[place] == 0):
            left[place] = FRESH
            fresh[number >> STRETCH_BITS] = 1
            selected += 1
    return selected


def emit(
    codes: Any, first: int, stop: int, bounds: Bounds, left: Any, here: Any, win: int, block_bits: int, pages: Pages
) -> int:
    """Write requests for the predecessors of the states first .. stop - 1 that are fresh; return the first state not done.

    Stops when the pages might not hold the requests of one more state. Less than 0 is one of the refusals.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    numbers = new_moves()
    weights = new_moves()
    times = new_moves()
    number = next_fresh(left, first, stop, bounds[0], here)
    while number < stop:
        unrank(number, state)
        count = predecessors(state, scratch, out, numbers, weights, times)
        requests = 0
        for index in range(count):
            requests += times[index]
        if not has_room(pages, requests):
            if pages.used[0] > 0:
                return number
            if pages_for(times, count, pages) > len(pages.fill):
                return NO_ROOM
        left[number - bounds[0]] = DONE
        said = WON if codes[number] == win else LOST
        for index in range(count):
            if numbers[index] >= 0 and inside(numbers[index], bounds):
                if times[index] == 0 and left[numbers[index] - bounds[0]] < FRESH:  # ranks know their own numbers only
                    unrank(numbers[index], state)
                    if is_position(numbers[index], state, scratch):
                        return UNTOLD
                for _ in range(times[index]):
                    add_request(pages, numbers[index], block_bits, said, 0)
        number = next_fresh(left, number + 1, stop, bounds[0], here)
    return stop


def emit_pieces(
    codes: Any, pieces: Any, bounds: Bounds, left: Any, here: Any, win: int, block_bits: int, pages: Pages
) -> int:
    """Do so for the states of some pieces [piece, first, stop]; return how many pieces are done, or a refusal.

    The piece that is not done begins then with its first state that is not.
    """
    for place in range(len(pieces)):
        first = emit(codes, pieces[place, 0], pieces[place, 1], bounds, left, here, win, block_bits, pages)
        if first < 0:
            return first
        if first < pieces[place, 1]:
            pieces[place, 0] = first
            return place
    return len(pieces)


def collect(left: Any, first: int, stop: int, origin: int, here: Any, numbers: MutableSequence[int], count: int) -> int:
    """Add the fresh states among first .. stop - 1 to a list of `count` numbers; return how many it has, or one more than fit."""
    number = next_fresh(left, first, stop, origin, here)
    while number < stop and count <= len(numbers):
        if count < len(numbers):
            numbers[count] = number
        count += 1
        number = next_fresh(left, number + 1, stop, origin, here)
    return count


def propagate(
    codes: Any, illegal: int, numbers: MutableSequence[int], count: int, bounds: Bounds, left: Any, fresh: Any, score: int,
    called: Any, burst: int, most: int,
) -> int:  # fmt: skip
    """Spread the scores of the fresh states in a list, the last first, and of those that get theirs; return how many are left.

    Ends when there are `most`, or none, which `called` tells the others; when another worker has called in this burst; or after
    LONGEST states. States for which the list has no room are marked. Less than 0 is one of the refusals.
    """
    state = new_state()
    scratch = new_state()
    out = new_moves()
    to = new_moves()
    weights = new_moves()
    times = new_moves()
    win = code_of(score)
    done = 0
    while 0 < count < most and done < LONGEST:
        if done % LISTENS == LISTENS - 1 and atomic_swap(called, 0, burst, burst) == burst:
            return count
        done += 1
        count -= 1
        number = numbers[count]
        unrank(number, state)
        found = predecessors(state, scratch, out, to, weights, times)
        left[number - bounds[0]] = DONE
        said = WON if codes[number] == win else LOST
        for index in range(found):
            if to[index] < 0 or not inside(to[index], bounds):
                continue
            if times[index] == 0 and left[to[index] - bounds[0]] < FRESH:
                unrank(to[index], state)
                if is_position(to[index], state, scratch):
                    return UNTOLD
            for _ in range(times[index]):
                if decides(codes, illegal, left, to[index], to[index] - bounds[0], said, score):
                    if count < len(numbers):
                        numbers[count] = to[index]
                        count += 1
                    else:
                        fresh[to[index] >> STRETCH_BITS] = 1
    if count == 0:
        called[0] = burst
    return count


def decides(codes: Any, illegal: int, left: Any, number: int, place: int, said: int, score: int) -> bool:
    """Tell a state what a successor is, while others may do the same; return whether that decides it."""
    while True:
        before = left[place]
        if before >= FRESH:
            return False
        after = told(codes[number], illegal, before, said, score)
        if atomic_swap(left, place, before, after) == before:
            if after == FRESH:
                codes[number] = code_of(score) if said == LOST else code_of(-score)
            return after == FRESH


def told(code: int, illegal: int, left: int, said: int, score: int) -> int:
    """Return how many moves are left to an undecided state that is told what a successor is; FRESH where that decides it.

    A lost successor does; so does the last one that is won, unless `code`, the best of the leaving moves, is worth more.
    """
    if said == LOST or (left == 1 and (code == illegal or score_of(code) <= -score)):
        return FRESH
    return left - 1


def next_fresh(left: Any, first: int, stop: int, origin: int, here: Any) -> int:
    """Return the first fresh state among first .. stop - 1, or `stop`; only stretches marked in `here` are seen."""
    while first < stop:
        if here[first >> STRETCH_BITS] == 0:
            first = (first | (STRETCH - 1)) + 1
            continue
        end = min(stop, (first | (BLOCK - 1)) + 1)
        if count_fresh(left[first - origin : end - origin]) > 0:
            while left[first - origin] != FRESH:
                first += 1
            return first
        first = end
    return stop


def count_fresh(left: Any) -> int:
    """Count the fresh states of a block."""
    count = 0
    for place in range(len(left)):
        if left[place] == FRESH:
            count += 1
    return count


def apply(
    codes: Any, illegal: int, base: int, pages: Pages, page: int, origin: int, left: Any, fresh: Any, score: int
) -> int:
    """Apply the requests of one bucket to its block, those of a page and of the pages before; count the states decided."""
    win, loss = code_of(score), code_of(-score)
    decided = 0
    while page >= 0:
        for index in range(pages.fill[page]):
            request = pages.requests[page, index]
            number = base + unpack_local(request)
            place = number - origin
            if left[place] >= FRESH:
                continue
            said = unpack_code(request)
            left[place] = told(codes[number], illegal, left[place], said, score)
            if left[place] == FRESH:
                codes[number] = win if said == LOST else loss
                fresh[number >> STRETCH_BITS] = 1
                decided += 1
        page = pages.before[page]
    return decided


def apply_all(
    codes: Any, illegal: int, buckets: Any, last: Any, block_bits: int, pages: Pages, origin: int, left: Any, fresh: Any,
    score: int,
) -> int:  # fmt: skip
    """Apply the requests of some buckets, of which `last` are the last pages; count the states decided."""
    decided = 0
    for place in range(len(buckets)):
        base = buckets[place] << block_bits
        decided += apply(codes, illegal, base, pages, last[place], origin, left, fresh, score)
    return decided


def finish(codes: Any, illegal: int, first: int, stop: int, origin: int, left: Any) -> None:
    """Give the score 0 to the states first .. stop - 1 that have none."""
    for number in range(first, stop):
        if left[number - origin] < FRESH:
            codes[number] = 0
