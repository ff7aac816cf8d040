"""Jobs: solving, searching, proving and verifying from the page, their progress, their limits and their end."""

from __future__ import annotations

import http.client
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args
from urllib.parse import urlsplit

import numpy as np
import pytest

import searchbench as sb
from front_program import EXAMPLES
from searchbench.errors import BadGame
from searchbench.web import jobs, schema, work
from searchbench.web.app import create_app
from searchbench.web.jobs import Jobs, Limits
from searchbench.web.library import Library
from web_client import LIMITS, Client, make_app, running

HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"  # 80 moves, the most there are: many minutes, which no test waits for
EASY = "1 2 6 3 4 5 0 7 8 9 10 11 12 13 14 15"


def test_a_database_that_is_solved_here_has_a_short_name(tmp_path: Path) -> None:
    library = Library({}, {game.spec: game for game in map(sb.load, EXAMPLES.values())})
    names = {spec: library.short_name(sb.load(spec)) for spec in (EXAMPLES["token"], "sliding:3x3", "chess:KRK")}
    assert names == {EXAMPLES["token"]: "Token:", "sliding:3x3": "sliding:3x3", "chess:KRK": "chess:KRK,8,8"}
    with running(create_app(library, LIMITS, keep=tmp_path)) as own:
        solved = [
            own.finished(kind="solve", game=game.spec) for game in (sb.load(EXAMPLES["token"]), sb.load("hanoi:3"))
        ]
        assert [job["result"]["database"] for job in solved] == ["Token", "hanoi-3-3"]
    started = Jobs(LIMITS, library.add, library.add_certificate, tmp_path)
    assert started._target(f"graph:{'ab-' * 40}cd").name == f"graph-{'ab-' * 11}a.db"
    started.close()


def test_a_small_game_is_solved_and_then_a_database_like_any_other(client: Client) -> None:
    job = client.finished(kind="solve", game="hanoi:5")
    schema.JobAnswer.model_validate(job)
    assert job["status"] == "done", job
    name = job["result"]["database"]
    assert job["result"]["states"] == 243
    assert client.fetch(f"/databases/{name}/probe")["value"]["number"] == 31
    assert name in next(game for game in client.fetch("/games") if game["name"] == "hanoi")["databases"]
    assert client.finished(kind="verify", database=name)["result"]["faults"] == 0
    assert client.fetch(f"/databases/{name}")["verified"]["faults"] == 0


def test_the_process_of_a_job_loads_nothing_of_the_server() -> None:
    asked = "import sys, searchbench.web.work; print({'fastapi', 'uvicorn', 'numba'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"


def test_a_job_runs_no_file_of_the_working_folder(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("token", "heapq", "searchbench"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path)
    assert client.finished(kind="solve", game="hanoi:2")["status"] == "done"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("code", "kind", "told"),
    [
        ("os.kill(os.getpid(), 9)", "OutOfMemory", "was killed, as happens where memory is short"),
        ("sys.exit(1)", "Error", "broke off with code 1"),
        ("raise OSError('no room\\n')", "Error", "broke off with code 1: OSError: no room"),
        ("raise OSError('x' * 1000)", "Error", f"broke off with code 1: OSError: {191 * 'x'}"),
    ],
)
def test_a_process_that_breaks_off_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch, code: str, kind: str, told: str
) -> None:
    monkeypatch.setattr(jobs, "WORK", ("-c", f"import os, sys; sys.stdin.read(); {code}"))
    job = client.finished(kind="solve", game="hanoi:2")
    assert (job["status"], job["error"]["kind"]) == ("failed", kind), job
    assert job["error"]["message"].endswith(told)


def test_a_game_of_the_users_own_is_solved(client: Client) -> None:
    spec = sb.load(EXAMPLES["token"]).spec
    job = client.finished(kind="solve", game=spec)
    name = job["result"]["database"]
    assert client.fetch(f"/databases/{name}/probe")["value"]["text"] == "loss 14"


def test_what_is_too_large_is_refused(client: Client) -> None:
    for game, said in (
        ("sliding:3x4", "479,001,600 states; here games of up to 400,000"),
        ("sliding:6x6", "no numbers"),
    ):
        answer = client.post("/jobs", {"kind": "solve", "game": game})
        assert (answer.status, answer.json["kind"], said in answer.message) == (400, "BadRequest", True)
    for request, status in (
        ({"kind": "solve", "game": "draughts"}, 404),
        ({"kind": "solve", "game": str(Path(EXAMPLES["coins"]).with_name("other.py"))}, 404),
        ({"kind": "solve"}, 400),
        ({"kind": "dance", "game": "hanoi:3"}, 400),
        ({"kind": "verify"}, 400),
        ({"kind": "verify", "database": "/etc"}, 404),
        ({"kind": "search", "game": "sliding:3x3", "state": "1 2 3"}, 400),
        ({"kind": "search", "game": "sliding:3x3", "method": "magic"}, 400),
    ):
        assert client.post("/jobs", request).status == status, request


def test_a_search_tells_its_bound_and_its_line_and_ends_with_a_solution(client: Client) -> None:
    job = client.finished(kind="search", game="sliding:4x4", state=EASY, method="idastar")
    line = sb.search("sliding:4x4", EASY)
    assert job["result"]["cost"] == line.cost
    assert job["result"]["optimal"] is True
    assert job["result"]["states"][0] == EASY
    assert len(job["result"]["pictures"]) == line.cost + 1
    for method in ("astar", "bestfirst"):
        assert (
            client.finished(kind="search", game="sliding:3x3", state="8 7 6 0 4 1 2 5 3", method=method)["result"][
                "cost"
            ]
            >= 31
        )
    lost = client.finished(kind="search", game="sliding:3x3", state="0 1 2 3 4 5 6 8 7")
    assert (lost["status"], lost["error"]["kind"]) == ("failed", "Unsolvable")
    limited = client.finished(kind="search", game="sliding:4x4", state=HARD, method="idastar", nodes=1_000_000)
    assert limited["error"]["kind"] == "LimitReached"


LARGE = "sokoban:#########|#       #|# $ $ $ #|#   @   #|# $ $ $ #|#       #|#...#...#|#########"


@pytest.fixture
def with_a_large_level(tmp_path: Path) -> Iterator[Client]:
    """Return a client of a server that was started with a level of too many states for A*."""
    library = Library({}, {LARGE: sb.load(LARGE)}, {})
    with running(create_app(library, LIMITS)) as found:
        yield found


@pytest.mark.parametrize(
    ("game", "methods"),
    [
        ("sliding:3x3", ["astar", "idastar", "bestfirst"]),
        ("sliding:4x4", ["idastar", "astar", "bestfirst"]),
        ("sokoban:#1", ["astar", "featurespace", "enhanced", "idastar", "bestfirst"]),
        (LARGE, ["featurespace", "enhanced", "idastar", "astar", "bestfirst"]),
        ("tic-tac-toe", [method for method in get_args(schema.ProofMethod) if method != "threats"]),
        ("gomoku", [method for method in get_args(schema.ProofMethod) if method != "graph"]),
        ("chess:KQK", [method for method in get_args(schema.ProofMethod) if method not in ("graph", "threats")]),
        ("hex:2x2", [method for method in get_args(schema.ProofMethod) if method not in ("graph", "threats")]),
        ("awari:6", []),
    ],
)
def test_a_position_tells_by_which_methods_jobs_can_search_it(
    with_a_large_level: Client, game: str, methods: list[str]
) -> None:
    assert with_a_large_level.fetch("/games/position", game=game, state="start")["methods"] == methods


@pytest.mark.parametrize("method", [None, "featurespace", "enhanced"])
def test_levels_are_searched_by_the_methods_of_their_game(with_a_large_level: Client, method: str | None) -> None:
    job = with_a_large_level.finished(kind="search", game=LARGE, method=method)
    assert job["status"] == "done", job["error"]
    assert job["result"]["optimal"] is False
    assert len(job["result"]["states"]) == job["result"]["cost"] + 1 >= 23


@dataclass(frozen=True)
class Mistaken(sb.Game):
    """Count down from nine; a move to two is taken back to four."""

    name: ClassVar[str] = "mistaken"
    values: str = "distance"
    width = 1
    max_moves = 1

    def index(self) -> Any:
        """Return a number for each count."""
        return sb.index.Radix((10,))

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules with the mistakes."""

        def start(state: Any) -> None:
            state[0] = 9

        def terminal(state: Any) -> int:
            return 0 if state[0] == 0 else sb.UNDECIDED

        def moves(state: Any, out: Any) -> int:
            out[0] = 1
            return int(state[0] > 0)

        def play(state: Any, move: int) -> None:
            state[0] -= move

        def unplay(state: Any, move: int) -> None:
            state[0] += move + (1 if state[0] == 2 else 0)

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}


@pytest.mark.parametrize(("kind", "values"), [("search", "distance"), ("prove", "outcome")])
def test_a_game_with_a_mistake_is_refused(
    kind: str, values: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(work.sb, "load", lambda game: Mistaken(values))
    task = {"game": "mistaken", "memory": "64MB", "nodes": 1000, "seconds": 10, "to": str(tmp_path / "proof.cert")}
    with pytest.raises(BadGame, match="breaks the law unplay-undoes-play"):
        work.WORK[kind](task, work.Reporter(io.StringIO()))


def test_a_proof_ends_with_a_value(client: Client) -> None:
    for method in ("pns", "dfpn", "alphabeta"):
        job = client.finished(kind="prove", game="tic-tac-toe", state="XX./OO./...", method=method)
        assert job["result"]["value"] == "win"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"kind": "prove", "game": "hanoi:3"}, "start a job of kind search"),
        ({"kind": "search", "game": "tic-tac-toe"}, "start a job of kind prove"),
        (
            {"kind": "search", "game": "hanoi:3", "method": "pns"},
            "for hanoi:3,3 takes one of the methods astar, idastar, bestfirst",
        ),
        ({"kind": "prove", "game": "awari:6"}, "has no wins, draws and losses to be proved"),
        ({"kind": "prove", "game": "hex:3x3", "method": "threats"}, "mst, not threats"),
        ({"kind": "search", "game": "hanoi:3", "method": "featurespace"}, "idastar, bestfirst, not featurespace"),
        ({"kind": "solve", "game": "hanoi:3", "method": "pns"}, "a job of kind solve takes game, but no method: 'pns'"),
        ({"kind": "solve", "game": "hanoi:3", "nodes": 5}, "but no nodes: 5"),
        ({"kind": "solve", "game": "hanoi:3", "database": "token"}, "but no database: 'token'"),
        ({"kind": "verify", "database": "token", "game": "hanoi:3"}, "takes database, but no game: 'hanoi:3'"),
        ({"kind": "verify"}, "a job of kind verify needs a database"),
        ({"kind": "search"}, "a job of kind search needs a game"),
        ({"kind": "prove", "game": ""}, "a job of kind prove needs a game"),
        ({"kind": "guess", "game": "hanoi:3"}, "kind: expected 'solve', 'search', 'prove' or 'verify', not \"guess\""),
        ({"kind": "search", "game": "hanoi:3", "nodes": 0}, "nodes: expected at least 1, not 0"),
        ({"kind": "search", "game": "hanoi:3", "nodes": 1.5}, "nodes: expected a whole number, not 1.5"),
        ({"kind": "search", "game": "g" * 501}, "game: expected at most 500 characters, not a text of 501 characters"),
        ({"kind": "search", "game": ["hanoi:3"]}, 'game: expected a text, not ["hanoi:3"]'),
    ],
)
def test_a_job_that_could_only_fail_is_refused_before_it_starts(
    client: Client, wanted: dict[str, Any], said: str
) -> None:
    answer = client.post("/jobs", wanted)
    assert (answer.status, said in answer.message) == (400, True), answer.text


def test_a_proof_is_kept_to_be_walked_through(client: Client) -> None:
    names = []
    for _ in range(2):
        names.append(
            client.finished(kind="prove", game="tic-tac-toe", state="XX./OO./...", method="pns")["result"][
                "certificate"
            ]
        )
        assert client.fetch(f"/certificates/{names[-1]}")["claim"] == "player to move wins"
    assert len(set(names)) == 2


def test_a_long_search_is_watched_and_stopped(client: Client) -> None:
    started = client.post("/jobs", {"kind": "search", "game": "sliding:4x4", "state": HARD, "method": "idastar"}).json
    stream = http.client.HTTPConnection(urlsplit(client.address).netloc, timeout=60)
    stream.request("GET", f"/api/v1/jobs/{started['id']}/events")
    answer = stream.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    seen = []
    while True:
        text = answer.readline().decode()
        if text.startswith("data: "):
            seen.append(json.loads(text[6:]))
            if seen[-1]["progress"].get("line"):
                client.ask("DELETE", f"/api/v1/jobs/{started['id']}")
        if not text or (seen and seen[-1]["status"] == "stopped"):
            break
    stream.close()
    told = [event["progress"] for event in seen if event["progress"].get("line")]
    assert told[-1]["stage"].startswith("bound ")
    assert told[-1]["done"] > 0
    line = told[-1]["line"]
    position = sb.load("sliding:4x4").position(HARD)
    for move in line["moves"]:
        position = position.play(move)
    assert position.text == line["state"]
    assert seen[-1]["status"] == "stopped"


def test_no_more_jobs_run_at_once_than_may_and_none_longer(folders: dict[str, Path]) -> None:
    limits = Limits(at_once=1, seconds=3.0, memory="128MB", nodes=2_000_000_000, states=1000)
    with running(make_app({"token": folders["token"]}, limits)) as busy:
        request = {"kind": "search", "game": "sliding:4x4", "state": HARD, "method": "idastar"}
        first = busy.post("/jobs", request).json
        refused = busy.post("/jobs", request)
        assert (refused.status, refused.json["kind"]) == (503, "LimitReached")
        assert busy.get("/databases/token/probe").status == 200
        while (job := busy.fetch(f"/jobs/{first['id']}"))["status"] == "running":
            time.sleep(0.1)
        assert job["status"] == "failed"
        assert job["error"]["kind"] == "LimitReached"


def test_a_stopped_job_leaves_nothing_and_only_so_many_games_are_solved(tmp_path: Path) -> None:
    limits = Limits(memory="512MB", databases=1)
    with running(create_app(Library(), limits, keep=tmp_path)) as client:
        started = client.post("/jobs", {"kind": "solve", "game": "pancake:10"}).json
        client.ask("DELETE", f"/api/v1/jobs/{started['id']}")
        while (job := client.fetch(f"/jobs/{started['id']}"))["status"] == "running":
            time.sleep(0.05)
        assert job["status"] == "stopped"
        limit = time.monotonic() + 30
        while list(tmp_path.iterdir()) and time.monotonic() < limit:  # its process is being ended
            time.sleep(0.05)
        assert not list(tmp_path.iterdir())
        assert client.finished(kind="solve", game="hanoi:3")["status"] == "done"
        refused = client.post("/jobs", {"kind": "solve", "game": "hanoi:3"})
        assert (refused.status, "as many as may" in refused.message) == (503, True)
        assert client.finished(kind="prove", game="tic-tac-toe", state="XX./OO./...")["status"] == "done"


def test_verification_finds_a_planted_fault(copy: Callable[[str], Path], tmp_path: Path) -> None:
    whole = sb.open_database(copy("token"))
    codes = np.array(whole.codes)
    codes[5] += 2  # the same outcome, one ply later
    sb.Database(whole.game, whole.rule, codes, whole.facts).save(tmp_path / "wrong.db")
    with running(create_app(Library({"wrong": tmp_path / "wrong.db"}, trust=True), Limits())) as checking:
        result = checking.finished(kind="verify", database="wrong")["result"]
        assert result["faults"] > 0
        assert result["found"]
        assert checking.fetch("/databases/wrong")["verified"]["faults"] == result["faults"]
        sb.solve("hanoi:3", to=tmp_path / "wrong.db", overwrite=True, threads=1)
        assert checking.fetch("/databases/wrong")["verified"] is None  # this one was not verified


def test_the_tree_of_a_proof_grows(client: Client) -> None:
    """Its numbers follow from those of the children wherever all of these are shown."""
    started = client.post("/jobs", {"kind": "prove", "game": "connect4:6x5", "method": "pns"}).json["id"]
    seen: list[Any] = []
    while len(seen) < 2:
        time.sleep(0.05)
        answer = client.fetch(f"/jobs/{started}/tree")
        assert answer["status"] == "running"
        if answer["tree"] is not None and answer["tree"] not in seen:
            seen.append(answer["tree"])
    client.ask("DELETE", f"/api/v1/jobs/{started}")
    for tree in seen:
        checked = check_numbers(tree, True)
        assert checked > 5
        game = sb.load("connect4:6x5")
        texts = {game.format_move(game.start(), move) for move in game.moves(game.start())}
        assert {child["move"] for child in tree["children"]} <= texts
    quick = client.finished(kind="prove", game="connect4:4x4", method="pns")
    last = client.fetch(f"/jobs/{quick['id']}/tree")
    assert (last["status"], 0 in (last["tree"]["proof"], last["tree"]["disproof"])) == ("done", True)  # at the end
    alone = client.finished(kind="prove", game="tic-tac-toe", state="XX./OO./...", method="alphabeta")
    assert client.fetch(f"/jobs/{alone['id']}/tree") == {"id": alone["id"], "status": "done", "tree": None}


def check_numbers(node: Any, either: bool) -> int:
    """Check the numbers of the opened nodes of a tree; solved children have left it. Return how many there are."""
    if not node["children"]:
        return 0
    proofs = [child["proof"] for child in node["children"]]
    disproofs = [child["disproof"] for child in node["children"]]
    assert node["proof"] == (min(proofs) if either else sum(proofs))
    assert node["disproof"] == (sum(disproofs) if either else min(disproofs))
    return 1 + sum(check_numbers(child, not either) for child in node["children"])
