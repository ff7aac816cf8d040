"""Proofs and certificates of random tiny games of two players, against the naive solver."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench.errors import BadRequest, LimitReached, OutOfMemory, SearchBenchError
from searchbench.rules import UNDECIDED
from searchbench.run import Run
from searchbench.solvers.proof import prove_state
from written_games import by_hand, drawn, load, restricted, right_values

METHODS = ("portfolio", "portfolio", "pns", "pns", "dfpn", "dfpn", "alphabeta", "conspiracy", "sss", "bstar", "mst")
OPTIONS = {
    "pns": (
        {},
        {"mobility": True},
        {"by_depth": True},
        {"delayed": True},
        {"second": True},
        {"keep_solved": True},
        {"from_root": True},
        {"second": True, "cached": 2},
        {"merge": "all"},
        {"merge": "conversions"},
        {"delayed": True, "second": True},
        {"keep_solved": True, "mobility": True},
        {"from_root": True, "by_depth": True},
    ),
    "dfpn": (
        {},
        {"mobility": True},
        {"weak": True},
        {"epsilon": 0.0},
        {"by_depth": True},
        {"table": 200},
        {"weak": True, "mobility": True, "table": 1000},
    ),
}


def components(n: Any, edges: Any) -> Any:
    """Return for each node the first one of its strongly connected component."""
    reach = [{k} for k in range(n)]
    changed = True
    while changed:
        changed = False
        for a, b, *_ in edges:
            more = reach[b] - reach[a]
            if more:
                reach[a] |= more
                changed = True
    return [min(m for m in reach[k] if k in reach[m]) for k in range(n)]


def told_repetition(game: Any, chance: Any) -> Any:
    """Give each cycle an outcome; nodes are doubled by who is to move."""
    n = len(game.cells)
    edges = [(a, b + n, c, g) for a, b, c, g in game.edges] + [(a + n, b, c, g) for a, b, c, g in game.edges]
    home = components(2 * n, edges)
    told = {k: chance.choice((-1, 0, 1)) for k in set(home)}
    repetition = tuple(told[home[k]] * (1 if k < n else -1) for k in range(2 * n))
    from written_games import _cells

    return replace(
        game,
        cells=_cells(chance, 2 * n),
        edges=tuple(edges),
        results=game.results * 2,
        numbers=tuple(range(2 * n)),
        image=(),
        stands=(),
        absent=(),
        cuts=(),
        index="none",
        repetition=repetition,
    )


def with_repetition(game: Any) -> Any:
    """Return outcomes where endless play has the outcome that its cycle tells."""
    n = len(game.cells)
    half = n // 2
    home = components(n, game.edges)
    value = {}  # for the player who moves at nodes below half

    def side(k: int) -> int:
        return 1 if k < half else -1

    todo = set(range(n))
    while todo:
        k = next(
            k
            for k in todo
            if all(
                home[b] == home[k] or b not in todo
                for m in todo
                if home[m] == home[k]
                for a, b, *_ in game.edges
                if a == m
            )
        )
        group = [m for m in todo if home[m] == home[k]]
        endless = game.repetition[k] * side(k)
        found = dict.fromkeys(group, endless)
        for m in group:
            if game.results[m] != UNDECIDED:
                found[m] = ((game.results[m] > 0) - (game.results[m] < 0)) * side(m)
        {m for m in group if game.results[m] != UNDECIDED}
        # thresholds
        final = {}
        for t in (0, 1):
            at_least = dict.fromkeys(group, endless >= t)
            if endless >= t:
                pass
            for _ in range(2 * len(group) + 2):
                new = {}
                for m in group:
                    if game.results[m] != UNDECIDED:
                        new[m] = found[m] >= t
                        continue
                    after = [at_least[b] if b in at_least else value[b] >= t for a, b, *_ in game.edges if a == m]
                    new[m] = (t <= 0) if not after else any(after) if side(m) == 1 else all(after)
                if new == at_least:
                    break
                at_least = new
            for m in group:
                final.setdefault(m, -1)
                final[m] = t if at_least[m] and final[m] == t - 1 else final[m]
        value |= final
        todo -= set(group)
    return {k: value[k] * side(k) for k in range(n)}


def proving(seed: Any, told: Any) -> Any:
    """Prove some states by a method with options, write certificates, play from them and change them."""
    chance = random.Random(seed)
    game = drawn(chance, "outcome", chance.choice((5, 9, 14)), indexes=("object", "at", "rules", "none"))
    if game.index == "none":
        game = replace(game, numbers=tuple(range(len(game.cells))), cuts=())
    repeated = chance.random() < 0.3
    if repeated:
        game = told_repetition(game, chance)
        right = with_repetition(game)
    else:
        right = {n: v[0] for n, v in right_values(game).items()}
    roots = [n for n in range(len(game.cells)) if n not in game.absent]
    if repeated:
        roots = [n for n in roots if n < len(game.cells) // 2] or roots
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        loaded = load(game, folder)
        for place in range(3):
            root = chance.choice(roots)
            method = chance.choice(METHODS)
            options = dict(chance.choice(OPTIONS.get(method, ({},))))
            threads = chance.choice((1, 1, 2))
            memory = chance.choice((64 << 20, 64 << 20, 1 << 20, 1 << 15))
            nodes = chance.choice((0, 0, 0, 5, 50, 500))
            cells = ((0,) if game.index == "at" else ()) + game.cells[root]
            what = f"{method} {options} threads {threads} memory {memory} nodes {nodes} root {root}"
            try:
                proof = prove_state(
                    loaded,
                    cells,
                    method,
                    Run(threads=threads, memory=memory),
                    target="interpreted",
                    nodes=nodes,
                    **options,
                )
            except (LimitReached, OutOfMemory) as e:
                told[f"{method}: {type(e).__name__}"] += 1
                if not nodes and memory == 64 << 20:
                    yield f"{what}: {type(e).__name__} {e}"
                continue
            except SearchBenchError as e:
                told[f"{method} refused: {str(e)[-50:]}"] += 1
                if "numbers" not in str(e):
                    yield f"{what}: {type(e).__name__}: {e}"
                continue
            told[f"{method} {'merge ' + options['merge'] if 'merge' in options else ''}"] += 1
            want = right[root]
            if not proof.outcome <= want <= proof.highest or (proof.at_most is not None and "merge" not in options):
                yield f"{what}: {proof.value}, right {want}"
                continue
            faults = proof.verify()
            if proof.incomplete or proof.at_most is not None:
                told["incomplete"] += 1
                if not nodes and memory == 64 << 20 and proof.at_most is None:
                    yield f"{what}: incomplete {proof.incomplete}"
                if not faults and proof.incomplete and (proof.outcome, proof.highest) != (-1, 1):  # that claims nothing
                    yield f"{what}: incomplete and verified"
                continue
            if faults:
                yield f"{what}: {faults}"
                continue
            yield from certified(
                game, loaded, proof, root, right, chance, folder / f"{place}.cert", told, what, repeated
            )


def certified(
    game: Any,
    loaded: Any,
    proof: Any,
    root: Any,
    right: Any,
    chance: Any,
    path: Any,
    told: Any,
    what: Any,
    repeated: Any,
) -> Any:
    """Write a certificate, verify it, play from it, and change a record."""
    proof.write(path)
    cert = sb.open_certificate(path)
    report = cert.verify()
    if not report:
        yield f"{what}: certificate {report}"
    if cert.value != proof.value:
        yield f"{what}: certificate says {cert.value}, not {proof.value}"
    strip = (lambda s: tuple(s)[1:]) if game.index == "at" else tuple
    from searchbench.verify.certificate import CertificatePlayer

    told["certificates"] += 1
    player = CertificatePlayer(cert)
    for claim in cert.claims:
        for _ in range(3):
            node, ply, trail = root, 0, [root]
            while game.results[node] == UNDECIDED and game.leaving(node) and ply < 60:
                cells = ((0,) if game.index == "at" else ()) + game.cells[node]
                if ply % 2 == claim.player:
                    move = player.move(cells)
                    if move is None:
                        yield f"{what}: no move of the certificate in {node}, trail {trail}"
                        return
                else:
                    move = chance.choice(game.leaving(node))[0]
                node = game.edges[move // game.factor][1]
                ply += 1
                trail.append(node)
            result = game.results[node]
            end = (
                0
                if result == UNDECIDED and not game.leaving(node)
                else (result > 0) - (result < 0)
                if result != UNDECIDED
                else None
            )
            if end is None:
                end = game.repetition[node] if game.repetition else 0
            if end * (1 if ply % 2 == claim.player else -1) < claim.bound:
                yield f"{what}: played {trail}, ends {end}, claim {claim.player} {claim.bound}"
                return
    # a changed record is found out, or is as good
    for number, claim in enumerate(cert.claims):
        if not len(claim.strategy):
            continue
        states = list(claim.strategy)
        state = chance.choice(states)
        node = game.cells.index(tuple(map(int, strip(state))))
        other = [move for move, e in game.leaving(node) if move != claim.strategy[state]]
        if not other:
            continue
        changed = {one: claim.strategy[one] for one in states} | {state: chance.choice(other)}
        claims = list(cert.claims)
        claims[number] = replace(claim, strategy=changed)
        told["tampered"] += 1
        bad = not replace(cert, claims=tuple(claims)).verify()
        after = game.edges[changed[state] // game.factor][1]
        if not bad and -right[after] < claim.bound:
            yield f"{what}: the move {changed[state]} in {node} worth {-right[after]} verified for {claim.bound}"


def leaving(seed: Any, told: Any) -> Any:
    """Prove with a database at the leaves: of the same game, or of one that it goes on as; parts of it, with a book."""
    chance = random.Random(seed)
    game = drawn(chance, "outcome", chance.choice((6, 12)))
    n = len(game.cells)
    nodes = {m for m in range(n) if m not in game.absent}
    reach = {m: {m} for m in nodes}
    for _ in nodes:
        for a, b, *_ in game.edges:
            reach[a] |= reach[b]
    kept = set()
    for m in chance.sample(sorted(nodes), min(len(nodes), chance.randint(1, 3))):
        kept |= reach[m]
    if game.image:
        kept |= {game.image[m] for m in kept}
    same = chance.random() < 0.4
    other, there = restricted(game, kept, chance)
    game = replace(game, other="other", turns=tuple(there))
    right = {m: v[0] for m, v in right_values(game).items()}
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        if not same:
            db = sb.solve(
                load(other, folder, "other"),
                threads=1,
                memory="64MB",
                to=folder / "db",
                solver=chance.choice((None, "fixpoint")),
            )
        loaded = load(game, folder)
        if same:
            db = sb.solve(loaded, threads=1, memory="64MB", to=folder / "db")
        names = [p.name for p in db.parts]
        parts = chance.choice((None, None, ",".join(chance.sample(names, chance.randint(1, len(names))))))
        [p for p in db.parts if parts is None or p.name in parts.split(",")]

        def number_there(m: Any) -> Any:
            if same:
                return game.numbers[game.representative(m)]
            return there[m]

        for place in range(3):
            root = chance.choice(sorted(nodes))
            options = {"leaves": chance.choice((sb.open_database(folder / "db"), str(folder / "db"))), "parts": parts}
            book = chance.random() < 0.4
            if book:
                options |= {"book": str(folder / f"book{chance.randrange(2)}"), "plies": chance.choice((1, 2, 3))}
            cells = ((0,) if game.index == "at" else ()) + game.cells[root]
            limits = [0] if not book else [chance.choice((0, 3, 10)), 0]
            evidence = chance.random() < 0.7
            what = f"same {same} {options} limits {limits} root {root} right {right[root]}"
            # bounds: unknown leaves lost or won for the mover at the root, when not same game
            proof = None
            for nodes_ in limits:
                try:
                    proof = prove_state(
                        loaded,
                        cells,
                        "alphabeta",
                        Run(threads=1, memory=64 << 20),
                        target="interpreted",
                        nodes=nodes_,
                        evidence=evidence,
                        **options,
                    )
                except LimitReached as e:
                    told["limit"] += 1
                    if not nodes_:
                        yield f"{what}: {e}"
                except BadRequest as e:
                    told["refused " + str(e)[-60:]] += 1
                    proof = None
            if proof is None:
                continue
            told[
                f"leaves same {same} parts {parts is not None} book {book} -> {'open' if proof.at_most is not None else 'known'}"
            ] += 1
            if not proof.outcome <= right[root] <= proof.highest:
                yield f"{what}: {proof.value}"
                continue
            if parts is None and proof.at_most is not None:
                yield f"{what}: open {proof.value}"
                continue
            if evidence and not proof.incomplete and proof.at_most is None:
                if proof.verify():
                    yield f"{what}: {proof.verify()[:2]}"
                    continue
                proof.write(folder / f"{place}.cert")
                cert = sb.open_certificate(folder / f"{place}.cert")
                report = cert.verify(leaves=folder / "db")
                if not report:
                    yield f"{what}: certificate {report}"
                told["certificates"] += 1
            elif evidence and proof.incomplete:
                yield f"{what}: incomplete {proof.incomplete}"


AREAS = {"proving": proving, "leaving": leaving}
if __name__ == "__main__":
    by_hand(AREAS)
