"""Whole games by keyboard alone, and the words in which a reader of the screen hears of a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.board import cell_names, spoken
from web_client import LIMITS, Client, make_app, running

pytest.importorskip("playwright.sync_api")
ENABLED = (
    """() => [...document.querySelectorAll('#board .sb-cell[aria-disabled="false"]')].map(cell => cell.dataset.cell)"""
)
TOWARDS = """(wanted) => {
    const at = (cell) => cell.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
    const [x, y] = at(document.activeElement), [u, v] = at(document.querySelector(`#board .sb-cell[data-cell="${wanted}"]`));
    return [u - x, v - y];
}"""


def tab_to(page: Any, selector: str, key: str = "Tab") -> None:
    """Press the tab key until an element has the focus."""
    for _ in range(80):
        if page.evaluate("one => document.activeElement.matches(one)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"the tab key does not lead to {selector}")


def walk_to(page: Any, cell: str) -> None:
    """Go to a cell of the board with the arrow keys."""
    for step in range(60):
        if page.evaluate("document.activeElement.dataset.cell") == cell:
            return
        across, down = page.evaluate(TOWARDS, cell)
        sideways = abs(across) >= abs(down) if step % 5 else abs(down) < 1
        page.keyboard.press(
            ("ArrowRight" if across > 0 else "ArrowLeft") if sideways else ("ArrowDown" if down > 0 else "ArrowUp")
        )
    raise AssertionError(f"the arrow keys do not lead to cell {cell}")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return a client of a server with columns of three, which is solved without a compiler."""
    folder = tmp_path_factory.mktemp("columns") / "three.db"
    sb.solve("connect4:3,3,3", to=folder, threads=1)
    with running(make_app({"three": folder}, LIMITS)) as found:
        yield found


@pytest.mark.parametrize("name", ["three", "morris"])
def test_a_whole_game_is_played_by_keyboard_alone(page: Any, client: Client, small: Client, name: str) -> None:
    """Against the database, from the choice of its side to the end, and back by undo."""
    served = small if name == "three" else client
    state = "start" if name == "three" else "hardest"
    page.goto(f"{served.address}/databases/{name}/position?state={state}")
    page.wait_for_selector("#moves li")
    tab_to(page, "#computer")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.input_value("#computer") == "1"
    tab_to(page, "#board .sb-cell", "Shift+Tab")
    for _ in range(80):
        done = page.locator("#record button").count()
        if "is to move" not in page.inner_text("#who"):
            break
        best = page.locator("#board .worth.best").first
        walk_to(page, best.get_attribute("data-cell"))
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)
        if page.locator("#record button").count() == done and page.locator("#board .chosen").count() == 0:
            page.wait_for_function("done => document.querySelectorAll('#record button').length > done", arg=done)
        page.wait_for_function(
            "() => !document.getElementById('who').textContent.startsWith('The second player is to move')"
        )
        assert page.evaluate("document.activeElement.closest('#board') !== null")  # the focus stays on the board
    played = page.locator("#record button").count() - 1
    assert played > 4
    ended = page.inner_text("#value")
    assert "has won" in ended or "draw" in ended
    tab_to(page, "#back")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('who').textContent.startsWith('The first player is to move')")
    assert not page.is_disabled("#forward")


def test_a_puzzle_is_solved_by_the_keys_of_its_tiles(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    database = databases["eight"]
    position = database.find(6, limit=1)[0]
    page = open_position("eight", position.text)
    for left in range(5, -1, -1):
        best = database.moves(position)[0]
        tile = database.game.format_move(position.state, best.move)
        assert page.locator("#moves button", has_text=tile).first.locator("kbd").inner_text() == tile
        page.keyboard.press(tile)
        page.wait_for_function("text => document.getElementById('notation').value === text", arg=best.position.text)
        said = page.locator("#status").text_content()
        assert said.startswith(f"Move {tile}. {left} step{'s' * (left != 1)} to the end.")
        position = best.position
    assert said.endswith("Solved.")


def test_a_reader_of_the_screen_hears_cells_moves_and_values(page: Any, small: Client) -> None:
    page.goto(f"{small.address}/databases/three/position?state=start")
    page.wait_for_selector("#moves li")
    board = page.locator("#board").aria_snapshot()
    assert 'group "The board"' in board
    assert '"2, row 1 from below, empty; ' in board
    assert "text:" not in board  # neither coordinates nor values by themselves: the cells tell them
    page.keyboard.press("2")  # the column of that name, wherever it stands in the list
    page.wait_for_function("() => document.querySelectorAll('#record button').length === 2")
    assert page.locator("#status").text_content().startswith("The first player has played 2. ")
    assert '"2, row 1 from below, first player"' in page.locator("#board").aria_snapshot()
    assert page.locator("#board .mark.last").count() == 1
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelectorAll('#board .mark.last').length === 0")


def test_parts_are_told_in_words(page: Any, client: Client, small: Client) -> None:
    page.goto(f"{small.address}/databases/three/position?state=start")
    page.wait_for_selector("#moves li")
    assert "0 stones" in page.inner_text("main")
    page.goto(f"{small.address}/databases/three")
    page.wait_for_selector("#find-part")
    assert page.locator("#find-part option").all_text_contents()[:3] == ["all parts", "0 stones", "1 stone"]
    called = {part["name"]: part["called"] for part in client.fetch("/databases/morris")["parts"]}
    assert called["3-3"] == "3 men to move against 3"
    assert sb.load("dots-and-boxes").called_part("1 again") == "1 line drawn, to pass"
    assert sb.load("chess:KQKR").called_part("KRK") == "king and rook against king"
    assert sb.load("chess:KPKP").called_part("KQKN") == "king and queen against king and knight"
    assert sb.load("chess:KQBK").called_part("KQBK") == "king, queen and bishop against king"
    assert sb.load("chess:KQQK").called_part("KQQK") == "king and two queens against king"
    assert sb.load("fox-and-geese:4").called_part("4") == "4 geese"
    assert sb.load("morris-opening:9").called_part("3-2+1") == "3 men to move against 2, 1 to place"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("chess:KRK", {"white king", "white rook", "black king", "empty"}),
        ("sokoban:#1", {"wall", "stone", "goal", "man", "empty"}),
        ("fox-and-geese:4", {"goose", "fox", "empty"}),
        ("peg-solitaire", {"peg", "empty"}),
        ("sliding:2x2", {"1", "2", "3", "empty"}),
    ],
)
def test_pieces_are_told_in_words(spec: str, words: set[str]) -> None:
    game = sb.load(spec)
    board = game.board()
    assert board is not None
    assert {spoken(board, label, game.sides) for label in game.pieces(game.start())} == words
    names = cell_names(board)
    assert len(set(names)) == len(names) == len(board.cells)


def test_the_second_player_hears_pieces_in_the_colours_that_are_drawn(client: Client) -> None:
    """Where states are as the player to move sees them, W is that player's."""
    state = "WW.W..../B......./B..B...."
    of_first = client.fetch("/databases/morris/position", state=state)
    of_second = client.fetch("/databases/morris/position", state=state, side=1)
    assert of_first["said"][0] == "first player"
    board = sb.load("morris:3,3").board()
    assert board is not None
    assert of_second["said"][0] == ("second player" if board.opposite else "first player")
    assert ('class="sb-second"' in of_second["picture"].partition('data-label="W"')[2][:80]) == bool(board.opposite)


def test_a_long_list_of_moves_is_folded_on_a_phone(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{client.address}/databases/morris/position?state=hardest")
    page.wait_for_selector("#moves li")
    moves = page.locator("#moves li").count()
    assert moves > 12
    assert page.locator("#moves li:visible").count() == 12
    page.click("#all-moves")
    assert page.locator("#moves li:visible").count() == moves


def test_a_verification_is_taken_up_again_after_a_reload(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/databases/morris")
    page.click("#verify")
    page.wait_for_selector("#verified progress")
    page.wait_for_timeout(200)
    page.reload()
    page.wait_for_selector("#verified:has-text('no faults')")
    page.goto(f"{client.address}/search?job={client.fetch('/jobs')[0]['id']}")
    page.wait_for_selector("h1:has-text('Verified: morris')")
    assert "goes on" not in page.inner_text("main")


def test_what_has_no_position_is_told_by_the_rules(small: Client) -> None:
    pieces = [""] * 6 + ["X", "X", ""]
    answer = small.post("/databases/three/arrange", {"pieces": pieces})
    assert "2 of X and 0 of O, but the players move in turn" in answer.message
    pieces = ["", "", "", "X", "", "", "", "", ""]
    answer = small.post("/databases/three/arrange", {"pieces": pieces})
    assert "a stone hangs over an empty cell" in answer.message


def test_the_pages_of_a_database_need_no_folder(small: Client, tmp_path: Path) -> None:
    """A name in an address leads to what the server was given, and to nothing else."""
    for name in ("..%2f..", "%2e%2e", "three%00", "three%2f..%2fthree"):
        assert small.ask("GET", f"/databases/{name}").status == 404
        assert small.ask("GET", f"/api/v1/databases/{name}/probe").status == 404
