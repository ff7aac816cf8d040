"""The API answers what the databases hold: every answer is compared with the database, asked in Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from front_program import EXAMPLES
from searchbench.catalogue import described, name_of, title_of
from searchbench.store.cells import FEW
from searchbench.store.condition import condition
from searchbench.store.positions import NAMES
from searchbench.values import Result
from searchbench.web import schema
from searchbench.web.answers import moves_answer
from searchbench.web.finding import Filter, find_page
from searchbench.web.library import Library
from web_client import LIMITS, Client, make_app, running

ALL = ("eight", "morris", "awari", "triangle", "token", "patience", "coins")


def some_positions(database: sb.Database, count: int = 40) -> Iterator[sb.Position]:
    """Yield random positions, the start, and one of the hardest."""
    draw = random.Random(database.game.spec)
    yield database.game.position()
    yield database.find(database.hardest(), limit=1)[0]
    while count:
        try:
            yield database.position(draw.randrange(database.size))
            count -= 1
        except sb.errors.BadState:
            continue


def number_of(value: Any) -> int | None:
    if isinstance(value, Result):
        return value.depth if value.outcome else None
    return value  # type: ignore[no-any-return]


# --- values, moves, lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_a_probe_is_that_of_the_database(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    database = databases[name]
    for position in some_positions(database):
        answer = client.fetch(f"/databases/{name}/probe", state=position.text)
        value = database.probe(position)
        assert answer["state"] == position.text
        assert answer["number"] == database.number(position)
        assert answer["value"]["text"] == database.rule.format(value)
        assert answer["value"]["number"] == number_of(value)
        schema.Probe.model_validate(answer)


@pytest.mark.parametrize("name", ALL)
def test_the_best_move_is_worth_what_the_state_is(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    """The value of a state is that of its best move, for every rule and without a look at the rule itself."""
    database = databases[name]
    seen = 0
    for position in some_positions(database):
        answer = client.fetch(f"/databases/{name}/moves", state=position.text)
        choices = database.moves(position)
        assert [move["move"] for move in answer["moves"]] == [
            database.game.format_move(position.state, choice.move) for choice in choices
        ]
        assert [move["state"] for move in answer["moves"]] == [choice.position.text for choice in choices]
        assert [move["after"]["text"] for move in answer["moves"]] == [
            database.rule.format(choice.value) for choice in choices
        ]
        if choices and (database.game.two_players or answer["value"]["number"] != 0):
            assert answer["moves"][0]["value"] == answer["value"]
            known = [move for move in answer["moves"] if move["value"]["kind"] != "none"]
            assert all(move["best"] == (move["value"] == answer["value"]) for move in known)
            seen += 1
        schema.Moves.model_validate(answer)
    assert seen > 5


@pytest.mark.parametrize("name", ALL)
def test_a_position_has_all_that_its_page_shows(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    database = databases[name]
    for position in some_positions(database, 5):
        answer = client.fetch(f"/databases/{name}/position", state=position.text, side=1)
        schema.Position.model_validate(answer)
        assert answer["moves"] == client.fetch(f"/databases/{name}/moves", state=position.text)["moves"]
        part = next(part for part in database.parts if part.name == answer["part"])
        assert part.start <= answer["number"] < part.stop
        assert (answer["picture"] is None) == (database.game.board() is None)


@pytest.mark.parametrize("name", ["eight", "morris", "patience", "coins"])
def test_a_line_is_that_of_the_database(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    database = databases[name]
    hardest = database.find(database.hardest(), limit=1)[0]
    answer = client.fetch(f"/databases/{name}/line", state="hardest", pictures=True)
    line = database.line(hardest)
    assert line.verify() == []
    assert answer["moves"] == line.move_texts()
    assert answer["states"] == [position.text for position in line]
    assert answer["cost"] == line.cost
    assert len(answer["pictures"]) == len(answer["states"])
    schema.Line.model_validate(answer)
    assert client.fetch(f"/databases/{name}/line", state="hardest", limit=3)["moves"] == line.move_texts()[:3]


# --- all states -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_counts_are_those_of_the_database(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    database = databases[name]
    whole = client.fetch(f"/databases/{name}/stats")
    schema.Stats.model_validate(whole)
    counted = {database.rule.format(value): count for value, count in database.histogram().items() if value is not None}
    assert {row["text"]: row["count"] for row in whole["values"]} == counted
    assert sum(counted.values()) + whole["without"] == database.states
    of_parts: dict[str, int] = {}
    for part in database.parts:
        for row in client.fetch(f"/databases/{name}/stats", part=part.name, chart="log")["values"]:
            of_parts[row["text"]] = of_parts.get(row["text"], 0) + row["count"]
    assert of_parts == counted
    longest = {row["kind"]: abs(row["number"]) for row in whole["longest"]}
    for kind, number in longest.items():
        assert number == max(abs(row["number"]) for row in whole["values"] if row["kind"] == kind)


CONDITIONS = {
    "eight": [{"value": "30-31", "where": "state[0] == 8"}],
    "morris": [{"value": "win 25"}, {"where": "plies == 26", "last": 15_000}, {"value": "loss 24-26", "first": 9000}],
    "awari": [{"value": "5", "part": "5"}, {"part": "2"}, {"where": "value == -3 and count(pieces, '') > 9"}],
    "triangle": [{"part": "3 pegs", "value": "2"}, {"value": "13"}],
    "token": [{"value": "win 27"}, {"where": "outcome == 'loss' and plies > 12"}],
    "patience": [{"value": "11", "where": "state[7] == 5"}, {"value": "10-11", "predicate": "interesting"}],
    "coins": [{"value": "-4..-2"}, {"value": "6", "last": 200}],
    "noughts": [{"where": "plies > 4"}, {"where": "not plies >= 1 and number > 3000", "last": 6_000}],
}


def brute(database: sb.Database, value: str | None = None, **conditions: Any) -> list[int]:
    """Return the numbers that meet the conditions: every number is looked at."""
    text = database.rule.format(database.hardest()) if value == "hardest" else value
    wanted = database.rule.parse(text) if text is not None else lambda _found: True
    part = database.part(conditions["part"]) if "part" in conditions else None
    found = []
    for number in range(conditions.get("first", 0), conditions.get("last", database.size - 1) + 1):
        if part is not None and not part.start <= number < part.stop:
            continue
        if database.residue(number) == database.illegal:
            continue
        got = database.rule.decode(database.code(number))
        if not wanted(got):
            continue
        position = database.position(number)
        outcome = got if isinstance(got, Result) else None
        scope = {
            "state": position.state, "number": number, "pieces": database.game.pieces(position.state),
            "value": got, "outcome": database.rule.kind(got), "plies": outcome.depth if outcome and outcome.outcome else None,
            "count": lambda items, item: list(items).count(item),
        }  # fmt: skip
        if "where" in conditions and not _holds(conditions["where"], scope):
            continue
        if "predicate" in conditions and not position.state[0] > 1:
            continue
        found.append(number)
    return found


class Nothing:
    """Stand for None: neither more nor less than anything."""

    def __lt__(self, _other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


def _holds(text: str, scope: dict[str, Any]) -> bool:
    return bool(eval(text, {key: Nothing() if value is None else value for key, value in scope.items()}))


@pytest.mark.parametrize(
    ("name", "conditions"), [(name, one) for name, several in CONDITIONS.items() for one in several], ids=str
)
def test_find_finds_what_a_look_at_every_number_finds(
    client: Client, databases: dict[str, sb.Database], name: str, conditions: dict[str, Any]
) -> None:
    expected = brute(databases[name], **conditions)
    found: list[int] = []
    first = conditions.get("first", 0)
    for _ in range(1 + len(expected) + databases[name].size // 50):
        page = client.fetch(f"/databases/{name}/find", **{**conditions, "first": first}, limit=100)
        schema.FindPage.model_validate(page)
        found += [state["number"] for state in page["states"]]
        assert page["count"] in (None, len(expected))
        if page["next"] is None:
            break
        first = page["next"]
    assert found == expected
    assert expected


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_pages_put_together_are_the_whole_however_short_the_time(databases: dict[str, sb.Database], limit: int) -> None:
    database = databases["morris"]
    wanted = Filter("win 13-25", first=40_000)
    expected = brute(database, "win 13-25", first=40_000)[: 5 * limit]
    found: list[int] = []
    first: int | None = 40_000
    while first is not None and len(found) < len(expected):
        page = find_page(database, wanted._replace(first=first), limit, seconds=0.0)
        assert page.following is None or page.following > first
        assert len(page.numbers) <= limit
        found, first = found + page.numbers, page.following
    assert found[: len(expected)] == expected


@pytest.mark.parametrize(
    "where",
    [
        "outcome == 'win' and plies >= 20",
        "plies > 20 and sum(state) > 0 and outcome != 'loss'",
        "not (outcome == 'win') and 3 < plies < 7",
        "state[0] == 1 or plies > 20",
        "value == 1 and plies % 5 == 0",
        "number % 7 == 0",
    ],
)
def test_what_a_condition_asks_of_values_is_looked_for_first(databases: dict[str, sb.Database], where: str) -> None:
    database = databases["morris"]
    meets, used = condition(where, NAMES)

    def scope(number: int) -> dict[str, Any]:
        value = database.rule.decode(database.code(number))
        decided = value is not None and value.outcome != 0
        return {
            "number": number, "state": database.position(number).state, "outcome": database.rule.kind(value),
            "value": value and value.outcome, "plies": value.depth if decided else None,
        }  # fmt: skip

    last = 4_000
    expected = [number for number in database.select(None, (0, last + 1)) if meets(scope(number))]
    assert used
    assert expected
    assert find_page(database, Filter(where=where, last=last), len(expected) + 1, seconds=60).numbers == expected


def test_a_condition_that_fits_few_values_passes_over_the_others(databases: dict[str, sb.Database]) -> None:
    database, asked = databases["morris"], []
    position = database.position

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(database, name)

        def position(self, number: int) -> sb.Position:
            asked.append(number)
            return position(number)

    found = find_page(Counting(), Filter(where="plies >= 25 and state[0] >= 0"), 10_000, seconds=60)  # type: ignore[arg-type]
    assert len(asked) == len(found.numbers) < database.states / 50


@pytest.mark.long
def test_the_cells_of_many_positions_are_read_by_compiled_rules(databases: dict[str, sb.Database]) -> None:
    database, asked = databases["eight"], []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(database, name)

        def position(self, number: int) -> sb.Position:
            asked.append(number)
            return database.position(number)

    wanted = Filter(where="state[0] == 8 and state[-1] == 3", first=300_000)
    found = find_page(Counting(), wanted, 10_000, seconds=60)  # type: ignore[arg-type]
    assert found.numbers == [
        n for n in range(300_000, database.size) if (s := database.game.unrank(n))[0] == 8 and s[-1] == 3
    ]
    assert 0 < len(asked) <= FEW
    asked.clear()
    few = find_page(Counting(), Filter(where="number % 1000 == 7 or value == 31"), 10_000, seconds=60)  # type: ignore[arg-type]
    assert len(few.numbers) == 363 + 2
    assert not asked


@pytest.mark.parametrize(
    ("name", "where", "told"),
    [
        (
            "token",
            "pieces[0] == 'R'",
            "144 positions from all over the database none has 'R' in a cell: cells hold ' a ', ",
        ),
        ("token", "outcome == 'win' and 'a' in pieces", "' a ', ' b '"),
        ("morris", "count(pieces, 'X') == 3", "cells hold 'B' and 'W', or '' where they are empty."),
        ("morris", "pieces[0] in ('X', 'O')", "none has 'O' or 'X' in a cell"),
    ],
)
def test_what_cells_hold_is_told_where_a_condition_asks_for_a_piece_that_there_is_not(
    client: Client, name: str, where: str, told: str
) -> None:
    page = client.fetch(f"/databases/{name}/find", where=where)
    assert (page["states"], told in page["note"]) == ([], True), page


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("morris", "count(pieces, 'W') == 9"),
        ("token", "'z' in pieces[0]"),
        ("token", "pieces[0] == '(a)' and pieces[0] == '(b)'"),
        ("token", "pieces[0:2] == ('(a)', '(b)')"),
        ("eight", "state[0] == 9"),
    ],
)
def test_no_word_on_cells_where_the_pieces_are_right(client: Client, name: str, where: str) -> None:
    page = client.fetch(f"/databases/{name}/find", where=where)
    assert (page["states"], page["note"]) == ([], None)


def test_depths_modulo_three_are_found_without_reading_the_whole_table(tmp_path: Any) -> None:
    whole = sb.solve("sliding:2x3", rule="depth", solver="bfs", form="values", threads=1)
    sb.solve("sliding:2x3", rule="depth", solver="bfs", form="two-bit", threads=1, to=tmp_path / "residues.db")
    kept = sb.open_database(tmp_path / "residues.db")
    assert kept.modulus == 3
    for value in ("21", "7", "3-5", "unreachable"):
        expected = list(whole.select(value))
        found: list[int] = []
        first: int | None = 0
        while first is not None:
            page = find_page(kept, Filter(value, first=first), 100)
            found, first = found + page.numbers, page.following
        assert found == expected


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_conditions_mean_what_python_means() -> None:
    scope = {
        "state": (3, 0, 2, 5), "pieces": ["3", "", "2", "5"], "number": 11, "value": 7, "outcome": "number", "plies": None,
    }  # fmt: skip
    functions = {"count": lambda items, wanted: sum(item == wanted for item in items)}
    texts = [
        "state[0] == 3", "not state[1]", "state[-1] > 4 and number % 2 == 1", "1 < value <= 7", "value in (1, 7)",
        "count(pieces, '') == 1", "len(state) - sum(state) // 2", "state[1:3]", "state[:2] == (3, 0)", "-value + 8",
        "5 if number > 10 else 6", "plies is None or plies > 3", "max(state) - min(state)", "number & 3 | 4 ^ 1",
        "'2' not in pieces", "abs(value - 10) >> 1", "outcome != 'win'", "state[0] * state[2] == 6 or state[9]",
    ]  # fmt: skip
    for text in texts:
        test, used = condition(text, NAMES)
        assert test(scope) == bool(eval(text, {**scope, **functions})), text
        assert used <= set(NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "state.__class__", "(lambda: 1)()", "[x for x in state]", "open('/etc/passwd')",
        "9 ** 9 ** 9", "1 << 60", "state * 1000000000", "'a' * 1000000000", "eval('1')", "f'{state}'", "value := 3",
        "{1: 2}", "unknown > 3", "state[0] ==", "1.5 < value", "print(1)", "x" * 500, "value.real", "b'1'", "...",
    ],
)  # fmt: skip
def test_conditions_can_do_nothing_else(text: str) -> None:
    scope = dict.fromkeys(NAMES, 7) | {"state": (1, 2)}
    with pytest.raises(sb.errors.BadRequest):
        condition(text, NAMES)[0](scope)


def test_numbers_in_conditions_do_not_grow() -> None:
    test, _ = condition("*".join(["number"] * 50) + " > 0", NAMES)
    with pytest.raises(sb.errors.BadRequest, match="2\\^63"):
        test({"number": 10**6})


@pytest.mark.parametrize("name", ["eight", "morris", "awari", "triangle", "patience"])
def test_a_position_put_together_by_hand_is_the_same(
    client: Client, databases: dict[str, sb.Database], name: str
) -> None:
    for position in some_positions(databases[name], 10):
        pieces = client.fetch(f"/databases/{name}/position", state=position.text)["pieces"]
        answer = client.post(f"/databases/{name}/arrange", {"pieces": pieces})
        assert answer.status == 200, answer.text
        assert answer.json["state"] == position.text
        labels = {piece["label"] for piece in client.fetch(f"/databases/{name}/palette", state=position.text)}
        assert set(pieces) | {""} <= labels


@pytest.mark.parametrize("name", [*ALL, "noughts"])
def test_the_examples_of_a_form_fit_the_game(client: Client, name: str) -> None:
    examples = client.fetch(f"/databases/{name}")["examples"]
    for condition_of_form, text in examples.items():
        page = client.fetch(f"/databases/{name}/find", **{condition_of_form: text}, limit=1)
        assert page["states"], (condition_of_form, text)


@pytest.mark.parametrize("name", ["eight", "noughts", "token"])
def test_many_states_are_probed_at_once(client: Client, databases: dict[str, sb.Database], name: str) -> None:
    states = [position.text for position in some_positions(databases[name], 20)]
    answer = client.post(f"/databases/{name}/probe", {"states": states})
    assert answer.json == [client.fetch(f"/databases/{name}/probe", state=state) for state in states]
    assert client.post(f"/databases/{name}/probe", {"states": [*states, "nonsense"]}).status == 400
    assert client.post(f"/databases/{name}/probe", {"states": ["start"] * 501}).status == 400


def test_what_cannot_be_put_together_is_refused(client: Client) -> None:
    for name, pieces in {
        "eight": ["1"] * 9,
        "morris": ["W"] * 24,
        "token": ["x"],
        "patience": [],
        "coins": ["1"],
    }.items():
        answer = client.post(f"/databases/{name}/arrange", {"pieces": pieces})
        assert answer.status == 400
        assert answer.message


def test_databases_and_games_are_listed(client: Client, databases: dict[str, sb.Database]) -> None:
    listed = {item["name"]: item for item in client.fetch("/databases")}
    assert set(databases) <= set(listed)
    games = client.fetch("/games")
    by_name = {item["name"]: item for item in games}
    assert {"token", "sliding", "morris"} <= set(by_name)
    assert "sliding-pattern" not in by_name
    assert by_name["sliding"]["databases"][:1] == ["eight"]
    assert by_name["sliding"]["size"] == 362880
    for item in games:
        schema.GameItem.model_validate(item)
    for name, database in databases.items():
        schema.DatabaseItem.model_validate(listed[name])
        details = client.fetch(f"/databases/{name}")
        schema.DatabaseDetails.model_validate(details)
        assert details["states"] == listed[name]["states"] == database.states
        assert database.path is not None
        assert details["bytes"] == sum(file.stat().st_size for file in database.path.rglob("*") if file.is_file())
    schema.Health.model_validate(client.fetch("/health"))


def test_columns_are_ordered_by_merit(client: Client) -> None:
    texts = [row["text"] for row in client.fetch("/databases/noughts/stats")["values"]]
    assert texts == ["loss 0", "loss 2", "loss 4", "draw", "win 5", "win 3", "win 1"]
    for name in ("eight", "awari"):
        numbers = [row["number"] for row in client.fetch(f"/databases/{name}/stats")["values"] if row["kind"] != "none"]
        assert numbers == sorted(numbers)


def test_games_are_told_in_words() -> None:
    told = {
        "sliding:3x4": "Sliding on 3x4",
        "awari:5": "Awari, 5 stones",
        "awari:5,kept": "Awari, 5 stones, slam kept",
        "hex:3x3": "Hex on 3x3",
        "hex:3x3,no": "Hex on 3x3, symmetric positions apart",
        "pancake:5": "Pancakes, a stack of 5",
        "burnt-pancake:5": "Burnt pancakes, a stack of 5",
        "top-spin:9,4": "Top Spin, 9 tokens, 4 reversed at a time",
        "gomoku:9,standard": "Go-moku on 9x9, standard rule",
        "morris-opening:4": "Nine Men's Morris from the empty board, 4 men each",
        "peg-solitaire:triangle,6": "Peg solitaire, triangle board, jumps in 6 directions",
        "sliding:3x3,yes": "Sliding on 3x3, boards that can be solved",
        "fox-and-geese:4": "Fox and geese, 4 geese",
        "hanoi:4": "Hanoi, 4 discs, 3 pegs",
        EXAMPLES["token"]: "Token",
        "tic-tac-toe": "Tic-tac-toe",
        "connect4:4x4": "Connect Four on 4x4",
        "mnk:4,3,3,no,yes": "3 in a row on 4x3, symmetric positions as one",
        "chess:KRK": "Chess ending KRK",
    }
    assert {spec: name_of(sb.load(spec)) for spec in told} == told
    assert title_of(sb.load("awari:5")).endswith("a board with up to 5 stones, seen by the player to move.")
    assert "False" not in title_of(sb.load("connect4:4x4"))
    assert described(type(sb.load("fox-and-geese:4")))["title"].startswith("Trap the fox with 13 geese")


def test_the_games_are_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[str] = []
    monkeypatch.setattr(Library, "games", lambda _self: described.append("made") or [])
    library = Library()
    library._described = [{"name": "mine"}]
    assert library.described_games() == [{"name": "mine"}]
    assert not described
    assert Library().described_games() == []
    assert described == ["made"]


def test_a_game_without_a_database_is_shown_without_values(client: Client) -> None:
    answer = client.fetch("/games/position", game="hanoi:4")
    schema.Position.model_validate(answer)
    assert answer["value"] is None
    assert [move["move"] for move in answer["moves"]] == sb.load("hanoi:4").position().moves()


def test_levels_that_come_with_a_game_can_be_asked_for(client: Client) -> None:
    third = client.fetch("/games/position", game="sokoban:#3")
    assert third["picture"] == client.fetch("/games/position", game="sokoban:level=#3")["picture"]
    assert third["picture"] != client.fetch("/games/position", game="sokoban")["picture"]


def test_the_description_names_every_endpoint(client: Client) -> None:
    described = client.fetch("/openapi.json")["paths"]
    assert set(described) == {
        "/api/v1/health", "/api/v1/databases", "/api/v1/databases/{name}", "/api/v1/databases/{name}/probe",
        "/api/v1/databases/{name}/moves", "/api/v1/databases/{name}/position", "/api/v1/databases/{name}/line",
        "/api/v1/databases/{name}/find", "/api/v1/databases/{name}/stats", "/api/v1/databases/{name}/palette",
        "/api/v1/databases/{name}/arrange", "/api/v1/certificates", "/api/v1/certificates/{name}",
        "/api/v1/certificates/{name}/position", "/api/v1/games", "/api/v1/games/position", "/api/v1/jobs", "/api/v1/jobs/{name}",
        "/api/v1/jobs/{name}/events", "/api/v1/jobs/{name}/tree",
    }  # fmt: skip
    for methods in described.values():
        for entry in methods.values():
            assert entry["description"]


def test_a_dead_end_is_told(tmp_path: Path) -> None:
    """A stone in the row of the wall, where no goal is, has no way back."""
    folder = tmp_path / "level.db"
    sb.solve("sokoban:#######|#     #|# $@  #|#  .  #|#     #|#######", to=folder)
    with running(make_app({"level": folder}, LIMITS)) as client:
        begin = client.fetch("/databases/level/position", state="start")
        assert begin["dead_end"] is None
        after = next(move["state"] for move in begin["moves"] if move["move"] == "Cc-Cb")
        answer = client.fetch("/databases/level/position", state=after)
        assert answer["dead_end"] == "a stone on Cb can reach no goal any more"
        assert (begin["dead_cells"], [answer["names"][cell] for cell in answer["dead_cells"]]) == ([], ["Cb"])
        schema.Position.model_validate(answer)


def test_moves_of_a_database_of_wins_are_told_for_who_makes_them(tmp_path: Path) -> None:
    """X wins at once, or parries, or lets O win: of the parry it is not known whether it draws or wins."""
    right = sb.solve("tic-tac-toe", to=tmp_path / "all.db", threads=1)
    with right.convert(tmp_path / "won.db", "one-bit") as won:
        position = won.game.position("XX./OO./...")
        told = {move["move"]: move["value"] for move in moves_answer(won, position)}
        for choice in right.moves(position):
            outcome = right.probe(choice.position).outcome
            over = won.game.terminal(choice.position.state) != sb.UNDECIDED
            expected = "not won" if outcome == 1 else "won" if over else "unknown"
            assert told[won.game.format_move(position.state, choice.move)]["text"] == expected
        assert {value["text"] for value in told.values()} == {"won", "not won", "unknown"}
        assert {value["kind"] for value in told.values()} == {"win", "number", "none"}
        first = moves_answer(won, won.game.position("start"))
        assert {(move["value"]["text"], move["value"]["kind"]) for move in first} == {("unknown", "none")}
        assert not any(move["best"] for move in first)
