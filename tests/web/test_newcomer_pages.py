"""What a newcomer met on the pages: broken addresses, boards by keyboard, charts and tables on a phone, words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import searchbench as sb
from searchbench.catalogue import title_of
from searchbench.drawing import Column, board_svg, chart_svg
from web_client import LIMITS, Client, make_app, running

pytest.importorskip("playwright.sync_api")


# --- addresses ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/databases/%25zz", "/databases/%zz/position", "/certificates/%E0%A4"])
def test_an_address_that_is_encoded_wrongly_is_told(page: Any, client: Client, path: str) -> None:
    page.goto(client.address + path)
    page.wait_for_selector("#main .message:has-text('there is no')")
    assert "All databases and games" in page.inner_text("#main")


def test_pages_of_what_is_not_there_are_not_found(client: Client) -> None:
    for path, status in (
        ("/databases/eight", 200),
        ("/databases/none", 404),
        ("/databases/none/position", 404),
        ("/search", 200),
    ):
        answer = client.ask("GET", path, headers={"Accept": "text/html"})
        assert (answer.status, "<!doctype html>" in answer.text) == (status, True), path
    missing = client.ask("GET", "/nothing", headers={"Accept": "text/html"})
    assert (missing.status, 'class="brand"' in missing.text) == (404, True)


def test_the_api_says_which_addresses_and_methods_there_are(client: Client) -> None:
    nowhere = client.get("/nothing")
    assert (nowhere.status, nowhere.json["title"]) == (404, "Not found")
    wrong = client.ask("PUT", "/api/v1/databases/eight/probe")
    assert (wrong.status, wrong.headers["allow"], wrong.json["kind"]) == (405, "GET, HEAD, POST", "MethodNotAllowed")


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b'{"states":', "application/json", "the body is no JSON"),
        (b'{"states": []}', "text/plain", "Content-Type: application/json"),
        (b'{"states": [], "more": 1}', "application/json", "more: there is no such field here"),
        (b"{}", "application/json", "states: it must be given"),
    ],
)
def test_a_body_that_is_not_understood_is_told_why(client: Client, body: bytes, kind: str, said: str) -> None:
    answer = client.ask("POST", "/api/v1/databases/eight/probe", body, {"Content-Type": kind})
    assert (answer.status, said in answer.message) == (400, True), answer.text


def test_a_parameter_that_is_given_twice_is_refused(client: Client) -> None:
    answer = client.ask("GET", "/api/v1/databases/eight/probe?state=start&state=hardest")
    assert (answer.status, "more than once" in answer.message) == (400, True)
    assert client.get("/databases/eight/stats", chart="round").status == 400


def test_pages_may_not_have_styles_in_attributes(page: Any, client: Client) -> None:
    """The policy refuses them, so that what is drawn cannot bring its own; the pages set theirs one by one."""
    assert "unsafe-inline" not in client.ask("GET", "/").headers["content-security-policy"]
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    for path in ("/", "/databases/eight", "/databases/eight/position", "/search", "/api"):
        page.goto(client.address + path, wait_until="networkidle")
    assert [text for text in told if "Content Security Policy" in text] == []


# --- boards ---------------------------------------------------------------------------------------------------------------


def test_arrows_walk_over_the_board_which_is_one_stop_of_the_tab_key(open_position: Callable[..., Any]) -> None:
    page = open_position("noughts")
    assert page.locator('#board .sb-cell[tabindex="0"]').count() == 1
    page.focus('#board .sb-cell[tabindex="0"]')
    names = []
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        names.append(page.evaluate("document.activeElement.dataset.name.split(',')[0]"))
    assert names == ["b3", "b2", "b1", "b1", "a1", "a2"]
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('#board .sb-piece').length === 1")
    assert page.evaluate("document.activeElement.dataset.name") == "a2, first player"  # the focus stays
    assert page.evaluate("document.activeElement.getAttribute('aria-disabled')") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#board')") is None


@pytest.mark.parametrize("width", [390, 1280])
def test_values_on_the_board_can_be_read_on_any_screen(
    page: Any, open_position: Callable[..., Any], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page = open_position("morris")
    heights = page.eval_on_selector_all(
        "#board .worth rect", "found => found.map(one => one.getBoundingClientRect().height)"
    )
    assert heights
    assert all(15 <= height <= 30 for height in heights), heights
    page.set_viewport_size({"width": 1670 - width, "height": 844})  # the other one, without a reload
    page.wait_for_function("() => document.querySelector('#board .worth')")
    assert page.evaluate("document.querySelector('#board .worth rect').getBoundingClientRect().height") >= 15


def test_the_line_under_the_value_tells_who_wins(open_position: Callable[..., Any]) -> None:
    page = open_position("noughts", "XO./.X./..O")
    assert page.inner_text("#who") == "The first player is to move and wins in 3 plies."
    page.click("#values")
    assert page.inner_text("#who") == "The first player is to move."


def test_a_maze_has_walls_boxes_goals_and_a_man() -> None:
    game = sb.load("sokoban:#1")
    board = game.board()
    assert board is not None
    drawn = board_svg(board, game.pieces(game.start()))
    pieces = game.pieces(game.start())
    assert drawn.count('class="sb-goal') == sum(mark in ".*+" for mark in pieces if mark)
    assert drawn.count('class="sb-man"') == 1
    assert drawn.count('class="sb-tile"') == pieces.count("$") > 0
    assert "$" not in re.sub("<[^>]*>", "", drawn.partition("</style>")[2])


def test_games_with_other_numbers_keep_their_title(tmp_path: Path) -> None:
    database = sb.solve("sokoban:#1", index="reached", to=tmp_path / "level.db", threads=1)
    assert title_of(database.game) == title_of(sb.load("sokoban:#1"))
    assert title_of(database.game).startswith("Push every stone onto a goal")


def test_a_board_and_its_buttons_are_seen_together_on_a_laptop(page: Any, open_position: Callable[..., Any]) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    for name in ("eight", "morris"):
        page = open_position(name)
        box = page.locator("#best").bounding_box()
        assert box["y"] + box["height"] <= 800


def test_a_wrong_notation_is_told_beside_it(page: Any, open_position: Callable[..., Any]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page = open_position("morris")
    before = page.url
    page.fill("#notation", "rubbish")
    page.click("#go")
    page.wait_for_selector("#wrong-notation .message:has-text('three rings')")
    assert page.inner_text("#wrong-notation .message").startswith("'rubbish'")  # the page names the game at its head
    told = page.locator("#wrong-notation .message").bounding_box()
    assert 0 <= told["y"] <= 844 - told["height"]  # not a screen further up, at the board
    assert page.get_attribute("#notation", "aria-invalid") == "true"
    assert page.get_attribute("#notation", "aria-describedby") == "wrong-notation"
    assert page.url == before
    page.press("#notation", "End")
    page.type("#notation", "!")
    assert page.locator("#wrong-notation .message").count() == 0
    assert page.get_attribute("#notation", "aria-invalid") == "false"


# --- charts and tables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [300, 720])
def test_no_label_of_a_chart_is_cut_off(width: int) -> None:
    columns = [Column(f"win {31 - number}", number, "win") for number in range(31)]
    drawn = chart_svg(columns, width=width, style=False)
    labels = re.findall(r'x="([\d.]+)" y="250" text-anchor="middle">([^<]+)', drawn)
    assert labels
    assert all(float(x) + 3.5 * len(text) <= width for x, text in labels)


def test_a_phone_sees_the_whole_chart_and_arrows_walk_over_it(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{client.address}/databases/morris")
    page.wait_for_selector("#chart svg")
    box = page.locator("#chart svg").bounding_box()
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("(chart => chart.scrollWidth <= chart.clientWidth)(document.getElementById('chart'))")
    assert page.locator("#chart [tabindex='0']").count() == 1
    page.focus("#chart [tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#results li")
    assert page.input_value("#find-value") == page.evaluate("document.activeElement.dataset.label")


def test_the_narrowest_screen_need_not_be_scrolled_sideways(page: Any, client: Client) -> None:
    client.finished(kind="solve", game="hanoi:1")  # from now on the header has the jobs, too
    page.set_viewport_size({"width": 320, "height": 640})  # what 1280 are at a zoom of 400 %
    for path in ("/databases/eight", "/databases/morris/position", "/search", "/api"):
        page.goto(client.address + path)
        page.wait_for_selector("h1")
        page.wait_for_selector("#jobs:not([hidden])")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_parameters_of_the_api_are_words_on_a_phone(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{client.address}/api")
    page.wait_for_selector(".endpoint th code")
    heights = page.eval_on_selector_all(
        ".endpoint th code", "found => found.map(one => one.getBoundingClientRect().height)"
    )
    assert max(heights) < 30  # one line each
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_of_the_api_describes_bodies_answers_and_the_kind_of_problem_in_its_address(
    page: Any, client: Client
) -> None:
    page.goto(f"{client.address}/api#BadState")
    page.wait_for_selector("#problems tr.shown")
    assert "400" in page.inner_text("#problems tr.shown")
    assert "no state of the game" in page.inner_text("#problems tr.shown")
    assert 0 < page.locator("#problems tr.shown").bounding_box()["y"] < 900
    many = page.locator(".endpoint", has_text="the values of many states").inner_text()
    assert "In the body; required." in many
    assert "Answers a list of: state, number, value" in many
    assert f"curl '{client.address}/api/v1/databases/eight/probe?state=start'" in page.inner_text("#main")


# --- the first page, and the search -----------------------------------------------------------------------------------------


def test_a_game_is_found_by_typing(page: Any, client: Client) -> None:
    page.goto(client.address)
    page.wait_for_selector("[data-game=hanoi]")
    page.fill("#filter", "PEG")
    shown = page.locator("#games tbody tr:visible strong").all_inner_texts()
    assert "peg-solitaire" in shown
    assert "sliding" not in shown
    page.fill("#filter", "")
    assert page.locator("#games tbody tr:visible").count() > 20


def test_a_database_without_the_start_begins_with_a_position_that_it_has(page: Any, tmp_path: Path) -> None:
    sb.solve("tic-tac-toe", to=tmp_path / "ending.db", parts="7,8,9", threads=1)
    with running(make_app({"ending": tmp_path / "ending.db"})) as server:
        assert [one["begins"] for one in server.fetch("/databases")] == ["hardest"]  # which the cards show
        page.goto(f"{server.address}/databases/ending")
        page.wait_for_selector(".facts code .unbroken")
        assert page.locator(".facts code .unbroken").all_inner_texts() == ["--parts"]
        page.click("#open")
        page.wait_for_selector("#moves li")
        page.goto(
            f"{server.address}/databases/ending/position?state=start"
        )  # a link by hand: told, with a position to go on
        page.wait_for_selector(".message:has-text('this database has the parts')")
        page.wait_for_selector("#moves li")
        assert page.locator("#start").count() == 0


def test_links_to_search_and_prove_lead_there_in_another_tab_too(page: Any, client: Client) -> None:
    page.goto(client.address)
    row = page.locator("tr:has([data-game^=sliding])")
    link = row.get_by_role("link", name="Search sliding", exact=True)
    assert link.get_attribute("href") == "/search?game=sliding%3A3x3"
    row.locator("input").fill("sliding:2x3")
    assert link.get_attribute("href") == "/search?game=sliding%3A2x3"
    assert row.get_by_role("button", name="Solve sliding", exact=True).is_enabled()


def test_a_link_to_a_search_brings_the_question_back_when_the_job_is_forgotten(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:3x3&state=1+0+2+3+4+5+6+7+8")
    page.click("#start-search")
    page.wait_for_url("**job=*")
    page.goto(re.sub("job=.*", "job=none", page.url))
    page.wait_for_selector(".message:has-text('no job')")
    assert page.input_value("#game") == "sliding:3x3"
    assert page.input_value("#state") == "1 0 2 3 4 5 6 7 8"


def test_a_state_that_is_solved_is_told_before_it_is_searched(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:3x3")
    page.wait_for_selector("#hint")
    assert "solved already" in page.inner_text("#hint")
    page.locator("#main .table .sb-cell.can").first.press("Enter")
    page.wait_for_function("() => document.getElementById('state').value !== ''")
    page.wait_for_function("() => !document.getElementById('hint')")


def test_no_proof_is_offered_where_there_is_none(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=awari:5")
    page.wait_for_selector("#hint")
    assert "worth points" in page.inner_text("#hint")
    assert page.is_disabled("#start-search")
    assert page.locator("#method option").count() == 0
    page.fill("#game", "hex:3x3")
    page.press("#game", "Tab")
    page.wait_for_selector("#method option[value=dfpn]", state="attached")
    assert page.is_enabled("#start-search")
    assert page.locator("#method option[value=threats], #method option[value=graph]").count() == 0


def test_a_game_that_is_unknown_has_no_board(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/search?game=sliding:3x3&state=1+0+2+3+4+5+6+7+8")
    page.wait_for_selector("#main .sb-piece")
    page.fill("#game", "slidding:3x3")
    page.press("#game", "Enter")
    page.wait_for_selector(".message:has-text('slidding')")
    assert not page.locator("#main .sb-piece").first.is_visible()
    assert not page.is_visible("#caption")
    page.click("#shuffle")  # which has nothing to shuffle
    page.wait_for_selector(".message:has-text('slidding')")
    page.fill("#game", "sliding:2x3")
    page.press("#game", "Tab")
    page.wait_for_selector("#main .sb-piece")
    assert page.is_visible("#caption")


def test_a_late_answer_about_another_game_leaves_the_board(page: Any, client: Client) -> None:
    held: list[Any] = []
    page.route(re.compile("position.*slidding"), lambda route: held.append(route))
    page.goto(f"{client.address}/search?game=sliding:3x3")
    page.wait_for_selector("#main .sb-piece")
    page.fill("#game", "slidding:3x3")
    page.press("#game", "Tab")
    page.fill("#game", "sliding:2x3")
    page.press("#game", "Tab")
    page.wait_for_function("() => document.querySelectorAll('#main .sb-piece').length === 5")
    assert held
    for route in held:
        with page.expect_response(re.compile("slidding")):
            route.continue_()
    page.wait_for_timeout(200)  # for what the page makes of the answer
    assert page.locator("#main .sb-piece").first.is_visible()
    assert page.locator(".message:has-text('slidding')").count() == 0


def test_a_job_on_all_states_has_a_page_of_its_own(page: Any, client: Client) -> None:
    started = client.post("/jobs", {"kind": "solve", "game": "hanoi:2"}).json["id"]
    page.goto(f"{client.address}/search?job={started}")
    page.wait_for_selector("h1:has-text('Solving hanoi:2')")
    page.wait_for_selector("#whole a:has-text('look at it')")
    assert page.locator("#board, form").count() == 0
    page.click("#jobs summary")
    assert page.locator("#jobs li").first.is_visible()
    page.keyboard.press("Escape")
    page.wait_for_selector("#jobs:not([open])")
    page.click("#jobs summary")
    page.click("h1")
    page.wait_for_selector("#jobs:not([open])")
    page.goto(f"{client.address}/search?job=none")
    page.wait_for_selector(".message:has-text('no job')")
    assert page.locator("#main .sb-piece").count()  # and one can begin another


# --- a slow or broken connection ----------------------------------------------------------------------------------------------


def test_a_page_that_waits_shows_it(open_position: Callable[..., Any]) -> None:
    page = open_position("eight", "8 7 6 0 4 1 2 5 3")
    held: list[Any] = []
    page.route("**/api/v1/databases/eight/position?*", lambda route: held.append(route))
    page.click("#best")
    page.wait_for_selector("body.waits")
    held[0].continue_()
    page.wait_for_selector("body:not(.waits)")
    page.wait_for_function("() => document.getElementById('notation').value !== '8 7 6 0 4 1 2 5 3'")


def test_a_stream_that_breaks_once_is_taken_up_again(page: Any, client: Client) -> None:
    broken: list[str] = []

    def break_once(route: Any) -> None:
        if broken:
            route.continue_()
        else:
            broken.append(route.request.url)
            route.abort("connectionreset")

    page.route("**/events", break_once)
    page.goto(f"{client.address}/search?game=hanoi:3&state=start")
    page.wait_for_selector("#method option", state="attached")
    page.click("#start-search")
    page.wait_for_selector("#outcome .message")
    assert broken
    assert "cost 7" in page.inner_text("#outcome")


def test_a_value_hides_no_piece_on_a_phone(page: Any, open_position: Callable[..., Any]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page = open_position("noughts")  # a wide board first: there the values stand inside
    page = open_position("morris")
    covered = page.evaluate(
        """() => [...document.querySelectorAll('#board .worth')].map((tag) => {
             const value = tag.getBoundingClientRect();
             const piece = document.querySelector(`#board .sb-piece[data-cell="${tag.dataset.cell}"]`).getBoundingClientRect();
             const height = Math.min(value.bottom, piece.bottom) - Math.max(value.top, piece.top);
             return Math.max(0, height) / piece.height;
           })"""
    )
    assert covered
    assert max(covered) < 0.4, covered


def test_a_database_of_endings_has_letters_on_the_board_and_tells_what_they_mean(page: Any, tmp_path: Path) -> None:
    sb.solve("mnk:3,2,3", to=tmp_path / "ends.db", solver="sweep", threads=1)
    with running(make_app({"ends": tmp_path / "ends.db"}, None)) as found:
        page.goto(f"{found.address}/databases/ends/position?state=start")
        page.wait_for_selector("#board .worth")
        assert set(page.locator("#board .worth").all_text_contents()) <= {"W", "L", "="}
        assert "W wins" in page.inner_text("#legend")


def test_enter_solves_the_game_that_is_typed(page: Any, client: Client) -> None:
    page.goto(client.address)
    field = page.get_by_label("hanoi with its parameters")
    field.fill("hanoi:2")
    field.press("Enter")
    page.wait_for_selector("#games a:has-text('look at it')", timeout=90_000)


def test_a_phone_held_across_has_a_board_of_some_size(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(f"{client.address}/databases/morris/position?state=start")
    page.wait_for_selector("#board svg")
    assert page.locator("#board svg").bounding_box()["height"] >= 320


def test_a_phone_shows_two_found_positions_beside_each_other(page: Any, client: Client) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{client.address}/databases/morris?value=draw")
    page.wait_for_selector("#results li:nth-child(3)")
    tops = page.locator("#results li").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert tops[0] == tops[1] < tops[2]


def test_the_shadow_of_a_list_lies_within_its_cover(page: Any, client: Client) -> None:
    page.goto(f"{client.address}/databases/noughts/position?state=start")
    page.wait_for_selector(".record")
    places = page.locator(".record").evaluate("(one) => getComputedStyle(one).backgroundPosition").split(", ")
    assert places[2:] == ["0px 1px", "0px calc(100% - 1px)"]


def test_the_players_of_fox_and_geese_are_told_apart(client: Client) -> None:
    state = "GGG/G../......./......./......./.F./... "
    for word, player in (("geese", "the goose player"), ("fox", "the fox player")):
        game = sb.load("fox-and-geese:4")
        assert game.sides[game.mover(game.read(state + word)) or 0] == player


def test_a_ring_has_the_shape_of_its_cell(page: Any, tmp_path: Path) -> None:
    for spec in ("hex:2x2", "dots-and-boxes:1x1"):
        sb.solve(spec, to=tmp_path / f"{spec[:3]}.db", threads=1)
    with running(make_app({name: tmp_path / f"{name}.db" for name in ("hex", "dot")}, None)) as found:
        page.goto(f"{found.address}/databases/hex/position?state=start")
        page.wait_for_selector("#board .mark")
        rings = page.locator("#board .mark").evaluate_all("all => all.map((one) => one.getAttribute('points'))")
        assert set(rings) == {page.locator("#board .sb-hole").first.get_attribute("points")}
        page.goto(f"{found.address}/databases/dot/position?state=start")
        page.wait_for_selector("#board .worth")
        boxes = page.evaluate(
            "['.worth', '.sb-hole'].map((kind) => [...document.querySelectorAll(`#board ${kind}`)]"
            ".map((one) => one.getBoundingClientRect()).map(({x, y, width, height}) => [x + width / 2, y + height / 2]))"
        )
        assert len(boxes[0]) == 4
        for value, place in zip(
            sorted(boxes[0]), sorted(boxes[1]), strict=True
        ):  # a value is in the middle of its line
            assert value == pytest.approx(place, abs=1)


def test_values_stay_on_the_board_while_a_move_of_the_list_is_looked_at(open_position: Callable[..., Any]) -> None:
    page = open_position("noughts", "XO./.X./..O")
    shown = page.locator("#board .worth").count()
    assert shown > 1
    page.hover("#moves li:nth-child(2) button")
    page.wait_for_selector("#board .mark.shown")
    assert page.locator("#board .worth").count() == shown


def test_the_page_tells_what_the_values_mean_and_whose_stones_are_whose(open_position: Callable[..., Any]) -> None:
    page = open_position("morris")
    assert "W wins, L loses" in page.inner_text("#legend")
    assert page.locator("#who svg .sb-first").count() == 1
    assert page.locator("#moves kbd.rank").count() == min(9, page.locator("#moves li").count())
    page.click("#values")
    assert page.inner_text("#legend") == ""
    page.click("#edit")
    page.wait_for_selector("#exchange")
    assert all(page.is_disabled(f"#{name}") for name in ("best", "line", "run", "values", "back"))
    page.click("#cancel")
    page.wait_for_function("() => !document.getElementById('values').disabled")


def test_who_moves_is_chosen_with_the_pieces_of_a_chess_board(tmp_path: Path, page: Any) -> None:
    sb.solve("chess:KRK,3,3", to=tmp_path / "rook.db")
    with running(make_app({"rook": tmp_path / "rook.db"})) as client:
        page.goto(f"{client.address}/databases/rook/position?state=k2/3/K1R w")
        page.wait_for_selector("#moves li button")
        page.click("#edit")
        page.select_option("#mover", "1")
        page.click("#done")
        page.wait_for_function("() => document.getElementById('notation').value.endsWith(' b')")
        assert "Black" in page.inner_text("#who")


def test_a_column_that_dwarfs_the_others_makes_the_chart_logarithmic(page: Any, client: Client) -> None:
    for name in ("eight", "morris"):
        counts = sorted((row["count"] for row in client.fetch(f"/databases/{name}/stats")["values"]), reverse=True)
        page.goto(f"{client.address}/databases/{name}")
        page.wait_for_selector("#chart svg")
        pressed = page.get_attribute("[data-scale][aria-pressed=true]", "data-scale")
        assert pressed == ("log" if counts[0] > 8 * counts[1] else "linear")


def test_games_tell_their_parameters_and_names_that_are_meant(page: Any, client: Client) -> None:
    page.goto(client.address)
    row = page.locator("#games tr:has(strong:text-is('mnk'))")
    assert "parameters: " in row.locator(".parameters").inner_text()
    assert "did you mean 'connect4'?" in client.get("/games/position", game="conect4:4").message


# --- slices, and moves that cost -------------------------------------------------------------------------------------------


def test_a_slice_shows_the_moves_that_it_knows_and_where_the_others_lead(page: Any, tmp_path: Path) -> None:
    whole = sb.solve("chess:KQKR,4,4", to=tmp_path / "whole.db", threads=1)
    small = whole.convert(tmp_path / "small.db", parts="KQKR")
    split = {one: small.moves_within(one) for one in small.find(limit=100)}
    some = next(one for one, (inside, outside) in split.items() if len(inside) > 1 and outside)
    known, elsewhere = split[some]
    with running(make_app({"small": tmp_path / "small.db"}, LIMITS)) as client:
        page.goto(f"{client.address}/databases/small/position?state={quote(some.text)}")
        page.wait_for_selector("#moves li")
        rows = page.locator("#moves li").all_inner_texts()
        assert len(rows) == len(known) + len(elsewhere)
        assert [("not here" in row) for row in rows] == [False] * len(known) + [True] * len(elsewhere)
        assert f"in {elsewhere[0][1].part}, not here" in rows[-len(elsewhere)]


def test_a_puzzle_whose_moves_differ_in_cost_shows_it(page: Any, tmp_path: Path) -> None:
    sb.solve("graph:0>1:5;1>2:1;0>2:9;2=0", to=tmp_path / "roads.db", threads=1)
    with running(make_app({"roads": tmp_path / "roads.db"}, LIMITS)) as client:
        page.goto(f"{client.address}/databases/roads/position?state=0")
        page.wait_for_selector("#moves li")
        assert [row.split("\n")[-1] for row in page.locator("#moves li").all_inner_texts()] == ["5 + 1", "9 + 0"]
        assert "6 is the cost of the way to the end" in " ".join(page.inner_text("#value").split())
