"""The commands that solve and read databases, on random tiny games as files of a user's: against the naive solver."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import searchbench as sb
from searchbench import cli
from searchbench.rules import UNDECIDED
from written_games import by_hand, drawn, load, right_values


def command(*words: Any) -> Any:
    """Run a command of the command line; return its exit code, output and messages."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run([str(w) for w in words])
    return code, out.getvalue(), err.getvalue()


def text_of(game: Any, value: Any) -> Any:
    """Return a value as the command line writes it."""
    if game.values == "outcome":
        return "draw" if value[0] == 0 else f"{'win' if value[0] > 0 else 'loss'} {value[1]}"
    return value if value is None or not game.own_rule else 3 * value


def commands(seed: Any, told: Any) -> Any:
    """Solve, read, convert, export, grade, verify, damage and repair a database by the command line."""
    chance = random.Random(seed)
    game = drawn(chance, None, 12)
    right = right_values(game)
    positions = game.positions()

    def state(node: int) -> str:
        return ("0 " if game.index == "at" else "") + game.text(node)

    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        load(game, folder)
        spec = f"{folder / 'tiny.py'}:Tiny"
        db = folder / "db"

        def expect(code: Any, *words: Any) -> Any:
            got, out, err = command(*words)
            if got != code or "Traceback" in err:
                raise AssertionError(f"{words}: code {got}, expected {code}: {out[-300:]} {err[-600:]}")
            return out

        words = ["solve", spec, "--to", db, "--json", "--threads", chance.choice((1, 2)), "--memory", "64MB"]
        if chance.random() < 0.3:
            words += ["--parts", "all"]
        if chance.random() < 0.3:
            words += ["--solver", "fixpoint"]
        elif chance.random() < 0.3:
            words += ["--mapped"] if "--parts" not in words else []
        got = json.loads(expect(0, *words))
        told["solve"] += 1
        if got["states"] != len(positions):
            yield f"solve tells {got}"
        values = {n: right[node] for n, node in positions.items()}
        # stats
        got = json.loads(expect(0, "stats", db, "--json"))
        hist = Counter(str(text_of(game, v)) for v in values.values() if v is not None)
        told_hist = {k: v for k, v in got["histogram"].items() if v}
        if told_hist != dict(hist) or got["states"] != len(values):
            yield f"stats {got}, right {hist}"
        for k, (a, b, _) in enumerate(game.parts()):
            got = json.loads(expect(0, "stats", db, "--parts", f"p{k}", "--json"))
            some = {n: v for n, v in values.items() if a <= n < b}
            hist = Counter(str(text_of(game, v)) for v in some.values() if v is not None)
            if {k: v for k, v in got["histogram"].items() if v} != dict(hist) or got["states"] != len(some):
                yield f"stats of p{k} {got}, right {hist}"
        # find
        for value in chance.sample(sorted(set(values.values()), key=str), min(3, len(set(values.values())))):
            a = chance.randint(0, game.size - 1)
            b = chance.randint(a, game.size - 1)
            words = ["find", db, "--json", "--limit", 100]
            wanted = [n for n, v in sorted(values.items()) if v == value]
            shown = "unreachable" if value is None else text_of(game, value)
            words += ["--value", shown] if not str(shown).startswith("-") else [f"--value={shown}"]
            if chance.random() < 0.4:
                words += ["--numbers", f"{a}-{b}"]
                wanted = [n for n in wanted if a <= n <= b]
            if chance.random() < 0.4:
                k = chance.randrange(len(game.parts()))
                words += ["--parts", f"p{k}"]
                wanted = [n for n in wanted if game.parts()[k][0] <= n < game.parts()[k][1]]
            if chance.random() < 0.4:
                cell = 1 if game.index == "at" else 0
                asked, meets = chance.choice(
                    [
                        (f"state[{cell}] % 2 == 0", lambda n: game.cells[positions[n]][0] % 2 == 0),
                        (
                            f"state[{cell}] > 1 or number % 3 == 1",
                            lambda n: game.cells[positions[n]][0] > 1 or n % 3 == 1,
                        ),
                        (f"not (0 in state[{cell}:{cell + 1}])", lambda n: game.cells[positions[n]][0] != 0),
                        (f"7 // (number + 1) > 0 and state[{cell}] > -99", lambda n: 7 // (n + 1) > 0),
                        ("value is None and number >= 0", lambda n: values[n] is None),
                    ]
                )
                words += ["--where", asked]
                wanted = [n for n in wanted if meets(n)]
                got = json.loads(expect(0, "stats", db, "--where", asked, "--json"))
                some = Counter(str(text_of(game, v)) for n, v in values.items() if v is not None and meets(n))
                if got["histogram"] != dict(some) or got["states"] != sum(map(meets, values)):
                    yield f"stats where {asked}: {got}, right {some}"
            got = json.loads(expect(0, *words))
            if got["count"] != len(wanted) or got["states"] != [state(positions[n]) for n in wanted]:
                yield f"{words}: {got}, right {[state(positions[n]) for n in wanted]}"
            told["find"] += 1
        # probe and line
        nodes = [n for n in range(len(game.cells)) if n not in game.absent]
        for node in chance.sample(nodes, min(4, len(nodes))):
            if game.numbers[node] < 0 and game.results[node] == UNDECIDED:
                continue
            got = json.loads(expect(0, "probe", db, "--json", "--", state(node)))
            if got["value"] != text_of(game, right[node]) and not (game.values == "outcome" and right[node][1] == 0):
                yield f"probe {state(node)}: {got}, right {text_of(game, right[node])}"
            over = game.results[node] != UNDECIDED
            moves = [] if over and game.values != "distance" else [(str(m), state(e[1])) for m, e in game.leaving(node)]
            if sorted((m["move"], m["state"]) for m in got["moves"]) != sorted(moves):
                yield f"probe {state(node)}: {got['moves']}, right {moves}"
            if moves and not over:
                first = game.edges[int(got["moves"][0]["move"]) // game.factor]
                after = right[first[1]]
                if game.values == "outcome":
                    ok = -after[0] == right[node][0] and (after[0] == 0 or after[1] + 1 == right[node][1])
                elif game.values == "score":
                    ok = first[3] - after == right[node]
                else:
                    ok = right[node] is None or (after is not None and after + first[2] == right[node])
                if not ok:
                    yield f"probe {state(node)}: first is {got['moves'][0]}, worth {after}, {right[node]} is right"
            told["probe"] += 1
            code, out, err = command("line", db, "--json", "--", state(node))
            if "Traceback" in err or code not in (0, 10, 30):
                yield f"line {state(node)}: {code} {err[-600:]}"
            if game.values == "distance":
                if (code == 10) != (right[node] is None):
                    yield f"line {state(node)}: {code} {out} {err}, right {right[node]}"
                if code == 0 and json.loads(out)["cost"] != right[node]:
                    yield f"line {state(node)}: {out}, right {right[node]}"
            told[f"line {code}"] += 1
        # slices
        names = [f"p{k}" for k in range(len(game.parts()))]
        some = chance.sample(names, chance.randint(1, len(names)))
        spans = [game.parts()[int(n[1:])][:2] for n in some]
        code, out, err = command("convert", db, "--to", folder / "slice", "--parts", ",".join(some), "--json")
        if "Traceback" in err:
            yield f"convert {err[-700:]}"
        elif code == 0:
            told["slice"] += 1
            got = json.loads(expect(0, "stats", folder / "slice", "--json"))
            if got["states"] != sum(a <= n < b for n in values for a, b in spans):
                yield f"slice of {some}: {got}"
            for n, node in chance.sample(sorted(positions.items()), min(4, len(positions))):
                code, out, err = command("probe", folder / "slice", "--json", "--", state(node))
                inside = any(a <= n < b for a, b in spans)
                if "Traceback" in err:
                    yield f"slice probe {err[-700:]}"
                if inside and code == 0 and json.loads(out)["value"] != text_of(game, values[n]):
                    yield f"slice {some}: {state(node)} {out}, right {values[n]}"
                if not inside and code != 30 and game.results[node] == UNDECIDED:
                    yield f"slice {some}: {state(node)} {code} {out}"
        else:
            told[f"slice {code} {err[-60:]}"] += 1
        # learning
        expect(0, "export", db, "--to", folder / "a.parquet", "--json")
        from pyarrow import parquet

        rows = parquet.read_table(folder / "a.parquet").to_pylist()
        if sorted(r["number"] for r in rows) != sorted(values):
            yield f"export {[r['number'] for r in rows]}"
        told["export"] += 1
        for row in rows:
            node = positions[row["number"]]
            if game.values != "outcome" and row["value"] != text_of(game, right[node]):
                yield f"exported {row}, right {right[node]}"
            if game.values == "outcome" and row["outcome"] != right[node][0]:
                yield f"exported {row}, right {right[node]}"
            if game.values == "outcome" and right[node][0] and row["plies"] != right[node][1]:
                yield f"exported {row}, right {right[node]}"
            moves = [m for m, e in game.leaving(node)] if game.results[node] == UNDECIDED else None
            if moves is not None and sorted(row["moves"]) != sorted(moves):
                yield f"exported {row}: {moves}"
            if moves:

                def worth(e: Any) -> Any:
                    a = right[e[1]]
                    return (
                        (-a[0], a[1] + 1 if a[0] else 0)
                        if game.values == "outcome"
                        else e[3] - a
                        if game.values == "score"
                        else None
                        if a is None
                        else a + e[2]
                    )

                best = [m for m, e in game.leaving(node) if worth(e) == right[node]]
                if sorted(row["best_moves"]) != sorted(best):
                    yield f"exported {row}: best {best}"
        policy = folder / "policy.py"
        policy.write_text("def first(state, moves):\n    return moves[0]\n")
        code, out, err = command("grade", db, "--policy", f"{policy}:first", "--json")
        if "Traceback" in err or code not in (0, 30, 10):
            yield f"grade {code} {err[-700:]}"
        told[f"grade {code} {err[-50:] if code else ''}"] += 1
        code, out, err = command("export", db, "--to", folder / "a.npz", "--cells", "--json")
        if "Traceback" in err or code:
            yield f"export npz {code} {err[-700:]}"
        # verify, damage, repair
        got = json.loads(expect(0, "verify", db, "--json"))
        if got["states"] != len(values):
            yield f"verify {got}"
        chunks = [c for c in db.glob("parts/*/c/*") if c.is_file()]
        if chunks and not game.own_rule:
            chunk = chance.choice(chunks)
            data = bytearray(chunk.read_bytes())
            if data:
                how = chance.choice(("cut", "flip", "gone"))
                if how == "cut":
                    data = data[: len(data) // 2]
                elif how == "flip":
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                chunk.unlink() if how == "gone" else chunk.write_bytes(data)
                code, out, err = command("verify", db, "--json")
                if code not in (10, 40) or "Traceback" in err:
                    yield f"damage {how} {chunk}: verify {code} {out} {err[-300:]}"
                code, out, err = command("repair", db, "--json")
                if code or "Traceback" in err:
                    yield f"repair {how} {chunk}: {code} {out} {err[-500:]}"
                else:
                    got = json.loads(expect(0, "verify", db, "--json"))
                    with sb.open_database(db) as mended:
                        for n, node in positions.items():
                            v = mended.probe(((0,) if game.index == "at" else ()) + game.cells[node])
                            if (tuple(v) if isinstance(v, tuple) else v) != right[node]:
                                yield f"repaired {n}: {v}"
                    told["repair"] += 1


def environments(seed: Any, told: Any) -> Any:
    """Play the best actions of an environment from some positions: they gain what the positions are worth."""
    chance = random.Random(seed)
    game = drawn(chance, None, 10)
    right = right_values(game)
    (lambda cells: tuple(cells)[1:]) if game.index == "at" else tuple
    with tempfile.TemporaryDirectory() as where:
        loaded = load(game, Path(where))
        db = sb.solve(loaded, threads=1, memory="64MB")
        if not any(
            game.leaving(node)
            for node in game.positions().values()
            if game.values == "distance" or game.results[node] == UNDECIDED
        ):
            return
        env = sb.environment(db, limit=30)
        told["environment " + game.values] += 1
        for node in chance.sample(range(len(game.cells)), min(6, len(game.cells))):
            if node in game.absent or game.results[node] != UNDECIDED or not game.leaving(node):
                continue
            state = ((0,) if game.index == "at" else ()) + game.cells[node]
            if game.values == "distance":
                obs, info = env.reset(options={"state": state})
                if right[node] is None:
                    continue
                cost, done = 0, False
                while not done:
                    obs, reward, done, cut, info = env.step(info["best_actions"][0])
                    cost -= reward
                    if cut or info["regret"]:
                        yield f"{node}: regret {info['regret']}, {cost}"
                        break
                if cost != right[node]:
                    yield f"{node}: {cost}, right {right[node]}"
                told["puzzle episodes"] += 1
            else:
                for best in (True, False):
                    env.reset(options={"state": state})
                    gained, endless = 0.0, False
                    for agent in env.agent_iter(max_iter=100):
                        obs, reward, done, cut, info = env.last()
                        endless |= cut
                        gained += reward if agent == "first" else 0
                        if done or cut:
                            env.step(None)
                            continue
                        actions = info["best_actions"] if best else [i for i, m in enumerate(obs["action_mask"]) if m]
                        env.step(int(chance.choice(actions)))
                    want = right[node][0] if game.values == "outcome" else right[node]
                    if best and not endless and gained != want:
                        yield f"{node}: gained {gained}, right {want}"
                    told["episodes" + (" endless" if endless else "")] += 1


def checks(seed: Any, told: Any) -> Any:
    """Require that the laws of the contract hold."""
    chance = random.Random(seed)
    game = drawn(chance, None, 8)
    with tempfile.TemporaryDirectory() as where:
        loaded = load(game, Path(where))
        check = sb.check(loaded)
        told["check"] += 1
        if not check:
            yield f"{check.broken[:2]} {game}"


AREAS = {"commands": commands, "environments": environments, "checks": checks}
if __name__ == "__main__":
    by_hand(AREAS)
