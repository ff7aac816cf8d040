"""Rows of S. Edelkamp, 2017, on decision diagrams: ranks, the layers of Connect Four, and their values."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.catalogue import load
from searchbench.index.diagram import Diagram
from searchbench.numbered import diagram_of, numbered
from searchbench.reproduce.bijection import RANKED, count_faults, count_ranked
from searchbench.reproduce.row import Cost, Measured, Row, forget_peak, peak_memory
from searchbench.rules import NOWHERE
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.backward import symbolic_counts
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.hybrid import ORDERS, hybrid_counts
from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep, solve_into
from searchbench.solvers.exhaustive.diagrams.sweep import sweep_all

REACHABLE: Final = {
    "7x6": [
        1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186, 1662623, 4568683, 12236101, 30929111, 75437595,
        176541259, 394591391, 858218743, 1763883894, 3568259802, 6746155945, 12673345045, 22010823988,
    ],
    "6x6": [
        1, 6, 36, 156, 651, 2256, 7876, 24330, 74922, 211042, 576266, 1468114, 3596076, 8394784, 18629174, 39979044,
        80684814, 159433890, 292803624, 531045746, 884124974, 1463364020, 2196180492,
    ],
    "6x5": [
        1, 6, 36, 156, 651, 2256, 7870, 24120, 72312, 194122, 502058, 1202338, 2734506, 5868640, 11812224, 22771514,
        40496484, 69753028, 108862608, 165943600, 224098249, 296344032, 338749998, 378092536, 352607428, 314710752,
        224395452, 149076078, 74046977, 30162078, 6440532,
    ],
    "5x6": [
        1, 5, 25, 95, 345, 1075, 3355, 9495, 26480, 68602, 169107, 394032, 866916, 1836560, 3620237, 6955925,
        12286909, 21344079, 33562334, 51966652, 71726433, 97556959, 116176690, 134736003, 132834750, 124251351,
        97021801, 70647088, 40708770, 19932896, 5629467,
    ],
    "5x5": [
        1, 5, 25, 95, 345, 1075, 3350, 9355, 25060, 60842, 139632, 299764, 596136, 1128408, 1948956, 3231341,
        4769837, 6789890, 8396345, 9955530, 9812925, 9020543, 6632480, 4345913, 2011598, 584249,
    ],
}  # fmt: skip
"""Table 0.8: reachable states of Connect Four by layer, columns x rows; of the two largest boards the first layers."""
VALUES: Final = {
    "4x4": [
        (0, 1, 0), (0, 4, 0), (0, 16, 0), (8, 44, 0), (0, 153, 7), (150, 286, 0), (136, 842, 150), (874, 1524, 114),
        (1313, 3012, 759), (2988, 5048, 1240), (4638, 7862, 2288), (5980, 11484, 4256), (7690, 14462, 4546),
        (7266, 14964, 6692), (5334, 14390, 5188), (2298, 10692, 5086), (0, 5336, 1908),
    ],
    "5x4": [
        (0, 1, 0), (2, 3, 0), (0, 23, 2), (53, 42, 0), (44, 231, 70), (590, 439, 41), (883, 1632, 715),
        (4321, 3115, 889), (7525, 7990, 4573), (21256, 14402, 7847), (36927, 29135, 20358), (70953, 48080, 38172),
        (112878, 79535, 64959), (160642, 113880, 113645), (213469, 155701, 140204), (227109, 185395, 207833),
        (227103, 202956, 189533), (170016, 181713, 207794), (102890, 148652, 133642), (33855, 93377, 94848),
        (0, 37334, 26434),
    ],
    "5x5": [
        (0, 1, 0), (0, 5, 0), (10, 15, 0), (12, 73, 10), (196, 139, 10), (213, 625, 237), (1985, 1146, 219),
        (2670, 4002, 2683), (15432, 6863, 2765), (20897, 19616, 20329), (85493, 32021, 22118),
        (114865, 76558, 108341), (356731, 116426, 122979), (459878, 235063, 433467), (1120140, 331971, 496845),
        (1342188, 572587, 1316566), (2584341, 746420, 1439076), (2748641, 1118666, 2922583),
        (4190967, 1322485, 2882893), (3702331, 1712167, 4541032), (4300149, 1785757, 3727019),
        (2769392, 1959697, 4291454), (2303386, 1692161, 2636933), (843204, 1447451, 2055258),
        (333513, 897921, 780164), (0, 339437, 244812),
    ],
    "6x4": [
        (0, 0, 1), (6, 0, 0), (0, 26, 10), (106, 50, 0), (173, 328, 150), (1372, 696, 182), (2990, 2886, 1814),
        (12852, 5892, 3486), (28535, 17622, 15337), (83564, 33690, 33752), (177896, 79976, 92840),
        (391034, 143442, 205314), (758500, 284239, 412293), (1330648, 461448, 854190), (2263508, 780904, 1339056),
        (3223992, 1121424, 2474758), (4632600, 1627757, 3116203), (5318690, 2000288, 4881700),
        (6120298, 2435598, 4928488), (5449706, 2495354, 6187450), (4564095, 2428771, 4815156),
        (2794462, 1969062, 4364538), (1398276, 1414118, 2353338), (360318, 793296, 1277988), (0, 264412, 277633),
    ],
    "6x5": [
        (0, 1, 0), (0, 6, 0), (20, 16, 0), (28, 96, 32), (420, 202, 29), (650, 968, 638), (5054, 2062, 754),
        (9148, 7332, 7640), (46728, 14912, 10672), (83734, 43112, 67276), (322404, 82310, 97344),
        (552636, 202700, 447002), (1737201, 358401, 638904), (2782488, 767876, 2318276), (7353782, 1260560, 3197882),
        (10865314, 2392464, 9513736), (24427608, 3638155, 12430721), (32855904, 6125814, 30771310),
        (62862416, 8607374, 37392818), (75763378, 12858600, 77321622), (121866259, 16711997, 85519993),
        (128388916, 22150912, 145804204), (169395874, 26654824, 142699300), (150800576, 31195360, 196096600),
        (155583558, 34082784, 162941086), (109744020, 34313392, 170653340), (80568972, 32689796, 111136684),
        (40509668, 27027918, 81538492), (17241780, 19885385, 36919812), (3863380, 10786190, 15512508),
        (0, 3595314, 2845218),
    ],
    "5x6": [
        (0, 1, 0), (0, 5, 0), (0, 25, 0), (45, 50, 0), (98, 196, 51), (591, 384, 100), (1464, 1160, 731),
        (5162, 2455, 1878), (13511, 6306, 6663), (36923, 13780, 17899), (92880, 30381, 45846),
        (208726, 62289, 123017), (491377, 123533, 252006), (951906, 236239, 648415), (2061014, 430571, 1128652),
        (3506084, 761286, 2688555), (6890333, 1283282, 4113294), (10374065, 2085465, 8884549),
        (18243305, 3210001, 12109028), (24164668, 4785896, 23016088), (37182651, 6688001, 27855781),
        (42803810, 9140264, 45612885), (55989971, 11792456, 48394263), (54363017, 14696744, 65676242),
        (57146939, 17041118, 58646693), (44099801, 18533764, 61617786), (33910563, 19290484, 43820754),
        (19497706, 17441335, 33708047), (8965158, 14619417, 17124195), (2706837, 8983419, 8242640),
        (0, 3591929, 2037538),
    ],
}  # fmt: skip
"""Won, drawn and lost positions by layer for the player to move, the decided ones with them: computed by several programs
that share no code, 6x5 also by the per-ply table of an independent solver."""
OUTCOMES: Final = ("won", "drawn", "lost")
BY_LAYER: Final = ("layer: stones on the board", "positions")
SMALL: Final = {"4x5": 1706255, "4x6": 15835683, "4x7": 135385909, "6x4": 94910577, "7x4": 2265792710}
"""Reachable states of boards beside table 0.8 (J. Tromp's counts)."""
SAMPLED: Final = 20_000
"""Members that a layer has at least whose ranks are timed."""
LIMITS: Final = {"4x4": (400, 2000), "5x4": (4000, 50_000), "5x5": (40_000, 1_000_000)}
"""Nodes of a layer's values, and bytes of two layers' words, at which the hybrid changes hands."""
LARGEST: Final = (
    *REACHABLE["7x6"], 38263228189, 60830813459, 97266114959, 140728569039, 205289508055, 268057611944, 352626845666,
    410378505447, 479206477733, 488906447183, 496636890702, 433471730336, 370947887723, 266313901222, 183615682381,
    104004465349, 55156010773, 22695896495, 7811825938, 1459332899,
)  # fmt: skip
"""Table 0.9: reachable states of 7x6 by layer."""
SOLVED: Final = {
    31: (64575211590, 7481813611, 201906000786), 32: (221858140210, 9048082187, 57701213064),
    33: (59055227990, 10381952902, 194705107378), 34: (180530409295, 11668229290, 45845152952),
    35: (37941816854, 12225240861, 132714989361), 36: (98839977654, 12431825174, 24027994344),
    37: (14174513115, 11509102126, 57747247782), 38: (32161409500, 10220085105, 6906069443),
    39: (2395524395, 7792641079, 13697133737), 40: (4831822472, 5153271363, 738628818),
    41: (0, 2496557393, 1033139763),
}  # fmt: skip
"""Table 0.10: undecided states of 7x6 that are won, drawn and lost for the first player."""
WON_OR_DRAWN_IN_30: Final = 199698237436 + 6071049190
LOST_IN_30: Final = 1265297048241 - 1211380164911
"""Layer 30 in table 0.10, and in the text: its lost states were left out, and are implied."""


def ranks(run: Run) -> dict[str, Any]:
    """Return how often numbers and positions do not go together, of 5x4 and of three layers of 5x5."""
    found: dict[str, Any] = {}
    for board, layers in (("5x4", None), ("5x5", (15, 18, 20))):
        game = load(f"connect4:{board}")
        diagram = reachable_layers(game, run).diagram
        names = numbered(game, diagram).names()
        starts = diagram.nodes.starts.tolist()
        kernel = jit.bind(count_faults, names)
        chosen = range(diagram.layers) if layers is None else layers
        faults = members = 0
        for layer in chosen:
            seen = np.zeros(diagram.size, np.int8)
            faults += kernel(starts[layer], starts[layer + 1], seen)
            members += int(np.count_nonzero(seen))
        found[f"{board}, members"] = members
        found[f"{board}, faults"] = faults
        found[f"{board}, numbers of others"] = _others_with_numbers(diagram, 100_000)
        found[f"{board}, descents"] = _descents(diagram)
    found["members drawn of layer 4, chi-square"] = "below 430" if _chi_square(diagram, 4) < 430 else "430 or more"
    return found


def rank_times(run: Run) -> Measured:
    """Return whether the time of a rank grows linearly with the columns of boards five high."""
    columns, times, costs = (4, 6, 8, 10), [], []
    for count in columns:
        game = load(f"connect4:{count}x5")
        most = 0
        while reachable_layers(game, run, most).undecided[-1] < SAMPLED:
            most += 1
        diagram = reachable_layers(game, run, most).diagram
        low, high = diagram.split(1, most)[0]
        numbers = np.random.default_rng(1).integers(low, high, 2000)
        kernel = jit.bind(count_ranked, numbered(game, diagram).names())
        kernel(numbers)
        spent = []
        for _ in range(7):
            begun = time.process_time()
            assert kernel(numbers) == RANKED * len(numbers)
            spent.append(time.process_time() - begun)
        times.append(min(spent) / (RANKED * len(numbers)))
        costs.append(Cost(f"{count}x5", RANKED * len(numbers), min(spent), 0, 0))
    fit = float(np.corrcoef(columns, times)[0, 1]) ** 2
    return Measured({"coefficient of determination": "above 0.9" if fit > 0.9 else f"{fit:.3f}"}, costs)


def _others_with_numbers(diagram: Diagram, count: int) -> int:
    """Draw members at random, recolour a stone of each, and count those whose number is that of another state."""
    chance = np.random.default_rng(1)
    wrong = 0
    for state in diagram.random(count // 100, seed=1):
        stones = [cell for cell, stone in enumerate(state) if stone]
        if stones:
            cell = int(chance.choice(stones))
            state[cell] = 3 - state[cell]  # as many stones, but not of each colour
            wrong += diagram.rank(state) != NOWHERE
    return wrong


def _descents(diagram: Diagram) -> int:
    """Count the members of a stretch of numbers that are not larger than those before them."""
    layer = diagram.layers // 2
    low, high = diagram.split(1, layer)[0]
    codes = list(diagram.iterate(low, min(high, low + 100_000)))
    return sum(one >= other for one, other in pairwise(codes))


def _chi_square(diagram: Diagram, layer: int) -> float:
    """Return the statistic of 100 draws for each member of a layer, of 344 degrees of freedom: p > 0.001 below 430."""
    size = diagram.count(layer)
    drawn = [diagram.rank(state) for state in diagram.random(100 * size, seed=1, layer=layer)]
    counts = np.bincount(np.array(drawn) - int(diagram.nodes.starts[layer]), minlength=size)
    return float(((counts - 100) ** 2 / 100).sum())


def values(run: Run, boards: tuple[str, ...]) -> Measured:
    """Return how many positions of each layer are won, drawn and lost."""
    found, costs = {}, []
    for board in boards:
        forget_peak()
        begun = time.process_time()
        database = solve_by_sweep(load(f"connect4:{board}"), run)
        seconds = round(time.process_time() - begun, 3)
        costs.append(Cost(board, database.size, seconds, database.size // 4, peak_memory()))
        reached = database.facts["reachable_by_layer"]
        found[board] = [
            _row(database.histogram(part.name), count) for part, count in zip(database.parts, reached, strict=True)
        ]
    return Measured(found, costs)


def _row(counts: dict[Any, int], reached: int) -> tuple[int, int, int]:
    won, drawn = counts.get("win", 0), counts.get("draw", 0)
    return won, drawn, reached - won - drawn


def largest(run: Run) -> Measured:
    """Return how many positions of 6x6 there are, and how many are won, drawn and lost; go on in the working folder."""
    forget_peak()
    begun = time.process_time()
    with TemporaryDirectory(prefix="searchbench-") as scratch:
        folder = (Path(scratch) if run.work is None else run.work) / "connect4-6x6.db"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with solve_into(load("connect4:6x6"), folder, run) as database:
            won, drawn, lost = _row(database.histogram(), sum(database.facts["reachable_by_layer"]))
            start = database.probe()
            spent = max(database.facts["cpu"], time.process_time() - begun)
            cost = Cost("6x6", database.size, round(spent, 1), database.size // 4, peak_memory())
    figures = {"reachable": won + drawn + lost, "won": won, "drawn": drawn, "lost": lost, "start": start}
    return Measured(figures, [cost])


def pieces(run: Run) -> dict[str, int]:
    """Return how many tables there are by different numbers of threads and pieces."""
    diagram = reachable_layers(load("connect4:5x4"), run).diagram
    ways = ((1, 1), (2, 2), (1, 7), (2, 63))
    tables = {
        b"".join(planes.tobytes() for planes in sweep_all(diagram, Run(threads=threads), pieces=count))
        for threads, count in ways
    }
    return {"ways": len(ways), "tables": len(tables)}


def layers(run: Run, boards: tuple[str, ...]) -> Measured:
    """Return the reachable states by layer, of large boards of the first layers."""
    found, costs = {}, []
    for board in boards:
        forget_peak()
        most = len(REACHABLE[board]) - 1
        layered = reachable_layers(load(f"connect4:{board}"), run, most)
        found[board] = layered.reachable
        seconds = round(sum(layered.seconds.values()), 3)
        size = sum(array.nbytes for array in layered.diagram.nodes)
        costs.append(Cost(board, sum(layered.reachable), seconds, size, peak_memory()))
    return Measured(found, costs)


def totals(run: Run, boards: tuple[str, ...]) -> dict[str, int]:
    """Return the reachable states of whole boards."""
    return {board: sum(reachable_layers(load(f"connect4:{board}"), run).reachable) for board in boards}


def symbolic(run: Run, boards: tuple[str, ...]) -> dict[str, Any]:
    """Return the values by layer, found by diagrams alone."""
    found = {}
    for board in boards:
        counts = symbolic_counts(load(f"connect4:{board}"), run)
        found[board] = [(one.won, one.drawn, one.lost + one.reachable - one.undecided) for one in counts]
    return found


def hybrid(run: Run, boards: tuple[str, ...]) -> dict[str, Any]:
    """Return the values by layer, found by diagrams and by the sweep in both orders, and how many orders changed hands."""
    found: dict[str, Any] = {}
    for board in boards:
        nodes, memory = LIMITS[board]
        ways = [hybrid_counts(load(f"connect4:{board}"), run, prefer, nodes, memory) for prefer in ORDERS]
        tables = [[(one.won, one.drawn, one.lost + one.reachable - one.undecided) for one in way] for way in ways]
        changed = sum(len({one.way for one in way}) > 1 for way in ways)
        same = tables[0] == tables[1]
        found[board] = {"orders that changed hands": changed, "values": tables[0] if same else tables}
    return found


def published_sums(run: Run) -> dict[str, int]:
    """Return what follows from the tables of 7x6: undecided and decided states, and those that were left unsolved."""
    undecided = {layer: sum(counts) for layer, counts in SOLVED.items()}
    left = sum(LARGEST[:30])
    return {
        "undecided in layer 41": undecided[41],
        "decided in layer 41": LARGEST[41] - undecided[41],
        "undecided in layer 40": undecided[40],
        "undecided in layer 31": undecided[31],
        "reachable": sum(LARGEST),
        "left unsolved": left,
        "left unsolved, and lost in layer 30": left + LOST_IN_30,
        "undecided in layer 30": WON_OR_DRAWN_IN_30 + LOST_IN_30,
    }


def one_at_a_time(run: Run) -> str:
    """Solve 5x4 one position at a time by the forward fixpoint over the same numbers, and compare."""
    from searchbench.solvers.exhaustive import solve_states

    swept = solve_by_sweep(load("connect4:5x4"), run)
    diagram = diagram_of(swept.game)
    assert diagram is not None
    found = solve_states(numbered(load("connect4:5x4"), diagram), "ending", run=Run(threads=run.threads))
    same = all(
        np.array_equal(swept.read(part, part.start, part.stop), found.read(part, part.start, part.stop))
        for part in swept.parts
    )
    return "the same" if same else "other values"


ROWS = [
    Row(
        "E15",
        "rank and unrank by a decision diagram: one to one, in order; splits; random members",
        "Edelkamp 2017, BDD hashing",
        {
            "5x4, members": 3137713,
            "5x4, faults": 0,
            "5x4, numbers of others": 0,
            "5x4, descents": 0,
            "5x5, members": 2706049 + 6733161 + 7173983,
            "5x5, faults": 0,
            "5x5, numbers of others": 0,
            "5x5, descents": 0,
            "members drawn of layer 4, chi-square": "below 430",
        },
        ranks,
        note="all members of 5x4, and those of layers 15, 18 and 20 of 5x5",
    ),
    Row(
        "E15-linear",
        "rank by a decision diagram: its time grows linearly with the columns of the board",
        "Edelkamp 2017, BDD hashing",
        {"coefficient of determination": "above 0.9"},
        rank_times,
        note="boards 4, 6, 8 and 10 wide, 5 high, the first layer of 20,000 positions or more; the cost is that of ranks",
    ),
    Row(
        "E16",
        "Connect Four: won, drawn and lost by layer",
        "Edelkamp 2017, layered retrograde analysis; counts of independent programs",
        VALUES,
        values,
        note="the player to move; decided positions are lost; 6x5 and 5x6 take some minutes, as parts by their names",
        parts=("4x4", "5x4", "5x5", "6x4"),
        curves=OUTCOMES,
        axes=BY_LAYER,
    ),
    Row(
        "E16-6x6",
        "Connect Four on 6x6, strongly solved: won, drawn and lost positions",
        "counts of an independent solver of 6x6; reachable: Edelkamp 2017, table 0.8",
        {
            "reachable": 69173028785,
            "won": 29636176980,
            "drawn": 4306760196,
            "lost": 35230091609,
            "start": "loss",
        },
        largest,
        note="ten minutes of the processor, 4 GB of memory and of disk; it goes on in the working folder where it was stopped",
        long=True,
    ),
    Row(
        "E16-pieces",
        "Connect Four, 5x4: one table whatever the threads and pieces",
        "Edelkamp 2017, multi-core",
        {"ways": 4, "tables": 1},
        pieces,
    ),
    Row(
        "E16-singly",
        "Connect Four, 5x4: the sweep, and one position at a time",
        "Edelkamp 2017, layered retrograde analysis",
        "the same",
        one_at_a_time,
    ),
    Row(
        "E17",
        "Connect Four: reachable states by layer",
        "Edelkamp 2017, table 0.8",
        REACHABLE,
        layers,
        note="of 6x6 and 7x6 the layers up to 22; the table's sum for 6x6 is misprinted: its rows add up to 69,173,028,785",
        parts=("5x5",),
        axes=BY_LAYER,
    ),
    Row(
        "E17-small",
        "Connect Four on other boards: reachable states",
        "counts of J. Tromp",
        SMALL,
        totals,
        parts=("4x5", "4x6", "4x7", "6x4"),
    ),
    Row(
        "E18",
        "Connect Four by diagrams alone: won, drawn and lost by layer",
        "Edelkamp 2017, table 0.10",
        {board: VALUES[board] for board in ("4x4", "5x4", "5x5")},
        symbolic,
        parts=("4x4", "5x4"),
        curves=OUTCOMES,
        axes=BY_LAYER,
    ),
    Row(
        "E18-hybrid",
        "Connect Four by diagrams and by the sweep, the change of hands in the middle: won, drawn and lost by layer",
        "Edelkamp 2017, hybrid approach",
        {board: {"orders that changed hands": 2, "values": VALUES[board]} for board in LIMITS},
        hybrid,
        note="diagrams first until they grow too large; and the other way round, diagrams only where words have no room",
        parts=("4x4", "5x4"),
        curves=OUTCOMES,
        axes=BY_LAYER,
    ),
    Row(
        "E18-sums",
        "Connect Four on 7x6: the tables of states and of values agree",
        "Edelkamp 2017, tables 0.9 and 0.10",
        {
            "undecided in layer 41": 3529697156,
            "decided in layer 41": 4282128782,
            "undecided in layer 40": 10723722653,
            "undecided in layer 31": 273963025987,
            "reachable": 4531985219092,
            "left unsolved": 1211380164911,
            "left unsolved, and lost in layer 30": 1265297048241,
            "undecided in layer 30": 259686169956,
        },
        published_sums,
    ),
]
