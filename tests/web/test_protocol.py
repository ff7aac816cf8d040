"""What the API promises of HTTP: problems, HEAD, compression, marks of content, places of jobs, and who may ask."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from searchbench.web import guard, patience, schema
from web_client import Client

ADDRESSES = (
    "/health", "/databases", "/databases/eight", "/databases/eight/probe", "/databases/eight/moves",
    "/databases/eight/position", "/databases/eight/line", "/databases/eight/find", "/databases/eight/stats",
    "/databases/eight/palette", "/games", "/games/position?game=hanoi:3", "/jobs",
)  # fmt: skip


def raw(client: Client, method: str, path: str, **headers: str) -> tuple[Any, bytes]:
    """Return an answer and its bytes as they came."""
    connection = http.client.HTTPConnection(urlsplit(client.address).netloc, timeout=60)
    connection.request(
        method, f"/api/v1{path}", headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


@pytest.mark.parametrize("path", ADDRESSES)
def test_every_address_answers_head_marks_its_content_and_compresses_it(client: Client, path: str) -> None:
    whole, body = raw(client, "GET", path)
    assert whole.status == 200, body
    head, nothing = raw(client, "HEAD", path)
    assert (head.status, nothing, head.getheader("content-length")) == (200, b"", whole.getheader("content-length"))
    mark = whole.getheader("etag")
    assert head.getheader("etag") == mark
    same, nothing = raw(client, "GET", path, If_None_Match=f'"other", {mark}')
    assert (same.status, nothing, same.getheader("etag")) == (304, b"", mark)
    assert raw(client, "GET", path, If_None_Match='W/"other"')[0].status == 200
    small, packed = raw(client, "GET", path, Accept_Encoding="gzip")
    if small.getheader("content-encoding") == "gzip":
        assert gzip.decompress(packed) == body
    else:
        assert len(body) < 1000


@pytest.mark.parametrize("path", ADDRESSES)
def test_parameters_that_an_address_does_not_have_are_refused(client: Client, path: str) -> None:
    answer = client.ask("GET", f"/api/v1{path}{'&' if '?' in path else '?'}stat=start")
    assert (answer.status, "'stat'" in answer.message) == (400, True), answer.text
    schema.Problem.model_validate(answer.json)


def test_bodies_with_what_is_not_known_are_refused(client: Client) -> None:
    for path, body in (
        ("/databases/eight/arrange", {"pieces": ["1"], "sides": 1}),
        ("/databases/eight/probe", {"states": [], "state": "start"}),
        ("/jobs", {"kind": "solve", "game": "hanoi:3", "to": "mine.db"}),
    ):
        assert client.post(path, body).status == 400


def test_the_description_says_that_errors_are_problems(client: Client) -> None:
    described = client.fetch("/openapi.json")
    seen = 0
    for methods in described["paths"].values():
        for entry in methods.values():
            for status, response in entry["responses"].items():
                if int(status) >= 400:
                    assert list(response["content"]) == ["application/problem+json"]
                    seen += 1
    assert seen > 20
    assert "HTTPValidationError" not in json.dumps(described)
    entries = [entry for methods in described["paths"].values() for entry in methods.values()]
    assert len({entry["operationId"] for entry in entries}) == len(entries)
    assert all({"400", "403", "414", "421"} <= set(entry["responses"]) for entry in entries)
    assert all(("413" in entry["responses"]) == ("requestBody" in entry) for entry in entries)
    assert "422" in described["paths"]["/api/v1/databases/{name}/line"]["get"]["responses"]
    events = described["paths"]["/api/v1/jobs/{name}/events"]["get"]["responses"]["200"]
    assert list(events["content"]) == ["text/event-stream"]


@pytest.mark.parametrize(
    ("path", "headers", "kind"),
    [
        ("/databases/eight/probe?state=rubbish", {}, "BadState"),
        ("/databases/none", {}, "UnknownName"),
        ("/databases/eight/line?state=0+1+2+3+4+5+6+8+7", {}, "Unsolvable"),
        ("/nothing", {}, "NotFound"),
        ("/health", {"Sec-Fetch-Site": "cross-site"}, "OtherSite"),
        ("/health", {"Host": "evil.example"}, "UnknownHost"),
        ("/health", {"Content-Length": "99999999"}, "BodyTooLong"),
        ("/health?" + "x" * 20_000, {}, "AddressTooLong"),
    ],
)
def test_every_kind_of_problem_is_described(client: Client, path: str, headers: dict[str, str], kind: str) -> None:
    told = client.ask("GET", f"/api/v1{path}", headers=headers).json
    described = client.fetch("/openapi.json")["x-problems"][kind]
    assert told["type"] == f"/api#{kind}"
    assert (told["kind"], told["title"], told["status"]) == (kind, described["title"], described["status"])
    assert described["meaning"].endswith(".")


def test_the_state_that_is_wrong_among_many_is_named(client: Client) -> None:
    answer = client.post("/databases/eight/probe", {"states": ["start", "hardest", "1 2 3"]})
    assert (answer.status, answer.json["kind"]) == (400, "BadState")
    assert answer.message.startswith("states.2: ")
    found = client.post("/databases/eight/probe", {"states": ["start", "hardest"]}).json
    assert [one["value"]["number"] for one in found] == [0, 31]


def test_a_job_is_where_the_answer_says_and_in_the_list(client: Client) -> None:
    answer = client.post("/jobs", {"kind": "prove", "game": "tic-tac-toe", "state": "XX./OO./..."})
    assert answer.headers["location"] == f"/api/v1/jobs/{answer.json['id']}"
    assert client.ask("GET", answer.headers["location"]).json["id"] == answer.json["id"]
    listed = client.fetch("/jobs")
    assert listed[0]["id"] == answer.json["id"]
    for job in listed:
        schema.JobAnswer.model_validate(job)
    client.ask("DELETE", answer.headers["location"])


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/api/v1/health", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("GET", "/api/v1/health", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        ("DELETE", "/api/v1/jobs/1", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ("GET", "/assets/icon.svg", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("GET", "/", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ("GET", "/api/v1/health", {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
        ("GET", "/api/v1/health", {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
    ],
)
def test_pages_of_other_sites_may_link_and_no_more(
    client: Client, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    assert client.ask(method, path, headers=headers).status == status


def test_a_mark_of_content_is_compared_as_a_weak_one(client: Client) -> None:
    mark = client.ask("GET", "/api/v1/health").headers["etag"]
    for asked in (mark, mark.removeprefix("W/"), "*", f'"other",{mark}'):
        answer = client.ask("GET", "/api/v1/health", headers={"If-None-Match": asked})
        assert (answer.status, answer.headers["vary"]) == (304, "Accept-Encoding")


def test_answers_of_any_size_vary_with_the_encoding_and_say_so_once(client: Client) -> None:
    for path in ("/api/v1/health", "/api/v1/openapi.json"):
        for encoding in ("gzip", "identity"):
            answer = client.ask("HEAD", path, headers={"Accept-Encoding": encoding})
            assert (answer.status, answer.headers["vary"]) == (200, "Accept-Encoding"), (path, encoding)


def test_a_refusal_has_the_same_rights_in_the_browser_as_an_answer(client: Client) -> None:
    for headers in ({"Host": "elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = client.ask("GET", "/api/v1/health", headers=headers)
        assert answer.status in (403, 421)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_a_request_that_does_not_come_loses_its_connection(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience.Impatient, "patience", 0.2)
    monkeypatch.setattr(guard, "PATIENCE", 0.2)
    place = urlsplit(client.address)
    body = (
        b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
    )
    for sent, answered in ((b"", b""), (b"GET / HTTP/1.1\r\nHost: loc", b""), (body, b"HTTP/1.1 400")):
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            connection.sendall(sent)
            assert connection.recv(12) == answered
