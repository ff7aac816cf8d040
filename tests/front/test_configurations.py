"""Configurations are the one source of options: keywords, the command line, and texts of `compare` say the same."""

from __future__ import annotations

import dataclasses
import random
import re
import shlex
from pathlib import Path
from typing import Annotated, Any

import pytest

import searchbench as sb
from front_program import Program
from searchbench.analyse.compare import contestant
from searchbench.cli.app import command_named
from searchbench.cli.commands import Argument, Exit, Option, WrongUsage, call
from searchbench.cli.derived import FieldsOf, derived
from searchbench.configuration import all_options, configured, option, options_of
from searchbench.errors import BadRequest, DamagedData
from searchbench.heuristics import heuristic
from searchbench.run import Limits, Run
from searchbench.solvers import exhaustive, proof
from searchbench.solvers.guided import METHODS, search_state
from searchbench.store.opening import read_header

STATE = "8 7 6 0 4 1 2 5 3"
VALUES: dict[str, list[Any]] = {
    "h": ["linear-conflict"], "order": ["bound", "moves", "priority"], "entries": [9, 100000], "table": ["33KB"],
    "replacement": ["always", "two-level"], "automaton": [2, 4], "step": [0, 2, 3], "restarts": [50], "impatience": [0, 2],
    "version": ["R0", "R11"], "control": ["table.bits=12"], "optimal": [True],
    "seed": [3], "weight": [0.5, 1, 1.8], "by": ["goodness", "h"], "use": ["none"], "without": ["dead,cuts", "macros"],
}  # fmt: skip


def drawn(chance: random.Random) -> tuple[str, dict[str, Any]]:
    """Draw a method and some options, which it may not take, or not together."""
    names = chance.sample(sorted(VALUES), chance.choice([0, 1, 1, 2, 2, 3]))
    return chance.choice(sorted(METHODS)), {name: chance.choice(VALUES[name]) for name in names}


def test_every_option_has_values_here() -> None:
    assert set(VALUES) == {name for one in METHODS.values() for name in options_of(one)}


def outcome(search: Any) -> Any:
    """Return what a search comes to, or what it refuses."""
    try:
        line = search()
    except sb.SearchBenchError as error:
        told = re.sub("^configuration '[^']*': ", "", str(error))  # which only a text has
        return type(error), told if isinstance(error, BadRequest) else getattr(error, "nodes", 0)
    return line.moves, line.nodes, line.optimal


@pytest.mark.parametrize("seed", range(60))
def test_a_name_with_options_a_configuration_and_a_text_are_the_same(seed: int) -> None:
    game = sb.load("sliding:2x3")
    state = "4 5 3 1 2 0"
    method, options = drawn(random.Random(seed))
    limits = Limits(nodes=3000)
    text = " ".join([method, *(f"{name}={value}" for name, value in options.items())])
    bound = {"h": heuristic(game, options["h"])} if "h" in options else {}

    def by_text() -> sb.Line:
        return search_state(
            game, state, contestant(game, text).configuration, Run(threads=1), limits, target="interpreted"
        )

    def by_object() -> sb.Line:
        chosen = configured(METHODS, method, options | bound)
        assert isinstance(chosen, METHODS[method])
        return search_state(game, state, chosen, Run(threads=1), limits, target="interpreted")

    def by_name() -> sb.Line:
        given = options | bound
        return search_state(game, state, method, Run(threads=1), target="interpreted", nodes=3000, **given)

    told = f"seed {seed}: {text}"
    assert outcome(by_name) == outcome(by_object), told
    if not any(
        text.count(word) for word in ("weight=", "seed=", "optimal=")
    ):  # a text has no default, and no number of another kind
        assert outcome(by_text) == outcome(by_name), told


def test_the_convenience_makes_the_configuration() -> None:
    game = sb.load("sliding:2x3")
    state = "4 5 3 1 2 0"
    whole = sb.search(game, state, sb.IDAStar(h="linear-conflict", step=2))
    assert whole.nodes == sb.search(game, state, "idastar", h="linear-conflict", step=2).nodes
    with pytest.raises(BadRequest, match="say it in the configuration, AStar"):
        sb.search(game, state, sb.AStar(), weight=2)
    with pytest.raises(BadRequest, match="a heuristic is an object here"):
        search_state(game, state, sb.AStar(h="linear-conflict"))
    with pytest.raises(BadRequest, match="say it in the limits"):
        search_state(game, state, sb.AStar(), None, sb.Limits(9), nodes=9)
    with pytest.raises(BadRequest, match="must be positive"):
        sb.Limits(seconds=-1)


def test_what_a_method_does_not_take_is_refused_with_who_does() -> None:
    for method, options, message in (
        ("idastar", {"weight": 2}, "weight 2: idastar takes none; astar and bestfirst do"),
        ("astar", {"step": 2}, "step 2: astar takes none; idastar does"),
        ("astar", {"speed": 2}, "unknown option 'speed': astar takes h, order"),
        ("dfs", {}, "unknown method 'dfs': there are idastar, astar, bestfirst"),
    ):
        with pytest.raises(BadRequest, match=message):
            configured(METHODS, method, options)
    with pytest.raises(BadRequest, match=r"unknown method 'dfs': there are idastar, .*, and dual from the start"):
        sb.search("sliding:3x3", method="dfs")
    assert configured(METHODS, "astar", {"step": 0, "table": None}) == sb.AStar()


def test_configurations_are_values() -> None:
    one = sb.IDAStar(use="dead,pairs", table="1MB")
    assert one == dataclasses.replace(sb.IDAStar(table="1MB"), use=("dead", "pairs"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.step = 2  # type: ignore[misc]


def test_every_option_is_one_of_the_command_line(program: Program) -> None:
    told = program("search", "--help").out
    for one in METHODS.values():
        for taken in options_of(one).values():
            assert taken.flag in told
            assert "_" not in taken.flag
    line = program("search", "sliding:3x3", STATE, "--method", "idastar", "--step", "2", "--order", "bound", "--json")
    assert line.json["nodes"] == sb.search("sliding:3x3", STATE, sb.IDAStar(step=2, order="bound")).nodes
    assert program("search", "sliding:3x3", STATE, "--method", "idastar", "--step", "-1").code == 30


def test_options_of_proofs_are_written_with_hyphens(program: Program) -> None:
    told = program("prove", "--help").out
    assert "--by-depth" in told
    assert "--keep-solved" in told
    assert re.search(r"--\w+_", told) is None


def test_proofs_have_configurations_too() -> None:
    state = "XX./OO./..."
    for chosen, name in (
        (sb.ProofNumber(mobility=True), "pns"),
        (sb.DepthFirstProofNumber(mobility=True), "dfpn"),
        (sb.AlphaBeta(), "alphabeta"),
    ):
        options = {} if name == "alphabeta" else {"mobility": True}
        proofs = [sb.prove("tic-tac-toe", state, chosen), sb.prove("tic-tac-toe", state, name, **options)]
        assert [(one.value, one.method, one.nodes) for one in proofs] == [("win", name, proofs[0].nodes)] * 2
    with pytest.raises(BadRequest, match="mobility True: alphabeta takes none; pns and dfpn do"):
        sb.prove("tic-tac-toe", method="alphabeta", mobility=True)
    with pytest.raises(BadRequest, match="say it in the configuration, ProofNumber"):
        sb.prove("tic-tac-toe", method=sb.ProofNumber(), mobility=True)


# --- all states ----------------------------------------------------------------------------------------------------------

SOLVED: dict[str, list[Any]] = {
    "parts": ["all"], "form": ["values", "two-bit", "one-bit", "filled", "every:4", "three-bit"],
    "codec": ["gzip:6", "none", "zip"], "mapped": [True, False], "overwrite": [True, False], "work": ["work"],
}  # fmt: skip
GAMES = ("hanoi:3", "sliding:2x2", "mnk:2,2,2", "awari:3", "pancake:4")


def solved(folder: Path, ask: Any) -> Any:
    """Return what `ask` comes to: what it makes and keeps, or that it is refused."""
    try:
        with ask() as database:
            told = database.codes.tobytes(), database.rule.name, database.facts["solver"], database.facts.get("form")
    except (BadRequest, DamagedData) as error:
        return type(error)
    if not (folder / "x.db").exists():
        return told
    header = read_header(folder / "x.db")
    return *told, header.kept_as, header.codec, header.command.replace(str(folder), "")


@pytest.mark.parametrize("seed", range(80))
def test_solvers_by_name_and_by_object_make_the_same_database(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    game, solver = chance.choice(GAMES), chance.choice(sorted(exhaustive.METHODS))
    names = chance.sample(sorted(SOLVED), chance.choice([0, 0, 1, 1, 2, 3]))
    options = {name: chance.choice(SOLVED[name]) for name in names}
    kept = chance.random() < 0.7
    folders = [tmp_path / "name", tmp_path / "object"]
    for folder in folders:
        folder.mkdir()
    if kept and chance.random() < 0.3:
        for folder in folders:
            sb.solve("hanoi:2", to=folder / "x.db", threads=1)

    def by_name() -> sb.Database:
        given = options | ({"work": folders[0] / "work"} if "work" in options else {})
        return sb.solve(game, solver=solver, to=folders[0] / "x.db" if kept else None, threads=1, **given)

    def by_object() -> sb.Database:
        given = options | ({"work": folders[1] / "work"} if "work" in options else {})
        own = {name: given.pop(name) for name in options if name in options_of(exhaustive.METHODS[solver])}
        if not kept and any(given.values()):
            raise BadRequest("nothing is kept")
        if set(given) - set(options_of(sb.Keep)):
            raise BadRequest("nobody takes it")
        chosen = exhaustive.METHODS[solver](**own)
        to = sb.Keep(folders[1] / "x.db", **given) if kept else None
        return sb.solve(game, solver=chosen, to=to, threads=1)

    told = f"seed {seed}: {game} {solver} {options} kept: {kept}"
    assert solved(folders[0], by_name) == solved(folders[1], by_object), told


@pytest.mark.parametrize("solver", sorted(exhaustive.METHODS))
def test_every_solver_has_a_configuration_that_is_public(solver: str) -> None:
    chosen = exhaustive.METHODS[solver]
    assert getattr(sb, chosen.__name__) is chosen
    game = "connect4:3,3,3" if solver == "sweep" else "hanoi:3"
    assert sb.solve(game, "depth" if solver == "bfs" else None, chosen()).facts["solver"] == solver


def test_what_suits_the_game_is_the_same_as_asking_for_it() -> None:
    for game in GAMES:
        database = sb.solve(game)
        again = sb.solve(game, solver=exhaustive.METHODS[database.facts["solver"]]())
        assert again.codes.tobytes() == database.codes.tobytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"speed": 2},
            "unknown option 'speed': solve takes index, parts, take, form, symbolic, codec, mapped, overwrite, work, device",
        ),
        ({"solver": "dfs"}, "unknown solver 'dfs': there are retrograde, fixpoint, bfs"),
        (
            {"form": "base-3"},
            "retrograde takes none, bfs does; else it is for a database that is kept: give `to` to searchbench.solve",
        ),
        ({"codec": "gzip:6"}, "codec 'gzip:6': it is for a database that is kept: give `to` to searchbench.solve"),
        ({"mapped": True}, "give `to` to searchbench.solve"),
        ({"overwrite": True}, "give `to` to searchbench.solve"),
        ({"work": "w"}, "work 'w': it is for a database that is kept: give `to` to searchbench.solve"),
        ({"solver": "bfs", "parts": "all"}, "parts are solved by retrograde or fixpoint"),
        ({"solver": sb.BreadthFirst(), "parts": "all"}, "parts are solved by retrograde or fixpoint"),
        ({"solver": sb.Retrograde(), "parts": "all"}, "parts: say it in the configuration, Retrograde"),
        ({"solver": sb.BreadthFirst(), "form": "values"}, "form: say it in the configuration, BreadthFirst"),
        ({"to": "KEEP", "codec": "gzip:6"}, "codec: say it in the configuration, Keep"),
        ({"to": "x.db", "codec": "gzip:6", "mapped": True}, "no form and no codec can be chosen"),
        ({"to": "x.db", "codec": "zip"}, "codec 'zip': .*zstd, gzip, lz4, none"),
        (
            {"to": "x.db", "parts": "all", "codec": "gzip:6"},
            "codec 'gzip:6': parts are kept whole.*convert the database",
        ),
        ({"to": "x.db", "parts": "all", "form": "filled"}, "form 'filled': parts are kept whole.*convert the database"),
        (
            {"to": "db", "form": "streaming"},
            "is one of breadth-first search, and the solver is retrograde: say solver 'bfs'",
        ),
        ({"to": "FORM", "solver": sb.BreadthFirst(form="values")}, r"say BreadthFirst\(form=...\)"),
    ],
)
def test_options_that_contradict_are_refused_before_anything_starts(
    options: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    objects = {"KEEP": sb.Keep("x.db"), "FORM": sb.Keep("x.db", form="filled")}
    given = {name: objects.get(value, value) if name == "to" else value for name, value in options.items()}
    with pytest.raises(BadRequest, match=message):
        sb.solve("hanoi:3", **given)
    assert not list(tmp_path.iterdir())


def test_a_database_is_saved_by_the_same_object(tmp_path: Path) -> None:
    database = sb.solve("tic-tac-toe")
    database.save(sb.Keep(tmp_path / "x.db", form="base-3", codec="gzip:9"))
    header = read_header(tmp_path / "x.db")
    assert (header.kept_as, header.codec) == ("base-3", "gzip:9")
    with pytest.raises(BadRequest, match="say it in the configuration, Keep"):
        database.save(sb.Keep(tmp_path / "y.db"), codec="gzip:9")
    with pytest.raises(BadRequest, match="no form and no codec"):
        database.save(tmp_path / "y.db", form="base-3", mapped=True)


def test_the_command_that_is_kept_can_be_given_to_a_shell(tmp_path: Path, program: Program) -> None:
    file, first, second = tmp_path / "my own" / "it's.py", tmp_path / "first.db", tmp_path / "second.db"
    file.parent.mkdir()
    file.write_text((Path(__file__).parents[2] / "examples" / "coins.py").read_text())
    assert program("solve", str(file), "--to", str(first)).code == 0
    assert program("convert", str(first), "--game", str(file), "--parts", "all", "--to", str(second)).code == 0
    whole, convert = read_header(second).command.split("; ")
    assert convert == "searchbench convert --parts all"
    assert program(*shlex.split(whole)[1:], "--to", str(tmp_path / "again.db")).code == 0, whole


def test_the_command_that_is_kept_asks_for_the_same(tmp_path: Path, program: Program) -> None:
    for place, options in enumerate((
        {"solver": "retrograde", "form": "filled", "codec": "gzip:6"},
        {"solver": "bfs", "rule": "depth", "form": "values", "mapped": True},
        {"parts": "all", "solver": "fixpoint", "memory": "1GB"},
        {"solver": sb.BreadthFirst(form="two-bit"), "rule": "depth"},
    )):  # fmt: skip
        first, second = tmp_path / f"{place}.db", tmp_path / f"{place}-again.db"
        sb.solve("hanoi:3", to=first, **options)
        command = read_header(first).command
        assert program(*shlex.split(command)[1:], "--to", str(second)).code == 0, command
        again = read_header(second)
        assert (again.command, again.kept_as, again.codec) == (
            command,
            read_header(first).kept_as,
            read_header(first).codec,
        )
        assert sb.open_database(second).codes.tobytes() == sb.open_database(first).codes.tobytes()


# --- proofs ---------------------------------------------------------------------------------------------------------------


def test_leaves_are_told_by_a_folder_a_database_or_the_configuration(tmp_path: Path) -> None:
    database = sb.solve("tic-tac-toe", to=tmp_path / "x.db")
    state, parts = "XX./OO./...", database.parts[0].name
    asked: list[dict[str, Any]] = [
        {"leaves": tmp_path / "x.db", "parts": parts},
        {"leaves": database, "parts": [parts]},
        {"method": "alphabeta", "leaves": str(tmp_path / "x.db"), "parts": parts},
        {"method": sb.AlphaBeta(leaves=tmp_path / "x.db", parts=parts)},
        {"method": sb.AlphaBeta(leaves=database, parts=parts)},
    ]
    proofs = [sb.prove("tic-tac-toe", state, **options) for options in asked]
    assert {(one.value, one.method, one.nodes) for one in proofs} == {("win", "alphabeta", proofs[0].nodes)}
    for options, message in (
        ({"book": "b"}, "give leaves as well"),
        ({"plies": 3}, "give leaves as well"),
        ({"method": "pns", "parts": "a"}, "parts 'a': pns takes none; alphabeta does"),
        ({"speed": 3}, "unknown option 'speed': pns takes evidence, mobility"),
        ({"leaves": proof.LeafDatabase(sb.load("tic-tac-toe"), database), "parts": "a"}, "say it where leaves is made"),
        ({"leaves": database, "leaves_game": "tic-tac-toe"}, "say it where leaves is made"),
        ({"leaves": database, "mobility": True}, "alphabeta does|pns does"),
    ):
        with pytest.raises(BadRequest, match=message):
            sb.prove("tic-tac-toe", state, **options)


# --- the command line -------------------------------------------------------------------------------------------------------

DERIVED = {
    "search": ([METHODS], {"game", "state", "states", "method", "abstractions", "nodes", "seconds", "memory", "threads",
                           "progress", "work", "style", "as_json"}),
    "solve": ([exhaustive.METHODS, {"to": sb.Keep}], {"game", "to", "solver", "rule", "memory", "threads", "progress", "device",
                                                      "as_json"}),
    "prove": (
        [proof.METHODS],
        {"game", "state", "method", "nodes", "seconds", "memory", "threads", "as_json", "progress", "to", "force"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DERIVED)
def test_commands_take_the_options_of_python(name: str) -> None:
    groups, own = DERIVED[name]
    taken = command_named(name).complete().parameters  # type: ignore[attr-defined]
    told = {key: one for methods in groups for key, one in all_options(methods.values()).items()}
    assert set(taken) == own | set(told)
    for key, one in told.items():
        asked = taken[key].annotation.__metadata__[0]
        assert asked.flag.partition("/")[0] == one.flag, key
        assert taken[key].default is None, key
        for methods in groups:
            if key in all_options(methods.values()):
                start = all_options(methods.values())[key].told.replace("`", "").replace("\\", "")[1:40]
                assert start in asked.help, key


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two options of a command."""

    first: Annotated[int, Option(min=1, help="A number.")] = 1
    second: Annotated[str | None, Option("--other", metavar="TEXT", help="A text.")] = None


@dataclasses.dataclass(frozen=True)
class One:
    """A configuration."""

    depth: int = option(3, "how deep", "whole", least=1)
    plain: bool = option(True, "go the plain way", "flag")
    place: Any = None


@dataclasses.dataclass(frozen=True)
class Other:
    """Another one."""

    depth: int = option(4, "how far", "whole", least=1)


def test_dataclasses_become_options_and_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    def probing(
        name: Annotated[str, Argument("NAME", "A name.")],
        pair: Pair,
        options: Annotated[dict[str, Any], FieldsOf(lambda: ({"one": One, "none": Pair}, {"to": Other}))],
        last: Annotated[bool, Option("--last", help="The last.")] = False,
    ) -> None:
        seen.append((name, pair, options, last))

    command = derived(probing)
    call(command, "probing", ["a"])
    call(command, "probing", ["--first", "2", "b", "--other", "x", "--depth", "5", "--no-plain", "--last"])
    assert seen == [("a", Pair(), {}, False), ("b", Pair(2, "x"), {"depth": 5, "plain": False}, True)]
    for wrong in (["--first", "0"], ["--depth", "0"], ["--place", "x"]):
        with pytest.raises(WrongUsage):
            call(command, "probing", ["a", *wrong])
    with pytest.raises(Exit):
        call(command, "probing", ["--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "one: how deep. How far." in told
    assert told.index("--first N") < told.index("--depth N") < told.index("--last")
