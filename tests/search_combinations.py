"""Guided searches of random tiny puzzles with every option, against least costs found by sweeps over all edges."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench.errors import BadRequest, Exhausted, LimitReached, OutOfMemory, SearchBenchError, Unsolvable
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.guided import search_state
from written_games import by_hand, distances, drawn, load

COARSE = """
COARSE = {tables}
@dataclass(frozen=True)
class Coarse(sb.Abstraction):
    which: int = 0
    name = "coarse"
    one_way = True
    values = "distance"
    width = 1
    closed = True
    @property
    def max_moves(self):
        return len(COARSE[self.which][0])
    @property
    def max_unmoves(self):
        return len(COARSE[self.which][0])
    def original(self):
        return Tiny()
    def index(self):
        return sb.index.Radix((len(COARSE[self.which][2]),))
    def images(self):
        from searchbench.abstraction import Image
        return [Image(np.array(COARSE[self.which][3], np.int64), None, 0)]
    def rules(self):
        ends, costs, goal, of_node, first = (np.array(one, np.int64) for one in COARSE[self.which])
        def start(state):
            state[0] = first[0]
        def terminal(state):
            return 0 if goal[state[0]] else UNDECIDED
        def moves(state, out):
            count = 0
            for e in range(len(ends)):
                if ends[e, 0] == state[0]:
                    out[count] = e
                    count += 1
            return count
        def unmoves(state, out):
            count = 0
            for e in range(len(ends)):
                if ends[e, 1] == state[0]:
                    out[count] = e
                    count += 1
            return count
        def play(state, move):
            state[0] = ends[move, 1]
        def unplay(state, move):
            state[0] = ends[move, 0]
        def cost(state, move):
            return costs[move]
        def pattern_rank(state, table, at):
            return table[at + {node_of}]
        return {{"start": start, "terminal": terminal, "moves": moves, "unmoves": unmoves, "play": play, "unplay": unplay,
                "cost": cost, "pattern_rank": pattern_rank}}
"""


def coarse(game: Any, chance: Any) -> Any:
    """Draw an abstraction: nodes in classes."""
    n = len(game.cells)
    classes = chance.randint(1, n)
    of = [chance.randrange(classes) for _ in range(n)]
    used = sorted(set(of))
    of = [used.index(c) for c in of]
    classes = len(used)
    edges = sorted({(of[a], of[b], c) for a, b, c, _ in game.edges if game.results[a] == UNDECIDED}) or [(0, 0, 1)]
    goal = [any(game.results[m] == 0 and of[m] == c for m in range(n)) for c in range(classes)]
    start = next((c for c in range(classes) if goal[c]), 0)
    return ([list(e[:2]) for e in edges], [e[2] for e in edges], goal, of, [start])


def puzzle(chance: Any) -> Any:
    """Draw a puzzle with what guides a search; return it with its least costs and the number of abstractions."""
    game = drawn(chance, "distance", chance.choice((4, 9, 16)), indexes=("object", "at", "rules", "none"))
    if game.index == "none":
        game = replace(game, numbers=tuple(range(len(game.cells))), cuts=(), image=(), stands=())
    game = replace(
        game, own_rule=False, results=tuple(0 if r != UNDECIDED and chance.random() < 0.7 else r for r in game.results)
    )
    right = distances(game)
    len(game.cells)
    names, extra, tables = [], [], []
    kind = chance.choice(("", "", "loose", "consistent", "exact"))
    if kind:
        if kind == "loose":
            bounds = [chance.randint(0, 60) if d is None else chance.randint(0, d) for d in right]
        elif kind == "exact":
            bounds = [chance.choice((0, 1000)) if d is None else d for d in right]
            if any(d is None for d in right):
                pass
        else:
            lower = replace(game, edges=tuple((a, b, chance.randint(0, c), g) for a, b, c, g in game.edges))
            bounds = [200 if d is None else d for d in distances(lower)]
        consistent = all(bounds[a] <= c + bounds[b] for a, b, c, _ in game.edges if game.results[a] == UNDECIDED)
        game = replace(game, bounds=tuple(bounds), consistent=consistent and chance.random() < 0.7)

    def best(a: int, b: int, c: int) -> bool:
        return right[a] is not None and right[b] is not None and right[a] == right[b] + c

    def add(name: Any, text: Any, table: Any = None, edges: Any = False) -> Any:
        names.append(name)
        extra.append(text)
        if table is not None:
            tables.append((f"for_{name}", tuple(int(v) for v in table)))

    def per_edge(name: Any, arguments: Any) -> Any:
        return f"def {name}(state, {arguments}, tables DATA):\n    return MOREfor_{name}[move // FACTOR] != 0".replace(
            " DATA", "DATA"
        )

    if chance.random() < 0.25:
        add(
            "dead",
            "def dead(state, tablesDATA):\n    return MOREfor_dead[node_of(stateDATA)] != 0",
            [d is None and chance.random() < 0.7 for d in right],
        )
    if chance.random() < 0.25:
        add(
            "move_priority",
            "def move_priority(state, move, tablesDATA):\n    return MOREfor_move_priority[move // FACTOR]",
            [chance.randint(-3, 3) for _ in game.edges] or [0],
        )
    if chance.random() < 0.25:
        add(
            "goodness",
            "def goodness(state, tablesDATA):\n    return MOREfor_goodness[node_of(stateDATA)]",
            [chance.randint(-9, 9) for _ in right],
        )
    if chance.random() < 0.25:
        add(
            "forced_move",
            "def forced_move(state, move, tablesDATA):\n    return MOREfor_forced_move[move // FACTOR] != 0",
            [best(a, b, c) and chance.random() < 0.5 for a, b, c, _ in game.edges] or [0],
        )
        if chance.random() < 0.5:
            names.append("MACROS")
            extra.append("MACROS = True")
    if chance.random() < 0.25:
        add(
            "relevance_cut",
            "def relevance_cut(state, previous, move, tablesDATA):\n    return MOREfor_relevance_cut[move // FACTOR] != 0",
            [right[a] is not None and not best(a, b, c) and chance.random() < 0.7 for a, b, c, _ in game.edges] or [0],
        )
    if chance.random() < 0.25:
        back = []
        for a, b, _c, _ in game.edges:
            there = [k for k, e in enumerate(game.edges) if (e[0], e[1]) == (b, a)]
            back.append(game.move(there[0]) if there and chance.random() < 0.8 else -1)
        # an inverse undoes: the inverse of the inverse need not be the move itself
        add("inverse", "def inverse(moveDATA):\n    return MOREfor_inverse[move // FACTOR]", back or [-1])
    if chance.random() < 0.15:
        add(
            "solvable",
            "def solvable(stateDATA):\n    return MOREfor_solvable[node_of(stateDATA)] != 0",
            [d is not None or chance.random() < 0.3 for d in right],
        )
    coarses = chance.choice((0, 0, 1, 2))
    arg = ", TABLES" if game.data else ""
    lines = (
        COARSE.format(tables=[coarse(game, chance) for k in range(coarses)], node_of=f"node_of(state{arg})")
        if coarses
        else ""
    )
    return (
        replace(game, names=tuple(names), extra="\n".join(extra), tables=tuple(tables), class_lines=lines),
        right,
        coarses,
    )


def options_for(game: Any, chance: Any, method: Any) -> Any:
    """Draw options of a method."""
    o = {}

    def pick(p: float) -> bool:
        return chance.random() < p

    without = [w for w in ("dead", "cuts", "macros", "relevance") if pick(0.1)]
    if without:
        o["without"] = tuple(without)
    if pick(0.3):
        o["order"] = chance.choice(
            ("priority",) * ("move_priority" in game.names) + (("bound", "moves") if method == "idastar" else ())
            or (None,)
        )
    if method == "idastar":
        what = chance.choice(("", "", "table", "entries", "restarts", "step"))
        if what == "table":
            o["table"] = chance.choice((1 << 15, 1 << 16))
            if pick(0.5):
                o["replacement"] = "always"
        if what == "entries":
            o["entries"] = chance.choice((1, 3, 10, 1000))
        if what == "restarts":
            o["restarts"] = chance.choice((1, 5, 50))
            o["impatience"] = chance.choice((0, 1, 8))
            o["seed"] = chance.randint(0, 9)
        if pick(0.3):
            o["step"] = chance.choice((1, 2, 7))
        if pick(0.2):
            o["automaton"] = 0
    else:
        if pick(0.3):
            o["entries"] = chance.choice((1, 3, 10, 1000))
        if pick(0.4):
            o["weight"] = chance.choice((1, 1.0, 1.5, 3, 0, 0.5))
        if method == "bestfirst" and pick(0.5) and "goodness" in game.names:
            o["by"] = "goodness"
    return o


def searching(seed: Any, told: Any) -> Any:
    """Search from some states, each with a method and options of its own."""
    chance = random.Random(seed)
    game, right, coarses = puzzle(chance)
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        loaded = load(game, folder)
        abstractions = [sb.solve(f"{folder / 'tiny.py'}:Coarse:{k}", threads=1, memory="64MB") for k in range(coarses)]
        starts = [n for n in range(len(game.cells)) if n not in game.absent]
        for place in range(6):
            root = chance.choice(starts)
            method = chance.choice(("idastar", "idastar", "astar", "astar", "bestfirst", None))
            o = options_for(game, chance, method) if method else {}
            if abstractions and chance.random() < 0.6:
                switches = chance.choice(({}, {}, {"modulo": True}, {"block": 4}, {"block": 2}, {"loaded": True}))
                sets = [[a] for a in abstractions]
                try:
                    o["h"] = sb.PatternDatabases(loaded, sets, **switches)
                except SearchBenchError as e:
                    told["pattern databases refused: " + str(e)[-70:]] += 1
            nodes = chance.choice((3000, 3000, 3000, 3, 20))
            threads = chance.choice((1, 1, 2))
            work = folder / f"work{place}" if method == "idastar" and chance.random() < 0.2 else None
            cells = ((0,) if game.index == "at" else ()) + game.cells[root]
            want = right[root]
            what = f"{method} {o} nodes {nodes} threads {threads} work {work is not None} root {root} wanted {want} {game.names}"
            run = Run(threads=threads, memory=chance.choice((64 << 20, 64 << 20, 1 << 20)), work=work)
            tries = 0
            while True:
                tries += 1
                try:
                    line = search_state(loaded, cells, method, run, target="interpreted", nodes=nodes, **o)
                except Unsolvable as e:
                    told[f"{method}: unsolvable"] += 1
                    if want is not None:
                        yield f"{what}: {e}"
                except (LimitReached, Exhausted) as e:
                    told[f"{method}: {type(e).__name__}"] += 1
                    bound = getattr(e, "bound", None)
                    if want is not None and bound is not None and bound > want:
                        yield f"{what}: bound {bound} {e}"
                    if nodes == 3000 and want is not None and not o.get("entries") and "restarts" not in o:
                        yield f"{what}: {e}"
                    if work is not None and tries < 30 and want is not None and nodes >= 20:
                        continue
                except OutOfMemory as e:
                    told[f"{method}: out of memory"] += 1
                    if not o.get("entries") and run.memory > 2 << 20:
                        yield f"{what}: {e}"
                except BadRequest as e:
                    told[f"{method} refused: {str(e).split(':Tiny')[-1][-60:]}"] += 1
                else:
                    told[f"{method}: found"] += 1
                    if want is None:
                        yield f"{what}: found {line.cost}"
                        break
                    if line.verify():
                        yield f"{what}: {line.verify()}"
                    cost = sum(game.edges[m // game.factor][2] for m in line.moves)
                    if cost != line.cost:
                        yield f"{what}: cost {line.cost}, is {cost}"
                    if line.optimal and line.cost != want:
                        yield f"{what}: optimal {line.cost}"
                    if line.cost < want:
                        yield f"{what}: {line.cost} less than possible"
                    w = float(o.get("weight", 1))
                    if method in ("idastar", "astar", None) and "restarts" not in o and line.cost > max(w, 1) * want:
                        yield f"{what}: {line.cost}"
                    # At the limit of nodes the best line so far is returned.
                    if method in ("idastar", None) and "restarts" not in o and not line.optimal and line.nodes < nodes:
                        yield f"{what}: not said to be optimal"
                    if method == "astar" and w == 1 and not line.optimal:
                        yield f"{what}: astar not said to be optimal"
                break


AREAS = {"searching": searching}
if __name__ == "__main__":
    by_hand(AREAS)
