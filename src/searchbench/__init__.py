"""A workbench that solves games and puzzles exactly: write the rules once, get everything else.

Three verbs: :func:`solve` all states -> :class:`Database`, :func:`search` one state of a puzzle -> :class:`Line`,
:func:`prove` one state of a two-player game -> :class:`Proof`. Every result has ``verify()``, which uses the rules only.
Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchbench import analyse, errors, index
    from searchbench.abstraction import Abstraction, Image, Subgoal
    from searchbench.analyse.predict import Prediction
    from searchbench.catalogue import WhichGame, load
    from searchbench.errors import SearchBenchError
    from searchbench.game import Board, Game, Position
    from searchbench.heuristics import PatternDatabases, SeenAs, heuristic
    from searchbench.index.protocol import Part
    from searchbench.line import Line
    from searchbench.player import Player
    from searchbench.proof import Proof
    from searchbench.repairs import Repair
    from searchbench.rules import NOWHERE, UNDECIDED, State
    from searchbench.run import Limits, Run
    from searchbench.solvers.exhaustive import BreadthFirst, Exhaustive, Fixpoint, Retrograde, Sweep
    from searchbench.solvers.guided import AStar, BestFirst, Guided, IDAStar
    from searchbench.solvers.guided.enhanced.search import Enhanced
    from searchbench.solvers.guided.featurespace.search import FeatureSpace
    from searchbench.solvers.proof import (
        AlphaBeta,
        BStar,
        ConspiracyNumber,
        DepthFirstProofNumber,
        GraphProofNumber,
        MSTStar,
        Portfolio,
        ProofNumber,
        Proving,
        SSSStar,
        ThreatProofNumber,
    )
    from searchbench.store import Certificate, Choice, Database, Keep
    from searchbench.testing import Check
    from searchbench.values import ValueRule

__version__ = "0.1.0"

_HOMES = {
    "Board": "game", "Certificate": "store", "Check": "testing", "Choice": "store",
    "Database": "store", "Game": "game", "Line": "line", "NOWHERE": "rules",
    "Abstraction": "abstraction", "Image": "abstraction", "PatternDatabases": "heuristics", "heuristic": "heuristics",
    "AlphaBeta": "solvers.proof", "DepthFirstProofNumber": "solvers.proof",
    "GraphProofNumber": "solvers.proof", "Portfolio": "solvers.proof",
    "ProofNumber": "solvers.proof",
    "BStar": "solvers.proof", "ConspiracyNumber": "solvers.proof", "MSTStar": "solvers.proof", "SSSStar": "solvers.proof",
    "ThreatProofNumber": "solvers.proof", "AStar": "solvers.guided",
    "Enhanced": "solvers.guided.enhanced.search", "FeatureSpace": "solvers.guided.featurespace.search",
    "Retrograde": "solvers.exhaustive", "Sweep": "solvers.exhaustive",
    "Fixpoint": "solvers.exhaustive", "BreadthFirst": "solvers.exhaustive",
    "Keep": "store", "BestFirst": "solvers.guided", "IDAStar": "solvers.guided", "Limits": "run",
    "SeenAs": "heuristics", "Subgoal": "abstraction", "analyse": "",
    "Part": "index.protocol", "Player": "player", "Position": "game", "Prediction": "analyse.predict", "Proof": "proof",
    "Repair": "repairs", "Run": "run", "SearchBenchError": "errors", "State": "rules", "UNDECIDED": "rules",
    "ValueRule": "values", "errors": "", "index": "", "load": "catalogue",
}  # fmt: skip
"""Where each public name lives; "" for a module."""

__all__ = [
    "NOWHERE", "UNDECIDED", "AStar", "Abstraction", "AlphaBeta", "BStar", "BestFirst", "Board", "BreadthFirst",
    "Certificate", "Check", "Choice", "ConspiracyNumber", "Database", "DepthFirstProofNumber", "Enhanced",
    "FeatureSpace", "Fixpoint", "Game", "GraphProofNumber", "IDAStar", "Image", "Keep", "Limits", "Line", "MSTStar",
    "Part", "PatternDatabases", "Player", "Portfolio", "Position", "Prediction", "Proof", "ProofNumber", "Repair", "Retrograde",
    "Run", "SSSStar", "SearchBenchError", "SeenAs", "State", "Subgoal", "Sweep", "ThreatProofNumber", "ValueRule",
    "analyse", "check", "environment", "errors", "heuristic", "index", "load", "open_certificate", "open_database",
    "predict", "prove", "repair", "search", "solve",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from searchbench.errors import no_such_name

        if name.startswith("_"):  # asked for by Python and its tools
            raise AttributeError(f"module 'searchbench' has no attribute {name!r}")
        raise no_such_name("searchbench", name, __all__)
    home = _HOMES[name]
    module = importlib.import_module(f"searchbench.{home or name}")
    globals()[name] = getattr(module, name) if home else module
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def check(game: str | Game, **options: Any) -> Check:
    """Check that a game keeps the laws of the contract; the result lists every broken law with the state that shows it.

    By default it looks at as many states as take some seconds; with the option `samples` at about so many, and with another
    `seed` at other ones. `run` is a :class:`Run`, with the memory and threads for solving small games, which are compared.
    """
    from searchbench.catalogue import load
    from searchbench.testing import check_game

    return check_game(load(game), **options)


def solve(
    game: str | Game,
    rule: str | ValueRule | None = None,
    solver: Exhaustive | str | None = None,
    to: str | Path | Keep | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Database:
    """Solve every state of a game and return the database; with `to`, also keep it in that folder.

    `rule` is a value rule or its name, by default the game's own. `solver` is a configuration, :class:`Retrograde`,
    :class:`Fixpoint` or :class:`BreadthFirst`; or its name, "retrograde", "fixpoint" or "bfs", with its fields as `options`. By
    default the game decides. `to` is a :class:`Keep`, or a folder with the other fields of `Keep` as `options`. Both
    have a `form`: that of breadth-first search says how it keeps depths ("values", "two-bit", ...), and that of `Keep`
    how other values are kept ("base-3", "every:4", ...); as an option it goes to the former where that solves.

    `memory` is a budget such as "1GB": a computation that does not fit is refused before it starts, and so is an existing
    folder, unless `overwrite`. `progress` is called with a stage, how much of it is done, and its total (0: unknown). With
    `to`, long computations keep their unfinished work in the folder `work` (by default beside `to`, with ".work" behind the
    name). A computation that was stopped or killed goes on from there when it is asked for again, and tables that do not fit
    into the memory may lie there. The folder is removed when the database is complete. A `mapped` database is kept without
    compression: opened, it is mapped into memory.

    `parts` are the names of the parts to solve ("4-4,5-3", or "all"); parts that they need are solved first. Each is kept in
    `to` when it is done, and a part that `to` has already is not solved again. `take` are databases of games that this one turns
    into, as by a capture or a promotion (`Game.rank_in`), opened or their folders: parts that they cover are not solved.

    The option `device="cuda:0"` solves on the first graphics processor, to the same database; "cuda:0,8GB" takes 8 GB of it.
    What devices do not do is refused with :class:`errors.BadRequest`, a device that is not there with
    :class:`errors.NoDevice`, and a rule that does not run there with :class:`errors.NotForDevice`.

    Where MPI has started several ranks of the program (``mpiexec -n 4 python ...``), each of them calls this, and they
    solve together; the first one reports the progress. A rank takes its share of its machine's memory and cores.
    """
    from searchbench.catalogue import load
    from searchbench.exchange.mpi import world
    from searchbench.exchange.ranks import ALONE, by_first, current, joined, neighbours
    from searchbench.jit import open_device
    from searchbench.run import parse_memory
    from searchbench.solvers.exhaustive import requested, solve_request
    from searchbench.tried import try_before

    ranks = world() if current() is ALONE else current()
    device = options.pop("device", None)
    chosen = load(game)
    request = requested(chosen, rule, solver, to, options)
    with _run(memory, threads, progress if ranks.rank == 0 else None) as run, joined(ranks):
        by_first(lambda: try_before("solve", chosen, request.choice.solver, request.game is not chosen))
        if device is not None:
            name, _, room = str(device).partition(",")
            run.device = open_device(name, parse_memory(room or 0))
        run.share(neighbours(ranks) if memory is None else 1, ranks.companions if threads is None else 1)
        return solve_request(request, run, request.command(memory))


def open_database(path: str | Path, game: WhichGame = None, trust: bool = False) -> Database:
    """Open a database that `solve` kept; `game`, such as "mygame.py:MyGame", is needed only where its file has moved.

    A database of a game of one's own names the file of the game, and opening it runs that file. So a file that you have never
    run is refused (:class:`errors.NoConsent`), unless `game` names it or you say `trust`.
    """
    from searchbench.store import open_database as open_folder

    return open_folder(path, game, trust=trust)


def open_certificate(path: str | Path, game: WhichGame = None, trust: bool = False) -> Certificate:
    """Open a certificate that `Proof.write` wrote; `game`, such as "mygame.py:MyGame", is needed where its file moved.

    `trust` is that of :func:`open_database`.
    """
    from searchbench.store import open_certificate as open_file

    return open_file(path, game, trust)


def predict(
    game: str | Game,
    solver: str | None = None,
    parts: str | Iterable[str] | None = None,
    rule: str | ValueRule | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    index: str | None = None,
) -> Prediction:
    """Predict the cost of `solve` before it starts: the processor's time, memory, and a bound on the disk.

    The options are those of `solve`. The times are measured with the solver's own kernels on a few thousand random states;
    how many states get a value, so that they are expanded, is the guess of a model, and the prediction also gives the cost
    if all of them do. Breadth-first search ("bfs") is predicted in the form "values". With the index "reached", states are
    listed first, if they are not more than two million. Raises :class:`errors.BadGame` for a game that breaks a law that its
    numbers of states rest on.
    """
    from searchbench.analyse.predict import predict as predict_game
    from searchbench.catalogue import load
    from searchbench.tried import try_before

    chosen = load(game)
    try_before("solve", chosen, solver, index is not None)
    return predict_game(chosen, solver, parts, rule, _run(memory, threads, None), index)


def environment(database: Database | Game | str | Path, state: Any = None, limit: int = 1_000) -> Any:
    """Return an environment with exact values: Gymnasium's for a puzzle, PettingZoo's for a game of two players.

    `database` is one, its folder, or a game or its name, solved in memory. Episodes begin in `state`, by default in random
    positions of a puzzle and at the start of a game of two players, and end after `limit` moves at the latest.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest, UnknownGame
    from searchbench.game import Game
    from searchbench.learning import environment as made

    if isinstance(database, Path) or (isinstance(database, str) and Path(database).is_dir()):
        database = open_database(database)
    if isinstance(database, (Game, str)):
        try:
            database = load(database)
        except UnknownGame as error:
            raise BadRequest(f"{database}: there is no database, and no game: {error}") from None
        database = solve(database)
    return made(database, state, limit)


def repair(
    path: str | Path,
    game: WhichGame = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    limit: int = 100,
) -> Repair:
    """Repair a database on disk, whose chunks may be damaged or missing, and list the faults.

    Values that verification finds at fault or that cannot be read are worked out anew, with all that rests on them; then
    these are verified. At most `limit` changes are told in words. `game` is needed only where its file has moved. A database
    that can be opened has the method `repair`, too.
    """
    from searchbench.repairs import repair_folder

    return repair_folder(path, game, run=_run(memory, threads, progress), limit=limit)


def search(
    game: str | Game,
    state: Position | str | Sequence[int] | None = None,
    method: Guided | str | None = None,
    memory: str | int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    threads: int | None = 1,
    work: str | Path | None = None,
    **options: Any,
) -> Line:
    """Search for a line from one state of a puzzle (by default the start) to a solved one.

    `method` is a configuration, :class:`IDAStar`, :class:`AStar`, :class:`BestFirst`, :class:`Enhanced` or
    :class:`FeatureSpace`; or its name, "idastar", "astar", "bestfirst", "enhanced" or "featurespace", with its fields as
    `options`. By default the game decides: its size, and whether it supplies features. The last two are for games that supply
    enhancements, and features, as Sokoban does. Or it is "dual", for the start of a game that looks the same from both ends:
    half of a breadth-first search (:func:`searchbench.solvers.exhaustive.search_by_duality`). `h` is a heuristic in the
    place of the game's own bound: an object such as :class:`PatternDatabases`, one of the names that the game has
    ("linear-conflict"), or folders of pattern databases ("a.db+b.db"). `threads` are those of IDA* and of feature-space
    search, None for all. With a folder `work`, IDA* keeps there how far it is, and goes on when it is asked again after it was
    stopped. `nodes` and `seconds`, among the options, are limits, 0 for none.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest
    from searchbench.heuristics import heuristic
    from searchbench.solvers.exhaustive import search_by_duality
    from searchbench.solvers.guided import METHODS, Guided, search_soonest
    from searchbench.tried import try_before, try_line

    if isinstance(method, str) and method not in (*METHODS, "dual"):
        raise BadRequest(f"unknown method {method!r}: there are {', '.join(METHODS)}, and dual from the start")
    chosen, run = load(game), _run(memory, threads, progress)
    try_before("search", chosen, method == "dual")
    run.work = None if work is None else Path(work)
    if method == "dual":
        if options.pop("h", None) is not None or work is not None:
            raise BadRequest("method 'dual' takes neither a heuristic nor a folder for its work; idastar does")
        return search_by_duality(chosen, state, run, **options)
    if isinstance(options.get("h"), str):
        options["h"] = heuristic(chosen, options["h"])
    if isinstance(method, Guided) and isinstance(method.h, str):
        method = replace(method, h=heuristic(chosen, method.h))
    limits = options.pop("limits", None)
    line = search_soonest(chosen, state, method, run, limits, **options)
    try_line(line)
    return line


def prove(
    game: str | Game,
    state: Position | str | Sequence[int] | None = None,
    method: Proving | str | None = None,
    memory: str | int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    threads: int | None = None,
    **options: Any,
) -> Proof:
    """Prove the value of one state of a two-player game (by default the start).

    `method` is a configuration, :class:`Portfolio`, :class:`ProofNumber`, :class:`DepthFirstProofNumber`, :class:`AlphaBeta`,
    :class:`GraphProofNumber` (games of lines) or :class:`ThreatProofNumber` (go-moku); or its name, "portfolio", "pns", "dfpn",
    "alphabeta", "graph" or "threats", with its fields as `options`. To compare with, there are "conspiracy", "sss", "bstar" and
    "mst". By default it is a portfolio, alpha-beta and depth-first proof-number search in turns, or the first method that has the
    options. Other options, such as `nodes` and `seconds`, are those of :func:`searchbench.solvers.proof.prove_state`.
    "portfolio", "dfpn" and "graph" search on `threads`, by default one for each core.

    `leaves` is a database, or its folder, that knows the outcome of some states: of the same game, or of one that it goes on as
    ("morris" for "morris-opening"). Only its `parts` of these names are used ("9-9,9-8"), by default all. What is found after so
    many `plies` from the start is kept in the file `book`, from which the same search goes on. `leaves_game` is the game of
    `leaves`, where its file has moved; the game to be proved is tried as well.
    """
    from searchbench.catalogue import load
    from searchbench.solvers.proof.soonest import prove_soonest
    from searchbench.tried import try_before

    chosen = load(game)
    try_before("prove", chosen)
    return prove_soonest(chosen, state, method, _run(memory, threads, progress), **options)


def _run(memory: str | int | None, threads: int | None, progress: Callable[[str, int, int], None] | None) -> Run:
    from searchbench.run import Run, parse_memory

    limits: dict[str, Any] = {"memory": parse_memory(memory) if memory is not None else 0, "threads": threads or 0}
    return Run(**limits) if progress is None else Run(**limits, report=progress)
