"""What a server must stand: malformed, impossible, unknown, replaced, damaged, far too long; each with its status."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import searchbench as sb
from searchbench.web.answers import probe_answer
from searchbench.web.app import create_app
from searchbench.web.guard import Guard
from searchbench.web.library import Library
from web_client import Client, make_app, running

MILLION = "1" * 10**6


@pytest.fixture(autouse=True)
def _server_stays_up(client: Client) -> Any:
    yield
    assert client.fetch("/health")["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "query", "status", "words"),
    [
        ("/databases/eight/probe", {"state": "1 2 3"}, 400, "each of 0 .. 8 once"),
        ("/databases/eight/probe", {"state": "rubbish"}, 400, "numbers"),
        ("/databases/eight/probe", {"state": "8 8 8 8 8 8 8 8 8"}, 400, "once"),
        ("/databases/morris/position", {"state": "WWWWWWWW/BBBBBBBB/........"}, 400, "no part of this game"),
        ("/databases/morris/moves", {"state": "WWW"}, 400, "three rings"),
        ("/databases/awari/line", {"state": "9 9 9 9 9 9 9 9 9 9 9 9"}, 400, "at most 5 stones"),
        ("/databases/awari/line", {"limit": 100000}, 400, "limit"),
        ("/databases/awari/line", {"limit": 0}, 400, "limit"),
        ("/databases/token/position", {"state": "a z"}, 400, "expected two nodes"),
        ("/databases/token/position", {"state": "a l", "side": 2}, 400, "side"),
        ("/databases/eight/line", {"state": "0 1 2 3 4 5 6 8 7"}, 422, "no solved state"),
        ("/databases/eight/find", {"value": "many"}, 400, "expected a number"),
        ("/databases/eight/find", {"first": 10**9}, 400, "expected numbers"),
        ("/databases/eight/find", {"first": -1}, 400, "first"),
        ("/databases/eight/find", {"limit": 101}, 400, "limit"),
        ("/databases/eight/find", {"where": "state.x"}, 400, "not understood"),
        ("/databases/eight/find", {"where": "value => 3"}, 400, "in the place of => write >="),
        ("/databases/eight/find", {"where": "value == 3 && number < 9"}, 400, "in the place of && write and"),
        ("/databases/eight/find", {"where": "state[99] == 1"}, 400, "beyond the last cell"),
        ("/databases/eight/find", {"first": 9, "last": 2}, 400, "the first is larger than the last"),
        ("/databases/eight/find", {"predicate": "none"}, 404, "interesting"),
        (
            "/databases/eight/find",
            {"where": "pieces[0] == 8"},
            400,
            "'' is compared with 8, and a text is never equal",
        ),
        ("/databases/eight/find", {"where": "count(pieces, 8) == 1"}, 400, "8 is compared with"),
        ("/databases/eight/find", {"where": "state[0] == '8'"}, 400, "pieces and outcome texts, which stand in quotes"),
        ("/databases/token/find", {"where": "value == 'win'"}, 400, "condition \"value == 'win'\": "),
        (
            "/databases/token/find",
            {"where": "outcome == 'won'"},
            400,
            "no outcome is 'won'; it is 'win', 'draw' or 'loss'",
        ),
        ("/databases/eight/find", {"where": "outcome == 'win'"}, 400, "values of distance have none: ask of value"),
        ("/databases/eight/find", {"where": "plies > 3"}, 400, "have no plies"),
        ("/databases/awari/find", {"where": "plies > 3"}, 400, "have no plies"),
        ("/databases/eight/stats", {"part": "nowhere"}, 404, "no part"),
        ("/databases/nothing/probe", {}, 404, "eight"),
        ("/certificates/nothing", {}, 404, "there is no certificate 'nothing'; there "),
        ("/databases/..%2f..%2fetc/probe", {}, 404, ""),
        ("/databases/%2Fetc%2Fpasswd/probe", {}, 404, ""),
        ("/games/position", {"game": "draughts"}, 404, "unknown game 'draughts': the first page lists all"),
        ("/games/position", {"game": "sokoban:levels.txt#1"}, 404, "no game"),
        ("/games/position", {"game": "sokoban:99#1"}, 404, "no game"),
        ("/games/position", {"game": "/etc/passwd"}, 404, "no game"),
        ("/games/position", {"game": "../evil.py:Evil"}, 404, "no game"),
        ("/games/position", {"game": "sliding:900x900"}, 400, "up to 100"),
        ("/games/position", {"game": "sliding:x"}, 404, "sliding"),
        ("/nothing", {}, 404, ""),
        ("/jobs/unknown", {}, 404, "no job"),
    ],
)
def test_what_is_wrong_has_its_status_and_says_why(
    client: Client, path: str, query: dict[str, Any], status: int, words: str
) -> None:
    answer = client.get(path, **query)
    assert answer.status == status, answer.text
    assert words in answer.message
    assert set(answer.json) == {"type", "title", "status", "detail", "kind"}
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == status


def test_a_million_characters_are_refused_at_once(client: Client) -> None:
    answer = client.get("/databases/eight/probe", state=MILLION)
    assert (answer.status, "at most" in answer.message) == (414, True)
    answer = client.get("/databases/" + MILLION + "/probe")
    assert answer.status == 414
    answer = client.post("/databases/eight/arrange", {"pieces": [MILLION]})
    assert (answer.status, "at most" in answer.message) == (413, True)
    answer = client.get("/databases/eight/probe", state="1" * 10_000)
    assert (answer.status, "4000" in answer.message) == (400, True)
    assert len(answer.text) < 2000
    answer = client.get("/databases/eight/find", where="1+" * 2000 + "1")
    assert answer.status == 400
    connection = http.client.HTTPConnection(urlsplit(client.address).netloc, timeout=60)
    chunks = (b"x" * 10_000 for _ in range(100))  # a body that does not tell its length
    connection.request("POST", "/api/v1/jobs", chunks, {"Content-Type": "application/json"}, encode_chunked=True)
    refused = connection.getresponse()
    assert (refused.status, json.loads(refused.read())["kind"]) == (413, "BodyTooLong")
    connection.close()


def test_an_edit_that_is_refused_is_told_in_words(client: Client) -> None:
    answer = client.post("/databases/noughts/arrange", {"pieces": ["X", "X", "X", ".", ".", ".", ".", ".", "."]})
    assert answer.status == 400
    assert "no position has these pieces: 3 of X and 0 of O, but the players move in turn" in answer.message
    answer = client.post("/databases/triangle/arrange", {"pieces": [""] * 15})
    assert "no position has these pieces; place them otherwise" in answer.message  # and no numbers of a state
    answer = client.post("/databases/eight/arrange", {"pieces": ["1"] * 9})
    assert "each of 0 .. 8 once" in answer.message
    for count in (0, 8, 10):
        answer = client.post("/databases/eight/arrange", {"pieces": ["1"] * count})
        assert (answer.status, answer.message) == (
            400,
            f"sliding:3x3: its board has 9 cells, each with a piece or '' where there is none, not {count}",
        )


def test_malformed_bodies_are_refused(client: Client) -> None:
    for body in (b"{", b"[]", b'{"pieces": 3}', b'{"pieces": ["a"], "side": 7}', b"\xff\xfe"):
        answer = client.ask("POST", "/api/v1/databases/eight/arrange", body)
        assert answer.status == 400, answer.text
        assert answer.message
    assert client.ask("PUT", "/api/v1/databases/eight/probe").status == 405


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/%2e%2e/app.py", "/assets/..%2fapp.py", "/assets//etc/passwd"]
)
def test_no_file_outside_the_assets_is_served(client: Client, path: str) -> None:
    assert client.ask("GET", path).status == 404


def test_pages_are_served_with_headers_that_forbid_everything_foreign(client: Client) -> None:
    for page in ("/", "/databases/eight", "/databases/eight/position?state=start", "/search", "/api"):
        answer = client.ask("GET", page)
        assert answer.status == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "http://" not in answer.text
        assert "https://" not in answer.text
    assert client.ask("GET", "/nowhere", headers={"Accept": "text/html"}).text.startswith("<!doctype html>")


def test_names_of_other_hosts_and_pages_of_other_sites_are_refused(client: Client) -> None:
    assert client.ask("GET", "/api/v1/health", headers={"Host": "evil.example"}).status == 421
    assert client.ask("GET", "/api/v1/health", headers={"Host": "localhost:1"}).status == 200
    assert client.ask("POST", "/api/v1/jobs", {"kind": "solve"}, {"Origin": "http://evil.example"}).status == 403
    assert client.ask("POST", "/api/v1/jobs", {"kind": "solve"}, {"Origin": client.address}).status == 400
    guard = Guard(lambda *_: None, ("[::1]", "box"))  # type: ignore[arg-type, return-value]
    known = {host: guard._known(host) for host in ("box", "BOX:80", "[::1]:8017", "[::1]", "other", "", "boxes:80")}
    assert known == {
        "box": True,
        "BOX:80": True,
        "[::1]:8017": True,
        "[::1]": True,
        "other": False,
        "": False,
        "boxes:80": False,
    }


def test_a_server_that_only_reads_takes_no_jobs(folders: dict[str, Path]) -> None:
    with running(make_app(folders)) as reading:
        assert reading.fetch("/health")["jobs"] is False
        answer = reading.post("/jobs", {"kind": "solve", "game": "hanoi:3"})
        assert (answer.status, "only reads" in answer.message) == (400, True)


# --- databases that change under the server ---------------------------------------------------------------------------


def test_a_database_that_is_replaced_is_read_anew(copy: Callable[[str], Path]) -> None:
    folder = copy("eight")
    with running(create_app(Library({"mine": folder}))) as reading:
        assert reading.fetch("/databases/mine/probe", state="hardest")["value"]["number"] == 31
        sb.solve("sliding:3x3", rule="depth", solver="bfs", form="values", to=folder, overwrite=True, threads=1)
        assert reading.fetch("/databases/mine")["values"] == "depth"
        sb.solve("hanoi:3", to=folder, overwrite=True, threads=1)
        assert reading.fetch("/databases/mine/probe")["value"]["number"] == 7
        assert reading.get("/databases/mine/probe", state="hardest").status == 200
        gone = folder.rename(folder.parent / "gone")
        answer = reading.get("/databases/mine/probe")
        assert (answer.status, "try again" in answer.message) == (503, True)
        assert reading.fetch("/databases")[0]["error"]
        assert next(game for game in reading.fetch("/games") if game["name"] == "hanoi")["databases"] == ["mine"]
        gone.rename(folder)
        assert reading.fetch("/databases/mine/probe")["value"]["number"] == 7


def test_a_question_is_asked_again_when_the_database_is_replaced_in_the_middle_of_it(
    copy: Callable[[str], Path],
) -> None:
    folder = copy("eight")
    library = Library({"mine": folder})
    asked: list[sb.Database] = []

    def question(database: sb.Database) -> Any:
        asked.append(database)
        if len(asked) == 1:
            sb.solve("hanoi:3", to=folder, overwrite=True, threads=1)
        return probe_answer(database, database.game.position())

    assert library.ask("mine", question)["value"]["number"] == 7
    assert [database.game.name for database in asked] == ["sliding", "hanoi"]


def test_a_damaged_database_is_told_from_a_wrong_question(copy: Callable[[str], Path]) -> None:
    folder = copy("patience")
    with running(create_app(Library({"mine": folder, "whole": copy("token")}, trust=True))) as reading:
        chunk = next(file for file in (folder / "parts").rglob("*") if file.parent.name == "c")
        data = bytearray(chunk.read_bytes())
        data[len(data) // 2] ^= 1
        chunk.write_bytes(data)
        answer = reading.get("/databases/mine/probe")
        assert (answer.status, answer.json["kind"]) == (503, "DamagedData")
        document = folder / "zarr.json"
        header = json.loads(document.read_text())
        header["attributes"]["searchbench"]["states"] = 7
        document.write_text(json.dumps(header))
        assert "altered" in reading.get("/databases/mine/probe").message
        shutil.rmtree(folder)
        assert reading.get("/databases/mine").status == 503
        assert reading.get("/databases/whole/probe").status == 200


def test_an_unexpected_error_is_one_answer_and_not_the_end(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret")

    with running(make_app(folders)) as reading:
        monkeypatch.setattr("searchbench.web.answers.value_answer", broken)
        answer = reading.get("/databases/eight/probe")
        assert answer.status == 500
        assert "secret" not in answer.text
        monkeypatch.undo()
        assert reading.get("/databases/eight/probe").status == 200
