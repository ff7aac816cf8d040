"""Rubik's cube against a cube of stickers that is turned in space; its notation; its patterns."""

from __future__ import annotations

import random
from typing import Any

import pytest

import searchbench as sb
from searchbench import jit
from searchbench.abstraction import pattern_rank
from searchbench.catalogue import load
from searchbench.errors import BadState
from searchbench.families.turned import symmetries
from searchbench.games.rubik import Rubik
from stickers import CUBE, Stickers, quarter

SOLVED = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
"""Every edge is flipped; 20 moves (Reid 1995)."""


def test_turns_in_space() -> None:
    game = Rubik()
    names = [name for kind in game.faces for name in kind]
    twin, chance, state = Stickers(names, CUBE), random.Random(3), game.start()
    for _ in range(60):
        assert game.pieces(state) == [*twin.shown(), *"URFDLB"]
        assert game.read(game.format(state)) == state
        assert game.read(game.facelets(state)) == state
        text = chance.choice(game.position(state).moves())
        state = game.play(state, game.parse_move(state, text))
        for _ in range({"": 1, "2": 2, "'": 3}[text[1:]]):
            twin.turn(CUBE[text[0]], quarter)
    assert len(set(game.board().cells)) == 54


def test_turns_as_a_position() -> None:
    game = Rubik()
    assert game.read("R U R' U'" + " R U R' U'" * 5) == game.start()
    assert game.facelets(game.start()) == SOLVED
    flipped = game.read(SUPERFLIP)
    layout = game.layout
    assert flipped[layout.twist_cells[1] :] == [1] * 12
    assert flipped[: layout.twist_cells[1]] == game.start()[: layout.twist_cells[1]]
    assert str(game.position("U")).splitlines()[3].replace(" ", "") == "FFFRRRBBBLLL"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("R U3", "expected turns"),
        ("R U x", "expected turns"),
        ("", "expected turns"),
        (SOLVED[:-1], "expected turns"),
        (SOLVED[9:] + SOLVED[:9], "middles"),
        (SOLVED[:8] + "R" + "U" + SOLVED[10:], "expected the pieces"),
        ("RFU UFL ULB UBR DFR DLF DBL DRB UR UF UL UB DR DF DL DB FR FL BL BR", "corner is twisted"),
        ("URF UFL ULB UBR DFR DLF DBL DRB RU UF UL UB DR DF DL DB FR FL BL BR", "edge is flipped"),
        ("URF UFL ULB UBR DFR DLF DBL DRB UF UR UL UB DR DF DL DB FR FL BL BR", "changed places"),
        ("URF URF ULB UBR DFR DLF DBL DRB UR UF UL UB DR DF DL DB FR FL BL BR", "expected the pieces"),
    ],
)
def test_bad_cubes_are_refused(text: str, words: str) -> None:
    with pytest.raises(BadState, match=words):
        load("rubik").read(text)


def lines(game: Any, length: int) -> list[tuple[int, list[int]]]:
    """Return the last move and the state of each sequence of turns that depth-first search tries."""
    found = [(-1, game.start())]
    for _ in range(length):
        found = [
            (move, game.play(state, move))
            for before, state in found
            for move in game.moves(state)
            if before < 0 or (game.call("follows", before, move) and move != game.call("inverse", before))
        ]
    return found


@pytest.mark.parametrize(
    ("spec", "counts"),
    [("rubik", [18, 243, 3240]), ("rubik:quarter-turn", [12, 114, 1068 + 6]), ("rubik:clockwise", [6, 33])],
)
def test_turns_that_follow_each_other(spec: str, counts: list[int]) -> None:
    """Korf (1997) counts 18, 243 and 3,240; no state of two moves is met twice, and none is left out.

    Of the states three quarter turns away (1,068), six are met again: three quarters of a face are one, the other way.
    """
    game = load(spec)
    assert [len(lines(game, 1 + length)) for length in range(len(counts))] == counts
    two = {tuple(game.play(game.play(game.start(), a), b)) for a in game.moves([]) for b in game.moves([])}
    near = {tuple(game.start()), *(tuple(game.play(game.start(), move)) for move in game.moves([]))}
    met = [tuple(state) for _, state in lines(game, 2)]
    assert len(set(met)) == len(met)
    assert set(met) == two - near


def test_search_without_databases() -> None:
    for text, cost in (("R U F2", 3), ("R L", 2), ("U D2 U'", 1), ("R U R' U'", 4)):
        line = sb.search("rubik", text, "idastar")
        assert (line.cost, line.verify()) == (cost, [])
    line = sb.search("rubik:quarter-turn", "R2 U", "idastar")
    assert (line.cost, line.verify()) == (3, [])
    line = sb.search("rubik:clockwise", "R U", "idastar")
    assert (line.cost, line.move_texts(), line.verify()) == (6, ["U"] * 3 + ["R"] * 3, [])


def test_symmetries_of_the_cube() -> None:
    game = Rubik()
    assert len(symmetries(game.turns, game.powers)) == 48
    assert len(symmetries(game.turns, Rubik("clockwise").powers)) == 24
    assert len(load("rubik-pattern:UF-UR-FR-DB-DL-BL").images()) == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "states"),
    [
        ("rubik-pattern:corners", 88_179_840),
        ("rubik-pattern:UR-UF-UL-UB-FR-FL", 42_577_920),
        ("rubik-pattern:UR-UF-UL-UB-FR-FL-BR", 510_935_040),
    ],
)
def test_sizes_of_patterns(spec: str, states: int) -> None:
    """Korf (1997) gives these sizes."""
    assert load(spec).parts()[0].size == states


@pytest.mark.parametrize("spec", ["UR-UR", "UR-URF", "UX", "UR-UF-UL-UB-FR-FL-BR-BL-DR", ""])
def test_bad_patterns(spec: str) -> None:
    with pytest.raises(sb.SearchBenchError):
        load(f"rubik-pattern:pieces_told={spec}")


def test_a_pattern_has_the_depths_that_its_rules_have() -> None:
    """The tables of turns against the rules of the pattern, and these against the cube's."""
    game, cube = load("rubik-pattern:UF-FR"), load("rubik")
    names = jit.Names({**cube.names(target="interpreted"), **game.rules()}, "interpreted")
    number = jit.bind(pattern_rank, names)
    (image, *_), chance = game.images(), random.Random(5)  # type: ignore[attr-defined]
    state, seen = cube.start(), game.start()
    for _ in range(100):
        move = chance.choice(cube.moves(state))
        state, seen = cube.play(state, move), game.play(seen, move)
        assert number(state, image.table, 0) == game.rank(seen)
        assert game.read(game.format(seen)) == seen
