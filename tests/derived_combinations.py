"""Derive classes from shipped games with other moves, goals, costs and starts, and solve them by all that agrees to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import naive
import searchbench as sb
from searchbench.catalogue import load
from searchbench.errors import BadGame, BadRequest, Exhausted, LimitReached, Unsolvable
from searchbench.game import Game
from searchbench.rules import UNDECIDED, State

Rules = dict[str, Callable[..., Any]]
MODULUS: Final = 1009
GUIDING: Final = ("h", "h_step", "dead", "forced_move", "relevance_cut")
PUZZLES: Final = (
    "sliding:2x3", "pancake:5", "top-spin:6,4", "burnt-pancake:4", "frogs-and-toads:xxxx-oooo", "hanoi:4",
    "peg-solitaire:triangle,4",
    "graph:0>1;1>2;2>0;2>3;3>1;1>0;3=0", "rubik-pattern:UR-UF", "sliding-groups:2x3,1-2.3-4", "small-town",
)  # fmt: skip
PROBED: Final = 60
"""How many states are asked for one by one."""
OUTCOMES: Final = {1: "win", 0: "draw", -1: "loss"}
GAMES: Final = ("tic-tac-toe", "mnk:3,3,3", "mnk:3,3,3,symmetry=yes", "connect4:3,3,3", "hex:2")


def scrambled(state: State, width: int, salt: int) -> int:
    """Return a number below MODULUS that depends on all cells."""
    found = salt
    for cell in range(width):
        found = (found * 31 + int(state[cell]) + 7) % MODULUS
    return found


def forbidding(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules without the moves that a number made of state and move forbids: one in `one_of`."""
    moves, unmoves, unplay = rules["moves"], rules.get("unmoves"), rules["unplay"]
    play = rules["play"]

    def allowed(state: State, move: int) -> bool:
        return (scrambled(state, width, salt) + move) % one_of != 0

    def fewer(state: State, out: MutableSequence[int]) -> int:
        count = 0
        for place in range(moves(state, out)):
            if allowed(state, out[place]):
                out[count] = out[place]
                count += 1
        return count

    def fewer_back(state: State, out: MutableSequence[int]) -> int:
        count = 0
        for place in range(unmoves(state, out)):  # type: ignore[misc]
            move = out[place]
            unplay(state, move)
            if allowed(state, move):
                out[count] = move
                count += 1
            play(state, move)
        return count

    return {**rules, "moves": fewer} | ({"unmoves": fewer_back} if unmoves is not None else {})


def another_goal(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules by which one state in `one_of` is solved, too."""
    told = rules["terminal"]

    def terminal(state: State) -> int:
        result = told(state)
        return 0 if result == UNDECIDED and scrambled(state, width, salt) % one_of == 0 else result

    return {**rules, "terminal": terminal}


def goal_elsewhere(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules by which one state in `one_of` is solved, and no other."""

    def terminal(state: State) -> int:
        return 0 if scrambled(state, width, salt) % one_of == 0 else UNDECIDED

    return {**rules, "terminal": terminal}


def costly(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules by which a move costs 1 .. `one_of`."""

    def cost(state: State, move: int) -> int:
        return 1 + (scrambled(state, width, salt) + move) % one_of

    return {**rules, "cost": cost}


def misere(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules by which the loser wins."""
    told = rules["terminal"]

    def terminal(state: State) -> int:
        result = told(state)
        return result if result == UNDECIDED else -result

    return {**rules, "terminal": terminal}


def drawn(rules: Rules, width: int, salt: int, one_of: int) -> Rules:
    """Return rules by which some finished games are drawn."""
    told = rules["terminal"]

    def terminal(state: State) -> int:
        result = told(state)
        return result if result == UNDECIDED or scrambled(state, width, salt) % one_of != 0 else 0

    return {**rules, "terminal": terminal}


CHANGES: Final = {change.__name__: change for change in (forbidding, another_goal, goal_elsewhere, costly)}
CHANGES_FOR_TWO: Final = {change.__name__: change for change in (forbidding, misere, drawn)}


class Derived(NamedTuple):
    """A class of its own in one instance, and the text that makes it again."""

    game: Game
    told: str


def derived(spec: str, changes: Sequence[tuple[str, int, int]], moved: int, guided: bool) -> Derived:
    """Return a shipped game with changed rules, each by its name, a salt and a number, which starts some moves later.

    Without `guided` the bounds and the pruning of the class that it is derived from are left out.
    """
    base = load(spec)
    kind: Any = type(base)
    begun = _later(base, moved)

    def start(state: State) -> None:
        for cell in range(len(begun)):
            state[cell] = begun[cell]

    def rules(self: Game) -> Rules:
        found = dict(kind.rules(self))
        for name, salt, one_of in changes:
            found = ALL[name](found, self.width, salt, one_of)
        if moved:
            found["start"] = start
        return found if guided else {name: rule for name, rule in found.items() if name not in GUIDING}

    own = {"rules": rules, "name": "derived", "__module__": __name__, "__doc__": "A game derived at random."}
    game = dataclass(frozen=True)(type("Derived", (kind,), own))(**base.parameters)
    return Derived(game, f"derived({spec!r}, {changes!r}, {moved}, {guided})")


def _later(game: Game, moved: int) -> tuple[int, ...]:
    """Return the state after some moves from the start, the last one listed each time."""
    state = game.start()
    for _ in range(moved):
        moves = game.moves(state)
        if moves:
            state = game.play(state, moves[-1])
    return tuple(map(int, state))


def wrong_answers(one: Derived) -> Iterator[str]:
    """Yield what differs from a plain search; a refusal is none."""
    yield from _wrong_for_two(one.game) if one.game.two_players else _wrong_for_one(one.game)


def _wrong_for_one(game: Game) -> Iterator[str]:
    graph = naive.explicit(game)
    distances = naive.distances(graph)
    for solver in (None, "retrograde", "fixpoint"):
        found = _answer(lambda solver=solver: sb.solve(game, solver=solver, rule="distance"))
        if found is not None:
            yield from _differences(f"distances by {solver}", found, graph, distances)
    if not game.has("cost"):
        depths = naive.depths(game)
        for form in (None, "values", "two-bit", "streaming", "product", "one-bit"):
            found = _answer(lambda form=form: sb.solve(game, solver="bfs", rule="depth", form=form))
            if found is not None and form != "one-bit":
                yield from _differences(f"depths by {form}", found, graph, depths)
    sources = [tuple(game.start()), *sorted(graph.edges)[:: max(1, len(graph.edges) // 3)]]
    for method in ("astar", "idastar", "dual"):
        for state in sources[: 1 if method == "dual" else None]:
            line = _answer(lambda method=method, state=state: _cost(game, state, method))
            if line is not None and line != distances.get(state, -1):
                yield f"{method} from {game.format(state)}: {line}, expected {distances.get(state)}"


def _cost(game: Game, state: tuple[int, ...], method: str) -> int:
    """Return the cost of a cheapest line, -1 where there is none."""
    limits: dict[str, Any] = {} if method == "dual" else {"nodes": 20_000}
    try:
        return int(sb.search(game, state, method=method, **limits).cost)
    except Unsolvable:
        return -1


def _wrong_for_two(game: Game) -> Iterator[str]:
    graph = naive.explicit(game)
    outcomes = naive.outcomes(graph)
    for solver in (None, "retrograde", "fixpoint", "sweep"):
        found = _answer(lambda solver=solver: sb.solve(game, solver=solver))
        if found is not None:
            states = sorted(_reached(game)) if solver == "sweep" else list(graph.numbers.values())
            for state in states[:: max(1, len(states) // PROBED)]:
                told = found.probe(state)
                outcome = str(told).split()[0] if told is not None else "draw"
                if outcome != OUTCOMES[outcomes.get(state, (0,))[0]]:
                    yield f"by {solver} in {game.format(state)}: {told}, expected {outcomes.get(state)}"
                    break
    start = tuple(game.start())
    for method in ("portfolio", "alphabeta", "pns", "dfpn", "graph"):
        proof = _answer(lambda method=method: sb.prove(game, method=method, nodes=30_000))
        if proof is not None and proof.outcome != outcomes[start][0]:
            yield f"{method}: {proof.outcome}, expected {outcomes[start]}"


def _reached(game: Game) -> set[tuple[int, ...]]:
    """Return the states that play reaches."""
    found = {tuple(game.start())}
    queue = list(found)
    for state in queue:
        after = {tuple(game.play(state, move)) for move in game.moves(state)} - found
        found |= after
        queue.extend(after)
    return found


def _answer(ask: Callable[[], Any]) -> Any:
    """Return an answer, None where it is refused."""
    try:
        return ask()
    except (BadGame, BadRequest, Exhausted, LimitReached):
        return None


def _differences(how: str, found: Any, graph: naive.Explicit, right: Mapping[tuple[int, ...], int]) -> Iterator[str]:
    states = list(graph.numbers.values())
    counts = Counter(right.get(state) for state in states)
    if Counter(found.histogram()) != counts:
        yield f"{how}: {found.histogram()}, expected {counts}"
    for state in states[:: max(1, len(states) // PROBED)]:
        if found.probe(state) != right.get(state):
            yield f"{how} in {graph.game.format(state)}: {found.probe(state)}, expected {right.get(state)}"
            return


ALL: Final = CHANGES | CHANGES_FOR_TWO


def draw(seed: int) -> Derived:
    """Return a derived game from a seed."""
    chance = random.Random(seed)
    two = chance.random() < 0.3
    spec = chance.choice(GAMES if two else PUZZLES)
    names = sorted(CHANGES_FOR_TWO if two else CHANGES)
    changes = [
        (name, chance.randrange(1000), chance.choice((2, 3, 5, 40, 300)))
        for name in chance.sample(names, chance.choice((0, 1, 1, 1, 2)))
    ]
    changes = [(name, salt, min(n, 5) if name == "costly" else n) for name, salt, n in changes]
    return derived(spec, changes, chance.choice((0, 0, 0, 1, 3)), chance.random() < 0.5)
