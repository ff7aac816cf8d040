"""Define the laws on moves, positions and notation, state by state."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from searchbench.abstraction import Abstraction
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state, raised
from searchbench.user_code import check_drawing, is_whole, place_of
from searchbench.values import value_rule

LARGEST = 1 << 48
"""The largest cost of a move, and the most points either way: sums of some thousands fit into the 64 bits that solvers have."""
TOO_MUCH = "solvers count in 64 bits, into which sums of numbers above 2^48 may not fit"
WALKS = 40
"""Approximate number of sequences of moves played from each state."""
EXPANDED = 500
"""States around the start that are expanded,"""
LOOKED = 2000
"""until so many of their moves are made."""


def start(subject: Subject) -> Iterator[Finding]:
    """Require that `start` writes all cells of a legal state."""
    try:
        first = subject.start()
        scribbled = [1] * subject.game.width
        subject.call("start", scribbled)
        if tuple(scribbled) != first:
            yield first, "`start` leaves cells as they were"
        if not subject.legal(first):
            yield first, "the start is not legal"
    except Exception as error:  # rules may raise anything
        yield None, raised(error, subject.game)


def cells_fit(subject: Subject, state: State) -> Iterator[str]:
    """Require that every cell fits the game's dtype, also after every move."""
    limits = np.iinfo(subject.game.dtype)
    for after in (state, *(subject.play(state, move) for move in subject.tried_moves(state))):
        if not all(limits.min <= cell <= limits.max for cell in after):
            yield f"{list(after)} does not fit {limits.dtype} (another one is chosen with dtype = np.int16, say)"


def rules_leave_state(subject: Subject, state: State) -> Iterator[str]:
    """Require that rules which only read a state do not change it."""
    moves = subject.moves(state)
    buffer = [0] * subject.room
    calls: list[tuple[str, tuple[Any, ...]]] = [(name, ()) for name in ("terminal", "legal", "rank", "key", "solvable")]
    calls += [] if subject.over(state) else [("moves", (buffer,))]
    calls += [] if subject.over(state) else [("conversions", (buffer,)), ("mobility", (buffer,))]
    calls += [("unmoves", (buffer,)), ("unmoves_within", (buffer,)), ("stabilizer", ())]
    calls += [("h", (None,)), ("dead", (None,))]
    for move in moves:
        calls += [("cost", (move,)), ("gain", (move,)), ("h_step", (move, None))]
    for name, arguments in calls:
        if subject.has(name):
            same = list(state)
            subject.call(name, same, *arguments)
            if tuple(same) != state:
                yield f"`{name}` changed the state to {same}"


def result(subject: Subject, state: State) -> Iterator[str]:
    """Require that `terminal` returns UNDECIDED, 0 for a solved puzzle and -1 for a lost one; for two, -1, 0, +1 or points."""
    found = subject.call("terminal", list(state))
    rule = value_rule(subject.game.values)
    if not rule.two_players:
        allowed, right = {0, -1}, "UNDECIDED while the puzzle is not solved, and 0 when it is (-1: it never can be)"
    elif rule.name == "score":
        allowed, right = set(), "UNDECIDED while the game goes on, then the points for the player to move"
    else:
        allowed, right = {-1, 0, 1}, "UNDECIDED while the game goes on, then -1, 0 or +1 for the player to move"
    if not is_whole(found) or (allowed and found not in {UNDECIDED, *allowed}):
        meant = '; a game of two players says values = "outcome"' if not rule.two_players and found == 1 else ""
        yield f"`terminal` returned {found!r}, expected {right}{meant}"
    elif abs(found) > LARGEST:
        yield f"`terminal` returned {found}: {TOO_MUCH}"


def max_moves(subject: Subject, state: State) -> Iterator[str]:
    """Require that `moves` writes at most `max_moves`, `unmoves` at most `max_unmoves`."""
    for name, limit in (("moves", subject.game.max_moves), ("unmoves", subject.game.max_unmoves)):
        if subject.has(name):
            count = len(subject.moves(state) if name == "moves" else subject.unmoves(state))
            if count > limit:
                yield f"`{name}` wrote {count} moves, max_{name} is {limit}"


def moves_differ(subject: Subject, state: State) -> Iterator[str]:
    """Require that `moves` and `unmoves` list no move twice."""
    for name in ("moves", "unmoves"):
        if subject.has(name):
            listed = subject.moves(state) if name == "moves" else subject.unmoves(state)
            twice = [move for move, count in Counter(listed).items() if count > 1]
            if twice:
                yield f"`{name}` lists {twice[0]} more than once"


def unplay_undoes_play(subject: Subject, state: State) -> Iterator[str]:
    """Require unplay(play(s, m), m) = s."""
    for move in subject.tried_moves(state):
        after = subject.play(state, move)
        before = subject.unplay(after, move)
        if before != state:
            yield f"move {subject.move_text(state, move)} and back gives {subject.text(before)}"


def moves_are_unmoves(subject: Subject, state: State) -> Iterator[str]:
    """Require m in unmoves(play(s, m)) for every m in moves(s)."""
    for move in subject.tried_moves(state):
        after = subject.play(state, move)
        if move not in subject.unmoves(after):
            yield f"move {subject.move_text(state, move)} is not among `unmoves` of {subject.text(after)}"


def unmoves_are_moves(subject: Subject, state: State) -> Iterator[str]:
    """Require m in moves(unplay(s, m)) for every m in unmoves(s), and that m leads back; unless the former is illegal."""
    for move in subject.tried_unmoves(state):
        before = subject.unplay(state, move)
        if not subject.legal(before):
            continue
        if move not in subject.moves(before):
            yield f"move {move} of `unmoves` is not legal in {subject.text(before)}"
        elif subject.play(before, move) != state:
            yield f"move {move} of `unmoves`, taken back and played, gives {subject.text(subject.play(before, move))}"


def legal_closed(subject: Subject, state: State) -> Iterator[str]:
    """Require that the successors of a legal state are legal."""
    if subject.legal(state):
        for move in subject.tried_moves(state):
            after = subject.play(state, move)
            if not subject.legal(after):
                yield f"move {subject.move_text(state, move)} leads to {subject.text(after)}, which is not legal"


def has_move(subject: Subject, state: State) -> Iterator[str]:
    """Require a move in every undecided state of a game of two players."""
    if subject.terminal(state) == UNDECIDED and not subject.moves(state):
        yield "no move, but `terminal` is UNDECIDED"


def costs_positive(subject: Subject, state: State) -> Iterator[str]:
    """Require that every move costs a whole number, at least 1 or, if states share a number, 0 or 1."""
    shared = subject.has("blank")
    right = "0 or 1, as states share numbers" if shared else "a whole number, at least 1"
    for move in subject.tried_moves(state):
        cost = subject.call("cost", list(state), move)
        if not is_whole(cost) or cost < (0 if shared else 1) or (shared and cost > 1):
            yield f"move {subject.move_text(state, move)} costs {cost!r}, expected {right}"
        elif cost > LARGEST:
            yield f"move {subject.move_text(state, move)} costs {cost}: {TOO_MUCH}"


def gains_whole(subject: Subject, state: State) -> Iterator[str]:
    """Require that every move gains a whole number of points, fewer than nothing where it loses some."""
    for move in subject.tried_moves(state):
        gain = subject.call("gain", list(state), move)
        if not is_whole(gain):
            yield f"move {subject.move_text(state, move)} gains {gain!r}, expected a whole number"
        elif abs(gain) > LARGEST:
            yield f"move {subject.move_text(state, move)} gains {gain}: {TOO_MUCH}"


def inverse(subject: Subject, state: State) -> Iterator[str]:
    """Require that the inverse of a move leads back, or is -1."""
    for move in subject.tried_moves(state):
        back = int(subject.call("inverse", move))
        after = subject.play(state, move)
        if back != -1 and back not in subject.moves(after):
            yield f"the inverse {back} of move {subject.move_text(state, move)} is no move in {subject.text(after)}"
        elif back != -1 and subject.play(after, back) != state:
            yield f"move {subject.move_text(state, move)} and its inverse {back} give {subject.text(subject.play(after, back))}"


def canonical(subject: Subject, state: State) -> Iterator[str]:
    """Require that `canonical` is idempotent and keeps `terminal`, `legal` and, up to symmetry, all neighbours.

    Where moves from other groups of parts gain symmetries, it need not keep the predecessors there.
    """
    one = subject.canonical(state)
    if subject.canonical(one) != one:
        yield f"the representative {subject.text(one)} has another, {subject.text(subject.canonical(one))}"
    if (subject.terminal(one), subject.legal(one)) != (subject.terminal(state), subject.legal(state)):
        yield f"`terminal` or `legal` of the representative {subject.text(one)} differ"
    for name, neighbours in (("moves", _successors), ("unmoves", _predecessors)):
        if subject.has(name) and neighbours(subject, state) != neighbours(subject, one):
            yield f"`{name}` does not lead to the same states, up to symmetry, as from the representative {subject.text(one)}"


def symmetries(subject: Subject, state: State) -> Iterator[str]:
    """Require that the images of a state, the first of which it is, have its representative."""
    count = subject.game.symmetries
    if count < 2:
        yield f"there is `image_under`, and `symmetries` is {count}: expected how many it knows, with the identity"
    for symmetry in range(count):
        image = list(state)
        subject.call("image_under", image, symmetry)
        if symmetry == 0 and tuple(image) != tuple(state):
            yield f"image 0 is {subject.text(tuple(image))}, not the state itself"
        elif _class(subject, tuple(image)) != _class(subject, state):
            yield f"image {symmetry}, {subject.text(tuple(image))}, has another representative"


def _successors(subject: Subject, state: State) -> set[tuple[State, int, int]]:
    """Return the representatives of the successors with the moves' costs and gains."""
    return {
        (_class(subject, subject.play(state, move)), subject.cost(state, move), subject.gain(state, move))
        for move in subject.moves(state)
    }


def _predecessors(subject: Subject, state: State) -> set[State]:
    """Return the representatives of the legal predecessors."""
    before = (subject.unplay(state, move) for move in subject.unmoves(state))
    return {_class(subject, one) for one in before if subject.legal(one) and not subject.gains_symmetries(one, state)}


def _class(subject: Subject, state: State) -> State:
    """Return the representative of a state, or just the result of a state without a number."""
    one = subject.canonical(state)
    if subject.has("rank") and subject.rank(one) == NOWHERE:
        return (subject.terminal(state),)
    return one


def reversal(subject: Subject, state: State) -> Iterator[str]:
    """Require an involution that, up to symmetry, reverses moves and exchanges the start and the solved state."""
    other = subject.reversal(state)
    if subject.reversal(other) != state:
        yield f"the reversal {subject.text(other)} has another reversal, {subject.text(subject.reversal(other))}"
    if subject.legal(other) != subject.legal(state):
        yield f"`legal` of the reversal {subject.text(other)} differs"
    if subject.canonical(subject.reversal(subject.canonical(state))) != subject.canonical(other):
        yield f"the reversal of the representative is not symmetric to the reversal {subject.text(other)}"
    solved = subject.terminal(state) == 0
    if solved != (subject.canonical(other) == subject.canonical(subject.start())):
        yield f"`terminal` says {'solved' if solved else 'not solved'}, and the reversal is {subject.text(other)}"
    for one in (state, other):
        for move in subject.moves(one):
            after = subject.play(one, move)
            if (subject.reversal(one), subject.cost(one, move)) not in _costs_to(subject, subject.reversal(after)):
                yield f"no move of the same cost leads back between the reversals, as {subject.move_text(one, move)} does here"


def _costs_to(subject: Subject, state: State) -> set[tuple[State, int]]:
    """Return the successors with the costs of the moves to them."""
    return {(subject.play(state, move), subject.cost(state, move)) for move in subject.moves(state)}


def alternates(subject: Subject, state: State) -> Iterator[str]:
    """Require that `alternates` is 0 or 1, the same for symmetric states, and changes with every move."""
    own = subject.call("alternates", list(state))
    if own not in (0, 1):
        yield f"`alternates` gives {own}, expected 0 or 1"
    if subject.has("canonical") and subject.call("alternates", list(subject.canonical(state))) != own:
        yield f"`alternates` is not {own} of its representative {subject.text(subject.canonical(state))}"
    for move in subject.tried_moves(state):
        if subject.call("alternates", list(subject.play(state, move))) == own:
            yield f"`alternates` is still {own} after move {subject.move_text(state, move)}"


def parse_format(subject: Subject, state: State) -> Iterator[str]:
    """Require parse(format(s)) = s on one line, and different texts for a state's moves that parse_move reads."""
    game = subject.game
    check_drawing(game, state)
    text = game.format(state)
    if "\n" in text:
        yield f"`format` gives more than one line: {text!r}"
    found = game.read(text)
    if tuple(found) != state:
        yield f"{text!r} is read as {found}"
    texts = [game.format_move(state, move) for move in subject.moves(state)]
    no_texts = [text for text in texts if not isinstance(text, str)]
    if no_texts:
        yield f"{place_of(game, 'format_move')} returned {no_texts[0]!r}: expected a text"
    else:
        yield from _misread(subject, state, texts)


def _misread(subject: Subject, state: State, texts: Iterable[str]) -> Iterator[str]:
    for text, count in Counter(texts).items():
        if count > 1:
            yield f"{count} moves have the text {text!r}"
    for move, text in zip(subject.moves(state), texts, strict=True):
        if subject.game.parse_move(state, text) != move:
            yield f"the text {text!r} of move {move} is read as {subject.game.parse_move(state, text)}"


def rearranges(subject: Subject) -> Iterator[Finding]:
    """Require that moves act alike in all states with the same moves."""
    models: dict[tuple[int, ...], tuple[State, list[tuple[int, ...]], list[int]]] = {}
    for state in subject.states:
        if subject.terminal(state) not in (0, UNDECIDED):
            yield state, "it is lost: a path that another one stands for could end here"
        moves = tuple(subject.moves(state))
        possible, ends = _walks(subject, state)
        model, *others = models.setdefault(moves, (state, possible, ends))
        if possible != others[0]:
            yield (
                state,
                f"other sequences of moves are possible than in {subject.text(model)}, which has the same moves",
            )
        elif ends != others[1]:
            yield state, f"two sequences of moves meet here or in {subject.text(model)}, but not in the other state"


def _walks(subject: Subject, state: State) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the legal moves after each of some sequences of moves, and the first sequence that leads to the same state."""
    reached = [state]
    possible = []
    for before in reached:  # which grows
        moves = subject.moves(before)
        possible.append(tuple(moves))
        if len(reached) < WALKS:
            reached += [subject.play(before, move) for move in moves]
    return possible, [reached.index(after) for after in reached]


def locality(subject: Subject) -> Iterator[Finding]:
    """Require that no move around the start decreases the depth by more than the claimed locality."""
    claimed = subject.game.claimed("locality")
    assert claimed is not None
    first = subject.canonical(subject.start())
    depths = {first: 0}
    waiting = deque([first])
    looked = 0
    for _ in range(EXPANDED):
        if not waiting or looked >= LOOKED:
            return
        state = waiting.popleft()
        for move in subject.tried_moves(state):
            looked += 1
            after = subject.canonical(subject.play(state, move))
            if after not in depths:
                depths[after] = depths[state] + 1
                waiting.append(after)
            elif depths[state] - depths[after] > claimed:
                text = subject.move_text(state, move)
                why = (
                    ", as of an abstraction that does not say `one_way = True`"
                    if isinstance(subject.game, Abstraction)
                    else ""
                )
                yield (
                    state,
                    f"move {text} leads from depth {depths[state]} to {depths[after]}, `locality` is {claimed}{why}",
                )


def depth_is_distance(subject: Subject) -> Iterator[Finding]:
    """Require that the start is solved, that no other state is terminal, and that a move takes each move back."""
    first = subject.canonical(subject.start())
    if subject.terminal(first) != 0:
        yield first, "the start is not solved, and `depth_is_distance` claims that it is"
    for state in subject.states:
        own = subject.canonical(state)
        if own != first and subject.terminal(state) != UNDECIDED:
            yield state, "it is terminal, and `depth_is_distance` claims that the start alone is"
        for move in subject.tried_moves(state):
            if own not in {after for after, _, _ in _successors(subject, subject.play(state, move))}:
                text = subject.move_text(state, move)
                yield state, f"no move takes {text} back, and `depth_is_distance` claims that one does"


LAWS = (
    Law("start", start),
    Law("cells-fit", of_each_state(cells_fit)),
    Law("rules-leave-state", of_each_state(rules_leave_state)),
    Law("result", of_each_state(result)),
    Law("max-moves", of_each_state(max_moves)),
    Law("moves-differ", of_each_state(moves_differ)),
    Law("unplay-undoes-play", of_each_state(unplay_undoes_play)),
    Law("moves-are-unmoves", of_each_state(moves_are_unmoves), ("unmoves",)),
    Law("unmoves-are-moves", of_each_state(unmoves_are_moves), ("unmoves",)),
    Law("legal-closed", of_each_state(legal_closed), ("legal",)),
    Law("two-player-undecided-has-move", of_each_state(has_move), two_players=True),
    Law("costs-positive", of_each_state(costs_positive), ("cost",)),
    Law("gains-whole", of_each_state(gains_whole), ("gain",)),
    Law("inverse", of_each_state(inverse), ("inverse",)),
    Law("canonical", of_each_state(canonical), ("canonical",)),
    Law("symmetries", of_each_state(symmetries), ("image_under",)),
    Law("reversal", of_each_state(reversal), ("reversal",)),
    Law("rearranges", rearranges),
    Law("alternates", of_each_state(alternates), ("alternates",)),
    Law("locality", locality),
    Law("depth-is-distance", depth_is_distance),
    Law("parse-format", of_each_state(parse_format)),
)
