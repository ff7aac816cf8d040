"""Take the pictures of the explorer anew, in docs/pictures: `python docs/site/pictures.py` (half a minute; needs a browser).

Small databases are solved in a temporary folder and served from there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import uvicorn
from playwright.sync_api import sync_playwright

import searchbench as sb
from searchbench.web.app import create_app
from searchbench.web.jobs import Limits
from searchbench.web.library import Library
from searchbench.web.serve import listening

PICTURES: Final = Path(__file__).resolve().parents[1] / "pictures"
SOLVED: Final = {
    "morris": "morris:4,3", "eight": "sliding:3x3", "rook": "chess:KRK", "fox": "fox-and-geese:4", "awari": "awari:6",
    "triangle": "peg-solitaire:triangle,6", "four": "connect4:4x4", "noughts": "tic-tac-toe",
}  # fmt: skip
HARD: Final = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"
"""An instance of the 15-puzzle that keeps IDA* busy for the whole of a picture (Korf 1985, number 1)."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Solve the games, and yield the address of the explorer with them."""
    for name, spec in SOLVED.items():
        sb.solve(spec, to=folder / name)
    place = listening("127.0.0.1", 0)
    library = Library({name: folder / name for name in SOLVED})
    server = uvicorn.Server(uvicorn.Config(create_app(library, Limits()), log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{place.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def home(page: Any) -> None:
    """Show the first page."""
    page.wait_for_selector("[data-game=hanoi]")


def position(page: Any) -> None:
    """Show a position after a few moves, with the best line."""
    page.wait_for_selector("#moves button")
    for _ in range(4):
        before = page.input_value("#notation")
        page.click("#best")
        page.wait_for_function("text => document.getElementById('notation').value !== text", arg=before)
    page.click("#line")
    page.wait_for_selector("#film button")


def database(page: Any) -> None:
    """Show the chart and some positions."""
    page.wait_for_selector("#chart svg")
    page.wait_for_selector("#results li")


def search(page: Any) -> None:
    """Show a search at work."""
    page.wait_for_selector(".sb-piece")
    page.click("#start-search")
    page.wait_for_selector(".spark path", timeout=120_000)
    page.wait_for_timeout(6000)


def phone(page: Any) -> None:
    """Show a position on a phone, in the dark."""
    page.wait_for_selector("#board .worth")


View = tuple[str, Callable[[Any], None], tuple[int, int], Literal["light", "dark"]]
VIEWS: Final[dict[str, View]] = {
    "home": ("/", home, (1240, 950), "light"),
    "position": ("/databases/morris/position?state=hardest", position, (1240, 1060), "light"),
    "position-dark": ("/databases/morris/position?state=hardest", position, (1240, 1060), "dark"),
    "database": ("/databases/rook?value=loss+32", database, (1240, 1180), "light"),
    "database-dark": ("/databases/rook?value=loss+32", database, (1240, 1180), "dark"),
    "phone": ("/databases/triangle/position?state=start", phone, (390, 844), "dark"),
    "search": (f"/search?game=sliding:4x4&state={HARD}", search, (1240, 760), "light"),
}
"""A picture's name: the address, the steps up to it, the size, and the colours."""


def take(address: str) -> None:
    """Take all pictures."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=os.environ.get("SEARCHBENCH_BROWSER") or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        for name, (path, steps, (width, height), colours) in VIEWS.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=colours, reduced_motion="reduce"
            )
            page = context.new_page()
            page.set_default_timeout(120_000)  # a busy machine is no fault of the page
            page.goto(address + path)
            steps(page)
            page.mouse.move(0, 0)
            page.evaluate("window.scrollTo(0, 0)")
            page.wait_for_timeout(500)
            page.screenshot(path=PICTURES / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, served(Path(made)) as found:
        take(found)
