"""The pages in a real browser, without a window: what a reader does, on five games, with mouse, keyboard and touch."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from web_client import LIMITS, Client, make_app, running

pytest.importorskip("playwright.sync_api")


def notation(page: Any) -> str:
    return str(page.input_value("#notation"))


def pieces(page: Any) -> Any:
    """Return what is drawn where."""
    return page.eval_on_selector_all(
        "#board .sb-piece", "found => found.map(one => [one.getAttribute('transform'), one.innerHTML])"
    )


def wait_for(page: Any, text: str) -> None:
    """Wait until the page shows the position with this notation."""
    page.wait_for_function("text => document.getElementById('notation').value === text", arg=text)


def middle(page: Any, number: int) -> tuple[float, float]:
    """Return where the middle of a cell is."""
    box = page.locator(f'#board .sb-cell[data-cell="{number}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def press(page: Any, number: int) -> None:
    """Click in the middle of a cell."""
    page.mouse.click(*middle(page, number))


def click_move(page: Any, database: sb.Database, text: str) -> str:
    """Make a move by clicking on the board, cell by cell, until it is made; return the notation after it."""
    game = database.game
    state = game.read(notation(page))
    move = game.parse_move(state, text)
    after = game.format(game.play(state, move))
    clicks, others = game.clicks(state, move), [game.clicks(state, other) for other in game.moves(state)]
    for done, number in enumerate(clicks, 1):
        press(page, number)
        if sum(other[:done] == clicks[:done] for other in others) == 1:
            break  # no other move begins like that, so it is made
    wait_for(page, after)
    return after


# --- moves by hand, on five games -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["morris", "eight", "triangle", "awari", "token", "patience"])
def test_moves_are_made_by_clicking(
    open_position: Callable[..., Any], databases: dict[str, sb.Database], name: str
) -> None:
    database = databases[name]
    page = open_position(name)
    position = database.game.position()
    for _ in range(4):
        choices = database.moves(position)
        if not choices:
            break
        shown = page.locator("#moves button span:nth-child(2)").all_inner_texts()
        assert shown == [database.game.format_move(position.state, choice.move) for choice in choices]
        chosen = choices[min(1, len(choices) - 1)]
        text = database.game.format_move(position.state, chosen.move)
        assert click_move(page, database, text) == chosen.position.text
        value = database.probe(chosen.position)
        assert ("no solution" if value is None else database.rule.format(value)) in page.inner_text("#value")
        position = chosen.position
    page.click("#back")
    page.wait_for_function("text => document.getElementById('notation').value !== text", arg=position.text)
    page.click("#forward")
    wait_for(page, position.text)


@pytest.mark.parametrize("name", ["eight", "morris", "triangle", "awari", "token", "patience", "coins"])
def test_the_best_line_is_followed_to_its_end(
    open_position: Callable[..., Any], databases: dict[str, sb.Database], name: str
) -> None:
    database = databases[name]
    hardest = database.find(database.hardest(), limit=1)[0]
    page = open_position(name, "hardest")
    wait_for(page, hardest.text)
    line = database.line(hardest, limit=100)
    page.click("#line")
    frames = page.locator("#film button")
    frames.nth(len(line)).wait_for()
    assert frames.count() == len(line) + 1
    assert (
        page.eval_on_selector("#film", "film => getComputedStyle(film).backgroundImage").count("radial-gradient") == 2
    )
    for position in list(line)[1:8]:
        page.click("#best")
        wait_for(page, position.text)
    frames.nth(len(line)).click()
    last = list(line)[-1]
    wait_for(page, last.text)
    if line.complete:
        assert page.inner_text("#value") or page.inner_text("#who")


def test_a_piece_is_dragged(open_position: Callable[..., Any]) -> None:
    page = open_position("triangle")
    before = notation(page)
    page.mouse.move(*middle(page, 3))
    page.mouse.down()
    x, y = middle(page, 0)
    page.mouse.move(x + 30, y + 40, steps=5)
    page.mouse.move(x, y)
    page.mouse.up()
    wait_for(page, "o/-o/-oo/oooo/ooooo")
    assert before == "-/oo/ooo/oooo/ooooo"


def test_captures_ask_which_man_is_removed(open_position: Callable[..., Any]) -> None:
    page = open_position("morris", "WW.W..../B......./B..B....")
    press(page, 3)
    press(page, 2)
    page.wait_for_selector("#board .mark.chosen")
    marked = {int(mark.get_attribute("data-cell")) for mark in page.locator("#board .mark:not(.chosen)").all()}
    assert marked == {8, 16, 19}
    press(page, 19)
    page.wait_for_function("() => document.getElementById('value').textContent === 'The first player has won'")
    assert page.locator("#board .sb-first").count() == 3
    assert page.locator("#board .sb-second").count() == 2


def test_escape_takes_back_the_clicks_of_a_move(open_position: Callable[..., Any]) -> None:
    """A press with the mouse gives the board no focus, so the key comes to the page."""
    page = open_position("morris", "WW.W..../B......./B..B....")
    press(page, 3)
    page.wait_for_selector("#board .mark.chosen")
    assert page.evaluate("document.getElementById('board').contains(document.activeElement)") is False
    page.keyboard.press("Escape")
    page.wait_for_selector("#board .mark.chosen", state="detached")


def database_move(database: sb.Database, state: str, place: int) -> str:
    """Return the text of a move of the list."""
    position = database.game.position(state)
    return database.game.format_move(position.state, database.moves(state)[place].move)


def test_the_keyboard_does_all_that_the_mouse_does(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    page = open_position("eight", "8 7 6 0 4 1 2 5 3")
    first = databases["eight"].moves("8 7 6 0 4 1 2 5 3")
    page.keyboard.press(database_move(databases["eight"], "8 7 6 0 4 1 2 5 3", 1))  # a tile is its own key
    wait_for(page, first[1].position.text)
    page.keyboard.press("ArrowLeft")
    wait_for(page, "8 7 6 0 4 1 2 5 3")
    page.keyboard.press("b")
    wait_for(page, first[0].position.text)
    page.keyboard.press("l")
    page.wait_for_selector("#film button")
    page.focus('#board .sb-cell[tabindex="0"]')
    page.keyboard.press("Enter")
    page.wait_for_function("text => document.getElementById('notation').value !== text", arg=first[0].position.text)


def test_a_link_brings_the_position_back(open_position: Callable[..., Any], page: Any, client: Client) -> None:
    page = open_position("morris", "hardest")
    page.click("#best")
    page.wait_for_function("() => document.getElementById('who').textContent.includes('second player')")
    address, shown = page.url, pieces(page)
    page.goto(client.address)
    page.goto(address)
    page.wait_for_selector("#moves button")
    assert pieces(page) == shown
    assert "second player" in page.inner_text("#who")


def test_the_database_plays_one_side(open_position: Callable[..., Any], databases: dict[str, sb.Database]) -> None:
    page = open_position("token")
    database = databases["token"]
    page.select_option("#computer", "1")
    choices = database.moves("a l")
    answer = database.moves(choices[0].position)[0].position
    click_text = database.game.format_move((0, 11), choices[0].move)
    page.locator("#moves button", has_text=click_text).first.click()
    wait_for(page, answer.text)
    assert "first player" in page.inner_text("#who")


def test_both_sides_play_on_to_the_end(open_position: Callable[..., Any], databases: dict[str, sb.Database]) -> None:
    state = databases["eight"].find(3, limit=1)[0].text
    page = open_position("eight", state)
    page.click("#run")
    wait_for(page, "0 1 2 3 4 5 6 7 8")
    assert "Solved" in page.inner_text("#who")
    assert page.is_disabled("#best")


# --- values on the board, names, history --------------------------------------------------------------------------------


def test_the_board_at_rest_has_the_value_of_every_move(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    page = open_position("eight", "8 7 6 0 4 1 2 5 3")
    assert page.locator("#board .worth text").all_text_contents() == ["30"] * 3
    assert (
        page.locator("#moves .badge").all_inner_texts() == ["30"] * 3
    )  # as the command line: the value after the move
    assert page.locator("#board .worth.best").count() == 3
    page.click("#values")
    assert page.locator("#board .worth").count() == page.locator("#moves .badge").count() == 0
    assert "hidden" in page.inner_text("#value")
    page = open_position("eight", "8 7 6 0 4 1 2 5 3")
    assert page.locator("#board .worth").count() == 0  # the choice is kept
    page.keyboard.press("v")
    assert page.locator("#board .worth").count() == 3
    page = open_position("noughts", "XO./.X./..O")
    choices = databases["noughts"].moves("XO./.X./..O")
    told = {
        choice.position.text: f"{'LW'[choice.value.outcome < 0]}{choice.value.depth + 1}"
        if choice.value.outcome
        else "="
        for choice in choices
    }
    shown = page.eval_on_selector_all("#board .worth", "found => found.map(one => [one.dataset.cell, one.textContent])")
    after = {
        "XO./.X./..O"[:place] + "X" + "XO./.X./..O"[place + 1 :]: cell
        for cell, place in enumerate((0, 1, 2, 4, 5, 6, 8, 9, 10))
    }
    assert {int(cell): text for cell, text in shown} == {after[state]: text for state, text in told.items()}


def test_moves_of_two_clicks_show_the_best_of_each_piece_and_then_of_each_target(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    page = open_position("morris")
    database = databases["morris"]
    position = database.game.position()
    begun: dict[int, dict[int, str]] = {}
    for choice in database.moves(position):  # the best first
        first, second, *_ = database.game.clicks(position.state, choice.move)
        worth = database.worth(position.state, choice)
        assert worth is not None
        begun.setdefault(first, {}).setdefault(
            second, "L=W"[worth.outcome + 1] + (str(worth.depth) if worth.outcome else "")
        )
    assert len(begun) > 1
    read = "found => Object.fromEntries(found.map(one => [one.dataset.cell, one.textContent]))"
    shown = page.eval_on_selector_all("#board .worth", read)
    assert {int(cell): text for cell, text in shown.items()} == {
        cell: next(iter(to.values())) for cell, to in begun.items()
    }
    piece = next(iter(begun))
    page.locator(f'#board .sb-cell[data-cell="{piece}"]').press("Enter")
    page.wait_for_selector("#board .mark.chosen")
    shown = page.eval_on_selector_all("#board .worth", read)
    assert {int(cell): text for cell, text in shown.items()} == begun[piece]
    page = open_position("token")  # one piece alone can move: its targets have their values at once
    assert sorted(page.locator("#board .worth").all_text_contents()) == ["L14", "L14"]


def test_cells_have_the_names_of_the_moves(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    page = open_position("morris")
    labels = page.eval_on_selector_all("#board .sb-cell", "found => found.map(one => one.getAttribute('aria-label'))")
    board = databases["morris"].game.board()
    assert board is not None
    assert [label.split(",")[0] for label in labels] == list(board.names)
    assert "empty" in labels[12]
    assert sorted(page.locator("#board .sb-coordinate").all_text_contents()) == sorted("abcdefg1234567")
    page = open_position("awari")
    assert "".join(page.locator("#board .sb-coordinate").all_text_contents()) == "ABCDEFabcdef"


def test_moves_are_numbered_and_taken_back_in_twos_against_the_database(open_position: Callable[..., Any]) -> None:
    page = open_position("noughts")
    assert page.is_disabled("#back")
    assert page.is_disabled("#forward")
    page.select_option("#computer", "1")
    assert "computer=1" in page.url
    for stones in (2, 4):
        press(
            page,
            4
            if stones == 2
            else page.evaluate("[...document.querySelectorAll('#board .sb-cell.can')][0].dataset.cell * 1"),
        )
        page.wait_for_function(f"() => document.querySelectorAll('#board .sb-piece').length === {stones}")
    assert re.sub(r"\s+", " ", page.inner_text("#record")).startswith("begin 1. b2 ")
    assert page.locator("#record button").count() == 5
    assert page.locator("#graph rect").count() == 5
    page.click("#back")
    page.wait_for_function("() => document.querySelectorAll('#board .sb-piece').length === 2")
    page.wait_for_timeout(1200)  # longer than the database waits before it moves
    assert page.locator("#board .sb-piece").count() == 2
    page.click("#forward")
    page.wait_for_function("() => document.querySelectorAll('#board .sb-piece').length === 4")
    assert page.is_disabled("#forward")
    page.reload()
    page.wait_for_function("() => document.querySelectorAll('#record button').length === 5")
    assert page.input_value("#computer") == "1"
    page.click("#record [data-place='0']")
    page.wait_for_function("() => document.querySelectorAll('#board .sb-piece').length === 0")
    assert page.is_disabled("#back")
    page.select_option("#computer", "0")  # sides are changed: the database begins, and what came after is forgotten
    page.wait_for_function("() => document.querySelectorAll('#board .sb-piece').length === 1")
    assert page.locator("#record button").count() == 2
    middles = page.eval_on_selector_all(
        "#graph rect",
        "found => found.map(one => Number(one.getAttribute('y')) + Number(one.getAttribute('height')) / 2)",
    )
    assert len(set(middles)) == 1  # draws are neither up nor down
    assert "up is good for the first player" in page.inner_text("#graph")


def test_keys_that_come_fast_wait_for_each_other(
    open_position: Callable[..., Any], databases: dict[str, sb.Database]
) -> None:
    page = open_position("eight", "8 7 6 0 4 1 2 5 3")
    press_all = "key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))"
    state, keys = "8 7 6 0 4 1 2 5 3", []
    for place in (0, 1, 0, 0):
        keys.append(database_move(databases["eight"], state, place))
        state = databases["eight"].moves(state)[place].position.text
    page.evaluate(f"{keys}.forEach({press_all})")
    wait_for(page, state)
    assert page.locator("#record button").count() == 5


def test_the_state_says_who_is_to_move(open_position: Callable[..., Any], page: Any, client: Client) -> None:
    page = open_position("noughts", ".../.X./...")
    assert "second player" in page.inner_text("#who")
    assert "side=1" in page.url
    page = open_position("noughts", ".../.../...", 1)
    assert "first player" in page.inner_text("#who")
    page = open_position("noughts", "XX./OOO/..X")
    assert page.inner_text("#value") == "The second player has won"
    assert page.inner_text("#moves") == "The game is over."


# --- editing and pasting ----------------------------------------------------------------------------------------------


def test_a_position_is_edited_by_hand(open_position: Callable[..., Any], databases: dict[str, sb.Database]) -> None:
    page = open_position("eight")
    page.click("#edit")
    page.wait_for_selector("#exchange")
    for number in (7, 8, 5, 4):
        press(page, number)
    page.click("#done")
    wait_for(page, "0 1 2 3 5 4 6 8 7")
    assert str(databases["eight"].probe("0 1 2 3 5 4 6 8 7")) in page.inner_text("#value")
    page = open_position("morris")
    page.click("#edit")
    page.click('#editor [data-label="W"]')
    press(page, 23)
    page.click("#done")
    page.wait_for_selector(".message")
    assert "no part of this game" in page.inner_text(".message")
    assert page.inner_text("#value") == ""  # of what is no position nothing is told
    assert page.locator("#moves button").count() == 0
    page.click('#editor [data-label=""]')
    press(page, 5)
    page.click("#done")
    wait_for(page, "BWBW..B./......../.......W")


def test_a_position_is_pasted_and_nonsense_is_refused_in_words(open_position: Callable[..., Any]) -> None:
    page = open_position("eight")
    page.fill("#notation", "8 0 6 5 4 7 2 3 1")
    page.click("#go")
    page.wait_for_function("() => document.getElementById('value').textContent.startsWith('31')")
    for nonsense, words in (("8 0 6", "each of 0 .. 8 once"), ("hello", "expected"), ("1" * 10**6, "at most 4,000")):
        page.fill("#notation", nonsense)
        page.click("#go")
        page.wait_for_selector(f".message:has-text('{words}')")
    page.fill("#notation", "0 1 2 3 4 5 6 7 8")
    page.press("#notation", "Enter")
    page.wait_for_function("() => document.getElementById('value').textContent.startsWith('0')")
    assert page.locator(".message").count() == 0


def test_an_unknown_database_and_an_impossible_position_are_told(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/databases/nothing")
    page.wait_for_selector(".message:has-text('there is no database')")
    page.goto(f"{client.address}/databases/eight/position?state=1+2+3")
    page.wait_for_selector(".message:has-text('each of 0 .. 8 once')")
    assert notation(page) == "0 1 2 3 4 5 6 7 8"  # the start in its place, and in the address
    assert "state=0+1+2" in page.url
    page.locator("#moves button").first.click()
    page.wait_for_function("() => document.querySelectorAll('#record button').length === 2")
    address, shown = page.url, notation(page)
    page.route("**/position?*", lambda route: route.abort())
    page.locator("#moves button").first.click()
    page.wait_for_selector(".message:has-text('does not answer')")
    assert (page.url, notation(page)) == (address, shown)


# --- databases, finding, jobs ---------------------------------------------------------------------------------------------


def test_a_hardest_position_is_found_and_opened(page: Any, client: Client, databases: dict[str, sb.Database]) -> None:
    page.goto(client.address)
    page.click("#databases a:has-text('morris')")
    page.wait_for_selector("#chart svg")
    assert page.locator("#chart .sb-column").count() == len(databases["morris"].histogram())
    linear = page.inner_html("#chart")
    page.click("[data-scale=log]")
    page.wait_for_function("before => document.getElementById('chart').innerHTML !== before", arg=linear)
    page.click("#longest button:has-text('loss 26')")
    page.wait_for_selector("#results li")
    expected = databases["morris"].find("loss 26")
    assert page.locator("#results li").count() == 12
    assert f"of {len(expected)} positions" in page.inner_text("#results p")
    page.click("#more")
    page.wait_for_function(f"() => document.querySelectorAll('#results li').length === {len(expected)}")
    assert page.locator("#results .notation").all_inner_texts() == [position.text for position in expected]
    page.locator("#results a").nth(3).click()
    page.wait_for_selector("#moves button")
    assert notation(page) == expected[3].text
    assert "loss 26" in page.inner_text("#value")


def test_positions_are_found_by_a_condition_and_a_predicate(
    page: Any, client: Client, databases: dict[str, sb.Database]
) -> None:
    page.goto(f"{client.address}/databases/patience")
    page.fill("#find-value", "11")
    page.fill("#find-where", "state[7] == 5")
    page.click("#find")
    page.wait_for_function("() => document.querySelectorAll('#results li').length === 2")
    page.select_option("#find-predicate", "interesting")
    page.click("#find")
    expected = [found for found in databases["patience"].find(11) if found.state[7] == 5 and found.state[0] > 1]
    page.wait_for_function("() => !document.querySelector('#results p').textContent.startsWith('looking')")
    assert page.locator("#results li").count() == len(expected)
    page.fill("#find-where", "state.real")
    page.click("#find")
    page.wait_for_selector(".message:has-text('not understood')")


def test_a_proof_made_on_the_page_is_walked_through(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=tic-tac-toe&state=X.O/.../...")
    page.click("button:has-text('Start')")
    page.click("#walk")
    page.wait_for_selector("#tree details")
    assert page.locator("#tree .answer", has_text=re.compile(r"^\d+ replies$")).count() >= 1
    shade = page.locator("#tree").evaluate("tree => getComputedStyle(tree).backgroundAttachment")
    assert shade == "local, local, scroll, scroll"  # of these the last two are seen where the list goes on
    assert page.locator("#tree strong", has_text="gets a draw or better").count() <= 2  # each claim once, at the root
    page.goto(client.address)
    page.wait_for_selector("[data-game=hanoi]")
    assert "null" not in page.inner_text("#main").split()
    assert page.locator("#certificates a", has_text="Tic-tac-toe").count() >= 1


def test_a_small_game_is_solved_from_the_page(page: Any, client: Client) -> None:
    page.goto(client.address)
    row = page.locator("#games tr", has=page.locator("[data-game=hanoi]"))
    row.locator("input").fill("hanoi:4")
    row.locator("button", has_text="Solve").click()
    page.wait_for_selector("#databases a:has-text('hanoi-4')")  # its card is there at once
    row.locator("a", has_text="look at it").click()
    page.wait_for_selector("#moves button")
    assert page.inner_text("#value").startswith("15")
    page.goto(client.address)
    row.locator("input").fill("sliding:9x9x9")
    row.locator("button", has_text="Solve").click()
    row.locator(".message").wait_for()
    assert "sliding" in row.locator(".message").inner_text()


HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"  # 80 moves: no test waits for it


def test_a_job_is_seen_and_stopped_from_any_page(page: Any, client: Client) -> None:
    request = {"kind": "search", "game": "sliding:4x4", "state": HARD, "method": "idastar"}
    started = client.post("/jobs", request).json["id"]
    page.goto(f"{client.address}/databases/token")
    page.wait_for_selector("#jobs summary:has-text('1')")
    page.click("#jobs summary")
    job = page.locator(f"[data-job='{started}']")
    assert "search sliding:4x4" in job.inner_text()
    job.locator("a").click()  # to the page that watches it
    page.wait_for_function("() => document.getElementById('nodes')?.textContent.length > 5")
    assert notation_of_search(page) == HARD
    page.reload()
    page.wait_for_function("() => document.getElementById('nodes')?.textContent.length > 5")
    page.click("#jobs summary")
    job.locator("button").click()
    page.wait_for_selector("#stage:has-text('stopped')")
    assert client.fetch(f"/jobs/{started}")["status"] == "stopped"


def notation_of_search(page: Any) -> str:
    return str(page.input_value("#state"))


def test_nothing_is_offered_that_is_too_large(page: Any, client: Client) -> None:
    page.goto(client.address)
    row = page.locator("#games tr", has=page.locator("[data-game=rubik]"))
    assert row.locator("button", has_text="Solve").is_disabled()
    assert "not numbered, or too many: search one position" in row.inner_text()
    assert (
        "type smaller parameters"
        in page.locator("#games tr", has=page.locator("[data-game=peg-solitaire]")).inner_text()
    )
    row.locator("input").fill("rubik:small")
    assert row.locator("button", has_text="Solve").is_enabled()


def test_a_database_is_verified_from_the_page(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/databases/token")
    page.click("#verify")
    page.wait_for_selector("#verified:has-text('no faults')")


def test_the_method_is_the_one_that_was_chosen_or_that_suits_the_game(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:4x4")
    page.wait_for_selector("#method option[value=idastar]", state="attached")
    for game, chosen, shown in (
        ("sliding:4x4", "", "idastar"),
        ("sokoban:#1", "", "astar"),
        ("sokoban:#2", "featurespace", "featurespace"),
        ("sokoban:#3", "", "featurespace"),
        ("sliding:3x3", "", "astar"),
        ("sliding:2x3", "idastar", "idastar"),
        ("hanoi:3", "", "idastar"),
        ("tic-tac-toe", "", "portfolio"),
    ):
        page.fill("#game", game)
        page.press("#game", "Tab")
        page.wait_for_function("state => document.querySelector('#caption').textContent === state", arg=start_of(game))
        if chosen:
            page.select_option("#method", chosen)
        assert page.input_value("#method") == shown, game


def start_of(game: str) -> str:
    """Return the notation of a game's start."""
    return sb.load(game).position("start").text


def test_a_search_is_watched_and_its_solution_played(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:4x4&state=1+2+6+3+4+5+0+7+8+9+10+11+12+13+14+15")
    page.wait_for_selector(".sb-piece")
    page.click("#start-search")
    page.wait_for_selector("#outcome:has-text('cost 3, which is the least')")
    page.wait_for_selector("#caption:has-text('3 of 3')")
    page.fill("#game", "tic-tac-toe")
    page.press("#game", "Tab")
    page.wait_for_selector("#method option[value=pns]", state="attached")
    page.fill("#state", "XX./OO./...")
    page.press("#state", "Tab")
    page.click("#start-search")
    page.wait_for_selector("#outcome:has-text('win')")


# --- looks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/databases/morris", "/databases/eight/position", "/search", "/api"])
def test_pages_fit_a_phone_and_name_their_controls(browser: Any, client: Client, path: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark", has_touch=True)
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.goto(client.address + path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    outside = page.evaluate(
        """() => [...document.querySelectorAll("main button")].filter(one => one.checkVisibility() && !one.closest(".film"))
            .filter(one => one.getBoundingClientRect().right > 360).map(one => one.outerHTML)"""
    )
    assert outside == []
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, select, textarea, [role=button]")]
            .filter(one => one.checkVisibility() && !one.labels?.length)
            .filter(one => !one.getAttribute("aria-label") && !one.textContent.trim())
            .map(one => one.outerHTML)"""
    )
    assert unnamed == []
    nested = ("button button", "button a", "a button", "a a", "[role=button] [role=button]", "[role=img] [role=button]")
    assert page.locator(", ".join([*nested, "[role=img] [tabindex]"])).count() == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert not re.search(r"(?<![:/\w])/\w+/\w+/[\w./-]*\.(py|db)\b", page.inner_text("body"))  # no path of this machine
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("header button")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    context.close()


def test_columns_played_lead_to_a_position_with_values_on_the_columns(
    page: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A database of the sweep knows who wins, and not how soon: words stand on the cells where stones would fall."""
    folder = tmp_path_factory.mktemp("layers") / "four.db"
    database = sb.solve("connect4:4,4", solver="sweep", to=folder, threads=1)
    with running(make_app({"four": folder}, LIMITS)) as served:
        page.goto(f"{served.address}/databases/four/position?state=1122")
        page.wait_for_selector("#moves li")
        for played in ("1122", "33", "1213141"):
            page.fill("#notation", played)
            page.press("#notation", "Enter")
            position = database.game.position(played)
            wait_for(page, position.text)
            tags = page.eval_on_selector_all(
                "#board .worth", "found => found.map(one => [Number(one.dataset.cell), one.textContent])"
            )
            right = {}
            for choice in database.moves(position):
                (cell,) = database.game.clicks(position.state, choice.move)
                worth = str(database.worth(position.state, choice))
                right[cell] = "=" if worth == "draw" else worth
            assert dict(tags) == right
        assert set(right.values()) <= {"win", "loss", "="}


def test_a_pawn_is_promoted_by_clicks_and_a_choice(page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "pawn.db"
    sb.solve("chess:KPK,3x3", to=folder, threads=1)
    with running(make_app({"pawn": folder}, LIMITS)) as served:
        for kind in "QRBN":
            page.goto(f"{served.address}/databases/pawn/position?state=2k/P2/2K w")
            page.wait_for_selector("#moves li")
            press(page, 3)
            press(page, 6)
            choice = page.locator("#board .choice button")
            assert sorted(choice.all_text_contents()) == ["a2a3=B", "a2a3=N", "a2a3=Q", "a2a3=R"]
            choice.get_by_text(f"a2a3={kind}").click()
            wait_for(page, f"{kind}1k/3/2K b")
            assert page.locator("#board .choice").count() == 0


# --- what newcomers meet ----------------------------------------------------------------------------------------------


def test_a_click_anywhere_in_a_column_drops_a_stone_there(tmp_path: Path, page: Any) -> None:
    sb.solve("connect4:2,3,3", to=tmp_path / "drops.db", threads=1)
    with running(make_app({"drops": tmp_path / "drops.db"}, LIMITS)) as client:
        page.goto(f"{client.address}/databases/drops/position?state=start")
        page.wait_for_selector("#moves li")
        names = page.eval_on_selector_all("#board .sb-cell", "cells => cells.map(cell => cell.dataset.name)")
        top = next(number for number, name in enumerate(names) if name.startswith("2, row 3"))
        for expected in ("../../.X", "../.O/.X", ".X/.O/.X"):
            press(page, top)
            wait_for(page, expected)
        press(page, top)  # the column is full
        assert notation(page) == ".X/.O/.X"


def test_a_stone_that_spoils_a_level_is_marked(tmp_path: Path, page: Any) -> None:
    rows = "#######|#     #|# $@  #|#  .  #|#     #|#######"
    sb.solve(f"sokoban:{rows}", to=tmp_path / "level.db", threads=1)
    with running(make_app({"level": tmp_path / "level.db"}, LIMITS)) as client:
        page.goto(f"{client.address}/databases/level/position?state=Cb @Cc")
        page.wait_for_selector("#moves li")
        cell = page.locator("#board .sb-cell[data-name^='Cb, stone']").get_attribute("data-cell")
        marks = page.eval_on_selector_all("#board .mark.lost", "marks => marks.map(mark => mark.dataset.cell)")
        assert marks == [cell]
        page.click("text=Start")
        page.wait_for_function("() => !document.querySelector('#board .mark.lost')")


def test_a_search_for_rare_positions_goes_on_by_itself_until_it_is_stopped(page: Any, client: Client) -> None:
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        found = [{"number": 30, "state": "1 0 2 3 4 5 6 7 8", "value": {"text": "1", "kind": "number", "number": 1}}]
        late = len(asked) == 3
        route.fulfill(json={"states": found if late else [], "next": 10 * len(asked), "count": None})

    page.route("**/find?*", answer)
    page.goto(f"{client.address}/databases/eight?where=number%20%3E%200")
    page.wait_for_selector(".results li")
    assert [address.split("first=")[1].split("&")[0] for address in asked] == ["0", "10", "20"]
    assert page.locator("#more").inner_text() == "More"
    page.click("#more")
    page.click("#stop-looking")
    page.wait_for_selector("#more")
    seen = len(asked)
    page.wait_for_timeout(500)
    assert len(asked) == seen
