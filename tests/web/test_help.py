"""Help, and what a reader meets first: words of a finished game, games found by name, a shuffle before a search."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.catalogue import name_of
from searchbench.games.sokoban import Sokoban
from web_client import LIMITS, Client, make_app, running


def test_help_tells_the_values_and_the_keys_and_gives_the_focus_back(open_position: Callable[..., Any]) -> None:
    page = open_position("noughts")
    page.click("#help")
    told = page.inner_text("#help-text")
    assert "win 13" in told
    assert "make the best move" in told
    assert page.evaluate("document.activeElement.textContent") == "Close"
    page.keyboard.press("Escape")
    assert page.locator("#help-text").is_hidden()
    assert page.evaluate("document.activeElement.id") == "help"
    page.keyboard.press("?")
    assert page.locator("#help-text").is_visible()
    page.mouse.click(5, 5)  # beside it
    assert page.locator("#help-text").is_hidden()
    page = open_position("eight")
    page.keyboard.press("?")
    assert "no solution" in page.inner_text("#help-text")


def test_every_key_of_the_help_is_a_key_of_the_page(open_position: Callable[..., Any]) -> None:
    page = open_position("eight", "hardest")
    page.keyboard.press("?")
    keys = page.locator("#help-text kbd").all_inner_texts()
    assert keys == ["1", "9", "←", "→", "b", "l", "space", "e", "v", "?"]
    page.keyboard.press("Escape")
    for key, seen in (
        ("b", "#record button >> nth=1"),
        ("l", "#film button"),
        ("v", ".blind"),
        ("e", "#editor .palette"),
    ):
        page.keyboard.press(key)
        page.locator(seen).first.wait_for()


def test_a_position_that_is_edited_has_no_moves_to_show(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{client.address}/databases/morris/position?state=start")
    page.wait_for_selector("#all-moves:visible")
    page.click("#edit")
    page.wait_for_selector("#editor .palette")
    assert page.locator("#all-moves").is_hidden()
    assert page.locator("h2", has_text="best first").count() == 0
    page.click("#cancel")
    page.wait_for_selector("#all-moves:visible")


@pytest.fixture(scope="module")
def shelf(folders: dict[str, Path]) -> Iterator[Client]:
    """Return a client of a server whose databases no other test adds to."""
    with running(make_app(folders)) as found:
        yield found


@pytest.mark.parametrize(
    ("typed", "databases", "games"),
    [
        ("han", set(), {"hanoi"}),
        ("tic-tac", {"noughts"}, {"tic-tac-toe"}),
        ("TOWN small", set(), {"small-town"}),
        ("eigh", {"eight"}, {"sliding"}),  # the game whose database is called so
        ("zzz (", set(), set()),
    ],
)
def test_databases_and_games_are_found_by_the_beginnings_of_their_words(
    page: Any, shelf: Client, typed: str, databases: set[str], games: set[str]
) -> None:
    page.goto(shelf.address)
    page.wait_for_selector("#games strong")
    cards, rows = page.locator("#databases > li:visible .mono"), page.locator("#games tr:visible strong")
    groups = page.locator("#games tbody:visible .group")
    all_cards, all_rows = cards.count(), rows.count()
    assert groups.all_inner_texts() == ["Your own", "Puzzles", "Games of two players"]
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.id") != "filter":
        page.keyboard.press("Tab")
    page.keyboard.type(typed)
    assert (set(cards.all_inner_texts()), set(rows.all_inner_texts())) == (databases, games)
    assert groups.count() == (1 if games else 0)
    shown, every = len(databases) + len(games), all_cards + all_rows
    none = f"No database, proof or game is called so: {typed}"
    assert page.inner_text("#shown") == (f"{shown} of {every}" if shown else none)
    page.fill("#filter", "")
    assert (cards.count(), rows.count(), page.inner_text("#shown")) == (all_cards, all_rows, "")


def test_forty_databases_and_long_names_leave_the_first_page_short(
    page: Any, folders: dict[str, Path], tmp_path: Path
) -> None:
    names = [f"{number}-{'a-very-long-name-' * 9}" if number < 2 else f"t{number}" for number in range(40)]
    for name in names:
        shutil.copytree(folders["noughts"], tmp_path / f"{name}.db")
    with running(make_app({name: tmp_path / f"{name}.db" for name in names})) as many:
        page.goto(many.address)
        page.wait_for_selector("#games strong")
        row = page.locator("#games tr:has(strong:text-is('tic-tac-toe'))")
        assert (row.locator(".small a").count(), row.locator("text=and 35 more").count()) == (5, 1)
        assert page.locator("#databases > li").count() == 40
        assert page.locator("#databases .short").first.bounding_box()["height"] < 70
        page.fill("#filter", "T39")
        assert page.locator("#databases > li:visible .mono").all_inner_texts() == ["t39"]


def test_nothing_is_searched_before_a_shuffle_is_done(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:3x3")
    page.wait_for_selector("#hint")
    assert "primary" in page.get_attribute("#shuffle", "class")
    page.click("#shuffle")
    assert page.is_disabled("#start-search")
    page.wait_for_function("() => !document.getElementById('start-search').disabled")
    assert page.input_value("#state")
    assert "primary" in page.get_attribute("#start-search", "class")
    assert page.locator("#hint").count() == 0


@pytest.mark.parametrize("draw", [0, 0.999])
def test_a_shuffle_that_would_go_back_and_forth_ends_elsewhere(page: Any, client: Client, draw: float) -> None:
    page.goto(f"{client.address}/search?game=sliding:2x3&state=0+1+2+3+4+5")
    page.wait_for_selector("#hint")
    page.evaluate(f"Math.random = () => {draw}")
    page.click("#shuffle")
    page.wait_for_function("() => !document.getElementById('start-search').disabled")
    assert page.input_value("#state") != "0 1 2 3 4 5"
    assert page.locator("#hint").count() == 0


def test_coordinates_have_one_size_beside_small_and_large_boards(open_position: Callable[..., Any]) -> None:
    sizes = []
    for name in ("noughts", "morris"):
        page = open_position(name)
        sizes.append(page.evaluate("document.querySelector('.sb-coordinate').getBoundingClientRect().height"))
    assert max(sizes) <= 24
    assert max(sizes) / min(sizes) < 1.4


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return a client of a server with a level of Sokoban."""
    folder = tmp_path_factory.mktemp("sokoban") / "level.db"
    sb.solve("sokoban:#1", to=folder, threads=1)
    with running(make_app({"level": folder}, LIMITS)) as found:
        yield found


def test_a_spoiled_level_says_so_and_promises_no_best_move(page: Any, warehouse: Client) -> None:
    page.goto(f"{warehouse.address}/databases/level/position?state=Cb+Dd+@Bb")
    page.wait_for_selector("#moves li")
    assert page.inner_text("h1") == "Sokoban, level 1: Two in a row"
    assert page.inner_text("#value") == "no solution"
    assert page.inner_text("#who") == "It cannot be solved any more: a stone on Dd can reach no goal any more."
    assert page.locator("h2", has_text="best first").count() == 0
    assert page.inner_text("#legend") == ""  # nothing is marked
    assert all(page.is_disabled(button) for button in ("#best", "#line", "#run"))


def test_a_level_is_tried_by_hand_on_the_page_of_searches(page: Any, warehouse: Client) -> None:
    page.goto(f"{warehouse.address}/search?game=sokoban:%231")
    page.wait_for_selector("#board .sb-cell, .table .sb-cell")
    assert page.is_disabled("#undo")
    before = page.inner_text("#caption")
    for cell in (10, 9):  # the upper stone, and the cell on its left, where it is stuck at the wall
        box = page.locator(f'.table .sb-cell[data-cell="{cell}"]').bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("text => document.getElementById('caption').textContent !== text", arg=before)
    page.click("#undo")
    page.wait_for_function("text => document.getElementById('caption').textContent === text", arg=before)
    page.fill("#state", "Cb Dd @Bb")
    page.locator("#state").blur()
    page.wait_for_selector("#hint")
    assert page.inner_text("#hint") == "It cannot be solved any more: a stone on Dd can reach no goal any more."
    assert page.is_disabled("#undo")  # the state was typed
    page.fill("#state", "")
    page.locator("#state").blur()
    page.wait_for_function("text => document.getElementById('caption').textContent === text", arg=before)
    page.click("#shuffle")
    page.wait_for_selector("#undo:enabled")
    page.click("#undo")
    page.wait_for_function("text => document.getElementById('caption').textContent === text", arg=before)
    assert page.is_disabled("#undo")
    assert page.locator("#hint").count() == 0


def test_a_level_is_called_by_its_number_its_file_and_its_title(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("#####\n#@$.#\n#####\n; Straight on\n")
    assert name_of(sb.load(f"sokoban:{file}#1")) == "Sokoban, level 1 of mine.txt: Straight on"
    assert name_of(sb.load("sokoban:#####|#@$.#|#####")) == "Sokoban"
    titles = [name_of(level) for level in Sokoban.levels("")]
    assert len(set(titles)) == len(titles)


def test_the_head_of_a_page_is_one_line_on_a_phone(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in ("/", "/search", "/nowhere"):
        page.goto(client.address + address)
        page.wait_for_selector("header nav a")
        assert page.locator("header.top").bounding_box()["height"] < 64
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
