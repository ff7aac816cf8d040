"""The explorer's pages have no findings of axe-core, which is fetched from the npm registry where that can be reached."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from searchbench.reproduce import ROWS
from searchbench.reproduce.record import shipped_records
from searchbench.reproduce.report import report_html
from web_client import Client, browser_path

playwright_api = pytest.importorskip("playwright.sync_api")
PAGES = {
    "databases": "/",
    "database": "/databases/eight",
    "position of a puzzle": "/databases/eight/position?state=start",
    "position of a game": "/databases/token/position?state=start",
    "position of morris": "/databases/morris/position?state=start",
    "position of noughts": "/databases/noughts/position?state=.../.X./...",
    "position being edited": "/databases/noughts/position?state=start#edit",
    "help on a position": "/databases/noughts/position?state=start#help",
    "line of best play": "/databases/eight/position?state=hardest#line",
    "positions found": "/databases/morris?value=draw",
    "search": "/search",
    "interface": "/api",
    "no such database": "/databases/none",
    "no such page": "/nothing",
}
ALL_RULES = """axe.run(document, {resultTypes: ["violations"], rules: Object.fromEntries(
    axe.getRules().map(({ruleId}) => [ruleId, {enabled: ruleId !== "color-contrast-enhanced"}]))})"""
"""Also best practices, experimental rules and the sizes of targets; the higher contrast is that of level AAA."""
SEEN = {"wide, light": (1280, "light"), "wide, dark": (1280, "dark"), "phone": (390, "light")}


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return axe-core's script; without npm, or without its registry, the tests are skipped."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), "axe-core@4"]
    try:
        fetched = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("axe-core could not be fetched within 90 seconds")
    script = Path(folder, "node_modules", "axe-core", "axe.min.js")
    if fetched.returncode or not script.exists():
        pytest.skip(f"axe-core cannot be fetched: {fetched.stderr.strip()[-80:]}")
    return script.read_text()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as play:
        try:
            found = play.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
        except playwright_api.Error as error:  # that a browser must be there is the concern of test_browser
            pytest.skip(f"no chromium: {str(error)[:80]}")
        yield found
        found.close()


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_findings(path: str, seen: str, browser: Any, axe: str, client: Client) -> None:
    width, colours = SEEN[seen]
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=colours, reduced_motion="reduce", bypass_csp=True
    )
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.goto(f"{client.address}{PAGES[path]}", wait_until="networkidle")
    if clicked := PAGES[path].partition("#")[2]:
        page.click(f"#{clicked}")
        page.wait_for_load_state("networkidle")
    assert findings(page, axe) == []
    context.close()


@pytest.mark.parametrize("seen", SEEN)
def test_the_report_on_the_papers_has_no_findings(seen: str, browser: Any, axe: str) -> None:
    width, colours = SEEN[seen]
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
    page.set_content(report_html(list(ROWS.values()), shipped_records(), ["G1"]))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for folded in page.locator("details").all()[:40]:
        folded.evaluate("one => { one.open = true; }")
    assert findings(page, axe) == []
    page.close()


def findings(page: Any, axe: str) -> list[str]:
    """Return what axe-core finds wrong on a page."""
    page.evaluate(axe)
    found = page.evaluate(ALL_RULES)
    assert found["passes"]
    return [
        f"{one['id']}: {one['help']}: {node['target']} {node['html'][:120]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def test_axe_would_find_something(browser: Any, axe: str) -> None:
    page = browser.new_page()
    page.set_content("<html><body><img src='data:,'><button></button></body></html>")
    page.evaluate(axe)
    found = {one["id"] for one in page.evaluate("axe.run()")["violations"]}
    page.close()
    assert {"image-alt", "button-name", "html-has-lang"} <= found
