"""Small databases of several games, an application over them, a server that listens, and a browser."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from front_program import EXAMPLES
from web_client import LIMITS, Client, browser_path, make_app, running

SPECS = {
    "eight": "sliding:3x3", "morris": "morris:3,3", "awari": "awari:5", "triangle": "peg-solitaire:triangle,6",
    "token": EXAMPLES["token"], "patience": EXAMPLES["patience"], "coins": EXAMPLES["coins"],
    "noughts": "tic-tac-toe",
}  # fmt: skip

MUST = bool(os.environ.get("SEARCHBENCH_BROWSER_TESTS"))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of some databases."""
    folder = tmp_path_factory.mktemp("explorer")
    for name, spec in SPECS.items():
        sb.solve(spec, to=folder / f"{name}.db", threads=1)
    return {name: folder / f"{name}.db" for name in SPECS}


@pytest.fixture(scope="session")
def databases(folders: dict[str, Path]) -> dict[str, sb.Database]:
    """Return the same databases, opened apart from the server."""
    return {name: sb.open_database(folder) for name, folder in folders.items()}


@pytest.fixture(scope="session")
def client(folders: dict[str, Path]) -> Iterator[Client]:
    """Return a client of a server that takes jobs."""
    with running(make_app(folders, LIMITS)) as found:
        yield found


@pytest.fixture
def copy(folders: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies a database, so that a test may spoil it."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(folders[name], tmp_path / folders[name].name))

    return copied


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a browser; without one the tests are skipped, or fail where $SEARCHBENCH_BROWSER_TESTS says they must run."""
    playwright_api = pytest.importorskip("playwright.sync_api")
    options = {"executable_path": browser_path(), "args": ["--no-sandbox", "--disable-dev-shm-usage"]}
    with playwright_api.sync_playwright() as play:
        try:
            found = play.chromium.launch(**options)
        except playwright_api.Error as error:
            if MUST:
                raise
            pytest.skip(f"no chromium (put one on the path, or name it in $SEARCHBENCH_BROWSER): {str(error)[:80]}")
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """Return a page; what goes wrong in its scripts fails the test, and nothing is fetched from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    found, faults, asked = context.new_page(), [], []
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("request", lambda request: asked.append(request.url))
    found.set_default_timeout(90_000)  # a busy machine is no fault of the page
    yield found
    assert not faults
    assert all(re.match(r"(http://127\.0\.0\.1:\d+/|data:)", address) for address in asked)
    context.close()


@pytest.fixture
def open_position(page: Any, client: Client) -> Callable[..., Any]:
    """Return a function that opens the page of a position."""

    def opened(name: str, state: str = "start", side: int = 0) -> Any:
        page.goto(f"{client.address}/databases/{name}/position?state={state}&side={side}")
        page.wait_for_selector("#moves li")
        return page

    return opened
