"""The table of forms and codecs, and the rows of the papers about them."""

from __future__ import annotations

import pytest

import searchbench as sb
from searchbench.analyse.compression import FORMS, fitting, measure
from searchbench.errors import BadRequest
from searchbench.reproduce import ROWS, reproduce


def test_each_form_and_codec_is_measured() -> None:
    database = sb.solve("awari:4")
    assert fitting(database, FORMS) == ["values", "filled"]
    found = list(measure(database, codecs=["none", "gzip:9"], probes=5))
    assert [(kept.form, kept.codec) for kept in found] == [
        (form, codec) for form in ("values", "filled") for codec in ("none", "gzip:9")
    ]
    plain, packed = found[0].whole, found[1].whole
    assert (plain.numbers, packed.numbers) == (database.size, database.size)
    assert plain.bytes == database.size > packed.bytes  # a byte for each code, and less
    assert packed.factor == database.size / packed.bytes
    assert list(found[0].parts) == [part.name for part in database.parts]
    assert all(kept.random > 0 and kept.sequential > 0 for kept in found)
    (one,) = measure(database, ["filled"], ["zstd:19"], ["3"], probes=2)
    assert list(one.parts) == ["3"]
    for options in ({"forms": ["base-3"]}, {"codecs": ["zip"]}, {"parts": ["x"]}):
        with pytest.raises(BadRequest):
            list(measure(database, **options))


def test_best_moves_and_left_out_values_come_back() -> None:
    outcome = reproduce(ROWS["G9"])
    assert (outcome.measured, outcome.verdict) == ({"smaller": True, "wrong values": 0}, "match")


def test_a_factor_below_the_papers_differs() -> None:
    judge = ROWS["G8"].judge
    assert judge({"4-3": 12.0, "4-4": 100.39}, {"4-3": 51.9, "4-4": 1745.7}) == "better"
    assert judge({"4-3": 12.0, "4-4": 100.39}, {"4-3": 51.9, "4-4": 99.0}) == "differs"
