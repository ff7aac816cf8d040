"""Slices of databases answer for their parts as the whole does, and refuse what they cannot do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench import cli
from searchbench.errors import BadRequest, BadState, LacksPart
from searchbench.learning import export, grade, truths
from searchbench.store import Database
from searchbench.web.answers import moves_answer


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Database:
    folder = tmp_path_factory.mktemp("whole") / "awari.db"
    sb.solve("awari:5", to=folder, threads=1)
    return sb.open_database(folder)


def test_a_slice_answers_for_its_parts_as_the_whole_does(whole: Database, tmp_path: Path) -> None:
    name = whole.parts[3].name
    small = whole.convert(tmp_path / "small.db", parts=name)
    again = sb.open_database(tmp_path / "small.db")
    assert [part.name for part in small.parts] == [part.name for part in again.parts] == [name]
    part = again.part(name)
    assert (again.read(part, part.start, part.stop) == whole.read(part, part.start, part.stop)).all()
    assert again.histogram() == whole.histogram(name)
    assert again.states == sum(whole.histogram(name).values())
    position = whole.position(part.start + 7)
    assert again.probe(position) == whole.probe(position)
    assert again.notion == "open"
    assert "--parts" in again.command
    with pytest.raises(BadState, match="is in the part"):
        again.probe(whole.position(whole.parts[4].start))


def test_a_slice_is_verified_where_it_has_what_its_values_follow_from(whole: Database, tmp_path: Path) -> None:
    names = [part.name for part in whole.parts]
    alone = whole.convert(tmp_path / "alone.db", parts=[names[3]])
    for ask in (alone.verify, alone.repair, lambda: sb.repair(tmp_path / "alone.db")):
        with pytest.raises(BadRequest, match=f"follow from those of .*--parts {','.join(names[:4])}"):
            ask()
    closed = whole.convert(tmp_path / "closed.db", parts=",".join(names[:4]))
    assert closed.verify()
    assert not closed.repair().changes


def test_a_slice_tells_what_moves_are_worth_where_it_has_the_parts_that_they_lead_to(
    whole: Database, tmp_path: Path
) -> None:
    names = [part.name for part in whole.parts]
    alone = whole.convert(tmp_path / "alone.db", parts=[names[3]])
    part = alone.parts[0]
    number = part.start + 7
    for ask in (
        lambda: truths(alone, range(part.start, part.stop)),
        lambda: grade(alone, lambda state, moves: moves[0]),
        lambda: export(alone, tmp_path / "alone.parquet"),
    ):
        with pytest.raises(
            BadRequest, match=f"asked what moves are worth: .* or cut it with --parts {','.join(names[:4])}"
        ):
            ask()
    closed = whole.convert(tmp_path / "closed.db", parts=",".join(names[:4]))
    assert truths(closed, [number]).figures.tolist() == truths(whole, [number]).figures.tolist()
    assert truths(closed, [number]).worth.tolist() == truths(whole, [number]).worth.tolist()
    assert export(closed, tmp_path / "closed.parquet").positions == closed.states
    with pytest.raises(BadState, match=r"is in the part '4'.*solve or cut that one, too, with --parts 4"):
        truths(closed, [whole.parts[4].start])


def test_a_slice_of_depths_is_not_verified_alone(tmp_path: Path) -> None:
    whole = sb.solve("peg-solitaire:triangle,6", solver="bfs", threads=1)
    small = whole.convert(tmp_path / "layers.db", parts=[whole.parts[2].name])
    assert small.histogram() == whole.histogram(whole.parts[2].name)
    with pytest.raises(BadRequest, match="a slice that cannot be verified"):
        small.verify()


def test_all_parts_are_the_whole_database(whole: Database, tmp_path: Path) -> None:
    same = whole.convert(tmp_path / "same.db", parts=[part.name for part in whole.parts])
    assert (same.codes == whole.codes).all()
    assert same.notion == "strong"


@pytest.mark.parametrize(
    ("parts", "form", "right"),
    [
        ("nowhere", None, "has no part 'nowhere'; there are"),
        ("", None, "no part is named"),
        ("4", "filled", "lacks some of them: keep it in the form values, or take --parts 0,1,2,3,4"),
    ],
)
def test_slices_that_cannot_be_are_refused(
    whole: Database, tmp_path: Path, parts: str, form: str | None, right: str
) -> None:
    names = [part.name for part in whole.parts]
    chosen = names[4] if parts == "4" else parts
    wanted = right.replace("0,1,2,3,4", ",".join(names[:5]))
    with pytest.raises(BadRequest, match=wanted):
        whole.convert(tmp_path / "bad.db", form=form, parts=chosen)
    assert not (tmp_path / "bad.db").exists()


def test_depths_modulo_three_are_not_cut(tmp_path: Path) -> None:
    whole = sb.solve("sliding:2x3", solver="bfs", form="two-bit")
    with pytest.raises(BadRequest, match="walking back to the start"):
        whole.convert(tmp_path / "bad.db", parts=[whole.parts[0].name])


def test_the_command_line_cuts_and_tells(whole: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = whole.parts[5].name
    assert cli.run(["convert", str(whole.path), "--parts", name, "--to", str(tmp_path / "small.db")]) == 0
    assert f"awari:5 ({name}): values" in capsys.readouterr().out.replace(",last", "")
    assert cli.run(["verify", str(tmp_path / "small.db")]) == 30
    assert "slice that cannot be verified" in capsys.readouterr().err
    out = str(tmp_path / "small.npz")
    assert cli.run(["export", str(tmp_path / "small.db"), "--to", out, "--cells", "--json"]) == 0
    for words in (["--sample", "3"], ["--seed", "2"], ["--value", "3"]):
        assert cli.run(["export", str(whole.path), "--to", str(tmp_path / "x.npz"), *words]) == 30
        assert "a table has all positions" in capsys.readouterr().err
    for words in (["--parts", name], ["--cells"]):
        assert cli.run(["export", str(whole.path), "--to", str(tmp_path / "x.parquet"), *words]) == 30
        assert "are for tables" in capsys.readouterr().err


def test_stats_and_find_look_at_the_named_parts_alone(whole: Database, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(whole.path)
    names = [part.name for part in whole.parts]

    def asked(*words: str) -> dict[str, Any]:
        assert cli.run([words[0], folder, *words[1:], "--json"]) == 0
        return dict(json.loads(capsys.readouterr().out))

    some = [whole.histogram(name) for name in names[2:4]]
    wanted = {str(value): sum(one.get(value, 0) for one in some) for value in {*some[0], *some[1]}}
    assert asked("stats", "--parts", ",".join(names[2:4]))["histogram"] == wanted
    part = whole.parts[3]
    value = max(whole.histogram(part.name))
    found = asked("find", "--parts", part.name, "--value", str(value), "--limit", "1000")
    places = [whole.number(text) for text in found["states"]]
    assert places == list(whole.select(value, (part.start, part.stop)))
    assert found["count"] < asked("find", "--value", str(value))["count"]
    assert cli.run(["find", folder, "--parts", "nowhere"]) == 30
    assert "there are" in capsys.readouterr().err


HEAPS = """
from dataclasses import dataclass

import searchbench as sb
from searchbench import UNDECIDED


@dataclass(frozen=True)
class Heaps(sb.Game):
    'Take from one of two heaps; whoever finds both empty has lost.'

    name = "heaps"
    values = "outcome"
    width, max_moves = 2, 6

    def index(self):
        return sb.index.Radix((4, 4))

    def parts(self):
        names = ["0", "0,1", "2", "2,3"]  # each looks like the beginning of the next, or like two
        return [sb.Part(name, 4 * at, 4 * at + 4, tuple(names[: at + 1])) for at, name in enumerate(names)]

    def format(self, state):
        return f"{state[0]}-{state[1]}"

    def parse(self, text):
        return [int(heap) for heap in text.split("-")]

    def rules(self):
        def start(state):
            state[0] = state[1] = 3

        def terminal(state):
            return -1 if state[0] + state[1] == 0 else UNDECIDED

        def moves(state, out):
            count = 0
            for heap in range(2):
                for taken in range(state[heap]):
                    out[count] = heap * 3 + taken
                    count += 1
            return count

        def play(state, move):
            state[move // 3] -= move % 3 + 1

        def unplay(state, move):
            state[move // 3] += move % 3 + 1

        return {"start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay}
"""


def test_names_of_parts_may_have_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = str(tmp_path / "heaps.py"), str(tmp_path / "heaps.db")
    Path(file).write_text(HEAPS)

    def asked(*words: str) -> dict[str, Any]:
        assert cli.run([*words, "--json"]) == 0, capsys.readouterr().err
        return dict(json.loads(capsys.readouterr().out))

    asked("solve", file, "--parts", "2", "--to", folder)
    assert [part.name for part in sb.open_database(folder, file).parts] == ["0", "0,1", "2"]
    asked("solve", file, "--parts", "2,3", "--to", folder, "--force")
    whole = sb.open_database(folder, file)
    assert [part.name for part in whole.parts] == ["0", "0,1", "2", "2,3"]
    for parts, size in (("0,1", 4), ("0,1,2", 8), ("0,1,0", 8), ("2,0", 8), (" 0,1 , 2,3 ,0", 12)):
        told = asked("stats", folder, "--game", file, "--parts", parts)["histogram"]
        assert sum(told.values()) == size, parts
    small = asked("convert", folder, "--game", file, "--parts", "0,0,1", "--to", str(tmp_path / "small.db"))
    assert small["parts"] == ["0", "0,1"]
    assert cli.run(["verify", folder, "--game", file, "--parts", "0,1,2"]) == 0
    assert cli.run(["stats", folder, "--game", file, "--parts", "1"]) == 30
    assert "has no part '1'" in capsys.readouterr().err


def test_messages_name_a_database_by_its_game_and_folder(whole: Database, tmp_path: Path) -> None:
    alone = whole.convert(tmp_path / "alone.db", parts=[whole.parts[3].name])
    with pytest.raises(BadRequest, match=f"^the database of awari:5,last in {tmp_path}/alone.db is a slice"):
        alone.verify()
    assert repr(alone).startswith("<Database of awari:5,last: score of 455 numbers")


def test_a_slice_shows_the_moves_that_it_knows_and_names_the_part_of_each_other(
    whole: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = whole.convert(tmp_path / "alone.db", parts=[whole.parts[4].name])
    some = next(
        position for position in alone.find() if 0 < len(alone.moves_within(position)[0]) < len(whole.moves(position))
    )
    known, elsewhere = alone.moves_within(some)
    assert known == [choice for choice in whole.moves(some) if whole.number(choice.position) >= alone.parts[0].start]
    assert len(known) + len(elsewhere) == len(whole.moves(some))
    with pytest.raises(LacksPart, match=f"is in the part '{elsewhere[0][1].part}'"):
        alone.moves(some)
    assert cli.run(["probe", str(tmp_path / "alone.db"), some.text]) == 0
    assert f"in {elsewhere[0][1].part}, not here" in capsys.readouterr().out
    assert cli.run(["probe", str(tmp_path / "alone.db"), some.text, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["value"] == whole.probe(some)
    assert [move.get("lacks") for move in told["moves"]] == [None] * len(known) + [error.part for _, error in elsewhere]
    answered = moves_answer(alone, some)
    assert [move["lacks"] for move in answered] == [move.get("lacks") for move in told["moves"]]
    whole_best = {move["move"] for move in moves_answer(whole, some) if move["best"]}
    assert {move["move"] for move in answered if move["best"]} == whole_best & {
        move["move"] for move in answered if move["value"]
    }
