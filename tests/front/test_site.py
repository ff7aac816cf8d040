"""The documentation site: built by one command with warnings as errors, every page in the navigation, every link leads on."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import searchbench as sb
from front_program import ROOT
from searchbench.catalogue import shipped
from searchbench.configuration import options_of
from searchbench.reproduce import PAPERS, ROWS
from searchbench.solvers import guided, proof
from searchbench.solvers.exhaustive import configuration as exhaustive
from searchbench.store import Keep
from web_client import browser_path

pytest.importorskip("mkdocs")
pytest.importorskip("material")
MUST = bool(os.environ.get("SEARCHBENCH_BROWSER_TESTS"))
FETCHING = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


class Page(HTMLParser):
    """Read a page: what it links to, what it fetches, and the places that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, fetches, and is called."""
        found = dict(attrs)
        self.places |= {str(found[name]) for name in ("id", "name") if found.get(name)}
        for name in ("href", "src"):
            if (address := found.get(name)) is not None:
                self.links.add(address)
                if (tag, name) in FETCHING:
                    self.fetched.add(address)


def build(config: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "site"
    built = build(ROOT / "mkdocs.yml", target)
    assert built.returncode == 0, built.stdout + built.stderr
    return target


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path.read_text()) for path in site.rglob("*.html")}


def broken(site: Path, pages: dict[str, Page]) -> list[str]:
    """Return the links of a site that lead nowhere in it, each with its page."""
    found = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or name == "404.html":
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            target = (target / "index.html" if target.is_dir() else target).resolve()
            known = pages.get(target.relative_to(site).as_posix()) if target.is_relative_to(site) else None
            if not target.is_file() or (parts.fragment and known and unquote(parts.fragment) not in known.places):
                found.append(f"{name}: {link}")
    return found


@pytest.mark.long
def test_no_link_and_no_picture_is_broken(site: Path, pages: dict[str, Page]) -> None:
    assert len(pages) > 60
    assert broken(site, pages) == []


def test_a_broken_link_would_be_seen(site: Path, pages: dict[str, Page]) -> None:
    wrong = Page('<a href="../nowhere/">a</a><img src="../pictures/none.png"><a href="#nowhere">b</a>')
    found = broken(site, {**pages, "learning/index.html": wrong})
    assert len([one for one in found if one.startswith("learning/index.html")]) == 3


def test_nothing_is_fetched_from_elsewhere(site: Path, pages: dict[str, Page]) -> None:
    elsewhere = {link for page in pages.values() for link in page.fetched if re.match(r"(\w+:)?//", link)}
    assert {link for link in elsewhere if not link.startswith("data:")} == set()
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", sheet.read_text()), sheet


def test_every_page_can_be_reached_by_the_navigation(site: Path, pages: dict[str, Page]) -> None:
    """MkDocs refuses pages of docs/ that are not in the navigation; here the links are followed, from the first page on."""
    seen, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in pages:
            continue
        seen.add(name)
        for link in pages[name].links:
            path = urlsplit(link)
            if not path.scheme and path.path:
                target = ((site / name).parent / unquote(path.path)).resolve()
                target = target / "index.html" if target.is_dir() else target
                if target.is_relative_to(site):
                    waiting.append(target.relative_to(site).as_posix())
    assert set(pages) - seen <= {"404.html"}
    for document in (ROOT / "docs").rglob("*.md"):
        path = document.relative_to(ROOT / "docs").with_suffix("").as_posix()
        assert ("index.html" if path == "index" else f"{path}/index.html") in seen


def test_every_game_and_every_row_has_its_place(site: Path) -> None:
    for game in shipped():
        text = (site / "games" / game.name / "index.html").read_text()
        assert "<svg" in text, game.name
        solved = text[text.index('id="solved"') : text.index('id="to-try-it"')]
        columns = re.findall(r"<tr>(.*?)</tr>", solved, re.DOTALL)
        cells = [[re.sub(r"<[^>]+>|\s", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in columns]
        assert all(any(column) for column in zip(*filter(None, cells), strict=True)), game.name
        noted = (inspect.getdoc(game) or "").partition("\n")[2].strip()
        assert ('id="to-know"' in text) == bool(noted), game.name
    papers = "".join(
        (site / "papers" / module.__name__.rpartition(".")[2] / "index.html").read_text() for module in PAPERS
    )
    assert [name for name in ROWS if f"searchbench reproduce {name}\n" not in re.sub(r"<[^>]+>", "", papers)] == []


def test_the_reference_tells_every_option_of_every_configuration(site: Path) -> None:
    page = (site / "api/configurations/index.html").read_text()
    methods = [*exhaustive.METHODS.values(), *guided.METHODS.values(), *proof.METHODS.values(), Keep]
    for one in methods:
        assert getattr(sb, one.__name__) is one
        begin = page.index(f'<h2 id="{one.__name__.lower()}">')
        end = page.find("<h2 ", begin + 1)
        told = page[begin:end]
        for name, option in options_of(one).items():
            row = re.search(rf"<td><code>{name}</code></td>\s*<td><code>(.*?)</code></td>\s*<td>(.*?)</td>", told, re.S)
            assert row, (one, name)
            assert unescape(row[1]).endswith(f" = {option.default!r}"), (one, name)
            assert option.told.split()[0].strip("`:") in row[2], (one, name)
    assert "\\|" not in page
    assert "A\\*" not in page
    assert "_compiled_before" not in page
    text = "".join(path.read_text() for path in (site / "api").rglob("index.html"))
    assert "ForwardRef" not in text
    assert "<em>slice</em>" in text
    assert not re.search(r"\*\w+\*", re.sub(r"<[^>]+>", "", text))


def test_the_reference_tells_every_public_name(site: Path) -> None:
    """Each name has a heading, each public module a page with its names."""
    headings = {path.parent.name: Page(path.read_text()).places for path in (site / "api").rglob("index.html")}
    told = set().union(*headings.values())
    modules = {name for name in sb.__all__ if inspect.ismodule(getattr(sb, name))}
    assert {name for name in sb.__all__ if name.lower() not in told} <= modules == {"analyse", "errors", "index"}
    assert "errors" in headings
    for page, module in {"analyses": sb.analyse, "indexes": sb.index}.items():
        assert {name for name in module.__all__ if name.lower() not in headings[page]} == set()


def test_a_page_outside_the_navigation_and_a_broken_link_stop_the_build(tmp_path: Path) -> None:
    """With plain pages only, in the place of docs/: strictness is the configuration's."""
    (tmp_path / "docs").mkdir()
    text = re.sub(
        r"^(hooks|docs_dir|site_dir|extra_css|  logo|  favicon).*\n", "", (ROOT / "mkdocs.yml").read_text(), flags=re.M
    )
    (tmp_path / "mkdocs.yml").write_text(text[: text.index("nav:\n  - Start")] + "nav:\n  - index.md\n")
    first = tmp_path / "docs" / "index.md"
    first.write_text("# Start\n")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 0, built.stderr
    first.write_text("# Start\n\n[nowhere](nowhere.md)\n")
    assert "nowhere.md" in build(tmp_path / "mkdocs.yml", tmp_path / "site").stderr
    first.write_text("# Start\n")
    (tmp_path / "docs" / "lost.md").write_text("# Lost\n")
    assert "lost.md" in build(tmp_path / "mkdocs.yml", tmp_path / "site").stderr


class Quiet(SimpleHTTPRequestHandler):
    """Serve files, and say nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keep silent."""


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_site_in_a_browser(address: str, width: int) -> None:
    """No fault in a script, no picture missing, no page wider than the window; the search finds a page."""
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as play:
        try:
            browser = play.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
        except api.Error as error:
            if MUST:
                raise
            pytest.skip(f"no chromium: {str(error)[:80]}")
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.set_default_timeout(90_000)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("response", lambda answer: faults.append(answer.url) if answer.status >= 400 else None)
        page.on("request", lambda asked: faults.append(asked.url) if "127.0.0.1" not in asked.url else None)
        for path in ("", "games/", "games/sliding/", "papers/gasser/", "api/games/", "tutorials/prove-a-game/"):
            page.goto(f"{address}/{path}", wait_until="networkidle")
            pictures = page.eval_on_selector_all("img", "found => found.filter(one => !one.naturalWidth).length")
            assert pictures == 0, path
            assert page.evaluate("document.documentElement.scrollWidth") <= width + 1, path
            assert page.locator("[role=dialog]:not([aria-label])").count() == 0, path
        page.goto(f"{address}/tutorials/prove-a-game/")  # what is copied is what is typed
        typed = page.eval_on_selector_all(
            "pre code", "found => found.map(one => { one.dataset.mdCopying = ''; return one.innerText; })"
        )
        lines = [line for text in typed for line in text.splitlines() if line]
        assert len(lines) >= 7
        assert all(line.startswith(("searchbench ", "import ", "proof", "sb.")) for line in lines), lines
        page.goto(f"{address}/")
        page.evaluate("document.querySelector('#__search').click()")
        page.evaluate("document.querySelector('.md-search__input').focus()")
        page.keyboard.type("retrograde")
        page.wait_for_selector(".md-search-result__item", state="attached")
        browser.close()
        assert faults == []
