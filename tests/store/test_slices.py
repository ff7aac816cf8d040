"""Slices of databases answer for their parts as the whole does, and refuse what they cannot do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import searchbench as sb
from searchbench import cli
from searchbench.errors import BadRequest, BadState
from searchbench.learning import export, grade, truths
from searchbench.store import Database


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
