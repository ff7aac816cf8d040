"""The proof of go-moku as text files: written, read, gone on with; damaged ones refused, false records found."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from searchbench.errors import BadRequest, DamagedData
from searchbench.solvers.proof.gomoku import closing
from searchbench.solvers.proof.gomoku import search as quiet
from searchbench.solvers.proof.gomoku.attack import Attack
from searchbench.solvers.proof.gomoku.branch import SHORT, Branch, read_branch, written
from searchbench.solvers.proof.gomoku.closing import close_records
from searchbench.solvers.proof.gomoku.fours import WON
from searchbench.solvers.proof.gomoku.nodes import stones_at
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.race import attempt, search_of
from searchbench.solvers.proof.gomoku.trees import read_tree, take_over, tree_of, write_trees

OPENING = Opening()
WHITE, SECOND = 0, 128
FIRST, NEXT, HARD = [1, 144], [3, 4], 114
"""Replies that are tried before the work is stopped, those after it, and one that is not proved with few nodes."""


def never() -> bool:
    """Never stop."""
    return False


def work(folder: Path, attack: Attack, replies: list[int], limit: int = 200_000) -> Branch:
    """Try replies as a session does, with what the folder's file says and nothing else; return the branch."""
    branch = read_branch(folder, OPENING, WHITE)
    if branch.second < 0:
        branch.add({"second": SECOND, "seconds": 0.0, "nodes": 0})
    attack.forget()
    search = search_of(branch, attack, SECOND, never)
    with pytest.MonkeyPatch.context() as patch:  # short searches by threats, so that there are records
        patch.setattr(quiet, "OWN_LIMIT", 100)
        patch.setattr(quiet, "REPLY_LIMIT", 20)
        for reply in replies:
            branch.add(attempt(search, branch.base, reply, limit))
    return branch


@pytest.fixture(scope="module")
def attack() -> Attack:
    """Return a compiled search."""
    return Attack(bits=16)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, attack: Attack) -> Path:
    """Return a working folder with some replies proved and one that is open."""
    folder = tmp_path_factory.mktemp("begun")
    work(folder, attack, FIRST)
    work(folder, attack, [HARD], 10)
    return folder


@pytest.fixture
def proved(begun: Path, tmp_path: Path) -> Path:
    """Return the folder of text files of that work."""
    assert write_trees(begun, tmp_path / "proved", OPENING) == 1
    return tmp_path / "proved"


def test_a_proof_goes_on_from_files_as_if_it_had_never_stopped(
    begun: Path, proved: Path, tmp_path: Path, attack: Attack
) -> None:
    stopped = tmp_path / "stopped"
    assert take_over(proved, stopped, OPENING) == len(FIRST)
    assert take_over(proved, stopped, OPENING) == 0  # nothing is taken twice
    branch = read_branch(stopped, OPENING, WHITE)
    kept = read_branch(begun, OPENING, WHITE)
    assert (branch.second, branch.nodes, branch.proved) == (SECOND, kept.nodes, FIRST)
    assert branch.attempts[HARD]["limit"] == 10
    assert dict(branch.records()) == dict(kept.records())
    assert tree_of(branch) == tree_of(kept)

    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / kept.path.name).write_bytes(kept.path.read_bytes())
    gone_on, never_stopped = (work(folder, attack, NEXT) for folder in (stopped, whole))
    assert gone_on.proved == never_stopped.proved == FIRST + NEXT
    assert dict(gone_on.records()) == dict(never_stopped.records())


def test_the_branch_with_more_replies_proved_stays_chosen(proved: Path, tmp_path: Path) -> None:
    for replies, chosen in ((1, SECOND), (3, 96)):
        folder = tmp_path / str(replies)
        folder.mkdir()
        branch = read_branch(folder, OPENING, WHITE)
        branch.add({"second": 96, "seconds": 0.0, "nodes": 0})
        for reply in range(30, 30 + replies):
            branch.add({"reply": reply, "proved": True, "limit": 1, "nodes": 1, "seconds": 0.0, "records": []})
        take_over(proved, folder, OPENING)
        branch = read_branch(folder, OPENING, WHITE)
        assert branch.second == chosen
        assert set(branch.tried[SECOND]) == {*FIRST, HARD}
        assert len(branch.tried[96]) == replies


def test_a_damaged_file_is_refused_with_its_line(proved: Path, tmp_path: Path) -> None:
    path = proved / "a15.txt"
    lines = path.read_text().splitlines(keepends=True)
    print("".join(lines))
    assert len(lines) > 6
    for number, line in enumerate(lines):
        changed = [*lines[:number], line[:-2] + chr(ord(line[-2]) ^ 1) + "\n", *lines[number + 1 :]]
        for text in ("".join(lines[:number] + lines[number + 1 :]), "".join(changed), "".join(lines)[: -1 - number]):
            path.write_text(text)
            with pytest.raises((DamagedData, BadRequest), match=r"a15.txt, line \d+ cannot be read|is of a board"):
                take_over(proved, tmp_path / "work", OPENING)
    assert not (tmp_path / "work").exists()
    path.write_text("".join([*lines[:3], "7" + lines[3][1:], *lines[4:]]))
    with pytest.raises(DamagedData, match=r"line 4 cannot be read \(depth 7 after depth \d"):
        read_tree(path, OPENING)
    path.write_text("".join(lines))
    with pytest.raises(BadRequest, match="board of 15 and rule free, now 15 and standard"):
        take_over(proved, tmp_path / "work", Opening(15, "standard"))
    with pytest.raises(BadRequest, match="no file of a branch is there: expected files such as"):
        take_over(tmp_path, tmp_path / "work", OPENING)


def test_a_record_that_only_symmetric_ones_lead_to_is_kept(begun: Path, tmp_path: Path) -> None:
    state = stones_at(OPENING.start, [(cell, 1) for cell in (96, 97)] + [(cell, 2) for cell in (0, 81, 82)])
    added = tmp_path / "added"
    take_over(written_to(begun, tmp_path / "before"), added, OPENING)
    read_branch(added, OPENING, WHITE).add({"checked": 0, "short": SHORT, "records": written({state: 98}), "gaps": []})
    proved = written_to(added, tmp_path / "proved")
    lines = (proved / "a15.txt").read_text().splitlines()
    assert [line for line in lines if line.startswith("at ")] == ["at g9,h9,h8 a15,g10,h10 i9"]
    assert read_tree(proved / "a15.txt", OPENING).apart == {state: 98}
    again = tmp_path / "again"
    take_over(proved, again, OPENING)
    assert dict(read_branch(again, OPENING, WHITE).records())[state] == 98
    assert (written_to(again, tmp_path / "same") / "a15.txt").read_bytes() == (proved / "a15.txt").read_bytes()
    for broken in ("at g9,h9,h8 a15,g10,h10 h9", "at g9,g9 a15 i9", "at g9,h9 z1 i9"):
        text = "\n".join(broken if line.startswith("at ") else line for line in lines[:-1]) + "\n"
        (proved / "a15.txt").write_text(
            f"{text}end {len(lines) - 3} {hashlib.sha256(text.encode()).hexdigest()[:16]}\n"
        )
        with pytest.raises(DamagedData, match="cannot be read"):
            read_tree(proved / "a15.txt", OPENING)


def test_a_win_by_threats_that_a_later_search_finds_has_a_first_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first search stops at its limit; the next one finds the win at the root, where it makes no record."""
    monkeypatch.setattr(closing, "LONG", 18_000)
    stones = [(cell, 1) for cell in (98, 112, 126, 127, 140)] + [(cell, 2) for cell in (84, 111, 154, 157, 171)]
    state = stones_at((0,) * 225, stones)
    attack = Attack()
    attack.set(state)
    assert attack.by_threats(0, closing.LONG) != WON
    attack.forget()
    found = closing.prove_again(attack, state, never)
    assert found is not None
    assert state in found


def written_to(folder: Path, proved: Path) -> Path:
    """Write a working folder as text files; return their folder."""
    write_trees(folder, proved, OPENING)
    return proved


@pytest.mark.long
def test_the_walk_through_all_replies_finds_a_false_record(
    proved: Path, tmp_path: Path, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Branch, "finished", True)
    monkeypatch.setattr(closing, "prove_again", lambda *_: None)
    path = proved / "a15.txt"
    lines = path.read_text().splitlines()
    lines = lines[: next(at for at in range(3, len(lines)) if lines[at].startswith("1 "))]  # the first reply alone
    assert len(lines) > 4
    gaps = {}
    for name in ("true", "false"):
        if name == "false":
            lines[-1] = f"{lines[-1].rpartition(' ')[0]} o1"  # black's stone in the corner helps little
        body = "".join(f"{line}\n" for line in lines)
        path.write_text(f"{body}end {len(lines) - 2} {hashlib.sha256(body.encode()).hexdigest()[:16]}\n")
        take_over(proved, tmp_path / name, OPENING)
        branch = read_branch(tmp_path / name, OPENING, WHITE)
        # The first record says nothing here: few replies to it are proved.
        branch.add({"checked": 1, "short": SHORT, "records": [], "gaps": []})
        close_records(branch, attack, never)
        gaps[name] = len(branch.gaps)
        assert branch.checked == len(list(branch.records()))
    print(gaps)
    assert gaps["true"] == 0
    assert gaps["false"] > 0
    # A gap is tried again at the next walk, and what proves it is kept.
    branch = read_branch(tmp_path / "false", OPENING, WHITE)
    first, *rest = branch.gaps
    answers = iter([{OPENING.start: 1}])
    monkeypatch.setattr(closing, "prove_again", lambda *_: next(answers, None))
    close_records(branch, attack, never)
    again = read_branch(tmp_path / "false", OPENING, WHITE)
    assert first not in again.gaps
    assert again.gaps[: len(rest)] == rest
    assert (OPENING.start, 1) in again.records()
