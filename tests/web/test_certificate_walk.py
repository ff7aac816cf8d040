"""Walking through a certificate: what the API and the page tell is what its claims say, down to the end of every line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import searchbench as sb
from searchbench.web import schema
from searchbench.web.app import create_app
from searchbench.web.library import Library
from web_client import Client, browser_path, running

STATE = "XO./.../..."  # won for the first player
ANSWERED = "() => !document.getElementById('tree').textContent.includes('looking for the answer')"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a proof."""
    path = tmp_path_factory.mktemp("certificates") / "noughts.cert"
    sb.prove("tic-tac-toe", STATE).write(path)
    return path


@pytest.fixture(scope="module")
def proofs(certificate: Path) -> Iterator[Client]:
    """Return a client of a server that has it."""
    library = Library()
    assert library.add_certificate(certificate) == "noughts"
    assert library.add_certificate(certificate) == "noughts-2"
    with running(create_app(library)) as client:
        yield client


def test_a_certificate_is_described(proofs: Client, certificate: Path) -> None:
    told = proofs.fetch("/certificates/noughts")
    schema.CertificateDetails.model_validate(told)
    kept = sb.open_certificate(certificate)
    assert (told["claim"], told["records"], told["root"]) == (kept.claim, kept.records, STATE)
    assert [item["name"] for item in proofs.fetch("/certificates")] == ["noughts", "noughts-2"]
    assert proofs.get("/certificates/none").status == 404
    assert proofs.get("/certificates/noughts/position", state="XX").status == 400
    assert proofs.get("/certificates/noughts/position", state="hardest").status == 400


def test_every_line_of_the_proof_ends_in_a_win(proofs: Client) -> None:
    """Walk through all replies: after each of the claimer's moves, the other player has no reply that is not answered."""
    game = sb.load("tic-tac-toe")
    ends = 0
    open_states, seen = ["start"], set()
    while open_states:
        text = open_states.pop()
        at = proofs.fetch("/certificates/noughts/position", state=text)
        schema.CertificatePosition.model_validate(at)
        if at["state"] in seen:
            continue
        seen.add(at["state"])
        if at["result"]:
            assert at["result"] == "the first player has won"
            assert at["answers"] == []
            ends += 1
            continue
        (answer,) = at["answers"]
        if answer["moves"]:
            assert at["side"] == 0
            state = game.read(at["state"])
            for one in answer["moves"]:
                state = game.play(state, game.parse_move(state, one["move"]))
                assert one["state"] == game.format(state)
            open_states.append(answer["moves"][0]["state"])
        else:
            assert at["side"] == 1
            assert [reply["move"] for reply in answer["replies"]] == [move["move"] for move in at["moves"]]
            assert all(reply["covered"] for reply in answer["replies"])
            open_states += [reply["state"] for reply in answer["replies"]]
    assert ends > 3
    elsewhere = proofs.fetch("/certificates/noughts/position", state="OX./.../..X")
    assert elsewhere["answers"] == []


def test_the_page_shows_the_tree_and_why_a_reply_loses(proofs: Client) -> None:
    api: Any = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as play:
        try:
            browser = play.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        except api.Error as error:
            pytest.skip(f"no chromium: {str(error)[:80]}")
        page = browser.new_page(reduced_motion="reduce")
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.set_default_timeout(90_000)
        page.goto(proofs.address)
        page.locator("#certificates a").first.click()
        page.wait_for_selector("#tree details")
        assert "wins" in page.inner_text("h1")
        first = page.locator("#tree details").first
        move = first.get_attribute("data-move")
        assert first.inner_text() == move  # its answer is a record, which goes without saying
        pieces = page.locator("#board .sb-piece").count()
        cell = sb.load("tic-tac-toe").board().names.index(move)  # type: ignore[union-attr]
        page.locator(f'#board .sb-cell[data-cell="{cell}"]').press("Enter")  # a reply on the board opens it in the tree
        first.locator(".answer").first.wait_for()
        page.wait_for_function(ANSWERED)
        assert page.locator("#board .sb-piece").count() > pieces
        assert first.locator(".answer").first.inner_text().startswith(("plays", "wins by force"))
        caption, link = page.inner_text("#caption"), page.url
        assert parse_qs(urlsplit(link).query)["line"] == [caption.removeprefix("after ").partition(":")[0]]
        page.goto("about:blank")
        page.goto(link)  # as somebody else would
        page.locator("#tree details[open] .answer").first.wait_for()
        page.wait_for_function(ANSWERED)
        assert page.inner_text("#caption") == caption
        assert page.locator("#tree details[open]").get_attribute("data-move") == move
        assert page.url == link
        page.goto(f"{link.partition('?')[0]}?line=nowhere")
        page.wait_for_selector("#tree details")
        assert page.locator("#tree details[open]").count() == 0
        browser.close()
        assert not faults
