"""Games are found by name, entry point and file; what is wrong is told with what would be right."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from searchbench.abstraction import Abstraction, Subgoal
from searchbench.catalogue import ABSTRACTIONS, GAMES, load, shipped
from searchbench.errors import UnknownGame
from searchbench.games.pancake import Pancake
from searchbench.games.sliding import Sliding

CLASS = """
from dataclasses import dataclass
from typing import ClassVar

from searchbench import Game


@dataclass(frozen=True)
class {name}(Game):
    name: ClassVar[str] = "{text}"

    size: int = 3
    quick: bool = False
    label: str = "a"
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """Return a function that writes a user's file; what importing files changes is taken back."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def write(text: str, name: str = "mygame.py") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("searchbench_user_"):
            del sys.modules[name]


def one_class(name: str = "Mine", text: str = "mine") -> str:
    """Return the text of a file with one game."""
    return CLASS.format(name=name, text=text)


# --- by name ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("sliding", Sliding()),
        ("sliding:2x3", Sliding(2, 3)),
        ("sliding:2,3", Sliding(2, 3)),
        ("sliding:4", Sliding(4, 3)),
        ("sliding:columns=2", Sliding(3, 2)),
        ("sliding:columns=2,rows=5", Sliding(5, 2)),
        ("pancake", Pancake()),
        ("pancake:5", Pancake(5)),
        ("pancake:n=5", Pancake(5)),
    ],
)
def test_shipped_games_and_parameters(spec: str, game: Any) -> None:
    assert load(spec) == game


def test_a_game_is_loaded_as_itself() -> None:
    game = Pancake(4)
    assert load(game) is game


def test_every_shipped_game_is_loaded_again_from_its_own_text() -> None:
    found = [*shipped(), *shipped(ABSTRACTIONS)]
    assert len(found) >= 10
    assert len({game.name for game in found}) == len(found)
    for kind in found:
        game = load(kind.name) if kind.name != "graph" else load("graph:0>1;1=0")
        assert type(game) is kind
        assert load(game.spec) == game


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("draughts", ["'draughts'", "sliding", "pancake", "mygame.py:MyGame"]),
        ("", ["''", "sliding"]),
        ("Sliding", ["'Sliding'", "sliding"]),
        ("__init__", ["'__init__'"]),
        ("sliding.tiles", ["'sliding.tiles'"]),
        ("pancake:3x4", ["pancake:3x4", "too many", "pancake:N"]),
        ("sliding:ax3", ["rows must be a whole number", "'ax3'"]),
        ("sliding:1x1", ["1 x 1", "2 to 100 cells"]),
        ("sliding:0x3", ["0 x 3"]),
        ("sliding:rows=", ["rows must be a whole number"]),
        ("sliding:depth=3", ["'depth'", "ROWS,COLUMNS"]),
        ("sliding:name=3", ["'name'", "ROWS,COLUMNS"]),
        ("pancake:101", ["101", "2 to 100"]),
        ("pancake:1.5", ["n must be a whole number", "'1.5'"]),
    ],
)
def test_what_is_wrong_with_a_name_is_told(spec: str, words: list[str]) -> None:
    with pytest.raises(UnknownGame) as caught:
        load(spec)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_abstractions_are_listed_apart_from_games() -> None:
    games, abstractions = list(shipped()), list(shipped(ABSTRACTIONS))
    assert {"sliding-pattern", "sliding-subgoal"} <= {one.name for one in abstractions}
    assert all(issubclass(one, Abstraction | Subgoal) for one in abstractions)
    assert not any(issubclass(one, Abstraction | Subgoal) for one in games)


# --- by entry point ---------------------------------------------------------------------------------------------------


def test_installed_packages_offer_games(monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]) -> None:
    write(one_class(text="theirs"), "theirs_of_a_package.py")
    monkeypatch.syspath_prepend(str(write("", "empty.py").parent))
    entry = importlib.metadata.EntryPoint("theirs", "theirs_of_a_package:Mine", GAMES)

    def entry_points(*, group: str) -> list[importlib.metadata.EntryPoint]:
        return [entry] if group == GAMES else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    game: Any = load("theirs:7,yes")
    assert (type(game).__name__, game.size, game.quick) == ("Mine", 7, True)
    assert load(game.spec) == game
    assert "theirs" in {kind.name for kind in shipped()}
    with pytest.raises(UnknownGame, match="theirs"):
        load("draughts")
    with pytest.raises(UnknownGame, match="SIZE,QUICK,LABEL"):
        load("theirs:1,no,b,4")


# --- by file ----------------------------------------------------------------------------------------------------------


def test_file_with_one_game_needs_no_class(write: Callable[..., Path]) -> None:
    path = write(one_class())
    game: Any = load(str(path))
    assert (game.size, game.quick, game.label) == (3, False, "a")
    assert load(f"{path}:Mine") == game
    assert load(game.spec) == game
    assert game.spec.startswith(f"{path}:Mine")


def test_parameters_of_a_file_s_game(write: Callable[..., Path]) -> None:
    path = write(one_class())
    game: Any = load(f"{path}:Mine:5,yes,b")
    assert (game.size, game.quick, game.label) == (5, True, "b")
    game = load(f"{path}::label=x")
    assert (game.size, game.quick, game.label) == (3, False, "x")
    with pytest.raises(UnknownGame, match="quick must be yes or no, not 'maybe'"):
        load(f"{path}:Mine:5,maybe")
    with pytest.raises(UnknownGame, match="size must be a whole number, not"):
        load(f"{path}:Mine:yes")


def test_file_with_several_games_asks_which(write: Callable[..., Path]) -> None:
    path = write(one_class("Mine", "mine") + one_class("Yours", "yours"))
    assert type(load(f"{path}:Yours")).__name__ == "Yours"
    with pytest.raises(UnknownGame, match="Mine, Yours"):
        load(str(path))
    with pytest.raises(UnknownGame, match="'Theirs'; it has Mine, Yours"):
        load(f"{path}:Theirs")


def test_imported_games_are_not_the_file_s_own(write: Callable[..., Path]) -> None:
    path = write(one_class() + "\nfrom searchbench.games.pancake import Pancake\n")
    assert type(load(str(path))).__name__ == "Mine"
    with pytest.raises(UnknownGame, match="it has Mine"):
        load(f"{path}:Pancake")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["mygame.py has no game, a class derived from Game that has a name"]),
        ("def broken(:\n", ["SyntaxError", "line 1"]),
        ("import not_there_at_all\n", ["ModuleNotFoundError", "not_there_at_all"]),
        ("1 / 0\n", ["ZeroDivisionError"]),
        (CLASS.format(name="Mine", text=""), ["no game", "name"]),
        (CLASS.format(name="Mine", text="mine").replace("@dataclass(frozen=True)", ""), ["dataclass"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told(text: str, words: list[str], write: Callable[..., Path]) -> None:
    path = write(text)
    with pytest.raises(UnknownGame) as caught:
        load(str(path))
    assert all(word in str(caught.value) for word in ["mygame.py", *words]), str(caught.value)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownGame, match=r"no file .*nothing\.py"):
        load(str(tmp_path / "nothing.py"))


def test_file_that_was_mended_is_read_again(write: Callable[..., Path]) -> None:
    path = write("def broken(:\n")
    with pytest.raises(UnknownGame, match="SyntaxError"):
        load(str(path))
    write(one_class())
    assert load(str(path)).parameters["size"] == 3
    write(one_class().replace("size: int = 3", "size: int = 8"))
    assert load(str(path)).parameters["size"] == 8


def test_file_that_did_not_change_is_not_read_again(write: Callable[..., Path]) -> None:
    path = write(one_class())
    assert type(load(str(path))) is type(load(str(path)))


def test_file_may_import_its_neighbours(write: Callable[..., Path]) -> None:
    write("SIZE = 12\n", "neighbour_of_mine.py")
    path = write("from neighbour_of_mine import SIZE\n" + one_class().replace("size: int = 3", "size: int = SIZE"))
    assert load(str(path)).parameters["size"] == 12


def test_files_of_the_same_name_are_two(tmp_path: Path, write: Callable[..., Path]) -> None:
    (tmp_path / "other").mkdir()
    one, other = write(one_class()), write(one_class().replace("= 3", "= 4"), "other/mygame.py")
    assert [load(str(path)).parameters["size"] for path in (one, other, one)] == [3, 4, 3]


def test_a_file_is_compiled_as_python_compiles_it(write: Callable[..., Path]) -> None:
    assert type(load(str(write(one_class())))).__annotations__["size"] is int
