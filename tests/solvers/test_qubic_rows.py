"""Rows on Qubic that compare searches: on few subproblems they agree with the paper, and wrong figures differ."""

from __future__ import annotations

from typing import Any

from searchbench.games.qubic import Qubic
from searchbench.reproduce.qubic import ALL, NO_SYMMETRY, ONES, THREATS, UNDIVIDED, each_helps, position, without
from searchbench.run import Run

RIGHT: dict[str, Any] = {
    ALL: {"nodes": 10, "open": 0}, THREATS: {"nodes": 11, "open": 0}, ONES: {"nodes": 12, "open": 0},
    NO_SYMMETRY: {"nodes": 13, "open": 1}, UNDIVIDED: {"nodes": 100, "open": 1},
}  # fmt: skip


def test_positions_are_told_by_cells() -> None:
    state = position("0,12;1,63")
    assert [state[cell] for cell in (0, 12, 1, 63)] == [1, 1, 2, 2]
    assert sum(map(bool, state)) == 4
    assert Qubic().canonical(state)


def test_each_enhancement_of_qubic_saves_nodes(run: Run) -> None:
    found = without(run, ("0,3;12,5", "0,12;1,63"), 20_000)
    assert each_helps({}, found) == "match", found
    assert found[UNDIVIDED] == {"nodes": 20_000, "open": 1}
    assert without(run, ("0,12;1,63",), 100)[ALL] == {"nodes": 100, "open": 1}


def test_enhancements_that_do_not_help_differ() -> None:
    assert each_helps({}, RIGHT) == "match"
    for name in (THREATS, ONES, NO_SYMMETRY):
        assert each_helps({}, {**RIGHT, name: {"nodes": 10, "open": 0}}) == "differs"
    assert each_helps({}, {**RIGHT, UNDIVIDED: {"nodes": 99, "open": 0}}) == "differs"
    assert each_helps({}, {**RIGHT, ALL: {"nodes": 10, "open": 1}}) == "differs"
