"""Rows on proof search: the short ones match, wrong figures differ, and the long one goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchbench.reproduce import ROWS, proof_games, reproduce
from searchbench.reproduce.comparators import smallest_is_smallest
from searchbench.reproduce.proof_games import all_refused, none_wrong
from searchbench.reproduce.proof_graphs import reliable
from searchbench.reproduce.proof_numbers import as_two_levels, by_depth, flat, leaner, wins_what_is_proved
from searchbench.reproduce.proof_trees import figure, kept, random_game, smallest_sets
from searchbench.run import Run

SHORT = ("PN-1", "PN-5", "PN-6", "PN-14", "PN-15", "PN-17")


@pytest.mark.parametrize("name", SHORT)
def test_short_rows_match(name: str) -> None:
    assert reproduce(ROWS[name]).verdict == "match"


def test_every_item_of_the_checklist_has_a_row_and_long_ones_are_marked() -> None:
    assert {f"PN-{number}" for number in range(1, 21)} <= ROWS.keys()
    assert {name for name in ROWS if name.startswith("PN-") and ROWS[name].long} == {"PN-19-7X6", "PN-HEX", "PN-CYCLES"}


def test_wrong_numbers_of_a_figure_differ() -> None:
    row = ROWS["PN-1"]
    wrong = json.loads(json.dumps(row.paper))
    wrong["2.3"]["A"] = [3, 4]
    assert reproduce(replace(row, paper=wrong)).verdict == "differs"
    wrong["2.3"] = {**row.paper["2.3"], "most proving": "S"}
    assert reproduce(replace(row, paper=wrong)).verdict == "differs"


def test_smallest_proof_sets_of_figure_2_1() -> None:
    """E or F, L, and M or N disprove it (section 2.2)."""
    top = figure("A=OR{B,C} B=AND{E,F} C=OR{G,H} G=AND{K,L} H=AND{M,N} K=true")
    assert {"".join(sorted(one)) for one in smallest_sets(top, False)} == {"ELM", "ELN", "FLM", "FLN"}
    assert smallest_sets(top, True) == [frozenset("L")]
    assert kept(top).most_proving == "L"


def test_random_games_are_trees() -> None:
    game = random_game("a tree", 5)
    edges = game.digraph.edges
    assert sorted(edge[1] for edge in edges) == list(range(1, game.digraph.nodes))
    assert {edge[0] for edge in edges}.isdisjoint(game.digraph.results)


CASES: list[tuple[str, Any, dict[str, Any]]] = [
    ("PN-8", as_two_levels, {"other values": 1}),
    ("PN-8", as_two_levels, {"connect4:5x4 in 768 kB": {"pn": "draw", "pn^2": "draw"}}),
    ("PN-7", leaner, {"trees with another order": 1}),
    ("PN-15", reliable, {"wrong and relied on": 1}),
    ("PN-12", wins_what_is_proved, {"proved and won": 19}),
    ("PN-17", smallest_is_smallest, {"smaller ones by proof numbers": 1}),
    ("PN-10", by_depth, {"awari: south has 11, north 8": [13, 16]}),
    ("PN-CYCLES-300", none_wrong, {"dfpn": 1}),
    ("PN-20", all_refused, {"accepted": {"records removed": 1, "values flipped": 0}}),
]
RIGHT: dict[str, dict[str, Any]] = {
    "PN-8": {"other values": 0, "nodes, pn^2 / pn": 2.9, "connect4:5x4 in 768 kB": {"pn": "memory used up", "pn^2": "draw"}},
    "PN-7": {"trees with another order": 0, "share with a smaller peak": 0.5, "nodes created / peak, connect4:5x4": 2.0},
    "PN-15": {"2.5": ROWS["PN-15"].paper["2.5"], "wrong and relied on": 0, "not relied on": 7},
    "PN-12": {"illegal moves": 0, "proved": 20, "proved and won": 20},
    "PN-17": {
        "other sizes than by brute force": 0, "smaller ones by proof numbers": 0, "inner nodes, proof numbers / MST*": 1.1,
    },
    "PN-10": {**ROWS["PN-10"].paper, "mean depth of nodes": {"rising": 1.0, "standard": 2.0, "falling": 3.0}},
    "PN-CYCLES-300": {"games": 300, "answers": 2700, **dict.fromkeys(proof_games.ASKED, 0)},
    "PN-20": {
        "faults of the proofs": 0, "accepted": {"records removed": 0, "values flipped": 0},
        "refused": {"records removed": 9, "values flipped": 2},
    },
}  # fmt: skip


@pytest.mark.parametrize(("name", "judge", "changed"), CASES)
def test_wrong_figures_differ(name: str, judge: Any, changed: dict[str, Any]) -> None:
    assert ROWS[name].judge is judge
    assert judge(ROWS[name].paper, RIGHT[name]) == "match"
    assert judge(ROWS[name].paper, {**RIGHT[name], **changed}) == "differs"


def test_ways_that_grow_as_from_the_root_differ() -> None:
    ways = {"from the root": [1.9, 2.6], "from the current node": [1.4, 2.4]}
    told = {"trees with another order": 0, "moves on the way to a node, depths 5 and 10": ways}
    assert flat({}, told) == "differs"
    ways["from the current node"] = [1.4, 1.5]
    assert flat({}, told) == "match"


def test_games_with_cycles_go_on_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_games, "PIECE", 5)
    asked: list[int] = []
    whole = proof_games.check_piece

    def check_piece(piece: int, count: int) -> dict[str, int]:
        asked.append(piece)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return whole(piece, count)

    monkeypatch.setattr(proof_games, "check_piece", check_piece)
    run = Run(threads=1, memory=1 << 26, work=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        proof_games.games_with_cycles(run, 15)
    found = proof_games.games_with_cycles(run, 15)
    assert asked == [0, 1, 1, 2]
    assert found["games"] == 15
    assert not any(found[name] for name in proof_games.ASKED)
    pieces = [proof_games.cyclic_games(piece, 5)[0] for piece in (0, 1)]
    assert pieces[0] != pieces[1]
