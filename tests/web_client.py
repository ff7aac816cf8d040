"""How the tests of the explorer call it: a server in a thread, and a client that speaks plain HTTP."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import uvicorn

import searchbench as sb
from front_program import EXAMPLES
from searchbench.web.app import create_app
from searchbench.web.jobs import Limits
from searchbench.web.library import Library
from searchbench.web.patience import Impatient
from searchbench.web.serve import LONGEST_HEAD, listening


class Answer(NamedTuple):
    """Hold what the server answered."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        """Return the JSON it sent."""
        return json.loads(self.text)

    @property
    def message(self) -> str:
        """Return the message of an error."""
        return str(self.json["detail"])


class Client(NamedTuple):
    """Ask one server; every request has a connection of its own."""

    address: str

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        """Send a request as it stands."""
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=120)
        sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if sent is not None else {}
        connection.request(method, path, sent, {**kind, **(headers or {})})
        answer = connection.getresponse()
        found = Answer(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        )
        connection.close()
        return found

    def get(self, path: str, /, **query: Any) -> Answer:
        """Get an address of the API."""
        given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        return self.ask("GET", f"/api/v1{path}{'?' + urlencode(given) if given else ''}")

    def post(self, path: str, body: Any) -> Answer:
        """Post to an address of the API."""
        return self.ask("POST", f"/api/v1{path}", body)

    def fetch(self, path: str, /, **query: Any) -> Any:
        """Return the JSON of an answer that must be good."""
        answer = self.get(path, **query)
        assert answer.status == 200, answer.text
        return answer.json

    def finished(self, **request: Any) -> Any:
        """Start a job and return it once it has ended."""
        started = self.post("/jobs", request)
        assert started.status == 202, started.text
        while (job := self.fetch(f"/jobs/{started.json['id']}"))["status"] == "running":
            time.sleep(0.05)
        return job


@contextmanager
def running(app: Any) -> Iterator[Client]:
    """Serve an application in a thread."""
    place = listening("127.0.0.1", 0)
    config = uvicorn.Config(
        app,
        http=Impatient,
        log_level="critical",
        h11_max_incomplete_event_size=LONGEST_HEAD,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Client(f"http://127.0.0.1:{place.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join(20)
        place.close()


LIMITS = Limits(at_once=2, seconds=900, memory="256MB", nodes=10**12, states=400_000)  # a search ends by its seconds


def interesting(position: sb.Position) -> bool:
    """Tell whether a position has something in its first cell."""
    return position.state[0] > 1


def make_app(folders: dict[str, Path], limits: Limits | None = None) -> Any:
    """Return an application over some databases, and over the games of the examples."""
    games = {game.spec: game for game in map(sb.load, EXAMPLES.values())}
    return create_app(Library(folders, games, {"interesting": interesting}), limits)


def browser_path() -> str | None:
    """Return where a browser is: named by $SEARCHBENCH_BROWSER, or on the path."""
    named = os.environ.get("SEARCHBENCH_BROWSER")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
