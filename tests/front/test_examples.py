"""A user's own game, in one file: checked, solved, verified, probed, played, searched and proved without the package's help."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import searchbench as sb
from front_program import EXAMPLES, Program
from naive import distances, explicit, outcomes, scores


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short_and_imports_public_names_only(name: str) -> None:
    text = Path(EXAMPLES[name]).read_text()
    assert len(text.splitlines()) <= 100
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= {"numpy"}
        if isinstance(node, ast.ImportFrom):
            assert node.module in {"searchbench", "collections.abc", "dataclasses", "typing"}
            if node.module == "searchbench":
                assert {alias.name for alias in node.names} <= set(sb.__all__)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_keeps_the_laws(program: Program, name: str) -> None:
    answer = program("check", EXAMPLES[name], "--json")
    assert answer.json["broken"] == []
    assert answer.code == 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_verified(program: Program, databases: dict[str, Path], name: str) -> None:
    assert program("verify", databases[name], "--json").json["faults"] == 0


def test_the_values_are_those_of_the_naive_twins(databases: dict[str, Path]) -> None:
    token = explicit(sb.load(EXAMPLES["token"]))
    database = sb.open_database(databases["token"])
    assert {state: tuple(database.probe(state)) for state in token.edges} == outcomes(token)

    patience = explicit(sb.load(EXAMPLES["patience"]))
    database = sb.open_database(databases["patience"])
    wanted = distances(patience)
    codes = database.codes
    found = {state: database.rule.decode(int(codes[number])) for number, state in patience.numbers.items()}
    assert found == {state: wanted.get(state) for state in found}

    coins = explicit(sb.load(EXAMPLES["coins"]))
    database = sb.open_database(databases["coins"])
    assert {state: database.probe(state) for state in coins.edges} == scores(coins)


def test_search_and_proof_agree_with_the_databases(program: Program, databases: dict[str, Path]) -> None:
    for position in sb.open_database(databases["patience"]).find(11, limit=3):
        assert program("search", EXAMPLES["patience"], position.text, "--json").json["cost"] == 11
    database = sb.open_database(databases["token"])
    for text in ("loss 14", "draw", "win 27"):
        state = database.find(text, limit=1)[0].text
        assert program("prove", EXAMPLES["token"], state, "--json").json["value"] == text.split()[0]


def test_parameters_of_an_example_are_given_on_the_command_line(program: Program) -> None:
    spec = f"{EXAMPLES['coins']}:Coins:left=12,right=3,most=1"
    assert program("solve", spec, "--json").json["states"] == 6
