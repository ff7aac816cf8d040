"""The control records of Sokoban's enhancements, and its versions: R0 to R10 (Junghanns and Schaeffer 2001), and R11."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from searchbench.games.sokoban.enhanced.pairs import MOST_SQUARES
from searchbench.solvers.guided.enhanced.controls import FIRST_OF_GAME, Cut, Enhancement, Sound, places


@dataclass(frozen=True)
class Inertia(Sound):
    """The order of moves: first those of the stone that was pushed last, then those that lower the bound, nearest goal first.

    From the degree `lost_from` of randomness on the stone that was pushed last has no privilege.
    """

    name: ClassVar[str] = "inertia"
    lost_from: int = 3


@dataclass(frozen=True)
class Deadlocks(Sound):
    """Deadlock tables: windows of 4 x 5 squares around the target of a push, each placement searched once, when it is met.

    A search of more than `effort` placements tells nothing.
    """

    name: ClassVar[str] = "deadlocks"
    effort: int = 500


@dataclass(frozen=True)
class Tunnels(Sound):
    """Tunnel macros: a push into a one-way tunnel goes on to its end, where that saves `least` pushes or more in all."""

    name: ClassVar[str] = "tunnels"
    least: int = 2


@dataclass(frozen=True)
class GoalMacros(Cut):
    """Goal macros: a stone that comes to an entrance of a goal area goes to its goal at once, and no other move is tried.

    An area has at least `goals` goals and at most `entrances` entrances. At most `effort` sets of filled goals are
    evaluated, and at most `alternatives` goals offered to a stone. With `resting` 1, as long as an area can be filled from
    its stones as they stand, these are not pushed, and stones come in by macros alone.
    """

    name: ClassVar[str] = "goal-macros"
    goals: int = 4
    entrances: int = 4
    effort: int = 30_000
    alternatives: int = 1
    resting: int = 1


@dataclass(frozen=True)
class Freeze(Sound):
    """Freeze deadlocks; with `bipartite` 1, stones frozen on goals count as walls for the others' ways to goals."""

    name: ClassVar[str] = "freeze"
    bipartite: int = 1


@dataclass(frozen=True)
class Corrals(Sound):
    """PI-corrals: where there is one, only the pushes into it are tried."""

    name: ClassVar[str] = "corrals"


@dataclass(frozen=True)
class Jams(Sound):
    """Jams: stones that keep each other from moving are searched, without those that the man can push to and fro.

    A search looks at up to `effort` jams, at ten times as many where one is met often, and at a tenth where few searches find
    something lost.
    """

    name: ClassVar[str] = "jams"
    effort: int = 400


@dataclass(frozen=True)
class PairDatabase(Sound):
    """Pattern databases of two stones: what pairs gain over the matching, added up for disjoint pairs.

    A floor of more than `squares` squares has none.
    """

    name: ClassVar[str] = "pair-database"
    squares: int = MOST_SQUARES


@dataclass(frozen=True)
class PatternSearch(Enhancement):
    """Pattern searches after pushes: at most `nodes` for a test maze, `effort` for a push, `size` stones, `capacity` patterns.

    They are given up while they have taken `ratio` times the nodes of the search. With `choice` 0 every push is
    followed by one, else those near another stone, or where the floor is parted. After a position was searched in vain,
    a longer one takes `share` percent of the nodes.
    """

    name: ClassVar[str] = "patterns"
    nodes: int = 100
    effort: int = 1_000
    size: int = 10
    capacity: int = 8_192
    ratio: int = 300
    choice: int = 1
    share: int = 10


@dataclass(frozen=True)
class Influence(Enhancement):
    """What is local: moves whose influence on each other is at most `percent` of the mean of the level, between two bounds."""

    name: ClassVar[str] = "influence"
    percent: int = 50
    least: int = 6
    most: int = 20


@dataclass(frozen=True)
class Overestimation(Enhancement):
    """In the place of the penalties of disjoint patterns, the largest share for each stone, times `percent` in a hundred."""

    name: ClassVar[str] = "overestimation"
    percent: int = 180


RECORDS: Final[tuple[type[Enhancement], ...]] = (
    Inertia, Deadlocks, Tunnels, GoalMacros, PatternSearch, Influence, Overestimation, Freeze, Corrals, PairDatabase, Jams,
)  # fmt: skip
PLACES: Final = places(RECORDS, FIRST_OF_GAME)
INERTIA, LOST_FROM = PLACES["inertia"], PLACES["inertia.lost_from"]
DEADLOCKS, WINDOW_EFFORT = PLACES["deadlocks"], PLACES["deadlocks.effort"]
PATTERNS, PATTERN_NODES, PATTERN_EFFORT = PLACES["patterns"], PLACES["patterns.nodes"], PLACES["patterns.effort"]
PATTERN_SIZE, PATTERN_CAPACITY = PLACES["patterns.size"], PLACES["patterns.capacity"]
PATTERN_RATIO, PATTERN_CHOICE, PATTERN_SHARE = (
    PLACES["patterns.ratio"],
    PLACES["patterns.choice"],
    PLACES["patterns.share"],
)
FREEZE, BIPARTITE, CORRALS = PLACES["freeze"], PLACES["freeze.bipartite"], PLACES["corrals"]
PAIR_DATABASE = PLACES["pair-database"]
JAMS, JAM_EFFORT = PLACES["jams"], PLACES["jams.effort"]
OVERESTIMATION, PERCENT = PLACES["overestimation"], PLACES["overestimation.percent"]
ALTERNATIVES, RESTING = PLACES["goal-macros.alternatives"], PLACES["goal-macros.resting"]
GOAL_MACROS, PACKING_EFFORT = PLACES["goal-macros"], PLACES["goal-macros.effort"]
TUNNELS, LEAST = PLACES["tunnels"], PLACES["tunnels.least"]

ADDED: Final = (
    "table", "inertia", "deadlocks", "tunnels", "goal-macros", "goal-cuts", "patterns", "relevance", "overestimation", "restarts",
)  # fmt: skip
"""What each version adds to the one before."""
SINCE: Final = ("freeze", "corrals", "pair-database", "jams")
"""What R11, which is ours, adds to R10: sound enhancements that are younger than the paper."""
VERSIONS: Final = {f"R{number}": ADDED[:number] for number in range(len(ADDED) + 1)} | {"R11": ADDED + SINCE}
SCOUTING: Final = ("goal-macros", "goal-cuts", "patterns")
"""The enhancements that a scout has besides the sound ones: those that save most, and leave the threshold as it is."""
SCOUTING_CONTROL: Final = "patterns.size=4"
"""Penalties of many stones are too high the most often, and where the bound is exact one of them hides the solution."""
