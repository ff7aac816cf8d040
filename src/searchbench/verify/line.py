"""Check a line by playing it."""

from __future__ import annotations

from searchbench.line import Line
from searchbench.rules import UNDECIDED


def verify_line(line: Line) -> list[str]:
    """Return the faults of a line: a start that is no state, an illegal move, a wrong cost, an end that is not terminal.

    The rules are interpreted and played forwards only; a lost puzzle has no moves. They cannot tell whether a cheaper line
    exists: a database or another search must check the claim `optimal`.
    """
    game = line.game
    state = list(line.start)
    if len(state) != game.width or not game.call("legal", list(state)):
        return [f"start: {state} is no state of {game}"]
    total = 0
    for place, move in enumerate(line.moves, 1):
        lost = not game.two_players and game.terminal(state) not in (0, UNDECIDED)
        if lost or move not in game.moves(state):
            return [f"move {place}: {move} is not legal in {game.format(state)!r}"]
        total += game.call("cost", list(state), move)
        state = game.play(state, move)
    faults = []
    if total != line.cost:
        faults.append(f"cost: the moves cost {total}, the line claims {line.cost}")
    result = game.terminal(state)
    if not line.complete:
        return faults
    if result == UNDECIDED or (result != 0 and not game.two_players):
        end = "over" if game.two_players else "solved"
        faults.append(f"end: {game.format(state)!r} is not {end}")
    return faults
