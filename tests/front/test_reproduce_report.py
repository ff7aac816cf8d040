"""Verdicts are recorded as they come, rows that are recorded are not measured again, and the report tells all of it."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import searchbench
from front_program import Program
from searchbench import reproduce as package
from searchbench.errors import BadRequest, DamagedData
from searchbench.reproduce import ROWS, reproduce
from searchbench.reproduce.record import read_records, recorded, shipped_records, write_records
from searchbench.reproduce.report import plots, report_html
from searchbench.reproduce.row import Cost, Measured, exact


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Let there be three rows, a long one among them; return how often each was measured."""
    measured = {"G1": 0, "G2": 0, "G27": 0}

    def counted(name: str, paper: Any) -> Any:
        def measure(run: Any, *parts: Any) -> Any:
            measured[name] += 1
            return paper

        return measure

    for name in list(ROWS):
        if name not in measured:
            monkeypatch.delitem(ROWS, name)
    for name in measured:
        monkeypatch.setitem(ROWS, name, replace(ROWS[name], measure=counted(name, ROWS[name].paper), parts=()))
    return measured


def test_a_report_shows_all_rows_and_measures_those_that_are_not_long(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = program("reproduce", "--all", "--report", "report.html")
    assert answer.code == 0, answer.err
    assert few == {"G1": 1, "G2": 1, "G27": 0}
    text = (tmp_path / "report.html").read_text()
    sections = dict(re.findall(r'<section id="([^"]+)" class="([^"]+)">', text))
    assert list(sections) == list(ROWS)
    assert sections["G1"] == sections["G2"] == "match"
    assert text.count("measured for this report") == 2
    assert not re.search(r"src=|href=\"(?!#)|url\(|https?://(?!www\.w3\.org)", text)
    assert "<circle" in text  # the 8-puzzle's states by distance, ours upon the paper's
    linked = set(re.findall(r'href="#([^"]+)"', text))
    assert set(ROWS) <= linked <= set(re.findall(r'id="([^"]+)"', text))


def test_a_record_names_the_last_commit_of_the_package(few: dict[str, int]) -> None:
    """Not of one of its folders: a solver may be younger than the row that measures it."""
    command = ["git", "-C", str(Path(searchbench.__file__).parent), "log", "-1", "--format=%h", "--", "."]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert recorded(reproduce(ROWS["G1"])).commit == told.stdout.strip()


def test_how_long_rows_will_take_is_told_before_they_are_measured(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    slow = recorded(reproduce(ROWS["G1"]))
    shipped = {name: replace(slow, outcome={**slow.outcome, "seconds": 4000}) for name in ("G1", "G2")}
    monkeypatch.setattr("searchbench.reproduce.record.shipped_records", lambda: shipped)
    assert "2 rows: 2.2 hours when they were recorded" in program("reproduce").err
    assert "1 row: 67 minutes when they were recorded" in program("reproduce", "G1", "--record", "one.json").err
    assert "when they were recorded" not in program("reproduce", "G1", "--record", "one.json").err  # it is recorded


def test_what_was_recorded_is_not_measured_again(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program("reproduce", "G1", "--record", "report.json")
    answer = program("reproduce", "--all", "--report", "report.html")
    assert few == {"G1": 1, "G2": 1, "G27": 0}
    assert "as recorded" in answer.out
    program("reproduce", "G27", "--record", "report.json")
    program("reproduce", "--all", "--report", "report.html")
    assert few == {"G1": 1, "G2": 1, "G27": 1}
    assert "not recorded" not in (tmp_path / "report.html").read_text().partition("<section")[2]
    assert len(program("reproduce", "G1", "G2", "--record", "report.json", "--json").json) == 2


def test_a_stopped_report_goes_on(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = ROWS["G2"]

    def stopped(run: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setitem(ROWS, "G2", replace(whole, measure=stopped))
    assert program("reproduce", "--all", "--report", "report.html").code == 130
    assert list(read_records(tmp_path / "report.json")) == ["G1"]
    monkeypatch.setitem(ROWS, "G2", whole)
    assert program("reproduce", "--all", "--report", "report.html").code == 0
    assert few == {"G1": 1, "G2": 1, "G27": 0}


def test_a_changed_figure_of_the_paper_is_measured_again_and_a_recorded_difference_is_told(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program("reproduce", "G1", "--record", "kept.json")
    wrong = {**ROWS["G1"].paper, "total": 362_881}
    monkeypatch.setitem(ROWS, "G1", replace(ROWS["G1"], paper=wrong))
    assert program("reproduce", "G1", "--record", "kept.json").code == 10
    assert few["G1"] == 2
    assert program("reproduce", "G1", "--record", "kept.json").code == 10
    assert few["G1"] == 2


def test_a_record_of_some_parts_is_not_one_of_others() -> None:
    row = ROWS["G16"]
    kept = recorded(reproduce(row, parts=["3-3"]))
    assert kept.fits(row, ["3-3"])
    assert not kept.fits(row, ["3-3", "4-3"])


def test_parts_that_are_measured_one_day_are_kept_beside_those_of_another(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def measure(_run: Any, parts: tuple[str, ...]) -> Measured:
        asked.append(parts)
        return Measured({part: {"a": 1, "b": 2, "c": 4}[part] for part in parts}, [Cost(",".join(parts), 1, 0.5, 0, 0)])

    row = replace(ROWS["G16"], paper={"a": 1, "b": 2, "c": 3}, measure=measure, judge=exact, parts=("a",))
    monkeypatch.setitem(ROWS, "G16", row)
    monkeypatch.chdir(tmp_path)

    def kept() -> dict[str, Any]:
        return dict(read_records(tmp_path / "kept.json")["G16"].outcome)

    assert program("reproduce", "G16", "--parts", "b", "--record", "kept.json").code == 0
    assert program("reproduce", "G16", "--parts", "b,a", "--record", "kept.json").code == 0
    assert asked == [("b",), ("a",)]
    assert list(kept()["paper"]) == list(kept()["measured"]) == ["a", "b"]  # in the order of the paper
    assert [cost["name"] for cost in kept()["costs"]] == ["b", "a"]
    assert (kept()["verdict"], program("reproduce", "G16", "--record", "kept.json").code) == ("match", 0)
    assert program("reproduce", "G16", "--parts", "c", "--record", "kept.json").code == 10
    assert program("reproduce", "G16", "--parts", "all", "--record", "kept.json").code == 10  # nothing is measured
    assert (kept()["verdict"], kept()["measured"], len(asked)) == ("differs", {"a": 1, "b": 2, "c": 4}, 3)

    monkeypatch.setitem(ROWS, "G16", replace(row, paper={"a": 2, "b": 2, "c": 3}))  # so all of it is out of date
    program("reproduce", "G16", "--parts", "all", "--record", "kept.json")
    assert (asked[-1], kept()["paper"]) == (("a", "b", "c"), {"a": 2, "b": 2, "c": 3})


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (["G1", "--all"], "give names, or --all"),
        (["--report", "report.pdf"], r"ends in \.html"),
        (["--report", "nowhere/report.html"], "there is no folder nowhere"),
        (["G1", "--record", "nowhere/kept.json"], "there is no folder nowhere"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(
    program: Program, few: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], right: str
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = program("reproduce", *words)
    assert answer.code == 30
    assert re.search(right, answer.err)
    assert set(few.values()) == {0}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": "other", "rows": {}}', '{"format": "searchbench verdicts 1", "rows": {"G1": {}}}',
             '{"format": "searchbench verdicts 1", "rows": {"G1": {"outcome": {}, "date": "", "commit": ""}}}'],
)  # fmt: skip
def test_a_damaged_record_is_refused(program: Program, few: dict[str, int], tmp_path: Path, text: str) -> None:
    (tmp_path / "kept.json").write_text(text)
    with pytest.raises(DamagedData):
        read_records(tmp_path / "kept.json")
    assert program("reproduce", "G1", "--record", tmp_path / "kept.json").code == 40
    assert few["G1"] == 0


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    kept = {"G17": recorded(reproduce(ROWS["G17"]))}
    write_records(tmp_path / "kept.json", kept)
    assert read_records(tmp_path / "kept.json") == kept
    with pytest.raises(BadRequest, match="no folder"):
        write_records(tmp_path / "nowhere" / "kept.json", kept)


def test_the_records_that_come_with_searchbench_are_of_rows_that_there_are() -> None:
    """A row whose figure in the paper was changed has to be measured and recorded again."""
    found = shipped_records()
    assert len(found) > 40
    assert [name for name, one in found.items() if name not in ROWS or not one.fits(ROWS[name])] == []
    for name, one in found.items():
        assert (one.outcome["id"], one.outcome["title"]) == (name, ROWS[name].title)
        judged = ROWS[name].judge
        if judged.__name__ == "exact":
            same = one.outcome["paper"] == one.outcome["measured"]
            assert (one.verdict == "match") == same, name
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", one.date)


def test_plots_have_the_papers_figures_and_ours() -> None:
    outcome = {"title": "a", "paper": {"x": [1, 2, 4, 8, 16]}, "measured": {"x": [1, 2, 4, 8, 15]}}
    ((title, drawn),) = plots(outcome)
    assert title == "a: x"
    assert drawn.count("<circle") == 6  # five, and one in the key
    assert len(re.findall(r"points=\"([^\"]+)\"", drawn)[0].split()) == 5
    assert plots({"title": "a", "paper": "yes", "measured": "no"}) == []
    layers = [(0, 1, 2)] * 6
    ((_, drawn),) = plots({"title": "a", "paper": {"x": layers}, "measured": {"x": json.loads(json.dumps(layers))}})
    assert drawn.count("<polyline") == 3


def test_figures_with_names_are_drawn_only_where_the_row_says_what_they_are() -> None:
    figures = {"3-3": 10, "4-3": 200, "4-4": 3000, "5-3": 4_000_000, "9-3": 90_000_000}
    outcome = {"title": "a", "paper": figures, "measured": figures}
    assert plots(outcome) == []
    ((_, drawn),) = plots(outcome, axes=("men", "positions"))
    assert re.findall(r">([^<>]+)</text>", drawn) == [
        "positions", "1", "10", "100", "1k", "10k", "100k", "1M", "10M", "100M", *figures, "men", "the paper", "ours",
    ]  # fmt: skip
    assert "<polyline" not in drawn  # nothing lies between two names


def test_a_figure_other_than_printed_is_marked_and_a_long_table_is_folded() -> None:
    row = replace(ROWS["G17"], paper={"same": 1234, "other": 7, "unmeasured": 3})
    outcome = {
        **recorded(reproduce(ROWS["G17"])).outcome,
        "paper": row.paper,
        "measured": {"same": 1234, "other": 8, "unprinted": 5},
    }
    text = report_html([row], {row.id: replace(recorded(reproduce(ROWS["G17"])), outcome=outcome)}, [])
    assert re.findall(r'<tr class=other><th scope="row">([^<]+)', text) == ["other"]
    assert text.count("1,234") == 2
    assert "<details" not in text
    many = {f"figure {number}": number for number in range(40)}
    text = report_html([replace(row, paper=many)], {}, [])
    assert "<summary>40 figures</summary>" in text


def test_what_rows_say_is_text_in_the_report() -> None:
    row = replace(ROWS["G17"], title="<script>", note="a & b", paper={"3-3": "<b>"})
    text = report_html([row], {}, [])
    assert "<script>" not in text
    assert "A &amp; b." in text
    assert package.ROWS is ROWS
