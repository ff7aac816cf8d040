"""Rows on the threats of go-moku (Allis 1994, sections 5.2 to 5.5): replies, wins, zones, exact fives, forbidden points."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from searchbench.catalogue import load
from searchbench.errors import Exhausted, LimitReached
from searchbench.game import Game
from searchbench.reproduce.row import Row, Verdict
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import DepthFirstProofNumber, prove_state
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.patterns import Rule
from searchbench.solvers.proof.gomoku.threats import NO_THREAT
from searchbench.verify import verify_proof

SEED: Final = 1994
SIZE: Final = 15
SMALL: Final = 6
"""Columns of the boards on which a full search judges wins by threats."""
STONES: Final = range(10, 21)
_JUDGE: Final = DepthFirstProofNumber(evidence=False)
_MEMORY: Final = 1 << 26
_MOST: Final = 1_000_000
"""Memory and nodes of a full search."""
LIMIT: Final = 2_000
"""Nodes of a search by threats."""
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (-1, 1))
THREATS: Final = {
    "five": "XXXXX", "four": ".XXXXO", "straight four": ".XXXX.", "three, two replies": "..XXX..",
    "three, three replies": "O.XXX..", "broken three": ".X.XX.",
}  # fmt: skip
"""The threats of section 5.2.2 as the cells of a line: the attacker's stones, the defender's, and empty cells."""
CONSTRUCTED: Final = "h9 j8 k6 j6"
"""Black's stones of a position like figure 5.4: a broken three, two threes and a straight four."""
FAR: Final = "a1 c15 o1 m15"
BRANCH: Final = "h8 i7", "j10"
"""Black's and white's stones of the best proved branch: the centre, white's reply, black's second move."""
REPLIES: Final = ("a1", "o8", "d13", "h3", "m5")
DECIDED: Final = {
    "a reply would be the sixth stone": "O..X.../......./...O..O/...O.../O..O.../XXX.XX./...X...",
    "black's winning point is forbidden": ".....OX/.....XO/.O..O.X/.OO...X/....XXO/...XOX./.......",
}
"""Positions of 7 x 7 that a forbidden point decides: white, to move, wins; black does not."""
POINTS: Final[dict[str, tuple[str, bool]]] = {
    "two threes": ("f8 g8 h9 h10", True), "two fours": ("e8 f8 g8 h9 h10 h11", True),
    "two fours in a row": ("e8 g8 i8 k8", True), "six": ("e8 f8 g8 i8 j8", True),
    "five and two fours": ("d8 e8 f8 g8 h9 h10 h11 i9 j10 k11", False), "four and three": ("e8 f8 g8 h9 h10", False),
}  # fmt: skip


def cells(names: str, size: int = SIZE) -> list[int]:
    """Return the cells of names such as "h8 i9": columns from a, rows from the bottom."""
    return [size * (size - int(name[1:])) + ord(name[0]) - ord("a") for name in names.split()]


def stones(black: str, white: str = "") -> list[int]:
    """Return a board of 15 x 15 with these stones."""
    state = [0] * (SIZE * SIZE)
    for player, names in ((1, black), (2, white)):
        for cell in cells(names):
            state[cell] = player
    return state


def replies_to_threats(_: Run) -> dict[str, list[int]]:
    """Return the numbers of replies to each kind of threat, in all directions and at all places: few of them, always the same.

    A line that the rules end has none.
    """
    attack = Attack(bits=4)
    game: Any = load(f"gomoku:{SIZE}")
    found: dict[str, list[int]] = {}
    for name, line in THREATS.items():
        numbers: set[int] = set()
        for state in everywhere(line):
            if game.terminal([*state]) != UNDECIDED:
                numbers.add(0)
                continue
            attack.set(state)
            replies = attack.replies(0)
            numbers.add(NO_THREAT if replies is None else len(replies))
        found[name] = sorted(numbers)
    return found


def everywhere(line: str) -> Iterator[list[int]]:
    """Yield the boards with a line at each place, in each direction."""
    for right, up in DIRECTIONS:
        for start in range(SIZE * SIZE):
            column, row = start % SIZE, start // SIZE
            last = column + right * (len(line) - 1), row + up * (len(line) - 1)
            if 0 <= last[0] < SIZE and last[1] < SIZE:
                state = [0] * (SIZE * SIZE)
                for place, content in enumerate(line):
                    state[SIZE * (row + up * place) + column + right * place] = ".XO".index(content)
                yield state


def constructed(run: Run) -> dict[str, Any]:
    """Prove the constructed position, and check the proof by the rules against every reply."""
    proof = prove_state(load(f"gomoku:{SIZE}"), stones(CONSTRUCTED, FAR), "threats", Run(memory=run.memory, threads=1))
    return {"value": proof.value, "faults": len(verify_proof(proof))}


def small_positions(game: Game, count: int, seed: str) -> Iterator[list[int]]:
    """Yield undecided positions of stones on random cells, the first player's near each other."""
    rng = random.Random(seed)
    while count:
        side = round(game.width**0.5)
        column, row = rng.randrange(side), rng.randrange(side)
        near = sorted(
            range(game.width), key=lambda cell: abs(cell % side - column) + abs(cell // side - row) + 8 * rng.random()
        )
        size = rng.choice(STONES)
        own = set(near[: (size + 1) // 2])
        others = rng.sample([cell for cell in range(game.width) if cell not in own], size // 2)
        state = [1 if cell in own else 2 if cell in others else 0 for cell in range(game.width)]
        if game.call("legal", state) and game.terminal(state) == UNDECIDED:
            count -= 1
            yield state


def false_wins(run: Run, rule: Rule = "free", count: int = 10_000) -> dict[str, int]:
    """Search random positions of a small board by threats, and each win again by df-pn; return the false wins."""
    game = load(f"gomoku:{SMALL},{rule}")
    attacks = {one: Attack(SMALL, SMALL, one, 14, game=game if one == "renju" else None) for one in {rule, "free"}}
    found = {
        "positions": count,
        "wins": 0,
        "with threes": 0,
        "not judged": 0,
        "false wins": 0,
        "wins of free-style alone": 0,
    }
    own = Run(memory=min(run.memory, _MEMORY), threads=1)
    for state in small_positions(game, count, f"{SEED} {rule}"):
        won = {one: _wins(attack, state) for one, attack in attacks.items()}
        if not won[rule]:
            found["wins of free-style alone"] += won["free"]
            continue
        found["wins"] += 1
        found["with threes"] += attacks[rule].by_fours(_set(attacks[rule], state), LIMIT) is None
        try:
            found["false wins"] += prove_state(game, state, _JUDGE, own, nodes=_MOST).outcome != 1
        except LimitReached:
            found["not judged"] += 1
    return found


def _wins(attack: Attack, state: Sequence[int]) -> bool:
    return attack.by_threats(_set(attack, state), LIMIT) == WON


def _set(attack: Attack, state: Sequence[int]) -> int:
    """Set the stones, and return the player to move; but at renju, white is searched with the colours exchanged."""
    white = sum(map(bool, state)) % 2
    exchanged = white and attack.rule != "renju"
    attack.set([(0, 2, 1)[stone] for stone in state] if exchanged else state)
    return 0 if exchanged else white


def none_false(paper: Any, measured: Any) -> Verdict:
    """Judge wins by threats: none is false, and some take threes."""
    return "match" if measured["false wins"] == 0 < measured["with threes"] else "differs"


def some_refuted(paper: Any, measured: Any) -> Verdict:
    """Judge wins by threats under the standard rule: none is false, and longer rows refute some wins of free-style."""
    return "match" if measured["false wins"] == 0 < measured["wins of free-style alone"] else "differs"


def zones(run: Run, count: int = 1_000, side: int = 9) -> dict[str, Any]:
    """Search positions in which black wins if white passes; return the cells outside the zone where black does not win.

    After each stone outside the zone the same moves are played. `left` are the cells of the zone after which no win by
    threats is found: white's moves that a search has to look at.
    """
    rng = random.Random(f"{SEED} zones")
    game, attack = load(f"gomoku:{side}"), Attack(side, side, "free", 18)
    sizes: list[tuple[int, int, int]] = []
    failed = 0
    while len(sizes) < count:
        state = [0] * (side * side)
        size = rng.randrange(9, 20, 2)
        for number, cell in enumerate(rng.sample(range(side * side), size)):
            state[cell] = 1 + number % 2
        if game.terminal(state) != UNDECIDED or not game.call("legal", state):
            continue
        attack.forget()
        attack.set(state)  # white is to move; black wins if she passes
        if attack.by_threats(0, LIMIT) != WON:
            continue
        zone = attack.zone(0)
        if zone is None:
            continue
        inside = [cell for cell, stone in enumerate(state) if stone == 0 and zone[cell]]
        outside = [cell for cell, stone in enumerate(state) if stone == 0 and not zone[cell]]
        failed += sum(not _wins_after(attack, cell, True) for cell in outside)
        left = sum(not _wins_after(attack, cell, False) for cell in inside)
        sizes.append((state.count(0), len(inside), left))
    means = dict(
        zip(
            ("empty cells", "in the zone", "left"),
            (round(sum(one) / count, 1) for one in zip(*sizes, strict=True)),
            strict=True,
        )
    )
    return {"positions": count, "not won outside": failed, **means}


def _wins_after(attack: Attack, cell: int, by_replay: bool) -> bool:
    """Tell whether black wins after white's stone on a cell: by the same moves, or by a search."""
    attack.put(cell, 1)
    won = attack.replay(0, [(cell, 1)]) if by_replay else attack.by_threats(0, LIMIT) == WON
    attack.remove(cell, 1)
    return won


def narrow(paper: Any, measured: Any) -> Verdict:
    """Judge zones: black wins after every stone outside, and far fewer moves are left than there are cells."""
    shrinks = measured["left"] < measured["in the zone"] < measured["empty cells"]
    return "match" if measured["not won outside"] == 0 and shrinks else "differs"


def subtrees(run: Run, replies: Sequence[str] = REPLIES) -> dict[str, Any]:
    """Prove positions after three moves and a far reply of white, and check the proofs by the rules."""
    game, found = load(f"gomoku:{SIZE}"), {"proved": 0, "faults": 0, "records": 0}
    black, white = BRANCH
    for reply in replies:
        proof = prove_state(game, stones(black, f"{white} {reply}"), "threats", Run(memory=run.memory, threads=1))
        found["proved"] += proof.outcome == 1
        found["faults"] += len(verify_proof(proof))
        found["records"] += len(proof.claims[0].strategy)
    return found


def all_proved(paper: Any, measured: Any) -> Verdict:
    """Judge subtrees: all are proved, without a fault."""
    return "match" if {**measured, "records": 0} == {**paper, "records": 0} else "differs"


def forbidden_points(_: Run) -> dict[str, Any]:
    """Return whether h8 is forbidden to black beside some stones, to white, and what threats prove where points decide."""
    game: Any = load(f"gomoku:{SIZE},renju")
    centre = cells("h8")[0]
    found: dict[str, Any] = {}
    for name, (black, _forbidden) in POINTS.items():
        far = iter(cells("a1 c1 e1 g1 i1 k1 m1 o1 a15 c15"))
        state = stones(black)
        for _stone in black.split():
            state[next(far)] = 2
        found[name] = 2 * centre not in game.moves(state)
    exchanged = [(0, 2, 1)[stone] for stone in stones(POINTS["two threes"][0])]
    for cell in cells("a1 c1 e1 g1 i1"):
        exchanged[cell] = 1
    found["two threes of white"] = 2 * centre + 1 not in game.moves(exchanged)
    for name, text in DECIDED.items():
        try:
            proof = prove_state(load("gomoku:7,renju"), text, "threats", target="interpreted")
            found[name] = "win" if not verify_proof(proof) else "faults"
        except Exhausted:
            found[name] = "no win"
    return found


ROWS = [
    Row(
        "GM-3", "Go-moku: replies to each kind of threat, at all places", "Allis 1994, section 5.2.2",
        {
            "five": [0], "four": [1], "straight four": [0], "three, two replies": [2], "three, three replies": [3],
            "broken three": [3],
        },
        replies_to_threats,
    ),
    Row(
        "GM-4", "Go-moku: a broken three, two threes and a straight four", "Allis 1994, section 5.3.2, after figure 5.4",
        {"value": "win", "faults": 0}, constructed,
        note="the figure's columns are lost; the position has its structure. Single replies, each tried: not all at once",
    ),
    Row(
        "GM-5", "Go-moku: wins by threats on 6 x 6, searched again in full", "Allis 1994, section 5.3.3",
        {"false wins": 0}, false_wins, none_false, note="10,000 random positions; df-pn judges each win",
    ),
    Row(
        "GM-7", "Go-moku, standard: wins by threats on 6 x 6, searched again in full", "Allis 1994, section 5.3.5",
        {"false wins": 0}, lambda run: false_wins(run, "standard"), some_refuted,
        note="as GM-5; also counts wins of free-style that exactly five refutes",
    ),
    Row(
        "GM-9", "Go-moku: zones of wins on 9 x 9", "Allis 1994, section 5.4, figure 5.8",
        {"not won outside": 0, "in the zone": 35, "left": 19}, zones, narrow,
        note="1,000 random positions; the thesis' figures are of one position of 15 x 15",
    ),
    Row(
        "GM-12", "Go-moku: subtrees after 1.h8 j10 2.i7 and a far reply", "Allis 1994, section 5.5.1",
        {"proved": len(REPLIES), "faults": 0}, subtrees, all_proved, note="the thesis prints no subtree",
    ),
    Row(
        "GM-16", "Go-moku, renju: forbidden points, which decide wins by threats", "Allis 1994, sections 5.2.1, 6.4",
        {
            **{name: is_forbidden for name, (_stones, is_forbidden) in POINTS.items()},
            "two threes of white": False, **dict.fromkeys(DECIDED, "win"), "black's winning point is forbidden": "no win",
        },
        forbidden_points, note="the thesis leaves the search for renju to the future",
    ),
    Row(
        "GM-RENJU", "Go-moku, renju: wins by threats on 6 x 6, searched again in full", "Allis 1994, section 6.4",
        {"false wins": 0}, lambda run: false_wins(run, "renju", 1_000), some_refuted,
        note="as GM-7, 1,000 positions; wins of free-style alone are those of black and of white that the rules refute",
    ),
]  # fmt: skip
