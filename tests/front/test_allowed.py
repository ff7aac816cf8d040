"""What each parameter of a game may be is told in the words of the game itself, and is true."""

from __future__ import annotations

import re

import pytest

from front_program import EXAMPLES, Program
from searchbench.catalogue import ABSTRACTIONS, GAMES, allowed, described, load, shipped


@pytest.mark.parametrize("home", [GAMES, ABSTRACTIONS])
def test_every_parameter_of_every_game_has_words(home: str) -> None:
    for kind in shipped(home):
        told = allowed(kind)
        assert list(told) == list(described(kind)["parameters"])
        vague = [name for name, words in told.items() if words == "any whole number"]
        assert vague in ([], ["k"]), kind.name  # top-spin-pattern takes k from the puzzle


@pytest.mark.parametrize("spec", ["awari", "hanoi", "pancake", "chess:KQK,8", "fox-and-geese", "gomoku", "hex"])
def test_the_ends_of_a_range_are_allowed_and_what_lies_beyond_is_not(spec: str) -> None:
    name, told = list(allowed(type(load(spec))).items())[1 if spec.startswith("chess") else 0]
    least, most = map(int, re.match(r"(\d+) to (\d+)", told).groups())  # type: ignore[union-attr]
    game = spec.partition(":")[0]
    for value in (least, most):
        assert load(f"{game}:{name}={value}").parameters[name] == value
    for value in (least - 1, most + 1):
        with pytest.raises(Exception, match=re.escape(told)):
            load(f"{game}:{name}={value}")


def test_the_command_line_tells_it_of_games_that_are_named(program: Program) -> None:
    assert "what it may be" not in program("games").out
    assert (
        "The level is `FILE#7`, `FILE` where it has one alone, `#3` for one that comes with the game, or its rows."
        in program("games", "sokoban").out
    )
    text = program("games", "chess", "graph", EXAMPLES["coins"]).out
    assert re.search(r"chess +rows +3 to 8 rows and columns", text)
    assert re.search(r"graph +edges +edges 0>1", text)
    told = program("games", "gomoku", "--json").json
    assert told[0]["allowed"]["rule"] == "free, standard, renju"
