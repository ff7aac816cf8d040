"""Collections of Sokoban levels in the forms in which people find them: marks, line ends, titles, notes, and faults."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from front_program import Program
from searchbench.catalogue import load
from searchbench.errors import BadRequest
from searchbench.games.sokoban import levels_of
from searchbench.games.sokoban.collection import decoded, from_standard_input, levels_in
from searchbench.games.sokoban.levels import HAND_MADE
from searchbench.games.sokoban.text import Level, read_level
from searchbench.verify.lurd import replay

FIRST, SECOND = "  #####\n###   #\n#@$ . #\n#######", "#####\n#+$ #\n# *$#\n#  .#\n#####"


def packed(rows: str) -> str:
    """Return rows with run lengths, `|` between them, and `-` for floor."""
    found = []
    for row in rows.split("\n"):
        at, text = 0, ""
        while at < len(row):
            run = len(row[at:]) - len(row[at:].lstrip(row[at]))
            text, at = text + (str(run) if run > 1 else "") + row[at].replace(" ", "-"), at + run
        found.append(text)
    return "|".join(found)


MARKS: dict[str, Callable[[str], str]] = {
    "blanks": str,
    "hyphens": lambda rows: rows.replace(" ", "-"),
    "underscores": lambda rows: rows.replace(" ", "_"),
    "letters": lambda rows: rows.translate(str.maketrans(".$*@+", "obBpP")),
    "run lengths": packed,
    "tabs": lambda rows: "\n".join("\t" + row for row in rows.split("\n")),
    "trailing blanks": lambda rows: "\n".join(row + "  " for row in rows.split("\n")),
}
TEXTS: dict[str, tuple[str, tuple[str, str]]] = {
    "no text": ("{0}\n\n{1}\n", ("", "")),
    "numbers before": ("; 1\n\n{0}\n\n; 2\n\n{1}\n", ("1", "2")),
    "right before": ("Some levels\nby somebody\n\nOne\n{0}\nTwo\n{1}", ("One", "Two")),
    "number signs": ("#1\n{0}\n\n#2\n{1}\n", ("#1", "#2")),
    "right behind": ("The collection\n\n{0}\n; One\n\n{1}\n; Two\n", ("One", "Two")),
    "keyed before": ("Title: One\nAuthor: A\n{0}\n\nTitle: Two\n{1}\n", ("One", "Two")),
    "keyed behind": (
        "Title: Both\nAuthor: A\n\n{0}\nAuthor: A\nTitle: One\nComment:\n a wall\nComment-End:\n\n{1}\nTitle: Two\n",
        ("One", "Two"),
    ),
    "keyed behind and numbers before": ("1\n{0}\nTitle: One\n\n2\n{1}\nTitle: Two\n", ("One", "Two")),
    "a head": ("Title: Both\nCollection: x\n\n{0}\n\n{1}\n", ("", "")),
    "solutions": ("One\n{0}\nSolution: RR\nrrrrrrrrrrRRRRRR\n\nTwo\n{1}\nSolution/Pushes 3:\nrrrrrrrrrrRRRRRR\n", ("One", "Two")),
    "rules between": ("===\nOne\n---\n{0}\n===\nTwo\n---\n{1}\n===\n", ("One", "Two")),
}  # fmt: skip


def parts_of(level: Level) -> tuple[object, ...]:
    """Return the level but for its place in the text and its title."""
    left = min(column for _, column in level.cells)
    return tuple((row, column - left) for row, column in level.cells), level.goals, level.stones, level.man


@pytest.mark.parametrize(("marks", "text", "end"), list(product(MARKS, TEXTS, ("\n", "\r\n"))))
def test_every_form_is_read(marks: str, text: str, end: str) -> None:
    form, titles = TEXTS[text]
    written = form.format(MARKS[marks](FIRST), MARKS[marks](SECOND)).replace("\n", end)
    found = levels_in(written, "some")
    assert tuple(one.title for one in found) == titles, written
    expected = [read_level(levels_in(plain, "one")[0]) for plain in (FIRST, SECOND)]
    assert [parts_of(read_level(one)) for one in found] == [parts_of(one) for one in expected], written
    for one in found:
        line = written.split(end)[one.line - 1]
        assert one.rows[0] == line.expandtabs().rstrip()
        assert not replay("\n".join(one.rows), "RRR" if one is found[0] else "").fault.endswith("men")


def test_notes_of_a_level_are_kept() -> None:
    text = TEXTS["keyed behind"][0].format(FIRST, SECOND)
    assert [one.notes for one in levels_in(text, "some")] == [("Author: A", "a wall"), ()]
    before = TEXTS["keyed before"][0].format(FIRST, SECOND)
    assert [one.notes for one in levels_in(before, "some")] == [("Author: A",), ()]


def test_a_file_with_tags_is_read() -> None:
    rows = "\n".join(f"      <L>{row}</L>" for row in FIRST.split("\n"))
    head = '<?xml version="1.0"?>\n<SokobanLevels>\n<Title>Some &amp; more</Title>\n<LevelCollection>\n'
    level = '<Level Id="{0}" Width="7" Height="4">\n{1}\n</Level>\n'
    text = f"{head}{level.format('A &amp; B', rows)}{level.format('2', rows)}</LevelCollection>\n"
    found = levels_in(text, "some")
    assert [(one.title, one.line) for one in found] == [("A & B", 6), ("2", 12)]
    together = levels_in("".join(line.strip() for line in text.split("\n")), "some")
    assert [(one.title, one.rows) for one in together] == [(one.title, one.rows) for one in found]
    assert {parts_of(read_level(one)) for one in found} == {parts_of(read_level(levels_in(FIRST, "one")[0]))}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_the_first_bytes_of_a_file_are_no_part_of_its_first_row(encoding: str) -> None:
    found = levels_in(decoded(f"{FIRST}\n\n; Caf\u00e9\n{SECOND}".encode(encoding)), "some")
    assert [(one.rows[0], one.title[:3]) for one in found] == [("  #####", ""), ("#####", "Caf")]


def test_a_hole_in_a_wall_does_not_cut_a_level_in_two() -> None:
    found = levels_in(f"#####\n@ $.#\n#####\n\n{FIRST}", "some")
    assert len(found) == 2
    with pytest.raises(BadRequest, match="line 2, column 1: the level is open"):
        read_level(found[0])


def test_a_goal_outside_is_a_fault_where_it_is_needed_alone() -> None:
    outside = "#####\n#@$.#\n#####\n#.###\n#####"
    assert len(read_level(levels_in(outside, "some")[0]).goals) == 1
    with pytest.raises(BadRequest, match="line 4, column 2: a goal outside the floor"):
        read_level(levels_in(outside.replace("@$.", "@$$"), "some")[0])


def test_a_file_that_changes_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "some.sok"
    file.write_text(FIRST)
    assert load(f"sokoban:{file}#1").title == ""
    file.write_text(f"; more\n{FIRST}\n\n; two\n{SECOND}")
    assert [one.title for one in levels_of(str(file))] == ["more", "two"]
    assert load(f"sokoban:{file}#2").title == "two"


def test_titles_and_notes_stand_in_the_rows(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "some.sok"
    file.write_text(f"{FIRST}\nTitle: One\nAuthor: A\n\n#####\n#@  #\n#####\nTitle: Two, bad\n")
    command = ("search", "sokoban", "--from", str(file), "--method", "astar")
    told = program(*command, "--format", "json")
    rows = json.loads(told.out)
    assert [(row["title"], row["status"], row["notes"]) for row in rows] == [
        ("One", "optimal", ["Author: A"]), ("Two, bad", "refused", [])
    ]  # fmt: skip
    listed = list(csv.DictReader(program(*command, "--format", "csv").out.splitlines()))
    assert [row["title"] for row in listed] == ["One", "Two, bad"]


def test_the_levels_that_come_with_the_game_have_titles() -> None:
    assert [one.title.split()[0] for one in levels_in(HAND_MADE, "own")] == [str(number) for number in range(1, 11)]


def test_levels_come_from_standard_input(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    from_standard_input.cache_clear()
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(f"; One\n{FIRST}\n\n; Two\n#####\n#@  #\n#####\n".encode()))
    )
    with pytest.raises(BadRequest, match=r"-: it cannot be read"):
        str(load("sokoban:-#1").start())  # which waits for nothing
    rows = json.loads(program("search", "sokoban", "--from", "-", "--method", "astar", "--json").out)
    assert [(row["level"], row["title"], row["status"]) for row in rows] == [
        ("-#1", "One", "optimal"), ("-#2", "Two", "refused")
    ]  # fmt: skip
    from_standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FIRST.encode())))
    assert "1 of 1" in program("compare", "sokoban", "--from", "-", "--with", "astar").out
    from_standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "standard input holds no level" in program("search", "sokoban", "--from", "-").err
    from_standard_input.cache_clear()


def test_a_level_beside_a_file_is_refused(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "some.sok"
    file.write_text(FIRST)
    for command in (("search",), ("compare", "--with", "astar")):
        answer = program(*command, "sokoban:#3", "--from", file)
        assert answer.code == 30
        assert (
            f"sokoban:#3 and --from {file}: the levels of the file do not have level '#3'; leave it out" in answer.err
        )


def test_the_name_of_a_file_may_hold_what_separates_rows(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "a|b.sok"
    file.write_text(FIRST)
    rows = json.loads(program("search", "sokoban", "--from", file, "--method", "astar", "--json").out)
    assert [(row["level"], row["status"]) for row in rows] == [(f"{file}#1", "optimal")]
    assert load(f"sokoban:{file}").start() == load(f"sokoban:{FIRST}").start()
    assert "a|b.sok" in load(f"sokoban:{file}#1").called
    assert load("sokoban:5#|#@$.#|5#").called == "Sokoban"


def test_a_level_with_too_much_floor_is_refused_before_all_of_it_is_walked() -> None:
    rows = ["#" * 1002, *["#" + " " * 1000 + "#"] * 1000, "#" * 1002]
    rows[5] = "#@$." + " " * 997 + "#"
    with pytest.raises(BadRequest, match=r"some, line 1, column 1: the level has more than 4,096 squares of floor"):
        read_level(levels_in("\n".join(rows), "some")[0])
