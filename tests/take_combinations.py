"""Values taken from other games' databases, on random tiny games: against the naive solver."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench.errors import BadRequest, SearchBenchError
from written_games import by_hand, drawn, load, restricted, right_values, source

FORMS = (None, None, "every:2", "best-move", "filled", "base-3", "parity")
"""In which the other databases are kept; all but None compile kernels."""


def closed_sets(game: Any, chance: Any) -> Any:
    """Draw sets of nodes that no move leaves, whole groups of parts."""
    game.positions()
    parts = game.parts()
    names = [f"p{k}" for k in range(len(parts))]
    needs = {f"p{k}": set(n) for k, (_, _, n) in enumerate(parts)}
    found = []
    for name in names:
        todo, seen = [name], set()
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += needs[one]
        found.append(seen)
    return names, found


def taking(seed: Any, told: Any) -> Any:
    """Solve a game with databases of others; compare all values."""
    chance = random.Random(seed)
    game = drawn(chance, chance.choice(("distance", "outcome", "score")))
    while len(game.cuts) < 1:
        game = drawn(chance)
    names, closures = closed_sets(game, chance)
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        right = right_values(game)
        others = []
        turns = {}
        for k in range(chance.choice((1, 1, 2))):
            closure = chance.choice(closures)
            spans = [(a, b) for (a, b, _), name in zip(game.parts(), names, strict=False) if name in closure]
            nodes = {
                n
                for n in range(len(game.cells))
                if n not in game.absent and any(a <= game.numbers[game.representative(n)] < b for a, b in spans)
            }
            # with ends outside that the moves lead to
            more = {b for a, b, _, _ in game.edges if a in nodes} - nodes
            nodes |= more
            if game.image:
                nodes |= {game.image[n] for n in nodes}
            if chance.random() < 0.2:
                nodes = {n for n in range(len(game.cells)) if n not in game.absent}
            if not nodes:
                continue
            if any(b not in nodes for a, b, _, _ in game.edges if a in nodes):
                continue
            other, there = restricted(game, nodes, chance)
            name = f"other{k}"
            others.append((other, name))
            turns[name] = there
        if not others:
            told["no other"] += 1
            return
        "\n".join(["def ranks_in(self, other):", "    return None"])
        # several: rank_in written by hand
        text = source(game, "tiny")
        arg = ", data" if game.data else ""
        method = ["    def rank_in(self, other):"]
        for name, there in turns.items():
            method += [
                f"        if other.name == {name!r}:",
                f"            there = np.array({there!r})",
                f"            def number(state, scratch{arg}):",
                f"                return there[node_of(state{arg})]",
                "            return number",
            ]
        method += ["        return None"]
        text = text.replace("    def rules(self):", "\n".join(method) + "\n    def rules(self):", 1)
        (folder / "tiny.py").write_text(text)
        mine = sb.load(f"{folder / 'tiny.py'}:Tiny")
        dbs = []
        for other, name in others:
            g = load(other, folder, name)
            form = chance.choice(FORMS)
            try:
                db = sb.solve(
                    g,
                    to=folder / f"{name}.db",
                    solver=chance.choice((None, "fixpoint")),
                    threads=1,
                    memory="64MB",
                    form=form,
                )
            except BadRequest:
                told["refused form " + str(form)] += 1
                db = sb.solve(g, to=folder / f"{name}.db", threads=1, memory="64MB")
            dbs.append(chance.choice((db, str(folder / f"{name}.db"))))
        parts = chance.choice((None, None, "all", names[chance.randrange(len(names))]))
        solver = chance.choice((None, None, "fixpoint", "retrograde"))
        try:
            db = sb.solve(
                mine,
                take=dbs,
                to=folder / "mine.db",
                solver=solver,
                parts=parts,
                threads=chance.choice((1, 2)),
                memory=chance.choice(("64MB", "64MB", "2MB")),
            )
        except SearchBenchError as e:
            told["refused: " + str(e).split("Tiny")[-1][:60]] += 1
            if (
                "no part of" in str(e)
                or "needs `unmoves`" in str(e)
                or "has values of" in str(e)
                or "supply" in str(e)
                or "nobody" in str(e)
            ):
                return
            yield f"refused {e}"
            return
        told["solved"] += 1
        scale = 3 if game.own_rule else 1
        for number, node in game.positions().items():
            if parts not in (None, "all") and not any(p.start <= number < p.stop for p in db.parts):
                continue
            found = db.probe(game.cells[node] if game.index != "at" else (0, *game.cells[node]))
            found = tuple(found) if isinstance(found, tuple) else found
            want = right[node]
            if scale == 3 and want is not None:
                want *= 3
            if found != want:
                yield f"{node} number {number}: {found}, right {want}"
        if not db.verify():
            yield f"verify {db.verify().faults[:2]}"


if __name__ == "__main__":
    by_hand({"taking": taking})
