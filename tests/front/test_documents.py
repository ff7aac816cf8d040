"""README and docs: every Python block is a doctest, every console block is run, every link leads somewhere."""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from front_program import ROOT, Program
from searchbench.configuration import table_of
from searchbench.solvers import exhaustive, guided, proof
from searchbench.store import Keep

PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", *PAGES]
CHECKER = doctest.OutputChecker()
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(document: Path, language: str) -> list[str]:
    """Return the blocks of a language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


LONG = ("command-line.md", "decision-diagrams.md")
"""The documents whose commands take ten seconds and more."""


def save_files(document: Path) -> None:
    """Write the files that a document tells the reader to save: blocks whose first line is a comment with a file's name."""
    for block in blocks(document, "python") + blocks(document, "text"):
        if name := re.match(r"# (\w+\.(?:py|txt))\n", block):
            Path(name[1]).write_text(block)


def having(language: str, mark: str) -> list[Path]:
    """Return the documents with a block of a language that holds a mark."""
    return [document for document in DOCUMENTS if any(mark in block for block in blocks(document, language))]


def without_measurements(text: str) -> str:
    """Return a text without what differs from run to run: compilations, seconds, rates and numbers of threads."""
    text = re.sub(r"compiled in [\d.]+ s, (searched in |proved in )?", "", text)
    return re.sub(r"\d+(\.\d+)? (s\b|threads?)|\"seconds\": [\d.e-]+", "TIME", text)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the examples, as a reader has them, on a machine that is quick enough for any `check`."""
    monkeypatch.setattr("searchbench.testing.check.SECONDS", 60.0)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", having("python", ">>>"), ids=lambda path: path.name)
def test_python_blocks_are_doctests(document: Path, workplace: Path) -> None:
    save_files(document)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks(document, "python")), {}, document.name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.long] * (path.name in LONG))
        for path in having("console", "$ searchbench")
    ],
)
def test_console_blocks_show_what_the_program_prints(
    document: Path, workplace: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_files(document)
    for block in blocks(document, "console"):
        for command, expected in re.findall(r"^\$ (searchbench .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            # What the reader types stands behind the prompt; in a pipe it is not echoed.
            typed = re.findall(r"^> (.*\n)", expected, re.MULTILINE)
            monkeypatch.setattr("sys.stdin", io.StringIO("".join(typed)))
            answer = program(*shlex.split(command)[1:])
            printed = answer.out + answer.err.removeprefix("searchbench: ") if answer.code else answer.out
            wanted = without_measurements(re.sub(r"^> .*\n", "> ", expected, flags=re.MULTILINE))
            assert CHECKER.check_output(wanted, without_measurements(printed), OPTIONS), f"{command}\n{printed}"


@pytest.mark.parametrize(
    "document",
    [page for page in PAGES if page.parent.name in ("tutorials", "how-to")],
    ids=lambda path: path.name,
)
def test_a_page_makes_all_that_it_uses(document: Path) -> None:
    """Who follows a page in an empty folder finds each file there, and no database is made twice."""
    made = {block[2:].partition("\n")[0] for block in blocks(document, "python") + blocks(document, "text")}
    made |= set(re.findall(r"to=\"(\w+\.db)\"", document.read_text()))
    for block in blocks(document, "console") + blocks(document, "sh"):
        for line in re.findall(r"^(?:\$ )?((?:mpiexec .*)?searchbench .*)$", block, re.MULTILINE):
            words = re.split(r"[ ,]+", line.partition("  #")[0])
            target = words[words.index("--to") + 1] if "--to" in words else None
            used = {word for word in words if re.fullmatch(r"[\w/]+\.(db|cert|py|txt)", word)} - {target}
            assert used <= made, line
            again = "stopped" in line or "goes on" in line
            assert again or target not in made or "resume" in document.name, line
            made |= {target} if target and "# stopped" not in line else set()


def test_the_cluster_of_the_tutorial_solves(workplace: Path) -> None:
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if mpiexec is None:
        pytest.skip("needs mpiexec: pip install 'searchbench[cluster]'")
    document = ROOT / "docs" / "tutorials" / "a-cluster.md"
    command = next(line for block in blocks(document, "sh") for line in block.splitlines() if " pancake:" in line)
    (shown,) = blocks(document, "text")
    before, _, after = command.partition(" searchbench ")
    words = [mpiexec, *before.split()[1:], sys.executable, "-m", "searchbench", *after.split()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert without_measurements(done.stdout) == without_measurements(shown), done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    prose = re.sub(r"^```.*?^```|`[^`]*`", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        assert "://" in target or (document.parent / target).exists(), target


def test_the_readme_names_every_command(program: Program) -> None:
    commands = set(re.findall(r"^  ([a-z]+)(?: [a-z]+)? {2,}", program("--help").out, re.MULTILINE))
    assert len(commands) >= 13
    for document in (ROOT / "README.md", ROOT / "docs" / "command-line.md"):
        named = set(re.findall(r"`(?:searchbench )?([a-z]+)[ `]", document.read_text()))
        assert commands <= named, document


def test_the_list_of_pages_is_complete() -> None:
    table = (ROOT / "docs" / "index.md").read_text().partition("## The pages")[2]
    listed = re.findall(r"^\| \[[^\]]+\]\(([^)#]+)\)", table, re.MULTILINE)
    assert sorted(listed) == sorted(
        {"../README.md", *(page.relative_to(ROOT / "docs").as_posix() for page in PAGES)} - {"index.md"}
    )


def test_the_files_to_begin_with_are_as_short_as_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text()
    begin = readme[readme.index("To read the code, begin with") :].split("\n\n")[0]
    promised = re.search(r"three files, fewer than (\d+)\s+lines together", begin)
    files = re.findall(r"\]\((src/[^)]+\.py)\)", begin)
    assert promised is not None
    assert len(files) == 3
    assert sum(len((ROOT / file).read_text().splitlines()) for file in files) < int(promised[1])


def test_the_licence_is_there() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "The searchbench authors" in text


# --- tables that are derived ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "name", "methods"),
    [
        ("searching", "search", guided.METHODS),
        ("command-line", "solvers", exhaustive.METHODS),
        ("command-line", "keeping", {"to": Keep}),
        ("two-players", "prove", proof.METHODS),
    ],
)
def test_tables_of_options_are_those_of_the_configurations(page: str, name: str, methods: dict[str, type]) -> None:
    """To write one anew: put `table_of(...)` between the two comments."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    written = text.partition(f"<!-- options of {name} -->\n")[2].partition("\n<!-- end of options -->")[0]
    assert written == table_of(methods)


def test_an_example_hides_no_module_of_the_standard_library() -> None:
    """Python finds the files of the folder that it is started in before its own: in one with a `token.py` it does not start."""
    names = {path.stem for path in (Path(__file__).parents[2] / "examples").rglob("*.py")}
    assert names
    assert not names & sys.stdlib_module_names
