"""The pages on wide and narrow screens, the history of the browser, and what is shown while a server is busy or gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from web_client import Client

pytest.importorskip("playwright.sync_api")


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_header_stands_over_the_content(page: Any, client: Client, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(client.address + "/databases/eight")
    page.wait_for_selector("#main h1")
    left = [page.locator(what).first.bounding_box()["x"] for what in (".brand", "#main h1")]
    assert abs(left[0] - left[1]) < 1


@pytest.mark.parametrize("width", [320, 360])
def test_the_buttons_of_a_position_take_two_rows_on_a_phone(
    page: Any, open_position: Callable[..., Any], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    open_position("noughts")
    tops = page.eval_on_selector_all("[aria-label=Moves] button", "all => all.map(one => Math.round(one.offsetTop))")
    assert len(tops) == 7
    assert [tops.count(top) for top in sorted(set(tops))] in ([4, 3], [5, 2])


def test_jobs_that_have_ended_are_not_counted_and_leave_the_header_one_row(page: Any, client: Client) -> None:
    client.finished(kind="solve", game="hanoi:1")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(client.address + "/databases/eight")
    page.wait_for_selector("#jobs:not([hidden])")
    assert page.inner_text("#jobs summary").strip() == "Jobs"
    assert page.locator("header.top").bounding_box()["height"] < 60


@pytest.mark.parametrize("width", [320, 360])
def test_the_seeds_of_a_pit_are_counted_legibly_on_a_phone(
    page: Any, open_position: Callable[..., Any], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    open_position("awari")
    boxes = """all => all.map(one => {
        const box = one.getBoundingClientRect();
        return [box.left, box.top, box.right, box.bottom];
    })"""
    counts = page.eval_on_selector_all("#board .sb-count", boxes)
    values = page.eval_on_selector_all("#board .worth", boxes)
    drawn = page.eval_on_selector("#board svg", "svg => svg.getScreenCTM().a")
    sizes = page.eval_on_selector_all(
        "#board .sb-count", "all => all.map(one => Number(one.getAttribute('font-size')))"
    )
    assert counts
    assert values
    assert min(sizes) * drawn >= 9
    for left, top, right, bottom in counts:
        middle, inner = (left + right) / 2, (top + bottom) / 2
        assert not any(v[0] <= middle <= v[2] and v[1] <= inner <= v[3] for v in values)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_cells_of_a_long_row_are_large_enough_for_a_finger(page: Any, client: Client, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(client.address + "/search?game=frogs-and-toads:xxxxxxxxxx-oooooooooo")
    page.wait_for_selector(".table .sb-cell.can")
    boxes = page.eval_on_selector_all(
        ".table .sb-cell > :first-child", "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert (len(boxes), min(boxes) >= 22) == (21, True), boxes
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # the board is moved, not the page
    assert page.locator(".table").evaluate("one => one.scrollWidth > one.clientWidth") == (width == 360)
    page.locator(".table .sb-piece.can").last.click()
    page.wait_for_selector("#undo:not([disabled])")  # a move was made


def test_the_best_line_is_hidden_while_the_position_is_edited(page: Any, open_position: Callable[..., Any]) -> None:
    open_position("eight", "hardest")
    page.click("#line")
    page.wait_for_selector("#film button")
    page.click("#edit")
    page.wait_for_selector("#exchange")
    assert not page.is_visible("#film")
    page.click("#cancel")
    page.wait_for_selector("#film button")


def test_back_leads_from_one_search_to_the_one_before(page: Any, client: Client) -> None:
    page.goto(client.address + "/databases/morris")
    page.wait_for_selector("#longest button")
    page.click("#longest button:has-text('loss 26')")
    page.wait_for_selector("#results li")
    page.click("#longest button:has-text('win 25')")
    page.wait_for_selector("#results p:has-text('10 positions')")
    page.click("#longest button:has-text('win 25')")  # the same again
    page.go_back()
    page.wait_for_selector("#results p:has-text('24 positions')")
    assert page.input_value("#find-value") == "loss 26"
    page.go_back()
    page.wait_for_function("() => !document.querySelector('#results').childElementCount")
    assert (page.input_value("#find-value"), page.url) == ("", client.address + "/databases/morris")
    page.go_forward()
    page.wait_for_selector("#results p:has-text('24 positions')")


@pytest.mark.parametrize(
    ("field", "text"),
    [("where", "foo > 1"), ("value", "seven"), ("first", "999999999")],
    ids=["where", "value", "first"],
)
def test_the_field_that_a_search_fails_by_is_marked(page: Any, client: Client, field: str, text: str) -> None:
    page.goto(client.address + "/databases/eight")
    page.fill(f"#find-{field}", text)
    page.click("#find")
    page.wait_for_selector("#results [role=alert]")
    fields = page.eval_on_selector_all(
        "form input", "all => all.filter(one => one.getAttribute('aria-invalid') === 'true').map(one => one.id)"
    )
    assert f"find-{field}" in fields
    assert len(fields) == (2 if field == "first" else 1)
    assert page.get_attribute(f"#find-{field}", "aria-describedby") == "results"
    page.fill(f"#find-{field}", "")
    assert page.get_attribute(f"#find-{field}", "aria-invalid") == "false"


def test_a_chart_stays_where_the_server_is_gone(page: Any, client: Client) -> None:
    page.goto(client.address + "/databases/eight")
    page.wait_for_selector("#chart svg")
    page.route("**/api/v1/**", lambda route: route.abort())
    page.set_viewport_size({"width": 800, "height": 700})
    page.wait_for_timeout(600)  # the fixture fails where the page has an error of its own
    assert page.locator("#chart svg").count() == 1
    page.click("[data-scale=log]")
    page.wait_for_selector("#longest [role=alert]:has-text('does not answer')")


def job_that_runs(page: Any, kind: str, game: str) -> None:
    """Let the server tell of a job that is compiling."""
    job = {
        "id": "a", "kind": kind, "status": "running", "request": {"game": game, "state": None}, "seconds": 3.0,
        "progress": {"stage": "compiling", "done": 0, "total": 0, "seconds": 2.9, "line": None}, "result": None, "error": None,
    }  # fmt: skip
    page.route("**/api/v1/jobs/a", lambda route: route.fulfill(json=job))
    page.route(
        "**/api/v1/jobs/a/events",
        lambda route: route.fulfill(body=f"data: {json.dumps(job)}\n\n", content_type="text/event-stream"),
    )


def test_no_nodes_are_told_before_the_search_begins(page: Any, client: Client) -> None:
    job_that_runs(page, "search", "sliding:3x3")
    page.goto(client.address + "/search?game=sliding:3x3&state=1+0+2+3+4+5+6+7+8&job=a")
    page.wait_for_selector("#stage:has-text('compiling')")
    assert (page.inner_text("#nodes"), page.inner_text("#speed")) == ("\u2013", "\u2013")


def test_the_page_of_a_job_has_a_bar_while_it_runs(page: Any, client: Client) -> None:
    job_that_runs(page, "solve", "hanoi:2")
    page.goto(client.address + "/search?job=a")
    page.wait_for_selector("#whole:has-text('compiling')")
    assert page.locator("#whole progress").bounding_box()["height"] > 5
