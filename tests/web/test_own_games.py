"""A game of a user's own in its file: pieces that leave the board, tokens that are edited, parameters that were not given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench.board import state_with
from searchbench.catalogue import name_of
from searchbench.errors import BadRequest
from searchbench.web.app import create_app
from searchbench.web.library import Library
from web_client import LIMITS, Client, running

EXITS = '''
from dataclasses import dataclass

import searchbench as sb
from searchbench import UNDECIDED, Board


@dataclass(frozen=True)
class Exits(sb.Game):
    """Move two men off the board at its right end."""

    name = "exits"
    cells: int = 3

    @property
    def width(self):
        return self.cells

    @property
    def max_moves(self):
        return 2 * self.cells

    def index(self):
        return sb.index.Radix((2,) * self.cells)

    def rules(self):
        n = self.cells

        def start(state):
            for cell in range(n):
                state[cell] = 1 if cell < 2 else 0

        def legal(state):
            men = 0
            for cell in range(n):
                men += state[cell]
            return men <= 2

        def terminal(state):
            for cell in range(n):
                if state[cell]:
                    return UNDECIDED
            return 0

        def moves(state, out):
            count = 0
            for cell in range(n):
                for to in (cell - 1, cell + 1):
                    if state[cell] and to >= 0 and (to == n or not state[to]):
                        out[count] = cell * (n + 1) + to
                        count += 1
            return count

        def play(state, move):
            cell, to = move // (n + 1), move % (n + 1)
            state[cell] = 0
            if to < n:
                state[to] = 1

        def unplay(state, move):
            cell, to = move // (n + 1), move % (n + 1)
            if to < n:
                state[to] = 0
            state[cell] = 1

        return {"start": start, "legal": legal, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}

    def format(self, state):
        return "".join("W" if man else "-" for man in state)

    def parse(self, text):
        if len(text) != self.cells or not set(text) <= set("W-"):
            raise sb.errors.BadState(f"{text!r}: expected {self.cells} of W and -")
        return [int(mark == "W") for mark in text]

    def format_move(self, state, move):
        cell, to = divmod(move, self.cells + 1)
        return f"{cell + 1} off" if to == self.cells else f"{cell + 1} to {to + 1}"

    def board(self):
        return Board([(cell, 0) for cell in range(self.cells)], shape="point")

    def pieces(self, state):
        return ["(W)" if man else "" for man in state]
'''


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> sb.Game:
    file = tmp_path_factory.mktemp("own") / "exits.py"
    file.write_text(EXITS)
    return sb.load(str(file))


@pytest.fixture(scope="module")
def own(game: sb.Game, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("solved") / "exits.db"
    sb.solve(game, to=folder, threads=1)
    with running(create_app(Library({"exits": folder}, {game.spec: game}), LIMITS)) as found:
        yield found


def opened(page: Any, own: Client, state: str) -> Any:
    page.goto(f"{own.address}/databases/exits/position?state={state}")
    page.wait_for_selector("#moves li")
    return page


def wait_for(page: Any, text: str) -> None:
    page.wait_for_function("text => document.getElementById('notation').value === text", arg=text)


def click(page: Any, cell: int) -> None:
    box = page.locator(f'#board .sb-cell[data-cell="{cell}"]').bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_man_leaves_the_board_from_a_cell_from_which_he_could_go_on(page: Any, own: Client) -> None:
    """The move off the board has one cell to click, with which the move back begins as well."""
    page = opened(page, own, "--W")
    click(page, 2)
    assert page.locator("#board .choice button").all_inner_texts() == ["3 off"]
    click(page, 1)
    wait_for(page, "-W-")
    page.keyboard.press("ArrowLeft")
    wait_for(page, "--W")
    click(page, 2)
    click(page, 2)  # takes the first click back
    assert page.locator("#board .choice").count() == 0
    page.focus('#board .sb-cell[tabindex="0"]')
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.cell") == "2"  # where arrows lead to the other cells
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for(page, "---")


def test_tokens_are_edited_where_the_notation_has_no_brackets(page: Any, own: Client, game: sb.Game) -> None:
    page = opened(page, own, "WW-")
    page.click("#edit")
    page.click('#editor [data-label="(W)"]')
    click(page, 2)
    page.click("#done")
    page.wait_for_selector(".message")
    assert "no position has these pieces; place them otherwise" in page.inner_text(".message")
    page.click('#editor [data-label=""]')
    click(page, 0)
    page.click("#done")
    wait_for(page, "-WW")
    assert state_with(game, ["(W)", "", "(W)"], game.start()) == [1, 0, 1]


def test_keys_make_no_moves_while_a_position_is_edited(page: Any, own: Client) -> None:
    page = opened(page, own, "WW-")
    page.keyboard.press("1")
    wait_for(page, "W-W")
    page.keyboard.press("e")
    page.wait_for_selector("#editor .palette")
    for key in ("1", "b", "ArrowLeft", " "):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.locator("#editor").is_visible()
    assert page.input_value("#notation") == "W-W"
    page.keyboard.press("e")  # the key that began it ends it
    page.wait_for_selector("#moves button")


def test_a_text_that_the_game_does_not_write_is_no_reason() -> None:
    """Labels that do not stand in the notation were joined, and that text told as what was wrong."""
    game = sb.load(str(Path(__file__).parents[2] / "examples" / "tokens.py"))
    with pytest.raises(
        BadRequest, match="its notation does not follow from the pieces on the board: enter the notation"
    ):
        state_with(game, game.pieces([0, 3]))


def test_other_parameters_of_a_game_of_ones_own_are_named_at_the_start(page: Any, own: Client, game: sb.Game) -> None:
    told = "of exits.py there is exits.py:Exits:3; other parameters are named when you start the server"
    answer = own.get("/games/position", game="exits.py:Exits:4")
    assert (answer.status, told in answer.message) == (404, True), answer.text
    assert "name yours when you start the server" in own.get("/games/position", game="entries.py").message
    page.goto(own.address)
    row = page.locator("#games tr:has(strong:text-is('exits'))")
    assert row.locator(".parameters").inner_text() == "parameters: cells, as given to the server"
    row.locator("input").fill("exits.py:Exits:4")
    row.get_by_role("button", name="Solve").click()
    page.wait_for_selector(f"#games .message:has-text('{told}')")


def test_no_answer_names_the_folders_of_the_server(tmp_path: Path) -> None:
    games = {}
    for folder in ("one place", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "exits.py").write_text(EXITS)
        game = sb.load(f"{tmp_path / folder / 'exits.py'}:Exits:{len(games) + 2}")
        games[game.spec] = game
    (tmp_path / "levels.xsb").write_text("#####\n#@$.#\n#####\n")
    level = sb.load(f"sokoban:{tmp_path / 'levels.xsb'}#1")
    database, last = tmp_path / "tables" / "mine.db", next(reversed(games.values()))
    database.parent.mkdir()
    sb.solve(last, to=database, threads=1).save(database, f"searchbench solve {last} --to {database}", overwrite=True)
    sb.solve(next(iter(games.values())), to=tmp_path / "tables" / "quoted.db", threads=1)
    library = Library({"mine": database, "quoted": tmp_path / "tables" / "quoted.db"}, {**games, level.spec: level})
    with running(create_app(library, LIMITS)) as own:
        base = "/databases/mine"
        answers = [
            own.get(path) for path in ("/databases", base, f"{base}/position", f"{base}/palette", "/games", "/jobs")
        ]
        listed = [item["spec"] for item in answers[4].json[:3]]
        assert listed == ["exits.py:Exits:2", "other/exits.py:Exits:3", "sokoban:levels.xsb#1"]
        assert answers[1].json["command"] == "searchbench solve exits.py:Exits:3 --to mine.db"
        answers.append(own.get("/databases/quoted"))
        assert answers[-1].json["command"] == "searchbench solve 'exits.py:Exits:2'"
        for spec, given in zip(listed, [*games, level.spec], strict=True):
            found = [own.get("/games/position", game=text) for text in (spec, given)]
            assert [answer.json["game"] for answer in found] == [spec, spec]
            answers += [*found, own.get("/games/position", game=spec, state="?")]
        solved = own.finished(kind="solve", game=listed[1])
        assert (solved["status"], solved["request"]["game"], solved["result"]["game"]) == ("done", *[listed[1]] * 2)
        answers += [own.get(path) for path in ("/jobs", f"/jobs/{solved['id']}", f"/jobs/{solved['id']}/events")]
        answers += [own.get(f"{base}/{question}", state="?") for question in ("probe", "moves", "line")]
        answers += [own.post("/jobs", {"kind": "prove", "game": listed[0]})]
        answers += [own.post(f"{base}/arrange", {"pieces": ["?"]}), own.post(f"{base}/probe", {"states": ["?"]})]
        (database / "zarr.json").write_text("{")
        answers += [own.get(base), own.get("/databases")]
        assert answers[-2].status == 503
    assert len(answers) == 27
    assert not [answer.text for answer in answers if str(tmp_path) in answer.text or "one place" in answer.text]


def test_a_parameter_that_only_ends_like_many_is_no_number_of_things(tmp_path: Path) -> None:
    file = tmp_path / "exits.py"
    file.write_text(EXITS.replace("cells: int", "across: int").replace("self.cells", "self.across"))
    assert name_of(sb.load(f"{file}:Exits:3")) == "Exits, across 3"
    file.write_text(EXITS)
    assert name_of(sb.load(f"{file}:Exits:3")) == "Exits, 3 cells"
