"""The command line on layered games."""

from __future__ import annotations

from pathlib import Path

from front_program import Program

SPEC = "connect4:4,4"


def test_stats_by_layer_and_prediction(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "c4.db"
    told = program("solve", SPEC, "--solver", "sweep", "--to", folder)
    assert (told.code, "139,625 states" in told.out, "sweep, 17 levels" in told.out) == (0, True, True)
    lines = program("stats", folder, "--by", "layer", "--csv").out.split()
    golden = ["0,0,1,0", "1,0,4,0", "2,0,16,0", "3,8,44,0", "4,0,153,7", "5,150,286,0", "6,136,842,150"]
    assert lines[:8] == ["layer,won,drawn,lost", *golden]
    assert lines[17] == "16,0,5336,1908"
    assert sum(int(number) for line in lines[1:] for number in line.split(",")[1:]) == 161029
    assert program("stats", folder, "--by", "part", "--json").json[3] == {"part": "3", "won": 8, "drawn": 44, "lost": 0}
    assert "OOO" not in program("probe", folder, "12").out
    assert program("verify", folder).code == 0
    layers = program("predict", SPEC, "--layers", "4").out
    assert "the first 5 layers" in layers
    assert program("predict", SPEC, "--layers", "40", "--json").json["undecided"][16] == 5336
    ranks = program("predict", SPEC, "--layers", "40", "--ranks", "3", "--threads", "1", "--json").json
    assert (ranks["solver"], ranks["numbers"], ranks["fits"]) == ("sweep", 139_625, True)
    assert [one["ranks"] for one in ranks["scaling"][:3]] == [1, 2, 4]
    told = program("predict", "sliding:2x3", "--index", "reached").out
    assert "360 states were listed first" in told
    swept = program(
        "predict", "sliding:2x3", "--solver", "fixpoint"
    ).out.splitlines()  # a sweep sends nothing along edges
    assert (swept[0].split()[4], swept[1].split()[4:8:3]) == ("edges", ["-", "-"])
    symbolic = program("solve", SPEC, "--solver", "sweep", "--symbolic", "500", "--to", tmp_path / "by.db")
    assert "139,625 states" in symbolic.out
    assert program("stats", tmp_path / "by.db", "--by", "layer", "--csv").out.split() == lines
    for wrong in (
        ("predict", SPEC, "--index", "reached", "--layers", "3"),
        ("predict", SPEC, "--layers", "3", "--solver", "retrograde"),
        ("predict", SPEC, "--layers", "3", "--ranks", "2", "--parts", "all"),
        ("stats", folder, "--csv"),
        ("stats", folder, "--by", "colour"),
        ("predict", "connect4:5x5"),
    ):
        assert program(*wrong).code == 30
